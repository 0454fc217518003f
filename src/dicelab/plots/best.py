"""Picture of the answer of `dicelab.best`: where the move changes, else the strategies with their values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dicelab.engines.policy import Policy
from dicelab.errors import ParameterError
from dicelab.keywords import keywords
from dicelab.plots.chart_style import COLOURS, axes_for, finished, plain
from dicelab.plots.labels import what
from dicelab.plots.policy import plot_policy
from dicelab.questions.heuristics.best import BestPlay
from dicelab.rules.objectives import wanted

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@keywords()
def plot_best(best: BestPlay, ax: Axes | None = None) -> Axes:
    """Draw where the best move changes; where that is not known, the strategies of the game, or its cheapest bets.

    Parameters
    ----------
    best
        A result of `dicelab.best`.
    ax
        Axes to draw on; those of a new figure when None.

    Returns
    -------
    Axes

    Raises
    ------
    ParameterError
        When there is nothing to draw.

    Examples
    --------
    >>> import dicelab
    >>> axes = plot_best(dicelab.best("tossup", target=12, dice=3, seconds=5))
    >>> axes.get_ylabel()
    'points of this turn'
    """
    if best.view is not None and isinstance(best.policy, Policy):
        return plot_policy(best.policy, best.view.x, best.view.y, ax, at=best.view.at)
    if best.families:
        rows = [(family.written, family.value) for family in best.families]
        value = "chance to win of player 1" if best.objective == "win" else wanted(best.objective).name
    elif best.bets:
        rows, value = [(bet.bet, 100 * bet.edge) for bet in best.bets], "house edge, % of the stake"
    else:
        raise ParameterError(f"nothing to plot: {best.summary}")
    ax = axes_for(ax, f"{best.game}: {'bets that cost least' if best.bets else 'strategies'}")
    names = [plain(name) for name, _ in rows][::-1]
    bars = ax.barh(names, [number for _, number in rows][::-1], 0.6, color=COLOURS[0])
    ax.bar_label(bars, fmt="{:.3g}", fontsize=8, padding=3)
    ax.grid(visible=False, axis="y")
    ax.margins(x=0.12)
    return finished(ax, [*what([best]), f"dicelab {best.version}"], x=value)
