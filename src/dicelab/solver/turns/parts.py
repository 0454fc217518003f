"""A state in two parts: outer numbers, which belong to the beginning of a turn, and inner ones.

A packed state has the outer numbers in its first words and the inner ones in the others, so that each part can be
looked up by itself. Each number takes the bits that its range needs; none is split between two words.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random

import numpy as np
from numpy.typing import NDArray

from dicelab.compile.kernels.arguments import SplitPacking
from dicelab.errors import NotSmall
from dicelab.rules.actions import Decision
from dicelab.rules.fields import Ints
from dicelab.rules.game import Game, seat_count
from dicelab.rules.params import value_of
from dicelab.runtime.lineup import Run
from dicelab.runtime.philox import Stream, pool
from dicelab.runtime.states.codec import Slots, laid_out
from dicelab.runtime.states.explorer import StateExplorer
from dicelab.runtime.states.symmetry import Rotation


@dataclass(frozen=True)
class StateParts:
    """Where each number of a state is.

    Attributes
    ----------
    names
        Names of the outer fields, in the order declared.
    bits
        The bits of the outer fields in ``touched`` (`dicelab.compile.kernels.writers.turn_steps`).
    outer
        For each number of a state whether it is outer.
    field
        The bit of the field of each number, as in ``touched``.
    low, span, word, shift
        Smallest value, largest minus smallest, word and lowest bit of each number.
    outer_words, words
        Number of words of the outer part, and of both.
    """

    names: tuple[str, ...]
    bits: int
    outer: NDArray[np.bool_]
    field: NDArray[np.int64]
    low: NDArray[np.int64]
    span: NDArray[np.int64]
    word: NDArray[np.int64]
    shift: NDArray[np.int64]
    outer_words: int
    words: int

    @cached_property
    def packing(self) -> SplitPacking:
        """What compiled code needs: `order` has the numbers by their words; those of no bits are first, in word 0."""
        order = np.argsort(self.word, kind="stable")
        return SplitPacking(self.low, self.span, self.word, self.shift, self.outer, order, self.field)

    @classmethod
    def of(cls, game: Game, names: Collection[str]) -> StateParts:
        """Return the parts of a game's states if these fields are outer."""
        slots, owner = Slots.of(game, ()), owners(game)
        outer = np.array([name in names for name in owner], np.bool_)
        word, shift, ends = laid_out(slots.span, (np.flatnonzero(outer), np.flatnonzero(~outer)))
        bit = {name: 1 << i for i, name in enumerate(game.declared.state)}
        field = np.array([bit[name] for name in owner], np.int64)
        return cls(
            tuple(name for name in bit if name in names),  # in an order that is the same in every process
            sum(bit[name] for name in names),
            outer,
            field,
            slots.low,
            slots.span,
            word,
            shift,
            *ends,
        )

    def pack(self, numbers: Sequence[int]) -> NDArray[np.uint64]:
        """Return the words of a state: an array (1, words)."""
        words = [0] * self.words
        for number, low, word, shift in zip(numbers, self.low.tolist(), self.word, self.shift.tolist(), strict=True):
            words[word] |= (number - low) << shift
        return np.array([words], np.uint64)

    def unpack(self, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return the numbers of packed states: int64 (states, numbers)."""
        shift, masks = self._masks
        bits = np.take(keys, self.word, axis=1) >> shift & masks
        return bits.view(np.int64) + self.low

    @cached_property
    def _masks(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """The lowest bit of each number in its word, and all its bits once they are shifted there."""
        masks = [(1 << span.bit_length()) - 1 for span in self.span.tolist()]
        return self.shift.astype(np.uint64), np.array(masks, np.uint64)


def owners(game: Game) -> list[str]:
    """Return the field of each number of a state, in the order of `dicelab.runtime.states.codec`."""
    state = game.declared.state.items()
    single = [name for name, f in state if not isinstance(f, Ints)]
    rows = [[name] * value_of(f.length, game) for name, f in state if isinstance(f, Ints)]
    return single + [name for row in rows for name in row]


# Which fields belong to the beginning of a turn: those that change least often ----------------------------------------
#
# Any choice gives the same values, because the rules are checked for what they use (`kernels.writers.turn_steps`). A
# good one makes turns long and few: scores and open boxes belong to the beginning of a turn, dice and points to the
# turn.

GAMES, LONGEST, TRIES = 12, 200, 200
"""Random games that are played to see which fields change, steps of each, and moves that are tried at a choice."""


def outer_fields(run: Run, rotation: Rotation | None) -> Iterator[tuple[str, ...]]:
    """Yield sets of fields that may be outer, the smallest first: each has one more, in order of how often they change.

    Raises
    ------
    NotSmall
        When the game is over at once.
    """
    owner, changes = owners(run.game), dict[str, int]()
    for before, after in _steps(run, rotation):
        for name in dict.fromkeys(name for name, a, b in zip(owner, before, after, strict=True) if a != b):
            changes[name] = changes.get(name, 0) + 1
    names = sorted(changes, key=lambda name: changes[name])
    for many in range(1, len(names) + 1):
        yield tuple(names[:many])


def _moves(kind: Decision, game: Game, dice: Random) -> Iterable[tuple[int, ...]]:
    """Return moves to try, in random order."""
    if kind.lists:
        listed = kind.listing(game) or []
        return dice.sample(listed, len(listed))
    spans = kind.spans(game)
    return (tuple(dice.randint(*span) for span in spans) for _ in range(TRIES))


def _steps(run: Run, rotation: Rotation | None) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Neighbouring states of some random games, seen from the seat to move."""
    found = StateExplorer(run, range(max(1, seat_count(run.game))))
    if found.start[0] < 0:
        raise NotSmall("it is over before the first roll")
    things, dice = found.positions.things, Random(0)
    for index in range(GAMES):
        at, stream = found.start[0], Stream(0, index)
        for _ in range(LONGEST):
            here = things[at]
            kind, number = found.arrive(here)
            end = None
            if isinstance(kind, Decision):
                for move in _moves(kind, found.game, dice):
                    end = found.follow(kind, move)
                    if end is not None:
                        break
            else:
                thrown = pool(found.game, kind, number)
                end = found.follow(kind, stream.draw(thrown)) if thrown.whole else None
            if end is None or end[0] < 0:
                break
            at = end[0]
            both = here, things[at]
            yield both if rotation is None else (rotation.seen(here)[0], rotation.seen(both[1])[0])
