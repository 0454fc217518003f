"""Street craps as one table of results, with a long list of rolls kept for the story."""

from dicelab.rules import D6, FACES, OVER, Game, Int, Param, Tally, throw, thrown

COME_OUT = {
    **{total: "point" for total in (4, 5, 6, 8, 9, 10)},
    7: "natural",
    11: "natural",
    2: "craps",
    3: "craps",
    12: "craps",
}
ODDS = {4: (2, 1), 5: (3, 2), 6: (6, 5), 8: (6, 5), 9: (3, 2), 10: (2, 1)}


class StreetCraps(Game):
    """Craps with full odds in units of ten."""

    name = "street_craps_table"
    source = "street rules"
    outcomes = ("pass", "miss")

    odds = Param(10, 0, 100, "odds behind the line")

    point = Int(0, 10, "the point; 0 before")
    result = Int(-1, 1, "1: pass, -1: miss")

    money = Tally("money won")
    throws = Tally("rolls")
    hard = Tally("points made the hard way")

    def next(self):
        return throw(self.dice) if not self.result else OVER

    @thrown(2, D6, FACES)
    def dice(self, *pair):
        self.throws += 1
        total = sum(pair)
        if self.point == 0:
            what = COME_OUT[total]
            self.point = total if what == "point" else 0
            self.result = {"natural": 1, "craps": -1, "point": 0}[what]
            self.money += 10 * self.result
        elif total in (7, self.point):
            self.result = 1 if total == self.point else -1
            up, down = ODDS[self.point]
            gain = 10 + self.odds * up // down if self.result > 0 else -10 - self.odds
            self.money += gain
            self.hard += self.result == 1 and len(set(pair)) == 1

    def outcome(self):
        return self.outcomes.index("pass" if self.result == 1 else "miss")
