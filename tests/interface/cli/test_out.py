"""``simulate --out``: every game a row of a Parquet file."""

from __future__ import annotations

import json
import os

import pytest

import dicelab as library

resource = pytest.importorskip("resource")
pq = pytest.importorskip("pyarrow.parquet")

SIMULATE = ["simulate", "hazard", "--games", "400", "--seed", "1", "--engine", "reference"]


@pytest.fixture
def out(tmp_path):
    return str(tmp_path / "games.parquet")


def test_the_text_ends_with_where_the_games_are(dicelab, out):
    said = dicelab(*SIMULATE, "--out", out)
    assert (said.status, said.err) == (0, "")
    assert said.out.endswith(f"\ngames: {out} (400 rows)\n")
    assert pq.read_table(out).num_rows == 400


def test_the_object_says_where_the_games_are(dicelab, out):
    said = dicelab(*SIMULATE, "--out", out, "--json")
    assert (said.status, said.err, said.json["out"]) == (0, "", out)
    told = json.loads(pq.read_metadata(out).metadata[b"dicelab"])
    assert told.items() <= (said.json | {"limit": 1_000_000}).items()
    assert "out" not in dicelab(*SIMULATE, "--json").json


def test_the_rows_are_the_games(dicelab, out):
    dicelab("simulate", "tossup", "--games", "300", "--seed", "5", "--out", out)
    result = library.simulate("tossup", games=300, seed=5, engine="reference", records=True)
    table = pq.read_table(out).to_pydict()
    assert list(table) == ["game", "outcome", "turns", "throws", "busts"]
    assert [int(name) for name in table["outcome"]] == result.records[:, 0].tolist()
    assert [table[name] for name in result.tally_names] == result.records[:, 1:].T.tolist()


def test_a_game_in_a_file_has_rows_too(dicelab, tiny, out):
    said = dicelab("simulate", tiny(), "--games", "50", "--seed", "1", "--out", out)
    assert said.status == 0
    assert pq.read_schema(out).names == ["game", "outcome", "throws"]


def test_beside_the_exact_answer(dicelab, out):
    said = dicelab(*SIMULATE, "--with-exact", "--out", out)
    assert said.status == 0
    assert said.out.endswith(f"7 states\ngames: {out} (400 rows)\n")
    assert dicelab(*SIMULATE, "--with-exact", "--out", out, "--json").json["out"] == out
    assert f"games: {out} (400 rows)" in dicelab(*SIMULATE, "--histogram", "throws", "--out", out).out


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("games.csv", "games are written as .parquet; end the file's name with it"),
        ("none/games.parquet", "there is no folder none"),
        ("folder.parquet", "folder.parquet is a folder"),
        ("", "games are written as .parquet"),
    ],
)
def test_a_path_that_cannot_be_is_refused(dicelab, tmp_path, monkeypatch, path, sentence):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.parquet").mkdir()
    dicelab("simulate", "hazard", "--games", "1e12", "--out", path).must_refuse(2, sentence)
    assert [file.name for file in tmp_path.iterdir()] == ["folder.parquet"]


def test_where_no_file_can_be_opened_nothing_is_played(dicelab, tmp_path):
    path = str(tmp_path / f"{'a' * 300}.parquet")
    dicelab("simulate", "hazard", "--games", "1e12", "--out", path).must_refuse(1, "the games can't be written: ")


@pytest.mark.parametrize("command", ["exact hazard", "compare tossup -s one_roll", "sweep hazard --over main=5,6"])
def test_only_simulations_write_games(dicelab, command, out):
    dicelab(*command.split(), "--out", out).must_refuse(2, "no option '--out'")


def test_without_pyarrow_it_says_what_to_install(dicelab, out, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    dicelab("simulate", "hazard", "--games", "1e12", "--out", out).must_refuse(2, "pip install 'dicelab[parquet]'")


def limited():
    """No file may have more than 300,000 bytes."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))


@pytest.mark.slow
@pytest.mark.parametrize("form", ["text", "json"])
def test_a_disk_that_fills_up_does_not_lose_what_was_played(shell, tmp_path, form):
    library.simulate("hazard", games=10, engine="compiled")  # the kernel is then kept
    (tmp_path / "games.parquet").write_text("before")
    words = ["simulate", "hazard", "--games", "1e12", "--seed", "1", "--engine", "compiled", "--out", "games.parquet"]
    said = shell(*words, *(["--json"] if form == "json" else []), preexec_fn=limited)
    assert (said.status, said.error) == (1, "games.parquet: the games can't be written: File too large")
    if form == "json":
        assert said.json["refused"] == "games.parquet: the games can't be written: File too large"
        played = said.json["games"]
        again = library.simulate("hazard", games=played, seed=1, engine="compiled").to_dict()
        assert said.json["outcomes"] == again["outcomes"]
        assert 2**20 <= played < 1e12
    else:
        assert "stopped after" in said.out
    assert (tmp_path / "games.parquet").read_text() == "before"
    assert [file.name for file in tmp_path.iterdir()] == ["games.parquet"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="full disks are tried by /dev/full, which only Linux has")
def test_a_disk_that_is_full_at_the_end_does_not_lose_the_answer(dicelab, tmp_path):
    (tmp_path / "games.parquet").symlink_to("/dev/full")
    said = dicelab(*SIMULATE, "--with-exact", "--json", "--out", str(tmp_path / "games.parquet"))
    assert said.status == 1
    assert said.error.endswith("the games can't be written: No space left on device")
    assert said.err.count("\n") == 1
    assert said.json["games"] == 400
    assert "interrupted" not in said.json
    assert set(said.json) > {"exact"}
