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
(`dicelab.runtime.states.symmetry`): there are fewer by a factor of up to the number of seats. The outcome is then a
seat as the last player to move sees it, and is turned back by the sum of all turns.

Where a mixed strategy is asked, an entry is computed anew each time, because what it draws follows from the game and
the number of the choice. Choices are then counted after the tallies, in the place of turns.
"""

from __future__ import annotations

from collections.abc import Sequence

from dicelab.compile.kernels.writers import simulate as k
from dicelab.compile.kernels.writers.enumerate import rotation
from dicelab.rules.game import Game, Strategy

MOST_CHOICES = 16
"""Limit on the choices between two rolls; the compiled engine plays games that make more."""


def write(game: type[Game], strategies: Sequence[Strategy], turned: bool) -> tuple[str, dict[str, str]]:
    """Return the text of the kernel, and for each function in the text the file and line of its rule.

    States are `turned` to the view of the player to move, if there are no choices and the game declares that it is the
    same from every seat.
    """
    translation = k.translated(game, strategies)
    layout = translation.layout
    tallies = list(game.declared.tallies)
    cells = k.cells_of(layout, strategies)
    by = f"since[0, {len(tallies)}]"
    rules = k.playing_rules(translation, strategies)
    mixes = any(strategy.mixes for strategy in strategies)
    parts: k.Parts = {
        **rules,
        "load": k.copied(cells, "{cell} = here[{at}]"),
        "nothing": [f"_g.{name} = 0" for name in tallies],
        "store_here": k.copied(cells, "here[{at}] = {cell}"),
        "store_since": [f"since[0, {t}] = _g.{name}" for t, name in enumerate(tallies)]
        + ([f"{by} = _g._choice + 1 - choices"] if mixes else []),
        "before_choices": ["_g._choice = choices - 1", "_g._index = -1"] if mixes else [],
        "choices_so_far": [line for _ in tallies for line in k.next_count("bits", "pass")] if mixes else [],
        "kept": "_g._index < 0" if mixes else "True",
        "turn": [*rotation(game, cells), f"{by} = by_seats"] if turned else [],
        "not_turned": [f"{by} = 0"] if turned else [],
        "turn_back": ["outcome = (outcome + c) % who.size"] if turned else [],
        "count_turn": [line for name in tallies for line in k.next_count("bits", f"_g.{name} = v")],
        "fields": len(tallies) + (turned or mixes),
        "most_choices": MOST_CHOICES,
        "WRONG": k.BAD_STEP,
        "FULL": k.FULL,
        "DONE": k.DONE,
    }
    return k.text_of("memo", "engine memo", translation, parts, ["playing"]), translation.places
