"""Texts about a craps table: what was bet, and what each roll has paid.

To find what a roll did to each bet, the rules decide the bets again, one by one, on a copy of the table as it was
before the roll. The game itself is not changed, and no rule uses these texts.
"""

from __future__ import annotations

from dataclasses import dataclass

from dicelab.craps.bet_names import called, spots_of
from dicelab.craps.spots import COME, COUNT, DONE, DONT_COME, PART, Part
from dicelab.craps.table_rules import Layout
from dicelab.rules.game import twin


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

    The first three methods are declared for type checkers; `dicelab.games.craps.Craps` defines them. They can't be
    abstract methods, because the class of a game must be an ordinary class to be compiled.
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
