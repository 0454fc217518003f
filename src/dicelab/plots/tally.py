"""Charts of the distribution of a tally, of the outcomes given its value, and of the outcomes by themselves."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import gcd
from typing import TYPE_CHECKING, Any

import numpy as np

from dicelab.errors import ParameterError
from dicelab.keywords import keywords
from dicelab.limits import LIMITS
from dicelab.plots.chart_style import (
    COLOURS,
    MARKERS,
    MUTED,
    TEXT,
    axes_for,
    bars,
    equal_share,
    finished,
    legend_above,
    plain,
    starts,
    whole_numbers,
)
from dicelab.plots.labels import games_of, how, labels, most_probable, some, what
from dicelab.results.histogram import Given
from dicelab.results.numbers.estimates import Average, Distribution
from dicelab.results.numbers.intervals import clopper_pearson
from dicelab.results.result import Result, Simulation
from dicelab.results.text.writing import outcome_title
from dicelab.runtime.arrays import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes


CUT = 0.0005
"""Probability cut off at each end."""
MOST_POINTS, MOST_STEPS = 100, 400
"""Maximum number of points with intervals, and of steps of a line; more values are grouped."""
MOST_MARKED = 2
"""Maximum number of settings whose percentiles are marked; with more, only the means are."""
MARKED = {"mean": "-", "p50": "--", "p90": ":"}
"""By marked number of a distribution: its line style."""

Tally = Average | Distribution


@keywords
def plot_tally(*results: Result, tally: str, ax: Axes | None = None) -> Axes:
    """Draw the distribution of a tally: exact as bars or a line, simulated as points with 95 % intervals.

    Parameters
    ----------
    *results
        Results of `dicelab.simulate` and `dicelab.exact`, drawn over each other.
    tally
        Name of the tally.
    ax
        Axes to draw on; those of a new figure when None.

    Returns
    -------
    Axes
        The horizontal axis covers 0.05 % to 99.95 % of the games; values are grouped if there are too many.

    Raises
    ------
    UnknownNameError, ParameterError
        When there is no such tally, no result, or a distribution is missing.

    Examples
    --------
    >>> import dicelab
    >>> axes = plot_tally(dicelab.exact("hazard"), tally="throws")
    >>> axes.get_xlabel(), axes.get_ylabel()
    ('throws in a game', 'probability')
    """
    some(results)
    counted = [_tally(result, tally) for result in results]
    grid = Bins.over(counted)
    ax = axes_for(ax, f"{games_of(results)}: {tally} in a game")
    one_exact = sum(isinstance(one, Distribution) for one in counted) == 1
    drawn: list[Any] = []
    for at, (one, label) in enumerate(zip(counted, _labels(results, counted), strict=True)):
        style: dict[str, Any] = {"color": COLOURS[at % len(COLOURS)], "label": plain(label)}
        if isinstance(one, Average):
            drawn.append(_draw_estimated(ax, one, grid, MARKERS[at % len(MARKERS)], style))
        else:
            drawn.append(_draw_exact(ax, one, grid, one_exact, style))
    drawn += _mark(ax, results, counted, grid)
    ax.set_ylim(0, 1.06 * float(ax.dataLim.y1))
    grid.mark(ax)
    return finished(ax, [*what(results), how(results)], x=f"{tally} in a game", entries=drawn)


def _tally(result: Result, name: str) -> Tally:
    tally = result.tallies[name]
    if not tally.probabilities:
        raise ParameterError(f"the distribution of {name} took too much memory; simulate it")
    return tally


@dataclass(frozen=True)
class Bins:
    """The values shown, in groups of equal size.

    Attributes
    ----------
    low
        First value of the first group.
    unit
        Distance between neighbouring possible values.
    width
        Number of possible values in a group.
    count
        Number of groups.
    """

    low: int
    unit: int
    width: int
    count: int

    @classmethod
    def over(cls, tallies: Sequence[Tally]) -> Bins:
        """Return a grid for the distributions of one picture."""
        shares = [tally.probabilities for tally in tallies]
        limits = [ends(share) for share in shares]
        low, high = min(first for first, _ in limits), max(last for _, last in limits)
        unit = gcd(*(value - low for share in shares for value in share if low <= value <= high)) or 1
        values = (high - low) // unit + 1
        width = 1
        most = MOST_POINTS if any(isinstance(tally, Average) for tally in tallies) else MOST_STEPS
        if values > most:
            width = _round(values / most)
            low -= low % (width * unit) if low % unit == 0 else 0
            values = (high - low) // unit + 1
        return cls(low, unit, width, -(-values // width))

    @property
    def step(self) -> int:
        """Distance between neighbouring groups."""
        return self.unit * self.width

    @property
    def span(self) -> int:
        """Distance covered by all groups."""
        return self.step * self.count

    @property
    def starts(self) -> range:
        """First value of each group."""
        return range(self.low, self.low + self.span, self.step)

    @property
    def edges(self) -> Floats:
        """Ends of the groups, each halfway between neighbouring possible values."""
        return np.array([*self.starts, self.low + self.span]) - self.unit / 2

    @property
    def centers(self) -> Floats:
        """Middle of each group."""
        return np.array(self.starts) + self.unit * (self.width - 1) / 2

    @property
    def limits(self) -> tuple[float, float]:
        """Ends of the axis, with a wider margin if there are at most two groups."""
        beyond = self.step * (0.75 if self.count > 2 else 1.5)
        return float(self.centers[0]) - beyond, float(self.centers[-1]) + beyond

    def mark(self, ax: Axes) -> None:
        """Set limits, ticks and label of the axes: values to the right, probabilities upwards."""
        ax.set_xlim(*self.limits)
        whole_numbers(ax.xaxis, self.starts if self.width == 1 else range(self.low, self.low + self.span))
        ax.set_ylabel("probability" if self.width == 1 else f"probability, {self.width:,} values together")

    def grouped(self, weights: Mapping[int, float]) -> Floats:
        """Weight of each group."""
        sums = np.zeros(self.count)
        for value, weight in weights.items():
            at = (value - self.low) // self.step
            if 0 <= at < self.count:
                sums[at] += weight
        return sums


def ends(shares: Mapping[int, float]) -> tuple[int, int]:
    """Return the values at which the cumulative probability reaches `CUT` and ``1 - CUT``: ends of an axis."""
    values, below = list(shares), np.cumsum(list(shares.values()))
    first, last = np.searchsorted(below, [CUT * below[-1], (1 - CUT) * below[-1]])
    return values[int(first)], values[min(int(last), len(values) - 1)]


def _round(number: float) -> int:
    """Return the smallest of 1, 2, 5, 10, 20, 50, ... that is at least `number`."""
    power = 1
    while True:
        for digit in (1, 2, 5):
            if digit * power >= number:
                return digit * power
        power *= 10


def _draw_exact(ax: Axes, tally: Distribution, grid: Bins, alone: bool, style: dict[str, Any]) -> Any:
    chances = grid.grouped(tally.probabilities)
    if alone and grid.count <= LIMITS.bars:
        outline = style.pop("color")
        fill = {"color": _tint(outline), "edgecolor": outline, "linewidth": 0.8}
        return ax.bar(grid.centers, chances, 0.84 * grid.step, **fill, **style)
    return ax.stairs(chances, grid.edges, linewidth=1.2, **style)


def _draw_estimated(ax: Axes, tally: Average, grid: Bins, marker: str, style: dict[str, Any]) -> Any:
    """Draw points with intervals for the groups in which a game was counted."""
    counts, games = grid.grouped(tally.histogram), tally.games
    seen = counts > 0
    intervals = [clopper_pearson(int(count), games) for count in counts[seen]]
    shares = counts[seen] / games
    return ax.errorbar(
        grid.centers[seen], shares, yerr=bars(shares, intervals), fmt=marker, markersize=3, elinewidth=0.9, **style
    )


def _tint(colour: str) -> tuple[float, ...]:
    """Return a colour mixed with 80 % white."""
    from matplotlib.colors import to_rgb

    return tuple(1 - 0.2 * (1 - part) for part in to_rgb(colour))


# Mean and percentiles ------------------------------------------------------------------------------------------------


def _settings(results: Sequence[Result]) -> list[list[int]]:
    """Return the indices of results, grouped by game, parameters and strategies; exact results come first in a group.

    Only the first result of a group is marked: an exact and a simulated mean would lie on top of each other.
    """
    places: dict[str, list[int]] = {}
    for at, result in enumerate(results):
        places.setdefault(repr((result.game, result.parameters, result.strategies)), []).append(at)
    return [sorted(same, key=lambda at: results[at].method != "exact") for same in places.values()]


def _numbers(tally: Tally) -> dict[str, float]:
    """Return the numbers to mark in a distribution, by name."""
    marks = {"mean": tally.mean, "p50": tally.percentile(0.5), "p90": tally.percentile(0.9)}
    return {name: value for name, value in marks.items() if value is not None}


def _said(name: str, value: float) -> str:
    text = f"{value:,.4g}" if name == "mean" and abs(value) < 1000 else f"{value:,.0f}"
    return f"{name} {text}".replace("-", "\N{MINUS SIGN}")


def _labels(results: Sequence[Result], counted: Sequence[Tally]) -> list[str]:
    """Return the labels of the results; with several settings, the marked numbers are in the labels."""
    said = labels(results)
    if len(_settings(results)) > 1:
        for at, *_ in _settings(results):
            said[at] += "\n" + ", ".join(_said(*number) for number in _numbers(counted[at]).items())
    return said


def _mark(ax: Axes, results: Sequence[Result], counted: Sequence[Tally], grid: Bins) -> list[Any]:
    """Draw thin lines at mean, median and 90th percentile of each setting; return their entries for the legend."""
    settings, (low, high) = _settings(results), grid.limits
    explained: dict[str, Any] = {}
    for at, *_ in settings:
        colour = COLOURS[at % len(COLOURS)] if len(settings) > 1 else MUTED
        for name, value in _numbers(counted[at]).items():
            if low <= value <= high and (name == "mean" or len(settings) <= MOST_MARKED):
                style: dict[str, Any] = {"linewidth": 0.9, "linestyle": MARKED[name]}
                line = ax.axvline(value, color=colour, alpha=0.8, zorder=0.8, label=_said(name, value), **style)
                explained[name] = line if len(settings) == 1 else ax.plot([], [], color=MUTED, label=name, **style)[0]
    return list(explained.values())


# Outcomes given a tally: who wins short games, and who wins long ones -------------------------------------------------


MOST_OUTCOMES = len(COLOURS)
"""Maximum number of outcomes in a picture; of more, the most probable ones are drawn."""
FEWEST = 20
"""Minimum number of games in a group of a simulation; estimates from fewer tell nothing and are left out."""
APART = 0.5
"""Share of a group's width over which the points of its outcomes are spread."""


