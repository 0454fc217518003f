"""Mia: roll two dice under a cup, and announce more than the player before, true or not."""

from __future__ import annotations

from enum import IntEnum

from dicelab.rules import (
    FACES,
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
    d,
    right_of,
    strategy,
    throw,
    thrown,
)

ROLLS = "31 32 41 42 43 51 52 53 54 61 62 63 64 65 11 22 33 44 55 66 21"
"""All rolls, the lowest first; their places, from 1 on, are their ranks."""
LOWEST_DOUBLE, MIA = 15, 21
NAMES = {0: "nothing", **dict(enumerate(ROLLS.split(), 1))}


class Answer(IntEnum):
    """What the next player does about an announcement."""

    BELIEVE = 0
    LOOK = 1


class Mia(Game):
    """Mia: announce more than the player before; who is caught lying, or doubts the truth, loses a life."""

    name = "mia"
    source = "the common rules: https://en.wikipedia.org/wiki/Mia_(game)"

    words = Words(
        names={
            "cups": "under the cup",
            "said": "announced",
            "cup": "roll",
            "left": "lives",
            "announce": "announcement",
        },
        hidden=("rolled", "asked", "last"),
        values={"said": NAMES, "cups": NAMES, "announce": NAMES},
        moves={"announce": "{rank}"},
        board=(Places("left"), Places("cups"), Numbers(("said",))),
        news={
            "announce": "{player} announced {rank}",
            "answer 0": "{player} believed it",
            "answer 1": "{player} lifted the cup",
            "lies": "It was a lie",
        },
        rulebook=Rulebook(
            goal="Be the last player who has lives.",
            setup="Everybody has {lives} lives. Dice have {faces} faces.",
            turn="Roll two dice under the cup and look at them alone. Announce a rank above the last one, true or not. "
            "The next player believes it, and rolls, or lifts the cup. The highest rank must be looked at.",
            end="If the roll ranks below what was announced, the liar loses a life, else the one who looked. Who loses "
            "a life begins again; without lives you are out.",
            options={
                "faces": "The higher die is read first. Mixed dice rank by that number, 31 lowest; doubles rank above "
                "them; 21 is Mia, the highest."
            },
        ),
    )

    players = Param(2, 2, 6, "players at the table")
    lives = Param(3, 1, 6, "lives of each player")
    faces = Param(6, 2, 6, "faces of a die")

    seats = players

    left = Ints(players, 0, lives, "lives left", start=lives, by_seat=True)
    player = Seat(players, "whose turn it is", alike=True)
    last = Seat(players, "who has announced", nobody=True)
    said = Int(0, MIA, "rank that was announced last; 0 none")
    rolled = Flag("the player has rolled")
    asked = Flag("the player says whether the last announcement is believed")
    cups = Ints(players, 0, MIA, "rank of the roll under each cup; 0 none", by_seat=True, private=said)

    rolls = Tally("rolls")
    lies = Tally("lies that were found out")

    def next(self) -> int:
        if max(self.left) == sum(self.left):
            return OVER
        if self.asked:
            return ask(self.answer, self.player)
        return ask(self.announce, self.player) if self.rolled else throw(self.cup)

    def rank(self, one: int, other: int) -> int:
        """Return the rank of a roll."""
        high, low = max(one, other), min(one, other)
        if high == 2 and low == 1:
            return MIA
        return LOWEST_DOUBLE - 1 + high if high == low else (high - 1) * (high - 2) // 2 + low - 1

    @thrown(2, d(faces), FACES)
    def cup(self, one: int, other: int) -> None:
        self.rolls += 1
        self.cups[self.player] = self.rank(one, other)
        self.rolled = True

    def higher(self, rank: int) -> bool:
        if rank == MIA:
            return True
        mixed = (self.faces - 1) * self.faces // 2 - 1  # the rank of the highest mixed roll
        possible = rank <= mixed or LOWEST_DOUBLE <= rank < LOWEST_DOUBLE + self.faces
        return possible and rank > self.said

    def least(self) -> int:
        """Return the lowest rank that may be announced."""
        return min(rank for rank in range(1, MIA + 1) if self.higher(rank))

    @chosen((1, MIA), legal=higher)
    def announce(self, rank: int) -> None:
        """Announce a rank."""
        self.said = rank
        self.last = self.player
        self.player = self.after(self.player)
        self.rolled = False
        self.asked = True

    def after(self, seat: int) -> int:
        """Return the next seat that has lives left."""
        seat = right_of(seat, self.players)
        while self.left[seat] == 0:
            seat = right_of(seat, self.players)
        return seat

    def not_the_highest(self, move: int) -> bool:
        return move == Answer.LOOK or self.said < MIA

    @chosen(Answer, legal=not_the_highest)
    def answer(self, move: int) -> None:
        """Believe the announcement, or look under the cup."""
        if move == Answer.BELIEVE:
            self.cups[self.last] = 0
            self.asked = False
            return
        lied = self.cups[self.last] < self.said
        if lied:
            self.lies += 1
        loser = self.last if lied else self.player
        self.left[loser] -= 1
        self.cups[self.last] = 0
        self.said = 0
        self.last = -1
        self.asked = False
        self.player = self.after(loser) if self.left[loser] == 0 else loser

    def outcome(self) -> int:
        return self.left.index(max(self.left))


@strategy(Mia, trust=Param(14, 0, 20, "ranks up to this are believed"))
def honest(game: Mia, trust: int) -> int:
    """Announce the truth if it is high enough, else the least that is allowed; believe up to a rank."""
    if game.asked:
        return Answer.BELIEVE if game.said <= trust and game.said < MIA else Answer.LOOK
    return max(game.cups[game.player], game.least())


@strategy(Mia)
def suspicious(game: Mia) -> int:
    """Announce the least that is allowed, and look under every cup."""
    return Answer.LOOK if game.asked else game.least()
