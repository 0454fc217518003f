"""Rewrites expressions with lists, sets and dicts; see `dicelab.compile.kernels.list_support`."""

from __future__ import annotations

import ast
import math
from copy import deepcopy
from functools import partial
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
from dicelab.translation.rewrite.arithmetic import Arithmetic
from dicelab.translation.rewrite.calls import Calls
from dicelab.translation.rewrite.held import VIEWS, Held, cell_of, row_function, shape_of
from dicelab.translation.rewrite.names import Names, local_name, named_as, noting, size_of
from dicelab.translation.rewrite.optional import something, truth_of_optional

# expressions -------------------------------------------------------------------------------------------------


def visit(r: Held, node: ast.AST) -> Any:
    """Rewrite any expression; one that may be None must not be."""
    if isinstance(node, ast.expr) and isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
        kind = r.kinds.raw(node)
        if may_be_none(kind) and not isinstance(node, ast.IfExp | ast.BoolOp):
            return something(r, node, kind)
    if isinstance(node, ast.expr) and r.kinds.of(node) == UNCLEAR:
        raise r.refuse(node, f"{ast.unparse(node)[:60]}, which may be a text or something else")
    if (
        isinstance(node, ast.expr)
        and isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
        and not isinstance(node, ast.Subscript)
        and r.row(node) is None
        and r.list_kind(node) is not None
        and not _is_method_of_list(r, node)
    ):
        return r.list_at(node)
    return Names.visit(r, node)


