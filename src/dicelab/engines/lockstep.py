"""The engine `lockstep`: the compiled rules, played in many games side by side, the same seat's turn in all of them.

It plays the games of `dicelab.runtime.interpreter`, bit for bit. The compiled engine plays the few games with a
rejected word, with an error, or with very many turns. By itself because it is an engine, which `player` only chooses.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicelab.compile.kernels.arguments import Games
from dicelab.compile.kernels.lanes import LANES
from dicelab.compile.kernels.writers import lockstep as k
from dicelab.engines.tables.base import MANY, Tabled
from dicelab.errors import NotSmall, RulesError
from dicelab.rules.fields import Ints
from dicelab.rules.game import Game
from dicelab.rules.params import value_of
from dicelab.runtime.interpreter import LIMIT
from dicelab.runtime.lineup import Call
from dicelab.runtime.outcome_tables import tables
from dicelab.runtime.scheduler import Tallied

MOST_NUMBERS, WIDEST = 2**17, 8
"""Limits on the numbers of all rows of dice, which are listed, and on the numbers that a roll shows."""
STEPS = 2**17
"""Steps of all lanes after which a game is left to the compiled engine."""
MOST_STEPS = 4
"""Steps for each roll above which the compiled engine plays all further games: lanes then wait too long for their
seat. In LCR it is 1.6 with 12 players, 2.3 with 50, and 3.2 with 50 and a coin each, where this is 1.1 times as fast.
"""


class Lockstep(Tabled):
    """A game of rolls that pass the dice on, ready to be played many times; see `Tabled` for the parameters.

    Raises
    ------
    NotSmall
        If its games can't be played side by side.
    """

    name = "lockstep"

    def __init__(self, game: Game, calls: Sequence[Call], limit: int = LIMIT) -> None:
        super().__init__(game, calls, limit)
        self.text, self.places, seat = k.write(type(game))
        self.seats = game.declared.state[seat].bounds(game)[1] + 1
        self.blocks = min(STEPS, limit)
        try:
            self.rolls, self.shown = _rolls(game)
        except RulesError as error:
            raise NotSmall(str(error)) from error

    def _lanes(self) -> tuple[NDArray[Any], ...]:
        """Return narrow arrays for the numbers of all lanes: fields, tallies, rows, and an empty one."""
        fields: list[NDArray[Any]] = []
        rows: list[NDArray[Any]] = []
        for f in self.game.declared.state.values():
            kind = _narrow(*f.bounds(self.game))
            if isinstance(f, Ints):
                rows.append(np.zeros((value_of(f.length, self.game), LANES), kind))
            else:
                fields.append(np.zeros(LANES, kind))
        return *fields, *(np.zeros(LANES, np.int64) for _ in range(self.tallies)), *rows, np.zeros(0)

    def _follow(self, games: Games, slow: NDArray[np.int64], total: Tallied) -> int:
        scratch = *(np.zeros(LANES, kind) for kind in ONE_EACH), np.zeros((8, LANES), np.uint32)
        given = games, self.setting, self.seats, len(self.rolls) - 2, self._lanes(), scratch, self.rolls, self.shown
        used = np.zeros(2, np.int64)
        slows = self._added(total, lambda counted: self._kernel(*given, counted, used, slow), games.games)
        if games.games >= MANY and used[0] > MOST_STEPS * used[1]:
            self.give_up()
        return slows


ONE_EACH = (np.uint8, np.int32, np.uint32, np.uint32, np.int64, np.int64, np.uint32, np.uint64)
"""What a lane needs beside its game: state, row of the roll, rolls made, blocks made, index of the game, its first
step, word, numbers rolled."""


def _narrow(low: int, high: int) -> Any:
    """Return the narrowest type with these numbers."""
    return next(kind for kind in (np.uint8, np.int16, np.int32, np.int64) if _holds(kind, low) and _holds(kind, high))


def _holds(kind: Any, number: int) -> bool:
    limits = np.iinfo(kind)
    return int(limits.min) <= number <= int(limits.max)


def _rolls(game: Game) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return how rolls are drawn, and what they show.

    For each row of dice, after one for no roll, a word: total weight, place of its first number in the other array,
    rejection threshold, 21 bits each. The other array has what each number of each row shows, a byte for each value.
    """
    made = tables(game)
    pools = made.pools.reshape(-1, 4)
    if not made.one_word or pools[:, 0].sum() > MOST_NUMBERS or made.width > WIDEST:
        raise NotSmall("its rolls have too many outcomes")
    if made.values.min() < 0 or made.values.max() > 255:
        raise NotSmall("its rolls show numbers outside 0 to 255")
    values = made.values[: len(made.sums) * made.width].reshape(-1, made.width).astype(np.uint64)
    packed = (values << np.arange(0, 8 * made.width, 8, dtype=np.uint64)).sum(1, dtype=np.uint64)
    first = made.first
    shown, rolls = [np.zeros(1, np.uint64)], [0]
    for (weight, reject, *_), begin, end in zip(pools.tolist(), first, [*first[1:], len(packed)], strict=True):
        rolls.append(weight | sum(map(len, shown)) << 21 | reject << 42)
        sums = made.sums[begin:end].astype(np.int64)
        shown.append(packed[begin + np.searchsorted(sums, np.arange(weight), side="right")])
    return np.array(rolls, np.uint64), np.concatenate(shown)
