"""What a function does, after a statement, with a list that has got a second name or a place in another list.

By itself because it is an analysis of the order of statements, which rewrites nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TypeGuard

from dicelab.translation.inference import Kinds
from dicelab.translation.kinds import Lst, augmented_in, changed_in, changed_inside, root
from dicelab.translation.names_of_lists import aliases
from dicelab.translation.unset import bound_in

Names = frozenset[str] | None
"""Variables that may still be the list; None where a line can't be reached."""


def is_changed_later(names: set[str], at: ast.AST, kinds: Kinds) -> bool:
    """Return whether one of some variables is changed while it may still be the list that it is at a place."""
    return _Later(names, at, kinds).changed


def is_used_later(name: str, at: ast.AST, kinds: Kinds) -> bool:
    """Return whether a variable is read, or changed, while it may still be the list that it is at a place."""
    later = _Later({name}, at, kinds)
    return later.changed or later.read


def has_other_names(name: str, at: ast.AST, kinds: Kinds) -> bool:
    """Return whether the list that a variable is may have another name than this, or be in another list than that into
    which one place puts it.
    """
    for node in ast.walk(kinds.tree):
        given: list[ast.expr] = []
        match node:
            case ast.For() | ast.comprehension():
                if name in bound_in(node.target) or name in {n.id for n in ast.walk(node.iter) if is_name(n)}:
                    return True
            case ast.Assign() | ast.AugAssign() | ast.AnnAssign() if node.value is not None:
                given = [node.value]
                if not isinstance(node, ast.AugAssign) and name in bound_in(node) and aliases(node.value, kinds):
                    return True
            case ast.Call(func=ast.Attribute()):
                given = node.args
        held = set[str]().union(*(root(alias) for part in given for alias in aliases(part, kinds)))
        if name in held and _place(node) != _place(at):
            return True
    return False


def is_name(node: ast.AST) -> TypeGuard[ast.Name]:
    """Return whether a node is a name."""
    return isinstance(node, ast.Name)


def same_as(value: ast.expr | None, kinds: Kinds) -> set[str]:
    """Return the variables whose list a value may be."""
    match value:
        case ast.IfExp():
            parts = [value.body, value.orelse]
        case ast.BoolOp() | ast.Tuple():
            parts = value.values if isinstance(value, ast.BoolOp) else value.elts
        case ast.Name() | ast.Call() | ast.BinOp():
            return set[str]().union(*map(root, aliases(value, kinds)))
        case _:
            return set()
    return set[str]().union(*(same_as(part, kinds) for part in parts))


def _place(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "lineno", -1), getattr(node, "col_offset", -1)


class _Later:
    """Follows the statements of a function in order.

    Attributes
    ----------
    changed, read
        Whether a variable is changed, or read, while it may still be the list.
    """

    def __init__(self, names: set[str], at: ast.AST, kinds: Kinds) -> None:
        self.kinds = kinds
        self.names, self.at = frozenset(names), _place(at)
        self.changed = self.read = self._met = False
        self._breaks: list[list[Names]] = []
        self._continues: list[list[Names]] = []
        self._block(getattr(kinds.tree, "body", []), frozenset())
        self.changed |= not self._met

    def _block(self, statements: Sequence[ast.stmt], still: Names) -> Names:
        for statement in statements:
            if still is None:
                return None
            still = self._statement(statement, still)
        return still

    def _look(self, node: ast.AST, still: frozenset[str]) -> None:
        """Note what a statement, or the first line of one, does."""
        self.changed |= bool(still & (changed_in(node) | augmented_in(node) | changed_inside(node)))
        loads = (part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load))
        self.read |= bool(still & set(loads))

    def _statement(self, node: ast.stmt, still: frozenset[str]) -> Names:
        match node:
            case ast.If():
                self._look(node.test, still)
                return _joined(self._block(node.body, still), self._block(node.orelse, still))
            case ast.While():
                return self._loop(node, still, node.test, frozenset(), set())
            case ast.For():
                self._look(node.iter, still)
                named = {part.id for part in ast.walk(node.iter) if is_name(part)}  # ``for row in (first, second)``
                return self._loop(node, still, node.target, bound_in(node.target), named)
            case ast.Match():
                for part in (node.subject, *(case.guard for case in node.cases if case.guard is not None)):
                    self._look(part, still)
                return _joined(still, *(self._block(case.body, still) for case in node.cases))
            case ast.Break():
                self._breaks[-1].append(still)
                return None
            case ast.Continue():
                self._continues[-1].append(still)
                return None
        self._look(node, still)
        if isinstance(node, ast.Return | ast.Raise):
            return None
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            still = self._bound(still, bound_in(node), same_as(node.value, self.kinds))
        if any(_place(part) == self.at for part in ast.walk(node)):
            self._met = True
            still |= self.names
        return still

    def _bound(self, still: frozenset[str], bound: frozenset[str], same: set[str]) -> frozenset[str]:
        """Return the variables that may be the list after some get values of which each may be one of others."""
        lists = {name for name in bound if isinstance(self.kinds.variables.get(name), Lst)}
        return (still - bound) | (lists if still & same else set())

    def _loop(
        self,
        node: ast.While | ast.For,
        still: frozenset[str],
        first: ast.expr,
        bound: frozenset[str],
        named: set[str],
    ) -> Names:
        while True:
            self._breaks.append([])
            self._continues.append([])
            self._look(first, still)
            end = self._block(node.body, self._bound(still, bound, named))
            breaks, again = self._breaks.pop(), self._continues.pop()
            after = _joined(still, end, *again)
            assert after is not None
            if after == still:
                return _joined(*breaks, self._block(node.orelse, still))
            still = after


def _joined(*paths: Names) -> Names:
    """Return what may hold where several paths meet."""
    reached = [names for names in paths if names is not None]
    return frozenset().union(*reached) if reached else None
