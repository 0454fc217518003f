"""What is played, in which order, and on which engine."""

from __future__ import annotations

import random
import sys
import time
from _thread import interrupt_main
from itertools import islice

import numpy as np
import pytest

import dicelab
from dicelab.compile.kernels.writers import simulate
from dicelab.engines import player
from dicelab.engines.compiled import Compiled
from dicelab.engines.player import ChosenEngine, Player
from dicelab.errors import ParameterError, PlayError, UnknownNameError
from dicelab.extras.craps.craps import Craps
from dicelab.games.hazard import Hazard
from dicelab.games.lcr import LCR
from dicelab.games.tossup import TossUp
from dicelab.limits import LIMITS
from dicelab.rules import D6, OVER, Game, Int, Param, Switch, Tally, throw, thrown
from dicelab.runtime.interpreter import Reference
from dicelab.runtime.interrupts import OutOfTime, Stopped
from dicelab.runtime.lineup import Run, as_seed, looks, usable_threads
from dicelab.runtime.philox import Stream
from dicelab.runtime.scheduler import Tallied, in_chunks
from support import run_of

# Runs -----------------------------------------------------------------------------------------------------------------


def test_precision_is_looked_at_after_1000_games_and_then_a_quarter_more_each_time():
    assert list(islice(looks(), 8)) == [1000, 1250, 1562, 1952, 2440, 3050, 3812, 4765]


@pytest.mark.parametrize("seed", [0, 2**64 - 1, "17", str(2**64 - 1), np.uint64(2**64 - 1)], ids=repr)
def test_a_seed_has_64_bits(seed):
    assert as_seed(seed) == int(seed)


@pytest.mark.parametrize("seed", [-1, 2**64, "-1", str(2**64), "x", "", 1.0, True, [1]], ids=repr)
def test_what_is_no_seed(seed):
    with pytest.raises(ParameterError, match="seed: "):
        as_seed(seed)


def test_without_a_seed_one_is_drawn():
    drawn = {as_seed(None) for _ in range(20)}
    assert len(drawn) == 20
    assert all(as_seed(seed) == seed for seed in drawn)


@pytest.mark.parametrize(
    ("strategies", "seated"),
    [
        ((), ["bank_over:20"] * 3),
        ("one_roll", ["one_roll"] * 3),
        (["bank_over:7"], ["bank_over:7"] * 3),
        (["one_roll", "bank_over", "bank_over_or_win:0"], ["one_roll", "bank_over:20", "bank_over_or_win:0"]),
        (("bank_over:1e2", "one_roll", "one_roll"), ["bank_over:100", "one_roll", "one_roll"]),
    ],
    ids=str,
)
def test_strategies_are_seated(strategies, seated):
    assert Run.of("tossup", strategies, players=3).strategies == seated


@pytest.mark.parametrize("strategies", [["one_roll"] * 2, ["one_roll"] * 4])
def test_one_strategy_for_all_or_one_for_each(strategies):
    with pytest.raises(ParameterError, match=f"3 seats: .* not {len(strategies)}"):
        Run.of("tossup", strategies, players=3)


def test_a_game_without_choices_takes_no_strategy():
    assert Run.of("lcr").strategies == []
    with pytest.raises(ParameterError, match="takes no strategy"):
        Run.of("lcr", "one_roll")


@pytest.mark.parametrize(
    ("strategy", "error", "told"),
    [
        ("onerol", UnknownNameError, "did you mean 'one_roll'"),
        ("bank_over:x", ParameterError, "points: 'x' is not allowed"),
        ("bank_over:", ParameterError, "points: '' is not allowed"),
        ("bank_over:1001", ParameterError, "0 to 1000"),
        ("bank_over:1:2", ParameterError, "too many arguments; it is written bank_over:points"),
        ("one_roll:1", ParameterError, "too many arguments; it is written one_roll"),
        ("bank_over:point=1", UnknownNameError, "did you mean 'points'"),
        ("bank_over:points=x", ParameterError, "points: 'x' is not allowed"),
    ],
)
def test_a_strategy_that_makes_no_sense_is_told_why(strategy, error, told):
    with pytest.raises(error, match=told):
        Run.of("tossup", strategy)


@pytest.mark.parametrize(
    "text", ["line:pass:2:10:paroli", "line:odds=2:system=paroli", "line:pass:system=paroli:odds=2"]
)
def test_arguments_in_their_order_and_by_name(text):
    assert Run.of("craps", text).strategies == ["line:odds=2:system=paroli"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("line:odds=2:paroli", "paroli: arguments without a name come before"),
        ("line:odds=1:odds=2", "odds is given twice"),
        ("line:pass:side=pass", "side is given twice"),
    ],
)
def test_arguments_that_make_no_sense_together(text, told):
    with pytest.raises(ParameterError, match=told):
        Run.of("craps", text)


