"""Writes the kernel of a game: one file of plain functions that plays many games, compiled by Numba and kept."""

from __future__ import annotations

import inspect
from collections.abc import Sequence

from dicelab.errors import NotSmall
from dicelab.rules.actions import Decision
from dicelab.rules.fields import Field, Ints, fields_of
from dicelab.rules.game import Game, Strategy, has_outcomes
from dicelab.runtime.lineup import Call, distinct
from dicelab.translation.rewriter import NotTranslatable, memory_arguments, memory_name
from dicelab.translation.translator import Layout, Translation

DONE, ENDLESS, ILLEGAL, BAD_STEP, BAD_OUTCOME, FULL = range(6)
"""What a kernel returns: all games played, or why it stopped at the game that ``report[0]`` counts to."""

BINS = 4096
"""Values of a tally that are counted in the kernel, from `LOWEST` on; others are handed over one by one."""
LOWEST = -1024

HEADER = """# Written by dicelab for the game {name!r}; safe to delete.
import numpy as np
from dicelab.kernels import rule_support as _rules
from dicelab.kernels.core import BLOCKS, GAMES, HALF, LOW, draw_slowly, first_words, more_words
from dicelab.kernels.core import record, search, unsigned
from numba import njit

new_record = record({slots})

"""

KERNEL = """
@njit(nogil=True, cache=CACHED)
def kernel(
    k0, k1, lo, hi, prefill, limit, params, args, who, starts, spans, rows, first, more,
    kinds, pools, guide, sums, values, apart, counts, hist, spill, report, records, resumed,
):
    _g = new_record()
{set_params}
{name_rows}
    width = apart[0, 3] if apart.shape[0] > 0 else 1
    prefilled = 4 * prefill
{prepare}
    full = spill.shape[0] - {tallies}
    spilled = 0
    throws = 0
    for base in range(lo, hi, GAMES):
        for b in range(prefill):
            first_words(first[b * 4 * GAMES : (b + 1) * 4 * GAMES], k0, k1, base, b)
        for i in range(min(GAMES, hi - base)):
            game = {game}
            report[0] = base + i - lo
            if spilled > full:
                report[1] = throws
                report[2] = spilled
                return {FULL}
{begin}
            choices = 0
            made = -BLOCKS
            while True:
                step = {next}({state})
                if step == -1:
                    break
                if t + choices >= limit:
                    return {ENDLESS}
                if step >= 0:
{which}
                    if t < prefilled:
                        word = first[unsigned(t * GAMES + i)]
                    else:
                        b = (t >> 2) - made
                        if b >= BLOCKS or b < 0:
                            made = t >> 2
                            more_words(more, k0, k1, game, made)
                            b = 0
                        word = more[unsigned((t & 3) * BLOCKS + b)]
                    scaled = np.uint64(word) * {weight}
                    u = scaled >> HALF
                    if (scaled & LOW) < {reject}:
                        o = draw_slowly(k0, k1, game, np.int64(t), np.int64(row), pools, guide, sums, values, apart)
                    else:
                        o = np.int64(guide[{place} + (u >> {shift})])
                        if o < 0:
                            o = search(u, o, width, sums)
                    t += 1
{throws}
                else:
                    kind = (-2 - step) >> 16
                    seat = (-2 - step) & 65535
                    if kind >= {decisions} or seat >= who.size:
                        return {BAD_STEP}
                    choices += 1
{choices}
            throws += t
            outcome = np.int64({outcome})
            if outcome < 0 or outcome >= counts.size or _g._outside < 0:
                return {BAD_OUTCOME}
            counts[outcome] += 1
            if base + i - lo < records.shape[0]:
{record}
{count}
    report[0] = hi - lo
    report[1] = throws
    report[2] = spilled
    return {DONE}
"""


