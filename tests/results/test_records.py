"""Every game in a Parquet file: the rows of ``records=True``, whatever plays them, and never half a file."""

from __future__ import annotations

import json
import os
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import dicelab
from dicelab.errors import DicelabError, InputError, ParameterError, PlayError
from dicelab.results import records
from dicelab.rules import D6, OVER, Flag, Game, Tally, throw, thrown
from dicelab.runtime import leftovers as drafts
from support import CASE_IDS, CASES, GAMES

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

GAMES_OF_ALL_KINDS = ["hazard", "hazard-caster", "tossup", "lcr"]


class Dull(Game):
    """A die is thrown; nothing is counted, and nobody wins."""

    name = "dull"
    thrown_once = Flag("the die has been thrown")

    def next(self) -> int:
        return OVER if self.thrown_once else throw(self.die)

    @thrown(1, D6)
    def die(self, face: int) -> None:
        self.thrown_once = True


class Taken(Dull):
    """Its tally has the name of a column."""

    name = "taken"
    game = Tally("faces")

    @thrown(1, D6)
    def die(self, face: int) -> None:
        self.thrown_once = True
        self.game += face


class Breaks(Dull):
    """Goes wrong in one game of six."""

    name = "breaks"
    faces = Tally("faces")

    @thrown(1, D6)
    def die(self, face: int) -> None:
        self.thrown_once = True
        self.faces += face // (face - 1)


class Huge(Dull):
    """What it counts needs most of 64 bits."""

    name = "huge"
    faces = Tally("faces")

    @thrown(1, D6)
    def die(self, face: int) -> None:
        self.thrown_once = True
        self.faces += (face - 3) * 2**58


def rows_of(path, result):
    """The rows of a file as `Simulation.records` has them."""
    table = pq.read_table(path)
    assert table.column("game").to_pylist() == list(range(result.games))
    if result.outcome_names:
        numbers = [result.outcome_names.index(name) for name in table.column("outcome").to_pylist()]
    else:
        numbers = [0] * result.games
    columns = [numbers, *(table.column(name).to_pylist() for name in result.tally_names)]
    return np.array(columns, np.int64).T.reshape(-1, 1 + len(result.tally_names))


def about(path):
    return json.loads(pq.read_metadata(path).metadata[b"dicelab"])


def again(path):
    """Play what a file says once more, into another file; returns its table."""
    told = about(path)
    given = {name: told[name] for name in ("games", "seed", "engine", "limit")}
    other = Path(path).with_name("again.parquet")
    dicelab.simulate(told["game"], told["strategies"], out=other, **given, **told["parameters"])
    assert about(other) == told
    return pq.read_table(other)


@pytest.fixture
def out(tmp_path):
    return tmp_path / "games.parquet"


# contents -------------------------------------------------------------------------------------------------------------


@pytest.mark.slow_cases(
    "all-faces",
    "backgammon-runner",
    "bear-off-race-runner",
    "cant-stop-race-rule_of_28",
    "cant-stop-race-rule_of_28+stop_after",
    "cant-stop-race-stop_after",
    "craps-line",
    "craps-molly",
    "craps-place",
    "craps-watch",
    "farkle-bank_at",
    "hazard-caster",
    "lcr",
    "qualify-plain",
    "shut-the-box-alone-highest",
    "yahtzee-first_open",
)
@pytest.mark.parametrize(("name", "lineup"), CASES, ids=CASE_IDS)
def test_a_file_has_the_records_of_every_game_found(name, lineup, out):
    result = dicelab.simulate(GAMES[name], lineup, games=20, seed=3, engine="reference", records=True, out=out)
    assert result.out == os.fspath(out)
    assert np.array_equal(rows_of(out, result), result.records)
    names = ["game", *(["outcome"] if result.outcomes else []), *result.tally_names]
    assert pq.read_table(out).column_names == names


@pytest.mark.quick_cases("hazard-caster-compiled", "hazard-reference")
@pytest.mark.parametrize("engine", ["auto", "compiled", "reference"])
@pytest.mark.parametrize("name", GAMES_OF_ALL_KINDS)
def test_a_file_is_the_same_whatever_plays_the_games(name, engine, out, limits):
    limits(record_rows=300)
    games = 400 if engine == "reference" else 2000
    result = dicelab.simulate(name, games=games, seed=3, engine=engine, threads=1, records=True, out=out)
    assert np.array_equal(rows_of(out, result), result.records)
    other = out.with_name("other.parquet")
    for threads in (2, 3):
        dicelab.simulate(name, games=games, seed=3, engine=engine, threads=threads, out=other)
        assert pq.read_table(other).equals(pq.read_table(out))
        assert other.read_bytes() == out.read_bytes() or engine == "auto"
    if engine != "reference":
        dicelab.simulate(name, games=400, seed=3, engine="reference", out=other)
        assert pq.read_table(other).equals(pq.read_table(out).slice(0, 400))


