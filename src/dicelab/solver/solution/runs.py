"""A chain in half-steps, where neighbours lead to neighbours: what makes large chains of LCR quick.

A roll in LCR moves coins between three seats and the center. States that differ only in the coins of the other seats
have the same outcomes, and if states are numbered so that these other coins count least, such states are a *run*: state
``s + 1`` leads, by each outcome, to the place after the one to which ``s`` leads. So an edge need not be stored for
each state, and a loop over a run is a few lines of plain vector arithmetic::

    place[j] + i      where line j of a run leads from its state with index i, with probability chance[j]
    leads[a]          the state to which place a leads, or -1 - outcome; the view of the seats is rotated only now
    place_change[a]   the row of the graph's changes that the edges to this place add

A place is a state and a change of the tallies, as seen before the view rotates.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicelab.limits import LIMITS
from dicelab.runtime.arrays import Floats
from dicelab.runtime.states.symmetry import Rotation
from dicelab.solver.enumeration.model import Graph, ranges
from dicelab.solver.enumeration.unfold import turned_keys
from dicelab.solver.solution import run_loops
from dicelab.solver.solution.loops import fast
from dicelab.solver.solution.ordering import OrderedEdges, as_found, must_end, reordered, states_of

MOST_CHANGES = 16
"""Limit of the different changes of the tallies: each takes a bit for each state while runs are found."""
TRIED = 4_000
"""States of a component, at most, on which the orders of the numbers are tried."""
SORTED = 4_000_000
"""States that are sorted at the same time, unless a component has more, to save memory."""

Order = NDArray[np.int64]


@dataclass(frozen=True)
class HalfSteps:
    """A chain in half-steps.

    Attributes
    ----------
    order
        int32 array: the number in the graph of each state. States are in topological order of their components; inside
        a component runs are together.
    start
        The state in which the game begins.
    ends, run_ends, place_ends
        int64 arrays: where each component ends among the states, the runs, and the places that lead to it.
    begin, row
        int64 arrays (runs + 1,): the first state of each run, and its first line.
    place, line_label
        int32 array (lines,), and the label of the edges of the first state of the run.
    leads, place_change
        int32 and uint8 arrays (places,); the last ones end the game, one for each change and outcome.
    back_row, back
        int32 arrays: the places that lead to state s are ``back[back_row[s]]`` to ``back[back_row[s + 1] - 1]``.
    chance, change, roundings
        As in `OrderedEdges`.
    """

    order: NDArray[np.int32]
    start: int
    ends: NDArray[np.int64]
    run_ends: NDArray[np.int64]
    place_ends: NDArray[np.int64]
    begin: NDArray[np.int64]
    row: NDArray[np.int64]
    place: NDArray[np.int32]
    line_label: NDArray[Any]
    leads: NDArray[np.int32]
    place_change: NDArray[np.uint8]
    back_row: NDArray[np.int32]
    back: NDArray[np.int32]
    chance: Floats
    change: NDArray[np.int64]
    roundings: int

    @classmethod
    def of(cls, graph: Graph, order: Order, ends: NDArray[np.int64]) -> HalfSteps | None:
        """Return the runs of a chain with its states in topological `order`; None where they are short, or the chain is
        small.

        Raises
        ------
        EndlessGameError
            When the game can reach a state from which it never ends.
        """
        sizes = np.diff(ends, prepend=0)
        some = np.flatnonzero(sizes <= TRIED)
        if graph.edges < LIMITS.run_edges or len(graph.changes) > MOST_CHANGES or not len(some):
            return None
        tried = int(some[np.argmax(sizes[some])])
        if sizes[tried] < LIMITS.run_length:
            return None
        numbering = _Numbering(graph, order, ends)
        significant, shape = numbering.best_order(tried)
        if sizes[tried] < LIMITS.run_length * shape:
            return None
        runs = numbering.runs(range(len(ends)), significant)
        last = runs.place + np.repeat(np.diff(runs.begin), np.diff(runs.row)) - 1  # the last place of each line
        farthest = np.maximum.reduceat(last, runs.row[np.append(0, runs.run_ends[:-1])])
        must_end(graph, runs.order, ends, farthest < runs.place_ends)
        return runs

    @property
    def arrays(self) -> tuple[Any, ...]:
        """What the loops of `dicelab.solver.solution.run_loops` take for the chain."""
        borders = self.ends, self.run_ends, self.place_ends
        return *borders, self.begin, self.row, self.place, self.chance[self.line_label], self.leads, self.place_change

    def run(self, loop: Any, *arguments: Any) -> Any:
        """Run a loop of `dicelab.solver.solution.run_loops` on the chain, compiled."""
        return fast(loop, LIMITS.run_edges)(self.arrays, *arguments)

    @property
    def edge_count(self) -> int:
        """Number of edges."""
        return int(np.diff(self.begin) @ np.diff(self.row))

    def by_change(self, gain: NDArray[Any]) -> NDArray[Any]:
        """Return what edges add, by rows of the graph's changes; `gain` is by labels."""
        sums = np.zeros(int(self.place_change[-1]) + 1, gain.dtype)
        sums[self.change] = gain
        return sums

    def edges(self, low: int, high: int) -> OrderedEdges:
        """Return the edges of the states `low` to ``high - 1``; the chance that a step leads
        elsewhere is not in them.
        """
        _, kind = np.unique(self.chance, return_inverse=True)
        labels = np.zeros((len(kind), int(self.place_change[-1]) + 1), self.line_label.dtype)
        labels[kind, self.change] = np.arange(len(kind))  # by chance and change
        states, most = high - low, int(np.diff(self.row).max())
        row = np.empty(states + 1, np.int64)
        target, label = np.empty(states * most, np.int32), np.empty(states * most, labels.dtype)
        self.run(run_loops.list_edges, low, high, labels[kind], self.line_label, row, target, label)
        labelled = label[: row[-1]], self.chance, self.change
        return OrderedEdges(
            self.order, self.start, self.ends, row, target[: row[-1]], *labelled, np.zeros(0), self.roundings
        )

    def whole(self) -> OrderedEdges:
        """Return all edges."""
        edges = self.edges(0, len(self.order))
        order = np.arange(len(self.order))
        return reordered(edges, order, self.ends, np.ones(len(self.chance), np.bool_))

    def exits(self, visits: Floats) -> tuple[NDArray[np.int64], Floats]:
        """Return the edges that end the game: the outcome of each, and the mass that leaves by it."""
        last = self.place + np.repeat(np.diff(self.begin), np.diff(self.row))  # the place after those of each line
        room = int(np.maximum(0, last - np.maximum(self.place, self.place_ends[-1])).sum())
        outcome, mass = np.empty(room, np.int64), np.empty(room)
        self.run(run_loops.exits, visits, outcome, mass)
        return outcome, mass

    def arrivals(self, visits: Floats, arrives: Floats, edges: NDArray[np.int32]) -> None:
        """Add the mass, with these `visits`, and the number of edges that arrive at each state."""
        y, many = np.zeros(len(self.leads)), np.zeros(len(self.leads), np.int32)
        self.run(run_loops.arrivals, visits, y, many, arrives, edges)

    def error_per_step(self, gain: Floats, prize: Floats, value: Floats, steps: Floats) -> float:
        """Return a bound: the error of each of the values is at most this, times its steps; infinite if none is."""
        worth, later = self._worth(gain, prize, value), self._worth(0.0 * gain, 0.0 * prize, steps)
        scratch = np.empty((3, int(np.diff(self.begin).max())))
        return float(self.run(run_loops.proof_range, self.roundings, worth, later, value, steps, *scratch))

    def variances(self, gain: Floats, value: Floats, off: float, visits: Floats) -> tuple[float, float, float]:
        """As `dicelab.solver.solution.loops.variances`, without prizes."""
        worth = self._worth(gain, np.zeros(int(-self.leads.min())), value)
        scratch = np.empty((3, int(np.diff(self.begin).max())))
        given = self.roundings, worth, value, off, visits, *scratch
        variances: tuple[float, float, float] = self.run(run_loops.variances, *given)
        return variances

    def _worth(self, gain: Floats, prize: Floats, value: Floats) -> Floats:
        """Return for each place what the edges to it add, by their labels, and the value or prize that follows."""
        ending, worth = int(self.place_ends[-1]), self.by_change(gain)[self.place_change]
        worth[:ending] += value[self.leads[:ending]]
        worth[ending:] += prize[-1 - self.leads[ending:]]
        return worth

    def expected_visits(self) -> Floats | None:
        """Return the expected visits of each state; None where the passes converge slowly."""
        pending, count = np.zeros(len(self.order)), np.zeros(len(self.order))
        pending[self.start] = 1.0
        done = self.run(run_loops.expected_visits, self.back_row, self.back, pending, np.zeros(len(self.leads)), count)
        return count if done == len(self.ends) else None

    def values(self, gain: Floats, prize: Floats) -> Floats | None:
        """As `dicelab.solver.solution.expectations.values`; None where the passes converge slowly."""
        added, ending = self.by_change(gain), slice(int(self.place_ends[-1]), None)
        worth = added[self.place_change]
        worth[ending] += prize[-1 - self.leads[ending]]
        value, sums = np.zeros(len(self.order)), np.empty(int(np.diff(self.begin).max()))
        back = self.back_row, self.back, self.place_change[self.back]
        stuck = self.run(run_loops.values, *back, added, value, worth, sums)
        return value if stuck < 0 else None


