"""The measure that a picture of a sweep shows: one number of each result, chosen by name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, nan

from dicelab.errors import ParameterError, unknown
from dicelab.plots.drawing.words import mean_of
from dicelab.questions.sweeps.points import OverValues
from dicelab.results.numbers.estimates import Point
from dicelab.results.numbers.fairness import MEASURES
from dicelab.results.result import Result
from dicelab.results.text.writing import probability_of

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
        """The measure with that name, or the default measure of a sweep if it is None."""
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
        """A percentile of a tally."""
        if not 0 < float(percent) <= 100:
            raise ParameterError(f"{measure}: p{percent} is not allowed; a percentile is above 0 and at most 100")
        return cls(tally, "percentile", f"p{percent} of {tally} in a game", float(percent) / 100)

    @property
    def interval(self) -> bool:
        """Whether estimates of this measure have an interval."""
        return self.kind != "fairness"

    def at(self, result: Result) -> Point:
        """The value in a result, and the ends of its interval; `NOTHING` where the result does not have it."""
        if self.kind == "percentile":
            tally = result.tallies[self.name]
            at, ends = tally.percentile(self.share), tally.percentile_interval(self.share)
            return NOTHING if at is None or ends is None else Point(at, *ends)
        found = result.point(self.name)
        return found if isfinite(found[0]) else NOTHING


def _varying(results: Sequence[Result]) -> bool:
    """Whether the outcomes are seats, and their number varies."""
    return all(result.seats for result in results) and len({len(result.outcomes) for result in results}) > 1


def _outcomes(results: Sequence[Result]) -> list[str]:
    """The outcomes of all results, each once."""
    return list(dict.fromkeys(name for result in results for name in result.outcomes))
