"""What translated rules call on a GPU instead of `dicelab.compile.kernels.rule_support`.

Dividing by zero doesn't stop a kernel there: it is recorded as an error.
"""

from __future__ import annotations

import numpy as np

from dicelab.compile.kernels import rule_support
from dicelab.compile.kernels.core import guarded


@guarded
def divisor(game, y):  # type: ignore[no-untyped-def]
    """Return a divisor; 0 is recorded as an error, and 1 is returned."""
    game._outside |= -np.int64(y == 0)
    return np.int64(1) if y == 0 else np.int64(y)


@guarded
def quotient(game, x, y):  # type: ignore[no-untyped-def]
    """``x // y``."""
    return rule_support.quotient(game, x, divisor(game, y))


@guarded
def remainder(game, x, y):  # type: ignore[no-untyped-def]
    """``x % y``."""
    return rule_support.remainder(game, x, divisor(game, y))


@guarded
def divided(game, x, y):  # type: ignore[no-untyped-def]
    """``divmod(x, y)``."""
    return rule_support.divided(game, x, divisor(game, y))
