"""Kernels are kept by what they are made of: never a stale one, one for all arguments, and none needed to run."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from dicelab.compile.kernels import cache
from dicelab.compile.kernels.hashtable import first_place
from dicelab.compile.kernels.writers.simulate import write
from dicelab.questions.simulate import simulate
from dicelab.rules.loading.registry import find
from support import ROOT

GAME = '''
from dicelab.rules import D6, OVER, Flag, Game, Param, Tally, ask, chosen, strategy, throw, thrown


class Once(Game):
    """Throw once, say yes or no."""
    thrown_ = Flag()
    said = Flag()
    points = Tally("points")

    def next(self):
        if self.said:
            return OVER
        return ask(self.say, 0) if self.flag() else throw(self.die)

    def flag(self):
        return self.thrown_

    @thrown(1, D6)
    def die(self, face):
        self.points += face
        self.thrown_ = True

    @chosen(2)
    def say(self, yes):
        self.points += 10 * yes
        self.said = True


@strategy(Once, yes=Param(1, 0, 1, "what to say"))
def always(game, yes):
    return yes
'''


@pytest.fixture
def kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and no kernel in memory."""
    monkeypatch.setenv("DICELAB_CACHE_DIR", str(tmp_path / "cache"))
    for name in [name for name in sys.modules if name.startswith("dicelab_kernel_")]:
        monkeypatch.delitem(sys.modules, name)
    return tmp_path / "cache" / "kernels"


def mean(file: Path, strategy: str = "always") -> float:
    return simulate(str(file), strategy, games=600, seed=1, engine="compiled").tallies["points"].mean


@pytest.mark.slow
def test_an_edited_rule_is_followed(tmp_path: Path, kernels: Path) -> None:
    file = tmp_path / "once.py"
    file.write_text(GAME)
    before = mean(file)
    file.write_text(GAME.replace("self.points += face", "self.points += face + 100"))
    assert mean(file) == pytest.approx(before + 100)
    file.write_text(GAME)
    assert mean(file) == before
    assert len(list(kernels.glob("*.py"))) == 2


@pytest.mark.slow
def test_arguments_of_a_strategy_share_a_kernel(tmp_path: Path, kernels: Path) -> None:
    file = tmp_path / "once.py"
    file.write_text(GAME)
    assert mean(file, "always:1") == pytest.approx(mean(file, "always:0") + 10)
    assert len(list(kernels.glob("*.py"))) == 1


@pytest.mark.slow
def test_a_file_that_is_loaded_again_has_the_same_kernel() -> None:
    """Also where parts of its rules become functions of their own, whose names are numbered: Qwixx's comprehensions."""
    texts = set()
    for _ in range(2):
        game = find(str(ROOT / "examples/qwixx.py"))
        texts.add(write(game, [*game.declared.strategies.values()], True)[0])
    assert len(texts) == 1


def test_parameters_share_a_kernel(kernels: Path) -> None:
    for players in (2, 3, 9):
        simulate("lcr", players=players, games=50, seed=1, engine="compiled")
    assert len(list(kernels.glob("*.py"))) == 1


def test_a_damaged_kernel_file_is_written_anew(tmp_path: Path, kernels: Path) -> None:
    file = tmp_path / "once.py"
    file.write_text(GAME + "# for this test alone\n")
    text = "kernel = None\n"
    kernels.mkdir(parents=True)
    (kernels / f"dicelab_kernel_{cache.fingerprint(text)}.py").write_text("this is no Python")
    assert cache.load(text) is None


@pytest.mark.slow
def test_what_numba_keeps_of_a_kernel_is_found_where_it_is_expected(tmp_path: Path, kernels: Path) -> None:
    """Numba promises none of this: the compiled code beside the text, and the bitcode that dicelab frees."""
    file = tmp_path / "once.py"
    file.write_text(GAME)
    mean(file)
    (text,) = [path.read_text() for path in kernels.glob("*.py")]
    assert len(list(kernels.glob(f"__pycache__/{cache.name_of(text)}.*.nbc"))) == 1
    del sys.modules[cache.name_of(text)]
    mean(file)  # loaded from the disk, and with it the bitcode
    (compiled,) = cache.module_of(text).kernel.overloads.values()
    assert compiled.library._shared_module is None
    assert "_shared_module" in vars(compiled.library)


@pytest.mark.slow
def test_a_cache_that_cannot_be_written_is_done_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "not-a-folder").write_text("")
    monkeypatch.setenv("DICELAB_CACHE_DIR", str(tmp_path / "not-a-folder"))
    file = tmp_path / "once.py"
    file.write_text(GAME.replace("10 * yes", "20 * yes"))
    with pytest.warns(UserWarning, match="kernels can't be kept"):
        one = mean(file, "always:1")
    assert one == pytest.approx(mean(file, "always:0") + 20)


