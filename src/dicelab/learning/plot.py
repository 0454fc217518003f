"""Picture of a learning curve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dicelab.errors import ParameterError
from dicelab.keywords import keywords
from dicelab.learning.result import Learned
from dicelab.plots.drawing.paper import COLOURS, MARKERS, axes_for, finished, games_played, starts
from dicelab.plots.drawing.words import mean_of, what
from dicelab.results.text.writing import probability_of
from dicelab.rules.words import player_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@keywords()
def plot_learning(learned: Learned, ax: Axes | None = None) -> Axes:
    """Draw the exact value of the learned policy against the number of games, beside that of optimal play.

    Parameters
    ----------
    learned
        Result of `dicelab.learn`.
    ax
        Axes to draw on; those of a new figure when None.

    Raises
    ------
    ParameterError
        When no point has a value, or matplotlib is not installed.

    Examples
    --------
    >>> import dicelab
    >>> axes = plot_learning(dicelab.learn("tossup", "one_roll", target=4, games=100, seed=1))
    >>> axes.get_ylabel(), axes.get_xlabel()
    ('probability to win', 'games played')
    """
    if not learned.games:
        raise ParameterError(f"nothing to plot: no game of {learned.game} was played")
    if not any(value is not None for point in learned.points for value in point.values):
        raise ParameterError(f"nothing to plot: under every policy learned for {learned.game} a game might never end")
    ax = axes_for(ax, f"{learned.game}: learned and optimal play")
    drawn: list[Any] = []
    several = len(learned.seats) > 1
    for i, (seat, best) in enumerate(zip(learned.seats, learned.best, strict=True)):
        pairs = [(p.games, value) for p in learned.points if (value := p.values[i]) is not None]
        colour, name = COLOURS[i], f"{player_name(seat)} learned, at worst" if several else "learned"
        style: dict[str, Any] = {"color": colour, "marker": MARKERS[i], "markersize": 4, "linewidth": 1.2}
        drawn += ax.plot(*zip(*pairs, strict=True), label=name, **style) if pairs else []
        label = f"{f'{player_name(seat)}, ' if several else ''}best: {best:,.6g}"
        drawn.append(ax.axhline(best, color=colour, linewidth=1, linestyle="dashed", label=label))
    games_played(ax)
    stopped = ", stopped before the end" if learned.interrupted else ""
    how = f"learned: the first {learned.games:,} games, seed {learned.seed}, epsilon {learned.epsilon:g}"
    notes = [*what([learned]), f"{how}, omega {learned.omega:g}{stopped}; dicelab {learned.version}", *starts(ax)]
    return finished(ax, notes, y=_wanted(learned), entries=drawn)


def _wanted(learned: Learned) -> str:
    """The label of the values."""
    kind, _, name = learned.objective.partition(":")
    if name and kind in ("most", "fewest"):
        return mean_of(name)
    plain = {"win": "probability to win", "payoff": "mean payoff"}
    return plain.get(learned.objective) or probability_of(name if kind == "avoid" else kind, seats=False)
