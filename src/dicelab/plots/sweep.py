"""Charts of a sweep: one measure of the results against the swept values, and percentiles of a tally as a fan.

By itself because it draws the sweeps of every question, and `dicelab.plots.bankroll` only sessions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isfinite, nan
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dicelab.errors import ParameterError
from dicelab.keywords import keywords
from dicelab.limits import LIMITS
from dicelab.plots.chart_style import (
    COLOURS,
    MARKERS,
    MUTED,
    TEXT,
    axes_for,
    caption,
    finished,
    grow,
    legend,
    plain,
    starts,
)
from dicelab.plots.labels import how, left_out, some, what
from dicelab.plots.swept import Drawing, Group, Measure, SweptAxis
from dicelab.questions.sweeps.candidates import CASUAL, Wish
from dicelab.questions.sweeps.points import OverValues
from dicelab.questions.sweeps.sweep import Sweep
from dicelab.questions.sweeps.tune import Tuned
from dicelab.runtime.strategies import BEST

if TYPE_CHECKING:
    from matplotlib.axes import Axes


APART = 0.4
"""Height over which the points of one named value are spread; named values are 1 apart."""
LEGEND_ROWS = 2.0
"""Room for the legend above the points of named values."""
MOST_CLOSE = 6
"""Maximum number of values that the caption names as close to the best one."""
MAP = "cividis"
"""A colour map whose brightness increases, readable with any colour vision."""


@keywords
def plot_sweep(
    sweep: OverValues, of: str | None = None, ax: Axes | None = None, *, target: float | None = None
) -> Axes:
    """Draw one measure of the results of a sweep against the swept values.

    Parameters
    ----------
    sweep
        Result of a sweep over one name or two.
    of
        An outcome (``"win"``: its probability), a tally (``"turns"``: its mean), ``"p90:turns"`` (a percentile) or a
        measure of fairness (``"gap"``). When None: the gap if the number of seats varies, else the first outcome, else
        the mean of the first tally.
    ax
        Axes to draw on; those of a new figure when None.
    target
        A value of the measure to draw as a dotted line.

    Returns
    -------
    Axes
        One line, or one per value of the second name, with 95 % intervals of estimates. Values that are names (bets,
        houses, yes and no) are rows of points that no line joins, the 60 largest of them if there are more. If both
        names have more than six values, a colour map. The chance of a seat has the equal share as a dashed line, and a
        ring marks the best value if it is named by this measure.

    Raises
    ------
    UnknownNameError, ParameterError
        When the measure is unknown or not allowed, or there is no result.

    Examples
    --------
    >>> from dicelab.questions.sweeps.sweep import sweep
    >>> axes = plot_sweep(sweep("hazard", over={"main": range(5, 10)}, exact=True))
    >>> axes.get_xlabel(), axes.get_ylabel()
    ('main', 'probability of the outcome "win"')
    """
    results = [row.result for row in sweep.rows]
    some(results)
    wanted = Measure.of(sweep, of)
    new = ax is None
    ax = axes_for(ax, f"{sweep.game}: {wanted.label}")
    drawn = Drawing.of(sweep, wanted)
    if target is not None:
        ax.axhline(target, color=TEXT, linestyle="dotted", linewidth=1, zorder=1)
    notes = {"map": _map, "rows": _rows, "lines": _lines}[drawn.kind](ax, drawn)
    if drawn.kind == "lines" and isinstance(sweep, Sweep):
        notes = [*notes, *_best(ax, sweep, wanted.name)]
    if new and drawn.kind == "rows":
        grow(ax, round(ax.get_ylim()[0] - ax.get_ylim()[1]))
    caption(ax, [*what(results), how(results, drawn.bars), *notes, *drawn.notes()])
    return ax


def _group(
    ax: Axes, at: int, group: Group, places: Sequence[float], bars: bool, sideways: bool = False, **style: Any
) -> Any:
    """Draw the numbers of a group, with their intervals if `bars`: upwards over these places, or sideways."""
    style |= {"marker": MARKERS[at % len(MARKERS)], "markersize": 4.5, "color": COLOURS[at % len(COLOURS)]}
    x, y = (group.numbers[:, 0], places) if sideways else (places, group.numbers[:, 0])
    if not bars:
        return ax.plot(x, y, label=group.label, **style)[0]
    ends: dict[str, Any] = {"xerr" if sideways else "yerr": group.ends}
    return ax.errorbar(x, y, label=group.label, elinewidth=1, capsize=2, **ends, **style)


def _lines(ax: Axes, drawn: Drawing) -> list[str]:
    """Draw a line, or one per value of the second name; return notes for the caption."""
    first, groups = drawn.swept[0], drawn.groups()
    handles = [_group(ax, at, group, group.values, drawn.bars, linewidth=1.1) for at, group in enumerate(groups)]
    first.ticks(ax.xaxis)
    if len(first.values) == 1:
        ax.set_xlim(first.values[0] - 1, first.values[0] + 1)
    ax.set_xlabel(plain(first.name))
    ax.set_ylabel(plain(drawn.wanted.label))
    if drawn.wanted.name in ("gap", "total_variation"):
        ax.set_ylim(bottom=0)
    shares = drawn.shares
    if len(set(shares.values())) == 1:
        equal = [ax.axhline(next(iter(shares.values())), **_equal(shares))]
    else:
        equal = ax.plot(list(shares), list(shares.values()), **_equal(shares)) if shares else []
    _explain(ax, drawn, handles, equal)
    return starts(ax)


def _best(ax: Axes, sweep: Sweep, drawn: str) -> list[str]:
    """Draw a ring around the best value of one name if it is named by what is drawn; return the note about it."""
    best = sweep.best
    if best is None or best.figure != drawn or len(best.values) != 1 or len(best.close) + 1 == len(sweep.rows):
        return []
    (value,) = best.values.values()
    ax.plot([value], [best.value], "o", markersize=11, markerfacecolor="none", color=TEXT, zorder=5)
    texts = [str(next(iter(one.values()))) for one in best.close]
    near = f"; not told from it: {', '.join(texts[:MOST_CLOSE])}" if texts else ""
    more = f" and {len(texts) - MOST_CLOSE} more" if len(texts) > MOST_CLOSE else ""
    return [f"ring: the best value, {value}{near}{more}"]


def _equal(shares: Mapping[int, float]) -> dict[str, Any]:
    """Return the style and label of the equal share of a seat."""
    seats = {round(1 / share) for share in shares.values()}
    label = f"equal share: 1/{seats.pop()}" if len(seats) == 1 else "equal share"
    return {"color": MUTED, "linestyle": "dashed", "linewidth": 1, "zorder": 1, "label": label}


def _explain(
    ax: Axes, drawn: Drawing, handles: list[Any], equal: list[Any], where: Literal["best", "upper center"] = "best"
) -> bool:
    """Draw the legend if there is more than one thing to tell apart, and return whether there is one."""
    entries = [*(handles if drawn.second else []), *equal]
    if entries:
        legend(ax, entries, drawn.second, where, 1 if where == "best" else len(entries))
    return bool(entries)


def _rows(ax: Axes, drawn: Drawing) -> list[str]:
    """Draw named values below each other, with points that no line joins; return notes for the caption."""
    first, handles = drawn.swept[0], list[Any]()
    kept = _largest(drawn)
    notes = left_out(len(kept.values), len(first.values), "largest")
    groups = replace(drawn, swept=[kept, *drawn.swept[1:]]).groups()
    for at, group in enumerate(groups):
        shift = APART * ((at + 0.5) / len(groups) - 0.5)
        up = [kept.values.index(value) + shift for value in group.values]
        handles.append(_group(ax, at, group, up, drawn.bars, sideways=True, linestyle="none"))
    same = len(set(drawn.shares.values())) == 1
    equal = [ax.axvline(next(iter(drawn.shares.values())), **_equal(drawn.shares))] if same else []
    room = LEGEND_ROWS if _explain(ax, drawn, handles, equal, "upper center") else 0.0
    kept.ticks(ax.yaxis)
    ax.set_ylim(len(kept.values) - 0.5, -0.5 - room)
    ax.set_ylabel(plain(first.name))
    ax.set_xlabel(plain(drawn.wanted.label))
    return [*starts(ax, "x"), *notes]


def _largest(drawn: Drawing) -> SweptAxis:
    """Return the first name with all its values, or only with those at which the measure is largest."""
    first = drawn.swept[0]
    if len(first.values) <= LIMITS.bars:
        return first
    numbers = {value: max(p[0] for key, p in drawn.points.items() if key[0] == value) for value in first.values}
    kept = sorted(first.values, key=lambda value: -numbers[value])[: LIMITS.bars]
    return replace(first, values=[value for value in first.values if value in kept])


def _map(ax: Axes, drawn: Drawing) -> list[str]:
    """Draw a colour map: the first name on the horizontal axis, the second on the vertical one."""
    across, up = drawn.swept
    numbers: NDArray[np.float64] = np.full((len(up.values), len(across.values)), nan)
    for (one, other), point in drawn.points.items():
        numbers[up.values.index(other), across.values.index(one)] = point[0]
    ax.grid(visible=False)
    shown_numbers = np.ma.masked_invalid(numbers)
    mesh = ax.pcolormesh(across.places, up.places, shown_numbers, shading="nearest", cmap=MAP)
    bar = ax.figure.colorbar(mesh, ax=ax, pad=0.02)
    bar.set_label(plain(drawn.wanted.label), color=TEXT, fontsize=10)
    bar.ax.tick_params(color=MUTED, labelcolor=TEXT, labelsize=9)
    bar.outline.set_visible(False)
    across.ticks(ax.xaxis)
    up.ticks(ax.yaxis)
    ax.set_xlabel(plain(across.name))
    ax.set_ylabel(plain(up.name))
    return []


# The fan --------------------------------------------------------------------------------------------------------------


BANDS = ((0.05, 0.95, 0.2), (0.25, 0.75, 0.35))
"""The percentiles between which an area is filled, and how dark it is."""


@keywords
def plot_fan(
    sweep: OverValues, of: str, ax: Axes | None = None, *, start: int = 0, paths: Sequence[Sequence[float]] = ()
) -> Axes:
    """Draw how a tally spreads over the swept values: its median, and the middle 50 and 90 % of the games.

    A sweep over the length of a session shows where the money is after 5, 10, 15 rounds.

    Parameters
    ----------
    sweep
        Result of a sweep over one name, whose values are numbers.
    of
        The tally.
    ax
        Axes to draw on; those of a new figure when None.
    start
        Added to all values, such as the bankroll to the money won; drawn as a thin line.
    paths
        Single games, drawn as thin lines: for each, its value of the tally at each of the swept values.

    Raises
    ------
    UnknownNameError
        When the game has no such tally.
    ParameterError
        When two names were varied, their values are names, a distribution is not known, or a path has another
        length than the sweep.

    Examples
    --------
    >>> from dicelab.questions.sweeps.sweep import sweep
    >>> rounds = {"until_rounds": range(1, 4)}
    >>> axes = plot_fan(sweep("craps", over=rounds, games=200, seed=1), "money", start=300)
    >>> axes.get_xlabel(), axes.get_ylabel()
    ('until_rounds', 'money')
    """
    results = [row.result for row in sweep.rows]
    some(results)
    first = SweptAxis.over(sweep, sweep.over[0])
    if len(sweep.over) > 1 or first.words:
        raise ParameterError("a fan is drawn over one name whose values are numbers")
    tallies = [result.tallies[of] for result in results]
    values = [row.values[first.name] for row in sweep.rows]

    if any(len(path) != len(values) for path in paths):
        raise ParameterError(f"paths: each path needs {len(values)} values, one for each row of the sweep")

    def line(share: float) -> list[int]:
        percentiles = [tally.percentile(share) for tally in tallies]
        if None in percentiles:
            raise ParameterError(f"{of}: its distribution is not known, so there is no fan of it")
        return [start + value for value in percentiles if value is not None]

    ax = axes_for(ax, f"{sweep.game}: {of}")
    bands = []
    for low, high, dark in BANDS:
        style: dict[str, Any] = {"color": COLOURS[0], "alpha": dark, "linewidth": 0}
        label = f"middle {100 * (high - low):.0f} %"
        bands.append(ax.fill_between(values, line(low), line(high), label=label, **style))
    single: list[Any] = []
    for path in paths:
        style = {"color": COLOURS[1], "alpha": 0.75, "linewidth": 0.8, "label": "single games"}
        single = ax.plot(values, [start + value for value in path], **style)
    middle = ax.plot(values, line(0.5), color=COLOURS[0], label="median")
    ax.axhline(start, color=MUTED, linewidth=0.8, linestyle=":")
    first.ticks(ax.xaxis)
    notes = [*what(results), how(results, bars=False)]
    return finished(ax, notes, x=first.name, y=of, entries=[*middle, *reversed(bands), *single])


# Picture of a search for values: two figures of every candidate, and where both are as wished -------------------------


MOST_NAMED = 30
"""Maximum number of candidates whose values are written beside their points."""


class TunedAxis(NamedTuple):
    """What an axis shows: a figure with one kind of play."""

    play: str
    wish: Wish

    @property
    def label(self) -> str:
        """The label of the axis."""
        words = {BEST: "optimal play", CASUAL: "casual play", "": ""}.get(self.play, self.play)
        return f"{self.wish.figure}, {words}" if words else self.wish.figure


@keywords
def plot_tune(tuned: Tuned, ax: Axes | None = None) -> Axes:
    """Draw two figures of every candidate against each other, with the range in which both are as wished.

    Parameters
    ----------
    tuned
        A result of `dicelab.tune`.
    ax
        Axes to draw on; those of a new figure when None.

    Returns
    -------
    Axes
        The first wish with the first two kinds of play; with one kind, the first two wishes; with one wish as well, the
        candidates in order. Filled points satisfy all wishes.

    Raises
    ------
    ParameterError
        When there is no candidate.

    Examples
    --------
    >>> import dicelab
    >>> found = dicelab.tune("lcr", over={"players": [2, 3, 4]}, want=["gap<10%", "turns<20"])
    >>> axes = plot_tune(found)
    >>> axes.get_xlabel(), axes.get_ylabel()
    ('gap', 'turns')
    """
    title = f"{tuned.game}: {', '.join(wish.text for wish in tuned.wishes)}"
    ax = axes_for(ax, title, drawn=tuned.rows, lacking="there is no candidate")
    first, second = _sides(tuned)
    for at, row in enumerate(tuned.rows):
        spots = [row.figures[side.play].values[side.wish.figure] if side else None for side in (first, second)]
        x, y = (float(at) if spot is None else spot.value for spot in spots)
        good = row.satisfies()
        face = COLOURS[0] if good else "none"
        ax.plot([x], [y], "o", markersize=7, color=COLOURS[0] if good else MUTED, markerfacecolor=face, zorder=3)
        if len(tuned.rows) <= MOST_NAMED:
            text, above = ", ".join(map(str, row.values.values())), (4, -10)[at % 2]
            ax.annotate(plain(text), (x, y), xytext=(6, above), textcoords="offset points", fontsize=8, color=TEXT)
    _range(ax, first, second)
    ax.margins(0.12)
    ax.set_ylabel(plain(second.label if second else ""))
    how = f"points: {', '.join(tuned.over)}; filled: all wishes are satisfied; coloured: the range that is wished for"
    if not first:
        ax.set_xticks([])
    about = [*what([tuned]), f"{how}; dicelab {tuned.version}"]
    return finished(ax, about, x=first.label if first else "candidates, in the order of the table")


def _sides(tuned: Tuned) -> tuple[TunedAxis | None, TunedAxis | None]:
    """Return what the horizontal and the vertical axis show."""
    plays, wishes = tuned.plays, tuned.wishes
    if len(plays) > 1:
        return TunedAxis(plays[0], wishes[0]), TunedAxis(plays[1], wishes[0])
    if len(wishes) > 1:
        return TunedAxis(plays[0], wishes[0]), TunedAxis(plays[0], wishes[1])
    return None, TunedAxis(plays[0], wishes[0])


def _range(ax: Axes, first: TunedAxis | None, second: TunedAxis | None) -> None:
    """Colour the values that are wished for along each axis."""
    for side, span, ends in ((first, ax.axvspan, ax.get_xlim), (second, ax.axhspan, ax.get_ylim)):
        if side is not None:
            low, high = ends()
            bottom = side.wish.low if isfinite(side.wish.low) else low - (high - low)
            top = side.wish.high if isfinite(side.wish.high) else high + (high - low)
            span(bottom, top, color=COLOURS[2], alpha=0.12, zorder=0)
            room = 0.12 * (high - low)
            (ax.set_xlim if span == ax.axvspan else ax.set_ylim)(low - room, high + room)
