"""Enumerates the states of a game by running its rules in plain Python: the reference for the compiled enumeration.

`dicelab.compile.kernels.writers.enumerate` does the same compiled; both give the same graph, number by number.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from contextlib import nullcontext

import numpy as np

from dicelab.errors import RangeError, RulesError
from dicelab.rules.actions import Decision
from dicelab.runtime.interpreter import Explained
from dicelab.runtime.lineup import Run
from dicelab.runtime.philox import pool
from dicelab.runtime.states.codec import Slots
from dicelab.runtime.states.explorer import End, StateExplorer
from dicelab.runtime.states.symmetry import Rotation
from dicelab.solver.enumeration.model import GoOn, Graph, as_labels, as_weights, large_weights, move_number, moves_at
from dicelab.solver.enumeration.rolls import different_outcomes


class Walk(StateExplorer):
    """The states and edges found so far.

    Parameters
    ----------
    run
        The game and its strategies.
    free
        Decision seats: their choices are states, with an edge for each move.
    turned
        See states from the seat whose turn it is. The game must declare that all seats are alike.
    roots
        States to begin with as well, numbered after the start in this order.

    Attributes
    ----------
    followed
        Number of branches (outcomes and moves) followed so far.
    """

    def __init__(
        self, run: Run, free: Collection[int] = (), turned: bool = False, roots: Iterable[tuple[int, ...]] = ()
    ) -> None:
        self.run = run
        self.followed = 0
        self.rotation = Rotation.of(run.game) if turned else None
        self.slots = Slots.of(run.game, run.calls)
        self.row, self.target, self.label, self.mover = [0], list[int](), list[int](), list[int]()
        self.labels = dict[tuple[int, int, int], int]()
        """The number of each weight, total and change."""
        super().__init__(run, free)
        for root in roots:
            self.positions.number(root)

    def graph(self, go_on: GoOn = lambda found, expanded: True) -> Graph | None:
        """Expand every state; None when `go_on` returns false."""
        while len(self.mover) < len(self.positions.things):
            if not self.expand(self.positions.things[len(self.mover)], go_on):
                return None
        large = large_weights(self.game)
        weight, total, change = zip(*self.labels, strict=True) if self.labels else ((), (), ())
        keys = [self.slots.pack(numbers) for numbers in self.positions.things]
        changes = np.array(self.changes.things, np.int64).reshape(len(self.changes.things), -1)
        tallies = len(self.nothing)
        return Graph(
            self.run.game,
            self.run.calls,
            self.slots,
            *self.start,
            np.array(keys, np.uint64).reshape(-1, self.slots.words),
            np.array(self.row, np.int64),
            np.array(self.target, np.int32),
            as_labels(self.label, len(self.labels)),
            as_weights(weight, large),
            as_weights(total, large),
            np.array(change, np.int64),
            changes[:, :tallies],
            np.array(self.mover, np.int32),
            changes[:, tallies] if self.rotation else None,
        )

    def note(self, here: tuple[int, ...], counted: tuple[int, ...]) -> End:
        """As in `StateExplorer`; what is counted ends with the number of seats by which the state is rotated."""
        if self.rotation is None:
            return super().note(here, counted)
        seen, by = self.rotation.seen(here)
        return super().note(seen, (*counted, by))

    def note_over(self, outcome: int, counted: tuple[int, ...]) -> End:
        """As in `StateExplorer`, with no rotation."""
        return super().note_over(outcome, counted if self.rotation is None else (*counted, 0))

    def admit(self, numbers: tuple[int, ...]) -> None:
        """Refuse a state outside the declared ranges."""
        try:
            self.slots.pack(numbers)
        except OverflowError as error:
            raise RangeError(str(error)) from error

    def expand(self, here: tuple[int, ...], go_on: GoOn = lambda found, expanded: True) -> bool:
        """Add the edges of one state; false when `go_on` returns false."""
        kind, number = self.arrive(here)
        if isinstance(kind, Decision):
            with Explained(self.game) if kind.lists else nullcontext():
                moves = moves_at(kind, self.game)
            branches = [(move_number(kind, self.game, move), move) for move in moves]
        else:
            with Explained(self.game):
                dice = pool(self.game, kind, number)
            branches = [(outcome.weight, outcome.seen) for outcome in different_outcomes(self.game, kind, dice)]
        chooses = isinstance(kind, Decision)
        ends = list[tuple[End, int]]()
        for i, (weight, values) in enumerate(branches):
            if i % 64 == 0 and not go_on(len(self.positions.things), len(self.mover)):
                return False
            self.followed += 1
            end = self.follow(kind, values)
            if end is not None:
                ends.append((end, weight))
        if not ends:
            self.place.set(here)
            with Explained(self.game):
                raise RulesError(f"seat {number} has no sensible move in {kind.name}")
        total = 1 if chooses else sum(weight for weight, _ in branches)
        if not chooses:  # those that do the same are one edge
            same = dict.fromkeys((end for end, _ in ends), 0)
            for end, weight in ends:
                same[end] += weight
            ends = list(same.items())
        for (target, change), weight in ends:
            self.target.append(target)
            self.label.append(self.labels.setdefault((weight, total, change), len(self.labels)))
        self.row.append(len(self.target))
        self.mover.append(number if chooses else -1)
        return True
