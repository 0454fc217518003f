"""Values with which a game is as wished: wishes, optimal and casual play exactly, strategies, what is refused."""

from __future__ import annotations

import random
from math import sqrt

import pytest

import dicelab
from dicelab.errors import ParameterError, UnknownNameError
from dicelab.games.tossup import TossUp
from dicelab.learning import aec
from dicelab.questions.policies.casual import SolvedStates
from dicelab.questions.sweeps.candidates import FAILS, HOLDS, OPEN, Wish
from dicelab.results.numbers.estimates import Point


@pytest.mark.parametrize(
    ("text", "figure", "low", "high"),
    [
        ("gap<1%", "gap", float("-inf"), 0.01),
        ("gap <= 0.01", "gap", float("-inf"), 0.01),
        ("turns=8..12", "turns", 8, 12),
        ("0>=45%", "0", 0.45, float("inf")),
        ("0=45%..55%", "0", 0.45, 0.55),
        ("money>-5%", "money", -0.05, float("inf")),
    ],
)
def test_a_wish_is_a_figure_with_a_range(text, figure, low, high):
    assert Wish.of(text) == Wish(text, figure, low, high)


def test_a_wish_holds_only_if_the_whole_interval_is_in_the_range():
    wish = Wish.of("turns=8..12")
    judged = [wish.judged(Point(10, *ends)) for ends in ((9, 11), (7, 11), (9, 13), (13, 14), (6, 7.5), (8, 12))]
    assert judged == [HOLDS, OPEN, OPEN, FAILS, FAILS, HOLDS]


def test_without_choices_the_figures_are_those_of_exact():
    found = dicelab.tune("lcr", over={"players": [2, 3, 4], "coins": [1, 2]}, want=["gap<10%", "turns=8..20"])
    assert found.seed is None
    for row in found.rows:
        exact = dicelab.exact("lcr", **row.values)
        values = row.figures[""].values
        assert values["turns"].value == exact.tallies["turns"].mean
        assert values["gap"].value == pytest.approx(exact.fairness["gap"])
        good = exact.fairness["gap"] < 0.1 and 8 <= exact.tallies["turns"].mean <= 20
        assert row.satisfies() == good
    assert [row.satisfies() for row in found.rows] == sorted((row.satisfies() for row in found.rows), reverse=True)


@pytest.mark.slow_cases("game1")
@pytest.mark.parametrize("game", [TossUp(target=10, dice=3), TossUp(target=12, dice=3, last_turn=True)])
def test_optimal_play_is_that_of_solve_and_of_its_policy(game):
    figures = SolvedStates.of(game).figures(None)
    solution = dicelab.solve(game)
    exact = dicelab.exact(game, solution.policy)
    for name, chance in exact.outcomes.items():
        assert figures[name].value == pytest.approx(chance.probability, abs=1e-12)
        assert figures[name].low <= chance.probability + 1e-12
        assert figures[name].high >= chance.probability - 1e-12
    for name, tally in exact.tallies.items():
        assert figures[name].value == pytest.approx(tally.mean, abs=1e-9)
    assert SolvedStates.of(game).figures(0.0)["0"].value == pytest.approx(solution.value, abs=1e-9)


def test_casual_play_with_any_move_is_what_random_players_find():
    game, games, won, turns = TossUp(target=6, dice=2), 1500, 0, []
    figures = SolvedStates.of(game).figures(1.0)
    env, rng = aec(game), random.Random(4)
    env.reset(seed=9)
    for k in range(games):
        if k:
            env.reset()
        while env.agents and not all(env.terminations.values()):
            mask = env.infos[env.agent_selection]["action_mask"]
            env.step(rng.choice([at for at, ok in enumerate(mask) if ok]))
        won += env.rewards[env.possible_agents[0]] > 0
    p = figures["0"].value
    assert abs(won / games - p) < 4 * sqrt(p * (1 - p) / games)
    del turns


