"""What a function may not do with generators, sets, texts and frozen dataclasses, whose compiled form allows more.

Compiled code holds a generator as a list, a set in the order in which it was filled, a text as a number, and a frozen
dataclass as a tuple, which is equal to one of another class.

By itself because it only refuses, and rewrites nothing.
"""

from __future__ import annotations

import ast
import dataclasses
from typing import Any

from dicelab.translation.entries import definition
from dicelab.translation.infer.inference import Kinds
from dicelab.translation.infer.kinds import (
    CHANGING,
    MIXED,
    NOTHING,
    OTHER,
    ROWS,
    TEXT,
    Lst,
    Opt,
    Tup,
    has_object,
    is_item,
    item_of,
)
from dicelab.translation.lower.lifted import generates, gives_iterator, goes_through, in_order

ORDER = ast.Lt | ast.LtE | ast.Gt | ast.GtE


def has_text(kind: Any) -> bool:
    """Return whether values of a kind are texts, or have texts in them."""
    match kind:
        case Tup():
            return any(map(has_text, kind.items))
        case Lst():
            return has_text(kind.item) or has_text(kind.value)
        case Opt():
            return has_text(kind.kind)
    return bool(kind == TEXT)


def texts_in_order(tree: ast.AST, kinds: Kinds) -> ast.expr | None:
    """Return a text of a function, or what has texts in it, that is put in order; None if there is none."""
    for node in ast.walk(tree):
        asked: list[ast.expr] = []
        match node:
            case ast.Compare() if any(isinstance(op, ORDER) for op in node.ops):
                asked = [
                    part for part in [node.left, *node.comparators] if getattr(kinds.of(part), "form", "") != "set"
                ]
            case ast.Call() if kinds.target(node.func) in (sorted, max, min):
                asked = [] if any(keyword.arg == "key" for keyword in node.keywords) else node.args
            case ast.Call(func=ast.Attribute(value=owner, attr="sort")):
                asked = [owner]
        for part in asked:
            if has_text(kinds.of(part)):
                return part
    return None


def texts_as_numbers(tree: ast.AST, kinds: Kinds) -> ast.expr | None:
    """Return a text of a function that is stored in a field, or is an index; None if there is none."""
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Attribute() | ast.Subscript() as target], value=value):
                in_list = isinstance(target, ast.Subscript) and isinstance(kinds.of(target.value), Lst)
                if kinds.of(value) == TEXT and not in_list:
                    return value
            case ast.Subscript(value=owner, slice=place) if not isinstance(place, ast.Slice):
                kind = kinds.of(owner)
                is_sequence = (
                    kind in ROWS if isinstance(kind, str) else isinstance(kind, Tup | Lst) and kind.form != "dict"
                )
                if kinds.of(place) == TEXT and is_sequence:
                    return place
    return None


