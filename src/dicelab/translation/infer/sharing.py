"""Whether a function changes a list, set or dict of its file, or of a class, under any name.

What a rule holds of constants is followed through variables, containers, arguments and results, without regard to the
order of statements. A value is described by three sets of tokens: what the container itself may be, what the containers
inside it may be, and what those inside these. A token is `CONSTANT`, or the name of a parameter.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator, Sequence
from inspect import getattr_static
from types import FunctionType, MappingProxyType, ModuleType
from typing import Any, NamedTuple

from dicelab.errors import RulesError
from dicelab.rules.game import Game
from dicelab.rules.loading.source import tree_of
from dicelab.translation.constants import SHARED, parts_of
from dicelab.translation.entries import RuleFunction, Scope, definition, names_of
from dicelab.translation.infer.inference import Kinds
from dicelab.translation.infer.kinds import CHANGING

CONSTANT = "a constant"
Tokens = frozenset[str]
NONE: Tokens = frozenset()
COPYING = ("list", "sorted", "tuple", "set", "frozenset", "dict", "reversed", "enumerate", "zip", "filter", "iter")
"""Builtins whose result has the items of their arguments."""
CHOOSING = ("max", "min", "next")
"""Builtins that return an item of their argument."""


class HeldValues(NamedTuple):
    """What a value may be: the container itself, those inside it, and those at any depth inside these."""

    outer: Tokens = NONE
    inner: Tokens = NONE
    deeper: Tokens = NONE

    @property
    def item(self) -> HeldValues:
        """An item of the value."""
        return HeldValues(self.inner, self.deeper, self.deeper)

    @property
    def copied(self) -> HeldValues:
        """A new container with the same items."""
        return self._replace(outer=NONE)

    @property
    def all(self) -> Tokens:
        """The container and all inside it."""
        return self.outer | self.inner | self.deeper

    def put(self, other: HeldValues) -> HeldValues:
        """Return the container with another value put into it."""
        return HeldValues(self.outer, self.inner | other.outer, self.deeper | other.inner | other.deeper)

    def joined(self, other: HeldValues) -> HeldValues:
        """Return either of two values."""
        return HeldValues(self.outer | other.outer, self.inner | other.inner, self.deeper | other.deeper)


class Change(NamedTuple):
    """A place at which a function changes a container, and what that may be."""

    node: ast.AST
    tokens: Tokens


def of_constant(value: Any) -> HeldValues:
    """Describe a constant of a file or of a class."""
    if isinstance(value, type):
        return HeldValues()
    outer = frozenset({CONSTANT}) if isinstance(value, SHARED) else NONE
    parts = list(parts_of(value) or ()) if not isinstance(value, MappingProxyType) else list(value.values())
    inside = frozenset({CONSTANT}) if any(held.all for held in map(of_constant, parts)) else NONE
    return HeldValues(outer, inside, inside)


class Sharing:
    """Follows the containers of the functions of a game.

    Parameters
    ----------
    game
        The game.
    """

    def __init__(self, game: type[Game]) -> None:
        self.game = game
        self._known: dict[RuleFunction, _FunctionSharing] = {}

    def changes(self, rule: RuleFunction) -> Iterator[ast.AST]:
        """Yield the places at which a function changes a constant, itself or by what it calls."""
        for node, tokens in self.of(rule).changing:
            if CONSTANT in tokens:
                yield node

    def of(self, rule: RuleFunction) -> _FunctionSharing:
        """Return what a function holds and changes."""
        if rule not in self._known:
            self._known[rule] = _FunctionSharing(self, rule)
            self._known[rule].read()
        return self._known[rule]


class _FunctionSharing(Kinds):
    """One function."""

    def __init__(self, sharing: Sharing, rule: RuleFunction) -> None:
        Scope.__init__(self, sharing.game, rule)
        self.sharing = sharing
        self.tree = definition(rule.function)
        self.given = {}
        self.variables: dict[str, Any] = {}
        self._of = {}
        self.held = {name: HeldValues(*[frozenset({name})] * 3) for name in self.names}
        self.result = HeldValues()
        self.changing: list[Change] = []

    def length_of(self, node: ast.expr) -> int:
        """Return -1: lengths of tuples don't matter here."""
        return -1

    def read(self) -> None:
        """Follow all statements until nothing is added, then collect what they change."""
        nodes = list(ast.walk(self.tree))
        while True:
            before = dict(self.held), self.result
            for node in nodes:
                self.bind_in(node)
            if (self.held, self.result) == before:
                break
        for node in nodes:
            self.change(node)

    def note(self, name: str, value: HeldValues) -> None:
        self.held[name] = self.held.get(name, HeldValues()).joined(value)

    def bind_in(self, node: ast.AST) -> None:
        """Follow one statement, or one expression that stores something."""
        match node:
            case ast.Assign():
                for target in node.targets:
                    self.store(target, node.value, self.value(node.value))
            case ast.AnnAssign() | ast.NamedExpr() if node.value is not None:
                self.store(node.target, node.value, self.value(node.value))
            case ast.AugAssign(target=ast.Name(id=name)):
                self.note(name, self.value(node.value).copied)
            case ast.For():
                self.store(node.target, None, self.value(node.iter).item)
            case ast.Return() if node.value is not None:
                self.result = self.result.joined(self.value(node.value))
            case ast.Match():
                for part in ast.walk(node):
                    if isinstance(part, ast.MatchAs | ast.MatchStar) and part.name:
                        self.note(part.name, self.value(node.subject).item.joined(self.value(node.subject)))
            case ast.Call(func=ast.Attribute(value=owner, attr=name)) if name in CHANGING:
                for given in node.args:
                    value = self.value(given)
                    self.put(owner, value.copied if name in ("extend", "update") else value)

    def store(self, target: ast.expr, written: ast.expr | None, value: HeldValues) -> None:
        """Store a value in a target."""
        if isinstance(target, ast.Name):
            self.note(target.id, value)
        elif isinstance(target, ast.Tuple | ast.List):
            parts: Sequence[ast.expr] = written.elts if isinstance(written, ast.Tuple | ast.List) else ()
            same = len(parts) == len(target.elts) and not any(isinstance(part, ast.Starred) for part in parts)
            for i, part in enumerate(target.elts):
                if isinstance(part, ast.Starred):
                    self.store(part.value, None, value.copied)
                elif same:
                    self.store(part, parts[i], self.value(parts[i]))
                else:
                    self.store(part, None, value.item)
        elif isinstance(target, ast.Subscript):
            self.put(target.value, value.copied if isinstance(target.slice, ast.Slice) else value)

    def put(self, owner: ast.expr, value: HeldValues) -> None:
        """Put a value into a container."""
        while isinstance(owner, ast.Subscript | ast.Attribute):
            owner = owner.value
        if isinstance(owner, ast.Name) and owner.id in self.locals:
            self.held[owner.id] = self.held.get(owner.id, HeldValues()).put(value)

    def change(self, node: ast.AST) -> None:
        """Collect what a statement or a call changes."""
        match node:
            case ast.Call(func=ast.Attribute(value=owner, attr=name)) if name in CHANGING:
                self.changing.append(Change(node, self.value(owner).outer))
            case ast.Subscript(ctx=ast.Store() | ast.Del()):
                self.changing.append(Change(node, self.value(node.value).outer))
            case ast.AugAssign(target=ast.Name()) | ast.AugAssign(target=ast.Attribute()):
                self.changing.append(Change(node, self.value(node.target).outer))
        called = self.rule_called(node) if isinstance(node, ast.Call) else None
        if called is not None:
            values = self.given_values(called)
            for _, tokens in self.sharing.of(called[0]).changing:
                given = [values[name] for name in tokens if name in values]
                everything = frozenset[str]().union(*(value.all for value in given))
                self.changing.append(Change(node, everything))

    def given_values(self, called: tuple[RuleFunction, ast.Call, list[ast.expr]]) -> dict[str, HeldValues]:
        """Return what the parameters of a called function may be."""
        rule, node, given = called
        pairs = [*zip(names_of(rule.function, rule.role), given, strict=False)]
        pairs += [(str(keyword.arg), keyword.value) for keyword in node.keywords]
        return {name: self.value(value) for name, value in pairs}

    def value(self, node: ast.AST | None) -> HeldValues:
        """Describe the value of an expression."""
        match node:
            case ast.Name():
                if node.id in self.locals:
                    return self.held.get(node.id, HeldValues())
                return of_constant(self.globals.get(node.id))
            case ast.Attribute():
                return self.attribute(node)
            case ast.Subscript():
                base = self.value(node.value)
                return base.copied if isinstance(node.slice, ast.Slice) else base.item
            case ast.Tuple() | ast.List() | ast.Set():
                return self.display(node.elts)
            case ast.Dict():
                return self.display(node.values)
            case ast.IfExp():
                return self.value(node.body).joined(self.value(node.orelse))
            case ast.BoolOp():
                return self.several(node.values)
            case ast.NamedExpr() | ast.Starred():
                return self.value(node.value)
            case ast.BinOp():
                return self.value(node.left).joined(self.value(node.right)).copied
            case ast.Call():
                return self.call(node)
        return HeldValues()

    def several(self, nodes: Sequence[ast.expr]) -> HeldValues:
        """Describe a value that may be any of several."""
        held = HeldValues()
        for node in nodes:
            held = held.joined(self.value(node))
        return held

    def display(self, nodes: Sequence[ast.expr]) -> HeldValues:
        """Describe a container that is written out."""
        held = HeldValues()
        for node in nodes:
            value = self.value(node)
            held = held.joined(value.copied) if isinstance(node, ast.Starred) else held.put(value)
        return held

    def attribute(self, node: ast.Attribute) -> HeldValues:
        """Describe a constant of a class or a module, or a field of a record."""
        declared, fetched = self.field(node), self.fetched(node)
        if fetched is not None:
            result: HeldValues = self.sharing.of(RuleFunction(fetched, "game")).result
            return result
        if declared is None and isinstance(node.value, ast.Name):
            declared = getattr(self.named(node.value.id), node.attr, None)
        return of_constant(declared) if declared is not None else self.value(node.value).item

    def owner_of(self, func: ast.Attribute) -> Any:
        """Return the module or class by whose name a function is called; None for a method of a value."""
        return self.named(func.value.id) if isinstance(func.value, ast.Name) else None

    def call(self, node: ast.Call) -> HeldValues:
        """Describe the result of a call."""
        called = self.rule_called(node)
        if called is not None:
            values, result = self.given_values(called), self.sharing.of(called[0]).result
            return HeldValues(*(_filled(tokens, values) for tokens in result))
        func = node.func
        name = func.id if isinstance(func, ast.Name) else ""
        if isinstance(func, ast.Attribute) and not isinstance(self.owner_of(func), ModuleType | type):
            base = self.value(func.value)
            if func.attr in (
                "copy",
                "items",
                "keys",
                "values",
                "union",
                "intersection",
                "difference",
                "symmetric_difference",
            ):
                return base.copied
            return (
                base.item.joined(self.several(node.args)) if func.attr in ("get", "pop", "setdefault") else HeldValues()
            )
        given = self.several(node.args)
        if name in CHOOSING:
            default = self.several([keyword.value for keyword in node.keywords])
            return (given.item if len(node.args) == 1 else given.joined(given.item)).joined(default)
        return given.copied if name in COPYING or isinstance(func, ast.Attribute) else HeldValues()


