"""--engine cuda without a GPU or without numba-cuda: one sentence. `make cuda` tests the engine itself."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from interface.cli.conftest import Said

Run = Callable[..., Said]
ASKED = ("simulate", "hazard", "--games", "1000", "--seed", "1", "--engine", "cuda")


def installed(monkeypatch: pytest.MonkeyPatch, here: bool) -> None:
    found = importlib.util.find_spec
    spec = SimpleNamespace() if here else None
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: spec if name == "numba_cuda" else found(name))


def test_without_the_extra(dicelab: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, False)
    dicelab(*ASKED).must_refuse(2, "engine: cuda needs numba-cuda: pip install 'dicelab[cuda]'")


def test_without_a_gpu(dicelab: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, True)
    monkeypatch.setitem(sys.modules, "numba.cuda", SimpleNamespace(is_available=lambda: False))
    monkeypatch.setattr("numba.cuda", sys.modules["numba.cuda"], raising=False)
    dicelab(*ASKED).must_refuse(2, "engine: cuda finds no GPU of NVIDIA with its driver")


def test_with_a_driver_that_fails(dicelab: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> bool:
        raise OSError("libcuda.so is damaged")

    installed(monkeypatch, True)
    monkeypatch.setitem(sys.modules, "numba.cuda", SimpleNamespace(is_available=broken))
    monkeypatch.setattr("numba.cuda", sys.modules["numba.cuda"], raising=False)
    dicelab(*ASKED).must_refuse(2, "engine: cuda can't use the GPU: libcuda.so is damaged")


def test_games_that_are_kept(dicelab: Run) -> None:
    dicelab(*ASKED, "--out", "games.parquet").must_refuse(2, "engine: cuda can't keep a record of every game")
