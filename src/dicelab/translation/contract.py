"""The contract: what each method may change and depend on. A game that breaks it is refused.

=========================================  ===============================================
method                                     may change
=========================================  ===============================================
those under `thrown` and `chosen`, start   state and tallies
outcome                                    tallies
next, legal, sensible, because, refuse     nothing
a strategy                                 its own memory
=========================================  ===============================================

It is a check of what the translator sees: every rule is translated, which resolves each name, call and store, and
`Translation.effects` says what a rule, and all that it calls, reads and changes. What the translator doesn't know is
refused, so a rule can depend on nothing else; what it takes for constant must be so (`dicelab.translation.constants`).
``docs/contract.md`` describes the contract for authors of games.
"""

from __future__ import annotations

import ast
import builtins
import enum
import sys
import warnings
from abc import ABCMeta
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import is_dataclass
from functools import cached_property, lru_cache
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR, getattr_static
from traceback import walk_tb
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

from dicelab.errors import DicelabError, RulesError
from dicelab.rules.actions import Decision, Throw
from dicelab.rules.fields import Capped, Field
from dicelab.rules.game import Game, Memory, Strategy
from dicelab.rules.loading.source import (
    Text,
    edited_since,
    is_in,
    modules_of,
    modules_of_strategies,
    text_of,
    tree_of,
    whole_text,
)
from dicelab.rules.params import Param
from dicelab.translation.constants import (
    MEANING,
    SHARED,
    chance_in,
    chance_of_default,
    changed_by,
    class_refusal,
    constant_refusal,
    words,
)
from dicelab.translation.entries import RuleFunction, Scope, definition, entry, written
from dicelab.translation.infer import sharing
from dicelab.translation.infer.sharing import Sharing
from dicelab.translation.lower import lifted
from dicelab.translation.rewrite.rewriter import Rewriter
from dicelab.translation.translator import (
    CHANGES,
    COUNTS,
    FALLS,
    REMEMBERS,
    RISES,
    BreaksContract,
    Effect,
    NotTranslatable,
    Translation,
    place,
)
from dicelab.translation.verdicts import Meaning, is_known, is_same, key_of, key_of_strategy, meaning_of, remember

Entry = tuple[str, Any, frozenset[str]]
"""A method that engines call: its name, the function, and the effects that it may have."""

EVERYTHING = frozenset({CHANGES, COUNTS})
DOES = {CHANGES: "changes", COUNTS: "counts", REMEMBERS: "changes"}
"""The kinds of effects that may be forbidden, as a word of a message."""
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
    own, of_game = modules_of(game), meaning_of(game)
    every = sorted({s.name: s for s in strategies if s.moves is None and not is_free(game, s)}.items())
    checked = Checked(game, [strategy for _, strategy in every])
    for strategy in [None, *checked.strategies]:
        more = modules_of_strategies(game, [strategy] if strategy else [])
        meaning = meaning_of(game, more) if more else of_game
        is_covered = strategy is None or is_in(strategy.rule, [*own, *more])
        if is_covered and is_same(_lawful.get((game, strategy and strategy.rule)), meaning):
            continue
        key = key_of(game, meaning, more)
        key = key_of_strategy(key, [*own, *more], strategy) if strategy else key
        if not is_known(key):
            remember(key, [*own, *more], _files_checked(checked, strategy))
        _lawful[game, strategy and strategy.rule] = meaning


def is_free(game: type[Game], strategy: Strategy) -> bool:
    """Return whether a strategy is a plain function that can't be translated, and so isn't verified."""
    if strategy.game is not Game or not isinstance(strategy.rule, FunctionType):
        return False
    if not strategy.verified:
        return True
    known: Any = game
    return _is_free(known, strategy)


@lru_cache(maxsize=64)
def _is_free(game: Any, strategy: Any) -> bool:
    try:
        Translation.of(game, [strategy], Rewriter).translate(entry(strategy))
    except BreaksContract:
        return False
    except (NotTranslatable, RulesError, RecursionError, SyntaxError):
        return True
    return False


