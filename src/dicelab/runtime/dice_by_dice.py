"""Throws by the random numbers of Python and of R, die by die, as programs in these languages throw their dice.

========== ====================================== =================================================
stream     a die whose faces are equally heavy    a die with weights
========== ====================================== =================================================
python:N   ``randint(1, faces)``                  ``choices(faces, weights)``, after ``seed(N)``
r:N        ``sample(faces, dice, TRUE)``          ``sample(faces, dice, TRUE, prob = weights)``, after ``set.seed(N)``
========== ====================================== =================================================

A die has weights where its faces are declared with different weights, or with parameters, whatever their values.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from dicelab.errors import ParameterError
from dicelab.random.philox import Pool
from dicelab.rules.dice import Die
from dicelab.rules.params import whole_number
from dicelab.runtime.interpreter import Source


class PythonDice:
    """Dice thrown by Python's module `random`.

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
        """What is seen of the next throw."""
        faces = range(len(pool.weights))
        if equally_heavy(pool.die):
            return pool.seen(self._random.randint(1, len(faces)) - 1 for _ in range(pool.count))
        return pool.seen(self._random.choices(faces, pool.weights)[0] for _ in range(pool.count))


class RDice:
    """Dice thrown by R's `sample`.

    Examples
    --------
    >>> from dicelab.rules.dice import COUNTS, Die
    >>> toss = Die(red=1, yellow=2, green=3)
    >>> RDice(1).draw(Pool(toss, (1, 2, 3), 10, COUNTS, 3))
    (3, 3, 4)
    """

    def __init__(self, seed: int) -> None:
        from dicelab.random.r_generator import RStream  # it imports numpy

        self.seed = seed
        self._stream = RStream(seed)

    def __str__(self) -> str:
        return f"stream r:{self.seed}"

    def draw(self, pool: Pool) -> tuple[int, ...]:
        """What is seen of the next throw."""
        if equally_heavy(pool.die):
            return pool.seen(self._stream.index(len(pool.weights)) for _ in range(pool.count))
        return pool.seen(self._stream.sample(pool.weights, pool.count))


def equally_heavy(die: Die) -> bool:
    """Are the faces of a die declared with one and the same weight?"""
    return all(isinstance(face.weight, int) and face.weight == die.faces[0].weight for face in die.faces)


LANGUAGES: dict[str, Callable[[int], Source]] = {"python": PythonDice, "r": RDice}


def source_of(text: str) -> Source:
    """The source of throws that is written ``python:5`` or ``r:1``.

    Raises
    ------
    ParameterError
        When the text is none of these.

    Examples
    --------
    >>> print(source_of("r:1"))
    stream r:1
    """
    language, _, given = text.partition(":")
    seed = whole_number(given)
    if language not in LANGUAGES or seed is None:
        raise ParameterError(f"stream: {text!r} is not allowed; write python:5 or r:1, the number being the seed")
    return LANGUAGES[language](seed)
