"""Bets: money on an outcome."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar, Protocol

from dicelab.errors import ParameterError
from dicelab.rules.params import as_integer
from dicelab.textbook.casino.house import LOSE, PUSH, STAYS, Verdict, commission
from dicelab.textbook.casino.outcomes import Outcome

COMMISSIONED = ("Buy", "Lay")
"""Bets at true odds, for which the house takes a commission."""


class InvalidBet(ParameterError):
    """A bet that the table does not take; the message says why.

    Examples
    --------
    >>> Bet(0, Outcome("Pass Line", 1))
    Traceback (most recent call last):
    ...
    dicelab.textbook.casino.bets.InvalidBet: 0 is not an amount for a bet; it is a whole number, at least 1
    """


class Bettor(Protocol):
    """An owner of bets, notified when they are decided."""

    def win(self, bet: Bet) -> None:
        """The bet has won."""

    def lose(self, bet: Bet) -> None:
        """The bet has lost."""

    def push(self, bet: Bet) -> None:
        """The bet is returned."""


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
        """The amount returned if it wins: the stake and the win."""
        return self.amountBet + self.outcome.winAmount(self.amountBet)

    def loseAmount(self) -> int:
        """The amount lost if it loses: the stake."""
        return self.amountBet

    def price(self) -> int:
        """The price of making the bet: the stake."""
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
        money, but not below 1, as `dicelab.craps.commission` does for tables.

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
        """The price of making the bet: the stake and the commission."""
        return self.amountBet + commission(self.outcome.name, self.amountBet)


def owes(outcome: Outcome) -> bool:
    """Whether a commission is due on bets on this outcome.

    >>> owes(Outcome("Buy 4", 2)), owes(Outcome("Place 4", 9, 5))
    (True, False)
    """
    return outcome.name.startswith(COMMISSIONED)
