"""What several test modules share: every game that can be found, and every way in which its seats can be filled."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest
from _pytest.mark import ParameterSet
from numpy.typing import NDArray

from dicelab.engines.player import Player
from dicelab.rules.game import Game, seat_count
from dicelab.rules.loading.registry import all_games, games_in, load
from dicelab.rules.private import private_fields
from dicelab.runtime.lineup import Run
from dicelab.runtime.states.explorer import StateExplorer
from dicelab.solver.enumeration.model import as_labels

T = TypeVar("T", bound=tuple)
SetLimits = Callable[..., None]
"""The fixture `limits`."""
TESTS = Path(__file__).parent
ROOT = TESTS.parent


def open_ones(games: dict[str, type[Game]]) -> dict[str, type[Game]]:
    """These games, except those with hidden information: tests/rules/test_hidden.py and test_hidden_games.py have
    these.
    """
    return {name: game for name, game in games.items() if not private_fields(game)}


def games_of(folder: Path) -> dict[str, type[Game]]:
    """Games in the files of a folder, except those with hidden information."""
    return open_ones({n: game for file in sorted(folder.glob("*.py")) for n, game in games_in(load(file)).items()})


GAMES: dict[str, type[Game]] = {
    **open_ones(all_games()),
    **games_of(ROOT / "examples"),
    **games_of(ROOT / "verification"),
    **games_of(TESTS / "games"),
}
"""Every game without hidden information: a new one is covered by the tests that exist."""

OUTSIDE = {"sic_bo_bets": "which can't be compiled"}
"""Files of rules that people wrote which use what isn't in the language, with words of the message naming the line."""
NATURAL = [file for file in sorted((TESTS / "games/natural").glob("*.py")) if file.stem not in OUTSIDE]
"""Rules written from rulebooks by people who had read only the documentation."""
LONG_LISTS = "ten_thousand"
"""The one whose lists are too long for a thread of a GPU."""


def lineups(game: type[Game]) -> list[tuple[str, ...]]:
    """Each strategy alone in all seats, and all strategies spread over the seats; one empty line-up without choices."""
    names = list(game.declared.strategies)
    if not game.declared.decisions:
        return [()]
    seats = seat_count(game())
    mixed = tuple(names[(seat + 1) % len(names)] for seat in range(seats))
    return [*((name,) for name in names), *([mixed] if seats > 1 and len(names) > 1 else [])]


CASES: list[tuple[str, tuple[str, ...]]] = [(name, line) for name, game in GAMES.items() for line in lineups(game)]
CASE_IDS = [f"{name}-{'+'.join(line)}" if line else name for name, line in CASES]
FIRST: dict[str, tuple[str, ...]] = dict(reversed(CASES))
"""Each game with its first line-up."""


def slow_unless(quick: Callable[[T], bool], cases: Iterable[T]) -> list[T | ParameterSet]:
    """Cases for parametrize, of which those that are not quick are left to ``make test-all``."""
    return [case if quick(case) else pytest.param(*case, marks=pytest.mark.slow) for case in cases]


MAIN_CASES = slow_unless(lambda case: FIRST[case[0]] == case[1], CASES)
"""All cases, the first line-up of each game being quick."""

FEW = {
    *("farkle", "hazard", "lcr", "tossup"),
    *("everyday", "many-dice", "odd-dice", "pig", "session"),
}
"""Games of every kind, for what takes seconds to compile: with these it is quick, with all others left to test-all."""
FEW_CASES = slow_unless(lambda case: FIRST[case[0]] == case[1] and case[0] in FEW, CASES)
"""All cases, the first line-up of a few games being quick."""
EVERY_GAME = [name if name in FEW else pytest.param(name, marks=pytest.mark.slow) for name in GAMES]
"""All games, a few being quick."""

SHORT: dict[str, dict[str, object]] = {
    "craps": {"until_rounds": 4},
    "farkle": {"target": 300},
    "yahtzee": {"boxes": 2049},
}
"""Parameters with which a long game is short."""


def labelled(edges: Iterable[tuple[int, int, int]]) -> tuple[NDArray[Any], ...]:
    """Labels of edges with these weights, totals and rows of changes, and the three numbers of each label."""
    numbers = dict[tuple[int, int, int], int]()
    label = [numbers.setdefault(edge, len(numbers)) for edge in edges]
    return as_labels(label, len(numbers)), *np.array(list(numbers), np.int64).reshape(-1, 3).T.copy()


def run_of(name: str, lineup: tuple[str, ...] = (), **parameters: object) -> Run:
    """A run of any game found."""
    return Run.of(GAMES[name], lineup, **{**SHORT.get(name, {}), **parameters})


def forbid_computing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail the test where from now on a game is played, or its states are explored."""

    def computed(*given: object, **more: object) -> None:
        raise AssertionError("a game was played or its states were explored")

    monkeypatch.setattr(Player, "play", computed)
    monkeypatch.setattr(StateExplorer, "__init__", computed)
