"""Dice and their exact distributions, in integer weights.

A die has faces; a face has a label, a value and a weight. A *view* says what the rules receive of several dice rolled
together: their total (`SUM`), how many show each face (`COUNTS`) or every die in order (`FACES`). The outcomes of a
roll are listed in one fixed order, because a random number selects an outcome by the cumulative weights in that order
(see ``docs/stream.md``):

======  =============================================  ========================================
view    what the rules receive                         order of the outcomes
======  =============================================  ========================================
SUM     one number                                     ascending
COUNTS  one number for each face, as declared          lexicographic in the tuple of counts
FACES   one value for each die, 0 for dice not rolled  lexicographic in the positions of faces
======  =============================================  ========================================
"""

from __future__ import annotations

import enum
import itertools
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from dicelab.errors import RulesError
from dicelab.rules.params import Expr, HasParameters, Size, value_of

LARGEST_VALUE = 2**31 - 1
"""Largest absolute value of a face."""
MOST_SIDES = 65_536
"""Limit of the sides of a fair die."""


class View(enum.Enum):
    """What the rules receive of dice rolled together."""

    SUM = "sum"
    COUNTS = "counts"
    FACES = "faces"


SUM, COUNTS, FACES = View.SUM, View.COUNTS, View.FACES


@dataclass(frozen=True)
class Face:
    """One face of a die: its label, its value, and its weight."""

    label: str
    value: int
    weight: Size = 1


class Die:
    """A die with named faces and integer weights, which may be parameters.

    Parameters
    ----------
    **weights
        Weight of each face, in the order in which `COUNTS` reports them. The values of the faces are 0, 1, 2, ...

    Raises
    ------
    RulesError
        When a weight is neither a whole number nor made of parameters.

    Examples
    --------
    >>> toss = Die(red=1, yellow=2, green=3)
    >>> [face.label for face in toss.faces]
    ['red', 'yellow', 'green']
    """

    def __init__(self, **weights: Size) -> None:
        for label, weight in weights.items():
            if isinstance(weight, bool) or not isinstance(weight, int | Expr):
                raise RulesError(
                    f"Die({label}={weight!r}): a weight is a whole number or a parameter; if a weight changes during "
                    "the game, declare a die for each value of it, each with a method under @thrown"
                )
        self.faces: tuple[Face, ...] = tuple(Face(label, i, w) for i, (label, w) in enumerate(weights.items()))

    @classmethod
    def made(cls, faces: Iterable[Face]) -> Die:
        """Return a die with these faces."""
        die = cls()
        die.faces = tuple(faces)
        return die

    @classmethod
    def of(cls, *values: int) -> Die:
        """Return a die with these face values; repeating a value adds to its weight: ``Die.of(2, 2, 4, 4, 9, 9)``.

        Raises
        ------
        RulesError
            When a value is not a whole number.
        """
        given: tuple[object, ...] = values
        for value in given:
            if isinstance(value, bool) or not isinstance(value, int) or abs(value) > LARGEST_VALUE:
                raise RulesError(f"Die.of({value!r}): the value of a face is a whole number, at most {LARGEST_VALUE:,}")
        die = cls()
        die.faces = tuple(Face(str(v), v, weight) for v, weight in sorted(Counter(values).items()))
        return die

    def weights(self, game: HasParameters) -> tuple[int, ...]:
        """Weight of each face for the parameters of `game`.

        Raises
        ------
        RulesError
            When a weight is negative or none is positive.
        """
        weights = tuple(value_of(face.weight, game) for face in self.faces)
        if not weights or min(weights) < 0 or sum(weights) == 0:
            names = ", ".join(f"{face.label} {w}" for face, w in zip(self.faces, weights, strict=True))
            raise RulesError(f"face weights must not be negative, and one must be above 0; they are: {names or 'none'}")
        return weights

    @property
    def words(self) -> str:
        """What it is, for people.

        >>> d(6).words, Die(red=1, blue=2).words
        ('d6', 'red, blue (weight 2)')
        """
        faces = self.faces
        if [(face.label, face.value, face.weight) for face in faces] == [
            (str(n), n, 1) for n in range(1, 1 + len(faces))
        ]:
            return f"d{len(faces)}"
        return ", ".join(face.label if face.weight == 1 else f"{face.label} (weight {face.weight})" for face in faces)

    def __repr__(self) -> str:
        fair = [face.value for face in self.faces if face.weight == 1]
        if self.faces and fair == [*range(1, 1 + len(self.faces))]:
            return f"d({len(fair)})"
        values = [face.label for face in self.faces if isinstance(face.weight, int) for _ in range(face.weight)]
        if {str(face.value) for face in self.faces} == set(values):
            return f"Die.of({', '.join(values)})"
        return "Die(" + ", ".join(f"{face.label}={face.weight}" for face in self.faces) + ")"


