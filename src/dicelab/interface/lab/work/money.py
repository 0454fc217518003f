"""Questions about games of money: sessions with a bankroll, the bankroll for a risk of ruin, house edges."""

from __future__ import annotations

from math import ceil
from typing import Any

from dicelab.errors import DicelabError
from dicelab.interface.lab.work.answer import answered, number_of
from dicelab.interface.lab.work.process import GameRequest, Wire, game_of
from dicelab.plots.described import described
from dicelab.questions.betting import ruin as ruining
from dicelab.questions.betting import session as running
from dicelab.questions.betting.session import Session, must_be_session
from dicelab.questions.betting.systems import Systems, alternatives, systems
from dicelab.questions.simulate import simulate
from dicelab.questions.sweeps.sweep import sweep
from dicelab.results.base import BaseResult
from dicelab.rules.game import Game
from dicelab.rules.params import share
from dicelab.runtime.stages import expected

LENGTH = "until_rounds"
"""The parameter that is the length of a session."""
LENGTHS = 12
"""Largest number of lengths at which the fan shows the money."""
FAN, PATHS = 4000, 6
"""Number of sessions of each length in the fan, and of those drawn one by one."""


def session(
    wire: Wire,
    asked: GameRequest,
    memory: int,
    games: str | None,
    seed: str | None,
    simulated: str | None,
    ruin: str | None,
    find: str | None,
    step: str | None,
    store: str | None = None,
) -> None:
    """Send sessions with one strategy or with each of several, or the value with a given risk of ruin."""
    table, strategies = game_of(asked), asked["strategies"]
    must_be_session(table)
    if ruin is not None:
        search: dict[str, Any] = {"ruin": share(ruin, "ruin"), "find": find or "bankroll", "memory": memory}
        search |= {"seed": number_of(seed or "1"), "step": number_of(step or "1"), "store": store}
        _ruin(wire, table, strategies, search)
        return
    settings: dict[str, Any] = {"games": number_of(games), "seed": number_of(seed), "memory": memory}
    settings |= {"exact": simulated is None, "store": store}
    result: Session | Systems
    if alternatives(table, strategies):
        result = systems(table, strategies, **settings)
        _send(wire, result, result.sessions)
    else:
        result = running.session(table, strategies, **settings, simulated=_simulated)
        _send(wire, result, [result])
        _fan(wire, table, asked, result.seed)


def _simulated(result: Session) -> None:
    """Say what was simulated, before the exact answer is known."""
    expected(f"Simulated: {result.summary}")


def _send(wire: Wire, result: BaseResult, sessions: list[Session]) -> None:
    from dicelab.plots import plot_sessions

    answered(wire, result)
    wire.send(chart="session", drawn=described(plot_sessions(sessions)))


def _fan(wire: Wire, table: Game, asked: GameRequest, seed: int | None) -> None:
    """Send the chart of the money after 5, 10, 15 rounds; none if the game has no such length."""
    from dicelab.plots import plot_fan

    length = table.parameters.get(LENGTH, 0)
    if not length:
        return
    parameters: dict[str, Any] = {name: text for name, text in asked["parameters"].items() if name != LENGTH}
    values = {LENGTH: _lengths(length)}
    try:
        found = sweep(type(table), asked["strategies"], over=values, games=FAN, seed=seed, parameters=parameters)
        paths = _paths(type(table), asked["strategies"], parameters, values[LENGTH], found.seed)
        drawn = plot_fan(found, "money", start=table.parameters["bankroll"], paths=paths)
        wire.send(chart="fan", drawn=described(drawn))
    except DicelabError:  # the charts are an addition: the answer stands without them
        return


def _lengths(longest: int) -> range:
    """Return the lengths of sessions at equal distances, at most `LENGTHS`, up to the longest.

    >>> [*_lengths(20)], len(_lengths(24))
    ([2, 4, 6, 8, 10, 12, 14, 16, 18, 20], 12)
    """
    step = ceil(longest / LENGTHS)
    return range(longest - step * ((longest - 1) // step), longest + 1, step)


def _paths(
    table: type[Game], strategies: list[str], parameters: dict[str, Any], lengths: range, seed: int | None
) -> list[list[int]]:
    """Return the money won in the first sessions after each number of rounds: of one seed, a longer session begins
    alike.
    """
    column = 1 + list(table.declared.tallies).index("money")
    games = [table(**parameters, **{LENGTH: length}) for length in lengths]
    played = [simulate(game, strategies, games=PATHS, seed=seed, records=True).records for game in games]
    return [[int(rows[number][column]) for rows in played] for number in range(PATHS)]


def _ruin(wire: Wire, table: Game, strategies: list[str], settings: dict[str, Any]) -> None:
    """Send the bankroll, or the bet, with a given risk of ruin."""
    from dicelab.plots import plot_ruin

    looks: list[ruining.Look] = []
    found = ruining.for_ruin(table, strategies, **settings, progress=looks.append)
    answered(wire, found)
    ruining.look_around(table, found, settings["step"], memory=settings["memory"], progress=looks.append)
    wire.send(chart="ruin", drawn=described(plot_ruin(found, looks)))
