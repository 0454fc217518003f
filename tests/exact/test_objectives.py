"""Objectives about amounts and outcomes: `atleast:TALLY:N` and `avoid:OUTCOME`, beside solvers of a few lines."""

from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction
from functools import cache
from itertools import product
from math import factorial
from pathlib import Path

import jsonschema
import numpy as np
import pytest

import dicelab
from dicelab.errors import ParameterError, PlayError, RulesError, UnknownNameError
from dicelab.questions.policies import plan as plans
from dicelab.questions.policies.plan import reaching
from dicelab.rules import D6, OVER, Game, Int, Tally, ask, chosen, strategy, throw, thrown
from dicelab.rules.game import outcome_names
from support import GAMES, ROOT


class Up(Game):
    """Roll up to three times and stop at will; the last roll counts, and a draw of two cards can cost 2."""

    rolls = Int(0, 3)
    last = Int(0, 6)
    asked = Int(0, 1)
    points = Tally("the last roll")
    money = Tally("money, which rolls cost")

    def next(self) -> int:
        if self.rolls == 3 and not self.asked:
            return OVER
        return ask(self.go_on, 0) if self.asked else throw(self.die)

    @thrown(1, D6)
    def die(self, face: int) -> None:
        self.last, self.asked = face, 1
        self.points += face
        self.rolls += 1
        self.money -= 1

    @chosen(2)
    def go_on(self, more: int) -> None:
        self.asked = 0
        if more == 0 or self.rolls == 3:
            self.rolls = 3


@strategy(Up)
def always(game: Up) -> int:
    return 1


class Late(Up):
    """What the last roll brought is counted when the game is over."""

    outcomes = ("over",)
    bonus = Tally("points once more")

    def outcome(self) -> int:
        self.bonus += self.last
        return 0


def by_hand(dice: int, wanted: int) -> float:
    """The largest chance that aces and twos of Yahtzee bring at least `wanted` points, with this many dice."""

    def rolls(n: int) -> list[tuple[tuple[int, int], float]]:
        found: dict[tuple[int, int], float] = {}
        for aces, twos in product(range(n + 1), repeat=2):
            if aces + twos <= n:
                ways = factorial(n) // (factorial(aces) * factorial(twos) * factorial(n - aces - twos))
                found[aces, twos] = ways * 4 ** (n - aces - twos) / 6**n
        return list(found.items())

    @cache
    def turn(boxes: frozenset[int], points: int, left: int, shown: tuple[int, int]) -> float:
        if left == 0:
            worth = {1: shown[0], 2: 2 * shown[1]}
            return max(begin(boxes - {box}, points + worth[box]) for box in boxes)
        return max(
            sum(p * turn(boxes, points, left - 1, (a + x, b + y)) for (x, y), p in rolls(dice - a - b))
            for a, b in product(range(shown[0] + 1), range(shown[1] + 1))
        )

    @cache
    def begin(boxes: frozenset[int], points: int) -> float:
        if not boxes:
            return float(points >= wanted)
        return sum(p * turn(boxes, points, 2, shown) for shown, p in rolls(dice))

    return begin(frozenset({1, 2}), 0)


@pytest.mark.slow
@pytest.mark.parametrize("amount", [1, 8, 15, 16])
def test_the_chance_to_reach_a_score_in_yahtzee(amount: int) -> None:
    found = dicelab.solve("yahtzee", boxes=3, objective=f"atleast:score:{amount}")
    assert abs(found.value - by_hand(5, amount)) <= found.error + 1e-12
    plan = plans.planned("yahtzee", (), 0, f"atleast:score:{amount}", None, {"boxes": 3})
    turns = plan.turn_by_turn(lambda states, done: None)[0]
    assert abs(turns.value - found.value) <= turns.error + found.error
    assert found.policy is None
    assert found.turn_policy is None


def test_the_chance_to_reach_an_amount_is_data_like_any_outcome() -> None:
    found = dicelab.solve(Up, objective="atleast:points:6")
    # One roll brings 6 with 1/6, two at least 6 with 26/36; three or more are always at least as good.
    enough = sum(sum(faces) >= 6 for faces in product(range(1, 7), repeat=3))
    assert found.value == pytest.approx(enough / 216)
    assert found.game == "up"
    data = found.to_dict()
    assert data["outcomes"]["atleast:points:6"]["probability"] == found.value
    assert data["tallies"] == {}
    jsonschema.validate(json.loads(found.to_json()), json.loads((ROOT / "src/dicelab/schema/v2.json").read_text()))
    assert "atleast:points:6" in found.text()


