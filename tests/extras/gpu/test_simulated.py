"""The engine `cuda` in Numba's simulator of a GPU plays the games of the reference engine, bit for bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from numba import config

import dicelab
from dicelab.errors import DicelabError, NotSmall, ParameterError, PlayError
from dicelab.extras.gpu import engine as cuda
from dicelab.extras.gpu.engine import CudaRules, CudaTable
from dicelab.extras.gpu.engine import made as made_for
from dicelab.rules.loading.registry import find_in_file
from dicelab.runtime.interpreter import LIMIT, Reference
from dicelab.runtime.lineup import Run
from dicelab.runtime.outcome_tables import Tables, tables
from dicelab.runtime.scheduler import Tallied
from dicelab.translation.translator import NotTranslatable
from extras.gpu.random_games import random_run
from support import CASE_IDS, CASES, LONG_LISTS, NATURAL, ROOT, run_of
from support import GAMES as GAMES_FOUND

pytestmark = [
    pytest.mark.skipif(
        not (config.ENABLE_CUDASIM and config.DISABLE_JIT), reason="needs NUMBA_ENABLE_CUDASIM=1 NUMBA_DISABLE_JIT=1"
    ),
    pytest.mark.filterwarnings("ignore:overflow encountered"),  # places are numbers modulo 2**64
]
GAMES = 60
BOTH = pytest.mark.parametrize("kind", [CudaTable, CudaRules])


def must_be_the_same(engine: Any, run: Any, low: int = 0, games: int = GAMES, seed: int = 7) -> None:
    engine.compile()
    found = engine.play(seed, low, low + games)
    expected = Reference(run.game, run.calls, LIMIT, False).play(seed, low, low + games)
    assert (found.counts, found.histograms) == (expected.counts, expected.histograms)


def made(kind: Any, name: str, lineup: tuple[str, ...] = (), **parameters: object) -> tuple[Any, Run]:
    run = run_of(name, lineup, **parameters)
    return kind(run.game, run.calls), run


def small(name: str, lineup: tuple[str, ...]) -> bool:
    try:
        made(CudaTable, name, lineup)
    except DicelabError:
        return False
    return True


@pytest.mark.parametrize(("name", "lineup"), CASES, ids=CASE_IDS)
def test_a_table_plays_the_games_of_the_reference_engine(name: str, lineup: tuple[str, ...]) -> None:
    if not small(name, lineup):
        pytest.skip("it has too many states")
    must_be_the_same(*made(CudaTable, name, lineup))


@pytest.mark.parametrize(("name", "lineup"), CASES, ids=CASE_IDS)
def test_rules_play_the_games_of_the_reference_engine(name: str, lineup: tuple[str, ...]) -> None:
    engine, run = made(CudaRules, name, lineup)
    must_be_the_same(engine, run, games=20)
    assert engine._others is None, "no game was left to the compiled engine"


def test_lists_that_take_too_much_memory_are_refused() -> None:
    run = Run.of(find_in_file(ROOT / f"tests/games/natural/{LONG_LISTS}.py"))
    with pytest.raises(
        NotSmall, match="the lists that its rules make take more than 65,536 bytes of a thread's memory"
    ):
        CudaRules(run.game, run.calls)


@pytest.mark.parametrize("file", [file for file in NATURAL if file.stem != LONG_LISTS], ids=lambda file: file.stem)
def test_rules_that_make_lists_play_the_games_of_the_reference_engine(file: Path) -> None:
    run = Run.of(find_in_file(file))
    engine = CudaRules(run.game, run.calls)
    must_be_the_same(engine, run, games=8)
    assert engine._others is None, "no game was left to the compiled engine"


@pytest.mark.parametrize("first", range(0, 100, 25))
def test_random_games_are_those_of_the_reference_engine(first: int, tmp_path: Path) -> None:
    played = 0
    for number in range(first, first + 25):
        run = random_run(number, tmp_path / str(number))
        if run is None:
            continue
        try:
            engine = CudaRules(run.game, run.calls)
            expected = Reference(run.game, run.calls).play(number, 0, 8)
        except (NotSmall, NotTranslatable, PlayError):  # can't be played there, or goes wrong
            continue
        engine.compile()
        found = engine.play(number, 0, 8)
        assert (found.counts, found.histograms) == (expected.counts, expected.histograms), number
        played += 1
    assert played > 5


@pytest.mark.parametrize("players", [6, 12])
def test_more_players(players: int) -> None:
    must_be_the_same(*made(CudaRules, "lcr", players=players), games=8)


def test_dice_that_are_drawn_one_at_a_time() -> None:
    engine, run = made(CudaRules, "many-dice", dice=30)
    assert engine.dice.apart[:, 0].any()
    must_be_the_same(engine, run, games=20)


def test_several_games_are_small_enough() -> None:
    assert {"hazard", "pass-line"} <= {name for name, lineup in CASES if small(name, lineup)}


@BOTH
@pytest.mark.parametrize("low", [2**32 - 30, 2**40 + 5])
def test_indices_of_more_than_32_bits(kind: Any, low: int) -> None:
    must_be_the_same(*made(kind, "hazard"), low)


@pytest.mark.parametrize("sizes", [{"shared": 10}, {"counters": 2}])
def test_tables_and_tallies_that_do_not_fit_into_shared_memory(sizes: dict[str, int]) -> None:
    engine, run = made(CudaTable, "hazard")
    engine.shape = engine.shape._replace(**sizes)
    must_be_the_same(engine, run)


@pytest.mark.parametrize("slow", [CudaTable.slow, 2])
def test_tallies_that_are_not_counted_are_left_to_the_compiled_engine(slow: int) -> None:
    engine, run = made(CudaTable, "hazard")
    engine.shape, engine.slow = engine.shape._replace(values=1024 + 4), slow  # values up to 3
    must_be_the_same(engine, run)


@pytest.mark.parametrize("spill", [CudaRules.spill, 4])  # too few rows: the games are played in smaller portions
def test_tallies_outside_the_histogram_are_listed(spill: int) -> None:
    engine, run = made(CudaRules, "lcr")
    engine.bins, engine.spill = 1024 + 30, spill  # values up to 29
    must_be_the_same(engine, run)


def test_rejected_words_are_left_to_the_compiled_engine() -> None:
    engine, run = made(CudaTable, "hazard")
    engine.entries[1:-1:38] = 2**31  # every second word
    engine.shape = engine.shape._replace(weight=0)  # thresholds are read from the table
    must_be_the_same(engine, run)


def test_rejected_words_are_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def rejecting(game: Any) -> Tables:
        made = tables(game)
        made.pools[1::4] = 2**31  # every second word is looked at again, and found to be good
        return made

    monkeypatch.setattr(cuda, "tables", rejecting)
    for name, lineup in (("hazard", ()), ("tossup", ("bank_over",))):
        must_be_the_same(*made(CudaRules, name, lineup), games=20)


@BOTH
def test_long_games_are_left_to_the_compiled_engine(kind: Any) -> None:
    engine, run = made(kind, "hazard")
    engine.blocks = 1
    engine.limit = 4 if kind is CudaRules else LIMIT
    engine.others().limit = LIMIT  # type: ignore[attr-defined]
    must_be_the_same(engine, run)


def test_a_table_that_leaves_too_many_games_over_is_followed_by_rules() -> None:
    engine, run = made(CudaTable, "everyday", ("even",))  # its points are beyond the values that are counted
    must_be_the_same(engine, run, games=600)
    assert (engine.name, engine.how) == ("cuda", CudaRules.how)


def test_policies_are_looked_up(tmp_path: Path) -> None:
    pig = GAMES_FOUND["pig"]
    dicelab.solve(pig(target=20)).policy.save(tmp_path / "best.npz")
    run = Run.of(pig, [f"policy:{tmp_path / 'best.npz'}", "hold_at:5"], target=20)
    engine = CudaRules(run.game, run.calls)
    must_be_the_same(engine, run, games=20)
    assert engine._others is None


MIXING = """
from dicelab.rules import OVER, Game, Int, Param, Tally, ask, chosen, d, mixture, strategy, throw, thrown

