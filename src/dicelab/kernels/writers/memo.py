"""Writes the kernel of the engine `memo`: states are numbered when a game first reaches them.

Each state has a row of `stride` entries, one for each outcome of its roll. An entry that no game has needed yet is
marked NEW; the rules then compute it. The *place* of a lane is the entry by which it came. Entries are 32-bit words::

    bits  0-17   number of the next state plus 1 (0: a lane without a game); the outcome where the game is over; in a
                 NEW entry the number of its own state plus 1
    bits 18-29   row of `dice` that is rolled at the next state, in the lower bits up to `change_at`; above it the
                 change of the tallies: an index in `added` and `changes`
    bit  30      OVER: the game is over
    bit  31      NEW: not computed yet

A row of `dice` has five numbers: total weight, rejection threshold, bits to shift a number for the guide, first index
in the guide, first outcome. Where all weights divide the largest one, and that is small, one number below it is drawn
for each roll, and ``listed[row * largest + number]`` is the outcome. `counted` has for each lane the sums of `added`:
all tallies in one word of 64 bits, `bits` bits each, where each may borrow from the one above; then, if states are
*turned*, by how many seats they were. `found` has the numbers of states and changes so far, the place at which games
begin, and what is counted there.

In a game that is the same from every seat, states are turned so that the player to move has seat 0
(`dicelab.states.symmetry`): there are fewer by a factor of up to the number of seats. The outcome is then a seat as the
last player to move sees it, and is turned back by the sum of all turns.
"""

from __future__ import annotations

from collections.abc import Sequence

from dicelab.kernels.writers import simulate as k
from dicelab.kernels.writers.enumerate import rotation
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
from dicelab.kernels.lanes import LANES, NEXT_BLOCK, SIZE, throw_numbers, throw_words
from numba import njit

