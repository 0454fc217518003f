"""A single bet of craps, from the time it is made until it is won, lost or pushed.

Plays any bet of `dicelab.extras.craps.catalogue`, whose rows give the effect of each roll. The edge is that of one
bet carried to its decision: a roll that decides nothing isn't a push. A bet that is off on come-outs is made just after
a point has been set; it then takes longer to decide, and nothing else changes. The odds of a come bet that are off on
come-outs are returned when a come-out roll decides the come bet.
"""

from __future__ import annotations

from dicelab.extras.craps.bet import EXACT, LOSES, ROUNDINGS, STAYS, Commission, Kind, When, twentieth
from dicelab.extras.craps.catalogue import (
    BETS,
    COMMISSION,
    CRAPLESS,
    EACH,
    GATHERS,
    IDS,
    KINDS,
    LEVELS,
    OF_THE_WIN,
    PAYS,
    PUBLISHED,
    RESULTS,
    RIDES,
    TENTHS_BEHIND,
    TIMES,
    UNITS,
)
from dicelab.extras.craps.houses import ANY, HOUSES, PROFILES, refusal
from dicelab.rules import (
    D6,
    FACES,
    OVER,
    Casino,
    Choice,
    Flag,
    Int,
    Numbers,
    Param,
    Rulebook,
    Switch,
    Tally,
    Words,
    throw,
    thrown,
)

UNDECIDED, WON, LOST, RETURNED = 0, 1, 2, 3


