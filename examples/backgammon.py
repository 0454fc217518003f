"""Backgammon for money, without the cube: every checker of a roll is a move, and a play uses both dice if it can."""

from __future__ import annotations

from collections.abc import Iterator

from dicelab.rules import (
    D6,
    FACES,
    OVER,
    Choice,
    Dice,
    Facing,
    Flag,
    Game,
    Grid,
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
    strategy,
    throw,
    thrown,
)

OFF, HOME, FAR_HOME, BAR = 0, 6, 19, 25
"""Places of checkers, counted towards their player: off the board, the last point at home, the first one of the other
player's home, the bar."""
ALL = 15
"""Checkers of a player."""
SETUPS = ("backgammon", "hypergammon", "bear-off")


def highest(table: list[int]) -> int:
    """Return the place that is furthest from home and has checkers."""
    return max(place for place in range(BAR + 1) if table[place] > 0)


def movable(table: list[int], last: int, place: int, die: int) -> bool:
    """Whether a checker can be moved from a place by a die; `last` is the highest place with checkers.

    `table` has the checkers of the player that moves on every place, and then those of the other one.
    """
    if table[place] == 0 or (last == BAR and place < BAR):
        return False
    if place > die:
        return table[2 * BAR + 1 - (place - die)] < 2
    return last <= HOME and place in (die, last)


def any_movable(table: list[int], die: int) -> bool:
    """Whether a checker can be moved by a die."""
    last = highest(table)
    return any(movable(table, last, place, die) for place in range(1, last + 1))


def moved(table: list[int], place: int, die: int) -> list[int]:
    """Return the table after a move."""
    after = list(table)
    to = max(place - die, OFF)
    after[place] -= 1
    after[to] += 1
    if to > OFF and after[2 * BAR + 1 - to] > 0:
        after[2 * BAR + 1 - to] -= 1
        after[2 * BAR + 1] += 1
    return after


