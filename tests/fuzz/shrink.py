"""Makes the file of a failure as small as it can be while the same check still fails."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from time import monotonic

from fuzz.games import GameText

BODIES = "body", "orelse", "cases", "finalbody"
LISTS = "decorator_list", "names", "keywords", "bases", "elts", "values", "targets", "args", "defaults"


def shrunk(game: GameText, fails: Callable[[GameText], bool], seconds: float) -> GameText:
    """The smallest game found for which `fails` holds, as it does for this one.

    Parameters
    ----------
    game
        A game that fails.
    fails
        Whether a game fails in the same way; a text that is not a game does not.
    seconds
        How long to look.
    """
    until = monotonic() + seconds
    whole = GameText(ast.unparse(ast.parse(game.text)) + "\n", game.helper)
    best = whole if fails(whole) else game
    if best.helper and fails(without := GameText(best.text, "")):
        best = without
    smaller = True
    while smaller and monotonic() < until:
        smaller = False
        for text in candidates(best.text):
            if monotonic() > until:
                break
            candidate = GameText(text, best.helper)
            if len(text) < len(best.text) and fails(candidate):
                best, smaller = candidate, True
                break
    return best


def candidates(text: str) -> Iterator[str]:
    """The file with one thing less: large things first, then statements, then parts of expressions."""
    tree = ast.parse(text)
    nodes = list(ast.walk(tree))
    for names, least in ((BODIES, "pass"), (LISTS, "")):
        for node in nodes:
            for name in names:
                yield from _with_less(tree, getattr(node, name, None), least)
    for node in nodes:
        for name, value in ast.iter_fields(node):
            for at, child in enumerate(value if isinstance(value, list) else [value]):
                if isinstance(child, ast.expr) and isinstance(getattr(child, "ctx", ast.Load()), ast.Load):
                    for simple in _simpler(child):
                        yield _replaced(tree, node, name, at, simple)


def _with_less(tree: ast.Module, items: object, least: str) -> Iterator[str]:
    """The file without one item of a list, or with what the item holds in its place."""
    if not isinstance(items, list):
        return
    for at, item in enumerate(items):
        if isinstance(item, ast.Pass):
            continue
        inner = [list(getattr(item, "body", []))] if isinstance(item, ast.If | ast.For | ast.While) else []
        for instead in [[], *inner]:
            kept = items[:]
            items[at : at + 1] = instead
            if not items and least:
                items.append(ast.Pass())
            text = _text(tree)
            items[:] = kept
            yield text


def _simpler(node: ast.expr) -> Iterator[ast.expr]:
    """Expressions that may stand in the place of one."""
    if not isinstance(node, ast.Constant):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                yield child
        yield ast.Constant(0)
        yield ast.Constant(1)
    elif isinstance(node.value, int) and node.value not in (0, 1):
        yield ast.Constant(1)


def _replaced(tree: ast.Module, node: ast.AST, name: str, at: int, new: ast.expr) -> str:
    value = getattr(node, name)
    if isinstance(value, list):
        old, value[at] = value[at], new
        text = _text(tree)
        value[at] = old
    else:
        setattr(node, name, new)
        text = _text(tree)
        setattr(node, name, value)
    return text


def _text(tree: ast.Module) -> str:
    """The text of a tree; empty where it stands for none."""
    try:
        return ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    except Exception:
        return ""
