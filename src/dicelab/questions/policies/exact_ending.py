"""Exact values of an ending, which take the place of estimates: the same game, begun elsewhere, is solved.

`learn` takes parameters with which a game begins near its end (`setup=bear-off`). What the game is worth from each of
the states that come about then is exact, and the same in the game that is learned, if the parameters that differ are
read by nothing but its `start`. That is looked up in the translated rules, not declared.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dicelab.compile.kernels import cache
from dicelab.compile.kernels.writers import thinking as k
from dicelab.compile.kernels.writers.simulate import translated
from dicelab.engines.compiled import rows, setting
from dicelab.errors import ParameterError
from dicelab.questions.policies.ahead import Table
from dicelab.questions.policies.network import Ending, Network
from dicelab.rules.game import Game, outcome_names, seat_count, shown
from dicelab.runtime.lineup import Run
from dicelab.runtime.outcome_tables import tables
from dicelab.runtime.states.codec import Slots, order_of
from dicelab.translation.translator import READS, NotTranslatable

MOST_STATES, MOST_PLACES, MOST_EDGES = 2_000_000, 2**22, 400_000_000
"""Limits of the states, of places for their hashes, and of the edges between them."""
MOST_BRANCHES = 1000
"""Limit of the outcomes of a roll."""
CHUNK = 8_000_000
"""Edges that are found in one call of the kernel."""
SWEEPS = 1000
"""Limit of the passes over all states until no value changes any more."""


class Groups(NamedTuple):
    """Where states lead, as `dicelab.solver.turns.solve.sweep` describes it."""

    first_group: NDArray[np.int64]
    weight: NDArray[np.float64]
    chooser: NDArray[np.int8]
    first_edge: NDArray[np.int64]
    target: NDArray[np.int32]
    seat_after: NDArray[np.int8]


def solved_ending(game: Game, text: str, wins: bool = False) -> Ending:
    """Return the exact values of an ending, given the parameters with which it begins: ``setup=bear-off,checkers=6``;
    chances to win if `wins`.

    Raises
    ------
    InputError
        When these are no parameters of the game, or change more than where it begins.
    ParameterError
        When the ending is too large.
    """
    given = dict[str, object](game.parameters)
    for part in text.split(","):
        name, _, typed = part.partition("=")
        given[name.strip()] = typed.strip()
    begun = Run.of(type(game), **given).game
    changed = [name for name, value in game.parameters.items() if begun.parameters[name] != value]
    if not changed:
        raise ParameterError(f"ending: {text!r} changes no parameter of {game.name}; say how its ending begins")
    _must_differ_in_start_alone(game, begun, changed)
    keys, value = _solved(begun, wins)
    slots, order = Slots.of(game, ()), order_of(keys)
    assert slots.words == keys.shape[1]  # the ranges are the same
    these, others = shown(game), shown(begun)
    setting = ", ".join(f"{name} {other}" for name, other in others.items() if other != these[name])
    return Ending(keys[order], np.ascontiguousarray(value[order]), setting)


def _solved(game: Game, wins: bool) -> tuple[NDArray[np.uint64], NDArray[np.float64]]:
    """Return all states in which turns end, and what they are worth to the seat to move and those after it."""
    from dicelab.solver.turns.solve import sweep  # which is compiled

    try:
        text, places_of_rules = k.write_ending(type(game))
    except NotTranslatable as error:
        raise ParameterError(f"ending: the rules of {game.name} can't be translated: {error}") from error
    judge, seats = Network.empty(game, wins).judge(), max(1, seat_count(game))
    keys, places = np.zeros((MOST_STATES, len(judge.packed[0])), np.uint64), np.full(MOST_PLACES, -1, np.int32)
    numbers = judge.nodes.shape[1]
    after = np.zeros((MOST_BRANCHES, numbers), np.int64), np.zeros(MOST_BRANCHES, np.uint64)
    states = keys, places, np.zeros((MOST_STATES, seats)), np.zeros(numbers, np.int64), *after
    report, parts = np.zeros(4, np.int64), list[Groups]()
    given = setting(game, (), ()), rows(game, ()), tables(game).for_thread(), judge, states
    kernel: list[Any] = []
    cache.compile_now(text, lambda: kernel.append(cache.load(text)), game.name, places_of_rules)
    status, done, made, used = k.FULL, 0, 0, 0
    while status == k.FULL:
        groups = Groups(
            np.zeros(CHUNK + 1, np.int64),
            np.zeros(CHUNK),
            np.zeros(CHUNK, np.int8),
            np.zeros(CHUNK + 1, np.int64),
            np.zeros(CHUNK, np.int32),
            np.zeros(CHUNK, np.int8),
        )
        status = int(kernel[0](*given, groups, report))
        more = int(report[0]) - done
        if status == k.WRONG or (status == k.FULL and not more) or used + int(report[3]) > MOST_EDGES:
            raise ParameterError(
                f"ending: {game.name} {shown(game)} has too many states or moves, or dice that can't be listed; choose "
                "one that is nearer to the end"
            )
        many, edges = int(report[2]), int(report[3])
        parts.append(
            Groups(
                groups.first_group[:more] + made,
                groups.weight[:many].copy(),
                groups.chooser[:many].copy(),
                groups.first_edge[:many] + used,
                groups.target[:edges].copy(),
                groups.seat_after[:edges].copy(),
            )
        )
        done, made, used = done + more, made + many, used + edges
    whole = Groups(*map(np.concatenate, zip(*parts, strict=True)))
    whole = whole._replace(first_group=np.append(whole.first_group, made), first_edge=np.append(whole.first_edge, used))
    value = states[2][:done].copy()
    for _ in range(SWEEPS):
        if sweep(value, *whole) == 0.0:
            return keys[:done].copy(), value
    raise ParameterError(f"ending: the values of {game.name} {shown(game)} don't settle; choose one that must end")


def _must_differ_in_start_alone(game: Game, begun: Game, changed: list[str]) -> None:
    """Refuse parameters that change anything but the state in which a game begins."""
    declared = game.declared
    rules: list[Any] = [kind.rule for kind in declared.throws]
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
    dice: Any = zip(tables(game), tables(begun), strict=True)
    same = same and all(np.array_equal(mine, its) for mine, its in dice)
    same = same and all(decision.spans(game) == decision.spans(begun) for decision in declared.decisions)
    if not same:
        raise ParameterError(
            f"ending: {', '.join(changed)} change ranges, dice or payoffs of {game.name}, so values "
            "needn't be those of the game that is learned"
        )
