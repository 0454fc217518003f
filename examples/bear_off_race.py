"""The end of a game of backgammon: both players bear off, and nobody can be hit any more."""

from __future__ import annotations

from dataclasses import replace

from backgammon import ALL, OFF, Backgammon

from dicelab.rules import Choice, Switch


class BearOffRace(Backgammon):
    """Both players of backgammon take checkers off; the first to have none left wins."""

    name = "bear-off-race"
    outcomes = None  # type: ignore[assignment]  # the seats
    payoffs = None  # type: ignore[assignment]

    words = replace(Backgammon.words, endings={})

    setup = Choice(("backgammon", "hypergammon", "bear-off"), "how the checkers stand at first", default="bear-off")
    first_begins = Switch(True, "the first player begins, with two dice")

    def outcome(self) -> int:
        return 0 if self.places[0][OFF] == ALL else 1
