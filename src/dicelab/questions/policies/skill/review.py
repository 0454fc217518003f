"""The review of a game: what luck gave each seat, what its own decisions cost it, and what the others' errors gave it.

v is the value of a state to a seat when every seat plays the solved policy from there on. The luck of a roll is the
change of v. The cost of a decision is v after the policy's move, minus v after the move made, for the seat that
decides; the others' values change as well. The sums telescope, so for every seat, exactly,

    result = v(start) + luck - own costs + what the others' errors gave it

Where fewer is better (``fewest:TALLY``), a decision costs what it adds, and costs count with a plus.

Games that are too large to be solved are reviewed by estimates: v is then the value when all seats follow a strategy,
estimated by games that it plays on. Under that strategy the mean of what a roll brings is 0, and its own moves cost
exactly 0. A decision costs what it brings less than the strategy's move; a better one has a cost below 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from dicelab.errors import ParameterError
from dicelab.questions.policies.skill.reviewed import Review, Reviewed, Shares
from dicelab.questions.policies.skill.values import Values, wanted_by_all
from dicelab.questions.policies.thinking.ahead import ChoiceState, Roll, Row, SearchTable, unseen_fields
from dicelab.results.base import about
from dicelab.results.text.writing import many
from dicelab.rules.actions import OVER, Decision
from dicelab.rules.fields import applied
from dicelab.rules.game import Call, Game, fresh, reset, seat_count, twin
from dicelab.rules.wording import move_words
from dicelab.runtime.interpreter import Explained, as_move, asked
from dicelab.runtime.philox import seed_of_thoughts
from dicelab.runtime.strategies import parse_call
from dicelab.runtime.timing import Stopwatch

__all__ = ["PlayedStep", "Review", "Reviewed", "review"]


@dataclass(frozen=True)
class PlayedStep:
    """A roll or a decision, as it was made in a game.

    Attributes
    ----------
    kind
        ``throw`` or ``choice``.
    values
        What the rules received: the roll as they see it, or the move.

    Examples
    --------
    >>> PlayedStep("throw", (0, 0, 2)), PlayedStep("choice", (1,))
    (PlayedStep(kind='throw', values=(0, 0, 2)), PlayedStep(kind='choice', values=(1,)))
    """

    kind: str
    values: tuple[int, ...]


def review(
    game: Game,
    solved: Values,
    played: Iterable[PlayedStep] | Sequence[PlayedStep],
    names: Sequence[str] = (),
    **known: Any,
) -> Review:
    """Review a game, given its rolls and moves in order.

    Parameters
    ----------
    game
        The game with its parameters; it is not changed.
    solved
        Its values (`dicelab.questions.policies.skill.values.values`).
    played
        Every roll, as the rules saw it, and every move. The game may end before its end.
    names
        Names of the seats, as they are shown; seats are numbered from 1 if no names are given.
    **known
        More fields of the result, such as its seed.

    Raises
    ------
    ParameterError
        When a step does not fit the game, or leads to a state that was not solved.

    Examples
    --------
    >>> from dicelab.games.tossup import TossUp
    >>> from dicelab.questions.policies.skill.values import values
    >>> game = TossUp(target=2, dice=2)
    >>> played = [PlayedStep("throw", (0, 0, 2)), PlayedStep("choice", (1,))]
    >>> found = review(game, values(game), played)
    >>> found.over, found.result[0] == found.start[0] + found.luck[0] - found.costs[0] + found.given[0]
    (True, True)
    """
    watch = Stopwatch()
    if game.parameters != solved.game.parameters:
        raise ParameterError(f"{game.name}: the values are those of other parameters")
    table = fresh(game)
    reset(table)
    start = now = solved.of(table)
    steps: list[Reviewed] = []
    for at, step in enumerate(played, 1):
        with Explained(table):
            reviewed = _step(table, solved, step, now, at)
        now = reviewed.after
        steps.append(reviewed)
    facts = about(game, ()) | {"seconds": watch.seconds} | known
    seats = tuple(names) or tuple(f"player {seat + 1}" for seat in range(len(start)))
    return Review(
        names=seats,
        objective=solved.objective,
        steps=tuple(steps),
        start=start,
        result=now,
        over=table.next() == OVER,
        cycles=solved.cycles,
        **facts,
    )


class Done(NamedTuple):
    """A step that was carried out: the game before it; of a decision the seat, the policy's move, and both in words."""

    name: str
    before: Game
    seat: int = -1
    decision: Decision | None = None
    better: tuple[int, ...] = ()
    called: tuple[str, str] = ("", "")


def carried_out(table: Game, step: PlayedStep, at: int, best: Callable[[Game, Decision, int], tuple[int, ...]]) -> Done:
    """Carry out one step of a game.

    Raises
    ------
    ParameterError
        When it does not fit.
    """
    expected = table.next()
    if expected == OVER:
        raise ParameterError(f"step {at}: the game is over before it")
    kind, seat = asked(table, expected)
    if isinstance(kind, Decision) != (step.kind == "choice"):
        raise ParameterError(f"step {at}: {kind.name} comes here, not a {step.kind}")
    before = twin(table)
    if not isinstance(kind, Decision):
        if len(step.values) != kind.width(table):
            raise ParameterError(f"step {at}: {kind.name} takes {many(kind.width(table), 'number')}")
        applied(kind.run, table, step.values)
        return Done(kind.name, before)
    if not kind.allows(table, step.values):
        raise ParameterError(f"step {at}: the move {step.values} is not allowed{kind.refusal(table, step.values)}")
    better = best(table, kind, seat)
    called = move_words(table, kind, step.values), move_words(table, kind, better)
    applied(kind.run, table, step.values)
    return Done(kind.name, before, seat, kind, better, called)


def _step(table: Game, solved: Values, step: PlayedStep, now: Shares, at: int) -> Reviewed:
    """Carry out one step of a game, and value it."""
    done = carried_out(table, step, at, lambda position, kind, seat: solved.best(position))
    decided = done.decision, done.better, done.called
    after, sign = solved.of(table), solved.objective.sign
    return Reviewed(step.kind, done.name, step.values, done.seat, now, after, *decided, sign=sign)


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
    _table: SearchTable
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
        known: dict[str, Any] = {"call": call, "error": 0.0, "_table": SearchTable(game, call, "review"), "_known": {}}
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
            records, estimates = table.playouts.play([row], SEED, GAMES), list[float]()
            for seat in range(self.seats):
                worths = np.asarray(table.worth(records, seat)[0], np.float64)
                estimates.append(float(np.cumsum(worths)[-1]) / GAMES)
                self.__dict__["error"] = max(self.error, 1.96 * float(worths.std()) / sqrt(GAMES))
            step = tuple(estimates)
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
        As in `review`.

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
    choices = review(game, values, played, names)
    return replace(choices, by=str(values.call), games=GAMES, error=values.error)
