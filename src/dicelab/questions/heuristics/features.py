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
from dicelab.rules.actions import Decision
from dicelab.rules.fields import Flag, Ints
from dicelab.rules.game import Game, seat_count
from dicelab.rules.keeping import Keep
from dicelab.rules.params import value_of
from dicelab.rules.wording import called, holds_seat, named_move, names_seat, one_per_seat
from dicelab.rules.words import Bits
from dicelab.runtime.arrays import Floats
from dicelab.runtime.outcome_tables import pool_rows
from dicelab.runtime.states.codec import Slots
from dicelab.solver.enumeration.unfold import decisions_at

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
    listed = [*plain, *_dice(table, words)]
    if len(numbers) <= FEW:
        listed += [_sum(a, b) for i, a in enumerate(numbers) for b in numbers[i + 1 :]]
        listed += [_lead(a, b) for i, a in enumerate(numbers) for b in numbers[i + 1 :]]
        listed += [_sum(a, _lead(*row[:2])) for a in single if not a.flag for row in rows]
    return _useful(listed)


def questions(table: MoveGraph, words: RuleWords) -> list[Feature]:
    """Return a feature for each kind of choice that is asked for, if there are several."""
    game, asked = table.graph.game, np.unique(words.asked).tolist()
    named = [called(game, game.declared.decisions[index].name) for index in asked]
    listed = [
        Feature(name, (words.asked == k).astype(np.int32), True, 1, True) for name, k in zip(named, asked, strict=True)
    ]
    return listed if len(listed) > 1 else []


def slopes(table: MoveGraph) -> list[Feature]:
    """Return the features with a slope: a single number plus or minus a fraction of a number by seat."""
    single = [f for f in _useful(_singles(table)) if not f.flag]
    if len(single) > FEW // 2:
        return []
    parts = [f for mine, theirs, *_ in _by_seat(table) for f in (mine, theirs, _lead(mine, theirs))]
    return _useful([_slope(a, part, by) for a in single for part in parts for by in SLOPES for by in (by, -by)])


def _useful(candidates: Sequence[Feature] | Iterator[Feature]) -> list[Feature]:
    """Return the features that are not constant, without those that differ from an earlier one only by a constant."""
    kept: dict[bytes, Feature] = {}
    for f in candidates:
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
        elif seats > 1 and holds_seat(game, field):
            yield Feature(f"{name} is me", (values == table.seat).astype(np.int64), flag=True)
            yield Feature(f"{name} is another", ((values >= 0) & (values != table.seat)).astype(np.int64), flag=True)
        else:
            yield Feature(name, values, flag=isinstance(field, Flag))


def _rows(game: Game) -> Iterator[tuple[str, bool, list[list[str]]]]:
    """Yield each row of numbers: its name, whether it has numbers for each seat, and the names of its numbers, a list
    for each seat (one list, if they are of no seat).
    """
    seats = seat_count(game)
    for name, field in game.declared.state.items():
        if not isinstance(field, Ints):
            continue
        cells = [f"{name}[{i}]" for i in range(value_of(field.length, game))]
        by_seat = seats > 1 and (one_per_seat(game, field) or (field.by_seat and len(cells) % seats == 0))
        each = len(cells) // seats if by_seat else len(cells)
        yield name, by_seat, [cells[at : at + each] for at in range(0, len(cells), each)]


def _by_seat(table: MoveGraph) -> Iterator[tuple[Feature, ...]]:
    """For each row with one number per seat: mine, the largest of the others, and the largest and smallest of all."""
    for name, by_seat, cells in _rows(table.graph.game):
        if by_seat and len(cells[0]) == 1:
            mine, others, every = _seen(table, [cell for (cell,) in cells])
            yield (
                Feature(f"my {name}", mine),
                Feature(f"their {name}" if len(cells) == 2 else f"the most {name} of another", others),
                Feature(f"the larger of {name}" if len(cells) == 2 else f"the most {name}", every.max(axis=0)),
                Feature(f"the smaller of {name}" if len(cells) == 2 else f"the least {name}", every.min(axis=0)),
            )


def _seen(table: MoveGraph, cells: Sequence[str]) -> tuple[Column, Column, Column]:
    """Return, of numbers that are one for each seat, that of the choosing seat, the largest of the others, and all."""
    every = np.stack([table.policy.column(cell) for cell in cells])
    here = np.arange(every.shape[1])
    others = every.copy()
    others[table.seat, here] = np.iinfo(np.int64).min
    return every[table.seat, here], others.max(axis=0), every


def _cells(table: MoveGraph) -> Iterator[Feature]:
    """Yield the numbers of all other rows, their sums and their maxima; of a grid with a row for each seat those of the
    choosing seat, and of the others.
    """
    game = table.graph.game
    for name, by_seat, rows in _rows(game):
        if by_seat and len(rows[0]) > 1:
            columns = [_seen(table, [row[i] for row in rows]) for i in range(len(rows[0]))]
            theirs = "their {}" if len(rows) == 2 else "the most {} of another"
            for i, (mine, others, _) in enumerate(columns):
                yield Feature(f"my {name}[{i}]", mine)
                yield Feature(theirs.format(f"{name}[{i}]"), others)
            yield Feature(f"the sum of my {name}", np.sum([mine for mine, _, _ in columns], axis=0))
            yield Feature(f"the most of my {name}", np.max([mine for mine, _, _ in columns], axis=0))
        elif not by_seat:
            cells = [table.policy.column(cell) for cell in rows[0]]
            faces = _faces(game, name)
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


# The actions that a rule can name: a move, the least or the most allowed, the seat with the most or fewest chips ------
#
# In each state an action stands for one of the moves allowed there, or for none. Seats are counted from the seat that
# chooses.


