"""The values of names and attributes in rules: variables, names in files and modules, members of the game."""

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
from dicelab.purity.calls import Calls, cell_of, is_function
from dicelab.purity.constants import chance_in, changed_by
from dicelab.purity.library_calls import knows, why_not
from dicelab.purity.values import (
    FOREIGN,
    GAME,
    GRID,
    MEMORY,
    MEMORY_ROW,
    PLAIN,
    ROW,
    ROWS,
    SHARED,
    TEXT,
    Bound,
    Foreign,
    Value,
)
from dicelab.rules.actions import Decision, Throw
from dicelab.rules.fields import Field, Grid, Ints, Peak, Tally
from dicelab.rules.game import Game, Strategy
from dicelab.rules.loading.source import whole_text
from dicelab.rules.params import Param


class Names(Calls):
    """Follows names and attributes."""

    def of_Name(self, node: ast.Name) -> Value:
        for scope in reversed(self.scopes):
            if node.id in scope:
                return scope[node.id]
        if node.id in self.captured:
            self.must_stay(node, node.id)
            return self.of_thing(node, node.id, cell_of(self.captured[node.id]))
        module = self.rule.__globals__
        if node.id.startswith("__") and not self.analysis.words:
            self.refuse(node, f"{node.id} belongs to Python, and differs from run to run")
        if node.id in module:
            self.must_stay(node, node.id)
            return self.of_constant(node, node.id, node.id, module[node.id], shared=True)
        if not hasattr(builtins, node.id):
            self.refuse(node, f"{node.id} is not defined")
        return self.of_thing(node, node.id, getattr(builtins, node.id))

    def must_stay(self, node: ast.AST, name: str) -> None:
        """Refuse a name that a function of the file rebinds."""
        reason = changed_by(self.text, name)
        if reason and not self.analysis.words:
            self.refuse(node, f"{name} {reason}")

    def of_constant(
        self, node: ast.AST, written: str, name: str, thing: Any, owner: type | None = None, shared: bool = False
    ) -> Value:
        """The value of a name that the file, or a class in it, defines, after checking that it is constant.

        `written` is how messages refer to it.
        """
        found = self.of_thing(node, written, thing, shared)
        if not isinstance(thing, FunctionType | Strategy | ModuleType | type) and not self.analysis.words:
            module = self.rule.__globals__ if owner is None else vars(sys.modules.get(owner.__module__, sys))
            text = self.text if owner is None else None
            if owner is not None and module.get("__name__") == self.rule.__globals__.get("__name__"):
                text, module = self.text, self.rule.__globals__
            chance = chance_in(text, module, name, owner.__name__ if owner is not None else "") if text else ""
            if chance:
                self.refuse(node, f"{written} is made by {chance}, which gives something else in each run")
        return found

    def of_thing(self, node: ast.AST, name: str, thing: Any, shared: bool = False) -> Value:
        """The value of something that the file or Python itself defines."""
        if isinstance(thing, enum.EnumType) and not library.is_of_library(thing) and not self.analysis.words:
            reason = self.analysis.class_refusal(thing)
            if reason:
                self.refuse(node, f"{name} is {reason}")
        if any(thing is getattr(builtins, around, None) for around in library.AROUND) and thing is not print:
            self.refuse(node, f"{name} {why_not(thing)}")
        if isinstance(thing, FunctionType | Strategy | ModuleType | type | functools._lru_cache_wrapper):
            text = isinstance(thing, enum.EnumType) and not issubclass(thing, int)
            return Value(functions=frozenset([thing]), text=text)
        if library.is_of_library(thing):
            return Value(functions=frozenset([thing]))
        if self.analysis.words and isinstance(thing, functools.partial):
            return self.of_thing(node, name, thing.func)
        if self.analysis.words and getattr(thing, "__name__", "") in library.MUTATING:
            self.refuse(node, f"{name} changes something that outlives the game")
        if self.analysis.words:
            return FOREIGN
        found = self.analysis.constant(thing, shared)
        if isinstance(found, Value):
            return found
        if callable(thing) and type(thing).__module__ in ("builtins", "functools", "random"):
            found = why_not(thing)
        self.refuse(node, f"{name} {found}" if found[:2] != "a " else f"{name} is {found}")

    def of_module(self, node: ast.AST, module: ModuleType, name: str) -> Value:
        """The value of a name of a module."""
        thing = getattr(module, name, None)
        written = f"{module.__name__}.{name}"
        if module.__name__.partition(".")[0] in sys.stdlib_module_names:
            reason = library.module_refusal(module, name)
            if reason:
                self.refuse(node, f"{written} can't be used: {reason}")
            return self.of_thing(node, written, thing)
        text = whole_text(module)
        reason = changed_by(text, name) if text else ""
        if not reason and text:
            chance = (
                chance_in(text, vars(module), name) if not isinstance(thing, FunctionType | Strategy | type) else ""
            )
            reason = f"is made by {chance}, which gives something else in each run" if chance else ""
        if reason and not self.analysis.words:
            self.refuse(node, f"{written} {reason}")
        return self.of_thing(node, written, thing, shared=True)

    # Attributes ------------------------------------------------------------------------------------------------------

    def of_Attribute(self, node: ast.Attribute) -> Value:
        base, name = self.value(node.value), node.attr
        if name.startswith("__") or (name.startswith("_") and name.endswith("_") and len(name) > 1):
            self.refuse(node, f".{name} reaches around what is declared; use fields and methods by their names")
        if name.startswith("_") and any(kind in ROWS for kind, _ in base.parts):
            self.refuse(node, f".{name} is no part of a row; read its numbers by their places")
        found = PLAIN
        if GAME in base.parts:
            found |= self.of_field(node)
        if MEMORY in base.parts:
            found |= self.of_memory(node)
        for owner in base.functions:
            found |= self.of_owner(node, owner)
        if base.parts & {GAME, MEMORY} or not all(map(is_function, base.functions)):
            return found
        by_name = name in library.MUTATING or (name == "format" and not self.analysis.words)
        if by_name and name not in self.analysis.methods:
            self.refuse(node, f".{name} must be called directly, x.{name}(...), so that it can be followed")
        methods = frozenset(method.of(base) for method in self.analysis.methods.get(name, ()))
        for method in self.analysis.properties.get(name, ()):
            found |= self.call_rule(node, method.rule, [base])
        return found | base.elements.without_text | Value(functions=methods)

    def of_owner(self, node: ast.Attribute, owner: Any) -> Value:
        """The value of an attribute of a module, a class or a function."""
        if isinstance(owner, ModuleType):
            return self.of_module(node, owner, node.attr)
        if isinstance(owner, type):
            return self.of_class(node, owner)
        if isinstance(owner, Foreign):
            if node.attr in library.MUTATING:
                self.refuse(node, f".{node.attr}() changes something that outlives the game")
            return FOREIGN
        if not is_function(owner) or knows(owner, node.attr):
            self.refuse(node, f"the {node.attr} of a function can't be used")
        return Value(functions=frozenset([owner]))

    def of_class(self, node: ast.Attribute, owner: type) -> Value:
        """The value of an attribute of a class: a member of an enum, a method of a parent, a constant."""
        written, member = f"{owner.__name__}.{node.attr}", getattr_static(owner, node.attr, None)
        if owner in library.PLAIN_TYPES or owner.__module__ == "itertools":
            if node.attr in library.MUTATING:
                self.refuse(node, f"{written} changes its argument; write x.{node.attr}(...)")
            if node.attr == "format" and not self.analysis.words:
                self.refuse(node, f"what {written} reads can't be followed; use an f-string")
            return Value(functions=frozenset([owner]))
        if self.analysis.words and not issubclass(owner, enum.Enum | Game):
            return FOREIGN
        reason = self.analysis.class_refusal(owner) if issubclass(owner, enum.Enum) else ""
        if reason:
            self.refuse(node, f"this is {reason}")
        if owner.__module__ in sys.stdlib_module_names or type(owner) not in (type, enum.EnumType):
            self.refuse(node, f"what {written} does can't be followed")
        if isinstance(member, classmethod):
            receiver = Value(functions=frozenset([owner]))
            return Value(functions=frozenset([Bound(member.__func__, receiver)]))
        if isinstance(member, staticmethod):
            return self.of_thing(node, written, member.__func__)
        if issubclass(owner, enum.Enum) and not isinstance(member, FunctionType):
            return PLAIN if isinstance(member, int) else TEXT
        if member is None:
            self.refuse(node, f"{written} is not defined")
        return self.of_constant(node, written, node.attr, member, owner)

    def of_memory(self, node: ast.Attribute) -> Value:
        """The value of a field of a memory, or of a method of its class."""
        declared = getattr_static(self.analysis.memory, node.attr, None)
        if isinstance(declared, FunctionType):
            return Value(functions=frozenset([Bound(declared, Value(frozenset([MEMORY])))]))
        if isinstance(declared, property) and isinstance(declared.fget, FunctionType):
            return self.call_rule(node, declared.fget, [Value(frozenset([MEMORY]))])
        if not isinstance(declared, Field):
            self.refuse(node, f"the memory has no {node.attr}; declare it as Int, Ints or Flag in its class")
        if isinstance(declared, Grid):
            self.refuse(node, f"{node.attr} is a Grid, which a memory can't have; declare it as Ints")
        return Value(frozenset([(MEMORY_ROW, node.attr)])) if isinstance(declared, Ints) else PLAIN

    def of_field(self, node: ast.Attribute) -> Value:
        """The value of a field, parameter, method or constant of the game."""
        name = node.attr
        declared = getattr_static(self.game, name, None)
        if isinstance(declared, Tally):
            self.refuse(node, f"the tally {name} is read; {counting(declared)}")
        if isinstance(declared, Ints):
            return Value(frozenset([(GRID if isinstance(declared, Grid) else ROW, name)]))
        if isinstance(declared, Field | Param):
            return PLAIN
        if isinstance(declared, Throw | Decision):
            kind, how = ("roll", "throw") if isinstance(declared, Throw) else ("choice", "ask")
            self.refuse(
                node,
                f"{name} is what a {kind} does, and is not called by rules; next returns {how}(self.{name}, ...). "
                "Put what several rules do into a method of its own",
            )
        if isinstance(declared, property) and isinstance(declared.fget, FunctionType):
            return self.call_rule(node, declared.fget, [Value(frozenset([GAME]))])
        if isinstance(declared, staticmethod):
            return Value(functions=frozenset([declared.__func__]))
        if isinstance(declared, classmethod):
            receiver = Value(functions=frozenset([self.game]))
            return Value(functions=frozenset([Bound(declared.__func__, receiver)]))
        if isinstance(declared, FunctionType) and not library.is_of_library(declared):
            return Value(functions=frozenset([Bound(declared, Value(frozenset([GAME])))]))
        if isinstance(declared, functools._lru_cache_wrapper | functools.cached_property):
            self.refuse(node, f"{name} is cached, and depends on the game; write a plain method or a property")
        if name == "parameters":
            return Value(frozenset([SHARED]))
        if declared is None and not hasattr(self.game, name):
            self.refuse(node, f"self.{name} is not declared")
        owner = next(base for base in self.game.__mro__ if name in vars(base))
        return self.of_constant(node, f"self.{name}", name, declared, owner, shared=True)


def counting(tally: Tally) -> str:
    """How a tally is counted, as part of a message."""
    name = tally.name
    if isinstance(tally, Peak):
        return f"a Peak is only raised, self.{name} = max(self.{name}, ...); keep what rules need in a field"
    return f"a tally is only counted, self.{name} += ...; keep what rules need in a field"