@pytest.mark.slow
def test_amounts_that_can_not_be_asked_for(tmp_path: Path) -> None:
    for wrong in ("atleast:points", "atleast:points:x", "atleast:points:0", "atleast::3"):
        with pytest.raises(ParameterError, match="it is written atleast:TALLY:N"):
            dicelab.solve(Up, objective=wrong)
    with pytest.raises(UnknownNameError, match="did you mean 'points'"):
        dicelab.solve(Up, objective="atleast:point:3")
    with pytest.raises(PlayError, match="money falls; only a tally that never falls"):
        dicelab.solve(Up, objective="atleast:money:3")
    with pytest.raises(ParameterError, match="objective must be win"):
        dicelab.solve("farkle", target=100, objective="atleast:turns:3")
    with pytest.raises(ParameterError, match="relay: with several optimised seats, objective must be payoff; for atl"):
        dicelab.solve(GAMES["relay"], objective="atleast:rerolls:3")
    with pytest.raises(RulesError, match="outcome counts bonus when the game is over; only a tally that rolls and"):
        dicelab.solve(Late, objective="atleast:bonus:3")
    with pytest.raises(ParameterError, match="for solve only"):
        dicelab.learn(Up, objective="atleast:points:3", games=1)
    out = ["--objective", "atleast:score:3", "--boxes", "3", "--out", str(tmp_path / "best.npz")]
    said = subprocess.run([sys.executable, "-m", "dicelab", "solve", "yahtzee", *out], capture_output=True, text=True)
    assert said.returncode == 2
    assert "--out: the best moves depend on the tally" in said.stderr
    assert not (tmp_path / "best.npz").exists()


WON = Fraction(18, 38)


def bold(money: int, goal: int) -> Fraction:
    """The chance to reach a goal, a power of two, by bold play (Dubins and Savage)."""
    if money in (0, goal):
        return Fraction(money // goal)
    if 2 * money <= goal:
        return WON * bold(2 * money, goal)
    return WON + (1 - WON) * bold(2 * money - goal, goal)


@pytest.mark.parametrize(("money", "goal"), [(1, 2), (5, 16), (11, 16), (3, 8), (13, 32)])
def test_bold_play_is_best_for_a_goal(money: int, goal: int) -> None:
    game = GAMES["red-or-black"]
    found = dicelab.solve(game, objective="goal", money=money, goal=goal)
    assert abs(found.value - float(bold(money, goal))) <= found.error + 1e-15
    assert dicelab.exact(game, "bold", money=money, goal=goal).outcomes["goal"].fraction == bold(money, goal)
    ruined = dicelab.solve(game, objective="avoid:ruined", money=money, goal=goal)
    assert ruined.value == pytest.approx(1 - found.value, abs=1e-12)
    assert ruined.to_dict()["outcomes"]["ruined"]["probability"] == ruined.value


@pytest.mark.parametrize(("objective", "least"), [("avoid:ruined", True), ("ruined", False)])
def test_the_least_and_the_largest_chance_of_ruin(objective: str, least: bool) -> None:
    """Independent: backward induction over the rounds and the money."""

    @cache
    def ruin(money: int, rounds: int) -> Fraction:
        if money in (0, 16) or rounds == 0:
            return Fraction(int(money == 0))
        ends = (
            WON * ruin(money + stake, rounds - 1) + (1 - WON) * ruin(money - stake, rounds - 1)
            for stake in range(1, min(money, 16 - money) + 1)
        )
        return min(ends) if least else max(ends)

    found = dicelab.solve(GAMES["red-or-black"], objective=objective, rounds=8)
    assert abs(found.value - float(ruin(5, 8))) <= found.error + 1e-15
    assert found.policy is not None
    again = dicelab.exact(GAMES["red-or-black"], found.policy, rounds=8).outcomes["ruined"].probability
    assert again == pytest.approx(found.value)


@pytest.mark.slow
def test_avoiding_an_outcome_is_a_negative_reward() -> None:
    pytest.importorskip("gymnasium")
    from dicelab.extras.learn.make import gym, vector

    one, rewards = gym(GAMES["red-or-black"], objective="avoid:ruined", money=1, goal=2), set()
    for seed in range(20):
        one.reset(seed=seed)
        rewards.add(float(one.step(1)[1]))
    assert rewards == {0.0, -1.0}
    lanes = vector(GAMES["red-or-black"], num_envs=20, objective="avoid:ruined", money=1, goal=2)
    lanes.reset(seed=1)
    assert {float(reward) for reward in lanes.step(np.ones(20, np.int64))[1]} == {0.0, -1.0}


def test_a_game_with_a_bankroll_can_be_asked_for_an_amount() -> None:
    asked = reaching(GAMES["craps"](), "rounds", 3)
    assert outcome_names(asked) == ("missed", "reached")


def test_the_score_of_farkle_is_what_all_have_banked() -> None:
    alone = dicelab.exact("farkle", players=1, target=300)
    assert alone.tallies["score"].mean == pytest.approx(300)
    both = dicelab.simulate("farkle", games=50, seed=1, target=1000, records=True).tallies["score"]
    assert min(both.histogram) >= 1000
    assert max(both.histogram) <= 1999
