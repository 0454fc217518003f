"""Tables of edges: one row per figure for a single bet, one row per bet for several bets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dicelab.betting.bet import ENDS, Check, Edge
from dicelab.chains.value import Value
from dicelab.results.numbers.estimates import Chance, shown_fraction
from dicelab.results.text.page import Page

LEAST = ("throws", "published", "push", "excl. pushes", "95 % interval", "sd", "lose", "win", "per throw")
"""Columns that a narrow page leaves out, the least important first."""


def alone(row: Edge, page: Page) -> list[list[str]]:
    """The table of a single bet, one row per figure: decimal and fraction."""
    lines = [[row.bet, "", "fraction"]]
    for name in ENDS:
        chance: Chance | None = getattr(row, name)
        if chance is not None:
            lines.append([name, page.chance(chance.probability), _fraction(chance)])
    edges = {"edge": row.edge, "edge excluding pushes": row.edge_resolved, "edge per throw": row.edge_per_throw}
    for name, figure in edges.items():
        if figure is not None:
            lines.append([name, _percent(figure, page), _fraction(figure)])
    if row.throws is not None:
        lines.append(["throws", page.number(row.throws.value, 4), _fraction(row.throws)])
    if row.staked.value != 1:
        lines.append(["staked", page.number(row.staked.value, 4), _fraction(row.staked)])
    lines.append(["sd in stakes", page.number(row.sd, 5), ""])
    if row.check is not None:
        lines.append(["edge, simulated", *_simulated(row.check, page)[:1], ""])
        lines.append(["  95 % interval, z", *_simulated(row.check, page)[1:]])
    return lines


def table(rows: Sequence[Edge], page: Page, fractions: bool) -> list[list[str]]:
    """The table of several bets, one row per bet."""
    titles = ["bet", *ENDS, "edge", "excl. pushes", "per throw", "throws", "sd", "published"]
    checked = any(row.check is not None for row in rows)
    lines = [[*titles, *(["simulated", "95 % interval", "z"] if checked else [])]]
    for row in rows:
        cells = [_cell(getattr(row, name), fractions, lambda chance: page.chance(chance.probability)) for name in ENDS]
        edges = row.edge, row.edge_resolved, row.edge_per_throw
        cells += [_cell(figure, fractions, lambda figure: _percent(figure, page)) for figure in edges]
        cells += [_cell(row.throws, fractions, lambda figure: page.number(figure.value, 4)), page.number(row.sd, 5)]
        cells.append("" if row.published is None else row.published.text + ("" if row.published.agrees else " !"))
        if checked:
            cells += _simulated(row.check, page) if row.check is not None else [""] * 3
        lines.append([row.bet, *cells])
    return lines


def _simulated(check: Check, page: Page) -> list[str]:
    low, high = check.interval
    z = "-" if check.z is None else f"{check.z:+.2f}"
    return [f"{page.number(100 * check.edge, 4)} %", f"{page.span((100 * low, 100 * high), 4)} %", z]


def _cell(figure: Any, fractions: bool, decimal: Callable[[Any], str]) -> str:
    if figure is None:
        return "-"
    return (_fraction(figure) if fractions else "") or decimal(figure)


def _fraction(figure: Chance | Value) -> str:
    return shown_fraction(figure.fraction).get("fraction", "")


def _percent(figure: Value, page: Page) -> str:
    return f"{page.number(100 * figure.value, 4)} %"
