"""The tree of a game of two seats with hidden information: every history, and what the seat that moves knows in it.

States are found once, each with its rolls or moves; histories are then counted out level by level, a level being all
histories of as many rolls and choices. A seat knows what it has seen: after each roll or choice the state without what
is hidden from it, what was laid open, and its own moves. It forgets nothing. Histories in which the seat that moves has
seen the same are one information set, and it must choose in all of them alike.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicelab.errors import ParameterError, TooLarge
from dicelab.rules.actions import OVER, Decision
from dicelab.rules.fields import applied
from dicelab.rules.game import Game, counted, fresh, outcome_names, position, reset, seat_count, twin
from dicelab.rules.payoffs import payoff_tallies, payoffs_of
from dicelab.rules.private import laid_open, shown_to
from dicelab.runtime.interpreter import Explained, asked
from dicelab.runtime.philox import pool
from dicelab.solver.enumeration.model import all_outcomes, moves_at

MOST_STATES, MOST_HISTORIES = 200_000, 20_000_000
"""Limits on the states, found in plain Python, and on the histories, of about 100 bytes each."""
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
    seat
        Who moves.
    choice
        Its number among the choices of that seat so far, from 0 on.
    state
        One of the states that it may be.
    moves
        The moves that are allowed.
    slot
        The number of the first move among the moves of all information sets.
    """

    seat: int
    choice: int
    state: Game
    moves: tuple[tuple[int, ...], ...]
    slot: int


@dataclass(frozen=True)
class GameTree:
    """All histories of a game, in the order of their lengths; those that follow a history have successive numbers.

    Attributes
    ----------
    levels
        By length, the number of the first history of this length; at the end the number of all.
    first, many
        By history, the first of those that follow it by one roll or move, and how many do.
    mover
        The seat that moves, `CHANCE` or `ENDED`.
    share
        The probability of the roll that led to it; 1 after a move.
    slot
        Where a seat moves: the slot of its first move. Slots count the moves of all information sets.
    worth
        What seat 0 gets where the game is over; 0 elsewhere.
    starts
        The first slot of each information set, and the number of all slots.
    leads
        A history of each information set.
    total
        What both seats get together, in every history.
    knowledge
        The information sets.
    states
        The number of states.
    """

    levels: Places
    first: Places
    many: Places
    mover: NDArray[np.int8]
    share: Numbers
    slot: Places
    worth: Numbers
    starts: Places
    leads: Places
    total: float
    knowledge: list[Knowledge]
    states: int


@dataclass
class _States:
    """Every state with its rolls or moves; `edges` are those of all states, one after the other."""

    games: list[Game]
    movers: list[int]
    moves: list[tuple[tuple[int, ...], ...]]
    worths: list[float]
    starts: list[int]
    targets: list[int]
    shares: list[float]
    looks: tuple[list[int], list[int]]


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
    found = _States([start], [], [], [], [0], [], [], ([], []))
    looks: dict[str, int] = {}
    numbers = {_key(start, names, tallies): 0}
    totals: set[float] = set()
    for state in found.games:  # it grows meanwhile
        if len(found.movers) % 1000 == 0:
            progress(len(found.games), len(found.movers))
        with Explained(state):
            step = state.next()
            kind, seat = (None, ENDED) if step == OVER else asked(state, step)
        moves = [] if kind is None else _ways(state, kind, seat)
        worth = 0.0
        if kind is None:
            both = _ended(state, names, tallies, rows)
            worth = both[0]
            totals.add(round(sum(both), 9))
        decides = isinstance(kind, Decision)
        edges: dict[Any, float] = {}  # rolls that lead to the same state and look the same to both are one
        for values, share in moves:
            after = twin(state)
            with Explained(after):
                applied(kind.run, after, values)  # type: ignore[union-attr]
                follows = after.next()
            key = _key(after, names, tallies)
            if key not in numbers:
                numbers[key] = len(found.games)
                found.games.append(after)
                if len(found.games) > MOST_STATES:
                    raise TooLarge(
                        f"{game.name} has more than {MOST_STATES:,} states; with hidden information they are too many"
                    )
            open_now = laid_open(state, after)
            seen = []
            for viewer in (0, 1):
                own = values if decides and viewer == seat else None
                look = str((follows, shown_to(after, position(after), viewer), open_now, own))
                seen.append(looks.setdefault(look, len(looks)))
            edge = numbers[key], *seen, values if decides else None
            edges[edge] = edges.get(edge, 0.0) + share
        for (target, first, second, _), share in edges.items():
            found.targets.append(target)
            found.shares.append(share)
            found.looks[0].append(first)
            found.looks[1].append(second)
        found.movers.append(ENDED if kind is None else seat if decides else CHANCE)
        found.moves.append(tuple(values for values, _ in moves) if decides else ())
        found.worths.append(worth)
        found.starts.append(len(found.targets))
    if len(totals) != 1:
        raise ParameterError(
            f"{game.name}: what both seats get together is {min(totals):g} or {max(totals):g}; games with hidden "
            "information are solved where it is always the same"
        )
    return found, totals.pop()


