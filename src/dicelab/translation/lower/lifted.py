"""Functions that are lifted out of rules, and what is known of them; trees, put together from text; iterators.

A generator, and what else Python computes one by one, may stand only where something goes through it. Compiled code
makes a list of it, which has a length, items and a truth value; in Python, an iterator is always true, is equal to
nothing, and has none of these.
"""

from __future__ import annotations

import ast
import collections
import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any
from weakref import WeakKeyDictionary


def nothing() -> int:
    """Stand for a value that Python refuses to give, as the largest number of an empty sequence."""
    raise ValueError("there is no such value")


@dataclass
class Lowered:
    """A rule in the smaller language.

    Attributes
    ----------
    tree
        The syntax tree.
    origin
        The function of the file that the rule is part of: the rule itself unless it was lifted out of another one.
    functions
        What was lifted out of it, by the names that the tree uses.
    variables
        Variables that were added to it.
    generates
        Whether it returns a generator, which can be gone through once.
    numbers
        Numbers of the names that are made for it and for what was lifted out of it: the same ones in every process,
        so that a kernel has the same text.
    """

    tree: ast.AST
    origin: FunctionType
    functions: dict[str, Any] = field(default_factory=dict)
    variables: set[str] = field(default_factory=set)
    generates: bool = False
    numbers: Iterator[int] = field(default_factory=itertools.count)


KNOWN: WeakKeyDictionary[FunctionType, Lowered] = WeakKeyDictionary()


def generates(rule: FunctionType) -> bool:
    """Return whether a function returns a generator."""
    return rule in KNOWN and KNOWN[rule].generates


def origin_of(rule: FunctionType) -> FunctionType:
    """Return the function of the file that a rule is part of."""
    return KNOWN[rule].origin if rule in KNOWN else rule


def placed_all(statements: list[ast.stmt], at: ast.AST) -> list[ast.stmt]:
    """Return the statements with the line of a node."""
    return [placed(statement, at) for statement in statements]


def content_of(cell: Any) -> Any:
    """Return what a variable of a function around a rule holds; None if it has no value yet."""
    try:
        return cell.cell_contents
    except ValueError:
        return None


def listed(made: Any) -> list[Any]:
    """Return what a statement became, as a list of statements."""
    return made if isinstance(made, list) else [made]


def placed(node: Any, at: ast.AST) -> Any:
    """Return a node with the line of another one, also for all parts that have none."""
    for part in ast.walk(node):
        if isinstance(part, ast.expr | ast.stmt | ast.arg | ast.keyword) and not hasattr(part, "lineno"):
            part.lineno = getattr(at, "lineno", 1)
            part.col_offset = getattr(at, "col_offset", 0)
            part.end_lineno = getattr(at, "end_lineno", part.lineno)
            part.end_col_offset = getattr(at, "end_col_offset", part.col_offset)
    return node


def function_of(tree: Any, origin: FunctionType) -> FunctionType:
    """Return a function of the file from its tree."""
    space: dict[str, Any] = {}
    module = ast.fix_missing_locations(ast.Module([tree], []))
    exec(compile(module, origin.__code__.co_filename, "exec"), origin.__globals__ | {"nothing": nothing}, space)
    made: FunctionType = space[tree.name]
    made.__name__ = origin.__name__
    made.__module__ = origin.__module__
    return made


def own_nodes(tree: ast.AST) -> Iterable[ast.AST]:
    """Return all nodes of a function but those of functions inside it; these themselves are included."""
    waiting = list(ast.iter_child_nodes(tree))
    while waiting:
        node = waiting.pop(0)
        yield node
        if not isinstance(node, ast.FunctionDef | ast.Lambda):
            waiting += ast.iter_child_nodes(node)


def bound_names(tree: ast.AST) -> set[str]:
    """Return the names that a function inside a rule binds, with its arguments."""
    names = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    return names | {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}


