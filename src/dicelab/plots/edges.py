"""Charts of a casino's bets: their house edges, and what many rounds of each bet return."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite, isnan, nan
from typing import TYPE_CHECKING, Any

from dicelab.keywords import keywords
from dicelab.limits import LIMITS
from dicelab.plots.chart_style import COLOURS, MUTED, TEXT, axes_for, finished, plain
from dicelab.plots.labels import left_out, what
from dicelab.questions.betting.bet import Edge
from dicelab.questions.betting.edges import Edges
from dicelab.questions.betting.par import Par

if TYPE_CHECKING:
    from matplotlib.axes import Axes


MOST_LETTERS = 40
"""Maximum length of the names of a bar that are all written."""
MOST_NAMED = 2
"""Maximum number of bets of one bar that are all named; of more, the first one and the number of others."""


@keywords
def plot_edges(result: Edges, ax: Axes | None = None) -> Axes:
    """Draw the edge of each bet as a bar, the smallest edge first; bets with equal figures share a bar.

    Parameters
    ----------
    result, ax
        Result of `dicelab.edges`; axes to draw on, those of a new figure, as high as the bars need, when None.

    Returns
    -------
    Axes
        Each bar is labelled with its edge; a dot marks a published edge, a thin line the 95 % interval of a simulated
        one. Of more than 60 bars the 60 smallest edges are drawn, and the caption says how many are left out.

    Raises
    ------
    ParameterError
        When there is no bet.

    Examples
    --------
    >>> import dicelab
    >>> axes = plot_edges(dicelab.edges("craps", only="place_*"))
    >>> [label.get_text() for label in axes.get_yticklabels()][:2]
    ['place_6, place_8', 'place_lose_6, place_lose_8']
    """
    every = _alike(result.rows)
    groups = every[: LIMITS.bars]
    lacking = f"{result.game} has no bet with these settings"
    ax = axes_for(ax, f"{result.game}: house edge", len(groups), groups, lacking)
    edges = [100 * rows[0].edge.value for rows in groups]
    ax.barh(range(len(groups)), edges, color=COLOURS[0], height=0.7)
    published = [
        (at, edge - 100 * rows[0].published.difference)
        for at, (rows, edge) in enumerate(zip(groups, edges, strict=True))
        if rows[0].published is not None
    ]
    ax.plot([edge for _, edge in published], [at for at, _ in published], "o", color=COLOURS[1], markersize=3.5)
    checked = _draw_checks(ax, groups)
    for at, edge in enumerate(edges):
        end = max(edge, 0, checked.get(at, 0))
        ax.annotate(f"{edge + 0.0:.3f} %", (end, at), xytext=(5, 0), textcoords="offset points",
                    va="center", fontsize=8, color=TEXT)  # fmt: skip
    ax.set_yticks(range(len(groups)), [plain(_called(rows)) for rows in groups], fontsize=8)
    ax.axvline(0, color=MUTED, linewidth=0.8)
    ax.invert_yaxis()
    ax.grid(False, axis="y")
    ax.margins(x=0.15, y=0.5 / len(groups))
    dots = "; dots are published edges" if published else ""
    notes = left_out(len(groups), len(every), "smallest edges")
    if checked:
        notes.append(f"thin lines: 95 % intervals of {result.games:,} simulated games each, seed {result.seed}")
    notes = [*what([result]), f"exact{dots}; dicelab {result.version}", *notes]
    return finished(ax, notes, x="house edge per bet made, % of the stake")


def _draw_checks(ax: Axes, groups: Sequence[Sequence[Edge]]) -> dict[int, float]:
    """Draw simulated edges with their intervals on the bars; return where the intervals end, by number of the bar."""
    ends = {}
    for at, rows in enumerate(groups):
        if (check := rows[0].check) is not None:
            edge, (low, high) = 100 * check.edge, (100 * end if isfinite(end) else nan for end in check.interval)
            style: dict[str, Any] = {"color": TEXT, "elinewidth": 1, "capsize": 2, "markersize": 7}
            ax.errorbar([edge], [at], xerr=[[edge - low], [high - edge]], fmt="|", **style)
            ends[at] = edge if isnan(high) else high
    return ends


def _alike(rows: Sequence[Edge]) -> list[list[Edge]]:
    """Return groups of bets with equal edge, mean throws and standard deviation, the smallest edge first."""
    groups: dict[tuple[float, ...], list[Edge]] = {}
    for row in sorted(rows, key=lambda row: row.edge.value):
        throws = row.throws.value if row.throws is not None else 0.0
        groups.setdefault((round(row.edge.value, 12), round(throws, 9), round(row.sd, 9)), []).append(row)
    return list(groups.values())


def _called(rows: Sequence[Edge]) -> str:
    """Return the label of a group of bets."""
    every = ", ".join(row.bet for row in rows)
    if len(rows) == 1 or (len(rows) <= MOST_NAMED and len(every) <= MOST_LETTERS):
        return every
    return f"{rows[0].bet} and {len(rows) - 1} more"


# What many rounds of each bet return ----------------------------------------------------------------------------------


@keywords
def plot_par(sheet: Par, ax: Axes | None = None) -> Axes:
    """Draw between which returns 90 % of long series of each bet lie, after 100, 1,000 and 10,000 rounds.

    Parameters
    ----------
    sheet
        Result of `dicelab.par`.
    ax
        Axes to draw on; those of a new figure, as high as the bars need, when None.

    Returns
    -------
    Axes
        For each bet a bar for each number of rounds, the longest for the fewest, and a line at the return to player.
        Of more than 20 bets those with the largest return are drawn.

    Raises
    ------
    ParameterError
        When no bet has a distribution.

    Examples
    --------
    >>> import dicelab
    >>> axes = plot_par(dicelab.par("craps", only="field_*"))
    >>> [label.get_text() for label in axes.get_yticklabels()][:1]
    ['field_3x3x']
    """
    every = sorted((row for row in sheet.rows if row.bands), key=lambda row: -row.back.value)
    rows = every[: LIMITS.bars // 3]
    lacking = f"the money of no bet of {sheet.game} has a known distribution"
    ax = axes_for(ax, f"{sheet.game}: return after many rounds", max(3, 2 * len(rows)), rows, lacking)
    for at, row in enumerate(rows):
        stake = row.edge.staked.value
        for k, one in enumerate(row.bands):
            low, high = (100 + 100 * end / one.rounds / stake for end in (one.low, one.high))
            label = f"{one.rounds:,} rounds" if at == 0 else None
            place = at + 0.25 * (k - 1)
            ax.barh(place, high - low, left=low, height=0.22, color=COLOURS[k % len(COLOURS)], label=label)
        ax.plot([100 * row.back.value] * 2, [at - 0.4, at + 0.4], color="black", linewidth=1.2)
    ax.axvline(100, color=MUTED, linewidth=0.8)
    ax.set_yticks(range(len(rows)), [plain(row.edge.bet) for row in rows], fontsize=8)
    ax.invert_yaxis()
    ax.grid(False, axis="y")
    ax.legend(loc="best", fontsize=8, frameon=False)
    notes = left_out(len(rows), len(every), "largest returns")
    about = "bars: 90 % of series of so many rounds; black line: return to player"
    return finished(
        ax, [*what([sheet]), f"exact; {about}; dicelab {sheet.version}", *notes], x="return, % of the mean stakes"
    )
