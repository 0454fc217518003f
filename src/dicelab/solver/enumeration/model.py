"""The graph of a game: every state in which dice are rolled, and where each outcome of the roll leads.

Choices that a strategy makes are no states of their own: they are part of the transition from one roll to the next.
Only choices of *decision seats*, whose policy is to be found, are states too. Edges with the same target and the same
change of the tallies are one edge with the sum of their weights.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations_with_replacement, product
from math import comb, prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicelab.errors import TooLarge
from dicelab.rules.actions import Decision, Throw
from dicelab.rules.dice import RollOutcome, outcomes
from dicelab.rules.game import Game, outcome_names
from dicelab.rules.keeping import Keep
from dicelab.rules.params import value_of
from dicelab.runtime.lineup import Call, Run
from dicelab.runtime.outcome_tables import pool_rows
from dicelab.runtime.philox import Pool
from dicelab.runtime.states.codec import Slots

LARGEST_WEIGHT = 2**62
"""Largest total weight of the dice of a roll in whole numbers; a game with a larger one has floating-point weights."""
FEW_LABELS = 256
"""Labels of edges that a byte can tell apart."""
MOST_OUTCOMES = 1 << 20
"""Limit of the outcomes listed for one roll; a roll with more can only be simulated."""


@dataclass(frozen=True)
class Graph:
    """States 0, 1, ... in the order in which they were found, and their edges.

    Attributes
    ----------
    slots, keys
        How states are packed; uint64 array (states, words).
    start, start_change
        The first state (``-1 - outcome`` where the game is over at once), and the row of `changes` on the way to it.
    row
        int64 array: the edges of state s are ``row[s]`` to ``row[s + 1] - 1``.
    target
        int32 array: the state that an edge leads to; ``-1 - outcome`` where the game is over.
    label
        uint8 array, or uint32 where there are more than 256 labels: for each edge its place in `weight`, `total` and
        `change`. Few edges differ in these, so that an edge takes little memory.
    weight, total
        Weight of the edges with a label, and the sum over all edges of their state: int64, or float64 where the weights
        of the dice don't fit. Where a decision seat chooses, `weight` is the number of the move, and `total` is 1.
    change, changes
        int64 array: the row of `changes`, an int64 array (rows, tallies), that the edges with a label add to the
        tallies. For a `Peak` it is the value raised to, or `UNRAISED`.
    mover
        int32 array: the decision seat that chooses in a state; -1 where dice are rolled.
    turn
        Where states are seen from the seat whose turn it is (seats and outcomes are then counted from there): by how
        many seats an edge with a row of `changes` rotates the view. Else None.
    """

    game: Game
    calls: tuple[Call, ...]
    slots: Slots
    start: int
    start_change: int
    keys: NDArray[np.uint64]
    row: NDArray[np.int64]
    target: NDArray[np.int32]
    label: NDArray[Any]
    weight: NDArray[Any]
    total: NDArray[Any]
    change: NDArray[np.int64]
    changes: NDArray[np.int64]
    mover: NDArray[np.int32]
    turn: NDArray[np.int64] | None = None

    @property
    def states(self) -> int:
        """Number of states."""
        return len(self.mover)

    @property
    def edges(self) -> int:
        """Number of edges."""
        return len(self.target)

    @property
    def outcomes(self) -> int:
        """Number of outcomes, 1 for a game that has tallies only."""
        return max(1, len(outcome_names(self.game)))

    @property
    def turned(self) -> NDArray[np.int64]:
        """As `turn`; 0 for each row of `changes` where the view does not rotate."""
        return np.zeros(len(self.changes), np.int64) if self.turn is None else self.turn

    @property
    def exact_weights(self) -> bool:
        """Whether all weights are whole numbers."""
        return bool(self.weight.dtype == np.int64)

    @property
    def chance(self) -> NDArray[np.float64]:
        """Probability of the edges with a label; 1 where a decision seat chooses."""
        return np.where(self.total == 1, 1.0, self.weight / self.total)

    def described(self, state: int) -> str:
        """Return the numbers of a state with their names, for messages."""
        numbers = self.slots.unpack(self.keys[state].tolist())
        return ", ".join(f"{name} {value}" for name, value in zip(self.slots.names, numbers, strict=True))

    def without_memory(self, states: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Return the keys of some states, packed again without the memory of strategies: uint64 (states, words)."""
        new, packed = Slots.of(self.game, ()), self.keys[states]
        if len(new.names) == len(self.slots.names):
            return packed
        keys = np.zeros((len(states), new.words), np.uint64)
        for i in range(len(new.names)):
            new.put(keys, i, self.slots.column(packed, i))
        return keys