def test_a_game_by_name_by_class_and_with_its_parameters():
    for game in ("tossup", TossUp, TossUp(players=4)):
        assert Run.of(game, target=50).game.parameters["target"] == 50
    assert Run.of(TossUp(players=4), target=50).game.parameters["players"] == 4
    assert Run.of(TossUp(players=4)).strategies == ["bank_over:20"] * 4


def test_a_profile_is_named_where_a_game_is_made():
    assert Run.of("craps", profile="reno").game.parameters["bar"] == Craps(profile="reno").parameters["bar"] != 0
    with pytest.raises(ParameterError, match="already has its parameters"):
        Run.of(Craps(), profile="reno")


@pytest.mark.parametrize("threads", [0, -1, 1025, 1.0, "2", True])
def test_what_is_no_number_of_threads(threads):
    with pytest.raises(ParameterError, match="threads: "):
        usable_threads(threads)


def test_threads():
    assert usable_threads(3) == 3
    assert usable_threads(None) >= 1


# Chunks ---------------------------------------------------------------------------------------------------------------


class Recorder:
    """An engine whose games end with their own index as tally; some are slow, some go wrong."""

    def __init__(self, name="compiled", bad=(), slow=0.0):
        self.name = name
        self.bad = set(bad)
        self.slow = slow
        self.finished = []

    def play(self, seed, low, high):
        time.sleep(self.slow * random.Random(low).random())
        total = Tallied.empty(1, 1)
        for index in range(low, high):
            if index in self.bad:
                raise PlayError(f"game {index}")
            total.count(0, [index])
        self.finished += range(low, high)
        return total


def chunks_of(engine, threads, low, high):
    """The games of each chunk, in the order in which they were handed over."""
    chunks = []
    in_chunks(engine, 0, threads, low, high, lambda done: chunks.append(sorted(done.histogram(0))))
    return chunks


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("name", ["compiled", "reference"])
def test_every_game_is_handed_over_once_and_in_order(name, threads):
    chunks = chunks_of(Recorder(name, slow=0.002), threads, 7, 5000)
    assert [index for chunk in chunks for index in chunk] == list(range(7, 5000))
    assert chunks[0] == [7]  # one game, which may take seconds, is shown at once
    assert len(chunks) > 1


def test_no_games_are_no_chunks():
    assert chunks_of(Recorder(), 2, 5, 5) == []


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_the_error_is_that_of_the_first_bad_game(threads):
    done = []
    with pytest.raises(PlayError, match=r"^game 700$"):
        in_chunks(Recorder(bad=[700, 701, 1500, 4000], slow=0.002), 0, threads, 0, 5000, done.append)
    games = [index for chunk in done for index in sorted(chunk.histogram(0))]
    assert games == list(range(len(games)))
    assert len(games) <= 700


class Interrupted(Recorder):
    """Ctrl-C is pressed while game 3000 is played."""

    def play(self, seed, low, high):
        if low <= 3000 < high:
            interrupt_main()
            time.sleep(0.05)
        return super().play(seed, low, high)


@pytest.mark.parametrize("threads", [1, 3])
def test_on_an_interrupt_what_is_being_played_is_finished_and_handed_over(threads):
    engine, games = Interrupted(slow=0.01), []
    with pytest.raises(KeyboardInterrupt):
        in_chunks(engine, 0, threads, 0, 10**9, lambda chunk: games.extend(sorted(chunk.histogram(0))))
    assert games == sorted(engine.finished) == list(range(len(games)))
    assert 3000 < len(games) < 10**9


@pytest.mark.parametrize("threads", [1, 3])
def test_an_interrupt_between_two_chunks_leaves_no_gap(threads):
    games, pressed = [], []

    def receive(chunk):
        if not pressed and len(games) > 1000:
            pressed.append(True)
            raise KeyboardInterrupt  # before the chunk is taken: those after it must not be handed over instead
        games.extend(sorted(chunk.histogram(0)))

    with pytest.raises(KeyboardInterrupt):
        in_chunks(Recorder(slow=0.01), 0, threads, 0, 10**9, receive)
    assert games == list(range(len(games)))


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("name", ["compiled", "reference"])
def test_the_end_of_the_time_leaves_no_gap(name, threads):
    games = []
    with pytest.raises(OutOfTime):
        in_chunks(
            Recorder(name, slow=0.002),
            *(0, threads, 0, 10**9),
            lambda chunk: games.extend(sorted(chunk.histogram(0))),
            lambda: len(games) > 1000,
        )
    assert games == list(range(len(games)))
    assert len(games) > 1000


class Unending(Recorder):
    """Game 5 never ends by itself; it asks whether the time is over."""

    is_over = None

    def __init__(self, name, press=lambda: None):
        super().__init__(name)
        self.press = press

    def play(self, seed, low, high):
        if low <= 5 < high:
            self.press()
            while not self.is_over():
                time.sleep(0.001)
            raise OutOfTime
        return super().play(seed, low, high)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("name", ["compiled", "reference"])
