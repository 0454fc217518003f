"""Risk: one battle to the end. Different dice at different times, compared in order.

Source: Hasbro, *Risk* rules of 1993: the attacker throws up to 3 dice (one army must stay behind), the defender up to
2; the highest are compared, then the second highest; the defender wins ties.
"""

from __future__ import annotations

from dicelab.rules import D6, FACES, OVER, Game, Int, Ints, Param, Tally, throw, thrown


class RiskBattle(Game):
    """Risk: attack until the defender is beaten or one army is left."""

    name = "risk-battle"
    source = "Hasbro, Risk, 1993"
    outcomes = ("attacker", "defender")

    attackers = Param(5, 2, 100, "armies that attack, the one that stays behind included")
    defenders = Param(3, 1, 100, "armies that defend")

    attacking = Int(1, attackers, "attacking armies left", start=attackers)
    defending = Int(0, defenders, "defending armies left", start=defenders)
    shown = Ints(2, 0, 6, "the attacker's two highest dice; 0 before they are thrown")

    throws = Tally("throws by either side")

    def next(self) -> int:
        if self.defending == 0 or self.attacking == 1:
            return OVER
        if self.shown[0] == 0:
            return throw(self.attack, min(3, self.attacking - 1))
        return throw(self.defend, min(2, self.defending))

    @thrown(3, D6, FACES)
    def attack(self, *faces: int) -> None:
        self.throws += 1
        for face in faces:
            if face > self.shown[0]:
                self.shown[1] = self.shown[0]
                self.shown[0] = face
            elif face > self.shown[1]:
                self.shown[1] = face

    @thrown(2, D6, FACES)
    def defend(self, one: int, two: int) -> None:
        self.throws += 1
        self.compare(self.shown[0], max(one, two))
        if self.shown[1] > 0 and min(one, two) > 0:
            self.compare(self.shown[1], min(one, two))
        self.shown[0] = 0
        self.shown[1] = 0

    def compare(self, attack: int, defense: int) -> None:
        if attack > defense:
            self.defending -= 1
        else:
            self.attacking -= 1

    def outcome(self) -> int:
        return 0 if self.defending == 0 else 1