def test_an_engine_that_keeps_no_records_is_refused(out):
    with pytest.raises(ParameterError, match="table"):
        dicelab.simulate("hazard", games=10, engine="table", out=out)
    assert not list(out.parent.iterdir())


def test_columns_have_types_that_other_programs_read(out):
    dicelab.simulate("hazard", games=50, seed=1, engine="reference", out=out)
    schema = pq.read_schema(out)
    assert schema.names == ["game", "outcome", "throws"]
    assert schema.types == [pa.int64(), pa.dictionary(pa.int32(), pa.string()), pa.int64()]
    assert not any(field.nullable for field in schema)
    assert pq.read_table(out).column("outcome").chunk(0).dictionary.to_pylist() == ["win", "lose"]


def test_a_game_of_tallies_only_has_no_outcome(out):
    result = dicelab.simulate("hazard-caster", games=50, seed=1, engine="reference", out=out)
    assert pq.read_schema(out).names == ["game", *result.tally_names]


@pytest.mark.slow_cases("compiled")
@pytest.mark.parametrize("engine", ["compiled", "reference"])
def test_a_game_that_counts_nothing_is_a_column_of_indices(out, engine):
    dicelab.simulate(Dull, games=50, seed=1, engine=engine, out=out)
    assert pq.read_table(out).to_pydict() == {"game": list(range(50))}


def test_pandas_reads_it(out):
    pandas = pytest.importorskip("pandas")
    result = dicelab.simulate("hazard", games=500, seed=1, engine="reference", records=True, out=out)
    table = pandas.read_parquet(out)
    assert table.dtypes.astype(str).to_dict() == {"game": "int64", "outcome": "category", "throws": "int64"}
    assert (table["outcome"] == "win").sum() == result.outcomes["win"].count
    assert table["throws"].mean() == result.tallies["throws"].mean
    assert np.array_equal(table["throws"], result.records[:, 1])


@pytest.mark.parametrize("sizes", [[1] * 20, [10, 10], [7, 7, 6], [20], [9, 11], [3, 0, 17]])
def test_rows_are_written_in_groups_however_they_come(sizes, out):
    rows = np.stack([np.arange(20) % 2, np.arange(20) * 3], axis=1)
    parts = np.split(rows, np.cumsum(sizes)[:-1])
    with records.Records(str(out), dicelab.find("hazard")(), rows=8) as file:
        for at, part in enumerate(parts):
            file.add([part if at % 2 else list(map(tuple, part.tolist()))])
        file.finish({})
    found = pq.ParquetFile(out)
    assert [found.metadata.row_group(i).num_rows for i in range(found.num_row_groups)] == [8, 8, 4]
    table = found.read()
    assert table.column("throws").to_pylist() == rows[:, 1].tolist()
    assert table.column("outcome").to_pylist() == ["win", "lose"] * 10
    assert table.column("game").to_pylist() == list(range(20))


def test_the_groups_of_a_game_of_many_tallies_have_fewer_rows(out, limits):
    limits(record_bytes=8 * 4 * 10)
    dicelab.simulate("hazard-caster", games=25, seed=1, engine="reference", out=out)
    assert pq.read_metadata(out).row_group(0).num_rows == 10


@pytest.mark.slow_cases("compiled")
@pytest.mark.parametrize("engine", ["compiled", "reference"])
def test_tallies_of_any_size_fit(out, engine):
    result = dicelab.simulate(Huge, games=50, seed=1, engine=engine, records=True, out=out)
    assert np.array_equal(rows_of(out, result), result.records)
    assert result.records.min() == -(2**59)


# what the file says of itself -----------------------------------------------------------------------------------------


@pytest.mark.slow_cases("tossup-strategies3-parameters3-reference")
@pytest.mark.parametrize(
    ("name", "strategies", "parameters", "engine"),
    [
        ("hazard", (), {"main": 5}, "reference"),
        ("hazard", (), {}, "compiled"),
        ("lcr", (), {"players": 4}, "compiled"),
        ("tossup", ("one_roll", "bank_over:25"), {"last_turn": True, "target": 40}, "reference"),
        ("tossup", ("bank_over:20",), {"players": 3}, "compiled"),
    ],
)
def test_a_file_says_how_to_play_its_games_again(name, strategies, parameters, engine, out):
    result = dicelab.simulate(name, strategies, games=300, engine=engine, limit=5000, out=out, **parameters)
    told = about(out)
    data = result.to_dict()
    assert told == {key: data[key] for key in told if key != "limit"} | {"limit": 5000}
    assert {"version", "source_hash", "game", "parameters", "strategies", "seed", "engine", "games"} < set(told)
    assert again(out).equals(pq.read_table(out))


