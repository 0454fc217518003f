"""Where there is a GPU, the engine `cuda` plays the games of the compiled engine on it, bit for bit."""

from __future__ import annotations

from pathlib import Path

import pytest
from numba import config, cuda

import dicelab
from dicelab.errors import RangeError
from dicelab.results.result import Simulation
from dicelab.rules.game import Game
from dicelab.rules.loading.registry import find_in_file
from support import CASE_IDS, CASES, LONG_LISTS, NATURAL, run_of

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


@pytest.mark.parametrize("file", [file for file in NATURAL if file.stem != LONG_LISTS], ids=lambda file: file.stem)
def test_rules_that_make_lists_play_the_games_of_the_compiled_engine(file: Path) -> None:
    game = find_in_file(file)
    found, expected = (result_or_error(game, engine) for engine in ("cuda", "compiled"))
    if isinstance(found, str) or isinstance(expected, str):
        assert found == expected
    else:
        must_be_the_same(found, expected)


def result_or_error(game: type[Game], engine: str) -> Simulation | str:
    try:
        return dicelab.simulate(game, games=GAMES, seed=3, engine=engine)
    except RangeError as error:
        return str(error)


def must_be_the_same(found: Simulation, expected: Simulation) -> None:
    assert found.engine == "cuda"
    assert (found.tallied.counts, found.tallied.histograms) == (expected.tallied.counts, expected.tallied.histograms)
