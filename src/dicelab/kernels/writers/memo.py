"""Writes the kernel of the engine `memo`: states are numbered when a game first reaches them.

Each state has a row of entries. The first entry of a row is the number of the state; then there is one for each
outcome of its roll. An entry that no game has needed yet is marked NEW; the rules then compute it. The *place* of a
lane is an entry too. Entries are 64-bit words::

    bits  0-29   index of the next state's first entry; the outcome where the game is over; in a NEW entry its own row
    bits 30-35   dice rolled at the next state: a row of `dice`
    bits 36-51   change of the tallies: an index in `added` and `changes`
    bit  62      OVER: the game is over
    bit  63      NEW: not computed yet

Where all rolls have one small total weight, entries are *direct*: 32-bit words, one for each number that the roll may
come to, with no search for the outcome::

    bits  0-17   number of the next state plus 1 (0: a lane without a game); the outcome where the game is over
    bits 18-29   change of the tallies
    bit  30      OVER
    bit  31      NEW

A row of `dice` has five numbers: total weight, rejection threshold, bits to shift a number for the guide, first index
in the guide, first outcome. `counted` has for each lane the sums of `added`: all tallies in one word of 64 bits, `bits`
bits each, where each may borrow from the one above. `found` has the numbers of states, entries and changes so far, the
place at which games begin, and what is counted there.
"""

from __future__ import annotations

from collections.abc import Sequence

from dicelab.kernels.writers import simulate as k
from dicelab.kernels.writers.simulate import lines
from dicelab.rules.game import Game, Strategy, has_outcomes

DONE, WRONG, FULL = 0, 1, 2
"""Status codes of a kernel: all games are played; a rule went wrong in some game; there is no room for more states."""
MOST_CHOICES = 16
"""Limit on the choices between two rolls; the compiled engine plays games that make more."""

HEADER = """# engine memo, game {name!r}; written by dicelab, safe to delete
import numpy as np
from dicelab.kernels import rule_support as _rules
from dicelab.kernels.hashtable import equal, number_of, pack, unpack
from dicelab.kernels.core import FIRST_LANE, HALF, LOW, below, record, unchecked, unsigned
from dicelab.kernels.lanes import LANES, SIZE, mend_numbers, throw_numbers, throw_words
from numba import njit

new_record = record({slots})
PLACE = unsigned((1 << 36) - 1)
ROW = unsigned((1 << 30) - 1)
DICE, CHANGE, OVER, NEW = unsigned(30), unsigned(36), unsigned(62), unsigned(63)
CHANGES = unsigned(0xFFFF)
SHORT_PLACE = unsigned((1 << 18) - 1)
SHORT_CHANGE, SHORT_OVER, SHORT_NEW = unsigned(18), unsigned(30), unsigned(31)
SHORT_CHANGES = unsigned(0xFFF)
ONE, TWO, THREE, FOUR, FIVE = unsigned(1), unsigned(2), unsigned(3), unsigned(4), unsigned(5)
"""

