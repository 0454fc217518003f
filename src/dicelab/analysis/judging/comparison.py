"""The tests of a sample against an exact answer: outcomes, means, standard deviations, distributions of tallies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import comb, isfinite, isnan, log, sqrt
from typing import Any

import numpy as np
from scipy import stats

from dicelab.analysis.judging.goodness import LEAST_EXPECTED, MOST_TABLES, counts_p, holm, pooled, total_p
from dicelab.analysis.judging.sample import Mean, Sample
from dicelab.errors import ParameterError
from dicelab.results.base import present
from dicelab.results.numbers.estimates import Distribution, known
from dicelab.results.result import Exact

MOST_BINS = 40
"""Limit of the groups of values of a tally that are compared."""
STEADY = 0.002
"""Largest relative variance of a sample variance for which the test of standard deviations is a good approximation."""


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

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as in the JSON of the command line."""
        data = {"name": self.name, "how": self.how, "statistic": known(self.statistic), "p": self.p}
        data |= {"adjusted": self.adjusted, "expected": self.expected, "observed": self.observed}
        return data | present(impossible=self.impossible)


def compared(sample: Sample, truth: Exact) -> list[Compared]:
    """All tests of a sample, with their p-values adjusted by Holm's method.

    Raises
    ------
    ParameterError
        When a mean can't be tested, because the exact answer doesn't have it.
    """
    found = [*([_outcomes(sample.games, sample.counts, truth)] if sample.counts is not None else [])]
    for name, mean in sample.means.items():
        tally = truth.tallies[name]
        found.append(_mean(name, mean, sample.games, tally))
        if name in sample.values:
            found += _distribution(name, sample.values[name], sample.games, tally)
        else:
            found += _deviation(name, mean, sample.games, tally)
    adjusted = holm([test.p for test in found])
    return [replace(test, adjusted=p) for test, p in zip(found, adjusted, strict=True)]


def joint_p(tests: Sequence[Compared]) -> float:
    """The joint p-value: the smallest adjusted one."""
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
        return Compared(**about, how="impossible outcome", statistic=float("inf"), p=p, impossible=never[0])
    possible = [name for name, chance in chances.items() if chance > 0]
    groups = [[name] for name in possible]
    if len(groups) > 2 and comb(games + len(groups) - 1, len(groups) - 1) > MOST_TABLES:
        cells = pooled([expected[name] for name in possible], adjacent=False)
        if len(cells) == 1:  # too few games: the most probable outcome against all others
            cells = [cells[0][:-1], cells[0][-1:]]
        groups = [[possible[cell] for cell in cells_of] for cells_of in cells]
    if len(groups) == 1:
        return Compared(**about, how="only one possible outcome", statistic=0.0, p=1.0)
    how, square, p = counts_p(_sums(groups, observed), _sums(groups, chances))
    how += f" ({len(possible)} outcomes pooled into {len(groups)})" if len(groups) < len(possible) else ""
    return Compared(**about, how=how, statistic=square, p=p)


def _sums(groups: Sequence[Sequence[str]], of: dict[str, Any]) -> list[Any]:
    """The sum over each group."""
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
    z = off / error if error > 0 else 0.0 if surplus <= 1e-9 else float("inf")
    low, high = games * (mean.value - mean.half), games * (mean.value + mean.half)
    p = None if tally.spread is None else total_p(low, high, games, tally.spread.values, tally.spread.chances)
    how = "exact distribution of the mean" if p is not None else "normal distribution of the mean"
    if p is None:
        p = 2 * float(stats.norm.sf(surplus / error)) if error > 0 else float(surplus <= 1e-9)
    return Compared(f"mean of {name}", "mean", name, how, z, min(1.0, p), tally.mean, mean.value)


def _deviation(name: str, mean: Mean, games: int, tally: Distribution) -> Iterator[Compared]:
    """Test a standard deviation where there are so many games that its logarithm is nearly normal."""
    if mean.sd is None or tally.spread is None or not tally.sd > 0:
        return
    values, chances = tally.spread.values - tally.mean, tally.spread.chances
    relative = (float(chances @ values**4) / tally.sd**4 - 1) / games
    if not 0 < relative <= STEADY:
        return
    low, high = mean.sd - mean.sd_half, mean.sd + mean.sd_half
    nearest = min(max(tally.sd, low), high)
    z, surplus = (2 * log(max(sd, 1e-300) / tally.sd) / sqrt(relative) for sd in (mean.sd, nearest))
    p = 2 * float(stats.norm.sf(abs(surplus)))
    how = "normal distribution of its logarithm"
    yield Compared(f"standard deviation of {name}", "sd", name, how, z, p, tally.sd, mean.sd)


def _distribution(name: str, values: Any, games: int, tally: Distribution) -> Iterator[Compared]:
    """Test how often each value of a tally occurred, neighbouring values taken together."""
    spread = tally.spread
    if spread is None:
        return
    about: dict[str, Any] = {"name": f"distribution of {name}", "kind": "distribution", "of": name}
    chances = tally.probabilities
    never = sorted(set(values) - set(chances))
    if never:
        p = min(1.0, games * spread.error)
        counts: dict[str, Any] = {"expected": {str(never[0]): 0.0}, "observed": {str(never[0]): values[never[0]]}}
        yield Compared(
            **about, **counts, how="impossible value", statistic=float("inf"), p=p, impossible=f"{name} {never[0]}"
        )
        return
    possible = list(chances)
    least = max(LEAST_EXPECTED, games / MOST_BINS)
    groups = pooled((games * spread.chances).tolist(), adjacent=True, least=least)
    if len(groups) == 1:
        return
    labels = [_label(possible[group[0]], possible[group[-1]]) for group in groups]
    weights = np.array([spread.chances[group].sum() for group in groups])
    observed = [sum(values[possible[place]] for place in group) for group in groups]
    how, square, p = counts_p(observed, weights.tolist())
    expected = dict(zip(labels, (games * weights).tolist(), strict=True))
    seen = dict(zip(labels, observed, strict=True))
    yield Compared(**about, expected=expected, observed=seen, how=how, statistic=square, p=p)


def _label(low: int, high: int) -> str:
    """A group of neighbouring values."""
    return str(low) if low == high else f"{low}..{high}"
