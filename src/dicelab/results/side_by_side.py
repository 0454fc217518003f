"""A simulation beside the exact answer, with their differences in standard errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isnan, sqrt
from typing import Any

from dicelab.errors import ParameterError
from dicelab.results.base import BaseResult
from dicelab.results.numbers.estimates import Average, Chance, Distribution, Proportion, point
from dicelab.results.result import Exact, Simulation
from dicelab.results.text.page import CHANCE, Printing, decimals
from dicelab.results.text.table import Column, Table, or_dash, z_text
from dicelab.results.text.writing import chance_line, many, outcome_text


def z_score(estimate: float, truth: float, sd: float, games: int) -> float | None:
    """Difference of an estimate and the exact value in standard errors; None if they differ without any variation.

    >>> z_score(0.55, 0.5, 0.5, 100)
    1.0000000000000009
    """
    nothing = 1e-9 * (1 + abs(truth))  # smaller differences are rounding errors
    if sd > nothing and games:
        return (estimate - truth) / (sd / sqrt(games))
    return 0.0 if abs(estimate - truth) <= nothing else None


def z_of(simulated: Proportion | Average, exact: Chance | Distribution) -> float | None:
    """Return the difference of an estimated probability or mean and the exact one in standard errors, as `z_score`."""
    truth = point(exact).value
    sd = sqrt(max(0.0, truth * (1 - truth))) if isinstance(exact, Chance) else exact.sd
    return z_score(point(simulated).value, truth, sd, simulated.games)


@dataclass(frozen=True, repr=False, init=False)
class Beside(BaseResult):
    """A simulation and the exact answer to the same question.

    Attributes
    ----------
    simulation, exact
        The two results.

    Raises
    ------
    ParameterError
        When they are about different games, parameters or strategies.

    Examples
    --------
    >>> import dicelab
    >>> played = dicelab.simulate("hazard", main=7, games=1000, seed=1)
    >>> beside = dicelab.Beside(played, dicelab.exact("hazard", main=7))
    >>> [round(row["z"], 2) for row in beside.rows[:2]]
    [-1.64, 1.64]
    """

    simulation: Simulation
    exact: Exact

    method, entries = Simulation.method, Simulation.entries

    def __init__(self, simulation: Simulation, exact: Exact) -> None:
        for name in ("game", "parameters", "strategies", "source_hash"):
            one, other = getattr(simulation, name), getattr(exact, name)
            if one != other:
                raise ParameterError(
                    f"simulation and exact answer are about different questions: {name} {one} and {other}"
                )
        super().__init__(**simulation.common)
        object.__setattr__(self, "simulation", simulation)
        object.__setattr__(self, "exact", exact)

    @property
    def games(self) -> int:
        """Number of simulated games."""
        return self.simulation.games

    @property
    def outcomes(self) -> Mapping[str, Proportion]:
        """The simulated outcomes; the exact ones are those of `exact`."""
        return self.simulation.outcomes

    @property
    def tallies(self) -> Mapping[str, Average]:
        """The simulated tallies; the exact ones are those of `exact`."""
        return self.simulation.tallies

    @property
    def rows(self) -> list[dict[str, Any]]:
        """One row for each outcome and each mean: simulated with its interval, exact, z."""
        return self._table().data()

    def _table(self) -> Table:
        both: list[tuple[str, str, Proportion | Average, Chance | Distribution]]
        both = [("outcome", name, self.outcomes[name], exact) for name, exact in self.exact.outcomes.items()]
        both += [("tally", name, self.tallies[name], exact) for name, exact in self.exact.tallies.items()]
        rows = [
            (kind, name, point(simulated), point(exact).value, z_of(simulated, exact))
            for kind, name, simulated, exact in both
            if not isnan(point(exact).value)
        ]

        def title(page: Printing, row: Any) -> str:
            return outcome_text(row[1], self.exact.seats and row[0] == "outcome", self.players)

        def digits(row: Any) -> int:
            return CHANCE if row[0] == "outcome" else decimals(row[2][1:])

        def shown(page: Printing, row: Any, value: float, more: int = 0) -> str:
            return page.chance(value) if row[0] == "outcome" else page.number(value, min(CHANCE, digits(row) + more))

        def data(row: Any) -> dict[str, Any]:
            return {"kind": row[0], "name": row[1], **row[2].to_dict("simulated"), "exact": row[3]}

        columns = [
            Column("*", title, "", data=data),
            Column("", lambda page, row: shown(page, row, row[2].value), "simulated"),
            Column("", lambda page, row: page.span(row[2][1:], digits(row)), "95 % interval"),
            Column("", lambda page, row: shown(page, row, row[3], 2), "exact"),
            Column("z", or_dash(z_text), value=lambda row: row[4]),
        ]
        return Table(columns, rows)

    def _sentence(self) -> str:
        return self.exact.summary

    def _facts(self) -> dict[str, Any]:  # those of the simulation, and the exact numbers beside each of its numbers
        facts, truth = self.simulation._facts(), self.exact._facts()
        for kind in ("outcomes", "tallies"):
            for name, number in truth[kind].items():
                facts[kind][name]["exact"] = number
        for row in self.rows:
            facts["outcomes" if row["kind"] == "outcome" else "tallies"][row["name"]]["z"] = row["z"]
        fair = {"fairness": truth["fairness"]} if "fairness" in truth else {}
        return facts | {"exact": self.exact.how() | {"seconds": self.exact.seconds} | fair}

    def _lines(self, page: Printing) -> list[str]:
        run = self.simulation
        about = f"{many(run.games, 'game')}, seed {run.seed}, {run.engine} engine; "
        about += f"exact: {many(self.exact.states, 'state')}"
        chance = chance_line(sum(row["z"] is not None for row in self.rows))
        return [*super()._lines(page), "", *chance, about, *run.where]
