"""Pages of the documentation: their blocks of code, and what the commands on them say."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

PAGES = [
    *sorted((ROOT / "docs" / "texts").glob("*.md")),
    *sorted((ROOT / "docs" / "craps").glob("*.md")),
    *sorted((ROOT / "docs" / "start").glob("*.md")),
    *(
        ROOT / "docs" / f"{name}.md"
        for name in [
            "solve",
            "learn",
            "edges",
            "par",
            "sessions",
            "play",
            "dice",
            "judge",
            "fair-dice",
            "tune",
            "best",
            "equilibrium",
            "class",
            "sweep",
            "strategies",
            "why",
            "store",
            "cluster",
            "saved-games",
            "review",
            "playtests",
            "gallery",
            "cards",
            "engines",
        ]
    ),
]
"""Every command on them says what stands there: tests/interface/cli/test_pages.py."""
SERIES = [
    ROOT / name
    for name in (
        "README.md",
        "CONTRIBUTING.md",
        "docs/command-line.md",
        "docs/turn-by-turn.md",
        "docs/write-a-game.md",
        "verification/README.md",
    )
]
"""The commands of a block run one after the other, often without what they say: tests/interface/cli/test_samples.py."""

BLOCK = re.compile(r"^ *```([\w{}-]*)\n(.*?)^ *```$", re.M | re.S)
SESSION = re.compile(r"^\$ (.*(?:\\\n.*)*)\n((?:(?!\$ ).*\n)*)", re.M)
FILE = re.compile(r"# (\w+\.py)\n")


def write_files(page: Path, folder: Path) -> None:
    """Put the files of a page, Python whose first line names it, into a folder."""
    for kind, body in BLOCK.findall(page.read_text()):
        if kind == "python" and (name := FILE.match(body)):
            (folder / name[1]).write_text(body)


def run(command: str, folder: Path, typed: str | None = None) -> str:
    """What a command says in a shell, from a folder that has the rules files of the project in it.

    It must end as the page announces, with status 0 if the page says nothing, and without a traceback.
    """
    for linked in ("examples", "verification"):
        if not (folder / linked).exists():
            (folder / linked).symlink_to(ROOT / linked)
    paths = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    settings = {**os.environ, "PATH": paths, "COLUMNS": "80"}
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=settings,
        text=True,
        timeout=600,
        check=False,
        capture_output=True,
        input=typed,
    )
    announced = re.search(r"# exit status (\d+)$", command)
    assert done.returncode == (int(announced[1]) if announced else 0), done.stderr + done.stdout
    assert "Traceback (most recent call last)" not in done.stderr
    said = re.sub(r"[ \t]+$", "", done.stderr + done.stdout, flags=re.M)
    said = re.sub(r"^written: .*\n", "", said, flags=re.M)
    said = re.sub(r"^Simulated: .* Ctrl-C stops it and keeps this one\.\n", "", said, flags=re.M)  # while one waits
    said = re.sub(r"^dicelab: .* that may be used( and roughly .*)?\n", "", said, flags=re.M)  # of what takes long
    return re.sub(
        r"^((?:exact|solved|simulated)(?::| for) .*?)(error below \S+, )?\d+\.\d+ s$", r"\1... s", said, flags=re.M
    )  # machines differ


def sessions(page: Path) -> list[tuple[str, str]]:
    """Commands on a page, and what it says that they print."""
    text = page.read_text()
    return [found for kind, body in BLOCK.findall(text) if kind == "console" for found in SESSION.findall(body)]


def same_output(printed: str, said: str) -> bool:
    """Whether a page shows what a command says; it may leave parts out, as in doctests."""
    return doctest.OutputChecker().check_output(printed, said, doctest.ELLIPSIS | doctest.DONT_ACCEPT_BLANKLINE)
