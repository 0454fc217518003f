"""Games of few positions as one table: where each number that a throw may come to leads, from each position.

A throw is one uniform number below the total weight W of its dice. Its W possible values are the columns of a position:
each says by how much a game's *place* grows, the place being a row of the table together with what has been counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import gcd

import numpy as np
from numpy.typing import NDArray

from dicelab.errors import NotSmall
from dicelab.kernels.lane_layout import ROW_BITS
from dicelab.random.philox import pool
from dicelab.rules.fields import MOST_COUNTED, Peak
from dicelab.runtime.interpreter import Explained
from dicelab.runtime.lineup import Run
from dicelab.states.explorer import End, Numbering

MOST_POSITIONS = 256
MOST_EDGES = 4096
"""Outcomes of all positions together that are tried, in plain Python."""
MOST_COLUMNS = 2**18
"""Entries of a table: two mebibytes, which a core's own cache holds."""
COUNT_BITS = 64 - ROW_BITS
LEAST_BITS, MOST_HISTOGRAMS = 8, 500
FEW_ENDINGS, HISTOGRAM_BITS = 32, 12
"""So few endings have rows as far apart as their histograms: then they are counted quickest."""
SHORTEST, LONGEST = 256, 2**31
"""Throws that a game must be able to last before its tallies outgrow their bits; and more than any lasts."""
RARE = 2**32 >> 16
"""Weights of which more 32-bit words than this would be rejected are left to other engines."""


@dataclass(frozen=True)
class Positions:
    """Every position of a game: what is thrown there, and where each outcome leads.

    Attributes
    ----------
    start
        Where the game begins, and what is counted until then.
    weights
        Total weight of the dice thrown at each position.
    ends
        For each position and each number that the throw may come to: the next position, or ``-1 - outcome``, and the
        number of the change of the tallies.
    changes
        The changes of the tallies, by number.
    choices
        The most choices between two throws.
    """

    start: End
    weights: list[int]
    ends: list[list[End]]
    changes: list[tuple[int, ...]]
    choices: int


def positions_of(run: Run) -> Positions:
    """Every position of a game.

    Raises
    ------
    NotSmall
        When there are too many, or throws too large for a table.
    PlayError
        When a rule or a strategy breaks the contract.
    """
    game = run.game
    if any(isinstance(tally, Peak) for tally in game.declared.tallies.values()):
        raise NotSmall("a Peak can't be counted by adding")
    found = Numbering(run)
    weights: list[int] = []
    ends: list[list[End]] = []
    edges = columns = 0
    for here in found.positions.things:  # it grows
        kind, dice = found.throw_at(here)
        with Explained(found.game):
            thrown = pool(found.game, kind, dice)
        columns += thrown.weight
        if not thrown.whole or columns > MOST_COLUMNS or 2**32 % thrown.weight > RARE:
            raise NotSmall(f"{kind.name} of {thrown.count} dice has too many outcomes for a table")
        row: list[End] = []
        for outcome in thrown.outcomes:
            row += [found.follow(kind, outcome.seen)] * outcome.weight
        weights.append(thrown.weight)
        ends.append(row)
        edges += len(thrown.outcomes)
        if len(found.positions.things) > MOST_POSITIONS or edges > MOST_EDGES:
            raise NotSmall(f"more than {min(len(found.positions.things), MOST_POSITIONS):,} positions are too many")
    return Positions(found.start, weights, ends, found.changes.things, found.choices)


