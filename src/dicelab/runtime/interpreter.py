"""The reference engine: plain Python, one game at a time, with every range checked.

It is slow, and it defines what is right: other engines must play the same games. When one of them meets an error, the
game is played again here to find out what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

from dicelab.errors import (
    DicelabError,
    EndlessGameError,
    IllegalMoveError,
    PlayError,
    RulesError,
)
from dicelab.limits import LIMITS
from dicelab.rules.actions import OVER, Decision, Throw, step_parts
from dicelab.rules.fields import applied
from dicelab.rules.game import Game, counted, counts_at_end, fresh, outcome_names, position, reset
from dicelab.rules.mixtures import LUCK
from dicelab.rules.private import private_fields
from dicelab.runtime.interrupts import OutOfTime
from dicelab.runtime.lineup import Call, Chooser
from dicelab.runtime.philox import Pool, Stream, pool
from dicelab.runtime.scheduler import Tallied
from dicelab.runtime.timing import Meter
from dicelab.runtime.where import explained, where_raised, where_written

LONG = 500
"""Characters from which on the text of a state has only what differs from a new game."""
LIMIT = LIMITS.steps
"""Rolls and choices after which a game is considered endless."""


class Source(Protocol):
    """A source of rolls: the stream of a seed, or another generator."""

    def draw(self, pool: Pool) -> tuple[int, ...]:
        """Return what the rules receive of the next roll."""
        ...


class MixtureDraws:
    """What mixed strategies draw in one game, and what players need that look ahead.

    Attributes
    ----------
    choices
        How many choices were asked for so far, of all seats.
    steps
        Every roll and choice so far with what the rules received of it, in a game that hides something and is played
        from its beginning; else None.
    hands
        What such players have worked out so far, by player and seat.
    """

    def __init__(self, source: object, records: bool = False) -> None:
        self.choices = 0
        self.steps: list[tuple[Throw | Decision, tuple[int, ...]]] | None = [] if records else None
        self.hands: dict[tuple[str, int], Any] = {}
        # What shows or reads dice is around a stream.
        while not hasattr(source, "draw_below") and hasattr(source, "source"):
            source = source.source
        self._draw = getattr(source, "draw_below", None)
        self._seed = getattr(source, "seed_of_thoughts", None)

    def seed_of_thoughts(self) -> int:
        """Return the seed of the games that a player tries out before the choice that was asked for last.

        Raises
        ------
        RulesError
            When the dice don't come from a seed.
        """
        if self._seed is None:
            raise RulesError("this player tries moves out, for which the dice must come from a seed")
        return int(self._seed(self.choices - 1))

    def note(self, kind: Throw | Decision, values: tuple[int, ...]) -> None:
        """Record a roll or a choice, if they are recorded."""
        if self.steps is not None:
            self.steps.append((kind, values))

    def __call__(self, weight: int) -> int:
        """Return the number below `weight` that the choice draws which was asked for last."""
        if self._draw is None:
            raise RulesError("this strategy draws its moves (mixture), for which the dice must come from a seed")
        return int(self._draw(self.choices - 1, weight))


@dataclass(frozen=True)
class Event:
    """A roll, or a move made by a seat."""

    kind: str
    """``throw`` or ``choice``."""
    name: str
    """The rules' method."""
    count: int
    """The number of dice rolled, or the seat that chose."""
    values: tuple[int, ...]
    """What the rules received of the roll, or the move."""
    words: str = ""
    """The move as text."""


@dataclass(frozen=True)
class Played:
    """A finished game: its outcome (0 if it has none) and its tallies, in the order declared."""

    outcome: int
    tallies: tuple[int, ...]
    steps: int = field(default=0, compare=False)
    """Number of rolls and choices, where they were counted."""


def steps(game: Game, choosers: Sequence[Chooser], source: Source, limit: int = LIMIT) -> Iterator[Event]:
    """Play `game` from its start, yielding each roll and choice after its effect.

    Raises
    ------
    PlayError
        When a rule or a strategy breaks the contract; the message gives the state.
    """
    happened = 0
    with_state = Explained(game)
    game.__dict__[LUCK] = MixtureDraws(source, bool(private_fields(game)))
    with with_state:
        reset(game)
    while True:
        with with_state:
            step = game.next()
            if step == OVER:
                return
            if happened >= limit:
                raise EndlessGameError(f"not over after {limit:,} rolls and choices")
            happened += 1
            event = _take(game, step, choosers, source)
        yield event


