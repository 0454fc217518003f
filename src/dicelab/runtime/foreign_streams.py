"""Rolls by the random generators of Python and R, one die at a time, as programs in these languages roll dice.

========== ====================================== =================================================
stream     a die with equal weights               a die with different weights
========== ====================================== =================================================
python:N   ``randint(1, faces)``                  ``choices(faces, weights)``, after ``seed(N)``
r:N        ``sample(faces, dice, TRUE)``          ``sample(faces, dice, TRUE, prob = weights)``, after ``set.seed(N)``
========== ====================================== =================================================

A die whose weights are declared by parameters counts as a die with different weights, whatever their values.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from dicelab.errors import ParameterError
from dicelab.rules.dice import Die
from dicelab.rules.params import whole_number
from dicelab.runtime.interpreter import Source
from dicelab.runtime.philox import Pool


class PythonDice:
    """Rolls by Python's module `random`.

    Examples
    --------
    >>> from dicelab.rules.dice import D6, SUM
    >>> dice = PythonDice(5)
    >>> [dice.draw(Pool(D6, (1,) * 6, 2, SUM, 1)) for _ in range(2)]
    [(8,), (9,)]
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._random = random.Random(seed)

    def __str__(self) -> str:
        return f"stream python:{self.seed}"

    def draw(self, pool: Pool) -> tuple[int, ...]:
        """Return what the rules receive of the next roll."""
        return pool.seen(first + self._face(die, weights) for die, weights, first in pool.each)

    def _face(self, die: Die, weights: tuple[int, ...]) -> int:
        if equally_likely(die):
            return self._random.randint(1, len(weights)) - 1
        return int(self._random.choices(range(len(weights)), weights)[0])


class RDice:
    """Rolls by R's `sample`.

    Examples
    --------
    >>> from dicelab.rules.dice import COUNTS, Die
    >>> toss = Die(red=1, yellow=2, green=3)
    >>> RDice(1).draw(Pool(toss, (1, 2, 3), 10, COUNTS, 3))
    (3, 3, 4)
    """

    def __init__(self, seed: int) -> None:
        from dicelab.runtime.r_generator import RStream  # it imports numpy

        self.seed = seed
        self._stream = RStream(seed)

    def __str__(self) -> str:
        return f"stream r:{self.seed}"

    def draw(self, pool: Pool) -> tuple[int, ...]:
        """Return what the rules receive of the next roll."""
        every = pool.each
        if all(one == every[0] for one in every) and not equally_likely(every[0][0]):
            return pool.seen(every[0][2] + face for face in self._stream.sample(every[0][1], pool.count))
        return pool.seen(first + self._face(die, weights) for die, weights, first in every)

    def _face(self, die: Die, weights: tuple[int, ...]) -> int:
        return self._stream.index(len(weights)) if equally_likely(die) else self._stream.sample(weights, 1)[0]


def equally_likely(die: Die) -> bool:
    """Return whether all faces of a die are declared with the same number as their weight."""
    return all(isinstance(face.weight, int) and face.weight == die.faces[0].weight for face in die.faces)


LANGUAGES: dict[str, Callable[[int], Source]] = {"python": PythonDice, "r": RDice}


def source_of(text: str) -> Source:
    """Return the source of rolls that a text such as ``python:5`` or ``r:1`` stands for.

    Raises
    ------
    ParameterError
        When the text is not of this form.

    Examples
    --------
    >>> print(source_of("r:1"))
    stream r:1
    """
    language, _, given = text.partition(":")
    seed = whole_number(given)
    if language not in LANGUAGES or seed is None:
        raise ParameterError(f"stream: {text!r} is not allowed; write python:5 or r:1, where the number is the seed")
    return LANGUAGES[language](seed)
