"""The check of a file: all steps in order, up to the first that finds a broken rule."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from dicelab.conformance.agree import engines
from dicelab.conformance.declarations import contract, declared, must_be_sensible
from dicelab.conformance.exactly import exact_answers
from dicelab.conformance.exploration.alike import compare_seats
from dicelab.conformance.exploration.openly import in_the_open
from dicelab.conformance.exploration.settings import Setting, Unsettled, settings_of
from dicelab.conformance.exploration.states import Reached, reach, states
from dicelab.conformance.findings.advice import broken
from dicelab.conformance.findings.finding import BROKEN, NOTE, OK, Broken, Finding, Found, Said
from dicelab.conformance.looks import looks
from dicelab.conformance.roundtrip import policy
from dicelab.conformance.seating import SHORT, lineups, play_some, strategies
from dicelab.errors import DicelabError, RulesError, unknown
from dicelab.questions.policies.combinations import slow_choices
from dicelab.results.text.writing import many
from dicelab.rules.game import Game, Strategy, seat_count
from dicelab.rules.loading.registry import games_in, load
from dicelab.rules.loading.strategies import strategies_in
from dicelab.runtime.states.symmetry import Rotation
from dicelab.runtime.where import where_is

# The check of strategies that are written in another file than their game: the steps that are about strategies.


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


SEAT_WORK = 150_000
"""Work (`Explorer.work`) of comparing seats."""
SETTINGS_WORK, LEAST = 200_000, 1_000
"""Work at all settings, and the minimum at one of them: half of it for the states."""
AT_SETTING = 3000
"""Limit of the states explored at one setting."""
STRATEGY_GAMES = 3
"""Games of each of two line-ups at one setting."""

Begin = Callable[[str, str], None]
"""Called before each step with the game and the name of the step."""


def check_file(text: str, begin: Begin = lambda game, step: None) -> Iterator[Finding]:
    """Check every game in a file, and every strategy for another game; ``file.py:name`` checks one of these.

    Calls `begin` before each step.
    """
    path, _, wanted = text.partition(".py:")
    file = Path(path + ".py" if wanted else text)
    begin(str(file), "read the file")
    try:
        module = load(file)
        games = games_in(module)
        more = {name: one for name, one in strategies_in(module).items() if one.game not in games.values()}
        if not games and not more:
            raise RulesError("it has no game: define a class that inherits from dicelab.rules.Game")
        if wanted and wanted not in {**games, **more}:
            raise unknown("game or strategy" if more else "game", wanted, {**games, **more})
    except DicelabError as error:
        found = broken(error)
        yield Finding(str(file), "read the file", BROKEN, str(found), found.where)
        return
    for name, game in games.items():
        if wanted in ("", name):
            yield from check_game(game, begin)
    asked = {name: one for name, one in more.items() if wanted in ("", name)}
    for game, strategies_for in by_game(path + ".py" if wanted else text, asked).items():
        kind = with_strategies(game, strategies_for)
        yield from _in_order(kind, steps_for(kind), begin)


def check_game(game: type[Game], begin: Begin = lambda game, step: None) -> Iterator[Finding]:
    """Check one game, step by step, up to the first step that finds a broken rule."""
    yield from _in_order(game, Steps(game).steps(), begin)


def _in_order(game: type[Game], steps: Sequence[tuple[str, Callable[[], Found]]], begin: Begin) -> Iterator[Finding]:
    """Yield the findings of some steps, up to the first step that finds a broken rule."""
    for name, step in steps:
        begin(game.name, name)
        try:
            for said in step():
                yield Finding(game.name, name, said.verdict, said.say, None, said.covered)
        except Exception as error:
            found = broken(error, game)
            yield Finding(game.name, name, BROKEN, str(found), found.where)
            return


class Steps:
    """The steps of the check of one game; later ones use what earlier ones found."""

    def __init__(self, game: type[Game]) -> None:
        self.game = game
        self.reached: list[Reached] = []
        self.settings: list[Setting] = []

    def steps(self) -> list[tuple[str, Callable[[], Found]]]:
        """Return the names and functions, in order."""
        game = self.game
        return [
            ("contract", lambda: contract(game)),
            ("declarations", lambda: declared(game)),
            ("parameters", self.parameters),
            ("states", self.states),
            ("words", lambda: looks(game)),
            ("seats", self.seats),
            ("strategies", self.strategies),
            ("settings", self.at_settings),
            ("engines", lambda: engines(game, self.settings[:: max(1, len(self.settings) // 12)])),
            ("exact", lambda: exact_answers(game, self.settings)),
            ("policy", lambda: policy(game, self.settings)),
        ]

    def parameters(self) -> Found:
        """Check that ranges, dice and seats are possible at every setting."""
        try:
            every = settings_of(self.game)
        except Unsettled as unsettled:
            raise broken(unsettled.error, self.game, None, unsettled.at) from unsettled
        must_be_sensible(self.game(), "")
        for setting in every.settings:
            must_be_sensible(setting.game, str(setting))
        self.settings = every.settings
        count, refused = len(every.settings) + 1, every.refused
        more = f"; the game refuses {refused} more" if refused else ""
        say = f"ranges and dice make sense at {many(count, 'setting')}{more}"
        yield Said(OK, say, {"settings": {"all": count, "refused": refused}})

    def states(self) -> Found:
        """Check the states at the defaults; mention choices that may be meant to be made at once."""
        yield from states(self.game, self.reached)
        openly = in_the_open(self.game(), self.reached[0].found)
        if openly:
            yield Said(NOTE, openly)

    def seats(self) -> Found:
        """Check that a game which declares all seats alike is the same from every seat."""
        sample = self.game()
        rotation = Rotation.declared(sample)
        if rotation is None:
            return
        compared, every = compare_seats(sample, self.reached[0].found.states, SEAT_WORK)
        whole = "all" if every and self.reached[0].found.every else "some"
        say = f"{whole} {compared:,} states, up to rotation, are the same from each of {rotation.seats} seats"
        yield Said(OK, say, {"seats": {"states": compared, "all": whole == "all"}})

    def strategies(self) -> Found:
        """Check that the strategies play; say which choices would be faster as another kind."""
        yield from strategies(self.game)
        yield from (Said(NOTE, text) for text in slow_choices(self.game()))

    def at_settings(self) -> Found:
        """Check states, seats and games of the strategies with parameters at their limits and in pairs."""
        whole, part, total, endless = 0, 0, 0, ""
        used = set(self.reached[0].found.used)
        for done, setting in enumerate(self.settings):
            found, lost = self._at_setting(setting, max(LEAST, SETTINGS_WORK // len(self.settings)), done)
            used |= found.found.used
            total += found.states
            whole, part = whole + found.found.every, part + (not found.found.every)
            endless = endless or lost
        self._must_be_of_use(used, part == 0 and self.reached[0].found.every)
        if endless:
            yield Said(NOTE, f"{endless}; refuse that setting in refuse() if it is not meant to be played")
        if self.settings:
            how = f"all states of {whole}" + (f", {part} in part" if part else "")
            said = f"{many(len(self.settings), 'setting')}, parameters at their limits and in pairs"
            say = f"{said}: {how}; {many(total, 'state')}"
            yield Said(OK, say, {"at_settings": {"settings": len(self.settings), "all_states": whole, "states": total}})

    def _at_setting(self, setting: Setting, work: int, number: int) -> tuple[Reached, str]:
        """Return the states reached at a setting, and a message if the game can't end from one of them."""
        at = str(setting)
        found = reach(setting.game, AT_SETTING, work // 2, work // 4, at)
        if Rotation.declared(setting.game) is not None:
            compare_seats(setting.game, found.found.states, work // 4, at)
        every = lineups(setting.game)
        for one in {0, number % len(every)}:
            play_some(setting.game, every[one], STRATEGY_GAMES, SHORT, work // 4, at)
        lost = found.found.leads_nowhere() if found.found.every else None
        return found, f"{at} the game can't end from some states" if lost is not None else ""

    def _must_be_of_use(self, used: set[tuple[str, tuple[int, ...]]], every: bool) -> None:
        """Refuse named moves that are legal in no state at any setting, if all states are known.

        Raises
        ------
        Broken
        """
        for decision in self.game.declared.decisions if every else ():
            if len(decision.kinds) != 1 or not isinstance(decision.kinds[0], type):
                continue
            moves = [(int(move),) for move in decision.kinds[0]]
            never = [decision.describe(move) for move in moves if (decision.name, move) not in used]
            if never:
                where = where_is(decision.legal or decision.rule)
                raise Broken(
                    f"{where}: never legal in {decision.name} at any state: {', '.join(never)}: leave it out of the "
                    "choice, or allow it somewhere",
                    where,
                )
