"""The throws of two dice; each updates the state of a game."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from dicelab.errors import ParameterError
from dicelab.extras.craps.bet import POINTS
from dicelab.extras.textbook.casino.bets import Bet
from dicelab.extras.textbook.casino.house import HARDWAYS, LOSE, ONE_THROW, WIN, Verdict, verdict
from dicelab.extras.textbook.casino.outcomes import HasDice, Outcome
from dicelab.rules.params import as_integer

# Random events and their factory: the base classes of throws and dice -------------------------------------------------


class RandomEvent:
    """A random event: a set of the outcomes that win with it.

    Parameters
    ----------
    *outcomes
        The winning outcomes.

    Attributes
    ----------
    outcomes
        The frozenset of these. In the text the event itself is a frozenset; but different throws may have equal sets,
        and winning outcomes can be added.

    Examples
    --------
    >>> event = RandomEvent(Outcome("Red", 1))
    >>> Outcome("Red", 1) in event, [str(outcome) for outcome in event]
    (True, ['Red (1:1)'])
    """

    def __init__(self, *outcomes: Outcome) -> None:
        self.outcomes = frozenset(outcomes)

    def __contains__(self, outcome: object) -> bool:
        return outcome in self.outcomes

    def __iter__(self) -> Iterator[Outcome]:
        return iter(self.outcomes)


E = TypeVar("E", bound=RandomEvent)


class RandomEventFactory(Generic[E]):
    """Chooses events at random; subclasses define the events and their probabilities.

    Parameters
    ----------
    rng
        Source of random numbers; Python's module `random` by default.

    Attributes
    ----------
    rng
        As above.
    current
        The event that was chosen last; None before the first.

    Examples
    --------
    >>> class Coin(RandomEventFactory):
    ...     def initialize(self):
    ...         self.sides = [RandomEvent(Outcome(side, 1)) for side in ("Heads", "Tails")]
    ...
    ...     def choose(self):
    ...         self.current = self.rng.choice(self.sides)
    ...         return self.current
    >>> coin = Coin(random.Random(1))
    >>> [str(outcome) for outcome in coin.choose()]
    ['Heads (1:1)']
    """

    def __init__(self, rng: random.Random | None = None) -> None:
        self.rng: Any = random if rng is None else rng
        self.current: E | None = None
        self.initialize()

    def initialize(self) -> None:
        """Create the events."""
        raise NotImplementedError  # the text declares it here; Dice defines it

    def choose(self) -> E:
        """Choose an event at random."""
        raise NotImplementedError  # the text declares it here; Dice defines it


# Winners and losers: the outcomes that a throw decides, and the settlement of bets on them ----------------------------


Outcomes = frozenset[Outcome]


def decided(names: Iterable[str], result: str, dice: tuple[int, int]) -> Outcomes:
    """Return the outcomes among the given names that have this result with a throw, with their odds.

    >>> sorted(str(outcome) for outcome in decided(["Field", "Horn"], WIN, (6, 6)))
    ['Field (2:1)', 'Horn (27:4)']
    """
    verdicts = [verdict(name, None, dice) for name in names]
    return frozenset(Outcome(v.name, v.odds) for v in verdicts if v.result == result)


def with_more(
    throw: str, won: Outcomes, lost: Outcomes, winners: Iterable[Outcome], losers: Iterable[Outcome]
) -> tuple[Outcomes, Outcomes]:
    """Return the outcomes that win and lose with a throw after more are added, which replace those of the same name.

    Raises
    ------
    ParameterError
        When an outcome both wins and loses.

    Examples
    --------
    >>> eleven, seven = Outcome("Number 11", 15), Outcome("Number 7", 4)
    >>> won, lost = with_more("6,5", frozenset(), frozenset([eleven]), [eleven], [seven])
    >>> [*map(str, won)], [*map(str, lost)]
    (['Number 11 (15:1)'], ['Number 7 (4:1)'])
    """
    more, less = frozenset(winners), frozenset(losers)
    if more & less:
        names = ", ".join(sorted(outcome.name for outcome in more & less))
        raise ParameterError(f"{names}: a bet can't both win and lose with {throw}; name it once")
    return more | (won - less), less | (lost - more)


def resolved(bet: Bet, throw: HasDice, winners: Outcomes, losers: Outcomes) -> bool:
    """Pay a bet if it is among the winners, collect it if it is among the losers; return whether it was either.

    >>> from dicelab.extras.textbook.casino import throw_of
    >>> eleven = frozenset([Outcome("Number 11", 15)])
    >>> resolved(Bet(5, Outcome("Number 11", 15)), throw_of(6, 5), eleven, frozenset())
    True
    """
    for outcome in winners:
        if outcome == bet.outcome:
            return bet.settle(Verdict(WIN, outcome.winAmount(throw=throw), outcome.name))
    return bet.outcome in losers and bet.settle(Verdict(LOSE, Fraction(0), bet.outcome.name))


class Updated(Protocol):
    """A game, as needed by throws, which call one of its methods."""

    def craps(self, throw: Throw | None = None) -> None:
        """Take a throw of 2, 3 or 12."""

    def natural(self, throw: Throw | None = None) -> None:
        """Take a throw of 7."""

    def eleven(self, throw: Throw | None = None) -> None:
        """Take a throw of 11."""

    def point(self, point: int, throw: Throw | None = None) -> None:
        """Take a throw of 4, 5, 6, 8, 9 or 10."""


class Throw(RandomEvent):
    """A throw of two dice. The base class has only the given outcomes; its four subclasses add the bets they decide.

    Parameters
    ----------
    d1, d2
        The two dice, 1 to 6.
    *outcomes
        One-throw bets that win with it.

    Attributes
    ----------
    d1, d2
        The two dice.
    outcomes, win1Roll
        The frozenset of winning one-throw outcomes, with the odds paid on this throw; the text has both names.
    lose1Roll
        One-throw bets that lose with it.
    winHardway, loseHardway
        Hardways that win and lose with it, when they work.

    Raises
    ------
    ParameterError
        When a die is not 1 to 6, or the total does not belong to this class.

    Examples
    --------
    >>> throw = Throw(2, 2, Outcome("Field", 1))
    >>> print(throw, throw.hard(), *throw.win1Roll)
    2,2 True Field (1:1)
    """

    totals: ClassVar[tuple[int, ...]] = tuple(range(2, 13))

    def __init__(self, d1: int, d2: int, *outcomes: Outcome) -> None:
        if total(d1, d2) not in self.totals:
            totals = ", ".join(map(str, self.totals))
            raise ParameterError(f"{type(self).__name__}: {d1} and {d2} come to {d1 + d2}, which is none of {totals}")
        super().__init__(*outcomes)
        self.d1 = d1
        self.d2 = d2
        self.lose1Roll = self.winHardway = self.loseHardway = frozenset[Outcome]()

    @property
    def win1Roll(self) -> frozenset[Outcome]:
        """One-throw bets that win with it."""
        return self.outcomes

    def add1Roll(self, winners: Iterable[Outcome] = (), losers: Iterable[Outcome] = ()) -> None:
        """Add one-throw bets that win and lose with it; they replace bets of the same name.

        They are used by `resolveOneRoll`. A game uses the rules of its house instead, which don't change.

        Raises
        ------
        ParameterError
            When an outcome both wins and loses.
        """
        self.outcomes, self.lose1Roll = with_more(str(self), self.outcomes, self.lose1Roll, winners, losers)

    def addHardways(self, winners: Iterable[Outcome] = (), losers: Iterable[Outcome] = ()) -> None:
        """Add hardways that win and lose with it, as `add1Roll` does for bets of one throw.

        Raises
        ------
        ParameterError
            When an outcome both wins and loses.
        """
        self.winHardway, self.loseHardway = with_more(str(self), self.winHardway, self.loseHardway, winners, losers)

    def key(self) -> tuple[int, int]:
        """Return the two dice."""
        return self.d1, self.d2

    def hard(self) -> bool:
        """Return whether the two dice are equal."""
        return self.d1 == self.d2

    def updateGame(self, game: Updated) -> None:
        """Change the state of a game: one of `craps`, `natural`, `eleven` and `point` is called, with this throw."""
        throw_of(self.d1, self.d2).updateGame(game)

    def resolveOneRoll(self, bet: Bet) -> bool:
        """Pay or collect a one-throw bet; return whether this throw decides it."""
        return resolved(bet, self, self.win1Roll, self.lose1Roll)

    def resolveHardways(self, bet: Bet) -> bool:
        """Pay or collect a bet on a hardway that works; return whether this throw decides it."""
        return resolved(bet, self, self.winHardway, self.loseHardway)

    def __str__(self) -> str:
        return f"{self.d1},{self.d2}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.d1}, {self.d2})"


class SortedThrow(Throw):
    """A throw of one of the four classes, with the bets that it decides.

    Examples
    --------
    >>> throw = SortedThrow(2, 2)
    >>> sorted(map(str, throw.win1Roll)), sorted(map(str, throw.winHardway))
    (['Field (1:1)'], ['Hard 4 (7:1)'])
    """

    def __init__(self, d1: int, d2: int) -> None:
        super().__init__(d1, d2)
        self.add1Roll(decided(ONE_THROW, WIN, self.key()), decided(ONE_THROW, LOSE, self.key()))
        self.addHardways(decided(HARDWAYS, WIN, self.key()), decided(HARDWAYS, LOSE, self.key()))


class NaturalThrow(SortedThrow):
    """A throw of 7.

    Examples
    --------
    >>> from dicelab.extras.textbook.casino import CrapsGame
    >>> game = CrapsGame()
    >>> game.point(4)
    >>> NaturalThrow(3, 4).updateGame(game)
    >>> print(game)
    Point Off
    """

    totals = (7,)

    def hard(self) -> bool:
        """No: 7 is odd."""
        return False

    def updateGame(self, game: Updated) -> None:
        """Call the game's `natural`."""
        game.natural(self)


