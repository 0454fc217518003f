"""The dice: the 36 throws, and chance."""

from __future__ import annotations

from dicelab.errors import ParameterError
from dicelab.textbook.casino.chance import RandomEventFactory
from dicelab.textbook.casino.outcomes import Outcome
from dicelab.textbook.casino.throws import Throw, throw_of


class ThrowBuilder:
    """Builds the throws of dice.

    Examples
    --------
    >>> dice = Dice()
    >>> dice.throws.clear()
    >>> ThrowBuilder().buildThrows(dice)
    >>> len(dice.throws)
    36
    """

    def buildThrows(self, dice: Dice) -> None:
        """Give the dice their 36 throws, each of its class and with the one-throw bets that it wins."""
        for d1 in range(1, 7):
            for d2 in range(1, 7):
                dice.addThrow(throw_of(d1, d2))


class Dice(RandomEventFactory[Throw]):
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
        Where chance comes from: its method `choice` is handed the list of all pairs of dice.
    current
        The last throw; None before the first.

    Examples
    --------
    >>> import random
    >>> dice = Dice(random.Random(1))
    >>> [str(dice.roll()) for _ in range(4)], len(dice.throws), dice.getThrow(2, 2).hard()
    (['2,3', '1,5', '3,5', '2,2'], 36, True)
    """

    def initialize(self) -> None:
        """Make the 36 throws, in place of those that there are."""
        self.throws: dict[tuple[int, int], Throw] = {}
        ThrowBuilder().buildThrows(self)

    def addThrow(self, throw: Throw) -> None:
        """Add a throw; it takes the place of the one with the same dice."""
        self.throws[throw.key()] = throw

    def addOutcome(self, faces: tuple[int, int], outcome: Outcome) -> None:
        """Add a one-throw bet to those that win with a throw; see `Throw.add1Roll`.

        Raises
        ------
        ParameterError
            When there is no such throw.
        """
        self.getThrow(*faces).add1Roll([outcome])

    def choose(self) -> Throw:
        """One of the throws, each as likely as the other."""
        dice: tuple[int, int] = self.rng.choice(list(self.throws))
        self.current = self.throws[dice]
        return self.current

    def roll(self) -> Throw:
        """Throw the dice: the name that dice have for `choose`."""
        return self.choose()

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
