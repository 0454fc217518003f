"""The state of reading one function: its variables, its effects, and the lines of the effects."""

from __future__ import annotations

import ast
import builtins
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from types import FunctionType
from typing import Any, NoReturn, Protocol

from dicelab.errors import RulesError
from dicelab.purity.values import PLAIN, Given, Method, Value, holding
from dicelab.rules.game import Game, Memory
from dicelab.rules.loading.source import Text, text_of, tree_of

STATE, COUNT, REMEMBER = "changes", "counts", "remembers"
"""Kinds of effects: changing a field of the state, counting a tally, changing the memory of a strategy."""
MOST_ROUNDS = 50
"""Limit on readings of one function. Each one must add something to the values of its variables, so few are needed."""

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(frozen=True)
class Effect:
    """An effect of a rule: its kind, the field, and the place in the file."""

    kind: str
    name: str
    place: str


@dataclass
class Summary:
    """The effects of a function, by kind and field, and the value that it returns."""

    effects: dict[tuple[str, str], Effect]
    returns: Value = PLAIN


class Whole(Protocol):
    """The part of `dicelab.purity.analysis.Analysis` that reading a function needs."""

    game: type[Game]
    memory: type[Memory] | None
    words: bool
    methods: dict[str, set[Method]]
    properties: dict[str, set[Method]]
    operators: bool
    fields: set[str]

    def class_refusal(self, kind: type) -> str:
        """Why rules may not use the values of a class; "" if they may."""
        ...

    def instance_refusal(self, kind: type) -> str:
        """Why rules may not create instances of a plain class; "" if they may."""
        ...

    def constant(self, thing: object, shared: bool = False) -> Value | str:
        """The abstract value of something that a file defines; or why it is not a constant."""
        ...

    def of(self, rule: FunctionType, given: Given | Sequence[Value]) -> Summary:
        """The summary of another function."""
        ...


class Scope(ABC):
    """Reads one function; its subclasses add the kinds of statements and expressions."""

    def __init__(self, analysis: Whole, rule: FunctionType, given: Given) -> None:
        self.analysis = analysis
        self.game = analysis.game
        self.rule = rule
        self.given_to_rule = given
        self.found = Summary({})
        self.scopes: list[dict[str, Value]] = [{}]
        self.captured = dict(zip(rule.__code__.co_freevars, rule.__closure__ or (), strict=True))
        self.local: dict[ast.AST, dict[str, Value]] = {}
        self.learned = False
        self.reading: set[ast.AST] = set()
        """Functions written inside this one that are being read."""

    # A function ------------------------------------------------------------------------------------------------------

    @cached_property
    def text(self) -> Text:
        """The text of the file in which the function is written."""
        return text_of(self.rule)

    def summary(self) -> Summary:
        """The effects and the return value of the function.

        The body is read again until the values of all variables reach a fixed point.

        Raises
        ------
        RulesError
            When the function breaks the contract, or can't be followed.
        """
        tree = tree_of(self.rule)
        known = self.rule.__globals__.get("__builtins__", builtins)
        if known is not builtins and known is not vars(builtins):
            self.refuse(tree, "the file gives __builtins__ another value, so the meaning of names is unknown")
        self.bind(tree.args, self.given_to_rule, self.defaults(tree))
        for name in assigned(tree):
            self.scopes[0].setdefault(name, PLAIN)
        for _ in range(MOST_ROUNDS):
            self.learned, before = False, len(self.analysis.methods)
            self.body(tree)
            if not self.learned and len(self.analysis.methods) == before:
                return self.found
        self.refuse(tree, "this is too entangled to be followed; write it in several functions")

    def defaults(self, tree: FunctionNode) -> dict[str, Value]:
        """The values of the default arguments, by parameter."""
        found = {}
        names = [argument.arg for argument in [*tree.args.posonlyargs, *tree.args.args]]
        given = self.rule.__defaults__ or ()
        things: dict[str, Any] = dict(zip(names[len(names) - len(given) :], given, strict=True))
        for name, thing in {**things, **(self.rule.__kwdefaults__ or {})}.items():
            found[name] = self.of_thing(tree, "a default argument", thing)
        return found

    def bind(self, names: ast.arguments, given: Given, defaults: dict[str, Value]) -> None:
        """Assign the arguments of a call to the parameters of a function."""
        scope, named = self.scopes[-1], dict(given.named)
        positional = [*names.posonlyargs, *names.args]
        for i, name in enumerate([*positional, *names.kwonlyargs]):
            value = given.more | defaults.get(name.arg, PLAIN) | named.pop(name.arg, PLAIN)
            if i < min(len(positional), len(given.positional)):
                value |= given.positional[i]
            self.learn(scope, name.arg, value)
        if names.vararg:
            self.learn(scope, names.vararg.arg, holding(*given.positional[len(positional) :], given.more))
        if names.kwarg:
            self.learn(scope, names.kwarg.arg, holding(*named.values(), given.more))

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
        """Add a possible value to those that a variable may have."""
        both = scope.get(name, PLAIN) | value
        if name not in scope or both != scope[name]:
            scope[name] = both
            self.learned = True

    def refuse(self, node: ast.AST, reason: str) -> NoReturn:
        raise RulesError(f"{self.place(node)}: {reason}")

    def place(self, node: ast.AST) -> str:
        """File, line and function of a syntax tree, as the beginning of a message."""
        line = getattr(node, "lineno", self.rule.__code__.co_firstlineno)
        return f"{self.rule.__code__.co_filename}, line {line}, in {self.rule.__name__}"

    def does(self, kind: str, name: str, node: ast.AST) -> None:
        if (kind, name) not in self.found.effects:
            self.found.effects[kind, name] = Effect(kind, name, self.place(node))
            self.learned = True

    # Defined by subclasses

    @abstractmethod
    def statement(self, node: ast.AST) -> None:
        """Follow one statement."""

    @abstractmethod
    def of_thing(self, node: ast.AST, name: str, thing: Any) -> Value:
        """The value of something that the file or Python itself defines."""

    @abstractmethod
    def value(self, node: ast.AST) -> Value:
        """The abstract value of an expression."""

    @abstractmethod
    def assign(self, target: ast.expr, value: Value, written: ast.expr | None = None) -> None:
        """Assign a value to a target; `written` is its expression, if there is one."""

    def values(self, nodes: Iterable[ast.AST | None]) -> list[Value]:
        """The abstract values of several expressions."""
        return [self.value(node) for node in nodes if node is not None]


@lru_cache(4096)
def assigned(tree: FunctionNode) -> frozenset[str]:
    """The local variables of a function: its parameters, and names assigned in it but not in inner functions."""
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
    return frozenset(found - outer)


def words_for(node: ast.AST) -> str:
    """The name of a kind of syntax, for messages."""
    known = {"With": "with", "ClassDef": "a class", "Await": "await", "TryStar": "except*"}
    known |= dict.fromkeys(["AsyncFunctionDef", "AsyncFor", "AsyncWith"], "async")
    return known.get(type(node).__name__, type(node).__name__)