class Checked:
    """A game and strategies for it, translated when something isn't known of them yet.

    Attributes
    ----------
    game, strategies
        The game and the strategies.
    """

    def __init__(self, game: type[Game], strategies: Sequence[Strategy]) -> None:
        self.game, self.strategies = game, strategies
        self.constant: set[RuleFunction] = set()
        """The functions that were found to depend on constants only."""
        self.sharing = Sharing(game)
        self._translation: Translation | None = None

    @property
    def translation(self) -> Translation:
        """The translation, to which functions are added as they are checked."""
        if self._translation is None:
            _must_be_plain(self.game, Game)
            for name, rule, _ in _entries(self.game):
                _must_be_function(self.game, name, rule)
            for strategy in self.strategies:
                _must_have_memory(self.game, strategy)
            self._translation = Translation.of(self.game, self.strategies, Rewriter)
        return self._translation

    @cached_property
    def hooks(self) -> sharing.Hooks:
        """What methods that only produce texts change of files.

        Raises
        ------
        RulesError
            When one of them changes the game.
        """
        return _must_leave_alone(self.game)


def unproved(game: type[Game]) -> dict[Effect, str]:
    """Return the stores that aren't shown to stay in the range of their field, each with its place in a file."""
    translation = Checked(game, []).translation
    made = [translation.translate(RuleFunction(rule, "game")) for _, rule, _ in _entries(game)]
    return {effect: at for effect, at in translation.effects(*made).items() if effect.kind in (FALLS, RISES)}


def _files_checked(checked: Checked, strategy: Strategy | None) -> set[str]:
    """Check a game, or a strategy for it; returns the files that were read.

    Raises
    ------
    RulesError
        When the contract is broken, and also when the analysis itself fails.
    """
    game = checked.game
    try:
        return _must_keep_as_game(checked) if strategy is None else _must_keep_as_strategy(checked, strategy)
    except NotTranslatable as error:
        raise RulesError(str(error)) from None
    except DicelabError:
        raise
    except RecursionError:
        raise RulesError(f"{game.name}: its rules are nested too deeply, or call themselves; write loops") from None
    except Exception as error:
        what = f"the strategy {strategy.name}" if strategy else "its rules"
        where = _place_of_fault(error)
        raise RulesError(
            f"{where or game.name}: dicelab fails to read {'this line' if where else what}, which is its own fault; "
            f"write it in another way ({type(error).__name__}{f': {error}' if str(error) else ''})"
        ) from error


def _place_of_fault(error: Exception) -> str:
    """Return the line of a rule that was rewritten when an error was raised; empty if none was."""
    place = ""
    for frame, _ in walk_tb(error.__traceback__):
        here = frame.f_locals
        rewriter, node = here.get("self", here.get("r")), here.get("node")
        if isinstance(rewriter, Rewriter) and isinstance(node, ast.AST) and hasattr(node, "lineno"):
            place = rewriter.place(node)
    return place


def _warn_of_edits(game: type[Game]) -> None:
    """Warn, once per file, if a file of the game has been edited since it was loaded."""
    for file in edited_since(game):
        if (game, file) not in _warned:
            _warned.add((game, file))
            warnings.warn(
                f"{file} has been edited since it was loaded; {game.name} plays as it was loaded", stacklevel=4
            )


def _must_keep_as_game(checked: Checked) -> set[str]:
    """Refuse a game whose methods break the contract; returns the files that were read."""
    game = checked.game
    for name, rule, allowed in _entries(game):
        _must_keep(checked, name, RuleFunction(rule, "game"), allowed)
    for decision in game.declared.decisions:
        for word in ("legal", "sensible", "moves"):
            rule = getattr(decision, word)
            if rule is not None:
                made = checked.translation.function(rule, "game")
                checked.translation.must_see_own(made, f"{rule.__name__} ({word}=)", decision)
    _ = checked.hooks
    return _files(checked)


def _entries(game: type[Game]) -> Iterator[Entry]:
    """Yield all methods of a game that engines call."""
    for name, allowed in (("start", EVERYTHING), ("outcome", frozenset({COUNTS})), ("next", frozenset[str]())):
        if getattr(game, name) is not getattr(Game, name):
            yield name, getattr(game, name), allowed
    for throw in game.declared.throws:
        yield throw.name, throw.rule, EVERYTHING
        if throw.loads is not None:
            yield f"{getattr(throw.loads, '__name__', 'weights')} (weights of {throw.name})", throw.loads, frozenset()
    for decision in game.declared.decisions:
        yield decision.name, decision.rule, EVERYTHING
        for word in ("legal", "sensible", "moves"):
            rule = getattr(decision, word)
            if rule is not None:
                yield f"{getattr(rule, '__name__', word)} ({word}=)", rule, frozenset()


