"""Players: which bets they make, at most one on each outcome at a time.

A unit is the table's minimum, unless the player's strategies define it.
"""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from dicelab.errors import ParameterError
from dicelab.extras.textbook.casino.bets import (
    Bet,
    Bet1326Betting,
    BettingStrategy,
    CancellationBetting,
    FibonacciBetting,
    InvalidBet,
    MartingaleBetting,
    NoChangeBetting,
    Player1326State,
)
from dicelab.extras.textbook.casino.craps_table import CrapsTable
from dicelab.extras.textbook.casino.outcomes import Outcome, outcome_of

PASS_LINE = outcome_of("Pass Line")
PASS_ODDS = Outcome("Pass Odds", 1)
"""Its odds are a placeholder; they depend on the point."""
ANY_SEVEN = outcome_of("Number 7")
LONG = 6
"""Number of throws after which a game counts as long."""


class CrapsPlayer:
    """A player with money at a table; the base class of all players.

    Parameters
    ----------
    table
        The table on which bets are made.
    stake
        Money; the price of a bet is deducted when the bet is made.
    roundsToGo
        Number of throws before which bets are made. Later, bets on the table stay until they are decided.

    Attributes
    ----------
    table, stake, roundsToGo
        As above, as they are now.

    Examples
    --------
    >>> from dicelab.extras.textbook.casino import CrapsGame
    >>> class Once(CrapsPlayer):
    ...     def placeBets(self):
    ...         if not self.table.bets:
    ...             self.place(Bet(10, PASS_LINE))
    >>> game = CrapsGame()
    >>> player = Once(game.table, stake=50)
    >>> player.placeBets()
    >>> player.stake
    40
    >>> game.natural()
    >>> player.stake, player.playing()
    (60, True)
    """

    def __init__(self, table: CrapsTable, stake: int | Fraction = 100, roundsToGo: int = 250) -> None:
        self.table = table
        self.stake: int | Fraction = stake
        self.roundsToGo = roundsToGo

    def playing(self) -> bool:
        """Return whether there is a bet on the table, or enough money and time for another one."""
        return bool(self.table.bets) or (self.roundsToGo > 0 and self.stake >= self.table.minimum)

    def placeBets(self) -> None:
        """Make bets before a throw."""
        raise NotImplementedError  # the text declares it here; each kind of player defines it

    def place(self, bet: Bet) -> None:
        """Make a bet and pay its price.

        Raises
        ------
        InvalidBet
            When the table refuses it, or the player has too little money.
        """
        if bet.price() > self.stake:
            raise InvalidBet(f"{bet}: its price is {bet.price()}, and the player has {self.stake}")
        bet.player = self
        self.table.placeBet(bet)
        self.stake -= bet.price()

    def win(self, bet: Bet) -> None:
        """Handle a bet that has won: take the stake and the win."""
        money = self.stake + bet.winAmount()
        self.stake = int(money) if money.denominator == 1 else money

    def lose(self, bet: Bet) -> None:
        """Handle a bet that has lost; its price was deducted when it was made."""

    def push(self, bet: Bet) -> None:
        """Handle a bet that is returned: take the stake."""
        self.stake += bet.amountBet

    def reset(self, duration: int, stake: int | Fraction) -> None:
        """Begin another session with this number of throws and this money."""
        self.roundsToGo = duration
        self.stake = stake


