"""A store never changes an answer; it keeps every game once; it leaves alone what it can't read."""

from __future__ import annotations

import importlib
import itertools
import os
import random
import sqlite3
import subprocess
import sys
import threading
import time
import warnings
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dicelab
from dicelab.errors import StoreError
from dicelab.results.base import BaseResult
from dicelab.results.store.answers import Checkpoint
from dicelab.results.store.database import APPLICATION, Database, Lease, StoreWarning
from dicelab.results.store.encoding import StoredQuestion, from_bytes, to_bytes
from dicelab.results.store.games import KeptGames, Segment
from dicelab.rules.game import Game, Strategy
from dicelab.runtime.interrupts import Stopped
from dicelab.runtime.lineup import Call, Run, looks
from dicelab.runtime.scheduler import Tallied
from support import ROOT, SetLimits, forbid_computing

TIMES = {"seconds", "engine", "threads", "note"}


def plain(result: BaseResult) -> Any:
    """A result as plain data, without how long it took and how it was played."""

    def without(data: Any) -> Any:
        if isinstance(data, dict):
            return {key: without(value) for key, value in data.items() if key not in TIMES}
        return [without(value) for value in data] if isinstance(data, list) else data

    return without(result.to_dict())


@pytest.fixture
def store(tmp_path: Path) -> str:
    return str(tmp_path / "runs.db")


def segments(store: str) -> list[tuple[int, int, int]]:
    sql = sqlite3.connect(store)
    rows = sql.execute("SELECT run, low, high FROM totals ORDER BY run, low").fetchall()
    sql.close()
    return rows


# Games ----------------------------------------------------------------------------------------------------------------

LCR: dict[str, Any] = {"players": 3, "seed": 5}


def same_with(store: str, **asked: Any) -> dicelab.Simulation:
    found, expected = dicelab.simulate("lcr", store=store, **LCR, **asked), dicelab.simulate("lcr", **LCR, **asked)
    assert plain(found) == plain(expected)
    assert found.given("turns") == expected.given("turns")
    assert [row.interval for row in found.tallies.values()] == [row.interval for row in expected.tallies.values()]
    return found


@pytest.mark.slow
def test_any_series_of_questions_is_answered_as_without_a_store(store: str) -> None:
    chance = random.Random(1)
    for _ in range(15):
        if chance.random() < 0.4:
            same_with(store, precision=chance.choice([0.1, 0.03, 0.02, 0.012]))
        else:
            same_with(store, games=int(10 ** chance.uniform(0, 4.3)), engine=chance.choice(["auto", "compiled"]))
        rows = segments(store)
        assert all(one[2] == other[1] for one, other in itertools.pairwise(rows)), "no gap, no overlap"
        assert rows[0][1] == 0
        stops = [look for look, _ in zip(looks(), range(20), strict=False)]
        assert not any(low < look < high for _, low, high in rows for look in stops), "no segment crosses a look"


