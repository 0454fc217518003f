"""The table at which rules are tried out: the positions of a policy as a chain, in which any moves can be put.

Everything that does not depend on the moves is done once. A rule sits in one seat, while the other seats that were
solved keep to the policy; what that is worth, and how often each position is visited, follow exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicelab.chains.enumerate import Progress, graph_of
from dicelab.chains.expectations import Absorption
from dicelab.chains.model import Graph
from dicelab.chains.ordering import Edges, Numbers, ordered
from dicelab.engines.policy import Policy
from dicelab.errors import InputError
from dicelab.heuristics.sweep import nearly
from dicelab.mdp.value_iteration import optimum
from dicelab.policies.objective import Objective
from dicelab.rules.game import seat_count
from dicelab.runtime.lineup import Run
from dicelab.states.codec import Slots

ENDS = 1e-9
"""A game that ends with a smaller chance than one less this goes on for ever."""
ENOUGH, PASSES = 1e-7, 60
"""Values from which only is learnt may be off by about so much, or are left after so many passes over a block."""


@dataclass(frozen=True)
class Tried:
    """What some moves come to in one seat: their worth to it, and how often it meets each position of the policy."""

    worth: float
    visits: Numbers


@dataclass(frozen=True)
class Table:
    """The chain of a game in which the seats that were solved may make any moves.

    Attributes
    ----------
    policy, graph, edges
        What was solved; its positions and edges; these in order.
    at
        int64 array: the position in the graph of each position of the policy.
    seat
        int64 array: who chooses there.
    free
        The seats that were solved.
    wanted
        What they want.
    """

    policy: Policy
    graph: Graph
    edges: Edges
    at: NDArray[np.int64]
    seat: NDArray[np.int64]
    free: tuple[int, ...]
    wanted: Objective

    @classmethod
    def of(cls, policy: Policy, memory: int | None = None, progress: Progress = lambda found, expanded: None) -> Table:
        """Lay the table for a policy.

        Raises
        ------
        InputError
            When the rules are not those that were solved.
        TooLarge
            When the positions do not fit.
        """
        about = policy.about
        try:
            free = tuple(int(seat) for seat in about["seats"])
            wanted = Objective.of(policy.game, str(about["objective"]))
            given = _seated(policy, about["strategies"], free)
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"this is no policy that dicelab solve has found: {error}") from error
        counted = wanted.kind in ("most", "fewest")
        graph = graph_of(given, free, memory, progress, counted=counted)
        at, policy = _matched(policy, graph)
        seat = graph.mover[at].astype(np.int64)
        return cls(policy, graph, ordered(graph), at, seat, free, wanted)

    @cached_property
    def sign(self) -> float:
        """1 where much is wanted, -1 where little is."""
        return -1.0 if self.wanted.kind == "fewest" else 1.0

    @cached_property
    def start(self) -> int:
        """The first position, in order."""
        return int(np.flatnonzero(self.edges.order == self.graph.start)[0])

    @cached_property
    def _fixed(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], Numbers]:
        """Rows with one edge for each choice; the edges, those of choices open; where these are; chances to leave."""
        edges, graph = self.edges, self.graph
        rank = np.empty(graph.states, np.int64)
        rank[edges.order] = np.arange(graph.states)
        here = rank[self.at]
        length = np.diff(edges.row)
        length[here] = 1
        row = np.concatenate(([0], np.cumsum(length)))
        kept = np.repeat(edges.row[:-1] - row[:-1], length) + np.arange(row[-1])
        leave = edges.exit_probability.copy()
        leave[here] = 1.0
        return row, kept, here, leave

    def chain(self, options: NDArray[np.int64]) -> Edges:
        """The chain in which every seat that was solved makes the moves given: an option for each position."""
        row, kept, here, leave = self._fixed
        kept = kept.copy()
        kept[row[here]] = self.edges.row[here] + options - self.policy.row[:-1]
        return replace(
            self.edges, row=row, target=self.edges.target[kept], label=self.edges.label[kept], exit_probability=leave
        )

    def seated(self, options: NDArray[np.int64], seat: int) -> NDArray[np.int64]:
        """These moves in one seat, those of the policy in all others."""
        return np.where(self.seat == seat, options, self.policy.best)

    def tried(self, options: NDArray[np.int64], seat: int) -> Tried | None:
        """What moves come to in a seat while the others keep to the policy; None where games would never end."""
        found = self.ended(self.chain(self.seated(options, seat)))
        if found is None:
            return None
        visits = found.visits[self._fixed[2]]
        return Tried(self.worth(found, seat), np.where(self.seat == seat, visits, 0.0))

    def ended(self, chain: Edges) -> Absorption | None:
        """How often each position is visited; None where games would never end."""
        try:
            found = Absorption(chain, self.start, self.graph.outcomes)
        except RuntimeError:  # a block that is never left
            return None
        whole = abs(found.chances.sum() - 1.0) < ENDS and found.visits.min() > -ENDS
        return found if whole else None

    def worth(self, found: Absorption, seat: int) -> float:
        """What is wanted of a game, from the visits of its chain."""
        graph, kind = self.graph, self.wanted.kind
        if kind in ("win", "outcome"):
            return float(found.chances[seat if kind == "win" else self.wanted.number])
        gain = graph.changes[:, self.wanted.number].astype(np.float64)
        edges = found.edges
        visits = np.repeat(found.visits, np.diff(edges.row))
        return float(gain[graph.start_change] + (visits * edges.chance[edges.label] @ gain[edges.change[edges.label]]))

    def worth_of_options(self, options: NDArray[np.int64], seat: int, scale: float) -> Numbers:
        """What each option is worth to a seat that plays by these moves afterwards, nearly; a game is worth `scale`."""
        graph = self.graph
        prize, gain = np.zeros(graph.outcomes), np.zeros(len(graph.changes))
        if self.wanted.kind in ("win", "outcome"):
            prize[seat if self.wanted.kind == "win" else self.wanted.number] = 1.0
        else:
            gain = graph.changes[:, self.wanted.number].astype(np.float64)
        chain = self.chain(self.seated(options, seat))
        value, found = np.empty(graph.states), np.zeros(graph.states)
        shape = chain.ends, chain.row, chain.target, chain.label, chain.chance, chain.exit_probability
        chain.run(nearly, *shape, gain[chain.change], prize, found, ENOUGH * max(1.0, abs(scale)), PASSES)
        value[self.edges.order] = found
        edge = np.repeat(graph.row[self.at] - self.policy.row[:-1], np.diff(self.policy.row))
        edge += np.arange(len(edge))
        target = graph.target[edge]
        after = np.where(target < 0, prize[np.maximum(-1 - target, 0)], value[np.maximum(target, 0)])
        return np.asarray(gain[graph.change[edge]] + after)

    def answered(self, options: NDArray[np.int64], seat: int) -> float:
        """What moves come to in one of two seats against the best answer to them."""
        graph = self.graph
        fixed = np.zeros(graph.states, np.bool_)
        mine = self.seat == seat
        fixed[self.at[mine]] = True
        source = np.repeat(np.arange(graph.states), np.diff(graph.row))
        kept = ~fixed[source]
        kept[(graph.row[self.at] + options - self.policy.row[:-1])[mine]] = True
        row = np.concatenate(([0], np.cumsum(kept)))[graph.row]
        weight, total, mover = graph.weight.copy(), graph.total.copy(), graph.mover.copy()
        weight[fixed[source]], total[fixed], mover[fixed] = 1, 1, -1
        more: dict[str, Any] = {"weight": weight[kept], "change": graph.change[kept], "mover": mover, "total": total}
        alone = replace(graph, row=row, target=graph.target[kept], **more)
        prize = np.zeros(graph.outcomes)
        prize[[other for other in self.free if other != seat]] = 1.0
        best = optimum(alone, np.ones(seat_count(graph.game), np.int8), np.zeros(len(graph.changes)), prize)
        return 1.0 - float(best.value[graph.start])


def _seated(policy: Policy, strategies: Sequence[str], free: Sequence[int]) -> Run:
    """The game with the strategies that it was solved against, any of them in the seats that were solved."""
    if len(free) == max(1, seat_count(policy.game)):
        return Run.of(policy.game)
    others = [text for seat, text in enumerate(strategies) if seat not in free]
    anyone = next(iter(policy.game.declared.strategies), others[0])
    return Run.of(policy.game, [anyone if seat in free else text for seat, text in enumerate(strategies)])


def _matched(policy: Policy, graph: Graph) -> tuple[NDArray[np.int64], Policy]:
    """The positions of the graph at which somebody chooses, and the policy at these, its moves in the same order.

    Raises
    ------
    InputError
    """
    chooses = np.flatnonzero(graph.mover >= 0)
    new = Slots.of(graph.game, ())
    keys = np.zeros((len(chooses), new.words), np.uint64)
    for i in range(len(new.names)):
        number = graph.slots.column(graph.keys[chooses], i) - new.low[i]
        keys[:, int(new.word[i])] |= number.astype(np.uint64) << np.uint64(new.shift[i])
    order = np.lexsort(keys.T[::-1])
    at, keys = chooses[order], keys[order]
    fits = len(at) > 0 and keys.shape[1] == policy.keys.shape[1]
    here = _found(keys, policy.keys) if fits else np.zeros(0, np.int64)
    if not fits or here.min() < 0 or (np.diff(graph.row)[at] != np.diff(policy.row)[here]).any():
        raise InputError(f"this policy was not solved for the rules of {graph.game.name} as they are now")
    return at, _part(policy, here)


def _found(keys: NDArray[np.uint64], known: NDArray[np.uint64]) -> NDArray[np.int64]:
    """The places of some keys among those that are known; -1 where it is not. Both are sorted."""
    both = np.concatenate((known, keys))
    order = np.lexsort((np.arange(len(both)), *both.T[::-1]))
    same = (both[order][1:] == both[order][:-1]).all(axis=1)
    found = np.full(len(both), -1, np.int64)
    found[order[1:][same]] = order[:-1][same]
    return found[len(known) :]


def _part(policy: Policy, here: NDArray[np.int64]) -> Policy:
    """A policy at some of its positions, the moves of each in order."""
    length = np.diff(policy.row)[here]
    row = np.concatenate(([0], np.cumsum(length)))
    source = np.repeat(np.arange(len(here)), length)
    options = np.repeat(policy.row[here] - row[:-1], length) + np.arange(row[-1])
    moves = policy.moves[options]
    options = options[np.lexsort((*moves.T[::-1], source))]
    best = np.flatnonzero(options == np.repeat(policy.best[here], length))
    more: dict[str, Any] = {"keys": policy.keys[here], "row": row, "best": best}
    return replace(policy, moves=policy.moves[options], worth=policy.worth[options], **more)
