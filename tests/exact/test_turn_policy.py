"""Policies of games solved turn by turn: the same moves and values as those of all states, from the file as well."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

import dicelab
from dicelab.errors import InputError, ParameterError
from dicelab.limits import limited
from dicelab.questions.policies.advice import advice
from dicelab.questions.policies.files import load
from dicelab.questions.policies.solution import Solution
from dicelab.questions.policies.turn_policy import TurnPolicy
from dicelab.rules.game import fresh
from dicelab.runtime.states.codec import Place
from dicelab.solver.turns import solve as turns
from support import GAMES, ROOT

SMALL: list[tuple[str, str | None, dict[str, Any]]] = [
    ("pig", None, {"target": 20}),
    ("pig-alone", "fewest:turns", {"target": 20}),
    ("tossup", None, {"target": 10, "dice": 3}),
    ("tossup", None, {"target": 8, "dice": 3, "last_turn": True}),
    ("farkle", None, {"target": 300}),
    ("yahtzee", "most:score", {"boxes": 2049}),
    ("three-boxes", None, {}),
    ("targets", None, {}),
    ("shut-the-box-alone", "shut", {}),
]
NAMES = ["-".join([name, *map(str, parameters.values())]) for name, _, parameters in SMALL]


@pytest.fixture
def by_turns() -> Any:
    """Solves games turn by turn, however small."""

    def solve(name: str, objective: str | None = None, **parameters: Any) -> Solution:
        with limited(many_with_policy=0):
            return dicelab.solve(GAMES[name], objective=objective, **parameters)

    return solve


@pytest.mark.slow
@pytest.mark.parametrize(("name", "objective", "parameters"), SMALL, ids=NAMES)
def test_options_are_those_of_all_states(
    name: str, objective: str | None, parameters: dict[str, Any], by_turns: Any
) -> None:
    whole = dicelab.solve(GAMES[name], objective=objective, **parameters)
    policy = by_turns(name, objective, **parameters).turn_policy
    assert whole.policy is not None
    game = fresh(whole.policy.game)
    place, compared = Place(game, ()), 0
    for number in range(0, len(whole.policy), max(1, len(whole.policy) // 300)):
        place.set(list(whole.policy.state(number).values()))
        found = policy.at(game)
        if found is None:  # only moves that the other seat never considers lead to this state
            continue
        compared += 1
        wanted = {option.move: option.worth for option in whole.policy.options(number)}
        width = len(found.decision.kinds)
        assert {o.move: o.worth for o in found.options} == {
            move[:width]: pytest.approx(worth, abs=1e-9) for move, worth in wanted.items()
        }
        best = whole.policy.worth[whole.policy.best[number]]
        assert found.options[found.best].worth == pytest.approx(best, abs=1e-9)
    assert compared > 100 or compared >= len(whole.policy) // 2


@pytest.mark.slow
def test_a_policy_file_of_turns(tmp_path: Path, by_turns: Any) -> None:
    policy = by_turns("yahtzee", "most:score", boxes=2049).turn_policy
    path = tmp_path / "best.npz"
    policy.save(path)
    again = load(path, GAMES["yahtzee"])
    assert isinstance(again, TurnPolicy)
    assert np.array_equal(again.keys, policy.keys)
    assert np.array_equal(again.value, policy.value)
    with pytest.raises(ParameterError, match="other parameters"):
        load(path, GAMES["yahtzee"](boxes=2050))
    with pytest.raises(InputError, match="not of pig"):
        load(path, GAMES["pig"])
    with pytest.raises(InputError, match="not the moves in every state"):
        dicelab.Policy.load(path, GAMES["yahtzee"])
    content = path.read_bytes()
    middle = len(content) // 2
    path.write_bytes(content[:middle] + bytes(64) + content[middle + 64 :])
    with pytest.raises(InputError, match="damaged"):
        load(path, GAMES["yahtzee"])


@pytest.mark.slow
def test_simulated_games_have_the_value(tmp_path: Path, by_turns: Any) -> None:
    best = by_turns("pig", target=12)
    best.turn_policy.save(tmp_path / "best.npz")
    plan = f"policy:{tmp_path / 'best.npz'}"
    whole = dicelab.exact(GAMES["pig"], plan, target=12)
    assert abs(whole.outcomes["0"].probability - best.value) < 1e-9
    played = dicelab.simulate(GAMES["pig"], plan, games=200, seed=1, target=12)
    same = dicelab.simulate(GAMES["pig"], dicelab.solve(GAMES["pig"], target=12).policy, games=200, seed=1, target=12)
    assert played.outcomes["0"].probability == same.outcomes["0"].probability


@pytest.mark.slow
def test_advice_within_a_turn(by_turns: Any) -> None:
    whole, policy = dicelab.solve(GAMES["pig"], target=20), by_turns("pig", target=20).turn_policy
    assert whole.policy is not None
    for at in ({"scores": (3, 9), "points": 7}, {"scores": (3, 9), "player": 1, "points": 7}, {"scores": (3, 9)}):
        expected, found = advice(whole.policy, **at), advice(policy, **at)
        assert found.positions == expected.positions
        rows = {tuple(row.state.items()): row for row in found.rows}
        for row in expected.rows:
            if expected.positions <= 20:
                other = rows[tuple(row.state.items())]
                assert other.best == row.best
                assert {m: worth for m, (worth, _) in other.options.items()} == {
                    m: pytest.approx(worth, abs=1e-9) for m, (worth, _) in row.options.items()
                }
    with pytest.raises(ParameterError, match="give more of the state: scores"):
        advice(policy, points=3)
    with pytest.raises(ParameterError, match="no choice"):
        advice(policy, scores=(3, 9), points=1)
    with pytest.raises(ParameterError, match="no dice in its state"):
        advice(policy, dice=1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "objective", "parameters"),
    [
        ("yahtzee", "most:score", {"boxes": 2049 + 256}),
        ("yahtzee", "most:score", {"boxes": 1 + 2 + 16}),
        ("three-boxes", "most:last", {"players": 1, "most": 3}),
        ("yahtzee-box", "most:score", {"box": 9}),
    ],
)
def test_the_distribution_is_that_of_all_states(
    name: str, objective: str, parameters: dict[str, Any], by_turns: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    tally = objective.partition(":")[2]
    whole = dicelab.solve(GAMES[name], objective=objective, **parameters)
    expected = dicelab.exact(GAMES[name], whole.policy, **parameters).tallies[tally]
    if name == "yahtzee":  # with few boxes, fewer outer fields would do, and points would be counted within turns
        monkeypatch.setattr(turns, "outer_fields", lambda run, rotation: iter([("upper", "filled", "fifty")]))
    result = by_turns(name, objective, **parameters)
    found = result.tallies[tally]
    assert found.probabilities == {
        value: pytest.approx(chance, abs=1e-13) for value, chance in expected.probabilities.items()
    }
    assert found.mean == pytest.approx(expected.mean, abs=1e-12)
    assert abs(found.sd - expected.sd) <= found.error + expected.error
    assert found.error < 1e-8
    assert found.spread is not None
    assert found.spread.moments()[0] == pytest.approx(found.mean, abs=1e-12)
    plain = result.to_dict()
    assert plain["tallies"][tally]["percentiles"]["p50"] == expected.percentile(0.5)
    jsonschema.validate(plain, json.loads((ROOT / "src/dicelab/schema/v2.json").read_text()))
    assert " sd " in str(result)


@pytest.mark.slow
def test_no_distribution_where_turns_repeat(by_turns: Any) -> None:
    result = by_turns("pig-alone", "fewest:turns", target=20)
    assert result.counted is None
    assert "sd" not in result.to_dict()["tallies"]["turns"]
    assert "no distribution of turns: turns can repeat" in result.text()
    inside = by_turns("yahtzee", "most:turns", boxes=1)
    assert inside.counted is not None
    assert not inside.uncounted


@pytest.mark.slow
@pytest.mark.timeout(3000)
def test_yahtzee_by_the_best_moves() -> None:
    """Tom Verhoeff 1999: mean 254.59, standard deviation 59.61, median 248; 1,575 is the largest score."""
    result = dicelab.solve("yahtzee", objective="most:score", policy=False)
    score = result.tallies["score"]
    assert score.sd == pytest.approx(59.61, abs=0.005)
    assert score.percentile(0.5) == 248
    assert max(score.probabilities) == 1575
    assert sum(score.probabilities.values()) == pytest.approx(1.0, abs=1e-12)
    assert score.spread is not None
    assert score.spread.moments()[0] == pytest.approx(254.5877287345, abs=1e-9)
