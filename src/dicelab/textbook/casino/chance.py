"""Chance: what is chosen from, and who chooses; parents of throws and dice."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, Generic, TypeVar

from dicelab.textbook.casino.outcomes import Outcome


class RandomEvent:
    """One of the things that chance chooses from: it holds the outcomes that win with it.

    Parameters
    ----------
    *outcomes
        Those that win.

    Attributes
    ----------
    outcomes
        The frozenset of them. The text has the event itself be one; but two throws may win the same and are not equal,
        and what wins can be added to.

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
    """Chooses events at random; its children say from which, and how.

    Parameters
    ----------
    rng
        Where chance comes from; Python's module `random` unless another is given.

    Attributes
    ----------
    rng
        As above.
    current
        The event that was chosen last; None before the first.
    """

    def __init__(self, rng: random.Random | None = None) -> None:
        self.rng: Any = random if rng is None else rng
        self.current: E | None = None
        self.initialize()

    def initialize(self) -> None:
        """Make the events."""
        raise NotImplementedError  # each kind of chance has its own

    def choose(self) -> E:
        """Choose an event."""
        raise NotImplementedError  # each kind of chance has its own
