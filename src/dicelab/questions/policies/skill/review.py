"""The review of a game: what luck gave each seat, what its own decisions cost it, and what the others' errors gave it.

v is the value of a state to a seat when every seat plays the solved policy from there on. The luck of a roll is the
change of v. The cost of a decision is v after the policy's move, minus v after the move made, for the seat that
decides; the others' values change as well. The sums telescope, so for every seat, exactly,

    result = v(start) + luck - own costs + what the others' errors gave it

Where fewer is better (``fewest:TALLY``), a decision costs what it adds, and costs count with a plus.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from dicelab.errors import ParameterError
from dicelab.questions.policies.skill.reviewed import Review, Reviewed, Shares
from dicelab.questions.policies.skill.values import Values
from dicelab.results.base import about
from dicelab.results.text.writing import many
from dicelab.rules.actions import OVER, Decision
from dicelab.rules.fields import applied
from dicelab.rules.game import Game, fresh, reset, twin
from dicelab.rules.wording import move_words
from dicelab.runtime.interpreter import Explained, asked
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
    found: list[Reviewed] = []
    for at, step in enumerate(played, 1):
        with Explained(table):
            reviewed = _step(table, solved, step, now, at)
        now = reviewed.after
        found.append(reviewed)
    facts = about(game, ()) | {"seconds": watch.seconds} | known
    seats = tuple(names) or tuple(f"player {seat + 1}" for seat in range(len(start)))
    return Review(
        names=seats,
        objective=solved.objective,
        steps=tuple(found),
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
