"""Luck and skill: the sums of a review, and the values that they are made of."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pytest

import dicelab
from dicelab.errors import ParameterError
from dicelab.questions.policies.skill.review import PlayedStep, Review, review
from dicelab.questions.policies.skill.values import Values, values
from dicelab.rules.actions import Decision
from dicelab.rules.game import Game, fresh, reset, twin
from dicelab.runtime.interpreter import asked, finished, steps
from dicelab.runtime.philox import Stream, pool
from small_games import Fewest

SOLVED: dict[str, Values] = {}
GAMES: list[tuple[str, dict[str, Any]]] = [
    ("tossup", {"target": 6, "dice": 3}),
    ("tossup", {"target": 4, "dice": 2, "players": 3}),
    ("tossup", {"target": 5, "dice": 3, "last_turn": "yes"}),
    ("examples/pig.py", {"target": 12}),
    ("hazard", {"main": 7}),
    ("lcr", {"players": 3, "coins": 1}),
]


def solved(name: str, parameters: dict[str, Any]) -> Values:
    key = f"{name} {parameters}"
    if key not in SOLVED:
        SOLVED[key] = values(name, **parameters)
    return SOLVED[key]


def at_random(game: Game, seed: int) -> list[PlayedStep]:
    """A game played by choosing among all legal moves at random, those that no good player makes too."""
    chance = random.Random(seed)

    def choose(table: Game, decision: Decision, seat: int) -> tuple[int, ...]:
        return chance.choice(decision.listing(table) or [()])

    return [PlayedStep(e.kind, e.values) for e in steps(game, [choose] * 9, Stream(seed, 0), 400)]


@pytest.mark.slow_cases("examples/pig.py-parameters3", "tossup-parameters1", "tossup-parameters2")
@pytest.mark.parametrize(("name", "parameters"), GAMES)
def test_luck_costs_and_errors_add_up_to_the_result_exactly(name: str, parameters: dict[str, Any]) -> None:
    known = solved(name, parameters)
    for seed in range(12):
        game = fresh(known.game)
        found = review(known.game, known, at_random(game, seed))
        assert found.over
        outcome = finished(game).outcome
        for k in range(found.seats):
            if found.seats > 1:
                assert found.result[k] == int(outcome == k)
            assert found.result[k] == found.start[k] + found.luck[k] - found.costs[k] + found.given[k]


@pytest.mark.slow_cases("examples/pig.py-parameters3", "tossup-parameters2")
@pytest.mark.parametrize(("name", "parameters"), GAMES)
def test_no_decision_gains_more_than_rounding_and_the_policy_costs_nothing(
    name: str, parameters: dict[str, Any]
) -> None:
    known = solved(name, parameters)
    for seed in range(10):
        found = review(known.game, known, at_random(fresh(known.game), seed))
        for step in found.steps:
            assert step.cost > -Fraction(1, 10**8)
            if step.words == step.best:
                assert step.cost == 0


@pytest.mark.slow_cases("tossup-parameters2")
@pytest.mark.parametrize(("name", "parameters"), GAMES)
def test_the_luck_of_a_roll_is_zero_on_average(name: str, parameters: dict[str, Any]) -> None:
    known = solved(name, parameters)
    for seed in range(5):
        game = fresh(known.game)
        reset(game)
        for step in at_random(fresh(known.game), seed):
            kind, dice = asked(game, game.next())
            if not isinstance(kind, Decision):
                before, mean = known.of(game), [Fraction(0)] * known.seats
                rolled = pool(game, kind, dice)
                for outcome in rolled.outcomes:
                    after = twin(game)
                    kind.rule(after, *outcome.seen)
                    mean = [
                        m + Fraction(outcome.weight, rolled.weight) * v
                        for m, v in zip(mean, known.of(after), strict=True)
                    ]
                assert all(abs(m - b) < 1e-9 for m, b in zip(mean, before, strict=True))
            kind.rule(game, *step.values)


@pytest.mark.slow_cases("examples/pig.py-parameters3", "tossup-parameters2")
@pytest.mark.parametrize(("name", "parameters"), GAMES[:4])
def test_the_value_of_the_start_is_that_of_solve(name: str, parameters: dict[str, Any]) -> None:
    known = solved(name, parameters)
    game = fresh(known.game)
    reset(game)
    best = dicelab.solve(name, **parameters)
    assert [float(v) for v in known.of(game)] == pytest.approx(
        [p.probability for p in best.outcomes.values()], abs=1e-9
    )


def test_without_decisions_the_values_are_the_exact_probabilities() -> None:
    known = solved("lcr", {"players": 3, "coins": 1})
    game = fresh(known.game)
    reset(game)
    exact = dicelab.exact("lcr", players=3, coins=1)
    assert [float(v) for v in known.of(game)] == pytest.approx([p.probability for p in exact.outcomes.values()])


def test_a_review_names_the_worst_decisions_and_says_so_in_one_sentence() -> None:
    known = solved("tossup", {"target": 6, "dice": 3})
    found: Review = review(known.game, known, at_random(fresh(known.game), 3), ["you", "seat 2"])
    worst = found.worst(0)
    assert [step.cost for _, step in worst] == sorted((step.cost for _, step in worst), reverse=True)
    assert all(found.steps[at] is step for at, step in worst)
    assert found.sentence(0).startswith("Your decisions cost ")
    assert found.sentence(1).startswith("Seat 2: Its decisions cost ")
    data = found.to_dict()
    assert len(data["steps"]) == len(found.steps)
    assert data["result"] == [float(v) for v in found.result]


def test_where_fewer_is_better_a_decision_costs_what_it_adds() -> None:
    """Roll up to three times, keep few: the values follow by hand, 3.5, then (1 + 2 + 3 + 3 * 3.5) / 6, and so on."""
    last, two = Fraction(7, 2), Fraction(1 + 2 + 3, 6) + Fraction(3, 6) * Fraction(7, 2)
    start = Fraction(1 + 2, 6) + Fraction(4, 6) * two
    game = Fewest()
    known = values(game, objective="fewest:score")
    played = [
        PlayedStep("throw", (2,)),
        PlayedStep("choice", (0,)),
        PlayedStep("throw", (5,)),
        PlayedStep("choice", (1,)),
    ]
    found = review(game, known, played, ["you"])
    first, second = found.steps[1], found.steps[3]
    assert float(first.cost) == pytest.approx(float(two - 2))
    assert float(second.cost) == pytest.approx(float(5 - last))
    assert (first.best, second.best) == (first.decision.describe((1,), 1), first.decision.describe((0,), 1))  # type: ignore[union-attr]
    assert float(found.start[0]) == pytest.approx(float(start))
    assert found.result[0] == 5 == found.start[0] + found.luck[0] + found.costs[0]
    assert found.sentence(0) == "Your decisions cost 2.2 of score; the dice added 0.4."
    assert [at for at, _ in found.worst(0)] == [3, 1]
    assert "result = start + luck + own costs" in found.text()


@pytest.mark.parametrize(
    ("played", "message"),
    [
        ([PlayedStep("choice", (0,))], "step 1: cup comes here, not a choice"),
        ([PlayedStep("throw", (0, 3))], "step 1: cup takes 3 numbers"),
        ([PlayedStep("throw", (0, 0, 3)), PlayedStep("choice", (7,))], "step 2: the move (7,) is not allowed"),
    ],
)
def test_steps_that_do_not_fit_are_refused(played: list[PlayedStep], message: str) -> None:
    known = solved("tossup", {"target": 6, "dice": 3})
    with pytest.raises(Exception, match=r"step") as refused:
        review(known.game, known, played)
    assert message in str(refused.value)


def test_values_of_other_parameters_are_refused() -> None:
    known = solved("tossup", {"target": 6, "dice": 3})
    with pytest.raises(ParameterError, match="other parameters"):
        review(fresh(dicelab.find("tossup")(target=7)), known, [])
