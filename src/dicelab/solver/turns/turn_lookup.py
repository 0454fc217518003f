"""Completes turns of a game that was solved turn by turn: the value of every move, from the values of beginnings.

The turn of a state has the same outer numbers. It is evaluated as a whole when the first of its states is asked for,
and the last few turns are kept.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from math import isnan

import numpy as np

from dicelab.compile.kernels.vector_rows import LANES
from dicelab.compile.kernels.writers.turn_steps import ALLOWED, ENDS
from dicelab.rules.game import Game
from dicelab.runtime.arrays import Array
from dicelab.runtime.states.codec import rows_with
from dicelab.runtime.states.symmetry import Rotation
from dicelab.solver.turns import loops
from dicelab.solver.turns.branches import Follower
from dicelab.solver.turns.parts import StateParts
from dicelab.solver.turns.program import Beginnings, BeginningSearch, Program, program_of
from dicelab.solver.turns.solve import MOST_NODES, Aims, SolvedDetails
from dicelab.solver.turns.structure import Index, Structure
from dicelab.solver.turns.values import SETTLED, SWEEPS, Batch, Solver

REMEMBERED = 64
"""Number of turns whose values are kept."""


class TurnLookup:
    """The turns of a solved game.

    States are given as their numbers, in rotated games seen from the seat to move, and values are those to the first
    seat, or to the seat to move. Not for several threads at once.

    Parameters
    ----------
    game, aims
        The game, and what was optimised.
    kept
        The values of all beginnings.
    """

    def __init__(self, game: Game, aims: Aims, kept: SolvedDetails) -> None:
        self.aims, self.keys = aims, kept.keys
        self.parts = StateParts.of(game, kept.outer)
        follower = Follower(game, aims.tally, aims.rotated and Rotation.of(game) is not None)
        self.search = BeginningSearch(Structure(follower, self.parts, MOST_NODES), Index(self.parts.words))
        self.search.index.add(kept.keys)
        self.solver: Solver | None = None
        self.prize, self.value = np.array(aims.prize, np.float64), kept.value
        self.node = np.full(len(kept.keys), -1, np.int32)
        self.links = np.zeros((0, 2), np.int64)
        self.turns: OrderedDict[int, tuple[Program, Array]] = OrderedDict()

    def step(self, numbers: Sequence[int]) -> int:
        """Return what `next` asks for in a state."""
        here, none = np.array([numbers], np.int64), np.zeros((0, 2), np.int64)
        return int(self.search.structure.follower.follow(self.parts, here, here, np.zeros(1, np.int64), none).begins[0])

    def _begin(self, numbers: Sequence[int]) -> tuple[Array, int, int]:
        """Return a packed state, and the range of the beginnings of its turn."""
        key = self.parts.pack(numbers)
        return key, *rows_with(self.keys, key[0, : self.parts.outer_words])

    def options(self, numbers: Sequence[int]) -> list[tuple[int, float]] | None:
        """Return the numbers of the moves that are allowed and sensible, and their values; None if the state wasn't
        solved.
        """
        key, low, high = self._begin(numbers)
        if low == high:
            return None
        step, structure = self.step(numbers), self.search.structure
        if step >= 0 or np.isnan(self._values(low, high, key, np.array([step]))[0]):
            return None
        many, here = structure.follower.branches(step), np.array([numbers], np.int64)
        pairs = np.column_stack((np.zeros(many, np.int64), np.arange(many)))
        found = structure.follower.follow(self.parts, here, here, np.array([step]), pairs)
        status, keys, step_after, by, gain = (array[0] for array in found[1:6])
        worth = gain.astype(np.float64)
        ends, goes_on = status == ENDS, status == ALLOWED
        worth[ends] += self.prize[step_after[ends]]
        outer = self.parts.outer_words
        inside = goes_on & (by == 0) & (keys[:, :outer] == key[:, :outer]).all(axis=1)
        worth[inside] += self._values(low, high, keys[inside], step_after[inside])
        for move in np.flatnonzero(goes_on & ~inside).tolist():
            value = float(self.value[rows_with(self.keys, keys[move])[0]])
            worth[move] += 1.0 - value if by[move] else value
        moves = np.flatnonzero(ends | goes_on)
        return list(zip(moves.tolist(), worth[moves].tolist(), strict=True))

    def worth(self, numbers: Sequence[int]) -> float | None:
        """Return the value of a state, also where dice are rolled; None if the state wasn't solved."""
        key, low, high = self._begin(numbers)
        if low == high:
            return None
        value = float(self._values(low, high, key, np.array([self.step(numbers)]))[0])
        return None if isnan(value) else value

    def _values(self, low: int, high: int, keys: Array, steps: Array) -> Array:
        """Return the values of states of the turns that begin with `low` to ``high - 1``; not a
        number if not reached.
        """
        program, value = self._turn(low, high)
        nodes, number = self.search.structure.nodes, np.empty(len(keys), np.int32)
        wanted = np.ascontiguousarray(self.search.structure.node_keys(keys, steps))
        loops.find_rows(wanted, nodes.known, nodes.table, number)
        known = (number >= 0) & (number < len(program.place))
        place = program.place[np.where(known, number, 0)]
        return np.where(known & (place >= 0), value[place], np.nan)

    def nodes(self, low: int, high: int) -> Array:
        """Return the numbers of all states within turns that are reached from some beginnings, and where a seat
        chooses.
        """
        program, value = self._turn(low, high)
        shot = self.search.snapshot
        known = np.flatnonzero((program.place >= 0) & (shot.steps[: len(program.place)] < 0))
        return np.asarray(shot.numbers[known[~np.isnan(value[program.place[known]])]])

    def _turn(self, low: int, high: int) -> tuple[Program, Array]:
        """Return the values of a turn: its program, and the values of the nodes, not a number where they aren't
        reached.
        """
        if low not in self.turns:
            for at in range(low, high, LANES):
                self._prepare(np.arange(at, min(high, at + LANES)))
            assert self.solver is not None
            value = np.full(len(self.solver.program.arrays.side), np.nan)
            for at in range(low, high, LANES):
                batch = Batch(self.solver, np.arange(at, min(high, at + LANES)), False)
                for _ in range(SWEEPS):  # one is enough if the turns have no cycles
                    if batch.sweep()[1] <= SETTLED * max(1.0, float(np.abs(batch.copies).max(initial=0.0))):
                        break
                for lane in range(len(batch.numbers)):
                    reached = batch.reached >> lane & 1 != 0
                    value[reached] = batch.value[: len(value)][reached, lane]
            self.turns[low] = self.solver.program, value
            if len(self.turns) > REMEMBERED:
                self.turns.popitem(last=False)
        self.turns.move_to_end(low)
        return self.turns[low]

    def _prepare(self, numbers: Array) -> None:
        """Make a solver that knows all nodes of the turns that begin with some beginnings."""
        while True:
            _, _, linked, missing, begin = self.search.chunk(numbers)
            if not len(missing):
                break
            self.search.grow([(numbers, missing)], whole=True)
            self.solver = None
        links = np.unique(np.concatenate((self.links, linked)), axis=0)
        new = not np.isin(begin, self.node).all() or len(links) > len(self.links)
        self.node[numbers], self.links = begin, links
        if self.solver is None or new:
            known, none = (self.search.structure, self.search.snapshot, self.search.index), np.zeros(0, np.int64)
            turns = Beginnings(*known, np.unique(self.node[self.node >= 0]), none, none, links)
            program = program_of(turns, np.array(self.aims.sides))
            self.solver = Solver(replace(turns, node=self.node), program, self.prize)
            self.solver.value = self.value
