"""The reference engine: plain Python, one game at a time, every range checked.

It is slow and it is right: other engines must play the same games, and errors are explained by playing the game in
question here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from dicelab.errors import (
    DicelabError,
    EndlessGameError,
    IllegalMoveError,
    PlayError,
    RulesError,
)
from dicelab.random.philox import Pool, Stream, pool
from dicelab.rules.actions import OVER, Decision, Throw, step_parts
from dicelab.rules.game import Game, counted, fresh, outcome_names, position, reset
from dicelab.runtime.lineup import Call, Chooser
from dicelab.runtime.totals import Tallied

RULES = "dicelab.games.", "dicelab.craps."
"""Modules of dicelab in which rules are written."""
LIMIT = 1_000_000
"""Throws and choices after which a game is taken to be endless."""


class Source(Protocol):
    """Where throws come from: the stream of a seed, or other dice."""

    def draw(self, pool: Pool) -> tuple[int, ...]:
        """What is seen of the next throw."""
        ...


@dataclass(frozen=True)
class Event:
    """One thing that happened: a throw seen, or a move made by a seat."""

    kind: str
    """``throw`` or ``choice``."""
    name: str
    """The rules' method."""
    count: int
    """Dice thrown, or the seat that chose."""
    values: tuple[int, ...]
    """What was seen, or the move."""
    words: str = ""
    """The move in words."""


@dataclass(frozen=True)
class Played:
    """A finished game: number of its outcome (0 when it has none) and its tallies."""

    outcome: int
    tallies: tuple[int, ...]


def steps(game: Game, choosers: Sequence[Chooser], source: Source, limit: int = LIMIT) -> Iterator[Event]:
    """Play `game` from its start, telling each throw and choice after it has happened.

    Raises
    ------
    PlayError
        When a rule or a strategy breaks the contract; the message tells the state.
    """
    happened = 0
    with_state = Explained(game)
    with with_state:
        reset(game)
    while True:
        with with_state:
            step = game.next()
            if step == OVER:
                return
            if happened >= limit:
                raise EndlessGameError(f"not over after {limit:,} throws and choices")
            happened += 1
            event = _take(game, step, choosers, source)
        yield event


def asked(game: Game, step: int) -> tuple[Throw, int] | tuple[Decision, int]:
    """What a step, other than OVER, asks for: a kind of throw and the dice, or a kind of choice and the seat."""
    if not isinstance(step, int):
        raise RulesError(f"next() returned {step!r}; it must return throw(...), ask(...) or OVER")
    is_throw, index, number = step_parts(step)
    if index >= len(game.declared.throws if is_throw else game.declared.decisions):
        raise RulesError(f"next() returned {step}; it must return throw(...), ask(...) or OVER")
    return (game.declared.throws[index], number) if is_throw else (game.declared.decisions[index], number)


def _take(game: Game, step: int, choosers: Sequence[Chooser], source: Source) -> Event:
    """Carry out one step that the rules asked for."""
    kind, number = asked(game, step)
    if isinstance(kind, Decision):
        return choose(game, kind, number, choosers)
    dice = pool(game, kind, number)
    seen = source.draw(dice)
    kind.rule(game, *seen)
    return Event("throw", kind.name, dice.count, seen)


def choose(game: Game, decision: Decision, number: int, choosers: Sequence[Chooser]) -> Event:
    """Have a seat choose, and carry out its move.

    Raises
    ------
    RulesError, IllegalMoveError
    """
    if number >= len(choosers):
        raise RulesError(f"seat {number} is asked to choose, but the seats are 0 to {len(choosers) - 1}")
    move = as_move(choosers[number](game, decision, number))
    if not decision.allows(game, move):
        raise IllegalMoveError(
            f"seat {number} chose {move if len(move) > 1 else move[0]} in {decision.name}, which is not allowed"
            f"{_why(game, decision, move)}"
        )
    decision.rule(game, *move)
    return Event("choice", decision.name, number, move, decision.describe(move))


def _why(game: Game, decision: Decision, move: tuple[int, ...]) -> str:
    """What the rules say of a move that is not allowed, if they say anything of such a one."""
    inside = all(low <= value <= high for value, (low, high) in zip(move, decision.spans(game), strict=False))
    return decision.refusal(game, move) if inside else ""


def as_move(chosen: object) -> tuple[int, ...]:
    """What a strategy returned, as a tuple of whole numbers."""
    move = chosen if isinstance(chosen, tuple) else (chosen,)
    if not move or not all(isinstance(value, int) for value in move):
        raise IllegalMoveError(f"a strategy returned {chosen!r}; a move is a whole number or a tuple of them")
    return tuple(int(value) for value in move)


class Explained:
    """Turns whatever goes wrong inside the rules into a PlayError that tells the state."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if not isinstance(error, Exception | SystemExit):
            return
        name, state = self.game.name, position(self.game)
        if isinstance(error, PlayError):
            raise type(error)(f"{name}: {error}; state {state}") from error
        said = str(error) if isinstance(error, DicelabError) else f"{type(error).__name__}: {error}"
        where = "" if isinstance(error, DicelabError) else line_of(error)
        raise PlayError(f"{name}: {said}{where}; state {state}") from error


def line_of(error: BaseException) -> str:
    """File and line of the innermost frame of an error that lies in rules, as the end of a sentence."""
    where, trace = "", error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        module = str(trace.tb_frame.f_globals.get("__name__", ""))
        if not module.startswith("dicelab.") or module.startswith(RULES):
            where = f" (line {trace.tb_lineno} of {file})"
        trace = trace.tb_next
    return where


def play(game: Game, calls: Sequence[Call], seed: int, index: int, limit: int = LIMIT) -> Played:
    """Play game number `index` of `seed` to its end.

    Raises
    ------
    PlayError
        Naming the seed and the game index.
    """
    stream = Stream(seed, index)
    try:
        for _ in steps(game, [call.chooser(game) for call in calls], stream, limit):
            pass
        return finished(game)
    except PlayError as error:
        raise type(error)(f"{error}; seed {seed}, game {index}") from error


def finished(game: Game) -> Played:
    """What a finished game comes to."""
    with Explained(game):
        outcome, tallies = outcome_of(game), counted(game)
        for name, tally in game.declared.tallies.items():
            tally.check_end(game, tallies[name])
    return Played(outcome, tuple(int(v) for v in tallies.values()))


def outcome_of(game: Game) -> int:
    """Number of the outcome of a game that is over, 0 when it has none.

    Raises
    ------
    RulesError
    """
    names = outcome_names(game)
    outcome: object = game.outcome() if names else 0
    if not isinstance(outcome, int) or not 0 <= outcome < max(1, len(names)):
        raise RulesError(f"outcome() returned {outcome!r}; it must be 0 to {len(names) - 1}")
    return int(outcome)


class Reference:
    """The reference engine, with the interface that all engines share; see `dicelab.engines.compiled.Compiled`."""

    name = "reference"

    def __init__(self, game: Game, calls: Sequence[Call], limit: int = LIMIT, keep: bool = False) -> None:
        self.game = fresh(game)
        self.calls = calls
        self.limit = limit
        self.keep = keep

    def play(self, seed: int, low: int, high: int) -> Tallied:
        """Play games `low` to ``high - 1`` of a seed."""
        total = Tallied.empty(max(1, len(outcome_names(self.game))), len(self.game.declared.tallies))
        for index in range(low, high):
            played = play(self.game, self.calls, seed, index, self.limit)
            total.count(played.outcome, played.tallies)
            if self.keep:
                total.records.append([(played.outcome, *played.tallies)])
        return total
