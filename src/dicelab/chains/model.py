"""The graph of a game: every position from which dice are thrown, and where each outcome of the throw leads.

What a strategy decides is no position of its own: choices are made on the way from one throw to the next. Only the
choices of *free* seats, for whom somebody looks for the best move, are positions too. Edges with the same end and the
same change of the tallies are one edge, their weights added up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicelab.errors import DicelabError
from dicelab.random.outcome_tables import pool_rows
from dicelab.random.philox import Pool
from dicelab.rules.actions import Decision, Throw
from dicelab.rules.dice import Outcome, outcome_count, outcomes
from dicelab.rules.game import Game, outcome_names
from dicelab.runtime.lineup import Call
from dicelab.states.codec import Slots

LARGEST_WEIGHT = 2**62
"""A game that may throw dice of a larger total weight has floating-point weights."""
MOST_OUTCOMES = 1 << 20
"""Outcomes of one throw that are listed; more can only be simulated."""


class TooLarge(DicelabError):
    """A chain that does not fit; says what is known of its size, and what would help."""


@dataclass(frozen=True)
class Graph:
    """Positions 0, 1, ... in the order in which they were found, and their edges.

    Attributes
    ----------
    slots, keys
        How positions are packed; uint64 array (positions, words).
    start, start_change
        The first position, and the row of `changes` that belongs to the way there.
    row
        int64 array: the edges of position s are ``row[s]`` to ``row[s + 1] - 1``.
    target
        int32 array: the position that an edge leads to; ``-1 - outcome`` where the game is over.
    weight, total
        Weight of an edge, and the sum over the edges of each position: int64, or float64 where the weights of the dice
        don't fit. At a position where a free seat chooses, `weight` is the number of the move.
    change, changes
        int32 array: the row of `changes`, an int64 array (rows, tallies), that an edge adds to the tallies. For a
        `Peak` it is the value raised to, or `UNRAISED`.
    mover
        int32 array: the free seat that chooses at a position; -1 where dice are thrown.
    turn
        Where positions are seen from the seat whose turn it is (seats and outcomes are then counted from there): how
        many seats further the view is after a row of `changes`. Else None.
    """

    game: Game
    calls: tuple[Call, ...]
    slots: Slots
    start: int
    start_change: int
    keys: NDArray[np.uint64]
    row: NDArray[np.int64]
    target: NDArray[np.int32]
    weight: NDArray[Any]
    total: NDArray[Any]
    change: NDArray[np.int32]
    changes: NDArray[np.int64]
    mover: NDArray[np.int32]
    turn: NDArray[np.int64] | None = None

    @property
    def states(self) -> int:
        """Number of positions."""
        return len(self.total)

    @property
    def edges(self) -> int:
        """Number of edges."""
        return len(self.target)

    @property
    def outcomes(self) -> int:
        """Number of outcomes, 1 for a game that has tallies only."""
        return max(1, len(outcome_names(self.game)))

    @property
    def exact_weights(self) -> bool:
        """All weights are whole numbers."""
        return bool(self.weight.dtype == np.int64)

    def position(self, state: int) -> dict[str, int]:
        """A position in words: each number by its name."""
        return dict(zip(self.slots.names, self.slots.unpack(self.keys[state].tolist()), strict=True))


def all_outcomes(game: Game, kind: Throw, dice: Pool) -> list[Outcome]:
    """Every outcome of a throw, however large their weights.

    Raises
    ------
    TooLarge
    """
    if dice.whole:
        return dice.outcomes
    values = [face.value for face in dice.die.faces]
    most = outcome_count(len(values), dice.count, dice.view, max(values) - min(values))
    if most > MOST_OUTCOMES:
        raise TooLarge(
            f"{game.name}: {kind.name} of {dice.count} dice may have {most:,} outcomes, too many to list; "
            "it can be simulated, or see the dice as SUM or COUNTS"
        )
    return outcomes(dice.die, dice.weights, dice.count, dice.view, dice.width)


def moves_of(decision: Decision, game: Game) -> list[tuple[int, ...]]:
    """Every combination of values that a move may have, allowed or not; their places are the numbers of the moves.

    Raises
    ------
    TooLarge
    """
    spans = decision.spans(game)
    count = 1
    for low, high in spans:
        count *= high - low + 1
    if count > MOST_OUTCOMES:
        raise TooLarge(f"{game.name}: {decision.name} has {count:,} moves, too many to try them all")
    return list(product(*(range(low, high + 1) for low, high in spans)))


Told = Callable[[int, int], bool]
"""Told the positions found and expanded so far; answers whether to go on."""


def large_weights(game: Game) -> bool:
    """Are there throws whose weights don't fit into whole numbers of 64 bits?"""
    _, pools = pool_rows(game)
    return max((dice.weight for dice in pools), default=1) > LARGEST_WEIGHT


def as_weights(values: Sequence[int], large: bool) -> NDArray[Any]:
    """Weights as an array."""
    return np.array([float(v) for v in values]) if large else np.array(values, np.int64)
