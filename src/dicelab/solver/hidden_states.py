"""Every state of a game with hidden information, found in plain Python, how each seat sees it, and where rounds begin.

A round begins where all seats know the state, whatever has happened: where no other state of the game looks the same to
one of them. What follows such a state is a game of its own (a subgame). So the rounds are solved one by one, those that
come last first, and where a round ends in the beginning of another, it is worth what that is worth. A seat that plays
the strategies of all rounds gains as much as it could by a strategy that remembers earlier rounds.

`StateExplorer` numbers states that everybody knows, from one roll to the next. Here every step counts, because each
seat learns something from it: what a seat sees needs the game before the step and after it, side by side.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from graphlib import CycleError, TopologicalSorter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicelab.errors import ParameterError, TooLarge
from dicelab.limits import LIMITS
from dicelab.rules.actions import OVER, Decision
from dicelab.rules.fields import applied
from dicelab.rules.game import Game, counted, fresh, outcome_names, overwrite, position, reset, seat_count, twin
from dicelab.rules.payoffs import payoff_tallies, payoffs_of
from dicelab.rules.private import laid_open, private_fields, shown_to
from dicelab.runtime.interpreter import Explained, asked
from dicelab.runtime.philox import pool
from dicelab.solver.enumeration.model import all_outcomes, legal_moves

MOST_STATES = 200_000
"""Limit on the states, which are found in plain Python."""
MARGIN = 10
"""A game is refused if the estimate of its histories is this many times the limit."""
CHANCE, ENDED = 127, -1
"""What stands for a seat where dice are rolled, and where the game is over."""

Numbers = NDArray[np.float64]
Places = NDArray[np.int64]
Progress = Callable[[int, int], None]


@dataclass
class States:
    """Every state with its rolls or moves; the edges of all states are one after the other.

    Attributes
    ----------
    games
        The states; the first is the beginning of the game.
    movers
        By state the seat that moves, `CHANCE` or `ENDED`.
    moves, worths
        By state the moves that are allowed, and what each seat gets if the game is over.
    views
        By seat and state, a number for what the seat sees of it.
    starts
        The first edge of each state, and the number of edges.
    targets, weights, sums
        By edge the state that follows, and its probability: a weight, and the sum of those of the state.
    looks
        By seat and edge, a number for what the seat sees when it is followed.
    total
        What all seats get together in every history; None if that differs.
    fractions
        `worths` that are no decimal fractions, exactly; None if some worth is known approximately only.
    """

    games: list[Game]
    movers: list[int]
    moves: list[tuple[tuple[int, ...], ...]]
    worths: list[tuple[float, ...]]
    views: tuple[list[int], ...]
    starts: list[int]
    targets: list[int]
    weights: list[int]
    sums: list[int]
    looks: tuple[list[int], ...]
    total: float | None
    fractions: dict[float, Fraction] | None

    @property
    def seats(self) -> int:
        """The number of seats."""
        return len(self.views)

    @property
    def opposed(self) -> bool:
        """Whether there are two seats, and one loses what the other gains."""
        return self.seats == 2 and self.total is not None


@dataclass(frozen=True)
class _Edge:
    """A roll or move, and what follows: the next state, if it is not known yet, and how each seat sees it."""

    after: Game | None
    key: str
    views: tuple[str, ...]
    looks: tuple[str, ...]
    move: tuple[int, ...] | None


def all_states(game: Game, progress: Progress = lambda found, expanded: None, *, apart: bool = False) -> States:
    """Return every state of a game.

    Parameters
    ----------
    game
        The game, with its parameters.
    progress
        Called with the numbers of states found and expanded.
    apart
        Whether histories are counted round by round, and what is dealt at its beginning is no part of them, when a game
        is refused before its states are searched.

    Raises
    ------
    ParameterError
        When it has one seat, nobody can win it, or it never ends.
    TooLarge
        When there are too many states, or far too many histories.
    """
    seats = seat_count(game)
    if seats < 2:
        raise ParameterError(
            f"{game.name} has {max(1, seats)} seat; games with hidden information are solved for several"
        )
    names, tallies, rows = list(game.declared.tallies), payoff_tallies(game), _rows(game)
    start = fresh(game)
    reset(start)
    none = tuple(list[int]() for _ in range(seats))
    states = States([start], [], [], [], none, [0], [], [], [], tuple(list[int]() for _ in range(seats)), 0.0, {})
    looks: dict[str, int] = {}
    views: dict[str, int] = {}
    with Explained(start):
        first = start.next()
    for seat in range(seats):
        states.views[seat].append(views.setdefault(_view(start, first, seat), len(views)))
    numbers = {_key(start): 0}
    totals: set[float] = set()
    for state in states.games:  # it grows meanwhile
        if len(states.movers) % 1000 == 0:
            progress(len(states.games), len(states.movers))
        if len(states.movers) == LIMITS.surveyed_states:
            _survey(start, apart)
        mover, edges = _edges(state, numbers)
        worth = (0.0,) * seats
        if mover == ENDED:
            worth = _ended(state, names, tallies, rows)
            totals.add(round(sum(worth), 9))
        sum_here = sum(weight for _, weight in edges) if mover == CHANCE else 1
        for edge, weight in edges:
            if edge.key not in numbers:
                assert edge.after is not None
                numbers[edge.key] = len(states.games)
                states.games.append(edge.after)
                for seat in range(seats):
                    states.views[seat].append(views.setdefault(edge.views[seat], len(views)))
                if len(states.games) > MOST_STATES:
                    raise TooLarge(
                        f"{game.name} has more than {MOST_STATES:,} states; with hidden information they are too many"
                    )
            states.targets.append(numbers[edge.key])
            states.weights.append(weight)
            states.sums.append(sum_here)
            for seat in range(seats):
                states.looks[seat].append(looks.setdefault(edge.looks[seat], len(looks)))
        states.movers.append(mover)
        states.moves.append(tuple(edge.move for edge, _ in edges if edge.move is not None))
        states.worths.append(worth)
        states.starts.append(len(states.targets))
    if not totals:
        raise ParameterError(f"{game.name} never ends")
    return replace(states, total=totals.pop() if len(totals) == 1 else None)


def _rows(game: Game) -> Any:
    """Return what each seat gets by outcome; None if tallies count it."""
    rows, tallies, seats = payoffs_of(game), payoff_tallies(game), seat_count(game)
    if rows is None and tallies is None and game.outcomes is None and len(outcome_names(game)) == seats:
        return tuple(tuple(float(seat == winner) for seat in range(seats)) for winner in range(seats))
    if rows is None and tallies is None:
        what = (
            "names outcomes, but not what each seat gets by them (payoffs)" if outcome_names(game) else "has no winner"
        )
        raise ParameterError(f"{game.name} {what}, so that nobody can play to win it")
    return rows


def _edges(state: Game, known: Container[str] = ()) -> tuple[int, list[tuple[_Edge, int]]]:
    """Return who moves in a state, and what may follow with its weight, which is 1 after a move."""
    with Explained(state):
        step = state.next()
        kind, number = (None, ENDED) if step == OVER else asked(state, step)
    if kind is None:
        return ENDED, []
    decides, seats = isinstance(kind, Decision), range(seat_count(state))
    if decides and number not in seats:
        raise ParameterError(f"{state.name} asks seat {number}, which nobody has")
    edges: dict[tuple[Any, ...], list[Any]] = {}  # rolls that lead to the same state and look the same to all are one
    after = twin(state)
    for values, weight in _ways(state, kind, number):
        overwrite(after, state)
        with Explained(after):
            applied(kind.run, after, values)
            follows = after.next()
        open_now = laid_open(state, after, kind, values)
        views = tuple(_view(after, follows, viewer) for viewer in seats)
        owns = [values if decides and viewer == number else None for viewer in seats]
        seen = tuple(f"{view} {open_now} {own}" for view, own in zip(views, owns, strict=True))
        key = _key(after)
        move = values if decides else None
        if (key, *seen, move) not in edges:
            new = None if key in known else twin(after)
            edges[key, *seen, move] = [_Edge(new, key, views, seen, move), 0]
        one = edges[key, *seen, move]
        one[1] = 1 if decides else one[1] + weight
    return number if decides else CHANCE, [(edge, weight) for edge, weight in edges.values()]


def _view(state: Game, follows: int, seat: int) -> str:
    """Return what a seat sees of a state, and what follows in it."""
    return str((follows, shown_to(state, position(state), seat)))


def _survey(start: Game, apart: bool) -> None:
    """Estimate the number of histories, and refuse a game that has far too many before its states are searched.

    Knuth, "Estimating the Efficiency of Backtrack Programs" (1975): the product of the numbers of branches on a random
    path has the number of all paths of that length as its mean. Apart, a path ends where nothing is hidden any more;
    and if all is rolled before the first choice, the histories after one deal are counted instead.
    """
    estimate = _after_a_deal(start) if apart else None
    source, total, paths, seen = random.Random(0), 0.0, 0, 0
    while estimate is None and seen < LIMITS.surveyed_edges:
        state, product, steps, hides = start, 1.0, 0, False
        paths += 1
        while True:
            total += product
            _, edges = _edges(state)
            seen, steps = seen + 1 + len(edges), steps + 1
            if steps > LIMITS.surveyed_edges:
                raise TooLarge(
                    f"{start.name}: a game took more than {LIMITS.surveyed_edges:,} rolls and choices; it may never end"
                )
            if not edges or product > 1e300 or (apart and hides and _is_as_begun(state, start)):
                break
            product *= len(edges)
            state = _followed(source.choice(edges)[0])
            hides = hides or not _is_as_begun(state, start)
    estimate = total / paths if estimate is None else estimate
    if estimate > MARGIN * LIMITS.histories:
        raise TooLarge(
            f"{start.name} has about {estimate:.0e} histories, too many to solve with hidden information; "
            f"{LIMITS.histories:,} can be solved"
        )


def _followed(edge: _Edge) -> Game:
    assert edge.after is not None
    return edge.after


def _after_a_deal(start: Game) -> float | None:
    """Return the number of histories that follow one deal until nothing is hidden; None if dice are rolled among them,
    a state may come again, or there are too many states.
    """
    state = start
    while (step := _edges(state))[0] == CHANCE:
        state = _followed(step[1][0][0])
    counts, following, ways, seen = dict[str, float](), dict[str, list[Game]](), [state], 0
    while ways:
        state = ways[-1]
        key = _key(state)
        if key in counts:
            ways.pop()
        elif key in following:
            known = [counts.get(_key(after)) for after in following[key]]
            counts[key] = 1.0 + sum(one or 0.0 for one in known)
            if None in known:
                return None
            ways.pop()
        else:
            mover, edges = _edges(state)
            seen += len(edges)
            ends = len(ways) > 1 and _is_as_begun(state, start)
            if seen > LIMITS.surveyed_edges or (mover == CHANCE and not ends):
                return None
            following[key] = [] if ends else [_followed(edge) for edge, _ in edges]
            ways += following[key]
    return counts[key]


def _is_as_begun(state: Game, start: Game) -> bool:
    """Return whether all that is hidden is as at the beginning."""
    return all(state.__dict__[name] == start.__dict__[name] for name in private_fields(state))


def _ways(state: Game, kind: Any, number: int) -> list[tuple[tuple[int, ...], int]]:
    """Return the moves that are allowed, or the outcomes of a roll, with their weights."""
    if not isinstance(kind, Decision):
        every = all_outcomes(state, kind, pool(state, kind, number))
        return [(one.seen, one.weight) for one in every]
    moves = legal_moves(kind, state)
    if not moves:
        raise ParameterError(f"{state.name}: no move is allowed in {kind.name}; {position(state)}")
    return [(move, 1) for move in moves]


def _key(state: Game) -> str:
    """Return what tells states apart: the state, and what the payoffs count."""
    tallies = payoff_tallies(state)
    count, names = (counted(state), list(state.declared.tallies)) if tallies else ({}, [])
    return str((position(state), [count[names[k]] for k in tallies or ()]))


def _ended(state: Game, names: list[str], tallies: tuple[int, ...] | None, rows: Any) -> tuple[float, ...]:
    """Return what each seat gets."""
    last = twin(state)
    with Explained(last):
        outcome = last.outcome() if outcome_names(last) else 0
    if tallies is not None:
        count = counted(last)
        return tuple(float(count[names[tally]]) for tally in tallies)
    return tuple(float(share) for share in rows[outcome])


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
    rounds_at, todo = dict[int, Round](), [0]
    for at in todo:  # it grows meanwhile
        if at not in rounds_at:
            rounds_at[at] = _round(states, at, begins)
            todo.extend(rounds_at[at].later.values())
    try:
        order = TopologicalSorter({at: one.later.values() for at, one in rounds_at.items()}).static_order()
        return [rounds_at[at] for at in order]
    except CycleError:
        return [Round(0, states, {})]


def _round(states: States, at: int, begins: set[int]) -> Round:
    order, numbers = [at], {at: 0}
    part = replace(
        states, games=[], movers=[], moves=[], worths=[], views=tuple(list[int]() for _ in states.views), starts=[0],
        targets=[], weights=[], sums=[], looks=tuple(list[int]() for _ in states.looks),
    )  # fmt: skip
    later: dict[int, int] = {}
    for one in order:  # it grows meanwhile
        part.games.append(states.games[one])
        for seat in range(states.seats):
            part.views[seat].append(states.views[seat][one])
        begins_another = one in begins and len(part.movers) > 0
        if begins_another:
            later[len(part.movers)] = one
        part.movers.append(ENDED if begins_another else states.movers[one])
        part.moves.append(() if begins_another else states.moves[one])
        part.worths.append(states.worths[one])
        edges = range(0) if begins_another else range(states.starts[one], states.starts[one + 1])
        for edge in edges:
            to = states.targets[edge]
            if to not in numbers or to == at:
                numbers[to] = len(order)
                order.append(to)
            part.targets.append(numbers[to])
            part.weights.append(states.weights[edge])
            part.sums.append(states.sums[edge])
            for seat in range(states.seats):
                part.looks[seat].append(states.looks[seat][edge])
        part.starts.append(len(part.targets))
    return Round(at, part, later)


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
    places, pairs = {part.at: k for k, part in enumerate(parts)}, list[tuple[set[int], Ways]]()
    looks: dict[int, int] = {}
    for k, part in enumerate(parts):
        states, ways = part.states, Ways()
        todo = list[tuple[int, tuple[int, tuple[int, ...]] | None]]([(0, None)])
        known, moves = set(todo), False
        for at, last in todo:  # it grows meanwhile
            if at in part.later:
                ways.setdefault(last, set()).update(pairs[places[part.later[at]]][0])
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
        pairs.append((({k} if moves else set()) | ways.get(None, set()), ways))
    return pairs
