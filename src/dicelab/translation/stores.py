"""Rewrites assignments to variables, fields, rows and tallies, with range checks where interval analysis needs them."""

from __future__ import annotations

import ast
from copy import copy
from typing import Any

from dicelab.rules.fields import MOST_COUNTED, Capped, Field, Flag, Int, Peak, Tally
from dicelab.rules.params import Param, reach_of
from dicelab.translation.arithmetic import NOTICING
from dicelab.translation.calls import Calls
from dicelab.translation.intervals import Interval, combined, is_small_step
from dicelab.translation.names import REFUSED, assigned, local_name, named_as, noting, slot_of, tallied
from dicelab.translation.translator import ReadsTally, Row, memory_name


class Stores(Calls):
    """Rewrites assignments."""

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt | list[ast.stmt]:
        if node.value is None:
            return ast.Pass()
        return self.visit_Assign(ast.copy_location(ast.Assign([node.target], node.value), node))

    def visit_Assign(self, node: ast.Assign) -> ast.stmt | list[ast.stmt]:
        raised = self.raised(node)
        if raised is not None:
            return raised
        if len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            return self.assign_name(node.targets[0].id, node)
        interval = self.interval(node.value)
        if len(node.targets) == 1 and not isinstance(node.targets[0], ast.Tuple):
            return self.store(node.targets[0], interval, self.sequence(node.value))
        if all(only_names(target) for target in node.targets):
            return ast.Assign([self.visit(t) for t in node.targets], self.sequence(node.value), lineno=node.lineno)
        value, found = self.temporary(), list[ast.stmt]()
        found.append(assigned(value, self.sequence(node.value)))
        for target in node.targets:
            found += self.unpack(target, interval, named_as(value))
        return found

    def assign_name(self, name: str, node: ast.Assign) -> ast.stmt:
        """An assignment to a variable: of a number, a tuple, a row (an alias), or sorted numbers."""
        row = self.row(node.value)
        if row is None and not self.is_builtin(node.value, "sorted"):
            self.visit(node.targets[0])
            return assigned(local_name(name), self.visit(node.value))
        if name in self.unset:
            raise self.refuse(node, f"{name}, a row or sorted numbers, where it may have no value; write self.row[i]")
        if self.bound.get(name) != 1:
            raise self.refuse(node, f"{name} for a row, or sorted numbers, and for something else; use two names")
        if row is not None and isinstance(node.value, ast.Subscript):  # a row of a Grid, by a number that may change
            self.rows[name] = row[0], named_as(local_name(name))
            return assigned(local_name(name), row[1])
        if row is not None:
            self.must_be_line(node.value)
            self.rows[name] = row
            return ast.Pass()
        assert isinstance(node.value, ast.Call)
        value, self.sorted[name] = self.in_order(node.value)
        return assigned(local_name(name), value)

    def unpack(self, target: ast.expr, interval: Interval, value: ast.expr) -> list[ast.stmt]:
        """An assignment to a target, which may be a tuple of targets, from a temporary variable."""
        if not isinstance(target, ast.Tuple):
            return self.store(target, interval, value)
        names = [self.temporary() for _ in target.elts]
        found: list[ast.stmt] = [
            ast.Assign([ast.Tuple([ast.Name(n, ast.Store()) for n in names], ast.Store())], value, lineno=target.lineno)
        ]
        for element, name in zip(target.elts, names, strict=True):
            found += self.unpack(element, interval, named_as(name))
        return found

    def store(self, target: ast.expr, interval: Interval, value: ast.expr) -> list[ast.stmt]:
        """An assignment of a rewritten value to a variable, a field, or a number of a row."""
        if isinstance(target, ast.Name):
            return [assigned(local_name(target.id), value)]
        if isinstance(target, ast.Attribute):
            declared, cell, limits = self.cell(target)
            return [ast.Assign([cell], self.checked(declared, limits, interval, value, cell), lineno=target.lineno)]
        if isinstance(target, ast.Subscript):
            new, at = self.temporary(), self.temporary()
            row, base, index = self.row_to_change(target)
            cell = ast.Subscript(base, named_as(at), ast.Store())
            return [
                assigned(new, value),
                assigned(at, index),
                ast.Assign(
                    [cell], self.checked(row.field, row.limits, interval, named_as(new), cell), lineno=target.lineno
                ),
            ]
        raise self.refuse(target, "a target that can't be compiled")

    def cell(self, target: ast.Attribute) -> tuple[Field, ast.expr, str]:
        """The single field that is assigned to: its declaration, its cell in the kernel, and the name of its limits."""
        if self.is_memory(target.value) and self.strategy is not None:
            kept, cell = self.memory_cell(target)
            return kept, ast.Subscript(cell.value, cell.slice, ast.Store()), memory_name(self.strategy, target.attr)
        if not self.is_game(target.value):
            raise self.refuse(target, f".{target.attr}, which can't be compiled")
        declared: Any = getattr(self.cls, target.attr, None)
        if self.role == "strategy" or isinstance(declared, Param):
            raise self.refuse(
                target, f"{self.game_name}.{target.attr} = ...; a strategy only reads, and parameters stay as they are"
            )
        if isinstance(declared, Tally):
            raise ReadsTally(str(self.refuse(target, f"the tally {target.attr} other than by += or, for a Peak, max")))
        if not isinstance(declared, Int | Flag):
            raise self.refuse(target, f"self.{target.attr}, which is not declared as a number")
        return declared, slot_of(target.attr, ast.Store()), target.attr

    def row_to_change(self, target: ast.Subscript) -> tuple[Row, ast.expr, ast.expr]:
        """The row in which one number is set, the expression for it in a kernel, and the index of that number."""
        of_grid = isinstance(target.value, ast.Subscript) and self.is_grid(target.value.value)
        row = self.row(target.value.value if of_grid and isinstance(target.value, ast.Subscript) else target.value)
        if isinstance(target.slice, ast.Slice):
            raise self.refuse(target, REFUSED[ast.Slice])
        if row is None or row[0].field is None or (self.role == "strategy" and not row[0].limits.startswith("_m")):
            raise self.refuse(target, "a number of something other than a row that is set")
        self.must_be_line(target.value)
        if of_grid and isinstance(target.value, ast.Subscript):
            return *row, self.cell_at(target.value, *row, target.slice)
        return *row, self.index(*row, target.slice)

    def checked(
        self, declared: Field | None, limits: str, interval: Interval, value: ast.expr, cell: ast.expr, step: int = 0
    ) -> ast.expr:
        """A value to be stored, with the range checks that interval analysis can't make unnecessary.

        `step` is 1 if the value is at least the old one, -1 if it is at most the old one, and 0 if neither is known:
        the old value is in its range, so one bound needs no check.
        """
        assert declared is not None
        low_enough = reach_of(declared.low)[1] <= interval.low or step > 0
        high_enough = interval.high <= reach_of(declared.high)[0] or step < 0
        ends: list[ast.expr] = [
            ast.Constant(size) if isinstance(size, int) else slot_of(f"_{end}_{limits}", ast.Load())
            for end, size in (("low", declared.low), ("high", declared.high))
        ]
        if isinstance(declared, Capped):
            value = ast.Call(named_as("min"), [value, ends[1]], [])
        if declared.grows:
            old = copy(cell)
            old.ctx = ast.Load()  # type: ignore[attr-defined]
            return noting("growing", value, old, *ends)
        if low_enough and high_enough:
            return value
        if interval.most > MOST_COUNTED:
            return noting("within", value, *ends)
        how = "at_most" if low_enough else "at_least" if high_enough else "between"
        limits_of = ends[1:] if low_enough else ends[:1] if high_enough else ends
        return noting(how, value, *limits_of)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt | list[ast.stmt]:
        counted = self.tally(node.target)
        if counted is not None:
            return self.counting(counted, node)
        by = self.interval(node.value)
        if isinstance(node.target, ast.Name):
            old = self.interval(node.target)
            value = self.operand(node.value)
            made = ast.BinOp(ast.Call(named_as("int"), [self.variable(node.target.id)], []), node.op, value)
            if node.target.id in self.rows or node.target.id in self.sorted:
                raise self.refuse(node, f"{node.target.id} for a row, or sorted numbers, and for something else")
            if is_small_step(node.op, by, old):
                return assigned(local_name(node.target.id), made)
            return assigned(local_name(node.target.id), self.operation(node.op, old, by, made.left, value))
        old, found = self.interval(node.target), list[ast.stmt]()
        if isinstance(node.target, ast.Attribute):
            declared, cell, limits = self.cell(node.target)
        elif isinstance(node.target, ast.Subscript):
            row, base, index = self.row_to_change(node.target)
            at = self.temporary()
            found.append(assigned(at, index))
            assert row.field is not None
            declared, limits, cell = row.field, row.limits, ast.Subscript(base, named_as(at), ast.Store())
        else:
            raise self.refuse(node, "a target that can't be compiled")
        before: Any = copy(cell)
        before.ctx = ast.Load()
        new = self.operation(node.op, old, by, before, self.operand(node.value))
        interval, up = combined(node.op, old, by).cut, isinstance(node.op, ast.Add)
        step = 0
        if isinstance(node.op, ast.Add | ast.Sub) and (by.low >= 0 or by.high <= 0):
            step = 1 if (by.low >= 0) == up else -1
        stored = self.checked(declared, limits, interval, new, cell, step)
        return [*found, ast.Assign([cell], stored, lineno=node.lineno)]

    def counting(self, counted: Tally, node: ast.AugAssign) -> ast.stmt:
        """``self.turns += 1``."""
        if isinstance(counted, Peak) or not isinstance(node.op, ast.Add | ast.Sub):
            raise ReadsTally(str(self.refuse(node, f"the tally {counted.name} other than by += or, for a Peak, max")))
        value, slot = self.operand(node.value), slot_of(counted.name, ast.Load())
        new: ast.expr = ast.BinOp(slot, node.op, value)
        if counted.name in self.owner.ranges.large_steps:
            new = tallied(noting(NOTICING[type(node.op)], slot, value))
        return ast.Assign([slot_of(counted.name, ast.Store())], new, lineno=node.lineno)

    def raised(self, node: ast.Assign) -> ast.Assign | None:
        """``self.best = max(self.best, ...)`` for a `Peak`; None for all other assignments."""
        peak, call = self.tally(node.targets[0]), node.value
        if not isinstance(peak, Peak) or not self.is_builtin(call, "max") or len(node.targets) > 1:
            return None
        assert isinstance(call, ast.Call)
        itself = [argument for argument in call.args if self.tally(argument) is peak]
        if len(call.args) != 2 or len(itself) != 1 or call.keywords:
            return None
        other = call.args[1] if itself[0] is call.args[0] else call.args[0]
        interval, value = self.interval(other), self.operand(other)
        if interval.most > MOST_COUNTED:
            value = tallied(value)
        highest = ast.Call(named_as("max"), [slot_of(peak.name, ast.Load()), value], [])
        return ast.Assign([slot_of(peak.name, ast.Store())], highest, lineno=node.lineno)


def only_names(target: ast.expr) -> bool:
    """Whether a target consists of variables only."""
    return all(isinstance(part, ast.Name | ast.Tuple | ast.expr_context) for part in ast.walk(target))
