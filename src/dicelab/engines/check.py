"""Is this a lawful game? Reads a file, plays it, compiles it, and says in plain words what is broken and where.

Run as ``python -m dicelab.engines.check FILE`` this prints one JSON object a line, ending with what it found; that is
the child process that `dicelab.analysis.examine` starts, so that a file can loop, crash or exit without taking the
checker down.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter

from dicelab.engines.chunks import Engine
from dicelab.engines.plan import Call, Chooser, Run, parse_call
from dicelab.engines.reference import Reference, finished, line_of, play, steps
from dicelab.engines.rewrite import NotTranslatable
from dicelab.engines.rotation import Rotation, try_out
from dicelab.engines.stream import Stream, pool
from dicelab.errors import DicelabError, EndlessGameError, ParameterError, PlayError, RulesError, unknown
from dicelab.purity.contract import must_be_lawful
from dicelab.rules.fields import Ints
from dicelab.rules.game import Game, counted, outcome_names, position, seat_count, summary
from dicelab.rules.params import Choice, value_of
from dicelab.rules.registry import games_in, load
from dicelab.rules.steps import Decision

LIMIT = 100_000
"""Throws and choices after which a game under check is taken to be endless."""
GAMES = 200
SECONDS = 2.0
"""Games played by each way of playing, and the time after which fewer will do."""

OK, NOTE, BROKEN = "ok", "note", "broken"


@dataclass(frozen=True)
class Finding:
    """What one step of the check found: ``ok``, ``note`` or ``broken``, and what there is to say."""

    game: str
    step: str
    verdict: str
    say: str


def check_file(text: str, begin: Callable[[str, str], None] = lambda game, step: None) -> Iterator[Finding]:
    """Check every game in a file; ``file.py:name`` checks one. Calls `begin` before each step."""
    path, _, wanted = text.partition(".py:")
    file = Path(path + ".py" if wanted else text)
    begin(str(file), "read the file")
    try:
        games = games_in(load(file))
        if not games:
            raise RulesError("it has no game: define a class that inherits from dicelab.rules.Game")
        if wanted and wanted not in games:
            raise unknown("game", wanted, games)
    except DicelabError as error:
        yield Finding(str(file), "read the file", BROKEN, str(error))
        return
    for game in [games[wanted]] if wanted else games.values():
        yield from check_game(game, begin)


def check_game(game: type[Game], begin: Callable[[str, str], None]) -> Iterator[Finding]:
    """Check one game, step by step, up to the first step that is broken."""
    for name, step in STEPS:
        begin(game.name, name)
        broken = False
        try:
            for verdict, say in step(game):
                broken |= verdict == BROKEN
                yield Finding(game.name, name, verdict, say)
        except DicelabError as error:
            yield Finding(game.name, name, BROKEN, str(error))
            return
        except Exception as error:
            yield Finding(game.name, name, BROKEN, f"{type(error).__name__}: {error}{line_of(error)}")
            return
        if broken:
            return


Found = Iterator[tuple[str, str]]


def contract(game: type[Game]) -> Found:
    """Who may change what, and on what rules may depend."""
    must_be_lawful(game, game.declared.strategies.values())
    yield OK, "rules and strategies change what they may, and depend on nothing hidden"


def declared(game: type[Game]) -> Found:
    """What the class must have."""
    if game.next is Game.next:
        raise RulesError("it has no method next(self), which says what happens now: throw(...), ask(...) or OVER")
    if not game.declared.throws:
        raise RulesError("nothing is ever thrown: put @thrown(dice, die) above a method")
    sample = game()
    if outcome_names(sample) and game.outcome is Game.outcome:
        raise RulesError("it has outcomes but no method outcome(self) that returns the number of one")
    for base in game.__mro__[: game.__mro__.index(Game)]:
        for name, value in vars(base).items():
            if isinstance(value, list | dict | set) and not name.startswith("__") and name not in vars(Game):
                raise RulesError(
                    f"{name} is a {type(value).__name__}: declare what changes as Int, Ints, Flag or Tally"
                )
    for decision in game.declared.decisions:
        takes = decision.rule.__code__.co_argcount - 1
        if takes != len(decision.kinds):
            raise RulesError(f"{decision.name} takes {takes} numbers, but @chosen declares {len(decision.kinds)}")
    if game.declared.decisions and not game.declared.strategies:
        raise RulesError("it has choices but no strategy: put @strategy(...) above a function that chooses")
    if not summary(game):
        yield NOTE, "it has no docstring; its first line is what lists and help say of the game"
    if not game.source:
        yield NOTE, 'it names no source; add source = "where the rules come from"'
    has = game.declared
    sizes = len(has.params), len(has.state), len(has.tallies), len(has.strategies)
    yield OK, "parameters: {}, fields: {}, tallies: {}, strategies: {}".format(*sizes)


def parameters(game: type[Game]) -> Found:
    """Every parameter at its ends, the others at their defaults: ranges and dice make sense."""
    tried = 1
    for setting, sample in _settings(game):
        _sensible(sample, setting)
        tried += 1
    _sensible(game(), "the defaults")
    yield OK, f"ranges and dice make sense at {tried} settings"


def _settings(game: type[Game]) -> Iterator[tuple[str, Game]]:
    """The game with each parameter at its ends, or at each of its names; settings refused in words are lawful."""
    for name, param in game.declared.params.items():
        for value in range(param.high + 1) if isinstance(param, Choice) else (param.low, param.high):
            try:
                yield f"{name} = {param.word(value)}", game(**{name: value})
            except ParameterError:
                continue


def ends_of_parameters(game: type[Game]) -> Found:
    """A few games with each parameter at its ends go well."""
    began, played = perf_counter(), 0
    for setting, sample in _settings(game):
        if perf_counter() - began < 2 * SECONDS:
            played += _few_games(sample, setting)
    yield OK, f"{played} games with parameters at their ends went well"


def _few_games(sample: Game, setting: str) -> int:
    """Play some games with the default strategy; a setting at which they do not end is no fault; how many did."""
    names = list(sample.declared.strategies)[:1] if sample.declared.decisions else []
    calls = [parse_call(type(sample), name) for name in names] * seat_count(sample)
    ended = 0
    for index in range(3):
        try:
            play(sample, calls, 0, index, 2000)
            ended += 1
        except EndlessGameError:
            continue
        except PlayError as error:
            raise type(error)(f"with {setting}: {error}") from error
    return ended


def _sensible(sample: Game, setting: str) -> None:
    for f in sample.declared.state.values():
        low, high = f.bounds(sample)
        if low > high:
            raise RulesError(f"with {setting}, {f.name} has the empty range {low} to {high}")
        if isinstance(f, Ints) and value_of(f.length, sample) < 1:
            raise RulesError(f"with {setting}, {f.name} has length {value_of(f.length, sample)}")
    for kind in sample.declared.throws:
        takes = _numbers(kind.rule)
        if takes is not None and takes != kind.width(sample):
            raise RulesError(f"with {setting}, {kind.name} is seen as {kind.width(sample)} numbers but takes {takes}")
        for dice in (0, 1):
            pool(sample, kind, dice)
    if not 1 <= seat_count(sample) <= 1000:
        raise RulesError(f"with {setting}, there are {seat_count(sample)} seats")


def _numbers(rule: Callable[..., object]) -> int | None:
    """How many numbers a rule about a throw takes; None for any."""
    code = rule.__code__
    return None if code.co_flags & 0x04 else code.co_argcount - 1


def random_play(game: type[Game]) -> Found:
    """Random lawful moves: the state stays in its ranges, somebody may always move, the game ends."""
    sample = game()
    dice = random.Random(0)
    used: set[tuple[str, tuple[int, ...]]] = set()

    def chooser(board: Game, decision: Decision, seat: int) -> object:
        moves = decision.listing(board)
        if moves is None:
            raise _Unlisted
        if not moves:
            raise RulesError(f"seat {seat} must choose in {decision.name}, but no choice is legal")
        used.update((decision.name, move) for move in moves)
        return dice.choice(moves)

    try:
        played = _until(lambda i: _play_one(sample, [chooser] * seat_count(sample), i))
    except EndlessGameError as error:
        if not game.declared.decisions:
            raise
        yield NOTE, f"random moves do not end it: {error}"
        return
    except _Unlisted:
        yield NOTE, "its choices are too many to list: it can be simulated, not solved"
        return
    never = [
        f"{decision.name}: {decision.describe(move)}"
        for decision in game.declared.decisions
        if len(decision.kinds) == 1 and isinstance(decision.kinds[0], type)
        for move in [(int(m),) for m in decision.kinds[0]]
        if (decision.name, move) not in used
    ]
    if never:
        raise RulesError(f"a choice was never legal in {played} games of random moves: {', '.join(never)}")
    yield OK, f"{played} games of random moves stayed lawful and ended"


class _Unlisted(PlayError):
    """The choices of a game can't be listed."""


