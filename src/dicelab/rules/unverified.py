"""Strategies that are plain Python functions which can't be translated, such as a model in a notebook.

Nothing shows what they depend on, so they are watched while they play: the game must be as it was when they return, and
in the first choices they are asked twice and must answer alike.

By itself because it is the only part of the rules that watches a function while it runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from dicelab.errors import RulesError

TWICE = 200
"""Choices in which a function is asked twice."""
_asked: WeakKeyDictionary[Any, int] = WeakKeyDictionary()
"""How often each function was asked in this process."""


def watched(rule: Callable[..., object], name: str, game: Any) -> object:
    """Return the move of a function that isn't verified.

    Raises
    ------
    RulesError
        When it changes the game, or gives two moves in one state.
    """
    before = _held(game)
    move = rule(game)
    if _held(game) != before:
        changed = ", ".join(field for field, value in _held(game).items() if before[field] != value)
        raise RulesError(f"{name} changes {changed}; a strategy reads the game, and changes nothing")
    times = _asked.get(rule, 0)
    if times < TWICE:
        _asked[rule] = times + 1
        again = rule(game)
        if _plain(again) != _plain(move):
            raise RulesError(
                f"{name} gives {move!r}, and asked again in the same state {again!r}; a strategy depends on the game "
                "alone, so that games can be played again"
            )
    return move


def _held(game: Any) -> dict[str, Any]:
    """Return the numbers of a game: its state and its tallies."""
    names = (*game.declared.params, *game.declared.state, *game.declared.tallies)
    return {name: _plain(game.__dict__[name]) for name in names}


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, list | tuple) else value
