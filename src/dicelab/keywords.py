"""Names in Python: suggestions for wrong keywords."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from dicelab.errors import UnknownNameError, nearest, unknown

F = TypeVar("F", bound=Callable[..., Any])


def keywords(function: F) -> F:
    """Check the keywords of a function when it is called.

    A keyword that is neither an option of the function nor, where it takes them, a parameter of the game is refused
    with the nearest of all these names.

    Raises
    ------
    UnknownNameError
        By the function: for an unknown keyword.

    Examples
    --------
    >>> @keywords
    ... def paint(*, color: str = "red") -> str:
    ...     return color
    >>> paint(colr="blue")
    Traceback (most recent call last):
    dicelab.errors.UnknownNameError: no option of paint 'colr'; did you mean 'color'?
    """
    declared = inspect.signature(function).parameters.values()
    options = [p.name for p in declared if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)]
    optional = [p.name for p in declared if p.default is not p.empty]  # all others were given
    more = any(p.kind is p.VAR_KEYWORD for p in declared)

    @wraps(function)
    def call(*args: Any, **given: Any) -> Any:
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
