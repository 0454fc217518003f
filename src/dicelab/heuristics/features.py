"""What a person sees of a position: numbers of the state, as the seat that chooses would name them.

Rows with one number for each seat are mine and theirs. Of these numbers there are sums and differences, the number of
dice that a move would throw, and for rules with a slope one number and a part of another: ``points + my scores / 8``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicelab.heuristics.table import Table
from dicelab.heuristics.words import Words
from dicelab.random.outcome_tables import pool_rows
from dicelab.rules.fields import Flag, Int, Ints
from dicelab.rules.game import Game, seat_count
from dicelab.rules.params import value_of

Column = NDArray[Any]
FEW = 6
"""Of more numbers than this no sums and differences are tried."""
WORDS = 4
"""With more moves than this nobody looks at the dice that each would throw."""
SLOPES = (2, 3, 4, 5, 6, 8, 10, 12, 16)


@dataclass(frozen=True)
class Feature:
    """A number at every position of the policy.

    Attributes
    ----------
    name
        In words.
    values
        Array of whole numbers.
    flag
        It is a yes or no.
    scale
        The number is `values` divided by this.
    """

    name: str
    values: Column
    flag: bool = False
    scale: int = 1

    def test(self, threshold: int, large: bool) -> str:
        """The condition that the number is at least a threshold, or (not large) that it is below it."""
        if self.flag:
            return self.name if large else f"not {self.name}"
        limit = threshold if large else threshold - 1
        return f"{self.name} {'>=' if large else '<='} {limit / self.scale:g}"


def features(table: Table, words: Words) -> list[Feature]:
    """Numbers by which a rule may decide, plain ones first; none that is the same everywhere."""
    single = list(_singles(table))
    rows = list(_by_seat(table))
    cells = list(_cells(table))
    plain = [*single, *(f for mine, theirs, *more in rows for f in (mine, theirs, *more)), *cells]
    numbers = [f for f in _useful([*single, *(f for row in rows for f in row[:2])]) if not f.flag]
    found = [*plain, *_dice(table, words)]
    if len(numbers) <= FEW:
        found += [_sum(a, b) for i, a in enumerate(numbers) for b in numbers[i + 1 :]]
        found += [_lead(a, b) for i, a in enumerate(numbers) for b in numbers[i + 1 :]]
        found += [_sum(a, _lead(*row[:2])) for a in single if not a.flag for row in rows]
    return _useful(found)


def slopes(table: Table) -> list[Feature]:
    """A number and a part of another one that belongs to a seat."""
    single = [f for f in _useful(_singles(table)) if not f.flag]
    if len(single) > FEW // 2:
        return []
    parts = [f for mine, theirs, *_ in _by_seat(table) for f in (mine, theirs, _lead(mine, theirs))]
    return _useful([_slope(a, part, by) for a in single for part in parts for by in SLOPES for by in (by, -by)])


def _useful(found: Sequence[Feature] | Iterator[Feature]) -> list[Feature]:
    """Those that are not the same everywhere, each once."""
    kept: dict[bytes, Feature] = {}
    for f in found:
        if f.values.min() < f.values.max():
            above = (f.values - f.values.min()).astype(np.int32)
            kept.setdefault(blake2b(above.tobytes()).digest(), replace(f, values=f.values.astype(np.int32)))
    return list(kept.values())


def _singles(table: Table) -> Iterator[Feature]:
    """The single numbers of the state; of a number that names a seat, whether that is me."""
    game, policy = table.graph.game, table.policy
    seats = seat_count(game)
    for name, field in game.declared.state.items():
        if isinstance(field, Ints):
            continue
        values = policy.column(name)
        if isinstance(field, Int) and seats > 1 and (values < seats).all() and field.bounds(game)[1] == seats - 1:
            yield Feature(f"{name} is me", (values == table.seat).astype(np.int64), flag=True)
            yield Feature(f"{name} is another", ((values >= 0) & (values != table.seat)).astype(np.int64), flag=True)
        else:
            yield Feature(name, values, flag=isinstance(field, Flag))


def _rows(game: Game, by_seat: bool) -> list[tuple[str, int]]:
    """Names and lengths of the rows that have, or have not, one number for each seat."""
    rows = [(name, f) for name, f in game.declared.state.items() if isinstance(f, Ints)]
    sized = [(name, value_of(f.length, game)) for name, f in rows]
    return [(name, size) for name, size in sized if (size == seat_count(game) > 1) == by_seat]


def _by_seat(table: Table) -> Iterator[tuple[Feature, ...]]:
    """For each row with one number for each seat: mine, the most that another has, and the most and least of all."""
    for name, size in _rows(table.graph.game, True):
        row = np.stack([table.policy.column(f"{name}[{i}]") for i in range(size)])
        here = np.arange(row.shape[1])
        mine = row[table.seat, here]
        others = row.copy()
        others[table.seat, here] = np.iinfo(np.int64).min
        theirs = f"their {name}" if size == 2 else f"the most {name} of another"
        yield (
            Feature(f"my {name}", mine),
            Feature(theirs, others.max(axis=0)),
            Feature(f"the larger of {name}" if size == 2 else f"the most {name}", row.max(axis=0)),
            Feature(f"the smaller of {name}" if size == 2 else f"the least {name}", row.min(axis=0)),
        )


def _cells(table: Table) -> Iterator[Feature]:
    """The numbers of all other rows, and their sums."""
    for name, size in _rows(table.graph.game, False):
        cells = [table.policy.column(f"{name}[{i}]") for i in range(size)]
        yield from (Feature(f"{name}[{i}]", cell) for i, cell in enumerate(cells))
        yield Feature(f"the sum of {name}", np.sum(cells, axis=0))
        yield Feature(f"the most {name}", np.max(cells, axis=0))


def _dice(table: Table, words: Words) -> Iterator[Feature]:
    """How many dice would be thrown next, by move: told by the total weight of the throw that it leads to."""
    if len(words.names) > WORDS:
        return
    game, graph = table.graph.game, table.graph
    _, pools = pool_rows(game)
    dice = {float(pool.weight): pool.count for pool in pools}
    if any(dice[float(pool.weight)] != pool.count for pool in pools):
        return
    counts = np.array([dice[key] for key in sorted(dice)], np.int64)
    for name, option in zip(words.names, words.options, strict=True):
        edge = graph.row[table.at] + option - table.policy.row[:-1]
        to = np.where(option >= 0, graph.target[np.where(option >= 0, edge, 0)], -1)
        thrown = (to >= 0) & (graph.mover[to] < 0)
        total = graph.total[to].astype(np.float64)
        place = np.minimum(np.searchsorted(np.array(sorted(dice)), total), len(dice) - 1)
        yield Feature(f"dice to {name}", np.where(thrown, counts[place], counts.max()))


def _sum(a: Feature, b: Feature) -> Feature:
    return Feature(f"{a.name} + {_in_brackets(b)}", a.values + b.values)


def _lead(a: Feature, b: Feature) -> Feature:
    return Feature(f"{a.name} - {_in_brackets(b)}", a.values - b.values)


def _slope(a: Feature, b: Feature, by: int) -> Feature:
    part = f"{_in_brackets(b)} / {abs(by)}"
    return Feature(
        f"{a.name} {'+' if by > 0 else '-'} {part}", abs(by) * a.values + np.sign(by) * b.values, False, abs(by)
    )


def _in_brackets(f: Feature) -> str:
    return f"({f.name})" if " - " in f.name or " + " in f.name else f.name