def test_more_games_play_only_those_that_are_missing(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from dicelab.engines.player import Player

    played: list[tuple[int, int]] = []
    real = Player.play

    def play(self: Player, low: int, high: int, *more: Any) -> None:
        played.append((low, high))
        real(self, low, high, *more)

    monkeypatch.setattr(Player, "play", play)
    for games, missing in ((2000, [(0, 2000)]), (2000, []), (3000, [(2000, 3000)]), (2500, [(2440, 2500)]), (2500, [])):
        dicelab.simulate("lcr", store=store, games=games, **LCR)
        assert played == missing
        played.clear()


def test_every_game_can_be_kept_as_well(store: str) -> None:
    for games in (500, 1500, 1200, 1200):
        found = dicelab.simulate("lcr", store=store, games=games, records=True, **LCR)
        expected = dicelab.simulate("lcr", games=games, records=True, **LCR)
        assert np.array_equal(found.records, expected.records)
        assert plain(found) == plain(expected)


def test_without_a_seed_the_latest_run_goes_on(store: str) -> None:
    first = dicelab.simulate("lcr", games=100, store=store)
    assert dicelab.simulate("lcr", games=200, store=store).seed == first.seed
    assert dicelab.simulate("lcr", games=200, players=3, store=store).seed != first.seed


def test_a_division_gives_back_what_was_merged() -> None:
    first = Segment(0, 2, Tallied([1, 1], [[Counter({4: 1})], [Counter({5: 1})]]))
    whole = Segment(0, 2, Tallied([1, 1], [[Counter({4: 1})], [Counter({5: 1})]]))
    whole.add(Tallied([0, 2], [[Counter()], [Counter({5: 1, 7: 1})]]))
    rest = whole.after(first)
    assert (rest.low, rest.high) == (2, 4)
    assert (rest.total.counts, rest.total.histograms) == ([0, 2], [[Counter()], [Counter({5: 1, 7: 1})]])
    with pytest.raises(ValueError, match="not those that were stored"):
        first.after(Segment(0, 1, Tallied([0, 1], [[Counter()], [Counter({9: 1})]])))


def test_what_can_change_games_is_another_question(store: str, tmp_path: Path) -> None:
    rules = (ROOT / "examples" / "pig.py").read_text()
    for name, text in (("a", rules), ("b", rules.replace("20", "21"))):
        (tmp_path / name).mkdir()
        (tmp_path / name / "pig.py").write_text(text)
    asked: list[dict[str, Any]] = [{"seed": 1}, {"seed": 2}, {"seed": 1, "target": 50}, {"seed": 1, "limit": 10_000}]
    asked += [{"seed": 1, "strategies": "hold_at:19"}, {"seed": 1, "strategies": "hold_at:18"}]
    for k, settings in enumerate(asked, 1):
        dicelab.simulate(tmp_path / "a" / "pig.py", games=10, store=store, **settings)
        assert len(dicelab.Store(store).list().rows) == k
    dicelab.simulate(tmp_path / "b" / "pig.py", games=10, store=store, seed=1)
    assert len(dicelab.Store(store).list().rows) == len(asked) + 1
    dicelab.simulate(tmp_path / "a" / "pig.py", games=10, store=store, seed=1, threads=1, engine="reference")
    assert len(dicelab.Store(store).list().rows) == len(asked) + 1


READS = """
from pathlib import Path

from dicelab.rules import D6, OVER, Die, Flag, Game, Tally, throw, thrown

HERE = str(Path(__file__).parent)


def read():
    return tuple(int(part) for part in (Path(HERE) / "pays.txt").read_text().split())


PAYS = read()
DIE = Die.of(*read())


class Reads(Game):
    outcomes = ()
    TABLE = tuple(int(part) for part in Path(HERE, "pays.txt").read_text().split())
    done = Flag()
    won = Tally("won")

    def next(self):
        return OVER if self.done else throw(self.roll)

    @thrown(1, D6)
    def roll(self, face):
        self.done = True
        self.won += face
"""


@pytest.mark.slow_cases("a die")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("+= face", "+= PAYS[face - 1]"),
        ("+= face", "+= self.TABLE[face - 1]"),
        ("thrown(1, D6)", "thrown(1, DIE)"),
        ("thrown(1, D6)", "thrown(1, Die.of(*read()))"),
    ],
    ids=["a constant of the file", "a constant of the class", "a die", "a die where it is rolled"],
)
def test_rules_with_other_data_are_other_rules(store: str, tmp_path: Path, old: str, new: str) -> None:
    answers = []
    for name, pays in (("one", "1 2 3 4 5 6"), ("other", "1 2 3 4 5 60"), ("same", "1 2 3 4 5 6")):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "pays.txt").write_text(pays)
        (folder / "reads.py").write_text(READS.replace(old, new))
        answers.append(dicelab.exact(str(folder / "reads.py"), store=store))
    assert [answer.tallies["won"].mean for answer in answers] == [3.5, 12.5, 3.5]
    assert answers[0].source_hash == answers[2].source_hash != answers[1].source_hash
    assert len(dicelab.Store(store).list().rows) == 2