@keywords
def plot_given(*results: Result, tally: str, width: int | None = None, ax: Axes | None = None) -> Axes:
    """Draw the probability of each outcome given the value of a tally, in groups of values.

    Parameters
    ----------
    *results
        Results of `dicelab.simulate` and `dicelab.exact` for the same game.
    tally
        Name of the tally.
    width
        Number of values in a group; groups of about equal probability when None.
    ax
        Axes to draw on; those of a new figure when None.

    Returns
    -------
    Axes
        Exact probabilities are lines as long as their group, simulated ones points with 95 % intervals. The equal share
        of a seat is a dashed line. The horizontal axis covers 0.05 % to 99.95 % of the games;
        simulated groups of fewer than 20 games are left out.

    Raises
    ------
    UnknownNameError, ParameterError
        When there is no such tally, no result, or a game has no outcomes.

    Examples
    --------
    >>> import dicelab
    >>> axes = plot_given(dicelab.exact("lcr", players=3), tally="turns", width=6)
    >>> axes.get_xlabel(), axes.get_ylabel()
    ('turns in a game', 'probability to win')
    """
    some(results)
    seats = all(result.seats for result in results)
    groups = [result.given(tally, width) for result in results]
    (names, notes), (low, high) = most_probable(results, MOST_OUTCOMES), _limits(results, tally)
    groups = [_shown(result, rows, low, high) for result, rows in zip(results, groups, strict=True)]
    low, high = max(low, min(row.low for row in chain(*groups))), min(high, max(row.high for row in chain(*groups)))
    ax = axes_for(ax, f"{games_of(results)}: {'probability to win' if seats else 'outcomes'} given {tally}")
    for result, rows in zip(results, groups, strict=True):
        for at, name in enumerate(names):
            _draw(ax, rows, (low, high), name, at, len(names), isinstance(result, Simulation))
    _explain(ax, results, [outcome_title(name, seats, results[0].players) for name in names], seats)
    span = 0.02 * (high - low + 1) + 0.5
    ax.set_xlim(low - span, high + span)
    whole_numbers(ax.xaxis, range(low, high + 1))
    chance = "probability to win" if seats else "probability"
    return finished(ax, [*what(results), how(results), *notes, *starts(ax)], x=f"{tally} in a game", y=chance)


