"""What states are worth to each seat, as a small network in whole numbers: learned from games, and kept in a file.

All of it is whole numbers, so that every machine finds the same values and makes the same moves.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from dicelab.compile.kernels.writers.thinking import (
    BETWEEN,
    DIGITS,
    EDGES,
    FINE,
    KNOTS,
    ONE_OF,
    ROOM,
    UNIT,
    UP_TO,
    Judge,
)
from dicelab.engines import policy_file
from dicelab.engines.policy import contents, same_parameters
from dicelab.engines.policy_file import solve_again
from dicelab.errors import InputError
from dicelab.questions.policies.thinking.ahead import Row, SearchTable, Value
from dicelab.rules.actions import LISTABLE
from dicelab.rules.fields import Ints
from dicelab.rules.game import Game, seat_count
from dicelab.runtime.arrays import Floats, Integers
from dicelab.runtime.states.codec import Slots, rows_with
from dicelab.runtime.states.symmetry import Rotation

FEW = 24
"""Numbers of a state with at most this many values have an input for each: alone for that value, in a row for each
value that is reached. Any other number has `KNOTS` inputs, between which one interpolates. One that is declared to be
below a power of two may be a mask, and has an input for each of its binary digits besides."""
LARGEST = (2**22, 2**28, 2**18, 2**40)
"""Limits of the weights, so that 64 bits are enough for every sum."""
MOST_HIDDEN, MOST_NUMBERS = 512, 1000
"""Limits of the hidden layer and of the numbers of a state, for the same purpose."""


def is_mask(low: int, high: int) -> bool:
    """Return whether a number with this range may be made of yes and no: it is below a power of two.

    >>> is_mask(0, 8191), is_mask(0, 100), is_mask(0, 7)
    (True, False, False)
    """
    return low == 0 and high >= FEW and high & (high + 1) == 0


def ranges_of(game: Game, low: Integers, high: Integers) -> Integers:
    """Return the ranges of the numbers of a state that vary, with their places and how they become inputs: ranges that
    were met, but for masks, which have those declared.
    """
    slots, ranges = Slots.of(game, ()), list[tuple[int, int, int, int]]()
    alone = sum(not isinstance(field, Ints) for field in game.declared.state.values())
    for place, (least, most) in enumerate(zip(low.tolist(), high.tolist(), strict=True)):
        if place < len(slots.low) and is_mask(first := int(slots.low[place]), last := first + int(slots.span[place])):
            least, most = first, last
        if most > least:
            coding = DIGITS if is_mask(least, most) else BETWEEN
            if most - least < FEW:
                coding = UP_TO if alone <= place < len(slots.low) else ONE_OF
            ranges.append((place, least, most, coding))
    return np.array(ranges, np.int64).reshape(-1, 4)


def input_counts(spans: Integers) -> list[int]:
    """Return the number of inputs of each number of a state that varies, given its place, least and largest value, and
    how it becomes inputs.

    >>> input_counts(np.array([[0, 1, 6, ONE_OF], [1, 1, 6, UP_TO], [2, 0, 100, BETWEEN], [3, 0, 63, DIGITS]]))
    [6, 5, 16, 22]
    """
    return [
        high - low + (coding == ONE_OF) if coding <= UP_TO else KNOTS + (coding == DIGITS) * high.bit_length()
        for _, low, high, coding in spans.tolist()
    ]


def input_count(spans: Integers) -> int:
    """Return the number of inputs."""
    return sum(input_counts(spans))


def inputs(spans: Integers, states: Integers) -> NDArray[np.uint8]:
    """Return the inputs of states (states, inputs), in multiples of 1 / `UNIT`.

    >>> inputs(np.array([[0, 1, 3, ONE_OF]]), np.array([[2], [3], [9]])).tolist()
    [[0, 64, 0], [0, 0, 64], [0, 0, 64]]
    >>> inputs(np.array([[0, 1, 3, UP_TO]]), np.array([[1], [2], [3]])).tolist()
    [[0, 0], [64, 0], [64, 64]]
    """
    columns, at, every = np.zeros((len(states), input_count(spans)), np.uint8), 0, np.arange(len(states))
    for (place, low, high, coding), many in zip(spans.tolist(), input_counts(spans), strict=True):
        number = np.clip(states[:, place], low, high) - low
        if coding == ONE_OF:
            columns[every, at + number] = UNIT
        elif coding == UP_TO:
            columns[:, at : at + many] = UNIT * (number[:, None] > np.arange(many))
        else:
            below, rest = np.divmod(number * ((KNOTS - 1) * UNIT) // (high - low), UNIT)
            columns[every, at + below] = UNIT - rest
            columns[every, at + np.minimum(below + 1, KNOTS - 1)] += rest.astype(np.uint8)
            if coding == DIGITS:
                digits = np.arange(high.bit_length())
                columns[:, at + KNOTS + digits] = UNIT * (number[:, None] >> digits & 1)
        at += many
    return columns


class Ending(NamedTuple):
    """The beginnings of turns of an ending, seen from the seat to move.

    Attributes
    ----------
    keys
        uint64 array (states, words): the packed states, sorted.
    value
        float64 array (states, seats): what each is worth to the seat to move, and to the other one.
    text
        The parameters with which the ending begins, where they differ, for people.
    """

    keys: NDArray[np.uint64]
    value: NDArray[np.float64]
    text: str


def no_ending(game: Game) -> Ending:
    """Return an ending without states."""
    words, seats = Slots.of(game, ()).words, max(1, seat_count(game))
    return Ending(np.zeros((0, words), np.uint64), np.zeros((0, seats)), "")


@dataclass(frozen=True, repr=False)
class Network:
    """A network with one hidden layer.

    Attributes
    ----------
    game
        The game with its parameters.
    about
        How it was learned, in plain data.
    spans
        int64 array (numbers, 4): of each number of a state that is an input its place, least and largest value, and how
        it becomes inputs (`dicelab.compile.kernels.writers.thinking`).
    first, first_bias, second, second_bias
        int64 arrays (inputs, hidden), (hidden), (hidden, seats), (seats), in multiples of 1 / `FINE`.
    least, span
        float64 arrays: what 0 at the output is worth to each seat, and how much more 1 is.
    known
        uint64 array (states, words), sorted: states whose values are exact and take the place of estimates
        (`dicelab.extras.learn.learned_values`), seen from the seat to move.
    known_value
        float64 array (states, seats): these values.

    Examples
    --------
    >>> import dicelab
    >>> found = dicelab.learn("tossup", method="values", target=5, dice=2, games=100, seed=1).policy
    >>> found.first.shape[1], found.second.shape
    (48, (48, 2))
    """

    game: Game
    about: dict[str, Any]
    spans: Integers
    first: Integers
    first_bias: Integers
    second: Integers
    second_bias: Integers
    least: Floats
    span: Floats
    known: NDArray[np.uint64]
    known_value: Floats

    compiles = True
    """Whether compiled rules can judge states by it."""

    def __repr__(self) -> str:
        return f"<Network of {self.game!r}: {self.about['solved']}>"

    @classmethod
    def of(
        cls,
        game: Game,
        about: dict[str, Any],
        spans: Integers,
        weights: list[Floats],
        ends: tuple[Floats, Floats],
        ending: Ending | None = None,
    ) -> Self:
        """Return a network with the nearest whole weights."""
        ending = ending or no_ending(game)
        whole = [
            np.clip(np.rint(one * FINE), -most, most).astype(np.int64)
            for one, most in zip(weights, LARGEST, strict=True)
        ]
        first, first_bias, second, second_bias = whole
        return cls(game, about, spans, first, first_bias, second, second_bias, *ends, ending.keys, ending.value)

    @classmethod
    def empty(cls, game: Game, wins: bool = False) -> Self:
        """Return a network to which all states are worth the same, in games that are played to win or not."""
        seats = max(1, seat_count(game))
        weights = [np.zeros((0, 1)), np.zeros(1), np.zeros((1, seats)), np.zeros(seats)]
        about = {"objective": "win"} if wins else {}
        return cls.of(game, about, np.zeros((0, 4), np.int64), weights, (np.zeros(seats), np.ones(seats)))

    @property
    def wins(self) -> bool:
        """Whether values are chances to win, whatever a win pays."""
        return self.about.get("objective") == "win"

    @property
    def is_linear(self) -> bool:
        """Whether it is linear in the inputs, written as a network (`dicelab.extras.learn.weights.LinearWeights`)."""
        return self.about.get("linear") is True

    @cached_property
    def rotation(self) -> Rotation | None:
        """How states are seen from the seat whose turn it is; None where the game isn't the same from every seat."""
        return Rotation.of_views(self.game)

    @cached_property
    def _slots(self) -> Slots:
        return Slots.of(self.game, ())

    def worth(self, states: Sequence[Row]) -> list[Value]:
        """Return what states are worth to each seat; they are given as the keys of `SearchTable`."""
        if not states:
            return []
        rotation = self.rotation
        if rotation is None:
            return [*map(tuple, self.outputs(np.array(states, np.int64)).tolist())]
        seen, by = zip(*map(rotation.seen, states), strict=True)
        worths = self.outputs(np.array(seen, np.int64)).tolist()
        for at, numbers in enumerate(seen if len(self.known) else ()):
            low, high = rows_with(self.known, np.array(self._slots.pack(numbers), np.uint64))
            if low < high:
                worths[at] = self.known_value[low].tolist()
        seats = range(rotation.seats)
        return [
            tuple(row[(seat - turn) % rotation.seats] for seat in seats) for row, turn in zip(worths, by, strict=True)
        ]

    def outputs(self, states: Integers) -> Floats:
        """Return what the network says of states (states, numbers): (states, outputs)."""
        hidden = (
            np.maximum(inputs(self.spans, states).astype(np.int64) @ self.first + UNIT * self.first_bias, 0) // UNIT
        )
        out = hidden @ self.second + FINE * self.second_bias
        return np.asarray(self.least + self.span * (out / FINE**2))

    @cached_property
    def _places(self) -> NDArray[np.int32]:
        """Numbers of the known states by their hashes."""
        from dicelab.compile.kernels.hashtable import note_all  # which compiles

        many = len(self.known)
        places = np.full(1 << (2 * many - 1).bit_length() if many else 1, -1, np.int32)
        if many:
            note_all(self.known, places)
        return places

    def judge(self) -> Judge:
        """Return the network as compiled rules need it; its scratch space is for one thread."""
        game, rotation = self.game, self.rotation
        table, tallies = SearchTable(game, None, "learn", self.wins), len(game.declared.tallies)
        numbers, columns = table.numbers, [*range(table.numbers), *table.counts]
        view = np.array([columns] * (rotation.seats if rotation else 1), np.int64)
        single = np.zeros(len(columns), np.bool_)
        if rotation is not None:
            for by in range(rotation.seats):
                for at, step in rotation.rows:
                    for seat in range(rotation.seats):
                        view[by, at + seat * step] = at + (seat + by) % rotation.seats * step
            single[list(rotation.single)] = True
        begins = np.cumsum([0, *input_counts(self.spans)])[:-1]
        widest = max(len(decision.kinds) for decision in game.declared.decisions)
        prizes, signs = table.prizes()
        slots = self._slots
        return Judge(
            spans=np.column_stack([self.spans, begins]).astype(np.int64).reshape(-1, 5),
            seen=view,
            single=single,
            turn=np.array([rotation.turn if rotation else -1], np.int64),
            first=np.ascontiguousarray(self.first, np.float64),
            first_bias=self.first_bias.astype(np.float64),
            second=np.ascontiguousarray(self.second),
            second_bias=np.ascontiguousarray(self.second_bias),
            least=np.ascontiguousarray(self.least),
            span=np.ascontiguousarray(self.span),
            low=slots.low,
            wide=slots.span,
            word=slots.word,
            shift=slots.shift,
            known=np.ascontiguousarray(self.known),
            known_value=np.ascontiguousarray(self.known_value),
            places=self._places,
            packed=np.zeros((1, slots.words), np.uint64),
            numbers=np.zeros(len(slots.low), np.int64),
            prizes=prizes,
            signs=signs,
            counted=np.zeros(tallies, np.int64),
            nodes=np.zeros((ROOM, numbers + tallies), np.int64),
            row=np.zeros(ROOM + 1, np.int64),
            edges=np.zeros(EDGES, np.int64),
            steps=np.zeros(ROOM, np.int64),
            value=np.zeros(ROOM),
            from_node=np.zeros(ROOM, np.int64),
            table=np.zeros(1 << (2 * ROOM - 1).bit_length(), np.int32),
            firsts=np.zeros((LISTABLE + 1, widest), np.int64),
            options=np.zeros((LISTABLE + 1, widest), np.int64),
            sensible=np.zeros(LISTABLE + 1, np.bool_),
            listed=np.zeros(1, np.int64),
            hidden=np.zeros(len(self.first_bias)),
            out=np.zeros(len(self.second_bias)),
        )

    def must_be_for(self, game: Game | type[Game], path: object) -> None:
        """Refuse a game whose parameters differ from those for which it was learned.

        Raises
        ------
        ParameterError
            When they differ.
        """
        same_parameters(self.game, game, path, self.about)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the network to a file.

        Raises
        ------
        OSError
            When the file can't be written.
        """
        arrays = {name: getattr(self, name) for name in policy_file.FORMATS[policy_file.VALUES]}
        policy_file.write(path, self.about, arrays, policy_file.VALUES)

    @classmethod
    def load(cls, path: str | os.PathLike[str], game: Game | type[Game]) -> Self:
        """Read a network for a game; if `game` is an instance, it must be for its parameters.

        Raises
        ------
        InputError
            When the file is damaged, of another kind, or of another game.
        """
        solved, about, arrays = contents(path, game)
        if about["format"] != policy_file.VALUES:
            raise InputError(f"{path} has moves and no values of states; dicelab learn --method values learns values")
        network = cls(solved, about, **arrays)
        if not network._is_whole:
            raise InputError(
                f"{path} has arrays that do not fit the rules of {solved.name}; {solve_again(path, about)}"
            )
        return network

    @property
    def _outputs(self) -> int:
        return max(1, seat_count(self.game))

    @property
    def _is_whole(self) -> bool:
        """Whether the arrays fit each other and the game, and no sum can exceed 64 bits."""
        table, hidden, seats = SearchTable(self.game, None, "learn", self.wins), len(self.first_bias), self._outputs
        spans = self.spans
        if not 0 < hidden <= MOST_HIDDEN or not _are_inputs(spans, len(table.key(table.start()))):
            return False
        shapes = [(input_count(spans), hidden), (hidden,), (hidden, seats), (seats,)]
        whole = [self.first, self.first_bias, self.second, self.second_bias]
        if [one.shape for one in whole] != shapes or self.least.shape != (seats,) or self.span.shape != (seats,):
            return False
        known = self.known.shape[1:] == (self._slots.words,) and self.known_value.shape == (
            len(self.known),
            max(1, seat_count(self.game)),
        )
        if not known or not np.isfinite(self.known_value).all():
            return False
        if any((one > most).any() or (one < -most).any() for one, most in zip(whole, LARGEST, strict=True)):
            return False
        return bool(np.isfinite(self.least).all() and np.isfinite(self.span).all())


def _are_inputs(spans: Integers, numbers: int) -> bool:
    """Return whether an array says which of the `numbers` of a state are inputs, as `Network.spans` describes it."""
    if spans.shape[1:] != (4,) or len(spans) > MOST_NUMBERS:
        return False
    place, least, largest, kind = spans.T
    if (place < 0).any() or (place >= numbers).any() or (largest <= least).any():
        return False
    if (np.abs(spans[:, 1:]) > 2**40).any() or (kind < ONE_OF).any() or (kind > DIGITS).any():
        return False
    return not ((kind <= UP_TO) & (largest - least >= FEW)).any()
