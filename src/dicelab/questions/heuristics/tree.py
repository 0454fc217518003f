"""A rule as a small decision tree: nodes compare a feature with a threshold, leaves name actions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicelab.questions.heuristics.features import Feature, RuleWords

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
