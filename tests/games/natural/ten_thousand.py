"""Ten Thousand: six dice, put aside those that score, roll the rest or stop."""

from enum import IntEnum
from itertools import product

from dicelab.rules import (
    COUNTS,
    D6,
    OVER,
    Flag,
    Game,
    Int,
    Ints,
    Param,
    Seat,
    Tally,
    ask,
    chosen,
    kept,
    right_of,
    strategy,
    throw,
    thrown,
)

DICE = 6
STRAIGHT = 1500
THREE_PAIRS = 1000
SINGLES = {1: 100, 5: 50}
TRIPLES = {1: 1000, **{face: 100 * face for face in range(2, 7)}}


class Move(IntEnum):
    ROLL = 0
    STOP = 1


def worth(counts):
    """Points of dice that are put aside; 0 if one of them doesn't score."""
    counts = tuple(counts)
    if all(count == 1 for count in counts):
        return STRAIGHT
    if counts.count(2) == 3:
        return THREE_PAIRS
    points = 0
    for face, count in enumerate(counts, start=1):
        if count >= 3:
            points += TRIPLES[face] * 2 ** (count - 3)
        elif count and face not in SINGLES:
            return 0
        else:
            points += SINGLES.get(face, 0) * count
    return points


def parts(counts):
    """All the ways to put aside some of the dice."""
    return [some for some in product(*(range(count + 1) for count in counts)) if worth(some)]


class TenThousand(Game):
    """Ten Thousand: who stops with enough in all wins."""

    name = "ten_thousand"
    source = "Ten Thousand, family game"

    players = Param(2, 2, 8, "players")
    target = Param(10_000, 500, 20_000, "points that win")
    entry = Param(500, 0, 1000, "points of a turn for the first entry")

    seats = players

    scores = Ints(players, 0, target + 20_000, "points of each", by_seat=True, grows=True)
    player = Seat(players, "whose turn it is", alike=True)
    points = Int(0, target + 20_000, "points of this turn")
    left = Int(1, DICE, "dice to roll", start=DICE)
    dice = Ints(6, 0, DICE, "the roll: how many dice show each number")
    may_stop = Flag("the player may stop")

    turns = Tally("turns")
    busts = Tally("turns without points")
    hot = Tally("times that all dice scored")

    def next(self):
        if max(self.scores) >= self.target:
            return OVER
        if any(self.dice):
            return ask(self.aside, self.player)
        if self.may_stop:
            return ask(self.roll_or_stop, self.player)
        return throw(self.cup, self.left)

    @thrown(DICE, D6, COUNTS)
    def cup(self, *shown):
        if not parts(shown):
            self.busts += 1
            self.end_turn()
            return
        for i, count in enumerate(shown):
            self.dice[i] = count

    def scoring(self, *some):
        return worth(some) > 0

    @kept(DICE, D6, dice, legal=scoring)
    def aside(self, *some):
        """Put aside dice that score."""
        self.points = min(self.points + worth(some), self.target + 10_000)
        self.left -= sum(some)
        if not self.left:
            self.hot += 1
            self.left = DICE
        for i in range(6):
            self.dice[i] = 0
        self.may_stop = True

    def enough(self, move):
        return (move == Move.ROLL and self.points < max(self.target, self.entry)) or (
            move == Move.STOP and (self.scores[self.player] > 0 or self.points >= self.entry)
        )

    @chosen(Move, legal=enough)
    def roll_or_stop(self, move):
        self.may_stop = False
        if move == Move.STOP:
            self.scores[self.player] += self.points
            self.end_turn()

    def end_turn(self):
        self.turns += 1
        self.points = 0
        self.left = DICE
        self.may_stop = False
        self.player = right_of(self.player, self.players)

    def outcome(self):
        return self.scores.index(max(self.scores))


@strategy(TenThousand, points=Param(350, 50, 5000, "stop with this many"), dice=Param(3, 1, 6, "stop with fewer dice"))
def stop_at(game, points, dice):
    """Put aside what is worth most; stop with enough points and few dice."""
    if any(game.dice):
        return max(parts(game.dice), key=lambda some: (worth(some), -sum(some)))
    mine = game.scores[game.player]
    if mine + game.points >= game.target and game.enough(Move.STOP):
        return Move.STOP
    stop = game.points >= points and game.left < dice + 1 and game.enough(Move.STOP)
    return Move.STOP if stop else Move.ROLL
