"""Qwixx for one player, who is the active player in each turn."""

from collections.abc import Iterator

from dicelab.rules import D6, FACES, OVER, Flag, Game, Int, Ints, Param, Tally, ask, chosen, strategy, throw, thrown

ROWS = ("red", "yellow", "green", "blue")
UPWARDS = {"red", "yellow"}
LAST = 11
FOR_LAST = 5  # crosses that are needed for the last number
PENALTY = 5
POINTS = [n * (n + 1) // 2 for n in range(13)]  # 0, 1, 3, 6, 10, ...
NONE = 4


def place(row: int, number: int) -> int:
    """Where a number is in its row, from the left: 1 to 11."""
    return number - 1 if ROWS[row] in UPWARDS else 13 - number


class QwixxSolo(Game):
    """Qwixx: cross out numbers from left to right with two white dice, then with a white and a coloured one."""

    name = "qwixx_solo"
    source = "Steffen Benndorf, Qwixx, 2012"
    outcomes = ("rows", "penalties")

    penalties_end = Param(4, 1, 4, "penalties that end the game")

    last = Ints(4, 0, LAST, "last place that is crossed out in each row", grows=True)
    crosses = Ints(4, 0, 12, "crosses in each row, that for the lock included", grows=True)
    penalties = Int(0, 4, "penalties", grows=True)
    dice = Ints(6, 0, 6, "two white dice and the four colours; 0: not yet rolled")
    white_done = Flag("the white dice have been used, or not")
    marked = Flag("the player has crossed out a number in this turn")

    points = Tally("points")
    turns = Tally("turns")
    locks = Tally("rows locked")

    def locked(self) -> set[int]:
        return {row for row, at in enumerate(self.last) if at == LAST}

    def next(self) -> int:
        if not any(self.dice) and (len(self.locked()) >= 2 or self.penalties >= self.penalties_end):
            return OVER
        if not any(self.dice):
            return throw(self.roll)
        return ask(self.colour if self.white_done else self.white, 0)

    @thrown(6, D6, FACES)
    def roll(self, *faces: int) -> None:
        self.turns += 1
        for i, face in enumerate(faces):
            self.dice[i] = face

    def possible(self, row: int, number: int) -> bool:
        at = place(row, number)
        return self.last[row] < at and (at < LAST or self.crosses[row] >= FOR_LAST)

    def white_rows(self) -> Iterator[int]:
        total = sum(list(self.dice)[:2])
        yield NONE
        yield from (row for row in range(4) if self.possible(row, total))

    def colour_moves(self) -> Iterator[tuple[int, int]]:
        yield NONE, 0
        *whites, red, yellow, green, blue = self.dice
        for row, die in enumerate((red, yellow, green, blue)):
            for total in sorted({white + die for white in whites}):
                if self.possible(row, total):
                    yield row, total

    def cross(self, row: int, number: int) -> None:
        self.marked = True
        self.last[row] = place(row, number)
        self.crosses[row] += 1
        if self.last[row] == LAST:
            self.crosses[row] += 1
            self.locks += 1

    @chosen(5, moves=white_rows)
    def white(self, row: int) -> None:
        if row != NONE:
            self.cross(row, sum(list(self.dice)[:2]))
        self.white_done = True

    @chosen(5, (0, 12), moves=colour_moves)
    def colour(self, row: int, number: int) -> None:
        if row != NONE:
            self.cross(row, number)
        if not self.marked:
            self.penalties += 1
            self.points -= PENALTY
        self.marked = self.white_done = False
        for i in range(6):
            self.dice[i] = 0

    def outcome(self) -> int:
        self.points += sum(POINTS[count] for count in self.crosses)
        return 0 if len(self.locked()) >= 2 else 1


@strategy(QwixxSolo, gap=Param(2, 1, 10, "skip fewer than this many numbers"))
def small_gaps(game: QwixxSolo, gap: int):
    """Cross out what skips the fewest numbers; more only to avoid a penalty."""

    def skipped(row: int, number: int) -> int:
        return place(row, number) - game.last[row] - 1

    if not game.white_done:
        total = sum(game.dice[:2])
        rows = [row for row in game.white_rows() if row != NONE]
        best = min(rows, key=lambda row: skipped(row, total), default=NONE)
        return best if best != NONE and skipped(best, total) < gap else NONE
    moves = [move for move in game.colour_moves() if move[0] != NONE]
    if not moves:
        return NONE, 0
    best = min(moves, key=lambda move: skipped(*move))
    return best if skipped(*best) < gap or not game.marked else (NONE, 0)
