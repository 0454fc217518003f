"""A craps table: players with bankrolls, all bets of the layout, and the rules of the house.

Before each roll the players in turn make, change or take down bets until they are done. The roll then, in this order,
decides all bets (with the puck still where it was), moves come bets to their numbers, moves the puck, and passes the
dice after a seven-out. The effect of a roll on a bet is read from the row of its spot
(`dicelab.extras.craps.spots`, `dicelab.extras.craps.catalogue`).

A player leaves at the end of the session, at the agreed loss or win, or with too little money for the table's minimum.
A player who leaves takes down all bets except contract bets, and stays until these are decided. The outcome and the
tallies of money are those of the first player; the others share the dice.
"""

from __future__ import annotations

from dicelab.extras.craps.bet import LEVELS as FIRE_LEVELS
from dicelab.extras.craps.bet import LOSES, STAYS, Kind
from dicelab.extras.craps.bet_names import called
from dicelab.extras.craps.betting_systems import FLAT, FRACTION, LINE, MOST, SYSTEMS, after
from dicelab.extras.craps.houses import PROFILES
from dicelab.extras.craps.spots import (
    AGAINST,
    AT_LEAST,
    COME,
    COME_2,
    COMMISSION,
    COUNT,
    COVER,
    COVERS,
    DONE,
    DONT_COME,
    DONT_COME_4,
    DONT_PASS,
    EACH,
    FIRST_ROW,
    GATHERS,
    HOUSES,
    KINDS,
    LEVELS,
    NUMBER,
    PART,
    PASS,
    PAYS,
    RESTS,
    RESULTS,
    SIDE,
    STAYS_UP,
    TIMES,
    WITHIN,
    Part,
)
from dicelab.extras.craps.table_rules import MOST_MONEY, ON_WIN, ROOM, Reason
from dicelab.extras.craps.view import Viewed
from dicelab.rules import (
    D6,
    FACES,
    OVER,
    Choice,
    Int,
    Ints,
    Memory,
    Numbers,
    Param,
    Places,
    Rulebook,
    Words,
    ask,
    strategy,
    throw,
    thrown,
)

CUSTOMS = len(HOUSES)
RUINED, BEHIND, EVEN, AHEAD = range(4)


