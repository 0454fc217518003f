"""Three boxes: dice are kept, moves are listed, and the kinds of choices have three, two and one numbers."""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum

from dicelab.rules import (
    COUNTS,
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
    d,
    kept,
    right_of,
    strategy,
    throw,
    thrown,
)


class Go(IntEnum):
    """What is done after a box was filled."""

    ON = 0
    PASS = 1


class ThreeBoxes(Game):
    """Three boxes: keep dice, roll the others once, score a face in an open box, once or doubled; more points win."""

    name = "three-boxes"
    source = "made for the tests"

    players = Param(2, 1, 3, "players at the table")
    most = Param(2, 1, 3, "dice")

    seats = players

    dice = Ints(3, 0, most, "dice that show each face")
    rolls = Int(0, 2, "rolls made in this turn")
    rolled = Flag("the dice lie on the table")
    filled = Int(0, 7, "boxes that are filled, added up: 1, 2, 4", grows=True)
    doubled = Flag("a box was doubled")
    passing = Flag("somebody has filled a box")
    points = Ints(players, 0, 40, "points of each seat", by_seat=True)
    player = Seat(players, "whose turn it is", alike=True)

    throws = Tally("rolls")
    last = Tally("points of the winner")

    def next(self) -> int:
        if self.passing:
            return ask(self.go_on, self.player)
        if self.filled == 7:
            return OVER
        if not self.rolled:
            return throw(self.cup, self.most - sum(self.dice))
        return ask(self.keep, self.player) if self.rolls == 1 else ask(self.fill, self.player)

    @thrown(most, d(3), COUNTS)
    def cup(self, *shown: int) -> None:
        self.throws += 1
        self.rolls += 1
        self.rolled = True
        for i in range(3):
            self.dice[i] += shown[i]

    def no_lone_one(self, *kept: int) -> bool:
        return kept[0] != 1 or sum(kept) > 1

    @kept(most, d(3), dice, legal=no_lone_one)
    def keep(self, *kept: int) -> None:
        """Keep dice; a single one is never kept alone."""
        for i in range(3):
            self.dice[i] = kept[i]
        self.rolled = sum(self.dice) == self.most
        if self.rolled:
            self.rolls = 2

    def boxes(self) -> Iterator[tuple[int, int]]:
        """Open boxes; one box may count twice if its face was thrown."""
        for box in range(3):
            if (self.filled >> box) % 2:
                continue
            yield box, 1
            if not self.doubled and self.dice[box] > 0:
                yield box, 2

    @chosen(3, (1, 2), moves=boxes)
    def fill(self, box: int, times: int) -> None:
        """Fill a box, once or doubled."""
        self.points[self.player] += self.dice[box] * (box + 1) * times
        self.filled += 1 << box
        self.doubled = self.doubled or times == 2
        self.passing = True
        self.rolls = 0
        self.rolled = False
        for i in range(3):
            self.dice[i] = 0

    def may_go_on(self, move: int) -> bool:
        return move == Go.PASS or self.points[self.player] % 2 == 1

    @chosen(Go, legal=may_go_on)
    def go_on(self, move: int) -> None:
        """Go on, with an odd number of points, or pass the dice."""
        self.passing = False
        if move == Go.PASS:
            self.player = right_of(self.player, self.players)

    def outcome(self) -> int:
        self.last += self.points[self.player]
        best = self.player
        for i in range(self.players):
            seat = (self.player + i) % self.players
            if self.points[seat] > self.points[best]:
                best = seat
        return best


@strategy(ThreeBoxes, last=Param(0, 0, 1, "fill the last open box"))
def first_open(game: ThreeBoxes, last: int) -> int | tuple[int, ...] | list[int]:
    """Keep all dice, fill the first open box (or the last), and pass."""
    if game.passing:
        return Go.PASS
    if game.rolls == 1:
        return game.dice if game.dice[0] != 1 or sum(game.dice) > 1 else (0, 0, 0)
    box = 0
    for i in range(3):
        if (game.filled >> i) % 2 == 0 and (last == 1 or i == 0 or (game.filled + 1) % (1 << i) == 0):
            box = i
    return box, 1


@strategy(ThreeBoxes)
def high(game: ThreeBoxes) -> int | tuple[int, ...] | list[int]:
    """Keep threes, double the first box that can be, and go on if allowed."""
    if game.passing:
        return Go.ON if game.may_go_on(Go.ON) else Go.PASS
    if game.rolls == 1:
        return 0, 0, game.dice[2]
    for box in (2, 1, 0):
        if (game.filled >> box) % 2 == 0:
            return (box, 2 if game.dice[box] > 0 and not game.doubled else 1)
    return first_open(game)
