"""Values of states that were not solved, because only moves that the solver does not consider lead to them.

From such a state the game is followed, with sensible moves only, until it is over or back in a state that was solved.
The states met are valued together, by value iteration: rolls that change nothing lead back to the same state.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dicelab.errors import ParameterError
from dicelab.rules.actions import OVER, Decision
from dicelab.rules.fields import applied
from dicelab.rules.game import Game, twin
from dicelab.runtime.arrays import Floats
from dicelab.runtime.interpreter import asked
from dicelab.runtime.philox import pool
from dicelab.solver.enumeration.model import all_outcomes, moves_at

MOST = 50_000
"""Limit of the states and moves followed."""
SWEEPS = 10_000
"""Limit of the passes over them."""
SETTLED = 1e-14
"""Largest change of a value in the last pass."""

Key = tuple[int, ...]


class Unvalued(ParameterError):
    """A state that was not solved, and from which the solved ones are too far away."""


class AheadNode(NamedTuple):
    """Where a roll or a move leads.

    Attributes
    ----------
    value
        What is counted on the way there; the whole value where it is known.
    key
        The state to which more is to be added; None where the value is known or a seat chooses.
    seat, options
        The seat that chooses among these, where one does.
    """

    value: Floats
    key: Key | None = None
    seat: int = -1
    options: tuple[AheadNode, ...] = ()


@dataclass(frozen=True)
class Surroundings:
    """What the solution knows.

    Attributes
    ----------
    known
        The value of a state to each seat, without what was counted before; None if it was not solved.
    key
        The packed state.
    gained
        Value of a game that is over to each seat, without what was counted before.
    counted
        What has been counted so far, for each seat.
    seats, sign
        Number of seats; 1 where seats want much, -1 where they want little.
    """

    known: Callable[[Game], Floats | None]
    key: Callable[[Game], Key]
    gained: Callable[[Game], Floats]
    counted: Callable[[Game], Floats]
    seats: int
    sign: int


def looked_ahead(game: Game, around: Surroundings) -> dict[Key, Floats]:
    """Return the values of a state in which dice are rolled, and of all others met from there that were not solved."""
    search = _Search(around)
    search.node(game, around.counted(game))
    rolls: dict[Key, list[tuple[float, AheadNode]]] = {}
    while search.waiting:
        key, state = search.waiting.popitem()
        rolls[key] = search.outcomes(state)
        for met in rolls:
            search.waiting.pop(met, None)
    values = {key: np.zeros(around.seats) for key in rolls}
    for _ in range(SWEEPS):
        change = 0.0
        for key, outcomes in rolls.items():
            new = sum((chance * _value(node, values, around) for chance, node in outcomes), np.zeros(around.seats))
            change = max(change, float(np.abs(new - values[key]).max()))
            values[key] = new
        if change < SETTLED:
            return values
    raise Unvalued("the value of this state is not known: the game comes back to it again and again")


class _Search:
    """Finds the states that are to be valued."""

    def __init__(self, around: Surroundings) -> None:
        self.around, self.waiting, self.met = around, dict[Key, Game](), 0

    def node(self, game: Game, base: Floats) -> AheadNode:
        """Return where the game is; `base` was counted before."""
        around = self.around
        self.met += 1
        if self.met > MOST:
            raise Unvalued("the value of this state is not known: it was reached by a move that no good player makes")
        gain = around.counted(game) - base
        step = game.next()
        if step == OVER:
            return AheadNode(gain + around.gained(game))
        known = around.known(game)
        if known is not None:
            return AheadNode(gain + known)
        kind, seat = asked(game, step)
        if not isinstance(kind, Decision):
            key = around.key(game)
            self.waiting[key] = twin(game)
            return AheadNode(gain, key)
        options = []
        for move in moves_at(kind, game):
            if kind.considered(game, move):
                after = twin(game)
                applied(kind.run, after, move)
                options.append(self.node(after, base))
        return AheadNode(np.zeros(around.seats), None, seat if around.seats > 1 else 0, tuple(options))

    def outcomes(self, game: Game) -> list[tuple[float, AheadNode]]:
        """Return the outcomes of a roll with their probabilities."""
        kind, dice = asked(game, game.next())
        assert not isinstance(kind, Decision)
        rolled = pool(game, kind, dice)
        found, base = [], self.around.counted(game)
        for outcome in all_outcomes(game, kind, rolled):
            after = twin(game)
            applied(kind.run, after, outcome.seen)
            found.append((outcome.weight / rolled.weight, self.node(after, base)))
        return found


def _value(node: AheadNode, values: dict[Key, Floats], around: Surroundings) -> Floats:
    """Return the value of a node, given those of the states so far."""
    if node.key is not None:
        return node.value + values[node.key]
    if not node.options:
        return node.value
    after = [_value(option, values, around) for option in node.options]
    return max(after, key=lambda value: around.sign * value[node.seat])
