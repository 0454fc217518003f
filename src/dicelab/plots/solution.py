"""Picture of a solution: where the best move changes, or the chance of each seat under optimal play."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from dicelab.errors import ParameterError
from dicelab.keywords import keywords
from dicelab.plots.drawing.paper import COLOURS, axes_for, equal_share, finished
from dicelab.plots.drawing.words import what
from dicelab.plots.policy import plot_policy
from dicelab.questions.policies.solution import Solution
from dicelab.results.text.writing import outcome_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@keywords()
def plot_solution(found: Solution, ax: Axes | None = None) -> Axes:
    """Draw where the best move changes; without a policy to draw, the chance of each seat to win, as bars.

    Parameters
    ----------
    found
        Result of `dicelab.solve`.
    ax
        Axes to draw on; those of a new figure when None.

    Raises
    ------
    ParameterError
        When the solution is one number and not the chances of seats.

    Examples
    --------
    >>> import dicelab
    >>> axes = plot_solution(dicelab.solve("tossup", target=5, dice=2))
    >>> axes.get_ylabel()
    'points of this turn'
    """
    if found.policy is not None:
        with suppress(ParameterError):  # no two fields vary, or there are too many moves for a picture
            return plot_policy(found.policy, None, None, ax)
    if not found.outcomes:
        raise ParameterError(f"nothing to plot: the solution of {found.game} is one number; draw its policy instead")
    what_of = "outcomes" if found.payoffs else "probability to win"
    ax = axes_for(ax, f"{found.game}: {what_of} under optimal play")
    seats, chances = list(found.outcomes), [p.probability for p in found.outcomes.values()]
    names = [outcome_title(name, not found.payoffs, found.players) for name in seats]
    bars = ax.bar(names, chances, 0.6, color=COLOURS[0])
    ax.bar_label(bars, [f"{p:.4f}" for p in chances], fontsize=8)
    entries = [] if found.payoffs else [equal_share(ax, len(seats), zorder=2)]
    ax.set_ylim(0, 1.2 * max(chances))
    ax.grid(visible=False, axis="x")
    labels = ("outcome", "probability") if found.payoffs else ("player", "probability to win")
    return finished(ax, [*what([found]), f"exact; dicelab {found.version}"], *labels, entries)
