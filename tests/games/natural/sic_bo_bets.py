"""Sic bo: three dice, and bets on what they show."""

from collections import Counter
from itertools import combinations

from dicelab.rules import (
    D6,
    FACES,
    OVER,
    Casino,
    Choice,
    Int,
    Param,
    Tally,
    ask,
    chosen,
    strategy,
    throw,
    thrown,
)

# what is paid for one on a total
TOTALS = {4: 60, 5: 30, 6: 17, 7: 12, 8: 8, 9: 6, 10: 6, 11: 6, 12: 6, 13: 8, 14: 12, 15: 17, 16: 30, 17: 60}
PAIRS = tuple(combinations(range(1, 7), 2))
BETS = (
    "small",
    "big",
    "odd",
    "even",
    "any-triple",
    *(f"total{total}" for total in TOTALS),
    *(f"single{face}" for face in range(1, 7)),
    *(f"double{face}" for face in range(1, 7)),
    *(f"triple{face}" for face in range(1, 7)),
    *(f"combo{low}{high}" for low, high in PAIRS),
)
EVEN_MONEY = {
    "small": lambda total: 4 <= total <= 10,
    "big": lambda total: 11 <= total <= 17,
    "odd": lambda total: total % 2 == 1,
    "even": lambda total: total % 2 == 0,
}


def pays(bet: str, dice: tuple[int, ...]) -> int:
    """What a bet wins for one: 0 or less where it is lost."""
    total, counts = sum(dice), Counter(dice)
    triple = len(counts) == 1
    if bet in EVEN_MONEY:
        return 1 if EVEN_MONEY[bet](total) and not triple else -1
    if bet == "any-triple":
        return 30 if triple else -1
    if bet.startswith("total"):
        return TOTALS[total] if bet == f"total{total}" else -1
    if bet.startswith("combo"):
        return 5 if all(int(digit) in counts for digit in bet[-2:]) else -1
    kind, face = bet[:-1], int(bet[-1])
    match kind, counts[face]:
        case "single", (1 | 2 | 3) as many:
            return many
        case "double", 2 | 3:
            return 10
        case "triple", 3:
            return 180
        case _:
            return -1


class SicBo(Casino):
    """Sic bo: rounds of one bet, until the money is gone or the player leaves."""

    name = "sic_bo_bets"
    source = "Macau rules: sic bo"
    outcomes = ("ruined", "left")
    ruin = "ruined"

    bankroll = Param(20, 1, 1000, "money at the start")
    rounds_most = Param(10, 1, 100, "rounds after which the player leaves")
    most = Param(5, 1, 50, "largest bet")

    purse = Int(0, bankroll + 180 * most * rounds_most, "money", start=bankroll)
    played = Int(0, rounds_most, "rounds played", grows=True)
    bet = Int(0, len(BETS) - 1, "the bet")
    stake = Int(0, most, "what was bet; 0: no bet yet")

    money = Tally("money won")
    staked = Tally("money staked")
    throws = Tally("rolls")
    triples = Tally("triples")

    def next(self) -> int:
        if (not self.purse and not self.stake) or self.played == self.rounds_most:
            return OVER
        return throw(self.dice) if self.stake else ask(self.place, 0)

    def affordable(self, bet: int, amount: int) -> bool:
        return amount <= self.purse

    @chosen(len(BETS), (1, most), legal=affordable)
    def place(self, bet: int, amount: int) -> None:
        self.bet = bet
        self.stake = amount
        self.staked += amount

    @thrown(3, D6, FACES)
    def dice(self, *dice: int) -> None:
        won = self.stake * pays(BETS[self.bet], dice)
        self.throws += 1
        self.triples += len({*dice}) == 1
        self.money += won
        self.purse += won
        self.played += 1
        self.stake = self.bet = 0

    def outcome(self) -> int:
        return self.outcomes.index("left" if self.purse else "ruined")


@strategy(SicBo, on=Choice(BETS, "the bet"), amount=Param(1, 1, 50, "how much"))
def always(game: SicBo, on: int, amount: int) -> tuple[int, int]:
    """The same bet in every round."""
    return on, min(amount, game.most, game.purse)


@strategy(SicBo)
def bold(game: SicBo) -> tuple[int, int]:
    """Small while ahead; a total when behind."""
    ahead = game.purse >= game.bankroll
    name = "small" if ahead else min(TOTALS, key=lambda total: (TOTALS[total], total))
    bet = BETS.index(name if ahead else f"total{name}")
    return bet, min(game.most, game.purse)
