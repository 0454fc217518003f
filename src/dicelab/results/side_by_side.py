"""A simulation beside the exact answer, with their differences in standard errors."""

from __future__ import annotations

import html
import json
from dataclasses import dataclass
from math import inf, isnan, sqrt
from typing import Any

from dicelab.errors import ParameterError
from dicelab.results.estimates import known
from dicelab.results.result import Exact, Simulation
from dicelab.results.writing import aligned, chance_line, frame, heading, many, span


def z_score(estimate: float, truth: float, sd: float, games: int) -> float | None:
    """Difference of an estimate and the exact value in standard errors; None if they differ without any variation.

    >>> z_score(0.55, 0.5, 0.5, 100)
    1.0000000000000009
    """
    nothing = 1e-9 * (1 + abs(truth))  # smaller differences are rounding errors
    if sd > nothing and games:
        return (estimate - truth) / (sd / sqrt(games))
    return 0.0 if abs(estimate - truth) <= nothing else None


@dataclass(frozen=True, repr=False)
class Beside:
    """A simulation and the exact answer to the same question.

    Raises
    ------
    ParameterError
        When they are about different games, parameters or strategies.
    """

    simulation: Simulation
    exact: Exact

    def __post_init__(self) -> None:
        for name in ("game", "parameters", "strategies", "source_hash"):
            one, other = getattr(self.simulation, name), getattr(self.exact, name)
            if one != other:
                raise ParameterError(
                    f"simulation and exact answer are about different questions: {name} {one} and {other}"
                )

    @property
    def rows(self) -> list[dict[str, Any]]:
        """One row for each outcome and each mean: simulated with its interval, exact, z."""
        games, rows = self.simulation.games, []
        for name, chance in self.exact.outcomes.items():
            share, p = self.simulation.outcomes[name], chance.probability
            z = z_score(share.probability, p, sqrt(max(0.0, p * (1 - p))), games)
            rows.append(_row("outcome", name, share.probability, share.interval, p, z))
        for name, tally in self.exact.tallies.items():
            if isnan(tally.mean):
                continue
            average = self.simulation.tallies[name]
            z = z_score(average.mean, tally.mean, tally.sd, games)
            rows.append(_row("tally", name, average.mean, average.interval, tally.mean, z))
        return rows

    def to_dict(self) -> dict[str, Any]:
        """The simulation as plain data, with the exact answer and the z-scores."""
        scores: dict[str, dict[str, float | None]] = {"outcomes": {}, "tallies": {}}
        for row in self.rows:
            scores["outcomes" if row["kind"] == "outcome" else "tallies"][row["name"]] = row["z"]
        return self.simulation.to_dict() | {"exact": self.exact.to_dict(), "z": scores}

    def to_json(self) -> str:
        """One JSON object."""
        return json.dumps(self.to_dict(), allow_nan=False)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"

    def to_frame(self) -> Any:
        """A pandas table of the rows."""
        return frame(self.rows)

    def __str__(self) -> str:
        table = [["", "simulated", "95 % interval", "exact", "z"]]
        for row in self.rows:
            places = 6 if row["kind"] == "outcome" else 4
            z = "-" if row["z"] is None else f"{row['z']:+.2f}"
            low, high = row["low"], row["high"]
            interval = span((-inf if low is None else low, inf if high is None else high), places)
            table.append([row["name"], f"{row['simulated']:.{places}f}", interval, f"{row['exact']:.{places + 2}f}", z])
        run, exact = self.simulation, self.exact
        about = f"{many(run.games, 'game')}, seed {run.seed}, {run.engine} engine; exact: {many(exact.states, 'state')}"
        chance = chance_line(sum(row["z"] is not None for row in self.rows))
        lines = [*heading(run.game, run.parameters, run.strategies), "", *aligned(table), "", *chance]
        return "\n".join([*lines, about, *run.where])


def _row(
    kind: str, name: str, simulated: float, interval: tuple[float, float], exact: float, z: float | None
) -> dict[str, Any]:
    low, high = interval
    return {
        "kind": kind,
        "name": name,
        "simulated": simulated,
        "low": known(low),
        "high": known(high),
        "exact": exact,
        "z": z,
    }
