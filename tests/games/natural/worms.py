"""Pickomino (Heckmeck am Bratwurmeck), a small one: fewer tiles, for two or three."""

from dicelab.rules import (
    COUNTS,
    D6,
    OVER,
    Flag,
    Flags,
    Game,
    Int,
    Ints,
    Param,
    Seat,
    Tally,
    ask,
    chosen,
    left_of,
    strategy,
    throw,
    thrown,
)

WORM = 6


def worms(tile):
    return 1 + (tile - 21) // 4


class Worms(Game):
    """Choose a number that you have not chosen yet and set all dice with it aside; stop with a worm and enough points."""

    name = "worms"
    source = "Reiner Knizia, Zoch 2005"

    players = Param(2, 2, 4, "players")
    tiles = Param(6, 2, 16, "tiles: 21, 22, ...")
    seats = players
    outcomes = (players, "draw")

    owner = Ints(tiles, -2, 3, "who has each tile; -1: the table, -2: nobody any more", start=-1)
    stack = Ints(players, 0, tiles, "the top tile of each, 0: none", by_seat=True)
    under = Ints(tiles, 0, tiles, "the tile under each tile; 0: none")
    aside = Ints(6, 0, 8, "dice set aside")
    rolled = Ints(6, 0, 8, "dice of the last roll")
    asked = Flag("whether to roll on is asked")
    player = Seat(players, "whose turn")
    turns = Tally("turns")
    stolen = Tally("tiles stolen")

    def total(self):
        return sum(min(face, 5) * n for face, n in enumerate(self.aside, 1))

    def free(self):
        return 8 - sum(self.aside)

    def takes(self):
        """The tile that the player can take now: one of another player, or the largest on the table; None for none."""
        points = self.total()
        if not self.aside[WORM - 1]:
            return None
        for seat in range(self.players):
            if seat != self.player and self.stack[seat] and self.stack[seat] + 20 == points:
                return self.stack[seat] - 1
        return max((i for i, who in enumerate(self.owner) if who == -1 and i + 21 <= points), default=None)

    def next(self):
        if -1 not in self.owner:
            return OVER
        if any(self.rolled):
            return ask(self.pick, self.player)
        if self.asked:
            return ask(self.go_on, self.player)
        return throw(self.dice, self.free())

    @thrown(8, D6, COUNTS)
    def dice(self, *counts):
        if all(n == 0 or self.aside[face] for face, n in enumerate(counts)):
            self.fail()
        else:
            self.rolled[:] = counts

    def may_pick(self, face):
        return self.rolled[face] > 0 and self.aside[face] == 0

    @chosen(6, legal=may_pick)
    def pick(self, face):
        self.aside[face] = self.rolled[face]
        self.rolled[:] = [0] * 6
        if self.free() == 0:
            self.finish()
        elif self.takes() is not None:
            self.asked = True

    @chosen(2)
    def go_on(self, stop):
        self.asked = False
        if stop:
            self.finish()

    def finish(self):
        tile = self.takes()
        if tile is None:
            self.fail()
            return
        before = self.owner[tile]
        if before >= 0:
            self.stolen += 1
            self.stack[before] = self.under[tile]
        self.owner[tile] = self.player
        self.under[tile] = self.stack[self.player]
        self.stack[self.player] = tile + 1
        self.end_turn()

    def fail(self):
        top = self.stack[self.player]
        if top:
            self.stack[self.player] = self.under[top - 1]
            self.under[top - 1] = 0
            self.owner[top - 1] = -1
        on_table = [i for i, who in enumerate(self.owner) if who == -1]
        if on_table and on_table[-1] != top - 1:
            self.owner[on_table[-1]] = -2
        self.end_turn()

    def end_turn(self):
        self.turns += 1
        self.aside[:] = [0] * 6
        self.rolled[:] = [0] * 6
        self.asked = False
        self.player = left_of(self.player, self.players)

    def outcome(self):
        score = [sum(worms(i + 21) for i, who in enumerate(self.owner) if who == seat) for seat in range(self.players)]
        best = max(score)
        winners = [seat for seat, n in enumerate(score) if n == best]
        return winners[0] if len(winners) == 1 else self.players


@strategy(Worms)
def greedy(game):
    """Take worms first, else most points; stop as soon as possible."""
    if not any(game.rolled):
        return 1
    faces = [face for face in range(6) if game.rolled[face] and not game.aside[face]]
    return 5 if 5 in faces else max(faces, key=lambda face: game.rolled[face] * (face + 1))


@strategy(Worms, least=Param(3, 0, 8, "roll on with at least this many dice"))
def bold(game, least):
    if any(game.rolled):
        options = [(n * min(face + 1, 5), face) for face, n in enumerate(game.rolled) if n and game.aside[face] == 0]
        return max(options)[1]
    return 0 if 8 - sum(game.aside) >= least else 1
