"""The state of a game as text: values, their changes and meanings; and the field that holds whose turn it is."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from dicelab.play.text import in_words
from dicelab.rules.fields import Flag, Int, Ints
from dicelab.rules.game import Game, position, seat_count
from dicelab.rules.params import Expr

Value = int | list[int]

LONG_ROW = 8
"""Of a longer row only the changed numbers are shown."""
LONGEST_ROW = 30
"""Of a longer row only the numbers other than 0 are shown."""


def value_words(game: Game, name: str, now: Value, before: Value | None = None, you: int = -1) -> str:
    """A value of the state as text, with the previous one if it differs; in a row by seats, that of `you` is marked.

    Examples
    --------
    >>> from dicelab.games.tossup import TossUp
    >>> value_words(TossUp(), "points", 7, 3)
    '3 → 7'
    >>> value_words(TossUp(), "scores", [21, 5], [0, 5], you=0)
    '0 → 21 (you), 5'
    """
    field = game.declared.state[name]
    if isinstance(field, Flag):
        return "yes" if now else "no"
    if not isinstance(now, list):
        return _change(before if isinstance(before, int) else now, now)
    old = before if isinstance(before, list) else now
    numbers = [_change(was, number) for was, number in zip(old, now, strict=True)]
    if len(now) > LONG_ROW and old != now:
        return ", ".join(f"[{i}] {number}" for i, number in enumerate(numbers) if old[i] != now[i])
    if len(now) > LONGEST_ROW:
        return ", ".join(f"[{i}] {number}" for i, number in enumerate(now) if number) or "all 0"
    if you >= 0 and isinstance(field, Ints) and _by_seat(game, field):
        numbers[you] += " (you)"
    return (", " if any(" " in number for number in numbers) else " ").join(numbers)


def _change(before: int, now: int) -> str:
    return str(now) if before == now else f"{before} → {now}"


def _by_seat(game: Game, field: Ints) -> bool:
    """Whether a row has one number per seat, judged by the expression of its length and by its help text."""
    said = isinstance(field.length, Expr) or "seat" in field.help or "player" in field.help
    return said and field.length == game.seats


def turn_field(game: Game) -> str:
    """The field that holds whose turn it is, recognised by its range and its name or help; empty if there is none.

    Rules name the seat that chooses, but not the seat that rolls.

    Examples
    --------
    >>> from dicelab.games.tossup import TossUp
    >>> turn_field(TossUp())
    'player'
    """
    for name, field in game.declared.state.items():
        said = name in ("player", "turn", "seat") or "whose turn" in field.help
        if isinstance(field, Int) and said and field.bounds(game) == (0, seat_count(game) - 1):
            return name
    return ""


def legend(game: Game, width: int, names: Sequence[str] | None = None) -> list[str]:
    """Lines with name, value and meaning of fields of the state: all, or those named."""
    state = position(game)
    shown = list(state) if names is None else names
    rows = [(in_words(n), value_words(game, n, state[n]), game.declared.state[n].help) for n in shown]
    wide = [min(24, max(len(row[i]) for row in rows)) for i in (0, 1)] if rows else []
    lines = []
    for name, value, help in rows:
        head = f"  {name.ljust(wide[0])}  {value.ljust(wide[1])}  "
        lines += wrap(head + help, width, subsequent_indent=" " * min(len(head), width // 2))
    return lines
