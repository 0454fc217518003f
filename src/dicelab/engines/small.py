"""Games of few positions as one table: where each number that a throw may come to leads, from each position.

A throw is one uniform number below the total weight W of its dice. Its W possible values are the columns of a position:
each says by how much a game's *place* grows, the place being a row of the table together with what has been counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd

import numpy as np
from numpy.typing import NDArray

from dicelab.engines.numbering import End, Numbering
from dicelab.engines.plan import Run
from dicelab.engines.stream import pool
from dicelab.errors import DicelabError
from dicelab.rules.fields import Peak
from dicelab.rules.steps import Throw

MOST_POSITIONS = 1024
MOST_EDGES = 16_384
"""Outcomes of all positions together that are tried, in plain Python."""
MOST_COLUMNS = 2**18
"""Entries of a table: two mebibytes, which a core's own cache holds."""
ROW_BITS = 20
"""Lower bits of a place that say in which row of the table a game stands; the others count its tallies."""
COUNT_BITS = 64 - ROW_BITS
SHORTEST = 256
"""Throws that a game must be able to last before its tallies outgrow their bits."""
RARE = 2**32 >> 16
"""Weights of which more 32-bit words than this would be rejected are left to other engines."""


class NotSmall(DicelabError):
    """The game has too many positions, or dice, for a table; says which."""


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
        kind, dice = found.arrive(here)
        assert isinstance(kind, Throw)
        thrown = pool(found.game, kind, dice)
        columns += thrown.weight
        if not thrown.whole or columns > MOST_COLUMNS or 2**32 % thrown.weight > RARE:
            raise NotSmall(f"{kind.name} of {thrown.count} dice has too many outcomes for a table")
        row: list[End] = []
        for outcome in thrown.outcomes:
            end = found.follow(kind, outcome.seen)
            assert end is not None
            row += [end] * outcome.weight
        weights.append(thrown.weight)
        ends.append(row)
        edges += len(thrown.outcomes)
        if len(found.positions.things) > MOST_POSITIONS or edges > MOST_EDGES:
            raise NotSmall(f"more than {min(len(found.positions.things), MOST_POSITIONS):,} positions are too many")
    return Positions(found.start, weights, ends, found.changes.things, found.choices)


@dataclass(frozen=True)
class Counting:
    """How the tallies of a game are counted in the upper bits of its place, the first tally lowest.

    Attributes
    ----------
    units
        Greatest common divisor of the changes of each tally: what is counted are multiples of it.
    bits
        Bits of each tally, which is a signed number.
    throws
        Throws for which no tally can outgrow its bits.
    """

    units: tuple[int, ...]
    bits: tuple[int, ...]
    throws: int

    @classmethod
    def of(cls, positions: Positions) -> Counting:
        """Enough bits for tallies that change at most once, when the game ends; the others share the rest.

        Raises
        ------
        NotSmall
            When there are too many tallies, or too large ones.
        """
        tallies = list(zip(*positions.changes, strict=True))
        units = [gcd(*values) or 1 for values in tallies]
        most = [max(map(abs, values)) // unit for values, unit in zip(tallies, units, strict=True)]
        going_on = [change for row in positions.ends for target, change in row if target >= 0]
        growing = [any(positions.changes[change][k] for change in going_on) for k in range(len(tallies))]
        bits = [0 if grows else 1 + m.bit_length() for grows, m in zip(growing, most, strict=True)]
        if any(growing):
            share = (COUNT_BITS - sum(bits)) // sum(growing)
            bits = [max(share, 0) if grows else b for grows, b in zip(growing, bits, strict=True)]
        throws = min(
            [(1 << max(b - 1, 0)) // (m + 1) for b, m, g in zip(bits, most, growing, strict=True) if g] or [2**31]
        )
        if sum(bits) > COUNT_BITS or throws < SHORTEST:
            raise NotSmall("its tallies are too many, or change by too much, to be counted in one number")
        return cls(tuple(units), tuple(bits), throws)

    def packed(self, change: tuple[int, ...]) -> int:
        """A change of the tallies, as what is added to a place."""
        total, shift = 0, ROW_BITS
        for value, unit, bits in zip(change, self.units, self.bits, strict=True):
            total += value // unit << shift
            shift += bits
        return total


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
        Place at the beginning; first row of the outcomes; rows of outcomes are ``1 << shift`` apart. After those of
        the outcomes there is one more, for games that are not counted.
    """

    entries: NDArray[np.uint64]
    pairs: bool
    weight: int
    rejected: int
    start: int
    live: int
    shift: int


def table_of(positions: Positions, counting: Counting, outcomes: int) -> Table:
    """The table of a game.

    Raises
    ------
    NotSmall
        When it would be too large.
    """
    weight = positions.weights[0] if len(set(positions.weights)) == 1 else 0
    size = len(positions.weights)
    pairs = weight > 0 and (size + 2 * outcomes + 2) * weight**2 <= MOST_COLUMNS
    widths = [weight**2] * size if pairs else [2 + w for w in positions.weights]
    rows = np.concatenate([[0], np.cumsum(widths)]).tolist()
    live, shift = rows[-1], max(widths[0] - 1 if pairs else 2, 1).bit_length()
    rows[-1:] = [live + (outcome << shift) for outcome in range(outcomes + 1)]
    total = live + (outcomes + 1 << shift)
    if total > 1 << ROW_BITS:
        raise NotSmall("its table would be too large")

    def number(target: int) -> int:
        return target if target >= 0 else size - 1 - target

    entries = np.zeros(total, np.uint64)
    changes = np.array([counting.packed(change) % 2**64 for change in positions.changes], np.uint64)
    row_of = np.array(rows, np.uint64)
    for here, ends in enumerate(positions.ends):
        targets = np.array([number(target) for target, _ in ends])
        added = changes[[change for _, change in ends]]
        single = row_of[targets] - row_of[here] + added
        if not pairs:
            entries[rows[here] : rows[here] + 2] = positions.weights[here], 2**32 % positions.weights[here]
            entries[rows[here] + 2 : rows[here] + 2 + len(ends)] = single
            continue
        for u, target in enumerate(targets.tolist()):
            second = entries[rows[here] + u * weight : rows[here] + (u + 1) * weight]
            second[:] = single[u]
            if target < size:
                after = positions.ends[target]
                to = row_of[[number(then) for then, _ in after]] - row_of[target]
                second += to + changes[[change for _, change in after]]
    if not pairs:
        entries[rows[size:]] = 1
    start = rows[number(positions.start[0])] + counting.packed(positions.changes[positions.start[1]]) % 2**64
    return Table(entries, pairs, weight if pairs else 1, 2**32 % weight if pairs else 0, start % 2**64, live, shift)
