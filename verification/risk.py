"""Risk: attack one country from another until it is taken or no army is left to attack with. One player rolls,
then the other; the highest dice are compared.

Should one attack? With 5 armies against 5 the country is taken with probability 0.506, with 3 against 3 with 0.470.

Source: Jason A. Osborne, "Markov Chains for the RISK Board Game Revisited", Mathematics Magazine 76, 2003. As there,
the army that must stay behind is not counted. His table of battles, and the 2890, 2611 and 2275 of 7776 for three dice
against two, are quoted from memory; 76.9 % for 5 against 3, with the mean losses 2.18 and 2.54, are from
johannesbader.ch, "Probability of Winning Battles in Risk", computed after Osborne.
"""

from __future__ import annotations

from dicelab.rules import (
    D6,
    FACES,
    OVER,
    Flag,
    Game,
    Int,
    Numbers,
    Param,
    Rulebook,
    Switch,
    Tally,
    Words,
    throw,
    thrown,
)


class Risk(Game):
    """Risk: one battle for a country."""

    name = "risk"
    source = "J. A. Osborne, Mathematics Magazine 76, 2003"
    outcomes = ("taken", "held")

    words = Words(
        names={"best": "the attacker's best die", "second": "second best", "fights": "rolls by both"},
        hidden=("fought",),
        values={"best": {0: "not rolled yet"}, "second": {0: "none"}},
        board=(Numbers(("attacking", "defending")), Numbers(("best", "second"))),
        news={
            "attackers_lost": "The attacker lost {attackers_lost} armies",
            "defenders_lost": "The defender lost {defenders_lost} armies",
        },
        endings={
            "taken": "The country is taken with {attacking} armies left",
            "held": "The country is held with {defending} armies left",
        },
        rulebook=Rulebook(
            goal="Take the country.",
            setup="{attackers} armies attack {defenders}.",
            turn="The attacker rolls a die for each army, three at most, the defender likewise, two at most. The "
            "highest dice are compared, and then the second highest if both have one. The lower die loses an army; the "
            "defender wins ties.",
            end="The battle is over when one side has no army left.",
            options={"once": "Here the dice are rolled once only."},
        ),
    )

    attackers = Param(5, 1, 30, "armies that may attack, without the one that must stay behind")
    defenders = Param(5, 1, 30, "armies that defend")
    once = Switch(False, "only one roll of the dice")

    attacking = Int(0, attackers, "attacking armies left", start=attackers)
    defending = Int(0, defenders, "defending armies left", start=defenders)
    best = Int(0, 6, "the attacker's highest die; 0 before it is rolled")
    second = Int(0, 6, "the attacker's second highest die; 0 where there is none")
    fought = Flag("dice have been compared")

    fights = Tally("rolls by both")
    attackers_lost = Tally("attacking armies lost")
    defenders_lost = Tally("defending armies lost")

    def next(self) -> int:
        if self.attacking == 0 or self.defending == 0 or (self.once and self.fought):
            return OVER
        if self.best == 0:
            return throw(self.attack, min(self.attacking, 3))
        return throw(self.defend, min(self.defending, 2))

    @thrown(3, D6, FACES)
    def attack(self, *faces: int) -> None:
        for face in faces:
            if face > self.best:
                self.second = self.best
                self.best = face
            elif face > self.second:
                self.second = face

    @thrown(2, D6, FACES)
    def defend(self, one: int, other: int) -> None:
        """Compare the highest dice, then the second highest if both have rolled two."""
        self.fights += 1
        self.fought = True
        self.compare(self.best, max(one, other))
        if self.second > 0 and other > 0:
            self.compare(self.second, min(one, other))
        self.best = 0
        self.second = 0

    def compare(self, attack: int, defense: int) -> None:
        """One army of the lower die is lost; the defender wins ties."""
        if attack > defense:
            self.defending -= 1
            self.defenders_lost += 1
        else:
            self.attacking -= 1
            self.attackers_lost += 1

    def outcome(self) -> int:
        return 0 if self.defending == 0 else 1
