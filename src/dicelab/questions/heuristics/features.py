"""Features of states that a rule can test: fields as the choosing seat sees them, and combinations of these.

A row with one number per seat is split into mine and theirs. Combinations are sums and differences, the number of dice
that a move rolls, and, for rules with a slope, a number plus a fraction of another: ``points + my scores / 8``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicelab.questions.heuristics.move_graph import MoveGraph
from dicelab.questions.heuristics.words import RuleWords
from dicelab.rules.fields import Flag, Int, Ints
from dicelab.rules.game import Game, seat_count
from dicelab.rules.keeping import Keep
from dicelab.rules.params import value_of
from dicelab.rules.wording import called
from dicelab.rules.words import Bits
from dicelab.runtime.outcome_tables import pool_rows

Column = NDArray[Any]
FEW = 6
"""Maximum number of numbers for which sums and differences are features."""
WORDS = 4
"""Maximum number of actions for which the number of dice rolled next is a feature."""
SLOPES = (2, 3, 4, 5, 6, 8, 10, 12, 16)
"""Denominators of the fraction in features with a slope."""


@dataclass(frozen=True)
class Feature:
    """A number for every state of the policy.

    Attributes
    ----------
    name
        The feature in words.
    values
        Array of whole numbers, one per state.
    flag
        Whether it is a yes or no.
    scale
        The feature's value is `values` divided by `scale`.
    question
        Whether it says which of several choices is asked for.
    """

    name: str
    values: Column
    flag: bool = False
    scale: int = 1
    question: bool = False

    def test(self, threshold: int, large: bool) -> str:
        """Return the condition, in words, that the value is at least the threshold, or, if not `large`, below it."""
        if self.flag:
            return self.name if large else f"not {self.name}"
        limit = threshold if large else threshold - 1
        return f"{self.name} {'>=' if large else '<='} {limit / self.scale:g}"


def features(table: MoveGraph, words: RuleWords) -> list[Feature]:
    """Return the features without a slope, single fields first; constant features and duplicates are omitted."""
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


def questions(table: MoveGraph, words: RuleWords) -> list[Feature]:
    """Return a feature for each kind of choice that is asked for, if there are several."""
    game, asked = table.graph.game, np.unique(words.asked).tolist()
    named = [called(game, game.declared.decisions[index].name) for index in asked]
    found = [
        Feature(name, (words.asked == k).astype(np.int32), True, 1, True) for name, k in zip(named, asked, strict=True)
    ]
    return found if len(found) > 1 else []


def slopes(table: MoveGraph) -> list[Feature]:
    """Return the features with a slope: a single number plus or minus a fraction of a number by seat."""
    single = [f for f in _useful(_singles(table)) if not f.flag]
    if len(single) > FEW // 2:
        return []
    parts = [f for mine, theirs, *_ in _by_seat(table) for f in (mine, theirs, _lead(mine, theirs))]
    return _useful([_slope(a, part, by) for a in single for part in parts for by in SLOPES for by in (by, -by)])


def _useful(found: Sequence[Feature] | Iterator[Feature]) -> list[Feature]:
    """Return the features that are not constant, without those that differ from an earlier one only by a constant."""
    kept: dict[bytes, Feature] = {}
    for f in found:
        if f.values.min() < f.values.max():
            above = (f.values - f.values.min()).astype(np.int32)
            kept.setdefault(blake2b(above.tobytes()).digest(), replace(f, values=f.values.astype(np.int32)))
    return list(kept.values())


def _singles(table: MoveGraph) -> Iterator[Feature]:
    """Yield the single fields of the state; for a field with the number of a seat, whether that is
    the choosing seat.
    """
    game, policy = table.graph.game, table.policy
    seats = seat_count(game)
    for name, field in game.declared.state.items():
        if isinstance(field, Ints) or (isinstance(field, Flag) and name in game.words.hidden):
            continue
        values = policy.column(name)
        members = game.words.values.get(name)
        if isinstance(members, Bits):  # its number means nothing to people
            set_ = [(values >> k) & 1 for k in range(len(members.names))]
            yield Feature(f"the number of {called(game, name)}", np.sum(set_, axis=0))
            yield from (
                Feature(f"{m} in {called(game, name)}", s, True) for m, s in zip(members.names, set_, strict=True)
            )
        elif isinstance(field, Int) and seats > 1 and (values < seats).all() and field.bounds(game)[1] == seats - 1:
            yield Feature(f"{name} is me", (values == table.seat).astype(np.int64), flag=True)
            yield Feature(f"{name} is another", ((values >= 0) & (values != table.seat)).astype(np.int64), flag=True)
        else:
            yield Feature(name, values, flag=isinstance(field, Flag))


def _rows(game: Game, by_seat: bool) -> list[tuple[str, int]]:
    """Return the names and lengths of the rows with one number per seat, or, if not `by_seat`, of all other rows."""
    rows = [(name, f) for name, f in game.declared.state.items() if isinstance(f, Ints)]
    sized = [(name, value_of(f.length, game)) for name, f in rows]
    return [(name, size) for name, size in sized if (size == seat_count(game) > 1) == by_seat]


def _by_seat(table: MoveGraph) -> Iterator[tuple[Feature, ...]]:
    """For each row with one number per seat: mine, the largest of the others, and the largest and smallest of all."""
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


def _cells(table: MoveGraph) -> Iterator[Feature]:
    """Yield the numbers of all other rows, their sums and their maxima."""
    for name, size in _rows(table.graph.game, False):
        cells = [table.policy.column(f"{name}[{i}]") for i in range(size)]
        faces = _faces(table.graph.game, name)
        yield from (Feature(faces[i] if faces else f"{name}[{i}]", cell) for i, cell in enumerate(cells))
        yield Feature(f"the sum of {name}", np.sum(cells, axis=0))
        yield Feature(f"the most {name}", np.max(cells, axis=0))


def _faces(game: Game, row: str) -> list[str]:
    """Return what the numbers of a row count that holds the dice on the table; empty for other rows."""
    keeps = (d for d in game.declared.decisions if isinstance(d, Keep) and d.dice.name == row)
    return [f"dice that show {face.label}" for keep in keeps for face in keep.die.faces]


def _dice(table: MoveGraph, words: RuleWords) -> Iterator[Feature]:
    """For each action the number of dice rolled next, derived from the total weight of the state it leads to."""
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
        total = graph.total[graph.label[graph.row[np.maximum(to, 0)]]].astype(np.float64)
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
