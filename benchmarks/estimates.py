"""What `--dry-run` says beforehand of states (or beginnings of turns) and seconds, beside what it takes."""

from __future__ import annotations

import sys
from pathlib import Path

from large import measured
from report import number, seconds

PIG = str(Path(__file__).resolve().parents[1] / "examples" / "pig.py")
QUESTIONS: list[list[str]] = [
    ["exact", "lcr", "--players", "6"],
    ["exact", "lcr", "--players", "7"],
    ["exact", "lcr", "--players", "8"],
    ["exact", "tossup", "-s", "bank_over:20", "--target", "60"],
    ["exact", PIG, "-s", "hold_at:20"],
    ["solve", PIG, "--target", "60"],
    ["solve", "tossup", "--target", "60"],
    ["solve", "farkle", "--target", "3000"],
    ["solve", "yahtzee", "--boxes", "1023", "--objective", "most:score"],
    ["solve", "yahtzee", "--objective", "most:score"],
]


def estimates() -> list[list[str]]:
    """Estimated and real numbers and times of some questions."""
    rows = [["question", "states or turns, estimated", "real", "seconds, estimated", "real", "estimated / real"]]
    for words in QUESTIONS:
        said, _ = measured([*words, "--dry-run"])
        found, _ = measured(words)
        states = found["exact"]["states"] if isinstance(found.get("exact"), dict) else found["states"]
        expected, took = said["expected_seconds"], found["seconds"]
        times = "-" if expected is None else f"{expected / took:.2f}"
        title = " ".join(["dicelab", *words]).replace(PIG, "examples/pig.py")
        row = [f"`{title}`", number(said["states"]), number(states), "-" if expected is None else seconds(expected)]
        rows.append([*row, seconds(took), times])
        print(*rows[-1], sep="  ", file=sys.stderr, flush=True)
    return rows
