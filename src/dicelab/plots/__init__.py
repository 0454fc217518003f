"""Pictures of results, on matplotlib's Axes: each function draws on those given, or on those of a new figure.

>>> import dicelab
>>> axes = plot_tally(dicelab.exact("hazard"), dicelab.simulate("hazard", games=500, seed=1), tally="throws")
>>> axes.get_title(loc="left")
'hazard: throws in a game'

`save` writes them to a file; in a notebook ``axes.figure`` shows them after ``%matplotlib inline``. Matplotlib is an
extra: ``pip install 'dicelab[plot]'``.
"""

from __future__ import annotations

from dicelab.plots.bankroll import plot_ruin, plot_sessions
from dicelab.plots.best import plot_best
from dicelab.plots.chart_style import check_path, figure, save
from dicelab.plots.comparison import plot_comparison
from dicelab.plots.convergence import plot_convergence
from dicelab.plots.dice import plot_dice
from dicelab.plots.edges import plot_edges, plot_par
from dicelab.plots.judge import plot_class, plot_exercise, plot_judgement
from dicelab.plots.own_dice import plot_fair, plot_with_dice
from dicelab.plots.policy import plot_policy, plot_solution
from dicelab.plots.rating import plot_rating
from dicelab.plots.review import plot_review
from dicelab.plots.seats import plot_seats
from dicelab.plots.sweep import plot_fan, plot_sweep
from dicelab.plots.tally import plot_given, plot_tally
from dicelab.plots.tune import plot_tune
from dicelab.plots.why import plot_why

__all__ = [
    "check_path", "figure", "plot_best", "plot_class", "plot_comparison", "plot_convergence", "plot_dice",
    "plot_edges", "plot_exercise", "plot_fair", "plot_fan", "plot_given", "plot_judgement", "plot_par",
    "plot_policy", "plot_rating", "plot_review", "plot_ruin", "plot_seats", "plot_sessions", "plot_solution",
    "plot_sweep", "plot_tally", "plot_tune", "plot_why", "plot_with_dice", "save",
]  # fmt: skip