def must_be_translatable(game: Game, calls: Sequence[Call]) -> None:
    """Refuse rules of which no kernel can be written.

    Raises
    ------
    NotSmall
    """
    try:
        write(type(game), distinct(call.strategy for call in calls))
    except NotTranslatable as error:
        raise NotSmall(f"its rules can't be translated: {error}") from error


def write(game: type[Game], strategies: Sequence[Strategy], resumed: bool = False) -> tuple[str, dict[str, str]]:
    """The text of the kernel for a game in which these strategies may sit at any seat.

    One for `resumed` games begins each where it is told: rows of the game, the throws made, what a position is made of,
    and the tallies. With it, for each function in the text, file and line of the rule from which it was made.

    Raises
    ------
    NotTranslatable
    """
    translation = Translation.of(game, strategies)
    layout = translation.layout
    state = ", ".join(layout.arguments)
    start = [f"{translation.method('start')}({state})"] if game.start is not Game.start else []
    fresh = [*reset_lines(layout, strategies), *start, "t = 0"]
    parts = {
        "game": "resumed[base + i, 0]" if resumed else "base + i",
        "begin": lines(12, _resume_lines(layout, strategies) if resumed else fresh),
        "next": translation.method("next"),
        "outcome": f"{translation.method('outcome')}({state})" if has_outcomes(game) else "0",
        "throws": throw_calls(translation, state),
        **_drawing(translation),
        "choices": choice_calls(translation, strategies, state),
        "decisions": str(len(game.declared.decisions)),
        "state": state,
        "set_params": lines(4, set_lines(layout)),
        "name_rows": lines(4, name_rows(layout, strategies)),
        "count": lines(12, count_lines(layout)),
        "record": lines(
            16,
            [
                "records[base + i - lo, 0] = outcome",
                *(f"records[base + i - lo, {k}] = _g.{name}" for k, name in enumerate(game.declared.tallies, 1)),
            ],
        ),
        "tallies": str(len(game.declared.tallies)),
    }
    codes = {"DONE": DONE, "ENDLESS": ENDLESS, "ILLEGAL": ILLEGAL, "BAD_STEP": BAD_STEP, "BAD_OUTCOME": BAD_OUTCOME}
    parts |= {name: str(value) for name, value in codes.items()} | {"FULL": str(FULL)}
    text = HEADER.format(name=game.name, slots=layout.slots) + translation.text + KERNEL.format(**parts)
    return text, translation.places


def lines(indent: int, code: Sequence[str]) -> str:
    """Lines of code at an indent; ``pass`` where there are none."""
    return "\n".join(" " * indent + line for line in code) or " " * indent + "pass"


def branches(variable: str, bodies: Sequence[list[str]], indent: int) -> str:
    """``if variable == 0: ... elif variable == 1: ...``; the last branch needs no test."""
    chain: list[str] = []
    for i, body in enumerate(bodies):
        last = i == len(bodies) - 1
        head = ("else:" if last else f"elif {variable} == {i}:") if i else f"if {variable} == 0:"
        if len(bodies) == 1:
            chain += body
        else:
            chain += [head, *("    " + line for line in body)]
    return lines(indent, chain)


def _drawing(translation: Translation) -> dict[str, str]:
    """How a throw finds its row of the tables.

    A game that always throws the same dice has one row, whose numbers are kept in registers.
    """
    kinds = translation.layout.game.declared.throws
    columns = ["weight", "reject", "shift", "place"]
    if not kinds:
        return {
            "prepare": lines(4, []),
            "which": lines(20, ["kind = row = 0"]),
            **dict.fromkeys(columns, "unsigned(0)"),
        }
    same = len({(id(kind.die), kind.most, kind.view) for kind in kinds}) == 1
    if same and translation.always_all:
        return {
            "prepare": lines(4, [f"{name} = pools[{j}]" for j, name in enumerate(columns)]),
            "which": lines(20, ["kind = step >> 16", f"if kind >= {len(kinds)}:", f"    return {BAD_STEP}", "row = 0"]),
            **{name: name for name in columns},
        }
    if len(kinds) == 1:
        return {
            "prepare": lines(4, ["most = kinds[0, 1]"]),
            "which": lines(20, ["kind = 0", "row = step", "if row > most:", f"    return {BAD_STEP}"]),
            **{name: f"pools[unsigned(4 * row + {j})]" for j, name in enumerate(columns)},
        }
    which = ["kind = step >> 16", "row = step & 65535", f"if kind >= {len(kinds)} or row > kinds[kind, 1]:"]
    which += [f"    return {BAD_STEP}", "row += kinds[kind, 0]"]
    return {
        "prepare": lines(4, []),
        "which": lines(20, which),
        **{name: f"pools[unsigned(4 * row + {j})]" for j, name in enumerate(columns)},
    }


