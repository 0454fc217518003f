"""Sessions: what is said of them beside what is worked out by hand, or in another way."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from math import sqrt
from typing import Any

import pytest

import dicelab
from dicelab.errors import ParameterError, RulesError, UnknownNameError
from dicelab.extras.craps.craps import Craps
from dicelab.extras.craps.spots import COUNT
from dicelab.questions.betting.session import Session
from dicelab.rules import Param, Peak, Switch, Tally
from dicelab.runtime.interpreter import steps
from dicelab.runtime.philox import Stream
from dicelab.runtime.strategies import parse_call
from interface.cli.coin import Coin
from significance import SEED, mean_differs, share_differs

WIN = Fraction(244, 495)
"""Chance of the pass line."""
UNITS, ROUNDS, GOAL = 4, 8, 3
SHORT = {"bankroll": 10 * UNITS, "until_rounds": ROUNDS}
"""A session at the pass line with few units of 10: whoever can't bet a unit has nothing."""


@pytest.fixture(scope="module")
def short() -> Session:
    return dicelab.session("craps", "line", games=50_000, seed=SEED, **SHORT)


@pytest.fixture(scope="module")
def with_goal() -> Session:
    return dicelab.session("craps", "line", games=50_000, seed=SEED, stop_win=10 * GOAL, **SHORT)


# By hand: units at the pass line, round by round ----------------------------------------------------------------------


def by_rounds(units: int, rounds: int, goal: int = 0) -> dict[tuple[int, int], Fraction]:
    """The chance to leave with so many units after so many rounds."""
    at, left = {units: Fraction(1)}, {}
    for done in range(1, rounds + 1):
        after: dict[int, Fraction] = {}
        for money, chance in at.items():
            for more, share in ((1, WIN), (-1, 1 - WIN)):
                after[money + more] = after.get(money + more, Fraction(0)) + chance * share
        over = {money for money in after if money == 0 or done == rounds or (goal and money >= units + goal)}
        left |= {(money, done): after.pop(money) for money in over}
        at = after
    assert sum(left.values()) == 1
    return left


def mean(weights: dict[int, Fraction]) -> Fraction:
    return sum(value * chance for value, chance in weights.items()) / sum(weights.values())


def close(number: float, truth: Fraction, error: float) -> bool:
    """Is a number within the bound that it says of itself, but for the last digits of a float?"""
    return abs(number - truth) <= error + 4e-16 * abs(float(truth))


@pytest.mark.slow_cases("with_goal-3")
@pytest.mark.parametrize(("which", "goal"), [pytest.param("short", 0, marks=pytest.mark.slow), ("with_goal", GOAL)])
def test_ruin_and_money_are_those_of_a_walk_by_hand(which, goal, request):
    found, left = request.getfixturevalue(which), by_rounds(UNITS, ROUNDS, goal)
    shares = {
        "ruined": sum(p for (money, _), p in left.items() if money == 0),
        "behind": sum(p for (money, _), p in left.items() if 0 < money < UNITS),
        "even": sum(p for (money, _), p in left.items() if money == UNITS),
        "ahead": sum(p for (money, _), p in left.items() if money > UNITS),
        **({"goal": sum(p for (money, _), p in left.items() if money >= UNITS + goal)} if goal else {}),
    }
    assert set(found.outcomes | found.events) == set(shares)
    for name, share in shares.items():
        row = (found.outcomes | found.events)[name]
        assert close(row.exact.probability, share, row.exact.error), name
        assert not share_differs(row.simulated.count, row.simulated.games, share)
        expected = (row.simulated.probability - share) / sqrt(share * (1 - share) / 50_000)
        assert row.z == pytest.approx(float(expected), abs=1e-6)
    money = found.tallies["bankroll"]
    for units in range(UNITS + ROUNDS + 1):
        chance = sum(p for (at, _), p in left.items() if at == units)
        assert money.exact.probabilities.get(10 * units, 0) == pytest.approx(float(chance), abs=1e-12)
    assert close(
        money.exact.mean, 10 * mean({at: _sum(left, at) for at in range(UNITS + ROUNDS + 1)}), money.exact.error
    )


