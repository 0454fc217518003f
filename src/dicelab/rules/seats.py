"""Neighbours at a round table: seats are 0, 1, 2, ... to the right, and the highest number sits left of seat 0."""

from __future__ import annotations


def right_of(seat: int, players: int) -> int:
    """Return the seat to the right, which plays next.

    >>> right_of(0, 4), right_of(3, 4)
    (1, 0)
    """
    return seat + 1 if seat + 1 < players else 0


def left_of(seat: int, players: int) -> int:
    """Return the seat to the left.

    >>> left_of(0, 4), left_of(3, 4)
    (3, 2)
    """
    return seat - 1 if seat > 0 else players - 1
