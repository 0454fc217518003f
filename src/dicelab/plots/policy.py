"""Charts of optimal play: the chance of each seat, the best move over two fields of the state, reviews of games."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from dicelab.engines.policy import Policy
from dicelab.errors import ParameterError
from dicelab.keywords import keywords
from dicelab.plots.chart_style import COLOURS, axes_for, equal_share, finished, legend, plain, whole_numbers
from dicelab.plots.labels import what
from dicelab.questions.heuristics.best import BestPlay
from dicelab.questions.policies.advice import At, cells, states_at
from dicelab.questions.policies.grid import field_called, must_be_axes, values_called, view_of
from dicelab.questions.policies.skill.reviewed import Review
from dicelab.questions.policies.solution import Solution
from dicelab.results.base import about
from dicelab.results.text.page import Printing
from dicelab.results.text.writing import objective_text, outcome_title, probability_of
from dicelab.rules.objectives import wanted
from dicelab.runtime.arrays import Integers

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@keywords
def plot_solution(solution: Solution, ax: Axes | None = None) -> Axes:
    """Draw where the best move changes; without a policy to draw, the chance of each seat to win, as bars.

    Parameters
    ----------
    solution
        Result of `dicelab.solve`.
    ax
        Axes to draw on; those of a new figure when None.

    Raises
    ------
    ParameterError
        When the solution is one number and not the chances of seats.

    Examples
    --------
    >>> import dicelab
    >>> axes = plot_solution(dicelab.solve("tossup", target=5, dice=2))
    >>> axes.get_ylabel()
    'points of this turn'
    """
    if solution.policy is not None:
        with suppress(ParameterError):  # no two fields vary, or there are too many moves for a picture
            return plot_policy(solution.policy, None, None, ax)
    title = f"{solution.game}: {'outcomes' if solution.payoffs else 'probability to win'} under optimal play"
    lacking = f"the solution of {solution.game} is one number; draw its policy instead"
    ax = axes_for(ax, title, drawn=solution.outcomes, lacking=lacking)
    seats, chances = list(solution.outcomes), [p.probability for p in solution.outcomes.values()]
    names = [outcome_title(name, not solution.payoffs, solution.players) for name in seats]
    bars = ax.bar(names, chances, 0.6, color=COLOURS[0])
    ax.bar_label(bars, [f"{p:.4f}" for p in chances], fontsize=8)
    entries = [] if solution.payoffs else [equal_share(ax, len(seats), zorder=2)]
    ax.set_ylim(0, 1.2 * max(chances))
    ax.grid(visible=False, axis="x")
    labels = ("outcome", "probability") if solution.payoffs else ("player", "probability to win")
    return finished(ax, [*what([solution]), f"exact; dicelab {solution.version}"], *labels, entries)


# The best move as a function of two fields ----------------------------------------------------------------------------


MOST_MOVES = len(COLOURS)
"""Maximum number of different moves in a picture: one colour each."""


@keywords
def plot_policy(
    policy: Policy, x: str | None = None, y: str | None = None, ax: Axes | None = None, /, **at: At
) -> Axes:
    """Draw the best move over two fields of the state.

    Parameters
    ----------
    policy
        As solved, or loaded from a file.
    x, y
        The fields on the axes: ``points``, ``scores[0]``. If one is left out, axes and a slice are chosen in which the
        move changes.
    ax
        Axes to draw on; those of a new figure when None.
    **at
        Values of the other fields, as in `dicelab.questions.policies.advice.advice`: ``player=0`` or ``at={"scores[0]":
        5}``.

    Returns
    -------
    Axes

    Raises
    ------
    ParameterError
        When there is no such field or state, the axes are the same field or one with a given value, or the best move
        depends on a field that is not given.

    Examples
    --------
    >>> import dicelab
    >>> best = dicelab.solve("tossup", target=20)
    >>> axes = plot_policy(best.policy, "scores[0]", "points", None, player=0)
    >>> [text.get_text() for text in axes.get_legend().get_texts()]
    ['roll', 'bank']
    """
    wanted = cells(at)
    if x is None or y is None:
        view = view_of(policy, x, y, wanted)
        x, y, wanted = view.x, view.y, view.at
    must_be_axes(x, y, wanted)
    states = states_at(policy, wanted)
    across, up = policy.column(x)[states], policy.column(y)[states]
    moves = policy.moves[policy.best[states]]
    kinds, kind = np.unique(moves, axis=0, return_inverse=True)
    _must_be_one(policy, states, across, up, kind.reshape(-1), (x, y, *wanted))
    if len(kinds) > MOST_MOVES:
        raise ParameterError(f"{len(kinds)} different moves are too many for a picture, which has {MOST_MOVES} colours")
    ax = axes_for(ax, f"{policy.game.name}: best move")
    first = [int(states[np.flatnonzero(kind.reshape(-1) == number)[0]]) for number in range(len(kinds))]
    _cells(ax, across, up, kind.reshape(-1), [plain(policy.choices(state).best_move) for state in first])
    asked = about(policy.game, ())
    game = Printing().head(policy.game.name, asked["parameters"], asked["differing"])
    where = values_called(policy.game, wanted)
    solved = f"solved for: {policy.about['solved']}"
    notes = [*game, f"{solved}; {where}" if where else solved]
    return finished(ax, notes, x=field_called(policy.game, x), y=field_called(policy.game, y))


def _cells(ax: Axes, across: Integers, up: Integers, kind: Integers, moves: list[str]) -> None:
    """Draw a coloured cell for each pair of values, and the legend with the moves."""
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    low, high = (int(across.min()), int(up.min())), (int(across.max()), int(up.max()))
    cells = np.full((high[1] - low[1] + 1, high[0] - low[0] + 1), np.nan)
    cells[up - low[1], across - low[0]] = kind
    columns, rows = range(low[0], high[0] + 1), range(low[1], high[1] + 1)
    colours = ListedColormap(COLOURS[: len(moves)])
    ax.grid(visible=False)
    edges = low[0] - 0.5, high[0] + 0.5, low[1] - 0.5, high[1] + 0.5
    image = ax.imshow(cells, colours, aspect="auto", origin="lower", interpolation="nearest", extent=edges)
    image.set_clim(-0.5, len(moves) - 0.5)
    whole_numbers(ax.xaxis, columns)
    whole_numbers(ax.yaxis, rows)
    room = 0.18 * (high[1] - low[1] + 1)  # for the legend, above the cells
    ax.set_ylim(low[1] - 0.5, high[1] + 0.5 + room)
    patches = [Patch(facecolor=COLOURS[number], label=move) for number, move in enumerate(moves)]
    legend(ax, patches, where="upper center", columns=len(moves))


def _must_be_one(
    policy: Policy, states: np.ndarray, across: np.ndarray, up: np.ndarray, kind: np.ndarray, said: Sequence[str]
) -> None:
    """Check that each point of the picture has one best move."""
    order = np.lexsort((up, across))
    same = (np.diff(across[order]) == 0) & (np.diff(up[order]) == 0)
    clash = np.flatnonzero(same & (np.diff(kind[order]) != 0))
    if len(clash):
        one, other = (policy.state(int(states[order[clash[0] + i]])) for i in (0, 1))
        names = [name for name in one if one[name] != other[name] and name not in said]
        raise ParameterError(f"the best move also depends on {' and '.join(names)}: give a value with --at")


# Picture of the answer of `dicelab.best`: where the move changes, else the strategies with their values ---------------


@keywords
def plot_best(best: BestPlay, ax: Axes | None = None) -> Axes:
    """Draw where the best move changes; where that is not known, the strategies of the game, or its cheapest bets.

    Parameters
    ----------
    best
        A result of `dicelab.best`.
    ax
        Axes to draw on; those of a new figure when None.

    Returns
    -------
    Axes

    Raises
    ------
    ParameterError
        When there is nothing to draw.

    Examples
    --------
    >>> import dicelab
    >>> axes = plot_best(dicelab.best("tossup", target=12, dice=3, seconds=5))
    >>> axes.get_ylabel()
    'points of this turn'
    """
    every_state = None if best.policy is None else best.policy.every_state
    if best.view is not None and every_state is not None:
        return plot_policy(every_state, best.view.x, best.view.y, ax, at=best.view.at)
    if best.families:
        rows = [(family.written, family.value) for family in best.families]
        value = "chance to win of player 1" if best.objective == "win" else wanted(best.objective).name
    elif best.bets:
        rows, value = [(bet.bet, 100 * bet.edge) for bet in best.bets], "house edge, % of the stake"
    else:
        raise ParameterError(f"nothing to plot: {best.summary}")
    ax = axes_for(ax, f"{best.game}: {'bets that cost least' if best.bets else 'strategies'}")
    names = [plain(name) for name, _ in rows][::-1]
    bars = ax.barh(names, [number for _, number in rows][::-1], 0.6, color=COLOURS[0])
    ax.bar_label(bars, fmt="{:.3g}", fontsize=8, padding=3)
    ax.grid(visible=False, axis="y")
    ax.margins(x=0.12)
    return finished(ax, [*what([best]), f"dicelab {best.version}"], x=value)


# Picture of a review: the winning chance over a game, with its worst decisions ----------------------------------------


@keywords
def plot_review(review: Review, ax: Axes | None = None) -> Axes:
    """Draw the winning chance of each seat over the steps of a game, with a mark at each of its worst decisions.

    Parameters
    ----------
    review
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
    kind = review.objective.text
    what = review.amount or (
        "winning chance" if kind == "win" else probability_of(objective_text(kind, review.seats), seats=False)
    )
    ax = axes_for(ax, f"{review.game}: {what} over a game")
    shown = [0] if review.seats == 2 or review.objective.counts else [*range(min(review.seats, len(COLOURS)))]
    if review.seats == 2 and review.names[1] == "you":
        shown = [1]
    handles = []
    for seat in shown:
        line, colour = review.line(seat), COLOURS[shown.index(seat)]
        name = plain(review.names[seat])
        handles += ax.plot(range(len(line)), line, color=colour, drawstyle="steps-post", linewidth=1.4, label=name)
        marks = [at + 1 for at, _ in review.worst(seat)]
        ax.plot(marks, [line[at] for at in marks], "v", color=colour, markersize=7, clip_on=False)
    if not review.amount:
        ax.set_ylim(0, 1)
    ax.set_xlim(0, max(1, len(review.steps)))
    asked = Printing().head(review.game, review.parameters, review.differing, ())
    notes = [*asked, "marks: the worst decisions of each player drawn", *map(review.sentence, shown)]
    return finished(ax, notes, x="rolls and decisions", y=what, entries=handles)
