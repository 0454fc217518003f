"""Pictures: where optimal play rolls and where it banks, and how scores grow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicelab.engines.policy import Policy
from dicelab.plots import save
from dicelab.plots.chart_style import COLOURS, LINE, MUTED, TEXT
from dicelab.runtime.interpreter import steps
from dicelab.runtime.lineup import Run
from dicelab.runtime.philox import Stream

Numbers = NDArray[np.float64]

SMALL = 0.005
"""Choices that cost less than this are drawn in a lighter colour."""
SHADES = ("white", "#0072B2", "#9CCBE8", "#F5C79E", "#D55E00")
"""Not reached; roll; roll, by little; stop, by little; stop."""


def gains(policy: Policy, theirs: int, target: int, stop: int) -> Numbers:
    """Gain of stopping over rolling, by my score (row) and the points of the turn (column).

    NaN where there is no choice, infinite where stopping wins. Seat 0 is to move; its opponent has `theirs`.
    """
    found = np.full((target, target + 1), np.nan)
    for index in policy.where({"player": 0, "scores[1]": theirs}).tolist():
        state = policy.state(index)
        worth = {option.move[0]: option.worth for option in policy.options(index)}
        mine, here = state["scores[0]"], min(state["points"], target - state["scores[0]"])
        found[mine, here] = worth[stop] - worth[1 - stop] if 1 - stop in worth else np.inf
    return found


def never(policy: Policy, target: int, stop: int) -> tuple[int, int]:
    """Return the opponent's score, and my own, from which stopping is never best except to win."""
    mine = theirs = 0
    for score in range(target):
        gain = gains(policy, score, target, stop)
        stops = np.flatnonzero(((gain >= 0) & np.isfinite(gain)).any(axis=1))
        if len(stops):
            theirs, mine = score + 1, max(mine, int(stops[-1]) + 1)
    return theirs, mine


def boundary(path: Path, slices: Mapping[int, Numbers], stopping: str) -> None:
    """Draw slices of a policy side by side, one for each score of the opponent."""
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    picture, axes = panels(len(slices), [f"opponent has {theirs}" for theirs in slices])
    for ax, gain in zip(axes, slices.values(), strict=True):
        kind = np.where(np.isnan(gain), 0, 1 + np.searchsorted([-SMALL, 0.0, SMALL], gain))
        ax.imshow(
            kind.T, ListedColormap(SHADES), origin="lower", vmin=0, vmax=4, interpolation="nearest", aspect="auto"
        )
        ax.set_xlabel("my score")
    axes[0].set_ylabel("points of the turn")
    names = ("roll", "roll, by less than 0.005", f"{stopping}, by less than 0.005", stopping)
    patches = [Patch(facecolor=shade, label=name) for shade, name in zip(SHADES[1:], names, strict=True)]
    picture.legend(handles=patches, loc="outside lower center", ncols=4, fontsize=8.5, frameon=False, labelcolor=TEXT)
    save(picture, path)


def panels(count: int, titles: Sequence[str]) -> tuple[Any, list[Any]]:
    """Axes side by side, in dicelab's style."""
    from matplotlib.figure import Figure

    picture = Figure(figsize=(9.5, 4.0), layout="constrained", facecolor="white")
    axes = list(picture.subplots(1, count, sharey=True, squeeze=False)[0])
    for ax, title in zip(axes, titles, strict=True):
        ax.set_title(title, loc="left", fontsize=10, color=TEXT)
        ax.grid(True, color=LINE, linewidth=0.6)
        ax.set_axisbelow(True)
        ax.spines[["top", "right"]].set_visible(False)
        ax.spines[["left", "bottom"]].set_color(MUTED)
        ax.tick_params(color=MUTED, labelcolor=TEXT, labelsize=9)
    return picture, axes


def follow(game: str, strategies: Sequence[str], games: int, rounds: int, seed: int) -> NDArray[np.int64]:
    """Scores by (game, round, seat); after the end of a game they stay as they are."""
    run = Run.of(game, strategies)
    seats = len(run.calls)
    table: Any = run.game
    found = np.zeros((games, rounds + 1, seats), np.int64)
    for index in range(games):
        turns = 0
        for _ in steps(table, [call.chooser(table) for call in run.calls], Stream(seed, index)):
            if table.turns != turns:
                turns = table.turns
                mover = (turns - 1) % seats
                found[index, (turns + seats - 1) // seats :, mover] = table.scores[mover]
    return found


def growth(path: Path, followed: Mapping[str, NDArray[np.int64]], names: Sequence[Sequence[str]]) -> None:
    """Draw the mean and the middle 80 % of both scores by round."""
    picture, axes = panels(len(followed), list(followed))
    for ax, scores, seats in zip(axes, followed.values(), names, strict=True):
        rounds = np.arange(scores.shape[1])
        for seat, (name, colour) in enumerate(zip(seats, COLOURS, strict=False)):
            low, high = np.percentile(scores[:, :, seat], [10, 90], axis=0)
            ax.fill_between(rounds, low, high, color=colour, alpha=0.12, linewidth=0)
            for edge in (low, high):
                ax.plot(rounds, edge, color=colour, linewidth=0.9, linestyle="--")
            ax.plot(rounds, scores[:, :, seat].mean(axis=0), color=colour, linewidth=1.6, label=name)
        ax.axhline(100, color=MUTED, linewidth=0.8, linestyle=":")
        ax.set_xlabel("turns of each player")
        ax.legend(loc="upper left", fontsize=8.5, labelcolor=TEXT, frameon=False)
    axes[0].set_ylabel("points banked")
    save(picture, path)
