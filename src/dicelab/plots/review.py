"""Picture of a review: the winning chance over a game, with its worst decisions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dicelab.keywords import keywords
from dicelab.plots.chart_style import COLOURS, axes_for, finished, plain
from dicelab.questions.policies.skill.reviewed import Review
from dicelab.results.text.page import Printing
from dicelab.results.text.writing import objective_text, probability_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@keywords()
def plot_review(found: Review, ax: Axes | None = None) -> Axes:
    """Draw the winning chance of each seat over the steps of a game, with a mark at each of its worst decisions.

    Parameters
    ----------
    found
        A result of `dicelab.review`.
    ax
        Axes to draw on; those of a new figure when None.

    Returns
    -------
    Axes
        A line for each seat, at most six. With two seats one line says it all: that of the first person.

    Raises
    ------
    ParameterError
        When matplotlib is not installed.

    Examples
    --------
    >>> from dicelab.games.tossup import TossUp
    >>> from dicelab.questions.policies.skill.review import PlayedStep, review
    >>> from dicelab.questions.policies.skill.values import values
    >>> game = TossUp(target=2, dice=2)
    >>> axes = plot_review(review(game, values(game), [PlayedStep("throw", (0, 0, 2)), PlayedStep("choice", (1,))]))
    >>> len(axes.lines[0].get_xdata())
    3
    """
    kind = found.objective.text
    what = found.amount or (
        "winning chance" if kind == "win" else probability_of(objective_text(kind, found.seats), seats=False)
    )
    ax = axes_for(ax, f"{found.game}: {what} over a game")
    shown = [0] if found.seats == 2 or found.objective.counts else [*range(min(found.seats, len(COLOURS)))]
    if found.seats == 2 and found.names[1] == "you":
        shown = [1]
    handles = []
    for seat in shown:
        line, colour = found.line(seat), COLOURS[shown.index(seat)]
        name = plain(found.names[seat])
        handles += ax.plot(range(len(line)), line, color=colour, drawstyle="steps-post", linewidth=1.4, label=name)
        marks = [at + 1 for at, _ in found.worst(seat)]
        ax.plot(marks, [line[at] for at in marks], "v", color=colour, markersize=7, clip_on=False)
    if not found.amount:
        ax.set_ylim(0, 1)
    ax.set_xlim(0, max(1, len(found.steps)))
    asked = Printing().head(found.game, found.parameters, found.differing, ())
    notes = [*asked, "marks: the worst decisions of each player drawn", *map(found.sentence, shown)]
    return finished(ax, notes, x="rolls and decisions", y=what, entries=handles)
