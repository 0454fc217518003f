"""Two variants of LCR (`dicelab.games.lcr`) that end in another way than with one player who has coins.

Sources: `lcr-dots`: Wikipedia, "LCR (game)", an early revision, and a later one under "game variation" for dollars or
quarters. `lcr-last-center`: "Left Center Right (LCR) code golf", Code Golf Stack Exchange, question 180121, whose rules
are "modified from Wikipedia to match how we played".

The sources do not say the following, which is decided here. Seat 0 begins, and play goes to the right. A player without
coins has a turn without a roll. In `lcr-dots` the dice pass on after every roll, also when one player has all coins:
they come back to that player if no other receives a coin. Several last coins may go into the center in one roll; after
a new ante the next player to the right begins.
"""

from __future__ import annotations

from dicelab.rules import (
    COUNTS,
    OVER,
    Die,
    Flag,
    Game,
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

DIE = Die(left=1, center=1, right=1, dot=3)


class DotsToWin(Game):
    """LCR for money: a player who has all coins must still roll only dots to win."""

    name = "lcr-dots"
    source = "Wikipedia, LCR (game): an early revision, and “game variation” in a later one"

    words = Words(
        hidden=("won",),
        names={"holds": "coins", "turn": "roll"},
        board=(Places("holds"), Numbers(("center",))),
        news={
            "turn": "{player} [passed {lefts} coins to the left, passed {rights} coins to the right, "
            "put {centers} in the center; kept all coins]",
            "antes": "All coins are in the center: everybody puts in {coins} again",
        },
        rulebook=Rulebook(
            goal="Have all coins, and then roll only dots.",
            setup="Everybody begins with {coins} coins.",
            turn="Roll as many dice as you have coins, {dice} at most; without coins you wait. For each left give a "
            "coin to the player on your left, for each right to the player on your right, and for each center put one "
            "in the center. When all coins are in the center, everybody puts in {coins} again.",
            end="Who has all coins must still roll only dots to win; the game goes on until somebody does.",
        ),
    )

    players = Param(4, 2, 50, "players at the table")
    coins = Param(3, 1, 100, "coins that each player puts in")
    dice = Param(3, 1, 10, "largest number of dice in a roll")

    seats = players

    holds = Ints(players, 0, players * coins, "coins of each seat", start=coins, by_seat=True)
    player = Seat(players, "whose turn it is", alike=True)
    won = Flag("the player had all the coins and threw dots only")

    turns = Tally("turns, including those of players without coins and the last one")
    throws = Tally("turns in which dice were rolled")
    antes = Tally("new antes: how often all players put in coins again")

    def next(self) -> int:
        if self.won:
            return OVER
        return throw(self.turn, min(self.holds[self.player], self.dice))

    @thrown(dice, DIE, COUNTS)
    def turn(self, lefts: int, centers: int, rights: int, dots: int) -> None:
        self.turns += 1
        self.throws += 1
        if self.holds[self.player] == sum(self.holds) and lefts + centers + rights == 0:
            self.won = True
            return
        self.holds[left_of(self.player, self.players)] += lefts
        self.holds[right_of(self.player, self.players)] += rights
        self.holds[self.player] -= lefts + centers + rights
        if sum(self.holds) == 0:
            self.ante()
        self.pass_dice()

    def ante(self) -> None:
        """All coins are in the center: every player puts in as many as at the start."""
        self.antes += 1
        for seat in range(self.players):
            self.holds[seat] = self.coins

    def pass_dice(self) -> None:
        """Pass to the next player who has coins; turns of players without coins count too."""
        self.player = right_of(self.player, self.players)
        while self.holds[self.player] == 0:
            self.turns += 1
            self.player = right_of(self.player, self.players)

    def center(self) -> int:
        return self.players * self.coins * (self.antes + 1) - sum(self.holds)

    def outcome(self) -> int:
        return self.player


class LastToCenter(Game):
    """LCR until all coins are in the center: the player who puts in the last one wins."""

    name = "lcr-last-center"
    source = "Code Golf Stack Exchange, question 180121: Left Center Right (LCR) code golf"

    words = Words(
        names={"holds": "coins", "turn": "roll"},
        board=(Places("holds"), Numbers(("center",))),
        news={
            "turn": "{player} [passed {lefts} coins to the left, passed {rights} coins to the right, "
            "put {centers} in the center; kept all coins]",
        },
        rulebook=Rulebook(
            goal="Put the last coin into the center.",
            setup="Everybody begins with {coins} coins.",
            turn="Roll as many dice as you have coins, {dice} at most; without coins you wait. For each left give a "
            "coin to the player on your left, for each right to the player on your right, and for each center put one "
            "in the center.",
            end="Who puts the last coin into the center has won.",
        ),
    )

    players = Param(4, 2, 50, "players at the table")
    coins = Param(3, 1, 100, "coins of each player at the start")
    dice = Param(3, 1, 10, "largest number of dice in a roll")

    seats = players

    holds = Ints(players, 0, players * coins, "coins of each seat", start=coins, by_seat=True)
    player = Seat(players, "whose turn it is", alike=True)

    turns = Tally("turns, including those of players without coins and the last one")
    throws = Tally("turns in which dice were rolled")

    def next(self) -> int:
        if sum(self.holds) == 0:
            return OVER
        return throw(self.turn, min(self.holds[self.player], self.dice))

    @thrown(dice, DIE, COUNTS)
    def turn(self, lefts: int, centers: int, rights: int, dots: int) -> None:
        self.turns += 1
        self.throws += 1
        self.holds[left_of(self.player, self.players)] += lefts
        self.holds[right_of(self.player, self.players)] += rights
        self.holds[self.player] -= lefts + centers + rights
        if sum(self.holds) > 0:
            self.pass_dice()

    def pass_dice(self) -> None:
        """Pass to the next player who has coins; turns of players without coins count too."""
        self.player = right_of(self.player, self.players)
        while self.holds[self.player] == 0:
            self.turns += 1
            self.player = right_of(self.player, self.players)

    def center(self) -> int:
        return self.players * self.coins - sum(self.holds)

    def outcome(self) -> int:
        return self.player