def throw_calls(translation: Translation, state: str, indent: int = 20) -> str:
    """Carry out the throw `kind` that is seen from ``values[o]`` on."""
    bodies = []
    for kind in translation.layout.game.declared.throws:
        code = kind.rule.__code__
        if code.co_flags & inspect.CO_VARARGS:
            seen = f"values[o : o + kinds[{kind.index}, 2]]"
        else:
            seen = ", ".join(f"values[unsigned(o + {j})]" for j in range(code.co_argcount - 1))
        bodies.append([f"{translation.function(kind.rule, 'game')}({state}, {seen})"])
    return branches("kind", bodies, indent)


def move_names(game: type[Game]) -> list[str]:
    """Names of the numbers of a move."""
    sizes = {len(d.kinds) for d in game.declared.decisions}
    if len(sizes) != 1:
        raise NotTranslatable(f"{game.name}: its choices take different numbers of values; give them the same number")
    return [f"c{j}" for j in range(sizes.pop())]


def choice_calls(
    translation: Translation,
    strategies: Sequence[Strategy],
    state: str,
    indent: int = 20,
    illegal: str = f"return {ILLEGAL}",
    bad_step: str = f"return {BAD_STEP}",
) -> str:
    """Ask the seat's strategy, check the move, carry it out; the last two say what is done where something is wrong."""
    game = translation.layout.game
    if not game.declared.decisions or not strategies:
        return lines(indent, [bad_step])
    move = move_names(game)
    asked = []
    for i, strategy in enumerate(strategies):
        if strategy.moves is not None:
            asked.append(_look_up(translation, i, move, illegal))
            continue
        memory = memory_arguments(strategy)
        given = [*(["seat", *memory[1:]] if memory else []), *(f"args[seat, {j}]" for j in range(len(strategy.params)))]
        asked.append([f"{', '.join(move)} = {translation.strategy(strategy)}({', '.join([state, *given])})"])
    carried = [_carry_out(translation, decision, move, state, illegal) for decision in game.declared.decisions]
    return "\n".join([branches("who[seat]", asked, indent), branches("kind", carried, indent)])


POLICY = ("low", "span", "word", "shift", "keys", "table", "moves", "here", "packed")
"""Arrays of a policy, in the order of `dicelab.engines.policy.Policy.arrays`; the last two are scratch."""
LOOK_UP = "from dicelab.kernels.hashtable import number_in"


def _look_up(translation: Translation, i: int, move: list[str], illegal: str) -> list[str]:
    """Take the move of a policy, the strategy number `i`."""
    if LOOK_UP not in translation.source:
        translation.source.insert(0, LOOK_UP)
    low, span, word, shift, keys, table, moves, here, packed = (f"_p{i}_{name}" for name in POLICY)
    return [
        *copied(cells_of(translation.layout, ()), f"{here}[{{at}}] = {{cell}}"),
        f"o = number_in({here}, {low}, {span}, {word}, {shift}, {keys}, {table}, {packed})",
        "if o < 0:",
        f"    {illegal}",
        *(f"{c} = {moves}[o, {j}]" for j, c in enumerate(move)),
    ]


