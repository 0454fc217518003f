"""Chuck-a-luck: three dice in a cage, and bets on numbers, the field, high, low and triples."""

import math
from dataclasses import dataclass

from dicelab.rules import D6, FACES, OVER, Casino, Choice, Int, Param, Tally, throw, thrown


@dataclass(frozen=True)
class Bet:
    name: str
    pays: tuple[int, ...]
    totals: frozenset[int] = frozenset()


BETS = (
    *(Bet(f"number{n}", (-1, 1, 2, 10)) for n in range(1, 7)),
    Bet("field", (-1, 1), frozenset({5, 6, 7, 13, 14, 15, 16})),
    Bet("high", (-1, 1), frozenset(range(11, 19))),
    Bet("low", (-1, 1), frozenset(range(3, 11))),
    Bet("triple", (-1, 30)),
)


class ChuckALuck(Casino):
    """Chuck-a-luck: one roll of three dice decides each bet."""

    name = "chuck_a_luck"
    source = "Wizard of Odds, Chuck-a-luck"
    outcomes = ("win", "lose")

    bet = Choice(tuple(bet.name for bet in BETS), "the bet", default="field")
    edges_over = "bet"

    left = Int(0, 1, "rolls to come", start=1)
    won = Int(-1, 30, "what the bet won")
    money = Tally("money won")
    throws = Tally("rolls")

    def next(self):
        return throw(self.cage) if self.left else OVER

    @thrown(3, D6, FACES)
    def cage(self, *dice):
        self.left -= 1
        self.throws += 1
        triple = dice[0] == dice[1] == dice[2]
        if self.bet < 6:
            self.won = BETS[self.bet].pays[dice.count(self.bet + 1)]
        elif self.bet == 9:
            self.won = BETS[9].pays[int(triple)]
        else:
            inside = sum(dice) in BETS[self.bet].totals and not triple
            self.won = BETS[self.bet].pays[inside]
        self.money += self.won

    def outcome(self):
        return 0 if self.won > 0 else 1
