"""The engine `memo`: transitions are computed when first needed, and looked up from then on.

It plays the games of `dicelab.runtime.interpreter`, bit for bit, hundreds at once, and is fast for games that reach the
same states again and again. Each thread has its own memo table. When a table is full, the compiled engine plays all
games from that chunk on.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dicelab.compile.kernels.arguments import Games, KernelCounts, Memo, MemoRolls
from dicelab.compile.kernels.writers import simulate as k
from dicelab.compile.kernels.writers.enumerate import rotation
from dicelab.compile.kernels.writers.simulate import FULL
from dicelab.engines.tables.base import Tabled
from dicelab.errors import NotSmall, RulesError
from dicelab.limits import LIMITS
from dicelab.rules.fields import Peak
from dicelab.rules.game import Game, Strategy
from dicelab.runtime.interpreter import LIMIT
from dicelab.runtime.lineup import Call
from dicelab.runtime.outcome_tables import tables
from dicelab.runtime.philox import ONE_WORD, Stream, pool
from dicelab.runtime.scheduler import Tallied
from dicelab.runtime.states.codec import Slots
from dicelab.runtime.states.explorer import StateExplorer
from dicelab.runtime.states.symmetry import Alike, Rotation, check_symmetry

GUIDE_BITS = 12
MOST_DICE = 64
MOST_LISTED = 2**16
"""Limit on the numbers of all rows of dice for which the outcomes are listed."""
MOST_TALLIES = 5
SHORTEST = 1000
SAMPLE, OFTEN_NEW = 4000, 0.6
"""Rolls that are sampled, and share of them that may lead to new states still: of Pig 0.57 do, with 80,000 states; of
LCR with 6 players 0.46, with 101,000; with 7 players 0.61, with 888,000."""


class MemoEngine(Tabled):
    """A game with its parameters and strategies, ready to be played many times; see `Tabled` for the parameters.

    Raises
    ------
    NotSmall
        If its dice or its tallies don't fit, or it is not the same from every seat though it declares so.
    """

    name = "memo"
    draws_moves = True

    def __init__(self, game: Game, calls: Sequence[Call], limit: int = LIMIT) -> None:
        super().__init__(game, calls, limit)
        if not game.declared.throws:
            raise NotSmall("it has no rolls")
        if any(isinstance(tally, Peak) for tally in game.declared.tallies.values()) or self.tallies > MOST_TALLIES:
            raise NotSmall("its tallies don't fit into one word")
        try:
            self.slots = Slots.of(game, calls)
            self.turned = not calls and self.tallies <= 2 and game.outcomes is None and Rotation.of(game) is not None
            if self.turned:
                self.turned = check_symmetry(self.run) is Alike.OUTCOMES
        except RulesError as error:
            raise NotSmall(str(error)) from error
        self.fields = self.tallies + (self.turned or self.mixes)
        self.bits = min(32, 64 // max(1, self.fields))
        throws = min(1 << self.bits // 2, limit // (1 + MOST_CHOICES))
        if throws < SHORTEST:
            raise NotSmall("it could play only very short games")
        self.blocks = throws // 4 - 64
        self.dice = _dice(game)
        self.text, self.places = write(type(game), self.strategies, self.turned)
        self._idle_tables: list[Memo] = []

    def must_suit(self) -> None:
        """Refuse a game in which most rolls lead to states that were not seen before, in a sample."""
        super().must_suit()
        explorer, rotation = StateExplorer(self.run), Rotation.of(self.game)
        seen, new = set[tuple[int, ...]](), list[bool]()
        for index in range(SAMPLE):
            stream, (at, _) = Stream(0, index), explorer.start
            while at >= 0 and len(new) < SAMPLE:
                here = explorer.positions.things[at]
                key = rotation.seen(here)[0] if rotation is not None and self.turned else here
                new.append(key not in seen)
                seen.add(key)
                kind, number = explorer.throw_at(here)
                at = explorer.follow(kind, stream.draw(pool(explorer.game, kind, number)))[0]
        if sum(new[SAMPLE // 2 :]) > OFTEN_NEW * SAMPLE / 2:
            raise NotSmall("it has too many states: most rolls lead to one that was not seen before")

    def _new_table(self) -> Memo:
        """Return an empty table: no transition is known. The first entries, of lanes without a game, are 0."""
        stride = int(self.dice.stride)
        states = min(LIMITS.memo_states, LIMITS.memo_entries // stride) - 1
        entries = np.empty((states + 1) * stride, np.uint32)
        entries[:stride] = 0
        changes = min(LIMITS.memo_changes, 1 << 30 - int(self.dice.change_at))
        return Memo(
            keys=np.empty((states, self.slots.words), np.uint64),
            table=np.full(2 * LIMITS.memo_states, -1, np.int32),
            entries=entries,
            changes=np.zeros((changes, max(1, self.fields)), np.int64),
            added=np.zeros(changes, np.int64),
            found=np.array([0, 1, 0], np.int64),
        )

    def _follow(self, games: Games, slow: NDArray[np.int64], total: Tallied) -> int:
        with self._lock:
            memo = self._idle_tables.pop() if self._idle_tables else self._new_table()
        given = games, self.setting, self.rows(), self.dice, self.slots.packing
        most = (1 << self.bits - 2) // (4 * (self.blocks + 64))

        def play(counted: KernelCounts) -> tuple[int, int, int]:
            report: tuple[int, int, int] = self._kernel(*given, self.bits, most, memo, counted, slow)
            with self._lock:  # not after an exception, because the memo table may then be inconsistent
                self._idle_tables.append(memo)
            if report[0] == FULL:
                self.give_up()
            return report

        return self._added(total, play, games.games)


def _dice(game: Game) -> MemoRolls:
    """Return how rolls are drawn."""
    made = tables(game, GUIDE_BITS)
    pools = made.pools.reshape(-1, 4)
    row_bits = (len(pools) - 1).bit_length()
    if len(pools) > MOST_DICE or (pools[:, 0] > ONE_WORD).any() or made.apart[:, 0].any():
        raise NotSmall("its rolls have too many outcomes")
    first = made.first
    ends = [*first[1:], len(made.sums)]
    weights = pools[:, 0].tolist()
    largest = max(weights)
    parts = []
    if len(weights) * largest <= MOST_LISTED and not any(largest % weight for weight in weights):
        for weight, begin, end in zip(weights, first, ends, strict=True):
            each = np.diff(made.sums[begin:end].astype(np.int64), prepend=0) * (largest // weight)
            parts.append(np.repeat(np.arange(end - begin, dtype=np.uint16), each))
    if parts and all(np.array_equal(part, np.arange(largest)) for part in parts):
        row_bits = 0  # one fair die, whatever the row
    return MemoRolls(
        *(made.kinds, made.numbered, made.sums, made.values, made.width),
        dice=np.column_stack([pools, np.array(first, np.uint64)]).reshape(-1),
        listed=np.concatenate(parts) if parts else np.zeros(0, np.uint16),
        largest=np.uint64(largest),
        doubtful=np.uint64(largest),
        stride=np.uint64(max(end - begin for begin, end in zip(first, ends, strict=True))),
        change_at=np.uint64(18 + row_bits),
    )


# Writes the kernel of the engine `memo`: states are numbered when a game first reaches them ---------------------------
#
# Each state has a row of `stride` entries, one for each outcome of its roll. An entry that no game has needed yet is
# marked NEW; the rules then compute it. The *place* of a lane is the entry by which it came. Entries are 32-bit words::
#
#     bits  0-17   number of the next state plus 1 (0: a lane without a game); the outcome where the game is over; in a
#                  NEW entry the number of its own state plus 1
#     bits 18-29   row of `dice` that is rolled at the next state, in the lower bits up to `change_at`; above it the
#                  change of the tallies: an index in `added` and `changes`
#     bit  30      OVER: the game is over
#     bit  31      NEW: not computed yet
#
# A row of `dice` has five numbers: total weight, rejection threshold, bits to shift a number for the guide, first index
# in the guide, first outcome. Where all weights divide the largest one, and that is small, one number below it is drawn
# for each roll, and ``listed[row * largest + number]`` is the outcome. `counted` has for each lane the sums of `added`:
# all tallies in one word of 64 bits, `bits` bits each, where each may borrow from the one above; then, if states are
# *turned*, by how many seats they were. `found` has the numbers of states and changes so far, the place at which games
# begin, and what is counted there.
#
# In a game that is the same from every seat, states are turned so that the player to move has seat 0
# (`dicelab.runtime.states.symmetry`): there are fewer by a factor of up to the number of seats. The outcome is then a
# seat as the last player to move sees it, and is turned back by the sum of all turns.
#
# Where a mixed strategy is asked, an entry is computed anew each time, because what it draws follows from the game and
# the number of the choice. Choices are then counted after the tallies, in the place of turns.


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
