"""Nerves of steel: throw a die as often as you like and add up; one face loses everything. With a 1 as the losing face
this is one turn of Pig.

What is the turn worth? Hold with 20 (losing face 1, Pig) or 15 (losing face 6): as soon as another throw would lose as
much as it gains on average. The mean score is then 8.14 points, or 6.15.

Sources: losing face 1: Todd Neller and Clifton Presser, "Optimal Play of the Dice Game Pig", The UMAP Journal 25(1),
2004 (hold at 20; the figure 8.14 is quoted from memory). Losing face 6: math.stackexchange.com/questions/1977081, "When
to stop rolling a die in a game where 6 loses everything" (stop at 15; the figure 6.15 from memory), and "Nerves of
Steel" at puzzling.stackexchange.com.
"""

from __future__ import annotations

from enum import IntEnum

from dicelab.rules import (
    D6,
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

ENOUGH = 30
"""Throwing is never best with so many points: it gains at most 20/6 on average, and loses them all with chance 1/6."""


class Move(IntEnum):
    THROW = 0
    HOLD = 1


class LoseAll(Game):
    """Throw and add up, or hold; one face loses everything."""

    name = "lose-all"
    source = "math.stackexchange.com, question 1977081; Pig's turn: John Scarne, Scarne on Dice, 1945"
    outcomes = ("held", "lost")

    words = Words(
        names={"die": "throw", "losing": "losing face"},
        hidden=("thrown_once", "done"),
        scores=("score", "points"),
        objective="most:score",
        board=(Numbers(("points", "losing")),),
        news={"done": "{player} [held {score} points; lost everything]"},
        endings={"held": "You hold {score} points", "lost": "A {losing}: everything is lost"},
        rulebook=Rulebook(
            goal="Hold as many points as possible.",
            turn="Throw a die as often as you dare, and add up. A {losing} loses everything.",
            end="The game is over when you hold, or lose.",
        ),
    )

    losing = Param(1, 1, 6, "the face that loses everything")

    points = Int(0, 2000, "points so far")
    thrown_once = Flag("the player may choose")
    done = Flag("the turn is over")

    score = Tally("points held")
    throws = Tally("throws of the die")

    def next(self) -> int:
        if self.done:
            return OVER
        if self.thrown_once:
            return ask(self.throw_or_hold, 0)
        return throw(self.die)

    @thrown(1, D6)
    def die(self, face: int) -> None:
        self.throws += 1
        if face == self.losing:
            self.points = 0
            self.done = True
        else:
            self.points += face
            self.thrown_once = True

    def worth_a_thought(self, move: int) -> bool:
        return move == Move.HOLD or self.points < ENOUGH

    @chosen(Move, sensible=worth_a_thought)
    def throw_or_hold(self, move: int) -> None:
        self.thrown_once = False
        if move == Move.HOLD:
            self.score += self.points
            self.done = True

    def outcome(self) -> int:
        return 0 if self.points > 0 else 1


@strategy(LoseAll, points=Param(20, 1, 1000, "hold with at least this many points"))
def hold_at(game: LoseAll, points: int) -> Move:
    """Hold as soon as the turn has `points`."""
    return Move.HOLD if game.points >= points else Move.THROW