class StrategyPlayer(CrapsPlayer):
    """A player who bets by betting strategies, at most one bet of each at a time.

    A bet that the table or the money does not allow is not made. The state of its strategy then stays the same, as it
    does when a bet is returned.

    Parameters
    ----------
    table, stake, roundsToGo
        As for `CrapsPlayer`.
    *strategies
        The strategies; a subclass offers their bets in `placeBets`.

    Examples
    --------
    >>> from dicelab.extras.textbook.casino import CrapsGame
    >>> game = CrapsGame()
    >>> doubling = MartingaleBetting(PASS_LINE)
    >>> player = StrategyPlayer(game.table, doubling)
    >>> player.offer(doubling)
    >>> game.craps()
    >>> player.offer(doubling)
    >>> print(game.table, "|", player.stake)
    2 on Pass Line (1:1) | 97
    """

    def __init__(
        self, table: CrapsTable, *strategies: BettingStrategy, stake: int | Fraction = 100, roundsToGo: int = 250
    ) -> None:
        super().__init__(table, stake, roundsToGo)
        self.working: dict[BettingStrategy, Bet | None] = dict.fromkeys(strategies)

    def offer(self, strategy: BettingStrategy) -> None:
        """Make the next bet of a strategy, if it has no bet on the table and the next one is allowed."""
        if self.working[strategy] not in self.table.bets and self.roundsToGo > 0:
            bet = strategy.createBet()
            if bet.price() <= self.stake and self.table.isValid(bet):
                self.place(bet)
                self.working[strategy] = bet

    def win(self, bet: Bet) -> None:
        """Take the stake and the win, and update the strategy."""
        super().win(bet)
        for strategy in self._made(bet):
            strategy.win(bet)

    def lose(self, bet: Bet) -> None:
        """Update the strategy."""
        super().lose(bet)
        for strategy in self._made(bet):
            strategy.lose(bet)

    def _made(self, bet: Bet) -> list[BettingStrategy]:
        """Return the strategy that made a bet, if one of them did."""
        return [strategy for strategy, made in self.working.items() if made is bet]

    def reset(self, duration: int, stake: int | Fraction) -> None:
        """Begin another session and reset all strategies."""
        super().reset(duration, stake)
        for strategy in self.working:
            strategy.reset()


class CrapsOneBetPlayer(StrategyPlayer):
    """Bets on a line; on the pass line only before come-out rolls, although later bets would be allowed.

    Parameters
    ----------
    table
        The table on which bets are made.
    lineStrategy
        Bets on the line.
    *others
        More strategies, for players who make more bets.
    stake, roundsToGo
        Money and time.

    Raises
    ------
    ParameterError
        When a unit is less than the table's minimum.

    Examples
    --------
    >>> from dicelab.extras.textbook.casino import CrapsGame
    >>> game = CrapsGame()
    >>> player = CrapsOneBetPlayer(game.table, MartingaleBetting(PASS_LINE, 5))
    >>> player.placeBets()
    >>> game.craps()
    >>> player.placeBets()
    >>> print(game.table)
    10 on Pass Line (1:1)
    """

    def __init__(
        self,
        table: CrapsTable,
        lineStrategy: BettingStrategy,
        *others: BettingStrategy,
        stake: int | Fraction = 100,
        roundsToGo: int = 250,
    ) -> None:
        super().__init__(table, lineStrategy, *others, stake=stake, roundsToGo=roundsToGo)
        if lineStrategy.betAmount < table.minimum:
            text = f"betAmount: {lineStrategy.betAmount} on {lineStrategy.outcome.name} is not allowed"
            raise ParameterError(f"{text}; the table's minimum is {table.minimum}")
        self.lineStrategy = lineStrategy

    def playing(self) -> bool:
        """Return whether there is a bet on the table, or enough money and time for the next bet on the line."""
        return super().playing() and (bool(self.table.bets) or self.lineStrategy.createBet().price() <= self.stake)

    def placeBets(self) -> None:
        """Bet on the line."""
        if self.table.point() is None or self.lineStrategy.outcome != PASS_LINE:
            self.offer(self.lineStrategy)


