"""The limit on how often a loop of the rules goes round in compiled code, and the error where one reaches it.

Compiled code can't be interrupted, so a loop that never ends there would never return. Loops of the rules therefore
count: each call of a rule may go round its loops `MOST_ROUNDS` times.
"""

from __future__ import annotations

from collections.abc import Mapping

from dicelab.errors import EndlessGameError

MOST_ROUNDS = 10_000_000
"""Rounds of all loops of one call of a rule: milliseconds in compiled code, about a second in plain Python."""


class EndlessLoop(Exception):
    """Raised in compiled code: a loop reached `MOST_ROUNDS`. Its only argument is the key of the loop in `places`."""


def explained(error: EndlessLoop, game: str, places: Mapping[str, str], where: str = "") -> EndlessGameError:
    """The error for people.

    Parameters
    ----------
    error
        What compiled code raised.
    game
        Name of the game.
    places
        File, line and rule of each loop, by its key.
    where
        What was played, for the end of the sentence: the seed and the game.

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
