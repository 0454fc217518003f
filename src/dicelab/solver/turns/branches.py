"""Follows branches of turns with compiled rules."""

from __future__ import annotations

import threading

import numpy as np

from dicelab.compile.kernels.arguments import Asked, BranchEnds
from dicelab.compile.kernels.writers import turn_steps
from dicelab.compile.kernels.writers.moves import most_moves
from dicelab.engines.compiled import WithKernel
from dicelab.errors import NotSmall
from dicelab.rules.game import Game
from dicelab.runtime.arrays import Array
from dicelab.solver.enumeration.enumerate_python import RollArrays
from dicelab.solver.turns.parts import StateParts
from dicelab.translation.translator import NotTranslatable


class Follower(WithKernel):
    """The compiled rules of a game, and the outcomes of its rolls.

    Raises
    ------
    NotSmall
        When its rules can't be compiled, the weights of its dice exceed 64 bits, or depend on the state.
    """

    def __init__(self, game: Game, tally: str | None, rotated: bool) -> None:
        super().__init__(game, ())
        self.tally, self.rolls = tally, RollArrays(game, merged=False)
        self._scratch = threading.local()
        if self.rolls.large:
            raise NotSmall("the weights of its dice exceed 64 bits")
        if len(game.declared.state) > 62:
            raise NotSmall("it has more than 62 fields")
        if any(kind.varies for kind in game.declared.throws):
            raise NotSmall("it draws from a bag, or by weights that depend on the state")
        try:
            self.text, self.places = turn_steps.written(type(game), tally, rotated)
            self.compile()
        except NotTranslatable as error:
            raise NotSmall(f"its rules can't be compiled: {error}") from error

    def _play_none(self) -> None:
        parts = StateParts.of(self.game, ())
        none = np.zeros((0, len(parts.low)), np.int64)
        self.follow(parts, none, none, np.zeros(0, np.int64), np.zeros((0, 2), np.int64))

    def branches(self, step: int) -> int:
        """Return the number of branches of a roll or choice: outcomes, or moves, allowed or not."""
        if step < 0:
            return most_moves(self.game.declared.decisions[(-2 - step) >> 16], self.game)
        row = int(self.rolls.kinds[step >> 16, 0]) + (step & 65535)
        if self.rolls.count[row] < 0:
            self.rolls.add(row)
        return int(self.rolls.count[row])

    def lists(self, step: int) -> bool:
        """Return whether this is a choice that lists its moves."""
        return step < 0 and bool(self.game.declared.decisions[(-2 - step) >> 16].lists)

    def chances(self, steps: Array, outcomes: Array) -> Array:
        """Return the weights of outcomes of rolls whose branches were counted by `branches`."""
        rows = self.rolls.kinds[steps >> 16, 0] + (steps & 65535)
        return np.asarray(self.rolls.weights[self.rolls.first[rows] + outcomes])

    def outcome(self, step: int, branch: int) -> tuple[int, ...]:
        """Return the numbers that the rules see of an outcome of a roll whose branches were counted by `branches`."""
        row, _, width = self.rolls.kinds[step >> 16].tolist()
        at = (int(self.rolls.first[row + (step & 65535)]) + branch) * self.rolls.wide
        return tuple(self.rolls.values[at : at + width].tolist())

    def follow(
        self,
        parts: StateParts,
        beginnings: Array,
        numbers: Array,
        steps: Array,
        pairs: Array,
        room: BranchEnds | None = None,
    ) -> BranchEnds:
        """Follow branches from every beginning, into `room` if it is given; may run on several threads at once.

        Parameters
        ----------
        parts
            Which numbers are outer.
        beginnings, numbers
            The numbers of states, (beginnings, numbers) and (nodes, numbers): outer ones from the first, others from
            the second.
        steps
            What `next` asks for at each node.
        pairs
            Node and number of each branch, (branches, 2); those of a node follow each other.
        """
        results = room or BranchEnds.room(len(beginnings), len(pairs), parts.words)
        asked = Asked(beginnings, numbers, steps, *map(np.ascontiguousarray, pairs.T))
        rows = getattr(self._scratch, "rows", None)
        if rows is None:
            rows = self._scratch.rows = self.rows()
        given = self.setting, rows, self.rolls.arrays, parts.packing, asked
        self._kernel(0, len(beginnings), *given, results)
        return results