def throws_within(changes: Iterable[Sequence[int]], start: Sequence[int]) -> int:
    """Throws, each with one of these changes, in which no tally comes further from 0 than it may; `LONGEST` at most."""
    most = [max(map(abs, by)) for by in zip(*changes, strict=True)]
    room = [(MOST_COUNTED - abs(first)) // by for first, by in zip(start, most, strict=False) if by]
    return max(0, min(room, default=LONGEST))


@dataclass(frozen=True)
class Counting:
    """How the tallies of a game are counted.

    Those that change while a game goes on *grow*: each has as many of the upper bits of a game's place as the others,
    the first the lowest ones. The others change when the game ends, if at all: their values, with the outcome, are an
    *ending* of the game.

    Attributes
    ----------
    growing
        The tallies that grow, by their numbers.
    units
        What the changes of each of these are multiples of; those are what is counted.
    bits
        Bits of each.
    throws
        Throws for which none can outgrow its bits.
    spans
        The least and the greatest number by which each of these changes with a throw, and what it begins with, in
        its units.
    endings
        Each outcome with the values of all tallies, 0 for those that grow.
    """

    growing: tuple[int, ...]
    units: tuple[int, ...]
    bits: int
    throws: int
    spans: tuple[tuple[int, int, int], ...]
    endings: list[tuple[int, tuple[int, ...]]]

    @classmethod
    def of(cls, positions: Positions) -> Counting:
        """What must be counted, with as many bits as there are.

        Raises
        ------
        NotSmall
            When there are too many tallies, or too large ones.
        """
        changes, start = positions.changes, positions.changes[positions.start[1]]
        edges = {end for row in positions.ends for end in row}
        going_on = {change for target, change in edges if target >= 0}
        growing = tuple(k for k in range(len(start)) if any(changes[change][k] for change in going_on))
        units = tuple(gcd(start[k], *(changes[change][k] for _, change in edges)) or 1 for k in growing)
        made = [changes[change] for _, change in edges]
        spans = [
            _span([0, *(change[k] // unit for change in made)], start[k] // unit)
            for k, unit in zip(growing, units, strict=True)
        ]
        bits = COUNT_BITS // max(1, len(growing))
        if bits < LEAST_BITS:
            raise NotSmall(f"{len(growing)} tallies are too many to be counted in one number")
        throws = min([(1 << bits - 2) // (max(-down, up) + 1) for down, up, _ in spans], default=LONGEST)
        throws = min(throws, throws_within(made, start))
        if throws < SHORTEST or any(abs(start[k]) >> bits - 2 for k in growing):
            raise NotSmall("its tallies are too many, or change by too much, to be counted in one number")
        _must_not_be_large(start, [changes[change] for target, change in edges if target < 0])
        endings = sorted({_ending(end, changes, start, growing) for end in edges if end[0] < 0})
        if len(endings) * len(growing) > MOST_HISTOGRAMS:
            raise NotSmall("it ends in too many ways")
        return cls(growing, units, bits, throws, tuple(spans), endings)

    def counted(self, low: int, high: int) -> int:
        """Throws for which the tally that grows is at least `low` and below `high`; 0 when not just one grows."""
        if len(self.spans) != 1:
            return 0
        least, most, start = self.spans[0]
        if not low <= start < high:
            return 0
        down = (low - start) // least if least < 0 else LONGEST
        up = (high - 1 - start) // most if most > 0 else LONGEST
        return min(down, up)

    @property
    def bias(self) -> int:
        """What each tally that grows begins with, so that its bits never stand for a negative number."""
        return 1 << self.bits - 1

    def packed(self, change: tuple[int, ...], bias: int = 0) -> int:
        """A change of the tallies, as what is added to a place."""
        fields = [change[k] // unit + bias for k, unit in zip(self.growing, self.units, strict=True)] or [bias]
        return sum(value << ROW_BITS + self.bits * field for field, value in enumerate(fields))


def _span(by: Sequence[int], start: int) -> tuple[int, int, int]:
    return min(by), max(by), start


def _must_not_be_large(start: Sequence[int], ends: Iterable[Sequence[int]]) -> None:
    """Refuse a game that may end at once with a tally beyond the limit."""
    if any(abs(first + by) > MOST_COUNTED for last in ends for first, by in zip(start, last, strict=True)):
        raise NotSmall("its tallies are too large")


def _ending(
    end: End, changes: list[tuple[int, ...]], start: tuple[int, ...], growing: tuple[int, ...]
) -> tuple[int, tuple[int, ...]]:
    """The ending to which a throw leads."""
    last = changes[end[1]]
    return -1 - end[0], tuple(0 if k in growing else first + last[k] for k, first in enumerate(start))


@dataclass(frozen=True)
class Table:
    """A game as a table of what is added to its place.

    Attributes
    ----------
    entries
        uint64 array. A row has a column for each pair of throws where `pairs`, else two columns (the weight, and the
        number of rejected words) and then one for each throw.
    pairs
        Throws are taken two at a time: all positions throw dice of one and the same weight.
    weight, rejected
        That weight, and the number of 32-bit words that it rejects; 1 and 0 otherwise.
    start, live, shift
        Place at the beginning; first row of the endings; they are ``1 << shift`` rows apart, and from the rows
        before. After those of the endings there is one more, for games that are not counted.
    """

    entries: NDArray[np.uint64]
    pairs: bool
    weight: int
    rejected: int
    start: int
    live: int
    shift: int


def table_of(positions: Positions, counting: Counting) -> Table:
    """The table of a game.

    Raises
    ------
    NotSmall
        When it would be too large.
    """
    weight = positions.weights[0] if len(set(positions.weights)) == 1 else 0
    size, endings = len(positions.weights), len(counting.endings)
    pairs = weight > 0 and (size + 2 * endings + 2) * weight**2 <= MOST_COLUMNS
    widths = [weight**2] * size if pairs else [2 + w for w in positions.weights]
    rows = np.concatenate([[0], np.cumsum(widths)]).tolist()
    shift = max(widths[0] - 1 if pairs else 2, 1).bit_length()
    if endings < FEW_ENDINGS:
        shift = max(shift, HISTOGRAM_BITS)
    live = rows[-1] + (1 << shift)  # so far that no row with what a game has counted before its end is an ending's
    rows[-1:] = [live + (ending << shift) for ending in range(endings + 1)]
    total = live + (endings + 1 << shift)
    if total > 1 << ROW_BITS:
        raise NotSmall("its table would be too large")
    changes, start = positions.changes, positions.changes[positions.start[1]]
    number_of = {ending: size + number for number, ending in enumerate(counting.endings)}

    def number(end: End) -> int:
        return end[0] if end[0] >= 0 else number_of[_ending(end, changes, start, counting.growing)]

    entries = np.zeros(total, np.uint64)
    added = np.array([counting.packed(change) % 2**64 for change in changes], np.uint64)
    row_of = np.array(rows, np.uint64)
    targets = [np.array([number(end) for end in ends]) for ends in positions.ends]
    single = [
        row_of[targets[here]] - row_of[here] + added[[change for _, change in ends]]
        for here, ends in enumerate(positions.ends)
    ]
    for here, w in enumerate(positions.weights):
        at = rows[here]
        if not pairs:
            entries[at : at + 2] = w, 2**32 % w
            entries[at + 2 : at + 2 + w] = single[here]
            continue
        for u, target in enumerate(targets[here].tolist()):
            entries[at + u * w : at + (u + 1) * w] = single[here][u] + (
                single[target] if target < size else np.uint64(0)
            )
    if not pairs:
        entries[rows[size:]] = 1
    begin = rows[positions.start[0]] + counting.packed(start, counting.bias)
    return Table(entries, pairs, weight if pairs else 1, 2**32 % weight if pairs else 0, begin % 2**64, live, shift)
