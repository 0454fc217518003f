"""R's random numbers: what ``set.seed``, ``runif`` and ``sample`` give in R 3.6 and later.

R fills the state of the Mersenne Twister [1]_ from a seed by a linear congruential generator, takes the leading 32 bits
of each word as a number between 0 and 1, and draws by probabilities from the likeliest face downwards (``sample`` with
``prob``), equally likely faces by bits with rejection (``sample`` without, since R 3.6.0). See ``?Random`` and
``?sample`` in R. The order of equally likely faces is that of R's heap sort, which keeps neither their order nor the
reverse; it decides which face a number means.

References
----------
.. [1] Matsumoto, Nishimura, "Mersenne Twister", ACM TOMACS 8(1), 1998.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from dicelab.errors import ParameterError

MULTIPLIER = 69069
SCRAMBLES = 50
STATE = 624
LARGEST_SEED = 2**31 - 1
STEP = 2.3283064365386963e-10
"""R's 2**-32, a little less, so that no number is 1."""
SMALLEST = 0.5 * 2.328306437080797e-10
"""What R gives instead of 0."""
MOST_FACES = 200
"""With more faces R draws another way (Walker's alias method)."""
BLOCK = 8192


class RStream:
    """R's stream of random numbers after ``set.seed(seed)``.

    Parameters
    ----------
    seed
        A whole number from -(2**31 - 1) to 2**31 - 1, as in R.

    Raises
    ------
    ParameterError
        When the seed is none of R's.

    Examples
    --------
    >>> [round(RStream(1).uniform(), 7), RStream(1).sample([1 / 6, 2 / 6, 3 / 6], 10)]
    [0.2655087, [2, 2, 1, 0, 2, 0, 0, 1, 1, 2]]
    """

    def __init__(self, seed: int) -> None:
        if not -LARGEST_SEED <= seed <= LARGEST_SEED:
            raise ParameterError(f"seed {seed} is none of R's, which are -{LARGEST_SEED} to {LARGEST_SEED}")
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
        """The next block of numbers."""
        self._numbers = np.maximum(self._bits.random_raw(BLOCK) * STEP, SMALLEST)
        self._drawn: dict[tuple[float, ...], list[int]] = {}
        self._at = 0

    def uniform(self) -> float:
        """The next number between 0 and 1, both excluded: ``runif(1)``."""
        if self._at == BLOCK:
            self._refill()
        self._at += 1
        return float(self._numbers[self._at - 1])

    def sample(self, weights: Sequence[float], size: int) -> list[int]:
        """Numbers of the faces of `size` dice: ``sample(0:(n - 1), size, replace = TRUE, prob = weights)``.

        Raises
        ------
        ParameterError
            When the size is negative, or the weights are none or more than 200.
        """
        faces = self._drawn.get(key := tuple(weights)) or self._faces(key)
        end = self._at + size
        if self._at <= end <= BLOCK:
            drawn = faces[self._at : end]
            self._at = end
            return drawn
        if size < 0:
            raise ParameterError(f"{size} dice can't be drawn")
        drawn = faces[self._at :]
        while len(drawn) < size:
            self._refill()
            self._at = min(BLOCK, size - len(drawn))
            drawn += self._faces(key)[: self._at]
        return drawn

    def _faces(self, weights: tuple[float, ...]) -> list[int]:
        """The face that each number of this block means."""
        order, sums = thresholds(weights)
        found = np.array(order)[np.searchsorted(sums, self._numbers)].tolist()
        self._drawn[weights] = found
        return found  # type: ignore[no-any-return]

    def index(self, count: int) -> int:
        """One of `count` equally likely numbers from 0: ``sample(count, 1) - 1``."""
        bits = (count - 1).bit_length()
        while True:
            value = 0
            for _ in range(0, bits + 1, 16):
                value = value << 16 | int(self.uniform() * 65536)
            value &= (1 << bits) - 1
            if value < count:
                return value


def thresholds(weights: Sequence[float]) -> tuple[list[int], list[float]]:
    """Faces from the likeliest downwards, and the largest number that means each, but for the last.

    Raises
    ------
    ParameterError
        When no weight is above 0, one is negative or no number, or there are more than R draws in this way.

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
        raise ParameterError(f"a die of R's may have {MOST_FACES} faces at most, not {len(weights)}")
    sorted_down = _heap_sorted([(weight / total, face) for face, weight in enumerate(weights)])
    return [face for _, face in sorted_down], list(accumulate(p for p, _ in sorted_down))[:-1]


def _heap_sorted(pairs: list[tuple[float, int]]) -> list[tuple[float, int]]:
    """Falling by their first number, equal ones in the order in which R's heap sort leaves them."""
    heap = list(pairs)
    for root in reversed(range(len(heap) // 2)):
        _sink(heap, root, len(heap))
    for end in reversed(range(1, len(heap))):
        heap[0], heap[end] = heap[end], heap[0]
        _sink(heap, 0, end)
    return heap


def _sink(heap: list[tuple[float, int]], at: int, end: int) -> None:
    """Move a pair down the heap until neither of those below it is smaller."""
    pair = heap[at]
    while (below := 2 * at + 1) < end:
        if below + 1 < end and heap[below][0] > heap[below + 1][0]:
            below += 1
        if pair[0] <= heap[below][0]:
            break
        heap[at] = heap[below]
        at = below
    heap[at] = pair
