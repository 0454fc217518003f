"""The compiled engine plays the games of the reference engine, bit for bit, for every game and strategy found."""

from __future__ import annotations

from itertools import pairwise

import pytest

from dicelab.analysis.simulate import simulate
from dicelab.engines.chunks import in_chunks
from dicelab.engines.compiled import Compiled
from dicelab.engines.plan import Run
from dicelab.engines.reference import Reference
from dicelab.engines.tally import Tallied
from dicelab.errors import ParameterError, PlayError
from dicelab.rules.game import outcome_names
from support import CASE_IDS, CASES, GAMES, run_of

SEED = 20_261_120
SEEDS = (0, 2**32 - 1, 2**64 - 1)


def engines(run: Run) -> tuple[Compiled, Reference]:
    return Compiled(run.game, run.calls), Reference(run.game, run.calls)


def same_games(run: Run, seed: int, first: int, games: int) -> None:
    """Every single game, not only their sum, is the same."""
    fast, slow = engines(run)
    for index in range(first, first + games):
        assert fast.play(seed, index, index + 1) == slow.play(seed, index, index + 1), f"game {index} of seed {seed}"


@pytest.mark.parametrize(("name", "lineup"), CASES, ids=CASE_IDS)
def test_each_game_is_the_same(name: str, lineup: tuple[str, ...]) -> None:
    same_games(run_of(name, lineup), SEED, 0, 40)


@pytest.mark.parametrize(("name", "lineup"), CASES, ids=CASE_IDS)
def test_many_games_are_the_same(name: str, lineup: tuple[str, ...]) -> None:
    fast, slow = engines(run_of(name, lineup))
    assert fast.play(SEED, 0, 300) == slow.play(SEED, 0, 300)


@pytest.mark.parametrize("name", GAMES)
def test_the_ends_of_the_seeds_and_of_32_bits_of_games(name: str) -> None:
    run = run_of(name, tuple(list(GAMES[name].declared.strategies)[:1]))
    for seed in SEEDS:
        same_games(run, seed, 0, 3)
    same_games(run, SEED, 2**32 - 2, 4)


SETTINGS = [
    (name, param, end) for name, game in GAMES.items() for param in game.declared.params for end in ("low", "high")
]


def what_happens(engine: Compiled | Reference) -> Tallied | str:
    """Three games, or the error that stops them."""
    try:
        return engine.play(SEED, 0, 3)
    except PlayError as error:
        return str(error)


@pytest.mark.parametrize(("name", "param", "end"), SETTINGS)
def test_every_parameter_at_its_ends(name: str, param: str, end: str) -> None:
    """Some settings never end: then both engines say so, of the same game at the same state."""
    game = GAMES[name]
    value = getattr(game.declared.params[param], end)
    try:
        run = run_of(name, tuple(list(game.declared.strategies)[:1]), **{param: value})
    except ParameterError:
        return  # refused in words
    limit = 3000
    assert what_happens(Compiled(run.game, run.calls, limit)) == what_happens(Reference(run.game, run.calls, limit))


DRAWN_OTHERWISE = [
    ("tossup", ("bank_over:20",), {"dice": 12}),  # two words for a throw
    ("tossup", ("bank_over:30",), {"dice": 25}),  # one die at a time
    ("tossup", ("bank_over:20", "one_roll", "bank_over_or_win:3"), {"players": 3, "last_turn": "yes", "target": 40}),
    ("tossup", ("bank_over:5",), {"red": 0, "yellow": 999, "green": 1, "target": 5}),
    ("lcr", (), {"dice": 10, "coins": 12, "players": 3}),
    ("lcr", (), {"players": 50}),  # thousands of throws
    ("many-dice", (), {"dice": 7}),
    ("many-dice", (), {"dice": 9}),  # faces one die at a time, sum whole
    ("many-dice", (), {"dice": 14}),
    ("many-dice", (), {"dice": 30}),
    ("many-dice", (), {"dice": 1, "heavy": 130_150_514}),  # one try in 30 is rejected
    ("many-dice", (), {"dice": 2, "heavy": 200_000_000}),
    ("many-dice", (), {"rounds": 200}),
]


@pytest.mark.parametrize(("name", "lineup", "parameters"), DRAWN_OTHERWISE)
def test_every_way_of_drawing_a_throw(name: str, lineup: tuple[str, ...], parameters: dict[str, object]) -> None:
    fast, slow = engines(run_of(name, lineup, **parameters))
    assert fast.play(SEED, 0, 30) == slow.play(SEED, 0, 30)


@pytest.mark.parametrize("name", ["hazard", "lcr", "tossup", "line-bets"])
def test_chunks_do_not_matter(name: str) -> None:
    run = run_of(name)
    engine = Compiled(run.game, run.calls)
    whole = engine.play(SEED, 0, 1000)
    parts = Tallied.empty(len(whole.counts), len(run.game.declared.tallies))
    edges = [0, 1, 2, 65, 66, 130, 447, 999, 1000]
    for low, high in pairwise(edges):
        parts.merge(engine.play(SEED, low, high))
    assert parts == whole


@pytest.mark.parametrize("threads", [1, 2, 7])
@pytest.mark.parametrize("name", ["hazard-caster", "lcr", "tossup"])
def test_threads_do_not_matter(name: str, threads: int) -> None:
    run = run_of(name)
    fast, slow = engines(run)
    total = Tallied.empty(max(1, len(outcome_names(run.game))), len(run.game.declared.tallies))
    in_chunks(fast, SEED, threads, 0, 400, total.merge)
    assert total == slow.play(SEED, 0, 400)


def test_the_change_of_engines_in_the_middle_does_not_matter() -> None:
    run = run_of("tossup")
    began_slowly = simulate(run.game, run.strategies, games=3000, seed=SEED)
    compiled = simulate(run.game, run.strategies, games=3000, seed=SEED, engine="compiled", threads=3)
    assert began_slowly.tallied == compiled.tallied
    assert compiled.engine == "compiled"
