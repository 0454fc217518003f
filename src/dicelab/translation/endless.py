"""The limit on iterations of the loops of a rule in compiled code, and the error for a rule that reaches it.

Compiled code can't be interrupted, so a loop without end would never return. Therefore loops of rules count their
iterations: one call of a rule may make `MOST_ROUNDS` in all its loops together.
"""

from __future__ import annotations

from collections.abc import Mapping

from dicelab.errors import EndlessGameError

MOST_ROUNDS = 10_000_000
"""Limit on the iterations in one call of a rule: milliseconds in compiled code, about a second in plain Python."""


class EndlessLoop(Exception):
    """Raised by compiled code where a loop exceeds `MOST_ROUNDS`; its argument is the key of the loop in `places`."""


def explained(error: EndlessLoop, game: str, places: Mapping[str, str], where: str = "") -> EndlessGameError:
    """Return the error to show to the user for an `EndlessLoop`.

    Parameters
    ----------
    error
        The error that compiled code raised.
    game
        Name of the game.
    places
        File, line and rule of each loop, by its key.
    where
        End of the sentence: the seed and the game index.

    Examples
    --------
    >>> print(
    ...     explained(
    ...         EndlessLoop("game_0_next:2"), "pig", {"game_0_next:2": "pig.py, line 7, next"}, "; seed 1, game 3"
    ...     )
    ... )
    pig: a loop went round 10,000,000 times in one call (pig.py, line 7, next); make sure that it ends; seed 1, game 3
    """
    loop = places.get(str(error.args[0]), "in its rules")
    return EndlessGameError(
        f"{game}: a loop went round {MOST_ROUNDS:,} times in one call ({loop}); make sure that it ends{where}"
    )
