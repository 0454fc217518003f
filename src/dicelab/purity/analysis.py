"""Reads a rule, and every function that it calls, and collects what they do to the game.

The syntax tree is followed as Python would run it, but with values of which only a little is known (`purity.values`):
all branches are taken, and loops are repeated until nothing new is learned. What can't be shown to depend on
parameters, state, dice and memory alone, or to change declared fields only, is refused with its file and line.
"""

from __future__ import annotations

import ast
import builtins
import enum
import functools
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from inspect import getattr_static
from types import FunctionType, ModuleType
from typing import Any, NoReturn
from typing import cast as typing_cast

from dicelab.errors import RulesError
from dicelab.purity import library
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
    Local,
    Value,
    holding,
)
from dicelab.rules.fields import Field, Flag, Int, Ints, Peak, Tally
from dicelab.rules.game import Game, Memory
from dicelab.rules.params import Param
from dicelab.rules.source import tree_of
from dicelab.rules.steps import Decision, Throw, ask, throw

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


class Analysis:
    """What is known of all functions that a game with its strategies calls.

    Parameters
    ----------
    game
        The class of the game.
    memory
        The class of the memory of the strategy that is looked at, if it has one.
    words
        The functions only say something to people, as `refuse` does: they may use anything, but not give it the game.
    """

    def __init__(self, game: type[Game], memory: type[Memory] | None = None, words: bool = False) -> None:
        self.game = game
        self.memory = memory
        self.words = words
        self._known: dict[tuple[object, tuple[Value, ...], Value], Summary] = {}
        self._open: dict[tuple[object, tuple[Value, ...], Value], Summary] = {}
        self._met_itself = False
        self._classes: dict[type, str] = {}
        self.methods: set[str] = set()
        """Methods of classes that rules use, all of which have been read."""

    def class_refusal(self, kind: type) -> str:
        """Why rules may not use the values of a class, as the end of a sentence; empty where they may.

        Raises
        ------
        RulesError
            When one of its methods can't be shown to be lawful.
        """
        if kind not in self._classes:
            self._classes[kind] = library.kind_refusal(kind)
            if not self._classes[kind]:
                for name, rule in library.written_in(kind):
                    self.of(rule, [PLAIN] * rule.__code__.co_argcount)
                    self.methods.add(name)
        return self._classes[kind]

    def of(self, rule: FunctionType, arguments: Sequence[Value], more: Value = PLAIN) -> Summary:
        """What a function does when it is called with these arguments; `more` is what else it may be given.

        Raises
        ------
        RulesError
            With the file and line of what can't be shown to be lawful.
        """
        key = rule, tuple(arguments), more
        if key in self._open:
            self._met_itself = True
            return self._open[key]
        if key in self._known:
            return self._known[key]
        found = self._open[key] = Summary({})
        while True:  # a function that calls itself is read until what it does is known
            before = len(found.effects), found.returns
            found = self._open[key] = Reading(self, rule).summary(arguments, more)
            if (len(found.effects), found.returns) == before or not self._met_itself:
                break
        del self._open[key]
        if not self._open:
            self._met_itself = False
        if not self._met_itself:  # else it may have been read while the function that calls it was not known yet
            self._known[key] = found
        return found


