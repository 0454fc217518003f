"""Picture of the convergence of an estimate."""

from __future__ import annotations

from math import isfinite, nan
from typing import TYPE_CHECKING, Any

from dicelab.errors import ParameterError
from dicelab.keywords import keywords
from dicelab.plots.chart_style import COLOURS, TEXT, axes_for, equal_share, finished, games_played, starts
from dicelab.plots.labels import mean_of, what
from dicelab.questions.convergence import Convergence
from dicelab.results.result import Exact
from dicelab.results.text.writing import probability_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@keywords
def plot_convergence(
    curve: Convergence, exact: float | Exact | None = None, ax: Axes | None = None, *, players: int | None = None
) -> Axes:
    """Draw an estimate against the number of games, with its 95 % interval once both ends are finite.

    Parameters
    ----------
    curve
        Result of `dicelab.questions.convergence.convergence`.
    exact
        The exact value, or the exact result that contains it, drawn as a line.
    ax
        Axes to draw on; those of a new figure when None.
    players
        Number of seats, to draw the equal share of a seat; taken from an exact result if None.

    Raises
    ------
    ParameterError
        When no game was played, or the exact result is about another game.

    Examples
    --------
    >>> from dicelab.questions.convergence import convergence
    >>> axes = plot_convergence(convergence("hazard", games=100, seed=1, of="win"), exact=244 / 495)
    >>> [text.get_text() for text in axes.get_legend().get_texts()]
    ['estimate', '95 % interval at each look', 'exact: 0.492929']
    """
    label = probability_of(curve.of, curve.seats) if curve.kind == "outcome" else mean_of(curve.of)
    ax = axes_for(ax, f"{curve.game}: {label}", drawn=curve.games, lacking=f"no game of {curve.game} was played")
    drawn: list[Any] = ax.plot(
        curve.games, curve.estimates, "o-", color=COLOURS[0], markersize=3, linewidth=1.2, label="estimate"
    )
    band: dict[str, Any] = {"color": COLOURS[0], "alpha": 0.18, "linewidth": 0}
    lows, highs = ([end if isfinite(end) else nan for end in ends] for ends in (curve.lows, curve.highs))
    drawn.append(ax.fill_between(curve.games, lows, highs, label="95 % interval at each look", **band))
    if exact is not None:
        value = _value(exact, curve)
        drawn.append(ax.axhline(value, color=TEXT, linewidth=1, linestyle="dashed", label=f"exact: {value:,.6g}"))
    if players is None and isinstance(exact, Exact):
        players = len(exact.outcomes)
    if curve.kind == "outcome" and curve.seats and players:
        drawn.append(equal_share(ax, players, linestyle="dotted", linewidth=1.2))
    games_played(ax, (1.0,) if curve.games[-1] >= 100 * curve.games[0] else (1.0, 2.0, 5.0))
    stopped = ", stopped before the end" if curve.interrupted else ""
    first, last = curve.games[0], curve.games[-1]
    how = f"simulated: the first {first:,} .. {last:,} games, seed {curve.seed}{stopped}"
    notes = [*what([curve]), f"{how}; dicelab {curve.version}", *starts(ax)]
    return finished(ax, notes, y=label, entries=drawn)


def _value(exact: float | Exact, curve: Convergence) -> float:
    """Return the exact value of the quantity that the curve estimates."""
    if not isinstance(exact, Exact):
        return float(exact)
    if (exact.game, exact.parameters, exact.strategies) != (curve.game, curve.parameters, curve.strategies):
        raise ParameterError(
            "the exact result is of another game than the estimate: "
            f"{'; '.join(what([exact]))}, not {'; '.join(what([curve]))}"
        )
    return exact.point(curve.of).value