STEP = '''
@unchecked
def outcome_of(u, row, dice, guide, sums):
    """The outcome of number `u`, counted from the first outcome of the roll."""
    o = guide[dice[row + THREE] + (u >> dice[row + TWO])]
    if o < 0:  # the guide leaves several outcomes open: find the first whose running sum of weights is above u
        o = ~o
        while u >= sums[unsigned(o)]:
            o += 1
    return o - np.int64(dice[row + FOUR])


@unchecked
def step(lanes, phase, k0, k1, first, place, counted, seen, listed, dice, guide, sums, entries, added):
    """Follow one roll of every lane; lists the lanes whose game is over or whose entry is new, and returns how many.

    `phase` is 1 to 4: the word of the block from which the roll is drawn.
    """
    column = unsigned((4 + phase) * LANES)
    n = 0
    for j in range(LANES):  # listed[0 .. n - 1] are lanes below j; listed[n] is written each time, and kept by n += 1
        i = unsigned(j)
        at = place[i]
        row = FIVE * ((at & PLACE) >> DICE)
        scaled = lanes[column + i] * dice[row]
        u = scaled >> HALF
        if (scaled & LOW) < dice[row + ONE]:  # rejected: draw again
            who = np.int64(lanes[i])
            throw = 4 * (who >> 32) - 5 + phase
            u = below(k0, k1, np.int64(first) + (who & 0xFFFFFFFF), throw, dice[row], FIRST_LANE)
        o = outcome_of(u, row, dice, guide, sums)
        entry = entries[(at & ROW) + ONE + unsigned(o)]
        seen[i] = o
        place[i] = entry
        counted[i] += added[(entry >> CHANGE) & CHANGES]
        listed[unsigned(n)] = j
        n += np.int64(entry >> OVER != unsigned(0))
    return n


@unchecked
def step_direct(lanes, phase, place, counted, listed, short, weight, added):
    """The same for direct entries; `throw_numbers` has drawn the numbers."""
    column = unsigned((4 + phase) * LANES)
    n = 0
    for j in range(LANES):
        i = unsigned(j)
        entry = unsigned(short[(place[i] & SHORT_PLACE) * weight + lanes[column + i]])
        place[i] = entry
        counted[i] += added[(entry >> SHORT_CHANGE) & SHORT_CHANGES]
        listed[unsigned(n)] = j
        n += np.int64(entry >> SHORT_OVER != unsigned(0))
    return n

'''