def asked(game: Game, step: int) -> tuple[Throw, int] | tuple[Decision, int]:
    """Return a step other than OVER taken apart: a kind of roll and the dice (0: all), or a kind of choice and the
    seat.
    """
    if not isinstance(step, int):
        raise RulesError(f"next() returned {step!r}; it must return throw(...), ask(...) or OVER")
    is_throw, index, number = step_parts(step)
    if index >= len(game.declared.throws if is_throw else game.declared.decisions):
        raise RulesError(f"next() returned {step}; it must return throw(...), ask(...) or OVER")
    return (game.declared.throws[index], number) if is_throw else (game.declared.decisions[index], number)


def play_on(game: Game, choosers: Sequence[Chooser], source: Source, limit: int = LIMIT) -> Played:
    """Play a game on from its present state to the end; returns what `play` does."""
    return finished(game, _to_end(game, choosers, source, limit, anew=False))


def _to_end(
    game: Game,
    choosers: Sequence[Chooser],
    source: Source,
    limit: int,
    anew: bool = True,
    is_over: Callable[[], bool] | None = None,
) -> int:
    """Play `game` as `steps` does, without saying what happens; returns the number of rolls and choices.

    Raises
    ------
    OutOfTime
        When the time `is_over` before the game is.
    """
    known: dict[int, tuple[Any, int, Any, Pool | None]] = game.__dict__.setdefault("_known", {})
    hides = anew and bool(private_fields(game))
    game.__dict__[LUCK] = luck = MixtureDraws(source, hides)
    with Explained(game):
        if anew:
            reset(game)
        for happened in range(limit + 1):
            step = game.next()
            if step == OVER:
                return happened
            if happened == limit:
                break
            if is_over is not None and is_over():
                raise OutOfTime
            if step.__class__ is not int or step not in known:
                kind, number = asked(game, step)
                dice = pool(game, kind, number) if isinstance(kind, Throw) else None
                known[step] = kind, number, kind.run, dice
            kind, number, rule, dice = known[step]
            if dice is None:
                _chosen(game, kind, number, choosers)
            else:
                # What is drawn from a bag depends on the state, any other dice on parameters only.
                seen = source.draw(pool(game, kind, number) if kind.varies else dice)
                applied(rule, game, seen)
                if hides:
                    luck.note(kind, seen)
        raise EndlessGameError(f"not over after {limit:,} rolls and choices")


def _take(game: Game, step: int, choosers: Sequence[Chooser], source: Source) -> Event:
    """Carry out one step that `Game.next` returned."""
    kind, number = asked(game, step)
    if isinstance(kind, Decision):
        return choose(game, kind, number, choosers)
    dice = pool(game, kind, number)
    seen = source.draw(dice)
    applied(kind.run, game, seen)
    game.__dict__[LUCK].note(kind, seen)
    return Event("throw", kind.name, dice.count, seen)


def choose(game: Game, decision: Decision, number: int, choosers: Sequence[Chooser]) -> Event:
    """Ask a seat for its move, and carry it out.

    Raises
    ------
    RulesError
        When there is no such seat.
    IllegalMoveError
        When the move is not allowed, or not a move at all.
    """
    move = _chosen(game, decision, number, choosers)
    return Event("choice", decision.name, number, move, decision.describe(move))


def _chosen(game: Game, decision: Decision, number: int, choosers: Sequence[Chooser]) -> tuple[int, ...]:
    if number >= len(choosers):
        raise RulesError(f"seat {number} is asked to choose, but the seats are 0 to {len(choosers) - 1}")
    luck = game.__dict__.get(LUCK)
    if luck is not None:
        luck.choices += 1
    move = as_move(choosers[number](game, decision, number))
    if not decision.allows(game, move):
        raise IllegalMoveError(
            f"seat {number} (counted from 0) chose {move if len(move) > 1 else move[0]} in {decision.name}, "
            "which is not allowed"
            f"{_why(game, decision, move)}"
        )
    applied(decision.run, game, move)
    if luck is not None:
        luck.note(decision, move)
    return move


def _why(game: Game, decision: Decision, move: tuple[int, ...]) -> str:
    """Return why a move is refused, as the end of a sentence: what is out of range, or the rules' reason if they have
    one.
    """
    spans = decision.spans(game)
    if len(move) != len(spans):
        return f": a move there has {len(spans)} number{'s' if len(spans) > 1 else ''}"
    for at, (value, (low, high)) in enumerate(zip(move, spans, strict=True), 1):
        if not low <= value <= high:
            return f": {f'number {at} of the move' if len(move) > 1 else 'the move'} must be {low:,} to {high:,}"
    return decision.refusal(game, move)


def as_move(chosen: object) -> tuple[int, ...]:
    """Return the return value of a strategy as a tuple of whole numbers."""
    if isinstance(chosen, int):
        return (int(chosen),)
    move = tuple(chosen) if isinstance(chosen, tuple | list) else (chosen,)
    if not move or not all(isinstance(value, int) for value in move):
        raise IllegalMoveError(f"a strategy returned {chosen!r}; a move is a whole number or a tuple of them")
    return tuple(int(value) for value in move)


