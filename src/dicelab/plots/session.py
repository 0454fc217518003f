"""Picture of sessions: the distribution of the final money, for one or several strategies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dicelab.betting.session import Session
from dicelab.errors import ParameterError
from dicelab.plots.paper import COLOURS, MUTED, axes_for, caption, legend, plain
from dicelab.plots.words import how, labels, what
from dicelab.results.estimates import Average, Distribution

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STYLES = ("-", "--", ":")
"""Styles of lines, used in turn when all colours have been used."""
TAIL = 0.001
"""Share of the sessions with the most money that may lie outside the picture."""


def plot_sessions(sessions: Sequence[Session], ax: Axes | None = None) -> Axes:
    """Draw, for each amount of money, the share of sessions that end with at least that much; exact if known.

    Parameters
    ----------
    sessions
        Results of `dicelab.session` for one game, with different strategies or parameters.
    ax
        Axes to draw on; those of a new figure when None.

    Returns
    -------
    Axes
        One line per result, and a thin line at the initial bankroll if it is the same for all.

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
    if not sessions or not all(one.simulation.games for one in sessions):
        raise ParameterError("nothing to plot: give at least one session")
    results = [one.simulation for one in sessions]
    ax = axes_for(ax, f"{results[0].game}: money at the end")
    drawn, last = [], 0
    for at, (one, label) in enumerate(zip(sessions, _labels(sessions), strict=True)):
        money = one.amounts["bankroll"]
        values, shares = _at_least(money.exact if isinstance(money.exact, Distribution) else money.simulated)  # type: ignore[arg-type]
        last = max(last, int(values[shares > TAIL].max(initial=values[0])))
        style: dict[str, Any] = {
            "color": COLOURS[at % len(COLOURS)],
            "linestyle": STYLES[at // len(COLOURS) % len(STYLES)],
        }
        drawn += ax.step(values, shares, where="pre", label=plain(label), **style)
    begun = [int(result.parameters["bankroll"]) for result in results]
    if len(set(begun)) == 1:
        ax.axvline(begun[0], color=MUTED, linewidth=0.8, linestyle=":")
    ax.set_xlim(0, 1.03 * max(last, *begun))
    ax.set_ylim(0, 1.02)
    ax.set_xlabel("money at the end of a session")
    ax.set_ylabel("share of sessions with so much or more")
    if len(sessions) > 1:
        legend(ax, drawn)
    caption(ax, [*what(results), how(results, bars=False)])
    return ax


def _labels(sessions: Sequence[Session]) -> list[str]:
    """Labels that tell the sessions apart: for one strategy, only the arguments that differ."""
    written = [":".join(one.simulation.strategies).split(":") for one in sessions]
    if len({tuple(one.simulation.parameters.items()) for one in sessions}) > 1:
        return labels([one.simulation for one in sessions])
    if len({(words[0], len(words)) for words in written}) > 1:
        return [":".join(words) for words in written]
    differ = [k for k, column in enumerate(zip(*written, strict=True)) if len(set(column)) > 1]
    return [":".join(words[k] for k in differ) or words[0] for words in written]


def _at_least(found: Average | Distribution) -> tuple[np.ndarray, np.ndarray]:
    """The values, ascending, and for each the probability of at least that value."""
    chances = found.probabilities
    values = np.array(list(chances), np.int64)
    return values, np.cumsum(np.array(list(chances.values()))[::-1])[::-1]