def _sum(left: dict[tuple[int, int], Fraction], units: int) -> Fraction:
    return sum((p for (money, _), p in left.items() if money == units), Fraction(0))


@pytest.mark.slow_cases("with_goal-3")
@pytest.mark.parametrize(("which", "goal"), [pytest.param("short", 0, marks=pytest.mark.slow), ("with_goal", GOAL)])
def test_the_time_until_ruin_is_that_of_a_walk_by_hand(which, goal, request):
    found, left = request.getfixturevalue(which), by_rounds(UNITS, ROUNDS, goal)
    every = {done: sum(p for (_, after), p in left.items() if after == done) for done in range(1, ROUNDS + 1)}
    ruin = {done: left.get((0, done), Fraction(0)) for done in range(1, ROUNDS + 1)}
    for name, weights in (("rounds", every), ("rounds_to_ruin", ruin)):
        row, truth = found.tallies[name], mean(weights)
        second = mean({done**2: p for done, p in weights.items()})
        assert row.exact.mean == pytest.approx(float(truth), abs=row.exact.error + 1e-12)
        assert row.exact.sd == pytest.approx(sqrt(second - truth**2), abs=1e-9)
        assert not mean_differs(row.simulated.histogram, truth, second - truth**2)
        assert row.z == pytest.approx(
            (row.simulated.mean - float(truth)) / sqrt((second - truth**2) / row.simulated.games), abs=1e-6
        )
    ruined = found.simulation.outcomes["ruined"].count
    assert found.tallies["rounds_to_ruin"].simulated.games == ruined
    throws = found.tallies["throws_to_ruin"]
    assert throws.simulated.games == ruined
    assert throws.exact.percentile(0.5) == throws.simulated.percentile(0.5)
    assert not mean_differs(throws.simulated.histogram, throws.exact.mean, throws.exact.sd**2)


def on_the_way(units: int, rounds: int, goal: int, win: Fraction | float = WIN) -> dict[tuple[int, int], Any]:
    """The chance that so many units were the most, and that the deepest fall from the most until then was so many."""
    at, left = {(units, units, 0): 1}, {}
    for done in range(1, rounds + 1):
        after: dict[tuple[int, int, int], Any] = {}
        for (money, most, fall), chance in at.items():
            for now, share in ((money + 1, win), (money - 1, 1 - win)):
                high = max(most, now)
                key = now, high, max(fall, high - now)
                after[key] = after.get(key, 0) + chance * share
        for key in [key for key in after if key[0] == 0 or done == rounds or (goal and key[0] >= units + goal)]:
            left[key[1:]] = left.get(key[1:], 0) + after.pop(key)
        at = after
    return left


@pytest.mark.slow
@pytest.mark.parametrize(("which", "goal"), [("short", 0), ("with_goal", GOAL)])
def test_the_highest_and_the_fall_are_those_of_a_walk_by_hand(which, goal, request):
    found, left = request.getfixturevalue(which), on_the_way(UNITS, ROUNDS, goal)
    for place, name in enumerate(("highest", "drawdown")):
        row = found.tallies[name]
        weights = {
            units: sum(p for key, p in left.items() if key[place] == units) for units in range(UNITS + ROUNDS + 1)
        }
        truth = mean(weights)
        second = mean({units**2: p for units, p in weights.items()})
        for units, chance in weights.items():
            assert row.exact.probabilities.get(10 * units, 0) == pytest.approx(float(chance), abs=1e-12)
        assert row.exact.mean == pytest.approx(10 * float(truth), abs=row.exact.error + 1e-12)
        assert not mean_differs(row.simulated.histogram, 10 * truth, 100 * (second - truth**2))


