"""Nodes of a turn with equal values become one: compiled, as in plain Python."""

from __future__ import annotations

import random
from collections import Counter
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dicelab.solver.turns.program import program_of


def turns(chance: random.Random, nodes: int, heavy: int) -> Any:
    """The turns of a made-up game: few targets, gains and weights, so that many nodes are equal, and some cycles."""
    row, leaf_row, edges, leaves, steps = [0], [0], [], [], []
    for _ in range(nodes):
        steps.append(chance.choice((0, 3, -2, -3)))
        for _ in range(chance.choice((0, 1, 1, 2, 9))):
            end = nodes - chance.randrange(1, 9) if chance.random() < 0.98 else chance.randrange(nodes)
            edges.append((end, chance.choice((0, 0, -5, 7)), chance.randint(1, 2)))
        own = sorted(chance.sample(range(6), chance.randint(0 if row[-1] < len(edges) else 1, 2)))
        leaves += [(leaf, chance.randint(1, 2)) for leaf in own]
        row.append(len(edges))
        leaf_row.append(len(leaves))
    rolls = np.array(steps) >= 0
    target, gain, weight = np.array(edges).T
    leaf, leaf_weight = np.array(leaves).T
    weight, leaf_weight = (
        np.where(np.repeat(rolls, np.diff(rows)), w * heavy, 0) for rows, w in ((row, weight), (leaf_row, leaf_weight))
    )
    graph = {"row": np.array(row), "target": target, "gain": gain, "weight": weight}
    graph |= {"leaf_row": np.array(leaf_row), "leaf": leaf, "leaf_weight": leaf_weight}
    shot = SimpleNamespace(steps=np.array(steps), pairs=np.zeros((6, 2), np.int64), **graph)
    return SimpleNamespace(snapshot=shot, node=np.arange(nodes), links=np.zeros((0, 2), np.int64))


@pytest.mark.parametrize("heavy", [1, 2**54 + 1])
def test_equal_nodes_are_one(heavy: int) -> None:
    """Of nodes with the same side, edges and leaves one is kept, its edges sorted, chances rounded once; not of those
    with a copy.
    """
    found = turns(random.Random(heavy), 800, heavy)
    shot = found.snapshot
    program = program_of(found, np.array([1, -1]))
    arrays, place = program.arrays, program.place.tolist()
    cuts = [n for n in range(800) if program.copy[n] >= 0]
    assert cuts
    assert len(arrays.side) < 700
    first = {place[n]: n for n in reversed(range(800))}
    assert sorted(first) == list(range(len(arrays.side)))
    contents = {}
    for n in range(800):
        m = place[n]
        ends = Counter[tuple[int, int]]()
        for e in range(shot.row[n], shot.row[n + 1]):
            t = int(shot.target[e])
            end = place[t] if place[t] < m else int(program.copy[t])
            assert end >= 0
            rank = end if end < len(arrays.side) else len(arrays.side) - end - 1  # copies first, the last of them first
            ends[rank, int(shot.gain[e])] += int(shot.weight[e])
        own = range(shot.leaf_row[n], shot.leaf_row[n + 1])
        rolled = shot.steps[n] >= 0
        total = sum(ends.values()) + sum(int(shot.leaf_weight[i]) for i in own) if rolled else 1
        kept = range(arrays.row[m], arrays.row[m + 1])
        assert [(arrays.gain[e], arrays.chance[e]) for e in kept] == [
            (g, w / total) for (_, g), w in sorted(ends.items())
        ]
        ranks = [rank if rank >= 0 else len(arrays.side) - rank - 1 for rank, _ in sorted(ends)]
        assert arrays.target[kept].tolist() == ranks
        leaves = range(arrays.leaf_row[m], arrays.leaf_row[m + 1])
        assert arrays.leaf[leaves].tolist() == [shot.leaf[i] for i in own]
        assert arrays.leaf_chance[leaves].tolist() == [int(shot.leaf_weight[i]) / total for i in own]
        assert arrays.side[m] == (0 if rolled else 1 if shot.steps[n] == -2 else -1)
        key = arrays.side[m], tuple(sorted(ends.items())), *((shot.leaf[i], shot.leaf_weight[i]) for i in own)
        if n not in cuts:
            assert contents.setdefault(key, m) == m
