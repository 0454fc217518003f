"""Strategies on a public tree that remember only the last choices, which a policy file has room for.

A public tree has a history for each way to a node: two dice against two have 34 million. In a shortened tree those in
which the same is remembered are one, so that there are few; a walk through it still follows each history, so that what
can be gained against its strategies is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from dicelab.errors import TooLarge
from dicelab.solver.hidden_states import Places
from dicelab.solver.public_regret import gather
from dicelab.solver.public_tree import Averages, PublicTree, following, in_order

LAST, LEAST = 3, 2
"""Choices that strategies in a policy file remember, if there is room for them; at least the seat's own and the one
before it, from which follows what the answer was.
"""
MOST_PLACES = 30_000_000
"""Limit on the states of all nodes of a shortened tree, which has one for each deal."""
SELDOM = 1e-9
"""Added to the probability with which the other seat lets a history come about, so that none is without weight."""
T = TypeVar("T")


@dataclass(frozen=True)
class Expanded:
    """A public tree with a node for each node and what is remembered there.

    Attributes
    ----------
    tree
        The tree, in which all histories of a node have the same numbers.
    begins
        By node, where its numbers begin.
    before
        By edge, the edge of the tree without memories.
    origin
        By node, the node of that tree.
    """

    tree: PublicTree
    begins: Places
    before: Places
    origin: Places


def expanded(tree: PublicTree, start: T, after: Callable[[int, T], Sequence[T]]) -> tuple[Expanded, list[T]]:
    """Return a public tree with a node for each node and what is remembered there; and what that is.

    `start` is remembered at first, and ``after(node, memory)`` after each move.

    Raises
    ------
    TooLarge
        When there are too many nodes.
    """
    nodes: dict[tuple[int, T], int] = {(0, start): 0}
    known, first, targets, before = [(0, start)], [0], list[int](), list[int]()
    for node, memory in known:  # it grows meanwhile
        edges = range(int(tree.first[node]), int(tree.first[node + 1]))
        for edge, later in zip(edges, after(node, memory), strict=True):
            to = int(tree.targets[edge])
            if to >= 0:
                to = nodes.setdefault((to, later), len(known))
                if to == len(known):
                    known.append((int(tree.targets[edge]), later))
            targets.append(to)
            before.append(edge)
        first.append(len(targets))
        if len(known) * tree.places[0].size > MOST_PLACES:
            raise TooLarge(f"strategies that remember so much have more than {len(known):,} situations without hands")
    origin = np.array([node for node, _ in known])
    movers, starts, ends = tree.movers[origin], np.array(first, np.int64), np.array(targets, np.int64)
    hands = np.array([one.size for one in tree.hands])[movers]
    begins = np.concatenate([[0], np.cumsum(np.diff(starts) * hands)])
    source = np.repeat(np.arange(len(known)), np.diff(starts))
    short = replace(
        tree,
        movers=movers,
        first=starts,
        targets=ends,
        offsets=np.where(ends >= 0, begins[ends] - begins[source], 0),
        places=tree.places[origin],
        moves=tuple(tree.moves[node] for node in origin.tolist()),
        numbers=int(begins[-1]),
        situations=int(hands.sum()),
    )
    return Expanded(short, begins, np.array(before), origin), [memory for _, memory in known]


@dataclass(frozen=True)
class Forgetful:
    """Strategies of both seats that remember only the last choices.

    Attributes
    ----------
    tree, begins
        A node for each node and the last choices before it, and where its numbers begin.
    averages
        How the seats play, in proportion to how likely they come there.
    ways
        By node the last choices, as edges of the tree without memories.
    last
        How many choices are remembered.
    situations
        Information sets of players who remember everything.
    """

    tree: PublicTree
    begins: Places
    averages: Averages
    ways: list[tuple[int, ...]]
    last: int
    situations: int

    @property
    def order(self) -> list[int]:
        """The nodes, those that come before others first."""
        return in_order(self.tree.first, self.tree.targets)[::-1]

    def own(self, seat: int) -> list[set[tuple[int, ...] | None]]:
        """Return by node what a seat may remember since its last move there; None where it may not have moved."""
        found: list[set[tuple[int, ...] | None]] = [set() for _ in self.ways]
        found[0].add(None)
        for node in self.order:
            for to in following(self.tree.first, self.tree.targets, node):
                found[to] |= {self.kept(to)} if self.tree.movers[node] == seat else found[node]
        return found

    def kept(self, node: int) -> tuple[int, ...]:
        """Return what the seat that has just moved remembers: with what it sees when it moves again, that is enough."""
        return self.ways[node][-(self.last - 1) :]


def forgetful(tree: PublicTree, averages: Averages, most: int = LAST) -> Forgetful:
    """Return the strategies of both seats as far as they remember the last choices, at `most` so many, averaged by how
    likely the histories are.

    Raises
    ------
    TooLarge
        When even those that remember `LEAST` choices are too many.
    """
    none: tuple[int, ...] = ()
    for last in range(most, LEAST - 1, -1):
        try:
            found, ways = expanded(
                tree,
                none,
                lambda node, way, last=last: [  # type: ignore[misc]
                    (*way, edge)[-last:] for edge in range(int(tree.first[node]), int(tree.first[node + 1]))
                ],
            )
            break
        except TooLarge:
            if last == LEAST:
                raise
    short, sums = found.tree, np.zeros(found.tree.numbers)
    nodes = short.movers, short.first, short.targets, tree.offsets[found.before]
    for seat in (0, 1):
        chances = tree.hands[1 - seat], tree.hands[seat].size
        gather(nodes, (tree.length, tree.widest), seat, *chances, averages, found.begins, sums, SELDOM)
    return Forgetful(short, found.begins, sums.astype(np.float32), ways, last, tree.situations)
