"""A card as a Python program: one plain function and its table, which need nothing else."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from textwrap import fill

from dicelab.interface.reporting.lines import Line
from dicelab.version import __version__

WIDTH = 100
"""Letters in a line of the program's words."""
TEMPLATE = '''"""{title}

{about}
"""

{meaning}
TABLE = {{
{table}
}}


def best_move({arguments}):
    """The best move in a state; a KeyError if the policy has no line for it.

    >>> {example}
    {shown!r}
    """
    for _first, _last, _moves in TABLE[{key}]:
        if _first <= {joined} <= _last:
            for _low, _high, _move in _moves:
                if _low <= {edge} <= _high:
                    return _move
    raise KeyError("the policy has no line for this state")
'''


def program(title: str, fixed: Mapping[str, int], edge: str, lines: Sequence[Line]) -> str:
    """Return the text of the program; parameters as the attributes of `dicelab.Card`.

    Every number of a state that varies is an argument; a row is one argument, a sequence.
    """
    *first, last = [*lines[0].spans] or [""]
    arguments = list(dict.fromkeys(name.partition("[")[0] for name in (*first, *([last] if last else []), edge)))
    about = "`best_move` returns the best move of the seat whose turn it is."
    if fixed:
        about += f" In all states {', '.join(f'{name} is {value}' for name, value in fixed.items())}."
    meaning = (
        f"By ({', '.join(first)}): the first and last {last or 'line'}, and for each move the first and last {edge}."
    )
    return TEMPLATE.format(
        title=fill(f"{title[0].upper()}{title[1:]}.", WIDTH),
        about=fill(f"{about} Written by dicelab {__version__}.", WIDTH),
        meaning=fill(meaning, WIDTH, initial_indent="# ", subsequent_indent="# "),
        table=_table(first, last, lines),
        arguments=", ".join(["*", *arguments]),
        key="".join(f"{name}, " for name in first).rstrip() if first else "()",
        joined=last or "0",
        edge=edge,
        example=f"best_move({', '.join(_example(arguments, fixed, edge, lines[0]))})",
        shown=lines[0].runs[0][2],
    )


def _table(first: Sequence[str], last: str, lines: Sequence[Line]) -> str:
    """Return the entries of the table: for each value of the fields `first`, lines by the field `last`."""
    rows = []
    for key, group in groupby(lines, key=lambda line: tuple(line.spans[name][0] for name in first)):
        rows.append(f"    {key!r}: (")
        for line in group:
            low, high = line.spans[last] if last else (0, 0)
            rows.append(f"        ({low}, {high}, ({', '.join(map(repr, line.runs))},)),")
        rows.append("    ),")
    return "\n".join(rows)


def _example(arguments: Sequence[str], fixed: Mapping[str, int], edge: str, line: Line) -> list[str]:
    """Return the arguments of the first state of a line."""
    values = {**fixed, **{name: low for name, (low, _) in line.spans.items()}, edge: line.runs[0][0]}
    given = []
    for argument in arguments:
        row = [value for name, value in sorted(values.items()) if re.fullmatch(rf"{argument}\[\d+\]", name)]
        given.append(f"{argument}={row or values[argument]}")
    return given
