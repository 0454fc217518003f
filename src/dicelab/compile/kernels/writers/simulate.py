"""Writes the kernel of the compiled engine: the rules of one game as plain functions, and a loop that plays many games.

The functions after `write` produce pieces of code that all kernels written for a game have in common.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any

from dicelab.compile.kernels.templates.slots import filled, functions_of
from dicelab.compile.kernels.writers.moves import call_of, lists_moves, move_names, refusals, stored
from dicelab.errors import NotSmall
from dicelab.rules.actions import NO_VALUE, Decision
from dicelab.rules.drawing import Drawn
from dicelab.rules.fields import Field, Ints, fields_of
from dicelab.rules.game import Game, Strategy, counts_at_end
from dicelab.rules.private import private_fields
from dicelab.runtime.lineup import Call, distinct
from dicelab.translation.rewrite.rewriter import Rewriter
from dicelab.translation.translator import KernelLayout, NotTranslatable, Translation, memory_arguments, memory_name

Parts = dict[str, Any]
"""What fills the slots of a template: numbers, expressions, and lines of code."""

DONE, ENDLESS, ILLEGAL, BAD_STEP, BAD_OUTCOME, FULL = range(6)
"""Status codes of a kernel: all games played, or why it stopped; ``report[0]`` is the number of games played before."""


def must_be_translatable(game: Game, calls: Sequence[Call]) -> None:
    """Refuse rules that can't be translated into a kernel."""
    try:
        translated(type(game), distinct(call.strategy for call in calls))
    except NotTranslatable as error:
        raise NotSmall(f"its rules can't be translated: {error}") from error


def write(
    game: type[Game],
    strategies: Sequence[Strategy],
    one_word: bool = False,
    resumed: bool = False,
    blocks: int | str = "BLOCKS",
) -> tuple[str, dict[str, str]]:
    """Return the text of the kernel for a game, and for each function in the text the file and line of its rule.

    Any of the strategies may play in any seat. A kernel for rolls that take `one_word` each, unless it is rejected, is
    compiled in less time than one for all rolls. A kernel for `resumed` games starts each game from a row of an array:
    game index, rolls made, the numbers of the state, the tallies. Once the first blocks of a game's stream are used up,
    it computes as many `blocks` at a time.
    """
    translation, use = translated(game, strategies), "engine counter" if resumed else "engine compiled"
    parts = parts_of(translation, strategies, one_word, resumed) | {"blocks": blocks}
    return text_of("simulate", use, translation, parts), translation.places


def translated(game: type[Game], strategies: Sequence[Strategy]) -> Translation:
    """Return the translated rules that all kernels for simulations call, in a copy to which a kernel can add others."""
    known: Any = game
    return _translated(known, tuple(strategies)).copied()


def must_see_own(game: type[Game], strategies: Iterable[Strategy]) -> None:
    """Refuse strategies that read what their seats don't see, where their source shows it.

    A strategy for which that isn't known is watched by the reference engine, which alone plays it.
    """
    for strategy in dict.fromkeys(strategies) if private_fields(game) else ():
        with suppress(NotTranslatable):
            translated(game, [strategy])


@lru_cache(maxsize=16)
def _translated(game: Any, strategies: tuple[Any, ...]) -> Translation:
    translation = Translation.of(game, strategies, Rewriter)
    parts_of(translation, strategies)
    return translation


def parts_of(
    translation: Translation, strategies: Sequence[Strategy], one_word: bool = False, resumed: bool = False
) -> Parts:
    """Return what the template `simulate` needs, as `write` describes it."""
    game, layout = translation.layout.game, translation.layout
    rules = rules_of(translation, strategies, drawing=() if resumed else DRAWING, judged=not resumed)
    fresh = [*rules["reset"], *rules["start"], "t = 0"]
    drawing = _drawing(translation)
    roll = "k0, k1, game, np.int64(t)"
    short = f"accepted({roll}, {drawing['weight']}, {drawing['reject']}, np.int64(2))"
    return {
        **rules,
        **drawing,
        "again": short
        if one_word
        else f"draw_slowly({roll}, np.int64(row), pools, guide, sums, values, apart, values)",
        "blocks": "BLOCKS",
        "game": "resumed[base + i, 0]" if resumed else "base + i",
        "begin": _resume_lines(layout, strategies) if resumed else fresh,
        "record": [
            "records[base + i - lo, 0] = outcome",
            *(f"records[base + i - lo, {k}] = _g.{name}" for k, name in enumerate(game.declared.tallies, 1)),
        ],
        "tallies": len(game.declared.tallies),
        "DONE": DONE,
        "ENDLESS": ENDLESS,
        "BAD_STEP": BAD_STEP,
        "BAD_OUTCOME": BAD_OUTCOME,
        "FULL": FULL,
    }


