"""Reading the input of a run: game and parameters, a strategy for each seat, seed, number of threads."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any

from dicelab.errors import ParameterError, slow
from dicelab.rules.game import Call as Call
from dicelab.rules.game import Chooser as Chooser
from dicelab.rules.game import Game, Strategy, seat_count
from dicelab.rules.loading.registry import find
from dicelab.rules.params import as_integer, whole, whole_number
from dicelab.runtime.strategies import Given, Strategies, as_call, as_list
from dicelab.translation.contract import is_free, must_be_lawful

SEEDS = 2**64
FIRST_LOOK = 1000
"""Games after which intervals are first compared with the precision asked for."""
FIRST_PARTS = tuple(round(10 * 10 ** (n / 8)) for n in range(16))
"""Games after which a part of a run ends before that: 10, 13, 18, ... 750, eight while they grow tenfold."""


@dataclass(frozen=True)
class Run:
    """A game with its parameters, and a strategy for each seat (none in a game without choices)."""

    game: Game
    calls: tuple[Call, ...]

    @classmethod
    def of(
        cls,
        game: str | os.PathLike[str] | type[Game] | Game,
        strategies: Strategies = (),
        /,
        **parameters: object,
    ) -> Run:
        """Look up the game and its strategies.

        Parameters
        ----------
        game
            A name, a path to a file, a game's class, or a game with its parameters.
        strategies
            One for each seat, or one for all; none means the game's default. By seat, ``{1: "bank_over:20"}``, the
            seats left out have the default.
        **parameters
            Parameters of the game that are not at their default.

        Raises
        ------
        InputError
            When a name is unknown or a value is not allowed.
        """
        table = _set_up(game, parameters)
        calls = verified(table, _seat(table, listed(table, strategies)))
        must_be_lawful(type(table), [call.strategy for call in calls])
        slow(uncompiled(calls))
        return cls(table, calls)

    @property
    def strategies(self) -> list[str]:
        """The strategies as text, one for each seat."""
        return [str(call) for call in self.calls]


def verified(game: Game, calls: Sequence[Call]) -> tuple[Call, ...]:
    """Return strategies with their arguments; plain functions that can't be translated are marked as not verified."""
    known: dict[Strategy, Strategy] = {}
    for strategy in {call.strategy for call in calls}:
        known[strategy] = replace(strategy, verified=False) if is_free(type(game), strategy) else strategy
    return tuple(Call(known[call.strategy], call.args) for call in calls)


def uncompiled(calls: Sequence[Call]) -> str:
    """Return why games are played in plain Python, as a note for people; "" if they are compiled."""
    free = sorted({call.strategy.name for call in calls if not call.strategy.verified})
    if free:
        names, are = " and ".join(free), "is a Python function" if len(free) == 1 else "are Python functions"
        return f"not compiled, so played slowly: {names} {are} that can't be translated, and not verified"
    return ""


def _set_up(game: object, parameters: dict[str, object]) -> Game:
    """Return an instance of the game with its parameters."""
    if isinstance(game, str | os.PathLike):
        game = find(str(game))
    if isinstance(game, type) and issubclass(game, Game) and game is not Game:
        must_be_lawful(game)
        return game(**parameters)
    if not isinstance(game, Game):
        raise ParameterError(f"{game!r} is not a game; give a name, a path to a file, a Game class or a Game")
    if "profile" in parameters:
        raise ParameterError(f"profile: this {game.name} already has its parameters; give the profile when creating it")
    return type(game)(**{**game.parameters, **parameters}) if parameters else game


def listed(game: Game, strategies: Strategies) -> list[Given]:
    """Return the strategies as a list: one for all seats or one for each; given by seat, the default in those that are
    left out.
    """
    return _by_seat(game, strategies) if isinstance(strategies, Mapping) else as_list(strategies)


def _by_seat(game: Game, strategies: Mapping[Any, object]) -> list[Given]:
    seats = range(seat_count(game))
    for seat in strategies:
        if as_integer(seat) not in seats:
            raise ParameterError(f"strategies: {seat!r} is no seat of {game.name}; its seats are 0 to {len(seats) - 1}")
    default = next(iter(game.declared.strategies), "")
    return as_list([strategies.get(seat, default) for seat in seats])


def _seat(game: Game, texts: list[Given]) -> tuple[Call, ...]:
    """Return the strategy of each seat; a single one is used for all seats, none means the default."""
    if not game.declared.decisions:
        if texts:
            raise ParameterError(f"{game.name} has no choices, so it takes no strategy")
        return ()
    if not texts:
        if not game.declared.strategies:
            raise ParameterError(
                f"{game.name} has choices but declares no strategy; write one in its file, a function under "
                f"@strategy({type(game).__name__}) that returns a move"
            )
        texts = [next(iter(game.declared.strategies))]
    seats = seat_count(game)
    if len(texts) not in (1, seats):
        raise ParameterError(
            f"{game.name} has {seats} seats: give one strategy for all or one for each, not {len(texts)}"
        )
    calls = [as_call(game, text) for text in texts]
    return tuple(calls if len(calls) == seats else calls * seats)


def distinct(strategies: Iterable[Strategy]) -> list[Strategy]:
    """Return the strategies without repetition, sorted by name; kernels depend on these, not on seats or arguments."""
    by_name = {strategy.name: strategy for strategy in strategies}
    return [by_name[name] for name in sorted(by_name)]


def as_seed(seed: object) -> int:
    """Return a seed as a 64-bit number; a random one if it is None.

    Raises
    ------
    ParameterError
        When it is not a whole number from 0 to 2**64 - 1.
    """
    if seed is None:
        return secrets.randbits(48)
    number = whole_number(seed) if isinstance(seed, str) else as_integer(seed)
    if number is None or not 0 <= number < SEEDS:
        raise ParameterError(f"seed: {seed!r} is not allowed; it takes a whole number, 0 to {SEEDS - 1}")
    return number


_most_threads: ContextVar[int] = ContextVar("most_threads", default=1024)


@contextmanager
def on_threads(threads: object) -> Iterator[None]:
    """Use at most so many threads in this block where none are asked for; None: one for each core."""
    before = _most_threads.set(usable_threads(threads))
    try:
        yield
    finally:
        _most_threads.reset(before)


def usable_threads(threads: object) -> int:
    """Return the number of threads; if None, one for each core that this process may use."""
    if threads is None:
        affinity = getattr(os, "sched_getaffinity", None)  # Linux only
        cores = len(affinity(0)) if affinity else os.cpu_count() or 1
        return min(cores, _most_threads.get())
    return whole("threads", threads, 1, 1024)


def look_after(games: int) -> int:
    """Return the first number of games above `games` after which precision is checked.

    >>> look_after(0), look_after(1000), look_after(1249)
    (1000, 1250, 1250)
    """
    return next(look for look in looks() if look > games)


def part_after(games: int) -> int:
    """Return the first number of games above `games` at which a part of a run ends, or the first one after it.

    Parts are what a store keeps, and the estimates of a curve of convergence are those after each of them.

    >>> part_after(0), part_after(237), part_after(750), part_after(1000)
    (10, 316, 1000, 1250)
    """
    return next((end for end in FIRST_PARTS if end > games), None) or look_after(games)


def looks() -> Iterator[int]:
    """Yield the numbers of games after which precision is checked: 1000, then a quarter more each time."""
    games = FIRST_LOOK
    while True:
        yield games
        games += games // 4
