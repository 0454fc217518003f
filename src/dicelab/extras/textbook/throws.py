"""Text 4: craps as classes: outcomes, the 36 throws of two dice, and the game whose state they change.

Source: chapter "Throw Class" of Steven F. Lott, *Building Skills in Object-Oriented Design*, with its names. Where the
text contradicts itself or real craps, real craps was chosen: ``docs/texts/4-craps-throws.md`` has the table. The book's
other classes, with a game that has a table, are in `dicelab.extras.textbook.casino`.

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

from dicelab.extras.craps.bet import POINTS
from dicelab.extras.textbook.casino.craps_game import Dice, ThrowBuilder
from dicelab.extras.textbook.casino.house import HARDWAYS, STAYS, puck, verdict
from dicelab.extras.textbook.casino.outcomes import Outcome
from dicelab.extras.textbook.casino.throws import (
    CrapsThrow,
    ElevenThrow,
    NaturalThrow,
    PointThrow,
    Throw,
    easy_throw,
    throw_of,
)

__all__ = [
    "CrapsGame",
    "CrapsThrow",
    "Dice",
    "ElevenThrow",
    "NaturalThrow",
    "Outcome",
    "PointThrow",
    "Throw",
    "ThrowBuilder",
    "throw_of",
]

PASS, COME = ("Pass Line", "Don't Pass Line"), ("Come Line", "Don't Come Line")
TRAVELLED = [f"{line} Point {number}" for number in POINTS for line in ("Come", "Don't Come")]


class CrapsGame:
    """The state of a game of craps, and what the last throw decided.

    Parameters
    ----------
    hardways_on_come_out
        House rule: whether a come-out roll can decide hardways. True in Las Vegas, false in Atlantic City and
        Pennsylvania.

    Attributes
    ----------
    current_point
        The point; None when it is off.
    decided
        By name of a bet that lasts longer than one roll: ``"win"``, ``"lose"`` or ``"push"``, if the last roll decided
        it. Bets on numbers are called ``Come Point 6`` and ``Don't Come Point 6``, hardways ``Hard 6``.

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
        """Take a throw of 2, 3 or 12; the point stays as it is.

        Parameters
        ----------
        throw
            The throw. A 12 is barred: bets against the shooter are returned. If None, 2 or 3.
        """
        self._thrown(throw or CrapsThrow(1, 1))

    def natural(self, throw: Throw | None = None) -> None:
        """Take a throw of 7: with a point on, the shooter sevens out and every bet is decided; the point is off."""
        self._thrown(throw or NaturalThrow(3, 4))

    def eleven(self, throw: Throw | None = None) -> None:
        """Take a throw of 11; the point stays as it is."""
        self._thrown(throw or ElevenThrow(5, 6))

    def point(self, point: int, throw: Throw | None = None) -> None:
        """Take a throw of 4, 5, 6, 8, 9 or 10: the point is set, made, or stays as it is.

        Parameters
        ----------
        point
            The total.
        throw
            The throw, which may be hard or easy; if None, hardways are left undecided.

        Raises
        ------
        ParameterError
            When the total is none of these.
        """
        self._thrown(throw or easy_throw(point), hardways=throw is not None)

    def _thrown(self, throw: Throw, hardways: bool = True) -> None:
        """Decide every possible bet by the rules of the house, and move the point."""
        before = self.current_point
        names = [*PASS, *TRAVELLED] if before is None else [*COME, *PASS, *TRAVELLED]
        names += HARDWAYS if hardways else ()
        verdicts = {name: verdict(name, before, throw.key(), self.hardways_on_come_out) for name in names}
        self.decided = {name: one.result for name, one in verdicts.items() if one.result != STAYS}
        self.current_point = puck(before, throw.key())

    def __str__(self) -> str:
        return "Point Off" if self.current_point is None else str(self.current_point)


def main(seed: int | None = None) -> int:
    """Print a shooter's hand, roll by roll: the dice, the point, and the decided bets. The text has no program."""
    dice, game = Dice(random.Random(seed)), CrapsGame()
    print(f"{'throw':5}  {'point':9}  decided")
    while True:
        point = game.current_point
        throw = dice.roll()
        throw.updateGame(game)
        decided = [f"{name} {result}" for name, result in game.decided.items() if name.endswith("Line")]
        decided += [f"{outcome} win" for outcome in sorted(throw.outcomes, key=str)]
        print(f"{throw!s:5}  {game!s:9}  {', '.join(decided)}".rstrip())
        if point is not None and isinstance(throw, NaturalThrow):
            return 0


if __name__ == "__main__":
    sys.exit(main())
