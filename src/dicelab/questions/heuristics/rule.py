"""Summarise a policy as a short rule that a person can remember, and compute the rule's exact loss."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from operator import itemgetter

import numpy as np

from dicelab.engines.policy import Policy
from dicelab.errors import EndlessGameError, ParameterError
from dicelab.keywords import keywords
from dicelab.questions.heuristics.move_graph import MoveGraph
from dicelab.questions.heuristics.search import REAL, RuleCandidate, RuleSearch
from dicelab.questions.heuristics.tree import in_words, size
from dicelab.results.base import BaseResult, about
from dicelab.results.entries import Read
from dicelab.results.text.page import Printing
from dicelab.results.text.table import Column, Table, chance, plain
from dicelab.results.text.writing import many
from dicelab.rules.objectives import wanted
from dicelab.rules.params import whole
from dicelab.rules.words import player_name
from dicelab.runtime.strategies import Strategies
from dicelab.runtime.timing import Stopwatch

MOST = 12
"""Maximum number of leaves of a rule."""


@dataclass(frozen=True)
class Seated:
    """The value of a rule in one seat, while the other optimised seats keep to the policy.

    Attributes
    ----------
    seat
        The seat.
    best, rule
        Values of the policy and of the rule to this seat.
    worst
        Value of the rule against the best response to it; None unless the game has two seats, both optimised.

    Examples
    --------
    >>> import dicelab
    >>> found = dicelab.rule(dicelab.solve("tossup", target=12, dice=3).policy, leaves=2)
    >>> [(seat.seat, seat.rule <= seat.best) for seat in found.seats]
    [(0, True), (1, True)]
    """

    seat: int
    best: float
    rule: float
    worst: float | None


@dataclass(frozen=True, repr=False, kw_only=True)
class Rule(BaseResult):
    """The best rule found.

    Attributes
    ----------
    solved, objective
        What was solved, in words, and the objective.
    leaves
        Number of leaves: moves in the rule, counted with repetition.
    lines
        The rule in words.
    otherwise
        What to do if a move of the rule is not allowed, in words; empty if all are always allowed.
    seats
        The values of the rule, by seat.
    loss
        Loss compared with the policy, averaged over the seats.
    agrees, agrees_often
        Share of the states, and of the choices made in play, in which the rule's move is optimal.
    smaller
        The best rules found with fewer leaves: leaves, loss, and the rule in words.
    tried
        Number of rules that were evaluated.
    stopped
        Whether the search was ended by its limit of time, or by Ctrl-C: there may be better rules of this size.
    policy
        The rule as a policy, to be saved and played.

    Examples
    --------
    >>> import dicelab
    >>> best = dicelab.solve("tossup", target=12, dice=3).policy
    >>> found = dicelab.rule(best, leaves=2)
    >>> found.lines
    ['roll']
    """

    solved: str
    objective: str
    leaves: int
    lines: list[str]
    otherwise: str
    seats: list[Seated]
    loss: float
    agrees: float
    agrees_often: float
    smaller: list[tuple[int, float, list[str]]]
    tried: int
    policy: Policy
    stopped: bool = False

    method = "rule"
    entries = {
        "solved": "string: what was solved, in words",
        "objective": "string: what the player wants",
        "leaves": "integer: number of moves in the rule",
        "lines": "[string]: the rule in words, line by line",
        "otherwise": "string: what to do if a move of the rule is not allowed, in words",
        "loss": "number: loss compared with the policy, averaged over the seats",
        "agrees": "number: share of the states in which the rule's move is optimal",
        "agrees_often": "number: share of the choices made in play in which the rule's move is optimal",
        "tried": "integer: number of rules evaluated",
        "seats": Read(
            lambda self: self._rows(),
            [{"seat": "integer", "best rule": "number", "worst": "number|null"}],
            "values of the policy, of the rule, and of the rule at worst, by seat",
        ),
        "smaller": Read(
            lambda self: [dict(zip(("leaves", "loss", "lines"), rule, strict=True)) for rule in self.smaller],
            [{"leaves": "integer", "loss": "number", "lines": "[string]"}],
            "the best rules found with fewer moves",
        ),
        "stopped?": "boolean: whether the search was ended by its limit of time, or by Ctrl-C; only then present",
    }

    @property
    def _lost(self) -> str:
        """What the rule loses, in words."""
        aim = wanted(self.objective)
        if aim.is_chance:
            return f"{100 * self.loss:.2f} games in 100"
        return (
            "nothing" if self.loss <= 0 else f"{self.loss:.3g} {aim.tally.replace('_', ' ') or 'of the payoff'} a game"
        )

    def _sentence(self) -> str:
        short = f"A rule of {many(self.leaves, 'move')}"
        return f"{short} loses {self._lost}, compared with the policy" if self.loss > 0 else f"{short} loses nothing"

    def _brief(self) -> str:
        return f"{self.leaves} {'leaf' if self.leaves == 1 else 'leaves'}, loss {self.loss:.6f}"

    def _table(self) -> Table:
        def player(page: Printing, seat: int) -> str:
            return player_name(seat, self.players)

        columns = [Column("seat", player, "player"), Column("best", chance, "policy"), Column("rule", chance)]
        columns += [Column("", chance, "loss", lambda seat: abs(seat.best - seat.rule))]
        worst = None if self.seats[0].worst is None else chance
        return Table([*columns, Column("worst", worst, "at worst")], self.seats)

    def _lines(self, page: Printing) -> list[str]:
        columns = [Column("", plain, "leaves", itemgetter(0)), Column("", chance, "loss", itemgetter(1))]
        sizes = Table(columns, [*self.smaller, (self.leaves, self.loss)])
        share, in_play = 100 * self.agrees, 100 * self.agrees_often
        often = f"{in_play:.1f} % of its moves are best in play, {share:.1f} % over all states"
        otherwise = [f"({self.otherwise})"] if self.otherwise else []
        lines = [*self._head(page, ()), f"policy: {self.solved}", "", *self.lines, *otherwise, ""]
        lines += [*self._table().lines(page), "", *sizes.lines(page), "", f"it loses {self._lost}; {often}"]
        ended = "; the search was stopped, so there may be better ones" if self.stopped else ""
        return [*lines, f"found: {many(self.tried, 'rule')} tried, {self.seconds:.3f} s{ended}"]


@keywords
def rule(
    policy: Policy,
    leaves: int = 4,
    *,
    seconds: float | None = None,
    against: Strategies = (),
    memory: int | None = None,
    progress: Callable[[int, int], None] = lambda found, expanded: None,
    share: Callable[[float], None] = lambda done: None,
) -> Rule:
    """Find a good rule with at most `leaves` leaves for a policy, and compute its exact loss.

    A rule is a small decision tree. It compares features with thresholds: fields of the state as the choosing seat sees
    them, their sums and differences, and a field plus a fraction of another. The search is heuristic, so there may be a
    better rule.

    Parameters
    ----------
    policy
        As solved, or loaded from a file.
    leaves
        Maximum number of moves in the rule, counted with repetition: 2 for a single threshold. In a game of several
        kinds of choices it is the maximum for each of them.
    seconds
        Seconds that the search may take; the best rule known by then is returned (`Rule.stopped`), also after Ctrl-C.
    against
        The strategies against which the policy was solved; needed only where they are functions, which a policy knows
        only by name.
    memory
        Memory limit in bytes; half of the machine's memory when None.
    progress
        Called with the numbers of states found and expanded so far.
    share
        Called with the share of the search that is done, from 0 to 1.

    Raises
    ------
    ParameterError
        When `leaves` is not a whole number from 1 to 12, or `seconds` not a number, 0 or more.
    InputError
        When the policy was solved for other rules.
    EndlessGameError
        When games might never end under the policy.

    Examples
    --------
    >>> import dicelab
    >>> found = dicelab.rule(dicelab.solve("tossup", target=12, dice=3).policy, leaves=2)
    >>> found.leaves <= 2, 0 <= found.loss < 0.1
    (True, True)
    """
    watch = Stopwatch()
    if not isinstance(policy, Policy):
        raise ParameterError(f"policy: {policy!r} is not a policy; give the policy of a solution, or a loaded one")
    number = whole("leaves", leaves, 1, MOST)
    if seconds is not None and not seconds >= 0:
        raise ParameterError(f"seconds: {seconds!r} is not allowed; it takes a number, 0 or more")
    if not len(policy):
        raise ParameterError(f"{policy.game.name} is over before anybody chooses")
    table = MoveGraph.of(policy, memory, progress, against)
    search = RuleSearch(table)
    candidates = search.search(number, share, seconds)
    if not candidates:
        raise EndlessGameError(f"{policy.game.name}: games might never end under any rule that was tried")
    return _result(search, candidates, watch)


def _result(search: RuleSearch, candidates: list[RuleCandidate], watch: Stopwatch) -> Rule:
    """Return the result for the last candidate, which is the best, with its value against best responses."""
    best, table = candidates[-1], search.table
    policy, worths = table.policy, search.best.worths
    kept = {c.tree: in_words(c.tree, search.features, search.words) for c in candidates}
    duel = len(table.free) == 2 and table.wanted.kind == "win" and len(policy.about["strategies"]) == 2
    answers = [table.answered(best.options, seat) if duel else None for seat in table.free]
    lines, otherwise = kept[best.tree]
    agrees = np.abs(policy.worth[best.options] - policy.worth[policy.best]) <= REAL
    played = best.visits.sum()
    return Rule(
        **about(policy.game, policy.about["strategies"]),
        solved=str(policy.about["solved"]),
        objective=table.wanted.text,
        leaves=size(best.tree),
        lines=lines,
        otherwise=otherwise,
        seats=[Seated(*row) for row in zip(table.free, worths, best.worths, answers, strict=True)],
        loss=max(0.0, best.loss),
        agrees=float(agrees.mean()),
        agrees_often=float(best.visits[agrees].sum() / played) if played else 1.0,
        smaller=[(size(c.tree), c.loss, kept[c.tree][0]) for c in candidates[:-1]],
        tried=len(search.known),
        seconds=watch.seconds,
        policy=_as_policy(policy, best, lines),
        stopped=search.stopped,
    )


def _as_policy(policy: Policy, best: RuleCandidate, lines: list[str]) -> Policy:
    """Return the policy with the best moves replaced by the rule's."""
    summary = f"a rule of {size(best.tree)} leaves for {policy.about['solved']}"
    return replace(policy, about={**policy.about, "solved": summary, "rule": lines}, best=best.options)