class CrapsTwoBetPlayer(CrapsOneBetPlayer):
    """Bets on a line, and odds once there is a point.

    Parameters
    ----------
    table
        Where bets are made.
    lineStrategy, oddsStrategy
        Bets on the line, and odds.
    *others, stake, roundsToGo
        As for `CrapsOneBetPlayer`.

    Examples
    --------
    >>> from dicelab.extras.textbook.casino import CrapsGame
    >>> game = CrapsGame()
    >>> player = CrapsTwoBetPlayer(game.table, NoChangeBetting(PASS_LINE, 5), NoChangeBetting(PASS_ODDS, 10))
    >>> player.placeBets()
    >>> game.point(6)
    >>> player.placeBets()
    >>> print(game.table, "|", player.stake)
    5 on Pass Line (1:1), 10 on Pass Odds (1:1) | 85
    """

    def __init__(
        self,
        table: CrapsTable,
        lineStrategy: BettingStrategy,
        oddsStrategy: BettingStrategy,
        *others: BettingStrategy,
        stake: int | Fraction = 100,
        roundsToGo: int = 250,
    ) -> None:
        super().__init__(table, lineStrategy, oddsStrategy, *others, stake=stake, roundsToGo=roundsToGo)
        self.oddsStrategy = oddsStrategy

    def placeBets(self) -> None:
        """Bet on the line, and behind it."""
        super().placeBets()
        self.offer(self.oddsStrategy)


class CrapsSevenCountPlayer(CrapsTwoBetPlayer):
    """Bets flat on the pass line, 1-3-2-6 on its odds, and in long games by a Martingale on 7.

    The bet on 7 is made before each throw from the seventh of a game on, the come-out being the first.

    Attributes
    ----------
    sevenStrategy
        Bets on 7.
    throwCount
        Throws of this game.

    Examples
    --------
    >>> from dicelab.extras.textbook.casino import CrapsGame
    >>> game = CrapsGame()
    >>> player = CrapsSevenCountPlayer(game.table)
    >>> for point in (4, 5, 6, 8, 9, 10, 10):
    ...     player.placeBets()
    ...     game.point(point)
    >>> player.throwCount, player.sevenStrategy.lossCount
    (7, 1)
    """

    def __init__(self, table: CrapsTable, *, stake: int | Fraction = 100, roundsToGo: int = 250) -> None:
        self.sevenStrategy = MartingaleBetting(ANY_SEVEN, table.minimum)
        self.throwCount = 0
        line, odds = NoChangeBetting(PASS_LINE, table.minimum), Bet1326Betting(PASS_ODDS, table.minimum)
        super().__init__(table, line, odds, self.sevenStrategy, stake=stake, roundsToGo=roundsToGo)

    def placeBets(self) -> None:
        """Bet on the line, behind it, and in a long game on 7."""
        super().placeBets()
        if self.table.point() is None:
            self.throwCount = 0
        if self.throwCount >= LONG:
            self.offer(self.sevenStrategy)
        self.throwCount += 1


class CrapsPlayerPass(CrapsOneBetPlayer):
    """Bets a unit on the pass line, always.

    Examples
    --------
    >>> from dicelab.extras.textbook.casino import CrapsGame
    >>> game = CrapsGame()
    >>> player = CrapsPlayerPass(game.table)
    >>> player.placeBets()
    >>> game.natural()
    >>> player.stake
    101
    """

    def __init__(self, table: CrapsTable, *, stake: int | Fraction = 100, roundsToGo: int = 250) -> None:
        super().__init__(table, NoChangeBetting(PASS_LINE, table.minimum), stake=stake, roundsToGo=roundsToGo)


# Odds players ---------------------------------------------------------------------------------------------------------
#
# Players who bet one unit on a line, with odds whose amount is determined by a betting strategy.