def test_games_until_a_precision_are_all_there(out):
    result = dicelab.simulate("hazard", precision=0.01, seed=1, engine="compiled", threads=2, records=True, out=out)
    assert result.games > 1000
    assert about(out)["games"] == result.games
    assert np.array_equal(rows_of(out, result), result.records)


def test_a_result_says_where_the_games_are(out):
    result = dicelab.simulate("hazard", games=1500, seed=1, engine="reference", out=out)
    assert str(result).endswith(f"\ngames: {out} (1,500 rows)")
    assert result.to_dict()["out"] == str(out)
    assert "refused" not in result.to_dict()
    beside = dicelab.Beside(result, dicelab.exact("hazard"))
    assert str(beside).endswith(f"\ngames: {out} (1,500 rows)")
    without = dicelab.simulate("hazard", games=15, seed=1, engine="reference")
    assert (without.out, without.refused, without.tallied.records) == (None, "", [])
    assert "out" not in without.to_dict()


# memory ---------------------------------------------------------------------------------------------------------------


def test_memory_does_not_grow_with_the_games(out, limits):
    limits(record_rows=2**16, chunk_games=2**15)
    games = 3_000_000
    dicelab.simulate("hazard", games=10, seed=1, engine="compiled", out=out)  # whatever is made once
    before = pa.total_allocated_bytes()
    tracemalloc.start()
    try:
        result = dicelab.simulate("hazard", games=games, seed=1, engine="compiled", threads=2, out=out)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert pq.read_metadata(out).num_rows == result.games == games
    assert result.tallied.records == []
    assert peak < games * 2 * 8 / 4  # a quarter of what all rows would take
    assert pa.total_allocated_bytes() - before < 2**22


# what is refused, and what goes wrong ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("games", "games are written as .parquet"),
        ("games.csv", "games are written as .parquet"),
        (".parquet", "games are written as .parquet"),
        ("", "games are written as .parquet"),
        ("none/games.parquet", "there is no folder none"),
        ("folder.parquet", "folder.parquet is a folder"),
        (5, "out: 5 is not allowed; it takes the name of a file that ends in .parquet"),
        (True, "out: True"),
        (b"games.parquet", "out: b'games.parquet'"),
        (["games.parquet"], "out: ['games.parquet']"),
    ],
)
def test_a_path_that_cannot_be_is_refused_before_anything_is_played(path, sentence, tmp_path, monkeypatch):
    (tmp_path / "folder.parquet").mkdir()
    monkeypatch.chdir(tmp_path)
    played = []
    with pytest.raises(ParameterError) as raised:
        dicelab.simulate("hazard", games=10, out=path, progress=lambda *told: played.append(told))
    assert sentence in str(raised.value)
    assert not played
    assert [file.name for file in tmp_path.iterdir()] == ["folder.parquet"]


@pytest.mark.parametrize("name", ["a" * 300 + ".parquet", "a\0b.parquet", "dangling.parquet"])
def test_a_file_that_cannot_be_opened_is_refused_before_anything_is_played(name, tmp_path):
    (tmp_path / "dangling.parquet").symlink_to(tmp_path / "none" / "games.parquet")
    played = []
    with pytest.raises(DicelabError, match="the games can't be written: ") as raised:
        dicelab.simulate("hazard", games=10, out=tmp_path / name, progress=lambda *told: played.append(told))
    assert not isinstance(raised.value, InputError)
    assert str(raised.value).startswith(str(tmp_path / name))
    assert not played
    assert [file.name for file in tmp_path.iterdir()] == ["dangling.parquet"]


def test_a_file_that_may_not_be_written_is_refused(out, monkeypatch):
    out.write_text("before")
    monkeypatch.setattr(drafts.os, "access", lambda path, mode: False)
    with pytest.raises(DicelabError, match="the games can't be written: Permission denied"):
        dicelab.simulate("hazard", games=10, out=out)
    assert out.read_text() == "before"