def _limits(results: Sequence[Result], tally: str) -> tuple[int, int]:
    """Return the smallest and the largest value on the axis."""
    limits = [ends(result.tallies[tally].probabilities) for result in results]
    return min(low for low, _ in limits), max(high for _, high in limits)


def _shown(result: Result, rows: Sequence[Given], low: int, high: int) -> list[Given]:
    """Return the groups that are drawn; the most probable one always is."""
    fewest = FEWEST / result.games if isinstance(result, Simulation) else 0.0
    fewest = min(fewest, max(row.probability for row in rows))
    return [row for row in rows if row.low <= high and row.high >= low and row.probability >= fewest]


def _draw(
    ax: Axes, rows: Sequence[Given], limits: tuple[int, int], name: str, at: int, many: int, estimated: bool
) -> None:
    """Draw one outcome of one result in all groups; `at` is its number among `many` outcomes."""
    lows = np.array([max(row.low, limits[0]) for row in rows]) - 0.5
    highs = np.array([min(row.high, limits[1]) for row in rows]) + 0.5
    chances = np.array([row.outcomes[name].probability for row in rows])
    colour = COLOURS[at % len(COLOURS)]
    if not estimated:
        ax.hlines(chances, lows, highs, color=colour, linewidth=2.2)
        return
    ends = bars(chances, [row.outcomes[name].interval for row in rows])
    middle = (lows + highs) / 2 + APART * (highs - lows) * ((at + 0.5) / many - 0.5)
    marker = MARKERS[at % len(MARKERS)]
    ax.errorbar(middle, chances, ends, color=colour, marker=marker, markersize=4, elinewidth=1, linestyle="none")


