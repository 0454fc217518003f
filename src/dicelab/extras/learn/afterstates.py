"""Learns what states are worth from games of a player against itself: temporal differences on afterstates.

An afterstate is the state after the choices of a seat, before the next roll, or the next choice of another seat. A
network with one hidden layer, or a linear function, estimates what it is worth to each seat (R. Sutton and A. Barto,
*Reinforcement Learning*, 2018, sections 6.8 and 12.1; G. Tesauro, *Temporal difference learning and TD-Gammon*,
Communications of the ACM 38, 1995). Batches of games are played by compiled rules
(`dicelab.compile.kernels.writers.thinking`); each seat makes the moves with the largest estimate to itself, or
sometimes some at random. After a batch the network is moved towards the returns of its games: a share `TRACE` of what
came about later, and the rest the estimate after the best moves of the next choices.

Where what one of two seats gains is what the other loses, the outputs of a new network are made so that they add up to
the same in every state. Learning keeps that, because what they are moved towards adds up to it as well. Otherwise both
seats may come to think that they win, and then they play for as long as they can: backgammon with 96 hidden numbers
didn't get beyond its first few batches.

Where it goes on from what was learned before, the network that is kept has the mean of the weights after each batch of
the second half, which takes out much of the noise of single batches (B. Polyak and A. Juditsky, *Acceleration of
stochastic approximation by averaging*, SIAM Journal on Control and Optimization 30, 1992).

The network that plays, and is kept, has whole numbers (`dicelab.questions.policies.thinking.network`).

By itself because it is one of two ways to learn, and `dicelab.extras.learn.learned_values` is what both have in common.
"""

from __future__ import annotations

from concurrent.futures import Executor
from typing import Any

import numpy as np

from dicelab.compile.kernels import cache
from dicelab.compile.kernels.arguments import batch_of
from dicelab.compile.kernels.writers import thinking as k
from dicelab.compile.kernels.writers.thinking import FINE, Met
from dicelab.engines.compiled import rows, setting
from dicelab.errors import ParameterError, PlayError
from dicelab.extras.learn.weights import LinearWeights, Weights
from dicelab.questions.policies.thinking.ahead import SearchTable
from dicelab.questions.policies.thinking.network import Ending, Network, input_count, inputs, ranges_of
from dicelab.rules.game import shown
from dicelab.rules.loading.hashing import source_hash
from dicelab.rules.together import counted
from dicelab.runtime.arrays import Floats, Integers
from dicelab.runtime.outcome_tables import tables
from dicelab.runtime.states.codec import Slots
from dicelab.translation.translator import NotTranslatable

BATCH, PARTS = 100, 4
"""Games of a batch, and parts in which they are played at the same time."""
HIDDEN = 48
"""Numbers of the hidden layer, unless others are asked for."""
TRACE = 0.8
"""The lambda of TD(lambda)."""
RANDOM_TURNS = 0.03
"""Share of choices after which a seat goes on at random up to the next roll."""
FIRST_GAMES = 200
"""Games with random moves that show how large each number of a state becomes."""
RATE, LAST_RATE = 0.003, 0.0002
"""Learning rate of the first and of the last batch; between them it falls by the same factor."""
LATER_RATES = 0.001, 0.0001
"""The same where it goes on from what was learned before."""
PASSES, PART, LEAST_STEPS = 2, 128, 64
"""How often the network is moved towards the states of a batch, states by which it is moved at once, and how many such
steps there are at least."""
LONGEST = 10_000
"""Rolls and choices after which a game is given up."""
ROOM = LONGEST + 2
"""Room for the states of some games: at least one fits."""
ALWAYS = 1 << 24
"""What a share of 1 is for the kernel."""


