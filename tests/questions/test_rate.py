"""A rating of strategies: its order, its intervals at every look, and where it stops."""

from __future__ import annotations

from dataclasses import replace
from math import comb

import numpy as np
import pytest

import dicelab
from dicelab.errors import DicelabError, InputError, ParameterError
from dicelab.plots.comparison import plot_rating
from dicelab.questions.compare import ComparisonPlan
from dicelab.questions.policies.skill.luck_sums import LuckOfGames
from dicelab.questions.policies.skill.values import values
from dicelab.questions.scores import ScoredGames, interval_of_looks
from dicelab.results.numbers.estimates import Point
from dicelab.runtime.interrupts import OutOfTime
from dicelab.runtime.lineup import Run
from dicelab.runtime.timing import TimeLimit

SERIES, LENGTH = 400, 2_000
FALSE_ALARM = 1e-6
"""Probability with which this test fails although all intervals are right."""


def _most(n: int, p: float) -> int:
    """Return the count that a binomial number exceeds with a probability below `FALSE_ALARM`."""
    above, count = 1.0, -1
    while above >= FALSE_ALARM:
        count += 1
        above -= comb(n, count) * p**count * (1 - p) ** (n - count)
    return count


@pytest.mark.parametrize("mean", [0.5, 0.9, 0.02])
def test_intervals_contain_the_mean_at_every_look(mean: float) -> None:
    """The intersection of all intervals is what is returned: it contains the mean only if all of them do."""
    draws = np.random.default_rng(20261127).random((SERIES, LENGTH)) < mean
    found = [interval_of_looks(values.astype(np.float64), (0.0, 1.0)) for values in draws]
    missed = sum(not low <= mean <= high for low, high in found)
    assert missed <= _most(SERIES, 0.05)
    widths = [high - low for low, high in found]
    assert np.mean(widths) < 3 * 2 * 1.96 * (mean * (1 - mean) / LENGTH) ** 0.5  # they say something


def test_intervals_move_with_the_range_of_the_numbers() -> None:
    values = np.random.default_rng(3).random(500)
    low, high = interval_of_looks(values, (0, 1))
    assert interval_of_looks(10 * values - 4, (-4, 6)) == pytest.approx((10 * low - 4, 10 * high - 4))
    assert interval_of_looks(values[:0], (-1, 2)) == (-1, 2)
    assert interval_of_looks(np.full(100, 3.0), (3, 3)) == (3, 3)


@pytest.mark.slow
def test_the_order_is_that_of_exact_chances() -> None:
    names = ["one_roll", "bank_over:5", "bank_over:2"]
    found = dicelab.rate("tossup", names, target=12, seed=4)
    exact = dicelab.compare("tossup", names, target=12, exact=True)
    chances = dict.fromkeys(names, 0.0)
    for pair in exact.pairs:
        chances[pair.first] += pair.scores[0].value / 2
        chances[pair.second] += pair.scores[1].value / 2
    assert found.clear
    assert [row.place for row in found.rows] == [1, 2, 3]
    assert [row.strategy for row in found.rows] == sorted(names, key=lambda name: -chances[name])
    for row in found.rows:
        assert row.score.low <= chances[row.strategy] <= row.score.high
    assert found.summary.startswith(f"{found.rows[0].strategy} is best: it wins ")


def test_scores_are_those_of_a_comparison_on_the_same_dice() -> None:
    names = ["one_roll", "bank_over:5"]
    found = dicelab.rate("tossup", names, target=20, seed=1)
    pair = dicelab.compare("tossup", names, target=20, seed=1, games=found.games).pairs[0]
    scores = {row.strategy: row.score.value for row in found.rows}
    assert [scores[pair.first], scores[pair.second]] == pytest.approx([score.value for score in pair.scores])


def test_strategies_that_are_not_told_apart_share_a_place() -> None:
    found = dicelab.rate("tossup", ["bank_over:20", "one_roll", "bank_over:21"], games=900, seed=1)
    assert [row.place for row in found.rows] == [1, 1, 3]
    assert {row.strategy: row.close for row in found.rows}["bank_over:20"] == ("bank_over:21",)
    assert (found.clear, found.games) == (False, 900)
    assert "can't be told apart" in found.summary
    assert "the order isn't clear" in str(found)


def test_strategies_that_play_alike_are_called_equal() -> None:
    found = dicelab.rate("verification/pig_alone.py", ["hold_at:20", "hold_at:25"], games=50, seed=1, target=30)
    assert found.summary == "hold_at:20 and hold_at:25 did equally well."  # both reach the target in every game