KERNEL = """
@njit(nogil=True, cache=CACHED)
def kernel(run, setting, rows, rolls, layout, bits, most, memo, counted_games, slow):
    _g = new_record()
    k0, k1, first, games, blocks = run
    params, args, who, starts, spans = setting
    kinds, guide, sums, values, width, dice, columns, direct = rolls
    low, span, word, shift = layout
    keys, table, entries, short, changes, added, found = memo
    counts, hist, spill = counted_games
{set_params}
{name_rows}
    lanes = np.zeros(SIZE, np.uint64)
    idle = unsigned(0)
    weight = dice[0]
    new, over, change_at = (SHORT_NEW, SHORT_OVER, SHORT_CHANGE) if direct else (NEW, OVER, CHANGE)
    row_bits, place_bits = (SHORT_PLACE, SHORT_PLACE) if direct else (ROW, PLACE)
    place = np.full(LANES, idle, np.uint64)
    counted = np.zeros(LANES, np.int64)
    seen = np.zeros(LANES, np.int64)
    listed = np.zeros(LANES, np.int64)
    here = np.zeros(max(1, low.size), np.int64)
    since = np.zeros((1, {tallies}), np.int64)
    packed = np.zeros((1, keys.shape[1] - 1), np.uint64)
    low_, high_ = unsigned(first) & LOW, unsigned(first) >> HALF
    begun = active = slows = spilled = rounds = 0
    # At the head of each round `begun` games have begun, `active` of them are in lanes; all others are counted, or in
    # `slow`. Phase 0 begins games; phases 1 to 4 are the rolls of a block. In each, `listed` has the lanes for which
    # more is to be done than to follow an entry.
    while begun < games or active > 0:
        rounds += 1
        for phase in range(5):
            n = 0
            if phase == 0:
                for i in range(LANES):
                    if place[i] == idle:
                        if begun < games:
                            lanes[unsigned(i)] = unsigned(begun)
                            begun += 1
                            active += 1
                            counted[i] = 0
                            place[i] = unsigned(found[3])
                            if found[3] == 0:  # the first game: the rules say where games begin
                                listed[n] = i
                                n += 1
                            else:
                                counted[i] = found[4]
                    elif rounds % 64 == 0 and np.int64(lanes[unsigned(i)] >> HALF) >= blocks:
                        slow[slows] = np.int64(lanes[unsigned(i)] & LOW)
                        slows += 1
                        place[i] = idle
                        active -= 1
            else:
                if phase == 1 and direct:
                    if throw_numbers(lanes, low_, high_, k0, k1, dice[0]) < dice[1]:
                        mend_numbers(lanes, first, k0, k1, dice[0], dice[1])
                elif phase == 1:
                    throw_words(lanes, low_, high_, k0, k1)
                if direct:
                    n = step_direct(lanes, phase, place, counted, listed, short, weight, added)
                else:
                    given = place, counted, seen, listed, dice, guide, sums, entries, added
                    n = step(lanes, phase, k0, k1, first, *given)
            for l in range(n):
                i = listed[l]
                entry = place[i]
                if phase > 0 and (entry >> new) == unsigned(0):  # over, by an entry that was computed before
                    outcome = np.int64(entry & row_bits)
                    c = counted[i]
{count_turn}
                    counts[outcome] += 1
{count}
                    place[i] = idle
                    active -= 1
                    continue
                if phase == 0:
                    if found[3] != 0:  # another lane has found it in this round
                        place[i] = unsigned(found[3])
                        counted[i] = found[4]
                        continue
{reset}
{start}
                else:  # a new entry leads to its own row: the state before the roll, and the roll
                    node = np.int64(entry & row_bits) - 1 if direct else np.int64(entries[entry & ROW])
                    unpack(keys, node, low, span, word, shift, here)
{load}
{nothing}
                    step_ = {next}({state})
                    kind = step_ >> 16
                    row = FIVE * unsigned(kinds[kind, 0] + (step_ & 65535))
                    if direct:
                        slot = lanes[unsigned((4 + phase) * LANES + i)]
                        seen[i] = outcome_of(slot, row, dice, guide, sums)
                    else:
                        slot = unsigned(seen[i])
                    o = (np.int64(dice[row + FOUR]) + seen[i]) * width
{throws}
                came = entry
                made = 0
                # Ends when the game is over or dice are to be rolled; each round makes one choice. `here` and `since`
                # have the state and the tallies before the last call of next.
                while True:
{store_here}
{store_since}
                    step_ = {next}({state})
                    if step_ >= -1:
                        break
                    kind = (-2 - step_) >> 16
                    seat = (-2 - step_) & 65535
                    made += 1
                    if kind >= {decisions} or seat >= who.size or made > {most_choices}:
                        return {WRONG}, slows, spilled
{choices}
                if _g._outside < 0:
                    return {WRONG}, slows, spilled
                if step_ == -1:
                    outcome = np.int64({outcome})
                    if outcome < 0 or outcome >= counts.size or _g._outside < 0:
                        return {WRONG}, slows, spilled
{store_since}
                change = 0  # the number of this change of the tallies, which is added if it is new
                while change < found[2] and not equal(since, 0, changes, change):
                    change += 1
                if change == found[2]:
                    if change == changes.shape[0]:
                        return {FULL}, slows, spilled
                    total = np.int64(0)
                    for t in range({tallies} - 1, -1, -1):
                        if since[0, t] > most or since[0, t] < -most:
                            return {FULL}, slows, spilled
                        changes[change, t] = since[0, t]
                        total = (total << bits) + since[0, t]
                    added[change] = total
                    found[2] += 1
                entry = unsigned(change) << change_at
                if step_ == -1:
                    entry |= unsigned(outcome) | (ONE << over)
                else:
                    if step_ >> 16 >= kinds.shape[0] or step_ & 65535 > kinds[step_ >> 16, 1]:
                        return {WRONG}, slows, spilled
                    if pack(here, low, span, word, shift, packed, 0) >= 0:
                        return {WRONG}, slows, spilled
                    thrown = kinds[step_ >> 16, 0] + (step_ & 65535)
                    more = columns[thrown] + 1
                    full = (found[0] + 2) * more > short.size if direct else found[1] + more > entries.size
                    if full or found[0] + 1 >= keys.shape[0]:
                        return {FULL}, slows, spilled
                    node = number_of(packed, 0, keys, found[0], table)
                    if node == found[0]:  # a new state: its row is added, with all entries NEW
                        found[0] += 1
                        if direct:
                            for j in range(unsigned(node + 1) * weight, unsigned(node + 2) * weight):
                                short[j] = unsigned(node + 1) | (ONE << SHORT_NEW)
                        else:
                            row = unsigned(found[1])
                            keys[node, keys.shape[1] - 1] = row
                            entries[row] = unsigned(node)
                            for j in range(1, more):
                                entries[row + unsigned(j)] = row | (unsigned(thrown) << DICE) | (ONE << NEW)
                            found[1] += more
                    if direct:
                        entry |= unsigned(node + 1)
                    else:
                        entry |= keys[node, keys.shape[1] - 1] | (unsigned(thrown) << DICE)
                if phase == 0:
                    if step_ == -1:
                        return {WRONG}, slows, spilled
                    found[3] = np.int64(entry & place_bits)
                    found[4] = added[change]
                    place[i] = unsigned(found[3])
                    counted[i] = found[4]
                    continue
                if direct:  # from now on this entry is followed without the rules
                    short[(came & row_bits) * weight + slot] = np.uint32(entry)
                else:
                    entries[(came & ROW) + ONE + slot] = entry
                counted[i] += added[change]
                place[i] = entry
                if step_ == -1:
                    c = counted[i]
{count_turn}
                    counts[outcome] += 1
{count}
                    place[i] = idle
                    active -= 1
    return {DONE}, slows, spilled
"""


