"""Picture of a rating of strategies: the score of each, with its interval."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dicelab.keywords import keywords
from dicelab.plots.chart_style import COLOURS, axes_for, bars, finished, plain
from dicelab.plots.labels import what
from dicelab.questions.rate import LOSS_GAMES, Rating
from dicelab.results.text.writing import many

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@keywords()
def plot_rating(found: Rating, ax: Axes | None = None) -> Axes:
    """Draw the score of each strategy with its interval, the best one at the top; what it loses, if that was asked for.

    Parameters
    ----------
    found
        Result of `dicelab.rate`.
    ax
        Axes to draw on; those of a new figure, as high as the strategies need, when None.

    Returns
    -------
    Axes
        The intervals are those of the table; those of scores hold at every look.

    Raises
    ------
    ParameterError
        When matplotlib is not installed.

    Examples
    --------
    >>> import dicelab
    >>> axes = plot_rating(dicelab.rate("tossup", ["one_roll", "bank_over:5"], target=8, seed=1))
    >>> [label.get_text() for label in axes.get_yticklabels()]
    ['bank_over:5', 'one_roll']
    """
    ax = axes_for(ax, f"{found.game}: rating of strategies", rows=len(found.rows))
    losses = [row.loss for row in found.rows if row.loss is not None]
    points = losses or [row.score for row in found.rows]
    at, scores = np.arange(len(points)), np.array([point.value for point in points])
    width = bars(scores, [(point.low, point.high) for point in points])
    ax.errorbar(scores, at, xerr=width, fmt="o", color=COLOURS[0], capsize=3)
    ax.set_yticks(at, [plain(row.strategy) for row in found.rows])
    ax.invert_yaxis()
    said = "chance to win against the others, all seats" if found.on == "seat-balanced" else found.on.replace("_", " ")
    if losses:
        said = "loses against optimal play, by the exact values of its choices"
    games = f"{LOSS_GAMES} games of each strategy" if losses else f"{many(found.games, 'game')} of each line-up"
    notes = [*what([found])[:1], f"{games}, seed {found.seed}; dicelab {found.version}"]
    notes += ["bars: 95 % intervals" if losses else "bars: 95 % intervals, which hold at every look"]
    return finished(ax, notes, x=said)
