"""The tree of a game of two seats with hidden information: every history, and what the seat that moves knows in it.

States are found once, each with its rolls or moves; histories are then counted out level by level, a level being all
histories of as many rolls and choices. A seat knows what it has seen: after each roll or choice the state without what
is hidden from it, what was laid open, and its own moves. It forgets nothing. Histories in which the seat that moves has
seen the same are one information set, and it must choose in all of them alike.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from dicelab.errors import ParameterError, TooLarge
from dicelab.rules.actions import OVER, Decision
from dicelab.rules.fields import applied
from dicelab.rules.game import Game, counted, fresh, outcome_names, position, reset, seat_count, twin
from dicelab.rules.payoffs import payoff_tallies, payoffs_of
from dicelab.rules.private import laid_open, shown_to
from dicelab.runtime.interpreter import Explained, asked
from dicelab.runtime.philox import pool
from dicelab.solver.enumeration.model import all_outcomes, moves_at

MOST_STATES, MOST_HISTORIES = 200_000, 80_000_000
"""Limits on the states, found in plain Python, and on the histories, of about 100 bytes each."""
MOST_EXACT = 2_000_000
"""Ends of the game up to which probabilities are kept as fractions, too."""
SURVEYED, SURVEY_EDGES, MARGIN = 500, 5_000, 10
"""States that are found before the number of histories is estimated, on paths with so many edges; a game is refused if
the estimate is as many times the limit."""
EXACT = 2.0**62
"""Whole numbers above this don't fit into 64 bits."""
CHANCE, ENDED = 2, -1
"""What stands for a seat where dice are rolled, and where the game is over."""

Numbers = NDArray[np.float64]
Places = NDArray[np.int64]
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Knowledge:
    """An information set: what a seat knows when it moves.

    Attributes
    ----------
    choice
        Its number among the choices of that seat so far, from 0 on.
    state
        One of the states that it may be.
    moves
        The moves that are allowed.
    """

    choice: int
    state: Game
    moves: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Side:
    """What one seat may do. A sequence is all moves that it has made so far; 0 is the sequence without a move.

    Attributes
    ----------
    knowledge
        The information sets; those that come later in the game come later here.
    starts
        The first of the sequences that end with a move in each information set, and the number of all sequences.
    parents
        By information set, the sequence that leads to it.
    openings
        Of all histories in which the seat moves for the first time: the information set, the sequence of the other
        seat, and the probability of all rolls.
    """

    knowledge: list[Knowledge]
    starts: Places
    parents: Places
    openings: tuple[Places, Places, Numbers]


@dataclass(frozen=True)
class GameTree:
    """A game in sequence form (von Stengel, "Efficient Computation of Behavior Strategies", 1996).

    What seat 0 gets in a game is `level` and the sum, over the sequences of both seats, of `payoffs` times the
    probabilities of both.

    Attributes
    ----------
    sides
        What each seat may do.
    payoffs
        By sequence of seat 0 and of seat 1: what seat 0 gets above `level` where the game ends with both, times the
        probability of all rolls.
    mass
        By sequence of seat 0 and of seat 1, the probability of all rolls with which the game ends with both; None in a
        large game.
    whole, unit
        `payoffs` as whole numbers of `unit`; None if 64 bits don't hold them.
    level
        What seat 0 gets in most histories.
    total
        What both seats get together, in every history.
    states, histories
        Their numbers.
    length
        The number of rolls and choices in the longest game.
    """

    sides: tuple[Side, Side]
    payoffs: csr_array
    mass: csr_array | None
    whole: csr_array | None
    unit: Fraction
    level: float
    total: float
    states: int
    histories: int
    length: int


@dataclass
class _States:
    """Every state with its rolls or moves; the edges of all states are one after the other."""

    games: list[Game]
    movers: list[int]
    moves: list[tuple[tuple[int, ...], ...]]
    worths: list[float]
    starts: list[int]
    targets: list[int]
    weights: list[int]
    sums: list[int]
    looks: tuple[list[int], list[int]]


@dataclass(frozen=True)
class _Edge:
    """A roll or move, and what follows: the next state and how both seats see it."""

    after: Game
    key: str
    looks: tuple[str, str]
    move: tuple[int, ...] | None


