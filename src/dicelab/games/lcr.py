"""LCR (left, center, right): pass your coins on as the dice say; the last one with coins wins.

Source: "LCR", computer laboratory 2 of CSCI 1913, University of Minnesota, after wikihow.com/Play-LCR. Seat 0 begins,
play goes to the right, and a player without coins has a turn without a roll. The center can never get all coins: before
a turn at least two players have coins, and only one of them can lose any.
"""

from __future__ import annotations

from dicelab.rules import (
    COUNTS,
    OVER,
    Die,
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
    left_of,
    right_of,
    throw,
    thrown,
)


class LCR(Game):
    """LCR: dice move coins left, right and to the center until one player has coins."""

    name = "lcr"
    source = "University of Minnesota, CSCI 1913, computer laboratory 2; rules from wikihow.com/Play-LCR"

    words = Words(
        names={"holds": "coins", "turn": "roll", "throws": "rolls"},
        hidden=("owners",),
        board=(Places("holds"), Numbers(("center",))),
        news={
            "turn": "{player} [passed {lefts} coins to the left, passed {rights} coins to the right, "
            "put {centers} in the center; kept all coins]"
        },
        rulebook=Rulebook(
            goal="Be the last player who has coins.",
            setup="Everybody begins with {coins} coins. The center of the table is empty.",
            turn="Roll as many dice as you have coins, {dice} at most; without coins you wait. For each left give a "
            "coin to the player on your left, for each right to the player on your right, and for each center put "
            "one in the center. For each dot you keep a coin.",
            end="The game is over when only one player has coins, who wins.",
        ),
    )

    players = Param(4, 2, 50, "players at the table")
    coins = Param(3, 1, 100, "coins of each player at the start")
    dice = Param(3, 1, 10, "largest number of dice in a roll")

    seats = players

    holds = Ints(players, 0, players * coins, "coins of each seat", start=coins, by_seat=True)
    owners = Int(1, players, "seats that have coins", start=players)
    player = Seat(players, "whose turn it is", alike=True)

    turns = Tally("turns, including those of players without coins and the last one")
    throws = Tally("turns in which dice were rolled")

    def next(self) -> int:
        if self.owners == 1:
            return OVER
        return throw(self.turn, min(self.holds[self.player], self.dice))

    @thrown(dice, Die(left=1, center=1, right=1, dot=3), COUNTS)
    def turn(self, lefts: int, centers: int, rights: int, dots: int) -> None:
        self.turns += 1
        self.throws += 1
        self.receive(left_of(self.player, self.players), lefts)
        self.receive(right_of(self.player, self.players), rights)
        self.holds[self.player] -= lefts + centers + rights
        if self.holds[self.player] == 0:
            self.owners -= 1
        self.pass_dice()

    def receive(self, seat: int, coins: int) -> None:
        if self.holds[seat] == 0 and coins > 0:
            self.owners += 1
        self.holds[seat] += coins

    def pass_dice(self) -> None:
        """Pass to the next player who has coins; turns of players without coins count too, unless the game is over."""
        self.player = right_of(self.player, self.players)
        while self.owners > 1 and self.holds[self.player] == 0:
            self.turns += 1
            self.player = right_of(self.player, self.players)

    def center(self) -> int:
        return self.players * self.coins - sum(self.holds)

    def outcome(self) -> int:
        seat = 0
        while self.holds[seat] == 0:
            seat += 1
        return seat
