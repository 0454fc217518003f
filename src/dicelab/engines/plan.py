"""What is to be played: a game with its parameters, one strategy for each seat, a seed, a number of threads."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dicelab.engines.reference import Call, parse_call
from dicelab.errors import ParameterError
from dicelab.purity.contract import must_be_lawful
from dicelab.rules.game import Game, seat_count
from dicelab.rules.params import as_integer, whole_number
from dicelab.rules.registry import find

SEEDS = 2**64
FIRST_LOOK = 1000


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
            Naming what is unknown or not allowed.
        """
        table = _set_up(game, parameters)
        calls = _seat(table, as_texts(strategies))
        must_be_lawful(type(table), [call.strategy for call in calls])
        return cls(table, calls)

    @property
    def strategies(self) -> list[str]:
        """The strategies as people write them, one for each seat."""
        return [str(call) for call in self.calls]


def _set_up(game: object, parameters: dict[str, object]) -> Game:
    """The game with its parameters."""
    if isinstance(game, str | os.PathLike):
        game = find(str(game))
    if isinstance(game, type) and issubclass(game, Game) and game is not Game:
        must_be_lawful(game)
        return game(**parameters)
    if not isinstance(game, Game):
        raise ParameterError(f"{game!r} is no game; give a name, a path to a file, a Game class or a Game")
    if "profile" in parameters:
        raise ParameterError(f"profile: this {game.name} is set up already; name the profile where it is made")
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
    """A strategy for each seat."""
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


def as_seed(seed: object) -> int:
    """A seed as a number of 64 bits; drawn at random when it is None.

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
    """Number of threads: as asked for, else (None) one for each core that this process may use."""
    if threads is None:
        affinity = getattr(os, "sched_getaffinity", None)  # Linux only
        return len(affinity(0)) if affinity else os.cpu_count() or 1
    number = as_integer(threads)
    if number is None or not 1 <= number <= 1024:
        raise ParameterError(f"threads: {threads!r} is not allowed; it takes a whole number, 1 to 1024")
    return number


def looks() -> Iterator[int]:
    """Numbers of games at which precision is looked at: 1000, then a quarter more each time."""
    games = FIRST_LOOK
    while True:
        yield games
        games += games // 4
