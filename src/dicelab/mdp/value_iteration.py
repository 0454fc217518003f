"""Best play from every position of a graph, with a bound on its error.

Blocks of positions that can reach each other are solved one by one from the end: swept until nothing moves, and where
sweeping is slow the best moves are taken as they are, their values solved for, and swept again.

The bound is rigorous. Let v be the values found, N the steps still to come when the moves found are made. If
``v + d N`` does not rise at any throw, nor at any move of the side that wants it large, nor at the move found of the
other side, then the moves found of that other side hold the first to ``v + d N``; and the same the other way round for
``v - d N``. One look at every edge finds the smallest such d. (That nothing moves any more is no bound: a game that
goes on for long adds up what each step leaves.)
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicelab.chains.model import Graph
from dicelab.chains.ordering import Edges, Numbers, ordered
from dicelab.errors import PlayError
from dicelab.mdp import loops as backups

ROUNDS = 100
"""How often the moves of a block are solved for: if more were needed, the best moves would not be found."""
NEARLY = (1e-14, 1e-13, 1e-12, 1e-11, 1e-10)
"""Moves that are worth nearly the same, for a proof that counts the longest of them."""
PATIENT = 20_000
"""Sweeps of a block where values may only rise, or fall, from 0."""
TOO_MUCH = 1e12
"""Values and steps beyond this come from moves by which a game hardly ever ends."""
TIES = 8
"""How often moves that are equally good are chosen anew for the proof."""


@dataclass(frozen=True)
class Optimum:
    """Best play at every position.

    Attributes
    ----------
    value
        float64 array: what each position of the graph is worth; an outcome is worth its prize.
    picked
        int64 array: the best edge where a seat chooses, -1 elsewhere.
    steps
        float64 array: throws and choices still to come under best play, on average.
    slack
        No value is off by more than this for each step still to come; infinite where no bound was found.
    """

    value: Numbers
    picked: NDArray[np.int64]
    steps: Numbers
    slack: float

    def error(self, state: int) -> float:
        """Bound on the error of a position's value."""
        return float(self.slack * self.steps[state]) if self.slack < inf else inf


def optimum(graph: Graph, side: NDArray[np.int8], gain: Numbers, prize: Numbers) -> Optimum:
    """Best play from every position.

    Parameters
    ----------
    graph
        With the seats that choose left free. Where positions are seen from the seat whose turn it is, there are two
        seats; values are then those of the seat from which a position is seen, and an outcome pays 1 altogether.
    side
        int8 array (seats,): 1 for a seat that wants the value to be large, -1 for one that wants it small.
    gain, prize
        What each row of the graph's changes, and each outcome, adds to the value.

    Raises
    ------
    EndlessGameError
        When a position can be reached from which no game ever ends.
    PlayError
        When no best moves are found, because ever more can be gained.
    """
    edges = ordered(graph, turning=True)
    other = np.zeros(len(graph.changes)) if graph.turn is None else graph.turn.astype(np.float64)
    gain = gain + other
    mover = graph.mover[edges.order]
    sides = np.where(mover >= 0, side[np.maximum(mover, 0)], 0).astype(np.int8)
    found = _Search(graph, edges, sides, gain[edges.change], prize, 1.0 - 2.0 * other[edges.change])
    found.search()
    slack = found.proof()
    if slack == inf and graph.turn is None:
        found.search_slowly()
        slack = found.proof()
    value, steps, picked = np.empty(graph.states), np.empty(graph.states), np.full(graph.states, -1)
    value[edges.order], steps[edges.order] = found.value, found.steps
    chooses = found.picked >= 0
    first = edges.row[:-1][chooses]
    picked[edges.order[chooses]] = graph.row[edges.order[chooses]] + found.picked[chooses] - first
    return Optimum(value, picked, steps, slack)


