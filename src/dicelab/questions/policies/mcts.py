"""A player for every game by Monte Carlo tree search, with rolls as nodes of the tree.

Each try goes down the tree of the states met so far: where a seat chooses, to the move that is worth most with a bonus
for few tries (UCT; L. Kocsis and C. Szepesvari, *Bandit based Monte-Carlo planning*, ECML 2006), where dice are rolled,
to an outcome that is drawn. It adds the first state that is new, judged by games that a strategy plays on from there.
On the way back a choice is worth what its best move is worth to the seat that chooses (each seat maximises its own
value, max^n), and a roll the mean over its outcomes, of which those that were not yet drawn count as the state was
judged itself (such backups are compared with plain means in T. Keller and M. Helmert, *Trial-based heuristic tree
search for finite horizon MDPs*, ICAPS 2013). The move with the most tries is made.

Where seats don't see everything, the tree has a node for what each of them sees (`dicelab.questions.policies.unseen`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from math import fsum, sqrt

from dicelab.errors import RulesError
from dicelab.questions.policies.ahead import ChoiceState, Roll, Row, Table, Value, logarithm
from dicelab.questions.policies.hands import Hand
from dicelab.questions.policies.thinking import Thinker, player_of
from dicelab.questions.policies.unseen import HiddenTree
from dicelab.rules.game import Game, Strategy
from dicelab.runtime.philox import WORD, word

TRIES = 500
"""Tries before each choice, unless another number is given."""
MOST_TRIES = 100_000
"""Limit of this number."""
GAMES = 100
"""Games that are played on from each new state."""
BONUS = 0.5
"""Unit of the bonus of a move, in standard deviations of what one game is worth."""
SPREAD_GAMES = 200
"""Games by which the standard deviation is found."""
TREE = 2**63
"""The rolls of the tree take the words of the game with this number, which is none of those that are played on."""
GOLDEN = 0x9E3779B9
"""The golden ratio's fraction, of 32 bits."""
WORDS = "mcts, mcts:1000, or mcts:1000:bank_over:20 (tries before each choice, strategy with which games are played on)"
"""How this player is written."""


def strategy_of(text: str, game: Game | type[Game]) -> Strategy:
    """Return the player that ``mcts:...`` stands for.

    Raises
    ------
    InputError
    """
    return player_of("mcts", text, game, _made, [("tries", TRIES, MOST_TRIES)], WORDS)


@cache
def _made(kind: type[Game], tries: int, base: str) -> Strategy:
    """Return the player of a game, always the same one."""
    return TreeSearch(kind, tries, base).strategy()


class TreeSearch(Thinker):
    """The player; it makes `tries` before each choice, but at least one with each move."""

    knows_hands = True

    def __init__(self, kind: type[Game], tries: int, base: str) -> None:
        self.tries = tries
        super().__init__(kind, base, f"mcts:{tries}")

    def says(self) -> str:
        """Return how moves are found, for people."""
        return f"by tree search with {self.tries:,} tries, of {GAMES} games each that {self.base} plays on"

    def best(self, table: Table, row: Row, choice: ChoiceState, seed: int) -> int:
        """Return the place of the move with the most tries; of several, of the one with the largest mean."""
        tree = _Tree(table, row, seed)
        for _ in range(max(self.tries, len(choice.moves))):
            tree.try_out()
        moves = tree.root.children
        return max(range(len(moves)), key=lambda i: (moves[i].tries, moves[i].value[choice.seat]))

    def best_unseen(self, table: Table, hands: Sequence[Hand], choice: ChoiceState, seed: int) -> int:
        """As `best`, for a seat to which these states are possible."""
        return HiddenTree(table, hands, seed, BONUS, SPREAD_GAMES).best(self.tries, choice.moves, choice.seat)


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
        self.value = tuple(fsum(w * value[seat] for w, value in tried) / total for seat in range(len(self.played)))


class _Tree:
    """The states that were tried, and for each seat the unit of the bonus."""

    def __init__(self, table: Table, row: Row, seed: int) -> None:
        self.table, self.seed = table, seed
        self.evaluated = self.rolls = 0
        spread = table.spread(row, seed, SPREAD_GAMES, 2**62)
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
        """Make one try."""
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
        a random number on), so that after few tries each came about as often as it is likely.
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
