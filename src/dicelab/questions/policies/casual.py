"""Optimal and casual play of all seats, exactly: the probabilities of the outcomes and the means of the tallies.

A casual player sees blunders, but not subtleties: in each state one of the moves is made at random, with equal
probability, that cost at most `slack` of the objective if everybody played optimally from then on. With a slack of 0
these are the best moves. The states are those of optimal play; choices become rolls of a fair die, and the chain that
is left is solved.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dicelab.errors import ParameterError
from dicelab.questions.policies.objective import Objective
from dicelab.questions.policies.plan import seated
from dicelab.questions.policies.solve import optimal_on
from dicelab.results.numbers.estimates import Point
from dicelab.rules.fields import Peak
from dicelab.rules.game import Game, outcome_names
from dicelab.solver.enumeration.estimate import graph_ahead
from dicelab.solver.enumeration.model import Graph, as_labels
from dicelab.solver.enumeration.unfold import only, reachable
from dicelab.solver.solution.distribution import in_units
from dicelab.solver.value_iteration import optimum

TIES = 1e-9
"""Difference below which two moves are equally good."""


@dataclass(frozen=True)
class SolvedStates:
    """The states of a game in which all seats choose, and what each move is worth to the seat that makes it.

    Attributes
    ----------
    graph
        The states; all seats laid out.
    worth
        For each edge of a state in which a seat chooses, its value to this seat; 0 for others.
    picked
        For each such state its best edge; -1 for others.
    sign
        1 if the objective is maximised, -1 if it is minimised.
    """

    graph: Graph
    worth: NDArray[np.float64]
    picked: NDArray[np.int64]
    sign: int

    @classmethod
    def of(cls, game: Game, objective: str | None = None, memory: int | None = None) -> SolvedStates:
        """Solve a game for optimal play of all seats.

        Raises
        ------
        ParameterError, TooLarge, PlayError
            As in `dicelab.solve`; a game that is over before anybody chooses is refused as well.
        """
        run, free = seated(game, (), 0, {})
        wanted = Objective.of(run.game, objective)
        graph = graph_ahead(run, free, memory, counted=True)
        if graph.start < 0:
            raise ParameterError(f"{game.name} is over before anybody chooses")
        graph, optimal = optimal_on(graph, wanted, free, lambda done: None)
        chooses = np.flatnonzero(graph.mover >= 0)
        source = np.repeat(np.arange(graph.states), np.diff(graph.row))
        edges = np.flatnonzero(graph.mover[source] >= 0)
        worth = np.zeros(graph.edges)
        worth[edges] = optimal.worth(graph.mover[source[edges]], edges)
        picked = np.full(graph.states, -1)
        picked[chooses] = optimal.picked()[chooses]
        return cls(graph, worth, picked, wanted.sign)

    def figures(self, slack: float | None) -> dict[str, Point]:
        """Return the probabilities of outcomes and means of tallies, with error bounds, of casual play; None: of the
        best moves.

        Raises
        ------
        PlayError
            When such a game might never end.
        """
        graph = self._mixed(self._sensible(slack))
        names, side, none = outcome_names(graph.game), np.ones(1, np.int8), np.zeros(len(graph.changes))
        figures = {}
        for name, prize in zip(names, np.eye(graph.outcomes), strict=False):
            best = optimum(graph, side, none, prize)
            figures[name] = Point.within(float(best.value[graph.start]), best.error(graph.start))
        for k, (name, tally) in enumerate(graph.game.declared.tallies.items()):
            if not isinstance(tally, Peak):
                gain, unit = in_units(graph.changes[:, k], name)
                best = optimum(graph, side, gain, np.zeros(graph.outcomes))
                value = unit * float(gain[graph.start_change] + best.value[graph.start])
                figures[name] = Point.within(value, unit * best.error(graph.start) + 1e-15 * abs(value))
        return figures

    def _sensible(self, slack: float | None) -> NDArray[np.bool_]:
        """Return the edges that may be taken: all rolls, and the moves that cost at most `slack`; the best one with
        None.
        """
        graph = self.graph
        source = np.repeat(np.arange(graph.states), np.diff(graph.row))
        rolled = graph.mover[source] < 0
        if slack is None:
            sensible: NDArray[np.bool_] = rolled | (self.picked[source] == np.arange(graph.edges))
            return sensible
        best = self.worth[np.maximum(self.picked, 0)][source]
        near: NDArray[np.bool_] = self.sign * (best - self.worth) <= slack + TIES
        return rolled | near

    def _mixed(self, kept: NDArray[np.bool_]) -> Graph:
        """Return the graph in which each choice is a roll of a fair die with the kept edges as its faces."""
        graph = self.graph
        source = np.repeat(np.arange(graph.states), np.diff(graph.row))
        many = np.bincount(source[kept], minlength=graph.states)[source][kept]
        chosen = graph.mover[source][kept] >= 0
        labels = graph.label[kept].astype(np.int64)
        pairs, number = np.unique(
            np.stack([many[chosen], graph.change[labels[chosen]]], axis=1), axis=0, return_inverse=True
        )
        count = len(graph.weight)
        labels[chosen] = count + number.reshape(-1)
        kind = graph.weight.dtype
        mixed = replace(
            graph,
            row=np.concatenate(([0], np.cumsum(kept)))[graph.row],
            target=graph.target[kept],
            label=as_labels(labels, count + len(pairs)),
            weight=np.concatenate((graph.weight, np.ones(len(pairs), kind))),
            total=np.concatenate((graph.total, pairs[:, 0].astype(graph.total.dtype))),
            change=np.concatenate((graph.change, pairs[:, 1])),
            mover=np.full(graph.states, -1, np.int32),
        )
        return only(mixed, np.sort(reachable(mixed)))
