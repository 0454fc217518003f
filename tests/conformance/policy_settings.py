"""Settings of games whose policies are compared."""

from __future__ import annotations

CRAPS: dict[str, object] = {
    **{"bankroll": 2, "minimum": 1, "maximum": 1, "until_rounds": 1, "changes_at_most": 2, "offers": "lines_only"},
    **{"odds": "1x", "stop_win": 1},
}
"""A table at which there is little to choose."""


# What is wanted, and parameters with which there are few positions.
SETTINGS: dict[str, tuple[str | None, dict[str, object]]] = {
    "backgammon": (None, {"setup": "bear-off", "checkers": 1}),
    "bear-off": ("fewest:rolls", {"on_6": 1}),
    "bear-off-race": (None, {"checkers": 1}),
    "cant-stop": ("fewest:turns", {"sides": 2}),
    "cant-stop-race": (None, {"sides": 2, "shortest": 1, "longer": 0, "needed": 1}),
    "bear-off-cube": (None, {"first_5": 0, "most": 2}),
    "craps": ("most:money", CRAPS),
    "everyday": (None, {"players": 2, "rows": 1}),
    "farkle": (None, {"target": 300}),
    "freeze": ("most:total", {"dice": 3}),
    "high-bet": (None, {"stake": 1}),
    "hog-choice": ("most:score", {}),
    "last-throw": ("most:paid", {"throws_at_most": 5}),
    "lcr-wild": (None, {"players": 2, "chips": 2}),
    "line-bets": ("solvent", {"bankroll": 2, "rounds": 2}),
    "lose-all": ("most:score", {"losing": 6}),
    "margin": (None, {"rounds": 1}),
    "mexico": (None, {"life": 1}),
    "odd-dice": ("won", {}),
    "pig": (None, {"target": 12}),
    "pig-alone": ("fewest:turns", {"target": 15}),
    "pig-two-dice": ("reached", {"begin": 87, "turns_at_most": 2}),
    "piglet": (None, {"target": 6, "theirs": 2}),
    "pigs": (None, {"target": 9}),
    "qualify": ("most:score", {"dice": 4}),
    "red-or-black": ("goal", {"money": 2, "goal": 5, "rounds": 4}),
    "relay": (None, {"rounds": 1}),
    "session": ("reached", {"bankroll": 3, "goal": 5, "rounds": 3, "most": 2}),
    "ship-captain-crew": ("most:cargo", {}),
    "shut-the-box": ("fewest:standing", {"one_die_from": 9}),
    "shut-the-box-alone": ("shut", {"one_die": 2}),
    "six-tiles": ("shut", {}),
    "targets": (None, {"lives": 1}),
    "three-boxes": (None, {"players": 2, "most": 1}),
    "threes": ("fewest:total", {"dice": 4}),
    "tossup": (None, {"dice": 3, "target": 7, "last_turn": True}),
    "yahtzee": ("most:score", {"boxes": 2049}),
    "yahtzee-box": ("most:score", {"box": 11, "joker": True}),
    "yahtzee-turn": ("yahtzee", {}),
    "yatzy": ("most:score", {"boxes": 16384}),
}
