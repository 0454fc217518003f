"""The tests of a sample against an exact answer: outcomes, means, standard deviations, distributions of tallies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, comb, inf, isfinite, isnan, log, sqrt
from typing import Any

import numpy as np
from scipy import stats

from dicelab.errors import ParameterError
from dicelab.questions.judging.goodness import (
    LEAST_EXPECTED,
    MOST_TABLES,
    SMALLEST,
    counts_p,
    deviation_p,
    holm,
    pooled,
    relative_variance,
    total_p,
    variance_bound,
)
from dicelab.questions.judging.sample import Mean, Sample
from dicelab.results.numbers.estimates import Distribution
from dicelab.results.result import Exact
from dicelab.solver.solution.distribution import Spread

MOST_BINS = 40
"""Limit of the groups of values of a tally that are compared."""
STEADY = 0.002
"""Largest relative variance of a sample variance for which the test of standard deviations is a good approximation."""
BOUND = "p is only an upper bound"
"""The test of a standard deviation where there are too few games for that approximation, and too many for tables."""


@dataclass(frozen=True)
class Compared:
    """One test.

    Attributes
    ----------
    name, kind, of
        Such as ``mean of turns``; ``outcomes``, ``mean``, ``sd`` or ``distribution``; the tally, or empty.
    how
        The method, in words.
    statistic
        z, or chi-square.
    p, adjusted
        The p-value, and the one that is adjusted for the number of tests.
    expected, observed
        Two numbers, or for counts the numbers of games by cell; expected numbers aren't whole.
    impossible
        An outcome or a value that was observed and can't occur; empty if there is none.

    Examples
    --------
    >>> import dicelab
    >>> one = dicelab.judge("hazard", main=7, mean={"throws": 4.1}, games=500).tests[0]
    >>> one.name, one.observed, round(one.expected, 2), one.p < 0.001
    ('mean of throws', 4.1, 3.38, True)
    """

    name: str
    kind: str
    of: str
    how: str
    statistic: float
    p: float
    expected: Any
    observed: Any
    adjusted: float = 1.0
    impossible: str = ""


def compared(sample: Sample, truth: Exact) -> tuple[list[Compared], list[str]]:
    """Return all tests of a sample, with their p-values adjusted by Holm's method, and what was not tested, with the
    reason.

    Raises
    ------
    ParameterError
        When a mean can't be tested, because the exact answer doesn't have it.
    """
    found: list[Compared] = []
    untested: list[str] = []
    if sample.counts is not None:
        found.append(_outcomes(sample.games, sample.counts, truth))
    for name, mean in sample.means.items():
        tally = truth.tallies[name]
        found.append(_mean(name, mean, sample.games, tally))
        try:
            if name in sample.values:
                found.append(_distribution(name, sample.values[name], sample.games, tally))
            elif mean.sd is not None:
                found.append(_deviation(name, mean.sd, mean.sd_half, sample.games, tally))
        except _NotTested as reason:
            untested.append(str(reason))
    adjusted = holm([test.p for test in found])
    return [replace(test, adjusted=p) for test, p in zip(found, adjusted, strict=True)], untested


class _NotTested(Exception):
    """A number of the sample that can't be tested, and why."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name}: not tested, because {reason}")


def joint_p(tests: Sequence[Compared]) -> float:
    """Return the joint p-value: the smallest adjusted one."""
    return min(test.adjusted for test in tests)


def _outcomes(games: int, counts: Sequence[int], truth: Exact) -> Compared:
    """Test the counts of the outcomes."""
    chances = {name: chance.probability for name, chance in truth.outcomes.items()}
    expected = {name: games * chance for name, chance in chances.items()}
    observed = dict(zip(chances, counts, strict=True))
    about: dict[str, Any] = {
        "name": "outcomes",
        "kind": "outcomes",
        "of": "",
        "expected": expected,
        "observed": observed,
    }
    never = [name for name, chance in truth.outcomes.items() if observed[name] and chance.probability <= chance.error]
    if never:
        p = min(1.0, 2 * games * truth.outcomes[never[0]].error)  # its true chance is at most twice the error
        return Compared(**about, how="impossible outcome", statistic=inf, p=p, impossible=never[0])
    possible = [name for name, chance in chances.items() if chance > 0]
    groups = groups_of(games, chances)
    if len(groups) == 1:
        return Compared(**about, how="only one possible outcome", statistic=0.0, p=1.0)
    how, square, p = counts_p(_sums(groups, observed), _sums(groups, chances))
    how += f" ({len(possible)} outcomes pooled into {len(groups)})" if len(groups) < len(possible) else ""
    return Compared(**about, how=how, statistic=square, p=p)


def groups_of(games: int, chances: Mapping[str, float]) -> list[list[str]]:
    """Return the outcomes whose counts are compared, those with few expected games pooled; impossible ones are left
    out.

    >>> groups_of(100, {"win": 0.9, "lose": 0.1, "never": 0.0})
    [['win'], ['lose']]
    """
    possible = [name for name, chance in chances.items() if chance > 0]
    groups = [[name] for name in possible]
    if len(groups) > 2 and comb(games + len(groups) - 1, len(groups) - 1) > MOST_TABLES:
        cells = pooled([games * chances[name] for name in possible], adjacent=False)
        if len(cells) == 1:  # too few games: the most probable outcome against all others
            cells = [cells[0][:-1], cells[0][-1:]]
        groups = [[possible[cell] for cell in cells_of] for cells_of in cells]
    return groups


