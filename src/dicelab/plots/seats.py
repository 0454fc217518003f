"""Picture of how likely each outcome is: who wins, and how far from equal the seats are."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dicelab.errors import ParameterError
from dicelab.plots.paper import COLOURS, MARKERS, MUTED, axes_for, caption, legend, plain
from dicelab.plots.words import games_of, how, labels, some, what
from dicelab.results.result import Result, Simulation

if TYPE_CHECKING:
    from matplotlib.axes import Axes

APART = 0.5
"""Share of the room of an outcome over which several results are spread, at the most."""
LETTERS = 90
"""Letters that fit into a line of the legend."""
MOST_NAMES = 20
"""Outcomes that are all named on the axis; of more, every fifth seat."""
MOST_LETTERS, MOST_WRAPPED = 60, 8
"""Letters of names that stand beside each other; longer ones are wrapped, and many of them written slanting."""


def plot_seats(*results: Result, ax: Axes | None = None) -> Axes:
    """Draw the probability of each outcome, simulated ones with their 95 % intervals, beside equal shares of the seats.

    Parameters
    ----------
    *results
        Of `dicelab.simulate` and `dicelab.exact`, drawn beside each other.
    ax
        Axes to draw on; those of a new figure when None.

    Returns
    -------
    Axes
        The vertical one does not begin at 0: what counts is the distance from equal shares, and the intervals.

    Raises
    ------
    ParameterError

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
    ax = axes_for(ax, f"{games_of(results)}: {'who wins' if seats else 'how games end'}")
    places = {name: at for at, name in enumerate(dict.fromkeys(name for r in results for name in r.outcomes))}
    apart, drawn = min(APART, 0.08 * len(places)), []
    for at, (result, label) in enumerate(zip(results, labels(results), strict=True)):
        shift = apart * (at + 0.5 - len(results) / 2) / len(results)
        drawn.append(_draw(ax, result, [places[name] + shift for name in result.outcomes], at, label))
    for many in dict.fromkeys(len(result.outcomes) for result in results if result.seats):
        ends, label = (-0.5, many - 0.5), f"equal shares: 1/{many}"
        drawn += ax.plot(ends, [1 / many] * 2, color=MUTED, linestyle="dashed", linewidth=1, label=label, zorder=1)
    _name(ax, list(places), seats)
    _explain(ax, drawn)
    caption(ax, [*what(results), how(results)])
    return ax


def _draw(ax: Axes, result: Result, where: Sequence[float], at: int, label: str) -> Any:
    """One result: points with intervals where it was estimated, open points where it is exact."""
    style: dict[str, Any] = {"color": COLOURS[at % len(COLOURS)], "label": plain(label), "linestyle": "none"}
    chances = np.array([chance.probability for chance in result.outcomes.values()])
    if not isinstance(result, Simulation):
        marker = MARKERS[at % len(MARKERS)]
        style |= {"markerfacecolor": "white", "markeredgewidth": 1.3}
        return ax.plot(where, chances, marker=marker, markersize=5.5, **style)[0]
    ends = np.array([chance.interval for chance in result.outcomes.values()])
    bars = np.maximum(0, [chances - ends[:, 0], ends[:, 1] - chances])
    return ax.errorbar(
        where, chances, yerr=bars, marker=MARKERS[at % len(MARKERS)], markersize=4, elinewidth=1.2, **style
    )


def _explain(ax: Axes, drawn: Sequence[Any]) -> None:
    """The legend, above what is drawn."""
    lines = [line for one in drawn for line in one.get_label().splitlines()]
    columns = max(1, min(len(drawn), LETTERS // (8 + max(map(len, lines)))))
    rows = [drawn[at : at + columns] for at in range(0, len(drawn), columns)]
    high = sum(max(one.get_label().count("\n") + 1 for one in row) for row in rows)
    bottom, top = ax.get_ylim()
    ax.set_ylim(bottom, top + (0.05 + 0.085 * high) * (top - bottom))
    legend(ax, drawn, where="upper center", columns=columns)


def _name(ax: Axes, names: Sequence[str], seats: bool) -> None:
    """The horizontal axis: the outcomes by name, of many seats every fifth."""
    every = 1 if not seats or len(names) <= MOST_NAMES else 5
    at, shown = range(0, len(names), every), [plain(name) for name in names[::every]]
    if seats or len("".join(names)) <= MOST_LETTERS:
        ax.set_xticks(at, shown)
    elif len(names) <= MOST_WRAPPED:
        ax.set_xticks(at, [textwrap.fill(name, 80 // len(names), max_lines=4, placeholder=" ...") for name in shown])
    else:
        ax.set_xticks(at, [textwrap.shorten(name, 24, placeholder=" ...") for name in shown], rotation=30, ha="right")
    ax.set_xlim(-0.5 - 0.02 * len(names), len(names) - 0.5 + 0.02 * len(names))
    ax.grid(visible=False, axis="x")
    ax.set_xlabel("seat" if seats else "outcome")
    ax.set_ylabel("probability to win" if seats else "probability")
