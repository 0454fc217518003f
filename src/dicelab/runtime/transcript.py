"""A game as text, step by step: each roll and choice with the fields that it changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dicelab.rules.dice import COUNTS, SUM
from dicelab.rules.fields import Flag
from dicelab.rules.game import Game, counted, fresh, outcome_names, position, reset
from dicelab.runtime.interpreter import LIMIT, Event, Explained, Source, finished, steps
from dicelab.runtime.lineup import Call

LONG = 30
"""For rows longer than this only the numbers that changed are shown."""

State = dict[str, int | list[int]]


def transcript(game: Game, calls: Sequence[Call], source: Source, limit: int = LIMIT) -> Iterator[str]:
    r"""Play a game with the rolls of a source, yielding the lines of its transcript.

    Raises
    ------
    PlayError
        When a rule or a strategy breaks the contract; the message gives the state.

    Examples
    --------
    >>> from dicelab.random.philox import Stream
    >>> from dicelab.games.hazard import Hazard
    >>> print("\n".join(transcript(Hazard(main=7), [], Stream(seed=1, game=3))))
    hazard: main 7; seed 1, game 3
    come_out: 2 dice, total 7 | result 1
    over: win | throws 1
    """
    opening = fresh(game)
    with Explained(opening):
        reset(opening)
    params = game.declared.params.values()
    settings = ", ".join(f"{param.name} {param.word(game.parameters[param.name])}" for param in params)
    yield f"{game.name}{': ' if settings else ''}{settings}; {source}"
    for seat, call in enumerate(calls):
        yield f"seat {seat}: {call}"
    before = position(opening)
    for event in steps(game, [call.chooser(game) for call in calls], source, limit):
        after = position(game)
        yield f"{describe(game, event)} | {_changes(game, before, after)}"
        before = after
    played = finished(game)
    names = outcome_names(game)
    tallies = ", ".join(f"{name} {value}" for name, value in counted(game).items())
    yield f"over: {names[played.outcome] if names else 'no outcome'} | {tallies}"


def describe(game: Game, event: Event) -> str:
    """A roll or a choice as text."""
    if event.kind == "choice":
        return f"seat {event.count} {event.name}: {event.words}"
    kind = next(kind for kind in game.declared.throws if kind.name == event.name)
    dice = f"{event.name}: {event.count} {'die' if event.count == 1 else 'dice'}, "
    if kind.view is SUM:
        return dice + f"total {event.values[0]}"
    if kind.view is COUNTS:
        return dice + ", ".join(f"{n} {face.label}" for n, face in zip(event.values, kind.die.faces, strict=True))
    return dice + "faces " + " ".join(str(value) for value in event.values[: event.count])


def _changes(game: Game, before: State, after: State) -> str:
    """The fields that changed, with their new values, as text."""
    changed = [name for name in after if before[name] != after[name]]
    parts = [f"{name} {_words(game, name, after[name])}" for name in changed if not _long(after[name])]
    for name in changed:
        one, other = before[name], after[name]
        if isinstance(one, list) and isinstance(other, list) and _long(other):
            parts += [f"{name}[{i}] {new}" for i, (old, new) in enumerate(zip(one, other, strict=True)) if old != new]
    return ", ".join(parts) or "nothing changed"


def _long(value: int | list[int]) -> bool:
    """Whether this is a row for which only the changed numbers are shown."""
    return isinstance(value, list) and len(value) > LONG


def _words(game: Game, name: str, value: int | list[int]) -> str:
    if isinstance(value, list):
        return " ".join(map(str, value))
    if isinstance(game.declared.state[name], Flag):
        return "yes" if value else "no"
    return str(value)
