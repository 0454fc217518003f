"""Rewrites operations on lists, sets and dicts, and calls of Python's functions, whose results are lists.

By itself because operations make lists, while `dicelab.translation.rewrite.sequences` goes through them.
"""

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
from dicelab.translation.rewrite.held import OPERATORS, Held


class Combined(Held):
    """Rewrites what makes a list, set or dict of others."""

    def must_stay(self, first: ast.expr, later: list[ast.expr]) -> None:
        """Refuse a list, or a part of one, that isn't copied before what stands after it changes it."""
        if isinstance(first, ast.Name | ast.Attribute | ast.Subscript):
            one, other = (touched(parts, self.kinds, self.owner.kinds) for parts in ([first], later))
            if one.depends_on(other):
                raise self.refuse(first, "an argument that changes what another one reads; use two lines")

    def combined_lists(self, node: ast.BinOp, kind: Lst, into: ast.expr) -> ast.expr:
        """Translate ``[0] * 6``, ``a + b``, and ``a - b`` and so on of sets."""
        if not isinstance(node.op, ast.Mult):
            self.must_stay(node.left, [node.right])
        if isinstance(node.op, ast.Mult):
            sequence, times = (node.left, node.right) if as_list(self.kinds.of(node.left)) else (node.right, node.left)
            if isinstance(kind.item, Lst):
                raise self.refuse(node, "a list of lists repeated, which are then the same lists; write [... for ...]")
            if isinstance(sequence, ast.List) and len(sequence.elts) == 1 and not self.is_table(kind):
                return self.support("repeated", into, self.visit(sequence.elts[0]), self.operand(times))
            self.must_stay(node.left, [node.right])
            if sequence is node.right and touched([times], self.kinds, self.owner.kinds).changes:
                raise self.refuse(node, f"{self.shown(node)}, a number that changes something; give it a name before")
            name = "repeated_rows" if self.is_table(kind) else "repeated_all"
            return self.support(name, self.put(sequence, kind, into), self.operand(times))
        if kind.form == "dict":
            return self.combined_counts(node, kind, into)
        if kind.form == "set":
            return self.combined_sets(node, kind, into)
        if not isinstance(node.op, ast.Add):
            raise self.refuse(node, "an operation on lists other than + and *")
        if self.is_table(kind):
            return self.support("extend_rows", self.put(node.left, kind, into), self.rows_of(node.right, kind))
        first = self.put(node.left, kind, into)
        return self.support("extend", first, self.sequence(node.right))

    def rows_of(self, node: ast.expr, kind: Lst) -> ast.expr:
        """Return the array of a list of tuples, or of lists, that is added to one of a kind."""
        own = self.list_kind(node)
        if own is None or own.form not in ("list", "tuple") or own.item not in (kind.item, None):
            return self.put(node, kind, self.space(kind))
        return self.list_at(node)

    def combined_sets(self, node: ast.BinOp, kind: Lst, into: ast.expr) -> ast.expr:
        """Rewrite ``a | b``, ``a & b``, ``a - b`` and ``a ^ b`` of sets."""
        codes: dict[type[ast.operator], int] = {ast.BitOr: 0, ast.Sub: 1, ast.BitAnd: 2, ast.BitXor: 3}
        if type(node.op) not in codes:
            raise self.refuse(node, "an operation on sets other than |, &, - and ^")
        if self.is_table(kind):
            return self.combined_rows(node, kind, into, codes[type(node.op)])
        left, right = self.sequence(node.left), self.sequence(node.right)
        if isinstance(node.op, ast.BitOr):
            first = self.support("unite", self.support("empty", into, game=False), left)
            return self.support("unite", first, right)
        if isinstance(node.op, ast.BitAnd | ast.Sub):
            return self.support("kept_in", into, left, right, ast.Constant(isinstance(node.op, ast.BitAnd)))
        return self.support("in_one", into, left, right)

    def combined_rows(self, node: ast.BinOp, kind: Lst, into: ast.expr, code: int) -> ast.expr:
        """Rewrite ``a | b`` and so on of sets of tuples."""
        sides = [self.list_kind(side) for side in (node.left, node.right)]
        if not isinstance(kind.item, Tup) or not all(side and side[:2] == (kind.item, "set") for side in sides):
            raise self.refuse(node, f"{self.shown(node)}, of tuples that differ in length or kind; add them in a loop")
        given = [self.list_at(side) for side in (node.left, node.right)]
        return self.support("combined_rows", into, *given, ast.Constant(code))

    def call_filling(self, node: ast.Call, kind: Lst, into: ast.expr) -> ast.expr:
        """Return a call whose result is a list."""
        rule = self.kinds.rule_called(node)
        if rule is not None:
            made = super().visit_Call(node)
            assert isinstance(made, ast.Call)
            made.args.insert(0, into)
            return made
        target, func = self.kinds.target(node.func), node.func
        if target in (list, tuple, set, frozenset, sorted) and len(node.args) <= 1:
            return self.made_of(node, target, kind, into)
        if target in (dict, collections.Counter, collections.defaultdict) and not node.keywords:
            if len(node.args) == (target is collections.defaultdict):
                return self.support("emptied", into, game=False)
            if len(node.args) == 1:
                if target is collections.Counter:
                    return self.counted_in(node.args[0], kind, into)
                return self.dict_of(node.args[0], kind, into)
        if isinstance(func, ast.Attribute) and func.attr in ("most_common", "elements") and not node.keywords:
            return self.of_counts(node, func, into)
        made_by_library = self.of_itertools(node, target, kind, into)
        if made_by_library is not None:
            return made_by_library
        if isinstance(func, ast.Attribute) and func.attr == "copy":
            return self.put(func.value, kind, into)
        if isinstance(func, ast.Attribute) and func.attr in OPERATORS and len(node.args) == 1 and not node.keywords:
            op = OPERATORS[func.attr]()
            return self.combined_sets(ast.copy_location(ast.BinOp(func.value, op, node.args[0]), node), kind, into)
        raise self.unknown(node, f"{self.shown(node)}, which rules can't use")

    def of_itertools(self, node: ast.Call, target: Any, kind: Lst, into: ast.expr) -> ast.expr | None:
        """Return a call of a function of itertools that fills an array; None for any other call."""
        if target is itertools.chain and not node.keywords:
            empty: ast.expr = self.support("empty", into, game=False)
            return reduce(lambda made, part: self.support("extend", made, self.sequence(part)), node.args, empty)
        if target is itertools.accumulate and len(node.args) == 1 and not node.keywords:
            return self.support("summed", into, self.sequence(node.args[0]))
        if target in (itertools.combinations, itertools.permutations, itertools.combinations_with_replacement):
            if len(node.args) != 2 or node.keywords:
                raise self.refuse(node, f"{target.__name__} other than of a sequence and a number")
            flags = [target is itertools.combinations_with_replacement, target is itertools.permutations]
            numbers = [self.numbers(node.args[0]), self.visit(node.args[1])]
            name = "chosen_lists" if isinstance(kind.item, Lst) else "chosen"
            return self.support(name, into, *numbers, *map(ast.Constant, flags))
        return self.crossed(node, into) if target is itertools.product else None

    def dict_of(self, node: ast.expr, kind: Lst, into: ast.expr) -> ast.expr:
        """Translate ``dict(pairs)``, or a copy of a dict."""
        own = self.list_kind(node)
        if own is None or own.form == "dict":
            return self.put(node, kind, into)
        if isinstance(kind.item, Lst) or isinstance(kind.value, Lst) or not isinstance(own.item, Tup):
            raise self.refuse(
                node, f"dict({self.shown(node)}) of other things than pairs of numbers; set its items in a loop"
            )
        empty = self.support("emptied", into, game=False)
        return self.support("merged", empty, self.list_at(node), ast.Constant(width(kind.item)))

    def counted_in(self, node: ast.expr, kind: Lst, into: ast.expr) -> ast.expr:
        """Translate ``Counter(values)``, or a copy of counts."""
        own = self.kinds.of(node)
        if isinstance(own, Lst) and own.form == "dict":
            return self.put(node, kind, into)
        if isinstance(own, Lst) and own.form == "set":
            raise self.refuse(node, "the order of a set, which isn't fixed; use sorted(...)")
        if isinstance(kind.item, Tup):
            raise self.refuse(node, "Counter of a list of tuples; write Counter(pair for pair in ...)")
        empty = self.support("emptied", into, game=False)
        return self.support("counted", empty, self.sequence(node))

    def of_counts(self, node: ast.Call, func: ast.Attribute, into: ast.expr) -> ast.expr:
        """Translate ``counts.most_common(n)`` and ``counts.elements()``."""
        owner = self.list_kind(func.value)
        if owner is None or owner.missing != "zero":
            raise self.refuse(node, f".{func.attr}() of something other than a Counter")
        table, size = self.list_at(func.value), ast.Constant(width(owner.item))
        if func.attr == "elements":
            if isinstance(owner.item, Tup):
                raise self.refuse(node, ".elements() of a Counter of tuples")
            return self.support("elements", into, table)
        many = self.operand(node.args[0]) if node.args else ast.Constant(2**31)
        return self.support("most_common", into, table, size, many)

    def combined_counts(self, node: ast.BinOp, kind: Lst, into: ast.expr) -> ast.expr:
        """Rewrite ``a + b``, ``a - b``, ``a & b`` and ``a | b`` of counts; only those above 0 are kept."""
        codes: dict[type[ast.operator], int] = {ast.Add: 0, ast.Sub: 1, ast.BitAnd: 2, ast.BitOr: 3}
        sides = [self.kinds.of(side) for side in (node.left, node.right)]
        if isinstance(node.op, ast.BitOr) and all(getattr(side, "missing", None) == "" for side in sides):
            empty = self.support("emptied", into, game=False)
            return self.merged(self.merged(empty, kind, node.left), kind, node.right)
        if type(node.op) not in codes or any(getattr(side, "missing", "") != "zero" for side in sides):
            raise self.refuse(node, "an operation on dicts; change one of them in a loop")
        given = [self.list_at(side) for side in (node.left, node.right)]
        size, code = ast.Constant(width(kind.item)), ast.Constant(codes[type(node.op)])
        return self.support("combined_counts", into, *given, size, code)

    def merged(self, table: ast.expr, kind: Lst, other: ast.expr) -> ast.expr:
        """Return a dict to which the items of another one are added."""
        own = self.list_kind(other)
        same = own is not None and (own.form, own.item, own.value) == ("dict", kind.item, kind.value)
        if not same or isinstance(kind.item, Lst) or isinstance(kind.value, Lst):
            raise self.refuse(other, f"{self.shown(other)} beside a dict of another kind; set its items in a loop")
        return self.support("merged", table, self.list_at(other), ast.Constant(width(kind.item)))

    def crossed(self, node: ast.Call, into: ast.expr) -> ast.expr:
        """Translate ``product(a, b, ...)``, or with ``repeat=``."""
        kind = self.kinds.of(node)
        if not isinstance(kind, Lst):
            raise self.refuse(node, "product of a number of sequences that isn't written out")
        if isinstance(kind.item, Lst):
            assert isinstance(node.args[0], ast.Starred)
            return self.support("crossed_all", into, self.list_at(node.args[0].value))
        sources = [self.numbers(s) for s in node.args] * (len(kind.item.items) // len(node.args))
        if len(sources) == 1:
            return self.support("chosen", into, sources[0], ast.Constant(1), ast.Constant(True), ast.Constant(True))
        if len(sources) == 2:
            return self.support("crossed", into, *sources)
        made: ast.expr = self.support("crossed", self.space(kind._replace(item=Tup((NUMBER, NUMBER)))), *sources[:2])
        for i, source in enumerate(sources[2:], 2):
            part = kind._replace(item=Tup((NUMBER,) * (i + 1)))
            goal = into if i == len(sources) - 1 else self.space(part)
            made = self.support("crossed_more", goal, made, ast.Constant(i), source)
        return made

    def made_of(self, node: ast.Call, target: Any, kind: Lst, into: ast.expr) -> ast.expr:
        """Translate ``list(...)``, ``tuple(...)``, ``set(...)`` and ``sorted(...)``."""
        if not node.args:
            return self.support("emptied" if self.is_table(kind) else "empty", into, game=False)
        made = self.put(node.args[0], kind, into, unordered=target is sorted)
        if target is sorted:
            down = next((k.value for k in node.keywords if k.arg == "reverse"), ast.Constant(False))
            if kind.item == TEXT:
                raise self.refuse(node, "an order of texts; sort numbers")
            if len(node.keywords) > 1 or any(k.arg != "reverse" for k in node.keywords):
                raise self.refuse(node, "sorted with other arguments than key and reverse")
            if self.is_table(kind):
                if not isinstance(kind.item, Tup):
                    raise self.refuse(node, "sorted of lists; sort numbers or tuples, or use key=")
                return self.support("sort_rows", made, self.test(down), ast.Constant(width(kind.item)), game=False)
            return self.support("sort", made, self.test(down), game=False)
        return made
