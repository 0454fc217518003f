"""The functions of a game that kernels call, with the intervals of their arguments; what names in them refer to."""

from __future__ import annotations

import ast
import builtins
import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from types import FunctionType
from typing import Any, NamedTuple

from dicelab.errors import ParameterError
from dicelab.rules.actions import Decision, Throw
from dicelab.rules.game import Game, Strategy
from dicelab.rules.loading.source import tree_of
from dicelab.rules.params import Param, reach_of
from dicelab.translation.intervals import NumberInterval, hull
from dicelab.translation.lower import lifted, lowering


class RuleFunction(NamedTuple):
    """A function to be translated.

    Attributes
    ----------
    function, role
        The function; ``game`` when its first argument is the game, ``strategy`` for a strategy, ``plain`` otherwise.
    strategy
        The strategy to which the function belongs, or whose memory it is given.
    memory
        The place of that memory among the arguments after the game; -1 if it isn't given.
    """

    function: Any
    role: str
    strategy: Strategy | None = None
    memory: int = -1


class Scope:
    """What the names in a function refer to.

    Attributes
    ----------
    cls, strategy
        The game, and the strategy to which the function belongs, if any.
    translated, rule, role
        The function as it is translated, as it is, and its role.
    game_name, memory_name
        Names of the game and of a strategy's memory; None if it isn't given them.
    names, star
        Names of the other arguments, and of ``*faces``, None if it has none.
    locals
        All variables.
    globals
        All else, by name: what the function refers to in its file, and in functions around it.
    """

    def __init__(self, game: type[Game], rule: RuleFunction) -> None:
        self.cls, self.translated = game, rule
        self.rule: FunctionType = rule.function
        self.role, self.strategy = rule.role, rule.strategy
        code = self.rule.__code__
        names = list(code.co_varnames[: code.co_argcount])
        self.star = code.co_varnames[len(names)] if code.co_flags & inspect.CO_VARARGS else None
        self.game_name = names.pop(0) if rule.role != "plain" and names else None
        self.memory_name = names.pop(rule.memory) if 0 <= rule.memory < len(names) else None
        self.names = names
        self.locals = set(code.co_varnames) | set(code.co_cellvars)
        origin = lifted.origin_of(self.rule)
        cells = zip(origin.__code__.co_freevars, origin.__closure__ or (), strict=True)
        self.globals: dict[str, Any] = origin.__globals__ | {name: cell.cell_contents for name, cell in cells}
        lowered = lowering.lowered(self.rule, written)  # what was lifted out of the rule is known by then
        self.globals |= lowered.functions | {"nothing": lifted.nothing} if lowered.functions else {}
        self.locals |= lowered.variables

    def is_game(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and node.id == self.game_name

    def is_memory(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and node.id == self.memory_name

    def named(self, name: str) -> Any:
        """Return what a name of the file refers to; None for a variable."""
        return None if name in self.locals else self.globals.get(name)

    def field(self, node: ast.AST) -> Any:
        """Return what the class of the game, or of the memory, has for ``self.name``; None for other expressions."""
        if isinstance(node, ast.Attribute) and self.is_game(node.value):
            return getattr(self.cls, node.attr, None)
        if isinstance(node, ast.Attribute) and self.is_memory(node.value) and self.strategy is not None:
            return getattr(self.strategy.memory, node.attr, None)
        return None

    def of_class(self, node: ast.AST) -> tuple[Any, Any]:
        """Return what ``Name.NAME`` refers to, and the class of that name; two None for other expressions."""
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            owner = self.named(node.value.id)
            if isinstance(owner, type):
                return getattr(owner, node.attr, None), owner
        return None, None

    def called(self, node: ast.Call) -> Any:
        """Return what a call by name calls; what a function yields is put into a list."""
        if not isinstance(node.func, ast.Name) or node.func.id in self.locals:
            return None
        value = self.globals.get(node.func.id, getattr(builtins, node.func.id, None))
        if is_cached(value):  # what it remembers changes nothing
            value = getattr(value, "__wrapped__", None)
        return lowering.collected(value, written)

    def called_method(self, func: ast.Attribute) -> tuple[Any, str, list[ast.expr]]:
        """Return the method that is called, its role, and what it is given before its arguments, besides the game."""
        member, role = self.method(func)
        return member, "plain" if role == "static" else role, [func.value] * (role == "plain")

    def fetched(self, node: ast.AST) -> Any:
        """Return the function of a property of the game; None for anything else."""
        declared = self.field(node) if isinstance(node, ast.Attribute) and self.is_game(node.value) else None
        rule: Any = declared.fget if isinstance(declared, property) else None
        return rule if isinstance(rule, FunctionType) else None

    def method(self, func: ast.Attribute) -> tuple[Any, str]:
        """Return the method of the game, its parent or the memory that is called, and its role; "" for other calls."""
        if self.is_memory(func.value) and self.strategy is not None:
            own = inspect.getattr_static(self.strategy.memory, func.attr, None)
            return (own, "plain") if isinstance(own, FunctionType) else (None, "")
        static = self.static(func)
        if static is not None:
            return static, "static"
        if self.is_game(func.value):
            return lowering.collected(inspect.getattr_static(self.cls, func.attr, None), written), "game"
        match func.value:
            case ast.Call(ast.Name("super")):
                method: Any = parent_method(self.cls, lifted.origin_of(self.rule), func.attr)
                own = inspect.getattr_static(self.cls, func.attr, None)
                replaces = any(self.replaces(base.__dict__.get(func.attr)) for base in self.cls.__mro__)
                is_step = isinstance(method, Throw | Decision) and isinstance(own, Throw | Decision)
                return method.rule if is_step and replaces else method, "game"
        return None, ""

    def replaces(self, member: object) -> bool:
        """Return whether the function is what a roll or a choice does, given what a class has by its name."""
        return isinstance(member, Throw | Decision) and member.rule is lifted.origin_of(self.rule)

    def static(self, func: ast.Attribute) -> Any:
        """Return the static method of the game, or of a class of the file, that is called; None for anything else."""
        owner = self.cls if self.is_game(func.value) else None
        if owner is None and isinstance(func.value, ast.Name):
            owner = self.named(func.value.id)
        member = inspect.getattr_static(owner, func.attr, None) if isinstance(owner, type) else None
        return member.__func__ if isinstance(member, staticmethod) else None

    def memory_places(
        self, given: Sequence[ast.expr], by_name: Sequence[tuple[str | None, ast.expr]], names: Sequence[str]
    ) -> list[int]:
        """Return the places of the parameters, of these names, that receive the memory in a call."""
        places = [i for i, value in enumerate(given) if self.is_memory(value)]
        return places + [names.index(name) for name, value in by_name if name in names and self.is_memory(value)]


def is_cached(value: Any) -> bool:
    """Return whether this is a function of the file under ``functools.cache``."""
    return isinstance(value, functools._lru_cache_wrapper) and isinstance(value.__wrapped__, FunctionType)


def names_of(rule: FunctionType, role: str) -> tuple[str, ...]:
    """Return the names of the parameters of a function after the game, with that of ``*values``."""
    code = rule.__code__
    return code.co_varnames[role == "game" : code.co_argcount + bool(code.co_flags & inspect.CO_VARARGS)]


def packed(
    rule: FunctionType, role: str, given: Sequence[ast.expr], long: Callable[[ast.expr], int] | None = None
) -> list[ast.expr]:
    """Return the positional arguments of a call; those for ``*values`` are one tuple.

    `long` returns the length of a tuple, -1 for anything whose length varies: the parts of ``*tuple``, the last
    argument, are written out.
    """
    code, values = rule.__code__, list(given)
    fixed = code.co_argcount - (role == "game")
    has_rest = bool(code.co_flags & inspect.CO_VARARGS)
    starred = values[-1] if values else None
    if isinstance(starred, ast.Starred) and isinstance(starred.value, ast.Name) and len(values) <= fixed:
        many, last = long(starred.value) if long is not None else -1, starred.value
        if many < 0 and not has_rest:
            return values
        items = many if many >= 0 else fixed - len(values) + 1
        after = [ast.Slice(ast.Constant(items), None)] if many < 0 else []
        parts = [ast.Subscript(last, at, ast.Load()) for at in [*map(ast.Constant, range(items)), *after]]
        values[-1:] = [ast.fix_missing_locations(ast.copy_location(part, last)) for part in parts]
        if many < 0:
            return values
    if not has_rest:
        return values
    rest = values[fixed:]
    if len(rest) == 1 and isinstance(rest[0], ast.Starred):
        return [*values[:fixed], rest[0].value]
    return [*values[:fixed], ast.Tuple(rest, ast.Load())]


def entries(game: type[Game], strategies: Sequence[Strategy]) -> Iterable[tuple[RuleFunction, list[NumberInterval]]]:
    """Return the functions that kernels call, each with the intervals of its arguments after the game."""
    for name in ("start", "next", "outcome"):
        yield RuleFunction(getattr(game, name), "game"), []
    for kind in game.declared.throws:
        code = kind.rule.__code__
        takes = code.co_argcount - 1 + bool(code.co_flags & inspect.CO_VARARGS)
        yield RuleFunction(kind.rule, "game"), [NumberInterval(*kind.range_seen)] * takes
        if kind.loads is not None:
            yield RuleFunction(kind.loads, "game"), []
    for decision in game.declared.decisions:
        moves = [_span(kind) for kind in decision.kinds]
        for rule in (decision.rule, decision.legal, decision.sensible):
            if rule is not None:
                yield RuleFunction(rule, "game"), [hull(moves)] if takes_any(rule) else moves
        if decision.moves is not None:
            yield RuleFunction(decision.moves, "game"), []
    for strategy in strategies:
        if strategy.moves is None:
            arguments = [NumberInterval(p.low, p.high).cut for p in strategy.params.values()]
            yield entry(strategy), arguments


def called_by_kernels(game: type[Game]) -> set[object]:
    """Return the functions of a game that kernels call: their results are numbers, never None."""
    return {rule.function for rule, _ in entries(game, [])}


def takes_any(rule: Any) -> bool:
    """Return whether the method takes all numbers of a move, or of a roll, as one: ``*kept``."""
    return bool(rule.__code__.co_flags & inspect.CO_VARARGS)


def entry(strategy: Strategy) -> RuleFunction:
    """Return the function of a strategy, as kernels call it."""
    return RuleFunction(strategy.rule, "strategy", strategy, 0 if strategy.memory is not None else -1)


def definition(rule: FunctionType) -> ast.AST:
    """Return the syntax tree of a function in the smaller language of `dicelab.translation.lower.lowering`."""
    return lowering.lowered(rule, written).tree


def written(rule: FunctionType) -> ast.AST:
    """Return the syntax tree of a function as it was loaded; of a lambda, that of the same function with ``def``."""
    tree = tree_of(rule)
    if not isinstance(tree, ast.Lambda):
        return tree
    body = ast.copy_location(ast.Return(tree.body), tree.body)
    return ast.copy_location(ast.FunctionDef("lambda", tree.args, [body], []), tree)


def in_full(strategy: Strategy, node: ast.Call) -> ast.Call:
    """Return a call of a strategy by another one: numbers in place of the names of values, and defaults written out."""
    first = strategy.first
    by_place = zip(strategy.params.values(), node.args[first:], strict=False)
    positional = [_value(param, value) for param, value in by_place]
    rest = node.args[first + len(positional) :]
    missing = dict(list(strategy.params.items())[len(positional) :])
    keywords = []
    for given in node.keywords:
        param = missing.pop(str(given.arg), None)
        keywords.append(ast.keyword(given.arg, _value(param, given.value) if param else given.value))
    keywords += [ast.keyword(name, ast.Constant(param.default)) for name, param in missing.items()]
    call = ast.Call(node.func, [*node.args[:first], *positional, *rest], keywords)
    return ast.copy_location(call, node)


def _value(param: Param, value: ast.expr) -> ast.expr:
    """Return an argument of a strategy; the number of a value that is written by its name."""
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        with suppress(ParameterError):  # the reference engine then says what is wrong
            return ast.copy_location(ast.Constant(param.accept(value.value)), value)
    return value


def _span(kind: Any) -> NumberInterval:
    """Return the interval of one number of a move."""
    if isinstance(kind, type):
        members = [int(member) for member in kind]  # type: ignore[attr-defined]
        return NumberInterval(min(members), max(members))
    if isinstance(kind, tuple):
        return NumberInterval(reach_of(kind[0])[0], reach_of(kind[1])[1])
    return NumberInterval(0, max(0, reach_of(kind)[1] - 1))


def parent_method(game: type[Game], rule: FunctionType, name: str) -> object:
    """Return the attribute that ``super().name`` finds in the class in which a function is defined; None if there is
    none.
    """
    cells = dict(zip(rule.__code__.co_freevars, rule.__closure__ or (), strict=True))
    here = cells["__class__"].cell_contents if "__class__" in cells else None
    order = game.__mro__
    after = order[order.index(here) + 1 :] if here in order else ()
    return next((vars(base)[name] for base in after if name in vars(base)), None)
