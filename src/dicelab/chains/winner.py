"""Who wins, where positions are seen from the seat whose turn it is: a count of turns tells how far the view turned.

At the end of a game the outcome is known as so many seats from whoever moved. A tally that rises, modulo the seats, by
as much as the view turns, tells the rest: its distribution is all that is needed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dicelab.chains.distribution import Spread
from dicelab.chains.model import Graph
from dicelab.chains.ordering import Edges, Numbers
from dicelab.rules.fields import Peak


@dataclass(frozen=True)
class Telling:
    """A tally that tells whose turn it is.

    Attributes
    ----------
    tally
        Its place among the tallies.
    ahead
        How far it is ahead of the view at the end of a game, modulo the seats: by what it has at the start, and by what
        the last step adds.
    """

    tally: int
    ahead: int

    @classmethod
    def of(cls, graph: Graph, edges: Edges) -> Telling | None:
        """The first such tally of a graph whose positions are seen from the seat whose turn it is; None without one."""
        assert graph.turn is not None
        over = edges.target < 0
        ends, leads = (np.zeros(len(edges.change), np.bool_) for _ in range(2))
        ends[edges.label[over]] = True
        leads[edges.label[~over]] = True
        for k, tally in enumerate(graph.game.declared.tallies.values()):
            off = (graph.changes[:, k] - graph.turn) % graph.outcomes
            lasts = np.unique(off[edges.change[ends]])
            even = not off[edges.change[leads]].any()
            if even and len(lasts) == 1 and not isinstance(tally, Peak):
                return cls(k, int(off[graph.start_change] + lasts[0]))
        return None

    def by_seat(self, spread: Spread) -> Spread:
        """The distribution of this tally, jointly with the seat that wins instead of its distance."""
        joint, seats = np.empty_like(spread.joint), spread.joint.shape[1]
        further = (spread.values - self.ahead) % seats
        for by in range(seats):
            here = further == by
            joint[here] = np.roll(spread.joint[here], by, axis=1)
        return replace(spread, joint=joint)


def alone(spread: Spread) -> Spread:
    """A distribution without the outcomes."""
    return replace(spread, joint=spread.joint.sum(axis=1, keepdims=True))


def chances(spread: Spread) -> Numbers:
    """Probability of each outcome, from a distribution jointly with them."""
    return np.asarray(spread.joint.sum(axis=0))
