"""Pages of `dicelab publish` in Chromium, beside the compiled engine: one core each, the same games."""

from __future__ import annotations

import base64
import shutil
import sys
from time import perf_counter
from typing import Any

from report import number, ratio

from dicelab.engines.compiled import Compiled
from dicelab.interface.publishing.game_data import game_data
from dicelab.interface.publishing.page import bundle
from dicelab.runtime.lineup import Run

GAMES = "tossup", "lcr", "yahtzee", "hazard", "farkle", "hazard-caster", "pass-line", "craps-bet"
TURNS, SECONDS, SEED = 25, 0.1, 1
SCRIPT = """async (game) => { BUNDLE
const bytes = Uint8Array.from(atob(game.kernels.simulate.code), (c) => c.charCodeAt(0));
const kernel = { ...game.kernels.simulate, code: bytes }, point = game.settings[0];
const nobody = { strategy: 0, args: [] };
const seats = Array.from({ length: Math.max(1, point.seats) }, (_, seat) => game.calls[seat] ?? nobody);
const simulator = await Simulator.of(kernel, game, point, seats, SEED);
globalThis.timed = (low, high) => {
  const began = performance.now(), { games } = simulator.play(low, high);
  return [games, (performance.now() - began) / 1000, simulator.take().counts];
};
}"""


def in_chromium() -> list[list[str]]:
    """Games per second of the kernels of pages; the best of some turns in turn with the compiled engine."""
    from playwright.sync_api import sync_playwright

    rows = [["games per second, one core", "page in Chromium", "compiled engine", "page / compiled"]]
    with sync_playwright() as driver:
        flags = ["--headless", "--no-sandbox", "--disable-gpu"]
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=flags)
        for name in GAMES:
            page = browser.new_page()
            rows.append(_row(page, name))
            page.close()
            print(*rows[-1], sep="  ", file=sys.stderr, flush=True)
        browser.close()
    return rows


def _row(page: Any, name: str) -> list[str]:
    run = Run.of(name)
    data = game_data(run, [])
    for kernel in data["kernels"].values():
        kernel["code"] = base64.b64encode(kernel["code"]).decode()
    page.evaluate(SCRIPT.replace("BUNDLE", bundle(("engine",))).replace("SEED", str(SEED)), data)
    engine = Compiled(run.game, run.calls)

    def browsed(many: int) -> float:
        played, seconds, counts = page.evaluate("(many) => timed(0, many)", many)
        assert played == many
        assert counts == engine.play(SEED, 0, many).counts
        return float(seconds)

    def native(many: int) -> float:
        began = perf_counter()
        engine.play(SEED, 0, many)
        return perf_counter() - began

    many = 1024
    while (seconds := browsed(many)) < SECONDS / 4:
        many *= 4
    many = int(many * SECONDS / seconds)
    turns = [(browsed(many), native(many)) for _ in range(TURNS)]
    page_seconds, own = (min(one) for one in zip(*turns, strict=True))
    return [name, number(many / page_seconds), number(many / own), ratio(own, page_seconds)]
