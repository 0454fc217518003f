"""The luck of rolls by estimates: its mean is 0 whatever the estimates, so a rating stays what it was."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import dicelab
from dicelab.errors import InputError, ParameterError
from dicelab.questions.policies.skill.estimated_luck import EstimatedLuck
from dicelab.questions.policies.thinking.ahead import Roll, SearchTable
from dicelab.runtime.interpreter import play, steps
from dicelab.runtime.lineup import Run
from dicelab.runtime.philox import Stream

GIVEN = {"target": 8, "dice": 2}
NAMES = ["bank_over:5", "bank_over:2"]


def _file(method: str, games: int, path) -> str:
    """Return a file of values that were learned from so many games."""
    file = str(path / f"{method}{games}.npz")
    dicelab.learn("tossup", method=method, games=games, seed=1, **GIVEN).policy.save(file)
    return file


def _must_be_fair(run: Run, luck: EstimatedLuck, games: int) -> None:
    """See that in all states of some games the mean luck of a roll is 0, with the chances of the stream's own rolls."""
    table, rolls = SearchTable(run.game, None, "test"), 0
    for number in range(games):
        game = dicelab.find(run.game.name)(**run.game.parameters)
        row = table.start()
        for event in steps(game, [call.chooser(game) for call in run.calls], Stream(1, number)):
            step = table.step(row)
            if event.kind == "throw":
                assert isinstance(step, Roll)
                found = luck.of_roll(row)
                chances = {one.seen: Fraction(one.weight, 6**2) for one in step.dice.outcomes}
                if sum(chances.values()) == 1:  # two dice; with one left the weights are of 6
                    rolls += 1
                for seat in range(2):
                    mean = sum(float(chance) * found[seen][seat] for seen, chance in chances.items())
                    assert abs(mean) < 1e-12
            row = table.row(game)
    assert rolls > 0


def test_the_luck_of_a_roll_has_the_mean_nought() -> None:
    run = Run.of("tossup", NAMES, **GIVEN)
    luck = EstimatedLuck(run.game, "one_roll", 1)
    _must_be_fair(run, luck, 3)
    assert np.std([one[0] for one in luck.of_roll(SearchTable(run.game, None, "test").start()).values()]) > 0.05


def test_where_outcomes_are_many_some_that_are_drawn_take_their_place() -> None:
    """The luck of a roll then varies more, by a fortieth, and still has the mean 0."""
    run = Run.of("tossup", NAMES, **GIVEN)
    table = SearchTable(run.game, None, "test")
    row, drawn = table.start(), EstimatedLuck(run.game, "one_roll", 1, most=1)
    step = table.step(row)
    assert isinstance(step, Roll)
    assert drawn.of_roll(row) == {}
    exact, found = EstimatedLuck(run.game, "one_roll", 1).of_roll(row), []
    for number in range(60):
        words = Stream(5, number)
        shift = {one.seen: drawn.of_outcome(row, one.seen, words)[0] - exact[one.seen][0] for one in step.dice.outcomes}
        found.append(np.mean(list(shift.values())))
    spread = sum(one.weight * exact[one.seen][0] ** 2 for one in step.dice.outcomes) / step.dice.weight
    several = 40 * len(step.dice.outcomes)
    assert abs(np.mean(found)) < 5 * (spread / several / 60) ** 0.5
    assert 0.5 < np.std(found) / (spread / several) ** 0.5 < 1.6


@pytest.mark.slow
def test_compiled_rules_say_what_states_are_worth_as_python_does(tmp_path) -> None:
    run = Run.of("tossup", NAMES, **GIVEN)
    file = _file("values", 1, tmp_path)
    luck, table, rows = EstimatedLuck(run.game, file, 1), SearchTable(run.game, None, "test"), []
    for number in range(10):
        game, row = dicelab.find("tossup")(**GIVEN), table.start()
        for _ in steps(game, [call.chooser(game) for call in run.calls], Stream(1, number)):
            rows.append(row)
            row = table.row(game)
        rows.append(row)
    assert luck._compiled is not None
    compiled = luck._worths(rows)
    luck._compiled = None
    assert luck._worths(rows) == compiled
    learned = Run.of("tossup", f"policy:{file}", **GIVEN)
    records, _ = luck.play(learned, 7, 0, 60)
    played = [play(dicelab.find("tossup")(**GIVEN), learned.calls, 7, number) for number in range(60)]
    assert records.tolist() == [[one.outcome, *one.tallies] for one in played]


