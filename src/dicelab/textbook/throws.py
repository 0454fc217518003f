"""Text 4: craps as classes: the outcomes that bets are made on, the 36 throws, and the game that they change.

Source: chapter "Throw Class" of Steven F. Lott, *Building Skills in Object-Oriented Design*, with its names. Where the
text contradicts itself or real craps, real craps was chosen: ``docs/texts/4-craps-throws.md`` has the table.

Examples
--------
>>> game = CrapsGame()
>>> for throw in (PointThrow(4, 2), NaturalThrow(3, 4)):
...     throw.updateGame(game)
...     print(throw, "|", game, "|", game.decided["Pass Line"] if "Pass Line" in game.decided else "undecided")
4,2 | 6 | undecided
3,4 | Point Off | lose
"""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

from dicelab.errors import ParameterError
from dicelab.rules.params import as_integer

WIN, LOSE, PUSH = "win", "lose", "push"
POINTS = (4, 5, 6, 8, 9, 10)
HARD = (4, 6, 8, 10)


@dataclass(frozen=True)
class Outcome:
    """Something to bet on, and what it pays; equal to every outcome of the same name.

    Parameters
    ----------
    name
        What the bet is on.
    numerator, denominator
        The odds: 27, 4 pays 27 for a bet of 4, which is returned as well.

    Examples
    --------
    >>> horn = Outcome("Horn", 27, 4)
    >>> str(horn), horn.winAmount(8), horn == Outcome("Horn", 3)
    ('Horn (27:4)', Fraction(54, 1), True)
    """

    name: str
    numerator: int = field(compare=False)
    denominator: int = field(default=1, compare=False)

    def __post_init__(self) -> None:
        numbers = as_integer(self.numerator), as_integer(self.denominator)
        if None in numbers or self.numerator < 0 or self.denominator < 1:
            told = f"{self.name}: odds of {self.numerator!r}:{self.denominator!r} are not allowed"
            raise ParameterError(f"{told}; both are whole numbers, the first not negative, the second above 0")

    @property
    def odds(self) -> Fraction:
        """What is won for each unit that is bet."""
        return Fraction(self.numerator, self.denominator)

    def winAmount(self, amount: Fraction | int) -> Fraction:
        """What a bet of this amount wins, without the bet itself."""
        return self.odds * amount

    def __str__(self) -> str:
        return f"{self.name} ({self.odds.numerator}:{self.odds.denominator})"


class Throw:
    """A throw of the two dice.

    Parameters
    ----------
    d1, d2
        The two dice, 1 to 6.
    *outcomes
        One-throw bets that win with it.

    Attributes
    ----------
    d1, d2
        The two dice.
    outcomes
        The frozenset of the outcomes, each with the odds that it pays on this throw.

    Raises
    ------
    ParameterError
        When a die is not 1 to 6, or the dice do not come to a total of this class.
    """

    totals: ClassVar[tuple[int, ...]] = tuple(range(2, 13))

    def __init__(self, d1: int, d2: int, *outcomes: Outcome) -> None:
        if total(d1, d2) not in self.totals:
            told = ", ".join(map(str, self.totals))
            raise ParameterError(f"{type(self).__name__}: {d1} and {d2} come to {d1 + d2}, which is none of {told}")
        self.d1 = d1
        self.d2 = d2
        self.outcomes = frozenset(outcomes)

    def key(self) -> tuple[int, int]:
        """The two dice."""
        return self.d1, self.d2

    def hard(self) -> bool:
        """Are the two dice equal?"""
        return self.d1 == self.d2

    def updateGame(self, game: CrapsGame) -> None:
        """Change the state of a game: one of `craps`, `natural`, `eleven` and `point` is called, with this throw."""
        throw_of(self.d1, self.d2).updateGame(game)

    def __str__(self) -> str:
        return f"{self.d1},{self.d2}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.d1}, {self.d2})"


class SortedThrow(Throw):
    """A throw of one of the four kinds, with the one-throw bets that it wins."""

    def __init__(self, d1: int, d2: int) -> None:
        super().__init__(d1, d2, *propositions(d1, d2))


class NaturalThrow(SortedThrow):
    """A throw of 7."""

    totals = (7,)

    def hard(self) -> bool:
        """No: 7 is odd."""
        return False

    def updateGame(self, game: CrapsGame) -> None:
        """Call the game's `natural`."""
        game.natural(self)


