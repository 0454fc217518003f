"""Tree search where seats don't see everything: a tree of what each seat sees when it chooses.

Each try begins in one of the states that are possible for the seat that chooses (`dicelab.questions.policies.hands`),
as often as it is likely, and goes on as in a game with all hands open; but what was tried, and how it ended, is kept
together for all states that look the same to the seat that chooses in them. So no seat, in the tree too, goes by what
it can't see (P. Cowling, E. Powley and D. Whitehouse, *Information set Monte Carlo tree search*, IEEE Transactions on
Computational Intelligence and AI in Games 4, 2012, with a node for what each seat sees).

By itself because nothing is open in it: values are means over hands, not the best of what is known.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from math import sqrt

import numpy as np

from dicelab.limits import LIMITS
from dicelab.questions.policies.ahead import ChoiceState, Move, Roll, Row, Table, Value, logarithm
from dicelab.questions.policies.hands import Hand
from dicelab.runtime.philox import WORD, Stream, word
from dicelab.runtime.states.codec import hidden_numbers

ROLLS = 2**63
"""The rolls of the tree take the words of the games from this number on, none of which is played on."""
GOLDEN = 0x9E3779B9
"""The golden ratio's fraction, of 32 bits."""


class MoveTried:
    """How often a move could have been made, how often it was tried, and the sum of what that was worth."""

    def __init__(self) -> None:
        self.chances, self.tries, self.total = 0, 0, 0.0


class HiddenTree:
    """What was tried, by what the seat that chooses sees.

    Parameters
    ----------
    table
        The game.
    hands
        The states that are possible for the seat that is to choose now, with their weights.
    seed
        It determines the playouts.
    bonus, spread_games
        As in `dicelab.questions.policies.mcts`.
    """

    def __init__(self, table: Table, hands: Sequence[Hand], seed: int, bonus: float, spread_games: int) -> None:
        self.table, self.seed, self.games = table, seed, 0
        self.rows = [table.row(game) for game, _ in hands]
        self.running = [*accumulate(weight for _, weight in hands)]
        self.dice = Stream(seed, ROLLS)
        self.phase = word(seed, ROLLS + 1, 0, 0)
        self.seen = [np.flatnonzero(~hidden).tolist() for hidden in hidden_numbers(table.game)]
        self.tried: dict[tuple[int, ...], dict[Move, MoveTried]] = {}
        spread = table.spread(self._hand(0), seed, spread_games, 2**62)
        self.unit = [(bonus * one) or 1.0 for one in spread]

    def _hand(self, number: int) -> Row:
        """Return the state in which a try begins: each as often as it is likely, spread evenly."""
        u = (self.phase + number * GOLDEN & WORD) / (WORD + 1) * self.running[-1]
        return self.rows[bisect_right(self.running, u, hi=len(self.rows) - 1)]

    def best(self, playouts: int, moves: Sequence[Move], seat: int) -> int:
        """Return the place of the move that is tried most often; of several, of the one that is worth most."""
        for number in range(max(playouts, len(moves))):
            self._try(self._hand(number))
        known = self.tried.get(self._look(self.rows[0], seat), {})
        found = [known.get(move, MoveTried()) for move in moves]
        return max(range(len(moves)), key=lambda i: (found[i].tries, found[i].total))

    def _look(self, row: Row, seat: int) -> tuple[int, ...]:
        return seat, *(row[place] for place in self.seen[seat])

    def _try(self, row: Row) -> None:
        """Go on from a state to the first move that is new to the seat that makes it, or to the end; and note what
        that is worth.
        """
        path: list[tuple[MoveTried, int]] = []
        new = False
        while not new:
            step = self.table.step(row)
            if not isinstance(step, ChoiceState | Roll):
                break
            if not isinstance(step, ChoiceState):
                row = self.table.after(row, step.kind, self.dice.draw(step.dice))
                continue
            move = step.moves[0]
            if len(step.moves) > 1:
                known = self.tried.setdefault(self._look(row, step.seat), {})
                move = self._chosen(known, step)
                new = not known[move].tries
                path.append((known[move], step.seat))
            row = self.table.after(row, step.kind, move)
        value = self._worth(row)
        for tried, seat in path:
            tried.tries += 1
            tried.total += value[seat]

    def _worth(self, row: Row) -> Value:
        """Return what a state is worth to each seat, by games that are played on."""
        step = self.table.step(row)
        if not isinstance(step, ChoiceState | Roll):
            return step
        (value,) = self.table.estimates([row], self.seed, LIMITS.unseen_games, LIMITS.unseen_games * self.games)
        self.games += 1
        return value

    def _chosen(self, known: dict[Move, MoveTried], choice: ChoiceState) -> Move:
        """Return the move to try: the first that is new, else the one that is worth most with its bonus for few
        playouts (of the times it could have been made).
        """
        for move in choice.moves:
            known.setdefault(move, MoveTried()).chances += 1
        for move in choice.moves:
            if not known[move].tries:
                return move
        unit = self.unit[choice.seat]

        def hope(move: Move) -> float:
            one = known[move]
            return one.total / one.tries + unit * sqrt(2 * logarithm(one.chances) / one.tries)

        return max(choice.moves, key=hope)
