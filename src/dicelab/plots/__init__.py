"""Pictures of results, on matplotlib's Axes: each function draws on those given, or on those of a new figure.

>>> import dicelab
>>> axes = dicelab.plot_tally(dicelab.exact("hazard"), dicelab.simulate("hazard", games=500, seed=1), tally="throws")
>>> axes.get_title(loc="left")
'hazard: throws in a game'

`save` writes them to a file; in a notebook ``axes.figure`` shows them after ``%matplotlib inline``. Matplotlib is an
extra: ``pip install 'dicelab[plot]'``.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from dicelab.plots.chart_style import check_path as check_path
from dicelab.plots.chart_style import figure as figure
from dicelab.plots.chart_style import save as save
from dicelab.questions import CHARTS

__all__ = sorted([*CHARTS, "check_path", "figure", "save"])


def __getattr__(name: str) -> Any:
    """Import the function of a chart when it is first used."""
    if name not in CHARTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(CHARTS[name]), name)
