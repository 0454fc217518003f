"""The step `engines`: all engines that accept the game play the games of the reference engine, bit for bit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from dicelab.conformance.exploration.settings import Setting
from dicelab.conformance.findings import NOTE, OK, Broken, Found, Said
from dicelab.conformance.seating import LIMIT, SHORT, Lineup, lineups
from dicelab.errors import DicelabError, PlayError
from dicelab.rules.game import Game
from dicelab.runtime.interpreter import Reference
from dicelab.runtime.scheduler import Engine
from dicelab.runtime.totals import Tallied
from dicelab.translation.translator import NotTranslatable

GAMES, STEPS, CHUNK = 400, 60_000, 20
"""Games of one line-up on all engines, rolls and choices after which fewer are enough, and the games of one chunk."""
LINEUPS = 2
"""Limit on the line-ups that are compiled: three seconds each, ten for large rules."""
OUR_FAULT = "this is a fault of dicelab, not of the file: please report it together with the file"


def engines(game: type[Game], settings: Sequence[Setting]) -> Found:
    """Check that every engine that accepts the game plays the games of the reference engine, bit for bit."""
    sample, names, refused = game(), dict[str, None](), dict[str, str]()
    every = sorted(lineups(sample), key=lambda one: not one.mixed)[: None if sample.declared.decisions else 1]
    compared, left, games = 0, 0, 0
    for one in every:
        if compared == LINEUPS:
            left += 1
            continue
        try:
            made = dict(_engines(sample, one, compared == 0))
        except NotTranslatable as error:
            yield Said(NOTE, f"not compiled {one}, so it plays and simulates slowly: {error}")
            continue
        refused |= {name: why for name, why in made.items() if isinstance(why, str)}
        accepted = [engine for engine in made.values() if not isinstance(engine, str)]
        games += _compare(Reference(sample, one.calls, LIMIT), accepted, one, GAMES, "")
        for setting in settings if compared == 0 else ():
            with suppress(NotTranslatable):  # its line-up may have another strategy; the note then names that one
                games += _at_setting(setting)
        names |= dict.fromkeys(engine.name for engine in accepted)
        compared += 1
    if left:
        each = "each takes seconds, and all are played in plain Python"
        yield Said(NOTE, f"{left} of {len(every)} line-ups were not compiled: {each}")
    if names:
        used = ["reference", *names]
        say = f"{games:,} games are the same on {len(used)} engines: {', '.join(used)}"
        yield Said(OK, say, {"engines": used, "refused": refused, "compared": games, "compiled_lineups": compared})


def _engines(game: Game, lineup: Lineup, every: bool) -> Iterator[tuple[str, Engine | str]]:
    """Yield the compiled engine, and every other engine that accepts the game, or why it doesn't; by name."""
    from dicelab.engines.compiled import Compiled
    from dicelab.engines.player import table_engines

    yield "compiled", Compiled(game, lineup.calls, LIMIT)
    for name, kind in table_engines().items() if every else ():
        try:
            made = kind(game, lineup.calls, LIMIT)
            made.compile()
        except DicelabError as error:
            yield name, str(error)
        else:
            yield name, made


def _at_setting(setting: Setting) -> int:
    """Compare a few games of the compiled engine at a setting; returns how many."""
    from dicelab.engines.compiled import Compiled

    lineup = sorted(lineups(setting.game), key=lambda one: not one.mixed)[0]
    engine = Compiled(setting.game, lineup.calls, SHORT)
    return _compare(Reference(setting.game, lineup.calls, SHORT), [engine], lineup, 5, str(setting))


def _compare(slow: Reference, fast: Sequence[Engine], lineup: Lineup, games: int, at: str) -> int:
    """Compare games on all engines; returns how many.

    Raises
    ------
    Broken
        On the first difference.
    """
    played = 0
    while played < games and slow.steps < STEPS:
        upto = min(games, played + CHUNK)
        expected = _play(slow, played, upto)
        for engine in fast:
            if _play(engine, played, upto) != expected:
                raise Broken(_difference(engine, slow, played, upto, f"{at}, {lineup}" if at else str(lineup)))
        played = upto
    return played


def _play(engine: Engine, low: int, high: int) -> Tallied | str:
    """Return the games of an engine, or the error that ends them."""
    try:
        return engine.play(0, low, high)
    except PlayError as error:
        return str(error)


def _difference(engine: Engine, slow: Engine, low: int, high: int, at: str) -> str:
    """Return a message about the first game that two engines play differently."""
    for index in range(low, high):
        mine, right = _play(engine, index, index + 1), _play(slow, index, index + 1)
        if mine != right:
            return (
                f"the engines play different games {at}: seed 0, game {index} has {_shown(mine)} on the {engine.name} "
                f"engine and {_shown(right)} in plain Python; {OUR_FAULT}"
            )
    return f"the {engine.name} engine adds up the games {low} to {high - 1} of seed 0 differently {at}; {OUR_FAULT}"


def _shown(played: Tallied | str) -> str:
    if isinstance(played, str):
        return f"the error '{played}'"
    return f"outcomes {played.counts} and tallies {[dict(h) for by in played.histograms for h in by if h]}"
