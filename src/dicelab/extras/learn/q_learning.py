"""Tabular Q-learning: values of moves, estimated from games alone, and the exact value of what was learned.

A learner has no access to the rules; it sees the observations, masks and rewards of an environment. After each game,
its moves are updated from the last to the first: the value of a move is changed towards the reward plus the largest
value known in the next state [1]_. If two seats learn against each other, the value of the next state to one seat is 1
minus that to the other [2]_. So one table serves both, and one seat's exploration doesn't distort what the other
learns. The exact value of the policy is computed at several points of the curve.

References
----------
.. [1] Watkins, Dayan, "Q-learning", Machine Learning 8, 1992.
.. [2] Littman, "Markov games as a framework for multi-agent reinforcement learning", ICML 1994.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from math import inf, isfinite
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dicelab.engines.policy import Policy, against_hash
from dicelab.errors import ParameterError, PlayError
from dicelab.extras.learn.episode import Episode
from dicelab.extras.learn.make import aec, gym
from dicelab.extras.learn.result import LEARNED, CurvePoint, Learned
from dicelab.questions.policies.objective import Objective
from dicelab.questions.policies.solve import policy_of
from dicelab.results.base import about
from dicelab.results.store.answers import Checkpoint, remembered
from dicelab.results.store.encoding import StoredQuestion
from dicelab.results.store.games import seed_in
from dicelab.results.text.writing import many
from dicelab.rules.game import shown
from dicelab.rules.private import private_fields
from dicelab.rules.words import player_name
from dicelab.runtime.arrays import Floats
from dicelab.runtime.interrupts import held_interrupts
from dicelab.runtime.lineup import Run, as_seed
from dicelab.runtime.strategies import Strategies
from dicelab.runtime.timing import Stopwatch
from dicelab.solver.enumeration.estimate import graph_ahead
from dicelab.solver.enumeration.model import Graph
from dicelab.solver.enumeration.unfold import committed, in_order, only, reachable
from dicelab.solver.value_iteration import optimum

if TYPE_CHECKING:
    from dicelab.extras.learn.gym_env import DiceEnv
    from dicelab.extras.learn.pettingzoo_env import DiceAEC


@dataclass
class TriedMove:
    """The estimated value of a move, and the number of its updates."""

    worth: float = 0.0
    visits: int = 0


@dataclass
class Learner:
    """A table of estimated values, and how it is updated.

    Attributes
    ----------
    chance
        Source of the learner's random numbers.
    epsilon
        Share of moves made at random, for exploration.
    omega
        The step size of the n-th update of a move is ``1 / n**omega``.
    known
        By observation, as bytes: the estimate of each move tried there.
    """

    chance: Random
    epsilon: float
    omega: float
    known: dict[bytes, dict[int, TriedMove]] = field(default_factory=dict)

    def choose(self, observation: NDArray[np.int64], mask: NDArray[np.int8]) -> int:
        """Return the move with the largest estimate; with probability `epsilon`, or if none was tried here, a random
        one.
        """
        tried = self.known.get(observation.tobytes())
        if not tried or self.chance.random() < self.epsilon:
            moves = np.flatnonzero(mask)
            return int(moves[int(self.chance.random() * len(moves))])
        return best_of(tried)

    def learn(self, seen: bytes, action: int, target: float) -> float:
        """Update a move's estimate towards `target`; return the new value of the state, its largest estimate."""
        tried = self.known.setdefault(seen, {})
        move = tried.setdefault(action, TriedMove())
        move.visits += 1
        move.worth += (target - move.worth) / move.visits**self.omega
        return max(known.worth for known in tried.values())


def best_of(tried: dict[int, TriedMove]) -> int:
    """Return the move with the largest estimate; the first one of equal ones."""
    return min(tried, key=lambda action: (-tried[action].worth, action))


def play_alone(env: DiceEnv, learner: Learner, seed: int, number: int) -> None:
    """Play game `number` of a seed in a Gymnasium environment and learn from it."""
    moves: list[tuple[bytes, int, float]] = []
    seen, info = env.reset(seed=seed, options={"game": number})
    over = False
    while not over:
        mask = info["action_mask"]
        if not mask.any():  # over before the seat has chosen: nothing to learn
            return
        action = learner.choose(seen, mask)
        after, reward, over, _, info = env.step(action)
        moves.append((seen.tobytes(), action, reward))
        seen = after
    worth = 0.0
    for key, action, reward in reversed(moves):
        worth = learner.learn(key, action, reward + worth)


