"""The chance to win, or another value, after each move of a seat, against given strategies, in a game in progress."""

from __future__ import annotations

import numpy as np

from dicelab.errors import DicelabError, ParameterError
from dicelab.questions.policies.objective import Objective, has_default, no_default
from dicelab.rules.actions import Decision
from dicelab.rules.game import Game
from dicelab.runtime.lineup import Run
from dicelab.runtime.states.codec import Place, Slots
from dicelab.solver.enumeration.estimate import graph_ahead
from dicelab.solver.enumeration.model import Graph, moves_numbered
from dicelab.solver.solution.backward import with_prizes
from dicelab.solver.value_iteration import optimum


class Unsolved(DicelabError):
    """The values in a state are not known; the message says why."""


class BestResponse:
    """The value of a seat that plays its best response, such as its chance to win, at every state in which it chooses.

    Parameters
    ----------
    run
        The game; the strategy of `seat` does not matter.
    seat
        The seat that plays the best response.
    objective
        What it plays for, as in `dicelab.solve`, but not ``atleast:TALLY:N``; by default its payoff, or to win.
    memory
        As in `dicelab.solver.enumeration.estimate.graph_ahead`.

    Raises
    ------
    ParameterError
        When there is no such objective, or the game has no default and none is given.
    """

    def __init__(self, run: Run, seat: int, objective: str | None = None, memory: int | None = None) -> None:
        if objective is None and not has_default(run.game):
            raise ParameterError(no_default(run.game))
        wanted = Objective.of(run.game, objective)
        self.graph: Graph = graph_ahead(run, [seat], memory, counted=wanted.needs_tallies)
        gain, prize, side, unit = wanted.rewards(self.graph, seat)
        value = optimum(self.graph, side, gain, prize).value if self.graph.start >= 0 else np.zeros(0)
        self.value, self.gain = with_prizes(value, prize) * unit, gain * unit
        """Value of each state of the graph and of each outcome to the seat, and what each change adds to it."""
        self._states = np.flatnonzero(self.graph.mover == seat)
        self._keys, self._slots = self.graph.without_memory(self._states), Slots.of(run.game, ())

    @property
    def chance(self) -> float:
        """Value of the objective from the start: a chance, or a mean."""
        return float(self.gain[self.graph.start_change] + self.value[self.graph.start])

    def moves(self, game: Game, decision: Decision) -> dict[tuple[int, ...], float]:
        """Return the sensible moves in the state of a game, and the value of the objective after each.

        Raises
        ------
        Unsolved
            When the state is not among those that were solved.
        """
        states = self._find(game)
        graph = self.graph
        best = []
        for state in states:
            edges = slice(int(graph.row[state]), int(graph.row[state + 1]))
            moves = moves_numbered(decision, game, graph.weight[graph.label[edges]].astype(np.int64)).tolist()
            worth = (self.gain[graph.change[graph.label[edges]]] + self.value[graph.target[edges]]).tolist()
            best.append({tuple(move): value for move, value in zip(moves, worth, strict=True)})
        if not best or any(other != best[0] for other in best[1:]):
            raise Unsolved("the chances in this state are not known")
        return best[0]

    def _find(self, game: Game) -> list[int]:
        """Return the states of the graph that agree with a game in all but the memories of strategies."""
        try:
            key = self._slots.pack(Place(game, ()).read())
        except OverflowError as error:
            raise Unsolved(str(error)) from error
        return [int(state) for state in self._states[(self._keys == np.array(key, np.uint64)).all(axis=1)]]
