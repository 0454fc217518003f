"""A player for every game by Monte Carlo tree search, with rolls as nodes of the tree.

Each playout goes down the tree of the states met so far: where a seat chooses, to the move that is worth most with a
bonus for few playouts (UCT; L. Kocsis and C. Szepesvari, *Bandit based Monte-Carlo planning*, ECML 2006), where dice
are rolled, to an outcome that is drawn. It adds the first state that is new, judged by games that a strategy plays on
from there. On the way back a choice is worth what its best move is worth to the seat that chooses (each seat maximises
its own value, max^n), and a roll the mean over its outcomes; those that were not yet drawn count as the state
was judged itself (such backups are compared with plain means in T. Keller and M. Helmert, *Trial-based heuristic tree
search for finite horizon MDPs*, ICAPS 2013). The move with the most playouts is made.

Where seats don't see everything, the tree has a node for what each of them sees. Each playout then begins in one of the
states that are possible for the seat that chooses (`dicelab.questions.policies.thinking.hands`), as often as it is
likely, and goes on as in a game with all hands open; but what was tried, and how it ended, is kept together for all
states that look the same to the seat that chooses in them. So no seat, in the tree too, goes by what it can't see (P.
Cowling, E. Powley and D. Whitehouse, *Information set Monte Carlo tree search*, IEEE Transactions on Computational
Intelligence and AI in Games 4, 2012, with a node for what each seat sees).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from itertools import accumulate
from math import inf, sqrt
from threading import Lock
from typing import Any

import numpy as np

from dicelab.compile.kernels.arguments import counters
from dicelab.compile.kernels.core import GAMES as TOGETHER
from dicelab.compile.kernels.writers.thinking import TreeArrays, write_tree
from dicelab.engines.compiled import SPILL, WithKernel
from dicelab.errors import RulesError
from dicelab.limits import LIMITS
from dicelab.questions.policies.thinking.ahead import (
    ChoiceState,
    Move,
    Roll,
    Row,
    SearchTable,
    Value,
    logarithm,
    logarithms,
    unseen_fields,
)
from dicelab.questions.policies.thinking.hands import Hand
from dicelab.questions.policies.thinking.players import Thinker, player_of
from dicelab.rules.actions import LISTABLE
from dicelab.rules.game import Game, Strategy
from dicelab.rules.mixtures import LUCK
from dicelab.runtime.interpreter import LIMIT
from dicelab.runtime.outcome_tables import tables
from dicelab.runtime.philox import WORD, Stream, word
from dicelab.runtime.states.codec import hidden_numbers
from dicelab.translation.translator import NotTranslatable

ROLLS = 2**63
"""The rolls of the tree take the words of the games from this number on; none of these games is played on."""


class MoveTried:
    """How often a move could have been made, how often it was tried, and the sum of what that was worth."""

    def __init__(self) -> None:
        self.chances, self.tries, self.total = 0, 0, 0.0


class HiddenTree:
    """What was tried, by what the seat that chooses sees.

    Parameters
    ----------
    table
        The game.
    hands
        The states that are possible for the seat that is to choose now, with their weights.
    seed
        It determines the playouts.
    bonus, spread_games
        As in `dicelab.questions.policies.thinking.mcts`.
    """

    def __init__(self, table: SearchTable, hands: Sequence[Hand], seed: int, bonus: float, spread_games: int) -> None:
        self.table, self.seed, self.games = table, seed, 0
        self.rows = [table.row(game) for game, _ in hands]
        self.running = [*accumulate(weight for _, weight in hands)]
        self.dice = Stream(seed, ROLLS)
        self.phase = word(seed, ROLLS + 1, 0, 0)
        self.seen = [np.flatnonzero(~hidden).tolist() for hidden in hidden_numbers(table.game)]
        self.tried: dict[tuple[int, ...], dict[Move, MoveTried]] = {}
        spread = table.spread(self._hand(0), seed, spread_games, 2**62)
        self.unit = [(bonus * one) or 1.0 for one in spread]

    def _hand(self, number: int) -> Row:
        """Return the state in which a try begins: each as often as it is likely, spread evenly."""
        u = (self.phase + number * GOLDEN & WORD) / (WORD + 1) * self.running[-1]
        return self.rows[bisect_right(self.running, u, hi=len(self.rows) - 1)]

    def best(self, playouts: int, moves: Sequence[Move], seat: int) -> int:
        """Return the place of the move that is tried most often; of several, of the one that is worth most."""
        for number in range(max(playouts, len(moves))):
            self._try(self._hand(number))
        known = self.tried.get(self._look(self.rows[0], seat), {})
        tried = [known.get(move, MoveTried()) for move in moves]
        return max(range(len(moves)), key=lambda i: (tried[i].tries, tried[i].total))

    def _look(self, row: Row, seat: int) -> tuple[int, ...]:
        return seat, *(row[place] for place in self.seen[seat])

    def _try(self, row: Row) -> None:
        """Go on from a state to the first move that is new to the seat that makes it, or to the end; and note what
        that is worth.
        """
        path: list[tuple[MoveTried, int]] = []
        new = False
        while not new:
            step = self.table.step(row)
            if not isinstance(step, ChoiceState | Roll):
                break
            if not isinstance(step, ChoiceState):
                row = self.table.after(row, step.kind, self.dice.draw(step.dice))
                continue
            move = step.moves[0]
            if len(step.moves) > 1:
                known = self.tried.setdefault(self._look(row, step.seat), {})
                move = self._chosen(known, step)
                new = not known[move].tries
                path.append((known[move], step.seat))
            row = self.table.after(row, step.kind, move)
        value = self._worth(row)
        for tried, seat in path:
            tried.tries += 1
            tried.total += value[seat]

    def _worth(self, row: Row) -> Value:
        """Return what a state is worth to each seat, by games that are played on."""
        step = self.table.step(row)
        if not isinstance(step, ChoiceState | Roll):
            return step
        (value,) = self.table.estimates([row], self.seed, LIMITS.unseen_games, LIMITS.unseen_games * self.games)
        self.games += 1
        return value

    def _chosen(self, known: dict[Move, MoveTried], choice: ChoiceState) -> Move:
        """Return the move to try: the first that is new, else the one that is worth most with its bonus for few
        playouts (of the times it could have been made).
        """
        for move in choice.moves:
            known.setdefault(move, MoveTried()).chances += 1
        for move in choice.moves:
            if not known[move].tries:
                return move
        unit = self.unit[choice.seat]

        def hope(move: Move) -> float:
            one = known[move]
            return one.total / one.tries + unit * sqrt(2 * logarithm(one.chances) / one.tries)

        return max(choice.moves, key=hope)


PLAYOUTS = 500
"""Playouts before each choice, unless another number is given."""
MOST_PLAYOUTS = 100_000
"""Limit of this number."""
GAMES = 100
"""Games that are played on from each new state."""
PATIENCE = 25_000
"""Playouts in plain Python after which the tree is compiled, where no engine was asked for: they take about as long as
compiling."""
BONUS = 0.5
"""Unit of the bonus of a move, in standard deviations of what one game is worth."""
TREE = 2**63
"""The rolls of the tree take the words of the game with this number, which is none of those that are played on."""
GOLDEN = 0x9E3779B9
"""The golden ratio's fraction, of 32 bits."""
WORDS = (
    "mcts, mcts:1000, or mcts:1000:bank_over:20 (playouts before each choice, strategy with which games are played on)"
)
"""How this player is written."""


