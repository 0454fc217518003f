"""The settings at which a game is checked: each parameter at its limits, and all pairs of limits."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product

from dicelab.errors import DicelabError, ParameterError
from dicelab.rules.game import Game
from dicelab.rules.params import Choice, Param

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
    found, refused, seen = list[Setting](), 0, set[tuple[tuple[str, int], ...]]()
    for values in (*singles(params), *pairs({name: levels(param) for name, param in params.items()})):
        differing = {name: value for name, value in values.items() if value != params[name].default}
        key = tuple(sorted(differing.items()))
        if not differing or key in seen:
            continue
        seen.add(key)
        try:
            found.append(Setting(differing, game(**differing)))
        except ParameterError:
            refused += 1
        except DicelabError as error:
            words = ", ".join(f"{name}={params[name].word(value)}" for name, value in differing.items())
            raise Unsettled(f"at {words}", error) from error
    return Settings(found, refused)


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
