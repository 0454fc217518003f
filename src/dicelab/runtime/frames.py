"""Tables of pandas, which is an extra."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dicelab.errors import ParameterError


def frame(data: Sequence[Mapping[str, Any]] | Mapping[str, Any]) -> Any:
    """A pandas table of rows, or of columns by name.

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
