"""The moves that a policy makes in given states, and what the other moves cost."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from dicelab.engines.policy import Choices, Moves, Policy
from dicelab.errors import ParameterError
from dicelab.questions.options import Fields, Situation
from dicelab.results.base import BaseResult, about, present
from dicelab.results.text.page import Printing
from dicelab.results.text.sentences import listed, number
from dicelab.results.text.table import Column, Table, chance, plain
from dicelab.results.text.writing import many
from dicelab.rules.fields import Grid, Ints, Seat
from dicelab.rules.game import Game, player_names, seat_typed
from dicelab.rules.params import as_integer, value_of, whole_number
from dicelab.rules.wording import number_at, turn_field
from dicelab.rules.words import player_name
from dicelab.runtime.timing import Stopwatch

At = int | Sequence[int] | Mapping[str, int | Sequence[int]]
"""Values of a field, or of several by name."""
MOST = 20
"""Maximum number of states shown at once."""


@dataclass(frozen=True)
class Advice:
    """The moves in one state.

    Attributes
    ----------
    state
        The fields of the state, by name.
    best
        The best move, in words.
    options
        For each sensible move, in words: its value, and the difference from the best move's value.
    label
        What the player who chooses is called where people read; empty where the state doesn't say whose turn it is.

    Examples
    --------
    >>> import dicelab
    >>> best = dicelab.solve("tossup", target=8, dice=2)
    >>> advice = dicelab.advice(best.policy, points=2, scores=(5, 6), player=0).rows[0]
    >>> advice.best, {move: round(worth, 6) for move, (worth, _) in advice.options.items()}
    ('roll', {'roll': 0.875049, 'bank': 0.262673})
    """

    state: dict[str, int]
    best: str
    options: dict[str, tuple[float, float]]
    label: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        options = [{"move": move, "worth": worth, "costs": cost} for move, (worth, cost) in self.options.items()]
        return {"state": self.state, **present(label=self.label), "best": self.best, "options": options}


@dataclass(frozen=True, repr=False, kw_only=True)
class Advised(BaseResult):
    """The moves in all states that were asked about.

    Attributes
    ----------
    about
        What was solved, in words.
    positions
        Number of these states.
    rows
        The first `MOST` of them.
    varied
        Fields whose values differ between these states.
    unsaid
        Fields that the text leaves out: they say nothing about these states.
    labels
        What fields with a number for each seat are called, with the seat by its label.
    seated
        Fields whose value is a seat.

    Examples
    --------
    >>> import dicelab
    >>> best = dicelab.solve("tossup", target=5, dice=2).policy
    >>> found = dicelab.advice(best, points=2, player=0)
    >>> found.positions, found.rows[0].best
    (25, 'roll')
    """

    about: str
    positions: int
    rows: list[Advice]
    varied: frozenset[str] = frozenset()
    unsaid: frozenset[str] = frozenset()
    labels: Mapping[str, str] = field(default_factory=dict)
    seated: frozenset[str] = frozenset()

    method = "policy"
    entries = {
        "about": "string: what the policy is about, in words",
        "positions": "integer: number of states",
        "rows": (
            [
                {
                    "state": "{integer}",
                    "label?": "string: what the player who chooses is called, where the state has whose turn it is",
                    "best": "string",
                    "options": [{"move": "string", "worth costs": "number"}],
                }
            ],
            "one object for each row of the table",
        ),
    }

    def _value(self, name: str, value: int) -> str:
        return player_name(value, self.players) if name in self.seated and value >= 0 else str(value)

    def _sentence(self) -> str:
        moves = Counter(row.best for row in self.rows)
        if not moves:
            return ""
        if self.positions == 1 or (len(moves) == 1 and self.positions == len(self.rows)):
            (best,) = moves
            costs = [cost for row in self.rows for move, (_, cost) in row.options.items() if move != best]
            least = f"; any other move costs {number(min(costs))} or more" if costs and min(costs) > 0 else ""
            return f"The best move is {best}{least}"
        shown = "" if self.positions == len(self.rows) else f"first {len(self.rows):,} of "
        parts = [f"{move} in {count:,}" for move, count in moves.most_common(4)]
        more = ", and others in the rest" if len(moves) > len(parts) else ""
        return f"Of the {shown}{self.positions:,} states the best move is {listed(parts)}{more}"

    def _table(self) -> Table:
        names = [name for name in (self.rows[0].state if self.rows else {}) if name in self.varied]
        rows = [(row, move, *values) for row in self.rows for move, values in row.options.items()]

        def field_of(name: str) -> Column:
            """Return the column of a field, which is empty below the first move of a state."""
            return Column(
                "",
                lambda page, row: "" if row[1] != next(iter(row[0].options)) else self._value(name, row[0].state[name]),
                self.labels.get(name, name),
            )

        columns = [
            Column("*", data=lambda row: row[0].state),
            *map(field_of, names),
            Column("move", plain, value=lambda row: row[1]),
            Column("worth", chance, "value", lambda row: row[2]),
            Column("costs", lambda page, cost: page.chance(cost) if cost else "", "cost", lambda row: row[3]),
            Column("", lambda page, row: "*" if row[1] == row[0].best else "", "best"),
        ]
        return Table(columns, rows, keys=len(names) + 1)

    def _lines(self, page: Printing) -> list[str]:
        state = self.rows[0].state if self.rows else {}
        same = {name: value for name, value in state.items() if name not in self.varied | self.unsaid}
        common = ", ".join(f"{self.labels.get(name, name)}={self._value(name, value)}" for name, value in same.items())
        more = self.positions - len(self.rows)
        end = [f"and {many(more, 'state')} more; give more fields of the state"] if more else []
        head = f"{self.about}; at {common}" if common else self.about
        return [head, "", *self._table().lines(page), *end]


def advice(policy: Moves, /, **at: At) -> Advised:
    """Return the moves of a policy in the states that have the given values.

    Parameters
    ----------
    policy
        As solved, or loaded from a file.
    **at
        Values of fields by name: ``points=12, scores=(45, 60)``; or in a mapping: ``at={"scores[0]": 45}``. Other
        fields may have any value.

    Raises
    ------
    ParameterError
        When there is no such field, or no seat chooses in such a state.

    Examples
    --------
    >>> import dicelab
    >>> best = dicelab.solve("tossup", target=20)
    >>> print(advice(best.policy, points=7, scores=(5, 9), player=0))  # doctest: +ELLIPSIS
    The best move is roll; any other move costs 0.475 or more.
    ...
    """
    watch, wanted = Stopwatch(), cells(at)
    states = states_at(policy, wanted)
    rows = [_advice(policy.choices(state)) for state in states[:MOST]]
    facts = about(policy.game, policy.about["strategies"]) | {"seconds": watch.seconds}
    varied = policy.varying(states, list(rows[0].state))
    unsaid = frozenset(name for name in _unsaid(policy, varied, rows) if name not in wanted)
    solved = str(policy.about["solved"])
    called = _labels(policy.game, list(rows[0].state))
    return Advised(**facts, **called, about=solved, positions=len(states), rows=rows, varied=varied, unsaid=unsaid)


def _labels(game: Game, names: Sequence[str]) -> dict[str, Any]:
    """Return what is said of fields about seats: names with a label, and the fields whose value is a seat."""
    fields, turn, labels = game.declared.state, turn_field(game), {}
    for name in names:
        row, _, place = name.removesuffix("]").partition("[")
        if isinstance(field := fields.get(row), Ints):
            seat, within = number_at(game, field, int(place))
            player = "" if seat is None else player_name(seat, player_names(game))
            if seat is not None:
                labels[name] = f"{row}[{player}]" if within is None else f"{row} [{within}] of {player}"
    return {
        "labels": labels,
        "seated": frozenset(name for name in names if isinstance(fields.get(name), Seat) or name == turn),
    }


def _unsaid(policy: Moves, varied: frozenset[str], rows: Sequence[Advice]) -> list[str]:
    """Return the fields that never differ where a seat chooses, such as a flag that it may, and
    seats that are nobody.
    """
    fields, names = policy.game.declared.state, list(rows[0].state)
    seats = [name for name in names if isinstance(fields.get(name), Seat)]
    return policy.never_varying(names, varied) + [name for name in seats if all(row.state[name] == -1 for row in rows)]


@overload
def states_at(policy: Policy, wanted: Mapping[str, int]) -> NDArray[np.int64]: ...
@overload
def states_at(policy: Moves, wanted: Mapping[str, int]) -> Sequence[Any] | NDArray[np.int64]: ...
def states_at(policy: Moves, wanted: Mapping[str, int]) -> Sequence[Any] | NDArray[np.int64]:
    """Return the states in which a policy chooses and the numbers named have these values: at least one.

    Raises
    ------
    ParameterError
        When there is none.
    """
    states = policy.where(wanted)
    if len(states):
        return states
    if not wanted or not len(policy):
        raise ParameterError(f"the policy makes no choice: in {policy.game.name}, no seat that was solved ever chooses")
    values = ", ".join(f"{name} {value}" for name, value in wanted.items())
    raise ParameterError(f"the policy has no choice in a state with {values}")


def cells(at: Mapping[str, At]) -> dict[str, int]:
    """Return the values of fields by name, with rows split into numbers: ``scores`` into ``scores[0]``, ``scores[1]``.

    The value of ``at`` may be a mapping of more fields.

    Raises
    ------
    ParameterError
        When a value is not a whole number.
    """
    wanted: dict[str, int] = {}
    value: Any
    for name, value in at.items():
        if name == "at" and isinstance(value, Mapping):
            wanted |= cells(value)
            continue
        row = list(value) if isinstance(value, Sequence) and not isinstance(value, str) else None
        numbers = [(name, value)] if row is None else [(f"{name}[{i}]", number) for i, number in enumerate(row)]
        for cell, given in numbers:
            number = as_integer(given)
            if number is None:
                raise ParameterError(f"{cell}: {given!r} is not allowed; it takes a whole number")
            wanted[cell] = number
    return wanted


def read_at(at: Situation, game: Game) -> dict[str, int | Sequence[int]]:
    """Return values of fields, with texts parsed as people type them: ``12``; ``45,60``; ``player 2``, a label.

    A label of a seat stands for its index, also in a name: ``scores[player 2]``. A bare number stays the value. Numbers
    of a grid are ``board[i][j]``; of one with a row for each seat also ``board[player 2][j]``, or with as many values
    as the row has ``board[player 2]``.

    Raises
    ------
    ParameterError
        When a text is not of this form.
    """
    values: dict[str, int | Sequence[int]] = {}
    for typed, value in at.items():
        numbers = [_number(part, game) for part in value.split(",")] if isinstance(value, str) else []
        parts = re.fullmatch(r"(\w+)(?:\[([^][]+)\](?:\[(\d+)\])?)?", typed.strip())
        first = None if parts is None or parts[2] is None else _number(parts[2], game)
        if parts is None or (parts[2] is not None and first is None) or None in numbers:
            raise ParameterError(f"at: {f'{typed}={value}'!r} is not allowed; it is written {Fields.written}")
        whole = [number for number in numbers if number is not None]
        given = value if not isinstance(value, str) else whole[0] if len(whole) == 1 else whole
        field = game.declared.state.get(parts[1])
        if isinstance(field, Grid) and first is not None and (parts[3] or not parts[2].strip().isdecimal()):
            values |= _of_grid(field, value_of(field.columns, game), first, parts[3], given)
        elif parts[3]:
            raise ParameterError(f"at: {typed}: {parts[1]} has no rows of rows; write {parts[1]}[{parts[2]}]")
        else:
            values[parts[1] if first is None else f"{parts[1]}[{first}]"] = given
    return values


def _of_grid(field: Grid, columns: int, row: int, column: str | None, given: object) -> dict[str, Any]:
    """Return the values that are given for one number of a row of a grid, or for all of them, by name."""
    numbers = [given] if column else given if isinstance(given, Sequence) else [given]
    begin = row * columns + int(column or 0)
    if (column and int(column) >= columns) or (not column and len(numbers) != columns):
        raise ParameterError(
            f"at: {field.name} has a row of {columns} numbers for each player: write {field.name}[player {row + 1}][0] "
            f"to [{columns - 1}], or {columns} numbers for {field.name}[player {row + 1}]"
        )
    return {f"{field.name}[{begin + i}]": number for i, number in enumerate(numbers)}


def _number(text: str, game: Game) -> int | None:
    """Return a value as it was typed: a whole number, or the label of a seat."""
    number = whole_number(text)
    return seat_typed(game, text) if number is None else number


def _advice(choices: Choices) -> Advice:
    """Return the moves in one state, the best first."""
    best = choices.options[choices.best].worth
    rows = {move: (worth, abs(worth - best)) for move, worth in choices.worths.items()}
    seat = choices.state.get(turn_field(choices.game), -1)
    label = player_name(seat, player_names(choices.game)) if seat >= 0 else ""
    return Advice(choices.state, choices.best_move, dict(sorted(rows.items(), key=lambda pair: pair[1][1])), label)
