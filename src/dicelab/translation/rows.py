"""Rewrites uses of rows, tuples and sorted numbers: indexing, and iteration."""

from __future__ import annotations

import ast

from dicelab.translation.kinds import Tup
from dicelab.translation.names import REFUSED, Names, local_name, named_as, noting, shared, size_of
from dicelab.translation.translator import Row

TABLE = 16
"""Length from which on a tuple of whole numbers becomes an array where it is indexed; a literal tuple would be slow."""
MOST_SORTED = 8
"""Limit on the numbers that ``sorted`` takes."""


class Rows(Names):
    """Rewrites indexing and sequences."""

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
        found: ast.expr = self.visit(node)
        return found

    def in_order(self, node: ast.Call) -> tuple[ast.expr, int]:
        """``sorted(...)`` of a few numbers as a tuple, and their number."""
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

    def index(self, row: Row | None, base: ast.expr, wanted: ast.expr) -> ast.expr:
        """Return an index, checked; negative indices count from the end except in rows of the game and of memories."""
        how = "at" if row is not None and row.field is not None else "nth"
        return noting(how, self.own(row, self.visit(wanted)), size_of(base))

    def cell_at(self, line: ast.Subscript, grid: Row, base: ast.expr, wanted: ast.expr) -> ast.expr:
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
