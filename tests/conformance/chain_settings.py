"""Settings of games whose chains are compared."""

from __future__ import annotations

from dicelab.rules.game import seat_count
from support import CASES, FEW, FIRST, GAMES

SMALL = {
    "backgammon": {"setup": "bear-off", "checkers": 1},
    "bear-off-race": {"checkers": 1},
    "cant-stop-race": {"sides": 2, "shortest": 1, "longer": 0, "needed": 1},
    "craps": {"bankroll": 12, "maximum": 12, "until_rounds": 2, "stop_win": 6},
    "craps-hand": {"record": 5},
    "hazard": {"main": 5},
    "hazard-caster": {"main": 6, "losses": 2},
    "lcr": {"players": 3, "coins": 2, "dice": 2},
    "lcr-dots": {"players": 3, "coins": 2},
    "lcr-last-center": {"players": 3, "coins": 2},
    "lcr-wild": {"chips": 1},
    "line-bets": {"bankroll": 5, "rounds": 4},
    "session": {"bankroll": 10, "goal": 15, "rounds": 4, "most": 5},
    "many-dice": {"dice": 2, "rounds": 2},
    "nontransitive-dice": {"first": 9, "second": 7, "each": 2},
    "pass-line": {"stake": 1000},
    "pig": {"target": 9},
    "pig-alone": {"target": 15},
    "piglet": {"target": 3},
    "pigs": {"target": 9},
    "risk": {"attackers": 3, "defenders": 2},
    "risk-battle": {"attackers": 4, "defenders": 3},
    "risk-mixed": {"attackers": 4, "defenders": 2},
    "tossup": {"dice": 2, "target": 4, "last_turn": "yes"},
    "yatzy": {"boxes": 16384},
}
"""Parameters that make a small chain; a game that is not named here is taken as it is."""


WITH_CHOICES = [case for case in CASES if case[1]]


FREE = [(*case, (0,)) for case in WITH_CHOICES] + [
    (name, line, tuple(range(seats)))
    for name, line in dict(reversed(WITH_CHOICES)).items()
    if (seats := seat_count(GAMES[name]())) > 1
]


LAST_FREE = {name: (name, line, free) for name, line, free in FREE}


ONE_FREE = [(name, FIRST[name], (0,)) for name in ("pig", "tossup")]


QUICK = {
    *((name, line, ()) for name, line in FIRST.items() if name in FEW),
    *(case for name, case in LAST_FREE.items() if name in FEW),
    *ONE_FREE,
}
"""The first line-up of a few games, and one with free seats: all of them, and the first alone in two games."""
