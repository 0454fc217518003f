"""What follows from estimated dice: each figure of an answer with an interval, for all that the rolls leave possible.

The logarithms of the probabilities of the faces vary around the estimate, in coordinates u in which the estimate has
the standard error 1 in all directions. A figure of the answer, on the scale on which it is closest to linear (itself,
the logit of a probability, the logarithm of a positive number, or that of its distance from 1), is taken as a quadratic
function of u, found from answers for dice one step away from the estimate. Its interval is the range of this function
over a ball around the estimate. That contains the true value whenever the ball touches the dice that share it:

* where these lie on a plane, a radius of 1.96 does so for 95 of 100 files of rolls: the profile likelihood interval;
* where they lie on a sphere, the radius is that which does so for a sphere of this size, between 1.96 and the radius
  that holds 95 % of all u. The sphere is at least as small as any that the rolls leave possible, so that the interval
  may be wider than needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf, sqrt
from typing import Any, NamedTuple

import numpy as np
from scipy import optimize, special

from dicelab.errors import ParameterError
from dicelab.questions.rolled.rolls import Rolls
from dicelab.runtime.arrays import Floats

Figures = Mapping[str, float]

LEVEL = 0.95
"""Confidence level of the intervals."""
PLANE = float(special.ndtri((1 + LEVEL) / 2))
"""Radius of the ball for a figure that is linear."""
ADDED = 0.5
"""Rolls added to each face, so that none is impossible because it was not rolled."""
FEWEST = 5
"""Rolls of each face that a fair die would give, at least, for an interval to be computed."""
MOST_FACES = 12
"""Largest number of faces: there are about as many answers as pairs of faces."""
STEP = 1.0
"""How far the dice of the other answers are from the estimate, in standard errors."""
FLAT = 1e-3
"""Curvature, in units of one over the standard error, below which dice with the same figure lie on a plane."""
WIDE = 2.5
"""Radius from which on a figure may be smallest or largest for dice near the estimate."""
WEIGHT = 1_000_000
"""Sum of the weights of a die, which are whole numbers."""
LARGEST = 2**61
"""Largest weight of all dice of a roll together."""


class Scale(NamedTuple):
    """A scale for figures: a monotone function, its inverse, and the open range where it is defined."""

    low: float
    high: float
    to: Callable[[Any], Any]
    back: Callable[[Any], Any]


SCALES = (
    Scale(-inf, inf, np.asarray, np.asarray),
    Scale(0, 1, special.logit, special.expit),
    Scale(0, inf, np.log, np.exp),
    Scale(-inf, 1, lambda x: np.log1p(-np.asarray(x)), lambda y: -np.expm1(y)),
)
"""The scales on which a figure may be close to linear; the first is that of the figure itself."""


class Interval(NamedTuple):
    """A figure for the estimated dice, its interval, and the figure for fair dice; None if they have none.

    Examples
    --------
    >>> Interval(0.51, 0.47, 0.55, 0.5).low
    0.47
    """

    value: float
    low: float
    high: float
    fair: float | None


@dataclass(frozen=True)
class Region:
    """The probabilities of faces that rolls leave possible.

    Attributes
    ----------
    chances
        The estimate.
    directions
        By coordinate of u, a column: the change of the logarithms of the probabilities.
    """

    chances: Floats
    directions: Floats

    @classmethod
    def of(cls, rolls: Rolls) -> Region:
        """Return the region of some rolls.

        Raises
        ------
        ParameterError
            When there are too few rolls, or too many faces.
        """
        counts = np.array(rolls.counts, float)
        faces, number = len(counts), counts.sum()
        if faces > MOST_FACES:
            raise ParameterError(
                f"{rolls.die} has {faces} faces; dice with at most {MOST_FACES} can be estimated for a game"
            )
        if number < FEWEST * faces:
            raise ParameterError(
                f"{number:,.0f} rolls are too few to estimate {rolls.die}; roll it {FEWEST * faces} times or more"
            )
        chances = (counts + ADDED) / (number + ADDED * faces)
        # The precision of θ is N (diag p - p p'). All θ alike changes nothing: coordinates are contrasts. Its root is
        # symmetric, because single eigenvectors of equal eigenvalues differ from processor to processor.
        contrasts = _contrasts(faces)
        precision = number * contrasts.T @ (np.diag(chances) - np.outer(chances, chances)) @ contrasts
        sizes, vectors = np.linalg.eigh(precision)
        return cls(chances, contrasts @ (vectors / np.sqrt(sizes)) @ vectors.T)

    def holds(self, rolls: Rolls, chances: Floats) -> bool:
        """Return whether these probabilities are among those that the rolls leave possible, by their likelihood."""
        counts = np.array(rolls.counts) + ADDED
        ratio = 2 * float((counts * np.log(self.chances / chances)).sum())
        return bool(ratio <= _whole(self.size) ** 2)

    @property
    def size(self) -> int:
        """Number of coordinates."""
        return int(self.directions.shape[1])

    def at(self, u: Floats) -> Floats:
        """Return the probabilities at a point."""
        ratios = self.chances * np.exp(self.directions @ u)
        return np.asarray(ratios / ratios.sum())


def _contrasts(faces: int) -> Floats:
    """Return Helmert's contrasts: an orthonormal basis, in columns, of all vectors whose sum is 0."""
    basis = np.triu(np.ones((faces, faces - 1)))
    np.fill_diagonal(basis[1:], -np.arange(1.0, faces))
    return np.asarray(basis / np.linalg.norm(basis, axis=0))


