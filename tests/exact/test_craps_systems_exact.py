"""No betting system changes what a bet costs: all that is lost is the edge times all that is staked, in fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

import dicelab
from dicelab.extras.craps.betting_systems import SYSTEMS

EDGES = {"pass": Fraction(7, 495), "dont_pass": Fraction(3, 220)}
WIN = Fraction(244, 495)
"""Chance of the pass line, as published by everybody."""


def solved(system: str, rounds: int = 3, side: str = "pass", bankroll: int = 300) -> tuple[Fraction, Fraction]:
    """Mean money and mean stakes of a session."""
    found = dicelab.exact(
        "craps",
        f"line:{side}:0:10:{system}",
        fractions=True,
        until_rounds=rounds,
        bankroll=bankroll,
        tallies=("money", "staked"),
    )
    money, staked = (found.tallies[name].fraction for name in ("money", "staked"))
    assert money is not None
    assert staked is not None
    return money, staked


@pytest.mark.slow
@pytest.mark.parametrize("side", EDGES)
@pytest.mark.parametrize("bankroll", [300, 50], ids=["with money to spare", "to the last chip"])
@pytest.mark.parametrize("rounds", [3, 4])
@pytest.mark.parametrize("system", SYSTEMS)
def test_no_system_changes_the_edge(system: str, rounds: int, bankroll: int, side: str) -> None:
    money, staked = solved(system, rounds, side, bankroll)
    assert money / staked == -EDGES[side]


def test_a_goal_and_a_limit_change_no_edge_either() -> None:
    found = dicelab.exact(
        "craps",
        "line:system=martingale",
        fractions=True,
        until_rounds=4,
        stop_win=10,
        stop_loss=60,
        tallies=("money", "staked"),
    )
    money, staked = (found.tallies[name].fraction for name in ("money", "staked"))
    assert 10 < staked < 40
    assert money / staked == -EDGES["pass"]


UNITS = {
    "flat": lambda units, won: 1,
    "martingale": lambda units, won: 1 if won else 2 * units,
    "dalembert": lambda units, won: max(1, units - 1) if won else units + 1,
}
"""Units of the next bet, as the systems are described."""


@pytest.mark.quick_cases("flat")
@pytest.mark.parametrize("system", UNITS)
def test_what_is_staked_by_hand(system: str) -> None:
    mean = Fraction(0)
    for results in product((True, False), repeat=3):
        units, staked, chance = 1, 0, Fraction(1)
        for won in results:
            staked += 10 * units
            chance *= WIN if won else 1 - WIN
            units = UNITS[system](units, won)
        mean += chance * staked
    assert solved(system)[1] == mean
