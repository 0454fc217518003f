from dicelab.rules import *

GOALS = {"up": (1, 2, 3, 4, 5, 6), "down": (6, 5, 4, 3, 2, 1)}


class Everest(Game):
    """Two columns, one from 1 to 6, one from 6 to 1; four dice; which die goes into which column is chosen."""

    name = "everest"
    source = "Reiner Knizia, Dice Games Properly Explained"
    height = Param(6, 2, 6, "numbers in a column")
    up = Int(0, height, "numbers crossed out in the first column")
    down = Int(0, height, "numbers crossed out in the second column")
    dice = Ints(6, 0, 4, "dice that show each face")
    rolls = Tally("rolls", low=0)
    used = Tally("dice used")

    outcomes = ()

    def next(self):
        if self.up == self.height and self.down == self.height:
            return OVER
        if any(self.dice):
            return ask(self.use, 0)
        return throw(self.roll)

    @thrown(4, D6, COUNTS)
    def roll(self, *counts):
        self.rolls += 1
        self.dice[:] = counts

    def wanted(self):
        """The next face in each column, 0 where it is full."""
        return {
            name: faces[done] if done < self.height else 0
            for (name, faces), done in zip(GOALS.items(), (self.up, self.down))
        }

    def may_use(self, column):
        if column == 2:
            return True
        face = self.wanted()["up" if column == 0 else "down"]
        return face > 0 and self.dice[face - 1] > 0

    @chosen((0, 2), legal=may_use)
    def use(self, column):
        if column == 2:
            self.dice[:] = [0] * 6
            return
        face = self.wanted()[("up", "down")[column]]
        self.dice[face - 1] -= 1
        self.used += 1
        if column == 0:
            self.up += 1
        else:
            self.down += 1


@strategy(Everest)
def all_of_them(game):
    return next(column for column in (0, 1, 2) if game.may_use(column))
