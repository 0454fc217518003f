"""The value of a parameter at which a figure equals a target: which target gives the first player 50 %?

Parameters are whole numbers, so what is found is a pair of neighbours: at one the figure is below the target, at the
other above. Values are looked at evenly over the range first, and then between any two at which the figure lies
differently to the target, until these are neighbours. A figure is below or above the target only if all of its interval
is: the 95 % interval of an estimate, the error bound of an exact answer. A value between, whose interval contains the
target, is on neither side.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite
from typing import Any

from dicelab.errors import ParameterError
from dicelab.keywords import keywords
from dicelab.questions.simulate import opened
from dicelab.questions.sweeps.points import OverValues, PointMethod, SweepPoint, SweepRow, figure_typed, points_of
from dicelab.results.base import about
from dicelab.results.numbers.estimates import MEASURES, Point
from dicelab.results.rows import Progress, each
from dicelab.results.text.page import Printing
from dicelab.results.text.table import Column, Table, estimate, plain
from dicelab.results.text.writing import many, outcome_title, probability_of
from dicelab.rules.game import Game
from dicelab.runtime.lineup import listed
from dicelab.runtime.strategies import Strategies

# Crossings ------------------------------------------------------------------------------------------------------------
#
# Where a figure passes a target, as a result: the values that were looked at, and between which it passes.


@dataclass(frozen=True)
class Crossing:
    """Where a figure passes the target.

    Attributes
    ----------
    last, first
        The last value at which the figure is on the one side of the target, and the first at which it is on the other;
        neighbours, unless the interval of a value in between contains the target.
    rises
        Whether the figure is below the target at `last` and above it at `first`.

    Examples
    --------
    >>> import dicelab
    >>> found = dicelab.solve_for("tossup", "0", 0.9, "best", over={"target": range(5, 15)})
    >>> [(one.last, one.first, one.rises) for one in found.crossings]
    [(8, 9, False)]
    """

    last: int
    first: int
    rises: bool


@dataclass(frozen=True, repr=False, kw_only=True)
class SolvedFor(OverValues):
    """The values of a parameter between which a figure passes a target.

    Attributes
    ----------
    over, rows
        As in `dicelab.questions.sweeps.sweep.Sweep`; the rows are the values that were looked at, ascending.
    figure, target
        The outcome (its probability), tally (its mean) or measure of fairness, and what it is to be.
    values
        Number of values in the range.
    crossings
        Where the figure passes the target, in the order of the values.
    exact
        Whether the rows are exact.

    Examples
    --------
    >>> import dicelab
    >>> found = dicelab.solve_for("tossup", "0", 0.9, "best", over={"target": range(5, 15)})
    >>> [(one.last, one.first) for one in found.crossings]
    [(8, 9)]
    """

    figure: str
    target: float
    values: int
    crossings: list[Crossing]

    method = "solve_for"
    entries = {
        "over": "[string]: the names of what varies",
        "figure": "string: the outcome, tally or measure that is to equal the target",
        "target": "number: what the figure is to be",
        "values": "integer: number of values in the range",
        "crossings": (
            [{"last first": "integer", "rises": "boolean"}],
            "neighbouring values between which the figure passes the target",
        ),
        "equal": ("[integer]: values at which the figure equals the target, or can't be distinguished from it"),
        "rows": "[#sweep_row]: one object for each row of the table",
    }

    def _table(self) -> Table:
        (name,), figure = self.over, self.figure
        names = self.rows[0].result.outcome_names if self.rows else ()
        title = outcome_title(figure, bool(self.rows) and self.rows[0].result.seats and figure in names, self.players)
        ends = {one for crossing in self.crossings for one in (crossing.last, crossing.first)}

        def point(row: SweepRow) -> Point:
            return row.result.point(figure)

        shares, keys = figure in {*names, *MEASURES}, (f"{figure} low", f"{figure} high")
        estimates = estimate(figure, title, point, shares, keys, bars=figure in names)
        value = Column(name, plain, value=lambda row: row.shown_values[name])
        mark = Column("", lambda page, at: "<-" if at in ends else "", value=lambda row: row.values[name])
        return Table([value, *estimates[: 1 if self.exact else 2], mark], self.rows, sparse=True)

    def _lines(self, page: Printing) -> list[str]:
        how = "exact" if self.exact else f"simulated, seed {self.seed}"
        how += f"; {len(self.rows):,} of {many(self.values, 'value')} computed"
        return [*self._head(page), "", *self._table().lines(page), "", *self.words[1:], self._how(how)]

    def _sentence(self) -> str:
        return self.words[0]

    @property
    def equal(self) -> list[int]:
        """The values at which the interval of the figure contains the target."""
        points = [(row.values[self.over[0]], row.result.point(self.figure)) for row in self.rows]
        return [value for value, (_, low, high) in points if low <= self.target <= high]

    @property
    def words(self) -> list[str]:
        """What was found, as sentences."""
        (name,) = self.over
        if not self.rows:
            return ["no value was computed"]
        lines = [self._crossing(name, one) for one in self.crossings]
        figure = self._called()
        if self.equal:
            how = "equals" if self.exact else "can't be distinguished, with so many games, from"
            lines.append(f"{figure} {how} {self.target:g} at {name} {', '.join(map(str, self.equal))}")
        if self.rows and len(self.rows) < self.values:
            lines.append("between other values that were not computed it may pass and return")
        return lines if self.crossings or self.equal else [self._none(name, figure), *lines]

    def _called(self) -> str:
        """Return the figure in words."""
        first = self.rows[0].result
        if self.figure in first.outcome_names:
            return probability_of(self.figure, first.seats)
        return f"mean {self.figure}" if self.figure in first.tally_names else self.figure

    def _crossing(self, name: str, one: Crossing) -> str:
        sides = ("below", "above") if one.rises else ("above", "below")
        last, first = f"{name} {one.last} ({sides[0]})", f"{name} {one.first} ({sides[1]})"
        return f"{self._called()} passes {self.target:g} between {last} and {first}"

    def _none(self, name: str, figure: str) -> str:
        near = min(self.rows, key=lambda row: abs(row.result.point(self.figure).value - self.target))
        value = near.result.point(self.figure).value
        close = f"nearest is {value:.6g}, at {name} {near.values[name]}"
        return f"{figure} passes {self.target:g} at no value that was looked at; {close}"


FIRST = 9
"""Number of values that are looked at first, evenly over the range."""


@keywords
def solve_for(
    game: str | os.PathLike[str] | type[Game] | Game,
    figure: str,
    target: float,
    strategies: Strategies = (),
    *,
    over: Mapping[str, Iterable[int]],
    exact: bool = False,
    games: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
    memory: int | None = None,
    store: str | os.PathLike[str] | None = None,
    cluster: Any = None,
    progress: Progress = lambda done, total: None,
    parameters: Mapping[str, object] | None = None,
    **more: object,
) -> SolvedFor:
    """Find the value of a parameter, or of an argument of a strategy, at which a figure equals a target.

    Parameters
    ----------
    game, strategies, exact, games, seed, threads, memory, store, cluster, parameters, **more
        As in `dicelab.sweep`.
    figure
        An outcome (``"win"``: its probability), a tally (``"turns"``: its mean), or, of exact answers, a measure of
        fairness.
    target
        What it is to be, such as 0.5.
    over
        One name and the values among which to look, such as ``{"target": range(10, 101)}``.
    progress
        Called with the number of values computed so far, and the number that will be, as far as is known.

    Raises
    ------
    InputError
        When the parameter, the figure or its target is unknown or not allowed.
    PlayError
        When a game goes wrong at one of the values.

    Examples
    --------
    >>> found = solve_for("tossup", "0", 0.9, "best", over={"target": range(5, 15)})
    >>> [(one.last, one.first) for one in found.crossings]
    [(8, 9)]
    """
    points = points_of(game, strategies, over, {**(parameters or {}), **more})
    if len(over) != 1:
        raise ParameterError("solving for a target goes over one name; give the other parameters a value")
    figure = figure_typed(points, figure)
    must_be_number(target)
    settings: dict[str, Any] = {"games": games, "precision": None, "on": None, "threads": threads, "memory": memory}
    (name,) = over
    by_value = {point.values[name]: point for point in sorted(points, key=lambda point: point.values[name])}
    with opened(cluster) as workers:
        method = PointMethod.of(points, exact, seed, **settings, store=store, cluster=workers)
        if figure in MEASURES and not method.exact:
            raise ParameterError(f"{figure}: estimates have no interval of it; solve exactly")
        search = RootSearch(by_value, method, figure, target, progress)
        ending = search.run()
    facts = about(points[0].game, listed(points[0].game, strategies), without=[name]) | ending
    known: dict[str, Any] = {"figure": figure, "target": target, "values": len(by_value)}
    rows = [search.rows[value] for value in by_value if value in search.rows]
    crossings = search.crossings() if not ending["interrupted"] else []
    return SolvedFor(
        **facts, **known, over=(name,), rows=rows, crossings=crossings, exact=method.exact, seed=method.seed
    )


@dataclass
class RootSearch:
    """The values that have been looked at, and those that must be looked at next."""

    points: Mapping[int, SweepPoint]
    method: PointMethod
    figure: str
    target: float
    progress: Progress

    def run(self) -> dict[str, Any]:
        """Look at values until every change is between neighbours; return how it ended, as `each` does."""
        self.rows: dict[int, SweepRow] = {}
        values = list(self.points)
        step = (len(values) - 1) / max(1, min(FIRST, len(values)) - 1)
        wanted = sorted({values[round(k * step)] for k in range(min(FIRST, len(values)))})
        seconds = 0.0
        while wanted:
            ending = each(wanted, self.look, lambda done, total: self.progress(len(self.rows), len(self.rows) + total))[
                1
            ]
            seconds += ending["seconds"]
            if ending["interrupted"] or ending["refused"]:
                break
            places = [k for k, value in enumerate(values) if value in self.rows]
            sides = [self.side(values[k]) for k in places]
            gaps = zip(pairwise(places), pairwise(sides), strict=True)
            wanted = [values[(a + b) // 2] for (a, b), (one, other) in gaps if b - a > 1 and one != other]
        return ending | {"seconds": seconds}

    def look(self, value: int) -> SweepRow:
        """Compute the result at a value."""
        self.rows[value] = self.method.row(self.points[value])
        return self.rows[value]

    def side(self, value: int) -> int:
        """-1 where the figure is below the target, 1 where it is above, 0 where its interval contains the target."""
        _, low, high = self.rows[value].result.point(self.figure)
        return (low > self.target) - (high < self.target)

    def crossings(self) -> list[Crossing]:
        """Return where the figure passes the target: neighbouring sides that differ, with values of
        neither in between.
        """
        decided = [(value, self.side(value)) for value in self.points if value in self.rows and self.side(value)]
        return [Crossing(a, b, one < other) for (a, one), (b, other) in pairwise(decided) if one != other]


def must_be_number(target: object) -> None:
    """Refuse a target that is not a finite number."""
    if isinstance(target, bool) or not isinstance(target, int | float) or not isfinite(target):
        raise ParameterError(f"target: {target!r} is not a number")
