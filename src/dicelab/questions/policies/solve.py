"""Optimal policies: of one seat against given strategies, or of all seats against each other."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import isfinite, nan, prod
from random import Random
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dicelab.engines.policy import Policy, against_hash
from dicelab.errors import EndlessGameError, ParameterError, PlayError
from dicelab.questions.policies.objective import Objective
from dicelab.questions.policies.plan import Plan, graph_or_turns, planned
from dicelab.questions.policies.solution import Solution, chances_of
from dicelab.questions.policies.turn_policy import TurnPolicy
from dicelab.results.base import about
from dicelab.results.numbers.estimates import known
from dicelab.results.store.answers import remembered
from dicelab.results.store.encoding import StoredQuestion
from dicelab.rules.actions import LISTABLE, Decision
from dicelab.rules.game import Game, fresh, outcome_names, seat_count, shown
from dicelab.rules.loading.hashing import source_hash
from dicelab.rules.payoffs import payoffs_of
from dicelab.runtime.arrays import Floats
from dicelab.runtime.interpreter import steps
from dicelab.runtime.lineup import Run
from dicelab.runtime.philox import Stream
from dicelab.runtime.states.codec import Slots, order_of
from dicelab.runtime.states.symmetry import Rotation
from dicelab.runtime.strategies import Strategies
from dicelab.runtime.timing import Stopwatch
from dicelab.solver.enumeration.graph import Progress, Share
from dicelab.solver.enumeration.model import Graph, moves_numbered, ranges
from dicelab.solver.enumeration.unfold import committed, decisions_at, turned_keys, turned_moves, unrolled
from dicelab.solver.solution.backward import with_prizes
from dicelab.solver.solution.expectations import ULP
from dicelab.solver.turns.solve import SolvedDetails, TurnByTurn
from dicelab.solver.value_iteration import NOWHERE, Layers, optimum


def solve(
    game: str | os.PathLike[str] | type[Game] | Game,
    against: Strategies = (),
    *,
    seat: int | str = 0,
    objective: str | None = None,
    memory: int | None = None,
    policy: bool = True,
    store: str | os.PathLike[str] | None = None,
    progress: Callable[[int, int], None] = lambda found, expanded: None,
    share: Callable[[float], None] = lambda done: None,
    parameters: Mapping[str, object] = MappingProxyType({}),
) -> Solution:
    """Compute an optimal policy and its value, as `dicelab.solve` does."""
    plan = planned(game, against, seat, objective, memory, parameters)
    settings = {"seats": plan.free, "objective": plan.wanted.text, "memory": memory, "policy": policy}
    asked = partial(StoredQuestion.computed, "solve", Run(plan.asked, plan.run.calls), **settings)
    return remembered(store, asked, partial(_solved, plan, policy, progress, share), plan.asked)


def _solved(plan: Plan, policy: bool, progress: Progress, share: Share, layers: Layers) -> Solution:
    """Return the solution of a plan; `layers` keeps what was found, should it be interrupted."""
    watch = Stopwatch()
    table = plan.asked
    states = graph_or_turns(plan, policy, progress, share, layers)
    if isinstance(states, tuple):
        return _turn_by_turn(plan, *states, watch)
    graph, optimal = optimal_on(states, plan.wanted, plan.free, share, layers)
    kept = about_policy(plan, optimal.value, optimal.error) | against_hash(table, plan.run.calls)
    kept["source_hash"] = source_hash(type(table))  # of the rules as they are now
    return Solution(
        **about(table, plan.seated),
        objective=plan.wanted.text,
        value=optimal.value,
        error=optimal.error,
        outcomes=chances_of(table.name, optimal.chances, optimal.error),
        payoffs=optimal.payoffs,
        winners=_winners(table) if optimal.payoffs else {},
        opposed=optimal.opposed,
        states=graph.states,
        choices=int((graph.mover >= 0).sum()),
        edges=graph.edges,
        steps=float(f"{optimal.steps:.3g}"),
        chasing=optimal.chasing,
        regret=optimal.regret,
        seconds=watch.seconds,
        policy=(lambda: policy_of(graph, optimal.picked(), optimal.worth, kept)) if plan.run.game is table else None,
    )


def about_policy(plan: Plan, value: float, error: float) -> dict[str, Any]:
    """Return what a policy says of itself."""
    table = plan.asked
    facts = {"game": table.name, "parameters": shown(table), "strategies": plan.strategies, "seats": plan.free}
    return facts | {"objective": plan.wanted.text, "value": value, "error": known(error), "solved": plan.summary}


def _turn_by_turn(plan: Plan, turns: TurnByTurn, kept: SolvedDetails, watch: Stopwatch) -> Solution:
    """Return the result for a game that was solved turn by turn."""
    table = plan.asked
    names, chances = outcome_names(table), {}
    if plan.wanted.kind == "win" and len(names) == 2:
        chances = {names[0]: turns.value, names[1]: 1.0 - turns.value}
    return Solution(
        **about(table, plan.seated),
        objective=plan.wanted.text,
        value=turns.value,
        error=turns.error,
        outcomes=chances_of(table.name, chances, turns.error),
        states=turns.beginnings,
        choices=turns.choices,
        edges=turns.edges + turns.leaves,
        steps=nan,
        chasing=0,
        regret=0.0,
        seconds=watch.seconds,
        policy=None,
        turns=turns,
        slow_choices=tuple(slow_choices(table)),
        counted=kept.counted,
        uncounted=kept.uncounted,
        turn_policy=TurnPolicy.of(table, about_policy(plan, turns.value, turns.error), kept)
        if plan.run.game is table
        else None,
    )


class _Found(NamedTuple):
    """A solution of a graph: what `Solution` has, and what its policy is made from when it is asked for.

    `picked` returns for each state the best edge, -1 if nobody chooses there, `worth` the value of edges to the seats
    that choose there; `payoffs` has what each seat gets by name; `opposed` is as in `Solution`.
    """

    value: float
    error: float
    chances: dict[str, float]
    steps: float
    chasing: int
    regret: float
    picked: Callable[[], NDArray[np.int64]]
    worth: Worth
    payoffs: dict[str, float] = {}
    opposed: bool = False


def optimal_on(
    graph: Graph, wanted: Objective, free: Sequence[int], share: Share, layers: Layers = NOWHERE
) -> tuple[Graph, _Found]:
    """Return the solution, and the graph on which it was found.

    In a symmetric game, states are seen from the seat to move, so all seats play alike. If no such solution is found,
    or best responses cycle in it, the game is solved again with the seats unfolded: seats may then play differently.
    """
    one = None
    if len(free) > 1 and wanted.kind == "payoff":
        by_seats = _of_seats(graph, wanted, share, layers)
        return graph, by_seats._replace(chances=_chances(graph, by_seats.picked()), payoffs=by_seats.chances)
    try:
        one = _of_seats(graph, wanted, share, layers) if len(free) > 2 else _of_two(graph, wanted, free, share, layers)
    except PlayError:
        if graph.turn is None:
            raise
    if one is not None and (graph.turn is None or (isfinite(one.error) and not one.chasing)):
        return graph, one
    whole, other = optimal_on(unrolled(graph), wanted, free, share, layers)
    if one is not None and isfinite(one.error) and (one.chasing, one.regret) <= (other.chasing, other.regret):
        return graph, one
    return whole, other


def _of_two(graph: Graph, wanted: Objective, free: Sequence[int], share: Share, layers: Layers) -> _Found:
    """Optimal play of one seat, or of two seats against each other."""
    gain, prize, side, unit = wanted.rewards(graph, free[0])
    best, start, names = optimum(graph, side, gain, prize, share, layers), graph.start, outcome_names(graph.game)
    turned = graph.turned
    value = unit * float(gain[graph.start_change] + (best.start_value if start >= 0 else prize[-1 - start]))
    if turned[graph.start_change]:
        value = 1.0 - value
    chances = {}
    if wanted.kind == "win" and len(names) == 2:
        chances = {name: value if seat == free[0] else 1.0 - value for seat, name in enumerate(names)}

    def worth(seats: NDArray[np.int32], edges: NDArray[np.int64]) -> Floats:
        change, after = graph.change[graph.label[edges]], with_prizes(best.value, prize)
        mine: Floats = unit * ((gain + turned)[change] + (1.0 - 2.0 * turned)[change] * after[graph.target[edges]])
        return mine if len(free) == 1 else np.where(seats == free[0], mine, 1.0 - mine)

    error, steps = (unit * best.error(start), best.start_steps) if start >= 0 else (0.0, 0.0)
    if unit != 1.0 or gain[graph.start_change]:
        error += 3 * ULP * (abs(value) + unit * abs(gain[graph.start_change]))
    return _Found(value, error, chances, steps, 0, 0.0, lambda: best.picked, worth)


def _of_seats(graph: Graph, wanted: Objective, share: Share, layers: Layers) -> _Found:
    """Optimal play of all seats for what they get: of two sides against each other (`opposed`), or best responses.

    Where a view rotates, an edge turns it by some seats: seat k has that smaller number in the target state.
    """
    if graph.start < 0:
        raise ParameterError(f"{graph.game.name} is over before anybody chooses")
    stakes, turned = wanted.stakes(graph), graph.turned
    best, (gain, prizes) = stakes.best(graph, share, layers), stakes
    at_start = (gain[graph.start_change] + np.roll(best.value[graph.start], turned[graph.start_change])).tolist()
    after = with_prizes(best.value, prizes)

    def worth(seats: NDArray[np.int32], edges: NDArray[np.int64]) -> Floats:
        change = graph.change[graph.label[edges]]
        return np.asarray(gain[change, seats] + after[graph.target[edges], seats - turned[change]])

    names = {str(seat): x for seat, x in enumerate(at_start)}
    more = best.steps, best.chasing, best.anywhere, lambda: best.picked
    return _Found(at_start[0], best.error, names, *more, worth, opposed=stakes.sides is not None)


def _winners(game: Game) -> dict[str, list[int]]:
    """Return the seats that get most by each outcome; where tallies are played for, nobody, or the seat that wins by
    it.
    """
    payoffs, names = payoffs_of(game), outcome_names(game)
    if payoffs is None:
        return {name: [] if game.outcomes is not None else [seat] for seat, name in enumerate(names)}
    rows = zip(names, payoffs, strict=True)
    return {name: [seat for seat, x in enumerate(row) if x == max(row)] for name, row in rows}


def _chances(graph: Graph, picked: NDArray[np.int64]) -> dict[str, float]:
    """Return the probability of each outcome if these moves are made; empty if it has none, or the
    game may never end.
    """
    if not outcome_names(graph.game):
        return {}
    fixed = committed(graph, graph.mover >= 0, picked)
    names, side, none = outcome_names(graph.game), np.ones(1, np.int8), np.zeros(len(graph.changes))
    try:
        values = [optimum(fixed, side, none, prize) for prize in np.eye(graph.outcomes)]
    except EndlessGameError:
        return {}
    return {name: float(one.value[graph.start]) for name, one in zip(names, values, strict=True)}


# From solution --------------------------------------------------------------------------------------------------------
#
# Convert a solution into a policy: sorted by state, without the memory of strategies.


Worth = Callable[[NDArray[np.int32], NDArray[np.int64]], Floats]
"""Takes seats and edges, arrays of equal length; returns the value of each edge to the seat, which chooses there."""


def policy_of(graph: Graph, picked: NDArray[np.int64], worth: Worth, about: dict[str, Any]) -> Policy | None:
    """Return the policy of a solution: the moves in every state in which an optimised seat chooses, with their values
    to it.

    None if the best move depends on the memory of a strategy, which no player sees.
    """
    chooses = np.flatnonzero(graph.mover >= 0)
    keys, length = graph.without_memory(chooses), np.diff(graph.row)[chooses]
    edges = ranges(graph.row[chooses], length)
    kind = np.repeat(decisions_at(graph.game, graph.slots, graph.keys[chooses]), length)
    moves, worths = _moves(graph, kind, edges), worth(np.repeat(graph.mover[chooses], length), edges)
    best = picked[chooses] - graph.row[chooses]
    rotation = Rotation.of(graph.game) if graph.turn is not None else None
    if rotation is not None:  # the options are the same from every seat
        slots = Slots.of(graph.game, ())
        keys = np.concatenate([turned_keys(slots, rotation, keys, by) for by in range(rotation.seats)])
    order = order_of(keys)
    keys, state = keys[order], order % max(1, len(chooses))
    if (keys[1:] == keys[:-1]).all(axis=1).any():  # two states differ only in a strategy's memory
        return None
    row = np.concatenate(([0], np.cumsum(length[state])))
    options = ranges((np.cumsum(length) - length)[state], length[state])
    made, best = moves[options], best[state] + row[:-1]
    if rotation is not None and any(decision.seats for decision in graph.game.declared.decisions):
        by = np.repeat(order // max(1, len(chooses)), length[state])
        made = _turned(graph, rotation, made, kind[options], by)
        again = np.lexsort((*made.T[::-1], np.repeat(np.arange(len(state)), length[state])))
        made, options, best = made[again], options[again], np.argsort(again)[best]
    about = {**about, "source_hash": about.get("source_hash") or source_hash(type(graph.game))}
    return Policy(graph.game, about, keys, row, made, worths[options], best)


def _turned(
    graph: Graph, rotation: Rotation, moves: NDArray[np.int64], kind: NDArray[np.int64], by: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the moves of some options as they are `by` seats further; `kind` says which choice each is of."""
    turned = moves.copy()
    for k, decision in enumerate(graph.game.declared.decisions):
        mine = kind == k
        turned[mine] = turned_moves(decision, rotation, moves[mine], by[mine])
    return turned


