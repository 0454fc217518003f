"""Betting systems side by side: each alone on the same dice, and their differences game by game."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

import dicelab
from dicelab.errors import ParameterError, PlayError, UnknownNameError
from dicelab.extras.craps.craps import Craps
from dicelab.questions.betting.systems import systems
from dicelab.rules import strategy
from dicelab.runtime.scheduler import Tallied
from significance import SEED, mean_differs, sum_differs

SHORT = {"bankroll": 30, "until_rounds": 4, "stop_win": 20}
CALLS = ["line", "line:system=martingale"]


@pytest.fixture(scope="module")
def found():
    return systems("craps", CALLS, games=20_000, seed=SEED, **SHORT)


@pytest.mark.slow
def test_each_row_is_the_session_alone(found):
    assert [row["strategy"] for row in found.rows] == CALLS
    for call, one, row in zip(CALLS, found.sessions, found.rows, strict=True):
        alone = dicelab.simulate("craps", call, games=20_000, seed=SEED, falls=True, **SHORT)
        assert one.simulation.tallied == alone.tallied
        money, staked = (alone.tallies[name] for name in ("money", "staked"))
        assert row["mean"] == pytest.approx(30 + money.mean)
        assert row["p50"] == 30 + money.percentile(0.5)
        assert row["lost"] == pytest.approx(-money.mean / staked.mean)
        exact = dicelab.exact("craps", call, tallies="money", **SHORT)
        assert (row["ruined_exact"], row["goal_exact"]) == (True, True)
        assert row["ruined"] == pytest.approx(exact.outcomes["ruined"].probability, abs=1e-10)
        goal = sum(p for won, p in exact.tallies["money"].probabilities.items() if won >= 20)
        assert row["goal"] == pytest.approx(goal, abs=1e-10)
        assert not mean_differs(money.histogram, exact.tallies["money"].mean, exact.tallies["money"].sd ** 2)


@pytest.mark.slow
def test_the_same_dice(found):
    """With all that was thrown before an end of its own, games are the same throw by throw."""
    rows = [
        dicelab.simulate("craps", call, games=300, seed=SEED, records=True, bankroll=5000, until_rounds=6)
        for call in CALLS
    ]
    throws, points = (rows[0].tally_names.index(name) + 1 for name in ("throws", "points"))
    first = rows[0].records[:, [throws, points]].tolist()
    assert all(row.records[:, [throws, points]].tolist() == first for row in rows)
    assert len({one.simulation.seed for one in found.sessions}) == 1


@pytest.mark.slow
def test_differences_are_paired_and_cover_the_truth(found):
    """The interval of ``compare`` on money: of games with the same number, on the same dice."""
    pair = dicelab.compare("craps", CALLS, on="money", games=3000, seed=SEED, **SHORT).pairs[0]
    played = [dicelab.simulate("craps", call, games=3000, seed=SEED, records=True, **SHORT) for call in CALLS]
    one, other = (result.records[:, 1 + result.tally_names.index("money")] for result in played)
    gaps = one - other
    assert pair.difference.value == pytest.approx(gaps.mean())
    assert pair.difference.high - pair.difference.low == pytest.approx(2 * 1.959964 * gaps.std() / 3000**0.5, rel=1e-2)
    assert gaps.var() < one.var() + other.var(), "closer than games on other dice"
    truth = found.sessions[0].exact.tallies["money"].mean - found.sessions[1].exact.tallies["money"].mean
    assert not sum_differs(gaps.sum() - 3000 * truth, 3000 * gaps.var())
    exact = dicelab.compare("craps", CALLS, on="money", exact=True, **SHORT).pairs[0].difference.value
    assert exact == pytest.approx(truth, abs=1e-9)


@pytest.mark.slow
def test_plain_data_text_and_table(found):
    data = json.loads(found.to_json())
    assert (data["schema"], data["method"], "interrupted" in data) == (2, "systems", False)
    assert data["rows"] == json.loads(json.dumps(found.rows))
    assert [one["strategies"] for one in data["sessions"]] == [[row["strategy"]] for row in found.rows]
    assert list(found.to_frame()["ruined"]) == [row["ruined"] for row in found.rows]
    text = str(found)
    assert f"20,000 sessions each, on the same dice, seed {SEED}" in text
    assert all(row["strategy"] in text for row in found.rows)
    assert "goal" in text


@pytest.mark.slow
def test_without_a_goal_and_without_exact_answers():
    found = systems("craps", CALLS, games=200, seed=1, exact=False, bankroll=30, until_rounds=4)
    assert "goal" not in found.rows[0]
    assert [row["ruined_exact"] for row in found.rows] == [False, False]
    assert [row["ruined_z"] for row in found.rows] == [None, None]
    assert "probabilities with a z are exact" not in str(found)


@pytest.mark.slow
@pytest.mark.parametrize("calls", [["line", "watch"], ["watch", "line"]])
def test_who_stakes_nothing_loses_no_share_of_it(calls):
    found = systems("craps", calls, games=200, seed=1, exact=False, bankroll=30, until_rounds=4)
    shares = {row["strategy"].partition(":")[0]: row.get("lost") for row in found.rows}
    assert shares["watch"] is None
    assert shares["line"] is not None
    assert str(found).count("±") == 1
    assert len(found.to_frame()) == 2


def unplayed(one):
    """A session that was stopped before the first game was over."""
    nothing = Tallied.empty(len(one.simulation.outcome_names), len(one.simulation.tally_names))
    return replace(one, simulation=replace(one.simulation, games=0, tallied=nothing), interrupted=True)


@pytest.mark.slow
@pytest.mark.parametrize("some", [True, False])
def test_those_that_were_begun_before_ctrl_c_are_kept(monkeypatch, some):
    def stopped(game, call, **settings):
        watching = str(call) == "watch"
        one = dicelab.session(game, call, **{**settings, "games": 300 if watching and some else 400})
        cut = replace(one, interrupted=True) if some else unplayed(one)
        return cut if watching else one

    monkeypatch.setattr("dicelab.questions.betting.systems.session", stopped)
    done = []
    settings = {"games": 400, "seed": 1, "exact": False, "progress": lambda k, n: done.append((k, n)), **SHORT}
    found = systems("craps", ["line", "watch", "line:pass:1"], **settings)
    assert found.interrupted
    assert done == [(0, 3), (1, 3)]
    assert [one.simulation.games for one in found.sessions] == ([400, 300] if some else [400])
    assert str(found).partition("\n\n")[2].startswith("stopped before the end")  # after the sentence that answers
    assert ("400 sessions each (300 of the last)" in str(found)) == some
    assert json.loads(found.to_json())["interrupted"] is True
    if not some:
        nothing = systems("craps", ["watch", "line"], **settings)
        assert nothing.interrupted
        assert nothing.rows == []
        assert str(nothing).endswith("no session was completed")


@strategy(Craps)
def wrong(game):
    """Divide by the rolls so far, of which there are none."""
    return (1 // 0, 0)


@pytest.mark.slow
def test_a_strategy_that_goes_wrong_leaves_those_before_it():
    settings = {"games": 100, "seed": 1, "exact": False, **SHORT}
    found = systems("craps", ["line", wrong, "line:pass:1"], **settings)
    assert not found.interrupted
    assert len(found.sessions) == 1
    assert "ZeroDivisionError" in found.refused
    assert found.to_dict()["refused"] == found.refused
    assert " ".join(str(found).split()).endswith(" ".join(found.refused.split()))
    with pytest.raises(PlayError, match="ZeroDivisionError"):
        systems("craps", [wrong, "line"], **settings)


@pytest.mark.parametrize(
    ("game", "calls", "kind", "message"),
    [
        ("craps", [], ParameterError, "give at least one strategy to compare"),
        ("craps", ["line", "lnie"], UnknownNameError, "did you mean 'line'"),
        ("tossup", ["one_roll"], ParameterError, "tossup can't run as a session"),
        ("craps", 5, ParameterError, "strategies: 5 is not allowed"),
    ],
)
def test_bad_questions_are_refused_before_anything_is_played(game, calls, kind, message):
    def begun(done, total):
        raise AssertionError("sessions were played")

    with pytest.raises(kind, match=message):
        systems(game, calls, games=10, seed=1, exact=False, progress=begun)
