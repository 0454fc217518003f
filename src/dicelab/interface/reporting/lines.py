"""The lines of a card.

States that differ in one number only, the *edge* field, are one line: ``points: roll to 19, then bank``. Lines that
differ only in the *last* field and say the same are joined. Both fields are chosen so that there are few lines. States
that aren't in the policy, because nobody chooses there or optimal play never gets there, belong to the nearest line.

By itself because it is a search for few lines, which knows nothing of how a card is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from dicelab.runtime.arrays import Integers

Runs = tuple[tuple[int, int, str], ...]
"""First value, last value and move, by rising values."""


@dataclass(frozen=True)
class CardLine:
    """Some states: first and last value of each field but the edge field, and the move by its value.

    Attributes
    ----------
    spans
        By field: the first and the last value; only those of the last field may differ.
    runs
        First and last value of the edge field, rising, and the move in words.
    """

    spans: dict[str, tuple[int, int]]
    runs: Runs


def lines_of(columns: dict[str, Integers], moves: Integers, words: list[str]) -> tuple[str, tuple[CardLine, ...]]:
    """Return the edge field, and the lines.

    Parameters
    ----------
    columns
        By field: its value in each state, int64 array (states,).
    moves
        The best move in each state, int64 array (states,), an index of `words`.
    words
        The moves in words.
    """

    def ordered(name: str) -> tuple[list[str], Integers]:
        others = [other for other in columns if other != name]
        return others, _sorted([*(columns[other] for other in others), columns[name]])

    def runs(name: str) -> int:
        others, order = ordered(name)
        return int(_changes([*(columns[other] for other in others), moves], order).sum())

    edge = min(columns, key=runs)
    others, order = ordered(edge)
    starts = np.flatnonzero(_changes([columns[other] for other in others], order))
    keys = [columns[other][order[starts]] for other in others]
    values, chosen = columns[edge][order].tolist(), moves[order].tolist()
    patterns: dict[Runs, int] = {}
    pattern = []
    for low, high in zip(starts.tolist(), [*starts[1:].tolist(), len(order)], strict=True):
        pattern.append(
            patterns.setdefault(_runs(values[low:high], [words[move] for move in chosen[low:high]]), len(patterns))
        )
    return edge, _joined(others, keys, np.array(pattern, np.int64), list(patterns))


def _sorted(columns: Sequence[Integers]) -> Integers:
    """Return the order of the states by the given numbers; the first of them counts most."""
    return np.lexsort(tuple(reversed(columns))) if columns else np.arange(0)


def _changes(columns: Sequence[Integers], order: Integers) -> NDArray[np.bool_]:
    """Return which states, in that order, differ from the one before them in one of the numbers; the first one does."""
    differs = np.zeros(len(order), np.bool_)
    differs[:1] = True
    for column in columns:
        differs[1:] |= np.diff(column[order]) != 0
    return differs


def _runs(values: list[int], moves: list[str]) -> Runs:
    """Consecutive values with the same move, as first value, last value and move."""
    found = []
    for move, group in groupby(zip(values, moves, strict=True), key=lambda pair: pair[1]):
        run = [value for value, _ in group]
        found.append((run[0], run[-1], move))
    return tuple(found)


def _joined(names: list[str], keys: list[Integers], pattern: Integers, patterns: list[Runs]) -> tuple[CardLine, ...]:
    """Return lines for all keys; those that differ only in the last field, with the same pattern, are one."""

    def order_with(last: int) -> tuple[list[int], Integers]:
        first = [k for k in range(len(keys)) if k != last]
        return first, _sorted([*(keys[k] for k in first), keys[last]])

    def count(last: int) -> int:
        first, order = order_with(last)
        return int(_changes([*(keys[k] for k in first), pattern], order).sum())

    if not keys:
        return (CardLine({}, patterns[0]),)
    last = min(range(len(keys)), key=count)
    first, order = order_with(last)
    starts = np.flatnonzero(_changes([*(keys[k] for k in first), pattern], order)).tolist()
    lines = []
    for low, high in zip(starts, [*starts[1:], len(order)], strict=True):
        begin, end = order[low], order[high - 1]
        spans = {names[k]: (int(keys[k][begin]), int(keys[k][end])) for k in (*first, last)}
        lines.append(CardLine(spans, patterns[int(pattern[begin])]))
    return tuple(lines)