new_record = record({slots})
STATE, DICE = unsigned((1 << 18) - 1), unsigned(18)
ALL, OVER, NEW = unsigned((1 << 30) - 1), unsigned(1 << 30), unsigned(1 << 31)
ONE, TWO, THREE, FOUR, FIVE = unsigned(1), unsigned(2), unsigned(3), unsigned(4), unsigned(5)
"""

STEP = '''
@unchecked
def step(lanes, phase, k0, k1, first, place, counted, seen, todo, rolls, entries, added):
    """Follow one roll of every lane; lists the lanes whose game is over or whose entry is new, and returns how many.

    `phase` is 1 to 4: the word of the block from which the roll is drawn. The outcomes of the rolls go to `seen`.
    """
    _, guide, sums, _, _, dice, _, _, _, stride, change_at = rolls
    rows = (ONE << (change_at - DICE)) - ONE
    column = unsigned((4 + phase) * LANES)
    n = 0
    for j in range(LANES):  # todo[0 .. n - 1] are lanes below j; todo[n] is written each time, and kept by n += 1
        i = unsigned(j)
        row = FIVE * ((place[i] >> DICE) & rows)
        scaled = lanes[column + i] * dice[row]
        u = scaled >> HALF
        if (scaled & LOW) < dice[row + ONE]:  # rejected: draw again
            who = np.int64(lanes[i])
            throw = 4 * (who >> 32) - 5 + phase
            u = below(k0, k1, np.int64(first) + (who & 0xFFFFFFFF), throw, dice[row], FIRST_LANE)
        o = guide[dice[row + THREE] + (u >> dice[row + TWO])]
        if o < 0:  # the guide leaves several outcomes open: find the first whose running sum of weights is above u
            o = ~o
            while u >= sums[unsigned(o)]:
                o += 1
        o -= np.int64(dice[row + FOUR])
        entry = unsigned(entries[(place[i] & STATE) * stride + unsigned(o)])
        seen[i] = o
        place[i] = entry
        counted[i] += added[(entry & ALL) >> change_at]
        todo[unsigned(n)] = j
        n += np.int64(entry > ALL)
    return n


@unchecked
def step_listed(lanes, phase, place, counted, todo, listed, largest, stride, change_at, entries, added):
    """The same for numbers below the largest weight, which `throw_numbers` has drawn; their outcomes are listed."""
    rows = (ONE << (change_at - DICE)) - ONE
    column = unsigned((4 + phase) * LANES)
    n = 0
    for j in range(LANES):
        i = unsigned(j)
        at = place[i]
        o = unsigned(listed[((at >> DICE) & rows) * largest + lanes[column + i]])
        entry = unsigned(entries[(at & STATE) * stride + o])
        place[i] = entry
        counted[i] += added[(entry & ALL) >> change_at]
        todo[unsigned(n)] = j
        n += np.int64(entry > ALL)
    return n


@unchecked
def step_direct(lanes, phase, place, counted, todo, stride, entries, added):
    """The same for one fair die: the number is the outcome. One loop for both would be slower by a fifth."""
    column = unsigned((4 + phase) * LANES)
    n = 0
    for j in range(LANES):
        i = unsigned(j)
        entry = unsigned(entries[(place[i] & STATE) * stride + lanes[column + i]])
        place[i] = entry
        counted[i] += added[(entry & ALL) >> DICE]
        todo[unsigned(n)] = j
        n += np.int64(entry > ALL)
    return n


'''

KERNEL = """
@njit(nogil=True, cache=CACHED)
def kernel(run, setting, rows, rolls, layout, bits, most, memo, counted_games, slow):
    _g = new_record()
    k0, k1, first, games, blocks = run
    params, args, who, starts, spans = setting
    kinds, guide, sums, values, width, dice, listed, largest, doubtful, stride, change_at = rolls
    low, span, word, shift = layout
    keys, table, entries, changes, added, found = memo
    counts, hist, spill = counted_games
{set_params}
{name_rows}
    lanes = np.zeros(SIZE, np.uint64)
    idle = unsigned(0)
    rows_of_dice = (ONE << (change_at - DICE)) - ONE
    place = np.full(LANES, idle, np.uint64)
    counted = np.zeros(LANES, np.int64)
    seen = np.zeros(LANES, np.int64)
    todo = np.zeros(LANES, np.int64)
    here = np.zeros(max(1, low.size), np.int64)
    around = np.zeros(who.size, np.int64)
    since = np.zeros((1, max(1, {fields})), np.int64)
    packed = np.zeros((1, keys.shape[1]), np.uint64)
    low_, high_ = unsigned(first) & LOW, unsigned(first) >> HALF
    begun = active = slows = spilled = rounds = 0
    exact = False
    # At the head of each round `begun` games have begun, `active` of them are in lanes; all others are counted, or in
    # `slow`. Phase 0 begins games; phases 1 to 4 are the rolls of a block. In each, `todo` has the lanes for which
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
                            place[i] = unsigned(found[2])
                            counted[i] = found[3]
                            if found[2] == 0:  # the first game: the rules say where games begin
                                todo[n] = i
                                n += 1
                    elif rounds % 64 == 0 and np.int64(lanes[unsigned(i)] >> HALF) >= blocks:
                        slow[slows] = np.int64(lanes[unsigned(i)] & LOW)
                        slows += 1
                        place[i] = idle
                        active -= 1
            else:
                if phase == 1:
                    exact = listed.size == 0
                    if not exact and throw_numbers(lanes, low_, high_, k0, k1, largest) < doubtful:
                        exact = True  # a word may be rejected, by some row of dice: take the words of the same block
                        for i in range(LANES):
                            lanes[unsigned(i)] -= NEXT_BLOCK
                    if exact:
                        throw_words(lanes, low_, high_, k0, k1)
                if exact:
                    n = step(lanes, phase, k0, k1, first, place, counted, seen, todo, rolls, entries, added)
                elif change_at == DICE:
                    n = step_direct(lanes, phase, place, counted, todo, stride, entries, added)
                else:
                    drawing = listed, largest, stride, change_at
                    n = step_listed(lanes, phase, place, counted, todo, *drawing, entries, added)
            for l in range(n):
                i = todo[l]
                came = place[i]
                over = came & OVER
                outcome = np.int64(came & STATE)
                if over == 0:  # the entry is not known yet: the rules compute it
                    if phase == 0:
                        if found[2] != 0:  # another lane has found it in this round
                            place[i] = unsigned(found[2])
                            counted[i] = found[3]
                            continue
{reset}
{start}
                    else:  # the state before the roll, and the roll
                        unpack(keys, np.int64(came & STATE) - 1, low, span, word, shift, here)
{load}
{nothing}
                        step_ = {next}({state})
                        kind = step_ >> 16
                        row = FIVE * unsigned(kinds[kind, 0] + (step_ & 65535))
                        if not exact:
                            drawn = lanes[unsigned((4 + phase) * LANES + i)]
                            seen[i] = np.int64(listed[((came >> DICE) & rows_of_dice) * largest + drawn])
                        o = (np.int64(dice[row + FOUR]) + seen[i]) * width
{throws}
                    made = 0
                    # Ends when the game is over or dice are to be rolled; each round makes one choice. `here` and
                    # `since` have the state and the tallies before the last call of next.
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
                        if phase == 0 or outcome < 0 or outcome >= counts.size or _g._outside < 0:
                            return {WRONG}, slows, spilled
{store_since}
{not_turned}
                    else:
{turn}
                    change = 0  # the number of this change of the tallies, which is added if it is new
                    while change < found[1] and not equal(since, 0, changes, change):
                        change += 1
                    if change == found[1]:
                        if change == changes.shape[0]:
                            return {FULL}, slows, spilled
                        total = np.int64(0)
                        for t in range({fields} - 1, -1, -1):
                            if since[0, t] > most or since[0, t] < -most:
                                return {FULL}, slows, spilled
                            changes[change, t] = since[0, t]
                            total = (total << bits) + since[0, t]
                        added[change] = total
                        found[1] += 1
                    entry = unsigned(change) << change_at
                    if step_ == -1:
                        over = OVER
                        entry |= unsigned(outcome) | OVER
                    else:
                        if step_ >> 16 >= kinds.shape[0] or step_ & 65535 > kinds[step_ >> 16, 1]:
                            return {WRONG}, slows, spilled
                        if pack(here, low, span, word, shift, packed, 0) >= 0:
                            return {WRONG}, slows, spilled
                        if found[0] + 1 >= keys.shape[0]:
                            return {FULL}, slows, spilled
                        node = number_of(packed, 0, keys, found[0], table)
                        thrown = unsigned(kinds[step_ >> 16, 0] + (step_ & 65535)) & rows_of_dice
                        target = unsigned(node + 1) | (thrown << DICE)
                        if node == found[0]:  # a new state: its row is added, with all entries NEW
                            found[0] += 1
                            for j in range(stride):
                                entries[unsigned(node + 1) * stride + unsigned(j)] = target | NEW
                        entry |= target
                    if phase == 0:
                        found[2] = np.int64(entry)
                        found[3] = added[change]
                        counted[i] = found[3]
                    else:  # from now on this entry is followed without the rules
                        entries[(came & STATE) * stride + unsigned(seen[i])] = np.uint32(entry)
                        counted[i] += added[change]
                    place[i] = entry
                if over != 0:
                    c = counted[i]
{count_turn}
{turn_back}
                    counts[outcome] += 1
{count}
                    place[i] = idle
                    active -= 1
    return {DONE}, slows, spilled
