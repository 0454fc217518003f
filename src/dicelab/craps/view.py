"""A craps table at the terminal: the puck, each player's money and bets, the bets allowed, and how to type them."""

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
"""Width of each of the two columns of bets, in characters."""
TITLES = {Family.LINE: "line", Family.NUMBER: "numbers", Family.PROPOSITION: "next roll", Family.SIDE: "side bets"}
ODDS, PLACE, PUT = "odds", "place and field", "put bets"
GROUPS = (TITLES[Family.LINE], ODDS, PLACE, TITLES[Family.NUMBER], TITLES[Family.PROPOSITION], TITLES[Family.SIDE], PUT)
"""Titles of the menu, the bets most often made first."""


class Viewed(Paying):
    """The layout with its display at the terminal."""

    def view(self) -> str:
        """Return the puck, the counts of side bets, and each player's money and bets."""
        lines = [self.puck(), *self.counting()]
        for seat in range(self.players):
            lines += self.player_lines(seat)
        return "\n".join(lines)

    def puck(self) -> str:
        """Return the puck, the shooter, and the progress of the session."""
        who = f"{'new ' if self.new_shooter else ''}shooter {self.hands + 1}"
        parts = [f"puck ON {self.point}" if self.point else "puck OFF", who, f"throws {self.throws}"]
        for name in ("throws", "rounds", "hands"):
            if self.parameters[f"until_{name}"]:
                parts.append(f"{name} left {getattr(self, f'{name}_left')}")
        return " | ".join(parts)

    def counting(self) -> list[str]:
        """Return what the side bets on the table have counted; no line without side bets."""
        if self.sides == 0:
            return []
        often = [f"{n}{f' x{self.repeats[n]}' if self.repeats[n] > 1 else ''}" for n in range(13) if self.repeats[n]]
        made = [str(n) for n in range(13) if self.made >> n & 1]
        return [f"rolled since the last 7: {', '.join(often) or 'nothing'} | points made: {', '.join(made) or 'none'}"]

    def player_lines(self, seat: int) -> list[str]:
        """Return a player's money, and the player's bets in two columns."""
        spots = spots_of(self, seat)
        staked = sum(self.bets[seat * COUNT + spot] for spot in spots)
        name = f"player {seat + 1}: " if self.players > 1 else ""
        gone = " | has left" if self.left[seat] else ""
        cells = [self.cell(seat, spot) for spot in spots if PART[spot] != Part.ODDS]
        rows = (len(cells) + 1) // 2
        pairs = zip(cells[:rows], [*cells[rows:], ""][:rows], strict=True)
        lines = [f"  {one.ljust(COLUMN)}{other}".rstrip() for one, other in pairs]
        return [f"{name}purse {self.purse[seat]} | on the table {staked}{gone}", *lines]

    def cell(self, seat: int, spot: int) -> str:
        """Return a bet with its stake, and the odds behind it."""
        text = f"{called(spot).ljust(15)}{self.bets[seat * COUNT + spot]:>5}{self.resting(spot)}"
        if PART[spot] != Part.FLAT:
            return text
        behind = self.odds_of(spot)
        odds = self.bets[seat * COUNT + behind]
        return f"{text}  odds {odds}{self.resting(behind)}" if odds else text

    def resting(self, spot: int) -> str:
        """Return the word " off" if a bet there is off on the next roll, otherwise ""."""
        return " off" if self.point == 0 and RESTS[len(HOUSES) * spot + self.house] else ""

    def menu(self) -> Mapping[str, Mapping[str, str]]:
        """Return the bets allowed now, by group, each with its name in `craps-bet`; empty if no player is to bet."""
        groups: dict[str, dict[str, str]] = {title: {} for title in GROUPS}
        for spot in range(COUNT if self.player < self.players else 0):
            if self.untimely(spot) == Reason.FINE:
                groups[self.title(spot)][called(spot)] = self.bet_id(spot)
        return {title: names for title, names in groups.items() if names}

    def title(self, spot: int) -> str:
        """Return the title of the group in which the menu lists a spot."""
        if self.is_put(spot):
            return PUT
        if PART[spot] == Part.ODDS:
            return ODDS
        often = called(spot) == f"place {NUMBER[spot]}" or called(spot) == "field"
        return PLACE if often else TITLES[Family(FAMILY[spot])]

    def is_put(self, spot: int) -> bool:
        """Return whether a bet made there now would be a put bet, with a number at once."""
        return AGAINST[spot] == 0 and PART[spot] == Part.FLAT and (spot != PASS or self.point > 0)

    def bet_id(self, spot: int) -> str:
        """Return the name in `craps-bet` of a bet made there now; "" if it has none."""
        id = f"put_{NUMBER[spot] or self.point}_0x" if self.is_put(spot) else ROWS[self.row(spot)].id
        if COMMISSION[spot] > 0 and self.commission == UP_FRONT:
            id = id.replace("on_win", "upfront")
        return id if id in IDS else ""

    def prompt(self) -> str:
        """Return what to type for a bet, and how to end the bets."""
        return f"type a bet (pass 10), or press Enter {'to roll' if self.players == 1 else 'for no more bets'}"

    def heard(self, line: str) -> str:
        """Name a bet and an amount: "pass 10", "place 6 12", "come 10", "odds 20" behind your line bet, "hop 6-5 1".

        "down place 6" takes a bet down, "down place 6 6" or "place 6 -6" a part of it. Enter, "r" or "done" ends your
        bets, and the dice are rolled.
        """
        return meant(self, line) if self.player < self.players else line
