"""Roulette: one bet on one spin, on the wheel with two zeros or with one.

Every bet is one number of chips on some of the pockets. The published edges are those that Michael Shackleford (the
Wizard of Odds) gives at acesguidetogambling.com, "Zeros determine the odds in roulette": 5.26 % with two zeros, 7.89 %
for the top line, and always 2.70 % with one zero.

    dicelab par examples/roulette.py:roulette
    dicelab par examples/roulette.py:roulette --bet red
    dicelab edges examples/roulette.py:roulette-single-zero --only red --la-partage --stake 2
"""

from dicelab.rules import OVER, Casino, Choice, Flag, Numbers, Param, Rulebook, Switch, Tally, Words, d, throw, thrown

SOURCE = "M. Shackleford at acesguidetogambling.com"
TWO, ONE = "two", "one"
ZERO, DOUBLE_ZERO = 37, 38
"""The pockets 0 and 00; 1 to 36 have their own numbers."""

RED = {1, 3, 5, 7, 9, 12, 14, 16, 18, 19, 21, 23, 25, 27, 30, 32, 34, 36}
BETS = {
    "straight": ({17}, 35),
    "split": ({17, 20}, 17),
    "street": ({16, 17, 18}, 11),
    "corner": ({16, 17, 19, 20}, 8),
    "top_line": ({ZERO, DOUBLE_ZERO, 1, 2, 3}, 6),
    "six_line": (set(range(13, 19)), 5),
    "dozen": (set(range(13, 25)), 2),
    "column": (set(range(2, 37, 3)), 2),
    "red": (RED, 1),
    "odd": (set(range(1, 37, 2)), 1),
    "low": (set(range(1, 19)), 1),
}
"""By bet, the pockets that win and what they pay to one; other numbers of the same bet have the same chances."""
COVERS = tuple(sum(1 << pocket for pocket in pockets) for pockets, _ in BETS.values())
TOP_LINE = list(BETS).index("top_line")
PAYS = tuple(pays for _, pays in BETS.values())


class Roulette(Casino):
    """One bet on one spin of a roulette wheel."""

    name = "roulette"
    source = SOURCE
    outcomes = ("win", "lose")
    edges_over = "bet"
    edges_whatever = ("stake",)
    published = {bet: ("7.89 %" if bet == "top_line" else "5.26 %", SOURCE) for bet in BETS}

    words = Words(
        names={"single_wheel": "wheel"},
        hidden=("landed", "won"),
        values={"wheel": {ZERO: "0", DOUBLE_ZERO: "00"}, "single_wheel": {ZERO: "0"}},
        board=(Numbers(("bet", "pockets", "stake")),),
        news={"wheel": "The ball lands in {pocket}", "single_wheel": "The ball lands in {pocket}"},
        endings={"win": "The bet wins {money}", "lose": "The bet loses"},
        rulebook=Rulebook(
            goal="Bet on some of the pockets of the wheel; the ball must land in one of them.",
            setup="The wheel has pockets 1 to 36, 0 and 00.",
            turn="A bet on n pockets pays 36 / n - 1 times the stake: 35 for one number, 1 for red, odd or low.",
            end="One spin decides the bet.",
            options={
                "zeros one": "This wheel has no 00.",
                "la_partage": "When 0 comes, half of a bet on red, odd or low is returned.",
            },
        ),
    )

    bet = Choice(tuple(BETS), "the bet")
    zeros = Choice((TWO, ONE), "pockets of the house: 0 and 00, or 0 alone", default=TWO)
    stake = Param(1, 1, 10**6, "stake, in whole units")
    la_partage = Switch(False, "half of an even-money bet is returned if a zero comes")

    landed = Flag("the ball has come to rest")
    won = Flag("the bet has won")

    throws = Tally("spins")
    money = Tally("net win; negative for a loss")

    def refuse(self) -> str:
        if self.zeros != 0 and self.bet == TOP_LINE:
            return "the top line needs a wheel with two zeros"
        if self.la_partage and self.stake % 2 == 1:
            return "la partage returns half of the stake: stake an even number"
        return ""

    def next(self) -> int:
        if self.landed:
            return OVER
        return throw(self.wheel) if self.zeros == 0 else throw(self.single_wheel)

    @thrown(1, d(38))
    def wheel(self, pocket: int) -> None:
        self.land(pocket)

    @thrown(1, d(37))
    def single_wheel(self, pocket: int) -> None:
        self.land(pocket)

    def land(self, pocket: int) -> None:
        self.landed = True
        self.throws += 1
        if COVERS[self.bet] >> pocket & 1 == 1:
            self.won = True
            self.money += self.stake * PAYS[self.bet]
        elif self.la_partage and pocket >= ZERO and PAYS[self.bet] == 1:
            self.money -= self.stake // 2
        else:
            self.money -= self.stake

    def pockets(self) -> str:
        """The pockets that win, as the table shows them."""
        names = {ZERO: "0", DOUBLE_ZERO: "00"}
        return " ".join(names.get(n, str(n)) for n in range(1, 39) if COVERS[self.bet] >> n & 1)

    def outcome(self) -> int:
        return 0 if self.won else 1


class SingleZero(Roulette):
    """One bet on one spin of a wheel with one zero."""

    name = "roulette-single-zero"
    published = {bet: ("2.70 %", SOURCE) for bet in BETS if bet != "top_line"}

    zeros = Choice((TWO, ONE), "pockets of the house: 0 and 00, or 0 alone", default=ONE)
