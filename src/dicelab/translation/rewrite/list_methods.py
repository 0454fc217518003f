"""Rewrites calls of the methods of lists, sets, dicts and tuples, and assignments to lists and to their items."""

from __future__ import annotations

import ast
from typing import Any

from dicelab.translation.infer.kinds import (
    CHANGING,
    NUMBER,
    Lst,
    Opt,
    Tup,
    augmented_in,
    changed_in,
    is_item,
    item_of,
    may_be_none,
    root,
    width,
)
from dicelab.translation.infer.names_of_lists import (
    aliases,
    changed_items,
    has_other_names,
    is_changed_later,
    is_used_later,
    lazy_parts,
    same_as,
    sources,
    touched,
)
from dicelab.translation.intervals import ANY
from dicelab.translation.rewrite.arithmetic import as_number
from dicelab.translation.rewrite.calls import Calls, is_search
from dicelab.translation.rewrite.combined import combined_sets, merged, rows_of
from dicelab.translation.rewrite.held import VIEWS, Held, shape_of
from dicelab.translation.rewrite.lists import list_in_dict, place_in
from dicelab.translation.rewrite.names import OUTLIVES, assigned, local_name, named_as, noting
from dicelab.translation.rewrite.sequences import bind, column, must_have


def method_call(r: Held, node: ast.Call, func: ast.Attribute) -> ast.expr:
    """Translate a call of a method of a list, set or dict, or of anything else."""
    kind = r.kinds.of(func.value)
    if r.row(func.value) is None and isinstance(kind, Lst) and kind.form != VIEWS:
        return of_list(r, node, func, kind)
    if isinstance(kind, Tup) and is_search(node, func.attr):
        made = r.as_numbers(func.value, kind)
        return r.searched(node, func.attr, made, r.value(node.args[0], item_of(kind)))
    return Calls.method_call(r, node, func)


def of_list(r: Held, node: ast.Call, func: ast.Attribute, kind: Lst) -> ast.expr:
    """Return a call of a method of a list, set or dict."""
    name, given = func.attr, node.args
    r.list_kind(func.value)
    if name in CHANGING:
        must_be_one(r, func.value, node)
        for changed in root(func.value):
            r.must_be_own(changed, node)
        for part in given if name in ("extend", "update", "subtract") else ():
            must_not_read(r, part, root(func.value), node)
        if kind.constant:
            raise r.breaks(node, f".{name}() changes something that outlives the game; declare what changes as a field")
    if node.keywords and name != "sort":
        raise r.refuse(node, f".{name}() with arguments by name")
    table = r.list_at(func.value)
    if kind.form == "dict":
        return of_dict(r, node, name, table, kind)
    if is_search(node, name) and not r.is_table(kind):
        items = r.support("items", table, game=False)
        return r.searched(node, name, items, r.value(given[0], kind.item))
    if name == "clear" and not given:
        return r.support("emptied" if r.is_table(kind) else "empty", table, game=False)
    return of_table(r, node, name, table, kind) if r.is_table(kind) else of_line(r, node, name, table, kind)


def must_be_one(r: Held, owner: ast.expr, node: ast.Call) -> None:
    """Refuse to change a list without a name that may be one of several, or that a function was given."""
    called = r.kinds.rule_called(owner) if isinstance(owner, ast.Call) else None
    shares = called is not None and any(isinstance(r.kinds.of(part), Lst) for part in called[2])
    if shares or isinstance(owner, ast.IfExp | ast.BoolOp | ast.NamedExpr):
        raise r.refuse(node, f"{r.shown(node)}, a change of a list without a name; change it by its name")


def of_table(r: Held, node: ast.Call, name: str, table: ast.expr, kind: Lst) -> ast.expr:
    """Return a call of a method of a list of tuples or of lists."""
    given = node.args
    if name in ("append", "add") and len(given) == 1:
        if isinstance(kind.item, Lst) and kind.form != "set":
            must_not_share(r, given[0], node)
            return r.support("append_list", table, r.list_or_row(given[0]))
        return r.support(f"{name}_row", table, r.as_tuple(given[0], kind.item))
    if name in ("discard", "remove") and len(given) == 1 and not isinstance(kind.item, Lst):
        return r.support(f"{name}_row", table, r.as_tuple(given[0], kind.item))
    made = of_tuples(r, node, name, table, kind.item) if isinstance(kind.item, Tup) else None
    if made is None and isinstance(kind.item, Tup) and name == "extend" and len(given) == 1:
        made = r.support("extend_rows", table, rows_of(r, given[0], kind))
    if made is None:
        raise r.refuse(node, f".{name}() of a list of tuples or lists")
    return made


