"""The engine `turn`: a lookup table of the states of one turn, followed by hundreds of games at once.

It plays the games of `dicelab.runtime.interpreter`, bit for bit. `dicelab.engines.tables.turn_states` finds the states
of a turn; compiled rules are applied where a transition depends on the rest of the game. The compiled engine plays the
few games that reach a state of a turn that is not in the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from dicelab.compile.kernels.arguments import Games, TurnTable
from dicelab.compile.kernels.writers import turn as k
from dicelab.engines.tables.base import Tabled
from dicelab.engines.tables.turn_states import Turns, turns_of
from dicelab.errors import NotSmall
from dicelab.rules.game import Game
from dicelab.runtime.interpreter import LIMIT
from dicelab.runtime.lineup import Call
from dicelab.runtime.outcome_tables import Tables, tables
from dicelab.runtime.states.explorer import AWAY, End
from dicelab.runtime.totals import Tallied

GUIDE_BITS = 12
MOST_PLACES = 2**20
"""Limit on the combinations of values of the fields of a turn: the size of the array that finds a state's number."""
COUNT_BITS = 43
"""Bits for the tallies of a turn in an entry, above 20 for the state and one for leading away."""
UNSETTLED = 4 * 512 * 2
"""Number of rolls in which the tallies of a turn must not overflow: twice as many as between two times that the kernel
moves them elsewhere."""
SHORTEST = 1000
MORE_CHOICES = 8
"""Choices between two rolls that are allowed in addition to those in a turn; the compiled engine plays games with more.
"""


class TurnEngine(Tabled):
    """A game with its parameters and strategies, ready to be played many times; see `Tabled` for the parameters.

    Raises
    ------
    NotSmall
        If its turns don't fit into a table.
    NotTranslatable
        If the rules can't be compiled.
    PlayError
        If a rule or a strategy breaks the contract.
    """

    name = "turn"

    def __init__(self, game: Game, calls: Sequence[Call], limit: int = LIMIT) -> None:
        super().__init__(game, calls, limit)
        turns = turns_of(self.run)
        self.choices = turns.choices + MORE_CHOICES
        self.blocks = limit // (1 + self.choices) // 4 - 512
        if self.blocks < SHORTEST:
            raise NotSmall("it could play only very short games")
        self.text, self.places = k.write(type(game), self.strategies, turns.rest)
        self.table = _table(turns, tables(game, GUIDE_BITS))

    def _follow(self, games: Games, slow: NDArray[np.int64], total: Tallied) -> int:
        given = games, self.setting, self.rows(), self.table
        return self._added(total, lambda counted: self._kernel(*given, counted, slow, self.choices), games.games)


def _table(turns: Turns, dice: Tables) -> TurnTable:
    """The states of a turn as arrays.

    Raises
    ------
    NotSmall
    """
    pools, guide, firsts = dice.pools.reshape(-1, 4), dice.numbered, dice.first
    nothing = len(dice.sums)  # an outcome, with its own guide entry, for lanes without a game
    idle = len(turns.positions)
    info, entries = [], list[int]()
    bits = _bits(turns)
    for here, (kind, count, _) in enumerate(turns.thrown):
        row = int(dice.kinds[kind.index, 0]) + count
        weight, rejected, shift, place = (int(n) for n in pools[row])
        info.append((weight, rejected, shift, place, (len(entries) - firsts[row]) % 2**64))
        entries += [_entry(here, end, turns, bits) for end in turns.ends[here]]
    info.append((1, 0, 0, len(guide), (len(entries) - nothing) % 2**64))
    entries.append(idle)
    fields = np.array(turns.positions, np.int64).reshape(idle, -1)
    lows = fields.min(axis=0)
    sizes = fields.max(axis=0) - lows + 1
    if prod(sizes.tolist()) > MOST_PLACES:
        raise NotSmall("its turns have too many states")
    node_at = np.full(prod(sizes.tolist()), -1, np.int64)
    node_at[np.ravel_multi_index(tuple((fields - lows).T), tuple(sizes))] = np.arange(idle)
    rolls = dice.kinds, np.append(guide, nothing), np.append(dice.sums, np.uint64(1)), dice.values, dice.width
    words = np.array(info, np.uint64).reshape(-1), np.array(entries, np.uint64)
    kinds, each = (np.array(n, np.int64) for n in ([kind.index for kind, _, _ in turns.thrown], bits or (1,)))
    return TurnTable(*rolls, *words, kinds, fields, lows, sizes, node_at, each, np.uint64(idle))


def _bits(turns: Turns) -> tuple[int, ...]:
    """Number of bits for each tally of a turn.

    Raises
    ------
    NotSmall
        If there are too few bits.
    """
    inside = {change for row in turns.ends for end in row if end != AWAY for change in [end[1]]}
    tallies = len(turns.changes[0]) if turns.changes else 0
    most = [max((abs(turns.changes[c][t]) for c in inside), default=0) for t in range(tallies)]
    need = [1 + (m * UNSETTLED).bit_length() for m in most]
    if sum(need) > COUNT_BITS:
        raise NotSmall("its tallies are too many, or change by too much, to fit into one word")
    return tuple(need)


def _entry(here: int, end: End, turns: Turns, bits: tuple[int, ...]) -> int:
    """An entry of the table for the end of a transition, in 64 bits: see `dicelab.compile.kernels.writers.turn`."""
    if end == AWAY:
        return here | 1 << 20
    total, shift = 0, 21
    for value, size in zip(turns.changes[end[1]], bits, strict=True):
        total += value << shift
        shift += size
    return (end[0] + total) % 2**64
