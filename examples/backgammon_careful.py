"""A player of backgammon that looks at all plays of a roll, and judges them by a few simple features."""

from __future__ import annotations

from backgammon import BAR, OFF, OTHER, Backgammon, moved, places_for

from dicelab.rules import strategy

POINT_WORTH = (0, 1, 2, 4, 5, 6, 6, 5, 4, 2, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 4, 5, 4, 2, 1, 0)
"""What `careful` thinks two checkers on a point are worth, in pips."""


def pips(table: list[int], first: int) -> int:
    """Return how far the checkers of a player are from being off; its places begin at `first`."""
    return sum(place * table[first + place] for place in range(1, BAR + 1))


def worth(table: list[int]) -> int:
    """Return what `careful` thinks of a play, in pips / 36: the lead, points that are made, checkers that may be hit.

    A checker alone on a point is hit by some 10 of 36 rolls from near, and by 3 from 7 to 12 pips away.
    """
    total = pips(table, OTHER) - pips(table, 0) + 4 * table[OFF]
    risk = 0
    for place in range(1, BAR):
        if table[place] > 1:
            total += POINT_WORTH[place]
        elif table[place] == 1:
            shots = 0
            for far in range(1, min(place, 12) + 1):
                if table[OTHER + BAR - place + far] > 0:
                    shots += 10 + far if far <= 6 else 3
            risk += min(shots, 36) * (BAR - place)
    return 36 * total - risk


def next_places(table: list[int], last: int, die: int, more: bool) -> list[int]:
    """Return the places, `last` or nearer, from which a die may be played; only 0, for no move, if none is left."""
    return [place for place in places_for(table, die) if more and place <= last] or [OFF]


def best_of_one(table: list[int], last: int, die: int, left: int) -> int:
    """Return what a play leads to that goes on with the best move by a die, if any is `left`."""
    return max(worth(moved(table, place, die)) for place in next_places(table, last, die, left > 0))


def best_of_two(table: list[int], last: int, die: int, left: int) -> int:
    """Return what a play leads to that goes on with two moves, checkers that are further back first."""
    return max(
        best_of_one(moved(table, place, die), place or last, die, left)
        for place in next_places(table, last, die, left > 1)
    )


def best_of_three(table: list[int], last: int, die: int, left: int) -> int:
    """Return what a play leads to that goes on with three moves."""
    return max(
        best_of_two(moved(table, place, die), place or last, die, left)
        for place in next_places(table, last, die, left > 2)
    )


@strategy(Backgammon)
def careful(game: Backgammon) -> tuple[int, int]:
    """Look at all plays of the roll; go for the lead in pips, make points, and leave few checkers alone."""
    table = game.table()
    left = sum(game.dice) - 1
    best, where, which = -(10**9), 0, 0
    for place, die in game.possible():
        other = max(number if game.dice[number - 1] > (number == die) else 0 for number in range(1, 7))
        value = best_of_three(moved(table, place, die), place if other == die else BAR, other, left)
        if value > best:
            best, where, which = value, place, die
    return where, which