def of_tuples(r: Held, node: ast.Call, name: str, table: ast.expr, item: Tup) -> ast.expr | None:
    """Return a call of a method that only a list of tuples has; None for others."""
    given, last = node.args, ast.Constant(-1)
    if name in ("index", "count") and len(given) == 1:
        return r.support(f"{name}_row", table, r.as_tuple(given[0], item))
    if name == "insert" and len(given) == 2:
        return r.support("insert_row", table, r.operand(given[0]), r.as_tuple(given[1], item))
    if name == "reverse" and not given:
        return r.support("reverse_rows", table, game=False)
    if name == "sort" and (down := reverse_of(node)) is not None:
        return r.support("sort_rows", table, r.test(down), ast.Constant(width(item)), game=False)
    if name == "pop" and len(given) <= 1 and isinstance(table, ast.Name):
        helper = named_as(r.owner.taking(shape_of(item, 0)))
        return ast.Call(helper, [named_as("_g"), table, r.operand(given[0]) if given else last], [])
    return None


def of_line(r: Held, node: ast.Call, name: str, table: ast.expr, kind: Lst) -> ast.expr:
    """Return a call of a method of a list or a set of numbers."""
    given = node.args
    if name == "pop" and len(given) <= 1 and kind.form == "list":
        return r.support("pop", table, r.operand(given[0]) if given else ast.Constant(-1))
    if name in ("extend", "update") and len(given) == 1:
        return r.support("unite" if name == "update" else "extend", table, r.sequence(given[0]))
    if name == "sort" and (down := reverse_of(node)) is not None:
        return r.support("sort", table, r.test(down), game=False)
    if name == "reverse" and not given:
        return r.support("reverse", table, game=False)
    if name in ("append", "insert", "remove", "add", "discard") and len(given) == (2 if name == "insert" else 1):
        numbers = [r.operand(part) for part in given[:-1]]
        return r.support(name, table, *numbers, r.value(given[-1], kind.item))
    if name in ("issubset", "issuperset") and len(given) == 1:
        items, other = r.support("items", table, game=False), r.sequence(given[0])
        pair = (items, other) if name == "issubset" else (other, items)
        return as_number(r.support("is_within", *pair, game=False))
    raise r.refuse(node, f".{name}() of a {kind.form}")


def must_not_share(r: Held, value: ast.expr, node: ast.AST) -> None:
    """Refuse to put a list into another one where the rule changes it afterwards, or before it is made anew."""
    owner, changed = root(getattr(getattr(node, "func", node), "value", node)), changed_items(r.kinds)
    inside, within = owner & changed, sources(r.kinds)
    for one in aliases(value, r.kinds):
        name = r.shown(one)
        if not isinstance(one, ast.Name):
            if (owner | root(one)) & (changed | (r.kinds.changed - owner)):
                raise r.refuse(node, f"{name}, a list that is in two places; put a copy there: list(...)")
            continue
        if within.get(one.id, set()) & changed:
            raise r.refuse(node, f"{name}, which is in another list that changes; put a copy there: list({name})")
        seen = inside and (has_other_names(one.id, node, r.kinds) or is_used_later(one.id, node, r.kinds))
        if seen or is_changed_later({one.id}, node, r.kinds):
            raise r.refuse(node, f"{name}, which is changed, inside another list; put a copy there: list({name})")


def must_not_read(r: Held, given: ast.expr, grows: set[str], node: ast.AST) -> None:
    """Refuse to add what Python computes one by one from the list, set or dict that grows meanwhile."""
    for part in lazy_parts(given, r.kinds):
        if grows & touched([part], r.kinds, r.owner.kinds).reads:
            one = ", ".join(sorted(grows))
            raise r.refuse(node, f"an addition to {one} of what is computed from {one}; write list(...)")


