"""Games that are played on from given states: what a player tries out before it moves.

Game p that is played on from a state has the stream (seed, p) of docs/stream.md from its first roll on, from whatever
state: so moves are tried out on the same dice. Compiled rules and the reference engine play the same games.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dicelab.compile.kernels.arguments import batch_of, counters
from dicelab.compile.kernels.writers import simulate as k
from dicelab.engines.compiled import SPILL, WithKernel
from dicelab.rules.game import Game, fresh
from dicelab.runtime.interpreter import LIMIT, Played, play_on
from dicelab.runtime.lineup import Call
from dicelab.runtime.outcome_tables import tables
from dicelab.runtime.philox import Stream
from dicelab.runtime.states.codec import Place
from dicelab.translation.translator import NotTranslatable

Records = NDArray[np.int64]
"""Array (states, games, 1 + tallies): the outcome and the tallies of each game."""


class Playouts:
    """Plays games on from given states, compiled if the rules can be.

    Parameters
    ----------
    game
        The game with its parameters.
    calls
        The strategies of all seats, with which the games are played on; their memories begin anew.
    """

    def __init__(self, game: Game, calls: Sequence[Call]) -> None:
        self.game, self.calls = fresh(game), calls
        self.tallies = list(game.declared.tallies)
        self._kernel: _PlayoutKernel | None = None
        try:
            self._kernel = _PlayoutKernel(self.game, calls)
        except NotTranslatable as error:
            self._refused = error

    def must_be_compiled(self) -> None:
        """Refuse rules that can't be compiled."""
        if self._kernel is None:
            raise self._refused

    def play(self, rows: Sequence[Sequence[int]], seed: int, games: int, first: int = 0) -> Records:
        """Play `games` games on from each state: those from number `first` on."""
        if self._kernel is not None:
            results = self._kernel.play(rows, seed, games, first)
            if results is not None:
                return results
        played = [[self._played(row, seed, game) for game in range(first, first + games)] for row in rows]
        return np.array([[(one.outcome, *one.tallies) for one in each] for each in played], np.int64)

    def _played(self, row: Sequence[int], seed: int, game: int) -> Played:
        """Play one game on, in plain Python."""
        table = fresh(self.game)  # several threads may be here
        there = Place(table, self.calls)
        there.set(row[: len(row) - len(self.tallies)])
        for name, value in zip(self.tallies, row[len(row) - len(self.tallies) :], strict=True):
            table.__dict__[name] = value
        return play_on(table, there.choosers, Stream(seed, game))


class _PlayoutKernel(WithKernel):
    """The compiled rules, begun in given states."""

    def __init__(self, game: Game, calls: Sequence[Call]) -> None:
        super().__init__(game, calls)
        self.tables = tables(game)
        self.text, self.places = k.write(type(game), self.strategies, self.tables.one_word, resumed=True)
        self.numbers = len(Place(game, calls).read())
        self.compile()

    def _play_none(self) -> None:
        self.play([], 0, 0)

    def play(self, rows: Sequence[Sequence[int]], seed: int, games: int, first: int = 0) -> Records | None:
        """Return what `Playouts.play` does; None if compiled code can't play some game."""
        many = len(rows) * games
        begun = np.zeros((many, 2 + self.numbers + self.tallies), np.int64)
        if many:
            begun[:, 0] = np.tile(np.arange(first, first + games), len(rows))
            begun[:, 2:] = np.repeat(np.array(rows, np.int64), games, axis=0)
        records, report, done = np.zeros((many, 1 + self.tallies), np.int64), np.zeros(3, np.int64), 0
        while True:
            counted = counters(self.outcomes, self.tallies, SPILL + self.tallies)
            run = batch_of(seed, 0, many - done, 0, LIMIT)
            status = self._simulate(run, counted, report, records[done:], begun[done:])
            if status == k.DONE:
                return records.reshape(len(rows), games, 1 + self.tallies)
            if status != k.FULL or not report[0]:
                return None
            done += int(report[0])
