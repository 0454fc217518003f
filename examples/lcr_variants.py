"""Two ways to end LCR other than by being the last one with coins, which is `dicelab.games.lcr`.

Sources: `lcr-dots`: Wikipedia, "LCR (game)", an early revision, and a later one under "game variation" for dollars or
quarters. `lcr-last-center`: "Left Center Right (LCR) code golf", Code Golf Stack Exchange, question 180121, whose rules
are "modified from Wikipedia to match how we played".

The sources are silent, and decided here, on these points. Seat 0 begins, and play goes to the right. A player without
coins has a turn in which nothing is thrown. In `lcr-dots` the dice pass on after every throw, that of an only owner
too: they come back to that player when nobody has received a coin. The last coins may go into the center together;
after a new ante the next player to the right begins.
"""

from __future__ import annotations

from dicelab.rules import COUNTS, OVER, Die, Flag, Game, Ints, Param, Seat, Tally, left_of, right_of, throw, thrown

DIE = Die(left=1, center=1, right=1, dot=3)


class DotsToWin(Game):
    """LCR for money: who has all the coins must still throw nothing but dots to win."""

    name = "lcr-dots"
    source = "Wikipedia, LCR (game): an early revision, and “game variation” in a later one"

    players = Param(4, 2, 50, "players at the table")
    coins = Param(3, 1, 100, "coins that each player puts in")
    dice = Param(3, 1, 10, "dice thrown at the most")

    seats = players

    holds = Ints(players, 0, players * coins, "coins of each seat", start=coins, by_seat=True)
    player = Seat(players, "whose turn it is", alike=True)
    won = Flag("the player had all the coins and threw dots only")

    turns = Tally("turns, those of players without coins and the last one included")
    throws = Tally("turns in which dice were thrown")
    antes = Tally("times that the pot doubled, everybody putting in coins again")

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
        """The very last coin lies in the center: everybody puts in as many as at the start."""
        self.antes += 1
        for seat in range(self.players):
            self.holds[seat] = self.coins

    def pass_dice(self) -> None:
        """On to the next player who has coins; the turns of those without count."""
        self.player = right_of(self.player, self.players)
        while self.holds[self.player] == 0:
            self.turns += 1
            self.player = right_of(self.player, self.players)

    def outcome(self) -> int:
        return self.player


class LastToCenter(Game):
    """LCR until all coins lie in the center: whoever puts in the last one wins."""

    name = "lcr-last-center"
    source = "Code Golf Stack Exchange, question 180121: Left Center Right (LCR) code golf"

    players = Param(4, 2, 50, "players at the table")
    coins = Param(3, 1, 100, "coins of each player at the start")
    dice = Param(3, 1, 10, "dice thrown at the most")

    seats = players

    holds = Ints(players, 0, players * coins, "coins of each seat", start=coins, by_seat=True)
    player = Seat(players, "whose turn it is", alike=True)

    turns = Tally("turns, those of players without coins and the last one included")
    throws = Tally("turns in which dice were thrown")

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
        """On to the next player who has coins; the turns of those without count."""
        self.player = right_of(self.player, self.players)
        while self.holds[self.player] == 0:
            self.turns += 1
            self.player = right_of(self.player, self.players)

    def outcome(self) -> int:
        return self.player
