"""Sic Bo: one bet on three dice, with the payouts of Atlantic City.

Published edges: of small, big and the totals 4, 5, 16 and 17 from Wizard of Odds, "Sic Bo"; of 6 and 15 from its
appendix; of 7, 8, 10, 11, 13 and 14 from gamblegnome.com, "Sicbo"; of a number and a combination from
high-rollercasinos.com, "Sic Bo"; of doubles and triples from onlinesicbo.org, "Sic Bo Odds", and of any triple from the
calculator of duckyluck-casino.net. Totals of 9 and 12 are published as 18.9 %, which is 41/216 cut off, not rounded.

    dicelab par examples/sic_bo.py
    dicelab par examples/sic_bo.py --bet total_9
"""

from dicelab.rules import COUNTS, D6, OVER, Casino, Choice, Flag, Numbers, Param, Rulebook, Tally, Words, throw, thrown

WIZARD, APPENDIX, GNOME = "Wizard of Odds, Sic Bo", "Wizard of Odds, Sic Bo, appendix", "gamblegnome.com, Sicbo"
ROLLERS, ODDS, DUCKY = "high-rollercasinos.com, Sic Bo", "onlinesicbo.org, Sic Bo Odds", "duckyluck-casino.net, Sic Bo"

SMALL, BIG, NUMBER, COMBINATION, DOUBLE, TRIPLE, ANY_TRIPLE = range(7)
TOTALS = range(4, 18)
BETS = (
    "small", "big", "number", "combination", "double", "triple", "any_triple", *(f"total_{n}" for n in TOTALS)
)  # fmt: skip
PAYS = (1, 1, 1, 5, 10, 180, 30, 60, 30, 17, 12, 8, 6, 6, 6, 6, 8, 12, 17, 30, 60)
"""What each bet pays to one, in the order of `BETS`; a number pays once for each die that shows it."""

PUBLISHED = {
    "small": ("2.78 %", WIZARD),
    "big": ("2.78 %", WIZARD),
    "number": ("7.87 %", ROLLERS),
    "combination": ("16.67 %", ROLLERS),
    "double": ("18.52 %", ODDS),
    "triple": ("16.20 %", ODDS),
    "any_triple": ("13.89 %", DUCKY),
    **{f"total_{n}": ("15.28 %", WIZARD) for n in (4, 17)},
    **{f"total_{n}": ("13.89 %", WIZARD) for n in (5, 16)},
    **{f"total_{n}": ("36/216", APPENDIX) for n in (6, 15)},
    **{f"total_{n}": ("9.7 %", GNOME) for n in (7, 14)},
    **{f"total_{n}": ("12.5 %", GNOME) for n in (8, 10, 11, 13)},
}


class SicBo(Casino):
    """One bet on three dice."""

    name = "sic-bo"
    source = "Wizard of Odds, Sic Bo: payouts of Atlantic City"
    outcomes = ("win", "lose")
    edges_over = "bet"
    edges_whatever = ("stake",)
    published = PUBLISHED

    words = Words(
        names={"cage": "roll"},
        hidden=("rolled", "won"),
        board=(Numbers(("bet", "stake")),),
        endings={"win": "The bet wins {money}", "lose": "The bet loses"},
        rulebook=Rulebook(
            goal="Bet on what three dice show.",
            turn="Small are totals up to 10 and big those from 11 on, but no triples; a number pays for each die that "
            "shows it; a combination is two different numbers.",
            end="One roll decides the bet.",
            scoring="Small, big and a number pay 1 to 1, a combination 5, a double 10, any triple 30, one triple 180, "
            "and a total 6 to 60.",
        ),
    )

    bet = Choice(BETS, "the bet; a number, a double and a triple are of sixes, a combination is of a one and a two")
    stake = Param(1, 1, 10**6, "stake, in whole units")

    rolled = Flag("the dice have been rolled")
    won = Flag("the bet has won")

    throws = Tally("rolls of the three dice")
    money = Tally("net win; negative for a loss")

    def next(self) -> int:
        return OVER if self.rolled else throw(self.cage)

    @thrown(3, D6, COUNTS)
    def cage(self, *counts: int) -> None:
        self.rolled = True
        self.throws += 1
        total = sum(face * many for face, many in enumerate(counts, 1))
        triple = max(counts) == 3
        if self.bet == SMALL:
            times = int(total <= 10 and not triple)
        elif self.bet == BIG:
            times = int(total >= 11 and not triple)
        elif self.bet == NUMBER:
            times = counts[5]
        elif self.bet == COMBINATION:
            times = int(counts[0] > 0 and counts[1] > 0)
        elif self.bet == DOUBLE:
            times = int(counts[5] >= 2)
        elif self.bet == TRIPLE:
            times = int(counts[5] == 3)
        elif self.bet == ANY_TRIPLE:
            times = int(triple)
        else:
            times = int(total == self.bet - ANY_TRIPLE + 3)
        self.won = times > 0
        self.money += self.stake * times * PAYS[self.bet] if self.won else -self.stake

    def outcome(self) -> int:
        return 0 if self.won else 1
