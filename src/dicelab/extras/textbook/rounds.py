"""A round of two dice as a transition table, made from the rules: for each state and total, the next state.

The texts roll dice by functions of their own, which a reader may replace; the table has only the effects of the totals.
"""

from __future__ import annotations

from collections.abc import Callable

from dicelab.errors import ParameterError
from dicelab.rules.game import Game
from dicelab.runtime.lineup import Run
from dicelab.runtime.philox import pool
from dicelab.runtime.states.explorer import StateExplorer

Transitions = list[dict[int, int]]
"""By state (0 is the initial one) and total: the next state, or ``-1 - outcome`` if the round is over."""

TOTALS = range(2, 13)


def rounds(game: Game) -> Transitions:
    """Return the table of a game that rolls two dice and uses their total.

    Examples
    --------
    >>> from dicelab.games.pass_line import PassLine
    >>> table = rounds(PassLine())
    >>> table[0][7], table[0][12], table[table[0][6]][7]
    (-1, -2, -2)
    """
    explorer, table = StateExplorer(Run(game, ())), Transitions()
    for here in explorer.positions.things:  # it grows
        kind, dice = explorer.throw_at(here)
        ends = {outcome.seen[0]: explorer.follow(kind, outcome.seen) for outcome in pool(game, kind, dice).outcomes}
        table.append({total: end[0] for total, end in ends.items()})
    return table


def ended(table: Transitions, throw: Callable[[], int], standing: int = 0) -> int:
    """Roll by `throw` until a round is over, from the state `standing`; return the number of the outcome.

    Raises
    ------
    ParameterError
        When a roll is not a total of two dice.

    Examples
    --------
    >>> from dicelab.games.pass_line import PassLine
    >>> rolled = iter([4, 11, 7])
    >>> PassLine.outcomes[ended(rounds(PassLine()), lambda: next(rolled))]
    'lose'
    """
    while standing >= 0:
        total = throw()
        if total not in TOTALS:
            raise ParameterError(f"two dice come to 2 to 12, not {total!r}")
        standing = table[standing][total]
    return -1 - standing