def play_together(env: DiceAEC, learner: Learner, seed: int, number: int) -> None:
    """Play game `number` of a seed in a PettingZoo environment, where two seats share a learner, and learn from it."""
    moves: list[tuple[bytes, int, str]] = []
    env.reset(seed=seed, options={"game": number})
    while True:
        seen, _, over, _, info = env.last()
        if over or not info["action_mask"].any():
            break
        action = learner.choose(seen, info["action_mask"])
        moves.append((seen.tobytes(), action, env.agent_selection))
        env.step(action)
    _learn_backwards(learner, moves, dict(env.rewards))


def _learn_backwards(learner: Learner, moves: Sequence[tuple[bytes, int, str]], rewards: dict[str, float]) -> None:
    # `worth` is the value, to the agent `whose`, of the state in which the move after the current one was made.
    worth, whose = 0.0, ""
    for key, action, agent in reversed(moves):
        target = rewards[agent] if not whose else worth if agent == whose else 1.0 - worth
        worth, whose = learner.learn(key, action, target), agent


# The exact value of a learned policy, computed on the graph of the game -----------------------------------------------
#
# Transitions that the learned policy does not take are removed from the graph, and the rest is solved like the game. If
# two seats learn, the value of each is that against the best response to its policy.


@dataclass(frozen=True)
class PolicyEvaluator:
    """The graph of a game, and the states in it that belong to each observation.

    Attributes
    ----------
    graph, seats, wanted
        The graph in which the learning seats have all choices; these seats; their objective.
    places
        By observation, as bytes: the indices of the states with this observation.
    number
        For each action its index among the moves of its decision.
    """

    graph: Graph
    seats: tuple[int, ...]
    wanted: Objective
    places: dict[bytes, list[int]]
    number: list[int]

    @classmethod
    def of(cls, run: Run, seats: Sequence[int], wanted: Objective, memory: int | None = None) -> PolicyEvaluator:
        """Enumerate the states.

        Raises
        ------
        TooLarge, PlayError
            As in `dicelab.solve`.
        ParameterError
            When the game is over before anybody chooses.
        """
        graph = in_order(graph_ahead(run, seats, memory, counted=wanted.needs_tallies))
        if graph.start < 0:
            raise ParameterError(f"{run.game.name} is over before anybody chooses")
        table = Episode(run, seats, wanted)
        chooses = np.flatnonzero(graph.mover >= 0)
        seen = np.stack([graph.slots.column(graph.keys[chooses], i) for i in table.varying.tolist()], axis=1)
        for seat in seats:
            unseen = np.flatnonzero(table.hidden_from(seat)[table.varying])
            seen[np.ix_(graph.mover[chooses] == seat, unseen)] = table.low[unseen]
        places: dict[bytes, list[int]] = {}
        for state, numbers in zip(chooses.tolist(), seen, strict=True):
            places.setdefault(numbers.tobytes(), []).append(state)
        decisions = [decision for decision, _ in table.actions]
        number = [i - decisions.index(decision) for i, decision in enumerate(decisions)]
        return cls(graph, tuple(seats), wanted, places, number)

    def best(self) -> tuple[tuple[float, ...], float]:
        """Return the value of optimal play to each learning seat, and a bound on its error; two seats play each other.

        With hidden information it isn't known: then there are no values.
        """
        if private_fields(self.graph.game):
            return (), inf
        value, error = _value(self.graph, self.wanted, self.seats[0])
        return (value, 1.0 - value)[: len(self.seats)], error

    def worth(self, picked: NDArray[np.int64]) -> tuple[float | None, ...]:
        """Return the value of the picked edges (one per state) to each learning seat; None if a
        game might never end.
        """
        return tuple(self._worth_to(seat, picked) for seat in self.seats)

    def _worth_to(self, seat: int, picked: NDArray[np.int64]) -> float | None:
        try:
            value, error = _value(_kept(self.graph, picked, seat), self.wanted, seat)
        except PlayError:
            return None
        return value if isfinite(error) else None

    def at(self, seen: bytes) -> list[int]:
        """Return the states with this observation.

        Raises
        ------
        PlayError
            When there is none.
        """
        if seen not in self.places:
            values = np.frombuffer(seen, np.int64).tolist()
            raise PlayError(
                f"{self.graph.game.name}: a game reached the state {values}, which is not among the enumerated states; "
                "next() must not change the state where a seat is asked to choose"
            )
        return self.places[seen]

    def picked(self, learner: Learner) -> NDArray[np.int64]:
        """Return the edge that a learner takes in each state: -1 if it doesn't choose there, the
        first one if unseen.
        """
        graph = self.graph
        picked = np.where(graph.mover >= 0, graph.row[:-1], -1)
        for seen, tried in learner.known.items():
            wanted = self.number[best_of(tried)]
            for state in self.at(seen):
                moves = graph.weight[graph.label[graph.row[state] : graph.row[state + 1]]]
                picked[state] = graph.row[state] + int(np.searchsorted(moves, wanted))
        return picked

    def worths(self, learner: Learner) -> Floats:
        """Return the learner's estimate of the value of each edge; 0 if it has never taken it."""
        graph, worths = self.graph, np.zeros(self.graph.edges)
        sign = float(self.wanted.sign)
        for seen, tried in learner.known.items():
            for state in self.at(seen):
                first = int(graph.row[state])
                moves = graph.weight[graph.label[first : graph.row[state + 1]]]
                for action, known in tried.items():
                    worths[first + int(np.searchsorted(moves, self.number[action]))] = sign * known.worth
        return worths