class Backgammon(Game):
    """Backgammon: bring all checkers home and off, past those of the other player; gammons count double."""

    name = "backgammon"
    source = "the rules of backgammon: https://www.bkgm.com/rules.html"

    words = Words(
        players=("first player", "second player"),
        names={
            "places": "checkers",
            "dice": "to play",
            "begin": "first roll",
            "move": "move",
            "lead": "pips to go",
        },
        hidden=("begun",),
        moves={"move": "{place} by {die}"},
        board=(Facing("places"), Dice("dice"), Numbers(("lead", "turns"))),
        news={
            "begin": "The first roll is {own} and {other}",
            "move": "{player} moved a checker from {place} by {die}",
        },
        endings={
            "first wins": "The first player wins",
            "first wins a gammon": "The first player wins a gammon",
            "first wins a backgammon": "The first player wins a backgammon",
            "second wins": "The second player wins",
            "second wins a gammon": "The second player wins a gammon",
            "second wins a backgammon": "The second player wins a backgammon",
        },
        rulebook=Rulebook(
            goal="Be the first to take all fifteen checkers off the board.",
            setup="Each player counts the 24 points from its own home, points 1 to 6, so that point 24 of one is point "
            "1 of the other. Each has two checkers on point 24, five on 13, three on 8 and five on 6. Both roll a die; "
            "the higher number begins and plays both dice.",
            turn="Roll two dice. Each die moves one checker towards home by its number; the same checker may be moved "
            "twice. Doubles are played twice over. A checker may go to any point that doesn't hold two or more of the "
            "other player's. If it finds one alone there, that checker is hit and put on the bar (25): it must come "
            "in, on points 24 to 19, before its player moves anything else. Once all checkers are at home they may be "
            "taken off: from the point of the die, or, with a die that is larger than needed, from the highest point "
            "that has any. All dice must be played if that is possible; if either of two can be played, but not both, "
            "the larger one.",
            end="The game is over when a player has no checkers left on the board.",
            scoring="A win counts 1; a gammon counts 2, when the loser has taken none off; a backgammon counts 3, when "
            "the loser then also has a checker on the bar or in the winner's home.",
            options={
                "setup hypergammon": "Each player has three checkers, on points 24, 23 and 22; the others are off.",
                "setup bear-off": "Each player has {checkers} checkers, all on point 6; the others are off.",
                "gammons": "Every win counts 1.",
            },
        ),
    )

    setup = Choice(SETUPS, "how the checkers stand at first", default="backgammon")
    checkers = Param(6, 1, 15, "checkers of each player on its sixth point in the bear-off; the others are off")
    gammons = Switch(True, "gammons and backgammons count 2 and 3")

    seats = 2
    outcomes = (
        "first wins",
        "first wins a gammon",
        "first wins a backgammon",
        "second wins",
        "second wins a gammon",
        "second wins a backgammon",
    )
    payoffs = {
        "first wins": (1, -1),
        "first wins a gammon": (2, -2),
        "first wins a backgammon": (3, -3),
        "second wins": (-1, 1),
        "second wins a gammon": (-2, 2),
        "second wins a backgammon": (-3, 3),
    }

    places = Grid(2, BAR + 1, 0, ALL, "checkers of each player off, on each point, on the bar", by_seat=True)
    dice = Ints(6, 0, 4, "dice still to be played, by number")
    player = Seat(2, "whose turn it is", alike=True)
    begun = Flag("it is known who begins")

    turns = Tally("turns of both players")

    def start(self) -> None:
        for seat in range(2):
            if self.setup == 0:
                self.places[seat][24] = 2
                self.places[seat][13] = self.places[seat][6] = 5
                self.places[seat][8] = 3
            elif self.setup == 1:
                self.places[seat][24] = self.places[seat][23] = self.places[seat][22] = 1
                self.places[seat][OFF] = ALL - 3
            else:
                self.places[seat][6] = self.checkers
                self.places[seat][OFF] = ALL - self.checkers

    def next(self) -> int:
        if any(row[OFF] == ALL for row in self.places):
            return OVER
        if not self.begun:
            return throw(self.begin)
        return ask(self.move, self.player) if any(self.dice) else throw(self.roll)

    @thrown(2, D6, FACES)
    def begin(self, own: int, other: int) -> None:
        """Each player rolls a die; the higher number begins, with these two dice."""
        if own != other:
            self.begun = True
            if own < other:
                self.player = 1 - self.player
            self.take(own, other)

    @thrown(2, D6, FACES)
    def roll(self, one: int, other: int) -> None:
        self.take(one, other)

    def take(self, one: int, other: int) -> None:
        """Lay out the dice to play, or pass if none can be played."""
        self.turns += 1
        table = self.table()
        if any_movable(table, one) or any_movable(table, other):
            each = 2 if one == other else 1
            self.dice[one - 1] += each
            self.dice[other - 1] += each
        else:
            self.player = 1 - self.player

    def lead(self) -> list[int]:
        """How far the checkers of each player are from being off, in pips."""
        return [sum(place * self.places[seat][place] for place in range(1, BAR + 1)) for seat in range(2)]

    def table(self) -> list[int]:
        """The checkers of the player whose turn it is, and then those of the other one."""
        return [*self.places[self.player], *self.places[1 - self.player]]

    def possible(self) -> Iterator[tuple[int, int]]:
        """Moves after which all dice can be played; if none, those of the larger die, and else of the other one."""
        table = self.table()
        last = highest(table)
        dice = [die for die in range(6, 0, -1) if self.dice[die - 1] > 0]
        found = False
        if len(dice) == 2:
            for die, other in ((dice[0], dice[1]), (dice[1], dice[0])):
                for place in range(last, 0, -1):
                    if movable(table, last, place, die):
                        after = moved(table, place, die)
                        if after[OFF] == ALL or any_movable(after, other):
                            found = True
                            yield place, die
        for die in dice:
            if not found and any_movable(table, die):
                found = True
                for place in range(last, 0, -1):
                    if movable(table, last, place, die):
                        yield place, die

    @chosen((1, BAR), (1, 6), moves=possible)
    def move(self, place: int, die: int) -> None:
        """Move a checker from a point, or from the bar (25), by a die."""
        own = self.places[self.player]
        other = self.places[1 - self.player]
        to = max(place - die, OFF)
        own[place] -= 1
        own[to] += 1
        if to > OFF and other[BAR - to] > 0:
            other[BAR - to] = 0
            other[BAR] += 1
        self.dice[die - 1] -= 1
        left = [number for number in range(1, 7) if self.dice[number - 1] > 0]
        table = self.table()
        if own[OFF] == ALL or not any(any_movable(table, number) for number in left):
            self.dice[:] = [0] * 6
            self.player = 1 - self.player

    def outcome(self) -> int:
        winner = 0 if self.places[0][OFF] == ALL else 1
        loser = self.places[1 - winner]
        if not self.gammons or loser[OFF] > 0:
            return 3 * winner
        return 3 * winner + (2 if any(loser[FAR_HOME:]) else 1)


