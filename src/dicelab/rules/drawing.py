"""Rolls of more than dice that are alike: different dice in one roll, weights that depend on the state, and a bag."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import accumulate
from math import prod
from operator import mul
from typing import Any

from dicelab.errors import RangeError, RulesError
from dicelab.rules.actions import ALL, Rule, Throw
from dicelab.rules.dice import COUNTS, FACES, SUM, Die, Face, View
from dicelab.rules.fields import Grid, Ints, Traced
from dicelab.rules.params import Expr, HasParameters, Size, reach_of, value_of

MOST_MIXED = 1024
"""Limit on the different numbers of dice that a roll of different dice may be of."""
MOST_TOTAL = 512
"""The largest sum of weights that depend on the state, and the most things in a bag."""


class Mixed(Throw):
    """A kind of roll of different dice, declared with `mixed`; `die` has the faces of all of them, one after the other.

    In a step, the numbers of dice are one number in mixed radix: those of the first die change fastest.
    """

    def __init__(self, parts: dict[str, tuple[Size, Die]], view: View, rule: Rule) -> None:
        faces = [(name, face) for name, (_, die) in parts.items() for face in die.faces]
        labels = [f"{name}: {face.label}" if view is COUNTS else face.label for name, face in faces]
        every = Die.made(Face(label, face.value, face.weight) for label, (_, face) in zip(labels, faces, strict=True))
        first, *others = (most for most, _ in parts.values())
        super().__init__(sum(others, first), every, view, rule)
        self.parts = parts
        self.strides = tuple(accumulate([1, *(reach_of(most)[1] + 1 for most, _ in parts.values())][:-1], mul))

    @property
    def words(self) -> str:
        """Its dice in words, by kind."""
        return ", ".join(f"{name}: up to {most} of {die.words}" for name, (most, die) in self.parts.items())

    def most_each(self, game: HasParameters) -> tuple[int, ...]:
        """Return the largest number of dice of each kind."""
        return tuple(value_of(most, game) for most, _ in self.parts.values())

    def numbers(self, game: HasParameters) -> int:
        """Return the largest number that stands for some of the dice."""
        return sum(map(mul, self.most_each(game), self.strides))

    def counts(self, game: HasParameters, number: int) -> tuple[int, ...]:
        """Return how many dice of each kind a number in a step stands for."""
        if number == ALL:
            return self.most_each(game)
        radix = (reach_of(most)[1] + 1 for most, _ in self.parts.values())
        return tuple(number // stride % each for each, stride in zip(radix, self.strides, strict=True))

    def dice_seen(self, seen: Sequence[int], count: int) -> tuple[int, ...]:
        """As in `Throw`: a die that wasn't rolled is seen as 0."""
        return tuple(value for value in seen if value)

    def asked(self, dice: int | None, each: dict[str, int]) -> int:
        """Return the number in a step that rolls so many of each kind of dice; those left out aren't rolled."""
        if dice is not None or set(each) - set(self.parts):
            kinds = ", ".join(f"{name}={most}" for name, (most, _) in self.parts.items())
            raise RulesError(f"throw(self.{self.name}, ...): its dice are named: throw(self.{self.name}, {kinds})")
        if not each:
            return ALL
        number = 0
        for (name, (most, _)), stride in zip(self.parts.items(), self.strides, strict=True):
            high = reach_of(most)[1]
            if not 0 <= each.get(name, 0) <= high:
                raise RangeError(f"{self.name}: {each[name]} dice of {name} can't be rolled, but 0 to {high}")
            number += each.get(name, 0) * stride
        if number == 0:
            raise RangeError(f"{self.name}: no dice are rolled")
        return number


