"""Writes the kernel of the vector environment: one step of many games, in each of which one seat chooses from outside.

Each game of the batch has a lane i, whose numbers stay in arrays between two calls:

=============== =================================================================================================
array           content
=============== =================================================================================================
cells[i]        the state, in the order of `dicelab.kernels.writers.simulate.cells_of`
counted[i]      the tallies
lane[i]         game index, rolls made, choices made, the decision asked for (-1: the game is over), its outcome
moves[a]        of action a: its decision, and the numbers of the move; the actions of decision d are
                ``begins[d] .. begins[d + 1] - 1``
wanted          what is rewarded: the seat that chooses, a tally (-1: none), its sign, an outcome (-1: none)
=============== =================================================================================================

A call makes the move ``chosen[i]`` in every lane (-1 begins a game) and plays on to the next choice of the seat. Where
that ends the game, `final` and `ended` get its last state, outcome and tallies, and the lane begins its next game, with
an index that is higher by `stride`.
"""

from __future__ import annotations

from collections.abc import Sequence

from dicelab.kernels.writers import simulate as k
from dicelab.kernels.writers.moves import call_of, move_names, refusals, stored
from dicelab.kernels.writers.simulate import branches, lines
from dicelab.rules.actions import Decision
from dicelab.rules.game import Game, Strategy, has_outcomes
from dicelab.translation.translator import Translation

DONE, WRONG, ENDLESS, NO_MOVE = range(4)
"""Status codes: all lanes are done; or a rule went wrong, a game is too long, or no move is sensible in lane
``report[0]``."""

HEADER = """# batches of games, game {name!r}; written by dicelab, safe to delete
import numpy as np
from dicelab.kernels import rule_support as _rules
from dicelab.kernels.core import HALF, LOW, draw_slowly, one_word, place, record, unsigned
from numba import njit

new_record = record({slots})

"""

KERNEL = """
@njit(nogil=True, cache=CACHED)
def kernel(k0, k1, limit, stride, setting, tables, rows, learner, lanes, step, report):
    _g = new_record()
    params, args, who, starts, spans = setting
    kinds, pools, guide, sums, values, apart, width = tables
    moves, begins, varying, wanted = learner
    cells, counted, lane = lanes
    chosen, seen, mask, reward, over, refused, final, ended = step
{set_params}
{name_rows}
    learning, tally, sign, prize = wanted[0], wanted[1], wanted[2], wanted[3]
    for i in range(chosen.size):
        report[0] = i
        action = chosen[i]
        beginning = action < 0
        reward[i] = 0.0
        over[i] = refused[i] = False
        # One round, or two if the game ends: then the second begins the lane's next game.
        while True:
            before = counted[i, tally] if tally >= 0 else 0
            if beginning:
                t = made = 0
                asked = -1
{reset}
{start}
            else:
                t, made, asked = lane[i, 1], lane[i, 2], lane[i, 3]
{load}
{load_tallies}
            outcome = lane[i, 4]
            if asked >= 0:
                if t + made >= limit:
                    return {ENDLESS}
                made += 1
{move}
                allowed = moves[action, 0] == asked
                if allowed:
{legal}
                refused[i] = not allowed
                if allowed:
{rules}
            # Play on, unless nothing has changed: the move was refused, or the game was over when it began.
            on = beginning or (asked >= 0 and not refused[i])
            while on:
                at = {next}({state})
                if at == -1:
                    asked = -1
                    outcome = np.int64({outcome})
                    break
                if at < -1 and ((-2 - at) & 65535) == learning:
                    asked = (-2 - at) >> 16
                    if asked >= {decisions}:
                        return {WRONG}
                    break
                if t + made >= limit:
                    return {ENDLESS}
                if at >= 0:
                    kind = at >> 16
                    if kind >= kinds.shape[0] or (at & 65535) > kinds[kind, 1]:
                        return {WRONG}
                    row = kinds[kind, 0] + (at & 65535)
                    scaled = one_word(k0, k1, lane[i, 0], t, 0) * pools[4 * row]
                    if (scaled & LOW) < pools[4 * row + 1]:
                        o = draw_slowly(k0, k1, lane[i, 0], t, row, pools, guide, sums, values, apart)
                    else:
                        o = place(scaled >> HALF, row, width, pools, guide, sums)
                    t += 1
{throws}
                else:
                    kind = (-2 - at) >> 16
                    seat = (-2 - at) & 65535
                    if kind >= {decisions} or seat >= who.size:
                        return {WRONG}
                    made += 1
{choices}
            if _g._outside < 0:
                return {WRONG}
{store}
{store_tallies}
            lane[i, 1], lane[i, 2], lane[i, 3], lane[i, 4] = t, made, asked, outcome
            if not beginning:
                if tally >= 0:
                    reward[i] = sign * (counted[i, tally] - before)
                if asked < 0:
                    over[i] = True
                    reward[i] += np.float64(outcome == prize)
                    ended[i, 0] = outcome
                    for k in range(counted.shape[1]):
                        ended[i, 1 + k] = counted[i, k]
                    for k in range(varying.size):
                        final[i, k] = cells[i, varying[k]]
                    lane[i, 0] += stride
                    beginning = True
                    continue
            break
        for k in range(varying.size):
            seen[i, k] = cells[i, varying[k]]
        mask[i, :] = 0
        if asked >= 0:
            some = False
            for action in range(begins[asked], begins[asked + 1]):
{move}
                allowed = True
{considered}
                mask[i, action] = allowed
                some |= allowed
            if _g._outside < 0:
                return {WRONG}
            if not some:
                return {NO_MOVE}
    return {DONE}
"""


