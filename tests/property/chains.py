"""Chains made of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from dicelab.rules import OVER, Game, Int, Peak, Tally
from dicelab.runtime.lineup import Run
from dicelab.runtime.states.codec import Slots
from dicelab.runtime.states.explorer import UNRAISED
from dicelab.solver.enumeration.model import Graph
from support import labelled

OUTCOMES = 3


class Table(Game):
    """Stands for the chain of some game: a position is a number."""

    name = "table"
    source = "made for the tests"
    outcomes = ("a", "b", "c")

    at = Int(0, 1000, "number of the position")
    up = Tally("never falls")
    any = Tally("rises and falls")
    most = Peak("the largest")

    def next(self) -> int:
        return OVER

    def outcome(self) -> int:
        return 0


@dataclass(frozen=True)
class Edge:
    """One way on from a position; `target` is -1 - outcome at the end."""

    target: int
    weight: int
    change: tuple[int, int, int]


Rows = list[list[Edge]]


def graph_of_rows(rows: Rows, first: tuple[int, int, int] = (0, 0, UNRAISED), numbers: Sequence[int] = ()) -> Graph:
    """The graph of a table; it begins at row 0. `numbers` are those of the positions: their places, unless given."""
    run = Run.of(Table)
    slots = Slots.of(run.game, ())
    changes = list(dict.fromkeys([first, *(edge.change for row in rows for edge in row)]))
    edges = [edge for row in rows for edge in row]
    totals = [sum(edge.weight for edge in row) for row in rows for _ in row]
    return Graph(
        run.game,
        (),
        slots,
        0,
        0,
        np.array([slots.pack([n]) for n in numbers or range(len(rows))], np.uint64).reshape(-1, slots.words),
        np.cumsum([0, *map(len, rows)]),
        np.array([edge.target for edge in edges], np.int32),
        *labelled((edge.weight, total, changes.index(edge.change)) for edge, total in zip(edges, totals, strict=True)),
        np.array(changes, np.int64),
        np.full(len(rows), -1, np.int32),
    )


weights = st.integers(1, 9) | st.sampled_from([1, 1000, 10**6])


changes = st.tuples(st.integers(0, 3), st.integers(-3, 3), st.sampled_from([UNRAISED, -2, 0, 1, 5, 9]))


@st.composite
def tables(draw, most=6, weights=weights):
    """Rows of positions, all of which can be reached and left for good."""
    size = draw(st.integers(1, most))
    raw = [
        draw(
            st.dictionaries(st.tuples(st.integers(-OUTCOMES, size - 1), changes), weights, min_size=1, max_size=4).map(
                lambda ends: [Edge(target, weight, change) for (target, change), weight in ends.items()]
            )
        )
        for _ in range(size)
    ]
    return reachable(raw)


def reachable(rows: Rows) -> Rows:
    """The positions that can be reached from the first, numbered as they are met."""
    number = {0: 0}
    waiting = [0]
    for s in waiting:
        for edge in rows[s]:
            if edge.target >= 0 and edge.target not in number:
                number[edge.target] = len(number)
                waiting.append(edge.target)
    return [
        [Edge(number[e.target] if e.target >= 0 else e.target, e.weight, e.change) for e in rows[s]] for s in waiting
    ]


def ends_for_certain(rows: Rows) -> bool:
    """Can the end be reached from everywhere?"""
    good: set[int] = set()
    while True:
        more = {s for s, row in enumerate(rows) if any(e.target < 0 or e.target in good for e in row)}
        if more == good:
            return len(good) == len(rows)
        good = more


def is_short(rows: Rows) -> bool:
    """Does a game take ten throws at the most, on average and from wherever it stands?"""
    if not ends_for_certain(rows):
        return False
    among = np.eye(len(rows))
    for s, row in enumerate(rows):
        for edge in row:
            if edge.target >= 0:
                among[s, edge.target] -= edge.weight / sum(e.weight for e in row)
    return bool(np.linalg.solve(among, np.ones(len(rows))).max() <= 10)


short = tables(weights=st.integers(1, 9)).filter(is_short)