def strategy_of(text: str, game: Game | type[Game]) -> Strategy:
    """Return the player that ``mcts:...`` stands for."""
    return player_of("mcts", text, game, _made, [("playouts", PLAYOUTS, MOST_PLAYOUTS)], WORDS)


@cache
def _made(kind: type[Game], playouts: int, base: str) -> Strategy:
    """Return the player of a game, always the same one."""
    return TreeSearch(kind, playouts, base).strategy()


class TreeSearch(Thinker):
    """The player; it makes `playouts` before each choice, but at least one with each move."""

    knows_hands = True

    def __init__(self, kind: type[Game], playouts: int, base: str) -> None:
        self.playouts = playouts
        self._kernel: _TreeKernel | None = None
        self._patience, self._lock = inf, Lock()
        super().__init__(kind, base, f"mcts:{playouts}")

    def compiled(self, game: Game, at_once: bool = True) -> Strategy:
        """As in `Thinker`; the tree is compiled too, where all is open and no chances of a roll depend on the state."""
        other: TreeSearch = super().compiled(game, at_once).moves
        if not unseen_fields(game):
            other._patience = 0 if at_once else PATIENCE
            other._lock = Lock()
            other._tree_kernel(other.table(game))
        return other.strategy()

    def _tree_kernel(self, table: SearchTable) -> _TreeKernel | None:
        """Return the kernel, compiled once there were enough playouts; None before, and where it can't be compiled."""
        with self._lock:
            if self._kernel is None and self._patience <= 0:
                self._patience = inf
                with suppress(NotTranslatable):
                    self._kernel = _TreeKernel(table)
            self._patience -= self.playouts
            return self._kernel

    def says(self) -> str:
        """Return how moves are found, for people."""
        return f"by tree search with {self.playouts:,} playouts, of {GAMES} games each that {self.base} plays on"

    def best(self, table: SearchTable, row: Row, choice: ChoiceState, seed: int) -> int:
        """Return the place of the move with the most playouts; of several, of the one with the largest mean."""
        kernel = self._tree_kernel(table)
        answered = kernel.best(row, self.playouts, choice, seed) if kernel is not None else None
        if answered is not None:
            return answered
        tree = _Tree(table, row, seed)
        for _ in range(max(self.playouts, len(choice.moves))):
            tree.try_out()
        moves = tree.root.children
        return max(range(len(moves)), key=lambda i: (moves[i].tries, moves[i].value[choice.seat]))

    def best_unseen(self, game: Game, row: Row, choice: ChoiceState) -> int:
        """As `best`, by the states that are possible for the seat that chooses."""
        luck = game.__dict__[LUCK]
        hands = self.hands(game, choice.seat, luck)
        tree = HiddenTree(self.table(game), hands, luck.seed_of_thoughts(), BONUS, LIMITS.spread_games)
        return tree.best(self.playouts, choice.moves, choice.seat)


