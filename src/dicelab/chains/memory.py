"""The memory of the machine, and a check that a chain fits into it."""

from __future__ import annotations

import os
from pathlib import Path

from dicelab.chains.model import TooLarge
from dicelab.runtime.lineup import Run
from dicelab.states.codec import Slots


def machine_memory() -> int:
    """Bytes of memory of this machine, or the limit of its container."""
    try:
        allowed = Path("/sys/fs/cgroup/memory.max").read_text().strip()
        if allowed.isdecimal():
            return int(allowed)
    except OSError:
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 8 << 30


def must_fit(run: Run, limit: int, found: int, expanded: int, needed: float) -> None:
    """Refuse a chain that needs more bytes than `limit`.

    Raises
    ------
    TooLarge
    """
    if needed <= limit:
        return
    most = Slots.of(run.game, run.calls).positions
    raise TooLarge(
        f"{run.game.name}: the chain does not fit into {_size(limit)}: {found:,} states found so far, "
        f"{expanded:,} of them expanded (the declared ranges allow {_rough(most)}); "
        "smaller parameters, tighter ranges or more memory would help; or simulate it"
    )


def _rough(count: int) -> str:
    """A count to three digits; it may be too large for floating point."""
    return f"{count:.3g}" if count < 10**300 else f"more than 1e{len(str(count)) - 1}"


def _size(count: float) -> str:
    return f"{count / 2**30:.1f} GiB" if count >= 2**30 else f"{count / 2**20:.1f} MiB"
