"""Finds the small tree that costs least, where each position has a cost for each thing that may be done there.

Trees of up to three leaves, and those of four with two on each side, are the best there are; larger ones are grown from
them. Every pair of a root and a second test is looked at, on a grid of the two numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicelab.chains.ordering import Numbers
from dicelab.heuristics.features import Feature
from dicelab.heuristics.tree import Leaf, Node, Tree, changed

CELLS = 1 << 18
"""A grid of two numbers has at most so many cells; the values of larger ones are taken together."""


@dataclass(frozen=True)
class Axis:
    """A feature at some positions: the place of its value among those that occur, and the values."""

    place: NDArray[Any]
    values: NDArray[Any]

    @classmethod
    def of(cls, values: NDArray[Any]) -> Axis:
        """The axis of some values."""
        found, place = np.unique(values, return_inverse=True)
        return cls(place.reshape(-1), found)

    def __len__(self) -> int:
        return len(self.values)

    def coarse(self, most: int) -> Axis:
        """The same with fewer places."""
        if len(self) <= most:
            return self
        every = -(-len(self) // most)
        return Axis(self.place // every, self.values[::every])


@dataclass
class Sides:
    """For one root and each threshold: what its sides cost, as leaves and split once more, and by what to split."""

    leaf: list[Numbers]
    split: list[Numbers]
    by: list[NDArray[np.int64]]
    at: list[NDArray[np.int64]]


class Costs:
    """The positions that matter, their features and costs.

    Parameters
    ----------
    features
        What may be tested.
    cost
        float64 array (things to do, positions): what doing each costs, counted as often as the position is met.
    """

    def __init__(self, features: Sequence[Feature], cost: Numbers) -> None:
        self.columns = [f.values for f in features]
        self.cost = cost

    def inside(self, here: NDArray[np.bool_]) -> Costs:
        """Some of the positions."""
        part = object.__new__(Costs)
        part.columns, part.cost = [column[here] for column in self.columns], self.cost[:, here]
        return part

    def leaf(self) -> Leaf:
        """The single thing to do that costs least."""
        return Leaf((int(self.cost.sum(axis=1).argmin()),))

    def worth(self, tree: Tree) -> float:
        """What a tree costs."""
        if isinstance(tree, Leaf):
            return float(self.cost[tree.order[0]].sum())
        high = self.columns[tree.feature] >= tree.threshold
        return self.inside(~high).worth(tree.low) + self.inside(high).worth(tree.high)

    def split(self, feature: int, threshold: int) -> Node:
        """A node with two leaves that say different things."""
        high = self.columns[feature] >= threshold
        low_sum, high_sum = self.cost[:, ~high].sum(axis=1), self.cost[:, high].sum(axis=1)
        both = low_sum[:, None] + high_sum + np.where(np.eye(len(low_sum), dtype=np.bool_), inf, 0.0)
        first, second = divmod(int(both.argmin()), len(low_sum))
        return Node(feature, threshold, Leaf((first,)), Leaf((second,)))

    def best_splits(self) -> list[tuple[float, int, int]]:
        """For each feature the least cost of a node with two leaves, and its threshold; the best first."""
        found = []
        for f in range(len(self.columns)):
            values, cost = self._halves(f)
            if len(cost):
                found.append((float(cost.min()), f, int(values[cost.argmin()])))
        return sorted(found)

    def thresholds(self, feature: int, many: int) -> list[int]:
        """The thresholds of a feature that cost least."""
        values, cost = self._halves(feature)
        return [int(values[place]) for place in dips(cost, many)]

    def _halves(self, feature: int) -> tuple[NDArray[Any], Numbers]:
        """The thresholds of a feature, and what a node with two leaves that differ costs at each."""
        axis = Axis.of(self.columns[feature])
        total = np.cumsum([np.bincount(axis.place, row, len(axis)) for row in self.cost], axis=1)
        if len(total) < 2:
            return axis.values[:0], np.zeros(0)
        low, high = total[:, :-1], total[:, -1:] - total[:, :-1]
        places = np.arange(low.shape[1])
        low_two, high_two = np.argpartition(low, 1, axis=0)[:2], np.argpartition(high, 1, axis=0)[:2]
        ways = [np.where(a == b, inf, low[a, places] + high[b, places]) for a in low_two for b in high_two]
        return axis.values[1:], np.min(ways, axis=0)

    def roots(self, chosen: Sequence[int]) -> dict[int, tuple[NDArray[np.int64], Sides]]:
        """For each feature as the root: its thresholds, and what the sides cost when split by any of the features."""
        axes = {f: Axis.of(self.columns[f]) for f in chosen}
        axes = {f: axis.coarse(512) for f, axis in axes.items() if len(axis) > 1}
        found = {}
        for f, axis in axes.items():
            leaf = [np.full(len(axis) - 1, inf) for _ in range(2)]
            none = [np.full(len(axis) - 1, -1) for _ in range(2)]
            found[f] = axis.values[1:], Sides(leaf, [side.copy() for side in leaf], none, [n.copy() for n in none])
        for f in axes:
            for g in axes:
                self._grid(axes[f], axes[g], g, found[f][1])
        return found

    def _grid(self, root: Axis, second: Axis, g: int, sides: Sides) -> None:
        """What each side of each threshold of the root costs when split by the second feature, best threshold each."""
        second = second.coarse(max(2, CELLS // len(root)))
        cells = root.place * len(second) + second.place
        shape = len(self.cost), len(root), len(second)
        grid = np.stack([np.bincount(cells, row, shape[1] * shape[2]) for row in self.cost]).reshape(shape)
        grid = grid.cumsum(axis=2).cumsum(axis=1)
        for side, part in enumerate((grid[:, :-1], grid[:, -1:] - grid[:, :-1])):
            whole = part[:, :, -1]
            sides.leaf[side] = whole.min(axis=0)
            cost = part[:, :, :-1].min(axis=0) + (whole[:, :, None] - part[:, :, :-1]).min(axis=0)
            least = cost.argmin(axis=1)
            cheapest = cost[np.arange(len(least)), least]
            better = cheapest < sides.split[side]
            sides.split[side][better] = cheapest[better]
            sides.by[side][better] = g
            sides.at[side][better] = second.values[least[better] + 1]


def dips(cost: Numbers, many: int) -> list[int]:
    """Where costs are less than to either side, the least first.

    >>> dips(np.array([3.0, 1.0, 2.0, 0.0]), 2)
    [3, 1]
    """
    sides = np.concatenate(([inf], cost, [inf]))
    low = (cost <= sides[:-2]) & (cost < sides[2:])
    ranked = np.argsort(np.where(low, cost, inf), kind="stable")[: min(many, int(low.sum()))]
    return [int(place) for place in ranked]


def fitted(costs: Costs, leaves: int, chosen: Sequence[int]) -> list[Tree]:
    """Trees of at most 2, 3, ... leaves that cost little; roots of those with more than two are among some features."""
    singles = [costs.split(f, t) for _, f, t in costs.best_splits()]
    if not singles or leaves < 2:
        return [costs.leaf()]
    found: list[Tree] = [singles[0]]
    if leaves >= 3:
        found += _of_three_and_four(costs, leaves, chosen)
    while len(found) < leaves - 1:
        found.append(grown(costs, found[-1]))
    return found


def _of_three_and_four(costs: Costs, leaves: int, chosen: Sequence[int]) -> list[Tree]:
    best: dict[int, tuple[float, tuple[int, int, tuple[bool, bool]]]] = {}
    roots = costs.roots(chosen)
    for f, (_, sides) in roots.items():
        for split in ((True, False), (False, True), (True, True)):
            low, high = (sides.split[i] if split[i] else sides.leaf[i] for i in (0, 1))
            total = low + high
            place, many = int(total.argmin()), 2 + sum(split)
            if total[place] < best.get(many, (inf,))[0]:
                best[many] = float(total[place]), (f, place, split)
    trees: list[Tree] = []
    for many in sorted(best):
        f, place, split = best[many][1]
        thresholds, sides = roots[f]
        threshold = int(thresholds[place])
        over = costs.columns[f] >= threshold
        parts = [
            part.split(int(sides.by[i][place]), int(sides.at[i][place])) if split[i] else part.leaf()
            for i, part in enumerate((costs.inside(~over), costs.inside(over)))
        ]
        trees.append(Node(f, threshold, *parts))
    if len(trees) == 2:  # a side of three leaves may be worth more than two sides of two
        trees[1] = min(trees[1], grown(costs, trees[0]), key=costs.worth)
    return trees[: leaves - 2]


def grown(costs: Costs, tree: Tree) -> Tree:
    """The tree with the leaf split that gains most."""
    best = tree, 0.0
    for leaf, part in _leaves(costs, tree):
        splits = part.best_splits()
        if splits:
            gain = part.worth(leaf) - splits[0][0]
            if gain > best[1]:
                best = changed(tree, leaf, part.split(*splits[0][1:])), gain
    return best[0]


def _leaves(costs: Costs, tree: Tree) -> list[tuple[Leaf, Costs]]:
    if isinstance(tree, Leaf):
        return [(tree, costs)]
    high = costs.columns[tree.feature] >= tree.threshold
    return [*_leaves(costs.inside(~high), tree.low), *_leaves(costs.inside(high), tree.high)]
