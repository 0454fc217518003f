"""The settings and line-ups at which a game is checked: each parameter at its limits, all pairs of limits; which
strategies, with which arguments, play in which seats, and their games on the reference engine.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import NamedTuple

from dicelab.conformance.findings import NOTE, OK, Found, Said, broken
from dicelab.errors import DicelabError, EndlessGameError, IllegalMoveError, ParameterError
from dicelab.rules.game import Game, Strategy, fresh, seat_count
from dicelab.rules.params import Choice, Param
from dicelab.runtime.interpreter import play
from dicelab.runtime.lineup import Call
from dicelab.runtime.states.codec import Place
from dicelab.runtime.where import Where, where_is

Values = dict[str, int]


@dataclass(frozen=True)
class Setting:
    """Parameters that differ from their defaults, and the game with them."""

    values: Values
    game: Game

    def __str__(self) -> str:
        params = self.game.declared.params
        differing = [f"{name}={params[name].word(value)}" for name, value in self.values.items()]
        return f"at {', '.join(differing)}" if differing else ""


@dataclass
class Settings:
    """The settings to check: first those that vary one parameter, then the pairs.

    Attributes
    ----------
    refused
        Number of settings that the game itself refuses, which it may do.
    """

    settings: list[Setting]
    refused: int


def settings_of(game: type[Game]) -> Settings:
    """Return each parameter at its limits and between, the others at their defaults; then all pairs of limits.

    Raises
    ------
    Unsettled
        When a game can't be created at some setting.
    """
    params = game.declared.params
    settings, refused, seen = list[Setting](), 0, set[tuple[tuple[str, int], ...]]()
    for values in (*singles(params), *pairs({name: levels(param) for name, param in params.items()})):
        differing = {name: value for name, value in values.items() if value != params[name].default}
        key = tuple(sorted(differing.items()))
        if not differing or key in seen:
            continue
        seen.add(key)
        try:
            settings.append(Setting(differing, game(**differing)))
        except ParameterError:
            refused += 1
        except DicelabError as error:
            words = ", ".join(f"{name}={params[name].word(value)}" for name, value in differing.items())
            raise Unsettled(f"at {words}", error) from error
    return Settings(settings, refused)


class Unsettled(DicelabError):
    """A game can't be created at a setting; `at` names the setting, `error` says why."""

    def __init__(self, at: str, error: DicelabError) -> None:
        super().__init__(str(error))
        self.at = at
        self.error = error


def singles(params: Mapping[str, Param]) -> Iterator[Values]:
    """Yield each parameter at its limits and next to them, or at every name of a choice; the others
    at their defaults.
    """
    for name, param in params.items():
        if isinstance(param, Choice):
            values = [*range(param.high + 1)]
        else:
            values = sorted({param.low, min(param.low + 1, param.high), max(param.high - 1, param.low), param.high})
        yield from ({name: value} for value in values)


def levels(param: Param) -> list[int]:
    """Return the values of a parameter that are paired with those of others: its default first, then its limits."""
    return list(dict.fromkeys([param.default, param.low, param.high]))


def pairs(values: Mapping[str, Sequence[int]]) -> Iterator[Values]:
    """Yield a pairwise covering array: few settings in which every pair of values of two parameters occurs together.

    Greedy: each setting begins with a pair that is still missing, and gives every other parameter the value that adds
    the most missing pairs.

    >>> [list(one.values()) for one in pairs({"a": [0, 1], "b": [0, 1], "c": [0, 1]})]
    [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]]
    """
    missing: dict[tuple[tuple[str, int], tuple[str, int]], None] = {
        ((a, x), (b, y)): None for a, b in combinations(values, 2) for x, y in product(values[a], values[b])
    }
    while missing:
        setting: Values = dict(next(iter(missing)))
        for name in values:
            if name not in setting:
                setting[name] = max(values[name], key=lambda value: _new(setting, name, value, missing))
        setting = {name: setting[name] for name in values}
        for pair in combinations(setting.items(), 2):
            missing.pop(pair, None)
        yield setting


def _new(setting: Values, name: str, value: int, missing: Collection[object]) -> int:
    """Return the number of missing pairs that a value adds to a setting."""
    mine = (name, value)
    return sum((other, mine) in missing or (mine, other) in missing for other in setting.items())


LIMIT = 100_000
"""Rolls and choices after which a game is considered endless."""
SHORT = 5_000
"""The same with arguments or parameters at their limits, where games need not end."""
GAMES, STEPS = 400, 100_000
"""Games of a line-up at the defaults, and rolls and choices in all these line-ups, after which fewer are enough."""
FEW, FEW_STEPS = 20, 60_000
"""The same with arguments at their limits."""
NUMBERS = 12
"""Numbers of a state for which moves are listed, from which on a step counts as two; twice as many, as three, ..."""
MOST_MIXED = 8
"""Limit of the line-ups with different strategies."""


@dataclass(frozen=True)
class Lineup:
    """Strategies by seat; none in a game without choices."""

    calls: tuple[Call, ...]

    def __str__(self) -> str:
        names = list(dict.fromkeys(map(str, self.calls)))
        return f"with {' and '.join(names)}" if names else "without choices"

    @property
    def mixed(self) -> bool:
        """Whether seats have different strategies or arguments."""
        return len(set(map(str, self.calls))) > 1


