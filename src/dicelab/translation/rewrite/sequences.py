"""Rewrites sequences that are gone through, and loops over lists of tuples, which go by places."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from dicelab.translation.infer.kinds import (
    GRID,
    LINE,
    NUMBER,
    TEXT,
    Lst,
    Tup,
    changed_in,
    is_record,
    is_slice,
    item_of,
    root,
    width,
)
from dicelab.translation.infer.names_of_lists import (
    Copied,
    changed_items,
    copied_in,
    has_slices,
    is_nested,
    lazy_parts,
    touched,
)
from dicelab.translation.intervals import ANY
from dicelab.translation.rewrite.arithmetic import Arithmetic
from dicelab.translation.rewrite.held import VIEWS, Held, cell_of, is_starred
from dicelab.translation.rewrite.names import assigned, local_name, named_as, size_of

Source = tuple[ast.expr, Any, Callable[[ast.expr], ast.expr]]
"""A sequence by its places: its length, the kind of its items, and the item at a place counted from 0."""


def view_called(r: Held, node: ast.Call) -> ast.expr | None:
    """Return the numbers of a call of ``reversed``, ``keys`` or ``values``; None for others."""
    func = node.func
    if r.kinds.target(func) is reversed:
        return ast.Subscript(r.numbers(node.args[0]), ast.Slice(None, None, ast.Constant(-1)), ast.Load())
    if isinstance(func, ast.Attribute) and func.attr in ("keys", "values"):
        owner = r.list_kind(func.value)
        if owner is not None and owner.form == "dict":
            return column(r, func.value, owner, 0 if func.attr == "keys" else width(owner.item))
    return None


def sequence(r: Held, node: ast.expr) -> ast.expr:
    """Return a sequence whose numbers are used one by one."""
    kind = r.kinds.of(node)
    if isinstance(node, ast.List) and not node.elts:
        return r.support("items", r.list_at(node), game=False)
    if r.row(node) is not None or (isinstance(node, ast.List | ast.Tuple) and not is_starred(node)):
        return Arithmetic.sequence(r, node)
    if is_slice(node):
        return r.slice_of(node)
    if isinstance(kind, Lst) and kind.form != VIEWS:
        if r.is_table(kind) and kind.form != "dict":
            raise r.refuse(node, f"{ast.unparse(node)[:60]}, a list of tuples or lists, where numbers are needed")
        if kind.form == "dict":
            return column(r, node, kind, 0)
        return r.support("items", r.list_at(node), game=False)
    if isinstance(node, ast.Call) and isinstance(kind, Lst):
        view = view_called(r, node)
        if view is not None:
            return view
    known = constant_sequence(r, node, kind) if isinstance(kind, Tup) else None
    return Arithmetic.sequence(r, node) if known is None else known


def constant_sequence(r: Held, node: ast.expr, kind: Tup) -> ast.expr | None:
    """Return the values of a constant list, set or range of numbers or texts with a name; None for others."""
    if not isinstance(node, ast.Name) or not kind.items or any(item not in (NUMBER, TEXT) for item in kind.items):
        return None
    value = r.named(node.id)
    return r.literal(tuple(value), node, node.id) if isinstance(value, list | set | frozenset | range) else None


def column(r: Held, node: ast.expr, kind: Lst, place: int) -> ast.expr:
    """Return the keys or values of a dict whose keys, or values, are numbers."""
    wanted = kind.item if place == 0 else kind.value
    if wanted != NUMBER:
        raise r.refuse(node, "keys, or values, that are tuples, where numbers are needed")
    table = r.list_at(node)
    if not isinstance(table, ast.Name):
        made = r.support("column", r.space(Lst(NUMBER)), table, ast.Constant(place))
        return r.support("items", made, game=False)
    last = ast.BinOp(cell_of(table, 0, 0), ast.Add(), ast.Constant(1))
    return ast.Subscript(
        table, ast.Tuple([ast.Slice(ast.Constant(1), last), ast.Constant(place)], ast.Load()), ast.Load()
    )


def slice_of(r: Held, node: ast.Subscript) -> ast.expr:
    """Translate ``numbers[a:b:c]`` as a part of an array."""
    assert isinstance(node.slice, ast.Slice)
    step = node.slice.step
    if step is not None and r.kinds.constant(step) in (None, 0) and not isinstance(step, ast.UnaryOp):
        raise r.refuse(node, "a slice whose step isn't written as a number")
    ends = [None if end is None else r.operand(end) for end in (node.slice.lower, node.slice.upper)]
    base = node.value
    kind = r.kinds.of(base)
    if isinstance(kind, Lst) and r.is_table(kind):
        raise r.refuse(node, "a slice of a list of tuples; write [... for i in range(...)]")
    of_any_length = isinstance(kind, Tup) and r.row(base) is None and not isinstance(r.kinds.of(node), Tup)
    made = r.as_numbers(base, kind) if of_any_length else r.numbers(base)
    return ast.Subscript(made, ast.Slice(ends[0], ends[1], None if step is None else r.visit(step)), ast.Load())


def source_of(r: Held, node: ast.expr, before: list[ast.stmt]) -> Source | None:
    """Return a sequence by its places: its length, the kind of its items, and the item at a place counted from 0.

    None for what is gone through as it is.
    """
    kind = r.kinds.of(node)
    if isinstance(node, ast.Call) and isinstance(kind, Lst) and kind.form == VIEWS:
        return source_of_view(r, node, before)
    if kind == GRID:
        return lines_of_grid(r, node)
    if isinstance(kind, Lst) and kind.form != VIEWS and r.is_table(kind) and r.row(node) is None:
        r.list_kind(node)
        table = held(r, node, before)
        return (
            cell_of(table, 0, 0),
            kind.item,
            lambda i: r.read(table, ast.BinOp(i, ast.Add(), ast.Constant(1)), kind.item),
        )
    return None


def source_of_view(r: Held, node: ast.Call, before: list[ast.stmt]) -> Source | None:
    """As `source`, of ``reversed``, ``enumerate``, ``zip``, and the items, keys or values of a dict."""
    target = r.kinds.target(node.func)
    if target is reversed:
        inner = source_of(r, node.args[0], before)
        if inner is None:
            return None
        size = r.temporary()
        before.append(assigned(size, inner[0]))
        last = ast.BinOp(named_as(size), ast.Sub(), ast.Constant(1))
        return named_as(size), inner[1], lambda i: inner[2](ast.BinOp(last, ast.Sub(), i))
    if target is enumerate:
        return numbered_source(r, node, before)
    if target is zip:
        parts = [source_of(r, part, before) or as_array(r, part, before) for part in node.args]
        size = r.temporary()
        sizes = [part[0] for part in parts]
        before.append(assigned(size, sizes[0] if len(sizes) == 1 else ast.Call(named_as("min"), sizes, [])))
        pair = Tup(tuple(part[1] for part in parts))
        return named_as(size), pair, lambda i: PairedValues([part[2](i) for part in parts])
    if isinstance(node.func, ast.Attribute) and node.func.attr in ("items", "keys", "values"):
        return parts_of_dict(r, node.func, before)
    return None


def numbered_source(r: Held, node: ast.Call, before: list[ast.stmt]) -> Source:
    """As `source`, of ``enumerate``."""
    inner = source_of(r, node.args[0], before) or as_array(r, node.args[0], before)
    start = next((k.value for k in node.keywords if k.arg == "start"), None)
    start = node.args[1] if len(node.args) > 1 else start
    first = r.operand(start) if start is not None else ast.Constant(0)
    name = r.temporary()
    before.append(assigned(name, first))
    pair = Tup((NUMBER, inner[1]))
    return inner[0], pair, lambda i: PairedValues([ast.BinOp(named_as(name), ast.Add(), i), inner[2](i)])


def parts_of_dict(r: Held, view: ast.Attribute, before: list[ast.stmt]) -> Source | None:
    """As `source`, of ``d.items``, ``d.keys`` or ``d.values``."""
    owner = r.list_kind(view.value)
    if owner is None:
        return None
    table, after = held(r, view.value, before), width(owner.item)
    reads: list[tuple[Any, int]] = {
        "items": [(owner.item, 0), (owner.value, after)],
        "keys": [(owner.item, 0)],
        "values": [(owner.value, after)],
    }[view.attr]

    def at(i: ast.expr) -> ast.expr:
        values = [r.read(table, ast.BinOp(i, ast.Add(), ast.Constant(1)), item, first) for item, first in reads]
        return PairedValues(values) if len(values) == 2 else values[0]

    item = Tup(tuple(k for k, _ in reads)) if len(reads) == 2 else reads[0][0]
    return cell_of(table, 0, 0), item, at


def lines_of_grid(r: Held, node: ast.expr) -> Source:
    """As `source`, of a grid of the state: its lines."""
    grid = r.row(node)
    assert grid is not None
    columns = r.columns(grid[0])
    r.going_through_grid = grid[0]

    def line(i: ast.expr) -> ast.expr:
        first = ast.BinOp(i, ast.Mult(), columns)
        part = ast.Slice(first, ast.BinOp(first, ast.Add(), columns))
        return ast.Subscript(grid[1], part, ast.Load())

    return ast.BinOp(size_of(grid[1]), ast.FloorDiv(), columns), LINE, line


def held(r: Held, node: ast.expr, before: list[ast.stmt]) -> ast.expr:
    """Return the array of a list under a name."""
    made = r.list_at(node)
    if isinstance(made, ast.Name):
        return made
    name = r.temporary()
    before.append(assigned(name, made))
    return named_as(name)


def as_array(r: Held, node: ast.expr, before: list[ast.stmt]) -> tuple[ast.expr, Any, Callable[[ast.expr], ast.expr]]:
    """Return a sequence of numbers, or a tuple, by its places."""
    kind, name = r.kinds.of(node), r.temporary()
    target = r.kinds.target(node.func) if isinstance(node, ast.Call) else None
    made: ast.expr
    if target is range and isinstance(node, ast.Call):
        made = ast.Call(named_as("range"), [r.operand(part) for part in node.args], [])
    elif isinstance(kind, Tup) and not isinstance(node, ast.Tuple | ast.List):
        made = r.visit(node) if r.row(node) is None else r.sequence(node)
    else:
        made = r.sequence(node)
    before.append(assigned(name, made))
    item = item_of(kind) if item_of(kind) is not None else NUMBER
    size: ast.expr = ast.Call(named_as("len"), [named_as(name)], [])
    return size, item, lambda i: ast.Subscript(named_as(name), i, ast.Load())


def must_not_interfere(r: Held, node: ast.For) -> None:
    """Let a loop go through copies of slices that its body changes; refuse one over values computed meanwhile."""
    if hasattr(node, "earlier"):
        must_be_in_any_order(r, node.iter, node.earlier)
    parts = [part for part in ast.walk(node.iter) if isinstance(part, ast.expr)]
    has_set = any(getattr(r.kinds.of(part), "form", "") == "set" for part in parts)
    in_any_order = has_set and getattr(node, "unordered", False)
    if in_any_order and touched(node.body, r.kinds, r.owner.kinds).changes_fields:
        raise r.refuse(node, "the order of a set, which isn't fixed, to change the game; use sorted(...)")
    lazy, slices = list(lazy_parts(node.iter, r.kinds)), has_slices(node.iter, r.kinds)
    if not lazy and not slices and not isinstance(node.iter, ast.IfExp | ast.BoolOp):
        return
    body = touched([node.target, *node.body], r.kinds, r.owner.kinds)
    for part in lazy:
        r.list_kind(part)
        given = touched([part], r.kinds, r.owner.kinds)
        if given.changes_fields or given.depends_on(body):
            raise r.refuse(
                node,
                "a loop over values that Python computes one by one, and changes what they depend on, or they "
                "change something; go through list(...)",
            )
    several = isinstance(node.iter, ast.IfExp | ast.BoolOp)
    if several and touched([node.iter], r.kinds, r.owner.kinds).depends_on(body):
        raise r.refuse(node, "a loop over one of several rows, which its body changes; go through list(...)")
    if slices:
        node.iter = Copied(body, r.kinds, r.owner.kinds).visit(node.iter)


def must_be_in_any_order(r: Held, sequence: ast.expr, earlier: list[ast.stmt]) -> None:
    """Refuse a sequence that Python evaluates before some statements, where the order could matter."""
    one, other = (touched(parts, r.kinds, r.owner.kinds) for parts in ([sequence], earlier))
    both = one.changes_fields and other.changes_fields
    if both or one.depends_on(other) or other.depends_on(one):
        raise r.refuse(sequence, "an argument that changes what another one reads; use two lines")


def loop_by_places(r: Held, node: ast.For) -> list[ast.stmt] | None:
    """Return a loop over a list of tuples, or over several sequences with one, goes by places; None for other
    loops.
    """
    kind = r.kinds.of(node.iter)
    changed = {name for part in node.body for name in changed_in(part) | rebound_in(part)}
    lists = {n for n in gone_through(node.iter) if isinstance(r.kinds.of(ast.Name(n, ast.Load())), Lst)}
    if changed & lists and not isinstance(r.kinds.of(node.iter), Tup):
        raise r.refuse(node, "a loop over a list that its body changes; go through a copy: list(...)")
    for one in copied_in(node.iter, r.kinds):
        nested, names = is_nested(r.kinds.of(one)), root(one)
        if names & changed_items(r.kinds) or (not nested and names & changed_in(r.kinds.tree)):
            what = f"a loop over copies of {r.shown(one)}, one of which changes; go through it by places"
            raise r.refuse(node, f"{what}: for i in range(len(...))")
    if isinstance(kind, Lst) and kind.form == "set" and not getattr(node, "unordered", False):
        raise r.refuse(node, "a loop over a set, whose order isn't fixed; go through sorted(...)")
    before: list[ast.stmt] = []
    needs = needs_places(r, node.iter)
    rows = source_of(r, node.iter, before) if needs else None
    if rows is None:
        return None
    size, item, at = rows
    place, many = r.temporary(), r.temporary()
    before.append(assigned(many, size))
    kept = [check for name in sorted(lists) for check in must_keep_size(r, name, before)]
    head = bind(r, node.target, item, at(named_as(place)))
    loop = ast.For(
        ast.Name(place, ast.Store()),
        ast.Call(named_as("range"), [named_as(many)], []),
        [*kept, *head, *r.block(node.body)],
        [*kept, *r.block(node.orelse)],
        lineno=node.lineno,
    )
    return [*before, loop]


def must_keep_size(r: Held, name: str, before: list[ast.stmt]) -> list[ast.stmt]:
    """Return the statement that records an error if a loop over a defaultdict has added keys by reading them."""
    node = ast.Name(name, ast.Load())
    kind = r.kinds.of(node)
    if not isinstance(kind, Lst) or kind.missing != "added":
        return []
    first, table = r.temporary(), r.list_at(node)
    before.append(assigned(first, cell_of(table, 0, 0)))
    return [ast.Expr(r.support("must_have", cell_of(table, 0, 0), named_as(first)))]


def needs_places(r: Held, node: ast.expr) -> bool:
    """Return whether a sequence has tuples or lists, so that a loop goes by places."""
    for part in ast.walk(node):
        kind = r.kinds.of(part) if isinstance(part, ast.expr) else None
        if kind == GRID and not is_indexed(r, part, node):
            return True
        if isinstance(kind, Lst) and kind.form != VIEWS and r.is_table(kind) and r.row(part) is None:
            return True
        if isinstance(kind, Lst) and kind.form == VIEWS and isinstance(part, ast.Call):
            if isinstance(part.func, ast.Attribute):
                return True
            if r.kinds.target(part.func) is enumerate and part.keywords:
                return True
    return False


def is_indexed(r: Held, grid: ast.AST, within: ast.AST) -> bool:
    """Return whether only a row of a row of rows is used in an expression."""
    return any(isinstance(part, ast.Subscript) and part.value is grid for part in ast.walk(within))


def bind(r: Held, target: ast.expr, kind: Any, value: ast.expr) -> list[ast.stmt]:
    """Assign an item of a sequence to the target of a loop."""
    if kind == LINE and isinstance(target, ast.Name) and r.going_through_grid is not None:
        if r.bound.get(target.id, 1) != 1:
            raise r.refuse(target, f"{target.id} for a row and for something else; use two names")
        r.rows[target.id] = r.going_through_grid, named_as(local_name(target.id))
    if isinstance(target, ast.Name):
        made = ast.Tuple(list(value.elts), ast.Load()) if isinstance(value, PairedValues) else value
        return [assigned(local_name(target.id), made), *r.mark([target.id])]
    if not isinstance(target, ast.Tuple | ast.List) and kind == NUMBER and not is_slice(target):
        return r.store(target, ANY, value)
    if not isinstance(target, ast.Tuple | ast.List):
        raise r.refuse(target, f"{r.shown(target)} set together with others; set it on a line of its own")
    return bind_parts(r, target, kind, value)


def bind_parts(r: Held, target: ast.Tuple | ast.List, kind: Any, value: ast.expr) -> list[ast.stmt]:
    """Assign the parts of an item of a sequence to the targets of a loop."""
    statements: list[ast.stmt] = []
    if isinstance(value, PairedValues):
        parts = zip(target.elts, getattr(kind, "items", ()), value.elts, strict=True)
        return [s for t, k, v in parts for s in bind(r, t, k, v)]
    if is_record(kind):
        name = r.temporary()
        statements = [assigned(name, value)]
        for i, (part, item) in enumerate(zip(target.elts, kind.items, strict=True)):
            statements += bind(r, part, item, r.of_record(named_as(name), kind, i))
        return statements
    if isinstance(kind, Tup):
        if len(kind.items) != len(target.elts):
            raise r.refuse(target, f"{len(kind.items)} values unpacked into {len(target.elts)}")
        name = r.temporary()
        statements = [assigned(name, value)]
        for i, (part, item) in enumerate(zip(target.elts, kind.items, strict=True)):
            statements += bind(r, part, item, ast.Subscript(named_as(name), ast.Constant(i), ast.Load()))
        return statements
    if isinstance(kind, Lst):
        name = r.temporary()
        statements = [assigned(name, value), *must_have(r, named_as(name), len(target.elts))]
        for i, part in enumerate(target.elts):
            statements += bind(r, part, kind.item, ast.Subscript(named_as(name), ast.Constant(i + 1), ast.Load()))
        return statements
    raise r.refuse(target, "values that can't be unpacked")


def must_have(r: Held, made: ast.expr, many: int) -> list[ast.stmt]:
    """Return a statement that records an error unless a list has so many values."""
    size = ast.Subscript(made, ast.Constant(0), ast.Load())
    return [ast.Expr(r.support("must_have", size, ast.Constant(many)))]


class PairedValues(ast.Tuple):
    """Several values that belong together, before they are assigned."""

    def __init__(self, parts: Sequence[ast.expr]) -> None:
        super().__init__(list(parts), ast.Load())


def rebound_in(tree: ast.AST) -> set[str]:
    """Return the variables to which statements assign."""
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def gone_through(node: ast.expr) -> set[str]:
    """Return the variables whose lists a loop over an expression goes through, without a copy."""
    if isinstance(node, ast.Name):
        return {node.id}
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("enumerate", "zip", "reversed")
    ):
        return {name for part in node.args for name in gone_through(part)}
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("items", "keys", "values")
    ):
        return gone_through(node.func.value)
    return root(node) if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice) else set()
