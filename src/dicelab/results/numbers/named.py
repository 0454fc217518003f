"""Numbers of a result by name; a wrong name suggests the right one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn, TypeVar

from dicelab.errors import unknown

V = TypeVar("V")


class Named(dict[str, V]):
    """A dictionary whose error for a name that it doesn't have gives the nearest one.

    Parameters
    ----------
    kind
        What the names stand for, in the message.
    values
        The values by name.

    Raises
    ------
    UnknownNameError
        By ``named[name]`` if there is no such name; it is a `KeyError` too.

    Examples
    --------
    >>> Named("outcome of hazard", {"win": 0.49, "lose": 0.51})["wins"]
    Traceback (most recent call last):
    dicelab.errors.UnknownNameError: no outcome of hazard 'wins'; did you mean 'win'?
    """

    def __init__(self, kind: str, values: Mapping[str, V]) -> None:
        super().__init__(values)
        self.kind = kind

    def __missing__(self, name: object) -> NoReturn:
        raise unknown(self.kind, str(name), self)

    def __reduce__(self) -> tuple[type[Named[V]], tuple[str, dict[str, V]]]:
        return Named, (self.kind, dict(self))
