"""What the expressions of a rule may be."""

from __future__ import annotations

import ast
import builtins
import enum
import functools
import sys
from inspect import getattr_static
from types import FunctionType, ModuleType
from typing import Any

from dicelab.purity import library
from dicelab.purity.calls import Calls, why_not
from dicelab.purity.scope import any_of, words_for
from dicelab.purity.values import (
    FOREIGN,
    GAME,
    MEMORY,
    MEMORY_ROW,
    PLAIN,
    ROW,
    SHARED,
    Bound,
    Foreign,
    Value,
    holding,
)
from dicelab.rules.fields import Field, Ints, Peak, Tally
from dicelab.rules.game import Game
from dicelab.rules.params import Param
from dicelab.rules.steps import Decision, Throw


class Expressions(Calls):
    """Follows the expressions of a function."""

    def value(self, node: ast.AST) -> Value:
        """What an expression may be."""
        handle = getattr(self, f"of_{type(node).__name__}", None)
        if handle is None:
            self.refuse(node, f"{words_for(node)} in a rule can't be followed")
        found: Value = handle(node)
        return found

    def of_Constant(self, node: ast.Constant) -> Value:
        return PLAIN

    def scope_of(self, name: str) -> dict[str, Value]:
        """The innermost function in which a name is a variable."""
        return next((scope for scope in reversed(self.scopes) if name in scope), self.scopes[-1])

    def of_Name(self, node: ast.Name) -> Value:
        for scope in reversed(self.scopes):
            if node.id in scope:
                return scope[node.id]
        if node.id in self.captured:
            return self.of_thing(node, node.id, self.captured[node.id].cell_contents)
        module = self.rule.__globals__
        if node.id not in module and not hasattr(builtins, node.id):
            self.refuse(node, f"{node.id} is not defined")
        return self.of_thing(node, node.id, module.get(node.id, getattr(builtins, node.id, None)))

    def of_thing(self, node: ast.AST, name: str, thing: Any) -> Value:
        """What something is that the file or Python itself defines."""
        if isinstance(thing, FunctionType | ModuleType | type | functools._lru_cache_wrapper):
            return Value(functions=frozenset([thing]))
        if library.is_of_library(thing):
            return Value(functions=frozenset([thing]))
        if self.analysis.words:
            return FOREIGN
        if callable(thing) and not isinstance(thing, enum.Enum):
            self.refuse(node, f"{name} {why_not(thing)}")
        reason = library.constant_refusal(thing, self.analysis.class_refusal)
        if reason:
            self.refuse(node, f"{name} is {reason}")
        return PLAIN

    def of_module(self, node: ast.AST, module: ModuleType, name: str) -> Value:
        thing = getattr(module, name, None)
        if module.__name__.partition(".")[0] in sys.stdlib_module_names:
            reason = library.module_refusal(module, name)
            if reason:
                self.refuse(node, f"{module.__name__}.{name} can't be used: {reason}")
        return self.of_thing(node, f"{module.__name__}.{name}", thing)

    def of_Attribute(self, node: ast.Attribute) -> Value:
        base = self.value(node.value)
        if node.attr.startswith("__"):
            self.refuse(node, f".{node.attr} reaches around what is declared; use fields and methods by their names")
        found = PLAIN
        if GAME in base.parts:
            found |= self.of_field(node)
        if MEMORY in base.parts:
            declared = getattr_static(self.analysis.memory, node.attr, None)
            if not isinstance(declared, Field):
                self.refuse(node, f"the memory has no {node.attr}; declare it as Int, Ints or Flag in its class")
            found |= Value(frozenset([(MEMORY_ROW, node.attr)])) if isinstance(declared, Ints) else PLAIN
        for owner in base.functions:
            if isinstance(owner, ModuleType):
                found |= self.of_module(node, owner, node.attr)
            elif isinstance(owner, type):
                found |= self.of_class(node, owner)
            elif isinstance(owner, Foreign):
                found |= FOREIGN
        return found if base.parts & {GAME, MEMORY} or base.functions else base.elements

    def of_class(self, node: ast.Attribute, owner: type) -> Value:
        """Something of a class: a member of an enum, a method of a parent, a constant."""
        if issubclass(owner, Game):
            member = getattr_static(owner, node.attr, None)
            if isinstance(member, staticmethod):
                member = member.__func__
            return self.of_thing(node, f"{owner.__name__}.{node.attr}", member)
        if self.analysis.words and not issubclass(owner, enum.Enum):
            return FOREIGN
        if issubclass(owner, enum.Enum):
            reason = self.analysis.class_refusal(owner)
            if reason:
                self.refuse(node, f"this is {reason}")
            member = getattr_static(owner, node.attr, None)
            return Value(functions=frozenset([owner])) if isinstance(member, classmethod | staticmethod) else PLAIN
        if owner in library.PLAIN_TYPES or owner.__module__ == "itertools":
            return Value(functions=frozenset([owner]))
        self.refuse(node, f"what {owner.__name__}.{node.attr} does can't be followed")

    def of_field(self, node: ast.Attribute) -> Value:
        """A field, parameter, method or constant of the game."""
        name = node.attr
        declared = getattr_static(self.game, name, None)
        if isinstance(declared, Tally):
            self.refuse(node, f"the tally {name} is read; {counting(declared)}")
        if isinstance(declared, Ints):
            return Value(frozenset([(ROW, name)]))
        if isinstance(declared, Field | Param):
            return PLAIN
        if isinstance(declared, Throw | Decision):
            kind, how = ("roll", "throw") if isinstance(declared, Throw) else ("choice", "ask")
            self.refuse(
                node,
                f"{name} is what a {kind} does, and is not called by rules; next asks for it by {how}(self.{name}, "
                "...). What several rules do belongs into a method of its own",
            )
        if isinstance(declared, property) and isinstance(declared.fget, FunctionType):
            return self.call_rule(node, declared.fget, [Value(frozenset([GAME]))])
        if isinstance(declared, staticmethod):
            return Value(functions=frozenset([declared.__func__]))
        if isinstance(declared, FunctionType):
            return Value(functions=frozenset([Bound(declared)]))
        if name == "parameters":
            return Value(frozenset([SHARED]))
        if declared is None and not hasattr(self.game, name):
            self.refuse(node, f"self.{name} is not declared")
        return self.of_thing(node, f"self.{name}", declared)

    def of_Subscript(self, node: ast.Subscript) -> Value:
        base = self.value(node.value)
        self.value(node.slice)
        return base.elements | Value(inside=base.inside)

    def of_Slice(self, node: ast.Slice) -> Value:
        self.values([node.lower, node.upper, node.step])
        return PLAIN

    def of_BinOp(self, node: ast.BinOp) -> Value:
        left, right = self.value(node.left), self.value(node.right)
        return Value(
            (left.parts | right.parts) & {SHARED}, left.inside | right.inside, left.functions | right.functions
        )

    def of_UnaryOp(self, node: ast.UnaryOp) -> Value:
        self.value(node.operand)
        return PLAIN

    def of_Compare(self, node: ast.Compare) -> Value:
        self.values([node.left, *node.comparators])
        return PLAIN

    def of_BoolOp(self, node: ast.BoolOp) -> Value:
        return any_of(self.values(node.values))

    def of_IfExp(self, node: ast.IfExp) -> Value:
        self.value(node.test)
        return self.value(node.body) | self.value(node.orelse)

    def of_Tuple(self, node: ast.Tuple | ast.List | ast.Set) -> Value:
        return holding(
            *(self.value(e.value).elements if isinstance(e, ast.Starred) else self.value(e) for e in node.elts)
        )

    of_List = of_Set = of_Tuple

    def of_Starred(self, node: ast.Starred) -> Value:
        return self.value(node.value).elements

    def of_Dict(self, node: ast.Dict) -> Value:
        return holding(*self.values(node.keys), *self.values(node.values))

    def of_JoinedStr(self, node: ast.JoinedStr | ast.FormattedValue) -> Value:
        parts = node.values if isinstance(node, ast.JoinedStr) else [node.value]
        if any(GAME in value.everything or MEMORY in value.everything for value in self.values(parts)):
            self.refuse(node, "the game as text differs from run to run; write out the fields that are meant")
        return PLAIN

    of_FormattedValue = of_JoinedStr

    def of_NamedExpr(self, node: ast.NamedExpr) -> Value:
        value = self.value(node.value)
        self.assign(node.target, value, node.value)
        return value

    def of_Yield(self, node: ast.Yield) -> Value:
        if node.value is not None:
            self.returned(holding(self.value(node.value)))
        return PLAIN

    def of_YieldFrom(self, node: ast.YieldFrom) -> Value:
        self.returned(holding(self.value(node.value).elements))
        return PLAIN

    def of_GeneratorExp(self, node: ast.GeneratorExp | ast.ListComp | ast.SetComp | ast.DictComp) -> Value:
        self.scopes.append(self.local.setdefault(node, {}))
        for generator in node.generators:
            for name in _names_in(generator.target):
                self.scopes[-1].setdefault(name, PLAIN)
            self.assign(generator.target, self.value(generator.iter).elements)
            self.values(generator.ifs)
        made = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        found = holding(*self.values(made))
        self.scopes.pop()
        return found

    of_ListComp = of_SetComp = of_DictComp = of_GeneratorExp

    def of_Lambda(self, node: ast.Lambda) -> Value:
        return self.made(node)


def counting(tally: Tally) -> str:
    """How a tally is counted, for messages."""
    name = tally.name
    if isinstance(tally, Peak):
        return f"a Peak is only raised, self.{name} = max(self.{name}, ...); keep what rules need in a field"
    return f"a tally is only counted, self.{name} += ...; keep what rules need in a field"


def _names_in(target: ast.expr) -> list[str]:
    return [node.id for node in ast.walk(target) if isinstance(node, ast.Name)]