def all_outcomes(game: Game, kind: Throw, dice: Pool) -> list[RollOutcome]:
    """Return every outcome of a roll, also where their weights exceed 64 bits."""
    if dice.whole:
        return dice.outcomes
    if dice.most > MOST_OUTCOMES:
        raise TooLarge(
            f"{game.name}: {kind.name} of {dice.count} dice may have {dice.most:,} outcomes, too many to list; "
            "it can be simulated, or see the dice as SUM or COUNTS"
        )
    return outcomes(dice.die, dice.weights, dice.count, dice.view, dice.width)


def moves_of(decision: Decision, game: Game) -> list[tuple[int, ...]]:
    """Return every move that may be allowed in some state: every combination of values; of dice, those that can be
    kept.
    """
    spans = decision.spans(game)
    if isinstance(decision, Keep):
        most, faces = value_of(decision.most, game), len(spans)
        if comb(most + faces, faces) > MOST_OUTCOMES:
            raise TooLarge(f"{game.name}: {decision.name} has too many moves to try all of them")
        return [tuple(counts.count(face) for face in range(faces)) for counts in _rolls(most, faces)]
    count = prod(high - low + 1 for low, high in spans)
    if count > MOST_OUTCOMES:
        raise TooLarge(f"{game.name}: {decision.name} has {count:,} moves, too many to try all of them")
    return list(product(*(range(low, high + 1) for low, high in spans)))


def _rolls(most: int, faces: int) -> list[tuple[int, ...]]:
    """Return all ways in which up to `most` dice can lie, as their faces in order."""
    return [dice for many in range(most + 1) for dice in combinations_with_replacement(range(faces), many)]


def moves_at(decision: Decision, game: Game) -> list[tuple[int, ...]]:
    """Return the moves to try in the present state: those that are listed, or else all that `moves_of` returns."""
    listed = decision.listing(game) if decision.lists else None
    return moves_of(decision, game) if listed is None else listed


def legal_moves(decision: Decision, game: Game) -> list[tuple[int, ...]]:
    """Return the moves that are allowed in the present state."""
    return [move for move in moves_at(decision, game) if decision.allows(game, move)]


def move_number(decision: Decision, game: Game, move: Sequence[int]) -> int:
    """Return the number of a move, in mixed radix: its values are the digits, each counted from the lowest of its
    range.

    Raises
    ------
    TooLarge
        When numbers of moves exceed those that floating point holds exactly.
    """
    number, count = 0, 1
    for value, (low, high) in zip(move, decision.spans(game), strict=True):
        number = number * (high - low + 1) + value - low
        count *= high - low + 1
    if count > 2**53:
        raise TooLarge(f"{game.name}: the ranges of {decision.name} allow more than 2**53 moves; declare narrower ones")
    return number