def _moves(graph: Graph, kind: NDArray[np.int64], edges: Any) -> NDArray[np.int64]:
    """Return the move of each edge: int64 (edges, values of a move), padded with 0 if some
    decisions have fewer values.
    """
    decisions, number = graph.game.declared.decisions, graph.weight[graph.label[edges]].astype(np.int64)
    moves = np.zeros((len(edges), max(len(d.kinds) for d in decisions)), np.int64)
    if len(decisions) == 1:
        return moves_numbered(decisions[0], graph.game, number)
    for k, decision in enumerate(decisions):
        moves[kind == k, : len(decision.kinds)] = moves_numbered(decision, graph.game, number[kind == k])
    return moves


# Combinations ---------------------------------------------------------------------------------------------------------
#
# Choices for which all combinations of values are tried although few are allowed, and the kind that is faster.


MANY, FEW = 200, 0.1
"""A choice with at least this many combinations gets a remark if at most this share of them is allowed on average."""
GAMES, CHOICES, LONGEST = 5, 40, 2000
"""Random games that are played, choices that are looked at in each, and their longest length."""


class _EnoughChoices(Exception):
    """No more choices of a game are looked at."""


def slow_choices(game: Game) -> list[str]:
    """Return a sentence for each choice that would be faster if its moves were listed; found by playing random games.

    >>> from dicelab.games.yahtzee import Yahtzee
    >>> slow_choices(Yahtzee())
    []
    """
    tried = {kind: prod(high - low + 1 for low, high in kind.spans(game)) for kind in game.declared.decisions}
    tried = {kind: n for kind, n in tried.items() if not kind.lists and MANY <= n <= LISTABLE}
    if not tried:
        return []
    dice, allowed = Random(0), defaultdict[Decision, list[int]](list)
    for number in range(GAMES):
        left = iter(range(CHOICES))

        def choose(table: Game, kind: Decision, seat: int, left: object = left) -> tuple[int, ...]:
            moves = kind.listing(table)
            if not moves or next(left, None) is None:  # type: ignore[call-overload]
                raise _EnoughChoices
            if kind in tried:
                allowed[kind].append(len(moves))
            return dice.choice(moves)

        try:
            for _ in steps(fresh(game), [choose] * max(1, seat_count(game)), Stream(0, number), LONGEST):
                pass
        except _EnoughChoices:
            pass
    slow = [(kind, n, sum(allowed[kind]) / len(allowed[kind])) for kind, n in tried.items() if allowed[kind]]
    return [
        f"{kind.name} tries {n:,} combinations of values in each state, and about {mean:.3g} are allowed: moves=, or "
        f"@kept for dice, would be faster (docs/moves.md)"
        for kind, n, mean in slow
        if mean <= FEW * n
    ]
