"""Writes the kernel of the engine `turn`: it follows a table of a turn's states, and applies the rules elsewhere.

An entry of the table is one 64-bit word, for each state and outcome::

    bits  0-19   the next state
    bit   20     1 where the rules must decide: the entry then has the same state, and no counts
    bits 21-63   the changes of the tallies, added together with different shifts: each may borrow from the one above

`info` has five numbers for each state: total weight of its dice, rejection threshold, bits to shift a number for the
guide, first index in the guide, and the difference between an outcome and the index of its entry (modulo 2**64). The
last state is that of lanes without a game. `kept` has for each lane the tallies, the single fields and the rows of its
game that are no part of the turn.
"""

from __future__ import annotations

from collections.abc import Sequence

from dicelab.kernels.writers import simulate as k
from dicelab.kernels.writers.simulate import lines
from dicelab.rules.fields import Ints
from dicelab.rules.game import Game, Strategy, has_outcomes

DONE, WRONG = 0, 1
"""Status codes of a kernel: all games are played or in `slow`; or a rule went wrong in some game."""

HEADER = """# engine turn, game {name!r}; written by dicelab, safe to delete
import numpy as np
from dicelab.kernels import rule_support as _rules
from dicelab.kernels.core import FIRST_LANE, HALF, LOW, below, record, unchecked, unsigned
from dicelab.kernels.lanes import LANES, SIZE, throw_words
from numba import njit

new_record = record({slots})
ROWS = unsigned((1 << 20) - 1)
"""

STEP = '''
@unchecked
def step(lanes, phase, k0, k1, first, node, counted, seen, away, info, guide, sums, entries):
    """Follow one roll of every lane; lists in `away` the lanes for which the rules must decide, returns how many.

    `phase` is 1 to 4: the word of the block from which the roll is drawn.
    """
    column = unsigned((4 + phase) * LANES)
    n = 0
    for j in range(LANES):  # away[0 .. n - 1] lists lanes below j; away[n] is written each time, and kept by n += 1
        i = unsigned(j)
        row = unsigned(5) * node[i]
        scaled = lanes[column + i] * info[row]
        u = scaled >> HALF
        if (scaled & LOW) < info[row + unsigned(1)]:  # rejected: draw again
            who = np.int64(lanes[i])
            throw = 4 * (who >> 32) - 5 + phase
            u = below(k0, k1, np.int64(first) + (who & 0xFFFFFFFF), throw, info[row], FIRST_LANE)
        o = guide[info[row + unsigned(3)] + (u >> info[row + unsigned(2)])]
        if o < 0:  # the guide leaves several outcomes open: find the first whose running sum of weights is above u
            o = ~o
            while u >= sums[unsigned(o)]:
                o += 1
        entry = entries[info[row + unsigned(4)] + unsigned(o)]
        seen[i] = o
        node[i] = entry & ROWS
        counted[i] += np.int64(entry) >> 21
        away[unsigned(n)] = j
        n += np.int64((entry >> unsigned(20)) & unsigned(1))
    return n

'''

KERNEL = """
@njit(nogil=True, cache=CACHED)
def kernel(run, setting, rows, turns, counted_games, slow, most_choices):
    _g = new_record()
    k0, k1, first, games, blocks = run
    params, args, who, starts, spans = setting
    kinds, guide, sums, values, width, info, entries, kind_of, fields, lows, sizes, node_at, bits, idle = turns
    counts, hist, spill = counted_games
{set_params}
{name_rows}
    lanes = np.zeros(SIZE, np.uint64)
    node = np.full(LANES, idle, np.uint64)
    counted = np.zeros(LANES, np.int64)
    seen = np.zeros(LANES, np.int64)
    listed = np.zeros(LANES, np.int64)
    kept = np.zeros((LANES, {kept}), np.int64)
{sizes}
    low, high = unsigned(first) & LOW, unsigned(first) >> HALF
    begun = active = slows = spilled = rounds = 0
    # At the head of each round `begun` games have begun, `active` of them are in lanes; all others are counted, or in
    # `slow`. Phase 0 begins games; phases 1 to 4 are the rolls of a block. In each, `listed` has the lanes for which
    # the rules are applied.
    while begun < games or active > 0:
        rounds += 1
        for phase in range(5):
            if phase == 0:
                n = 0
                if begun < games or rounds % 512 == 0:
                    for i in range(LANES):
                        too_long = np.int64(lanes[unsigned(i)] >> HALF) >= blocks
                        if node[i] == idle and begun + n < games:
                            listed[n] = i
                            n += 1
                        elif node[i] != idle and too_long:
                            slow[slows] = np.int64(lanes[unsigned(i)] & LOW)
                            slows += 1
                            node[i] = idle
                            active -= 1
                        elif rounds % 512 == 0 and node[i] != idle:  # move counts to `kept` before they can overflow
                            c = counted[i]
                            counted[i] = 0
{settle}
            else:
                if phase == 1:
                    throw_words(lanes, low, high, k0, k1)
                n = step(lanes, phase, k0, k1, first, node, counted, seen, listed, info, guide, sums, entries)
            for l in range(n):
                i = listed[l]
                if phase == 0:
                    lanes[unsigned(i)] = unsigned(begun)
                    begun += 1
                    active += 1
{reset}
{start}
                else:  # the state before the roll, with the rest of the game and all counts; then the roll
                    at = np.int64(node[i])
                    o = seen[i]
{load}
                    c = counted[i]
{count_turn}
                    kind = kind_of[at]
                    o *= width
{throws}
                made = 0
                while True:  # ends when the game is over or dice are to be rolled; each round makes one choice
                    step_ = {next}({state})
                    if _g._outside < 0:
                        return {wrong}, slows, spilled
                    if step_ == -1:
                        outcome = np.int64({outcome})
                        if outcome < 0 or outcome >= counts.size or _g._outside < 0:
                            return {wrong}, slows, spilled
                        counts[outcome] += 1
{count}
                        node[i] = idle
                        active -= 1
                        break
                    if step_ >= 0:  # a roll: put the game back into its lane, at the state of its turn
                        at = 0
{find}
                        if at < 0:
                            slow[slows] = np.int64(lanes[unsigned(i)] & LOW)
                            slows += 1
                            node[i] = idle
                            active -= 1
                            break
                        node[i] = unsigned(at)
                        counted[i] = 0
{store}
                        break
                    kind = (-2 - step_) >> 16
                    seat = (-2 - step_) & 65535
                    made += 1
                    if kind >= {decisions} or seat >= who.size or made > most_choices:
                        return {wrong}, slows, spilled
{choices}
    return {done}, slows, spilled
"""


