"""Strategies as they are given: texts such as ``bank_over:20``, or strategies, functions and policies in Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from types import FunctionType
from typing import Any, Protocol, cast

from dicelab.errors import InputError, ParameterError, UnknownNameError
from dicelab.rules.game import Call, Game, Strategy
from dicelab.rules.loading.strategies import is_for, split, strategy_named

BEST = "best"
"""What stands for optimal play in place of a strategy."""

MADE = {
    "policy": "dicelab.questions.policies.files:strategy_of",
    "rollout": "dicelab.questions.policies.thinking.players:rollout_of",
    "search": "dicelab.questions.policies.thinking.search:strategy_of",
    "mcts": "dicelab.questions.policies.thinking.mcts:strategy_of",
}
"""What makes strategies that no game declares, by the first word of their texts: from a file, or by playing on. They
are imported on demand: they need NumPy."""
IN_PLACE = "best", "learned"
"""Words of results in place of a strategy, in seats that are solved or learn."""


class HasStrategy(Protocol):
    """Anything that can play, such as a policy."""

    @property
    def strategy(self) -> Strategy:
        """It as a strategy."""
        ...


Given = str | Call
"""A strategy as it is passed on: a text, or a strategy with its arguments."""
AnyStrategy = str | Call | Callable[..., Any] | HasStrategy
"""A strategy as it may be given: also a declared strategy, a plain function of the game, a policy."""
Strategies = AnyStrategy | Sequence[AnyStrategy] | Mapping[int, AnyStrategy]
"""One strategy for all seats, one for each, or by seat."""


def parse_call(game: Game | type[Game], text: str) -> Call:
    """Return the strategy that a text stands for.

    ``one_roll``, ``bank_over:20``, ``line:odds=2``, ``./mine.py:cautious:20`` (in another file), ``policy:best.npz``,
    ``rollout:500``. A policy must be for the rules of this game and, if `game` is an instance, for its parameters.

    Raises
    ------
    InputError
        When there is no such strategy, or an argument is not allowed.
    """
    prefix, _, rest = text.partition(":")
    if is_policy(text) and prefix not in game.declared.strategies:
        module, maker = MADE[prefix].split(":")
        return Call(getattr(import_module(module), maker)(rest, game), ())
    try:
        return _parsed(game, text)
    except (ParameterError, UnknownNameError):
        meant = text.replace(",", ":")
        if meant == text or _known(game, meant) is None:
            raise
        raise ParameterError(f"strategy {text!r}: arguments are separated by colons: {meant}") from None


def _parsed(game: Game | type[Game], text: str) -> Call:
    """Return the strategy of the game, or of a file, with its arguments."""
    name, given = split(text)
    strategy = strategy_named(game if isinstance(game, type) else type(game), name)
    try:
        return strategy.bound(*_arguments(strategy, given))
    except (ParameterError, UnknownNameError) as error:
        raise type(error)(f"strategy {text!r}: {error}") from error


def as_call(game: Game, given: Given) -> Call:
    """Return the strategy that a text stands for, or a strategy in Python if it is for this game."""
    if isinstance(given, str):
        return parse_call(game, given)
    strategy = given.strategy
    if not is_for(strategy, type(game)):
        raise ParameterError(f"{strategy.name} is a strategy of {strategy.game.name}, not of {game.name}")
    if strategy.moves is not None:
        strategy.moves.must_be_for(game, strategy.name)
    return given


def known_calls(game: Game | type[Game], given: Sequence[Given]) -> list[Call | None]:
    """Return the strategies given; None for policies, and for the words `IN_PLACE`."""
    return [_known(game, one) for one in given]


def _known(game: Game | type[Game], given: Given) -> Call | None:
    if isinstance(given, Call):
        return given
    if given in IN_PLACE or (is_policy(given) and given.partition(":")[0] not in game.declared.strategies):
        return None
    try:
        return parse_call(game, given)
    except InputError:
        return None


def is_policy(text: str) -> bool:
    """Return whether a text stands for a strategy that no game declares: a policy in a file, or playing on."""
    return text.partition(":")[0] in MADE


def _arguments(strategy: Strategy, given: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Return the arguments of a strategy as written: those by place, then those by name, ``name=value``."""
    by_place: list[str] = []
    by_name: dict[str, str] = {}
    for word in given:
        name, equals, value = word.partition("=")
        if not equals and by_name:
            written = ":".join([strategy.name, *strategy.params])
            raise ParameterError(f"{word}: arguments without a name come before those with one: {written}")
        if name in by_name:
            raise ParameterError(f"{name} is given twice")
        if equals:
            by_name[name] = value
        else:
            by_place.append(word)
    return by_place, by_name


def as_list(strategies: object) -> list[Given]:
    """Return the strategies as a list of texts and strategies with arguments.

    Strategies in Python that have the same name, or that of a text, are named apart: ``cautious (2)``.
    """
    if isinstance(strategies, Mapping):
        raise ParameterError("strategies: several are compared here, so give a list of them, not strategies by seat")
    one = isinstance(strategies, str) or not isinstance(strategies, Sequence)
    listed = [_given(given) for given in ([strategies] if one else cast(Sequence[object], strategies))]
    names = {split(given)[0] for given in listed if isinstance(given, str)}
    seen: dict[Strategy, Strategy] = {}
    for i, given in enumerate(listed):
        if not isinstance(given, str):
            if given.strategy not in seen:
                seen[given.strategy] = _named_apart(given.strategy, names)
            listed[i] = Call(seen[given.strategy], given.args)
    return listed


def _given(given: object) -> Given:
    """Return a text, or a strategy with its arguments: of a strategy or a policy, or of a plain
    function of the game.
    """
    if isinstance(given, str | Call):
        return given
    strategy = given if isinstance(given, Strategy) else getattr(given, "strategy", None)
    if isinstance(strategy, Strategy):
        return strategy.bound((), {})
    if not isinstance(given, FunctionType):
        raise ParameterError(
            f"strategies: {given!r} is not allowed; give texts such as 'bank_over:20', or functions of the game"
        )
    code, name = given.__code__, given.__name__.strip("<>")
    if code.co_argcount - len(given.__defaults__ or ()) != 1 or code.co_kwonlyargcount:
        raise ParameterError(
            f"strategies: {name} takes other arguments than the game: declare them by @strategy above it, or give a "
            "function of the game alone"
        )
    return Call(Strategy(name, given, Game), ())


def _named_apart(strategy: Strategy, names: set[str]) -> Strategy:
    """Return a strategy under a name that isn't among `names`, to which it is added; its own one if
    its game finds it.
    """
    own = strategy.game.declared.strategies if strategy.game is not Game else {}
    if own.get(strategy.name) is strategy:
        return strategy
    name, times = strategy.name, 1
    while name in names or name in own:
        times += 1
        name = f"{strategy.name} ({times})"
    names.add(name)
    return strategy if name == strategy.name else replace(strategy, name=name)