def test_a_tally_with_the_name_of_a_column_is_refused(out):
    with pytest.raises(ParameterError, match="taken has a tally called game"):
        dicelab.simulate(Taken, games=10, out=out)
    assert dicelab.simulate(Taken, games=10, engine="reference").games == 10


def test_without_pyarrow_it_says_what_to_install(out, monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == "pyarrow"]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ParameterError, match=r"out needs pyarrow: pip install 'dicelab\[parquet\]'"):
        dicelab.simulate("hazard", games=10, out=out)
    assert not out.exists()
    assert dicelab.simulate("hazard", games=10, engine="reference").games == 10


def test_a_game_that_goes_wrong_leaves_what_was_there(out):
    out.write_text("before")
    with pytest.raises(PlayError, match="ZeroDivisionError"):
        dicelab.simulate(Breaks, games=100, seed=1, engine="reference", out=out)
    assert out.read_text() == "before"
    assert list(out.parent.iterdir()) == [out]


def test_a_file_that_is_there_stays_until_the_new_one_is_whole(out):
    out.write_text("before")
    seen = []

    def look(played, wanted):
        seen.append((out.read_text(), len(list(out.parent.iterdir()))))

    dicelab.simulate("hazard", games=10, seed=1, engine="reference", out=out, progress=look)
    assert set(seen) == {("before", 2)}
    assert pq.read_table(out).num_rows == 10
    assert list(out.parent.iterdir()) == [out]


def test_a_link_is_followed(out):
    link = out.with_name("link.parquet")
    link.symlink_to(out)
    assert dicelab.simulate("hazard", games=10, seed=1, engine="reference", out=link).out == str(link)
    assert link.is_symlink()
    assert pq.read_table(out).num_rows == 10


needs_full = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")


@pytest.mark.slow_cases("reference-1")
@needs_full
@pytest.mark.parametrize(("engine", "threads"), [("reference", 1), ("compiled", 1), ("compiled", 2)])
def test_on_a_full_disk_what_was_played_is_kept(out, limits, engine, threads):
    """The disk is full long before the end, so the games stop there."""
    out.symlink_to("/dev/full")
    limits(record_rows=1000)
    given = {"seed": 1, "engine": engine, "threads": threads}
    result = dicelab.simulate("hazard", games=10**12, out=out, **given)
    assert result.interrupted
    assert result.out is None
    assert result.refused == f"{out}: the games can't be written: No space left on device"
    assert str(result).endswith(f"\ngames: {result.refused}")
    assert result.to_dict()["refused"] == result.refused
    assert result.tallied == dicelab.simulate("hazard", games=result.games, **given).tallied
    assert Path("/dev/full").is_char_device()


@needs_full
def test_on_a_disk_that_is_full_at_the_end_all_games_are_kept(out):
    out.symlink_to("/dev/full")
    result = dicelab.simulate("hazard", games=500, seed=1, engine="reference", out=out)
    assert (result.games, result.interrupted, result.out) == (500, False, None)
    assert "No space left" in result.refused


def test_where_the_new_file_cannot_take_its_place_all_games_are_kept(out):
    """A folder is made there while games are played."""

    def make(played, wanted):
        out.mkdir(exist_ok=True)

    result = dicelab.simulate("hazard", games=500, seed=1, engine="reference", out=out, progress=make)
    assert (result.games, result.interrupted) == (500, False)
    assert result.refused.startswith(f"{out}: the games can't be written: ")
    assert list(out.parent.iterdir()) == [out]


# Ctrl-C ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("engine", "threads"), [("auto", 1), ("reference", 1), ("compiled", 1), ("compiled", 2)])
def test_a_call_that_is_interrupted_has_the_games_played_in_its_file(engine, threads, out, limits):
    limits(record_rows=500)

    def stop(played, wanted):
        if played >= 700:
            raise KeyboardInterrupt

    given = {"seed": 3, "engine": engine, "threads": threads}
    result = dicelab.simulate("hazard", games=10**9, out=out, progress=stop, **given)
    assert result.interrupted
    assert result.out == str(out)
    assert about(out)["games"] == result.games == pq.read_metadata(out).num_rows
    assert again(out).equals(pq.read_table(out))


def test_a_file_without_games_is_a_file(out):
    with records.Records(str(out), dicelab.find("hazard")()) as file:
        file.finish({"games": 0})
    assert pq.read_table(out).num_rows == 0
    assert about(out) == {"games": 0}


def test_a_file_that_was_not_finished_is_gone(out):
    with records.Records(str(out), dicelab.find("hazard")(), rows=10) as file:
        file.add([[(0, 1)] * 25])
    assert list(out.parent.iterdir()) == []
