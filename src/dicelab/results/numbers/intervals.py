"""Confidence intervals of estimates, and the distribution of the largest of many z-scores.

Proportions and percentiles have exact intervals: they cover the truth in at least 95 of 100 samples, whatever the game.
For the mean of a tally without bounds no such interval exists (R. R. Bahadur, L. J. Savage, Ann. Math. Statist. 27,
1956): rare large values may be missing from the sample. Its interval is a corrected normal one, with an infinite end
where the sample is too small for its own skewness. Coverage is measured in ``tests/statistical``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import ceil, exp, expm1, floor, gcd, inf, isfinite, isinf, log, log1p, sqrt
from statistics import NormalDist

# Binomial -------------------------------------------------------------------------------------------------------------
#
# Tails and quantiles of binomial and beta distributions in plain Python, for exact intervals.
#
# Importing SciPy would take longer than a small simulation. A beta density is integrated over the logit of its
# argument, where it is smooth and log-concave, relative to its largest value; nothing needs a gamma function, so the
# relative error is below 1e-8 for up to 1e12 games.

STEPS = 16
"""Steps of the quadrature for each unit of its variable; half as many would leave errors of 1e-6 far in a tail."""
_NODES = [(exp(u - exp(-u)), exp(u - exp(-u)) * (1 + exp(-u)) / STEPS) for u in (i / STEPS for i in range(-64, 76))]
"""Points and weights for an integral from 0 to infinity: the double-exponential rule for integrands that decay like
``exp(-y)`` (H. Takahasi, M. Mori, Publ. RIMS 9, 1974, p. 721-741)."""


def at_least(k: int, n: int, p: float) -> float:
    """Probability that `n` trials succeed at least `k` times, when each succeeds with probability `p`.

    It is the distribution function of a beta variable with parameters k and n - k + 1 (DLMF 8.17.5).

    >>> at_least(2, 2, 0.5), round(at_least(40, 100, 0.3), 9)
    (0.25, 0.020988576)
    """
    if k <= 0 or k > n:
        return float(k <= 0)
    if k == n or p in (0, 1):
        return p**n if k == n else p
    a, b = float(k), float(n - k + 1)
    d = log(p) - log1p(-p) - log(a / b)
    left, right = _left(a, b, d), _left(b, a, -d)
    return left / (left + right)


def beta_quantile(a: float, b: float, q: float) -> float:
    """Return the value below which a beta variable with parameters `a` and `b`, at least 1, lies with a probability `q`
    below 1/2.

    >>> round(beta_quantile(5, 6, 0.025), 9), round(beta_quantile(1, 1, 0.025), 9)
    (0.187086028, 0.025)
    """
    return 1 / (1 + b / a * exp(-_shift(a, b, q)))


def beta_quantile_above(a: float, b: float, q: float) -> float:
    """Return the value above which a beta variable with parameters `a` and `b`, at least 1, lies with a probability `q`
    below 1/2.

    >>> round(beta_quantile_above(6, 5, 0.025), 9)
    0.812913972
    """
    return 1 / (1 + b / a * exp(_shift(b, a, q)))


def _shift(a: float, b: float, q: float) -> float:
    """Distance on the logit scale from the mode to the lower quantile `q`.

    The logarithm of a log-concave density's distribution function is concave, so Newton's iterations for it approach
    the quantile from below after the first step, wherever they start.
    """
    wanted = log(q * (_left(a, b, 0.0) + _left(b, a, 0.0)))
    d = -2 * sqrt((a + b) / (a * b))
    for _ in range(60):
        mass = _left(a, b, d)
        step = (wanted - log(mass)) * mass / exp(_log_density(a, b, d))
        d += step
        if abs(step) <= 1e-11 * abs(d):
            break
    return d


def _left(a: float, b: float, d: float) -> float:
    """Integral of the density over all logits up to `d` above the mode, the density at the mode being 1."""
    scale = sqrt((a + b) / (a * b))  # the standard deviation of the normal distribution that fits at the mode
    return scale * sum(weight * exp(_log_density(a, b, d - scale * y)) for y, weight in _NODES)


def _log_density(a: float, b: float, d: float) -> float:
    """Logarithm of the density of the logit of a beta variable, `d` above its mode and relative to it."""
    if a > b:  # of the two forms the one in which large terms don't cancel
        a, b, d = b, a, -d
    p, q = a / (a + b), b / (a + b)
    moved = p * expm1(d)
    return a * d - (a + b) * (log1p(moved) if moved > -0.5 else log(q + p * exp(d)))


LEVEL = 0.95
"""Confidence level of intervals."""
LEVEL_OF_LOOKS = 0.96
"""Level of the intervals where a precision decides when to stop. They are computed repeatedly, and stopping when they
are narrow favours samples that happen to vary little: 95 % intervals would cover 94.1 % in the worst case found, these
cover 95.5 %."""
NEEDED = 15
"""Games needed for each unit of squared skewness before a mean has an interval. W. G. Cochran's rule (*Sampling
Techniques*, 3rd edition, section 2.15) requires 25, without the correction for skewness used here."""
ANYWHERE = (-inf, inf)
"""The interval, or the bounds, where nothing is known."""
NORMAL = NormalDist()


def z_of(level: float = LEVEL) -> float:
    """Return the half-width of the central `level` of a normal distribution, in standard deviations.

    >>> round(z_of(0.95), 6)
    1.959964
    """
    return NORMAL.inv_cdf((1 + level) / 2)


def largest_by_chance(scores: int) -> tuple[float, float]:
    """Return the expected value and 95th percentile of the largest absolute value of so many standard normal scores.

    Both are for independent scores; dependent ones have a stochastically smaller maximum (Z. Sidak, JASA 62, 1967).

    >>> mean, most = largest_by_chance(12)
    >>> round(mean, 2), round(most, 2)
    (1.96, 2.86)
    """
    step = 0.01
    mean = step * sum(1 - (2 * NORMAL.cdf((i + 0.5) * step) - 1) ** scores for i in range(1000))
    return mean, z_of(LEVEL ** (1 / scores))


def clopper_pearson(count: int, n: int, level: float = LEVEL) -> tuple[float, float]:
    """Exact interval for a proportion of `count` in `n` (C. J. Clopper, E. S. Pearson, Biometrika 26, 1934).

    It covers the probability in at least `level` of all samples, whatever the probability is.

    >>> low, high = clopper_pearson(50, 100)
    >>> round(low, 4), round(high, 4)
    (0.3983, 0.6017)
    """
    if n == 0:
        return 0.0, 1.0
    miss = (1 - level) / 2
    alone = -expm1(log(miss) / n)  # the upper end for a count of 0
    if count == 0:
        return 0.0, alone
    if count == n:
        return 1 - alone, 1.0
    return beta_quantile(count, n - count + 1, miss), beta_quantile_above(count + 1, n - count, miss)


def moments(histogram: Mapping[int, int]) -> tuple[float, float]:
    """Mean and standard deviation (divisor n - 1) of a histogram, from exact integer sums."""
    n = sum(histogram.values())
    total = sum(value * count for value, count in histogram.items())
    squares = sum(value * value * count for value, count in histogram.items())
    if n < 2:
        return (float(total) if n else 0.0), 0.0
    return total / n, sqrt((n * squares - total * total) / (n * (n - 1)))


def skewness(histogram: Mapping[int, int]) -> float:
    """Third central moment in units of the standard deviation, from exact integer sums; 0 where nothing varies.

    >>> skewness({0: 9, 1: 1}), skewness({5: 3})
    (2.66..., 0.0)
    """
    n = sum(histogram.values())
    first, second, third = (sum(value**k * count for value, count in histogram.items()) for k in (1, 2, 3))
    spread = n * second - first * first
    return (n * n * third - 3 * n * first * second + 2 * first**3) / float(spread) ** 1.5 if spread else 0.0


def lattice_step(values: Iterable[int]) -> int:
    """Largest step such that all values are whole numbers of steps apart; 0 for one value.

    >>> lattice_step([-1, 35]), lattice_step([10, 14, 16]), lattice_step([7])
    (36, 2, 0)
    """
    listed = list(values)
    return gcd(*(value - listed[0] for value in listed)) if listed else 0


def mean_interval(
    mean: float,
    sd: float,
    n: int,
    level: float = LEVEL,
    *,
    skew: float = 0.0,
    step: float = 0.0,
    bounds: tuple[float, float] = ANYWHERE,
) -> tuple[float, float]:
    """Confidence interval for a mean, with an infinite end where the sample is too small to bound it.

    The half-width is ``z * sd / sqrt(n)``, corrected twice. The quantile z of the normal distribution becomes that of
    the studentised mean of skewed values, to order 1/n: ``z + z / n * ((z**2 + 1) / 4 + skew**2 * (z**4 + 2 * z**2 -
    3) / 18)`` (P. Hall, *The Bootstrap and Edgeworth Expansion*, 1992, section 2.6, without its term in the kurtosis,
    which makes it narrower). Half a step is added for values on a lattice, as in the correction for continuity.

    The upper end is infinite unless ``n >= NEEDED * s**2``, where s is the skewness, no less than 0, and twice its
    standard error for normal values, ``sqrt(6 / n)``. For the lower end, s is minus the skewness. Without variation
    both ends are infinite.

    Parameters
    ----------
    mean, sd, n, skew
        Of the sample; the standard deviation with divisor n - 1.
    level
        Share of samples whose interval covers the mean.
    step
        Values are whole numbers of steps apart; 0 where they are not.
    bounds
        Smallest and largest possible value. If both are finite, an end that would be infinite is computed from them,
        for any distribution (W. Hoeffding, JASA 58, 1963, theorem 1).

    Examples
    --------
    >>> mean_interval(10.0, 2.0, 10_000)
    (9.96..., 10.03...)
    >>> mean_interval(10.0, 2.0, 100, skew=3.0)
    (9.5..., inf)
    >>> mean_interval(-1.0, 0.0, 1000, bounds=(-1, 1))
    (-1.0, -0.99...)
    """
    low, high = -inf, inf
    if n > 1 and sd > 0:
        z = z_of(level)
        wider = 1 + ((z * z + 1) / 4 + skew * skew * (z**4 + 2 * z * z - 3) / 18) / n
        half = z * sd / sqrt(n) * wider + step / 2 / n
        low = mean - half if _enough(n, -skew) else low
        high = mean + half if _enough(n, skew) else high
    if n and isfinite(bounds[1] - bounds[0]) and (isinf(low) or isinf(high)):
        widest = _bounded(mean, n, level, bounds, sd > 0)
        low, high = (widest[0] if isinf(low) else low), (widest[1] if isinf(high) else high)
    return max(low, bounds[0]), min(high, bounds[1])


def _enough(n: int, skew: float) -> bool:
    """Return whether there are enough games for a finite end, with `skew` towards that end."""
    return n >= NEEDED * (max(0.0, skew) + 2 * sqrt(6 / n)) ** 2


def _bounded(mean: float, n: int, level: float, bounds: tuple[float, float], varies: bool) -> tuple[float, float]:
    """Hoeffding's interval for the mean of values between two bounds.

    It consists of the means m with ``n * entropy(mean, m) <= log(2 / (1 - level))``, the relative entropy of two coins
    with these probabilities of heads (values scaled to 0 to 1). It holds for every n, and without variation.
    """
    least, most = bounds
    if most <= least:
        return least, least
    if not varies:  # bound the probability of all other values: they did not occur in n games
        rare = clopper_pearson(0, n, level)[1]
        return mean - rare * (mean - least), mean + rare * (most - mean)
    most_entropy = log(2 / (1 - level)) / n
    share = min(1.0, max(0.0, (mean - least) / (most - least)))
    high = _farthest(share, most_entropy)
    low = 1 - _farthest(1 - share, most_entropy)
    return least + low * (most - least), least + high * (most - least)


def _farthest(share: float, most_entropy: float) -> float:
    """Largest probability q with a relative entropy of `share` to q of at most `most_entropy`, by bisection."""
    low, high = share, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        entropy = (share * log(share / middle) if share else 0.0) if middle else 0.0
        entropy += (1 - share) * (log1p(-share) - log1p(-middle)) if share < 1 and middle < 1 else 0.0
        low, high = (middle, high) if entropy <= most_entropy and middle < 1 else (low, middle)
    return high


def percentile(histogram: Mapping[int, int], p: float) -> int:
    """Smallest value with a share of at least `p` of the games at or below it.

    >>> percentile({1: 5, 2: 4, 10: 1}, 0.9)
    2
    """
    return at_rank(histogram, max(1, ceil(p * sum(histogram.values()) - 1e-9)))


def percentile_interval(histogram: Mapping[int, int], p: float, level: float = LEVEL) -> tuple[float, float]:
    """Exact interval for a percentile, from the order statistics; it holds for any distribution.

    The number of games at or below the true percentile is binomial with probability at least `p`, the number below it
    with at most `p`. The ends are therefore values of the sample whose ranks are quantiles of that distribution (W. J.
    Conover, *Practical Nonparametric Statistics*, 3rd edition, section 3.2). An end is infinite where even the smallest
    or the largest value of the sample may lie on the wrong side.

    >>> percentile_interval(dict.fromkeys(range(1, 101), 1), 0.5)
    (40, 61)
    >>> percentile_interval({5: 4, 6: 1}, 0.9)
    (5, inf)
    """
    n = sum(histogram.values())
    low, high = ranks(n, p, level)
    return (at_rank(histogram, low) if low >= 1 else -inf), (at_rank(histogram, high) if high <= n else inf)


def ranks(n: int, p: float, level: float = LEVEL) -> tuple[int, int]:
    """Return the ranks of the ends of the interval for a percentile, 1 to `n`; 0 and n + 1 for an infinite end.

    The lower rank is the largest r such that fewer than r of n trials succeed with probability at most
    ``(1 - level) / 2``; the upper one is the smallest r such that r or more succeed with at most that probability.

    >>> ranks(100, 0.5), ranks(5, 0.5)
    ((40, 61), (0, 6))
    """
    miss, half = (1 - level) / 2, z_of(level) * sqrt(n * p * (1 - p))
    return n + 1 - _upper_rank(n, 1 - p, miss, n * (1 - p) + half), _upper_rank(n, p, miss, n * p + half)


def _upper_rank(n: int, p: float, miss: float, near: float) -> int:
    """Smallest r such that r or more successes have a probability of at most `miss`, searched from `near`."""
    rank = min(n + 1, max(1, floor(near)))
    while rank > 1 and at_least(rank - 1, n, p) <= miss:
        rank -= 1
    while rank <= n and at_least(rank, n, p) > miss:
        rank += 1
    return rank


def at_rank(histogram: Mapping[int, int], rank: int) -> int:
    """Return the value with this rank, 1 for the smallest."""
    seen = 0
    for value in sorted(histogram):
        seen += histogram[value]
        if seen >= rank:
            return value
    raise ValueError("a percentile of no games")
