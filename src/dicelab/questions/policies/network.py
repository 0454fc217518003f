"""What states are worth to each seat, as a small network in whole numbers: learned from games, and kept in a file.

All of it is whole numbers, so that every machine finds the same values and makes the same moves.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from dicelab.engines import policy_file
from dicelab.engines.policy import contents, same_parameters
from dicelab.engines.policy_file import solve_again
from dicelab.errors import InputError
from dicelab.questions.policies.ahead import Row, Table, Value
from dicelab.rules.game import Game, seat_count
from dicelab.runtime.arrays import Floats, Integers
from dicelab.runtime.states.codec import Slots

FEW = 24
"""Numbers of a state with at most this many values have an input for each value."""
KNOTS = 16
"""Inputs of any other number: how near it is to each of so many values, between which one interpolates. One that is
declared to be below a power of two may be a mask, and has an input for each of its binary digits besides."""
UNIT = 64
"""What an input of 1 is in whole numbers."""
FINE = 4096
"""What a weight of 1 is in whole numbers."""
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
    """Return the ranges of the numbers of a state that vary, with their places: those that were met, but for masks,
    which have the ranges declared.
    """
    slots, found = Slots.of(game, ()), list[tuple[int, int, int]]()
    for place, (least, most) in enumerate(zip(low.tolist(), high.tolist(), strict=True)):
        if place < len(slots.low) and is_mask(first := int(slots.low[place]), last := first + int(slots.span[place])):
            least, most = first, last
        if most > least:
            found.append((place, least, most))
    return np.array(found, np.int64).reshape(-1, 3)


def input_count(spans: Integers) -> int:
    """Return the number of inputs, given for each number of a state that varies its place, least and largest value.

    >>> input_count(np.array([[0, 1, 6], [2, 0, 100], [3, 0, 63]]))
    44
    """
    return sum(
        high - low + 1 if high - low < FEW else KNOTS + is_mask(low, high) * high.bit_length()
        for _, low, high in spans.tolist()
    )


def inputs(spans: Integers, states: Integers) -> Integers:
    """Return the inputs of states (states, inputs), in multiples of 1 / `UNIT`.

    >>> inputs(np.array([[0, 1, 3]]), np.array([[2], [3], [9]])).tolist()
    [[0, 64, 0], [0, 0, 64], [0, 0, 64]]
    """
    found, at, every = np.zeros((len(states), input_count(spans)), np.int64), 0, np.arange(len(states))
    for place, low, high in spans.tolist():
        number = np.clip(states[:, place], low, high) - low
        if high - low < FEW:
            found[every, at + number] = UNIT
            at += high - low + 1
            continue
        below, rest = np.divmod(number * ((KNOTS - 1) * UNIT) // (high - low), UNIT)
        found[every, at + below] = UNIT - rest
        found[every, at + np.minimum(below + 1, KNOTS - 1)] += rest
        at += KNOTS
        if is_mask(low, high):
            digits = np.arange(high.bit_length())
            found[:, at + digits] = UNIT * (number[:, None] >> digits & 1)
            at += len(digits)
    return found


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
        int64 array (numbers, 3): of each number of a state that is an input its place, least and largest value.
    first, first_bias, second, second_bias
        int64 arrays (inputs, hidden), (hidden), (hidden, seats), (seats), in multiples of 1 / `FINE`.
    least, span
        float64 arrays: what 0 at the output is worth to each seat, and how much more 1 is.

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

    def __repr__(self) -> str:
        return f"<Network of {self.game!r}: {self.about['solved']}>"

    @classmethod
    def of(
        cls, game: Game, about: dict[str, Any], spans: Integers, weights: list[Floats], ends: tuple[Floats, Floats]
    ) -> Self:
        """Return a network with the nearest whole weights."""
        whole = [
            np.clip(np.rint(one * FINE), -most, most).astype(np.int64)
            for one, most in zip(weights, LARGEST, strict=True)
        ]
        first, first_bias, second, second_bias = whole
        return cls(game, about, spans, first, first_bias, second, second_bias, *ends)

    def worth(self, states: Sequence[Row]) -> list[Value]:
        """Return what states are worth to each seat; they are given as the keys of `Table`."""
        return [*map(tuple, self.outputs(np.array(states, np.int64)).tolist())] if states else []

    def outputs(self, states: Integers) -> Floats:
        """Return what the network says of states (states, numbers): (states, outputs)."""
        hidden = np.maximum(inputs(self.spans, states) @ self.first + UNIT * self.first_bias, 0) // UNIT
        out = hidden @ self.second + FINE * self.second_bias
        return np.asarray(self.least + self.span * (out / FINE**2))

    def must_be_for(self, game: Game | type[Game], path: object) -> None:
        """Refuse a game whose parameters differ from those for which it was learned.

        Raises
        ------
        ParameterError
        """
        same_parameters(self.game, game, path, self.about)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the network to a file.

        Raises
        ------
        OSError
        """
        arrays = {name: getattr(self, name) for name in policy_file.FORMATS[policy_file.VALUES]}
        policy_file.write(path, self.about, arrays, policy_file.VALUES)

    @classmethod
    def load(cls, path: str | os.PathLike[str], game: Game | type[Game]) -> Self:
        """Read a network for a game; if `game` is an instance, it must be for its parameters.

        Raises
        ------
        InputError
        """
        solved, about, arrays = contents(path, game)
        if about["format"] != policy_file.VALUES:
            raise InputError(f"{path} has moves and no values of states; dicelab learn --method values learns values")
        found = cls(solved, about, **arrays)
        if not found._is_whole:
            raise InputError(
                f"{path} has arrays that do not fit the rules of {solved.name}; {solve_again(path, about)}"
            )
        return found

    @property
    def _outputs(self) -> int:
        return max(1, seat_count(self.game))

    @property
    def _is_whole(self) -> bool:
        """Whether the arrays fit each other and the game, and no sum can exceed 64 bits."""
        table, hidden, seats = Table(self.game, None, "learn"), len(self.first_bias), self._outputs
        numbers = len(table.key(table.start()))
        spans = self.spans
        if spans.shape[1:] != (3,) or len(spans) > MOST_NUMBERS or not 0 < hidden <= MOST_HIDDEN:
            return False
        if (spans[:, 0] < 0).any() or (spans[:, 0] >= numbers).any() or (spans[:, 2] <= spans[:, 1]).any():
            return False
        if (np.abs(spans[:, 1:]) > 2**40).any():
            return False
        shapes = [(input_count(spans), hidden), (hidden,), (hidden, seats), (seats,)]
        whole = [self.first, self.first_bias, self.second, self.second_bias]
        if [one.shape for one in whole] != shapes or self.least.shape != (seats,) or self.span.shape != (seats,):
            return False
        if any((one > most).any() or (one < -most).any() for one, most in zip(whole, LARGEST, strict=True)):
            return False
        return bool(np.isfinite(self.least).all() and np.isfinite(self.span).all())
