"""What is called in a rule: its own functions, methods of the game, helpers, and what the library lists."""

from __future__ import annotations

import ast
import enum
import functools
from collections.abc import Sequence
from inspect import getattr_static
from types import FunctionType, ModuleType
from typing import Any
from typing import cast as typing_cast

from dicelab.purity import library
from dicelab.purity.scope import Scope, any_of, assigned
from dicelab.purity.values import (
    FOREIGN,
    GAME,
    MEMORY,
    MEMORY_ROW,
    PLAIN,
    ROW,
    SHARED,
    Bound,
    Local,
    Value,
    holding,
)
from dicelab.rules.steps import Decision, Throw, ask, throw


class Calls(Scope):
    """Follows the calls of a function."""

    def made(self, node: ast.FunctionDef | ast.Lambda) -> Value:
        """A function that is written inside a rule; it is read here, whether it is ever called or not."""
        self.call_local(node, [], PLAIN)
        return Value(functions=frozenset([Local(node)]))

    def call_local(self, node: ast.FunctionDef | ast.Lambda, arguments: Sequence[Value], more: Value) -> Value:
        scope = self.local.setdefault(node, {})
        self.scopes.append(scope)
        self.bind(node.args, arguments, more)
        for name in assigned(node):
            scope.setdefault(name, PLAIN)
        outside, self.found.returns = self.found.returns, scope.get("", PLAIN)
        self.values([*node.args.defaults, *node.args.kw_defaults])
        self.body(node)
        self.found.returns, returns = outside, self.found.returns
        self.scopes.pop()
        self.learn(scope, "", returns)  # no variable has an empty name
        return returns

    def of_Call(self, node: ast.Call) -> Value:
        if isinstance(node.func, ast.Attribute) and _is_super(node.func.value):
            return self.call_rule(node, self.parent_method(node.func), [Value(frozenset([GAME])), *self.given(node)[0]])
        if isinstance(node.func, ast.Attribute):
            base = self.value(node.func.value)
            if not base.parts & {GAME, MEMORY} and not base.functions:
                return self.call_method(node, node.func.attr, base)
        callee = self.value(node.func)
        if throw in callee.functions or ask in callee.functions:
            return self.step(node, throw in callee.functions)
        if not callee.functions:
            self.refuse(node, "a call of something that is not known; call functions by their names")
        arguments, more = self.given(node)
        return any_of([self.call(node, function, arguments, more) for function in callee.functions])

    def given(self, node: ast.Call) -> tuple[list[Value], Value]:
        """The arguments of a call in their order; and what may be given to any parameter."""
        arguments, more, starred = list[Value](), PLAIN, False
        for argument in node.args:
            starred |= isinstance(argument, ast.Starred)
            if starred:
                more |= self.value(argument)
            else:
                arguments.append(self.value(argument))
        for keyword in node.keywords:
            value = self.value(keyword.value)
            more |= value if keyword.arg is not None else value.elements
        return arguments, more

    def call(self, node: ast.Call, function: Any, arguments: list[Value], more: Value) -> Value:
        """Call something that is known."""
        if isinstance(function, Bound):
            return self.call_rule(node, function.rule, [Value(frozenset([GAME])), *arguments], more)
        if isinstance(function, Local):
            return self.call_local(function.node, arguments, more)
        if isinstance(function, FunctionType) and not library.is_of_library(function):
            return self.call_rule(node, function, arguments, more)
        everything = [*arguments, more]
        if self.analysis.words and not any(value.everything for value in everything):
            return FOREIGN
        if isinstance(function, functools._lru_cache_wrapper):
            if any(value.everything for value in everything):
                self.refuse(node, f"{ast.unparse(node.func)} is cached, and is given part of the game")
            wrapped: Any = function.__wrapped__
            self.call_rule(node, wrapped, arguments, more)
            return Value(frozenset([SHARED]))
        name = ast.unparse(node.func)
        if any(GAME in value.everything or MEMORY in value.everything for value in everything):
            self.refuse(node, f"the game as a whole is given to {name}; give it fields")
        if isinstance(function, type) and not library.is_of_library(function):
            reason = self.analysis.class_refusal(function)
            if reason:
                self.refuse(node, f"{name} makes a value of {reason}")
            return holding(*everything) if not issubclass(function, enum.Enum) else PLAIN
        if not library.is_of_library(function):
            self.refuse(node, f"{name} {why_not(function)}")
        return self.call_library(node, function, everything)

    def call_library(self, node: ast.Call, function: Any, arguments: list[Value]) -> Value:
        """Call a builtin, or a function of an allowed module, which may call functions among its arguments."""
        everything = any_of(arguments)
        elements = any_of([value.elements for value in arguments])
        for given in everything.functions:
            if not isinstance(given, type | ModuleType):
                self.call(node, given, [], Value(elements.parts | everything.inside, everything.inside))
        several = len(arguments) > 2 or function in (next, typing_cast)
        kept = everything.parts if several else everything.parts & {SHARED}
        return Value(kept | everything.inside, everything.inside)

    def call_rule(self, node: ast.AST, rule: Any, arguments: Sequence[Value], more: Value = PLAIN) -> Value:
        """Call a function whose source can be read."""
        if not isinstance(rule, FunctionType):
            self.refuse(node, "a call of something that is no plain function")
        summary = self.analysis.of(rule, arguments, more)
        for key, effect in summary.effects.items():
            if key not in self.found.effects:
                self.found.effects[key] = effect
                self.learned = True
        return summary.returns

    def call_method(self, node: ast.Call, name: str, base: Value) -> Value:
        """Call a method of a value that is neither the game nor a memory."""
        arguments, more = self.given(node)
        everything = any_of([*arguments, more])
        if base.kinds & {ROW, MEMORY_ROW} and name not in library.ROW_METHODS:
            self.refuse(node, f".{name}() of a row of the game; set its values one at a time: row[i] = ...")
        known = library.METHODS | library.ROW_METHODS | self.analysis.methods
        if name not in known and not self.analysis.words:
            self.refuse(node, f"what .{name}() does can't be followed; rules may call methods of lists, dicts, sets")
        if name in library.MUTATING and SHARED in base.parts:
            self.refuse(node, f".{name}() changes something that outlives the game; declare what changes as a field")
        if name in library.MUTATING and everything.everything - {SHARED}:
            self.refuse(node, f"part of the game is put into a container by .{name}(), where it can't be followed")
        for given in everything.functions:
            if not isinstance(given, type | ModuleType):
                self.call(node, given, [], Value(base.everything, base.inside))
        return Value(base.inside | base.parts & {SHARED} | everything.parts, base.inside)

    def parent_method(self, node: ast.Attribute) -> Any:
        """What ``super().name`` means here."""
        cell = self.captured.get("__class__")
        order = self.game.__mro__
        here = cell.cell_contents if cell is not None else None
        after = order[order.index(here) + 1 :] if here in order else ()
        member = next((vars(base)[node.attr] for base in after if node.attr in vars(base)), None)
        if isinstance(member, Throw | Decision):
            self.refuse(
                node,
                f"super().{node.attr} is what a {'roll' if isinstance(member, Throw) else 'choice'} does, which has no "
                "super(); move what both classes do into a method, and call that",
            )
        if not isinstance(member, FunctionType):
            self.refuse(node, f"super().{node.attr} is no method of a parent")
        return member

    def step(self, node: ast.Call, is_throw: bool) -> Value:
        """``throw(self.kind, dice)`` and ``ask(self.kind, seat)``."""
        word, mark, kind = ("throw", "@thrown", Throw) if is_throw else ("ask", "@chosen", Decision)
        first = node.args[0] if node.args else None
        if isinstance(first, ast.IfExp):  # the one kind or the other
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


def why_not(function: object) -> str:
    """Why a function may not be called by rules."""
    module = getattr(function, "__module__", "") or ""
    if function in (print, input, open):
        return "reads or writes; rules have no input and no output"
    if module in ("random", "_random", "secrets", "time", "datetime", "os", "uuid"):
        return "gives something else each time; rules depend on parameters, state and dice alone"
    return "can't be shown to depend on parameters, state and dice alone"


def _is_super(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"
