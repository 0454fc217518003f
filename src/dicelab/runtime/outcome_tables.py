"""The outcomes of rolls as arrays, for compiled engines.

There is one row for each kind of roll and number of dice; the first row of a kind is for "all dice". A random number u
below the row's total weight selects the first outcome whose cumulative weight exceeds u. To find it, the leading bits
of u select a guide entry. If only one outcome is possible for these bits, the entry is its place in `values`; otherwise
it is the bitwise complement (a negative number) of the place in `sums` at which a linear search begins. The result is
exactly that of `dicelab.runtime.philox`.
"""

from __future__ import annotations

from collections.abc import Sequence
from inspect import CO_VARARGS
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from dicelab.errors import RulesError
from dicelab.rules.actions import ALL, Throw
from dicelab.rules.dice import COUNTS, FACES
from dicelab.rules.drawing import Drawn, Mixed, numbered
from dicelab.rules.game import Game
from dicelab.runtime.arrays import Array
from dicelab.runtime.philox import ONE_WORD, Pool, pool

GUIDE_BITS = 9
"""Leading bits of u that select a guide entry: at most 512 entries per row."""
SLOW = 2**32
"""Rejection threshold of a row that needs more than one word. Every 32-bit word is below it, so the fast path fails."""


class Tables(NamedTuple):
    """How each roll of a game is drawn: an argument of kernels."""

    kinds: Array
    """Three numbers per kind of roll: first row, largest number of dice, width."""
    pools: Array
    """Four numbers per row: total weight, rejection threshold, right shift of u for the guide, first guide entry."""
    guide: Array
    """Place of an outcome in `values`, or the complement of a place in `sums` at which the search begins."""
    sums: Array
    """Cumulative weights of the outcomes, row after row."""
    values: Array
    """What the rules receive, `width` numbers per outcome (padded with zeros), in the order of `sums`; then `width`
    numbers of scratch space for rolls that are drawn one die at a time, to which the guide of their rows leads."""
    apart: Array
    """Four numbers per row: dice to draw one at a time (0 if drawn as one number), the row of such a die, the view
    (0 sum, 1 counts, 2 faces), width."""
    width: int
    """Largest width of all kinds."""

    @property
    def one_word(self) -> bool:
        """Whether each roll is one number that is drawn from one word."""
        return bool((self.pools[1::4] < SLOW).all())

    @property
    def numbered(self) -> Array:
        """The guide, with numbers of outcomes instead of places in `values`."""
        return np.where(self.guide >= 0, self.guide // self.width, self.guide).astype(np.int64)

    @property
    def first(self) -> list[int]:
        """The number of the first outcome of each row."""
        places = self.numbered[self.pools[3::4].astype(np.int64)].tolist()
        return [number if number >= 0 else ~number for number in places]

    def for_thread(self) -> Tables:
        """Return the same; `values` is copied if kernels write to its scratch space, so that threads don't share it."""
        return self._replace(values=self.values.copy()) if self.apart[:, 0].any() else self


class _Builder:
    def __init__(self, width: int, bits: int) -> None:
        self.width = width
        self.bits = bits
        self.rows: list[tuple[int, int, int, int]] = []
        self.apart: list[tuple[int, int, int, int]] = []
        self.guide: list[int] = []
        self.sums: list[int] = []
        self.values: list[tuple[int, ...]] = []

    def row(self, dice: Pool) -> None:
        """Add the row of one pool; `singles` completes a row that is drawn one die at a time."""
        view = 2 if dice.view is FACES else int(dice.view is COUNTS)
        if not dice.whole:
            self.rows.append((sum(dice.weights), SLOW, 0, len(self.guide)))
            self.guide.append(0)
            self.apart.append((dice.count, -1, view, self.width))
            return
        self.search(dice.weight, [(o.seen, o.weight) for o in dice.outcomes])
        self.apart.append((0, 0, view, self.width))

    def search(self, weight: int, outcomes: Sequence[tuple[tuple[int, ...], int]]) -> None:
        """Add the cumulative weights of one row, and its guide."""
        first = len(self.sums)
        sums = list(accumulate(w for _, w in outcomes))
        shift = max(0, (weight - 1).bit_length() - self.bits)
        self.rows.append((weight, 2**32 % weight if weight <= ONE_WORD else SLOW, shift, len(self.guide)))
        at = 0  # the first outcome with start < sums[at]
        for start in range(0, weight, 1 << shift):
            while start >= sums[at]:
                at += 1
            # alone: all u from start to the next guide entry select outcome `at`
            alone = min(start + (1 << shift), weight) <= sums[at]
            self.guide.append((first + at) * self.width if alone else ~(first + at))
        self.sums += sums
        self.values += [seen + (0,) * (self.width - len(seen)) for seen, _ in outcomes]

    def singles(self, pools: list[Pool]) -> None:
        """Add a row with the faces of a single die for each row that is drawn one die at a time, and complete that."""
        for i, dice in enumerate(pools):
            if dice.whole:
                continue
            by_face = dice.view is COUNTS
            faces = [((f if by_face else dice.die.faces[f].value,), w) for f, w in enumerate(dice.weights) if w]
            self.apart[i] = (dice.count, len(self.rows), *self.apart[i][2:])
            self.search(sum(dice.weights), faces)
            self.apart.append((0, 0, 0, self.width))
        for (_, _, _, guide), (count, *_) in zip(self.rows, self.apart, strict=True):
            if count:
                self.guide[guide] = len(self.values) * self.width


def pool_rows(game: Game) -> tuple[list[tuple[int, int, int]], list[Pool]]:
    """For each kind of roll (first row, largest number of dice, width), and the pool of each row.

    Kinds that roll the same dice share rows.

    Raises
    ------
    RulesError
        When the declared dice can't be rolled, or a rule takes another number of values than its roll shows.
    """
    kinds: list[tuple[int, int, int]] = []
    pools: list[Pool] = []
    groups: dict[Pool, int] = {}
    for kind in game.declared.throws:
        most = kind.numbers(game)
        everything = row_pool(game, kind, 0)
        if everything not in groups:
            groups[everything] = len(pools)
            pools += [row_pool(game, kind, n) for n in (0, *range(1, most + 1))]
        kinds.append((groups[everything], most, kind.width(game)))
        taken = _taken(kind)
        if taken is not None and taken != kind.width(game):
            raise RulesError(f"{kind.name}: takes {taken} values, but its roll shows {kind.width(game)}")
    return kinds, pools


def _taken(kind: Throw) -> int | None:
    """Return how many values the rule of a roll takes; None if it takes any number."""
    code = getattr(kind.rule, "__code__", None)
    return None if code is None or code.co_flags & CO_VARARGS else code.co_argcount - 1


def row_pool(game: Game, kind: Throw, number: int) -> Pool:
    """Return the pool of one row: of `number` dice, or, of weights that depend on the state, of a number below their
    sum.

    A number that stands for more dice than there are with these parameters has the row of all dice: no rule gets there.
    """
    if isinstance(kind, Mixed):
        declared = zip(kind.counts(game, number), kind.most_each(game), strict=True)
        return pool(game, kind, number if all(count <= most for count, most in declared) else ALL)
    if not isinstance(kind, Drawn):
        return pool(game, kind, number)
    faces = number or kind.numbers(game)
    return Pool(numbered(faces), (1,) * faces, 1, kind.view, 1)


def tables(game: Game, bits: int = GUIDE_BITS) -> Tables:
    """Return the tables of a game, given its parameters; `bits` is the number of leading bits that select a guide
    entry.

    Raises
    ------
    RulesError
        When the declared dice can't be rolled.
    """
    kinds, pools = pool_rows(game)
    width = max([kind[2] for kind in kinds], default=1)
    builder = _Builder(width, bits)
    for dice in pools:
        builder.row(dice)
    builder.singles(pools)
    flat = [v for seen in builder.values for v in seen] + [0] * width
    return Tables(
        kinds=np.array(kinds, np.int64).reshape(-1, 3),
        pools=np.array(builder.rows or [(1, 0, 0, 0)], np.uint64).reshape(-1),
        guide=np.array(builder.guide, np.int32),
        sums=np.array(builder.sums, np.uint64),
        values=np.array(flat, np.int64),
        apart=np.array(builder.apart, np.int64).reshape(-1, 4),
        width=width,
    )