class _Numbering:
    """Numbers the states and places of a chain by some order of the numbers in a state."""

    def __init__(self, graph: Graph, order: Order, ends: NDArray[np.int64]) -> None:
        self.graph, self.order, self.ends = graph, order, ends
        self.rotation = Rotation.of(graph.game) if graph.turn is not None else None
        self.as_found = as_found(graph)

    def _seen(self, state: NDArray[Any], change: int) -> NDArray[np.uint64]:
        """Return the states that an edge with a change leads to, packed as they are before the view rotates."""
        keys: NDArray[np.uint64] = self.graph.keys[state]
        if self.rotation is None:
            return keys
        return turned_keys(self.graph.slots, self.rotation, keys, int(self.graph.turned[change]))

    def _sort_keys(
        self, states: NDArray[Any], component: NDArray[Any], significant: list[int], change: int | None = None
    ) -> NDArray[np.uint64]:
        """Return words by which states are sorted: by component, then by their numbers, most significant ones first.

        With a `change`, of the states as they are before the view rotates, which come after one another by change.
        """
        slots, by = self.graph.slots, 0 if change is None else int(self.graph.turned[change])
        source, seats = np.arange(len(slots.low)), np.zeros(len(slots.low), np.int64)
        if by and self.rotation is not None:
            count = self.rotation.seats
            seats[list(self.rotation.single)] = count
            for at, step in self.rotation.rows:
                for seat in range(count):
                    source[at + (seat + by) % count * step] = at + seat * step
        width = np.array([int(slots.span[i]).bit_length() for i in significant])
        last = 0 if change is None else (len(self.graph.changes) - 1).bit_length()
        used, word = int(component.max(initial=0)).bit_length() + last, np.zeros(len(significant), np.int64)
        for m, bits in enumerate(width.tolist()):
            used += bits
            if used > 64:
                word[m:] += 1
                used = bits + last
        to, masks = np.array(significant), np.array([slots.mask(i) for i in range(len(slots.low))])
        whence = source[to]
        numbers = (
            *(slots.word[whence], slots.shift[whence].astype(np.uint64), masks[whence], slots.low[whence]),
            *(slots.low[to], width.astype(np.uint64), word, seats[to]),
        )
        words = np.empty((int(word.max(initial=0)) + 1, len(states)), np.uint64)
        given = self.graph.keys, states, component, numbers, by, np.uint64(last), np.uint64(change or 0)
        fast(run_loops.sort_keys, LIMITS.run_edges)(*given, words)
        return words

    def best_order(self, component: int) -> tuple[list[int], int]:
        """Return an order of the numbers of a state by which a component has few runs, and how many it then has.

        Numbers that edges change more often come first. Some of these follow from others (who has coins at all); they
        come last where that makes the runs longer.
        """
        changed = self._changed(component)
        best = np.argsort(-changed, kind="stable").tolist()
        least = len(self.runs(range(component, component + 1), best).begin) - 1
        for i in [i for i in best if changed[i]]:
            other = [*(j for j in best if j != i), i]
            count = len(self.runs(range(component, component + 1), other).begin) - 1
            if count < least:
                best, least = other, count
        return best, least

    def _changed(self, component: int) -> NDArray[np.int64]:
        """Return how many edges of a component change each number of a state."""
        graph, slots = self.graph, self.graph.slots
        states = self.order[states_of(self.ends, component)]
        length = np.diff(graph.row)[states]
        edges, source = ranges(graph.row[states], length), np.repeat(states, length)
        inner = graph.target[edges] >= 0
        source, target, change = source[inner], graph.target[edges[inner]], graph.change[graph.label[edges[inner]]]
        changed = np.zeros(len(slots.names), np.int64)
        for k in np.unique(change).tolist():
            before, after = graph.keys[source[change == k]], self._seen(target[change == k], k)
            for i in range(len(changed)):
                changed[i] += np.count_nonzero(slots.bits(before, i) != slots.bits(after, i))
        return changed

    def _in_order(self, components: range, marks: NDArray[np.uint16], significant: list[int]) -> tuple[Any, ...]:
        """Return the states of some components in order, and the places that lead to them by their `marks`.

        Of the places the states, the changes, and how many there are for each component.
        """
        inside = slice(states_of(self.ends, components[0]).start, int(self.ends[components[-1]]))
        states, sizes = self.order[inside], np.diff(self.ends, prepend=0)[components.start : components.stop]
        component = np.repeat(np.arange(len(components)), sizes)
        marked = marks[states]
        here = [np.flatnonzero(marked >> k & 1) for k in range(len(self.graph.changes))]
        seen = [self._sort_keys(states[at], component[at], significant, k) for k, at in enumerate(here)]
        change, at = np.repeat(np.arange(len(here), dtype=np.uint8), list(map(len, here))), np.concatenate(here)
        by = _order(np.concatenate(seen, axis=1))
        ordered = states[_order(self._sort_keys(states, component, significant))].astype(np.int32)
        count = np.bincount(component[at], minlength=len(components))
        return ordered, states[at[by]].astype(np.int32), change[by], count

    def runs(self, components: range, significant: list[int]) -> HalfSteps:
        """Return the runs of some components, one after the other; their places are those that they lead to."""
        graph, ends, first = self.graph, self.ends, components.start
        before = states_of(ends, first).start
        marks = np.zeros(graph.states, np.uint16)  # a bit for each change with which edges lead to a state
        bit, borders = np.left_shift(1, graph.change).astype(np.uint16), ends[first : components.stop] - before
        inside = np.sort(self.order[before : before + borders[-1]])  # what is near in memory is looked at together
        self.as_found.run(run_loops.mark_places, inside, bit, marks)
        part = (ends[first:] - 1 - before) // SORTED
        cuts = [first, *(first + 1 + np.flatnonzero(np.diff(part))).tolist(), len(ends)]
        parts = [self._in_order(range(*cut), marks, significant) for cut in pairwise(cuts)]
        order, state, change, count = (np.concatenate(each) for each in zip(*parts, strict=True))
        del parts
        outcome, by = np.tile(np.arange(graph.outcomes), len(graph.changes)), np.arange(len(graph.changes))
        place_state = np.concatenate((state, -1 - outcome)).astype(np.int32)
        place_change = np.concatenate((change, np.repeat(by, graph.outcomes))).astype(np.uint8)
        number = np.empty(graph.states, np.int32)
        number[order] = np.arange(len(order), dtype=np.int32)
        leads = np.concatenate((number[state], place_state[len(state) :]))
        back_row = np.cumsum(np.bincount(leads[: len(state)] + 1, minlength=len(order) + 1)).astype(np.int32)
        back = np.empty(len(state), np.int32)
        fast(run_loops.list_places, LIMITS.run_edges)(leads, back_row.copy(), back)
        mine = order[: borders[-1]]
        (begin, row), run_ends = np.empty((2, len(mine) + 1), np.int64), np.empty_like(borders)
        place, label = np.empty(graph.edges, np.int32), np.empty_like(graph.label)
        places, made = (number, place_state, place_change, back_row, back), (begin, row, run_ends, place, label)
        given = graph.change, graph.outcomes, mine, borders, places, made
        runs, lines = self.as_found.run(run_loops.find_runs, *given)
        lined = begin[: runs + 1].copy(), row[: runs + 1].copy(), place[:lines].copy(), label[:lines].copy()
        placed = leads, place_change, back_row, back
        labelled = self.as_found.chance, graph.change, self.as_found.roundings
        start = int(number[graph.start])
        return HalfSteps(order, start, borders, run_ends, np.cumsum(count), *lined, *placed, *labelled)


def _order(words: NDArray[np.uint64]) -> Order:
    """Return the order of different keys, given their words, the most significant ones first."""
    return np.argsort(words[0]) if len(words) == 1 else np.lexsort(words[::-1])