def game_tree(game: Game, progress: Progress = lambda found, expanded: None) -> GameTree:
    """Return the tree of a game.

    Parameters
    ----------
    game
        The game, with its parameters.
    progress
        Called with the numbers of states found and expanded.

    Raises
    ------
    ParameterError
        When it has not two seats with opposed interests, or never ends in some way of playing.
    TooLarge
        When there are too many states or histories.
    PlayError
        When a rule fails.
    """
    seats = seat_count(game)
    if seats != 2:
        raise ParameterError(f"{game.name} has {seats} seats; games with hidden information are solved for two seats")
    states, total = _all_states(game, progress)
    return _histories(game, states, total)


def _all_states(game: Game, progress: Progress) -> tuple[_States, float]:
    names, tallies, rows = list(game.declared.tallies), payoff_tallies(game), payoffs_of(game)
    if rows is None and tallies is None and game.outcomes is None and len(outcome_names(game)) == 2:
        rows = ((1.0, 0.0), (0.0, 1.0))
    if rows is None and tallies is None:
        what = (
            "names outcomes, but not what each seat gets by them (payoffs)" if outcome_names(game) else "has no winner"
        )
        raise ParameterError(f"{game.name} {what}, so that nobody can play to win it")
    start = fresh(game)
    reset(start)
    found = _States([start], [], [], [], [0], [], [], [], ([], []))
    looks: dict[str, int] = {}
    numbers = {_key(start): 0}
    totals: set[float] = set()
    for state in found.games:  # it grows meanwhile
        if len(found.movers) % 1000 == 0:
            progress(len(found.games), len(found.movers))
        if len(found.movers) == SURVEYED:
            _survey(start)
        mover, edges = _edges(state)
        worth = 0.0
        if mover == ENDED:
            both = _ended(state, names, tallies, rows)
            worth = both[0]
            totals.add(round(sum(both), 9))
        sum_here = sum(weight for _, weight in edges) if mover == CHANCE else 1
        for edge, weight in edges:
            if edge.key not in numbers:
                numbers[edge.key] = len(found.games)
                found.games.append(edge.after)
                if len(found.games) > MOST_STATES:
                    raise TooLarge(
                        f"{game.name} has more than {MOST_STATES:,} states; with hidden information they are too many"
                    )
            found.targets.append(numbers[edge.key])
            found.weights.append(weight)
            found.sums.append(sum_here)
            for seat in (0, 1):
                found.looks[seat].append(looks.setdefault(edge.looks[seat], len(looks)))
        found.movers.append(mover)
        found.moves.append(tuple(edge.move for edge, _ in edges if edge.move is not None))
        found.worths.append(worth)
        found.starts.append(len(found.targets))
    if not totals:
        raise ParameterError(f"{game.name} never ends")
    if len(totals) != 1:
        raise ParameterError(
            f"{game.name}: what both seats get together is {min(totals):g} or {max(totals):g}; games with hidden "
            "information are solved where it is always the same"
        )
    return found, totals.pop()


def _edges(state: Game) -> tuple[int, list[tuple[_Edge, int]]]:
    """Return who moves in a state, and what may follow with its weight, which is 1 after a move."""
    with Explained(state):
        step = state.next()
        kind, number = (None, ENDED) if step == OVER else asked(state, step)
    if kind is None:
        return ENDED, []
    decides = isinstance(kind, Decision)
    found: dict[tuple[Any, ...], list[Any]] = {}  # rolls that lead to the same state and look the same to both are one
    for values, weight in _ways(state, kind, number):
        after = twin(state)
        with Explained(after):
            applied(kind.run, after, values)
            follows = after.next()
        open_now = laid_open(state, after, kind, values)
        seen = []
        for viewer in (0, 1):
            own = values if decides and viewer == number else None
            seen.append(str((follows, shown_to(after, position(after), viewer), open_now, own)))
        key = _key(after)
        move = values if decides else None
        one = found.setdefault((key, *seen, move), [_Edge(after, key, (seen[0], seen[1]), move), 0])
        one[1] = 1 if decides else one[1] + weight
    return number if decides else CHANCE, [(edge, weight) for edge, weight in found.values()]


def _survey(start: Game) -> None:
    """Estimate the number of histories, and refuse a game that has far too many before its states are searched.

    Knuth, "Estimating the Efficiency of Backtrack Programs" (1975): the product of the numbers of branches on a random
    path has the number of all paths of that length as its mean.
    """
    source, total, paths, seen = random.Random(0), 0.0, 0, 0
    while seen < SURVEY_EDGES:
        state, product, steps = start, 1.0, 0
        paths += 1
        while True:
            total += product
            _, edges = _edges(state)
            seen, steps = seen + 1 + len(edges), steps + 1
            if steps > SURVEY_EDGES:
                raise TooLarge(
                    f"{start.name}: a game took more than {SURVEY_EDGES:,} rolls and choices; it may never end"
                )
            if not edges or product > 1e300:
                break
            product *= len(edges)
            state = source.choice(edges)[0].after
    if total / paths > MARGIN * MOST_HISTORIES:
        raise TooLarge(
            f"{start.name} has about {total / paths:.0e} histories, too many to solve with hidden information; "
            f"{MOST_HISTORIES:,} can be solved"
        )


