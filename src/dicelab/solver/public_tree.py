"""The public tree of a game in which all that is hidden is dealt first: what both seats see, with arrays over hands.

All rolls come before the first choice, and both seats see every choice, which tells them nothing else about what the
other was dealt: only the choices themselves do. The end may show everything. Then a history is what was dealt and the
choices made, in which neither depends on the other; liar's dice is such a game, poker with one deal, too.

Many histories lead to the same states, and what follows is then the same. So a node stands for all of them. The numbers
of a history (regrets, probabilities) are in one array, those of what follows behind those of the history itself; where
they begin is known from the way that leads to it, and no history needs to be kept.

Two dice against two have 34 million histories. A shortened tree, which a policy file has room for, remembers only the
last choices: histories in which the same is remembered are one. A walk through it still follows each history, so that
what can be gained against its strategies is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from graphlib import CycleError, TopologicalSorter
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from dicelab.errors import TooLarge
from dicelab.rules.game import Game
from dicelab.solver.game_tree import InformationSet, Side
from dicelab.solver.hidden_states import CHANCE, ENDED, Numbers, Places, States
from dicelab.solver.public_regret import gather

MOST_DEALS, MOST_NODES = 10_000, 20_000
"""Limits on what may be dealt to both seats, and on nodes; larger ones go on as trees of all histories, or not at
all."""
MOST_SITUATIONS = 1_000_000
"""Situations of both seats that are listed for a policy file; strategies with more forget there what is long ago."""
EVEN = 12
"""Decimal places to which the chance of a deal, divided by the chances of both hands, is rounded: what is left is no
rounding error, but a dependence between the hands."""
NOBODY = -1
"""What stands for a state where a deal is impossible."""


Averages = NDArray[np.float32]
"""By history, move and hand: sums in proportion to which a seat plays."""


@dataclass(frozen=True)
class PublicTree:
    """A game in which all that is hidden is dealt first.

    Attributes
    ----------
    hands
        By seat, the probabilities of its hands.
    deals
        By hand of seat 0 and of seat 1, the probability of both.
    movers, first, targets, offsets
        By node, the seat that moves and its first edge; by edge, the node that follows, or -1 - the number of an end,
        and where the numbers of what follows begin, after those of the node.
    places
        By node, hand of seat 0 and hand of seat 1: the state, or `NOBODY`.
    moves
        By node, the moves.
    ends
        By seat: what it gets above its level at each end, divided by the probability that the deal would have if hands
        were independent, and times its probability, by group of hands; the groups of its own hands, and of those of the
        other.
    level, total
        What seat 0 gets above all ends, and what both get together.
    numbers
        The moves of all histories, each by hand of the seat that moves.
    histories, situations, length
        Public histories, information sets of both seats, and the number of choices in the longest game.
    states
        All states.
    """

    hands: tuple[Numbers, Numbers]
    deals: Numbers
    movers: NDArray[np.int8]
    first: Places
    targets: Places
    offsets: Places
    places: Places
    moves: tuple[tuple[tuple[int, ...], ...], ...]
    ends: tuple[Any, Any]
    level: float
    total: float
    numbers: int
    histories: int
    situations: int
    length: int
    states: States

    @property
    def widest(self) -> int:
        """The most moves that there are at a node."""
        return int(np.diff(self.first).max())

    def state(self, node: int, seat: int, hand: int) -> Game:
        """Return one of the states that a node may be, by what a seat knows that has a hand."""
        here = self.places[node][hand] if seat == 0 else self.places[node][:, hand]
        return self.states.games[int(here[here != NOBODY][0])]


def public_tree(states: States) -> PublicTree | None:
    """Return the public tree of a game; None if it has none, because it is hidden what was chosen, or dice are rolled
    later, or there are too many deals.
    """
    deal = _dealt(states)
    if deal is None:
        return None
    begins, deals = deal
    possible = begins != NOBODY
    starts, targets = np.array(states.starts, np.int64), np.array(states.targets, np.int64)
    looks = [np.array(one, np.int64) for one in states.looks]
    movers = np.array(states.movers, np.int8)
    rows, columns = np.nonzero(possible)
    nodes: dict[bytes, int] = {begins.tobytes(): 0}
    places, ends = [begins], dict[bytes, int]()
    first, edges = [0], list[int]()
    for here in places:  # it grows meanwhile
        at = here[possible]
        moves = {states.moves[one] for one in at.tolist()}
        if len(set(movers[at].tolist())) > 1 or movers[at[0]] == CHANCE or len(moves) > 1:
            return None
        followed = starts[at][:, None] + np.arange(len(moves.pop()))
        after = targets[followed]
        over = movers[after] == ENDED
        if (over.any(axis=0) != over.all(axis=0)).any():
            return None
        goes_on = ~over[0]
        for seat, hand in ((0, rows), (1, columns)):
            if not _is_public(looks[seat][followed][:, goes_on], hand):
                return None
        for move in range(after.shape[1]):
            there = np.full(here.shape, NOBODY, np.int64)
            there[possible] = after[:, move]
            known = nodes if goes_on[move] else ends
            if there.tobytes() not in known:
                known[there.tobytes()] = len(known)
                if goes_on[move]:
                    places.append(there)
            number = known[there.tobytes()]
            edges.append(number if goes_on[move] else -1 - number)
        first.append(len(edges))
        if len(places) > MOST_NODES:
            return None
    shape = begins.shape
    worths = np.array(states.worths)[:, 0][np.array([np.frombuffer(end, np.int64) for end in ends], np.int64)]
    return _laid_out(states, np.array(places), np.array(first), np.array(edges), deals, worths.reshape(-1, *shape))


def _dealt(states: States) -> tuple[Places, Numbers] | None:
    """Return by hand of both seats the state in which the first choice is made, and the probability."""
    ways: list[tuple[int, tuple[tuple[int, ...], tuple[int, ...]], float]] = [(0, ((), ()), 1.0)]
    dealt: dict[tuple[tuple[int, ...], tuple[int, ...]], tuple[int, float]] = {}
    while ways:
        if len(ways) > MOST_DEALS:
            return None
        following = []
        for at, seen, chance in ways:
            if states.movers[at] == ENDED:
                return None
            if states.movers[at] != CHANCE:
                state, before = dealt.get(seen, (at, 0.0))
                if state != at:
                    return None
                dealt[seen] = at, before + chance
                continue
            for edge in range(states.starts[at], states.starts[at + 1]):
                both = (*seen[0], states.looks[0][edge]), (*seen[1], states.looks[1][edge])
                share = chance * (states.weights[edge] / states.sums[edge])
                following.append((states.targets[edge], both, share))
        ways = following
    hands = [{hand: k for k, hand in enumerate(dict.fromkeys(seen[seat] for seen in dealt))} for seat in (0, 1)]
    begins = np.full((len(hands[0]), len(hands[1])), NOBODY, np.int64)
    deals = np.zeros(begins.shape)
    for seen, (state, chance) in dealt.items():
        place = hands[0][seen[0]], hands[1][seen[1]]
        begins[place], deals[place] = state, chance
    return begins, deals


def _is_public(looks: Places, hand: Places) -> bool:
    """Return whether what a seat sees after each move, by deal, tells it the move and nothing else."""
    _, lead, member = np.unique(hand, return_index=True, return_inverse=True)
    mine = looks[lead]
    if (looks != mine[member]).any():
        return False
    ordered = np.sort(mine, axis=1)
    return not (ordered[:, 1:] == ordered[:, :-1]).any()


def _laid_out(
    states: States, places: Places, first: Places, targets: Places, deals: Numbers, worths: Numbers
) -> PublicTree | None:
    assert states.total is not None
    count = len(places)
    some = tuple(np.argwhere(places[0] != NOBODY)[0])
    examples = places[(slice(None), *some)].tolist()
    movers = np.array([states.movers[one] for one in examples], np.int8)
    try:
        order = in_order(first, targets)
    except CycleError:
        return None
    wide = [places.shape[1 + mover] for mover in movers.tolist()]
    offsets = np.zeros(targets.size, np.int64)
    numbers, histories, situations, length = ([0] * count for _ in range(4))
    for n in order:  # what follows comes first
        here = (int(first[n + 1]) - int(first[n])) * wide[n]
        histories[n], situations[n], length[n] = 1, wide[n], 1
        for edge in range(first[n], first[n + 1]):
            to = int(targets[edge])
            if to < 0:
                histories[n] += 1
                continue
            if here > np.iinfo(np.int64).max:
                return None
            offsets[edge] = here
            here += numbers[to]
            histories[n] += histories[to]
            situations[n] += situations[to]
            length[n] = max(length[n], 1 + length[to])
        numbers[n] = here
    values, often = np.unique(worths, return_counts=True)
    level = float(values[np.argmax(often)])
    hands = deals.sum(axis=1), deals.sum(axis=0)
    fair = np.round(deals / np.outer(*hands), EVEN)
    ends = _grouped(fair * (worths - level))
    moves = tuple(states.moves[one] for one in examples)
    return PublicTree(
        hands, deals, movers, first, targets, offsets, places, moves, ends,
        level=level, total=states.total, numbers=numbers[0], histories=histories[0], situations=situations[0],
        length=length[0], states=states,
    )  # fmt: skip


def in_order(first: Places, targets: Places) -> list[int]:
    """Return all nodes, what follows others before them."""
    nodes = range(len(first) - 1)
    return list(TopologicalSorter({node: set(following(first, targets, node)) for node in nodes}).static_order())


def following(first: Places, targets: Places, node: int) -> list[int]:
    """Return the nodes that follow a node, by move, without ends."""
    return [to for to in targets[first[node] : first[node + 1]].tolist() if to >= 0]


def _grouped(payoffs: Numbers) -> tuple[Any, Any]:
    """Return what each seat gets at each end, with hands in groups that get the same."""
    kinds = []
    for end in payoffs:
        _, row, group = np.unique(end, axis=0, return_index=True, return_inverse=True)
        _, column, other = np.unique(end, axis=1, return_index=True, return_inverse=True)
        kinds.append((end[np.ix_(row, column)], group.ravel(), other.ravel()))
    small = np.zeros((len(kinds), *(max(kind[0].shape[axis] for kind in kinds) for axis in (0, 1))))
    for k, (kind, _, _) in enumerate(kinds):
        small[k, : kind.shape[0], : kind.shape[1]] = kind
    groups = np.array([group for _, group, _ in kinds]), np.array([other for _, _, other in kinds])
    return (small, *groups), (np.ascontiguousarray(-small.transpose(0, 2, 1)), groups[1], groups[0])


def openings(tree: PublicTree, averages: Averages, seat: int) -> Iterator[tuple[InformationSet, float, Numbers]]:
    """Yield the situations in which a seat moves for the first time: each with its probability, and those of moves."""
    others = tree.hands[1 - seat].size
    ways = [(0, 0, np.ones(others))]
    while ways:
        node, base, reach = ways.pop()
        start, end = int(tree.first[node]), int(tree.first[node + 1])
        mover = int(tree.movers[node])
        mix = mixtures(averages, base, end - start, tree.hands[mover].size)
        if mover == seat:
            chances = (tree.deals if seat == 0 else tree.deals.T) @ reach
            for hand, chance in enumerate(chances.tolist()):
                yield InformationSet(0, tree.state(node, seat, hand), tree.moves[node]), chance, mix[:, hand]
            continue
        for move in range(end - start):
            to, after = int(tree.targets[start + move]), reach * mix[move]
            if to >= 0 and after.any():
                ways.append((to, base + int(tree.offsets[start + move]), after))


def mixtures(averages: Averages, base: int, many: int, hands: int) -> Numbers:
    """Return the probabilities of moves by hand, as `dicelab.solver.public_regret.shares` finds them."""
    part = averages[base : base + many * hands].reshape(many, hands).astype(np.float64)
    sums = part.sum(axis=0)
    return np.where(sums > 0, part / np.where(sums > 0, sums, 1.0), 1.0 / many)


def sides(tree: PublicTree, averages: Averages) -> tuple[tuple[Side, Side], tuple[Numbers, Numbers]]:
    """Return all information sets of both seats, without `openings`, and the probabilities of their sequences."""
    knowledge: tuple[list[InformationSet], list[InformationSet]] = [], []
    starts, parents, plans = ([1], [1]), (list[int](), list[int]()), ([1.0], [1.0])
    known: dict[tuple[int, int], InformationSet] = {}
    ways = [(0, 0, [np.zeros(hands.size, np.int64) for hands in tree.hands])]
    while ways:
        node, base, last = ways.pop()
        start, end, seat = int(tree.first[node]), int(tree.first[node + 1]), int(tree.movers[node])
        mix = mixtures(averages, base, end - start, last[seat].size)
        firsts = starts[seat][-1] + (end - start) * np.arange(last[seat].size)
        for hand, before in enumerate(last[seat].tolist()):
            if (node, hand) not in known:
                known[node, hand] = InformationSet(0, tree.state(node, seat, hand), tree.moves[node])
            knowledge[seat].append(known[node, hand])
            parents[seat].append(before)
            plans[seat].extend((plans[seat][before] * mix[:, hand]).tolist())
            starts[seat].append(len(plans[seat]))
        for move in range(end - start):
            if (to := int(tree.targets[start + move])) >= 0:
                after = list(last)
                after[seat] = firsts + move
                ways.append((to, base + int(tree.offsets[start + move]), after))
    none = np.zeros(0, np.int64)
    first, second = (
        Side(knowledge[seat], np.array(starts[seat]), np.array(parents[seat], np.int64), (none, none, np.zeros(0)))
        for seat in (0, 1)
    )
    return (first, second), (np.array(plans[0]), np.array(plans[1]))


LAST, LEAST = 3, 2
"""Choices that strategies in a policy file remember, if there is room for them; at least the seat's own and the one
before it, from which follows what the answer was.
"""
MOST_PLACES = 30_000_000
"""Limit on the states of all nodes of a shortened tree, which has one for each deal."""
SELDOM = 1e-9
"""Added to the probability with which the other seat lets a history come about, so that none is without weight."""
T = TypeVar("T")


@dataclass(frozen=True)
class Expanded:
    """A public tree with a node for each node and what is remembered there.

    Attributes
    ----------
    tree
        The tree, in which all histories of a node have the same numbers.
    begins
        By node, where its numbers begin.
    before
        By edge, the edge of the tree without memories.
    origin
        By node, the node of that tree.
    """

    tree: PublicTree
    begins: Places
    before: Places
    origin: Places


def expanded(tree: PublicTree, start: T, after: Callable[[int, T], Sequence[T]]) -> tuple[Expanded, list[T]]:
    """Return a public tree with a node for each node and what is remembered there; and what that is.

    `start` is remembered at first, and ``after(node, memory)`` after each move.

    Raises
    ------
    TooLarge
        When there are too many nodes.
    """
    nodes: dict[tuple[int, T], int] = {(0, start): 0}
    known, first, targets, before = [(0, start)], [0], list[int](), list[int]()
    for node, memory in known:  # it grows meanwhile
        edges = range(int(tree.first[node]), int(tree.first[node + 1]))
        for edge, later in zip(edges, after(node, memory), strict=True):
            to = int(tree.targets[edge])
            if to >= 0:
                to = nodes.setdefault((to, later), len(known))
                if to == len(known):
                    known.append((int(tree.targets[edge]), later))
            targets.append(to)
            before.append(edge)
        first.append(len(targets))
        if len(known) * tree.places[0].size > MOST_PLACES:
            raise TooLarge(f"strategies that remember so much have more than {len(known):,} situations without hands")
    origin = np.array([node for node, _ in known])
    movers, starts, ends = tree.movers[origin], np.array(first, np.int64), np.array(targets, np.int64)
    hands = np.array([one.size for one in tree.hands])[movers]
    begins = np.concatenate([[0], np.cumsum(np.diff(starts) * hands)])
    source = np.repeat(np.arange(len(known)), np.diff(starts))
    short = replace(
        tree,
        movers=movers,
        first=starts,
        targets=ends,
        offsets=np.where(ends >= 0, begins[ends] - begins[source], 0),
        places=tree.places[origin],
        moves=tuple(tree.moves[node] for node in origin.tolist()),
        numbers=int(begins[-1]),
        situations=int(hands.sum()),
    )
    return Expanded(short, begins, np.array(before), origin), [memory for _, memory in known]


@dataclass(frozen=True)
class Forgetful:
    """Strategies of both seats that remember only the last choices.

    Attributes
    ----------
    tree, begins
        A node for each node and the last choices before it, and where its numbers begin.
    averages
        How the seats play, in proportion to how likely they come there.
    ways
        By node the last choices, as edges of the tree without memories.
    last
        How many choices are remembered.
    situations
        Information sets of players who remember everything.
    """

    tree: PublicTree
    begins: Places
    averages: Averages
    ways: list[tuple[int, ...]]
    last: int
    situations: int

    @property
    def order(self) -> list[int]:
        """The nodes, those that come before others first."""
        return in_order(self.tree.first, self.tree.targets)[::-1]

    def own(self, seat: int) -> list[set[tuple[int, ...] | None]]:
        """Return by node what a seat may remember since its last move there; None where it may not have moved."""
        rows: list[set[tuple[int, ...] | None]] = [set() for _ in self.ways]
        rows[0].add(None)
        for node in self.order:
            for to in following(self.tree.first, self.tree.targets, node):
                rows[to] |= {self.kept(to)} if self.tree.movers[node] == seat else rows[node]
        return rows

    def kept(self, node: int) -> tuple[int, ...]:
        """Return what the seat that has just moved remembers: with what it sees when it moves again, that is enough."""
        return self.ways[node][-(self.last - 1) :]


def forgetful(tree: PublicTree, averages: Averages, most: int = LAST) -> Forgetful:
    """Return the strategies of both seats as far as they remember the last choices, at `most` so many, averaged by how
    likely the histories are.

    Raises
    ------
    TooLarge
        When even those that remember `LEAST` choices are too many.
    """
    none: tuple[int, ...] = ()
    for last in range(most, LEAST - 1, -1):
        try:
            levels, ways = expanded(
                tree,
                none,
                lambda node, way, last=last: [  # type: ignore[misc]
                    (*way, edge)[-last:] for edge in range(int(tree.first[node]), int(tree.first[node + 1]))
                ],
            )
            break
        except TooLarge:
            if last == LEAST:
                raise
    short, sums = levels.tree, np.zeros(levels.tree.numbers)
    nodes = short.movers, short.first, short.targets, tree.offsets[levels.before]
    for seat in (0, 1):
        chances = tree.hands[1 - seat], tree.hands[seat].size
        gather(nodes, (tree.length, tree.widest), seat, *chances, averages, levels.begins, sums, SELDOM)
    return Forgetful(short, levels.begins, sums.astype(np.float32), ways, last, tree.situations)
