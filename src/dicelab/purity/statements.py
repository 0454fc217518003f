"""The effects of the statements in rules: changes of the state, tallies counted, changes of a memory."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable
from inspect import getattr_static
from typing import NoReturn

from dicelab.purity import library
from dicelab.purity.expressions import Expressions
from dicelab.purity.library_calls import ORDER, what_is_put
from dicelab.purity.names import counting
from dicelab.purity.scope import COUNT, REMEMBER, STATE, words_for
from dicelab.purity.values import (
    GAME,
    GRID,
    INSTANCE,
    ITERATOR,
    MEMORY,
    MEMORY_ROW,
    OWN,
    PLAIN,
    ROW,
    SHARED,
    STICKY,
    Foreign,
    Value,
    holding,
)
from dicelab.rules.fields import Flag, Grid, Int, Ints, Peak, Tally
from dicelab.rules.params import Param


class Statements(Expressions):
    """Follows the statements of a function."""

    def statement(self, node: ast.AST) -> None:
        """Follow one statement."""
        handle = getattr(self, f"do_{type(node).__name__}", None)
        if handle is None:
            self.refuse(node, f"{words_for(node)} in a rule can't be followed")
        handle(node)

    def block(self, statements: Iterable[ast.stmt]) -> None:
        for statement in statements:
            self.statement(statement)

    def nothing(self, node: ast.AST) -> None:
        """Follow a statement that has no effect by itself."""

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
        self.assign_each(node.target, node.iter)
        self.block(node.body)
        self.block(node.orelse)

    def do_Assert(self, node: ast.Assert) -> None:
        self.values(filter(None, [node.test, node.msg]))

    def do_Raise(self, node: ast.Raise) -> None:
        for value in self.values([node.exc, node.cause]):
            if value.everything - STICKY - {ITERATOR} or value.held:
                self.refuse(node, "part of the game is put into an exception, where it can't be followed")
            for kind in value.functions:
                reason = self.analysis.class_refusal(kind) if isinstance(kind, type) else ""
                if reason and not library.is_of_library(kind):
                    self.refuse(node, f"this is {reason}")

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
        if subject.everything & {GAME, MEMORY}:
            self.refuse(node, "the game as a whole is matched; match the fields that are meant")
        if subject.unordered:
            self.refuse(node, ORDER)
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
        for name in node.names:
            if any(name in scope for scope in self.scopes[:-1]):
                continue
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
            if value.inside - {ITERATOR} or value.held:
                self.refuse(node, f"part of the game is put into {node.target.id}, where it can't be followed")
            if value.unordered and isinstance(node.op, ast.Add):
                self.refuse(node, ORDER)
            added = Value(inside=value.inside, text=value.text, unordered=value.unordered)
            self.learn(self.scope_of(node.target.id), node.target.id, added)
        self.assign(node.target, PLAIN if isinstance(node.target, ast.Attribute) else old, node.value)

    def assign(self, target: ast.expr, value: Value, written: ast.expr | None = None) -> None:
        """Assign a value to a target; `written` is its expression, if there is one."""
        if isinstance(target, ast.Name):
            self.learn(self.scope_of(target.id), target.id, value)
        elif isinstance(target, ast.Tuple | ast.List):
            if value.unordered:
                self.refuse(target, ORDER)
            parts = written.elts if isinstance(written, ast.Tuple | ast.List) else []
            one_by_one = len(parts) == len(target.elts) and not any(isinstance(p, ast.Starred) for p in parts)
            for i, element in enumerate(target.elts):
                self.assign(element, self.value(parts[i]) if one_by_one else value.elements)
        elif isinstance(target, ast.Starred):
            self.assign(target.value, holding(value))
        elif isinstance(target, ast.Attribute):
            self.assign_field(target, value)
        elif isinstance(target, ast.Subscript):
            self.assign_element(target, value)

    def assign_field(self, target: ast.Attribute, value: Value) -> None:
        base = self.value(target.value)
        if GAME in base.parts:
            declared = getattr_static(self.game, target.attr, None)
            if isinstance(declared, Tally):
                self.refuse(target, f"the tally {target.attr} is set; {counting(declared)}")
            if isinstance(declared, Ints):
                at = "[i][j]" if isinstance(declared, Grid) else "[i]"
                self.refuse(
                    target, f"{target.attr} is a row; set its values one at a time: self.{target.attr}{at} = ..."
                )
            if isinstance(declared, Param):
                self.refuse(target, f"{target.attr} is a parameter; rules can't change it")
            if not isinstance(declared, Int | Flag):
                self.refuse(target, f"self.{target.attr} is set, but not declared; declare it as Int, Ints or Flag")
            self.does(STATE, target.attr, target)
        elif MEMORY in base.parts:
            if not isinstance(getattr_static(self.analysis.memory, target.attr, None), Int | Flag):
                self.refuse(target, f"the memory has no number {target.attr}; declare it as Int or Flag in its class")
            self.does(REMEMBER, target.attr, target)
        elif base.parts and base.parts <= {INSTANCE} and not base.functions:
            if value.unordered:
                self.refuse(target, ORDER)
            if ITERATOR in value.everything:
                self.refuse(
                    target, f"an iterator or a defaultdict is put into .{target.attr}, where it can't be followed"
                )
            if value.everything - {INSTANCE} or value.callables:
                self.refuse(target, f"{what_is_put(value)} put into .{target.attr}, where it can't be followed")
        else:
            self.refuse(target, f".{target.attr} of something other than the game is set, which can't be followed")

    def assign_element(self, target: ast.Subscript, value: Value) -> None:
        base = self.value(target.value)
        self.value(target.slice)
        for kind, name in sorted(base.parts):
            if kind == GRID:
                self.refuse(target, f"{name} is a row of rows; set its values one at a time: self.{name}[i][j] = ...")
            if kind == ROW:
                self.does(STATE, name, target)
            elif kind == MEMORY_ROW:
                self.does(REMEMBER, name, target)
            elif (kind, name) not in OWN:
                self.refuse(target, "this changes something that outlives the game; declare what changes as a field")
        if any(isinstance(one, Foreign) for one in base.functions):
            self.refuse(target, "this changes something that outlives the game; declare what changes as a field")
        if value.unordered and isinstance(target.slice, ast.Slice):
            self.refuse(target, ORDER)
        self.keep(target.value, value)
        if value.everything - {SHARED} - OWN and not base.parts - {ITERATOR}:
            self.refuse(target, "part of the game is put into a container, where it can't be followed")
        if any(not isinstance(one, type) for one in value.callables):
            self.refuse(target, "a function is put into a container, where it can't be followed")

    def do_Delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            base = self.value(target.value) if isinstance(target, ast.Subscript) else PLAIN
            if isinstance(target, ast.Subscript) and not (base.parts - {ITERATOR}) | base.functions:
                self.value(target.slice)
            elif not isinstance(target, ast.Name):
                self.refuse(node, "del of part of the game; fields stay, only their values change")

    def raises_peak(self, target: ast.expr, value: ast.expr) -> bool:
        """Whether this is ``self.best = max(self.best, ...)`` for a `Peak`: only there may a tally be read."""
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
        """The tally that an expression refers to; None if it refers to none."""
        if isinstance(node, ast.Attribute) and GAME in self.value(node.value).parts:
            declared = getattr_static(self.game, node.attr, None)
            return declared if isinstance(declared, Tally) else None
        return None
