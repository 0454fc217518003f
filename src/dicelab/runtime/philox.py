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
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import accumulate
from math import prod
from typing import Any

from dicelab.errors import RulesError
from dicelab.rules.actions import Throw
from dicelab.rules.dice import Die, RollOutcome, View, add_die, outcome_count, outcomes
from dicelab.rules.drawing import Drawn, Mixed, loaded
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
    return _rounds(counter, _round_keys(*key))


def _rounds(counter: tuple[int, int, int, int], keys: tuple[tuple[int, int], ...]) -> tuple[int, int, int, int]:
    c0, c1, c2, c3 = counter
    for k0, k1 in keys:
        # One round: the 64-bit products' high halves are mixed with a word and a key, the low halves pass unchanged.
        p0, p1 = 0xD2511F53 * c0, 0xCD9E8D57 * c2
        c0, c1, c2, c3 = (p1 >> 32) ^ c1 ^ k0, p1 & WORD, (p0 >> 32) ^ c3 ^ k1, p0 & WORD
    return c0, c1, c2, c3


@lru_cache(maxsize=64)
def _round_keys(k0: int, k1: int) -> tuple[tuple[int, int], ...]:
    """Return the keys of the ten rounds."""
    return tuple(((k0 + i * 0x9E3779B9) & WORD, (k1 + i * 0xBB67AE85) & WORD) for i in range(10))


@lru_cache(maxsize=4096)
def _block(seed: int, game: int, block: int, lane: int) -> tuple[int, int, int, int]:
    return philox((block, lane, game & WORD, game >> 32), (seed & WORD, seed >> 32))


def word(seed: int, game: int, throw: int, lane: int) -> int:
    """Return the 32-bit word for roll number `throw` of a game; lanes above 0 give further words for the same roll.

    Examples
    --------
    >>> [f"{word(1, 0, throw, 0):08x}" for throw in range(2)]
    ['e3e80670', 'e50a0ebc']
    """
    return _block(seed, game, throw >> 2, lane)[throw & 3]


LUCK_LANES = 1 << 31
"""Lanes from here on belong to the draws of mixed strategies."""
THOUGHT_LANES = 3 << 30
"""Two lanes from here on belong to players that try moves out."""


def draw_below(seed: int, game: int, choice: int, weight: int) -> int:
    """Return the number below `weight` that choice number `choice` of a game draws, counted over all seats from 0 on.

    It reads the first word of block `choice` in the lanes from `LUCK_LANES` on, which no roll reads.

    Examples
    --------
    >>> [draw_below(1, 0, choice, 100) for choice in range(4)]
    [20, 52, 36, 83]
    """
    return below(weight, lambda lane: word(seed, game, 4 * choice, LUCK_LANES + lane))


def seed_of_thoughts(seed: int, game: int, choice: int) -> int:
    """Return the seed of the games that a player tries out before choice number `choice` of a game.

    It consists of two words of block `choice` in the lanes from `THOUGHT_LANES` on, which nothing else reads.

    Examples
    --------
    >>> seed_of_thoughts(1, 0, 0) == seed_of_thoughts(1, 0, 1)
    False
    """
    low, high = (word(seed, game, 4 * choice, THOUGHT_LANES + half) for half in range(2))
    return high << 32 | low


Words = Callable[[int], int]
"""The word of a lane, for one roll."""