class _Node:
    """A state in the tree, how often it was tried, what games that were played on are worth, and what it is worth.

    Where a seat chooses, `children` are the states after the moves, in their order; where dice are rolled, those after
    outcomes, with their weights.
    """

    def __init__(self, row: Row, value: Value) -> None:
        self.row, self.tries, self.played, self.value = row, 1, value, value
        self.children: dict[int, _Node] = {}
        self.running: list[int] = []
        self.phase = 0

    def update(self, step: ChoiceState | Roll) -> None:
        """Work out what the state is worth from where it leads; what is untried is worth what games said."""
        self.tries += 1
        if isinstance(step, ChoiceState):
            if len(self.children) == len(step.moves):
                self.value = max((one.value for one in self.children.values()), key=lambda value: value[step.seat])
            return
        outcomes, total = step.dice.outcomes, self.running[-1]
        tried = [(outcomes[place].weight, one.value) for place, one in sorted(self.children.items())]
        tried.append((total - sum(weight for weight, _ in tried), self.played))
        # Added up one by one, as in compiled code; Python's sum would round otherwise.
        sums = [[*accumulate(weight * value[seat] for weight, value in tried)] for seat in range(len(self.played))]
        self.value = tuple(one[-1] / total for one in sums)


class _Tree:
    """The states that were tried, and for each seat the unit of the bonus."""

    def __init__(self, table: SearchTable, row: Row, seed: int) -> None:
        self.table, self.seed = table, seed
        self.evaluated = self.rolls = 0
        spread = table.spread(row, seed, LIMITS.spread_games, 2**62)
        self.unit = [(BONUS * one) or 1.0 for one in spread]
        self.root = self._made(row)

    def _made(self, row: Row) -> _Node:
        """Return a new state."""
        value = self.table.step(row)
        if isinstance(value, ChoiceState | Roll):
            (value,) = self.table.estimates([row], self.seed, GAMES, GAMES * self.evaluated)
            self.evaluated += 1
        return _Node(row, value)

    def try_out(self) -> None:
        """Make one playout."""
        path, node, new = [], self.root, False
        while not new and isinstance(step := self.table.step(node.row), ChoiceState | Roll):
            path.append((node, step))
            node, new = self._chosen(node, step) if isinstance(step, ChoiceState) else self._rolled(node, step)
        node.tries += not new
        for node, step in reversed(path):
            node.update(step)

    def _chosen(self, node: _Node, choice: ChoiceState) -> tuple[_Node, bool]:
        """Return the state after a move, and whether it is new: after each move once, then after the one that is worth
        most with its bonus, the first one of those that are.
        """
        place = len(node.children)
        if place < len(choice.moves):
            node.children[place] = self._made(self.table.after(node.row, choice.kind, choice.moves[place]))
            return node.children[place], True
        seat, unit, log = choice.seat, self.unit[choice.seat], 2 * logarithm(node.tries)
        return max(node.children.values(), key=lambda one: one.value[seat] + unit * sqrt(log / one.tries)), False

    def _rolled(self, node: _Node, roll: Roll) -> tuple[_Node, bool]:
        """Return the state after a roll, and whether it is new.

        The outcomes of one node are drawn by a sequence that is spread evenly (multiples of the golden ratio, from
        a random number on), so that after few playouts each came about as often as it is likely.
        """
        if not node.running:
            if not roll.dice.whole:
                raise RulesError(f"mcts can't list the outcomes of {roll.kind.name}; see its dice as SUM or COUNTS")
            node.phase = word(self.seed, TREE, self.rolls, 0)
            node.running = list(accumulate(outcome.weight for outcome in roll.dice.outcomes))
            self.rolls += 1
        u = (node.phase + node.tries * GOLDEN & WORD) * node.running[-1] >> 32
        place = bisect_right(node.running, u)
        if place in node.children:
            return node.children[place], False
        seen = roll.dice.outcomes[place].seen
        node.children[place] = self._made(self.table.after(node.row, roll.kind, seen))
        return node.children[place], True