POINT_WORTH = (0, 1, 2, 4, 5, 6, 6, 5, 4, 2, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 4, 5, 4, 2, 1, 0)
"""What `careful` thinks two checkers on a point are worth, in pips."""


def pips(table: list[int], first: int) -> int:
    """Return how far the checkers of a player are from being off; its places begin at `first`."""
    return sum(place * table[first + place] for place in range(1, BAR + 1))


def worth(table: list[int]) -> int:
    """Return what `careful` thinks of a play, in pips / 36: the lead, points that are made, checkers that may be hit.

    A checker alone on a point is hit by some 10 of 36 rolls from near, and by 3 from 7 to 12 pips away.
    """
    total = pips(table, BAR + 1) - pips(table, 0) + 4 * table[OFF]
    risk = 0
    for place in range(1, BAR):
        if table[place] > 1:
            total += POINT_WORTH[place]
        elif table[place] == 1:
            shots = 0
            for far in range(1, min(place, 12) + 1):
                if table[2 * BAR + 1 - place + far] > 0:
                    shots += 10 + far if far <= 6 else 3
            risk += min(shots, 36) * (BAR - place)
    return 36 * total - risk


def next_places(table: list[int], last: int, die: int, more: bool) -> list[int]:
    """Return the places, `last` or nearer, from which a die may be played; only 0, for no move, if none is left."""
    top = highest(table)
    found = [place for place in range(1, last + 1) if more and movable(table, top, place, die)]
    return found or [OFF]


def best_of_one(table: list[int], last: int, die: int, left: int) -> int:
    """Return what a play leads to that goes on with the best move by a die, if any is `left`."""
    return max(worth(moved(table, place, die)) for place in next_places(table, last, die, left > 0))


def best_of_two(table: list[int], last: int, die: int, left: int) -> int:
    """Return what a play leads to that goes on with two moves, checkers that are further back first."""
    return max(
        best_of_one(moved(table, place, die), place or last, die, left)
        for place in next_places(table, last, die, left > 1)
    )


def best_of_three(table: list[int], last: int, die: int, left: int) -> int:
    """Return what a play leads to that goes on with three moves."""
    return max(
        best_of_two(moved(table, place, die), place or last, die, left)
        for place in next_places(table, last, die, left > 2)
    )


@strategy(Backgammon)
def careful(game: Backgammon) -> tuple[int, int]:
    """Look at all plays of the roll; go for the lead in pips, make points, and leave few checkers alone."""
    table = game.table()
    left = sum(game.dice) - 1
    best, where, which = -(10**9), 0, 0
    for place, die in game.possible():
        other = max(number if game.dice[number - 1] > (number == die) else 0 for number in range(1, 7))
        value = best_of_three(moved(table, place, die), place if other == die else BAR, other, left)
        if value > best:
            best, where, which = value, place, die
    return where, which


@strategy(Backgammon)
def runner(game: Backgammon) -> tuple[int, int]:
    """Move the checker that is furthest back, by the larger die."""
    moves = list(game.possible())
    return max(moves)
