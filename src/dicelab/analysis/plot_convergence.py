"""Picture of how an estimate settles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dicelab.analysis.convergence import Convergence
from dicelab.analysis.plot_paper import COLOURS, TEXT, axes_for, caption, counted, legend, plain
from dicelab.analysis.plot_words import mean_of, probability_of, what
from dicelab.analysis.results import Result
from dicelab.errors import ParameterError, unknown

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_convergence(curve: Convergence, exact: float | Result | None = None, ax: Axes | None = None) -> Axes:
    """Draw an estimate and its 95 % interval against the number of games.

    Parameters
    ----------
    curve
        Result of `dicelab.analysis.convergence.convergence`.
    exact
        The exact value, or the exact result that has it, for a line to compare with.
    ax
        Axes to draw on; those of a new figure when None.

    Raises
    ------
    ParameterError

    Examples
    --------
    >>> from dicelab.analysis.convergence import convergence
    >>> axes = plot_convergence(convergence("hazard", games=100, seed=1, of="win"), exact=244 / 495)
    >>> [text.get_text() for text in axes.get_legend().get_texts()]
    ['estimate', '95 % interval at each look', 'exact: 0.492929']
    """
    from matplotlib.ticker import FuncFormatter, NullFormatter

    if not curve.games:
        raise ParameterError(f"nothing to plot: no game of {curve.game} was played")
    label = probability_of(curve.of, curve.seats) if curve.kind == "outcome" else mean_of(curve.of)
    ax = axes_for(ax, f"{curve.game}: {label}")
    ax.plot(curve.games, curve.estimates, "o-", color=COLOURS[0], markersize=3, linewidth=1.2, label="estimate")
    ax.fill_between(
        curve.games,
        curve.lows,
        curve.highs,
        color=COLOURS[0],
        alpha=0.18,
        linewidth=0,
        label="95 % interval at each look",
    )
    if exact is not None:
        value = _value(exact, curve)
        ax.axhline(value, color=TEXT, linewidth=1, linestyle="dashed", label=f"exact: {value:,.6g}")
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: counted(x)))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.set_xlabel("games played")
    ax.set_ylabel(plain(label))
    legend(ax)
    stopped = ", stopped before the end" if curve.interrupted else ""
    how = f"simulated: the first games of {curve.games[-1]:,}, seed {curve.seed}{stopped}; dicelab {curve.version}"
    caption(ax, [what([curve]), how])
    return ax


def _value(exact: float | Result, curve: Convergence) -> float:
    """The exact value of what the curve estimates."""
    if not isinstance(exact, Result):
        return float(exact)
    if (exact.game, exact.parameters, exact.strategies) != (curve.game, curve.parameters, curve.strategies):
        raise ParameterError(f"the exact result is of another game than the estimate: {what([exact])}; {what([curve])}")
    if curve.kind == "outcome":
        return exact.outcomes[curve.of].probability
    if curve.of not in exact.tallies:
        raise unknown(f"tally of {exact.game}", curve.of, exact.tally_names)
    return exact.tallies[curve.of].mean