def _play_one(sample: Game, choosers: list[Chooser], index: int) -> None:
    """One game of seed 0 with these choosers, to its end."""
    stream = Stream(0, index)
    try:
        for _ in steps(sample, choosers, stream, LIMIT):
            pass
        finished(sample)
    except _Unlisted:
        raise
    except PlayError as error:
        raise type(error)(f"{error}; seed 0, game {index}") from error


def _until(one: Callable[[int], None]) -> int:
    """Play games one by one until there are enough of them or time is up; returns how many."""
    began = perf_counter()
    for index in range(GAMES):
        one(index)
        if perf_counter() - began > SECONDS:
            return index + 1
    return GAMES


def seats_alike(game: type[Game]) -> Found:
    """Where the game declares to be alike from every seat, it is."""
    run = Run.of(game())
    rotation = Rotation.of(run.game)
    if rotation is not None:
        try_out(run)
        yield OK, f"the game is alike from each of the {rotation.seats} seats"


def strategies(game: type[Game]) -> Found:
    """Every strategy at its defaults in every seat: its moves are legal, the game ends, and nothing else decides it."""
    for name, calls in lineups(game):
        ends: list[object] = []

        def one(index: int, calls: list[Call] = calls, ends: list[object] = ends) -> None:
            ends.append(_end_of(game(), calls, index))

        played = _until(one)
        for index in range(played):
            again = _end_of(game(), calls, index)
            if again != ends[index]:
                raise RulesError(
                    "the same dice gave two different games: rules must depend on nothing but their state; "
                    f"{game.name}: it ended as {ends[index]} and as {again}; seed 0, game {index}"
                )
        yield OK, f"{played} games{name} ended"