class CrapsThrow(SortedThrow):
    """A throw of 2, 3 or 12."""

    totals = (2, 3, 12)

    def hard(self) -> bool:
        """No: nobody can bet on 2 or 12 the hard way."""
        return False

    def updateGame(self, game: CrapsGame) -> None:
        """Call the game's `craps`."""
        game.craps(self)


class ElevenThrow(SortedThrow):
    """A throw of 11."""

    totals = (11,)

    def hard(self) -> bool:
        """No: 11 is odd."""
        return False

    def updateGame(self, game: CrapsGame) -> None:
        """Call the game's `eleven`."""
        game.eleven(self)


class PointThrow(SortedThrow):
    """A throw of 4, 5, 6, 8, 9 or 10; hard where the dice are equal."""

    totals = POINTS

    def updateGame(self, game: CrapsGame) -> None:
        """Call the game's `point`."""
        game.point(self.d1 + self.d2, self)


KINDS = (NaturalThrow, CrapsThrow, ElevenThrow, PointThrow)


def throw_of(d1: int, d2: int) -> Throw:
    """The throw of two dice, of the class that its total belongs to.

    Examples
    --------
    >>> throw_of(6, 5), [str(outcome) for outcome in sorted(throw_of(6, 5).outcomes, key=str)]
    (ElevenThrow(6, 5), ['Field (1:1)', 'Horn (3:1)', 'Number 11 (15:1)'])
    """
    return next(kind for kind in KINDS if total(d1, d2) in kind.totals)(d1, d2)


def total(d1: int, d2: int) -> int:
    """What two dice come to.

    Raises
    ------
    ParameterError
        When one of them is not 1 to 6.
    """
    for die in (d1, d2):
        if as_integer(die) not in range(1, 7):
            raise ParameterError(f"a die shows 1 to 6, not {die!r}")
    return d1 + d2


def propositions(d1: int, d2: int) -> list[Outcome]:
    """One-throw bets that win with these dice, and what they pay then.

    The bets are the eight of the text: on 2, 3, 7, 11 and 12, field, any craps and horn. Odds: Las Vegas, 2 and 12 pay
    double on the field.
    """
    thrown = total(d1, d2)
    found = []
    if thrown in (2, 3, 7, 11, 12):
        found.append(Outcome(f"Number {thrown}", {2: 30, 3: 15, 7: 4, 11: 15, 12: 30}[thrown]))
    if thrown in (2, 3, 4, 9, 10, 11, 12):
        found.append(Outcome("Field", 2 if thrown in (2, 12) else 1))
    if thrown in (2, 3, 12):
        found.append(Outcome("Any Craps", 7))
    if thrown in (2, 3, 11, 12):
        found.append(Outcome("Horn", 27, 4) if thrown in (2, 12) else Outcome("Horn", 3))
    return found


