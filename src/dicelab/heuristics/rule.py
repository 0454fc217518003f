"""A policy summed up as a rule that a person can remember and play, with exactly what that loses."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicelab.engines.policy import Policy
from dicelab.errors import EndlessGameError, ParameterError
from dicelab.heuristics.search import REAL, Candidate, Search
from dicelab.heuristics.table import Table
from dicelab.heuristics.tree import in_words, size
from dicelab.results.writing import aligned, heading, many
from dicelab.rules.game import shown
from dicelab.rules.params import as_integer
from dicelab.runtime.timing import Stopwatch

SCHEMA = 1
MOST = 12
"""Leaves that a rule may have; more is nothing to remember."""


@dataclass(frozen=True)
class Seated:
    """What a rule comes to in one seat while the other seats that were solved keep to the policy.

    Attributes
    ----------
    seat
        Where it sits.
    best, rule
        What is wanted, under the policy and under the rule.
    worst
        What the rule comes to against the best answer to it; None but for two seats that were both solved.
    """

    seat: int
    best: float
    rule: float
    worst: float | None


@dataclass(frozen=True)
class Rule:
    """The best rule found.

    Attributes
    ----------
    game, parameters, solved, objective
        What the policy is for.
    leaves
        Moves that the rule tells, counted with repetition.
    lines
        The rule in words.
    otherwise
        What is done where a move of the rule can't be made, in words; empty where it always can.
    seats
        What it comes to, by the seat.
    loss
        What it loses beside the policy, on average over the seats.
    agrees, agrees_often
        Share of the positions, and of the choices that the rule is asked for in play, at which no move is better.
    smaller
        The best rules found with fewer leaves: leaves, loss, and the rule in words.
    tried
        Rules that were tried.
    seconds
        Time taken, compilation apart.
    policy
        The rule as a policy, to be saved and played.
    """

    game: str
    parameters: dict[str, int | bool]
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
    seconds: float
    policy: Policy = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Plain data with the keys of the command line's ``--json``."""
        names = ("game", "parameters", "solved", "objective", "leaves", "lines", "otherwise", "loss", "agrees")
        data = {name: getattr(self, name) for name in (*names, "agrees_often", "tried", "seconds")}
        seats = [{"seat": s.seat, "best": s.best, "rule": s.rule, "worst": s.worst} for s in self.seats]
        smaller = [{"leaves": leaves, "loss": loss, "lines": lines} for leaves, loss, lines in self.smaller]
        return {"schema": SCHEMA, "method": "rule", **data, "seats": seats, "smaller": smaller}

    def to_json(self) -> str:
        """The same as text."""
        return json.dumps(self.to_dict())

    def __str__(self) -> str:
        worst = [] if self.seats[0].worst is None else ["at worst"]
        rows = [["seat", "policy", "rule", "loses", *worst]]
        for s in self.seats:
            last = [] if s.worst is None else [f"{s.worst:.9f}"]
            rows.append([str(s.seat), f"{s.best:.9f}", f"{s.rule:.9f}", f"{abs(s.best - s.rule):.9f}", *last])
        sizes = [["leaves", "loses"], *([str(leaves), f"{loss:.9f}"] for leaves, loss, _ in self.smaller)]
        sizes.append([str(self.leaves), f"{self.loss:.9f}"])
        chances = self.objective.partition(":")[0] not in ("most", "fewest")
        lost = f"it loses {100 * self.loss:.2f} games in 100" if chances else f"it loses {self.loss:.6g} a game"
        often = (
            f"{100 * self.agrees_often:.1f} % of its moves are best; {100 * self.agrees:.1f} % of the positions agree"
        )
        otherwise = [f"({self.otherwise})"] if self.otherwise else []
        told = [*heading(self.game, self.parameters, ()), f"policy: {self.solved}", "", *self.lines, *otherwise, ""]
        told += [*aligned(rows), "", *aligned(sizes), "", f"{lost}; {often}"]
        return "\n".join([*told, f"found: {many(self.tried, 'rule')} tried, {self.seconds:.3f} s"])


