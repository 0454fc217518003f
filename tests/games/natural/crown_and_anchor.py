"""Crown and Anchor: stakes on symbols, three dice."""

from collections import Counter

from dicelab.rules import FACES, OVER, Casino, Die, Int, Ints, Param, Tally, ask, chosen, strategy, throw, thrown

SYMBOLS = ("crown", "anchor", "heart", "diamond", "club", "spade")
CUBE = Die(crown=1, anchor=1, heart=1, diamond=1, club=1, spade=1)
ODDS = {1: 1, 2: 2, 3: 3}


class CrownAndAnchor(Casino):
    """A session: the player chooses how much to put on each of two symbols, or leaves."""

    name = "crown-and-anchor"
    source = "Encyclopaedia Britannica; as played in the Royal Navy"

    rounds = Param(5, 1, 50, "rounds to play")
    symbol = Int(0, 5, "the symbol")
    left = Int(0, rounds, "rounds to come", start=rounds)
    stake = Int(0, 3, "units on the symbol")
    money = Tally("won or lost", low=-150, high=450)
    staked = Tally("staked")
    outcomes = ()

    def next(self):
        if self.left == 0 and self.stake == 0:
            return OVER
        return throw(self.dice) if self.stake else ask(self.bet, 0)

    @chosen(6, (1, 3))
    def bet(self, symbol, stake):
        self.symbol, self.stake = symbol, stake
        self.staked += stake
        self.left -= 1

    @thrown(3, CUBE, FACES)
    def dice(self, *shown):
        hits = Counter(shown)[self.symbol]
        self.money += self.stake * ODDS[hits] if hits else -self.stake
        self.stake = 0


@strategy(CrownAndAnchor)
def crowns(game):
    return 0, 1


@strategy(CrownAndAnchor, most=Param(3, 1, 3, "largest stake"))
def around(game, most):
    """A new symbol each round."""
    return game.left % 6, min(most, 1 + game.left % 3)
