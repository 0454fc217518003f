"""The structure of turns: nodes, branches that do the same at every beginning, and branches that don't.

A node is a point of a turn at which dice are rolled or a seat chooses: its inner numbers, and what `next` asks for.
Edges are *shared* if the rules used no outer field on the way; otherwise they are *leaves*, which are followed for
every beginning. A branch that ends the game or rotates the view is a leaf as well, because the state that follows has
outer numbers; if no outer field was used, all branches of this kind with the same result are one leaf. If there are
many beginnings, branches that do the same with the outer fields are one leaf, too (`residuals`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dicelab.compile.kernels.arguments import BranchEnds
from dicelab.compile.kernels.hashtable import note_all, same_lists
from dicelab.compile.kernels.writers.turn_steps import ALLOWED, FAILED, NOT_ALLOWED
from dicelab.errors import NotSmall
from dicelab.runtime.arrays import Array
from dicelab.solver.enumeration.model import merged, ranges
from dicelab.solver.turns.branches import Follower
from dicelab.solver.turns.loops import number_rows
from dicelab.solver.turns.parts import StateParts
from dicelab.solver.turns.residuals import Residuals

# Numbers rows of words in the order in which they are first added -----------------------------------------------------


FIRST_ROOM = 1 << 10


class Index:
    """Rows of `words` words, each once, and a hash table of them that is at most half full.

    Attributes
    ----------
    known, table
        uint64 array of the rows, with room for more, and the table of `dicelab.compile.kernels.hashtable`.
    count
        Number of rows.
    """

    def __init__(self, words: int) -> None:
        self.known = np.zeros((FIRST_ROOM, words), np.uint64)
        self.table = np.full(2 * FIRST_ROOM, -1, np.int32)
        self.count = 0

    @property
    def rows(self) -> NDArray[np.uint64]:
        """All rows."""
        return self.known[: self.count]

    def room(self, more: int) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
        """Make room for so many more rows; returns `known` and `table`."""
        if self.count + more > len(self.known):
            room = 1 << (2 * (self.count + more) - 1).bit_length()
            known = np.zeros((room, self.known.shape[1]), np.uint64)
            known[: self.count] = self.rows
            self.known, self.table = known, np.full(2 * room, -1, np.int32)
            note_all(known[: self.count], self.table)
        return self.known, self.table

    def add(self, rows: NDArray[np.uint64]) -> NDArray[np.int32]:
        """Return the numbers of some rows; new ones are added."""
        self.room(len(rows))
        numbers = np.empty(len(rows), np.int32)
        self.count = number_rows(np.ascontiguousarray(rows), self.known, self.count, self.table, numbers)
        return numbers


AT_ONCE = 1 << 17
"""Branches that are followed in one call."""
NODES_AT_ONCE = 1 << 14
"""Nodes from which branches are followed in one call, at most."""
SAME_RESULT, SAME_RESIDUAL = 2**63 - 1, 2**63 - 2
"""In place of a node in the key of a leaf that many branches have in common."""


class Failed(Exception):
    """The rules break at a state, or a seat has no move; `numbers` are those of the state."""

    def __init__(self, numbers: list[int]) -> None:
        super().__init__(numbers)
        self.numbers = numbers


class Snapshot(NamedTuple):
    """The structure as arrays: nodes, then edges and leaves by node.

    Edges of node n are ``row[n]`` to ``row[n + 1] - 1`` of `target`, `weight`, `gain`; its leaves are ``leaf_row[n]``
    to ``leaf_row[n + 1] - 1`` of `leaf`, `leaf_weight`. Branch `pairs` of each leaf: node and number; `used` has the
    fields that its rules used when it was found, as bits.
    """

    numbers: Array
    steps: Array
    row: Array
    target: Array
    weight: Array
    gain: Array
    leaf_row: Array
    leaf: Array
    leaf_weight: Array
    alike: Array
    pairs: Array
    used: Array


class Structure:
    """Nodes and edges found so far.

    Parameters
    ----------
    follower, parts
        The compiled rules, and which fields are outer.
    most
        Limit on the nodes.
    """

    def __init__(self, follower: Follower, parts: StateParts, most: int) -> None:
        self.follower, self.parts, self.most = follower, parts, most
        self.nodes = Index(parts.words - parts.outer_words + 1)
        self.leaves = Index(parts.words + 3)
        self.residuals: Residuals | None = None
        self.expanded = 0
        self._numbers: list[Array] = []
        self._edges: list[Array] = []
        self._leaf_edges: list[Array] = []
        self._pairs: list[Array] = []

    def node_keys(self, keys: Array, steps: Array) -> Array:
        """Return the rows of `nodes`: the inner words of packed states, and what `next` asks for there."""
        return np.column_stack((keys[:, self.parts.outer_words :], steps.astype(np.int64).view(np.uint64)))

    def grow(self, rows: Array, beginning: Array, whole: bool = False) -> None:
        """Add nodes, and all that shared edges lead to. The state `beginning` (1, numbers) provides outer numbers.

        For the `whole` turn of this beginning, add what leaves lead to within the turn, too. The nodes must
        then be reached from this beginning: rules may fail in states that can't be.

        Raises
        ------
        Failed
            When the rules break.
        NotSmall
            When there are too many nodes.
        """
        self.nodes.add(rows)
        while self.expanded < self.nodes.count:
            if self.nodes.count > self.most:
                raise NotSmall("its turns have too many states")
            self._expand(beginning, whole)

    def _expand(self, beginning: Array, whole: bool) -> None:
        """Follow the branches of the next nodes."""
        steps = self.nodes.rows[self.expanded : self.expanded + NODES_AT_ONCE, -1].astype(np.int64)
        numbers = self.numbers(self.expanded, self.expanded + len(steps))
        counts = self._counts(beginning, numbers, steps)
        some = max(1, int(np.searchsorted(np.cumsum(counts), AT_ONCE)))
        counts, steps, numbers = counts[:some], steps[:some], numbers[:some]
        pairs = np.column_stack((np.repeat(np.arange(some), counts), ranges(np.zeros_like(counts), counts)))
        found = self.follower.follow(self.parts, beginning, numbers, steps, pairs)
        node, status = pairs[:, 0] + self.expanded, found.status[0]
        local = (found.touched[0] & self.parts.bits) == 0
        if (local & (status == FAILED)).any():
            first = pairs[np.flatnonzero(local & (status == FAILED))[0], 0]
            raise Failed(np.where(self.parts.outer, beginning[0], numbers[first]).tolist())
        weight = np.zeros(len(pairs), np.int64)
        rolls = steps[pairs[:, 0]] >= 0
        weight[rolls] = self.follower.chances(steps[pairs[rolls, 0]], pairs[rolls, 1])
        shared = local & (status == ALLOWED) & (found.by[0] == 0)
        target = self.nodes.add(self.node_keys(found.keys[0][shared], found.step[0][shared]))
        self._edges.append(_merged(node[shared], target, found.gain[0][shared], weight[shared]))
        leaf = (~local | (status != NOT_ALLOWED)) & ~shared
        self._add_leaves(found, leaf, local, node, pairs[:, 1], weight)
        if whole:
            within = leaf & (status == ALLOWED) & (found.by[0] == 0)
            outer = self.parts.pack(beginning[0].tolist())[:, : self.parts.outer_words]
            within &= (found.keys[0, :, : self.parts.outer_words] == outer).all(axis=1)
            self.nodes.add(self.node_keys(found.keys[0][within], found.step[0][within]))
        self._numbers.append(numbers)
        self.expanded += some

    def _counts(self, beginning: Array, numbers: Array, steps: Array) -> Array:
        """Return the number of branches to follow from each of some nodes; of listed moves only those listed there, if
        listing them uses no outer field.
        """
        kinds, kind = np.unique(steps, return_inverse=True)
        counts = np.array([self.follower.branches(step) for step in kinds.tolist()], np.int64)[kind]
        listing = np.flatnonzero(np.array([self.follower.lists(step) for step in kinds.tolist()], np.bool_)[kind])
        asked = np.column_stack((listing, np.full(len(listing), -1)))
        found = self.follower.follow(self.parts, beginning, numbers, steps, asked)
        known = (found.status[0] == ALLOWED) & (found.touched[0] & self.parts.bits == 0)
        counts[listing[known]] = found.step[0][known]
        return counts

    def _add_leaves(
        self, found: BranchEnds, leaf: Array, local: Array, node: Array, branch: Array, weight: Array
    ) -> None:
        """Add the leaves among some branches."""
        ones = np.flatnonzero(leaf)
        keys = np.zeros((len(ones), self.parts.words + 3), np.uint64)
        same, ends = local[ones], found.status[0][ones] != ALLOWED
        keys[:, 0] = np.where(same, SAME_RESULT, node[ones])
        keys[:, 1] = np.where(same, found.gain[0][ones].view(np.uint64), branch[ones])
        keys[:, 2] = np.where(same, np.where(ends, found.step[0][ones] << 32, found.by[0][ones]), 0)
        keys[:, 3:] = np.where((same & ~ends)[:, None], found.keys[0][ones], np.uint64(0))
        keys[:, 3 : 3 + self.parts.outer_words] = 0
        if self.residuals is not None:
            self._set_residuals(self.residuals, keys)
        known = self.leaves.count
        number = self.leaves.add(keys)
        fresh, where = np.unique(number, return_index=True)
        new = where[fresh >= known]
        self._pairs.append(np.column_stack((node[ones][new], branch[ones][new], found.touched[0][ones][new])))
        self._leaf_edges.append(
            _merged(node[ones], number.astype(np.int64), np.zeros(len(ones), np.int64), weight[ones])
        )

    def _set_residuals(self, residuals: Residuals, keys: Array) -> None:
        """In the keys of leaves of one branch, put the number of its residual in place of node and branch."""
        ones = np.flatnonzero(keys[:, 0] < SAME_RESIDUAL)
        if not len(ones):
            return
        nodes = self.nodes.rows[keys[ones, 0].astype(np.int64)]
        steps, branches = nodes[:, -1].astype(np.int64), keys[ones, 1].astype(np.int64)
        numbers = residuals.numbers(self._unpacked(nodes), steps, branches)
        keys[ones[numbers >= 0], 0], keys[ones[numbers >= 0], 1] = SAME_RESIDUAL, numbers[numbers >= 0]

    def merge(self) -> Array:
        """Make leaves with equal residuals one, from now on; returns the new number of each leaf known so far."""
        self.residuals = Residuals(self.follower, self.parts)
        keys = self.leaves.rows.copy()
        self._set_residuals(self.residuals, keys)
        self.leaves = Index(keys.shape[1])
        number = self.leaves.add(keys).astype(np.int64)
        pairs, edges = np.concatenate(self._pairs), _joined(self._leaf_edges)
        self._leaf_edges = [_merged(edges[:, 0], number[edges[:, 1]], *edges[:, 2:].T)]
        self._pairs = [pairs[np.unique(number, return_index=True)[1]]]
        return number

    def numbers(self, low: int, high: int) -> Array:
        """Return the numbers of some nodes, with outer numbers at the lowest of their ranges."""
        return self._unpacked(self.nodes.rows[low:high])

    def _unpacked(self, nodes: Array) -> Array:
        keys = np.zeros((len(nodes), self.parts.words), np.uint64)
        keys[:, self.parts.outer_words :] = nodes[:, :-1]
        return self.parts.unpack(keys)

    def snapshot(self) -> Snapshot:
        """Return all that is known, as arrays that are not changed later."""
        steps = self.nodes.rows[:, -1].astype(np.int64)
        edges, leaves = _joined(self._edges), _joined(self._leaf_edges)
        self._edges, self._leaf_edges = [edges], [leaves]
        pairs = np.concatenate(self._pairs) if self._pairs else np.zeros((0, 3), np.int64)
        self._pairs = [pairs]
        nodes = np.arange(self.nodes.count + 1)
        row, leaf_row = np.searchsorted(edges[:, 0], nodes), np.searchsorted(leaves[:, 0], nodes)
        ends = edges[:, 1].copy(), edges[:, 3].copy(), edges[:, 2].copy()
        leaf = leaves[:, 1].copy(), leaves[:, 3].copy()
        alike = np.empty(self.nodes.count, np.int64)
        same_lists(leaf_row, leaves[:, 1].copy(), *Index(2).room(len(leaves) + self.nodes.count), alike)
        numbers = np.concatenate((self.numbers(0, 0), *self._numbers))  # of all nodes: `grow` expands each
        self._numbers = [numbers]
        return Snapshot(numbers, steps, row, *ends, leaf_row, *leaf, alike, pairs[:, :2].copy(), pairs[:, 2].copy())


def _merged(*columns: Array) -> Array:
    """Return some edges (source, target, gain, weight) sorted by source; equal ones are one, with the sum of their
    weights.
    """
    return np.column_stack(merged(*columns))


def _joined(edges: list[Array]) -> Array:
    """Return the edges of all nodes, which were added with those of a node together, and in the order of nodes."""
    return np.concatenate(edges) if edges else np.zeros((0, 4), np.int64)
