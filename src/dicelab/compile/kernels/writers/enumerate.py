"""Writes the kernel that explores all states of a game and their transitions.

It finds the same chain as `solver.enumeration.enumerate_python`, with states in the same order. Arrays of the result::

    keys[s]                        packed state s (`dicelab.runtime.states.codec`)
    row[s] .. row[s + 1] - 1       edges from state s
    target[edge]                   next state, or -1 - outcome
    mover[s]                       seat that chooses, -1 for a roll
    changes[c]                     change c of the tallies: a number for each that is counted, then how far the view was
                                   rotated, where it is
    labels[k]                      weight of the edges with label k, or number of the move; sum of the weights of their
                                   state (1 for a choice); number of the change. Floating-point numbers as their bits

States are expanded in two steps. The kernel plays the branches of some states, and notes in `branches` where they lead;
several threads can do so for different states. `dicelab.compile.kernels.numbering` then gives the new states numbers
and adds the edges; their labels go to `branches` too.

`report` has the state at which the kernel stopped, and its number of branches or the row of its dice. `free` says of
each seat whether its decisions are branches.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from dicelab.compile.kernels.writers.moves import call_of, listing, lists_moves, move_names, options, stored
from dicelab.compile.kernels.writers.simulate import Parts, branches, cells_of, copied, rules_of, text_of, translated
from dicelab.rules.actions import Decision
from dicelab.rules.fields import MOST_COUNTED, Ints, Peak, Seat
from dicelab.rules.game import Game, Strategy
from dicelab.runtime.states.explorer import UNRAISED
from dicelab.translation.translator import Translation

DONE, ENDLESS, ILLEGAL, BAD_STEP, BAD_OUTCOME, FULL, BAD_RANGE, NO_MOVE, NEW_DICE = range(9)
"""Status codes of the kernel: why it stopped at state ``report[0]``. The first five are those of
`dicelab.compile.kernels.writers.simulate`."""


def written(
    game: type[Game], strategies: Sequence[Strategy], counted: bool = True, turned: bool = False
) -> tuple[str, dict[str, str]]:
    """As `write`, with results cached: writing the kernel takes longer than solving a small chain."""
    known: Any = game
    return _written(known, tuple(strategies), counted, turned)


@lru_cache(maxsize=64)
def _written(game: Any, strategies: tuple[Any, ...], counted: bool, turned: bool) -> tuple[str, dict[str, str]]:
    return write(game, strategies, counted, turned)


def write(
    game: type[Game], strategies: Sequence[Strategy], counted: bool = True, turned: bool = False
) -> tuple[str, dict[str, str]]:
    """Return the text of the kernel, and for each function in the text the file and line of its rule.

    Unless tallies are `counted`, changes have none. States that are `turned` are rotated so that the seat whose turn it
    is has number 0 (`dicelab.runtime.states.symmetry`).
    """
    translation = translated(game, strategies)
    layout = translation.layout
    state = ", ".join(layout.arguments)
    tallies = game.declared.tallies if counted else {}
    cells = cells_of(layout, strategies)
    codes = {"DONE": DONE, "ENDLESS": ENDLESS, "BAD_STEP": BAD_STEP, "BAD_OUTCOME": BAD_OUTCOME}
    codes |= {"FULL": FULL, "BAD_RANGE": BAD_RANGE, "NO_MOVE": NO_MOVE, "NEW_DICE": NEW_DICE}
    parts: Parts = {
        **codes,
        **rules_of(translation, strategies),
        "options": options(game),
        "nothing": _nothing(game),
        "load": copied(cells, "{cell} = before[{at}]"),
        "store_here": copied(cells, "here[{at}] = {cell}"),
        "store_since": [f"since[b, {k}] = _g.{name}" for k, name in enumerate(tallies)],
        "open_choice": open_choice(translation, state) if game.declared.decisions else [f"return {BAD_STEP}"],
        "count_moves": count_moves(translation, state) if game.declared.decisions else [],
        "number": "(numbered if s >= 0 else 0)" if lists_moves(game) else "branch",
        "tallies": len(tallies),
        "most": MOST_COUNTED,
        "turn": _seats_turned(game) if turned else [],
        "store_turn": [f"since[b, {len(tallies)}] = by_seats"] if turned else [],
        "not_turned": [f"since[b, {len(tallies)}] = 0"] if turned else [],
    }
    return text_of("enumerate", "states", translation, parts), translation.places


def _nothing(game: type[Game]) -> list[str]:
    """Code that sets every tally to its value before anything is counted."""
    tallies = game.declared.tallies.items()
    return [f"_g.{name} = {UNRAISED if isinstance(tally, Peak) else 0}" for name, tally in tallies]


def rotation(game: type[Game], cells: Sequence[tuple[str, int]]) -> list[str]:
    """Code that rotates the state `here` to the view of the seat whose turn it is; `by_seats` is by how many seats."""
    state = list(game.declared.state.values())
    singles = sum(not isinstance(f, Ints) for f in state)
    code = [*_seats_turned(game), "if by_seats > 0:", f"    p = {singles}"]
    for (name, _), f in zip(cells[singles:], [f for f in state if isinstance(f, Ints)], strict=False):
        if f.by_seat:
            code += [f"    each = {name}.shape[0] // who.size", "    for o in range(p, p + each):"]
            code += ["        for q in range(who.size):", "            around[q] = here[o + q * each]"]
            code += ["        for q in range(who.size):", "            r = q + by_seats"]
            code += ["            here[o + q * each] = around[r - who.size if r >= who.size else r]"]
        code.append(f"    p += {name}.shape[0]")
    return code


def _seats_turned(game: type[Game]) -> list[str]:
    """Code that sets `by_seats` to the seat whose turn it is, 0 for none, and counts the seats in `here` from it; a
    number that is no seat stays as it is.
    """
    single = [f for f in game.declared.state.values() if not isinstance(f, Ints)]
    turn = next(i for i, f in enumerate(single) if isinstance(f, Seat) and f.alike)
    code = [f"by_seats = here[{turn}] if 0 < here[{turn}] < who.size else 0", "if by_seats > 0:"]
    for i, f in enumerate(single):
        if isinstance(f, Seat):
            code += [f"    if 0 <= here[{i}] < who.size:", f"        here[{i}] -= by_seats"]
            code += [f"        if here[{i}] < 0:", f"            here[{i}] += who.size"]
    return code


def count_moves(translation: Translation, state: str) -> list[str]:
    """Code that sets `many` to the number of moves to try of choice `kind`, which are listed now if it lists them."""
    game = translation.game
    tried = ["for j in range(spans.shape[1]):", "    many *= spans[kind, j, 1] - spans[kind, j, 0] + 1"]
    if not lists_moves(game):
        return tried
    bodies = [
        [f"many = {listing(translation, decision, state)}", "if _g._outside < 0:", f"    return {BAD_RANGE}"]
        if decision.lists
        else tried
        for decision in game.declared.decisions
    ]
    return branches("kind", bodies)


def open_choice(translation: Translation, state: str) -> list[str]:
    """Code that makes move number `rest` of choice `kind`, if it is legal and sensible.

    It is a row of ``_options`` if the moves are listed, otherwise a number in mixed radix. In games that list moves,
    `numbered` is set to that number of each move (`dicelab.solver.enumeration.model.move_number`).
    """
    game = translation.game
    move, bodies = move_names(game), []
    for decision in game.declared.decisions:
        own = move[: len(decision.kinds)]
        asked = [rule for rule in (decision.legal, decision.sensible) if rule is not None]
        taken = _decoded(decision, own)
        if decision.lists:
            asked = [decision.sensible] if decision.sensible is not None else []
            taken = _taken(decision, own)
        call = call_of(translation, decision.rule, state, own)
        allowed = " and ".join(call_of(translation, rule, state, own) for rule in asked)
        made = [f"if {allowed}:", f"    {call}", "else:", "    allowed = False"] if asked else [call]
        bodies.append([*taken, *stored([decision.rule, *asked], own), *made])
    return [*(["numbered = rest"] if lists_moves(game) else []), *branches("kind", bodies)]


def _decoded(decision: Decision, move: Sequence[str]) -> list[str]:
    """Code that takes a move from its number `rest`, in mixed radix."""
    code, k = [], decision.index
    for j in reversed(range(1, len(move))):
        code += [f"size = spans[{k}, {j}, 1] - spans[{k}, {j}, 0] + 1", f"c{j} = spans[{k}, {j}, 0] + rest % size"]
        code += ["rest //= size"]
    return [*code, f"c0 = spans[{k}, 0, 0] + rest"]


def _taken(decision: Decision, move: Sequence[str]) -> list[str]:
    """Code that takes a move from the list, and numbers it."""
    code = [f"{c} = _options[branch, {j}]" for j, c in enumerate(move)] + ["numbered = 0"]
    for j, c in enumerate(move):
        ends = f"spans[{decision.index}, {j}, 0]", f"spans[{decision.index}, {j}, 1]"
        code += [f"if {c} < {ends[0]} or {c} > {ends[1]}:", "    _g._outside |= -1"]
        code += [f"numbered = numbered * ({ends[1]} - {ends[0]} + 1) + {c} - {ends[0]}"]
    return code
