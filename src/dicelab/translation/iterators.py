"""Where a generator may stand, and what else Python computes one by one: only where something goes through it.

Compiled code makes a list of it, which has a length, items and a truth value; in Python, an iterator is always true, is
equal to nothing, and has none of these.
"""

from __future__ import annotations

import ast
import collections
import itertools
import math
from collections.abc import Callable
from typing import Any

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