@pytest.mark.slow
def test_the_share_of_luck_by_estimates_is_near_that_by_exact_values(tmp_path) -> None:
    """With an interval, and marked as an estimate; the mean without luck has an interval that holds the exact one."""
    by = _file("turns", 300, tmp_path)
    exact = dicelab.luck("tossup", NAMES, games=20_000, seed=1, **GIVEN).rows[0]
    found = dicelab.luck("tossup", NAMES, games=1500, seed=2, luck_by=by, **GIVEN)
    assert found.summary.endswith(f"what the estimates miss: the values in {by}.")
    for row in found.rows:
        low, high = row.share_interval
        assert low < row.share < high
        assert low - 0.05 < exact.share < high + 0.05
        assert row.narrower > 1.5
    low, high = found.rows[0].adjusted_interval
    assert low < exact.adjusted < high
    assert found.to_dict()["luck_by"] == f"the values in {by}"


def test_luck_is_estimated_where_seats_choose_at_once() -> None:
    """By the first strategy of the game, in few games unless it is said by what."""
    found = dicelab.luck("sealed-bids", ["even", "all_in"], games=1000, seed=1)
    assert (found.games, found.by) == (200, "50 games played on with even from each outcome")
    named = dicelab.luck("sealed-bids", ["even", "all_in"], games=30, seed=1, luck_by="all_in")
    assert (named.games, named.by) == (30, "50 games played on with all_in from each outcome")
    assert all(row.share_interval is not None for row in found.rows)


def test_games_whose_luck_is_measured_are_those_of_every_engine() -> None:
    run = Run.of("tossup", NAMES, **GIVEN)
    records, lucks = EstimatedLuck(run.game, "bank_over:3", 7).play(run, 7, 20, 40)
    played = [play(dicelab.find("tossup")(**GIVEN), run.calls, 7, number) for number in range(20, 40)]
    assert records.tolist() == [[one.outcome, *one.tallies] for one in played]
    assert lucks.shape == (20, 2)
    assert lucks.sum(axis=1) == pytest.approx(0, abs=1e-9)  # what one seat gets the other loses
    won = records[:, 0] == 0
    assert lucks[won, 0].mean() > lucks[~won, 0].mean()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "games", "narrower"), [("values", 1, 0.9), ("values", 3000, 1.5), ("turns", 300, 2)]
)
def test_poor_estimates_cost_only_precision(method: str, games: int, narrower: float, tmp_path) -> None:
    """Values from one game and from many: both ratings hold the exact chances, the better ones in shorter intervals."""
    file, run = _file(method, games, tmp_path), Run.of("tossup", NAMES, **GIVEN)
    luck = EstimatedLuck(run.game, file, 3)
    _must_be_fair(run, luck, 5)
    _, lucks = luck.play(run, 3, 0, 1500)
    assert np.abs(lucks.mean(axis=0)).max() < 5 * lucks.std() / 1500**0.5
    found = dicelab.rate("tossup", NAMES, games=1500, seed=3, luck_by=file, **GIVEN)
    exact = dicelab.compare("tossup", NAMES, exact=True, **GIVEN).pairs[0]
    chances = {exact.first: exact.scores[0].value, exact.second: exact.scores[1].value}
    for row in found.rows:
        assert row.score.low <= chances[row.strategy] <= row.score.high
        assert row.narrower > narrower
    assert found.luckless == f"the values in {file}"


@pytest.mark.slow
def test_where_a_game_is_too_large_its_strategies_estimate_its_luck() -> None:
    names = ["rollout:2", "careful"]
    found = dicelab.rate("./verification/bear_off_cube.py", names, luck_adjusted=True, games=40, seed=1)
    assert found.luckless.startswith("50 games played on with ")  # a tally of each seat is paid
    assert {row.narrower is None or row.narrower > 0.5 for row in found.rows} == {True}


def test_what_can_not_estimate_luck_is_refused(tmp_path) -> None:
    with pytest.raises(ParameterError, match="luck can't be estimated by games played on with rollout:5"):
        dicelab.rate("tossup", NAMES, luck_by="rollout:5", **GIVEN)
    with pytest.raises(ParameterError, match="a store doesn't keep estimates of luck"):
        dicelab.rate("tossup", NAMES, luck_by="one_roll", store=tmp_path / "runs.db", **GIVEN)
    with pytest.raises(InputError, match=r"values\.npz"):
        dicelab.rate("tossup", NAMES, luck_by=str(tmp_path / "values.npz"), **GIVEN)
