"""Answer one question for a range of values of a parameter, or of an argument of a strategy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import Annotated, Any

from dicelab.errors import ParameterError
from dicelab.questions.declare import exact_or_simulated, question
from dicelab.questions.options import (
    Cluster,
    GameLike,
    Games,
    Memory,
    Option,
    Precise,
    Precision,
    RandomSeed,
    RowsWatched,
    Store,
    Threads,
    YesNo,
)
from dicelab.questions.simulate import opened
from dicelab.questions.sweeps.points import (
    OverValues,
    PointMethod,
    RangesOption,
    SweepPoint,
    SweepRow,
    figure_typed,
    points_of,
    solved,
)
from dicelab.results.base import about, winners
from dicelab.results.entries import Read
from dicelab.results.numbers.estimates import MEASURES, Average, Chance, Distribution, Point, Proportion, point
from dicelab.results.result import Simulation
from dicelab.results.rows import each
from dicelab.results.text.page import CHANCE, Printing, decimals
from dicelab.results.text.sentences import number, percent
from dicelab.results.text.table import Column, Table, chance, entry, plain
from dicelab.results.text.writing import many, outcome_title, probability_of
from dicelab.rules.game import outcome_names, seats_first
from dicelab.runtime.lineup import listed
from dicelab.runtime.strategies import BEST, Strategies

# Which value of a sweep is best, and which values can't be told from it -----------------------------------------------
#
# Exact figures are compared with their error bounds. Of simulated ones each interval gets the level ``1 - 0.05 / k``, k
# being the number of values, so that all cover the truth at once in 95 of 100 sweeps, however the rows depend on each
# other (C. E. Bonferroni): a value is set apart from the best only if its interval lies wholly on the worse side of an
# end of another. So the value that is truly best is among those named in 95 of 100 sweeps or more.

LEAST = "least:"
"""What the name of a figure begins with when its smallest value is the best."""
MOST_NAMED = 12
"""Maximum number of values that are named one by one as close to the best."""


@dataclass(frozen=True)
class Best:
    """The best value of a sweep by one figure.

    Attributes
    ----------
    figure, least
        The outcome (its probability), tally (its mean) or measure of fairness; and whether its smallest value is the
        best, as it always is of a measure of fairness.
    values
        The best value, or pair of values, by the names of what was swept.
    value
        The figure there.
    close
        The other values that can't be told from the best one.
    margin
        How far the figure of the next value that can be told from it lies from the best; None without such a value.

    Examples
    --------
    >>> import dicelab
    >>> best = dicelab.sweep("hazard", over={"main": range(5, 10)}, exact=True).best
    >>> best.figure, best.values, best.close, round(best.margin, 6)
    ('win', {'main': 7}, [], 0.000513)
    """

    figure: str
    least: bool
    values: dict[str, int | str]
    value: float
    close: list[dict[str, int | str]]
    margin: float | None


def figure_of(points: Sequence[SweepPoint], wanted: str | None) -> tuple[str, bool] | None:
    """Return the figure by which values are compared, and whether the least is best; None without one.

    `wanted` is a figure, ``least:FIGURE``, or None for the default: the mean of the tally ``money``, the outcome
    ``win``, or the win of the only seat whose strategy varies.

    Raises
    ------
    UnknownNameError
        When the results at some point don't have the figure.
    """
    if wanted is not None:
        name = figure_typed(points, wanted.removeprefix(LEAST))
        return name, wanted.startswith(LEAST) or name in MEASURES
    first = points[0].game
    if "money" in first.declared.tallies and not any(map(solved, points)):
        return "money", False
    if not winners(first) and not seats_first(type(first)):
        return ("win", False) if all("win" in outcome_names(place.game) for place in points) else None
    moving = _moving(points)
    if len(moving) == 1 and all(place.game.parameters == first.parameters for place in points):
        return outcome_names(first)[moving[0]], False
    return None


def best_of(rows: Sequence[SweepRow], figure: str, least: bool) -> Best | None:
    """Return the best of the rows by a figure, and those that can't be told from it; None without rows.

    Raises
    ------
    ParameterError
        When the rows are simulated and the figure is a measure of fairness, which has no interval then.
    """
    if not rows:
        return None
    points = [_bounded(row, figure, len(rows)) for row in rows]
    if least:
        points = [Point(-value, -high, -low) for value, low, high in points]
    top = max(range(len(rows)), key=lambda k: points[k].value)
    floor = max(low for _, low, _ in points)
    others = [k for k, row in enumerate(rows) if row.values != rows[top].values]
    close = [k for k in others if points[k].high >= floor]
    apart = [points[k].value for k in others if k not in close]
    margin = points[top].value - max(apart) if apart else None
    value = -points[top].value if least else points[top].value
    return Best(figure, least, rows[top].shown_values, value, [rows[k].shown_values for k in close], margin)


def _bounded(row: SweepRow, figure: str, rows: int) -> Point:
    """Return a figure of a row, with an interval that allows for the number of rows."""
    result = row.result
    if figure in MEASURES:
        return _fairness(list(result.outcomes.values()), figure, result.point(figure).value)
    number = result.number(figure)
    if isinstance(number, Proportion | Average):
        number = replace(number, level=1 - (1 - number.level) / rows)
    return point(number)


def _fairness(chances: Sequence[Any], figure: str, value: float) -> Point:
    """Return a measure of fairness of exact probabilities, and what it can be within their error bounds."""
    if not all(isinstance(one, Chance) for one in chances):
        raise ParameterError(f"best by: estimates have no interval of {figure}; add --exact")
    lows, highs = zip(*(one.interval for one in chances), strict=True)
    off = sum(high - low for low, high in zip(lows, highs, strict=True))
    if figure != "ratio":
        return Point.within(value, off)
    return Point(value, max(lows) / min(highs), max(highs) / min(lows) if min(lows) > 0 else inf)


def in_words(best: Best, rows: Sequence[SweepRow], exact: bool) -> list[str]:
    """Return what was found, as sentences."""
    result = rows[0].result
    if best.figure in result.outcome_names:
        called = probability_of(best.figure, result.seats)
        shown = f"{best.value:.6f}"
    else:
        called = f"mean {best.figure}" if best.figure in result.tally_names else best.figure
        shown = f"{best.value:.6g}"
    kind = "smallest" if best.least else "largest"
    if len(best.close) + 1 == len(rows) and not exact:
        return [f"no value can be told from any other by the {called}: more games (-n) tell more of them apart"]
    first = f"best: {_named(best.values)}, where the {called} is {kind}: {shown}"
    if not best.close:
        more = (
            "" if best.margin is None else f"; the next value is {best.margin:.2g} {'more' if best.least else 'less'}"
        )
        return [first + more]
    how = "equally good, or within the error bounds" if exact else "not told apart from it by so many games"
    return [first, f"{how}: {_list(best.close)}"]


def _best_sentence(best: Best, rows: Sequence[SweepRow], exact: bool) -> str:
    """Return the best value in one sentence, with three digits."""
    result = rows[0].result
    if len(best.close) + 1 == len(rows):
        if not exact:
            return "Too few games to tell which value is best."
        return "All values are equally good, or within the error bounds."
    is_chance = best.figure in result.outcome_names
    called = probability_of(best.figure, result.seats) if is_chance else best.figure
    called = f"mean of {called}" if best.figure in result.tally_names else called
    value = percent(best.value) if is_chance else number(best.value)
    level = f"; {_list(best.close)} can't be told from it" if best.close and not exact else ""
    level = f"; so good, within the error bounds, is {_list(best.close)}" if best.close and exact else level
    kind = "smallest" if best.least else "largest"
    return f"{_named(best.values)} is best: there the {called} is {kind}, {value}{level}"


def _fairest(rows: Sequence[SweepRow], exact: bool) -> str:
    """For which value a game is fairest, in one sentence: by the gap between the seats with the best and worst chance.

    Of simulated rows the gaps must differ by more than the intervals of both.
    """
    gaps = [row.result.fairness["gap"] for row in rows]
    low, high = min(range(len(gaps)), key=gaps.__getitem__), max(range(len(gaps)), key=gaps.__getitem__)
    open_by = 0.0 if exact else _half(rows[low]) + _half(rows[high])
    if gaps[high] - gaps[low] <= open_by:
        if exact:
            return f"It is equally fair for all values: the gap is {_points(gaps[0])}"
        return f"Too few games to tell for which value it is fairest (±{_points(open_by)})"
    begin, end = (f"{_points(gap)} ({_named(rows[at].shown_values)})" for at, gap in ((0, gaps[0]), (-1, gaps[-1])))
    ends = f"from {begin} to {end}"
    in_order = len(rows[0].values) == 1
    if in_order and gaps == sorted(gaps, reverse=True):
        return f"It gets fairer: the gap between the players falls {ends}"
    if in_order and gaps == sorted(gaps):
        return f"It gets less fair: the gap between the players grows {ends}"
    most, least = _named(rows[low].shown_values), _named(rows[high].shown_values)
    return f"It is fairest with {most}: the gap is {_points(gaps[low])}, against {_points(gaps[high])} with {least}"


def _half(row: SweepRow) -> float:
    """Half of the interval of a gap, which is a difference of two chances."""
    return max(one.interval[1] - one.interval[0] for one in row.result.outcomes.values())


def _points(gap: float) -> str:
    """Return a difference of chances in points, with three digits."""
    return f"{number(100 * gap)} points"


def _means(rows: Sequence[SweepRow]) -> str:
    """Return how the mean of the first tally changes, in one sentence; of a game without tallies, the first outcome."""
    first, last = rows[0].result, rows[-1].result
    ends = [_named(row.shown_values) for row in (rows[0], rows[-1])]
    for name, tally in first.tallies.items():
        if name in last.tallies:
            values = number(tally.mean), number(last.tallies[name].mean)
            return f"The mean of {name.replace('_', ' ')} is {values[0]} with {ends[0]}, and {values[1]} with {ends[1]}"
    name = next(iter(first.outcomes), "")
    if name not in last.outcomes:
        return ""
    chances = [percent(result.outcomes[name].probability) for result in (first, last)]
    return f"The {probability_of(name, first.seats)} is {chances[0]} with {ends[0]}, and {chances[1]} with {ends[1]}"


def _named(values: dict[str, int | str]) -> str:
    return ", ".join(f"{name} {value}" for name, value in values.items())


def _list(close: Sequence[dict[str, int | str]]) -> str:
    """Values, the first ones by name."""
    one = len(close[0]) == 1
    texts = [str(next(iter(values.values()))) if one else f"({_named(values)})" for values in close]
    more = len(texts) - MOST_NAMED
    listed = ", ".join(texts[:MOST_NAMED])
    return f"{listed} and {many(more, 'more value')}" if more > 0 else listed


def both_vary(points: Sequence[SweepPoint], names: Sequence[str]) -> list[str]:
    """Return what a sweep shows that varies the strategies of several seats at once, and how to
    vary one; else nothing.
    """
    first, moving = points[0], _moving(points)
    if not winners(first.game) or len(moving) < 2 or len(names) != 1:
        return []
    (name,) = names
    path, in_file, rest = name.partition(".py:")
    strategy = f"{path}{in_file}{rest.partition('.')[0]}" if in_file else name.partition(".")[0]
    seats = "both seats" if len(first.strategies) == 2 else f"{len(moving)} seats"
    others = len(first.strategies) - 1
    middle = str(points[len(points) // 2].strategies[moving[0]])
    how = f"To vary one seat only, against a fixed value: -s {strategy} {' '.join([f'-s {middle}'] * others)}"
    how += f"; against optimal play: -s {strategy} -s best" if others == 1 else ""
    return [f"{name} varies in {seats} at once, so these rows don't say which value is best", how]


def _moving(points: Sequence[SweepPoint]) -> list[int]:
    """Return the seats whose strategies vary; none if the number of seats does."""
    texts = [[str(text) for text in place.strategies] for place in points]
    if len(set(map(len, texts))) > 1:
        return []
    return [seat for seat, column in enumerate(zip(*texts, strict=True)) if len(set(column)) > 1]


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
    entries = {
        "over": "[string]: the names of what varies",
        "rows": "[#sweep_row]: one object for each row of the table",
        "best?": (
            {
                "figure": "string: the outcome, tally or measure of fairness by which values are compared",
                "least": "boolean: whether its smallest value is the best",
                "values": "object: the best value of each name",
                "value": "number|null: the figure there",
                "close": "[object]: the other values that can't be told from the best one",
                "margin": "number|null: how much worse the next value is that can be told from the best one",
            },
            "the best value by one figure, where values are compared",
        ),
        "sentences?": Read(lambda self: self.words or None, "[string]: what was found, in words"),
    }

    def _sentence(self) -> str:
        if self.best is not None:
            return _best_sentence(self.best, self.rows, self.exact)
        if len(self.rows) < 2:
            return ""
        exact = not any(isinstance(row.result, Simulation) for row in self.rows)
        fair = all(row.result.fairness and row.result.seats for row in self.rows)
        return _fairest(self.rows, exact) if fair else _means(self.rows)

    def _table(self) -> Table:
        """Return the table, with a column for all that some row has: values, outcomes, tallies, fairness."""
        results, flat = [row.result for row in self.rows], [row.flat() for row in self.rows]
        few = max((len(result.outcomes) for result in results), default=0) <= MOST_COLUMNS
        means = dict.fromkeys(name for result in results for name in result.tallies)
        shown = {column.name: column for column in self._columns(few, means)}
        names = dict.fromkeys(name for group in zip(*flat, strict=True) for part in group for name in part)
        columns = [shown.get(name) or Column(name, value=entry("flat", name)) for name in names]
        columns[len(self.over) : len(self.over)] = [] if few else EXTREMES
        least = ["tot. variation", *(f"mean {name}" for name in reversed(means)), "gap"]
        lines = [
            _Line(result.outcomes, result.tallies, {name: cell for part in parts for name, cell in part.items()})
            for result, parts in zip(results, flat, strict=True)
        ]
        return Table(columns or [Column("", plain, "no results")], lines, least, len(self.over))

    def _columns(self, few: bool, means: Iterable[str]) -> list[Column]:
        """Return the columns that are written in a way of their own; those of outcomes if there are `few`."""
        results = [row.result for row in self.rows]
        known = [Column(name, _setting, value=entry("flat", name)) for name in self.over]
        known += [Column("gap", chance, value=entry("flat", "gap"))]
        known += [Column("total_variation", chance, "tot. variation", entry("flat", "total_variation"))]
        titles = {name: outcome_title(name, r.seats, r.players) for r in reversed(results) for name in r.outcomes}
        known += [_estimate(name, "outcomes", name, title) for name, title in titles.items() if few]
        return known + [_estimate(f"{name} mean", "tallies", name, f"mean {name}") for name in means]

    def _lines(self, page: Printing) -> list[str]:
        lines = [*self.words, ""] if self.words else []
        how = "exact" if self.exact else f"simulated, seed {self.seed}; ± half of the 95 % interval"
        return [*self._head(page), "", *self._table().lines(page), "", *lines, self._how(how)]


@dataclass(frozen=True)
class _Line:
    """A line of the table: the numbers of a result, and all its data by the names of the columns."""

    outcomes: Mapping[str, Proportion | Chance]
    tallies: Mapping[str, Average | Distribution]
    flat: Mapping[str, Any]

    @property
    def chances(self) -> list[float]:
        """The probabilities of the outcomes."""
        return [p.probability for p in self.outcomes.values()]


EXTREMES = [
    Column("", chance, "smallest", lambda line: min(line.chances, default=None)),
    Column("", chance, "largest", lambda line: max(line.chances, default=None)),
]
"""What is shown of many outcomes."""


def _setting(page: Printing, value: int | str) -> str:
    """Return the value of a parameter: a number with its thousands grouped, or a word."""
    return value if isinstance(value, str) else f"{value:,}"


def _estimate(column: str, kind: str, name: str, title: str) -> Column:
    """Return the column of an outcome or a tally: its number, with half of the interval if it is estimated."""

    def text(page: Printing, of: Proportion | Chance | Average | Distribution | None) -> str:
        if of is None:
            return ""
        digits = CHANCE if kind == "outcomes" else decimals(of.interval)
        value = page.chance(point(of).value) if kind == "outcomes" else page.number(point(of).value, digits)
        return value + (f" {page.plus_minus(of.interval, digits)}" if isinstance(of, Proportion | Average) else "")

    return Column(column, text, title, entry(kind, name), entry("flat", column))


def _of_page(texts: dict[str, Any]) -> dict[str, Any]:
    """Return the texts of a page, whose two fields for values are one argument."""
    over = [texts.pop(name) for name in ("over", "over2") if name in texts]
    return {"over": over, **exact_or_simulated(texts)}


@question(
    chart="sweep",
    tab="Sweep",
    rows="points",
    complete=lambda page, texts: bool(texts["over"]),
    typed=_of_page,
    settings=("simulated", "over", "over2", "of"),
    drawn_by={"of": Option("What to draw: an outcome, a tally, p90:TALLY, gap, total_variation, ratio", "WHAT")},
    words=(BEST,),
    drawn=lambda result: bool(result.rows),
)
def sweep(
    game: GameLike,
    strategies: Strategies = (),
    *,
    over: Annotated[
        Mapping[str, Iterable[Any]],
        RangesOption("Values of a parameter or of a strategy's argument; give it once or twice", "NAME=A..B[..STEP]"),
    ],
    exact: Annotated[bool, YesNo("Solve exactly instead of simulating")] = False,
    memory: Memory = None,
    games: Games = None,
    precision: Precision = None,
    on: Precise = None,
    seed: RandomSeed = None,
    threads: Threads = None,
    best_by: Annotated[
        str | None,
        Option(
            "Name the best value by this outcome, tally or measure of fairness; least:FIGURE for the smallest "
            "[default: money, win, or the win of the only seat that varies]",
            "FIGURE",
            label="best by",
        ),
    ] = None,
    store: Store = None,
    cluster: Cluster = None,
    progress: RowsWatched = lambda done, total: None,
    parameters: Mapping[str, object] | None = None,
    **more: object,
) -> Sweep:
    """Simulate or solve a game for every value of a parameter, or for all pairs of values of two.

    --over takes a parameter of the game or an argument of a strategy. The argument varies in each seat whose strategy
    is given without it; where one seat varies, the best value is named, and those that can't be told from it. The
    strategy best stands for optimal play, of one seat or of all; the game is then solved at
    every point. With --solve-for, only the values are computed that are needed to find where a figure passes X.

    Commands
    --------
    dicelab sweep lcr --over players=2..5 --exact
    dicelab sweep tossup --over bank_over=0..60..5 -s bank_over -s bank_over:20
    dicelab sweep tossup --over bank_over=15..25 -s bank_over -s best --target 50
    dicelab sweep tossup --over last_turn=no,yes -s best --target 20
    dicelab sweep tossup --over target=10..60 -s best --solve-for 0=60%
    dicelab sweep lcr --over players=2..4 --over coins=1..3 --exact --plot lcr.svg --of gap
    dicelab sweep craps-bet --over bet=pass,field_2x3x,hard8 --exact --plot money.svg --of money

    Parameters
    ----------
    game, strategies
        As in `dicelab.simulate`. The strategy ``best`` stands for optimal play, of one seat or of all: the game is then
        solved at every point, exactly.
    over
        One or two names, each with its values. A name is a parameter of the game, a strategy with one argument, or
        ``strategy.argument``; the argument varies in every seat whose strategy is written without arguments.
    seed
        The same for every row, so that rows differ by the values and not by the dice.
    best_by
        By which figure the best value is named: an outcome, a tally, or, for exact rows, a measure of fairness, where
        the smallest is best; ``least:FIGURE`` for the smallest of another. The default is the mean of the tally
        ``money``, the outcome ``win``, or the win of the only seat whose strategy varies; otherwise none is named.
    parameters, **more
        Parameters of the game that are not at their default: by name, or, also where they have the name of one of these
        arguments, as a mapping.

    Raises
    ------
    InputError
        When a game, strategy or parameter is unknown, or a value is not allowed.
    PlayError
        When a game goes wrong at one of the values.

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
        method = PointMethod.of(points, exact, seed, **settings, store=store, cluster=workers)
        if by is not None and by[0] in MEASURES and not method.exact:
            raise ParameterError(f"best by: estimates have no interval of {by[0]}; add --exact")
        rows, ending = each(points, method.row, progress)
    facts = about(points[0].game, listed(points[0].game, strategies), without=list(over)) | ending
    best = best_of(rows, *by) if by is not None and len(points) > 1 else None
    words = both_vary(points, tuple(over)) if best is None else in_words(best, rows, method.exact)
    known: dict[str, Any] = {"over": tuple(over), "rows": rows, "best": best, "words": words}
    return Sweep(**facts, **known, exact=method.exact, seed=method.seed)