@pytest.mark.slow
def test_alone_the_tally_that_is_named_decides() -> None:
    found = dicelab.rate(
        "verification/pig_alone.py", ["hold_at:20", "hold_at:5"], on="most:turns", target=50, games=2000, seed=1
    )
    assert found.games == 2000  # turns have no bounds: one look
    assert [row.strategy for row in found.rows] == ["hold_at:5", "hold_at:20"]
    assert found.summary.startswith("hold_at:5 has the largest mean of turns: ")
    exact = dicelab.exact("verification/pig_alone.py", "hold_at:5", target=50).tallies["turns"].mean
    assert found.rows[0].score.low <= exact <= found.rows[0].score.high


def test_one_strategy_is_not_rated() -> None:
    with pytest.raises(ParameterError, match="two or more different strategies"):
        dicelab.rate("tossup", ["one_roll", "one_roll"])


def test_an_interrupted_rating_has_the_rounds_that_were_completed() -> None:
    def stop(done: int, total: int) -> None:
        if done == 1:
            raise KeyboardInterrupt

    found = dicelab.rate("tossup", ["bank_over:20", "bank_over:21"], seed=1, games=5000, progress=stop)
    assert (found.interrupted, found.games, len(found.rows)) == (True, 1, 2)
    assert "stopped before the end" in str(found)


def test_a_stored_rating_is_that_without_a_store_and_goes_on(tmp_path) -> None:
    names, given = ["bank_over:20", "bank_over:21"], {"seed": 1, "games": 700, "target": 40}
    plain, store = dicelab.rate("tossup", names, **given), tmp_path / "runs.db"
    with pytest.raises(DicelabError, match="the time was over before each line-up had played a game; allow more"):
        dicelab.rate("tossup", names, **given, store=store, seconds=0)
    for found in (dicelab.rate("tossup", names, **given, store=store) for _ in range(2)):
        assert found.rows == plain.rows


@pytest.mark.parametrize("stored", [False, True])
def test_a_round_that_the_time_cuts_short_is_not_counted(tmp_path, stored) -> None:
    names = ["bank_over:20", "bank_over:21"]
    run, other = (Run.of("tossup", names[::way], target=10) for way in (1, -1))
    plan = ComparisonPlan(run.game, names, 2, "seat-balanced")
    lineups = {tuple(one.strategies): one for one in (run, other)}
    played = ScoredGames(plan, lineups, 1, 1, store=tmp_path / "runs.db" if stored else None)
    played.play(3, TimeLimit(None))
    with pytest.raises(OutOfTime):
        played.play(8, TimeLimit(0))
    assert played.games == 3
    played.play(8, TimeLimit(None))
    assert [len(scores) for scores in played.scores().values()] == [8, 8]


def test_a_rating_that_ran_out_of_time_says_so() -> None:
    found = dicelab.rate("tossup", ["bank_over:20", "bank_over:21"], seed=1, games=2, target=10)
    late = replace(found, out_of_time=True)
    assert "--games allows more" in str(found)
    assert "--seconds allows more" in str(late)
    assert (found.to_dict().get("out_of_time"), late.to_dict()["out_of_time"]) == (None, True)


@pytest.mark.slow
def test_players_that_look_ahead_are_looked_at_after_a_few_games() -> None:
    found = dicelab.rate("tossup", ["search:1:5", "one_roll"], seed=1, target=4, dice=2)
    assert (found.clear, found.games) == (True, 20)


@pytest.mark.slow
def test_few_are_best_where_the_game_or_the_caller_says_so() -> None:
    """Shut the Box is played for few points that stand; where many are wanted, the order is reversed."""
    names, rules = ["highest", _lowest], "./tests/games/shut_the_box.py"
    found = dicelab.rate(rules, names, on="standing", games=400, seed=1)
    turned = dicelab.rate(rules, names, on="most:standing", games=400, seed=1)
    same = dicelab.rate(rules, names, on="fewest:standing", games=400, seed=1)
    assert (found.fewest, same.fewest, turned.fewest) == (True, True, False)
    assert found.rows[0].score.value < found.rows[1].score.value
    assert [row.strategy for row in found.rows] == [row.strategy for row in same.rows]
    assert [row.strategy for row in found.rows] == [row.strategy for row in reversed(turned.rows)]
    assert "has the smallest mean of standing" in found.summary
    assert "has the largest mean of standing" in turned.summary
    with pytest.raises(InputError, match="no outcome or tally"):
        dicelab.rate(rules, names, on="fewest:nothing", games=4)


def _lowest(game):
    """Shut the first set of tiles that fits, with many low tiles; always throw two dice."""
    if game.total == 0:
        return 2
    tiles = 1
    while not game.fits(tiles):
        tiles += 1
    return tiles


