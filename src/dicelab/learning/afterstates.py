"""Learns what states are worth from games of a player against itself: temporal differences on afterstates.

An afterstate is the state after a choice, before the next roll. A network with one hidden layer estimates what it is
worth to each seat (R. Sutton and A. Barto, *Reinforcement Learning*, 2018, sections 6.8 and 12.1; G. Tesauro, *Temporal
difference learning and TD-Gammon*, Communications of the ACM 38, 1995). Batches of games are played side by side; each
seat makes the move with the largest estimate to itself, or sometimes one at random. After a batch the network is moved
towards the returns of its games: a share `TRACE` of what came about later, and the rest the estimate after the best
move of the next choice.

The network that is kept has whole numbers (`dicelab.questions.policies.network`).

By itself because it is one of two ways to learn, and `dicelab.learning.values` is what both have in common.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from random import Random
from typing import Any, NamedTuple

import numpy as np

from dicelab.errors import ParameterError
from dicelab.learning.weights import Weights
from dicelab.questions.policies.ahead import Choice, Roll, Row, Table, Value
from dicelab.questions.policies.network import UNIT, Network, input_count, inputs, ranges_of
from dicelab.rules.game import shown
from dicelab.rules.loading.hashing import source_hash
from dicelab.runtime.arrays import Floats, Integers

BATCH = 100
"""Games of a batch."""
HIDDEN = 48
"""Numbers of the hidden layer."""
TRACE = 0.8
"""The lambda of TD(lambda)."""
RANDOM_MOVES = 0.03
"""Share of moves that are made at random."""
FIRST_GAMES = 200
"""Games with random moves that show how large each number of a state becomes."""
RATE, LAST_RATE = 0.003, 0.0002
"""Learning rate of the first and of the last batch; between them it falls by the same factor."""
PASSES, PART = 3, 64
"""How often the network is moved towards the states of a batch, and states by which it is moved at once."""
LONGEST = 10_000
"""Rolls and choices after which a game is given up."""


class ChosenState(NamedTuple):
    """A choice of a game: the state after it, the estimate after the best move, whether that is the one made.

    The first one of a game stands for its start.
    """

    row: Row
    best: Floats
    greedy: bool


class ValueLearner:
    """Plays batches of games against itself, and learns from them.

    Parameters
    ----------
    table
        The game.
    seed, batches
        These determine what is learned, on one machine.

    Raises
    ------
    ParameterError
        When games of random moves don't end.
    """

    def __init__(self, table: Table, seed: int, batches: int) -> None:
        self.table, self.seed, self.batches, self.done = table, seed, batches, 0
        self.chance = Random(seed)
        self.start = table.start()
        rows, ends = self._first_games()
        self.spans: Integers = ranges_of(table.game, rows.min(axis=0), rows.max(axis=0))
        self.least: Floats = ends.min(axis=0)
        self.span: Floats = np.where(ends.max(axis=0) > self.least, ends.max(axis=0) - self.least, 1.0)
        draws, size = np.random.default_rng(seed), input_count(self.spans)
        self.weights = Weights.random(draws, size, len(self.spans), HIDDEN, table.seats)

    def _first_games(self) -> tuple[Integers, Floats]:
        """Return the states of some games with random moves, and what their ends are worth."""
        rows, ends = list[Row](), list[Value]()
        for _ in range(FIRST_GAMES):
            row = self.start
            for _ in range(LONGEST):
                rows.append(self.table.key(row))
                step = self.table.step(row)
                if isinstance(step, Choice):
                    row = self.table.after(row, step.kind, self.chance.choice(step.moves))
                elif isinstance(step, Roll):
                    row = self._rolled(row, step)
                else:
                    ends.append(step)
                    break
        if not ends:
            raise ParameterError(f"{self.table.game.name}: no game of random moves was over after {LONGEST:,} steps")
        return np.array(rows, np.int64), np.array(ends, np.float64)

    def _rolled(self, row: Row, roll: Roll) -> Row:
        """Return the state after a roll."""
        outcomes = roll.dice.outcomes
        place = bisect_right([*accumulate(one.weight for one in outcomes)], self.chance.randrange(roll.dice.weight))
        return self.table.after(row, roll.kind, outcomes[place].seen)

    def _scaled(self, end: Value) -> Floats:
        return np.asarray((np.array(end) - self.least) / self.span)

    def _seen(self, rows: list[Row]) -> Floats:
        """Return the inputs of states."""
        return inputs(self.spans, np.array([self.table.key(row) for row in rows], np.int64)) / UNIT

    def estimates(self, rows: list[Row]) -> Floats:
        """Return what states are worth to each seat, from 0 (the least) to 1; what the end is worth where it is."""
        found = self.weights(self._seen(rows))
        for i, row in enumerate(rows):
            end = self.table.step(row)
            if not isinstance(end, Choice | Roll):
                found[i] = self._scaled(end)
        return found

    def step(self) -> None:
        """Play one batch, and learn from it."""
        rows: list[Row] = [self.start] * BATCH
        begin = ChosenState(self.start, self.estimates([self.start])[0], True)
        games = [[begin] for _ in range(BATCH)]
        ends: dict[int, Floats] = {}
        for _ in range(LONGEST):
            asked: list[tuple[int, Choice, list[Row]]] = []
            for game in range(BATCH):
                if game in ends:
                    continue
                row = rows[game]
                while isinstance(step := self.table.step(row), Roll):
                    row = self._rolled(row, step)
                if isinstance(step, Choice):
                    asked.append((game, step, [self.table.after(row, step.kind, move) for move in step.moves]))
                else:
                    ends[game] = self._scaled(step)
            if not asked:
                break
            known, at = self.estimates([row for _, _, after in asked for row in after]), 0
            for game, choice, after in asked:
                worth, at = known[at : at + len(after)], at + len(after)
                best = taken = int(worth[:, choice.seat].argmax())
                if self.chance.random() < RANDOM_MOVES:
                    taken = self.chance.randrange(len(after))
                games[game].append(ChosenState(after[taken], worth[best], taken == best))
                rows[game] = after[taken]
        self._learn([games[game] for game in ends], list(ends.values()))
        self.done += 1

    def _learn(self, games: list[list[ChosenState]], ends: list[Floats]) -> None:
        """Move the network towards the returns of games."""
        seen, wanted = list[Row](), list[Floats]()
        for game, end in zip(games, ends, strict=True):
            value = end
            for step in reversed(game):
                if isinstance(self.table.step(step.row), Choice | Roll):
                    seen.append(step.row)
                    wanted.append(value)
                value = (1 - TRACE) * step.best + TRACE * value if step.greedy else step.best
        if not seen:
            return
        x, y = self._seen(seen), np.array(wanted)
        rate = RATE * (LAST_RATE / RATE) ** (self.done / max(1, self.batches - 1))
        draws = np.random.default_rng((self.seed, self.done))
        order = np.concatenate([draws.permutation(len(x)) for _ in range(PASSES)])
        for low in range(0, len(order), PART):
            part = order[low : low + PART]
            self.weights.learn(x[part], y[part], rate)

    @property
    def games(self) -> int:
        """Games it has learned from."""
        return self.done * BATCH

    def state(self) -> dict[str, Any]:
        """Return all that it needs to go on, as plain data and arrays: about half a megabyte at most."""
        return {"done": self.done, "random": self.chance.getstate(), **self.weights.state()}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` returned."""
        self.done = state["done"]
        self.chance.setstate(state["random"])
        self.weights.restore(state)

    def network(self) -> Network:
        """Return what was learned, in whole numbers."""
        game, games = self.table.game, self.games
        about: dict[str, Any] = {"game": game.name, "parameters": shown(game), "strategies": [], "games": games}
        about |= {"source_hash": source_hash(type(game)), "seed": self.seed}
        about["solved"] = f"learned from {games:,} games of seed {self.seed}"
        return Network.of(game, about, self.spans, self.weights.weights, (self.least, self.span))
