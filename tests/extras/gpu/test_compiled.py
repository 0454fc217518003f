"""The kernels are compiled for GPUs that need not be there: whole numbers only, little local memory, few registers."""

from __future__ import annotations

from pathlib import Path

import pytest
from numba import config

from dicelab.errors import NotSmall, ParameterError
from dicelab.extras.gpu.device import must_have_gpu
from dicelab.extras.gpu.engine import CudaRules, CudaTable
from dicelab.extras.gpu.shape import COUNTERS, SHARED
from dicelab.rules.loading.registry import find_in_file
from dicelab.runtime.lineup import Run
from extras.gpu.compiling import Resources, resources, rules_ptx, table_ptx
from extras.gpu.random_games import random_run
from support import FIRST, GAMES, LONG_LISTS, NATURAL, run_of

pytestmark = pytest.mark.skipif(bool(config.ENABLE_CUDASIM), reason="needs a compiler, not the simulator")
CAPABILITIES = [(8, 0), (9, 0)]


def of_rules(run: Run, capability: tuple[int, int]) -> tuple[str, Resources]:
    engine = CudaRules(run.game, run.calls)
    ptx = rules_ptx(engine.text, *engine.given, capability)
    return ptx, resources(ptx, capability)


@pytest.mark.parametrize("capability", CAPABILITIES)
@pytest.mark.parametrize("name", ["hazard", "odd-dice", "all-faces", "hog-choice"])
def test_a_game_that_follows_a_table_is_kept_in_registers(name: str, capability: tuple[int, int]) -> None:
    run = run_of(name, FIRST[name])
    shape = CudaTable(run.game, run.calls).shape
    ptx = table_ptx(shape, capability)
    found = resources(ptx, capability)
    assert found.local == 0
    assert 16 < found.registers <= 64, "so that a multiprocessor holds 1024 threads, with 65,536 registers"
    size = shape.size if shape.size <= SHARED else 1
    assert 0 <= found.shared - (4 * COUNTERS + 8 * size) <= 1024, "newer GPUs take 1 KiB for themselves"
    assert ".f64" not in ptx


@pytest.mark.parametrize("capability", CAPABILITIES)
@pytest.mark.parametrize(
    ("name", "parameters", "local"),
    [
        ("lcr", {"players": 6}, 48),  # chips of six players
        ("lcr", {"players": 12}, 96),
        ("tossup", {}, 32),
        ("hazard", {}, 0),
        ("craps", {}, 2048),  # amounts of all bets
        ("yahtzee", {}, 64),
        ("many-dice", {"dice": 30}, 256),  # dice that are drawn one at a time
    ],
)
def test_what_is_not_kept_in_registers_are_rows(
    name: str, parameters: dict[str, object], local: int, capability: tuple[int, int]
) -> None:
    ptx, found = of_rules(Run.of(GAMES[name], FIRST[name], **parameters), capability)
    assert found.local <= local
    assert found.registers <= 128, "two blocks of 256 threads on a multiprocessor with 65,536 registers"
    assert 0 <= found.shared - 4 * COUNTERS <= 1024
    assert ".f64" not in ptx


@pytest.mark.parametrize("name", [name for name in FIRST if not name.startswith("craps")])
def test_the_rules_of_every_game_are_compiled_without_floats(name: str) -> None:
    ptx, found = of_rules(run_of(name, FIRST[name]), (9, 0))
    assert ".f64" not in ptx
    assert found.registers <= 128


@pytest.mark.parametrize("file", [file for file in NATURAL if file.stem != LONG_LISTS], ids=lambda file: file.stem)
def test_rules_that_make_lists_are_compiled_without_floats(file: Path) -> None:
    ptx, found = of_rules(Run.of(find_in_file(file)), (9, 0))
    assert ".f64" not in ptx
    assert found.registers <= 128
    assert found.local < 2**18, "of 2**19 bytes that a thread may have"


@pytest.mark.parametrize("number", range(8))
def test_random_games_are_compiled_without_floats(number: int, tmp_path: Path) -> None:
    run = random_run(number, tmp_path)
    try:
        ptx, _ = of_rules(run, (9, 0)) if run is not None else ("", None)
    except NotSmall:
        pytest.skip("it can't be translated")
    assert ".f64" not in ptx


POWERS = """
from dicelab.rules import D6, OVER, Game, Int, Tally, throw, thrown

class Powers(Game):
    name = "powers"
    last = Int(0, 6, "the last number")
    sums = Tally("what is calculated")

    def next(self):
        return OVER if self.last > 4 else throw(self.die)

    @thrown(1, D6)
    def die(self, face):
        self.last = face
        self.sums += face**3 + 3**face + (face**2) ** 2 + abs(-face) ** 30 + round(face) + -7 // face + -7 % face
"""


def test_powers_are_whole_numbers(tmp_path: Path) -> None:
    (tmp_path / "powers.py").write_text(POWERS)
    ptx, _ = of_rules(Run.of(str(tmp_path / "powers.py")), (9, 0))
    assert ".f64" not in ptx


def test_what_numba_refuses_is_refused_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    from dicelab.extras.gpu import rules

    run = run_of("hazard")
    engine = CudaRules(run.game, run.calls)
    engine.text = engine.text.replace("return -1", "return (1, 2)", 1)
    monkeypatch.setattr("dicelab.extras.gpu.device.to_device", lambda array: array)
    monkeypatch.setattr("dicelab.extras.gpu.device.room", lambda *shape: None)
    monkeypatch.setattr(CudaRules, "_play", lambda *given: of_rules_text(engine))
    rules.kernel_of.cache_clear()
    with pytest.raises(NotSmall, match="Numba can't compile its rules for a GPU: "):
        engine.compile()


def of_rules_text(engine: CudaRules) -> None:
    rules_ptx(engine.text, *engine.given, (9, 0))


def test_without_a_gpu_it_says_so() -> None:
    from numba import cuda

    if cuda.is_available():
        must_have_gpu()
        return
    with pytest.raises(ParameterError, match="engine: cuda finds no GPU of NVIDIA with its driver"):
        must_have_gpu()