def _must_be_function(game: type[Game], name: str, rule: Any) -> None:
    """Refuse what is no plain function, or one whose call does nothing."""
    if not isinstance(rule, FunctionType):
        owner = next((d for d in game.declared.decisions if rule in (d.legal, d.sensible, d.moves)), None)
        chosen = owner.rule if owner is not None else None
        where = f"{place(chosen)}, in {chosen.__name__}" if isinstance(chosen, FunctionType) else game.name
        hint = ", above the choice, and named without quotes" if isinstance(rule, str) else ""
        raise RulesError(f"{where}: {name} is {rule!r}; it must be a method that is written with def{hint}")
    lists = name.endswith("(moves=)") and rule.__code__.co_flags & CO_GENERATOR
    if rule.__code__.co_flags & (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR) and not lists:
        what = "has yield in it" if rule.__code__.co_flags & CO_GENERATOR else "is async"
        where = f"{place(rule)}, in {rule.__name__}"
        raise RulesError(f"{where}: {name} {what}, so that calling it does nothing; write a plain function")


def _must_keep(checked: Checked, name: str, rule: RuleFunction, allowed: frozenset[str]) -> None:
    """Refuse a method with an effect that is not allowed, or that depends on what may change."""
    translation, game = checked.translation, checked.game
    made = translation.translate(rule)
    for effect, where in translation.effects(made).items():
        if effect.kind in DOES and effect.kind not in allowed:
            raise RulesError(_excess(effect, where, name, game))
    for function in translation.reached(made):
        _must_be_constant(checked, translation.functions[function])


def _files(checked: Checked) -> set[str]:
    """Return the files of all functions that were translated."""
    return {rule.function.__code__.co_filename for rule in checked.translation.functions.values()}


def _must_keep_as_strategy(checked: Checked, strategy: Strategy) -> set[str]:
    """Refuse a strategy that breaks the contract; returns the files that were read."""
    _must_keep(checked, f"the strategy {strategy.name}", entry(strategy), frozenset({REMEMBERS}))
    return _files(checked)


def _must_have_memory(game: type[Game], strategy: Strategy) -> None:
    """Refuse a strategy that is no function, or whose memory is not one."""
    _must_be_function(game, f"the strategy {strategy.name}", strategy.rule)
    if strategy.memory:
        memory: object = strategy.memory
        if not (isinstance(memory, type) and issubclass(memory, Memory)):
            where = f"{place(strategy.rule)}, in {strategy.rule.__name__}"
            raise RulesError(f"{where}: memory={strategy.memory!r}; it must be a class that inherits from Memory")
        _must_be_plain(strategy.memory, Memory)
        _must_keep_fields_apart(strategy.memory)


# Texts for people -----------------------------------------------------------------------------------------------------


def _must_leave_alone(game: type[Game]) -> sharing.Hooks:
    """Refuse methods that produce texts and change the game; returns what they change of files."""
    read, messages = sharing.Hooks(game), sharing.Hooks(game)
    rules = [(name, getattr(game, name)) for name in sharing.NAMES if getattr(game, name) is not getattr(Game, name)]
    rules += [
        (f"{getattr(decision.because, '__name__', 'because')} (because=)", decision.because)
        for decision in game.declared.decisions
        if decision.because is not None
    ]
    for name, rule in rules:
        is_message = name == "refuse" or name.endswith("(because=)")
        if is_message:
            _must_be_function(game, name, rule)
        known = messages if is_message else read
        known.follow(rule)
        for where, what in known.changed.items():
            raise RulesError(
                f"{where}: {name} changes {what}; only methods of rolls and choices, and start, may do that"
            )
    for where in messages.outside.values():
        raise RulesError(f"{where}: this changes something that outlives the game; a message changes nothing")
    for where, what in messages.around.items():
        raise RulesError(f"{where}: {what} reaches around what is declared; a message reads the game by its names")
    read.outside |= messages.outside
    return read


# Constants ---------------------------------------------------------------------------------------------------------


class _File(NamedTuple):
    """The file in which a function or a class is written: its text, and what its names mean."""

    text: Text | None
    names: dict[str, Any]


