"""What the edges of a chain add to a tally: the one place where changes become rewards."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dicelab.rules.fields import Peak
from dicelab.runtime.states.explorer import UNRAISED
from dicelab.solver.enumeration.model import Graph
from dicelab.solver.solution.ordering import Edges, Numbers
from dicelab.solver.solution.runs import Runs


@dataclass(frozen=True)
class Tallied:
    """One tally of a chain.

    Attributes
    ----------
    name
        Its name, for messages.
    first
        Its value before the first roll.
    gain
        int64 array (labels): what the edges with a label add; for a `Peak` the value raised to, or `UNRAISED`.
    peak
        Whether it is a `Peak`.
    """

    name: str
    first: int
    gain: NDArray[np.int64]
    peak: bool

    @classmethod
    def of(cls, graph: Graph, k: int, edges: Edges | Runs | None = None) -> Tallied:
        """The tally with place `k`, by the labels of `edges`; without these, by the rows of the graph's changes."""
        name, tally = list(graph.game.declared.tallies.items())[k]
        gain = graph.changes[:, k] if edges is None else graph.changes[edges.change, k]
        first, peak = int(graph.changes[graph.start_change, k]), isinstance(tally, Peak)
        return cls(name, max(0, first) if peak else first, np.asarray(gain, np.int64), peak)

    @property
    def moves(self) -> bool:
        """Whether any edge changes it."""
        return bool((self.gain != (UNRAISED if self.peak else 0)).any())

    @property
    def floats(self) -> Numbers:
        """`gain` as floating-point numbers."""
        return self.gain.astype(np.float64)