def rules_of(
    translation: Translation,
    strategies: Sequence[Strategy],
    illegal: int = ILLEGAL,
    bad_step: int = BAD_STEP,
    drawing: Sequence[str] = (),
    judged: bool = False,
) -> Parts:
    """Return what most templates need: how rules are called and strategies are asked.

    `illegal` and `bad_step` are returned for an illegal move, and for a choice in a game that has none. Mixed
    strategies are played by kernels with code for `drawing`, which says what number is drawn; those that judge their
    moves where these are `judged`.
    """
    mixed = [strategy.name for strategy in strategies if strategy.mixes]
    if mixed and not drawing:
        raise NotTranslatable(f"{mixed[0]} draws its moves (mixture), which can't be followed here")
    judging = [strategy.name for strategy in strategies if judges(strategy)]
    if judging and not judged:
        raise NotTranslatable(f"{judging[0]} judges its moves; the engines compiled and reference play it")
    game, layout = translation.layout.game, translation.layout
    state = ", ".join(layout.arguments)
    return {
        "set_params": [f"_g.{name} = params[{i}]" for i, name in enumerate(layout.given)],
        "name_rows": name_rows(layout, strategies),
        "reset": reset_lines(layout, strategies),
        "start": [f"{translation.method('start')}({state})"] if game.start is not Game.start else [],
        "next": translation.method("next"),
        "outcome": f"{translation.ending()}({state})" if counts_at_end(game) else "0",
        "state": state,
        "throws": throw_calls(translation, state),
        "choices": _choice_calls(translation, strategies, state, f"return {illegal}", drawing)
        or [f"return {bad_step}"],
        "decisions": len(game.declared.decisions),
        "count": [
            f"spilled = tallied(hist, spill, spilled, outcome, np.int64({k}), _g.{name})"
            for k, name in enumerate(game.declared.tallies)
        ],
    }


def playing_rules(translation: Translation, strategies: Sequence[Strategy]) -> Parts:
    """Return what the template `playing` needs, as `rules_of` does.

    Where a strategy draws its moves, ``_g._choice`` is the number of the last choice, from 0, and ``_g._index`` the
    game, set as soon as such a strategy is asked.
    """
    rules = rules_of(translation, strategies, -2, -2, drawing=["_g._index = game"])
    mixes = any(strategy.mixes for strategy in strategies)
    keys = ["_g._key0 = k0", "_g._key1 = k1"] if mixes else []
    return rules | {
        "set_params": [*rules["set_params"], *keys],
        "next_choice": ["_g._choice += 1"] if mixes else [],
    }


def text_of(template: str, use: str, translation: Translation, parts: Parts, shared: Sequence[str] = ()) -> str:
    """Return the text of a kernel: a template with its parts and all translated rules; the first line says what it is
    for.

    Functions of the `shared` templates come after the rules.
    """
    layout = translation.layout
    functions = [translation.text, *(functions_of(name, parts) for name in shared)]
    rules: Parts = {"functions": functions, "slots": str(layout.slots)}
    return filled(template, f"{use}, game {layout.game.name!r}", rules | parts)


def branches(variable: str, bodies: Sequence[list[str]]) -> list[str]:
    """``if variable == 0: ... elif variable == 1: ... else: ...`` as code."""
    chain: list[str] = []
    for i, body in enumerate(bodies):
        last = i == len(bodies) - 1
        head = ("else:" if last else f"elif {variable} == {i}:") if i else f"if {variable} == 0:"
        if len(bodies) == 1:
            chain += body
        else:
            chain += [head, *("    " + line for line in body)]
    return chain


