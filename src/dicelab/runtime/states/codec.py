"""The numbers that make up a state, and how they are packed into a few 64-bit words.

A state is that of the game and of the strategies' memories: first the single fields of the game, then its rows, then
the memories, strategy by strategy, field by field and seat by seat. Each number, minus the lowest value of its declared
range, takes as many bits as the range needs, from the lowest bit of the first word on. No number is split between two
words, and a number whose range has one value takes no bits. With three fields of 8, 50 and 10 bits::

    word 0   bits  0-7  first | bits 8-57  second | bits 58-63  unused (0)
    word 1   bits  0-9  third

So two states are equal if and only if their words are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dicelab.errors import RulesError
from dicelab.rules.fields import Field, Flag, Grid, Ints, fields_of
from dicelab.rules.game import Game, Memory, seat_count
from dicelab.rules.params import value_of
from dicelab.runtime.lineup import Call, distinct

# Cursor ---------------------------------------------------------------------------------------------------------------
#
# Reads and sets the state of a game in progress in the reference engine, as a list of numbers.


class Place:
    """A game in progress in the reference engine, whose state can be read and set as a list of numbers.

    The state has the fields of the game, except those in `without`, and the memories of the strategies, in the order of
    `dicelab.runtime.states.codec`.
    """

    def __init__(self, game: Game, calls: Sequence[Call], without: Collection[str] = ()) -> None:
        self.game = game
        self.memories: list[Memory | None] = [c.strategy.memory(game) if c.strategy.memory else None for c in calls]
        self.choosers = [call.chooser(game, memory) for call, memory in zip(calls, self.memories, strict=True)]
        state = [(name, f) for name, f in game.declared.state.items() if name not in without]
        self._single = [name for name, f in state if not isinstance(f, Ints)]
        self._flags = {name for name, f in state if isinstance(f, Flag)}
        self._rows = [name for name, f in state if isinstance(f, Ints)]
        self._kept = self._memory_cells(calls)

    def places(self, name: str) -> slice:
        """Return where the numbers of a field are in the list."""
        if name in self._single:
            return slice(self._single.index(name), self._single.index(name) + 1)
        lengths = [len(self.game.__dict__[row]) for row in self._rows]
        first = len(self._single) + sum(lengths[: self._rows.index(name)])
        return slice(first, first + lengths[self._rows.index(name)])

    def _memory_cells(self, calls: Sequence[Call]) -> list[tuple[dict[str, Any] | None, str, int, int]]:
        """For each field of a memory and each seat: its `__dict__`, name, length (-1: a number), initial value.

        The dictionary is None in the seats of other strategies.
        """
        cells: list[tuple[dict[str, Any] | None, str, int, int]] = []
        for strategy in distinct(call.strategy for call in calls):
            for f in fields_of(strategy.memory, Field) if strategy.memory else ():
                for seat in range(max(1, seat_count(self.game))):
                    mine = seat < len(calls) and calls[seat].strategy.name == strategy.name
                    length = value_of(f.length, self.game) if isinstance(f, Ints) else -1
                    kept = self.memories[seat].__dict__ if mine else None
                    cells.append((kept, f.name, length, f.initial(self.game)))
        return cells

    def read(self) -> tuple[int, ...]:
        """Return the numbers of the state."""
        values = self.game.__dict__
        numbers = [int(values[name]) for name in self._single]
        for name in self._rows:
            numbers += values[name]
        for kept, name, length, start in self._kept:
            if length < 0:
                numbers.append(int(kept[name]) if kept is not None else start)
            else:
                numbers += kept[name] if kept is not None else [start] * length
        return tuple(numbers)

    def set(self, numbers: Sequence[int]) -> None:
        """Set the state."""
        values = self.game.__dict__
        at = len(self._single)
        for name, number in zip(self._single, numbers, strict=False):
            values[name] = bool(number) if name in self._flags else number
        for name in self._rows:
            at = _set_row(values[name], numbers, at)
        for kept, name, length, _ in self._kept:
            if kept is None:
                at += max(1, length)
            elif length < 0:
                kept[name] = numbers[at]
                at += 1
            else:
                at = _set_row(kept[name], numbers, at)


def _set_row(row: list[int], numbers: Sequence[int], at: int) -> int:
    list.__setitem__(row, slice(None), numbers[at : at + len(row)])
    return at + len(row)


MOST_BITS = 63
"""Limit on the bits of one number of a state."""


class Packing(NamedTuple):
    """What compiled code needs to know of `Slots`: arrays with a number for each number of a state."""

    low: NDArray[np.int64]
    span: NDArray[np.int64]
    word: NDArray[np.int64]
    shift: NDArray[np.int64]


@dataclass(frozen=True)
class Slots:
    """The layout of a packed state: where each number is.

    Attributes
    ----------
    names
        Name of each number, such as ``scores[1]``.
    low, span
        int64 arrays: smallest value, and largest value minus smallest, of each number.
    word, shift
        int64 arrays: the word of each number, and its lowest bit there; 0 and 0 for a number of no bits.
    words
        Number of words of a packed state, at least 1.
    """

    names: tuple[str, ...]
    low: NDArray[np.int64]
    span: NDArray[np.int64]
    word: NDArray[np.int64]
    shift: NDArray[np.int64]
    words: int

    @classmethod
    def of(cls, game: Game, calls: Sequence[Call]) -> Slots:
        """Return the layout for a game with these strategies.

        Raises
        ------
        RulesError
            When a declared range is too wide.
        """
        ranges = [*_state_ranges(game), *_memory_ranges(game, calls)]
        for name, low, high in ranges:
            if (high - low).bit_length() > MOST_BITS or not -(2**62) <= low <= high <= 2**62:
                raise RulesError(
                    f"{game.name}: the declared range of {name}, {low} to {high}, is too wide for exact answers; "
                    "declare a smaller one"
                )
        low_high = np.array([(low, high) for _, low, high in ranges], np.int64).reshape(-1, 2)
        span = low_high[:, 1] - low_high[:, 0]
        word, shift, (words,) = laid_out(span, [range(len(span))])
        return cls(tuple(name for name, _, _ in ranges), low_high[:, 0].copy(), span, word, shift, words)

    @property
    def packing(self) -> Packing:
        """The arrays."""
        return Packing(self.low, self.span, self.word, self.shift)

    @property
    def positions(self) -> int:
        """Number of states that the declared ranges allow: an upper bound on the states that can be reached."""
        total = 1
        for span in self.span.tolist():
            total *= span + 1
        return total

    def pack(self, numbers: Sequence[int]) -> tuple[int, ...]:
        """Return the words of a state, given its numbers.

        Raises
        ------
        OverflowError
            If a number is outside its range, with its name.
        """
        words = [0] * self.words
        slots = zip(
            numbers, self.low.tolist(), self.span.tolist(), self.word.tolist(), self.shift.tolist(), strict=True
        )
        for i, (number, low, span, word, shift) in enumerate(slots):
            if not 0 <= number - low <= span:
                raise OverflowError(f"{self.names[i]} = {number} is outside its declared range {low} to {low + span}")
            words[word] |= (number - low) << shift
        return tuple(words)

    def unpack(self, words: Sequence[int]) -> tuple[int, ...]:
        """Return the numbers of a packed state."""
        slots = zip(self.low.tolist(), self.span.tolist(), self.word.tolist(), self.shift.tolist(), strict=True)
        return tuple(
            low + (int(words[word]) >> shift & (1 << span.bit_length()) - 1) for low, span, word, shift in slots
        )

    def mask(self, i: int) -> np.uint64:
        """Return the bits of number `i`, from the lowest on."""
        return np.uint64((1 << int(self.span[i]).bit_length()) - 1)

    def bits(self, keys: NDArray[np.uint64], i: int) -> NDArray[np.uint64]:
        """Return the number `i` of each of many packed states, minus its lowest value."""
        return np.asarray((keys[:, int(self.word[i])] >> np.uint64(self.shift[i])) & self.mask(i))

    def column(self, keys: NDArray[np.uint64], i: int) -> NDArray[np.int64]:
        """Return the number `i` of each of many packed states: an array as long as `keys`."""
        return np.asarray(self.bits(keys, i).astype(np.int64) + self.low[i], np.int64)

    def put(self, keys: NDArray[np.uint64], i: int, numbers: NDArray[np.int64]) -> None:
        """Replace number `i` of each of many packed states."""
        shift, column = np.uint64(self.shift[i]), keys[:, int(self.word[i])]
        column &= ~(self.mask(i) << shift)
        column |= (numbers - self.low[i]).astype(np.uint64) << shift


def laid_out(
    span: NDArray[np.int64], groups: Iterable[Iterable[int]]
) -> tuple[NDArray[np.int64], NDArray[np.int64], list[int]]:
    """Return the word and the lowest bit of each number, given the largest of each, and how many words there are at the
    end of each group of numbers; each group begins with a new word.
    """
    word, shift, ends, at = np.zeros(len(span), np.int64), np.zeros(len(span), np.int64), list[int](), 0
    for group in groups:
        for i in group:
            bits = int(span[i]).bit_length()
            if at % 64 + bits > 64:  # the rest of this word is too small
                at += 64 - at % 64
            word[i], shift[i] = (at // 64, at % 64) if bits else (0, 0)
            at += bits
        ends.append(max(len(ends) + 1, -(-at // 64)))
        at = 64 * ends[-1]
    return word, shift, ends


def order_of(keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the order of packed states (states, words): by the first word, then by the second, ..."""
    return np.lexsort(keys.T[::-1]) if keys.shape[1] > 1 else np.argsort(keys[:, 0])