def test_constants_that_another_module_sets_are_other_rules(
    store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, _, reads = READS.partition("class Reads")
    reads = reads.replace("    TABLE =", "    TIMES = 1  #").replace("face\n", "face * PAYS * self.TIMES\n")
    text = f"from dicelab.rules import D6, OVER, Flag, Game, Tally, throw, thrown\n\nPAYS = 2\n\n\nclass Reads{reads}"
    (tmp_path / "dicelab_test_sets.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    rules = importlib.import_module("dicelab_test_sets")

    def mean() -> float:
        return dicelab.exact(rules.Reads, store=store).tallies["won"].mean

    assert mean() == 7
    with monkeypatch.context() as patch:
        patch.setattr(rules, "PAYS", 20)
        assert mean() == 70
    with monkeypatch.context() as patch:
        patch.setattr(rules.Reads, "TIMES", 5)
        assert mean() == 35
    assert mean() == 7
    assert len(dicelab.Store(store).list().rows) == 3


@pytest.mark.slow
def test_rules_with_another_version_of_another_package_are_other_rules(tmp_path: Path) -> None:
    file, package = tmp_path / "rules" / "uses.py", tmp_path / "packages" / "dicelab_test_pays" / "__init__.py"
    for path, text in (
        (file, "from dicelab_test_pays import pays\n" + READS.replace("+= face", "+= pays(face)")),
        (file.parent / "pays.txt", "1"),
        (package, "from dicelab_test_pays.amounts import of\n\n\ndef pays(face):\n    return of(face)\n"),
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    ask = "import sys, dicelab; found = dicelab.exact(sys.argv[1]); print(found.tallies['won'].mean, found.source_hash)"
    answers = []
    for times in (1, 10, 1):
        package.with_name("amounts.py").write_text(f"def of(face):\n    return {times} * face\n")
        environment = {**os.environ, "PYTHONPATH": str(tmp_path / "packages"), "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-c", ask, str(file)]
        answers.append(subprocess.run(command, capture_output=True, text=True, env=environment, check=True).stdout)
    assert [answer.split()[0] for answer in answers] == ["3.5", "35.0", "3.5"]
    assert answers[0] == answers[2]
    assert answers[0].split()[1] != answers[1].split()[1]


def test_a_strategy_that_no_hash_covers_is_refused() -> None:
    outside = 0

    def mine(game: Game) -> int:
        return outside

    game = Run.of("tossup").game
    calls = (Call(Strategy("mine", mine, type(game)), ()),) * 2
    with pytest.raises(StoreError, match="mine can't be stored: write it in a file"):
        StoredQuestion.of_games(Run(game, calls), 1)


def test_a_policy_is_known_by_its_moves(store: str, tmp_path: Path) -> None:
    for target, name in ((10, "a.npz"), (10, "b.npz")):
        dicelab.solve("tossup", target=target).policy.save(tmp_path / name)  # type: ignore[union-attr]
    for name in ("a.npz", "b.npz"):
        dicelab.simulate("tossup", f"policy:{tmp_path / name}", target=10, games=10, seed=1, store=store)
    assert len(dicelab.Store(store).list().rows) == 1


# Finished answers -----------------------------------------------------------------------------------------------------

QUESTIONS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("exact", ("lcr",), {"players": 3}),
    ("exact", ("hazard",), {"main": 5, "fractions": False}),
    ("exact", ("lcr",), {"players": 3, "given": "turns"}),
    ("solve", ("tossup",), {"target": 8}),
    ("solve", ("tossup", "bank_over:5"), {"target": 8, "seat": 1}),
    ("compare", ("tossup", ["one_roll", "bank_over:5"]), {"games": 300, "seed": 1, "target": 20}),
    ("compare", ("tossup", ["one_roll", "bank_over:5"]), {"exact": True, "target": 8}),
    ("sweep", ("hazard",), {"over": {"main": range(5, 8)}, "games": 300, "seed": 1}),
    ("sweep", ("hazard",), {"over": {"main": range(5, 8)}, "exact": True}),
    ("edges", ("pass-line",), {"check": 200, "seed": 1}),
    ("session", ("craps", "line"), {"until_rounds": 3, "games": 200, "seed": 1}),
    ("learn", ("tossup", "bank_over:20"), {"target": 6, "games": 200, "seed": 1}),
]


@pytest.mark.slow_cases(
    "compare-('tossup', ['one_roll', 'bank_over:5'])-{'exact': True, 'target': 8}",
    "compare-('tossup', ['one_roll', 'bank_over:5'])-{'games': 300, 'seed': 1, 'target': 2...",
    "learn-('tossup', 'bank_over:20')-{'target': 6, 'games': 200, 'seed': 1}",
    "session-('craps', 'line')-{'until_rounds': 3, 'games': 200, 'seed'",
)
@pytest.mark.parametrize(("call", "given", "settings"), QUESTIONS, ids=lambda part: str(part)[:40])
def test_an_answer_is_computed_once_and_stays_the_same(
    call: str, given: tuple[Any, ...], settings: dict[str, Any], store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = getattr(dicelab, call)
    expected = ask(*given, **settings)
    assert plain(ask(*given, store=store, **settings)) == plain(expected)

    forbid_computing(monkeypatch)
    again = ask(*given, store=store, **settings)
    assert plain(again) == plain(expected)
    policy = getattr(expected, "policy", None)
    if policy is not None:
        for name in ("keys", "row", "moves", "worth", "best"):
            assert np.array_equal(getattr(again.policy, name), getattr(policy, name))
        assert again.policy.about == policy.about


def test_an_interrupted_sweep_goes_on_where_it_was(store: str) -> None:
    def progress(done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    settings: dict[str, Any] = {"over": {"main": range(5, 10)}, "games": 300, "seed": 1, "store": store}
    assert dicelab.sweep("hazard", progress=progress, **settings).interrupted
    assert len(dicelab.Store(store).list().rows) == 2
    found = dicelab.sweep("hazard", **settings)
    assert plain(found) == plain(dicelab.sweep("hazard", **{**settings, "store": None}))


def test_what_is_interrupted_is_not_a_finished_answer(store: str) -> None:
    def progress(found: int, expanded: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        dicelab.exact("lcr", players=3, store=store, progress=progress)
    assert dicelab.Store(store).list().rows == []


@pytest.mark.slow
def test_learning_goes_on_from_its_checkpoint(store: str, limits: SetLimits) -> None:
    settings: dict[str, Any] = {"target": 6, "seed": 1, "points": 3}
    limits(checkpoint_seconds=0.0, checkpoint_share=0)

    def progress(played: int, games: int) -> None:
        if played == 150:
            raise Stopped

    with pytest.raises(KeyboardInterrupt):  # as kill -9 would end it: nothing is written at the end
        dicelab.learn("tossup", "bank_over:20", games=400, store=store, progress=progress, **settings)
    begun: list[int] = []
    found = dicelab.learn(
        "tossup", "bank_over:20", games=400, store=store, progress=lambda n, _: begun.append(n), **settings
    )
    assert 100 < begun[0] <= 151, "what was learned was not lost"
    expected = dicelab.learn("tossup", "bank_over:20", games=400, **settings)
    assert plain(found) == plain(expected)
    begun.clear()
    more = dicelab.learn(
        "tossup", "bank_over:20", games=600, store=store, progress=lambda n, _: begun.append(n), **settings
    )
    assert begun[0] == 401
    longer = dicelab.learn("tossup", "bank_over:20", games=600, **settings)
    assert more.points[-1] == longer.points[-1]
    assert np.array_equal(more.policy.worth, longer.policy.worth)
    assert plain(dicelab.learn("tossup", "bank_over:20", games=300, store=store, **settings)) == plain(
        dicelab.learn("tossup", "bank_over:20", games=300, **settings)
    )


# Bytes ----------------------------------------------------------------------------------------------------------------


def test_bytes_are_read_as_they_were_written() -> None:
    value = [(1, None), {"a": Fraction(-1, 10**5000), 3: 0.1}, Counter({-2: 5}), float("inf"), True, "ü"]
    assert from_bytes(to_bytes(value)) == value
    array = np.arange(6, dtype=np.int32).reshape(2, 3)
    assert np.array_equal(from_bytes(to_bytes(array)), array)


def test_bytes_run_no_code() -> None:
    import json
    import zlib

    for kind in ("os:system", "dicelab.results.store.database:Database", "dicelab.interface.cli.main:main"):
        text = json.dumps({"": kind, "of": {"path": "x"}}).encode()
        with pytest.raises(Exception, match=r"not a class of results|can't be unpacked"):
            from_bytes(zlib.compress(len(text).to_bytes(8, "little") + text))
    with pytest.raises(TypeError, match="can't be stored"):
        to_bytes(object())


# One process at a time ------------------------------------------------------------------------------------------------


def asked(seed: int = 5, **settings: Any) -> StoredQuestion:
    return StoredQuestion.of_games(Run.of("lcr", players=3), seed, limit=1_000_000, records=False, **settings)


def test_a_lease_is_held_by_one_process(store: str) -> None:
    with Database(store) as database:
        one, other = Lease(database, asked()), Lease(database, asked())
        assert one.take()
        assert not other.take()
        other.run = one.run
        with pytest.raises(StoreError, match="another process has taken over"), other.change(0):
            pass
        with database.change() as execute:
            execute("UPDATE run SET until = ?", time.time() - 1)
        assert other.take(), "it had expired"
        other.release()


def test_the_lease_of_a_process_that_is_gone_is_free(store: str) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    with Database(store) as database:
        one, other = Lease(database, asked()), Lease(database, asked())
        one.writer = one.writer.replace(str(os.getpid()), str(gone.pid))
        assert one.take()
        assert other.take()
        other.release()


def test_a_clock_that_was_put_back_lets_one_process_write(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with Database(store) as database:
        one, other = Lease(database, asked()), Lease(database, asked())
        assert one.take()
        now = time.time
        monkeypatch.setattr(time, "time", lambda: now() - 3600)
        assert other.take(), "a lease that ends so late is none"
        with pytest.raises(StoreError, match="another process has taken over"), one.change(0):
            pass
        other.release()


def test_who_waits_for_a_run_that_came_to_nothing_begins_it(store: str) -> None:
    with Database(store) as database:
        one, other = Lease(database, asked()), Lease(database, asked())
        assert one.take()
        assert not other.take()
        one.release()
        assert dicelab.Store(store).list().rows == [], "nothing was computed"
        assert other.take()
        other.release()


def test_many_that_create_a_store_at_once_have_one(tmp_path: Path) -> None:
    def create() -> None:
        together.wait()
        try:
            Database(path).close()
        except StoreError as error:
            refused.append(error)

    refused: list[StoreError] = []
    for number in range(10):
        path, together = str(tmp_path / f"{number}.db"), threading.Barrier(8)
        some = [threading.Thread(target=create) for _ in range(8)]
        for one in some:
            one.start()
        for one in some:
            one.join()
    assert not refused


def test_two_that_ask_at_once_share_the_work(store: str) -> None:
    found: list[dicelab.Simulation] = []

    def ask() -> None:
        found.append(dicelab.simulate("lcr", store=store, games=4000, threads=1, **LCR))

    both = [threading.Thread(target=ask) for _ in range(2)]
    with warnings.catch_warnings(action="ignore"):  # one of them may have to wait, and says so
        for one in both:
            one.start()
        for one in both:
            one.join()
    expected = plain(dicelab.simulate("lcr", games=4000, **LCR))
    assert [plain(one) for one in found] == [expected] * 2
    assert segments(store)[-1][2] == 4000


def test_games_that_do_not_follow_the_stored_ones_are_refused(store: str) -> None:
    chunk = dicelab.simulate("lcr", games=200, **LCR).tallied
    nothing = Tallied.empty(3, len(chunk.histograms[0]))
    with KeptGames(store, asked, nothing, lambda: None) as kept:
        kept.upto(1000)
        kept.end = 500  # as if 500 games had been stored
        kept.add(chunk)
        with pytest.warns(StoreWarning, match="not those before the ones that were played"):
            kept._write()
    assert segments(store) == []


# Files ----------------------------------------------------------------------------------------------------------------


def stored(store: str) -> bytes:
    dicelab.simulate("lcr", games=2000, store=store, **LCR)
    return Path(store).read_bytes()


def refused(store: str, says: str) -> None:
    """Every use of the file is refused with these words, and leaves it as it is."""
    before = Path(store).read_bytes() if Path(store).is_file() else None
    for use in (
        lambda: dicelab.simulate("lcr", games=3000, store=store, **LCR),
        lambda: dicelab.exact("lcr", players=3, store=store),
        lambda: dicelab.Store(store).list(),
    ):
        with pytest.raises(StoreError, match=says) as error:
            use()
        assert "\n" not in str(error.value)
    if before is not None:
        assert Path(store).read_bytes() == before


def test_what_is_not_a_store_is_left_alone(store: str, tmp_path: Path) -> None:
    Path(store).write_text("my diary")
    refused(store, "is not a store: it is not a SQLite database; nothing was written")
    refused(str(tmp_path), "is not the name of a file")
    refused(str(tmp_path / "no" / "runs.db"), "is not the name of a file in a folder that exists")
    other = tmp_path / "other.db"
    sql = sqlite3.connect(other)
    sql.execute("CREATE TABLE mine (a)")
    sql.commit()
    sql.close()
    refused(str(other), "is a database of another program")


def test_a_newer_version_is_refused(store: str) -> None:
    stored(store)
    sql = sqlite3.connect(store)
    sql.execute("PRAGMA user_version = 2")
    assert sql.execute("PRAGMA application_id").fetchone()[0] == APPLICATION
    sql.close()
    refused(store, "was written by a newer dicelab .its tables have version 2")


def test_a_damaged_file_is_reported(store: str) -> None:
    content = stored(store)
    Path(store).write_bytes(content[:5000])
    refused(store, "damaged|disk reports")
    Path(store).write_bytes(content[:100] + bytes(len(content) - 100))
    refused(store, "damaged")


def test_damaged_totals_are_reported(store: str) -> None:
    stored(store)
    sql = sqlite3.connect(store)
    (content,) = sql.execute("SELECT totals FROM totals WHERE low = 0").fetchone()
    (other,) = sql.execute("SELECT totals FROM totals WHERE low = 1000").fetchone()
    for wrong in (
        other,
        content[:-5],
        content[:20] + b"x" + content[21:],
        to_bytes(([1, 2, 3], [[Counter()] * 3] * 3, None)),
    ):
        sql.execute("UPDATE totals SET totals = ? WHERE low = 0", (wrong,))
        sql.commit()
        for use in (
            lambda: dicelab.simulate("lcr", games=2000, store=store, **LCR),
            lambda: dicelab.Store(store).show(1),
        ):
            with pytest.raises(StoreError, match="is damaged: ") as error:
                use()
            assert "\n" not in str(error.value)
    sql.execute("UPDATE totals SET totals = ? WHERE low = 0", (content,))
    sql.execute("DELETE FROM totals WHERE low = 1000")
    sql.commit()
    sql.close()
    with pytest.raises(StoreError, match="games 1000 to 1249 of a run are missing"):
        dicelab.simulate("lcr", games=3000, store=store, **LCR)


def test_a_file_that_cannot_be_written_is_read(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    content, real = stored(store), os.access
    monkeypatch.setattr("os.access", lambda path, mode: mode != os.W_OK and real(path, mode))
    assert dicelab.simulate("lcr", games=2000, store=store, **LCR).games == 2000
    with pytest.raises(StoreError, match="can't be written, and does not have this answer; nothing was computed"):
        dicelab.simulate("lcr", games=3000, store=store, **LCR)
    with pytest.raises(StoreError, match="can't be written"):
        dicelab.Store(store).delete(1)
    assert Path(store).read_bytes() == content


FULL = """
import resource, sys, warnings
import dicelab
dicelab.simulate("lcr", games=1000, players=3, seed=5, records=True, store=sys.argv[1])
import os
size = os.path.getsize(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (size + 50_000, size + 50_000))  # SQLite itself needs 32,768 for an index
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    found = dicelab.simulate("lcr", games=60000, players=3, seed=5, records=True, store=sys.argv[1])
print(found.games, [str(w.message) for w in caught])
"""


@pytest.mark.slow
def test_a_full_disk_costs_no_result(store: str) -> None:
    done = subprocess.run([sys.executable, "-c", FULL, store], capture_output=True, text=True, timeout=100, check=False)
    assert done.stderr == ""
    assert "not all games could be stored: " in done.stdout
    assert done.stdout.startswith("60000 ")
    rows = segments(store)
    assert rows[-1][2] >= 1000
    same_with(store, games=60000, records=True)


def test_rules_that_inherit_all_are_those_of_their_parent(store: str) -> None:
    code = "from dicelab.games.hazard import Hazard\nclass Mine(Hazard):\n    name = 'mine'\n"
    space: dict[str, Any] = {"__name__": "nowhere"}
    exec(code, space)
    kind: type[Game] = space["Mine"]
    found = dicelab.simulate(kind, games=10, seed=1, store=store)  # its rules are those of Hazard
    assert found.games == 10


# Checkpoints and runs -------------------------------------------------------------------------------------------------


def test_a_checkpoint_without_a_store_does_nothing() -> None:
    checkpoint = Checkpoint(None, asked)
    checkpoint.keep(lambda: pytest.fail("it was stored"), now=True)
    assert checkpoint.kept is None
    checkpoint.close()


def test_runs_are_listed_shown_compared_and_deleted(store: str) -> None:
    from dicelab.results.store.runs import RunsCompared

    played = dicelab.simulate("hazard", games=5000, seed=1, main=5, store=store)
    truth = dicelab.exact("hazard", main=5, store=store)
    other = dicelab.simulate("hazard", games=5000, seed=1, main=6, store=store)
    kept = dicelab.Store(store)
    assert [(run.id, run.method, run.games, run.state) for run in kept.list().rows] == [
        (3, "simulate", 5000, "done"),
        (2, "exact", None, "done"),
        (1, "simulate", 5000, "done"),
    ]
    assert "hazard: main 5" in str(kept.list())
    assert plain(kept.show(1)) == plain(played)
    assert plain(kept.show(2)) == plain(truth)
    rows = RunsCompared((kept.show(1), kept.show(2))).rows
    assert rows[0]["difference"] == played.outcomes["win"].probability - truth.outcomes["win"].probability
    assert abs(rows[0]["z"]) < 4
    same_dice = RunsCompared((kept.show(1), kept.show(3))).rows
    assert same_dice[0]["second"] == other.outcomes["win"].probability
    assert same_dice[0]["z"] is None
    with pytest.raises(StoreError, match="has no run 9"):
        kept.delete(1, 9)
    assert len(kept.list().rows) == 3
    kept.delete(1, 2)
    assert [run.id for run in kept.list().rows] == [3]
    assert {run for run, _, _ in segments(store)} == {3}


def test_runs_show_strategies_as_they_are_typed(store: str) -> None:
    settings = {"until_rounds": 1, "falls": True, "games": 10, "seed": 1, "store": store}
    dicelab.simulate("craps", "line:system=martingale", **settings)
    dicelab.simulate("tossup", ["bank_over:20", "one_roll"], games=10, seed=1, store=store)
    runs = dicelab.Store(store).list()
    assert [run.strategies for run in runs.rows] == [["bank_over:20", "one_roll"], ["line:system=martingale"]]
    assert "craps: until_rounds 1, falls yes" in str(runs)
    assert runs.to_frame()["strategies"][1] == ["line:system=martingale"]
    sql = sqlite3.connect(store)
    sql.execute("UPDATE run SET question = json_remove(question, '$.shown')")
    sql.commit()
    sql.close()
    assert dicelab.Store(store).list().rows[1].strategies == ["line:0:0:10:1:5:0"]


def test_a_run_that_is_being_computed_is_not_deleted(store: str) -> None:
    with Database(store) as database:
        lease = Lease(database, asked())
        lease.take()
        with pytest.raises(StoreError, match="is being computed"):
            dicelab.Store(store).delete(1)
        lease.release()


def test_a_store_may_be_named_before_it_exists(store: str) -> None:
    kept = dicelab.Store(store)
    with pytest.raises(StoreError, match="there is no such file"):
        kept.list()
    dicelab.simulate("hazard", games=10, seed=1, store=kept)
    assert len(kept.list().rows) == 1


def test_a_file_that_was_deleted_is_not_written(store: str) -> None:
    with Database(store) as database:
        os.remove(store)
        with pytest.raises(StoreError, match="has been deleted"), database.change():
            pass


ASK = """
import sys, warnings, dicelab
warnings.simplefilter("ignore")
found = dicelab.simulate("lcr", players=3, seed=5, games=int(sys.argv[2]), store=sys.argv[1], threads=1)
print(found.games, *found.tallied.counts)
"""


@pytest.mark.slow
def test_many_processes_that_begin_together_store_every_game_once(store: str) -> None:
    asked = [20_000, 1000, 30_000, 30_000, 12_345, 5]
    children = [
        subprocess.Popen([sys.executable, "-c", ASK, store, str(games)], stdout=subprocess.PIPE, text=True)
        for games in asked
    ]
    for games, child in zip(asked, children, strict=True):
        counts = dicelab.simulate("lcr", games=games, **LCR).tallied.counts
        assert child.communicate(timeout=100)[0].split() == [str(n) for n in (games, *counts)]
    rows = segments(store)
    assert all(one[2] == other[1] for one, other in itertools.pairwise(rows))
    assert (rows[0][1], rows[-1][2]) == (0, 30_000)
