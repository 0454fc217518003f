"""The tree of a game with hidden information: every history, and what the seat that moves knows in it.

States are found once, each with its rolls or moves; histories are then counted out level by level, a level being all
histories of as many rolls and choices. A seat knows what it has seen: after each roll or choice the state without what
is hidden from it, what was laid open, and its own moves. It forgets nothing. Histories in which the seat that moves has
seen the same are one information set, and it must choose in all of them alike.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from dicelab.errors import ParameterError, TooLarge
from dicelab.limits import LIMITS
from dicelab.rules.game import Game
from dicelab.solver.hidden_states import Numbers, Places, Progress, States, all_states

MOST_EXACT = 2_000_000
"""Ends of the game up to which probabilities are kept as fractions, too."""
TREMBLES = 1e-4
"""How often a player makes a move by mistake, where it is asked what is best after mistakes."""


@dataclass(frozen=True)
class InformationSet:
    """An information set: what a seat knows when it moves.

    Attributes
    ----------
    choice
        Its number among the choices of that seat so far, from 0 on.
    state
        One of the states that it may be.
    moves
        The moves that are allowed.
    """

    choice: int
    state: Game
    moves: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Side:
    """What one seat may do. A sequence is all moves that it has made so far; 0 is the sequence without a move.

    Attributes
    ----------
    knowledge
        The information sets; those that come later in the game come later here.
    starts
        The first of the sequences that end with a move in each information set, and the number of all sequences.
    parents
        By information set, the sequence that leads to it.
    openings
        Of all histories in which the seat moves for the first time: the information set, the sequences of all seats
        (seats, histories), and the probability of all rolls.
    """

    knowledge: list[InformationSet]
    starts: Places
    parents: Places
    openings: tuple[Places, Places, Numbers]


Plans = tuple[Numbers, ...]
"""By seat, the probabilities of its sequences."""


@dataclass(frozen=True)
class GameTree:
    """A game of two opposed seats in sequence form (von Stengel, "Efficient Computation of Behavior Strategies", 1996).

    What seat 0 gets in a game is `level` and the sum, over the sequences of both seats, of `payoffs` times the
    probabilities of both.

    Attributes
    ----------
    sides
        What each seat may do.
    payoffs
        By sequence of seat 0 and of seat 1: what seat 0 gets above `level` where the game ends with both, times the
        probability of all rolls.
    mass
        By sequence of seat 0 and of seat 1, the probability of all rolls with which the game ends with both; None in a
        large game.
    whole, unit
        `payoffs` as whole numbers of `unit`; None if 64 bits don't hold them.
    level, base
        What seat 0 gets in most histories; and exactly, if the other payoffs are known exactly.
    total
        What both seats get together, in every history.
    states, histories
        Their numbers.
    length
        The number of rolls and choices in the longest game.
    """

    sides: tuple[Side, Side]
    payoffs: csr_array
    mass: csr_array | None
    whole: csr_array | None
    unit: Fraction
    level: float
    base: Fraction
    total: float
    states: int
    histories: int
    length: int

    @property
    def situations(self) -> int:
        """The number of information sets of both seats."""
        return sum(len(side.knowledge) for side in self.sides)

    def level_of(self, seat: int) -> float:
        """Return what a seat gets in most histories."""
        return self.total - self.level if seat else self.level

    def gets(self, seat: int, plans: Plans) -> Numbers:
        """Return by sequence of a seat what it gets above its level at the ends, if the other follows its plan."""
        gets: Numbers = -(self.payoffs.T @ plans[0]) if seat else self.payoffs @ plans[1]
        return gets

    def reached(self, seat: int, plans: Plans) -> Numbers | None:
        """Return by sequence of a seat how likely rolls and the other let the game end with it; None if it is large."""
        return None if self.mass is None else self.mass.T @ plans[0] if seat else self.mass @ plans[1]


@dataclass(frozen=True)
class GeneralTree:
    """A game of any number of seats and any payoffs, as a list of the ends of all histories.

    Attributes
    ----------
    sides
        What each seat may do.
    ends
        By seat and end, the sequence of the seat.
    chances
        By end, the probability of all rolls.
    worths
        By seat and end, what the seat gets.
    total
        What all seats get together in every history; None if that differs.
    states, histories, length
        As in `GameTree`.
    """

    sides: tuple[Side, ...]
    ends: NDArray[np.int32]
    chances: Numbers
    worths: Numbers
    total: float | None
    states: int
    histories: int
    length: int

    @property
    def situations(self) -> int:
        """The number of information sets of all seats."""
        return sum(len(side.knowledge) for side in self.sides)

    def level_of(self, seat: int) -> float:
        """Return what `gets` leaves out, which is nothing."""
        del seat
        return 0.0

    def gets(self, seat: int, plans: Plans) -> Numbers:
        """Return by sequence of a seat what it gets at the ends, if the others follow their plans."""
        return self._by_sequence(seat, plans, self.chances * self.worths[seat])

    def reached(self, seat: int, plans: Plans) -> Numbers:
        """Return by sequence of a seat how likely rolls and the others let the game end with it."""
        return self._by_sequence(seat, plans, self.chances.copy())

    def _by_sequence(self, seat: int, plans: Plans, weights: Numbers) -> Numbers:
        for other, plan in enumerate(plans):
            if other != seat:
                weights *= plan[self.ends[other]]
        return np.bincount(self.ends[seat], weights, plans[seat].size).astype(np.float64)


def game_tree(game: Game, progress: Progress = lambda found, expanded: None) -> GameTree | GeneralTree:
    """Return the tree of a game.

    Parameters
    ----------
    game
        The game, with its parameters.
    progress
        Called with the numbers of states found and expanded.

    Raises
    ------
    ParameterError
        When it has one seat, nobody can win it, or it never ends.
    TooLarge
        When there are too many states or histories.
    """
    states = all_states(game, progress)
    if history_count(states) > LIMITS.histories:
        raise TooLarge(too_many(game))
    return histories_of(game, states)


def too_many(game: Game) -> str:
    """Return why a game is refused."""
    return f"{game.name} has more than {LIMITS.histories:,} histories, too many to solve with hidden information"


class _Views:
    """What one seat knows in the histories of one length, which are numbered, and its information sets so far.

    Attributes
    ----------
    seen, chosen, sequence
        By history: the number of what the seat has seen, how often it has chosen, and its sequence.
    knowledge, count
        Its information sets, and the number of its sequences.
    """

    def __init__(self, seats: int) -> None:
        self.seen, self.chosen, self.sequence = (np.zeros(1, np.int64) for _ in range(3))
        self.knowledge: list[InformationSet] = []
        self.count, none = 1, np.zeros(0, np.int64)
        self._firsts, self._parents = [none], [none]
        self._openings = [(none, np.zeros((seats, 0), np.int64), none * 1.0)]

    def choose(
        self, here: Places, at: Places, kind: Places, states: States, sequences: Places, chance: Numbers
    ) -> Places | None:
        """Add the information sets in which the seat chooses, at the histories `here`; return the first of the
        sequences of each of these, which are at the states `at`. None if the `kind` of moves differs within one.
        """
        _, lead, member = np.unique(self.seen[here], return_index=True, return_inverse=True)
        leading = here[lead]
        if (kind[here] != kind[leading][member]).any():
            return None
        opened = np.flatnonzero(self.chosen[here] == 0)
        places = len(self.knowledge) + member[opened]
        self._openings.append((places, sequences[:, here[opened]], chance[here[opened]]))
        nodes = at[leading].tolist()
        slots = self.count + np.concatenate([[0], np.cumsum([len(states.moves[node]) for node in nodes])])
        self.count = int(slots[-1])
        self._firsts.append(slots[:-1])
        self._parents.append(self.sequence[leading])
        for choice, node in zip(self.chosen[leading].tolist(), nodes, strict=True):
            self.knowledge.append(InformationSet(choice, states.games[node], states.moves[node]))
        return np.asarray(slots[member])

    def go_on(self, parent: Places, moved: NDArray[np.bool_], taken: Places, look: Places, most: int) -> None:
        """Go on to histories that are one roll or choice longer: each has a `parent`, and maybe a move of this seat
        with the sequence `taken`, after which the seat sees `look`, a number below `most`.
        """
        self.chosen = self.chosen[parent] + moved
        self.sequence = np.where(moved, taken, self.sequence[parent])
        self.seen = np.unique(self.seen[parent] * most + look, return_inverse=True)[1]

    def side(self) -> Side:
        """Return all that the seat may do."""
        sets, so_far, chances = (np.concatenate(part, axis=-1) for part in zip(*self._openings, strict=True))
        first_of = np.concatenate([*self._firsts, [self.count]])
        return Side(self.knowledge, first_of, np.concatenate(self._parents), (sets, so_far, chances))


def _first_moves(
    game: Game, views: list[_Views], mover: NDArray[np.int8], here: tuple[Places, Places, States, Places, Numbers]
) -> Places:
    """Let the seats choose that do so at some histories, and return the first sequence of the mover at each history.

    The other arguments are those of `_Views.choose`.
    """
    first = np.zeros(mover.size, np.int64)
    for seat, view in enumerate(views):
        places = np.flatnonzero(mover == seat)
        if places.size:
            moves = view.choose(places, *here)
            if moves is None:
                raise ParameterError(f"{game.name}: the moves that are allowed differ where a seat sees no difference")
            first[places] = moves
    return first


def histories_of(game: Game, states: States) -> GameTree | GeneralTree:
    """Return the tree of a game whose states are known."""
    starts, targets = np.array(states.starts, np.int64), np.array(states.targets, np.int64)
    looks = [np.array(one, np.int64) for one in states.looks]
    held = max(states.sums, default=1) < LIMITS.exact_whole
    weights, sums = (np.array(one if held else [0] * len(one), np.int64) for one in (states.weights, states.sums))
    movers = np.array(states.movers, np.int8)
    kinds: dict[tuple[tuple[int, ...], ...], int] = {}
    kind_of = np.array([kinds.setdefault(moves, len(kinds)) for moves in states.moves], np.int64)
    degree, most = np.diff(starts), 1 + max((int(look.max()) for look in looks if look.size), default=0)
    share = np.array([weight / whole for weight, whole in zip(states.weights, states.sums, strict=True)])
    views = [_Views(states.seats) for _ in range(states.seats)]
    at, chance = np.zeros(1, np.int64), np.ones(1)
    above, below = np.ones(1, np.int64), np.ones(1, np.int64)
    ends: list[tuple[Places, Numbers, Places]] = []
    parts: list[tuple[Places, Places]] = []
    histories = length = ended = 0
    while at.size:
        many, mover = degree[at], movers[at]
        sequences = np.array([view.sequence for view in views])
        first = _first_moves(game, views, mover, (at, kind_of[at], states, sequences, chance))
        over = np.flatnonzero(many == 0)
        ended += over.size
        ends.append((sequences[:, over].astype(np.int32), chance[over], at[over]))
        parts.append((above[over], below[over]) if ended <= MOST_EXACT else (over[:0], over[:0]))
        histories += at.size
        length += 1
        parent = np.repeat(np.arange(at.size), many)
        place = np.arange(parent.size) - np.repeat(np.cumsum(many) - many, many)
        edge = starts[at][parent] + place
        for seat, view in enumerate(views):
            view.go_on(parent, mover[parent] == seat, first[parent] + place, looks[seat][edge], most)
        chance = chance[parent] * share[edge]
        if ended <= MOST_EXACT:
            above, below = _reduced(above[parent], below[parent], weights[edge], sums[edge])
        at = targets[edge]
    sequences, rolls, last = (np.concatenate(part, axis=-1) for part in zip(*ends, strict=True))
    ends.clear()
    sides, worths = tuple(view.side() for view in views), np.array(states.worths).T[:, last]
    size = len(states.games), histories, length - 1
    if not states.opposed:
        return GeneralTree(sides, sequences, rolls, worths, states.total, *size)
    above, below = (np.concatenate(part) for part in zip(*parts, strict=True))
    exactly_known = (above, below) if ended <= MOST_EXACT else None
    return _opposed((sides[0], sides[1]), (sequences[0], sequences[1]), rolls, worths[0], exactly_known, states, size)


def _opposed(
    sides: tuple[Side, Side],
    ends: tuple[NDArray[np.int32], NDArray[np.int32]],
    rolls: Numbers,
    worth: Numbers,
    parts: tuple[Places, Places] | None,
    states: States,
    size: tuple[int, int, int],
) -> GameTree:
    """Return the tree of a game of two opposed seats, given the ends of all histories."""
    assert states.total is not None
    values, often = np.unique(worth, return_counts=True)
    level = float(values[np.argmax(often)])
    shape = int(sides[0].starts[-1]), int(sides[1].starts[-1])
    mass = csr_array((rolls.copy(), ends), shape) if parts is not None else None
    rolls *= worth - level
    some = rolls != 0
    payoffs = csr_array((rolls[some], (ends[0][some], ends[1][some])), shape)
    payoffs.sum_duplicates()
    payoffs.eliminate_zeros()
    whole, unit, base = None, Fraction(1), Fraction(level)
    if parts is not None and states.fractions is not None:
        base = exactly(level, states.fractions)
        whole, unit = _whole(*parts, worth, base, states.fractions)
    in_units = None if whole is None else csr_array((whole, ends), shape)
    if in_units is not None:
        in_units.sum_duplicates()
    return GameTree(sides, payoffs, mass, in_units, unit, level, base, states.total, *size)


def history_count(states: States, most: float | None = None) -> float:
    """Return the number of histories, without making them; infinity if there are more than `most`, which is
    `LIMITS.histories` if it isn't given, or if some never end.
    """
    most = LIMITS.histories if most is None else most
    starts, targets = np.array(states.starts), np.array(states.targets, np.int64)
    sources = np.repeat(np.arange(starts.size - 1), np.diff(starts))
    count, total, levels = np.zeros(starts.size - 1), 0.0, 0
    count[0] = 1
    while count.any() and total <= most:
        levels += 1
        if levels > count.size:  # a state has come again
            return math.inf
        total += count.sum()
        count = np.bincount(targets, count[sources], count.size).astype(np.float64)
    return total if total <= most else math.inf


def _reduced(above: Places, below: Places, weight: Places, total: Places) -> tuple[Places, Places]:
    """Return fractions times weights / totals, in lowest terms; 0 / 0 where 64 bits don't hold them."""
    top, bottom = above * weight, below * total
    held = (above.astype(float) * weight < LIMITS.exact_whole) & (below.astype(float) * total < LIMITS.exact_whole)
    common = np.where(held, np.maximum(np.gcd(top, bottom), 1), 1)
    return np.where(held, top // common, 0), np.where(held, bottom // common, 0)


def _whole(
    above: Places, below: Places, worth: Numbers, base: Fraction, fractions: dict[float, Fraction]
) -> tuple[Places | None, Fraction]:
    """Return probabilities times worths above a level as whole numbers of a unit; None if 64 bits don't hold them."""
    each = {one: exactly(one, fractions) - base for one in set(worth.tolist())}
    parts = math.lcm(*set(below.tolist()))
    unit = Fraction(1, max(1, parts) * math.lcm(*(one.denominator for one in each.values())))
    if parts == 0 or max(map(abs, each.values())) / unit > LIMITS.exact_whole:
        return None, unit
    scale = np.array([int(each[one] / unit) // parts for one in worth.tolist()], np.int64)
    return above * (parts // below) * scale, unit


def exactly(worth: float, fractions: dict[float, Fraction]) -> Fraction:
    """Return what a worth stands for: one of these fractions, or the decimal fraction as which it is written."""
    return fractions.get(worth, Fraction(str(worth)))


def openings(tree: GameTree | GeneralTree, plans: Plans, seat: int) -> Iterator[tuple[InformationSet, float, Numbers]]:
    """Yield the situations in which a seat moves for the first time: each with its probability, and those of moves."""
    side = tree.sides[seat]
    sets, so_far, chances = side.openings
    reached = chances.copy()
    for plan, sequence in zip(plans, so_far, strict=True):
        reached *= plan[sequence]
    coming = np.bincount(sets, reached, minlength=len(side.knowledge))
    for k, one in enumerate(side.knowledge):
        if one.choice == 0:
            yield one, float(coming[k]), plans[seat][side.starts[k] : side.starts[k + 1]]


def trembling(side: Side, plan: Numbers) -> Numbers:
    """Return a plan that makes every move now and then, so that it comes to every situation."""
    weights = np.zeros(len(plan))
    weights[0] = 1.0
    for k, parent in enumerate(side.parents.tolist()):
        first, end = int(side.starts[k]), int(side.starts[k + 1])
        share = plan[first:end] / plan[parent] if plan[parent] > 0 else np.full(end - first, 1.0 / (end - first))
        weights[first:end] = weights[parent] * ((1 - TREMBLES) * share + TREMBLES / (end - first))
    return weights


def coming(tree: GameTree | GeneralTree, seat: int, plans: Plans) -> Numbers | None:
    """Return by information set of a seat how likely rolls and the others lead there, if the seat lets them; None in a
    tree that is too large.
    """
    side, reached = tree.sides[seat], tree.reached(seat, plans)
    if reached is None:
        return None
    weights = np.zeros(len(side.knowledge))
    for k in range(len(weights) - 1, -1, -1):
        weights[k] = reached[side.starts[k]]  # the same after each move
        reached[side.parents[k]] += weights[k]
    return weights


def best_moves(tree: GameTree | GeneralTree, seat: int, plans: Plans) -> Places:
    """Return by information set of a seat the number of the move that is best against the plans of the others."""
    side, gets = tree.sides[seat], tree.gets(seat, plans)
    best = np.zeros(len(side.knowledge), np.int64)
    for k in range(len(best) - 1, -1, -1):
        own = gets[side.starts[k] : side.starts[k + 1]]
        best[k] = np.argmax(own)
        gets[side.parents[k]] += own[best[k]]
    return best
