"""Picture of sessions: the distribution of the final money, for one or several strategies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dicelab.errors import ParameterError
from dicelab.keywords import keywords
from dicelab.plots.drawing.paper import COLOURS, MUTED, axes_for, counted, finished, plain
from dicelab.plots.drawing.words import differing, how, labels, what
from dicelab.questions.betting.session import Session
from dicelab.results.numbers.estimates import Average, Distribution

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STYLES = ("-", "--", ":")
"""Styles of lines, used in turn when all colours have been used."""
MOST_DOTS = 40
"""Maximum number of points of simulated shares that are drawn beside exact ones."""
TAIL = 0.001
"""Share of the sessions with the most money that may lie outside the picture."""


@keywords()
def plot_sessions(sessions: Sequence[Session], ax: Axes | None = None) -> Axes:
    """Draw, for each amount of money, the share of sessions that end with at least that much.

    Parameters
    ----------
    sessions
        Results of `dicelab.session` for one game, with different strategies or parameters.
    ax
        Axes to draw on; those of a new figure when None.

    Returns
    -------
    Axes
        One line per result, exact if known, with points for the simulated shares beside it; and a thin line at the
        initial bankroll if it is the same for all.

    Raises
    ------
    ParameterError
        When there are no sessions to draw.

    Examples
    --------
    >>> import dicelab
    >>> axes = plot_sessions([dicelab.session("craps", until_rounds=10, games=500, seed=1, exact=False)])
    >>> axes.get_xlabel()
    'money at the end of a session'
    """
    from matplotlib.ticker import FuncFormatter

    if not sessions or not all(one.simulation.games for one in sessions):
        raise ParameterError("nothing to plot: give at least one session")
    results = [one.simulation for one in sessions]
    ax = axes_for(ax, f"{results[0].game}: money at the end")
    drawn: list[Any] = []
    for at, (one, label) in enumerate(zip(sessions, _labels(sessions), strict=True)):
        colour, line = COLOURS[at % len(COLOURS)], STYLES[at // len(COLOURS) % len(STYLES)]
        money = one.tallies["bankroll"]
        values, shares = _at_least(money.exact if isinstance(money.exact, Distribution) else money.simulated)  # type: ignore[arg-type]
        drawn += ax.step(values, shares, where="pre", label=plain(label), color=colour, linestyle=line)
        if isinstance(money.exact, Distribution):
            _dots(ax, money.simulated, colour)  # type: ignore[arg-type]
    begun = {int(result.parameters["bankroll"]) for result in results}
    if len(begun) == 1:
        ax.axvline(*begun, color=MUTED, linewidth=0.8, linestyle=":")
    ax.set_xlim(0, 1.03 * max(*begun, *(_last(line) for line in drawn)))
    ax.set_ylim(0, 1.02)
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: counted(x)))
    exact = [one.exact for one in sessions if one.exact is not None]
    notes = [*what(results), how([*exact, *results], bars=False)]
    labels = "money at the end of a session", "share of sessions with at least this much"
    return finished(ax, notes, *labels, _entries(ax, drawn, beside=bool(exact)))


def _last(line: Any) -> int:
    """The largest amount, without those that less than `TAIL` of the sessions reach."""
    values, shares = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
    return int(values[shares > TAIL].max(initial=values[0]))


def _dots(ax: Axes, money: Average, colour: str) -> None:
    """Draw simulated shares beside exact ones, as points at no more than `MOST_DOTS` amounts."""
    values, shares = _at_least(money)
    some = slice(None, None, -(-len(values) // MOST_DOTS))
    ax.plot(values[some], shares[some], "o", color=colour, markersize=3, markerfacecolor="white", markeredgewidth=0.8)


def _entries(ax: Axes, drawn: list[Any], beside: bool) -> list[Any]:
    """The entries of the legend: several lines, and simulated points beside exact lines."""
    entries = drawn if len(drawn) > 1 else []
    if beside:
        style: dict[str, Any] = {"color": MUTED, "markersize": 3, "markerfacecolor": "white", "markeredgewidth": 0.8}
        lines = ax.plot([], [], color=MUTED, label="exact")
        entries = [*entries, *lines, *ax.plot([], [], "o", label="simulated", **style)]
    return entries


def _labels(sessions: Sequence[Session]) -> list[str]:
    """Labels that tell the sessions apart: for one strategy, only the arguments that differ."""
    if len({tuple(one.simulation.parameters.items()) for one in sessions}) > 1:
        return labels([one.exact or one.simulation for one in sessions])
    return differing([":".join(one.simulation.strategies) for one in sessions])


def _at_least(found: Average | Distribution) -> tuple[np.ndarray, np.ndarray]:
    """The values, ascending, and for each the probability of at least that value."""
    chances = found.probabilities
    values = np.array(list(chances), np.int64)
    return values, np.cumsum(np.array(list(chances.values()))[::-1])[::-1]
