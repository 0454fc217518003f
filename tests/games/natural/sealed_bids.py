"""Sealed bids: both players write down a bid for each prize that is rolled; equal bids leave it on the table."""

from dicelab.rules import D6, OVER, Choice, Game, Int, Ints, Param, Switch, Tally, ask, chosen, strategy, throw, thrown


class SealedBids(Game):
    """Two players bid in secret for prizes; who is richer in the end wins, and equal fortunes are a draw."""

    name = "sealed_bids"
    source = "made up, after sealed-bid auctions"

    purse = Param(4, 1, 8, "money of each player")
    prizes = Param(2, 1, 3, "prizes")
    seats = 2
    outcomes = ("first player wins", "second player wins", "draw")
    payoffs = {"first player wins": (1, -1), "second player wins": (-1, 1), "draw": 0}

    bids = Ints(2, -1, 8, "what is written down; -1 nothing yet", start=-1, by_seat=True, private=True)
    money = Ints(2, 0, 8, "money left", start=purse, by_seat=True)
    won = Ints(2, 0, 18, "what the prizes won are worth", by_seat=True)
    prize = Int(0, 18, "what lies on the table")
    auctions = Int(0, prizes, "auctions so far")
    offered = Int(0, 1, "1: a prize has been rolled for this auction")
    written = Int(0, 2, "players who have written a bid")

    passed = Tally("auctions in which nobody won")

    def next(self):
        if self.offered == 0:
            return throw(self.roll) if self.auctions < self.prizes else OVER
        return ask(self.first_bid, 0) if self.written == 0 else ask(self.second_bid, 1)

    @thrown(1, D6)
    def roll(self, face):
        self.prize += face
        self.offered = 1

    @chosen((0, 8), legal=lambda self, amount: amount <= self.money[0])
    def first_bid(self, amount):
        self.bids[0] = amount
        self.written = 1

    @chosen((0, 8), legal=lambda self, amount: amount <= self.money[1])
    def second_bid(self, amount):
        self.bids[1] = amount
        self.open()

    def open(self):
        first, second = self.bids
        if first == second:
            self.passed += 1
        else:
            winner = 0 if first > second else 1
            self.money[winner] -= max(first, second)
            self.won[winner] += self.prize
            self.prize = 0
        self.bids[:] = [-1, -1]
        self.written = self.offered = 0
        self.auctions += 1

    def outcome(self):
        fortunes = [a + b for a, b in zip(self.money, self.won)]
        return 2 if fortunes[0] == fortunes[1] else fortunes.index(max(fortunes))


@strategy(SealedBids, share=Param(2, 1, 4, "bid the prize over this"))
def part(game, share):
    """Bid a part of what the prize is worth, as far as the money goes."""
    me = 0 if game.written == 0 else 1
    return min(game.money[me], game.prize // share)
