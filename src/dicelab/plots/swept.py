"""The results of a sweep as they are drawn: which name has an axis, which one lines or colours.

By itself because it only arranges results, and draws nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, isinf, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicelab.errors import ParameterError, unknown
from dicelab.plots.chart_style import bars, plain, whole_numbers
from dicelab.plots.labels import mean_of
from dicelab.questions.sweeps.points import OverValues
from dicelab.results.numbers.estimates import MEASURES, Point
from dicelab.results.result import Result, Simulation
from dicelab.results.text.writing import probability_of

# The measure that a picture of a sweep shows: one number of each result, chosen by name -------------------------------


PERCENTILE = re.compile(r"p(\d+(?:\.\d+)?):(.*)", re.DOTALL)
"""A percentile, such as ``p90:turns``."""


NOTHING = Point(nan, nan, nan)
"""The point where a result does not have a number."""


@dataclass(frozen=True)
class Measure:
    """One number of a result.

    Attributes
    ----------
    name
        Name of the outcome, tally or measure of fairness.
    kind
        ``outcome``, ``tally``, ``percentile`` or ``fairness``.
    label
        Label of its axis, and part of the title of the picture.
    share
        For a percentile, its probability; else nan.
    """

    name: str
    kind: str
    label: str
    share: float = nan

    @classmethod
    def of(cls, sweep: OverValues, measure: str | None) -> Measure:
        """Return the measure with that name, or the default measure of a sweep if it is None."""
        results = [row.result for row in sweep.rows]
        tallies, seats = results[0].tally_names, all(result.seats for result in results)
        outcomes = _outcomes(results)
        if not outcomes and not tallies:
            raise ParameterError(f"{sweep.game} has neither outcomes nor tallies")
        if measure is None:
            measure = "gap" if _varying(results) else [*outcomes, *tallies][0]
        if measure in outcomes:
            return cls(measure, "outcome", probability_of(measure, seats))
        if measure in tallies:
            return cls(measure, "tally", mean_of(measure))
        if seats and measure in MEASURES:
            return cls(measure, "fairness", MEASURES[measure])
        asked = PERCENTILE.fullmatch(measure)
        if asked and asked[2] in tallies:
            return cls._percentile(measure, asked[1], asked[2])
        known = [*outcomes, *tallies, *(f"p90:{name}" for name in tallies), *(MEASURES if seats else ())]
        raise unknown(f"measure of {sweep.game}", measure, known)

    @classmethod
    def _percentile(cls, measure: str, percent: str, tally: str) -> Measure:
        """Return a percentile of a tally."""
        if not 0 < float(percent) <= 100:
            raise ParameterError(f"{measure}: p{percent} is not allowed; a percentile is above 0 and at most 100")
        return cls(tally, "percentile", f"p{percent} of {tally} in a game", float(percent) / 100)

    @property
    def interval(self) -> bool:
        """Whether estimates of this measure have an interval."""
        return self.kind != "fairness"

    def at(self, result: Result) -> Point:
        """Return the value in a result, and the ends of its interval; `NOTHING` where the result does not have it."""
        if self.kind == "percentile":
            tally = result.tallies[self.name]
            at, ends = tally.percentile(self.share), tally.percentile_interval(self.share)
            return NOTHING if at is None or ends is None else Point(at, *ends)
        point = result.point(self.name)
        return point if isfinite(point[0]) else NOTHING


def _varying(results: Sequence[Result]) -> bool:
    """Return whether the outcomes are seats, and their number varies."""
    return all(result.seats for result in results) and len({len(result.outcomes) for result in results}) > 1


def _outcomes(results: Sequence[Result]) -> list[str]:
    """Return the outcomes of all results, each once."""
    return list(dict.fromkeys(name for result in results for name in result.outcomes))


MOST_LINES = 6
"""Maximum number of lines in a picture; if both names have more values, a map is drawn."""

Points = dict[tuple[int, ...], Point]
"""For each value of the first name, or pair of values, the measure there."""


@dataclass(frozen=True)
class SweptAxis:
    """One swept name.

    Attributes
    ----------
    name
        The name.
    values
        Its values: ascending if they are numbers, else in the order of the sweep.
    words
        For each value its name, if values have names (bets, yes and no); else empty.
    shares
        For each value the equal share of a seat, if all results with this value have the same number of seats.
    """

    name: str
    values: list[int]
    words: Mapping[int, str]
    shares: Mapping[int, float]

    @classmethod
    def over(cls, sweep: OverValues, name: str) -> SweptAxis:
        """Return the values of a name in a sweep."""
        values = list(dict.fromkeys(row.values[name] for row in sweep.rows))
        words = {row.values[name]: row.words[name] for row in sweep.rows if name in row.words}
        seats: dict[int, set[int]] = {}
        for row in sweep.rows:
            seats.setdefault(row.values[name], set()).add(len(row.result.outcomes) if row.result.seats else 0)
        shares = {value: 1 / max(many) for value, many in seats.items() if len(many) == 1 and max(many)}
        return cls(name, values if words else sorted(values), words, shares)

    def word(self, value: int) -> str:
        """Return a value as text."""
        return plain(self.words.get(value, str(value)))

    def ticks(self, axis: Any) -> None:
        """Set the ticks of an axis: whole numbers, or names at 0, 1, ..."""
        if self.words:
            axis.set_ticks(range(len(self.values)), [self.word(value) for value in self.values])
        else:
            whole_numbers(axis, self.values)

    @property
    def places(self) -> list[int]:
        """Where the values lie on an axis."""
        return list(range(len(self.values))) if self.words else self.values


@dataclass(frozen=True)
class Group:
    """The results with one value of the second name, or all results if there is only one name.

    Attributes
    ----------
    label
        The value of the second name as text; empty if there is only one name.
    values
        The values of the first name.
    numbers
        For each of them the measure and the ends of its interval: one row each.
    """

    label: str
    values: list[int]
    numbers: NDArray[np.float64]

    @property
    def ends(self) -> NDArray[np.float64]:
        """Lengths of the error bars; nan, so no bar, for an interval with an open end."""
        lengths = bars(self.numbers[:, 0], self.numbers[:, 1:])
        lengths[~np.isfinite(lengths)] = nan
        return lengths


@dataclass(frozen=True)
class Drawing:
    """What is drawn, and how.

    Attributes
    ----------
    kind
        ``lines``; ``rows``, one for each named value; or ``map``.
    swept
        The swept names; the first one has an axis, the second one too if the kind is ``map``.
    points
        The measure for each value or pair of values.
    wanted
        The measure.
    estimated
        Whether it is estimated.
    """

    kind: str
    swept: Sequence[SweptAxis]
    points: Points
    wanted: Measure
    estimated: bool

    @classmethod
    def of(cls, sweep: OverValues, wanted: Measure) -> Drawing:
        """Return the kind of picture that fits the sweep."""
        swept = [SweptAxis.over(sweep, name) for name in sweep.over]
        as_map = len(swept) == 2 and min(len(one.values) for one in swept) > MOST_LINES
        if not as_map and len(swept) == 2 and _lines_of_the_first(*swept):
            swept.reverse()
        kind = "map" if as_map else "rows" if swept[0].words else "lines"
        points = {tuple(row.values[one.name] for one in swept): wanted.at(row.result) for row in sweep.rows}
        return cls(kind, swept, points, wanted, any(isinstance(row.result, Simulation) for row in sweep.rows))

    @property
    def bars(self) -> bool:
        """Whether intervals are drawn."""
        return self.estimated and self.wanted.interval and self.kind != "map"

    @property
    def second(self) -> str:
        """The name whose values have different colours; empty if there is none."""
        return self.swept[1].name if len(self.swept) == 2 else ""

    @property
    def shares(self) -> Mapping[int, float]:
        """Equal shares by value of the first name, if the measure is the chance of a seat."""
        return self.swept[0].shares if self.wanted.kind == "outcome" else {}

    def groups(self) -> list[Group]:
        """Return the results by value of the second name; all of them together if there is only one name."""
        first, *second = self.swept
        groups = []
        for other in second[0].values if second else [None]:
            keys = [(value,) if other is None else (value, other) for value in first.values]
            keys = [key for key in keys if key in self.points]
            numbers = np.array([self.points[key] for key in keys], np.float64).reshape(-1, 3)
            groups.append(Group("" if other is None else second[0].word(other), [key[0] for key in keys], numbers))
        return groups

    def notes(self) -> list[str]:
        """Return lines for the caption about estimates."""
        lines = []
        if self.estimated and self.wanted.kind == "fairness":
            measure = self.wanted.name.replace("_", " ")
            lines.append(f"chance alone raises the {measure} of estimates")
        if self.bars and any(isinf(end) for point in self.points.values() for end in point):
            lines.append("no bar: too few games for an interval with two ends")
        return lines


def _lines_of_the_first(first: SweptAxis, second: SweptAxis) -> bool:
    """Return whether the first name, not the second, has one line or colour for each value."""
    if len(second.values) > MOST_LINES:
        return True
    return bool(first.words) and not second.words and len(first.values) <= MOST_LINES
