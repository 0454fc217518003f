"""A table on which bets are placed by a click: its areas, the spots in each, and the money that lies there.

A game may register what its table looks like, as craps does. Any other game with a menu of bets (`Game.menu`) has one
area for each group.

By itself because it places areas on a picture, and knows nothing of the game in play.
"""

from __future__ import annotations

from typing import Any

from dicelab.errors import ParameterError
from dicelab.interface.play.asking.question import OpenChoice
from dicelab.interface.play.screen.hooks import menu_of
from dicelab.rules.actions import Decision
from dicelab.rules.game import Game
from dicelab.rules.loading.registry import bets_of, entry_points

GROUP = "dicelab.tables"
"""Entry points, by the name of a game, which also holds for games that inherit from it: functions that return what its
table shows, given the game; None where that is nothing.
"""
FIT = 20
"""A bet that the house does not take is raised by at most this much: a place bet of 10 on the 6 becomes one of 12."""
Spot = dict[str, Any]


def felt(game: Game, decision: Decision) -> dict[str, Any] | None:
    """Return the table with its areas; None for a game without a menu of bets, which have a name and an amount.

    Each spot has the `bet` that is typed for it, a `label`, the `stake`, why it is `shut` (empty if it is open), and
    its name in the game that computes edges (`edge`).
    """
    found: dict[str, Any] = {"edges": bets_of(type(game)).name}
    names = [getattr(kind, "name", "") for kind in type(game).__mro__]
    for point in entry_points(GROUP):
        if point.name in names and (looks := point.load()(game)) is not None:
            return {**found, **looks}
    menu = menu_of(game)
    if not menu or len(decision.kinds) != len(("name", "amount")):
        return None
    groups = [{"name": title, "spots": [_plain(*pair) for pair in bets.items()]} for title, bets in menu.items()]
    return found | {"kind": "menu", "centre": groups}


def placed(question: OpenChoice, bet: str, amount: int) -> tuple[int, ...]:
    """Return the move that bets an amount, or the next higher one that is allowed.

    Raises
    ------
    ParameterError
        When the bet is not allowed with any of these amounts; the message is about the first.
    """
    refused: ParameterError | None = None
    for more in range(FIT + 1):
        try:
            move = question.extended((), f"{bet} {amount + more}")
        except ParameterError as error:
            refused = refused or error
            continue
        if len(move) == len(question.decision.kinds):
            return move
    raise refused or ParameterError(f"{bet} {amount}: this is not a bet")


def _plain(name: str, edge: str) -> Spot:
    """Return a bet of a menu."""
    return {"bet": name, "label": name, "stake": 0, "shut": "", "edge": edge, "words": name}
