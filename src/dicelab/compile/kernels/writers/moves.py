"""Writes the parts of kernels about moves: whether one is allowed, and all that may be tried in a state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dicelab.rules.actions import LISTABLE, Decision
from dicelab.rules.game import Game
from dicelab.rules.keeping import Keep
from dicelab.rules.params import value_of
from dicelab.translation.entries import takes_any
from dicelab.translation.translator import NotTranslatable, Translation

TRIED = "_moves.shape[0] - 1"
"""The row of ``_moves`` for the move that is tried: the last one."""


def move_names(game: type[Game]) -> list[str]:
    """Return the names of the variables that hold the numbers of a move: as many as the longest move has.

    Raises
    ------
    NotTranslatable
        When the game has no choices.
    """
    sizes = {len(d.kinds) for d in game.declared.decisions}
    if not sizes:
        raise NotTranslatable(f"{game.name}: it has no choices")
    return [f"c{j}" for j in range(max(sizes))]


def lists_moves(game: type[Game]) -> bool:
    """Return whether some choice lists its moves; kernels then have the array ``_moves``."""
    return any(decision.lists for decision in game.declared.decisions)


def most_moves(decision: Decision, game: Game) -> int:
    """Return the most moves that can be allowed in one state; for other choices than those that
    list, all combinations.
    """
    if isinstance(decision, Keep):
        return int(min(LISTABLE, 2 ** min(62, value_of(decision.most, game))))
    count = 1
    for low, high in decision.spans(game):
        count *= high - low + 1
    return min(count, LISTABLE) if decision.lists else count


def options(game: type[Game]) -> list[str]:
    """Code that makes the array for the moves that a kernel tries one after the other."""
    return ["_options = np.zeros_like(_moves)"] if lists_moves(game) else []


def call_of(translation: Translation, rule: Any, state: str, move: Sequence[str]) -> str:
    """Return the call of a method with a move, after `stored` where it takes all numbers as one."""
    given = [f"_moves[{TRIED}, : {len(move)}]"] if takes_any(rule) else move
    return f"{translation.function(rule, 'game')}({', '.join([state, *given])})"


def stored(rules: Sequence[Any], move: Sequence[str]) -> list[str]:
    """Code that stores the move that is tried, if one of these methods takes all its numbers as one."""
    if not any(takes_any(rule) for rule in rules):
        return []
    return [f"_moves[{TRIED}, {j}] = {c}" for j, c in enumerate(move)]


def refusals(translation: Translation, decision: Decision, state: str, move: Sequence[str]) -> tuple[list[str], str]:
    """Code to run before, and a condition under which a move within its ranges is not allowed; "" for none."""
    if isinstance(decision, Keep):
        row = f"_r_{decision.dice.name}"
        before = [f"_g._outside |= spans[{decision.index}, 0, 1] - {row}.sum()"]
        wrong = [f"{c} > {row}[{j}]" for j, c in enumerate(move)]
    else:
        before, wrong = [], []
    if decision.moves is not None:
        translation.support_moves()
        listed = f"{translation.function(decision.moves, 'game')}({state}, _moves)"
        wrong.append(f"not _has_move(_g, _moves, {listed}, ({', '.join(move)},), spans[{decision.index}])")
    if decision.legal is not None:
        before += stored([decision.legal], move)
        wrong.append(f"not {call_of(translation, decision.legal, state, move)}")
    return before, " or ".join(wrong)


def listing(translation: Translation, decision: Decision, state: str) -> str:
    """Return the call that fills ``_options``, an array like ``_moves``, with the moves allowed now; it returns their
    number.

    Strategies and rules that choose and move later change ``_moves``, but not ``_options``.
    """
    translation.support_moves()
    if not isinstance(decision, Keep):
        return f"{translation.function(decision.moves, 'game')}({state}, _options)"
    name = f"game_keepings_{decision.index}"
    if not any(f"def {name}(" in text for text in translation.source):
        row, width = f"_r_{decision.dice.name}", len(decision.kinds)
        move = [f"_moves[{TRIED}, {j}]" for j in range(width)]
        allowed = call_of(translation, decision.legal, state, move) if decision.legal is not None else "True"
        code = [
            "@_rules.guarded",
            f"def {name}({state}, _moves, _most):",
            f"    _g._outside |= _most - {row}.sum()",
            f"    if {row}.size != {width}:",
            "        _g._outside |= -1",
            "    count = 0",
            *(f"    {cell} = 0" for cell in move),
            "    going = _g._outside >= 0",
            "    while going:",
            f"        if {allowed}:",
            f"            if count == {TRIED}:",
            "                _g._outside |= -1",
            "                break",
            *(f"            _moves[count, {j}] = {cell}" for j, cell in enumerate(move)),
            "            count += 1",
            f"        going = _next_kept(_moves, {row})",
            "    return count",
        ]
        translation.source.append("\n".join(code) + "\n")
    return f"{name}({state}, _options, spans[{decision.index}, 0, 1])"
