"""Targets: a part of a move is a seat, so that the game is the same from every seat."""

from __future__ import annotations

from collections.abc import Iterator

from dicelab.rules import (
    D6,
    OVER,
    Flag,
    Game,
    Int,
    Ints,
    Param,
    Seat,
    Tally,
    ask,
    chosen,
    right_of,
    strategy,
    throw,
    thrown,
)


class Targets(Game):
    """Targets: aim at somebody with one arrow or two; who has lost all lives is out, and the last one wins."""

    name = "targets"
    source = "made for the tests"

    players = Param(2, 2, 4, "players")
    lives = Param(2, 1, 3, "lives of each")

    seats = players

    left = Ints(players, 0, lives, "lives left", start=lives, by_seat=True)
    player = Seat(players, "whose turn it is", alike=True)
    target = Seat(players, "at whom it is aimed", nobody=True)
    arrows = Int(0, 2, "arrows")
    guard = Seat(players, "who is guarded", nobody=True)
    asking = Flag("somebody may be guarded")

    turns = Tally("turns")

    def next(self) -> int:
        if self.alive() == 1:
            return OVER
        if self.asking:
            return ask(self.protect, self.player)
        return throw(self.die) if self.target >= 0 else ask(self.aim, self.player)

    def alive(self) -> int:
        many = 0
        for lives in self.left:
            many += lives > 0
        return many

    def at_others(self, arrows: int, seat: int) -> bool:
        return seat != self.player and self.left[seat] > 0

    @chosen((1, 2), player, legal=at_others)
    def aim(self, arrows: int, seat: int) -> None:
        """Aim at a seat; two arrows hit less often."""
        self.arrows = arrows
        self.target = seat

    @thrown(1, D6)
    def die(self, face: int) -> None:
        if face > 1 + 2 * self.arrows and self.target != self.guard:
            self.left[self.target] = max(0, self.left[self.target] - self.arrows)
        self.guard = -1
        self.target = -1
        self.asking = face == 1

        self.turns += 1
        if not self.asking:
            self.pass_on()

    def pass_on(self) -> None:
        for _ in range(self.players):
            self.player = right_of(self.player, self.players)
            if self.left[self.player] > 0:
                break

    def anybody(self) -> Iterator[int]:
        yield -1
        for seat in range(self.players):
            if self.left[seat] > 0:
                yield seat

    @chosen(guard, moves=anybody)
    def protect(self, seat: int) -> None:
        """Guard a seat, or nobody, against the next arrow."""
        self.guard = seat
        self.asking = False
        self.pass_on()

    def outcome(self) -> int:
        winner = 0
        for seat in range(self.players):
            if self.left[seat] > 0:
                winner = seat
        return winner


@strategy(Targets, arrows=Param(1, 1, 2, "arrows"))
def strongest(game: Targets, arrows: int) -> int | tuple[int, int]:
    """Aim at the one with most lives, the next one first; guard oneself."""
    if game.asking:
        return game.player
    best = -1
    for i in range(1, game.players):
        seat = (game.player + i) % game.players
        if game.left[seat] > 0 and (best < 0 or game.left[seat] > game.left[best]):
            best = seat
    return arrows, best
