"""Outcomes and tallies of a game by counter abstraction (`dicelab.solver.counters.propagate`).

A tally that a counter, or the number of rolls, determines up to an offset has the distribution of that counter at the
end (money won is money in the bankroll). The distribution of a `Peak` follows from the mass of games that never passed
each of its values. For other tallies only the mean is known.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import gcd, nan

import numpy as np

from dicelab.compile.kernels.writers.simulate import must_be_translatable
from dicelab.errors import NotSmall, PlayError
from dicelab.limits import LIMITS
from dicelab.rules.fields import MOST_COUNTED, Peak
from dicelab.rules.game import outcome_names
from dicelab.runtime.arrays import Floats, Integers
from dicelab.runtime.lineup import Run
from dicelab.runtime.states.counters import CounterStates, counter_states
from dicelab.runtime.timing import stage
from dicelab.solver.counters.propagate import (
    MonotoneCounter,
    Progress,
    PropagationCounts,
    Thresholds,
    follow,
)
from dicelab.solver.counters.transitions import Regions, StateTransitions, Transition
from dicelab.solver.enumeration.graph import Share
from dicelab.solver.solution.distribution import Spread
from dicelab.solver.value import Distribution, ExactAnswer, from_spread

WIDE = 8
"""Smallest width of the range of a number that may become a counter: rolls, rounds or hands left."""
MOST_POSITIONS = 500
"""Limit of the states without counters: their enumeration takes some seconds."""
FARTHEST = 2**61
"""Largest absolute value of a counter, so that differences between counters and bounds fit in 64 bits."""
UNIT = 2.0**-53
"""Relative error of one addition."""
ROUNDED = 100
"""Additions assumed for each element in a roll; `PropagationCounts.parts` if that is larger."""


@dataclass(frozen=True)
class CounterSource:
    """The counter that determines a tally up to an offset, times `sign`; the place after the last one is the rolls."""

    place: int
    sign: int


def answer_by_counters(
    run: Run,
    wanted: Sequence[int],
    progress: Progress = lambda found, rolls: None,
    share: Share = lambda done: None,
) -> ExactAnswer:
    """Outcome probabilities and tallies of a game by counter abstraction.

    The bounds on the errors of tallies assume that the games still in play at the end (probability `ENOUGH`) don't last
    much longer, or win much more, than the others.

    Parameters
    ----------
    run
        The game and its strategies.
    wanted
        Places of the requested tallies; each must have a distribution that can be known.
    progress
        Called with the numbers of states found and rolls followed; may raise `dicelab.runtime.scheduler.Stopped`.
    share
        Called with the share that is done of what a `Peak` takes: of its values, and of the rolls for those under way.

    Raises
    ------
    NotSmall
        When counter abstraction doesn't apply: there are no counters, or they don't determine the distribution of a
        tally.
    """
    names = list(run.game.declared.tallies)
    peaks, others, counters, by_rolls = counters_for(run, wanted)
    step = {s.name: gcd(*(change[len(names) + i] for change in counters.changes)) for i, s in enumerate(counters.spans)}
    if any(max(map(abs, run.game.declared.state[name.partition("[")[0]].bounds(run.game))) > FARTHEST for name in step):
        raise NotSmall("a counter has too wide a range")
    regions = Regions(run, list(dict.fromkeys(name.partition("[")[0] for name in step)), peaks)
    steps = tuple(step.get(name) or 1 for name in regions.cell_names())  # 1 for a counter that never changes
    monotone = _monotone_counter(counters, len(names), regions.cell_names())
    first = None if by_rolls else monotone
    plans: dict[int, StateTransitions] = {}
    counted = follow(regions, plans, steps, first, None, progress)
    outcomes = max(1, len(outcome_names(run.game)))
    error = counted.left + UNIT * max(ROUNDED, counted.parts + 2) * counted.rolls
    chances = np.zeros(outcomes)
    for outcome, mass in counted.ended.items():
        chances[outcome] = mass[-1]
    lines = {k: _line(counted, k, outcomes, error) for k in others}
    states, edges = counted.cells, len(counted.transitions)
    peak_values = [_thresholds(counted, i, names.index(peak)) for i, peak in enumerate(peaks)]

    def part(before: int, done: float) -> None:
        share((before + done) / len(peaks))

    for i, thresholds in enumerate(peak_values):
        given = thresholds, outcomes, progress, partial(part, i)
        lines[names.index(peaks[i])] = _peak(regions, plans, counted, monotone, *given)
    return ExactAnswer(tuple(chances.tolist()), None, tuple(lines[k] for k in wanted), states, edges, error, 0.0)


def counters_for(run: Run, wanted: Sequence[int]) -> tuple[list[str], list[int], CounterStates, bool]:
    """Return the requested tallies that are a `Peak`, the others, the chain without counters, whether rolls are
    counted.

    Raises
    ------
    NotSmall, PlayError
        As `answer_by_counters`.
    """
    names = list(run.game.declared.tallies)
    peaks = [names[k] for k in wanted if isinstance(run.game.declared.tallies[names[k]], Peak)]
    others = [k for k in wanted if names[k] not in peaks]
    stage("looking for amounts that can be kept beside the states")
    try:
        must_be_translatable(run.game, run.calls)
        counters = counter_states(run, WIDE, MOST_POSITIONS, loose=bool(peaks), checked=False)
    except PlayError as broken:  # also a row that is only traced: a strategy may bet all it holds
        raise NotSmall(str(broken)) from broken
    return peaks, others, counters, _by_rolls(counters, len(names), others)


def _by_rolls(counters: CounterStates, tallies: int, wanted: Collection[int]) -> bool:
    """Return whether the number of rolls determines some tally, so that mass must be propagated roll by roll.

    Raises
    ------
    NotSmall
        When no counter determines a tally, before any time is spent on propagation.
    """
    edges = [
        (here, target, counters.changes[change])
        for here, row in enumerate(counters.ends)
        for target, change in set(row)
        if target >= 0
    ]
    rolls, spans = False, len(counters.spans)
    for k in wanted:
        steps = [(here, target, change[k], (*change[tallies:][:spans], 1)) for here, target, change in edges]
        sources = [s for s in _sources(spans) if _potential(steps, counters.start[0], s) is not None]
        if not sources:
            raise NotSmall("no counter determines the distribution of a tally")
        rolls = rolls or any(s.place == spans and s.sign != 0 for s in sources)
    return rolls


def _monotone_counter(counters: CounterStates, tallies: int, names: Sequence[str]) -> MonotoneCounter | None:
    """Return the monotone counter that the fewest rows of changes leave unchanged; None without one."""
    candidates = []
    for i, span in enumerate(counters.spans):
        if span.name.partition("[")[0] in counters.set_to:
            continue
        by = [change[tallies + i] for change in counters.changes]
        for sign in (1, -1):
            if any(by) and all(sign * change >= 0 for change in by):
                candidates.append((by.count(0), names.index(span.name), sign))
    return MonotoneCounter(*min(candidates)[1:]) if candidates else None


def _sources(counters: int) -> list[CounterSource]:
    return [CounterSource(place, sign) for place in range(counters + 1) for sign in (1, -1, 0)]


Step = tuple[int, int, int, Sequence[int]]
"""State, next state, what is added to a tally, and what is added to each counter and to the rolls."""


def _potential(steps: Sequence[Step], start: int, source: CounterSource) -> dict[int, int] | None:
    """Return the tally minus its source in each state; None if two paths to a state give different offsets."""
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


def _ends(counted: PropagationCounts) -> Iterator[Transition]:
    return (transition for transition in counted.transitions if transition.way.target < 0 and transition.ends)


def _line(counts: PropagationCounts, k: int, outcomes: int, error: float) -> Distribution:
    """Return one tally: its distribution if a counter determines it, else its mean."""
    start, counters, counted = counts.begin
    used = [transition for transition in counts.transitions if transition.visits > 0]
    steps = [(r.state, r.way.target, r.way.counted[k], (*r.way.by, 1)) for r in used if r.way.target >= 0]
    for source in _sources(len(counters))[: None if counts.by_rolls else -3]:
        if (ahead := _potential(steps, start, source)) is not None:
            return _whole(counts, k, source, ahead, outcomes, error)
    added = sum(transition.visits * transition.way.counted[k] for transition in used)
    largest = max(abs(transition.way.counted[k]) for transition in used)
    mean = counted[k] + added
    rounded = 2 * UNIT * (abs(mean) + abs(counted[k])) if counted[k] else 0.0
    return Distribution(mean, nan, None, error * largest * counts.rolls + rounded, None)


def _whole(
    counts: PropagationCounts, k: int, source: CounterSource, ahead: dict[int, int], outcomes: int, error: float
) -> Distribution:
    """Return a tally that its source determines up to the offsets `ahead` of the states."""
    _, counters, counted = counts.begin
    first = (*counters, 0)[source.place]
    mass: dict[int, list[float]] = {}
    for transition in _ends(counts):
        by = (*transition.way.by, 0)[source.place]  # the roll that ends the game is already counted
        more = (
            counted[k]
            + ahead[transition.state]
            + transition.way.counted[k]
            - source.sign * (*transition.way.by, 1)[source.place]
        )
        for value, share in transition.ends[source.place].items():
            chances = mass.setdefault(more + source.sign * (value + by - first), [0.0] * outcomes)
            chances[-1 - transition.way.target] += share
    if max(map(abs, mass)) > MOST_COUNTED:
        raise NotSmall("a tally may exceed the largest number that is counted")
    values = np.array(sorted(mass), np.int64)
    return _spread(values, np.array([mass[value] for value in values.tolist()]), counts.left, error)


def _spread(values: Integers, joint: Floats, left: float, error: float) -> Distribution:
    """Return a tally with its distribution, and the error bounds that follow from it."""
    return from_spread(Spread(values, joint, left, error), error, float(values[-1]) - float(values[0]))


# Peaks ----------------------------------------------------------------------------------------------------------------


def _thresholds(counts: PropagationCounts, peak: int, k: int) -> Thresholds:
    """Return all possible values of a `Peak`: place `peak` among those followed, place `k` among the tallies."""
    _, counters, counted = counts.begin
    first = counted[k]
    used = [transition for transition in counts.transitions if transition.visits > 0 and transition.top(peak) > first]
    step = 0
    for transition in used:
        by, axis = transition.way.raised[peak]
        step = gcd(step, by + (counters[axis] if axis >= 0 else 0) - first, counts.steps[axis] if axis >= 0 else 0)
    top = max((transition.top(peak) for transition in used), default=first)
    if (top - first) // (step or 1) > LIMITS.threshold_cells or top > MOST_COUNTED:
        raise NotSmall("a Peak may have too many values")
    return Thresholds(peak, np.arange(first, top + 1, step or 1))


def _peak(
    regions: Regions,
    plans: dict[int, StateTransitions],
    counted: PropagationCounts,
    monotone: MonotoneCounter | None,
    thresholds: Thresholds,
    outcomes: int,
    progress: Progress,
    share: Share,
) -> Distribution:
    """Return the distribution of a `Peak`: differences of the mass that has not passed each of its values."""
    if counted.work * len(thresholds.values) > LIMITS.moved_cells:
        raise NotSmall("the propagation takes too much time or memory")
    passed, left, error = np.zeros((len(thresholds.values), outcomes)), 0.0, 0.0
    many, rolls = max(1, LIMITS.threshold_cells // counted.cells), counted.rolls

    def look(done: int, under_way: int, states: int, followed: int) -> None:
        share((done + under_way * min(1.0, followed / rolls)) / len(thresholds.values))
        progress(states, followed)

    for first in range(0, len(thresholds.values), many):
        some = Thresholds(thresholds.peak, thresholds.values[first : first + many])
        one = follow(regions, plans, counted.steps, monotone, some, partial(look, first, len(some.values)))
        rolls = one.rolls  # about as many as the next ones will take
        for outcome, mass in one.ended.items():
            passed[first : first + many, outcome] = mass
        left = max(left, one.left)
        error = max(error, one.left + UNIT * max(ROUNDED, one.parts + 2) * one.rolls)
    joint = np.maximum(0.0, np.diff(passed, axis=0, prepend=0.0))
    kept = joint.any(axis=1)
    return _spread(thresholds.values[kept], joint[kept], counted.left + left, 2 * (counted.left + error))
