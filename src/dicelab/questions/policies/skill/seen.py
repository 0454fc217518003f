"""Reviews and hints in games with hidden information: moves are judged by what the seat that made them saw.

All seats are taken to follow strategies that are given. A seat's belief is then a set of states with weights: those
that the rolls and moves so far may have led to and that look to the seat as the game does. A move is worth the mean,
over this belief, of the value of the state after it, when all seats follow their strategies from there on.

A move of others that their strategies don't make tells a seat nothing: then all moves that look the same are taken to
be equally likely.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, Protocol

import numpy as np

from dicelab.errors import ParameterError, TooLarge
from dicelab.questions.policies.objective import Objective
from dicelab.questions.policies.skill.review import Done, PlayedStep, carried_out
from dicelab.questions.policies.skill.reviewed import Review, Reviewed, Shares
from dicelab.questions.policies.skill.values import Values, valued_by, wanted_by_all
from dicelab.results.base import about
from dicelab.rules.actions import OVER, Decision
from dicelab.rules.fields import applied
from dicelab.rules.game import Game, fresh, position, reset, seat_count, twin
from dicelab.rules.private import laid_open, shown_to
from dicelab.runtime.interpreter import Explained, as_move, asked
from dicelab.runtime.lineup import Run
from dicelab.runtime.philox import pool
from dicelab.runtime.states.codec import Place, Slots
from dicelab.runtime.timing import Stopwatch
from dicelab.solver.enumeration.estimate import graph_ahead
from dicelab.solver.enumeration.model import all_outcomes, legal_moves, moves_at

MOST = 200_000
"""Limit of the states that are tried for one seat after one roll or move."""

Weighed = tuple[float, Game]
"""A state, and the weight that a seat gives it."""


class PlayEvent(Protocol):
    """A roll or a move of a game in play."""

    @property
    def values(self) -> tuple[int, ...]:
        """What the rules received."""
        ...


class Line(NamedTuple):
    """The strategies that all seats are taken to follow, as functions that choose."""

    run: Run

    def move(self, game: Game, decision: Decision, seat: int) -> tuple[int, ...]:
        """Return the move that the strategy of a seat makes in the present state of a game."""
        move = as_move(self.run.calls[seat].chooser(game)(game, decision, seat))
        if not decision.allows(game, move):
            call = self.run.calls[seat]
            raise ParameterError(f"{call} makes a move in {decision.name} that is not allowed; choose another strategy")
        return move


def following(game: Game, strategies: str | Sequence[str]) -> Line:
    """Return the strategies that all seats of a game are taken to follow.

    Raises
    ------
    ParameterError
        When one of them remembers things: then a state doesn't say what it does.
    """
    line = Line(Run.of(game, strategies))
    mixed = next((str(call) for call in line.run.calls if call.strategy.mixes), None)
    if mixed is not None:
        raise ParameterError(
            f"{mixed} draws its moves, and hints take strategies that make one move in each situation, or a file of "
            "mixed strategies (--policy FILE)"
        )
    remembering = next((str(call) for call in line.run.calls if call.strategy.memory is not None), None)
    if remembering is not None:
        raise ParameterError(f"{remembering} has a memory, which no seat sees; choose a strategy without one")
    return line


class Belief:
    """What a seat of a game may believe the state to be.

    Attributes
    ----------
    states
        The states that look to the seat as the game does, with weights that sum to 1.
    """

    def __init__(self, game: Game, seat: int, line: Line) -> None:
        self.seat, self.line = seat, line
        start = fresh(game)
        reset(start)
        self.states: list[Weighed] = [(1.0, start)]

    def note(self, before: Game, after: Game, values: Sequence[int]) -> None:
        """Learn from a roll or a move: the game before and after it, and what the rules received.

        Raises
        ------
        TooLarge
            When too many states are possible.
        """
        step = before.next()
        kind, number = asked(before, step)
        looks = self._looks(before, after, kind, values)
        alike = [(weight, state) for weight, state in self.states if state.next() == step]
        if isinstance(kind, Decision) and number == self.seat:
            weighed = self._kept(((weight, state, values) for weight, state in alike), kind, looks)
        elif isinstance(kind, Decision):
            expected = ((w, state, self.line.move(state, kind, number)) for w, state in alike)
            weighed = self._kept(expected, kind, looks) or self._kept(
                (
                    (w / len(moves), state, m)
                    for w, state in alike
                    for moves in [legal_moves(kind, state)]
                    for m in moves
                ),
                kind,
                looks,
            )
        else:
            rolls = (
                (weight * outcome.weight, state, outcome.seen)
                for weight, state in alike
                for outcome in all_outcomes(state, kind, pool(state, kind, number))
            )
            weighed = self._kept(rolls, kind, looks)
        total = sum(weight for weight, _ in weighed)
        self.states = [(weight / total, state) for weight, state in weighed]

    def _kept(self, tried: Iterable[tuple[float, Game, Sequence[int]]], kind: Any, looks: object) -> list[Weighed]:
        """Return the states after a roll or move that look as the game does, each once."""
        merged: dict[str, Weighed] = {}
        for count, (weight, state, values) in enumerate(tried):
            if count > MOST:
                raise TooLarge(
                    f"{state.name}: more than {MOST:,} hidden states are possible for seat {self.seat}, too many to "
                    "weigh up; review a game with fewer dice or players"
                )
            after = twin(state)
            applied(kind.run, after, values)
            if self._looks(state, after, kind, values) == looks:
                key = str(position(after))
                merged[key] = (weight + merged.get(key, (0.0, after))[0], after)
        return list(merged.values())

    def _looks(self, before: Game, after: Game, kind: Any, values: Sequence[int]) -> object:
        """Return all that the seat sees of a state, and what the step before it has laid open."""
        return shown_to(after, position(after), self.seat), laid_open(before, after, kind, values)


class Worths:
    """The value of states to each seat when all follow their strategies.

    Their values come from one enumeration of all states behind those that are asked for: `prepare` collects them.
    """

    def __init__(self, line: Line, wanted: Objective) -> None:
        self.line, game = line, line.run.game
        slots = Slots.of(game, ())
        nothing = np.zeros((0, slots.words), np.uint64), np.zeros((0, max(1, seat_count(game)))), np.zeros(0, np.int64)
        self.values = Values(game, wanted, *nothing)
        self.solved = False

    def prepare(self, states: Iterable[Game], memory: int | None, progress: Callable[[int, int], None]) -> None:
        """Find the values of all states behind these."""
        run, game = self.line.run, self.line.run.game
        roots = [tuple(Place(state, ()).read()) for state in map(self.followed, states) if state.next() != OVER]
        counted = self.values.objective.needs_tallies
        graph = graph_ahead(run, (), memory, progress, counted=counted, roots=list(dict.fromkeys(roots)))
        self.values = valued_by(game, self.values.objective, graph)

    def followed(self, game: Game) -> Game:
        """Return the game after the choices that come now; dice are rolled there, or it is over."""
        state = twin(game)
        while (step := state.next()) != OVER:
            kind, seat = asked(state, step)
            if not isinstance(kind, Decision):
                break
            applied(kind.run, state, self.line.move(state, kind, seat))
        return state

    def of(self, game: Game) -> Shares:
        """Return the expected result of each seat, tallies counted so far included."""
        return self.values.of(self.followed(game))

    def over(self, states: Iterable[Weighed]) -> Shares:
        """Return the mean over states with weights."""
        worths = [(weight, [float(share) for share in self.of(state)]) for weight, state in states]
        return tuple(Fraction(sum(weight * shares[k] for weight, shares in worths)) for k in range(self.values.seats))


def after_move(states: Iterable[Weighed], decision: Decision, move: Sequence[int]) -> list[Weighed]:
    """Return the states after a move."""
    after = []
    for weight, state in states:
        changed = twin(state)
        applied(decision.run, changed, move)
        after.append((weight, changed))
    return after


class _Noted(NamedTuple):
    """A step of a game; of a decision also the states after the move made, and after that of the strategy."""

    step: PlayedStep
    done: Done
    after: Game
    made: Sequence[Weighed] = ()
    instead: Sequence[Weighed] = ()


def review_seen(
    game: Game,
    strategies: str | Sequence[str],
    played: Sequence[PlayedStep],
    names: Sequence[str] = (),
    objective: str | None = None,
    memory: int | None = None,
    progress: Callable[[int, int], None] = lambda found, expanded: None,
) -> Review:
    """Review a game with hidden information, given its rolls and moves in order.

    The cost of a decision is the mean, over what the seat may believe, of the value after its strategy's move minus the
    value after the move made. What else the move changed, because of what the seat did not see, is luck.

    Parameters
    ----------
    game, played, names
        As in `dicelab.questions.policies.skill.review.review`.
    strategies
        One for all seats, or one for each, that they are taken to follow.
    objective, memory, progress
        As in `dicelab.solve`.
    """
    watch, line = Stopwatch(), following(game, strategies)
    worths = Worths(line, wanted_by_all(game, objective))
    table = fresh(game)
    reset(table)
    start, noted = twin(table), list[_Noted]()
    beliefs = [Belief(game, seat, line) for seat in range(max(1, seat_count(game)))]
    for at, step in enumerate(played, 1):
        with Explained(table):
            done = carried_out(table, step, at, line.move)
        made, instead = list[Weighed](), list[Weighed]()
        if done.decision is not None and done.better != step.values:
            states = beliefs[done.seat].states
            made, instead = (after_move(states, done.decision, move) for move in (step.values, done.better))
        for belief in beliefs:
            belief.note(done.before, table, step.values)
        noted.append(_Noted(step, done, twin(table), made, instead))
    every = [start, *(one.after for one in noted), *(s for one in noted for _, s in (*one.made, *one.instead))]
    worths.prepare(every, memory, progress)
    now = worths.of(start)
    first, steps = now, list[Reviewed]()
    for one in noted:
        after = worths.of(one.after)
        unseen = tuple(b - a for a, b in zip(now, after, strict=True))
        if one.made:
            judged = zip(worths.over(one.made), worths.over(one.instead), strict=True)
            unseen = tuple(all_ - (m - b) for all_, (m, b) in zip(unseen, judged, strict=True))
        done, unseen = one.done, unseen if one.done.seat >= 0 else ()
        decided = done.decision, done.better, done.called, unseen
        steps.append(Reviewed(one.step.kind, done.name, one.step.values, done.seat, now, after, *decided))
        now = after
    return Review(
        **(about(game, line.run.calls) | {"seconds": watch.seconds}),
        names=tuple(names) or tuple(f"player {seat + 1}" for seat in range(len(first))),
        objective=worths.values.objective,
        steps=tuple(steps),
        start=first,
        result=now,
        over=table.next() == OVER,
    )


class SeenHints:
    """What moves are worth to a seat by what it has seen, when all follow their strategies afterwards.

    Attributes
    ----------
    played
        The rolls and moves so far, set by what plays the game.
    """

    def __init__(self, game: Game, strategies: str | Sequence[str], objective: str | None = None) -> None:
        self.game, self.line = game, following(game, strategies)
        self.wanted = wanted_by_all(game, objective)
        self.played: Sequence[PlayEvent] = ()

    def __call__(self, game: Game, decision: Decision, seat: int) -> dict[tuple[int, ...], float]:
        """Return the value to a seat of each move that is sensible now, tallies counted so far included."""
        table, belief = fresh(self.game), Belief(self.game, seat, self.line)
        reset(table)
        for step in self.played:
            before = twin(table)
            kind, _ = asked(table, table.next())
            applied(kind.run, table, step.values)
            belief.note(before, table, step.values)
        moves = [move for move in moves_at(decision, game) if decision.considered(game, move)]
        after = {move: after_move(belief.states, decision, move) for move in moves}
        worths = Worths(self.line, self.wanted)
        worths.prepare((state for states in after.values() for _, state in states), None, lambda done, total: None)
        return {move: float(worths.over(states)[seat]) for move, states in after.items()}
