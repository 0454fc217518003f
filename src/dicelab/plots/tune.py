"""Picture of a search for values: two figures of every candidate, and where both are as wished."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, NamedTuple

from dicelab.errors import ParameterError
from dicelab.keywords import keywords
from dicelab.plots.chart_style import COLOURS, MUTED, TEXT, axes_for, finished, plain
from dicelab.plots.labels import what
from dicelab.questions.sweeps.candidates import CASUAL, Wish
from dicelab.questions.sweeps.tune import Tuned
from dicelab.runtime.strategies import BEST

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_NAMED = 30
"""Maximum number of candidates whose values are written beside their points."""


class TunedAxis(NamedTuple):
    """What an axis shows: a figure with one kind of play."""

    play: str
    wish: Wish

    @property
    def label(self) -> str:
        """The label of the axis."""
        words = {BEST: "optimal play", CASUAL: "casual play", "": ""}.get(self.play, self.play)
        return f"{self.wish.figure}, {words}" if words else self.wish.figure


@keywords()
def plot_tune(tuned: Tuned, ax: Axes | None = None) -> Axes:
    """Draw two figures of every candidate against each other, with the range in which both are as wished.

    Parameters
    ----------
    tuned
        A result of `dicelab.tune`.
    ax
        Axes to draw on; those of a new figure when None.

    Returns
    -------
    Axes
        The first wish with the first two kinds of play; with one kind, the first two wishes; with one wish as well, the
        candidates in order. Filled points satisfy all wishes.

    Raises
    ------
    ParameterError
        When there is no candidate.

    Examples
    --------
    >>> import dicelab
    >>> found = dicelab.tune("lcr", over={"players": [2, 3, 4]}, want=["gap<10%", "turns<20"])
    >>> axes = plot_tune(found)
    >>> axes.get_xlabel(), axes.get_ylabel()
    ('gap', 'turns')
    """
    if not tuned.rows:
        raise ParameterError("nothing to plot: there is no candidate")
    first, second = _sides(tuned)
    ax = axes_for(ax, f"{tuned.game}: {', '.join(wish.text for wish in tuned.wishes)}")
    for at, row in enumerate(tuned.rows):
        spots = [row.figures[side.play].values[side.wish.figure] if side else None for side in (first, second)]
        x, y = (float(at) if spot is None else spot.value for spot in spots)
        good = row.satisfies()
        face = COLOURS[0] if good else "none"
        ax.plot([x], [y], "o", markersize=7, color=COLOURS[0] if good else MUTED, markerfacecolor=face, zorder=3)
        if len(tuned.rows) <= MOST_NAMED:
            text, above = ", ".join(map(str, row.values.values())), (4, -10)[at % 2]
            ax.annotate(plain(text), (x, y), xytext=(6, above), textcoords="offset points", fontsize=8, color=TEXT)
    _range(ax, first, second)
    ax.margins(0.12)
    ax.set_ylabel(plain(second.label if second else ""))
    how = f"points: {', '.join(tuned.over)}; filled: all wishes are satisfied; coloured: the range that is wished for"
    if not first:
        ax.set_xticks([])
    about = [*what([tuned]), f"{how}; dicelab {tuned.version}"]
    return finished(ax, about, x=first.label if first else "candidates, in the order of the table")


def _sides(tuned: Tuned) -> tuple[TunedAxis | None, TunedAxis | None]:
    """Return what the horizontal and the vertical axis show."""
    plays, wishes = tuned.plays, tuned.wishes
    if len(plays) > 1:
        return TunedAxis(plays[0], wishes[0]), TunedAxis(plays[1], wishes[0])
    if len(wishes) > 1:
        return TunedAxis(plays[0], wishes[0]), TunedAxis(plays[0], wishes[1])
    return None, TunedAxis(plays[0], wishes[0])


def _range(ax: Axes, first: TunedAxis | None, second: TunedAxis | None) -> None:
    """Colour the values that are wished for along each axis."""
    for side, span, ends in ((first, ax.axvspan, ax.get_xlim), (second, ax.axhspan, ax.get_ylim)):
        if side is not None:
            low, high = ends()
            bottom = side.wish.low if isfinite(side.wish.low) else low - (high - low)
            top = side.wish.high if isfinite(side.wish.high) else high + (high - low)
            span(bottom, top, color=COLOURS[2], alpha=0.12, zorder=0)
            room = 0.12 * (high - low)
            (ax.set_xlim if span == ax.axvspan else ax.set_ylim)(low - room, high + room)
