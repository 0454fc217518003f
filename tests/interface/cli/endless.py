"""A game whose rules loop for ever where they are told to, once in a while."""

from __future__ import annotations

from dicelab.rules import D6, OVER, Game, Int, Param, Tally, throw, thrown


class Endless(Game):
    """Twenty throws; then a rule loops for ever, if the total is large."""

    name = "endless"
    source = "tests"
    outcomes = ("small", "large")

    where = Param(0, 0, 7, "which rule loops")
    total = Int(0, 10**8, "sum of the faces")
    left = Int(0, 20, "throws left", start=20)
    throws = Tally("throws")

    def next(self) -> int:
        if self.left > 0:
            return throw(self.die)
        if self.where == 1:
            while self.total > 80:
                pass
        return OVER

    @thrown(1, D6)
    def die(self, face: int) -> None:
        self.throws += 1
        if self.where != 7:
            self.left -= 1
        self.total += face
        if self.where == 2 and self.total > 80:
            while True:
                pass
        if self.where == 3 and self.total > 80:
            odd = 0
            for i in range(self.total * 10**12):
                odd = odd ^ (i % 7)
            self.total += odd % 2
        if self.where == 4 and self.total > 80:
            self.total += self.outer()

    def outer(self) -> int:
        count = 0
        while count < 10**9:
            count += self.inner(count)
        return count % 2

    def inner(self, count: int) -> int:
        while count > -1:
            count += 1 if count < 1000 else -5
        return 1

    def outcome(self) -> int:
        if self.where == 5:
            while self.total > 80:
                pass
        return int(self.total > 70)