class Drawn(Throw):
    """A kind of roll of one thing whose weights depend on the state, declared with `weighted` or `drawn`.

    Compiled code draws a number below the sum of the weights, which is the number of dice in a step, and finds the face
    by the weights.
    """

    varies = True

    def __init__(self, die: Die, total: Size, weights: Callable[..., Any] | None, bag: Ints | None, rule: Rule) -> None:
        super().__init__(1, die, FACES, rule)
        self.total = total
        self.loads = weights
        self.bag = bag

    @property
    def words(self) -> str:
        """What may be drawn, in words, and by what."""
        how = f"drawn from {self.bag.name}" if self.bag is not None else "weights depend on the state"
        return f"{', '.join(face.label for face in self.die.faces)} ({how})"

    @property
    def sizes(self) -> tuple[Size, ...]:
        """As in `Throw`, and the largest sum of the weights."""
        return *super().sizes, self.total

    def numbers(self, game: HasParameters) -> int:
        """Return the largest sum of the weights.

        Raises
        ------
        RulesError
            When it is more than can be drawn.
        """
        return _possible(value_of(self.total, game), f"{self.name}: ")

    def asked(self, dice: int | None, each: dict[str, int]) -> int:
        """Return the number in a step: always that for all dice, because one thing is drawn."""
        if dice is not None or each:
            raise RulesError(f"throw(self.{self.name}) draws one; next asks for each draw that follows")
        return ALL

    def weights(self, game: Any) -> tuple[int, ...]:
        """Return the weight of each face now.

        Raises
        ------
        RulesError
            When there is not one weight for each face, one is negative, or their sum is 0 or more than declared.
        """
        given = game.__dict__[self.bag.name] if self.bag is not None else self.loads(game) if self.loads else ()
        weights = tuple(given) if isinstance(given, tuple | list) else (given,)
        if len(weights) != len(self.die.faces) or not all(isinstance(weight, int | Traced) for weight in weights):
            raise RulesError(f"{self.name}: {list(weights)} are not the weights of {len(self.die.faces)} faces")
        if min(weights) < 0 or not 1 <= sum(weights) <= self.numbers(game):
            what = (
                "nothing is left in the bag" if self.bag is not None and sum(weights) == 0 else "no weights to draw by"
            )
            raise RulesError(
                f"{self.name}: {what}: the weights are {list(weights)}, which must not be negative, and add up to 1 to "
                f"{self.numbers(game)}"
            )
        return tuple(int(weight) for weight in weights)

    @property
    def run(self) -> Rule:
        """What the draw does to a game: the thing drawn leaves the bag, then the method receives it."""
        return self._take if self.bag is not None else self.rule

    def _take(self, game: Any, value: int) -> None:
        assert self.bag is not None
        face = next(i for i, face in enumerate(self.die.faces) if face.value == value)
        game.__dict__[self.bag.name][face] -= 1
        self.rule(game, value)


def _possible(total: int, what: str) -> int:
    """Return the largest sum of weights; `what` is drawn, for messages.

    Raises
    ------
    RulesError
        When it is more than can be drawn.
    """
    if not 1 <= total <= MOST_TOTAL:
        raise RulesError(f"{what}weights may add up to {total}; declare total=, from 1 to {MOST_TOTAL}")
    return total


@lru_cache(maxsize=4096)
def loaded(die: Die, weights: tuple[int, ...]) -> Die:
    """Return the die with other weights."""
    return Die.made(Face(face.label, face.value, w) for face, w in zip(die.faces, weights, strict=True))


@lru_cache(maxsize=4096)
def numbered(faces: int) -> Die:
    """Return a die that shows 0 to ``faces - 1``."""
    return Die.of(*range(faces))


def _must_be_view(view: object) -> None:
    if not isinstance(view, View):
        raise RulesError(f"@mixed: {view!r} is not a view of dice; use SUM, COUNTS or FACES")