def _carry_out(translation: Translation, decision: Decision, move: list[str], state: str, illegal: str) -> list[str]:
    k = decision.index
    outside = [f"{c} < spans[{k}, {j}, 0] or {c} > spans[{k}, {j}, 1]" for j, c in enumerate(move)]
    code = [f"if {' or '.join(outside)}:", f"    {illegal}"]
    given = ", ".join([state, *move])
    if decision.legal is not None:
        code += [f"if not {translation.function(decision.legal, 'game')}({given}):", f"    {illegal}"]
    return [*code, f"{translation.function(decision.rule, 'game')}({given})"]


def set_lines(layout: Layout) -> list[str]:
    """Set the parameters, and the limits of fields that depend on them."""
    return [f"_g.{name} = params[{i}]" for i, name in enumerate(layout.given)]


def name_rows(layout: Layout, strategies: Sequence[Strategy]) -> list[str]:
    """The arrays of a game's rows, then of the strategies' memories, then of policies, each under its name."""
    names = [f"_r_{name}" for name in layout.rows] + [name for name, _ in memory_fields(strategies)]
    names += [f"_p{i}_{name}" for i, s in enumerate(strategies) if s.moves is not None for name in POLICY]
    return [f"{name} = rows[{i}]" for i, name in enumerate(names)]


def memory_fields(strategies: Sequence[Strategy]) -> list[tuple[str, bool]]:
    """Arrays that hold the memories of these strategies: name, and whether each seat has a row of its own."""
    return [
        (memory_name(s, f.name), isinstance(f, Ints))
        for s in strategies
        if s.memory
        for f in fields_of(s.memory, Field)
    ]


def reset_lines(layout: Layout, strategies: Sequence[Strategy]) -> list[str]:
    """Every field back to its initial value; ``starts`` has those of the state, then those of the memories."""
    code = []
    for i, (name, f) in enumerate(layout.game.declared.state.items()):
        target = f"_r_{name}[:]" if isinstance(f, Ints) else f"_g.{name}"
        code.append(f"{target} = starts[{i}]")
    for i, (name, _) in enumerate(memory_fields(strategies), len(layout.game.declared.state)):
        code.append(f"{name}[:] = starts[{i}]")
    return code + [f"_g.{name} = 0" for name in layout.game.declared.tallies]


def _resume_lines(layout: Layout, strategies: Sequence[Strategy]) -> list[str]:
    """Every field as ``resumed`` has it; `cells_of` tells their order."""
    code = ["t = resumed[base + i, 1]", *copied(cells_of(layout, strategies), "{cell} = resumed[base + i, 2 + {at}]")]
    tallies = layout.game.declared.tallies
    return code + [
        f"_g.{name} = resumed[base + i, resumed.shape[1] - {len(tallies) - k}]" for k, name in enumerate(tallies)
    ]


def count_lines(layout: Layout) -> list[str]:
    """Count the tallies of a game that is over, given its ``outcome``."""
    code = []
    for k, name in enumerate(layout.game.declared.tallies):
        code += [
            f"at = _g.{name} - {LOWEST}",
            f"if 0 <= at < {BINS}:",
            f"    hist[outcome, {k}, at] += 1",
            "else:",
            "    spill[spilled, 0] = outcome",
            f"    spill[spilled, 1] = {k}",
            f"    spill[spilled, 2] = _g.{name}",
            "    spilled += 1",
        ]
    return code


def cells_of(layout: Layout, strategies: Sequence[Strategy]) -> list[tuple[str, int]]:
    """What a position is made of, in the order of `dicelab.states.codec`: a name, and its dimensions."""
    single = [(f"_g.{name}", 0) for name, f in layout.game.declared.state.items() if not isinstance(f, Ints)]
    rows = [(f"_r_{name}", 1) for name in layout.rows]
    return single + rows + [(name, 2 if wide else 1) for name, wide in memory_fields(strategies)]


def copied(cells: Sequence[tuple[str, int]], assignment: str) -> list[str]:
    """Code that copies every number of a position from or to an array."""
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
