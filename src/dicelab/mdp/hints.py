"""The chance to win, or the payoff, after each move of one seat, against given strategies, for a game in progress."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dicelab.chains.enumeration.enumerate import graph_of
from dicelab.chains.enumeration.model import Graph, moves_numbered
from dicelab.chains.solution.ordering import Numbers
from dicelab.errors import DicelabError
from dicelab.mdp.value_iteration import optimum
from dicelab.rules.actions import Decision
from dicelab.rules.game import Game, outcome_names
from dicelab.rules.payoffs import payoff_tallies, payoffs_of
from dicelab.runtime.lineup import Run
from dicelab.states.cursor import Place

WIN = "win"
"""Name of the outcome that counts as won in a game against the house."""


class Unsolved(DicelabError):
    """No exact chance to win is known; the message says why."""


class Best:
    """The chance to win, or payoff, of a seat that plays its best response, at every state in which it chooses.

    Parameters
    ----------
    run
        The game; the strategy of `seat` does not matter.
    seat
        The seat that plays the best response.
    memory
        As in `dicelab.chains.enumeration.enumerate.graph_of`.

    Raises
    ------
    Unsolved
        When nobody can win the game.
    TooLarge, PlayError
    """

    def __init__(self, run: Run, seat: int, memory: int | None = None) -> None:
        tallies, prize = payoff_tallies(run.game), _prizes(run.game, seat)
        self.seat = seat
        self.graph: Graph = graph_of(run, [seat], memory, counted=tallies is not None)
        value, gain = np.zeros(0), np.zeros(len(self.graph.changes))
        if tallies is not None:
            gain = self.graph.changes[:, tallies[seat]].astype(np.float64)
        if self.graph.start >= 0:
            side = np.ones(seat + 1, np.int8)
            value = optimum(self.graph, side, gain, prize).value
        self.value, self.gain = np.concatenate((value, prize[::-1])), gain
        """Value of each state of the graph to the seat, and what each change adds to it; the target -1 - outcome of an
        edge counts from the end.
        """
        self._mask = _state_words(self.graph)
        self._place = Place(run.game, run.calls)

    @property
    def chance(self) -> float:
        """Chance to win, or mean payoff, from the start."""
        return float(self.gain[self.graph.start_change] + self.value[self.graph.start])

    def moves(self, game: Game, decision: Decision) -> dict[tuple[int, ...], float]:
        """The sensible moves in the state of a game, and the chance to win after each, or the payoff to come.

        Raises
        ------
        Unsolved
            When the state is not among those that were solved.
        """
        states = self._find(game)
        graph = self.graph
        found = []
        for state in states:
            edges = slice(int(graph.row[state]), int(graph.row[state + 1]))
            moves = moves_numbered(decision, game, graph.weight[graph.label[edges]].astype(np.int64)).tolist()
            worth = (self.gain[graph.change[graph.label[edges]]] + self.value[graph.target[edges]]).tolist()
            found.append({tuple(move): value for move, value in zip(moves, worth, strict=True)})
        if not found or any(other != found[0] for other in found[1:]):
            raise Unsolved("the chances in this state are not known")
        return found[0]

    def _find(self, game: Game) -> list[int]:
        """States of the graph that agree with a game in all but the memories of strategies."""
        self._place.game.__dict__.update({name: game.__dict__[name] for name in game.declared.state})
        try:
            key = np.array(self.graph.slots.pack(self._place.read()), np.uint64)
        except OverflowError as error:
            raise Unsolved(str(error)) from error
        same = ((self.graph.keys ^ key) & self._mask == 0).all(axis=1) & (self.graph.mover == self.seat)
        return [int(state) for state in np.flatnonzero(same)]


def _prizes(game: Game, seat: int) -> Numbers:
    """What a seat gets by each outcome: its payoff, or 1 if it wins by it."""
    prizes, payoffs = np.zeros(max(1, len(outcome_names(game)))), payoffs_of(game)
    if payoffs is not None:
        return np.array([row[seat] for row in payoffs])
    if game.payoffs is None:
        prizes[_wanted(game, seat)] = 1.0
    return prizes


def _wanted(game: Game, seat: int) -> int:
    """The number of the outcome in which a seat wins."""
    names = outcome_names(game)
    if game.outcomes is None and names:
        return seat
    if WIN not in names:
        raise Unsolved(f"{game.name} has no outcome called {WIN}, so it has no chance to win")
    return names.index(WIN)


def _state_words(graph: Graph) -> NDArray[np.uint64]:
    """A mask of the bits of packed words that hold state; the other bits hold memories of strategies."""
    slots = graph.slots
    mask = np.zeros(slots.words, np.uint64)
    for i, name in enumerate(slots.names):
        if not name.startswith("seat "):
            mask[int(slots.word[i])] |= slots.mask(i) << np.uint64(slots.shift[i])
    return mask
