"""The graph of a game in which strategies draw their moves: their choices are states, and what they draw is a roll."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from types import FunctionType
from typing import Any, cast

import numpy as np

from dicelab.errors import IllegalMoveError, ParameterError, RulesError
from dicelab.rules.actions import Decision
from dicelab.rules.game import Call, Game, Strategy, fresh
from dicelab.rules.mixtures import Mixture
from dicelab.rules.private import private_fields, with_own_eyes
from dicelab.runtime.interpreter import Explained, as_move, asked
from dicelab.runtime.lineup import Run
from dicelab.runtime.states.codec import Place
from dicelab.solver.enumeration.model import Graph, as_labels, move_number


def mixing_seats(run: Run, free: Collection[int] = ()) -> list[int]:
    """Return the seats whose strategies may draw their moves, apart from decision seats.

    Raises
    ------
    ParameterError
        When such a strategy has a memory.
    """
    seats = [seat for seat, call in enumerate(run.calls) if call.strategy.mixes and seat not in free]
    for seat in seats:
        strategy = run.calls[seat].strategy
        if strategy.memory is not None:
            raise ParameterError(
                f"{strategy.name} draws its moves (mixture) and has a memory; exact answers know one or the other. "
                "dicelab simulate estimates it"
            )
    return seats


def without_mixing(run: Run, seats: Collection[int]) -> Run:
    """Return the run with stand-ins, which are never asked, in some seats."""
    nobody = Call(Strategy("nobody", cast(FunctionType, _nobody), type(run.game)), ())
    return Run(run.game, tuple(nobody if seat in seats else call for seat, call in enumerate(run.calls)))


def _nobody(game: Game) -> int:
    return 0


def with_draws(graph: Graph, run: Run, seats: Collection[int]) -> Graph:
    """Return the graph of a run, given the one in which some seats are decision seats: their choices become rolls.

    Raises
    ------
    RulesError
        When a strategy may draw a move that the game calls senseless, which has no edge.
    PlayError
        When a strategy fails, or may draw a move that is not allowed.
    """
    place = Place(fresh(run.game), ())
    kept = np.ones(graph.edges, np.bool_)
    labels: dict[tuple[Any, Any, int], int] = {}
    known = zip(graph.weight.tolist(), graph.total.tolist(), graph.change.tolist(), strict=True)
    label = np.array([labels.setdefault(one, len(labels)) for one in known], np.int64)[graph.label]
    for state in np.flatnonzero(np.isin(graph.mover, list(seats))).tolist():
        seat = int(graph.mover[state])
        weights = weights_of_draws(place, run.calls[seat], seat, graph.slots.unpack(graph.keys[state].tolist()))
        total = sum(weights.values())
        for edge in range(graph.row[state], graph.row[state + 1]):
            old = graph.label[edge]
            weight = weights.pop(int(graph.weight[old]), 0)
            kept[edge] = weight > 0
            label[edge] = labels.setdefault((weight, total, int(graph.change[old])), len(labels))
        if any(weights.values()):
            raise RulesError(
                f"{run.calls[seat].strategy.name} may draw a move that {run.game.name} calls senseless (sensible=), in "
                f"{graph.described(state)}; exact answers leave such moves out"
            )
    weights_of, totals, changes = (np.array(part) for part in zip(*labels, strict=True))
    kind = graph.weight.dtype
    return replace(
        graph,
        calls=run.calls,
        row=np.concatenate(([0], np.cumsum(kept)))[graph.row],
        target=graph.target[kept],
        label=as_labels(label[kept], len(labels)),
        weight=weights_of.astype(kind),
        total=totals.astype(kind),
        change=changes.astype(np.int64),
        mover=np.where(np.isin(graph.mover, list(seats)), -1, graph.mover).astype(np.int32),
    )


def weights_of_draws(place: Place, call: Call, seat: int, numbers: Sequence[int]) -> dict[int, int]:
    """Return the weight of each move, by its number, that a strategy may make in the state of these numbers, into which
    the game of `place` is put.
    """
    game = place.game
    place.set(numbers[: len(place.read())])
    with Explained(game):
        decision, _ = asked(game, game.next())
        assert isinstance(decision, Decision)
        chosen = with_own_eyes(
            lambda: call.strategy.rule(game, *call.args), game, seat, private_fields(game), call.strategy.name
        )
        pairs: Sequence[tuple[object, int]] = (
            list(zip(chosen.moves, chosen.weights, strict=True)) if isinstance(chosen, Mixture) else [(chosen, 1)]
        )
        found: dict[int, int] = {}
        for made, weight in pairs:
            move = as_move(made)
            if weight and not decision.allows(game, move):
                raise IllegalMoveError(f"{call.strategy.name} may draw {move}, which is not allowed")
            if weight:
                number = move_number(decision, game, move)
                found[number] = found.get(number, 0) + weight
    return found
