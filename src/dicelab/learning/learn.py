"""Learns, and looks at what was learned after so many games: exactly, beside the best that there is."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from dicelab.engines.policy import Policy
from dicelab.errors import ParameterError
from dicelab.learning.evaluation import Judge
from dicelab.learning.make import aec, gym
from dicelab.learning.q_learning import Learner, play_alone, play_together
from dicelab.learning.result import LEARNED, Learned, Point
from dicelab.policies.from_solution import policy_of
from dicelab.policies.objective import Objective
from dicelab.policies.solve import seated
from dicelab.results.writing import many
from dicelab.rules.game import Game, shown
from dicelab.rules.params import as_integer
from dicelab.rules.source import source_hash
from dicelab.runtime.interrupts import held_interrupts
from dicelab.runtime.lineup import Run, as_seed, as_texts
from dicelab.runtime.timing import Stopwatch
from dicelab.version import __version__

FIRST = 1000
"""The first point of a curve is at about this fraction of its games."""


def learn(
    game: str | os.PathLike[str] | type[Game] | Game,
    against: str | Sequence[str] = (),
    *,
    seat: int = 0,
    objective: str | None = None,
    games: int = 20_000,
    seed: int | None = None,
    points: int = 10,
    epsilon: float = 0.1,
    omega: float = 0.8,
    memory: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    **parameters: object,
) -> Learned:
    """Learn to play from games alone, and say how far from the best play that comes.

    A tabular Q-learner plays in the environments of `dicelab.learning`: one seat against given strategies (or alone) in
    Gymnasium's, two seats against each other in PettingZoo's. At some points what it would play then, without trying
    out, is made a policy, the first sensible move being taken where it has never been; what that is worth is found
    exactly. Two seats are each judged at their worst: against the best answer to what was learned.

    Parameters
    ----------
    game, against, seat, objective, memory, **parameters
        As in `dicelab.solve`.
    games
        Games to learn from: those that `dicelab.simulate` would play with this seed, were the same moves made.
    seed
        For the dice and for what is tried out; drawn at random when None.
    points
        Points of the curve.
    epsilon
        Share of moves that are made at random.
    omega
        The worth of a move made for the n-th time moves by 1 / n**omega of the way towards what came of it.
    progress
        Called with the games played so far, and all.

    Returns
    -------
    Learned
        When interrupted from the keyboard, with what was learned so far.

    Raises
    ------
    InputError
        When something given is unknown or not allowed, or a library is not installed.
    TooLarge
        When the positions do not fit, so that there is nothing exact to compare with.
    PlayError
        When a game goes wrong.

    Examples
    --------
    >>> learned = learn("tossup", target=3, dice=2, games=2000, seed=1, points=2)
    >>> [point.games for point in learned.points], learned.points[-1].gap < learned.points[0].gap
    ([2, 2000], True)
    """
    run, seats = seated(game, as_texts(against), seat, parameters)
    wanted = Objective.of(run.game, objective)
    _check_seats(run, seats, wanted)
    stops = _stops(_whole("games", games), _whole("points", points))
    learner = Learner(Random(), _share("epsilon", epsilon, 0.0), _share("omega", omega, 0.5))
    first = as_seed(seed)
    learner.chance.seed(first)
    bytes_allowed = None if memory is None else _whole("memory", memory)
    env = gym(run.game, against, seat=seat, objective=objective) if len(seats) == 1 else aec(run.game)
    play = play_alone if len(seats) == 1 else play_together
    watch = Stopwatch()
    judge = Judge.of(run, seats, wanted, bytes_allowed)
    best, error = judge.best()
    found: list[Point] = []
    played = 0
    with held_interrupts() as stopped:
        for stop in stops:
            while played < stop and not stopped():
                play(env, learner, first, played)
                played += 1
                if progress is not None:
                    progress(played, stops[-1])
            found.append(_point(judge, learner, played, best))
            if stopped():
                break
    calls = [LEARNED if s in seats else str(call) for s, call in enumerate(run.calls)]
    facts: dict[str, Any] = {"game": run.game.name, "parameters": shown(run.game), "strategies": calls}
    facts |= {"objective": wanted.text}
    provenance: dict[str, Any] = {"version": __version__, "source_hash": source_hash(type(run.game))}
    return Learned(
        **facts,
        **provenance,
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
        policy=_policy(judge, learner, {**facts, "games": played, "seed": first, "value": found[-1].values[0]}),
    )


def _point(judge: Judge, learner: Learner, games: int, best: Sequence[float]) -> Point:
    """What has been learned now."""
    values = judge.worth(judge.picked(learner))
    known = [value for value in values if value is not None]
    gap = sum(abs(b - v) for b, v in zip(best, known, strict=True)) if len(known) == len(best) else None
    return Point(games, values, gap, len(learner.known))


def _policy(judge: Judge, learner: Learner, facts: dict[str, Any]) -> Policy | None:
    """What has been learned, as a policy that every engine plays."""
    worths, seats = judge.worths(learner), list(judge.seats)
    told = " and ".join(f"seat {seat}" for seat in seats)
    others = [call for call in facts["strategies"] if call != LEARNED]
    told += f", {facts['objective']}{', against ' + ', '.join(others) if others else ''}"
    told += f", learned from {many(facts['games'], 'game')} of seed {facts['seed']}"
    about = {**facts, "error": None, "seats": seats, "solved": told}
    return policy_of(judge.graph, judge.picked(learner), lambda position, edges: worths[edges], about)


def _check_seats(run: Run, seats: Sequence[int], wanted: Objective) -> None:
    """Refuse what there is no exact answer to compare with."""
    if len(seats) > 2:
        raise ParameterError(
            f"{run.game.name}: two seats learn against each other, not {len(seats)}; say against which strategies one "
            "of them learns"
        )
    if len(seats) == 2 and wanted.kind != "win":
        raise ParameterError(
            f"{run.game.name}: two seats that learn against each other both want to win; objective must be win"
        )


def _stops(games: int, points: int) -> list[int]:
    """Numbers of games at the points of a curve: each as much more than the one before, in two digits.

    >>> _stops(20_000, 4), _stops(3, 10)
    ([20, 200, 2000, 20000], [1, 3])
    """
    exact = (games * FIRST ** (k / max(1, points - 1) - 1) for k in range(points - 1))
    return sorted({*(max(1, int(float(f"{number:.2g}"))) for number in exact), games})


def _whole(name: str, value: object) -> int:
    number = as_integer(value)
    if number is None or number < 1:
        raise ParameterError(f"{name}: {value!r} is not allowed; it takes a whole number, at least 1")
    return number


def _share(name: str, value: object, low: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= 1:
        raise ParameterError(f"{name}: {value!r} is not allowed; it takes a number, {low:g} to 1")
    return float(value)
