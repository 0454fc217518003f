"""Calls in rules: of inner functions, methods of the game, functions and classes of files, and the library."""

from __future__ import annotations

import ast
import dataclasses
import enum
import functools
import sys
from collections.abc import Sequence
from dataclasses import replace
from inspect import getattr_static
from types import FunctionType
from typing import Any

from dicelab.errors import RulesError
from dicelab.purity import library
from dicelab.purity.library_calls import LibraryCalls, what_is_put, why_not
from dicelab.purity.records import setting_up
from dicelab.purity.scope import Summary, assigned
from dicelab.purity.values import (
    FOREIGN,
    GAME,
    INSTANCE,
    ITERATOR,
    MEMORY,
    PLAIN,
    SHARED,
    TEXT,
    Bound,
    Foreign,
    Given,
    Local,
    Value,
    any_of,
    holding,
)
from dicelab.rules.actions import Decision, Throw, ask, throw
from dicelab.rules.game import Strategy


class Calls(LibraryCalls):
    """Follows the calls of a function."""

    # Functions written inside a rule ---------------------------------------------------------------------------------

    def made(self, node: ast.FunctionDef | ast.Lambda) -> Value:
        """The value of a function or lambda written inside a rule; it is read when it is called."""
        scope = self.local.setdefault(node, {})
        names = [argument.arg for argument in [*node.args.posonlyargs, *node.args.args]]
        defaults = dict(zip(names[len(names) - len(node.args.defaults) :], node.args.defaults, strict=True))
        by_name = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        defaults |= {argument.arg: default for argument, default in by_name if default is not None}
        for name, default in defaults.items():
            self.learn(scope, name, self.value(default))
        function = Local(node, (self.rule, self.given_to_rule), self, tuple(self.scopes))
        return Value(functions=frozenset([function]))

    def call_local(self, function: Local, given: Given) -> Value:
        """Call a function written inside a rule, which may be another rule than the one being read."""
        reader: Calls = function.reader
        scope = reader.local[function.node]
        # The reader of the enclosing rule reads the body, with the scopes of the inner function, and is then restored.
        before = reader.scopes, reader.found, reader.learned
        reader.scopes, reader.learned = [*function.scopes, scope], False
        reader.found = Summary(self.found.effects, scope.get("", PLAIN))  # scope[""] keeps the value returned
        reader.bind(function.node.args, given, {})
        for name in assigned(function.node):
            scope.setdefault(name, PLAIN)
        if function.node not in reader.reading:
            reader.reading.add(function.node)
            reader.body(function.node)
            reader.reading.discard(function.node)
        returns = reader.found.returns
        reader.learn(scope, "", returns)
        learned = reader.learned
        reader.scopes, reader.found, reader.learned = before
        reader.learned |= learned
        self.learned |= learned
        return returns

    # Calls -----------------------------------------------------------------------------------------------------------

    def of_Call(self, node: ast.Call) -> Value:
        if isinstance(node.func, ast.Attribute) and _is_super(node.func.value):
            return self.call_parent(node, node.func)
        if isinstance(node.func, ast.Attribute):
            base = self.value(node.func.value)
            if not base.parts & {GAME, MEMORY} and all(map(is_function, base.functions)):
                return self.call_method(node, node.func.attr, base)
        callee = self.value(node.func)
        if throw in callee.functions or ask in callee.functions:
            return self.step(node, throw in callee.functions)
        if not callee.functions:
            self.refuse(node, "a call of something that is not known; call functions by their names")
        given = self.given(node)
        return any_of([self.call(node, function, given) for function in callee.functions])

    def given(self, node: ast.Call) -> Given:
        """The arguments of a call."""
        positional, named, more, starred = list[Value](), list[tuple[str, Value]](), PLAIN, False
        for argument in node.args:
            starred |= isinstance(argument, ast.Starred)
            if starred:
                more |= self.value(argument)
            else:
                positional.append(self.value(argument))
        for keyword in node.keywords:
            value = self.value(keyword.value)
            if keyword.arg is None:
                more |= value.elements
            else:
                named.append((keyword.arg, value))
        return Given(tuple(positional), tuple(named), more)

    def call(self, node: ast.AST, function: Any, given: Given) -> Value:
        """The value returned by a function, class, or other callable that is known."""
        if isinstance(function, Bound):
            return self.call_rule(node, function.rule, given.after(function.receiver))
        if isinstance(function, Local):
            return self.call_local(function, given)
        if isinstance(function, Strategy):
            self.must_suit(node, function, given)
            return self.call_rule(node, function.rule, given)
        if isinstance(function, FunctionType) and not library.is_of_library(function):
            return self.call_rule(node, function, given)
        everything = given.everything
        name = ast.unparse(node.func) if isinstance(node, ast.Call) else getattr(function, "__name__", "this")
        if (
            self.analysis.words
            and not everything.everything
            and (isinstance(function, Foreign) or not library.is_of_library(function))
        ):
            return FOREIGN
        if isinstance(function, functools._lru_cache_wrapper):
            if everything.everything - {ITERATOR} or any(
                isinstance(one, Local | Bound) for one in everything.callables
            ):
                self.refuse(node, f"{name} is cached, and is given part of the game")
            if ITERATOR in self.call_rule(node, function.__wrapped__, given).everything:
                self.refuse(
                    node, f"{name} is cached, and returns an iterator or a defaultdict, which change when they are read"
                )
            return Value(frozenset([SHARED]), text=True)
        if everything.everything & {GAME, MEMORY}:
            self.refuse(node, f"the game as a whole is given to {name}; give it fields")
        if isinstance(function, type) and not library.is_of_library(function):
            return self.made_of_class(node, function, name, given)
        if not library.is_of_library(function):
            self.refuse(node, f"{name} {why_not(function)}")
        return self.call_library(node, function, name, given)

    def must_suit(self, node: ast.AST, strategy: Strategy, given: Given) -> None:
        """Refuse a call of a strategy that isn't given the game and, if it has a memory, one with all its fields."""
        name, (first, second) = strategy.rule.__name__, (*given.positional, PLAIN, PLAIN)[:2]
        wanted = f"{name}(game, mine, ...)" if strategy.memory else f"{name}(game, ...)"
        if GAME not in first.parts:
            self.refuse(node, f"{name} is a strategy; in rules it is called with the game: {wanted}")
        mine = self.analysis.memory
        if strategy.memory is not None and not (MEMORY in second.parts and mine and issubclass(mine, strategy.memory)):
            self.refuse(
                node,
                f"{name} needs a memory: call {wanted}, where mine is a {strategy.memory.__name__} "
                "or of a class that inherits from it",
            )

    def made_of_class(self, node: ast.AST, kind: type, name: str, given: Given) -> Value:
        """A new value of a class that a file defines."""
        reason = self.analysis.class_refusal(kind)
        if not reason and issubclass(kind, enum.Enum):
            return PLAIN if issubclass(kind, int) else TEXT
        if dataclasses.is_dataclass(kind):
            made = [f.default_factory for f in dataclasses.fields(kind) if f.default_factory is not dataclasses.MISSING]
            given = replace(given, more=any_of([given.more, *(self.call(node, one, Given()) for one in made)]))
        if not reason:
            return holding(given.everything)
        is_record = dataclasses.is_dataclass(kind) or issubclass(kind, tuple | enum.Enum | BaseException)
        why = reason if is_record and not dataclasses.is_dataclass(kind) else self.analysis.instance_refusal(kind)
        if kind is functools.partial:
            self.refuse(node, f"{name} can't be followed; write a function or a lambda")
        if why:
            self.refuse(node, f"{name} makes a value of {why}")
        if ITERATOR in given.everything.everything:
            self.refuse(node, f"an iterator or a defaultdict is put into a {kind.__name__}, where it can't be followed")
        if given.everything.everything - {INSTANCE} or given.everything.callables:
            self.refuse(node, f"{what_is_put(given.everything)} put into a {kind.__name__}, where it can't be followed")
        instance = Value(frozenset([INSTANCE]), text=True)
        for rule in setting_up(kind):
            self.call_rule(node, rule, given.after(instance) if rule.__name__ == "__init__" else [instance])
        return instance

    def call_rule(self, node: ast.AST, rule: Any, given: Given | Sequence[Value]) -> Value:
        """The value returned by a function whose source is read; its effects are added to those of this rule."""
        if not isinstance(rule, FunctionType):
            self.refuse(node, "a call of something that is not a plain function")
        if rule.__module__ in sys.stdlib_module_names:
            try:
                summary = self.analysis.of(rule, given)
            except RulesError:
                self.refuse(node, f"what {rule.__module__}.{rule.__name__} does can't be followed")
        else:
            summary = self.analysis.of(rule, given)
        for key, effect in summary.effects.items():
            if key not in self.found.effects:
                self.found.effects[key] = effect
                self.learned = True
        return summary.returns

    def call_parent(self, node: ast.Call, called: ast.Attribute) -> Value:
        """The value of ``super().name(...)``."""
        cell = self.captured.get("__class__")
        here = cell_of(cell) if cell is not None else None
        first = self.given_to_rule.positional[0] if self.given_to_rule.positional else PLAIN
        order = self.game.__mro__
        if MEMORY in first.parts and self.analysis.memory is not None:
            order = self.analysis.memory.__mro__
        after = order[order.index(here) + 1 :] if here in order else ()
        member = next((vars(base)[called.attr] for base in after if called.attr in vars(base)), None)
        if isinstance(member, Throw | Decision):
            if getattr_static(self.game, called.attr) is member:
                self.refuse(
                    node,
                    f"super().{called.attr} is what a {'roll' if isinstance(member, Throw) else 'choice'} does; only a "
                    "rule that takes its place calls it. Put what several rules do into a method of its own",
                )
            member = member.rule
        given = self.given(node)
        if isinstance(member, staticmethod):
            return self.call_rule(node, member.__func__, given)
        if not isinstance(member, FunctionType):
            self.refuse(node, f"super().{called.attr} is not a method of a parent")
        return self.call_rule(node, member, given.after(first))

    def step(self, node: ast.Call, is_throw: bool) -> Value:
        """The value of ``throw(self.kind, dice)`` or ``ask(self.kind, seat)``, whose kind must be declared."""
        word, mark, kind = ("throw", "@thrown", Throw) if is_throw else ("ask", "@chosen", Decision)
        first = node.args[0] if node.args else None
        if isinstance(first, ast.IfExp):  # throw(self.a if ... else self.b): check both kinds
            self.value(first.test)
            for branch in (first.body, first.orelse):
                self.step(
                    ast.copy_location(ast.Call(node.func, [branch, *node.args[1:]], node.keywords), node), is_throw
                )
            return PLAIN
        if not isinstance(first, ast.Attribute) or GAME not in self.value(first.value).parts:
            self.refuse(node, f"{word}(...) takes a method of the game first: {word}(self.name, ...)")
        declared = getattr_static(self.game, first.attr, None)
        if declared is None:
            self.refuse(node, f"self.{first.attr} is not declared; put {mark}(...) above a method of that name")
        if not isinstance(declared, kind):
            self.refuse(node, f"{word}(self.{first.attr}, ...): {first.attr} has no {mark}(...) above it")
        self.values([*node.args[1:], *(keyword.value for keyword in node.keywords)])
        return PLAIN


def is_function(thing: object) -> bool:
    """Whether this is a function; an attribute looked up in it then belongs to a record that holds the function."""
    known = isinstance(thing, FunctionType | Strategy | Local | Bound | functools._lru_cache_wrapper)
    return known or (library.is_of_library(thing) and not isinstance(thing, type))


def cell_of(cell: Any) -> Any:
    """The contents of a closure cell; None if it is empty."""
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _is_super(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"