class Craps(Viewed):
    """A craps table: a session with a bankroll and bets of all kinds."""

    name = "craps"
    source = "the rules of casinos, as Wizard of Odds and 58 Pa. Code 623a describe them"
    outcomes = ("ruined", "behind", "even", "ahead")
    edges_of = "craps-bet"
    ruin = "ruined"
    profiles = PROFILES

    words = Words(
        names={
            "throws": "rolls",
            "staked": "stakes decided",
            "dice": "roll",
            "purse": "money",
            "bets": "on the table",
            "house": "rules",
        },
        hidden=(
            *("player", "lying", "count", "left", "changes", "below", "rolled", "new_shooter"),
            *("sides", "seen", "made", "repeats"),
        ),
        values={
            "point": {0: "off"},
            "bets": [called(spot) for spot in range(COUNT)],
            **{name: {0: "none"} for name in ("throws_left", "rounds_left", "hands_left")},
        },
        board=(
            Numbers(("point", "throws", "throws_left", "rounds_left", "hands_left")),
            Places("purse"),
            Places("bets"),
        ),
        endings={
            "ruined": "You went broke after {throws} rolls",
            "behind": "You leave with less than you brought",
            "even": "You leave with what you brought",
            "ahead": "You leave with more than you brought",
        },
        rulebook=Rulebook(
            goal="Leave the table with more money than you brought.",
            setup="You have {bankroll} to bet with; the table takes {minimum} to {maximum} on a spot.",
            turn="Make bets, then roll two dice. The first roll of a round, the come-out, wins for the pass line with "
            "7 or 11 and loses with 2, 3 or 12. Every other total becomes the point: the pass line wins if it comes "
            "again before a 7, and loses with a 7, which also passes the dice to the next shooter. Odds behind a line "
            "bet are paid without a house edge once there is a point. Don't pass is nearly the reverse of pass; come "
            "and don't come are line bets made after the come-out; place and buy bets win when their number comes "
            "before a 7.",
            end="The session ends after the agreed rounds or rolls, with the agreed win or loss, or without money.",
            scoring="Money won beyond what you brought counts for you, money lost against you.",
        ),
    )

    def start(self) -> None:
        self.new_shooter = True
        self.open_bets()

    def next(self) -> int:
        if self.player < self.players:
            return ask(self.bet, self.player)
        if sum(self.left) == self.players and sum(self.count) == 0:
            return OVER
        return throw(self.dice)

    def outcome(self) -> int:
        if self.purse[0] > self.bankroll:
            return AHEAD
        if self.purse[0] == self.bankroll:
            return EVEN
        return BEHIND if self.purse[0] >= self.minimum else RUINED

    # Rolls -----------------------------------------------------------------------------------------------------------

    @thrown(2, D6, FACES)
    def dice(self, one: int, two: int) -> None:
        total = one + two
        self.throws += 1
        if self.last_roll:
            self.rolled = total
        if self.sides > 0:
            self.note(total)
        for seat in range(self.players):
            if self.count[seat] > 0:
                self.decide(seat, 6 * one + two - 7, total)
                self.travel(seat, total)
        self.move_puck(total)
        if self.throws_left > 0:
            self.throws_left -= 1
            if self.throws_left == 0:
                self.end_session()
        self.open_bets()

    def decide(self, seat: int, throw: int, total: int) -> None:
        """Decide each bet of a player, before the puck is moved; `throw` is the number of the roll, 0 to 35."""
        place = 0
        while place < self.count[seat]:  # bets before `place` stay; clear() moves the last bet to `place`
            if self.decided(seat, self.lying[seat * ROOM + place], throw, total):
                self.clear(seat, place)
            else:
                place += 1

    def decided(self, seat: int, spot: int, throw: int, total: int) -> bool:
        """Decide one bet; returns whether it comes down."""
        row = self.row(spot)
        result = RESULTS[36 * row + throw]
        if SIDE[spot] > 0:
            result = self.gathered(row, result, total)
        if result == STAYS:
            return False
        amount = self.bets[seat * COUNT + spot]
        if self.point == 0 and RESTS[CUSTOMS * spot + self.house] > 0:  # off: odds are returned, other bets stay
            if PART[spot] == Part.ODDS:
                self.purse[seat] += amount
            return PART[spot] == Part.ODDS
        if seat == 0:
            self.staked += amount
        if result == LOSES:
            self.count_won(seat, -amount)
            return True
        self.pay(seat, amount * result // EACH[row] - self.taken(spot, amount))
        if STAYS_UP[spot] > 0 and (COMMISSION[spot] == 0 or self.commission == ON_WIN):
            return False
        self.purse[seat] += amount
        return True

    def travel(self, seat: int, total: int) -> None:
        """Move come bets that the roll did not decide to its number."""
        if self.bets[seat * COUNT + COME] > 0:
            self.move(seat, COME, COME_2 + self.nth(total))
        if self.bets[seat * COUNT + DONT_COME] > 0:
            self.move(seat, DONT_COME, DONT_COME_4 + self.nth(total) - 2)

    def move(self, seat: int, box: int, spot: int) -> None:
        self.lying[seat * ROOM + self.where(seat, box)] = spot
        self.bets[seat * COUNT + spot] = self.bets[seat * COUNT + box]
        self.bets[seat * COUNT + box] = 0

    def move_puck(self, total: int) -> None:
        self.new_shooter = False
        if self.point == 0:
            if total != 7 and (4 <= total <= 10 or self.crapless):
                self.point = total
            else:
                self.end_round()
        elif total == self.point:
            self.point = 0
            self.points += 1
            self.end_round()
        elif total == 7:
            self.point = 0
            self.made = 0
            self.new_shooter = True
            self.hands += 1
            self.end_round()
            self.end_hand()

    def end_round(self) -> None:
        self.rounds += 1
        if self.rounds_left > 0:
            self.rounds_left -= 1
            if self.rounds_left == 0:
                self.end_session()

    def end_hand(self) -> None:
        if self.hands_left > 0:
            self.hands_left -= 1
            if self.hands_left == 0:
                self.end_session()

    # Side bets -------------------------------------------------------------------------------------------------------

    def note(self, total: int) -> None:
        """Count the total for side bets, before bets are decided; a 7 resets the counts, but not the points made."""
        if total == 7:
            self.forget()
            return
        self.seen |= 1 << total
        self.repeats[total] = min(6, self.repeats[total] + 1)
        if total == self.point:
            self.made |= 1 << total

    def gathered(self, row: int, result: int, total: int) -> int:
        """Return the effect of a roll on a side bet: `STAYS`, `LOSES` or the win."""
        if KINDS[row] == Kind.FIRE:
            return self.burned(row, total)
        if KINDS[row] == Kind.ALL:
            return PAYS[row] if self.seen & GATHERS[row] == GATHERS[row] else result
        counts = GATHERS[row] >> total & 1 > 0
        return PAYS[row] if counts and self.repeats[total] == TIMES[row] else result

    def burned(self, row: int, total: int) -> int:
        """Return the effect of a roll on a fire bet, which is decided at the seven-out or at the
        sixth different point.
        """
        level = 0
        for n in range(4, 11):
            level += self.made >> n & 1
        if level < 6 and (total != 7 or self.point == 0):
            return STAYS
        pays = LEVELS[4 * row + level - FIRE_LEVELS[0]] if level >= FIRE_LEVELS[0] else 0
        return pays if pays > 0 else LOSES

    # Start and end of betting ----------------------------------------------------------------------------------------

    def open_bets(self) -> None:
        """Let players who have lost or won enough leave, and start the next round of betting."""
        for seat in range(self.players):
            wealth = self.wealth(seat)
            if self.left[seat] == 0 and self.enough(wealth):
                self.leave(seat)
                wealth = self.wealth(seat)
            if seat == 0:
                self.follow(wealth)
        self.player = 0
        self.next_player()

    def follow(self, wealth: int) -> None:
        """Count the first player's peak and drawdown; also after the player has left, while bets remain."""
        self.peak = max(self.peak, wealth - self.bankroll)
        if self.falls:  # count_won() keeps `below` up to date; below 0 means a new peak
            self.below = max(0, self.below)
            self.fall = max(self.fall, self.below)

    def wealth(self, seat: int) -> int:
        """Money in the purse and on the table."""
        money = self.purse[seat]
        for place in range(self.count[seat]):
            money += self.bets[seat * COUNT + self.lying[seat * ROOM + place]]
        return money

    def enough(self, wealth: int) -> bool:
        """Return whether that is below the table's minimum, or at the agreed loss or win."""
        lost = self.stop_loss > 0 and wealth <= self.bankroll - self.stop_loss
        won = self.stop_win > 0 and wealth >= self.bankroll + self.stop_win
        return lost or won or wealth < self.minimum

    def end_session(self) -> None:
        for seat in range(self.players):
            self.leave(seat)

    def leave(self, seat: int) -> None:
        """End a player's betting, and take down all bets except contract bets."""
        self.left[seat] = 1
        place = 0
        while place < self.count[seat]:
            spot = self.lying[seat * ROOM + place]
            if self.bound(spot):
                place += 1
            else:
                amount = self.bets[seat * COUNT + spot]
                self.purse[seat] += amount
                self.pay(seat, self.due(spot, amount))
                self.clear(seat, place)


# Strategies: which bets to make, with amounts by a betting system -----------------------------------------------------


class Course(Memory):
    """The progress of a betting system."""

    purse = Int(0, MOST_MONEY, "money when no bet was on the table last")
    units = Int(1, MOST, "units of the next bet")
    step = Int(0, LINE, "step of the system; for Labouchère, the length of the line")
    line = Ints(LINE, 0, MOST, "Labouchère's line")


UNIT = Param(10, 1, 10**6, "money of one unit")
SYSTEM = Choice(SYSTEMS, "betting system")
PERCENT = Param(5, 1, 100, "system fraction: stake, in percent of the money")


def stake(game: Craps, mine: Course, unit: int, system: int, percent: int) -> int:
    """Return the amount of a bet, at least the table's minimum; the system goes on when no bet is on the table."""
    if system != FLAT and game.count[game.player] == 0:
        change = game.purse[game.player] - mine.purse if mine.purse > 0 else 0
        mine.units, mine.step = after(system, change, mine.units, mine.step, mine.line)
        mine.purse = game.purse[game.player]
    units = mine.units
    if system == FRACTION:
        units = game.purse[game.player] * percent // 100 // unit
    return max(units * unit, game.minimum)


def lacking(game: Craps, spot: int, wanted: int) -> int:
    """Return the largest amount that may be added to a spot without exceeding `wanted` there; 0 if none may."""
    if game.changes == game.changes_at_most or game.untimely(spot) != Reason.FINE:
        return 0
    lies = game.bets[game.player * COUNT + spot]
    total = min(wanted, game.maximum, lies + game.purse[game.player])
    total -= total % (EACH[game.row(spot)] * game.chip)
    return 0 if total < lies or (AT_LEAST[spot] > 0 and total < game.minimum) else total - lies


def behind(game: Craps, flat: int, times: int) -> int:
    """Odds of `times` the flat bet, or laid to win that much, limited to what the house allows."""
    amount = game.bets[game.player * COUNT + flat]
    number = NUMBER[flat] if NUMBER[flat] > 0 else game.point
    wanted = amount * times
    if AGAINST[flat] > 0:
        wanted = wanted * 6 // (6 - abs(7 - number))
    return min(wanted, game.odds_limit(flat, amount))


def rounded(spot: int, wanted: int) -> int:
    """Return the smallest amount, at least `wanted`, for which the payout of a place bet is a whole number."""
    each = EACH[FIRST_ROW[spot]]
    return -(-wanted // each) * each


def covering(game: Craps, cover: int, amount: int, but_the_point: bool) -> tuple[int, int]:
    """Return the next move that completes a combination while there is a point, or `DONE`; optionally without the
    point.
    """
    for k in range(len(COVER)):
        if game.point > 0 and WITHIN[len(COVER) * cover + k] > 0:
            spot = COVER[k]
            if but_the_point and NUMBER[spot] == game.point:
                lies = game.bets[game.player * COUNT + spot]
                if lies > 0:
                    return spot, -lies
            else:
                more = lacking(game, spot, rounded(spot, amount))
                if more > 0:
                    return spot, more
    return DONE, 0


@strategy(
    Craps,
    memory=Course,
    side=Choice(("pass", "dont_pass"), "the line"),
    odds=Param(0, 0, 100, "odds, in multiples of the bet"),
    unit=UNIT,
    system=SYSTEM,
    percent=PERCENT,
    cover=Choice(("nothing", *COVERS), "bets on other numbers while there is a point"),
)
def line(
    game: Craps, mine: Course, side: int, odds: int, unit: int, system: int, percent: int, cover: int
) -> tuple[int, int]:
    """Pass or don't pass before each come-out; then odds, and place bets on numbers other than the point."""
    amount = stake(game, mine, unit, system, percent)
    spot = PASS if side == 0 else DONT_PASS
    wanted = amount
    if game.point > 0:
        wanted = behind(game, spot, odds)
        spot += 1
    more = lacking(game, spot, wanted)
    if more > 0:
        return spot, more
    return covering(game, cover - 1, amount, True) if cover > 0 else (DONE, 0)


@strategy(
    Craps,
    memory=Course,
    come_bets=Param(2, 0, 10, "number of come bets to have"),
    odds=Param(2, 0, 100, "odds, in multiples of the bet"),
    unit=UNIT,
    system=SYSTEM,
    percent=PERCENT,
)
def molly(
    game: Craps, mine: Course, come_bets: int, odds: int, unit: int, system: int, percent: int
) -> tuple[int, int]:
    """Bet the three-point molly: pass and two come bets (or another number of them), all with odds."""
    amount = stake(game, mine, unit, system, percent)
    riding = 0
    for place in range(game.count[game.player]):
        flat = game.lying[game.player * ROOM + place]
        if PART[flat] == Part.FLAT and game.rides(flat):
            riding += 1 if flat != PASS else 0
            more = lacking(game, game.odds_of(flat), behind(game, flat, odds))
            if more > 0:
                return game.odds_of(flat), more
    spot = COME if game.point > 0 else PASS
    more = lacking(game, spot, amount) if game.point == 0 or riding < come_bets else 0
    return (spot, more) if more > 0 else (DONE, 0)


@strategy(Craps)
def watch(game: Craps) -> tuple[int, int]:
    """No bets: follow the shooters, their hands and their points."""
    return DONE, 0


@strategy(
    Craps,
    memory=Course,
    bets=Choice(COVERS, "place 5, 6 and 8 and the field; place 6 and 8; 5, 6, 8 and 9; 4, 5, 6, 8, 9 and 10"),
    unit=UNIT,
    system=SYSTEM,
    percent=PERCENT,
)
def place(game: Craps, mine: Course, bets: int, unit: int, system: int, percent: int) -> tuple[int, int]:
    """Place bets while there is a point: the iron cross, or 6 and 8, or more."""
    return covering(game, bets, stake(game, mine, unit, system, percent), False)
