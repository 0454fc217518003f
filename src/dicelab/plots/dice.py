"""Picture of the distribution of a dice expression."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dicelab.chains.solution.distribution import Spread
from dicelab.keywords import keywords
from dicelab.notation.dice import Dice
from dicelab.plots.drawing.paper import COLOURS, MOST_BARS, MUTED, axes_for, finished
from dicelab.plots.tally import Grid
from dicelab.results.numbers.estimates import Distribution

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@keywords()
def plot_dice(result: Dice, ax: Axes | None = None) -> Axes:
    """Draw the distribution of a dice expression as bars, or as a line if there are many values.

    Parameters
    ----------
    result
        A result of `dicelab.dice`. Where it has a threshold, values of at least that have another colour.
    ax
        Axes to draw on; those of a new figure when None.

    Returns
    -------
    Axes
        The horizontal axis leaves out 0.05 % of the probability at each end; values are grouped if there are too many.

    Raises
    ------
    ParameterError
        When matplotlib is not installed.

    Examples
    --------
    >>> import dicelab
    >>> plot_dice(dicelab.dice("4d6 keep highest 3")).get_title(loc="left")
    '4d6 keep highest 3'
    """
    chances = np.array([[float(p)] for p in result.probabilities.values()])
    spread = Spread(np.array(list(result.probabilities)), chances, 0.0)
    grid = Grid.over([Distribution(float(result.mean), result.sd, None, 0.0, spread)])
    ax = axes_for(ax, result.expression)
    heights = grid.grouped(dict(zip(result.probabilities, chances[:, 0].tolist(), strict=True)))
    enough = np.array(grid.starts) >= (result.threshold if result.threshold is not None else grid.low)
    if grid.count <= MOST_BARS:
        bars = ax.bar(grid.centers, heights, 0.84 * grid.step, color=[COLOURS[0] if e else MUTED for e in enough])
        entries = [bars[int(np.argmax(enough))]] if enough.any() else []
    else:
        ax.stairs(heights, grid.edges, color=MUTED, linewidth=1.2)
        entries = [ax.stairs(np.where(enough, heights, 0), grid.edges, color=COLOURS[0], fill=True, alpha=0.6)]
    if result.threshold is not None and entries:
        entries[0].set_label(f"at least {result.threshold:,}: {float(result.at_least(result.threshold)):.6f}")
    else:
        entries = []
    mean = f"mean {float(result.mean):,.4f}".replace("-", "\N{MINUS SIGN}")
    entries.append(ax.axvline(float(result.mean), color=MUTED, linewidth=0.9, label=mean))
    grid.mark(ax)
    contest = ", ".join(f"{name} {float(p):.6f}" for name, p in result.versus.items())
    depth = f"; dice stop after {result.depth} explosions" if result.cut_off else ""
    notes = [*([contest] if contest else []), f"exact{depth}; dicelab {result.version}"]
    return finished(ax, notes, x="first minus second" if result.versus else "value", entries=entries)
