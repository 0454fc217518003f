"""Intervals cover the truth in 95 of 100 samples, for a fixed number of games and where a precision stopped them.

Where the distribution of the sample is known coverage is summed exactly; elsewhere it is counted in many samples, with
an allowance for chance from the failure budget of `significance`.
"""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np
import pytest
from scipy.signal import fftconvolve
from scipy.stats import beta, binom

import dicelab
from dicelab.results.numbers.estimates import Average, Proportion
from dicelab.results.numbers.intervals import ANYWHERE, LEVEL_OF_LOOKS, mean_interval, ranks
from dicelab.rules.loading.registry import all_games
from dicelab.runtime.lineup import Run, looks
from dicelab.runtime.states.tally_bounds import tally_bounds
from significance import SEED, significant
from support import open_ones

SIZES = (5, 20, 100, 1000)
MADE_UP = {
    "geometric": {value: 0.5**value for value in range(1, 60)},
    "two-point": {-1: 0.999, 1000: 0.001},
    "rare loss": {1: 0.999, -1000: 0.001},
    "roulette": {-1: 37 / 38, 35: 1 / 38},
    "die": dict.fromkeys(range(1, 7), 1 / 6),
}


@cache
def populations():
    """Distributions from which samples are drawn: those made up, and every tally of the included games.

    The population of a tally is what 20,000 games came to: a distribution like another, whose mean is known.
    """
    found = dict(MADE_UP)
    for name, game in open_ones(all_games()).items():
        for tally, average in dicelab.simulate(game, games=20_000, seed=SEED).tallies.items():
            found[f"{name} {tally}"] = average.probabilities
    return {
        name: (list(chances), np.array(list(chances.values())) / sum(chances.values()))
        for name, chances in found.items()
    }


def covers(interval, truth):
    return interval[0] - 1e-9 <= truth <= interval[1] + 1e-9


# A fixed number of games ----------------------------------------------------------------------------------------------


@pytest.mark.slow_cases("1000")
@pytest.mark.parametrize("n", [1, 5, 20, 100, 1000])
def test_proportions_are_covered_whatever_they_are(n):
    intervals = np.array([Proportion(count, n).interval for count in range(n + 1)])
    for p in np.concatenate([np.geomspace(0.01 / n, 0.5, 300), np.linspace(0.5, 1, 50)]):
        inside = (intervals[:, 0] <= p) & (p <= intervals[:, 1])
        assert binom.pmf(np.arange(n + 1), n, p)[inside].sum() >= 0.95 - 1e-9


@pytest.mark.parametrize("p", [0.01, 0.1, 0.5, 0.9, 0.99])
def test_percentiles_are_covered_whatever_the_distribution(p):
    """Of n games K are at or below a percentile that splits the games exactly; it is covered when low <= K < high."""
    for n in [*range(1, 100), 365, 1000, 54_321, 10**9]:
        low, high = ranks(n, p)
        assert binom.cdf(high - 1, n, p) - binom.cdf(low - 1, n, p) >= 0.95, n


@pytest.mark.slow_cases("10000")
@pytest.mark.parametrize("n", [5, 20, 50, 100, 300, 1000, 10_000])
def test_means_of_two_values_are_covered_whatever_their_chances(n):
    def interval(k):
        sd, skew = (k / n * (1 - k / n) * n / (n - 1)) ** 0.5, (1 - 2 * k / n) / max(k / n * (1 - k / n), 1e-9) ** 0.5
        return mean_interval(k / n, sd, n, skew=skew, step=1)

    low, high = np.array([interval(k) for k in range(n + 1)]).T
    counts = np.arange(n + 1)
    for p in np.concatenate([np.geomspace(0.01 / n, 0.5, 200), np.linspace(0.5, 0.99, 100)]):
        assert binom.pmf(counts, n, p)[(low <= p) & (p <= high)].sum() >= 0.9495


