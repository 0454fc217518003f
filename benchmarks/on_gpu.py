"""What the kernel of the engine `cuda` needs of a GPU, and how fast it is where there is one.

It is run by the environment of ``make cuda``, which has numba-cuda: ``python on_gpu.py`` prints the rows as JSON.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

CAPABILITIES = {"8.0 (A100)": (8, 0), "9.0 (H100, H200)": (9, 0)}
PYTHON = Path(__file__).parents[1] / ".venv-cuda" / "bin" / "python"


def cuda() -> list[list[str]]:
    """The rows, from the other environment."""
    head = ["kernel", "compute capability", "registers", "local memory", "shared memory", "rolls per second"]
    if not PYTHON.exists():
        return [head, ["not measured: run make cuda first", *["-"] * 5]]
    done = subprocess.run([PYTHON, __file__], check=True, capture_output=True, text=True)
    return [head, *json.loads(done.stdout)]


def rows() -> list[list[str]]:
    from dicelab.gpu.compiled import resources

    found = []
    for says, entries in (("Hazard, main 7", 266), ("table not in shared memory", 0)):
        for name, capability in CAPABILITIES.items():
            needs = resources(entries, capability)
            speed = f"{measured():,.0f}" if has_gpu() and entries else "no GPU"
            found.append([says, name, str(needs.registers), f"{needs.local} bytes", f"{needs.shared:,} bytes", speed])
    return found


def has_gpu() -> bool:
    from numba import cuda as device

    return bool(device.is_available())


def measured() -> float:
    """Rolls of Hazard per second."""
    import dicelab

    dicelab.simulate("hazard", games=10**8, seed=1, engine="cuda")
    played = dicelab.simulate("hazard", games=10**10, seed=1, engine="cuda")
    return played.games * played.tallies["throws"].mean / played.seconds


if __name__ == "__main__":
    print(json.dumps(rows()), file=sys.stdout)