class Explained:
    """Context manager that turns any error raised by rules into a `PlayError` whose message gives the state."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if not isinstance(error, Exception | SystemExit):
            return
        state, where = state_text(self.game), where_raised(error)
        begin = f"{where}: " if where is not None else f"{self.game.name}: "
        message = str(error) if isinstance(error, DicelabError) else f"{type(error).__name__}: {error}"
        if where_written(message) is not None:
            begin = ""
        kind = type(error) if isinstance(error, PlayError) else PlayError
        raise kind(f"{begin}{explained(message, type(self.game))}; {state}") from error


def state_text(game: Game) -> str:
    """Return the state as text; of a long one only the numbers that differ from those of a new game."""
    state, changed = position(game), dict[str, object]()
    text = f"state {state}"
    if len(text) <= LONG:
        return text
    new = position(fresh(game))
    for name, value in state.items():
        if isinstance(value, list):
            first = cast(list[int], new[name])
            changed |= {f"{name}[{i}]": v for i, (v, begun) in enumerate(zip(value, first, strict=True)) if v != begun}
        elif value != new[name]:
            changed[name] = value
    return f"state as in a new game, but for {changed}" if changed else "state as in a new game"


def play(
    game: Game,
    calls: Sequence[Call],
    seed: int,
    index: int,
    limit: int = LIMIT,
    meter: Meter | None = None,
    is_over: Callable[[], bool] | None = None,
) -> Played:
    """Play game number `index` of `seed` to its end; a `meter` counts the work.

    Raises
    ------
    TooMuch
        When the game takes more work than the meter allows.
    OutOfTime
        When the time `is_over` before a roll or choice.
    PlayError
        When the game fails; the message gives the seed and the game index.
    """
    stream = Stream(seed, index)
    try:
        choosers = [call.chooser(game) for call in calls]
        if meter is None:
            happened = _to_end(game, choosers, stream, limit, is_over=is_over)
        else:
            happened = 0
            for _ in meter.over(steps(game, choosers, stream, limit)):
                happened += 1
                if is_over is not None and is_over():
                    raise OutOfTime
        return finished(game, happened)
    except PlayError as error:
        raise type(error)(f"{error}; seed {seed}, game {index}") from error


def finished(game: Game, happened: int = 0) -> Played:
    """Return the outcome and tallies of a finished game, after checking the declared bounds of the tallies."""
    with Explained(game):
        outcome, tallies = outcome_of(game), counted(game)
        for name, tally in game.declared.tallies.items():
            tally.check_end(game, tallies[name])
    return Played(outcome, tuple(int(v) for v in tallies.values()), happened)


def outcome_of(game: Game) -> int:
    """Return the outcome of a game that is over, as a number; 0 if it has no outcomes: then it only counts.

    Raises
    ------
    RulesError
        When `Game.outcome` returned anything else than the number of an outcome.
    """
    names = outcome_names(game)
    outcome: object = game.outcome() if counts_at_end(type(game)) else 0
    if not names:
        return 0
    if not isinstance(outcome, int) or not 0 <= outcome < max(1, len(names)):
        code = type(game).outcome.__code__
        raise RulesError(
            f"outcome() returned {outcome!r}; it must be 0 to {len(names) - 1}, the place of an outcome "
            f"({code.co_filename}, line {code.co_firstlineno})"
        )
    return int(outcome)


class Reference:
    """The reference engine, with the interface that all engines share; see `dicelab.engines.compiled.Compiled`.

    Attributes
    ----------
    steps
        Number of rolls and choices in all games so far.
    meter
        Counts the work of all games, if it is set.
    is_over
        Returns whether the time for playing is over, if it is set; asked before each roll and choice.
    """

    name = "reference"
    steps = 0
    meter: Meter | None = None
    is_over: Callable[[], bool] | None = None

    def __init__(self, game: Game, calls: Sequence[Call], limit: int = LIMIT, keep: bool = False) -> None:
        self.game = fresh(game)
        self.calls = calls
        self.limit = limit
        self.keep = keep

    def play(self, seed: int, low: int, high: int) -> Tallied:
        """Return the totals of games `low` to ``high - 1`` of a seed."""
        total = Tallied.empty(max(1, len(outcome_names(self.game))), len(self.game.declared.tallies))
        for index in range(low, high):
            played = play(self.game, self.calls, seed, index, self.limit, self.meter, self.is_over)
            total.count(played.outcome, played.tallies)
            self.steps += played.steps
            if self.keep:
                total.records.append([(played.outcome, *played.tallies)])
        return total
