"""Guarded transitions: transitions of states without counters, each with the counter values for which it is valid.

`dicelab.runtime.states.counters` finds transitions that are valid within one interval of each counter. Here they are
found for all counter values, when first needed: each transition has its own intervals, within which the rules do the
same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dicelab.errors import NotSmall, PlayError
from dicelab.rules.actions import Throw
from dicelab.runtime.interpreter import Explained
from dicelab.runtime.lineup import Run
from dicelab.runtime.philox import Pool, pool
from dicelab.runtime.states.affine import AffineValue, Span
from dicelab.runtime.states.counters import Purse
from dicelab.runtime.states.explorer import UNRAISED, DependsOnHidden

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


class Regions(Purse):
    """An explorer of guarded transitions, with the states found so far.

    Parameters
    ----------
    run
        The game and its strategies.
    names
        The fields that are counters: `dicelab.runtime.states.counters.purses_of` finds them.
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
        """The parts of a change: what is added to the tallies, what to the counters, and to what peaks are raised."""
        tallies, purses = len(self.nothing), len(self.nothing) + len(self.spans)
        raised = change[purses:]
        return change[:tallies], change[tallies:purses], tuple(zip(raised[::2], raised[1::2], strict=True))

    def counted(self) -> tuple[int, ...]:
        """A change: tallies (0 for peaks), what was added to the counters, to what the followed peaks are raised."""
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

    def throw(self, position: int, purses: Values) -> Pool:
        """The roll in a state, as outcomes with their weights.

        Raises
        ------
        NotSmall
            If the outcomes are too many to be listed.
        """
        self._plain = set(self._names)  # all counters are plain numbers
        thrown = self._asked(*self._stand(position, purses))
        if not thrown.whole:
            raise NotSmall("a roll has too many outcomes")
        self._thrown[position] = thrown
        return thrown

    def way(self, position: int, purses: Values, seen: Values) -> GuardedTransition:
        """The transition of one outcome of the roll, with the counter values for which it is valid.

        Raises
        ------
        NotSmall
            If the dice depend on the counters: they differ from those of `throw` in the same state.
        PlayError
            If a rule or a strategy breaks the contract.
        """
        self._plain = set()
        while True:
            try:
                return self._way(position, purses, seen)
            except DependsOnHidden as met:
                if not met.args or met.args[0] in self._plain:
                    raise
                self._plain.add(met.args[0])  # the rules do more with it, so the guard allows this value only
            except PlayError:
                if self._plain >= self._names:
                    raise
                self._plain |= self._names  # again with plain numbers: the rules may refuse affine values only

    def _way(self, position: int, purses: Values, seen: Values) -> GuardedTransition:
        kind, dice = self._stand(position, purses)
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

    def _stand(self, position: int, purses: Values) -> tuple[Throw, int]:
        self.spans = [Span(name, value) for (name, _), value in zip(self._cells, purses, strict=True)]
        return self.throw_at(self.positions.things[position])
