"""Search for a good small rule: fit trees to the costs of mistakes, and evaluate each tree exactly.

The loss of a rule is the sum over all states of its expected visits times the cost of its move there. Trees are fitted
with the visits under the policy first, then with those under the best rules found so far, and each is evaluated
exactly. Finally, the tests of the best tree are changed as long as that reduces the loss. (Bastani, Pu, Solar-Lezama:
Verifiable reinforcement learning via policy extraction, 2018.)

By itself because it is the search, and `dicelab.questions.heuristics.rule` the question with its answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from dicelab.errors import EndlessGameError
from dicelab.questions.heuristics.features import EXTREMES, Feature, RuleWords, features, questions, slopes, words
from dicelab.questions.heuristics.move_graph import MoveGraph, MovesTried
from dicelab.questions.heuristics.tree import (
    Axis,
    Costs,
    Leaf,
    Node,
    Tree,
    apart,
    changed,
    decided,
    dips,
    fitted,
    grown,
    nodes,
    reached,
    size,
    trimmed,
)
from dicelab.runtime.arrays import Floats
from dicelab.solver.enumeration.graph import Share

FIRST = 10
"""Work of the first fits and thresholds; that of each further step for trees of n leaves is about n."""
ROUNDS, LAST = 2, 4
"""For the largest size: rounds of fitting, and rounds in which every test is reconsidered."""
OTHERS, PROPOSED = 3, 4
"""Thresholds of the same feature, and tests in total, that are tried as a replacement of a test."""
NAMED = 3
"""Maximum number of moves that a leaf names before the most or the least allowed."""
HOPELESS = 1.1
"""A rule whose loss in one seat exceeds the bar by this factor is not evaluated in the other seats."""
PLAIN, ALONE = 2, 3
"""Number of features with single thresholds to try, and number of actions to try as the only one."""
SHARE = 1e-4
"""States in which all mistakes together could cost less than this share of the total are omitted from the fit."""
SLOPED, ROOTS = 10, 24
"""Maximum number of features with a slope, and of features that may be roots: those that reduce the cost most alone."""
REAL = 1e-12
"""Smaller differences count as rounding errors."""


class _OutOfTime(Exception):
    """The time for a search is over."""


@dataclass(frozen=True)
class RuleCandidate:
    """A rule that was evaluated.

    Attributes
    ----------
    tree
        The rule.
    options
        int64 array: the option it takes in each state.
    worths
        Its value in each optimised seat.
    visits
        Expected visits of each state by the seat that chooses there.
    loss
        Its loss compared with the policy, averaged over the seats.
    """

    tree: Tree
    options: NDArray[np.int64]
    worths: tuple[float, ...]
    visits: Floats
    loss: float


@dataclass(frozen=True)
class Mistakes:
    """Expected visits of each state (`weight`), and the cost of each action there (`regret`: actions, states)."""

    weight: Floats
    regret: Floats


class RuleSearch:
    """A search for rules that approximate a policy.

    Parameters
    ----------
    table
        Evaluates rules.

    Attributes
    ----------
    best
        The policy itself as a candidate.
    words, features, plain
        The actions; the features; the number of features without a slope, which come first.
    regret
        Cost of each action in each state under the policy; nan if it is not allowed.
    known
        By tree that was tried: its loss, infinite if the evaluation was cut short.
    by_size
        By number of leaves: the best rule so far.
    until, stopped
        When the search ends, by the monotonic clock, and whether it was ended before its end.
    seen, count
        Sum of the visits under all rules evaluated completely, and their number.

    Raises
    ------
    EndlessGameError
        When games might never end under the policy itself.
    """

    def __init__(self, table: MoveGraph) -> None:
        self.table = table
        self.known: dict[Tree, float] = {}
        self.worths: tuple[float, ...] = ()
        self.seen, self.count = np.zeros(len(table.policy)), 0
        best = self._candidate(Leaf(()), table.policy.best)
        if best is None:
            raise EndlessGameError(f"{table.graph.game.name}: games might never end under this policy")
        self.best, self.worths = best, best.worths
        self.words: RuleWords = words(table, best.visits)
        plain = features(table, self.words)
        slanted = slopes(table)
        self.plain = len(plain)
        asked = questions(table, self.words)
        self.questions = range(len(plain) + len(slanted), len(plain) + len(slanted) + len(asked))
        self.features: list[Feature] = [*plain, *slanted, *asked]
        self.columns = [feature.values for feature in self.features]
        self.regret = self._regrets(table.policy.worth)
        self.by_size: dict[int, RuleCandidate] = {}
        self.until = inf
        self.stopped = False

    def _candidate(self, tree: Tree, options: NDArray[np.int64], bar: float = inf) -> RuleCandidate | None:
        assert (options >= 0).all(), "a rule without a move in some state"
        tried: list[MovesTried] = []
        for place, seat in enumerate(self.table.free):
            result = self.table.tried(options, seat)
            if result is None:
                return None
            tried.append(result)
            if self.worths and self.table.sign * (self.worths[place] - result.worth) > HOPELESS * bar:
                return None
        worths = tuple(t.worth for t in tried)
        lost = self.table.sign * (np.array(self.worths or worths) - np.array(worths))
        visits = np.sum([t.visits for t in tried], axis=0)
        self.seen, self.count = self.seen + visits, self.count + 1
        return RuleCandidate(tree, options, worths, visits, float(lost.mean()))

    def tried(self, tree: Tree, bar: float = inf) -> RuleCandidate | None:
        """Evaluate a rule; None if games might never end, or its loss is far above `bar`, or known to reach it."""
        if self.by_size and monotonic() > self.until:
            raise _OutOfTime
        rule = trimmed(tree, self.features, self.words)
        if self.known.get(rule, 0.0) >= bar:
            return None
        candidate = self._candidate(rule, decided(rule, self.features, self.words), bar)
        self.known[rule] = inf if candidate is None else candidate.loss
        return candidate

    def _regrets(self, worth: Floats) -> Floats:
        """Cost of each action in each state, compared with the best action there; nan if the action is not allowed.

        `worth` has the value of each option.
        """
        options = self.words.options
        value = np.where(options >= 0, self.table.sign * worth[options], np.nan)
        return np.asarray(np.nanmax(value, axis=0) - value)

    def mistakes(self, candidate: RuleCandidate | None) -> list[Mistakes]:
        """Return the mistakes to fit to: under the policy; or under a rule, with the policy's and
        with its own values.
        """
        if candidate is None:
            return [Mistakes(self.best.visits, self.regret)]
        listed = [Mistakes(candidate.visits + self.seen / self.count, self.regret)]
        paired = zip(self.table.free, candidate.worths, strict=True)
        own = [self.table.worth_of_options(candidate.options, s, worth) for s, worth in paired]
        seat = np.repeat(self.table.seat, np.diff(self.table.policy.row))
        listed.append(Mistakes(candidate.visits, self._regrets(np.select([seat == s for s in self.table.free], own))))
        return listed

    def order(self, learnt: Mistakes, here: NDArray[np.bool_]) -> list[int]:
        """Return the actions by rising mean cost in the states `here`, over those states where they are allowed."""
        weight = learnt.weight[here]
        can = self.words.options[:, here] >= 0
        lost = np.where(can, np.nan_to_num(learnt.regret[:, here]) * weight, 0.0).sum(axis=1)
        visits = (can * weight).sum(axis=1)
        mean = np.divide(lost, visits, out=np.full(len(visits), inf), where=visits > 0.0)
        return [int(word) for word in np.lexsort((-can.sum(axis=1), mean))]

    def costs(self, learnt: Mistakes, numbers: Sequence[int]) -> Costs:
        """Return the costs to fit to, with some of the features: costs of actions times visits, in the states that
        matter.

        An action that is not allowed in a state costs what the first allowed one in `order` does, as `_whole` adds it.
        """
        weight, regret = learnt.weight, learnt.regret
        instead = np.full(len(weight), np.nan)
        for word in self.order(learnt, np.ones(len(weight), np.bool_)):
            instead = np.where(np.isnan(instead), regret[word], instead)
        cost = np.where(np.isnan(regret), instead, regret) * weight
        worst = cost.max(axis=0)
        ranked = np.argsort(-worst, kind="stable")
        running = np.cumsum(worst[ranked])
        matter = np.sort(ranked[: int(np.searchsorted(running, (1.0 - SHARE) * running[-1])) + 1])
        return Costs([Feature("", self.features[number].values[matter]) for number in numbers], cost[:, matter])

    def fit(self, learnt: Mistakes, leaves: int) -> list[Tree]:
        """Return the trees of low cost with 2, 3, ... leaves."""
        order = [f for _, f, _ in self.costs(learnt, range(self.questions.start)).best_splits()]
        sloped = [f for f in order if f >= self.plain][:SLOPED]
        kept = [f for f in order if f < self.plain or f in sloped]
        roots = kept[:ROOTS]
        kept.sort()
        trees = fitted(self.costs(learnt, kept), leaves, sorted(kept.index(f) for f in roots))
        return [self._whole(_renamed(tree, kept), learnt) for tree in trees]

    def _whole(self, tree: Tree, learnt: Mistakes) -> Tree:
        """Return the tree with further actions at each leaf, for states where the first one is not allowed."""
        for leaf, here in list(apart(tree, self.columns, len(learnt.weight))):
            order = [word for word in self.order(learnt, here) if word != leaf.order[0]]
            tree = changed(tree, leaf, Leaf(self._short((*leaf.order, *order))))
        return tree

    def _short(self, order: tuple[int, ...]) -> tuple[int, ...]:
        """Return the first few actions, then the most or the least allowed, then what is needed for every state.

        In a game of several decisions the most allowed may exist for one of them only.
        """
        extreme = [place for place, word in enumerate(order) if self.words.names[word] in EXTREMES]
        if not extreme:
            return order
        few = min(extreme[0], NAMED)
        short = [*order[:few], order[extreme[0]]]
        left = (self.words.options[short] < 0).all(axis=0)
        for word in order[few:]:
            allowed = left & (self.words.options[word] >= 0)
            if allowed.any():
                short.append(word)
                left &= ~allowed
        return tuple(short)

    def search(
        self, leaves: int, share: Share = lambda done: None, seconds: float | None = None
    ) -> list[RuleCandidate]:
        """Return the best rules found with at most 1, 2, ... leaves, each with a smaller loss than the one before.

        `share` is called with the share of the search that is done. After so many `seconds`, or Ctrl-C, the search ends
        with the rules known by then (`stopped`); one is always evaluated.
        """
        self.until = inf if seconds is None else monotonic() + seconds
        most = leaves * max(1, len(self.questions))
        try:
            if self.questions:
                self._each_question(leaves, share)
            else:
                self._search(leaves, share)
        except _OutOfTime:
            self.stopped = True
        except KeyboardInterrupt:
            if not self.by_size:
                raise
            self.stopped = True
        return _better_and_better(self.by_size, most)

    def _each_question(self, leaves: int, share: Share) -> None:
        """Fit and improve rules of up to so many leaves for each of several kinds of choices."""
        best: RuleCandidate | None = None
        for done in range(ROUNDS + 1):
            share(done / (ROUNDS + 2))
            for learnt in self.mistakes(best):
                trees = [self._fits_of(learnt, number, leaves) for number in self.questions]
                for many in range(leaves):
                    tree = trees[-1][min(many, len(trees[-1]) - 1)]
                    for number, grown_trees in zip(self.questions[:-1], trees[:-1], strict=True):
                        tree = Node(number, 1, tree, grown_trees[min(many, len(grown_trees) - 1)])
                    self.keep(tree)
            before, best = best, self._so_far(leaves * len(self.questions))
            if best is before:
                break
        if best is not None:
            share((ROUNDS + 1) / (ROUNDS + 2))
            self.note(self.bettered(best, LAST))

    def _fits_of(self, learnt: Mistakes, question: int, leaves: int) -> list[Tree]:
        """Return the trees of low cost with 1, 2, ... leaves for one kind of choice."""
        here = self.columns[question] > 0
        alone = Mistakes(learnt.weight * here, learnt.regret)
        first = Leaf(self._short(tuple(self.order(alone, here))))
        return [first, *(self.fit(alone, leaves) if leaves > 1 else [])]

    def _search(self, leaves: int, share: Share) -> None:
        """Fit and improve rules of up to so many leaves."""
        rounds = {many: ROUNDS if many == leaves else 1 for many in range(2, leaves + 1)}
        whole = FIRST + sum(many * (most + 1) for many, most in rounds.items())
        done = FIRST
        share(0.0)
        first = self.mistakes(None)[0]
        everywhere = np.ones(len(self.best.visits), np.bool_)
        if leaves > 1:
            self._one_threshold(first)  # the best rule that can be had soon, should the time be over
        for word in self.order(first, everywhere)[:ALONE]:
            self.keep(self._whole(Leaf((word,)), first))
        if leaves > 1:
            for tree in self.fit(first, leaves):
                self.keep(tree)
        for many, most in rounds.items():
            for k in range(most):
                share((done + many * k) / whole)
                before = self._so_far(many)
                self._round(many)
                if self._so_far(many) is before:
                    break
            share((done + many * most) / whole)
            if many in self.by_size:
                self.note(self.bettered(self.by_size[many], LAST if many == leaves else 1))
            done += many * (most + 1)

    def _so_far(self, many: int) -> RuleCandidate | None:
        """Return the best rule so far with at most `many` leaves."""
        return min((c for k, c in self.by_size.items() if k <= many), key=lambda c: c.loss, default=None)

    def _round(self, many: int) -> None:
        """Fit rules of `many` leaves to the mistakes of the best rule so far."""
        so_far = self._so_far(many)
        for learnt in self.mistakes(so_far):
            for tree in self.fit(learnt, many)[-2:]:
                self.keep(tree)
            if so_far is not None and size(so_far.tree) < many:
                costs = self.costs(learnt, range(len(self.features)))
                self.keep(self._whole(grown(costs, so_far.tree), learnt))

    def _one_threshold(self, first: Mistakes) -> None:
        """Try thresholds of the fields of the state, and of the features that reduce the cost most."""
        order = [feature for _, feature, _ in self.costs(first, range(self.plain)).best_splits()]
        state = self.table.graph.game.declared.state
        for feature in dict.fromkeys([*(f for f in order if self.features[f].name in state), *order[:PLAIN]]):
            best: RuleCandidate | None = None
            for _ in range(ROUNDS + 1):
                before = best
                for learnt in self.mistakes(best):
                    for tree in self._thresholds(feature, learnt):
                        tried = self.tried(tree, best.loss if best else inf)
                        if tried is not None and (best is None or tried.loss < best.loss - REAL):
                            best = tried
                            self.note(best)
                if best is before:
                    break

    def _thresholds(self, feature: int, learnt: Mistakes) -> list[Tree]:
        """Rules with one threshold of one feature: those of least cost."""
        alone = self.costs(learnt, [feature])
        trees = [replace(alone.split(0, threshold), feature=feature) for threshold in alone.thresholds(0, OTHERS)]
        return [self._whole(tree, learnt) for tree in trees]

    def keep(self, tree: Tree) -> None:
        """Evaluate a rule and keep it if it is the best of its size."""
        before = self.by_size.get(size(tree))
        tried = self.tried(tree, inf if before is None else before.loss)
        if tried is not None:
            self.note(tried)

    def note(self, tried: RuleCandidate) -> None:
        """Keep an evaluated rule if it is the best of its size."""
        many = size(tried.tree)
        if many not in self.by_size or tried.loss < self.by_size[many].loss:
            self.by_size[many] = tried

    def bettered(self, candidate: RuleCandidate, rounds: int) -> RuleCandidate:
        """Improve a rule by replacing one test at a time, until a round brings no gain, for at most `rounds` rounds."""
        for _ in range(rounds):
            before = candidate
            for place in range(size(candidate.tree) - 1):
                for learnt in self.mistakes(candidate):
                    for tree in self._proposed(candidate.tree, place, learnt):
                        better = self.tried(tree, candidate.loss)
                        if better is not None and better.loss < candidate.loss - REAL:
                            candidate = better
                    if size(candidate.tree) <= place + 1:
                        break
                if size(candidate.tree) <= place + 1:
                    break
            if candidate is before:
                break
        return candidate

    def _proposed(self, tree: Tree, place: int, learnt: Mistakes) -> list[Tree]:
        """Return the tree with other tests at one node: those of least cost."""
        node = nodes(tree)[place]
        if node.feature in self.questions:
            return []
        parts = reached(tree, self.columns, np.ones(len(learnt.weight), np.bool_))
        reach = np.any([mask for part, mask in parts if part is node], axis=0)
        here = np.flatnonzero(reach & (learnt.weight > 0.0))
        low, high = (self._cost_of(side, learnt, here) for side in (node.low, node.high))
        proposed = []
        for number, feature in enumerate(self.features[: self.questions.start]):
            axis = Axis.of(feature.values[here])
            # Cost at threshold k: `low` in the states below it, `high` in the others; turned round, the reverse.
            gained = np.cumsum(np.bincount(axis.place, low - high, len(axis)))[:-1]
            for turned, cost in ((False, high.sum() + gained), (True, low.sum() - gained)):
                many = OTHERS if number == node.feature and not turned else 1
                for at in dips(cost, many):
                    sides = (node.high, node.low) if turned else (node.low, node.high)
                    proposed.append((float(cost[at]), Node(number, int(axis.values[at + 1]), *sides)))
        proposed.sort(key=lambda pair: pair[0])
        return [changed(tree, node, new) for _, new in proposed[:PROPOSED]]

    def _cost_of(self, tree: Tree, learnt: Mistakes, here: NDArray[np.int64]) -> Floats:
        """Return the cost of a tree's moves in some states."""
        options = decided(tree, self.features, self.words)[here]
        cost = np.zeros(len(here))
        for word, regret in zip(self.words.options, learnt.regret, strict=True):
            said = word[here] == options
            cost[said] = regret[here][said]
        return cost * learnt.weight[here]


def _renamed(tree: Tree, kept: list[int]) -> Tree:
    if isinstance(tree, Leaf):
        return tree
    return Node(kept[tree.feature], tree.threshold, _renamed(tree.low, kept), _renamed(tree.high, kept))


def _better_and_better(by_leaves: dict[int, RuleCandidate], leaves: int) -> list[RuleCandidate]:
    kept: list[RuleCandidate] = []
    for many in sorted(by_leaves):
        if many <= leaves and (not kept or by_leaves[many].loss < kept[-1].loss - REAL):
            kept.append(by_leaves[many])
    return kept
