"""The types of the public names; `python tests/stubs.py` writes this file."""

from dicelab.plots.bankroll import plot_ruin as plot_ruin
from dicelab.plots.bankroll import plot_sessions as plot_sessions
from dicelab.plots.chart_style import check_path as check_path
from dicelab.plots.chart_style import figure as figure
from dicelab.plots.chart_style import save as save
from dicelab.plots.comparison import plot_comparison as plot_comparison
from dicelab.plots.comparison import plot_rating as plot_rating
from dicelab.plots.convergence import plot_convergence as plot_convergence
from dicelab.plots.dice import plot_dice as plot_dice
from dicelab.plots.dice import plot_fair as plot_fair
from dicelab.plots.dice import plot_with_dice as plot_with_dice
from dicelab.plots.edges import plot_edges as plot_edges
from dicelab.plots.edges import plot_par as plot_par
from dicelab.plots.judge import plot_class as plot_class
from dicelab.plots.judge import plot_exercise as plot_exercise
from dicelab.plots.judge import plot_judgement as plot_judgement
from dicelab.plots.policy import plot_best as plot_best
from dicelab.plots.policy import plot_policy as plot_policy
from dicelab.plots.policy import plot_review as plot_review
from dicelab.plots.policy import plot_solution as plot_solution
from dicelab.plots.sweep import plot_fan as plot_fan
from dicelab.plots.sweep import plot_sweep as plot_sweep
from dicelab.plots.sweep import plot_tune as plot_tune
from dicelab.plots.tally import plot_given as plot_given
from dicelab.plots.tally import plot_seats as plot_seats
from dicelab.plots.tally import plot_tally as plot_tally
from dicelab.plots.why import plot_why as plot_why

__all__: list[str]