class Mixing(Game):
    name = "mixing"
    seats = 2
    outcomes = ("low", "high")
    turn = Int(0, 6, "choices so far")
    last = Int(0, 6, "the roll; 0: none")
    kept = Tally("sum of what was kept")
    total = Int(0, 36, "the same")

    def next(self):
        if self.turn == 6:
            return OVER
        return ask(self.keep, self.turn % 2) if self.last else throw(self.die)

    @thrown(1, d(6))
    def die(self, face):
        self.last = face

    @chosen((0, 1))
    def keep(self, yes):
        self.total += yes * self.last
        self.kept += yes * self.last
        self.last = 0
        self.turn += 1

    def outcome(self):
        return 1 if self.total > 10 else 0

@strategy(Mixing, percent=Param(30, 0, 100, "of keeping"))
def wavering(game, percent):
    return mixture((1, percent), (0, 100 - percent)) if game.last < 6 else 1

@strategy(Mixing)
def never(game):
    return 0

@strategy(Mixing)
def as_wavering(game):
    return wavering(game, 50) if game.turn else 1
"""


@pytest.mark.parametrize("line_up", [("wavering:40", "as_wavering"), ("never", "wavering:70")])
@pytest.mark.parametrize("seed", [1, 9])
def test_mixtures_are_drawn(line_up: tuple[str, ...], seed: int, tmp_path: Path) -> None:
    (tmp_path / "mixing.py").write_text(MIXING)
    run = Run.of(find_in_file(tmp_path / "mixing.py"), line_up)
    engine = made_for(run)
    assert engine.how.startswith("plays by the translated rules: ")
    must_be_the_same(engine, run, games=100, seed=seed)
    assert engine._others is None, "no game was left to the compiled engine"


@pytest.mark.parametrize(
    ("name", "parameters"), [("liars-dice", {"dice": 1, "faces": 3}), ("mia", {"faces": 2, "lives": 2})]
)
@pytest.mark.parametrize("seed", [1, 9])
def test_saved_mixtures_are_drawn(name: str, parameters: dict[str, object], seed: int, tmp_path: Path) -> None:
    game = dicelab.find(name)(**parameters)
    dicelab.equilibrium(game, gap=0.01).policy.save(tmp_path / "mixed.npz")
    run = Run.of(game, [f"policy:{tmp_path / 'mixed.npz'}"])
    engine = made_for(run)
    must_be_the_same(engine, run, games=60, seed=seed)
    assert engine._others is None


WRONG = """
from dicelab.rules import D6, OVER, Game, Int, Tally, throw, thrown

