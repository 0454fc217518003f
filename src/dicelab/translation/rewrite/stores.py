"""Rewrites assignments to variables, fields, rows and tallies, with range checks where interval analysis needs them.

By itself because assignments check ranges and what a strategy may change; the rewriter is about whole functions.
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
from dicelab.translation.rewrite.held import Held
from dicelab.translation.rewrite.list_methods import (
    assign_list,
    change_list,
    list_slot,
    put_item,
    store_in_list,
    store_part,
    unpack_list,
)
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
from dicelab.translation.rewrite.sequences import bind
from dicelab.translation.translator import CHANGES, COUNTS, FALLS, REMEMBERS, RISES, ReadsTally, RuleRow, memory_name

ONLY_READS = "a strategy reads the game, and changes nothing but its own memory"


def strategy_name(r: Held) -> str:
    """Return the name of the strategy to which the function belongs."""
    return r.strategy.name if r.strategy is not None else r.rule.__name__


def visit_AnnAssign(r: Held, node: ast.AnnAssign) -> ast.stmt | list[ast.stmt]:
    """Translate ``name: kind = value``."""
    if node.value is None:
        return ast.Pass()
    return visit_Assign(r, ast.copy_location(ast.Assign([node.target], node.value), node))


def visit_Assign(r: Held, node: ast.Assign) -> ast.stmt | list[ast.stmt]:
    """Translate ``target = value``."""
    raised = raised_by(r, node)
    if raised is not None:
        return raised
    if len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        name = node.targets[0].id
        return assign_list(r, name, node) if name in r.kinds.owned else assign_name(r, name, node)
    lists = assign_lists(r, node)
    if lists is not None:
        return lists
    interval = r.interval(node.value)
    if len(node.targets) == 1 and not isinstance(node.targets[0], ast.Tuple):
        return r.store(node.targets[0], interval, r.sequence(node.value))
    if all(only_names(target) for target in node.targets):
        return ast.Assign([r.visit(t) for t in node.targets], r.sequence(node.value), lineno=node.lineno)
    value, statements = r.temporary(), list[ast.stmt]()
    statements.append(assigned(value, r.sequence(node.value)))
    for target in node.targets:
        statements += unpack(r, target, interval, named_as(value))
    return statements


def assign_lists(r: Held, node: ast.Assign) -> list[ast.stmt] | None:
    """Rewrite ``a, b = [], []``, ``a = b = []`` and ``a, b = a_list``; None for an assignment without lists."""
    if len(node.targets) > 1:
        if not any(isinstance(t, ast.Name) and t.id in r.kinds.owned for t in node.targets):
            return None
        raise r.refuse(node, "one list for several variables; write a line for each")
    target, value = node.targets[0], node.value
    if is_slice(target) and r.row(target.value):
        return store_part(r, target, value)
    if not isinstance(target, ast.Tuple):
        return store_in_list(r, target, value) if isinstance(target, ast.Subscript) else None
    if r.kinds.of(value) == NUMBER:
        what = f"{r.shown(value)}, a number, where several values are needed"
        raise r.refuse(node, f"{what}; the copy of a dict is d.copy(), its pairs are d.items()")
    if isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts):
        return assign_each(r, node, target, value)
    if is_record(r.kinds.of(value)):
        return bind(r, target, r.kinds.of(value), r.visit(value))
    return unpack_list(r, target, value)


def assign_each(r: Held, node: ast.Assign, target: ast.Tuple, value: ast.Tuple) -> list[ast.stmt] | None:
    """Rewrite ``a, b = [], []`` and ``numbers[0], numbers[1] = 1, 2``; None if there are no lists."""
    statements: list[ast.stmt] = []
    if not any(isinstance(r.kinds.of(part), Lst) for part in value.elts):
        swapped = [list_slot(r, part) for part in target.elts]
        if not any(swapped):
            return None
        names = [r.temporary() for _ in target.elts]
        statements = [
            assigned(n, ast.Call(named_as("int"), [r.visit(v)], [])) for n, v in zip(names, value.elts, strict=True)
        ]
        for part, name in zip(target.elts, names, strict=True):
            if list_slot(r, part) and isinstance(part, ast.Subscript):
                statements += put_item(r, part, named_as(name))
            else:
                statements += [*r.store(part, r.interval(value), named_as(name))]
        return statements
    set_names = {n.id for part in target.elts for n in ast.walk(part) if isinstance(n, ast.Name)}
    read = {n.id for n in ast.walk(value) if isinstance(n, ast.Name)}
    if set_names & read:
        raise r.refuse(node, "lists that change places; copy one first, on a line of its own: first = list(...)")
    for part, given in zip(target.elts, value.elts, strict=True):
        made = r.visit_Assign(ast.copy_location(ast.Assign([part], given), node))
        statements += made if isinstance(made, list) else [made]
    return statements


def assign_name(r: Held, name: str, node: ast.Assign) -> ast.stmt:
    """Return an assignment to a variable: of a number, a tuple, a row (an alias), or sorted numbers."""
    row = r.row(node.value)
    if may_be_none(r.kinds.variables.get(name)):
        r.visit(node.targets[0])
        return assigned(local_name(name), r.maybe(node.value, r.kinds.variables[name]))
    if row is None and r.is_builtin(node.value, "sorted") and (name in r.unset or r.bound.get(name) != 1):
        return assigned(local_name(name), r.visit(node.value))
    if row is None and not r.is_builtin(node.value, "sorted"):
        r.visit(node.targets[0])
        return assigned(local_name(name), r.visit(node.value))
    if name in r.unset:
        raise r.refuse(node, f"{name}, a row, where it may have no value; write self.row[i]")
    if r.bound.get(name) != 1:
        raise r.refuse(node, f"{name} for a row, or sorted numbers, and for something else; use two names")
    if row is not None and isinstance(node.value, ast.Subscript):  # a row of a Grid, by a number that may change
        r.rows[name] = row[0], named_as(local_name(name))
        return assigned(local_name(name), row[1])
    if row is not None:
        r.must_be_line(node.value)
        r.rows[name] = row
        return ast.Pass()
    assert isinstance(node.value, ast.Call)
    value, r.sorted[name] = r.in_order(node.value)
    return assigned(local_name(name), value)


def unpack(r: Held, target: ast.expr, interval: NumberInterval, value: ast.expr) -> list[ast.stmt]:
    """Return an assignment to a target, which may be a tuple of targets, from a temporary variable."""
    if not isinstance(target, ast.Tuple):
        return r.store(target, interval, value)
    names = [r.temporary() for _ in target.elts]
    statements: list[ast.stmt] = [
        ast.Assign([ast.Tuple([ast.Name(n, ast.Store()) for n in names], ast.Store())], value, lineno=target.lineno)
    ]
    for element, name in zip(target.elts, names, strict=True):
        statements += unpack(r, element, interval, named_as(name))
    return statements


def store(r: Held, target: ast.expr, interval: NumberInterval, value: ast.expr) -> list[ast.stmt]:
    """Return an assignment of a rewritten value to a variable, a field, or a number of a row."""
    if isinstance(target, ast.Name):
        return [assigned(local_name(target.id), value)]
    if isinstance(target, ast.Attribute):
        declared, cell, limits = cell_of(r, target)
        return [ast.Assign([cell], checked(r, declared, limits, interval, value, cell, target), lineno=target.lineno)]
    if isinstance(target, ast.Subscript):
        new, at = r.temporary(), r.temporary()
        row, base, index = row_to_change(r, target)
        cell = ast.Subscript(base, named_as(at), ast.Store())
        return [
            assigned(new, value),
            assigned(at, index),
            ast.Assign(
                [cell],
                checked(r, row.field, row.limits, interval, named_as(new), cell, target),
                lineno=target.lineno,
            ),
        ]
    raise r.refuse(target, f"{r.shown(target)} as a target; set variables and fields")


def cell_of(r: Held, target: ast.Attribute) -> tuple[Field, ast.expr, str]:
    """Return the single field that is assigned to: its declaration, its cell in the kernel, and the name of its
    limits.
    """
    if r.is_memory(target.value) and r.strategy is not None:
        r.note(REMEMBERS, target.attr, target)
        kept, cell = r.memory_cell(target)
        return kept, ast.Subscript(cell.value, cell.slice, ast.Store()), memory_name(r.strategy, target.attr)
    if not r.is_game(target.value):
        raise r.breaks(target, f"{r.shown(target)}: something other than the game is set")
    declared: Any = getattr(r.cls, target.attr, None)
    if isinstance(declared, Param):
        raise r.breaks(target, f"{target.attr} is a parameter; declare what changes as a field")
    if r.role == "strategy":
        raise r.breaks(target, f"the strategy {strategy_name(r)} changes {target.attr}; {ONLY_READS}")
    if isinstance(declared, Tally):
        raise ReadsTally(str(r.breaks(target, f"the tally {target.attr} is set; {counting(declared)}")))
    if not isinstance(declared, Int | Flag):
        at = f"self.{target.attr}{'[i][j]' if isinstance(declared, Grid) else '[i]'} = ..."
        row = f"is a row; set its values one at a time: {at}"
        what = row if isinstance(declared, Ints) else "is set, but not declared as a field"
        raise r.breaks(target, f"self.{target.attr} {what}")
    r.note(CHANGES, target.attr, target)
    return declared, slot_of(target.attr, ast.Store()), target.attr


def row_to_change(r: Held, target: ast.Subscript) -> tuple[RuleRow, ast.expr, ast.expr]:
    """Return the row in which one number is set, the expression for it in a kernel, and the
    index of that number.
    """
    of_grid = isinstance(target.value, ast.Subscript) and r.is_grid(target.value.value)
    row = r.row(target.value.value if of_grid and isinstance(target.value, ast.Subscript) else target.value)
    if isinstance(target.slice, ast.Slice):
        raise r.refuse(target, REFUSED[ast.Slice])
    if row is not None and r.role == "strategy" and not row[0].limits.startswith("_m"):
        raise r.breaks(target, f"the strategy {strategy_name(r)} changes {row[0].limits}; {ONLY_READS}")
    if isinstance(target.value, ast.Attribute) and r.is_grid(target.value):
        name = target.value.attr
        raise r.breaks(target, f"{name} has rows of rows; set its values one at a time: self.{name}[i][j] = ...")
    if row is None or row[0].field is None:
        if any(isinstance(part, ast.Attribute) and part.attr.startswith("__") for part in ast.walk(target)):
            raise r.breaks(target, f"{r.shown(target)} {AROUND}")
        raise r.breaks(target, f"{r.shown(target)} {OUTLIVES}, or give a list of its own a name")
    r.must_be_line(target.value)
    r.note(REMEMBERS if row[0].limits.startswith("_m") else CHANGES, row[0].field.name, target)
    if of_grid and isinstance(target.value, ast.Subscript):
        return *row, r.cell_at(target.value, *row, target.slice)
    return *row, r.index(*row, target.slice)


def checked(
    r: Held,
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
            r.note(kind, declared.name, at, str(bound))
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


def visit_AugAssign(r: Held, node: ast.AugAssign) -> ast.stmt | list[ast.stmt]:
    """Translate ``target += value`` and the like."""
    counted = r.tally(node.target)
    if counted is not None:
        return counting_of(r, counted, node)
    changed = change_list(r, node)
    if changed is not None:
        return changed
    by = r.interval(node.value)
    if isinstance(node.target, ast.Name):
        if node.target.id in r.rows or node.target.id in r.sorted:
            raise r.refuse(node, f"{node.target.id} for a row, or sorted numbers, and for something else")
        old = r.interval(node.target)
        value = r.operand(node.value)
        read = r.visit(ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target))  # None is an error
        made = ast.BinOp(ast.Call(named_as("int"), [read], []), node.op, value)
        if is_small_step(node.op, by, old):
            return assigned(local_name(node.target.id), made)
        return assigned(local_name(node.target.id), r.operation(node.op, old, by, made.left, value))
    old, statements = r.interval(node.target), list[ast.stmt]()
    if isinstance(node.target, ast.Attribute):
        declared, cell, limits = cell_of(r, node.target)
    elif isinstance(node.target, ast.Subscript):
        row, base, index = row_to_change(r, node.target)
        at = r.temporary()
        statements.append(assigned(at, index))
        assert row.field is not None
        declared, limits, cell = row.field, row.limits, ast.Subscript(base, named_as(at), ast.Store())
    else:
        raise r.refuse(node, f"{r.shown(node.target)} as a target; set variables and fields")
    before: Any = copy(cell)
    before.ctx = ast.Load()
    new = r.operation(node.op, old, by, before, r.operand(node.value))
    interval, up = combined(node.op, old, by).cut, isinstance(node.op, ast.Add)
    step = 0
    if isinstance(node.op, ast.Add | ast.Sub) and (by.low >= 0 or by.high <= 0):
        step = 1 if (by.low >= 0) == up else -1
    stored = checked(r, declared, limits, interval, new, cell, node, step)
    return [*statements, ast.Assign([cell], stored, lineno=node.lineno)]


def counting_of(r: Held, counted: Tally, node: ast.AugAssign) -> ast.stmt:
    """Translate ``self.turns += 1``."""
    if isinstance(counted, Peak) or not isinstance(node.op, ast.Add | ast.Sub):
        raise ReadsTally(str(r.breaks(node, f"the tally {counted.name} is set; {counting(counted)}")))
    r.note(COUNTS, counted.name, node)
    value, slot = r.operand(node.value), slot_of(counted.name, ast.Load())
    new: ast.expr = ast.BinOp(slot, node.op, value)
    if counted.name in r.owner.ranges.large_steps:
        new = tallied(noting(NOTICING[type(node.op)], slot, value))
    return ast.Assign([slot_of(counted.name, ast.Store())], new, lineno=node.lineno)


def raised_by(r: Held, node: ast.Assign) -> ast.Assign | None:
    """Translate ``self.best = max(self.best, ...)`` for a `Peak`; None for all other assignments."""
    peak, call = r.tally(node.targets[0]), node.value
    if not isinstance(peak, Peak) or not r.is_builtin(call, "max") or len(node.targets) > 1:
        return None
    assert isinstance(call, ast.Call)
    itself = [argument for argument in call.args if r.tally(argument) is peak]
    if len(call.args) != 2 or len(itself) != 1 or call.keywords:
        return None
    r.note(COUNTS, peak.name, node)
    other = call.args[1] if itself[0] is call.args[0] else call.args[0]
    interval, value = r.interval(other), r.operand(other)
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


def visit_Match(r: Held, node: ast.Match) -> list[ast.stmt]:
    """Translate ``match``."""
    kind, r.subject = r.kinds.of(node.subject), None
    if isinstance(kind, Tup) and not isinstance(node.subject, ast.Tuple):
        whole = r.temporary()
        each = [ast.Subscript(named_as(whole), ast.Constant(i), ast.Load()) for i in range(len(kind.items))]
        return [assigned(whole, r.visit(node.subject)), *cases_of(r, node.cases, list[ast.expr](each))]
    if isinstance(kind, Lst) and kind.form in ("list", "tuple") and r.row(node.subject) is None:
        r.list_kind(node.subject)
        whole, before = r.temporary(), list[ast.stmt]()
        r.matched = kind
        before.append(assigned(whole, r.list_at(node.subject)))
        return [*before, *cases_of(r, node.cases, named_as(whole))]
    r.matched = None
    seen = kind == FACES and isinstance(r.kinds.faces_seen(), int)
    if isinstance(node.subject, ast.Tuple) or seen:
        subject: Any = node.subject
        numbers = r.numbers_of(subject) if seen else [r.visit(part) for part in subject.elts]
        parts = [r.temporary() for _ in numbers]
        each_part = [assigned(part, number) for part, number in zip(parts, numbers, strict=True)]
        return [*each_part, *cases_of(r, node.cases, [named_as(part) for part in parts])]
    number = r.temporary()
    r.subject = kind
    matched = r.visit(node.subject) if kind == TEXT else r.operand(node.subject)
    return [assigned(number, matched), *cases_of(r, node.cases, named_as(number))]


def cases_of(r: Held, cases: Sequence[ast.match_case], subject: Subject) -> list[ast.stmt]:
    """Return the first case as an ``if``, with the other cases as its ``else``."""
    if not cases:
        return []
    case, captured = cases[0], list[ast.stmt]()
    tests = pattern_test(r, case.pattern, subject, captured)
    test = _all(tests)
    inner = [ast.If(test, list(captured), [])] if tests and captured and case.guard else list(captured)
    if case.guard is not None:  # the guard can use captured names, which keep their values even if it is false
        guard = r.test(case.guard)
        whole = ast.BoolOp(ast.And(), [test, guard]) if tests else guard
        rest = cases_of(r, cases[1:], subject)
        return [*inner, ast.If(whole, r.block(case.body) or [ast.Pass()], rest)]
    if not tests:
        return [*captured, *r.block(case.body)]
    return [ast.If(test, [*captured, *r.block(case.body)], cases_of(r, cases[1:], subject))]


def pattern_test(r: Held, pattern: ast.pattern, subject: Subject, captured: list[ast.stmt]) -> list[ast.expr]:
    """Return the tests that are true if a pattern matches; assignments to the names it captures
    go to `captured`.
    """
    match pattern:
        case ast.MatchValue() if isinstance(subject, ast.expr):
            if (r.subject == TEXT) != (r.kinds.of(pattern.value) == TEXT):
                raise r.refuse(pattern, "a text among numbers, or a number among texts; they are never equal")
            return [ast.Compare(subject, [ast.Eq()], [r.visit(pattern.value)])]
        case ast.MatchOr():
            inside: list[ast.stmt] = []
            each = [pattern_test(r, part, subject, inside) for part in pattern.patterns]
            if inside:
                raise r.refuse(pattern, "a pattern that captures within |; write a case for each")
            return [ast.BoolOp(ast.Or(), [_all(tests) for tests in each])] if all(each) else []
        case ast.MatchAs():
            tests = pattern_test(r, pattern.pattern, subject, captured) if pattern.pattern is not None else []
            if pattern.name is not None:
                whole = subject if isinstance(subject, ast.expr) else ast.Tuple(list(subject), ast.Load())
                captured += capture(r, pattern.name, whole)
            return tests
        case ast.MatchSequence() if isinstance(subject, ast.Name) and r.matched is not None:
            return list_pattern(r, pattern, subject, r.matched, captured)
        case ast.MatchSequence() if isinstance(subject, list):
            return tuple_pattern(r, pattern, subject, captured)
        case ast.MatchSingleton():
            raise r.refuse(pattern, f"case {pattern.value}; compare with ==")
    raise r.refuse(pattern, "a pattern other than numbers, names, | and tuples as long as what is matched")


def tuple_pattern(
    r: Held, pattern: ast.MatchSequence, subject: list[ast.expr], captured: list[ast.stmt]
) -> list[ast.expr]:
    """Return the tests for ``case (a, b, *_)`` of numbers."""
    stars, parts = stars_in(r, pattern), pattern.patterns
    after = len(parts) - stars[0] - 1 if stars else 0
    if len(subject) < len(parts) - len(stars) or (not stars and len(subject) > len(parts)):
        return [ast.Constant(False)]
    pairs = [*zip(parts[: len(parts) - after - len(stars)], subject, strict=False)]
    pairs += zip(parts[len(parts) - after :], subject[len(subject) - after :], strict=True)
    return [test for part, number in pairs for test in pattern_test(r, part, number, captured)]


def stars_in(r: Held, pattern: ast.MatchSequence) -> list[int]:
    """Return where a pattern has ``*_``."""
    places = [i for i, part in enumerate(pattern.patterns) if isinstance(part, ast.MatchStar)]
    for i in places:
        if getattr(pattern.patterns[i], "name", None) is not None:
            raise r.refuse(
                pattern,
                "a name for the rest of a list in a pattern; write *_, and a slice in the case: rest = numbers[1:]",
            )
    return places


def list_pattern(
    r: Held, pattern: ast.MatchSequence, subject: ast.Name, kind: Lst, captured: list[ast.stmt]
) -> list[ast.expr]:
    """Return the tests for ``case [a, b, *rest]`` of a list."""
    stars = stars_in(r, pattern)
    table = r.is_table(kind)
    zero = ast.Tuple([ast.Constant(0)] * 2, ast.Load()) if table else ast.Constant(0)
    size: ast.expr = ast.Subscript(subject, zero, ast.Load())
    least = len(pattern.patterns) - len(stars)
    tests: list[ast.expr] = [ast.Compare(size, [ast.GtE() if stars else ast.Eq()], [ast.Constant(least)])]
    r.matched = None
    for i, part in enumerate(pattern.patterns):
        place: ast.expr = ast.Constant(i + 1)
        if isinstance(part, ast.MatchStar):
            continue
        if stars and i > stars[0]:
            place = ast.BinOp(size, ast.Sub(), ast.Constant(len(pattern.patterns) - i - 1))
        item = r.read(subject, place, kind.item) if table else ast.Subscript(subject, place, ast.Load())
        if isinstance(kind.item, Tup):
            each: Subject = [ast.Subscript(item, ast.Constant(j), ast.Load()) for j in range(len(kind.item.items))]
            tests += pattern_test(r, part, each, captured)
        else:
            tests += pattern_test(r, part, item, captured)
    r.matched = kind
    return tests


def capture(r: Held, name: str, value: ast.expr) -> list[ast.stmt]:
    """Return the assignment of a value to a name that a pattern captures."""
    if name in r.rows or name in r.sorted:
        raise r.refuse(value, f"{name} for a row, or sorted numbers, and for something else; use two names")
    return [assigned(local_name(name), value), *r.mark([name])]


def mark(r: Held, names: Sequence[str]) -> list[ast.stmt]:
    """Return the statements that record that these variables have a value, for those that may be read before."""
    return [assigned(given_name(name), ast.Constant(1)) for name in names if name in r.unset]


def _all(tests: list[ast.expr]) -> ast.expr:
    """Return one test that is true if all are true."""
    if len(tests) == 1:
        return tests[0]
    return ast.BoolOp(ast.And(), list(tests)) if tests else ast.Constant(True)
