"""A learner plays games, and the exact value of what it has learned is computed at several points of the curve."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from random import Random
from typing import Any

import numpy as np

from dicelab.engines.policy import Policy, against_hash
from dicelab.errors import ParameterError
from dicelab.learning.make import aec, gym
from dicelab.learning.q_learning import Learner, PolicyEvaluator, TriedMove, play_alone, play_together
from dicelab.learning.result import LEARNED, CurvePoint, Learned
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
from dicelab.runtime.interrupts import held_interrupts
from dicelab.runtime.lineup import Run, as_seed
from dicelab.runtime.strategies import Strategies
from dicelab.runtime.timing import Stopwatch

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
            played, found = _learned(learner, partial(play, learner, first), stops, point, checkpoint, progress)
        calls = [LEARNED if s in seats else str(call) for s, call in enumerate(run.calls)]
        kept: dict[str, Any] = {"game": run.game.name, "parameters": shown(run.game), "strategies": calls}
        kept |= {"objective": wanted.text, "games": played, "seed": first, "value": found[-1].values[0]}
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
            points=tuple(found),
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
    played, found = 0, list[CurvePoint]()
    beyond = checkpoint.kept is not None and checkpoint.kept["games"] > stops[-1]
    if checkpoint.kept is not None and not beyond:
        played, found = restore(learner, checkpoint.kept)
    with held_interrupts() as stopped:
        for stop in stops:
            if stop < played or (found and found[-1].games >= stop):
                continue
            while played < stop and not stopped():
                play(played)
                played += 1
                if not beyond:
                    checkpoint.keep(partial(state_of, learner, played, found))
                progress(played, stops[-1])
            if stopped():
                break
            found.append(point(played))
    if not found or found[-1].games < played:  # interrupted; valuing what was learned may take more than a second
        if not beyond:
            checkpoint.keep(partial(state_of, learner, played, found), now=True)
        found.append(point(played))
    if not beyond and played == stops[-1]:
        checkpoint.keep(partial(state_of, learner, played, found), now=True)
    return played, found


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
