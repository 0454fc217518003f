"""A policy over two fields of the state: the best move, the value of each move, and the thresholds between moves.

Axes that are not given are those over which the move changes: of each pair of fields, slices with fixed values of all
others are compared by the number of columns in which the move changes at one to three values of y.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby, permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicelab.engines.policy import Policy
from dicelab.errors import ParameterError
from dicelab.questions.policies.advice import states_at
from dicelab.rules.fields import Flag, Ints, Seat
from dicelab.rules.game import Game, player_names
from dicelab.rules.keeping import Keep
from dicelab.rules.wording import called, number_at, place_called, value_called
from dicelab.rules.words import player_name
from dicelab.runtime.arrays import Integers
from dicelab.runtime.states.codec import Slots

MOST = 20_000
"""Limit of the states in a grid."""
CHANGES = 3
"""Maximum changes of the move along a column that is described by thresholds."""
COMPARED = 60_000
"""Approximate number of states of the slices that are compared, for each pair of axes."""
NEARLY = 0.85
"""Slices are equally good if the move changes in this share of the columns of the best one."""
PAIRED = 6
"""Number of fields, those with the most values, whose pairs are all tried as axes."""


@dataclass(frozen=True)
class GridCell:
    """One state.

    Attributes
    ----------
    x, y
        Its values on both axes.
    best
        Its best move, as text.
    worth
        The value of each move, by the move as text.

    Examples
    --------
    >>> GridCell(0, 12, "roll", {"roll": 0.6, "bank": 0.5}).best
    'roll'
    """

    x: int
    y: int
    best: str
    worth: dict[str, float]


@dataclass(frozen=True)
class Threshold:
    """Where moves change along y, for x from `low` to `high`: in `steps` the move from each value of y on.

    Examples
    --------
    >>> Threshold(0, 12, ((0, "roll"), (24, "bank"))).steps[-1]
    (24, 'bank')
    """

    low: int
    high: int
    steps: tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class PolicyGrid:
    """A policy over two fields.

    Attributes
    ----------
    x, y
        The fields.
    at
        The values of the other fields that vary.
    fields
        All fields that vary, with their smallest and largest value.
    cells
        The states.

    Examples
    --------
    >>> PolicyGrid("scores[1]", "points", {}, {}, (GridCell(0, 0, "roll", {}), GridCell(0, 1, "bank", {}))).thresholds[
    ...     0
    ... ].steps
    ((0, 'roll'), (1, 'bank'))
    """

    x: str
    y: str
    at: dict[str, int]
    fields: dict[str, tuple[int, int]]
    cells: tuple[GridCell, ...]

    @property
    def thresholds(self) -> list[Threshold]:
        """The values of y at which the move changes, for each range of x in which they are the same.

        Columns in which the move changes more than `CHANGES` times have none.
        """
        columns = groupby(sorted(self.cells, key=lambda cell: (cell.x, cell.y)), key=lambda cell: cell.x)
        thresholds: list[Threshold] = []
        for x, column in columns:
            steps: list[tuple[int, str]] = []
            for cell in column:
                if not steps or steps[-1][1] != cell.best:
                    steps.append((cell.y, cell.best))
            if len(steps) > CHANGES + 1:
                continue
            if thresholds and thresholds[-1].high == x - 1 and thresholds[-1].steps == tuple(steps):
                thresholds[-1] = Threshold(thresholds[-1].low, x, tuple(steps))
            else:
                thresholds.append(Threshold(x, x, tuple(steps)))
        return thresholds

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        moves = list(dict.fromkeys(move for cell in self.cells for move in cell.worth))
        cells = [[c.x, c.y, moves.index(c.best), [c.worth.get(move) for move in moves]] for c in self.cells]
        steps = [{"from": t.low, "to": t.high, "steps": list(map(list, t.steps))} for t in self.thresholds]
        fields = {name: list(span) for name, span in self.fields.items()}
        return {
            "x": self.x,
            "y": self.y,
            "at": self.at,
            "fields": fields,
            "moves": moves,
            "cells": cells,
            "thresholds": steps,
        }


def grid(policy: Policy, x: str | None = None, y: str | None = None, at: Mapping[str, int] | None = None) -> PolicyGrid:
    """Return a policy over two fields of the state, with the others at given values.

    Parameters
    ----------
    policy
        As solved.
    x, y
        The fields; by default those over which the move changes most clearly.
    at
        Values of others; those left out are chosen so that the move changes.

    Raises
    ------
    ParameterError
        When there is no such field or state, or the states are too many.

    Examples
    --------
    >>> import dicelab
    >>> found = grid(dicelab.solve("tossup", target=20).policy, "scores[0]", "points", {"player": 0, "scores[1]": 5})
    >>> found.thresholds[0].steps
    ((0, 'roll'), (20, 'bank'))
    """
    given = dict(at or {})
    wanted = [name for name in (*given, x, y) if name is not None]
    columns = {name: policy.column(name) for name in (*Slots.of(policy.game, ()).names, *wanted)}
    fields = {name: (int(c.min()), int(c.max())) for name, c in columns.items() if c.min() < c.max()}
    chosen = view_of(policy, x, y, given)
    across, up, given = chosen.x, chosen.y, chosen.at
    states = states_at(policy, given)
    if len(states) > MOST:
        raise ParameterError(f"a map of {len(states):,} states is too large; the limit is {MOST:,}")
    cells = []
    for state in states.tolist():
        choices = policy.choices(state)
        cells.append(GridCell(int(columns[across][state]), int(columns[up][state]), choices.best_move, choices.worths))
    return PolicyGrid(
        across, up, {name: value for name, value in given.items() if name in fields}, fields, tuple(cells)
    )


@dataclass(frozen=True)
class PolicyView:
    """Two fields of a state, and values of all others that vary: a slice of a policy.

    Attributes
    ----------
    x, y, at
        As in `PolicyGrid`; `at` also has the values that were given.
    columns
        The number of values of x at which the move changes at one to three values of y.
    titles
        The fields as people call them.
    fixed
        The values in `at` in words.

    Examples
    --------
    >>> PolicyView("scores[1]", "points", {"scores[0]": 40}, 7, ("their score", "points"), "score 40").y
    'points'
    """

    x: str
    y: str
    at: dict[str, int]
    columns: int
    titles: tuple[str, str]
    fixed: str


def view_of(
    policy: Policy, x: str | None = None, y: str | None = None, at: Mapping[str, int] | None = None
) -> PolicyView:
    """Return the axes and the slice in which the move changes most clearly.

    Parameters
    ----------
    policy, x, y, at
        As in `grid`. Axes that are given stay as they are.

    Raises
    ------
    ParameterError
        When there is no such field or state, or no two fields vary.

    Examples
    --------
    >>> import dicelab
    >>> chosen = view_of(dicelab.solve("tossup", target=20).policy, at={"player": 0})
    >>> chosen.y, chosen.columns > 10
    ('points', True)
    """
    given, states = _narrowed(policy, x, y, at or {})
    names = [name for name in Slots.of(policy.game, ()).names if name not in given]
    columns = {name: policy.column(name)[states] for name in dict.fromkeys((*names, *filter(None, (x, y))))}
    varying = {name: column for name, column in columns.items() if column.min() < column.max() or name in (x, y)}
    pairs = [(x, y)] if x is not None and y is not None else _pairs(policy.game, varying, x, y)
    if not pairs:
        raise ParameterError(f"{policy.game.name}: a map needs two different fields of the state that vary")
    for a, b in pairs:
        must_be_axes(a, b, given)
    _kinds, kind = np.unique(policy.moves[policy.best[states]], axis=0, return_inverse=True)
    slices = [_best_slice(varying, kind.reshape(-1), a, b) for a, b in pairs]
    best = max(range(len(pairs)), key=lambda k: slices[k][:2])  # the first of equals
    changes, _, state = slices[best]
    (a, b) = pairs[best]
    for name in [*given]:
        if name not in (at or {}) and np.ptp(policy.column(name)) == 0:
            del given[name]  # it never differs
    rest = {name: int(column[state]) for name, column in varying.items() if name not in (a, b)}
    titles = field_called(policy.game, a), field_called(policy.game, b)
    at = {**given, **rest}
    return PolicyView(a, b, at, changes, titles, values_called(policy.game, at))


def _narrowed(policy: Policy, x: str | None, y: str | None, at: Mapping[str, int]) -> tuple[dict[str, int], Integers]:
    """Return the values that are fixed, and the states that have them: those of `at`, and the first player's moves;
    without axes and values, named moves only.
    """
    given, declared = dict(at), policy.game.declared.state
    states = states_at(policy, given)
    for name, field in declared.items():
        if isinstance(field, Seat) and name not in (*given, x, y):
            here = policy.column(name)[states]
            given[name] = 0 if (here == 0).any() else int(here.min())
            states = states[here == given[name]]
    if not at and x is None and y is None:
        chosen = _of_named_moves(policy, states)
        if len(chosen) < len(states):
            states = chosen
            for name in (n for n, field in declared.items() if isinstance(field, Flag)):
                values = np.unique(policy.column(name)[states])
                given |= {name: int(values[0])} if len(values) == 1 else {}
    return given, states


def _pairs(game: Game, varying: Mapping[str, Integers], x: str | None, y: str | None) -> list[tuple[str, str]]:
    """Return the pairs of axes that may be chosen: of the fields with the most values."""
    shown = [name for name in varying if name in (x, y) or _is_axis(game, name)]
    widest = sorted(shown, key=lambda name: (name not in (x, y), -len(np.unique(varying[name]))))[:PAIRED]
    return [(a, b) for a, b in permutations(widest, 2) if x in (None, a) and y in (None, b)]


def _of_named_moves(policy: Policy, states: Integers) -> Integers:
    """Return those of the states that ask for a choice among named moves (roll, bank), if flags tell these from others.

    In a game of several kinds of choices a map of them is easier to read than one of numbers or dice.
    """
    state, decisions = policy.game.declared.state, policy.game.declared.decisions
    flags = [policy.column(name)[states] for name, field in state.items() if isinstance(field, Flag)]
    if len(decisions) < 2 or not flags:
        return states
    _, first, kind = np.unique(np.stack(flags), axis=1, return_index=True, return_inverse=True)
    named = [all(isinstance(k, type) for k in policy.decision(int(at)).kinds) for at in states[first]]
    here = np.array(named)[kind.reshape(-1)]
    return states[here] if here.any() else states


def _is_axis(game: Game, name: str) -> bool:
    """Return whether a field of the state may be on an axis that is chosen: not whose turn it is, a flag, or
    bookkeeping.
    """
    field = game.declared.state.get(name.partition("[")[0])
    return not isinstance(field, Flag | Seat) and name.partition("[")[0] not in game.words.hidden


def _best_slice(columns: Mapping[str, Integers], kind: Integers, x: str, y: str) -> tuple[int, int, int]:
    """Return the slice of two axes in which the move changes in the most columns.

    Returns
    -------
    tuple
        The number of these columns in the best slice, the number of states in which a move other than the commonest of
        their slice is best, and a state of the slice that is shown: of those nearly as good, one at a third of a game,
        neither at its beginning nor at its end.
    """
    slice_of = _hashes(columns, [name for name in columns if name not in (x, y)])
    every = max(1, len(kind) // COMPARED)
    # Slices, not states, are sampled, so that each of them is whole.
    kept = np.flatnonzero(slice_of % np.uint64(every) == 0) if every > 1 else np.arange(len(kind))
    if not len(kept):
        kept = np.flatnonzero(slice_of == slice_of[len(slice_of) // 2])
    _, part = np.unique(slice_of[kept], return_inverse=True)
    part = part.reshape(-1)
    order = np.lexsort((columns[y][kept], columns[x][kept], part))
    part, across, moves = part[order], columns[x][kept][order], kind[kept][order]
    same = (np.diff(part) == 0) & (np.diff(across) == 0)
    changes = same & (np.diff(moves) != 0)
    begins = np.flatnonzero(np.concatenate(([True], ~same)))
    many = np.add.reduceat(np.concatenate((changes.astype(np.int64), [0])), begins)
    clear = (many >= 1) & (many <= CHANGES)
    slices = int(part.max()) + 1
    score = np.bincount(part[begins], clear.astype(np.int64), slices).astype(np.int64)
    counts = np.zeros((slices, int(moves.max()) + 1), np.int64)
    np.add.at(counts, (part, moves), 1)
    minority = counts.sum(axis=1) - counts.max(axis=1)
    top = np.flatnonzero(score >= NEARLY * score.max())
    largest = int(minority[top].max())
    near = top[2 * minority[top] >= largest]
    first = kept[order][np.searchsorted(part, near)]
    return int(score.max()), largest, int(first[_middle(columns, first, (x, y))])


def _middle(columns: Mapping[str, Integers], states: Integers, without: tuple[str, str]) -> int:
    """Return the index of the state whose other fields are nearest to a third of the way between their ends."""
    far = np.zeros(len(states))
    for name, column in columns.items():
        if name not in without:
            low, high = int(column.min()), int(column.max())
            far += np.abs((column[states] - low) / max(1, high - low) - 1 / 3)
    return int(np.argmin(far))


def _hashes(columns: Mapping[str, Integers], names: list[str]) -> NDArray[np.uint64]:
    """Return a number for the values of some fields in each state: equal for equal values, and practically only for
    them.
    """
    mixed = np.full(len(next(iter(columns.values()))), 0x9E3779B97F4A7C15, np.uint64)
    for name in names:
        mixed ^= columns[name].astype(np.uint64) + np.uint64(0x632BE59BD9B4E019)
        mixed *= np.uint64(0xD6E8FEB86659FD93)
        mixed ^= mixed >> np.uint64(32)
    return mixed


def field_called(game: Game, name: str) -> str:
    """Return a number of the state as people call it: ``scores[1]`` is *scores of player 2* if the row has one per
    seat.

    >>> from dicelab.games.tossup import TossUp
    >>> field_called(TossUp(), "scores[1]"), field_called(TossUp(), "points")
    ('scores of player 2', 'points of this turn')
    >>> from dicelab.games.liars_dice import LiarsDice
    >>> field_called(LiarsDice(), "hands[7]")
    'dice number 1 of player 2'
    """
    row = re.fullmatch(r"(\w+)\[(\d+)\]", name)
    if row is None:
        return called(game, name)
    for keep in (d for d in game.declared.decisions if isinstance(d, Keep) and d.dice.name == row[1]):
        return f"dice that show {keep.die.faces[int(row[2])].label}"
    field, word, place = game.declared.state.get(row[1]), called(game, row[1]), int(row[2])
    if not isinstance(field, Ints):
        return f"{word} number {place}"
    seat, within = number_at(game, field, place)
    if within is not None:
        word = f"{word} {place_called(game, row[1], within) or f'number {within}'}"
    return word if seat is None else f"{word} of {player_name(seat, player_names(game))}"


def values_called(game: Game, at: Mapping[str, int]) -> str:
    """Return the values of fields in words; seats by their labels, which are counted from 1.

    >>> from dicelab.games.tossup import TossUp
    >>> values_called(TossUp(), {"player": 1, "scores[0]": 20})
    'player: player 2, scores of player 1: 20'
    """
    parts, dice = [], {d.dice.name: d for d in game.declared.decisions if isinstance(d, Keep)}
    for row, keep in dice.items():
        counts = [at.get(f"{row}[{i}]", 0) for i in range(len(keep.kinds))]
        parts += [f"{called(game, row)}: {keep.describe(tuple(counts))}"] if any(counts) else []
    for name, value in at.items():
        row = name.partition("[")[0]
        if row in dice or row in game.words.hidden:
            continue
        if isinstance(game.declared.state.get(row), Seat) and value >= 0:
            text = player_name(value, player_names(game))
        else:
            places = "[" in name and not game.declared.state[row].private  # what the words for a row are about
            text = (None if places else value_called(game, row, value)) or f"{value:,}"
        parts.append(f"{field_called(game, name)}: {text}")
    return ", ".join(parts)


def must_be_axes(x: str, y: str, at: Mapping[str, int]) -> None:
    """Refuse axes that are the same field, or a field that has one value."""
    if x == y:
        raise ParameterError(f"x and y are both {x}; the axes must be two different fields of the state")
    for axis, name in (("x", x), ("y", y)):
        if name in at:
            raise ParameterError(
                f"at: {name} is on the {axis} axis, where it has every value; leave out {name}={at[name]}"
            )
