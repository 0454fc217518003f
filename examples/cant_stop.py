"""Can't Stop for one player, also with fewer sides and shorter columns; pairs of dice are a list of moves."""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum

from dicelab.rules import (
    COUNTS,
    OVER,
    Dice,
    Die,
    Game,
    Int,
    Ints,
    Numbers,
    Param,
    Rulebook,
    Tally,
    Track,
    Words,
    ask,
    chosen,
    strategy,
    throw,
    thrown,
)

RUNNERS = 3
"""Columns that may be climbed in one turn."""


class Stage(IntEnum):
    ROLL = 0
    PAIR = 1
    DECIDE = 2


class Move(IntEnum):
    ROLL = 0
    STOP = 1


class CantStop(Game):
    """Can't Stop, alone: climb the columns of sums of two dice, or lose the turn; finish some columns in few turns."""

    name = "cant-stop"
    source = "Sid Sackson, Can't Stop, 1980"

    words = Words(
        names={
            "climbed": "columns",
            "finished": "columns finished",
            "needed": "to finish",
            "cup": "roll",
            "pair": "climb",
            "go_on": "roll or stop",
        },
        hidden=("stage", "ahead"),
        values={"climbed": [str(n) for n in range(13)]},
        moves={"pair": "{column} [and {other}]"},
        objective="fewest:turns",
        board=(
            Track("climbed", length="length", ahead="ahead"),
            Numbers(("finished", "needed", "turns")),
            Dice("dice"),
        ),
        news={
            "pair": "{player} climbed {column} [and {other}]",
            "busts": "{player} could climb nothing and lost what was climbed in this turn",
            "go_on 1": "{player} stopped and keeps what was climbed",
        },
        endings={"": "{needed} columns are finished after {turns} turns"},
        rulebook=Rulebook(
            goal="Finish {needed} columns in as few turns as you can.",
            setup="There is a column for each sum of two dice; the ones in the middle are longer.",
            turn="Roll four dice and make two pairs of them. Climb a step in the column of each pair, if it is not "
            "finished; in one turn you may climb at most three columns. Then roll again, or stop and keep what you "
            "climbed. If no pair of a roll can be climbed, the turn is over and what was climbed in it is lost.",
            end="The game is over when {needed} columns are finished.",
        ),
    )

    sides = Param(3, 2, 6, "sides of the dice that are used")
    shortest = Param(1, 1, 3, "length of the outermost columns")
    longer = Param(1, 0, 2, "how much longer each next column is")
    needed = Param(2, 1, 3, "columns to finish")

    climbed = Ints(2 * sides + 1, 0, 13, "steps climbed for good, by sum", grows=True)
    ahead = Ints(2 * sides + 1, 0, 13, "steps climbed in this turn, by sum")
    dice = Ints(6, 0, 4, "dice that show each number")
    stage = Int(0, 2, "what comes next")

    turns = Tally("turns")
    busts = Tally("turns that are lost")

    def next(self) -> int:
        if self.stage == Stage.ROLL:
            return OVER if self.finished() >= self.needed else throw(self.cup)
        return ask(self.pair, 0) if self.stage == Stage.PAIR else ask(self.go_on, 0)

    def length(self, column: int) -> int:
        """Steps of a column; there are none of the sums 0 and 1."""
        if column < 2:
            return 0
        return self.shortest + self.longer * min(column - 2, 2 * self.sides - column)

    def finished(self) -> int:
        done = 0
        for column in range(2, 2 * self.sides + 1):
            done += self.climbed[column] == self.length(column)
        return done

    def runners(self) -> int:
        return len(self.ahead) - self.ahead.count(0)

    @thrown(
        4, Die(one=1, two=1, three=sides // 3 - sides // 6, four=sides // 4, five=sides // 5, six=sides // 6), COUNTS
    )
    def cup(self, *shown: int) -> None:
        for i in range(6):
            self.dice[i] = shown[i]
        self.stage = Stage.PAIR
        if self.first_pair() == (0, 0):
            self.busts += 1
            self.end_turn()

    def free(self, column: int, more: int) -> bool:
        """Whether a column can be climbed, after `more` steps in it with these dice."""
        room = self.length(column) - self.climbed[column] - self.ahead[column] - more
        return room > 0 and (self.ahead[column] > 0 or self.runners() < RUNNERS)

    def both(self, column: int, other: int) -> bool:
        """Whether both sums can be climbed."""
        if column == other:
            return self.free(column, 1)
        new = (self.ahead[column] == 0) + (self.ahead[other] == 0)
        return self.free(column, 0) and self.free(other, 0) and self.runners() + new <= RUNNERS

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Each way to make two pairs: both sums if possible, else one of them, with 0."""
        total = 4
        for i in range(6):
            total += i * self.dice[i]
        for i in range(6):
            for j in range(i, 6):
                if self.dice[i] > (i == j) and self.dice[j] > 0:
                    column, other = i + j + 2, total - i - j - 2
                    if self.both(column, other):
                        yield min(column, other), max(column, other)
                    elif self.free(column, 0):
                        yield column, 0

    def first_pair(self) -> tuple[int, int]:
        """The first way to make two pairs; 0 0 if there is none."""
        total = 4
        for i in range(6):
            total += i * self.dice[i]
        for i in range(6):
            for j in range(i, 6):
                if self.dice[i] > (i == j) and self.dice[j] > 0:
                    column, other = i + j + 2, total - i - j - 2
                    if self.both(column, other):
                        return min(column, other), max(column, other)
                    if self.free(column, 0):
                        return column, 0
        return 0, 0

    @chosen((2, 2 * sides), (0, 2 * sides), moves=pairs)
    def pair(self, column: int, other: int) -> None:
        """Climb one column or two, by the sums of the pairs."""
        self.ahead[column] += 1
        if other > 0:
            self.ahead[other] += 1
        self.stage = Stage.DECIDE
        for i in range(6):
            self.dice[i] = 0

    @chosen(Move)
    def go_on(self, move: int) -> None:
        """Roll again, or stop and keep what was climbed."""
        self.stage = Stage.ROLL
        if move == Move.STOP:
            for column in range(2, 2 * self.sides + 1):
                self.climbed[column] += self.ahead[column]
            self.end_turn()

    def end_turn(self) -> None:
        self.turns += 1
        self.stage = Stage.ROLL
        for i in range(6):
            self.dice[i] = 0
        for column in range(2 * self.sides + 1):
            self.ahead[column] = 0


@strategy(CantStop, steps=Param(3, 1, 12, "stop after so many steps"))
def stop_after(game: CantStop, steps: int) -> int | tuple[int, int]:
    """Take the first pairs; stop after some steps."""
    if game.stage == Stage.PAIR:
        return game.first_pair()
    return Move.STOP if sum(game.ahead) >= steps else Move.ROLL
