"""The kernel of the table engine, one for all games; its text is compiled by `dicelab.compile.kernels.cache`.

Lanes follow a `dicelab.engines.tables.state.PlaceTable`. A game that ends frees its lane for another. New games that go
on after their first block wait until all lanes can be filled. Games with a rejected word, and games that last too long,
are not counted; the compiled engine plays them.
"""

# The loops are written for a compiler, index by index.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

from __future__ import annotations

import numpy as np
from numba import njit

from dicelab.compile.kernels.arguments import BANKS, PATIENCE
from dicelab.compile.kernels.core import HALF, LOW, unsigned
from dicelab.compile.kernels.lanes import (
    LANES,
    PLACE,
    SIZE,
    WHO,
    begin,
    count,
    follow_counting,
    follow_first_counting,
    follow_first_pairs,
    follow_pairs,
    follow_words,
    give_up_long,
    give_up_rejected,
    throw_first_pairs,
    throw_pairs,
    throw_words,
)


@njit(nogil=True, cache=True)
def kernel(run, table, hist, spill, slow):
    """Play games; returns the numbers of indices in `slow` and of rows in `spill`.

    `run` and `table` are `Games` and `StateTable` of `dicelab.compile.kernels.arguments`.
    """
    k0, k1, first, games, blocks = run
    entries, short, pairs, live = table.entries, table.short, table.pairs, table.live
    weight, rejected, start, void = table.weight, table.rejected, table.start, table.void
    lanes = np.zeros(SIZE, np.uint64)
    low, high = unsigned(first) & LOW, unsigned(first) >> HALF
    too_long = unsigned(blocks) << HALF
    begun = n = rounds = slows = spilled = 0
    bank, direct = unsigned(hist.size // BANKS), short.size > 0
    # At the head of each round: games 0 .. begun - 1 have begun; of these, lanes 0 .. n - 1 hold those in progress
    # (n < 2 * LANES), and all others are counted or listed in `slow`.
    while n > 0 or begun < games:
        if n < LANES and begun < games:
            fresh = min(LANES, games - begun)
            counting = direct and fresh == LANES
            together = pairs and (counting or not direct)
            # Most games of a small table end within their first block, so that is played without putting them in lanes.
            if together and throw_first_pairs(lanes, low + unsigned(begun), high, k0, k1, weight) >= rejected:
                if counting:
                    going = follow_first_counting(lanes, begun, start, short, live, n, bank, hist)
                else:
                    going = follow_first_pairs(lanes, fresh, begun, start, entries, live, n)
                    spilled = count(lanes, fresh - going, table, hist, spill, spilled)
                n += going
            else:  # a word is rejected, or the table does not allow it: these games begin in lanes
                begin(lanes, n, n + fresh, begun - n, start)
                n += fresh
            begun += fresh
            continue
        busy = min(n, LANES)  # these roll; games beyond wait
        if pairs:
            if throw_pairs(lanes, low, high, k0, k1, weight) < rejected:
                slows = give_up_rejected(lanes, busy, low, high, k0, k1, weight, rejected, void, slow, slows)
            if direct:
                going = follow_counting(lanes, busy, short, live, bank, hist)
            else:
                going = follow_pairs(lanes, busy, entries, live)
        else:
            throw_words(lanes, low, high, k0, k1)
            going, slows = follow_words(lanes, busy, entries, live, void, slow, slows)
        if not direct:
            spilled = count(lanes, busy - going, table, hist, spill, spilled)
        for i in range(busy, n):  # waiting games close up to the games that go on
            lanes[unsigned(going) + WHO] = lanes[unsigned(i) + WHO]
            lanes[unsigned(going) + PLACE] = lanes[unsigned(i) + PLACE]
            going += 1
        n = going
        rounds += 1
        if rounds % PATIENCE == 0:
            slows = give_up_long(lanes, n, too_long, void, slow, slows)
    return slows, spilled
