"""The game: players bet, the dice are thrown, and its state decides the bets."""

from __future__ import annotations

from dicelab.errors import ParameterError
from dicelab.textbook.casino.bets import Bet, InvalidBet
from dicelab.textbook.casino.dice import Dice
from dicelab.textbook.casino.outcomes import Outcome
from dicelab.textbook.casino.players import CrapsPlayer
from dicelab.textbook.casino.states import CrapsGameState, state_of
from dicelab.textbook.casino.table import CrapsTable
from dicelab.textbook.casino.throws import Throw, easy_throw, throw_of


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
        """A throw of 2, 3 or 12; without the throw, as in the text's stub, of 2."""
        self.state = self.state.craps(throw or throw_of(1, 1))

    def natural(self, throw: Throw | None = None) -> None:
        """A throw of 7."""
        self.state = self.state.natural(throw or throw_of(3, 4))

    def eleven(self, throw: Throw | None = None) -> None:
        """A throw of 11."""
        self.state = self.state.eleven(throw or throw_of(5, 6))

    def point(self, point: int, throw: Throw | None = None) -> None:
        """A throw of 4, 5, 6, 8, 9 or 10; without the throw, one that is not hard.

        Raises
        ------
        ParameterError
            When the total is none of these.
        """
        self.state = self.state.point(throw or easy_throw(point))

    def isAllowed(self, outcome: Outcome) -> bool:
        """Whether a bet on this outcome can be made now; the table's `isValid` also checks amounts."""
        return self.state.isValid(outcome)

    def isWorking(self, outcome: Outcome) -> bool:
        """Whether the next throw can decide a bet on this outcome."""
        return self.state.isWorking(outcome)

    def pointOutcome(self, right: bool = True) -> Outcome | None:
        """The odds of a pass line bet now, or, if not `right`, of a don't pass bet; None with the point off."""
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
