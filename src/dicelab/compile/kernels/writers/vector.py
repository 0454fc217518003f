"""Writes the kernel of the vector environment: one step of many games, with one seat of each moved from outside.

Each game of the batch has a lane i, whose numbers stay in arrays between two calls:

=============== =================================================================================================
array           content
=============== =================================================================================================
cells[i]        the state, in the order of `dicelab.compile.kernels.writers.simulate.cells_of`
counted[i]      the tallies
lane[i]         game index, rolls made, choices made, the decision asked for (-1: the game is over), its outcome
moves[a]        of action a: its decision, and the numbers of the move; the actions of decision d are
                ``begins[d] .. begins[d + 1] - 1``
wanted          what is rewarded: the seat that chooses, a tally (-1: none), its sign
prizes[o]       the reward for outcome o
=============== =================================================================================================

A call makes the move ``chosen[i]`` in every lane (-1 begins a game) and plays on to the next choice of the seat. Where
that ends the game, `final` and `ended` get its last state, outcome and tallies, and the lane begins its next game, with
an index that is higher by `stride`.
"""

from __future__ import annotations

from collections.abc import Sequence

from dicelab.compile.kernels.writers import simulate as k
from dicelab.compile.kernels.writers.moves import call_of, move_names, refusals, stored
from dicelab.compile.kernels.writers.simulate import branches
from dicelab.rules.actions import Decision
from dicelab.rules.game import Game, Strategy
from dicelab.translation.translator import Translation

DONE, WRONG, ENDLESS, NO_MOVE = range(4)
"""Status codes: all lanes are done; or a rule went wrong, a game is too long, or no move is sensible in lane
``report[0]``."""


def write(game: type[Game], strategies: Sequence[Strategy]) -> tuple[str, dict[str, str]]:
    """Return the text of the kernel, and for each function in the text the file and line of its rule."""
    translation = k.translated(game, strategies)
    layout = translation.layout
    state = ", ".join(layout.arguments)
    cells = k.cells_of(layout, strategies)
    move = move_names(game)
    parts: k.Parts = {
        **k.rules_of(translation, strategies, WRONG, WRONG),
        "load": k.copied(cells, "{cell} = cells[i, {at}]"),
        "load_tallies": [f"_g.{name} = counted[i, {n}]" for n, name in enumerate(game.declared.tallies)],
        "store": k.copied(cells, "cells[i, {at}] = {cell}"),
        "store_tallies": [f"counted[i, {n}] = _g.{name}" for n, name in enumerate(game.declared.tallies)],
        "move": [f"{name} = moves[action, {1 + n}]" for n, name in enumerate(move)],
        "legal": _judged(translation, False, state, move),
        "considered": _judged(translation, True, state, move),
        "rules": branches("asked", [_made(translation, d, state, move) for d in game.declared.decisions]),
        **{"DONE": DONE, "WRONG": WRONG, "ENDLESS": ENDLESS, "NO_MOVE": NO_MOVE},
    }
    return k.text_of("vector", "batches of games", translation, parts), translation.places


def _made(translation: Translation, decision: Decision, state: str, move: Sequence[str]) -> list[str]:
    """Code that makes a move."""
    own = move[: len(decision.kinds)]
    return [*stored([decision.rule], own), call_of(translation, decision.rule, state, own)]


def _judged(translation: Translation, sensibly: bool, state: str, move: Sequence[str]) -> list[str]:
    """Code that sets ``allowed`` to False if the move is not allowed in the decision asked for, or not sensible."""
    bodies = []
    for decision in translation.game.declared.decisions:
        own = move[: len(decision.kinds)]
        code, refused = refusals(translation, decision, state, own)
        code += [f"if {refused}:", "    allowed = False"] if refused else []
        if sensibly and decision.sensible is not None:
            code += stored([decision.sensible], own)
            code += [f"if not {call_of(translation, decision.sensible, state, own)}:", "    allowed = False"]
        bodies.append(code or ["pass"])
    return branches("asked", bodies)
