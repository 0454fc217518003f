"""Small games in which players look ahead, and what they lose there against optimal play."""

from __future__ import annotations

from collections.abc import Iterator

from dicelab.questions.policies.skill.luck import losses
from dicelab.questions.policies.skill.values import Values
from dicelab.rules import (
    D6,
    OVER,
    Game,
    Grid,
    Int,
    Ints,
    Param,
    Places,
    Seat,
    Tally,
    Words,
    ask,
    chosen,
    d,
    strategy,
    throw,
    thrown,
)
from dicelab.runtime.lineup import Run


class Dare(Game):
    """Two to four seats in turn roll a die up to three times, and keep one number; the highest wins, the first of
    equal ones."""

    name = "dare"
    source = "made for the tests"

    players = Param(2, 1, 4, "seats")
    seats = players

    kept = Ints(players, 0, 6, "the number that each seat has kept")
    player = Seat(players, "whose turn it is")
    left = Int(0, 3, "rolls to come", start=3)
    shown = Int(0, 6, "the number of the die")
    done = Int(0, 4, "seats that have kept a number")

    def next(self) -> int:
        if self.done == self.players:
            return OVER
        return ask(self.keep, self.player) if self.shown else throw(self.die)

    @thrown(1, D6)
    def die(self, total: int) -> None:
        self.left -= 1
        self.shown = total

    @chosen(2, legal=lambda self, move: move == 1 or self.left > 0)
    def keep(self, move: int) -> None:
        if move == 1:
            self.kept[self.player] = self.shown
            self.done += 1
            self.left = 3
            if self.done < self.players:
                self.player = (self.player + 1) % self.players
        self.shown = 0

    def outcome(self) -> int:
        best = max(self.kept)
        return self.kept.index(best)


@strategy(Dare)
def at_once(game: Dare) -> int:
    """Keep the first number."""
    return 1


class Tokens(Game):
    """Two seats move one of two tokens by the number of a die; the first with a token at the end wins."""

    name = "tokens"
    source = "made for the tests"

    seats = 2

    at = Grid(2, 2, 0, 3, "where the tokens of each seat are", by_seat=True)
    pair = Ints(2, 0, 1, "whether each number lies on the table")
    player = Seat(2, "who moves", alike=True)
    number = Int(0, 2, "number of the die")

    words = Words(board=(Places("at"),))

    def next(self) -> int:
        if 3 in self.at[0] or 3 in self.at[1]:
            return OVER
        return ask(self.move, self.player) if self.number else throw(self.die)

    @thrown(1, d(2))
    def die(self, number: int) -> None:
        self.number = number
        if self.may_move(0) or self.may_move(1):
            self.pair[number - 1] = 1
        else:
            self.number = 0
            self.player = 1 - self.player

    def may_move(self, token: int) -> bool:
        return self.at[self.player][token] + self.number <= 3

    def why_not(self, token: int) -> str:
        return f"token {token} would go beyond the end"

    @chosen(2, legal=may_move, because=why_not)
    def move(self, token: int) -> None:
        self.at[self.player][token] += self.number
        self.pair[self.number - 1] = 0
        self.number = 0
        if self.at[self.player][token] < 3:
            self.player = 1 - self.player

    def outcome(self) -> int:
        return self.player


@strategy(Tokens)
def last_token(game: Tokens) -> int:
    """Move the second token, if it may move."""
    return 1 if game.may_move(1) else 0


class Fewest(Game):
    """Roll a die up to three times; the number that is kept counts, and few are wanted."""

    name = "fewest"
    source = "made for the tests"
    words = Words(objective="fewest:score")

    left = Int(0, 3, "rolls to come", start=3)
    shown = Int(0, 6, "the number of the die")
    kept = Int(0, 1, "whether it is kept")
    score = Tally("the number that was kept")

    def next(self) -> int:
        if self.kept:
            return OVER
        return ask(self.keep, 0) if self.shown else throw(self.die)

    @thrown(1, D6)
    def die(self, total: int) -> None:
        self.left -= 1
        self.shown = total

    @chosen(2, legal=lambda self, move: move == 1 or self.left > 0)
    def keep(self, move: int) -> None:
        if move == 1:
            self.kept = 1
            self.score += self.shown
        else:
            self.shown = 0


@strategy(Fewest)
def first(game: Fewest) -> int:
    """Keep the first number."""
    return 1


def mean_loss(best: Values, text: str, games: int) -> float:
    """Return what a player loses in each game on average by its moves, against optimal play of all other seats."""
    lost, _ = losses(best, Run.of(best.game, text).calls[0], games, seed=1)
    return sum(lost) / games


class Falling(Game):
    """A game of which the moves are listed from the last to the first."""

    name = "falling"
    source = "made for the tests"

    left = Int(0, 3, start=3)
    points = Tally("points")

    def next(self) -> int:
        return ask(self.take, 0) if self.left else OVER

    def possible(self) -> Iterator[int]:
        for less in range(self.left):
            yield self.left - less

    @chosen((1, 3), moves=possible)
    def take(self, number: int) -> None:
        self.points += number * number
        self.left -= number


@strategy(Falling)
def all_at_once(game: Falling) -> int:
    """Take all that is left."""
    return game.left
