"""The check of strategies that are written in another file than their game: the steps that are about strategies."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from dicelab.conformance.agree import engines
from dicelab.conformance.declarations import contract
from dicelab.conformance.exactly import exact_answers
from dicelab.conformance.exploration.settings import Setting, settings_of
from dicelab.conformance.findings.finding import OK, Found, Said
from dicelab.conformance.seating import SHORT, lineups, play_some, strategies
from dicelab.results.text.writing import many
from dicelab.rules.game import Game, Strategy, seat_count

GAMES, STEPS = 10, 150_000
"""Games of a line-up at one setting, and the rolls and choices at all settings, after which one game is enough."""


def by_game(file: str, found: Mapping[str, Strategy]) -> dict[type[Game], list[Strategy]]:
    """Return the strategies of a file, named with it, by the game that they are for."""
    games: dict[type[Game], list[Strategy]] = {}
    for name, strategy in found.items():
        games.setdefault(strategy.game, []).append(replace(strategy, name=f"{file}:{name}"))
    return games


def with_strategies(game: type[Game], found: Sequence[Strategy]) -> type[Game]:
    """Return the game with these strategies only and, if they have opponents, its own default one."""
    kind: type[Game] = type(game.__name__, (game,), {"__module__": game.__module__, "__doc__": game.__doc__})
    kind.name = game.name
    own = dict(list(game.declared.strategies.items())[: seat_count(game()) > 1])
    kind.declared = replace(kind.declared, strategies=ChainMap({one.name: one for one in found} | own))
    return kind


def steps_for(game: type[Game]) -> list[tuple[str, Callable[[], Found]]]:
    """Return the names and functions of the steps for a game made by `with_strategies`, in order."""
    settings: list[Setting] = []

    def at_settings() -> Found:
        settings[:] = settings_of(game).settings
        yield from _played_at(settings)

    return [
        ("contract", lambda: contract(game)),
        ("strategies", lambda: strategies(game)),
        ("settings", at_settings),
        ("engines", lambda: engines(game, settings[:: max(1, len(settings) // 12)])),
        ("exact", lambda: exact_answers(game, settings)),
    ]


def _played_at(settings: Sequence[Setting]) -> Found:
    """Play a few games of each line-up with parameters at their limits and in pairs."""
    played = 0
    for setting in settings:
        every = lineups(setting.game)
        share = 1 + STEPS // (len(settings) * len(every))
        for one in every:
            played += play_some(setting.game, one, GAMES, SHORT, share, str(setting)).games
    if settings:
        what = f"{many(played, 'game')} at {many(len(settings), 'setting')}, parameters at their limits and in pairs"
        yield Said(OK, f"{what}, went well", {"at_settings": {"settings": len(settings), "games": played}})
