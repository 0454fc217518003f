"""The turns engine: each turn is followed through a table, hundreds of games at a time; the rules decide the rest.

It plays the games of `dicelab.runtime.interpreter`, bit for bit. For the graph of a turn see
`dicelab.engines.turn_states`. The few games that it can't play (a position of a turn had not come up before) are played
by the compiled engine.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from dicelab.engines.base import Tabled
from dicelab.engines.compiled import arguments, rows
from dicelab.engines.turn_states import Turns, turns_of
from dicelab.errors import NotSmall
from dicelab.kernels import simulate as k
from dicelab.kernels import turn as turn_kernel
from dicelab.random.outcome_tables import Tables, tables
from dicelab.rules.game import Game
from dicelab.runtime.interpreter import LIMIT
from dicelab.runtime.lineup import Call, Run, distinct
from dicelab.runtime.totals import Tallied
from dicelab.states.explorer import AWAY, End

GUIDE_BITS = 12
MOST_PLACES = 2**20
"""Combinations of the values that the fields of a turn take."""
COUNT_BITS = 43
"""Bits in which the tallies of a turn are counted, above 20 for its position and one for leading away."""
UNSETTLED = 4 * 512 * 2
"""Throws after which the tallies of a turn that goes on are put aside, and as many again."""
SHORTEST = 1000
MORE_CHOICES = 8
"""Choices between two throws beyond those in a turn; with more the compiled engine plays."""


class TurnTable(Tabled):
    """A game with its parameters and strategies, ready to be played many times; see `Tabled` for the parameters.

    Raises
    ------
    NotSmall
        When its turns can't be put in a table.
    NotTranslatable
        When the rules can't be compiled.
    PlayError
        When a rule or a strategy breaks the contract.
    """

    name = "turns"

    def __init__(self, game: Game, calls: Sequence[Call], limit: int = LIMIT) -> None:
        super().__init__(game, calls, limit)
        self.strategies = distinct(call.strategy for call in calls)
        turns = turns_of(Run(game, tuple(calls)))
        self.choices = turns.choices + MORE_CHOICES
        self.blocks = limit // (1 + self.choices) // 4 - 512
        if self.blocks < SHORTEST:
            raise NotSmall("it is to be stopped too early")
        self.text, self.places = turn_kernel.write(type(game), self.strategies, turns.rest)
        self.table = _table(turns, tables(game, GUIDE_BITS))
        self.arguments = arguments(game, calls, self.strategies)

    def _play(self, seed: int, low: int, high: int, total: Tallied) -> list[int] | None:
        counts = np.zeros(self.outcomes, np.int64)
        hist = np.zeros((self.outcomes, self.tallies, k.BINS), np.int64)
        spill = np.empty(((high - low) * self.tallies, 3), np.int64)
        slow = np.empty(high - low, np.int64)
        games = np.uint64(seed & 0xFFFFFFFF), np.uint64(seed >> 32), np.uint64(low), high - low, self.blocks
        given = (*games, *self.arguments, rows(self.game, self.strategies), *self.table)
        kernel: Any = self._kernel
        try:
            status, slows, spilled = kernel(*given, counts, hist, spill, slow, self.choices)
        except Exception:
            if low == high:
                raise  # compilation or the cache
            return None
        if status != turn_kernel.DONE:
            return None
        total.add(counts, hist, k.LOWEST, spill[:spilled])
        left: list[int] = slow[:slows].tolist()
        return left


def _table(turns: Turns, dice: Tables) -> tuple[Any, ...]:
    """The arrays of the turns, as the kernel takes them.

    Raises
    ------
    NotSmall
    """
    width, pools = dice.width, dice.pools.reshape(-1, 4)
    guide = np.where(dice.guide >= 0, dice.guide // width, dice.guide).astype(np.int64)
    nothing = len(dice.sums)  # an outcome, and a place in the guide, for lanes without a game
    idle = len(turns.positions)
    info, entries = [], list[int]()
    bits = _bits(turns)
    for here, (kind, count, _) in enumerate(turns.thrown):
        row = int(dice.kinds[kind.index, 0]) + count
        weight, rejected, shift, place = (int(n) for n in pools[row])
        first = int(guide[place]) if guide[place] >= 0 else ~int(guide[place])
        info.append((weight, rejected, shift, place, (len(entries) - first) % 2**64))
        entries += [_entry(here, end, turns, bits) for end in turns.ends[here]]
    info.append((1, 0, 0, len(guide), (len(entries) - nothing) % 2**64))
    entries.append(idle)
    fields = np.array(turns.positions, np.int64).reshape(idle, -1)
    lows = fields.min(axis=0)
    sizes = fields.max(axis=0) - lows + 1
    if prod(sizes.tolist()) > MOST_PLACES:
        raise NotSmall("its turns have too many positions")
    node_at = np.full(prod(sizes.tolist()), -1, np.int64)
    node_at[np.ravel_multi_index(tuple((fields - lows).T), tuple(sizes))] = np.arange(idle)
    return (
        dice.kinds,
        np.append(guide, nothing),
        np.append(dice.sums, np.uint64(1)),
        dice.values,
        width,
        np.array(info, np.uint64).reshape(-1),
        np.array(entries, np.uint64),
        np.array([kind.index for kind, _, _ in turns.thrown], np.int64),
        fields,
        lows,
        sizes,
        node_at,
        np.array(bits or (1,), np.int64),
        np.uint64(idle),
    )


def _bits(turns: Turns) -> tuple[int, ...]:
    """Bits for each tally of a turn.

    Raises
    ------
    NotSmall
        When they are too few.
    """
    inside = {change for row in turns.ends for end in row if end != AWAY for change in [end[1]]}
    tallies = len(turns.changes[0]) if turns.changes else 0
    most = [max((abs(turns.changes[c][t]) for c in inside), default=0) for t in range(tallies)]
    need = [1 + (m * UNSETTLED).bit_length() for m in most]
    if sum(need) > COUNT_BITS:
        raise NotSmall("its tallies are too many, or change by too much, to be counted in one number")
    return tuple(need)


def _entry(here: int, end: End, turns: Turns, bits: tuple[int, ...]) -> int:
    """Where a throw leads, and what it counts, in one number of 64 bits."""
    if end == AWAY:
        return here | 1 << 20
    total, shift = 0, 21
    for value, size in zip(turns.changes[end[1]], bits, strict=True):
        total += value << shift
        shift += size
    return (end[0] + total) % 2**64
