"""What keeps the risk of ruin below a bound: beside a look at every value there is."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

import dicelab
from dicelab.errors import ParameterError, UnknownNameError
from dicelab.rules import Choice, Param
from interface.cli.coin import Coin
from significance import SEED, share_differs

COIN = {"stop_win": 5, "until_rounds": 30, "heads": 1, "tails": 1}


def risk(game: object, strategies: str = (), **parameters: object) -> float:
    found = dicelab.exact(game, strategies, tallies=(), **parameters)
    return next(iter(found.outcomes.values())).probability  # the first outcome is the ruin, here


@pytest.fixture(scope="module")
def risks() -> dict[int, float]:
    """The risk of ruin for every bankroll."""
    return {value: risk(Coin, **{**COIN, "bankroll": value}) for value in range(1, 51)}


@pytest.mark.slow
@pytest.mark.parametrize(("ruin", "start"), [(0.5, 1), (0.2, 50), (0.05, 3), (0.01, 13), (1e-6, 3), (1e-6, 50)])
def test_the_bankroll_is_that_of_a_look_at_all(risks, ruin, start):
    found = dicelab.for_ruin(Coin, ruin=ruin, seed=1, bankroll=start, **COIN)
    assert list(risks.values()) == sorted(risks.values(), reverse=True), "more money is less risky"
    assert found.value == min(value for value, chance in risks.items() if chance <= ruin)
    for look in found.looks:
        assert look.games == 0
        assert look.ruin == risks[look.value]
    assert {found.value, found.value - 1} <= {look.value for look in found.looks}


@pytest.mark.slow
@pytest.mark.parametrize("step", [2, 7, 20])
def test_steps(risks, step):
    found = dicelab.for_ruin(Coin, ruin=0.05, step=step, seed=1, **COIN)
    assert found.value == min(value for value, chance in risks.items() if chance <= 0.05 and value % step == 0)
    assert all(look.value % step == 0 for look in found.looks)


@pytest.mark.slow
def test_what_is_riskier_where_it_is_larger():
    """More rounds, a higher goal, and tails that are heavier: the largest value is wanted."""
    rounds = {value: risk(Coin, bankroll=4, stop_win=0, until_rounds=value) for value in range(1, 41)}
    found = dicelab.for_ruin(Coin, ruin=0.3, find="until_rounds", seed=1, bankroll=4, stop_win=0, until_rounds=9)
    assert found.value == max(value for value, chance in rounds.items() if chance <= 0.3)
    tails = {value: risk(Coin, tails=value) for value in range(1, 21)}
    found = dicelab.for_ruin(Coin, ruin=0.4, find="tails", seed=1)
    assert found.value == max(value for value, chance in tails.items() if chance <= 0.4)


@pytest.mark.slow
def test_values_that_the_game_refuses_are_passed_over():
    class Chips(Coin):
        """A coin for which money is brought in fours, twelve at least."""

        bankroll = Param(24, 1, 50, "money at the start")

        def refuse(self) -> str:
            return "fours, twelve at least" if self.bankroll % 4 or self.bankroll < 12 else super().refuse()

    every = {value: risk(Chips, bankroll=value, stop_win=0, until_rounds=40) for value in range(12, 51, 4)}
    for ruin in (0.1, 0.02, 1e-6):
        found = dicelab.for_ruin(Chips, ruin=ruin, seed=1, stop_win=0, until_rounds=40)
        safe = [value for value, chance in every.items() if chance <= ruin]
        assert found.value == min(safe, default=None)
    always = dicelab.for_ruin(Chips, ruin=0.9, seed=1, stop_win=0, until_rounds=40)
    assert always.value == 12
    stepped = dicelab.for_ruin(Chips, ruin=0.1, step=6, seed=1, stop_win=0, until_rounds=40)
    assert stepped.value == min(value for value, chance in every.items() if chance <= 0.1 and value % 12 == 0)
    with pytest.raises(ParameterError, match="no bankroll near 24 that is a multiple of 13 is allowed"):
        dicelab.for_ruin(Chips, ruin=0.1, step=13, seed=1, stop_win=0, until_rounds=6)


@pytest.mark.slow
def test_a_bound_that_no_value_keeps():
    found = dicelab.for_ruin(Coin, ruin=1e-9, seed=1, heads=1, tails=20, stop_win=50)
    assert found.value is None
    assert max(look.value for look in found.looks) == 50
    assert str(found).endswith(f"no allowed bankroll has a risk of ruin of {found.ruin:g} or less")
    assert json.loads(found.to_json())["value"] is None


@pytest.mark.slow
def test_a_start_without_any_risk():
    """Who has more units than there are rounds is not ruined in them."""
    found = dicelab.for_ruin(Coin, ruin=1e-12, seed=1, bankroll=50, stop_win=0, until_rounds=10)
    assert found.value == 11
    found = dicelab.for_ruin(Coin, ruin=0.5, find="until_rounds", seed=1, bankroll=50, stop_win=0, until_rounds=1)
    assert found.value == 100, "none is too risky"


@pytest.mark.slow
def test_the_unit_of_a_strategy(limits):
    """Four rounds with 50: ruin takes four losses in a row with 15, and less with 20."""
    limits(first_sessions=2000)
    settings = {"until_rounds": 4, "bankroll": 50}
    found = dicelab.for_ruin("craps", "line:pass:0:10", 0.07, "unit", seed=1, step=5, **settings)
    looks = {look.value: look.ruin for look in found.looks}
    win, lose = Fraction(244, 495), Fraction(251, 495)
    assert found.value == 15
    assert looks[15] == pytest.approx(float(lose**4), abs=1e-12)
    assert looks[20] == pytest.approx(float(lose**3 * (1 + win)), abs=1e-12), (
        "three losses, or two, a win of 10, a loss"
    )
    assert found.strategies == ["line"]
    assert all(look.value % 5 == 0 for look in found.looks)


@pytest.mark.slow
def test_the_bankroll_of_a_table_with_chips_of_25():
    """Bets of 25, three of them: ruin in so few rounds takes a loss of every unit."""
    lose = 1 - Fraction(244, 495)
    settings = {"until_rounds": 3, "minimum": 25, "chip": 25, "bankroll": 100}
    found = dicelab.for_ruin("craps", "line:unit=25", 0.2, seed=1, **settings)
    chances = {look.value: look.ruin for look in found.looks}
    assert found.value == 75
    assert chances[75] == pytest.approx(float(lose**3), abs=1e-12)
    assert chances[50] == pytest.approx(float(lose**2), abs=1e-12)
    assert float(lose**3) <= 0.2 < float(lose**2)


# Simulated, where there is no exact answer ----------------------------------------------------------------------------


@pytest.mark.slow
def test_without_an_exact_answer_the_looks_are_simulated(limits):
    told = []
    limits(first_sessions=2000)
    settings = {"until_rounds": 6, "seed": SEED, "memory": 100_000, "step": 200}
    found = dicelab.for_ruin("craps", "molly:2:2", 0.05, progress=told.append, **settings)
    assert {look.games for look in found.looks} == {2000}
    assert {look.value for look in told} == {look.value for look in found.looks}
    looks = {look.value: look.ruin for look in found.looks}
    assert looks[found.value] <= 0.05 < looks[found.value - 200]
    assert "simulated" in str(found)


@pytest.mark.slow
def test_first_looks_are_estimates_of_the_exact_risk(risks):
    told = []
    dicelab.for_ruin(Coin, ruin=0.1, seed=SEED, progress=told.append, **COIN)
    rough = [look for look in told if look.games]
    assert rough
    assert not any(share_differs(round(look.ruin * look.games), look.games, risks[look.value]) for look in rough)


@pytest.mark.slow
def test_a_seed_gives_the_same(risks):
    def looks(seed):
        told = []
        found = dicelab.for_ruin(Coin, ruin=0.1, seed=seed, progress=told.append, threads=seed, **COIN)
        return found.to_dict() | {"seconds": 0}, told

    one, other = looks(1), looks(2)
    assert one == looks(1)
    assert one[1] != other[1]
    assert one[0]["value"] == other[0]["value"], "exact in the end"


def test_ctrl_c_ends_the_search(monkeypatch, limits):
    """Sessions that were cut short are no estimate of anything."""
    import dicelab.questions.betting.ruin as ruin

    def cut_short(*words, **more):
        return simulate(*words, **more, progress=stop)

    def stop(played, wanted):
        raise KeyboardInterrupt

    simulate = ruin.simulate
    limits(first_sessions=10**8)
    monkeypatch.setattr(ruin, "simulate", cut_short)
    with pytest.raises(KeyboardInterrupt):
        dicelab.for_ruin(Coin, ruin=0.1, seed=1, **COIN)


# What is said, and what is refused ------------------------------------------------------------------------------------


def test_plain_data_text_and_table():
    found = dicelab.for_ruin(Coin, ruin=0.05, seed=1, **COIN)
    data = json.loads(found.to_json())
    assert (data["schema"], data["method"], data["game"], data["of"]) == (2, "ruin", "coin", "bankroll")
    assert (data["ruin"], data["value"], data["seed"]) == (0.05, found.value, 1)
    assert [tuple(look.values()) for look in data["looks"]] == [(k.value, k.ruin, 0) for k in found.looks]
    assert [look["value"] for look in data["looks"]] == sorted(look["value"] for look in data["looks"])
    assert list(found.to_frame()["ruin"]) == [look.ruin for look in found.looks]
    assert f"{found.value}" in str(found)
    assert "<- bankroll for 0.05" in str(found)


class Named(Coin):
    """A coin with a name for something."""

    colour = Choice(("red", "blue"), "of the coin")


@pytest.mark.parametrize(
    ("given", "kind", "told"),
    [
        ({"ruin": 0}, ParameterError, "ruin: 0 is not allowed; give a probability above 0 and below 1"),
        ({"ruin": 1}, ParameterError, "ruin: 1 is not allowed"),
        ({"ruin": float("nan")}, ParameterError, "ruin: nan"),
        ({"ruin": "5%"}, ParameterError, "ruin: '5%'"),
        ({"ruin": True}, ParameterError, "ruin: True"),
        ({"find": "bankrol"}, UnknownNameError, "no parameter of named, .* 'bankrol'; did you mean 'bankroll'"),
        ({"find": "falls"}, ParameterError, "falls is a yes or no; a search needs a number"),
        ({"find": "colour"}, ParameterError, "colour is a name; a search needs a number"),
        ({"step": 0}, ParameterError, "step: 0"),
        ({"step": 2.5}, ParameterError, "step: 2.5"),
        ({"step": 51}, ParameterError, "no bankroll near 3 that is a multiple of 51 is allowed"),
        ({"bankroll": 60}, ParameterError, "bankroll: 60"),
        ({"seed": -1}, ParameterError, "seed: -1"),
    ],
)
def test_bad_questions(given, kind, told):
    with pytest.raises(kind, match=told):
        dicelab.for_ruin(Named, **{"ruin": 0.05, "seed": 1, **given})


@pytest.mark.slow
def test_an_argument_goes_before_a_parameter_that_is_no_amount():
    """The strategy's odds are meant, not the house's."""
    house = {"until_rounds": 6, "bankroll": 100}
    found = dicelab.for_ruin("craps", "line:pass:0:10", 0.05, "odds", seed=1, **house)
    risks = [dicelab.exact("craps", f"line:odds={odds}", **house).outcomes["ruined"].probability for odds in range(3)]
    assert found.value == max(odds for odds, risk in enumerate(risks) if risk <= 0.05) < 2
