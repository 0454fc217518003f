"""Combinations of place bets and the field that cover several numbers while there is a point.

By itself because a game's file has its rules and nothing else.
"""

from __future__ import annotations

from dicelab.extras.craps.spots import spot_named

COVERED = {
    "iron_cross": ("place_6", "place_8", "place_5", "field"),
    "place_6_8": ("place_6", "place_8"),
    "inside": ("place_6", "place_8", "place_5", "place_9"),
    "across": ("place_6", "place_8", "place_5", "place_9", "place_4", "place_10"),
}
"""The bets of each combination, by the names of their spots."""

COVERS = tuple(COVERED)
NAMES = ("place_6", "place_8", "place_5", "place_9", "place_4", "place_10", "field")
COVER = tuple(spot_named(name) for name in NAMES)
"""All their spots, in the order in which bets are made."""
WITHIN = tuple(int(name in bets) for bets in COVERED.values() for name in NAMES)
"""For each combination and each spot of `COVER`: 1 if the spot belongs to it."""
