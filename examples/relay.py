"""A team game: partners sit opposite each other; each rolls once or twice, and the team with more points wins."""

from __future__ import annotations

from enum import IntEnum

from dicelab.rules import (
    D6,
    OVER,
    Game,
    Int,
    Numbers,
    Param,
    Rulebook,
    Seat,
    Tally,
    Words,
    ask,
    chosen,
    strategy,
    throw,
    thrown,
)


class Move(IntEnum):
    """What a player does with the first roll."""

    KEEP = 0
    AGAIN = 1


class Relay(Game):
    """Players 1 and 3 play against 2 and 4. Each rolls a die, and may roll again instead; equal sums draw."""

    name = "relay"
    source = "made as an example: seats that win together, and a draw that counts half"

    rounds = Param(1, 1, 5, "turns of each player")

    seats = 4
    outcomes = ("first team", "second team", "draw")
    payoffs = {"first team": (1, 0, 1, 0), "second team": (0, 1, 0, 1), "draw": (0.5, 0.5, 0.5, 0.5)}

    words = Words(
        names={
            "lead": "lead of the first team",
            "face": "rolled",
            "played": "turns",
            "keep_or_again": "keep or again",
            "die": "roll",
        },
        hidden=("again", "played"),
        values={"face": {0: "nothing yet"}},
        board=(Numbers(("lead", "face", "turns")),),
        news={"played": "{player} scored {lead} points", "rerolls": "{player} rolled once more"},
        endings={
            "first team": "The first team (players 1 and 3) wins by {lead}",
            "second team": "The second team (players 2 and 4) wins",
            "draw": "The teams are level",
        },
        rulebook=Rulebook(
            goal="Roll more than the other team: players 1 and 3 play against players 2 and 4.",
            turn="Roll a die, and keep it or roll once more instead.",
            end="After {rounds} turns of each player the team with more points wins; equal points are a draw.",
        ),
    )

    player = Seat(4, "whose turn it is")
    played = Int(0, 4 * rounds, "turns so far", grows=True)
    lead = Int(-12 * rounds, 12 * rounds, "points of the first team less those of the second", start=0)
    face = Int(0, 6, "the first roll of this turn, 0 before it")
    again = Int(0, 1, "the player rolls once more")

    rerolls = Tally("second rolls")

    def next(self) -> int:
        if self.played == 4 * self.rounds:
            return OVER
        return ask(self.keep_or_again, self.player) if self.face > 0 and self.again == 0 else throw(self.die)

    @thrown(1, D6)
    def die(self, face: int) -> None:
        if self.again == 0:
            self.face = face
        else:
            self.score(face)

    @chosen(Move)
    def keep_or_again(self, move: int) -> None:
        if move == Move.KEEP:
            self.score(self.face)
        else:
            self.again = 1
            self.rerolls += 1

    def score(self, points: int) -> None:
        """Count the points, and pass the die on."""
        self.lead += points if self.player % 2 == 0 else 0 - points
        self.played += 1
        self.player = (self.player + 1) % 4
        self.face = 0
        self.again = 0

    def turns(self) -> str:
        return f"{self.played} of {4 * self.rounds}"

    def outcome(self) -> int:
        return 2 if self.lead == 0 else 0 if self.lead > 0 else 1


@strategy(Relay, least=Param(4, 1, 6, "keep at least this"))
def keep_from(game: Relay, least: int) -> int:
    """Keep a first roll of at least `least`."""
    return Move.KEEP if game.face >= least else Move.AGAIN
