"""Picture of the estimated faces of dice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dicelab.keywords import keywords
from dicelab.plots.drawing.paper import COLOURS, MOST_BARS, MUTED, axes_for, bars, finished, whole_numbers
from dicelab.questions.rolled.fair import Fair
from dicelab.version import __version__

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@keywords()
def plot_fair(result: Fair, ax: Axes | None = None) -> Axes:
    """Draw how often each face came up, with 95 % intervals, and how often it would with fair dice.

    Parameters
    ----------
    result
        A result of `dicelab.fair`.
    ax
        Axes to draw on; those of a new figure when None.

    Returns
    -------
    Axes
        Of more than 60 values, those furthest from fair.

    Raises
    ------
    ParameterError
        When matplotlib is not installed.

    Examples
    --------
    >>> import dicelab
    >>> plot_fair(dicelab.fair("16,18,21,15,14,16")).get_xlabel()
    'value'
    """
    rows = result.estimates()
    rows = sorted(rows, key=lambda row: abs(row["share"] - row["fair"]) / row["fair"] ** 0.5)[-MOST_BARS:]
    rows.sort(key=lambda row: int(row["value"]))
    ax = axes_for(ax, result.about)
    values, shares = np.array([row["value"] for row in rows]), np.array([row["share"] for row in rows])
    drawn = ax.bar(values, [row["fair"] for row in rows], 0.84, color="#e3e3e3", edgecolor=MUTED, linewidth=0.8)
    drawn.set_label("fair")
    spans = bars(shares, [(row["low"], row["high"]) for row in rows])
    points = ax.errorbar(values, shares, yerr=spans, fmt="o", color=COLOURS[0], markersize=4, elinewidth=1.2)
    points.set_label("rolled, with 95 % intervals")
    whole_numbers(ax.xaxis, range(int(values[0]), int(values[-1]) + 1))
    ax.set_ylabel("share of the rolls")
    ax.set_ylim(0, 1.3 * float(max(ax.dataLim.y1, shares.max())))
    notes = [f"{result.words} Joint p-value {result.p:.2g}.", f"{result.power} dicelab {__version__}"]
    return finished(ax, notes, x="value", entries=[drawn, points])
