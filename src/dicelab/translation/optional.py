"""Rewrites values that may be None, which `LEAST` stands for in place of their first number."""

from __future__ import annotations

import ast
from typing import Any

from dicelab.translation.kinds import TEXT, Opt, Tup, joined, may_be_none, stripped
from dicelab.translation.lazy import touched
from dicelab.translation.list_comparisons import ListComparisons
from dicelab.translation.names import named_as, noting, shared


class Optional(ListComparisons):
    """Rewrites values that may be None: where one is needed, None is recorded as an error."""

    def something(self, node: ast.expr, kind: Any) -> ast.expr:
        """Return a value that may be None, in a place where it must not be: None is recorded as an error."""
        made = self.maybe(node, kind)
        if isinstance(stripped(kind), Tup):
            return noting("some_tuple", first_of(made, stripped(kind)), made)
        return noting("some_number", made)

    def maybe(self, node: ast.expr, kind: Any) -> ast.expr:
        """Return a value, or None, for a place of a kind that may be None."""
        found = self.kinds.raw(node)
        if is_none_constant(node):
            return none_of(kind)
        if isinstance(node, ast.IfExp):
            return ast.IfExp(self.test(node.test), self.maybe(node.body, kind), self.maybe(node.orelse, kind))
        if isinstance(node, ast.BoolOp) and may_be_none(found):
            return self.chosen_value(node, kind)
        if may_be_none(found):
            if self.kinds.is_procedure(node):
                raise self.refuse(node, "what a function returns that returns nothing")
            made: ast.expr = super().visit(node)
            return made
        if not isinstance(stripped(kind), Tup) and self.interval(node).low <= -(2**63):
            raise self.refuse(node, "a number that may be of 64 bits where None may be, too")
        if isinstance(stripped(kind), Tup):
            whole: ast.expr = self.visit(node)
            return whole
        return ast.Call(named_as("int"), [self.visit(node)], [])

    def chosen_value(self, node: ast.BoolOp, kind: Any) -> ast.expr:
        """Rewrite ``a or b`` where a part may be None."""
        first, rest = node.values[0], node.values[1:]
        if not isinstance(first, ast.Name | ast.Attribute) and touched([first], self.kinds, self.owner.kinds).changes:
            raise self.refuse(node, "and, or of a value that may be None; give it a name on a line of its own")
        later = rest[0] if len(rest) == 1 else ast.copy_location(ast.BoolOp(node.op, rest), node)
        values = [self.maybe(first, kind), self.maybe(later, kind) if may_be_none(kind) else self.visit(later)]
        values = values if isinstance(node.op, ast.Or) else values[::-1]
        return ast.IfExp(self.test(first), *values)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        if any(may_be_none(self.kinds.raw(value)) for value in node.values):
            return self.chosen_value(node, self.kinds.raw(node))
        return super().visit_BoolOp(node)

    def compared_with_none(self, node: ast.Compare) -> ast.expr | None:
        """``x is None``, ``x == None`` and comparisons of values that may be None; None for any other comparison."""
        if len(node.ops) != 1 or not isinstance(node.ops[0], ast.Is | ast.IsNot | ast.Eq | ast.NotEq):
            return None
        op = ast.Eq() if isinstance(node.ops[0], ast.Is | ast.Eq) else ast.NotEq()
        sides = [node.left, node.comparators[0]]
        nones = [side for side in sides if is_none_constant(side)]
        if nones:
            other = next((side for side in sides if not is_none_constant(side)), None)
            if other is None:
                return ast.Constant(isinstance(op, ast.Eq))
            kind = self.kinds.raw(other)
            if may_be_none(kind):
                made = self.maybe(other, kind)
                return ast.Compare(first_of(made, stripped(kind)), [op], [shared("LEAST")])
            if isinstance(other, ast.Name | ast.Attribute):
                return ast.Constant(isinstance(op, ast.NotEq))
            raise self.refuse(node, "a comparison with None of what is never None")
        if isinstance(node.ops[0], ast.Is | ast.IsNot):
            return None
        kinds = [self.kinds.raw(side) for side in sides]
        if not any(map(may_be_none, kinds)):
            return None
        kind = joined(*kinds)
        if not isinstance(kind, Opt):
            raise self.refuse(node, "a comparison of values of two kinds")
        return ast.Compare(self.maybe(sides[0], kind), [op], [self.maybe(sides[1], kind)])

    def comparison(self, node: ast.Compare) -> ast.expr:
        found = self.compared_with_none(node)
        return found if found is not None else super().comparison(node)

    def truth_of_optional(self, node: ast.expr) -> ast.expr | None:
        """Return whether a value that may be None is true; None for any other value."""
        kind = self.kinds.raw(node)
        if not may_be_none(kind) or isinstance(node, ast.BoolOp | ast.IfExp | ast.NamedExpr):
            return None
        made, inside = self.maybe(node, kind), stripped(kind)
        if isinstance(inside, Tup):
            return ast.Compare(first_of(made, inside), [ast.NotEq()], [shared("LEAST")])
        return None if inside == TEXT else ast.Call(shared("is_true"), [made], [])


def is_none_constant(node: ast.AST) -> bool:
    """Return whether an expression is ``None``."""
    return isinstance(node, ast.Constant) and node.value is None


def none_of(kind: Any) -> ast.expr:
    """Return what stands for None in a place of a kind: `LEAST` in place of the first number."""
    inside = stripped(kind)
    if not isinstance(inside, Tup):
        return shared("LEAST")
    rest: list[ast.expr] = [_zeros(item) for item in inside.items[1:]]
    return ast.Tuple([none_of(inside.items[0]), *rest], ast.Load())


def _zeros(kind: Any) -> ast.expr:
    return ast.Tuple([_zeros(item) for item in kind.items], ast.Load()) if isinstance(kind, Tup) else ast.Constant(0)


def first_of(made: ast.expr, kind: Any) -> ast.expr:
    """Return the first number of a rewritten value."""
    while isinstance(kind, Tup):
        made, kind = ast.Subscript(made, ast.Constant(0), ast.Load()), kind.items[0]
    return made
