"""Where there is a GPU, the engine `cuda` plays the games of the compiled engine on it, bit for bit."""

from __future__ import annotations

from pathlib import Path

import pytest
from numba import config, cuda

import dicelab
from dicelab.results.result import Simulation
from dicelab.rules.loading.registry import find_in_file
from support import CASE_IDS, CASES, NATURAL, run_of

pytestmark = pytest.mark.skipif(bool(config.ENABLE_CUDASIM) or not cuda.is_available(), reason="needs a GPU")
GAMES = 20_000


@pytest.mark.parametrize(("name", "lineup"), CASES, ids=CASE_IDS)
def test_the_games_are_those_of_the_compiled_engine(name: str, lineup: tuple[str, ...]) -> None:
    run = run_of(name, lineup)
    found, expected = (
        dicelab.simulate(run.game, run.calls or (), games=GAMES, seed=3, engine=engine)
        for engine in ("cuda", "compiled")
    )
    must_be_the_same(found, expected)


@pytest.mark.parametrize("file", NATURAL, ids=lambda file: file.stem)
def test_rules_that_make_lists_play_the_games_of_the_compiled_engine(file: Path) -> None:
    game = find_in_file(file)
    must_be_the_same(*(dicelab.simulate(game, games=GAMES, seed=3, engine=engine) for engine in ("cuda", "compiled")))


def must_be_the_same(found: Simulation, expected: Simulation) -> None:
    assert found.engine == "cuda"
    assert (found.tallied.counts, found.tallied.histograms) == (expected.tallied.counts, expected.tallied.histograms)
