"""The measure that a picture of a sweep shows: one number of each result, chosen by name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, nan
from typing import Protocol

from dicelab.errors import ParameterError, unknown
from dicelab.plots.words import mean_of, probability_of
from dicelab.results.fairness import MEASURES
from dicelab.results.result import Result

PERCENTILE = re.compile(r"p(\d+(?:\.\d+)?):(.*)", re.DOTALL)
"""A percentile, such as ``p90:turns``."""


class Row(Protocol):
    """One point of a sweep."""

    @property
    def values(self) -> Mapping[str, int]:
        """The swept values, by name."""
        ...

    @property
    def result(self) -> Result:
        """The result at these values."""
        ...


class Rows(Protocol):
    """A sweep, such as `dicelab.analysis.sweep.Sweep`."""

    @property
    def game(self) -> str:
        """Name of the game."""
        ...

    @property
    def names(self) -> tuple[str, ...]:
        """The swept names: one or two."""
        ...

    @property
    def rows(self) -> Sequence[Row]:
        """One row per value, or pair of values."""
        ...


Point = tuple[float, float, float]
"""A number and the ends of its interval; nan where a result does not have it."""


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
        Label of an axis.
    title
        Title of the picture.
    share
        For a percentile, its probability; else nan.
    """

    name: str
    kind: str
    label: str
    title: str
    share: float = nan

    @classmethod
    def of(cls, sweep: Rows, measure: str | None) -> Measure:
        """The measure with that name, or the default measure of a sweep if it is None."""
        results = [row.result for row in sweep.rows]
        first, seats = results[0], all(result.seats for result in results)
        outcomes = list(dict.fromkeys(name for result in results for name in result.outcomes))
        if not outcomes and not first.tally_names:
            raise ParameterError(f"{sweep.game} has neither outcomes nor tallies")
        if measure is None:
            varying = seats and len({len(result.outcomes) for result in results}) > 1
            measure = "gap" if varying else [*outcomes, *first.tally_names][0]
        if measure in outcomes:
            return cls(measure, "outcome", probability_of(measure, seats), probability_of(measure, seats))
        if measure in first.tally_names:
            return cls(measure, "tally", mean_of(measure), mean_of(measure))
        if seats and measure in MEASURES:
            return cls(measure, "fairness", measure.replace("_", " "), MEASURES[measure])
        asked = PERCENTILE.fullmatch(measure)
        if asked and asked[2] in first.tally_names:
            if not 0 < float(asked[1]) <= 100:
                raise ParameterError(f"{measure}: p{asked[1]} is not allowed; a percentile is above 0 and at most 100")
            label = f"p{asked[1]} of {asked[2]} in a game"
            return cls(asked[2], "percentile", label, label, float(asked[1]) / 100)
        known = [*outcomes, *first.tally_names, *(f"p90:{name}" for name in first.tally_names)]
        raise unknown(f"measure of {sweep.game}", measure, [*known, *(MEASURES if seats else ())])

    @property
    def interval(self) -> bool:
        """Whether estimates of this measure have an interval."""
        return self.kind != "fairness"

    def at(self, result: Result) -> Point:
        """The value in a result, and the ends of its interval."""
        if self.kind == "fairness":
            value = result.fairness[self.name]
            return (value, value, value) if isfinite(value) else (nan, nan, nan)
        if self.kind == "outcome":
            chance = result.outcomes.get(self.name)
            return (chance.probability, *chance.interval) if chance else (nan, nan, nan)
        tally = result.tallies[self.name]
        if self.kind == "tally":
            return (tally.mean, *tally.interval)
        at, ends = tally.percentile(self.share), tally.percentile_interval(self.share)
        return (nan, nan, nan) if at is None or ends is None else (at, *ends)
