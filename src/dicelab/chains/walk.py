"""Finds the positions of a game with the rules as they are written, in plain Python: the enumeration that is right.

`dicelab.chains.expand` does the same compiled; both give the same graph, number by number.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from dicelab.chains.graph import (
    Found,
    Graph,
    Told,
    all_outcomes,
    as_weights,
    large_weights,
    moves_of,
    no_change,
)
from dicelab.chains.slots import Place, Slots
from dicelab.engines.plan import Run
from dicelab.engines.reference import LIMIT, Explained, asked, choose, outcome_of
from dicelab.engines.stream import pool
from dicelab.errors import EndlessGameError, RangeError, RulesError
from dicelab.rules.game import fresh, reset
from dicelab.rules.steps import OVER, Decision

End = tuple[int, int]
"""Where an edge leads (``-1 - outcome`` where the game is over), and its change."""


class Walk:
    """Positions and edges found so far.

    Parameters
    ----------
    run
        The game and its strategies.
    free
        Seats whose choices are left open.
    """

    def __init__(self, run: Run, free: Collection[int] = ()) -> None:
        self.game = fresh(run.game)
        self.run = run
        self.free = free
        self.place = Place(self.game, run.calls)
        self.slots = Slots.of(self.game, run.calls)
        self.nothing = no_change(self.game)
        self.positions, self.changes = Found(), Found()
        self.row, self.target, self.weight, self.change = [0], list[int](), list[int](), list[int]()
        self.total, self.mover = list[int](), list[int]()
        with Explained(self.game):
            reset(self.game)
            self._count_from(self.nothing)
            self.game.start()
        self.start, self.start_change = self._settle()

    def graph(self, told: Told = lambda found, expanded: True) -> Graph | None:
        """Expand every position; None when told to stop."""
        while len(self.total) < len(self.positions.things):
            if not self.expand(self.positions.things[len(self.total)], told):
                return None
        large = large_weights(self.game)
        keys = [self.slots.pack(numbers) for numbers in self.positions.things]
        tallies = len(self.nothing)
        return Graph(
            self.run.game,
            self.run.calls,
            self.slots,
            self.start,
            self.start_change,
            np.array(keys, np.uint64).reshape(-1, self.slots.words),
            np.array(self.row, np.int64),
            np.array(self.target, np.int32),
            as_weights(self.weight, large),
            as_weights(self.total, large),
            np.array(self.change, np.int32),
            np.array(self.changes.things, np.int64).reshape(len(self.changes.things), tallies),
            np.array(self.mover, np.int32),
        )

    def _tallies(self) -> tuple[int, ...]:
        return tuple(self.game.__dict__[name] for name in self.game.declared.tallies)

    def _count_from(self, values: tuple[int, ...]) -> None:
        self.game.__dict__.update(zip(self.game.declared.tallies, values, strict=True))

    def _settle(self) -> End:
        """Go on to the next throw, free choice or end, strategies choosing on the way."""
        game = self.game
        for _ in range(LIMIT):
            here, counted = self.place.read(), self._tallies()
            with Explained(game):
                step = game.next()
                if step == OVER:
                    return -1 - outcome_of(game), self.changes.number(self._tallies())
                kind, number = asked(game, step)
                if not isinstance(kind, Decision) or number in self.free:
                    self._in_range(here)
                    return self.positions.number(here), self.changes.number(counted)
                choose(game, kind, number, self.place.choosers)
        with Explained(game):
            raise EndlessGameError(f"{LIMIT:,} choices without a throw")
        raise AssertionError

    def _in_range(self, numbers: tuple[int, ...]) -> None:
        try:
            self.slots.pack(numbers)
        except OverflowError as error:
            raise RangeError(str(error)) from error

    def expand(self, here: tuple[int, ...], told: Told = lambda found, expanded: True) -> bool:
        """Add the edges of one position; no when told to stop."""
        game = self.game
        self.place.set(here)
        self._count_from(self.nothing)
        with Explained(game):
            kind, number = asked(game, game.next())
            after, counted = self.place.read(), self._tallies()
            dice = None if isinstance(kind, Decision) else pool(game, kind, number)
        first, known = len(self.target), dict[End, int]()
        if isinstance(kind, Decision):
            branches = list(enumerate(moves_of(kind, game)))
        elif dice is not None:
            branches = [(outcome.weight, outcome.seen) for outcome in all_outcomes(game, kind, dice)]
        for i, (weight, values) in enumerate(branches):
            if i % 64 == 0 and not told(len(self.positions.things), len(self.total)):
                return False
            self.place.set(after)
            self._count_from(counted)
            with Explained(game):
                if isinstance(kind, Decision) and not kind.considered(game, values):
                    continue
                kind.rule(game, *values)
            end = self._settle()
            if isinstance(kind, Decision) or end not in known:
                known[end] = len(self.target)
                self.target.append(end[0])
                self.change.append(end[1])
                self.weight.append(weight)
            else:
                self.weight[known[end]] += weight
        if len(self.target) == first:
            self.place.set(here)
            with Explained(game):
                raise RulesError(f"seat {number} has no sensible move in {kind.name}")
        self.row.append(len(self.target))
        self.total.append(1 if isinstance(kind, Decision) else sum(weight for weight, _ in branches))
        self.mover.append(number if isinstance(kind, Decision) else -1)
        return True
