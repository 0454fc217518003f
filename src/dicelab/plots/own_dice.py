"""Charts of somebody's dice: their estimated faces, and an answer with these dice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dicelab.keywords import keywords
from dicelab.plots.chart_style import (
    COLOURS,
    MOST_BARS,
    MUTED,
    axes_for,
    bars,
    finished,
    legend_above,
    plain,
    whole_numbers,
)
from dicelab.questions.betting.with_dice import MEAN, WithDice
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


# Picture of an answer with somebody's dice ----------------------------------------------------------------------------


@keywords()
def plot_with_dice(result: WithDice, ax: Axes | None = None) -> Axes:
    """Draw figures for somebody's dice with 95 % intervals, and those for fair dice beside them.

    Parameters
    ----------
    result
        A result of `dicelab.with_dice`.
    ax
        Axes to draw on; those of a new figure when None.

    Returns
    -------
    Axes
        Probabilities and edges; means where there are no others. Of more than 60, those furthest from fair dice.

    Raises
    ------
    ParameterError
        When matplotlib is not installed.

    Examples
    --------
    >>> import dicelab
    >>> plot_with_dice(dicelab.with_dice("pass-line", "80,100,100,100,100,120", question="exact")).get_title(loc="left")
    'pass-line: exact with 600 rolls of d6'
    """
    shown = {name: one for name, one in result.figures.items() if not name.startswith(MEAN)} or result.figures
    apart = {name: abs(one.value - (one.value if one.fair is None else one.fair)) for name, one in shown.items()}
    kept = sorted(shown, key=lambda name: apart[name])[-MOST_BARS:]
    names = [name for name in shown if name in kept][::-1]
    rows, places = [shown[name] for name in names], np.arange(len(names))
    title = f"{result.game}: {result.question} with {result.rolls.number:,} rolls of {result.rolls.die}"
    ax = axes_for(ax, title, len(names))
    values = np.array([row.value for row in rows])
    spans = bars(values, [(row.low, row.high) for row in rows])
    yours = ax.errorbar(values, places, xerr=spans, fmt="o", color=COLOURS[0], markersize=4, elinewidth=1.2)
    yours.set_label("your dice, with 95 % intervals")
    known = [(row.fair, place) for row, place in zip(rows, places, strict=True) if row.fair is not None]
    [fair] = ax.plot(*zip(*known, strict=True), "D", color=MUTED, markersize=5, fillstyle="none", label="fair dice")
    ax.set_yticks(places, [plain(name) for name in names])
    ax.set_ylim(-0.6, len(names) - 0.4)
    legend_above(ax, [yours, fair])
    return finished(ax, [result.words, f"exact; dicelab {result.version}"], x="value")
