"""Ways to cover numbers while a point stands: place bets that one makes together, and the field."""

from __future__ import annotations

from dicelab.craps.spots import spot_named

COVERED = {
    "iron_cross": ("place_6", "place_8", "place_5", "field"),
    "place_6_8": ("place_6", "place_8"),
    "inside": ("place_6", "place_8", "place_5", "place_9"),
    "across": ("place_6", "place_8", "place_5", "place_9", "place_4", "place_10"),
}
"""The bets of each way, by the names of their spots."""

COVERS = tuple(COVERED)
NAMES = ("place_6", "place_8", "place_5", "place_9", "place_4", "place_10", "field")
COVER = tuple(spot_named(name) for name in NAMES)
"""Every spot of them, in the order in which bets are made."""
WITHIN = tuple(int(name in bets) for bets in COVERED.values() for name in NAMES)
"""For each way, 1 for the spots of `COVER` that belong to it."""
