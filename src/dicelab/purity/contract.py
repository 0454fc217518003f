"""The contract: what each method may change and depend on. A game that breaks it is refused.

=========================================  ===============================================
method                                     may change
=========================================  ===============================================
those under `thrown` and `chosen`, start   state and tallies
outcome                                    tallies
next, legal, sensible, because, refuse     nothing
a strategy                                 its own memory
=========================================  ===============================================

Rules depend only on parameters, state and dice; a strategy also on its memory. Tallies are counted and never read.
``docs/contract.md`` describes the contract for authors of games.
"""

from __future__ import annotations

import ast
import warnings
from abc import ABCMeta
from collections.abc import Iterable, Iterator
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR
from types import FunctionType
from typing import Any

from dicelab.errors import DicelabError, RulesError
from dicelab.purity import library
from dicelab.purity.analysis import Analysis
from dicelab.purity.scope import COUNT, REMEMBER, STATE, Effect
from dicelab.purity.values import GAME, MEMORY, PLAIN, Value
from dicelab.purity.verdicts import Meaning, is_known, is_same, key_of, key_of_strategy, meaning_of, remember
from dicelab.rules.actions import Decision, Throw
from dicelab.rules.drawing import Drawn
from dicelab.rules.fields import Capped, Field
from dicelab.rules.game import Game, Memory, Strategy
from dicelab.rules.loading.source import edited_since, is_in, modules_of, modules_of_strategies, text_of
from dicelab.rules.params import Param

Entry = tuple[str, Any, frozenset[str]]
"""A method that engines call: its name, the function, and the effects that it may have."""

CHANGES = frozenset({STATE, COUNT})
ALLOWED = {"start": CHANGES, "outcome": frozenset({COUNT}), "next": frozenset[str](), "refuse": frozenset[str]()}
BECAUSE = " (because=)"
_warned: set[tuple[type[Game], str]] = set()
"""Games and edited files for which a warning was given."""
_lawful: dict[object, Meaning] = {}
"""Games and strategies found to keep to the contract in this process, with what their names meant then."""


def must_be_lawful(game: type[Game], strategies: Iterable[Strategy] = ()) -> None:
    """Refuse a game, or strategies for it, that break the contract.

    Raises
    ------
    RulesError
        When the contract is broken; the message gives the file, the line, and what to write instead.
    """
    _warn_of_edits(game)
    rules, own, of_game = Analysis(game), modules_of(game), meaning_of(game)
    for strategy in dict.fromkeys([None, *(strategy for strategy in strategies if strategy.moves is None)]):
        more = modules_of_strategies(game, [strategy] if strategy else [])
        meaning = meaning_of(game, more) if more else of_game
        is_covered = strategy is None or is_in(strategy.rule, [*own, *more])
        if is_covered and is_same(_lawful.get((game, strategy and strategy.rule)), meaning):
            continue
        key = key_of(game, meaning, more)
        key = key_of_strategy(key, [*own, *more], strategy) if strategy else key
        if not is_known(key):
            remember(key, [*own, *more], _files_checked(rules, strategy))
        _lawful[game, strategy and strategy.rule] = meaning


def _files_checked(rules: Analysis, strategy: Strategy | None) -> set[str]:
    """Check a game, or a strategy for it; returns the files that were read.

    Raises
    ------
    RulesError
        When the contract is broken, and also when the analysis itself fails.
    """
    game = rules.game
    try:
        return _must_keep_as_game(rules) if strategy is None else _must_keep_as_strategy(rules, strategy)
    except DicelabError:
        raise
    except RecursionError:
        raise RulesError(f"{game.name}: its rules are nested too deeply to be followed") from None
    except Exception as error:
        what = f"the strategy {strategy.name}" if strategy else "its rules"
        raise RulesError(f"{game.name}: {what} can't be followed ({type(error).__name__}: {error})") from error


def _warn_of_edits(game: type[Game]) -> None:
    """Warn, once per file, if a file of the game has been edited since it was loaded."""
    for file in edited_since(game):
        if (game, file) not in _warned:
            _warned.add((game, file))
            warnings.warn(
                f"{file} has been edited since it was loaded; {game.name} plays as it was loaded", stacklevel=4
            )


def _must_keep_as_game(rules: Analysis) -> set[str]:
    """Refuse a game whose methods break the contract; returns the files that were read."""
    _must_be_plain(rules.game, Game)
    words = Analysis(rules.game, words=True)
    for name, rule, allowed in _entries(rules.game):
        analysis = words if name == "refuse" or name.endswith(BECAUSE) else rules
        _must_keep(analysis, name, rule, allowed, [Value(frozenset([GAME]))])
    return rules.files | words.files


def _entries(game: type[Game]) -> Iterator[Entry]:
    """All methods of a game that engines call."""
    for name, allowed in ALLOWED.items():
        if getattr(game, name) is not getattr(Game, name):
            yield name, getattr(game, name), allowed
    for throw in game.declared.throws:
        yield throw.name, throw.rule, CHANGES
        if isinstance(throw, Drawn) and throw.loads is not None:
            yield f"{getattr(throw.loads, '__name__', 'weights')} (weights of {throw.name})", throw.loads, frozenset()
    for decision in game.declared.decisions:
        yield decision.name, decision.rule, CHANGES
        for word in ("legal", "sensible", "because", "moves"):
            rule = getattr(decision, word)
            if rule is not None:
                yield f"{getattr(rule, '__name__', word)} ({word}=)", rule, frozenset()