@cache
def bounds():
    """Bounds of the tallies of the included games, declared or proved, and of what is made up."""
    found = {name: (min(chances), max(chances)) for name, chances in MADE_UP.items() if name != "geometric"}
    for name, game in open_ones(all_games()).items():
        run = Run.of(game)
        found |= {
            f"{name} {tally}": ends for tally, ends in zip(run.game.declared.tallies, tally_bounds(run), strict=True)
        }
    return found


@pytest.mark.slow
@pytest.mark.parametrize("bounded", [False, True])
@pytest.mark.parametrize("n", SIZES)
def test_means_are_covered(n, bounded):
    rng, samples = np.random.default_rng(SEED), 4000
    for name, (values, chances) in populations().items():
        ends = bounds().get(name, ANYWHERE) if bounded else ANYWHERE
        if bounded and ends == ANYWHERE:
            continue
        truth = float(np.dot(values, chances))
        drawn = rng.multinomial(n, chances, size=samples)
        covered = sum(
            covers(Average(Counter({values[k]: int(row[k]) for k in np.flatnonzero(row)}), bounds=ends).interval, truth)
            for row in drawn
        )
        assert not significant(binom.cdf(covered, samples, 0.95)), (name, covered)


@pytest.mark.slow
def test_many_games_with_light_tails_have_the_normal_interval():
    values, chances = populations()["hazard throws"]
    drawn = np.random.default_rng(SEED).multinomial(100_000, chances)
    average = Average(Counter(dict(zip(values, drawn.tolist(), strict=True))))
    low, high = average.interval
    assert (high - low) / 2 == pytest.approx(1.959964 * average.sd / 100_000**0.5, rel=0.01)


# Stopped by a precision -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("precision", "p"), [(0.02, 0.081), (0.012, 0.059), (0.008, 0.15), (0.006, 0.073), (0.004, 0.043), (0.002, 0.00424)]
)
def test_proportions_are_covered_where_games_stop(precision, p):
    """The exact chance to stop with an interval beside the truth; of all settings tried these came out worst."""
    games, missed, running = 0, 0.0, np.ones(1)
    for upto in looks():
        more = binom.pmf(np.arange(upto - games + 1), upto - games, p)
        running, games = np.maximum(fftconvolve(running, more), 0), upto
        counts, miss = np.arange(games + 1), (1 - LEVEL_OF_LOOKS) / 2
        low = np.nan_to_num(beta.ppf(miss, counts, games - counts + 1), nan=0.0)
        high = np.nan_to_num(beta.ppf(1 - miss, counts + 1, games - counts), nan=1.0)
        stops = (high - low) / 2 <= precision
        missed += running[stops & ((p < low) | (p > high))].sum()
        running = running * ~stops
        if running.sum() < 1e-6:
            break
    assert missed < 0.05


@pytest.mark.slow
@pytest.mark.parametrize("name", ["geometric", "two-point", "roulette", "die", "hazard-caster rounds_won", "lcr turns"])
@pytest.mark.parametrize("typical", [1400, 5000])
def test_means_are_covered_where_games_stop(name, typical):
    """At a precision that takes about so many games."""
    values, chances = populations()[name]
    truth = float(np.dot(values, chances))
    precision = 2.05 * (np.dot(np.square(values), chances) - truth**2) ** 0.5 / typical**0.5
    rng, samples, covered = np.random.default_rng(SEED), 2000, 0
    for _ in range(samples):
        games, counts = 0, np.zeros(len(values), int)
        for upto in looks():
            counts, games = counts + rng.multinomial(upto - games, chances), upto
            low, high = Average(Counter(dict(zip(values, counts.tolist(), strict=True))), LEVEL_OF_LOOKS).interval
            if (high - low) / 2 <= precision:
                covered += covers((low, high), truth)
                break
    assert not significant(binom.cdf(covered, samples, 0.95)), covered


def test_a_rare_win_that_did_not_occur_does_not_stop_games():
    """After 1,000 games without a win the interval says nothing; at the first look it used to be a point."""
    none, some = Average(Counter({-1: 1000})), Average(Counter({-1: 1998, 2001: 2}))
    assert none.interval == (-float("inf"), float("inf"))
    assert some.interval[1] == float("inf")
    assert none.to_dict()["low"] is none.to_dict()["high"] is None
