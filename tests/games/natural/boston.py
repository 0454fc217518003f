"""Going to Boston: three rolls, the best die is kept each time."""

from dicelab.rules import D6, FACES, OVER, Game, Int, Ints, Param, Tally, throw, thrown


class Boston(Game):
    """Going to Boston: roll three dice and keep the best, roll two and keep the best, roll the last."""

    name = "boston"
    source = "Hoyle"

    players = Param(3, 2, 6, "players")
    rounds = Param(3, 1, 20, "rounds")
    seats = players

    player = Int(0, players - 1, "who rolls")
    dice_left = Int(1, 3, "dice to roll", start=3)
    kept = Int(0, 12, "dice kept so far")
    totals = Ints(players, 0, 18, "totals of this round", by_seat=True)
    wins = Ints(players, 0, rounds, "rounds won", by_seat=True)
    played = Int(0, rounds, "rounds played")

    tied = Tally("rounds that nobody won")

    def next(self):
        return OVER if self.played == self.rounds else throw(self.cup, self.dice_left)

    @thrown(3, D6, FACES)
    def cup(self, *faces):
        *_, highest = sorted(faces)
        if self.dice_left > 1:
            self.kept += highest
            self.dice_left -= 1
            return
        self.totals[self.player] = self.kept + highest
        self.kept, self.dice_left = 0, 3
        self.player = (self.player + 1) % self.players
        if self.player == 0:
            self.end_round()

    def end_round(self):
        best = max(self.totals)
        match [seat for seat, total in enumerate(self.totals) if total == best]:
            case [winner]:
                self.wins[winner] += 1
            case _:
                self.tied += 1
        self.played += 1
        self.totals[:] = [0] * self.players

    def outcome(self):
        return max(range(self.players), key=lambda seat: (self.wins[seat], -seat))
