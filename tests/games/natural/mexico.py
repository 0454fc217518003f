"""Mexico (Mia without lying): the lowest of a round loses a life."""

from enum import IntEnum

from dicelab.rules import D6, FACES, OVER, Flag, Game, Int, Ints, Param, Tally, ask, chosen, strategy, throw, thrown

MEXICO = 21
ORDER = [31, 32, 41, 42, 43, 51, 52, 53, 54, 61, 62, 63, 64, 65, 11, 22, 33, 44, 55, 66, MEXICO]
RANK = {value: place for place, value in enumerate(ORDER)}


class Move(IntEnum):
    STAY = 0
    AGAIN = 1


class Mexico(Game):
    """Mexico: the first player says how often everybody may roll; the lowest loses a life, two after a Mexico."""

    name = "mexico"
    source = "Mexico, a drinking game"

    players = Param(3, 2, 6, "players")
    start_lives = Param(3, 1, 6, "lives of each")
    seats = players

    lives = Ints(players, 0, start_lives, "lives of each", start=start_lives, by_seat=True)
    leader = Int(0, players - 1, "who begins the round")
    player = Int(0, players - 1, "who rolls")
    values = Ints(players, 0, 66, "what each has; 0 before the roll", by_seat=True)
    limit = Int(0, 3, "rolls that everybody has; 0: the leader still rolls")
    used = Int(0, 3, "rolls of the player in this round")
    rolling = Flag("the player rolls again")
    mexicos = Int(0, 1, "1: somebody rolled a Mexico")

    rounds = Tally("rounds")
    mexico_count = Tally("Mexicos")

    def alive(self):
        return [seat for seat, left in enumerate(self.lives) if left > 0]

    def next(self):
        if len(self.alive()) == 1:
            return OVER
        if self.used == 0 or self.rolling:
            return throw(self.dice)
        return ask(self.decide, self.player)

    @thrown(2, D6, FACES)
    def dice(self, *faces):
        high, low = sorted(faces, reverse=True)
        value = 10 * high + low
        self.values[self.player] = value
        self.used += 1
        self.rolling = False
        if value == MEXICO:
            self.mexico_count += 1
            self.mexicos = 1
            self.finish()
        elif self.used == (self.limit or 3):
            self.finish()

    def may(self, move):
        return move == Move.STAY or self.used < (self.limit or 3)

    @chosen(Move, legal=may)
    def decide(self, move):
        if move == Move.STAY:
            self.finish()
        else:
            self.rolling = True

    def finish(self):
        if self.limit == 0:
            self.limit = self.used
        self.used = 0
        waiting = [seat for seat in self.alive() if not self.values[seat]]
        if waiting:
            order = sorted(waiting, key=lambda seat: (seat - self.player) % self.players)
            self.player = order[0]
            return
        worst = min(self.alive(), key=lambda seat: RANK[self.values[seat]])
        lost = 2 if self.mexicos else 1
        self.lives[worst] = max(0, self.lives[worst] - lost)
        self.rounds += 1
        self.mexicos = self.limit = 0
        for seat in range(self.players):
            self.values[seat] = 0
        if self.lives[worst] == 0:
            following = [(worst + step) % self.players for step in range(1, self.players)]
            worst = next(seat for seat in following if self.lives[seat])
        self.leader = self.player = worst

    def outcome(self):
        return self.alive()[0]


@strategy(Mexico, enough=Param(61, 31, 66, "stay with at least this"))
def stay_at(game, enough):
    """Stay with a value that is at least as good as `enough`."""
    mine = game.values[game.player]
    return Move.STAY if RANK[mine] >= RANK.get(enough, 0) or not game.may(Move.AGAIN) else Move.AGAIN
