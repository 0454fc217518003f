"""Sealed bids: a die says what a prize is worth, all write down a bid at once, and the highest one gets it."""

from __future__ import annotations

from dicelab.rules import (
    D6,
    OVER,
    Game,
    Int,
    Ints,
    Numbers,
    Param,
    Places,
    Rulebook,
    Seat,
    Tally,
    Words,
    ask,
    chosen,
    strategy,
    throw,
    thrown,
)

MOST_POINTS = 36


class SealedBids(Game):
    """Sealed bids: all bid at once for the points of a die; all pay, and the highest bid gets them."""

    name = "sealed-bids"
    source = "made for dicelab, after sealed-bid auctions in which all pay, and Goofspiel"

    words = Words(
        names={"prize": "prize", "bid": "bid", "points": "points", "money": "money", "left": "prizes to come"},
        hidden=("bidder", "rolled"),
        scores=("points",),
        board=(Places("points"), Places("money"), Numbers(("prize", "left"))),
        values={"prize": {0: "none"}},
        moves={"bid": "{amounts}"},
        news={"unsold": "Nobody got the prize"},
        rulebook=Rulebook(
            goal="Have the most points in the end.",
            setup="Everybody has {purse} coins.",
            turn="A die says what the prize is worth. Everybody writes down a bid, up to the coins left, and all bids "
            "are shown and paid. The highest one takes the prize; if it is tied, the prize stays on the table and is "
            "added to the next one.",
            end="After {prizes} dice the game is over. If several players have the most points, it is a draw.",
        ),
    )

    players = Param(2, 2, 4, "players")
    purse = Param(3, 1, 9, "coins of each player")
    prizes = Param(3, 1, 6, "prizes")

    seats = players
    outcomes = (players, "draw")
    payoffs = {players: (players - 1, -1), "draw": 0}

    money = Ints(players, 0, purse, "coins left", start=purse, by_seat=True)
    points = Ints(players, 0, MOST_POINTS, "points", by_seat=True, grows=True)
    bidder = Seat(players, "whose turn it is to write down a bid")
    prize = Int(0, MOST_POINTS, "what the prize is worth; 0 before the roll")
    rolled = Int(0, 1, "1: bids are due")
    left = Int(0, prizes, "prizes to come", start=prizes)

    unsold = Tally("prizes that nobody got")

    def next(self) -> int:
        if self.rolled == 0:
            return throw(self.die) if self.left > 0 else OVER
        return ask(self.bid, range(self.players))

    @thrown(1, D6)
    def die(self, value: int) -> None:
        self.prize += value
        self.left -= 1
        self.rolled = 1

    def has(self, amount: int) -> bool:
        return amount <= self.money[self.bidder]

    @chosen((0, purse), legal=has, together=bidder)
    def bid(self, amounts: list[int]) -> None:
        """Write down how many coins the prize is worth to you."""
        self.rolled = 0
        for seat in range(self.players):
            self.money[seat] -= amounts[seat]
        best = max(amounts)
        if amounts.count(best) > 1:
            self.unsold += 1
            return
        winner = amounts.index(best)
        self.points[winner] += self.prize
        self.prize = 0

    def outcome(self) -> int:
        best = max(self.points)
        return self.players if self.points.count(best) > 1 else self.points.index(best)


@strategy(SealedBids, more=Param(0, 0, 5, "added to an even share of the coins"))
def even(game: SealedBids, more: int) -> int:
    """Bid an even share of the coins for each prize, and some more."""
    mine = game.money[game.bidder]
    return min(mine, mine // (game.left + 1) + more)


@strategy(SealedBids, over=Param(3, 0, 36, "worth from which everything is bid"))
def all_in(game: SealedBids, over: int) -> int:
    """Bid all coins for a prize above some worth, nothing for others."""
    return game.money[game.bidder] if game.prize > over else 0
