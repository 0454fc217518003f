"""Solves a game turn by turn: the value of the first state under optimal play, with a bound on its error."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from math import inf
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from dicelab.compile.kernels.core import kept
from dicelab.errors import NotSmall
from dicelab.limits import LIMITS
from dicelab.rules.game import seat_count
from dicelab.runtime.lineup import Run, usable_threads
from dicelab.runtime.states.symmetry import SAMPLE, Rotation
from dicelab.runtime.timing import Stopwatch, counting, expected, share_done, stage
from dicelab.solver.enumeration.enumerate_python import Walk
from dicelab.solver.enumeration.graph import mergeable, symmetry_tested
from dicelab.solver.enumeration.model import as_size, as_time, in_digits
from dicelab.solver.solution.distribution import Spread
from dicelab.solver.turns.branches import Follower
from dicelab.solver.turns.distribution import distribution_of
from dicelab.solver.turns.parts import StateParts, outer_fields
from dicelab.solver.turns.program import BeginningSearch, NewInside, program_of
from dicelab.solver.turns.sampling import TurnSample, cost, first_look, sample
from dicelab.solver.turns.structure import Failed, Index, Structure
from dicelab.solver.turns.values import Solver, bytes_together
from dicelab.solver.value import Distribution
from dicelab.solver.value_iteration import NOWHERE, Layers

MOST_NODES = 400_000
"""Limit of the states within turns; with more, another split of the fields is tried."""
BYTES = 400
"""Memory for a beginning of a turn and what follows it, roughly."""
MERGED = 4
"""So many states within turns are one to evaluate, roughly: 6 in Farkle, 1 in Yahtzee."""
OFF = 3.0
"""Such estimates are wrong by at most this factor, for the games of `tests/solver/test_estimates.py`."""


Costs = dict[tuple[str, ...], float]
"""What solving costs with a split of the fields, by its outer fields."""


class TooManyTurns(NotSmall):
    """The beginnings of turns don't fit into memory, however the fields are split.

    Attributes
    ----------
    states
        About so many states the game has in all; 0 if that is not known.
    """

    def __init__(self, message: str, states: float = 0.0) -> None:
        super().__init__(message)
        self.states = states


@dataclass(frozen=True)
class TurnByTurn:
    """The value of a game.

    Attributes
    ----------
    value, error
        Value of the first state, and a bound on its error; infinite if none was found.
    beginnings
        Number of states in which turns begin.
    nodes, evaluated
        Number of states within turns, but for the fields in `outer`; and how many of them differ in value.
    choices
        Number of the nodes at which a seat chooses.
    edges, leaves
        Numbers of transitions that are the same in every turn, and of others.
    outer
        The fields that belong to the beginning of a turn.

    Examples
    --------
    >>> found = TurnByTurn(0.5, 1e-12, 40_000, 167_760, 29_980, 1_000, 17_220, 3_276, ("scores",))
    >>> found.value, found.beginnings
    (0.5, 40000)
    """

    value: float
    error: float
    beginnings: int
    nodes: int
    evaluated: int
    choices: int
    edges: int
    leaves: int
    outer: tuple[str, ...]


class Aims(NamedTuple):
    """What is optimised.

    Attributes
    ----------
    prize
        The value of each outcome.
    sides
        For each seat 1 if it maximises the value, -1 if it minimises it.
    tally
        A tally that adds to the value; None for none.
    rotated
        See states from the seat to move; the game must have two seats that are alike.
    """

    prize: Sequence[float]
    sides: Sequence[int]
    tally: str | None
    rotated: bool


class SolvedDetails(NamedTuple):
    """What is found besides the value.

    Attributes
    ----------
    outer, keys, value
        The values of all beginnings of turns, sorted by their packed states (`StateParts` with these outer fields).
    counted
        Standard deviation and distribution of the tally that is optimised, by the moves found; None if there is no
        tally, or no distribution (`dicelab.solver.turns.distribution`).
    uncounted
        Why there is no distribution.
    """

    outer: tuple[str, ...]
    keys: NDArray[np.uint64]
    value: NDArray[np.float64]
    counted: Distribution | None = None
    uncounted: str = ""


def turn_by_turn(
    run: Run,
    aims: Aims,
    memory: int,
    look: Callable[[int, int], None] = lambda found, done: None,
    layers: Layers = NOWHERE,
    costs: Costs | None = None,
) -> tuple[TurnByTurn, SolvedDetails]:
    """Solve a game in which all seats play optimally.

    Parameters
    ----------
    run, aims
        The game, and what is optimised.
    memory
        Limit in bytes.
    look
        Called with the numbers of beginnings found and done.
    layers
        Where values are kept, for a solution that continues an interrupted one.
    costs
        Those of the splits of the fields, if `surveyed` compared them before.

    Raises
    ------
    NotSmall
        When the game can't be solved in this way; the message says why, without naming the game.
    PlayError
        When a rule fails in a state that can be reached.
    """
    tally = aims.tally
    stage("finding what turns have in common")
    rotation, follower, walk, start = prepared(run, aims)
    counted = walk.changes.things[walk.start[1]]
    gain = float(counted[list(run.game.declared.tallies).index(tally)]) if tally else 0.0
    with ThreadPoolExecutor(usable_threads(None)) as pool:
        try:
            if rotation is not None and not mergeable(run, True):
                raise NotSmall("its seats are alike from choice to choice, and not in each roll")
            most = memory // BYTES
            costs = {} if costs is None else costs
            ahead = _looking_ahead(run, aims, memory, look, costs)
            turns = first_split(
                run, follower, rotation, start, pool, lambda search: search.run(pool, ahead, most), costs
            )
            if turns is None:
                raise NotSmall(f"it has more than {most:,} beginnings of turns")
            if rotation is not None:
                some = turns.index.rows[:: max(1, turns.count // SAMPLE)]
                symmetry_tested(run, True, lambda: turns.structure.parts.unpack(some).tolist())
        except Failed as error:
            walk.expand(tuple(error.numbers))  # raises an error that says what is wrong
            raise NotSmall("compiled rules fail where the rules in Python don't") from error
        program = program_of(turns, np.array(aims.sides))
        solver = Solver(turns, program, np.array(aims.prize, np.float64), memory)
        solver.run(pool, _solving(look), layers)
        spread = distribution_of(solver, pool, look, memory) if tally and len(aims.sides) == 1 else ""
    value, error_bound = float(solver.value[0]), float(solver.error[0])
    if rotation is not None and counted[-1] % 2:
        value = 1.0 - value
    shot, keys = turns.snapshot, turns.index.rows
    order = np.lexsort(keys.T[::-1])
    value += gain
    error_bound += 2.0**-52 * (abs(gain) + abs(value))
    tallied, why = (None, spread) if isinstance(spread, str) else (_counted(value, error_bound, spread, int(gain)), "")
    names = turns.structure.parts.names
    kept = SolvedDetails(names, keys[order], solver.value[order], tallied, why)
    found = TurnByTurn(
        value,
        error_bound,
        turns.count,
        len(shot.steps),
        len(program.arrays.side),
        int((shot.steps < 0).sum()),
        len(shot.target),
        len(shot.pairs),
        names,
    )
    return found, kept


def _counted(mean: float, error: float, found: tuple[Spread, float], first: int) -> Distribution:
    """Return the tally whose mean is known, by its distribution, to which `first` is added."""
    spread, wrong = found
    spread = Spread(spread.values + first, spread.joint, spread.left, spread.error)
    _, sd = spread.moments()
    return Distribution(mean, sd, None, error + wrong * sd, spread)


def _looking_ahead(
    run: Run, aims: Aims, memory: int, look: Callable[[int, int], None], costs: Costs
) -> Callable[[int, int], None]:
    """Return `look` with a sample of the beginnings once the search takes long: too many are refused then."""
    watch, estimated = Stopwatch(), False

    def looked(found: int, done: int) -> None:
        nonlocal estimated
        look(found, done)
        counting("{} beginnings of turns found, {} of them followed", found, done, seconds=watch.seconds)
        if not estimated and watch.worked > LIMITS.unsampled_seconds:
            estimated = True
            stage("estimating how many turns can begin")
            sample = sampled(run, aims, LIMITS.sampling_seconds, costs)
            takes = bytes_for(sample)
            if takes / OFF > memory:
                together = f", {in_digits(sample.together)} of which lead to each other" if sample.together else ""
                raise TooManyTurns(
                    f"it has about {in_digits(sample.about)} beginnings of turns{together}, judging by a sample, which "
                    f"take {as_size(takes)}",
                    0.0 if sample.unsure else sample.about * sample.nodes,
                )
            expected(
                f"{run.game.name}: solved turn by turn: judging by a sample, about {in_digits(sample.about)} turns can "
                f"begin ({in_digits(max(sample.found, sample.about / OFF))} to "
                f"{in_digits(min(sample.most, OFF * sample.about))}), which takes about {as_size(takes)} of the "
                f"{as_size(memory)} that may be used and roughly {as_time(float(f'{sample.seconds:.1g}'))}"
            )

    return looked


def _solving(look: Callable[[int, int], None]) -> Callable[[int, int], None]:
    """Return `look`, which then says how many beginnings of turns are solved."""
    watch = Stopwatch()

    def looked(found: int, done: int) -> None:
        look(found, done)
        counting("turns solved: {} of {}", done, found, seconds=watch.seconds)
        share_done(done / max(1, found))

    return looked


def surveyed(run: Run, aims: Aims, costs: Costs) -> float:
    """Return the smallest number of states that a quick look at the turns of a game leaves possible; 0 if it can't be
    solved turn by turn. `costs` receives those of the splits of the fields that were compared.

    Raises
    ------
    PlayError
        When a rule fails in a state that was reached.
    """
    try:
        found = _looked_at(run, aims, costs, first_look)
    except NotSmall:
        return 0.0
    return max(found.found, found.about / OFF) * found.nodes


def bytes_for(found: TurnSample) -> float:
    """Return the memory that solving takes, in bytes, judging by a sample."""
    return BYTES * found.about + bytes_together(found.together, found.nodes / MERGED, found.leaves)


def sampled(run: Run, aims: Aims, seconds: float, costs: Costs | None = None) -> TurnSample:
    """Return how many beginnings of turns a game has, from a sample of them that takes about so many seconds; `costs`
    has those of the splits of its fields, if they were compared before.

    Raises
    ------
    NotSmall
        When the game can't be solved in this way.
    PlayError
        When a rule fails in a state that was reached.
    """
    costs = {} if costs is None else costs
    return _looked_at(run, aims, costs, lambda search, pool: sample(search, pool, seconds))


def _looked_at(
    run: Run, aims: Aims, costs: Costs, find: Callable[[BeginningSearch, Executor], TurnSample]
) -> TurnSample:
    """Return what is found of the beginnings of turns, for the first split of the fields that serves."""
    rotation, follower, walk, start = prepared(run, aims)
    with ThreadPoolExecutor(usable_threads(None)) as pool:
        try:
            return first_split(run, follower, rotation, start, pool, lambda search: find(search, pool), costs)
        except Failed as error:
            walk.expand(tuple(error.numbers))  # raises an error that says what is wrong
            raise NotSmall("compiled rules fail where the rules in Python don't") from error


def prepared(run: Run, aims: Aims) -> tuple[Rotation | None, Follower, Walk, list[int]]:
    """Return the rotation, the compiled rules, the rules in Python, and the numbers of the first state."""
    rotation = Rotation.of(run.game) if aims.rotated else None
    follower = Follower(run.game, aims.tally, rotation is not None)
    walk = Walk(run, range(len(aims.sides)), aims.rotated)
    if walk.start[0] < 0:
        raise NotSmall("it is over before the first roll")
    return rotation, follower, walk, list(walk.positions.things[walk.start[0]])


Result = TypeVar("Result")


def first_split(
    run: Run,
    follower: Follower,
    rotation: Rotation | None,
    start: list[int],
    pool: Executor,
    found: Callable[[BeginningSearch], Result],
    costs: Costs,
) -> Result:
    """Return what is `found` by a search for beginnings, for the first split of the fields whose turns have few
    states.

    With one seat nothing but the fields tells where a turn ends. Then splits are compared by their cost first, up to
    one that costs more than that before; `costs` gets them, or has them from an earlier comparison.
    """
    why = "no field changes in its games"

    def search(names: Collection[str], strict: bool) -> BeginningSearch:
        structure = Structure(follower, StateParts.of(run.game, names), MOST_NODES)
        index = Index(structure.parts.words)
        index.add(structure.parts.pack(start))
        return BeginningSearch(structure, index, strict)

    def costing(names: Collection[str], strict: bool) -> float:
        return cost(search(names, strict), pool, min(costs.values(), default=inf))

    splits = list(outer_fields(run, rotation))
    if seat_count(run.game) <= 1 and not costs:
        for names in splits:
            try:
                costs[names] = _wider(costing, names)
            except NotSmall:
                continue
            if costs[names] > min(costs.values()):
                break
    for names in sorted(splits, key=lambda names: costs.get(names, inf)):
        try:
            return _wider(lambda names, strict: found(search(names, strict)), names)
        except TooManyTurns:
            raise
        except NotSmall as error:
            why = str(error)
    raise NotSmall(why)


def _wider(search: Callable[[Collection[str], bool], Result], names: Collection[str]) -> Result:
    """Return all beginnings, with more outer fields than those in `names` if turns then begin at fewer nodes."""
    try:
        return search(names, True)
    except NewInside as error:
        more = {*names, *error.names}
    try:
        return search(more, True)
    except TooManyTurns:
        raise
    except (NewInside, NotSmall):
        return search(names, False)


# Endings --------------------------------------------------------------------------------------------------------------
#
# What the states are worth in which turns end, if all seats make the best moves: from the ends backwards.


@kept
def sweep(value, first_group, weight, chooser, first_edge, target, seat_after):  # type: ignore[no-untyped-def]
    """Work out the value of every state to every seat once more, from the last on; returns the largest change.

    State n has the groups ``first_group[n] .. first_group[n + 1] - 1``, each with its weight and the seat that chooses
    among the edges ``first_edge[g] .. first_edge[g + 1] - 1``. An edge leads to state `target`, which is seen from
    `seat_after`. A state without groups is an end.
    """
    largest, seats = 0.0, value.shape[1]
    new = np.zeros(seats)
    for n in range(value.shape[0] - 1, -1, -1):
        if first_group[n] == first_group[n + 1]:
            continue
        new[:] = 0.0
        total = 0.0
        for g in range(first_group[n], first_group[n + 1]):
            total += weight[g]
            best = first_edge[g]
            for e in range(first_edge[g] + 1, first_edge[g + 1]):
                here = value[target[e], (chooser[g] - seat_after[e]) % seats]
                if here > value[target[best], (chooser[g] - seat_after[best]) % seats]:
                    best = e
            for s in range(seats):
                new[s] += weight[g] * value[target[best], (s - seat_after[best]) % seats]
        for s in range(seats):
            largest = max(largest, abs(new[s] / total - value[n, s]))
            value[n, s] = new[s] / total
    return largest
