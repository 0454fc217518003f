"""What a loop goes through and changes at the same time: refused, or gone through as a copy, where it would matter.

Python computes the values of a generator, ``chain`` and ``accumulate`` one by one, while the loop runs; compiled code
computes all of them before. A slice is a copy in Python, and part of the same numbers in compiled code.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from dicelab.translation.inference import Kinds
from dicelab.translation.kinds import GRID, LINE, changed_in
from dicelab.translation.lifted import generates

STEPPING = (enumerate, zip, reversed)
"""Functions whose values are read one by one, in compiled code too."""
GATHERED_FIRST = (itertools.chain, itertools.accumulate)
"""Functions whose values are all computed before the loop in compiled code, one by one in Python."""
ANY_FIELD = ".*"


class Touched(NamedTuple):
    """The variables, and fields with a point before them, that some code reads and changes."""

    reads: set[str]
    changes: set[str]

    @property
    def changes_fields(self) -> bool:
        """Whether it changes the state, or a memory."""
        return any(name.startswith(".") for name in self.changes)

    def depends_on(self, other: Touched) -> bool:
        """Return whether it reads what other code changes."""
        if self.reads & other.changes or (ANY_FIELD in self.reads and other.changes_fields):
            return True
        return ANY_FIELD in other.changes and any(name.startswith(".") for name in self.reads)


def touched(parts: Iterable[ast.AST], kinds: Kinds, kinds_of: Any) -> Touched:
    """Return what code reads and changes, with all that it calls; `kinds_of` returns the kinds of a rule."""
    found, seen = Touched(set(), set()), set[Any]()
    _follow(parts, kinds, kinds_of, found, seen)
    return found


def _follow(parts: Iterable[ast.AST], kinds: Kinds, kinds_of: Any, found: Touched, seen: set[Any]) -> None:
    for node in (node for part in parts for node in ast.walk(part)):
        match node:
            case ast.Name(id=name):
                (found.reads if isinstance(node.ctx, ast.Load) else found.changes).add(name)
                if kinds.variables.get(name) in (LINE, GRID):  # a row of the game under another name
                    found.reads.add(ANY_FIELD)
            case ast.Attribute(attr=name):
                (found.reads if isinstance(node.ctx, ast.Load) else found.changes).add(f".{name}")
            case ast.Subscript(value=owner, ctx=ast.Store() | ast.Del()):
                while isinstance(owner, ast.Subscript):
                    owner = owner.value
                if isinstance(owner, ast.Attribute):
                    found.changes.add(f".{owner.attr}")
                elif isinstance(owner, ast.Name):
                    found.changes.update({owner.id} if owner.id in kinds.owned else {owner.id, ANY_FIELD})
            case ast.Call():
                found.changes.update(changed_in(ast.Expr(node)))
                _follow_call(node, kinds, kinds_of, found, seen)


def _follow_call(node: ast.Call, kinds: Kinds, kinds_of: Any, found: Touched, seen: set[Any]) -> None:
    called = kinds.rule_called(node)
    if called is None:
        return
    given = tuple(sorted(kinds.given_to(*called).items(), key=lambda pair: pair[0]))
    if (called[0], given) in seen:
        return
    seen.add((called[0], given))
    inner, own = kinds_of(called[0], given), Touched(set(), set())
    _follow([inner.tree], inner, kinds_of, own, seen)
    found.reads.update(name for name in own.reads if name.startswith("."))
    found.changes.update(name for name in own.changes if name.startswith("."))


def lazy_parts(node: ast.expr, kinds: Kinds) -> Iterator[ast.expr]:
    """Yield the parts of what a loop goes through whose values Python computes while the loop runs, and compiled code
    before it.
    """
    if isinstance(node, ast.IfExp | ast.BoolOp):
        for part in [node.body, node.orelse] if isinstance(node, ast.IfExp) else node.values:
            yield from lazy_parts(part, kinds)
    if not isinstance(node, ast.Call):
        return
    rule, target = kinds.rule_called(node), kinds.target(node.func)
    if getattr(node, "lazy", False) or (rule is not None and generates(rule[0].function)):
        yield node
    elif target in STEPPING:
        for part in node.args:
            yield from lazy_parts(part, kinds)
    elif target in GATHERED_FIRST:
        yield from node.args


class Copied(ast.NodeTransformer):
    """Writes ``list(...)`` around the slices that a loop goes through, where its body changes what they are part of."""

    def __init__(self, body: Touched, kinds: Kinds, kinds_of: Any) -> None:
        self.body, self.kinds, self.kinds_of = body, kinds, kinds_of

    def visit_Call(self, node: ast.Call) -> ast.Call:
        if self.kinds.target(node.func) in STEPPING:
            made = ast.Call(node.func, [self.visit(part) for part in node.args], node.keywords)
            return ast.copy_location(made, node)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        if not isinstance(node.slice, ast.Slice):
            return node
        if not touched([node.value], self.kinds, self.kinds_of).depends_on(self.body):
            return node
        return ast.fix_missing_locations(ast.copy_location(ast.Call(ast.Name("list", ast.Load()), [node], []), node))

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Return anything else as it is."""
        return node


def has_slices(node: ast.expr, kinds: Kinds) -> bool:
    """Return whether a loop goes through a slice."""
    if isinstance(node, ast.Call) and kinds.target(node.func) in STEPPING:
        return any(has_slices(part, kinds) for part in node.args)
    return isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice)
