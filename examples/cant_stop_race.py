"""Can't Stop for two to four players, on the full board or a smaller one."""

from __future__ import annotations

from cant_stop import CantStop, Move, Stage

from dicelab.rules import (
    OVER,
    Dice,
    Flags,
    Grid,
    Ints,
    Numbers,
    Param,
    Places,
    Rulebook,
    Seat,
    Tally,
    Track,
    Words,
    ask,
    chosen,
    right_of,
    strategy,
    throw,
)


class CantStopRace(CantStop):
    """Can't Stop: climb the columns of sums of two dice, or lose the turn; the first to finish three columns wins."""

    name = "cant-stop-race"
    source = "Sid Sackson, Can't Stop, 1980"

    words = Words(
        names={
            "climbed": "columns",
            "ahead": "climbed in this turn",
            "won": "columns finished",
            "closed": "closed columns",
            "needed": "to finish",
            "cup": "roll",
            "pair": "climb",
            "go_on": "roll or stop",
        },
        hidden=("stage",),
        values={
            "climbed": [str(n) for n in range(13)],
            "ahead": [str(n) for n in range(13)],
            "closed": [str(n) for n in range(13)],
        },
        moves={"pair": "{column} [and {other}]"},
        board=(
            Track("climbed", length="length", ahead="ahead"),
            Track("closed"),
            Places("won"),
            Dice("dice"),
            Numbers(("needed", "turns")),
        ),
        news={
            "pair": "{player} climbed {column} [and {other}]",
            "busts": "{player} could climb nothing and lost what was climbed in this turn",
            "go_on 1": "{player} stopped and keeps what was climbed",
        },
        rulebook=Rulebook(
            goal="Be the first to finish {needed} columns.",
            setup="There is a column for each sum of two dice; the ones in the middle are longer.",
            turn="Roll four dice and make two pairs of them. Climb a step in the column of each pair, if it is not "
            "finished by anybody; in one turn you may climb at most three columns. If both pairs can be climbed, you "
            "must climb both. Then roll again, or stop and keep what you climbed. If no pair of a roll can be climbed, "
            "the turn is over and what was climbed in it is lost. Who stops at the top of a column has finished it: "
            "nobody climbs it any more.",
            end="The first player with {needed} columns has won.",
        ),
    )

    players = Param(2, 2, 4, "players at the table")
    sides = Param(6, 2, 6, "sides of the dice that are used")
    shortest = Param(3, 1, 3, "length of the outermost columns")
    longer = Param(2, 0, 2, "how much longer each next column is")
    needed = Param(3, 1, 3, "columns to finish")

    seats = players

    climbed = Grid(  # type: ignore[assignment]  # a row for each player
        players, 2 * sides + 1, 0, 13, "steps climbed for good, by sum", by_seat=True
    )
    ahead = Ints(2 * sides + 1, 0, 13, "steps climbed in this turn, by sum")
    closed = Flags(2 * sides + 1, "columns that are finished")
    won = Ints(players, 0, 5, "columns finished", by_seat=True, grows=True)
    dice = Ints(6, 0, 4, "dice that show each number")
    player = Seat(players, "whose turn it is", alike=True)

    turns = Tally("turns of all players")

    def refuse(self) -> str:
        """Say where all columns can be finished before anybody has enough of them."""
        columns = 2 * self.sides - 1
        enough = self.players * (self.needed - 1) < columns
        return "" if enough else f"{columns} columns are too few for {self.players} players who need {self.needed} each"

    def next(self) -> int:
        if max(self.won) >= self.needed:
            return OVER
        if self.stage == Stage.ROLL:
            return throw(self.cup)
        return ask(self.pair, self.player) if self.stage == Stage.PAIR else ask(self.go_on, self.player)

    def free(self, column: int, more: int) -> bool:
        """Whether a column can be climbed, after `more` steps in it with these dice."""
        if self.closed[column]:
            return False
        room = self.length(column) - self.climbed[self.player][column] - self.ahead[column] - more
        return room > 0 and (self.ahead[column] > 0 or self.runners() < 3)

    @chosen(Move)
    def go_on(self, move: int) -> None:
        """Roll again, or stop and keep what was climbed."""
        self.stage = Stage.ROLL
        if move == Move.STOP:
            for column in range(2, 2 * self.sides + 1):
                self.climbed[self.player][column] += self.ahead[column]
                if self.ahead[column] and self.climbed[self.player][column] == self.length(column):
                    self.closed[column] = True
                    self.won[self.player] += 1
                    for seat in range(self.players):
                        self.climbed[seat][column] = 0
            self.end_turn()

    def end_turn(self) -> None:
        super().end_turn()
        if max(self.won) < self.needed:
            self.player = right_of(self.player, self.players)

    def outcome(self) -> int:
        return self.won.index(max(self.won))


def worth(column: int, sides: int) -> int:
    """What a step in a column counts in the rule of 28: 1 in the middle, one more for each column further out."""
    return 1 + abs(column - sides - 1)


@strategy(CantStopRace, points=Param(28, 1, 40, "stop with so many points"))
def rule_of_28(game: CantStopRace, points: int) -> int | tuple[int, int]:
    """Stop at 28 points, by Michael Keller's rule: outer columns and the first step in a column count more."""
    if game.stage == Stage.PAIR:
        return max(game.pairs(), key=lambda pair: likely(game, pair[0]) + likely(game, pair[1]))
    climbed = [column for column in range(2, 2 * game.sides + 1) if game.ahead[column]]
    total = sum((game.ahead[column] + 1) * worth(column, game.sides) for column in climbed)
    if len(climbed) == 3:
        total += 2 * all(column % 2 for column in climbed) - 2 * all(column % 2 == 0 for column in climbed)
        below = sum(column < game.sides + 1 for column in climbed)
        above = sum(column > game.sides + 1 for column in climbed)
        total += 4 * (below == 3 or above == 3)
    return Move.STOP if total >= points or (len(climbed) == 3 and at_top(game)) else Move.ROLL


def likely(game: CantStopRace, column: int) -> int:
    """How good a column is to climb: likely sums first, and none that needs another runner."""
    if column == 0:
        return 0
    return 2 * (game.sides + 1) - 2 * worth(column, game.sides) + 3 * (game.ahead[column] > 0)


@strategy(CantStopRace, steps=Param(4, 1, 20, "stop after so many steps"))
def stop_after(game: CantStopRace, steps: int) -> int | tuple[int, int]:
    """Take the first pairs; stop after some steps, or at the top of a column."""
    if game.stage == Stage.PAIR:
        return game.first_pair()
    return Move.STOP if sum(game.ahead) >= steps or at_top(game) else Move.ROLL


def at_top(game: CantStopRace) -> bool:
    """Whether a column would be finished."""
    columns = [column for column in range(2, 2 * game.sides + 1) if game.ahead[column]]
    return any(game.ahead[n] + game.climbed[game.player][n] == game.length(n) for n in columns)