def _end_of(board: Game, calls: list[Call], index: int) -> object:
    """State and tallies at the end of a game."""
    _play_one(board, [_reading(call.chooser(board), call) for call in calls], index)
    return position(board), counted(board)


def _reading(chooser: Chooser, call: Call) -> Chooser:
    """The chooser, watched: a strategy reads the game and does not change it."""

    def watched(board: Game, decision: Decision, seat: int) -> object:
        before = position(board), counted(board)
        move = chooser(board, decision, seat)
        if before != (position(board), counted(board)):
            raise RulesError(f"strategy {call} changes the game; a strategy only reads it")
        return move

    return watched


def lineups(game: type[Game]) -> Iterator[tuple[str, list[Call]]]:
    """Each strategy of a game at its defaults in all seats; one empty line-up for a game without choices."""
    if not game.declared.decisions:
        yield "", []
    for name in game.declared.strategies if game.declared.decisions else ():
        yield f" with {name}", [parse_call(game, name)] * seat_count(game())


def compiles(game: type[Game]) -> Found:
    """Numba compiles the rules, and the engines play the same games."""
    from dicelab.engines.compiled import Compiled
    from dicelab.engines.table import Table

    for name, calls in lineups(game):
        try:
            engines: list[Engine] = [Compiled(game(), calls, LIMIT)]
        except NotTranslatable as error:
            yield NOTE, f"not compiled{name}, so it plays and simulates slowly: {error}"
            continue
        with suppress(DicelabError):  # most games have too many positions
            table = Table(game(), calls, LIMIT)
            table.compile()
            engines.append(table)
        slow = Reference(game(), calls, LIMIT)
        began, games = perf_counter(), 0
        while games < GAMES and perf_counter() - began < SECONDS:
            expected = slow.play(0, games, games + 20)
            for engine in engines:
                if engine.play(0, games, games + 20) != expected:
                    raise RulesError(_difference(engine, slow, games, name))
            games += 20
        yield OK, f"the engines play the same {games} games{name}"


def _difference(engine: Engine, slow: Engine, first: int, name: str) -> str:
    """What the engines make of the first game that they play differently."""
    index = next(i for i in range(first, first + 20) if engine.play(0, i, i + 1) != slow.play(0, i, i + 1))
    ends = [[dict(h) for by in e.play(0, index, index + 1).histograms for h in by if h] for e in (engine, slow)]
    return (
        f"the engines play different games{name}: seed 0, game {index} has tallies {ends[0]} {engine.name} and "
        f"{ends[1]} in plain Python; do numbers on the way outgrow 64 bits?"
    )


STEPS: list[tuple[str, Callable[[type[Game]], Found]]] = [
    ("contract", contract),
    ("declarations", declared),
    ("parameters", parameters),
    ("random play", random_play),
    ("seats", seats_alike),
    ("strategies", strategies),
    ("ends of parameters", ends_of_parameters),
    ("compilation", compiles),
]


def main() -> None:
    """Check the file named on the command line, a JSON object a line; what the file itself prints is thrown away."""
    out = sys.stdout
    sys.stdout = sys.stderr

    def say(kind: str, **data: object) -> None:
        print(json.dumps({"kind": kind, **data}), file=out, flush=True)

    for finding in check_file(sys.argv[1], lambda game, step: say("begin", game=game, step=step)):
        say("finding", **asdict(finding))
    say("end")


if __name__ == "__main__":
    main()
