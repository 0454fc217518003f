"""A game of craps: its dice, its states, and the game itself."""

from __future__ import annotations

from typing import Protocol

from dicelab.errors import ParameterError
from dicelab.extras.textbook.casino import house
from dicelab.extras.textbook.casino.bets import Bet, InvalidBet
from dicelab.extras.textbook.casino.craps_table import CrapsTable
from dicelab.extras.textbook.casino.outcomes import Outcome, outcome_of
from dicelab.extras.textbook.casino.players import CrapsPlayer
from dicelab.extras.textbook.casino.throws import RandomEventFactory, Throw, easy_throw, throw_of

# The dice: the 36 throws, and a random choice among them --------------------------------------------------------------


class ThrowBuilder:
    """Builds the throws of dice.

    Examples
    --------
    >>> dice = Dice()
    >>> dice.throws.clear()
    >>> ThrowBuilder().buildThrows(dice)
    >>> len(dice.throws)
    36
    """

    def buildThrows(self, dice: Dice) -> None:
        """Add the 36 throws to the dice, each of its class and with the one-throw bets that it wins."""
        for d1 in range(1, 7):
            for d2 in range(1, 7):
                dice.addThrow(throw_of(d1, d2))


class Dice(RandomEventFactory[Throw]):
    """The 36 throws of two dice, from which `roll` chooses one at random.

    Parameters
    ----------
    rng
        Source of random numbers; Python's module `random` by default.

    Attributes
    ----------
    throws
        By pair of dice: the throw.
    rng
        Source of random numbers; its method `choice` is called with the list of all pairs of dice.
    current
        The last throw; None before the first.

    Examples
    --------
    >>> import random
    >>> dice = Dice(random.Random(1))
    >>> [str(dice.roll()) for _ in range(4)], len(dice.throws), dice.getThrow(2, 2).hard()
    (['2,3', '1,5', '3,5', '2,2'], 36, True)
    """

    def initialize(self) -> None:
        """Replace all throws by the 36 throws of two dice."""
        self.throws: dict[tuple[int, int], Throw] = {}
        ThrowBuilder().buildThrows(self)

    def addThrow(self, throw: Throw) -> None:
        """Add a throw; it replaces the one with the same dice."""
        self.throws[throw.key()] = throw

    def addOutcome(self, faces: tuple[int, int], outcome: Outcome) -> None:
        """Add a one-throw bet to those that win with a throw; see `Throw.add1Roll`.

        Raises
        ------
        ParameterError
            When there is no such throw.
        """
        self.getThrow(*faces).add1Roll([outcome])

    def choose(self) -> Throw:
        """Choose one of the throws, all equally likely."""
        dice: tuple[int, int] = self.rng.choice(list(self.throws))
        self.current = self.throws[dice]
        return self.current

    def roll(self) -> Throw:
        """Roll the dice: the same as `choose`."""
        return self.choose()

    def getThrow(self, d1: int, d2: int) -> Throw:
        """Return the throw with these dice.

        Raises
        ------
        ParameterError
            When there is none.
        """
        if (d1, d2) not in self.throws:
            raise ParameterError(f"there is no throw {d1!r},{d2!r}; a die shows 1 to 6")
        return self.throws[d1, d2]


# The states of a game of craps: the point off, or on ------------------------------------------------------------------


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
    >>> from dicelab.extras.textbook.casino import CrapsGame, throw_of
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
        """Return whether a bet on this outcome may be made in this state; for odds, assuming that
        there is a line bet.
        """
        return house.timely(outcome.name, self.current_point)

    def isWorking(self, outcome: Outcome) -> bool:
        """Return whether a throw can decide a bet on this outcome in this state.

        On come-outs place and buy bets and the odds of come bets are off; hardways are where the house says so.
        """
        return house.working(outcome.name, self.current_point, self.game.hardways_on_come_out)

    def pointOutcome(self, right: bool = True) -> Outcome | None:
        """Return the odds of a pass line bet with this point (don't pass if not `right`); None without a point."""
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
    >>> from dicelab.extras.textbook.casino import CrapsGame
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
    >>> from dicelab.extras.textbook.casino import CrapsGame
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
    """Return the state of a game with this point, or with the point off.

    >>> from dicelab.extras.textbook.casino import CrapsGame
    >>> print(state_of(None, CrapsGame()), state_of(4, CrapsGame()))
    Point Off 4
    """
    return CrapsGamePointOff(game) if point is None else CrapsGamePointOn(point, game)


