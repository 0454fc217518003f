"""Tails and quantiles of binomial and beta distributions in plain Python, for exact intervals.

Importing SciPy would take longer than a small simulation. A beta density is integrated over the logit of its
argument, where it is smooth and log-concave, relative to its largest value; nothing needs a gamma function, so the
relative error is below 1e-8 for up to 1e12 games.
"""

from __future__ import annotations

from math import exp, expm1, log, log1p, sqrt

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
    """Value below which a beta variable with parameters `a` and `b`, at least 1, lies with a probability `q` below 1/2.

    >>> round(beta_quantile(5, 6, 0.025), 9), round(beta_quantile(1, 1, 0.025), 9)
    (0.187086028, 0.025)
    """
    return 1 / (1 + b / a * exp(-_shift(a, b, q)))


def beta_quantile_above(a: float, b: float, q: float) -> float:
    """Value above which a beta variable with parameters `a` and `b`, at least 1, lies with a probability `q` below 1/2.

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
