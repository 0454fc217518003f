"""Lists with two names: what they are part of, and where that changes.

Compiled code copies a list that gets a second name; where the list changes afterwards, under either name, that would
show, and is refused. ``for row in lists`` and ``row = lists[0]`` give an item of `lists` a second name that isn't
copied: it is a place of `lists`, which later may hold another item.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dicelab.translation.entries import names_of
from dicelab.translation.inference import Kinds
from dicelab.translation.kinds import (
    Lst,
    augmented_in,
    blocks_of,
    changed_in,
    changed_inside,
    is_item,
    root,
)
from dicelab.translation.sharing import Sharing
from dicelab.translation.unset import bound_in

MOVING = ("pop", "popitem", "remove", "discard", "insert", "sort", "reverse", "clear", "update")
"""Methods after which other items are at the places of a list or dict."""


def sources(kinds: Kinds) -> dict[str, set[str]]:
    """Return, for each variable that is an item of other lists, the variables that these lists are, or are inside."""
    found: dict[str, set[str]] = {}
    for node in ast.walk(kinds.tree):
        if isinstance(node, ast.For):
            names = _gone_through(node.iter, kinds)
            targets = [part for part in ast.walk(node.target) if isinstance(part, ast.Name)]
        elif isinstance(node, ast.Assign) and is_item(node.value):
            names, targets = root(node.value), [part for part in node.targets if isinstance(part, ast.Name)]
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):  # p, q = lists
            names = {part.id for part in ast.walk(node.value) if isinstance(part, ast.Name)}
            targets = [part for part in node.targets[0].elts if isinstance(part, ast.Name)]
        else:
            continue
        for target in targets:
            if isinstance(kinds.variables.get(target.id), Lst):
                found.setdefault(target.id, set()).update(names - {target.id})
    for _ in found:
        for name, inside in found.items():
            found[name] = inside | {outer for one in inside for outer in found.get(one, ())}
    return found


def _gone_through(source: ast.expr, kinds: Kinds) -> set[str]:
    """Return the variables of whose items a loop over an expression may go through; not through copies of these."""
    if isinstance(source, ast.Call) and kinds.target(source.func) in (enumerate, zip, reversed):
        return set[str]().union(*(_gone_through(part, kinds) for part in source.args))
    if isinstance(source, ast.Call) and kinds.rule_called(source) is not None:
        return set[str]().union(*map(root, given_back(source, kinds)))
    return {part.id for part in ast.walk(source) if isinstance(part, ast.Name)}


def changed_items(kinds: Kinds) -> set[str]:
    """Return the variables of whose items, which are lists, a function changes one, under any name."""
    within, changed = sources(kinds), changed_in(kinds.tree) | augmented_in(kinds.tree)
    return changed_inside(kinds.tree).union(*(within[name] for name in changed & within.keys()))


def replaced(kinds: Kinds) -> Iterator[tuple[ast.AST, str, str]]:
    """Yield the places at which a list gets other items while a variable that is one of them may still be read, with
    the names of this variable and of the list.
    """
    within = sources(kinds)
    if not within:
        return
    loops = [set(map(id, ast.walk(node))) for node in ast.walk(kinds.tree) if isinstance(node, ast.For | ast.While)]
    for name, outer in within.items():
        uses = [node for node in ast.walk(kinds.tree) if isinstance(node, ast.Name) and node.id == name]
        bound = [node for node in uses if isinstance(node.ctx, ast.Store)]
        before = {id(node): _certain(node, name, kinds.tree) for node in uses}
        read = [node for node in uses if isinstance(node.ctx, ast.Load)]
        for change, changed in _moves(kinds.tree):
            if changed in outer and any(_may_follow(change, one, bound, before[id(one)], loops) for one in read):
                yield change, name, changed


def _moves(tree: ast.AST) -> Iterator[tuple[ast.expr, str]]:
    """Yield the places at which a list gets other items, and its name."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) if method in MOVING:
                yield node, name
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
                yield node, name
            case ast.Assign(targets=[ast.Name(id=name) as target]):
                yield target, name


