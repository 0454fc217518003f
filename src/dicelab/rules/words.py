"""How a game looks and what its things are called, as plain data in its file; rules never depend on it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Words:
    """What the things of a game are called, for every surface; all of it may be left out.

    Attributes
    ----------
    players
        What the seats are called, in their order: ``("shooter",)``. Without names they are player 1, player 2
        and so on.

    Examples
    --------
    >>> Words(players=("caster",)).players
    ('caster',)
    """

    players: Sequence[str] = ()


def player_name(seat: int, players: Sequence[str] = ()) -> str:
    """What a seat is called where people read: its name, or its number counted from 1.

    >>> player_name(0), player_name(1, ("white", "black"))
    ('player 1', 'black')
    """
    return players[seat] if seat < len(players) else f"player {seat + 1}"


def player_typed(text: str, seats: int, players: Sequence[str] = ()) -> int | None:
    """The seat that a typed label means: a name, or ``player 2`` for seat 1; None if it is no label.

    >>> player_typed("player 2", 4), player_typed("Black", 2, ("white", "black")), player_typed("player 5", 4)
    (1, 1, None)
    >>> player_typed("1", 4) is None  # a bare number is no label
    True
    """
    folded = re.sub(r"[ _-]+", " ", text).strip().lower()
    for seat, name in enumerate(players):
        if folded == name.lower():
            return seat
    numbered = re.fullmatch(r"player ?(\d{1,9})", folded)
    seat = int(numbered[1]) - 1 if numbered else -1
    return seat if 0 <= seat < seats else None
