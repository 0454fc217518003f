"""Seconds until pages of the lab answer, also while a file of rules is never read."""

from __future__ import annotations

import subprocess
import tempfile
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path
from time import perf_counter

from report import seconds
from startup import DICELAB

RULES = Path(__file__).resolve().parents[1] / "examples/pig.py"
ENDLESS = "while True: pass\n"
PAGES = {
    "all games": "",
    "another game": "games/lcr",
    "an exact answer about another game": "games/hazard/exact",
    "the check of the file": "games/mine/check",
}


def waiting() -> list[list[str]]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "mine.py"
        file.write_text(RULES.read_text())
        command = [*DICELAB, "lab", str(file), "--port", "0"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as lab:
            assert lab.stdout is not None
            address = lab.stdout.readline().strip()
            for page in PAGES.values():  # the first time, modules are imported
                of_page(address + page)
            usual = {says: of_page(address + page) for says, page in PAGES.items()}
            file.write_text(ENDLESS)
            rows = [[says, seconds(usual[says]), seconds(of_page(address + page))] for says, page in PAGES.items()]
            lab.terminate()
    return [["page of the lab, seconds", "usually", "while the file has an endless loop"], *rows]


def of_page(address: str) -> float:
    began = perf_counter()
    with suppress(urllib.error.HTTPError):  # a page that says that the file can't be read
        urllib.request.urlopen(address, timeout=120).read()
    return perf_counter() - began
