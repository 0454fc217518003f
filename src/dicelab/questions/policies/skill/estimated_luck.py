"""The luck of the dice by estimates of what states are worth, in games too large to solve.

The luck of a roll is what its outcome is worth, less the mean over all outcomes by their chances. Whatever says what
states are worth, given all that happened before the roll this has the mean 0. So has the sum over a game (advantage
sums: M. Zinkevich and others, *Optimal unbiased estimators for evaluating agent performance*, AAAI 2006), with any
strategies: who subtracts a multiple of it doesn't move the mean of a score. Poor estimates cost only precision. Where
a roll has many outcomes, the mean over some that are drawn takes the place of the mean over all: they are drawn with
the same chances, so the difference still has the mean 0, and varies by a fortieth more.

States are judged by a file of ``dicelab learn``, or by games that a strategy plays on from them: always the same games,
of a seed that no rated game uses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from math import fsum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicelab.compile.kernels import cache
from dicelab.compile.kernels.writers.thinking import WRONG, write_worths
from dicelab.engines.compiled import rows as compiled_rows
from dicelab.engines.compiled import setting
from dicelab.errors import ParameterError, PlayError
from dicelab.questions.policies.thinking.ahead import ChoiceState, Roll, Row, SearchTable, Value
from dicelab.questions.policies.thinking.network import Network
from dicelab.questions.policies.thinking.search import (
    FILE,
    LONGEST_TURN,
    MOST_STATES,
    Search,
    StateTree,
    TooMany,
    judged,
)
from dicelab.questions.policies.thinking.turn_values import network_of
from dicelab.rules.actions import Decision
from dicelab.rules.game import Call, Game, fresh
from dicelab.runtime.arrays import Floats, Integers
from dicelab.runtime.interpreter import Source, finished, steps
from dicelab.runtime.interrupts import OutOfTime
from dicelab.runtime.lineup import Chooser, Run
from dicelab.runtime.philox import Stream, seed_of_thoughts
from dicelab.runtime.strategies import parse_call
from dicelab.translation.translator import NotTranslatable

GAMES_ON = 50
"""Games that are played on from each outcome of a roll."""
MOST_OUTCOMES = 100
"""Limit of the outcomes of a roll that are judged, all of them."""
SAMPLED = 40
"""Outcomes that are drawn and judged in place of all where there are more."""
MOST_KEPT = 20_000
"""Limit of the rolls for which the worth of each outcome is kept."""
UNPLAYED = 2**64 - 1
"""A number of a game that is never played: the games that are played on are those of the seed of its thoughts."""


class EstimatedLuck:
    """How much rolls give each seat, by estimates.

    Parameters
    ----------
    game
        The game with its parameters.
    by
        A file of learned values, or a strategy of the game that plays games on from states, in all seats.
    seed
        Seed of the games whose luck is asked for.
    most
        Limit of the outcomes of a roll that are judged, all of them; of others some are drawn.

    Attributes
    ----------
    says
        By what states are judged, for people.
    wins
        Whether only winning counts, and not by how much.

    Examples
    --------
    >>> from dicelab.games.tossup import TossUp
    >>> luck = EstimatedLuck(TossUp(target=5, dice=2), "bank_over:3", 1)
    >>> luck.says
    '50 games played on with bank_over:3 from each outcome'
    """

    def __init__(self, game: Game, by: str, seed: int, most: int = MOST_OUTCOMES) -> None:
        self._most = most
        self._network = network_of(by, game) if by.endswith(FILE) else None
        call = None
        if self._network is not None:
            self._network.must_be_for(game, by)
            self.says = f"the values in {by}"
        else:
            call = _plays_on(game, by)
            self.says = f"{GAMES_ON} games played on with {by} from each outcome"
        self.wins = self._network is not None and self._network.wins
        self._table = SearchTable(game, call, "rate", self.wins)
        self._compiled: _CompiledNetwork | None = None
        if self._network is not None and self._network.compiles:
            with suppress(NotTranslatable):
                self._compiled = _CompiledNetwork(game, self._network)
        self._players: dict[str, _CompiledNetwork] = {}
        self._seed, self._drawn = (seed_of_thoughts(seed, UNPLAYED, choice) for choice in range(2))
        self._known: dict[Row, dict[Row, Value]] = {}

    def of_roll(self, row: Row) -> dict[Row, Value]:
        """Return how much more than the mean each outcome of a roll is worth to each seat, in a state in which dice are
        rolled; nothing where there are too many outcomes to judge all of them.
        """
        key = self._table.key(row)
        if key not in self._known:
            if len(self._known) >= MOST_KEPT:
                self._known.clear()
            self._known[key] = self._of_roll(row)
        return self._known[key]

    def _of_roll(self, row: Row) -> dict[Row, Value]:
        step = self._table.step(row)
        if not isinstance(step, Roll) or not step.dice.whole or len(step.dice.outcomes) > self._most:
            return {}
        seen, weights = [one.seen for one in step.dice.outcomes], [one.weight for one in step.dice.outcomes]
        try:
            worths = self._worths([self._table.after(row, step.kind, one) for one in seen])
        except TooMany:
            return {}
        whole = sum(weights)
        means = [fsum(w * v for w, v in zip(weights, each, strict=True)) / whole for each in zip(*worths, strict=True)]
        return {
            one: tuple(value - mean for value, mean in zip(worth, means, strict=True))
            for one, worth in zip(seen, worths, strict=True)
        }

    def of_outcome(self, row: Row, seen: tuple[int, ...], words: Source) -> Value:
        """Return how much more than the mean the outcome of a roll is worth to each seat; `words` draw what it is
        compared with where there are too many outcomes.
        """
        known, step = self.of_roll(row), self._table.step(row)
        if known or not isinstance(step, Roll):
            return known.get(seen, (0.0,) * self._table.seats)
        others = [words.draw(step.dice) for _ in range(SAMPLED)]
        try:
            worth, *worths = self._worths([self._table.after(row, step.kind, one) for one in (seen, *others)])
        except TooMany:
            return (0.0,) * self._table.seats
        return tuple(own - fsum(each) / SAMPLED for own, each in zip(worth, zip(*worths, strict=True), strict=True))

    def start(self) -> Value:
        """Return what the start is worth to each seat, as it is estimated."""
        (worth,) = self._worths([self._table.start()])
        return worth

    def result(self, records: NDArray[np.int64]) -> Floats:
        """Return what games were worth to each seat (games, seats), given their records (games, 1 + tallies)."""
        each = [self._table.worth(records[None], seat)[0] for seat in range(self._table.seats)]
        return np.array(each, np.float64).T

    def _worths(self, rows: list[Row]) -> Sequence[Value]:
        """Return what states after a roll are worth to each seat."""
        table, network = self._table, self._network
        if network is None:
            return table.estimates(rows, self._seed, GAMES_ON)
        if not network.compiles:  # which follows turns to their ends itself
            return network.worth([table.key(row) for row in rows])
        # Values are learned of states before rolls: the seat makes its best moves up to there.
        if self._compiled is not None:
            compiled = self._compiled.worths(rows)
            if compiled is not None:
                return compiled
        tree, nodes = StateTree(table, MOST_STATES, LONGEST_TURN), list[int]()
        for row in rows:
            step = table.step(row)
            seat = step.seat if isinstance(step, ChoiceState) else -1
            nodes.append(tree.node(row, 0, 0, seat, LONGEST_TURN))
        at_horizon = judged(table, tree.horizon, network)
        return [tree.value(node, at_horizon) for node in nodes]

    def _chooser(self, call: Call, game: Game) -> Chooser:
        """Return what makes the moves of a seat: those of a network that compiled rules can make are made by them."""
        player, name = call.strategy.moves, call.strategy.name
        if not isinstance(player, Search) or player.judge is None or player.network is None:
            return call.chooser(game)
        if name not in self._players:
            try:
                self._players[name] = _CompiledNetwork(game, player.network)
            except NotTranslatable:
                return call.chooser(game)
        return self._players[name].chooser(call.chooser(game))

    def play(
        self, run: Run, seed: int, low: int, high: int, is_over: Callable[[], bool] = lambda: False
    ) -> tuple[NDArray[np.int64], Floats]:
        """Play games `low` to ``high - 1`` of a seed in plain Python.

        Returns
        -------
        records
            int64 array (games, 1 + tallies): the outcome and the tallies of each game, as any engine has them.
        luck
            float64 array (games, seats): how much the rolls of each game gave each seat.

        Raises
        ------
        OutOfTime
            When the time `is_over` before the games are.
        """
        records, lucks = list[tuple[int, ...]](), np.zeros((high - low, self._table.seats))
        for number in range(low, high):
            game = fresh(run.game)
            try:
                row, choosers = self._table.start(), [self._chooser(call, game) for call in run.calls]
                others = Stream(self._drawn, number)  # of words that neither the game nor those played on read
                for event in steps(game, choosers, Stream(seed, number)):
                    if is_over():
                        raise OutOfTime
                    if event.kind == "throw":
                        lucks[number - low] += self.of_outcome(row, event.values, others)
                    row = self._table.row(game)
                done = finished(game)
            except PlayError as error:
                raise type(error)(f"{error}; seed {seed}, game {number}") from error
            records.append((done.outcome, *done.tallies))
        return np.array(records, np.int64), lucks


class _CompiledNetwork:
    """Compiled rules that say what a network judges states to be worth, and which moves it makes."""

    def __init__(self, game: Game, network: Network) -> None:
        self._table = SearchTable(game, None, "rate", network.wins)
        self._text, places = write_worths(type(game))
        self._given = setting(game, (), ()), compiled_rows(game, ()), network.judge()
        cache.compile_now(self._text, self._load, game.name, places)

    def _load(self) -> None:
        self._kernel = cache.load(self._text)
        self.worths([])

    def worths(self, rows: list[Row]) -> list[Value] | None:
        """Return what states are worth to each seat; None where a rule goes wrong, which plain Python then shows."""
        _, _, judge = self._given
        worths = np.zeros((len(rows), len(judge.out)))
        right = self._called(rows, worths, judge.firsts[:0])
        return [*map(tuple, worths.tolist())] if right else None

    def _called(self, rows: list[Row], worths: Floats, moves: Integers) -> bool:
        states = np.array(rows, np.int64).reshape(len(rows), self._given[2].nodes.shape[1])
        return bool(self._kernel(*self._given, states, worths, moves) != WRONG)

    def chooser(self, instead: Chooser) -> Chooser:
        """Return what makes the best moves by the network, and those of `instead` where a rule goes wrong."""
        _, _, judge = self._given

        def chosen(game: Game, kind: Decision, seat: int) -> object:
            moves = np.zeros((1, judge.firsts.shape[1]), np.int64)
            if not self._called([self._table.row(game)], np.zeros((1, len(judge.out))), moves):
                return instead(game, kind, seat)
            return tuple(moves[0, : len(kind.kinds)].tolist())

        return chosen


def judged_by(game: Game, calls: Sequence[Call]) -> str:
    """Return by what luck is estimated unless it is named: the first file of learned values among some strategies, or
    the first strategy of the game.

    Raises
    ------
    ParameterError
        When there is neither.
    """
    first = file_of_values(calls) or next(iter(game.declared.strategies), "")
    if not first:
        raise ParameterError(
            f"{game.name} can't be solved, and declares no strategy that plays games on; "
            "name a file of dicelab learn with --luck-by"
        )
    return first


def file_of_values(calls: Sequence[Call]) -> str:
    """Return the file of the first player that judges states by learned values; "" if there is none."""
    players: list[Any] = [call.strategy.moves for call in calls]
    return next((str(one.base) for one in players if getattr(one, "network", None) is not None), "")


def _plays_on(game: Game, text: str) -> Call:
    """Return the strategy with which games are played on."""
    call = parse_call(type(game), text)
    if call.strategy.mixes or call.strategy.moves is not None:
        raise ParameterError(f"luck can't be estimated by games played on with {text}; give a strategy of the game")
    return call