def of_dict(r: Held, node: ast.Call, name: str, table: ast.expr, kind: Lst) -> ast.expr:
    """Return a call of a method of a dict."""
    given = node.args
    if name == "get" and 1 <= len(given) <= 2:
        return got(r, node, table, kind)
    if kind.missing == "zero":
        made = of_counter(r, node, name, table, kind)
        if made is not None:
            return made
    if name == "pop" and 1 <= len(given) <= 2 and not isinstance(kind.value, Lst):
        helper = r.owner.dropping(shape_of(kind.value, width(kind.item)), len(given) == 2)
        default = [default_for(r, node, kind.value) for _ in given[1:]]
        key = r.as_tuple(given[0], kind.item)
        return ast.Call(named_as(helper), [named_as("_g"), table, key, *default], [])
    if name == "clear" and not given:
        return r.support("emptied", table, game=False)
    if name == "setdefault" and len(given) == 2 and isinstance(kind.value, Lst):
        if not isinstance(given[1], ast.List) or given[1].elts:
            raise r.refuse(node, ".setdefault() with a list that isn't empty; ask with `in` first")
        place = r.support("row_of", table, r.as_tuple(given[0], kind.item))
        return list_in_dict(r, table, place, kind)
    if name == "update" and len(given) == 1:
        return merged(r, table, kind, given[0])
    raise r.refuse(node, f".{name}() of a dict")


def got(r: Held, node: ast.Call, table: ast.expr, kind: Lst) -> ast.expr:
    """Return a call of ``get`` of a dict."""
    given = node.args
    if isinstance(kind.value, Lst) or kind.value is None:
        raise r.refuse(node, ".get() of a dict of lists; ask with `in` first")
    assert isinstance(node.func, ast.Attribute)
    known = r.value_of(node.func.value, given[0], kind, given[1]) if len(given) == 2 else None
    if known is not None:
        return known
    row = r.place_of(node.func.value, given[0], kind)
    if row is not None:
        helper = r.owner.reading_at(shape_of(kind.value, width(kind.item)))
        return ast.Call(named_as(helper), [table, row, default_for(r, node, kind.value)], [])
    helper = r.owner.getting(width(kind.item), shape_of(kind.value, width(kind.item)))
    key = r.as_tuple(given[0], kind.item)
    return ast.Call(named_as(helper), [table, key, default_for(r, node, kind.value)], [])


def default_for(r: Held, node: ast.Call, kind: Any) -> ast.expr:
    """Return the second argument of ``get``, or None."""
    default = node.args[1] if len(node.args) > 1 else ast.copy_location(ast.Constant(None), node)
    raw = r.kinds.raw(default)
    if may_be_none(raw):
        return r.maybe(default, Opt(kind))
    if not isinstance(kind, Tup):
        return r.value(default, kind)
    numbers = iter(r.parts(default, kind))

    def nested(item: Any) -> ast.expr:
        return ast.Tuple([nested(k) for k in item.items], ast.Load()) if isinstance(item, Tup) else next(numbers)

    return nested(kind)


def of_counter(r: Held, node: ast.Call, name: str, table: ast.expr, kind: Lst) -> ast.expr | None:
    """Return a call of a method that only a Counter has; None for others."""
    given = node.args
    if name in ("update", "subtract") and len(given) == 1:
        sign = ast.Constant(1 if name == "update" else -1)
        other = r.list_kind(given[0]) if isinstance(r.kinds.of(given[0]), Lst) else None
        if other is not None and other.form == "dict":
            return r.support("count_counts", table, r.list_at(given[0]), ast.Constant(width(kind.item)), sign)
        if not is_numbers(r, kind.item):
            raise r.refuse(node, f".{name}() of a Counter of tuples; count them in a loop")
        return r.support("count", table, r.sequence(given[0]), sign)
    if name == "total" and not given:
        return noting("row_sum_noticed", column(r, node.func.value, kind, width(kind.item)))  # type: ignore[attr-defined]
    return None


def is_numbers(r: Held, item: Any) -> bool:
    """Return whether the keys of a dict are single numbers."""
    return not isinstance(item, Tup | Lst)


