"""Optimal policies of one seat or two, from every state of a graph, with a bound on the error of the values.

Strongly connected components are solved one after the other from the end, by value iteration. Where that converges
slowly it alternates with policy iteration: the best moves are fixed and their values solved for by elimination.

The bound is that of `dicelab.solver.solution.backward`, by the expected steps N to the end under the policies found. If
``v + d N`` does not rise by any roll, nor by any move of the maximising seat, nor by the picked move of the minimising
seat, then that seat's policy keeps the maximising seat to at most ``v + d N``; likewise for ``v - d N`` with the seats
exchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicelab.errors import PlayError
from dicelab.limits import LIMITS
from dicelab.runtime.arrays import Floats
from dicelab.solver.enumeration.graph import Share
from dicelab.solver.enumeration.model import Graph
from dicelab.solver.solution import backward
from dicelab.solver.solution.backward import Process, with_prizes
from dicelab.solver.solution.expectations import eliminated
from dicelab.solver.solution.loops import PASSES
from dicelab.solver.solution.ordering import OrderedEdges, ordered, states_of

# Layers ---------------------------------------------------------------------------------------------------------------
#
# Values that a long solution has found so far, stored so that an interrupted solution can continue.

Part = Callable[[int, int], NDArray[np.float64]]
"""``part(low, high)`` returns what was found at the places `low` to `high` - 1, as float64 (columns, high - low)."""


class Layers:
    """Stores the values of an unfinished solution; this base class stores nothing, `dicelab.results.store.layers` does.

    A value has a place in the order in which values are found. The key of an order is a hash of all that determines
    which value is found at which place.
    """

    def begin(self, key: Callable[[], str]) -> NDArray[np.float64]:
        """Return the values stored earlier under this key, from place 0 on: a float64 array (columns, places), maybe
        empty.
        """
        del key  # called only where there is something to compare it with
        return np.empty((0, 0))

    def reached(self, end: int, part: Part) -> None:
        """Report that all values before the place `end` are final, so that they may be stored."""


NOWHERE = Layers()


def key_of(arrays: Iterable[Any]) -> str:
    """Return a hash of some arrays."""
    digest = sha256()
    for array in arrays:
        digest.update(f"{array.dtype.str} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).view(np.uint8).data if array.size else b"")
    return digest.hexdigest()


ROUNDS = 100
"""Limit of policy iterations on one component; beyond it no optimal policy is found."""
NEARLY = (1e-14, 1e-13, 1e-12, 1e-11, 1e-10)
"""Values of `tie` to try: moves that are worth this nearly the same count as equal, and the longest of them counts."""
CONVERGED = 1e-13, 0.0
"""Largest relative and absolute change of a value in the last pass over a component."""
PATIENT = 20_000
"""Limit of passes where values change monotonically from 0."""
TOO_MUCH = 1e12
"""Values and steps beyond this come from policies with which a game nearly never ends."""
EQUAL = 1e-12
"""Moves with values that differ by no more, relative to 1 plus the value, may replace each other to end the game."""
TIES = 8
"""How often the proof may exchange moves for equally good ones."""


@dataclass(frozen=True)
class Optimum:
    """Optimal policies, and the value of every state.

    What is found is kept in the order of the solution; arrays in the order of the graph are made when they are asked
    for, because many callers want nothing but the value of the start.

    Attributes
    ----------
    graph, order
        The graph, and the number in it of each state in the order of the solution.
    ordered, expected, move
        float64, float64 and int32 arrays in that order: value, steps, and the place of the best edge among those of its
        state, -1 where no seat chooses.
    start_value, start_steps
        Value and expected steps of the state in which the game begins; 0 if it is over at once.
    error_per_step
        The error of a value is at most this, times its `steps`; infinite where no bound was found.
    """

    graph: Graph
    order: NDArray[np.int32]
    ordered: Floats
    expected: Floats
    move: NDArray[np.int32]
    start_value: float
    start_steps: float
    error_per_step: float

    @cached_property
    def value(self) -> Floats:
        """float64 array: the value of each state of the graph; that of an outcome is its prize."""
        value = np.empty(len(self.order))
        value[self.order] = self.ordered
        return value

    @cached_property
    def picked(self) -> NDArray[np.int64]:
        """int64 array: the best edge of each state in which a seat chooses, -1 in others."""
        picked = np.empty(len(self.order), np.int64)
        picked[self.order] = self.move
        return np.where(picked >= 0, self.graph.row[:-1] + picked, -1)

    @cached_property
    def steps(self) -> Floats:
        """float64 array: expected rolls and choices to the end under these policies."""
        steps = np.empty(len(self.order))
        steps[self.order] = self.expected
        return steps

    def error(self, state: int) -> float:
        """Bound on the error of the value of a state."""
        steps = self.start_steps if state == self.graph.start else self.steps[state]
        return float(self.error_per_step * steps) if self.error_per_step < inf else inf


def optimum(
    graph: Graph,
    side: NDArray[np.int8],
    gain: Floats,
    prize: Floats,
    share: Share = lambda done: None,
    layers: Layers = NOWHERE,
) -> Optimum:
    """Optimal policies from every state.

    Parameters
    ----------
    graph
        With the seats that choose as decision seats. If its states are seen from the seat whose turn it is, there must
        be two seats; the value of a state is then that of this seat, and the prizes of both add up to 1.
    side
        int8 array (seats,): 1 for a seat that maximises the value, -1 for one that minimises it.
    gain, prize
        What each row of the graph's changes, and each outcome, adds to the value.
    share
        Called with the share of the solution that is done.
    layers
        Where the values of components are kept, for a solution that continues an interrupted one.

    Raises
    ------
    EndlessGameError
        When the game can reach a state from which it never ends.
    PlayError
        When there is no optimal policy because gains are unlimited.
    """
    edges = ordered(graph, exits=False)
    process, value = _process(graph, edges, side, gain, prize)
    policy, stuck = _search(process, value, lambda done: share(done / 2), layers)
    if stuck >= 0:
        raise PlayError(
            f"{graph.game.name}: no optimal policy was found; gains seem to be unlimited from the state "
            f"{graph.described(int(edges.order[stuck]))}"
        )
    steps, error = _proof(process, value, policy, edges.roundings, lambda done: share((1 + done) / 2))
    if error == inf and graph.turn is None:
        # By value iteration from 0 alone, self-sustaining cycles of moves can't keep values too high.
        slow = _process(graph, edges, side, gain, prize)[1]
        if process.run(backward.settle, slow, 0, len(edges.ends), PATIENT, *CONVERGED) == -1:
            value, policy = slow, _best(process, slow)
            steps, error = _proof(process, value, policy, edges.roundings)
    n, start = graph.states, edges.start
    move = np.empty(n, np.int32)
    process.run(backward.place, policy.first, move)
    at_start = (float(value[start]), float(steps[start])) if start >= 0 else (0.0, 0.0)
    return Optimum(graph, edges.order, value[:n], steps[:n], move, *at_start, error)


def _process(
    graph: Graph, edges: OrderedEdges, side: NDArray[np.int8], gain: Floats, prize: Floats
) -> tuple[Process, Floats]:
    """Return the arrays of the loops, in the order of `edges`, and values: 0 of states, their prizes of outcomes."""
    sides = np.append(side, np.int8(0))[graph.mover[edges.order]]  # the last one, 0, where dice are rolled
    turned = graph.turned.astype(np.float64)
    process = Process.of(edges, (gain + turned)[edges.change], 1.0 - 2.0 * turned[edges.change], sides)
    return process, with_prizes(np.zeros(graph.states), prize)


def _fixed(process: Process, like: Process) -> Process:
    """Return the process with one edge left wherever a seat chooses, at first that of `like`;
    nobody decides any more.
    """
    return process._replace(first=like.first.copy(), stop=like.stop.copy(), side=np.zeros_like(process.side))


def _best(process: Process, value: Floats) -> Process:
    """Return the process under the policy that is best for these values."""
    policy = _fixed(process, process)
    process.run(backward.pick, value, 0, len(process.side), policy.first, policy.stop)
    return policy


def _settled(process: Process, value: Floats, last: int, look: Callable[[int], None]) -> int:
    """`backward.settle` for the components below `last`, in parts, with `PASSES` passes."""
    for first, end in parts(process.ends, last, look):
        stuck = int(process.run(backward.settle, value, first, end, PASSES, *CONVERGED))
        if stuck != -1:
            return stuck
    return -1


def parts(ends: NDArray[np.int64], last: int, look: Callable[[int], None]) -> Iterator[tuple[int, int]]:
    """Yield the components below `last` in parts, from the end.

    `look` is called before each part with the first state that has its value.
    """
    while last:
        end = int(ends[last - 1])
        look(end)
        first = min(last - 1, int(np.searchsorted(ends, end - LIMITS.part)))
        yield first, last
        last = first


def _kept(process: Process, value: Floats, layers: Layers) -> int:
    """Take the values that were kept, from the last state on; returns the number of components without values."""
    states = len(process.side)
    kept = layers.begin(lambda: key_of((*process, value[states:]))).ravel()
    first = states - len(kept)
    value[first:states] = kept[::-1]
    return int(np.searchsorted(process.ends, first, side="right"))


def _search(process: Process, value: Floats, share: Share, layers: Layers) -> tuple[Process, int]:
    """Find the values; returns the process under the optimal policy, and a state with unlimited gains or -1."""
    states = len(process.side)
    policy, last, rounds = None, _kept(process, value, layers), 0

    def look(first: int) -> None:
        share(1.0 - first / states)
        layers.reached(states - first, lambda low, high: value[None, states - high : states - low][:, ::-1])

    while (component := _settled(process, value, last, look)) != -1:
        rounds = rounds + 1 if component + 1 == last else 1
        if component < 0 or rounds > ROUNDS:
            return process, -2 - component if component < 0 else states_of(process.ends, component).start
        inside = states_of(process.ends, component)
        before = value[inside].copy()
        policy = policy or _fixed(process, process)
        process.run(backward.pick, value, inside.start, inside.stop, policy.first, policy.stop)
        solved = _solved(policy, inside, value)
        if solved is not None:
            value[inside] = solved
        settled = solved is not None and np.allclose(before, solved, rtol=1e-13, atol=0)
        last = component if settled else component + 1
    return _best(process, value), -1


def _proof(
    process: Process, value: Floats, policy: Process, roundings: int, share: Share = lambda done: None
) -> tuple[Floats, float]:
    """Return the expected steps, and the error of values per step; infinite where none could be proved.

    Where equally good moves can go round in circles, choices that gain nothing don't count as steps.
    """
    chances, ends = _steps(process, value, policy, share=share)
    longer, prize = np.full(len(process.side), -1), value[len(process.side) :][::-1].copy()
    for idle, tie in ((1.0, 0.0), (0.0, 0.0), *((1.0, tie) for tie in NEARLY)) if ends else ():
        trial, steps, known = policy, chances, (idle, tie) == (1.0, 0.0)
        for _ in range(TIES):
            steps, ends = (steps, True) if known else _steps(process, value, trial, idle, tie)
            if not ends:
                break
            known = False
            least, most = process.run(backward.proof_range, value, prize, steps, trial.first, roundings, longer)
            ties = longer >= 0
            if not ties.any():
                if least <= most:
                    return steps, float(least)
                break
            if trial is policy:
                trial = _fixed(process, policy)
            trial.first[ties], trial.stop[ties] = longer[ties], longer[ties] + 1
    return chances, inf


def _steps(
    process: Process,
    value: Floats,
    policy: Process,
    idle: float = 1.0,
    tie: float = 0.0,
    share: Share = lambda done: None,
) -> tuple[Floats, bool]:
    """Return the expected rolls and choices to the end under a policy; false where the game would never end with it.

    A choice with a gain of 0 counts `idle` steps. With a `tie` above 0, of all edges within it of the best the one with
    the most steps counts. The numbers need not be exact: the proof only needs each step to lower them by nearly one.
    Where the game would never end, equally good moves with which it does end replace those in `policy`, if there are
    any.
    """
    steps, last, near = np.zeros(len(value)), len(process.ends), None
    timed = _timed(_nearly_best(process, value, policy, tie, 1)[0] if tie else policy)
    if not idle:
        unpaid = np.repeat(process.side != 0, process.stop - process.first) & (process.gain[process.label] == 0.0)
        label = np.where(unpaid, len(timed.gain), timed.label).astype(np.uint32)
        last_label = {
            name: np.append(getattr(timed, name), x) for name, x in (("chance", 1.0), ("gain", 0.0), ("sign", 1.0))
        }
        timed = timed._replace(label=label, **last_label)
    states = len(process.side)
    while (component := _settled(timed, steps, last, lambda first: share(1.0 - first / states))) != -1:
        if component < 0 or not idle or tie:
            return steps, False
        inside = states_of(process.ends, component)
        solved = _solved(timed, inside, steps, 0.0)
        if solved is None:
            near = near or _nearly_best(process, value, policy, EQUAL, -1)
            _pick_quickest(*near, policy, component, steps)
            solved = _solved(timed, inside, steps, 0.0)
        if solved is None:
            return steps, False
        steps[inside] = solved
        last = component
    return steps, True


def _timed(process: Process) -> Process:
    """Return the process with a gain of 1 for each step, and nothing else."""
    ones = np.ones(len(process.gain))
    return process._replace(gain=ones, sign=ones)


def _nearly_best(
    process: Process, value: Floats, policy: Process, tie: float, side: int
) -> tuple[Process, NDArray[np.int64]]:
    """Return the process without choices that differ by more than `tie` from the value of the state; all seats on one
    `side`.

    The moves of the policy are kept. Returns the number of each edge in the whole process, too.
    """
    source = np.repeat(np.arange(len(process.side)), process.stop - process.first)
    worth = process.gain[process.label] + process.sign[process.label] * value[process.target]
    near = np.abs(worth - value[source]) <= tie * (1.0 + np.abs(value[source]))
    kept = near & (process.target != source) | (process.side[source] == 0)
    kept[policy.first[process.side != 0]] = True
    row = np.concatenate(([0], np.cumsum(kept)))
    sides = np.where(process.side != 0, side, 0).astype(np.int8)
    rows = {"first": row[process.first], "stop": row[process.stop], "side": sides}
    return process._replace(target=process.target[kept], label=process.label[kept], **rows), np.flatnonzero(kept)


def _pick_quickest(near: Process, number: NDArray[np.int64], policy: Process, component: int, steps: Floats) -> None:
    """Change `policy` to those edges of `_nearly_best` that leave a component in fewest steps."""
    timed, inside = _timed(near), states_of(near.ends, component)
    steps[inside] = 0.0
    timed.run(backward.settle, steps, component, component + 1, PATIENT, *CONVERGED)
    timed.run(backward.pick, steps, inside.start, inside.stop, near.first, near.stop)
    chooses = np.flatnonzero(near.side[inside]) + inside.start
    policy.first[chooses], policy.stop[chooses] = number[near.first[chooses]], number[near.first[chooses]] + 1


def _solved(policy: Process, inside: slice, value: Floats, least: float = -inf) -> Floats | None:
    """Return the values of a component under a policy, by elimination; None where it is never left."""
    try:
        solved = eliminated(policy, inside, value)
    except RuntimeError:  # singular
        return None
    likely = np.isfinite(solved).all() and np.abs(solved).max(initial=0.0) < TOO_MUCH
    return solved if likely and solved.min(initial=0.0) >= least else None
