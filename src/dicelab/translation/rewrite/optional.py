"""Rewrites values that may be None, which `LEAST` stands for in place of their first number; comparisons and ``in``."""

from __future__ import annotations

import ast
from typing import Any

from dicelab.translation.infer.kinds import (
    NUMBER,
    ROWS,
    TEXT,
    Lst,
    Opt,
    Tup,
    is_flat,
    item_of,
    joined,
    may_be_none,
    stripped,
    width,
)
from dicelab.translation.infer.names_of_lists import touched
from dicelab.translation.rewrite.arithmetic import Arithmetic
from dicelab.translation.rewrite.held import VIEWS, Held, row_function
from dicelab.translation.rewrite.names import Names, named_as, noting, shared


def comparison(r: Held, node: ast.Compare) -> ast.expr:
    """Translate comparisons, with None and of whole lists as well."""
    compared = compared_with_none(r, node)
    return compared if compared is not None else compared_whole(r, node)


def compared_whole(r: Held, node: ast.Compare) -> ast.expr:
    """Return comparisons of whole lists, and ``in`` of lists, sets and dicts."""
    sides = [node.left, *node.comparators]
    for op, one, other in zip(node.ops, sides, sides[1:], strict=False):
        inside = isinstance(op, ast.In | ast.NotIn)
        kind = item_of(r.kinds.of(other)) if inside else r.kinds.of(other)
        if isinstance(kind, Tup) and not (inside and isinstance(r.kinds.of(other), Tup)):
            r.must_be_alike(one, kind)
    if any(r.kinds.of(side) == TEXT for side in sides):
        must_compare_texts(r, node, sides)
    if len(node.ops) == 1:
        left, op, right = node.left, node.ops[0], node.comparators[0]
        kind = r.kinds.of(right)
        if isinstance(op, ast.In | ast.NotIn) and r.row(right) is None:
            tested = contained(r, left, right, kind)
            if tested is not None:
                return tested if isinstance(op, ast.In) else ast.UnaryOp(ast.Not(), tested)
        if not isinstance(op, ast.In | ast.NotIn) and is_compared_by_items(r.kinds.of(left), kind):
            return compared_lists(r, node, left, op, right)
    elif any(isinstance(r.kinds.of(side), Lst) for side in sides):
        raise r.refuse(node, "a chain of comparisons of lists; write them apart")
    return Arithmetic.comparison(r, node)


def must_compare_texts(r: Held, node: ast.Compare, sides: list[ast.expr]) -> None:
    """Refuse what can't be compiled in comparisons of texts: their order, and texts within texts."""
    for op, one, other in zip(node.ops, sides, sides[1:], strict=False):
        inside = isinstance(op, ast.In | ast.NotIn)
        if not isinstance(op, ast.Eq | ast.NotEq | ast.In | ast.NotIn):
            raise r.refuse(node, "an order of texts; compare them with ==")
        r.must_be_alike(one, item_of(r.kinds.of(other)) if inside else r.kinds.of(other))
        if inside and r.kinds.of(other) == TEXT:
            raise r.refuse(node, "a text within a text")


def contained(r: Held, left: ast.expr, right: ast.expr, kind: Any) -> ast.expr | None:
    """Translate ``left in right`` for lists, sets, dicts and slices."""
    own = r.kinds.of(left)
    constants = isinstance(kind, Lst) and kind.constant and isinstance(kind.item, Tup) and kind.form != "dict"
    if isinstance(own, Lst) and (isinstance(kind, Tup) or constants):
        return is_one_of(r, left, right, len(kind.items) if isinstance(kind, Tup) else kind.most)
    listed = isinstance(kind, Lst) and kind.form != VIEWS and isinstance(kind.item, Lst)
    if isinstance(own, Lst) and not listed:
        raise r.refuse(left, "a list, set or dict in another one")
    if r.is_slice_of_numbers(right):
        return row_contains(r, r.slice_of(right), left)
    if isinstance(kind, Lst) and kind.form == VIEWS:
        return row_contains(r, r.sequence(right), left)
    if isinstance(kind, Lst):
        return ast.Compare(place_within(r, left, right, kind), [ast.Gt()], [ast.Constant(0)])
    return contained_in_constant(r, left, right, kind)


def contained_in_constant(r: Held, left: ast.expr, right: ast.expr, kind: Any) -> ast.expr | None:
    """Translate ``left in right`` where the right side is a constant of the file, or a set that is written out."""
    if isinstance(kind, Tup) and isinstance(right, ast.Name | ast.Attribute):
        value = r.named(right.id) if isinstance(right, ast.Name) else r.constant_at(right)
        if isinstance(value, list | set | frozenset | range):
            return ast.Compare(r.visit(left), [ast.In()], [r.literal(tuple(value), right, ast.unparse(right))])
    if isinstance(right, ast.Set):
        return ast.Compare(r.visit(left), [ast.In()], [ast.Tuple([r.visit(p) for p in right.elts], ast.Load())])
    return None