def _drawing(translation: Translation) -> Parts:
    """Code that finds the row of the outcome tables for a roll.

    A game that always rolls the same dice has one row, whose numbers are read once and stay in registers.
    """
    kinds = translation.layout.game.declared.throws
    columns = ["weight", "reject", "shift", "place"]
    read = {name: f"pools[unsigned(4 * row + {j})]" for j, name in enumerate(columns)}
    refuse = f"    return {BAD_STEP}"
    if not kinds:
        return {"prepare": [], "which": ["kind = row = 0"], **dict.fromkeys(columns, "unsigned(0)")}
    if len({(id(kind.die), kind.most, kind.view) for kind in kinds}) == 1 and translation.always_all:
        prepare = [f"{name} = pools[{j}]" for j, name in enumerate(columns)]
        which = ["kind = step >> 16", f"if kind >= {len(kinds)}:", refuse, "row = 0"]
        return {"prepare": prepare, "which": which, **{name: name for name in columns}}
    if len(kinds) == 1:
        return {
            "prepare": ["most = kinds[0, 1]"],
            "which": ["kind = 0", "row = step", "if row > most:", refuse],
            **read,
        }
    which = ["kind = step >> 16", "row = step & 65535", f"if kind >= {len(kinds)} or row > kinds[kind, 1]:", refuse]
    return {"prepare": [], "which": [*which, "row += kinds[kind, 0]"], **read}


def throw_calls(translation: Translation, state: str) -> list[str]:
    """Code that applies the rule of roll `kind` to what the dice show, in `values` from index `o` on."""
    bodies = []
    for kind in translation.layout.game.declared.throws:
        if isinstance(kind, Drawn):
            bodies.append([f"{translation.draw(kind)}({state}, values[unsigned(o)])"])
            continue
        code = kind.rule.__code__
        if code.co_flags & inspect.CO_VARARGS:
            seen = f"values[o : o + kinds[{kind.index}, 2]]"
        else:
            seen = ", ".join(f"values[unsigned(o + {j})]" for j in range(code.co_argcount - 1))
        bodies.append([f"{translation.function(kind.rule, 'game')}({state}, {seen})"])
    return branches("kind", bodies)


def _choice_calls(
    translation: Translation, strategies: Sequence[Strategy], state: str, illegal: str, drawing: Sequence[str]
) -> list[str]:
    """Code that gets a move from the seat's strategy, checks it and applies the rule; `illegal` is for illegal moves.

    There is none in a game without choices, or without strategies.
    """
    game = translation.layout.game
    if not game.declared.decisions or not strategies:
        return []
    move = move_names(game)
    widths = {len(decision.kinds) for decision in game.declared.decisions}
    asked = []
    for i, strategy in enumerate(strategies):
        if judges(strategy):
            asked.append(
                [
                    f"o = best_first(_g, setting, rows, _p{i}_judge, step)",
                    "if o < 0:",
                    f"    {illegal}",
                    *(f"{c} = _p{i}_judge.firsts[o, {j}]" for j, c in enumerate(move)),
                    *_unfilled(game, move, widths),
                ]
            )
            continue
        if strategy.moves is not None:
            looked_up = _draw if strategy.mixes else _look_up
            code = [*looked_up(translation, strategy, i, move, illegal), *_unfilled(game, move, widths)]
            asked.append([*(drawing if strategy.mixes else []), *code])
            continue
        memory = memory_arguments(strategy)
        given = [*(["seat", *memory[1:]] if memory else []), *(f"args[seat, {j}]" for j in range(len(strategy.params)))]
        call = f"{', '.join(move)} = {translation.strategy(strategy)}({', '.join([state, *given])})"
        code = ["_g._sees = seat + 1", call, "_g._sees = 0"] if translation.layout.watched else [call]
        asked.append([*(drawing if strategy.mixes else []), *code])
    carried = [_carry_out(translation, decision, move, state, illegal) for decision in game.declared.decisions]
    return [*branches("who[seat]", asked), *branches("kind", carried)]


def judges(strategy: Strategy) -> bool:
    """Return whether a strategy makes the moves that a network finds best, which kernels can do."""
    return strategy.moves is not None and getattr(strategy.moves, "judge", None) is not None