def below(weight: int, words: Words, first_lane: int = 0) -> int:
    """Return a uniform integer from 0 to ``weight - 1``, by multiply-shift with rejection.

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
    """A roll of a given number of dice: all that is needed to draw it.

    Attributes
    ----------
    die, weights
        The die, and the weight of each of its faces.
    count
        Number of dice.
    view
        What the rules see of them: their sum, counts or faces.
    width
        Number of values that the rules receive.

    Examples
    --------
    >>> from dicelab.games.hazard import Hazard
    >>> two = pool(Hazard(), Hazard.declared.throws[0], 2)
    >>> two.weight, [(total.seen, total.weight) for total in two.outcomes][:2]
    (36, [((2,), 1), ((3,), 2)])
    """

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
        return self.weight <= TWO_WORDS and self.most <= MOST_OUTCOMES

    @cached_property
    def most(self) -> int:
        """An upper bound on the number of its outcomes."""
        return _most(self.die, self.count, self.view)

    @cached_property
    def outcomes(self) -> list[RollOutcome]:
        """All outcomes in the documented order; if drawn one die at a time, the faces (by index) of a single die."""
        if self.whole:
            return outcomes(self.die, self.weights, self.count, self.view, self.width)
        return [RollOutcome((i,), w) for i, w in enumerate(self.weights) if w > 0]

    @cached_property
    def _sums(self) -> list[int]:
        return list(accumulate(o.weight for o in self.outcomes))

    @cached_property
    def quick(self) -> tuple[int, int, list[int], list[tuple[int, ...]]]:
        """For a roll that takes one word: its weight, the low parts that are rejected, running sums, and what is seen
        of each outcome. The weight of any other is 0.
        """
        if self.weight > ONE_WORD or not self.whole:
            return 0, 0, [], []
        return self.weight, 2**32 % self.weight, self._sums, [outcome.seen for outcome in self.outcomes]

    def draw(self, words: Words) -> tuple[int, ...]:
        """Return what the rules receive of one roll."""
        if self.whole:
            return self.outcomes[bisect_right(self._sums, below(self.weight, words))].seen
        drawn = (below(sum(self.weights), words, DIE_LANES * k) for k in range(self.count))
        return self.seen(self.outcomes[bisect_right(self._sums, number)].seen[0] for number in drawn)

    @property
    def each(self) -> list[tuple[Die, tuple[int, ...], int]]:
        """For each die its faces, their weights, and the index of the first of them in `seen`."""
        return [(self.die, self.weights, 0)] * self.count

    @property
    def one_by_one(self) -> Pool:
        """The same dice, seen one by one."""
        return replace(self, view=View.FACES, width=self.count)

    def seen(self, faces: Iterable[int]) -> tuple[int, ...]:
        """Return what the rules receive, given the index of the face that each die shows."""
        seen = (0,) * self.width
        for k, face in enumerate(faces):
            seen = add_die(self.view, seen, face, self.die.faces[face].value, k)
        return seen


@dataclass(frozen=True)
class MixedPool(Pool):
    """A roll of different dice; `die` and `weights` have the faces of all kinds, one after the other.

    Attributes
    ----------
    parts
        For each kind of dice: the die, its weights, how many are rolled, and how many may be.
    """

    parts: tuple[tuple[Die, tuple[int, ...], int, int], ...] = ()

    @cached_property
    def weight(self) -> int:
        """Total weight of all outcomes."""
        return prod(sum(weights) ** count for _, weights, count, _ in self.parts)

    @cached_property
    def most(self) -> int:
        """An upper bound on the number of its outcomes."""
        return prod(_most(die, count, self.view) for die, _, count, _ in self.parts if count)

    @cached_property
    def outcomes(self) -> list[RollOutcome]:
        """All outcomes in the documented order: the first kind of dice changes slowest, but totals ascend."""
        every = [RollOutcome((), 1)]
        for die, weights, count, most in self.parts:
            width = 1 if self.view is View.SUM else most if self.view is View.FACES else len(weights)
            ways = outcomes(die, weights, count, self.view, width) if count else [RollOutcome((0,) * width, 1)]
            every = [RollOutcome((*a.seen, *b.seen), a.weight * b.weight) for a in every for b in ways]
        if self.view is not View.SUM:
            return every
        totals: dict[int, int] = {}
        for outcome in every:
            totals[sum(outcome.seen)] = totals.get(sum(outcome.seen), 0) + outcome.weight
        return [RollOutcome((total,), totals[total]) for total in sorted(totals)]

    @property
    def each(self) -> list[tuple[Die, tuple[int, ...], int]]:
        """For each die its faces, their weights, and the index of the first of them in `seen`."""
        firsts = accumulate([0, *(len(weights) for _, weights, _, _ in self.parts)])
        named = zip(self.parts, firsts, strict=False)
        return [(die, weights, first) for (die, weights, count, _), first in named for _ in range(count)]

    @property
    def one_by_one(self) -> Pool:
        """The same dice, seen one by one."""
        parts = tuple((die, weights, count, count) for die, weights, count, _ in self.parts)
        return replace(self, view=View.FACES, width=self.count, parts=parts)

    def seen(self, faces: Iterable[int]) -> tuple[int, ...]:
        """Return what the rules receive, given the index of the face that each die shows."""
        before = list(accumulate([0, *(most for _, _, _, most in self.parts)]))
        places = [before[k] + i for k, (_, _, count, _) in enumerate(self.parts) for i in range(count)]
        seen = (0,) * self.width
        for place, face in zip(places, faces, strict=True):
            seen = add_die(self.view, seen, face, self.die.faces[face].value, place)
        return seen


def _mixed_pool(game: Game, kind: Mixed, number: int) -> Pool:
    """Return the pool of a roll of different dice, whose numbers are one number in mixed radix."""
    mosts, counts = kind.most_each(game), kind.counts(game, number)
    if not 0 <= number <= kind.numbers(game) or any(count > most for count, most in zip(counts, mosts, strict=True)):
        declared = ", ".join(f"{most} of {name}" for name, most in zip(kind.parts, mosts, strict=True))
        raise RulesError(f"{kind.name}: more dice were asked for than are declared, with these parameters {declared}")
    if not any(counts) or min(mosts) < 0:
        raise RulesError(f"{kind.name}: with these parameters there are no dice to roll")
    named = zip(kind.parts.values(), mosts, counts, strict=True)
    parts = tuple((die, die.weights(game), count, most) for (_, die), most, count in named)
    weights = tuple(weight for _, each, _, _ in parts for weight in each)
    count = sum(count for _, _, count, _ in parts)
    made = _kept(MixedPool, kind.die, weights, count, kind.view, kind.width(game), parts)
    if not made.whole:
        raise RulesError(
            f"{kind.name}: {count} dice may have {made.most:,} outcomes, too many to draw different dice as one "
            "number; see them as SUM or COUNTS, or roll each kind of dice on its own"
        )
    return made


def _most(die: Die, count: int, view: View) -> int:
    """Return an upper bound on the number of outcomes of some dice."""
    values = [face.value for face in die.faces]
    return outcome_count(len(values), count, view, max(values) - min(values))


@lru_cache(maxsize=1024)
def _kept(kind: type[Pool], *described: Any) -> Pool:
    """Return a pool of a kind; the same one for the same description, so that its outcomes are listed once."""
    return kind(*described)


def pool(game: Game, kind: Throw, dice: int) -> Pool:
    """Return the pool of a kind of roll with a number of dice; `dice` = 0 means all of them.

    Raises
    ------
    RulesError
        When there are more dice than declared, or the face weights are not valid.
    """
    pools = game.__dict__.setdefault("_pools", {})  # parameters don't change, so neither do these
    if (kind, dice) in pools:
        known: Pool = pools[kind, dice]
        return known
    if isinstance(kind, Mixed):
        mixed = pools[kind, dice] = _mixed_pool(game, kind, dice)
        return mixed
    if isinstance(kind, Drawn):
        weights = kind.weights(game)
        return _kept(Pool, loaded(kind.die, weights), weights, 1, kind.view, 1)
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
    made = pools[kind, dice] = _kept(Pool, kind.die, weights, dice or most, kind.view, kind.width(game))
    return made


@dataclass
class Stream:
    """The rolls of one game, in order, by the generator that all engines use.

    Attributes
    ----------
    seed, game
        Seed, and index of the game.
    throws
        Number of rolls drawn so far.

    Examples
    --------
    >>> from dicelab.games.hazard import Hazard
    >>> two, stream = pool(Hazard(), Hazard.declared.throws[0], 2), Stream(seed=1, game=0)
    >>> [stream.draw(two) for _ in range(3)]
    [(10,), (10,), (8,)]
    """

    seed: int
    game: int
    throws: int = 0
    _block: int = field(default=-1, init=False, repr=False, compare=False)
    _words: tuple[int, int, int, int] = field(default=(0, 0, 0, 0), init=False, repr=False, compare=False)

    def __str__(self) -> str:
        return f"seed {self.seed}, game {self.game}"

    def draw(self, pool: Pool) -> tuple[int, ...]:
        """Return what the rules receive of the next roll."""
        t = self.throws
        self.throws = t + 1
        weight, rejected, sums, seen = pool.quick
        if weight:  # the first attempt of `below`, with the words of one block kept
            if t >> 2 != self._block:
                self._block = t >> 2
                game, seed = self.game, self.seed
                self._words = _rounds((t >> 2, 0, game & WORD, game >> 32), _round_keys(seed & WORD, seed >> 32))
            scaled = self._words[t & 3] * weight
            if scaled & WORD >= rejected:
                return seen[bisect_right(sums, scaled >> 32)]
        return pool.draw(lambda lane: word(self.seed, self.game, t, lane))

    def draw_below(self, choice: int, weight: int) -> int:
        """Return what a choice draws, as `dicelab.runtime.philox.draw_below`."""
        return draw_below(self.seed, self.game, choice, weight)

    def seed_of_thoughts(self, choice: int) -> int:
        """Return the seed of the games that are tried out, as `dicelab.runtime.philox.seed_of_thoughts`."""
        return seed_of_thoughts(self.seed, self.game, choice)