class CrapsBet(Casino):
    """A single bet of craps, until it is won, lost or pushed."""

    name = "craps-bet"
    source = "the bets of casinos, as Wizard of Odds and 58 Pa. Code 623a describe them"
    outcomes = ("win", "lose", "push")
    edges_over = "bet"
    edges_whatever = ("off", "house")
    published = PUBLISHED
    profiles = {name: {"house": name} for name in PROFILES}

    words = Words(
        names={"before": "roll", "dice": "roll", "throws": "rolls", "amount": "stake", "number": "number of the bet"},
        hidden=("made", "gathered", "result"),
        values={"point": {0: "off"}, "number": {0: "none yet"}, "behind": {0: "none"}},
        board=(Numbers(("bet", "amount", "number", "behind")), Numbers(("point", "times"))),
        endings={"win": "The bet wins {money}", "lose": "The bet loses {amount}", "push": "The bet is returned"},
        rulebook=Rulebook(
            goal="Win one bet of craps.",
            turn="Roll two dice until the bet is decided. Type edges for its house edge.",
            end="The bet is won, lost, or returned.",
        ),
    )

    bet = Choice(IDS, "the bet")
    stake = Param(0, 0, 10**9, "stake, in whole units; 0 for the smallest with whole payouts")
    vig = Choice(ROUNDINGS, "how a commission is rounded to whole units; at least 1, except for exact")
    off = Switch(False, "the bet, or the odds of a come bet, is off on come-outs")
    house = Choice(HOUSES, "the house where the bet is made", default=ANY)

    amount = Int(0, 10**9, "stake, without odds and commission")
    made = Flag("the bet is made")
    number = Int(0, 12, "the number with or against which the bet rides; 0 before it has one")
    behind = Int(0, 200 * 10**9, "odds behind the number")
    point = Int(0, 12, "the point, if it matters; 0 when the puck is OFF")
    gathered = Int(0, 2**13 - 1, "totals rolled, or points made, as bits")
    times = Int(0, 6, "how often the total was rolled, or how many points were made")
    result = Int(UNDECIDED, RETURNED, "0 undecided, 1 won, 2 lost, 3 pushed")

    throws = Tally("rolls, including those before the bet is made")
    wait = Tally("rolls after the bet is made")
    money = Tally("net win; negative for a loss")
    staked = Tally("money staked, including odds and commission")
    returned = Tally("odds returned undecided")

    def refuse(self) -> str:
        bet, stake = BETS[self.bet], self.stake
        reason = refusal(bet.id, HOUSES[self.house])
        if reason:
            return f"{bet.name}: {reason}"
        unit = bet.unit(commission=self.vig == EXACT)
        if stake % unit:
            return f"{bet.name}: not everything that {stake} may win is a whole number; stake a multiple of {unit}"
        if self.off and (bet.one_throw or bet.kind in (Kind.ALL, Kind.REPEAT, Kind.FIRE)):
            return f"{bet.name} is never off"
        if self.off and bet.kind == Kind.RIDES and (bet.when == When.COME_OUT or not any(bet.odds)):
            return f"{bet.name} is never off; only the odds of a come bet can be"
        return ""

    def start(self) -> None:
        self.amount = self.stake if self.stake > 0 else UNITS[self.bet]
        self.made = not self.off
        self.staked += self.amount + self.commission(Commission.UP_FRONT)

    def next(self) -> int:
        if self.result != UNDECIDED:
            return OVER
        if not self.made:
            return throw(self.before)
        return throw(self.dice)

    @thrown(2, D6)
    def before(self, total: int) -> None:
        """Roll until there is a point; then the bet is made."""
        self.throws += 1
        self.move_puck(total)
        self.made = self.point > 0

    @thrown(2, D6, FACES)
    def dice(self, one: int, two: int) -> None:
        self.throws += 1
        self.wait += 1
        total = one + two
        if KINDS[self.bet] == Kind.FIRE:
            self.count_points(total)
        elif self.number > 0:
            self.ride(total)
        elif KINDS[self.bet] == Kind.RIDES or not self.resting():
            self.decide(RESULTS[36 * self.bet + 6 * one + two - 7], total)
        if self.off or KINDS[self.bet] == Kind.FIRE:
            self.move_puck(total)

    def resting(self) -> bool:
        """Return whether this is a come-out on which the bet or its odds are off."""
        return self.off and self.point == 0

    def decide(self, result: int, total: int) -> None:
        if result == LOSES:
            self.settle(LOST, -self.amount - self.commission(Commission.UP_FRONT))
        elif result == 0:
            self.settle(RETURNED, 0)
        elif result != STAYS:
            self.win(self.amount * result // EACH[self.bet])
        elif KINDS[self.bet] == Kind.RIDES:
            self.travel(total)
        elif KINDS[self.bet] != Kind.FIXED:
            self.gather(total)

    def win(self, money: int) -> None:
        self.settle(WON, money - self.commission(Commission.UP_FRONT) - self.commission(Commission.ON_WIN))

    def settle(self, result: int, money: int) -> None:
        self.result = result
        self.money += money

    def commission(self, when: int) -> int:
        """Return the commission due at that time: 5 % of the stake, or of the possible win."""
        if COMMISSION[self.bet] != when:
            return 0
        return twentieth(self.commissioned(), self.vig)

    def commissioned(self) -> int:
        if OF_THE_WIN[self.bet] == 0:
            return self.amount
        return self.amount * RESULTS[36 * self.bet + 5] // EACH[self.bet]

    # A bet that rides with its number, or against it -----------------------------------------------------------------

    def travel(self, total: int) -> None:
        """Make the first total the number, and odds are put behind it."""
        self.number = total
        self.behind = self.amount * TENTHS_BEHIND[5 * self.bet + abs(7 - total) - 1] // 10
        self.staked += self.behind

    def ride(self, total: int) -> None:
        if total != self.number and total != 7:
            return
        working = self.behind
        if self.resting():
            working = 0
            self.returned += self.behind
        ways = 6 - abs(7 - self.number)
        if RIDES[self.bet] > 0 and total != 7:
            self.settle(WON, self.amount + working * 6 // ways)
        elif RIDES[self.bet] < 0 and total == 7:
            self.settle(WON, self.amount + working * ways // 6)
        else:
            self.settle(LOST, -self.amount - working)

    # Side bets -------------------------------------------------------------------------------------------------------

    def gather(self, total: int) -> None:
        """Count a total: each of several totals once, or one total several times."""
        wanted = GATHERS[self.bet]
        if wanted >> total & 1 == 0:
            return
        if KINDS[self.bet] == Kind.ALL:
            self.gathered |= 1 << total
        else:
            self.times += 1
        if self.gathered == wanted or (self.times > 0 and self.times == TIMES[self.bet]):
            self.win(self.amount * PAYS[self.bet])

    def count_points(self, total: int) -> None:
        """Fire: count the different points made, until the seven-out or the sixth point."""
        if self.point == 0:
            return
        if total == self.point and self.gathered >> total & 1 == 0:
            self.gathered |= 1 << total
            self.times += 1
        if total == 7 or self.times == 6:
            pays = LEVELS[4 * self.bet + self.times - 3] if self.times >= 3 else 0
            self.settle(WON if pays > 0 else LOST, self.amount * pays if pays > 0 else -self.amount)

    def move_puck(self, total: int) -> None:
        if self.point > 0:
            if total == self.point or total == 7:
                self.point = 0
        elif total != 7 and (4 <= total <= 10 or CRAPLESS[self.bet] > 0):
            self.point = total

    def outcome(self) -> int:
        return self.result - WON