def d(sides: Size) -> Die:
    """Return a fair die with faces 1 to `sides`, which may be a parameter.

    With a parameter the die has as many faces as its largest value, and those above its value have the weight 0.

    Raises
    ------
    RulesError
        When `sides` is not a whole number, at least 1, or a parameter that is below 1.

    Examples
    --------
    >>> [face.value for face in d(4).faces]
    [1, 2, 3, 4]
    """
    if isinstance(sides, Expr):
        low, most = sides.reach
        if not 1 <= low <= most <= MOST_SIDES:
            raise RulesError(f"d({sides}): the number of sides is {low:,} to {most:,}; it must be 1 to {MOST_SIDES:,}")
        # 1 where a face is at most `sides`, else 0
        return Die.made(Face(str(n), n, 1 if n <= low else (sides + most - n) // most) for n in range(1, most + 1))
    number: object = sides
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= MOST_SIDES:
        raise RulesError(f"d({sides!r}): the number of sides is a whole number, 1 to {MOST_SIDES:,}")
    return Die.of(*range(1, sides + 1))


D6 = d(6)


@dataclass(frozen=True)
class RollOutcome:
    """One result of a roll as its view shows it, and its integer weight."""

    seen: tuple[int, ...]
    weight: int


def outcomes(die: Die, weights: tuple[int, ...], count: int, view: View, width: int) -> list[RollOutcome]:
    """Return every outcome of `count` dice with positive weight, in the order that the module documents.

    The weights sum to ``sum(weights)**count``.

    Parameters
    ----------
    die, weights
        The die and the weight of each of its faces.
    count
        Number of dice rolled together, at least 1.
    view
        What the rules receive.
    width
        How many numbers the rules receive (`FACES` pads with zeros).

    Examples
    --------
    >>> [(o.seen[0], o.weight) for o in outcomes(D6, (1,) * 6, 2, SUM, 1)][:3]
    [(2, 1), (3, 2), (4, 3)]
    """
    live = [(i, face.value, weights[i]) for i, face in enumerate(die.faces) if weights[i] > 0]
    if view is View.FACES:
        distribution = []
        for dice in itertools.product(live, repeat=count):
            weight = 1
            for _, _, w in dice:
                weight *= w
            distribution.append(RollOutcome(tuple(value for _, value, _ in dice) + (0,) * (width - count), weight))
        return distribution
    # Convolution, one die at a time: `table` holds the weight of each result of the dice so far.
    blank = (0,) if view is View.SUM else (0,) * width
    table = {blank: 1}
    for _ in range(count):
        after: dict[tuple[int, ...], int] = {}
        for seen, weight in table.items():
            for i, value, w in live:
                key = add_die(view, seen, i, value, 0)
                after[key] = after.get(key, 0) + weight * w
        table = after
    return [RollOutcome(seen, weight) for seen, weight in sorted(table.items())]


def add_die(view: View, seen: tuple[int, ...], face: int, value: int, position: int) -> tuple[int, ...]:
    """`seen` after one more die: `face` is the index of its face, `position` the index of the die in the roll."""
    if view is View.SUM:
        return (seen[0] + value,)
    place, new = (face, seen[face] + 1) if view is View.COUNTS else (position, value)
    return (*seen[:place], new, *seen[place + 1 :])


def outcome_count(faces: int, count: int, view: View, spread: int) -> int:
    """Return an upper bound on the number of outcomes of `count` dice; `spread` is the largest minus the smallest
    value.
    """
    if view is View.SUM:
        return min(spread * count + 1, int(faces**count))
    if view is View.FACES:
        return int(faces**count)
    total = 1  # multisets of `count` dice over `faces` faces: C(count + faces - 1, faces - 1)
    for k in range(1, faces):
        total = total * (count + k) // k
    return total