def _filled(tokens: Tokens, values: dict[str, HeldValues]) -> Tokens:
    """Return tokens with those of arguments in place of those of parameters."""
    tokens_held = tokens & {CONSTANT}
    for name in tokens & values.keys():
        tokens_held |= values[name].all
    return tokens_held


# Hooks ----------------------------------------------------------------------------------------------------------------
#
# What methods that only produce texts change: those for people at the terminal, `refuse`, and ``because=``.
#
# They may use all of Python, and are never translated. Followed from here are only assignments to the game and to names
# of the file, changes of their lists, and calls of methods and functions that are given the game.


NAMES = ("view", "told", "menu", "prompt", "heard", "refuse")
"""Methods for people that a game may define."""
AROUND = frozenset(["globals", "locals", "vars", "setattr", "delattr", "exec", "eval", "__import__", "input", "open"])
"""Builtins that a message about rules may not use."""
GAME = "the game"
THROUGH = ("enumerate", "zip", "reversed", "iter")
"""Builtins that return the items of what they are given."""


class Hooks:
    """What hooks of a game change, by place in the file.

    Attributes
    ----------
    game
        The game.
    changed
        Places in which the game is changed, with what is changed.
    outside
        For each name of a file, by the dict of that file's names, the place in which something changes its value.
    around
        Places in which something reaches around what is declared, with its name.
    """

    def __init__(self, game: type[Game]) -> None:
        self.game = game
        self.changed: dict[str, str] = {}
        self.outside: dict[tuple[int, str], str] = {}
        self.around: dict[str, str] = {}
        self._seen: set[Any] = set()

    def follow(self, rule: Any, given: frozenset[tuple[str, str]] | None = None) -> None:
        """Follow a function; `given` says which of its arguments are the game, which a method's first one is."""
        if isinstance(rule, staticmethod | classmethod):
            rule = rule.__func__
        if not isinstance(rule, FunctionType):
            return
        if given is None:
            given = frozenset((name, GAME) for name in rule.__code__.co_varnames[:1] if rule.__code__.co_argcount)
        if (rule, given) in self._seen:
            return
        self._seen.add((rule, given))
        try:
            tree = tree_of(rule)
        except RulesError:
            return
        _HookReading(self, rule, tree, given).read()


