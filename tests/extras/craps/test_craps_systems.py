"""Strategies at a table of craps: which bets they make on dice by hand, and by which system how much."""

from __future__ import annotations

from fractions import Fraction

import pytest

import dicelab
from craps_tables import Dice, lies
from dicelab.extras.craps.craps import Craps
from dicelab.extras.craps.spots import NAMES
from dicelab.runtime.interpreter import steps
from dicelab.runtime.strategies import parse_call

WIN, LOSE = "3-4", "1-1"  # of a pass bet


def bets_made(strategy: str, throws: str, **house: object) -> list[str]:
    """The bets of a strategy, in the order in which it makes them; ``|`` for each throw."""
    game, dice, made = Craps(**{"bankroll": 1000, "until_rounds": 0, **house}), Dice(*throws.split()), []
    for event in steps(game, [parse_call(Craps, strategy).chooser(game)], dice):
        if event.kind == "throw":
            made.append("|")
            if not dice.throws:
                break
        elif event.values[0] < len(NAMES):
            made.append(f"{NAMES[event.values[0]]} {event.values[1]}")
    return made


def stakes(system: str, results: str, **house: object) -> list[int]:
    """What is staked on pass with a system, at 10 a unit, wins and losses being W and L."""
    throws = " ".join(WIN if result == "W" else LOSE for result in results)
    made = bets_made(f"line:pass:0:10:{system}", throws, **house)
    return [int(bet.split()[1]) for bet in made if bet != "|"]


@pytest.mark.parametrize(
    ("system", "results", "expected"),
    [
        ("flat", "LLWW", [10, 10, 10, 10]),
        ("martingale", "LLLWLW", [10, 20, 40, 80, 10, 20]),
        ("fibonacci", "LLLLWWW", [10, 10, 20, 30, 50, 20, 10]),
        ("one_three_two_six", "WWWWWWL", [10, 30, 20, 60, 10, 30, 20]),
        ("one_three_two_six", "WWLWL", [10, 30, 20, 10, 30]),
        ("dalembert", "LLWWWL", [10, 20, 30, 20, 10, 10]),
        ("labouchere", "LWWWW", [50, 60, 60, 30, 50]),
        ("paroli", "WWWWL", [10, 20, 40, 10, 20]),
        ("fraction:5", "WLLL", [50, 50, 50, 40]),
    ],
)
def test_stakes_of_systems(system: str, results: str, expected: list[int]) -> None:
    assert stakes(system, results) == expected


def test_a_fraction_falls_and_rises_with_the_money() -> None:
    assert stakes("fraction:50", "LWL") == [500, 250, 370]
    assert stakes("fraction:1", "L", bankroll=300) == [5], "the minimum, where a fraction is less"


def test_a_system_ends_at_the_maximum_and_at_the_last_chip() -> None:
    assert stakes("martingale", "LLLLL", maximum=30) == [10, 20, 30, 30, 30]
    assert stakes("martingale", "LLL", bankroll=50) == [10, 20, 20]


def test_a_push_changes_nothing() -> None:
    made = bets_made("line:dont_pass:0:10:martingale", "3-4 6-6 1-2 1-2")
    assert made == ["dont_pass 10", "|", "dont_pass 20", "|", "dont_pass 20", "|", "dont_pass 10", "|"]


def test_odds_behind_the_lines() -> None:
    assert bets_made("line:pass:2", "2-2 1-2 2-2") == ["pass 10", "|", "pass_odds 20", "|", "|"]
    assert bets_made("line:dont_pass:2", "2-2 1-2") == ["dont_pass 10", "|", "dont_pass_odds 40", "|"]
    assert bets_made("line:pass:9", "3-3 1-2") == ["pass 10", "|", "pass_odds 50", "|"], "as far as the house allows"
    assert bets_made("line:pass:1:7", "4-5 1-2") == ["pass 7", "|", "pass_odds 6", "|"], "and as it can pay"


