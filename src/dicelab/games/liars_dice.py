"""Liar's dice: everybody rolls in secret and bids on all dice; a game with hidden information.

With two players, one die each and the highest face wild it is the game whose value is published, -7/258 for the first
(OpenSpiel, liars_dice); with ones wild it is Perudo without its palifico rounds.
"""

from __future__ import annotations

from enum import IntEnum

from dicelab.rules import (
    COUNTS,
    OVER,
    Choice,
    Cups,
    Flag,
    Game,
    Grid,
    Int,
    Ints,
    Numbers,
    Param,
    Rulebook,
    Seat,
    Switch,
    Tally,
    Words,
    ask,
    chosen,
    d,
    right_of,
    strategy,
    throw,
    thrown,
)

LIAR = 0
"""A bid of no dice: the bid before is doubted."""


class Wild(IntEnum):
    """Which face counts as every face."""

    NONE = 0
    ONES = 1
    HIGHEST = 2


class LiarsDice(Game):
    """Liar's dice: bid how many of all dice show a face; who doubts a true bid, or makes a wrong one, loses a die."""

    name = "liars-dice"
    source = "the common rules: https://en.wikipedia.org/wiki/Liar's_dice"

    words = Words(
        names={
            "hands": "dice",
            "last": "last bid by",
            "many": "bid",
            "face": "of number",
            "left": "dice left",
            "cup": "roll",
        },
        hidden=("roller", "begun", "lost"),
        values={"many": {0: "none yet"}, "face": {0: "none"}},
        moves={"bid": "{many} dice with {face}", "bid 0 1": "liar"},
        board=(Cups("hands", counts="left"), Numbers(("many", "face", "last"))),
        news={
            "bid 0 1": "{player} called the last bid a lie",
            "bid": "{player} bid {move}",
            "lies": "It was a lie",
        },
        rulebook=Rulebook(
            goal="Be the last player who has dice.",
            setup="Everybody has {dice} dice and a cup.",
            turn="Everybody rolls in secret. In turn, bid how many of all dice show a number: more dice than the last "
            "bid, or as many of a higher number. Or call the last bid a lie: the cups are lifted and the dice counted.",
            end="If there are fewer dice than were bid, the bidder loses a die, else the one who doubted. Who loses a "
            "die begins the next round; without dice you are out.",
            options={
                "wild ones": "Ones count as every number that is bid.",
                "wild highest": "The highest number, {faces}, counts as every number that is bid.",
                "once": "Only one round is played: who would lose a die has lost the game.",
            },
        ),
    )

    players = Param(2, 2, 6, "players at the table")
    dice = Param(2, 1, 5, "dice of each player")
    second = Param(0, 0, 5, "dice of the second player, where it has fewer; 0: as many")
    begins = Param(1, 1, 6, "the player who begins")
    faces = Param(6, 2, 6, "faces of a die")
    wild = Choice(Wild, "the face that counts as every face")
    once = Switch(False, "one round decides")

    seats = players

    left = Ints(players, 0, dice, "dice left to each seat", start=dice, by_seat=True)
    player = Seat(players, "whose turn it is", alike=True)
    roller = Seat(players, "who rolls next, or nobody", nobody=True)
    last = Seat(players, "who made the last bid", nobody=True)
    many = Int(0, players * dice, "dice of the last bid")
    face = Int(0, faces, "face of the last bid")
    lost = Seat(players, "who has lost the only round", nobody=True)
    begun = Flag("the dice of this round are rolled")
    hands = Grid(players, 6, 0, dice, "dice that show each number, by seat", by_seat=True, private=begun)

    rounds = Tally("rounds")
    lies = Tally("rounds in which the doubted bid was wrong")

    def refuse(self) -> str:
        if self.second > self.dice:
            return f"the second player can't have more dice than the others ({self.dice}); let it begin instead"
        if self.begins > self.players:
            return f"player {self.begins} can't begin; there are {self.players}"
        if self.once and self.players > 2:
            return "one round decides between two players only"
        return ""

    def start(self) -> None:
        if self.second > 0:
            self.left[1] = self.second
        self.player = self.begins - 1

    def next(self) -> int:
        if self.lost >= 0 or max(self.left) == sum(self.left):
            return OVER
        if not self.begun:
            return throw(self.cup, self.left[self.player if self.roller < 0 else self.roller])
        return ask(self.bid, self.player)

    @thrown(dice, d(faces), COUNTS)
    def cup(self, *shown: int) -> None:
        seat = self.player if self.roller < 0 else self.roller
        self.hands[seat][:] = shown
        self.roller = self.after(seat)
        if self.roller == self.player:
            self.roller = -1
            self.begun = True

    def after(self, seat: int) -> int:
        """Return the next seat that has dice left."""
        seat = right_of(seat, self.players)
        while self.left[seat] == 0:
            seat = right_of(seat, self.players)
        return seat

    def higher(self, many: int, face: int) -> bool:
        """Bids go up: more dice, or as many of a higher face. The first bid can't be a doubt."""
        if many == LIAR:
            return self.many > 0 and face == 1
        return many <= sum(self.left) and (many > self.many or (many == self.many and face > self.face))

    @chosen((LIAR, players * dice), (1, faces), legal=higher)
    def bid(self, many: int, face: int) -> None:
        """Bid so many dice of a face; 0 1 doubts the last bid."""
        if many != LIAR:
            self.many = many
            self.face = face
            self.last = self.player
            self.player = self.after(self.player)
            return
        shown = sum(hand[self.face - 1] for hand in self.hands)
        wild = self.wild_face()
        if wild > 0 and wild != self.face:
            shown += sum(hand[wild - 1] for hand in self.hands)
        self.rounds += 1
        if shown < self.many:
            self.lies += 1
        self.settle(self.player if shown >= self.many else self.last)

    def settle(self, loser: int) -> None:
        """Take a die from the loser, who begins the next round; with none left, the next one begins."""
        for seat in range(self.players):
            for number in range(6):
                self.hands[seat][number] = 0
        self.left[loser] -= 1
        if self.once:
            self.lost = loser
        self.player = self.after(loser) if self.left[loser] == 0 else loser
        self.last = -1
        self.many = 0
        self.face = 0
        self.begun = False

    def wild_face(self) -> int:
        """Return the face that counts as every face; 0 for none."""
        return self.faces if self.wild == Wild.HIGHEST else 1 if self.wild == Wild.ONES else 0

    def own(self, face: int) -> int:
        """Return how many of one's own dice show a face, wild ones too."""
        wild = self.wild_face()
        more = self.hands[self.player][wild - 1] if wild > 0 and wild != face else 0
        return self.hands[self.player][face - 1] + more

    def outcome(self) -> int:
        return right_of(self.lost, self.players) if self.lost >= 0 else self.left.index(max(self.left))


@strategy(LiarsDice, trust=Param(1, 0, 10, "dice of others of which one is taken to show what is bid"))
def honest(game: LiarsDice, trust: int) -> tuple[int, int]:
    """Doubt what one's own dice and `trust` of the others' can't show; else raise on what one has most of."""
    if game.many > game.own(game.face) + trust if game.many > 0 else False:
        return LIAR, 1
    best = max(range(game.faces, 0, -1), key=game.own)
    many = game.many if game.many > 0 and best > game.face else game.many + 1
    return (many, best) if many <= sum(game.left) else (LIAR, 1)


@strategy(LiarsDice)
def always_doubt(game: LiarsDice) -> tuple[int, int]:
    """Bid one of the highest face, and doubt every other bid."""
    return (LIAR, 1) if game.many > 0 else (1, game.faces)
