"""The table: the bets on it, and the bets that may be made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from dicelab.errors import ParameterError
from dicelab.extras.textbook.casino import house
from dicelab.extras.textbook.casino.bets import Bet, CommissionBet, InvalidBet, owes
from dicelab.extras.textbook.casino.outcomes import Outcome
from dicelab.rules.params import as_integer


class HasPoint(Protocol):
    """A game, as needed by its table."""

    table: CrapsTable

    @property
    def current_point(self) -> int | None:
        """The point; None when it is off."""
        ...


class CrapsTable:
    """The bets of one player, and the limits of the house.

    Parameters
    ----------
    game
        The game played at it; a game constructed with a table sets it.
    limit
        Maximum of all bets together.
    minimum, maximum
        Minimum of line, place, buy and lay bets and of the field; maximum on one outcome.

    Attributes
    ----------
    bets
        The bets on the table, in the order in which they were made.
    game, limit, minimum, maximum
        As above.

    Raises
    ------
    ParameterError
        When the limits are not whole numbers, or in the wrong order.

    Examples
    --------
    >>> from dicelab.extras.textbook.casino import CrapsGame
    >>> table = CrapsTable(CrapsGame(), minimum=5)
    >>> table.placeBet(Bet(5, Outcome("Pass Line", 1)))
    >>> print(*table)
    5 on Pass Line (1:1)
    >>> table.placeBet(Bet(5, Outcome("Come Line", 1)))
    Traceback (most recent call last):
    ...
    dicelab.extras.textbook.casino.bets.InvalidBet: 5 on Come Line (1:1): it needs a point, and the puck is OFF
    """

    def __init__(
        self, game: HasPoint | None = None, *, limit: int = house.MOST, minimum: int = 1, maximum: int = house.MOST
    ) -> None:
        numbers = [as_integer(number) for number in (minimum, maximum, limit)]
        if None in numbers or not 1 <= minimum <= maximum <= house.MOST or limit < minimum:
            text = f"minimum {minimum!r}, maximum {maximum!r} and limit {limit!r} are not allowed"
            raise ParameterError(f"{text}; they are whole numbers, 1 to {house.MOST} and the minimum the least")
        if isinstance(game, Bet):
            raise ParameterError(f"a table is made with its game; {game} is laid on it by placeBet")
        self.limit = limit
        self.minimum = minimum
        self.maximum = maximum
        self.bets: list[Bet] = []
        self.game: HasPoint | None = None
        if game is not None:
            game.table = self
            self.setGame(game)

    def setGame(self, game: HasPoint) -> None:
        """Set the game that is played at the table."""
        self.game = game

    def placeBet(self, bet: Bet) -> None:
        """Make a bet.

        Raises
        ------
        InvalidBet
            When it is not allowed; the message says why.
        """
        why = self.refusal(bet)
        if why:
            raise InvalidBet(f"{bet}: {why}")
        self.bets.append(bet)

    def isValid(self, bet: Bet) -> bool:
        """Return whether the bet may be made now."""
        return not self.refusal(bet)

    def refusal(self, bet: Bet) -> str:
        """Return the reason why the bet may not be made now, as a sentence; empty if it may."""
        if not commissioned(bet):
            return "a commission is due on buy and lay bets; make it a CommissionBet"
        if self.total() + bet.amountBet > self.limit:
            return f"all bets together would be above the table's limit, {self.limit}"
        name, limits = bet.outcome.name, (self.minimum, self.maximum)
        return house.refusal(name, bet.amountBet, self.point(), self.on(name), self.on(house.line_of(name)), limits)

    def allValid(self) -> bool:
        """Return whether all bets on the table may be there together.

        This includes bets that could not be made any more, such as a pass line bet with the point on.
        """
        limits = self.minimum, self.maximum
        return self.total() <= self.limit and all(
            commissioned(bet) and house.lawful(name, self.on(name), self.point(), self.on(house.line_of(name)), limits)
            for bet in self
            for name in [bet.outcome.name]
        )

    def point(self) -> int | None:
        """Return the point of the game; None when it is off."""
        return self.game.current_point if self.game else None

    def on(self, outcome: Outcome | str) -> int:
        """Return the total amount on an outcome."""
        name = outcome if isinstance(outcome, str) else outcome.name
        return sum(bet.amountBet for bet in self if bet.outcome.name == name)

    def total(self) -> int:
        """Return the total amount on the table."""
        return sum(bet.amountBet for bet in self)

    def __iter__(self) -> Iterator[Bet]:
        return iter(list(self.bets))

    def __str__(self) -> str:
        return ", ".join(map(str, self)) or "no bets"

    def __repr__(self) -> str:
        return f"CrapsTable({self})"


def commissioned(bet: Bet) -> bool:
    """Return whether the bet pays the commission that is due on it, if any.

    >>> buy = Outcome("Buy 4", 2)
    >>> commissioned(Bet(20, buy)), commissioned(CommissionBet(20, buy)), commissioned(Bet(20, Outcome("Field", 1)))
    (False, True, True)
    """
    return isinstance(bet, CommissionBet) or not owes(bet.outcome)