def test_the_three_point_molly() -> None:
    made = bets_made("molly:2:1", "2-2 3-3 4-4 1-2 6-4")
    assert made == [
        *["pass 10", "|", "pass_odds 10", "come 10", "|"],
        *["come_odds_6 10", "come 10", "|", "come_odds_8 10", "|", "|"],
    ]
    assert bets_made("molly:1:0", "2-2 3-3 1-2 3-3 1-2") == ["pass 10", "|", "come 10", "|", "|", "|", "come 10", "|"]


def test_place_bets() -> None:
    cross = bets_made("place", "2-2 5-4 1-2")
    assert cross == ["|", "place_6 12", "place_8 12", "place_5 10", "field 10", "|", "field 10", "|"]
    assert bets_made("place:place_6_8:20", "2-2 3-3") == ["|", "place_6 24", "place_8 24", "|"]


def test_numbers_covered_beside_the_line() -> None:
    """But for the point; what rides on it from before is taken down."""
    made = bets_made("line:pass:0:5:cover=place_6_8", "2-2 3-4 3-3 4-2 2-2 1-2")
    assert made == [
        *["pass 5", "|", "place_6 6", "place_8 6", "|"],
        *["pass 5", "|", "place_8 6", "|"],
        *["pass 5", "|", "place_6 6", "|"],
    ]
    assert bets_made("place:inside:10", "2-2 1-2")[1:] == ["place_6 12", "place_8 12", "place_5 10", "place_9 10", "|"]
    assert len(bets_made("place:across:10", "2-2 1-2")) == 2 + 6


def test_a_bet_on_the_point_is_taken_down() -> None:
    made = bets_made("line:pass:0:5:cover=place_6_8", "2-2 1-3 3-3 1-2")
    assert made == ["pass 5", "|", "place_6 6", "place_8 6", "|", "pass 5", "|", "place_6 -6", "|"]


def test_a_crapless_table_takes_no_dont_bets() -> None:
    assert bets_made("line:dont_pass", "3-4 3-4", crapless=True) == ["|", "|"]


@pytest.mark.slow
def test_flat_bets_lose_what_is_known() -> None:
    """Each round of pass 7/495 of a unit, each of don't pass 3/220; a chain in fractions."""
    for call, edge in (("line:pass", Fraction(7, 495)), ("line:dont_pass:2", Fraction(3, 220))):
        exact = dicelab.exact("craps", call, until_rounds=2, fractions=True, tallies=("money", "rounds"))
        assert exact.tallies["money"].fraction == -10 * 2 * edge
        assert exact.tallies["rounds"].fraction == 2


def test_hands() -> None:
    """Throws of a shooter, 1671/196 of them; 154 or more once in 5.59 thousand million hands, as published."""
    exact = dicelab.exact("craps", "watch", until_hands=1, until_rounds=0)
    assert exact.tallies["throws"].fraction == Fraction(1671, 196)
    assert exact.tallies["money"].fraction == 0
    long = sum(p for throws, p in exact.tallies["throws"].probabilities.items() if throws >= 154)
    assert 1 / long == pytest.approx(5.59e9, rel=1e-3)
    # A point is made before the seven-out with 67/165 of them.
    made = Fraction(2 * (3 * 3), 24 * 9) + Fraction(2 * (4 * 4), 24 * 10) + Fraction(2 * (5 * 5), 24 * 11)
    assert exact.tallies["points"].fraction == made / (1 - made)
    again = exact.tallies["points"].probabilities
    assert again[2] / again[1] == pytest.approx(float(made), rel=1e-12)


def test_everything_lies_where_a_strategy_left_it() -> None:
    game, dice = Craps(bankroll=1000, until_rounds=0), Dice("2-2", "3-3", "4-4")
    for _ in steps(game, [parse_call(Craps, "molly:2:2").chooser(game)], dice):
        if not dice.throws:
            break
    assert lies(game) == {"pass": 10, "pass_odds": 20, "come_6": 10, "come_odds_6": 20, "come_8": 10}
