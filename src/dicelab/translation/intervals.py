"""Interval arithmetic on whole numbers."""

from __future__ import annotations

import ast
import enum
import operator
from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass
from typing import Any, NamedTuple

from dicelab.rules.fields import MOST_COUNTED

STEP = 2**20
"""Largest step that is small: repeating it often enough to leave 64 bits would take hours."""


class NumberInterval(NamedTuple):
    """Whole numbers from `low` to `high`, both included."""

    low: int
    high: int

    def __or__(self, other: tuple[int, ...]) -> NumberInterval:
        return NumberInterval(min(self.low, other[0]), max(self.high, other[1]))

    @property
    def fits(self) -> bool:
        """Whether all of these numbers fit into 64 bits."""
        return self.low >= -(2**63) and self.high < 2**63

    @property
    def most(self) -> int:
        """The largest absolute value."""
        return max(abs(self.low), abs(self.high))

    @property
    def is_cut(self) -> bool:
        """Whether an end is that of 64 bits: larger numbers may have been left out."""
        return self.low <= -(2**63) or self.high >= 2**63 - 1

    @property
    def cut(self) -> NumberInterval:
        """The part that fits into 64 bits; other values are detected at run time, where they are computed."""
        low, high = max(self.low, -(2**63)), min(self.high, 2**63 - 1)
        return NumberInterval(low, high) if low <= high else ANY


ANY = NumberInterval(-(2**63), 2**63 - 1)
YES_NO = NumberInterval(0, 1)
TEXTS = NumberInterval(0, 2**20)
"""The numbers that stand for texts."""
THRESHOLDS = (0, 1, STEP, 2**31, 2**53, MOST_COUNTED, 2**63)
"""Absolute values of the ends of widened intervals."""


def widened(old: NumberInterval, new: NumberInterval) -> NumberInterval:
    """Widening: `new`, extended to the next of `THRESHOLDS` where it exceeds `old`, so that iteration ends soon."""
    low, high = new
    if new.low < old.low:
        low = next((-t for t in THRESHOLDS if -t <= new.low), ANY.low)
    if new.high > old.high:
        high = next((t for t in THRESHOLDS if t >= new.high), ANY.high)
    return NumberInterval(low, high).cut


def hull(intervals: Iterable[NumberInterval]) -> NumberInterval:
    """Return the smallest interval that contains all of these; `YES_NO` if there are none."""
    whole: NumberInterval | None = None
    for interval in intervals:
        whole = interval if whole is None else whole | interval
    return whole if whole is not None else YES_NO


def of_tuple(values: tuple[Any, ...]) -> NumberInterval:
    """Return the interval of the numbers of a tuple."""
    return hull(map(of_constant, values))


def of_constant(thing: object) -> NumberInterval:
    """Return the interval of a constant: a number, a tuple or an IntEnum; `ANY` for anything else."""
    if isinstance(thing, int):
        return NumberInterval(int(thing), int(thing)).cut
    if isinstance(thing, tuple):
        return of_tuple(thing)
    if isinstance(thing, list | set | frozenset | range):
        return of_tuple(tuple(thing))
    if isinstance(thing, dict):
        return of_tuple((*thing.keys(), *thing.values()))
    if isinstance(thing, str):
        return TEXTS
    if is_dataclass(thing) and not isinstance(thing, type):
        return of_tuple(tuple(getattr(thing, f.name) for f in fields(thing)))
    if isinstance(thing, type) and issubclass(thing, enum.IntEnum):
        return hull(NumberInterval(int(member), int(member)) for member in thing)
    return ANY


def is_small_step(op: ast.operator, by: NumberInterval, old: NumberInterval = YES_NO) -> bool:
    """Return whether this is an addition or subtraction that can't be repeated often enough to leave 64 bits."""
    return isinstance(op, ast.Add | ast.Sub) and by.most <= STEP and old.most <= MOST_COUNTED


def combined(op: ast.operator, a: NumberInterval, b: NumberInterval) -> NumberInterval:
    """Return the interval of the results of an operation; wider than 64 bits if the operation is unknown."""
    return RESULTS.get(type(op), _unknown)(a, b)


def _unknown(a: NumberInterval, b: NumberInterval) -> NumberInterval:
    return NumberInterval(-(2**64), 2**64)


def _product(a: NumberInterval, b: NumberInterval) -> NumberInterval:
    corners = [x * y for x in a for y in b]
    return NumberInterval(min(corners), max(corners))


def _quotient(a: NumberInterval, b: NumberInterval) -> NumberInterval:
    if a.low >= 0 and b.low > 0:
        return NumberInterval(a.low // b.high, a.high // b.low)
    return NumberInterval(-a.most, a.most)


def _remainder(a: NumberInterval, b: NumberInterval) -> NumberInterval:
    if b.low > 0:
        return NumberInterval(0, min(b.high - 1, a.high) if a.low >= 0 else b.high - 1)
    return NumberInterval(-b.most, b.most)


def _bits(a: NumberInterval, b: NumberInterval) -> NumberInterval:
    """For `|` and `^`: the result has no more bits than the longer operand."""
    bits = max(a.most, b.most).bit_length()
    return NumberInterval(0 if min(a.low, b.low) >= 0 else -(1 << bits), (1 << bits) - 1)


def _common_bits(a: NumberInterval, b: NumberInterval) -> NumberInterval:
    """For `&`: the result is no larger than an operand that isn't negative."""
    upper = [x.high for x in (a, b) if x.low >= 0]
    return NumberInterval(0, min(upper)) if upper else _bits(a, b)


def _shifted_right(a: NumberInterval, b: NumberInterval) -> NumberInterval:
    return NumberInterval(min(a.low, 0) if b.low <= 0 else min(a.low >> 1, 0), max(a.high, 0))


def _shifted_left(a: NumberInterval, b: NumberInterval) -> NumberInterval:
    if not 0 <= b.low <= b.high <= 63:
        return _unknown(a, b)
    return NumberInterval(min(a.low << b.low, a.low << b.high), max(a.high << b.low, a.high << b.high))


def _power(a: NumberInterval, b: NumberInterval) -> NumberInterval:
    if not 0 <= b.low <= b.high <= 63:
        return _unknown(a, b)
    most = a.most**b.high
    return NumberInterval(0 if a.low >= 0 else -most, max(most, 1))


RESULTS: dict[type[ast.operator], Callable[[NumberInterval, NumberInterval], NumberInterval]] = {
    ast.Add: lambda a, b: NumberInterval(a.low + b.low, a.high + b.high),
    ast.Sub: lambda a, b: NumberInterval(a.low - b.high, a.high - b.low),
    ast.Mult: _product,
    ast.FloorDiv: _quotient,
    ast.Mod: _remainder,
    ast.BitAnd: _common_bits,
    ast.BitOr: _bits,
    ast.BitXor: _bits,
    ast.RShift: _shifted_right,
    ast.LShift: _shifted_left,
    ast.Pow: _power,
}
"""For each operation, the interval of its results from those of its operands."""


# Folding --------------------------------------------------------------------------------------------------------------
#
# Evaluates constant expressions, such as ``2**63 - 1``, when rules are translated.


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
