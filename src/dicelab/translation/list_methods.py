"""Rewrites calls of the methods of lists, sets, dicts and tuples."""

from __future__ import annotations

import ast
from typing import Any

from dicelab.translation.arithmetic import as_number
from dicelab.translation.calls import is_search
from dicelab.translation.held import VIEWS, shape_of
from dicelab.translation.kinds import (
    CHANGING,
    Lst,
    Opt,
    Tup,
    item_of,
    may_be_none,
    root,
    width,
)
from dicelab.translation.later import has_other_names, is_changed_later, is_used_later
from dicelab.translation.lazy import lazy_parts, touched
from dicelab.translation.lists import Lists
from dicelab.translation.names import named_as, noting
from dicelab.translation.names_of_lists import aliases, changed_items, sources


class ListMethods(Lists):
    """Rewrites calls of methods."""

    def method_call(self, node: ast.Call, func: ast.Attribute) -> ast.expr:
        kind = self.kinds.of(func.value)
        if self.row(func.value) is None and isinstance(kind, Lst) and kind.form != VIEWS:
            return self.of_list(node, func, kind)
        if isinstance(kind, Tup) and is_search(node, func.attr):
            made = self.as_numbers(func.value, kind)
            return self.searched(node, func.attr, made, self.value(node.args[0], item_of(kind)))
        return super().method_call(node, func)

    def of_list(self, node: ast.Call, func: ast.Attribute, kind: Lst) -> ast.expr:
        """Return a call of a method of a list, set or dict."""
        name, given = func.attr, node.args
        self.list_kind(func.value)
        if name in CHANGING:
            self.must_be_one(func.value, node)
            for changed in root(func.value):
                self.must_be_own(changed, node)
            for part in given if name in ("extend", "update", "subtract") else ():
                self.must_not_read(part, root(func.value), node)
            if kind.constant:
                raise self.breaks(
                    node, f".{name}() changes something that outlives the game; declare what changes as a field"
                )
        if node.keywords and name != "sort":
            raise self.refuse(node, f".{name}() with arguments by name")
        table = self.list_at(func.value)
        if kind.form == "dict":
            return self.of_dict(node, name, table, kind)
        if is_search(node, name) and not self.is_table(kind):
            items = self.support("items", table, game=False)
            return self.searched(node, name, items, self.value(given[0], kind.item))
        if name == "clear" and not given:
            return self.support("emptied" if self.is_table(kind) else "empty", table, game=False)
        return self.of_table(node, name, table, kind) if self.is_table(kind) else self.of_line(node, name, table, kind)

    def must_be_one(self, owner: ast.expr, node: ast.Call) -> None:
        """Refuse to change a list without a name that may be one of several, or that a function was given."""
        called = self.kinds.rule_called(owner) if isinstance(owner, ast.Call) else None
        shares = called is not None and any(isinstance(self.kinds.of(part), Lst) for part in called[2])
        if shares or isinstance(owner, ast.IfExp | ast.BoolOp | ast.NamedExpr):
            raise self.refuse(node, f"{self.shown(node)}, a change of a list without a name; change it by its name")

    def of_table(self, node: ast.Call, name: str, table: ast.expr, kind: Lst) -> ast.expr:
        """Return a call of a method of a list of tuples or of lists."""
        given, last = node.args, ast.Constant(-1)
        if name in ("append", "add") and len(given) == 1:
            if isinstance(kind.item, Lst) and kind.form != "set":
                self.must_not_share(given[0], node)
                return self.support("append_list", table, self.list_or_row(given[0]))
            return self.support(f"{name}_row", table, self.as_tuple(given[0], kind.item))
        if name in ("discard", "remove") and len(given) == 1 and not isinstance(kind.item, Lst):
            return self.support(f"{name}_row", table, self.as_tuple(given[0], kind.item))
        if name in ("index", "count") and len(given) == 1 and isinstance(kind.item, Tup):
            return self.support(f"{name}_row", table, self.as_tuple(given[0], kind.item))
        if name == "extend" and len(given) == 1 and isinstance(kind.item, Tup):
            return self.support("extend_rows", table, self.rows_of(given[0], kind))
        if name == "insert" and len(given) == 2 and isinstance(kind.item, Tup):
            return self.support("insert_row", table, self.operand(given[0]), self.as_tuple(given[1], kind.item))
        if name == "reverse" and not given and isinstance(kind.item, Tup):
            return self.support("reverse_rows", table, game=False)
        if name == "sort" and isinstance(kind.item, Tup) and (down := reverse_of(node)) is not None:
            return self.support("sort_rows", table, self.test(down), ast.Constant(width(kind.item)), game=False)
        if name == "pop" and len(given) <= 1 and isinstance(kind.item, Tup) and isinstance(table, ast.Name):
            helper = named_as(self.owner.taking(shape_of(kind.item, 0)))
            return ast.Call(helper, [named_as("_g"), table, self.operand(given[0]) if given else last], [])
        raise self.refuse(node, f".{name}() of a list of tuples or lists")

    def of_line(self, node: ast.Call, name: str, table: ast.expr, kind: Lst) -> ast.expr:
        """Return a call of a method of a list or a set of numbers."""
        given = node.args
        if name == "pop" and len(given) <= 1 and kind.form == "list":
            return self.support("pop", table, self.operand(given[0]) if given else ast.Constant(-1))
        if name in ("extend", "update") and len(given) == 1:
            return self.support("unite" if name == "update" else "extend", table, self.sequence(given[0]))
        if name == "sort" and (down := reverse_of(node)) is not None:
            return self.support("sort", table, self.test(down), game=False)
        if name == "reverse" and not given:
            return self.support("reverse", table, game=False)
        if name in ("append", "insert", "remove", "add", "discard") and len(given) == (2 if name == "insert" else 1):
            numbers = [self.operand(part) for part in given[:-1]]
            return self.support(name, table, *numbers, self.value(given[-1], kind.item))
        if name in ("issubset", "issuperset") and len(given) == 1:
            items, other = self.support("items", table, game=False), self.sequence(given[0])
            pair = (items, other) if name == "issubset" else (other, items)
            return as_number(self.support("is_within", *pair, game=False))
        raise self.refuse(node, f".{name}() of a {kind.form}")

    def must_not_share(self, value: ast.expr, node: ast.AST) -> None:
        """Refuse to put a list into another one where the rule changes it afterwards, or before it is made anew."""
        owner, changed = root(getattr(getattr(node, "func", node), "value", node)), changed_items(self.kinds)
        inside, within = owner & changed, sources(self.kinds)
        for one in aliases(value, self.kinds):
            name = self.shown(one)
            if not isinstance(one, ast.Name):
                if (owner | root(one)) & (changed | (self.kinds.changed - owner)):
                    raise self.refuse(node, f"{name}, a list that is in two places; put a copy there: list(...)")
                continue
            if within.get(one.id, set()) & changed:
                raise self.refuse(
                    node, f"{name}, which is in another list that changes; put a copy there: list({name})"
                )
            seen = inside and (has_other_names(one.id, node, self.kinds) or is_used_later(one.id, node, self.kinds))
            if seen or is_changed_later({one.id}, node, self.kinds):
                raise self.refuse(
                    node, f"{name}, which is changed, inside another list; put a copy there: list({name})"
                )

    def must_not_read(self, given: ast.expr, grows: set[str], node: ast.AST) -> None:
        """Refuse to add what Python computes one by one from the list, set or dict that grows meanwhile."""
        for part in lazy_parts(given, self.kinds):
            if grows & touched([part], self.kinds, self.owner.kinds).reads:
                one = ", ".join(sorted(grows))
                raise self.refuse(node, f"an addition to {one} of what is computed from {one}; write list(...)")

    def of_dict(self, node: ast.Call, name: str, table: ast.expr, kind: Lst) -> ast.expr:
        """Return a call of a method of a dict."""
        given = node.args
        if name == "get" and 1 <= len(given) <= 2:
            if isinstance(kind.value, Lst) or kind.value is None:
                raise self.refuse(node, ".get() of a dict of lists; ask with `in` first")
            assert isinstance(node.func, ast.Attribute)
            known = self.value_of(node.func.value, given[0], kind, given[1]) if len(given) == 2 else None
            if known is not None:
                return known
            row = self.place_of(node.func.value, given[0], kind)
            if row is not None:
                found = self.owner.reading_at(shape_of(kind.value, width(kind.item)))
                return ast.Call(named_as(found), [table, row, self.default_for(node, kind.value)], [])
            found = self.owner.getting(width(kind.item), shape_of(kind.value, width(kind.item)))
            key = self.as_tuple(given[0], kind.item)
            return ast.Call(named_as(found), [table, key, self.default_for(node, kind.value)], [])
        if kind.missing == "zero":
            made = self.of_counter(node, name, table, kind)
            if made is not None:
                return made
        if name == "pop" and 1 <= len(given) <= 2 and not isinstance(kind.value, Lst):
            found = self.owner.dropping(shape_of(kind.value, width(kind.item)), len(given) == 2)
            default = [self.default_for(node, kind.value) for _ in given[1:]]
            key = self.as_tuple(given[0], kind.item)
            return ast.Call(named_as(found), [named_as("_g"), table, key, *default], [])
        if name == "clear" and not given:
            return self.support("emptied", table, game=False)
        if name == "setdefault" and len(given) == 2 and isinstance(kind.value, Lst):
            if not isinstance(given[1], ast.List) or given[1].elts:
                raise self.refuse(node, ".setdefault() with a list that isn't empty; ask with `in` first")
            place = self.support("row_of", table, self.as_tuple(given[0], kind.item))
            return self.list_in_dict(table, place, kind)
        if name == "update" and len(given) == 1:
            return self.merged(table, kind, given[0])
        raise self.refuse(node, f".{name}() of a dict")

    def default_for(self, node: ast.Call, kind: Any) -> ast.expr:
        """Return the second argument of ``get``, or None."""
        default = node.args[1] if len(node.args) > 1 else ast.copy_location(ast.Constant(None), node)
        found = self.kinds.raw(default)
        if may_be_none(found):
            return self.maybe(default, Opt(kind))
        if not isinstance(kind, Tup):
            return self.value(default, kind)
        numbers = iter(self.parts(default, kind))

        def nested(item: Any) -> ast.expr:
            return ast.Tuple([nested(k) for k in item.items], ast.Load()) if isinstance(item, Tup) else next(numbers)

        return nested(kind)

    def of_counter(self, node: ast.Call, name: str, table: ast.expr, kind: Lst) -> ast.expr | None:
        """Return a call of a method that only a Counter has; None for others."""
        given = node.args
        if name in ("update", "subtract") and len(given) == 1:
            sign = ast.Constant(1 if name == "update" else -1)
            other = self.list_kind(given[0]) if isinstance(self.kinds.of(given[0]), Lst) else None
            if other is not None and other.form == "dict":
                return self.support("count_counts", table, self.list_at(given[0]), ast.Constant(width(kind.item)), sign)
            if not self.is_numbers(kind.item):
                raise self.refuse(node, f".{name}() of a Counter of tuples; count them in a loop")
            return self.support("count", table, self.sequence(given[0]), sign)
        if name == "total" and not given:
            return noting("row_sum_noticed", self.column(node.func.value, kind, width(kind.item)))  # type: ignore[attr-defined]
        return None

    def is_numbers(self, item: Any) -> bool:
        """Return whether the keys of a dict are single numbers."""
        return not isinstance(item, Tup | Lst)


def reverse_of(node: ast.Call) -> ast.expr | None:
    """Return whether ``numbers.sort()`` sorts downwards, as an expression; None for other arguments
    than ``reverse=``.
    """
    if node.args or any(k.arg != "reverse" for k in node.keywords):
        return None
    return node.keywords[0].value if node.keywords else ast.Constant(False)
