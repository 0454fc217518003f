"""What `outcome` counts is counted by every engine, both enumerations, and all that is answered from them."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest

import dicelab
from dicelab.engines.tables.memo import MemoEngine
from dicelab.extras.learn.episode import Episode
from dicelab.questions.policies.objective import Objective
from dicelab.questions.policies.skill.review import PlayedStep, review
from dicelab.questions.policies.skill.values import values
from dicelab.rules import D6, OVER, Flag, Game, Int, Tally, ask, chosen, strategy, throw, thrown
from dicelab.runtime.interpreter import Reference
from dicelab.runtime.lineup import Run
from dicelab.solver.enumeration.graph import graph_of
from support import GAMES, run_of
from terminal import sit

LINEUPS = [("two",), ("two", "cautious:2")]


class Coin(Game):
    """Two dice; the stake is won on 7, and that is counted when it is over."""

    name = "coin"
    source = "made for the tests"
    outcomes = ("over", "under")

    money = Tally("money won")
    total = Int(0, 12, "what was thrown")

    def next(self) -> int:
        return throw(self.roll) if self.total == 0 else OVER

    @thrown(2, D6)
    def roll(self, total: int) -> None:
        self.total = total

    def outcome(self) -> int:
        self.money += 4 if self.total == 7 else -1
        return 0 if self.total > 6 else 1


class Chosen(Coin):
    """The same with one die or two."""

    name = "chosen"

    dice = Int(0, 2, "dice to throw")

    def next(self) -> int:
        return super().next() if self.dice > 0 else ask(self.take, 0)

    @chosen((1, 2))
    def take(self, dice: int) -> None:
        self.dice = dice


@strategy(Chosen)
def both(game: Chosen) -> int:
    return 2


class Called(Game):
    """Counts how often its outcome is asked for."""

    name = "called"
    source = "made for the tests"
    outcomes = ("over",)

    thrown_once = Flag("it was thrown")
    asked = Tally("calls of outcome")

    def next(self) -> int:
        return OVER if self.thrown_once else throw(self.roll)

    @thrown(1, D6)
    def roll(self, total: int) -> None:
        self.thrown_once = True

    def outcome(self) -> int:
        self.asked += 1
        return 0


@pytest.mark.slow
@pytest.mark.parametrize("lineup", LINEUPS)
def test_the_graph_engine_plays_such_games_itself(lineup: tuple[str, ...]) -> None:
    run = run_of("margin", lineup)
    graph = MemoEngine(run.game, run.calls)
    graph.compile()
    slow = Reference(run.game, run.calls).play(1, 0, 2000)
    assert graph.play(1, 0, 2000) == slow
    assert graph.name == "memo"
    assert slow.histogram(1)[1] > 0  # there were ties


@pytest.mark.slow
@pytest.mark.parametrize("lineup", LINEUPS)
@pytest.mark.parametrize("free", [(), (0,)])
def test_both_enumerations_are_the_same(lineup: tuple[str, ...], free: tuple[int, ...]) -> None:
    run = run_of("margin", lineup)
    slow, fast = (graph_of(run, free, engine=engine) for engine in ("reference", "compiled"))
    assert np.array_equal(slow.changes, fast.changes)
    assert np.array_equal(slow.change, fast.change)
    assert np.array_equal(slow.target, fast.target)
    assert (slow.changes[:, 1:] != 0).any(axis=0).all()


@pytest.mark.slow
def test_both_enumerations_are_the_same_when_turned() -> None:
    run = Run.of(GAMES["margin"])
    slow, fast = (graph_of(run, (0, 1), engine=engine, turned=True) for engine in ("reference", "compiled"))
    assert np.array_equal(slow.changes, fast.changes)
    assert np.array_equal(slow.turn, fast.turn)


def test_exact_is_what_all_games_come_to() -> None:
    """One turn each with two dice: the squares of the chances of each score."""
    of = {total: 6 - abs(total - 7) for total in range(6, 13)} | {0: 10}
    pairs = [(a, b, Fraction(p * q, 36**2)) for a, p in of.items() for b, q in of.items()]
    found = dicelab.exact(GAMES["margin"], "two", rounds=1)
    assert found.tallies["ties"].fraction == sum(p for a, b, p in pairs if a == b)
    assert found.tallies["margin"].fraction == 0
    by_margin = found.tallies["margin"].probabilities
    assert by_margin[-6] == pytest.approx(float(sum(p for a, b, p in pairs if b - a == -6)))
    assert str(found.outcomes["0"].fraction) == str(sum(p for a, b, p in pairs if a >= b))


@pytest.mark.slow_cases("lineup1")
@pytest.mark.parametrize("lineup", LINEUPS)
def test_exact_agrees_with_games(lineup: tuple[str, ...]) -> None:
    truth = dicelab.exact(GAMES["margin"], lineup)
    floats = dicelab.exact(GAMES["margin"], lineup, fractions=False)
    played = dicelab.simulate(GAMES["margin"], lineup, games=20_000, seed=1)
    for name, tally in truth.tallies.items():
        average = played.tallies[name]
        assert abs(average.mean - tally.mean) <= 5 * tally.sd / 20_000**0.5
        assert abs(floats.tallies[name].mean - tally.mean) <= floats.tallies[name].error


def test_the_best_moves_for_a_tally_know_what_is_counted_at_the_end() -> None:
    best = dicelab.solve(GAMES["margin"], "two", objective="most:margin")
    plain = dicelab.exact(GAMES["margin"], "two").tallies["margin"]
    assert best.value >= plain.mean
    least = dicelab.solve(GAMES["margin"], "two", objective="fewest:ties")
    assert least.value <= dicelab.exact(GAMES["margin"], "two").tallies["ties"].mean


def test_edges_know_what_is_won_at_the_end() -> None:
    row = dicelab.edges(Coin).rows[0]
    assert row.edge.fraction == Fraction(1, 6)
    assert row.win is not None
    assert row.win.probability == pytest.approx(1 / 6)


def test_sweeps_know_it_too() -> None:
    swept = dicelab.sweep(GAMES["margin"], "two", over={"rounds": [1, 2]}, exact=True)
    for row, rounds in zip(swept.rows, (1, 2), strict=True):
        alone = dicelab.exact(GAMES["margin"], "two", rounds=rounds)
        assert row.result.tallies["margin"].mean == alone.tallies["margin"].mean


def test_a_learner_is_rewarded_for_what_is_counted_at_the_end() -> None:
    run = run_of("margin", ("two",))
    table = Episode(run, [0], Objective.of(run.game, "fewest:margin"))
    two = next(i for i, (_, move) in enumerate(table.actions) if move == (2,))
    for number in range(50):
        table.begin(1, {"game": number})
        gained = 0.0
        while table.seat >= 0:
            table.take(two)
            gained += table.rewards()[0]
        played = Reference(run.game, run.calls).play(1, number, number + 1)
        ending = table.ending()["tallies"]
        assert gained == -ending["margin"]
        assert [{value: 1} for value in ending.values()] == [dict(played.histogram(k)) for k in range(3)]


@pytest.mark.slow
def test_the_outcome_is_asked_for_once() -> None:
    assert dicelab.exact(Called).tallies["asked"].fraction == 1
    for engine in ("reference", "compiled", "table", "memo"):
        assert set(dicelab.simulate(Called, games=100, seed=1, engine=engine).tallies["asked"].histogram) == {1}
    assert "asked 1" in sit(Called(), [], ["a"]).shown[-2]


def test_a_saved_game_counts_it_once(tmp_path) -> None:
    file = tmp_path / "game.json"
    assert "asked 1" in sit(Called(), [], ["a"], save=str(file)).shown[-2]
    assert json.loads(file.read_text())["result"]["tallies"] == {"asked": 1}


def test_a_review_ends_with_what_is_counted_at_the_end() -> None:
    game = Chosen()
    found = review(game, values(game, objective="most:money"), [PlayedStep("choice", (2,)), PlayedStep("throw", (7,))])
    assert found.result == (4,)
    assert found.result[0] == found.start[0] + found.luck[0] - found.costs[0]
    assert float(found.luck[0]) == pytest.approx(4 + 1 / 6)
