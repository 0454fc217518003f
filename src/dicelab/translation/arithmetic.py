"""Rewrites arithmetic and comparisons, with checks for overflow of 64 bits where needed.

In Python a truth value is the number 1 or 0, and ``~(a > b)`` is -1 or -2. Numba has a separate type for truth values,
with other rules. So wherever a rule may calculate with a truth value, store it or pass it on, it becomes a number here;
only in tests (`Arithmetic.test`) it stays a truth value of Numba.
"""

from __future__ import annotations

import ast
from functools import reduce

from dicelab.translation.folding import folded
from dicelab.translation.intervals import ANY, Interval, combined
from dicelab.translation.kinds import TEXT, may_be_none
from dicelab.translation.names import REFUSED, named_as, noting, shared
from dicelab.translation.rows import Rows

NOTICING: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.FloorDiv: "quotient",
    ast.Mod: "remainder",
    ast.LShift: "shifted_left",
    ast.RShift: "shifted_right",
    ast.Pow: "power",
}
"""For each operation, the function of `dicelab.compile.kernels.rule_support` that also checks for overflow."""


def is_yes_no(node: ast.AST) -> bool:
    """Return whether a rewritten expression is a truth value of Numba."""
    if isinstance(node, ast.BoolOp):
        return all(map(is_yes_no, node.values))
    return isinstance(node, ast.Compare) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not))


class Arithmetic(Rows):
    """Rewrites operations, comparisons and tests."""

    def folded(self, node: ast.AST) -> int | None:
        """Return the value of a constant expression; None if it isn't constant."""
        return folded(node, self.named)

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        value = self.folded(node)
        if value is not None:
            return self.number(value, node, ast.unparse(node))
        left, right = self.interval(node.left), self.interval(node.right)
        return self.operation(node.op, left, right, self.operand(node.left), self.operand(node.right))

    def operand(self, node: ast.expr) -> ast.expr:
        """Return an operand, rewritten; what may be a tuple is wrapped in ``int``, which makes Numba refuse tuples."""
        if isinstance(node, ast.Tuple):
            raise self.refuse(node, "arithmetic with a tuple; name each value")
        value: ast.expr = self.visit(node)
        may_be_tuple = isinstance(node, ast.Name | ast.Call | ast.Subscript | ast.IfExp | ast.BoolOp)
        return ast.Call(named_as("int"), [value], []) if may_be_tuple else value

    def operation(self, op: ast.operator, a: Interval, b: Interval, left: ast.expr, right: ast.expr) -> ast.expr:
        """Return an operation on whole numbers: plain if its result fits into 64 bits, checked for
        overflow otherwise.
        """
        fits = combined(op, a, b).fits
        if isinstance(op, ast.BitAnd | ast.BitOr | ast.BitXor):
            fits = True  # bitwise results of two 64-bit numbers have 64 bits
        elif isinstance(op, ast.RShift):
            fits = b.low >= 0 and b.high <= 63
        elif isinstance(op, ast.LShift | ast.Pow):  # the second operand has limits, too
            fits = fits and b.low >= 0 and b.high <= 62
        elif isinstance(op, ast.FloorDiv | ast.Mod):
            fits = a.low > -(2**63) or not b.low <= -1 <= b.high
        if fits:
            return ast.BinOp(left, op, right)
        return noting(NOTICING[type(op)], left, right)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        if isinstance(node.op, ast.Not):
            return as_number(self.test(node))
        known = self.folded(node)
        if known is not None:
            return self.number(known, node, ast.unparse(node))
        low, value = self.interval(node.operand).low, self.operand(node.operand)
        if isinstance(node.op, ast.USub) and low == ANY.low:
            return noting("sub", ast.Constant(0), value)
        return ast.UnaryOp(node.op, value)

    def test(self, node: ast.expr) -> ast.expr:
        """Return an expression in a place where only its truth matters."""
        match node:
            case ast.Compare():
                return self.comparison(node)
            case ast.UnaryOp(op=ast.Not()):
                return ast.UnaryOp(ast.Not(), self.test(node.operand))
            case ast.BoolOp():
                return self.tests(node)
            case ast.Call(args=[argument], keywords=[]) if self.is_builtin(node, "bool"):
                return self.test(argument)
            case ast.Attribute() if self.is_flag(node):
                return ast.Compare(self.visit(node), [ast.NotEq()], [ast.Constant(0)])
        found: ast.expr = self.visit(node)
        return found

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        return ast.IfExp(self.test(node.test), self.visit(node.body), self.visit(node.orelse))

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        return as_number(self.comparison(node))

    def comparison(self, node: ast.Compare) -> ast.expr:
        """Return a comparison as a truth value of Numba."""
        if any(isinstance(op, ast.In | ast.NotIn) for op in node.ops):
            if len(node.ops) > 1:
                raise self.refuse(node, "in within a chain of comparisons; write them apart")
            if self.members(node.comparators[0]) is not None:
                raise self.refuse(node, "in of an IntEnum; name its members: in (Move.ROLL, Move.HOLD)")
            row, wanted = self.row(node.comparators[0]), self.visit(node.left)
            if row is not None:
                found: ast.expr = ast.Call(shared("row_contains"), [row[1], wanted], [])
                return ast.Compare(found, [ast.Eq()], [ast.Constant(isinstance(node.ops[0], ast.In))])
            return ast.Compare(wanted, node.ops, [self.sequence(node.comparators[0])])
        for op in node.ops:
            if type(op) in REFUSED:
                raise self.refuse(node, REFUSED[type(op)])
        return ast.Compare(self.visit(node.left), node.ops, [self.visit(value) for value in node.comparators])

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        """Rewrite ``a and b``, which is one of its operands; if all of them are truth values, the result is a number 1
        or 0.
        """
        text = next((value for value in node.values[:-1] if self.kinds.of(value) == TEXT), None)
        if text is not None:
            raise self.refuse(text, "a text as a condition; compare it with ==")
        tests = self.tests(node) if all(map(self.says_yes_no, node.values)) else None
        return as_number(tests) if tests is not None else ast.BoolOp(node.op, [self.visit(v) for v in node.values])

    def says_yes_no(self, node: ast.expr) -> bool:
        """Return whether an expression of a rule is a truth value: a comparison, flag, ``not``, or a combination of
        these.
        """
        if isinstance(node, ast.BoolOp):
            return all(map(self.says_yes_no, node.values))
        return is_yes_no(node) or self.is_flag(node)

    def tests(self, node: ast.BoolOp) -> ast.expr:
        """Return a combination of tests; simple comparisons, which can't fail, are combined by & and |, without
        branches.
        """
        simple = all(isinstance(value, ast.Compare) and len(value.ops) == 1 for value in node.values) and not any(
            isinstance(part, ast.Subscript | ast.Call | ast.BinOp | ast.In | ast.NotIn | ast.NamedExpr)
            or (isinstance(part, ast.Name) and (part.id in self.unset or may_be_none(self.kinds.raw(part))))
            for value in node.values[1:]
            for part in ast.walk(value)
        )
        values = [self.test(value) for value in node.values]
        if not simple:
            return ast.BoolOp(node.op, values)
        both = ast.BitAnd() if isinstance(node.op, ast.And) else ast.BitOr()
        return reduce(lambda left, right: ast.BinOp(left, both, right), values)


def as_number(test: ast.expr) -> ast.expr:
    """Return a truth value of Numba as the number 1 or 0."""
    return ast.Call(named_as("int"), [test], [])
