"""Picture of the probabilities of outcomes; for seats, beside equal shares."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dicelab.errors import ParameterError
from dicelab.keywords import keywords
from dicelab.plots.chart_style import (
    COLOURS,
    MARKERS,
    MOST_BARS,
    MUTED,
    axes_for,
    bars,
    finished,
    legend_above,
    plain,
    starts,
)
from dicelab.plots.labels import games_of, how, labels, most_probable, some, what
from dicelab.results.result import Result, Simulation

if TYPE_CHECKING:
    from matplotlib.axes import Axes

APART = 0.5
"""Maximum width over which the results of one outcome are spread; outcomes are 1 apart."""
MOST_NAMES = 20
"""Maximum number of outcomes that are all named on the axis; of more seats, every fifth is named."""
MOST_LETTERS, MOST_WRAPPED = 60, 8
"""Maximum total length of names that are written as they are, and maximum number of longer names that are wrapped; more
names are rotated."""


@keywords()
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
    names, notes = most_probable(results, MOST_BARS)
    places = {name: at for at, name in enumerate(names)}
    apart, drawn = min(APART, 0.08 * len(places)), []
    for at, (result, label) in enumerate(zip(results, labels(results), strict=True)):
        shift = apart * (at + 0.5 - len(results) / 2) / len(results)
        drawn.append(_draw(ax, result, {name: place + shift for name, place in places.items()}, at, label))
    for many in dict.fromkeys(len(result.outcomes) for result in results if result.seats):
        ends, label = (-0.5, many - 0.5), f"equal shares: 1/{many}"
        drawn += ax.plot(ends, [1 / many] * 2, color=MUTED, linestyle="dashed", linewidth=1, label=label, zorder=1)
    _name(ax, list(places), seats)
    legend_above(ax, drawn)
    notes = [*what(results), how(results), *starts(ax), *notes]
    return finished(ax, notes, "player" if seats else "outcome", "probability to win" if seats else "probability")


def _draw(ax: Axes, result: Result, places: Mapping[str, float], at: int, label: str) -> Any:
    """Draw one result: points with intervals if simulated, open points if exact."""
    style: dict[str, Any] = {"color": COLOURS[at % len(COLOURS)], "label": plain(label), "linestyle": "none"}
    where = [place for name, place in places.items() if name in result.outcomes]
    found = [result.outcomes[name] for name in places if name in result.outcomes]
    chances = np.array([chance.probability for chance in found])
    if not isinstance(result, Simulation):
        marker = MARKERS[at % len(MARKERS)]
        style |= {"markerfacecolor": "white", "markeredgewidth": 1.3}
        return ax.plot(where, chances, marker=marker, markersize=5.5, **style)[0]
    ends = bars(chances, [chance.interval for chance in found])
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