# The game: players bet, the dice are thrown, and its state decides the bets -------------------------------------------


class CrapsGame:
    """A game of craps at a table.

    Parameters
    ----------
    dice
        The dice; new ones by default.
    table
        The table; a new one by default.
    hardways_on_come_out
        House rule: whether a come-out roll can decide hardways. True in Las Vegas, false in Atlantic City and
        Pennsylvania.

    Attributes
    ----------
    dice, table, player
        The dice, the table and the current player.
    state
        A `CrapsGameState`.
    current_point
        The point; None when it is off.

    Examples
    --------
    >>> game = CrapsGame()
    >>> game.table.placeBet(Bet(10, Outcome("Pass Line", 1)))
    >>> for dice in ((2, 2), (5, 6)):
    ...     game.dice.getThrow(*dice).updateGame(game)
    ...     print(game, "|", game.table, "|", game.pointOutcome())
    4 | 10 on Pass Line (1:1) | Pass Odds (2:1)
    4 | 10 on Pass Line (1:1) | Pass Odds (2:1)
    """

    def __init__(
        self, dice: Dice | None = None, table: CrapsTable | None = None, *, hardways_on_come_out: bool = True
    ) -> None:
        self.hardways_on_come_out = hardways_on_come_out
        self.state: CrapsGameState = state_of(None, self)
        self.dice = Dice() if dice is None else dice
        self.table = CrapsTable() if table is None else table
        self.table.setGame(self)
        self.player: CrapsPlayer | None = None

    @property
    def current_point(self) -> int | None:
        """The point; None when it is off."""
        return self.state.current_point

    def cycle(self, player: CrapsPlayer) -> None:
        """Play one throw: the player bets, the dice are rolled, and the bets are decided.

        Raises
        ------
        InvalidBet
            When the player made a bet that is not allowed, or bets that are not allowed together.
        ParameterError
            When the player sits at another table.
        """
        if player.table is not self.table:
            raise ParameterError("the player sits at another table than this game's; make the player with game.table")
        self.player = player
        player.placeBets()
        if not self.table.allValid():
            raise InvalidBet(f"these bets may not lie on the table together: {self.table}")
        for bet in self.table:
            bet.player = player if bet.player is None else bet.player
        self.dice.roll().updateGame(self)
        player.roundsToGo = max(0, player.roundsToGo - 1)

    def craps(self, throw: Throw | None = None) -> None:
        """Take a throw of 2, 3 or 12; without the throw, as in the text's stub, of 2."""
        self.state = self.state.craps(throw or throw_of(1, 1))

    def natural(self, throw: Throw | None = None) -> None:
        """Take a throw of 7."""
        self.state = self.state.natural(throw or throw_of(3, 4))

    def eleven(self, throw: Throw | None = None) -> None:
        """Take a throw of 11."""
        self.state = self.state.eleven(throw or throw_of(5, 6))

    def point(self, point: int, throw: Throw | None = None) -> None:
        """Take a throw of 4, 5, 6, 8, 9 or 10; without the throw, one that is not hard.

        Raises
        ------
        ParameterError
            When the total is none of these.
        """
        self.state = self.state.point(throw or easy_throw(point))

    def isAllowed(self, outcome: Outcome) -> bool:
        """Return whether a bet on this outcome can be made now; the table's `isValid` also checks amounts."""
        return self.state.isValid(outcome)

    def isWorking(self, outcome: Outcome) -> bool:
        """Return whether the next throw can decide a bet on this outcome."""
        return self.state.isWorking(outcome)

    def pointOutcome(self, right: bool = True) -> Outcome | None:
        """Return the odds of a pass line bet now, or, if not `right`, of a don't pass bet; None with the point off."""
        return self.state.pointOutcome(right)

    def moveToThrow(self, bet: Bet, throw: Throw) -> None:
        """Move a come bet to the number of a throw.

        Raises
        ------
        InvalidBet
            When it is another bet, or it does not travel with this throw.
        """
        self.state.moveToThrow(bet, throw)

    def reset(self) -> None:
        """Return to the initial state: the point off, and no bets on the table."""
        self.state = state_of(None, self)
        self.table.bets.clear()

    def __str__(self) -> str:
        return str(self.state)