def answers_needed(faces: int) -> int:
    """Return the number of answers from which intervals are computed."""
    size = faces - 1
    return 2 + 2 * size + size * (size - 1) // 2


def intervals(rolls: Rolls, figures: Callable[[Floats], Figures]) -> dict[str, Interval]:
    """Return each figure of an answer for the estimated dice, with a 95 % interval.

    Parameters
    ----------
    rolls
        The rolls.
    figures
        Figures by name, for probabilities of the faces. Those that are missing for some dice have no interval.

    Examples
    --------
    >>> from dicelab.questions.rolled.rolls import rolls_of
    >>> figures = intervals(rolls_of("100,100,100,100,100,100"), lambda p: {"a six": p[5]})["a six"]
    >>> [round(float(number), 3) for number in (figures.value, figures.low, figures.high)]
    [0.167, 0.139, 0.199]
    """
    region = Region.of(rolls)
    size, unit = region.size, np.eye(region.size) * STEP
    middle = figures(region.at(np.zeros(size)))
    above, below = ([figures(region.at(sign * step)) for step in unit] for sign in (1, -1))
    both = {(i, j): figures(region.at(unit[i] + unit[j])) for j in range(size) for i in range(j)}
    known_fair = np.array([float(p) for p in rolls.chances])
    fair, possible = figures(known_fair), region.holds(rolls, known_fair)
    known = [name for name in middle if all(name in one for one in (*above, *below, *both.values()))]
    result = dict[str, Interval]()
    for name in known:
        up, down = (np.array([one[name] for one in side]) for side in (above, below))
        low, high, radius = _range(middle[name], up, down, {pair: one[name] for pair, one in both.items()})
        if radius > WIDE and possible and name in fair:  # where a figure is often smallest or largest
            low, high = min(low, fair[name]), max(high, fair[name])
        result[name] = Interval(middle[name], low, high, fair.get(name))
    return result


def _range(
    value: float, above: Floats, below: Floats, pairs: Mapping[tuple[int, int], float]
) -> tuple[float, float, float]:
    """Return the ends of a figure's interval and the radius of its ball.

    Parameters
    ----------
    value
        The figure at the estimate.
    above, below
        The figure one step forward and one step back, by coordinate.
    pairs
        The figure one step forward in two coordinates.
    """
    values = np.array([value, *above, *below, *pairs.values()])
    fits = [
        (scale, *_quadratic(scale, value, above, below, pairs))
        for scale in SCALES
        if scale.low < values.min() and values.max() < scale.high
    ]
    scale, slope, bend = min(fits, key=lambda fit: _curvature(fit[2]) / max(float(np.linalg.norm(fit[1])), 1e-300))
    radius = _radius(slope, bend)
    middle = scale.to(value)
    ends = scale.back(middle + _least(slope, bend, radius)), scale.back(middle - _least(-slope, -bend, radius))
    return float(min(ends)), float(max(ends)), radius