def write(game: type[Game], strategies: Sequence[Strategy]) -> tuple[str, dict[str, str]]:
    """The text of the kernel, and for each function in the text the file and line of its rule.

    Raises
    ------
    NotTranslatable
    """
    translation = k.translated(game, strategies)
    layout = translation.layout
    wrong = f"return {WRONG}, slows, spilled"
    state = ", ".join(layout.arguments)
    tallies = list(game.declared.tallies)
    cells = k.cells_of(layout, strategies)
    parts = {
        "set_params": lines(4, k.set_lines(layout)),
        "name_rows": lines(4, k.name_rows(layout, strategies)),
        "reset": lines(20, k.reset_lines(layout, strategies)),
        "start": lines(20, [f"{translation.method('start')}({state})"] if game.start is not Game.start else []),
        "next": translation.method("next"),
        "outcome": f"{translation.method('outcome')}({state})" if has_outcomes(game) else "0",
        "state": state,
        "load": lines(20, k.copied(cells, "{cell} = here[{at}]")),
        "nothing": lines(20, [f"_g.{name} = 0" for name in tallies]),
        "store_here": lines(20, k.copied(cells, "here[{at}] = {cell}")),
        "store_since": lines(20, [f"since[0, {t}] = _g.{name}" for t, name in enumerate(tallies)]),
        "throws": k.throw_calls(translation, state),
        "choices": k.choice_calls(translation, strategies, state, illegal=wrong, bad_step=wrong),
        "decisions": str(len(game.declared.decisions)),
        "count_turn": lines(20, [line for name in tallies for line in _next_count(name)]),
        "count": lines(20, k.count_lines(layout)),
        "tallies": str(max(1, len(tallies))),
        "most_choices": str(MOST_CHOICES),
        "WRONG": str(WRONG),
        "FULL": str(FULL),
        "DONE": str(DONE),
    }
    return HEADER.format(name=game.name, slots=layout.slots) + translation.text + STEP + KERNEL.format(
        **parts
    ), translation.places


def _next_count(name: str) -> list[str]:
    """Code that moves the lowest count of ``c``, sign-extended, to a tally."""
    return ["v = c << (64 - bits) >> (64 - bits)", "c = (c - v) >> bits", f"_g.{name} = v"]