def _value(graph: Graph, wanted: Objective, seat: int) -> tuple[float, float]:
    """Return the value of a game to a seat that plays optimally, other free seats playing against it; a bound on its
    error.
    """
    gain, prize, side, unit = wanted.rewards(graph, seat)
    best = optimum(graph, side, gain, prize)
    return unit * float(gain[graph.start_change] + best.value[graph.start]), unit * best.error(graph.start)


def _kept(graph: Graph, picked: NDArray[np.int64], seat: int) -> Graph:
    """Return the part of the graph that can be reached with only the picked edges where one seat chooses."""
    kept = committed(graph, graph.mover == seat, picked)
    return only(kept, np.sort(reachable(kept)))


# The state of a learner in the middle of its games, as plain data and arrays, and back --------------------------------


def state_of(learner: Learner, games: int, points: Sequence[CurvePoint]) -> dict[str, Any]:
    """Return all that a learner needs to go on after a number of games, and the points of its curve so far."""
    tried = list(learner.known.values())
    known = [one for moves in tried for one in moves.values()]
    return {
        "games": games,
        "points": list(points),
        "random": learner.chance.getstate(),
        "seen": np.frombuffer(b"".join(learner.known), np.int64).reshape(len(tried), -1 if tried else 0),
        "moves": np.array([len(moves) for moves in tried], np.int64),
        "actions": np.array([action for moves in tried for action in moves], np.int64),
        "worth": np.array([one.worth for one in known], np.float64),
        "visits": np.array([one.visits for one in known], np.int64),
    }


def restore(learner: Learner, state: dict[str, Any]) -> tuple[int, list[CurvePoint]]:
    """Put a learner into a state; returns the number of games it has learned from, and the points of its curve."""
    learner.chance.setstate(state["random"])
    moves = zip(state["actions"].tolist(), state["worth"].tolist(), state["visits"].tolist(), strict=True)
    for seen, count in zip(state["seen"], state["moves"].tolist(), strict=True):
        tried = (next(moves) for _ in range(count))
        learner.known[seen.tobytes()] = {action: TriedMove(worth, visits) for action, worth, visits in tried}
    return state["games"], state["points"]


FIRST = 1000
"""The first point of a curve is at about 1/FIRST of its games."""


def learned(
    run: Run,
    seats: Sequence[int],
    against: Strategies,
    *,
    objective: str | None,
    games: int,
    seed: int | None,
    points: int,
    epsilon: float,
    omega: float,
    memory: int | None,
    store: str | os.PathLike[str] | None,
    progress: Callable[[int, int], None],
) -> Learned:
    """Return what `dicelab.learn` learns, for the seats that learn."""
    wanted = Objective.of(run.game, objective)
    _check_seats(run, seats, wanted)
    stops = _stops(games, points)
    learner = Learner(Random(), epsilon, omega)
    facts: dict[str, Any] = {"seats": seats, "objective": wanted.text, "epsilon": epsilon, "omega": omega}
    asked = partial(StoredQuestion.computed, "learn", run, **facts)
    first = as_seed(seed_in(store, seed, partial(asked, None)))
    learner.chance.seed(first)
    if len(seats) == 1:
        play = partial(play_alone, gym(run.game, against, seat=seats[0], objective=objective))
    else:
        play = partial(play_together, aec(run.game))

    def compute() -> Learned:
        watch = Stopwatch()
        judge = PolicyEvaluator.of(run, seats, wanted, memory)
        best, error = judge.best()
        point = partial(_point, judge, learner, best=best)
        with closing(Checkpoint(store, partial(asked, first))) as checkpoint:
            played, curve = _learned(learner, partial(play, learner, first), stops, point, checkpoint, progress)
        calls = [LEARNED if s in seats else str(call) for s, call in enumerate(run.calls)]
        kept: dict[str, Any] = {"game": run.game.name, "parameters": shown(run.game), "strategies": calls}
        kept |= {"objective": wanted.text, "games": played, "seed": first, "value": curve[-1].values[0]}
        kept |= against_hash(run.game, run.calls)
        return Learned(
            **about(run.game, calls),
            objective=wanted.text,
            seats=tuple(seats),
            games=played,
            seed=first,
            epsilon=learner.epsilon,
            omega=learner.omega,
            best=best,
            error=error,
            points=tuple(curve),
            choices=int((judge.graph.mover >= 0).sum()),
            interrupted=played < stops[-1],
            seconds=watch.seconds,
            policy=_policy(judge, learner, kept),
        )

    return remembered(store, partial(asked, first, games=stops[-1], points=points), lambda _: compute(), run.game)


