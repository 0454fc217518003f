"""Picture of a comparison of strategies: a heat map of every strategy against every other."""

from __future__ import annotations

from math import floor, log10, nan
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dicelab.errors import ParameterError
from dicelab.keywords import keywords
from dicelab.limits import LIMITS
from dicelab.plots.chart_style import COLOURS, LINE, MUTED, TEXT, axes_for, bars, caption, finished, plain
from dicelab.plots.labels import differing, left_out, what
from dicelab.questions.compare import Comparison
from dicelab.questions.rate import LOSS_GAMES, Rating
from dicelab.results.text.writing import many

if TYPE_CHECKING:
    from matplotlib.axes import Axes


MAP = "RdBu"
"""A colour map with a light middle: blue where the row does better, red where the column does."""
CELL = 0.62, 0.36
"""Width and height of a cell, in inches."""
LETTERS = 24
"""Maximum length of a strategy's name in a label; of longer ones, only the arguments that differ are shown."""
LETTER = 0.075
"""Width of a letter of a strategy's name, in inches."""
DARK = 0.65
"""Distance from the middle of the colour map, as a share of the largest, from which numbers are written in white."""


@keywords
def plot_comparison(result: Comparison, ax: Axes | None = None) -> Axes:
    """Draw every strategy (row) against every other (column), as a heat map with values.

    Parameters
    ----------
    result
        Result of `dicelab.compare`.
    ax
        Axes to draw on; those of a new figure, as large as the values need, when None.

    Returns
    -------
    Axes
        A cell is the row's seat-balanced chance to win against the column; in a game of one seat, what is compared for
        the row minus that for the column. White is the fair value: equal chances, or no difference.

    Raises
    ------
    ParameterError
        When no pair was completed.

    Examples
    --------
    >>> import dicelab
    >>> found = dicelab.compare("tossup", ["one_roll", "bank_over:5"], exact=True, target=10)
    >>> axes = plot_comparison(found)
    >>> [text.get_text() for text in axes.texts if text.get_gid() == "value"]
    ['0.303', '0.697']
    """
    if not result.pairs:
        raise ParameterError(f"nothing to plot: no pair of strategies of {result.game} was completed")
    balanced = result.on == "seat-balanced"
    seats = len(result.rows[0].strategies)
    fair = 1 / seats if balanced else 0.0
    names, values = _values(result, fair)
    new = ax is None
    ax = axes_for(
        ax,
        f"{result.game}: {'chance to win, all orders' if balanced else f'{result.on}, row minus column'}",
    )
    if new:
        _resize(ax, _called(names))
    largest = float(np.nanmax(np.abs(values - fair))) or 1.0
    ax.pcolormesh(np.ma.masked_invalid(values), cmap=MAP, edgecolors=LINE, linewidth=0.6,
                  vmin=fair - largest, vmax=fair + largest)  # fmt: skip
    for (row, column), value in np.ndenumerate(values):
        if row != column and np.isfinite(value):
            colour = "white" if abs(value - fair) > DARK * largest else TEXT
            ax.text(column + 0.5, row + 0.5, _said(value, balanced, largest), ha="center", va="center", fontsize=8,
                    color=colour, gid="value")  # fmt: skip
    at, called = np.arange(len(names)) + 0.5, [plain(name) for name in _called(names)]
    ax.set_xticks(at, called, rotation=30, ha="right", rotation_mode="anchor")
    ax.set_yticks(at, called)
    ax.invert_yaxis()
    ax.grid(visible=False)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.set_xlabel("against")
    ax.set_ylabel("strategy")
    whole: Any = ax.get_figure(root=True)
    whole.draw_without_rendering()  # lays out the axes, so that the caption is as wide as they are
    caption(ax, [*what(result.rows)[:1], *_notes(result, names, seats)])
    return ax


