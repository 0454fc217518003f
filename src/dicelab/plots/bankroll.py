"""Charts of bankrolls: the money of sessions at the end and after each number of rounds, and the risk of ruin."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from dicelab.errors import ParameterError
from dicelab.keywords import keywords
from dicelab.plots.chart_style import COLOURS, MUTED, TEXT, axes_for, bars, counted, finished, plain, whole_numbers
from dicelab.plots.labels import differing, how, labels, what
from dicelab.plots.sweep import plot_fan
from dicelab.questions.betting.ruin import Bound, Look
from dicelab.questions.betting.session import Session
from dicelab.questions.betting.systems import Systems
from dicelab.questions.simulate import simulate
from dicelab.questions.sweeps.sweep import sweep
from dicelab.results.numbers.estimates import Average, Distribution
from dicelab.results.numbers.intervals import clopper_pearson
from dicelab.results.text.page import Printing
from dicelab.rules.game import Game

if TYPE_CHECKING:
    from matplotlib.axes import Axes


STYLES = ("-", "--", ":")
"""Styles of lines, used in turn when all colours have been used."""
MOST_DOTS = 40
"""Maximum number of points of simulated shares that are drawn beside exact ones."""
TAIL = 0.001
"""Share of the sessions with the most money that may lie outside the picture."""


@keywords
def plot_sessions(sessions: Session | Systems | Sequence[Session], ax: Axes | None = None) -> Axes:
    """Draw, for each amount of money, the share of sessions that end with at least that much.

    Parameters
    ----------
    sessions
        Results of `dicelab.session` for one game, with different strategies or parameters; or one result of
        `dicelab.session` or `dicelab.systems`.
    ax
        Axes to draw on; those of a new figure when None.

    Returns
    -------
    Axes
        One line per result, exact if known, with points for the simulated shares beside it; and a thin line at the
        initial bankroll if it is the same for all.

    Raises
    ------
    ParameterError
        When there are no sessions to draw.

    Examples
    --------
    >>> import dicelab
    >>> axes = plot_sessions([dicelab.session("craps", until_rounds=10, games=500, seed=1, exact=False)])
    >>> axes.get_xlabel()
    'money at the end of a session'
    """
    from matplotlib.ticker import FuncFormatter

    sessions = sessions.sessions if isinstance(sessions, Session | Systems) else sessions
    if not sessions or not all(one.simulation.games for one in sessions):
        raise ParameterError("nothing to plot: give at least one session")
    results = [one.simulation for one in sessions]
    ax = axes_for(ax, f"{results[0].game}: money at the end")
    drawn: list[Any] = []
    for at, (one, label) in enumerate(zip(sessions, _labels(sessions), strict=True)):
        colour, line = COLOURS[at % len(COLOURS)], STYLES[at // len(COLOURS) % len(STYLES)]
        money = one.tallies["bankroll"]
        values, shares = _at_least(money.exact if isinstance(money.exact, Distribution) else money.simulated)  # type: ignore[arg-type]
        drawn += ax.step(values, shares, where="pre", label=plain(label), color=colour, linestyle=line)
        if isinstance(money.exact, Distribution):
            _dots(ax, money.simulated, colour)  # type: ignore[arg-type]
    begun = {int(result.parameters["bankroll"]) for result in results}
    if len(begun) == 1:
        ax.axvline(*begun, color=MUTED, linewidth=0.8, linestyle=":")
    ax.set_xlim(0, 1.03 * max(*begun, *(_last(line) for line in drawn)))
    ax.set_ylim(0, 1.02)
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: counted(x)))
    exact = [one.exact for one in sessions if one.exact is not None]
    notes = [*what(results), how([*exact, *results], bars=False)]
    labels = "money at the end of a session", "share of sessions with at least this much"
    return finished(ax, notes, *labels, _entries(ax, drawn, beside=bool(exact)))


def _last(line: Any) -> int:
    """Return the largest amount, without those that less than `TAIL` of the sessions reach."""
    values, shares = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
    return int(values[shares > TAIL].max(initial=values[0]))


def _dots(ax: Axes, money: Average, colour: str) -> None:
    """Draw simulated shares beside exact ones, as points at no more than `MOST_DOTS` amounts."""
    values, shares = _at_least(money)
    some = slice(None, None, -(-len(values) // MOST_DOTS))
    ax.plot(values[some], shares[some], "o", color=colour, markersize=3, markerfacecolor="white", markeredgewidth=0.8)


def _entries(ax: Axes, drawn: list[Any], beside: bool) -> list[Any]:
    """Return the entries of the legend: several lines, and simulated points beside exact lines."""
    entries = drawn if len(drawn) > 1 else []
    if beside:
        style: dict[str, Any] = {"color": MUTED, "markersize": 3, "markerfacecolor": "white", "markeredgewidth": 0.8}
        lines = ax.plot([], [], color=MUTED, label="exact")
        entries = [*entries, *lines, *ax.plot([], [], "o", label="simulated", **style)]
    return entries


def _labels(sessions: Sequence[Session]) -> list[str]:
    """Return the labels that tell the sessions apart: for one strategy, only the arguments that differ."""
    if len({tuple(one.simulation.parameters.items()) for one in sessions}) > 1:
        return labels([one.exact or one.simulation for one in sessions])
    return differing([":".join(one.simulation.strategies) for one in sessions])


def _at_least(figure: Average | Distribution) -> tuple[np.ndarray, np.ndarray]:
    """Return the values, ascending, and for each the probability of at least that value."""
    chances = figure.probabilities
    values = np.array(list(chances), np.int64)
    return values, np.cumsum(np.array(list(chances.values()))[::-1])[::-1]


# The risk of ruin against the bankroll, or against another value that was searched ------------------------------------


FAR = 20
"""The axis is logarithmic if the largest value is more than so many times the smallest."""


@keywords
def plot_ruin(bound: Bound, looks: Sequence[Look] = (), ax: Axes | None = None) -> Axes:
    """Draw the risk of ruin at the values that a search evaluated, and the bound that was asked for.

    Parameters
    ----------
    bound
        Result of `dicelab.for_ruin`.
    looks
        Further values that were evaluated, such as those of the simulated search.
    ax
        Axes to draw on; those of a new figure when None.

    Returns
    -------
    Axes
        Exact risks are squares, simulated ones points with 95 % intervals, joined by a line. Dashed lines are at the
        largest allowed risk and at the value that was found. The horizontal axis is logarithmic if the values are far
        apart.

    Raises
    ------
    ParameterError
        When no value was evaluated.

    Examples
    --------
    >>> asked = {"game": "craps", "parameters": {"bankroll": 300}, "differing": (), "ruin": 0.05}
    >>> asked |= {"strategies": ["line"], "arguments": [{}]}
    >>> looks = Look(60, 0.0711), Look(70, 0.0235)
    >>> axes = plot_ruin(Bound(**asked, find="bankroll", value=70, looks=looks, source_hash="", seconds=0.0))
    >>> axes.get_xlabel(), axes.get_ylabel()
    ('bankroll', 'risk of ruin')
    """
    every = {(look.value, look.games): look for look in [*looks, *bound.more, *bound.looks]}
    exact = sorted((look for look in every.values() if not look.games), key=lambda look: look.value)
    played = sorted((look for look in every.values() if look.games), key=lambda look: look.value)
    title, lacking = f"{bound.game}: risk of ruin by {bound.find}", f"no {bound.find} was evaluated"
    ax = axes_for(ax, title, drawn=every, lacking=lacking)
    handles: list[Any] = []
    if played:
        handles.append(_draw_played(ax, played))
    if exact:
        style: dict[str, Any] = {"color": COLOURS[1], "marker": "s", "markerfacecolor": "white", "markersize": 5}
        places, risks = [look.value for look in exact], [look.ruin for look in exact]
        handles += ax.plot(places, risks, linestyle="none", label="exact", **style)
    dashed: dict[str, Any] = {"color": TEXT, "linestyle": "dashed", "linewidth": 1}
    handles.append(ax.axhline(bound.ruin, label=f"largest allowed risk: {bound.ruin:g}", **dashed))
    if bound.value is not None:
        label = plain(f"{bound.find} {counted(bound.value)}")
        handles.append(ax.axvline(bound.value, **dashed | {"color": MUTED, "linestyle": "dotted"}, label=label))
    values = sorted({look.value for look in every.values()})
    if values[-1] > FAR * values[0]:
        ax.set_xscale("log")  # else the values near the answer are a single line
        ax.xaxis.set_major_formatter(lambda value, _: counted(value))
    else:
        whole_numbers(ax.xaxis, range(values[0], values[-1] + 1))
    if len(values) == 1:
        ax.set_xlim(values[0] - 1, values[0] + 1)
    ax.set_ylim(bottom=0)
    return finished(ax, _notes(bound, played, bool(exact)), x=bound.find, y="risk of ruin", entries=handles)


def _draw_played(ax: Axes, looks: Sequence[Look]) -> Any:
    """Draw simulated risks with their intervals."""
    risks = np.array([look.ruin for look in looks])
    ends = bars(risks, [clopper_pearson(round(look.ruin * look.games), look.games) for look in looks])
    style: dict[str, Any] = {"color": COLOURS[0], "marker": "o", "markersize": 4, "linewidth": 0.8, "elinewidth": 1}
    return ax.errorbar([look.value for look in looks], risks, ends, label="simulated", **style)


def _notes(bound: Bound, played: Sequence[Look], exact: bool) -> list[str]:
    """Return lines of the caption."""
    asked = Printing().head(bound.game, bound.parameters, [name for name in bound.differing if name != bound.find])
    games = (
        f"simulated: {played[0].games:,} sessions each, seed {bound.seed}, bars are 95 % intervals" if played else ""
    )
    how = "; ".join(words for words in ("exact" if exact else "", games) if words)
    strategies = f"strategy: {bound.strategies[0]}" if bound.strategies else ""
    return [*asked, *filter(None, [strategies]), f"{how}; dicelab {bound.version}"]


# The charts of sessions with a bankroll: the money at the end, and after each number of rounds ------------------------


LENGTH = "until_rounds"
"""The parameter that is the length of a session."""
LENGTHS = 12
"""Largest number of lengths at which the fan shows the money."""
FAN, PATHS = 4000, 6
"""Number of sessions of each length in the fan, and of those drawn one by one."""


def session_charts(game: Game, result: Session | Systems) -> dict[str, Callable[[], Axes]]:
    """Return the charts of sessions; the fan is one of a single strategy in sessions that have a length."""
    fan = {"fan": lambda: _fan(game, result)} if isinstance(result, Session) and game.parameters.get(LENGTH) else {}
    return {"session": lambda: plot_sessions(result.sessions), **fan}


def _fan(game: Game, result: Session) -> Axes:
    """Return the chart of the money after 5, 10, 15 rounds.

    Raises
    ------
    DicelabError
        When there is none.
    """
    strategies, seed = result.simulation.strategies, result.seed
    parameters: dict[str, Any] = {name: value for name, value in game.parameters.items() if name != LENGTH}
    lengths = _lengths(game.parameters[LENGTH])
    swept = sweep(type(game), strategies, over={LENGTH: lengths}, games=FAN, seed=seed, parameters=parameters)
    paths = _paths(type(game), strategies, parameters, lengths, swept.seed)
    return plot_fan(swept, "money", start=game.parameters["bankroll"], paths=paths)


def _lengths(longest: int) -> range:
    """Return the lengths of sessions at equal distances, at most `LENGTHS`, up to the longest.

    >>> [*_lengths(20)], len(_lengths(24))
    ([2, 4, 6, 8, 10, 12, 14, 16, 18, 20], 12)
    """
    step = ceil(longest / LENGTHS)
    return range(longest - step * ((longest - 1) // step), longest + 1, step)


def _paths(
    table: type[Game], strategies: Sequence[str], parameters: dict[str, Any], lengths: range, seed: int | None
) -> list[list[int]]:
    """Return the money won in the first sessions after each number of rounds: of one seed, a longer session begins
    alike.
    """
    column = 1 + list(table.declared.tallies).index("money")
    games = [table(**parameters, **{LENGTH: length}) for length in lengths]
    played = [simulate(game, strategies, games=PATHS, seed=seed, records=True).records for game in games]
    return [[int(rows[number][column]) for rows in played] for number in range(PATHS)]
