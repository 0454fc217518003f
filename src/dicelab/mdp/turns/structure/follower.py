"""Follows branches of turns with compiled rules (`dicelab.kernels.writers.turn_steps`)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dicelab.chains.enumeration.rolls import RollArrays
from dicelab.engines.compiled import rows, setting
from dicelab.errors import NotSmall
from dicelab.kernels import cache
from dicelab.kernels.writers import turn_steps
from dicelab.kernels.writers.moves import most_moves
from dicelab.mdp.turns.structure.parts import Parts
from dicelab.rules.drawing import Drawn
from dicelab.rules.game import Game
from dicelab.translation.rewriter import NotTranslatable

Array = NDArray[Any]


class Results(NamedTuple):
    """What `turn_steps` finds for beginnings and branches; `begins` has what `next` asks for at each beginning."""

    begins: Array
    status: Array
    keys: Array
    step: Array
    by: Array
    gain: Array
    touched: Array

    @classmethod
    def room(cls, beginnings: int, branches: int, words: int) -> Results:
        """Room for the results of so many beginnings and branches."""
        shape = beginnings, branches
        numbers = [np.zeros(shape, np.int64) for _ in range(4)]
        keys = np.zeros((*shape, words), np.uint64)
        return cls(np.zeros(beginnings, np.int64), np.zeros(shape, np.int8), keys, *numbers)


class Follower:
    """The compiled rules of a game, and the outcomes of its rolls.

    Raises
    ------
    NotSmall
        When its rules can't be compiled, the weights of its dice exceed 64 bits, or depend on the state.
    """

    def __init__(self, game: Game, tally: str | None, rotated: bool) -> None:
        self.game, self.tally, self.rolls = game, tally, RollArrays(game, merged=False)
        if self.rolls.large:
            raise NotSmall("the weights of its dice exceed 64 bits")
        if len(game.declared.state) > 62:
            raise NotSmall("it has more than 62 fields")
        if any(isinstance(kind, Drawn) for kind in game.declared.throws):
            raise NotSmall("it draws from a bag, or by weights that depend on the state")
        self.setting = setting(game, (), ())
        try:
            self.text, places = turn_steps.write(type(game), tally, rotated)
            self.module = cache.module_of(self.text)
            cache.compile_now(self.text, self._nothing, game.name, places)
        except NotTranslatable as error:
            raise NotSmall(f"its rules can't be compiled: {error}") from error

    def _nothing(self) -> None:
        parts = Parts.of(self.game, ())
        none = np.zeros((0, len(parts.low)), np.int64)
        self.follow(parts, none, none, np.zeros(0, np.int64), np.zeros((0, 2), np.int64))

    def branches(self, step: int) -> int:
        """The number of branches of a roll or choice: outcomes, or moves, allowed or not."""
        if step < 0:
            return most_moves(self.game.declared.decisions[(-2 - step) >> 16], self.game)
        row = int(self.rolls.kinds[step >> 16, 0]) + (step & 65535)
        if self.rolls.count[row] < 0:
            self.rolls.add(row)
        return int(self.rolls.count[row])

    def chances(self, steps: Array, outcomes: Array) -> Array:
        """The weights of outcomes of rolls whose branches were counted by `branches`."""
        rows = self.rolls.kinds[steps >> 16, 0] + (steps & 65535)
        return np.asarray(self.rolls.weights[self.rolls.first[rows] + outcomes])

    def outcome(self, step: int, branch: int) -> tuple[int, ...]:
        """The numbers that the rules see of an outcome of a roll whose branches were counted by `branches`."""
        row, _, width = self.rolls.kinds[step >> 16].tolist()
        at = (int(self.rolls.first[row + (step & 65535)]) + branch) * self.rolls.wide
        return tuple(self.rolls.values[at : at + width].tolist())

    def follow(
        self, parts: Parts, beginnings: Array, numbers: Array, steps: Array, pairs: Array, room: Results | None = None
    ) -> Results:
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
        results = room or Results.room(len(beginnings), len(pairs), parts.words)
        throws = self.rolls.arrays[:5]
        layout = parts.low, parts.span, parts.word, parts.shift, parts.outer, parts.order, parts.field
        work = beginnings, numbers, steps, np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1])
        self.module.kernel(0, len(beginnings), (self.setting, rows(self.game, ())), throws, layout, work, results)
        return results
