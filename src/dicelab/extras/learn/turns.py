"""Learns what the beginnings of turns are worth, from games of a player against itself: approximate value iteration.

What is within a turn is not learned: a turn is evaluated exactly by the compiled rules, given what the network says of
the beginnings that follow it (`dicelab.solver.turns.estimated`). Many games are played side by side by the moves that
are best then, some of them at random. After each turn the network is moved towards the values of the turns that were
evaluated last (R. Sutton and A. Barto, *Reinforcement Learning*, 2018, sections 4.4 and 9.4; a turn takes the place
of a step, and its exact value that of a sample).

The network that is kept has whole numbers (`dicelab.questions.policies.thinking.network`).

By itself because it is one of two ways to learn, and `dicelab.extras.learn.learned_values` is what both have in common.
"""

from __future__ import annotations

from concurrent.futures import Executor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicelab.compile.kernels.writers.thinking import UNIT
from dicelab.errors import ParameterError
from dicelab.extras.learn.weights import Weights
from dicelab.questions.policies.thinking.network import input_count, inputs, ranges_of
from dicelab.questions.policies.thinking.turn_values import TurnNetwork, played_for
from dicelab.rules.game import Game, shown
from dicelab.rules.loading.hashing import source_hash
from dicelab.runtime.arrays import Floats, Integers
from dicelab.runtime.lineup import Run
from dicelab.solver.turns.estimated import MOST_STEPS, EstimatedTurns, TurnsPlayed

SIDE_BY_SIDE = (16, 512)
"""Least and most games that are played side by side."""
ROUNDS = 50
"""Otherwise so many one after the other, in each of the places."""
HIDDEN = 48
"""Numbers of the hidden layer."""
RANDOM_MOVES = (0.05, 0.05, 0.05, 0.3)
"""Shares of the moves of a game that are made at random: every fourth game looks further around."""
FIRST_TURNS = 200
"""Turns of random moves that show how large the numbers become, and from which games are begun."""
RATE, LAST_RATE = 0.003, 0.00006
"""Learning rate at first and at last; between them it falls by the same factor with each game."""
REMEMBERED = 20
"""Turns of all games whose values the network is moved towards."""
STEPS, PART = 32, 256
"""How often the network is moved after each turn, and turns towards which it is moved at once."""
LONGEST = 5000
"""Turns after which a game is given up."""


class TurnLearner:
    """Plays games against itself turn by turn, and learns from them.

    Parameters
    ----------
    game
        The game with its parameters.
    seed, games
        These determine what is learned, on one machine.
    pool
        Where turns are evaluated.

    Raises
    ------
    NotSmall
        When turns have too many states, or the rules can't be compiled.
    ParameterError
        When games of random moves don't end, or the game is for more seats.
    """

    def __init__(self, game: Game, seed: int, games: int, pool: Executor) -> None:
        self.game, self.seed, self.wanted, self.pool, self.games = game, seed, games, pool, 0
        self.goal, self.draws = played_for(game), np.random.default_rng(seed)
        self.turns, start = EstimatedTurns.found(Run.of(game), self.goal.aims)
        self.parts = self.turns.parts
        self.start = self.parts.pack(start)
        self.rows = np.repeat(self.start, int(np.clip(games // ROUNDS, *SIDE_BY_SIDE)), axis=0)
        self.ages = np.zeros(len(self.rows), np.int64)
        met, gained = self._first_turns()
        numbers = self.parts.unpack(met)
        self.spans: Integers = ranges_of(game, numbers.min(axis=0), numbers.max(axis=0))
        self.span = 1.0 if self.goal.bounded else max(gained, 1e-9)
        self.weights = Weights.random(self.draws, input_count(self.spans), max(1, len(self.spans)), HIDDEN, 1)
        self.rows = met[self.draws.integers(0, len(met), len(self.rows))]
        self.seen: list[NDArray[np.uint8]] = []
        self.values: list[Floats] = []

    def _first_turns(self) -> tuple[NDArray[np.uint64], float]:
        """Return beginnings that some turns of random moves lead to, and how much a turn adds to what is counted."""
        met, ended, gained = [self.start], 0, 0.0
        for turn in range(LONGEST):
            played = self._played(lambda numbers: np.zeros(len(numbers)), np.ones(len(self.rows)))
            gained = max(gained, float(np.abs(played.value).max()))
            ended += self._advance(played)
            met.append(self.rows)
            if ended and turn >= min(FIRST_TURNS, LONGEST * ended // len(self.rows)):
                break
        if not ended:
            raise ParameterError(f"{self.game.name}: no game of random moves was over after {LONGEST:,} turns")
        return np.unique(np.concatenate(met), axis=0), gained

    def _played(self, worth: Any, random: Floats) -> TurnsPlayed:
        """Play a turn of each game."""
        draws = self.draws.random((len(self.rows), MOST_STEPS, 2))
        return self.turns.played(self.rows, worth, random, draws, self.pool)

    def _advance(self, played: TurnsPlayed) -> int:
        """Go on to the next turns, and begin anew where a game is over; returns how many are."""
        self.ages += 1
        over = played.over | (self.ages > LONGEST)
        self.rows = np.where(over[:, None], self.start, played.after)
        self.ages[over] = 0
        return int(over.sum())

    def _worth(self, numbers: Integers) -> Floats:
        worth = self.span * self.weights(inputs(self.spans, numbers) / UNIT)[:, 0]
        return np.clip(worth, 0.0, 1.0) if self.goal.bounded else worth

    def step(self) -> None:
        """Play one turn of each game, and learn from it."""
        random = np.resize(np.array(RANDOM_MOVES), len(self.rows))
        played = self._played(self._worth, random)
        seen = inputs(self.spans, self.parts.unpack(self.rows))
        self.seen = [*self.seen, seen][-REMEMBERED:]
        self.values = [*self.values, played.value[:, None] / self.span][-REMEMBERED:]
        self.games += self._advance(played)
        x, y = np.concatenate(self.seen), np.concatenate(self.values)
        rate = RATE * (LAST_RATE / RATE) ** min(1.0, self.games / self.wanted)
        self.weights.learn(x, y, rate, self.draws.integers(0, len(x), (STEPS, PART)))

    def state(self) -> dict[str, Any]:
        """Return all that it needs to go on, as plain data and arrays: about a megabyte, less where it is packed."""
        return {
            "games": self.games,
            "random": self.draws.bit_generator.state,
            "rows": self.rows,
            "ages": self.ages,
            "seen": list(self.seen),
            "values": list(self.values),
            "turns": self.turns.state(),
            **self.weights.state(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` returned."""
        self.games, self.rows, self.ages = state["games"], state["rows"], np.array(state["ages"])
        self.seen, self.values = state["seen"], state["values"]
        self.draws.bit_generator.state = state["random"]
        self.turns.restore(state["turns"])
        self.weights.restore(state)

    def network(self) -> TurnNetwork:
        """Return what was learned, in whole numbers."""
        about: dict[str, Any] = {"game": self.game.name, "parameters": shown(self.game), "strategies": []}
        about |= {"games": self.games, "source_hash": source_hash(type(self.game)), "seed": self.seed}
        about |= {"outer": list(self.parts.names)}
        about["solved"] = f"of turns learned from {self.games:,} games of seed {self.seed}"
        ends = np.zeros(1), np.full(1, self.span)
        return TurnNetwork.of(self.game, about, self.spans, self.weights.weights, ends)
