"""Turns of a game whose later turns are only estimated: what is exact within a turn, and how one is played.

The states at which turns begin are never all known. Some of them are evaluated side by side: what follows them is
found by the compiled rules, a function says what the beginnings that follow are worth, and all within the turn is the
exact mean over rolls and the best of the moves. Any state of a turn can stand for the beginning of what is left of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicelab.compile.kernels.core import guarded, kept
from dicelab.compile.kernels.vector_rows import LANES
from dicelab.compile.kernels.writers.turn_steps import ALLOWED
from dicelab.rules.game import Game
from dicelab.runtime.arrays import Array
from dicelab.runtime.lineup import Run
from dicelab.runtime.states.symmetry import Rotation
from dicelab.solver.turns.branches import Follower
from dicelab.solver.turns.loops import find_rows
from dicelab.solver.turns.parts import StateParts
from dicelab.solver.turns.program import Beginnings, BeginningSearch, Program, program_of
from dicelab.solver.turns.sampling import followed_some
from dicelab.solver.turns.solve import MOST_NODES, Aims, first_split, prepared
from dicelab.solver.turns.structure import Index, Structure
from dicelab.solver.turns.values import Batch, Solver

SWEEPS, SETTLED = 200, 1e-10
"""Limit of the sweeps over a turn with cycles, and the change of a value, relative to the largest, that ends them."""
MOST_STEPS = 200
"""Rolls and choices within a turn after which it is given up."""
Estimates = Callable[[NDArray[np.int64]], NDArray[np.float64]]
"""What the beginnings of turns (states, numbers), seen from the seat to move, are worth to it."""


@dataclass(frozen=True)
class TurnsPlayed:
    """How turns went: what each was worth beforehand, and where it led.

    Attributes
    ----------
    value
        What each beginning is worth to the seat to move (to the first seat where views aren't rotated).
    after
        The packed beginning that follows.
    over
        Whether the game ended; then, or if the turn was given up, `after` has no meaning.
    """

    value: NDArray[np.float64]
    after: NDArray[np.uint64]
    over: NDArray[np.bool_]


class EstimatedTurns:
    """The turns of a game, as far as they were met.

    Parameters
    ----------
    game, aims
        The game, and what is optimised.
    outer
        The fields that belong to the beginnings of turns.
    search
        What is known of the turns; None for nothing.
    """

    def __init__(self, game: Game, aims: Aims, outer: Iterable[str], search: BeginningSearch | None = None) -> None:
        self.aims, self.parts = aims, StateParts.of(game, tuple(outer))
        self.rotation = Rotation.of(game) if aims.rotated else None
        if search is None:
            follower = Follower(game, aims.tally, self.rotation is not None)
            search = BeginningSearch(Structure(follower, self.parts, MOST_NODES), Index(self.parts.words))
        self.search = search
        self.prize = np.array(aims.prize, np.float64)
        self.begins = np.zeros(0, np.int64)
        self.links = np.zeros((0, 2), np.int64)
        self.program: Program | None = None

    @classmethod
    def found(cls, run: Run, aims: Aims) -> tuple[EstimatedTurns, list[int]]:
        """Return the turns of a game, and the numbers of its first state.

        Raises
        ------
        NotSmall
            When turns have too many states, or the rules can't be compiled.
        PlayError
            When a rule fails in a state that was reached.
        """
        rotation, follower, _, start = prepared(run, aims)
        with ThreadPoolExecutor(1) as pool:
            search = first_split(run, follower, rotation, start, pool, lambda search: followed_some(search, pool), {})
        search.strict = False
        if search.structure.residuals is None:
            search.structure.merge()
            search.snapshot = search.structure.snapshot()
        return cls(run.game, aims, search.parts.names, search), start

    def state(self) -> dict[str, Any]:
        """Return what was found since the beginning, as plain data and arrays."""
        return {"size": self._size, "begins": self.begins, "links": self.links}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over what `state` returned, if the turns that are known have the same numbers; else it is found again,
        and the last bits of values may differ.
        """
        if state["size"] == self._size:
            self.begins, self.links, self.program = state["begins"], state["links"], None

    @property
    def _size(self) -> tuple[int, int]:
        return self.search.structure.nodes.count, self.search.structure.leaves.count

    def solver(self, rows: NDArray[np.uint64], worth: Estimates, pool: Executor | None) -> tuple[Solver, Array]:
        """Return a solver that knows what follows some packed states, each once, and their numbers."""
        search = self.search
        search.index = Index(self.parts.words)
        numbers = search.index.add(rows).astype(np.int64)
        chunks = self._chunks(numbers, pool)
        begin = np.concatenate([begin for *_, begin in chunks])
        for exits, *_ in chunks:
            search.index.add(exits)
        begins = np.unique(np.concatenate((self.begins, begin)))
        links = np.unique(np.concatenate((self.links, *(links for _, _, links, _, _ in chunks))), axis=0)
        none = np.zeros(0, np.int64)
        turns = Beginnings(search.structure, search.snapshot, search.index, begins, none, none, links)
        if self.program is None or len(begins) > len(self.begins) or len(links) > len(self.links):
            self.begins, self.links = begins, links
            self.program = program_of(turns, np.array(self.aims.sides))
        node = np.full(search.index.count, -1, np.int64)
        node[numbers] = begin
        solver = Solver(replace(turns, node=node), self.program, self.prize)
        solver.value = worth(self.parts.unpack(search.index.rows))
        return solver, numbers

    def nodes(self, rows: NDArray[np.uint64]) -> NDArray[np.int32]:
        """Return the nodes of some packed states; -1 where they aren't known."""
        states, structure = self.parts.unpack(rows), self.search.structure
        none, steps = np.zeros((0, 2), np.int64), np.zeros(len(rows), np.int64)
        found = np.empty(len(rows), np.int32)
        begins = structure.follower.follow(self.parts, states, states, steps, none).begins
        wanted = np.ascontiguousarray(structure.node_keys(rows, begins))
        find_rows(wanted, structure.nodes.known, structure.nodes.table, found)
        return found

    def _chunks(self, numbers: Array, pool: Executor | None) -> list[tuple[Array, ...]]:
        """Follow some states; the turns that are known grow as needed."""
        parts = _in_parts(numbers)
        while True:
            chunks: list[tuple[Array, ...]] = [*(pool.map if pool else map)(self.search.chunk, parts)]
            lost = [(part, missing) for part, (_, _, _, missing, _) in zip(parts, chunks, strict=True) if len(missing)]
            if not lost:
                return chunks
            self.search.grow(lost)
            self.program = None

    def values(self, row: NDArray[np.uint64], worth: Estimates) -> NDArray[np.float64]:
        """Return the values of all nodes of the structure that are left in the turn of one packed state; not a number
        where they can't be reached.
        """
        solver, numbers = self.solver(row, worth, None)
        batch = _settled(solver, numbers)
        place = solver.program.place
        known = (place >= 0) & (batch.reached[np.maximum(place, 0)] & 1 != 0)
        return np.where(known, batch.value[np.maximum(place, 0), 0], np.nan)

    def played(
        self, rows: NDArray[np.uint64], worth: Estimates, random: NDArray[np.float64], draws: Array, pool: Executor
    ) -> TurnsPlayed:
        """Play some turns with the best moves, or with a random one in a share `random` of the choices of each.

        `draws` (rows, `MOST_STEPS`, 2) has numbers from 0 to 1.
        """
        different, which = np.unique(rows, axis=0, return_inverse=True)
        which = which.ravel()
        solver, numbers = self.solver(different, worth, pool)
        value, after, over = np.empty(len(rows)), np.empty_like(rows), np.zeros(len(rows), np.bool_)
        order = np.argsort(which, kind="stable")
        first = np.searchsorted(which[order], np.arange(len(different) + 1))

        def part(low: int) -> None:
            high = min(low + LANES, len(different))
            batch = _settled(solver, numbers[low:high])
            lanes = order[first[low] : first[high]]
            lane = which[lanes] - low
            leaf = np.empty(len(lanes), np.int64)
            program = solver.program
            walk(
                lane, batch.begin, program.arrays, program.cuts, batch.value, batch.leaf_value, batch.inner,
                random[lanes], draws[lanes], leaf,
            )  # fmt: skip
            value[lanes] = batch.value[batch.begin, batch.lane][lane]
            status, exits = batch.found.status[lane, leaf], batch.exits[lane, leaf]
            goes_on = (leaf >= 0) & (status == ALLOWED) & (exits >= 0)
            over[lanes] = ~goes_on
            after[lanes] = solver.turns.index.known[np.where(goes_on, exits, 0)]

        list(pool.map(part, range(0, len(different), LANES)))
        return TurnsPlayed(value, after, over)


def _in_parts(numbers: Array) -> list[Array]:
    return [numbers[low : low + LANES] for low in range(0, len(numbers), LANES)]


def _settled(solver: Solver, numbers: Array) -> Batch:
    """Return some beginnings, evaluated; again and again where turns have cycles."""
    batch = Batch(solver, numbers, True)
    for _ in range(SWEEPS):
        value, change = batch.sweep()
        if change <= SETTLED * max(1.0, float(np.abs(value).max())):
            break
    return batch


@guarded
def chosen(n, w, program, value, leaf_value, inner, at_random, u):  # type: ignore[no-untyped-def]
    """Return the leaf and the node of the best move of a choice in a lane, or of one at random; -1 for none."""
    side, row, target, _, gain, leaf_row, leaf, _, _ = program
    best, end, own, many = -np.inf, -1, -1, 0
    for e in range(row[n], row[n + 1]):
        x = side[n] * (value[target[e], w] + gain[e])
        if x > best and not at_random:
            best, end = x, target[e]
        many += 1
    for e in range(leaf_row[n], leaf_row[n + 1]):
        o = leaf[e]
        x = leaf_value[o, w]
        if inner[w, o] >= 0:
            x += value[inner[w, o], w]
        x *= side[n]
        if x > best and not at_random:
            best, end, own = x, inner[w, o], o
        many += x > -np.inf
    if not at_random:
        return own, end
    left = int(u * many)
    for e in range(row[n], row[n + 1]):
        if left == 0:
            return -1, target[e]
        left -= 1
    for e in range(leaf_row[n], leaf_row[n + 1]):
        o = leaf[e]
        x = leaf_value[o, w]
        if inner[w, o] >= 0:
            x += value[inner[w, o], w]
        if side[n] * x > -np.inf:
            if left == 0:
                return o, inner[w, o]
            left -= 1
    return own, end


@kept
def walk(lane, begin, program, cuts, value, leaf_value, inner, random, draws, out):  # type: ignore[no-untyped-def]
    """Play a turn for each of `lane`, from node ``begin[lane]`` to the leaf ``out``; -1 if it takes too long."""
    side, row, target, weight, _, leaf_row, leaf, leaf_weight, _ = program
    for k in range(lane.size):
        w, n, out[k] = lane[k], begin[lane[k]], -1
        for step in range(draws.shape[1]):
            u, own, end = draws[k, step, 0], -1, -1
            if side[n] == 0:
                for e in range(row[n], row[n + 1]):
                    if u >= 0.0:
                        end = target[e]
                        u -= weight[e]
                for e in range(leaf_row[n], leaf_row[n + 1]):
                    if u >= 0.0:
                        own = leaf[e]
                        u -= leaf_weight[e]
                if own >= 0:
                    end = inner[w, own]
            else:
                own, end = chosen(n, w, program, value, leaf_value, inner, random[k] > draws[k, step, 1], u)
            if own >= 0 and end < 0:
                out[k] = own
                break
            n = end if end < side.size else cuts[end - side.size]
