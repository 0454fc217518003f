"""Everyday: rows of rows, rows of yes and no, constants of the class and a lambda."""

from __future__ import annotations

from dicelab.rules import (
    D6,
    OVER,
    Flags,
    Game,
    Grid,
    Int,
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


class Everyday(Game):
    """Everyday: mark cells of a board of one's own; the one with more points wins."""

    name = "everyday"
    source = "made for the tests"

    WIDTH = 3
    FACES = (1, 2, 3, 4, 5, 6)
    WORTH = ((1, 2, 3), (2, 4, 6))
    LONG = (0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 987)

    players = Param(2, 1, 4, "players")
    rows = Param(2, 1, 2, "rows of marks of each player, the last one counted twice")

    seats = players

    marks = Grid(players, WIDTH, 0, 2, "marks of each seat", by_seat=True)
    board = Grid(rows, WIDTH, 0, 1, "cells taken by anybody")
    open = Flags(6, "numbers not rolled yet", start=1)
    points = Int(0, 60, "points of all players")
    column = Int(0, WIDTH - 1, "the column that was rolled")
    rolled = Int(0, 1, "a column is rolled")
    left = Int(0, 8, "turns left", start=4)
    player = Seat(players, "whose turn it is", alike=True)

    spread = Tally("sum of the numbers of one row, times another")

    def next(self) -> int:
        if self.left == 0:
            return OVER
        return ask(self.mark, self.player) if self.rolled else throw(self.die)

    @thrown(1, D6)
    def die(self, face: int) -> None:
        self.open[face - 1] = not self.open[face - 1] or face > 4
        self.column = (face - 1) // 2
        self.rolled = 1
        if face == 6:
            self.player = right_of(self.player, self.players)
        for number in self.FACES:
            if self.open[number - 1] and number > 4:
                self.spread += self.LONG[number + 10]

    @chosen(2, legal=lambda self, row: row < self.rows)
    def mark(self, row: int) -> None:
        mine = self.marks[self.player]
        if mine[self.column] < 2:
            mine[self.column] += 1
        self.board[row][self.column] = not self.board[row][self.column]
        cells = self.board[self.rows - 1]
        self.spread += sum(cells) * max(mine) + len(self.marks) + mine.count(2) + (2 in mine) + cells[self.column]
        worth = Everyday.WORTH[row][self.column]
        self.points += worth
        self.left -= 1
        self.rolled = 0
        self.player = right_of(self.player, self.players)

    def outcome(self) -> int:
        best = self.player
        for i in range(self.players):
            seat = (self.player + i) % self.players
            if total(self.marks[seat]) * 2 + (self.points < 9) > total(self.marks[best]) * 2:
                best = seat
        return best


def total(row: list[int]) -> int:
    """The sum of a row, the first number counted twice."""
    return sum(row) + row[0]


@strategy(Everyday)
def even(game: Everyday) -> int:
    """Mark the first row where the column is even."""
    return 0 if game.column % 2 == 0 or game.board[0][game.column] == 0 else game.rows - 1


@strategy(Everyday)
def lowest(game: Everyday) -> int:
    """Mark the first row, or the second with many marks."""
    return 1 if game.rows > 1 and max(game.marks[game.player]) > 1 else 0
