"""Starter: reach a total close to the limit, and not above it. Change this game into yours.

`dicelab check FILE` says what is wrong in this file, on which line. The page "Write a game" of the documentation has
all that rules may declare; in Python, help("dicelab.rules.fields") and help("dicelab.rules.actions") list most of it.
"""

from __future__ import annotations

from enum import IntEnum

from dicelab.rules import D6, OVER, Flag, Game, Int, Ints, Param, Tally, ask, chosen, strategy, throw, thrown


class Move(IntEnum):
    """What a player may choose."""

    ROLL = 0
    STOP = 1


class Starter(Game):
    """Roll one die as often as you like; the highest total up to the limit wins."""

    name = "starter"
    source = "made up as an example"

    # Parameters: default, lowest and highest value, meaning. Each is an option: --limit 15.
    players = Param(2, 2, 6, "players at the table")
    limit = Param(11, 6, 30, "highest total that counts")

    seats = players

    # State: all that the rest of the game depends on, with its ranges. At the start numbers are 0, flags no.
    totals = Ints(players, 0, limit, "total of each seat; 0 after a roll above the limit")
    player = Int(0, players, "whose turn it is; the number of players when all have played")
    may_stop = Flag("the player may choose")

    # Tallies: what you want to count. Rules only add to them.
    rolls = Tally("rolls of the die")
    busts = Tally("turns that went above the limit")

    def next(self) -> int:
        """Return what happens now: the game is over, a seat chooses, or dice are rolled."""
        if self.player == self.players:
            return OVER
        if self.may_stop:
            return ask(self.roll_or_stop, self.player)
        return throw(self.die)

    @thrown(1, D6)
    def die(self, face: int) -> None:
        """Note that one die was rolled."""
        self.rolls += 1
        if self.totals[self.player] + face > self.limit:
            self.busts += 1
            self.totals[self.player] = 0
            self.end_turn()
        else:
            self.totals[self.player] += face
            self.may_stop = True

    @chosen(Move)
    def roll_or_stop(self, move: int) -> None:
        """Do what the player chose."""
        self.may_stop = False
        if move == Move.STOP:
            self.end_turn()

    def end_turn(self) -> None:
        """Let the next player begin."""
        self.may_stop = False
        self.player += 1

    def outcome(self) -> int:
        """Return the seat that has won; the first of equal totals."""
        return self.totals.index(max(self.totals))


# Strategies: the first is the default; `points` is an argument, as in: --strategy stop_at:9.
@strategy(Starter, points=Param(8, 1, 30, "stop with at least this total"))
def stop_at(game: Starter, points: int) -> Move:
    """Stop as soon as the total is high enough."""
    return Move.STOP if game.totals[game.player] >= points else Move.ROLL


@strategy(Starter)
def beat_the_best(game: Starter) -> Move:
    """Roll while another seat is ahead, and always below 8."""
    return Move.STOP if game.totals[game.player] >= max(8, max(game.totals)) else Move.ROLL
