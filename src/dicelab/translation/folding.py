"""Evaluates constant expressions, such as ``2**63 - 1``, when rules are translated."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable

MOST_BITS = 4096
"""Largest exponent, and largest shift, of a constant expression that is evaluated."""
OPERATIONS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.Pow: operator.pow,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}
CAN_BE_LARGE = ast.LShift | ast.RShift | ast.Pow


def folded(node: ast.AST, known: Callable[[str], object]) -> int | None:
    """Return the value of a constant expression; None if it isn't constant, or raises an error.

    Parameters
    ----------
    node
        An expression of a rule.
    known
        Returns the object that a name refers to if it is a constant of the file, else None.
    """
    match node:
        case ast.Constant(value=int() as number):
            return int(number)
        case ast.Name():
            value = known(node.id)
            return int(value) if isinstance(value, int) and type(value) in (int, bool) else None
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() | ast.Invert()):
            of = folded(node.operand, known)
            if of is None:
                return None
            return -of if isinstance(node.op, ast.USub) else ~of if isinstance(node.op, ast.Invert) else of
        case ast.BinOp():
            return _calculated(node.op, folded(node.left, known), folded(node.right, known))
    return None


def _calculated(op: ast.operator, left: int | None, right: int | None) -> int | None:
    if left is None or right is None or type(op) not in OPERATIONS:
        return None
    if isinstance(op, CAN_BE_LARGE) and not 0 <= right <= MOST_BITS:
        return None
    if isinstance(op, ast.Pow) and abs(left) > 2**MOST_BITS:
        return None
    try:
        return OPERATIONS[type(op)](left, right)
    except ArithmeticError:
        return None
