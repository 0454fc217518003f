"""The memory of the machine, and a check that a chain fits into it."""

from __future__ import annotations

import os
from decimal import Decimal
from pathlib import Path

from dicelab.errors import ParameterError
from dicelab.rules.params import as_integer
from dicelab.runtime.lineup import Run
from dicelab.runtime.states.codec import Slots
from dicelab.solver.enumeration.model import TooLarge

UNITS = {20: "MiB", 30: "GiB", 40: "TiB", 50: "PiB", 60: "EiB"}
"""Units of memory, by the powers of two that they stand for."""


class DoesNotFit(TooLarge):
    """A chain that needs more memory than it may use."""


def machine_memory() -> int:
    """Bytes of memory of this machine, or the limit of its container."""
    try:
        allowed = Path("/sys/fs/cgroup/memory.max").read_text(encoding="utf-8").strip()
        if allowed.isdecimal():
            return int(allowed)
    except OSError:
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 8 << 30


def bytes_allowed(memory: object) -> int | None:
    """A limit of memory as a whole number of bytes; None for None.

    Raises
    ------
    ParameterError
    """
    count = None if memory is None else as_integer(memory)
    if memory is not None and (count is None or count < 1):
        raise ParameterError(f"memory: {memory!r} is not allowed; it takes a whole number of bytes, at least 1")
    return count


def limit_of(memory: int | None) -> int:
    """The bytes that may be used: half of the machine's if none are given."""
    return machine_memory() // 2 if memory is None else memory


def needed(words: int, states: int | float, edges: int | float, runs: bool) -> float:
    """Bytes for finding, ordering and solving a chain of states that are packed in so many words, as measured.

    They are fewer where there are `runs` (`dicelab.solver.solution.runs`), because edges are then freed early.
    """
    return states * (8 * words + 100) + 6 * edges if runs else 3.0 * (states * (8 * words + 28) + 16 * edges)


def must_fit(run: Run, limit: int, found: int, expanded: int, needed: float) -> None:
    """Refuse a chain that needs more bytes than `limit`.

    Raises
    ------
    TooLarge
    """
    if needed > limit:
        raise does_not_fit(run, limit, found, expanded)


def does_not_fit(run: Run, limit: int, found: int, expanded: int) -> DoesNotFit:
    """The error for a chain that needs more bytes than `limit`."""
    most = Slots.of(run.game, run.calls).positions
    return DoesNotFit(
        f"{run.game.name}: the chain does not fit into {as_size(limit)}: {found:,} states found so far, "
        f"{expanded:,} of them expanded (the declared ranges allow {rough(most)}); "
        "smaller parameters, tighter ranges or more memory (--memory) would help; or simulate it"
    )


def rough(count: float, digits: int = 3) -> str:
    """A count to some digits, grouped below a trillion; it may be too large for floating point.

    >>> rough(26243978), rough(2 * 10**14), rough(10**400), rough(4.35e30, 2)
    ('26,200,000', '2.00e+14', '1.00e+400', '4.4e+30')
    """
    text = f"{Decimal(count):.{digits - 1}e}"
    return f"{int(Decimal(text)):,}" if count < 10**12 else text


def in_digits(count: float) -> str:
    """A count, to two digits where it is 300,000 or more.

    >>> in_digits(11613.0), in_digits(66259999.0), in_digits(4.35e30)
    ('11,613', '66,000,000', '4.4e+30')
    """
    return f"{count:,.0f}" if count < 300_000 else rough(count, 2)


def as_size(count: float) -> str:
    """Bytes in the largest unit of which there is at least one.

    >>> as_size(3 << 20), as_size(1e12), as_size(1.76e18), as_size(1e30)
    ('3.0 MiB', '931.3 GiB', '1.5 EiB', '870,000,000,000 EiB')
    """
    power = next((power for power in reversed(UNITS) if count >= 2**power), 20)
    units = count / 2**power
    return f"{f'{units:.1f}' if units < 1e5 else in_digits(units)} {UNITS[power]}"
