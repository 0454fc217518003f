"""The compiled enumeration of the states of a game: arrays that grow, and two threads that follow the branches."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor, wait
from typing import Any

import numpy as np

from dicelab.compile.kernels.arguments import Branches, ChainArrays
from dicelab.compile.kernels.writers import enumerate as expand
from dicelab.engines.compiled import WithKernel
from dicelab.errors import PlayError
from dicelab.limits import LIMITS
from dicelab.rules.game import seat_count
from dicelab.runtime.lineup import Run, usable_threads
from dicelab.runtime.states.codec import Slots
from dicelab.runtime.states.symmetry import Rotation, sources
from dicelab.runtime.timing import aside
from dicelab.solver.enumeration.enumerate_python import RollArrays, Walk
from dicelab.solver.enumeration.model import FEW_LABELS, Graph, must_fit, needed
from dicelab.translation.endless import EndlessLoop, explained

TABLES = {"table": ("keys", 0), "numbers_of_changes": ("changes", 2), "numbers_of_labels": ("labels", 3)}
"""Hash tables: the rows that each numbers, and the place of their number in `Expansion.sizes`."""
MANY = 1 << 20
"""Capacity from which full arrays are doubled; smaller ones become four times as large."""


class Unexpanded(PlayError):
    """A state that compiled code can't expand, but plain Python can."""


class _Branches:
    """Where the branches of some states lead, as one thread finds it."""

    def __init__(self, expansion: Expansion, room: int) -> None:
        weight = expansion.rolls.weights.dtype
        words, columns = expansion.slots.words, expansion.tallies + (expansion.rotation is not None)
        self.rows = expansion.rows()
        self.report = np.zeros(4, np.int64)
        self.arrays = Branches(
            np.zeros(LIMITS.batch + 2, np.int64),
            np.empty(LIMITS.batch + 1, weight),
            np.empty(LIMITS.batch + 1, np.int64),
            np.empty((room, words), np.uint64),
            np.empty(room, np.int64),
            np.empty((room, columns), np.int64),
            np.empty(room, weight),
            np.empty(room, np.uint32),
        )