"""


def write(game: type[Game], strategies: Sequence[Strategy], turned: bool) -> tuple[str, dict[str, str]]:
    """The text of the kernel, and for each function in the text the file and line of its rule.

    States are `turned` to the view of the player to move, if there are no choices and the game declares that it is the
    same from every seat.

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
    by = f"since[0, {len(tallies)}]"
    parts = {
        "set_params": lines(4, k.set_lines(layout)),
        "name_rows": lines(4, k.name_rows(layout, strategies)),
        "reset": lines(24, k.reset_lines(layout, strategies)),
        "start": lines(24, [f"{translation.method('start')}({state})"] if game.start is not Game.start else []),
        "next": translation.method("next"),
        "outcome": f"{translation.method('outcome')}({state})" if has_outcomes(game) else "0",
        "state": state,
        "load": lines(24, k.copied(cells, "{cell} = here[{at}]")),
        "nothing": lines(24, [f"_g.{name} = 0" for name in tallies]),
        "store_here": lines(24, k.copied(cells, "here[{at}] = {cell}")),
        "store_since": lines(24, [f"since[0, {t}] = _g.{name}" for t, name in enumerate(tallies)]),
        "throws": k.throw_calls(translation, state, 24),
        "choices": k.choice_calls(translation, strategies, state, 24, illegal=wrong, bad_step=wrong),
        "decisions": str(len(game.declared.decisions)),
        "turn": lines(24, [*rotation(game, cells), f"{by} = by_seats"] if turned else []),
        "not_turned": lines(24, [f"{by} = 0"] if turned else []),
        "turn_back": lines(20, ["outcome = (outcome + c) % who.size"] if turned else []),
        "count_turn": lines(20, [line for name in tallies for line in _next_count(name)]),
        "count": lines(20, k.count_lines(layout)),
        "fields": str(len(tallies) + turned),
        "most_choices": str(MOST_CHOICES),
        "WRONG": str(WRONG),
        "FULL": str(FULL),
        "DONE": str(DONE),
    }
    head = HEADER.format(name=game.name, slots=layout.slots) + translation.text + STEP
    return head + KERNEL.format(**parts), translation.places


def _next_count(name: str) -> list[str]:
    """Code that moves the lowest count of ``c``, sign-extended, to a tally."""
    return ["v = c << (64 - bits) >> (64 - bits)", "c = (c - v) >> bits", f"_g.{name} = v"]