def write(game: type[Game], strategies: Sequence[Strategy]) -> tuple[str, dict[str, str]]:
    """The text of the kernel, and for each function in the text the file and line of its rule.

    Raises
    ------
    NotTranslatable
    """
    translation = Translation.of(game, strategies)
    layout = translation.layout
    state = ", ".join(layout.arguments)
    cells, wrong = k.cells_of(layout, strategies), f"return {WRONG}"
    move = move_names(game)
    parts = {
        "set_params": lines(4, k.set_lines(layout)),
        "name_rows": lines(4, k.name_rows(layout, strategies)),
        "reset": lines(16, k.reset_lines(layout, strategies)),
        "start": lines(16, [f"{translation.method('start')}({state})"] if game.start is not Game.start else []),
        "load": lines(16, k.copied(cells, "{cell} = cells[i, {at}]")),
        "load_tallies": lines(16, [f"_g.{name} = counted[i, {n}]" for n, name in enumerate(game.declared.tallies)]),
        "store": lines(12, k.copied(cells, "cells[i, {at}] = {cell}")),
        "store_tallies": lines(12, [f"counted[i, {n}] = _g.{name}" for n, name in enumerate(game.declared.tallies)]),
        "move": lines(16, [f"{name} = moves[action, {1 + n}]" for n, name in enumerate(move)]),
        "legal": _judged(translation, False, state, move, 20),
        "considered": _judged(translation, True, state, move, 16),
        "rules": branches("asked", [_made(translation, d, state, move) for d in game.declared.decisions], 20),
        "next": translation.method("next"),
        "outcome": f"{translation.method('outcome')}({state})" if has_outcomes(game) else "0",
        "throws": k.throw_calls(translation, state),
        "choices": k.choice_calls(translation, strategies, state, illegal=wrong, bad_step=wrong),
        "decisions": str(len(game.declared.decisions)),
        "state": state,
        **{name: str(code) for name, code in zip(("DONE", "WRONG", "ENDLESS", "NO_MOVE"), range(4), strict=True)},
    }
    text = HEADER.format(name=game.name, slots=layout.slots) + translation.text + KERNEL.format(**parts)
    return text, translation.places


def _made(translation: Translation, decision: Decision, state: str, move: Sequence[str]) -> list[str]:
    """Code that makes a move."""
    own = move[: len(decision.kinds)]
    return [*stored([decision.rule], own), call_of(translation, decision.rule, state, own)]


def _judged(translation: Translation, sensibly: bool, state: str, move: Sequence[str], indent: int) -> str:
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
    return branches("asked", bodies, indent)
