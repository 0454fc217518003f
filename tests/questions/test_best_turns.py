"""`dicelab.best` of games that were solved turn by turn, and rules of games with several kinds of choices."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

import dicelab
from dicelab.limits import limited
from dicelab.questions.heuristics.best import in_a_sentence
from dicelab.questions.heuristics.families import by_chart, cost_in_play, first_turn, in_words
from dicelab.questions.policies.grid import PolicyView, Threshold, field_called, view_of
from dicelab.questions.policies.turn_policy import TurnPolicy
from dicelab.rules.game import fresh
from dicelab.runtime.strategies import parse_call
from support import GAMES


@pytest.fixture
def by_turns() -> Any:
    """Solves games turn by turn, however small."""

    def solve(name: str, objective: str | None = None, **parameters: Any) -> TurnPolicy:
        with limited(many_with_policy=0):
            found = dicelab.solve(GAMES[name], objective=objective, **parameters).turn_policy
        assert found is not None
        return found

    return solve


@pytest.mark.slow
def test_the_cost_of_a_strategy_is_that_of_an_exact_game_against_optimal_play(by_turns, limits):
    """Averaged over the seats; the interval holds the difference of two exact answers."""
    limits(cost_games=300)
    whole = dicelab.solve("tossup", target=8, dice=3)
    found = cost_in_play(
        by_turns("tossup", target=8, dice=3), parse_call(whole.policy.game, "one_roll").chooser, 60.0, 1
    )
    first = dicelab.exact("tossup", ["one_roll", whole.policy], target=8, dice=3).outcomes["0"].probability
    second = dicelab.exact("tossup", [whole.policy, "one_roll"], target=8, dice=3).outcomes["1"].probability
    cost, error, games = found
    exact = ((whole.value - first) + (1 - whole.value - second)) / 2
    assert games == 300
    assert abs(cost - exact) < 2 * error < exact


def test_a_strategy_whose_moves_nobody_would_make_has_no_cost(by_turns):
    """Rolling on when banking wins is not valued."""
    policy = by_turns("tossup", target=8, dice=3)
    assert cost_in_play(policy, parse_call(policy.game, "bank_over:100").chooser, 5.0, 1) is None


def test_the_chart_of_the_first_turn_has_the_moves_of_all_states(by_turns):
    parameters = {"target": 12, "dice": 3}
    view, grid = first_turn(by_turns("tossup", **parameters))
    whole = dicelab.solve("tossup", **parameters).policy
    assert (view.x, view.y) == ("scores[0]", "points")
    for cell in grid.cells:
        at = {view.y: cell.y, "player": 0, "scores": (0, 0)}
        (row,) = dicelab.advice(whole, at=at).rows
        assert row.best == cell.best
    assert any(len(t.steps) == 2 for t in grid.thresholds)


@pytest.mark.slow
def test_large_games_are_answered_by_the_best_strategy_and_what_it_loses(by_turns, monkeypatch):
    policy = by_turns("tossup", target=8, dice=3)
    monkeypatch.setattr("dicelab.questions.heuristics.best._solved", lambda *words: policy)
    found = dicelab.best("tossup", target=8, dice=3, games=200, seconds=1)
    best = found.families[0]
    assert best.cost is not None
    assert best.error > 0
    assert found.thumb is not None
    assert found.thumb.games >= 16
    assert found.summary.startswith("Bank from points of this turn") == (found.thumb.loss <= best.cost)
    assert "games in 100 compared with the best play, which wins" in found.summary
    others = [family for family in found.families[1:] if family.cost is None]
    assert others, "the cost of the others is not known"
    assert "loses nothing" not in found.text()


def test_the_chart_is_a_rule_of_thumb_in_words_and_is_played_as_it_says(by_turns):
    policy = by_turns("tossup", target=12, dice=3)
    chart = first_turn(policy)
    at = next(t.steps[1][0] for t in chart[1].thresholds if len(t.steps) == 2)
    assert in_words(*chart) == f"bank from points of this turn {at} on, else roll"
    choose = by_chart(policy, *chart)(policy.game)
    game, decision = fresh(policy.game), policy.game.declared.decisions[0]
    game.rolled = True
    for points in range(1, 9):
        game.points = points
        assert choose(game, decision, 0) == ((1,) if points >= at else (0,))


def test_columns_with_the_same_threshold_are_one_part_of_the_sentence():
    steps = [(1, 1, ((250, "bank"),)), (2, 2, ((200, "roll"), (250, "bank"))), (3, 3, ((150, "roll"), (400, "bank")))]
    grid = SimpleNamespace(thresholds=[Threshold(*row) for row in steps])
    view = PolicyView("left", "points", {}, 3, ("dice", "points"), "")
    assert in_words(view, grid) == "bank from points (dice) 250 (1 to 2), 400 (3) on, else roll"
    three = SimpleNamespace(thresholds=[Threshold(1, 1, ((0, "a"), (1, "b"), (2, "c")))])
    assert in_words(view, three) == ""


# Several kinds of choices -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def farkle():
    return dicelab.solve("farkle", target=150).policy


@pytest.mark.slow
def test_a_rule_has_a_part_for_each_kind_of_choice(farkle):
    found = dicelab.rule(farkle, leaves=2, seconds=3)
    heads = [line.partition(":")[0] for line in found.lines if not line.startswith(" ")]
    assert heads == ["keep", "roll or bank"]
    keep, bank = "\n".join(found.lines).split("roll or bank:")
    assert "dice as allowed" in keep
    assert "bank" not in keep
    assert "dice as allowed" not in bank
    assert found.loss < dicelab.rule(farkle, leaves=1).loss + 1e-12


@pytest.mark.slow
def test_its_value_is_that_of_the_policy_that_it_stands_for(farkle):
    found = dicelab.rule(farkle, leaves=1)
    values = [
        dicelab.exact("farkle", lineup, target=150).outcomes[seat].probability
        for seat, lineup in (("0", [found.policy, farkle]), ("1", [farkle, found.policy]))
    ]
    assert [seat.rule for seat in found.seats] == pytest.approx(values, abs=1e-9)


@pytest.mark.slow
def test_the_chart_of_a_game_of_several_choices_is_about_named_moves(farkle):
    view = view_of(farkle)
    assert (view.at["rolled"], view.at["set_aside"]) == (0, 1)
    assert "rolled" not in view.fixed


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        (["keep: all", "go on: roll"], "Keep: all; go on: roll"),
        (
            ["keep:", "    if a >= 2: all", "    else if b <= 1: x", "    else: y", "go on: roll"],
            "Keep: all if a >= 2, x if b <= 1, else y; go on: roll",
        ),
        (["if not last: roll", "else: bank"], "Roll if not last, else bank"),
        (["roll"], "Roll"),
    ],
)
def test_a_rule_is_one_sentence(lines, sentence):
    assert in_a_sentence(lines) == sentence


@pytest.mark.slow
def test_numbers_of_dice_boxes_and_tiles_are_in_words():
    """No index and no bit mask is shown."""
    yahtzee = dicelab.solve("yahtzee", objective="most:score", boxes=2049).policy
    assert field_called(yahtzee.game, "dice[0]") == "dice that show 1"
    box = dicelab.solve(GAMES["shut-the-box-alone"], objective="shut").policy
    words = set(box.moves_in_words())
    assert "1 2" in words
    assert all(set(word.split()) <= set("123456789") for word in words)
