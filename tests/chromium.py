"""A real browser for the tests, Debian's Chromium driven by Playwright, and a lab for it; `make browser` gets it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is missing: make browser")
axe = pytest.importorskip("axe_playwright_python", reason="axe-core is missing: make browser")
AXE = Path(axe.__file__).parent / "axe.min.js"
expect = playwright.expect
CHROMIUM = shutil.which("chromium")
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is missing: apt-get install chromium")
FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]


@contextmanager
def started(*words: str) -> Iterator[str]:
    """The address of a lab that is started with these words."""
    command = [sys.executable, "-m", "dicelab", "lab", "--port", "0", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip().rstrip("/")
        finally:
            process.kill()