def _is_method_of_list(r: Held, node: ast.AST) -> bool:
    """Return whether this is a call of a method that returns a list which is in a list: ``lists.pop()``."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    return r.kinds.rule_called(node) is None and node.func.attr in ("pop", "get", "setdefault")


def visit_Subscript(r: Held, node: ast.Subscript) -> ast.expr:
    """Translate ``a[i]`` and ``a[i:j]``."""
    kind = r.kinds.of(node.value)
    if isinstance(node.slice, ast.Slice):
        return slice_kept(r, node)
    base = node.value
    if is_record(kind):
        item = r.kinds.constant(node.slice)
        if item is None or not 0 <= item < len(kind.items):
            raise r.refuse(node, "an item of a tuple with lists in it, by a number that isn't written out")
        return r.of_record(r.visit(base), kind, item)
    if kind == TEXT:
        raise r.refuse(node, "a part of a text")
    if r.is_slice_of_numbers(base):
        return r.support("item_of", r.slice_of(base), r.operand(node.slice))
    held = kind if isinstance(kind, Lst) and r.row(base) is None else None
    is_made = not isinstance(base, ast.Name | ast.Subscript)
    if held is not None and held.form == "list" and not r.is_table(held) and is_made:
        return r.support("item", r.list_at(base), r.operand(node.slice))
    constant, own = r.kinds.constant_item(node), r.kinds.of(node)
    if isinstance(constant, dict | list) and isinstance(own, Lst | Tup):
        return r.literal(constant, node, r.shown(node)) if isinstance(own, Tup) else r.list_at(node)
    if held is not None and held.form != VIEWS:
        return item_of_dict(r, node, held) if held.form == "dict" else item_of_list(r, node, held)
    return Arithmetic.visit_Subscript(r, node)


def slice_kept(r: Held, node: ast.Subscript) -> ast.expr:
    """Return a slice as a tuple, or as a list of its own."""
    if isinstance(r.kinds.of(node), Tup):
        return ast.Subscript(r.visit(node.value), node.slice, ast.Load())
    kind = r.list_kind(node)
    return Arithmetic.visit_Subscript(r, node) if kind is None else r.fill(node, kind, r.space(kind))


def item_of_dict(r: Held, node: ast.Subscript, kind: Lst) -> ast.expr:
    """Translate ``d[key]``."""
    is_named = isinstance(node.value, ast.Name | ast.Attribute)
    if not isinstance(kind.value, Lst) and (kind.missing or not is_named):
        return looked_up(r, node.value, node.slice, kind)
    table, place = place_in(r, node, kind)
    return r.read(table, place, kind.value, width(kind.item))


def item_of_list(r: Held, node: ast.Subscript, kind: Lst) -> ast.expr:
    """Translate ``rows[k]``, also of a list that a call or a slice makes."""
    base = node.value
    is_made = isinstance(base, ast.Call | ast.List) or is_slice(base)
    if kind.form == "list" and isinstance(kind.item, Tup) and is_made:
        helper = r.owner.picking(shape_of(kind.item, 0))
        if helper:
            return ast.Call(named_as(helper), [named_as("_g"), r.list_at(base), r.operand(node.slice)], [])
    table, place = place_in(r, node, kind)
    return r.read(table, place, kind.item) if r.is_table(kind) else ast.Subscript(table, place, ast.Load())


def looked_up(r: Held, base: ast.expr, key: ast.expr, kind: Lst) -> ast.expr:
    """Translate ``d[key]`` of a dict without a name, or of a Counter or defaultdict."""
    if isinstance(kind.value, Lst) or kind.value is None:
        raise r.refuse(base, "an item of a dict of lists without a name; give it one on a line of its own")
    helper = r.owner.looking(shape_of(kind.value, width(kind.item)), kind.missing)
    wanted = r.as_tuple(key, kind.item)
    return ast.Call(named_as(helper), [named_as("_g"), r.list_at(base), wanted], [])


def place_in(r: Held, node: ast.Subscript, kind: Lst, adding: bool = False) -> tuple[ast.expr, ast.expr]:
    """Return the array of a list or dict, and the place in it of an item."""
    r.list_kind(node.value)
    table = r.list_at(node.value)
    if not isinstance(table, ast.Name | ast.Subscript):
        raise r.refuse(node, "an item of a list without a name; give it one on a line of its own")
    if kind.form == "set":
        raise r.refuse(node, "an item of a set")
    if kind.form == "dict":
        row = r.place_of(node.value, node.slice, kind, "known_place") if not kind.missing else None
        if row is not None:
            return table, row
        name = "row_of" if adding or kind.missing else "known_row"
        return table, r.support(name, table, r.as_tuple(node.slice, kind.item))
    size = cell_of(table, 0, 0) if r.is_table(kind) else ast.Subscript(table, ast.Constant(0), ast.Load())
    return table, r.support("position", r.operand(node.slice), size)


def list_in_dict(r: Held, table: ast.expr, place: ast.expr, kind: Lst) -> ast.expr:
    """Return the list that is the value of a key in a row of a dict of lists."""
    return r.read(table, place, kind.value, width(kind.item))


def visit_Attribute(r: Held, node: ast.Attribute) -> ast.expr:
    """Translate ``a.b``: an item with a name, or a field."""
    owner = r.kinds.of(node.value)
    if isinstance(owner, Tup) and node.attr in owner.names and r.field(node) is None:
        known = constant_value(r, node)
        if known is not None:
            return r.literal(known, node, node.attr)
        made = r.visit(node.value)
        if is_record(owner):
            return r.of_record(made, owner, owner.names.index(node.attr))
        return ast.Subscript(made, ast.Constant(owner.names.index(node.attr)), ast.Load())
    return Names.visit_Attribute(r, node)


def constant_value(r: Held, node: ast.AST) -> Any:
    """Return the number or tuple that a chain of attributes of a constant has; None if it isn't one."""
    if isinstance(node, ast.Name):
        return r.named(node.id)
    if isinstance(node, ast.Attribute):
        owner = constant_value(r, node.value)
        if owner is None or r.kinds.of(node.value) is None:
            return None
        return getattr(owner, node.attr, None)
    return None