def moves_numbered(decision: Decision, game: Game, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the moves with these numbers: int64 (moves, values of a move).

    >>> from dicelab.games.tossup import TossUp
    >>> moves_numbered(TossUp.roll_or_bank, TossUp(), np.array([1, 0])).tolist()
    [[1], [0]]
    """
    spans = decision.spans(game)
    found, rest = np.zeros((len(numbers), len(spans)), np.int64), numbers
    for j in reversed(range(1, len(spans))):
        low, high = spans[j]
        rest, digit = np.divmod(rest, high - low + 1)
        found[:, j] = low + digit
    if spans:
        found[:, 0] = spans[0][0] + rest
    return found


def ranges(first: NDArray[np.int64], length: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the numbers from ``first[0]`` on (`length[0]` of them), then those from ``first[1]`` on, and so on: int64
    array.

    >>> ranges(np.array([5, 20]), np.array([3, 2])).tolist()
    [5, 6, 7, 20, 21]
    """
    found = np.repeat(first - np.cumsum(length) + length, length)
    found += np.arange(len(found))
    return found


def merged(*columns: NDArray[Any]) -> tuple[NDArray[Any], ...]:
    """Return the different rows of all columns but the last, sorted from the first column on; the last has sums of
    equal rows.

    >>> merged(np.array([2, 1, 2]), np.array([5, 4, 5]), np.array([10, 20, 30]))
    (array([1, 2]), array([4, 5]), array([20, 40]))
    """
    if not len(columns[0]):
        return columns
    key = _as_one(columns[:-1])
    order = np.lexsort(columns[-2::-1]) if key is None else np.argsort(key, kind="stable")
    new = np.ones(len(order), np.bool_)
    keys = columns[:-1] if key is None else (key,)
    new[1:] = np.any([row[1:] != row[:-1] for row in (one[order] for one in keys)], axis=0)
    first = np.flatnonzero(new)
    return *(row[order[first]] for row in columns[:-1]), np.add.reduceat(columns[-1][order], first)


def _as_one(columns: Sequence[NDArray[Any]]) -> NDArray[np.int64] | None:
    """Return a number for each row, in the order of rows; None where it would need more than 62 bits."""
    key, room = np.zeros(len(columns[0]), np.int64), 1
    for column in columns:
        low, high = int(column.min()), int(column.max())
        room *= high - low + 1
        if room >= 1 << 62 or not np.issubdtype(column.dtype, np.signedinteger):
            return None
        key = key * (high - low + 1) + (column - low)
    return key


def as_labels(labels: Any, count: int) -> NDArray[Any]:
    """Return the labels as an array that takes little memory; `count` is one more than the largest."""
    return np.asarray(labels, np.uint8 if count <= FEW_LABELS else np.uint32)


GoOn = Callable[[int, int], bool]
"""Called with the numbers of states found and expanded so far; returns whether to go on."""


def large_weights(game: Game) -> bool:
    """Return whether the weights of some roll exceed `LARGEST_WEIGHT`."""
    _, pools = pool_rows(game)
    return max((dice.weight for dice in pools), default=1) > LARGEST_WEIGHT


def as_weights(values: Sequence[int], large: bool) -> NDArray[Any]:
    """Return the weights as an array: float64 if `large`, else int64."""
    return np.array([float(v) for v in values]) if large else np.array(values, np.int64)


# The memory of the machine, and a check that a chain fits into it -----------------------------------------------------


UNITS = {20: "MiB", 30: "GiB", 40: "TiB", 50: "PiB", 60: "EiB"}
"""Units of memory, by the powers of two that they stand for."""


class DoesNotFit(TooLarge):
    """A chain that needs more memory than it may use."""


def machine_memory() -> int:
    """Return the bytes of memory of this machine, or the limit of its container."""
    try:
        allowed = Path("/sys/fs/cgroup/memory.max").read_text(encoding="utf-8").strip()
        if allowed.isdecimal():
            return int(allowed)
    except OSError:
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 8 << 30


def limit_of(memory: int | None) -> int:
    """Return the bytes that may be used: half of the machine's if none are given."""
    return machine_memory() // 2 if memory is None else memory


def needed(words: int, states: int | float, edges: int | float, runs: bool) -> float:
    """Return the bytes for finding, ordering and solving a chain of states that are packed in so many words, as
    measured.

    They are fewer where there are `runs` (`dicelab.solver.solution.runs`), because edges are then freed early.
    """
    return states * (8 * words + 100) + 6 * edges if runs else 3.0 * (states * (8 * words + 28) + 16 * edges)


def must_fit(run: Run, limit: int, found: int, expanded: int, needed: float) -> None:
    """Refuse a chain that needs more bytes than `limit`."""
    if needed > limit:
        raise does_not_fit(run, limit, found, expanded)


def does_not_fit(run: Run, limit: int, found: int, expanded: int) -> DoesNotFit:
    """Return the error for a chain that needs more bytes than `limit`."""
    most = Slots.of(run.game, run.calls).positions
    return DoesNotFit(
        f"{run.game.name}: the chain does not fit into {as_size(limit)}: {found:,} states found so far, "
        f"{expanded:,} of them expanded (the declared ranges allow {rough(most)}); "
        "smaller parameters, tighter ranges or more memory (--memory) would help; or simulate it"
    )


def rough(count: float, digits: int = 3) -> str:
    """Return a count to some digits, grouped below a trillion; it may be too large for floating point.

    >>> rough(26243978), rough(2 * 10**14), rough(10**400), rough(4.35e30, 2)
    ('26,200,000', '2.00e+14', '1.00e+400', '4.4e+30')
    """
    text = f"{Decimal(count):.{digits - 1}e}"
    return f"{int(Decimal(text)):,}" if count < 10**12 else text


def in_digits(count: float) -> str:
    """Return a count, to two digits where it is 300,000 or more.

    >>> in_digits(11613.0), in_digits(66259999.0), in_digits(4.35e30)
    ('11,613', '66,000,000', '4.4e+30')
    """
    return f"{count:,.0f}" if count < 300_000 else rough(count, 2)


def as_size(count: float) -> str:
    """Format a number of bytes in the largest unit that it fills at least once.

    >>> as_size(3 << 20), as_size(1e12), as_size(1.76e18), as_size(1e30)
    ('3.0 MiB', '931.3 GiB', '1.5 EiB', '870,000,000,000 EiB')
    """
    power = next((power for power in reversed(UNITS) if count >= 2**power), 20)
    units = count / 2**power
    return f"{f'{units:.1f}' if units < 1e5 else in_digits(units)} {UNITS[power]}"


def as_time(seconds: float) -> str:
    """Return a time in seconds, minutes, hours or years.

    >>> as_time(0.3), as_time(900.0), as_time(20000.0), as_time(3e9), as_time(3e15)
    ('0.3 s', '15 minutes', '6 hours', '95 years', '95,000,000 years')
    """
    for unit, name in ((365.25 * 86400, "years"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * unit:
            return f"{in_digits(seconds / unit)} {name}"
    return f"{seconds:g} s"
