"""Rules as texts, which several tests write into files."""

from __future__ import annotations

RULES_OF_POKER = '''
from dicelab.rules import OVER, Flag, Game, Int, Ints, Tally, ask, chosen, d, strategy, throw, thrown


class Poker(Game):
    """Both roll a hidden die with three faces and ante 1; check or bet 1, call or fold; the higher wins."""

    name = "poker-3"
    seats = 2
    outcomes = ("first", "second", "equal")

    hands = Ints(2, 0, 3, "the die of each", by_seat=True, private=True)
    dealt = Int(0, 2, "dice rolled")
    moves = Int(0, 3, "moves so far")
    bets = Ints(2, 0, 1, "who has bet", by_seat=True)
    done = Flag("the hand is over")
    first = Tally("won by the first", low=-2, high=2)
    second = Tally("won by the second", low=-2, high=2)
    payoffs = (first, second)

    def next(self):
        if self.dealt < 2:
            return throw(self.die)
        return OVER if self.done else ask(self.bet, self.moves % 2)

    @thrown(1, d(3))
    def die(self, face):
        self.hands[self.dealt] = face
        self.dealt += 1

    @chosen((0, 1))
    def bet(self, much):
        me = self.moves % 2
        self.bets[me] = much
        self.moves += 1
        self.done = self.moves == 3 or (self.moves == 2 and (self.bets[0] == 1 or much == 0))

    def outcome(self):
        stake = 1 + min(self.bets[0], self.bets[1])
        if self.bets[0] != self.bets[1]:
            winner = 0 if self.bets[0] else 1
        elif self.hands[0] == self.hands[1]:
            return 2
        else:
            winner = 0 if self.hands[0] > self.hands[1] else 1
        self.first += stake if winner == 0 else -stake
        self.second += stake if winner == 1 else -stake
        return winner
'''

UNASKED = '''
from dicelab.rules import D6, OVER, Game, Int, ask, chosen, strategy, throw, thrown


class Unasked(Game):
    """Roll a die; the choice after a seven is never reached."""

    name = "unasked"
    seats = 2
    rolled = Int(0, 7, "what was rolled")

    def next(self) -> int:
        if self.rolled == 7:
            return ask(self.pick, 0)
        return throw(self.die) if self.rolled == 0 else OVER

    @thrown(1, D6)
    def die(self, face: int) -> None:
        self.rolled = face

    @chosen(2)
    def pick(self, number: int) -> None:
        """Pick a number."""
        self.rolled = number

    def outcome(self) -> int:
        return self.rolled % 2


@strategy(Unasked)
def zero(game: Unasked) -> int:
    """Pick 0."""
    return 0
'''

PENNIES = '''
class Pennies(Game):
    """Two players lay a coin at once; the first wins if both show the same side."""

    name = "pennies"
    seats = 2

    player = Seat(2, "who chooses")
    over = Flag("both have chosen")
    winner = Seat(2, "who has won")

    def next(self):
        return OVER if self.over else ask(self.lay, [0, 1])

    @chosen(2, together=player)
    def lay(self, sides):
        self.winner = 0 if sides[0] == sides[1] else 1
        self.over = True

    def outcome(self):
        return self.winner


@strategy(Pennies)
def heads(game):
    return 0


@strategy(Pennies)
def thirds(game):
    return mixture((0, 1), (1, 2))


@strategy(Pennies)
def fair(game):
    return mixture((0, 1), (1, 1))
'''
"""Needs the imports of the test that writes it."""
