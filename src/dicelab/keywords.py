"""Names in Python: suggestions for wrong keywords; old keywords and attributes work for one more version."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from functools import wraps
from operator import attrgetter
from typing import Any, TypeVar

from dicelab.errors import UnknownNameError, nearest, unknown

F = TypeVar("F", bound=Callable[..., Any])


def keywords(**old: str) -> Callable[[F], F]:
    """Check the keywords of a function when it is called; `old` has the new name of each one that was renamed.

    A keyword that is neither an option of the function nor, where it takes them, a parameter of the game is refused
    with the nearest of all these names. An old name gives a `DeprecationWarning`; ``docs/api.md`` says for how long.

    Raises
    ------
    UnknownNameError
        By the function: for an unknown keyword.

    Examples
    --------
    >>> @keywords(colour="color")
    ... def paint(*, color: str = "red") -> str:
    ...     return color
    >>> paint(colr="blue")
    Traceback (most recent call last):
    dicelab.errors.UnknownNameError: no option of paint 'colr'; did you mean 'color'?
    """

    def checked(function: F) -> F:
        declared = inspect.signature(function).parameters.values()
        options = [p.name for p in declared if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)]
        optional = [p.name for p in declared if p.default is not p.empty]  # all others were given
        more = any(p.kind is p.VAR_KEYWORD for p in declared)

        @wraps(function)
        def call(*args: Any, **given: Any) -> Any:
            for name in old.keys() & given.keys():
                now = f"{function.__name__}({old[name]}=...)"
                warnings.warn(
                    f"{name}=... is now {now}; the old name works for one more version", DeprecationWarning, 2
                )
                given.setdefault(old[name], given.pop(name))
            others = [name for name in given if name not in options]
            if others and not more:
                raise unknown(f"option of {function.__name__}", others[0], options)
            try:
                return function(*args, **given)
            except UnknownNameError as error:
                names = {*error.known, *optional}
                if error.name not in others or nearest(error.name, names) is None:
                    raise
                raise unknown(f"{error.kind} or option of {function.__name__}", error.name, names) from None

        return call  # type: ignore[return-value]

    return checked


class Renamed:
    """An attribute under its old name: reading it gives a `DeprecationWarning`, and the value under the new name.

    Parameters
    ----------
    now
        The new name, or the new names in words.
    value
        Returns the value; if None, that of the attribute `now`.

    Examples
    --------
    >>> class Paint:
    ...     color = "red"
    ...     colour = Renamed("color")
    >>> Paint().colour
    'red'
    """

    def __init__(self, now: str, value: Callable[[Any], Any] | None = None) -> None:
        self.now = now
        self.value = value or attrgetter(now)

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self
        message = f".{self.name} is now .{self.now}; the old name works for one more version"
        warnings.warn(message, DeprecationWarning, 2)
        return self.value(instance)
