"""Games in which each seat plays for what a tally counts: solved values beside backward induction in fractions."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache
from typing import Any

import jsonschema
import numpy as np
import pytest

import dicelab
from dicelab.errors import RulesError
from dicelab.extras.learn.make import aec, gym, vector
from dicelab.interface.play.asking.advice import Amounts
from dicelab.interface.play.asking.hints import hints_for
from dicelab.questions.policies.best_response import BestResponse
from dicelab.questions.policies.skill.review import PlayedStep, review
from dicelab.questions.policies.skill.values import values
from dicelab.rules import D6, OVER, Game, Int, Param, Peak, Seat, Switch, Tally, ask, chosen, strategy, throw, thrown
from dicelab.rules.game import fresh
from dicelab.runtime.interpreter import steps
from dicelab.runtime.lineup import Run
from dicelab.runtime.philox import Stream
from support import ROOT

TAKE, AGAIN = 0, 1


class Pots(Game):
    """In turn each rolls: a 6 is a point and another roll; other faces are taken, or left for a roll that counts twice.

    Who leaves one gives the other a point. Whoever gains a point in the game for money takes it from the other.
    """

    name = "pots"
    source = "made for the tests"
    rounds = Param(3, 1, 9, "turns")
    money = Switch(False, "points are paid by the other player")

    seats = 2
    outcomes = ("over",)
    player = Seat(2, "whose turn it is")
    turn = Int(0, rounds, "turns so far", grows=True)
    face = Int(0, 5, "the roll, 0 before it")
    again = Int(0, 1, "the next roll counts twice")
    first = Tally("points of the first player")
    second = Tally("points of the second player")
    rolls = Tally("rolls")

    payoffs = (first, second)

    def next(self) -> int:
        if self.turn == self.rounds:
            return OVER
        return ask(self.choose, self.player) if self.face > 0 else throw(self.die)

    def gain(self, seat: int, points: int) -> None:
        """Count points of a seat."""
        mine, yours = points, -points if self.money else 0
        self.first += mine if seat == 0 else yours
        self.second += mine if seat == 1 else yours

    @thrown(1, D6)
    def die(self, face: int) -> None:
        self.rolls += 1
        if face == 6:
            self.gain(self.player, 1)
        else:
            self.face = face

    def may(self, move: int) -> bool:
        return move == TAKE or self.again == 0

    @chosen(2, legal=may)
    def choose(self, move: int) -> None:
        if move == TAKE:
            self.gain(self.player, self.face * (1 + self.again))
            self.again = 0
            self.turn += 1
            self.player = 1 - self.player
        else:
            self.gain(1 - self.player, 1)
            self.again = 1
        self.face = 0

    def outcome(self) -> int:
        return 0


@strategy(Pots, least=Param(3, 1, 5, "take at least this"))
def take_from(game: Pots, least: int) -> int:
    """Take a face of at least `least`."""
    return TAKE if game.again == 1 or game.face >= least else AGAIN


def expected(rounds: int, money: bool, given: int = 0) -> tuple[Fraction, Fraction]:
    """What both get; with `given` seat 1 takes faces from there on."""

    def paid(seat: int, points: int, then: tuple[Fraction, Fraction]) -> tuple[Fraction, Fraction]:
        mine = then[seat] + points, then[1 - seat] - (points if money else 0)
        return (mine[0], mine[1]) if seat == 0 else (mine[1], mine[0])

    @cache
    def worth(turn: int, again: int) -> tuple[Fraction, Fraction]:
        if turn == rounds:
            return Fraction(0), Fraction(0)
        me, found = turn % 2, []
        for face in range(1, 6):
            options = [paid(me, face * (1 + again), worth(turn + 1, 0))]
            options += [] if again else [paid(1 - me, 1, worth(turn, 1))]
            best = max(options, key=lambda option: option[me])
            found.append(options[0 if again or face >= given else 1] if given and me else best)
        # v = (v + a point of mine) / 6 + the mean over the other faces
        mean = tuple(sum((v[k] for v in found), Fraction(0)) / 5 for k in (0, 1))
        return paid(me, 1, (mean[0] * 5, mean[1] * 5))[0] / 5, paid(me, 1, (mean[0] * 5, mean[1] * 5))[1] / 5

    return worth(0, 0)


@pytest.mark.slow_cases("1-False")
@pytest.mark.parametrize("money", [False, True])
@pytest.mark.parametrize("rounds", [1, 4])
def test_each_seat_plays_for_its_tally(rounds: int, money: bool) -> None:
    found, both = dicelab.solve(Pots, rounds=rounds, money=money), expected(rounds, money)
    assert found.objective == "payoff"
    assert found.opposed == money
    assert found.payoffs == pytest.approx({"0": float(both[0]), "1": float(both[1])}, abs=1e-12)
    assert abs(found.value - both[0]) <= found.error < 1e-11
    assert ("deviating" in str(found)) == (not money)
    assert str(found).count("payoff") == 1, "a table of both seats"
    plain = found.to_dict()
    assert (plain["outcomes"]["over"]["seats"], plain["payoffs"]) == ([], found.payoffs)
    jsonschema.validate(plain, json.loads((ROOT / "src/dicelab/schema/v2.json").read_text()))
    played = dicelab.exact(Pots, found.policy, rounds=rounds, money=money)
    assert [played.tallies[name].mean for name in ("first", "second")] == pytest.approx([*found.payoffs.values()])


@pytest.mark.parametrize("money", [False, True])
def test_the_best_response_to_a_strategy(money: bool) -> None:
    found = dicelab.solve(Pots, "take_from:5", rounds=4, money=money)
    assert abs(found.value - expected(4, money, given=5)[0]) <= found.error < 1e-11


@pytest.mark.parametrize("money", [False, True])
def test_reviews_and_hints_are_in_payoffs(money: bool) -> None:
    game = Pots(rounds=4, money=money)
    solved, both = values(game), expected(4, money)
    assert [float(v) for v in solved.at_start] == pytest.approx([float(v) for v in both])
    best = hints_for(game, ["me", "take_from:2"])
    hinted: list[float] = []

    def choose(table: Any, decision: Any, seat: int) -> tuple[int, ...]:
        if seat == 0:
            found = best(table, decision, seat)
            assert isinstance(found, Amounts)
            hinted.append(max(found.after.values()))
        return (TAKE,) if table.again or table.face >= 2 else (AGAIN,)

    played = [PlayedStep(e.kind, e.values) for e in steps(fresh(game), [choose] * 2, Stream(3, 0), 400)]
    found = review(game, solved, played)
    assert found.over
    for k in range(2):
        assert found.result[k] == found.start[k] + found.luck[k] - found.costs[k] + found.given[k]
        assert found.costs[k] >= 0
    assert "of payoff" in found.sentence(0)
    chance = BestResponse(Run.of(game, ["take_from:2"] * 2), 0).chance
    assert hinted
    assert chance == pytest.approx(dicelab.solve(Pots, "take_from:2", rounds=4, money=money).value)


def rewards_of(env: Any, seed: int) -> list[float]:
    """The rewards of a game in which faces are taken."""
    env.reset(seed=seed)
    found, over = list[float](), False
    while not over:
        _, reward, over, _, _ = env.step(TAKE)
        found.append(float(reward))
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("seat", "objective"), [(0, "most:first"), (1, "most:second")])
def test_environments_reward_what_is_counted(seat: int, objective: str) -> None:
    asked: dict[str, Any] = {"seat": seat, "rounds": 5, "money": True}
    one, other = gym(Pots, "take_from:2", **asked), gym(Pots, "take_from:2", objective=objective, **asked)
    for seed in range(4):
        assert rewards_of(one, seed) == rewards_of(other, seed) != []
    many, single = vector(Pots, "take_from:2", **asked), rewards_of(one, 7)
    many.reset(seed=7)
    assert [float(many.step(np.array([TAKE]))[1][0]) for _ in single] == single


def test_each_agent_gets_what_it_counts() -> None:
    both = aec(Pots, rounds=4)
    both.reset(seed=2)
    sums = dict.fromkeys(both.possible_agents, 0.0)
    for agent in both.agent_iter():
        _, reward, over, _, info = both.last()
        sums[agent] += reward
        both.step(None if over else TAKE)
    assert [*sums.values()] == [info["tallies"]["first"], info["tallies"]["second"]]


@pytest.mark.parametrize(
    ("payoffs", "said"), [(lambda t: (t,), "write one for each"), (lambda t: (t, Peak("x")), "not a tally")]
)
def test_tallies_to_play_for_are_checked(payoffs: Any, said: str) -> None:
    tally = Tally("points")
    with pytest.raises(RulesError, match=said):
        type("Wrong", (Game,), {"name": "wrong", "seats": 2, "points": tally, "payoffs": payoffs(tally)})