def visit_BinOp(r: Held, node: ast.BinOp) -> ast.expr:
    """Translate an operation, on tuples or lists as well."""
    kind, sides = r.kinds.of(node), (node.left, node.right)
    if not isinstance(kind, Tup) or kind.form == "set" or is_record(kind):
        return Arithmetic.visit_BinOp(r, node)
    if isinstance(node.op, ast.Add):
        return ast.BinOp(r.visit(node.left), ast.Add(), r.visit(node.right))
    repeated, many = sorted(sides, key=lambda side: not isinstance(r.kinds.of(side), Tup))
    if not isinstance(repeated, ast.Name | ast.Tuple) or any(
        isinstance(p, ast.Call | ast.NamedExpr) for p in ast.walk(repeated)
    ):
        raise r.refuse(node, f"{r.shown(node)}, of a tuple without a name; give it one on a line of its own")
    made: ast.expr = ast.Tuple([], ast.Load())
    for _ in range(r.kinds.constant(many) or 0):
        made = ast.BinOp(made, ast.Add(), r.visit(deepcopy(repeated)))
    return made


def visit_NamedExpr(r: Held, node: ast.NamedExpr) -> ast.expr:
    """Translate ``name := value``."""
    kind = r.kinds.raw(node.value)
    if may_be_none(kind) and stripped(kind) in (NUMBER, None):
        r.boxed.add(node.target.id)
        value = r.maybe(node.value, kind)
        return r.support("set_box", named_as(local_name(node.target.id)), value, game=False)
    if kind not in (NUMBER, None):
        raise r.refuse(node, "an assignment inside an expression, of something other than a number")
    r.boxed.add(node.target.id)
    return r.support("set_box", named_as(local_name(node.target.id)), r.operand(node.value), game=False)


def visit_Dict(r: Held, node: ast.Dict) -> ast.expr:
    """Translate ``{key: value}``."""
    return r.list_at(node)


def truth_of(r: Held, node: ast.expr) -> ast.expr | None:
    """Return whether a list has items; None for anything else."""
    kind = r.kinds.of(node)
    if r.row(node) is not None or not isinstance(kind, Lst) or kind.form == VIEWS:
        return None
    return ast.Compare(size_in(r, node, kind), [ast.Gt()], [ast.Constant(0)])


def size_in(r: Held, node: ast.expr, kind: Lst) -> ast.expr:
    """Return the length of a list."""
    table = r.list_at(node)
    if r.is_table(kind):
        return cell_of(table, 0, 0)
    return ast.Subscript(table, ast.Constant(0), ast.Load())


def test(r: Held, node: ast.expr) -> ast.expr:
    """Return whether an expression is true; an empty list isn't."""
    truth = truth_of_optional(r, node)
    if truth is not None:
        return truth
    if r.kinds.of(node) == TEXT:
        raise r.refuse(node, "a text as a condition; compare it with ==")
    tested = truth_of(r, node)
    return tested if tested is not None else Arithmetic.test(r, node)


# calls -------------------------------------------------------------------------------------------------------


def visit_Call(r: Held, node: ast.Call) -> ast.expr:
    """Translate a call of a function of the rules, of Python or of its library."""
    target = r.kinds.target(node.func)
    if target is nothing:
        return noting("noted", ast.Constant(True), ast.Constant(0))
    if target in _MATH:
        return of_math(r, node, target)
    if isinstance(target, type) and issubclass(target, tuple) and hasattr(target, "_fields"):
        return named_tuple(r, node, target)
    if target in (max, min) and len(node.args) > 1 and not node.keywords:
        kinds = list(map(r.kinds.of, node.args))
        if any(isinstance(kind, Lst) for kind in kinds):
            raise r.refuse(node, "max or min of lists")
        if any(isinstance(kind, Tup) for kind in kinds):
            return extreme_tuple(r, node, ast.Gt() if target is max else ast.Lt())
    if target is sorted and r.kinds.sorted_at_once(node) is not None:
        return r.in_order(node)[0]
    made = of_tuple(r, node) if target is tuple else None
    return Calls.visit_Call(r, node) if made is None else made


