"""The throws of a game as arrays, for compiled engines.

One row for each kind of throw and number of dice; slot 0 of a kind stands for "all of them". A row finds the outcome
of a number u by the running sums of the weights, begun at a guide entry for the leading bits of u: the outcome itself
where only one is possible, else the complement of the first one possible. The result is exactly that of
`dicelab.random.philox`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicelab.random.philox import ONE_WORD, Pool, pool
from dicelab.rules.dice import COUNTS, FACES
from dicelab.rules.game import Game
from dicelab.rules.params import value_of

Array = NDArray[Any]
GUIDE_BITS = 9
SLOW = 2**32
"""Rejection threshold of a row that needs more than one word: every word is below it."""


@dataclass(frozen=True)
class Tables:
    """Arrays that say how each throw of a game is drawn; the fields follow the arguments of the kernel."""

    kinds: Array
    """For each kind of throw its first row, its most dice and its width."""
    pools: Array
    """Four numbers a row: total weight, rejection threshold, bits to shift for the guide, place in the guide."""
    guide: Array
    """Place in `values`, or the complement of a place in `sums` from which to search."""
    sums: Array
    values: Array
    apart: Array
    width: int

    def arguments(self) -> tuple[Array, ...]:
        """The arrays, `values` copied where a kernel would write to it."""
        values = self.values.copy() if self.apart[:, 0].any() else self.values
        return (self.kinds, self.pools, self.guide, self.sums, values, self.apart)


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
        """Add a row for one pool."""
        view = 2 if dice.view is FACES else int(dice.view is COUNTS)
        if not dice.whole:
            self.rows.append((sum(dice.weights), SLOW, 0, 0))
            self.apart.append((dice.count, -1, view, self.width))
            return
        self.search(dice.weight, [(o.seen, o.weight) for o in dice.outcomes])
        self.apart.append((0, 0, view, self.width))

    def search(self, weight: int, outcomes: Sequence[tuple[tuple[int, ...], int]]) -> None:
        """Add the running sums of one row, and the guide into them."""
        first = len(self.sums)
        sums = list(accumulate(w for _, w in outcomes))
        shift = max(0, (weight - 1).bit_length() - self.bits)
        self.rows.append((weight, 2**32 % weight if weight <= ONE_WORD else SLOW, shift, len(self.guide)))
        at = 0
        for start in range(0, weight, 1 << shift):
            while start >= sums[at]:
                at += 1
            alone = min(start + (1 << shift), weight) <= sums[at]
            self.guide.append((first + at) * self.width if alone else ~(first + at))
        self.sums += sums
        self.values += [seen + (0,) * (self.width - len(seen)) for seen, _ in outcomes]

    def singles(self, pools: list[Pool]) -> None:
        """Add the single die of each row that is drawn one die at a time."""
        for i, dice in enumerate(pools):
            if dice.whole:
                continue
            by_face = dice.view is COUNTS
            faces = [((f if by_face else dice.die.faces[f].value,), w) for f, w in enumerate(dice.weights) if w]
            self.apart[i] = (dice.count, len(self.rows), *self.apart[i][2:])
            self.search(sum(dice.weights), faces)
            self.apart.append((0, 0, 0, self.width))


def pool_rows(game: Game) -> tuple[list[tuple[int, int, int]], list[Pool]]:
    """The rows of all tables: for each kind of throw its first row, most dice and width; and the pool of each row.

    Raises
    ------
    RulesError
        When the declared dice can't be thrown.
    """
    kinds: list[tuple[int, int, int]] = []
    pools: list[Pool] = []
    groups: dict[Pool, int] = {}
    for kind in game.declared.throws:
        most = value_of(kind.most, game)
        everything = pool(game, kind, 0)
        if everything not in groups:
            groups[everything] = len(pools)
            pools += [pool(game, kind, n) for n in (0, *range(1, most + 1))]
        kinds.append((groups[everything], most, kind.width(game)))
    return kinds, pools


def tables(game: Game, bits: int = GUIDE_BITS) -> Tables:
    """The tables of a game for its parameters, with a guide to the leading `bits` of a number.

    Raises
    ------
    RulesError
        When the declared dice can't be thrown.
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
