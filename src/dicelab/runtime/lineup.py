"""Reading the input of a run: game and parameters, a strategy for each seat, seed, number of threads."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from dicelab.errors import ParameterError, UnknownNameError, unknown
from dicelab.purity.contract import must_be_lawful
from dicelab.rules.actions import Decision
from dicelab.rules.game import Game, Memory, Strategy, seat_count
from dicelab.rules.params import as_integer, whole_number
from dicelab.rules.registry import find

SEEDS = 2**64
FIRST_LOOK = 1000
"""Games after which intervals are first compared with the precision asked for."""
FROM_FILES = {"policy": "dicelab.engines.policy:strategy_of"}
"""Loaders of strategies kept in files, by the prefix of the path. They are imported on demand: they need NumPy."""

Chooser = Callable[[Game, Decision, int], object]
"""Returns the move of a seat: a strategy with its arguments and memory, or a person."""


@dataclass(frozen=True)
class Call:
    """A strategy with its arguments.

    Its text is what `parse_call` accepts, with the arguments that differ from the defaults: ``bank_over``,
    ``bank_over:50`` or ``line:odds=2:system=martingale``.
    """

    strategy: Strategy
    args: tuple[int, ...]

    def __str__(self) -> str:
        given = zip(self.strategy.params.values(), self.args, strict=True)
        name = "" if len(self.args) == 1 else "{}="
        words = [name.format(p.name) + p.word(value) for p, value in given if value != p.default]
        return ":".join([self.strategy.name, *words])

    @property
    def arguments(self) -> dict[str, Any]:
        """All arguments by name, as plain data."""
        return {p.name: p.show(value) for p, value in zip(self.strategy.params.values(), self.args, strict=True)}

    def chooser(self, game: Game, memory: Memory | None = None) -> Chooser:
        """The chooser of one seat in one game; it has the given memory, or a new one."""
        rule, args = self.strategy.rule, self.args
        if self.strategy.memory is None:
            return lambda position, decision, seat: rule(position, *args)
        mine = memory or self.strategy.memory(game)
        return lambda position, decision, seat: rule(position, mine, *args)


def parse_call(game: Game | type[Game], text: str) -> Call:
    """The strategy that a text stands for: ``one_roll``, ``bank_over:20``, ``line:odds=2`` or ``policy:best.npz``.

    A policy must be for the rules of this game and, if `game` is an instance, for its parameters.

    Raises
    ------
    InputError
        When there is no such strategy, or an argument is not allowed.
    """
    name, *given = text.split(":")
    if name in FROM_FILES:
        module, loader = FROM_FILES[name].split(":")
        load = getattr(import_module(module), loader)
        return Call(load(text.removeprefix(f"{name}:"), game), ())
    if name not in game.declared.strategies:
        raise unknown(f"strategy of {game.name}", name, game.declared.strategies)
    strategy = game.declared.strategies[name]
    try:
        values = _arguments(strategy, given)
        return Call(strategy, tuple(p.accept(values.get(p.name, p.default)) for p in strategy.params.values()))
    except (ParameterError, UnknownNameError) as error:
        raise type(error)(f"strategy {text!r}: {error}") from error


def arguments_of(game: Game | type[Game], text: str) -> dict[str, Any]:
    """All arguments of a strategy by name; none of a policy, and of a seat that is solved or learns.

    >>> from dicelab.games.tossup import TossUp
    >>> arguments_of(TossUp, "bank_over"), arguments_of(TossUp, "learned")
    ({'points': 20}, {})
    """
    return parse_call(game, text).arguments if text.partition(":")[0] in game.declared.strategies else {}


def _arguments(strategy: Strategy, given: Sequence[str]) -> dict[str, str]:
    """The arguments of a strategy by name, from values in order followed by ``name=value``."""
    written, names = ":".join([strategy.name, *strategy.params]), list(strategy.params)
    values: dict[str, str] = {}
    named = False
    for place, word in enumerate(given):
        if place == len(names):
            raise ParameterError(f"too many arguments; it is written {written}")
        name, equals, value = word.partition("=")
        if not equals and named:
            raise ParameterError(f"{word}: arguments without a name come before those with one: {written}")
        named = bool(equals)
        name, value = (name, value) if named else (names[place], word)
        if name not in names:
            raise unknown("argument", name, names)
        if name in values:
            raise ParameterError(f"{name} is given twice")
        values[name] = value
    return values


@dataclass(frozen=True)
class Run:
    """A game with its parameters, and a strategy for each seat (none in a game without choices)."""

    game: Game
    calls: tuple[Call, ...]

    @classmethod
    def of(
        cls,
        game: str | os.PathLike[str] | type[Game] | Game,
        strategies: str | Sequence[str] = (),
        /,
        **parameters: object,
    ) -> Run:
        """Look up the game and its strategies.

        Parameters
        ----------
        game
            A name, a path to a file, a game's class, or a game with its parameters.
        strategies
            One for each seat, or one for all; none means the game's default.
        **parameters
            Parameters of the game that are not at their default.

        Raises
        ------
        InputError
            When a name is unknown or a value is not allowed.
        """
        table = _set_up(game, parameters)
        calls = _seat(table, as_texts(strategies))
        must_be_lawful(type(table), [call.strategy for call in calls])
        return cls(table, calls)

    @property
    def strategies(self) -> list[str]:
        """The strategies as text, one for each seat."""
        return [str(call) for call in self.calls]


def _set_up(game: object, parameters: dict[str, object]) -> Game:
    """An instance of the game with its parameters."""
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


def as_texts(strategies: object) -> list[str]:
    """Strategies as a list of texts.

    Raises
    ------
    ParameterError
    """
    texts = [strategies] if isinstance(strategies, str) else strategies
    if not isinstance(texts, Sequence) or not all(isinstance(text, str) for text in texts):
        raise ParameterError(f"strategies: {strategies!r} is not allowed; give texts such as 'bank_over:20'")
    return list(texts)


def _seat(game: Game, texts: list[str]) -> tuple[Call, ...]:
    """The strategy of each seat; a single text is used for all seats, none means the default."""
    if not game.declared.decisions:
        if texts:
            raise ParameterError(f"{game.name} has no choices, so it takes no strategy")
        return ()
    if not texts:
        if not game.declared.strategies:
            raise ParameterError(f"{game.name} has choices but declares no strategy")
        texts = [next(iter(game.declared.strategies))]
    seats = seat_count(game)
    if len(texts) not in (1, seats):
        raise ParameterError(
            f"{game.name} has {seats} seats: give one strategy for all or one for each, not {len(texts)}"
        )
    calls = [parse_call(game, text) for text in texts]
    return tuple(calls if len(calls) == seats else calls * seats)


def distinct(strategies: Iterable[Strategy]) -> list[Strategy]:
    """The strategies without repetition, sorted by name; kernels depend on these, not on seats or arguments."""
    found = {strategy.name: strategy for strategy in strategies}
    return [found[name] for name in sorted(found)]


def as_seed(seed: object) -> int:
    """A seed as a 64-bit number; a random one if it is None.

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


def usable_threads(threads: object) -> int:
    """The number of threads; if None, one for each core that this process may use."""
    if threads is None:
        affinity = getattr(os, "sched_getaffinity", None)  # Linux only
        return len(affinity(0)) if affinity else os.cpu_count() or 1
    number = as_integer(threads)
    if number is None or not 1 <= number <= 1024:
        raise ParameterError(f"threads: {threads!r} is not allowed; it takes a whole number, 1 to 1024")
    return number


def look_after(games: int) -> int:
    """The first number of games above `games` after which precision is checked.

    >>> look_after(0), look_after(1000), look_after(1249)
    (1000, 1250, 1250)
    """
    return next(look for look in looks() if look > games)


def looks() -> Iterator[int]:
    """Numbers of games after which precision is checked: 1000, then a quarter more each time."""
    games = FIRST_LOOK
    while True:
        yield games
        games += games // 4
