"""The states of one turn, for games whose turns have few states while scores, coins or money take many values.

The *rest* of a game is the fields that make it large. They are hidden while the states of a turn are explored: if rules
and strategies neither read nor change the rest, a transition from one of these states to another is valid whatever the
rest is. A transition whose rules use the rest leads away: there the rules must be applied. Nothing needs to be declared
for this, and the result is certain, because every use of a hidden field is detected.
"""

from __future__ import annotations

from dataclasses import dataclass

from dicelab.errors import NotSmall
from dicelab.rules.actions import Throw
from dicelab.rules.drawing import Drawn
from dicelab.rules.fields import Int, Ints, Peak
from dicelab.rules.game import Game
from dicelab.runtime.interpreter import Explained
from dicelab.runtime.lineup import Run
from dicelab.runtime.philox import ONE_WORD, Pool, Stream, pool
from dicelab.runtime.states.explorer import AWAY, DependsOnHidden, End, StateExplorer

LARGE = 4096
"""Width of a declared range from which on a field belongs to the rest."""
SAMPLES, LONGEST = 12, 4000
"""Number of games played to find the states in which turns begin, and limit on the rolls of each."""
MOST_POSITIONS, MOST_EDGES = 4096, 40_000
OFTEN = 0.35
"""Largest share of rolls that lead away for which a table of the turn is made: above it there is little to gain."""


@dataclass(frozen=True)
class Turns:
    """The states of turns, and the transitions between them.

    Attributes
    ----------
    rest
        Names of the fields that are no part of a turn's state.
    names
        Names of the other fields.
    positions
        The states: values of these fields.
    thrown
        For each state the roll, the number of dice, and their outcomes.
    ends
        For each state and outcome the end of the transition; `AWAY` if it depends on the rest or ends the game.
    changes
        The changes of the tallies.
    choices
        The largest number of choices between two rolls.
    """

    rest: tuple[str, ...]
    names: tuple[str, ...]
    positions: list[tuple[int, ...]]
    thrown: list[tuple[Throw, int, Pool]]
    ends: list[list[End]]
    changes: list[tuple[int, ...]]
    choices: int


def turns_of(run: Run) -> Turns:
    """Find the states of turns.

    Raises
    ------
    NotSmall
        If the game has no rest, its turns have many states, or most rolls depend on the rest.
    PlayError
        If a rule or a strategy breaks the contract.
    """
    game = run.game
    rest = _rest(game)
    if not rest or any(call.strategy.memory for call in run.calls):
        raise NotSmall("it has no turns that are independent of the rest of the game")
    if any(isinstance(tally, Peak) for tally in game.declared.tallies.values()):
        raise NotSmall("a Peak can't be counted by adding")
    try:
        found = StateExplorer(run, hidden=rest)
    except DependsOnHidden:
        raise NotSmall("how it begins depends on the rest of the game") from None
    names = tuple(name for name in game.declared.state if name not in rest)
    began = _sampled(run, names, found)
    thrown: list[tuple[Throw, int, Pool]] = []
    ends: list[list[End]] = []
    if not found.positions.things:
        raise NotSmall("it is over before the first roll")
    edges = 0
    for here in found.positions.things:  # `follow` appends new states to it
        throw = _asked(found, here)
        thrown.append(throw)
        row = [found.follow(throw[0], outcome.seen) for outcome in throw[2].outcomes]
        ends.append([AWAY if end[0] < 0 else end for end in row])
        edges += len(row)
        if len(found.positions.things) > MOST_POSITIONS or edges > MOST_EDGES:
            raise NotSmall("its turns have too many states")
    away = sum(ends[here][outcome] == AWAY for here, outcome in began)
    if away > OFTEN * len(began):
        raise NotSmall("most of its rolls depend on the rest of the game")
    return Turns(rest, names, found.positions.things, thrown, ends, found.changes.things, found.choices)


def _rest(game: Game) -> tuple[str, ...]:
    """The fields that make a game large: rows, numbers declared with ``grows=True``, numbers of a wide range."""
    large = []
    for name, f in game.declared.state.items():
        low, high = f.bounds(game)
        if isinstance(f, Ints) or (isinstance(f, Int) and (f.grows or high - low >= LARGE)):
            large.append(name)
    return tuple(large)


def _asked(found: StateExplorer, here: tuple[int, ...]) -> tuple[Throw, int, Pool]:
    """The roll in a state of a turn, the number of dice, and their outcomes."""
    try:
        kind, dice = found.throw_at(here)
    except DependsOnHidden:
        raise NotSmall("which dice are rolled depends on the rest of the game") from None
    if isinstance(kind, Drawn):
        raise NotSmall(f"the weights of {kind.name} depend on the state")
    with Explained(found.game):
        thrown = pool(found.game, kind, dice)
    if not thrown.whole or thrown.weight > ONE_WORD:
        raise NotSmall(f"{kind.name} of {thrown.count} dice needs more than one random word")
    return kind, dice, thrown


def _sampled(run: Run, names: tuple[str, ...], found: StateExplorer) -> list[tuple[int, int]]:
    """Play some games and add the states of their turns to `found`; returns each with the outcome rolled there."""
    whole = StateExplorer(run)
    seen = []
    for index in range(SAMPLES):
        stream, (at, _) = Stream(0, index), whole.start
        for _ in range(LONGEST):
            if at < 0:
                break
            here = whole.positions.things[at]
            whole.place.set(here)
            turn = found.positions.number(tuple(int(whole.game.__dict__[name]) for name in names))
            kind, dice = whole.throw_at(here)
            thrown = pool(whole.game, kind, dice)
            if not thrown.whole:
                raise NotSmall(f"{kind.name} of {thrown.count} dice needs more than one random word")
            values = stream.draw(thrown)
            seen.append((turn, _number(thrown, values)))
            at = whole.follow(kind, values)[0]
    return seen


def _number(thrown: Pool, values: tuple[int, ...]) -> int:
    return next(i for i, outcome in enumerate(thrown.outcomes) if outcome.seen == values)