def write(game: type[Game], strategies: Sequence[Strategy], rest: Sequence[str]) -> tuple[str, dict[str, str]]:
    """The text of the kernel for a game, and for each function in the text the file and line of its rule.

    `rest` names the fields that are no part of a turn's states.

    Raises
    ------
    NotTranslatable
    """
    translation = k.translated(game, strategies)
    layout = translation.layout
    wrong = f"return {WRONG}, slows, spilled"
    state = ", ".join(layout.arguments)
    tallies = list(game.declared.tallies)
    rows = [name for name in rest if isinstance(game.declared.state[name], Ints)]
    single = [name for name in rest if name not in rows]
    names = [name for name in game.declared.state if name not in rest]
    turn = [line for t, name in enumerate(tallies) for line in _next_count(t, f"_g.{name} += v")]
    parts = {
        "start": lines(20, [f"{translation.method('start')}({state})"] if game.start is not Game.start else []),
        "next": translation.method("next"),
        "outcome": f"{translation.method('outcome')}({state})" if has_outcomes(game) else "0",
        "throws": k.throw_calls(translation, state),
        "choices": k.choice_calls(translation, strategies, state, illegal=wrong, bad_step=wrong),
        "decisions": str(len(game.declared.decisions)),
        "state": state,
        "set_params": lines(4, k.set_lines(layout)),
        "name_rows": lines(4, k.name_rows(layout, strategies)),
        "reset": lines(20, k.reset_lines(layout, strategies)),
        "count": lines(24, k.count_lines(layout)),
        "kept": " + ".join([str(len(tallies) + len(single)), *(f"_r_{name}.size" for name in rows)]),
        "sizes": lines(4, _places(tallies, single, rows)),
        "settle": lines(28, [line for t, _ in enumerate(tallies) for line in _next_count(t, f"kept[i, {t}] += v")]),
        "load": lines(
            20, [*(f"_g.{name} = fields[at, {j}]" for j, name in enumerate(names)), *_moved(tallies, single, rows)]
        ),
        "count_turn": lines(20, turn),
        "find": lines(24, _find(names)),
        "store": lines(24, _moved(tallies, single, rows, back=True)),
        "done": str(DONE),
        "wrong": str(WRONG),
    }
    text = HEADER.format(name=game.name, slots=layout.slots) + translation.text + STEP
    return text + KERNEL.format(**parts), translation.places


def _next_count(tally: int, then: str) -> list[str]:
    """Code that takes the lowest count out of ``c`` as ``v``, sign-extended, and then does `then`."""
    shift = f"(64 - bits[{tally}])"
    return [f"v = c << {shift} >> {shift}", f"c = (c - v) >> bits[{tally}]", then]


def _places(tallies: list[str], single: list[str], rows: list[str]) -> list[str]:
    """Code for the index in ``kept`` at which each row begins, after the tallies and the single fields of the rest."""
    code, before = [], str(len(tallies) + len(single))
    for name in rows:
        code.append(f"_at_{name} = {before}")
        before = f"_at_{name} + _r_{name}.size"
    return code


def _moved(tallies: list[str], single: list[str], rows: list[str], back: bool = False) -> list[str]:
    """Code that takes the tallies and the rest of a lane's game out of ``kept``, or puts them back."""
    code = []
    for j, name in enumerate([*tallies, *single]):
        code.append(f"kept[i, {j}] = _g.{name}" if back else f"_g.{name} = kept[i, {j}]")
    for name in rows:
        move = f"kept[i, _at_{name} + j] = _r_{name}[j]" if back else f"_r_{name}[j] = kept[i, _at_{name} + j]"
        code += [f"for j in range(_r_{name}.size):", f"    {move}"]
    return code


def _find(names: list[str]) -> list[str]:
    """Code that sets ``at`` to the number of the turn's state, -1 where it is not in the table.

    ``at`` is first the index in mixed radix of the fields of the turn, then ``node_at`` of that index.
    """
    code = []
    for j, name in enumerate(names):
        code += [
            f"d = _g.{name} - lows[{j}]",
            f"if at < 0 or d < 0 or d >= sizes[{j}]:",
            "    at = -1",
            "else:",
            f"    at = at * sizes[{j}] + d",
        ]
    return [*code, "if at >= 0:", "    at = node_at[at]"]
