"""Picture of a sweep as a fan: percentiles of a tally against the swept values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dicelab.errors import ParameterError
from dicelab.keywords import keywords
from dicelab.plots.drawing.paper import COLOURS, MUTED, axes_for, finished
from dicelab.plots.drawing.words import how, some, what
from dicelab.plots.sweeps.swept import Swept
from dicelab.questions.sweeps.points import OverValues

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BANDS = ((0.05, 0.95, 0.2), (0.25, 0.75, 0.35))
"""The percentiles between which an area is filled, and how dark it is."""


@keywords()
def plot_fan(
    sweep: OverValues, of: str, ax: Axes | None = None, *, start: int = 0, paths: Sequence[Sequence[float]] = ()
) -> Axes:
    """Draw how a tally spreads over the swept values: its median, and the middle 50 and 90 % of the games.

    A sweep over the length of a session shows where the money is after 5, 10, 15 rounds.

    Parameters
    ----------
    sweep
        Result of a sweep over one name, whose values are numbers.
    of
        The tally.
    ax
        Axes to draw on; those of a new figure when None.
    start
        Added to all values, such as the bankroll to the money won; drawn as a thin line.
    paths
        Single games, drawn as thin lines: for each, its value of the tally at each of the swept values.

    Raises
    ------
    UnknownNameError
        When the game has no such tally.
    ParameterError
        When two names were varied, their values are names, a distribution is not known, or a path has another
        length than the sweep.

    Examples
    --------
    >>> from dicelab.questions.sweeps.sweep import sweep
    >>> rounds = {"until_rounds": range(1, 4)}
    >>> axes = plot_fan(sweep("craps", over=rounds, games=200, seed=1), "money", start=300)
    >>> axes.get_xlabel(), axes.get_ylabel()
    ('until_rounds', 'money')
    """
    results = [row.result for row in sweep.rows]
    some(results)
    first = Swept.over(sweep, sweep.over[0])
    if len(sweep.over) > 1 or first.words:
        raise ParameterError("a fan is drawn over one name whose values are numbers")
    tallies = [result.tallies[of] for result in results]
    values = [row.values[first.name] for row in sweep.rows]

    if any(len(path) != len(values) for path in paths):
        raise ParameterError(f"paths: each path needs {len(values)} values, one for each row of the sweep")

    def line(share: float) -> list[int]:
        found = [tally.percentile(share) for tally in tallies]
        if None in found:
            raise ParameterError(f"{of}: its distribution is not known, so there is no fan of it")
        return [start + value for value in found if value is not None]

    ax = axes_for(ax, f"{sweep.game}: {of}")
    bands = []
    for low, high, dark in BANDS:
        style: dict[str, Any] = {"color": COLOURS[0], "alpha": dark, "linewidth": 0}
        label = f"middle {100 * (high - low):.0f} %"
        bands.append(ax.fill_between(values, line(low), line(high), label=label, **style))
    single: list[Any] = []
    for path in paths:
        style = {"color": COLOURS[1], "alpha": 0.75, "linewidth": 0.8, "label": "single games"}
        single = ax.plot(values, [start + value for value in path], **style)
    middle = ax.plot(values, line(0.5), color=COLOURS[0], label="median")
    ax.axhline(start, color=MUTED, linewidth=0.8, linestyle=":")
    first.ticks(ax.xaxis)
    notes = [*what(results), how(results, bars=False)]
    return finished(ax, notes, x=first.name, y=of, entries=[*middle, *reversed(bands), *single])
