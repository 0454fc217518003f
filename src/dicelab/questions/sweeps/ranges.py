"""Parse the ranges of a sweep: ``players=2..12``, ``bank_over=0..60..5``, ``main=5,7,9``."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dicelab.errors import ParameterError, unknown
from dicelab.rules.game import Game
from dicelab.rules.loading.strategies import in_file, strategies_of, strategy_named
from dicelab.rules.params import NAME, Choice, Param, Switch, as_integer, whole_number
from dicelab.runtime.strategies import Given

MOST = 10_000
"""Limit of the values of one range, and of the points of a sweep."""


def parse_range(text: str) -> tuple[str, list[Any]]:
    """Name and values of a range: whole numbers, or names of values.

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
        raise ParameterError(f"over: {text!r} is not allowed; it is written NAME=FIRST..LAST, NAME=FIRST..LAST..STEP")
    parts = values.split("..") if ".." in values else values.split(",")
    numbers: list[Any] = [part if ".." not in values and NAME.fullmatch(part) else whole_number(part) for part in parts]
    if None in numbers or (".." in values and len(numbers) > 3):
        raise ParameterError(
            f"over: {text!r} is not allowed; it is written {name}=FIRST..LAST, {name}=FIRST..LAST..STEP or {name}=A,B,C"
        )
    if ".." not in values:
        return name, numbers
    first, last, step = (*numbers, 1)[:3]
    if step < 1 or last < first:
        raise ParameterError(f"over: {text!r} has no values; it goes up from the first to the last, by a step above 0")
    if (last - first) // step >= MOST:
        raise ParameterError(f"over: {text!r} has more than {MOST:,} values")
    return name, list(range(first, last + 1, step))


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
        """The parameter or argument that a name means in a game; `strategies` are those that play.

        Raises
        ------
        UnknownNameError, ParameterError
        """
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
    """The strategies at one point of a sweep: swept arguments are set in every seat written without arguments.

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
    """A strategy as it is written, without ``./``; one in a file with its name."""
    if not isinstance(text, str) or not in_file(text):
        return text
    return os.path.normpath(text if ".py:" in text else strategy_named(game, text).name)


def _in_files(game: type[Game], strategies: Iterable[Given]) -> list[str]:
    """The arguments of those strategies that are in files, as they are written: ``./mine.py:cautious.points``."""
    names = dict.fromkeys(text for text in strategies if isinstance(text, str) and in_file(text))
    every = [strategy_named(game, ":".join(name.split(":")[:2])) for name in names]
    return [f"{one.name}.{argument}" for one in every for argument in one.params]


def _accepted(name: str, param: Param, values: Iterable[object]) -> tuple[int, ...]:
    """The values of a parameter, which are whole numbers unless they have names."""
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
