"""Picture of the risk of ruin against the bankroll, or against another value that was searched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dicelab.errors import ParameterError
from dicelab.keywords import keywords
from dicelab.plots.drawing.paper import (
    COLOURS,
    MUTED,
    TEXT,
    axes_for,
    bars,
    counted,
    finished,
    plain,
    whole_numbers,
)
from dicelab.questions.betting.ruin import Bound, Look
from dicelab.results.numbers.intervals import clopper_pearson
from dicelab.results.text.page import Page

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FAR = 20
"""The axis is logarithmic if the largest value is more than so many times the smallest."""


@keywords()
def plot_ruin(found: Bound, looks: Sequence[Look] = (), ax: Axes | None = None) -> Axes:
    """Draw the risk of ruin at the values that a search evaluated, and the bound that was asked for.

    Parameters
    ----------
    found
        Result of `dicelab.for_ruin`.
    looks
        Further values that were evaluated, such as those of the simulated search.
    ax
        Axes to draw on; those of a new figure when None.

    Returns
    -------
    Axes
        Exact risks are squares, simulated ones points with 95 % intervals, joined by a line. Dashed lines are at the
        largest allowed risk and at the value that was found. The horizontal axis is logarithmic if the values are far
        apart.

    Raises
    ------
    ParameterError
        When no value was evaluated.

    Examples
    --------
    >>> asked = {"game": "craps", "parameters": {"bankroll": 300}, "differing": (), "ruin": 0.05}
    >>> asked |= {"strategies": ["line"], "arguments": [{}]}
    >>> looks = Look(60, 0.0711), Look(70, 0.0235)
    >>> axes = plot_ruin(Bound(**asked, find="bankroll", value=70, looks=looks, source_hash="", seconds=0.0))
    >>> axes.get_xlabel(), axes.get_ylabel()
    ('bankroll', 'risk of ruin')
    """
    every = {(look.value, look.games): look for look in [*looks, *found.looks]}
    exact = sorted((look for look in every.values() if not look.games), key=lambda look: look.value)
    played = sorted((look for look in every.values() if look.games), key=lambda look: look.value)
    if not every:
        raise ParameterError(f"nothing to plot: no {found.find} was evaluated")
    ax = axes_for(ax, f"{found.game}: risk of ruin by {found.find}")
    handles: list[Any] = []
    if played:
        handles.append(_draw_played(ax, played))
    if exact:
        style: dict[str, Any] = {"color": COLOURS[1], "marker": "s", "markerfacecolor": "white", "markersize": 5}
        places, risks = [look.value for look in exact], [look.ruin for look in exact]
        handles += ax.plot(places, risks, linestyle="none", label="exact", **style)
    dashed: dict[str, Any] = {"color": TEXT, "linestyle": "dashed", "linewidth": 1}
    handles.append(ax.axhline(found.ruin, label=f"largest allowed risk: {found.ruin:g}", **dashed))
    if found.value is not None:
        label = plain(f"{found.find} {counted(found.value)}")
        handles.append(ax.axvline(found.value, **dashed | {"color": MUTED, "linestyle": "dotted"}, label=label))
    values = sorted({look.value for look in every.values()})
    if values[-1] > FAR * values[0]:
        ax.set_xscale("log")  # else the values near the answer are a single line
        ax.xaxis.set_major_formatter(lambda value, _: counted(value))
    else:
        whole_numbers(ax.xaxis, range(values[0], values[-1] + 1))
    if len(values) == 1:
        ax.set_xlim(values[0] - 1, values[0] + 1)
    ax.set_ylim(bottom=0)
    return finished(ax, _notes(found, played, bool(exact)), x=found.find, y="risk of ruin", entries=handles)


def _draw_played(ax: Axes, looks: Sequence[Look]) -> Any:
    """Draw simulated risks with their intervals."""
    risks = np.array([look.ruin for look in looks])
    ends = bars(risks, [clopper_pearson(round(look.ruin * look.games), look.games) for look in looks])
    style: dict[str, Any] = {"color": COLOURS[0], "marker": "o", "markersize": 4, "linewidth": 0.8, "elinewidth": 1}
    return ax.errorbar([look.value for look in looks], risks, ends, label="simulated", **style)


def _notes(found: Bound, played: Sequence[Look], exact: bool) -> list[str]:
    """Lines of the caption."""
    asked = Page().head(found.game, found.parameters, [name for name in found.differing if name != found.find])
    games = (
        f"simulated: {played[0].games:,} sessions each, seed {found.seed}, bars are 95 % intervals" if played else ""
    )
    how = "; ".join(words for words in ("exact" if exact else "", games) if words)
    strategies = f"strategy: {found.strategies[0]}" if found.strategies else ""
    return [*asked, *filter(None, [strategies]), f"{how}; dicelab {found.version}"]