def of_tuple(r: Held, node: ast.Call) -> ast.expr | None:
    """Rewrite ``tuple()``, and ``tuple(...)`` of what is a tuple; None for anything else."""
    if not node.args:
        return ast.Tuple([], ast.Load())
    if len(node.args) == 1 and isinstance(r.kinds.of(node), Tup):
        made: ast.expr = r.visit(node.args[0])
        return made
    return None


def named_tuple(r: Held, node: ast.Call, target: Any) -> ast.expr:
    """Return a named tuple as a tuple of its values."""
    kind = r.kinds.of(node)
    parts = dict(zip(target._fields, node.args, strict=False)) | {str(k.arg): k.value for k in node.keywords}
    defaults: dict[str, Any] = getattr(target, "_field_defaults", {})
    if sorted(parts, key=kind.names.index) != list(parts) and any(map(partial(changes_something, r), parts.values())):
        raise r.refuse(node, f"{target.__name__} with values by name in another order; write them in its order")
    if any(isinstance(r.kinds.of(part), Lst) for part in parts.values()):
        raise r.refuse(node, f"{r.shown(node)}, a tuple with a list in it; give the list a name of its own")
    made = [r.argument(parts[n]) if n in parts else r.literal(defaults.get(n), node, n) for n in kind.names]
    return ast.Tuple(made, ast.Load())


def extreme_tuple(r: Held, node: ast.Call, better: ast.cmpop) -> ast.expr:
    """Translate ``max(one, other)`` or ``min(one, other)`` of two variables that are tuples."""
    if len(node.args) != 2 or not all(isinstance(part, ast.Name) for part in node.args):
        raise r.refuse(node, f"{r.shown(node)}, of tuples; give each a name, or write max(t for t in (p, q))")
    one, other = node.args
    chosen = ast.IfExp(ast.Compare(other, [better], [one]), other, one)
    made: ast.expr = r.visit(ast.fix_missing_locations(ast.copy_location(chosen, node)))
    return made


def of_math(r: Held, node: ast.Call, target: Any) -> ast.expr:
    """Return a function of ``math`` on whole numbers."""
    if node.keywords:
        raise r.refuse(node, f"{target.__name__} with arguments by name")
    given = [r.operand(part) for part in node.args]
    if target in (math.gcd, math.lcm) and len(given) >= 1:
        made = given[0] if len(given) > 1 else r.support("gcd", given[0], ast.Constant(0), game=False)
        for part in given[1:]:
            made = r.support("gcd", made, part, game=False) if target is math.gcd else r.support("lcm", made, part)
        return made
    if target is math.perm and len(given) == 1:
        given = given * 2
    if target is math.factorial:
        return r.support("perm", given[0], given[0])
    return r.support(target.__name__, *given)


def of_all(r: Held, node: ast.Call, name: str) -> ast.expr:
    """Translate ``max``, ``min``, ``sum`` or ``len`` of a sequence."""
    source = node.args[0]
    kind = r.kinds.of(source)
    if kind == TEXT or (item_of(kind) == TEXT and name != "len"):
        return of_text(r, node, name)
    if r.row(source) is None and isinstance(kind, Lst):
        return of_all_in_list(r, node, name, kind)
    if kind == Tup(()) and name != "len":
        return ast.Constant(0) if name == "sum" else noting("noted", ast.Constant(True), ast.Constant(0))
    if isinstance(kind, Tup):
        if name == "len":
            return ast.Constant(len(kind.items))
        value = r.named(source.id) if isinstance(source, ast.Name) else None
        if isinstance(value, list | set | frozenset | range):
            return ast.Call(named_as(name), [r.literal(tuple(value), source, str(getattr(source, "id", "")))], [])
    return Calls.of_all(r, node, name)


