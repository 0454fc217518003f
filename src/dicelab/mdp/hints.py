"""The best moves of one seat against given strategies, for a game in progress: its exact chance to win after each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dicelab.chains.enumerate import Progress, graph_of
from dicelab.chains.model import Graph, moves_of
from dicelab.errors import DicelabError
from dicelab.mdp.value_iteration import optimum
from dicelab.rules.actions import Decision
from dicelab.rules.game import Game, outcome_names
from dicelab.runtime.lineup import Run
from dicelab.states.cursor import Place

WIN = "win"
"""Name of the outcome that a player of a game against the house wants."""


class Unsolved(DicelabError):
    """There is no exact answer to this; the message says why."""


class Best:
    """The chance to win of a seat that plays its best, at every position at which it chooses.

    Parameters
    ----------
    run
        The game; the strategy of `seat` does not matter.
    seat
        Who plays the best moves.
    memory, progress
        As in `dicelab.chains.enumerate.graph_of`.

    Raises
    ------
    Unsolved
        When nobody can win the game.
    TooLarge, PlayError
    """

    def __init__(
        self, run: Run, seat: int, memory: int | None = None, progress: Progress = lambda found, expanded: None
    ) -> None:
        prize = np.zeros(max(1, len(outcome_names(run.game))))
        prize[_wanted(run.game, seat)] = 1.0
        self.seat = seat
        self.prize = prize
        self.graph: Graph = graph_of(run, [seat], memory, progress, counted=False)
        self.value = np.zeros(self.graph.states)
        """Chance to win at each position of the graph."""
        if self.graph.start >= 0:
            gain, side = np.zeros(len(self.graph.changes)), np.ones(seat + 1, np.int8)
            self.value = optimum(self.graph, side, gain, prize).value
        self._mask = _state_words(self.graph)
        self._place = Place(run.game, run.calls)

    @property
    def chance(self) -> float:
        """Chance to win from the start."""
        return float(self.value[self.graph.start] if self.graph.start >= 0 else self.prize[-1 - self.graph.start])

    def moves(self, game: Game, decision: Decision) -> dict[tuple[int, ...], float]:
        """The moves worth a thought at the position of a game, and the chance to win after each.

        Raises
        ------
        Unsolved
            When the position is not among those that were solved.
        """
        states = self._find(game)
        graph, moves = self.graph, moves_of(decision, game)
        found = []
        for state in states:
            edges = range(int(graph.row[state]), int(graph.row[state + 1]))
            found.append({moves[int(graph.weight[e])]: self._worth(int(graph.target[e])) for e in edges})
        if not found or any(other != found[0] for other in found[1:]):
            raise Unsolved("the chances of this position are not known")
        return found[0]

    def _worth(self, target: int) -> float:
        return float(self.value[target] if target >= 0 else self.prize[-1 - target])

    def _find(self, game: Game) -> list[int]:
        """Positions with the state of a game, whatever the strategies remember."""
        self._place.game.__dict__.update({name: game.__dict__[name] for name in game.declared.state})
        try:
            key = np.array(self.graph.slots.pack(self._place.read()), np.uint64)
        except OverflowError as error:
            raise Unsolved(str(error)) from error
        same = ((self.graph.keys ^ key) & self._mask == 0).all(axis=1) & (self.graph.mover == self.seat)
        return [int(state) for state in np.flatnonzero(same)]


def _wanted(game: Game, seat: int) -> int:
    """Number of the outcome that a seat wants."""
    names = outcome_names(game)
    if game.outcomes is None and names:
        return seat
    if WIN not in names:
        raise Unsolved(f"{game.name} has no outcome called {WIN}, so there is no chance to win to be told")
    return names.index(WIN)


def _state_words(graph: Graph) -> NDArray[np.uint64]:
    """Bits of the packed words that hold the state; the others hold what strategies remember."""
    slots = graph.slots
    mask = np.zeros(slots.words, np.uint64)
    for i, name in enumerate(slots.names):
        if not name.startswith("seat "):
            bits = (1 << int(slots.span[i]).bit_length()) - 1
            mask[int(slots.word[i])] |= np.uint64(bits << int(slots.shift[i]))
    return mask
