"""Picture of an answer with somebody's dice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dicelab.keywords import keywords
from dicelab.plots.drawing.paper import COLOURS, MOST_BARS, MUTED, axes_for, bars, finished, plain
from dicelab.questions.betting.with_dice import MEAN, WithDice

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@keywords()
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
    >>> plot_with_dice(dicelab.with_dice("exact", "pass-line", "80,100,100,100,100,120")).get_title(loc="left")
    'pass-line: exact with 600 rolls of d6'
    """
    shown = {name: one for name, one in result.figures.items() if not name.startswith(MEAN)} or result.figures
    apart = {name: abs(one.value - (one.value if one.fair is None else one.fair)) for name, one in shown.items()}
    kept = sorted(shown, key=lambda name: apart[name])[-MOST_BARS:]
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
    return finished(ax, [result.words, f"exact; dicelab {result.version}"], x="value", entries=[yours, fair])
