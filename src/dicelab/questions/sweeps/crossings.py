"""Where a figure passes a target, as a result: the values that were looked at, and between which it passes."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from dicelab.questions.sweeps.points import OverValues
from dicelab.results.numbers.fairness import MEASURES
from dicelab.results.text.page import CHANCE, Page, decimals
from dicelab.results.text.writing import many, outcome_title, probability_of, without_empty


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

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)


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

    def _facts(self) -> dict[str, Any]:
        facts = {"over": list(self.over), "figure": self.figure, "target": self.target, "values": self.values}
        crossings = [crossing.to_dict() for crossing in self.crossings]
        return facts | {"crossings": crossings, "equal": self.equal, "rows": [row.to_dict() for row in self.rows]}

    def _rows(self) -> list[dict[str, Any]]:
        keys = (self.figure, f"{self.figure} low", f"{self.figure} high")
        return [
            {**row.shown_values, **dict(zip(keys, row.result.point(self.figure), strict=True))} for row in self.rows
        ]

    def _lines(self, page: Page) -> list[str]:
        (name,) = self.over
        seat = bool(self.rows) and self.rows[0].result.seats and self.figure in self.rows[0].result.outcome_names
        shown = [[name, outcome_title(self.figure, seat, self.players), "" if self.exact else "95 % interval", ""]]
        for row in self.rows:
            value, low, high = row.result.point(self.figure)
            digits = CHANCE if self.figure in {*row.result.outcome_names, *MEASURES} else decimals((low, high))
            span = "" if self.exact else page.span((low, high), digits)
            found = any(row.values[name] in (one.last, one.first) for one in self.crossings)
            number = page.chance(value) if self.figure in row.result.outcome_names else page.number(value, digits)
            shown.append([str(row.shown_values[name]), number, span, "<-" if found else ""])
        how = "exact" if self.exact else f"simulated, seed {self.seed}"
        how += f"; {len(self.rows):,} of {many(self.values, 'value')} computed"
        return [*self._head(page), "", *page.table(without_empty(shown)), "", *self.words, self._how(how)]

    @property
    def equal(self) -> list[int]:
        """The values at which the interval of the figure contains the target."""
        found = [(row.values[self.over[0]], row.result.point(self.figure)) for row in self.rows]
        return [value for value, (_, low, high) in found if low <= self.target <= high]

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
        """The figure in words."""
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
