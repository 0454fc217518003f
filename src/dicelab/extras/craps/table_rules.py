"""The layout of a craps table: the house's parameters, the players' money and bets, and which bets are allowed.

`dicelab.extras.craps.craps` adds the rolls. The effect of a roll on a bet is read from the row of its spot
(`dicelab.extras.craps.spots`, `dicelab.extras.craps.catalogue`). Rules are compiled: they use integers and
tuples only.
"""

from __future__ import annotations

from enum import IntEnum

from dicelab.extras.craps.bet import EXACT, ROUNDINGS, When, twentieth
from dicelab.extras.craps.catalogue import BARS
from dicelab.extras.craps.spots import (
    AGAINST,
    AT_LEAST,
    COME,
    COME_2,
    COME_ODDS_2,
    COMMISSION,
    CONTRACT,
    COUNT,
    DONE,
    DONT_COME,
    DONT_COME_4,
    DONT_COME_ODDS_4,
    DONT_PASS,
    DONT_PASS_ODDS,
    EACH,
    FAMILY,
    FIRST_ROW,
    FLAT,
    HOUSES,
    LIMIT,
    NUMBER,
    ODDS_LIMITS,
    PART,
    PASS,
    PASS_ODDS,
    PUTS,
    RESULTS,
    RULE,
    SIDE,
    WHEN,
    HouseRule,
    Move,
    Part,
    SpotGroup,
)
from dicelab.rules import Casino, Choice, Flag, Int, Ints, Param, Peak, Switch, Tally, chosen

ROOM = 40
"""Largest number of bets that a player may have on the table at the same time."""
OFFERS = ("every_bet", "no_side_bets", "no_propositions", "lines_only")
FIRES = ("pays_24_249_999", "pays_9_199_1999", "pays_5_25_200_500", "pays_6_29_149_299")
ON_WIN, UP_FRONT = 0, 1
NEEDS_ROLL = -1
"""Amount with which a strategy is done for good: it must know the last roll, and the table does not keep it."""
MOST_MONEY = 2**50


class Reason(IntEnum):
    """Why a bet is refused; `FINE` if it is allowed."""

    FINE = 0
    NOT_DONE = 1
    NOTHING = 2
    NOT_OFFERED = 3
    CRAPLESS = 4
    MONEY = 5
    MINIMUM = 6
    MAXIMUM = 7
    UNIT = 8
    PAYABLE = 9
    POINT = 10
    SHOOTER = 11
    FLAT = 12
    LIMIT = 13
    CONTRACT = 14
    RAISED = 15
    LESS = 16
    ROOM = 17
    CHANGES = 18
    PUT = 19
    UNTOLD = 20


SENTENCES: dict[Reason, str] = {
    Reason.FINE: "the bet is allowed",
    Reason.NOT_DONE: "done takes no amount",
    Reason.NOTHING: "an amount of 0 changes nothing",
    Reason.NOT_OFFERED: "this table does not take that bet",
    Reason.CRAPLESS: "a crapless table has no don't bets, and only a crapless table has the numbers 2, 3, 11 and 12",
    Reason.MONEY: "it is more than the purse",
    Reason.MINIMUM: "the bet would be below the table's minimum",
    Reason.MAXIMUM: "the bet would be above the table's maximum",
    Reason.UNIT: "the amount must be a multiple of the smallest chip",
    Reason.PAYABLE: "not every payout would be a whole number",
    Reason.POINT: "it needs a point, and the puck is OFF",
    Reason.SHOOTER: "it can be made only before a shooter's first roll",
    Reason.FLAT: "odds need a pass or come bet with a point",
    Reason.LIMIT: "the odds would be more than the house allows behind that bet",
    Reason.CONTRACT: "it is a contract bet, which stays until it is decided",
    Reason.RAISED: "a don't bet is made before it has a number, and can't be raised later",
    Reason.LESS: "the bet there is smaller than that",
    Reason.ROOM: "the player has too many bets on the table",
    Reason.CHANGES: "there have been too many changes since the last roll",
    Reason.PUT: "this house takes no put bets: pass and come bets are made without a number, and can't be raised",
    Reason.UNTOLD: "this strategy must know the last roll; turn on the parameter last_roll (--last-roll)",
}
"""The sentence for each reason."""
LAID = "laid odds need a don't pass or don't come bet with a point"
"""The sentence for `Reason.FLAT` where odds are laid against a number."""


