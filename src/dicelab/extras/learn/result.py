"""What was learned, and a chart of its progress."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any

from dicelab.engines.policy import Policy
from dicelab.errors import ParameterError
from dicelab.keywords import keywords
from dicelab.plots.chart_style import COLOURS, MARKERS, axes_for, finished, games_played, starts
from dicelab.plots.labels import mean_of, what
from dicelab.results.base import BaseResult
from dicelab.results.entries import Read
from dicelab.results.numbers.estimates import valued
from dicelab.results.text.page import Printing
from dicelab.results.text.sentences import number, percent
from dicelab.results.text.table import Column, Table, chance, count, written
from dicelab.results.text.writing import many, objective_text, probability_of, upper
from dicelab.rules.objectives import wanted
from dicelab.rules.words import player_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# Result ---------------------------------------------------------------------------------------------------------------
#
# Result of `dicelab.learn`: the points of a learning curve, the value of optimal play, and the final policy.

LEARNED = "learned"
"""Listed in place of a strategy for a seat that learns."""
TINY = 1e-6
"""Value below which what a policy gives away is not said as a number."""


@dataclass(frozen=True)
class CurvePoint:
    """A point of a learning curve.

    Attributes
    ----------
    games
        Number of games played so far.
    values
        Exact value of the learned policy to each learning seat; None if a game might never end under it.
    gap
        Distance from the value of optimal play, summed over the learning seats; None if unknown.
    seen
        Number of different observations in which a move has been made.

    Examples
    --------
    >>> CurvePoint(games=1000, values=(0.61, None), gap=0.02, seen=340).games
    1000
    """

    games: int
    values: tuple[float | None, ...]
    gap: float | None
    seen: int


@dataclass(frozen=True, repr=False, kw_only=True)
class Learned(BaseResult):
    """A learning curve and the final policy; in `strategies`, ``learned`` stands for each seat that learned.

    Attributes
    ----------
    objective
        The objective, such as ``win``.
    seats
        The seats that learned: one, or two against each other.
    games
        The games learned from are games 0 to ``games - 1`` of the seed.
    epsilon, omega
        Parameters of the learner; see `dicelab.learn`.
    best, error
        Value of optimal play to each learning seat, and a bound on its error (infinite if no bound was found). With
        hidden information it isn't known: `best` is empty.
    points
        The points of the curve.
    choices
        Number of states in which a learning seat chooses.
    policy
        The final policy; None if some states differ only in the memory of a given strategy.

    Examples
    --------
    >>> import dicelab
    >>> learned = dicelab.learn("tossup", "bank_over:20", target=6, games=500, seed=1)
    >>> learned.points[-1].games, 0 <= learned.points[-1].gap < 0.2
    (500, True)
    """

    objective: str
    seats: tuple[int, ...]
    games: int
    epsilon: float
    omega: float
    best: tuple[float, ...]
    error: float
    points: tuple[CurvePoint, ...]
    choices: int
    policy: Policy | None

    method = "learn"
    entries = {
        "objective": "string: what the player wants",
        "epsilon": "number: share of random moves while learning",
        "omega": "number: how fast the step size falls",
        "choices": "integer: number of states with a choice of a seat that learns",
        "error": (
            {"$": {"type": ["number", "null"], "minimum": 0}},
            ("bound on the error of an exact number; absent where it is a fraction, null where none is known"),
        ),
        "best": Read(lambda self: self._valued(self.best), "#values: the value of optimal play"),
        "points": Read(
            lambda self: [
                {"games": one.games, **self._valued(one.values), "gap": one.gap, "seen": one.seen}
                for one in self.points
            ],
            [
                {
                    "games": "integer",
                    "outcomes": "#outcomes",
                    "tallies": "#tallies",
                    "payoffs?": (
                        "{number|null}: mean payoff of each seat that learns, if that is the objective; "
                        "null if a game might never end"
                    ),
                    "gap": "number|null",
                    "seen": "integer",
                }
            ],
            "the points of the curve, after more and more games",
        ),
    }

    @property
    def _label(self) -> str:
        return objective_text(self.objective, len(self.strategies), self.players)

    def _valued(self, values: Sequence[float | None]) -> dict[str, Any]:
        return valued(self.objective, self._by_seat(values), self.error, self.players)

    def _sentence(self) -> str:
        if not self.points:
            return "Nothing was learned yet"
        last, chances = self.points[-1], wanted(self.objective).is_chance
        begin = f"After {many(last.games, 'game')} the learned policy"
        if any(value is None for value in last.values):
            return f"{begin} may play forever"
        learned, best = [value for value in last.values if value is not None], self.best
        if len(self.seats) > 1:
            gap = last.gap or 0.0
            lost = f"less than {TINY:f}" if gap < TINY else number(gap)
            return f"{begin} gives away {lost} of value to the best answers to it"
        text = percent if chances else number
        if not best:
            return f"{begin} is worth {text(learned[0])} ({self._label})"
        return f"{begin} is worth {text(learned[0])}, the best play {text(best[0])} ({self._label})"

    def _table(self) -> Table:
        def text(page: Printing, value: float | None) -> str:
            return chance(page, value) or "endless"

        def at(seat: int) -> Column:
            title = f"{player_name(self.seats[seat], self.players)} at worst" if len(self.seats) > 1 else "exact value"
            return Column("", text, title, lambda point: point.values[seat])

        values = Column("*", data=lambda point: self._by_seat(point.values))
        seats = map(at, range(len(self.seats)))
        return Table(
            [Column("games", count), values, *seats, Column("gap", chance), Column("seen", count)], self.points
        )

    def _lines(self, page: Printing) -> list[str]:
        rows = self._table().cells(page)
        rows += [["best", *map(page.chance, self.best), "", f"{self.choices:,}"]] if self.best else []
        summary = f"learned: {self._label}, {many(self.games, 'game')}, seed {self.seed}"
        stopped = ", stopped before the end" if self.interrupted else ""
        error = f"error below {upper(self.error)}" if isfinite(self.error) else "no bound on the error was found"
        lines = [*self._head(page), "", *written(rows[0], rows[1:], least=["seen"]).lines(page), ""]
        lines.append(f"{summary}, epsilon {self.epsilon:g}, omega {self.omega:g}{stopped}")
        if not self.best:
            return [
                *lines,
                f"{many(self.choices, 'state')} with a choice; best play isn't known, as parts are hidden",
            ]
        return [*lines, f"solved: {many(self.choices, 'state')} with a choice, {error}, {self.seconds:.3f} s"]

    def _by_seat(self, values: Sequence[float | None]) -> dict[str, float | None]:
        return dict(zip(map(str, self.seats), values, strict=False))


# Picture of a learning curve ------------------------------------------------------------------------------------------


@keywords
def plot_learning(learned: Learned, ax: Axes | None = None) -> Axes:
    """Draw the exact value of the learned policy against the number of games, beside that of optimal play.

    Parameters
    ----------
    learned
        Result of `dicelab.learn`.
    ax
        Axes to draw on; those of a new figure when None.

    Raises
    ------
    ParameterError
        When no point has a value, or matplotlib is not installed.

    Examples
    --------
    >>> import dicelab
    >>> axes = plot_learning(dicelab.learn("tossup", "one_roll", target=4, games=100, seed=1))
    >>> axes.get_ylabel(), axes.get_xlabel()
    ('probability to win', 'games played')
    """
    if not isinstance(learned, Learned):
        raise ParameterError("nothing to plot: values of states are estimates without a curve; dicelab rate draws one")
    if not learned.games:
        raise ParameterError(f"nothing to plot: no game of {learned.game} was played")
    if not any(value is not None for point in learned.points for value in point.values):
        raise ParameterError(f"nothing to plot: under every policy learned for {learned.game} a game might never end")
    ax = axes_for(ax, f"{learned.game}: learned and optimal play")
    drawn: list[Any] = []
    several = len(learned.seats) > 1
    for i, seat in enumerate(learned.seats):
        pairs = [(p.games, value) for p in learned.points if (value := p.values[i]) is not None]
        colour, name = COLOURS[i], f"{player_name(seat)} learned, at worst" if several else "learned"
        style: dict[str, Any] = {"color": colour, "marker": MARKERS[i], "markersize": 4, "linewidth": 1.2}
        drawn += ax.plot(*zip(*pairs, strict=True), label=name, **style) if pairs else []
        if not learned.best:
            continue
        best = learned.best[i]
        label = f"{f'{player_name(seat)}, ' if several else ''}best: {best:,.6g}"
        drawn.append(ax.axhline(best, color=colour, linewidth=1, linestyle="dashed", label=label))
    games_played(ax)
    stopped = ", stopped before the end" if learned.interrupted else ""
    how = f"learned: the first {learned.games:,} games, seed {learned.seed}, epsilon {learned.epsilon:g}"
    notes = [*what([learned]), f"{how}, omega {learned.omega:g}{stopped}; dicelab {learned.version}", *starts(ax)]
    return finished(ax, notes, y=_wanted(learned), entries=drawn)


def _wanted(learned: Learned) -> str:
    """Return the label of the values."""
    aim = wanted(learned.objective)
    if aim.counts:
        return mean_of(aim.name)
    plain = {"win": "probability to win", "payoff": "mean payoff"}
    outcome, seats = aim.name, len(learned.strategies)
    winner = objective_text(outcome, seats, learned.players) != outcome
    return plain.get(learned.objective) or probability_of(outcome, winner, learned.players)
