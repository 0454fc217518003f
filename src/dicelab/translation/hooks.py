"""What methods that only produce texts change: those for people at the terminal, `refuse`, and ``because=``.

They may use all of Python, and are never translated. Followed from here are only assignments to the game and to names
of the file, changes of their lists, and calls of methods and functions that are given the game.

By itself because it is about methods whose results no rule reads, for which the contract is weaker.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Sequence
from inspect import getattr_static
from types import FunctionType
from typing import Any

from dicelab.errors import RulesError
from dicelab.rules.game import Game
from dicelab.rules.loading.source import tree_of
from dicelab.translation.kinds import CHANGING

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
