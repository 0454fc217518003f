"""Imports what takes long, once, in the process from which workers are forked: games, Numba, and drawing."""

from __future__ import annotations

import gc
from contextlib import suppress

import numba

import dicelab.compile.kernels.core
import dicelab.questions.heuristics.best
import dicelab.questions.rolled.checks
import dicelab.questions.rolled.uncertain  # noqa: F401
from dicelab.errors import ParameterError
from dicelab.plots import figure
from dicelab.plots.chart_style import as_svg
from dicelab.rules.loading.registry import all_games

all_games()
numba.njit(lambda: 0)()  # with its first function Numba sets up types and LLVM for a fifth of a second
with suppress(ParameterError):  # without matplotlib
    as_svg(figure("warm")[1])
gc.collect()
gc.freeze()  # the workers don't look for garbage in what all of them share, which would copy its pages as well
