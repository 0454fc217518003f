"""Recover the winner's seat from a turn counter, where states are seen from the seat whose turn it is.

At the end of such a game the outcome is known relative to the seat that moved last. If a tally grows, modulo the number
of seats, by as much as the view rotates, then its value tells which seat that was; so the joint distribution of this
tally and the relative outcome gives the distribution of the winner.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dicelab.rules.fields import Peak
from dicelab.solver.enumeration.model import Graph
from dicelab.solver.solution.distribution import Spread

AT_ONCE = 1 << 20
"""Edges that are looked at at the same time, to save memory."""


@dataclass(frozen=True)
class TurnCounter:
    """A tally that counts the rotations of the view, modulo the number of seats.

    Attributes
    ----------
    tally
        Its place among the tallies.
    ahead
        The tally minus the rotation at the end of a game, modulo the seats: from its value at the start and from what
        the last step adds.
    """

    tally: int
    ahead: int

    @classmethod
    def of(cls, graph: Graph) -> TurnCounter | None:
        """The first such tally of a graph; None without one, or where states are not seen from whose turn it is."""
        if graph.turn is None:
            return None
        ends, leads = np.zeros((2, len(graph.change)), np.bool_)
        for low in range(0, graph.edges, AT_ONCE):
            over, label = graph.target[low : low + AT_ONCE] < 0, graph.label[low : low + AT_ONCE]
            ends[label[over]] = True
            leads[label[~over]] = True
        for k, tally in enumerate(graph.game.declared.tallies.values()):
            off = (graph.changes[:, k] - graph.turn)[graph.change] % graph.outcomes
            lasts = np.unique(off[ends])
            if not off[leads].any() and len(lasts) == 1 and not isinstance(tally, Peak):
                return cls(k, int(graph.changes[graph.start_change, k] - graph.turn[graph.start_change] + lasts[0]))
        return None

    def by_seat(self, spread: Spread) -> Spread:
        """The joint distribution of this tally and the winning seat, from that with the relative outcome."""
        joint, seats = np.empty_like(spread.joint), spread.joint.shape[1]
        further = (spread.values - self.ahead) % seats
        for by in range(seats):
            here = further == by
            joint[here] = np.roll(spread.joint[here], by, axis=1)
        return replace(spread, joint=joint)
