"""A craps table at the terminal: the puck, each player's money and bets, the bets allowed, and how to type them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dicelab.extras.craps.bet_names import called, meant, spots_of
from dicelab.extras.craps.catalogue import IDS
from dicelab.extras.craps.spots import (
    AGAINST,
    COME,
    COMMISSION,
    COUNT,
    DONE,
    DONT_COME,
    FAMILY,
    HOUSES,
    NUMBER,
    PART,
    PASS,
    RESTS,
    ROWS,
    Part,
    SpotGroup,
)
from dicelab.extras.craps.table_rules import UP_FRONT, Layout, Reason
from dicelab.rules.game import twin

# Texts about a craps table: what was bet, and what each roll has paid.
#
# To find what a roll did to each bet, the rules decide the bets again, one by one, on a copy of the table as it was
# before the roll. The game itself is not changed, and no rule uses these texts.


@dataclass(frozen=True)
class Paid:
    """The effect of a roll on a bet.

    Attributes
    ----------
    spot, amount
        The spot of the bet, and the stake.
    won
        The net win (negative: a loss) after `commission`.
    stays
        Whether the bet stays up after a win.
    commission
        What the house kept of the win.
    """

    spot: int
    amount: int
    won: int
    stays: bool = False
    commission: int = 0

    def __str__(self) -> str:
        name, kept = called(self.spot), f" after commission {self.commission}" if self.commission else ""
        if self.won < 0:
            return f"{name} loses {-self.won}"
        if self.won == 0:
            return f"{name} {self.amount}: {'returned' if PART[self.spot] == Part.ODDS else 'pushed'}"
        return f"{name} {self.amount}: pays {self.won}{kept}" if self.stays else f"{name} wins {self.won}{kept}"


class Paying(Layout):
    """The layout with texts about what happens.

    The first three methods are declared for type checkers; `dicelab.extras.craps.craps.Craps` defines them. They can't
    be abstract methods, because the class of a game must be an ordinary class to be compiled.
    """

    def note(self, total: int) -> None:
        """Count the total for side bets, before bets are decided."""
        raise NotImplementedError  # Craps defines it

    def decided(self, seat: int, spot: int, throw: int, total: int) -> bool:
        """Decide one bet; returns whether it comes down."""
        raise NotImplementedError  # Craps defines it

    def travel(self, seat: int, total: int) -> None:
        """Move come bets that the roll did not decide to its number."""
        raise NotImplementedError  # Craps defines it

    def told(self, before: Paying, what: str, *values: int) -> str:
        """Return the bet that was made, or the effect of a roll on the puck and on each player's bets."""
        if what == "bet":
            return self.bet_text(before, *values)
        one, two = values
        again = twin(before)
        assert isinstance(again, Paying)
        if again.sides:
            again.note(one + two)
        lines = [self.puck_text(before, one + two)]
        for seat in range(self.players):
            paid = self.paid_texts(again, seat, one, two)
            lines += [f"player {seat + 1}: {'; '.join(paid)}"] if paid and self.players > 1 else paid
        return "\n".join(lines)

    def bet_text(self, before: Layout, spot: int, amount: int) -> str:
        """Return a bet made, raised or taken down, with its commission, and the money left in the purse."""
        if spot == DONE:
            return ""
        seat, name = before.player, called(spot)
        stake = self.bets[seat * COUNT + spot]
        commission = before.purse[seat] - amount - self.purse[seat]
        text = f"{name} {amount}" if amount > 0 else f"{name} down {-amount}"
        if stake not in (0, amount):
            text += f", {stake} there now"
        if commission:
            text += f", commission {commission}" if commission > 0 else f", commission {-commission} returned"
        return f"{text}; purse {self.purse[seat]}"

    def puck_text(self, before: Layout, total: int) -> str:
        """Return the total rolled and what it did to the point."""
        if before.point == 0:
            return f"{total}: the point is {total}" if self.point else f"{total} on the come-out"
        if self.point:
            return f"{total}: the point is still {self.point}"
        return f"{total}: the point is made" if total == before.point else f"{total}: seven out, the dice pass"

    def paid_texts(self, again: Paying, seat: int, one: int, two: int) -> list[str]:
        """Return what a roll did to each bet of a player; `again` is the copy of the table on which
        they are decided.
        """
        total, texts, won = one + two, [], 0
        for spot in spots_of(again, seat):
            paid = decide(again, seat, spot, 6 * one + two - 7, total)
            if paid is not None:
                texts.append(str(paid))
                won += paid.won
        boxes = [spot for spot in (COME, DONT_COME) if again.bets[seat * COUNT + spot]]
        texts += [f"{called(box)} {again.bets[seat * COUNT + box]} goes to {total}" for box in boxes]
        again.travel(seat, total)
        for spot in spots_of(again, seat):
            amount = again.bets[seat * COUNT + spot]
            if self.bets[seat * COUNT + spot] == 0:  # the player leaves
                back = again.due(spot, amount)
                texts.append(f"{called(spot)} {amount}: taken down" + (f", commission {back} returned" if back else ""))
                won += back
        in_all = f"in all {'won' if won > 0 else 'lost'} {abs(won)}" if won else "in all nothing won or lost"
        return texts if len(texts) < 2 else [*texts, in_all]


def decide(table: Paying, seat: int, spot: int, throw: int, total: int) -> Paid | None:
    """Let the rules decide one bet on `table`; returns the effect, or None if there is none."""
    amount, purse = table.bets[seat * COUNT + spot], table.purse[seat]
    down = table.decided(seat, spot, throw, total)
    gain = table.purse[seat] - purse
    if down:
        table.clear(seat, table.where(seat, spot))
    elif gain == 0:
        return None
    won = gain - amount if down else gain
    return Paid(spot, amount, won, not down, table.taken(spot, amount) if won > 0 else 0)


COLUMN = 38
"""Width of each of the two columns of bets, in characters."""
TITLES = {
    SpotGroup.LINE: "line",
    SpotGroup.NUMBER: "numbers",
    SpotGroup.PROPOSITION: "next roll",
    SpotGroup.SIDE: "side bets",
}
ODDS, PLACE, PUT = "odds", "place and field", "put bets"
GROUPS = (
    TITLES[SpotGroup.LINE],
    ODDS,
    PLACE,
    TITLES[SpotGroup.NUMBER],
    TITLES[SpotGroup.PROPOSITION],
    TITLES[SpotGroup.SIDE],
    PUT,
)
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
        return PLACE if often else TITLES[SpotGroup(FAMILY[spot])]

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
