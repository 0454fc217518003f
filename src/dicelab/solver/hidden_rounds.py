"""A game with hidden information as rounds: a round begins where all seats know the state, whatever has happened.

What follows such a state is a game of its own (a subgame). So the rounds are solved one by one, those that come last
first, and where a round ends in the beginning of another, it is worth what that is worth. A seat that plays the
strategies of all rounds gains as much as it could by a strategy that remembers earlier rounds.

All seats know a state if no other state of the game looks the same to one of them.

By itself because it finds where rounds begin, and solves nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from graphlib import CycleError, TopologicalSorter

from dicelab.rules.game import Game
from dicelab.solver.hidden_states import ENDED, States

MOST_ROUNDS = 5_000
"""Rounds that are solved one by one; a game with more of them is solved as a whole, or not at all."""


@dataclass(frozen=True)
class Worth:
    """What each seat gets in a round and all that follows.

    Attributes
    ----------
    values, best
        By seat, what it gets by the strategies of all, and the most that it could get by another one.
    fraction
        What seat 0 gets, if it is proved in fractions.
    """

    values: tuple[float, ...]
    best: tuple[float, ...]
    fraction: Fraction | None


Ways = dict[tuple[int, tuple[int, ...]] | None, set[int]]
"""By what a seat saw when it moved last in a round, and that move (None: it has not moved): the rounds in which it may
move next."""


@dataclass(frozen=True)
class Round:
    """A round.

    Attributes
    ----------
    at
        The number of its first state among all states of the game.
    states
        Its own states, which begin with that one.
    later
        By state of its own that is the first of another round: the number of that state among all.
    """

    at: int
    states: States
    later: dict[int, int]


def rounds(states: States) -> list[Round]:
    """Return the rounds of a game, those that come last first; the game as its only one, if it has too many, or they
    come again.
    """
    seen = [
        Counter(v for v, mover in zip(views, states.movers, strict=True) if mover != ENDED) for views in states.views
    ]
    begins = {
        at
        for at, mover in enumerate(states.movers)
        if at == 0 or (mover != ENDED and all(seen[k][views[at]] == 1 for k, views in enumerate(states.views)))
    }
    if len(begins) > MOST_ROUNDS:
        return [Round(0, states, {})]
    found, todo = dict[int, Round](), [0]
    for at in todo:  # it grows meanwhile
        if at not in found:
            found[at] = _round(states, at, begins)
            todo.extend(found[at].later.values())
    try:
        order = TopologicalSorter({at: one.later.values() for at, one in found.items()}).static_order()
        return [found[at] for at in order]
    except CycleError:
        return [Round(0, states, {})]


def _round(states: States, at: int, begins: set[int]) -> Round:
    order, numbers = [at], {at: 0}
    found = replace(
        states, games=[], movers=[], moves=[], worths=[], views=tuple(list[int]() for _ in states.views), starts=[0],
        targets=[], weights=[], sums=[], looks=tuple(list[int]() for _ in states.looks),
    )  # fmt: skip
    later: dict[int, int] = {}
    for one in order:  # it grows meanwhile
        found.games.append(states.games[one])
        for seat in range(states.seats):
            found.views[seat].append(states.views[seat][one])
        begins_another = one in begins and len(found.movers) > 0
        if begins_another:
            later[len(found.movers)] = one
        found.movers.append(ENDED if begins_another else states.movers[one])
        found.moves.append(() if begins_another else states.moves[one])
        found.worths.append(states.worths[one])
        edges = range(0) if begins_another else range(states.starts[one], states.starts[one + 1])
        for edge in edges:
            to = states.targets[edge]
            if to not in numbers or to == at:
                numbers[to] = len(order)
                order.append(to)
            found.targets.append(numbers[to])
            found.weights.append(states.weights[edge])
            found.sums.append(states.sums[edge])
            for seat in range(states.seats):
                found.looks[seat].append(states.looks[seat][edge])
        found.starts.append(len(found.targets))
    return Round(at, found, later)


def valued(one: Round, worths: Mapping[int, Worth]) -> States:
    """Return the states of a round, with later rounds as ends that are worth what they are worth."""
    values, fractions = list(one.states.worths), dict[float, Fraction]()
    exact = one.states.fractions is not None
    for k, at in one.later.items():
        values[k], fraction = worths[at].values, worths[at].fraction
        exact = exact and fraction is not None and fractions.setdefault(values[k][0], fraction) == fraction
    return replace(one.states, worths=values, fractions=fractions if exact else None)


def valued_for(one: Round, worths: Mapping[int, Worth], seat: int) -> States:
    """Return the states of a round, with later rounds as ends that are worth the most that a seat could get there; what
    other seats get is of no use then.
    """
    values, total = list(one.states.worths), one.states.total
    for k, at in one.later.items():
        most = worths[at].best[seat]
        values[k] = tuple(most if other == seat or total is None else total - most for other in range(one.states.seats))
    return replace(one.states, worths=values, fractions=None)


def ways_on(parts: list[Round], seat: int, look: Callable[[Game, int], int]) -> list[tuple[set[int], Ways]]:
    """Return by round in which rounds a seat may move first from its beginning on, and in which it may move next after
    a last move in it. `look` is a number for what a seat sees. Rounds are given by their places in `parts`.
    """
    places, found = {part.at: k for k, part in enumerate(parts)}, list[tuple[set[int], Ways]]()
    looks: dict[int, int] = {}
    for k, part in enumerate(parts):
        states, ways = part.states, Ways()
        todo = list[tuple[int, tuple[int, tuple[int, ...]] | None]]([(0, None)])
        known, moves = set(todo), False
        for at, last in todo:  # it grows meanwhile
            if at in part.later:
                ways.setdefault(last, set()).update(found[places[part.later[at]]][0])
                continue
            mine, view = states.movers[at] == seat, states.views[seat][at]
            if mine and view not in looks:
                looks[view] = look(states.games[at], seat)
            moves = moves or mine
            for edge in range(states.starts[at], states.starts[at + 1]):
                made = (looks[view], states.moves[at][edge - states.starts[at]]) if mine else last
                pair = states.targets[edge], made
                if pair not in known:
                    known.add(pair)
                    todo.append(pair)
        found.append((({k} if moves else set()) | ways.get(None, set()), ways))
    return found
