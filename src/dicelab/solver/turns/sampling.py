"""How many beginnings of turns a game has, from a sample.

Turns are followed generation by generation: from a random choice of the beginnings that the generation before found
first, at most `BREADTH` of them, of each generation as many. What is found is a lower bound. How much is not found is
estimated from how often the others were found: if many were found only once, many are still to be found (the estimator
of Chao). It is applied to each combination of values of the fields with few values by itself, because some are found
much more often than others: a beginning after a farkle has one predecessor, one after points were banked has hundreds.

Such an estimate is too low where turns were followed from few beginnings. The product of the numbers of values of
each field is too high, as not all combinations occur, but it is found sooner. The estimate is a geometric mean of both,
in which the product counts twice.
"""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass
from math import inf, prod

import numpy as np

from dicelab.compile.kernels.vector_rows import LANES
from dicelab.runtime.arrays import Array
from dicelab.runtime.timing import Stopwatch
from dicelab.solver.solution.ordering import components
from dicelab.solver.turns.program import BeginningSearch

FIRST_BREADTH = 32
"""Beginnings of each generation that are followed in a first pass, which is completed; in each later one twice as many.
"""
FIRST_GENERATIONS = 40
"""Generations that are followed to compare fields that may be outer."""
AT_ONCE = 128
"""Beginnings between two looks at the time."""
UNSURE = 3.0
"""A sample that allows more than so many times its estimate is no good one."""
FASTER = 3.0
"""So many times as fast is a beginning solved than sampled: neighbours are followed at the same time."""
FEW = 16
"""Values up to which a field tells classes of beginnings apart."""


@dataclass(frozen=True)
class TurnSample:
    """What a sample says of the number of beginnings of turns.

    Attributes
    ----------
    found, most
        So many were found; and the product of the numbers of values that were found of each field.
    about
        The estimate; equal to `found` if these are `all`.
    nodes, leaves
        Numbers of states within turns, and of branches that are followed for each beginning.
    together
        The largest number of beginnings that lead to each other, judging by those that were followed; they are solved
        together. 0 if it is small.
    seconds
        Time that solving the game takes, roughly: as long as the sample, and for each beginning a `FASTER`-th of what
        one took in it.

    Examples
    --------
    >>> TurnSample(150_000, 1_000_000, 540_000.0, 1177, 3276, 0.0, 60.0).about
    540000.0
    """

    found: int
    most: int
    about: float
    nodes: int
    leaves: int
    together: float
    seconds: float

    @property
    def unsure(self) -> bool:
        """Whether far more beginnings than estimated would be allowed: most combinations of values don't occur."""
        return self.most > UNSURE * self.about


def sample(search: BeginningSearch, pool: Executor, seconds: float) -> TurnSample:
    """Return an estimate of the beginnings that follow those in `search`, after about so many seconds."""
    known, breadth = _Known(search, pool), FIRST_BREADTH  # finds the states of a turn, which takes its own time
    watch = Stopwatch()
    while watch.worked < seconds and not known.followed.all():
        last = seconds * (2 if breadth == FIRST_BREADTH else 1)
        known.follow_generations(breadth, watch, last)
        breadth *= 2
    return known.estimate(watch.seconds)


def cost(search: BeginningSearch, pool: Executor, least: float = inf) -> float:
    """Return what solving takes with these outer fields: the branches that are followed for all beginnings, and the
    states within turns, judging by one pass over the first generations. It is the same on every machine.

    Nothing more is followed once it is certain to be more than `least`, and what is certain is returned.
    """
    known, structure = _Known(search, pool), search.structure
    for generation in range(1, FIRST_GENERATIONS + 1):
        certain = float(search.index.count * (structure.nodes.count + structure.leaves.count))
        if certain > least:
            return certain
        known.follow_generation(generation, FIRST_BREADTH, Stopwatch(), inf)
    found = known.estimate(0.0)
    return found.about * (found.nodes + found.leaves)


def first_look(search: BeginningSearch, pool: Executor) -> TurnSample:
    """Return what one pass over the first generations says, without looking at the time."""
    known, watch = _Known(search, pool), Stopwatch()
    for generation in range(1, FIRST_GENERATIONS + 1):
        known.follow_generation(generation, FIRST_BREADTH, Stopwatch(), inf)
    return known.estimate(watch.seconds)


def followed_some(search: BeginningSearch, pool: Executor) -> BeginningSearch:
    """Return a search that has followed some turns of the first generations, for what is within a turn."""
    known = _Known(search, pool)
    for generation in range(1, FIRST_GENERATIONS + 1):
        known.follow_generation(generation, FIRST_BREADTH, Stopwatch(), inf)
    return search


