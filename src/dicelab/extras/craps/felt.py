"""The table of craps in the lab: its areas, the spots in each, and the money that lies there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dicelab.extras.craps.bet import FACES
from dicelab.extras.craps.bet_names import called
from dicelab.extras.craps.spots import COUNT, NUMBERS, PLACE_OF
from dicelab.extras.craps.table_rules import SENTENCES, Reason
from dicelab.extras.craps.view import Viewed

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


def table(game: Viewed) -> dict[str, Any] | None:
    """Return the table as it looks in a casino; None where nobody bets. Spots are described in the lab's `felt`."""
    if game.player >= game.players:
        return None
    shown = {"kind": "craps", "puck": game.point, "purse": game.purse[game.player]}
    return shown | {"numbers": _numbers(game), "line": _areas(game, LINE), "centre": _areas(game, CENTRE)}


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
    drawn = []
    for name, names in areas:
        spots = [spot for spot in (_spot(game, one) for one in names) if spot["there"] or spot["stake"]]
        drawn += [{"name": name, "spots": spots}] if spots else []
    return drawn


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