def _learned(
    learner: Learner,
    play: Callable[[int], None],
    stops: Sequence[int],
    point: Callable[[int], CurvePoint],
    checkpoint: Checkpoint,
    progress: Callable[[int, int], None],
) -> tuple[int, list[CurvePoint]]:
    """Learn from games, from the checkpoint on if it is not beyond them; returns their number, and the curve."""
    played, curve = 0, list[CurvePoint]()
    beyond = checkpoint.kept is not None and checkpoint.kept["games"] > stops[-1]
    if checkpoint.kept is not None and not beyond:
        played, curve = restore(learner, checkpoint.kept)
    with held_interrupts() as stopped:
        for stop in stops:
            if stop < played or (curve and curve[-1].games >= stop):
                continue
            while played < stop and not stopped():
                play(played)
                played += 1
                if not beyond:
                    checkpoint.keep(partial(state_of, learner, played, curve))
                progress(played, stops[-1])
            if stopped():
                break
            curve.append(point(played))
    if not curve or curve[-1].games < played:  # interrupted; valuing what was learned may take more than a second
        if not beyond:
            checkpoint.keep(partial(state_of, learner, played, curve), now=True)
        curve.append(point(played))
    if not beyond and played == stops[-1]:
        checkpoint.keep(partial(state_of, learner, played, curve), now=True)
    return played, curve


def _point(judge: PolicyEvaluator, learner: Learner, games: int, best: Sequence[float]) -> CurvePoint:
    """Return the point of the curve for the current estimates."""
    values = judge.worth(judge.picked(learner))
    known = [value for value in values if value is not None]
    gap = sum(abs(b - v) for b, v in zip(best, known, strict=True)) if len(known) == len(best) else None
    return CurvePoint(games, values, gap, len(learner.known))


def _policy(judge: PolicyEvaluator, learner: Learner, facts: dict[str, Any]) -> Policy | None:
    """Return the current estimates as a policy that every engine can play."""
    worths, seats = judge.worths(learner), list(judge.seats)
    summary = " and ".join(player_name(seat) for seat in seats)
    others = [call for call in facts["strategies"] if call != LEARNED]
    summary += f", {facts['objective']}{', against ' + ', '.join(others) if others else ''}"
    summary += f", learned from {many(facts['games'], 'game')} of seed {facts['seed']}"
    kept = {**facts, "error": None, "seats": seats, "solved": summary}
    return policy_of(judge.graph, judge.picked(learner), lambda sources, edges: worths[edges], kept)


def _check_seats(run: Run, seats: Sequence[int], wanted: Objective) -> None:
    """Check that exact values can be computed: at most two learning seats, and two only to win."""
    if len(seats) > 2:
        raise ParameterError(
            f"{run.game.name}: two seats learn against each other, not {len(seats)}; give the strategies against which "
            "one of them learns"
        )
    hidden = private_fields(run.game)
    if len(seats) == 2 and hidden:
        raise ParameterError(
            f"{run.game.name} has hidden information ({', '.join(hidden)}), so the best answer to a policy isn't "
            "known; give the strategy against which one seat learns"
        )
    if len(seats) == 2 and wanted.kind != "win":
        raise ParameterError(f"{run.game.name}: for two seats that learn against each other, objective must be win")


def _stops(games: int, points: int) -> list[int]:
    """Return the numbers of games at the points of a curve: a geometric sequence, rounded to two digits.

    >>> _stops(20_000, 4), _stops(3, 10)
    ([20, 200, 2000, 20000], [1, 3])
    """
    exact = (games * FIRST ** (k / max(1, points - 1) - 1) for k in range(points - 1))
    return sorted({*(max(1, int(float(f"{number:.2g}"))) for number in exact), games})
