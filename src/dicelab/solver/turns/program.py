"""All beginnings of turns that can be reached, and the order in which the nodes of a turn are evaluated."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from dicelab.compile.kernels.arguments import BranchEnds
from dicelab.compile.kernels.vector_rows import LANES
from dicelab.limits import LIMITS
from dicelab.runtime.arrays import Array
from dicelab.solver.enumeration.model import ranges
from dicelab.solver.solution.ordering import components
from dicelab.solver.turns import loops, merge_loops
from dicelab.solver.turns.parts import StateParts, owners
from dicelab.solver.turns.structure import Failed, Index, Snapshot, Structure

# Beginnings, and which ones follow each of them -----------------------------------------------------------------------


WAVE = 256 * LANES
"""Beginnings between two looks at what was found."""
EARLY = 1_000_000
"""Beginnings, times leaves, above which leaves with equal residuals are merged, even if there are at most
`LIMITS.merged_beginnings` beginnings."""


@dataclass
class Beginnings:
    """All beginnings of turns, and the structure of turns.

    Attributes
    ----------
    structure, snapshot
        The structure of turns, which may grow later, and what of it is used here.
    index
        The packed beginnings.
    node
        The node at which each begins.
    row, target
        The beginnings that follow beginning b are ``target[row[b]:row[b + 1]]``; some more than once.
    links
        Pairs (leaf, node) of leaves that lead to a node of the same turn.
    """

    structure: Structure
    snapshot: Snapshot
    index: Index
    node: Array
    row: Array
    target: Array
    links: Array

    @property
    def count(self) -> int:
        """Number of beginnings."""
        return self.index.count

    def alike(self) -> Array:
        """Return the place of each beginning in an order in which neighbours have most results of leaves in common."""
        place = np.empty(self.count, np.int64)
        place[_sorted(self.structure.parts, self.snapshot, self.index.rows)] = np.arange(self.count)
        return place


def _sorted(parts: StateParts, shot: Snapshot, rows: Array) -> Array:
    """Return the beginnings sorted by their outer numbers: first by those that the rules use on most leaves.

    Leaves on which the rules use none of the numbers that differ are not followed again (`kernels.writers.turn_steps`).
    """
    outer = np.flatnonzero(parts.outer)
    uses = [int((shot.used & parts.field[i] != 0).sum()) for i in outer]
    numbers = parts.unpack(rows)
    return np.lexsort([numbers[:, i] for _, i in sorted(zip(uses, outer.tolist(), strict=True))])


_scratch = threading.local()


def followed(structure: Structure, shot: Snapshot, rows: Array, again: bool) -> BranchEnds:
    """Return the results of the leaves for up to `LANES` packed beginnings.

    They are valid until the next call on the same thread if the room for them may be used `again`.
    """
    parts, size = structure.parts, (len(shot.pairs), structure.parts.words)
    room: BranchEnds | None = None
    if again:
        room = getattr(_scratch, "room", None)
        if room is None or room.keys.shape[1:] != size:
            room = _scratch.room = BranchEnds.room(LANES, *size)
        room = BranchEnds(*(array[: len(rows)] for array in room))
    states = parts.unpack(rows)
    return structure.follower.follow(parts, states, shot.numbers, shot.steps, shot.pairs, room)


class NewInside(Exception):
    """A turn begins at another node than the first one, with other values of the inner fields in `names`."""

    def __init__(self, names: set[str]) -> None:
        super().__init__(names)
        self.names = names


class BeginningSearch:
    """The beginnings found so far, in `index`; if `strict`, all must be at the node of the first."""

    def __init__(self, structure: Structure, index: Index, strict: bool = False) -> None:
        self.structure, self.parts, self.index, self.strict = structure, structure.parts, index, strict
        self.snapshot = structure.snapshot()
        self._last: tuple[Snapshot, int, tuple[Array, ...]] | None = None

    def chunk(self, numbers: Array) -> tuple[Array, Array, Array, Array, Array]:
        """Follow the turns of up to `LANES` beginnings: packed exits, sources, links, missing nodes, first nodes."""
        rows, shot, parts = self.index.known[numbers], self.snapshot, self.parts
        found = followed(self.structure, shot, rows, again=True)
        keys = self.structure.node_keys(rows, found.begins)
        begin = np.empty(len(rows), np.int32)
        nodes = self.structure.nodes
        loops.find_rows(keys, nodes.known, nodes.table, begin)
        if (begin < 0).any():
            if self.strict and self.structure.expanded:
                start = parts.unpack(self.index.rows[:1])[0]
                changed = (parts.unpack(rows[begin < 0]) != start).any(axis=0) & ~parts.outer
                raise NewInside(
                    {name for name, new in zip(owners(self.structure.follower.game), changed, strict=True) if new}
                )
            return rows[:0], begin[:0], shot.pairs[:0], keys[begin < 0], begin
        size = len(rows) * len(shot.pairs)
        exits, sources = np.empty((size, parts.words), np.uint64), np.empty(size, np.int64)
        links, missing = np.empty((size, 2), np.int64), np.empty((size, keys.shape[1]), np.uint64)
        report, graph = np.zeros(6, np.int64), (shot.row, shot.target, shot.leaf_row, shot.leaf)
        given = found.keys, parts.outer_words, (found.status, found.by, found.step), graph, shot.steps < 0
        room = exits, sources, links, missing
        ends = [*(np.flatnonzero(np.diff(begin)) + 1).tolist(), len(begin)]
        for low, high in pairwise([0, *ends]):
            common = self._inside(shot, int(begin[low]))
            status = loops.discover(low, high, common, *given, (nodes.known, nodes.table), rows, room, report)
            if status != loops.OK:
                lane, node = int(report[3]), int(report[4])
                raise Failed(np.where(parts.outer, parts.unpack(rows[lane : lane + 1])[0], shot.numbers[node]).tolist())
        some, links_found, lost = (int(number) for number in report[:3])
        return exits[:some].copy(), sources[:some].copy(), links[:links_found].copy(), missing[:lost].copy(), begin

    def _inside(self, shot: Snapshot, root: int) -> tuple[Array, ...]:
        """Return what edges lead to from a node, as `loops.discover` takes it."""
        last = self._last
        if last is None or last[0] is not shot or last[1] != root:
            inside, queue, chooses = (
                np.zeros(len(shot.steps), np.bool_),
                np.empty(len(shot.steps), np.int64),
                shot.steps < 0,
            )
            graph = shot.row, shot.target, shot.leaf_row, shot.leaf
            some = queue[: loops.follow_all(root, graph, chooses, shot.alike, inside, queue)]
            count = shot.leaf_row[some + 1] - shot.leaf_row[some]
            leaf = shot.leaf[ranges(shot.leaf_row[some], count)]
            first = np.sort(np.unique(leaf, return_index=True)[1])
            bare = some[chooses[some] & (shot.row[some] == shot.row[some + 1])]
            last = self._last = shot, root, (inside, leaf[first], np.repeat(some, count)[first], bare)
        return last[2]

    def grow(self, lost: list[tuple[Array, Array]], whole: bool = False) -> None:
        """Add missing nodes, each with beginnings of turns in which they occur; the `whole` turn, if these have the
        same outer numbers.
        """
        for numbers, missing in lost:
            self.structure.grow(missing, self.parts.unpack(self.index.known[numbers[:1]]), whole)
        self.snapshot = self.structure.snapshot()

    def chunks(self, numbers: Array, pool: Executor) -> tuple[list[Array], list[tuple[Array, ...]]]:
        """Follow the turns of some beginnings: their numbers in the order in which they are followed, in parts, and
        the chunk of each part.
        """
        order = numbers[_sorted(self.parts, self.snapshot, self.index.known[numbers])]
        some = [order[i : i + LANES] for i in range(0, len(order), LANES)]
        each = pool.map if len(some) > 1 else map
        return some, list(each(self.chunk, some))  # all of them: the structure must not grow meanwhile

    def merge_leaves(self) -> Array | None:
        """Merge leaves with equal residuals once there are many beginnings; returns the new number of each leaf."""
        many = self.index.count > LIMITS.merged_beginnings or self.index.count * self.structure.leaves.count > EARLY
        if not many or self.structure.residuals is not None:
            return None
        number = self.structure.merge()
        self.snapshot = self.structure.snapshot()
        return number

    def wave(self, low: int, high: int, pool: Executor) -> tuple[Array, Array, Array, Array] | None:
        """Follow the turns of some beginnings, a number range: the node at which each begins, the number of its exits,
        all exits as numbers, and links; None if nodes were missing, which are now known.
        """
        some, chunks = self.chunks(np.arange(low, high), pool)
        order = np.concatenate(some)
        lost = [(numbers, missing) for numbers, (_, _, _, missing, _) in zip(some, chunks, strict=True) if len(missing)]
        if lost:
            self.grow(lost)
            return None
        node = np.empty(high - low, np.int32)
        node[order - low] = np.concatenate([begin for *_, begin in chunks])
        source = np.concatenate([numbers[sources] for numbers, (_, sources, *_) in zip(some, chunks, strict=True)])
        target = np.concatenate([self.index.add(exits) for exits, *_ in chunks])
        pairs = np.concatenate([np.unique(linked[:, 0] << 32 | linked[:, 1]) for _, _, linked, _, _ in chunks])
        return node, np.bincount(source - low, minlength=high - low), target[np.argsort(source, kind="stable")], pairs

    def run(self, pool: Executor, look: Callable[[int, int], None], most: int) -> Beginnings | None:
        """Return all beginnings of turns that follow those in `index`; None if there are more than `most`.

        Raises
        ------
        Failed
            When the rules break, or a seat has no move.
        NotSmall
            When turns have too many states.
        NewInside
            If `strict`, when turns begin at different nodes.
        """
        done, wave = 0, 1
        parts: tuple[list[Array], list[Array], list[Array]] = ([], [np.zeros(1, np.int64)], [])
        links = np.zeros(0, np.int64)
        while done < self.index.count:
            look(self.index.count, done)
            if self.index.count > most:
                return None
            number = self.merge_leaves()
            if number is not None:
                links = np.unique(number[links >> 32] << 32 | links & 0xFFFFFFFF)
            high = min(self.index.count, done + wave)
            found = self.wave(done, high, pool)
            if found is None:
                wave = max(1, wave // 4)
                continue
            for every, new in zip(parts, found[:3], strict=True):
                every.append(new)
            links = np.unique(np.concatenate((links, found[3])))
            done, wave = high, min(4 * wave, WAVE)
        pairs = np.column_stack((links >> 32, links & 0xFFFFFFFF))
        node, counts, target = (np.concatenate(every) for every in parts)
        return Beginnings(self.structure, self.snapshot, self.index, node, np.cumsum(counts), target, pairs)


# The order in which the nodes of a turn are evaluated, each kind of node once -----------------------------------------
#
# Nodes that lead to the same nodes with the same chances and gains have the same value: two rolls that allow the same
# options, for example. They become one. An edge against the order belongs to a cycle; its target is a *cut* node, and
# the edge reads a copy of its value, made before.


class Arrays(NamedTuple):
    """The program as `sweeps.sweep` takes it: nodes in their order; edges, then leaves of each.

    `side` is 0 for a roll, 1 or -1 for a seat that maximises or minimises. `plain` leaves never lead to a node.
    """

    side: Array
    row: Array
    target: Array
    chance: Array
    gain: Array
    leaf_row: Array
    leaf: Array
    leaf_chance: Array
    plain: Array


class Program(NamedTuple):
    """The program, and what connects it to the structure.

    Attributes
    ----------
    arrays
        The program.
    place, copy
        For each node of the structure its place in the program, and the place of its copy (-1 if it is no cut node).
    cuts
        Places of the cut nodes.
    leaf_side, leaf_place
        For each leaf, side and first place of the nodes at which it begins.
    """

    arrays: Arrays
    place: Array
    copy: Array
    cuts: Array
    leaf_side: Array
    leaf_place: Array


def program_of(turns: Beginnings, sides: Array) -> Program:
    """Return the program of turns; `sides` has 1 for each seat that maximises, -1 for one that minimises."""
    shot = turns.snapshot
    sources, targets = _all_edges(turns)
    place = np.full(len(shot.steps), -1, np.int64)
    order = _from(np.unique(turns.node), sources, targets, len(place))[::-1]
    place[order] = np.arange(len(order))
    back = (place[targets] >= place[sources]) & (place[sources] >= 0)
    cut = np.zeros(len(place), np.bool_)
    cut[targets[back]] = True
    side = np.where(shot.steps < 0, sides[(-2 - np.minimum(shot.steps, -2)) & 65535], 0)
    return _merged(turns, order, side, cut)


def _from(starts: Array, sources: Array, targets: Array, nodes: int) -> Array:
    """Return the nodes that are reached from some, sources before targets, but for edges within cycles."""
    row = np.concatenate(([0], len(starts) + np.searchsorted(sources, np.arange(nodes + 1))))
    order, _ = components(row, np.concatenate((starts, targets)).astype(np.int32) + 1)  # node 0 leads to all starts
    return order[np.flatnonzero(order == 0)[0] + 1 :] - 1


def _all_edges(turns: Beginnings) -> tuple[Array, Array]:
    """Return the sources and targets of all edges, those of leaves that lead to nodes too, sorted by source."""
    shot, links = turns.snapshot, turns.links
    nodes = np.arange(len(shot.steps))
    first = np.searchsorted(links[:, 0], shot.leaf)
    count = np.searchsorted(links[:, 0], shot.leaf, side="right") - first
    source = np.concatenate(
        (np.repeat(nodes, np.diff(shot.row)), np.repeat(np.repeat(nodes, np.diff(shot.leaf_row)), count))
    )
    target = np.concatenate((shot.target, links[ranges(first, count), 1]))
    order = np.argsort(source, kind="stable")
    return source[order], target[order]


def _merged(turns: Beginnings, order: Array, side: Array, cut: Array) -> Program:
    """Return the program, with nodes of equal value as one."""
    shot = turns.snapshot
    nodes, some, own = len(shot.steps), len(shot.target), len(shot.leaf)
    place, cuts = np.full(nodes, -1, np.int64), np.flatnonzero(cut)
    mark = np.full(nodes, -1, np.int64)
    mark[cuts] = -2 - np.arange(len(cuts))  # a copy i has the place -2 - i for now
    table = np.full(1 << (2 * nodes + 1).bit_length(), -1, np.int32)
    sides, row, leaf_row = np.empty(nodes, np.int64), np.empty(nodes + 1, np.int64), np.empty(nodes + 1, np.int64)
    edges, leaves = tuple(np.empty((3, some), np.int64)), tuple(np.empty((2, own), np.int64))
    graph = shot.row, shot.target, shot.gain, shot.weight, shot.leaf_row, shot.leaf, shot.leaf_weight
    into = sides, row, edges, leaf_row, leaves
    kept = merge_loops.merge_nodes(order, side.astype(np.int64), mark, graph, place, table, *into)
    sides, row, leaf_row = sides[:kept].copy(), row[: kept + 1].copy(), leaf_row[: kept + 1].copy()
    (end, gain, weight), (leaf, leaf_weight) = (a[: row[-1]] for a in edges), (a[: leaf_row[-1]] for a in leaves)
    assert (end != -1).all()
    total = _sums(row, weight) + _sums(leaf_row, leaf_weight)
    total[sides != 0] = 1
    ends = np.where(end < -1, kept + (-2 - end), end)
    copy = np.full(nodes, -1, np.int64)
    copy[cuts] = kept + np.arange(len(cuts))
    leaf_place = np.full(len(shot.pairs), kept, np.int64)
    np.minimum.at(leaf_place, shot.leaf, np.repeat(np.where(place < 0, kept, place), np.diff(shot.leaf_row)))
    leaf_side = np.ones(len(shot.pairs))
    leaf_side[shot.leaf] = np.repeat(side, np.diff(shot.leaf_row))
    plain = np.ones(len(shot.pairs), np.bool_)
    plain[turns.links[:, 0]] = False
    arrays = Arrays(
        sides,
        row,
        ends,
        _quotients(weight, np.repeat(total, np.diff(row))),
        gain.astype(np.float64),
        leaf_row,
        leaf.copy(),
        _quotients(leaf_weight, np.repeat(total, np.diff(leaf_row))),
        plain,
    )
    return Program(arrays, place, copy, place[cuts], leaf_side, leaf_place)


def _sums(row: Array, weight: Array) -> Array:
    """Return the sum of the weights of each node; exact, since no roll has weights whose sum exceeds 64 bits."""
    before = np.concatenate((np.zeros(1, np.int64), np.cumsum(weight)))  # may wrap around; differences do not
    return np.asarray(before[row[1:]] - before[row[:-1]])


def _quotients(some: Array, of: Array) -> Array:
    """Return quotients of integers, each rounded once."""
    if max(some.max(initial=0), of.max(initial=0)) <= 1 << 53:
        return np.asarray(some / of)
    return np.array([a / b for a, b in zip(some.tolist(), of.tolist(), strict=True)], np.float64)
