"""What was bet at a table of craps and what each throw has paid, in words.

What a throw did to each bet is found by the rules themselves: they decide the bets once more, one by one, on a table
that stands as this one did before. Nothing here changes a game, and no rule asks for what stands here.
"""

from __future__ import annotations

from dataclasses import dataclass

from dicelab.craps.bet_names import called, spots_of
from dicelab.craps.spots import COME, COUNT, DONE, DONT_COME, PART, Part
from dicelab.craps.table_rules import Layout
from dicelab.rules.game import twin


@dataclass(frozen=True)
class Paid:
    """What a throw did to a bet.

    Attributes
    ----------
    spot, amount
        Where the bet lay, and how much.
    won
        What it won, lost where negative; after `commission`, which the house kept.
    stays
        It stays up after a win.
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
    """The layout, telling what happens; a game decides the bets by the three methods that come first.

    They are here for the types alone: a game is no abstract class, as its methods are rules, which are compiled.
    """

    def note(self, total: int) -> None:
        """Count what side bets are about, before they are decided."""
        raise NotImplementedError  # the table of craps has its own

    def decided(self, seat: int, spot: int, throw: int, total: int) -> bool:
        """Decide one bet; does it come down?"""
        raise NotImplementedError  # the table of craps has its own

    def travel(self, seat: int, total: int) -> None:
        """Come bets that the throw did not decide move to its number."""
        raise NotImplementedError  # the table of craps has its own

    def told(self, before: Paying, what: str, *values: int) -> str:
        """What was bet, or what a throw has done, to each player's bets and in all."""
        if what == "bet":
            return self.bet_told(before, *values)
        one, two = values
        again = twin(before)
        assert isinstance(again, Paying)
        if again.sides:
            again.note(one + two)
        lines = [self.puck_told(before, one + two)]
        for seat in range(self.players):
            told = self.paid_told(again, seat, one, two)
            lines += [f"seat {seat}: {'; '.join(told)}"] if told and self.players > 1 else told
        return "\n".join(lines)

    def bet_told(self, before: Layout, spot: int, amount: int) -> str:
        """A bet made, raised or taken down, with its commission, and what is left in the purse."""
        if spot == DONE:
            return ""
        seat, name = before.player, called(spot)
        lies = self.bets[seat * COUNT + spot]
        commission = before.purse[seat] - amount - self.purse[seat]
        told = f"{name} {amount}" if amount > 0 else f"{name} down {-amount}"
        if lies not in (0, amount):
            told += f", {lies} there now"
        if commission:
            told += f", commission {commission}" if commission > 0 else f", commission {-commission} returned"
        return f"{told}; purse {self.purse[seat]}"

    def puck_told(self, before: Layout, total: int) -> str:
        """What a throw was to the shooter."""
        if before.point == 0:
            return f"{total}: the point is {total}" if self.point else f"{total} on the come-out"
        if self.point:
            return f"{total}: the point is still {self.point}"
        return f"{total}: the point is made" if total == before.point else f"{total}: seven out, the dice pass"

    def paid_told(self, again: Paying, seat: int, one: int, two: int) -> list[str]:
        """What a throw did to the bets of a player; they are decided, and move, on a table as it stood before."""
        total, told, won = one + two, [], 0
        for spot in spots_of(again, seat):
            paid = decide(again, seat, spot, 6 * one + two - 7, total)
            if paid is not None:
                told.append(str(paid))
                won += paid.won
        boxes = [spot for spot in (COME, DONT_COME) if again.bets[seat * COUNT + spot]]
        told += [f"{called(box)} {again.bets[seat * COUNT + box]} goes to {total}" for box in boxes]
        again.travel(seat, total)
        for spot in spots_of(again, seat):
            amount = again.bets[seat * COUNT + spot]
            if self.bets[seat * COUNT + spot] == 0:  # the player leaves
                back = again.due(spot, amount)
                told.append(f"{called(spot)} {amount}: taken down" + (f", commission {back} returned" if back else ""))
                won += back
        in_all = f"in all {'won' if won > 0 else 'lost'} {abs(won)}" if won else "in all nothing won or lost"
        return told if len(told) < 2 else [*told, in_all]


def decide(table: Paying, seat: int, spot: int, throw: int, total: int) -> Paid | None:
    """Have the rules decide one bet, and clear it where it comes down; None where the throw does nothing to it."""
    amount, purse = table.bets[seat * COUNT + spot], table.purse[seat]
    down = table.decided(seat, spot, throw, total)
    gain = table.purse[seat] - purse
    if down:
        table.clear(seat, table.where(seat, spot))
    elif gain == 0:
        return None
    won = gain - amount if down else gain
    return Paid(spot, amount, won, not down, table.taken(spot, amount) if won > 0 else 0)