def is_one_of(r: Held, left: ast.expr, right: ast.expr, many: int) -> ast.expr:
    """Translate ``left in right`` for a list and a sequence of so many lists, compared one by one."""
    written = right.elts if isinstance(right, ast.Tuple | ast.List) else [numbered(right, i) for i in range(many)]
    pairs = [ast.copy_location(ast.Compare(left, [ast.Eq()], [each]), left) for each in written]
    tests = [compared_lists(r, pair, left, ast.Eq(), each) for pair, each in zip(pairs, written, strict=True)]
    return ast.BoolOp(ast.Or(), tests) if len(tests) > 1 else tests[0]


def place_within(r: Held, left: ast.expr, right: ast.expr, kind: Lst) -> ast.expr:
    """Return the place of a value in a list, set or dict, which is 0 for one that isn't in it."""
    table = r.list_at(right)
    known = r.place_of(right, left, kind)
    if known is not None:
        return known
    if r.is_table(kind):
        return r.support("find_row", table, r.as_tuple(left, kind.item), game=False)
    return r.support("find", table, r.value(left, kind.item), game=False)


def row_contains(r: Held, row: ast.expr, wanted: ast.expr) -> ast.expr:
    """Return whether a number is in a part of a row, or in anything else that is gone through."""
    tested = ast.Call(row_function("contains"), [row, r.operand(wanted)], [])
    return ast.Compare(tested, [ast.Eq()], [ast.Constant(True)])


def compared_lists(r: Held, node: ast.Compare, left: ast.expr, op: ast.cmpop, right: ast.expr) -> ast.expr:
    """Translate ``==`` and ``!=`` of sequences, and comparisons of sets."""
    forms = [form_of(r, left), form_of(r, right)]
    sets = [form == "set" for form in forms]
    if all(sets) and isinstance(op, ast.LtE | ast.GtE | ast.Eq | ast.NotEq | ast.Lt | ast.Gt):
        one, other = r.sequence(left), r.sequence(right)
        within: list[ast.expr] = [r.support("is_within", a, b, game=False) for a, b in ((one, other), (other, one))]
        if isinstance(op, ast.LtE | ast.GtE):
            return within[isinstance(op, ast.GtE)]
        if isinstance(op, ast.Lt | ast.Gt):
            first = isinstance(op, ast.Gt)
            return ast.BoolOp(ast.And(), [within[first], ast.UnaryOp(ast.Not(), within[not first])])
        both = ast.BoolOp(ast.And(), within)
        return both if isinstance(op, ast.Eq) else ast.UnaryOp(ast.Not(), both)
    if forms == ["dict", "dict"]:
        return compared_dicts(r, node, left, op, right)
    if not isinstance(op, ast.Eq | ast.NotEq) and forms[0] == forms[1] and forms[0] in ("list", "tuple"):
        for side in (left, right):
            if isinstance(item_of(r.kinds.of(side)), Tup | Lst) or item_of(r.kinds.of(side)) == TEXT:
                raise r.refuse(node, "an order of lists of tuples; compare them in a loop")
        order = r.support("order", r.numbers(left), r.numbers(right), game=False)
        return ast.Compare(order, [op], [ast.Constant(0)])
    if not isinstance(op, ast.Eq | ast.NotEq):
        raise r.refuse(node, "an order of lists; compare numbers or tuples")
    if "" in forms or any(sets):
        raise r.refuse(node, "== between these; compare lists with lists and tuples with tuples")
    if forms[0] != forms[1]:
        raise r.refuse(node, "== of a list and a tuple, which is never true; compare with list(...) or tuple(...)")
    equal = r.support("same", r.numbers(left), r.numbers(right), game=False)
    return equal if isinstance(op, ast.Eq) else ast.UnaryOp(ast.Not(), equal)


def compared_dicts(r: Held, node: ast.Compare, left: ast.expr, op: ast.cmpop, right: ast.expr) -> ast.expr:
    """Translate ``==`` and ``!=`` of dicts."""
    kinds = [r.list_kind(side) for side in (left, right)]
    item, value = None, None
    for kind in kinds:
        item, value = joined(item, getattr(kind, "item", None)), joined(value, getattr(kind, "value", None))
    if not isinstance(op, ast.Eq | ast.NotEq) or value not in (NUMBER, None) or not is_flat(item):
        raise r.refuse(node, "a comparison of dicts other than == of dicts of numbers")
    zeros = all(getattr(kind, "missing", "") == "zero" for kind in kinds)
    given = [r.list_at(left), r.list_at(right), ast.Constant(width(item)), ast.Constant(zeros)]
    equal = r.support("same_counts", *given, game=False)
    return equal if isinstance(op, ast.Eq) else ast.UnaryOp(ast.Not(), equal)


