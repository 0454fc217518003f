"""The luck of rolls by estimates: its mean is 0 whatever the estimates, so a rating stays what it was."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import dicelab
from dicelab.errors import InputError, ParameterError
from dicelab.questions.policies.ahead import Roll, Table
from dicelab.questions.policies.skill.estimated_luck import EstimatedLuck
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
    table, rolls = Table(run.game, None, "test"), 0
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
    assert np.std([one[0] for one in luck.of_roll(Table(run.game, None, "test").start()).values()]) > 0.05


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
