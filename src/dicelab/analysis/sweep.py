"""Answer one question for a range of values of a parameter, or of an argument of a strategy."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

from dicelab.analysis.exact import exact as solve_exactly
from dicelab.analysis.ranges import MOST, Swept, written
from dicelab.analysis.simulate import seed_of, simulate, simulated_only
from dicelab.errors import ParameterError
from dicelab.results.base import BaseResult
from dicelab.results.estimates import flat, known
from dicelab.results.page import CHANCE, Page, decimals
from dicelab.results.provenance import about
from dicelab.results.result import Result, Simulation, row_of
from dicelab.results.rows import Progress, completed, each
from dicelab.rules.game import Game
from dicelab.runtime.lineup import Run, as_texts

MOST_COLUMNS = 7
"""Limit of the outcomes that a table shows one by one; of more it shows the smallest and the largest probability."""


@dataclass(frozen=True)
class SweepRow:
    """One point of a sweep: the values there, and the result."""

    values: dict[str, int]
    result: Result

    @property
    def shown_values(self) -> dict[str, int | str]:
        """The values for display: their names, if they have names."""
        shown = self.result.parameters
        return {n: shown[n] if isinstance(shown.get(n), str) else value for n, value in self.values.items()}

    def to_dict(self) -> dict[str, Any]:
        """Plain data: the keys of the result, and the values at this point."""
        return {"over": self.shown_values, **row_of(self.result)}

    def flat(self) -> list[dict[str, Any]]:
        """One line of a table, by column, in four groups: values, outcomes, tallies, fairness."""
        outcomes: dict[str, Any] = {}
        for name, chance in self.result.outcomes.items():
            outcomes[name] = chance.probability
            outcomes[f"{name} low"], outcomes[f"{name} high"] = chance.interval
        line: dict[str, Any] = {}
        for name, tally in self.result.tallies.items():
            data = flat(tally.to_dict())
            line |= {
                f"{name} {key}": data[key] for key in ("mean", "low", "high", "sd", "p10", "p50", "p90") if key in data
            }
        return [dict(self.shown_values), outcomes, line, {name: known(v) for name, v in self.result.fairness.items()}]


@dataclass(frozen=True, repr=False, kw_only=True)
class Sweep(BaseResult):
    """Results for all values of one or two parameters or arguments.

    Attributes
    ----------
    strategies
        As given; empty for the default of the game. The results of the rows have those of all seats.
    names
        The names of what was varied.
    rows
        One for each value or pair of values, the last name varying fastest.
    exact
        How the rows were computed.
    """

    names: tuple[str, ...]
    rows: list[SweepRow]
    exact: bool

    method = "sweep"

    def _facts(self) -> dict[str, Any]:
        return {"over": list(self.names), "rows": [row.to_dict() for row in self.rows]}

    def to_csv(self, full: bool = False) -> str:
        """CSV with one line for each row and a header; cells of columns that a row doesn't have are empty.

        Numbers have six decimal places, or all their digits if `full`.
        """
        columns, lines = _table([row.flat() for row in self.rows])
        if not full:
            lines = [{name: f"{v:.6f}" if isinstance(v, float) else v for name, v in line.items()} for line in lines]
        text = io.StringIO()
        table = csv.DictWriter(text, columns, lineterminator="\n")
        table.writeheader()
        table.writerows(lines)
        return text.getvalue()

    def _rows(self) -> list[dict[str, Any]]:
        columns, lines = _table([row.flat() for row in self.rows])
        return [{column: line.get(column) for column in columns} for line in lines]

    def _lines(self, page: Page) -> list[str]:
        many = max((len(row.result.outcomes) for row in self.rows), default=0) > MOST_COLUMNS
        columns, lines = _table([_parts(row, many, page) for row in self.rows])
        cells = [columns or ["no results"], *([line.get(column, "") for column in columns] for line in lines)]
        means = [column for column in columns if column.startswith("mean ")]
        table = page.table(cells, ["tot. variation", *reversed(means), "gap"], len(self.names))
        how = "exact" if self.exact else f"simulated, seed {self.seed}; ± half of the 95 % interval"
        how += f"; {self.unfinished}" if self.unfinished else ""
        head = page.head(f"{self.game} over {' and '.join(self.names)}", self.parameters, self.differing)
        return [*head, "", *table, "", how]


def _table(rows: Sequence[Sequence[dict[str, Any]]]) -> tuple[list[str], list[dict[str, Any]]]:
    """The columns, and the cells of each line by column, of rows whose cells come in groups; groups stay together."""
    columns = list(dict.fromkeys(column for group in zip(*rows, strict=True) for part in group for column in part))
    return columns, [{name: cell for part in row for name, cell in part.items()} for row in rows]


def _parts(row: SweepRow, many: bool, page: Page) -> list[dict[str, str]]:
    """The cells of one row, by column, in four groups; of `many` outcomes only the extremes."""
    result = row.result
    chances = {name: _number(p.probability, p.interval, CHANCE, result, page) for name, p in result.outcomes.items()}
    if many:
        found = [p.probability for p in result.outcomes.values()]
        chances = {"smallest": page.chance(min(found)), "largest": page.chance(max(found))} if found else {}
    tallies = result.tallies.items()
    means = {f"mean {n}": _number(t.mean, t.interval, decimals(t.interval), result, page) for n, t in tallies}
    fair = result.fairness
    far = {"gap": page.chance(fair["gap"]), "tot. variation": page.chance(fair["total_variation"])} if fair else {}
    values = {name: value if isinstance(value, str) else f"{value:,}" for name, value in row.shown_values.items()}
    return [values, chances, means, far]


def _number(value: float, interval: tuple[float, float], digits: int, result: Result, page: Page) -> str:
    half = f" {page.plus_minus(interval, digits)}" if isinstance(result, Simulation) else ""
    return page.number(value, digits) + half


def sweep(
    game: Any,
    strategies: str | Sequence[str] = (),
    *,
    over: Mapping[str, Iterable[int]],
    exact: bool = False,
    games: int | None = None,
    precision: float | None = None,
    on: str | None = None,
    seed: int | None = None,
    threads: int | None = None,
    memory: int | None = None,
    store: str | os.PathLike[str] | None = None,
    progress: Progress = lambda done, total: None,
    **parameters: object,
) -> Sweep:
    """Simulate or solve a game for each value of a parameter, or of an argument of a strategy.

    Parameters
    ----------
    game, strategies, games, precision, on, threads, **parameters
        As in `dicelab.simulate`.
    over
        One or two names, each with its values. A name is a parameter of the game, a strategy with one argument, or
        ``strategy.argument``; the argument varies in every seat whose strategy is written without arguments.
    exact
        Solve exactly instead of simulating.
    seed
        The same for every row, so that rows differ by the values and not by the dice.
    memory
        As in `dicelab.exact`.
    store
        As in `dicelab.simulate` and `dicelab.exact`, for each row.
    progress
        Called with the number of completed rows and the number of all.

    Raises
    ------
    InputError, PlayError

    Examples
    --------
    >>> found = sweep("hazard", over={"main": range(5, 10)}, exact=True)
    >>> [str(row.result.outcomes["win"].fraction) for row in found.rows]
    ['1396/2835', '6961/14256', '244/495', '6961/14256', '1396/2835']
    """
    if exact:
        simulated_only(games=games, precision=precision, on=on)
    points = planned(game, strategies, over, parameters)
    number = None if exact else seed_of(points[0][1], seed, store)

    def row(point: tuple[dict[str, int], Run]) -> SweepRow:
        values, run = point
        if exact:
            return SweepRow(
                values, solve_exactly(run.game, run.strategies, threads=threads, memory=memory, store=store)
            )
        settings: dict[str, Any] = {"games": games, "precision": precision, "on": on, "seed": number, "store": store}
        return SweepRow(values, completed(simulate(run.game, run.strategies, threads=threads, **settings)))

    rows, ending = each(points, row, progress)
    facts = about(points[0][1].game, as_texts(strategies), without=list(over)) | ending
    return Sweep(**facts, names=tuple(over), rows=rows, exact=exact, seed=number)


def planned(
    game: Any, strategies: str | Sequence[str], over: Mapping[str, Iterable[int]], parameters: Mapping[str, object]
) -> list[tuple[dict[str, int], Run]]:
    """The points of a sweep: the values, and the game with its strategies there.

    Raises
    ------
    InputError
        When something given is unknown or not allowed at any point.
    """
    if not hasattr(over, "items"):
        raise ParameterError(f"over: {over!r} is not allowed; give names, each with its values")
    if not 1 <= len(over) <= 2:
        raise ParameterError(f"a sweep goes over one or two things, not {len(over)}")
    table = Run.of(game).game
    kind = type(table)
    swept = _swept(kind, over, parameters)
    texts = as_texts(strategies) or [one.strategy for one in swept if one.strategy][:1]
    points = []
    for point in product(*(one.values for one in swept)):
        given = dict(parameters) | {s.name: value for s, value in zip(swept, point, strict=True) if not s.strategy}
        run = Run.of(game if isinstance(game, Game) else kind, written(kind, texts, swept, point), **given)
        points.append((dict(zip([one.name for one in swept], point, strict=True)), run))
    return points


def _swept(kind: type[Game], over: Mapping[str, Iterable[int]], parameters: Mapping[str, object]) -> list[Swept]:
    """What is swept, all different and none of it given as well."""
    swept = [Swept.of(kind, name, values) for name, values in over.items()]
    if len({(one.strategy or one.name, one.argument) for one in swept}) < len(swept):
        raise ParameterError(f"over: two names mean the same: {' and '.join(over)}")
    for one in swept:
        if one.name in parameters:
            raise ParameterError(f"{one.name} can't be both given and swept")
    if prod(len(one.values) for one in swept) > MOST:
        raise ParameterError(f"a sweep has at most {MOST:,} points")
    return swept
