"""Explores the states of a game with the rules in plain Python: numbers states, and follows rolls and moves to others.

States are the points of a game at which dice are rolled. Choices that strategies make belong to the transition between
two states. Only choices of *free* seats, whose policy is to be found, are states too. ARCHITECTURE.md says what
explores states in another way, and why.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import NoReturn, overload

from dicelab.errors import EndlessGameError, RulesError
from dicelab.limits import LIMITS
from dicelab.rules.actions import OVER, Decision, Throw
from dicelab.rules.fields import Peak, applied
from dicelab.rules.fields.rows import Refused
from dicelab.rules.game import Game, fresh
from dicelab.runtime.interpreter import Explained, asked, choose, outcome_of
from dicelab.runtime.lineup import Run
from dicelab.runtime.states.codec import Place

UNRAISED = -(2**62)
"""The change of a `Peak` in a transition that does not raise it."""

End = tuple[int, int]
"""End of a transition: number of the next state (``-1 - outcome`` where the game is over), and number of the change of
the tallies."""


AWAY: End = (-(2**62), 0)
"""The end of a transition that depends on hidden fields."""


class DependsOnHidden(BaseException):
    """Raised where rules use a hidden field. Not an Exception, because exceptions are taken for errors of the rules."""


def _refuse() -> NoReturn:
    raise DependsOnHidden


@cache
def poison() -> Refused:
    """Return the stand-in for the value of a hidden field: every operation on it raises `DependsOnHidden`."""
    return Refused(_refuse)


class Found:
    """Tuples of numbers, numbered in the order in which they were added."""

    def __init__(self) -> None:
        self.things: list[tuple[int, ...]] = []
        self._numbers: dict[tuple[int, ...], int] = {}

    def number(self, thing: tuple[int, ...]) -> int:
        """Return the number of a tuple, which is added if it is new."""
        at = self._numbers.setdefault(thing, len(self.things))
        if at == len(self.things):
            self.things.append(thing)
        return at


def no_change(game: Game) -> tuple[int, ...]:
    """Return the tallies before anything is counted."""
    return tuple(UNRAISED if isinstance(t, Peak) else 0 for t in game.declared.tallies.values())


class StateExplorer:
    """A state explorer: the states, and the changes of the tallies, found so far.

    Parameters
    ----------
    run
        The game and its strategies.
    free
        Seats whose choices are states.
    hidden
        Fields that are no part of a state: a transition whose rules use one of them leads `AWAY`.

    Attributes
    ----------
    positions, changes
        The states, as tuples of numbers, and the changes of the tallies.
    start
        The first state, and the change of the tallies before it.
    choices
        The largest number of choices between two rolls.
    """

    def __init__(self, run: Run, free: Collection[int] = (), hidden: Collection[str] = ()) -> None:
        self.game = fresh(run.game)
        self.free = free
        self.hidden = hidden
        self.place = Place(self.game, run.calls, hidden)
        self.nothing = no_change(self.game)
        self.positions, self.changes = Found(), Found()
        self.choices = 0
        self._count_from(self.nothing)
        with Explained(self.game):
            applied(type(self.game).start, self.game, ())
        self._hide()
        self.start = self._settle()

    def note(self, here: tuple[int, ...], counted: tuple[int, ...]) -> End:
        """Return the end of a transition to a state, with this change of the tallies."""
        return self.positions.number(here), self.changes.number(counted)

    def note_over(self, outcome: int, counted: tuple[int, ...]) -> End:
        """Return the end of a transition that ends the game."""
        return -1 - outcome, self.changes.number(counted)

    def admit(self, numbers: tuple[int, ...]) -> None:
        """Refuse a state outside its ranges; called before each roll and choice and at the end. Accepts all here."""

    def arrive(self, numbers: tuple[int, ...]) -> tuple[Throw | Decision, int]:
        """Go to a state; returns the roll and the number of dice, or the choice and the seat, that `next` asks for."""
        self.place.set(numbers)
        self._count_from(self.nothing)
        with Explained(self.game):
            kind, number = asked(self.game, self.game.next())
        if self._hide():
            raise DependsOnHidden
        self._here = numbers
        return kind, number

    def throw_at(self, numbers: tuple[int, ...]) -> tuple[Throw, int]:
        """Go to a state at which dice are rolled; returns the roll and the number of dice.

        Raises
        ------
        PlayError
            If `next` asks for a choice there.
        """
        kind, dice = self.arrive(numbers)
        if isinstance(kind, Decision):
            with Explained(self.game):
                raise RulesError(
                    "next() asks for a choice where it asked for a throw; it must depend on the state alone"
                )
        return kind, dice

    @overload
    def follow(self, kind: Throw, values: tuple[int, ...]) -> End: ...
    @overload
    def follow(self, kind: Throw | Decision, values: tuple[int, ...]) -> End | None: ...
    def follow(self, kind: Throw | Decision, values: tuple[int, ...]) -> End | None:
        """Follow an outcome or a move from the last state; None for a move that isn't legal and sensible."""
        self.place.set(self._here)
        self._count_from(self.nothing)
        try:
            with Explained(self.game):
                if isinstance(kind, Decision) and not kind.considered(self.game, values):
                    return None
                applied(kind.run, self.game, values)
            end = self._settle()
        except DependsOnHidden:
            end = AWAY
        return AWAY if self._hide() else end

    def _hide(self) -> bool:
        """Hide the hidden fields again; returns whether the rules had set any of them."""
        shown = [name for name in self.hidden if self.game.__dict__[name] is not poison()]
        self.game.__dict__.update(dict.fromkeys(shown, poison()))
        return bool(shown)

    def counted(self) -> tuple[int, ...]:
        """Return the tallies now."""
        return tuple(self.game.__dict__[name] for name in self.game.declared.tallies)

    def _count_from(self, values: tuple[int, ...]) -> None:
        self.game.__dict__.update(zip(self.game.declared.tallies, values, strict=True))

    def _settle(self) -> End:
        """Play on to the next state or the end of the game; strategies make the choices before it."""
        game = self.game
        for choices in range(LIMITS.steps):
            here, counted = self.place.read(), self.counted()
            with Explained(game):
                step = game.next()
                if step == OVER:
                    self.admit(here)
                    self.choices = max(self.choices, choices)
                    return self.note_over(outcome_of(game), self.counted())
                kind, number = asked(game, step)
                self.admit(here)
                if not isinstance(kind, Decision) or number in self.free:
                    self.choices = max(self.choices, choices)
                    return self.note(here, counted)
                choose(game, kind, number, self.place.choosers)
        with Explained(game):
            raise EndlessGameError(f"{LIMITS.steps:,} choices without a throw")
        raise AssertionError