class SelfPlay:
    """The compiled rules, playing games of a network against itself."""

    def __init__(self, table: SearchTable, seed: int) -> None:
        game, self.table, self.seed = table.game, table, seed
        try:
            text, places = k.write(type(game))
        except NotTranslatable as error:
            raise ParameterError(f"{game.name} can't be compiled ({error}), and values are learned compiled") from error
        self.outcomes = tables(game)
        self.network = Network.empty(game, table.wins)
        self._text = text
        cache.compile_now(text, self._load, game.name, places)

    def _load(self) -> None:
        self._kernel = cache.load(self._text)
        self.played(self.network, 0, 0, 0.0)

    def played(self, network: Network, low: int, high: int, share: float) -> Met:
        """Play games `low` to ``high - 1``, a share of the choices at random."""
        game, seats, parts = self.table.game, self.table.seats, list[Met]()
        judge, own, given = network.judge(), rows(game, ()), setting(game, (), ())
        while not parts or low < high:
            many = high - low
            met = Met(
                np.zeros((ROOM, judge.nodes.shape[1]), np.int64),
                np.zeros((ROOM, seats)),
                np.zeros(ROOM, np.bool_),
                np.zeros(many + 1, np.int64),
                np.full((many, seats), np.nan),
            )
            run, report = batch_of(self.seed, low, high, int(share * ALWAYS), LONGEST), np.zeros(2, np.int64)
            status = self._kernel(run, given, own, self.outcomes.for_thread(), judge, met, report)
            done, states = report.tolist()
            if status == k.WRONG or (status == k.FULL and not done):
                raise PlayError(
                    f"{game.name}: a rule breaks the contract in a game that is learned from; check the file"
                )
            kept = met.states[:states], met.best[:states], met.greedy[:states]
            parts.append(Met(*kept, met.begins[: done + 1], met.ends[:done]))
            low += done
            if not many:
                break
        return joined(parts)


def joined(parts: list[Met]) -> Met:
    """Return what was kept of several groups of games."""
    sizes = np.cumsum([0, *(len(part.states) for part in parts)])
    begins = [part.begins[:-1] + size for part, size in zip(parts, sizes[:-1], strict=True)]
    return Met(
        np.concatenate([part.states for part in parts]),
        np.concatenate([part.best for part in parts]),
        np.concatenate([part.greedy for part in parts]),
        np.concatenate([*begins, sizes[-1:]]),
        np.concatenate([part.ends for part in parts]),
    )


def is_zero_sum(table: SearchTable) -> bool:
    """Return whether two seats always get the same together, so that one gains what the other loses.

    >>> from dicelab.games.tossup import TossUp
    >>> is_zero_sum(SearchTable(TossUp(), None, "learn")), is_zero_sum(SearchTable(TossUp(players=3), None, "learn"))
    (True, False)
    """
    prizes, signs = table.prizes()
    together = prizes.sum(axis=1)
    return table.seats == 2 and bool(np.allclose(together, together[0]) and np.allclose(signs.sum(axis=1), 0))