def test_a_long_game_is_given_up_at_the_end_of_the_time(name, threads):
    games = []
    with pytest.raises(OutOfTime):
        in_chunks(
            Unending(name), 0, threads, 0, 100, lambda one: games.extend(one.histogram(0)), lambda: len(games) > 1
        )
    assert games == list(range(len(games)))
    assert 1 < len(games) <= 5


def test_a_long_game_on_a_thread_is_given_up_on_an_interrupt():
    games = []
    with pytest.raises(KeyboardInterrupt) as raised:
        in_chunks(Unending("compiled", interrupt_main), 0, 2, 0, 100, lambda one: games.extend(one.histogram(0)))
    assert not isinstance(raised.value, OutOfTime)
    assert games == list(range(len(games)))
    assert len(games) <= 5


# Engines --------------------------------------------------------------------------------------------------------------

RUNS = [
    ("hazard", ()),
    ("hazard-caster", ()),
    ("lcr", ()),
    ("tossup", ("one_roll", "bank_over:20")),
    ("line-bets", ("martingale",)),
]


def all_games(player, games):
    total = None

    def add(chunk):
        nonlocal total
        if total is None:
            total = chunk
        else:
            total.merge(chunk)

    player.play(0, games, add)
    return total


@pytest.mark.quick_cases("hazard-()")
@pytest.mark.parametrize(("name", "lineup"), RUNS, ids=str)
def test_all_ways_of_playing_play_the_same_games(name, lineup, limits):
    limits(first_work=20, compiling_work=100, table_work=100)  # so that auto changes engines on its way
    run = run_of(name, lineup)
    players = {engine: Player(run, 99, engine, threads=2) for engine in ("reference", "compiled", "auto")}
    results = {engine: all_games(player, 700) for engine, player in players.items()}
    assert results["compiled"] == results["reference"]
    assert results["auto"] == results["reference"]
    assert results["auto"].games == 700
    assert [players[engine].engine_used for engine in ("reference", "compiled")] == ["reference", "compiled"]
    quick = {"hazard": "table", "hazard-caster": "table", "lcr": "memo", "tossup": "turn", "line-bets": "compiled"}
    assert players["auto"].engine_used == quick.get(name, "counter")
    assert all(player.seconds > 0 for player in players.values())


def test_auto_answers_small_questions_without_compiling():
    player = Player(run_of("hazard"), 1, work={})
    assert all_games(player, 30) == Reference(Hazard(), []).play(1, 0, 30)
    assert player.engine_used == "reference"


@pytest.mark.quick_cases("one")
@pytest.mark.parametrize("pieces", [[60_000], [500] * 120, [*range(100, 16_000, 250)]], ids=["one", "equal", "growing"])
def test_the_engine_depends_on_the_work_and_not_on_the_pieces(limits, pieces):
    """It is chosen twice: as soon as compiling pays, and once more when the games have become very many."""
    works = []

    def choose(run, work, *_):
        works.append(work)
        engine = Compiled(run.game, run.calls)
        engine.name = "memo" if work >= 100_000 else "compiled"
        return ChosenEngine(engine, {})

    limits(table_work=100_000)
    player, low = Player(run_of("hazard"), 5, choose=choose, work={}), 0
    for games in pieces:
        player.play(low, low + games, lambda _: None)
        low += games
    assert player.engine_used == "memo"
    assert len(works) == 1 + (len(pieces) > 1)


@pytest.mark.slow
def test_many_short_runs_of_a_game_in_one_process_are_compiled():
    game = type("Unplayed", (Hazard,), {"__module__": Hazard.__module__})
    engines = [dicelab.simulate(game, games=2000, seed=seed).engine for seed in range(8)]
    assert engines == sorted(engines)
    assert set(engines) == {"reference", "table"}


def test_each_engine_says_why_it_does_not_play():
    lcr = type("Unplayed", (LCR,), {"__module__": LCR.__module__})
    few = dicelab.simulate(lcr, games=100, seed=1, explain=True)
    assert list(few.engines) == list(player.ENGINES[1:])
    assert few.engines["reference"] == "plays"
    assert few.engines["compiled"].startswith("worth it from 40,000 rolls and choices on; here are about 2,")
    many = dicelab.simulate(lcr, games=3000, seed=1, explain=True)
    assert many.engines["table"] == "it has more than 256 states"
    assert many.engines["memo"].startswith("worth it from 300,000,000 rolls")
    assert many.engines["compiled"] == "plays"
    assert many.engines["reference"].startswith("played the first ")
    told = dicelab.simulate("hazard", games=10, engine="table", explain=True)
    assert told.engines["memo"] == "table was asked for"
    assert "memo       table was asked for" in str(told)
    assert dicelab.simulate("hazard", games=10).to_dict().keys() == told.to_dict().keys() - {"engines"}


