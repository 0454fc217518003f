"""Searches for the best small rule: fits trees to what mistakes cost, where the rule itself makes them, and tries each.

What a rule loses is the sum, over the positions that it meets, of what its moves cost there. A tree is fitted with the
visits under best play, then with those under the best rules found so far; each is tried exactly. At last the thresholds
of the best are moved as long as that helps. (Bastani, Pu, Solar-Lezama: Verifiable reinforcement learning via policy
extraction, 2018.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf

import numpy as np
from numpy.typing import NDArray

from dicelab.chains.ordering import Numbers
from dicelab.errors import EndlessGameError
from dicelab.heuristics.features import Feature, features, slopes
from dicelab.heuristics.fit import Axis, Costs, dips, fitted, grown
from dicelab.heuristics.table import Table, Tried
from dicelab.heuristics.tree import Leaf, Node, Tree, apart, changed, decided, nodes, size, trimmed
from dicelab.heuristics.words import LARGEST, LEAST, Words, words

ROUNDS, LAST = 2, 4
"""How often trees of the size that is wanted are fitted anew; and how often all their tests are looked at."""
OTHERS, PROPOSED = 3, 4
"""Thresholds of the same number, and tests in all, that are tried in the place of one."""
NAMED = 3
"""Moves that a leaf names before the most or the least that is allowed."""
HOPELESS = 1.1
"""A rule that loses so many times what another does in the first seat is not tried in the next."""
PLAIN, ALONE = 2, 3
"""Numbers of which single thresholds are tried; and things to do that are tried as the only one."""
SHARE = 1e-4
"""Positions at which even the worst moves would lose less than this share of all, taken together, are left out."""
SLOPED, ROOTS = 10, 24
"""Features with a slope that are looked at; and features that are tried in pairs: those that gain most alone."""
REAL = 1e-12
"""A smaller gain is a matter of rounding."""

Told = Callable[[int], None]


@dataclass(frozen=True)
class Candidate:
    """A rule that was tried.

    Attributes
    ----------
    tree
        The rule.
    options
        What it does at each position.
    worths
        What it comes to in each seat that was solved.
    visits
        How often it meets each position, in its seat.
    loss
        What it loses by the seat, on average.
    """

    tree: Tree
    options: NDArray[np.int64]
    worths: tuple[float, ...]
    visits: Numbers
    loss: float


@dataclass(frozen=True)
class Mistakes:
    """How often positions are met, and what each thing to do costs there."""

    weight: Numbers
    regret: Numbers


class Search:
    """Rules for a policy, and what they lose.

    Parameters
    ----------
    table
        Where they are tried.
    told
        Called with the number of rules tried so far.

    Attributes
    ----------
    best
        The policy itself.
    words, features, plain
        What can be said; the numbers that may be tested, and how many of them have no slope.
    regret
        What each thing to do costs at each position.
    known
        What each rule that was tried loses; infinite where it was not tried in full.
    found
        The best rule so far of each number of leaves.
    seen, count
        Visits under all rules tried in full, added up, and how many these are.

    Raises
    ------
    EndlessGameError
        When under the policy itself games may go on for ever.
    """

    def __init__(self, table: Table, told: Told = lambda tried: None) -> None:
        self.table, self.told = table, told
        self.known: dict[Tree, float] = {}
        self.worths: tuple[float, ...] = ()
        self.seen, self.count = np.zeros(len(table.policy)), 0
        best = self._candidate(Leaf(()), table.policy.best)
        if best is None:
            raise EndlessGameError(f"{table.graph.game.name}: games that this policy plays may never end")
        self.best, self.worths = best, best.worths
        self.words: Words = words(table, best.visits)
        plain = features(table, self.words)
        slanted = slopes(table)
        self.plain = len(plain)
        self.features: list[Feature] = [*plain, *slanted]
        self.regret = self._regrets(table.policy.worth)
        self.found: dict[int, Candidate] = {}

    def _candidate(self, tree: Tree, options: NDArray[np.int64], bar: float = inf) -> Candidate | None:
        tried: list[Tried] = []
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
        return Candidate(tree, options, worths, visits, float(lost.mean()))

    def tried(self, tree: Tree, bar: float = inf) -> Candidate | None:
        """Try a rule; None where games would never end, or it loses more than allowed, or is known to."""
        told = trimmed(tree, self.features, self.words)
        if self.known.get(told, 0.0) >= bar:
            return None
        found = self._candidate(told, decided(told, self.features, self.words), bar)
        self.known[told] = inf if found is None else found.loss
        self.told(len(self.known))
        return found

    def _regrets(self, worth: Numbers) -> Numbers:
        """What each thing to do costs at each position, when the options are worth so much; nan where it can't be done.

        It may be less than nothing where the policy does better afterwards than what the worth is taken from.
        """
        options = self.words.options
        value = np.where(options >= 0, self.table.sign * worth[options], np.nan)
        return np.asarray(np.nanmax(value, axis=0) - value)

    def mistakes(self, candidate: Candidate | None) -> list[Mistakes]:
        """What there is to learn from: the policy's play; of a rule what it loses, and what it could gain at once."""
        if candidate is None:
            return [Mistakes(self.best.visits, self.regret)]
        found = [Mistakes(candidate.visits + self.seen / self.count, self.regret)]
        paired = zip(self.table.free, candidate.worths, strict=True)
        own = [self.table.worth_of_options(candidate.options, s, worth) for s, worth in paired]
        seat = np.repeat(self.table.seat, np.diff(self.table.policy.row))
        found.append(Mistakes(candidate.visits, self._regrets(np.select([seat == s for s in self.table.free], own))))
        return found

    def order(self, learnt: Mistakes, here: NDArray[np.bool_]) -> list[int]:
        """Things to do, those first that cost least on average where they can be done."""
        weight = learnt.weight[here]
        can = self.words.options[:, here] >= 0
        lost = np.where(can, np.nan_to_num(learnt.regret[:, here]) * weight, 0.0).sum(axis=1)
        met = (can * weight).sum(axis=1)
        mean = np.divide(lost, met, out=np.full(len(met), inf), where=met > 0.0)
        return [int(word) for word in np.lexsort((-can.sum(axis=1), mean))]

    def costs(self, learnt: Mistakes, numbers: Sequence[int]) -> Costs:
        """What each thing to do costs as often as it is met, at the positions that matter, by some of the features."""
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
        """Trees of 2, 3, ... leaves that cost little."""
        order = [f for _, f, _ in self.costs(learnt, range(len(self.features))).best_splits()]
        sloped = [f for f in order if f >= self.plain][:SLOPED]
        kept = [f for f in order if f < self.plain or f in sloped]
        roots = kept[:ROOTS]
        kept.sort()
        found = fitted(self.costs(learnt, kept), leaves, sorted(kept.index(f) for f in roots))
        return [self._whole(_renamed(tree, kept), learnt) for tree in found]

    def _whole(self, tree: Tree, learnt: Mistakes) -> Tree:
        """The tree with more to do at each leaf where the first can't be done."""
        for leaf, here in list(apart(tree, self.features, np.ones(len(learnt.weight), np.bool_))):
            order = [word for word in self.order(learnt, here) if word != leaf.order[0]]
            tree = changed(tree, leaf, Leaf(self._short((*leaf.order, *order))))
        return tree

    def _short(self, order: tuple[int, ...]) -> tuple[int, ...]:
        """The first few things to do, and then the most or the least, which can be done everywhere."""
        for place, word in enumerate(order):
            if self.words.names[word] in (LARGEST, LEAST):
                return (*order[: min(place, NAMED)], word)
        return order

    def search(self, leaves: int) -> list[Candidate]:
        """The best rule found with 1, 2, ... leaves; each loses less than the one before."""
        first = self.mistakes(None)[0]
        everywhere = np.ones(len(self.best.visits), np.bool_)
        for word in self.order(first, everywhere)[:ALONE]:
            self.keep(self._whole(Leaf((word,)), first))
        if leaves > 1:
            self._one_threshold(first)
            for tree in self.fit(first, leaves):
                self.keep(tree)
        for many in range(2, leaves + 1):
            for _ in range(ROUNDS if many == leaves else 1):
                before = self._so_far(many)
                self._round(many)
                if self._so_far(many) is before:
                    break
            if many in self.found:
                self.note(self.bettered(self.found[many], LAST if many == leaves else 1))
        return _better_and_better(self.found, leaves)

    def _so_far(self, many: int) -> Candidate | None:
        """The best rule of at most so many leaves."""
        return min((c for k, c in self.found.items() if k <= many), key=lambda c: c.loss, default=None)

    def _round(self, many: int) -> None:
        """Fit rules to the mistakes of the best that there is, where that makes them."""
        so_far = self._so_far(many)
        for learnt in self.mistakes(so_far):
            for tree in self.fit(learnt, many)[-2:]:
                self.keep(tree)
            if so_far is not None and size(so_far.tree) < many:
                costs = self.costs(learnt, range(len(self.features)))
                self.keep(self._whole(grown(costs, so_far.tree), learnt))

    def _one_threshold(self, first: Mistakes) -> None:
        """Try thresholds of the single numbers of the state, and of the plain numbers that tell most."""
        order = [feature for _, feature, _ in self.costs(first, range(self.plain)).best_splits()]
        state = self.table.graph.game.declared.state
        for feature in dict.fromkeys([*(f for f in order if self.features[f].name in state), *order[:PLAIN]]):
            best: Candidate | None = None
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
        """Rules with a single threshold of one number, those that promise most."""
        alone = self.costs(learnt, [feature])
        found = [replace(alone.split(0, threshold), feature=feature) for threshold in alone.thresholds(0, OTHERS)]
        return [self._whole(tree, learnt) for tree in found]

    def keep(self, tree: Tree) -> None:
        """Try a rule, and keep it where none of its size is better."""
        before = self.found.get(size(tree))
        tried = self.tried(tree, inf if before is None else before.loss)
        if tried is not None:
            self.note(tried)

    def note(self, tried: Candidate) -> None:
        """Keep a rule that was tried where none of its size is better."""
        many = size(tried.tree)
        if many not in self.found or tried.loss < self.found[many].loss:
            self.found[many] = tried

    def bettered(self, candidate: Candidate, rounds: int) -> Candidate:
        """Change one test at a time, the others as they are, as long as that helps, so many times at most."""
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
        """The tree with other tests at one node, those that promise most."""
        node = nodes(tree)[place]
        reach = _reach(tree, node, self.features, np.ones(len(learnt.weight), np.bool_))
        here = np.flatnonzero(reach & (learnt.weight > 0.0))
        low, high = (self._cost_of(side, learnt, here) for side in (node.low, node.high))
        found = []
        for number, feature in enumerate(self.features):
            axis = Axis.of(feature.values[here])
            gained = np.cumsum(np.bincount(axis.place, low - high, len(axis)))[:-1]
            for turned, cost in ((False, high.sum() + gained), (True, low.sum() - gained)):
                many = OTHERS if number == node.feature and not turned else 1
                for at in dips(cost, many):
                    sides = (node.high, node.low) if turned else (node.low, node.high)
                    found.append((float(cost[at]), Node(number, int(axis.values[at + 1]), *sides)))
        found.sort(key=lambda pair: pair[0])
        return [changed(tree, node, new) for _, new in found[:PROPOSED]]

    def _cost_of(self, tree: Tree, learnt: Mistakes, here: NDArray[np.int64]) -> Numbers:
        """What a tree costs at some positions."""
        options = decided(tree, self.features, self.words)[here]
        cost = np.zeros(len(here))
        for word, regret in zip(self.words.options, learnt.regret, strict=True):
            said = word[here] == options
            cost[said] = regret[here][said]
        return cost * learnt.weight[here]


def _reach(tree: Tree, wanted: Tree, features: list[Feature], here: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The positions that come to one part of a tree."""
    if tree is wanted:
        return here
    if isinstance(tree, Leaf):
        return np.zeros_like(here)
    high = features[tree.feature].values >= tree.threshold
    return _reach(tree.low, wanted, features, here & ~high) | _reach(tree.high, wanted, features, here & high)


def _renamed(tree: Tree, kept: list[int]) -> Tree:
    if isinstance(tree, Leaf):
        return tree
    return Node(kept[tree.feature], tree.threshold, _renamed(tree.low, kept), _renamed(tree.high, kept))


def _better_and_better(found: dict[int, Candidate], leaves: int) -> list[Candidate]:
    kept: list[Candidate] = []
    for many in sorted(found):
        if many <= leaves and (not kept or found[many].loss < kept[-1].loss - REAL):
            kept.append(found[many])
    return kept