def mixed(view: View = SUM, **dice: tuple[Size, Die]) -> Callable[[Rule], Mixed]:
    """Declare a roll of different dice; the decorated method receives them as in `thrown`.

    Parameters
    ----------
    view
        `SUM`: the total of all dice. `FACES`: the dice of the first kind, with a 0 for each that isn't rolled, then
        those of the second. `COUNTS`: how many dice of the first kind show each of its faces, then of the second.
    **dice
        For each kind of dice its name, the largest number of dice (a number, or an expression of parameters), and the
        die.

    Raises
    ------
    RulesError
        When a kind of dice is not written in this way.

    Examples
    --------
    ::

        @mixed(d4=(1, d(4)), d6=(2, D6))
        def cup(self, total: int) -> None: ...

    ``next`` returns ``throw(self.cup, d4=1, d6=2)``, or ``throw(self.cup)`` for all dice.
    """
    _must_be_view(view)
    named: dict[str, Any] = dict(dice)
    for name, one in named.items():
        parts: tuple[Any, ...] = one if isinstance(one, tuple) else (one,)
        known = len(parts) == 2 and isinstance(parts[0], int | Expr) and not isinstance(parts[0], bool)
        if not known or not isinstance(parts[1], Die):
            raise RulesError(
                f"@mixed({name}={one!r}): write how many dice there are at most, a number or made of parameters, and "
                "the die: (2, D6)"
            )
        if reach_of(parts[0])[1] < 1:
            raise RulesError(f"@mixed({name}=({parts[0]}, ...)): that is never a die; the number of dice is 1 or more")
        if view is FACES and any(face.value == 0 for face in parts[1].faces):
            raise RulesError(f"@mixed({name}=...): a face is 0, which stands for a die that isn't rolled; see COUNTS")
    if len(dice) < 2:
        raise RulesError("@mixed(...): name two or more kinds of dice: @mixed(d4=(1, d(4)), d6=(2, D6))")
    if prod(reach_of(most)[1] + 1 for most, _ in dice.values()) > MOST_MIXED:
        raise RulesError(
            f"@mixed(...): more than {MOST_MIXED:,} numbers of dice can be asked for; declare several rolls"
        )
    return lambda rule: Mixed(dice, view, rule)


def weighted(die: Die, weights: Callable[..., Any], total: Size) -> Callable[[Rule], Drawn]:
    """Declare a roll of one die whose weights depend on the state; the decorated method receives the face.

    Parameters
    ----------
    die
        The die: its faces, and their values. Its own weights are not used.
    weights
        A method, defined above, that returns a tuple with the weight of each face now.
    total
        The largest sum of the weights, at most 512; may use parameters.

    Raises
    ------
    RulesError
        When an argument is of another kind, or the sum of the weights too large.

    Examples
    --------
    ::

        def loads(self) -> tuple[int, int]:
            return self.red, 10 - self.red


        @weighted(Die(red=1, blue=1), loads, 10)
        def ball(self, face: int) -> None: ...
    """
    given: tuple[object, object, object] = die, weights, total
    if not isinstance(given[0], Die) or not callable(given[1]):
        raise RulesError(
            "@weighted(...): write the die and the method that returns its weights: @weighted(D6, loads, 36)"
        )
    if not isinstance(given[2], int | Expr) or isinstance(given[2], bool):
        raise RulesError(
            f"@weighted(..., {total!r}): the largest sum of the weights is a whole number, or of parameters"
        )
    if isinstance(total, int):
        _possible(total, "@weighted(...): ")
    return lambda rule: Drawn(die, total, weights, None, rule)


def drawn(bag: Ints, die: Die | None = None, total: Size | None = None) -> Callable[[Rule], Drawn]:
    """Declare a draw from a bag or deck, without replacement; the decorated method receives what was drawn.

    What is drawn is taken out of the bag before the method is called. To put it back, add to the row:
    ``self.bag[thing] += 1``. Each draw is a roll of its own, in order.

    Parameters
    ----------
    bag
        The row, declared above, with how many of each thing are left; its range begins at 0.
    die
        The names and values of the things, as the faces of a die; 0, 1, 2, ... without it. Its weights are not used.
    total
        The most things in the bag, at most 512; otherwise what the range of the row allows.

    Raises
    ------
    RulesError
        When an argument is of another kind, or the bag may hold too much.

    Examples
    --------
    ::

        bag = Ints(3, 0, 6, "dice in the cup: green, yellow, red")


        @drawn(bag, Die(green=1, yellow=1, red=1))
        def draw(self, colour: int) -> None: ...
    """
    given: tuple[object, object] = bag, die
    if not isinstance(given[0], Ints) or isinstance(given[0], Grid) or not isinstance(bag.length, int):
        raise RulesError(f"@drawn({bag!r}): name the row, of fixed length, that says what is left: Ints(3, 0, 6)")
    if bag.low != 0:
        raise RulesError("@drawn(...): the range of the row with how many are left begins at 0")
    if die is not None and not (isinstance(given[1], Die) and len(die.faces) == bag.length):
        raise RulesError(f"@drawn(..., {die!r}): write a die with one face for each of the {bag.length} things")
    most = bag.high * bag.length if total is None else total
    if isinstance(most, int):
        _possible(most, "@drawn(...): ")
    return lambda rule: Drawn(die or numbered(bag.length), most, None, bag, rule)