def used_nothing(tree: ast.AST, kinds: Kinds) -> ast.expr | None:
    """Return a call of a function that returns nothing whose result, None, is kept, compared or given to a function;
    None if there is none.
    """
    around = {id(part): node for node in ast.walk(tree) for part in ast.iter_child_nodes(node)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not gives_nothing(node, kinds):
            continue
        part: ast.AST = node
        while isinstance(over := around.get(id(part)), ast.IfExp | ast.BoolOp):
            if part is (over.test if isinstance(over, ast.IfExp) else None) or part in getattr(over, "values", [])[:-1]:
                break  # its truth alone
            part = over
        if isinstance(over, ast.Assign | ast.AnnAssign | ast.Compare | ast.Call | ast.Tuple | ast.List | ast.keyword):
            return node
    return None


def gives_nothing(node: ast.Call, kinds: Kinds) -> bool:
    """Return whether a call calls a function, or a method of a list, that returns nothing."""
    rule = kinds.rule_called(node)
    if rule is not None:
        returns = [part for part in ast.walk(definition(rule[0].function)) if isinstance(part, ast.Return)]
        return kinds.raw(node) is None and all(isinstance(part.value, ast.Call | None) for part in returns)
    func = node.func
    silent = isinstance(func, ast.Attribute) and func.attr in CHANGING - {"pop", "setdefault"}
    return silent and isinstance(func, ast.Attribute) and isinstance(kinds.of(func.value), Lst)


def calls_generator(node: ast.AST, kinds: Kinds) -> bool:
    """Return whether an expression calls a function of the rules that returns an iterator."""
    if isinstance(node, ast.IfExp):
        return any(calls_generator(part, kinds) for part in (node.body, node.orelse))
    rule = kinds.rule_called(node) if isinstance(node, ast.Call) else None
    return rule is not None and generates(rule[0].function)


def uses_order(tree: ast.AST, kinds: Kinds) -> ast.expr | None:
    """Return a set of a function whose order, which isn't fixed, could matter; None if there is none."""
    around = {id(part): node for node in ast.walk(tree) for part in ast.iter_child_nodes(node)}
    for node in ast.walk(tree):
        for part in ast.iter_child_nodes(node):
            if not isinstance(part, ast.expr) or getattr(kinds.of(part), "form", "") != "set":
                continue
            if in_order(node, part, around.get(id(node)), kinds.target):
                return part
    return None


def misplaced(tree: ast.AST, kinds: Kinds) -> ast.expr | None:
    """Return an iterator of a function with which something else is done than to go through it; None if there is none.

    The function is in the smaller language, in which the functions that gather are loops already.
    """
    for node in ast.walk(tree):
        for part in ast.iter_child_nodes(node):
            calls = calls_generator(part, kinds)
            if not calls and not gives_iterator(part, kinds.target):
                continue
            if not goes_through(node, part, kinds.target) or (calls and isinstance(node, ast.Return)):
                assert isinstance(part, ast.expr)
                return part
    return None


KEEPING = (
    ast.Attribute,
    ast.AnnAssign,
    ast.IfExp,
    ast.BoolOp,
    ast.If,
    ast.While,
    ast.Tuple,
    ast.List,
    ast.Dict,
    ast.keyword,
    ast.Yield,
    ast.Expr,
    ast.Compare,
)
"""What may have a value of a dataclass as a part."""
COMPARING = ("index", "count", "remove")
"""Methods of lists that compare."""
TAKING = ("append", "insert", "get", "pop", *COMPARING)
"""Methods of lists and dicts that may get values of dataclasses."""


NO_OBJECT = "a value of a dataclass, other than to read its fields or compare two of one class; write a NamedTuple"
NO_ORDER = "with values of a dataclass, or None, in it: these aren't compared with others, added or put in order"
NO_NONE = "which may be None, or of several kinds; in a constant, a number such as -1 can stand for None"


def misused(tree: ast.AST, kinds: Kinds, is_move: bool) -> tuple[ast.expr, str] | None:
    """Return a value of a dataclass, or one that may contain such values or None, that a function uses in a way that
    Python refuses or that would mean something else, and why; None if there is none.
    """
    for node in ast.walk(tree):
        parts = [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]
        objects = [part for part in parts if _is_object(kinds.raw(part)) and not _keeps(node, part, kinds, is_move)]
        for part in objects or _asked(node, kinds):
            return part, NO_OBJECT if _is_object(kinds.raw(part)) else NO_ORDER
        for part in parts:
            if _may_hold_none(part, kinds) and not (isinstance(node, ast.Call) and part is node.func):
                return part, NO_NONE
    return None


def _may_hold_none(node: ast.expr, kinds: Kinds) -> bool:
    """Return whether an expression reads a part of a constant that may be None."""
    if isinstance(node, ast.Name):
        return isinstance(node.ctx, ast.Load) and kinds.variables.get(node.id) == OTHER
    if isinstance(node, ast.Attribute) or is_item(node):
        assert isinstance(node, ast.Attribute | ast.Subscript)
        owner = kinds.of(node.value)
        return kinds.raw(node) in (OTHER, MIXED) and isinstance(owner, Tup) and bool({OTHER, MIXED} & {*owner.items})
    return False


def _is_object(kind: Any) -> bool:
    kind = kind.kind if isinstance(kind, Opt) else kind
    return isinstance(kind, Tup) and kind.made is not None


def _keeps(node: ast.AST, part: ast.expr, kinds: Kinds, is_move: bool) -> bool:
    """Return whether a value of a dataclass may be a part of a node."""
    match node:
        case ast.Assign():
            lists = [one for one in node.targets if isinstance(one, ast.Subscript)]
            named = all(isinstance(one, ast.Name | ast.Tuple | ast.Subscript) for one in node.targets)
            return named and all(has_object(kinds.of(one.value)) for one in lists)
        case ast.For():
            return part is node.target
        case ast.Return():
            return not is_move
        case ast.UnaryOp():
            return isinstance(node.op, ast.Not)
        case ast.Call():
            if part is node.func or kinds.rule_called(node) is not None:
                return True
            method = node.func
            held = kinds.of(method.value) if isinstance(method, ast.Attribute) and method.attr in TAKING else None
            is_key = getattr(held, "form", "") == "dict" and part is node.args[0]
            return has_object(held) and not is_key
    return isinstance(node, KEEPING)


def _asked_by_method(node: ast.Call, owner: ast.expr, name: str, kinds: Kinds) -> list[ast.expr]:
    """Return the values that a method of a list, set or dict with objects compares otherwise than Python does."""
    held = kinds.of(owner)
    if name == "sort":
        return [owner]
    if kinds.rule_called(node) is not None or not node.args:
        return []
    kind = kinds.raw(node.args[-1])
    if name in COMPARING and not _may_compare(kind, ast.In(), held):
        return [owner]
    inside = (held.item, held.value) if isinstance(held, Lst) else held.items
    if has_object(kind) and not any(_is_same(kind, one) for one in inside):
        return [node.args[-1]]
    return []


def _asked(node: ast.AST, kinds: Kinds) -> list[ast.expr]:
    """Return the values of a node that are compared, put in order or unpacked otherwise than Python does."""
    match node:
        case ast.Compare():
            sides = [node.left, *node.comparators]
            return [
                one if has_object(kinds.raw(one)) else other
                for one, op, other in zip(sides, node.ops, sides[1:], strict=False)
                if not _may_compare(kinds.raw(one), op, kinds.raw(other))
            ]
        case ast.Call(func=ast.Attribute(value=owner, attr=name)) if has_object(kinds.of(owner)):
            return _asked_by_method(node, owner, name, kinds)
        case ast.Call() if kinds.target(node.func) in (sorted, max, min, sum) and not node.keywords:
            return [part for part in node.args if has_object(kinds.of(part))]
        case ast.For() if not _unpacks(node.target, item_of(kinds.of(node.iter))):
            return [node.iter]
        case ast.Assign() if not all(_unpacks(target, kinds.of(node.value)) for target in node.targets):
            return [node.value]
        case ast.Match() if has_object(kinds.of(node.subject)):
            return [node.subject]
    return []


def _unpacks(target: ast.expr, kind: Any) -> bool:
    """Return whether nothing that a target unpacks is of a dataclass."""
    if not isinstance(target, ast.Tuple | ast.List):
        return True
    if isinstance(kind, Lst):
        return all(_unpacks(part, kind.item) for part in target.elts)
    if not isinstance(kind, Tup):
        return True
    return kind.made is None and all(map(_unpacks, target.elts, kind.items))


def _may_compare(one: Any, op: ast.cmpop, other: Any, inside: bool = False) -> bool:
    """Return whether the parts of two values are compared as Python does it."""
    if not (has_object(one) or has_object(other) or (inside and OTHER in (one, other))) or isinstance(
        op, ast.Is | ast.IsNot
    ):
        return True
    if isinstance(op, ast.In | ast.NotIn):
        if isinstance(other, Tup):
            return other.made is None and all(_may_compare(one, ast.Eq(), item, True) for item in other.items)
        return _may_compare(one, ast.Eq(), item_of(other), True)
    if not isinstance(op, ast.Eq | ast.NotEq):
        return False
    return NOTHING in (one, other) or (_is_same(one, other) and _compares_all(one))


def _is_same(one: Any, other: Any) -> bool:
    """Return whether values of two kinds have dataclasses at the same places."""
    one, other = (kind.kind if isinstance(kind, Opt) else kind for kind in (one, other))
    if isinstance(one, Tup) and isinstance(other, Tup):
        return (
            one.made is other.made and len(one.items) == len(other.items) and all(map(_is_same, one.items, other.items))
        )
    if isinstance(one, Lst) and isinstance(other, Lst):
        return _is_same(one.item, other.item) and _is_same(one.value, other.value)
    return not has_object(one) and not has_object(other) and OTHER not in (one, other)


def _compares_all(kind: Any) -> bool:
    """Return whether two values of a kind are equal in Python if all their fields are."""
    if isinstance(kind, Lst):
        return _compares_all(kind.item) and _compares_all(kind.value)
    if isinstance(kind, Opt):
        return _compares_all(kind.kind)
    if not isinstance(kind, Tup):
        return True
    made = kind.made
    if made is not None:
        parameters = getattr(made, "__dataclass_params__")  # noqa: B009 (its type is unknown)
        if not parameters.eq or not all(field.compare for field in dataclasses.fields(made)):
            return False
    return all(map(_compares_all, kind.items))