class CrapsThrow(SortedThrow):
    """A throw of 2, 3 or 12.

    Examples
    --------
    >>> throw = CrapsThrow(6, 6)
    >>> throw.hard(), sorted(map(str, throw.win1Roll))
    (False, ['Any Craps (7:1)', 'Field (2:1)', 'Horn (27:4)', 'Number 12 (30:1)'])
    """

    totals = (2, 3, 12)

    def hard(self) -> bool:
        """No: nobody can bet on 2 or 12 the hard way."""
        return False

    def updateGame(self, game: Updated) -> None:
        """Call the game's `craps`."""
        game.craps(self)


class ElevenThrow(SortedThrow):
    """A throw of 11.

    Examples
    --------
    >>> ElevenThrow(6, 4)
    Traceback (most recent call last):
    ...
    dicelab.errors.ParameterError: ElevenThrow: 6 and 4 come to 10, which is none of 11
    """

    totals = (11,)

    def hard(self) -> bool:
        """No: 11 is odd."""
        return False

    def updateGame(self, game: Updated) -> None:
        """Call the game's `eleven`."""
        game.eleven(self)


class PointThrow(SortedThrow):
    """A throw of 4, 5, 6, 8, 9 or 10; hard if the dice are equal.

    Examples
    --------
    >>> from dicelab.extras.textbook.casino import CrapsGame
    >>> game = CrapsGame()
    >>> PointThrow(4, 4).updateGame(game)
    >>> print(game, PointThrow(4, 4).hard(), PointThrow(3, 5).hard())
    8 True False
    """

    totals = POINTS

    def updateGame(self, game: Updated) -> None:
        """Call the game's `point`."""
        game.point(self.d1 + self.d2, self)


