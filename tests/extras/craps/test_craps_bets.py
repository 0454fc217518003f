"""The rows of bets are sound, all of the reference are there, and stakes that can't be paid are refused in words."""

from __future__ import annotations

from fractions import Fraction

import pytest

import dicelab
from dicelab.errors import ParameterError
from dicelab.extras.craps import catalogue as tables
from dicelab.extras.craps.bet import EVERY, POINTS, ROUNDINGS, Kind, When, pair, totals, twentieth
from dicelab.extras.craps.catalogue import BETS, BY_ID, CRAPLESS_POINTS, IDS

each = pytest.mark.cases("bet", BETS, ids=IDS)


def test_ids_and_names_are_unique() -> None:
    assert len(set(IDS)) == len(BETS)
    assert len({bet.name for bet in BETS}) == len(BETS)


@each
def test_throws_that_win_and_lose_are_apart(bet) -> None:
    seen = [throw for throws, _, _ in bet.wins for throw in throws] + list(bet.loses)
    assert len(set(seen)) == len(seen)
    assert set(seen) <= set(EVERY)
    assert bet.wins or bet.kind == Kind.FIRE


@each
def test_a_bet_does_not_see_the_order_of_the_dice(bet) -> None:
    for one in range(1, 7):
        for two in range(1, one):
            first, second = pair(one, two)
            assert bet.results[first] == bet.results[second]


@each
def test_a_row_says_what_its_kind_needs(bet) -> None:
    assert (bet.rides != 0) == (bet.kind == Kind.RIDES)
    assert bool(bet.gathers) == (bet.kind in (Kind.ALL, Kind.REPEAT))
    assert bool(bet.times) == (bet.kind == Kind.REPEAT)
    assert any(bet.levels) == (bet.kind == Kind.FIRE)
    assert bet.rides or not any(bet.odds)
    assert not bet.off or not bet.one_throw
    assert bet.quoted in ("to", "for")
    assert (bet.when == When.SHOOTER) == (bet.section == "side")


def test_one_throw_bets_are_those_of_their_section() -> None:
    assert {bet.id for bet in BETS if bet.one_throw} == {bet.id for bet in BETS if bet.section == "one throw"}


def reference() -> set[str]:
    """The bets that the rules name."""
    named = {"pass", "come", "dont_pass_nobar", "big6", "big8", "big6_7to6", "any7", "any_craps", "horn", "ce", "world"}
    named |= {f"dont_pass_bar{bar}" for bar in (2, 3, 12)} | {"dont_come_bar12", "dont_come_bar2", "hi_lo"}
    named |= {f"{how}_odds_{n}" for how in ("take", "lay") for n in POINTS}
    for multiple in ("1x", "2x", "full_double", "3x", "345x", "5x", "10x", "20x", "100x"):
        named |= {f"pass_odds_{multiple}", *(f"dont_pass_lay_{multiple}_{how}" for how in ("to_win", "risk"))}
    named |= {f"{place}_{n}" for place in ("place", "place_lose") for n in POINTS}
    named |= {f"{way}_{n}_vig_{when}" for way in ("buy", "lay") for n in POINTS for when in ("upfront", "on_win")}
    named |= {f"hard{n}" for n in (4, 6, 8, 10)} | {"two", "three", "eleven", "twelve"}
    named |= {f"field_{two}x{twelve}x" for two in (2, 3) for twelve in (2, 3)}
    named |= {f"horn_high_{n}" for n in (2, 3, 11, 12)}
    named |= {f"hop_{low}_{high}" for low in range(1, 7) for high in range(low, 7)}
    named |= {f"put_{n}_{k}x" for n in POINTS for k in (0, 4, 5)}
    named |= {f"repeater_{n}_{quoted}" for n in range(2, 13) if n != 7 for quoted in ("to", "for")}
    named |= {f"ats_{name}_{pays}" for name in ("small", "tall") for pays in (34, 30)} | {"ats_all_175", "ats_all_150"}
    named |= {"fire_24_249_999", "fire_9_199_1999", "fire_5_25_200_500", "fire_6_29_149_299", "crapless_pass"}
    named |= {f"crapless_{bet}_{n}" for bet in ("take_odds", "place") for n in CRAPLESS_POINTS}
    return named | {f"crapless_buy_{n}_vig_on_win" for n in CRAPLESS_POINTS}


def test_every_bet_of_the_rules_is_there() -> None:
    assert reference() <= set(IDS)


def test_columns_are_whole() -> None:
    assert len(tables.RESULTS) == 36 * len(BETS)
    behind = [times for bet in BETS for times in bet.odds]
    assert [Fraction(tenths, 10) for tenths in tables.TENTHS_BEHIND] == behind


def amounts(bet, stake: int) -> list[Fraction]:
    """What may be paid or staked behind a stake, commissions included."""
    paid = [Fraction(stake * win.to, win.each) for win in bet.wins]
    found = list(paid)
    for distance, times in enumerate(bet.odds, 1):
        found += [stake * times, stake * times * Fraction(6, 6 - distance) ** bet.rides]
    if bet.commission:
        found += [(money if bet.of_the_win else Fraction(stake)) / 20 for money in paid]
    return found


@each
def test_the_unit_is_the_smallest_stake_that_pays_whole_amounts(bet) -> None:
    whole = [stake for stake in range(1, bet.unit() + 1) if all(x.denominator == 1 for x in amounts(bet, stake))]
    assert whole == [bet.unit()]
    assert bet.unit() % bet.unit(commission=False) == 0


@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        ({"bet": "place_6", "stake": 10}, "place 6: not everything that 10 may win is a whole number; stake a mul"),
        ({"bet": "buy_4_vig_on_win", "stake": 35}, "stake a multiple of 20"),
        ({"bet": "pass_odds_2x", "stake": 3}, "stake a multiple of 5"),
        ({"bet": "any7", "off": True}, "any 7 is never off"),
        ({"bet": "fire_24_249_999", "off": True}, "is never off"),
        ({"bet": "pass", "off": True}, "pass line is never off; only the odds of a come bet can be"),
        ({"bet": "come", "off": True}, "come is never off; only the odds of a come bet can be"),
        ({"bet": "pass", "stake": -1}, "stake: -1 is not allowed; it takes a whole number, 0 to 1000000000"),
        ({"bet": "pass", "stake": "1.5"}, "stake: '1.5' is not allowed"),
        ({"bet": "pass", "stake": float("inf")}, "stake: inf is not allowed"),
        ({"bet": "pass", "stake": float("nan")}, "stake: nan is not allowed"),
        ({"bet": "plaice_6"}, "place_6"),
    ],
)  # fmt: skip
def test_what_can_not_be_paid_is_refused_in_words(wanted, told) -> None:
    with pytest.raises(ParameterError) as refused:
        dicelab.exact("craps-bet", **wanted)
    assert told in str(refused.value)


def test_roundings_of_a_twentieth() -> None:
    assert [[twentieth(m, r) for r in range(len(ROUNDINGS))] for m in (0, 5, 10, 29, 30, 40, 41)] == [
        [0, 1, 1, 1],
        [0, 1, 1, 1],
        [0, 1, 1, 1],
        [1, 1, 1, 2],
        [1, 1, 2, 2],
        [2, 2, 2, 2],
        [2, 2, 2, 3],
    ]


def test_throws_by_their_number() -> None:
    assert totals(2) == pair(1, 1) == (0,)
    assert BY_ID["hop_2_5"].results[10] == 15
    assert BY_ID["hop_2_5"].results[25] == 15
