"""The engine `cuda` in Numba's simulator of a GPU plays the games of the reference engine, bit for bit."""

from __future__ import annotations

from typing import Any

import pytest
from numba import config

import dicelab
from dicelab.engines import cuda_table
from dicelab.engines.cuda_table import CudaTable
from dicelab.engines.packing import table_of
from dicelab.errors import DicelabError, NotSmall, ParameterError
from dicelab.runtime.interpreter import LIMIT, Reference
from support import CASE_IDS, CASES, run_of

pytestmark = [
    pytest.mark.skipif(not config.ENABLE_CUDASIM, reason="needs NUMBA_ENABLE_CUDASIM=1"),
    pytest.mark.filterwarnings("ignore:overflow encountered"),  # places are numbers modulo 2**64
]
GAMES = 60


def both(run: Any, low: int, games: int = GAMES, limit: int = LIMIT) -> tuple[Any, Any]:
    engine = CudaTable(run.game, run.calls, limit)
    engine.compile()
    return engine.play(7, low, low + games), Reference(run.game, run.calls, limit, False).play(7, low, low + games)


def must_be_the_same(run: Any, low: int = 0, **more: Any) -> None:
    found, expected = both(run, low, **more)
    assert (found.counts, found.histograms) == (expected.counts, expected.histograms)


def small(name: str, lineup: tuple[str, ...]) -> bool:
    run = run_of(name, lineup)
    try:
        CudaTable(run.game, run.calls)
    except DicelabError:
        return False
    return True


@pytest.mark.parametrize(("name", "lineup"), CASES, ids=CASE_IDS)
def test_the_games_are_those_of_the_reference_engine(name: str, lineup: tuple[str, ...]) -> None:
    if not small(name, lineup):
        pytest.skip("it has too many states")
    must_be_the_same(run_of(name, lineup))


def test_several_games_are_small_enough() -> None:
    assert {"hazard", "pass-line"} <= {name for name, lineup in CASES if small(name, lineup)}


@pytest.mark.parametrize("low", [2**32 - 30, 2**40 + 5])
def test_indices_of_more_than_32_bits(low: int) -> None:
    must_be_the_same(run_of("hazard"), low)


def test_a_table_that_does_not_fit_into_shared_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dicelab.gpu.kernel.SHARED", 10)
    must_be_the_same(run_of("hazard"))


def test_tallies_beyond_the_counters_in_shared_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dicelab.gpu.kernel.COUNTERS", 2)
    from dicelab.gpu.kernel import kernel_of

    kernel_of.cache_clear()
    must_be_the_same(run_of("hazard"))
    kernel_of.cache_clear()


def test_tallies_that_are_not_counted_are_left_to_the_compiled_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda_table, "BINS", 1024 + 4)  # values up to 3
    must_be_the_same(run_of("hazard"))
    monkeypatch.setattr(cuda_table, "SLOW", 2)
    must_be_the_same(run_of("hazard"))


def test_rejected_words_are_left_to_the_compiled_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    def rejecting(*given: Any, **more: Any) -> Any:
        table = table_of(*given, **more)
        for row in range(0, table.live - (1 << table.shift), 38):
            table.entries[row + 1] = 2**31  # every second word
        return table

    monkeypatch.setattr(cuda_table, "table_of", rejecting)
    must_be_the_same(run_of("hazard"))


def test_long_games_are_left_to_the_compiled_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    run = run_of("hazard")
    engine = CudaTable(run.game, run.calls)
    engine.blocks = 1
    engine.compile()
    found, expected = engine.play(7, 0, GAMES), Reference(run.game, run.calls, LIMIT, False).play(7, 0, GAMES)
    assert (found.counts, found.histograms) == (expected.counts, expected.histograms)


def test_a_simulation_says_that_it_played_there() -> None:
    found = dicelab.simulate("hazard", games=500, seed=1, engine="cuda", threads=2)
    expected = dicelab.simulate("hazard", games=500, seed=1, engine="reference")
    assert (found.engine, found.outcomes) == ("cuda", expected.outcomes)
    assert found.tallied.histograms == expected.tallied.histograms


def test_what_it_can_not_play() -> None:
    with pytest.raises(NotSmall):
        CudaTable(run_of("lcr").game, ())
    with pytest.raises(ParameterError, match="engine: lcr can't be played by cuda: it has more than"):
        dicelab.simulate("lcr", games=10, engine="cuda")
    with pytest.raises(ParameterError, match="engine: cuda can't keep a record of every game"):
        dicelab.simulate("hazard", games=10, engine="cuda", records=True)