def test_a_kernels_name_depends_on_its_text() -> None:
    assert cache.fingerprint("a") != cache.fingerprint("b")
    assert cache.fingerprint("a") == cache.fingerprint("a")


# A cache that can't be used, or can't be trusted ----------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["/proc/nowhere", "/dev/null/x"])
def test_without_a_folder_kernels_are_compiled_in_memory_and_that_is_told(tmp_path, kernels, monkeypatch, folder):
    (tmp_path / "once.py").write_text(GAME)
    monkeypatch.setattr(cache, "_unwritable", set())
    monkeypatch.setenv("DICELAB_CACHE_DIR", folder)
    with pytest.warns(UserWarning, match="kernels can't be kept on disk, so every run compiles them again"):
        found = mean(tmp_path / "once.py")
    assert found == simulate(str(tmp_path / "once.py"), games=600, seed=1, engine="reference").tallies["points"].mean


@pytest.mark.slow_cases("0")
@pytest.mark.parametrize("room", [0, *(pytest.param(room, marks=pytest.mark.slow) for room in (8, 32))])
def test_on_a_full_disk_kernels_are_compiled_in_memory(tmp_path, room):
    """Files may have so many blocks of 512 bytes and no more: first the text of a kernel, then its code has no room."""
    code = (
        "import resource, sys\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({512 * room}, {512 * room}))\n"
        "from dicelab.interface.cli.main import main\n"
        "main('simulate hazard --games 100 --seed 1 --engine compiled'.split())\n"
    )
    said = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "DICELAB_CACHE_DIR": str(tmp_path), "TMPDIR": str(tmp_path)},
    )
    assert (said.returncode, said.stderr.count("\n")) == (0, 1)
    assert said.stderr.startswith("dicelab: kernels can't be kept")
    assert "100 games, seed 1, compiled engine" in said.stdout


@pytest.mark.slow_cases("511")
@pytest.mark.parametrize("mode", [0o777, *(pytest.param(mode, marks=pytest.mark.slow) for mode in (0o770, 0o722))])
def test_kernels_are_not_loaded_from_a_folder_to_which_others_may_write(tmp_path, kernels, monkeypatch, mode):
    (tmp_path / "once.py").write_text(GAME)
    mean(tmp_path / "once.py")
    for file in kernels.glob("*.py"):
        file.write_text("raise SystemExit('planted')")
    kernels.chmod(mode)
    cache._private_folder.cache_clear()
    for name in [name for name in sys.modules if name.startswith("dicelab_kernel_")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.warns(UserWarning, match="others may write to"):
        mean(tmp_path / "once.py")
    assert not cache.is_private(kernels)
    assert cache.cache_folder() != kernels
    cache._private_folder.cache_clear()


@pytest.mark.slow
def test_the_folder_of_kernels_is_made_for_the_user_alone(tmp_path, kernels):
    (tmp_path / "once.py").write_text(GAME)
    mean(tmp_path / "once.py")
    assert kernels.stat().st_mode & 0o777 == 0o700


def test_garbage_is_not_collected_while_a_kernel_is_compiled_and_is_afterwards(tmp_path: Path, kernels: Path) -> None:
    seen = []
    cache.compile_now("kernel = None\n", lambda: seen.append(gc.isenabled()), "none", {})
    assert seen == [False]
    assert gc.isenabled()


def test_numba_takes_attributes_of_functions_and_reports_the_time_of_compilation() -> None:
    """It promises neither: without the first, random numbers take longer; without the second, `auto` counts it as play.

    The attribute is set by an intrinsic while LLVM builds the function.
    """

    from dicelab.compile.kernels import core

    @core.unchecked
    def first(row):  # type: ignore[no-untyped-def]
        core.whole_vectors()
        return row[0]

    before = core.compiling()
    first.compile("(int64[::1],)")
    (text,) = first.inspect_llvm().values()
    assert '"prefer-vector-width"="512"' in text
    assert core.compiling() > before


@pytest.mark.slow
def test_a_kernel_does_not_import_linear_algebra():
    code = (
        "import sys, dicelab; dicelab.simulate('hazard', games=10, engine='compiled')\n"
        "print('scipy.linalg' in sys.modules)\n"
        "import numba, numpy\n"
        "print(numba.njit(lambda x: numpy.dot(x, x))(numpy.ones(3)))"  # whoever needs it gets it
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.split() == ["False", "3.0"]


@pytest.mark.parametrize("shift", [0, 20, 44])
def test_states_that_differ_in_a_few_bits_alone_are_spread_over_the_hash_table(shift: int) -> None:
    rows, table = np.arange(4096, dtype=np.uint64).reshape(-1, 1) << np.uint64(shift), np.empty(8192, np.int32)
    with np.errstate(over="ignore"):  # the product is meant to lose its upper half
        places = {int(first_place.py_func(rows, k, table)) for k in range(len(rows))}
    assert len(places) > 2500  # by chance 3,200