def assign_list(r: Held, name: str, node: ast.Assign) -> ast.stmt | list[ast.stmt]:
    """Return an assignment of a list to a variable: its values are copied, so it may not be changed under another
    name.
    """
    kind, value = r.kinds.owned[name], node.value
    r.must_be_kept(value)
    r.must_not_be_row(value)
    r.list_kind(node.targets[0])
    changed = r.kinds.changed | augmented_in(r.kinds.tree)
    within, inside = sources(r.kinds), changed_items(r.kinds)
    for alias in aliases(value, r.kinds):
        names = root(alias)
        outer = set[str]().union(*(within.get(one, ()) for one in names))
        shared = ({name} | names) & (changed | inside) or outer & inside
        both = {name} | names
        plain = names <= same_as(value, r.kinds) and not (both | outer) & inside
        changes = is_changed_later(both, node, r.kinds) if plain else shared
        if not changes or names == {name}:
            continue
        if alias in getattr(value, "elts", ()):
            if r.kinds.of(alias).constant:
                continue
            one = ast.unparse(alias)
            raise r.refuse(node, f"{one} inside {name}, and changes one of them; put a copy there: list({one})")
        raise r.refuse(node, f"{name} as another name for {ast.unparse(alias)}, and changes it; write list(...)")
    into: ast.expr = named_as(local_name(name))
    if name in {part.id for part in ast.walk(value) if isinstance(part, ast.Name)}:
        made = r.put(value, kind, r.space(kind))
        other = r.temporary()
        copy_of = (
            r.support("copied", into, named_as(other))
            if r.is_table(kind)
            else r.support("filled", into, r.support("items", named_as(other), game=False))
        )
        return [assigned(other, made), ast.Expr(copy_of)]
    return ast.Expr(r.put(value, kind, into))


def unpack_list(r: Held, target: ast.Tuple, value: ast.expr) -> list[ast.stmt] | None:
    """Rewrite ``a, b = a_list``; None for anything else."""
    kind = r.kinds.of(value)
    if isinstance(kind, Lst) and kind.form not in ("iterator", "set", "dict") and r.row(value) is None:
        name = r.temporary()
        many = len(target.elts)
        statements: list[ast.stmt]
        if r.is_table(kind):
            statements = [assigned(name, r.list_at(value))]
            size: ast.expr = ast.Subscript(named_as(name), ast.Tuple([ast.Constant(0)] * 2, ast.Load()), ast.Load())
            statements.append(ast.Expr(r.support("must_have", size, ast.Constant(many))))
            for i, part in enumerate(target.elts):
                statements += bind(r, part, kind.item, r.read(named_as(name), ast.Constant(i + 1), kind.item))
            return statements
        statements = [assigned(name, r.list_at(value)), *must_have(r, named_as(name), many)]
        interval = r.interval(value)
        for i, part in enumerate(target.elts):
            statements += r.store(part, interval, ast.Subscript(named_as(name), ast.Constant(i + 1), ast.Load()))
        return statements
    return None


def store_part(r: Held, target: ast.Subscript, value: ast.expr) -> list[ast.stmt]:
    """Translate ``self.row[a:b] = values``: as many values as there are places, one after the other."""
    assert isinstance(target.slice, ast.Slice)
    if target.slice.step is not None or any(
        end is not None and r.interval(end).low < 0 for end in (target.slice.lower, target.slice.upper)
    ):
        raise r.refuse(target, "a slice that is set, other than from one place on to another")
    row = r.row(target.value)
    assert row is not None
    values = r.temporary()
    kind = Lst(NUMBER)
    statements: list[ast.stmt] = [assigned(values, r.put(value, kind, r.space(kind)))]
    ends = [None if end is None else r.operand(end) for end in (target.slice.lower, target.slice.upper)]
    first, place = r.temporary(), f"_place_{r.temporaries}"
    statements.append(assigned(first, ends[0] or ast.Constant(0)))
    part = ast.Subscript(row[1], ast.Slice(named_as(first), ends[1]), ast.Load())
    size = ast.Subscript(named_as(values), ast.Constant(0), ast.Load())
    statements.append(ast.Expr(r.support("must_have", size, ast.Call(named_as("len"), [part], []))))
    cell = ast.Subscript(target.value, ast.Name(place, ast.Load()), ast.Store())
    r.locals.add(place)
    number = ast.Subscript(named_as(values), ast.BinOp(named_as(place), ast.Add(), ast.Constant(1)), ast.Load())
    where = ast.BinOp(named_as(first), ast.Add(), named_as(place))
    interval = r.interval(value)
    inside = [
        assigned(local_name(place), where),
        *r.store(ast.copy_location(cell, target), interval, number),
    ]
    loop = ast.For(
        ast.Name(place, ast.Store()), ast.Call(named_as("range"), [size], []), inside, [], lineno=target.lineno
    )
    return [*statements, loop]


