"""Imports what takes long, once, in the process from which workers are forked: games, Numba, and drawing."""

from __future__ import annotations

from contextlib import suppress

import dicelab.kernels.core  # noqa: F401
from dicelab.errors import ParameterError
from dicelab.lab.work.picture import svg
from dicelab.plots import figure
from dicelab.rules.registry import all_games

all_games()
with suppress(ParameterError):  # without matplotlib
    svg(figure("warm")[1])
