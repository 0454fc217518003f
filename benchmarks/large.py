"""Large games solved from their rules files: seconds and memory, each in a process of its own on two cores."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from report import seconds

ROOT = Path(__file__).resolve().parents[1]
SHUT = ROOT / "verification" / "shut_the_box.py"
SCORE, TURNS = ["--objective", "most:score"], ["--objective", "fewest:turns"]
GAMES: list[tuple[str, list[str], float, str, str, str]] = [
    ("Yahtzee, forced joker", ["yahtzee", *SCORE], 254.5877287, "120 s, 3 GB", "30 s", "3.3"),
    ("Yahtzee, free joker", ["yahtzee", "--joker", "free", *SCORE], 254.5896095, "120 s, 3 GB", "30 s", ""),
    ("Farkle, 2 players", ["farkle"], 0.536953, "900 s, 4 GB", "300 s", "22"),
    ("Farkle, alone, fewest turns", ["farkle", "--players", "1", *TURNS], 23.00399, "20 s", "5 s", ""),
    ("Toss Up!, 100", ["tossup"], 0.57, "", "", ""),
    ("Pig, 100", [str(ROOT / "examples" / "pig.py")], 0.5306, "", "", ""),
    ("Shut the Box", [str(SHUT), "--objective", "shut"], 0.097614, "", "", ""),
]  # fmt: skip
"""Title, arguments of solve, value, limits, aim, seconds of a C program for this game alone on two cores."""
MEASURED = """
import json, resource, sys
from dicelab.interface.cli.main import main
try:
    main()
finally:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    took = sum(u.ru_utime + u.ru_stime for u in used)
    print(json.dumps({"processor": took, "memory": max(u.ru_maxrss for u in used) * 1024}), file=sys.stderr)
"""


def seconds_for_large_games() -> list[list[str]]:
    """Optimal play; the seconds are those of the result, so without starting Python."""
    rows = [
        [
            "optimal play, two cores",
            "value",
            "error below",
            "seconds",
            "processor seconds",
            "memory",
            "limit",
            "aim",
            "C",
        ]
    ]
    for title, words, value, limit, aim, in_c in GAMES:
        found, used = measured(["solve", *words])
        assert abs(found["value"] - value) < (1e-6 if limit else 0.5), (title, found["value"])
        error = found["exact"]["error"]
        row = [title, f"{found['value']:.7f}", f"{error:.1e}", seconds(found["seconds"]), seconds(used["processor"])]
        rows.append([*row, f"{used['memory'] / 1e9:.2f} GB", limit, aim, in_c])
        print(*rows[-1], sep="  ", file=sys.stderr, flush=True)
    found, used = measured(["exact", "lcr", "--players", "8"])
    row = ["LCR, 8 players (exact)", "", "", seconds(found["seconds"]), seconds(used["processor"])]
    return [*rows, [*row, f"{used['memory'] / 1e9:.2f} GB", "", "", ""]]


def measured(words: list[str]) -> tuple[dict[str, object], dict[str, float]]:
    """The result of a command as plain data, and what it used."""
    cores = sorted(os.sched_getaffinity(0))[:2]
    command = ["taskset", "-c", ",".join(map(str, cores)), sys.executable, "-c", MEASURED, *words, "--json"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(done.stdout), json.loads(done.stderr.splitlines()[-1])
