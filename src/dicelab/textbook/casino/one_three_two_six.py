"""The betting strategy 1-3-2-6 as a state machine."""

from __future__ import annotations

from typing import ClassVar

from dicelab.textbook.casino.bets import Bet
from dicelab.textbook.casino.betting import BettingStrategy
from dicelab.textbook.casino.outcomes import Outcome


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
        """The bet in this state."""
        return Bet(self.units * self.betAmount, self.outcome)

    def nextWon(self) -> Player1326State:
        """The state after a win."""
        raise NotImplementedError  # each state has its own

    def nextLost(self) -> Player1326State:
        """The state after a loss: the initial one."""
        return Player1326NoWins(self.outcome, self.betAmount)


class Player1326NoWins(Player1326State):
    """The initial state: one unit.

    Examples
    --------
    >>> state = Player1326NoWins(Outcome("Pass Odds", 2))
    >>> print(state.currentBet(), "|", state.nextWon().currentBet(), "|", state.nextLost().currentBet())
    1 on Pass Odds (2:1) | 3 on Pass Odds (2:1) | 1 on Pass Odds (2:1)
    """

    units = 1

    def nextWon(self) -> Player1326State:
        """One win."""
        return Player1326OneWin(self.outcome, self.betAmount)


class Player1326OneWin(Player1326State):
    """After a win: three units.

    Examples
    --------
    >>> state = Player1326OneWin(Outcome("Pass Odds", 2))
    >>> print(state.currentBet(), "|", state.nextWon().currentBet(), "|", state.nextLost().currentBet())
    3 on Pass Odds (2:1) | 2 on Pass Odds (2:1) | 1 on Pass Odds (2:1)
    """

    units = 3

    def nextWon(self) -> Player1326State:
        """Two wins."""
        return Player1326TwoWins(self.outcome, self.betAmount)


class Player1326TwoWins(Player1326State):
    """After two wins: two units.

    Examples
    --------
    >>> state = Player1326TwoWins(Outcome("Pass Odds", 2))
    >>> print(state.currentBet(), "|", state.nextWon().currentBet(), "|", state.nextLost().currentBet())
    2 on Pass Odds (2:1) | 6 on Pass Odds (2:1) | 1 on Pass Odds (2:1)
    """

    units = 2

    def nextWon(self) -> Player1326State:
        """Three wins."""
        return Player1326ThreeWins(self.outcome, self.betAmount)


class Player1326ThreeWins(Player1326State):
    """After three wins: six units.

    Examples
    --------
    >>> state = Player1326ThreeWins(Outcome("Pass Odds", 2))
    >>> print(state.currentBet(), "|", state.nextWon().currentBet(), "|", state.nextLost().currentBet())
    6 on Pass Odds (2:1) | 1 on Pass Odds (2:1) | 1 on Pass Odds (2:1)
    """

    units = 6

    def nextWon(self) -> Player1326State:
        """The initial state: the fourth win ends the sequence."""
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
        """The bet of the state."""
        return self.state.currentBet()

    def win(self, bet: Bet) -> None:
        """The next state."""
        self.state = self.state.nextWon()

    def lose(self, bet: Bet) -> None:
        """Return to the initial state."""
        self.state = self.state.nextLost()