KINDS = (NaturalThrow, CrapsThrow, ElevenThrow, PointThrow)


def throw_of(d1: int, d2: int) -> Throw:
    """Return the throw of two dice, of the class that its total belongs to.

    Raises
    ------
    ParameterError
        When one of them is not 1 to 6.

    Examples
    --------
    >>> throw_of(6, 5), [str(outcome) for outcome in sorted(throw_of(6, 5).outcomes, key=str)]
    (ElevenThrow(6, 5), ['Field (1:1)', 'Horn (3:1)', 'Number 11 (15:1)'])
    """
    return next(kind for kind in KINDS if total(d1, d2) in kind.totals)(d1, d2)


def easy_throw(point: int) -> Throw:
    """Return an easy (not hard) throw of a point number.

    Raises
    ------
    ParameterError
        When it is not a point number.

    Examples
    --------
    >>> easy_throw(4), easy_throw(10)
    (PointThrow(1, 3), PointThrow(4, 6))
    """
    if as_integer(point) not in POINTS:
        raise ParameterError(f"point: {point!r} is not allowed; it is 4, 5, 6, 8, 9 or 10")
    low = (point - 1) // 2 if point < 8 else point - 6
    return throw_of(low, point - low)


def total(d1: int, d2: int) -> int:
    """Return the total of two dice.

    Raises
    ------
    ParameterError
        When one of them is not 1 to 6.

    Examples
    --------
    >>> total(3, 4)
    7
    """
    for die in (d1, d2):
        if as_integer(die) not in range(1, 7):
            raise ParameterError(f"a die shows 1 to 6, not {die!r}")
    return d1 + d2
