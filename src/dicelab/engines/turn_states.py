"""The graph of a turn: for games in which only a turn is small, and scores, coins or money are large.

The *rest* of a game are the fields that make it large. They are hidden while the positions of a turn are numbered: as
long as the rules and strategies never look at the rest, nor change it, a throw leads from one of these positions to
another, whatever the rest is. A throw whose rules meet the rest leads away: there the rules themselves decide. So
nothing need be declared, and what is found is certain.
"""

from __future__ import annotations

from dataclasses import dataclass

from dicelab.errors import NotSmall
from dicelab.random.philox import ONE_WORD, Pool, Stream, pool
from dicelab.rules.actions import Throw
from dicelab.rules.fields import Int, Ints, Peak
from dicelab.rules.game import Game
from dicelab.runtime.interpreter import Explained
from dicelab.runtime.lineup import Run
from dicelab.states.explorer import AWAY, End, Met, Numbering

LARGE = 4096
"""A number with a wider range than this belongs to the rest."""
SAMPLES, LONGEST = 12, 4000
"""Games that are played to see which positions turns begin with, and throws of each at the most."""
MOST_POSITIONS, MOST_EDGES = 4096, 40_000
OFTEN = 0.35
"""Share of throws that lead away, above which a table of the turn is not worth while."""


@dataclass(frozen=True)
class Turns:
    """The positions of turns.

    Attributes
    ----------
    rest
        Names of the fields that are no part of a position.
    positions
        The positions: values of the other fields.
    names
        The names of these.
    thrown
        For each position the kind of throw, the dice, and the pool.
    ends
        For each position and outcome where it leads; `AWAY` where the rest, or the rules of the end, decide.
    changes
        The changes of the tallies, by number.
    choices
        The most choices between two throws.
    """

    rest: tuple[str, ...]
    names: tuple[str, ...]
    positions: list[tuple[int, ...]]
    thrown: list[tuple[Throw, int, Pool]]
    ends: list[list[End]]
    changes: list[tuple[int, ...]]
    choices: int


def turns_of(run: Run) -> Turns:
    """Number the positions of turns.

    Raises
    ------
    NotSmall
        When the game has no rest, its turns are large, or most throws look at the rest.
    PlayError
        When a rule or a strategy breaks the contract.
    """
    game = run.game
    rest = _rest(game)
    if not rest or any(call.strategy.memory for call in run.calls):
        raise NotSmall("it has no turns apart from the rest of the game")
    if any(isinstance(tally, Peak) for tally in game.declared.tallies.values()):
        raise NotSmall("a Peak can't be counted by adding")
    try:
        found = Numbering(run, hidden=rest)
    except Met:
        raise NotSmall("what it begins with depends on all of the game") from None
    names = tuple(name for name in game.declared.state if name not in rest)
    began = _sampled(run, names, found)
    thrown: list[tuple[Throw, int, Pool]] = []
    ends: list[list[End]] = []
    if not found.positions.things:
        raise NotSmall("it is over before anything is thrown")
    edges = 0
    for here in found.positions.things:  # it grows
        throw = _asked(found, here)
        thrown.append(throw)
        row = [found.follow(throw[0], outcome.seen) for outcome in throw[2].outcomes]
        ends.append([AWAY if end[0] < 0 else end for end in row])
        edges += len(row)
        if len(found.positions.things) > MOST_POSITIONS or edges > MOST_EDGES:
            raise NotSmall("its turns have too many positions")
    away = sum(ends[here][outcome] == AWAY for here, outcome in began)
    if away > OFTEN * len(began):
        raise NotSmall("most of its throws depend on all of the game")
    return Turns(rest, names, found.positions.things, thrown, ends, found.changes.things, found.choices)


def _rest(game: Game) -> tuple[str, ...]:
    """The fields that make a game large: rows, numbers that only grow, numbers of a wide range."""
    large = []
    for name, f in game.declared.state.items():
        low, high = f.bounds(game)
        if isinstance(f, Ints) or (isinstance(f, Int) and (f.grows or high - low >= LARGE)):
            large.append(name)
    return tuple(large)


def _asked(found: Numbering, here: tuple[int, ...]) -> tuple[Throw, int, Pool]:
    """What is thrown at a position of a turn."""
    try:
        kind, dice = found.throw_at(here)
    except Met:
        raise NotSmall("what is thrown depends on all of the game") from None
    with Explained(found.game):
        thrown = pool(found.game, kind, dice)
    if not thrown.whole or thrown.weight > ONE_WORD:
        raise NotSmall(f"{kind.name} of {thrown.count} dice needs more than one word")
    return kind, dice, thrown


def _sampled(run: Run, names: tuple[str, ...], found: Numbering) -> list[tuple[int, int]]:
    """Play some games; note the positions of turns that come up. Returns them, each with the outcome thrown."""
    whole = Numbering(run)
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
                raise NotSmall(f"{kind.name} of {thrown.count} dice needs more than one word")
            values = stream.draw(thrown)
            seen.append((turn, _number(thrown, values)))
            at = whole.follow(kind, values)[0]
    return seen


def _number(thrown: Pool, values: tuple[int, ...]) -> int:
    return next(i for i, outcome in enumerate(thrown.outcomes) if outcome.seen == values)
