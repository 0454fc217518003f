"""Rewrites arithmetic and comparisons, with checks for overflow of 64 bits where needed.

Also indexing and iteration of rows, tuples and sorted numbers.

In Python a truth value is the number 1 or 0, and ``~(a > b)`` is -1 or -2. Numba has a separate type for truth values,
with other rules. So wherever a rule may calculate with a truth value, store it or pass it on, it becomes a number here;
only in tests (`Arithmetic.test`) it stays a truth value of Numba.
"""

from __future__ import annotations

import ast
from functools import reduce

from dicelab.translation.infer.kinds import TEXT, Tup, may_be_none
from dicelab.translation.intervals import ANY, NumberInterval, combined, folded
from dicelab.translation.rewrite.names import REFUSED, Names, local_name, named_as, noting, shared, size_of
from dicelab.translation.translator import RuleRow

TABLE = 16
"""Length from which on a tuple of whole numbers becomes an array where it is indexed; a literal tuple would be slow."""
MOST_SORTED = 8
"""Limit on the numbers that ``sorted`` takes."""


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


class Arithmetic(Names):
    """Rewrites operations, comparisons and tests; indexing, and sequences whose numbers are used one by one."""

    def sequence(self, node: ast.expr) -> ast.expr:
        """Return a sequence whose numbers are used one by one: a row, a tuple, a list display, sorted numbers."""
        row = self.row(node)
        if row is not None:
            self.must_be_line(node)
            return row[1]
        if isinstance(node, ast.List) and node.elts:
            return self.sequence(ast.copy_location(ast.Tuple(node.elts, ast.Load()), node))
        members = self.members(node)
        if members is not None:
            return self.literal(members, node, "an IntEnum")
        if isinstance(node, ast.Name) and node.id in self.sorted:
            return self.variable(node.id)
        if self.is_builtin(node, "sorted"):
            assert isinstance(node, ast.Call)
            return self.in_order(node)[0]
        if self.is_builtin(node, "enumerate") or self.is_builtin(node, "zip"):
            assert isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
            if node.keywords or not node.args:
                raise self.refuse(node, f"{node.func.id} with other arguments than can be compiled")
            return ast.Call(named_as(node.func.id), [self.sequence(argument) for argument in node.args], [])
        rewritten: ast.expr = self.visit(node)
        return rewritten

    def in_order(self, node: ast.Call) -> tuple[ast.expr, int]:
        """Translate ``sorted(...)`` of a few numbers as a tuple, and their number."""
        down = False
        for keyword in node.keywords:
            if keyword.arg != "reverse" or not isinstance(keyword.value, ast.Constant):
                raise self.refuse(node, "sorted with a key; sort numbers")
            down = bool(keyword.value.value)
        if len(node.args) != 1:
            raise self.refuse(node, "sorted with other than one argument")
        numbers = self.numbers_of(node.args[0])
        if not 1 <= len(numbers) <= MOST_SORTED:
            raise self.refuse(node, f"sorted of {len(numbers)} numbers; up to {MOST_SORTED} can be compiled")
        return ast.Call(named_as(self.owner.sorting(len(numbers), down)), numbers, []), len(numbers)

    def numbers_of(self, node: ast.expr) -> list[ast.expr]:
        """Return the expressions for the numbers of a tuple, a list, or a row of fixed length."""
        if isinstance(node, ast.Tuple | ast.List):
            return [self.visit(element) for element in node.elts]
        row = self.row(node)
        kind = self.kinds.of(node)
        constant = isinstance(node, ast.Name) and isinstance(self.named(node.id), tuple)
        if isinstance(kind, Tup) and row is None and not constant:
            made = self.visit(node)
            return [ast.Subscript(made, ast.Constant(i), ast.Load()) for i in range(len(kind.items))]
        length: object = None
        values = self.named(node.id) if isinstance(node, ast.Name) else None
        if isinstance(values, tuple):
            written = self.literal(values, node, str(getattr(node, "id", "")))
            return list(getattr(written, "elts", []))
        if row is not None:
            length = self.kinds.faces_seen() if row[0].field is None else row[0].field.length
        if row is None or not isinstance(length, int):
            raise self.refuse(node, "sorted of something whose length is not fixed; sort a tuple: sorted((a, b, c))")
        return [
            ast.Subscript(row[1], ast.Call(shared("unsigned"), [ast.Constant(i)], []), ast.Load())
            for i in range(length)
        ]

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """Return one number of a row or a tuple; an index outside it is recorded as an error, and the first number is
        used.
        """
        if isinstance(node.slice, ast.Slice):
            raise self.refuse(node, REFUSED[ast.Slice])
        if self.is_grid(node.value):
            raise self.refuse(node, "a row of rows as a whole; use its numbers: self.board[i][j]")
        row, table = self.row(node.value), self.table(node)
        if row is not None and isinstance(node.value, ast.Subscript):  # one number of a Grid
            grid = self.row(node.value.value)
            assert grid is not None
            return ast.Subscript(grid[1], self.cell_at(node.value, grid[0], grid[1], node.slice), node.ctx)
        if table is not None or row is not None:
            base = row[1] if row is not None else named_as(str(table))
            return ast.Subscript(base, self.index(row[0] if row else None, base, node.slice), node.ctx)
        if isinstance(node.value, ast.Name) and node.value.id in self.sorted:
            return self.of_sorted(named_as(local_name(node.value.id)), self.sorted[node.value.id], node)
        if self.is_builtin(node.value, "sorted"):
            assert isinstance(node.value, ast.Call)
            return self.of_sorted(*self.in_order(node.value), node)
        if not isinstance(node.ctx, ast.Load):
            raise self.refuse(node, "a number of something other than a row that is set")
        self.generic_visit(node)
        return node

    def index(self, row: RuleRow | None, base: ast.expr, wanted: ast.expr) -> ast.expr:
        """Return an index, checked; negative indices count from the end except in rows of the game and of memories."""
        how = "at" if row is not None and row.field is not None else "nth"
        return noting(how, self.own(row, self.visit(wanted)), size_of(base))

    def cell_at(self, line: ast.Subscript, grid: RuleRow, base: ast.expr, wanted: ast.expr) -> ast.expr:
        """Return the index of one number of a `Grid`, checked."""
        return noting(
            "cell", self.own(grid, self.visit(line.slice)), self.visit(wanted), size_of(base), self.columns(grid)
        )

    def of_sorted(self, base: ast.expr, length: int, node: ast.Subscript) -> ast.expr:
        if not isinstance(node.ctx, ast.Load):
            raise self.refuse(node, "a sorted list that is changed")
        index = noting("nth", self.visit(node.slice), ast.Constant(length))
        return ast.Subscript(base, index, ast.Load())

    def table(self, node: ast.Subscript) -> str | None:
        """Return the name of the array for a long tuple of the file that is indexed; None for anything else."""
        values = self.named(node.value.id) if isinstance(node.value, ast.Name) else self.constant_of(node.value)
        if not isinstance(values, tuple) or len(values) < TABLE or not all(type(value) is int for value in values):
            return None
        if any(not -(2**63) < value < 2**63 for value in values):
            raise self.refuse(node, f"{ast.unparse(node.value)}, which has a number of more than 64 bits")
        return self.owner.table(values)

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

    def operation(
        self, op: ast.operator, a: NumberInterval, b: NumberInterval, left: ast.expr, right: ast.expr
    ) -> ast.expr:
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
        rewritten: ast.expr = self.visit(node)
        return rewritten

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
                rewritten: ast.expr = ast.Call(shared("row_contains"), [row[1], wanted], [])
                return ast.Compare(rewritten, [ast.Eq()], [ast.Constant(isinstance(node.ops[0], ast.In))])
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
