"""Values that are stored in fields are checked: at once, or when the rule that stores them ends."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from types import FrameType, TracebackType
from typing import Any

from dicelab.errors import RangeError
from dicelab.rules.fields.declared import Capped, Field, Flag, Ints, Tally


class Traced:
    """Base class of symbolic values that engines store in fields to record what rules do with them."""

    def stored(self, least: object, bounds: tuple[int, int]) -> object:
        """Return what is stored: the value itself once it is checked, or a number that has yet to be.

        It must lie within `bounds`, and not be below `least` unless that is None.
        """
        return self


Beyond = dict[str, tuple[Field, TracebackType | None]]
"""The fields that had a value outside their ranges while a rule ran, and where that was stored."""


def checked(field: Field, value: object, old: int | None, bounds: tuple[int, int], beyond: Beyond | None = None) -> int:
    """`value` as the ``int`` (or ``bool``) that is stored in `field`; a `Traced` value is returned as it is.

    While a rule runs, `beyond` notes a value outside the range, which is refused when the rule ends (`applied`).

    Raises
    ------
    RangeError
        When it is not an integer, outside the range, or below `old` in a field that `grows`.
    """
    low, high = bounds
    if isinstance(value, Traced):
        value = value.stored(old if field.grows else None, bounds)
        if isinstance(value, Traced):
            return value  # type: ignore[return-value]
    if not isinstance(value, int):
        raise RangeError(f"{field.name} = {value!r}: the state holds whole numbers only")
    if isinstance(field, Capped):
        if old is not None and value < old:
            raise RangeError(f"{field.name} falls; only a tally that never falls can be asked to reach an amount")
        value = min(value, high)
    if not low <= value <= high and isinstance(field, Tally):
        raise RangeError(f"the tally {field.name} = {value} does not fit in 64 bits")
    if not low <= value <= high:
        if beyond is None:
            raise RangeError(f"{field.name} = {value} is outside its declared range {low} to {high}")
        beyond[field.name] = field, _of_rule()
        return int(value)
    if field.grows and old is not None and value < old:
        raise RangeError(f"{field.name} fell from {old} to {value}, but is declared to grow")
    return bool(value) if isinstance(field, Flag) else int(value)


def _of_rule() -> TracebackType | None:
    """Return the place in the rules at which a value is stored now."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and (
        frame.f_globals.get("__package__") == __package__ or frame.f_code.co_name == "__setattr__"
    ):
        frame = frame.f_back
    return TracebackType(None, frame, frame.f_lasti, frame.f_lineno) if frame is not None else None


def applied(rule: Callable[..., object], game: Any, values: Sequence[int]) -> None:
    """Run a rule that may change the state of a game: what a roll or a choice does, or `Game.start`.

    Inside it a field may have a value outside its range; at its end none may.

    Raises
    ------
    RangeError
    """
    state, beyond = game.__dict__, Beyond()
    state["_beyond"] = beyond
    try:
        rule(game, *values)
    finally:
        state["_beyond"] = None
    if beyond:
        _must_be_inside(state, beyond)


def _must_be_inside(state: dict[str, Any], beyond: Beyond) -> None:
    """Refuse what is outside its range when a rule ends."""
    for name, (f, where) in beyond.items():
        for value in state[name] if isinstance(f, Ints) else (state[name],):
            try:
                checked(f, value, None, state["_bounds"][name])
            except RangeError as error:
                raise error.with_traceback(where) from None
