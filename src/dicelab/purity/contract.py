"""Who may change what in a game, and on what it may depend; a game that does not keep to it is refused.

=========================================  ===============================================
method                                     may change
=========================================  ===============================================
those under `thrown` and `chosen`, start   state and tallies
outcome                                    tallies
next, legal, sensible, because, refuse     nothing
a strategy                                 its own memory
=========================================  ===============================================

What rules do depends on parameters, state and dice alone; what a strategy does, also on its memory. Tallies are changed
and never read. ``docs/contract.md`` tells it to the authors of games.
"""

from __future__ import annotations

import ast
import hashlib
import warnings
from collections.abc import Iterable, Iterator
from types import FunctionType
from typing import Any

from dicelab.errors import RulesError
from dicelab.purity.analysis import Analysis
from dicelab.purity.scope import COUNT, REMEMBER, STATE, Effect
from dicelab.purity.values import GAME, MEMORY, PLAIN, Value
from dicelab.purity.verdicts import is_known, key_of, remember
from dicelab.rules.game import Game, Strategy, has_outcomes
from dicelab.rules.source import edited_since, text_of

Entry = tuple[str, Any, frozenset[str]]
"""A method that engines call: its name, the function, and what it may do."""

CHANGES = frozenset({STATE, COUNT})
ALLOWED = {"start": CHANGES, "outcome": frozenset({COUNT}), "next": frozenset[str](), "refuse": frozenset[str]()}
BECAUSE = " (because=)"
_told: set[tuple[type[Game], str]] = set()
_lawful: dict[object, tuple[object, ...]] = {}
"""Games and strategies that were found to keep to the contract, with what was looked at."""


def must_be_lawful(game: type[Game], strategies: Iterable[Strategy] = ()) -> None:
    """Refuse a game, or strategies for it, that don't keep to the contract.

    Raises
    ------
    RulesError
        With the file and line, and what to write instead.
    """
    _tell_of_edits(game)
    members = tuple(member for base in game.__mro__ for member in vars(base).values())
    asked = [None, *(strategy for strategy in strategies if strategy.moves is None)]
    new = [one for one in asked if _lawful.get((game, one and one.rule)) != members]
    if not new:
        return
    key = key_of(game)
    for strategy in new:
        name = f"{key}-{hashlib.sha256(strategy.name.encode()).hexdigest()[:8] if strategy else 'rules'}" if key else ""
        if not is_known(name):
            if strategy is None:
                _must_keep_to_it(game)
            else:
                _must_keep_as_strategy(game, strategy)
            remember(name)
        _lawful[game, strategy and strategy.rule] = members


def _tell_of_edits(game: type[Game]) -> None:
    """Warn, once, of files that have been edited since they were loaded: they play as they were loaded."""
    for file in edited_since(game):
        if (game, file) not in _told:
            _told.add((game, file))
            warnings.warn(
                f"{file} has been edited since it was loaded; {game.name} plays as it was loaded", stacklevel=4
            )


def _must_keep_to_it(game: type[Game]) -> None:
    """Refuse a game whose methods don't keep to the contract."""
    _must_be_plain(game)
    rules, words = Analysis(game), Analysis(game, words=True)
    for name, rule, allowed in _entries(game):
        analysis = words if name == "refuse" or name.endswith(BECAUSE) else rules
        _must_keep(analysis, name, rule, allowed, [Value(frozenset([GAME]))])


def _entries(game: type[Game]) -> Iterator[Entry]:
    """Every method of a game that engines call."""
    for name, allowed in ALLOWED.items():
        if getattr(game, name) is not getattr(Game, name):
            yield name, getattr(game, name), allowed
    for throw in game.declared.throws:
        yield throw.name, throw.rule, CHANGES
    for decision in game.declared.decisions:
        yield decision.name, decision.rule, CHANGES
        for word in ("legal", "sensible", "because"):
            rule = getattr(decision, word)
            if rule is not None:
                yield f"{getattr(rule, '__name__', word)} ({word}=)", rule, frozenset()


def _must_keep(analysis: Analysis, name: str, rule: Any, allowed: frozenset[str], first: list[Value]) -> None:
    """Refuse a method that does more than it may."""
    if not isinstance(rule, FunctionType):
        raise RulesError(f"{analysis.game.name}: {name} is {rule!r}; it must be a method that is written with def")
    summary = analysis.of(rule, [*first, *[PLAIN] * (rule.__code__.co_argcount - len(first))])
    for effect in summary.effects.values():
        if effect.kind not in allowed:
            raise RulesError(_excess(effect, name))
    if name == "outcome" and summary.effects and not has_outcomes(analysis.game):
        effect = next(iter(summary.effects.values()))
        raise RulesError(
            f"{effect.place}: outcome counts {effect.name}, but {analysis.game.name} has no outcomes, so that it is "
            'never asked: name them, outcomes = ("win", "lose"), or count in the method of the last roll'
        )


def _must_keep_as_strategy(game: type[Game], strategy: Strategy) -> None:
    first = [Value(frozenset([GAME])), *([Value(frozenset([MEMORY]))] if strategy.memory else [])]
    analysis = Analysis(game, strategy.memory)
    _must_keep(analysis, f"the strategy {strategy.name}", strategy.rule, frozenset({REMEMBER}), first)


def _excess(effect: Effect, name: str) -> str:
    """What a method does that it may not."""
    done = {
        STATE: f"changes {effect.name}",
        COUNT: f"counts {effect.name}",
        REMEMBER: f"changes {effect.name} of a strategy's memory",
    }[effect.kind]
    if name == "outcome":
        return f"{effect.place}: outcome {done}; it may count tallies and change nothing else"
    if name.startswith("the strategy"):
        return f"{effect.place}: {name} {done}; a strategy reads the game, and changes nothing but its own memory"
    return f"{effect.place}: {name} {done}; only methods of rolls and choices, and start, may do that"


def _must_be_plain(game: type[Game]) -> None:
    """Refuse a class that changes how Python itself treats games, or that defines a name twice."""
    for base in game.__mro__[: game.__mro__.index(Game)]:
        for name, member in vars(base).items():
            if name.startswith("__") and (isinstance(member, FunctionType | property) or name == "__slots__"):
                raise RulesError(f"{base.__name__} defines {name}; a game sets itself up in start(self)")
        functions = [member for member in vars(base).values() if isinstance(member, FunctionType)]
        if functions:
            _must_define_once(base, functions[0])


def _must_define_once(owner: type, rule: FunctionType) -> None:
    """Refuse a class in which a later definition hides an earlier one of the same name."""
    text = text_of(rule)
    for node in text.classes.get(owner.__qualname__.rpartition(".")[2], []):
        lines: dict[str, int] = {}
        for statement in node.body:
            for name in _defined(statement):
                if name in lines:
                    raise RulesError(
                        f"{text.file}, line {statement.lineno}: {owner.__name__} defines {name} a second time, which "
                        f"hides line {lines[name]}; give it another name"
                    )
                lines[name] = statement.lineno


def _defined(statement: ast.stmt) -> Iterator[str]:
    """Names that a statement of a class defines."""
    if isinstance(statement, ast.FunctionDef):
        marks = {ast.unparse(decorator).rpartition(".")[2] for decorator in statement.decorator_list}
        if not marks & {"overload", "setter", "deleter", "getter"}:
            yield statement.name
    elif isinstance(statement, ast.Assign):
        yield from (target.id for target in statement.targets if isinstance(target, ast.Name))
    elif (
        isinstance(statement, ast.AnnAssign) and statement.value is not None and isinstance(statement.target, ast.Name)
    ):
        yield statement.target.id
