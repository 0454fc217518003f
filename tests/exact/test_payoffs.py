"""Games with draws, teams and money: solved values beside independent solvers of a few lines, and what is refused."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import jsonschema
import pytest

import dicelab
from dicelab.errors import ParameterError, RulesError
from dicelab.plots import plot_review
from dicelab.questions.policies.objective import Objective, objectives
from dicelab.questions.policies.skill.review import PlayedStep, review
from dicelab.questions.policies.skill.values import values
from dicelab.results.card import card_text
from dicelab.results.text.page import Printing
from dicelab.rules import D6, OVER, Flag, Game, Int, Tally, ask, chosen, strategy, throw, thrown
from dicelab.rules.game import fresh
from support import GAMES, ROOT

DIE = range(1, 7)


def sign(x: int) -> int:
    """-1, 0 or 1."""
    return (x > 0) - (x < 0)


@pytest.mark.parametrize("stake", [1, 2, 5])
def test_a_betting_game_with_a_draw(stake: int) -> None:
    """Independent: the mean over all rolls of what the first player gets by the best of checking and raising."""

    def later(a: int, b: int) -> Fraction:
        return Fraction(sum(sign(a + c - b - d) for c, d in product(DIE, DIE)), 36)

    expected = sum(max(later(a, b), min(Fraction(1), (stake + 1) * later(a, b))) for a, b in product(DIE, DIE)) / 36
    found = dicelab.solve(GAMES["high-bet"], stake=stake)
    assert found.objective == "payoff"
    assert abs(found.value - expected) <= found.error < 1e-12
    assert found.payoffs == pytest.approx({"0": float(expected), "1": -float(expected)})
    exact = dicelab.exact(GAMES["high-bet"], found.policy, stake=stake)
    assert {n: p.probability for n, p in found.outcomes.items()} == pytest.approx(
        {n: p.probability for n, p in exact.outcomes.items()}
    )


@pytest.mark.slow_cases("2")
@pytest.mark.parametrize("rounds", [1, 2])
def test_a_team_game_with_a_draw(rounds: int) -> None:
    """Independent: backward induction over the turns and the lead."""

    @cache
    def worth(turn: int, lead: int) -> Fraction:
        if turn == 4 * rounds:
            return Fraction(sign(lead) + 1, 2)
        team = 1 if turn % 2 == 0 else -1
        again = sum(worth(turn + 1, lead + team * face) for face in DIE) / 6
        best = max if team > 0 else min
        return sum(best(worth(turn + 1, lead + team * face), again) for face in DIE) / 6

    found = dicelab.solve(GAMES["relay"], rounds=rounds)
    expected = float(worth(0, 0))
    assert abs(found.value - expected) <= found.error < 1e-12
    assert found.payoffs == pytest.approx({"0": expected, "1": 1 - expected, "2": expected, "3": 1 - expected})
    assert found.opposed
    assert found.winners == {"first team": [0, 2], "second team": [1, 3], "draw": [0, 1, 2, 3]}
    plain = found.to_dict()
    assert plain["outcomes"]["first team"]["seats"] == [0, 2]
    assert plain["payoffs"] == found.payoffs
    assert sum(outcome["probability"] for outcome in plain["outcomes"].values()) == pytest.approx(1.0)
    jsonschema.validate(plain, json.loads((ROOT / "src/dicelab/schema/v2.json").read_text()))
    assert "deviating" not in str(found)


class Centipede(Game):
    """Each in turn takes the pot or passes; before each decision a six ends the game with nothing for both."""

    name = "centipede"
    source = "made for the tests"
    seats = 2
    outcomes = ("nothing", "took 0", "took 1", "took 2", "shared")
    payoffs = {"nothing": (0, 0), "took 0": (2, 0), "took 1": (1, 3), "took 2": (4, 2), "shared": (3, 5)}

    step = Int(0, 3, "decisions so far", grows=True)
    rolled = Int(0, 1)
    end = Int(0, 5, "the outcome, 5 while the game goes on", start=5)
    rolls = Tally("rolls")

    def next(self) -> int:
        if self.end < 5:
            return OVER
        return ask(self.take, self.step % 2) if self.rolled else throw(self.die)

    @thrown(1, D6)
    def die(self, face: int) -> None:
        self.rolls += 1
        self.rolled = 1
        if face == 6:
            self.end = 0

    @chosen(2)
    def take(self, move: int) -> None:
        self.rolled = 0
        if move == 1:
            self.end = self.step + 1
        else:
            self.step += 1
            if self.step == 3:
                self.end = 4

    def outcome(self) -> int:
        return self.end


@strategy(Centipede)
def always(game: Centipede) -> int:
    return 0


def test_payoffs_that_are_not_opposed_have_best_responses() -> None:
    """Backward induction: taking is best at each step, so the first player takes unless a six came first."""
    found = dicelab.solve(Centipede)
    assert not found.opposed
    assert found.payoffs == pytest.approx({"0": 5 / 6 * 2, "1": 0.0})
    assert found.chasing == 0
    assert found.error < 1e-12
    assert {name: p.probability for name, p in found.outcomes.items()} == pytest.approx(
        {"nothing": 1 / 6, "took 0": 5 / 6, "took 1": 0, "took 2": 0, "shared": 0}
    )
    assert "no player can gain more than" in str(found)


def test_payoffs_may_be_negative() -> None:
    lower = {name: tuple(x - 10 for x in row) for name, row in Centipede.payoffs.items()}
    game = type("Lower", (Centipede,), {"name": "lower", "payoffs": lower, "source": "made for the tests"})
    assert dicelab.solve(game, policy=False).payoffs == pytest.approx({"0": 5 / 6 * 2 - 10, "1": -10.0})


def test_a_rule_for_payoffs() -> None:
    """Raising is right when the own die is higher, calling when it isn't lower."""
    found = dicelab.rule(dicelab.solve(GAMES["high-bet"]).policy, leaves=4)
    assert found.loss < 0.05
    assert found.seats[0].best == pytest.approx(dicelab.solve(GAMES["high-bet"]).payoffs["0"])


