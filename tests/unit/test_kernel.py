"""Kernels are kept by what they are made of: never a stale one, one for all arguments, and none needed to run."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from dicelab.analysis.simulate import simulate
from dicelab.engines import cache

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


def test_an_edited_rule_is_followed(tmp_path: Path, kernels: Path) -> None:
    file = tmp_path / "once.py"
    file.write_text(GAME)
    before = mean(file)
    file.write_text(GAME.replace("self.points += face", "self.points += face + 100"))
    assert mean(file) == pytest.approx(before + 100)
    file.write_text(GAME)
    assert mean(file) == before
    assert len(list(kernels.glob("*.py"))) == 2


def test_arguments_of_a_strategy_share_a_kernel(tmp_path: Path, kernels: Path) -> None:
    file = tmp_path / "once.py"
    file.write_text(GAME)
    assert mean(file, "always:1") == pytest.approx(mean(file, "always:0") + 10)
    assert len(list(kernels.glob("*.py"))) == 1


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


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "not-a-folder").write_text("")
    monkeypatch.setenv("DICELAB_CACHE_DIR", str(tmp_path / "not-a-folder"))
    file = tmp_path / "once.py"
    file.write_text(GAME.replace("10 * yes", "20 * yes"))
    assert mean(file, "always:1") == pytest.approx(mean(file, "always:0") + 20)


def test_a_kernels_name_depends_on_its_text() -> None:
    assert cache.fingerprint("a") != cache.fingerprint("b")
    assert cache.fingerprint("a") == cache.fingerprint("a")
