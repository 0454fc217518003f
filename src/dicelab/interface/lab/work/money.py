"""The charts of sessions with a bankroll: the money at the end, and after each number of rounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil
from typing import TYPE_CHECKING, Any

from dicelab.plots import plot_fan, plot_sessions
from dicelab.questions.betting.session import Session
from dicelab.questions.betting.systems import Systems
from dicelab.questions.simulate import simulate
from dicelab.questions.sweeps.sweep import sweep
from dicelab.rules.game import Game

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
    found = sweep(type(game), strategies, over={LENGTH: lengths}, games=FAN, seed=seed, parameters=parameters)
    paths = _paths(type(game), strategies, parameters, lengths, found.seed)
    return plot_fan(found, "money", start=game.parameters["bankroll"], paths=paths)


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
