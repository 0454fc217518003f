"""Rewrites operations on lists, sets and dicts, and calls of Python's functions, whose results are lists."""

from __future__ import annotations

import ast
import collections
import itertools
from functools import reduce
from typing import Any

from dicelab.translation.infer.kinds import (
    NUMBER,
    TEXT,
    Lst,
    Tup,
    as_list,
    width,
)
from dicelab.translation.infer.names_of_lists import touched
from dicelab.translation.rewrite.calls import Calls
from dicelab.translation.rewrite.held import OPERATORS, Held


def must_stay(r: Held, first: ast.expr, later: list[ast.expr]) -> None:
    """Refuse a list, or a part of one, that isn't copied before what stands after it changes it."""
    if isinstance(first, ast.Name | ast.Attribute | ast.Subscript):
        one, other = (touched(parts, r.kinds, r.owner.kinds) for parts in ([first], later))
        if one.depends_on(other):
            raise r.refuse(first, "an argument that changes what another one reads; use two lines")


def combined_lists(r: Held, node: ast.BinOp, kind: Lst, into: ast.expr) -> ast.expr:
    """Translate ``[0] * 6``, ``a + b``, and ``a - b`` and so on of sets."""
    if not isinstance(node.op, ast.Mult):
        must_stay(r, node.left, [node.right])
    if isinstance(node.op, ast.Mult):
        sequence, times = (node.left, node.right) if as_list(r.kinds.of(node.left)) else (node.right, node.left)
        if isinstance(kind.item, Lst):
            raise r.refuse(node, "a list of lists repeated, which are then the same lists; write [... for ...]")
        if isinstance(sequence, ast.List) and len(sequence.elts) == 1 and not r.is_table(kind):
            return r.support("repeated", into, r.visit(sequence.elts[0]), r.operand(times))
        must_stay(r, node.left, [node.right])
        if sequence is node.right and touched([times], r.kinds, r.owner.kinds).changes:
            raise r.refuse(node, f"{r.shown(node)}, a number that changes something; give it a name before")
        name = "repeated_rows" if r.is_table(kind) else "repeated_all"
        return r.support(name, r.put(sequence, kind, into), r.operand(times))
    if kind.form == "dict":
        return combined_counts(r, node, kind, into)
    if kind.form == "set":
        return combined_sets(r, node, kind, into)
    if not isinstance(node.op, ast.Add):
        raise r.refuse(node, "an operation on lists other than + and *")
    if r.is_table(kind):
        return r.support("extend_rows", r.put(node.left, kind, into), rows_of(r, node.right, kind))
    first = r.put(node.left, kind, into)
    return r.support("extend", first, r.sequence(node.right))


def rows_of(r: Held, node: ast.expr, kind: Lst) -> ast.expr:
    """Return the array of a list of tuples, or of lists, that is added to one of a kind."""
    own = r.list_kind(node)
    if own is None or own.form not in ("list", "tuple") or own.item not in (kind.item, None):
        return r.put(node, kind, r.space(kind))
    return r.list_at(node)


def combined_sets(r: Held, node: ast.BinOp, kind: Lst, into: ast.expr) -> ast.expr:
    """Rewrite ``a | b``, ``a & b``, ``a - b`` and ``a ^ b`` of sets."""
    codes: dict[type[ast.operator], int] = {ast.BitOr: 0, ast.Sub: 1, ast.BitAnd: 2, ast.BitXor: 3}
    if type(node.op) not in codes:
        raise r.refuse(node, "an operation on sets other than |, &, - and ^")
    if r.is_table(kind):
        return combined_rows(r, node, kind, into, codes[type(node.op)])
    left, right = r.sequence(node.left), r.sequence(node.right)
    if isinstance(node.op, ast.BitOr):
        first = r.support("unite", r.support("empty", into, game=False), left)
        return r.support("unite", first, right)
    if isinstance(node.op, ast.BitAnd | ast.Sub):
        return r.support("kept_in", into, left, right, ast.Constant(isinstance(node.op, ast.BitAnd)))
    return r.support("in_one", into, left, right)


def combined_rows(r: Held, node: ast.BinOp, kind: Lst, into: ast.expr, code: int) -> ast.expr:
    """Rewrite ``a | b`` and so on of sets of tuples."""
    sides = [r.list_kind(side) for side in (node.left, node.right)]
    if not isinstance(kind.item, Tup) or not all(side and side[:2] == (kind.item, "set") for side in sides):
        raise r.refuse(node, f"{r.shown(node)}, of tuples that differ in length or kind; add them in a loop")
    given = [r.list_at(side) for side in (node.left, node.right)]
    return r.support("combined_rows", into, *given, ast.Constant(code))


