"""The value of every state of a game to every seat, when all seats play one optimal policy from there on.

Unlike a policy, it also knows the states in which dice are rolled, so it tells the luck of a roll from the cost of a
decision (`dicelab.questions.policies.skill.review`).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dicelab.errors import ParameterError
from dicelab.questions.policies.objective import Objective
from dicelab.rules.actions import OVER, Decision
from dicelab.rules.fields import applied
from dicelab.rules.game import Game, counted, fresh, reset, seat_count, twin
from dicelab.rules.payoffs import has_payoffs, payoff_tallies
from dicelab.rules.private import must_be_open
from dicelab.runtime.arrays import Floats
from dicelab.runtime.interpreter import asked, outcome_of
from dicelab.runtime.lineup import Run
from dicelab.runtime.philox import pool
from dicelab.runtime.states.codec import Place, Slots, order_of, rows_with
from dicelab.runtime.states.explorer import End, StateExplorer
from dicelab.solver.enumeration.estimate import graph_ahead
from dicelab.solver.enumeration.model import Graph, all_outcomes, moves_at, moves_numbered
from dicelab.solver.value_iteration import optimum

MOST = 50_000
"""Limit of the rolls and moves that are followed to value states that were not solved."""
SWEEPS = 10_000
"""Limit of the passes over these states."""
SETTLED = 1e-14
"""Largest change of a value in the last pass."""


State = tuple[int, ...]


class Unvalued(ParameterError):
    """A state that was not solved, and from which the solved ones are too far away."""


class _Way(NamedTuple):
    """Where a roll or a move leads: its chance, what each seat gains on the way, and the next state, if any."""

    chance: float
    gain: Floats
    to: State | None


@dataclass(frozen=True)
class Values:
    """The values of one game under one policy.

    Attributes
    ----------
    game
        The game with its parameters.
    objective
        What every seat wants: ``win`` or ``payoff``, or ``most:TALLY`` and the like for one seat.
    keys
        uint64 array (states, words): the packed states, sorted.
    value
        float64 array (states, seats): what is still to come from each state, without the tallies counted before.
    move
        int64 array: the number of the policy's move among all combinations of values; -1 where dice are rolled.
    cycles
        With three seats or more: in how many components of the game best responses cycle. The values then belong to
        one policy of several.

    Examples
    --------
    >>> from dicelab.games.tossup import TossUp
    >>> found = values(TossUp(target=8, dice=2))
    >>> found.seats, found.at_start.round(6).tolist()
    (2, [0.569611, 0.430389])
    """

    game: Game
    objective: Objective
    keys: NDArray[np.uint64]
    value: Floats
    move: NDArray[np.int64]
    cycles: int = 0
    _further: dict[tuple[int, ...], Floats] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def _slots(self) -> Slots:
        return Slots.of(self.game, ())

    @property
    def seats(self) -> int:
        """Number of seats."""
        return int(self.value.shape[1])

    @property
    def tally(self) -> str:
        """The tally that is optimised; empty if the values are chances or payoffs."""
        return list(self.game.declared.tallies)[self.objective.number] if self.objective.counts else ""

    @cached_property
    def prize(self) -> Floats:
        """What each seat has got when a game ends with each outcome (outcomes, seats), without what was counted."""
        return self.objective.prizes(self.game)

    @cached_property
    def at_start(self) -> Floats:
        """The value of the start to each seat."""
        table = fresh(self.game)
        reset(table)
        return np.array([float(v) for v in self.of(table)])

    def beginnings(self) -> tuple[NDArray[np.int64], Floats]:
        """Return the states as an array (states, numbers), and an array of their values (states,) to the first seat."""
        slots = self._slots
        numbers = np.stack([slots.column(self.keys, number) for number in range(len(slots.names))], axis=1)
        return numbers, np.ascontiguousarray(self.value[:, 0])

    def of(self, game: Game) -> tuple[Fraction, ...]:
        """Return the expected result of each seat in the present state of a game, tallies counted so far included.

        A state that was not solved is valued by looking ahead. The fractions are those of the floating-point numbers,
        so that sums of them have no rounding.

        Raises
        ------
        Unvalued
            When a state that was not solved is too far from those that were.
        """
        step = game.next()
        if step == OVER:
            return self.result(game)
        kind, _ = asked(game, step)
        if isinstance(kind, Decision):  # exactly the value after the policy's move
            return self.after(game, kind, self.best(game))
        values = self._to_come(game)
        if values is None:
            self._look_ahead(Place(game, ()).read())
            values = self._further[self._key(game)]
        return tuple(b + Fraction(float(v)) for b, v in zip(self._counted(game), values, strict=True))

    def best(self, game: Game) -> tuple[int, ...]:
        """Return the policy's move in the present state of a game, in which a seat chooses.

        Where a move that the solver does not consider has led to a state that was not solved, it is the move, among
        those considered, with the best value.
        """
        kind, seat = asked(game, game.next())
        assert isinstance(kind, Decision)
        place = self._place(game)
        if place is not None:
            return tuple(moves_numbered(kind, game, self.move[[place]])[0].tolist())
        sign = self.objective.sign
        sensible = [move for move in moves_at(kind, game) if kind.considered(game, move)]
        return max(sensible, key=lambda move: sign * self.after(game, kind, move)[seat if self.seats > 1 else 0])

    def after(self, game: Game, decision: Decision, move: tuple[int, ...]) -> tuple[Fraction, ...]:
        """Return the expected result of each seat after a move."""
        changed = twin(game)
        applied(decision.run, changed, move)
        return self.of(changed)

    def result(self, game: Game) -> tuple[Fraction, ...]:
        """Return what each seat has got from a game that is over, with what its outcome counts; the game stays as it
        is.
        """
        ended = twin(game)
        outcome = outcome_of(ended)
        if self.objective.needs_tallies:
            return self._counted(ended)
        return tuple(map(Fraction, self.prize[outcome].tolist()))

    def _counted(self, game: Game) -> tuple[Fraction, ...]:
        """Return what has been counted so far, for each seat."""
        if not self.objective.needs_tallies:
            return (Fraction(0),) * self.seats
        tallies = list(counted(game).values())
        return tuple(Fraction(tallies[k]) for k in payoff_tallies(game) or (self.objective.number,) * self.seats)

    def _key(self, game: Game) -> tuple[int, ...]:
        """Return the present state of a game, packed."""
        try:
            return self._slots.pack(Place(game, ()).read())
        except OverflowError as error:
            raise Unvalued(str(error)) from error

    def _place(self, game: Game) -> int | None:
        """Return the place of the present state among `keys`; None if it was not solved."""
        low, high = rows_with(self.keys, np.array(self._key(game), np.uint64))
        return low if low < high else None

    def _to_come(self, game: Game) -> Floats | None:
        """Return what is still to come in the present state; None if it was neither solved nor looked ahead from."""
        place = self._place(game)
        return self._further.get(self._key(game)) if place is None else np.asarray(self.value[place])

    def _look_ahead(self, root: State) -> None:
        """Value a state that was not solved, because only moves that the solver doesn't consider lead to it.

        The game is followed from there, with sensible moves only, until it is over or back in a state that was solved.
        All states met are valued together, by value iteration: rolls that change nothing lead back to the same state.
        """
        values, ahead = self._followed(root)
        values |= {here: np.zeros(self.seats) for here, (seat, _) in ahead.items() if seat < 0}
        for _ in range(SWEEPS):
            change = 0.0
            for here, (seat, ways) in reversed(ahead.items()):
                new = _worth(ways, values, seat, self.objective.sign)
                change = max(change, inf if new is None else float(np.abs(new - values.get(here, inf)).max()))
                if new is not None:
                    values[here] = new
            if change < SETTLED:
                self._further.update((self._slots.pack(here), values[here]) for here in ahead)
                return
        raise Unvalued("the value of this state is not known: the game comes back to it again and again")

    def _followed(self, root: State) -> tuple[dict[State, Floats], dict[State, tuple[int, list[_Way]]]]:
        """Return the values of the known states around a state, and of each of the others the seat that chooses there
        (-1: dice are rolled) and where it leads.
        """
        explorer, waiting, met = StateExplorer(Run(self.game, ()), range(self.seats)), [root], 0
        known, ahead = dict[State, Floats](), dict[State, tuple[int, list[_Way]]]()
        while waiting:
            here = waiting.pop()
            if here in ahead or here in known:
                continue
            kind, number = explorer.arrive(here)
            value = self._to_come(explorer.game)
            if value is not None:
                known[here] = value
                continue
            if isinstance(kind, Decision):
                ends = [(1.0, explorer.follow(kind, move)) for move in moves_at(kind, explorer.game)]
            else:
                dice = pool(explorer.game, kind, number)
                outcomes = all_outcomes(explorer.game, kind, dice)
                ends = [(one.weight / dice.weight, explorer.follow(kind, one.seen)) for one in outcomes]
            ways = [self._way(explorer, chance, end) for chance, end in ends if end is not None]
            ahead[here] = (number if self.seats > 1 else 0) if isinstance(kind, Decision) else -1, ways
            met += len(ways)
            if met > MOST:
                raise Unvalued(
                    "the value of this state is not known: it was reached by a move that no good player makes"
                )
            waiting += [way.to for way in ways if way.to is not None]
        return known, ahead

    def _way(self, explorer: StateExplorer, chance: float, end: End) -> _Way:
        target, change = end
        gain = np.zeros(self.seats)
        if self.objective.needs_tallies:
            counts = explorer.changes.things[change]
            tallies = payoff_tallies(self.game) or (self.objective.number,) * self.seats
            gain = np.array([float(counts[tally]) for tally in tallies])
        elif target < 0:
            gain = self.prize[-1 - target]
        return _Way(chance, gain, explorer.positions.things[target] if target >= 0 else None)


def _worth(ways: list[_Way], values: dict[State, Floats], seat: int, sign: int) -> Floats | None:
    """Return the value of a state, given those of others; None if what is needed has none yet: choices may lead back to
    each other.
    """
    known = [way for way in ways if way.to is None or way.to in values]
    if not known or (seat < 0 and len(known) < len(ways)):
        return None
    worths = [way.gain if way.to is None else way.gain + values[way.to] for way in known]
    if seat < 0:
        return sum((way.chance * worth for way, worth in zip(ways, worths, strict=True)), np.zeros_like(worths[0]))
    return max(worths, key=lambda worth: sign * worth[seat])


def values(
    game: str | os.PathLike[str] | type[Game] | Game,
    *,
    objective: str | None = None,
    memory: int | None = None,
    progress: Callable[[int, int], None] = lambda found, expanded: None,
    **parameters: object,
) -> Values:
    """Solve a game, and keep the value of every state to every seat.

    Parameters
    ----------
    game, objective, memory, progress, **parameters
        As in `dicelab.solve`, without given strategies.

    Raises
    ------
    InputError, TooLarge, PlayError
        As `dicelab.solve`.

    Examples
    --------
    >>> from dicelab.games.tossup import TossUp
    >>> found = values(TossUp(target=5, dice=2))
    >>> [round(float(v), 6) for v in found.of(TossUp(target=5, dice=2))]
    [0.631767, 0.368233]
    """
    run = Run.of(game, **parameters)
    table = run.game
    must_be_open(table, "its value to each seat")
    seats, wanted = max(1, seat_count(table)), wanted_by_all(table, objective)
    free = [*range(seats)] if table.declared.decisions else []
    graph = graph_ahead(run, free, memory, progress, counted=wanted.needs_tallies)
    return valued_by(table, wanted, graph)


def wanted_by_all(table: Game, objective: str | None) -> Objective:
    """Return what every seat plays for; if no objective is given, the game's own, or one that all seats can have.

    Raises
    ------
    ParameterError
        When several seats can't all have that objective.
    """
    wanted = Objective.of(table, objective)
    if seat_count(table) == 1 or wanted.kind in ("win", "payoff"):
        return wanted
    own = "payoff" if has_payoffs(table) else "win"
    if objective is not None:
        raise ParameterError(f"{table.name}: with several seats, the objective must be {own}")
    return Objective.of(table, own)


def valued_by(table: Game, wanted: Objective, graph: Graph) -> Values:
    """Return the values of the states of a graph, with optimal play of the seats whose moves it has."""
    if seat_count(table) > 1:
        best = wanted.stakes(graph).best(graph)
        return _sorted(table, wanted, graph, best.value, best.picked, best.chasing)
    gain, prize, side, unit = wanted.rewards(graph, 0)
    one = optimum(graph, side, gain, prize)
    return _sorted(table, wanted, graph, unit * one.value[:, None], one.picked, 0)


def _sorted(
    game: Game, wanted: Objective, graph: Graph, value: Floats, picked: NDArray[np.int64], cycles: int
) -> Values:
    """Return the values by sorted keys."""
    order = order_of(graph.keys)
    chooses = picked >= 0
    move = np.where(chooses, graph.weight[graph.label[np.where(chooses, picked, 0)]], -1).astype(np.int64)
    return Values(game, wanted, graph.keys[order], value[order], move[order], cycles)
