"""Every engine plays the games of the reference engine, bit for bit, for every game and strategy found."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import dicelab
from conformance.fast import fast_engines
from dicelab.engines.compiled import Compiled
from dicelab.engines.tables.memo import MemoEngine
from dicelab.engines.tables.state import TableEngine
from dicelab.errors import NotSmall, ParameterError, PlayError, RulesError
from dicelab.games.lcr import LCR
from dicelab.questions.simulate import simulate
from dicelab.rules import COUNTS, D6, FACES, OVER, Die, Game, Int, Ints, Param, Tally, right_of, throw, thrown
from dicelab.rules.game import outcome_names
from dicelab.runtime.interpreter import Reference
from dicelab.runtime.lineup import Run
from dicelab.runtime.scheduler import Engine, Tallied, in_chunks
from support import CASE_IDS, EVERY_GAME, FEW, FEW_CASES, GAMES, SetLimits, run_of, slow_unless

SEED = 20_261_120
SEEDS = (0, 2**32 - 1, 2**64 - 1)


FEW_POSITIONS = {"hazard", "hazard-caster", "pass-line"}
"""Games that the table engine must play; it may play others."""
NOT_MEMO = {"craps", "craps-bet", "farkle", "line-bets", "many-dice"}
"""Games that the memo engine refuses: their tallies or their dice don't fit."""


def same_games(run: Run, seed: int, first: int, games: int, engines: list[Engine] | None = None) -> None:
    """Every single game, not only their sum, is the same."""
    slow = Reference(run.game, run.calls)
    for fast in engines or fast_engines(run):
        for index in range(first, first + games):
            told = f"game {index} of seed {seed}, {fast.name} engine"
            assert fast.play(seed, index, index + 1) == slow.play(seed, index, index + 1), told


@pytest.mark.slow_cases("tossup-lineup1")
@pytest.mark.parametrize(("name", "lineup"), [("tossup", ("bank_over",)), ("tossup", ("one_roll", "bank_over:30"))])
def test_games_of_short_turns_are_played_turn_by_turn(name: str, lineup: tuple[str, ...]) -> None:
    assert "turn" in {engine.name for engine in fast_engines(run_of(name, lineup))}


@pytest.mark.slow_cases(
    "bear-off",
    "cant-stop",
    "craps",
    "everyday",
    "farkle",
    "mexico",
    "qualify",
    "shut-the-box-alone",
    "targets",
    "yahtzee",
)
@pytest.mark.parametrize("name", EVERY_GAME)
def test_games_of_few_positions_are_played_from_a_table(name: str) -> None:
    run = run_of(name, tuple(list(GAMES[name].declared.strategies)[:1]))
    names = {engine.name for engine in fast_engines(run)}
    assert {"compiled", "memo"} <= names or name in NOT_MEMO
    assert "table" in names or name not in FEW_POSITIONS


@pytest.mark.slow_cases(
    "craps-line", "craps-molly", "craps-place", "craps-watch", "everyday-lowest", "everyday-lowest+even"
)
@pytest.mark.parametrize(("name", "lineup"), FEW_CASES, ids=CASE_IDS)
def test_each_game_is_the_same_compiled(name: str, lineup: tuple[str, ...]) -> None:
    run = run_of(name, lineup)
    same_games(run, SEED, 0, 40, [Compiled(run.game, run.calls)])


@pytest.mark.slow_cases(
    "craps-line",
    "everyday-even",
    "farkle-bank_at",
    "qualify-plain",
    "session-flat",
    "shut-the-box-alone-highest",
    "tossup-bank_over",
)
@pytest.mark.parametrize(("name", "lineup"), FEW_CASES, ids=CASE_IDS)
def test_each_game_is_the_same(name: str, lineup: tuple[str, ...]) -> None:
    same_games(run_of(name, lineup), SEED, 0, 40)


