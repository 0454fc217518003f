"""Picture of a sweep: one measure of the results against the swept values."""

from __future__ import annotations

from math import isinf, nan
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dicelab.plots.measure import Measure, Point, Rows
from dicelab.plots.paper import COLOURS, MARKERS, MUTED, TEXT, axes_for, caption, legend, plain, whole_numbers
from dicelab.plots.words import how, some, what
from dicelab.results.result import Simulation

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_LINES = 6
"""Maximum number of lines in a picture; if both names have more values, a map is drawn."""
MAP = "cividis"
"""A colour map whose brightness increases, readable with any colour vision."""

Points = list[tuple[tuple[int, ...], Point]]
"""Pairs of the swept values and the measure there."""


def plot_sweep(sweep: Rows, measure: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw one measure of the results of a sweep against the swept values.

    Parameters
    ----------
    sweep
        Result of a sweep over one name or two.
    measure
        An outcome (``"win"``: its probability), a tally (``"turns"``: its mean), ``"p90:turns"`` (a percentile) or a
        measure of fairness (``"gap"``). When None: the gap if the number of seats varies, else the first outcome, else
        the mean of the first tally.
    ax
        Axes to draw on; those of a new figure when None.

    Returns
    -------
    Axes
        One line, or one per value of the second name, with 95 % intervals of estimates; a colour map if both names have
        more than six values.

    Raises
    ------
    UnknownNameError, ParameterError
        When the measure is unknown or not allowed, or there is no result.

    Examples
    --------
    >>> from dicelab.analysis.sweep import sweep
    >>> axes = plot_sweep(sweep("hazard", over={"main": range(5, 10)}, exact=True))
    >>> axes.get_xlabel(), axes.get_ylabel()
    ('main', 'probability of win')
    """
    results = [row.result for row in sweep.rows]
    some(results)
    wanted = Measure.of(sweep, measure)
    ax = axes_for(ax, f"{sweep.game}: {wanted.title}")
    points = [(tuple(row.values[name] for name in sweep.names), wanted.at(row.result)) for row in sweep.rows]
    estimated = any(isinstance(result, Simulation) for result in results)
    names = sweep.names
    many = [len({values[i] for values, _ in points}) for i in range(len(names))]
    as_map = len(names) == 2 and min(many) > MOST_LINES
    bars = estimated and wanted.interval and not as_map
    if as_map:
        _map(ax, points, wanted.label)
        ax.set_ylabel(plain(names[1]))
    else:
        if len(names) == 2 and many[1] > MOST_LINES:
            names, points = names[::-1], [(values[::-1], point) for values, point in points]
        _lines(ax, points, names[1] if len(names) == 2 else "", bars)
        ax.set_ylabel(plain(wanted.label))
        if wanted.name in ("gap", "total_variation"):
            ax.set_ylim(bottom=0)
    ax.set_xlabel(plain(names[0]))
    note = [f"chance alone raises the {wanted.label} of estimates"] if estimated and wanted.kind == "fairness" else []
    if bars and any(isinf(end) for _, point in points for end in point):
        note.append("no bar: too few games for an interval with two ends")
    caption(ax, [*what(results), how(results, bars), *note])
    return ax


def _lines(ax: Axes, points: Points, second: str, bars: bool) -> None:
    """Draw a line, or one per value of the second name."""
    drawn: list[Any] = []
    groups: dict[int, list[tuple[int, Point]]] = {}
    for values, point in points:
        groups.setdefault(values[1] if second else 0, []).append((values[0], point))
    for at, value in enumerate(sorted(groups)):
        where = [x for x, _ in sorted(groups[value])]
        numbers = np.array([point for _, point in sorted(groups[value])], np.float64)
        style: dict[str, Any] = {"marker": MARKERS[at], "markersize": 4.5, "linewidth": 1.1, "color": COLOURS[at]}
        if bars:
            ends = np.maximum(0, [numbers[:, 0] - numbers[:, 1], numbers[:, 2] - numbers[:, 0]])
            ends[~np.isfinite(ends)] = nan  # no bar for an interval with an open end
            drawn.append(
                ax.errorbar(where, numbers[:, 0], yerr=ends, elinewidth=1, capsize=2, label=f"{value}", **style)
            )
        else:
            drawn += ax.plot(where, numbers[:, 0], label=f"{value}", **style)
    at_all = sorted({values[0] for values, _ in points})
    whole_numbers(ax.xaxis, at_all)
    if len(at_all) == 1:
        ax.set_xlim(at_all[0] - 1, at_all[0] + 1)
    if second:
        legend(ax, drawn, second)


def _map(ax: Axes, points: Points, label: str) -> None:
    """Draw a colour map: the first name on the horizontal axis, the second on the vertical one."""
    across, up = (sorted({values[i] for values, _ in points}) for i in (0, 1))
    numbers: NDArray[np.float64] = np.full((len(up), len(across)), nan)
    for values, point in points:
        numbers[up.index(values[1]), across.index(values[0])] = point[0]
    ax.grid(visible=False)
    mesh = ax.pcolormesh(across, up, np.ma.masked_invalid(numbers), shading="nearest", cmap=MAP)
    bar = ax.figure.colorbar(mesh, ax=ax, pad=0.02)
    bar.set_label(plain(label), color=TEXT, fontsize=10)
    bar.ax.tick_params(color=MUTED, labelcolor=TEXT, labelsize=9)
    bar.outline.set_visible(False)
    whole_numbers(ax.xaxis, across)
    whole_numbers(ax.yaxis, up)