class CrapsGame:
    """The state of a game of craps, and what the last throw decided.

    Parameters
    ----------
    hardways_on_come_out
        House rule: can a come-out throw decide hardways? Yes in Las Vegas, no in Atlantic City and Pennsylvania.

    Attributes
    ----------
    current_point
        The point; None when it is off.
    decided
        What the last throw did to the bets that last longer than one throw, by the name of the bet: ``"win"``,
        ``"lose"`` or ``"push"``. Bets that it left alone are not there. On the numbers: ``Come Point 6``,
        ``Don't Come Point 6``; hardways: ``Hard 6``.

    Examples
    --------
    >>> game = CrapsGame()
    >>> CrapsThrow(6, 6).updateGame(game)
    >>> game.decided
    {'Pass Line': 'lose', "Don't Pass Line": 'push'}
    """

    def __init__(self, hardways_on_come_out: bool = True) -> None:
        self.hardways_on_come_out = hardways_on_come_out
        self.current_point: int | None = None
        self.decided: dict[str, str] = {}

    def craps(self, throw: Throw | None = None) -> None:
        """A throw of 2, 3 or 12; the point stays as it is.

        Parameters
        ----------
        throw
            The throw: 12 is barred, so that who bets against the shooter gets the bet back. Without it, 2 or 3.
        """
        barred = throw is not None and throw.d1 + throw.d2 == 12
        self._decide_line(LOSE, PUSH if barred else WIN)

    def natural(self, throw: Throw | None = None) -> None:
        """A throw of 7: with a point on, the shooter sevens out and every bet is decided; the point is off."""
        come_out = self.current_point is None
        self._decide_line(WIN, LOSE)
        if not come_out:
            self.decided |= {"Pass Line": LOSE, "Don't Pass Line": WIN}
        for number in POINTS:
            self._decide_number(number, LOSE, WIN)
        self._decide_hardways(come_out, dict.fromkeys(HARD, LOSE))
        self.current_point = None

    def eleven(self, throw: Throw | None = None) -> None:
        """A throw of 11; the point stays as it is."""
        self._decide_line(WIN, LOSE)

    def point(self, point: int, throw: Throw | None = None) -> None:
        """A throw of 4, 5, 6, 8, 9 or 10: the point is set, made, or stays as it is.

        Parameters
        ----------
        point
            The total.
        throw
            The throw, which tells the hard way from the easy one; without it hardways are left undecided.

        Raises
        ------
        ParameterError
            When the total is none of these.
        """
        if as_integer(point) not in POINTS:
            raise ParameterError(f"point: {point!r} is not allowed; it is 4, 5, 6, 8, 9 or 10")
        come_out = self.current_point is None
        self.decided = {}
        self._decide_number(point, WIN, LOSE)
        if throw is not None and point in HARD:
            self._decide_hardways(come_out, {point: WIN if throw.hard() else LOSE})
        if come_out:
            self.current_point = point
        elif point == self.current_point:
            self.decided |= {"Pass Line": WIN, "Don't Pass Line": LOSE}
            self.current_point = None

    def _decide_line(self, right: str, wrong: str) -> None:
        """Decide the bets for which this throw is a come-out: pass with the point off, come with the point on."""
        line = "Pass" if self.current_point is None else "Come"
        self.decided = {f"{line} Line": right, f"Don't {line} Line": wrong}

    def _decide_number(self, number: int, right: str, wrong: str) -> None:
        """Decide the come bets that have travelled to a number."""
        self.decided |= {f"Come Point {number}": right, f"Don't Come Point {number}": wrong}

    def _decide_hardways(self, come_out: bool, results: dict[int, str]) -> None:
        if self.hardways_on_come_out or not come_out:
            self.decided |= {f"Hard {number}": result for number, result in results.items()}

    def __str__(self) -> str:
        return "Point Off" if self.current_point is None else str(self.current_point)


class Dice:
    """The 36 throws of two dice, one of which is thrown at random.

    Parameters
    ----------
    rng
        Where chance comes from; Python's module `random` unless another is given.

    Attributes
    ----------
    throws
        Each throw by its two dice.
    rng
        Where chance comes from.

    Examples
    --------
    >>> dice = Dice(random.Random(1))
    >>> [str(dice.roll()) for _ in range(4)], len(dice.throws), dice.getThrow(2, 2).hard()
    (['2,3', '1,5', '3,5', '2,2'], 36, True)
    """

    def __init__(self, rng: random.Random | None = None) -> None:
        self.rng: Any = random if rng is None else rng
        self.throws: dict[tuple[int, int], Throw] = {}
        for d1 in range(1, 7):
            for d2 in range(1, 7):
                self.addThrow(throw_of(d1, d2))

    def addThrow(self, throw: Throw) -> None:
        """Add a throw; it takes the place of the one with the same dice."""
        self.throws[throw.key()] = throw

    def roll(self) -> Throw:
        """One of the throws, each as likely as the other."""
        dice: tuple[int, int] = self.rng.choice(list(self.throws))
        return self.throws[dice]

    def getThrow(self, d1: int, d2: int) -> Throw:
        """The throw with these dice.

        Raises
        ------
        ParameterError
            When there is none.
        """
        if (d1, d2) not in self.throws:
            raise ParameterError(f"there is no throw {d1!r},{d2!r}; a die shows 1 to 6")
        return self.throws[d1, d2]


def main(seed: int | None = None) -> int:
    """A shooter's hand, throw by throw: the dice, the point, and what was decided. The text has no program."""
    dice, game = Dice(random.Random(seed)), CrapsGame()
    print(f"{'throw':5}  {'point':9}  decided")
    while True:
        point = game.current_point
        throw = dice.roll()
        throw.updateGame(game)
        told = [f"{name} {result}" for name, result in game.decided.items() if name.endswith("Line")]
        told += [f"{outcome} win" for outcome in sorted(throw.outcomes, key=str)]
        print(f"{throw!s:5}  {game!s:9}  {', '.join(told)}".rstrip())
        if point is not None and isinstance(throw, NaturalThrow):
            return 0


if __name__ == "__main__":
    sys.exit(main())
