"""The decorator that declares a strategy."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from inspect import CO_VARARGS
from types import FunctionType
from typing import Any, Protocol, TypeVar, overload

from dicelab.errors import RulesError
from dicelab.rules.game import Call, Game, Memory, Strategy
from dicelab.rules.params import Param

R = TypeVar("R", covariant=True)


class Bindable(Protocol[R]):
    """The type of a declared strategy, for type checkers: a function of the game, or of its arguments alone."""

    @overload
    def __call__(self, game: Game, /, *given: Any, **named: Any) -> R: ...
    @overload
    def __call__(self, *given: int | str, **named: int | str) -> Call: ...


def strategy(
    game: type[Game], memory: type[Memory] | None = None, **params: Param
) -> Callable[[Callable[..., R]], Bindable[R]]:
    """Declare a strategy of a game; the first one declared is the default.

    The function receives the game (to be read, not changed), its memory if it declares one, and its arguments; it
    returns a move: one number, or a tuple where a move has several. It becomes a `Strategy`. A strategy written in
    another file than its game is used by its file or as a Python object (``docs/strategies.md``).

    Raises
    ------
    RulesError
        When an argument is not a `Param`, a `Switch` or a `Choice`, `memory` is not a class of `Memory`, or what is
        decorated is not a function that takes the game, its memory if it has one, and the arguments in their order.

    Examples
    --------
    ::

        @strategy(Pig, points=Param(20, 1, 1000, "hold at this many"))
        def hold_at(game: Pig, points: int) -> Move:
            return Move.HOLD if game.turn_points >= points else Move.ROLL
    """

    def declare(rule: Callable[..., R]) -> Bindable[R]:
        if not isinstance(rule, FunctionType):
            raise RulesError(f"{game.name}: @strategy decorates a function, not {rule!r}")
        given: object = memory
        if given is not None and not (isinstance(given, type) and issubclass(given, Memory)):
            raise RulesError(f"{game.name}: memory={memory!r}; it must be a class that inherits from Memory")
        for name, param in params.items():
            if not isinstance(param, Param):
                raise RulesError(
                    f"{game.name}: @strategy(..., {name}={param!r}): an argument is a Param, Switch or Choice"
                )
        _must_take(game, rule, 1 if memory is None else 2, list(params))
        named = {name: copy(param).call(name) for name, param in params.items()}
        made = Strategy(rule.__name__, rule, game, named, memory)
        if rule.__module__ == game.__module__:
            game.declared.strategies[made.name] = made
        return made

    return declare


def _must_take(game: type[Game], rule: FunctionType, first: int, params: list[str]) -> None:
    """Refuse a strategy whose function doesn't take the arguments declared, in that order, after the `first` ones."""
    takes = list(rule.__code__.co_varnames[: rule.__code__.co_argcount])[first:]
    if takes != params and not rule.__code__.co_flags & CO_VARARGS:
        wanted = ", ".join(["game", "mine"][:first] + params)
        raise RulesError(
            f"{game.name}: the strategy {rule.__name__} must take what is declared: {rule.__name__}({wanted})"
        )
