"""The random stream in plain Python: the definition that all engines follow.

A roll is drawn as *one* uniform integer, not die by die. ``docs/stream.md`` specifies the stream completely, for
implementations in other languages. In short:

* Philox4x32-10 [1]_ with the seed as key and counter = (block, lane, low and high 32 bits of the game index);
* roll number t of a game reads word ``t % 4`` of block ``t // 4``;
* a 32-bit word (or two of them) becomes an integer below the total weight W by multiply-shift with rejection [2]_;
* that integer selects an outcome by the cumulative weights, in the order of `dicelab.rules.dice.outcomes`.

References
----------
.. [1] Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC11, 2011.
.. [2] Lemire, "Fast random integer generation in an interval", ACM TOMACS 29(1), 2019.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate

from dicelab.errors import RulesError
from dicelab.rules.actions import Throw
from dicelab.rules.dice import Die, Outcome, View, add_die, outcome_count, outcomes
from dicelab.rules.game import Game
from dicelab.rules.params import value_of

WORD = 0xFFFFFFFF
"""Mask of the low 32 bits."""
ONE_WORD = 2**28
"""Largest total weight drawn from one word."""
TWO_WORDS = 2**56
"""Largest total weight drawn from two words; a roll of larger weight is drawn one die at a time."""
MOST_OUTCOMES = 65_536
"""A roll that may have more outcomes than this is drawn one die at a time."""
DIE_LANES = 1 << 16
"""Lanes reserved for each die of a roll that is drawn one die at a time."""


def philox(counter: tuple[int, int, int, int], key: tuple[int, int]) -> tuple[int, int, int, int]:
    """Philox4x32-10: four random 32-bit words from a counter of four words and a key of two.

    >>> [f"{w:08x}" for w in philox((0, 0, 0, 0), (0, 0))]
    ['6627e8d5', 'e169c58d', 'bc57ac4c', '9b00dbd8']
    """
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(10):
        # One round: the 64-bit products' high halves are mixed with a word and a key, the low halves pass unchanged.
        p0, p1 = 0xD2511F53 * c0, 0xCD9E8D57 * c2
        c0, c1, c2, c3 = (p1 >> 32) ^ c1 ^ k0, p1 & WORD, (p0 >> 32) ^ c3 ^ k1, p0 & WORD
        k0, k1 = (k0 + 0x9E3779B9) & WORD, (k1 + 0xBB67AE85) & WORD
    return c0, c1, c2, c3


@lru_cache(maxsize=4096)
def _block(seed: int, game: int, block: int, lane: int) -> tuple[int, int, int, int]:
    return philox((block, lane, game & WORD, game >> 32), (seed & WORD, seed >> 32))


def word(seed: int, game: int, throw: int, lane: int) -> int:
    """The 32-bit word for roll number `throw` of a game; lanes above 0 give further words for the same roll."""
    return _block(seed, game, throw >> 2, lane)[throw & 3]


Words = Callable[[int], int]
"""The word of a lane, for one roll."""


def below(weight: int, words: Words, first_lane: int = 0) -> int:
    """A uniform integer from 0 to ``weight - 1``, by multiply-shift with rejection.

    Attempt r (from 0) uses lane ``first_lane + 2 r``, and lane ``first_lane + 2 r + 1`` for the low half if `weight`
    is above `ONE_WORD`.
    """
    bits = 32 if weight <= ONE_WORD else 64
    # Of the 2**bits values of `drawn`, each result keeps the same number once low parts below this are rejected.
    reject_below = 2**bits % weight
    lane = first_lane
    while True:
        drawn = words(lane) if bits == 32 else words(lane) << 32 | words(lane + 1)
        scaled = drawn * weight
        if scaled & (2**bits - 1) >= reject_below:
            return scaled >> bits
        lane += 2


@dataclass(frozen=True)
class Pool:
    """A roll of a given number of dice: all that is needed to draw it."""

    die: Die
    weights: tuple[int, ...]
    count: int
    view: View
    width: int

    @cached_property
    def weight(self) -> int:
        """Total weight of all outcomes."""
        return int(sum(self.weights) ** self.count)

    @cached_property
    def whole(self) -> bool:
        """Whether it is drawn as one number; otherwise one die at a time."""
        values = [face.value for face in self.die.faces]
        most = outcome_count(len(values), self.count, self.view, max(values) - min(values))
        return self.weight <= TWO_WORDS and most <= MOST_OUTCOMES

    @cached_property
    def outcomes(self) -> list[Outcome]:
        """All outcomes in the documented order; if drawn one die at a time, the faces (by index) of a single die."""
        if self.whole:
            return outcomes(self.die, self.weights, self.count, self.view, self.width)
        return [Outcome((i,), w) for i, w in enumerate(self.weights) if w > 0]

    @cached_property
    def _sums(self) -> list[int]:
        return list(accumulate(o.weight for o in self.outcomes))

    def draw(self, words: Words) -> tuple[int, ...]:
        """What the rules receive of one roll."""
        if self.whole:
            return self.outcomes[bisect_right(self._sums, below(self.weight, words))].seen
        drawn = (below(sum(self.weights), words, DIE_LANES * k) for k in range(self.count))
        return self.seen(self.outcomes[bisect_right(self._sums, number)].seen[0] for number in drawn)

    def seen(self, faces: Iterable[int]) -> tuple[int, ...]:
        """What the rules receive, given the index of the face that each die shows."""
        seen = (0,) * self.width
        for k, face in enumerate(faces):
            seen = add_die(self.view, seen, face, self.die.faces[face].value, k)
        return seen


@lru_cache(maxsize=1024)
def _pool(die: Die, weights: tuple[int, ...], count: int, view: View, width: int) -> Pool:
    return Pool(die, weights, count, view, width)


def pool(game: Game, kind: Throw, dice: int) -> Pool:
    """The pool of a kind of roll with a number of dice; `dice` = 0 means all of them.

    Raises
    ------
    RulesError
        When there are more dice than declared, or the face weights are not valid.
    """
    most = value_of(kind.most, game)
    if most < 1:
        raise RulesError(f"{kind.name} is declared with at most {most} dice; it must have at least 1")
    if not 0 <= dice <= most:
        raise RulesError(f"{kind.name} rolls at most {most} dice, but {dice} were asked for")
    try:
        weights = kind.die.weights(game)
    except RulesError as error:
        raise RulesError(f"{kind.name}: {error}") from error
    if sum(weights) > ONE_WORD:
        raise RulesError(f"{kind.name}: the face weights of a die may sum to at most {ONE_WORD}")
    return _pool(kind.die, weights, dice or most, kind.view, kind.width(game))


@dataclass
class Stream:
    """The rolls of one game, in order, by the generator that all engines use."""

    seed: int
    game: int
    throws: int = 0

    def __str__(self) -> str:
        return f"seed {self.seed}, game {self.game}"

    def draw(self, pool: Pool) -> tuple[int, ...]:
        """What the rules receive of the next roll."""
        t = self.throws
        self.throws += 1
        return pool.draw(lambda lane: word(self.seed, self.game, t, lane))
