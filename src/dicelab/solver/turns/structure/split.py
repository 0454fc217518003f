"""Which fields belong to the beginning of a turn: those that change least often.

Any choice gives the same values, because the rules are checked for what they use (`kernels.writers.turn_steps`). A good
one makes turns long and few: scores and open boxes belong to the beginning of a turn, dice and points to the turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random

from dicelab.errors import NotSmall
from dicelab.rules.actions import Decision
from dicelab.rules.game import Game, seat_count
from dicelab.runtime.lineup import Run
from dicelab.runtime.philox import Stream, pool
from dicelab.runtime.states.explorer import StateExplorer
from dicelab.runtime.states.symmetry import Rotation
from dicelab.solver.turns.structure.parts import owners

GAMES, LONGEST, TRIES = 12, 200, 200
"""Random games that are played to see which fields change, steps of each, and moves that are tried at a choice."""


def outer_fields(run: Run, rotation: Rotation | None) -> Iterator[tuple[str, ...]]:
    """Sets of fields that may be outer, the smallest first: each has one more, in order of how often they change.

    Raises
    ------
    NotSmall
        When the game is over at once.
    """
    owner, changes = owners(run.game), dict[str, int]()
    for before, after in _steps(run, rotation):
        for name in dict.fromkeys(name for name, a, b in zip(owner, before, after, strict=True) if a != b):
            changes[name] = changes.get(name, 0) + 1
    names = sorted(changes, key=lambda name: changes[name])
    for many in range(1, len(names) + 1):
        yield tuple(names[:many])


def _moves(kind: Decision, game: Game, dice: Random) -> Iterable[tuple[int, ...]]:
    """Moves to try, in random order."""
    if kind.lists:
        listed = kind.listing(game) or []
        return dice.sample(listed, len(listed))
    spans = kind.spans(game)
    return (tuple(dice.randint(*span) for span in spans) for _ in range(TRIES))


def _steps(run: Run, rotation: Rotation | None) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Neighbouring states of some random games, seen from the seat to move."""
    found = StateExplorer(run, range(max(1, seat_count(run.game))))
    if found.start[0] < 0:
        raise NotSmall("it is over before the first roll")
    things, dice = found.positions.things, Random(0)
    for index in range(GAMES):
        at, stream = found.start[0], Stream(0, index)
        for _ in range(LONGEST):
            here = things[at]
            kind, number = found.arrive(here)
            end = None
            if isinstance(kind, Decision):
                for move in _moves(kind, found.game, dice):
                    end = found.follow(kind, move)
                    if end is not None:
                        break
            else:
                thrown = pool(found.game, kind, number)
                end = found.follow(kind, stream.draw(thrown)) if thrown.whole else None
            if end is None or end[0] < 0:
                break
            at = end[0]
            both = here, things[at]
            yield both if rotation is None else (rotation.seen(here)[0], rotation.seen(both[1])[0])
