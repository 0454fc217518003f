"""Drop Dead: dice that show 2 or 5 are dead."""

from dicelab.rules import D6, FACES, OVER, Game, Int, Ints, Param, Seat, Tally, right_of, throw, thrown

DEADLY = frozenset({2, 5})


class DropDead(Game):
    """Drop Dead: a roll without 2 and 5 scores; dice with 2 or 5 are put aside, until none is left."""

    name = "drop_dead"
    source = "Hoyle's rules of games; five dice"

    players = Param(3, 2, 8, "players")
    dice = Param(5, 1, 6, "dice at the beginning of a turn")
    most = Param(400, 50, 2000, "more points than that don't count")

    seats = players

    scores = Ints(players, 0, most, "points", by_seat=True, grows=True)
    left = Int(0, dice, "dice that are alive", start=dice)
    player = Seat(players, "whose turn it is")
    done = Int(0, players, "players who dropped dead", grows=True)

    rolls = Tally("rolls")
    points = Tally("points of the winner")
    ties = Tally("games with more than one best player")

    def next(self):
        return OVER if self.done == self.players else throw(self.cup, self.left)

    @thrown(dice, D6, FACES)
    def cup(self, *faces):
        self.rolls += 1
        rolled = [face for face in faces if face]
        dead = [face for face in rolled if face in DEADLY]
        if dead:
            self.left -= len(dead)
        else:
            self.scores[self.player] = min(self.scores[self.player] + sum(rolled), self.most)
        if not self.left:
            self.done += 1
            self.left = self.dice
            self.player = right_of(self.player, self.players)

    def outcome(self):
        best = max(self.scores)
        winners = [seat for seat, score in enumerate(self.scores) if score == best]
        self.points += best
        if len(winners) > 1:
            self.ties += 1
        return winners[0]
