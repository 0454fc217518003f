"""The command kernels: what is kept on disk is listed, shown and deleted, and nothing is written beside dicelab."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import dicelab
from dicelab.compile.kernels import cache

CODE = """
import dicelab
dicelab.exact("lcr", players=5)
dicelab.simulate("hazard", engine="table", games=10)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache with a kernel and the loops of some modules, filled by a process of its own."""
    folder = tmp_path_factory.mktemp("cache")
    package = Path(dicelab.__file__).parent
    before = set(package.rglob("*.nb[ic]"))
    subprocess.run([sys.executable, "-c", CODE], check=True, env={**os.environ, "DICELAB_CACHE_DIR": str(folder)})
    assert set(package.rglob("*.nb[ic]")) == before == set(), "compiled code is written into the package"
    return folder


@pytest.fixture(autouse=True)
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DICELAB_CACHE_DIR", str(folder))


@pytest.mark.slow
def test_what_is_kept_is_listed_and_shown(dicelab, folder):
    said = dicelab("kernels", "--json").json
    about = {row["about"]: row for row in said["rows"]}
    table = about["The kernel of the table engine, one for all games"]
    assert any(name.startswith("Loops over the edges of a chain") for name in about)
    assert said["folder"] == str(folder / "kernels")
    assert table["bytes"] > 50_000
    assert not any(row["outdated"] for row in said["rows"])
    text = dicelab("kernels").out
    assert text.startswith(f"{folder}/kernels: {len(about)} kernels, ")
    assert table["id"][:8] in text
    source = dicelab("kernels", "--show", table["id"][:8]).out
    assert source == (Path(cache.__file__).parent / "table.py").read_text()
    assert dicelab("kernels", "--show", table["id"], "--json").json["source"] == source


@pytest.mark.slow
def test_what_no_run_can_use_is_deleted_and_the_rest_stays(dicelab, folder):
    rows = dicelab("kernels", "--json").json["rows"]
    old = folder / "kernels" / "dicelab_kernel_0123.py"
    old.write_text("# engine compiled, game 'old'; and so on\nfrom dicelab.compile.kernels.gone.by import nothing\n")
    (old.parent / "__pycache__" / "dicelab_kernel_0123.kernel-1.py311.nbi").write_text("compiled")
    loops = folder / "kernels" / "loops_4567" / "gone.py"
    loops.parent.mkdir()
    loops.write_text('"""Loops that were edited since."""\n')
    assert "engine compiled, game 'old', outdated" in dicelab("kernels").out
    said = dicelab("kernels", "--prune", "--json").json
    assert (said["deleted"], sorted(row["id"] for row in said["rows"])) == (True, ["0123", "4567"])
    assert not list(folder.rglob("*0123*")) + list(folder.rglob("*4567*"))
    assert dicelab("kernels", "--json").json["rows"] == rows


@pytest.mark.slow
def test_what_was_not_used_for_long_is_deleted_if_that_is_asked_for(dicelab, folder):
    every = {one.name: one for one in cache.kept_kernels()}
    name, one = next((name, one) for name, one in every.items() if one.source.parent != folder / "kernels")
    os.utime(one.source, (0, time.time() - 10 * 86_400))
    assert dicelab("kernels", "--prune", "--days", "11", "--json").json["rows"] == []
    assert [row["id"] for row in dicelab("kernels", "--prune", "--days", "9", "--json").json["rows"]] == [name]
    assert {one.name for one in cache.kept_kernels()} == set(every) - {name}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--show", "zz"], "no kernel has an id that begins with 'zz'"),
        (["--show", ""], "several kernels have an id that begins with ''"),
        (["--days", "3"], "--days belongs to --prune"),
        (["--show", "1", "--prune"], "--show stands alone"),
    ],
)
def test_what_makes_no_sense(dicelab, words, told):
    dicelab("kernels", *words).must_refuse(2, told)


@pytest.mark.slow
def test_an_empty_cache(dicelab, monkeypatch, tmp_path):
    monkeypatch.setenv("DICELAB_CACHE_DIR", str(tmp_path / "none"))
    assert dicelab("kernels").out == f"{tmp_path}/none/kernels: 0 kernels, 0.0 MB\n"
    assert dicelab("kernels", "--csv").out.strip() == ""
