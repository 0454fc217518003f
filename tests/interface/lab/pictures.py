"""Draw the pictures of the lab in docs/pictures: `python tests/interface/lab/pictures.py` (after `make browser`)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

FOLDER = Path(__file__).resolve().parents[3] / "docs/pictures"
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
SIZE = {"width": 1120, "height": 760}


def simulate(page: Page) -> None:
    """A simulation that has finished, with the exact values beside it."""
    page.goto("/games/lcr/simulate?players=5&games=100000&seed=1")
    page.wait_for_selector("#state:text-is('finished')", timeout=60_000)
    page.wait_for_selector("figure img")


def craps(page: Page) -> None:
    """A craps table after a few rolls."""
    page.goto("/games/craps/play?seed=3&moves=0.10,126.0,126.0,43.30,4.25,126.0")
    page.hover("[aria-label='Bet on field']")
    page.wait_for_selector("#edge:text-matches('2.778')", timeout=60_000)


def play(page: Page) -> None:
    """Toss Up! with a coach."""
    page.goto("/games/tossup/play?target=30&seed=3&coach=before&moves=0,0")
    page.wait_for_selector(".worth", timeout=60_000)


def main() -> None:
    """Draw all pictures."""
    from playwright.sync_api import sync_playwright

    command = [sys.executable, "-m", "dicelab", "lab", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as lab, sync_playwright() as driver:
        assert lab.stdout is not None
        address = lab.stdout.readline().strip()
        browser = driver.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
        try:
            for draw in (simulate, craps, play):
                page = browser.new_page(base_url=address, viewport=SIZE, reduced_motion="reduce")
                draw(page)
                page.wait_for_timeout(500)
                page.screenshot(path=FOLDER / f"lab-{draw.__name__}.png")
                page.close()
        finally:
            browser.close()
            lab.kill()


if __name__ == "__main__":
    main()