def _quadratic(
    scale: Scale, value: float, above: Floats, below: Floats, pairs: Mapping[tuple[int, int], float]
) -> tuple[Floats, Floats]:
    """Return the gradient and the second derivatives of a figure on a scale."""
    middle, up, down = scale.to(value), scale.to(above), scale.to(below)
    slope, bend = (up - down) / (2 * STEP), np.diag(up + down - 2 * middle) / STEP**2
    for (i, j), one in pairs.items():
        bend[i, j] = bend[j, i] = (scale.to(one) - up[i] - up[j] + middle) / STEP**2
    return slope, bend


def _curvature(bend: Floats) -> float:
    """Return the largest second derivative in any direction."""
    return float(np.abs(np.linalg.eigvalsh(bend)).max())


def _radius(slope: Floats, bend: Floats) -> float:
    """Return the radius of the ball over which a quadratic function ranges in its 95 % interval."""
    size, steep = len(slope), float(np.linalg.norm(slope))
    if size == 1 or not bend.any():
        return PLANE
    along = slope / steep if steep else np.zeros(size)
    across = np.eye(size) - np.outer(along, along)
    curved = _curvature(across @ bend @ across)
    least = max(0.0, steep - _whole(size) * _curvature(bend))  # the gradient where it is smallest, among possible dice
    if curved <= FLAT * least:
        return PLANE
    return _sphere(size, least / curved)


def _whole(size: int) -> float:
    """Return the radius of the ball that holds 95 % of all u."""
    return sqrt(special.chdtri(size, 1 - LEVEL))


def _sphere(size: int, radius: float) -> float:
    """Return how far a normal vector around a point of a sphere is from the sphere, at most, with probability 95 %.

    >>> round(_sphere(2, 0.0), 3), round(_sphere(2, 900.0), 3)
    (2.448, 1.96)
    """
    whole = _whole(size)
    if radius == 0:
        return whole

    def above(distance: float) -> float:
        inside = special.chndtr(max(0.0, radius - distance) ** 2, size, radius**2)
        return float(special.chndtr((radius + distance) ** 2, size, radius**2) - inside) - LEVEL

    return PLANE if above(PLANE) >= 0 else float(optimize.brentq(above, PLANE, whole + 0.1, xtol=1e-3))


def _least(slope: Floats, bend: Floats, radius: float) -> float:
    """Return the smallest value of slope·u + u·bend·u / 2 within a distance of 0 (a trust-region problem)."""
    sizes, vectors = np.linalg.eigh(bend)
    along = vectors.T @ slope

    def step(shift: float) -> Floats:
        denominators = sizes + shift
        safe = np.where(np.abs(denominators) > 1e-300, denominators, 1.0)
        return np.where(np.abs(denominators) > 1e-300, -along / safe, 0.0)

    def worth(u: Floats) -> float:
        return float(along @ u + 0.5 * (sizes * u) @ u)

    if sizes[0] > 0 and np.linalg.norm(step(0.0)) <= radius:  # the lowest point lies inside
        return worth(step(0.0))
    least = max(0.0, -float(sizes[0]))
    scale = max(float(np.abs(sizes).max()), float(np.linalg.norm(along)) / radius)
    if scale == 0:
        return 0.0
    near = least + 1e-12 * scale
    if np.linalg.norm(step(near)) < radius:  # the hard case: what is missing goes along the lowest direction
        inside = step(near)
        rest = sqrt(max(0.0, radius**2 - float(inside @ inside)))
        first = np.zeros(len(sizes))
        first[0] = rest
        return min(worth(inside + first), worth(inside - first))
    far = least + scale * 2 + float(np.linalg.norm(along)) / radius
    shift = optimize.brentq(lambda x: float(np.linalg.norm(step(x))) - radius, near, far, xtol=1e-14 * scale)
    return worth(step(shift))


def weights(chances: Floats, most: int) -> tuple[int, ...]:
    """Return the probabilities as whole numbers, for rolls of at most so many dice; each at least 1.

    >>> weights(np.array([0.25, 0.75]), 2)
    (250000, 750000)
    """
    total = min(WEIGHT, int(LARGEST ** (1 / most)))
    return tuple(max(1, round(float(p) * total)) for p in chances)
