"""Farkle in which three farkles one after the other cost points, for two players.

How often does the first player win by the best play? M. Busche says 53.487 % ("Maximizing Win Probability in the Game
of Farkle", 2016), for the rules of an application whose combinations score more than those here, and with scores down
to -2,500: 423,765,000 states. Points may be lost again, so that the order of the scores doesn't help, as in Farkle
without the penalty. Dicelab says what it would need; it solves the game to fewer points.
"""

from __future__ import annotations

from dicelab.games.farkle import DICE, Farkle, Move
from dicelab.rules import COUNTS, D6, Ints, Param, chosen, strategy, thrown


class ThreeFarkles(Farkle):
    """Farkle: set dice aside that score, roll on or bank; every third farkle in a row costs points."""

    name = "three-farkles"
    source = "M. Busche, Maximizing Win Probability in the Game of Farkle, 2016; the scoring is that of Farkle here"

    penalty = Param(1000, 0, 1000, "points that three farkles in a row cost")
    lowest = Param(2500, 0, 5000, "points below zero that a score can reach")

    scores = Ints(
        Farkle.players, -lowest, Farkle.target, "points banked by each seat, less the penalties", by_seat=True
    )
    farkles = Ints(Farkle.players, 0, 2, "farkles in a row of each seat", by_seat=True)

    @thrown(DICE, D6, COUNTS)
    def cup(self, *shown: int) -> None:
        self.throws += 1
        if shown[0] == 0 and shown[4] == 0 and max(shown) < 3:
            self.busts += 1
            in_a_row = self.farkles[self.player] + 1
            self.farkles[self.player] = in_a_row % 3
            if in_a_row == 3:
                self.scores[self.player] = max(-self.lowest, self.scores[self.player] - self.penalty)
            self.end_turn()
        else:
            self.rolled = True
            for i in range(6):
                self.shown[i] = shown[i]

    @chosen(Move, sensible=Farkle.worth_a_thought)
    def roll_or_bank(self, move: int) -> None:
        if move == Move.BANK:
            self.farkles[self.player] = 0
        super().roll_or_bank(move)


@strategy(ThreeFarkles, points=Param(300, 0, 20_000, "bank with at least this many points"))
def bank_at(game: ThreeFarkles, points: int) -> int | tuple[int, ...]:
    """Set all scoring dice aside, and bank as soon as the turn has `points`."""
    if not game.rolled:
        enough = game.points >= points or not game.worth_a_thought(Move.ROLL)
        return Move.BANK if enough else Move.ROLL
    ones, twos, threes, fours, fives, sixes = game.shown
    return ones, twos // 3 * 3, threes // 3 * 3, fours // 3 * 3, fives, sixes // 3 * 3
