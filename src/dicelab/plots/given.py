"""Picture of the outcomes given a tally: who wins short games, and who wins long ones."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from dicelab.keywords import keywords
from dicelab.plots.drawing.paper import (
    COLOURS,
    MARKERS,
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
from dicelab.plots.drawing.words import games_of, how, most_probable, some, what
from dicelab.plots.tally import ends
from dicelab.results.given import Given
from dicelab.results.result import Result, Simulation
from dicelab.results.text.writing import outcome_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_OUTCOMES = len(COLOURS)
"""Maximum number of outcomes in a picture; of more, the most probable ones are drawn."""
FEWEST = 20
"""Minimum number of games in a group of a simulation; estimates from fewer tell nothing and are left out."""
APART = 0.5
"""Share of a group's width over which the points of its outcomes are spread."""


@keywords()
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
    """The smallest and the largest value on the axis."""
    limits = [ends(result.tallies[tally].probabilities) for result in results]
    return min(low for low, _ in limits), max(high for _, high in limits)


def _shown(result: Result, rows: Sequence[Given], low: int, high: int) -> list[Given]:
    """The groups that are drawn; the most probable one always is."""
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
