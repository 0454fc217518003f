"""Pig alone: one player rolls and holds until the target is reached. `--target 100 --turns-at-most 1` is one turn.

How many turns does it take? Holding at 20 or at the goal about 12.6; and 62.45 % of such turns are lost to a 1.

Sources: Todd Neller, "Average Pig Turns" (a simulation: 12.634906) and "Hold-at-20 Outcomes" (computed: 0.624541 for
nothing, 0.099713 for 20, and so on up to 25), nifty.stanford.edu/2010/neller-pig.
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


class Move(IntEnum):
    ROLL = 0
    HOLD = 1


class PigAlone(Game):
    """Pig alone: turns until the target is held."""

    name = "pig-alone"
    source = "T. Neller, Nifty Assignments 2010: The Game of Pig"
    outcomes = ("reached", "not yet")

    words = Words(
        names={"score": "points held", "points": "points of this turn", "die": "roll", "ended": "turns ended"},
        hidden=("rolled", "ended", "held"),
        scores=("score", "points"),
        objective="fewest:turns",
        board=(Numbers(("score", "target", "points", "turns")),),
        news={
            "busts": "{player} rolled a 1 [and lost {points} points; and lost nothing]",
            "score": "{player} held {score} points",
        },
        endings={
            "reached": "The target is reached after {turns} turns",
            "not yet": "{held} points after {turns} turns",
        },
        rulebook=Rulebook(
            goal="Hold {target} points in as few turns as you can.",
            turn="Roll a die as often as you dare. Each roll adds its number to the points of your turn; hold, and "
            "they are yours. But a 1 ends your turn, and its points are lost.",
            end="The game is over when {target} points are held.",
            options={"turns_at_most": "There are {turns_at_most} turns at most."},
        ),
    )

    target = Param(100, 2, 1000, "held points that end the game")
    turns_at_most = Param(0, 0, 100, "turns after which the game ends; 0 for no end")

    score = Int(0, target + 5, "points held", grows=True)
    points = Int(0, target + 5, "points of this turn")
    rolled = Flag("the player may choose")
    ended = Int(0, turns_at_most, "turns ended, if their number is limited", grows=True)

    turns = Tally("turns, including lost ones")
    busts = Tally("turns lost to a 1")
    held = Tally("points held at the end")

    def next(self) -> int:
        if self.score >= self.target or (self.turns_at_most > 0 and self.ended == self.turns_at_most):
            return OVER
        if self.rolled:
            return ask(self.roll_or_hold, 0)
        return throw(self.die)

    @thrown(1, D6)
    def die(self, face: int) -> None:
        if face == 1:
            self.busts += 1
            self.end_turn()
        else:
            self.points += face
            self.rolled = True

    def may(self, move: int) -> bool:
        """Rolling is sensible only while more points are needed."""
        return move == Move.HOLD or self.score + self.points < self.target

    @chosen(Move, legal=may)
    def roll_or_hold(self, move: int) -> None:
        self.rolled = False
        if move == Move.HOLD:
            self.score += self.points
            self.held += self.points
            self.end_turn()

    def end_turn(self) -> None:
        self.turns += 1
        self.points = 0
        self.rolled = False
        if self.turns_at_most > 0:
            self.ended += 1

    def outcome(self) -> int:
        return 0 if self.score >= self.target else 1


@strategy(PigAlone, points=Param(20, 1, 1000, "hold with at least this many points in the turn"))
def hold_at(game: PigAlone, points: int) -> Move:
    """Hold as soon as the turn has `points`, or enough to reach the target."""
    return Move.HOLD if game.points >= min(points, game.target - game.score) else Move.ROLL
