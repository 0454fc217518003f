"""Picture of a judgement: how far the results of a simulation are from the exact answer."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, isfinite, sqrt
from typing import TYPE_CHECKING

from dicelab.errors import ParameterError
from dicelab.keywords import keywords
from dicelab.plots.drawing.paper import COLOURS, MOST_BARS, MUTED, axes_for, finished, plain
from dicelab.questions.judge import Judgement
from dicelab.results.text.page import Page
from dicelab.results.text.writing import many, outcome_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH = 1.959964
"""Half-width of a 95 % interval, in standard errors."""


@keywords()
def plot_judgement(judgement: Judgement, ax: Axes | None = None) -> Axes:
    """Draw the difference between observed and expected numbers in standard errors, with 95 % intervals.

    Parameters
    ----------
    judgement
        A result of `dicelab.judge`.
    ax
        Axes to draw on; those of a new figure when None.

    Returns
    -------
    Axes
        A row for each outcome, mean and standard deviation, at most 60. The line at 0 is what is expected.

    Raises
    ------
    ParameterError
        When there is nothing to draw, because only impossible outcomes were observed.

    Examples
    --------
    >>> import dicelab
    >>> axes = plot_judgement(dicelab.judge("hazard", main=5, counts=[498, 502]))
    >>> [label.get_text() for label in axes.get_yticklabels()]
    ['win: 498, expected 492.4', 'lose: 502, expected 507.6']
    """
    rows = [(label, z) for label, z in _rows(judgement) if isfinite(z)]
    if not rows:
        raise ParameterError("there is nothing to draw: what was observed is impossible by the rules")
    drawn = rows[:MOST_BARS]
    ax = axes_for(ax, f"{judgement.game}: {judgement.verdict} with the rules", len(drawn) + 2)
    if judgement.verdict == "doubtful":
        ax.set_title(f"{judgement.game}: doubtful", loc="left")
    for at, (_, z) in enumerate(drawn):
        colour = COLOURS[0] if abs(z) <= WIDTH else COLOURS[1]
        ax.errorbar(z, at, xerr=WIDTH, marker="o", markersize=4, elinewidth=1.2, color=colour, linestyle="none")
    ax.axvline(0, color=MUTED, linestyle="dashed", linewidth=1, zorder=1)
    ax.set_yticks(range(len(drawn)), [plain(label) for label, _ in drawn])
    ax.set_ylim(len(drawn) - 0.5, -0.5)
    ax.grid(visible=False, axis="y")
    left = [f"{many(len(rows) - len(drawn), 'row')} left out"] if len(rows) > len(drawn) else []
    asked = Page().head(judgement.game, judgement.parameters, judgement.differing, judgement.strategies)
    how = f"{many(judgement.games, 'game')}, 95 % intervals, joint p-value {judgement.p:.2g}"
    return finished(ax, [*asked, how, *left], x="observed minus expected, in standard errors")


def _rows(judgement: Judgement) -> Iterator[tuple[str, float]]:
    """What was observed, in words, and its difference from what is expected in standard errors."""
    for test in judgement.tests:
        if test.kind in ("mean", "sd"):
            yield f"{test.name}: {test.observed:,.6g}, expected {test.expected:,.4f}", test.statistic
        elif test.kind == "outcomes":
            for name, expected in test.expected.items():
                observed = test.observed[name]
                error = sqrt(max(0.0, expected * (1 - expected / judgement.games)))
                z = (observed - expected) / error if error > 0 else inf if observed != expected else 0.0
                seat = outcome_title(name, judgement.seats, judgement.players)
                yield f"{seat}: {observed:,}, expected {expected:,.1f}", z
