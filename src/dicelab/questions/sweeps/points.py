"""The values of a sweep: parsed, and the games and results at its points."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

from dicelab.errors import ParameterError, concerning, unknown
from dicelab.questions.exact import exact as solve_exactly
from dicelab.questions.options import Option
from dicelab.questions.simulate import seed_of, simulate, simulated_only
from dicelab.results.base import BaseResult, about, winners
from dicelab.results.numbers.estimates import MEASURES, PERCENTILES, flat, known, outcome_typed
from dicelab.results.result import Exact, Result, Simulation, row_of
from dicelab.results.rows import completed
from dicelab.results.text.page import Printing
from dicelab.rules.game import Game, outcome_names
from dicelab.rules.loading.strategies import in_file, strategies_of, strategy_named
from dicelab.rules.params import NAME, Choice, Param, Switch, as_integer, whole_number
from dicelab.runtime.lineup import Run, listed
from dicelab.runtime.strategies import BEST, Given, Strategies, as_list

# Parse the ranges of a sweep: ``players=2..12``, ``bank_over=0..60..5``, ``main=5,7,9`` -------------------------------


MOST = 10_000
"""Limit of the values of one range, and of the points of a sweep."""


def parse_range(text: str, option: str = "over") -> tuple[str, list[Any]]:
    """Name and values of a range: whole numbers, or names of values; `option` is named in errors.

    Raises
    ------
    ParameterError
        If it is not written as a range; says how to write one.

    Examples
    --------
    >>> parse_range("players=2..6..2")
    ('players', [2, 4, 6])
    >>> parse_range("main=5,7")
    ('main', [5, 7])
    >>> parse_range("bet=pass,hard8")
    ('bet', ['pass', 'hard8'])
    """
    name, equals, values = text.partition("=")
    if not (name and equals and values):
        raise ParameterError(
            f"{option}: {text!r} is not allowed; it is written NAME=FIRST..LAST, NAME=FIRST..LAST..STEP"
        )
    parts = values.split("..") if ".." in values else values.split(",")
    numbers: list[Any] = [part if ".." not in values and NAME.fullmatch(part) else whole_number(part) for part in parts]
    if None in numbers or (".." in values and len(numbers) > 3):
        raise ParameterError(
            f"{option}: {text!r} is not allowed; it is written {name}=FIRST..LAST, {name}=FIRST..LAST..STEP "
            f"or {name}=A,B,C"
        )
    if ".." not in values:
        return name, numbers
    first, last, step = (*numbers, 1)[:3]
    if step < 1 or last < first:
        raise ParameterError(
            f"{option}: {text!r} has no values; it goes up from the first to the last, by a step above 0"
        )
    if (last - first) // step >= MOST:
        raise ParameterError(f"{option}: {text!r} has more than {MOST:,} values")
    return name, list(range(first, last + 1, step))


def _as_range(values: list[Any]) -> range:
    """Return numbers at equal distances as a range, which is how they are written in Python."""
    step = values[1] - values[0] if len(values) > 1 else 1
    return range(values[0], values[-1] + 1, step)


class RangesOption(Option):
    """Names with their values, typed ``NAME=A..B``, once or twice."""

    repeated = True

    def read(self, name: str, text: Sequence[str]) -> dict[str, Sequence[Any]]:  # noqa: D102 (as in Option)
        if not text:
            raise ParameterError(f"{name}: {self.missing}")
        values: dict[str, Sequence[Any]] = {}
        for one in text:
            key, listed = parse_range(one, name)
            values[key] = _as_range(listed) if ".." in one else listed
        if len(values) < len(text):
            raise ParameterError(f"{name}: the same name is given twice")
        return values

    def typed(self, text: Sequence[str]) -> list[str]:  # noqa: D102
        return list(text)

    missing = "give the values to sweep, such as --over players=2..12"


@dataclass(frozen=True)
class Swept:
    """A parameter of the game, or an argument of a strategy, and the values over which a sweep varies it.

    Attributes
    ----------
    name
        As written: ``players``, ``bank_over`` or ``bank_over.points``.
    param
        The parameter, or the argument, as it is declared.
    values
        The values, in the order given; for a parameter whose values have names, the places of the names.
    strategy, argument
        Name of the strategy and place of the argument; empty and -1 for a parameter.
    """

    name: str
    param: Param
    values: tuple[int, ...]
    strategy: str = ""
    argument: int = -1

    @property
    def named(self) -> bool:
        """Whether the values have names: bets, yes and no."""
        return isinstance(self.param, Choice | Switch)

    @classmethod
    def of(cls, game: type[Game], name: object, values: object, strategies: Iterable[Given] = ()) -> Swept:
        """Return the parameter or argument that a name means in a game; `strategies` are those that play."""
        if not isinstance(name, str) or not isinstance(values, Iterable):
            raise ParameterError(f"over: {name!r}: {values!r} is not allowed; give a name and its values")
        wanted = tuple(values)
        if not wanted:
            raise ParameterError(f"over: {name} has no values")
        declared = game.declared
        if name in declared.params:
            param = declared.params[name]
            return cls(name, param, _accepted(name, param, wanted))
        path, in_file, rest = name.partition(".py:")
        strategy, dot, argument = (rest if in_file else name).partition(".")
        strategy = f"{path}.py:{strategy}" if in_file else strategy
        if not in_file and strategy not in (known := strategies_of(game)):
            swept = [*declared.params, *known, *_in_files(game, strategies)]
            raise unknown(f"parameter or strategy of {game.name}", strategy, swept)
        params = strategy_named(game, strategy).params
        place = _place(strategy, argument if dot else None, params)
        param = list(params.values())[place]
        return cls(name, param, _accepted(name, param, wanted), strategy, place)


def written(game: type[Game], texts: Sequence[Given], swept: Sequence[Swept], point: Sequence[int]) -> list[Given]:
    """Return the strategies at one point of a sweep: swept arguments are set in every seat written without arguments.

    Raises
    ------
    ParameterError
        When there is no such seat.
    """
    arguments: dict[str, dict[int, int]] = {}
    for one, value in zip(swept, point, strict=True):
        if one.strategy:
            arguments.setdefault(one.strategy, {})[one.argument] = value
    seated = list(texts)
    for name, values in arguments.items():
        seats = [_plain(game, text) == _plain(game, name) for text in seated]
        if not any(seats):
            raise ParameterError(
                f"over: no seat plays {name} without arguments: write --strategy {name} "
                "for each seat in which it is to vary"
            )
        params = strategy_named(game, name).params.values()
        full = ":".join([name, *(param.word(values.get(i, param.default)) for i, param in enumerate(params))])
        seated = [full if here else text for here, text in zip(seats, seated, strict=True)]
    return seated


def _plain(game: type[Game], text: Given) -> Given:
    """Return a strategy as it is written, without ``./``; one in a file with its name."""
    if not isinstance(text, str) or not in_file(text):
        return text
    return os.path.normpath(text if ".py:" in text else strategy_named(game, text).name)


def _in_files(game: type[Game], strategies: Iterable[Given]) -> list[str]:
    """Return the arguments of those strategies that are in files, as they are written:
    ``./mine.py:cautious.points``.
    """
    names = dict.fromkeys(text for text in strategies if isinstance(text, str) and in_file(text))
    every = [strategy_named(game, ":".join(name.split(":")[:2])) for name in names]
    return [f"{one.name}.{argument}" for one in every for argument in one.params]


def _accepted(name: str, param: Param, values: Iterable[object]) -> tuple[int, ...]:
    """Return the values of a parameter, which are whole numbers unless they have names."""
    accepted = []
    for value in values:
        if isinstance(param, Choice | Switch):
            accepted.append(param.accept(value))
            continue
        written = isinstance(value, str) and NAME.fullmatch(value) and whole_number(value) is not None  # 1e3, not 5
        if as_integer(value) is None and not written:
            raise ParameterError(f"over: {name}: {value!r} is not a whole number")
        accepted.append(param.accept(value))
    return tuple(accepted)


def _place(strategy: str, argument: str | None, params: Mapping[str, Param]) -> int:
    if argument is not None:
        if argument not in params:
            raise unknown(f"argument of {strategy}", argument, params)
        return list(params).index(argument)
    if len(params) != 1:
        raise ParameterError(
            f"over: {strategy} has {len(params)} arguments"
            + (f"; write one of {', '.join(f'{strategy}.{name}' for name in params)}" if params else "")
        )
    return 0


# The points of a sweep: the values, the game there, and its result, simulated or exact --------------------------------


@dataclass(frozen=True)
class SweepPoint:
    """The values at one point of a sweep, and what is played there.

    Attributes
    ----------
    values, words
        By name: the values, as whole numbers; and those that have names (bets, yes and no) as they are typed.
    game, strategies
        The game with its parameters; strategies, one for each seat or for all, among them perhaps `BEST`.
    """

    values: dict[str, int]
    words: dict[str, str]
    game: Game
    strategies: list[Given]


@dataclass(frozen=True)
class SweepRow:
    """One point of a sweep.

    Attributes
    ----------
    values
        The values, by the names of the parameters.
    result
        The `Simulation`, `Exact` or `Solution` there.
    words
        The names of values that have one.

    Examples
    --------
    >>> import dicelab
    >>> row = dicelab.sweep("hazard", over={"main": [5, 6]}, exact=True).rows[0]
    >>> row.values, str(row.result.outcomes["win"].fraction)
    ({'main': 5}, '1396/2835')
    """

    values: dict[str, int]
    result: Result
    words: Mapping[str, str]

    @property
    def shown_values(self) -> dict[str, int | str]:
        """The values for display: their names, if they have names."""
        return {name: self.words.get(name, value) for name, value in self.values.items()}

    def to_dict(self) -> dict[str, Any]:
        """Plain data: the keys of the result, and the values at this point."""
        return {"over": self.shown_values, **row_of(self.result)}

    def flat(self) -> list[dict[str, Any]]:
        """Return one line of a table, by column, in four groups: values, outcomes, tallies, fairness."""
        outcomes: dict[str, Any] = {}
        for name, chance in self.result.outcomes.items():
            outcomes[name] = chance.probability
            outcomes[f"{name} low"], outcomes[f"{name} high"] = chance.interval
        line: dict[str, Any] = {}
        for name, tally in self.result.tallies.items():
            data = flat(tally.to_dict())
            line |= {f"{name} {key}": data[key] for key in ("mean", "low", "high", "sd", *PERCENTILES) if key in data}
        return [dict(self.shown_values), outcomes, line, {name: known(v) for name, v in self.result.fairness.items()}]


@dataclass(frozen=True)
class PointMethod:
    """How the result at a point is found.

    Attributes
    ----------
    exact
        Whether results are exact.
    seed
        Of simulated games, the same at every point, so that points differ by the values and not by the dice.
    games, precision, on, threads, memory, store, cluster
        As in `dicelab.simulate` and `dicelab.exact`.
    """

    exact: bool
    seed: int | None
    games: int | None
    precision: float | None
    on: str | None
    threads: int | None
    memory: int | None
    store: str | os.PathLike[str] | None
    cluster: Any

    @classmethod
    def of(cls, points: Sequence[SweepPoint], exact: bool, seed: object, **settings: Any) -> PointMethod:
        """Return the method for these points; where a seat plays optimally, it is exact."""
        exact = exact or any(solved(point) for point in points)
        if exact:
            simulated_only(**{name: settings[name] for name in ("games", "precision", "on", "cluster")})
        first = points[0]
        number = None if exact else seed_of(Run.of(first.game, first.strategies), seed, settings["store"])
        return cls(exact, number, **settings)

    def row(self, point: SweepPoint) -> SweepRow:
        """Return the result at a point.

        Raises
        ------
        KeyboardInterrupt
            When it was interrupted before it was complete.
        """
        shown = (f"{name} {point.words.get(name, value)}" for name, value in point.values.items())
        with concerning(", ".join(shown)):
            return SweepRow(point.values, self._result(point), point.words)

    def _result(self, point: SweepPoint) -> Result:
        if solved(point):
            return optimal(point, self.memory, self.store)
        settings: dict[str, Any] = {"threads": self.threads, "store": self.store}
        if self.exact:
            return solve_exactly(point.game, point.strategies, memory=self.memory, **settings)
        settings |= {"games": self.games, "precision": self.precision, "on": self.on, "cluster": self.cluster}
        return completed(simulate(point.game, point.strategies, seed=self.seed, **settings))


def solved(point: SweepPoint) -> bool:
    """Return whether a seat plays optimally: it is given `BEST`, and the game has no strategy of that name."""
    return BEST in point.strategies and BEST not in point.game.declared.strategies


def figure_typed(points: Sequence[SweepPoint], text: str) -> str:
    """Return the figure that was typed: an outcome, a tally, a measure of fairness, or the label of a seat.

    Raises
    ------
    UnknownNameError
        When the results at some point don't have it.
    """
    figure = next((name for name in (outcome_typed(point.game, text) for point in points) if name != text), text)
    for point in points:
        tallies = () if solved(point) else tuple(point.game.declared.tallies)
        names = [*outcome_names(point.game), *tallies, *(MEASURES if winners(point.game) else ())]
        if figure not in names:
            raise unknown(f"outcome or tally of {point.game.name}", str(figure), names)
    return figure


def optimal(point: SweepPoint, memory: int | None = None, store: str | os.PathLike[str] | None = None) -> Exact:
    """Return the probabilities of the outcomes under optimal play of the seats that are given `BEST`.

    Raises
    ------
    ParameterError
        When nobody can win the game, or some but not all of several seats are to play optimally.
    """
    from dicelab.questions.policies.solve import solve
    from dicelab.solver.value import ExactAnswer

    game, texts = point.game, point.strategies
    if not winners(game):
        say = f"{BEST}: the outcomes of {game.name} are not the seats that win, so a sweep has no best play"
        raise ParameterError(f"{say}; dicelab solve takes an --objective")
    against = [text for text in texts if text != BEST]
    if against and len(against) < len(texts) - 1:
        raise ParameterError(f"{BEST}: give it for one seat, or alone for all of them")
    solution = solve(game, against, seat=texts.index(BEST), memory=memory, store=store)
    names, size = outcome_names(game), (solution.states, solution.edges)
    answer = ExactAnswer(
        tuple(solution.outcomes[name].probability for name in names), None, (), *size, solution.error, solution.seconds
    )
    facts: dict[str, Any] = about(game, solution.strategies) | {"seconds": solution.seconds}
    return Exact(**facts, outcome_names=names, tally_names=(), seats=True, answer=answer)


def points_of(
    game: str | os.PathLike[str] | type[Game] | Game,
    strategies: Strategies,
    over: Mapping[str, Iterable[Any]],
    parameters: Mapping[str, object],
) -> list[SweepPoint]:
    """Return the points of a sweep over one name or two, the last name varying fastest.

    Raises
    ------
    InputError
        When something given is unknown or not allowed at any point.
    """
    if not hasattr(over, "items"):
        raise ParameterError(f"over: {over!r} is not allowed; give names, each with its values")
    if not 1 <= len(over) <= 2:
        raise ParameterError(f"a sweep goes over one or two things, not {len(over)}")
    kind = type(Run.of(game).game)
    swept = _swept(kind, over, parameters, strategies)
    points = []
    for place in product(*(one.values for one in swept)):
        given = dict(parameters) | {s.name: value for s, value in zip(swept, place, strict=True) if not s.strategy}
        table = Run.of(game if isinstance(game, Game) else kind, **given).game
        texts = listed(table, strategies) or [one.strategy for one in swept if one.strategy][:1]
        seated = written(kind, texts, swept, place)
        best = BEST in seated and BEST not in kind.declared.strategies
        run = Run.of(table, [] if best else seated)
        values = {one.name: value for one, value in zip(swept, place, strict=True)}
        words = {one.name: one.param.word(value) for one, value in zip(swept, place, strict=True) if one.named}
        points.append(SweepPoint(values, words, run.game, seated if best else list(run.calls)))
    return points


def _swept(
    kind: type[Game], over: Mapping[str, Iterable[Any]], parameters: Mapping[str, object], strategies: Strategies
) -> list[Swept]:
    """Return what is swept, all different and none of it given as well."""
    every = as_list([*strategies.values()] if isinstance(strategies, Mapping) else strategies)
    swept = [Swept.of(kind, name, values, every) for name, values in over.items()]
    if len({(one.strategy or one.name, one.argument) for one in swept}) < len(swept):
        raise ParameterError(f"over: two names mean the same: {' and '.join(over)}")
    for one in swept:
        if one.name in parameters:
            raise ParameterError(f"{one.name} can't be both given and swept")
    if prod(len(one.values) for one in swept) > MOST:
        raise ParameterError(f"a sweep has at most {MOST:,} points")
    return swept


@dataclass(frozen=True, repr=False, kw_only=True)
class OverValues(BaseResult):
    """Results for values of one or two parameters or arguments; the attributes are those of `dicelab.sweep`."""

    over: tuple[str, ...]
    rows: list[SweepRow]
    exact: bool

    @property
    def games(self) -> int | None:
        """Number of simulated games of each row; None if the rows are exact, or differ in it."""
        games = {row.result.games if isinstance(row.result, Simulation) else None for row in self.rows}
        return games.pop() if len(games) == 1 else None

    def _head(self, page: Printing, strategies: Sequence[str] | None = None) -> list[str]:
        head = page.head(f"{self.game} over {' and '.join(self.over)}", self.parameters, self.differing)
        return [*head, f"strategies: {', '.join(self.strategies)}"] if self.strategies else head

    def _how(self, how: str) -> str:
        """Return how the rows were computed, and why some are missing."""
        return f"{how}; {self.unfinished}" if self.unfinished else how