DRAWING = ["_g._key0 = k0", "_g._key1 = k1", "_g._index = game", "_g._choice = choices - 1"]
"""Code that says which number a mixed strategy draws."""
POLICY = ("low", "span", "word", "shift", "keys", "table", "moves", "here", "packed")
"""Arrays of a policy, in the order of `dicelab.engines.policy.Policy.arrays`; the last two are scratch space."""
MIXED = (
    *("low", "span", "word", "shift", "keys", "table", "moves", "at", "row", "weight", "after", "hide"),
    *("here", "packed"),
)
"""Arrays of saved mixed strategies, in the order of `dicelab.questions.policies.mixed_policy.MixedPolicy.arrays`."""
LOOK_UP = "from dicelab.compile.kernels.hashtable import number_in"


def _look_up(
    translation: Translation, strategy: Strategy, i: int, move: list[str], illegal: str, see: Sequence[str] = ()
) -> list[str]:
    """Code that gets the move from a policy, which is strategy number `i`; `see` is code that changes what is looked
    up.
    """
    if LOOK_UP not in translation.source:
        translation.source.insert(0, LOOK_UP)
    low, span, word, shift, keys, table, moves, here, packed = (f"_p{i}_{name}" for name in POLICY)
    return [
        *copied(cells_of(translation.layout, ()), f"{here}[{{at}}] = {{cell}}"),
        *see,
        f"o = number_in({here}, {low}, {span}, {word}, {shift}, {keys}, {table}, {packed})",
        "if o < 0:",
        f"    {illegal}",
        *(f"{c} = {moves}[o, {j}]" for j, c in enumerate(move)),
    ]


def _draw(translation: Translation, strategy: Strategy, i: int, move: list[str], illegal: str) -> list[str]:
    """Code that draws the move from saved mixed strategies, as `dicelab.rules.mixtures.drawn` does."""
    low, moves, at, row, weight, after, hide, here = (
        f"_p{i}_{name}" for name in ("low", "moves", "at", "row", "weight", "after", "hide", "here")
    )
    made = f"{memory_name(strategy, 'made')}[seat]"
    see = [
        f"for q in range({hide}.shape[1]):",
        f"    if {hide}[seat, q]:",
        f"        {here}[q] = {low}[q]",
        *(f"{here}[{hide}.shape[1] + {k}] = {number}" for k, number in enumerate(("seat", "kind", made))),
    ]
    *found, look, refuse, illegal_move, _ = _look_up(translation, strategy, i, ["_"], illegal, see)
    found += [look, refuse, f"    {here}[{hide}.shape[1] + 2] = 0", f"    {look}", refuse, illegal_move]  # a new round
    return [
        *found,
        f"o = {at}[o]",
        "p = np.int64(0)",
        f"for q in range({row}[o], {row}[o + 1]):",
        f"    p += {weight}[q]",
        "p = _rules.below(_g, (p,))",
        f"o = {row}[o]",
        f"while p >= {weight}[o]:",
        f"    p -= {weight}[o]",
        "    o += 1",
        f"{made} = {after}[o]",
        *(f"{c} = {moves}[o, {j}]" for j, c in enumerate(move)),
    ]


def _carry_out(translation: Translation, decision: Decision, move: list[str], state: str, illegal: str) -> list[str]:
    k = decision.index
    own, unused = move[: len(decision.kinds)], move[len(decision.kinds) :]
    outside = [f"{c} < spans[{k}, {j}, 0] or {c} > spans[{k}, {j}, 1]" for j, c in enumerate(own)]
    code = [f"if {' or '.join([*outside, *(f'{c} != {NO_VALUE}' for c in unused)])}:", f"    {illegal}"]
    before, refused = refusals(translation, decision, state, own)
    code += before + ([f"if {refused}:", f"    {illegal}"] if refused else [])
    return [*code, *stored([decision.rule], own), call_of(translation, decision.rule, state, own)]


