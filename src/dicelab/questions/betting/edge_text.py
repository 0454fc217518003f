"""Tables of edges: one row per figure for a single bet, one row per bet for several bets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dicelab.questions.betting.bet import ENDS, Check, Edge
from dicelab.results.numbers.estimates import Chance, shown_fraction
from dicelab.results.text.page import Printing
from dicelab.results.text.sentences import number
from dicelab.solver.value import Value

LEAST = ("throws", "published", "push", "excl. pushes", "95 % interval", "sd", "lose", "win", "per throw")
"""Columns that a narrow page leaves out, the least important first."""


def alone(row: Edge, page: Printing) -> list[list[str]]:
    """Return the table of a single bet, one row per figure: decimal and fraction."""
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


def table(rows: Sequence[Edge], page: Printing, fractions: bool) -> list[list[str]]:
    """Return the table of several bets, one row per bet."""
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


def least_and_most(rows: Sequence[Edge]) -> str:
    """Return the house edge of a bet in a sentence; of several, the lowest and the highest.

    >>> import dicelab
    >>> least_and_most(dicelab.edges("craps", only=["pass", "field_2x2x"]).rows)
    'Of 2 bets pass has the lowest house edge, 1.41 % of the stake, and field 2x2x the highest, 5.56 %'
    """
    if not rows:
        return "There is no such bet with these settings"

    def figure(row: Edge) -> str:
        """Return the edge of a bet, with three digits."""
        return f"{number(100 * row.edge.value)} %"

    low, high = (pick(rows, key=lambda row: row.edge.value) for pick in (min, max))
    name, other = low.bet.replace("_", " "), high.bet.replace("_", " ")
    if len(rows) == 1:
        if low.edge.value < 0:
            return f"{name} is in the player's favour: {number(-100 * low.edge.value)} % of the stake on average"
        per = low.edge_per_throw
        roll = f", {number(100 * per.value)} % per roll" if per is not None and low.edge.value else ""
        return f"The house edge of {name} is {figure(low)} of the stake{roll}"
    if high.edge.value - low.edge.value <= low.edge.error + high.edge.error:
        return f"All {len(rows):,} bets have the same house edge, {figure(low)} of the stake"
    least = [row for row in rows if row.edge.value - low.edge.value <= row.edge.error + low.edge.error]
    has = f"{name} has" if len(least) == 1 else f"{len(least)} have"
    lowest = f"{has} the lowest house edge, {figure(low)} of the stake"
    return f"Of {len(rows):,} bets {lowest}, and {other} the highest, {figure(high)}"


def _simulated(check: Check, page: Printing) -> list[str]:
    low, high = check.interval
    z = "-" if check.z is None else f"{check.z:+.2f}"
    return [f"{page.number(100 * check.edge, 4)} %", f"{page.span((100 * low, 100 * high), 4)} %", z]


def _cell(figure: Any, fractions: bool, decimal: Callable[[Any], str]) -> str:
    if figure is None:
        return "-"
    return (_fraction(figure) if fractions else "") or decimal(figure)


def _fraction(figure: Chance | Value) -> str:
    return shown_fraction(figure.fraction).get("fraction", "")


def _percent(figure: Value, page: Printing) -> str:
    return f"{page.number(100 * figure.value, 4)} %"
