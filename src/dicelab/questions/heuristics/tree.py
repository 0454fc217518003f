"""A rule as a small decision tree: nodes compare a feature with a threshold, leaves name actions.

A tree is fitted to the cost of each action in each state. Trees of two and three leaves, and those of four with two
leaves on each side, are optimal up to the coarsening of large grids; larger ones are grown greedily. Every pair of a
root and a second test is evaluated on a grid of two features.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicelab.questions.heuristics.features import Feature, RuleWords
from dicelab.runtime.arrays import Floats

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Leaf:
    """Indices of actions in the order of preference: the first one that is allowed is taken."""

    order: tuple[int, ...]


@dataclass(frozen=True)
class Node:
    """Continue with `high` if the feature is at least the threshold, else with `low`."""

    feature: int
    threshold: int
    low: Tree
    high: Tree


Tree = Leaf | Node


def size(tree: Tree) -> int:
    """Return the number of leaves."""
    return 1 if isinstance(tree, Leaf) else size(tree.low) + size(tree.high)


def reached(tree: Tree, columns: Sequence[NDArray[Any]], here: Mask) -> Iterator[tuple[Tree, Mask]]:
    """Yield the tree and all its subtrees from the root, each with the mask of the states that reach it.

    Parameters
    ----------
    columns
        The values of each feature.
    here
        The states that reach the tree.
    """
    yield tree, here
    if isinstance(tree, Node):
        high = columns[tree.feature] >= tree.threshold
        yield from reached(tree.low, columns, here & ~high)
        yield from reached(tree.high, columns, here & high)


def apart(tree: Tree, columns: Sequence[NDArray[Any]], states: int) -> Iterator[tuple[Leaf, Mask]]:
    """Yield the leaves, each with the mask of those of so many states that reach it."""
    parts = reached(tree, columns, np.ones(states, np.bool_))
    return ((part, here) for part, here in parts if isinstance(part, Leaf))


def decided(tree: Tree, features: Sequence[Feature], words: RuleWords) -> NDArray[np.int64]:
    """Return the option that a rule takes in each state, as an int64 array."""
    options = np.full(words.options.shape[1], -1, np.int64)
    for leaf, here in apart(tree, [f.values for f in features], len(options)):
        for word in leaf.order:
            open_ = here & (options < 0)
            options[open_] = words.options[word][open_]
    return options


def trimmed(tree: Tree, features: Sequence[Feature], words: RuleWords) -> Tree:
    """Return an equivalent tree without actions that are never taken and without nodes whose branches are equal.

    In states where none of the actions of a leaf is allowed, as after its threshold was moved, others are added.
    """
    leaves = {}
    for leaf, here in apart(tree, [f.values for f in features], words.options.shape[1]):
        used, left = [], here
        for word in (*leaf.order, *range(len(words.names))):
            if (left & (words.options[word] >= 0)).any():
                used.append(word)
                left = left & (words.options[word] < 0)
        leaves[id(leaf)] = Leaf(tuple(used))
    return _joined(tree, leaves)


def _joined(tree: Tree, leaves: dict[int, Leaf]) -> Tree:
    """Return the tree with its leaves replaced, and nodes with equal or unused branches removed."""
    if isinstance(tree, Leaf):
        return leaves[id(tree)]
    low, high = _joined(tree.low, leaves), _joined(tree.high, leaves)
    if isinstance(low, Leaf) and (low == high or not low.order):
        return high
    if isinstance(high, Leaf) and not high.order:
        return low
    return replace(tree, low=low, high=high)


def nodes(tree: Tree) -> list[Node]:
    """Return the nodes, from the root."""
    return [] if isinstance(tree, Leaf) else [tree, *nodes(tree.low), *nodes(tree.high)]


def changed(tree: Tree, old: Tree, new: Tree) -> Tree:
    """Return the tree with the subtree `old` replaced by `new`."""
    if tree is old:
        return new
    if isinstance(tree, Leaf):
        return tree
    return replace(tree, low=changed(tree.low, old, new), high=changed(tree.high, old, new))


def in_words(tree: Tree, features: Sequence[Feature], words: RuleWords) -> tuple[list[str], str]:
    """Return the rule as lines of if and else; and, if there are only two actions, what to do when
    one is not allowed.
    """
    if len(words.names) != 2:
        named = [feature.name for feature in features if feature.question]
        return _by_question(tree, features, words.names, named), ""
    leaves = [leaf for leaf, _ in apart(tree, [f.values for f in features], words.options.shape[1])]
    short = {leaf.order: words.names[leaf.order[0]] for leaf in leaves}
    missing = sorted({leaf.order for leaf in leaves if len(leaf.order) > 1})
    notes = [f"{words.names[b]} where {words.names[a]} is not allowed or not sensible" for a, b in missing]
    return _lines(tree, features, [*words.names], "", short), "; ".join(notes)


def _by_question(tree: Tree, features: Sequence[Feature], names: Sequence[str], left: Sequence[str]) -> list[str]:
    """Return the lines of a rule, those for each kind of choice under its name; `left` are those not written yet."""
    if isinstance(tree, Node) and features[tree.feature].question:
        name = features[tree.feature].name
        rest = [other for other in left if other != name]
        return [*_under(name, _lines(tree.high, features, names, "")), *_by_question(tree.low, features, names, rest)]
    lines = _lines(tree, features, names, "")
    return _under(" or ".join(left), lines) if left else lines


def _under(name: str, lines: list[str]) -> list[str]:
    """Return lines under a heading, which one line shares."""
    return [f"{name}: {lines[0]}"] if len(lines) == 1 else [f"{name}:", *(f"    {line}" for line in lines)]


def _lines(
    tree: Tree,
    features: Sequence[Feature],
    names: Sequence[str],
    begin: str,
    short: Mapping[tuple[int, ...], str] = MappingProxyType({}),
) -> list[str]:
    if isinstance(tree, Leaf):
        return [begin + short.get(tree.order, ", else ".join(names[word] for word in tree.order))]
    first, second, large = tree.high, tree.low, True
    if size(first) > size(second):  # the short branch first
        first, second, large = second, first, False
    condition = features[tree.feature].test(tree.threshold, large)
    if isinstance(first, Leaf):
        lines = _lines(first, features, names, f"{begin}if {condition}: ", short)
    else:
        inner = _lines(first, features, names, "", short)
        lines = [f"{begin}if {condition}:", *("    " + line for line in inner)]
    return [*lines, *_lines(second, features, names, "else: " if isinstance(second, Leaf) else "else ", short)]


CELLS = 1 << 18
"""Maximum number of cells of a grid of two features; neighbouring values of larger ones are merged."""


@dataclass(frozen=True)
class Axis:
    """A feature in some states: the index of each state's value (`place`) in the sorted `values` that occur."""

    place: NDArray[Any]
    values: NDArray[Any]

    @classmethod
    def of(cls, values: NDArray[Any]) -> Axis:
        """Return the axis of some values."""
        levels, place = np.unique(values, return_inverse=True)
        return cls(place.reshape(-1), levels)

    def __len__(self) -> int:
        return len(self.values)

    def coarse(self, most: int) -> Axis:
        """Return the same axis with neighbouring values merged, so that at most `most` remain."""
        if len(self) <= most:
            return self
        every = -(-len(self) // most)
        return Axis(self.place // every, self.values[::every])


@dataclass
class Sides:
    """For one root feature: the costs of its two sides, low and high, as arrays over the thresholds.

    Attributes
    ----------
    leaf, split
        Least cost of a side as a leaf, and as a node with two leaves.
    by, at
        Feature and threshold of that node; -1 if there is none.
    """

    leaf: list[Floats]
    split: list[Floats]
    by: list[NDArray[np.int64]]
    at: list[NDArray[np.int64]]


class Costs:
    """The states to fit, their features and costs.

    Parameters
    ----------
    features
        The features that nodes may test.
    cost
        float64 array (actions, states): cost of the action in the state, times the expected visits of the state.
    """

    def __init__(self, features: Sequence[Feature], cost: Floats) -> None:
        self.columns = [f.values for f in features]
        self.cost = cost

    def inside(self, here: NDArray[np.bool_]) -> Costs:
        """Return the costs in some of the states."""
        part = object.__new__(Costs)
        part.columns, part.cost = [column[here] for column in self.columns], self.cost[:, here]
        return part

    def leaf(self) -> Leaf:
        """Return the leaf with the action that costs least."""
        return Leaf((int(self.cost.sum(axis=1).argmin()),))

    def worth(self, tree: Tree) -> float:
        """Return the cost of a tree."""
        if isinstance(tree, Leaf):
            return float(self.cost[tree.order[0]].sum())
        high = self.columns[tree.feature] >= tree.threshold
        return self.inside(~high).worth(tree.low) + self.inside(high).worth(tree.high)

    def split(self, feature: int, threshold: int) -> Node:
        """Return the node of least cost with this test and two leaves with different actions."""
        high = self.columns[feature] >= threshold
        low_sum, high_sum = self.cost[:, ~high].sum(axis=1), self.cost[:, high].sum(axis=1)
        both = low_sum[:, None] + high_sum + np.where(np.eye(len(low_sum), dtype=np.bool_), inf, 0.0)
        first, second = divmod(int(both.argmin()), len(low_sum))
        return Node(feature, threshold, Leaf((first,)), Leaf((second,)))

    def best_splits(self) -> list[tuple[float, int, int]]:
        """For each feature: cost, feature and threshold of the best node with two leaves; the least cost first."""
        splits = []
        for f in range(len(self.columns)):
            values, cost = self._halves(f)
            if len(cost):
                splits.append((float(cost.min()), f, int(values[cost.argmin()])))
        return sorted(splits)

    def thresholds(self, feature: int, many: int) -> list[int]:
        """Return the thresholds of a feature at local minima of the cost, the least first, at most `many`."""
        values, cost = self._halves(feature)
        return [int(values[place]) for place in dips(cost, many)]

    def _halves(self, feature: int) -> tuple[NDArray[Any], Floats]:
        """Return the thresholds of a feature, and at each the least cost of a node with two different leaves."""
        axis = Axis.of(self.columns[feature])
        total = np.cumsum([np.bincount(axis.place, row, len(axis)) for row in self.cost], axis=1)
        if len(total) < 2:
            return axis.values[:0], np.zeros(0)
        low, high = total[:, :-1], total[:, -1:] - total[:, :-1]
        places = np.arange(low.shape[1])
        low_two, high_two = np.argpartition(low, 1, axis=0)[:2], np.argpartition(high, 1, axis=0)[:2]
        # Different actions of least total cost are among the two cheapest actions of either side.
        pairs = [np.where(a == b, inf, low[a, places] + high[b, places]) for a in low_two for b in high_two]
        return axis.values[1:], np.min(pairs, axis=0)

    def roots(self, chosen: Sequence[int]) -> dict[int, tuple[NDArray[np.int64], Sides]]:
        """For each chosen feature as the root: its thresholds, and the costs of its sides, split by a chosen one."""
        axes = {f: Axis.of(self.columns[f]) for f in chosen}
        axes = {f: axis.coarse(512) for f, axis in axes.items() if len(axis) > 1}
        by_root = {}
        for f, axis in axes.items():
            leaf = [np.full(len(axis) - 1, inf) for _ in range(2)]
            none = [np.full(len(axis) - 1, -1) for _ in range(2)]
            by_root[f] = axis.values[1:], Sides(leaf, [side.copy() for side in leaf], none, [n.copy() for n in none])
        for f in axes:
            for g in axes:
                self._grid(axes[f], axes[g], g, by_root[f][1])
        return by_root

    def _grid(self, root: Axis, second: Axis, g: int, sides: Sides) -> None:
        """Improve `sides` by splitting the sides of each threshold of the root by feature g, at its best threshold."""
        second = second.coarse(max(2, CELLS // len(root)))
        cells = root.place * len(second) + second.place
        shape = len(self.cost), len(root), len(second)
        grid = np.stack([np.bincount(cells, row, shape[1] * shape[2]) for row in self.cost]).reshape(shape)
        # grid[a, i, j]: cost of action a in all states up to index i on the root's axis and j on the second axis
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


def dips(cost: Floats, many: int) -> list[int]:
    """Return the indices of local minima, the least cost first, at most `many`.

    >>> dips(np.array([3.0, 1.0, 2.0, 0.0]), 2)
    [3, 1]
    """
    sides = np.concatenate(([inf], cost, [inf]))
    low = (cost <= sides[:-2]) & (cost < sides[2:])
    ranked = np.argsort(np.where(low, cost, inf), kind="stable")[: min(many, int(low.sum()))]
    return [int(place) for place in ranked]


def fitted(costs: Costs, leaves: int, chosen: Sequence[int]) -> list[Tree]:
    """Return the trees of low cost with at most 2, 3, ... leaves; from three leaves on, roots are `chosen` features."""
    singles = [costs.split(f, t) for _, f, t in costs.best_splits()]
    if not singles or leaves < 2:
        return [costs.leaf()]
    trees: list[Tree] = [singles[0]]
    if leaves >= 3:
        trees += _of_three_and_four(costs, leaves, chosen)
    while len(trees) < leaves - 1:
        trees.append(grown(costs, trees[-1]))
    return trees


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
    if len(trees) == 2:  # sides of one and three leaves may cost less than two sides of two leaves
        trees[1] = min(trees[1], grown(costs, trees[0]), key=costs.worth)
    return trees[: leaves - 2]


def grown(costs: Costs, tree: Tree) -> Tree:
    """Return the tree after the split of one leaf that reduces the cost most; unchanged if no split does."""
    best = tree, 0.0
    for leaf, here in apart(tree, costs.columns, costs.cost.shape[1]):
        part = costs.inside(here)
        splits = part.best_splits()
        if splits:
            gain = part.worth(leaf) - splits[0][0]
            if gain > best[1]:
                best = changed(tree, leaf, part.split(*splits[0][1:])), gain
    return best[0]