def form_of(r: Held, node: ast.expr) -> str:
    """Return whether an expression is a list, a tuple, a set or a dict; "" if that isn't known."""
    kind = r.kinds.of(node)
    if kind in ROWS:
        return ROWS[kind]
    if isinstance(kind, Tup):
        return kind.form
    return kind.form if isinstance(kind, Lst) and kind.form != VIEWS else ""


def something(r: Held, node: ast.expr, kind: Any) -> ast.expr:
    """Return a value that may be None, in a place where it must not be: None is recorded as an error."""
    made = r.maybe(node, kind)
    if isinstance(stripped(kind), Tup):
        return noting("some_tuple", first_of(made, stripped(kind)), made)
    return noting("some_number", made)


def maybe(r: Held, node: ast.expr, kind: Any) -> ast.expr:
    """Return a value, or None, for a place of a kind that may be None."""
    own = r.kinds.raw(node)
    if is_none_constant(node):
        return none_of(kind)
    if isinstance(node, ast.IfExp):
        return ast.IfExp(r.test(node.test), r.maybe(node.body, kind), r.maybe(node.orelse, kind))
    if isinstance(node, ast.BoolOp) and may_be_none(own):
        return chosen_value(r, node, kind)
    if may_be_none(own):
        if r.kinds.is_procedure(node):
            raise r.refuse(node, "what a function returns that returns nothing")
        made: ast.expr = Names.visit(r, node)
        return made
    if not isinstance(stripped(kind), Tup) and r.interval(node).low <= -(2**63):
        raise r.refuse(node, "a number that may be of 64 bits where None may be, too")
    if isinstance(stripped(kind), Tup):
        whole: ast.expr = r.visit(node)
        return whole
    return ast.Call(named_as("int"), [r.visit(node)], [])


def chosen_value(r: Held, node: ast.BoolOp, kind: Any) -> ast.expr:
    """Rewrite ``a or b`` where a part may be None."""
    first, rest = node.values[0], node.values[1:]
    if not isinstance(first, ast.Name | ast.Attribute) and touched([first], r.kinds, r.owner.kinds).changes:
        raise r.refuse(node, "and, or of a value that may be None; give it a name on a line of its own")
    later = rest[0] if len(rest) == 1 else ast.copy_location(ast.BoolOp(node.op, rest), node)
    values = [r.maybe(first, kind), r.maybe(later, kind) if may_be_none(kind) else r.visit(later)]
    values = values if isinstance(node.op, ast.Or) else values[::-1]
    return ast.IfExp(r.test(first), *values)


def visit_BoolOp(r: Held, node: ast.BoolOp) -> ast.expr:
    """Translate ``and`` and ``or``, of values that may be None as well."""
    if any(may_be_none(r.kinds.raw(value)) for value in node.values):
        return chosen_value(r, node, r.kinds.raw(node))
    return Arithmetic.visit_BoolOp(r, node)


def compared_with_none(r: Held, node: ast.Compare) -> ast.expr | None:
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
        kind = r.kinds.raw(other)
        if may_be_none(kind):
            made = r.maybe(other, kind)
            return ast.Compare(first_of(made, stripped(kind)), [op], [shared("LEAST")])
        if isinstance(other, ast.Name | ast.Attribute):
            return ast.Constant(isinstance(op, ast.NotEq))
        raise r.refuse(node, "a comparison with None of what is never None")
    if isinstance(node.ops[0], ast.Is | ast.IsNot):
        return None
    kinds = [r.kinds.raw(side) for side in sides]
    if not any(map(may_be_none, kinds)):
        return None
    kind = joined(*kinds)
    if not isinstance(kind, Opt):
        raise r.refuse(node, "a comparison of values of two kinds")
    return ast.Compare(r.maybe(sides[0], kind), [op], [r.maybe(sides[1], kind)])


def truth_of_optional(r: Held, node: ast.expr) -> ast.expr | None:
    """Return whether a value that may be None is true; None for any other value."""
    kind = r.kinds.raw(node)
    if not may_be_none(kind) or isinstance(node, ast.BoolOp | ast.IfExp | ast.NamedExpr):
        return None
    made, inside = r.maybe(node, kind), stripped(kind)
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


def numbered(sequence: ast.expr, place: int) -> ast.expr:
    """Translate ``sequence[place]``, at the place of the sequence in the file."""
    item = ast.Subscript(sequence, ast.Constant(place), ast.Load())
    return ast.fix_missing_locations(ast.copy_location(item, sequence))


def is_compared_by_items(one: Any, other: Any) -> bool:
    """Return whether values of two kinds are compared item by item: a list with anything, a row with a row or tuple,
    tuples of different forms.
    """
    if isinstance(one, Lst) or isinstance(other, Lst):
        return True
    if isinstance(one, Tup) and isinstance(other, Tup):
        return one.form != other.form
    return all(isinstance(kind, Tup) or kind in ROWS for kind in (one, other))
