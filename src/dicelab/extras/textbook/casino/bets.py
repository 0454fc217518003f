"""Bets: money on an outcome; and betting strategies, which determine the amounts of successive bets on one outcome.

The systems are those of `dicelab.extras.craps.betting_systems`. A bet that is returned does not change their state.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar, Protocol

from dicelab.errors import ParameterError
from dicelab.extras.craps.betting_systems import MARTINGALE, ends, next_units, strike
from dicelab.extras.textbook.casino.house import LOSE, PUSH, STAYS, Verdict, commission
from dicelab.extras.textbook.casino.outcomes import Outcome
from dicelab.rules.params import as_integer

COMMISSIONED = ("Buy", "Lay")
"""Bets at true odds, for which the house takes a commission."""


class InvalidBet(ParameterError):
    """A bet that the table does not take; the message says why.

    Examples
    --------
    >>> Bet(0, Outcome("Pass Line", 1))
    Traceback (most recent call last):
    ...
    dicelab.extras.textbook.casino.bets.InvalidBet: 0 is not an amount for a bet; it is a whole number, at least 1
    """


class Bettor(Protocol):
    """An owner of bets, notified when they are decided."""

    def win(self, bet: Bet) -> None:
        """Note that the bet has won."""

    def lose(self, bet: Bet) -> None:
        """Note that the bet has lost."""

    def push(self, bet: Bet) -> None:
        """Note that the bet is returned."""


@dataclass(eq=False)
class Bet:
    """Money on an outcome.

    Parameters
    ----------
    amountBet
        The amount: a whole number, at least 1.
    outcome
        The outcome; its name identifies the bet, and the house determines what a win pays.
    player
        The owner; if None, the player whose turn it is when the dice are rolled.

    Raises
    ------
    InvalidBet
        When the amount is not such a number.

    Examples
    --------
    >>> bet = Bet(12, Outcome("Place 6", 7, 6))
    >>> bet.winAmount(), bet.loseAmount(), bet.price(), str(bet)
    (Fraction(26, 1), 12, 12, '12 on Place 6 (7:6)')
    """

    amountBet: int
    outcome: Outcome
    player: Bettor | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        amount = as_integer(self.amountBet)
        if amount is None or amount < 1:
            raise InvalidBet(f"{self.amountBet!r} is not an amount for a bet; it is a whole number, at least 1")

    def winAmount(self) -> Fraction:
        """Return the amount returned if it wins: the stake and the win."""
        return self.amountBet + self.outcome.winAmount(self.amountBet)

    def loseAmount(self) -> int:
        """Return the amount lost if it loses: the stake."""
        return self.amountBet

    def price(self) -> int:
        """Return the price of making the bet: the stake."""
        return self.amountBet

    def setOutcome(self, outcome: Outcome) -> None:
        """Move the bet to another outcome, as a come bet to its number."""
        self.outcome = outcome

    def settle(self, verdict: Verdict) -> bool:
        """Notify the player of the result; return whether the bet is decided, and so comes down.

        A win is paid at the odds of the throw that won it.
        """
        if verdict.result == STAYS:
            return False
        if verdict.result not in (LOSE, PUSH):
            self.outcome = Outcome(self.outcome.name, verdict.odds)
        if self.player is not None:
            notify = {LOSE: self.player.lose, PUSH: self.player.push}.get(verdict.result, self.player.win)
            notify(self)
        return True

    def __str__(self) -> str:
        return f"{self.amountBet} on {self.outcome}"


class CommissionBet(Bet):
    """A buy or lay bet: it is paid true odds, and the house takes a commission when it is made.

    Attributes
    ----------
    vig
        The commission: of the stake of a buy bet, and of the possible win of a lay bet. `price` rounds it down to whole
        money, but not below 1, as `dicelab.extras.craps.bet` does for tables.

    Raises
    ------
    InvalidBet
        When it is on another outcome, or the amount is no whole number above 0.

    Examples
    --------
    >>> CommissionBet(20, Outcome("Buy 4", 2)).price(), CommissionBet(30, Outcome("Lay 5", 2, 3)).price()
    (21, 31)
    """

    vig: ClassVar = Fraction(1, 20)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not owes(self.outcome):
            raise InvalidBet(f"{self.outcome}: a commission is due on buy and lay bets only; make it a Bet")

    def price(self) -> int:
        """Return the price of making the bet: the stake and the commission."""
        return self.amountBet + commission(self.outcome.name, self.amountBet)


def owes(outcome: Outcome) -> bool:
    """Return whether a commission is due on bets on this outcome.

    >>> owes(Outcome("Buy 4", 2)), owes(Outcome("Place 4", 9, 5))
    (True, False)
    """
    return outcome.name.startswith(COMMISSIONED)


# Betting strategies ---------------------------------------------------------------------------------------------------


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
        """Return the number of units of the next bet."""
        raise NotImplementedError  # subclasses define it, or override createBet

    def reset(self) -> None:
        """Return to the initial state."""

    def createBet(self) -> Bet:
        """Return the next bet."""
        return Bet(self.units() * self.betAmount, self.outcome)

    def win(self, bet: Bet) -> None:
        """Note that the bet has won."""

    def lose(self, bet: Bet) -> None:
        """Note that the bet has lost."""

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
        """Go back to the line of the beginning."""
        self.resetSequence()

    def resetSequence(self) -> None:
        """Go back to the line of the beginning."""
        self.sequence = [1, 2, 3, 4, 5, 6]

    def units(self) -> int:
        """Return the first and the last number together; a single one counts once."""
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


# The betting strategy 1-3-2-6 as a state machine ----------------------------------------------------------------------


class Player1326State:
    """The state of the strategy 1-3-2-6: how many bets in a row have won.

    Parameters
    ----------
    outcome
        The outcome to bet on.
    betAmount
        The money of one unit.

    Attributes
    ----------
    units
        Units of the bet in this state.

    Examples
    --------
    >>> state = Player1326NoWins(Outcome("Pass Odds", 2))
    >>> for _ in range(5):
    ...     print(type(state).__name__, "|", state.currentBet())
    ...     state = state.nextWon()
    Player1326NoWins | 1 on Pass Odds (2:1)
    Player1326OneWin | 3 on Pass Odds (2:1)
    Player1326TwoWins | 2 on Pass Odds (2:1)
    Player1326ThreeWins | 6 on Pass Odds (2:1)
    Player1326NoWins | 1 on Pass Odds (2:1)
    """

    units: ClassVar[int]

    def __init__(self, outcome: Outcome, betAmount: int = 1) -> None:
        self.outcome = outcome
        self.betAmount = betAmount

    def currentBet(self) -> Bet:
        """Return the bet in this state."""
        return Bet(self.units * self.betAmount, self.outcome)

    def nextWon(self) -> Player1326State:
        """Return the state after a win."""
        raise NotImplementedError  # each state has its own

    def nextLost(self) -> Player1326State:
        """Return the state after a loss: the initial one."""
        return Player1326NoWins(self.outcome, self.betAmount)


class Player1326NoWins(Player1326State):
    """The initial state: one unit.

    Examples
    --------
    >>> state = Player1326NoWins(Outcome("Pass Odds", 2))
    >>> for _ in range(5):
    ...     print(state.currentBet(), "|", state.nextLost().currentBet())
    ...     state = state.nextWon()
    1 on Pass Odds (2:1) | 1 on Pass Odds (2:1)
    3 on Pass Odds (2:1) | 1 on Pass Odds (2:1)
    2 on Pass Odds (2:1) | 1 on Pass Odds (2:1)
    6 on Pass Odds (2:1) | 1 on Pass Odds (2:1)
    1 on Pass Odds (2:1) | 1 on Pass Odds (2:1)
    """

    units = 1

    def nextWon(self) -> Player1326State:
        """One win."""
        return Player1326OneWin(self.outcome, self.betAmount)


class Player1326OneWin(Player1326State):
    """After a win: three units.

    Examples
    --------
    >>> Player1326OneWin(Outcome("Pass Odds", 2)).units
    3
    """

    units = 3

    def nextWon(self) -> Player1326State:
        """Return two wins."""
        return Player1326TwoWins(self.outcome, self.betAmount)


class Player1326TwoWins(Player1326State):
    """After two wins: two units.

    Examples
    --------
    >>> Player1326TwoWins(Outcome("Pass Odds", 2)).units
    2
    """

    units = 2

    def nextWon(self) -> Player1326State:
        """Three wins."""
        return Player1326ThreeWins(self.outcome, self.betAmount)


class Player1326ThreeWins(Player1326State):
    """After three wins: six units.

    Examples
    --------
    >>> Player1326ThreeWins(Outcome("Pass Odds", 2)).units
    6
    """

    units = 6

    def nextWon(self) -> Player1326State:
        """Return the initial state: the fourth win ends the sequence."""
        return Player1326NoWins(self.outcome, self.betAmount)


class Bet1326Betting(BettingStrategy):
    """Bets 1, 3, 2 and 6 units as long as bets win; starts over after a loss or a fourth win.

    Attributes
    ----------
    state
        A `Player1326State`.

    Examples
    --------
    >>> rising = Bet1326Betting(Outcome("Pass Odds", 2), betAmount=5)
    >>> for _ in range(3):
    ...     rising.win(rising.createBet())
    >>> print(rising)
    Bet1326Betting: 30 on Pass Odds (2:1)
    """

    def reset(self) -> None:
        """No wins."""
        self.state: Player1326State = Player1326NoWins(self.outcome, self.betAmount)

    def createBet(self) -> Bet:
        """Return the bet of the state."""
        return self.state.currentBet()

    def win(self, bet: Bet) -> None:
        """Go to the next state."""
        self.state = self.state.nextWon()

    def lose(self, bet: Bet) -> None:
        """Return to the initial state."""
        self.state = self.state.nextLost()
