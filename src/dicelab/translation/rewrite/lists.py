"""Rewrites expressions with lists, sets and dicts; see `dicelab.compile.kernels.list_support`.

By itself because it makes and reads lists, while `dicelab.translation.rewrite.list_methods` changes them.
"""

from __future__ import annotations

import ast
import math
from copy import deepcopy
from typing import Any

from dicelab.rules.params import reach_of
from dicelab.translation.infer.kinds import (
    NUMBER,
    TEXT,
    UNCLEAR,
    Lst,
    Tup,
    is_record,
    is_slice,
    item_of,
    may_be_none,
    stripped,
    width,
)
from dicelab.translation.infer.names_of_lists import touched
from dicelab.translation.lower.lifted import nothing
from dicelab.translation.rewrite.held import VIEWS, cell_of, row_function, shape_of
from dicelab.translation.rewrite.names import local_name, named_as, noting, size_of
from dicelab.translation.rewrite.optional import Optional


class Lists(Optional):
    """Rewrites expressions with lists, sets and dicts, and calls of their methods."""

    # expressions -------------------------------------------------------------------------------------------------

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.expr) and isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            kind = self.kinds.raw(node)
            if may_be_none(kind) and not isinstance(node, ast.IfExp | ast.BoolOp):
                return self.something(node, kind)
        if isinstance(node, ast.expr) and self.kinds.of(node) == UNCLEAR:
            raise self.refuse(node, f"{ast.unparse(node)[:60]}, which may be a text or something else")
        if (
            isinstance(node, ast.expr)
            and isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
            and not isinstance(node, ast.Subscript)
            and self.row(node) is None
            and self.list_kind(node) is not None
            and not self._is_method_of_list(node)
        ):
            return self.list_at(node)
        return super().visit(node)

    def _is_method_of_list(self, node: ast.AST) -> bool:
        """Return whether this is a call of a method that returns a list which is in a list: ``lists.pop()``."""
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            return False
        return self.kinds.rule_called(node) is None and node.func.attr in ("pop", "get", "setdefault")

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        kind = self.kinds.of(node.value)
        if isinstance(node.slice, ast.Slice):
            return self.slice_kept(node)
        base = node.value
        if is_record(kind):
            item = self.kinds.constant(node.slice)
            if item is None or not 0 <= item < len(kind.items):
                raise self.refuse(node, "an item of a tuple with lists in it, by a number that isn't written out")
            return self.of_record(self.visit(base), kind, item)
        if kind == TEXT:
            raise self.refuse(node, "a part of a text")
        if self.is_slice_of_numbers(base):
            return self.support("item_of", self.slice_of(base), self.operand(node.slice))
        held = kind if isinstance(kind, Lst) and self.row(base) is None else None
        is_made = not isinstance(base, ast.Name | ast.Subscript)
        if held is not None and held.form == "list" and not self.is_table(held) and is_made:
            return self.support("item", self.list_at(base), self.operand(node.slice))
        constant, own = self.kinds.constant_item(node), self.kinds.of(node)
        if isinstance(constant, dict | list) and isinstance(own, Lst | Tup):
            return self.literal(constant, node, self.shown(node)) if isinstance(own, Tup) else self.list_at(node)
        if held is not None and held.form != VIEWS:
            return self.item_of_dict(node, held) if held.form == "dict" else self.item_of_list(node, held)
        return super().visit_Subscript(node)

    def slice_kept(self, node: ast.Subscript) -> ast.expr:
        """Return a slice as a tuple, or as a list of its own."""
        if isinstance(self.kinds.of(node), Tup):
            return ast.Subscript(self.visit(node.value), node.slice, ast.Load())
        kind = self.list_kind(node)
        return super().visit_Subscript(node) if kind is None else self.fill(node, kind, self.space(kind))

    def item_of_dict(self, node: ast.Subscript, kind: Lst) -> ast.expr:
        """Translate ``d[key]``."""
        is_named = isinstance(node.value, ast.Name | ast.Attribute)
        if not isinstance(kind.value, Lst) and (kind.missing or not is_named):
            return self.looked_up(node.value, node.slice, kind)
        table, place = self.place_in(node, kind)
        return self.read(table, place, kind.value, width(kind.item))

    def item_of_list(self, node: ast.Subscript, kind: Lst) -> ast.expr:
        """Translate ``rows[k]``, also of a list that a call or a slice makes."""
        base = node.value
        is_made = isinstance(base, ast.Call | ast.List) or is_slice(base)
        if kind.form == "list" and isinstance(kind.item, Tup) and is_made:
            helper = self.owner.picking(shape_of(kind.item, 0))
            if helper:
                return ast.Call(named_as(helper), [named_as("_g"), self.list_at(base), self.operand(node.slice)], [])
        table, place = self.place_in(node, kind)
        return self.read(table, place, kind.item) if self.is_table(kind) else ast.Subscript(table, place, ast.Load())

    def looked_up(self, base: ast.expr, key: ast.expr, kind: Lst) -> ast.expr:
        """Translate ``d[key]`` of a dict without a name, or of a Counter or defaultdict."""
        if isinstance(kind.value, Lst) or kind.value is None:
            raise self.refuse(base, "an item of a dict of lists without a name; give it one on a line of its own")
        helper = self.owner.looking(shape_of(kind.value, width(kind.item)), kind.missing)
        wanted = self.as_tuple(key, kind.item)
        return ast.Call(named_as(helper), [named_as("_g"), self.list_at(base), wanted], [])

    def place_in(self, node: ast.Subscript, kind: Lst, adding: bool = False) -> tuple[ast.expr, ast.expr]:
        """Return the array of a list or dict, and the place in it of an item."""
        self.list_kind(node.value)
        table = self.list_at(node.value)
        if not isinstance(table, ast.Name | ast.Subscript):
            raise self.refuse(node, "an item of a list without a name; give it one on a line of its own")
        if kind.form == "set":
            raise self.refuse(node, "an item of a set")
        if kind.form == "dict":
            row = self.place_of(node.value, node.slice, kind, "known_place") if not kind.missing else None
            if row is not None:
                return table, row
            name = "row_of" if adding or kind.missing else "known_row"
            return table, self.support(name, table, self.as_tuple(node.slice, kind.item))
        size = cell_of(table, 0, 0) if self.is_table(kind) else ast.Subscript(table, ast.Constant(0), ast.Load())
        return table, self.support("position", self.operand(node.slice), size)

    def list_in_dict(self, table: ast.expr, place: ast.expr, kind: Lst) -> ast.expr:
        """Return the list that is the value of a key in a row of a dict of lists."""
        return self.read(table, place, kind.value, width(kind.item))

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        owner = self.kinds.of(node.value)
        if isinstance(owner, Tup) and node.attr in owner.names and self.field(node) is None:
            known = self.constant_value(node)
            if known is not None:
                return self.literal(known, node, node.attr)
            made = self.visit(node.value)
            if is_record(owner):
                return self.of_record(made, owner, owner.names.index(node.attr))
            return ast.Subscript(made, ast.Constant(owner.names.index(node.attr)), ast.Load())
        return super().visit_Attribute(node)

    def constant_value(self, node: ast.AST) -> Any:
        """Return the number or tuple that a chain of attributes of a constant has; None if it isn't one."""
        if isinstance(node, ast.Name):
            return self.named(node.id)
        if isinstance(node, ast.Attribute):
            owner = self.constant_value(node.value)
            if owner is None or self.kinds.of(node.value) is None:
                return None
            return getattr(owner, node.attr, None)
        return None

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        kind, sides = self.kinds.of(node), (node.left, node.right)
        if not isinstance(kind, Tup) or kind.form == "set" or is_record(kind):
            return super().visit_BinOp(node)
        if isinstance(node.op, ast.Add):
            return ast.BinOp(self.visit(node.left), ast.Add(), self.visit(node.right))
        repeated, many = sorted(sides, key=lambda side: not isinstance(self.kinds.of(side), Tup))
        if not isinstance(repeated, ast.Name | ast.Tuple) or any(
            isinstance(p, ast.Call | ast.NamedExpr) for p in ast.walk(repeated)
        ):
            raise self.refuse(node, f"{self.shown(node)}, of a tuple without a name; give it one on a line of its own")
        made: ast.expr = ast.Tuple([], ast.Load())
        for _ in range(self.kinds.constant(many) or 0):
            made = ast.BinOp(made, ast.Add(), self.visit(deepcopy(repeated)))
        return made

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.expr:
        kind = self.kinds.raw(node.value)
        if may_be_none(kind) and stripped(kind) in (NUMBER, None):
            self.boxed.add(node.target.id)
            value = self.maybe(node.value, kind)
            return self.support("set_box", named_as(local_name(node.target.id)), value, game=False)
        if kind not in (NUMBER, None):
            raise self.refuse(node, "an assignment inside an expression, of something other than a number")
        self.boxed.add(node.target.id)
        return self.support("set_box", named_as(local_name(node.target.id)), self.operand(node.value), game=False)

    def visit_Dict(self, node: ast.Dict) -> ast.expr:
        return self.list_at(node)

    def truth(self, node: ast.expr) -> ast.expr | None:
        """Return whether a list has items; None for anything else."""
        kind = self.kinds.of(node)
        if self.row(node) is not None or not isinstance(kind, Lst) or kind.form == VIEWS:
            return None
        return ast.Compare(self.size(node, kind), [ast.Gt()], [ast.Constant(0)])

    def size(self, node: ast.expr, kind: Lst) -> ast.expr:
        """Return the length of a list."""
        table = self.list_at(node)
        if self.is_table(kind):
            return cell_of(table, 0, 0)
        return ast.Subscript(table, ast.Constant(0), ast.Load())

    def test(self, node: ast.expr) -> ast.expr:
        truth = self.truth_of_optional(node)
        if truth is not None:
            return truth
        if self.kinds.of(node) == TEXT:
            raise self.refuse(node, "a text as a condition; compare it with ==")
        tested = self.truth(node)
        return tested if tested is not None else super().test(node)

    # calls -------------------------------------------------------------------------------------------------------

    def visit_Call(self, node: ast.Call) -> ast.expr:
        target = self.kinds.target(node.func)
        if target is nothing:
            return noting("noted", ast.Constant(True), ast.Constant(0))
        if target in _MATH:
            return self.of_math(node, target)
        if isinstance(target, type) and issubclass(target, tuple) and hasattr(target, "_fields"):
            return self.named_tuple(node, target)
        if target in (max, min) and len(node.args) > 1 and not node.keywords:
            kinds = list(map(self.kinds.of, node.args))
            if any(isinstance(kind, Lst) for kind in kinds):
                raise self.refuse(node, "max or min of lists")
            if any(isinstance(kind, Tup) for kind in kinds):
                return self.extreme_tuple(node, ast.Gt() if target is max else ast.Lt())
        if target is sorted and self.kinds.sorted_at_once(node) is not None:
            return self.in_order(node)[0]
        made = self.of_tuple(node) if target is tuple else None
        return super().visit_Call(node) if made is None else made

    def of_tuple(self, node: ast.Call) -> ast.expr | None:
        """Rewrite ``tuple()``, and ``tuple(...)`` of what is a tuple; None for anything else."""
        if not node.args:
            return ast.Tuple([], ast.Load())
        if len(node.args) == 1 and isinstance(self.kinds.of(node), Tup):
            made: ast.expr = self.visit(node.args[0])
            return made
        return None

    def named_tuple(self, node: ast.Call, target: Any) -> ast.expr:
        """Return a named tuple as a tuple of its values."""
        kind = self.kinds.of(node)
        parts = dict(zip(target._fields, node.args, strict=False)) | {str(k.arg): k.value for k in node.keywords}
        defaults: dict[str, Any] = getattr(target, "_field_defaults", {})
        if sorted(parts, key=kind.names.index) != list(parts) and any(map(self.changes_something, parts.values())):
            raise self.refuse(node, f"{target.__name__} with values by name in another order; write them in its order")
        if any(isinstance(self.kinds.of(part), Lst) for part in parts.values()):
            raise self.refuse(node, f"{self.shown(node)}, a tuple with a list in it; give the list a name of its own")
        made = [self.argument(parts[n]) if n in parts else self.literal(defaults.get(n), node, n) for n in kind.names]
        return ast.Tuple(made, ast.Load())

    def extreme_tuple(self, node: ast.Call, better: ast.cmpop) -> ast.expr:
        """Translate ``max(one, other)`` or ``min(one, other)`` of two variables that are tuples."""
        if len(node.args) != 2 or not all(isinstance(part, ast.Name) for part in node.args):
            raise self.refuse(node, f"{self.shown(node)}, of tuples; give each a name, or write max(t for t in (p, q))")
        one, other = node.args
        chosen = ast.IfExp(ast.Compare(other, [better], [one]), other, one)
        made: ast.expr = self.visit(ast.fix_missing_locations(ast.copy_location(chosen, node)))
        return made

    def of_math(self, node: ast.Call, target: Any) -> ast.expr:
        """Return a function of ``math`` on whole numbers."""
        if node.keywords:
            raise self.refuse(node, f"{target.__name__} with arguments by name")
        given = [self.operand(part) for part in node.args]
        if target in (math.gcd, math.lcm) and len(given) >= 1:
            made = given[0] if len(given) > 1 else self.support("gcd", given[0], ast.Constant(0), game=False)
            for part in given[1:]:
                made = (
                    self.support("gcd", made, part, game=False)
                    if target is math.gcd
                    else self.support("lcm", made, part)
                )
            return made
        if target is math.perm and len(given) == 1:
            given = given * 2
        if target is math.factorial:
            return self.support("perm", given[0], given[0])
        return self.support(target.__name__, *given)

    def of_all(self, node: ast.Call, name: str) -> ast.expr:
        """Translate ``max``, ``min``, ``sum`` or ``len`` of a sequence."""
        source = node.args[0]
        kind = self.kinds.of(source)
        if kind == TEXT or (item_of(kind) == TEXT and name != "len"):
            return self.of_text(node, name)
        if self.row(source) is None and isinstance(kind, Lst):
            return self.of_all_in_list(node, name, kind)
        if kind == Tup(()) and name != "len":
            return ast.Constant(0) if name == "sum" else noting("noted", ast.Constant(True), ast.Constant(0))
        if isinstance(kind, Tup):
            if name == "len":
                return ast.Constant(len(kind.items))
            value = self.named(source.id) if isinstance(source, ast.Name) else None
            if isinstance(value, list | set | frozenset | range):
                return ast.Call(
                    named_as(name), [self.literal(tuple(value), source, str(getattr(source, "id", "")))], []
                )
        return super().of_all(node, name)

    def of_all_in_list(self, node: ast.Call, name: str, kind: Lst) -> ast.expr:
        """Translate ``max``, ``min``, ``sum`` or ``len`` of a list, or of what can only be gone through."""
        source = node.args[0]
        if name == "len" and kind.form != VIEWS and (self.is_table(kind) or not is_slice(source)):
            return self.size(source, kind)
        if kind.form != VIEWS and self.is_table(kind) and kind.form != "dict":
            if isinstance(kind.item, Tup) and name in ("max", "min"):
                return self.extreme_row(self.list_at(source), kind, name)
            raise self.refuse(node, f"{name} of a list of tuples or lists; use key=, or max(... for ...)")
        tested = self.of_dict_view(source, kind, name)
        if tested is not None:
            return tested
        if isinstance(source, ast.Call) and self.kinds.target(source.func) is range:
            return super().of_all(node, name)
        made = self.sequence(source)
        if name == "sum":
            if not self.interval(node).is_cut and self.interval(source).most < 2**31:
                return ast.Call(row_function("sum"), [made], [])
            return noting("row_sum_noticed", made)
        if name == "len":
            is_range = isinstance(source, ast.Name) and kind.form == VIEWS
            return ast.Call(named_as("len"), [made], []) if is_range else size_of(made)
        return noting(f"some_{name}", made)

    def extreme_row(self, table: ast.expr, kind: Lst, name: str) -> ast.expr:
        """Return the largest, or smallest, tuple of a list of tuples."""
        helper = self.owner.choosing(shape_of(kind.item, 0), width(kind.item), name)
        return ast.Call(named_as(helper), [named_as("_g"), table], [])

    def of_dict_view(self, source: ast.expr, kind: Lst, name: str) -> ast.expr | None:
        """Translate ``len(d.items())``, and ``max`` or ``min`` of what are tuples in a dict; None for anything else."""
        owner = self.dict_gone_through(source)
        if owner is not None and name == "len":
            assert isinstance(source, ast.Call) and isinstance(source.func, ast.Attribute)
            return self.size(source.func.value, owner)
        if owner is None or name not in ("max", "min") or not isinstance(kind.item, Tup):
            return None
        listed = Lst(kind.item, "list", owner.most)
        return self.extreme_row(self.put(source, listed, self.space(listed)), listed, name)

    def of_text(self, node: ast.Call, name: str) -> ast.expr:
        """Return the length of a text that is a constant."""
        source = node.args[0]
        text = source.value if isinstance(source, ast.Constant) else self.constant_value(source)
        if not isinstance(text, str) or name != "len":
            raise self.refuse(node, f"{name} of texts")
        return ast.Constant(len(text))

    def always_has_room(self, func: ast.expr, kind: Lst) -> bool:
        """Return whether the list that a comprehension makes has room for as many items as its loops can have."""
        name = func.value.id if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) else ""
        if not name.startswith("_out_"):
            return False
        loops = [node.iter for node in ast.walk(self.kinds.tree) if isinstance(node, ast.For)]
        return math.prod(self.longest(source) for source in loops) <= kind.most

    def longest(self, node: ast.expr) -> int:
        """Return the largest number of items that a loop over an expression may have."""
        kind, row = self.kinds.of(node), self.row(node)
        if row is not None and row[0].field is not None:
            return reach_of(row[0].field.length)[1]
        if isinstance(kind, Tup):
            return len(kind.items)
        if isinstance(node, ast.Call):
            target = self.kinds.target(node.func)
            if target is range:
                return max(0, self.interval(node).high - min(0, self.interval(node).low)) + 1
            if target in (enumerate, zip, reversed, sorted) and node.args:
                return min(map(self.longest, node.args[:1]))
        return kind.most if isinstance(kind, Lst) and kind.form != VIEWS else 2**31

    def changes_something(self, node: ast.expr) -> bool:
        """Return whether an expression changes the game, a memory, or a list."""
        return bool(touched([node], self.kinds, self.owner.kinds).changes)


_MATH = {math.comb, math.perm, math.factorial, math.gcd, math.lcm, math.isqrt}