def _unfilled(game: type[Game], move: list[str], widths: set[int]) -> list[str]:
    """Code that fills up the move of a policy, in a game whose choices have different numbers of values."""
    if len(widths) == 1:
        return []
    code = []
    for decision in game.declared.decisions:
        unused = move[len(decision.kinds) :]
        if unused:
            code += [f"if kind == {decision.index}:", f"    {' = '.join(unused)} = {NO_VALUE}"]
    return code


def name_rows(layout: KernelLayout, strategies: Sequence[Strategy]) -> list[str]:
    """Code that names the arrays: rows of the game, then memories of strategies, then policies."""
    names = [f"_r_{name}" for name in layout.rows] + [name for name, _ in memory_fields(strategies)]
    for i, strategy in enumerate(strategies):
        if judges(strategy):
            names += [f"_p{i}_judge"]
        elif strategy.moves is not None:
            names += [f"_p{i}_{name}" for name in (MIXED if strategy.mixes else POLICY)]
    names += ["_moves"] if lists_moves(layout.game) else []
    return [f"{name} = rows[{i}]" for i, name in enumerate(names)]


def memory_fields(strategies: Sequence[Strategy]) -> list[tuple[str, bool]]:
    """Return the arrays that hold the memories of these strategies: name, and whether each seat has a row (or one
    number).
    """
    return [
        (memory_name(s, f.name), isinstance(f, Ints))
        for s in strategies
        if s.memory
        for f in fields_of(s.memory, Field)
    ]


def reset_lines(layout: KernelLayout, strategies: Sequence[Strategy]) -> list[str]:
    """Code that sets every field to its initial value: ``starts`` has those of the state, then of the memories."""
    code = []
    for i, (name, f) in enumerate(layout.game.declared.state.items()):
        target = f"_r_{name}[:]" if isinstance(f, Ints) else f"_g.{name}"
        code.append(f"{target} = starts[{i}]")
    for i, (name, _) in enumerate(memory_fields(strategies), len(layout.game.declared.state)):
        code.append(f"{name}[:] = starts[{i}]")
    return code + [f"_g.{name} = 0" for name in layout.game.declared.tallies]


def _resume_lines(layout: KernelLayout, strategies: Sequence[Strategy]) -> list[str]:
    """Code that sets every field from a row of ``resumed``, in the order of `cells_of`."""
    code = ["t = resumed[base + i, 1]", *copied(cells_of(layout, strategies), "{cell} = resumed[base + i, 2 + {at}]")]
    tallies = layout.game.declared.tallies
    return code + [
        f"_g.{name} = resumed[base + i, resumed.shape[1] - {len(tallies) - k}]" for k, name in enumerate(tallies)
    ]


def next_count(bits: str, then: str) -> list[str]:
    """Code that takes the lowest count of so many bits out of ``c`` as ``v``, sign-extended, and then does `then`."""
    return [f"v = c << (64 - {bits}) >> (64 - {bits})", f"c = (c - v) >> {bits}", then]


def cells_of(layout: KernelLayout, strategies: Sequence[Strategy]) -> list[tuple[str, int]]:
    """Return the variables that make up a state, in the order of `dicelab.runtime.states.codec`: name and number of
    dimensions.
    """
    single = [(f"_g.{name}", 0) for name, f in layout.game.declared.state.items() if not isinstance(f, Ints)]
    rows = [(f"_r_{name}", 1) for name in layout.rows]
    return single + rows + [(name, 2 if wide else 1) for name, wide in memory_fields(strategies)]


def copied(cells: Sequence[tuple[str, int]], assignment: str) -> list[str]:
    """Code with `assignment` for every number of a state; ``{cell}`` becomes the number, ``{at}`` its index."""
    singles = sum(dimensions == 0 for _, dimensions in cells)
    code = [assignment.format(cell=name, at=i) for i, (name, d) in enumerate(cells) if d == 0]
    if singles < len(cells):
        code.append(f"p = {singles}")
    for name, dimensions in cells[singles:]:
        inner = assignment.format(cell=f"{name}[q]" if dimensions == 1 else f"{name}[q, r]", at="p")
        code.append(f"for q in range({name}.shape[0]):")
        if dimensions == 1:
            code += [f"    {inner}", "    p += 1"]
        else:
            code += [f"    for r in range({name}.shape[1]):", f"        {inner}", "        p += 1"]
    return code
