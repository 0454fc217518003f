"""LCR Wild: LCR with a wild face that takes chips from other players, or all those in the center.

Sources: George & Company (who published it in 2012), "LCR Wild - A New Twist on the Classic Dice Game", 11 February
2016; Geeky Hobbies, "LCR Wild Dice Game: Rules and Instructions for How to Play".

The sources do not say the following, which is decided here. Seat 0 begins, play goes to the right, and a player without
chips has a turn without a roll. Chips are passed on before any are taken; one must be taken for each of one or two
wilds while another player has chips. The center never gets all chips: only the player who rolls passes any on.
"""

from __future__ import annotations

from dicelab.rules import (
    COUNTS,
    OVER,
    Die,
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
    left_of,
    right_of,
    strategy,
    throw,
    thrown,
)


class LCRWild(Game):
    """LCR Wild: dice move chips left, right and to the center, or let you take some; the last with chips wins."""

    name = "lcr-wild"
    source = "George & Company, LCR Wild - A New Twist on the Classic Dice Game; Geeky Hobbies, LCR Wild"

    words = Words(
        names={"holds": "chips", "turn": "roll", "wilds": "chips to take", "take": "take a chip from"},
        moves={"take": "player {seat}"},
        board=(Places("holds"), Numbers(("center", "wilds"))),
        news={
            "turn": "{player} [passed {lefts} chips to the left, passed {rights} chips to the right, "
            "put {centers} in the center; kept all chips]",
            "sweeps": "Three wilds take all chips from the center",
            "take": "{player} took a chip from {move}",
        },
        rulebook=Rulebook(
            goal="Be the last player who has chips.",
            setup="Everybody begins with {chips} chips. The center of the table is empty.",
            turn="Roll as many dice as you have chips, three at most; without chips you wait. For each left give a "
            "chip to the player on your left, for each right to the player on your right, and for each center put one "
            "in the center. For each wild take a chip from any player; three wilds take all chips from the center.",
            end="The game is over when only one player has chips, who wins.",
        ),
    )

    players = Param(4, 2, 50, "players at the table")
    chips = Param(3, 1, 100, "chips of each player at the start")

    seats = players

    holds = Ints(players, 0, players * chips, "chips of each seat", start=chips)
    center = Int(0, players * chips, "chips in the center")
    player = Seat(players, "whose turn it is")
    wilds = Int(0, 2, "chips that the player still takes from others")

    turns = Tally("turns, including those of players without chips and the last one")
    throws = Tally("turns in which dice were rolled")
    sweeps = Tally("rolls of three wilds, which take all chips from the center")

    def next(self) -> int:
        if self.only_one_has_chips():
            return OVER
        if self.wilds > 0:
            return ask(self.take, self.player)
        return throw(self.turn, min(self.holds[self.player], 3))

    def only_one_has_chips(self) -> bool:
        return max(self.holds) == sum(self.holds)

    @thrown(3, Die(left=1, center=1, right=1, wild=1, dot=2), COUNTS)
    def turn(self, lefts: int, centers: int, rights: int, wilds: int, dots: int) -> None:
        self.turns += 1
        self.throws += 1
        self.holds[left_of(self.player, self.players)] += lefts
        self.center += centers
        self.holds[right_of(self.player, self.players)] += rights
        self.holds[self.player] -= lefts + centers + rights
        if wilds == 3:
            self.sweeps += 1
            self.holds[self.player] += self.center
            self.center = 0
        else:
            self.wilds = wilds
        if self.wilds == 0:
            self.pass_dice()

    def can_give(self, seat: int) -> bool:
        return seat != self.player and self.holds[seat] > 0

    @chosen(Seat(players), legal=can_give)
    def take(self, seat: int) -> None:
        self.holds[seat] -= 1
        self.holds[self.player] += 1
        self.wilds -= 1
        if self.wilds == 0:
            self.pass_dice()

    def pass_dice(self) -> None:
        """Pass to the next player who has chips; turns of players without chips count too, unless the game is over."""
        self.player = right_of(self.player, self.players)
        while not self.only_one_has_chips() and self.holds[self.player] == 0:
            self.turns += 1
            self.player = right_of(self.player, self.players)

    def outcome(self) -> int:
        return self.holds.index(max(self.holds))


@strategy(LCRWild)
def from_richest(game: LCRWild) -> int:
    """Take from the player with the most chips; among equals, from the first one in turn."""
    giver = right_of(game.player, game.players)
    for steps in range(2, game.players):
        seat = (game.player + steps) % game.players
        if game.holds[seat] > game.holds[giver]:
            giver = seat
    return giver


@strategy(LCRWild)
def from_poorest(game: LCRWild) -> int:
    """Take from the player with the fewest chips above 0; among equals, from the first one in turn."""
    giver = from_next(game)
    for steps in range(1, game.players):
        seat = (game.player + steps) % game.players
        if 0 < game.holds[seat] < game.holds[giver]:
            giver = seat
    return giver


@strategy(LCRWild)
def from_next(game: LCRWild) -> int:
    """Take from the next player in turn, to the right, who has chips."""
    giver = right_of(game.player, game.players)
    while game.holds[giver] == 0:
        giver = right_of(giver, game.players)
    return giver
