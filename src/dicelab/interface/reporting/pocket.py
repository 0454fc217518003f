"""A card for the pocket: one small page that says in large type where the best move changes.

By itself because its page has its own paper and sizes of letters.
"""

from __future__ import annotations

from textwrap import wrap
from typing import Any

from dicelab.engines.policy import Policy
from dicelab.errors import DicelabError
from dicelab.plots.chart_style import COLOURS, MUTED, TEXT, plain
from dicelab.questions.policies.grid import PolicyGrid, PolicyView, grid, view_of

PAPER = 4.13, 5.83
"""Width and height of the page in inches: A6."""
LARGE, NORMAL = 15.0, 10.0
"""Font sizes, in points."""
ROWS = 14
"""Ranges of the first number, at most."""
LETTERS = 46
"""Letters of a line in normal size."""
LEFT, RIGHT = 0.08, 0.92
"""Margins, as shares of the width."""


def pocket_of(policy: Policy, at: dict[str, int]) -> tuple[PolicyView, PolicyGrid] | None:
    """Return the chart of a policy in which the move changes most clearly; None if there is none."""
    try:
        view = view_of(policy, at=at)
        cells = grid(policy, view.x, view.y, view.at)
    except DicelabError:
        return None
    return (view, cells) if cells.thresholds else None


def pocket_page(title: str, view: PolicyView, chart: PolicyGrid) -> Any:
    """Return the page as a figure of matplotlib."""
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

    paper = Figure(figsize=PAPER)
    ax = paper.add_axes((0, 0, 1, 1))
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 1)
    ax.axis("off")
    top = 0.95
    for text in wrap(title.partition(";")[0], 30):
        ax.text(LEFT, top, plain(text), size=LARGE, color=TEXT, va="top", weight="bold")
        top -= 0.05
    for text in wrap(view.fixed, LETTERS):
        ax.text(LEFT, top, plain(text), size=NORMAL - 2, color=MUTED, va="top")
        top -= 0.032
    moves = list(dict.fromkeys(move for t in chart.thresholds for _, move in t.steps))
    colours = {move: COLOURS[k % len(COLOURS)] for k, move in enumerate(moves)}
    every = -(-len(chart.thresholds) // ROWS)
    rows = chart.thresholds[::every]
    low, high = min(cell.y for cell in chart.cells), max(cell.y for cell in chart.cells) + 1
    ax.text(LEFT, top, plain(view.titles[0]), size=NORMAL, color=MUTED, va="top")
    ax.text(RIGHT, top, plain(f"move, from {view.titles[1]}"), size=NORMAL, color=MUTED, va="top", ha="right")
    top -= 0.045
    height = min(0.065, (top - 0.05) / max(1, len(rows)))
    bars = LEFT + 0.24
    for row in rows:
        span = str(row.low) if row.low == row.high else f"{row.low} to {row.high}"
        ax.text(LEFT, top - height / 2, span, size=NORMAL, color=TEXT, va="center")
        ends = [*(at for at, _ in row.steps[1:]), high]
        for (at, move), end in zip(row.steps, ends, strict=True):
            left, right = (bars + (RIGHT - bars) * (n - low) / (high - low) for n in (at, end))
            box = Rectangle((left, top - height * 0.9), right - left, height * 0.8, color=colours[move])
            ax.add_patch(box)
        (_, first), *more = row.steps
        words = [(bars + 0.01, "left", first)]
        if more:
            words.append((RIGHT - 0.01, "right", "   ".join(f"{move} {at}" for at, move in more)))
        for x, side, text in words:
            y = top - height / 2
            ax.text(x, y, plain(text), size=NORMAL, color="white", va="center", ha=side, weight="bold")
        top -= height
    return paper
