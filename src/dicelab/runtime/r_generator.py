"""R's random numbers: the results of ``set.seed``, ``runif`` and ``sample`` in R 3.6 and later.

R seeds the Mersenne Twister [1]_ by a linear congruential generator and maps each 32-bit word to a number between 0
and 1. ``sample`` with ``prob`` sorts the faces from the most to the least likely and compares the number with the
cumulative probabilities; the order of equally likely faces is that of R's heap sort, which isn't stable. ``sample``
without ``prob`` uses random bits with rejection (since R 3.6.0). See ``?Random`` and ``?sample`` in R.

References
----------
.. [1] Matsumoto, Nishimura, "Mersenne Twister", ACM TOMACS 8(1), 1998.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from dicelab.errors import ParameterError
from dicelab.limits import LIMITS

MULTIPLIER = 69069
"""Of R's linear congruential generator, word = 69069 * word + 1 modulo 2**32."""
SCRAMBLES = 50
"""Words of that generator that R discards."""
STATE = 624
"""Words in the state of the Mersenne Twister."""
LARGEST_SEED = 2**31 - 1
STEP = 2.3283064365386963e-10
"""R's factor from a word to a number, slightly below 2**-32 so that the number is below 1."""
SMALLEST = 0.5 * 2.328306437080797e-10
"""R's replacement for 0."""
MOST_FACES = 200
"""With more faces than this R uses another method (Walker's alias method)."""


class RStream:
    """R's stream of random numbers after ``set.seed(seed)``.

    Parameters
    ----------
    seed
        A whole number from -(2**31 - 1) to 2**31 - 1, as in R.

    Raises
    ------
    ParameterError
        When R doesn't accept the seed.

    Examples
    --------
    >>> [round(RStream(1).uniform(), 7), RStream(1).sample([1 / 6, 2 / 6, 3 / 6], 10)]
    [0.2655087, [2, 2, 1, 0, 2, 0, 0, 1, 1, 2]]
    """

    def __init__(self, seed: int) -> None:
        if not -LARGEST_SEED <= seed <= LARGEST_SEED:
            raise ParameterError(f"seed {seed} is not allowed; R's seeds are -{LARGEST_SEED} to {LARGEST_SEED}")
        word = seed & 0xFFFFFFFF
        words = []
        for _ in range(SCRAMBLES + 1 + STATE):
            word = (MULTIPLIER * word + 1) & 0xFFFFFFFF
            words.append(word)
        self._bits = np.random.MT19937()
        self._bits.state = {
            "bit_generator": "MT19937",
            "state": {"key": np.array(words[-STATE:], np.uint32), "pos": STATE},
        }
        self._refill()

    def _refill(self) -> None:
        """Generate the next block of numbers."""
        self._numbers = np.maximum(self._bits.random_raw(LIMITS.r_words) * STEP, SMALLEST)
        self._drawn: dict[tuple[float, ...], list[int]] = {}
        self._at = 0

    def uniform(self) -> float:
        """Return the next number between 0 and 1, both excluded: ``runif(1)``."""
        if self._at == LIMITS.r_words:
            self._refill()
        self._at += 1
        return float(self._numbers[self._at - 1])

    def sample(self, weights: Sequence[float], size: int) -> list[int]:
        """Return the indices of the faces of `size` dice: ``sample(0:(n - 1), size, replace = TRUE, prob = weights)``.

        Raises
        ------
        ParameterError
            When `size` is negative, or the weights are not valid (see `thresholds`).
        """
        faces = self._drawn.get(key := tuple(weights)) or self._faces(key)
        end = self._at + size
        if self._at <= end <= LIMITS.r_words:
            drawn = faces[self._at : end]
            self._at = end
            return drawn
        if size < 0:
            raise ParameterError(f"{size} dice can't be drawn")
        drawn = faces[self._at :]
        while len(drawn) < size:
            self._refill()
            self._at = min(LIMITS.r_words, size - len(drawn))
            drawn += self._faces(key)[: self._at]
        return drawn

    def _faces(self, weights: tuple[float, ...]) -> list[int]:
        """Return the face for each number of this block, cached for each set of weights."""
        order, sums = thresholds(weights)
        faces = np.array(order)[np.searchsorted(sums, self._numbers)].tolist()
        self._drawn[weights] = faces
        return faces  # type: ignore[no-any-return]

    def index(self, count: int) -> int:
        """Return a uniform integer from 0 to `count` - 1: ``sample(count, 1) - 1``."""
        bits = (count - 1).bit_length()
        while True:
            value = 0
            # R takes 16 bits from each number until it has more than `bits`, and keeps the low `bits` of them.
            for _ in range(0, bits + 1, 16):
                value = value << 16 | int(self.uniform() * 65536)
            value &= (1 << bits) - 1
            if value < count:
                return value


def thresholds(weights: Sequence[float]) -> tuple[list[int], list[float]]:
    """Return the faces from the most to the least likely, and the cumulative probabilities of all but the last.

    Raises
    ------
    ParameterError
        When no weight is positive, one is negative or not finite, or there are more than `MOST_FACES`.

    Examples
    --------
    >>> thresholds([0.5, 0.0, 0.5])
    ([0, 2, 1], [0.5, 1.0])
    """
    total = 0.0
    for weight in weights:
        if not 0 <= weight < float("inf"):
            raise ParameterError(f"the weight of a face must be a number of 0 or more, not {weight}")
        total += weight
    if total == 0:
        raise ParameterError("one face must weigh more than 0")
    if len(weights) > MOST_FACES:
        raise ParameterError(f"with R's generator a die may have at most {MOST_FACES} faces, not {len(weights)}")
    sorted_down = _heap_sorted([(weight / total, face) for face, weight in enumerate(weights)])
    return [face for _, face in sorted_down], list(accumulate(p for p, _ in sorted_down))[:-1]


def _heap_sorted(pairs: list[tuple[float, int]]) -> list[tuple[float, int]]:
    """Return the pairs in descending order of their first number, equal ones in the order of R's heap sort
    (``revsort``).
    """
    heap = list(pairs)
    for root in reversed(range(len(heap) // 2)):
        _sink(heap, root, len(heap))
    for end in reversed(range(1, len(heap))):
        heap[0], heap[end] = heap[end], heap[0]
        _sink(heap, 0, end)
    return heap


def _sink(heap: list[tuple[float, int]], at: int, end: int) -> None:
    """Move the pair at an index down the min-heap ``heap[:end]`` until neither child is smaller."""
    pair = heap[at]
    while (below := 2 * at + 1) < end:
        if below + 1 < end and heap[below][0] > heap[below + 1][0]:
            below += 1
        if pair[0] <= heap[below][0]:
            break
        heap[at] = heap[below]
        at = below
    heap[at] = pair
