"""Qwixx for one to five players: white dice for all at once, then a white and a coloured one for whose turn it is."""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum

from dicelab.rules import (
    D6,
    FACES,
    OVER,
    Flag,
    Flags,
    Game,
    Grid,
    Ints,
    Numbers,
    Param,
    Places,
    Rulebook,
    Seat,
    Tally,
    Track,
    Words,
    ask,
    chosen,
    right_of,
    strategy,
    throw,
    thrown,
)

LAST = 11
"""The place of the last number of a row, counted from 1."""
FOR_LAST = 5
"""Crosses that a row must have before its last number may be crossed out."""
POINTS = [n * (n + 1) // 2 for n in range(13)]
"""What so many crosses in a row count."""


class Row(IntEnum):
    RED = 0
    YELLOW = 1
    GREEN = 2
    BLUE = 3
    NOTHING = 4


def place(row: int, number: int) -> int:
    """Where a number is in its row, 1 to 11; red and yellow go up from 2, green and blue down from 12."""
    return number - 1 if row < Row.GREEN else 13 - number


class Qwixx(Game):
    """Qwixx: cross out numbers from left to right; the more crosses in a row, the more each of them counts."""

    name = "qwixx"
    source = "Steffen Benndorf, Qwixx, Nürnberger-Spielkarten-Verlag, 2012"

    words = Words(
        names={
            "last": "rows",
            "closed": "locked rows",
            "standing": "points",
            "white": "white dice",
            "colour": "a white and a coloured die",
            "dice": "white, white, red, yellow, green, blue",
            "penalties": "penalties",
        },
        hidden=("crosses", "white_done", "marked", "chooser"),
        values={"last": ("red", "yellow", "green", "blue"), "closed": ("red", "yellow", "green", "blue")},
        moves={"colour 4 0": "nothing"},
        board=(
            Track("last", length="places"),
            Track("closed"),
            Places("penalties"),
            Numbers(("standing",)),
            Numbers(("dice",)),
        ),
        objective="most:points",
        rulebook=Rulebook(
            goal="Have the most points in the end.",
            setup="Everybody has a sheet with four rows: red and yellow go from 2 up to 12, green and blue from 12 "
            "down to 2.",
            turn="Roll two white dice and a die of each colour. First everybody may cross out the sum of the white "
            "dice, in a row of any colour. Then the player whose turn it is may cross out the sum of a white die and a "
            "coloured one, in the row of that colour. A row is filled from left to right: numbers that were passed "
            "are lost. The last number of a row may be crossed out only after five others of this row; it counts as "
            "two crosses and locks the row, whose die is taken away: nobody crosses out anything there any more. Who "
            "crosses out nothing in a turn of its own takes a penalty.",
            end="The game ends at once when two rows are locked, or somebody has {penalties_end} penalties.",
            scoring="1, 2, 3, ... crosses in a row count 1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 66 and 78 points; each "
            "penalty takes 5 away.",
        ),
    )

    players = Param(2, 1, 5, "players")
    penalties_end = Param(4, 1, 4, "penalties that end the game")

    seats = players
    outcomes = (players, "draw")

    last = Grid(players, 4, 0, LAST, "last place that is crossed out in each row", by_seat=True, grows=True)
    crosses = Grid(players, 4, 0, 12, "crosses in each row, that for the lock included", by_seat=True, grows=True)
    penalties = Ints(players, 0, 4, "penalties", by_seat=True, grows=True)
    closed = Flags(4, "rows that are locked")
    dice = Ints(6, 0, 6, "two white dice and the four colours; 0: not rolled")
    player = Seat(players, "whose turn it is")
    chooser = Seat(players, "who chooses what to do with the white dice")
    white_done = Flag("the white dice have been used, or not")
    marked = Flag("the player whose turn it is has crossed out a number")

    points = Tally("points of the first player")
    turns = Tally("turns")

    def places(self, row: int) -> int:
        """How many numbers a row has."""
        return LAST

    def standing(self) -> list[int]:
        """The points of each player."""
        return [self.score(seat) for seat in range(self.players)]

    def score(self, seat: int) -> int:
        return sum(POINTS[count] for count in self.crosses[seat]) - 5 * self.penalties[seat]

    def ended(self) -> bool:
        return sum(self.closed) >= 2 or max(self.penalties) >= self.penalties_end

    def next(self) -> int:
        if not any(self.dice):
            return OVER if self.ended() else throw(self.roll)
        return ask(self.colour, self.player) if self.white_done else ask(self.white, range(self.players))

    @thrown(6, D6, FACES)
    def roll(self, *faces: int) -> None:
        self.turns += 1
        self.dice[:] = faces

    def possible(self, seat: int, row: int, number: int) -> bool:
        """Whether a player may cross out a number of a row."""
        at = place(row, number)
        if self.closed[row] or self.last[seat][row] >= at:
            return False
        return at < LAST or self.crosses[seat][row] >= FOR_LAST

    def passed(self, seat: int, row: int, number: int) -> int:
        """How many numbers of a row would be passed and lost."""
        return place(row, number) - self.last[seat][row] - 1

    def cross(self, seat: int, row: int, number: int) -> None:
        self.last[seat][row] = place(row, number)
        self.crosses[seat][row] += 2 if self.last[seat][row] == LAST else 1

    def lock(self) -> None:
        """Lock the rows in which somebody has crossed out the last number."""
        for row in range(4):
            if any(line[row] == LAST for line in self.last):
                self.closed[row] = True

    def may_cross(self, row: int) -> bool:
        return row == Row.NOTHING or self.possible(self.chooser, row, self.dice[0] + self.dice[1])

    @chosen(Row, legal=may_cross, together=chooser)
    def white(self, rows: list[int]) -> None:
        """Cross out the sum of the white dice in a row, or nothing."""
        for seat in range(self.players):
            if rows[seat] != Row.NOTHING:
                self.cross(seat, rows[seat], self.dice[0] + self.dice[1])
        self.marked = rows[self.player] != Row.NOTHING
        self.lock()
        self.white_done = True
        if self.ended():
            self.end_turn()

    def coloured(self) -> Iterator[tuple[int, int]]:
        """What can be done with a white and a coloured die."""
        yield Row.NOTHING, 0
        for row in range(4):
            one, other = self.dice[0] + self.dice[2 + row], self.dice[1] + self.dice[2 + row]
            if self.possible(self.player, row, one):
                yield row, one
            if other != one and self.possible(self.player, row, other):
                yield row, other

    @chosen(Row, (0, 12), moves=coloured)
    def colour(self, row: int, number: int) -> None:
        """Cross out the sum of a white and a coloured die in the row of this colour, or nothing."""
        if row != Row.NOTHING:
            self.cross(self.player, row, number)
        elif not self.marked:
            self.penalties[self.player] += 1
        self.lock()
        self.end_turn()

    def end_turn(self) -> None:
        self.white_done = self.marked = False
        self.dice[:] = [0] * 6
        self.player = right_of(self.player, self.players)

    def outcome(self) -> int:
        scores = self.standing()
        self.points += scores[0]
        best = max(scores)
        return self.players if scores.count(best) > 1 else scores.index(best)


@strategy(Qwixx, gap=Param(2, 1, 10, "numbers that may be passed, and one more"))
def small_gaps(game: Qwixx, gap: int) -> int | tuple[int, int]:
    """Cross out what passes fewer than `gap` numbers; in a turn of one's own more, to avoid a penalty."""
    if not game.white_done:
        seat, total = game.chooser, game.dice[0] + game.dice[1]
        rows = [(game.passed(seat, row, total), row) for row in range(4) if game.possible(seat, row, total)]
        fewest, best = min(rows, default=(99, 4))
        return best if fewest < gap else Row.NOTHING
    moves = [(game.passed(game.player, row, at), row, at) for row, at in game.coloured() if at > 0]
    fewest, best, number = min(moves, default=(99, 4, 0))
    return (best, number) if fewest < gap or not game.marked else (Row.NOTHING, 0)
