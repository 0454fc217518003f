"""What strategies that draw their moves may do in a state: each option with its weight."""

from __future__ import annotations

from collections.abc import Collection

from dicelab.errors import IllegalMoveError, RulesError
from dicelab.rules.actions import Decision
from dicelab.rules.game import Game, Memory
from dicelab.rules.mixtures import Mixture
from dicelab.rules.private import masked_for_seat, private_fields
from dicelab.runtime.interpreter import as_move
from dicelab.runtime.lineup import Call, Run


def mixing_seats(run: Run, free: Collection[int] = ()) -> list[int]:
    """Return the seats whose strategies may draw their moves, apart from decision seats."""
    return [seat for seat, call in enumerate(run.calls) if call.strategy.mixes and seat not in free]


def chosen_by(game: Game, seat: int, call: Call, memory: Memory | None) -> object:
    """Return what a strategy chooses in a state, a move or a mixture, which sees what its seat sees."""
    args = (*([] if memory is None else [memory]), *call.args)
    if call.strategy.moves is not None:  # a policy was found to depend on what is seen alone
        return call.strategy.rule(game, *args)
    fields, who = private_fields(game), call.strategy.name
    return masked_for_seat(lambda: call.strategy.rule(game, *args), game, seat, fields, who)


def weights_of(chosen: object) -> list[int]:
    """Return the weight of each option of what a strategy chooses; one of 1 for a move."""
    return chosen.weights if isinstance(chosen, Mixture) else [1]


def option(chosen: object, place: int, game: Game, decision: Decision, who: str) -> tuple[int, ...]:
    """Return the move of an option, as if it were drawn: a policy remembers it.

    Raises
    ------
    IllegalMoveError
        When it is not allowed.
    RulesError
        When the game calls it senseless, so that exact answers leave it out.
    """
    move = as_move(chosen.taken(place) if isinstance(chosen, Mixture) else chosen)
    if not decision.allows(game, move):
        raise IllegalMoveError(f"{who} may draw {move}, which is not allowed")
    if not decision.considered(game, move):
        raise RulesError(
            f"{who} may draw a move that {game.name} calls senseless (sensible=); exact answers leave such moves out"
        )
    return move
