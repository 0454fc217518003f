"""Charts of a task: the functions of `dicelab.plots`, as SVG text."""

from __future__ import annotations

from io import BytesIO
from typing import Any

from dicelab.results.result import Result


def svg(axes: Any) -> str:
    """A figure as SVG; the same figure gives the same text."""
    import matplotlib

    drawn = BytesIO()
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "dicelab"}):
        axes.get_figure(root=True).savefig(drawn, format="svg", metadata={"Date": None})
    return drawn.getvalue().decode()


def seats_chart(*results: Result) -> str:
    """The chart of the outcomes."""
    from dicelab.plots import plot_seats

    return svg(plot_seats(*results))


def tally_chart(*results: Result, tally: str) -> str:
    """The chart of the distribution of a tally."""
    from dicelab.plots import plot_tally

    return svg(plot_tally(*results, tally=tally))