def _explain(ax: Axes, results: Sequence[Result], names: Sequence[str], seats: bool) -> None:
    """Draw the equal share of a seat, and the legend."""
    from matplotlib.patches import Patch

    handles: list[Any] = [Patch(facecolor=COLOURS[at], label=plain(name)) for at, name in enumerate(names)]
    many = {len(result.outcomes) for result in results}
    if seats and len(many) == 1:
        handles.append(equal_share(ax, many.pop()))
    if len(results) > 1:
        handles += ax.plot([], [], color=TEXT, linewidth=2.2, label="exact")
        handles += ax.plot([], [], color=TEXT, marker="o", linestyle="none", markersize=4, label="simulated")
    legend_above(ax, handles)


# Picture of the probabilities of outcomes; for seats, beside equal shares ---------------------------------------------


SEATS_APART = 0.5
"""Maximum width over which the results of one outcome are spread; outcomes are 1 apart."""
MOST_NAMES = 20
"""Maximum number of outcomes that are all named on the axis; of more seats, every fifth is named."""
MOST_LETTERS, MOST_WRAPPED = 60, 8
"""Maximum total length of names that are written as they are, and maximum number of longer names that are wrapped; more
names are rotated."""


@keywords
def plot_seats(*results: Result, ax: Axes | None = None) -> Axes:
    """Draw the probability of each outcome, with 95 % intervals if simulated; for seats, also the equal share.

    Parameters
    ----------
    *results
        Results of `dicelab.simulate` and `dicelab.exact`, drawn side by side.
    ax
        Axes to draw on; those of a new figure when None.

    Returns
    -------
    Axes
        The vertical axis does not start at 0, so that differences from equal shares are visible; the caption says so.
        Of more than 60 outcomes the 60 most probable are drawn, and the caption says how many are left out.

    Raises
    ------
    ParameterError
        When there is no result, or a game has no outcomes.

    Examples
    --------
    >>> import dicelab
    >>> axes = plot_seats(dicelab.exact("lcr", players=3))
    >>> [text.get_text() for text in axes.get_legend().get_texts()]
    ['exact', 'equal shares: 1/3']
    """
    some(results)
    for result in results:
        if not result.outcomes:
            raise ParameterError(f"{result.game} has no outcomes, only tallies")
    seats = all(result.seats for result in results)
    ax = axes_for(ax, f"{games_of(results)}: {'probability to win' if seats else 'outcomes'}")
    names, notes = most_probable(results, LIMITS.bars)
    places = {name: at for at, name in enumerate(names)}
    apart, drawn = min(SEATS_APART, 0.08 * len(places)), []
    for at, (result, label) in enumerate(zip(results, labels(results), strict=True)):
        shift = apart * (at + 0.5 - len(results) / 2) / len(results)
        drawn.append(_draw_seats(ax, result, {name: place + shift for name, place in places.items()}, at, label))
    for many in dict.fromkeys(len(result.outcomes) for result in results if result.seats):
        ends, label = (-0.5, many - 0.5), f"equal shares: 1/{many}"
        drawn += ax.plot(ends, [1 / many] * 2, color=MUTED, linestyle="dashed", linewidth=1, label=label, zorder=1)
    _name(ax, list(places), seats)
    legend_above(ax, drawn)
    notes = [*what(results), how(results), *starts(ax), *notes]
    return finished(ax, notes, "player" if seats else "outcome", "probability to win" if seats else "probability")


