"""Rewrites assignments to variables, fields, rows and tallies, with range checks where interval analysis needs them.

By itself because assignments check ranges and what a strategy may change, which patterns don't.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from copy import copy
from typing import Any

from dicelab.rules.fields import MOST_COUNTED, Capped, Field, Flag, Grid, Int, Ints, Peak, Tally
from dicelab.rules.params import Param, reach_of
from dicelab.translation.infer.kinds import (
    FACES,
    NUMBER,
    TEXT,
    Lst,
    Tup,
    is_record,
    is_slice,
    may_be_none,
)
from dicelab.translation.intervals import NumberInterval, combined, is_small_step
from dicelab.translation.rewrite.arithmetic import NOTICING
from dicelab.translation.rewrite.list_methods import ListMethods
from dicelab.translation.rewrite.names import (
    AROUND,
    OUTLIVES,
    REFUSED,
    assigned,
    counting,
    given_name,
    local_name,
    named_as,
    noting,
    slot_of,
    tallied,
)
from dicelab.translation.translator import CHANGES, COUNTS, FALLS, REMEMBERS, RISES, ReadsTally, RuleRow, memory_name

ONLY_READS = "a strategy reads the game, and changes nothing but its own memory"


class Stores(ListMethods):
    """Rewrites assignments."""

    @property
    def strategy_name(self) -> str:
        """The name of the strategy to which the function belongs."""
        return self.strategy.name if self.strategy is not None else self.rule.__name__

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt | list[ast.stmt]:
        if node.value is None:
            return ast.Pass()
        return self.visit_Assign(ast.copy_location(ast.Assign([node.target], node.value), node))

    def visit_Assign(self, node: ast.Assign) -> ast.stmt | list[ast.stmt]:
        raised = self.raised(node)
        if raised is not None:
            return raised
        if len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            return self.assign_list(name, node) if name in self.kinds.owned else self.assign_name(name, node)
        lists = self.assign_lists(node)
        if lists is not None:
            return lists
        interval = self.interval(node.value)
        if len(node.targets) == 1 and not isinstance(node.targets[0], ast.Tuple):
            return self.store(node.targets[0], interval, self.sequence(node.value))
        if all(only_names(target) for target in node.targets):
            return ast.Assign([self.visit(t) for t in node.targets], self.sequence(node.value), lineno=node.lineno)
        value, statements = self.temporary(), list[ast.stmt]()
        statements.append(assigned(value, self.sequence(node.value)))
        for target in node.targets:
            statements += self.unpack(target, interval, named_as(value))
        return statements

    def assign_lists(self, node: ast.Assign) -> list[ast.stmt] | None:
        """Rewrite ``a, b = [], []``, ``a = b = []`` and ``a, b = a_list``; None for an assignment without lists."""
        if len(node.targets) > 1:
            if not any(isinstance(t, ast.Name) and t.id in self.kinds.owned for t in node.targets):
                return None
            raise self.refuse(node, "one list for several variables; write a line for each")
        target, value = node.targets[0], node.value
        if is_slice(target) and self.row(target.value):
            return self.store_part(target, value)
        if not isinstance(target, ast.Tuple):
            return self.store_in_list(target, value) if isinstance(target, ast.Subscript) else None
        if self.kinds.of(value) == NUMBER:
            what = f"{self.shown(value)}, a number, where several values are needed"
            raise self.refuse(node, f"{what}; the copy of a dict is d.copy(), its pairs are d.items()")
        if isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts):
            return self.assign_each(node, target, value)
        if is_record(self.kinds.of(value)):
            return self.bind(target, self.kinds.of(value), self.visit(value))
        return self.unpack_list(target, value)

    def assign_each(self, node: ast.Assign, target: ast.Tuple, value: ast.Tuple) -> list[ast.stmt] | None:
        """Rewrite ``a, b = [], []`` and ``numbers[0], numbers[1] = 1, 2``; None if there are no lists."""
        statements: list[ast.stmt] = []
        if not any(isinstance(self.kinds.of(part), Lst) for part in value.elts):
            swapped = [self.list_slot(part) for part in target.elts]
            if not any(swapped):
                return None
            names = [self.temporary() for _ in target.elts]
            statements = [
                assigned(n, ast.Call(named_as("int"), [self.visit(v)], []))
                for n, v in zip(names, value.elts, strict=True)
            ]
            for part, name in zip(target.elts, names, strict=True):
                if self.list_slot(part) and isinstance(part, ast.Subscript):
                    statements += self.put_item(part, named_as(name))
                else:
                    statements += [*self.store(part, self.interval(value), named_as(name))]
            return statements
        set_names = {n.id for part in target.elts for n in ast.walk(part) if isinstance(n, ast.Name)}
        read = {n.id for n in ast.walk(value) if isinstance(n, ast.Name)}
        if set_names & read:
            raise self.refuse(node, "lists that change places; copy one first, on a line of its own: first = list(...)")
        for part, given in zip(target.elts, value.elts, strict=True):
            made = self.visit_Assign(ast.copy_location(ast.Assign([part], given), node))
            statements += made if isinstance(made, list) else [made]
        return statements

    def assign_name(self, name: str, node: ast.Assign) -> ast.stmt:
        """Return an assignment to a variable: of a number, a tuple, a row (an alias), or sorted numbers."""
        row = self.row(node.value)
        if may_be_none(self.kinds.variables.get(name)):
            self.visit(node.targets[0])
            return assigned(local_name(name), self.maybe(node.value, self.kinds.variables[name]))
        if row is None and self.is_builtin(node.value, "sorted") and (name in self.unset or self.bound.get(name) != 1):
            return assigned(local_name(name), self.visit(node.value))
        if row is None and not self.is_builtin(node.value, "sorted"):
            self.visit(node.targets[0])
            return assigned(local_name(name), self.visit(node.value))
        if name in self.unset:
            raise self.refuse(node, f"{name}, a row, where it may have no value; write self.row[i]")
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

    def unpack(self, target: ast.expr, interval: NumberInterval, value: ast.expr) -> list[ast.stmt]:
        """Return an assignment to a target, which may be a tuple of targets, from a temporary variable."""
        if not isinstance(target, ast.Tuple):
            return self.store(target, interval, value)
        names = [self.temporary() for _ in target.elts]
        statements: list[ast.stmt] = [
            ast.Assign([ast.Tuple([ast.Name(n, ast.Store()) for n in names], ast.Store())], value, lineno=target.lineno)
        ]
        for element, name in zip(target.elts, names, strict=True):
            statements += self.unpack(element, interval, named_as(name))
        return statements

    def store(self, target: ast.expr, interval: NumberInterval, value: ast.expr) -> list[ast.stmt]:
        """Return an assignment of a rewritten value to a variable, a field, or a number of a row."""
        if isinstance(target, ast.Name):
            return [assigned(local_name(target.id), value)]
        if isinstance(target, ast.Attribute):
            declared, cell, limits = self.cell(target)
            return [
                ast.Assign([cell], self.checked(declared, limits, interval, value, cell, target), lineno=target.lineno)
            ]
        if isinstance(target, ast.Subscript):
            new, at = self.temporary(), self.temporary()
            row, base, index = self.row_to_change(target)
            cell = ast.Subscript(base, named_as(at), ast.Store())
            return [
                assigned(new, value),
                assigned(at, index),
                ast.Assign(
                    [cell],
                    self.checked(row.field, row.limits, interval, named_as(new), cell, target),
                    lineno=target.lineno,
                ),
            ]
        raise self.refuse(target, f"{self.shown(target)} as a target; set variables and fields")

    def cell(self, target: ast.Attribute) -> tuple[Field, ast.expr, str]:
        """Return the single field that is assigned to: its declaration, its cell in the kernel, and the name of its
        limits.
        """
        if self.is_memory(target.value) and self.strategy is not None:
            self.note(REMEMBERS, target.attr, target)
            kept, cell = self.memory_cell(target)
            return kept, ast.Subscript(cell.value, cell.slice, ast.Store()), memory_name(self.strategy, target.attr)
        if not self.is_game(target.value):
            raise self.breaks(target, f"{self.shown(target)}: something other than the game is set")
        declared: Any = getattr(self.cls, target.attr, None)
        if isinstance(declared, Param):
            raise self.breaks(target, f"{target.attr} is a parameter; declare what changes as a field")
        if self.role == "strategy":
            raise self.breaks(target, f"the strategy {self.strategy_name} changes {target.attr}; {ONLY_READS}")
        if isinstance(declared, Tally):
            raise ReadsTally(str(self.breaks(target, f"the tally {target.attr} is set; {counting(declared)}")))
        if not isinstance(declared, Int | Flag):
            at = f"self.{target.attr}{'[i][j]' if isinstance(declared, Grid) else '[i]'} = ..."
            row = f"is a row; set its values one at a time: {at}"
            what = row if isinstance(declared, Ints) else "is set, but not declared as a field"
            raise self.breaks(target, f"self.{target.attr} {what}")
        self.note(CHANGES, target.attr, target)
        return declared, slot_of(target.attr, ast.Store()), target.attr

    def row_to_change(self, target: ast.Subscript) -> tuple[RuleRow, ast.expr, ast.expr]:
        """Return the row in which one number is set, the expression for it in a kernel, and the
        index of that number.
        """
        of_grid = isinstance(target.value, ast.Subscript) and self.is_grid(target.value.value)
        row = self.row(target.value.value if of_grid and isinstance(target.value, ast.Subscript) else target.value)
        if isinstance(target.slice, ast.Slice):
            raise self.refuse(target, REFUSED[ast.Slice])
        if row is not None and self.role == "strategy" and not row[0].limits.startswith("_m"):
            raise self.breaks(target, f"the strategy {self.strategy_name} changes {row[0].limits}; {ONLY_READS}")
        if isinstance(target.value, ast.Attribute) and self.is_grid(target.value):
            name = target.value.attr
            raise self.breaks(target, f"{name} has rows of rows; set its values one at a time: self.{name}[i][j] = ...")
        if row is None or row[0].field is None:
            if any(isinstance(part, ast.Attribute) and part.attr.startswith("__") for part in ast.walk(target)):
                raise self.breaks(target, f"{self.shown(target)} {AROUND}")
            raise self.breaks(target, f"{self.shown(target)} {OUTLIVES}, or give a list of its own a name")
        self.must_be_line(target.value)
        self.note(REMEMBERS if row[0].limits.startswith("_m") else CHANGES, row[0].field.name, target)
        if of_grid and isinstance(target.value, ast.Subscript):
            return *row, self.cell_at(target.value, *row, target.slice)
        return *row, self.index(*row, target.slice)

    def checked(
        self,
        declared: Field | None,
        limits: str,
        interval: NumberInterval,
        value: ast.expr,
        cell: ast.expr,
        at: ast.AST,
        step: int = 0,
    ) -> ast.expr:
        """Return a value to be stored, with the range checks that interval analysis can't make unnecessary.

        `step` is 1 if the value is at least the old one, -1 if it is at most the old one, and 0 if neither is known:
        the old value is in its range, so one bound needs no check.
        """
        assert declared is not None
        low_enough = reach_of(declared.low)[1] <= interval.low or step > 0
        high_enough = interval.high <= reach_of(declared.high)[0] or step < 0
        for kind, holds, bound in ((FALLS, low_enough, interval.low), (RISES, high_enough, interval.high)):
            if not holds and not limits.startswith("_m"):
                self.note(kind, declared.name, at, str(bound))
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
        changed = self.change_list(node)
        if changed is not None:
            return changed
        by = self.interval(node.value)
        if isinstance(node.target, ast.Name):
            if node.target.id in self.rows or node.target.id in self.sorted:
                raise self.refuse(node, f"{node.target.id} for a row, or sorted numbers, and for something else")
            old = self.interval(node.target)
            value = self.operand(node.value)
            read = self.visit(ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target))  # None is an error
            made = ast.BinOp(ast.Call(named_as("int"), [read], []), node.op, value)
            if is_small_step(node.op, by, old):
                return assigned(local_name(node.target.id), made)
            return assigned(local_name(node.target.id), self.operation(node.op, old, by, made.left, value))
        old, statements = self.interval(node.target), list[ast.stmt]()
        if isinstance(node.target, ast.Attribute):
            declared, cell, limits = self.cell(node.target)
        elif isinstance(node.target, ast.Subscript):
            row, base, index = self.row_to_change(node.target)
            at = self.temporary()
            statements.append(assigned(at, index))
            assert row.field is not None
            declared, limits, cell = row.field, row.limits, ast.Subscript(base, named_as(at), ast.Store())
        else:
            raise self.refuse(node, f"{self.shown(node.target)} as a target; set variables and fields")
        before: Any = copy(cell)
        before.ctx = ast.Load()
        new = self.operation(node.op, old, by, before, self.operand(node.value))
        interval, up = combined(node.op, old, by).cut, isinstance(node.op, ast.Add)
        step = 0
        if isinstance(node.op, ast.Add | ast.Sub) and (by.low >= 0 or by.high <= 0):
            step = 1 if (by.low >= 0) == up else -1
        stored = self.checked(declared, limits, interval, new, cell, node, step)
        return [*statements, ast.Assign([cell], stored, lineno=node.lineno)]

    def counting(self, counted: Tally, node: ast.AugAssign) -> ast.stmt:
        """Translate ``self.turns += 1``."""
        if isinstance(counted, Peak) or not isinstance(node.op, ast.Add | ast.Sub):
            raise ReadsTally(str(self.breaks(node, f"the tally {counted.name} is set; {counting(counted)}")))
        self.note(COUNTS, counted.name, node)
        value, slot = self.operand(node.value), slot_of(counted.name, ast.Load())
        new: ast.expr = ast.BinOp(slot, node.op, value)
        if counted.name in self.owner.ranges.large_steps:
            new = tallied(noting(NOTICING[type(node.op)], slot, value))
        return ast.Assign([slot_of(counted.name, ast.Store())], new, lineno=node.lineno)

    def raised(self, node: ast.Assign) -> ast.Assign | None:
        """Translate ``self.best = max(self.best, ...)`` for a `Peak`; None for all other assignments."""
        peak, call = self.tally(node.targets[0]), node.value
        if not isinstance(peak, Peak) or not self.is_builtin(call, "max") or len(node.targets) > 1:
            return None
        assert isinstance(call, ast.Call)
        itself = [argument for argument in call.args if self.tally(argument) is peak]
        if len(call.args) != 2 or len(itself) != 1 or call.keywords:
            return None
        self.note(COUNTS, peak.name, node)
        other = call.args[1] if itself[0] is call.args[0] else call.args[0]
        interval, value = self.interval(other), self.operand(other)
        if interval.most > MOST_COUNTED:
            value = tallied(value)
        highest = ast.Call(named_as("max"), [slot_of(peak.name, ast.Load()), value], [])
        return ast.Assign([slot_of(peak.name, ast.Store())], highest, lineno=node.lineno)


def only_names(target: ast.expr) -> bool:
    """Return whether a target consists of variables only."""
    return all(isinstance(part, ast.Name | ast.Tuple | ast.expr_context) for part in ast.walk(target))


# Match ----------------------------------------------------------------------------------------------------------------
#
# Rewrites ``match`` into ``if`` and ``elif``, because Numba supports only some patterns.


Subject = ast.expr | list[ast.expr]
"""The subject of a ``match``: an expression for a number, or those for the numbers of a tuple display."""


class Matches(Stores):
    """Rewrites ``match``."""

    matched: Lst | None = None
    """The kind of what the innermost ``match`` looks at, where that is a list."""
    subject: object = None
    """The kind of what the innermost ``match`` looks at, where that is one value."""

    def visit_Match(self, node: ast.Match) -> list[ast.stmt]:
        kind, self.subject = self.kinds.of(node.subject), None
        if isinstance(kind, Tup) and not isinstance(node.subject, ast.Tuple):
            whole = self.temporary()
            each = [ast.Subscript(named_as(whole), ast.Constant(i), ast.Load()) for i in range(len(kind.items))]
            return [assigned(whole, self.visit(node.subject)), *self.cases(node.cases, list[ast.expr](each))]
        if isinstance(kind, Lst) and kind.form in ("list", "tuple") and self.row(node.subject) is None:
            self.list_kind(node.subject)
            whole, before = self.temporary(), list[ast.stmt]()
            self.matched = kind
            before.append(assigned(whole, self.list_at(node.subject)))
            return [*before, *self.cases(node.cases, named_as(whole))]
        self.matched = None
        seen = kind == FACES and isinstance(self.kinds.faces_seen(), int)
        if isinstance(node.subject, ast.Tuple) or seen:
            subject: Any = node.subject
            numbers = self.numbers_of(subject) if seen else [self.visit(part) for part in subject.elts]
            parts = [self.temporary() for _ in numbers]
            each_part = [assigned(part, number) for part, number in zip(parts, numbers, strict=True)]
            return [*each_part, *self.cases(node.cases, [named_as(part) for part in parts])]
        number = self.temporary()
        self.subject = kind
        matched = self.visit(node.subject) if kind == TEXT else self.operand(node.subject)
        return [assigned(number, matched), *self.cases(node.cases, named_as(number))]

    def cases(self, cases: Sequence[ast.match_case], subject: Subject) -> list[ast.stmt]:
        """Return the first case as an ``if``, with the other cases as its ``else``."""
        if not cases:
            return []
        case, captured = cases[0], list[ast.stmt]()
        tests = self.pattern(case.pattern, subject, captured)
        test = _all(tests)
        inner = [ast.If(test, list(captured), [])] if tests and captured and case.guard else list(captured)
        if case.guard is not None:  # the guard can use captured names, which keep their values even if it is false
            guard = self.test(case.guard)
            whole = ast.BoolOp(ast.And(), [test, guard]) if tests else guard
            rest = self.cases(cases[1:], subject)
            return [*inner, ast.If(whole, self.block(case.body) or [ast.Pass()], rest)]
        if not tests:
            return [*captured, *self.block(case.body)]
        return [ast.If(test, [*captured, *self.block(case.body)], self.cases(cases[1:], subject))]

    def pattern(self, pattern: ast.pattern, subject: Subject, captured: list[ast.stmt]) -> list[ast.expr]:
        """Return the tests that are true if a pattern matches; assignments to the names it captures
        go to `captured`.
        """
        match pattern:
            case ast.MatchValue() if isinstance(subject, ast.expr):
                if (self.subject == TEXT) != (self.kinds.of(pattern.value) == TEXT):
                    raise self.refuse(pattern, "a text among numbers, or a number among texts; they are never equal")
                return [ast.Compare(subject, [ast.Eq()], [self.visit(pattern.value)])]
            case ast.MatchOr():
                inside: list[ast.stmt] = []
                each = [self.pattern(part, subject, inside) for part in pattern.patterns]
                if inside:
                    raise self.refuse(pattern, "a pattern that captures within |; write a case for each")
                return [ast.BoolOp(ast.Or(), [_all(tests) for tests in each])] if all(each) else []
            case ast.MatchAs():
                tests = self.pattern(pattern.pattern, subject, captured) if pattern.pattern is not None else []
                if pattern.name is not None:
                    whole = subject if isinstance(subject, ast.expr) else ast.Tuple(list(subject), ast.Load())
                    captured += self.capture(pattern.name, whole)
                return tests
            case ast.MatchSequence() if isinstance(subject, ast.Name) and self.matched is not None:
                return self.list_pattern(pattern, subject, self.matched, captured)
            case ast.MatchSequence() if isinstance(subject, list):
                return self.tuple_pattern(pattern, subject, captured)
            case ast.MatchSingleton():
                raise self.refuse(pattern, f"case {pattern.value}; compare with ==")
        raise self.refuse(pattern, "a pattern other than numbers, names, | and tuples as long as what is matched")

    def tuple_pattern(
        self, pattern: ast.MatchSequence, subject: list[ast.expr], captured: list[ast.stmt]
    ) -> list[ast.expr]:
        """Return the tests for ``case (a, b, *_)`` of numbers."""
        stars, parts = self.stars(pattern), pattern.patterns
        after = len(parts) - stars[0] - 1 if stars else 0
        if len(subject) < len(parts) - len(stars) or (not stars and len(subject) > len(parts)):
            return [ast.Constant(False)]
        pairs = [*zip(parts[: len(parts) - after - len(stars)], subject, strict=False)]
        pairs += zip(parts[len(parts) - after :], subject[len(subject) - after :], strict=True)
        return [test for part, number in pairs for test in self.pattern(part, number, captured)]

    def stars(self, pattern: ast.MatchSequence) -> list[int]:
        """Return where a pattern has ``*_``."""
        places = [i for i, part in enumerate(pattern.patterns) if isinstance(part, ast.MatchStar)]
        for i in places:
            if getattr(pattern.patterns[i], "name", None) is not None:
                raise self.refuse(
                    pattern,
                    "a name for the rest of a list in a pattern; write *_, and a slice in the case: rest = numbers[1:]",
                )
        return places

    def list_pattern(
        self, pattern: ast.MatchSequence, subject: ast.Name, kind: Lst, captured: list[ast.stmt]
    ) -> list[ast.expr]:
        """Return the tests for ``case [a, b, *rest]`` of a list."""
        stars = self.stars(pattern)
        table = self.is_table(kind)
        zero = ast.Tuple([ast.Constant(0)] * 2, ast.Load()) if table else ast.Constant(0)
        size: ast.expr = ast.Subscript(subject, zero, ast.Load())
        least = len(pattern.patterns) - len(stars)
        tests: list[ast.expr] = [ast.Compare(size, [ast.GtE() if stars else ast.Eq()], [ast.Constant(least)])]
        self.matched = None
        for i, part in enumerate(pattern.patterns):
            place: ast.expr = ast.Constant(i + 1)
            if isinstance(part, ast.MatchStar):
                continue
            if stars and i > stars[0]:
                place = ast.BinOp(size, ast.Sub(), ast.Constant(len(pattern.patterns) - i - 1))
            item = self.read(subject, place, kind.item) if table else ast.Subscript(subject, place, ast.Load())
            if isinstance(kind.item, Tup):
                each: Subject = [ast.Subscript(item, ast.Constant(j), ast.Load()) for j in range(len(kind.item.items))]
                tests += self.pattern(part, each, captured)
            else:
                tests += self.pattern(part, item, captured)
        self.matched = kind
        return tests

    def capture(self, name: str, value: ast.expr) -> list[ast.stmt]:
        """Return the assignment of a value to a name that a pattern captures."""
        if name in self.rows or name in self.sorted:
            raise self.refuse(value, f"{name} for a row, or sorted numbers, and for something else; use two names")
        return [assigned(local_name(name), value), *self.mark([name])]

    def mark(self, names: Sequence[str]) -> list[ast.stmt]:
        """Return the statements that record that these variables have a value, for those that may be read before."""
        return [assigned(given_name(name), ast.Constant(1)) for name in names if name in self.unset]


def _all(tests: list[ast.expr]) -> ast.expr:
    """Return one test that is true if all are true."""
    if len(tests) == 1:
        return tests[0]
    return ast.BoolOp(ast.And(), list(tests)) if tests else ast.Constant(True)
