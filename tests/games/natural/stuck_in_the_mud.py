"""Stuck in the Mud: dice that show 2 or 5 are stuck."""

from dicelab.rules import D6, FACES, OVER, Game, Int, Ints, Param, Tally, throw, thrown

MUD = {2, 5}


class Stuck(Game):
    """Stuck in the Mud: dice with 2 or 5 get stuck, and a roll without them scores its sum."""

    name = "stuck_in_the_mud"
    source = "family game"

    players = Param(2, 1, 6, "players")
    rounds = Param(2, 1, 10, "rounds")
    dice_start = Param(5, 1, 6, "dice")
    seats = players

    free = Int(0, dice_start, "dice that aren't stuck", start=dice_start)
    player = Int(0, players - 1, "who rolls")
    done = Int(0, rounds, "rounds played")
    scores = Ints(players, 0, 10_000, "points of each", by_seat=True, grows=True)

    rolls = Tally("rolls")
    best = Tally("rolls that scored")

    def next(self):
        return OVER if self.done == self.rounds else throw(self.cup, self.free)

    @thrown(dice_start, D6, FACES)
    def cup(self, *faces):
        self.rolls += 1
        shown = [face for face in faces if face]
        stuck = [face for face in shown if face in MUD]
        if stuck:
            self.free -= len(stuck)
        else:
            self.scores[self.player] += sum(shown)
            self.best += 1
        if not self.free:
            self.free = self.dice_start
            self.player += 1
            if self.player == self.players:
                self.player = 0
                self.done += 1

    def outcome(self):
        ranking = sorted(range(self.players), key=lambda seat: self.scores[seat], reverse=True)
        return ranking[0]
