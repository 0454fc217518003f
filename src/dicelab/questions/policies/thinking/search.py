"""A player for every game that looks a few choices ahead: expectimax over rolls.

It follows every allowed move, all outcomes of the rolls after it by their chances, every move of the choice that comes
then, and so on, up to its horizon. Each seat makes the move that is worth most to itself (of two seats with opposed
interests that is the minimax rule). States at the horizon are judged by games that a strategy plays on, on the same
dice from each of them; the end of a game is worth what it is.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from math import fsum, inf
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from dicelab.compile.kernels.writers.thinking import MOST_EDGES, MOST_NODES
from dicelab.engines.policy_file import FORMATS, VALUES
from dicelab.errors import ParameterError
from dicelab.questions.policies.thinking.ahead import ChoiceState, Move, Roll, Row, SearchTable, Value, unseen_fields
from dicelab.questions.policies.thinking.network import Network
from dicelab.questions.policies.thinking.players import Thinker, player_of
from dicelab.questions.policies.thinking.turn_values import network_of
from dicelab.rules.game import Call, Game, Strategy, fresh
from dicelab.rules.together import counted, opens_again

DEPTH, GAMES = 2, 50
"""Choices that are looked ahead, and games from each state at the horizon, unless others are given."""
MOST_DEPTH, MOST_GAMES = 20, 100_000
"""Limits of these numbers."""
MOST_STATES = 10_000
"""Limit of the states that are looked at before a choice; where there are more, the horizon is nearer."""
LONGEST_TURN = 12
"""Limit of the choices of a seat, without a roll between them, that count as one where a network judges states."""
MOST_ROLLS = 4
"""Limit of the rolls in a row, without a choice between them, that are followed."""
MOST_HANDS = 200
"""Limit of what others may have chosen at once that is followed; beyond it they are taken to make their best moves."""
FILE = ".npz"
"""How the name of a file with values of states ends."""
WORDS = (
    "search, search:2, search:2:100, search:2:100:bank_over:20, or search:2:values.npz "
    "(choices that are looked ahead, games from each state there, strategy with which they are played, or a file of "
    "dicelab learn --method values)"
)
"""How this player is written."""


def strategy_of(text: str, game: Game | type[Game]) -> Strategy:
    """Return the player that ``search:...`` stands for."""

    def made(kind: Any, depth: int, games: int, base: str) -> Strategy:
        return _made(kind, depth, games, base, _written(base))

    return player_of("search", text, game, made, [("depth", DEPTH, MOST_DEPTH), ("games", GAMES, MOST_GAMES)], WORDS)


def strategy_of_values(path: str, game: Any, name: str) -> Strategy:
    """Return the player that makes the move after which a state is worth most, by the values in a file."""
    player = Search(game, 1, 0, path)
    player.works_out_endings = False  # which takes longer than all of its choices
    if player.network is not None and player.network.compiles and not unseen_fields(player.network.game):
        player.judge = player.network.judge
    return replace(player.strategy(), name=name)


def _written(base: str) -> int:
    """Return when a file with values was written; 0 for a strategy."""
    return os.stat(base).st_mtime_ns if base.endswith(FILE) and os.path.exists(base) else 0


@cache
def _made(kind: type[Game], depth: int, games: int, base: str, written: int) -> Strategy:
    """Return the player of a game, always the same one."""
    return Search(kind, depth, games, base).strategy()


class Search(Thinker):
    """The player; it looks `depth` choices ahead, and plays `games` on from each state at the horizon.

    If `base` is the file of a network, it says what states at the horizon are worth, and no games are played on.
    """

    def __init__(self, kind: type[Game], depth: int, games: int, base: str) -> None:
        self.depth, self.games = depth, games
        self.network = network_of(base, kind) if base.endswith(FILE) else None
        self.wins = self.network is not None and self.network.wins
        self.knows_hands = self.network is not None and self.network.compiles and opens_again(kind)
        super().__init__(kind, base, f"search:{depth}" + (f":{games}" if self.network is None else ""))

    def _call(self) -> Call | None:
        return super()._call() if self.network is None else None

    @property
    def kept(self) -> dict[str, NDArray[Any]]:
        """As in `Thinker`; of a file its content."""
        if self.network is None:
            return super().kept
        how = f"search:{self.depth} {self.works_out_endings} {self.network.about.get('outer')}"
        how += " win" if self.wins else ""
        return {
            "player": np.frombuffer(how.encode(), np.uint8),
            **{name: getattr(self.network, name) for name in FORMATS[VALUES]},
        }

    def must_be_for(self, game: Game | type[Game], path: object) -> None:
        """As in `Thinker`; values are for the parameters of one game."""
        if self.network is not None:
            self.network.must_be_for(game, path)
        super().must_be_for(game, path)

    def table(self, game: Game) -> SearchTable:
        """As in `Thinker`."""
        if self.knows_hands and self.depth > 1 and unseen_fields(game):
            raise ParameterError(
                f"{self.name} looks {self.depth} choices ahead, where {game.name} lets seats choose at once; "
                f"write search:1:{self.base}"
            )
        return super().table(game)

    def says(self) -> str:
        """Return how moves are found, for people."""
        choices = "1 choice" if self.depth == 1 else f"{self.depth} choices"
        if self.network is not None:
            return f"by looking {choices} ahead, with values {self.network.about['solved']}"
        return f"by looking {choices} ahead, and playing {self.games:,} games on from there, with {self.base}"

    def worths(self, table: SearchTable, row: Row, choice: ChoiceState, seed: int) -> list[float]:
        """Return what each move is worth to the seat that chooses."""
        whole = self.network is not None and self.network.compiles
        for depth in range(self.depth, 0, -1):
            if self.network is not None and whole and depth == 1:
                return within_turn(table, row, choice, self.network)
            tree = StateTree(table, MOST_STATES if depth > 1 else len(choice.moves), LONGEST_TURN if whole else 0)
            try:
                root = tree.node(row, depth, MOST_ROLLS)
            except TooMany:
                continue
            break
        at_horizon = self._estimates(table, tree.horizon, seed)
        branches = cast(_StateNode, tree.nodes[root]).branches
        return [tree.value(branch, at_horizon)[choice.seat] for branch in branches]

    def best_unseen(self, game: Game, row: Row, choice: ChoiceState) -> int:
        """As `best`, for a seat that doesn't see what those before it have just chosen."""
        if choice.kind.together is None:
            return self.best(self.table(game), row, choice, 0)  # all is open now
        worths = self.worths_unseen(self.table(game), row, choice)
        return worths.index(max(worths))

    def worths_unseen(self, table: SearchTable, row: Row, choice: ChoiceState) -> list[float]:
        """Return what each move is worth to the seat that chooses: the mean over what those before it may have chosen,
        who are taken to make the best move half of the time, and else any of them.

        They were taken to choose one after the other, and to see what those before them chose.
        """
        assert self.network is not None
        unseen = dict[Move, list[float]]()
        for hand, weight in chosen_before(table, row, choice, self.network):
            step = table.step(hand)
            assert isinstance(step, ChoiceState)
            for move, worth in zip(step.moves, within_turn(table, hand, step, self.network), strict=True):
                unseen.setdefault(move, []).append(weight * worth)
        return [fsum(unseen[move]) for move in choice.moves]

    def _estimates(self, table: SearchTable, rows: list[Row], seed: int) -> list[Value]:
        if self.network is None:
            return table.estimates(rows, seed, self.games)
        return judged(table, rows, self.network)