@pytest.mark.slow_cases(
    "cant-stop-stop_after-500",
    "craps-line-500",
    "everyday-even-500",
    "farkle-bank_at-500",
    "lcr-500",
    "lcr-dots-500",
    "lcr-last-center-500",
    "lcr-wild-from_richest-500",
    "line-bets-martingale-500",
    "lose-all-hold_at-500",
    "mexico-stand_at-500",
    "pig-alone-hold_at-500",
    "pig-hold_at-500",
    "piglet-hold_at-500",
    "qualify-plain-500",
    "session-flat-500",
    "shut-the-box-alone-highest-500",
    "shut-the-box-highest-500",
    "snakes-and-ladders-500",
    "tossup-bank_over-500",
    "yahtzee-box-high-500",
    "yahtzee-first_open-500",
)
@pytest.mark.parametrize("games", [500, pytest.param(1500, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("name", "lineup"), FEW_CASES, ids=CASE_IDS)
def test_many_games_are_the_same(name: str, lineup: tuple[str, ...], games: int) -> None:
    run = run_of(name, lineup)
    slow = Reference(run.game, run.calls).play(SEED, 0, games)
    for fast in fast_engines(run):
        assert fast.play(SEED, 0, games) == slow, fast.name


@pytest.mark.slow_cases(
    "bear-off",
    "cant-stop",
    "craps",
    "craps-bet",
    "everyday",
    "farkle",
    "lcr-wild",
    "line-bets",
    "margin",
    "mexico",
    "pig-two-dice",
    "qualify",
    "risk",
    "risk-battle",
    "session",
    "ship-captain-crew",
    "shut-the-box",
    "shut-the-box-alone",
    "tossup",
    "yahtzee",
    "yahtzee-box",
    "yahtzee-turn",
)
@pytest.mark.parametrize("name", EVERY_GAME)
def test_the_ends_of_the_seeds_and_of_32_bits_of_games(name: str) -> None:
    run = run_of(name, tuple(list(GAMES[name].declared.strategies)[:1]))
    for seed in SEEDS:
        same_games(run, seed, 0, 3)
    same_games(run, SEED, 2**32 - 2, 4)


SETTINGS = [
    (name, param, end) for name, game in GAMES.items() for param in game.declared.params for end in ("low", "high")
]
"""Every parameter at either end of its range."""
FEW_SETTINGS = {
    (name, list(game.declared.params)[at], end)
    for name, game in GAMES.items()
    for at, end in ((0, "low"), (-1, "high"))
    if game.declared.params and name in FEW
}
"""The first parameter of a few games as low as it may be, and the last one as high."""


def what_happens(engine: Engine) -> Tallied | str:
    """Three games, or the error that stops them."""
    try:
        return engine.play(SEED, 0, 3)
    except PlayError as error:
        return str(error)


@pytest.mark.slow_cases(
    "craps-changes_at_most-high",
    "craps-players-low",
    "farkle-target-high",
    "hog-choice-most-high",
    "hog-dice-high",
    "line-bets-rounds-high",
    "many-dice-heavy-high",
    "pig-two-dice-turns_at_most-high",
    "qualify-all_count-high",
    "yahtzee-boxes-high",
)
@pytest.mark.parametrize(("name", "param", "end"), slow_unless(FEW_SETTINGS.__contains__, SETTINGS))
def test_every_parameter_at_its_ends(name: str, param: str, end: str) -> None:
    """Some settings never end: then both engines say so, of the same game at the same state."""
    game = GAMES[name]
    value = getattr(game.declared.params[param], end)
    try:
        run = run_of(name, tuple(list(game.declared.strategies)[:1]), **{param: value})
    except ParameterError:
        return  # refused in words
    limit = 3000
    expected = what_happens(Reference(run.game, run.calls, limit))
    for fast in fast_engines(run, limit):
        assert what_happens(fast) == expected, fast.name


DRAWN_OTHERWISE = [
    ("tossup", ("bank_over:20",), {"dice": 12}),  # two words for a throw
    ("tossup", ("bank_over:30",), {"dice": 25}),  # one die at a time
    ("tossup", ("bank_over:20", "one_roll", "bank_over_or_win:3"), {"players": 3, "last_turn": "yes", "target": 40}),
    ("tossup", ("bank_over:5",), {"red": 0, "yellow": 999, "green": 1, "target": 5}),
    ("tossup", ("bank_over:7",), {"red": 1, "yellow": 4, "green": 1}),  # the first outcome is a rare one
    ("lcr", (), {"dice": 10, "coins": 12, "players": 3}),
    ("lcr", (), {"players": 50}),  # thousands of throws
    ("many-dice", (), {"dice": 7}),
    ("many-dice", (), {"dice": 9}),  # faces one die at a time, sum whole
    ("many-dice", (), {"dice": 14}),
    ("many-dice", (), {"dice": 30}),
    ("many-dice", (), {"dice": 1, "heavy": 130_150_514}),  # one try in 30 is rejected
    ("many-dice", (), {"dice": 2, "heavy": 200_000_000}),
    ("many-dice", (), {"rounds": 200}),
]


@pytest.mark.quick_cases(
    "lcr-lineup5-parameters5",
    "many-dice-lineup11-parameters11",
    "many-dice-lineup12-parameters12",
    "many-dice-lineup13-parameters13",
    "many-dice-lineup7-parameters7",
    "tossup-lineup1-parameters1",
)
@pytest.mark.parametrize(("name", "lineup", "parameters"), DRAWN_OTHERWISE)
def test_every_way_of_drawing_a_throw(name: str, lineup: tuple[str, ...], parameters: dict[str, object]) -> None:
    run = run_of(name, lineup, **parameters)
    for fast in fast_engines(run):
        assert fast.play(SEED, 0, 30) == Reference(run.game, run.calls).play(SEED, 0, 30), fast.name


@pytest.mark.slow_cases("line-bets")
@pytest.mark.parametrize("name", ["hazard", "lcr", "tossup", "line-bets"])
def test_chunks_do_not_matter(name: str) -> None:
    run = run_of(name)
    for engine in fast_engines(run):
        whole = engine.play(SEED, 0, 1000)
        parts = Tallied.empty(len(whole.counts), len(run.game.declared.tallies))
        edges = [0, 1, 2, 65, 66, 130, 447, 999, 1000]
        for low, high in pairwise(edges):
            parts.merge(engine.play(SEED, low, high))
        assert parts == whole, engine.name


@pytest.mark.slow_cases("hazard-caster-2", "lcr-2", "tossup-2")
@pytest.mark.parametrize(
    "threads", [2, pytest.param(1, marks=pytest.mark.slow), pytest.param(7, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("name", ["hazard-caster", "lcr", "tossup"])
def test_threads_do_not_matter(name: str, threads: int) -> None:
    run = run_of(name)
    for fast in fast_engines(run):
        total = Tallied.empty(max(1, len(outcome_names(run.game))), len(run.game.declared.tallies))
        in_chunks(fast, SEED, threads, 0, 400, total.merge)
        assert total == Reference(run.game, run.calls).play(SEED, 0, 400), fast.name


def test_the_change_of_engines_in_the_middle_does_not_matter() -> None:
    run = run_of("tossup")
    began_slowly = simulate(run.game, run.strategies, games=3000, seed=SEED)
    compiled = simulate(run.game, run.strategies, games=3000, seed=SEED, engine="compiled", threads=3)
    assert began_slowly.tallied == compiled.tallied
    assert compiled.engine == "compiled"


# What is rare in the table engine -------------------------------------------------------------------------------------


def both(game: Game) -> tuple[TableEngine, Compiled]:
    table = TableEngine(game, ())
    table.compile()
    return table, Compiled(game, ())


@pytest.mark.quick_cases("hazard")
@pytest.mark.parametrize("name", sorted(FEW_POSITIONS))
def test_games_that_are_left_to_the_reference_engine_are_counted_all_the_same(name: str) -> None:
    """Because they last long, or because a word is rejected: here very many, as if both were common."""
    run = run_of(name)
    expected = Reference(run.game, run.calls).play(SEED, 0, 3000)
    table, _ = both(run.game)
    table.blocks = 1
    assert table.play(SEED, 0, 3000) == expected
    table, _ = both(run.game)
    table.table = replace(table.table, rejected=2**28)
    assert table.play(SEED, 0, 3000) == expected


class Heavy(Game):
    """Dice of different weights, of which some words are rejected, until a black face ends it."""

    outcomes = ("grey", "black")

    die = Int(0, 1)
    last = Int(0, 1)
    score = Tally("points")
    debt = Tally("points below nothing")

    def next(self) -> int:
        if self.last == 1:
            return OVER
        if self.die == 1:
            return throw(self.light)
        return throw(self.heavy)

    @thrown(1, Die(grey=39_001, black=20_999), COUNTS)
    def heavy(self, grey: int, black: int) -> None:
        self.score += 700
        self.debt -= 21 * grey
        self.die = 1 - self.last
        self.last = black

    @thrown(2, Die(white=5, grey=7, black=1), COUNTS)
    def light(self, white: int, grey: int, black: int) -> None:
        self.score -= 1400 * white
        self.debt += 42
        self.die = grey % 2
        self.last = black // 2

    def outcome(self) -> int:
        return 1 - self.die


@pytest.mark.slow
def test_a_table_of_different_dice_with_words_that_are_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 300,000 games a handful meets a rejected word; values lie far outside what histograms hold."""
    table, compiled = both(Heavy())
    assert not table.table.pairs
    assert (table.counting.growing, table.counting.units) == ((0, 1), (700, 21))
    left: list[Engine] = []
    monkeypatch.setattr(table, "others", lambda: left.append(compiled) or compiled)
    assert table.play(SEED, 0, 300_000) == compiled.play(SEED, 0, 300_000)
    assert 0 < len(left) < 30


def test_the_first_game_of_the_next_page() -> None:
    table, compiled = both(Heavy())
    assert table.play(SEED, 2**32 - 700, 2**32 + 700) == compiled.play(SEED, 2**32 - 700, 2**32 + 700)


# What is rare in the memo engine --------------------------------------------------------------------------------------

GRAPHS = [("pig", ("hold_at",)), ("lcr", ()), ("tossup", ("bank_over_or_win",))]


def graph(name: str, lineup: tuple[str, ...]) -> tuple[MemoEngine, Tallied]:
    run = run_of(name, lineup)
    made = MemoEngine(run.game, run.calls)
    made.compile()
    return made, Compiled(run.game, run.calls).play(SEED, 0, 1200)


@pytest.mark.slow_cases("tossup-lineup2")
@pytest.mark.parametrize(("name", "lineup"), GRAPHS)
def test_words_that_might_be_rejected_are_drawn_once_more(name: str, lineup: tuple[str, ...]) -> None:
    """Here one word in sixteen is looked at again, as if it had been rejected; it is then found not to be.

    Outcomes are listed, where there are few; blocks of words in which none is doubtful and others follow each other.
    """
    made, expected = graph(name, lineup)
    assert (made.dice.listed.size > 0) == (name != "tossup")
    dice = made.dice.dice.copy()
    dice[1::5] = 2**28
    for doubtful in (2**28, 2**21, 0):
        made.dice = made.dice._replace(dice=dice, doubtful=np.uint64(doubtful))
        assert made.play(SEED, 0, 1200) == expected


@pytest.mark.slow_cases("tossup-lineup2")
@pytest.mark.parametrize(("name", "lineup"), GRAPHS)
def test_games_that_last_too_long_for_the_counts_are_played_otherwise(name: str, lineup: tuple[str, ...]) -> None:
    made, _ = graph(name, lineup)
    made.blocks = 3  # looked at every 64 rounds, which takes thousands of games of LCR
    assert made.play(SEED, 0, 6000) == Compiled(made.game, made.calls).play(SEED, 0, 6000)
    assert made.name == "compiled", "so many were left over that it gave up"


@pytest.mark.slow_cases("entries-tossup-lineup2", "states-tossup-lineup2")
@pytest.mark.parametrize(("name", "lineup"), GRAPHS)
@pytest.mark.parametrize(
    "room", [{"memo_states": 256}, {"memo_entries": 4096}, {"memo_changes": 2}], ids=["states", "entries", "changes"]
)
def test_where_there_is_no_room_for_more_positions_the_compiled_engine_goes_on(
    name: str, lineup: tuple[str, ...], room: dict[str, int], limits: SetLimits
) -> None:
    limits(**room)
    made, expected = graph(name, lineup)
    parts = Tallied.empty(len(expected.counts), made.tallies)
    for low, high in ((0, 3), (3, 700), (700, 1200)):
        parts.merge(made.play(SEED, low, high))
    assert parts == expected
    assert made.name == "compiled"


@pytest.mark.parametrize("players", [2, 3, 6])
def test_games_that_are_the_same_from_every_seat_need_a_state_for_the_player_to_move(players: int) -> None:
    made = MemoEngine(LCR(players=players), ())
    made.compile()
    assert made.play(SEED, 0, 3000) == Compiled(made.game, ()).play(SEED, 0, 3000)
    assert made.name == "memo"
    (memo,) = made._idle_tables
    assert made.turned
    assert memo.found[0] <= {2: 40, 3: 210, 6: 100_929}[players]
    assert not MemoEngine(GAMES["pig"](), run_of("pig").calls).turned, "strategies may differ from seat to seat"


class Uneven(LCR):
    """It is declared to be the same from every seat, and is not."""

    def pass_dice(self) -> None:
        self.player = right_of(self.player, self.players)
        while self.owners > 1 and self.holds[self.player] == 0:
            self.turns += 1 + (self.player == 0)
            self.player = right_of(self.player, self.players)


def test_a_game_that_is_not_the_same_from_every_seat_is_refused() -> None:
    with pytest.raises(NotSmall, match="is declared to be alike from every seat, and is not"):
        MemoEngine(Uneven(players=4), ())


@pytest.mark.slow_cases("12-False")
@pytest.mark.parametrize(("players", "suits"), [(5, True), (6, True), (7, False), (12, False)])
def test_the_memo_engine_suits_games_that_reach_the_same_states_again(players: int, suits: bool) -> None:
    with nullcontext() if suits else pytest.raises(NotSmall, match="most rolls lead to one that was not seen before"):
        MemoEngine(LCR(players=players), ()).must_suit()


def test_threads_number_positions_for_themselves() -> None:
    made, expected = graph("pig", ("hold_at",))
    total = Tallied.empty(len(expected.counts), made.tallies)
    in_chunks(made, SEED, 4, 0, 1200, total.merge)
    assert total == expected


class Trap(Game):
    """Some way in, a rule divides by nothing, or looks beyond the end of a row."""

    name = "trap"
    outcomes = ("out",)
    source = "made for the tests"

    beyond = Param(0, 0, 1, "look beyond the end of the row")

    row = Ints(3, 0, 9)
    at = Int(0, 5)
    steps = Tally("steps")

    def next(self) -> int:
        if self.row[0] >= 9:
            return OVER
        return throw(self.die)

    @thrown(1, D6)
    def die(self, face: int) -> None:
        self.steps += 1
        if face == 6:
            self.at += 1
        if face == 1:
            self.at = 0
        if self.at == 3:
            self.row[self.beyond * 3 + 2] += 1 // (self.beyond or self.at - 3)
        self.row[0] += face % 2

    def outcome(self) -> int:
        return 0


@pytest.mark.slow
@pytest.mark.parametrize("beyond", [0, 1])
def test_what_goes_wrong_on_the_way_is_said_by_every_engine(beyond: int) -> None:
    run = Run.of(Trap, beyond=beyond)
    slow = Reference(run.game, run.calls)
    wrong = next(index for index in range(2000) if not isinstance(what_happens_in(slow, index), Tallied))
    for fast in fast_engines(run):
        assert what_happens_in(fast, wrong) == what_happens_in(slow, wrong), fast.name
        with pytest.raises(PlayError, match=f"seed {SEED}, game {wrong}$"):
            fast.play(SEED, 0, wrong + 5)


def what_happens_in(engine: Engine, index: int) -> Tallied | str:
    try:
        return engine.play(SEED, index, index + 1)
    except PlayError as error:
        return str(error)


# Games that a reader found to be played wrongly, slowly or not at all -------------------------------------------------


class Asker(Game):
    """It counts when it is over, and turns are small beside the score."""

    outcomes = ("over",)

    score = Int(0, 100_000)
    points = Int(0, 30)
    asks = Tally("throws and the last score, weighed")

    def next(self) -> int:
        if self.score >= 200:
            return OVER
        return throw(self.die)

    @thrown(1, D6)
    def die(self, face: int) -> None:
        self.asks += self.points + 1
        if face == 1:
            self.points = 0
        elif self.points + face > 20:
            self.score += self.points + face
            self.points = 0
        else:
            self.points += face

    def outcome(self) -> int:
        self.asks += 10 * self.score
        return 0


class Reader(Game):
    """It reads what is only counted."""

    outcomes = ("short", "long")

    stop = Int(0, 1)
    throws = Tally("throws")

    def next(self) -> int:
        return OVER if self.stop == 1 else throw(self.die)

    @thrown(1, D6)
    def die(self, face: int) -> None:
        self.throws += 1
        self.stop = 1 if face == 6 else 0

    def outcome(self) -> int:
        return 0 if self.throws < 4 else 1


class Ruin(Game):
    """A walk that lasts thousands of throws."""

    outcomes = ("won", "lost")

    money = Int(0, 60, start=30)
    throws = Tally("throws")
    wins = Tally("throws won")
    losses = Tally("throws lost")

    def next(self) -> int:
        if self.money == 0 or self.money == 60:
            return OVER
        return throw(self.coin)

    @thrown(1, Die(tail=1, head=1), COUNTS)
    def coin(self, tail: int, head: int) -> None:
        self.throws += 1
        self.wins += head
        self.losses += tail
        self.money += head - tail

    def outcome(self) -> int:
        return 0 if self.money == 60 else 1


@pytest.mark.slow
@pytest.mark.parametrize("game", [Asker, Ruin])
def test_counting_at_the_end_and_long_games(game: type[Game]) -> None:
    run = Run.of(game)
    expected = Reference(run.game, run.calls).play(SEED, 0, 600)
    for fast in fast_engines(run):
        assert fast.play(SEED, 0, 600) == expected, fast.name


def test_rules_that_read_a_tally_are_refused() -> None:
    for engine in ("auto", "reference", "table", "memo"):
        with pytest.raises(RulesError, match=r"the tally throws is read; a tally is only counted"):
            dicelab.simulate(Reader, games=300, seed=1, engine=engine)
    with pytest.raises(RulesError, match=r"the tally throws is read; a tally is only counted"):
        dicelab.exact(Reader)


@pytest.mark.slow
def test_more_tallies_than_a_place_has_bits_for(tmp_path: Path) -> None:
    lines = ["from dicelab.rules import D6, OVER, Game, Int, Tally, throw, thrown", "class Many(Game):"]
    lines += ["    outcomes = ('over',)", "    sixes = Int(0, 3)"]
    lines += [f"    t{i} = Tally('one of many')" for i in range(30)]
    lines += ["    def next(self): return OVER if self.sixes == 3 else throw(self.die)", "    @thrown(1, D6)"]
    lines += ["    def die(self, face):", "        if face == 6: self.sixes += 1"]
    lines += [f"        self.t{i} += face" for i in range(30)]
    lines += ["    def outcome(self): return 0"]
    (tmp_path / "many.py").write_text("\n".join(lines))
    run = Run.of(str(tmp_path / "many.py"))
    assert [engine.name for engine in fast_engines(run)] == ["compiled"]
    for fast in fast_engines(run):
        assert fast.play(SEED, 0, 50) == Reference(run.game, run.calls).play(SEED, 0, 50)


class Before(Game):
    """It is over before anything is thrown, with a large field."""

    outcomes = ("over",)

    score = Int(0, 100_000)
    small = Int(0, 3)
    throws = Tally("throws")

    def next(self) -> int:
        return OVER if self.small == 0 else throw(self.die)

    @thrown(1, D6)
    def die(self, face: int) -> None:
        self.throws += 1

    def outcome(self) -> int:
        return 0


@pytest.mark.slow
def test_a_game_that_is_over_at_once() -> None:
    run = Run.of(Before)
    MemoEngine(run.game, run.calls).must_suit()
    for fast in fast_engines(run):
        assert fast.play(SEED, 0, 10).counts == [10], fast.name


class Unseen(Game):
    """Turns begin at positions that no sample has seen."""

    outcomes = ("over",)

    total = Int(0, 100_000)
    place = Int(0, 999)
    steps = Int(0, 5)
    throws = Tally("throws")

    def next(self) -> int:
        return OVER if self.total >= 60_000 else throw(self.die)

    @thrown(3, D6, FACES)
    def die(self, a: int, b: int, c: int) -> None:
        self.throws += 1
        self.steps += 1
        if self.steps == 5:
            self.steps = 0
            self.place = (self.place * 31 + a * 36 + b * 6 + c + self.total) % 1000
            self.total += 500 + self.place

    def outcome(self) -> int:
        return 0


@pytest.mark.slow
def test_turns_that_begin_where_none_has_begun_before() -> None:
    run = Run.of(Unseen)
    expected = Compiled(run.game, run.calls).play(SEED, 0, 2000)
    for fast in fast_engines(run):
        assert fast.play(SEED, 0, 1000).games == 1000
        parts = fast.play(SEED, 0, 600)
        parts.merge(fast.play(SEED, 600, 2000))
        assert parts == expected, fast.name


class Marked(Game):
    """Its names are those of what a kernel is made of."""

    outcomes = ("slot.next", "{next}")

    slot = Int(0, 9)
    FULL_HOUSE = Int(0, 9)
    DONE = Tally("slot.count")

    def next(self) -> int:
        return OVER if self.slot >= 6 else throw(self.die)

    @thrown(1, D6)
    def die(self, face: int) -> None:
        self.DONE += 1
        self.FULL_HOUSE = face
        self.slot = face

    def outcome(self) -> int:
        return self.DONE_or_not()

    def DONE_or_not(self) -> int:
        return 1 if self.FULL_HOUSE > 6 else 0


@pytest.mark.slow
def test_names_in_rules_are_not_taken_for_slots_of_a_template() -> None:
    run = Run.of(Marked)
    for fast in fast_engines(run):
        assert fast.play(SEED, 0, 50) == Reference(run.game, run.calls).play(SEED, 0, 50), fast.name
