"""Picture of a sheet: what many rounds of each bet return."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dicelab.errors import ParameterError
from dicelab.keywords import keywords
from dicelab.plots.drawing.paper import COLOURS, MOST_BARS, MUTED, axes_for, finished, plain
from dicelab.plots.drawing.words import what
from dicelab.questions.betting.par import Par
from dicelab.results.text.writing import many

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@keywords()
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
    rows = sorted((row for row in sheet.rows if row.bands), key=lambda row: -row.back.value)
    if not rows:
        raise ParameterError(f"nothing to plot: the money of no bet of {sheet.game} has a known distribution")
    left_out = len(rows) - MOST_BARS // 3
    rows = rows[: MOST_BARS // 3]
    ax = axes_for(ax, f"{sheet.game}: return after many rounds", max(3, 2 * len(rows)))
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
    notes = [f"the {len(rows)} largest returns; {many(left_out, 'more bet')} left out"] if left_out > 0 else []
    about = "bars: 90 % of series of so many rounds; black line: return to player"
    return finished(
        ax, [*what([sheet]), f"exact; {about}; dicelab {sheet.version}", *notes], x="return, % of the mean stakes"
    )
