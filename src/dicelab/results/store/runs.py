"""What is in a store: its runs listed, shown, compared and deleted."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from math import sqrt
from operator import itemgetter
from typing import Any

from dicelab.errors import StoreError
from dicelab.results.base import BaseResult, Forms, head, present
from dicelab.results.result import Simulation
from dicelab.results.store.database import Database, is_live
from dicelab.results.store.encoding import OtherVersion, from_bytes
from dicelab.results.store.games import Segment
from dicelab.results.text.page import CHANCE, Printing, TextCell
from dicelab.results.text.table import Column, Table, Text, Z, count, figure, plain, z_text
from dicelab.results.text.writing import many
from dicelab.rules.params import as_integer

COLUMNS = "id, question, begun, changed, seconds, writer, until, answer IS NOT NULL, checkpoint IS NOT NULL"
GAMES = "(SELECT max(high) FROM totals WHERE totals.run = run.id)"


@dataclass(frozen=True)
class StoredRun:
    """One run of a store.

    Attributes
    ----------
    id
        Its number in this store.
    question
        All that identifies it, as plain data: method, game, hash of the rules, parameters, strategies, seed, versions.
    games
        Number of stored games; None for other methods than ``simulate``.
    seconds
        Time spent on it, in seconds, over all calls.
    begun, changed
        When, in seconds since 1970.
    state
        ``done``; ``empty``, ``checkpoint`` where there is no result yet; ``busy`` while a process computes it.
    result
        The result, if it was asked for and there is one.

    Examples
    --------
    >>> question = {"method": "simulate", "game": "hazard", "settings": {}, "strategies": [], "seed": 1}
    >>> run = StoredRun(1, question, games=1000, seconds=0.01, begun=0.0, changed=0.0, state="done")
    >>> run.method, run.game, run.games
    ('simulate', 'hazard', 1000)
    """

    id: int
    question: dict[str, Any]
    games: int | None
    seconds: float
    begun: float
    changed: float
    state: str
    result: BaseResult | None = None

    @property
    def method(self) -> str:
        """The method: ``simulate``, ``exact``, ``solve`` or ``learn``."""
        return str(self.question["method"])

    @property
    def game(self) -> str:
        """The game with the parameters that differ from their defaults."""
        settings = self.question["settings"]
        return Printing().head(self.question["game"], settings, settings)[0]

    @property
    def strategies(self) -> list[str]:
        """The strategies as they are typed, one text for each seat; those of older files with all their arguments."""
        free = {"solve": "best", "learn": "learned"}.get(self.method)
        typed = self.question.get("shown") or [
            ":".join([name, *map(str, args)]) for name, args, _ in self.question["strategies"]
        ]
        return [free if free and seat in self.question["seats"] else text for seat, text in enumerate(typed)]

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        times = {name: _when(getattr(self, name)) for name in ("begun", "changed")}
        return {
            "run": self.id,
            "state": self.state,
            "games": self.games,
            "seconds": self.seconds,
            **times,
            "question": self.question,
            **({} if self.result is None else {"result": self.result.to_dict()}),
        }


def _when(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


@dataclass(frozen=True, repr=False)
class Runs(Forms):
    """The runs of a store, the latest first.

    Attributes
    ----------
    path
        The file.
    rows
        A `StoredRun` for each.

    Examples
    --------
    >>> Runs("runs.db", [])
    <Runs runs.db: 0 rows>
    """

    path: str
    rows: list[StoredRun]

    def to_dict(self) -> dict[str, Any]:  # noqa: D102 (as in Forms)
        return head("runs") | {"store": self.path, "rows": [row.to_dict() for row in self.rows]}

    def _table(self) -> Table:
        def asked(name: str) -> Callable[[StoredRun], Any]:
            return lambda run: run.question[name]

        def strategies(page: Printing, each: list[str]) -> str:
            return TextCell(each[0] if len({*each}) == 1 else ", ".join(each))

        def changed(page: Printing, run: StoredRun) -> str:  # on pages as everywhere in the lab, in UTC
            return TextCell(f"{datetime.fromtimestamp(run.changed, UTC if page.roomy else None):%Y-%m-%d %H:%M}")

        columns = [
            Column("run", plain, value=lambda run: run.id),
            *map(Column, ("state", "games", "seconds")),
            Column("*", data=lambda run: {name: _when(getattr(run, name)) for name in ("begun", "changed")}),
            Column("method", plain),
            Column("game", plain, data=asked("game")),
            Column("parameters", value=asked("parameters")),
            Column("strategies", strategies),
            Column("", count, "games", lambda run: run.games),
            Column("seed", plain, value=asked("seed")),
            Column("", lambda page, seconds: f"{seconds:.1f}", "seconds", lambda run: run.seconds),
            Column("", changed, "changed"),
            Column("", plain, "state", lambda run: run.state),
            Column("*", data=lambda run: present(result=run.result and run.result.to_dict())),
        ]
        return Table(columns, self.rows, ["changed", "seconds", "state", "seed"], wrapped=["game", "strategies"])

    def page_table(self, number: Text, actions: Text) -> str:
        """Return the table of its page in the lab as HTML; texts write the number of a run, and what can be done."""
        return self._table().on_page({"run": number}, Column("", actions, "actions")).web()

    def _subject(self) -> str:
        return self.path

    def _lines(self, page: Printing) -> list[str]:
        lines = [*self._table().lines(page), ""] if self.rows else []
        return [*lines, f"{self.path}: {many(len(self.rows), 'run')}"]


class Store:
    """A file of stored runs.

    Parameters
    ----------
    path
        The file. It is created by the first question asked with ``store=``.

    Raises
    ------
    StoreError
        When the file is not a store, damaged, or of a newer version; by the methods also if there is no such file.

    Examples
    --------
    >>> import dicelab, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = f"{folder.name}/runs.db"
    >>> played = dicelab.simulate("hazard", games=1000, seed=1, store=path)
    >>> store = dicelab.Store(path)
    >>> [(run.id, run.method, run.games) for run in store.list().rows]
    [(1, 'simulate', 1000)]
    >>> store.show(1).outcomes["win"].count == played.outcomes["win"].count
    True
    >>> store.delete(1)
    >>> store.list().rows
    []
    >>> folder.cleanup()
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        if os.path.exists(self.path):
            self._open().close()

    def __fspath__(self) -> str:
        return self.path

    def _open(self) -> Database:
        return Database(self.path, create=False)

    def list(self, results: bool = False) -> Runs:
        """Return all runs, the one that was changed last first; with their `results` if wanted."""
        with self._open() as database:
            rows = database.read(f"SELECT {COLUMNS}, {GAMES} FROM run ORDER BY changed DESC, id DESC")
        runs = [_run(*row) for row in rows]
        if results:
            runs = [replace(run, result=self.show(run.id)) if run.state == "done" else run for run in runs]
        return Runs(self.path, runs)

    def show(self, run: int) -> BaseResult:
        """Return the result of a run; of a policy without its moves, which need the game: ask the question again for
        it.

        Raises
        ------
        StoreError
            When there is no such run, or no result of it.
        """
        with self._open() as database:
            rows = database.read("SELECT answer, seconds FROM run WHERE id = ?", self._known(database, run))
            try:
                result = from_bytes(rows[0][0]) if rows[0][0] is not None else None
                rows_of_games = "SELECT low, high, totals FROM totals WHERE run = ? ORDER BY low"
                games = database.read(rows_of_games, run) if isinstance(result, Simulation) else []
                parts = [Segment.read(*row) for row in games]
            except OtherVersion as error:
                raise StoreError(
                    f"run {run} was stored by another version of dicelab; ask its question again"
                ) from error
            except ValueError as error:
                raise database.damaged(str(error)) from error
        if not isinstance(result, BaseResult):
            raise StoreError(f"run {run} has no result yet; ask its question again, and it goes on")
        return _with_totals(result, parts, rows[0][1]) if isinstance(result, Simulation) else result

    def delete(self, *runs: int) -> None:
        """Delete runs.

        Raises
        ------
        StoreError
            When there is no such run, or a process is busy with it; then none is deleted.
        """
        with self._open() as database:
            database.must_be_writable()
            for run in runs:
                self._known(database, run)
            with database.change() as execute:
                for run in runs:
                    if is_live(*execute("SELECT writer, until FROM run WHERE id = ?", run).fetchone()):
                        raise StoreError(f"run {run} is being computed by a process; end that first")
                    execute("DELETE FROM run WHERE id = ?", run)

    def _known(self, database: Database, run: object) -> int:
        number = as_integer(run)
        if number is None or not database.read("SELECT 1 FROM run WHERE id = ?", number):
            raise StoreError(f"{self.path} has no run {run}; dicelab runs {self.path} lists them")
        return number


