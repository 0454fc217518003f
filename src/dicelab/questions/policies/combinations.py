"""Choices for which all combinations of values are tried although few are allowed, and the kind that is faster."""

from __future__ import annotations

from collections import defaultdict
from math import prod
from random import Random

from dicelab.rules.actions import LISTABLE, Decision
from dicelab.rules.game import Game, fresh, seat_count
from dicelab.runtime.interpreter import steps
from dicelab.runtime.philox import Stream

MANY, FEW = 200, 0.1
"""A choice of at least so many combinations, of which at most this share is allowed on average, gets a remark."""
GAMES, CHOICES, LONGEST = 5, 40, 2000
"""Random games that are played, choices that are looked at in each, and their longest length."""


class _EnoughChoices(Exception):
    """No more choices of a game are looked at."""


def slow_choices(game: Game) -> list[str]:
    """Return a sentence for each choice that would be faster if its moves were listed; found by playing random games.

    >>> from dicelab.games.yahtzee import Yahtzee
    >>> slow_choices(Yahtzee())
    []
    """
    tried = {kind: prod(high - low + 1 for low, high in kind.spans(game)) for kind in game.declared.decisions}
    tried = {kind: n for kind, n in tried.items() if not kind.lists and MANY <= n <= LISTABLE}
    if not tried:
        return []
    dice, allowed = Random(0), defaultdict[Decision, list[int]](list)
    for number in range(GAMES):
        left = iter(range(CHOICES))

        def choose(table: Game, kind: Decision, seat: int, left: object = left) -> tuple[int, ...]:
            moves = kind.listing(table)
            if not moves or next(left, None) is None:  # type: ignore[call-overload]
                raise _EnoughChoices
            if kind in tried:
                allowed[kind].append(len(moves))
            return dice.choice(moves)

        try:
            for _ in steps(fresh(game), [choose] * max(1, seat_count(game)), Stream(0, number), LONGEST):
                pass
        except _EnoughChoices:
            pass
    found = [(kind, n, sum(allowed[kind]) / len(allowed[kind])) for kind, n in tried.items() if allowed[kind]]
    return [
        f"{kind.name} tries {n:,} combinations of values in each state, and about {mean:.3g} are allowed: moves=, or "
        f"@kept for dice, would be faster (docs/moves.md)"
        for kind, n, mean in found
        if mean <= FEW * n
    ]
