"""The state of an environment as text, and as a picture of that text."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicelab.errors import ParameterError, unknown
from dicelab.learning.episode import Table
from dicelab.rules.fields import Flag, Seat
from dicelab.rules.game import position
from dicelab.runtime.interpreter import Explained

MODES = ("ansi", "rgb_array")
SIZE = 640, 480
"""Width and height of a picture in pixels."""


def must_be_rendered(mode: str | None) -> None:
    """Check a render mode.

    Raises
    ------
    UnknownNameError, ParameterError
        When there is no such mode, or matplotlib, which draws pictures, is not installed.
    """
    if mode is not None and mode not in MODES:
        raise unknown("render_mode", mode, MODES)
    if mode == "rgb_array" and find_spec("matplotlib") is None:
        raise ParameterError("render_mode rgb_array needs matplotlib: pip install 'dicelab[plot]'")


def rendered(table: Table, mode: str | None) -> str | NDArray[np.uint8] | None:
    """The state in a render mode; None without one."""
    if mode is None:
        return None
    return text_of(table) if mode == "ansi" else picture_of(text_of(table))


def text_of(table: Table) -> str:
    """The game and its index, its view or its fields, and who is to choose among which moves, or how it ended."""
    game = table.game
    if table.seed < 0:
        return f"{game.name}: no game has begun"
    with Explained(game):
        view = game.view().splitlines()
    return "\n".join([f"{game.name}: seed {table.seed}, game {table.number}", *(view or _fields(table)), _next(table)])


def _fields(table: Table) -> list[str]:
    """A line for each field of the state."""
    state, declared = position(table.game), table.game.declared.state
    width = max(map(len, state), default=0)
    lines = []
    for name, value in state.items():
        words = " ".join(map(str, value)) if isinstance(value, list) else str(value)
        if isinstance(declared[name], Seat) and value == -1:
            words = "nobody"
        if isinstance(declared[name], Flag):
            words = "yes" if value else "no"
        lines.append(f"  {name.ljust(width)}  {words}")
    return lines


def _next(table: Table) -> str:
    """Who is to choose, or how the game ended."""
    if table.seat >= 0:
        moves = [table.moves[action] for action in np.flatnonzero(table.mask())]
        return f"player {table.seat + 1}: {', '.join(moves)}"
    ending = table.ending()
    tallies = ", ".join(f"{name} {value}" for name, value in ending["tallies"].items())
    return f"over{': ' + ending['outcome'] if 'outcome' in ending else ''}; {tallies}"


def picture_of(text: str) -> NDArray[np.uint8]:
    """Lines of text as a picture: a uint8 array (480, 640, 3), black on white."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    width, height = SIZE
    lines = text.splitlines()
    figure = Figure(figsize=(width / 100, height / 100), dpi=100, facecolor="white")
    canvas: Any = FigureCanvasAgg(figure)
    # A letter is about 0.6 times as wide as its font is high, a line 1.2 times as high; font sizes are in 1/72 inch.
    fitting = min(430 / (1.2 * len(lines)), 590 / (0.6 * max(map(len, lines)))) * 72 / 100
    style: dict[str, Any] = {"family": "monospace", "fontsize": min(14.0, fitting), "parse_math": False}
    figure.text(0.03, 0.95, text, verticalalignment="top", linespacing=1.2, **style)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba(), np.uint8)[:, :, :3].copy()
