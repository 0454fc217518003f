"""Optimal policies of one seat or two, from every state of a graph, with a bound on the error of the values.

Strongly connected components are solved one after the other from the end, by value iteration. Where that converges
slowly it alternates with policy iteration: the best moves are fixed and their values solved for by elimination.

The bound is rigorous. Let v be the values found, N the expected steps to the end under the policies found. If
``v + d N`` does not rise by any roll, nor by any move of the maximising seat, nor by the picked move of the minimising
seat, then that seat's policy keeps the maximising seat to at most ``v + d N``; likewise for ``v - d N`` with the seats
exchanged. One pass over all edges finds the smallest such d. (Converged values alone are no bound: in a long game the
residuals of all steps add up.)
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
"""Limit of policy iterations on one component; beyond it no optimal policy is found."""
NEARLY = (1e-14, 1e-13, 1e-12, 1e-11, 1e-10)
"""Values of `tie` to try: moves that are worth this nearly the same count as equal, and the longest of them counts."""
PATIENT = 20_000
"""Limit of passes where values change monotonically from 0."""
TOO_MUCH = 1e12
"""Values and steps beyond this come from policies with which a game nearly never ends."""
TIES = 8
"""How often the proof may exchange moves for equally good ones."""


@dataclass(frozen=True)
class Optimum:
    """Optimal policies, and the value of every state.

    Attributes
    ----------
    value
        float64 array: the value of each state of the graph; that of an outcome is its prize.
    picked
        int64 array: the best edge of each state in which a seat chooses, -1 in others.
    steps
        float64 array: expected rolls and choices to the end under these policies.
    error_per_step
        The error of a value is at most this, times its `steps`; infinite where no bound was found.
    """

    value: Numbers
    picked: NDArray[np.int64]
    steps: Numbers
    error_per_step: float

    def error(self, state: int) -> float:
        """Bound on the error of the value of a state."""
        return float(self.error_per_step * self.steps[state]) if self.error_per_step < inf else inf


def optimum(graph: Graph, side: NDArray[np.int8], gain: Numbers, prize: Numbers) -> Optimum:
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

    Raises
    ------
    EndlessGameError
        When the game can reach a state from which it never ends.
    PlayError
        When there is no optimal policy because gains are unlimited.
    """
    edges = ordered(graph, turning=True)
    other = np.zeros(len(graph.changes)) if graph.turn is None else graph.turn.astype(np.float64)
    gain = gain + other
    player = graph.mover[edges.order]
    sides = np.where(player >= 0, side[np.maximum(player, 0)], 0).astype(np.int8)
    found = _Search(graph, edges, sides, gain[edges.change], prize, 1.0 - 2.0 * other[edges.change])
    found.search()
    error = found.proof()
    if error == inf and graph.turn is None:
        found.search_slowly()
        error = found.proof()
    value, steps, picked = np.empty(graph.states), np.empty(graph.states), np.full(graph.states, -1)
    value[edges.order], steps[edges.order] = found.value, found.steps
    chooses = found.picked >= 0
    first = edges.row[:-1][chooses]
    picked[edges.order[chooses]] = graph.row[edges.order[chooses]] + found.picked[chooses] - first
    return Optimum(value, picked, steps, error)


