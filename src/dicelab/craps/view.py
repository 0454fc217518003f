"""A table of craps as people see it: the puck, each player's money and bets, what may be bet, and how one says it."""

from __future__ import annotations

from collections.abc import Mapping

from dicelab.craps.bet_names import called, meant, spots_of
from dicelab.craps.catalogue import IDS
from dicelab.craps.narration import Paying
from dicelab.craps.refusals import Reason
from dicelab.craps.spots import (
    AGAINST,
    COMMISSION,
    COUNT,
    FAMILY,
    HOUSES,
    NUMBER,
    PART,
    PASS,
    RESTS,
    ROWS,
    Family,
    Part,
)
from dicelab.craps.table_rules import UP_FRONT

COLUMN = 38
"""Characters of each of the two columns of bets."""
TITLES = {Family.LINE: "line", Family.NUMBER: "numbers", Family.PROPOSITION: "next throw", Family.SIDE: "side bets"}
PUT = "put bets"


class Viewed(Paying):
    """The layout as people see it."""

    def view(self) -> str:
        """The puck, what side bets have seen, and each player's money and bets."""
        lines = [self.puck(), *self.counting()]
        for seat in range(self.players):
            lines += self.player_lines(seat)
        return "\n".join(lines)

    def puck(self) -> str:
        """The puck, and how far the session has come."""
        who = f"{'new ' if self.new_shooter else ''}shooter {self.hands + 1}"
        told = [f"puck ON {self.point}" if self.point else "puck OFF", who, f"throws {self.throws}"]
        for name in ("throws", "rounds", "hands"):
            if self.parameters[f"until_{name}"]:
                told.append(f"{name} left {getattr(self, f'{name}_left')}")
        return " | ".join(told)

    def counting(self) -> list[str]:
        """What the side bets on the table have seen."""
        if self.sides == 0:
            return []
        often = [f"{n}{f' x{self.repeats[n]}' if self.repeats[n] > 1 else ''}" for n in range(13) if self.repeats[n]]
        made = [str(n) for n in range(13) if self.made >> n & 1]
        return [f"thrown since the last 7: {', '.join(often) or 'nothing'} | points made: {', '.join(made) or 'none'}"]

    def player_lines(self, seat: int) -> list[str]:
        """A player's money, and the bets in two columns."""
        spots = spots_of(self, seat)
        lies = sum(self.bets[seat * COUNT + spot] for spot in spots)
        name = f"seat {seat}: " if self.players > 1 else ""
        gone = " | has left" if self.left[seat] else ""
        cells = [self.cell(seat, spot) for spot in spots if PART[spot] != Part.ODDS]
        rows = (len(cells) + 1) // 2
        pairs = zip(cells[:rows], [*cells[rows:], ""][:rows], strict=True)
        lines = [f"  {one.ljust(COLUMN)}{other}".rstrip() for one, other in pairs]
        return [f"{name}purse {self.purse[seat]} | on the table {lies}{gone}", *lines]

    def cell(self, seat: int, spot: int) -> str:
        """A bet with its amount, and the odds behind it."""
        told = f"{called(spot).ljust(15)}{self.bets[seat * COUNT + spot]:>5}{self.resting(spot)}"
        if PART[spot] != Part.FLAT:
            return told
        behind = self.odds_of(spot)
        odds = self.bets[seat * COUNT + behind]
        return f"{told}  odds {odds}{self.resting(behind)}" if odds else told

    def resting(self, spot: int) -> str:
        """Does a bet not work on the next throw?"""
        return " off" if self.point == 0 and RESTS[len(HOUSES) * spot + self.house] else ""

    def menu(self) -> Mapping[str, Mapping[str, str]]:
        """The bets that may be made now, by family, each with what the game of one bet calls it; none of nobody."""
        groups: dict[str, dict[str, str]] = {**{title: {} for title in (*TITLES.values(), PUT)}}
        for spot in range(COUNT if self.player < self.players else 0):
            if self.untimely(spot) == Reason.FINE:
                groups[self.title(spot)][called(spot)] = self.bet_id(spot)
        return {title: names for title, names in groups.items() if names}

    def title(self, spot: int) -> str:
        """The group in which a bet is offered."""
        return PUT if self.is_put(spot) else TITLES[Family(FAMILY[spot])]

    def is_put(self, spot: int) -> bool:
        """Would a bet there have its number at once?"""
        return AGAINST[spot] == 0 and PART[spot] == Part.FLAT and (spot != PASS or self.point > 0)

    def bet_id(self, spot: int) -> str:
        """What the game of one bet calls a bet made there now; empty where it has none."""
        id = f"put_{NUMBER[spot] or self.point}_0x" if self.is_put(spot) else ROWS[self.row(spot)].id
        if COMMISSION[spot] > 0 and self.commission == UP_FRONT:
            id = id.replace("on_win", "upfront")
        return id if id in IDS else ""

    def heard(self, line: str) -> str:
        """Name a bet and an amount: "pass 10", "place 6 12", "come 10", "odds 20" behind your line bet, "hop 6-5 1".

        "down place 6" takes a bet down, "down place 6 6" or "place 6 -6" a part of it. "done" ends your bets.
        """
        return meant(self, line) if self.player < self.players else line
