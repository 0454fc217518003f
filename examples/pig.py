"""Pig: roll as often as you dare; a 1 loses the turn's points. A game as a user would write it.

Source: John Scarne, *Scarne on Dice* (1945); Todd Neller and Clifton Presser, "Optimal Play of the Dice Game Pig",
The UMAP Journal 25(1), 2004.
"""

from __future__ import annotations

from enum import IntEnum

from dicelab.rules import (
    D6,
    OVER,
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


class Move(IntEnum):
    ROLL = 0
    HOLD = 1


class Pig(Game):
    """Pig: roll and add up, or hold; first to hold the target wins."""

    name = "pig"
    source = "John Scarne, Scarne on Dice, 1945"

    words = Words(
        names={"points": "points of this turn", "die": "roll", "throws": "rolls"},
        hidden=("rolled",),
        scores=("scores", "points"),
        board=(Places("scores"), Numbers(("points",))),
        news={
            "die 1": "{player} rolled a 1 [and lost {points} points; and lost nothing]",
            "scores": "{player} held {scores} points",
        },
        rulebook=Rulebook(
            goal="Hold {target} points before the others do.",
            turn="Roll a die as often as you dare. Each roll adds its number to the points of your turn; hold, and "
            "they are yours. But a 1 ends your turn, and its points are lost.",
            end="Who holds {target} points first has won.",
        ),
    )

    players = Param(2, 2, 10, "players at the table")
    target = Param(100, 2, 1000, "held points that win")

    seats = players

    scores = Ints(players, 0, target + 2000, "points held by each seat", grows=True, by_seat=True)
    player = Seat(players, "whose turn it is", alike=True)
    points = Int(0, 2000, "points of this turn")
    rolled = Flag("the player may choose")

    turns = Tally("turns, the lost ones included")
    throws = Tally("throws of the die")

    def next(self) -> int:
        if max(self.scores) >= self.target:
            return OVER
        if self.rolled:
            return ask(self.roll_or_hold, self.player)
        return throw(self.die)

    @thrown(1, D6)
    def die(self, face: int) -> None:
        self.throws += 1
        if face == 1:
            self.end_turn()
        else:
            self.points += face
            self.rolled = True

    def worth_a_thought(self, move: int) -> bool:
        """Nobody who wants to win rolls on when holding wins."""
        return move == Move.HOLD or self.scores[self.player] + self.points < self.target

    @chosen(Move, sensible=worth_a_thought)
    def roll_or_hold(self, move: int) -> None:
        self.rolled = False
        if move == Move.HOLD:
            self.scores[self.player] += self.points
            self.end_turn()

    def end_turn(self) -> None:
        self.turns += 1
        self.points = 0
        self.rolled = False
        self.player = right_of(self.player, self.players)

    def outcome(self) -> int:
        return self.scores.index(max(self.scores))


@strategy(Pig, points=Param(20, 1, 1000, "hold with at least this many points in the turn"))
def hold_at(game: Pig, points: int) -> Move:
    """Hold as soon as the turn has `points`, or enough to win."""
    enough = min(points, game.target - game.scores[game.player])
    return Move.HOLD if game.points >= enough else Move.ROLL
