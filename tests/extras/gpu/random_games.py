"""Random games of the fuzzer, as runs."""

from __future__ import annotations

from pathlib import Path

from dicelab.errors import DicelabError
from dicelab.rules.loading.registry import find_in_file
from dicelab.runtime.lineup import Run
from fuzz.case import Case, plain_game, write
from fuzz.games import made


def random_run(number: int, folder: Path) -> Run | None:
    """A run of a random game; None if dicelab refuses it."""
    text = made(number)
    try:
        game = find_in_file(write(text, folder))
        return Run.of(game, Case(folder, game, plain_game(text)(), number, True).lineups[0])
    except DicelabError:
        return None