def rule(
    policy: Policy,
    leaves: int = 4,
    *,
    memory: int | None = None,
    progress: Callable[[int, int], None] = lambda found, expanded: None,
) -> Rule:
    """The best rule found that tells a move in at most so many places, and exactly what it loses.

    A rule compares numbers with thresholds: numbers of the state as the seat that chooses sees them, their sums and
    differences, a number and a part of another. Rules are searched for, not all tried: there may be a better one.

    Parameters
    ----------
    policy
        As solved, or loaded from a file.
    leaves
        Moves that the rule may tell, counted with repetition: 2 for a single threshold.
    memory
        Bytes that may be used; half of the machine's when None.
    progress
        Called with the positions found and expanded so far.

    Raises
    ------
    ParameterError
        When `leaves` is no whole number from 1 to 12.
    InputError
        When the policy is not for these rules.
    EndlessGameError
        When games that the policy plays may never end.

    Examples
    --------
    >>> import dicelab
    >>> found = dicelab.rule(dicelab.solve("tossup", target=12, dice=3).policy, leaves=2)
    >>> found.leaves <= 2, 0 <= found.loss < 0.1
    (True, True)
    """
    watch = Stopwatch()
    if not isinstance(policy, Policy):
        raise ParameterError(f"policy: {policy!r} is no policy; give the policy of a solution, or one that was loaded")
    number = as_integer(leaves)
    if number is None or not 1 <= number <= MOST:
        raise ParameterError(f"leaves: {leaves!r} is not allowed; it takes a whole number, 1 to {MOST}")
    if not len(policy):
        raise ParameterError(f"{policy.game.name} is over before anybody chooses")
    table = Table.of(policy, memory, progress)
    search = Search(table)
    found = search.search(number)
    if not found:
        raise EndlessGameError(f"{policy.game.name}: under every rule that was tried games may never end")
    return _told(search, found, watch)


def _told(search: Search, found: list[Candidate], watch: Stopwatch) -> Rule:
    """What was found, with the worst cases."""
    best, table = found[-1], search.table
    policy, worths = table.policy, search.best.worths
    kept = {c.tree: in_words(c.tree, search.features, search.words) for c in found}
    duel = len(table.free) == 2 and table.wanted.kind == "win" and len(policy.about["strategies"]) == 2
    answers = [table.answered(best.options, seat) if duel else None for seat in table.free]
    lines, otherwise = kept[best.tree]
    agrees = _agrees(policy, best.options)
    played = best.visits.sum()
    return Rule(
        game=policy.game.name,
        parameters=shown(policy.game),
        solved=str(policy.about["solved"]),
        objective=table.wanted.text,
        leaves=size(best.tree),
        lines=lines,
        otherwise=otherwise,
        seats=[Seated(*row) for row in zip(table.free, worths, best.worths, answers, strict=True)],
        loss=max(0.0, best.loss),
        agrees=float(agrees.mean()),
        agrees_often=float(best.visits[agrees].sum() / played) if played else 1.0,
        smaller=[(size(c.tree), c.loss, kept[c.tree][0]) for c in found[:-1]],
        tried=len(search.known),
        seconds=watch.seconds,
        policy=_as_policy(policy, best, lines),
    )


def _agrees(policy: Policy, options: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Where the move is worth as much as the best."""
    return np.asarray(np.abs(policy.worth[options] - policy.worth[policy.best]) <= REAL)


def _as_policy(policy: Policy, best: Candidate, lines: list[str]) -> Policy:
    """The moves of the rule in the place of the best."""
    told = f"a rule of {size(best.tree)} leaves for {policy.about['solved']}"
    return replace(policy, about={**policy.about, "solved": told, "rule": lines}, best=best.options)