class Reading:
    """One function that is read."""

    def __init__(self, analysis: Analysis, rule: FunctionType) -> None:
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
        names = _assigned(tree)
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

    # Statements ------------------------------------------------------------------------------------------------------

    def statement(self, node: ast.AST) -> None:
        """Follow one statement."""
        handle = getattr(self, f"do_{type(node).__name__}", None)
        if handle is None:
            self.refuse(node, f"{_words(node)} in a rule can't be followed")
        handle(node)

    def block(self, statements: Iterable[ast.stmt]) -> None:
        for statement in statements:
            self.statement(statement)

    def nothing(self, node: ast.AST) -> None:
        """A statement that does nothing by itself."""

    do_Pass = do_Break = do_Continue = nothing

    def do_Expr(self, node: ast.Expr) -> None:
        self.value(node.value)

    def do_Return(self, node: ast.Return) -> None:
        if node.value is not None:
            self.returned(self.value(node.value))

    def do_If(self, node: ast.If | ast.While) -> None:
        self.value(node.test)
        self.block(node.body)
        self.block(node.orelse)

    do_While = do_If

    def do_For(self, node: ast.For) -> None:
        self.assign(node.target, self.value(node.iter).elements)
        self.block(node.body)
        self.block(node.orelse)

    def do_Assert(self, node: ast.Assert) -> None:
        self.values(filter(None, [node.test, node.msg]))

    def do_Raise(self, node: ast.Raise) -> None:
        self.values(filter(None, [node.exc, node.cause]))

    def do_Try(self, node: ast.Try) -> None:
        self.block(node.body)
        for handler in node.handlers:
            if handler.type is not None:
                self.value(handler.type)
            self.block(handler.body)
        self.block(node.orelse)
        self.block(node.finalbody)

    def do_Match(self, node: ast.Match) -> None:
        subject = self.value(node.subject)
        for case in node.cases:
            for part in ast.walk(case.pattern):
                name = getattr(part, "name", None) or getattr(part, "rest", None)
                if isinstance(name, str):
                    self.learn(self.scopes[-1], name, subject | subject.elements | holding(subject.elements))
            if case.guard is not None:
                self.value(case.guard)
            self.block(case.body)

    def do_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            module = sys.modules.get(alias.name.partition(".")[0] if alias.asname is None else alias.name)
            name = alias.asname or alias.name.partition(".")[0]
            self.learn(self.scopes[-1], name, Value(functions=frozenset([module or self.unknown(node, name)])))

    def do_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = sys.modules.get(node.module or "") if not node.level else None
        for alias in node.names:
            thing = getattr(module, alias.name, None)
            if module is None or thing is None:
                self.unknown(node, alias.name)
            self.learn(self.scopes[-1], alias.asname or alias.name, self.of_module(node, module, alias.name))

    def unknown(self, node: ast.AST, name: str) -> NoReturn:
        self.refuse(node, f"{name} is imported inside a rule; import it at the top of the file")

    def do_FunctionDef(self, node: ast.FunctionDef) -> None:
        if node.decorator_list:
            self.refuse(node, f"{node.name} has a decorator inside a rule, which can't be followed")
        self.learn(self.scopes[-1], node.name, self.made(node))

    def do_Nonlocal(self, node: ast.Nonlocal) -> None:
        if len(self.scopes) == 1:
            name = node.names[0]
            self.refuse(node, f"nonlocal {name} changes what outlives the game; declare what changes as a field")

    def do_Global(self, node: ast.Global) -> None:
        name = node.names[0]
        self.refuse(node, f"global {name} changes what outlives the game; declare what changes as a field")

    # Assignments -----------------------------------------------------------------------------------------------------

    def do_Assign(self, node: ast.Assign) -> None:
        if len(node.targets) == 1 and self.raises_peak(node.targets[0], node.value):
            return
        value = self.value(node.value)
        for target in node.targets:
            self.assign(target, value, node.value)

    def do_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.assign(node.target, self.value(node.value), node.value)

    def do_AugAssign(self, node: ast.AugAssign) -> None:
        tally = self.tally(node.target)
        if tally is not None and not isinstance(tally, Peak) and isinstance(node.op, ast.Add | ast.Sub):
            self.value(node.value)
            self.does(COUNT, tally.name, node)
            return
        value, old = self.value(node.value), self.value(node.target)
        if isinstance(node.target, ast.Name):
            if SHARED in old.parts or ROW in old.kinds or MEMORY_ROW in old.kinds:
                self.refuse(node, f"{node.target.id} may be something that outlives this rule, and is changed in place")
            if value.inside:
                self.refuse(node, f"part of the game is put into {node.target.id}, where it can't be followed")
        self.assign(node.target, PLAIN if isinstance(node.target, ast.Attribute) else old, node.value)

    def assign(self, target: ast.expr, value: Value, written: ast.expr | None = None) -> None:
        """Give a target a value; `written` is the expression of it, where there is one."""
        if isinstance(target, ast.Name):
            self.learn(self.scope_of(target.id), target.id, value)
        elif isinstance(target, ast.Tuple | ast.List):
            parts = written.elts if isinstance(written, ast.Tuple | ast.List) else []
            one_by_one = len(parts) == len(target.elts) and not any(isinstance(p, ast.Starred) for p in parts)
            for i, element in enumerate(target.elts):
                self.assign(element, self.value(parts[i]) if one_by_one else value.elements)
        elif isinstance(target, ast.Starred):
            self.assign(target.value, holding(value))
        elif isinstance(target, ast.Attribute):
            self.assign_field(target)
        elif isinstance(target, ast.Subscript):
            self.assign_element(target, value)

    def assign_field(self, target: ast.Attribute) -> None:
        base = self.value(target.value)
        if GAME in base.parts:
            declared = getattr_static(self.game, target.attr, None)
            if isinstance(declared, Tally):
                self.refuse(target, f"the tally {target.attr} is set; {_counting(declared)}")
            if isinstance(declared, Ints):
                self.refuse(
                    target, f"{target.attr} is a row; set its values one at a time: self.{target.attr}[i] = ..."
                )
            if isinstance(declared, Param):
                self.refuse(target, f"{target.attr} is a parameter; rules do not change it")
            if not isinstance(declared, Int | Flag):
                self.refuse(target, f"self.{target.attr} is set, but not declared; declare it as Int, Ints or Flag")
            self.does(STATE, target.attr, target)
        elif MEMORY in base.parts:
            if not isinstance(getattr_static(self.analysis.memory, target.attr, None), Int | Flag):
                self.refuse(target, f"the memory has no number {target.attr}; declare it as Int or Flag in its class")
            self.does(REMEMBER, target.attr, target)
        else:
            self.refuse(target, f".{target.attr} of something other than the game is set, which can't be followed")

    def assign_element(self, target: ast.Subscript, value: Value) -> None:
        base = self.value(target.value)
        self.value(target.slice)
        for kind, name in sorted(base.parts):
            if kind == ROW:
                self.does(STATE, name, target)
            elif kind == MEMORY_ROW:
                self.does(REMEMBER, name, target)
            else:
                self.refuse(target, "this changes something that outlives the game; declare what changes as a field")
        if value.everything - {SHARED} and not base.parts:
            self.refuse(target, "part of the game is put into a container, where it can't be followed")

    def do_Delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if isinstance(target, ast.Subscript) and not self.value(target.value).parts:
                self.value(target.slice)
            elif not isinstance(target, ast.Name):
                self.refuse(node, "del of part of the game; fields stay, only their values change")

    def raises_peak(self, target: ast.expr, value: ast.expr) -> bool:
        """Is this ``self.best = max(self.best, ...)`` for a `Peak`, the only way in which a tally may be read?"""
        peak = self.tally(target)
        if not isinstance(peak, Peak) or not isinstance(value, ast.Call) or value.keywords or len(value.args) != 2:
            return False
        others = [argument for argument in value.args if self.tally(argument) is not peak]
        if len(others) != 1 or max not in self.value(value.func).functions:
            return False
        self.value(others[0])
        self.does(COUNT, peak.name, target)
        return True

    def tally(self, node: ast.expr) -> Tally | None:
        """The tally that an expression names."""
        if isinstance(node, ast.Attribute) and GAME in self.value(node.value).parts:
            declared = getattr_static(self.game, node.attr, None)
            return declared if isinstance(declared, Tally) else None
        return None

    # Expressions -----------------------------------------------------------------------------------------------------

    def value(self, node: ast.AST) -> Value:
        """What an expression may be."""
        handle = getattr(self, f"of_{type(node).__name__}", None)
        if handle is None:
            self.refuse(node, f"{_words(node)} in a rule can't be followed")
        found: Value = handle(node)
        return found

    def values(self, nodes: Iterable[ast.AST | None]) -> list[Value]:
        return [self.value(node) for node in nodes if node is not None]

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
            self.refuse(node, f"{name} {_why_not(thing)}")
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
            self.refuse(node, f"the tally {name} is read; {_counting(declared)}")
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
        return _any_of(self.values(node.values))

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

    # Calls -----------------------------------------------------------------------------------------------------------

    def made(self, node: ast.FunctionDef | ast.Lambda) -> Value:
        """A function that is written inside a rule; it is read here, whether it is ever called or not."""
        self.call_local(node, [], PLAIN)
        return Value(functions=frozenset([Local(node)]))

    def call_local(self, node: ast.FunctionDef | ast.Lambda, arguments: Sequence[Value], more: Value) -> Value:
        scope = self.local.setdefault(node, {})
        self.scopes.append(scope)
        self.bind(node.args, arguments, more)
        for name in _assigned(node):
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
        return _any_of([self.call(node, function, arguments, more) for function in callee.functions])

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
            self.refuse(node, f"{name} {_why_not(function)}")
        return self.call_library(node, function, everything)

    def call_library(self, node: ast.Call, function: Any, arguments: list[Value]) -> Value:
        """Call a builtin, or a function of an allowed module, which may call functions among its arguments."""
        everything = _any_of(arguments)
        elements = _any_of([value.elements for value in arguments])
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
        everything = _any_of([*arguments, more])
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
        if not isinstance(first, ast.Attribute) or GAME not in self.value(first.value).parts:
            self.refuse(node, f"{word}(...) takes a method of the game first: {word}(self.name, ...)")
        declared = getattr_static(self.game, first.attr, None)
        if declared is None:
            self.refuse(node, f"self.{first.attr} is not declared; put {mark}(...) above a method of that name")
        if not isinstance(declared, kind):
            self.refuse(node, f"{word}(self.{first.attr}, ...): {first.attr} has no {mark}(...) above it")
        self.values([*node.args[1:], *(keyword.value for keyword in node.keywords)])
        return PLAIN


