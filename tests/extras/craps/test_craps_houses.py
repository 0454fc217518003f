"""Houses: which bets they take, told here by hand, and tables that are set up as they are."""

from __future__ import annotations

import re

import pytest

import dicelab
from dicelab.errors import ParameterError, UnknownNameError
from dicelab.extras.craps.catalogue import BETS, BY_ID, IDS, PUBLISHED
from dicelab.extras.craps.craps import Craps
from dicelab.extras.craps.houses import HOUSES, PROFILES, refusal, where
from dicelab.extras.craps.spots import NAMES
from dicelab.runtime.lineup import Run

NEVADA = ("las_vegas", "reno")
EAST = ("atlantic_city", "pennsylvania")
USUAL = (*NEVADA, *EAST)

TAKEN: dict[str, tuple[str, ...]] = {
    "pass": USUAL,
    "come": USUAL,
    "dont_pass_bar12": ("las_vegas", *EAST),
    "dont_pass_bar2": ("reno",),
    "dont_pass_bar3": (),
    "dont_pass_nobar": (),
    "dont_come_bar2": ("reno",),
    "take_odds_4": (*USUAL, "crapless"),
    "lay_odds_4": USUAL,
    "pass_odds_345x": USUAL,
    "pass_odds_5x": (),
    "come_odds_2x": USUAL,
    "dont_pass_lay_345x_to_win": ("las_vegas", *EAST),
    "dont_pass_lay_5x_risk": ("las_vegas", *EAST),  # 5 on the 6 wins 25/6, and 5 may be won
    "dont_pass_lay_10x_risk": (),
    "put_6_0x": (*NEVADA, "pennsylvania", "crapless"),
    "put_6_5x": (*NEVADA, "pennsylvania", "crapless"),
    "put_4_4x": (),
    "place_6": (*USUAL, "crapless"),
    "place_lose_6": (*USUAL, "crapless"),
    "buy_4_vig_on_win": (*USUAL, "crapless"),
    "buy_4_vig_upfront": (),
    "big6": (*NEVADA, "pennsylvania", "crapless"),
    "big6_7to6": ("atlantic_city",),
    "hard8": (*USUAL, "crapless"),
    "hard8_9for1": (),
    "field_2x3x": (*USUAL, "crapless"),
    "field_2x2x": (),
    "fire_24_249_999": (*USUAL, "crapless"),
    "fire_9_199_1999": (),
    "ats_all_175": (*USUAL, "crapless"),
    "repeater_6_for": (),
    "crapless_pass": ("crapless",),
    "crapless_place_2": ("crapless",),
    "crapless_take_odds_12": ("crapless",),
}


@pytest.mark.cases("id", TAKEN)
def test_which_houses_take_a_bet(id: str) -> None:
    assert {house for house in PROFILES if not refusal(id, house)} == set(TAKEN[id])


def test_any_house_takes_every_bet_and_no_other_does() -> None:
    assert not any(refusal(id, "any") for id in IDS)
    for house in PROFILES:
        taken = [id for id in IDS if not refusal(id, house)]
        assert 100 < len(taken) < len(IDS)


@pytest.mark.parametrize(
    ("id", "house", "told"),
    [
        ("dont_pass_bar12", "crapless", "a crapless table has no don't bets"),
        ("crapless_place_3", "reno", "only a crapless table has the numbers 2, 3, 11 and 12"),
        ("pass", "crapless", "this house has another bet there: pass line, crapless"),
        ("big8", "atlantic_city", "this house has another bet there: big 8 paid 7 to 6"),
        ("put_9_2x", "atlantic_city", "this house takes no put bets"),
        ("lay_4_vig_upfront", "las_vegas", "this house takes its commission on a win"),
        ("come_odds_100x", "las_vegas", "its odds are above what the house allows"),
        ("dont_pass_nobar", "las_vegas", "no house takes that bet"),
    ],
)
def test_the_reason(id: str, house: str, told: str) -> None:
    assert told in refusal(id, house)
    with pytest.raises(ParameterError, match=r"^craps-bet: ") as refused:
        dicelab.exact("craps-bet", bet=id, house=house)
    assert BY_ID[id].name in str(refused.value)
    assert refusal(id, house) in str(refused.value)


