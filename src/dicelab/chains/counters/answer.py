"""The tallies of a game whose purses are followed beside its positions (`dicelab.chains.counters.propagate`).

Of a tally that goes with a purse (money that is won is money in the purse), or with the throws, the whole distribution
is known, because what a purse held at the end is. Of a `Peak` it is known with what chance each value was not passed,
because it is followed how much never passed it. Of the others the mean is known.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from math import gcd, nan, sqrt

import numpy as np

from dicelab.chains.counters.propagate import MOST_CELLS, MOST_WORK, Clock, Followed, Levels, Told, follow
from dicelab.chains.counters.transitions import Array, Plan, Route, Whole
from dicelab.chains.distribution import Spread
from dicelab.errors import NotSmall, PlayError
from dicelab.kernels.simulate import must_be_translatable
from dicelab.rules.fields import MOST_COUNTED, Peak
from dicelab.rules.game import outcome_names
from dicelab.runtime.lineup import Run
from dicelab.states.counters import Purses, purses_of
from dicelab.states.guarded_transitions import Regions

WIDE = 8
"""Numbers of a range as wide as this, or wider, may be kept out of positions: throws, rounds or hands that are left."""
MOST_POSITIONS = 500
"""Positions without these, at the most: as many as take some seconds, on whichever machine."""
FARTHEST = 2**61
"""These are within as much of 0, so that differences between them and their bounds fit in 64 bits."""
UNIT = 2.0**-53
"""Relative error of an addition."""
ROUNDED = 100
"""Additions after which a throw may leave any sum, or as many as there are in `Followed.parts`."""


@dataclass(frozen=True)
class Line:
    """One tally: mean and standard deviation (NaN where only the distribution would tell), bound on their error.

    The bound takes it that what is left out (`purses.ENOUGH`) does not go on for much longer, or win much more, than
    all the rest.
    """

    mean: float
    sd: float
    error: float
    spread: Spread | None


@dataclass(frozen=True)
class Ledger:
    """Chances of the outcomes, bound on their error, the tallies that were asked for; positions, routes."""

    chances: tuple[float, ...]
    error: float
    tallies: tuple[Line, ...]
    states: int
    edges: int


@dataclass(frozen=True)
class Source:
    """What a tally goes with: ``sign`` times a purse (its place), or the throws (the place after the last purse)."""

    place: int
    sign: int


def ledger(run: Run, wanted: Sequence[int], told: Told = lambda found, throws: None) -> Ledger:
    """What a game comes to, its purses beside its positions.

    Parameters
    ----------
    run
        The game and its strategies.
    wanted
        Tallies, by their places; those of which the whole distribution can be known.
    told
        Told the positions found so far, and the throws followed; may raise `dicelab.runtime.scheduler.Stopped`.

    Raises
    ------
    NotSmall
        When it can't be had in this way: there are no such purses, or the distribution of a tally is not known by them.
    PlayError
        When a rule or a strategy breaks the contract.
    """
    names = list(run.game.declared.tallies)
    peaks = [names[k] for k in wanted if isinstance(run.game.declared.tallies[names[k]], Peak)]
    try:
        must_be_translatable(run.game, run.calls)
        purses = purses_of(run, WIDE, MOST_POSITIONS, loose=bool(peaks), checked=False)
    except PlayError as broken:  # also of what is merely watched, where a strategy bets all that a row holds
        raise NotSmall(str(broken)) from broken
    step = {s.name: gcd(*(change[len(names) + i] for change in purses.changes)) for i, s in enumerate(purses.spans)}
    if any(max(map(abs, run.game.declared.state[name.partition("[")[0]].bounds(run.game))) > FARTHEST for name in step):
        raise NotSmall("a number kept out of its positions has too wide a range")
    regions = Regions(run, list(dict.fromkeys(name.partition("[")[0] for name in step)), peaks)
    steps = tuple(step.get(name) or 1 for name in regions.cell_names())  # 1 for what does not change there
    others = [k for k in wanted if names[k] not in peaks]
    clock = _clock(purses, len(names), regions.cell_names())
    first = None if _by_throws(purses, len(names), others) else clock
    plans: dict[int, Plan] = {}
    found = follow(regions, plans, steps, first, None, told)
    outcomes = max(1, len(outcome_names(run.game)))
    error = found.left + UNIT * max(ROUNDED, found.parts + 2) * found.throws
    chances = np.zeros(outcomes)
    for outcome, mass in found.ended.items():
        chances[outcome] = mass[-1]
    lines = {k: _line(found, k, outcomes, error) for k in others}
    states, edges = found.cells, len(found.routes)
    rises = [_levels(found, i, names.index(peak)) for i, peak in enumerate(peaks)]
    for peak, levels in zip(peaks, rises, strict=True):
        lines[names.index(peak)] = _peak(regions, plans, found, clock, levels, outcomes, told)
    return Ledger(tuple(chances.tolist()), error, tuple(lines[k] for k in wanted), states, edges)


def _by_throws(purses: Purses, tallies: int, wanted: Collection[int]) -> bool:
    """May there be a tally that goes with the throws, so that these must be told from each other?

    Raises
    ------
    NotSmall
        When there is one that goes with nothing: at once, as it could not be told in the end.
    """
    edges = [
        (here, target, purses.changes[change])
        for here, row in enumerate(purses.ends)
        for target, change in set(row)
        if target >= 0
    ]
    throws, spans = False, len(purses.spans)
    for k in wanted:
        ways = [(here, target, change[k], (*change[tallies:][:spans], 1)) for here, target, change in edges]
        sources = [s for s in _sources(spans) if _potential(ways, purses.start[0], s) is not None]
        if not sources:
            raise NotSmall("the distribution of a tally does not go with what is kept out of its positions")
        throws = throws or any(s.place == spans and s.sign != 0 for s in sources)
    return throws


def _clock(purses: Purses, tallies: int, names: Sequence[str]) -> Clock | None:
    """The purse that never rises, or never falls, and stays as it is with the fewest changes."""
    clocks = []
    for i, span in enumerate(purses.spans):
        if span.name.partition("[")[0] in purses.set_to:
            continue
        by = [change[tallies + i] for change in purses.changes]
        for sign in (1, -1):
            if any(by) and all(sign * change >= 0 for change in by):
                clocks.append((by.count(0), names.index(span.name), sign))
    return Clock(*min(clocks)[1:]) if clocks else None


def _sources(purses: int) -> list[Source]:
    return [Source(place, sign) for place in range(purses + 1) for sign in (1, -1, 0)]


Step = tuple[int, int, int, Sequence[int]]
"""Position, next position, what is added to a tally, and what to the purses and to the throws."""


def _potential(steps: Sequence[Step], start: int, source: Source) -> dict[int, int] | None:
    """By how much a tally is ahead of its source at each position; None where that depends on the way there."""
    after: dict[int, list[tuple[int, int]]] = {}
    for here, target, counted, by in steps:
        after.setdefault(here, []).append((target, counted - source.sign * by[source.place]))
    ahead, new = {start: 0}, [start]
    while new:
        here = new.pop()
        for target, more in after.get(here, ()):
            if target not in ahead:
                ahead[target] = ahead[here] + more
                new.append(target)
            elif ahead[target] != ahead[here] + more:
                return None
    return ahead


def _ends(found: Followed) -> Iterator[Route]:
    return (route for route in found.routes if route.way.target < 0 and route.ends)


def _line(found: Followed, k: int, outcomes: int, error: float) -> Line:
    """One tally."""
    start, purses, counted = found.begin
    gone = [route for route in found.routes if route.visits > 0]
    steps = [(r.position, r.way.target, r.way.counted[k], (*r.way.by, 1)) for r in gone if r.way.target >= 0]
    for source in _sources(len(purses))[: None if found.by_throws else -3]:
        if (ahead := _potential(steps, start, source)) is not None:
            return _whole(found, k, source, ahead, outcomes, error)
    added = sum(route.visits * route.way.counted[k] for route in gone)
    largest = max(abs(route.way.counted[k]) for route in gone)
    mean = counted[k] + added
    rounded = 2 * UNIT * (abs(mean) + abs(counted[k])) if counted[k] else 0.0
    return Line(mean, nan, error * largest * found.throws + rounded, None)


def _whole(found: Followed, k: int, source: Source, ahead: dict[int, int], outcomes: int, error: float) -> Line:
    """A tally that goes with its source."""
    _, purses, counted = found.begin
    first = (*purses, 0)[source.place]
    mass: dict[int, list[float]] = {}
    for route in _ends(found):
        by = (*route.way.by, 0)[source.place]  # throws are counted with this one
        more = (
            counted[k] + ahead[route.position] + route.way.counted[k] - source.sign * (*route.way.by, 1)[source.place]
        )
        for value, share in route.ends[source.place].items():
            chances = mass.setdefault(more + source.sign * (value + by - first), [0.0] * outcomes)
            chances[-1 - route.way.target] += share
    if max(map(abs, mass)) > MOST_COUNTED:
        raise NotSmall("a tally may come to more than is counted")
    values = np.array(sorted(mass), np.int64)
    return _spread(values, np.array([mass[value] for value in values.tolist()]), found.left, error)


def _spread(values: Whole, joint: Array, left: float, error: float) -> Line:
    """A tally of which the whole distribution is known."""
    weights = joint.sum(axis=1)
    mean = float(weights @ values / weights.sum())
    sd = sqrt(float(weights @ (values - mean) ** 2 / weights.sum()))
    width = float(values[-1]) - float(values[0])
    wrong = 3 * error * width**2  # at most, in the variance
    bound = max(2 * error * width, min(wrong / sd, sqrt(wrong)) if sd > 0 else 0.0) + 1e-15 * (abs(mean) + width)
    return Line(mean, sd, bound, Spread(values, joint, left, error))


# Peaks ----------------------------------------------------------------------------------------------------------------


def _levels(found: Followed, peak: int, k: int) -> Levels:
    """All values that a `Peak`, by its place among those that are followed and among the tallies, may come to."""
    _, purses, counted = found.begin
    first = counted[k]
    gone = [route for route in found.routes if route.visits > 0 and route.top(peak) > first]
    step = 0
    for route in gone:
        by, axis = route.way.raised[peak]
        step = gcd(step, by + (purses[axis] if axis >= 0 else 0) - first, found.steps[axis] if axis >= 0 else 0)
    top = max((route.top(peak) for route in gone), default=first)
    if (top - first) // (step or 1) > MOST_CELLS or top > MOST_COUNTED:
        raise NotSmall("a Peak may come to too many values")
    return Levels(peak, np.arange(first, top + 1, step or 1))


def _peak(
    regions: Regions,
    plans: dict[int, Plan],
    found: Followed,
    clock: Clock | None,
    levels: Levels,
    outcomes: int,
    told: Told,
) -> Line:
    """A `Peak`: with what chance no level is passed tells its distribution."""
    if found.work * len(levels.values) > MOST_WORK:
        raise NotSmall("there is too much to follow")
    passed, left, error = np.zeros((len(levels.values), outcomes)), 0.0, 0.0
    many = max(1, MOST_CELLS // found.cells)
    for first in range(0, len(levels.values), many):
        some = Levels(levels.peak, levels.values[first : first + many])
        one = follow(regions, plans, found.steps, clock, some, told)
        for outcome, mass in one.ended.items():
            passed[first : first + many, outcome] = mass
        left = max(left, one.left)
        error = max(error, one.left + UNIT * max(ROUNDED, one.parts + 2) * one.throws)
    joint = np.maximum(0.0, np.diff(passed, axis=0, prepend=0.0))
    kept = joint.any(axis=1)
    return _spread(levels.values[kept], joint[kept], found.left + left, 2 * (found.left + error))
