"""The state of a game as text: values, their changes and meanings; and the field that holds whose turn it is."""

from __future__ import annotations

from textwrap import wrap

from dicelab.rules.fields import Field, Flag, Ints, Seat
from dicelab.rules.game import Game, position
from dicelab.rules.params import Expr
from dicelab.rules.wording import called, seat_words, turn_field, value_called

Value = int | list[int]
State = dict[str, Value]

LONG_ROW = 8
"""Of a longer row only the changed numbers are shown."""
LONGEST_ROW = 30
"""Of a longer row only the numbers other than 0 are shown."""


def value_words(game: Game, name: str, now: Value, before: Value | None = None, you: int = -1) -> str:
    """Return a value of the state as text, with the previous one if it differs; in a row by seats, that of `you` is
    marked.

    Seats are counted from 1.

    Examples
    --------
    >>> from dicelab.games.tossup import TossUp
    >>> value_words(TossUp(), "points", 7, 3), value_words(TossUp(), "leader", 1, -1)
    ('3 → 7', 'player 2')
    >>> value_words(TossUp(), "scores", [21, 5], [0, 5], you=0)
    '0 → 21 (you), 5'
    """
    field = game.declared.state[name]
    if isinstance(now, list):
        whole = len(now) == len(game.__dict__[name])  # otherwise one's own numbers
        return _row_words(now, before if isinstance(before, list) else now, whole and _by_seat(game, field), you)
    if isinstance(field, Flag):
        return "yes" if now else "no"
    old = before if isinstance(before, int) else now
    if name in game.words.values:
        words = [value_called(game, name, value, field.bounds(game)[0]) or str(value) for value in (old, now)]
        return _change(*words)
    if not isinstance(field, Seat) and name != turn_field(game):
        return _change(old, now)
    return seat_words(now, you) if old < 0 else _change(seat_words(old, you), seat_words(now, you))


def _row_words(now: list[int], old: list[int], by_seat: bool, you: int) -> str:
    """Return a row as text: all numbers, or of a long row those that changed, or that are not 0, with their places."""
    numbers = [_change(was, number) for was, number in zip(old, now, strict=True)]
    if len(now) <= LONG_ROW or (old == now and len(now) <= LONGEST_ROW):
        if by_seat and you >= 0:
            numbers[you] += " (you)"
        return (", " if any(" " in number for number in numbers) else " ").join(numbers)
    before = old if old != now else [0] * len(now)  # of a row that hasn't changed, the numbers other than 0
    places = [f"{seat_words(i, you)}:" if by_seat else f"[{i}]" for i in range(len(now))]
    return ", ".join(f"{places[i]} {numbers[i]}" for i in range(len(now)) if now[i] != before[i]) or "all 0"


def _change(before: object, now: object) -> str:
    return str(now) if before == now else f"{before} → {now}"


def _by_seat(game: Game, field: Field) -> bool:
    """Return whether a row has one number per seat: by its declaration, or by the expression of its length and its
    help.
    """
    if not isinstance(field, Ints):
        return False
    said = field.by_seat or isinstance(field.length, Expr) or "seat" in field.help or "player" in field.help
    return said and field.length == game.seats


def unset(game: Game, name: str) -> bool:
    """Return whether a field is meant to hold a seat, and holds none now."""
    return isinstance(game.declared.state[name], Seat) and position(game)[name] == -1


def numbers(game: Game) -> list[str]:
    """Return the fields that people play by; flags control what is asked next, and whose turn it is is said anyway.

    Examples
    --------
    >>> from dicelab.games.tossup import TossUp
    >>> numbers(TossUp())
    ['scores', 'points', 'leader']
    """
    fields, turn = game.declared.state, turn_field(game)
    hidden = {turn, *game.words.hidden}
    return [name for name, field in fields.items() if not isinstance(field, Flag) and name not in hidden]


def legend(game: Game, width: int, state: State | None = None) -> list[str]:
    """Return lines with name, value and meaning of the fields that people play by; `state` has those that they see."""
    state = position(game) if state is None else state
    shown = [name for name in numbers(game) if name in state and not unset(game, name)]
    rows = [(called(game, n), value_words(game, n, state[n]), game.declared.state[n].help) for n in shown]
    wide = [min(24, max(len(row[i]) for row in rows)) for i in (0, 1)] if rows else []
    lines = []
    for name, value, help in rows:
        head = f"  {name.ljust(wide[0])}  {value.ljust(wide[1])}  "
        lines += wrap(head + help, width, subsequent_indent=" " * min(len(head), width // 2))
    return lines