@pytest.mark.slow
def test_the_way_is_not_followed_where_that_takes_long(limits):
    limits(peak_work=50)
    found = dicelab.session("craps", "line", games=500, seed=SEED, **SHORT)
    assert found.exact is not None
    assert found.tallies["highest"].exact is found.tallies["drawdown"].exact is None


@pytest.mark.slow
def test_money_that_is_part_of_the_positions_is_not_followed_for_long(limits):
    session = {"until_rounds": 4, "bankroll": 100}
    found = [dicelab.session("craps", "line:system=martingale", games=500, seed=SEED, **session)]
    limits(peak_rolls=5000)
    found.append(dicelab.session("craps", "line:system=martingale", games=500, seed=SEED, **session))
    assert [one.tallies["highest"].exact is None for one in found] == [False, True]
    assert [one.exact is None for one in found] == [False, False]


@pytest.fixture(scope="module", params=[{"until_rounds": 200}, {"until_throws": 200, "until_rounds": 0}])
def long(request) -> Session:
    return dicelab.session("craps", "line", games=20_000, seed=SEED, bankroll=200, **request.param)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["highest", "drawdown"])
def test_the_highest_and_the_fall_of_long_sessions_are_those_that_are_simulated(long, name):
    row = long.tallies[name]
    assert row.exact.error < 1e-6
    assert not mean_differs(row.simulated.histogram, row.exact.mean, row.exact.sd**2)
    for limit in (50, 100, 250, 400):
        chance = sum(p for value, p in row.exact.probabilities.items() if value > limit)
        count = sum(n for value, n in row.simulated.histogram.items() if value > limit)
        assert not share_differs(count, 20_000, chance)