class _Search:
    """Values, moves and steps in the order of the edges."""

    def __init__(
        self, graph: Graph, edges: Edges, side: NDArray[np.int8], gain: Numbers, prize: Numbers, flip: Numbers
    ) -> None:
        self.graph, self.edges, self.side, self.flip = graph, edges, side, flip
        self.worth = gain, prize
        self.value, self.steps = np.zeros(len(side)), np.zeros(len(side))
        self.picked = np.full(len(side), -1, np.int64)

    def search(self) -> None:
        """The values under best play, and the best moves."""
        last, rounds = len(self.edges.ends), 0
        while (block := self._settle(last, self.value, backups.PASSES)) != -1:
            rounds = rounds + 1 if block + 1 == last else 1
            if block < 0 or rounds > ROUNDS:
                self._refuse(-2 - block if block < 0 else self._inside(block).start)
            inside = self._inside(block)
            before = self.value[inside].copy()
            self._pick(block)
            solved = self._solved(block, self.worth)
            if solved is not None:
                self.value[inside] = solved
            settled = solved is not None and np.allclose(before, solved, rtol=1e-13, atol=0)
            last = block if settled else block + 1
        self._pick()

    def search_slowly(self) -> None:
        """The same by sweeps from 0 alone, which no free moves that lead back can hold above what can be reached."""
        slow = np.zeros(len(self.side))
        if self._settle(len(self.edges.ends), slow, PATIENT) == -1:
            self.value = slow
            self._pick()

    def _settle(self, last: int, value: Numbers, passes: int) -> int:
        """Sweep the blocks before `last`; the one that was not settled, or as `backups.settle` says."""
        edges = self.edges
        shape = edges.ends, edges.row, edges.target, edges.label, edges.chance, edges.leave, self.flip
        scratch = np.empty((2, int(np.diff(edges.ends, prepend=0).max(initial=1))))
        return int(edges.run(backups.settle, 0, last, *shape, self.side, *self.worth, value, *scratch, passes))

    def _refuse(self, position: int) -> None:
        where = self.graph.position(int(self.edges.order[position]))
        told = ", ".join(f"{name} {value}" for name, value in where.items())
        raise PlayError(
            f"{self.graph.game.name}: the best moves were not found; it seems that ever more can be gained by going on "
            f"from the position {told}"
        )

    def proof(self) -> float:
        """The error of a value for each step still to come; infinite where none could be proved.

        Where moves are equally good for ever, steps are counted without the choices by which nothing is gained.
        """
        if not self._count_steps():
            return inf
        found, steps = self.picked.copy(), self.steps.copy()
        try:
            for idle, tie in ((1.0, 0.0), (0.0, 0.0), *((1.0, tie) for tie in NEARLY)):
                self.picked[:] = found
                slack = self._slack(idle, tie)
                if 0.0 <= slack < inf:
                    steps = self.steps.copy()
                    return slack
            return inf
        finally:
            self.picked, self.steps = found, steps

    def _slack(self, idle: float, tie: float) -> float:
        edges, longer = self.edges, np.empty(len(self.side), np.int64)
        for attempt in range(TIES):
            counted = attempt == 0 and (idle, tie) == (1.0, 0.0)  # by `proof`
            if not counted and not self._count_steps(idle, tie):
                return inf
            shape = edges.row, edges.target, edges.label, edges.chance, self.flip
            given = *shape, self.side, edges.rough, *self.worth
            least, most = edges.run(backups.needed, *given, self.value, self.steps, self.picked, longer)
            ties = longer >= 0
            if not ties.any():
                return float(least) if least <= most else inf
            self.picked[ties] = longer[ties]
        return inf

    def _pick(self, block: int | None = None) -> None:
        edges = self.edges
        inside = slice(0, len(self.side)) if block is None else self._inside(block)
        given = edges.row, edges.target, edges.label, self.flip, self.side, *self.worth, self.value, self.picked
        edges.run(backups.pick, inside.start, inside.stop, *given)

    def _count_steps(self, idle: float = 1.0, tie: float = 0.0) -> bool:
        """Count the steps still to come when the picked edges are taken; no where the game would never end.

        Where it would not, but other edges are as good, those are picked by which it does.
        """
        edges = self.edges
        shape = edges.ends, edges.row, edges.target, edges.label, edges.chance, edges.leave, self.flip
        given = *shape, self.side, *self.worth, self.value, self.picked, idle, tie, self.steps
        last = len(edges.ends)
        self.steps[:] = 0.0
        one = np.ones(len(edges.chance)), np.zeros(self.graph.outcomes)
        while (block := int(edges.run(backups.last_steps, 0, last, *given))) >= 0:
            inside = self._inside(block)
            solved = self._solved(block, one, self.steps) if idle == 1.0 and tie == 0.0 else None
            if solved is None and idle == 1.0 and tie == 0.0:
                many = *shape[1:], self.side, *self.worth, self.value, self.picked, self.steps
                edges.run(backups.shortest, inside.start, inside.stop, *many)
                solved = self._solved(block, one, self.steps)
            if solved is None:
                return False
            self.steps[inside] = solved
            last = block
        return True

    def _inside(self, block: int) -> slice:
        ends = self.edges.ends
        return slice(int(ends[block - 1]) if block else 0, int(ends[block]))

    def _solved(self, block: int, worth: tuple[Numbers, Numbers], later: Numbers | None = None) -> Any:
        """The values of a block when its picked edges are taken, by sparse elimination; None where it is never left."""
        from scipy.sparse import csc_matrix, identity
        from scipy.sparse.linalg import splu

        edges, inside = self.edges, self._inside(block)
        values, flip = (self.value, self.flip) if later is None else (later, np.ones(len(self.flip)))
        gain, prize = worth
        size = inside.stop - inside.start
        span = np.arange(int(edges.row[inside.start]), int(edges.row[inside.stop]))
        source = np.repeat(np.arange(size), np.diff(edges.row[inside.start : inside.stop + 1]))
        chooses = self.side[inside][source] != 0
        taken = ~chooses | (self.picked[inside][source] == span)
        span, source, chooses = span[taken], source[taken], chooses[taken]
        target, label = edges.target[span], edges.label[span]
        chance = np.where(chooses, 1.0, edges.chance[label])
        here = (target >= inside.start) & (target < inside.stop)
        after = np.where(target < 0, prize[np.maximum(-1 - target, 0)], flip[label] * values[np.maximum(target, 0)])
        right = np.zeros(size)
        np.add.at(right, source, chance * (gain[label] + np.where(here, 0.0, after)))
        within = csc_matrix(
            ((chance * flip[label])[here], (source[here], target[here] - inside.start)), shape=(size, size)
        )
        try:
            solved = splu(csc_matrix(identity(size, format="csc") - within)).solve(right)
        except RuntimeError:  # singular
            return None
        likely = np.isfinite(solved).all() and np.abs(solved).max(initial=0.0) < TOO_MUCH
        return solved if likely and (later is None or solved.min(initial=0.0) >= 0.0) else None
