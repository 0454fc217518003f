"""Martinetti (Centennial, Ohio): three dice, walk from 1 to 12 and back again."""

from itertools import combinations

from dicelab.rules import D6, FACES, OVER, Game, Int, Ints, Param, Seat, Tally, right_of, throw, thrown


def sums(dice: tuple[int, ...]) -> set[int]:
    """All numbers that one, two or all three dice make."""
    return {sum(part) for many in (1, 2, 3) for part in combinations(dice, many)}


class Martinetti(Game):
    """Martinetti: the next number may be shown by a die, or be the sum of some; roll on while you move."""

    name = "martinetti"
    source = "Skip Frey, How to Win at Dice Games, 1975"

    players = Param(3, 1, 8, "players")
    top = Param(12, 3, 12, "the number at which one turns back")

    seats = players

    steps = Ints(players, 0, 2 * top, "numbers that each has made", by_seat=True, grows=True)
    player = Seat(players, "who rolls")
    rolls = Tally("rolls")

    def next(self):
        return OVER if max(self.steps) >= self.last else throw(self.dice)

    @property
    def last(self):
        return 2 * self.top - 1

    def target(self, steps):
        path = [*range(1, self.top + 1), *range(self.top - 1, 0, -1)]
        return path[steps]

    @thrown(3, D6, FACES)
    def dice(self, *faces):
        self.rolls += 1
        made = sums(faces)
        moved = False
        while self.steps[self.player] < self.last and self.target(self.steps[self.player]) in made:
            self.steps[self.player] += 1
            moved = True
        if not moved:
            self.player = right_of(self.player, self.players)

    def outcome(self):
        return self.steps.index(max(self.steps))
