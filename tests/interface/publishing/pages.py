"""A page in the browser that plays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.interface.publishing.conftest import until

from dicelab.interface.play.saved import checked, read
from dicelab.rules.loading.registry import find
from dicelab.runtime.interpreter import steps
from dicelab.runtime.philox import Stream

SEED, GAMES = 7, 1000


PLAY_ON = """() => {
  const moves = "#play .moves button, #play .sheet button, #play .table .controls button:not(.quiet):not(:disabled)";
  for (let step = 0; step < 3000; step++) {
    const dice = [...document.querySelectorAll("#play .pick")];
    const alike = (one) => dice.filter((other) => other.dataset.key === one.dataset.key);
    for (const set of dice.flatMap((one) => [1, 3].map((n) => alike(one).slice(0, n)))) {
      if (document.querySelector(moves)) break;
      set.forEach((one) => one.click());
      if (!document.querySelector(moves)) set.forEach((one) => one.click());
    }
    const move = document.querySelector(moves);
    if (!move) return;
    move.click();
  }
}"""


def played(page: Any, seed: int = SEED) -> Any:
    """A game played to its end by always taking the first move, as the page saves it."""
    page.fill("#play form input[inputmode=numeric]", str(seed))
    page.click("#play form button[type=submit]")
    until(page, "document.querySelector('#play .board') !== null")
    page.evaluate(PLAY_ON)
    return json.loads(page.evaluate("dicelab.log()"))


def must_be_the_game_of_its_seed(log: Any, file: Path) -> None:
    """Read the log as dicelab does, and compare its dice and its result with the stream of the seed."""
    file.write_text(json.dumps(log), encoding="utf-8")
    saved = read(str(file))
    game = find(saved.game)(**saved.parameters)
    script = checked(game, saved)
    assert script.over
    assert saved.result is not None
    moves = iter(script.choices)
    again = find(saved.game)(**saved.parameters)
    choosers = [lambda *_: next(moves)] * max(1, len(saved.seats))
    rolls = [event.values for event in steps(again, choosers, Stream(SEED, 0)) if event.kind == "throw"]
    assert rolls == [roll.seen for roll in script.rolls]
