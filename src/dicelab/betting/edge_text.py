"""Tables of edges: one row per figure for a single bet, one row per bet for several bets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dicelab.betting.bet import ENDS, Check, Edge, Figure
from dicelab.results.estimates import Chance, shown_fraction
from dicelab.results.writing import span


def alone(row: Edge) -> list[list[str]]:
    """The table of a single bet, one row per figure: decimal and fraction."""
    lines = [[row.bet, "", "fraction"]]
    for name in ENDS:
        chance: Chance | None = getattr(row, name)
        if chance is not None:
            lines.append([name, f"{chance.probability:.6f}", _fraction(chance)])
    edges = {"edge": row.edge, "edge excluding pushes": row.edge_resolved, "edge per throw": row.edge_per_throw}
    for name, figure in edges.items():
        if figure is not None:
            lines.append([name, _percent(figure), _fraction(figure)])
    if row.throws is not None:
        lines.append(["throws", f"{row.throws.value:.4f}", _fraction(row.throws)])
    if row.staked.value != 1:
        lines.append(["staked", f"{row.staked.value:.4f}", _fraction(row.staked)])
    lines.append(["sd in stakes", f"{row.sd:.5f}", ""])
    if row.check is not None:
        lines.append(["edge, simulated", *_simulated(row.check)[:1], ""])
        lines.append(["  95 % interval, z", *_simulated(row.check)[1:]])
    return lines


def table(rows: Sequence[Edge], fractions: bool) -> list[list[str]]:
    """The table of several bets, one row per bet."""
    titles = ["bet", *ENDS, "edge", "excl. pushes", "per throw", "throws", "sd", "published"]
    checked = any(row.check is not None for row in rows)
    lines = [[*titles, *(["simulated", "95 % interval", "z"] if checked else [])]]
    for row in rows:
        cells = [*(_cell(getattr(row, name), fractions, _decimal) for name in ENDS)]
        cells += [_cell(f, fractions, _percent) for f in (row.edge, row.edge_resolved, row.edge_per_throw)]
        cells += [_cell(row.throws, fractions, lambda figure: f"{figure.value:.4f}"), f"{row.sd:.5f}"]
        cells.append("" if row.published is None else row.published.text + ("" if row.published.agrees else " !"))
        if checked:
            cells += _simulated(row.check) if row.check is not None else [""] * 3
        lines.append([row.bet, *cells])
    return lines


def _simulated(check: Check) -> list[str]:
    low, high = check.interval
    z = "-" if check.z is None else f"{check.z:+.2f}"
    return [f"{100 * check.edge:.4f} %", f"{span((100 * low, 100 * high), 4)} %", z]


def _cell(figure: Any, fractions: bool, decimal: Callable[[Any], str]) -> str:
    if figure is None:
        return "-"
    return (_fraction(figure) if fractions else "") or decimal(figure)


def _fraction(figure: Chance | Figure) -> str:
    return shown_fraction(figure.fraction).get("fraction", "")


def _decimal(chance: Chance) -> str:
    return f"{chance.probability:.6f}"


def _percent(figure: Figure) -> str:
    return f"{round(100 * figure.value, 4) + 0.0:.4f} %"