def judged(table: SearchTable, rows: Sequence[Row], network: Network) -> list[Value]:
    """Return what a network says states are worth to each seat.

    Where some of those who choose at once have not chosen yet, it is what the state is worth that follows if each of
    them in turn makes the move that is best for itself, given that those after it make the first one allowed. Compiled
    rules do the same (`dicelab.compile.kernels.templates.thinking`).
    """
    settled = [_answered(table, row, network) for row in rows]
    ends = [table.step(row) for row in settled]
    those = [row for row, end in zip(settled, ends, strict=True) if isinstance(end, ChoiceState | Roll)]
    worths = iter(network.worth([table.key(row) for row in those]))
    return [next(worths) if isinstance(end, ChoiceState | Roll) else end for end in ends]


def _waiting(table: SearchTable, row: Row) -> ChoiceState | None:
    """Return the choice of a seat, if others have chosen already what all choose at once; else None."""
    step = table.step(row)
    waits = isinstance(step, ChoiceState) and step.kind.together is not None and step.seat > 0
    return step if waits and isinstance(step, ChoiceState) else None


def _answered(table: SearchTable, row: Row, network: Network) -> Row:
    """Return the state after those who choose at once, and have not chosen yet, made their moves."""
    while (choice := _waiting(table, row)) is not None:
        ways = [table.after(row, choice.kind, move) for move in choice.moves]
        ends = [*ways]
        for at in range(len(ways)):
            while (later := _waiting(table, ends[at])) is not None:
                ends[at] = table.after(ends[at], later.kind, later.moves[0])
        worths = [value[choice.seat] for value in judged(table, ends, network)]
        row = ways[worths.index(max(worths))]
    return row


