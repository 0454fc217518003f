"""A rule as a small tree: at each node a number is compared with a threshold, at each leaf stands what to do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from dicelab.heuristics.features import Feature
from dicelab.heuristics.words import Words

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Leaf:
    """What to do, by its place among the words; where it can't be done the next."""

    order: tuple[int, ...]


@dataclass(frozen=True)
class Node:
    """Go to `high` where the feature is at least the threshold, else to `low`."""

    feature: int
    threshold: int
    low: Tree
    high: Tree


Tree = Leaf | Node


def size(tree: Tree) -> int:
    """Number of leaves."""
    return 1 if isinstance(tree, Leaf) else size(tree.low) + size(tree.high)


def apart(tree: Tree, features: Sequence[Feature], here: Mask) -> Iterator[tuple[Leaf, Mask]]:
    """The leaves, each with the positions that come to it."""
    if isinstance(tree, Leaf):
        yield tree, here
        return
    high = features[tree.feature].values >= tree.threshold
    yield from apart(tree.low, features, here & ~high)
    yield from apart(tree.high, features, here & high)


def decided(tree: Tree, features: Sequence[Feature], words: Words) -> NDArray[np.int64]:
    """The option that a rule takes at every position."""
    options = np.full(words.options.shape[1], -1, np.int64)
    for leaf, here in apart(tree, features, np.ones(len(options), np.bool_)):
        for word in leaf.order:
            open_ = here & (options < 0)
            options[open_] = words.options[word][open_]
    return options


def trimmed(tree: Tree, features: Sequence[Feature], words: Words) -> Tree:
    """The same rule without words that are never used, and without nodes whose branches say the same."""
    told = {}
    for leaf, here in apart(tree, features, np.ones(words.options.shape[1], np.bool_)):
        used, left = [], here
        for word in leaf.order:
            if (left & (words.options[word] >= 0)).any():
                used.append(word)
                left = left & (words.options[word] < 0)
        told[id(leaf)] = Leaf(tuple(used))
    return _joined(tree, told)


def _joined(tree: Tree, told: dict[int, Leaf]) -> Tree:
    if isinstance(tree, Leaf):
        return told[id(tree)]
    low, high = _joined(tree.low, told), _joined(tree.high, told)
    if isinstance(low, Leaf) and (low == high or not low.order):
        return high
    if isinstance(high, Leaf) and not high.order:
        return low
    return replace(tree, low=low, high=high)


def nodes(tree: Tree) -> list[Node]:
    """The nodes, from the top."""
    return [] if isinstance(tree, Leaf) else [tree, *nodes(tree.low), *nodes(tree.high)]


def changed(tree: Tree, old: Tree, new: Tree) -> Tree:
    """The tree with one part in another's place."""
    if tree is old:
        return new
    if isinstance(tree, Leaf):
        return tree
    return replace(tree, low=changed(tree.low, old, new), high=changed(tree.high, old, new))


def in_words(tree: Tree, features: Sequence[Feature], words: Words) -> tuple[list[str], str]:
    """The rule as lines of if and else; and what to do where one of two moves can't be made."""
    if len(words.names) != 2:
        return _lines(tree, features, words.names, ""), ""
    leaves = [leaf for leaf, _ in apart(tree, features, np.ones(words.options.shape[1], np.bool_))]
    short = {leaf.order: words.names[leaf.order[0]] for leaf in leaves}
    missing = sorted({leaf.order for leaf in leaves if len(leaf.order) > 1})
    told = [f"{words.names[b]} where {words.names[a]} is not allowed or not worth a thought" for a, b in missing]
    return _lines(tree, features, [*words.names], "", short), "; ".join(told)


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
        told = _lines(first, features, names, f"{begin}if {condition}: ", short)
    else:
        inner = _lines(first, features, names, "", short)
        told = [f"{begin}if {condition}:", *("    " + line for line in inner)]
    return [*told, *_lines(second, features, names, "else: " if isinstance(second, Leaf) else "else ", short)]
