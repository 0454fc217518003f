"""What players share that look ahead before each of their choices: what games are worth, and who plays them on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import fsum, sqrt
from types import FunctionType
from typing import Any, NamedTuple, cast

import numpy as np

from dicelab.engines.playouts import Playouts, Records
from dicelab.errors import ParameterError, RulesError
from dicelab.questions.policies.objective import default_objective
from dicelab.rules.actions import OVER, Decision, Throw
from dicelab.rules.fields import applied
from dicelab.rules.game import Game, Strategy, counted, fresh, outcome_names, seat_count
from dicelab.rules.mixtures import LUCK
from dicelab.rules.params import whole_number
from dicelab.rules.payoffs import payoff_tallies, payoffs_of
from dicelab.rules.private import private_fields
from dicelab.runtime.interpreter import asked, outcome_of
from dicelab.runtime.lineup import Call
from dicelab.runtime.philox import Pool, pool
from dicelab.runtime.states.codec import Place
from dicelab.runtime.strategies import parse_call
from dicelab.solver.enumeration.model import moves_at

MOST_MOVES = 500
"""Limit of the moves that are tried out at once."""
MOST_GAMES = 200_000
"""Games that are played on in one call of a kernel, to limit its memory."""
MOST_KEPT = 100_000
"""States of which it is kept what happens in them."""
Worth = Callable[[Records, int], Any]
"""Returns what records are worth for a seat."""
Move = tuple[int, ...]
Row = tuple[int, ...]
"""A state: its numbers, and the tallies so far."""
Value = tuple[float, ...]
"""What a state is worth to each seat."""


class Choice(NamedTuple):
    """A state in which a seat chooses: the kind of choice, the seat, and the moves that are allowed."""

    kind: Decision
    seat: int
    moves: list[Move]


class Roll(NamedTuple):
    """A state in which dice are rolled, and the dice."""

    kind: Throw
    dice: Pool


class Table:
    """A game with its parameters, its states as rows of numbers: where they lead, and what they are worth.

    Parameters
    ----------
    game
        The game with its parameters.
    call
        The strategy with which games are played on, in all seats.
    word
        The player for which this is, for messages.

    Raises
    ------
    ParameterError
        When nothing says what the game is played for.
    """

    def __init__(self, game: Game, call: Call, word: str) -> None:
        self.seats = max(1, seat_count(game))
        self.playouts = Playouts(game, [call] * self.seats)
        self.worth = worth_of(game, word)
        self._game = fresh(game)
        self._place = Place(self._game, self.playouts.calls)
        self._steps: dict[Row, Choice | Roll | Value] = {}

    def at(self, row: Row) -> Game:
        """Return a game in this state; it changes with the next call."""
        tallies = self.playouts.tallies
        split = len(row) - len(tallies)
        self._place.set(row[:split])
        self._game.__dict__.update(zip(tallies, row[split:], strict=True))
        return self._game

    def step(self, row: Row) -> Choice | Roll | Value:
        """Return what happens in a state; what the game is worth to each seat if it is over."""
        if row not in self._steps:
            if len(self._steps) > MOST_KEPT:
                self._steps.clear()
            self._steps[row] = self._step(self.at(row))
        return self._steps[row]

    def _step(self, game: Game) -> Choice | Roll | Value:
        step = game.next()
        if step == OVER:
            records = np.array([[[outcome_of(game), *counted(game).values()]]], np.int64)
            return tuple(float(self.worth(records, seat)[0, 0]) for seat in range(self.seats))
        kind, number = asked(game, step)
        if isinstance(kind, Decision):
            return Choice(kind, number, allowed(kind, game))
        return Roll(kind, pool(game, kind, number))

    def after(self, row: Row, kind: Decision | Throw, values: Move) -> Row:
        """Return the state after a move or a roll."""
        game = self.at(row)
        applied(kind.run, game, values)
        return self.playouts.row(game, self._place)

    def estimates(self, rows: Sequence[Row], seed: int, games: int, first: int = 0) -> list[Value]:
        """Return what states are worth to each seat, as the mean of games that are played on, on the same dice."""
        found: list[Value] = []
        part = max(1, MOST_GAMES // games)
        for low in range(0, len(rows), part):
            records = self.playouts.play(rows[low : low + part], seed, games, first)
            each = [self.worth(records, seat).tolist() for seat in range(self.seats)]
            # Sums are rounded once, so that they are the same on every machine.
            found += [tuple(fsum(one) / games for one in state) for state in zip(*each, strict=True)]
        return found

    def spread(self, row: Row, seed: int, games: int, first: int) -> Value:
        """Return the standard deviation of what games that are played on from a state are worth to each seat."""
        records = self.playouts.play([row], seed, games, first)
        found = []
        for seat in range(self.seats):
            worths = [float(worth) for worth in self.worth(records, seat)[0].tolist()]
            mean = fsum(worths) / games
            found.append(sqrt(fsum((worth - mean) ** 2 for worth in worths) / games))
        return tuple(found)


class Thinker:
    """A player that looks ahead; it stands in the place of a policy.

    Parameters
    ----------
    kind
        The game, of any parameters.
    base
        The strategy with which games are played on, in all seats; empty for the first one that the game declares.
    name
        How the player is written, without the base.

    Raises
    ------
    ParameterError
        When the game hides something from its seats, or nothing says what it is played for.
    """

    on_demand = True

    def __init__(self, kind: type[Game], base: str, name: str) -> None:
        self.word = name.partition(":")[0]
        if not kind.declared.strategies and not base:
            raise ParameterError(f"{self.word} needs a strategy to play games on with, and {kind.name} declares none")
        self.kind = kind
        self.base = base or next(iter(kind.declared.strategies))
        self.call = parse_call(kind, self.base)
        if self.call.strategy.mixes or self.call.strategy.moves is not None:
            raise ParameterError(f"{self.word} can't play games on with {self.base}; give a strategy of the game")
        self.name = name + (f":{base}" if base else "")
        self.about: dict[str, Any] = {"solved": self.says()}
        self._known: dict[tuple[tuple[str, int], ...], Table] = {}

    def says(self) -> str:
        """Return how moves are found, for people."""
        raise NotImplementedError  # each player has its own way

    def best(self, table: Table, row: Row, choice: Choice, seed: int) -> int:
        """Return the place of the move to make, of two or more."""
        raise NotImplementedError  # each player has its own way

    def strategy(self) -> Strategy:
        """Return the player as a strategy."""

        def best_move(table: Game) -> int | tuple[int, ...]:
            move = self.move(table)
            return move[0] if len(move) == 1 else move

        best_move.__doc__ = f"Finds its moves {self.about['solved']}."
        return Strategy(self.name, cast(FunctionType, best_move), self.kind, moves=self)

    def must_be_for(self, game: Game | type[Game], path: object) -> None:
        """Refuse a game in which seats don't see everything, or which says nothing about what it is played for.

        Raises
        ------
        ParameterError
        """
        if not isinstance(game, type):
            self.table(game)

    def table(self, game: Game) -> Table:
        """Return what is known of a game with its parameters.

        Raises
        ------
        ParameterError
        """
        key = tuple(sorted(game.parameters.items()))
        if key not in self._known:
            if private_fields(game):
                raise ParameterError(
                    f"{self.word} sees everything, and {game.name} hides {', '.join(private_fields(game))}"
                )
            self._known[key] = Table(game, self.call, self.word)
        return self._known[key]

    def move(self, game: Game) -> Move:
        """Return the move to make in a game in progress.

        Raises
        ------
        RulesError
        """
        table, luck = self.table(game), game.__dict__.get(LUCK)
        row = table.playouts.row(game)
        choice = table.step(row)
        assert isinstance(choice, Choice)
        if len(choice.moves) == 1:
            return choice.moves[0]
        if len(choice.moves) > MOST_MOVES:
            raise RulesError(f"{self.word} tries at most {MOST_MOVES} moves out, and {len(choice.moves):,} are allowed")
        if luck is None:
            raise RulesError(
                f"{self.word} tries moves out, which only games of a seed allow: simulate, compare, rate, play"
            )
        return choice.moves[self.best(table, row, choice, luck.seed_of_thoughts())]


def allowed(decision: Decision, game: Game) -> list[Move]:
    """Return the moves that are allowed now, without those that the game calls senseless if others are left."""
    moves = [move for move in moves_at(decision, game) if decision.allows(game, move)]
    return [move for move in moves if decision.considered(game, move)] or moves


def worth_of(game: Game, word: str) -> Worth:
    """Return what the end of a game is worth to a seat: its payoff, that it has won, or what the game is played for.

    Raises
    ------
    ParameterError
        When nothing says it.
    """
    paid, tallies, names = payoffs_of(game), payoff_tallies(game), list(game.declared.tallies)
    if tallies is not None:
        return lambda records, seat: records[..., 1 + tallies[seat]]
    if paid is not None:
        by_outcome = np.array(paid)
        return lambda records, seat: by_outcome[records[..., 0], seat]
    if game.outcomes is None and outcome_names(game):
        return lambda records, seat: records[..., 0] == seat
    objective = (default_objective(game) or "") if seat_count(game) < 2 else ""
    kind, _, tally = objective.partition(":")
    if kind in ("most", "fewest") and tally in names:
        at, sign = 1 + names.index(tally), 1 if kind == "most" else -1
        return lambda records, seat: sign * records[..., at]
    wanted, avoided = objective.removeprefix("avoid:"), objective.startswith("avoid:")
    if wanted in outcome_names(game):
        number = outcome_names(game).index(wanted)
        return lambda records, seat: (records[..., 0] == number) != avoided
    alone = " or Words(objective=...)" if seat_count(game) < 2 else ""
    raise ParameterError(f"{word} doesn't know what {game.name} is played for; declare payoffs{alone}")


def number_of(text: str, given: str, word: str, most: int, how: str) -> int:
    """Return a number of an argument such as ``500`` or ``games=500``.

    Raises
    ------
    ParameterError
    """
    value = given.removeprefix(f"{word}=")
    number = whole_number(value)
    if number is None or not 1 <= number <= most:
        raise ParameterError(f"{text}: {word} must be a whole number from 1 to {most:,}, not {value!r}; write {how}")
    return number