class Renamed(ast.NodeTransformer):
    """Gives variables other names."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.copy_location(ast.Name(self.names.get(node.id, node.id), node.ctx), node)

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        own = {a.arg for a in node.args.args}
        node.body = Renamed({k: v for k, v in self.names.items() if k not in own}).visit(node.body)
        return node

    def _comprehension(self, node: Any) -> Any:
        bound = {n.id for part in node.generators for n in ast.walk(part.target) if isinstance(n, ast.Name)}
        node.generators[0].iter = self.visit(node.generators[0].iter)
        inner = Renamed({k: v for k, v in self.names.items() if k not in bound})
        first, node.generators[0].iter = node.generators[0].iter, ast.Constant(0)
        inner.generic_visit(node)
        node.generators[0].iter = first
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension


class Filled(ast.NodeTransformer):
    """Puts expressions and statements in place of names in a parsed text."""

    def __init__(self, parts: dict[str, Any]) -> None:
        self.parts = parts

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        statements: list[ast.stmt] = []
        for statement in body:
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Name):
                part = self.parts.get(statement.value.id)
                if isinstance(part, list):
                    statements += part
                    continue
            for name, value in ast.iter_fields(statement):
                if name in ("body", "orelse"):
                    setattr(statement, name, self.block(value))
                elif isinstance(value, ast.AST):
                    setattr(statement, name, self.visit(value))
                elif isinstance(value, list):
                    value[:] = [self.visit(part) if isinstance(part, ast.AST) else part for part in value]
            statements.append(statement)
        return statements

    def visit_Name(self, node: ast.Name) -> Any:
        part = self.parts.get(node.id)
        if isinstance(part, str):
            return ast.Name(part, node.ctx)
        if isinstance(part, ast.expr):
            made = deepcopy(part)
            if isinstance(made, ast.Name | ast.Tuple | ast.List | ast.Attribute | ast.Subscript) and isinstance(
                node.ctx, ast.Store
            ):
                _stored(made)
            return made
        return node


def _stored(target: Any) -> None:
    """Make a target of an expression."""
    target.ctx = ast.Store()
    for part in getattr(target, "elts", ()):
        _stored(part)


STEPS = (enumerate, zip, reversed, map, filter)
OF_LIBRARY = (
    *(itertools.chain, itertools.combinations, itertools.permutations, itertools.product, itertools.accumulate),
    itertools.combinations_with_replacement,
)
"""Functions of itertools whose results can be gone through once."""
GOING_THROUGH = (any, all, sum, max, min, sorted, list, tuple, set, frozenset, dict, next, enumerate, zip, map, filter)
"""Functions that go through any sequence that they are given."""
UNORDERED = (any, all, sum, max, min, sorted, set, frozenset, len)
"""Functions whose result doesn't depend on the order of what they go through."""
METHODS = {
    *("extend", "update", "subtract", "union", "intersection", "difference", "symmetric_difference"),
    *("intersection_update", "difference_update", "symmetric_difference_update"),
    *("issubset", "issuperset", "isdisjoint", "from_iterable"),
}
"""Methods that do."""


def gives_iterator(node: ast.AST, target_of: Callable[[ast.expr], Any]) -> bool:
    """Return whether the value of an expression can only be gone through in Python, as far as its text shows.

    `target_of` returns the function that an expression refers to.
    """
    if isinstance(node, ast.IfExp):
        return any(gives_iterator(part, target_of) for part in (node.body, node.orelse))
    if isinstance(node, ast.Call):
        return getattr(node, "lazy", False) or target_of(node.func) in (*STEPS, *OF_LIBRARY)
    return isinstance(node, ast.GeneratorExp)


def in_order(node: ast.AST, part: ast.AST, around: ast.AST | None, target_of: Callable[[ast.expr], Any]) -> bool:
    """Return whether an expression or statement uses the order of one of its parts; `around` is what it is part of."""
    match node:
        case ast.For():
            return part is node.iter and not getattr(node, "unordered", False)
        case ast.AugAssign():
            return isinstance(node.op, ast.Add)
        case ast.Assign():
            return any(isinstance(target, ast.Tuple | ast.List) for target in node.targets)
        case ast.Starred():
            in_set = isinstance(around, ast.Set)
            return not in_set and not (isinstance(around, ast.Call) and target_of(around.func) in UNORDERED)
        case ast.Call() if part in node.args:
            target = target_of(node.func)
            if target is itertools.chain:
                return around is None or in_order(around, node, None, target_of)
            ordered = target in (*STEPS, *OF_LIBRARY, list, tuple, dict, next, iter)
            return ordered or (isinstance(node.func, ast.Attribute) and node.func.attr == "extend")
    return False


def goes_through(node: ast.AST, part: ast.AST, target_of: Callable[[ast.expr], Any]) -> bool:
    """Return whether an expression or statement goes through one of its parts, and does nothing else with it."""
    match node:
        case ast.For() | ast.comprehension():
            return part is node.iter
        case ast.AugAssign(op=ast.Add()):
            return True
        case ast.Starred() | ast.YieldFrom() | ast.IfExp():
            return not isinstance(node, ast.IfExp) or part is not node.test
        case ast.Compare(ops=[ast.In() | ast.NotIn()]):
            return part is node.comparators[0]
        case ast.Assign() | ast.AnnAssign() | ast.Return() | ast.NamedExpr():
            return True  # what is done with the variable, or with the result, is looked at elsewhere
        case ast.Call() if part in node.args:
            target = target_of(node.func)
            if target in (max, min):
                return len(node.args) == 1
            if target in (*GOING_THROUGH, *OF_LIBRARY, collections.Counter, math.prod):
                return True
            return isinstance(node.func, ast.Attribute) and node.func.attr in METHODS
    return False