def test_the_best_response_to_a_strategy_maximises_the_payoff_of_its_seat() -> None:
    """Who passes always lets the other take when it is worth most: after 5/6 of rolls each time."""
    first = dicelab.solve(Centipede, "always")
    assert first.value == pytest.approx((5 / 6) ** 3 * 4)
    second = dicelab.solve(Centipede, "always", seat=1)
    assert second.value == pytest.approx(max((5 / 6) ** 2 * 3, (5 / 6) ** 3 * 5))
    data = second.to_dict()  # a payoff is no probability
    assert (data["outcomes"], data["payoffs"]) == ({}, {"1": second.value})


def test_objectives_are_listed() -> None:
    assert objectives(Centipede())[:2] == ["payoff", "nothing"]
    assert Objective.of(Centipede(), None).kind == "payoff"
    with pytest.raises(ParameterError, match="objective must be payoff"):
        dicelab.solve(Centipede, objective="shared")
    with pytest.raises(Exception, match=r"no objective of centipede 'pay'; did you mean 'payoff'\?"):
        dicelab.solve(Centipede, objective="pay")


def test_payoffs_are_shown() -> None:
    text = card_text(GAMES["relay"], "relay", Printing())
    assert "  draw         0.5       0.5       0.5       0.5" in text.splitlines()
    assert "Payoffs" not in card_text(dicelab.find("tossup"), "tossup", Printing())


@pytest.mark.parametrize(
    ("payoffs", "said"),
    [
        ({"a": (1, 0)}, "they say for each outcome"),
        ([1, 0], "they say for each outcome"),
        ({"a": (1, 0), "b": (0,)}, "there are 2 seats"),
        ({"a": (1, 0), "b": (0, "x")}, "'x' is not a number"),
        ({"a": (1, 0), "b": (0, float("nan"))}, "nan is not a number"),
    ],
)
def test_payoffs_are_checked(payoffs: Any, said: str) -> None:
    with pytest.raises(RulesError, match=said):
        type("Wrong", (Game,), {"name": "wrong", "seats": 2, "outcomes": ("a", "b"), "payoffs": payoffs})


class Deal(Game):
    """Keep what was rolled, or stop at once; the outcomes have names, and the payoffs are what counts."""

    name = "deal"
    source = "made for the tests"
    outcomes = ("ruined", "kept")
    payoffs = {"ruined": (-3,), "kept": (2,)}
    face = Int(0, 6, "face")
    over = Flag("over")

    def next(self) -> int:
        if self.over:
            return OVER
        return ask(self.go_on, 0) if self.face else throw(self.die)

    @thrown(1, D6)
    def die(self, total: int) -> None:
        self.face = total

    @chosen(2)
    def go_on(self, move: int) -> None:
        self.over = True
        if move:
            self.face = 7 - self.face

    def outcome(self) -> int:
        return int(self.face > 4)


@strategy(Deal)
def stays(game: Deal) -> int:
    return 0


@pytest.mark.slow
def test_luck_and_reviews_are_about_the_payoff() -> None:
    game = Deal()
    solved = values(game)
    assert solved.of(fresh(game)) == pytest.approx([(2 * 4 - 3 * 2) / 6])
    found = review(game, solved, [PlayedStep("throw", (5,)), PlayedStep("choice", (1,))])
    assert (found.result, found.costs) == ((-3,), (5,))
    assert "cost 5.0 of payoff" in found.sentence(0)
    assert plot_review(found).get_ylabel() == "payoff"
    row = dicelab.luck(Deal, "stays", games=400, seed=1).rows[0]
    outcomes = dicelab.simulate(Deal, "stays", games=400, seed=1).outcomes
    assert row.mean == pytest.approx(2 * outcomes["kept"].probability - 3 * outcomes["ruined"].probability)
    kept = review(game, values(game, objective="kept"), [PlayedStep("throw", (5,)), PlayedStep("choice", (1,))])
    assert 'points of chance of the outcome "kept"' in kept.sentence(0)