class ValueLearner:
    """Plays batches of games against itself, and learns from them.

    Parameters
    ----------
    table
        The game.
    seed, batches
        These determine what is learned, on one machine.
    pool
        Where games are played.
    before
        What was learned before, from which it goes on; None for nothing.
    hidden
        Numbers of the hidden layer of a new network; 0 for a linear function of the inputs in place of a network.

    Raises
    ------
    ParameterError
        When the rules can't be compiled, or games of random moves don't end.
    """

    def __init__(
        self,
        table: SearchTable,
        seed: int,
        batches: int,
        pool: Executor,
        before: Network | None = None,
        hidden: int = HIDDEN,
    ) -> None:
        self.table, self.seed, self.batches, self.done, self.pool = table, seed, batches, 0, pool
        self.mean: list[Floats] = []
        self.play = SelfPlay(table, seed)
        self.key = [*range(table.numbers), *table.counts]
        names = Slots.of(table.game, ()).names
        self.waiting = [names.index(counted(d.name)) for d in table.game.declared.decisions if d.together is not None]
        self.rotation, self.before, self.rates = self.play.network.rotation, before, (RATE, LAST_RATE)
        self.weights: Weights
        self.spans: Integers
        self.least: Floats
        self.span: Floats
        if before is not None:
            self.spans, self.least, self.span, self.rates = before.spans, before.least, before.span, LATER_RATES
            layers = [one / FINE for one in (before.first, before.first_bias, before.second, before.second_bias)]
            self.weights = LinearWeights.of_layers(layers) if before.is_linear else Weights.begun(layers)
            return
        met = self.play.played(self.play.network, 0, FIRST_GAMES, 1.0)
        ends = met.ends[~np.isnan(met.ends[:, 0])]
        if not len(ends):
            raise ParameterError(f"{table.game.name}: no game of random moves was over after {LONGEST:,} steps")
        states = self._seen(met.states)[0]
        self.spans = ranges_of(table.game, states.min(axis=0), states.max(axis=0))
        least, most = ends.min(axis=0), ends.max(axis=0)
        if self.rotation is not None:  # which seat is which differs from state to state
            least, most = np.full_like(least, least.min()), np.full_like(most, most.max())
        self.least = least
        self.span = np.where(most > least, most - least, 1.0)
        draws, size = np.random.default_rng(seed), input_count(self.spans)
        if not hidden:
            self.weights = LinearWeights.level(size, table.seats)
            return
        self.weights = Weights.random(draws, size, len(self.spans), hidden, table.seats)
        if is_zero_sum(table):
            second = self.weights.weights[2]
            second[:, 1] = -second[:, 0]

    def _seen(self, states: Integers) -> tuple[Integers, Integers]:
        """Return the numbers of states as the network sees them, and from which seat."""
        states, rotation = states[:, self.key], self.rotation
        if rotation is None:
            return states, np.zeros(len(states), np.int64)
        by, seen = states[:, rotation.turn].copy(), states.copy()
        for at in rotation.single:
            seen[:, at] = np.where(states[:, at] >= 0, (states[:, at] - by) % rotation.seats, states[:, at])
        every = np.arange(len(states))
        for at, step in rotation.rows:
            for seat in range(rotation.seats):
                seen[:, at + seat * step] = states[every, at + (seat + by) % rotation.seats * step]
        return seen, by

    def step(self) -> None:
        """Play one batch, and learn from it."""
        network = self._network(self.weights.layers)
        begin, each = FIRST_GAMES + self.games, BATCH // PARTS
        cuts = range(begin, begin + BATCH, each)
        met = joined([*self.pool.map(lambda low: self.play.played(network, low, low + each, RANDOM_TURNS), cuts)])
        wanted = np.empty_like(met.best)
        for game, end in enumerate(met.ends):
            value = end
            for at in range(int(met.begins[game + 1]) - 1, int(met.begins[game]) - 1, -1):
                wanted[at] = value
                best = met.best[at]
                value = (1 - TRACE) * best + TRACE * value if met.greedy[at] else best
        self._learn(met.states, wanted)
        averaged = self.done + 1 - -(-self.batches // 2)
        if self.before is not None and averaged > 0:
            pairs = zip(self.mean or self.weights.layers, self.weights.layers, strict=True)
            self.mean = [mean + (one - mean) / averaged for mean, one in pairs]
        self.done += 1

    def _learn(self, states: Integers, wanted: Floats) -> None:
        """Move the network towards what states are worth, but for those between choices that are made at once: they are
        never judged.
        """
        settled = (states[:, self.waiting] == 0).all(axis=1)
        states, wanted = states[settled], wanted[settled]
        if not len(states):
            return
        seen, by = self._seen(states)
        x = inputs(self.spans, seen)
        seats = (np.arange(wanted.shape[1]) + by[:, None]) % wanted.shape[1]
        y = (np.take_along_axis(wanted, seats, axis=1) - self.least) / self.span
        first, last = self.rates
        rate = first * (last / first) ** (self.done / max(1, self.batches - 1))
        draws = np.random.default_rng((self.seed, self.done))
        order = np.concatenate([draws.permutation(len(x)) for _ in range(PASSES)])
        order = np.resize(order, (max(LEAST_STEPS, len(order) // PART), PART))
        self.weights.learn(x, y, rate, order)

    @property
    def games(self) -> int:
        """Games it has learned from."""
        return self.done * BATCH

    def state(self) -> dict[str, Any]:
        """Return all that it needs to go on, as plain data and arrays: less than a megabyte."""
        return {"done": self.done, "mean": [*map(np.copy, self.mean)], **self.weights.state()}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` returned."""
        self.done, self.mean = state["done"], [*map(np.array, state["mean"])]
        self.weights.restore(state)

    def network(self, ending: Ending | None = None) -> Network:
        """Return what was learned, in whole numbers, with the exact values of an ending."""
        return self._network(self.mean or self.weights.layers, ending)

    def _network(self, weights: list[Floats], ending: Ending | None = None) -> Network:
        game, games = self.table.game, self.games
        about: dict[str, Any] = {"game": game.name, "parameters": shown(game), "strategies": [], "games": games}
        about |= {"source_hash": source_hash(type(game)), "seed": self.seed}
        about |= {"objective": "win"} if self.table.wins else {}
        about |= {"linear": True} if isinstance(self.weights, LinearWeights) else {}
        about["solved"] = f"learned{' to win' if self.table.wins else ''} from {games:,} games of seed {self.seed}"
        if self.before is not None:
            about["solved"] += f" after {self.before.about['solved']}"
        if ending is not None:
            about["solved"] += f", exact in the {len(ending.keys):,} states of {ending.text}"
        return Network.of(game, about, self.spans, weights, (self.least, self.span), ending)
