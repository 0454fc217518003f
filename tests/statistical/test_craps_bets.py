"""Every bet of craps, simulated: what many games come to is what is known exactly."""

from __future__ import annotations

from math import sqrt

import pytest
from scipy.stats import binomtest, norm

import dicelab
from dicelab.extras.craps.catalogue import BETS, IDS
from exact.craps_figures import FIGURES
from significance import significant

GAMES = 20_000
SEED = 1752  # Hoyle's book on games of chance


def p_values(id: str) -> list[float]:
    """How likely results as far from the exact ones are, if all is right."""
    played = dicelab.simulate("craps-bet", bet=id, games=GAMES, seed=SEED, engine="compiled")
    win, lose, push, *_ = FIGURES[id]
    counts = [outcome.count for outcome in played.outcomes.values()]
    found = [binomtest(n, GAMES, float(p)).pvalue for n, p in zip(counts, (win, lose, push), strict=True)]
    exact = dicelab.exact("craps-bet", bet=id, tallies=("money", "throws"))
    for name, known in exact.tallies.items():
        mean = sum(value * n for value, n in played.tallies[name].histogram.items()) / GAMES
        if known.sd == 0:
            assert mean == known.mean
        elif win * GAMES > 200:  # enough wins for a mean that is about normal
            found.append(2 * norm.sf(abs(mean - known.mean) / known.sd * sqrt(GAMES)))
    return found


@pytest.mark.slow_cases("8")
@pytest.mark.parametrize("share", [8, pytest.param(1, marks=pytest.mark.slow)])
def test_every_bet_simulated(share: int) -> None:
    """One comparison: the smallest of all p-values, times their number. Of one bet in eight, or of all."""
    found = [p for id in IDS[::share] for p in p_values(id)]
    assert len(found) > 4 * len(BETS) / share
    assert not significant(min(1.0, len(found) * min(found)))
