"""Piglet: Pig with a coin. Small enough to be solved by hand, and the first step towards Pig in the paper of its
inventors.

Who wins? To 2 points it is optimal never to hold before holding wins; the first player then wins 4 games of 7.

Source: Todd Neller and Clifton Presser, "Optimal Play of the Dice Game Pig", The UMAP Journal 25(1), 2004; the rules
also at cs.gettysburg.edu/~tneller/cs391/03sp/piglet.html. The paper's chances for 2 points (4/7, 2/5, 4/5 and 2/3, from
0-0, 0-1, 1-0 and 1-1) are quoted from memory; each follows in a line or two.
"""

from __future__ import annotations

from enum import IntEnum

from dicelab.rules import (
    OVER,
    Die,
    Flag,
    Game,
    Int,
    Ints,
    Numbers,
    Param,
    Places,
    Rulebook,
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
    FLIP = 0
    HOLD = 1


class Piglet(Game):
    """Piglet: flip and count heads, or hold; tails lose the turn's heads."""

    name = "piglet"
    source = "Neller and Presser, The UMAP Journal 25(1), 2004"

    words = Words(
        names={"heads": "heads of this turn", "coin": "flip"},
        hidden=("flipped",),
        scores=("scores", "heads"),
        board=(Places("scores"), Numbers(("heads",))),
        news={
            "coin 0": "{player} flipped tails [and lost {heads} heads; and lost nothing]",
            "scores": "{player} held {scores} points",
        },
        rulebook=Rulebook(
            goal="Hold {target} points before the other does.",
            turn="Flip a coin as often as you dare. Heads are points of your turn; hold, and they are yours. But tails "
            "end your turn, and its points are lost.",
            end="Who holds {target} points first has won.",
        ),
    )

    target = Param(10, 1, 50, "held points that win")
    mine = Param(0, 0, 49, "points with which seat 0 begins")
    theirs = Param(0, 0, 49, "points with which seat 1 begins")

    seats = 2

    scores = Ints(2, 0, target, "points held by each seat", grows=True)
    player = Int(0, 1, "whose turn it is")
    heads = Int(0, target, "heads of this turn")
    flipped = Flag("the player may choose")

    turns = Tally("turns, including lost ones")
    flips = Tally("flips of the coin")

    def refuse(self) -> str:
        return "" if max(self.mine, self.theirs) < self.target else "mine and theirs must be less than the target"

    def start(self) -> None:
        self.scores[0] = self.mine
        self.scores[1] = self.theirs

    def next(self) -> int:
        if max(self.scores) == self.target:
            return OVER
        if self.flipped:
            return ask(self.flip_or_hold, self.player)
        return throw(self.coin)

    @thrown(1, Die(tails=1, heads=1))
    def coin(self, head: int) -> None:
        self.flips += 1
        if head == 0:
            self.end_turn()
        else:
            self.heads += 1
            self.flipped = True

    def may(self, move: int) -> bool:
        """Flipping is sensible only while more heads are needed."""
        return move == Move.HOLD or self.scores[self.player] + self.heads < self.target

    @chosen(Move, legal=may)
    def flip_or_hold(self, move: int) -> None:
        self.flipped = False
        if move == Move.HOLD:
            self.scores[self.player] += self.heads
            self.end_turn()

    def end_turn(self) -> None:
        self.turns += 1
        self.heads = 0
        self.player = right_of(self.player, 2)

    def outcome(self) -> int:
        return 0 if self.scores[0] == self.target else 1


@strategy(Piglet, heads=Param(1, 1, 50, "hold with this many heads; never before winning, where it is the target"))
def hold_at(game: Piglet, heads: int) -> Move:
    """Hold with `heads`, or with enough to win."""
    enough = min(heads, game.target - game.scores[game.player])
    return Move.HOLD if game.heads >= enough else Move.FLIP