class Wrong(Game):
    name = "wrong"
    last = Int(0, 6, "the last number")
    throws = Tally("rolls")

    def next(self):
        return OVER if self.last > 4 else throw(self.die)

    @thrown(1, D6)
    def die(self, face):
        self.throws += 1
        self.last = face
        CODE
"""


@pytest.mark.parametrize(
    "code",
    [
        "self.throws += 12 // (face - 2)",
        "self.throws += 12 % (face - 2)",
        "q, r = divmod(12, face - 2); self.throws += q + r",
        "self.throws += 2**62 * (1 + (face == 2)) // 2**62",
        "self.last = face + 7 * (face == 2)",
        "while self.last == 2: self.throws += 1",
    ],
)
def test_what_goes_wrong_is_left_to_the_compiled_engine(code: str, tmp_path: Path) -> None:
    def run_with(line: str) -> Run:
        (tmp_path / "wrong.py").write_text(WRONG.replace("CODE", line))
        return Run.of(str(tmp_path / "wrong.py"))

    plain = run_with(
        "self.last = face + 7 * (face == 2)"
    )  # every line is wrong, or needs more than 64 bits, when the die shows a 2
    reference = Reference(plain.game, plain.calls, LIMIT, False)
    wrong = [game for game in range(GAMES) if fails(reference, game)]
    assert 5 < len(wrong) < GAMES - 5
    run = run_with(code)
    engine = CudaRules(run.game, run.calls)
    engine.text = engine.text.replace("10000000", "100")  # iterations of a loop
    engine.compile()
    found = engine._play(7, 0, GAMES, Tallied.empty(1, 1))
    assert found is not None
    assert sorted(found) == wrong


def fails(engine: Any, game: int) -> bool:
    try:
        engine.play(7, game, game + 1)
    except PlayError:
        return True
    return False


def test_a_simulation_says_that_it_played_there() -> None:
    for name in ("hazard", "lcr"):
        found = dicelab.simulate(name, games=300, seed=1, engine="cuda", threads=2, explain=True)
        expected = dicelab.simulate(name, games=300, seed=1, engine="reference")
        assert (found.engine, found.outcomes) == ("cuda", expected.outcomes)
        assert found.tallied.histograms == expected.tallied.histograms
        assert (
            found.engines["cuda"]
            == {
                "hazard": "plays, following a lookup table",
                "lcr": "plays by the translated rules: it has more than 256 states",
            }[name]
        )


def test_what_it_can_not_play() -> None:
    with pytest.raises(NotSmall):
        CudaTable(run_of("lcr").game, ())
    with pytest.raises(ParameterError, match="engine: cuda can't keep a record of every game"):
        dicelab.simulate("hazard", games=10, engine="cuda", records=True)
