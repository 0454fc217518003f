"""A round of two dice as a table, made from the rules: where each total leads, from wherever the round stands.

The texts throw their dice by a function of their own, which a reader may replace; what a total does is for the rules.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy

from dicelab.engines.reference import asked, outcome_of
from dicelab.errors import ParameterError
from dicelab.rules.game import Game, fresh, position, reset
from dicelab.rules.steps import OVER, Throw

Table = list[dict[int, int]]
"""By standing, 0 being the beginning, and total: the next standing, or ``-1 - outcome`` where the round is over."""

TOTALS = range(2, 13)


def rounds(game: Game) -> Table:
    """The table of a game whose throws are totals of two dice.

    Examples
    --------
    >>> from dicelab.games.craps import PassLine
    >>> table = rounds(PassLine())
    >>> table[0][7], table[0][12], table[table[0][6]][7]
    (-1, -2, -2)
    """
    beginning = fresh(game)
    reset(beginning)
    standings, table = [beginning], list[dict[int, int]]()
    for standing in standings:  # it grows
        kind, _ = asked(standing, standing.next())
        assert isinstance(kind, Throw)
        table.append({})
        for total in TOTALS:
            after = deepcopy(standing)
            kind.rule(after, total)
            table[-1][total] = -1 - outcome_of(after) if after.next() == OVER else _number(standings, after)
    return table


def _number(standings: list[Game], game: Game) -> int:
    """The number of a standing, which is noted if it is new."""
    for number, known in enumerate(standings):
        if position(known) == position(game):
            return number
    standings.append(game)
    return len(standings) - 1


def ended(table: Table, throw: Callable[[], int], standing: int = 0) -> int:
    """Throw until a round is over; the number of its outcome.

    Raises
    ------
    ParameterError
        When a throw is no total of two dice.
    """
    while standing >= 0:
        total = throw()
        if total not in TOTALS:
            raise ParameterError(f"two dice come to 2 to 12, not {total!r}")
        standing = table[standing][total]
    return -1 - standing
