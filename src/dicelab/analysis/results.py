"""What a run of games came to: estimates with their intervals, and all that is needed to run it again."""

from __future__ import annotations

import html
import json
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from dicelab.analysis.intervals import mean_interval, moments, percentile, wilson
from dicelab.engines.tally import Tallied

SCHEMA = 1


@dataclass(frozen=True)
class Proportion:
    """Estimated probability of an outcome, with its 95 % interval (Wilson)."""

    count: int
    games: int

    @property
    def probability(self) -> float:
        """Share of the games; 0 when none was played."""
        return self.count / self.games if self.games else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval (Wilson)."""
        return wilson(self.count, self.games)

    def to_dict(self) -> dict[str, float]:
        """Plain data, as in the JSON of the command line."""
        low, high = self.interval
        return {"probability": self.probability, "low": low, "high": high, "count": self.count}


@dataclass(frozen=True)
class Average:
    """Distribution of a tally over the games: mean with its 95 % interval, deviation, percentiles, histogram."""

    histogram: Counter[int] = field(repr=False)

    @cached_property
    def moments(self) -> tuple[float, float]:
        """Mean and standard deviation."""
        return moments(self.histogram)

    @property
    def mean(self) -> float:
        """Mean over the games."""
        return self.moments[0]

    @property
    def sd(self) -> float:
        """Standard deviation over the games."""
        return self.moments[1]

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the mean (normal)."""
        return mean_interval(self.mean, self.sd, sum(self.histogram.values()))

    def percentile(self, p: float) -> int:
        """Smallest value that a share of at least `p` of the games does not exceed."""
        return percentile(self.histogram, p)

    def to_dict(self) -> dict[str, float]:
        """Plain data, as in the JSON of the command line."""
        if not self.histogram:
            return {}
        low, high = self.interval
        return {
            "mean": self.mean,
            "low": low,
            "high": high,
            "sd": self.sd,
            "min": min(self.histogram),
            "p10": self.percentile(0.1),
            "p50": self.percentile(0.5),
            "p90": self.percentile(0.9),
            "max": max(self.histogram),
        }


@dataclass(frozen=True)
class Simulation:
    """Result of a simulation.

    Attributes
    ----------
    game, parameters, strategies
        What was played; one strategy for each seat.
    games, seed
        Games 0 to ``games - 1`` of the seed were played.
    engine, threads, seconds
        How, and for how long, without start-up and compilation.
    interrupted
        It was stopped before the end; the games played are the first ones.
    note
        Why the engine is not the one hoped for; empty when it is.
    version, source_hash
        Of dicelab, and of the file of the game.

    Examples
    --------
    >>> import dicelab
    >>> result = dicelab.simulate("hazard", main=7, games=1000, seed=1, engine="reference")
    >>> result.outcomes["win"].count + result.outcomes["lose"].count
    1000
    """

    game: str
    parameters: dict[str, int | bool]
    strategies: list[str]
    games: int
    seed: int
    engine: str
    threads: int
    seconds: float
    version: str
    source_hash: str
    outcome_names: tuple[str, ...]
    tally_names: tuple[str, ...]
    tallied: Tallied = field(repr=False)
    interrupted: bool = False
    note: str = ""

    @property
    def outcomes(self) -> dict[str, Proportion]:
        """Estimate for each outcome, by name."""
        counts = zip(self.outcome_names, self.tallied.counts, strict=False)
        return {name: Proportion(count, self.games) for name, count in counts}

    @cached_property
    def tallies(self) -> dict[str, Average]:
        """Distribution of each tally, by name."""
        return {name: Average(self.tallied.histogram(k)) for k, name in enumerate(self.tally_names)}

    def to_dict(self) -> dict[str, Any]:
        """Plain data with the keys of the command line's ``--json``."""
        out = {
            "schema": SCHEMA,
            "method": "simulate",
            "game": self.game,
            "parameters": self.parameters,
            "strategies": self.strategies,
            "games": self.games,
            "seed": self.seed,
            "engine": self.engine,
            "threads": self.threads,
            "outcomes": {name: p.to_dict() for name, p in self.outcomes.items()},
            "tallies": {name: t.to_dict() for name, t in self.tallies.items()},
            "seconds": self.seconds,
            "version": self.version,
            "source_hash": self.source_hash,
        }
        if self.interrupted:
            out["interrupted"] = True
        if self.note:
            out["note"] = self.note
        return out

    def to_json(self) -> str:
        """One JSON object."""
        return json.dumps(self.to_dict())

    def to_frame(self) -> Any:
        """A pandas table with one row for each outcome and each tally; needs pandas to be installed."""
        import pandas

        rows = [{"kind": "outcome", "name": name, **p.to_dict()} for name, p in self.outcomes.items()]
        rows += [{"kind": "tally", "name": name, **t.to_dict()} for name, t in self.tallies.items()]
        return pandas.DataFrame(rows)

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"

    def __str__(self) -> str:
        return "\n".join([*_heading(self), *_outcome_lines(self), *_tally_lines(self), *_footer(self)])


def _heading(result: Simulation) -> list[str]:
    yes_no = {True: "yes", False: "no"}
    words = [f"{n} {yes_no[v] if isinstance(v, bool) else v}" for n, v in result.parameters.items()]
    lines = [f"{result.game}: {', '.join(words)}" if words else result.game]
    if result.strategies:
        lines.append("strategies: " + ", ".join(f"{seat} {text}" for seat, text in enumerate(result.strategies)))
    return [*lines, ""]


def _outcome_lines(result: Simulation) -> list[str]:
    if not result.outcomes or not result.games:
        return []
    rows = [["outcome", "probability", "95 % interval", "games"]]
    for name, p in result.outcomes.items():
        low, high = p.interval
        rows.append([name, f"{p.probability:.6f}", f"{low:.6f} .. {high:.6f}", f"{p.count:,}"])
    return [*aligned(rows), ""]


def _tally_lines(result: Simulation) -> list[str]:
    if not result.tallies or not result.games:
        return []
    rows = [["tally", "mean", "95 % interval", "sd", "min", "p10", "p50", "p90", "max"]]
    for name, t in result.tallies.items():
        low, high = t.interval
        numbers = [f"{v:,}" for v in (min(t.histogram), *map(t.percentile, (0.1, 0.5, 0.9)), max(t.histogram))]
        rows.append([name, f"{t.mean:.4f}", f"{low:.4f} .. {high:.4f}", f"{t.sd:.4f}", *numbers])
    return [*aligned(rows), ""]


def _footer(result: Simulation) -> list[str]:
    threads = f", {result.threads} threads" if result.threads > 1 else ""
    stopped = "stopped after " if result.interrupted else ""
    return [
        f"{stopped}{result.games:,} games, seed {result.seed}, {result.engine} engine{threads}, {result.seconds:.3f} s"
    ]


def aligned(rows: list[list[str]]) -> list[str]:
    r"""Rows of text as lines with aligned columns: the first to the left, the others to the right.

    >>> print("\n".join(aligned([["a", "b"], ["long", "10"]])))
    a      b
    long  10
    """
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [row[0].ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(row[1:], widths[1:], strict=True))]
        lines.append("  ".join(cells).rstrip())
    return lines
