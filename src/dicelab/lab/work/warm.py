"""Imports what takes long, once, in the process from which workers are forked."""

from __future__ import annotations

from contextlib import suppress

from dicelab.rules.registry import all_games

with suppress(ImportError):
    import matplotlib.backends.backend_svg
    import matplotlib.figure  # noqa: F401

import dicelab.kernels.core  # noqa: F401

all_games()
