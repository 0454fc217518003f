"""The actions that a rule can name: a move, the least or the most allowed, the seat with the most or fewest chips.

In each state an action stands for one of the moves allowed there, or for none. Seats are counted from the seat that
chooses.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dicelab.questions.heuristics.move_graph import MoveGraph
from dicelab.rules.actions import Decision
from dicelab.rules.fields import Ints
from dicelab.rules.game import seat_count
from dicelab.rules.keeping import Keep
from dicelab.rules.params import value_of
from dicelab.rules.wording import named_move
from dicelab.rules.words import Bits
from dicelab.runtime.arrays import Floats
from dicelab.runtime.states.codec import Slots
from dicelab.solver.enumeration.unfold import decisions_at

MOST = 12
"""Maximum number of moves that rules can name: those that are optimal most often."""
LEAST, LARGEST = "the least allowed", "the most allowed"
FEW, MANY = "as few dice as allowed (the first faces)", "as many dice as allowed"
LOW, HIGH = "the lowest that fit", "the highest that fit"
FIRST, LAST = "the first that is open", "the last that is open"
EXTREMES = (LEAST, LARGEST, FEW, MANY, LOW, HIGH, FIRST, LAST)
"""Actions that stand for the first or the last of many moves: numbers, kept dice, members of sets, named values."""
Options = NDArray[np.int64]


@dataclass(frozen=True)
class RuleWords:
    """The actions that a rule can name.

    Attributes
    ----------
    names
        The actions in words.
    options
        int64 array (names, states): the option of the policy that the action means in a state, -1 if it is not allowed.
    asked
        int64 array (states): index of the decision that each state asks for.
    """

    names: list[str]
    options: Options
    asked: NDArray[np.int64]


def words(table: MoveGraph, weight: Floats) -> RuleWords:
    """Return the actions for the states of a table; in every state at least one is allowed.

    `weight` has the expected visits of each state; moves that are optimal most often are preferred.
    """
    kind = decisions_at(table.graph.game, Slots.of(table.graph.game, ()), table.policy.keys)
    found: dict[str, Options] = {}
    for decision in np.unique(kind).tolist():
        for name, options in _of_decision(
            table, table.graph.game.declared.decisions[decision], kind == decision, weight
        ):
            alike = found.get(name)
            found[name] = options if alike is None else np.maximum(alike, options)
    for name in (LEAST, FEW, LOW, FIRST):  # the last that rules try
        lowest = found.pop(name, None)
        if lowest is not None:
            found[name] = lowest
    return RuleWords(list(found), np.stack(list(found.values())), kind)


def _of_decision(
    table: MoveGraph, decision: Decision, here: NDArray[np.bool_], weight: Floats
) -> Iterator[tuple[str, Options]]:
    """Yield the names and options of the actions for one decision, in the states `here` that ask for it."""
    policy, game = table.policy, table.graph.game
    length = np.diff(policy.row)
    source = np.repeat(np.arange(len(policy)), length)
    width = len(decision.kinds)
    moves = policy.moves[:, :width].copy()
    by_seat = width == 1 and (decision.seats == (0,) or decision.kinds[0] is type(game).seats)
    if by_seat:
        moves[:, 0] = (moves[:, 0] - table.seat[source]) % seat_count(game)
        yield from _seats_by_rows(table, here, source)
    kinds, kind = np.unique(moves, axis=0, return_inverse=True)
    kind = kinds_at = kind.reshape(-1)
    usual = np.bincount(kind[policy.best[here]], weight[here], len(kinds))
    met = np.unique(kind[here[source]])
    keeps = isinstance(decision, Keep)
    most = 0 if keeps and len(met) > MOST else MOST  # of many choices of dice none is worth a name
    for k in sorted(met[np.argsort(-usual[met], kind="stable")][:most].tolist()):
        chosen = (kind == k) & here[source]
        options = np.full(len(policy), -1, np.int64)
        options[source[chosen]] = np.flatnonzero(chosen)
        move = tuple(kinds[k].tolist())
        yield _of_seat(move[0], seat_count(game)) if by_seat else named_move(game, decision, move, 1), options
    named = by_seat or all(isinstance(each, type) for each in decision.kinds)
    if len(met) <= (MOST if named else 2):
        return
    sets = isinstance(game.words.values.get(decision.name), Bits)
    titled = decision.name in game.words.values
    least, largest = (FEW, MANY) if keeps else (LOW, HIGH) if sets else (FIRST, LAST) if titled else (LEAST, LARGEST)
    for name, best in ((largest, np.maximum), (least, np.minimum)):
        if keeps:  # by the number of dice; of as many, those with more of the first faces
            side = 1 if name == MANY else -1
            kind = np.argsort(np.lexsort((side * np.arange(len(kinds)), kinds.sum(axis=1))))[kinds_at]
        ranked = np.where(here[source], kind, -1)
        extreme = best.reduceat(ranked, policy.row[:-1])
        options = np.full(len(policy), -1, np.int64)
        hit = (ranked == extreme[source]) & here[source]
        options[source[hit]] = np.flatnonzero(hit)
        yield name, options


def _of_seat(places: int, seats: int) -> str:
    if places == 0:
        return "myself"
    if places <= seats // 2:
        return "the next seat" if places == 1 else f"{places} seats on"
    return "the seat before" if seats - places == 1 else f"{seats - places} seats back"


def _seats_by_rows(
    table: MoveGraph, here: NDArray[np.bool_], source: NDArray[np.int64]
) -> Iterator[tuple[str, Options]]:
    """Actions that name the seat with the most or the least of a row; the first one after the chooser if tied."""
    policy, game = table.policy, table.graph.game
    seats = seat_count(game)
    named = policy.moves[:, 0]
    behind = (named - table.seat[source]) % seats
    for name, field in game.declared.state.items():
        if not isinstance(field, Ints) or value_of(field.length, game) != seats:
            continue
        row = np.stack([policy.column(f"{name}[{i}]") for i in range(seats)])
        for word, sign in (("most", 1), ("least", -1)):
            rank = sign * row[named % seats, source] * seats - behind
            best = np.maximum.reduceat(rank, policy.row[:-1])
            hit = (rank == best[source]) & here[source]
            options = np.full(len(policy), -1, np.int64)
            options[source[hit]] = np.flatnonzero(hit)
            yield f"the seat with the {word} {name}", options
