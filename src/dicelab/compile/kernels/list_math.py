"""Functions of ``math`` on whole numbers; see `dicelab.compile.kernels.list_support`."""

from __future__ import annotations

import numpy as np

from dicelab.compile.kernels.core import guarded
from dicelab.compile.kernels.rule_support import absolute, mul, noted


@guarded
def set_box(box, value):  # type: ignore[no-untyped-def]
    """Return the value of an assignment inside an expression, whose variable is the only number of an array."""
    box[1] = np.int64(value)
    return box[1]


@guarded
def gcd(x, y):  # type: ignore[no-untyped-def]
    """``math.gcd(x, y)``."""
    a, b = abs(np.int64(x)), abs(np.int64(y))
    while b != 0:
        a, b = b, a % b
    return a


@guarded
def lcm(game, x, y):  # type: ignore[no-untyped-def]
    """``math.lcm(x, y)``."""
    shared = gcd(x, y)
    return np.int64(0) if shared == 0 else absolute(game, mul(game, np.int64(x) // shared, np.int64(y)))


@guarded
def comb(game, n, k):  # type: ignore[no-untyped-def]
    """``math.comb(n, k)``; a result above 2**53, and a negative number, is recorded as an error."""
    wrong = (n < 0) | (k < 0)
    found = np.int64(1)
    if k > n:
        return noted(game, wrong, 0)
    for i in range(min(np.int64(k), np.int64(n) - np.int64(k))):
        if found > (1 << 53) // max(np.int64(n), np.int64(1)):
            wrong = True
            break
        found = found * (np.int64(n) - i) // (i + 1)
    return noted(game, wrong, found)


@guarded
def perm(game, n, k):  # type: ignore[no-untyped-def]
    """``math.perm(n, k)``; a result above 2**62, and a negative number, is recorded as an error."""
    wrong = (n < 0) | (k < 0)
    found = np.int64(1)
    if k > n:
        return noted(game, wrong, 0)
    for i in range(np.int64(k)):
        if found > (1 << 62) // max(np.int64(n) - i, np.int64(1)):
            wrong = True
            break
        found *= np.int64(n) - i
    return noted(game, wrong, found)


@guarded
def isqrt(game, n):  # type: ignore[no-untyped-def]
    """``math.isqrt(n)``."""
    value = np.int64(0)
    for bit in range(31, -1, -1):
        more = value | (np.int64(1) << bit)
        if more < 3_037_000_500 and more * more <= n:
            value = more
    return noted(game, n < 0, value)