def test_the_rules_are_translated_once_however_many_engines_are_tried():
    run = run_of("tossup", ("bank_over_or_win",))  # where they are checked, unless a verdict is kept
    simulate._translated.cache_clear()
    found = player.chosen(run, LIMITS.table_work)
    assert list(found.others) == ["table", "counter", "turn"]
    assert simulate._translated.cache_info().misses == 1


def test_an_error_in_an_engine_is_not_hidden(monkeypatch):
    """Only what an engine says of a game makes ``auto`` try the next one."""
    monkeypatch.setattr("dicelab.engines.tables.state.Counting.of", lambda _: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        player.chosen(run_of("hazard"), LIMITS.compiling_work)


def test_games_played_in_pieces_are_the_same():
    run = run_of("hazard")
    whole = all_games(Player(run, 5, "reference"), 60)
    parts = Tallied.empty(2, 1)
    player = Player(run, 5, "auto")
    for low, high in ((0, 1), (1, 20), (20, 20), (20, 60)):
        player.play(low, high, parts.merge)
    assert parts == whole


def test_other_seeds_play_other_games():
    run = run_of("hazard")
    first, second = (all_games(Player(run, seed, "reference"), 100) for seed in (1, 2))
    assert first != second


def test_an_engine_that_is_not_known():
    with pytest.raises(ParameterError, match="engine: 'gpu' is not allowed"):
        Player(run_of("hazard"), 1, "gpu")


# The first part ------------------------------------------------------------------------------------------------------


class Long(Game):
    """Roll a die many times."""

    name = "long"
    source = "made for the tests"

    rolls = Param(1, 1, 1_000_000, "how many times")
    left = Int(0, rolls, "rolls left", start=rolls)
    sixes = Tally("sixes")

    def next(self) -> int:
        return OVER if self.left == 0 else throw(self.die)

    @thrown(1, D6)
    def die(self, face: int) -> None:
        self.left -= 1
        self.sixes += face == 6


class Heavy(Game):
    """Roll a die ten times, with long loops between."""

    name = "heavy"
    source = "made for the tests"

    rounds = Param(1, 1, 1_000_000, "rounds of each loop")
    once = Switch(False, "whether the loop is only made at the first roll")
    left = Int(0, 10, "rolls left", start=10)
    last = Int(0, 6, "a number")
    sixes = Tally("sixes")

    def next(self) -> int:
        return OVER if self.left == 0 else throw(self.die)

    @thrown(1, D6)
    def die(self, face: int) -> None:
        self.left -= 1
        self.sixes += face == 6
        found = 0
        for number in range(0 if self.once and self.left < 9 else self.rounds):
            found = (found + face * number) % 7
        self.last = found


@pytest.mark.slow_cases("mixed dice", "very heavy")
@pytest.mark.skipif(sys.gettrace() is not None, reason="lines are not counted where something else follows them")
@pytest.mark.parametrize(
    ("run", "games", "rolls"),
    [
        (Run.of(Long, rolls=200_000), 50, LIMITS.compiling_work),  # the first game is left
        (Run.of(Long, rolls=200_000), 1, LIMITS.compiling_work),
        (Run.of(Long, rolls=300), 1_000, LIMITS.first_work + 300),
        (Run.of(Heavy, rounds=200_000), 10_000, 10),
        (Run.of(Heavy, rounds=20_000), 10_000, 60),
        (run_of("risk-mixed", attackers=20, defenders=12), 100_000, LIMITS.first_work + 30),
    ],
    ids=["very long", "one very long", "long", "very heavy", "heavy", "mixed dice"],
)
def test_the_first_part_is_bounded_by_work_whatever_a_game_costs(monkeypatch, run, games, rolls):
    """Rolls of the reference engine until another one is chosen."""
    drawn, draw = [], Stream.draw
    monkeypatch.setattr(Stream, "draw", lambda stream, pool: (drawn.append(1), draw(stream, pool))[1])

    def choose(*_):
        raise Stopped  # before it plays

    with pytest.raises(Stopped):
        Player(run, 1, choose=choose, work={}).play(0, games, lambda _: None)
    assert len(drawn) <= rolls


@pytest.mark.parametrize(
    ("run", "games"),
    [
        (Run.of(Long, rolls=30_000), 1),
        (Run.of(Heavy, rounds=1), 2_000),
        (Run.of(Heavy, rounds=200_000, once=True), 20),  # long once is not long
    ],
    ids=["long", "light", "heavy once"],
)
def test_what_is_less_work_than_compiling_is_played_at_once(run, games):
    player = Player(run, 1, work={})
    assert all_games(player, games).games == games
    assert player.engine_used == "reference"