def lineups(game: Game) -> list[Lineup]:
    """Return each strategy at its defaults in all seats; then line-ups of different strategies."""
    if not game.declared.decisions:
        return [Lineup(())]
    seats = max(1, seat_count(game))
    calls = [_call(strategy, {}) for strategy in game.declared.strategies.values()]
    return [*(Lineup((call,) * seats) for call in calls), *_mixed(calls, seats)]


def at_limits(game: Game) -> list[Lineup]:
    """Return the strategies with each argument at its limits, in all seats; then line-ups of different ones."""
    if not game.declared.decisions:
        return []
    seats = max(1, seat_count(game))
    calls = [call for strategy in game.declared.strategies.values() for call in _limits(strategy)]
    return [*(Lineup((call,) * seats) for call in calls), *_mixed(calls, seats)]


def _mixed(calls: Sequence[Call], seats: int) -> Iterator[Lineup]:
    """Yield line-ups of different strategies in neighbouring seats, starting with each of them."""
    if seats < 2 or len(calls) < 2:
        return
    for first in range(0, len(calls), max(1, -(-len(calls) // MOST_MIXED))):
        yield Lineup(tuple(calls[(first + seat) % len(calls)] for seat in range(seats)))


def _call(strategy: Strategy, given: dict[str, int]) -> Call:
    return Call(strategy, tuple(given.get(name, param.default) for name, param in strategy.params.items()))


def _limits(strategy: Strategy) -> Iterator[Call]:
    """Yield a strategy with each argument at its limits, or each name of a choice, the others at their defaults."""
    for name, param in strategy.params.items():
        values = range(param.high + 1) if isinstance(param, Choice) else dict.fromkeys((param.low, param.high))
        yield from (_call(strategy, {name: value}) for value in values if value != param.default)


class Some(NamedTuple):
    """Games that were begun, how many of them ended, and their rolls and choices."""

    games: int
    ended: int
    steps: int


def play_some(game: Game, lineup: Lineup, games: int, limit: int, most: int, at: str = "") -> Some:
    """Play games on the reference engine, until `most` rolls and choices are made.

    Raises
    ------
    Broken
        Names the method or strategy at fault. Games that don't end are an error if the limit is `LIMIT`.
    """
    index = ended = made = 0
    while index < games and made < most:
        try:
            made += play(game, lineup.calls, 0, index, limit).steps
            ended += 1
        except EndlessGameError as error:
            if limit == LIMIT:
                raise broken(error, type(game), where_is(type(game).next), _with(at, lineup)) from error
            made += limit
        except DicelabError as error:
            raise broken(error, type(game), _blame(error, game, lineup), _with(at, lineup)) from error
        index += 1
    return Some(index, ended, made)


def _with(at: str, lineup: Lineup) -> str:
    return f"{at}, {lineup}" if at else str(lineup)


def _blame(error: Exception, game: Game, lineup: Lineup) -> Where:
    """Return the place of an error that no line of the rules raised: the strategy that moved, `outcome` or `next`."""
    about_moves = isinstance(error, IllegalMoveError) or "positional argument" in str(error)
    if about_moves and lineup.calls:
        match = re.search(r"seat (\d+) .*chose", str(error))
        return where_is(lineup.calls[int(match[1]) if match else 0].strategy.rule)
    return where_is(type(game).outcome if "outcome()" in str(error) else type(game).next)


def slowness(game: Game) -> int:
    """Return how many times fewer steps are made where rules list the moves of large states, which takes long."""
    listing = any(decision.lists for decision in game.declared.decisions)
    return 1 + len(Place(fresh(game), ()).read()) // NUMBERS if listing else 1


def strategies(game: type[Game]) -> Found:
    """Check that moves are legal and games end, for all strategies, mixed line-ups, and arguments at their limits."""
    sample = game()
    whole = lineups(sample)
    slow = slowness(sample)
    played = sum(play_some(sample, one, GAMES, LIMIT, STEPS // slow // len(whole)).games for one in whole)
    left, limited, missed, unended = FEW_STEPS // slow, 0, 0, 0
    for one in at_limits(sample):
        if left <= 0:
            missed += 1
            continue
        some = play_some(sample, one, FEW, SHORT, left)
        left -= some.steps
        played, limited, unended = played + some.games, limited + 1, unended + (some.ended < some.games)
    mixed = sum(one.mixed for one in whole)
    if unended:
        yield Said(NOTE, f"with {unended} of these line-ups games did not end within {SHORT:,} rolls and choices")
    if missed:
        yield Said(NOTE, f"{missed} more line-ups with arguments at their limits were not played: there are too many")
    of_these = f" ({mixed} of different strategies, {limited} with arguments at their limits)" if whole[0].calls else ""
    count = len(whole) + limited
    say = f"{played:,} games with {count:,} line-up{'' if count == 1 else 's'}{of_these} went well"
    yield Said(OK, say, {"lineups": {"all": count, "mixed": mixed, "limits": limited, "games": played}})
