"""Writes the kernel that plays one game step by step, from outside: for a page that people play in.

``call`` holds the request and where the game stands: the operation, the rolls made so far, a number, the step (what
`next` has asked for), and the index of the game. The operations:

========= ==========================================================================================================
BEGIN     begin the game
ROLL      roll the dice of the stream, and apply the rule; ``seen`` gets what the rule received
OUTCOME   apply outcome ``call[2]`` of the tables of rolls instead
CHOOSE    let the strategy of the seat choose, and make its move; ``move`` gets it
MOVE      make ``move``, or return REFUSED if it is not allowed
LIST      fill ``_options`` with the moves that are allowed, ``sensible`` with which are, ``call[2]`` with their number
ROWS      fill ``sensible`` with which rows of the score sheets are open, one sheet after the other
========= ==========================================================================================================

``cells`` and ``counted`` are the state and the tallies, as in `dicelab.compile.kernels.writers.vector`. After each step
``call[3]`` is the next one, and at the end of the game ``call[2]`` its outcome.
"""

from __future__ import annotations

from collections.abc import Sequence

from dicelab.compile.kernels.writers import simulate as k
from dicelab.compile.kernels.writers.moves import call_of, listing, move_names, refusals, stored
from dicelab.compile.kernels.writers.simulate import branches
from dicelab.rules.actions import Decision
from dicelab.rules.game import Game, Strategy
from dicelab.rules.keeping import Keep
from dicelab.rules.words import Sheet
from dicelab.translation.translator import Translation

BEGIN, ROLL, OUTCOME, CHOOSE, MOVE, LIST, ROWS = range(7)
"""Operations."""
DONE, WRONG, REFUSED = range(3)
"""Status codes: done; a rule went wrong; the move is not allowed."""


def write(game: type[Game], strategies: Sequence[Strategy]) -> tuple[str, dict[str, str]]:
    """Return the text of the kernel, and for each function in the text the file and line of its rule."""
    translation = k.translated(game, strategies)
    layout = translation.layout
    state = ", ".join(layout.arguments)
    cells = k.cells_of(layout, strategies)
    decisions = game.declared.decisions
    move = move_names(game) if decisions else []
    parts: k.Parts = {
        **k.rules_of(translation, strategies, WRONG, WRONG),
        "load": k.copied(cells, "{cell} = cells[{at}]"),
        "load_tallies": [f"_g.{name} = counted[{n}]" for n, name in enumerate(game.declared.tallies)],
        "store": k.copied(cells, "cells[{at}] = {cell}"),
        "store_tallies": [f"counted[{n}] = _g.{name}" for n, name in enumerate(game.declared.tallies)],
        "keep_move": [f"move[{n}] = {name}" for n, name in enumerate(move)] if strategies else [],
        "take_move": [f"{name} = move[{n}]" for n, name in enumerate(move)],
        "legal": branches("asked", [_judged(translation, d, state, move) for d in decisions]),
        "rules": branches("asked", [made_move(translation, d, state, move) for d in decisions]),
        "list": branches("asked", [listed_moves(translation, d, state, move) for d in decisions]),
        "open": _open_rows(translation, state),
        **{"DONE": DONE, "WRONG": WRONG, "REFUSED": REFUSED},
        **{"BEGIN": BEGIN, "ROLL": ROLL, "OUTCOME": OUTCOME, "CHOOSE": CHOOSE},
        **{"MOVE": MOVE, "LIST": LIST, "ROWS": ROWS},
    }
    return k.text_of("step", "one game, step by step", translation, parts), translation.places


def made_move(translation: Translation, decision: Decision, state: str, move: Sequence[str]) -> list[str]:
    """Return code that makes a move."""
    own = move[: len(decision.kinds)]
    return [*stored([decision.rule], own), call_of(translation, decision.rule, state, own)]


def _judged(translation: Translation, decision: Decision, state: str, move: Sequence[str]) -> list[str]:
    """Return code that sets ``allowed`` to False if a move is not allowed."""
    own = move[: len(decision.kinds)]
    outside = [
        f"{c} < spans[{decision.index}, {j}, 0] or {c} > spans[{decision.index}, {j}, 1]" for j, c in enumerate(own)
    ]
    code, refused = refusals(translation, decision, state, own)
    inner = [*code, *([f"if {refused}:", "    allowed = False"] if refused else [])]
    code = [f"if {' or '.join(outside)}:", "    allowed = False"]
    return [*code, "else:", *(f"    {line}" for line in inner)] if inner else code


def listed_moves(translation: Translation, decision: Decision, state: str, move: Sequence[str]) -> list[str]:
    """Return code that lists the moves allowed, and which of them are sensible."""
    own, d = move[: len(decision.kinds)], decision.index
    sensibly = ["sensible[{at}] = True"]
    if decision.sensible is not None:
        considered = call_of(translation, decision.sensible, state, own)
        sensibly = [*stored([decision.sensible], own), f"sensible[{{at}}] = {considered}"]
    if isinstance(decision, Keep) or decision.lists:
        return [
            f"count = {listing(translation, decision, state)}",
            "for n in range(count):",
            *(f"    {c} = _options[n, {j}]" for j, c in enumerate(own)),
            *(f"    {line.format(at='n')}" for line in sensibly),
        ]
    lines = ["total = np.int64(1)"]
    for j in range(len(own)):
        lines.append(f"total *= spans[{d}, {j}, 1] - spans[{d}, {j}, 0] + 1")
    lines += ["if total > sensible.size:", f"    return {REFUSED}", "for n in range(total):", "    rest = n"]
    for j in reversed(range(len(own))):
        size = f"(spans[{d}, {j}, 1] - spans[{d}, {j}, 0] + 1)"
        lines += [f"    {own[j]} = spans[{d}, {j}, 0] + rest % {size}", f"    rest //= {size}"]
    lines += ["    allowed = True", *(f"    {line}" for line in _judged(translation, decision, state, own))]
    kept = [f"_options[count, {j}] = {c}" for j, c in enumerate(own)]
    lines += ["    if allowed:", *(f"        {line}" for line in kept)]
    return [*lines, *(f"        {line.format(at='count')}" for line in sensibly), "        count += 1"]


def _open_rows(translation: Translation, state: str) -> list[str]:
    """Return code that finds which rows of the score sheets are open."""
    game, code = translation.game, ["n = np.int64(0)"]
    for sheet in (part for part in game.words.board if isinstance(part, Sheet)):
        d = next(d for d in game.declared.decisions if d.name == sheet.choice)
        rule = getattr(game, sheet.open)
        code += [f"for value in range(spans[{d.index}, 0, 0], spans[{d.index}, 0, 1] + 1):"]
        code += [f"    sensible[n] = {translation.function(rule, 'game')}({state}, value)", "    n += 1"]
    return code