def of_all_in_list(r: Held, node: ast.Call, name: str, kind: Lst) -> ast.expr:
    """Translate ``max``, ``min``, ``sum`` or ``len`` of a list, or of what can only be gone through."""
    source = node.args[0]
    if name == "len" and kind.form != VIEWS and (r.is_table(kind) or not is_slice(source)):
        return size_in(r, source, kind)
    if kind.form != VIEWS and r.is_table(kind) and kind.form != "dict":
        if isinstance(kind.item, Tup) and name in ("max", "min"):
            return extreme_row(r, r.list_at(source), kind, name)
        raise r.refuse(node, f"{name} of a list of tuples or lists; use key=, or max(... for ...)")
    tested = of_dict_view(r, source, kind, name)
    if tested is not None:
        return tested
    if isinstance(source, ast.Call) and r.kinds.target(source.func) is range:
        return Calls.of_all(r, node, name)
    made = r.sequence(source)
    if name == "sum":
        if not r.interval(node).is_cut and r.interval(source).most < 2**31:
            return ast.Call(row_function("sum"), [made], [])
        return noting("row_sum_noticed", made)
    if name == "len":
        is_range = isinstance(source, ast.Name) and kind.form == VIEWS
        return ast.Call(named_as("len"), [made], []) if is_range else size_of(made)
    return noting(f"some_{name}", made)


def extreme_row(r: Held, table: ast.expr, kind: Lst, name: str) -> ast.expr:
    """Return the largest, or smallest, tuple of a list of tuples."""
    helper = r.owner.choosing(shape_of(kind.item, 0), width(kind.item), name)
    return ast.Call(named_as(helper), [named_as("_g"), table], [])


def of_dict_view(r: Held, source: ast.expr, kind: Lst, name: str) -> ast.expr | None:
    """Translate ``len(d.items())``, and ``max`` or ``min`` of what are tuples in a dict; None for anything else."""
    owner = r.dict_gone_through(source)
    if owner is not None and name == "len":
        assert isinstance(source, ast.Call) and isinstance(source.func, ast.Attribute)
        return size_in(r, source.func.value, owner)
    if owner is None or name not in ("max", "min") or not isinstance(kind.item, Tup):
        return None
    listed = Lst(kind.item, "list", owner.most)
    return extreme_row(r, r.put(source, listed, r.space(listed)), listed, name)


def of_text(r: Held, node: ast.Call, name: str) -> ast.expr:
    """Return the length of a text that is a constant."""
    source = node.args[0]
    text = source.value if isinstance(source, ast.Constant) else constant_value(r, source)
    if not isinstance(text, str) or name != "len":
        raise r.refuse(node, f"{name} of texts")
    return ast.Constant(len(text))


def always_has_room(r: Held, func: ast.expr, kind: Lst) -> bool:
    """Return whether the list that a comprehension makes has room for as many items as its loops can have."""
    name = func.value.id if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) else ""
    if not name.startswith("_out_"):
        return False
    loops = [node.iter for node in ast.walk(r.kinds.tree) if isinstance(node, ast.For)]
    return math.prod(longest(r, source) for source in loops) <= kind.most


def longest(r: Held, node: ast.expr) -> int:
    """Return the largest number of items that a loop over an expression may have."""
    kind, row = r.kinds.of(node), r.row(node)
    if row is not None and row[0].field is not None:
        return reach_of(row[0].field.length)[1]
    if isinstance(kind, Tup):
        return len(kind.items)
    if isinstance(node, ast.Call):
        target = r.kinds.target(node.func)
        if target is range:
            return max(0, r.interval(node).high - min(0, r.interval(node).low)) + 1
        if target in (enumerate, zip, reversed, sorted) and node.args:
            return min(map(partial(longest, r), node.args[:1]))
    return kind.most if isinstance(kind, Lst) and kind.form != VIEWS else 2**31


def changes_something(r: Held, node: ast.expr) -> bool:
    """Return whether an expression changes the game, a memory, or a list."""
    return bool(touched([node], r.kinds, r.owner.kinds).changes)


_MATH = {math.comb, math.perm, math.factorial, math.gcd, math.lcm, math.isqrt}
