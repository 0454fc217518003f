"""Charts of judgements: how far results of a program, or of a class, are from the exact answer; and of exercises."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, isfinite, sqrt
from typing import TYPE_CHECKING

from dicelab.errors import unknown
from dicelab.keywords import keywords
from dicelab.limits import LIMITS
from dicelab.plots.chart_style import COLOURS, MUTED, TEXT, axes_for, caption, finished, plain, whole_numbers
from dicelab.questions.exercise import Exercise
from dicelab.questions.judge import Judgement
from dicelab.questions.judge_class import ClassJudged
from dicelab.results.numbers.estimates import Proportion
from dicelab.results.numbers.intervals import z_of
from dicelab.results.text.page import Printing
from dicelab.results.text.writing import many, outcome_title, probability_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


WIDTH = z_of()
"""Half-width of a 95 % interval, in standard errors."""


@keywords
def plot_judgement(judgement: Judgement, ax: Axes | None = None) -> Axes:
    """Draw the difference between observed and expected numbers in standard errors, with 95 % intervals.

    Parameters
    ----------
    judgement
        A result of `dicelab.judge`.
    ax
        Axes to draw on; those of a new figure when None.

    Returns
    -------
    Axes
        A row for each outcome, mean and standard deviation, at most 60. The line at 0 is what is expected.

    Raises
    ------
    ParameterError
        When there is nothing to draw, because only impossible outcomes were observed.

    Examples
    --------
    >>> import dicelab
    >>> axes = plot_judgement(dicelab.judge("hazard", main=5, counts=[498, 502]))
    >>> [label.get_text() for label in axes.get_yticklabels()]
    ['win: 498, expected 492.4', 'lose: 502, expected 507.6']
    """
    rows = [(label, z) for label, z in _rows(judgement) if isfinite(z)]
    drawn, lacking = rows[: LIMITS.bars], "what was observed is impossible by the rules"
    verdict = judgement.verdict if judgement.verdict == "doubtful" else f"{judgement.verdict} with the rules"
    ax = axes_for(ax, f"{judgement.game}: {verdict}", len(drawn) + 2, drawn, lacking)
    for at, (_, z) in enumerate(drawn):
        colour = COLOURS[0] if abs(z) <= WIDTH else COLOURS[1]
        ax.errorbar(z, at, xerr=WIDTH, marker="o", markersize=4, elinewidth=1.2, color=colour, linestyle="none")
    ax.axvline(0, color=MUTED, linestyle="dashed", linewidth=1, zorder=1)
    ax.set_yticks(range(len(drawn)), [plain(label) for label, _ in drawn])
    ax.set_ylim(len(drawn) - 0.5, -0.5)
    ax.grid(visible=False, axis="y")
    left = [f"{many(len(rows) - len(drawn), 'row')} left out"] if len(rows) > len(drawn) else []
    asked = Printing().head(judgement.game, judgement.parameters, judgement.differing, judgement.strategies)
    how = f"{many(judgement.games, 'game')}, 95 % intervals, joint p-value {judgement.p:.2g}"
    return finished(ax, [*asked, how, *left], x="observed minus expected, in standard errors")


def _rows(judgement: Judgement) -> Iterator[tuple[str, float]]:
    """Yield what was observed, in words, and its difference from what is expected in standard errors."""
    for test in judgement.tests:
        if test.kind in ("mean", "sd"):
            yield f"{test.name}: {test.observed:,.6g}, expected {test.expected:,.4f}", test.statistic
        elif test.kind == "outcomes":
            for name, expected in test.expected.items():
                observed = test.observed[name]
                error = sqrt(max(0.0, expected * (1 - expected / judgement.games)))
                z = (observed - expected) / error if error > 0 else inf if observed != expected else 0.0
                seat = outcome_title(name, judgement.seats, judgement.players)
                yield f"{seat}: {observed:,}, expected {expected:,.1f}", z


# The estimates of a class, with their intervals, beside the exact probability -----------------------------------------


COLOUR_OF = {"consistent": COLOURS[0], "doubtful": COLOURS[3], "inconsistent": COLOURS[1]}
"""By verdict, the colour of a pupil."""


@keywords
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
    name = names[0] if of is None else of
    if name not in names:
        raise unknown(f"outcome of {judged.game}", name, names)
    label = probability_of(name, judged.seats)
    counted, lacking = any(row.counts for row in judged.rows), "the table of the class has no counts of outcomes"
    ax = axes_for(ax, f"{judged.game}: {label}, {many(len(judged.rows), 'pupil')}", drawn=counted, lacking=lacking)
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
    head = Printing().head(judged.game, judged.parameters, judged.differing, judged.strategies)
    caption(
        ax,
        [*head, f"bars and band are 95 % intervals; colours allow for the number of pupils; dicelab {judged.version}"],
    )
    return ax


# What a class will find -----------------------------------------------------------------------------------------------


@keywords
def plot_exercise(exercise: Exercise, ax: Axes | None = None) -> Axes:
    """Draw how many games are expected to end with each outcome, and the counts that dicelab finds with the seeds.

    Parameters
    ----------
    exercise
        A result of `dicelab.exercise`.
    ax
        Axes to draw on; those of a new figure when None.

    Returns
    -------
    Axes
        A row for each outcome: the expected number of games, with 1.96 standard deviations to both sides, and a dot
        for each pupil, without names.

    Raises
    ------
    ParameterError
        When matplotlib is not installed.

    Examples
    --------
    >>> import dicelab
    >>> axes = plot_exercise(dicelab.exercise("hazard", main=5, pupils=3))
    >>> [label.get_text() for label in axes.get_yticklabels()]
    ['win: expected 492.4', 'lose: expected 507.6']
    """
    ax = axes_for(ax, f"{exercise.game}: what {many(len(exercise.rows), 'pupil')} will find", len(exercise.exact) + 2)
    labels = []
    for at, (name, one) in enumerate(exercise.exact.items()):
        expected = exercise.games * one.probability
        half = WIDTH * sqrt(expected * (1 - one.probability))
        ax.errorbar(expected, at, xerr=half, marker="|", markersize=14, elinewidth=6, color=COLOURS[0], alpha=0.5)
        ax.plot([row.counts[name] for row in exercise.rows], [at] * len(exercise.rows), "o", markersize=3, color=TEXT)
        labels.append(f"{outcome_title(name, exercise.seats, exercise.players)}: expected {expected:,.1f}")
    ax.set_yticks(range(len(labels)), [plain(label) for label in labels])
    ax.set_ylim(len(labels) - 0.5, -0.5)
    ax.grid(visible=False, axis="y")
    asked = Printing().head(exercise.game, exercise.parameters, exercise.differing, exercise.strategies)
    how = "dots: what dicelab finds with the seed of each pupil; bars: 1.96 standard deviations, about 95 in 100 pupils"
    return finished(ax, [*asked, how], x=f"games of {exercise.games:,}")