def _must_keep(analysis: Analysis, name: str, rule: Any, allowed: frozenset[str], first: list[Value]) -> None:
    """Refuse a method with an effect that is not allowed."""
    if not isinstance(rule, FunctionType):
        raise RulesError(f"{analysis.game.name}: {name} is {rule!r}; it must be a method that is written with def")
    lists = name.endswith("(moves=)") and rule.__code__.co_flags & CO_GENERATOR
    if rule.__code__.co_flags & (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR) and not lists:
        what = "has yield in it" if rule.__code__.co_flags & CO_GENERATOR else "is async"
        raise RulesError(f"{_place(rule)}: {name} {what}, so that calling it does nothing; write a plain function")
    summary = analysis.of(rule, [*first, *[PLAIN] * (rule.__code__.co_argcount - len(first))])
    for effect in summary.effects.values():
        if effect.kind not in allowed:
            raise RulesError(_excess(effect, name, analysis.game))


def _place(rule: FunctionType) -> str:
    return f"{rule.__code__.co_filename}, line {rule.__code__.co_firstlineno}, in {rule.__name__}"


def _must_keep_as_strategy(rules: Analysis, strategy: Strategy) -> set[str]:
    """Refuse a strategy that breaks the contract; returns the files that were read."""
    if strategy.memory:
        memory: object = strategy.memory
        if not (isinstance(memory, type) and issubclass(memory, Memory)):
            raise RulesError(
                f"{_place(strategy.rule)}: memory={strategy.memory!r}; it must be a class that inherits from Memory"
            )
        _must_be_plain(strategy.memory, Memory)
        _must_keep_fields_apart(strategy.memory)
    first = [Value(frozenset([GAME])), *([Value(frozenset([MEMORY]))] if strategy.memory else [])]
    rules.memory = strategy.memory
    _must_keep(rules, f"the strategy {strategy.name}", strategy.rule, frozenset({REMEMBER}), first)
    return rules.files


def _must_keep_fields_apart(memory: type[Memory]) -> None:
    """Refuse a memory that inherits fields of the same name from two classes: two strategies would share them."""
    seen: dict[str, type] = {}
    for base in memory.__mro__:
        for name in (name for name, member in vars(base).items() if isinstance(member, Field)):
            if name in seen and not issubclass(seen[name], base):
                raise RulesError(f"{memory.__name__} inherits {name} from {_both(seen[name], base)}")
            seen.setdefault(name, base)


def _both(one: type, other: type) -> str:
    """The end of the sentence about two classes with the same field; a class that is declared twice may be imported."""
    if one.__name__ != other.__name__:
        return f"{one.__name__} and {other.__name__}, so they would share it; rename one"
    files = f"{one.__module__}.{one.__name__} and {other.__module__}.{other.__name__}"
    return (
        f"{files}, so they would share it; declare {one.__name__} in one file and import it in the other, or rename one"
    )


def _excess(effect: Effect, name: str, game: type[Game]) -> str:
    """The message about an effect that a method may not have."""
    if name == "outcome" and isinstance(game.declared.state.get(effect.name), Capped):
        return (
            f"{effect.place}: outcome counts {effect.name} when the game is over; only a tally that rolls and choices "
            "count can be asked to reach an amount"
        )
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


OF_PYTHON = library.words(
    "__module__ __qualname__ __doc__ __annotations__ __dict__ __weakref__ __firstlineno__ __static_attributes__ "
    "__annotate__ __annotate_func__ __annotations_cache__ __conditional_annotations__ __orig_bases__ __str__ __repr__ "
    "__parameters__ __type_params__ __abstractmethods__ __classcell__"
)
"""Special names that Python itself puts into a class, or that rules can't reach."""


def _must_be_plain(kind: type, parent: type) -> None:
    """Refuse a class of games or memories with special methods or a metaclass, or with a name defined twice."""
    if type(kind) is not type(parent) and type(kind) is not ABCMeta:
        raise RulesError(f"{kind.__name__} has the metaclass {type(kind).__name__}; a game is a plain class")
    for base in kind.__mro__:
        if base is object or _is_of_rules(base) or base.__module__ in ("abc", "typing"):
            continue
        for name, member in vars(base).items():
            if name.startswith("__") and name.endswith("__") and name not in OF_PYTHON:
                instead = "a game sets itself up in start(self)" if parent is Game else "a memory starts at start="
                raise RulesError(f"{base.__name__} defines {name}; {instead}")
            if isinstance(member, Field | Param | Throw | Decision) and not _is_of_rules(type(member)):
                raise RulesError(
                    f"{base.__name__}: {name} is a {type(member).__name__}, a class of its own; declare it as Int, "
                    "Ints, Flag, Seat, Tally, Peak, Param, Switch or Choice"
                )
        functions = [member for member in vars(base).values() if isinstance(member, FunctionType)]
        if functions:
            _must_define_once(base, functions[0])


def _is_of_rules(kind: type) -> bool:
    return kind.__module__.startswith("dicelab.rules.")


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
