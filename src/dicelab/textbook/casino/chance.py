"""Random events and their factory: the base classes of throws and dice."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, Generic, TypeVar

from dicelab.textbook.casino.outcomes import Outcome


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