def test_every_bet_but_one_has_a_place_on_the_layout() -> None:
    assert [bet.id for bet in BETS if where(bet) < 0] == ["dont_pass_nobar"]
    found = {id: NAMES[where(BY_ID[id])] for id in ("put_9_4x", "dont_come_lay_2x_risk", "buy_5_vig_upfront", "hi_lo")}
    assert found == {
        "put_9_4x": "come_9",
        "dont_come_lay_2x_risk": "dont_come",
        "buy_5_vig_upfront": "buy_5",
        "hi_lo": "hi_lo",
    }


@pytest.mark.quick_cases("pennsylvania")
@pytest.mark.parametrize("profile", PROFILES)
def test_a_profile_sets_up_a_table_and_says_so_in_its_parameters(profile: str) -> None:
    game = Craps(profile=profile)
    told = dicelab.simulate("craps", "watch", games=1, seed=1, profile=profile).parameters
    for name, value in PROFILES[profile].items():
        assert told[name] == {"yes": True, "no": False}.get(value, value)
    assert Craps(**told).parameters == game.parameters


def test_what_is_given_goes_before_the_profile() -> None:
    assert Craps(profile="reno").parameters == {**Craps().parameters, "bar": 1}
    game = Craps(profile="crapless", crapless=False, odds="2x")
    assert game.parameters == {**Craps(odds="2x").parameters}


@pytest.mark.parametrize("profile", ["vegas", "", 3, None, []])
def test_an_unknown_profile(profile: object) -> None:
    hint = "did you mean 'las_vegas'?" if profile == "vegas" else "there are: atlantic_city, crapless, las_vegas"
    with pytest.raises(UnknownNameError, match=f"no profile of craps .*; {re.escape(hint)}"):
        Run.of("craps", profile=profile)


def test_a_game_without_profiles_does_not_know_the_word() -> None:
    with pytest.raises(dicelab.DicelabError, match="no parameter of pass-line 'profile'"):
        dicelab.exact("pass-line", profile="las_vegas")


@pytest.mark.slow
def test_a_house_changes_no_edge() -> None:
    every = {row.bet: row for row in dicelab.edges("craps", only=("p*", "h*")).rows}
    for house in HOUSES:
        for row in dicelab.edges("craps", only=("p*", "h*"), house=house).rows:
            assert row == every[row.bet]


# What is published -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_every_published_edge_is_the_same_within_its_digits() -> None:
    rows = dicelab.edges("craps").rows
    published = {row.bet: row.published for row in rows if row.published is not None}
    assert set(published) == set(PUBLISHED) == {bet.id for bet in BETS if bet.edge}
    assert len(published) > 170
    assert [bet for bet, said in published.items() if not said.agrees] == []
    assert all(said.source.startswith("M. Shackleford, Wizard of Odds, ") for said in published.values())


@pytest.mark.slow_cases("fire_24_249_999-20.75%")
@pytest.mark.parametrize(("bet", "wrong"), [("pass", "1.413 %"), ("fire_24_249_999", "20.75%"), ("hard4", "1/10")])
def test_a_published_edge_that_is_wrong_is_seen(monkeypatch, bet: str, wrong: str) -> None:
    monkeypatch.setitem(PUBLISHED, bet, (wrong, "a slip"))
    found = dicelab.edges("craps", only=bet)
    assert not found[bet].published.agrees
    assert f"{bet}: published is {wrong} (a slip); " in str(found)
    assert "the same" not in str(found)


def test_nothing_is_said_to_be_published_where_the_edge_is_another_one() -> None:
    """A rounded commission changes the edge; the house and being off do not."""
    bet = "buy_4_vig_on_win"
    assert dicelab.edges("craps", bet=bet, stake=35, vig="down").rows[0].published is None
    assert dicelab.edges("craps", bet=bet, off=True, house="las_vegas").rows[0].published.agrees
