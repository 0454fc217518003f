"""Enumerates every state of a game: in plain Python where that is quick, else compiled.

Memory is checked on the way. A chain that will not fit is refused, with what is known of its size; an estimate of the
size can be had beforehand (`size_of`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import exp, inf, log

import numpy as np

from dicelab.compile.kernels import cache
from dicelab.compile.kernels.writers import enumerate as expand
from dicelab.errors import DicelabError, PlayError, RulesError, TooLarge, slow
from dicelab.rules.game import seat_count
from dicelab.rules.params import Choice, Switch
from dicelab.runtime.interrupts import Stopped, held_interrupts
from dicelab.runtime.lineup import Run, distinct
from dicelab.runtime.states.codec import Slots
from dicelab.runtime.states.symmetry import SAMPLE, Alike, Rotation, check_symmetry, check_symmetry_at
from dicelab.runtime.timing import Stopwatch
from dicelab.solver.enumeration.enumerate_python import Walk
from dicelab.solver.enumeration.expansion import Expansion, Unexpanded
from dicelab.solver.enumeration.mixing import mixing_seats, with_draws, without_mixing
from dicelab.solver.enumeration.model import (
    DoesNotFit,
    Graph,
    as_size,
    does_not_fit,
    in_digits,
    limit_of,
    must_fit,
    needed,
)
from dicelab.translation.translator import NotTranslatable, ReadsTally

# All states, in plain Python or compiled ------------------------------------------------------------------------------


BRANCHES = 15_000
"""Outcomes and moves that plain Python follows, which takes about half a second, before the compiled enumeration takes
over. If this process has used that already, it begins at once."""

Progress = Callable[[int, int], None]
"""Called with the numbers of states found and expanded so far."""


def graph_of(
    run: Run,
    free: Collection[int] = (),
    memory: int | None = None,
    progress: Progress = lambda found, expanded: None,
    engine: str = "auto",
    counted: bool = True,
    turned: bool = False,
    roots: Sequence[tuple[int, ...]] = (),
) -> Graph:
    """Return the graph of a game with its strategies.

    Parameters
    ----------
    run
        The game and its strategies.
    free
        Decision seats: their choices are states, with an edge for each move.
    memory
        Limit in bytes for the graph and its solution; half of the machine's memory when None.
    progress
        Called with the numbers of states found and expanded so far; at the end both are that of all states.
    engine
        ``reference`` runs the rules in plain Python, ``compiled`` compiled, ``auto`` whichever is quicker.
    counted
        Whether edges hold the changes of the tallies. Without them there are fewer edges.
    turned
        See states from the seat whose turn it is, if the game declares that all seats are alike. Strategies are not
        allowed then: those of different seats may differ.
    roots
        States to begin with as well, in which dice are rolled: numbered after the start in this order, each once.

    Raises
    ------
    TooLarge
        When it does not fit.
    PlayError
        When a rule fails in a state that can be reached.
    Stopped
        On Ctrl-C.
    """
    drawing = mixing_seats(run, free)
    if drawing:
        seats = {*free, *drawing}
        whole = graph_of(without_mixing(run, drawing), seats, memory, progress, engine, counted, False, roots)
        return with_draws(whole, run, drawing)
    limit, turned = limit_of(memory), turned and Rotation.of(run.game) is not None and mergeable(run, counted)
    with held_interrupts() as stopped:
        try:
            found = _found(run, free, limit, stopping(progress, stopped), engine, counted, turned, roots)
        except PlayError:
            if turned:
                check_symmetry(run)  # raises a clearer error if the declaration about the seats is wrong
            raise
    if turned:
        symmetry_tested(run, counted, partial(_sample, found))
    progress(found.states, found.states)
    return found


def mergeable(run: Run, counted: bool) -> bool:
    """Return whether states are merged with their rotations, by rules that declare all seats alike; of the same rules
    it is found once: see `check_symmetry`.
    """
    tested = _rules(run, counted)
    if tested not in _mergeable:
        _mergeable[tested] = not run.game.declared.decisions or check_symmetry(run) >= Alike.ROLLS
    return _mergeable[tested]


def symmetry_tested(run: Run, counted: bool, states: Callable[[], Iterable[Sequence[int]]]) -> None:
    """Test the declaration that all seats are alike in some states, once for the same rules."""
    tested = _rules(run, counted)
    if tested not in _tested_symmetric:
        check_symmetry_at(run, states())
        _tested_symmetric.add(tested)


def at_once(run: Run, most: int, progress: Progress = lambda found, expanded: None) -> Graph | None:
    """Return the graph of a game with its strategies, found in plain Python; None if it has more than `most` states, or
    a strategy draws its moves.

    Raises
    ------
    PlayError
        When a rule fails in a state that can be reached.
    Stopped
        On Ctrl-C.
    """
    if mixing_seats(run):
        return None
    with held_interrupts() as stopped:
        look = stopping(progress, stopped)

        def go_on(found: int, expanded: int) -> bool:
            look(found, expanded)
            return found <= most

        return Walk(run).graph(go_on)


_mergeable: dict[tuple[object, ...], bool] = {}
_tested_symmetric: set[tuple[object, ...]] = set()
"""Rules whose declaration that all seats are alike has been tested."""


def _rules(run: Run, counted: bool) -> tuple[object, ...]:
    """Return a key for the rules of a game whose states are rotated; loading its file again does not change it."""
    try:
        rules: object = expand.written(type(run.game), distinct(call.strategy for call in run.calls), counted, True)[0]
    except NotTranslatable:
        rules = type(run.game)
    return rules, *run.game.parameters.values()


def _sample(graph: Graph) -> Iterator[tuple[int, ...]]:
    """Yield a sample of the states: of those in which the game may end, and of the others."""
    ends = np.zeros(graph.states, np.bool_)
    last = np.flatnonzero(graph.target < 0)
    ends[np.searchsorted(graph.row, last, side="right") - 1] = True
    for group in (np.flatnonzero(ends), np.flatnonzero(~ends)):
        for state in group[:: max(1, len(group) // SAMPLE)].tolist():
            yield graph.slots.unpack(graph.keys[state].tolist())


def _found(
    run: Run,
    free: Collection[int],
    limit: int,
    look: Progress,
    engine: str,
    counted: bool,
    turned: bool,
    roots: Sequence[tuple[int, ...]],
) -> Graph:
    """Return the graph, in plain Python up to `_most_branches`, then from the start by compiled code."""
    if engine != "compiled":
        most = _most_branches(run, counted, turned)
        walk = Walk(run, free, turned, roots)

        def go_on(found: int, expanded: int) -> bool:
            look(found, expanded)
            must_fit(run, limit, found, expanded, 2000 * found)
            return engine == "reference" or walk.followed < most

        graph = walk.graph(go_on)
        if graph is not None:
            return graph
    try:
        return Expansion(run, free, counted, turned, roots).graph(limit, look)
    except (NotTranslatable, Unexpanded) as error:
        if engine == "compiled":
            raise
        slow(f"states are found in plain Python, slowly: {error}")
        return _found(run, free, limit, look, "reference", counted, turned, roots)


def _most_branches(run: Run, counted: bool, turned: bool) -> float:
    """Return the number of branches after which compiled code takes over; infinite where the rules
    can't be compiled.
    """
    try:
        text, _ = expand.written(type(run.game), distinct(call.strategy for call in run.calls), counted, turned)
    except ReadsTally as error:
        raise RulesError(str(error)) from error
    except NotTranslatable:
        return inf
    return 0 if cache.loaded(text) else BRANCHES


def stopping(progress: Progress, stopped: Callable[[], bool]) -> Progress:
    """Return a `progress` that raises `Stopped` after Ctrl-C."""

    def look(found: int, expanded: int) -> None:
        progress(found, expanded)
        if stopped():
            raise Stopped

    return look


# Estimate -------------------------------------------------------------------------------------------------------------
#
# How large a chain is, before it is enumerated: counted where that is quick, else judged by smaller parameters.
#
# A chain of at most `COUNTED` states is counted. For a larger one the same game is counted with smaller values of one
# parameter (fewer players, a smaller target), and the growth is continued: as a power of the parameter or
# exponentially, whichever fits three counts better. Such an estimate is no bound. For the included games it is within a
# factor of `OFF` of the real number (`tests/unit/test_cost.py`), unless a smaller game is another one: a strategy that
# banks above 50 never does so where the target is 40.

COUNTED, COUNTING = 1_000_000, 2.0
"""Limits of a count: states, and seconds."""
SECONDS, AFTER = 8.0, 3.0
"""Limit of the seconds for all counts of one estimate; and of those after a sample that is unsure."""
OFF = 3.0
"""For the included games, estimates of the number of states are wrong by at most this factor."""
UNSURE = 100.0
"""If one extrapolation is more than so many times the other, the smaller one is given, as a lower estimate."""
REACH = 5
"""Counts are extrapolated to at most this multiple of the largest value of the parameter that was counted; beyond it,
the smaller extrapolation up to there is a lower estimate."""
WATCHED, LONG = 2_000_000, 5.0
"""States, or seconds, after which an enumeration that goes on is compared with an estimate."""

Share = Callable[[float], None]
"""Called with the share that is done of the present part of the work, once it is known: at first of the states that
are expected, then of the solution."""


@dataclass(frozen=True)
class Size:
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
    """

    states: float
    edges: float
    how: str
    by: str
    memory: float
    smaller: Callable[[int], str] = lambda limit: ""
    seconds: float | None = None
    unsure: bool = False

    def __str__(self) -> str:
        by = f"judging by {self.by}, " if self.by else ""
        about = {"counted": "", "judged": "about ", "more": "more than "}[self.how]
        return f"{by}it has {about}{in_digits(self.states)} states and takes {about or 'about '}{as_size(self.memory)}"


