"""Players who bet one unit on a line, with odds whose amount is determined by a betting strategy."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from dicelab.textbook.casino.bets import Bet
from dicelab.textbook.casino.betting import (
    BettingStrategy,
    CancellationBetting,
    FibonacciBetting,
    MartingaleBetting,
    NoChangeBetting,
)
from dicelab.textbook.casino.one_three_two_six import Bet1326Betting, Player1326State
from dicelab.textbook.casino.outcomes import Outcome
from dicelab.textbook.casino.players import PASS_LINE, PASS_ODDS, CrapsTwoBetPlayer
from dicelab.textbook.casino.table import CrapsTable


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
    >>> from dicelab.textbook.casino import CrapsGame
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
        """The next bet on odds."""
        return self.oddsStrategy.createBet()


class CrapsMartingale(CrapsSimplePlayer):
    """Doubles the odds after each loss of them; see `MartingaleBetting`.

    Examples
    --------
    >>> from dicelab.textbook.casino import CrapsGame
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
    >>> from dicelab.textbook.casino import CrapsGame
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
    >>> from dicelab.textbook.casino import CrapsGame
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
    >>> from dicelab.textbook.casino import CrapsGame
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
