"""Two-dice Pig alone: roll two dice as often as you like and add up; a single 1 loses the turn's points, two of them
all points. Is the target reached within a number of turns?

From 99 points 69.4 % in one turn, 88.8 % in two, 94.2 % in three; from 87 points 46.6 %, 69.2 % and 80.3 %.

Source: Bill Butler, "Pig (Pig-out) Analysis", durangobill.com/Pig1Statistics.html: the chance to reach 100 by optimal
play, for each score at the start and number of turns.
"""

from __future__ import annotations

from enum import IntEnum

from dicelab.rules import (
    D6,
    FACES,
    OVER,
    Flag,
    Game,
    Int,
    Numbers,
    Param,
    Rulebook,
    Tally,
    Words,
    ask,
    chosen,
    strategy,
    throw,
    thrown,
)


class Move(IntEnum):
    ROLL = 0
    HOLD = 1


SINGLE = [f"dice {roll}" for other in range(2, 7) for roll in (f"1 {other}", f"{other} 1")]
"""The rolls with one 1."""


class PigTwoDice(Game):
    """Two-dice Pig alone: reach the target within a number of turns."""

    name = "pig-two-dice"
    source = "Bill Butler, durangobill.com/Pig1Statistics.html"
    outcomes = ("reached", "not reached")

    words = Words(
        names={"score": "points held", "points": "points of this turn", "dice": "roll", "left": "turns left"},
        hidden=("rolled",),
        scores=("score", "points"),
        objective="reached",
        board=(Numbers(("score", "target", "points", "left")),),
        news={
            "dice 1 1": "{player} rolled two 1s and lost all points",
            **dict.fromkeys(SINGLE, "{player} rolled a 1 [and lost {points} points; and lost nothing]"),
            "score": "{player} held {score} points",
        },
        endings={"reached": "The target is reached", "not reached": "The turns are over: {score} of {target} points"},
        rulebook=Rulebook(
            goal="Hold {target} points within {turns_at_most} turns.",
            turn="Roll two dice as often as you dare. Each roll adds its sum to the points of your turn; hold, and "
            "they are yours. But a single 1 ends your turn and loses its points, and two of them lose all points.",
            end="The game is over when {target} points are held, or after the last turn.",
        ),
    )

    target = Param(100, 2, 1000, "held points that end the game")
    begin = Param(0, 0, 999, "points with which the player begins")
    turns_at_most = Param(3, 1, 100, "turns after which the game ends")

    score = Int(0, target + 2000, "points held")
    points = Int(0, 2000, "points of this turn")
    left = Int(0, turns_at_most, "turns left", start=turns_at_most)
    rolled = Flag("the player may choose")

    turns = Tally("turns")
    throws = Tally("rolls")

    def refuse(self) -> str:
        return "" if self.begin < self.target else "begin must be less than the target"

    def start(self) -> None:
        self.score = self.begin

    def next(self) -> int:
        if self.score >= self.target or self.left == 0:
            return OVER
        if self.rolled:
            return ask(self.roll_or_hold, 0)
        return throw(self.dice)

    @thrown(2, D6, FACES)
    def dice(self, one: int, other: int) -> None:
        self.throws += 1
        if one == 1 and other == 1:
            self.score = 0
            self.end_turn()
        elif one == 1 or other == 1:
            self.end_turn()
        else:
            self.points += one + other
            self.rolled = True

    def worth_a_thought(self, move: int) -> bool:
        """Rolling is not sensible when holding reaches the target."""
        return move == Move.HOLD or self.score + self.points < self.target

    @chosen(Move, sensible=worth_a_thought)
    def roll_or_hold(self, move: int) -> None:
        self.rolled = False
        if move == Move.HOLD:
            self.score += self.points
            self.end_turn()

    def end_turn(self) -> None:
        self.turns += 1
        self.points = 0
        self.rolled = False
        self.left -= 1

    def outcome(self) -> int:
        return 0 if self.score >= self.target else 1


@strategy(PigTwoDice, points=Param(20, 1, 1000, "hold with at least this many points in the turn"))
def hold_at(game: PigTwoDice, points: int) -> Move:
    """Hold as soon as the turn has `points`, or enough to reach the target."""
    return Move.HOLD if game.points >= min(points, game.target - game.score) else Move.ROLL
