"""What a function may not do with generators, sets and texts, whose compiled form is more than Python allows.

Compiled code holds a generator as a list, a set in the order in which it was filled, and a text as a number.
"""

from __future__ import annotations

import ast
from typing import Any

from dicelab.translation.entries import definition
from dicelab.translation.inference import Kinds
from dicelab.translation.iterators import gives_iterator, goes_through, in_order
from dicelab.translation.kinds import CHANGING, ROWS, TEXT, Lst, Opt, Tup
from dicelab.translation.lifted import generates

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
    """Return a text of a function, or what has texts in it, of which an order is asked; None if there is none."""
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