def call_filling(r: Held, node: ast.Call, kind: Lst, into: ast.expr) -> ast.expr:
    """Return a call whose result is a list."""
    rule = r.kinds.rule_called(node)
    if rule is not None:
        made = Calls.visit_Call(r, node)
        assert isinstance(made, ast.Call)
        made.args.insert(0, into)
        return made
    target, func = r.kinds.target(node.func), node.func
    if target in (list, tuple, set, frozenset, sorted) and len(node.args) <= 1:
        return made_of(r, node, target, kind, into)
    if target in (dict, collections.Counter, collections.defaultdict) and not node.keywords:
        if len(node.args) == (target is collections.defaultdict):
            return r.support("emptied", into, game=False)
        if len(node.args) == 1:
            if target is collections.Counter:
                return counted_in(r, node.args[0], kind, into)
            return dict_of(r, node.args[0], kind, into)
    if isinstance(func, ast.Attribute) and func.attr in ("most_common", "elements") and not node.keywords:
        return of_counts(r, node, func, into)
    made_by_library = of_itertools(r, node, target, kind, into)
    if made_by_library is not None:
        return made_by_library
    if isinstance(func, ast.Attribute) and func.attr == "copy":
        return r.put(func.value, kind, into)
    if isinstance(func, ast.Attribute) and func.attr in OPERATORS and len(node.args) == 1 and not node.keywords:
        op = OPERATORS[func.attr]()
        return combined_sets(r, ast.copy_location(ast.BinOp(func.value, op, node.args[0]), node), kind, into)
    raise r.unknown(node, f"{r.shown(node)}, which rules can't use")


def of_itertools(r: Held, node: ast.Call, target: Any, kind: Lst, into: ast.expr) -> ast.expr | None:
    """Return a call of a function of itertools that fills an array; None for any other call."""
    if target is itertools.chain and not node.keywords:
        empty: ast.expr = r.support("empty", into, game=False)
        return reduce(lambda made, part: r.support("extend", made, r.sequence(part)), node.args, empty)
    if target is itertools.accumulate and len(node.args) == 1 and not node.keywords:
        return r.support("summed", into, r.sequence(node.args[0]))
    if target in (itertools.combinations, itertools.permutations, itertools.combinations_with_replacement):
        if len(node.args) != 2 or node.keywords:
            raise r.refuse(node, f"{target.__name__} other than of a sequence and a number")
        flags = [target is itertools.combinations_with_replacement, target is itertools.permutations]
        numbers = [r.numbers(node.args[0]), r.visit(node.args[1])]
        name = "chosen_lists" if isinstance(kind.item, Lst) else "chosen"
        return r.support(name, into, *numbers, *map(ast.Constant, flags))
    return crossed(r, node, into) if target is itertools.product else None


def dict_of(r: Held, node: ast.expr, kind: Lst, into: ast.expr) -> ast.expr:
    """Translate ``dict(pairs)``, or a copy of a dict."""
    own = r.list_kind(node)
    if own is None or own.form == "dict":
        return r.put(node, kind, into)
    if isinstance(kind.item, Lst) or isinstance(kind.value, Lst) or not isinstance(own.item, Tup):
        raise r.refuse(node, f"dict({r.shown(node)}) of other things than pairs of numbers; set its items in a loop")
    empty = r.support("emptied", into, game=False)
    return r.support("merged", empty, r.list_at(node), ast.Constant(width(kind.item)))


def counted_in(r: Held, node: ast.expr, kind: Lst, into: ast.expr) -> ast.expr:
    """Translate ``Counter(values)``, or a copy of counts."""
    own = r.kinds.of(node)
    if isinstance(own, Lst) and own.form == "dict":
        return r.put(node, kind, into)
    if isinstance(own, Lst) and own.form == "set":
        raise r.refuse(node, "the order of a set, which isn't fixed; use sorted(...)")
    if isinstance(kind.item, Tup):
        raise r.refuse(node, "Counter of a list of tuples; write Counter(pair for pair in ...)")
    empty = r.support("emptied", into, game=False)
    return r.support("counted", empty, r.sequence(node))


