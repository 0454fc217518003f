"""The layout of a craps table: what the house allows, what lies on which spot, and which bets may be made.

`dicelab.games.craps` is the game that is played on it. What each throw does to each bet are the rows of
`dicelab.craps.catalogue`, by way of the spots of `dicelab.craps.spots`.
"""

from __future__ import annotations

from dicelab.craps.bet import When
from dicelab.craps.catalogue import BARS
from dicelab.craps.commission import EXACT, ROUNDINGS, twentieth
from dicelab.craps.refusals import SENTENCES, Reason
from dicelab.craps.spots import (
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
    Family,
    Move,
    Part,
    Rule,
)
from dicelab.rules import Casino, Choice, Flag, Int, Ints, Param, Peak, Switch, Tally, chosen

ROOM = 40
"""Bets of one player that may lie on the table at the same time."""
OFFERS = ("every_bet", "no_side_bets", "no_propositions", "lines_only")
FIRES = ("pays_24_249_999", "pays_9_199_1999", "pays_5_25_200_500", "pays_6_29_149_299")
ON_WIN, UP_FRONT = 0, 1
MOST_MONEY = 2**50


class Layout(Casino):
    """The players, their money and their bets, under the rules of a house."""

    players = Param(1, 1, 8, "players at the table")
    bankroll = Param(300, 1, 10**9, "money that each brings")
    minimum = Param(5, 1, 10**6, "the least that line, place, buy and lay bets may be")
    maximum = Param(5000, 1, 10**6, "the most that may lie on one spot")
    chip = Param(1, 1, 10**6, "the smallest chip")

    until_throws = Param(0, 0, 10**6, "throws after which a session ends; 0 for no such end")
    until_rounds = Param(60, 0, 10**6, "rounds after which a session ends; 0 for no such end")
    until_hands = Param(0, 0, 10**6, "seven-outs after which a session ends; 0 for no such end")
    stop_loss = Param(0, 0, 10**9, "loss at which a player leaves; 0 for none")
    stop_win = Param(0, 0, 10**9, "win at which a player leaves; 0 for none")

    house = Choice(HOUSES, "whose customs: what works on come-outs, and what big 6 and 8 pay")
    crapless = Switch(False, "7 alone decides a come-out, and every other total is a point")
    odds = Choice(ODDS_LIMITS, "odds allowed, in multiples of the bet before them", default="345x")
    bar = Choice(tuple(f"bar{bar}" for bar in BARS), "the total that returns a don't bet")
    field = Choice(("2x3x", "3x2x", "2x2x", "3x3x"), "what the field pays on 2 and on 12")
    commission = Choice(("on_win", "up_front"), "when the commission of buy and lay bets is due")
    vig = Choice(ROUNDINGS, "how a commission is rounded; but for exact, it is at least 1", default="down")
    quoted = Choice(("to", "for"), "how hardways, 2, 3, 11, 12 and repeaters are paid: 30 to 1, or 30 for 1")
    fire = Choice(FIRES, "what the fire bet pays to 1, for 4 to 6 points or 3 to 6")
    tall = Choice(("pays_34_175", "pays_30_150"), "what small and tall pay to 1, and all")
    offers = Choice(OFFERS, "the bets that the table takes")
    falls = Switch(False, "follow how far the money falls from its highest, which takes time")
    changes_at_most = Param(30, 1, 1000, "changes that a player may make between two throws")

    seats = players

    purse = Ints(players, 0, MOST_MONEY, "money of each player that is not on the table", start=bankroll)
    bets = Ints(players * COUNT, 0, maximum, "money on each spot, player by player")
    lying = Ints(players * ROOM, 0, COUNT - 1, "spots on which a player has money")
    count = Ints(players, 0, ROOM, "on how many spots")
    left = Ints(players, 0, 1, "1 for players who make no more bets")
    player = Int(0, players, "who makes bets; nobody where it is the number of players")
    changes = Int(0, changes_at_most, "changes made since the last throw")

    below = Int(-MOST_MONEY, MOST_MONEY, "how far the first player is below the most ever had, if falls are followed")
    point = Int(0, 12, "the point; 0 when the puck is OFF")
    new_shooter = Flag("the shooter has not thrown yet")
    throws_left = Int(0, until_throws, "throws until the session ends", start=until_throws)
    rounds_left = Int(0, until_rounds, "rounds until the session ends", start=until_rounds)
    hands_left = Int(0, until_hands, "seven-outs until the session ends", start=until_hands)

    sides = Int(0, players * ROOM, "side bets on the table; what they count is counted only for them")
    seen = Int(0, 2**13 - 1, "totals thrown since the last 7, as bits")
    made = Int(0, 2**13 - 1, "points that the shooter has made, as bits")
    repeats = Ints(13, 0, 6, "how often each total was thrown since the last 7")

    throws = Tally("throws")
    rounds = Tally("rounds: decisions of the pass line")
    hands = Tally("shooters who sevened out")
    points = Tally("points made")
    money = Tally("money won; lost where negative", low=0 - bankroll)
    staked = Tally("money that was won or lost with, or pushed")
    peak = Peak("the most ever won")
    fall = Peak("the deepest fall of the money from its highest, if falls are followed")

    def refuse(self) -> str:  # noqa: D102 (the contract says what it means)
        if self.maximum < self.minimum:
            return f"the maximum, {self.maximum}, is below the minimum, {self.minimum}"
        if self.minimum % self.chip or self.bankroll % self.chip:
            return f"minimum and bankroll must be multiples of the smallest chip, {self.chip}"
        if self.bankroll < self.minimum:
            return f"the bankroll, {self.bankroll}, is below the minimum, {self.minimum}"
        return ""

    # Bets ------------------------------------------------------------------------------------------------------------

    def allowed(self, spot: int, amount: int) -> bool:
        """May a bet be made, or taken down?"""
        return self.refusal(spot, amount) == Reason.FINE

    def refusal(self, spot: int, amount: int) -> int:
        """The number of the reason why a bet, or taking some of it down where it is negative, is refused."""
        if spot == DONE:
            return Reason.FINE if amount == 0 else Reason.NOT_DONE
        if amount == 0:
            return Reason.NOTHING
        if self.changes == self.changes_at_most:
            return Reason.CHANGES
        lies = self.bets[self.player * COUNT + spot]
        timely = self.untimely(spot) if amount > 0 else self.fixed(spot, lies + amount)
        if timely != Reason.FINE:
            return timely
        if amount > self.purse[self.player] - self.due(spot, lies + amount) + self.due(spot, lies):
            return Reason.MONEY
        if amount > 0 and lies == 0 and self.count[self.player] == ROOM:
            return Reason.ROOM
        return self.unfit(spot, lies + amount)

    def untimely(self, spot: int) -> int:
        """May money be put there at this time?"""
        if FAMILY[spot] > Family.SIDE - self.offers:
            return Reason.NOT_OFFERED
        outside = NUMBER[spot] > 0 and (NUMBER[spot] < 4 or NUMBER[spot] > 10)
        if (self.crapless and AGAINST[spot] > 0) or (not self.crapless and outside):
            return Reason.CRAPLESS
        if PART[spot] == Part.ODDS:
            return Reason.FINE if self.rides(FLAT[spot]) else Reason.FLAT
        if AGAINST[spot] > 0 and PART[spot] == Part.FLAT and (spot != DONT_PASS or self.point > 0):
            return Reason.RAISED
        if PART[spot] == Part.FLAT and PUTS[self.house] == 0 and (spot > DONT_PASS or self.point > 0):
            return Reason.PUT
        if WHEN[spot] == When.POINT and self.point == 0:
            return Reason.POINT
        if WHEN[spot] == When.SHOOTER and not self.new_shooter:
            return Reason.SHOOTER
        return Reason.FINE

    def rides(self, flat: int) -> bool:
        """Is there a bet with a number on that spot?"""
        return self.bets[self.player * COUNT + flat] > 0 and (self.point > 0 or flat > DONT_COME)

    def fixed(self, spot: int, rest: int) -> int:
        """May money be taken down there, so that `rest` is left?"""
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
        """Is a bet there a contract now?"""
        return CONTRACT[spot] > 0 or (spot == PASS and self.point > 0)

    def unfit(self, spot: int, total: int) -> int:
        """May so much lie there?"""
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
        """The most odds behind a flat bet: so many times its amount, or laid to win so many times its amount."""
        number = NUMBER[flat_spot] if NUMBER[flat_spot] > 0 else self.point
        if number == 0:
            return 0
        distance = abs(7 - number)
        tenths = flat * LIMIT[5 * self.odds + distance - 1]
        return tenths * 6 // (6 - distance) // 10 if AGAINST[flat_spot] > 0 else tenths // 10

    def odds_of(self, flat: int) -> int:
        """The spot of the odds behind a flat bet."""
        if flat < COME:
            return flat + 1
        return flat + COME_ODDS_2 - COME_2 if AGAINST[flat] == 0 else flat + DONT_COME_ODDS_4 - DONT_COME_4

    def why(self, spot: int, amount: int) -> str:
        """Why the player whose turn it is may not bet so much there, or take so much down."""
        reason = Reason(self.refusal(spot, amount))
        return SENTENCES[reason] + self.number_for(reason, spot, amount)

    def number_for(self, reason: Reason, spot: int, amount: int) -> str:
        """What would be allowed, where that is a number."""
        if reason == Reason.MINIMUM:
            return f", {self.minimum}"
        if reason == Reason.MAXIMUM:
            return f", {self.maximum}"
        if reason == Reason.UNIT:
            return f", {self.chip}"
        if reason == Reason.MONEY:
            return f": {self.purse[self.player]}"
        if reason == Reason.LIMIT and amount > 0:
            flat = FLAT[spot]
            return f": {self.odds_limit(flat, self.bets[self.player * COUNT + flat])} at most"
        if reason == Reason.PAYABLE and (self.bets[self.player * COUNT + spot] + amount) % EACH[self.row(spot)]:
            return f", here {EACH[self.row(spot)]}"
        return ""

    @chosen(Move, (0 - maximum, maximum), legal=allowed, because=why)
    def bet(self, spot: int, amount: int) -> None:
        """Bets are made and taken down one by one until a player is done."""
        if spot == DONE:
            self.player += 1
            self.next_player()
        else:
            self.changes += 1
            self.put(self.player, spot, amount)

    def put(self, seat: int, spot: int, amount: int) -> None:
        """Money from the purse to a spot, or back where it is negative; with the commission that is due up front."""
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
        """The place of a spot among those on which a player has money."""
        place = 0
        while self.lying[seat * ROOM + place] != spot:
            place += 1
        return place

    def clear(self, seat: int, place: int) -> None:
        """Nothing lies there any more; the last of the player's spots takes its place."""
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
        """Win some money, or lose it."""
        self.purse[seat] += money
        self.count_won(seat, money)

    def count_won(self, seat: int, money: int) -> None:
        """What the first player wins, or loses, is counted."""
        if seat == 0:
            self.money += money
            if self.falls:
                self.below -= money

    def next_player(self) -> None:
        """On to the next player who has not left."""
        self.changes = 0
        while self.player < self.players and self.left[self.player] > 0:
            self.player += 1

    # Which row decides a spot ---------------------------------------------------------------------------------------

    def row(self, spot: int) -> int:
        """The row that decides a spot: while a point stands those of the line ride with it, as come bets do."""
        if self.point > 0 and spot <= DONT_PASS_ODDS:
            if spot == PASS:
                return FIRST_ROW[COME_2 + self.nth(self.point)]
            if spot == PASS_ODDS:
                return FIRST_ROW[COME_ODDS_2 + self.nth(self.point)]
            if spot == DONT_PASS:
                return FIRST_ROW[DONT_COME_4 + self.nth(self.point) - 2]
            return FIRST_ROW[DONT_COME_ODDS_4 + self.nth(self.point) - 2]
        if RULE[spot] == Rule.NONE:
            return FIRST_ROW[spot]
        return FIRST_ROW[spot] + self.variant(RULE[spot])

    def variant(self, rule: int) -> int:
        """What the house says by one of its rules."""
        if rule == Rule.CRAPLESS:
            return 1 if self.crapless else 0
        if rule == Rule.BAR:
            return self.bar
        if rule == Rule.FIELD:
            return self.field
        if rule == Rule.QUOTED:
            return self.quoted
        if rule == Rule.HOUSE:
            return self.house
        return self.fire if rule == Rule.FIRE else self.tall

    def nth(self, number: int) -> int:
        """The place of a number among 2, 3, 4, 5, 6, 8, 9, ..."""
        return number - 2 if number < 7 else number - 3

    # Commissions -----------------------------------------------------------------------------------------------------

    def due(self, spot: int, amount: int) -> int:
        """The commission up front of a bet."""
        if COMMISSION[spot] == 0 or self.commission == ON_WIN or amount == 0:
            return 0
        return twentieth(self.commissioned(spot, amount), self.vig)

    def commissioned(self, spot: int, amount: int) -> int:
        """That of which a commission is a twentieth: the stake, or the possible win."""
        if COMMISSION[spot] == 0:
            return 0
        row = FIRST_ROW[spot]
        return amount if COMMISSION[spot] == 1 else amount * RESULTS[36 * row + 5] // EACH[row]

    def taken(self, spot: int, amount: int) -> int:
        """The commission on a win."""
        if COMMISSION[spot] == 0 or self.commission == UP_FRONT:
            return 0
        return twentieth(self.commissioned(spot, amount), self.vig)

    # What side bets count -------------------------------------------------------------------------------------------

    def forget(self) -> None:
        """Nothing has been counted."""
        self.seen = 0
        for n in range(13):
            self.repeats[n] = 0
