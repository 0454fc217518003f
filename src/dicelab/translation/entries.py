"""The functions of a game that kernels call, with the intervals of their arguments."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from types import FunctionType
from typing import Any, NamedTuple

from dicelab.rules.actions import Throw
from dicelab.rules.dice import COUNTS, SUM
from dicelab.rules.game import Game, Strategy
from dicelab.rules.params import reach_of
from dicelab.translation.intervals import Interval


class Rule(NamedTuple):
    """A function to be translated, its role (``game``, ``strategy`` or ``plain``), and the strategy it belongs to."""

    function: Any
    role: str
    strategy: Strategy | None = None


def entries(game: type[Game], strategies: Sequence[Strategy]) -> Iterable[tuple[Rule, list[Interval]]]:
    """The functions that kernels call, each with the intervals of its arguments after the game."""
    for name in ("start", "next", "outcome"):
        yield Rule(getattr(game, name), "game"), []
    for kind in game.declared.throws:
        code = kind.rule.__code__
        takes = code.co_argcount - 1 + bool(code.co_flags & inspect.CO_VARARGS)
        yield Rule(kind.rule, "game"), [_seen(kind)] * takes
    for decision in game.declared.decisions:
        moves = [_span(kind) for kind in decision.kinds]
        for rule in (decision.rule, decision.legal, decision.sensible):
            if rule is not None:
                yield Rule(rule, "game"), moves
    for strategy in strategies:
        if strategy.moves is None:
            arguments = [Interval(p.low, p.high).cut for p in strategy.params.values()]
            yield Rule(strategy.rule, "strategy", strategy), arguments


def _seen(kind: Throw) -> Interval:
    """The interval of the arguments of the rule of a roll."""
    values = [face.value for face in kind.die.faces] or [0]
    most = max(reach_of(kind.most)[1], 1)
    if kind.view is COUNTS:
        return Interval(0, most)
    times = most if kind.view is SUM else 1
    return Interval(min(0, times * min(values)), max(0, times * max(values)))


def _span(kind: Any) -> Interval:
    """The interval of one number of a move."""
    if isinstance(kind, type):
        members = [int(member) for member in kind]  # type: ignore[attr-defined]
        return Interval(min(members), max(members))
    if isinstance(kind, tuple):
        return Interval(reach_of(kind[0])[0], reach_of(kind[1])[1])
    return Interval(0, max(0, reach_of(kind)[1] - 1))


def parent_method(game: type[Game], rule: FunctionType, name: str) -> object:
    """The attribute that ``super().name`` finds in the class in which a function is defined; None if there is none."""
    cells = dict(zip(rule.__code__.co_freevars, rule.__closure__ or (), strict=True))
    here = cells["__class__"].cell_contents if "__class__" in cells else None
    order = game.__mro__
    after = order[order.index(here) + 1 :] if here in order else ()
    return next((vars(base)[name] for base in after if name in vars(base)), None)