def _ways(state: Game, kind: Any, number: int) -> list[tuple[tuple[int, ...], float]]:
    """Return the moves that are allowed, or the outcomes of a roll, with their probabilities."""
    if not isinstance(kind, Decision):
        every = all_outcomes(state, kind, pool(state, kind, number))
        total = sum(one.weight for one in every)
        return [(one.seen, one.weight / total) for one in every]
    if number not in (0, 1):
        raise ParameterError(f"{state.name} asks seat {number}, which nobody has")
    moves = [move for move in moves_at(kind, state) if kind.allows(state, move)]
    if not moves:
        raise ParameterError(f"{state.name}: no move is allowed in {kind.name}; {position(state)}")
    return [(move, 1.0) for move in moves]


def _key(state: Game, names: list[str], tallies: tuple[int, ...] | None) -> str:
    """Return what tells states apart: the state, and what the payoffs count."""
    count = counted(state) if tallies is not None else {}
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
    shares, looks = np.array(states.shares), [np.array(one, np.int64) for one in states.looks]
    movers, worths = np.array(states.movers, np.int8), np.array(states.worths)
    kinds: dict[tuple[tuple[int, ...], ...], int] = {}
    kind_of = np.array([kinds.setdefault(moves, len(kinds)) for moves in states.moves], np.int64)
    degree, most = np.diff(starts), 1 + max((int(look.max()) for look in looks if look.size), default=0)
    state = np.zeros(1, np.int64)
    seen, chosen = [np.zeros(1, np.int64), np.zeros(1, np.int64)], [np.zeros(1, np.int64), np.zeros(1, np.int64)]
    share, nodes, slots = np.ones(1), 0, 0
    levels, parts, leads, knowledge, slot_starts = [0], [], [], list[Knowledge](), list[int]()
    while state.size:
        many, mover = degree[state], movers[state]
        slot = np.full(state.size, -1, np.int64)
        for seat in (0, 1):
            here = np.flatnonzero(mover == seat)
            if not here.size:
                continue
            _, lead, member = np.unique(seen[seat][here], return_index=True, return_inverse=True)
            leading = here[lead]
            if (kind_of[state[here]] != kind_of[state[leading]][member]).any():
                raise ParameterError(f"{game.name}: the moves that are allowed differ where a seat sees no difference")
            sizes = many[leading]
            at = slots + np.concatenate([[0], np.cumsum(sizes)[:-1]])
            slot[here] = at[member]
            for node, place in zip(leading.tolist(), at.tolist(), strict=True):
                one = int(state[node])
                told = Knowledge(seat, int(chosen[seat][node]), states.games[one], states.moves[one], place)
                knowledge.append(told)
                leads.append(nodes + node)
                slot_starts.append(place)
            slots += int(sizes.sum())
        after = nodes + state.size
        first = after + np.concatenate([[0], np.cumsum(many)[:-1]])
        parts.append((first, many, mover, share, slot, worths[state]))
        nodes = after
        levels.append(nodes)
        if nodes + int(many.sum()) > MOST_HISTORIES:
            raise TooLarge(
                f"{game.name} has more than {MOST_HISTORIES:,} histories after {len(parts)} rolls and choices, too "
                "many to solve with hidden information"
            )
        parent = np.repeat(np.arange(state.size), many)
        edge = np.repeat(starts[state] - (first - after), many) + np.arange(parent.size)
        for seat in (0, 1):
            chosen[seat] = chosen[seat][parent] + (mover[parent] == seat)
            seen[seat] = np.unique(seen[seat][parent] * most + looks[seat][edge], return_inverse=True)[1]
        state, share = targets[edge], shares[edge]
    first, many, mover, share, slot, worth = (np.concatenate(part) for part in zip(*parts, strict=True))
    order = np.argsort(slot_starts, kind="stable")
    return GameTree(
        np.array(levels, np.int64),
        first,
        many,
        mover,
        share,
        slot,
        worth,
        np.array([*sorted(slot_starts), slots], np.int64),
        np.array(leads, np.int64)[order],
        total,
        [knowledge[k] for k in order],
        len(states.games),
    )
