"""Tables of pandas, which is an extra, and the bars in tables of a notebook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dicelab.errors import ParameterError

BAR = "rgba(70, 130, 180, 0.3)"
"""Colour of the bars: steel blue, through which the number is read on a light or dark page."""


def bar(share: float) -> str:
    """Return the style of a cell in HTML with a bar behind its text, as long as a share from 0 to 1 is large.

    >>> bar(0.25)
    'background: linear-gradient(90deg, rgba(70, 130, 180, 0.3) 25.0%, transparent 0)'
    """
    return f"background: linear-gradient(90deg, {BAR} {100 * share:.1f}%, transparent 0)"


def frame(data: Sequence[Mapping[str, Any]] | Mapping[str, Any]) -> Any:
    """Return a pandas table of rows, or of columns by name.

    Raises
    ------
    ParameterError
        When pandas is not installed.
    """
    try:
        import pandas
    except ImportError as error:
        raise ParameterError("to_frame needs pandas: pip install 'dicelab[table]'") from error
    return pandas.DataFrame(data)
