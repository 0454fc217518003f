"""Meyer (Mia): a roll in secret, an announcement that may be a lie, and a neighbour who believes it or lifts the cup."""

from enum import IntEnum

from dicelab.rules import D6, FACES, OVER, Flag, Game, Int, Ints, Param, Tally, ask, chosen, strategy, throw, thrown

RANKS = (32, 41, 42, 43, 51, 52, 53, 54, 61, 62, 63, 64, 65, 11, 22, 33, 44, 55, 66, 31, 21)
"""All rolls from the lowest to the highest: pairs beat mixed rolls, then come little Meyer and Meyer."""
MEYER = len(RANKS)


class Answer(IntEnum):
    BELIEVE = 0
    LIFT = 1


class Meyer(Game):
    """Meyer: whoever is caught lying, or doubts the truth, loses a life; the last player with lives wins."""

    name = "meyer"
    source = "Meyer, as played in Denmark"

    players = Param(2, 2, 4, "players")
    lives = Param(1, 1, 6, "lives of each player")
    seats = players

    left = Ints(players, 0, lives, "lives left", start=lives, by_seat=True)
    turn = Int(0, players - 1, "who has the cup")
    cup = Ints(players, 0, MEYER, "the roll under one's cup, as its place in the order", by_seat=True, private=True)
    rolled = Flag("the cup is rolled")
    claim = Int(0, MEYER, "what was announced last; 0 nothing")
    claimant = Int(0, players - 1, "who announced it")
    answered = Flag("the announcement was believed")

    rounds = Tally("rounds")
    lies = Tally("lies that were found out")

    def next(self):
        if sum(left > 0 for left in self.left) == 1:
            return OVER
        if self.claim > 0 and not self.answered:
            return ask(self.answer, self.turn)
        return ask(self.announce, self.turn) if self.rolled else throw(self.roll)

    @thrown(2, D6, FACES)
    def roll(self, a, b):
        self.cup[self.turn] = 1 + RANKS.index(10 * max(a, b) + min(a, b))
        self.rolled = True

    def beats(self, rank):
        return rank > self.claim

    @chosen((1, MEYER), legal=beats)
    def announce(self, rank):
        self.claim, self.claimant = rank, self.turn
        self.answered = False
        self.turn = self.neighbour(self.turn)

    @chosen(Answer)
    def answer(self, answer):
        if answer == Answer.BELIEVE and self.claim < MEYER:
            self.answered, self.rolled = True, False
            return
        liar = self.cup[self.claimant] < self.claim
        self.lies += liar
        self.lose_life(self.claimant if liar else self.turn)

    def lose_life(self, loser):
        self.rounds += 1
        self.left[loser] -= 1
        self.turn = loser if self.left[loser] > 0 else self.neighbour(loser)
        self.claim = self.claimant = 0
        self.answered = self.rolled = False
        self.cup[:] = [0] * self.players

    def neighbour(self, seat):
        return next(
            s % self.players for s in range(seat + 1, seat + 1 + self.players) if self.left[s % self.players] > 0
        )

    def outcome(self):
        return next(seat for seat, left in enumerate(self.left) if left > 0)


@strategy(Meyer, trust=Param(14, 1, 21, "believe announcements up to this one"))
def cautious(game, trust):
    """Tell the truth where it is enough, lie by one otherwise; lift the cup if the announcement is high."""
    if game.claim > 0 and not game.answered:
        return Answer.BELIEVE if game.claim <= trust else Answer.LIFT
    return max(game.cup[game.turn], min(game.claim + 1, MEYER))