class _HookReading:
    """One function that is followed."""

    def __init__(self, hooks: Hooks, rule: FunctionType, tree: ast.AST, given: Iterable[tuple[str, str]]) -> None:
        self.hooks, self.rule, self.tree = hooks, rule, tree
        code = rule.__code__
        self.locals = {*code.co_varnames, *code.co_cellvars}
        self.origins: dict[str, set[str]] = {}
        for name, origin in given:
            self.origins.setdefault(name, set()).add(origin)

    def read(self) -> None:
        nodes = list(ast.walk(self.tree))
        while True:
            before = sum(map(len, self.origins.values()))
            for node in nodes:
                self.bind(node)
            if sum(map(len, self.origins.values())) == before:
                break
        for node in nodes:
            self.change(node)

    def roots(self, node: ast.AST | None) -> set[str]:
        """Return what an expression is part of: the game, or a name of the file."""
        match node:
            case ast.Name():
                if node.id in self.origins:
                    return self.origins[node.id]
                return {node.id} if node.id not in self.locals and node.id in self.rule.__globals__ else set()
            case ast.Attribute() | ast.Subscript() | ast.Starred():
                return self.roots(node.value)
            case ast.IfExp():
                return self.roots(node.body) | self.roots(node.orelse)
            case ast.BoolOp() | ast.Tuple() | ast.List():
                parts = node.values if isinstance(node, ast.BoolOp) else node.elts
                return {root for part in parts for root in self.roots(part)}
            case ast.NamedExpr():
                return self.roots(node.value)
            case ast.Call(func=ast.Name(id=name)) if name in THROUGH:
                return {root for part in node.args for root in self.roots(part)}
        return set()

    def bind(self, node: ast.AST) -> None:
        """Note what variables stand for."""
        match node:
            case ast.Assign():
                pairs = [(target, node.value) for target in node.targets]
            case ast.For() | ast.comprehension():
                pairs = [(node.target, node.iter)]
            case ast.NamedExpr() | ast.AnnAssign():
                pairs = [(node.target, node.value)]  # type: ignore[list-item]
            case _:
                return
        for target, value in pairs:
            roots = self.roots(value)
            for name in (part.id for part in ast.walk(target) if isinstance(part, ast.Name)):
                if roots and isinstance(target, ast.Name | ast.Tuple | ast.List):
                    self.origins.setdefault(name, set()).update(roots)

    def change(self, node: ast.AST) -> None:
        """Note what a statement, or a call, changes, and follow what it calls."""
        match node:
            case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(ctx=ast.Store() | ast.Del()):
                self.note(node, self.roots(node.value), self.name_in(node))
            case ast.AugAssign(target=ast.Name(id=name)):
                kept = self.rule.__globals__
                roots = {root for root in self.origins.get(name, ()) if isinstance(kept.get(root), list | set | dict)}
                self.note(node, roots, name)
            case ast.Attribute(attr=name) if name.startswith("__") and GAME in self.roots(node.value):
                self.hooks.around[self.place(node)] = f".{name}"
            case ast.Call():
                self.call(node)
            case ast.Attribute() if GAME in self.roots(node.value):
                member = getattr_static(self.hooks.game, node.attr, None)
                if isinstance(member, property):
                    self.hooks.follow(member.fget)
            case ast.Name(id=name) if name in AROUND and getattr(builtins, name, None) is self.meaning(name):
                self.hooks.around[self.place(node)] = name

    def meaning(self, name: str) -> Any:
        return None if name in self.locals else self.rule.__globals__.get(name, getattr(builtins, name, None))

    def call(self, node: ast.Call) -> None:
        func = node.func
        if isinstance(func, ast.Attribute):
            if func.attr in CHANGING:
                self.note(node, self.roots(func.value), self.name_in(func.value))
            if func.attr == "__setattr__" or GAME in self.roots(func.value):
                member = getattr_static(self.hooks.game, func.attr, None)
                if func.attr == "__setattr__":
                    self.hooks.around[self.place(node)] = ".__setattr__"
                if isinstance(member, FunctionType):
                    self.pass_on(member, [func.value, *node.args], node.keywords)
            return
        target = self.meaning(func.id) if isinstance(func, ast.Name) else None
        if isinstance(target, FunctionType):
            self.pass_on(target, node.args, node.keywords)

    def pass_on(self, target: FunctionType, given: Sequence[ast.expr], by_name: Sequence[ast.keyword]) -> None:
        """Follow a function with what it is given."""
        names = target.__code__.co_varnames[: target.__code__.co_argcount]
        pairs = [*zip(names, given, strict=False), *((str(k.arg), k.value) for k in by_name)]
        self.hooks.follow(target, frozenset((n, root) for n, value in pairs for root in self.roots(value)))

    def note(self, node: ast.AST, roots: set[str], name: str) -> None:
        place = self.place(node)
        for root in roots:
            if root == GAME:
                self.hooks.changed.setdefault(place, name)
            else:
                self.hooks.outside.setdefault((id(self.rule.__globals__), root), place)

    def name_in(self, node: ast.AST) -> str:
        """Return the name of the field in a target, or that of the variable."""
        name = ""
        while isinstance(node, ast.Attribute | ast.Subscript):
            name = node.attr if isinstance(node, ast.Attribute) else name
            node = node.value
        return name or getattr(node, "id", "")

    def place(self, node: ast.AST) -> str:
        line = getattr(node, "lineno", self.rule.__code__.co_firstlineno)
        return f"{self.rule.__code__.co_filename}, line {line}, in {self.rule.__name__}"
