"""Line-ups: which strategies, with which arguments, play in which seats; and their games on the reference engine."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from dicelab.conformance.findings import NOTE, OK, Found, Said, broken
from dicelab.errors import DicelabError, EndlessGameError, IllegalMoveError
from dicelab.rules.game import Game, Strategy, fresh, seat_count
from dicelab.rules.params import Choice
from dicelab.runtime.interpreter import play
from dicelab.runtime.lineup import Call
from dicelab.runtime.states.codec import Place
from dicelab.runtime.where import Where, where_is

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
        found = re.search(r"seat (\d+) .*chose", str(error))
        return where_is(lineup.calls[int(found[1]) if found else 0].strategy.rule)
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
