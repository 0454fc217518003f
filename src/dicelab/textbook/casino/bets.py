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
"""Bets at true odds, of which the house takes a commission."""


class InvalidBet(ParameterError):
    """A bet that the table does not take; the message says why."""


class Bettor(Protocol):
    """Who is told what became of a bet."""

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
        How much: a whole number, at least 1.
    outcome
        What it is on; its name says which bet it is, and what a win pays is up to the house.
    player
        Whose it is; where it is left out, the player's whose turn it is when the dice are thrown.

    Raises
    ------
    InvalidBet
        When the amount is no such number.

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
            raise InvalidBet(f"{self.amountBet!r} is no amount for a bet; it is a whole number, at least 1")

    def winAmount(self) -> Fraction:
        """What is handed back when it wins: the stake and the win."""
        return self.amountBet + self.outcome.winAmount(self.amountBet)

    def loseAmount(self) -> int:
        """What is lost: the stake."""
        return self.amountBet

    def price(self) -> int:
        """What it costs to make the bet: the stake."""
        return self.amountBet

    def setOutcome(self, outcome: Outcome) -> None:
        """Move the bet to another outcome, as a come bet to its number."""
        self.outcome = outcome

    def settle(self, verdict: Verdict) -> bool:
        """Tell the player what became of the bet; is it decided, so that it comes down?

        A win is paid the odds of the throw that won it.
        """
        if verdict.result == STAYS:
            return False
        if verdict.result not in (LOSE, PUSH):
            self.outcome = Outcome(self.outcome.name, verdict.odds)
        if self.player is not None:
            told = {LOSE: self.player.lose, PUSH: self.player.push}.get(verdict.result, self.player.win)
            told(self)
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
        """What it costs to make the bet: the stake and the commission."""
        return self.amountBet + commission(self.outcome.name, self.amountBet)


def owes(outcome: Outcome) -> bool:
    """Is a commission due on bets on this?"""
    return outcome.name.startswith(COMMISSIONED)
