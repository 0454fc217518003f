"""Picture of the first rolls and choices: each seat's chance to win after them."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from dicelab.keywords import keywords
from dicelab.limits import LIMITS
from dicelab.plots.chart_style import COLOURS, MARKERS, axes_for, finished, legend, plain, starts
from dicelab.questions.why import Why, important, probability_words
from dicelab.results.text.page import Printing
from dicelab.results.text.writing import many, outcome_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_VALUES = len(COLOURS)
"""Outcomes that are drawn; of more, those with the largest chances at the start."""
LETTERS = 40
"""Letters of a label; a longer one is cut."""
WIDE = 84
"""Letters of a line of the legend."""


@keywords
def plot_why(why: Why, ax: Axes | None = None) -> Axes:
    """Draw each seat's chance to win, or the mean of the tally, after each beginning of the game.

    Parameters
    ----------
    why
        A result of `dicelab.why`.
    ax
        Axes to draw on; those of a new figure, as high as the rows need, when None.

    Returns
    -------
    Axes
        A row for each beginning, with its probability, at most 60: of more the most important ones. A dashed line in
        the colour of a seat is its value at the start.

    Raises
    ------
    ParameterError
        When matplotlib is not installed.

    Examples
    --------
    >>> import dicelab
    >>> axes = plot_why(dicelab.why("pass-line"))
    >>> [label.get_text() for label in axes.get_yticklabels()][:2]
    ['2, 3 or 12 (1/9)', '4 (1/12)']
    """
    chances, rows = why.on == "outcomes", important(why.rows, LIMITS.bars)
    names = sorted(sorted(why.start, key=lambda name: -why.start[name].value)[:MOST_VALUES], key=list(why.start).index)
    what = ("probability to win" if why.seats else "outcomes") if chances else f"mean {why.on}"
    steps = "the first step" if why.depth == 1 else f"the first {why.depth} steps"
    ax = axes_for(ax, f"{why.game}: {what} after {steps}", len(rows) + 3)
    handles = []
    for at, name in enumerate(names):
        colour = COLOURS[at]
        ax.axvline(why.start[name].value, color=colour, linestyle="dashed", linewidth=1, zorder=1)
        label = outcome_title(name, why.seats and chances, why.players)
        where = [row.values[name].value for row in rows]
        handles += ax.plot(
            where,
            range(len(rows)),
            color=colour,
            marker=MARKERS[at],
            markersize=5,
            linestyle="none",
            label=plain(label),
        )
    labels = [textwrap.shorten(row.words, LETTERS, placeholder=" ...") for row in rows]
    labels = [
        f"{label} ({probability_words(Printing(), row.probability)})" for label, row in zip(labels, rows, strict=True)
    ]
    ax.set_yticks(range(len(rows)), [plain(label) for label in labels])
    columns = max(1, min(len(names), WIDE // (8 + max(map(len, names)))))
    ax.set_ylim(len(rows) - 0.5, -0.5 - (len(names) > 1) * (0.3 + 1.2 * -(-len(names) // columns)))  # and the legend
    ax.grid(visible=False, axis="y")
    label = f"{what} in a game" if not chances else "probability to win" if why.seats else "probability"
    if len(names) > 1:
        legend(ax, handles, where="upper center", columns=columns)
    left = [f"the most important {many(len(rows), 'row')} of {len(why.rows)}"] if len(rows) < len(why.rows) else []
    left += (
        [f"{len(why.start) - len(names)} more {'players' if why.seats else 'outcomes'} are left out"]
        if len(names) < len(why.start)
        else []
    )
    asked = Printing().head(why.game, why.parameters, why.differing, why.strategies)
    return finished(ax, [*asked, "exact; dashed: at the start", *starts(ax, "x"), *left], x=label)