def _must_be_constant(checked: Checked, rule: RuleFunction) -> None:
    """Refuse a function that depends on a name of its file, or of a class, whose value may change."""
    if rule in checked.constant:
        return
    checked.constant.add(rule)
    scope, origin = Scope(checked.game, rule), lifted.origin_of(rule.function)
    file, cells = _File(text_of(origin), origin.__globals__), set(origin.__code__.co_freevars)
    reason = _of_defaults(origin, file)
    if reason:
        raise RulesError(f"{place(origin)}, in {origin.__name__}: {reason}")
    for node in checked.sharing.changes(rule):
        raise RulesError(
            f"{place(origin, getattr(node, 'lineno', None))}, in {origin.__name__}: {ast.unparse(node)[:60]} changes "
            "something that outlives the game; declare what changes as a field, or change a copy: list(...)"
        )
    parts = _evaluated(written(origin)) if rule.function is origin else ()
    for node in parts:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            base = scope.named(node.value.id)
            reason = _of_module(base, node.attr, checked.hooks) if isinstance(base, ModuleType) else ""
            if reason:
                raise RulesError(f"{place(origin, node.lineno)}, in {origin.__name__}: {reason}")
    for node in _evaluated(definition(rule.function)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in scope.locals:
            reason = _of_name(node.id, scope, file, node.id in cells, checked.hooks)
        elif isinstance(node, ast.Attribute):
            reason = _of_attribute(checked, scope, node, file)
        if reason:
            raise RulesError(f"{place(origin, getattr(node, 'lineno', None))}, in {origin.__name__}: {reason}")


def _of_defaults(origin: FunctionType, file: _File) -> str:
    """Return why a file's builtins, or the defaults of a function, aren't constant; "" if they are."""
    known = file.names.get("__builtins__", builtins)
    if known is not builtins and known is not vars(builtins):
        return "the file gives __builtins__ another value, so that its names mean something else"
    for default in [*(origin.__defaults__ or ()), *(origin.__kwdefaults__ or {}).values()]:
        refused = constant_refusal(default)
        if refused:
            return f"a default argument is {refused}"
    arguments = getattr(tree_of(origin), "args", None)
    for node in [*arguments.defaults, *filter(None, arguments.kw_defaults)] if arguments else []:
        chance = chance_of_default(text_of(origin), file.names, node)
        if chance:
            return f"a default argument is made by {chance}, which gives something else in each run"
    return ""


def _evaluated(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a function that run when it is called: without decorators, defaults and annotations."""
    waiting: list[ast.AST] = list(getattr(tree, "body", []))
    while waiting:
        node = waiting.pop(0)
        yield node
        left_out = getattr(node, "annotation", None), getattr(node, "returns", None)
        waiting += [part for part in ast.iter_child_nodes(node) if part not in left_out]


def _of_module(module: ModuleType, name: str, read: sharing.Hooks) -> str:
    """Return why a name of another file of rules, which is imported as a whole, can't be used; "" if it can."""
    if module.__name__.partition(".")[0] in sys.stdlib_module_names:
        return ""
    file, value = _File(whole_text(module), vars(module)), getattr(module, name, None)
    reason = changed_by(file.text, name) if file.text is not None else ""
    full = f"{module.__name__}.{name}"
    return f"{full} {reason}" if reason else _of_value(value, file, name, full, read)


def _of_name(name: str, scope: Scope, file: _File, is_cell: bool, read: sharing.Hooks) -> str:
    """Return why a name can't be used in rules; "" if it can."""
    if name not in scope.globals:
        is_replaced = name in MEANING and getattr(builtins, name, None) is not MEANING[name]
        return f"{name} is no longer Python's: something has replaced it, which outlives the game" * is_replaced
    if not is_cell and name not in file.names:
        return ""  # it was lifted out of this function
    reason = changed_by(file.text, name) if file.text is not None else ""
    return f"{name} {reason}" if reason else _of_value(scope.globals[name], file, name, name, read, shared=not is_cell)


def _of_value(
    value: Any, file: _File, name: str, written: str, read: sharing.Hooks, *, owner: str = "", shared: bool = True
) -> str:
    """Return why a constant of a file, or of a class in it, can't be used; "" if it can."""
    if isinstance(value, type) and (issubclass(value, enum.Enum | tuple) or is_dataclass(value)):
        reason = class_refusal(value)
        if reason:
            return f"{written} is {reason}"
        chance = chance_in(file.text, file.names, name, owner) if file.text is not None else ""
        return f"{written} is made by {chance}, which gives something else in each run" if chance else ""
    if isinstance(value, FunctionType | Strategy | ModuleType | type) or _is_of_python(value):
        return ""
    reason = constant_refusal(value, shared)
    if reason:
        return f"{written} is {reason}"
    chance = chance_in(file.text, file.names, name, owner) if file.text is not None else ""
    if chance:
        return f"{written} is made by {chance}, which gives something else in each run"
    where = read.outside.get((id(file.names), owner or name))
    if isinstance(value, SHARED) and where:
        return f"{written} is changed in {where}; declare what changes as a field"
    return ""


def _is_of_python(value: Any) -> bool:
    """Return whether a value is a function of Python or its standard library, which the translator knows or refuses."""
    return callable(value) and type(value).__module__ in ("builtins", "functools", "operator")


def _of_attribute(checked: Checked, scope: Scope, node: ast.Attribute, file: _File) -> str:
    """Return why an attribute of the game, of a class or of a module can't be used; "" if it can."""
    base: Any = checked.game if scope.is_game(node.value) else None
    if isinstance(node.value, ast.Name) and base is None:
        base = scope.named(node.value.id)
    written = f"{'self' if base is checked.game else getattr(base, '__name__', '')}.{node.attr}"
    if not isinstance(base, type):
        return ""
    value = getattr_static(base, node.attr, None)
    owner = next((kind for kind in base.__mro__ if node.attr in vars(kind)), None)
    declared = (Field, Param, Throw, Decision, property, staticmethod, classmethod)
    if value is None or owner is None or isinstance(value, declared):
        return ""
    home = next((module for module in modules_of(checked.game) if vars(module).get(owner.__name__) is owner), None)
    if home is not None and vars(home) is not file.names:
        file = _File(whole_text(home), vars(home))
    return _of_value(value, file, node.attr, written, checked.hooks, owner=owner.__name__)


# Classes -----------------------------------------------------------------------------------------------------------


def _must_keep_fields_apart(memory: type[Memory]) -> None:
    """Refuse a memory that inherits fields of the same name from two classes: two strategies would share them."""
    seen: dict[str, type] = {}
    for base in memory.__mro__:
        for name in (name for name, member in vars(base).items() if isinstance(member, Field)):
            if name in seen and not issubclass(seen[name], base):
                raise RulesError(f"{memory.__name__} inherits {name} from {_both(seen[name], base)}")
            seen.setdefault(name, base)


def _both(one: type, other: type) -> str:
    """Return the end of the sentence about two classes with the same field; a class that is declared twice may be
    imported.
    """
    if one.__name__ != other.__name__:
        return f"{one.__name__} and {other.__name__}, so they would share it; rename one"
    files = f"{one.__module__}.{one.__name__} and {other.__module__}.{other.__name__}"
    return (
        f"{files}, so they would share it; declare {one.__name__} in one file and import it in the other, or rename one"
    )


def _excess(effect: Effect, where: str, name: str, game: type[Game]) -> str:
    """Return the message about an effect that a method may not have."""
    if name == "outcome" and isinstance(game.declared.state.get(effect.name), Capped):
        return (
            f"{where}: outcome counts {effect.name} when the game is over; only a tally that rolls and choices "
            "count can be asked to reach an amount"
        )
    done = f"{DOES[effect.kind]} {effect.name}{' of a memory' * (effect.kind == REMEMBERS)}"
    if name == "outcome":
        return f"{where}: outcome {done}; it may count tallies and change nothing else"
    if name.startswith("the strategy"):
        return f"{where}: {name} {done}; a strategy reads the game, and changes nothing but its own memory"
    return f"{where}: {name} {done}; only methods of rolls and choices, and start, may do that"


OF_PYTHON = words(
    """
    __module__ __qualname__ __doc__ __annotations__ __dict__ __weakref__ __firstlineno__ __static_attributes__
    __annotate__ __annotate_func__ __annotations_cache__ __conditional_annotations__ __orig_bases__ __str__
    __repr__ __parameters__ __type_params__ __abstractmethods__ __classcell__
    """
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
    """Yield the names that a statement of a class defines."""
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
