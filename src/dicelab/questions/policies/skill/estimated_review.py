"""Reviews by estimates, of games that are too large to be solved.

Values are those when all seats follow a strategy, each estimated by games that it plays on. Under that strategy the
mean of what a roll brings is 0, and its own moves cost exactly 0. A decision costs what it brings less than the
strategy's move; a better one has a cost below 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from math import sqrt
from typing import Any

import numpy as np

from dicelab.errors import ParameterError
from dicelab.questions.policies.ahead import ChoiceState, Roll, Row, Table, unseen_fields
from dicelab.questions.policies.skill.review import PlayedStep, review
from dicelab.questions.policies.skill.reviewed import Review, Shares
from dicelab.questions.policies.skill.values import Values, wanted_by_all
from dicelab.rules.actions import Decision
from dicelab.rules.game import Call, Game, seat_count
from dicelab.runtime.interpreter import as_move, asked
from dicelab.runtime.philox import seed_of_thoughts
from dicelab.runtime.strategies import parse_call

GAMES, SEED = 1000, seed_of_thoughts(0, 2**63, 0)
"""Games that are played on from each state, and their seed: one that nobody gives a game by chance."""


class EstimatedValues(Values):
    """The values of states when all seats follow a strategy, estimated by `GAMES` games that it plays on from each.

    Attributes
    ----------
    call
        The strategy.
    error
        The largest half-width of a 95 % interval of a value so far.
    """

    call: Call
    error: float
    _table: Table
    _known: dict[Row, Shares]

    def __init__(self, game: Game, strategy: str) -> None:
        aim = wanted_by_all(game, None)
        keys, value = np.zeros((0, 0), np.uint64), np.zeros((0, max(1, seat_count(game))))
        super().__init__(game, aim, keys, value, np.zeros(0, np.int64))
        call = parse_call(type(game), strategy)
        if call.strategy.mixes or call.strategy.moves is not None or call.strategy.memory is not None:
            raise ParameterError(
                f"a review can't be estimated by {strategy}: give a strategy that neither draws its moves, nor looks "
                "ahead, nor remembers anything"
            )
        known: dict[str, Any] = {"call": call, "error": 0.0, "_table": Table(game, call, "review"), "_known": {}}
        self.__dict__.update(known)  # the class is frozen

    def of(self, game: Game) -> Shares:
        """As in `Values`, but estimated; exact where the game is over."""
        row = self._table.row(game)
        if row not in self._known:
            self._known[row] = self._of(row)
        return self._known[row]

    def _of(self, row: Row) -> Shares:
        step, sign, table = self._table.step(row), self.objective.sign, self._table
        if isinstance(step, ChoiceState | Roll):
            records, found = table.playouts.play([row], SEED, GAMES), list[float]()
            for seat in range(self.seats):
                worths = np.asarray(table.worth(records, seat)[0], np.float64)
                found.append(float(np.cumsum(worths)[-1]) / GAMES)
                self.__dict__["error"] = max(self.error, 1.96 * float(worths.std()) / sqrt(GAMES))
            step = tuple(found)
        if self.objective.kind == "avoid":  # a chance of what is avoided
            return tuple(Fraction(1) - Fraction(worth) for worth in step)
        return tuple(sign * Fraction(worth) for worth in step)

    def best(self, game: Game) -> tuple[int, ...]:
        """Return the strategy's move."""
        kind, seat = asked(game, game.next())
        assert isinstance(kind, Decision)
        return as_move(self.call.chooser(game)(game, kind, seat))


def reviewed_by(game: Game, strategy: str, played: Iterable[PlayedStep], names: Sequence[str] = ()) -> Review:
    """Review a game by estimates: values are those when all seats follow a strategy.

    Parameters
    ----------
    game
        The game with its parameters, in which every seat sees everything.
    strategy
        The strategy, as it is typed; empty for the first one that the game declares.
    played, names
        As in `dicelab.questions.policies.skill.review.review`.

    Raises
    ------
    ParameterError
        When there is no such strategy, it draws its moves or remembers something, seats don't see everything, or
        nothing says what the game is played for; and when a step does not fit the game.
    """
    if unseen_fields(game):
        raise ParameterError(f"{game.name}: a review by estimates sees everything, and seats don't")
    strategy = strategy or next(iter(game.declared.strategies), "")
    if not strategy:
        raise ParameterError(f"{game.name} declares no strategy by which a review could be estimated")
    values = EstimatedValues(game, strategy)
    found = review(game, values, played, names)
    return replace(found, by=str(values.call), games=GAMES, error=values.error)
