"""Compare strategies: every pairing in every seat order, so that the seat does not affect the comparison.

In a game of two seats a pairing is played in both orders. With more seats, each of the two is seated alone among seats
of the other, in every seat. The *seat-balanced* chance of a strategy is its chance to win, averaged over these seats;
where the game declares outcomes and what each seat gets by them, it is the mean payoff that is averaged over the seats.
In a game of one seat every strategy plays alone.

All simulated line-ups use the same dice (game i of every line-up has the same random stream). The difference between
two strategies is estimated from games paired by their index; its interval is that of the paired differences.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import lcm
from typing import TYPE_CHECKING, Annotated, Any

from dicelab.errors import ParameterError, concerning
from dicelab.questions.declare import exact_or_simulated, question
from dicelab.questions.exact import exact as solve_exactly
from dicelab.questions.options import (
    Cluster,
    GameLike,
    Games,
    Memory,
    Option,
    RandomSeed,
    RowsWatched,
    Store,
    Texts,
    Threads,
    YesNo,
)
from dicelab.questions.simulate import GAMES, opened, seed_of, simulate, simulated_only
from dicelab.results.base import BaseResult, about
from dicelab.results.entries import Read
from dicelab.results.numbers.estimates import Point, number_of, point
from dicelab.results.numbers.intervals import ANYWHERE, LEVEL, clopper_pearson, mean_interval, z_of
from dicelab.results.result import Result, row_of
from dicelab.results.rows import completed, each
from dicelab.results.text.page import CHANCE, Printing, decimals
from dicelab.results.text.sentences import apart, number
from dicelab.results.text.table import Column, Table, chance, plain
from dicelab.results.text.writing import outcome_title
from dicelab.rules.game import outcome_names, seat_count
from dicelab.rules.payoffs import has_payoffs, payoff_tallies, payoffs_of
from dicelab.runtime.lineup import Run
from dicelab.runtime.strategies import AnyStrategy, as_list

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LineUp = tuple[str, ...]
PAYOFF = "payoff"
"""What is compared where the game says what each seat gets."""
Scores = dict[LineUp, "NDArray[Any]"]
"""For each line-up what is kept of every game, from which scores are computed."""


@dataclass(frozen=True)
class Pair:
    """The comparison of two strategies.

    Attributes
    ----------
    first, second
        The strategies.
    scores
        Score of each: the seat-balanced chance to win, or payoff; in a game of one seat the number that `Comparison.on`
        names.
    difference
        Score of the first minus that of the second.

    Examples
    --------
    >>> from dicelab import compare
    >>> pair = compare("tossup", ["one_roll", "bank_over:5"], exact=True, target=8, dice=2).pairs[0]
    >>> pair.first, pair.second, round(pair.difference.value, 6)
    ('one_roll', 'bank_over:5', -0.556066)
    """

    first: str
    second: str
    scores: tuple[Point, Point]
    difference: Point

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        scores = {"first_score": self.scores[0].to_dict(), "second_score": self.scores[1].to_dict()}
        return {"first": self.first, "second": self.second, **scores, "difference": self.difference.to_dict()}


@dataclass(frozen=True, repr=False, kw_only=True)
class Comparison(BaseResult):
    """The results of all line-ups, and the comparison of each pair of strategies.

    Attributes
    ----------
    on
        What is compared: ``seat-balanced``, ``payoff``, or the name of an outcome (its probability) or of a tally (its
        mean).
    rows
        Results, one for each line-up that was completed.
    pairs
        One for each two strategies whose line-ups were all completed.
    exact, games
        How the rows were computed; games are 0 for exact ones.

    Examples
    --------
    >>> import dicelab
    >>> found = dicelab.compare("tossup", ["one_roll", "bank_over:5"], target=8, exact=True)
    >>> round(found.pairs[0].difference.value, 6)
    -0.332321
    """

    on: str
    rows: list[Result]
    pairs: list[Pair]
    exact: bool
    games: int

    method = "compare"
    entries = {
        "on": "string: the outcome or tally that is compared",
        "rows": Read(lambda self: list(map(row_of, self.rows)), "[#row]: one object for each row of the table"),
        "pairs": (
            [{"first second": "string", "first_score second_score difference": "#score"}],
            "the scores of two strategies, and their difference",
        ),
    }

    @property
    def _shares(self) -> bool:
        """Whether probabilities are compared."""
        return bool(self.rows) and (self.on == "seat-balanced" or self.on in self.rows[0].outcome_names)

    def _sentence(self) -> str:
        return which_is_best(self.pairs, self.on, self._shares, self.exact)

    def _games(self) -> int | None:
        return self.games or None

    def _table(self) -> Table:
        shares = self._shares

        def digits(pair: Pair) -> int:
            return CHANCE if shares else decimals(pair.difference[1:])

        def shown(page: Printing, pair: Pair, value: float) -> str:
            return page.chance(value) if shares else page.number(value, digits(pair))

        def gap(page: Printing, pair: Pair) -> str:
            value = pair.difference.value
            return f"{'+' if value >= 0 else ''}{page.number(value, digits(pair))}"

        def data(name: str, read: Callable[[Pair], Point]) -> Callable[[Pair], dict[str, Any]]:
            return lambda pair: {f"{name}_{key}": value for key, value in read(pair).to_dict().items()}

        columns = [
            *map(Column, ("first", "second")),
            Column("", lambda page, pair: f"{pair.first} - {pair.second}", "pair"),
            Column(
                "*", lambda p, o: shown(p, o, o.scores[0].value), self.on, data=data("first", lambda o: o.scores[0])
            ),
            Column(
                "*", lambda p, o: shown(p, o, o.scores[1].value), "against", data=data("second", lambda o: o.scores[1])
            ),
            Column("*", gap, "difference", data=data("difference", lambda pair: pair.difference)),
        ]
        interval = Column("", lambda page, pair: page.span(pair.difference[1:], digits(pair)), "95 % interval")
        return Table([*columns, *([] if self.exact else [interval])], self.pairs, ["95 % interval", "against"])

    def _lines(self, page: Printing) -> list[str]:
        lines = [*self._head(page, ()), "", *self._lineups().lines(page), ""]
        seats = max(len(row.strategies) for row in self.rows) if self.rows else 0
        if self.pairs and seats > 1:
            alone = "" if seats == 2 else ", each alone among seats of the other"
            what = "mean payoff (" if self.on == PAYOFF else "seat-balanced chance to win (the mean "
            lines += [f"{what}over all seat orders{alone}):", ""]
        lines += [*self._table().lines(page), ""] if self.pairs else []
        how = "exact" if self.exact else f"{self.games:,} games each, all on the same dice, seed {self.seed}"
        return [*lines, f"{how}; {self.unfinished}" if self.unfinished else how]

    def _lineups(self) -> Table:
        """Return the table with the chances or means of each line-up; as data they are in the JSON."""
        if not self.rows:
            return Table([Column("", plain, "no line-up was completed")], [])
        first = self.rows[0]

        def number(name: str) -> Column:
            title = outcome_title(name, first.seats, self.players)
            if first.outcomes:
                return Column("", chance, title, lambda row: row.outcomes[name].probability)
            return Column("", lambda page, t: page.mean(t.mean, t.interval), title, lambda row: row.tallies[name])

        lineup = Column("", lambda page, row: ", ".join(row.strategies), "line-up")
        return Table([lineup, *map(number, first.outcomes or first.tallies)], self.rows)


@question(
    chart="comparison",
    tab="Compare",
    needs="strategies",
    rows="line-ups",
    compared=True,
    complete=lambda page, texts: len(page.strategies) > 1,
    typed=exact_or_simulated,
    settings=("simulated",),
    drawn=lambda result: bool(result.pairs),
)
def compare(
    game: GameLike,
    strategies: Annotated[
        Sequence[AnyStrategy], Texts("Strategy to compare; give two or more", "S", ("--strategy", "-s"))
    ],
    *,
    exact: Annotated[bool, YesNo("Solve exactly instead of simulating")] = False,
    memory: Memory = None,
    on: Annotated[
        str | None,
        Option("The outcome or tally to compare, in a game with one seat", "WHAT", (), "on", ("outcomes", "tallies")),
    ] = None,
    games: Games = None,
    seed: RandomSeed = None,
    threads: Threads = None,
    store: Store = None,
    cluster: Cluster = None,
    progress: RowsWatched = lambda done, total: None,
    **parameters: object,
) -> Comparison:
    """Play every pairing of the strategies in every seat order, on the same dice.

    --plot draws a heat map: the chance of each strategy (row) against each other (column).

    Commands
    --------
    dicelab compare tossup -s one_roll -s bank_over:20 -s bank_over:50
    dicelab compare tossup -s bank_over:20 -s bank_over:25 --exact
    dicelab compare tossup -s bank_over:20 -s bank_over:25 -s bank_over:50 --exact --plot compare.svg

    Parameters
    ----------
    strategies
        Two or more, such as ``["bank_over:20", "one_roll"]``.
    on
        In a game of one seat: the outcome or the tally to compare; the first outcome (or the first tally, if there are
        no outcomes) when None.
    games
        Games of each line-up, 100,000 when None.
    seed
        The same for all line-ups.

    Raises
    ------
    InputError
        When a game, strategy or parameter is unknown or not allowed, or two options exclude each other.
    PlayError
        When a game goes wrong; names seed, game and state.

    Examples
    --------
    >>> found = compare("tossup", ["one_roll", "bank_over:5"], exact=True, target=20)
    >>> round(found.pairs[0].difference.value, 4)
    -0.8289
    """
    if exact:
        simulated_only(games=games, cluster=cluster)
    count = GAMES if games is None else games
    runs = [Run.of(game, text, **parameters) for text in dict.fromkeys(as_list(strategies))]
    calls = {str(run.calls[0]): run.calls[0] for run in runs if run.calls}
    names = list(calls)
    if len(names) < 2:
        raise ParameterError("compare takes two or more different strategies")
    table = runs[0].game
    seats = seat_count(table)
    plan = ComparisonPlan(table, names, seats, compared_by(table, on, seats))
    lineups = plan.lineups()
    scores: Scores = {}

    def keep(lineup: LineUp) -> bool:
        return plan.seats == 1 or len(set(lineup)) > 1

    number = (
        None
        if exact
        else seed_of(Run.of(table, [calls[name] for name in lineups[0]]), seed, store, records=keep(lineups[0]))
    )

    def row(lineup: LineUp) -> Result:
        seated = [calls[name] for name in lineup]
        if exact:
            return solve_exactly(table, seated, threads=threads, memory=memory, store=store)
        settings: dict[str, Any] = {"games": count, "seed": number, "threads": threads, "store": store}
        settings["cluster"] = workers
        with concerning(", ".join(lineup if len(set(lineup)) > 1 else lineup[:1])):
            played = completed(simulate(table, seated, records=keep(lineup), **settings))
        if keep(lineup):
            scores[lineup] = plan.kept(played.records)
        return replace(played, tallied=replace(played.tallied, records=[]))

    with opened(cluster) as workers:
        rows, ending = each(lineups, row, progress)
    return Comparison(
        **about(table, list(calls.values())),
        **ending,
        on=plan.on,
        rows=rows,
        pairs=plan.pairs(dict(zip(lineups, rows, strict=False)), scores),
        exact=exact,
        games=0 if exact else count,
        seed=number,
    )


def compared_by(table: Any, on: str | None, seats: int) -> str:
    """Return what is compared: the value of `Comparison.on`."""
    if seats > 1:
        if on is not None:
            raise ParameterError(
                f"on is for games of one seat; {table.name} has {seats} seats, compared by their chance to win"
            )
        if table.outcomes is not None:
            if has_payoffs(table):
                return PAYOFF
            raise ParameterError(
                f"{table.name} has {seats} seats, but its outcomes are not the seats that win, and it does not say "
                "what each seat gets by them; declare payoffs = {...} in the game, or outcomes = (players, ...)"
            )
        return "seat-balanced"
    return number_of(table, on)


@dataclass(frozen=True)
class ComparisonPlan:
    """The line-ups and pairs of a comparison."""

    table: Any
    names: Sequence[str]
    seats: int
    on: str

    def lineups(self) -> list[LineUp]:
        """Return every strategy in all seats, then every pairing in every seat order."""
        alone = [(name,) * self.seats for name in self.names]
        pairings = [
            lineup
            for one, other in combinations(self.names, 2)
            for pair in ((one, other), (other, one))
            for lineup in self.seated(*pair)
        ]
        return list(dict.fromkeys([*alone, *pairings]))

    def seated(self, one: str, other: str) -> list[LineUp]:
        """Return one strategy alone among seats of the other, in each seat; in a game of one seat, by itself."""
        if self.seats == 1:
            return [(one,)]
        return [tuple(one if seat == k else other for seat in range(self.seats)) for k in range(self.seats)]

    def pairs(self, results: dict[LineUp, Result], scores: Scores) -> list[Pair]:
        """Return the pairs whose line-ups are all completed."""
        pairs = []
        for one, other in combinations(self.names, 2):
            both = self.seated(one, other), self.seated(other, one)
            if all(lineup in results for lineups in both for lineup in lineups):
                if scores:
                    columns = [[self.scored(scores[x], seat) for seat, x in enumerate(group)] for group in both]
                    pairs.append(self.estimated(one, other, columns))
                else:
                    first, second = (self.exact_score([results[x] for x in group]) for group in both)
                    gap = Point(first.value - second.value, first.low - second.high, first.high - second.low)
                    pairs.append(Pair(one, other, (first, second), gap))
        return pairs

    @cached_property
    def paid(self) -> tuple[tuple[float, ...], ...] | None:
        """What each seat gets by each outcome, (outcomes, seats); None where that isn't compared, or tallies say it."""
        return payoffs_of(self.table) if self.on == PAYOFF and self.seats > 1 else None

    def exact_score(self, group: list[Result]) -> Point:
        """Return the mean over the seats of an exact number, and of its error bounds."""
        points = [self.exact_point(row, seat) for seat, row in enumerate(group)]
        return Point(*(sum(ends) / len(points) for ends in zip(*points, strict=True)))

    def exact_point(self, row: Result, seat: int) -> Point:
        """Return what is compared of a result, for a seat."""
        if self.paid is not None:
            chances = [row.point(name) for name in row.outcome_names]
            ends = [
                sorted((p.low * paid[seat], p.high * paid[seat])) for p, paid in zip(chances, self.paid, strict=True)
            ]
            value = sum(p.value * paid[seat] for p, paid in zip(chances, self.paid, strict=True))
            return Point(value, sum(low for low, _ in ends), sum(high for _, high in ends))
        if self.seats > 1:
            return point(row.tallies[row.tally_names[self.tallies[seat]]]) if self.tallies else row.point(str(seat))
        return row.point(self.on)

    @cached_property
    def tallies(self) -> tuple[int, ...]:
        """For each seat the number of the tally for which it plays, where that is compared."""
        return payoff_tallies(self.table) or () if self.on == PAYOFF and self.seats > 1 else ()

    def kept(self, records: NDArray[Any]) -> NDArray[Any]:
        """Return what is kept of every game of a line-up, from records (games, 1 + tallies)."""
        import numpy as np

        names, tallies = outcome_names(self.table), list(self.table.declared.tallies)
        if self.tallies:
            return records[:, [1 + tally for tally in self.tallies]]
        if self.seats > 1:
            return records[:, 0].astype(np.int16)
        return records[:, 0] == names.index(self.on) if self.on in names else records[:, 1 + tallies.index(self.on)]

    def scored(self, kept: NDArray[Any], seat: int) -> NDArray[Any]:
        """Return what is compared, for a seat, in every game for which it was kept."""
        import numpy as np

        if self.seats == 1:
            return kept
        if self.paid is not None:
            return np.asarray(np.array(self.paid)[kept, seat])
        return kept[:, seat] if self.tallies else kept == seat

    def estimated(self, one: str, other: str, columns: list[list[NDArray[Any]]]) -> Pair:
        """Return estimated scores of two strategies; `columns` has for each the numbers of all games by seat."""
        import numpy as np

        each = [np.asarray(np.mean(np.array(group, np.float64), axis=0)) for group in columns]
        is_share, low, high = columns[0][0].dtype == np.bool_, *ANYWHERE
        if is_share:
            low, high = 0.0, 1.0
        elif self.paid is not None:
            low, high = min(map(min, self.paid)), max(map(max, self.paid))
        parts = lcm(*(Fraction(x).limit_denominator(1000).denominator for row in self.paid or () for x in row))
        difference = score_of(each[0] - each[1], (low - high, high - low), self.seats * parts)
        if is_share and self.seats == 1:
            return Pair(one, other, (_share(each[0]), _share(each[1])), difference)
        first, second = (score_of(score, (low, high), self.seats * parts) for score in each)
        return Pair(one, other, (first, second), difference)


