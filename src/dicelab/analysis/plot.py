"""Pictures of results, on matplotlib's Axes: each function draws on those given, or on those of a new figure.

>>> import dicelab
>>> axes = plot_tally(dicelab.exact("hazard"), dicelab.simulate("hazard", games=500, seed=1), tally="throws")
>>> axes.get_title(loc="left")
'hazard: throws'

`save` writes them to a file; in a notebook ``axes.figure`` shows them after ``%matplotlib inline``. Matplotlib is an
extra: ``pip install 'dicelab[plot]'``.
"""

from __future__ import annotations

from dicelab.analysis.plot_convergence import plot_convergence
from dicelab.analysis.plot_paper import figure, save
from dicelab.analysis.plot_seats import plot_seats
from dicelab.analysis.plot_sweep import plot_sweep
from dicelab.analysis.plot_tally import plot_tally

__all__ = ["figure", "plot_convergence", "plot_seats", "plot_sweep", "plot_tally", "save"]