@pytest.mark.slow
def test_what_strategies_lose_against_optimal_play_is_what_exact_answers_say(tmp_path) -> None:
    names, given = ["hold_at:20", "hold_at:10"], {"target": 30}
    found = dicelab.rate("./examples/pig.py", names, loss=True, games=500, seed=1, **given)
    best = dicelab.solve("./examples/pig.py", **given)
    file = str(tmp_path / "best.npz")
    best.policy.save(file)
    for row in found.rows:
        first, second = (
            dicelab.exact("./examples/pig.py", seats, **given).outcomes
            for seats in ([row.strategy, f"policy:{file}"], [f"policy:{file}", row.strategy])
        )
        lost = (best.value - first["0"].probability + 1 - best.value - second["1"].probability) / 2
        assert row.loss.low - 0.01 < lost < row.loss.high + 0.01
        assert row.loss.high - row.loss.low < 0.05
    assert "loses" in str(found)
    assert found.to_dict()["rows"][0]["loss"] == found.rows[0].loss.value


@pytest.mark.slow
def test_without_luck_intervals_are_narrower_and_hold_the_exact_chances() -> None:
    names, given = ["bank_over:5", "bank_over:2"], {"target": 8, "dice": 2}
    plain = dicelab.rate("tossup", names, games=1000, seed=2, **given)
    found = dicelab.rate("tossup", names, games=1000, seed=2, luck_adjusted=True, **given)
    exact = dicelab.compare("tossup", names, exact=True, **given).pairs[0]
    chances = {exact.first: exact.scores[0].value, exact.second: exact.scores[1].value}
    for row in found.rows:
        assert row.score.low <= chances[row.strategy] <= row.score.high
        assert row.narrower > 1.5
    assert found.games <= plain.games
    assert {row.narrower for row in plain.rows} == {None}
    assert "without luck, by the exact values of the game: intervals are " in str(found)
    assert found.to_dict()["rows"][0]["narrower"] == found.rows[0].narrower


def test_intervals_without_luck_hold_at_every_look() -> None:
    """In 300 series of wins, of which most is luck: the mean is missed at some look no more often than is stated."""
    table = dicelab.find("tossup")(target=8, dice=2)
    tasks = ScoredGames(ComparisonPlan(table, ["one_roll", "bank_over:5"], 2, "seat-balanced"), {}, 1, 1)
    looks, missed, draws = [500, 1000, 2000], 0, np.random.default_rng(20261128)
    tasks.shares = len(looks)
    for _ in range(300):
        luck, chance = draws.normal(0, 0.3, 2000), draws.random(2000)
        won = (chance < np.clip(0.6 + luck, 0, 1)).astype(np.float64)
        found = [tasks.mean(won[:n], (0.0, 1.0), luck=luck[:n]) for n in looks]
        missed += any(not point.low <= 0.589829 <= point.high for point in found)
    assert missed <= _most(300, 0.05)
    few = tasks.mean(won[:4], (0.0, 1.0), luck=luck[:4])
    assert 0 <= few.low <= few.value <= few.high <= 1  # a chance, however few games there are
    assert found[-1].high - found[-1].low < 0.9 * (lambda ends: ends[1] - ends[0])(interval_of_looks(won, (0, 1)))


@pytest.mark.slow
def test_the_luck_of_each_game_is_the_same_in_plain_python(monkeypatch) -> None:
    run = Run.of("tossup", ["bank_over:5", "bank_over:2"], target=8, dice=2)
    luck = LuckOfGames(run, values(run.game), 3)
    assert luck._compiled is not None
    compiled = luck(40, 60)
    monkeypatch.setattr(luck, "_compiled", None)
    assert compiled == pytest.approx(luck(40, 60), abs=1e-9)
    assert compiled.std() > 0.1


def test_without_asking_nothing_is_said_of_losses() -> None:
    found = dicelab.rate("tossup", ["one_roll", "bank_over:5"], target=8, seed=1)
    assert found.rows[0].loss is None
    assert "loses" not in str(found)
    assert "loss" not in found.to_dict()["rows"][0]


def test_the_chart_shows_losses_where_they_were_asked_for() -> None:
    found = dicelab.rate("tossup", ["one_roll", "bank_over:5"], target=8, seed=1)
    lost = replace(found, rows=[replace(row, loss=Point(0.1, 0.05, 0.2)) for row in found.rows])
    scores, losses = plot_rating(found), plot_rating(lost)
    assert "loses against optimal play" in losses.get_xlabel()
    assert "loses" not in scores.get_xlabel()
    (points,) = [line for line in losses.lines if line.get_marker() == "o"]
    assert points.get_xdata().tolist() == [0.1, 0.1]