@pytest.mark.slow
def test_the_highest_and_the_fall_of_fifty_rounds_are_those_of_a_walk_by_hand():
    found = dicelab.session("craps", "line", games=500, seed=SEED, bankroll=120, until_rounds=50)
    left = on_the_way(12, 50, 0, float(WIN))
    for place, name in enumerate(("highest", "drawdown")):
        exact, units = found.tallies[name].exact, Counter()
        for key, chance in left.items():
            units[key[place]] += chance
        assert {10 * value for value, chance in units.items() if chance > 1e-12} <= exact.probabilities.keys()
        for value, chance in exact.probabilities.items():
            assert chance == pytest.approx(units[value // 10], abs=1e-12)
        assert exact.mean == pytest.approx(sum(10 * value * chance for value, chance in units.items()), rel=1e-10)


@pytest.mark.slow
def test_throws_are_those_of_the_rounds(short):
    """A round takes 557/165 throws, whatever the money does (Wald)."""
    rounds = short.tallies["rounds"].exact.mean
    assert short.tallies["throws"].exact.mean == pytest.approx(rounds * 557 / 165, rel=1e-10)
    staked = short.simulation.tallies["staked"].histogram
    assert sum(staked.values()) == 50_000
    assert staked == {10 * rounds: n for rounds, n in short.simulation.tallies["rounds"].histogram.items()}


# Gambler's ruin ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bankroll", "win", "heads", "tails"), [(3, 4, 9, 10), (2, 1, 3, 5), (5, 5, 1, 1), (1, 7, 4, 3)]
)
def test_the_ruin_of_a_gambler_is_that_of_the_textbooks(bankroll, win, heads, tails):
    """W. Feller, An Introduction to Probability Theory and Its Applications, volume 1, XIV.2 and XIV.3."""
    settings = {"bankroll": bankroll, "stop_win": win, "heads": heads, "tails": tails}
    found = dicelab.session(Coin, games=20_000, seed=SEED, **settings)
    goal, ratio = bankroll + win, Fraction(tails, heads)
    if ratio == 1:
        ruin, rounds = 1 - Fraction(bankroll, goal), Fraction(bankroll * win)
    else:
        ruin = (ratio**bankroll - ratio**goal) / (1 - ratio**goal)
        drift = Fraction(heads - tails, heads + tails)
        rounds = ((1 - ruin) * goal - bankroll) / drift
    assert found.exact.outcomes["broke"].fraction == ruin
    assert found.events["goal"].exact.probability == pytest.approx(float(1 - ruin), abs=1e-12)
    assert not share_differs(found.outcomes["broke"].simulated.count, 20_000, ruin)
    lasts = dicelab.exact(Coin, tallies="rounds", **settings).tallies["rounds"]
    assert lasts.fraction == rounds
    assert not mean_differs(found.tallies["rounds"].simulated.histogram, rounds, lasts.sd**2)


def test_what_a_game_does_not_count_is_not_told():
    """The coin counts no throws."""
    amounts = dicelab.session(Coin, games=100, seed=1).tallies
    assert list(amounts) == ["bankroll", "highest", "drawdown", "rounds", "rounds_to_ruin"]


# The highest and the fall from it -------------------------------------------------------------------------------------


@pytest.mark.quick_cases("line:pass:2:10:martingale-house1")
@pytest.mark.parametrize(
    ("strategy", "house"),
    [
        ("line", SHORT),
        ("line:pass:2:10:martingale", {"bankroll": 200, "until_rounds": 12, "stop_win": 60}),
        ("molly:2:2", {"bankroll": 300, "until_throws": 25, "until_rounds": 0}),
        ("place:across", {"until_hands": 2, "until_rounds": 0, "stop_loss": 150}),
    ],
)
def test_the_highest_and_the_fall_are_those_of_the_money_throw_by_throw(strategy, house):
    """Added up from purse and table after each throw, to the last one; played by both engines."""
    played = dicelab.simulate("craps", strategy, games=60, seed=7, records=True, falls=True, **house)
    columns = [played.tally_names.index(name) + 1 for name in ("money", "peak", "fall")]
    game = Craps(falls=True, **house)
    chooser = parse_call(Craps, strategy).chooser
    deep = 0
    for number, row in enumerate(played.records.tolist()):
        worth = [game.bankroll]
        for event in steps(game, [chooser(game)], Stream(7, number)):
            if event.kind == "throw":
                worth.append(game.purse[0] + sum(game.bets[:COUNT]))
        fall = max(max(worth[: i + 1]) - now for i, now in enumerate(worth))
        assert [row[k] for k in columns] == [worth[-1] - game.bankroll, max(worth) - game.bankroll, fall]
        deep += fall > game.bankroll - min(worth)
    assert deep > 0, "some falls are not from the bankroll"


@pytest.mark.slow
def test_falls_are_followed_in_sessions_only(short):
    plain = dicelab.simulate("craps", "line", games=50_000, seed=SEED, **SHORT)
    assert short.simulation.parameters == {**plain.parameters, "falls": True}
    assert set(plain.tallies["fall"].histogram) == {0}
    for name in ("money", "peak", "throws", "staked"):
        assert plain.tallies[name].histogram == short.simulation.tallies[name].histogram
    highest, fall = short.tallies["highest"].simulated, short.tallies["drawdown"].simulated
    assert highest.mean == pytest.approx(10 * UNITS + plain.tallies["peak"].mean)
    assert min(highest.histogram) == 10 * UNITS
    assert max(fall.histogram) <= 10 * UNITS + max(plain.tallies["peak"].histogram)
    assert fall.histogram.total() == 50_000


# What a session says --------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_plain_data_and_tables_say_the_same(short, with_goal):
    data = json.loads(short.to_json())
    assert (data["schema"], data["method"], data["game"], data["seed"]) == (2, "session", "craps", SEED)
    assert (data["games"], "interrupted" in data, data["exact"]["states"]) == (50_000, False, short.exact.states)
    assert "why" not in data
    assert list(data["outcomes"]) == ["ruined", "behind", "even", "ahead"]
    assert list(json.loads(with_goal.to_json())["events"]) == ["goal"]
    ruined, money = data["outcomes"]["ruined"], data["tallies"]["bankroll"]
    assert {"means", "exact", "z"} <= set(ruined) & set(money)
    assert {"mean", "sd"} <= set(money) & set(money["exact"])
    percentiles = ["p5", "p10", "p25", "p50", "p75", "p90", "p95"]
    assert list(money["percentiles"]) == list(money["exact"]["percentiles"]) == percentiles
    table = short.to_frame().set_index("name")
    assert list(table.index) == [*data["outcomes"], *data["tallies"]]
    assert table.loc["ruined", "exact_probability"] == ruined["exact"]["probability"]
    assert table.loc["bankroll", "simulated_mean"] == money["mean"]
    again = dicelab.session("craps", "line", games=50_000, seed=SEED, exact=False, **SHORT)
    assert again.simulation.tallied == short.simulation.tallied


@pytest.mark.slow
def test_text_says_what_is_known(short, with_goal):
    text = str(short)
    assert f"{short.outcomes['ruined'].exact.probability:.6f}" in text
    assert "largest drawdown" in text
    assert f"50,000 sessions, seed {SEED}" in text
    assert "exact: " in text
    assert "30 won, or more" in str(with_goal)
    assert "no exact answer" not in text
    alone = str(replace(short, exact=None))
    assert "exact" not in alone
    assert " z" not in alone


def test_sessions_that_nobody_loses_have_no_time_until_ruin():
    """Ten rounds can't take twenty units."""
    found = dicelab.session(Coin, bankroll=20, stop_win=0, until_rounds=10, games=500, seed=1)
    row = found.tallies["rounds_to_ruin"]
    assert (row.simulated.games, row.exact, row.z) == (0, None, None)
    assert found.outcomes["broke"].exact.probability == 0
    assert found.outcomes["broke"].z == 0
    assert "that end in ruin" not in str(found)
    assert json.loads(found.to_json())["tallies"]["rounds_to_ruin"] == {"means": row.means}
    assert len(found.to_frame()) == len(found.outcomes) + len(found.events) + len(found.tallies)


# Without an exact answer ----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_why_there_is_no_exact_answer_is_told():
    found = dicelab.session("craps", "molly:2:2", until_rounds=20, games=500, seed=1, memory=100_000)
    assert found.exact is None
    assert not found.interrupted
    assert "does not fit into" in found.why
    assert f"no exact answer: {found.why}" in " ".join(str(found).split())
    data = json.loads(found.to_json())
    assert ("exact" in data, data["why"]) == (False, found.why)
    assert not any({"exact", "z"} & set(row) for row in data["outcomes"].values())


def test_an_exact_answer_that_is_not_wanted_is_not_looked_for():
    """Otherwise it would say why there is none."""
    asked = {"games": 100, "seed": 1, "memory": 1}
    assert "does not fit into" in dicelab.session(Coin, **asked).why
    assert dicelab.session(Coin, exact=False, **asked).why == ""


def test_sessions_played_before_ctrl_c_are_those_of_a_shorter_run():
    def stop(played, wanted):
        if played >= 500:
            raise KeyboardInterrupt

    found = dicelab.session(Coin, games=10**8, seed=3, progress=stop)
    assert found.interrupted
    assert found.exact is None
    assert 500 <= found.simulation.games < 10**8
    assert f"{found.simulation.games:,} sessions, seed 3, stopped before the end" in str(found)
    assert json.loads(found.to_json())["interrupted"] is True
    again = dicelab.session(Coin, games=found.simulation.games, seed=3)
    assert again.simulation.tallied == found.simulation.tallied
    assert not again.interrupted


def test_ctrl_c_while_it_is_solved_keeps_the_sessions():
    def stop(found, expanded):
        raise KeyboardInterrupt

    found = dicelab.session("craps", "line", games=200, seed=3, solving=stop, **SHORT)
    assert found.interrupted
    assert (found.exact, found.simulation.games) == (None, 200)
    assert "200 sessions, seed 3, " in str(found)
    assert "seed 3, stopped" not in str(found), "they were all played"
    assert str(found).endswith("no exact answer: stopped before the end")
    assert json.loads(found.to_json())["interrupted"] is True


# What is refused ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["hazard", "tossup", "craps-bet"])
def test_games_that_are_no_sessions_are_refused(game):
    for ask in (dicelab.session, dicelab.for_ruin):
        with pytest.raises(ParameterError, match=f"{game} can't run as a session: it declares no ruin outcome"):
            ask(game)


@pytest.mark.parametrize(
    ("settings", "kind", "told"),
    [
        ({"games": 0}, ParameterError, "games: 0"),
        ({"seed": "x"}, ParameterError, "seed: 'x'"),
        ({"bankrol": 5}, UnknownNameError, "did you mean 'bankroll'"),
        ({"bankroll": 51}, ParameterError, "bankroll: 51"),
        ({"memory": 0}, ParameterError, "memory: 0"),
        ({"stop_win": 0}, ParameterError, "there must be an end to it"),
    ],
)
def test_bad_settings(settings, kind, told):
    with pytest.raises(kind, match=told):
        dicelab.session(Coin, **{"games": 10, **settings})


def variant(**attributes: object) -> type[Coin]:
    """The coin with other declarations."""
    return type("Variant", (Coin,), attributes)


@pytest.mark.parametrize(
    ("attributes", "told"),
    [
        ({"ruin": "brok"}, "variant: ruin: no outcome 'brok'; did you mean 'broke'"),
        ({"ruin": "broke", "outcomes": ("won", "lost")}, "variant: ruin: no outcome 'broke'; there are: lost, won"),
        ({"outcomes": ()}, "variant: ruin: no outcome 'broke'; there is none"),
        ({"ruin": 5}, "variant: ruin: no outcome '5'"),
        ({"bankroll": 5}, "purse depends on a parameter .* that the class does not have"),
        ({"bankroll": Switch(False, "money")}, "a game with ruin needs a parameter bankroll"),
        ({"money": 0}, "a game with ruin needs a Tally money"),
        ({"money": Peak("money")}, "a game with ruin needs a Tally money"),
    ],
)
def test_what_a_session_must_have_is_checked_when_the_class_is_made(attributes, told):
    with pytest.raises(RulesError, match=told):
        variant(**attributes)


def test_what_a_session_may_be_called_otherwise():
    assert variant(outcomes=("gone", "here"), ruin="gone").ruin == "gone"
    assert variant(bankroll=Param(4, 1, 9, "money"), money=Tally("money")).ruin == "broke"
    assert variant(ruin="", money=0).ruin == ""


@pytest.mark.slow
def test_what_a_reader_should_know_is_told():
    two = dicelab.session("craps", ["line", "molly:1:0"], players=2, until_rounds=3, games=50, seed=1, exact=False)
    assert two.notes == ["all figures are about player 1, line; the other players share the dice"]
    assert two.notes[0] in str(two)
    none = dicelab.session("craps", "line:dont_pass", crapless=True, until_rounds=3, games=50, seed=1, exact=False)
    assert [note.partition(":")[0] for note in json.loads(none.to_json())["notes"]] == ["nothing was staked"]


def test_few_sessions_say_nothing_of_ruin():
    few, more = (dicelab.session("craps", games=n, seed=SEED, exact=False, **SHORT).summary for n in (1, 300))
    assert few == "Too few sessions to tell how often the player goes broke (±49 points)."
    assert more.startswith("The player goes broke in ")


def test_the_exact_quartiles_are_said_where_they_are_known():
    one = dicelab.session("craps", games=1, seed=SEED, bankroll=10 * UNITS, until_rounds=1)  # a unit of 10 on pass
    assert one.summary.endswith(f"half of them end with {10 * UNITS - 10} to {10 * UNITS + 10}.")
