"""Relatives of Pig for two players: two-dice Pig, Big Pig and Hog.

How often does the first player win by the best play? Neller and Presser solved them (Pigtail: A Pig Addendum, 2005);
their figures were not at hand, and the tests compare with value iteration in plain Python.
"""

from __future__ import annotations

from enum import IntEnum

from dicelab.rules import (
    COUNTS,
    D6,
    FACES,
    OVER,
    Choice,
    Flag,
    Game,
    Int,
    Ints,
    Numbers,
    Param,
    Places,
    Rulebook,
    Seat,
    Tally,
    Words,
    ask,
    chosen,
    right_of,
    strategy,
    throw,
    thrown,
)

VARIANTS = ("two-dice", "big-pig", "hog")
TWO_DICE, BIG_PIG, HOG = range(3)


class Move(IntEnum):
    """What a player may do after a roll."""

    ROLL = 0
    HOLD = 1


class Pigs(Game):
    """Two-dice Pig, Big Pig or Hog: points are at risk until they are banked; a one loses those of the turn."""

    name = "pigs"
    source = "T. Neller and C. Presser, Pigtail: A Pig Addendum, 2005"

    words = Words(
        names={"points": "points of this turn", "cup": "roll"},
        hidden=("rolled", "number", "over"),
        scores=("scores", "points"),
        board=(Places("scores"), Numbers(("points",))),
        news={
            "take": "{player} takes {move} dice",
            "roll_or_hold 0": "{player} rolls on",
            "roll_or_hold 1": "{player} holds",
            "scores": "{player} banked {scores} points",
        },
        rulebook=Rulebook(
            goal="Bank {target} points before the other does.",
            turn="Roll two dice as often as you like; their sum counts for the turn. Hold to bank what you have. A one "
            "ends the turn, and its points are lost.",
            end="Who has banked {target} points first has won.",
            options={
                "variant two-dice": "Two ones lose the banked points as well.",
                "variant big-pig": "Two ones count 25 and end nothing; other doubles count twice.",
                "variant hog": "In Hog you choose how many dice you roll, once a turn; with a one they count nothing.",
            },
        ),
    )

    variant = Choice(VARIANTS, "which game", default="two-dice")
    target = Param(100, 2, 200, "points that win")
    most = Param(10, 1, 15, "dice that may be rolled in Hog")

    seats = 2
    scores = Ints(2, 0, target, "points banked by each, at most the target", by_seat=True)
    player = Seat(2, "whose turn it is", alike=True)
    points = Int(0, target, "points of this turn, at most the target")
    number = Int(0, most, "dice chosen in Hog")
    rolled = Flag("the player has rolled in this turn")
    over = Flag("somebody has won")

    turns = Tally("turns")

    def next(self) -> int:
        if self.over:
            return OVER
        if self.variant == HOG:
            return throw(self.hog, self.number) if self.number > 0 else ask(self.take, self.player)
        return ask(self.roll_or_hold, self.player) if self.rolled else throw(self.cup)

    @thrown(2, D6, FACES)
    def cup(self, one: int, other: int) -> None:
        self.rolled = True
        doubles = one == other
        if doubles and one == 1 and self.variant == TWO_DICE:
            self.scores[self.player] = 0
            self.end_turn(0)
        elif doubles and self.variant == BIG_PIG:
            self.points = min(self.target, self.points + (25 if one == 1 else 4 * one))
        elif 1 in (one, other):
            self.end_turn(0)
        else:
            self.points = min(self.target, self.points + one + other)

    @chosen(Move)
    def roll_or_hold(self, move: int) -> None:
        if move == Move.HOLD:
            self.end_turn(self.points)
        else:
            self.rolled = False

    @chosen((1, most))
    def take(self, dice: int) -> None:
        """Choose how many dice to roll."""
        self.number = dice

    @thrown(most, D6, COUNTS)
    def hog(self, *shown: int) -> None:
        self.number = 0
        self.end_turn(0 if shown[0] > 0 else sum((i + 1) * shown[i] for i in range(6)))

    def end_turn(self, banked: int) -> None:
        self.turns += 1
        self.scores[self.player] = min(self.target, self.scores[self.player] + banked)
        self.points = 0
        self.rolled = False
        self.over = self.scores[self.player] == self.target
        if not self.over:
            self.player = right_of(self.player, 2)

    def outcome(self) -> int:
        return self.player


@strategy(Pigs, points=Param(20, 1, 200, "hold with at least this many points"), dice=Param(5, 1, 15, "dice in Hog"))
def hold_at(game: Pigs, points: int, dice: int) -> int:
    """Hold as soon as the turn has `points`, or the target; in Hog always take as many dice."""
    if game.variant == HOG:
        return min(dice, game.most)
    return Move.HOLD if game.points >= min(points, game.target - game.scores[game.player]) else Move.ROLL