def list_slot(r: Held, target: ast.expr) -> bool:
    """Return whether a target is an item of a list."""
    if not isinstance(target, ast.Subscript) or r.row(target.value) is not None:
        return False
    return isinstance(r.kinds.of(target.value), Lst)


def store_in_list(r: Held, target: ast.Subscript, value: ast.expr) -> list[ast.stmt] | None:
    """Translate ``numbers[i] = value`` of a list or dict; None for anything else."""
    if not list_slot(r, target):
        return None
    kind = r.kinds.of(target.value)
    item = kind.value if kind.form == "dict" else kind.item
    if isinstance(item, Lst) and kind.form == "dict":
        return put_list(r, target, value, kind)
    if isinstance(item, Lst):
        raise r.refuse(target, "a list in a list that is replaced; change its numbers")
    if isinstance(item, Tup):
        name = r.temporary()
        return [assigned(name, r.as_tuple(value, item)), *put_item(r, target, named_as(name))]
    name = r.temporary()
    return [
        assigned(name, ast.Call(named_as("int"), [r.visit(value)], [])),
        *put_item(r, target, named_as(name)),
    ]


def put_list(r: Held, target: ast.Subscript, value: ast.expr, kind: Lst) -> list[ast.stmt]:
    """Translate ``groups[key] = numbers``: the numbers are copied."""
    for name in root(target):
        r.must_be_own(name, target)
    if kind.constant:
        raise r.refuse(target, f"a change of {ast.unparse(target.value)}, a constant of the file")
    must_not_share(r, value, target)
    r.must_not_be_row(value)
    if isinstance(value, ast.Subscript) and not isinstance(value.slice, ast.Slice):
        raise r.refuse(target, "a list that is in two places; put a copy there: list(...)")
    values, at = r.temporary(), r.temporary()
    statements: list[ast.stmt] = [assigned(values, r.put(value, kind.value, r.space(kind.value)))]
    table, place = place_in(r, target, kind, adding=True)
    statements.append(assigned(at, place))
    goal = list_in_dict(r, table, named_as(at), kind)
    copied = r.support("filled", goal, r.support("items", named_as(values), game=False))
    return [*statements, ast.Expr(copied)]


def put_item(r: Held, target: ast.Subscript, value: ast.expr) -> list[ast.stmt]:
    """Store a rewritten value as an item of a list or dict."""
    for name in root(target):
        r.must_be_own(name, target)
    kind = r.kinds.of(target.value)
    if isinstance(target.slice, ast.Slice):
        raise r.refuse(target, "a slice of a list that is set; set its numbers")
    if kind.constant:
        raise r.breaks(target, f"{r.shown(target)} {OUTLIVES}")
    table, place = place_in(r, target, kind, adding=True)
    at = r.temporary()
    statements: list[ast.stmt] = [assigned(at, place)]
    if kind.form == "dict":
        first, item = width(kind.item), kind.value
    else:
        first, item = 0, kind.item
    if isinstance(item, Tup):
        if first:
            raise r.refuse(target, "a tuple as a value of a dict that is set later; use a list of tuples")
        return [*statements, ast.Expr(r.support("put_row", table, named_as(at), value))]
    cell: ast.expr = ast.Subscript(table, named_as(at), ast.Store())
    if r.is_table(kind):
        cell = ast.Subscript(table, ast.Tuple([named_as(at), ast.Constant(first)], ast.Load()), ast.Store())
    return [*statements, ast.Assign([cell], value, lineno=1)]


def visit_Delete(r: Held, node: ast.Delete) -> list[ast.stmt]:
    """Translate ``del numbers[i]`` and ``del scores[key]``."""
    statements: list[ast.stmt] = []
    for target in node.targets:
        if not isinstance(target, ast.Subscript) or not list_slot(r, target):
            raise r.refuse(node, "del of something other than an item of a list or dict")
        if isinstance(target.slice, ast.Slice):
            raise r.refuse(node, f"{r.shown(node)}, of a slice; make a list of what stays: numbers = numbers[:3]")
        pop = ast.Attribute(target.value, "pop", ast.Load())
        call = ast.copy_location(ast.Call(pop, [target.slice], []), node)
        statements.append(ast.Expr(of_list(r, call, pop, r.kinds.of(target.value))))
    return statements


