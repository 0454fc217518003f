"""Pictures of the distributions of dice expressions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dicelab.errors import ParameterError, unknown
from dicelab.keywords import keywords
from dicelab.limits import LIMITS
from dicelab.plots.chart_style import (
    COLOURS,
    MUTED,
    axes_for,
    bars,
    finished,
    legend_above,
    plain,
    whole_numbers,
)
from dicelab.plots.tally import Bins
from dicelab.questions.betting.with_dice import MEAN, WithDice
from dicelab.questions.notation.expression import Dice
from dicelab.questions.notation.several import DiceCompared
from dicelab.questions.rolled.fair import Fair
from dicelab.results.numbers.estimates import Distribution
from dicelab.runtime.arrays import Floats
from dicelab.solver.solution.distribution import Spread
from dicelab.version import __version__

if TYPE_CHECKING:
    from matplotlib.axes import Axes


SHOWN = {"exactly": "probability", "at-least": "probability of at least this", "at-most": "probability of at most this"}
"""What a picture may show of each value, and the label of its axis."""
STYLES = "-", "--", ":", "-."
"""Styles of the lines of several expressions, so that they differ not only in colour."""


@keywords
def plot_dice(*results: Dice | DiceCompared, of: str = "exactly", ax: Axes | None = None) -> Axes:
    """Draw the distribution of dice expressions: of one as bars, or as a line if there are many values.

    Parameters
    ----------
    *results
        Results of `dicelab.dice`, drawn over each other. Where a single one has a threshold, values of at least that
        have another colour.
    of
        ``exactly``, ``at-least`` or ``at-most``: the probability of each value, of it or a larger one, of it or a
        smaller one.
    ax
        Axes to draw on; those of a new figure when None.

    Returns
    -------
    Axes
        The horizontal axis leaves out 0.05 % of the probability at each end; values are grouped if there are too many.

    Raises
    ------
    ParameterError
        When matplotlib is not installed, or there is no result.
    UnknownNameError
        When `of` is something else.

    Examples
    --------
    >>> import dicelab
    >>> plot_dice(dicelab.dice("4d6 keep highest 3")).get_title(loc="left")
    '4d6 keep highest 3'
    """
    if not results:
        raise ParameterError("there is no result to draw")
    if of not in SHOWN:
        raise unknown("picture of dice", of, SHOWN)
    several = (given.results if isinstance(given, DiceCompared) else (given,) for given in results)
    return _drawn([one for part in several for one in part], of, ax)


def _drawn(results: Sequence[Dice], of: str, ax: Axes | None) -> Axes:
    """Return the drawing of single results."""
    grid = Bins.over([_spread(result) for result in results])
    ax = axes_for(ax, " · ".join(result.expression for result in results) if len(results) < 4 else "dice")
    if of != "exactly":
        entries = [_cumulated(ax, result, of, at) for at, result in enumerate(results)]
        ax.set_ylim(0, 1.02)
    elif len(results) > 1:
        entries = [_line(ax, result, grid, at) for at, result in enumerate(results)]
        ax.set_ylim(bottom=0)
    else:
        entries = _alone(ax, results[0], grid)
    grid.mark(ax)
    if of != "exactly":
        ax.set_ylabel(SHOWN[of])
    depths = {f"; dice stop after {result.depth} explosions" for result in results if result.cut_off}
    contests = (", ".join(f"{name} {float(p):.6f}" for name, p in result.versus.items()) for result in results)
    notes = [*filter(None, contests), f"exact{''.join(depths)}; dicelab {results[0].version}"]
    return finished(ax, notes, x="first minus second" if results[0].versus else "value", entries=entries)


def _spread(result: Dice) -> Distribution:
    chances = np.array([[float(p)] for p in result.probabilities.values()])
    spread = Spread(np.array(list(result.probabilities)), chances, 0.0)
    return Distribution(float(result.mean), result.sd, None, 0.0, spread)


def _shares(result: Dice) -> dict[int, float]:
    return {value: float(p) for value, p in result.probabilities.items()}


def _alone(ax: Axes, result: Dice, grid: Bins) -> list[Any]:
    """Return one expression: bars or an area, with its mean, and the values that were asked about in colour."""
    heights, starts = grid.grouped(_shares(result)), np.array(grid.starts)
    enough = np.full(grid.count, True)
    if result.threshold is not None:
        enough &= starts >= result.threshold
    if result.ceiling is not None:
        enough &= starts <= result.ceiling
    if grid.count <= LIMITS.bars:
        bars = ax.bar(grid.centers, heights, 0.84 * grid.step, color=[COLOURS[0] if e else MUTED for e in enough])
        entries = [bars[int(np.argmax(enough))]] if enough.any() else []
    else:
        ax.stairs(heights, grid.edges, color=MUTED, linewidth=1.2)
        entries = [ax.stairs(np.where(enough, heights, 0), grid.edges, color=COLOURS[0], fill=True, alpha=0.6)]
    words = [
        f"{name.replace('_', ' ')} {means.split()[3]}: {float(p):.6f}" for name, (means, p) in result.events.items()
    ]
    if words and entries:
        entries[0].set_label("\n".join(words))
    else:
        entries = []
    mean = f"mean {float(result.mean):,.4f}".replace("-", "\N{MINUS SIGN}")
    return [*entries, ax.axvline(float(result.mean), color=MUTED, linewidth=0.9, label=mean)]


def _label(result: Dice) -> str:
    return plain(f"{result.expression}\nmean {float(result.mean):,.4g}".replace("-", "\N{MINUS SIGN}"))


def _line(ax: Axes, result: Dice, grid: Bins, at: int) -> Any:
    """Return one of several expressions: its values as points on a line, or groups of values as steps."""
    heights, style = grid.grouped(_shares(result)), _style(at)
    if grid.width > 1:
        return ax.stairs(heights, grid.edges, linewidth=1.2, label=_label(result), **style)
    marker = "o" if grid.count <= LIMITS.bars else ""
    return ax.plot(grid.centers, heights, marker=marker, markersize=3, linewidth=1.2, label=_label(result), **style)[0]


def _cumulated(ax: Axes, result: Dice, of: str, at: int) -> Any:
    """Return the probability of at least, or at most, each value: a step at every value."""
    values, chances = np.array(list(result.probabilities), float), np.array(list(_shares(result).values()))
    reached: Floats = np.cumsum(chances) if of == "at-most" else np.cumsum(chances[::-1])[::-1]
    drawn = "steps-post" if of == "at-most" else "steps-pre"
    [line] = ax.plot(values, reached, drawstyle=drawn, linewidth=1.2, label=_label(result), **_style(at))
    if len(values) <= LIMITS.bars:
        ax.plot(values, reached, "o", markersize=3.5, color=line.get_color())
    limit = result.ceiling if of == "at-most" else result.threshold
    if limit is not None:
        p = float(result.at_most(limit) if of == "at-most" else result.at_least(limit))
        line.set_label(f"{_label(result)}, {of.replace('-', ' ')} {limit:,}: {p:.4f}")
    return line


def _style(at: int) -> dict[str, Any]:
    return {"color": COLOURS[at % len(COLOURS)], "linestyle": STYLES[at // len(COLOURS) % len(STYLES)]}


# Charts of somebody's dice: their estimated faces, and an answer with these dice --------------------------------------


@keywords
def plot_fair(result: Fair, ax: Axes | None = None) -> Axes:
    """Draw how often each face came up, with 95 % intervals, and how often it would with fair dice.

    Parameters
    ----------
    result
        A result of `dicelab.fair`.
    ax
        Axes to draw on; those of a new figure when None.

    Returns
    -------
    Axes
        Of more than 60 values, those furthest from fair.

    Raises
    ------
    ParameterError
        When matplotlib is not installed.

    Examples
    --------
    >>> import dicelab
    >>> plot_fair(dicelab.fair("16,18,21,15,14,16")).get_xlabel()
    'value'
    """
    rows = result.estimates()
    rows = sorted(rows, key=lambda row: abs(row["share"] - row["fair"]) / row["fair"] ** 0.5)[-LIMITS.bars :]
    rows.sort(key=lambda row: int(row["value"]))
    ax = axes_for(ax, result.about)
    values, shares = np.array([row["value"] for row in rows]), np.array([row["share"] for row in rows])
    drawn = ax.bar(values, [row["fair"] for row in rows], 0.84, color="#e3e3e3", edgecolor=MUTED, linewidth=0.8)
    drawn.set_label("fair")
    spans = bars(shares, [(row["low"], row["high"]) for row in rows])
    points = ax.errorbar(values, shares, yerr=spans, fmt="o", color=COLOURS[0], markersize=4, elinewidth=1.2)
    points.set_label("rolled, with 95 % intervals")
    whole_numbers(ax.xaxis, range(int(values[0]), int(values[-1]) + 1))
    ax.set_ylabel("share of the rolls")
    ax.set_ylim(0, 1.3 * float(max(ax.dataLim.y1, shares.max())))
    notes = [f"{result.words} Joint p-value {result.p:.2g}.", f"{result.power} dicelab {__version__}"]
    return finished(ax, notes, x="value", entries=[drawn, points])


# Picture of an answer with somebody's dice ----------------------------------------------------------------------------


@keywords
def plot_with_dice(result: WithDice, ax: Axes | None = None) -> Axes:
    """Draw figures for somebody's dice with 95 % intervals, and those for fair dice beside them.

    Parameters
    ----------
    result
        A result of `dicelab.with_dice`.
    ax
        Axes to draw on; those of a new figure when None.

    Returns
    -------
    Axes
        Probabilities and edges; means where there are no others. Of more than 60, those furthest from fair dice.

    Raises
    ------
    ParameterError
        When matplotlib is not installed.

    Examples
    --------
    >>> import dicelab
    >>> plot_with_dice(dicelab.with_dice("pass-line", "80,100,100,100,100,120", question="exact")).get_title(loc="left")
    'pass-line: exact with 600 rolls of d6'
    """
    shown = {name: one for name, one in result.figures.items() if not name.startswith(MEAN)} or result.figures
    apart = {name: abs(one.value - (one.value if one.fair is None else one.fair)) for name, one in shown.items()}
    kept = sorted(shown, key=lambda name: apart[name])[-LIMITS.bars :]
    names = [name for name in shown if name in kept][::-1]
    rows, places = [shown[name] for name in names], np.arange(len(names))
    title = f"{result.game}: {result.question} with {result.rolls.number:,} rolls of {result.rolls.die}"
    ax = axes_for(ax, title, len(names))
    values = np.array([row.value for row in rows])
    spans = bars(values, [(row.low, row.high) for row in rows])
    yours = ax.errorbar(values, places, xerr=spans, fmt="o", color=COLOURS[0], markersize=4, elinewidth=1.2)
    yours.set_label("your dice, with 95 % intervals")
    known = [(row.fair, place) for row, place in zip(rows, places, strict=True) if row.fair is not None]
    [fair] = ax.plot(*zip(*known, strict=True), "D", color=MUTED, markersize=5, fillstyle="none", label="fair dice")
    ax.set_yticks(places, [plain(name) for name in names])
    ax.set_ylim(-0.6, len(names) - 0.4)
    legend_above(ax, [yours, fair])
    return finished(ax, [result.words, f"exact; dicelab {result.version}"], x="value")