class _Enough(Exception):
    """Raised to end a count."""


def size_of(
    run: Run,
    free: Collection[int] = (),
    counted: bool = True,
    turned: bool = False,
    sampled: Callable[[], Size | None] = lambda: None,
) -> Size:
    """Return the size of a chain; the parameters are those of `dicelab.solver.enumeration.enumerate.graph_of`.

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

    def size(states: float, edges: float, how: str, by: str = "") -> Size:
        return Size(states, edges, how, by, memory(states, edges))

    find = partial(graph_of, counted=counted, turned=turned)
    states, edges = _count(find, run, free)
    if edges is not None:
        return size(states, edges, "counted")
    sample = sampled()
    if sample is not None and not sample.unsure:
        return sample
    best, least, last = size(states, 4 * states, "more"), inf, max(SECONDS, watch.seconds + AFTER)
    for name in _smaller(run):
        points = _points(find, run, free, name, lambda: watch.seconds > last)
        if len(points) < 3:
            continue
        values, all_states, all_edges = zip(*points, strict=True)
        wanted, reached = run.game.parameters[name], REACH * values[-1]
        if wanted > reached and not _steady(all_states):
            continue
        judged, other = (min(n, slots.positions) for n in continued(values, all_states, min(wanted, reached)))
        if _as_long(run, free, name, values[-1], slots):  # no number more in a state: its growth is no exponential one
            judged, other = min(judged, other), max(judged, other)
        how = "more" if judged > UNSURE * other or wanted > reached else "judged"
        judged = min(judged, other) if how == "more" else judged
        far = judged / all_states[-1]
        if judged >= states and far < least:  # less than was found already: the parameter is not what makes it large
            least, by = far, f"{name} = {', '.join(map(str, values))}"
            found = size(judged, far * all_edges[-1], how, by)
            best = replace(found, smaller=partial(_smaller_that_fits, name, points, wanted, memory))
    return sample if sample is not None and (best.how != "judged" or best.states > sample.states) else best


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
    found = []
    y = [log(count) for count in counts]
    for scale in (float, log):
        x = [scale(v) for v in values]
        early, late = (y[1] - y[0]) / (x[1] - x[0]), (y[2] - y[1]) / (x[2] - x[1])
        found.append((abs(late - early) / max(abs(late), 1e-9), y[2] + late * (scale(at) - x[2])))
    first, second = sorted(found)
    return exp(min(700.0, first[1])), exp(min(700.0, second[1]))


def _count(find: Callable[..., Graph], run: Run, free: Collection[int]) -> tuple[int, int | None]:
    """Return the states and edges of a chain; at least so many states, and no edges, where there
    are too many to count.
    """
    most, watch = 0, Stopwatch()

    def look(found: int, expanded: int) -> None:
        nonlocal most
        most = found
        if found > COUNTED or watch.seconds > COUNTING:
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
    last = max(known)
    by = max(1, last // 6)
    return [(v, *known[v]) for v in (last - 2 * by, last - by, last) if v > 0 and count(v)]


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
    free: Collection[int],
    memory: int | None,
    progress: Progress,
    share: Share = lambda done: None,
    counted: bool = True,
    turned: bool = False,
    roots: Sequence[tuple[int, ...]] = (),
) -> Graph:
    """As `dicelab.solver.enumeration.enumerate.graph_of`, with an estimate of the size once it takes long.

    Once there are `WATCHED` states, a chain is refused that would not fit even if the estimate were `OFF` times too
    high; from then on `share` is called with the share of the expected states. An error says how much memory the chain
    would need.

    Raises
    ------
    TooLarge, PlayError, Stopped
    """
    limit = limit_of(memory)
    size: Size | None = None
    watch = Stopwatch()

    def look(found: int, expanded: int) -> None:
        nonlocal size
        progress(found, expanded)
        if size is None and (found > WATCHED or watch.seconds > LONG):
            size = size_of(run, free, counted, turned)
            if size.memory / OFF > limit:
                raise does_not_fit(run, limit, found, expanded)
        if size is not None and size.how != "more" and size.states > found:
            share(expanded / size.states)

    try:
        return graph_of(run, free, memory, look, counted=counted, turned=turned, roots=roots)
    except DoesNotFit as error:
        size = size or size_of(run, free, counted, turned)
        estimate = str(size) if size.memory > limit else ""  # a smaller one says less than what was found
        raise DoesNotFit("; ".join(filter(None, (str(error), estimate, size.smaller(limit))))) from error
