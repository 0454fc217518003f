"""How large a chain is, before it is enumerated: counted where that is quick, else judged by smaller parameters.

A chain of at most `LIMITS.counted` states is counted. For a larger one the same game is counted with smaller values of
one parameter (fewer players, a smaller target), and the growth is continued: as a power of the parameter or
exponentially, whichever fits three counts better. Such an estimate is no bound. For the included games it is within a
factor of `OFF` of the real number (`tests/solver/test_cost.py`), unless a smaller game is another one: a strategy that
banks above 50 never does so where the target is 40.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import exp, inf, log
from operator import itemgetter

from dicelab.errors import DicelabError, TooLarge
from dicelab.limits import LIMITS
from dicelab.rules.game import seat_count
from dicelab.rules.params import Choice, Switch
from dicelab.runtime.lineup import Run
from dicelab.runtime.states.codec import Slots
from dicelab.runtime.timing import Stopwatch, expected, share_done, stage, watched_by
from dicelab.solver.enumeration.graph import Progress, Share, graph_of
from dicelab.solver.enumeration.model import (
    DoesNotFit,
    Graph,
    as_size,
    as_time,
    does_not_fit,
    in_digits,
    limit_of,
    needed,
)

AFTER = 3.0
"""Seconds of work for all counts of one estimate after a sample that is unsure."""
OFF, NEAR = 3.0, 1.5
"""For the included games, estimates of the number of states are wrong by at most this factor; where three counts grow
as evenly as `EVEN`, the last of them at least `NUMEROUS`, by at most the second one."""
EVEN, NUMEROUS = 0.02, 10_000
"""Difference of the growths between counts, as a share; and a number of states."""
EXACT, BEST = 1e-6, 0.5e-6
"""Seconds for each edge of an exact answer and of optimal play, roughly: from 0.2 to 2.5 microseconds on one machine.
"""
UNSURE = 100.0
"""If one extrapolation is more than so many times the other, the smaller one is given, as a lower estimate."""
REACH = 5
"""Counts are extrapolated to at most this multiple of the largest value of the parameter that was counted; beyond it,
the smaller extrapolation up to there, and from there with half the exponent, is a lower estimate."""
LONG = 5.0
"""Seconds after which an enumeration that goes on is compared with an estimate."""


@dataclass(frozen=True)
class ChainSize:
    """What is known of the size of a chain.

    Attributes
    ----------
    states, edges
        Their numbers: exact if `how` is ``counted``, estimated if it is ``judged``; if it is ``more``, there are more.
    how
        How they are known.
    by
        The parameter by which they are judged, and its values: ``players = 3, 4, 5``; or how many a sample found, and
        how many it allows; else empty.
    memory
        Bytes for finding and solving the chain.
    smaller
        For a limit in bytes, the largest value of the parameter with which the chain is expected to fit, in words;
        empty if none is known.
    seconds
        Time that it takes, if that is known by something else than the edges.
    unsure
        Whether what a sample found and what it allows are far apart.
    off
        The factor by which an estimate may be wrong.
    """

    states: float
    edges: float
    how: str
    by: str
    memory: float
    smaller: Callable[[int], str] = lambda limit: ""
    seconds: float | None = None
    unsure: bool = False
    off: float = OFF

    def __str__(self) -> str:
        by = f"judging by {self.by}, " if self.by else ""
        about = {"counted": "", "judged": "about ", "more": "more than "}[self.how]
        takes = f"takes {about or 'about '}{as_size(self.memory)}"
        between = f" ({in_digits(self.least)} to {in_digits(self.largest)})" if self.how == "judged" else ""
        return f"{by}it has {about}{in_digits(self.states)} states{between} and {takes}"

    @property
    def least(self) -> float:
        """The smallest number of states that an estimate leaves possible."""
        return self.states if self.how == "more" else self.states / self.off

    @property
    def largest(self) -> float:
        """The largest one; infinite if there may be any number of them."""
        return inf if self.how == "more" else self.states * self.off


class _Enough(Exception):
    """Raised to end a count."""


def size_of(
    run: Run,
    free: Collection[int] = (),
    counted: bool = True,
    turned: bool = False,
    sampled: Callable[[], ChainSize | None] = lambda: None,
    found: int = 0,
) -> ChainSize:
    """Return the size of a chain; the parameters are those of `dicelab.solver.enumeration.graph.graph_of`.

    Where so many states were `found` by an enumeration that goes on, it isn't counted a second time, but judged.
    What `sampled` returns is taken instead where there are too many states to count. If it is unsure, the states are
    judged as well, and the sample is taken where they aren't known to be fewer: a part of them is more than all.

    Raises
    ------
    PlayError
        When a rule fails in a state that was counted.
    """
    slots, watch = Slots.of(run.game, run.calls), Stopwatch()

    def memory(states: float, edges: float) -> float:
        return needed(slots.words, states, edges, turned and not free)

    def size(states: float, edges: float, how: str, by: str = "") -> ChainSize:
        return ChainSize(states, edges, how, by, memory(states, edges))

    find = partial(graph_of, counted=counted, turned=turned)
    states, edges = (found, None) if found else _count(find, run, free)
    if edges is not None:
        return replace(size(states, edges, "counted"), off=1.0)
    sample = sampled()
    if sample is not None and not sample.unsure:
        return sample
    best, least, last = size(states, 4 * states, "more"), inf, max(LIMITS.estimating, watch.worked + AFTER)
    for name in _smaller(run):
        points = _points(find, run, free, name, lambda: watch.worked > last)
        if len(points) < 3:
            continue
        judged, how = _judged(run, free, name, points, slots)
        values, all_states, all_edges = zip(*points, strict=True)
        far = judged / all_states[-1]
        if judged >= states and far < least:  # less than was found already: the parameter is not what makes it large
            least, by = far, f"{name} = {', '.join(map(str, values))}"
            guess = size(judged, far * all_edges[-1], how, by)
            off = (
                NEAR
                if all_states[-1] >= NUMEROUS and min(misfit for misfit, *_ in _growths(values, all_states)) < EVEN
                else OFF
            )
            smaller = partial(_smaller_that_fits, name, points, run.game.parameters[name], memory)
            best = replace(guess, off=off, smaller=smaller)
    return sample if sample is not None and (best.how != "judged" or best.states > sample.states) else best


def _judged(
    run: Run, free: Collection[int], name: str, points: Sequence[tuple[int, int, int]], slots: Slots
) -> tuple[float, str]:
    """Return how many states a chain has, continued from those with smaller values of a parameter, and how sure it is.

    The number is negative where they grow by factors too different for the distance.
    """
    values, states, _ = zip(*points, strict=True)
    wanted, reached = run.game.parameters[name], REACH * values[-1]
    if wanted > reached and not _steady(states):
        return -1.0, ""
    judged, other = (min(n, slots.positions) for n in continued(values, states, min(wanted, reached)))
    if _as_long(run, free, name, values[-1], slots):  # no number more in a state: its growth is no exponential one
        judged, other = min(judged, other), max(judged, other)
    how = "more" if judged > UNSURE * other or wanted > reached else "judged"
    judged = min(judged, other) if how == "more" else judged
    if wanted > reached:  # at least half as fast a growth: as a power of the parameter
        judged = min(slots.positions, judged * (wanted / reached) ** (_growths(values, states)[1][1] / 2))
    return judged, how


def _as_long(run: Run, free: Collection[int], name: str, value: int, slots: Slots) -> bool:
    """Return whether a state has as many numbers with another value of a parameter."""
    smaller = _with(run, free, name, value)
    return smaller is not None and Slots.of(smaller[0].game, smaller[0].calls).names == slots.names


def _steady(counts: Sequence[int]) -> bool:
    """Return whether three counts grow, and by similar factors.

    >>> _steady([1353, 11613, 100929]), _steady([252, 9000, 9100])
    (True, False)
    """
    early, late = log(counts[1] / counts[0]), log(counts[2] / counts[1])
    return early > 0 and 0.5 < late / early < 2


def _smaller_that_fits(
    name: str, points: Sequence[tuple[int, int, int]], wanted: int, memory: Callable[[float, float], float], limit: int
) -> str:
    """Return, in words, the largest value of a parameter below `wanted` with which a chain is expected to fit; empty if
    none is.
    """
    values, states, edges = zip(*points, strict=True)
    if not _steady(states):
        return ""

    def size(value: int) -> tuple[float, float]:
        many = states[-1] if value == values[-1] else max(continued(values, states, value))
        return many, memory(many, many / states[-1] * edges[-1])

    fitting = values[-1] - 1
    while fitting + 1 < min(wanted, REACH * values[-1]) and size(fitting + 1)[1] <= limit:
        fitting += 1
    if fitting < values[-1]:
        return ""
    many, takes = size(fitting)
    return f"with {name} {fitting} it has about {in_digits(many)} states and takes about {as_size(takes)}"


def continued(values: Sequence[int], counts: Sequence[int], at: int) -> tuple[float, float]:
    """Three counts, at rising values of a parameter, continued to a larger value: as a power and exponentially.

    The one that fits the three counts better comes first.

    >>> [round(n) for n in continued([10, 20, 30], [100, 400, 900], 50)]
    [2500, 4556]
    >>> [round(n) for n in continued([1, 2, 3], [2, 4, 8], 5)]
    [32, 19]
    """
    found = sorted(_growths(values, counts), key=itemgetter(0))
    first, second = (log(counts[2]) + late * (scale(at) - scale(values[2])) for _, late, scale in found)
    return exp(min(700.0, first)), exp(min(700.0, second))


def _growths(values: Sequence[int], counts: Sequence[int]) -> list[tuple[float, float, Callable[[float], float]]]:
    """Return, for exponential growth and that of a power, how far the growth between the first two counts is from that
    between the last two, as a share; the latter; and the scale on which it is a line.
    """
    found: list[tuple[float, float, Callable[[float], float]]] = []
    scales: tuple[Callable[[float], float], ...] = float, log
    y = [log(count) for count in counts]
    for scale in scales:
        x = [scale(v) for v in values]
        early, late = (y[1] - y[0]) / (x[1] - x[0]), (y[2] - y[1]) / (x[2] - x[1])
        found.append((abs(late - early) / max(abs(late), 1e-9), late, scale))
    return found


def _count(find: Callable[..., Graph], run: Run, free: Collection[int]) -> tuple[int, int | None]:
    """Return the states and edges of a chain; at least so many states, and no edges, where there
    are too many to count.
    """
    most, watch = 0, Stopwatch()

    def look(found: int, expanded: int) -> None:
        nonlocal most
        most = found
        if found > LIMITS.counted or watch.worked > LIMITS.counting:
            raise _Enough

    try:
        graph = find(run, free, None, look)
    except (_Enough, TooLarge):
        return most, None
    return graph.states, graph.edges


def _smaller(run: Run) -> list[str]:
    """Return the parameters of a game that can be smaller; none where a strategy is a policy, which fits one game
    alone. A parameter like the boxes of Yahtzee, a bit for each, is a set and no size.
    """
    if any(call.strategy.moves is not None for call in run.calls):
        return []
    params = run.game.declared.params.values()
    sizes = [p for p in params if not isinstance(p, Switch | Choice) and not _all_bits(p.low, p.high, p.default)]
    return [p.name for p in sizes if run.game.parameters[p.name] - max(1, p.low) > 3]


def _all_bits(low: int, high: int, default: int) -> bool:
    """Return whether a parameter may be a set of four things or more, one a bit, and is the set of all if not given.

    >>> _all_bits(1, 8191, 8191), _all_bits(0, 100, 100), _all_bits(1, 8191, 31)
    (True, False, False)
    """
    return default == high and low <= 1 and high >= 15 and high & (high + 1) == 0


def _points(
    find: Callable[..., Graph], run: Run, free: Collection[int], name: str, late: Callable[[], bool]
) -> list[tuple[int, int, int]]:
    """Three values of a parameter, as large as can be counted, with the numbers of states and edges; or fewer."""
    most, known = run.game.parameters[name], dict[int, tuple[int, int]]()

    def count(value: int) -> bool:
        if value not in known and not late() and (smaller := _with(run, free, name, value)):
            states, edges = _count(find, *smaller)
            if edges is not None and states > 0:
                known[value] = states, edges
        return value in known

    value = max(1, run.game.declared.params[name].low)
    while value < most and count(value):
        value += max(1, value // 3)
    if not known:
        return []
    last, far = max(known), sorted(known)[-3:]
    by = max(1, last // 6)
    near = [v for v in (last - 2 * by, last - by, last) if v > 0 and count(v)]
    return [(v, *known[v]) for v in (near if len(near) == 3 else far)]


def _with(run: Run, free: Collection[int], name: str, value: int) -> tuple[Run, Collection[int]] | None:
    """Return the run and its decision seats with another value of a parameter; None where that is not possible."""
    try:
        game = type(run.game)(**{**run.game.parameters, name: value})
        before, after = seat_count(run.game), seat_count(game)
    except DicelabError:
        return None
    if before == after:
        return Run(game, run.calls), free
    if len(set(run.calls)) > 1 or (free and len(free) < before):
        return None
    return Run(game, run.calls[:1] * after), range(after) if free else ()


def graph_ahead(
    run: Run,
    free: Collection[int] = (),
    memory: int | None = None,
    progress: Progress = lambda found, expanded: None,
    share: Share = lambda done: None,
    counted: bool = True,
    turned: bool = False,
    roots: Sequence[tuple[int, ...]] = (),
) -> Graph:
    """As `dicelab.solver.enumeration.graph.graph_of`, with an estimate of the size once it takes long.

    Once there are `LIMITS.watched` states, a chain is refused that would not fit even if the estimate were `OFF` times
    too high; from then on `share` is called with the share of the expected states. An error says how much memory the
    chain would need.
    """
    limit, per_edge = limit_of(memory), BEST if free else EXACT
    size: ChainSize | None = None
    watch = Stopwatch()
    stage("finding the states")

    def look(found: int, expanded: int) -> None:
        nonlocal size
        progress(found, expanded)
        if size is None and (found > LIMITS.watched or watch.seconds > LONG):
            stage("estimating how many states there are")
            with watched_by(None):
                size = size_of(run, free, counted, turned, found=found)
            if size.memory / size.off > limit:
                raise does_not_fit(run, limit, found, expanded)
            seconds = size.edges * per_edge
            if size.states > found and (size.how == "more" or seconds > LIMITS.announced_seconds):
                time = "" if size.how == "more" else f" and roughly {as_time(float(f'{seconds:.1g}'))}"
                expected(f"{run.game.name}: {size} of the {as_size(limit)} that may be used{time}")
        if size is not None and size.how != "more" and size.states > found:
            share(expanded / size.states)
            share_done(expanded / size.states)

    try:
        return graph_of(run, free, memory, look, counted=counted, turned=turned, roots=roots)
    except DoesNotFit as error:
        size = size or size_of(run, free, counted, turned)
        estimate = str(size) if size.memory > limit else ""  # a smaller one says less than what was found
        raise DoesNotFit("; ".join(filter(None, (str(error), estimate, size.smaller(limit))))) from error