class Layout(Casino):
    """The players, their money and their bets, under a house's rules.

    The spots on which seat s has money are ``lying[s * ROOM]`` up to ``lying[s * ROOM + count[s] - 1]``, in any order;
    the stake on a spot is ``bets[s * COUNT + spot]``.
    """

    players = Param(1, 1, 8, "players at the table")
    bankroll = Param(300, 1, 10**9, "bankroll of each player")
    minimum = Param(5, 1, 10**6, "minimum of line, place, buy, lay and field bets")
    maximum = Param(5000, 1, 10**6, "maximum on one spot")
    chip = Param(1, 1, 10**6, "the smallest chip")

    until_throws = Param(0, 0, 10**6, "rolls after which a session ends; 0 for no limit")
    until_rounds = Param(60, 0, 10**6, "rounds after which a session ends; 0 for no limit")
    until_hands = Param(0, 0, 10**6, "seven-outs after which a session ends; 0 for no limit")
    stop_loss = Param(0, 0, 10**9, "loss at which a player leaves; 0 for none")
    stop_win = Param(0, 0, 10**9, "win at which a player leaves; 0 for none")

    house = Choice(HOUSES, "house customs: what works on come-outs, and what big 6 and 8 pay")
    crapless = Switch(False, "crapless craps: on a come-out 7 wins, and every other total becomes the point")
    odds = Choice(ODDS_LIMITS, "odds allowed, in multiples of the flat bet", default="345x")
    bar = Choice(tuple(f"bar{bar}" for bar in BARS), "the total on which don't bets push")
    field = Choice(("2x3x", "3x2x", "2x2x", "3x3x"), "what the field pays on 2 and on 12")
    commission = Choice(("on_win", "up_front"), "when the commission of buy and lay bets is due")
    vig = Choice(ROUNDINGS, "how a commission is rounded; at least 1, except for exact", default="down")
    quoted = Choice(("to", "for"), "how hardways, 2, 3, 11, 12 and repeaters are paid: 30 to 1, or 30 for 1")
    fire = Choice(FIRES, "what the fire bet pays to 1, for 4 to 6 points or 3 to 6")
    tall = Choice(("pays_34_175", "pays_30_150"), "what small and tall pay to 1, and all")
    offers = Choice(OFFERS, "the bets that the table takes")
    falls = Switch(False, "count the drawdown of the money (slower)")
    last_roll = Switch(False, "keep the total of the last roll, which a few strategies must know (slower)")
    changes_at_most = Param(30, 1, 1000, "changes that a player may make between two rolls")

    seats = players

    purse = Ints(players, 0, MOST_MONEY, "money of each player, without the bets on the table", start=bankroll)
    bets = Ints(players * COUNT, 0, maximum, "money on each spot, player by player")
    lying = Ints(players * ROOM, 0, COUNT - 1, "spots on which a player has money")
    count = Ints(players, 0, ROOM, "number of spots on which each player has money")
    left = Ints(players, 0, 1, "1 for players who make no more bets")
    player = Int(0, players, "who makes bets; the number of players if nobody does")
    changes = Int(0, changes_at_most, "changes made since the last roll")

    below = Int(-MOST_MONEY, MOST_MONEY, "how far the first player's money is below its peak, if drawdown is counted")
    point = Int(0, 12, "the point; 0 when the puck is OFF")
    rolled = Int(0, 12, "total of the last roll, if it is kept")
    new_shooter = Flag("the shooter has not rolled yet")
    throws_left = Int(0, until_throws, "rolls until the session ends", start=until_throws)
    rounds_left = Int(0, until_rounds, "rounds until the session ends", start=until_rounds)
    hands_left = Int(0, until_hands, "seven-outs until the session ends", start=until_hands)

    # seen, made and repeats are updated only while there are side bets: otherwise they would multiply the states.
    sides = Int(0, players * ROOM, "number of side bets on the table")
    seen = Int(0, 2**13 - 1, "totals rolled since the last 7, as bits")
    made = Int(0, 2**13 - 1, "points that the shooter has made, as bits")
    repeats = Ints(13, 0, 6, "how often each total was rolled since the last 7")

    throws = Tally("rolls of the two dice")
    rounds = Tally("rounds: decisions of the pass line")
    hands = Tally("shooters who sevened out")
    points = Tally("points made")
    money = Tally("net win of the first player", low=0 - bankroll)
    staked = Tally("stakes of decided and pushed bets of the first player")
    peak = Peak("highest net win at any time")
    fall = Peak("drawdown of the money, if it is counted")

    def refuse(self) -> str:
        if self.maximum < self.minimum:
            return f"the maximum, {self.maximum}, is below the minimum, {self.minimum}"
        if self.minimum % self.chip or self.bankroll % self.chip:
            return f"minimum and bankroll must be multiples of the smallest chip, {self.chip}"
        if self.bankroll < self.minimum:
            return f"the bankroll, {self.bankroll}, is below the minimum, {self.minimum}"
        return ""

    # Bets ------------------------------------------------------------------------------------------------------------

    def allowed(self, spot: int, amount: int) -> bool:
        """Return whether a bet may be made or, with a negative amount, taken down."""
        return self.refusal(spot, amount) == Reason.FINE

    def refusal(self, spot: int, amount: int) -> int:
        """Return the `Reason` why betting an amount, or taking it down if negative, is refused."""
        if spot == DONE:
            return Reason.FINE if amount == 0 else Reason.UNTOLD if amount == NEEDS_ROLL else Reason.NOT_DONE
        if amount == 0:
            return Reason.NOTHING
        if self.changes == self.changes_at_most:
            return Reason.CHANGES
        lies = self.bets[self.player * COUNT + spot]  # the stake there now
        timely = self.untimely(spot) if amount > 0 else self.fixed(spot, lies + amount)
        if timely != Reason.FINE:
            return timely
        if amount > self.purse[self.player] - self.due(spot, lies + amount) + self.due(spot, lies):
            return Reason.MONEY
        if amount > 0 and lies == 0 and self.count[self.player] == ROOM:
            return Reason.ROOM
        return self.unfit(spot, lies + amount)

    def untimely(self, spot: int) -> int:
        """Return the `Reason` why no bet may be made there at this time, or `FINE`."""
        if FAMILY[spot] > SpotGroup.SIDE - self.offers:
            return Reason.NOT_OFFERED
        if self.elsewhere(spot):
            return Reason.CRAPLESS
        if PART[spot] == Part.ODDS:
            return Reason.FINE if self.rides(FLAT[spot]) else Reason.FLAT
        if PART[spot] == Part.FLAT and (self.point > 0 or spot > DONT_PASS):  # it would have a number at once
            if AGAINST[spot] > 0:
                return Reason.RAISED
            if PUTS[self.house] == 0:
                return Reason.PUT
        if WHEN[spot] == When.POINT and self.point == 0:
            return Reason.POINT
        if WHEN[spot] == When.SHOOTER and not self.new_shooter:
            return Reason.SHOOTER
        return Reason.FINE

    def elsewhere(self, spot: int) -> bool:
        """Return whether only the other kind of table has the spot: crapless tables lack don't
        bets, others have no 2.
        """
        if self.crapless:
            return AGAINST[spot] > 0
        return NUMBER[spot] > 0 and (NUMBER[spot] < 4 or NUMBER[spot] > 10)

    def rides(self, flat: int) -> bool:
        """Return whether the player has a bet with a number on that flat spot."""
        return self.bets[self.player * COUNT + flat] > 0 and (self.point > 0 or flat > DONT_COME)

    def fixed(self, spot: int, rest: int) -> int:
        """Return the `Reason` why the bet there may not be reduced to `rest`, or `FINE`."""
        if rest < 0:
            return Reason.LESS
        if self.bound(spot):
            return Reason.CONTRACT
        if PART[spot] == Part.FLAT and self.bets[self.player * COUNT + self.odds_of(spot)] > self.odds_limit(
            spot, rest
        ):
            return Reason.LIMIT
        return Reason.FINE

    def bound(self, spot: int) -> bool:
        """Return whether a bet there is now a contract bet."""
        return CONTRACT[spot] > 0 or (spot == PASS and self.point > 0)

    def unfit(self, spot: int, total: int) -> int:
        """Return the `Reason` why the stake there may not be `total`, or `FINE`."""
        if total == 0:
            return Reason.FINE
        if total > self.maximum:
            return Reason.MAXIMUM
        if total % self.chip > 0:
            return Reason.UNIT
        if total % EACH[self.row(spot)] > 0 or (self.vig == EXACT and self.commissioned(spot, total) % 20 > 0):
            return Reason.PAYABLE
        if PART[spot] == Part.ODDS:
            flat = self.bets[self.player * COUNT + FLAT[spot]]
            return Reason.FINE if total <= self.odds_limit(FLAT[spot], flat) else Reason.LIMIT
        if total < self.minimum and AT_LEAST[spot] > 0:
            return Reason.MINIMUM
        return Reason.FINE

    def odds_limit(self, flat_spot: int, flat: int) -> int:
        """Return the highest odds behind a flat bet; for laid odds the limit applies to what they can win."""
        number = NUMBER[flat_spot] if NUMBER[flat_spot] > 0 else self.point
        if number == 0:
            return 0
        distance = abs(7 - number)
        tenths = flat * LIMIT[5 * self.odds + distance - 1]
        return tenths * 6 // (6 - distance) // 10 if AGAINST[flat_spot] > 0 else tenths // 10

    def odds_of(self, flat: int) -> int:
        """Return the spot of the odds that belong to a flat spot."""
        if flat < COME:
            return flat + 1
        return flat + COME_ODDS_2 - COME_2 if AGAINST[flat] == 0 else flat + DONT_COME_ODDS_4 - DONT_COME_4

    def why(self, spot: int, amount: int) -> str:
        """Return why the player may not bet this amount there, or take it down if negative, as a sentence."""
        reason = Reason(self.refusal(spot, amount))
        if reason == Reason.FLAT and AGAINST[spot] > 0:
            return LAID
        return SENTENCES[reason] + self.number_for(reason, spot, amount)

    def number_for(self, reason: Reason, spot: int, amount: int) -> str:
        """Return the number that belongs to a refusal, such as the table's minimum, as the end of a sentence."""
        if reason == Reason.MINIMUM:
            return f", {self.minimum}"
        if reason == Reason.MAXIMUM:
            return f", {self.maximum}"
        if reason == Reason.UNIT:
            return f", {self.chip}"
        if reason == Reason.MONEY:
            return f", {self.purse[self.player]}"
        if reason == Reason.LIMIT and amount > 0:
            flat = FLAT[spot]
            return f": at most {self.odds_limit(flat, self.bets[self.player * COUNT + flat])}"
        if reason == Reason.PAYABLE and (self.bets[self.player * COUNT + spot] + amount) % EACH[self.row(spot)]:
            return f"; bet a multiple of {EACH[self.row(spot)]}"
        return ""

    @chosen(Move, (0 - maximum, maximum), legal=allowed, because=why)
    def bet(self, spot: int, amount: int) -> None:
        """Make a bet, take one down (negative amount), or end the player's betting (`DONE`)."""
        if spot == DONE:
            self.player += 1
            self.next_player()
        else:
            self.changes += 1
            self.put(self.player, spot, amount)

    def put(self, seat: int, spot: int, amount: int) -> None:
        """Move money from the purse to a spot, or back if negative, and settle the commission due up front."""
        lies = self.bets[seat * COUNT + spot]
        self.purse[seat] -= amount
        self.pay(seat, self.due(spot, lies) - self.due(spot, lies + amount))
        if lies == 0:
            self.lying[seat * ROOM + self.count[seat]] = spot
            self.count[seat] += 1
            self.sides += SIDE[spot]
        self.bets[seat * COUNT + spot] = lies + amount
        if lies + amount == 0:
            self.clear(seat, self.where(seat, spot))

    def where(self, seat: int, spot: int) -> int:
        """Return the index of a spot among the player's entries of `lying`; the player must have money on it."""
        place = 0
        while self.lying[seat * ROOM + place] != spot:
            place += 1
        return place

    def clear(self, seat: int, place: int) -> None:
        """Remove the bet at an index of the player's `lying`; the player's last entry moves to that index."""
        spot = self.lying[seat * ROOM + place]
        last = self.count[seat] - 1
        self.bets[seat * COUNT + spot] = 0
        if SIDE[spot] > 0:
            self.sides -= 1
            if self.sides == 0:
                self.forget()
        self.lying[seat * ROOM + place] = self.lying[seat * ROOM + last]
        self.lying[seat * ROOM + last] = 0
        self.count[seat] = last

    def pay(self, seat: int, money: int) -> None:
        """Add money to the player's purse, or subtract it if negative."""
        self.purse[seat] += money
        self.count_won(seat, money)

    def count_won(self, seat: int, money: int) -> None:
        """Count what the first player wins or loses; other players are not counted."""
        if seat == 0:
            self.money += money
            if self.falls:
                self.below -= money

    def next_player(self) -> None:
        """Advance `player` to the first one, from the current on, who has not left."""
        self.changes = 0
        while self.player < self.players and self.left[self.player] > 0:
            self.player += 1

    # Which row decides a spot ---------------------------------------------------------------------------------------

    def row(self, spot: int) -> int:
        """Return the index in `ROWS` that decides a spot; line bets use the rows of come bets while
        there is a point.
        """
        if self.point > 0 and spot <= DONT_PASS_ODDS:
            if spot == PASS:
                return FIRST_ROW[COME_2 + self.nth(self.point)]
            if spot == PASS_ODDS:
                return FIRST_ROW[COME_ODDS_2 + self.nth(self.point)]
            if spot == DONT_PASS:
                return FIRST_ROW[DONT_COME_4 + self.nth(self.point) - 2]
            return FIRST_ROW[DONT_COME_ODDS_4 + self.nth(self.point) - 2]
        if RULE[spot] == HouseRule.NONE:
            return FIRST_ROW[spot]
        return FIRST_ROW[spot] + self.variant(RULE[spot])

    def variant(self, rule: int) -> int:
        """Return the index of the row, among those of a spot, that a house rule selects."""
        if rule == HouseRule.CRAPLESS:
            return 1 if self.crapless else 0
        if rule == HouseRule.BAR:
            return self.bar
        if rule == HouseRule.FIELD:
            return self.field
        if rule == HouseRule.QUOTED:
            return self.quoted
        if rule == HouseRule.HOUSE:
            return self.house
        return self.fire if rule == HouseRule.FIRE else self.tall

    def nth(self, number: int) -> int:
        """Return the index of a number among 2, 3, 4, 5, 6, 8, 9, ..."""
        return number - 2 if number < 7 else number - 3

    # Commissions -----------------------------------------------------------------------------------------------------

    def due(self, spot: int, amount: int) -> int:
        """Return the commission due up front for a stake."""
        if COMMISSION[spot] == 0 or self.commission == ON_WIN or amount == 0:
            return 0
        return twentieth(self.commissioned(spot, amount), self.vig)

    def commissioned(self, spot: int, amount: int) -> int:
        """Return the amount on which the commission is charged: the stake, or the possible win."""
        if COMMISSION[spot] == 0:
            return 0
        row = FIRST_ROW[spot]
        # Lay bets win with 7; roll 5 is 1-6.
        return amount if COMMISSION[spot] == 1 else amount * RESULTS[36 * row + 5] // EACH[row]

    def taken(self, spot: int, amount: int) -> int:
        """Return the commission taken from a win."""
        if COMMISSION[spot] == 0 or self.commission == UP_FRONT:
            return 0
        return twentieth(self.commissioned(spot, amount), self.vig)

    # What side bets count -------------------------------------------------------------------------------------------

    def forget(self) -> None:
        """Reset what side bets count, except the points made."""
        self.seen = 0
        for n in range(13):
            self.repeats[n] = 0