def of_counts(r: Held, node: ast.Call, func: ast.Attribute, into: ast.expr) -> ast.expr:
    """Translate ``counts.most_common(n)`` and ``counts.elements()``."""
    owner = r.list_kind(func.value)
    if owner is None or owner.missing != "zero":
        raise r.refuse(node, f".{func.attr}() of something other than a Counter")
    table, size = r.list_at(func.value), ast.Constant(width(owner.item))
    if func.attr == "elements":
        if isinstance(owner.item, Tup):
            raise r.refuse(node, ".elements() of a Counter of tuples")
        return r.support("elements", into, table)
    many = r.operand(node.args[0]) if node.args else ast.Constant(2**31)
    return r.support("most_common", into, table, size, many)


def combined_counts(r: Held, node: ast.BinOp, kind: Lst, into: ast.expr) -> ast.expr:
    """Rewrite ``a + b``, ``a - b``, ``a & b`` and ``a | b`` of counts; only those above 0 are kept."""
    codes: dict[type[ast.operator], int] = {ast.Add: 0, ast.Sub: 1, ast.BitAnd: 2, ast.BitOr: 3}
    sides = [r.kinds.of(side) for side in (node.left, node.right)]
    if isinstance(node.op, ast.BitOr) and all(getattr(side, "missing", None) == "" for side in sides):
        empty = r.support("emptied", into, game=False)
        return merged(r, merged(r, empty, kind, node.left), kind, node.right)
    if type(node.op) not in codes or any(getattr(side, "missing", "") != "zero" for side in sides):
        raise r.refuse(node, "an operation on dicts; change one of them in a loop")
    given = [r.list_at(side) for side in (node.left, node.right)]
    size, code = ast.Constant(width(kind.item)), ast.Constant(codes[type(node.op)])
    return r.support("combined_counts", into, *given, size, code)


def merged(r: Held, table: ast.expr, kind: Lst, other: ast.expr) -> ast.expr:
    """Return a dict to which the items of another one are added."""
    own = r.list_kind(other)
    same = own is not None and (own.form, own.item, own.value) == ("dict", kind.item, kind.value)
    if not same or isinstance(kind.item, Lst) or isinstance(kind.value, Lst):
        raise r.refuse(other, f"{r.shown(other)} beside a dict of another kind; set its items in a loop")
    return r.support("merged", table, r.list_at(other), ast.Constant(width(kind.item)))


def crossed(r: Held, node: ast.Call, into: ast.expr) -> ast.expr:
    """Translate ``product(a, b, ...)``, or with ``repeat=``."""
    kind = r.kinds.of(node)
    if not isinstance(kind, Lst):
        raise r.refuse(node, "product of a number of sequences that isn't written out")
    if isinstance(kind.item, Lst):
        assert isinstance(node.args[0], ast.Starred)
        return r.support("crossed_all", into, r.list_at(node.args[0].value))
    sources = [r.numbers(s) for s in node.args] * (len(kind.item.items) // len(node.args))
    if len(sources) == 1:
        return r.support("chosen", into, sources[0], ast.Constant(1), ast.Constant(True), ast.Constant(True))
    if len(sources) == 2:
        return r.support("crossed", into, *sources)
    made: ast.expr = r.support("crossed", r.space(kind._replace(item=Tup((NUMBER, NUMBER)))), *sources[:2])
    for i, source in enumerate(sources[2:], 2):
        part = kind._replace(item=Tup((NUMBER,) * (i + 1)))
        goal = into if i == len(sources) - 1 else r.space(part)
        made = r.support("crossed_more", goal, made, ast.Constant(i), source)
    return made


def made_of(r: Held, node: ast.Call, target: Any, kind: Lst, into: ast.expr) -> ast.expr:
    """Translate ``list(...)``, ``tuple(...)``, ``set(...)`` and ``sorted(...)``."""
    if not node.args:
        return r.support("emptied" if r.is_table(kind) else "empty", into, game=False)
    made = r.put(node.args[0], kind, into, unordered=target is sorted)
    if target is sorted:
        down = next((k.value for k in node.keywords if k.arg == "reverse"), ast.Constant(False))
        if kind.item == TEXT:
            raise r.refuse(node, "an order of texts; sort numbers")
        if len(node.keywords) > 1 or any(k.arg != "reverse" for k in node.keywords):
            raise r.refuse(node, "sorted with other arguments than key and reverse")
        if r.is_table(kind):
            if not isinstance(kind.item, Tup):
                raise r.refuse(node, "sorted of lists; sort numbers or tuples, or use key=")
            return r.support("sort_rows", made, r.test(down), ast.Constant(width(kind.item)), game=False)
        return r.support("sort", made, r.test(down), game=False)
    return made
