"""Betting strategies: each determines the amounts of successive bets on one outcome.

The systems are those of `dicelab.craps.betting_systems`. A bet that is returned does not change their state.
"""

from __future__ import annotations

from dicelab.craps.betting_systems import MARTINGALE, ends, next_units, strike
from dicelab.errors import ParameterError
from dicelab.rules.params import as_integer
from dicelab.textbook.casino.bets import Bet
from dicelab.textbook.casino.outcomes import Outcome


class BettingStrategy:
    """Bets on one outcome.

    Parameters
    ----------
    outcome
        The outcome to bet on.
    betAmount
        The money of one unit: a whole number, at least 1.

    Raises
    ------
    ParameterError
        When the unit is not such a number.

    Examples
    --------
    >>> class Alternating(BettingStrategy):
    ...     def reset(self):
    ...         self.next = 1
    ...
    ...     def units(self):
    ...         self.next = 3 - self.next
    ...         return self.next
    >>> changing = Alternating(Outcome("Pass Line", 1), betAmount=5)
    >>> [changing.createBet().price() for _ in range(3)]
    [10, 5, 10]
    """

    def __init__(self, outcome: Outcome, betAmount: int = 1) -> None:
        amount = as_integer(betAmount)
        if amount is None or amount < 1:
            raise ParameterError(f"betAmount: {betAmount!r} is not allowed; it is a whole number, at least 1")
        self.outcome = outcome
        self.betAmount = betAmount
        self.reset()

    def units(self) -> int:
        """The number of units of the next bet."""
        raise NotImplementedError  # subclasses define it, or override createBet

    def reset(self) -> None:
        """Return to the initial state."""

    def createBet(self) -> Bet:
        """The next bet."""
        return Bet(self.units() * self.betAmount, self.outcome)

    def win(self, bet: Bet) -> None:
        """The bet has won."""

    def lose(self, bet: Bet) -> None:
        """The bet has lost."""

    def __str__(self) -> str:
        return f"{type(self).__name__}: {self.createBet()}"


class NoChangeBetting(BettingStrategy):
    """The same amount always.

    Examples
    --------
    >>> flat = NoChangeBetting(Outcome("Pass Line", 1), betAmount=5)
    >>> flat.lose(flat.createBet())
    >>> print(flat)
    NoChangeBetting: 5 on Pass Line (1:1)
    """

    def units(self) -> int:
        """One."""
        return 1


class MartingaleBetting(BettingStrategy):
    """Doubles after each loss, and starts over after a win.

    Attributes
    ----------
    lossCount
        Losses since the last win.
    betMultiple
        Units of the next bet.

    Examples
    --------
    >>> doubling = MartingaleBetting(Outcome("Pass Odds", 1))
    >>> for _ in range(3):
    ...     doubling.lose(doubling.createBet())
    >>> doubling.lossCount, doubling.betMultiple
    (3, 8)
    """

    def reset(self) -> None:
        """No losses."""
        self.lossCount = 0
        self.betMultiple = 1

    def units(self) -> int:
        """1, 2, 4, 8, ..."""
        return self.betMultiple

    def win(self, bet: Bet) -> None:
        """Begin anew."""
        self.reset()

    def lose(self, bet: Bet) -> None:
        """Double."""
        self.lossCount += 1
        self.betMultiple, _ = next_units(MARTINGALE, False, self.betMultiple, 0)


class CancellationBetting(BettingStrategy):
    """Bets the sum of the ends of a line of numbers: a win strikes both, a loss adds their sum; Labouchère's system.

    Attributes
    ----------
    sequence
        The line; 1, 2, 3, 4, 5, 6 in the beginning, and again once nothing is left.

    Examples
    --------
    >>> line = CancellationBetting(Outcome("Pass Odds", 1))
    >>> line.lose(line.createBet())
    >>> line.sequence, line.units()
    ([1, 2, 3, 4, 5, 6, 7], 8)
    """

    def reset(self) -> None:
        """The line of the beginning."""
        self.resetSequence()

    def resetSequence(self) -> None:
        """The line of the beginning."""
        self.sequence = [1, 2, 3, 4, 5, 6]

    def units(self) -> int:
        """The first and the last number together; a single one counts once."""
        return ends(self.sequence, len(self.sequence))

    def win(self, bet: Bet) -> None:
        """Strike both ends."""
        self._strike(won=True)

    def lose(self, bet: Bet) -> None:
        """Add what was lost."""
        self._strike(won=False)

    def _strike(self, won: bool) -> None:
        if won and len(self.sequence) <= 2:
            self.resetSequence()
        else:
            line = [*self.sequence, 0]
            self.sequence = line[: strike(line, len(self.sequence), won)]


class FibonacciBetting(BettingStrategy):
    """Bets the next Fibonacci number after a loss, and starts over after a win.

    Attributes
    ----------
    recent, previous
        Units of the next bet, and of the one before.

    Examples
    --------
    >>> rising = FibonacciBetting(Outcome("Pass Odds", 1))
    >>> for _ in range(4):
    ...     rising.lose(rising.createBet())
    >>> rising.recent, rising.previous
    (5, 3)
    """

    def reset(self) -> None:
        """1, with 0 before it."""
        self.recent = 1
        self.previous = 0

    def units(self) -> int:
        """1, 1, 2, 3, 5, ..."""
        return self.recent

    def win(self, bet: Bet) -> None:
        """Begin anew."""
        self.reset()

    def lose(self, bet: Bet) -> None:
        """Advance to the next number."""
        self.recent, self.previous = self.recent + self.previous, self.recent
