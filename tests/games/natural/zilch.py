"""Zilch: six dice; three turns without points cost 500."""

from typing import NamedTuple

from dicelab.rules import (
    D6,
    FACES,
    OVER,
    Game,
    Int,
    Ints,
    Param,
    Seat,
    Tally,
    ask,
    chosen,
    right_of,
    strategy,
    throw,
    thrown,
)


class Set(NamedTuple):
    dice: tuple[int, ...]
    points: int


MULTIPLE = {3: 1, 4: 2, 5: 4, 6: 8}

# everything that may be put aside, the best first
SETS = sorted(
    [Set((1,), 100), Set((5,), 50), Set((1, 2, 3, 4, 5, 6), 1500)]
    + [
        Set((face,) * count, times * (1000 if face == 1 else 100 * face))
        for face in range(1, 7)
        for count, times in MULTIPLE.items()
    ],
    key=lambda one: -one.points,
)
NOTHING = 500  # six dice that score nothing
PAIRS = 1500
STOP = len(SETS)
ROLL = STOP + 1
PENALTY = 500


def contains(dice, some):
    return all(list(dice).count(face) >= some.count(face) for face in set(some))


class Zilch(Game):
    """Zilch: take sets of dice, roll the others or bank; a roll without a set is a zilch."""

    name = "zilch"
    source = "Zilch, rules as in several apps and leaflets"

    players = Param(2, 1, 6, "players")
    target = Param(5000, 500, 10_000, "points that end the game")
    least = Param(300, 0, 1000, "points that may be banked")

    seats = players

    scores = Ints(players, -PENALTY * 20, target + 20_000, "points of each", by_seat=True)
    zilches = Ints(players, 0, 3, "zilches in a row", by_seat=True)
    player = Seat(players, "whose turn it is")
    points = Int(0, 20_000, "points of this turn")
    dice = Ints(6, 0, 6, "dice of this roll; 0: put aside")
    taken = Int(0, 1, "a set of this roll was taken")
    rolling = Int(0, 1, "the dice are rolled now", start=1)
    left = Int(1, 6, "dice to roll", start=6)

    zilch = Tally("zilches")
    turns = Tally("turns")

    def next(self):
        if any(score >= self.target for score in self.scores):
            return OVER
        return throw(self.cup, self.left) if self.rolling else ask(self.take, self.player)

    def shown(self):
        return tuple(sorted(face for face in self.dice if face))

    @thrown(6, D6, FACES)
    def cup(self, *faces):
        self.rolling = 0
        self.taken = 0
        for i, face in enumerate(faces):
            self.dice[i] = face
        shown = self.shown()
        if len(shown) == 6 and all(count % 2 == 0 for count in map(shown.count, set(shown))):
            self.free_roll(PAIRS)
        elif not any(contains(shown, one.dice) for one in SETS):
            if len(shown) == 6:
                self.free_roll(NOTHING)
            else:
                self.end_turn(0)

    def free_roll(self, points):
        """All six dice scored: they are rolled again."""
        self.points = min(self.points + points, 20_000)
        self.left = 6
        self.taken = 1
        for i in range(6):
            self.dice[i] = 0

    def moves(self):
        shown = self.shown()
        for number, one in enumerate(SETS):
            if contains(shown, one.dice):
                yield number
        if self.taken:
            yield ROLL
            if self.points >= self.least:
                yield STOP

    @chosen(len(SETS) + 2, moves=moves)
    def take(self, move):
        match move:
            case _ if move == STOP:
                self.end_turn(self.points)
            case _ if move == ROLL:
                self.left = len(self.shown()) or 6
                self.rolling = 1
            case number:
                some, points = SETS[number]
                rest = list(self.dice)
                for face in some:
                    rest[rest.index(face)] = 0
                for i, face in enumerate(rest):
                    self.dice[i] = face
                self.points = min(self.points + points, 20_000)
                self.taken = 1

    def end_turn(self, points):
        self.turns += 1
        if points:
            self.scores[self.player] += points
            self.zilches[self.player] = 0
        else:
            self.zilch += 1
            self.zilches[self.player] += 1
            if self.zilches[self.player] == 3:
                self.scores[self.player] = max(self.scores[self.player] - PENALTY, -PENALTY * 20)
                self.zilches[self.player] = 0
        self.points = self.taken = 0
        self.rolling = 1
        self.left = 6
        for i in range(6):
            self.dice[i] = 0
        self.player = right_of(self.player, self.players)

    def outcome(self):
        return max(range(self.players), key=lambda seat: self.scores[seat])


@strategy(Zilch, points=Param(350, 50, 5000, "bank this many"))
def bank_at(game, points):
    """Take everything that scores, then bank or roll."""
    *_, last = moves = list(game.moves())
    sets = [move for move in moves if move < STOP]
    if sets:
        return min(sets)
    return STOP if last == STOP and game.points >= points else ROLL
