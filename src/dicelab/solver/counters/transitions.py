"""The transitions of a state, each with the range of counter values for which it is valid.

An outcome of a roll does the same for whole ranges of counter values (`dicelab.solver.counters.transitions`).
The mass of a state is an array over the counters, and a transition moves a rectangular part of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import starmap
from math import gcd

import numpy as np

from dicelab.errors import NotSmall, PlayError
from dicelab.limits import LIMITS
from dicelab.rules.actions import Throw
from dicelab.rules.dice import RollOutcome
from dicelab.runtime.arrays import Floats, Integers
from dicelab.runtime.interpreter import Explained
from dicelab.runtime.lineup import Run
from dicelab.runtime.philox import Pool, pool
from dicelab.runtime.states.counters import AffineValue, CounterExplorer, Span
from dicelab.runtime.states.explorer import UNRAISED, DependsOnHidden

# Guarded transitions --------------------------------------------------------------------------------------------------
#
# Guarded transitions: transitions of states without counters, each with the counter values for which it is valid.
#
# `dicelab.runtime.states.counters` finds transitions that are valid within one interval of each counter. Here they are
# found for all counter values, when first needed: each transition has its own intervals, within which the rules do the
# same.

Values = tuple[int, ...]


@dataclass(frozen=True)
class GuardedTransition:
    """A guarded transition: what one outcome of a roll does if the counters are within bounds.

    Attributes
    ----------
    low, high
        The guard: values of each counter before the roll, from `low` to ``high - 1``.
    target
        Number of the next state, or ``-1 - outcome``.
    by
        What is added to each counter.
    counted
        What is added to each tally; 0 for a `Peak`.
    raised
        For each `Peak` that is followed, a number and the index of a counter (-1 for none): it is raised to the number
        plus the value of the counter before the roll.
    """

    low: Values
    high: Values
    target: int
    by: Values
    counted: Values
    raised: tuple[tuple[int, int], ...] = ()


class Regions(CounterExplorer):
    """An explorer of guarded transitions, with the states found so far.

    Parameters
    ----------
    run
        The game and its strategies.
    names
        The fields that are counters: `dicelab.runtime.states.counters.counter_states` finds them.
    peaks
        The tallies of the kind `Peak` that are followed.

    Attributes
    ----------
    begin
        State and counters before the first roll, and the tallies counted until then, peaks included.
    """

    def __init__(self, run: Run, names: Sequence[str], peaks: Sequence[str] = ()) -> None:
        self._names, self._plain = set(names), set[str]()
        self._followed = tuple(peaks)
        self._thrown: dict[int, Pool] = {}
        super().__init__(run, names)
        position, change = self.start
        counted, added, raised = self._parts(self.changes.things[change])
        first = tuple(span.value for span in self.spans)
        tops = {name: by + (first[at] if at >= 0 else 0) for name, (by, at) in zip(self._followed, raised, strict=True)}
        tallies = zip(self.game.declared.tallies, counted, strict=True)
        counted = tuple(max(0, tops[name]) if name in tops else number for name, number in tallies)
        self.begin = position, tuple(map(sum, zip(first, added, strict=True))), counted

    def _parts(self, change: Values) -> tuple[Values, Values, tuple[tuple[int, int], ...]]:
        """Return the parts of a change: what is added to the tallies, what to the counters, and to what peaks are
        raised.
        """
        tallies, both = len(self.nothing), len(self.nothing) + len(self.spans)
        raised = change[both:]
        return change[:tallies], change[tallies:both], tuple(zip(raised[::2], raised[1::2], strict=True))

    def counted(self) -> tuple[int, ...]:
        """Return a change: tallies (0 for peaks), what was added to the counters, to what the followed peaks are
        raised.
        """
        peaks, values = self._peaks, self.game.__dict__
        added = [self._added(name, i, span) for (name, i), span in zip(self._cells, self.spans, strict=True)]
        tallies = [0 if name in peaks else values[name] for name in self.game.declared.tallies]
        for number in tallies:
            if isinstance(number, AffineValue):
                raise DependsOnHidden(number.span.name)
        return *tallies, *added, *(number for name in self._followed for number in self._raised(values[name]))

    def _added(self, name: str, i: int, span: Span) -> int:
        value = self._cell(name, i)
        if name in self._plain:
            return int(value) - span.value
        if type(value) is not AffineValue or value.span is not span:
            raise DependsOnHidden(name)
        declared = self.game.declared.state[name]
        low, high = declared.bounds(self.game)
        if not low <= value <= high or (declared.grows and value.by < 0):
            raise DependsOnHidden(name)  # `way` repeats it with the plain value, and the rules raise the right error
        return value.by

    def _count_from(self, values: tuple[int, ...]) -> None:
        tallies = self.game.declared.tallies
        self.game.__dict__.update(zip(tallies, values, strict=False))
        self.game.__dict__.update(dict.fromkeys(self._peaks, UNRAISED))
        _, added, raised = self._parts(values)
        for (name, i), span, by in zip(self._cells, self.spans, added or (0,) * len(self.spans), strict=False):
            self._put(name, i, span.value + by if name in self._plain else AffineValue(span, by))
        for name, (by, at) in zip(self._followed, raised, strict=False):
            self.game.__dict__[name] = AffineValue(self.spans[at], by) if at >= 0 else by

    def throw(self, position: int, counters: Values) -> Pool:
        """Return the roll in a state, as outcomes with their weights.

        Raises
        ------
        NotSmall
            If the outcomes are too many to be listed.
        """
        self._plain = set(self._names)  # all counters are plain numbers
        thrown = self._asked(*self._stand(position, counters))
        if not thrown.whole:
            raise NotSmall("a roll has too many outcomes")
        self._thrown[position] = thrown
        return thrown

    def way(self, position: int, counters: Values, seen: Values) -> GuardedTransition:
        """Return the transition of one outcome of the roll, with the counter values for which it is valid.

        Raises
        ------
        NotSmall
            If the dice depend on the counters: they differ from those of `throw` in the same state.
        """
        self._plain = set()
        while True:
            try:
                return self._way(position, counters, seen)
            except DependsOnHidden as met:
                if not met.args or met.args[0] in self._plain:
                    raise
                self._plain.add(met.args[0])  # the rules do more with it, so the guard allows this value only
            except PlayError:
                if self._plain >= self._names:
                    raise
                self._plain |= self._names  # again with plain numbers: the rules may refuse affine values only

    def _way(self, position: int, counters: Values, seen: Values) -> GuardedTransition:
        kind, dice = self._stand(position, counters)
        if self._asked(kind, dice) != self._thrown[position]:
            raise NotSmall("which dice are rolled depends on its counters")
        target, change = self.follow(kind, seen)
        counted, by, raised = self._parts(self.changes.things[change])
        low, high = [], []
        for (name, _i), span in zip(self._cells, self.spans, strict=True):
            plain = name in self._plain
            low.append(span.value if plain else span.low)
            high.append(span.value + 1 if plain else span.high)
        return GuardedTransition(tuple(low), tuple(high), target, by, counted, raised)

    def _asked(self, kind: Throw, dice: int) -> Pool:
        with Explained(self.game):
            return pool(self.game, kind, dice)

    def _stand(self, position: int, counters: Values) -> tuple[Throw, int]:
        self.spans = [Span(name, value) for (name, _), value in zip(self._cells, counters, strict=True)]
        return self.throw_at(self.positions.things[position])


@dataclass
class MassBlock:
    """The probability mass of one state, as an array over the counter values.

    ``mass[i, j, ..., h]`` is the mass with counters ``low[0] + i * steps[0]``, ``low[1] + j * steps[1]``, ..., of games
    that have not passed threshold h (`Thresholds`; without them there is one h).
    """

    low: Values
    mass: Floats

    @property
    def whole(self) -> Floats:
        """The mass at the last threshold; at lower thresholds there is less."""
        return self.mass[..., -1]


@dataclass
class Transition:
    """A guarded transition, with the joint weight of all outcomes of the roll that lead to it.

    Its probability is ``weight / total``; `visits` is how often it was taken, on average.
    """

    state: int
    way: GuardedTransition
    weight: int
    total: int
    visits: float = 0.0
    most: list[int] = field(default_factory=list)
    """The largest value of each counter before the roll."""
    ends: list[dict[int, float]] = field(default_factory=list)
    """If it ends the game: for each counter the mass by its value before the roll, and last by the number of rolls."""

    @property
    def stays(self) -> bool:
        """Whether it leads back to its state without changing any counter."""
        return self.way.target == self.state and not any(self.way.by)

    def top(self, peak: int) -> int:
        """Return the largest value to which it raised the `Peak` with this place among those followed."""
        by, axis = self.way.raised[peak]
        return by + (self.most[axis] if axis >= 0 else 0)


class LatticeRefined(Exception):
    """Raised when counters change by smaller multiples than assumed: of `steps`."""

    def __init__(self, steps: Values) -> None:
        self.steps = steps


class StateTransitions:
    """The transitions known for one state; for each outcome of its roll they cover disjoint ranges of the counters."""

    def __init__(self, regions: Regions, state: int) -> None:
        self.regions, self.state = regions, state
        self.outcomes: list[RollOutcome] = []
        self.ways: list[list[GuardedTransition]] = []
        self.transitions: list[Transition] = []
        self.weight = 1

    def forget(self) -> None:
        """Reset what was counted, but keep the transitions."""
        for transition in self.transitions:
            transition.visits, transition.most, transition.ends = 0.0, [], []

    def moves(self, block: MassBlock, steps: Values) -> list[tuple[Transition, tuple[slice, ...]]]:
        """Return the transitions that a block of mass takes, each with its part of the block; new ones are found if
        needed.
        """
        if not self.outcomes:
            first = _counters(block, steps, int(block.whole.argmax()))
            roll = self.regions.throw(self.state, first)
            self.outcomes, self.weight = list(roll.outcomes), roll.weight
            self.ways = [[] for _ in self.outcomes]
        parts = self._parts(block, steps)
        # every cell with mass must be covered once by each outcome; weights add up to the total of the roll
        covered = sum(transition.weight * np.count_nonzero(block.whole[part]) for transition, part in parts)
        if covered < self.weight * np.count_nonzero(block.whole):
            for outcome, ways in zip(self.outcomes, self.ways, strict=True):
                self._complete(block, steps, outcome.seen, ways)
            self._merge()
            parts = self._parts(block, steps)
        return parts

    def _parts(self, block: MassBlock, steps: Values) -> list[tuple[Transition, tuple[slice, ...]]]:
        if not self.transitions:
            return []
        first, last = _within(block, steps, self._bounds)
        parts = []
        for k in np.flatnonzero((first < last).all(axis=1)).tolist():
            part = tuple(slice(i, j) for i, j in zip(first[k].tolist(), last[k].tolist(), strict=True))
            parts.append((self.transitions[k], part))
        return parts

    def _complete(self, block: MassBlock, steps: Values, seen: Values, ways: list[GuardedTransition]) -> None:
        """Find the transitions of an outcome for all counter values with mass in a block."""
        unknown = block.whole > 0
        for way in ways:
            unknown[_part(block, steps, way)] = False
        while unknown.any():
            way = self.regions.way(self.state, _counters(block, steps, int(unknown.argmax())), seen)
            refined = tuple(starmap(gcd, zip(steps, way.by, strict=True)))
            if refined != steps:
                raise LatticeRefined(refined)
            ways.append(way)
            unknown[_part(block, steps, way)] = False

    def _merge(self) -> None:
        """Set `transitions`: equal guarded transitions of different outcomes become one, their weights added up."""
        weights: dict[GuardedTransition, int] = {}
        for outcome, ways in zip(self.outcomes, self.ways, strict=True):
            for way in ways:
                weights[way] = weights.get(way, 0) + outcome.weight
        old = {transition.way: transition for transition in self.transitions}
        self.transitions = [old.get(way) or Transition(self.state, way, 0, self.weight) for way in weights]
        for transition in self.transitions:  # a known one may have a new outcome, which had no mass until now
            transition.weight = weights[transition.way]
        self._bounds = np.array(
            [(transition.way.low, transition.way.high) for transition in self.transitions], np.int64
        )
        if len(self.transitions) > LIMITS.transitions:
            raise NotSmall("a state has too many transitions")


def _counters(block: MassBlock, steps: Values, place: int) -> Values:
    """Return the counter values at an index (flat) of a block."""
    at = np.unravel_index(place, block.whole.shape)
    return tuple(a + int(i) * s for a, i, s in zip(block.low, at, steps, strict=True))


def _within(block: MassBlock, steps: Values, bounds: Integers) -> tuple[Integers, Integers]:
    """First index and end, on each axis of a block, of counter values within `bounds`, an array (..., 2, counters)."""
    low, step = np.array(block.low), np.array(steps)
    first, last = -((low - bounds[..., 0, :]) // step), -((low - bounds[..., 1, :]) // step)
    return np.maximum(first, 0), np.minimum(last, block.whole.shape)


def _part(block: MassBlock, steps: Values, way: GuardedTransition) -> tuple[slice, ...]:
    """Return the part of a block for which a guarded transition is valid."""
    first, last = _within(block, steps, np.array([way.low, way.high], np.int64))
    return tuple(slice(i, max(i, j)) for i, j in zip(first.tolist(), last.tolist(), strict=True))
