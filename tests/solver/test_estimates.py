"""Estimates of the number of states, or of beginnings of turns, before a game is solved, beside the real numbers.

The real numbers are those of solutions, and recorded here. The first estimates are made as if many states were too many
to count: an eighth of them.
"""

from __future__ import annotations

import json

import jsonschema
import pytest

import dicelab
from dicelab.errors import NotSmall
from dicelab.limits import LIMITS, limited
from dicelab.questions.policies.plan import planned
from dicelab.solver.turns import solve as turns
from dicelab.solver.turns.solve import sampled
from support import ROOT, SetLimits

OFF = turns.OFF

JUDGED = [
    ("exact", "lcr", {"players": 6}, 100_929),
    ("exact", "lcr", {"players": 7}, 888_009),
    ("exact", "lcr", {"coins": 8}, 52_328),
    ("exact", "tossup", {"strategies": "bank_over:5", "target": 60}, 34_992),
    ("exact", "farkle", {"target": 1000}, 4_260),
    ("exact", "verification/piglet.py", {}, 200),
    ("exact", "craps", {}, 12_660),
    ("solve", "tossup", {"target": 60}, 239_400),
    ("solve", "examples/pig.py", {"target": 80}, 518_161),
    ("solve", "verification/pig_two_dice.py", {"objective": "fewest:turns"}, 20_199),
    ("solve", "verification/pigs.py", {}, 1_834_755),
    ("solve", "verification/piglet.py", {}, 2_200),
]
"""Games whose states are counted with smaller values of a parameter."""

SAMPLED = [
    ("yahtzee", {"boxes": 1023}, 44_640),
    ("yahtzee", {"boxes": 4095}, 268_096),
    ("yahtzee", {}, 536_320),
    ("verification/yatzy.py", {"boxes": 4095}, 178_752),
    ("verification/yatzy.py", {}, 1_430_464),
    ("farkle", {"target": 2000}, 1_600),
    ("farkle", {"target": 5000}, 10_000),
    ("tossup", {"target": 40}, 1_600),
    ("tossup", {}, 10_000),
    ("examples/pig.py", {"target": 40}, 1_521),
    ("examples/pig.py", {"target": 100}, 9_801),
    ("verification/large/three_farkles.py", {"target": 1000, "lowest": 500, "penalty": 200}, 8_100),
    ("tests/games/natural/yacht.py", {"objective": "most:points"}, 4_095),
]
"""Games of which turns are followed for a moment, from a few of the situations in which they begin."""


def _estimated(what: str, game: str, given: dict[str, object]) -> dicelab.Cost:
    return (dicelab.exact_cost if what == "exact" else dicelab.solve_cost)(game, **given)


@pytest.mark.slow
@pytest.mark.parametrize(("what", "game", "given", "real"), JUDGED, ids=lambda value: str(value))
def test_the_number_of_states_is_judged_within_a_factor_of_three(
    what: str, game: str, given: dict[str, object], real: int, limits: SetLimits
) -> None:
    limits(counting=600.0, estimating=600.0, counted=real // 8)  # however busy the machine is
    limits(many=10**18, cost_seconds=0.0)  # nor is it taken to be solved turn by turn
    found = _estimated(what, game, given)
    assert found.how == "judged"
    assert real / OFF <= found.states <= real * OFF
    assert found.least <= real <= (found.largest or 0)


@pytest.mark.slow
@pytest.mark.parametrize(("game", "given", "real"), SAMPLED, ids=lambda value: str(value))
def test_the_number_of_turns_is_sampled_within_a_factor_of_three(
    game: str, given: dict[str, object], real: int
) -> None:
    given = dict(given)
    objective = given.pop("objective", None)
    plan = planned(game, (), 0, objective, None, given)  # type: ignore[arg-type]
    found = sampled(
        plan.run, plan.wanted.aims(plan.run.game, len(plan.free)), 0.1 if real < 20_000 else LIMITS.cost_seconds
    )
    assert found.found <= real
    assert real / OFF <= found.about <= real * OFF
    assert found.about <= found.most


def test_turns_that_cannot_fit_are_refused_by_a_sample() -> None:
    plan = planned("examples/pig.py", (), 0, None, None, {"target": 60})
    aims = plan.wanted.aims(plan.run.game, 2)
    by_a_sample = pytest.raises(NotSmall, match=r"about [\d,]+ beginnings of turns, judging by a sample, which take")
    with limited(unsampled_seconds=-1.0, sampling_seconds=0.05), by_a_sample:
        turns.turn_by_turn(plan.run, aims, 100 * turns.BYTES)
    with pytest.raises(NotSmall, match="more than 100 beginnings of turns"):
        turns.turn_by_turn(plan.run, aims, 100 * turns.BYTES)
    assert turns.turn_by_turn(plan.run, aims, 10_000 * turns.BYTES)[0].beginnings == 59 * 59


def test_the_range_of_a_sample_is_said(limits: SetLimits) -> None:
    limits(counted=1000, many=1000)
    limits(cost_seconds=0.01)
    found = dicelab.solve_cost("examples/pig.py", target=60)
    assert found.how == "sampled"
    assert found.memory == pytest.approx(turns.BYTES * found.states, rel=0.02)
    jsonschema.validate(found.to_dict(), json.loads((ROOT / "src/dicelab/schema/v2.json").read_text()))
    assert "judging by a sample: " in " ".join(str(found).split())
    assert 59 * 59 / OFF <= found.states <= 59 * 59 * OFF
