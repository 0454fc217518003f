"""Risk with mixed dice: one battle to the end, in which the attacker rolls d6 and the defender d8.

Source: Hasbro, *Risk* rules of 1993, except for the defender's dice, which have eight sides. Both sides roll at once:
up to 3 dice for the attacker (one army must stay behind) and up to 2 for the defender; the highest are compared, then
the second highest; the defender wins ties.
"""

from __future__ import annotations

from dicelab.rules import D6, FACES, OVER, Game, Int, Param, Tally, d, mixed, throw


class RiskMixed(Game):
    """Risk in which the defender has dice with eight sides: attack until one side is beaten."""

    name = "risk-mixed"
    source = "Hasbro, Risk, 1993, with a d8 for the defender"
    outcomes = ("attacker", "defender")

    attackers = Param(5, 2, 100, "armies that attack, the one that stays behind included")
    defenders = Param(3, 1, 100, "armies that defend")

    attacking = Int(1, attackers, "attacking armies left", start=attackers)
    defending = Int(0, defenders, "defending armies left", start=defenders)

    throws = Tally("rolls of both sides together")

    def next(self) -> int:
        if self.defending == 0 or self.attacking == 1:
            return OVER
        return throw(self.battle, attack=min(3, self.attacking - 1), defend=min(2, self.defending))

    @mixed(FACES, attack=(3, D6), defend=(2, d(8)))
    def battle(self, a: int, b: int, c: int, one: int, two: int) -> None:
        self.throws += 1
        highest = max(a, b, c)
        lowest = min(a, b, c)
        self.compare(highest, max(one, two))
        second = a + b + c - highest - lowest
        if second > 0 and min(one, two) > 0:
            self.compare(second, min(one, two))

    def compare(self, attack: int, defense: int) -> None:
        if attack > defense:
            self.defending -= 1
        else:
            self.attacking -= 1

    def outcome(self) -> int:
        return 0 if self.defending == 0 else 1