def change_list(r: Held, node: ast.AugAssign) -> list[ast.stmt] | None:
    """Translate ``numbers += more``, ``numbers[i] += 1``, ``scores[key] += 1``; None for anything else."""
    target = node.target
    if isinstance(target, ast.Name) and target.id in r.kinds.owned:
        return change_whole(r, node, target)
    if isinstance(target, ast.Subscript) and list_slot(r, target):
        return change_item(r, node, target)
    return None


def change_whole(r: Held, node: ast.AugAssign, target: ast.Name) -> list[ast.stmt]:
    """Translate ``numbers += more`` and so on of sets and dicts."""
    kind = r.kinds.owned[target.id]
    into: ast.expr = named_as(local_name(target.id))
    must_not_read(r, node.value, {target.id}, node)
    if isinstance(node.op, ast.Add) and not r.is_table(kind) and kind.form in ("list", "tuple"):
        return [ast.Expr(r.support("extend", into, r.sequence(node.value)))]
    if isinstance(node.op, ast.BitOr) and kind.form == "set" and not r.is_table(kind):
        return [ast.Expr(r.support("unite", into, r.sequence(node.value)))]
    if kind.form == "set" and not isinstance(node.op, ast.Add):
        whole = ast.copy_location(ast.BinOp(ast.Name(target.id, ast.Load()), node.op, node.value), node)
        made = combined_sets(r, whole, kind, r.space(kind))
        copied, given = ("copied", made) if r.is_table(kind) else ("filled", r.support("items", made, game=False))
        return [ast.Expr(r.support(copied, into, given))]
    if isinstance(node.op, ast.BitOr) and kind.form == "dict" and kind.missing == "":
        return [ast.Expr(merged(r, into, kind, node.value))]
    if r.is_table(kind) and isinstance(node.op, ast.Add) and isinstance(node.value, ast.List):
        calls = [ast.Call(ast.Attribute(target, "append", ast.Load()), [part], []) for part in node.value.elts]
        return [ast.Expr(of_list(r, ast.copy_location(c, node), c.func, kind)) for c in calls]  # type: ignore[arg-type]
    raise r.refuse(node, f"{r.shown(node)}, with a list")


def change_item(r: Held, node: ast.AugAssign, target: ast.Subscript) -> list[ast.stmt]:
    """Translate ``numbers[i] += 1`` of a list, ``scores[key] += 1`` of a dict."""
    for name in root(target):
        r.must_be_own(name, target)
    kind = r.kinds.of(target.value)
    items = {id(p.value) for p in ast.walk(node.value) if isinstance(p, ast.Subscript) and is_item(p)}
    looked_at = {p.id for p in ast.walk(node.value) if isinstance(p, ast.Name) and id(p) not in items}
    if root(target) & (changed_in(ast.Expr(node.value)) | (looked_at if kind.missing else set())):
        raise r.refuse(node, f"{r.shown(target)}, changed by what is added to it; use two lines")
    item = kind.value if kind.form == "dict" else kind.item
    if item not in (NUMBER, None) or kind.constant:
        raise r.refuse(node, f"{r.shown(node)}, with an item other than a number")
    table, place = place_in(r, target, kind)
    at = r.temporary()
    where: ast.expr = named_as(at)
    if r.is_table(kind):
        first = width(kind.item) if kind.form == "dict" else 0
        where = ast.Tuple([named_as(at), ast.Constant(first)], ast.Load())
    old = ast.Subscript(table, where, ast.Load())
    new = r.operation(node.op, ANY, r.interval(node.value), old, r.operand(node.value))
    return [assigned(at, place), ast.Assign([ast.Subscript(table, where, ast.Store())], new, lineno=1)]


def reverse_of(node: ast.Call) -> ast.expr | None:
    """Return whether ``numbers.sort()`` sorts downwards, as an expression; None for other arguments
    than ``reverse=``.
    """
    if node.args or any(k.arg != "reverse" for k in node.keywords):
        return None
    return node.keywords[0].value if node.keywords else ast.Constant(False)