class _Search:
    """Values, moves and steps, in the order of the states of `edges`."""

    def __init__(
        self, graph: Graph, edges: Edges, side: NDArray[np.int8], gain: Numbers, prize: Numbers, sign: Numbers
    ) -> None:
        self.graph, self.edges, self.side, self.sign = graph, edges, side, sign
        self.worth = gain, prize
        self.value, self.steps = np.zeros(len(side)), np.zeros(len(side))
        self.picked = np.full(len(side), -1, np.int64)

    def search(self) -> None:
        """Find the values and the optimal policy."""
        last, rounds = len(self.edges.ends), 0
        while (component := self._settle(last, self.value, backups.PASSES)) != -1:
            rounds = rounds + 1 if component + 1 == last else 1
            if component < 0 or rounds > ROUNDS:
                self._refuse(-2 - component if component < 0 else self._inside(component).start)
            inside = self._inside(component)
            before = self.value[inside].copy()
            self._pick(component)
            solved = self._solved(component, self.worth)
            if solved is not None:
                self.value[inside] = solved
            settled = solved is not None and np.allclose(before, solved, rtol=1e-13, atol=0)
            last = component if settled else component + 1
        self._pick()

    def search_slowly(self) -> None:
        """The same by value iteration from 0 alone: self-sustaining cycles of moves can't keep its values too high."""
        slow = np.zeros(len(self.side))
        if self._settle(len(self.edges.ends), slow, PATIENT) == -1:
            self.value = slow
            self._pick()

    def _settle(self, last: int, value: Numbers, passes: int) -> int:
        """Value iteration on the components before `last`; returns as `dicelab.mdp.loops.settle`."""
        edges = self.edges
        shape = edges.ends, edges.row, edges.target, edges.label, edges.chance, edges.exit_probability, self.sign
        scratch = np.empty((2, int(np.diff(edges.ends, prepend=0).max(initial=1))))
        return int(edges.run(backups.settle, 0, last, *shape, self.side, *self.worth, value, *scratch, passes))

    def _refuse(self, place: int) -> None:
        where = self.graph.position(int(self.edges.order[place]))
        state = ", ".join(f"{name} {value}" for name, value in where.items())
        raise PlayError(
            f"{self.graph.game.name}: no optimal policy was found; gains seem to be unlimited from the state {state}"
        )

    def proof(self) -> float:
        """The error of values per step; infinite where none could be proved.

        Where equally good moves can go round in circles, choices that gain nothing don't count as steps.
        """
        if not self._count_steps():
            return inf
        found, steps = self.picked.copy(), self.steps.copy()
        try:
            for idle, tie in ((1.0, 0.0), (0.0, 0.0), *((1.0, tie) for tie in NEARLY)):
                self.picked[:] = found
                error = self._error_per_step(idle, tie)
                if 0.0 <= error < inf:
                    steps = self.steps.copy()
                    return error
            return inf
        finally:
            self.picked, self.steps = found, steps

    def _error_per_step(self, idle: float, tie: float) -> float:
        edges, longer = self.edges, np.empty(len(self.side), np.int64)
        for attempt in range(TIES):
            counted = attempt == 0 and (idle, tie) == (1.0, 0.0)  # already, by `proof`
            if not counted and not self._count_steps(idle, tie):
                return inf
            shape = edges.row, edges.target, edges.label, edges.chance, self.sign
            given = *shape, self.side, edges.roundings, *self.worth
            least, most = edges.run(backups.proof_range, *given, self.value, self.steps, self.picked, longer)
            ties = longer >= 0
            if not ties.any():
                return float(least) if least <= most else inf
            self.picked[ties] = longer[ties]
        return inf

    def _pick(self, component: int | None = None) -> None:
        edges = self.edges
        inside = slice(0, len(self.side)) if component is None else self._inside(component)
        given = edges.row, edges.target, edges.label, self.sign, self.side, *self.worth, self.value, self.picked
        edges.run(backups.pick, inside.start, inside.stop, *given)

    def _count_steps(self, idle: float = 1.0, tie: float = 0.0) -> bool:
        """Set `steps` for the picked edges; false where the game would never end with them.

        In that case equally good edges with which it does end are picked, if there are any.
        """
        edges = self.edges
        shape = edges.ends, edges.row, edges.target, edges.label, edges.chance, edges.exit_probability, self.sign
        given = *shape, self.side, *self.worth, self.value, self.picked, idle, tie, self.steps
        last = len(edges.ends)
        self.steps[:] = 0.0
        one = np.ones(len(edges.chance)), np.zeros(self.graph.outcomes)
        while (component := int(edges.run(backups.expected_steps, 0, last, *given))) >= 0:
            inside = self._inside(component)
            solved = self._solved(component, one, self.steps) if idle == 1.0 and tie == 0.0 else None
            if solved is None and idle == 1.0 and tie == 0.0:
                many = *shape[1:], self.side, *self.worth, self.value, self.picked, self.steps
                edges.run(backups.pick_quickest, inside.start, inside.stop, *many)
                solved = self._solved(component, one, self.steps)
            if solved is None:
                return False
            self.steps[inside] = solved
            last = component
        return True

    def _inside(self, component: int) -> slice:
        ends = self.edges.ends
        return slice(int(ends[component - 1]) if component else 0, int(ends[component]))

    def _solved(self, component: int, worth: tuple[Numbers, Numbers], later: Numbers | None = None) -> Any:
        """The values of a component for its picked edges, by sparse elimination; None where it is never left."""
        from scipy.sparse import csc_matrix, identity
        from scipy.sparse.linalg import splu

        edges, inside = self.edges, self._inside(component)
        values, sign = (self.value, self.sign) if later is None else (later, np.ones(len(self.sign)))
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
        after = np.where(target < 0, prize[np.maximum(-1 - target, 0)], sign[label] * values[np.maximum(target, 0)])
        right = np.zeros(size)
        np.add.at(right, source, chance * (gain[label] + np.where(here, 0.0, after)))
        within = csc_matrix(
            ((chance * sign[label])[here], (source[here], target[here] - inside.start)), shape=(size, size)
        )
        try:
            solved = splu(csc_matrix(identity(size, format="csc") - within)).solve(right)
        except RuntimeError:  # singular
            return None
        likely = np.isfinite(solved).all() and np.abs(solved).max(initial=0.0) < TOO_MUCH
        return solved if likely and (later is None or solved.min(initial=0.0) >= 0.0) else None
