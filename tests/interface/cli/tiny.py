"""A small lawful game, from which tests make broken ones by small edits.

Source: made for the tests.
"""

from __future__ import annotations

from enum import IntEnum

from dicelab.rules import D6, OVER, Flag, Game, Int, Param, Tally, ask, chosen, strategy, throw, thrown


class Move(IntEnum):
    ON = 0
    STOP = 1


class Tiny(Game):
    """Throw a die as often as you like: the goal or one point less wins, more or less loses."""

    name = "tiny"
    source = "made for the tests"
    outcomes = ("win", "lose")

    goal = Param(7, 2, 12, "points to reach")

    points = Int(0, 30, "points so far")
    rolled = Flag("the player may choose")
    stopped = Flag("the player has stopped")

    throws = Tally("throws of the die")

    def next(self) -> int:
        if self.stopped or self.points >= self.goal:
            return OVER
        if self.rolled:
            return ask(self.go_on, 0)
        return throw(self.die)

    @thrown(1, D6)
    def die(self, face: int) -> None:
        self.throws += 1
        self.points += face
        self.rolled = True

    @chosen(Move)
    def go_on(self, move: int) -> None:
        self.rolled = False
        self.stopped = move == Move.STOP

    def outcome(self) -> int:
        return 0 if self.goal - 1 <= self.points <= self.goal else 1


@strategy(Tiny, points=Param(5, 1, 12, "stop with at least this many"))
def stop_at(game: Tiny, points: int) -> Move:
    """Stop as soon as there are so many points."""
    return Move.STOP if game.points >= points else Move.ON
