"""The states that lie ahead in a game, as rows of numbers: where they lead, and what they are worth to each seat.

Players that look ahead need the tallies that are played for within a state, every choice and roll as a step of its own,
and rows that compiled code plays on from; so these are not the states of `StateExplorer`.
Endings that are small enough are worked out exactly (`ending`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import cache, cached_property
from math import fsum, sqrt
from operator import mul
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dicelab.engines.playouts import Playouts, Records
from dicelab.errors import ParameterError
from dicelab.limits import LIMITS
from dicelab.questions.policies.objective import default_objective
from dicelab.rules.actions import OVER, Decision, Throw
from dicelab.rules.fields import Ints, applied
from dicelab.rules.game import Game, counted, fresh, outcome_names, reset, seat_count
from dicelab.rules.objectives import wanted
from dicelab.rules.payoffs import payoff_tallies, payoffs_of
from dicelab.rules.private import private_fields
from dicelab.runtime.interpreter import asked, outcome_of
from dicelab.runtime.lineup import Call
from dicelab.runtime.philox import Pool, pool
from dicelab.runtime.states.codec import Place
from dicelab.solver.enumeration.model import legal_moves

MOST_GAMES = 200_000
"""Games that are played on in one call of a kernel, to limit its memory."""
MOST_KEPT = 100_000
"""Limit of the states for which what happens in them is kept."""
Worth = Callable[[Records, int], Any]
"""Returns what records are worth for a seat."""
Move = tuple[int, ...]
Row = tuple[int, ...]
"""A state: its numbers, and the tallies so far."""
Value = tuple[float, ...]
"""What a state is worth to each seat."""


class ChoiceState(NamedTuple):
    """A state in which a seat chooses: the kind of choice, the seat, and the moves that are allowed."""

    kind: Decision
    seat: int
    moves: list[Move]


class Roll(NamedTuple):
    """A state in which dice are rolled, and the dice."""

    kind: Throw
    dice: Pool


class SearchTable:
    """A game with its parameters, its states as rows of numbers: where they lead, and what they are worth.

    Parameters
    ----------
    game
        The game with its parameters.
    call
        The strategy with which games are played on, in all seats; None where none are.
    word
        The player for which this is, for messages.
    wins
        Whether only winning counts (`win_worth`), and not by how much.
    like
        A table with the same game and strategy, whose kernel plays games on here too: each thread has its own table.

    Attributes
    ----------
    numbers
        How many numbers a row has before the tallies; `counts` are the places of the tallies that are played for.

    Raises
    ------
    ParameterError
        When nothing says what the game is played for.
    """

    def __init__(
        self, game: Game, call: Call | None, word: str, wins: bool = False, like: SearchTable | None = None
    ) -> None:
        self.game, self.call, self.word, self.like = game, call, word, like
        self.seats, self.wins = max(1, seat_count(game)), wins
        self.calls = [call] * self.seats if call is not None else []
        self._game = fresh(game)
        self._place = Place(self._game, self.calls)
        self.worth, counts = (win_worth(game), ()) if wins else worth_of(game, word)
        self._tallies = list(game.declared.tallies)
        self.numbers = len(self._place.read())
        self.counts = [self.numbers + tally for tally in counts]
        self._steps: dict[Row, ChoiceState | Roll | Value] = {}

    @cached_property
    def playouts(self) -> Playouts:
        """Who plays games on."""
        return Playouts(self.game, self.calls) if self.like is None else self.like.playouts

    def at(self, row: Row) -> Game:
        """Return a game in this state; it changes with the next call."""
        self._place.set(row[: self.numbers])
        self._game.__dict__.update(zip(self._tallies, row[self.numbers :], strict=True))
        return self._game

    def row(self, game: Game) -> Row:
        """Return the state of a game in play."""
        return self._row(game, Place(game, self.calls))

    def _row(self, game: Game, place: Place) -> Row:
        return *place.read(), *(game.__dict__[name] for name in self._tallies)

    def start(self) -> Row:
        """Return the state in which a game begins."""
        reset(self._game)
        return self._row(self._game, self._place)

    def key(self, row: Row) -> Row:
        """Return what tells states apart: without the tallies that nobody plays for, which no rule reads."""
        return *row[: self.numbers], *(row[at] for at in self.counts)

    def step(self, row: Row) -> ChoiceState | Roll | Value:
        """Return what happens in a state; what the game is worth to each seat if it is over."""
        key = self.key(row)
        if key not in self._steps:
            if len(self._steps) > MOST_KEPT:
                self._steps.clear()
            self._steps[key] = self._step(self.at(row))
        return self._steps[key]

    def _step(self, game: Game) -> ChoiceState | Roll | Value:
        step = game.next()
        if step == OVER:
            records = np.array([[[outcome_of(game), *counted(game).values()]]], np.int64)
            return tuple(float(self.worth(records, seat)[0, 0]) for seat in range(self.seats))
        kind, number = asked(game, step)
        if isinstance(kind, Decision):
            return ChoiceState(kind, number, allowed(kind, game))
        return Roll(kind, pool(game, kind, number))

    def prizes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return what each outcome is worth to each seat (outcomes, seats), and what 1 of each tally adds (tallies,
        seats).
        """
        outcomes, tallies = max(1, len(outcome_names(self.game))), len(self._tallies)
        records = np.zeros((1, outcomes + tallies, 1 + tallies), np.int64)
        records[0, :outcomes, 0] = range(outcomes)
        records[0, outcomes:, 1:] = np.eye(tallies)
        worth = np.array([self.worth(records, seat)[0] for seat in range(self.seats)], np.float64).T
        return worth[:outcomes].copy(), worth[outcomes:] - worth[0]

    def after(self, row: Row, kind: Decision | Throw, values: Move) -> Row:
        """Return the state after a move or a roll."""
        game = self.at(row)
        applied(kind.run, game, values)
        return self._row(game, self._place)

    def all_after(self, row: Row, most: int) -> list[Row] | None:
        """Return the states to which a state leads, by moves or outcomes in their order; None if they are too many."""
        step = self.step(row)
        if isinstance(step, ChoiceState):
            return [self.after(row, step.kind, move) for move in step.moves] if len(step.moves) <= most else None
        if not isinstance(step, Roll):
            return []
        if not step.dice.whole or len(step.dice.outcomes) > most:
            return None
        return [self.after(row, step.kind, outcome.seen) for outcome in step.dice.outcomes]

    def estimates(self, rows: Sequence[Row], seed: int, games: int, first: int = 0) -> list[Value]:
        """Return what states are worth to each seat, as the mean of games that are played on, on the same dice."""
        estimates: list[Value] = []
        part = max(1, MOST_GAMES // games)
        for low in range(0, len(rows), part):
            records = self.playouts.play(rows[low : low + part], seed, games, first)
            means = [(_sums(self.worth(records, seat)) / games).tolist() for seat in range(self.seats)]
            estimates += zip(*means, strict=True)
        return estimates

    def spread(self, row: Row, seed: int, games: int, first: int) -> Value:
        """Return the standard deviation of what games that are played on from a state are worth to each seat."""
        records = self.playouts.play([row], seed, games, first)
        errors = []
        for seat in range(self.seats):
            worths = np.asarray(self.worth(records, seat)[0], np.float64)
            apart = worths - _sums(worths) / games
            errors.append(sqrt(_sums(apart * apart) / games))
        return tuple(errors)


def _sums(worths: NDArray[Any]) -> NDArray[np.float64]:
    """Return sums over games, added up from the first to the last, as compiled code and every machine adds them up."""
    return np.cumsum(worths, axis=-1, dtype=np.float64)[..., -1]


def allowed(decision: Decision, game: Game) -> list[Move]:
    """Return the moves that are allowed now, without those that the game calls senseless if others are left."""
    moves = legal_moves(decision, game)
    return [move for move in moves if decision.considered(game, move)] or moves


def worth_of(game: Game, word: str) -> tuple[Worth, tuple[int, ...]]:
    """Return what the end of a game is worth to a seat: its payoff, that it has won, or what the game is played for;
    and the tallies on which that depends.

    Raises
    ------
    ParameterError
        When nothing says it.
    """
    paid, tallies, names = payoffs_of(game), payoff_tallies(game), list(game.declared.tallies)
    objective = default_objective(game) if seat_count(game) < 2 else None
    if game.words.objective and objective not in (None, "payoff", "win"):
        paid = tallies = None  # who plays alone wins nothing from anybody
    if tallies is not None:
        return (lambda records, seat: records[..., 1 + tallies[seat]]), tallies
    if paid is not None:
        by_outcome = np.array(paid)
        return (lambda records, seat: by_outcome[records[..., 0], seat]), ()
    if game.outcomes is None and outcome_names(game) and ":" not in (objective or ""):
        return (lambda records, seat: records[..., 0] == seat), ()
    aim = wanted(objective)
    if aim.tally in names:
        at, sign = 1 + names.index(aim.tally), aim.sign
        return (lambda records, seat: sign * records[..., at]), (at - 1,)
    if not aim.counts and aim.name in outcome_names(game):
        number, avoided = outcome_names(game).index(aim.name), aim.kind == "avoid"
        return (lambda records, seat: (records[..., 0] == number) != avoided), ()
    alone = " or Words(objective=...)" if seat_count(game) < 2 else ""
    raise ParameterError(f"{word} doesn't know what {game.name} is played for; declare payoffs{alone}")


def win_worth(game: Game) -> Worth:
    """Return the function by which the end of a game is worth 1 to the seat that is paid most of all, and 0 to others.

    An outcome that pays several seats the most is worth nothing to any of them.

    Raises
    ------
    ParameterError
        When the game doesn't say by outcome what each of several seats gets.
    """
    paid = payoffs_of(game)
    if paid is None or seat_count(game) < 2:
        raise ParameterError(
            f"objective win needs two or more players who are paid by outcome, and {game.name} has none"
        )
    each = np.array(paid)
    most = each == each.max(axis=1, keepdims=True)
    wins = most & (most.sum(axis=1, keepdims=True) == 1)
    return lambda records, seat: wins[records[..., 0], seat]


def unseen_fields(game: Game) -> list[str]:
    """Return the names of the fields that some seat doesn't see: who plays alone sees its own."""
    alone = seat_count(game) <= 1
    return [name for name, f in private_fields(game).items() if not (alone and isinstance(f, Ints) and f.by_seat)]


@cache
def logarithms(most: int) -> NDArray[np.float64]:
    """Return the natural logarithms of whole numbers up to `most`, as an array; 0 for 0."""
    return np.array([0.0, *map(logarithm, range(1, most + 1))])


@cache
def logarithm(number: int) -> float:
    """Return the natural logarithm, rounded in the same way on every machine."""
    return float(Decimal(number).ln())


SWEEPS = 60
"""Limit of the passes over the states, where they lead back to each other."""
SETTLED = 1e-12
"""Largest change of a value in the last pass."""
SOONER = 1 - 2.0**-36
"""Factor of each step, so that of two moves that are worth the same the one that ends the game sooner is made."""


def ending(table: SearchTable, row: Row, most: int | None = None) -> dict[Row, Value] | None:
    """Return what every state that can come about from now on, by its key, is worth to each seat, if all make the best
    moves.

    A game that never ends is worth less than any end. None if more than `most` moves and outcomes of rolls (or
    `LIMITS.ending_edges`) are left, or the values don't settle.
    """
    states = _States(table, LIMITS.ending_edges if most is None else most)
    if not states.follow(row):
        return None
    steps = [(table.step(states.rows[key]), after) for key, after in states.after.items()]
    places = {key: place for place, key in enumerate(states.after)}
    ends = [step for step, _ in steps if not isinstance(step, ChoiceState | Roll)]
    if not ends:
        return None
    least = [min(values) - 1 for values in zip(*ends, strict=True)]
    worth = [[0.0] * len(steps) for _ in least]  # of each seat
    order: list[tuple[int, int, list[int], list[float]]] = []
    for place, (step, after) in enumerate(steps):
        leads = [places[key] for key in after]
        if isinstance(step, ChoiceState):
            order.append((place, step.seat, leads, []))
        elif isinstance(step, Roll):
            order.append((place, -1, leads, [one.weight / step.dice.weight for one in step.dice.outcomes]))
        else:
            for seat, low in enumerate(least):
                worth[seat][place] = step[seat] - low
    for _ in range(SWEEPS):
        if _sweep(order, worth) <= SETTLED:
            return {
                key: tuple(each[place] + low for each, low in zip(worth, least, strict=True))
                for key, place in places.items()
            }
    return None


def _sweep(order: list[tuple[int, int, list[int], list[float]]], worth: list[list[float]]) -> float:
    """Work out every state once more: its place, the seat that chooses or -1, where it leads, the chances of a roll.

    Returns the largest change.
    """
    largest = 0.0
    for place, chooser, leads, chances in order:
        if chooser >= 0:
            best = max(leads, key=worth[chooser].__getitem__)
        for each in worth:
            new = SOONER * (each[best] if chooser >= 0 else fsum(map(mul, chances, map(each.__getitem__, leads))))
            largest = max(largest, abs(new - each[place]))
            each[place] = new
    return largest


class _States:
    """The states that can come about: `rows` by their keys, and the keys of those that come `after` each of them.

    In `after` a state comes after those to which it leads, as far as they don't lead back.
    """

    def __init__(self, table: SearchTable, most: int) -> None:
        self.table, self.left = table, most
        self.rows: dict[Row, Row] = {}
        self.after: dict[Row, list[Row]] = {}

    def follow(self, row: Row) -> bool:
        """Find all states from one on; returns whether they were few enough."""
        waiting = [(row, self._found(row), 0)]
        while waiting:
            one, after, at = waiting.pop()
            if after is None:
                return False
            if at == len(after):
                self.after[self.table.key(one)] = [self.table.key(other) for other in after]
                continue
            waiting.append((one, after, at + 1))
            if self.table.key(after[at]) not in self.rows:
                waiting.append((after[at], self._found(after[at]), 0))
        return True

    def _found(self, row: Row) -> list[Row] | None:
        self.rows[self.table.key(row)] = row
        after = self.table.all_after(row, self.left)
        self.left -= len(after or ())
        return after
