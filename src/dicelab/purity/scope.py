"""One function that is read: its variables, what it does, and where that stands in its file."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import NoReturn, Protocol

from dicelab.errors import RulesError
from dicelab.purity import library
from dicelab.purity.values import PLAIN, Value, holding
from dicelab.rules.game import Game, Memory
from dicelab.rules.source import tree_of

STATE, COUNT, REMEMBER = "changes", "counts", "remembers"
"""What a rule may do: change a field of the state, count a tally, change the memory of its strategy."""
MOST_ROUNDS = 50
"""Readings of one function; each learns something, so that there are few."""

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(frozen=True)
class Effect:
    """Something that a rule does: what, to which field, and where."""

    kind: str
    name: str
    place: str


@dataclass
class Summary:
    """What a function does, and returns."""

    effects: dict[tuple[str, str], Effect]
    returns: Value = PLAIN


class Whole(Protocol):
    """What is known of the game and of other functions: `dicelab.purity.analysis.Analysis`."""

    game: type[Game]
    memory: type[Memory] | None
    words: bool
    methods: set[str]

    def class_refusal(self, kind: type) -> str:
        """Why rules may not use the values of a class."""
        ...

    def of(self, rule: FunctionType, arguments: Sequence[Value], more: Value = PLAIN) -> Summary:
        """What another function does."""
        ...


class Scope:
    """One function that is read: the part that knows no syntax but its own."""

    def __init__(self, analysis: Whole, rule: FunctionType) -> None:
        self.analysis = analysis
        self.game = analysis.game
        self.rule = rule
        self.found = Summary({})
        self.scopes: list[dict[str, Value]] = [{}]
        self.captured = dict(zip(rule.__code__.co_freevars, rule.__closure__ or (), strict=True))
        self.local: dict[ast.AST, dict[str, Value]] = {}
        self.learned = False

    # A function ------------------------------------------------------------------------------------------------------

    def summary(self, arguments: Sequence[Value], more: Value) -> Summary:
        """What the function does."""
        tree = tree_of(self.rule)
        for default in (*(self.rule.__defaults__ or ()), *(self.rule.__kwdefaults__ or {}).values()):
            reason = (
                library.constant_refusal(default, self.analysis.class_refusal)
                if not isinstance(default, FunctionType)
                else ""
            )
            if reason:
                self.refuse(tree, f"a default argument is {reason}")
        self.bind(tree.args, arguments, more)
        names = assigned(tree)
        for name in names:
            self.scopes[0].setdefault(name, PLAIN)
        for _ in range(MOST_ROUNDS):
            self.learned = False
            self.body(tree)
            if not self.learned:
                break
        return self.found

    def bind(self, names: ast.arguments, arguments: Sequence[Value], more: Value) -> None:
        """Give the parameters of a function their values."""
        scope = self.scopes[-1]
        positional = [*names.posonlyargs, *names.args]
        for i, name in enumerate(positional):
            given = arguments[i] if i < len(arguments) else PLAIN
            self.learn(scope, name.arg, given | more)
        if names.vararg:
            self.learn(scope, names.vararg.arg, holding(*arguments[len(positional) :], more))
        for name in names.kwonlyargs:
            self.learn(scope, name.arg, more)
        if names.kwarg:
            self.learn(scope, names.kwarg.arg, holding(more))

    def body(self, tree: FunctionNode) -> None:
        if isinstance(tree, ast.Lambda):
            self.returned(self.value(tree.body))
        else:
            for statement in tree.body:
                self.statement(statement)

    def returned(self, value: Value) -> None:
        if self.found.returns | value != self.found.returns:
            self.found.returns |= value
            self.learned = True

    def learn(self, scope: dict[str, Value], name: str, value: Value) -> None:
        """A variable may have a value as well."""
        both = scope.get(name, PLAIN) | value
        if name not in scope or both != scope[name]:
            scope[name] = both
            self.learned = True

    def refuse(self, node: ast.AST, said: str) -> NoReturn:
        raise RulesError(f"{self.place(node)}: {said}")

    def place(self, node: ast.AST) -> str:
        """File, line and function."""
        line = getattr(node, "lineno", self.rule.__code__.co_firstlineno)
        return f"{self.rule.__code__.co_filename}, line {line}, in {self.rule.__name__}"

    def does(self, kind: str, name: str, node: ast.AST) -> None:
        if (kind, name) not in self.found.effects:
            self.found.effects[kind, name] = Effect(kind, name, self.place(node))
            self.learned = True

    # What is read, by the classes that inherit from this one

    def statement(self, node: ast.AST) -> None:
        """Follow one statement."""
        raise NotImplementedError

    def value(self, node: ast.AST) -> Value:
        """What an expression may be."""
        raise NotImplementedError

    def assign(self, target: ast.expr, value: Value, written: ast.expr | None = None) -> None:
        """Give a target a value; `written` is the expression of it, where there is one."""
        raise NotImplementedError

    def values(self, nodes: Iterable[ast.AST | None]) -> list[Value]:
        """What several expressions may be."""
        return [self.value(node) for node in nodes if node is not None]


def any_of(values: Iterable[Value]) -> Value:
    """What something may be that is one of several values."""
    found = PLAIN
    for value in values:
        found |= value
    return found


def assigned(tree: FunctionNode) -> set[str]:
    """Names that are variables of a function: its parameters, and what it assigns outside functions within it."""
    found = {a.arg for a in ast.walk(tree.args) if isinstance(a, ast.arg)}
    waiting: list[ast.AST] = [tree.body] if isinstance(tree, ast.Lambda) else list(tree.body)
    outer: set[str] = set()
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
            continue
        if isinstance(node, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            found |= {n.target.id for n in ast.walk(node) if isinstance(n, ast.NamedExpr)}
            continue
        if isinstance(node, ast.Nonlocal | ast.Global):
            outer |= set(node.names)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
            found.add(node.id)
        if isinstance(node, ast.Import | ast.ImportFrom):
            found |= {alias.asname or alias.name.partition(".")[0] for alias in node.names}
        for name in (getattr(node, "name", None), getattr(node, "rest", None)):  # except ... as name, case name
            if isinstance(name, str):
                found.add(name)
        waiting += ast.iter_child_nodes(node)
    return found - outer


def words_for(node: ast.AST) -> str:
    """A kind of syntax in words."""
    known = {"With": "with", "ClassDef": "a class", "AsyncFunctionDef": "async", "AsyncFor": "async", "Await": "await"}
    return known.get(type(node).__name__, type(node).__name__)
