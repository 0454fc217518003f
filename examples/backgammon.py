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

OFF, HOME, FAR_HOME, BAR, ALL = 0, 6, 19, 25, 15
"""Places of checkers, as each player counts them: off, the last one at home, the other's home, the bar; how many."""
OTHER = BAR + 1
"""Where the other player's places begin in a table: the places of the player that moves, and then the other's."""
START = (
    ((24, 2), (13, 5), (8, 3), (6, 5)),
    ((24, 1), (23, 1), (22, 1), (6, 0)),
    ((24, 0), (13, 0), (8, 0), (6, ALL)),
)
"""Places and how many checkers are there at first, by `setup`; in the bear-off no more than the parameter says."""


def places_for(table: list[int], die: int) -> list[int]:
    """Return the places from which a die can be played, the furthest from home first."""
    last = max(place for place in range(BAR + 1) if table[place] > 0)
    if last == BAR:
        return [BAR] if table[OTHER + die] < 2 else []
    return [
        place
        for place in range(last, OFF, -1)
        if table[place] > 0
        and (table[OTHER + BAR - place + die] < 2 if place > die else last <= HOME and place in (die, last))
    ]


def moved(table: list[int], place: int, die: int) -> list[int]:
    """Return the table after a move."""
    after = list(table)
    to = max(place - die, OFF)
    after[place] -= 1
    after[to] += 1
    if to > OFF and after[OTHER + BAR - to] > 0:
        after[OTHER + BAR - to] = 0
        after[OTHER + BAR] += 1
    return after


class Backgammon(Game):
    """Backgammon for money: bring all checkers home and off; a gammon counts double, a backgammon three times."""

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
            "first": "The first player wins",
            "first gammon": "The first player wins a gammon",
            "first backgammon": "The first player wins a backgammon",
            "second": "The second player wins",
            "second gammon": "The second player wins a gammon",
            "second backgammon": "The second player wins a backgammon",
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
                "first_begins": "The first player begins, and rolls two dice.",
                "gammons": "Every win counts 1.",
            },
        ),
    )

    setup = Choice(("backgammon", "hypergammon", "bear-off"), "how the checkers stand at first")
    checkers = Param(6, 1, 15, "checkers of each player on its sixth point in the bear-off; the others are off")
    first_begins = Switch(False, "the first player begins, with two dice")
    gammons = Switch(True, "gammons and backgammons count 2 and 3")

    seats = 2
    outcomes = ("first", "first gammon", "first backgammon", "second", "second gammon", "second backgammon")
    payoffs = {name: (won, -won) for name, won in zip(outcomes, (1, 2, 3, -1, -2, -3), strict=True)}

    places = Grid(2, BAR + 1, 0, ALL, "checkers of each player off, on each point, on the bar", by_seat=True)
    dice = Ints(6, 0, 4, "dice still to be played, by number")
    player = Seat(2, "whose turn it is", alike=True)
    begun = Flag("it is known who begins")

    turns = Tally("turns of both players")

    def start(self) -> None:
        for seat in range(2):
            for place, many in START[self.setup]:
                self.places[seat][place] = many if self.setup < 2 else min(many, self.checkers)
            self.places[seat][OFF] = ALL - sum(self.places[seat])
        self.begun = self.first_begins

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
            self.lay_out(own, other)

    @thrown(2, D6, FACES)
    def roll(self, one: int, other: int) -> None:
        self.lay_out(one, other)

    def lay_out(self, one: int, other: int) -> None:
        self.turns += 1
        each = 2 if one == other else 1
        self.dice[one - 1] += each
        self.dice[other - 1] += each
        self.pass_on()

    def pass_on(self) -> None:
        """End the turn if nothing can be played."""
        table = self.table()
        if table[OFF] == ALL or not any(places_for(table, die) for die in self.left()):
            self.dice[:] = [0] * 6
            self.player = 1 - self.player

    def left(self) -> list[int]:
        return [die for die in range(6, 0, -1) if self.dice[die - 1] > 0]

    def table(self) -> list[int]:
        """The checkers of the player whose turn it is, and then those of the other one."""
        return [*self.places[self.player], *self.places[1 - self.player]]

    def lead(self) -> list[int]:
        """How far the checkers of each player are from being off, in pips."""
        return [sum(place * self.places[seat][place] for place in range(BAR + 1)) for seat in range(2)]

    def possible(self) -> Iterator[tuple[int, int]]:
        """Moves after which all dice can be played; if none, those of the larger die, and else of the other one."""
        table = self.table()
        left = self.left()
        found = False
        for die in left:
            for place in places_for(table, die):
                after = moved(table, place, die)
                if len(left) == 1 or after[OFF] == ALL or places_for(after, left[0] + left[1] - die):
                    found = True
                    yield place, die
        for die in left:
            if not found:
                for place in places_for(table, die):
                    found = True
                    yield place, die

    @chosen((1, BAR), (1, 6), moves=possible)
    def move(self, place: int, die: int) -> None:
        """Move a checker from a point, or from the bar (25), by a die."""
        after = moved(self.table(), place, die)
        self.places[self.player][:] = after[:OTHER]
        self.places[1 - self.player][:] = after[OTHER:]
        self.dice[die - 1] -= 1
        self.pass_on()

    def outcome(self) -> int:
        winner = 0 if self.places[0][OFF] == ALL else 1
        loser = self.places[1 - winner]
        more = 2 if any(loser[FAR_HOME:]) else 1
        return 3 * winner + (more if self.gammons and loser[OFF] == 0 else 0)


@strategy(Backgammon)
def runner(game: Backgammon) -> tuple[int, int]:
    """Move the checker that is furthest back, by the larger die."""
    return max(game.possible())
