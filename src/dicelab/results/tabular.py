"""Rows as comma-separated values."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any


def csv_of(rows: Sequence[Mapping[str, Any]], full: bool = False) -> str:
    r"""CSV with one line for each row, and a header; floats have six decimal places, or all their digits if `full`.

    >>> csv_of([{"roll": "7, 11", "win": 0.5}])
    'roll,win\n"7, 11",0.500000\n'
    """
    text = io.StringIO()
    table = csv.DictWriter(text, list(dict.fromkeys(name for row in rows for name in row)), lineterminator="\n")
    table.writeheader()
    for row in rows:
        table.writerow({name: f"{v:.6f}" if isinstance(v, float) and not full else v for name, v in row.items()})
    return text.getvalue()
