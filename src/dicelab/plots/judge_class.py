"""Picture of a class: the estimate of each pupil with its interval, beside the exact probability."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dicelab.errors import ParameterError, unknown
from dicelab.keywords import keywords
from dicelab.plots.drawing.paper import COLOURS, MUTED, TEXT, axes_for, caption, plain, whole_numbers
from dicelab.questions.judge_class import ClassJudged
from dicelab.results.numbers.estimates import Proportion
from dicelab.results.text.page import Page
from dicelab.results.text.writing import many, probability_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOUR_OF = {"consistent": COLOURS[0], "doubtful": COLOURS[3], "inconsistent": COLOURS[1]}
"""By verdict, the colour of a pupil."""


@keywords()
def plot_class(judged: ClassJudged, of: str | None = None, ax: Axes | None = None) -> Axes:
    r"""Draw each pupil's estimate of a probability with its 95 % interval, beside the exact number.

    Parameters
    ----------
    judged
        A result of `dicelab.judge_class`.
    of
        The outcome; the first one when None.
    ax
        Axes to draw on; those of a new figure when None.

    Returns
    -------
    Axes
        The pupils have numbers, in the order of the table, and no names, so that the picture can be shown to the class.
        The line is the exact probability, the band the 95 % interval of the pooled estimate.

    Raises
    ------
    ParameterError, UnknownNameError
        When there are no counts, or no such outcome.

    Examples
    --------
    >>> import dicelab, tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "pupils.csv"
    >>> _ = file.write_text("name,win,lose\nAnn,492,508\nBen,502,498\n")
    >>> plot_class(dicelab.judge_class("hazard", file)).get_xlabel()
    'pupil, in the order of the table'
    """
    names = list(judged.exact)
    if not any(row.counts for row in judged.rows):
        raise ParameterError("there is nothing to draw: the table of the class has no counts of outcomes")
    name = names[0] if of is None else of
    if name not in names:
        raise unknown(f"outcome of {judged.game}", name, names)
    label = probability_of(name, judged.seats)
    ax = axes_for(ax, f"{judged.game}: {label}, {many(len(judged.rows), 'pupil')}")
    said = set[str]()
    for at, row in enumerate(judged.rows, start=1):
        if not row.counts:
            continue
        one = Proportion(row.counts[name], row.games)
        ends = [[one.probability - one.interval[0]], [one.interval[1] - one.probability]]
        legend = row.verdict if row.verdict not in said else None
        said.add(row.verdict)
        ax.errorbar(
            [at], [one.probability], yerr=ends, fmt="o", markersize=4, color=COLOUR_OF[row.verdict], label=legend
        )
    ax.axhline(judged.exact[name], color=TEXT, linewidth=1.2, label=f"exact: {judged.exact[name]:.4f}")
    if judged.pooled:
        low, high = judged.pooled[name].interval
        ax.axhspan(low, high, color=MUTED, alpha=0.25, label=f"pooled: {judged.pooled[name].probability:.4f}", zorder=0)
    ax.set_xlim(0.3, len(judged.rows) + 0.7)
    ax.set_xlabel("pupil, in the order of the table")
    ax.set_ylabel(plain(label))
    low, high = ax.get_ylim()
    ax.set_ylim(low, high + 0.12 * (high - low))
    ax.legend(fontsize=8, loc="upper center", ncol=5)
    whole_numbers(ax.xaxis, range(1, len(judged.rows) + 1))
    head = Page().head(judged.game, judged.parameters, judged.differing, judged.strategies)
    caption(
        ax,
        [*head, f"bars and band are 95 % intervals; colours allow for the number of pupils; dicelab {judged.version}"],
    )
    return ax
