"""The result of a question about a game: a simulation or an exact answer, with one interface."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite, isnan, nan
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from dicelab.errors import ParameterError
from dicelab.results.base import BaseResult
from dicelab.results.entries import EXACT, Read, added, how_exact
from dicelab.results.histogram import Given, Joint, given
from dicelab.results.numbers.estimates import (
    PERCENTILES,
    Average,
    Chance,
    Distribution,
    Named,
    Point,
    Proportion,
    fairness,
    flat,
    point,
    shown_fraction,
)
from dicelab.results.numbers.intervals import ANYWHERE, LEVEL, clopper_pearson
from dicelab.results.text.html import bar_of
from dicelab.results.text.page import Printing, TextCell, decimals
from dicelab.results.text.sentences import amount, how_it_ends, who_wins
from dicelab.results.text.table import Column, Table, count, or_dash
from dicelab.results.text.writing import (
    exact_line,
    fairness_line,
    many,
    outcome_text,
    outcome_title,
)
from dicelab.rules.params import whole
from dicelab.runtime.scheduler import Tallied

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from dicelab.solver.value import ExactAnswer


@dataclass(frozen=True, repr=False, kw_only=True)
class Result(BaseResult):
    """The common interface of simulated and exact results.

    Attributes
    ----------
    outcome_names, tally_names
        In the order declared.
    seats
        Whether the outcomes are the winning seats.

    Examples
    --------
    >>> import dicelab
    >>> found = dicelab.exact("hazard", main=7)
    >>> found.outcome_names, found.tally_names, found.seats
    (('win', 'lose'), ('throws',), False)
    """

    outcome_names: tuple[str, ...]
    tally_names: tuple[str, ...]
    seats: bool

    entries = {
        "outcomes": Read(lambda self: self._labelled(), "#outcomes: the outcomes, by name"),
        "tallies": "#tallies: the tallies, by name",
        "fairness?": "#fairness: how equal the chances of the seats are",
        "histogram?": added("#histogram: the distribution of a tally (--histogram)"),
        "given?": added("#given: probability of each outcome given the values of a tally (--given)"),
    }

    @property
    @abstractmethod
    def outcomes(self) -> Mapping[str, Proportion | Chance]:
        """Probability of each outcome, by name."""

    @property
    @abstractmethod
    def tallies(self) -> Mapping[str, Average | Distribution]:
        """Distribution of each tally, by name."""

    @abstractmethod
    def joint(self, tally: str) -> Joint:
        """For each value of a tally, rising, the weight of each outcome."""

    @property
    def fairness(self) -> dict[str, float]:
        """The measures of `dicelab.results.numbers.estimates`; empty if the outcomes are not seats."""
        return fairness([p.probability for p in self.outcomes.values()]) if self.seats else {}

    @property
    def _plays_alike(self) -> bool:
        """Whether all seats play the same strategy, so that the fairness is that of the seats."""
        return len(set(self.strategies)) <= 1

    def point(self, name: str) -> Point:
        """Return a number of the result by its name, and the ends of its interval; a measure of fairness has none of
        its own.

        The name is that of an outcome, a tally or a measure of fairness; the number is not one (nan) without seats.
        """
        if name in (*self.outcome_names, *self.tally_names):
            return point(self.number(name))
        return Point(*(self.fairness.get(name, nan),) * 3)

    def number(self, name: str) -> Proportion | Chance | Average | Distribution:
        """Return the probability of the outcome with this name, or the distribution of the tally."""
        return self.outcomes[name] if name in self.outcome_names else self.tallies[name]

    def given(self, tally: str, width: int | None = None) -> list[Given]:
        """Return the outcomes given the value of a tally, in groups of `width` values, or in about eight equally likely
        groups.

        Raises
        ------
        UnknownNameError
            When there is no such tally.
        ParameterError
            When there are no outcomes, or the width is below 1.
        """
        tallied = self.tallies[tally]
        if not self.outcomes:
            raise ParameterError(f"{self.game} has no outcomes, only tallies")
        width = None if width is None else whole("width", width)
        spread = tallied.spread if isinstance(tallied, Distribution) else None
        error = spread.error if spread is not None else None
        return given(self.joint(tally), self.outcome_names, width, error)

    @abstractmethod
    def _chances(self) -> list[Point]:
        """Return the probabilities of the outcomes, with intervals that hold for all of them together."""

    def _sentence(self) -> str:
        exact, one = isinstance(self, Exact), self.players[0] if len(self.players) == 1 else "player"
        if self.outcomes:
            if self.seats:
                return who_wins(self._chances(), exact, self.players)
            return how_it_ends(self.outcome_names, self._chances(), exact, one)
        for name, tally in self.tallies.items():
            low, high = tally.percentile(0.1), tally.percentile(0.9)
            middle = None if low is None or high is None else (low, high)
            return "" if isnan(tally.mean) else amount(name, point(tally), middle, one)
        return ""

    def _brief(self) -> str:
        shown = [f"{name} {p.probability:.6f}" for name, p in self.outcomes.items()]
        return ", ".join(shown or [f"mean {name} {tally.mean:.6g}" for name, tally in self.tallies.items()])

    def _labelled(self) -> dict[str, Any]:
        """Return the outcomes as plain data, with the seats that win."""
        facts = {name: p.to_dict() for name, p in self.outcomes.items()}
        for seat, (name, entry) in enumerate(facts.items()):
            entry |= {"seats": [seat], "label": outcome_title(name, True, self.players)} if self.seats else {}
        return facts

    @abstractmethod
    def _how(self, page: Printing) -> list[str]:
        """Return the lines below the tables: how the answer was found."""

    def _outcome_column(self) -> Column:
        """Return the column of the outcomes: what they are called as text, their name and all their numbers as data."""

        def data(row: tuple[str, Proportion | Chance]) -> dict[str, Any]:
            return {"kind": "outcome", "name": row[0], **row[1].to_dict()}

        return Column("*", lambda page, row: outcome_text(row[0], self.seats, self.players), "outcome", data=data)

    def _page_tables(self) -> list[Table]:
        return [table for table in self._tables() if table.rows] if self._games() != 0 else []

    def _lines(self, page: Printing) -> list[str]:
        lines = [line for table in self._page_tables() for line in (*table.lines(page), "")]
        return [*self._head(page), "", *lines, *self._how(page)]


@dataclass(frozen=True, repr=False, kw_only=True)
class Simulation(Result):
    """Result of a simulation.

    Attributes
    ----------
    games
        Games 0 to ``games - 1`` of the seed were played; if interrupted, or out of time, fewer than asked for.
    engine, threads
        The engine that played, and the number of threads.
    engines
        For each engine whether it played, and why or why not, if that was asked for.
    note
        Why a faster engine was not used; empty if it was.
    level
        Confidence level of the intervals: above 95 % where a precision decided how many games were played.
    out
        The file with all games, if one was requested and could be written; `refused` says why it could not.
    bounds
        Smallest and largest possible value of each tally, infinite where unknown; used for the intervals of means.
    out_of_time
        Whether it ended because the time that was allowed was over.

    Examples
    --------
    >>> import dicelab
    >>> result = dicelab.simulate("hazard", main=7, games=1000, seed=1, engine="reference")
    >>> result.outcomes["win"].count + result.outcomes["lose"].count
    1000
    """

    games: int
    engine: str
    threads: int
    tallied: Tallied
    level: float = LEVEL
    note: str = ""
    out: str | None = None
    bounds: tuple[tuple[float, float], ...] = ()
    engines: dict[str, str] = field(default_factory=dict)
    out_of_time: bool = False

    method = "simulate"
    entries = {
        "engine": "string: the engine that played",
        "threads": "integer: number of threads",
        "note?": "string: why a faster engine was not used",
        "engines?": "{string}: for each engine, why it plays or not (--explain)",
        "out?": "string: the file with every game (--out)",
        "out_of_time?": "=true: present when it ended because the time allowed was over",
        **Result.entries,
        "luck?": added("#luck: luck and costs of the seats (--luck-adjusted)"),
        "exact?": added(EXACT),
    }

    @cached_property
    def outcomes(self) -> dict[str, Proportion]:  # noqa: D102 (as in Result, also below)
        counts = zip(self.outcome_names, self.tallied.counts, strict=False)
        proportions = {name: Proportion(count, self.games, self.level) for name, count in counts}
        return Named(f"outcome of {self.game}", proportions)

    @cached_property
    def tallies(self) -> dict[str, Average]:  # noqa: D102
        bounds = self.bounds or (ANYWHERE,) * len(self.tally_names)
        averages = [Average(self.tallied.histogram(k), self.level, bounds[k]) for k in range(len(self.tally_names))]
        return Named(f"tally of {self.game}", dict(zip(self.tally_names, averages, strict=True)))

    def _chances(self) -> list[Point]:
        several = max(1, len(self.outcomes) - (len(self.outcomes) == 2))  # of two outcomes one determines the other
        level = 1 - (1 - self.level) / several
        shares = self.outcomes.values()
        return [Point(p.probability, *clopper_pearson(p.count, p.games, level)) for p in shares]

    def _sentence(self) -> str:
        if self.games:
            return super()._sentence()
        return "No game was over in the time that was allowed" if self.out_of_time else "No game was played"

    @cached_property
    def records(self) -> NDArray[np.int64]:
        """Every game, if records were requested: int64 array (games, 1 + tallies), outcome first."""
        import numpy as np

        parts = [np.asarray(part, np.int64) for part in self.tallied.records]
        return np.concatenate(parts) if parts else np.zeros((0, 1 + len(self.tally_names)), np.int64)

    def joint(self, tally: str) -> Joint:  # noqa: D102
        by_outcome = [histograms[self.tally_names.index(tally)] for histograms in self.tallied.histograms]
        values = sorted(set().union(*by_outcome))
        return [(value, [histogram[value] for histogram in by_outcome]) for value in values]

    def _brief(self) -> str:
        return f"{many(self.games, 'game')}, seed {self.seed}; {super()._brief()}" if self.games else "no games"

    @property
    def provenance(self) -> dict[str, Any]:
        """All that is needed to play the same games again, as plain data."""
        names = ("version", "source_hash", "game", "parameters", "strategies", "seed", "engine", "games")
        return {name: getattr(self, name) for name in names}

    @property
    def where(self) -> list[str]:
        """The line that names the file of games, or says why there is none; empty if none was requested."""
        text = f"{self.out} ({many(self.games, 'row')})" if self.out is not None else self.refused
        return [f"games: {text}"] if text else []

    def _tables(self) -> list[Table]:
        outcomes = [
            self._outcome_column(),
            Column("", lambda page, p: page.chance(p.probability), "probability", NUMBER),
            Column("", lambda page, p: page.span(p.interval), "95 % interval", NUMBER),
            Column("", lambda page, p: f"{p.count:,}", "games", NUMBER),
        ]
        outcomes.append(bar_column({name: point(p) for name, p in self.outcomes.items()}, self.seats))
        return [Table(outcomes, [*self.outcomes.items()], ["games"]), tally_table(self.tallies)]

    def _how(self, page: Printing) -> list[str]:
        lines = [fairness_line(self.fairness), ""] if self.seats and self.games and self._plays_alike else []
        threads = f", {self.threads} threads" if self.threads > 1 else ""
        how = f"seed {self.seed}, {self.engine} engine{threads}, {self.seconds:.3f} s"
        stopped = "stopped after " if self.interrupted or self.out_of_time else ""
        lines.append(f"{stopped}{many(self.games, 'game')}, {how}")
        if self.engines:
            lines += ["", *page.listed(list(self.engines.items()))]
        return [*lines, *self.where]


@dataclass(frozen=True, repr=False, kw_only=True)
class Exact(Result):
    """The exact answer.

    Attributes
    ----------
    states
        Number of states in which dice are rolled.
    error
        Bound on the error of every probability, mean and deviation; 0 where they are fractions.

    Examples
    --------
    >>> import dicelab
    >>> result = dicelab.exact("hazard", main=7)
    >>> str(result.outcomes["win"].fraction), str(result.tallies["throws"].fraction)
    ('244/495', '557/165')
    """

    answer: ExactAnswer

    method = "exact"
    entries = {"exact": Read(lambda self: self.how(), EXACT), **Result.entries}

    @property
    def states(self) -> int:
        """Number of states in which dice are rolled."""
        return self.answer.states

    @property
    def error(self) -> float:
        """Bound on the error of every probability, mean and deviation; 0 where they are fractions.

        Tallies have bounds of their own, in their own units, and distributions too (`Spread.error`).
        """
        return max([self.answer.error, *(t.error for t in self.answer.tallies if isfinite(t.error))])

    @property
    def fractions(self) -> bool:
        """Whether probabilities and means are fractions."""
        return self.answer.fractions is not None

    @cached_property
    def outcomes(self) -> dict[str, Chance]:  # noqa: D102 (as in Result, also below)
        fractions = self.answer.fractions or (None,) * len(self.answer.chances)
        rows = zip(self.outcome_names, self.answer.chances, fractions, strict=False)
        chances = {name: Chance(p, fraction, self.answer.error) for name, p, fraction in rows}
        return Named(f"outcome of {self.game}", chances)

    @cached_property
    def tallies(self) -> dict[str, Distribution]:  # noqa: D102
        rows = zip(self.tally_names, self.answer.tallies, strict=True)
        return Named(f"tally of {self.game}", dict(rows))

    def joint(self, tally: str) -> Joint:  # noqa: D102
        spread = self.tallies[tally].spread
        if spread is None:
            raise ParameterError(f"the distribution of {tally} took too much memory; simulate it")
        if self.outcomes and spread.joint.shape[1] != len(self.outcome_names):
            raise ParameterError(
                f"this chain is so large that outcomes given {tally} were not computed; ask for them: given={tally!r}"
            )
        return list(zip(spread.values.tolist(), spread.joint.tolist(), strict=True))

    def _chances(self) -> list[Point]:
        return [point(p) for p in self.outcomes.values()]

    def how(self) -> dict[str, Any]:
        """Return how it was computed, as plain data: number of states, arithmetic, bound on the error."""
        return how_exact(self.states, self.error, self.fractions)

    def _tables(self) -> list[Table]:
        probability = Column("", lambda page, p: page.chance(p.probability, p.error), "probability", NUMBER)
        bars = bar_column({name: Point.within(p.probability, 0) for name, p in self.outcomes.items()}, self.seats)
        outcomes = [self._outcome_column(), probability, FRACTION, bars]
        return [Table(outcomes, [*self.outcomes.items()], sparse=True), tally_table(self.tallies)]

    def _how(self, page: Printing) -> list[str]:
        lacking = [name for name, t in self.tallies.items() if t.spread is None]
        lines = [f"no distribution of {', '.join(lacking)}: it has too many values; simulate it", ""] if lacking else []
        if self.seats and self._plays_alike:
            lines += [fairness_line(self.fairness), ""]
        return [*lines, exact_line(self.states, None if self.fractions else self.error, self.seconds)]


NUMBER = itemgetter(1)
"""Reads the number of a row of the tables of outcomes and tallies, which are pairs of a name and a number."""
TALLY = Column(
    "*", lambda page, row: row[0], "tally", data=lambda row: {"kind": "tally", "name": row[0], **flat(row[1].to_dict())}
)
"""The column of the tallies: their name, and all their numbers as data."""
FRACTION = Column("", lambda page, n: shown_fraction(n.fraction).get("fraction", ""), "fraction", NUMBER)
LEAST = ("min", "max", "p10", "p90", "p50", "sd")
"""Columns of tallies that a narrow page leaves out, the least important first."""


def bar_column(chances: Mapping[str, Point], seats: bool) -> Column:
    """Return the bars of outcomes on pages of the lab, with their intervals; with a mark at an equal share of seats."""
    equal = 1 / len(chances) if seats and chances else None
    top = min(1.0, 1.12 * max((p.high for p in chances.values()), default=1.0))
    title = TextCell("" if equal is None else f"the mark is an equal share, {equal:.3f}")
    return Column("", lambda page, row: bar_of(*chances[row[0]], top or 1.0, equal), title, wide=True)


def tally_table(tallies: Mapping[str, Average | Distribution], least: Sequence[str] = LEAST) -> Table:
    """Return the table of tallies, all of them estimated, or all exact."""
    span = Column("", lambda page, t: page.span(t.interval, decimals(t.interval)), "95 % interval", NUMBER)
    largest = Column("", or_dash(count), "max", lambda row: row[1].largest)
    estimated = any(isinstance(tally, Average) for tally in tallies.values())
    columns = [
        TALLY,
        Column("", lambda page, t: "-" if isnan(t.mean) else page.mean(t.mean, t.interval), "mean", NUMBER),
        *([span] if estimated else []),
        Column("", lambda page, t: "-" if isnan(t.sd) else page.mean(t.sd, t.interval), "sd", NUMBER),
        Column("", or_dash(count), "min", lambda row: row[1].smallest),
        *(
            Column("", or_dash(count), name, lambda row, share=share: row[1].percentile(share))  # type: ignore[misc]
            for name, share in PERCENTILES.items()
        ),
        largest if estimated else FRACTION,
    ]
    return Table(columns, [*tallies.items()], least, sparse=True)


ROW_KEYS = ("parameters", "strategies", "arguments", "games", "seconds", "exact", "outcomes", "tallies", "fairness")
"""Keys of a result that the rows of comparisons and sweeps keep."""


def row_of(result: Result) -> dict[str, Any]:
    """Return a result as a row of a comparison or a sweep, in plain data."""
    data = result.to_dict()
    return {key: data[key] for key in ROW_KEYS if key in data}
