"""The dice: the 36 throws, and a random choice among them."""

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
        """Add the 36 throws to the dice, each of its class and with the one-throw bets that it wins."""
        for d1 in range(1, 7):
            for d2 in range(1, 7):
                dice.addThrow(throw_of(d1, d2))


class Dice(RandomEventFactory[Throw]):
    """The 36 throws of two dice, from which `roll` chooses one at random.

    Parameters
    ----------
    rng
        Source of random numbers; Python's module `random` by default.

    Attributes
    ----------
    throws
        By pair of dice: the throw.
    rng
        Source of random numbers; its method `choice` is called with the list of all pairs of dice.
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
        """Replace all throws by the 36 throws of two dice."""
        self.throws: dict[tuple[int, int], Throw] = {}
        ThrowBuilder().buildThrows(self)

    def addThrow(self, throw: Throw) -> None:
        """Add a throw; it replaces the one with the same dice."""
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
        """Choose one of the throws, all equally likely."""
        dice: tuple[int, int] = self.rng.choice(list(self.throws))
        self.current = self.throws[dice]
        return self.current

    def roll(self) -> Throw:
        """Roll the dice: the same as `choose`."""
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
