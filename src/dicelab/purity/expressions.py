"""The abstract values of the expressions in rules."""

from __future__ import annotations

import ast
from types import EllipsisType, FunctionType

from dicelab.purity.library_calls import ORDER
from dicelab.purity.names import Names
from dicelab.purity.scope import words_for
from dicelab.purity.values import (
    GAME,
    INSTANCE,
    ITERATOR,
    MEMORY,
    PLAIN,
    STICKY,
    TEXT,
    Bound,
    Value,
    any_of,
    holding,
)

MADE = Value(frozenset([ITERATOR]))
"""The value of a generator, without its elements."""


class Expressions(Names):
    """Follows the expressions of a function."""

    def value(self, node: ast.AST) -> Value:
        """The abstract value of an expression."""
        handle = getattr(self, f"of_{type(node).__name__}", None)
        if handle is None:
            self.refuse(node, f"{words_for(node)} in a rule can't be followed")
        found: Value = handle(node)
        return found

    def of_Constant(self, node: ast.Constant) -> Value:
        return TEXT if isinstance(node.value, str | bytes | None | EllipsisType) else PLAIN

    # Operators -------------------------------------------------------------------------------------------------------

    def of_Subscript(self, node: ast.Subscript) -> Value:
        base = self.value(node.value)
        self.value(node.slice)
        return base.elements | Value(inside=base.inside)

    def of_Slice(self, node: ast.Slice) -> Value:
        self.values([node.lower, node.upper, node.step])
        return PLAIN

    def of_BinOp(self, node: ast.BinOp) -> Value:
        left, right = self.operand(node.left), self.operand(node.right)
        both = left | right
        parts = both.parts & (STICKY | {ITERATOR}) | (both.inside if self.analysis.operators else frozenset())
        if both.unordered and not isinstance(node.op, ast.BitOr | ast.BitAnd | ast.BitXor | ast.Sub):
            self.refuse(node, ORDER)
        if isinstance(node.op, ast.Mod) and left.text and any(not isinstance(one, type) for one in right.callables):
            self.refuse(node, "a function as text differs from run to run")
        return Value(parts, both.inside, both.held, both.held, both.text, both.unordered, both.holds_unordered)

    def operand(self, node: ast.expr) -> Value:
        """The value of an operand, which must not be the game or a memory."""
        value = self.value(node)
        if value.parts & {GAME, MEMORY}:
            self.refuse(node, "the game as a whole can't be an operand; write out the fields that are meant")
        return value

    def of_UnaryOp(self, node: ast.UnaryOp) -> Value:
        if isinstance(node.op, ast.Not):
            self.value(node.operand)
            return PLAIN
        value = self.operand(node.operand)
        return Value(value.inside, value.inside) if self.analysis.operators else PLAIN

    def of_Compare(self, node: ast.Compare) -> Value:
        for part in [node.left, *node.comparators]:
            self.operand(part)
        return PLAIN

    def of_BoolOp(self, node: ast.BoolOp) -> Value:
        return any_of(self.values(node.values))

    def of_IfExp(self, node: ast.IfExp) -> Value:
        self.value(node.test)
        return self.value(node.body) | self.value(node.orelse)

    def of_Tuple(self, node: ast.Tuple | ast.List | ast.Set) -> Value:
        return holding(*self.values(node.elts))

    of_List = of_Tuple

    def of_Set(self, node: ast.Set) -> Value:
        found = self.of_Tuple(node)
        return found | Value(unordered=found.text or bool(found.held))

    def of_Starred(self, node: ast.Starred) -> Value:
        return self.iterated(node.value)

    def iterated(self, node: ast.expr) -> Value:
        """The value of the elements of an expression that is iterated over."""
        value = self.value(node)
        if value.unordered:
            self.refuse(node, ORDER)
        return value.elements

    def assign_each(self, target: ast.expr, node: ast.expr) -> None:
        """Assign the elements of an expression that is iterated over; those of `enumerate` and `zip` one by one."""
        elements, parts = self.iterated(node), list[ast.expr | None]()
        if isinstance(node, ast.Call) and not any(isinstance(one, ast.Starred) for one in node.args):
            function = self.value(node.func).functions
            parts = list(node.args) if function == {zip} else [None, node.args[0]] if function == {enumerate} else []
        if not isinstance(target, ast.Tuple) or len(parts) != len(target.elts):
            self.assign(target, elements)
            return
        for one, part in zip(target.elts, parts, strict=True):
            if part is None:
                self.assign(one, PLAIN)
            elif isinstance(one, ast.Starred):
                self.assign(one, elements)
            else:
                self.assign_each(one, part)

    def of_Dict(self, node: ast.Dict) -> Value:
        return holding(*self.values(node.keys), *self.values(node.values))

    def of_JoinedStr(self, node: ast.JoinedStr) -> Value:
        self.values(node.values)
        return TEXT

    def of_FormattedValue(self, node: ast.FormattedValue) -> Value:
        value = self.value(node.value)
        self.values([node.format_spec])
        if value.everything & {GAME, MEMORY}:
            self.refuse(node, "the game as text differs from run to run; write out the fields that are meant")
        if value.unordered or value.holds_unordered:
            self.refuse(node, ORDER)
        if any(isinstance(one, FunctionType | Bound) or type(one).__name__ == "Local" for one in value.callables):
            self.refuse(node, "a function as text differs from run to run")
        if INSTANCE in value.everything:
            self.refuse(node, "an instance of a class as text may differ from run to run; write out what is meant")
        return TEXT

    def of_NamedExpr(self, node: ast.NamedExpr) -> Value:
        value = self.value(node.value)
        self.assign(node.target, value, node.value)
        return value

    def of_Yield(self, node: ast.Yield) -> Value:
        if node.value is not None:
            self.returned(holding(self.value(node.value)) | MADE)
        return PLAIN

    def of_YieldFrom(self, node: ast.YieldFrom) -> Value:
        value = self.value(node.value)
        self.returned(holding(value.elements) | MADE)
        return value

    def of_GeneratorExp(self, node: ast.GeneratorExp | ast.ListComp | ast.SetComp | ast.DictComp) -> Value:
        self.scopes.append(self.local.setdefault(node, {}))
        for generator in node.generators:
            for name in _names_in(generator.target):
                self.scopes[-1].setdefault(name, PLAIN)
            self.assign_each(generator.target, generator.iter)
            self.values(generator.ifs)
        made = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        found = holding(*self.values(made))
        self.scopes.pop()
        if isinstance(node, ast.GeneratorExp):
            found |= MADE
        return found | Value(unordered=found.text) if isinstance(node, ast.SetComp) else found

    of_ListComp = of_SetComp = of_DictComp = of_GeneratorExp

    def of_Lambda(self, node: ast.Lambda) -> Value:
        return self.made(node)


def _names_in(target: ast.expr) -> list[str]:
    return [node.id for node in ast.walk(target) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
