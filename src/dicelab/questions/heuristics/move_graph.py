"""Exact evaluation of rules: the states of a policy as an absorbing chain in which the moves can be replaced.

Everything that does not depend on the moves is computed once. A rule plays one seat, while the other optimised seats
keep to the policy; its value and the expected visits of each state follow exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicelab.engines.policy import Policy, against_hash
from dicelab.errors import InputError, UnknownNameError
from dicelab.questions.policies.objective import Objective
from dicelab.questions.policies.plan import seated
from dicelab.rules.game import seat_count
from dicelab.runtime.arrays import Floats
from dicelab.runtime.lineup import Run
from dicelab.runtime.states.codec import order_of
from dicelab.runtime.strategies import Strategies
from dicelab.solver.enumeration.estimate import graph_ahead
from dicelab.solver.enumeration.graph import Progress
from dicelab.solver.enumeration.model import Graph, ranges
from dicelab.solver.enumeration.unfold import committed, in_order
from dicelab.solver.solution.backward import with_prizes
from dicelab.solver.solution.expectations import Absorption, as_edges, nearly
from dicelab.solver.solution.ordering import OrderedEdges, ordered
from dicelab.solver.value_iteration import optimum

ENDS = 1e-9
"""If the probability that a game ends is below 1 minus this, games are taken to be endless."""
ENOUGH, PASSES = 1e-7, 60
"""Approximate values: the largest change, relative to the scale, at which iteration stops, and the maximum number of
passes over a component."""


@dataclass(frozen=True)
class MovesTried:
    """The value of some moves in one seat, and the expected visits of each state of the policy by that seat."""

    worth: float
    visits: Floats


@dataclass(frozen=True)
class MoveGraph:
    """The graph of a game in which the optimised seats may make any moves.

    Attributes
    ----------
    policy, graph, edges
        The policy; the graph that was solved; its edges in topological order of the components.
    at
        int64 array: for each state of the policy its index in the graph.
    seat
        int64 array: the seat that chooses there.
    free
        The optimised seats.
    wanted
        Their objective.
    """

    policy: Policy
    graph: Graph
    edges: OrderedEdges
    at: NDArray[np.int64]
    seat: NDArray[np.int64]
    free: tuple[int, ...]
    wanted: Objective

    @classmethod
    def of(
        cls,
        policy: Policy,
        memory: int | None = None,
        progress: Progress = lambda found, expanded: None,
        against: Strategies = (),
    ) -> MoveGraph:
        """Enumerate the graph of a policy; `against` are the strategies against which it was solved, if no texts are.

        Raises
        ------
        InputError
            When the policy was solved for other rules.
        TooLarge
            When the states don't fit into memory.
        """
        about = policy.about
        try:
            free = tuple(int(seat) for seat in about["seats"])
            wanted = Objective.of(policy.game, str(about["objective"]))
            given = _seated(policy, about["strategies"], free, against)
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"this policy was not written by dicelab solve: {error}") from error
        graph = in_order(graph_ahead(given, free, memory, progress, counted=wanted.needs_tallies))
        at, policy = _matched(policy, graph)
        seat = graph.mover[at].astype(np.int64)
        return cls(policy, graph, ordered(graph), at, seat, free, wanted)

    @cached_property
    def sign(self) -> float:
        """1 if the objective is maximised, -1 if it is minimised."""
        return float(self.wanted.sign)

    @cached_property
    def start(self) -> int:
        """The index of the initial state in the order of `edges`."""
        return int(np.flatnonzero(self.edges.order == self.graph.start)[0])

    @cached_property
    def _fixed(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], Floats]:
        """The parts of `chain` that don't depend on the moves.

        Row offsets with one edge per choice; the index of each edge in `edges`, where those of choices are still to be
        set; the index of each of the policy's states in the order of `edges`; exit probabilities.
        """
        edges, graph = self.edges, self.graph
        rank = np.empty(graph.states, np.int64)
        rank[edges.order] = np.arange(graph.states)
        here = rank[self.at]
        length = np.diff(edges.row)
        length[here] = 1
        row, kept = np.concatenate(([0], np.cumsum(length))), ranges(edges.row[:-1], length)
        leave = edges.exit_probability.copy()
        leave[here] = 1.0
        return row, kept, here, leave

    def chain(self, options: NDArray[np.int64]) -> OrderedEdges:
        """Return the chain in which all optimised seats make the given moves: an option (int64) for each state."""
        row, kept, here, leave = self._fixed
        kept = kept.copy()
        kept[row[here]] = self.edges.row[here] + options - self.policy.row[:-1]
        return replace(
            self.edges, row=row, target=self.edges.target[kept], label=self.edges.label[kept], exit_probability=leave
        )

    def seated(self, options: NDArray[np.int64], seat: int) -> NDArray[np.int64]:
        """Return the given moves in one seat, those of the policy in all others."""
        return np.where(self.seat == seat, options, self.policy.best)

    def tried(self, options: NDArray[np.int64], seat: int) -> MovesTried | None:
        """Return the value of moves in one seat while the others keep to the policy; None if games might never end."""
        absorbed = self.ended(self.chain(self.seated(options, seat)))
        if absorbed is None:
            return None
        visits = absorbed.visits[self._fixed[2]]
        return MovesTried(self.worth(absorbed, seat), np.where(self.seat == seat, visits, 0.0))

    def ended(self, chain: OrderedEdges) -> Absorption | None:
        """Return the expected visits of each state; None if games might never end."""
        try:
            absorbed = Absorption(chain, self.start, self.graph.outcomes)
        except RuntimeError:  # a component without an exit
            return None
        whole = abs(absorbed.chances.sum() - 1.0) < ENDS and absorbed.visits.min() > -ENDS
        return absorbed if whole else None

    def worth(self, absorbed: Absorption, seat: int) -> float:
        """Return the value of the objective to a seat, from the expected visits of a chain."""
        edges, (gain, prize, _, unit) = as_edges(absorbed.chain), self.wanted.rewards(self.graph, seat)
        if not self.wanted.needs_tallies:
            return float(absorbed.chances @ prize)
        visits = np.repeat(absorbed.visits, np.diff(edges.row))
        added = gain[self.graph.start_change] + (visits * edges.chance[edges.label] @ gain[edges.change[edges.label]])
        return unit * float(added)

    def worth_of_options(self, options: NDArray[np.int64], seat: int, scale: float) -> Floats:
        """Return the approximate value of each option to a seat that makes the given moves afterwards.

        `scale` is the magnitude of the value of a game, to which the accuracy is relative.
        """
        graph, (gain, prize, _, unit) = self.graph, self.wanted.rewards(self.graph, seat)
        chain = self.chain(self.seated(options, seat))
        value = np.empty(graph.states)
        value[chain.order] = nearly(chain, gain[chain.change], prize, ENOUGH * max(1.0, abs(scale)) / unit, PASSES)
        edge = ranges(graph.row[self.at], np.diff(self.policy.row))
        after = with_prizes(value, prize)
        return np.asarray(unit * (gain[graph.change[graph.label[edge]]] + after[graph.target[edge]]))

    def answered(self, options: NDArray[np.int64], seat: int) -> float:
        """Return the value of moves in one of two seats against the best response to them."""
        graph = self.graph
        picked = np.full(graph.states, -1, np.int64)
        picked[self.at] = graph.row[self.at] + options - self.policy.row[:-1]
        alone = committed(graph, graph.mover == seat, picked)
        (other,) = (other for other in self.free if other != seat)
        rewards = self.wanted.rewards(graph, other)
        best = optimum(alone, rewards.side, rewards.gain, rewards.prize)
        return 1.0 - float(best.value[graph.start])


def _seated(policy: Policy, strategies: Sequence[str], free: Sequence[int], against: Strategies) -> Run:
    """Return the game with the given strategies of the solution; the optimised seats have an arbitrary, unused one.

    Raises
    ------
    InputError
        When the policy was solved against other strategies, or against one that no text stands for.
    """
    if len(free) == max(1, seat_count(policy.game)):
        return Run.of(policy.game)
    others = [text for seat, text in enumerate(strategies) if seat not in free]
    if not against:
        try:
            return seated(policy.game, others, free[0], {})[0]
        except UnknownNameError as error:
            raise InputError(
                f"this policy was solved against {' and '.join(others)}, and {policy.game.name} has no strategy of "
                "that name; a function is given in Python: dicelab.rule(policy, against=function)"
            ) from error
    run = seated(policy.game, against, free[0], {})[0]
    given = [text for seat, text in enumerate(run.strategies) if seat not in free]
    if given != others or policy.about.get("against") != against_hash(policy.game, run.calls).get("against"):
        raise InputError(f"against: this policy was solved against {' and '.join(others)}, as they were then")
    return run


def _matched(policy: Policy, graph: Graph) -> tuple[NDArray[np.int64], Policy]:
    """Return the states of the graph in which somebody chooses, and the policy restricted to them, in the same order.

    Raises
    ------
    InputError
        When the policy lacks one of these states or has other moves in it.
    """
    chooses = np.flatnonzero(graph.mover >= 0)
    keys = graph.without_memory(chooses)
    order = order_of(keys)
    at, keys = chooses[order], keys[order]
    fits = len(at) > 0 and keys.shape[1] == policy.keys.shape[1]
    here = _found(keys, policy.keys) if fits else np.zeros(0, np.int64)
    if not fits or here.min() < 0 or (np.diff(graph.row)[at] != np.diff(policy.row)[here]).any():
        raise InputError(f"this policy was not solved for the rules of {graph.game.name} as they are now")
    return at, _part(policy, here)


def _found(keys: NDArray[np.uint64], known: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the index of each key in `known`, -1 if it is not there. Both arrays are sorted by rows, without
    duplicates.
    """
    both = np.concatenate((known, keys))
    order = np.lexsort((np.arange(len(both)), *both.T[::-1]))
    same = (both[order][1:] == both[order][:-1]).all(axis=1)
    places = np.full(len(both), -1, np.int64)
    places[order[1:][same]] = order[:-1][same]
    return places[len(known) :]


def _part(policy: Policy, here: NDArray[np.int64]) -> Policy:
    """Return the policy restricted to some of its states, with the moves of each state sorted."""
    length = np.diff(policy.row)[here]
    row = np.concatenate(([0], np.cumsum(length)))
    source = np.repeat(np.arange(len(here)), length)
    options = ranges(policy.row[here], length)
    moves = policy.moves[options]
    options = options[np.lexsort((*moves.T[::-1], source))]
    best = np.flatnonzero(options == np.repeat(policy.best[here], length))
    more: dict[str, Any] = {"keys": policy.keys[here], "row": row, "best": best}
    return replace(policy, moves=policy.moves[options], worth=policy.worth[options], **more)