def within_turn(table: SearchTable, row: Row, choice: ChoiceState, network: Network) -> list[float]:
    """Return what each move is worth to the seat that chooses, by a network, if it makes the best moves up to the next
    roll, or the next choice of another seat.

    A state is looked at once, even if it comes again. One whose moves don't fit the limits any more is judged as it is,
    but not the first one. Compiled rules do the same (`dicelab.compile.kernels.templates.thinking`).
    """
    seat, rows, places = choice.seat, [row], {row: 0}
    edges, value, leaves = list[list[int]](), list[float](), list[int]()
    made = 0
    for at, one in enumerate(rows):  # which grows
        step = table.step(one)
        edges.append([])
        value.append(-inf)
        fits = not at or (len(rows) <= MOST_NODES and made <= MOST_EDGES)
        if isinstance(step, ChoiceState) and step.seat == seat and fits:
            for move in step.moves:
                after = table.after(one, step.kind, move)
                if places.setdefault(after, len(rows)) == len(rows):
                    rows.append(after)
                edges[at].append(places[after])
            made += len(set(edges[at]))
        elif isinstance(step, ChoiceState | Roll):
            leaves.append(at)
        else:
            value[at] = step[seat]
    worths = judged(table, [rows[at] for at in leaves], network)
    for at, worth in zip(leaves, worths, strict=True):
        value[at] = worth[seat]
    changed = True
    while changed:
        changed = False
        for at in range(len(rows) - 1, -1, -1):
            best = max((value[after] for after in edges[at]), default=-inf)
            if best > value[at]:
                value[at], changed = best, True
    return [value[after] for after in edges[0]]


def chosen_before(table: SearchTable, row: Row, choice: ChoiceState, network: Network) -> list[tuple[Row, float]]:
    """Return the states that are possible for a seat that chooses, with their weights, where seats choose at once:
    one for all that those before it may have chosen. What they have chosen is not looked at.
    """
    kind, game, new = choice.kind, table.at(row), fresh(table.game)
    if kind.together is None:
        return [(row, 1.0)]
    for name in kind.rows:
        game.__dict__[name][:] = new.__dict__[name]
    game.__dict__[kind.together.name] = game.__dict__[counted(kind.name)] = 0
    hands = [(table.row(game), 1.0)]
    for _ in range(choice.seat):
        chances = list[tuple[Row, float]]()
        for one, weight in hands:
            step = table.step(one)
            assert isinstance(step, ChoiceState)
            worths = within_turn(table, one, step, network)
            best, few = worths.index(max(worths)), len(hands) * len(step.moves) <= MOST_HANDS
            shares = [
                (0.5 / len(worths) if few else 0.0) + (0.5 + 0.5 * (not few)) * (at == best)
                for at in range(len(worths))
            ]
            chances += [
                (table.after(one, kind, move), weight * share)
                for move, share in zip(step.moves, shares, strict=True)
                if share
            ]
        hands = chances
    return hands


