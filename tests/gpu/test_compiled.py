"""The kernel is compiled for GPUs that need not be there: no local memory, and few enough registers."""

from __future__ import annotations

import pytest
from numba import config

from dicelab.errors import ParameterError
from dicelab.gpu.compiled import Resources, resources
from dicelab.gpu.device import must_have_gpu

pytestmark = pytest.mark.skipif(bool(config.ENABLE_CUDASIM), reason="needs a compiler, not the simulator")


@pytest.mark.parametrize("capability", [(8, 0), (9, 0)])
@pytest.mark.parametrize("entries", [266, 0])
def test_the_state_of_a_game_is_kept_in_registers(entries: int, capability: tuple[int, int]) -> None:
    found = resources(entries, capability)
    assert isinstance(found, Resources)
    assert found.local == 0
    assert 16 < found.registers <= 64, "so that a multiprocessor holds 1024 threads, with 65,536 registers"
    assert 0 <= found.shared - (4 * 2048 + 8 * max(1, entries)) <= 1024, "newer GPUs take 1 KiB for themselves"


def test_without_a_gpu_it_says_so() -> None:
    from numba import cuda

    if cuda.is_available():
        must_have_gpu()
        return
    with pytest.raises(ParameterError, match="engine: cuda finds no GPU of NVIDIA with its driver"):
        must_have_gpu()
