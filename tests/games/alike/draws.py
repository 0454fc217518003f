"""Games for any number of players that may end in a draw, and a game without outcomes that counts at its end."""

from __future__ import annotations

from enum import IntEnum

from dicelab.rules import (
    D6,
    FACES,
    OVER,
    Choice,
    Flag,
    Game,
    Int,
    Ints,
    Param,
    Seat,
    Tally,
    ask,
    chosen,
    d,
    mixed,
    right_of,
    strategy,
    throw,
    thrown,
)


class Move(IntEnum):
    """What a player does after a roll."""

    STAND = 0
    ROLL = 1


class Bet(IntEnum):
    """What a player does after all cups are rolled."""

    PASS = 0
    UP = 1


class Draws(Game):
    """Each player rolls a die as often as wanted, more than 9 counts nothing; the best takes all."""

    name = "draws"
    source = "made for the tests"

    players = Param(2, 2, 4, "players")
    ante = Param(1, 1, 5, "what each pays")

    seats = players
    outcomes = (players, "draw")
    payoffs = {players: (ante * (players - 1), -ante), "draw": 0}

    player = Seat(players, "whose turn it is", alike=True)
    points = Ints(players, 0, 15, "points", by_seat=True)
    done = Int(0, players, "players who are done")
    rolled = Flag("the player may choose")

    def next(self) -> int:
        if self.done == self.players:
            return OVER
        return ask(self.go, self.player) if self.rolled else throw(self.die)

    @thrown(1, D6)
    def die(self, face: int) -> None:
        self.points[self.player] += face
        self.rolled = True
        if self.points[self.player] > 9:
            self.points[self.player] = 0
            self.turn()

    @chosen(Move)
    def go(self, move: int) -> None:
        self.rolled = False
        if move == Move.STAND:
            self.turn()

    def turn(self) -> None:
        self.done += 1
        self.rolled = False
        self.player = right_of(self.player, self.players)

    def outcome(self) -> int:
        best = max(self.points)
        return self.players if self.points.count(best) > 1 else self.points.index(best)


@strategy(Draws, at=Param(6, 1, 10, "stand at"))
def stand(game: Draws, at: int) -> Move:
    """Stand with so many points."""
    return Move.STAND if game.points[game.player] >= at else Move.ROLL


class Race(Game):
    """Players roll in turn; the first with ten points wins, and nobody if two have nine."""

    name = "race"
    source = "made for the tests"

    players = Param(2, 2, 4, "players")

    seats = players
    outcomes = (players, "draw")

    player = Seat(players, "whose turn it is", alike=True)
    points = Ints(players, 0, 20, "points", by_seat=True)
    turns = Tally("turns")

    def next(self) -> int:
        return OVER if max(self.points) >= 10 or self.points.count(9) > 1 else throw(self.die)

    @thrown(1, d(3))
    def die(self, face: int) -> None:
        self.turns += 1
        self.points[self.player] += 2 * face - 1
        self.player = right_of(self.player, self.players)

    def outcome(self) -> int:
        best = max(self.points)
        return self.players if self.points.count(best) > 1 else self.points.index(best)


class Cups(Game):
    """All roll a cup, in the order of the seats, in each round; then the one whose turn it is may raise."""

    name = "cups"
    source = "made for the tests"

    players = Param(2, 2, 3, "players")
    rounds = Param(2, 1, 3, "rounds")

    seats = players
    outcomes = (players, "draw")

    player = Seat(players, "whose turn it is", alike=True)
    rolled = Int(0, players, "cups that are rolled, from the first seat on")
    cups = Ints(players, 0, 2, "what each has", by_seat=True)
    points = Ints(players, 0, 20, "points", by_seat=True)
    left = Int(0, rounds, "rounds to come", start=rounds)

    def next(self) -> int:
        if self.left == 0:
            return OVER
        return throw(self.cup) if self.rolled < self.players else ask(self.bet, self.player)

    @thrown(1, d(2))
    def cup(self, face: int) -> None:
        self.cups[self.rolled] = face
        self.rolled += 1

    @chosen(Bet)
    def bet(self, move: int) -> None:
        for seat in range(self.players):
            self.points[seat] += self.cups[seat] * (1 + move * (seat == self.player))
            self.cups[seat] = 0
        if move == Bet.UP and self.points[self.player] > 3:
            self.points[self.player] -= 2
        self.rolled = 0
        self.left -= 1
        self.player = right_of(self.player, self.players)

    def outcome(self) -> int:
        best = max(self.points)
        return self.players if self.points.count(best) > 1 else self.points.index(best)


@strategy(Cups)
def up(game: Cups) -> Bet:
    """Raise with a two."""
    return Bet.UP if game.cups[game.player] == 2 else Bet.PASS


class Score(Game):
    """Roll different dice a few times; at the end a score is counted, by the way of counting."""

    name = "final-score"
    source = "made for the tests"
    outcomes = ()

    fours = Param(1, 0, 2, "four-sided dice")
    sixes = Param(2, 1, 3, "six-sided dice")
    way = Choice(("the sum", "any pair", "high-low"), "what counts")

    left = Int(0, 3, "rolls to come", start=3)
    total = Int(0, 90, "sum so far")
    pairs = Int(0, 3, "pairs so far")

    score = Tally("score")

    def next(self) -> int:
        if self.left == 0:
            return OVER
        if self.left == 1:
            return throw(self.dice, d4=self.fours, d6=1)
        return throw(self.dice)

    @mixed(FACES, d4=(fours, d(4)), d6=(sixes, D6))
    def dice(self, *faces: int) -> None:
        self.total += sum(faces)
        shown = [face for face in faces if face > 0]
        self.pairs += len(set(shown)) < len(shown)
        self.left -= 1

    def outcome(self) -> None:
        self.score += self.total if self.way == 0 else self.pairs if self.way == 1 else abs(self.total - 20)
