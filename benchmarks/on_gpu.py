"""What the kernels of the engine `cuda` need of a GPU, and how fast they are where there is one.

It is run by an environment that has numba-cuda: ``python on_gpu.py`` prints the rows as JSON. On a
GPU games are first compared with those of the compiled engine, and the kernels are compiled for that GPU; without one
for two generations of them.
"""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from math import ceil
from pathlib import Path
from typing import Any

CAPABILITIES = [(8, 0), (9, 0)]
NAMES = {(8, 0): "8.0 (A100)", (9, 0): "9.0 (H100, H200)"}
PYTHON = Path(__file__).parents[1] / ".venv-cuda" / "bin" / "python"
TESTS = Path(__file__).parents[1] / "tests"
NATURAL = TESTS / "games" / "natural"
SECONDS = 2.0
"""How long games are played, at least, until their number counts."""
COMPARED = 20_000
HEAD = ["game", "how", "compute capability", "registers", "local memory", "shared memory"]
SPEEDS = ["games per second", "rolls per second", "one core, games per second", "times one core"]
GAMES: dict[str, tuple[str, tuple[str, ...], dict[str, object]]] = {
    "Hazard, main 7": ("hazard", (), {}),
    "craps, a bet on the pass line": ("pass-line", (), {}),
    "LCR, 6 players": ("lcr", (), {"players": 6}),
    "LCR, 12 players": ("lcr", (), {"players": 12}),
    "Toss Up!, >20 against >50": ("tossup", ("bank_over:20", "bank_over:50"), {}),
    "craps, 100 rounds on the line": ("craps", ("line",), {"until_rounds": 100}),
    "Farkle, bank at 500": ("farkle", ("bank_at:500",), {}),
    "Yahtzee, first open box": ("yahtzee", ("first_open",), {}),
    "Bunco, with lists": (str(NATURAL / "bunco.py"), (), {}),
    "Pass the Pigs, with lists": (str(NATURAL / "pass_the_pigs.py"), (), {}),
}


def cuda() -> list[list[str]]:
    """The rows, from this environment if it has numba-cuda, or else from the one of ``make cuda``."""
    head = [*HEAD, *SPEEDS]
    python = sys.executable if find_spec("numba_cuda") else PYTHON
    if not Path(python).exists():
        return [head, ["not measured: run make cuda first", *["-"] * (len(head) - 1)]]
    done = subprocess.run([python, __file__], check=True, stdout=subprocess.PIPE, text=True)
    return [head, *json.loads(done.stdout)]


def rows() -> list[list[str]]:
    from numba import cuda as device

    from dicelab.runtime.lineup import Run

    with_gpu = bool(device.is_available())
    capabilities = [tuple(device.get_current_device().compute_capability)] if with_gpu else CAPABILITIES
    found = []
    for says, (game, strategies, parameters) in GAMES.items():
        run = Run.of(game, strategies, **parameters)
        speeds = measured(run) if with_gpu else ["no GPU", *["-"] * (len(SPEEDS) - 1)]
        for capability in capabilities:
            name = NAMES.get(capability, "{}.{}".format(*capability))
            found.append([says, *needs(run, capability, name), *speeds])
    return found


def needs(run: Any, capability: Any, name: str) -> list[str]:
    """How the engine plays a run, and what its kernel needs."""
    sys.path.append(str(TESTS))
    from dicelab.extras.gpu.engine import CudaRules, made
    from extras.gpu.compiling import resources, rules_ptx, table_ptx

    engine = made(run)
    by_rules = isinstance(engine, CudaRules)
    ptx = rules_ptx(engine.text, *engine.given, capability) if by_rules else table_ptx(engine.shape, capability)
    found = resources(ptx, capability)
    how = "rules" if by_rules else "table"
    return [how, name, str(found.registers), f"{found.local:,} bytes", f"{found.shared:,} bytes"]


def measured(run: Any) -> list[str]:
    """Games and rolls per second on the GPU; games per second on one core by the fastest engine, and how many times."""
    from report import number, ratio

    fast, slow = played(run, COMPARED, "cuda", 1), played(run, COMPARED, "compiled", 1)
    if fast.tallied.counts != slow.tallied.counts or fast.tallied.histograms != slow.tallied.histograms:
        raise SystemExit(f"{run.game.name}: the GPU plays other games than the compiled engine")
    speed, throws = rate(run, "cuda", 4)
    core, _ = rate(run, "auto", 1)
    return [number(speed), number(speed * throws) if throws else "-", number(core), ratio(speed, core)]


def rate(run: Any, engine: str, threads: int) -> tuple[float, float]:
    """Games per second, and rolls per game (0 if they aren't counted); of a number of games that takes long enough."""
    games = COMPARED
    while True:
        found = played(run, games, engine, threads)
        if found.seconds >= SECONDS:
            throws = found.tallies["throws"].mean if "throws" in found.tallies else 0.0
            return found.games / found.seconds, throws
        games *= min(64, max(2, ceil(1.2 * SECONDS / found.seconds)))


def played(run: Any, games: int, engine: str, threads: int) -> Any:
    import dicelab

    return dicelab.simulate(run.game, run.calls or (), games=games, seed=1, engine=engine, threads=threads)


if __name__ == "__main__":
    print(json.dumps(rows()))
