"""Arithmetic and comparisons with 64 bits, which notice what does not fit."""

from __future__ import annotations

import ast
from functools import reduce

from dicelab.engines.number_ranges import ANY, Interval, combined
from dicelab.engines.rewrite_names import REFUSED, named_as, shared
from dicelab.engines.rewrite_rows import Rows

NOTICING: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.FloorDiv: "quotient",
    ast.Mod: "remainder",
    ast.LShift: "shifted_left",
    ast.RShift: "shifted_right",
    ast.Pow: "power",
    ast.BitAnd: "both_bits",
    ast.BitOr: "either_bits",
    ast.BitXor: "unequal_bits",
}
"""Functions of `dicelab.engines.jit` that do what an operation does, and notice where 64 bits don't suffice."""


class Arithmetic(Rows):
    """Rewrites operations and comparisons."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        left, right = self.interval(node.left), self.interval(node.right)
        return self.operation(node.op, left, right, self.number(node.left), self.number(node.right))

    def number(self, node: ast.expr) -> ast.expr:
        """An operand; a yes or no as 1 or 0, because compiled operations would keep it a yes or no."""
        interval = self.interval(node)
        value: ast.expr = self.visit(node)
        if interval.low >= 0 and interval.high <= 1 and not isinstance(node, ast.Constant):
            return ast.Call(named_as("int"), [value], [])
        if isinstance(node, ast.Constant) and isinstance(node.value, bool):
            return ast.Constant(int(node.value))
        return value

    def operation(self, op: ast.operator, a: Interval, b: Interval, left: ast.expr, right: ast.expr) -> ast.expr:
        """An operation on whole numbers: as it stands where its result fits into 64 bits, else one that notices."""
        fits = combined(op, a, b).fits
        if isinstance(op, ast.RShift):
            fits = b.low >= 0 and b.high <= 63
        elif isinstance(op, ast.FloorDiv | ast.Mod):
            fits = a.low > -(2**63) or not b.low <= -1 <= b.high
        if fits:
            return ast.BinOp(left, op, right)
        return ast.Call(shared(NOTICING[type(op)]), [named_as("_g"), left, right], [])

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        if isinstance(node.op, ast.Not):
            self.generic_visit(node)
            return node
        low, value = self.interval(node.operand).low, self.number(node.operand)
        if isinstance(node.op, ast.USub) and low == ANY.low and not isinstance(node.operand, ast.Constant):
            return ast.Call(shared("sub"), [named_as("_g"), ast.Constant(0), value], [])
        return ast.UnaryOp(node.op, value)

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        if any(isinstance(op, ast.In | ast.NotIn) for op in node.ops):
            if len(node.ops) > 1:
                raise self.refuse(node, "in within a chain of comparisons; write them apart")
            row, wanted = self.row(node.comparators[0]), self.visit(node.left)
            if row is not None:
                found: ast.expr = ast.Call(shared("row_contains"), [row[1], wanted], [])
                return found if isinstance(node.ops[0], ast.In) else ast.UnaryOp(ast.Not(), found)
            return ast.Compare(wanted, node.ops, [self.sequence(node.comparators[0])])
        for op in node.ops:
            if type(op) in REFUSED:
                raise self.refuse(node, REFUSED[type(op)])
        self.generic_visit(node)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        """Comparisons that can't go wrong are made together, without a branch."""
        simple = all(isinstance(value, ast.Compare) and len(value.ops) == 1 for value in node.values) and not any(
            isinstance(part, ast.Subscript | ast.Call | ast.BinOp | ast.In | ast.NotIn)
            for value in node.values[1:]
            for part in ast.walk(value)
        )
        self.generic_visit(node)
        if not simple:
            return node
        both = ast.BitAnd() if isinstance(node.op, ast.And) else ast.BitOr()
        return reduce(lambda left, right: ast.BinOp(left, both, right), node.values)
