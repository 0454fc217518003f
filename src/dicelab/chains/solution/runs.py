"""A chain in half-steps, where neighbours lead to neighbours: what makes large chains of LCR quick.

A roll in LCR moves coins between three seats and the center. States that differ only in the coins of the other seats
have the same outcomes, and if states are numbered so that these other coins count least, such states are a *run*: state
``s + 1`` leads, by each outcome, to the place after the one to which ``s`` leads. So an edge need not be stored for
each state, and a loop over a run is a few lines of plain vector arithmetic::

    place[j] + i    where line j of a run leads from its state with index i, with probability chance[j]
    leads[a]        the state to which place a leads, or -1 - outcome; the view of the seats is rotated only now
    label[a]        a label of the edges that end at this place, which says what they add to the tallies

A place is a state and a change of the tallies, as seen before the view rotates.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicelab.chains.enumeration.model import Graph
from dicelab.chains.enumeration.unfold import turned_keys
from dicelab.chains.solution import run_loops
from dicelab.chains.solution.loops import fast
from dicelab.chains.solution.ordering import Edges, Numbers
from dicelab.states.symmetry import Rotation

FEWEST_EDGES = 100_000
"""Edges from which runs are looked for."""
SHORT = 8
"""Mean length of runs below which they cost more than they save."""
MOST_CHANGES = 16
"""Limit of the different changes of the tallies: each takes five bytes for each state while runs are found."""
TRIED = 4_000
"""States of a component, at most, on which the orders of the numbers are tried."""


Order = NDArray[np.int64]


@dataclass(frozen=True)
class Runs:
    """A chain in half-steps.

    Attributes
    ----------
    order
        int64 array: the number in `Edges` of each state. Components are as there; inside them runs are together.
    start
        The state in which the game begins.
    ends, run_ends, place_ends
        int64 arrays: where each component ends among the states, the runs, and the places that lead to it.
    begin, row
        int64 arrays (runs + 1,): the first state of each run, and its first line.
    place, chance
        int64 and float64 arrays (lines,).
    leads, label
        int32 arrays (places,); the places that end the game are the last ones.
    """

    order: NDArray[np.int64]
    start: int
    ends: NDArray[np.int64]
    run_ends: NDArray[np.int64]
    place_ends: NDArray[np.int64]
    begin: NDArray[np.int64]
    row: NDArray[np.int64]
    place: NDArray[np.int64]
    chance: Numbers
    leads: NDArray[np.int32]
    label: NDArray[np.int32]

    @classmethod
    def of(cls, graph: Graph, edges: Edges) -> Runs | None:
        """The runs of a chain; None where these are short, or the chain is small."""
        sizes = np.diff(edges.ends, prepend=0)
        some = np.flatnonzero(sizes <= TRIED)
        if len(edges.target) < FEWEST_EDGES or len(graph.changes) > MOST_CHANGES or not len(some):
            return None
        numbering = _Numbering(graph, edges)
        tried = int(some[np.argmax(sizes[some])])
        significant, found = numbering.best_order(tried)
        if sizes[tried] < SHORT * found:
            return None
        return numbering.runs(range(len(edges.ends)), significant)

    @property
    def arrays(self) -> tuple[Any, ...]:
        """What the loops of `dicelab.chains.solution.run_loops` take for the chain."""
        borders = self.ends, self.run_ends, self.place_ends
        return *borders, self.begin, self.row, self.place, self.chance, self.leads

    def run(self, loop: Any, *arguments: Any) -> Any:
        """Run a loop of `dicelab.chains.solution.run_loops` on the chain, compiled."""
        return fast(loop, FEWEST_EDGES)(self.arrays, *arguments)

    def expected_visits(self) -> Numbers | None:
        """Expected visits of each state of `Edges`; None where the passes converge slowly."""
        pending, count = np.zeros(len(self.order)), np.zeros(len(self.order))
        pending[self.start] = 1.0
        done = self.run(run_loops.expected_visits, pending, np.zeros(len(self.leads)), count)
        return self._as_in_edges(count) if done == len(self.ends) else None

    @cached_property
    def _back(self) -> tuple[NDArray[np.int64], Order]:
        """The places that lead to each state: where those of a state begin in an array of places, and that array."""
        inner = self.leads[: self.place_ends[-1]]
        before = np.cumsum(np.bincount(inner, minlength=len(self.order)))
        return np.concatenate(([0], before)), np.argsort(inner, kind="stable")

    def values(self, gain: Numbers, prize: Numbers) -> Numbers | None:
        """As `dicelab.chains.solution.expectations.values`; None where the passes converge slowly."""
        add, ending = gain[self.label], slice(int(self.place_ends[-1]), None)
        add[ending] += prize[-1 - self.leads[ending]]
        value, sums = np.zeros(len(self.order)), np.empty(int(np.diff(self.begin).max()))
        stuck = self.run(run_loops.values, *self._back, add, value, add.copy(), sums)
        return self._as_in_edges(value) if stuck < 0 else None

    def _as_in_edges(self, numbers: Numbers) -> Numbers:
        """Numbers of the states, in the order of `Edges`."""
        found = np.empty_like(numbers)
        found[self.order] = numbers
        return found


class _Numbering:
    """Numbers the states and places of a chain by some order of the numbers in a state."""

    def __init__(self, graph: Graph, edges: Edges) -> None:
        self.graph, self.edges = graph, edges
        self.keys = graph.keys[edges.order]
        self.component = np.repeat(np.arange(len(edges.ends)), np.diff(edges.ends, prepend=0))
        self.turn = graph.turned
        self.rotation = Rotation.of(graph.game) if graph.turn is not None else None

    def _seen(self, state: NDArray[np.int64], change: int) -> NDArray[np.uint64]:
        """States that an edge with a change leads to, packed as they are before the view rotates."""
        keys = self.keys[state]
        if self.rotation is None:
            return keys
        return turned_keys(self.graph.slots, self.rotation, keys, int(self.turn[change]))

    def _sorted(self, keys: NDArray[np.uint64], component: NDArray[np.int64], significant: list[int]) -> Order:
        """The order of states by component, then by their numbers, the most significant ones first."""
        slots, words, used = self.graph.slots, [component.astype(np.uint64)], int(self.component[-1]).bit_length()
        for i in significant:
            bits = int(slots.span[i]).bit_length()
            if not bits:
                continue
            if used + bits > 64:
                words.append(np.zeros(len(keys), np.uint64))
                used = 0
            words[-1] = (words[-1] << np.uint64(bits)) | slots.bits(keys, i)
            used += bits
        return np.argsort(words[0], kind="stable") if len(words) == 1 else np.lexsort(words[::-1])

    def best_order(self, component: int) -> tuple[list[int], int]:
        """An order of the numbers of a state by which a component has few runs, and how many it then has.

        Numbers that edges change more often come first. Some of these follow from others (who has coins at all); they
        come last where that makes the runs longer.
        """
        changed = self._changed(component)
        best = np.argsort(-changed, kind="stable").tolist()
        least = len(self.runs(range(component, component + 1), best).begin) - 1
        for i in [i for i in best if changed[i]]:
            other = [*(j for j in best if j != i), i]
            found = len(self.runs(range(component, component + 1), other).begin) - 1
            if found < least:
                best, least = other, found
        return best, least

    def _changed(self, component: int) -> NDArray[np.int64]:
        """How many edges of a component change each number of a state."""
        edges, slots = self.edges, self.graph.slots
        states = np.flatnonzero(self.component == component)
        span = np.arange(edges.row[states[0]], edges.row[states[-1] + 1])
        span = span[edges.target[span] >= 0]
        source = np.searchsorted(edges.row, span, side="right") - 1
        change = edges.change[edges.label[span]]
        changed = np.zeros(len(slots.names), np.int64)
        for k in np.unique(change).tolist():
            here = change == k
            before, after = self.keys[source[here]], self._seen(edges.target[span[here]], k)
            for i in range(len(changed)):
                changed[i] += np.count_nonzero(slots.bits(before, i) != slots.bits(after, i))
        return changed

    def runs(self, components: range, significant: list[int]) -> Runs:
        """The runs of some components, one after the other; their places are those that they lead to."""
        edges, graph = self.edges, self.graph
        first = int(edges.ends[components[0] - 1]) if components[0] else 0
        last = int(edges.ends[components[-1]])
        count, n = len(graph.changes), len(edges.order) - first  # no edge leads back to an earlier component
        order = self._sorted(self.keys[first:last], self.component[first:last], significant)
        marks, over = np.zeros((count, n), np.bool_), np.zeros((count, graph.outcomes), np.bool_)
        edges.run(run_loops.mark_places, first, last, edges.change, marks, over)
        change, state = np.nonzero(marks)
        seen = [self._seen(first + state[change == k], k) for k in range(count)]
        component = self.component[first:]
        by = self._sorted(np.concatenate(seen), component[state], significant)
        change, state = change[by], state[by]
        last_change, outcome = np.nonzero(over)
        leads, ends = np.full((count, n), -1, np.int32), np.full((count, graph.outcomes), -1, np.int32)
        leads[change, state] = np.arange(len(state))
        ends[last_change, outcome] = len(state) + np.arange(len(outcome))
        number = np.full(n, -1)
        number[order] = np.arange(len(order))
        start = int(number[edges.start - first]) if first <= edges.start < last else -1
        begin, row = (np.empty(len(order) + 1, np.int64) for _ in range(2))
        room = int(edges.row[last] - edges.row[first])
        place, chance = np.empty(room, np.int64), np.empty(room)
        run_ends = np.empty(len(components), np.int64)
        borders = edges.ends[components.start : components.stop] - first
        made = begin, row, run_ends, place, chance
        runs, lines = edges.run(run_loops.find_runs, first + order, borders, first, edges.change, leads, ends, *made)
        label = np.zeros(count, np.int32)
        label[edges.change] = np.arange(len(edges.change))
        return Runs(
            first + order,
            start,
            borders,
            run_ends,
            np.searchsorted(component[state], np.arange(components.start, components.stop), side="right"),
            begin[: runs + 1].copy(),
            row[: runs + 1].copy(),
            place[:lines].copy(),
            chance[:lines].copy(),
            np.concatenate((number[state], -1 - outcome)).astype(np.int32),
            label[np.concatenate((change, last_change))],
        )
