"""Help Your Neighbor: everybody owns a number; who rolls another's number must give away a counter."""

from dicelab.rules import D6, FACES, OVER, Game, Int, Ints, Param, Tally, throw, thrown

OWNERS = {2: {0: [1, 2, 3], 1: [4, 5, 6]}, 3: {0: [1, 2], 1: [3, 4], 2: [5, 6]}, 6: {n: [n + 1] for n in range(6)}}


class HelpYourNeighbor(Game):
    """Who gets rid of all counters first wins: a counter is put down for each die with a number of one's own."""

    name = "help_your_neighbor"
    source = "Reiner Knizia, Dice Games Properly Explained"

    counters = Param(10, 1, 20, "counters at the start")
    seats = 3

    left = Ints(3, 0, counters, "counters of each", start=counters, by_seat=True)
    player = Int(0, 2, "who rolls")

    rolls = Tally("rolls")
    own = Tally("own numbers rolled")

    def next(self):
        return throw(self.dice) if all(self.left) else OVER

    @thrown(3, D6, FACES)
    def dice(self, *faces):
        self.rolls += 1
        owners = OWNERS[3]
        for face in faces:
            owner = next(seat for seat, numbers in owners.items() if face in numbers)
            if self.left[owner]:
                self.left[owner] -= 1
            self.own += owner == self.player
        if all(self.left):
            self.player = (self.player + 1) % 3

    def outcome(self):
        done = [seat for seat in range(3) if self.left[seat] == 0]
        return self.player if self.player in done else done[0]
