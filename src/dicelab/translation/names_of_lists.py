"""Lists with two names: what they are part of, and where that changes.

Compiled code copies a list that gets a second name; where the list changes afterwards, under either name, that would
show, and is refused. ``for row in lists`` and ``row = lists[0]`` give an item of `lists` a second name that isn't
copied: it is a place of `lists`, which later may hold another item.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dicelab.rules.game import Game
from dicelab.translation.entries import names_of
from dicelab.translation.inference import Kinds
from dicelab.translation.kinds import (
    Lst,
    augmented_in,
    blocks_of,
    changed_in,
    changed_inside,
    is_item,
    is_same,
    root,
)
from dicelab.translation.sharing import Sharing

MOVING = ("pop", "popitem", "remove", "discard", "insert", "sort", "reverse", "clear", "update")
"""Methods after which other items are at the places of a list or dict."""


def sources(kinds: Kinds) -> dict[str, set[str]]:
    """Return, for each variable that is an item of other lists, the variables that these lists are, or are inside."""
    found: dict[str, set[str]] = {}
    for node in ast.walk(kinds.tree):
        if isinstance(node, ast.For):
            names = {part.id for part in ast.walk(node.iter) if isinstance(part, ast.Name)}
            targets = [part for part in ast.walk(node.target) if isinstance(part, ast.Name)]
        elif isinstance(node, ast.Assign) and is_item(node.value):
            names, targets = root(node.value), [part for part in node.targets if isinstance(part, ast.Name)]
        else:
            continue
        for target in targets:
            if isinstance(kinds.variables.get(target.id), Lst):
                found.setdefault(target.id, set()).update(names - {target.id})
    for _ in found:
        for name, inside in found.items():
            found[name] = inside | {outer for one in inside for outer in found.get(one, ())}
    return found


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
        read = [node for node in uses if isinstance(node.ctx, ast.Load)]
        for change, changed in _moves(kinds.tree):
            if changed in outer and any(_may_follow(change, one, bound, loops) for one in read):
                yield change, name, changed


def _moves(tree: ast.AST) -> Iterator[tuple[ast.expr, str]]:
    """Yield the places at which a list gets other items, and its name."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) if method in MOVING:
                yield node, name
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
                yield node, name


def _may_follow(change: ast.expr, read: ast.Name, bound: list[ast.Name], loops: list[set[int]]) -> bool:
    """Return whether a variable may be read after a change, without having been set in between."""
    if read.lineno > change.lineno:
        between = [one for one in bound if change.lineno < one.lineno <= read.lineno]
        if not between and any(one.lineno <= change.lineno for one in bound):
            return True
    for loop in loops:
        if id(change) in loop and id(read) in loop:
            before = [one for one in bound if id(one) in loop and one.lineno <= read.lineno]
            if not before:
                return True
    return False


def aliases(node: ast.expr) -> list[ast.expr]:
    """Return the names, and items of lists, that an expression may be another name for."""
    if isinstance(node, ast.IfExp):
        return aliases(node.body) + aliases(node.orelse)
    if isinstance(node, ast.BoolOp):
        return [alias for value in node.values for alias in aliases(value)]
    is_slice = isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice)
    return [node] if isinstance(node, ast.Name | ast.Subscript) and not is_slice else []


def given_back(value: ast.expr, kinds: Kinds, game: type[Game]) -> list[ast.expr]:
    """Return the arguments of a call that its result may be, or whose lists it may hold."""
    if isinstance(value, ast.IfExp):
        return given_back(value.body, kinds, game) + given_back(value.orelse, kinds, game)
    if not isinstance(value, ast.Call | ast.BinOp):
        return []
    kind, called = kinds.of(value), kinds.rule_called(value) if isinstance(value, ast.Call) else None
    holds = isinstance(kind, Lst) and (isinstance(kind.item, Lst) or isinstance(kind.value, Lst))
    if called is None:  # list(lists), lists.copy()
        names = [n for n in ast.walk(value) if isinstance(n, ast.Name)] if holds else []
        return [n for n in names if isinstance(kinds.of(n), Lst)]
    rule, node, given = called
    result = Sharing(game).of(rule).result
    kept = result.outer | (result.inner if holds else frozenset())
    pairs = [*zip(names_of(rule.function, rule.role), given, strict=False)]
    pairs += [(str(k.arg), k.value) for k in node.keywords]
    return [one for name, one in pairs if name in kept and isinstance(kinds.of(one), Lst)]


def is_made_anew(name: str, node: ast.AST, tree: ast.AST) -> bool:
    """Return whether, after it was put into another list, a variable gets a new list before it is changed again."""
    for block in blocks_of(tree):
        places = [i for i, statement in enumerate(block) if any(is_same(part, node) for part in ast.walk(statement))]
        if not places:
            continue
        place = places[-1]
        statement = block[place]
        if not (isinstance(statement, ast.Expr) and is_same(statement.value, node)):
            continue
        after = any(name in changed_in(s) | augmented_in(s) for s in block[place + 1 :])
        made = [
            isinstance(s, ast.Assign | ast.AnnAssign)
            and any(
                isinstance(t, ast.Name) and t.id == name for t in getattr(s, "targets", [getattr(s, "target", None)])
            )
            for s in block[:place]
        ]
        return not after and any(made)
    return False