class _TreeKernel(WithKernel):
    """The same tree, compiled."""

    def __init__(self, table: SearchTable) -> None:
        super().__init__(table.game, table.calls)
        self.tables, self.table, self.first = tables(table.game), table, table.start()
        self.prizes, self.signs = table.prizes()
        self.text, self.places = write_tree(type(table.game), self.strategies, self.tables.one_word)
        self.compile()

    def _play_none(self) -> None:
        self._best(self.first, -1, 0, 0, 0)

    def best(self, row: Row, playouts: int, choice: ChoiceState, seed: int) -> int | None:
        """Return what `TreeSearch.best` does; None if compiled code can't find it."""
        try:
            answered = self._best(row, playouts, choice.seat, seed, max(playouts, len(choice.moves)))
        except Exception:  # whatever is wrong, plain Python says it
            return None
        return answered if answered >= 0 else None

    def _best(self, row: Row, playouts: int, seat: int, seed: int, most: int) -> int:
        run = np.uint64(seed & WORD), np.uint64(seed >> 32), LIMIT
        scratch = np.empty(4 * TOGETHER, np.uint32), np.empty(4 * TOGETHER, np.uint32)
        counted = counters(self.outcomes, self.tallies, SPILL + self.tallies)
        given = run, self.setting, self.rows(), scratch, self.tables.for_thread(), counted, self._room(most + 2)
        cells = np.array(row, np.int64)
        return int(self._kernel(*given, cells, playouts, seat, GAMES, BONUS, LIMITS.spread_games))

    def _room(self, nodes: int) -> TreeArrays:
        """Return arrays for a tree of so many nodes."""
        numbers, seats, games = len(self.first), self.table.seats, max(GAMES, LIMITS.spread_games)
        width = self.setting.spans.shape[1]

        def whole(*shape: int) -> Any:
            return np.zeros(shape, np.int64)

        def real(*shape: int) -> Any:
            return np.zeros(shape)

        firsts = np.array(self.tables.first, np.int64)
        return TreeArrays(
            *(self.prizes, self.signs, logarithms(nodes), firsts),
            *(whole(nodes, numbers), whole(nodes), whole(nodes), real(nodes, seats), real(nodes, seats)),
            *(whole(nodes), whole(nodes), whole(nodes), whole(nodes), whole(nodes), whole(nodes), whole(nodes)),
            *(real(seats), whole(games, 2 + numbers), whole(games, 1 + self.tallies), real(games, seats), whole(3)),
            *(whole(self.tallies), whole(LISTABLE + 1, width)),
            *(np.zeros(LISTABLE + 1, np.bool_), whole(1), real(seats)),
        )
