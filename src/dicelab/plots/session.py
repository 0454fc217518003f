"""Picture of sessions: what they leave in the purse, for one betting system or several."""

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
"""Of lines, where there are more of them than colours."""
TAIL = 0.001
"""Share of the sessions that may end with more than is drawn."""


def plot_sessions(sessions: Sequence[Session], ax: Axes | None = None) -> Axes:
    """Draw the share of sessions that end with so much money or more, exactly where that is known.

    Parameters
    ----------
    sessions
        Of `dicelab.session`: of one game, with different strategies or parameters.
    ax
        Axes to draw on; those of a new figure when None.

    Returns
    -------
    Axes
        One line for each, and a thin one at the bankroll that all began with, where it is the same.

    Raises
    ------
    ParameterError
        When there is nothing to draw.

    Examples
    --------
    >>> import dicelab
    >>> axes = plot_sessions([dicelab.session("craps", until_rounds=10, games=500, seed=1, exact=False)])
    >>> axes.get_xlabel()
    'money at the end of a session'
    """
    if not sessions or not all(one.simulation.games for one in sessions):
        raise ParameterError("there is no session to draw")
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
    """What tells the sessions apart: of arguments of one strategy only those that differ."""
    written = [":".join(one.simulation.strategies).split(":") for one in sessions]
    if len({tuple(one.simulation.parameters.items()) for one in sessions}) > 1:
        return labels([one.simulation for one in sessions])
    if len({(words[0], len(words)) for words in written}) > 1:
        return [":".join(words) for words in written]
    differ = [k for k, column in enumerate(zip(*written, strict=True)) if len(set(column)) > 1]
    return [":".join(words[k] for k in differ) or words[0] for words in written]


def _at_least(found: Average | Distribution) -> tuple[np.ndarray, np.ndarray]:
    """Values, rising, and the probability of each or more."""
    chances = found.probabilities
    values = np.array(list(chances), np.int64)
    return values, np.cumsum(np.array(list(chances.values()))[::-1])[::-1]