def _certain(read: ast.Name, name: str, tree: ast.AST) -> list[int]:
    """Return the lines before a place that reads a variable which set it whatever happens."""
    found = []
    for block in blocks_of(tree):
        for i, statement in enumerate(block):
            if not any(part is read for part in ast.walk(statement)):
                continue
            for earlier in block[:i]:
                targets = earlier.targets if isinstance(earlier, ast.Assign) else []
                if any(name in bound_in(target) for target in targets):
                    found.append(earlier.lineno)
            if isinstance(statement, ast.For) and any(p is read for s in statement.body for p in ast.walk(s)):
                found += [statement.lineno] * (name in bound_in(statement.target))
    return found


def _may_follow(
    change: ast.expr, read: ast.Name, bound: list[ast.Name], certain: list[int], loops: list[set[int]]
) -> bool:
    """Return whether a variable may be read after a change, without having been set in between."""
    if read.lineno > change.lineno:
        between = any(change.lineno < line <= read.lineno for line in certain)
        if not between and any(one.lineno <= change.lineno for one in bound):
            return True
    for loop in loops:
        if id(change) in loop and id(read) in loop:
            inside = {one.lineno for one in bound if id(one) in loop}
            if not any(line in inside for line in certain):
                return True
    return False


def aliases(value: ast.expr, kinds: Kinds) -> list[ast.expr]:
    """Return the names, and items of lists, that a value may be, or may hold as its items."""
    match value:
        case ast.IfExp():
            parts = [value.body, value.orelse]
        case ast.BoolOp():
            parts = value.values
        case ast.List() | ast.Tuple():
            parts = value.elts
        case ast.Starred():
            parts = [value.value]
        case ast.Call() | ast.BinOp():
            return given_back(value, kinds)
        case _:
            if isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Slice):
                return aliases(value.value, kinds) if is_nested(kinds.of(value)) else []
            named = isinstance(value, ast.Name | ast.Subscript)
            return [value] if named and isinstance(kinds.of(value), Lst) else []
    return [alias for part in parts for alias in aliases(part, kinds)]


def given_back(value: ast.Call | ast.BinOp, kinds: Kinds) -> list[ast.expr]:
    """Return the arguments of a call that its result may be, or whose lists it may hold."""
    kind, called = kinds.of(value), kinds.rule_called(value) if isinstance(value, ast.Call) else None
    holds = is_nested(kind)
    if called is None:  # list(lists), lists.copy()
        names = [n for n in ast.walk(value) if isinstance(n, ast.Name)] if holds else []
        return [n for n in names if isinstance(kinds.of(n), Lst)]
    rule, node, given = called
    result = Sharing(kinds.cls).of(rule).result
    kept = result.outer | (result.inner if holds else frozenset())
    pairs = [*zip(names_of(rule.function, rule.role), given, strict=False)]
    pairs += [(str(k.arg), k.value) for k in node.keywords]
    return [alias for name, one in pairs if name in kept for alias in aliases(one, kinds)]


def is_nested(kind: object) -> bool:
    """Return whether values of a kind have lists inside them."""
    return isinstance(kind, Lst) and (isinstance(kind.item, Lst) or isinstance(kind.value, Lst))


def copied_in(source: ast.expr, kinds: Kinds) -> Iterator[ast.expr]:
    """Yield the names, and items of lists, of which a loop goes through copies."""
    if isinstance(source, ast.Call) and kinds.target(source.func) in (enumerate, zip, reversed):
        for part in source.args:
            yield from copied_in(part, kinds)
    elif is_nested(kinds.of(source)) and not (isinstance(source, ast.Name | ast.Attribute) or is_item(source)):
        yield from aliases(source, kinds)