def _why_not(function: object) -> str:
    """Why a function may not be called by rules."""
    module = getattr(function, "__module__", "") or ""
    if function in (print, input, open):
        return "reads or writes; rules have no input and no output"
    if module in ("random", "_random", "secrets", "time", "datetime", "os", "uuid"):
        return "gives something else each time; rules depend on parameters, state and dice alone"
    return "can't be shown to depend on parameters, state and dice alone"


def _counting(tally: Tally) -> str:
    """How a tally is counted, for messages."""
    name = tally.name
    if isinstance(tally, Peak):
        return f"a Peak is only raised, self.{name} = max(self.{name}, ...); keep what rules need in a field"
    return f"a tally is only counted, self.{name} += ...; keep what rules need in a field"


def _any_of(values: Iterable[Value]) -> Value:
    found = PLAIN
    for value in values:
        found |= value
    return found


def _is_super(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"


def _assigned(tree: FunctionNode) -> set[str]:
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


def _names_in(target: ast.expr) -> list[str]:
    return [node.id for node in ast.walk(target) if isinstance(node, ast.Name)]


def _words(node: ast.AST) -> str:
    """A kind of syntax in words."""
    known = {"With": "with", "ClassDef": "a class", "AsyncFunctionDef": "async", "AsyncFor": "async", "Await": "await"}
    return known.get(type(node).__name__, type(node).__name__)