def _run(
    number: int, question: str, begun: float, changed: float, seconds: float, writer: str | None, until: float | None,
    answer: bool, checkpoint: bool, games: int | None,
) -> StoredRun:  # fmt: skip
    state = "busy" if is_live(writer, until) else "done" if answer else "checkpoint" if checkpoint else "empty"
    facts = json.loads(question)
    played = (games or 0) if facts["method"] == "simulate" else None
    return StoredRun(number, facts, played, seconds, begun, changed, state)


def _with_totals(simulation: Simulation, parts: list[Segment], seconds: float) -> Simulation:
    """Return a stored simulation with the totals of all its games."""
    for part in parts:
        simulation.tallied.merge(part.total)
    return replace(simulation, games=simulation.tallied.games, seconds=seconds)


# Two stored runs side by side -----------------------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class RunsCompared(Forms):
    """The outcomes and tallies that two results have in common.

    Attributes
    ----------
    results
        The two results.
    names
        What the two are called, such as ``run 3``; by default their games, with what differs.

    Notes
    -----
    Simulations of the same seed share their dice, so that they are not independent; they get no z-scores.
    """

    results: tuple[BaseResult, BaseResult]
    names: tuple[str, ...] = ()

    @property
    def called(self) -> Sequence[str]:
        """What the two are called."""
        return self.names or [_apart(*self.results), _apart(*self.results[::-1])]

    @property
    def rows(self) -> list[dict[str, Any]]:
        """One row for each outcome and tally of both: the two values, their difference, z where it has a meaning."""
        return self._table().data()

    def _table(self) -> Table:
        one, other = (dict(_figures(result.to_dict())) for result in self.results)
        shared = len({result.seed for result in self.results if result.seed is not None}) == 1
        both_played = all(result.seed is not None for result in self.results)
        rows = []
        for (kind, name), (value, within, label) in one.items():
            if (kind, name) not in other:
                continue
            another, within_other, _ = other[kind, name]
            spread = sqrt(within**2 + within_other**2)
            z = None if spread == 0 or (shared and both_played) else (value - another) / spread
            row = {"kind": kind, "name": name, "first": value, "second": another, "difference": value - another, "z": z}
            rows.append(row | {"label": label})
        columns = [Column("kind"), Column("name", plain, "", itemgetter("label"), itemgetter("name"))]
        columns += [Column(key, figure, title) for key, title in zip(("first", "second"), self.called, strict=True)]
        difference = Column("difference", lambda page, value: page.change(value, CHANCE))
        return Table([*columns, difference, Column("z", z_text, Z)], rows, sparse=True)

    def to_dict(self) -> dict[str, Any]:  # noqa: D102 (as in Forms)
        return head("runs") | {"compared": [result.to_dict() for result in self.results], "rows": self.rows}

    def _subject(self) -> str:
        return " and ".join(self.called)

    def _lines(self, page: Printing) -> list[str]:
        heads = [page.head(r.game, r.parameters, r.differing, r.strategies) for r in self.results]
        lines = [f"{name}: {lines[0]}" for name, lines in zip(self.names, heads, strict=bool(self.names))]
        return [*lines, *[""] * bool(lines), *self._table().lines(page)]


def _apart(one: BaseResult, other: BaseResult) -> str:
    """Return what a result is about, with the parameters and strategies in which it differs from another one."""
    if one.game != other.game:
        return one.game
    settings = {name: value for name, value in one.parameters.items() if other.parameters.get(name) != value}
    strategies = one.strategies if one.strategies != other.strategies else []
    return "; ".join(
        filter(None, [Printing().head(one.game, settings, settings)[0], ", ".join(dict.fromkeys(strategies))])
    )


def _figures(data: dict[str, Any]) -> Iterator[tuple[tuple[str, str], tuple[float, float, str]]]:
    """Return the kind and the name of each figure of a result, with its value, its standard error and its label."""
    games = data["games"]
    for name, outcome in data.get("outcomes", {}).items():
        p = outcome["probability"]
        yield ("outcome", name), (p, sqrt(max(0.0, p * (1 - p)) / games) if games else 0.0, outcome.get("label", name))
    for name, tally in data.get("tallies", {}).items():
        if tally.get("mean") is not None:
            yield (
                ("tally", name),
                (tally["mean"], tally["sd"] / sqrt(games) if games and tally.get("sd") else 0.0, name),
            )
