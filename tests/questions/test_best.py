"""`dicelab.best`: how a game should be played, and the solutions that are kept for it."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
import pytest

import dicelab
from dicelab.engines.policy import Policy
from dicelab.errors import DicelabError, ParameterError
from dicelab.games.tossup import TossUp
from dicelab.games.yahtzee import Yahtzee
from dicelab.questions.heuristics.best import in_a_sentence
from dicelab.questions.policies import solving as kept_solutions
from dicelab.questions.policies.grid import values_called, view_of
from dicelab.questions.policies.objective import default_objective
from dicelab.questions.policies.solving import NotInTime, Solving
from dicelab.translation.verdicts import is_known
from small_games import Tokens
from support import GAMES

SMALL = {"target": 8, "dice": 2}


@pytest.fixture(scope="module")
def found():
    return dicelab.best("tossup", seconds=1, games=500, **SMALL)


@pytest.fixture
def folder(monkeypatch, tmp_path):
    monkeypatch.setenv("DICELAB_CACHE_DIR", str(tmp_path))
    return tmp_path / "solutions"


@pytest.mark.slow
def test_the_value_is_that_of_solve(found):
    assert found.value == pytest.approx(dicelab.solve("tossup", **SMALL).value, abs=1e-9)
    assert found.objective == "win"


@pytest.mark.slow
def test_the_cost_of_a_strategy_is_that_of_an_exact_game_against_optimal_play(found):
    for family in found.families:
        exact = dicelab.exact("tossup", [family.written, found.policy], **SMALL).outcomes["0"].probability
        assert family.value == pytest.approx(exact, abs=1e-9)
        assert family.cost == pytest.approx(found.value - exact, abs=1e-9)


@pytest.mark.slow
def test_the_best_argument_is_the_best_of_all(found):
    one = next(family for family in found.families if family.strategy == "bank_over")
    every = {
        n: dicelab.exact("tossup", [f"bank_over:{n}", found.policy], **SMALL).outcomes["0"].probability
        for n in range(9)
    }
    assert one.value == pytest.approx(max(every.values()), abs=1e-9)


@pytest.mark.slow
def test_the_answer_is_what_costs_least(found):
    costs = [found.rule.loss, *(family.cost for family in found.families)]
    named = found.families[0].written in found.summary
    assert named == (min(costs) < found.rule.loss - 1e-6)
    assert "the best play, which wins" in found.summary


def test_a_situation_is_answered_by_its_moves():
    asked = dicelab.best("tossup", at={"points": 2, "scores": (5, 5), "player": 0}, **SMALL)
    told = dicelab.advice(dicelab.solve("tossup", **SMALL).policy, points=2, scores=(5, 5), player=0)
    assert asked.at.rows[0].best == told.rows[0].best
    assert asked.summary == told.summary


@pytest.mark.parametrize("game", ["lcr", "hazard"])
def test_where_nobody_decides_it_says_so(game):
    assert dicelab.best(game).summary == f"There is nothing to decide in {game}: the dice play it."


def test_a_game_without_an_objective_names_them():
    found = dicelab.best(GAMES["line-bets"])
    assert "has no default objective; choose one with --objective" in found.summary


def test_a_game_for_money_is_answered_by_its_cheapest_bet():
    found = dicelab.best("pass-line")
    assert found.bets[0].edge == pytest.approx(7 / 495)
    assert "1.41 % of the stake" in found.summary


def test_a_rule_is_one_sentence():
    assert in_a_sentence(["if a >= 2: x", "else if b <= 3: y", "else: z"]) == "X if a >= 2, y if b <= 3, else z"


def test_a_rule_that_is_searched_for_no_time_is_evaluated_all_the_same():
    rule = dicelab.rule(dicelab.solve("tossup", **SMALL).policy, seconds=0)
    assert rule.stopped
    assert rule.lines
    assert not dicelab.rule(dicelab.solve("tossup", target=5, dice=2).policy, 2).stopped
    with pytest.raises(ParameterError, match="seconds: -1 is not allowed"):
        dicelab.rule(dicelab.solve("tossup", target=5, dice=2).policy, seconds=-1)


# Axes and slices ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_move_changes_in_the_slice_that_is_chosen(found):
    view = view_of(found.policy)
    states = found.policy.where(view.at)
    assert len(np.unique(found.policy.moves[found.policy.best[states]], axis=0)) > 1
    assert view.at["player"] == 0
    assert "player: player 1" in view.fixed


def test_given_axes_and_values_stay_as_they_are(found):
    view = view_of(found.policy, "points", "scores[1]", {"player": 1})
    assert (view.x, view.y, view.at["player"]) == ("points", "scores[1]", 1)
    with pytest.raises(ParameterError, match="has no coins"):
        view_of(found.policy, "coins")
    assert values_called(found.policy.game, {"scores[0]": 3}) == "scores of player 1: 3"


@pytest.mark.slow
def test_a_picture_chooses_its_axes(found):
    from dicelab.plots import plot_best, plot_policy, plot_solution

    labels = [axes.get_ylabel() for axes in (plot_best(found), plot_policy(found.policy))]
    assert labels == ["points of this turn"] * 2
    assert plot_solution(dicelab.solve("tossup", **SMALL)).get_ylabel() == "points of this turn"


# What is kept ---------------------------------------------------------------------------------------------------------


def test_the_default_objective_of_a_sheet_is_its_score():
    assert default_objective(Yahtzee()) == "most:score"
    assert default_objective(TossUp()) == "win"


def test_a_solution_is_kept_and_used_again(folder):
    first = Solving(TossUp(target=6, dice=2)).wait()
    again = Solving(TossUp(target=6, dice=2)).policy
    assert isinstance(again, Policy), "it is there at once"
    assert (again.worth == first.worth).all()
    assert [one.game for one in kept_solutions.kept_solutions()] == ["tossup"]


def test_other_parameters_are_another_solution(folder):
    Solving(TossUp(target=6, dice=2)).wait()
    assert Solving(TossUp(target=5, dice=2)).wait().game.parameters["target"] == 5
    assert len(kept_solutions.kept_solutions()) == 2


def test_a_damaged_file_is_solved_again(folder):
    solving = Solving(TossUp(target=6, dice=2))
    solving.wait()
    solving.path.write_bytes(b"damaged")
    assert Solving(TossUp(target=6, dice=2)).wait() is not None


def test_the_setting_turns_it_off(folder, monkeypatch):
    monkeypatch.setenv("DICELAB_SOLUTIONS", "off")
    assert Solving(TossUp(target=6, dice=2)).wait() is not None
    assert not folder.exists()


def test_a_folder_that_can_not_be_written_is_no_error(folder):
    folder.write_text("a file where the folder should be")
    assert Solving(TossUp(target=6, dice=2)).wait() is not None


def test_the_least_recently_used_are_deleted_first(folder, limits):
    limits(solution_bytes=25)
    folder.mkdir(parents=True)
    for age, name in enumerate(("a", "b", "c")):
        file = folder / f"{name}.policy.0.npz"
        file.write_bytes(b"0123456789")
        os.utime(file, (time.time() - 100 * age,) * 2)
    kept_solutions.keep(folder / "new.policy.0.npz", lambda path: path.write_bytes(b"0123456789"))
    assert {one.game for one in kept_solutions.kept_solutions()} == {"new", "a"}
    assert len(kept_solutions.clear_solutions()) == 2
    assert kept_solutions.kept_solutions() == []


def test_a_limit_of_time_ends_the_search(folder):
    solving = Solving(TossUp(players=3), seconds=0.05)
    with pytest.raises(NotInTime, match="was not solved within 0 seconds"):
        solving.wait()


def test_an_error_of_the_other_process_is_said_here(folder):
    with pytest.raises(DicelabError, match="no tally of tossup 'nothing'"):
        Solving(TossUp(target=6, dice=2), objective="most:nothing").wait()


def test_a_cache_folder_that_cannot_be_read_is_no_error(monkeypatch, tmp_path):
    monkeypatch.setenv("DICELAB_CACHE_DIR", str(tmp_path / ("x" * 300)))  # even root may not read it
    path = kept_solutions.path_for(TossUp(), "policy")
    assert kept_solutions.used(path, Path.read_bytes) is None
    assert kept_solutions.keep(path, lambda file: None) is False
    assert (kept_solutions.kept_solutions(), kept_solutions.clear_solutions()) == ([], [])
    assert not is_known("a")


def test_a_number_by_its_place_and_a_value_are_two_things():
    """Not "1 from at number 1 of player 1 2"."""
    assert "0, 1 where at number 1 of player 1 >= 2" in str(dicelab.best(Tokens))
