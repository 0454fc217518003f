"""Snakes and ladders on Milton Bradley's board of Chutes and Ladders: a long game without choices, in which squares are
visited repeatedly.

How many moves does a player need? 39.2 on average; at least seven.

Source: S. C. Althoen, L. King and K. Schilling, "How Long Is a Game of Snakes and Ladders?", The Mathematical Gazette
77, 1993. Their mean, a fraction with a numerator of 60 digits, is quoted on futilitycloset.com, "For What It's Worth"
(2018). The chutes and ladders are quoted from memory; the mean, which agrees in every digit, confirms them.
"""

from __future__ import annotations

from dicelab.rules import D6, OVER, Game, Int, Numbers, Rulebook, Switch, Tally, Track, Words, throw, thrown

END = 100
LADDERS = ((1, 38), (4, 14), (9, 31), (21, 42), (28, 84), (36, 44), (51, 67), (71, 91), (80, 100))
CHUTES = ((16, 6), (47, 26), (49, 11), (56, 53), (62, 19), (64, 60), (87, 24), (93, 73), (95, 75), (98, 78))


class SnakesAndLadders(Game):
    """Snakes and ladders: one player from off the board to square 100."""

    name = "snakes-and-ladders"
    source = "Althoen, King and Schilling, The Mathematical Gazette 77, 1993"
    outcomes = ()

    words = Words(
        names={"spin": "roll", "slid": "chutes"},
        board=(Track("square", length="squares"), Numbers(("moves", "climbed", "slid"))),
        news={
            "climbed": "{player} climbed a ladder by {square} squares",
            "slid": "{player} slid down a chute",
        },
        endings={"": "Square 100 is reached after {moves} rolls"},
        rulebook=Rulebook(
            goal="Reach square 100.",
            turn="Roll a die and go on by its number. At the foot of a ladder climb up; on a chute slide down.",
            end="A roll that leads beyond square 100 moves nothing.",
            options={"exactly": "A roll that leads beyond square 100 ends the game as well."},
        ),
    )

    exactly = Switch(True, "a roll that goes beyond square 100 moves nothing; otherwise it ends the game")

    square = Int(0, END, "where the player stands; 0 off the board")

    moves = Tally("rolls of the die, including those that move nothing")
    climbed = Tally("ladders climbed")
    slid = Tally("chutes slid down")

    def next(self) -> int:
        return OVER if self.square == END else throw(self.spin)

    @thrown(1, D6)
    def spin(self, face: int) -> None:
        self.moves += 1
        if self.square + face <= END:
            self.land_on(self.square + face)
        elif not self.exactly:
            self.square = END

    def squares(self) -> int:
        """Squares of the board."""
        return END

    def land_on(self, square: int) -> None:
        self.square = square
        for foot, top in LADDERS:
            if square == foot:
                self.square = top
                self.climbed += 1
        for top, foot in CHUTES:
            if square == top:
                self.square = foot
                self.slid += 1
