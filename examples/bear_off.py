"""Backgammon's bear-off: one player takes the checkers off the home board in as few rolls as possible."""

from __future__ import annotations

from collections.abc import Iterator

from dicelab.rules import (
    D6,
    FACES,
    OVER,
    Dice,
    Game,
    Int,
    Ints,
    Numbers,
    Param,
    Places,
    Rulebook,
    Tally,
    Words,
    ask,
    chosen,
    strategy,
    throw,
    thrown,
)


class BearOff(Game):
    """Bear off: move checkers on the six points at home, each die one checker, and doubles twice; all must go off."""

    name = "bear-off"
    source = "the rules of backgammon: https://www.bkgm.com/rules.html"
    outcomes = ("off", "late")

    words = Words(
        names={"board": "checkers", "dice": "to play", "off": "checkers off"},
        hidden=("made",),
        values={"board": [f"point {n}" for n in range(1, 7)]},
        moves={"play": "point {point} by {die}"},
        objective="fewest:rolls",
        board=(Places("board"), Numbers(("off", "rolls")), Dice("dice")),
        news={"play": "{player} moved a checker from point {point} by {die}"},
        endings={"off": "All checkers are off after {rolls} rolls", "late": "{rolls} rolls were not enough"},
        rulebook=Rulebook(
            goal="Take all checkers off the board in as few rolls as possible.",
            turn="Roll two dice. Each die moves one checker by its number towards point 1, and beyond it off the "
            "board; doubles are played twice over. A die that is larger than needed takes a checker off only from "
            "the highest point that has any.",
            end="The game is over when all checkers are off.",
            options={"within": "They must be off within {within} rolls."},
        ),
    )

    on_1 = Param(0, 0, 15, "checkers on the first point")
    on_2 = Param(0, 0, 15, "checkers on the second point")
    on_3 = Param(0, 0, 15, "checkers on the third point")
    on_4 = Param(0, 0, 15, "checkers on the fourth point")
    on_5 = Param(0, 0, 15, "checkers on the fifth point")
    on_6 = Param(2, 0, 15, "checkers on the sixth point")
    within = Param(0, 0, 20, "rolls within which they must be off, 0 for any number")

    board = Ints(6, 0, 15, "checkers on each point")
    dice = Ints(6, 0, 4, "dice still to be played, by number")
    made = Int(0, 20, "rolls made, if their number is limited")

    rolls = Tally("rolls")

    def start(self) -> None:
        self.board[0] = self.on_1
        self.board[1] = self.on_2
        self.board[2] = self.on_3
        self.board[3] = self.on_4
        self.board[4] = self.on_5
        self.board[5] = self.on_6

    def refuse(self) -> str:
        checkers = self.on_1 + self.on_2 + self.on_3 + self.on_4 + self.on_5 + self.on_6
        return "" if 1 <= checkers <= 15 else f"there are {checkers} checkers; put 1 to 15 on the board"

    def next(self) -> int:
        if sum(self.board) == 0:
            return OVER
        if sum(self.dice) > 0:
            return ask(self.play, 0)
        return OVER if 0 < self.within <= self.made else throw(self.roll)

    @thrown(2, D6, FACES)
    def roll(self, first: int, second: int) -> None:
        self.rolls += 1
        if self.within > 0:
            self.made += 1
        each = 2 if first == second else 1
        self.dice[first - 1] += each
        self.dice[second - 1] += each

    def possible(self) -> Iterator[tuple[int, int]]:
        """A die moves a checker by its number; a larger die takes off a checker from the last point that has any."""
        last = self.last()
        for point in range(1, 7):
            for die in range(1, 7):
                if self.dice[die - 1] > 0 and self.board[point - 1] > 0 and (die <= point or point == last):
                    yield point, die

    def last(self) -> int:
        """The highest point with checkers."""
        found = 0
        for point in range(1, 7):
            if self.board[point - 1] > 0:
                found = point
        return found

    @chosen((1, 6), (1, 6), moves=possible)
    def play(self, point: int, die: int) -> None:
        """Move a checker from a point by a die."""
        self.dice[die - 1] -= 1
        self.board[point - 1] -= 1
        if point > die:
            self.board[point - die - 1] += 1
        if sum(self.board) == 0:
            for number in range(6):
                self.dice[number] = 0

    def off(self) -> int:
        """Checkers that are off the board."""
        return self.on_1 + self.on_2 + self.on_3 + self.on_4 + self.on_5 + self.on_6 - sum(self.board)

    def outcome(self) -> int:
        return 0 if sum(self.board) == 0 else 1


@strategy(BearOff)
def off_first(game: BearOff) -> tuple[int, int]:
    """Take checkers off where possible; else move the last one by the largest die."""
    largest = 6
    for die in range(6, 0, -1):
        if game.dice[die - 1] > 0 and game.dice[largest - 1] == 0:
            largest = die
    for die in range(6, 0, -1):
        if game.dice[die - 1] > 0 and game.board[die - 1] > 0:
            return die, die
    return game.last(), largest