def _share(values: NDArray[np.float64]) -> Point:
    """Share of games won, with its 95 % interval."""
    count, n = int(values.sum()), len(values)
    return Point(count / n, *clopper_pearson(count, n))


def score_of(values: NDArray[np.float64], bounds: tuple[float, float], parts: int, level: float = LEVEL) -> Point:
    """Return the mean of one number per game, a multiple of 1 / `parts` within `bounds`, with its interval; with 0
    parts, any number.
    """
    import numpy as np

    n, mean = len(values), float(values.mean())
    away = values - mean
    sd = float(values.std(ddof=1)) if n > 1 and float(np.ptp(values)) > 0 else 0.0
    skew = float((away**3).mean() / (away**2).mean() ** 1.5) if sd else 0.0
    step = int(np.gcd.reduce(np.rint((values - values[0]) * parts).astype(np.int64))) / parts if parts else 0.0
    return Point(mean, *mean_interval(mean, sd, n, level, skew=skew, step=step, bounds=bounds))


def which_is_best(pairs: Sequence[Pair], on: str, shares: bool, exact: bool) -> str:
    """Return the strategy that is ahead of every other, as far as the intervals of the differences tell.

    Parameters
    ----------
    pairs
        All pairs; the interval of each difference holds by itself.
    on
        What was compared.
    shares, exact
        Whether scores are probabilities, and whether they are exact.

    Examples
    --------
    >>> scores = Point(0.62, 0.61, 0.63), Point(0.38, 0.37, 0.39)
    >>> pair = Pair("hold_at:20", "hold_at:10", scores, Point(0.24, 0.22, 0.26))
    >>> which_is_best([pair], "seat-balanced", shares=True, exact=False)
    'hold_at:20 is best: against hold_at:10 it wins 62.0 %, over all seats, and hold_at:10 38.0 %'
    """
    if not pairs:
        return "No pair of strategies was completed"
    names = list(dict.fromkeys(name for pair in pairs for name in (pair.first, pair.second)))
    ahead: dict[str, list[tuple[str, float, float]]] = {name: [] for name in names}
    wider = 1.0 if exact else z_of(1 - (1 - LEVEL) / len(pairs)) / z_of()  # intervals that hold for all pairs together
    for pair in pairs:
        first, second, gap, (one, two) = (
            pair.first,
            pair.second,
            pair.difference,
            (score.value for score in pair.scores),
        )
        if gap.value - wider * (gap.value - gap.low) > 0:
            ahead[first].append((second, one, two))
        elif gap.value + wider * (gap.high - gap.value) < 0:
            ahead[second].append((first, two, one))
    most = max(names, key=lambda name: len(ahead[name]))
    beaten, others = ahead[most], len(names) - 1
    if not beaten:
        return "The strategies are equally good" if exact else "Too few games to tell which strategy is best"
    if len(beaten) < others:
        return f"{most} is ahead of {len(beaten)} of the other {others} strategies; it is not shown to beat the rest"
    other, mine, theirs = min(beaten, key=lambda row: abs(row[1] - row[2]))
    high, low = apart(mine, theirs) if shares else (number(mine), number(theirs))
    if on == "seat-balanced":
        return f"{most} is best: against {other} it wins {high}, over all seats, and {other} {low}"
    if on == "payoff" and not shares:
        return f"{most} is best: against {other} it gets {high} on average, over all seats, and {other} {low}"
    figure = f"{'chance' if shares else 'mean'} of {on.replace('_', ' ')}"
    return f"{most} has the largest {figure}: {high}, against {low} for {other}"