MOST = 12
"""Maximum number of moves that rules can name: those that are optimal most often."""
LEAST, LARGEST = "the least allowed", "the most allowed"
FEWEST_DICE, MOST_DICE = "as few dice as allowed (the first faces)", "as many dice as allowed"
LOW, HIGH = "the lowest that fit", "the highest that fit"
FIRST, LAST = "the first that is open", "the last that is open"
EXTREMES = (LEAST, LARGEST, FEWEST_DICE, MOST_DICE, LOW, HIGH, FIRST, LAST)
"""Actions that stand for the first or the last of many moves: numbers, kept dice, members of sets, named values."""
Options = NDArray[np.int64]


@dataclass(frozen=True)
class RuleWords:
    """The actions that a rule can name.

    Attributes
    ----------
    names
        The actions in words.
    options
        int64 array (names, states): the option of the policy that the action means in a state, -1 if it is not allowed.
    asked
        int64 array (states): index of the decision that each state asks for.
    """

    names: list[str]
    options: Options
    asked: NDArray[np.int64]


def words(table: MoveGraph, weight: Floats) -> RuleWords:
    """Return the actions for the states of a table; in every state at least one is allowed.

    `weight` has the expected visits of each state; moves that are optimal most often are preferred.
    """
    kind = decisions_at(table.graph.game, Slots.of(table.graph.game, ()), table.policy.keys)
    by_name: dict[str, Options] = {}
    for decision in np.unique(kind).tolist():
        for name, options in _of_decision(
            table, table.graph.game.declared.decisions[decision], kind == decision, weight
        ):
            alike = by_name.get(name)
            by_name[name] = options if alike is None else np.maximum(alike, options)
    for name in (LEAST, FEWEST_DICE, LOW, FIRST):  # the last that rules try
        lowest = by_name.pop(name, None)
        if lowest is not None:
            by_name[name] = lowest
    return RuleWords(list(by_name), np.stack(list(by_name.values())), kind)


def _of_decision(
    table: MoveGraph, decision: Decision, here: NDArray[np.bool_], weight: Floats
) -> Iterator[tuple[str, Options]]:
    """Yield the names and options of the actions for one decision, in the states `here` that ask for it."""
    policy, game = table.policy, table.graph.game
    length = np.diff(policy.row)
    source = np.repeat(np.arange(len(policy)), length)
    width = len(decision.kinds)
    moves = policy.moves[:, :width].copy()
    by_seat = names_seat(game, decision)
    if by_seat:
        moves[:, 0] = (moves[:, 0] - table.seat[source]) % seat_count(game)
        yield from _seats_by_rows(table, here, source)
    kinds, kind = np.unique(moves, axis=0, return_inverse=True)
    kind = kinds_at = kind.reshape(-1)
    usual = np.bincount(kind[policy.best[here]], weight[here], len(kinds))
    met = np.unique(kind[here[source]])
    keeps = isinstance(decision, Keep)
    most = 0 if keeps and len(met) > MOST else MOST  # of many choices of dice none is worth a name
    for k in sorted(met[np.argsort(-usual[met], kind="stable")][:most].tolist()):
        chosen = (kind == k) & here[source]
        options = np.full(len(policy), -1, np.int64)
        options[source[chosen]] = np.flatnonzero(chosen)
        move = tuple(kinds[k].tolist())
        yield _of_seat(move[0], seat_count(game)) if by_seat else named_move(game, decision, move, 1), options
    named = by_seat or all(isinstance(each, type) for each in decision.kinds)
    if len(met) <= (MOST if named else 2):
        return
    sets = isinstance(game.words.values.get(decision.name), Bits)
    titled = decision.name in game.words.values
    least, largest = (
        (FEWEST_DICE, MOST_DICE) if keeps else (LOW, HIGH) if sets else (FIRST, LAST) if titled else (LEAST, LARGEST)
    )
    for name, best in ((largest, np.maximum), (least, np.minimum)):
        if keeps:  # by the number of dice; of as many, those with more of the first faces
            side = 1 if name == MOST_DICE else -1
            kind = np.argsort(np.lexsort((side * np.arange(len(kinds)), kinds.sum(axis=1))))[kinds_at]
        ranked = np.where(here[source], kind, -1)
        extreme = best.reduceat(ranked, policy.row[:-1])
        options = np.full(len(policy), -1, np.int64)
        hit = (ranked == extreme[source]) & here[source]
        options[source[hit]] = np.flatnonzero(hit)
        yield name, options


def _of_seat(places: int, seats: int) -> str:
    if places == 0:
        return "myself"
    if places <= seats // 2:
        return "the next seat" if places == 1 else f"{places} seats on"
    return "the seat before" if seats - places == 1 else f"{seats - places} seats back"


def _seats_by_rows(
    table: MoveGraph, here: NDArray[np.bool_], source: NDArray[np.int64]
) -> Iterator[tuple[str, Options]]:
    """Actions that name the seat with the most or the least of a row; the first one after the chooser if tied."""
    policy, game = table.policy, table.graph.game
    seats = seat_count(game)
    named = policy.moves[:, 0]
    behind = (named - table.seat[source]) % seats
    for name, field in game.declared.state.items():
        if not one_per_seat(game, field):
            continue
        row = np.stack([policy.column(f"{name}[{i}]") for i in range(seats)])
        for word, sign in (("most", 1), ("least", -1)):
            rank = sign * row[named % seats, source] * seats - behind
            best = np.maximum.reduceat(rank, policy.row[:-1])
            hit = (rank == best[source]) & here[source]
            options = np.full(len(policy), -1, np.int64)
            options[source[hit]] = np.flatnonzero(hit)
            yield f"the seat with the {word} {name}", options
