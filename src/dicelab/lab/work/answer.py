"""Questions with one answer: the JSON of the command, then the charts."""

from __future__ import annotations

from typing import Any

from dicelab.analysis.exact import exact as solve
from dicelab.analysis.simulate import simulate as play
from dicelab.errors import DicelabError
from dicelab.lab.work.named import Asked, game_of
from dicelab.lab.work.picture import seats_chart, tally_chart
from dicelab.lab.work.process import Wire
from dicelab.results.result import Result


def exact(wire: Wire, asked: Asked, memory: int, charts: bool) -> None:
    """Send the exact answer."""
    send(wire, solve(game_of(asked), asked["strategies"], memory=memory), charts)


def simulate(wire: Wire, asked: Asked, games: str | None, seed: str | None) -> None:
    """Play a whole simulation, as the command does, and send the result."""
    from dicelab.rules.params import whole_number

    number: Any = None if games is None else whole_number(games) or games
    start: Any = None if seed is None else whole_number(seed) if whole_number(seed) is not None else seed
    send(wire, play(game_of(asked), asked["strategies"], games=number, seed=start), False)


def send(wire: Wire, result: Result, charts: bool) -> None:
    """Send a result: its JSON, then one chart after the other."""
    wire.send(json=result.to_json())
    if charts:
        drawn(wire, result)


def drawn(wire: Wire, *results: Result) -> None:
    """Send the charts of results of one game."""
    if results[0].outcomes:
        wire.send(chart="outcomes", svg=seats_chart(*results))
    for name in results[0].tally_names:
        try:
            wire.send(chart=name, svg=tally_chart(*results, tally=name))
        except DicelabError:  # no distribution is known: it had too many values
            continue