def test_more_slack_leads_away_from_optimal_play():
    solved = SolvedStates.of(TossUp(target=20, dice=5))
    found = [solved.figures(slack)["turns"].value for slack in (0.0, 0.05, 0.1, 1.0)]
    assert found == sorted(found)
    assert found[0] < found[-1]


@pytest.mark.slow
def test_what_is_fair_for_experts_only_is_said():
    found = dicelab.tune("tossup", over={"target": [20, 40], "last_turn": [False, True]}, want="turns<12", dice=5)
    by_play = {
        (row.values["target"], row.values["last_turn"]): (row.satisfies("best"), row.satisfies("casual"))
        for row in found.rows
    }
    assert by_play[(40, "yes")] == (True, False)
    assert any("optimal play, but not with all" in line and "40" in line for line in found.words)


def test_small_games_with_strategies_are_exact():
    found = dicelab.tune("tossup", over={"target": [5, 10]}, want="0<90%", play="bank_over:4+one_roll")
    for row in found.rows:
        exact = dicelab.exact("tossup", ["bank_over:4", "one_roll"], **row.values)
        assert row.figures["bank_over:4+one_roll"].games == 0
        assert row.figures["bank_over:4+one_roll"].values["0"].value == exact.outcomes["0"].probability


@pytest.mark.slow
def test_large_games_are_screened_then_simulated(limits):
    limits(candidate_states=3)
    asked = {"over": {"target": [5, 10, 20]}, "play": "bank_over:4", "games": 4000, "seed": 1}
    found = dicelab.tune("tossup", want="turns<2", **asked)
    games = {row.values["target"]: row.figures["bank_over:4"].games for row in found.rows}
    assert games[20] == 2000  # it clearly fails
    assert games[5] == 4000
    for row in found.rows:
        one = row.figures["bank_over:4"].values["turns"]
        exact = dicelab.exact("tossup", "bank_over:4", **row.values).tallies["turns"].mean
        assert one.low <= exact <= one.high
    assert found.seed == 1
    assert "simulated" in found.text()


def test_combinations_that_are_not_allowed_are_counted():
    roulette = dicelab.find("examples/roulette.py:roulette")
    found = dicelab.tune(roulette, over={"bet": ["red", "top_line"], "zeros": ["two", "one"]}, want="money>-6%")
    assert found.left_out == 1
    assert {tuple(row.values.values()): row.satisfies() for row in found.rows} == {
        ("red", "two"): True,
        ("red", "one"): True,
        ("top_line", "two"): False,
    }


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"want": []}, "there is no wish"),
        ({"want": "gap"}, "it is written"),
        ({"want": "gap=5"}, "give a range"),
        ({"want": "gap=5..1"}, "goes up"),
        ({"want": "gap<x"}, "want"),
        ({"over": {}}, "one to 4 parameters"),
        ({"over": {"bank_over": [1, 2]}}, "is a strategy"),
        ({"over": {"target": range(1, 1001), "dice": [1, 2, 3]}}, "more than 2,000"),
        ({"slack": -1.0}, "slack"),
        ({"play": ["best", "best"]}, "given twice"),
    ],
)
def test_what_cannot_be_asked_is_refused(given, said):
    with pytest.raises(ParameterError, match=said):
        dicelab.tune("tossup", **{"over": {"target": [5, 6]}, "want": "gap<1%"} | given)


def test_unknown_names_are_refused_with_a_suggestion():
    with pytest.raises(UnknownNameError, match="did you mean 'gap'"):
        dicelab.tune("lcr", over={"players": [2]}, want="gpa<1%")
    with pytest.raises(UnknownNameError, match="did you mean 'bank_over'"):
        dicelab.tune("tossup", over={"target": [5]}, want="gap<1%", play="bak_over")
    with pytest.raises(ParameterError, match="has no choices"):
        dicelab.tune("lcr", over={"players": [2]}, want="gap<1%", play="best")


def test_a_picture_has_a_point_for_each_candidate():
    found = dicelab.tune("tossup", over={"target": [5, 10]}, want="gap<50%", dice=3)
    axes = dicelab.plot_tune(found)
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("gap, optimal play", "gap, casual play")
    assert len(axes.lines) == 2