class TooMany(Exception):
    """More states than may be looked at."""


@dataclass(frozen=True)
class _StateNode:
    """A state that is followed: where it leads; the seat that chooses, or the weights of the outcomes of a roll."""

    branches: list[int]
    seat: int = -1
    weights: tuple[int, ...] = ()


@dataclass
class StateTree:
    """The states that are looked at before a choice; one that comes again is the same node.

    A node is a `_StateNode`, a place in `horizon`, or what the end is worth. Up to `together` choices of a seat, one
    after the other without a roll between, count as one.
    """

    table: SearchTable
    most: int
    together: int
    nodes: list[_StateNode | int | Value] = field(default_factory=list)
    horizon: list[Row] = field(default_factory=list)
    looked: int = 0
    known: dict[tuple[Row, int, int, int, int], int] = field(default_factory=dict)
    values: dict[int, Value] = field(default_factory=dict)

    def node(self, row: Row, depth: int, rolls: int, seat: int = -1, more: int = 0) -> int:
        """Return the node of a state, with so many choices, and rolls in a row, that may still be followed, and so many
        `more` choices of the seat that has just chosen.
        """
        key = self.table.key(row), depth, rolls, seat, more
        if key not in self.known:
            made = self._made(row, depth, rolls, seat, more)
            self.known[key] = len(self.nodes)
            self.nodes.append(made)
        return self.known[key]

    def _made(self, row: Row, depth: int, rolls: int, seat: int, more: int) -> _StateNode | int | Value:
        step = self.table.step(row)
        if not isinstance(step, ChoiceState | Roll):
            return step
        goes_on = isinstance(step, ChoiceState) and step.seat == seat and more > 0
        if (not depth or not rolls) and not goes_on:
            self.horizon.append(row)
            return len(self.horizon) - 1
        if isinstance(step, ChoiceState):
            self._look(len(step.moves))
            depth -= len(step.moves) > 1 and not goes_on
            more = more - 1 if goes_on else self.together
            after = (self.table.after(row, step.kind, move) for move in step.moves)
            return _StateNode([self.node(one, depth, MOST_ROLLS, step.seat, more) for one in after], step.seat)
        if not step.dice.whole:
            raise TooMany
        outcomes = step.dice.outcomes
        self._look(len(outcomes))
        after = (self.table.after(row, step.kind, outcome.seen) for outcome in outcomes)
        branches = [self.node(one, depth, rolls - 1) for one in after]
        return _StateNode(branches, weights=tuple(outcome.weight for outcome in outcomes))

    def _look(self, states: int) -> None:
        self.looked += states
        if self.looked > self.most:
            raise TooMany

    def value(self, at: int, at_horizon: list[Value]) -> Value:
        """Return what a node is worth to each seat."""
        if at not in self.values:
            self.values[at] = self._value(self.nodes[at], at_horizon)
        return self.values[at]

    def _value(self, node: _StateNode | int | Value, at_horizon: list[Value]) -> Value:
        if isinstance(node, int):
            return at_horizon[node]
        if not isinstance(node, _StateNode):
            return node
        values = [self.value(branch, at_horizon) for branch in node.branches]
        if node.seat >= 0:
            return max(values, key=lambda value: value[node.seat])
        total = sum(node.weights)
        return tuple(
            fsum(weight * one for weight, one in zip(node.weights, ones, strict=True)) / total
            for ones in zip(*values, strict=True)
        )
