"""Charts of a task: the functions of `dicelab.plots`, as SVG text."""

from __future__ import annotations

from dicelab.plots.chart_style import as_svg
from dicelab.results.result import Result


def seats_chart(*results: Result) -> str:
    """Return the chart of the outcomes."""
    from dicelab.plots import plot_seats

    return as_svg(plot_seats(*results))


def tally_chart(*results: Result, tally: str) -> str:
    """Return the chart of the distribution of a tally."""
    from dicelab.plots import plot_tally

    return as_svg(plot_tally(*results, tally=tally))
