"""One throw of each kind of pool, in every way in which the stream can draw it. Made for the tests.

The tallies weigh each value by its place, so that two engines which see different dice count different things.
"""

from __future__ import annotations

from dicelab.rules import COUNTS, D6, FACES, OVER, SUM, Die, Game, Int, Param, Tally, throw, thrown

UNEVEN = Die.of(2, 2, 4, 4, 4, -9)


class ManyDice(Game):
    """Throw a sum, counts and faces in turn."""

    name = "many-dice"
    source = "made for the tests"

    dice = Param(3, 1, 30, "dice in each throw")
    rounds = Param(5, 1, 1000, "throws of each kind")
    heavy = Param(10, 1, 200_000_000, "weight of the heavy face of the third die")

    done = Int(0, 3 * rounds, "throws made")

    sums = Tally("sums thrown")
    counted = Tally("counts, weighed by face")
    ordered = Tally("faces, weighed by place")
    largest = Tally("sum of the largest faces")

    def next(self) -> int:
        if self.done == 3 * self.rounds:
            return OVER
        kind = self.done % 3
        if kind == 0:
            return throw(self.as_sum, 1 + self.done % self.dice)
        if kind == 1:
            return throw(self.as_counts)
        return throw(self.as_faces, max(1, self.dice - self.done % 3))

    @thrown(dice, UNEVEN, SUM)
    def as_sum(self, total: int) -> None:
        self.done += 1
        self.sums += total

    @thrown(dice, Die(light=3, medium=7, heavy=heavy), COUNTS)
    def as_counts(self, light: int, medium: int, heavy: int) -> None:
        self.done += 1
        self.counted += light + 100 * medium + 10_000 * heavy

    @thrown(dice, D6, FACES)
    def as_faces(self, *faces: int) -> None:
        self.done += 1
        place = 1
        for face in faces:
            self.ordered += face * place
            place += 1
        self.largest += max(faces) + faces[0] + faces.count(6)