def rows_with(rows: NDArray[np.uint64], words: NDArray[np.uint64]) -> tuple[int, int]:
    """Return the range of the rows that begin with some words; rows are in the order of `order_of`."""
    low, high = 0, len(rows)
    for i, word in enumerate(words):
        column = rows[low:high, i]
        low, high = low + int(np.searchsorted(column, word, "left")), low + int(np.searchsorted(column, word, "right"))
    return low, high


def _state_ranges(game: Game) -> list[tuple[str, int, int]]:
    state = game.declared.state.items()
    single = [(name, *f.bounds(game)) for name, f in state if not isinstance(f, Ints)]
    return single + [row for _, f in state if isinstance(f, Ints) for row in _row(f.name, f, game)]


def _row(name: str, f: Ints, game: Game) -> list[tuple[str, int, int]]:
    return [(f"{name}[{i}]", *f.bounds(game)) for i in range(value_of(f.length, game))]


def _memory_ranges(game: Game, calls: Sequence[Call]) -> list[tuple[str, int, int]]:
    """Return the ranges of memory fields by strategy, field and seat; in the seats of other strategies a field has one
    value.
    """
    ranges: list[tuple[str, int, int]] = []
    for strategy in distinct(call.strategy for call in calls):
        for f in fields_of(strategy.memory, Field) if strategy.memory else ():
            for seat in range(max(1, seat_count(game))):
                name = f"seat {seat}'s {strategy.name}.{f.name}"
                mine = seat < len(calls) and calls[seat].strategy.name == strategy.name
                cells = _row(name, f, game) if isinstance(f, Ints) else [(name, *f.bounds(game))]
                ranges += cells if mine else [(cell, f.initial(game), f.initial(game)) for cell, _, _ in cells]
    return ranges


# Hidden numbers -------------------------------------------------------------------------------------------------------


def hidden_numbers(game: Game) -> NDArray[np.bool_]:
    """Return for each seat which numbers of a state it doesn't see (seats, numbers)."""
    by_seat: list[list[bool]] = [[] for _ in range(max(1, seat_count(game)))]
    state = game.declared.state.values()
    for f in [*(f for f in state if not isinstance(f, Ints)), *(f for f in state if isinstance(f, Ints))]:
        length = value_of(f.length, game) if isinstance(f, Ints) else 1
        each = value_of(f.columns, game) if isinstance(f, Grid) else 1
        for seat, hidden in enumerate(by_seat):
            own = range(seat * each, (seat + 1) * each) if isinstance(f, Ints) and f.by_seat else range(0)
            hidden += [bool(f.private) and place not in own for place in range(length)]
    return np.array(by_seat, np.bool_)
