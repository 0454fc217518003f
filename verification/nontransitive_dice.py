"""Nontransitive dice: each die beats the next one, and the last beats the first. Dice with any faces from one table.

Which die should one choose after the opponent has chosen? Each of Bradley Efron's dice beats the next two times out of
three; each of Michael Winkelmann's three beats the next 17 times out of 36 and loses 16 times. James Grime's five beat
each other in two cycles; with two dice each, the cycle in the order of the lengths of their names is reversed.

Sources: Efron: "Finding Efron's Dice" and Cleve Moler, "Brad Efron's Nontransitive Dice" (blogs.mathworks.com, 2017).
Grime: Lincoln Atkinson, "Non-transitive Grime Dice, via Mathematica" (latkin.org, 2015), with all faces and both
circles. Miwin's faces and the 17/36 are quoted from memory.
"""

from __future__ import annotations

from dicelab.rules import D6, FACES, OVER, Game, Int, Numbers, Param, Rulebook, Tally, Words, throw, thrown

DICE = (
    (4, 4, 4, 4, 0, 0),  # 0 to 3, Efron: A beats B beats C beats D beats A
    (3, 3, 3, 3, 3, 3),
    (6, 6, 2, 2, 2, 2),
    (5, 5, 5, 1, 1, 1),
    (1, 2, 5, 6, 7, 9),  # 4 to 6, Miwin: III beats IV beats V beats III
    (1, 3, 4, 5, 8, 9),
    (2, 3, 4, 6, 7, 8),
    (4, 4, 4, 4, 4, 9),  # 7 to 11, Grime: red beats blue beats olive beats yellow beats magenta beats red
    (2, 2, 2, 7, 7, 7),
    (0, 5, 5, 5, 5, 5),
    (3, 3, 3, 3, 8, 8),
    (1, 1, 6, 6, 6, 6),
)
WHICH = "0-3 Efron's A-D, 4-6 Miwin's III-V, 7-11 Grime's red, blue, olive, yellow, magenta"


class NontransitiveDice(Game):
    """Nontransitive dice: the higher roll wins."""

    name = "nontransitive-dice"
    source = "B. Efron; M. Winkelmann (Miwin); J. Grime"
    outcomes = ("first", "second", "tie")

    words = Words(
        names={"both": "roll", "first_die": "first die", "second_die": "second die"},
        hidden=("result",),
        values={"both": {n: f"side {n}" for n in range(1, 7)}},
        board=(Numbers(("first_die", "second_die")),),
        endings={
            "first": "The first die is ahead by {ahead}",
            "second": "The second die is ahead",
            "tie": "Both dice show the same",
        },
        rulebook=Rulebook(
            goal="Roll more than the other.",
            turn="Each player rolls a die of their own; the dice have different numbers on their sides.",
            end="The higher number wins.",
            options={"each": "Each rolls {each} dice of the same kind, and their sum counts."},
        ),
    )

    first = Param(0, 0, 11, f"die of the first player: {WHICH}")
    second = Param(1, 0, 11, "die of the second player, by the same numbers")
    each = Param(1, 1, 2, "dice of their kind that each rolls")

    result = Int(-1, 2, "-1 before the roll, 0 the first player won, 1 the second, 2 neither", start=-1)

    ahead = Tally("points of the first player minus those of the second")

    def next(self) -> int:
        return OVER if self.result >= 0 else throw(self.both, 2 * self.each)

    @thrown(4, D6, FACES)
    def both(self, *sides: int) -> None:
        """The sides on which the dice fall: those of the first player, then as many of the second."""
        lead = sum(DICE[self.first][side - 1] for side in sides[: self.each])
        lead -= sum(DICE[self.second][side - 1] for side in sides[self.each : 2 * self.each])
        self.ahead += lead
        self.result = 0 if lead > 0 else 1 if lead < 0 else 2

    def first_die(self) -> str:
        return " ".join(map(str, DICE[self.first]))

    def second_die(self) -> str:
        return " ".join(map(str, DICE[self.second]))

    def outcome(self) -> int:
        return self.result
