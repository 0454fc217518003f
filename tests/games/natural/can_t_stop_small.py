"""Can't Stop on a small board: two columns win."""

from enum import IntEnum

from dicelab.rules import (
    D6,
    FACES,
    OVER,
    Flag,
    Game,
    Grid,
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

# how many steps lead to the top of each column
LENGTH = {2: 2, 3: 2, 4: 3, 5: 3, 6: 4, 7: 4, 8: 4, 9: 3, 10: 3, 11: 2, 12: 2}
RUNNERS = 3


class Go(IntEnum):
    ON = 0
    STOP = 1


def pairings(dice):
    """The ways to make two pairs of four dice, as sums."""
    a, b, c, d = dice
    return sorted({tuple(sorted(pair)) for pair in ((a + b, c + d), (a + c, b + d), (a + d, b + c))})


class CantStopSmall(Game):
    """Can't Stop: advance in the columns of two pairs, and stop before no pair fits."""

    name = "can_t_stop_small"
    source = "Sid Sackson, Can't Stop, 1980; columns shortened"

    players = Param(2, 2, 4, "players")
    needed = Param(2, 1, 3, "columns that win")

    seats = players

    board = Grid(players, 13, 0, 4, "how far each is in each column", by_seat=True, grows=True)
    runners = Ints(13, 0, 4, "where the runners are; 0: no runner in this column")
    dice = Ints(4, 0, 6, "the roll; 0 if none is to be paired")
    player = Seat(players, "whose turn it is", alike=True)
    moved = Flag("the player may stop")

    turns = Tally("turns")
    busts = Tally("turns that were lost")

    def next(self):
        if any(len(self.tops(seat)) >= self.needed for seat in range(self.players)):
            return OVER
        if any(self.dice):
            return ask(self.pair, self.player)
        if self.moved:
            return ask(self.on_or_stop, self.player)
        return throw(self.roll)

    def tops(self, seat):
        return [column for column, length in LENGTH.items() if self.board[seat][column] == length]

    def height(self, column):
        return self.runners[column] or self.board[self.player][column]

    def fits(self, *columns):
        """Whether runners can advance in all of these columns."""
        taken = {column for seat in range(self.players) for column in self.tops(seat)}
        placed = {column for column, height in enumerate(self.runners) if height}
        return (
            not taken & set(columns)
            and len(placed | set(columns)) <= RUNNERS
            and all(self.height(column) + columns.count(column) <= LENGTH[column] for column in columns)
        )

    def options(self):
        for first, second in pairings(self.dice):
            if self.fits(first, second):
                yield first, second
            else:
                for column in sorted({first, second}):
                    if self.fits(column):
                        yield column, 0

    @thrown(4, D6, FACES)
    def roll(self, *faces):
        for i, face in enumerate(faces):
            self.dice[i] = face
        if not list(self.options()):
            self.busts += 1
            self.end_turn()

    @chosen((2, 12), (0, 12), moves=options)
    def pair(self, first, second):
        for column in filter(None, (first, second)):
            self.runners[column] = self.height(column) + 1
        self.clear(self.dice)
        self.moved = True

    @chosen(Go)
    def on_or_stop(self, go):
        self.moved = False
        if go == Go.STOP:
            for column, height in enumerate(self.runners):
                if height:
                    self.board[self.player][column] = height
            if len(self.tops(self.player)) < self.needed:
                self.end_turn()

    def clear(self, row):
        for i, _ in enumerate(row):
            row[i] = 0

    def end_turn(self):
        self.turns += 1
        self.moved = False
        self.clear(self.dice)
        self.clear(self.runners)
        self.player = right_of(self.player, self.players)

    def outcome(self):
        return max(range(self.players), key=lambda seat: len(self.tops(seat)))


@strategy(CantStopSmall, steps=Param(4, 1, 12, "stop after this many steps"))
def stop_after(game, steps):
    """Prefer two steps and the middle; stop when a column is won or after some steps."""
    if any(game.dice):
        return max(game.options(), key=lambda move: (move[1] > 0, -sum(abs(7 - column) for column in move if column)))
    gained = {c: height - game.board[game.player][c] for c, height in enumerate(game.runners) if height}
    won = any(game.runners[column] == LENGTH[column] for column in gained)
    return Go.STOP if won or sum(gained.values()) >= steps else Go.ON
