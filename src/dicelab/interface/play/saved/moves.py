"""The moves of a saved game: as they are written, and checked against the rules one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dicelab.errors import DicelabError, InputError, ParameterError
from dicelab.interface.play.asking.keeping import question_of
from dicelab.interface.play.saved import faces
from dicelab.interface.play.saved.faces import RolledDice
from dicelab.interface.play.saved.file import SavedGame
from dicelab.interface.play.screen.text import quoted
from dicelab.rules.actions import OVER, Decision, Throw
from dicelab.rules.fields import applied
from dicelab.rules.game import Game, counted, outcome_names, reset, twin, winner_of
from dicelab.runtime.interpreter import Event, Explained, asked, outcome_of
from dicelab.runtime.philox import pool


@dataclass(frozen=True)
class Script:
    """The moves of a saved game, all of them legal.

    Attributes
    ----------
    rolls, choices
        The rolls and the moves that were chosen, each in order.
    steps
        All of them in order, each with its kind, ``throw`` or ``choice``, and what the rules received.
    over
        Whether the game is over after them.
    """

    rolls: Sequence[RolledDice]
    choices: Sequence[tuple[int, ...]]
    steps: Sequence[tuple[str, tuple[int, ...]]]
    over: bool


def entry(game: Game, event: Event, dice: tuple[int, ...]) -> dict[str, Any]:
    """Return an event as an entry of a saved game; `dice` are the values of the dice if the rules
    see only their total.
    """
    if event.kind == "choice":
        named = {"name": event.name} if len(game.declared.decisions) > 1 else {}
        decision = next(decision for decision in game.declared.decisions if decision.name == event.name)
        return {"seat": event.count + 1, "choice": decision.describe(event.values, 1), **named}
    kind = next(kind for kind in game.declared.throws if kind.name == event.name)
    named = {"name": event.name} if len(game.declared.throws) > 1 else {}
    return {"roll": faces.written(kind, event.count, event.values, dice), **named}


def result_of(game: Game) -> dict[str, Any]:
    """Return the result of a game that is over, as it is saved: the winning seat or the outcome, and the tallies.

    The game stays as it is: what its outcome counts is counted once.
    """
    game = twin(game)
    names, number = outcome_names(game), outcome_of(game)
    ending: dict[str, Any] = {}
    if names:
        ending = {"outcome": names[number]} if winner_of(game, number) is None else {"winner": number + 1}
    return {**ending, "tallies": counted(game)}


def checked(game: Game, saved: SavedGame) -> Script:
    """Return the moves of a saved game, after all have been made in `game`, which is at its end then.

    Raises
    ------
    InputError
        When a move is not legal; the message gives its number.
    """
    rolls: list[RolledDice] = []
    choices: list[tuple[int, ...]] = []
    steps: list[tuple[str, tuple[int, ...]]] = []
    with Explained(game):
        reset(game)
        step = game.next()
    for number, move in enumerate(saved.moves, 1):
        try:
            if step == OVER:
                raise ParameterError("the game is over before this move")
            kind, count = asked(game, step)
            if isinstance(kind, Decision):
                choices.append(_chosen(game, kind, count, move))
                values = choices[-1]
            else:
                rolls.append(_rolled(game, kind, count, move))
                values = rolls[-1].seen
            steps.append(("choice" if isinstance(kind, Decision) else "throw", values))
            with Explained(game):
                applied(kind.run, game, values)
                step = game.next()
        except DicelabError as error:
            raise InputError(f"{saved.path}: move {number}: {error}") from error
    if saved.result is not None:
        _must_be_result(game, step == OVER, saved)
    return Script(rolls, choices, steps, step == OVER)


def _rolled(game: Game, kind: Throw, count: int, move: dict[str, Any]) -> RolledDice:
    if "roll" not in move:
        raise ParameterError(f"dice are rolled here ({kind.name}), nobody chooses")
    _must_be_named(kind.name, move)
    return faces.read(pool(game, kind, count), move["roll"])


def _chosen(game: Game, decision: Decision, seat: int, move: dict[str, Any]) -> tuple[int, ...]:
    """Return the move that a choice means: the words that `dicelab play` accepts, or numbers."""
    if "choice" not in move:
        raise ParameterError(f"player {seat + 1} chooses here ({decision.name}), no dice are rolled")
    _must_be_named(decision.name, move)
    if move.get("seat", seat + 1) != seat + 1:
        raise ParameterError(f"player {seat + 1} chooses here, not player {move['seat']}")
    choice, question = move["choice"], question_of(game, decision)
    if isinstance(choice, str) and choice.isdecimal() and question.has_names:
        choice = int(choice)  # files have the numbers of moves that people see by name
    if isinstance(choice, str):
        found = question.extended((), choice)
        if len(found) < len(decision.kinds):
            raise ParameterError(f"{quoted(choice)} is not a whole choice; it needs {' and '.join(question.parts())}")
        return found
    numbers = choice if isinstance(choice, list) else [choice]
    spans = decision.spans(game)
    inside = len(numbers) == len(spans) and all(
        isinstance(n, int) and not isinstance(n, bool) and low <= n <= high
        for n, (low, high) in zip(numbers, spans, strict=True)
    )
    if not inside:
        raise ParameterError(f"{choice!r} is not a choice; write it as you would type it")
    question.must_be_allowed(tuple(numbers))
    return tuple(numbers)


def _must_be_named(name: str, move: dict[str, Any]) -> None:
    if move.get("name", name) != name:
        raise ParameterError(f"{name} is next here, not {move['name']}")


def _must_be_result(game: Game, over: bool, saved: SavedGame) -> None:
    """Check the result that stands in the file."""
    assert saved.result is not None
    if not over:
        raise InputError(f"{saved.path}: it has a result, but after move {len(saved.moves)} the game is not over")
    found = result_of(game)
    for name, value in saved.result.items():
        expected = found.get(name)
        if isinstance(value, dict) and isinstance(expected, dict):
            expected = {key: expected.get(key) for key in value}
        if value != expected:
            raise InputError(f"{saved.path}: result: {name} is {value}, but by the rules it is {expected}")