def _draw_seats(ax: Axes, result: Result, places: Mapping[str, float], at: int, label: str) -> Any:
    """Draw one result: points with intervals if simulated, open points if exact."""
    style: dict[str, Any] = {"color": COLOURS[at % len(COLOURS)], "label": plain(label), "linestyle": "none"}
    where = [place for name, place in places.items() if name in result.outcomes]
    seats = [result.outcomes[name] for name in places if name in result.outcomes]
    chances = np.array([chance.probability for chance in seats])
    if not isinstance(result, Simulation):
        marker = MARKERS[at % len(MARKERS)]
        style |= {"markerfacecolor": "white", "markeredgewidth": 1.3}
        return ax.plot(where, chances, marker=marker, markersize=5.5, **style)[0]
    ends = bars(chances, [chance.interval for chance in seats])
    return ax.errorbar(
        where, chances, yerr=ends, marker=MARKERS[at % len(MARKERS)], markersize=4, elinewidth=1.2, **style
    )


def _name(ax: Axes, names: Sequence[str], seats: bool) -> None:
    """Label the horizontal axis with the outcomes; of many seats only every fifth."""
    every = 1 if not seats or len(names) <= MOST_NAMES else 5
    titles = [str(int(name) + 1) for name in names] if seats else names
    at, shown = range(0, len(names), every), [plain(title) for title in titles[::every]]
    if seats or len("".join(names)) <= MOST_LETTERS:
        ax.set_xticks(at, shown)
    elif len(names) <= MOST_WRAPPED:
        ax.set_xticks(at, [textwrap.fill(name, 80 // len(names), max_lines=4, placeholder=" ...") for name in shown])
    else:
        ax.set_xticks(at, [textwrap.shorten(name, 24, placeholder=" ...") for name in shown], rotation=30, ha="right")
    ax.set_xlim(-0.5 - 0.02 * len(names), len(names) - 0.5 + 0.02 * len(names))
    ax.grid(visible=False, axis="x")
