"""The states of a game of craps: the point off, or on."""

from __future__ import annotations

from typing import Protocol

from dicelab.textbook.casino import house
from dicelab.textbook.casino.bets import Bet, InvalidBet
from dicelab.textbook.casino.outcomes import Outcome, outcome_of
from dicelab.textbook.casino.table import CrapsTable
from dicelab.textbook.casino.throws import Throw


class HasTable(Protocol):
    """A game, as needed by its states."""

    table: CrapsTable
    hardways_on_come_out: bool


class CrapsGameState:
    """A state of a game: it decides the bets on the table, and says which can be made.

    Parameters
    ----------
    game
        The game that is in this state.

    Attributes
    ----------
    current_point
        The point; None when it is off.

    Examples
    --------
    >>> from dicelab.textbook.casino import CrapsGame, throw_of
    >>> state = CrapsGame().state
    >>> print(state, "|", state.thrown(throw_of(2, 4)), "|", state.isValid(outcome_of("Come Line")))
    Point Off | 6 | False
    """

    current_point: int | None = None

    def __init__(self, game: HasTable) -> None:
        self.game = game

    def thrown(self, throw: Throw) -> CrapsGameState:
        """Decide the bets on the table by a throw; return the next state.

        All bets are decided against the point as it stood before the throw, so that their order does not matter. What
        becomes of each is the house's business, whatever kind of throw it was: `craps`, `natural`, `eleven` and `point`
        are this method.
        """
        for bet in self.game.table:
            verdict = house.verdict(bet.outcome.name, self.current_point, throw.key(), self.game.hardways_on_come_out)
            if bet.settle(verdict):
                self.game.table.bets.remove(bet)
            elif verdict.name != bet.outcome.name:
                self.moveToThrow(bet, throw)
        return state_of(house.puck(self.current_point, throw.key()), self.game)

    craps = natural = eleven = point = thrown

    def isValid(self, outcome: Outcome) -> bool:
        """Whether a bet on this outcome may be made in this state; for odds, assuming that there is a line bet."""
        return house.timely(outcome.name, self.current_point)

    def isWorking(self, outcome: Outcome) -> bool:
        """Whether a throw can decide a bet on this outcome in this state.

        On come-outs place and buy bets and the odds of come bets are off; hardways are where the house says so.
        """
        return house.working(outcome.name, self.current_point, self.game.hardways_on_come_out)

    def pointOutcome(self, right: bool = True) -> Outcome | None:
        """The odds of a pass line bet with this point (don't pass if not `right`); None without a point."""
        if self.current_point is None:
            return None
        return outcome_of("Pass Odds" if right else "Don't Pass Odds", self.current_point)

    def moveToThrow(self, bet: Bet, throw: Throw) -> None:
        """Move a come or don't come bet to the number of a throw; it is still paid 1:1.

        Raises
        ------
        InvalidBet
            When it is another bet, or it does not travel with this throw.
        """
        name, dice = bet.outcome.name, throw.key()
        moved = house.verdict(name, self.current_point, dice).name if name in ("Come Line", "Don't Come Line") else name
        if moved == name:
            raise InvalidBet(f"{bet}: only bets on the come line travel, to 4, 5, 6, 8, 9 or 10; not with {throw}")
        bet.setOutcome(outcome_of(moved))


class CrapsGamePointOff(CrapsGameState):
    """The point is off: the next throw is a come-out.

    Examples
    --------
    >>> from dicelab.textbook.casino import CrapsGame
    >>> off = CrapsGamePointOff(CrapsGame())
    >>> print(off, off.current_point, off.pointOutcome(), off.isWorking(outcome_of("Place 6")))
    Point Off None None False
    """

    def __str__(self) -> str:
        return "Point Off"


class CrapsGamePointOn(CrapsGameState):
    """The point is on.

    Parameters
    ----------
    point
        4, 5, 6, 8, 9 or 10.
    game
        The game that is in this state.

    Examples
    --------
    >>> from dicelab.textbook.casino import CrapsGame
    >>> on = CrapsGamePointOn(8, CrapsGame())
    >>> print(on, on.pointOutcome(), on.isWorking(outcome_of("Place 6")))
    8 Pass Odds (6:5) True
    """

    def __init__(self, point: int, game: HasTable) -> None:
        super().__init__(game)
        self.current_point = point

    def __str__(self) -> str:
        return str(self.current_point)


def state_of(point: int | None, game: HasTable) -> CrapsGameState:
    """The state of a game with this point, or with the point off.

    >>> from dicelab.textbook.casino import CrapsGame
    >>> print(state_of(None, CrapsGame()), state_of(4, CrapsGame()))
    Point Off 4
    """
    return CrapsGamePointOff(game) if point is None else CrapsGamePointOn(point, game)