def _ways(state: Game, kind: Any, number: int) -> list[tuple[tuple[int, ...], int]]:
    """Return the moves that are allowed, or the outcomes of a roll, with their weights."""
    if not isinstance(kind, Decision):
        every = all_outcomes(state, kind, pool(state, kind, number))
        return [(one.seen, one.weight) for one in every]
    if number not in (0, 1):
        raise ParameterError(f"{state.name} asks seat {number}, which nobody has")
    moves = [move for move in moves_at(kind, state) if kind.allows(state, move)]
    if not moves:
        raise ParameterError(f"{state.name}: no move is allowed in {kind.name}; {position(state)}")
    return [(move, 1) for move in moves]


def _key(state: Game) -> str:
    """Return what tells states apart: the state, and what the payoffs count."""
    tallies = payoff_tallies(state)
    count, names = (counted(state), list(state.declared.tallies)) if tallies else ({}, [])
    return str((position(state), [count[names[k]] for k in tallies or ()]))


def _ended(state: Game, names: list[str], tallies: tuple[int, ...] | None, rows: Any) -> tuple[float, float]:
    """Return what each seat gets."""
    last = twin(state)
    with Explained(last):
        outcome = last.outcome() if outcome_names(last) else 0
    if tallies is not None:
        count = counted(last)
        return float(count[names[tallies[0]]]), float(count[names[tallies[1]]])
    return float(rows[outcome][0]), float(rows[outcome][1])


