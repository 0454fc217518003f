"""Exact values of an ending, which take the place of estimates: the same game begun elsewhere is solved turn by turn.

`learn` takes parameters with which a game begins near its end (`setup=bear-off`). What the game is worth from each of
the states that come about then is exact, and the same in the game that is learned, if the parameters that differ are
read by nothing but its `start`. That is looked up in the translated rules, not declared.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dicelab.compile.kernels.writers.simulate import translated
from dicelab.errors import NotSmall, ParameterError
from dicelab.questions.policies.ahead import Table
from dicelab.questions.policies.objective import opposed
from dicelab.rules.game import Game, outcome_names, seat_count, shown
from dicelab.runtime.lineup import Run
from dicelab.runtime.outcome_tables import tables
from dicelab.runtime.states.codec import Slots, order_of
from dicelab.runtime.states.symmetry import Rotation
from dicelab.solver.enumeration.model import machine_memory
from dicelab.solver.turns.parts import Parts
from dicelab.solver.turns.solve import Aims, turn_by_turn
from dicelab.translation.translator import READS, NotTranslatable


class Ending(NamedTuple):
    """The beginnings of turns of an ending, seen from the seat to move.

    Attributes
    ----------
    keys
        uint64 array (states, words): the packed states, sorted.
    value
        float64 array (states, seats): what each is worth to the seat to move, and to the other one.
    text
        The parameters with which the ending begins, where they differ, for people.
    error
        A bound on the error of the values.
    """

    keys: NDArray[np.uint64]
    value: NDArray[np.float64]
    text: str
    error: float


def no_ending(game: Game) -> Ending:
    """Return an ending without states."""
    words, seats = Slots.of(game, ()).words, max(1, seat_count(game))
    return Ending(np.zeros((0, words), np.uint64), np.zeros((0, seats)), "", 0.0)


def solved_ending(game: Game, text: str) -> Ending:
    """Return the exact values of an ending, given the parameters with which it begins: ``setup=bear-off,checkers=6``.

    Raises
    ------
    InputError
        When these are no parameters of the game, or change more than where it begins.
    ParameterError
        When the ending can't be solved turn by turn.
    """
    given = dict[str, object](game.parameters)
    for part in text.split(","):
        name, _, value = part.partition("=")
        given[name.strip()] = value.strip()
    begun = Run.of(type(game), **given).game
    changed = [name for name, value in game.parameters.items() if begun.parameters[name] != value]
    if not changed:
        raise ParameterError(f"ending: {text!r} changes no parameter of {game.name}; say how its ending begins")
    _must_differ_in_start_alone(game, begun, changed)
    prizes, signs = Table(game, None, "learn").prizes()
    rotation, sides = Rotation.of(begun), opposed(prizes) if prizes.shape[1] == 2 else None
    if rotation is None or sides is None or sides[1][1] >= 0 or signs.any():
        raise ParameterError(
            f"ending: {game.name} needs two players with opposed payoffs, and a Seat with alike=True, for exact endings"
        )
    mine, total = prizes[:, 0], float(prizes[0].sum())
    if sides[1][1] != -1:
        raise ParameterError(f"ending: what one player of {game.name} wins is not what the other one loses")
    low, span = float(mine.min()), float(mine.max() - mine.min())
    aims = Aims(((mine - low) / span).tolist(), [1, -1], None, True)
    try:
        turns, kept = turn_by_turn(Run.of(begun), aims, machine_memory() // 2)
    except NotSmall as error:
        raise ParameterError(f"ending: {text} can't be solved turn by turn: {error}") from error
    numbers, slots = Parts.of(begun, kept.outer).unpack(kept.keys), Slots.of(game, ())
    keys = np.zeros((len(numbers), slots.words), np.uint64)
    for number in range(numbers.shape[1]):
        slots.put(keys, number, numbers[:, number])
    order, mover = order_of(keys), low + span * kept.value
    value = np.column_stack([mover, total - mover])
    these, others = shown(game), shown(begun)
    told = ", ".join(f"{name} {other}" for name, other in others.items() if other != these[name])
    return Ending(keys[order], np.ascontiguousarray(value[order]), told, span * turns.error)


def _must_differ_in_start_alone(game: Game, begun: Game, changed: list[str]) -> None:
    """Refuse parameters that change anything but the state in which a game begins.

    Raises
    ------
    ParameterError
    """
    declared = game.declared
    rules = [kind.rule for kind in declared.throws]
    for decision in declared.decisions:
        rules += [
            rule for rule in (decision.rule, decision.legal, decision.sensible, decision.moves) if rule is not None
        ]
    try:
        translation = translated(type(game), ())
        made = [
            translation.method("next"),
            translation.ending(),
            *(translation.function(rule, "game") for rule in rules),
        ]
    except NotTranslatable as error:
        raise ParameterError(f"ending: the rules of {game.name} can't be translated: {error}") from error
    read = {effect.name: place for effect, place in translation.effects(*made).items() if effect.kind == READS}
    for name in changed:
        if name in read:
            raise ParameterError(
                f"ending: {name} is read at {read[name]}, not in start alone, so values needn't be those of the game"
                " that is learned"
            )
    one, other = Slots.of(game, ()), Slots.of(begun, ())
    same = one.names == other.names and (one.low == other.low).all() and (one.span == other.span).all()
    same = same and outcome_names(game) == outcome_names(begun)
    same = same and np.array_equal(Table(game, None, "learn").prizes()[0], Table(begun, None, "learn").prizes()[0])
    dice = zip(tables(game), tables(begun), strict=True)
    same = same and all(np.array_equal(mine, its) for mine, its in dice)
    same = same and all(decision.spans(game) == decision.spans(begun) for decision in declared.decisions)
    if not same:
        raise ParameterError(
            f"ending: {', '.join(changed)} change ranges, dice or payoffs of {game.name}, so values "
            "needn't be those of the game that is learned"
        )
