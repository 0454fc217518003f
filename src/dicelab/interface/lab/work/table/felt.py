"""A table on which bets are placed by a click: its areas, the spots in each, and the money that lies there.

A craps table looks as in a casino. Any other game with a menu of bets (`Game.menu`) has one area for each group.

By itself because it places areas on a picture, and knows nothing of the game in play.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dicelab.errors import ParameterError
from dicelab.games.craps_bets.bet_names import called
from dicelab.games.craps_bets.refusals import SENTENCES, Reason
from dicelab.games.craps_bets.rolls import FACES
from dicelab.games.craps_bets.spots import COUNT, NUMBERS, PLACE_OF
from dicelab.games.craps_bets.view import Viewed
from dicelab.interface.play.asking.question import OpenChoice
from dicelab.interface.play.screen.hooks import menu_of
from dicelab.rules.actions import Decision
from dicelab.rules.game import Game
from dicelab.rules.loading.registry import bets_of

FIT = 20
"""A bet that the house does not take is raised by at most this much: a place bet of 10 on the 6 becomes one of 12."""
LINE = (
    ("come", ("come", "dont_come")),
    ("field", ("field", "big6", "big8")),
    ("dont", ("dont_pass", "dont_pass_odds")),
    ("pass", ("pass", "pass_odds")),
)
HARD = ("hard4", "hard6", "hard8", "hard10")
CENTRE = (
    ("hard ways", HARD),
    ("one roll", ("any7", "any_craps", "two", "three", "eleven", "twelve", "ce", "horn", "world", "hi_lo")),
    ("horn high", tuple(f"horn_high_{n}" for n in (2, 3, 11, 12))),
    ("hops", tuple(f"hop_{one}_{two}" for one in FACES for two in FACES if one <= two)),
    ("side bets", ("fire", "small", "tall", "all", *(f"repeater_{n}" for n in NUMBERS))),
)
OF_A_NUMBER = ("come_odds", "come", "dont_come_odds", "dont_come", "place", "buy", "lay", "place_lose")
SHOWN = ("place", "buy", "lay")
"""Spots of a number that are shown also while no bet may be made there."""
SHORT = {"place_lose": "lose", "come_odds": "odds", "dont_come": "don't", "dont_come_odds": "lay odds"}

Spot = dict[str, Any]


def felt(game: Game, decision: Decision) -> dict[str, Any] | None:
    """Return the table with its areas; None for a game without a menu of bets, which have a name and an amount.

    Each spot has the `bet` that is typed for it, a `label`, the `stake`, why it is `shut` (empty if it is open), and
    its name in the game that computes edges (`edge`).
    """
    found: dict[str, Any] = {"edges": bets_of(type(game)).name}
    if isinstance(game, Viewed) and game.player < game.players:
        table = {"kind": "craps", "puck": game.point, "purse": game.purse[game.player]}
        return found | table | {"numbers": _numbers(game), "line": _areas(game, LINE), "centre": _areas(game, CENTRE)}
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


def _spot(game: Viewed, name: str, label: str = "") -> Spot:
    """Return a spot of a craps table."""
    spot = PLACE_OF[name]
    reason = Reason(game.untimely(spot))
    return {
        "bet": name,
        "label": label or called(spot),
        "words": called(spot),
        "stake": game.bets[game.player * COUNT + spot],
        "shut": "" if reason == Reason.FINE else SENTENCES[reason],
        "edge": game.bet_id(spot),
        "there": not game.elsewhere(spot) and reason != Reason.NOT_OFFERED,
    }


def _areas(game: Viewed, areas: Iterable[tuple[str, tuple[str, ...]]]) -> list[dict[str, Any]]:
    """Return the areas with the spots that this table has."""
    found = []
    for name, names in areas:
        spots = [spot for spot in (_spot(game, one) for one in names) if spot["there"] or spot["stake"]]
        found += [{"name": name, "spots": spots}] if spots else []
    return found


def _numbers(game: Viewed) -> list[dict[str, Any]]:
    """Return the boxes of the numbers, each with its spots; bets that ride with a number are shown
    where there are any.
    """
    boxes = []
    for n in NUMBERS:
        spots = []
        for group in OF_A_NUMBER:
            if f"{group}_{n}" not in PLACE_OF:
                continue
            spot = _spot(game, f"{group}_{n}", SHORT.get(group, group))
            if spot["stake"] or (spot["there"] and group in SHOWN) or ("odds" in group and not spot["shut"]):
                spots.append(spot)
        if spots:
            boxes.append({"number": n, "spots": spots})
    return boxes
