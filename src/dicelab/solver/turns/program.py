"""The order in which the nodes of a turn are evaluated, each kind of node once.

Nodes that lead to the same nodes with the same chances and gains have the same value: two rolls that allow the same
options, for example. They become one. An edge against the order belongs to a cycle; its target is a *cut* node, and the
edge reads a copy of its value, made before.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dicelab.solver.enumeration.model import ranges
from dicelab.solver.solution.ordering import components
from dicelab.solver.turns.beginnings import Beginnings

Array = NDArray[Any]


class Arrays(NamedTuple):
    """The program as `sweeps.sweep` takes it: nodes in their order; edges, then leaves of each.

    `side` is 0 for a roll, 1 or -1 for a seat that maximises or minimises. `plain` leaves never lead to a node.
    """

    side: Array
    row: Array
    target: Array
    chance: Array
    gain: Array
    leaf_row: Array
    leaf: Array
    leaf_chance: Array
    plain: Array


class Program(NamedTuple):
    """The program, and what connects it to the structure.

    Attributes
    ----------
    arrays
        The program.
    place, copy
        For each node of the structure its place in the program, and the place of its copy (-1 if it is no cut node).
    cuts
        Places of the cut nodes.
    leaf_side, leaf_place
        For each leaf, side and first place of the nodes at which it begins.
    """

    arrays: Arrays
    place: Array
    copy: Array
    cuts: Array
    leaf_side: Array
    leaf_place: Array


def program_of(turns: Beginnings, sides: Array) -> Program:
    """The program of turns; `sides` has 1 for each seat that maximises, -1 for one that minimises."""
    shot = turns.snapshot
    sources, targets = _all_edges(turns)
    place = np.full(len(shot.steps), -1, np.int64)
    order = _from(np.unique(turns.node), sources, targets, len(place))[::-1]
    place[order] = np.arange(len(order))
    back = (place[targets] >= place[sources]) & (place[sources] >= 0)
    cut = np.zeros(len(place), np.bool_)
    cut[targets[back]] = True
    side = np.where(shot.steps < 0, sides[(-2 - np.minimum(shot.steps, -2)) & 65535], 0)
    return _merged(turns, order, side, cut)


def _from(starts: Array, sources: Array, targets: Array, nodes: int) -> Array:
    """The nodes that are reached from some, sources before targets, but for edges within cycles."""
    row = np.concatenate(([0], len(starts) + np.searchsorted(sources, np.arange(nodes + 1))))
    order, _ = components(row, np.concatenate((starts, targets)).astype(np.int32) + 1)  # node 0 leads to all starts
    return order[np.flatnonzero(order == 0)[0] + 1 :] - 1


def _all_edges(turns: Beginnings) -> tuple[Array, Array]:
    """Sources and targets of all edges, those of leaves that lead to nodes too, sorted by source."""
    shot, links = turns.snapshot, turns.links
    nodes = np.arange(len(shot.steps))
    first = np.searchsorted(links[:, 0], shot.leaf)
    count = np.searchsorted(links[:, 0], shot.leaf, side="right") - first
    source = np.concatenate(
        (np.repeat(nodes, np.diff(shot.row)), np.repeat(np.repeat(nodes, np.diff(shot.leaf_row)), count))
    )
    target = np.concatenate((shot.target, links[ranges(first, count), 1]))
    order = np.argsort(source, kind="stable")
    return source[order], target[order]


def _merged(turns: Beginnings, order: Array, side: Array, cut: Array) -> Program:
    """The program, with nodes of equal value as one. In Python: each node of the structure is looked at once."""
    shot = turns.snapshot
    same: dict[Any, int] = {}
    place = np.full(len(shot.steps), -1, np.int64)
    at = place.tolist()
    cuts = np.flatnonzero(cut)
    copies = {node: -2 - i for i, node in enumerate(cuts.tolist())}  # a copy i has the place -2 - i for now
    row, leaf_row, sides = shot.row.tolist(), shot.leaf_row.tolist(), side.tolist()
    target, weight, gain = shot.target.tolist(), shot.weight.tolist(), shot.gain.tolist()
    rows, leaf_rows, kept = [0], [0], list[int]()
    edges: list[tuple[int, float, float]] = []
    leaves: list[tuple[int, float]] = []
    for n in order.tolist():
        some: dict[tuple[int, int], int] = {}
        for e in range(row[n], row[n + 1]):
            known = at[target[e]]
            end = (known if known >= 0 else copies[target[e]]), gain[e]
            some[end] = some.get(end, 0) + weight[e]
        own = shot.leaf[leaf_row[n] : leaf_row[n + 1]].tolist()
        total = 1
        if sides[n]:
            ways = tuple(sorted(some))
            key: Any = (sides[n], ways)
        else:
            own_weight = shot.leaf_weight[leaf_row[n] : leaf_row[n + 1]].tolist()
            total = sum(some.values()) + sum(own_weight)
            key = (total, tuple(sorted(some.items())), *own_weight)
        if n not in copies:
            known = same.setdefault((key, *own), len(kept))
            if known < len(kept):
                at[n] = known
                continue
        at[n] = len(kept)
        kept.append(n)
        edges += [(end, weight / total, float(add)) for (end, add), weight in sorted(some.items())]
        leaves += [
            (o, 0.0 if sides[n] else w / total) for o, w in zip(own, own if sides[n] else own_weight, strict=True)
        ]
        rows.append(len(edges))
        leaf_rows.append(len(leaves))
    place[:] = at
    ends = np.array([end for end, _, _ in edges], np.int64)
    ends = np.where(ends < -1, len(kept) + (-2 - ends), ends)
    copy = np.full(len(place), -1, np.int64)
    copy[cuts] = len(kept) + np.arange(len(cuts))
    leaf_place = np.full(len(shot.pairs), len(kept), np.int64)
    np.minimum.at(leaf_place, shot.leaf, np.repeat(np.where(place < 0, len(kept), place), np.diff(shot.leaf_row)))
    leaf_side = np.ones(len(shot.pairs))
    leaf_side[shot.leaf] = np.repeat(side, np.diff(shot.leaf_row))
    plain = np.ones(len(shot.pairs), np.bool_)
    plain[turns.links[:, 0]] = False
    arrays = Arrays(
        np.array([sides[n] for n in kept], np.int64),
        np.array(rows),
        ends,
        np.array([p for _, p, _ in edges], np.float64),
        np.array([g for _, _, g in edges], np.float64),
        np.array(leaf_rows),
        np.array([o for o, _ in leaves], np.int64),
        np.array([p for _, p in leaves], np.float64),
        plain,
    )
    return Program(arrays, place, copy, place[cuts], leaf_side, leaf_place)
