"""Answer one question for a range of values of a parameter, or of an argument of a strategy."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dicelab.cluster.connect import Where, opened
from dicelab.errors import ParameterError
from dicelab.keywords import keywords
from dicelab.questions.sweeps.best import Best, best_of, both_vary, figure_of, in_words
from dicelab.questions.sweeps.points import Method, OverValues, SweepRow, points_of
from dicelab.results.base import present
from dicelab.results.numbers.fairness import MEASURES
from dicelab.results.provenance import about
from dicelab.results.result import Result, Simulation
from dicelab.results.rows import Progress, each
from dicelab.results.text.page import CHANCE, Page, decimals
from dicelab.results.text.writing import outcome_title
from dicelab.rules.game import Game
from dicelab.runtime.lineup import listed
from dicelab.runtime.strategies import Strategies

MOST_COLUMNS = 7
"""Limit of the outcomes that a table shows one by one; of more it shows the smallest and the largest probability."""


@dataclass(frozen=True, repr=False, kw_only=True)
class Sweep(OverValues):
    """Results for all values of one or two parameters or arguments.

    Attributes
    ----------
    strategies
        As given; empty for the default of the game. The results of the rows have those of all seats.
    over
        The names of what was varied.
    rows
        One for each value or pair of values, the last name varying fastest.
    exact
        How the rows were computed.
    best
        The best value and those that can't be told from it; None where values aren't compared.
    words
        What was found, as sentences: the best value, or why there is none.

    Examples
    --------
    >>> import dicelab
    >>> found = dicelab.sweep("lcr", over={"players": [2, 3]}, exact=True)
    >>> [round(row.result.fairness["gap"], 4) for row in found.rows]
    [0.2359, 0.0583]
    """

    best: Best | None = None
    words: list[str] = field(default_factory=list)

    method = "sweep"

    def _facts(self) -> dict[str, Any]:
        facts = {"over": list(self.over), "rows": [row.to_dict() for row in self.rows]}
        return facts | present(best=self.best and self.best.to_dict(), sentences=self.words)

    def _rows(self) -> list[dict[str, Any]]:
        columns, lines = _table([row.flat() for row in self.rows])
        return [{column: line.get(column) for column in columns} for line in lines]

    def _lines(self, page: Page) -> list[str]:
        many = max((len(row.result.outcomes) for row in self.rows), default=0) > MOST_COLUMNS
        columns, lines = _table([_parts(row, many, page) for row in self.rows])
        cells = [columns or ["no results"], *([line.get(column, "") for column in columns] for line in lines)]
        means = [column for column in columns if column.startswith("mean ")]
        table = page.table(cells, ["tot. variation", *reversed(means), "gap"], len(self.over))
        how = "exact" if self.exact else f"simulated, seed {self.seed}; ± half of the 95 % interval"
        found = [*self.words, ""] if self.words else []
        return [*self._head(page), "", *table, "", *found, self._how(how)]


def _table(rows: Sequence[Sequence[dict[str, Any]]]) -> tuple[list[str], list[dict[str, Any]]]:
    """The columns, and the cells of each line by column, of rows whose cells come in groups; groups stay together."""
    columns = list(dict.fromkeys(column for group in zip(*rows, strict=True) for part in group for column in part))
    return columns, [{name: cell for part in row for name, cell in part.items()} for row in rows]


def _parts(row: SweepRow, many: bool, page: Page) -> list[dict[str, str]]:
    """The cells of one row, by column, in four groups; of `many` outcomes only the extremes."""
    result = row.result
    chances = {
        outcome_title(name, result.seats, result.players): _number(p.probability, p.interval, CHANCE, result, page)
        for name, p in result.outcomes.items()
    }
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
    return (page.chance(value) if digits == CHANCE else page.number(value, digits)) + half


@keywords()
def sweep(
    game: str | os.PathLike[str] | type[Game] | Game,
    strategies: Strategies = (),
    *,
    over: Mapping[str, Iterable[Any]],
    exact: bool = False,
    games: int | None = None,
    precision: float | None = None,
    on: str | None = None,
    seed: int | None = None,
    threads: int | None = None,
    best_by: str | None = None,
    memory: int | None = None,
    store: str | os.PathLike[str] | None = None,
    cluster: Where | None = None,
    progress: Progress = lambda done, total: None,
    parameters: Mapping[str, object] | None = None,
    **more: object,
) -> Sweep:
    """Simulate or solve a game for each value of a parameter, or of an argument of a strategy.

    Parameters
    ----------
    game, strategies, games, precision, on, threads
        As in `dicelab.simulate`. The strategy ``best`` stands for optimal play, of one seat or of all: the game is then
        solved at every point, exactly.
    over
        One or two names, each with its values. A name is a parameter of the game, a strategy with one argument, or
        ``strategy.argument``; the argument varies in every seat whose strategy is written without arguments.
    exact
        Solve exactly instead of simulating.
    seed
        The same for every row, so that rows differ by the values and not by the dice.
    best_by
        By which figure the best value is named: an outcome, a tally, or of exact rows a measure of fairness, of which
        the smallest is best; ``least:FIGURE`` for the smallest of another. The default is the mean of the tally
        ``money``, the outcome ``win``, or the win of the only seat whose strategy varies; otherwise none is named.
    memory, store
        As in `dicelab.exact` and `dicelab.simulate`, for each row.
    cluster
        As in `dicelab.simulate`; one connection for all rows.
    progress
        Called with the number of completed rows and the number of all.
    parameters, **more
        Parameters of the game that are not at their default: by name, or, also where they have the name of one of these
        arguments, as a mapping.

    Raises
    ------
    InputError, PlayError

    Examples
    --------
    >>> found = sweep("hazard", over={"main": range(5, 10)}, exact=True)
    >>> [str(row.result.outcomes["win"].fraction) for row in found.rows]
    ['1396/2835', '6961/14256', '244/495', '6961/14256', '1396/2835']
    >>> found.best.values
    {'main': 7}
    """
    points = points_of(game, strategies, over, {**(parameters or {}), **more})
    by = figure_of(points, best_by)
    settings: dict[str, Any] = {"games": games, "precision": precision, "on": on, "threads": threads, "memory": memory}
    with opened(cluster) as workers:
        method = Method.of(points, exact, seed, **settings, store=store, cluster=workers)
        if by is not None and by[0] in MEASURES and not method.exact:
            raise ParameterError(f"best by: estimates have no interval of {by[0]}; add --exact")
        rows, ending = each(points, method.row, progress)
    facts = about(points[0].game, listed(points[0].game, strategies), without=list(over)) | ending
    best = best_of(rows, *by) if by is not None and len(points) > 1 else None
    words = both_vary(points, tuple(over)) if best is None else in_words(best, rows, method.exact)
    known: dict[str, Any] = {"over": tuple(over), "rows": rows, "best": best, "words": words}
    return Sweep(**facts, **known, exact=method.exact, seed=method.seed)
