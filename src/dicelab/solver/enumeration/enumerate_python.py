"""Enumerates the states of a game by running its rules in plain Python: the reference for the compiled enumeration.

`dicelab.compile.kernels.writers.enumerate` does the same compiled; both give the same graph, number by number.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import nullcontext
from functools import lru_cache
from typing import Any

import numpy as np

from dicelab.compile.kernels.arguments import Outcomes
from dicelab.errors import RangeError, RulesError
from dicelab.rules.actions import Decision, Rule, Throw
from dicelab.rules.dice import RollOutcome
from dicelab.rules.fields import applied
from dicelab.rules.game import Game
from dicelab.rules.loading.source import tree_of
from dicelab.runtime.interpreter import Explained
from dicelab.runtime.lineup import Run
from dicelab.runtime.outcome_tables import pool_rows
from dicelab.runtime.philox import Pool, pool
from dicelab.runtime.states.codec import Slots
from dicelab.runtime.states.explorer import End, StateExplorer
from dicelab.runtime.states.symmetry import Rotation
from dicelab.solver.enumeration.mixing import chosen_by, mixing_seats, option, weights_of
from dicelab.solver.enumeration.model import (
    GoOn,
    Graph,
    all_outcomes,
    as_labels,
    as_weights,
    large_weights,
    move_number,
    moves_at,
)

# Rolls ----------------------------------------------------------------------------------------------------------------
#
# The outcomes of a roll that a chain follows: one for all those that do the same to the game.
#
# A rule that adds the greens to the points, and asks of the reds only whether there are any, does the same after one
# red and after two. Both are one outcome with the sum of their weights, found before the rule runs and not in every
# state.

EXPRESSIONS = (ast.BinOp, ast.BoolOp, ast.Compare, ast.Constant, ast.IfExp, ast.Name, ast.Tuple, ast.UnaryOp)
"""Syntax nodes of expressions; one that consists of these alone depends on nothing but the names in it."""
SIGNS = (ast.boolop, ast.cmpop, ast.expr_context, ast.operator, ast.unaryop)


def different_outcomes(game: Game, kind: Throw, dice: Pool, *others: Throw) -> list[RollOutcome]:
    """Return the outcomes of a roll that differ in effect, in order; each has the weight of all with its effect.

    `others` are further kinds of roll of the same dice: outcomes that differ by the rule of any kind are kept apart.
    """
    kinds = kind, *others
    if any(each.varies for each in kinds):  # what is drawn leaves the bag
        return all_outcomes(game, kind, dice)
    used, found = [_used(each.rule) for each in kinds], dict[tuple[Any, ...], RollOutcome]()
    for outcome in all_outcomes(game, kind, dice):
        effect = tuple(use(outcome.seen) for use in used)
        first = found.setdefault(effect, outcome)
        if first is not outcome:
            found[effect] = RollOutcome(first.seen, first.weight + outcome.weight)
    return list(found.values())


class RollArrays:
    """The rolls of a game as arrays for compiled loops; the outcomes of each row of dice are listed when first needed.

    Rows that are never rolled may have too many outcomes to list.

    Attributes
    ----------
    kinds, wide
        int64 array (kinds, 3): first row, largest number of dice and width of each kind of roll; the largest width.
    first, count
        For each row the place of its first outcome, and the number of its outcomes; -1: not yet listed.
    values, weights
        What is seen of each outcome (`wide` numbers), and its weight; outcomes that do the same are one if `merged`.
    sums
        For each row the sum of its weights.
    large
        Whether weights are floating-point numbers, because they don't fit into 64 bits.
    """

    def __init__(self, game: Game, merged: bool) -> None:
        self.game, self.merged, self.large = game, merged, large_weights(game)
        kinds, self.pools = pool_rows(game)
        self.kinds = np.array(kinds, np.int64).reshape(-1, 3)
        self.wide = max([kind[2] for kind in kinds], default=1)
        self.first, self.count = np.zeros(len(self.pools), np.int64), np.full(len(self.pools), -1)
        self.values, self.weights = np.zeros(0, np.int64), as_weights([], self.large)
        self.sums = as_weights([0] * len(self.pools), self.large)

    @property
    def arrays(self) -> Outcomes:
        """What compiled loops take."""
        return Outcomes(self.kinds, self.wide, self.first, self.count, self.values, self.weights, self.sums)

    def add(self, row: int) -> None:
        """List the outcomes of a row."""
        begins = self.kinds[:, 0].tolist()
        begin = max(begin for begin in begins if begin <= row)  # kinds that roll the same dice share rows
        kind, *others = (k for k, at in zip(self.game.declared.throws, begins, strict=True) if at == begin)
        given = self.game, kind, self.pools[row]
        outcomes = different_outcomes(*given, *others) if self.merged else all_outcomes(*given)
        seen = [(*o.seen, *(0,) * (self.wide - len(o.seen))) for o in outcomes]
        self.first[row], self.count[row] = len(self.weights), len(outcomes)
        self.sums[row] = sum(o.weight for o in outcomes)
        self.values = np.concatenate((self.values, np.array(seen, np.int64).reshape(-1)))
        self.weights = np.concatenate((self.weights, as_weights([o.weight for o in outcomes], self.large)))


@lru_cache(maxsize=64)
def _used(rule: Rule) -> Callable[[tuple[int, ...]], tuple[Any, ...]]:
    """Return a function of the numbers that the rule of a roll receives: if its results are equal, so is the rule's
    effect.

    The results are the values of the largest expressions in the rule that consist of these numbers and constants
    alone. If the rule assigns to one of the numbers, or can't be read, they are the numbers themselves.
    """
    try:
        tree = tree_of(rule)  # type: ignore[arg-type]
    except (RulesError, AttributeError):
        return tuple
    names = {given.arg for given in ast.walk(tree.args) if isinstance(given, ast.arg)}
    body = tree.body if isinstance(tree.body, list) else [tree.body]
    if tree.args.vararg or any(_binds(node, names) for part in body for node in ast.walk(part)):
        return tuple
    numbers = [given.arg for given in [*tree.args.posonlyargs, *tree.args.args][1:]]
    parts = {ast.unparse(part): part for node in body for part in _closed(node, set(numbers))}
    together = ast.Expression(ast.Tuple([*parts.values()], ast.Load()))
    code = compile(ast.fix_missing_locations(together), "<outcome>", "eval")

    def values(seen: tuple[int, ...]) -> tuple[Any, ...]:
        try:
            return tuple(eval(code, {}, dict(zip(numbers, seen, strict=True))))
        except (ArithmeticError, TypeError, ValueError):
            return "all", *seen

    return values


def _binds(node: ast.AST, names: set[str]) -> bool:
    """Return whether a piece of syntax may give one of these names another value."""
    if isinstance(node, ast.Name):
        return node.id in names and not isinstance(node.ctx, ast.Load)
    return isinstance(node, ast.Lambda | ast.FunctionDef | ast.Match | ast.Try)


def _closed(node: ast.AST, names: set[str]) -> Iterator[ast.expr]:
    """Yield the largest expressions in a piece of syntax that consist of constants and one or more of these names."""
    parts = list(ast.walk(node))
    found = {part.id for part in parts if isinstance(part, ast.Name)}
    if isinstance(node, EXPRESSIONS) and found <= names and all(isinstance(p, (*EXPRESSIONS, *SIGNS)) for p in parts):
        if found:
            yield node
        return
    for part in ast.iter_child_nodes(node):
        yield from _closed(part, names)


class Walk(StateExplorer):
    """The states and edges found so far.

    Parameters
    ----------
    run
        The game and its strategies.
    free
        Decision seats: their choices are states, with an edge for each move.
    turned
        See states from the seat whose turn it is. The game must declare that all seats are alike.
    roots
        States to begin with as well, numbered after the start in this order.

    Attributes
    ----------
    followed
        Number of branches (outcomes and moves) followed so far.
    """

    def __init__(
        self, run: Run, free: Collection[int] = (), turned: bool = False, roots: Iterable[tuple[int, ...]] = ()
    ) -> None:
        self.run = run
        self.drawing = frozenset(mixing_seats(run, free))
        """Seats whose strategies draw their moves: their choices are states, and what they draw is a roll."""
        self.followed = 0
        self.rotation = Rotation.of(run.game) if turned else None
        self.slots = Slots.of(run.game, run.calls)
        self.row, self.target, self.label, self.mover = [0], list[int](), list[int](), list[int]()
        self.labels = dict[tuple[int, int, int], int]()
        """The number of each weight, total and change."""
        super().__init__(run, {*free, *self.drawing} if self.drawing else free)
        for root in roots:
            self.positions.number(root)

    def graph(self, go_on: GoOn = lambda found, expanded: True) -> Graph | None:
        """Expand every state; None when `go_on` returns false."""
        while len(self.mover) < len(self.positions.things):
            if not self.expand(self.positions.things[len(self.mover)], go_on):
                return None
        large = large_weights(self.game)
        weight, total, change = zip(*self.labels, strict=True) if self.labels else ((), (), ())
        keys = [self.slots.pack(numbers) for numbers in self.positions.things]
        changes = np.array(self.changes.things, np.int64).reshape(len(self.changes.things), -1)
        tallies = len(self.nothing)
        return Graph(
            self.run.game,
            self.run.calls,
            self.slots,
            *self.start,
            np.array(keys, np.uint64).reshape(-1, self.slots.words),
            np.array(self.row, np.int64),
            np.array(self.target, np.int32),
            as_labels(self.label, len(self.labels)),
            as_weights(weight, large),
            as_weights(total, large),
            np.array(change, np.int64),
            changes[:, :tallies],
            np.array(self.mover, np.int32),
            changes[:, tallies] if self.rotation else None,
        )

    def note(self, here: tuple[int, ...], counted: tuple[int, ...]) -> End:
        """As in `StateExplorer`; what is counted ends with the number of seats by which the state is rotated."""
        if self.rotation is None:
            return super().note(here, counted)
        seen, by = self.rotation.seen(here)
        return super().note(seen, (*counted, by))

    def note_over(self, outcome: int, counted: tuple[int, ...]) -> End:
        """As in `StateExplorer`, with no rotation."""
        return super().note_over(outcome, counted if self.rotation is None else (*counted, 0))

    def admit(self, numbers: tuple[int, ...]) -> None:
        """Refuse a state outside the declared ranges."""
        try:
            self.slots.pack(numbers)
        except OverflowError as error:
            raise RangeError(str(error)) from error

    def expand(self, here: tuple[int, ...], go_on: GoOn = lambda found, expanded: True) -> bool:
        """Add the edges of one state; false when `go_on` returns false."""
        kind, number = self.arrive(here)
        if isinstance(kind, Decision) and number in self.drawing:
            self._expand_drawing(kind, number, here)
            return True
        if isinstance(kind, Decision):
            with Explained(self.game) if kind.lists else nullcontext():
                moves = moves_at(kind, self.game)
            branches = [(move_number(kind, self.game, move), move) for move in moves]
        else:
            with Explained(self.game):
                dice = pool(self.game, kind, number)
            branches = [(outcome.weight, outcome.seen) for outcome in different_outcomes(self.game, kind, dice)]
        chooses = isinstance(kind, Decision)
        ends = list[tuple[End, int]]()
        for i, (weight, values) in enumerate(branches):
            if i % 64 == 0 and not go_on(len(self.positions.things), len(self.mover)):
                return False
            self.followed += 1
            end = self.follow(kind, values)
            if end is not None:
                ends.append((end, weight))
        if not ends:
            self.place.set(here)
            with Explained(self.game):
                raise RulesError(f"seat {number} has no sensible move in {kind.name}")
        if chooses:
            self._add(ends, 1, number)
        else:
            self._add_weighed(ends, sum(weight for weight, _ in branches))
        return True

    def _expand_drawing(self, kind: Decision, seat: int, here: tuple[int, ...]) -> None:
        """Add the edges of a state in which a strategy draws its move."""
        call, memory, ends = self.run.calls[seat], self.place.memories[seat], list[tuple[End, int]]()
        with Explained(self.game):
            weights = weights_of(chosen_by(self.game, seat, call, memory))
        for at, weight in enumerate(weights):
            if weight == 0:
                continue
            self.followed += 1
            self.arrive(here)
            with Explained(self.game):
                chosen = chosen_by(self.game, seat, call, memory)
                applied(kind.run, self.game, option(chosen, at, self.game, kind, call.strategy.name))
            ends.append((self._settle(), weight))
        self._add_weighed(ends, sum(weights))

    def _add_weighed(self, ends: list[tuple[End, int]], total: int) -> None:
        """Add edges with weights; those that do the same are one edge."""
        same = dict.fromkeys((end for end, _ in ends), 0)
        for end, weight in ends:
            same[end] += weight
        self._add(list(same.items()), total, -1)

    def _add(self, ends: list[tuple[End, int]], total: int, mover: int) -> None:
        """Add the edges of the state that is expanded."""
        for (target, change), weight in ends:
            self.target.append(target)
            self.label.append(self.labels.setdefault((weight, total, change), len(self.labels)))
        self.row.append(len(self.target))
        self.mover.append(mover)