class CrapsSimplePlayer(CrapsTwoBetPlayer):
    """Bets a unit on a line, and odds by a betting strategy: flat, or as its children do.

    Parameters
    ----------
    table
        Where bets are made.
    line, odds
        The outcomes: pass line and its odds, or don't pass and what is laid against its number.
    stake, roundsToGo
        Money and time.

    Examples
    --------
    >>> from dicelab.extras.textbook.casino import CrapsGame
    >>> game = CrapsGame()
    >>> player = CrapsSimplePlayer(game.table)
    >>> player.placeBets()
    >>> game.point(4)
    >>> player.placeBets()
    >>> print(game.table)
    1 on Pass Line (1:1), 1 on Pass Odds (1:1)
    >>> game.point(4)
    >>> player.stake
    103
    """

    betting: ClassVar[type[BettingStrategy]] = NoChangeBetting

    def __init__(
        self,
        table: CrapsTable,
        line: Outcome = PASS_LINE,
        odds: Outcome = PASS_ODDS,
        *,
        stake: int | Fraction = 100,
        roundsToGo: int = 250,
    ) -> None:
        unit = table.minimum
        super().__init__(
            table, NoChangeBetting(line, unit), self.betting(odds, unit), stake=stake, roundsToGo=roundsToGo
        )
        self.lineOutcome = line
        self.oddsOutcome = odds

    def oddsBet(self) -> Bet:
        """Return the next bet on odds."""
        return self.oddsStrategy.createBet()


class CrapsMartingale(CrapsSimplePlayer):
    """Doubles the odds after each loss of them; see `MartingaleBetting`.

    Examples
    --------
    >>> from dicelab.extras.textbook.casino import CrapsGame
    >>> player = CrapsMartingale(CrapsGame().table)
    >>> player.oddsStrategy.lose(player.oddsBet())
    >>> player.lossCount, player.betMultiple, player.oddsBet().price()
    (1, 2, 2)
    """

    betting = MartingaleBetting
    oddsStrategy: MartingaleBetting

    @property
    def lossCount(self) -> int:
        """Number of odds bets lost since the last win."""
        return self.oddsStrategy.lossCount

    @property
    def betMultiple(self) -> int:
        """Units of the next odds bet."""
        return self.oddsStrategy.betMultiple


class Craps1326(CrapsSimplePlayer):
    """Takes odds of 1, 3, 2 and 6 units as long as they win; see `Bet1326Betting`.

    Examples
    --------
    >>> from dicelab.extras.textbook.casino import CrapsGame
    >>> player = Craps1326(CrapsGame().table)
    >>> player.oddsStrategy.win(player.oddsBet())
    >>> type(player.state).__name__, player.oddsBet().price()
    ('Player1326OneWin', 3)
    """

    betting = Bet1326Betting
    oddsStrategy: Bet1326Betting

    @property
    def state(self) -> Player1326State:
        """The current state of the strategy."""
        return self.oddsStrategy.state


class CrapsCancellation(CrapsSimplePlayer):
    """Takes the ends of a line of numbers as odds; see `CancellationBetting`.

    Examples
    --------
    >>> from dicelab.extras.textbook.casino import CrapsGame
    >>> player = CrapsCancellation(CrapsGame().table)
    >>> player.oddsStrategy.win(player.oddsBet())
    >>> player.sequence, player.oddsBet().price()
    ([2, 3, 4, 5], 7)
    """

    betting = CancellationBetting
    oddsStrategy: CancellationBetting

    @property
    def sequence(self) -> list[int]:
        """The line."""
        return self.oddsStrategy.sequence

    def resetSequence(self) -> None:
        """Reset the line of numbers."""
        self.oddsStrategy.resetSequence()


class CrapsFibonacci(CrapsSimplePlayer):
    """Takes the next Fibonacci number as odds after each loss of them; see `FibonacciBetting`.

    Examples
    --------
    >>> from dicelab.extras.textbook.casino import CrapsGame
    >>> player = CrapsFibonacci(CrapsGame().table)
    >>> for _ in range(3):
    ...     player.oddsStrategy.lose(player.oddsBet())
    >>> player.recent, player.previous
    (3, 2)
    """

    betting = FibonacciBetting
    oddsStrategy: FibonacciBetting

    @property
    def recent(self) -> int:
        """Units of the next odds."""
        return self.oddsStrategy.recent

    @property
    def previous(self) -> int:
        """Units of the previous odds bet."""
        return self.oddsStrategy.previous