class _Known:
    """For each beginning how often it was entered, in which generation it was found, and whether its turns were
    followed.
    """

    def __init__(self, search: BeginningSearch, pool: Executor) -> None:
        self.search, self.pool = search, pool
        self.times, self.generation = np.zeros(1, np.int64), np.zeros(1, np.int64)
        self.followed = np.zeros(1, np.bool_)
        self.edges: list[Array] = []
        self.dice = np.random.default_rng(0)
        self.follow(np.zeros(1, np.int64), 0)

    def follow_generations(self, breadth: int, watch: Stopwatch, last: float, most: float = inf) -> None:
        """Follow at most so many beginnings of each generation, up to the second `last`, or of `most` generations."""
        generation = 1
        while generation <= min(self.generation.max(), most) and watch.worked < last:
            self.follow_generation(generation, breadth, watch, last)
            generation += 1

    def follow_generation(self, generation: int, breadth: int, watch: Stopwatch, last: float) -> None:
        """Follow at most so many beginnings of a generation, up to the second `last`."""
        new = self.dice.permutation(np.flatnonzero((self.generation == generation) & ~self.followed))
        if len(new):
            new = _mixed(new, _classes(self.search.parts.unpack(self.search.index.rows[new])))[:breadth]
        for low in range(0, len(new), AT_ONCE):
            if watch.worked < last:
                self.follow(new[low : low + AT_ONCE], generation)

    def estimate(self, spent: float) -> TurnSample:
        """Return what the beginnings found say, if following them took so many seconds."""
        search, structure = self.search, self.search.structure
        numbers, found = search.parts.unpack(search.index.rows), search.index.count
        about, most = float(found), found
        if not self.followed.all():
            most = prod(map(_values, numbers.T))
            about = (min(most, _about(numbers, self.times)) * most**2) ** (1 / 3)
        takes = float(spent + spent / self.followed.sum() * about / FASTER)
        together = self.share_together() * about
        return TurnSample(found, most, about, structure.nodes.count, structure.leaves.count, together, takes)

    def share_together(self) -> float:
        """Return the share of the largest strongly connected component among the beginnings that were followed; 0 if
        fewer are in it than are solved side by side in any case.
        """
        place = np.cumsum(self.followed) - 1
        source, target = np.concatenate(self.edges, axis=1)
        among = self.followed[target]
        source, target = place[source[among]], place[target[among]]
        many = int(self.followed.sum())
        row = np.concatenate(([0], np.cumsum(np.bincount(source, minlength=many))))
        _, ends = components(row, target[np.argsort(source, kind="stable")].astype(np.int32))
        largest = int(np.diff(ends, prepend=0).max())
        return largest / many if largest > LANES else 0.0

    def follow(self, numbers: Array, generation: int) -> None:
        """Follow the turns of some beginnings of a generation."""
        search = self.search
        while True:
            some, chunks = search.chunks(numbers, self.pool)
            lost = [(part, missing) for part, (_, _, _, missing, _) in zip(some, chunks, strict=True) if len(missing)]
            if not lost:
                break
            search.grow(lost)
        entered = np.concatenate([search.index.add(exits) for exits, *_ in chunks])
        source = np.concatenate([part[sources] for part, (_, sources, *_) in zip(some, chunks, strict=True)])
        self.edges.append(np.stack((source, entered)))
        more = search.index.count - len(self.times)
        self.times = np.bincount(entered, minlength=search.index.count) + np.pad(self.times, (0, more))
        self.generation = np.pad(self.generation, (0, more), constant_values=generation + 1)
        self.followed = np.pad(self.followed, (0, more))
        self.followed[numbers] = True


def _classes(numbers: Array) -> Array:
    """Return the class of each beginning: beginnings with equal values of all fields that have few values."""
    few = [column for column in numbers.T if 1 < len(np.unique(column)) <= FEW]
    if not few:
        return np.zeros(len(numbers), np.int64)
    return np.unique(np.stack(few), axis=1, return_inverse=True)[1].ravel()


def _mixed(things: Array, kind: Array) -> Array:
    """Return things in an order in which their kinds alternate.

    >>> _mixed(np.array([10, 11, 12, 13]), np.array([0, 0, 0, 1])).tolist()
    [10, 13, 11, 12]
    """
    by_kind = np.argsort(kind, kind="stable")
    rank = np.empty(len(kind), np.int64)
    rank[by_kind] = np.arange(len(kind)) - np.searchsorted(kind[by_kind], kind[by_kind])
    return things[np.argsort(rank, kind="stable")]


def _about(numbers: Array, times: Array) -> float:
    """Return how many beginnings there are if these were entered so often: in each class those that were not seen are
    added to those that were (Chao).

    >>> _about(np.zeros((5, 1), np.int64), np.array([1, 1, 1, 2, 7]))
    6.5
    """
    kind = _classes(numbers)
    once, twice = (np.bincount(kind, times == n) for n in (1, 2))
    return float(len(times) + (once * (once - 1) / (2 * (twice + 1))).sum())


def _values(column: Array) -> int:
    """Return how many values a number has, those that were not seen included: if most of those in equal steps from the
    lowest to the highest were seen, the others are counted as well.

    >>> _values(np.array([0, 50, 50, 150])), _values(np.array([0, 1, 1000]))
    (4, 3)
    """
    seen = np.unique(column)
    steps = 1 + (int(seen[-1] - seen[0]) // int(np.gcd.reduce(np.diff(seen))) if len(seen) > 1 else 0)
    return steps if steps < 2 * len(seen) else len(seen)