class Expansion(WithKernel):
    """The compiled enumeration, with arrays that grow as states and edges are found."""

    def __init__(
        self,
        run: Run,
        free: Collection[int] = (),
        counted: bool = True,
        turned: bool = False,
        roots: Sequence[tuple[int, ...]] = (),
    ) -> None:
        super().__init__(run.game, run.calls, LIMITS.steps)
        self.run = run
        self.free = free
        self.roots = roots
        self.rotation = Rotation.of(run.game) if turned else None
        self.slots = Slots.of(run.game, run.calls)
        self.source = sources(self.rotation, len(self.slots.low))
        self.tallies = len(run.game.declared.tallies) if counted else 0
        self.text, self.places = expand.written(type(run.game), self.strategies, counted, turned)
        self.rolls = RollArrays(run.game, merged=True)
        seats = max(1, seat_count(run.game))
        self.open_seats = np.array([seat in free for seat in range(seats)])
        self.found: dict[str, Any] = {}
        self.label: Any = np.uint8
        """The type of labels: as few bytes as they need so far."""
        self.sizes = np.zeros(4, np.int64)
        with aside():
            from dicelab.compile.kernels.hashtable import note_all
            from dicelab.compile.kernels.numbering import add_edges

        self._note_all, self._add_edges = note_all, add_edges
        self.threads = [_Branches(self, LIMITS.batch_branches) for _ in range(min(2, usable_threads(None)))]
        self.compile()

    def _play_none(self) -> None:
        self._make_room(64, 64, 64, 64)
        self._number(0, 0, self.threads[0])
        self._call(0, 0, self.threads[0])

    def _shapes(self, nodes: int, edges: int, changes: int, labels: int) -> dict[str, tuple[tuple[int, ...], Any]]:
        """Shape and type of each array with room for so many states, edges, changes and labels."""
        return {
            "keys": ((nodes, self.slots.words), np.uint64),
            "table": ((1 << (2 * nodes - 1).bit_length(),), np.int32),
            "row": ((nodes + 1,), np.int64),
            "target": ((edges,), np.int32),
            "mover": ((nodes,), np.int32),
            "changes": ((changes, self.tallies + (self.rotation is not None)), np.int64),
            "numbers_of_changes": ((1 << (2 * changes - 1).bit_length(),), np.int32),
            "labels": ((labels, 3), np.int64),
            "numbers_of_labels": ((1 << (2 * labels - 1).bit_length(),), np.int32),
            "label": ((edges,), self.label),
        }

    def _make_room(self, *room: int) -> None:
        """Give the arrays room for so many states, edges, changes and labels; what they hold is kept."""
        for name, (shape, kind) in self._shapes(*room).items():
            old = self.found.get(name)
            if old is not None and old.shape == shape:
                continue
            if name in TABLES:
                rows, k = TABLES[name]
                self.found[name] = np.full(shape, -1, kind)
                self._note_all(self.found[rows][: self.sizes[k]], self.found[name])
                continue
            self.found[name] = np.empty(shape, kind)
            if old is not None:
                self.found[name][: len(old)] = old

    def follow(self, low: int, high: int, branches: _Branches) -> int:
        """Follow the branches of some states; returns the status, and ``branches.report[0]`` is where it stopped."""
        try:
            return self._call(low, high, branches)
        except EndlessLoop as error:
            raise explained(error, self.run.game.name, self.places) from error
        except Exception:
            return expand.BAD_STEP

    def _call(self, low: int, high: int, branches: _Branches) -> int:
        """Call the kernel."""
        given = (
            self.setting,
            branches.rows,
            self.open_seats,
            self.rolls.arrays,
            self.slots.packing,
            self.source,
            self.found["keys"],
        )
        status = self._kernel(low, high, self.limit, *given, branches.arrays, branches.report, self.outcomes)
        return int(status)

    def _number(self, low: int, high: int, branches: _Branches) -> None:
        """Add the edges of states whose branches are known; there must be room for them."""
        before = int(self.sizes[1])
        found = ChainArrays(**{name: array for name, array in self.found.items() if name != "label"})
        self._add_edges(low, high, branches.arrays, found, self.sizes, branches.report)
        if self.sizes[3] > FEW_LABELS and self.label == np.uint8:
            self.label, self.found["label"] = np.uint32, self.found["label"].astype(np.uint32)
        self.found["label"][before : self.sizes[1]] = branches.arrays.label[: self.sizes[1] - before]

    def graph(self, memory: int, look: Callable[[int, int], None]) -> Graph:
        """Expand every state."""
        self._make_room(*LIMITS.first_room)
        with ThreadPoolExecutor(1) as pool:
            look(0, 0)
            low, states = self._expand(-1, 0, memory, pool), LIMITS.batch
            start = int(self.threads[0].report[2]), int(self.threads[0].report[3])
            self._add_roots()
            while low < self.sizes[0]:
                look(int(self.sizes[0]), low)
                high = min(low + states, int(self.sizes[0]))
                before, low = low, self._expand(low, high, memory, pool)
                states = min(LIMITS.batch, 2 * states) if low == high else max(1, low - before)
        return self._cut(start)

    def _expand(self, low: int, high: int, memory: int, pool: Executor) -> int:
        """Expand the states from `low` up to `high`, or as far as there is room; returns the first that is not done."""
        halves = self.threads[: 1 if high - low < LIMITS.shared_batch else 2]
        borders = [low + (high - low) * i // len(halves) for i in range(len(halves) + 1)]
        parts = list(zip(borders, borders[1:], halves, strict=False))
        later = [pool.submit(self.follow, *part) for part in parts[1:]]
        try:
            status = self.follow(*parts[0])
        finally:
            wait(later)
        for begin, _, branches in parts:
            if begin > low:
                if status != expand.DONE:
                    break
                status = later[0].result()
            low = self._added(begin, status, branches, memory)
        return low

    def _added(self, low: int, status: int, branches: _Branches, memory: int) -> int:
        """Return the number the states that were followed from `low` on, and deal with what stopped there."""
        reached, asked = int(branches.report[0]), int(branches.report[1])
        many = int(branches.arrays.begins[reached - low])
        room = [len(self.found[name]) for name in ("keys", "target", "changes", "labels")]
        wanted = [
            max(used + many, r * (4 if r < MANY else 2)) if used + many > r else r
            for used, r in zip(self.sizes.tolist(), room, strict=True)
        ]
        if wanted != room:
            self._make_room(*wanted)
        self._number(low, reached, branches)
        (nodes, edges, _, _), runs = self.sizes.tolist(), self.rotation is not None and not self.free
        must_fit(self.run, memory, nodes, max(0, low), needed(self.slots.words, nodes, edges, runs))
        if status == expand.FULL and reached == max(low, 0):
            self.threads = [_Branches(self, asked) for _ in self.threads]
        elif status == expand.NEW_DICE:
            self.rolls.add(asked)
        elif status not in (expand.DONE, expand.FULL):
            self._explain(reached)
        return reached

    def _add_roots(self) -> None:
        """Add the states to begin with besides the start, which is the only state so far, if there is one."""
        packed = [*map(tuple, self.found["keys"][: self.sizes[0]].tolist()), *map(self.slots.pack, self.roots)]
        keys = np.array(list(dict.fromkeys(packed)), np.uint64).reshape(-1, self.slots.words)
        self._make_room(max(LIMITS.first_room[0], 2 * len(keys)), *LIMITS.first_room[1:])
        self.found["keys"][: len(keys)] = keys
        self.sizes[0] = len(keys)
        self.found["table"].fill(-1)
        self._note_all(keys, self.found["table"])

    def _cut(self, start: tuple[int, int]) -> Graph:
        """Return the graph, without the unused room of the arrays."""
        nodes, edges, changes, labels = self.sizes.tolist()
        used = {"keys": nodes, "mover": nodes, "target": edges, "label": edges}
        arrays = {name: self.found[name][:size] for name, size in used.items()}
        weight, total, arrays["change"] = self.found["labels"][:labels].T.copy()
        arrays |= {"weight": weight.view(self.rolls.weights.dtype), "total": total.view(self.rolls.weights.dtype)}
        arrays["row"] = self.found["row"][: nodes + 1] if nodes else np.zeros(1, np.int64)
        counted, turn = np.hsplit(self.found["changes"][:changes], [self.tallies])
        nothing = np.zeros((changes, len(self.run.game.declared.tallies) - self.tallies), np.int64)
        arrays |= {"changes": np.hstack((counted, nothing)), "turn": turn[:, 0] if self.rotation else None}
        return Graph(self.run.game, self.run.calls, self.slots, *start, **arrays)

    def _explain(self, state: int) -> None:
        """Expand a state that failed in plain Python, which raises an error that says why."""
        walk = Walk(self.run, self.free, self.rotation is not None)
        if state >= 0:
            walk.expand(self.slots.unpack(self.found["keys"][state].tolist()))
        for after in [*walk.positions.things]:  # an empty bag is reported when something is to be drawn from it
            walk.expand(after)
        raise Unexpanded(
            f"{self.run.game.name}: compiled code can't expand state {state}, plain Python can: there a value leaves "
            "its range inside a rule, or 64 bits (a variable instead of the field keeps the rule compiled), or a list "
            "is longer than the room that compiled code has for it"
        )