def _histories(game: Game, states: _States, total: float) -> GameTree:
    starts, targets = np.array(states.starts, np.int64), np.array(states.targets, np.int64)
    looks = [np.array(one, np.int64) for one in states.looks]
    held = max(states.sums, default=1) < EXACT
    weights, sums = (np.array(one if held else [0] * len(one), np.int64) for one in (states.weights, states.sums))
    movers, worths = np.array(states.movers, np.int8), np.array(states.worths)
    kinds: dict[tuple[tuple[int, ...], ...], int] = {}
    kind_of = np.array([kinds.setdefault(moves, len(kinds)) for moves in states.moves], np.int64)
    degree, most = np.diff(starts), 1 + max((int(look.max()) for look in looks if look.size), default=0)
    _not_too_many(game, starts, targets)
    share = np.array([weight / whole for weight, whole in zip(states.weights, states.sums, strict=True)])
    at = np.zeros(1, np.int64)
    seen, chosen, sequence = (2 * [np.zeros(1, np.int64)] for _ in range(3))
    chance, above, below = np.ones(1), np.ones(1, np.int64), np.ones(1, np.int64)
    count, ends, parts, histories, length, ended = [1, 1], [], [], 0, 0, 0
    knowledge: tuple[list[Knowledge], list[Knowledge]] = [], []
    none = np.zeros(0, np.int64)
    firsts, parents, openings = (
        ([none], [none]),
        ([none], [none]),
        ([(none, none, none * 1.0)], [(none, none, none * 1.0)]),
    )
    while at.size:
        many, mover = degree[at], movers[at]
        first = np.zeros(at.size, np.int64)
        for seat in (0, 1):
            here = np.flatnonzero(mover == seat)
            if not here.size:
                continue
            _, lead, member = np.unique(seen[seat][here], return_index=True, return_inverse=True)
            leading = here[lead]
            if (kind_of[at[here]] != kind_of[at[leading]][member]).any():
                raise ParameterError(f"{game.name}: the moves that are allowed differ where a seat sees no difference")
            opened = np.flatnonzero(chosen[seat][here] == 0)
            other = sequence[1 - seat][here][opened]
            openings[seat].append((len(knowledge[seat]) + member[opened], other, chance[here][opened]))
            sizes = many[leading]
            slots = count[seat] + np.concatenate([[0], np.cumsum(sizes)])
            first[here], count[seat] = slots[member], int(slots[-1])
            firsts[seat].append(slots[:-1])
            parents[seat].append(sequence[seat][leading])
            for node in leading.tolist():
                one = int(at[node])
                knowledge[seat].append(Knowledge(int(chosen[seat][node]), states.games[one], states.moves[one]))
        over = np.flatnonzero(many == 0)
        if over.size:
            ended += over.size
            ends.append((*(one[over].astype(np.int32) for one in sequence), chance[over], worths[at[over]]))
            parts.append((above[over], below[over]) if ended <= MOST_EXACT else (none, none))
        histories += at.size
        length += 1
        parent = np.repeat(np.arange(at.size), many)
        place = np.arange(parent.size) - np.repeat(np.cumsum(many) - many, many)
        edge = starts[at][parent] + place
        for seat in (0, 1):
            moved = mover[parent] == seat
            chosen[seat] = chosen[seat][parent] + moved
            sequence[seat] = np.where(moved, first[parent] + place, sequence[seat][parent])
            seen[seat] = np.unique(seen[seat][parent] * most + looks[seat][edge], return_inverse=True)[1]
        chance = chance[parent] * share[edge]
        if ended <= MOST_EXACT:
            above, below = _reduced(above[parent], below[parent], weights[edge], sums[edge])
        at = targets[edge]
    sides = []
    for seat in (0, 1):
        sets, others, chances = (np.concatenate(part) for part in zip(*openings[seat], strict=True))
        first_of = np.concatenate([*firsts[seat], [count[seat]]])
        sides.append(Side(knowledge[seat], first_of, np.concatenate(parents[seat]), (sets, others, chances)))
    first_seat, second_seat, rolls, worth = (np.concatenate(part) for part in zip(*ends, strict=True))
    above, below = (np.concatenate(part) for part in zip(*parts, strict=True))
    ends.clear()
    values, often = np.unique(worth, return_counts=True)
    level = float(values[np.argmax(often)])
    shape = count[0], count[1]
    mass = csr_array((rolls.copy(), (first_seat, second_seat)), shape) if ended <= MOST_EXACT else None
    rolls *= worth - level
    some = rolls != 0
    payoffs = csr_array((rolls[some], (first_seat[some], second_seat[some])), shape)
    payoffs.sum_duplicates()
    payoffs.eliminate_zeros()
    whole, unit = _whole(above, below, worth, level) if ended <= MOST_EXACT else (None, Fraction(1))
    in_units = None if whole is None else csr_array((whole, (first_seat, second_seat)), shape)
    if in_units is not None:
        in_units.sum_duplicates()
    return GameTree(
        (sides[0], sides[1]), payoffs, mass, in_units, unit, level, total, len(states.games), histories, length - 1
    )


def _not_too_many(game: Game, starts: Places, targets: Places) -> None:
    """Count all histories, without making them, and refuse those that are too many."""
    sources = np.repeat(np.arange(starts.size - 1), np.diff(starts))
    count, found = np.zeros(starts.size - 1), 0.0
    count[0] = 1
    while count.any() and found <= MOST_HISTORIES:
        found += count.sum()
        count = np.bincount(targets, count[sources], count.size).astype(np.float64)
    if found > MOST_HISTORIES:
        raise TooLarge(
            f"{game.name} has more than {MOST_HISTORIES:,} histories, too many to solve with hidden information"
        )


def _reduced(above: Places, below: Places, weight: Places, total: Places) -> tuple[Places, Places]:
    """Return fractions times weights / totals, in lowest terms; 0 / 0 where 64 bits don't hold them."""
    top, bottom = above * weight, below * total
    held = (above.astype(float) * weight < EXACT) & (below.astype(float) * total < EXACT)
    common = np.where(held, np.maximum(np.gcd(top, bottom), 1), 1)
    return np.where(held, top // common, 0), np.where(held, bottom // common, 0)


def _whole(above: Places, below: Places, worth: Numbers, level: float) -> tuple[Places | None, Fraction]:
    """Return probabilities times worths above a level as whole numbers of a unit; None if 64 bits don't hold them."""
    each = {one: Fraction(str(one)) - Fraction(str(level)) for one in set(worth.tolist())}
    parts = math.lcm(*set(below.tolist()))
    unit = Fraction(1, max(1, parts) * math.lcm(*(one.denominator for one in each.values())))
    if parts == 0 or max(map(abs, each.values())) / unit > EXACT:
        return None, unit
    scale = np.array([int(each[one] / unit) // parts for one in worth.tolist()], np.int64)
    return above * (parts // below) * scale, unit
