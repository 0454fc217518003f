"""Aces in the Pot: ones go into the pot, sixes to the left; who holds the last chip outside the pot wins."""

from dicelab.rules import D6, FACES, OVER, Game, Int, Ints, Param, Tally, left_of, throw, thrown


class Aces(Game):
    name = "aces"
    source = "family game"

    players = Param(4, 3, 8, "players")
    chips = Param(2, 1, 5, "chips of each at the start")
    seats = players

    held = Ints(players, 0, players * chips, "chips of each", start=chips, by_seat=True)
    player = Int(0, players - 1, "who rolls")
    pot = Int(0, players * chips, "chips in the pot")

    rolls = Tally("rolls")

    def next(self):
        if sum(self.held) == 1:
            return OVER
        dice = min(2, self.held[self.player])
        return throw(self.cup, dice)

    @thrown(2, D6, FACES)
    def cup(self, *faces):
        self.rolls += 1
        effects = {1: "pot", 6: "left"}
        for face in faces:
            if not face or sum(self.held) == 1:
                continue
            match effects.get(face, "keep"):
                case "pot":
                    self.held[self.player] -= 1
                    self.pot += 1
                case "left":
                    self.held[self.player] -= 1
                    self.held[left_of(self.player, self.players)] += 1
        if sum(self.held) > 1:
            order = [(self.player + step) % self.players for step in range(1, self.players + 1)]
            self.player = next(seat for seat in order if self.held[seat])

    def outcome(self):
        return self.held.index(1)
