"""The end of a game of backgammon: both players bear off, with the doubling cube.

What is a position worth for money, with the cube in the middle and on either side? The manual of GNU Backgammon has
such a position (CgAAEAEAAAAAAA, on roll: checkers on points 5 and 2 against 3 and 2): the player on roll wins 67.1 %
without a cube, and expects +0.3441 with the own cube, +0.3210 with the cube in the middle, and +0.1605 with the
opponent's. Stakes grow with the cube, so that a limit of `most` doublings changes nothing once a game ends before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum

from dicelab.rules import (
    D6,
    FACES,
    OVER,
    Choice,
    Dice,
    Flag,
    Game,
    Grid,
    Int,
    Ints,
    Numbers,
    Param,
    Places,
    Rulebook,
    Seat,
    Tally,
    Words,
    ask,
    chosen,
    right_of,
    strategy,
    throw,
    thrown,
)

CUBES = ("middle", "first", "second", "none")
MIDDLE, NONE = 0, 3


class Before(IntEnum):
    """What a player may do before the roll."""

    ROLL = 0
    DOUBLE = 1


class Answer(IntEnum):
    """What the other does after a double."""

    DROP = 0
    TAKE = 1


class BearOffCube(Game):
    """Two players bear off; before a roll, whoever has the cube or finds it in the middle may double the stakes."""

    name = "bear-off-cube"
    source = "manual of GNU Backgammon, Introduction to bearoff databases"

    words = Words(
        players=("first player", "second player"),
        names={"board": "checkers", "dice": "to play", "before": "double", "play": "move", "owner": "cube"},
        hidden=("decided", "offered", "dropped", "player", "doublings"),
        values={
            "board": [f"{player} {point}" for player in ("first", "second") for point in range(1, 7)],
            "owner": ("in the middle", "with the first player", "with the second player", "put away"),
        },
        moves={"play": "point {point} by {die}"},
        board=(Places("board"), Numbers(("stakes", "owner")), Dice("dice")),
        news={
            "before 0": "{player} rolls",
            "before 1": "{player} doubles",
            "answer 0": "{player} declines and loses {stakes}",
            "answer 1": "{player} accepts: they play for {stakes}",
            "play": "{player} moved a checker from point {point} by {die}",
        },
        endings={"first": "The first player wins {stakes}", "second": "The second player wins {stakes}"},
        rulebook=Rulebook(
            goal="Take all your checkers off before the other does.",
            turn="Before your roll you may double the stakes if the cube is in the middle or yours. The other accepts, "
            "and then has the cube, or declines and loses the stakes as they were. Roll two dice. Each die moves one "
            "checker by its number towards point 1, and beyond it off the board; doubles are played twice over. A die "
            "that is larger than needed takes a checker off only from your highest point that has any.",
            end="The game is over when a player has no checkers left or declines a double.",
        ),
    )

    first_1 = Param(0, 0, 5, "checkers of the first player on point 1")
    first_2 = Param(1, 0, 5, "on point 2")
    first_3 = Param(0, 0, 5, "on point 3")
    first_4 = Param(0, 0, 5, "on point 4")
    first_5 = Param(1, 0, 5, "on point 5")
    first_6 = Param(0, 0, 5, "on point 6")
    second_1 = Param(0, 0, 5, "checkers of the second player on point 1")
    second_2 = Param(1, 0, 5, "on point 2")
    second_3 = Param(1, 0, 5, "on point 3")
    second_4 = Param(0, 0, 5, "on point 4")
    second_5 = Param(0, 0, 5, "on point 5")
    second_6 = Param(0, 0, 5, "on point 6")
    cube = Choice(CUBES, "where the cube is", default="middle")
    most = Param(6, 1, 12, "doublings, at most")

    seats = 2
    won = Tally("stakes won by the first player", low=-4096, high=4096)
    lost = Tally("stakes lost by the first player", low=-4096, high=4096)
    outcomes = ("first", "second")
    payoffs = (won, lost)

    board = Grid(2, 6, 0, 15, "checkers of each player on each point", by_seat=True)
    dice = Ints(6, 0, 4, "dice still to be played, by number")
    player = Seat(2, "whose turn it is")
    owner = Int(0, 3, "who may double: 0 both, 1 the first, 2 the second, 3 nobody")
    doublings = Int(0, most, "doublings", grows=True)
    decided = Flag("the player has decided whether to double")
    offered = Flag("a double was offered")
    dropped = Flag("a double was declined")

    def start(self) -> None:
        for i, checkers in enumerate(
            (self.first_1, self.first_2, self.first_3, self.first_4, self.first_5, self.first_6)
        ):
            self.board[0][i] = checkers
        for i, checkers in enumerate(
            (self.second_1, self.second_2, self.second_3, self.second_4, self.second_5, self.second_6)
        ):
            self.board[1][i] = checkers
        self.owner = self.cube

    def refuse(self) -> str:
        first = self.first_1 + self.first_2 + self.first_3 + self.first_4 + self.first_5 + self.first_6
        second = self.second_1 + self.second_2 + self.second_3 + self.second_4 + self.second_5 + self.second_6
        fits = 1 <= first <= 15 and 1 <= second <= 15
        return "" if fits else f"there are {first} and {second} checkers; put 1 to 15 of each player on the board"

    def next(self) -> int:
        if self.dropped or not any(self.board[0]) or not any(self.board[1]):
            return OVER
        if self.offered:
            return ask(self.answer, right_of(self.player, 2))
        if any(self.dice):
            return ask(self.play, self.player)
        may = self.owner == MIDDLE or self.owner == self.player + 1
        if may and not self.decided and self.doublings < self.most:
            return ask(self.before, self.player)
        return throw(self.roll)

    @chosen(Before)
    def before(self, move: int) -> None:
        self.decided = move == Before.ROLL
        self.offered = move == Before.DOUBLE

    @chosen(Answer)
    def answer(self, move: int) -> None:
        self.offered = False
        if move == Answer.DROP:
            self.dropped = True
            self.pay(self.player)
        else:
            self.doublings += 1
            self.owner = 2 - self.player
            self.decided = True

    @thrown(2, D6, FACES)
    def roll(self, one: int, other: int) -> None:
        self.decided = False
        each = 2 if one == other else 1
        self.dice[one - 1] += each
        self.dice[other - 1] += each

    def possible(self) -> Iterator[tuple[int, int]]:
        """A die moves a checker by its number; a larger die takes off a checker from the last point that has any."""
        own = self.board[self.player]
        last = max(point for point in range(1, 7) if own[point - 1] > 0)
        for point in range(1, 7):
            for die in range(1, 7):
                if own[point - 1] > 0 and self.dice[die - 1] > 0 and (die <= point or point == last):
                    yield point, die

    @chosen((1, 6), (1, 6), moves=possible)
    def play(self, point: int, die: int) -> None:
        """Move a checker from a point by a die."""
        self.dice[die - 1] -= 1
        self.board[self.player][point - 1] -= 1
        if point > die:
            self.board[self.player][point - die - 1] += 1
        if not any(self.board[self.player]):
            self.pay(self.player)
        elif not any(self.dice):
            self.player = right_of(self.player, 2)

    def pay(self, winner: int) -> None:
        self.won += self.stakes() if winner == 0 else -self.stakes()
        self.lost += self.stakes() if winner == 1 else -self.stakes()

    def stakes(self) -> int:
        """What is played for."""
        return 1 << self.doublings

    def outcome(self) -> int:
        return self.player


@strategy(BearOffCube)
def careful(game: BearOffCube) -> int | tuple[int, int]:
    """Never double, always take; play the highest checker by the largest die."""
    if game.offered:
        return Answer.TAKE
    if not any(game.dice):
        return Before.ROLL
    own = game.board[game.player]
    point = max(point for point in range(1, 7) if own[point - 1] > 0)
    return point, max(die for die in range(1, 7) if game.dice[die - 1] > 0)
