"""Liar's dice with one hidden die each, one round; with sixes wild it is the game whose value is published."""

from __future__ import annotations

from dicelab.rules import (
    OVER,
    Game,
    Int,
    Ints,
    Param,
    Rulebook,
    Seat,
    Switch,
    Words,
    ask,
    chosen,
    d,
    strategy,
    throw,
    thrown,
)

DOUBT = 0
"""A bid of no dice: the bid before is doubted."""


class LiarsDie(Game):
    """Two players roll a hidden die each and bid in turn how many of both show a face, until one doubts."""

    name = "liars-die"
    source = (
        "The value with six faces, the highest wild: OpenSpiel (DeepMind), liars_dice, -0.027131782945736 for the "
        "first player, which is -7/258"
    )
    words = Words(
        names={"dice": "die", "many": "bid", "face": "of face"},
        hidden=("rolled", "over", "winner"),
        moves={"bid": "{many} of {face}", "bid 0 1": "liar"},
        rulebook=Rulebook(
            goal="Catch the other lying, and don't get caught.",
            turn="Bid how many of both dice show a face: more dice than the last bid, or as many of a higher face. Or "
            "doubt the last bid.",
            end="A doubt ends the game: the bidder wins if as many dice as bid show the face, else the doubter.",
        ),
    )

    faces = Param(6, 2, 6, "faces of a die: 2, 3, 4 or 6")
    wild = Switch(True, "the highest face counts as every face")

    seats = 2

    dice = Ints(2, 0, 6, "the die of each player", by_seat=True, private=True)
    rolled = Int(0, 2, "dice rolled")
    player = Seat(2, "who bids")
    many = Int(0, 2, "dice of the last bid")
    face = Int(0, 6, "its face")
    over = Int(0, 1, "1: somebody has doubted")
    winner = Seat(2, "who has won")

    def refuse(self) -> str:
        return "a die has 2, 3, 4 or 6 faces here" if self.faces == 5 else ""

    def next(self) -> int:
        if self.rolled < 2:
            return throw(self.roll)
        return OVER if self.over else ask(self.bid, self.player)

    @thrown(1, d(12))
    def roll(self, value: int) -> None:
        """A die with 12 faces stands for one with 2, 3, 4 or 6."""
        self.dice[self.rolled] = (value - 1) % self.faces + 1
        self.rolled += 1

    def higher(self, many: int, face: int) -> bool:
        if many == DOUBT:
            return self.many > 0 and face == 1
        return face <= self.faces and (many > self.many or (many == self.many and face > self.face))

    @chosen((DOUBT, 2), (1, 6), legal=higher)
    def bid(self, many: int, face: int) -> None:
        if many != DOUBT:
            self.many, self.face = many, face
            self.player = 1 - self.player
            return
        shown = sum(die == self.face or (self.wild and die == self.faces) for die in self.dice)
        self.winner = 1 - self.player if shown >= self.many else self.player
        self.over = 1

    def outcome(self) -> int:
        return self.winner


@strategy(LiarsDie)
def honest(game: LiarsDie) -> tuple[int, int]:
    """Bid one's own face while that is higher, else doubt."""
    mine = game.dice[game.player]
    if game.many == 0 or (game.many == 1 and mine > game.face):
        return 1, mine
    return DOUBT, 1