def _values(result: Comparison, fair: float) -> tuple[list[str], NDArray[np.float64]]:
    """Return the strategies that are drawn, and the value of each (row) against each (column); nan where unknown."""
    at = {name: i for i, name in enumerate(result.strategies)}
    values = np.full((len(at), len(at)), nan)
    np.fill_diagonal(values, fair)
    for pair in result.pairs:
        one, other = at[pair.first], at[pair.second]
        if fair:
            values[one, other], values[other, one] = (score.value for score in pair.scores)
        else:
            values[one, other], values[other, one] = pair.difference.value, -pair.difference.value
    if len(at) <= LIMITS.compared_strategies:
        return result.strategies, values
    best = sorted(np.argsort(-np.nanmean(values, axis=1), kind="stable")[: LIMITS.compared_strategies].tolist())
    return [result.strategies[i] for i in best], values[np.ix_(best, best)]


def _called(names: list[str]) -> list[str]:
    """Return the labels of the strategies: short ones if the names are long."""
    return differing(names) if max(map(len, names)) > LETTERS else names


def _said(value: float, balanced: bool, largest: float) -> str:
    """Return the text of a cell: differences have as many decimals as the `largest` one needs for three digits."""
    if balanced:
        return f"{value:.3f}"
    return f"{value:+,.{max(0, 2 - floor(log10(largest)))}f}".replace("-", "\N{MINUS SIGN}")


def _resize(ax: Axes, names: list[str]) -> None:
    """Make the figure as large as cells and names need."""
    whole: Any = ax.get_figure(root=True)
    letters = max(map(len, names))
    width = max(6.5, 1.2 + LETTER * letters + CELL[0] * len(names))
    whole.set_size_inches(width, 1.6 + LETTER * letters / 2 + CELL[1] * len(names))
    ax.tick_params(labelsize=8, labelcolor=TEXT, color=MUTED)


def _notes(result: Comparison, names: list[str], seats: int) -> list[str]:
    """Return lines of the caption: how it was computed, and what a cell is."""
    method = "exact" if result.exact else f"simulated: {result.games:,} games of each line-up, seed {result.seed}"
    lines = [f"{method}; dicelab {result.rows[0].version}"]
    if result.on == "seat-balanced":
        alone = "" if seats == 2 else ", alone among players with the column's strategy"
        lines.append(f"the row's chance to win{alone}, averaged over the places; white is the equal share, 1/{seats}")
    if _called(names) != names:
        lines.append(f"strategies: {', '.join(names)}")
    return lines + left_out(len(names), len(result.strategies), "strategies that are best on average")


# Picture of a rating of strategies: the score of each, with its interval ----------------------------------------------


@keywords
def plot_rating(rated: Rating, ax: Axes | None = None) -> Axes:
    """Draw the score of each strategy with its interval, the best one at the top; what it loses, if that was asked for.

    Parameters
    ----------
    rated
        Result of `dicelab.rate`.
    ax
        Axes to draw on; those of a new figure, as high as the strategies need, when None.

    Returns
    -------
    Axes
        The intervals are those of the table; those of scores hold at every look.

    Raises
    ------
    ParameterError
        When matplotlib is not installed.

    Examples
    --------
    >>> import dicelab
    >>> axes = plot_rating(dicelab.rate("tossup", ["one_roll", "bank_over:5"], target=8, seed=1))
    >>> [label.get_text() for label in axes.get_yticklabels()]
    ['bank_over:5', 'one_roll']
    """
    ax = axes_for(ax, f"{rated.game}: rating of strategies", rows=len(rated.rows))
    losses = [row.loss for row in rated.rows if row.loss is not None]
    points = losses or [row.score for row in rated.rows]
    at, scores = np.arange(len(points)), np.array([point.value for point in points])
    width = bars(scores, [(point.low, point.high) for point in points])
    ax.errorbar(scores, at, xerr=width, fmt="o", color=COLOURS[0], capsize=3)
    ax.set_yticks(at, [plain(row.strategy) for row in rated.rows])
    ax.invert_yaxis()
    said = "chance to win against the others, all seats" if rated.on == "seat-balanced" else rated.on.replace("_", " ")
    if losses:
        said = "loses against optimal play, by the exact values of its choices"
    games = f"{LOSS_GAMES} games of each strategy" if losses else f"{many(rated.games, 'game')} of each line-up"
    notes = [*what([rated])[:1], f"{games}, seed {rated.seed}; dicelab {rated.version}"]
    notes += ["bars: 95 % intervals" if losses else "bars: 95 % intervals, which hold at every look"]
    return finished(ax, notes, x=said)