def _sums(groups: Sequence[Sequence[str]], of: dict[str, Any]) -> list[Any]:
    """Return the sum over each group."""
    return [sum(of[name] for name in group) for group in groups]


def _mean(name: str, mean: Mean, games: int, tally: Distribution) -> Compared:
    """Test a mean by the exact distribution of the total of all games, or else by the normal distribution."""
    if isnan(tally.mean):
        raise ParameterError(f"mean: the exact mean of {name} is not known: its distribution takes too much memory")
    sd = tally.sd if isfinite(tally.sd) else mean.sd
    if sd is None:
        raise ParameterError(f"mean: the exact standard deviation of {name} is not known; give yours as well: sd")
    error, off = sd / sqrt(games), mean.value - tally.mean
    surplus = max(0.0, abs(off) - mean.half - tally.error)
    z = off / error if error > 0 else 0.0 if surplus <= 1e-9 else inf
    low, high = games * (mean.value - mean.half), games * (mean.value + mean.half)
    p = None if tally.spread is None else total_p(low, high, games, tally.spread.values, tally.spread.chances)
    how = "exact distribution of the mean" if p is not None else "normal distribution of the mean"
    if p is None:
        p = 2 * float(stats.norm.sf(surplus / error)) if error > 0 else float(surplus <= 1e-9)
    return Compared(f"mean of {name}", "mean", name, how, z, min(1.0, p), tally.mean, mean.value)


def _deviation(name: str, sd: float, half: float, games: int, tally: Distribution) -> Compared:
    """Test a standard deviation: exactly, by the normal distribution of its logarithm, or by an inequality.

    Programs divide by the number of games, or by one less: either may have been meant.
    """
    what = f"standard deviation of {name}"
    spread = _spread(what, tally)
    if games == 1 or not isfinite(tally.sd):
        raise _NotTested(what, "one game has none" if games == 1 else "the exact one is not known")
    values, chances = spread.values[spread.chances > 0], spread.chances[spread.chances > 0]
    low, high, fewer = sd - half, sd + half, sqrt(1 - 1 / games)
    if len(values) == 1:
        fits = low <= 1e-9
        z, p = (0.0, 1.0) if fits else (inf, SMALLEST)
        return Compared(what, "sd", name, "only one possible value", z, p, tally.sd, sd)
    fourth = float(chances @ (values - tally.mean) ** 4) / tally.sd**4
    relative, enough = relative_variance(games, fourth), ceil((fourth - 1) / STEADY)
    nearest = min(max(tally.sd, low), high / fewer)
    z, surplus = (2 * log(max(one, 1e-300) / tally.sd) / sqrt(relative) for one in (sd, nearest))
    if (exact := deviation_p(low * fewer, high, games, values, chances)) is not None:
        how, p = exact
    elif games >= enough:
        how, p = "normal distribution of its logarithm", 2 * float(stats.norm.sf(abs(surplus)))
    else:
        how, p = (
            f"{BOUND}; a sharper test needs {enough:,} games",
            variance_bound(nearest**2 / tally.sd**2, games, fourth),
        )
    return Compared(what, "sd", name, how, z, p, tally.sd, sd)


def _spread(what: str, tally: Distribution) -> Spread:
    """Return the distribution of a tally.

    Raises
    ------
    _NotTested
        When it is not known.
    """
    if tally.spread is None:
        raise _NotTested(what, "the exact distribution takes too much memory")
    return tally.spread


def _distribution(name: str, values: Any, games: int, tally: Distribution) -> Compared:
    """Test how often each value of a tally occurred, neighbouring values taken together."""
    what = f"distribution of {name}"
    spread = _spread(what, tally)
    about: dict[str, Any] = {"name": what, "kind": "distribution", "of": name}
    chances = tally.probabilities
    never = sorted(set(values) - set(chances))
    if never:
        p = min(1.0, games * spread.error)
        counts: dict[str, Any] = {"expected": {str(never[0]): 0.0}, "observed": {str(never[0]): values[never[0]]}}
        return Compared(**about, **counts, how="impossible value", statistic=inf, p=p, impossible=f"{name} {never[0]}")
    possible = list(chances)
    least = max(LEAST_EXPECTED, games / MOST_BINS)
    groups = pooled((games * spread.chances).tolist(), adjacent=True, least=least)
    if len(possible) == 1:
        only = {str(possible[0]): games}
        return Compared(**about, expected=only, observed=only, how="only one possible value", statistic=0.0, p=1.0)
    if len(groups) == 1:  # too few games: the lower half of the games against the upper
        half = np.abs(np.cumsum(spread.chances)[:-1] - 0.5).argmin() + 1
        groups = [groups[0][:half], groups[0][half:]]
    labels = [_label(possible[group[0]], possible[group[-1]]) for group in groups]
    weights = np.array([spread.chances[group].sum() for group in groups])
    observed = [sum(values[possible[place]] for place in group) for group in groups]
    how, square, p = counts_p(observed, weights.tolist())
    expected = dict(zip(labels, (games * weights).tolist(), strict=True))
    seen = dict(zip(labels, observed, strict=True))
    return Compared(**about, expected=expected, observed=seen, how=how, statistic=square, p=p)


def _label(low: int, high: int) -> str:
    """Return a group of neighbouring values."""
    return str(low) if low == high else f"{low}..{high}"
