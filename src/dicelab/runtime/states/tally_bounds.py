"""Lower and upper bounds of tallies at the end of a game: declared, or proved by following all paths of a small game.

Confidence intervals of means need them: a sample in which a tally was always 3 does not exclude 1,000 in the next game,
unless the rules do.
"""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import NDArray

from dicelab.errors import DicelabError, PlayError, RangeError
from dicelab.rules.fields import Peak
from dicelab.rules.game import Game
from dicelab.runtime.arrays import Floats
from dicelab.runtime.lineup import Run
from dicelab.runtime.philox import pool
from dicelab.runtime.scheduler import Tallied
from dicelab.runtime.states.explorer import StateExplorer

Bounds = tuple[float, float]
"""Smallest and largest value at the end of a game; infinite where no bound is known."""
MOST_STATES, MOST_EDGES = 256, 4096
"""Limits on states and edges of a game whose paths are followed, which then takes about 0.1 seconds."""
MOST_CHANGE = 2**40
"""Limit on a change of a tally, so that sums along a path are exact in floating point; no bound is proved above it."""


def tally_bounds(run: Run) -> list[Bounds]:
    """Return the bounds of each tally, in the order declared: the narrower of the declared and the proved ones."""
    proved = _proved(run)
    return [
        (max(low, least), min(high, most))
        for (low, high), (least, most) in zip(declared_bounds(run.game), proved, strict=True)
    ]


def declared_bounds(game: Game) -> list[Bounds]:
    """Return the bounds that the game declares for each tally."""
    ends = [tally.end_bounds(game) for tally in game.declared.tallies.values()]
    return [(float(low), float(high)) for low, high in ends]


def must_be_within_bounds(game: Game, games: Tallied) -> None:
    """Refuse games that ended with a tally outside its declared bounds."""
    for k, tally in enumerate(game.declared.tallies.values()):
        low, high = tally.end_bounds(game)
        if (low, high) == (-inf, inf):
            continue
        for histogram in games.histograms:
            try:
                for value in (min(histogram[k], default=None), max(histogram[k], default=None)):
                    if value is not None:
                        tally.check_end(game, value)
            except RangeError as error:
                raise PlayError(f"{game.name}: {error}; play with the reference engine to see the state") from error


def _proved(run: Run) -> list[Bounds]:
    """Return the bounds of each tally over all paths of a game; infinite if the game is too large or a rule breaks."""
    tallies = list(run.game.declared.tallies.values())
    unknown = [(-inf, inf)] * len(tallies)
    try:
        paths = _paths(run)
    except DicelabError:  # the engine that plays the game reports it, if the games played get there
        return unknown
    if paths is None:
        return unknown
    source, target, changes, start, states = paths
    bounds = []
    for k, tally in enumerate(tallies):
        change, first = changes[:, k], start[k]
        if isinstance(tally, Peak):
            bounds.append((max(0.0, first), max(0.0, first, change.max(initial=0.0))))
        elif max(abs(first), np.abs(change).max(initial=0.0)) > MOST_CHANGE:
            bounds.append((-inf, inf))
        else:
            most = _largest(source, target, change, first, states)
            bounds.append((-_largest(source, target, -change, -first, states), most))
    return bounds


Indices = NDArray[np.int64]


def _paths(run: Run) -> tuple[Indices, Indices, Floats, Floats, int] | None:
    """Return the edges of the game's graph; None if there are too many.

    Returns source and target of each edge (the target is the number of states where the game ends), the change of every
    tally (edges, tallies), what is counted before the first roll, and the number of states.
    """
    explorer = StateExplorer(run)
    edges: list[tuple[int, int, int]] = []
    for number, here in enumerate(explorer.positions.things):  # it grows
        kind, dice = explorer.throw_at(here)
        thrown = pool(explorer.game, kind, dice)
        if not thrown.whole or len(edges) + len(thrown.outcomes) > MOST_EDGES:
            return None
        edges += [(number, *explorer.follow(kind, outcome.seen)) for outcome in thrown.outcomes]
        if len(explorer.positions.things) > MOST_STATES:
            return None
    states = len(explorer.positions.things)
    listed = np.array(edges, np.int64).reshape(-1, 3)
    changes = np.array(explorer.changes.things, np.float64).reshape(len(explorer.changes.things), -1)
    target = np.where(listed[:, 1] < 0, states, listed[:, 1])
    return listed[:, 0], target, changes[listed[:, 2]], changes[explorer.start[1]], states


def _largest(source: Indices, target: Indices, change: Floats, first: float, states: int) -> float:
    """Return the largest sum of changes along any path from the start to the end (Bellman and Ford, for longest paths).

    A sum that still grows after as many rounds as there are states goes round a cycle, so it has no bound. The start
    is state 0; a game that is over at the start has no edges.
    """
    best = np.full(states + 1, -inf)
    best[0] = first
    for rounds in range(2 * states + 2):  # best[s]: the largest sum along paths to s of up to `rounds` edges, or more
        grown = best.copy()
        np.maximum.at(grown, target, best[source] + change)
        grows = grown > best
        if not grows.any():
            break
        if rounds > states:
            grown[grows] = inf
        best = grown
    if not len(source):
        return first
    return float(best[states]) if best[states] > -inf else inf  # no path ends
