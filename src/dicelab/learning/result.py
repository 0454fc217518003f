"""Result of `dicelab.learn`: the points of a learning curve, the value of optimal play, and the final policy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from dicelab.engines.policy import Policy
from dicelab.results.base import BaseResult
from dicelab.results.numbers.estimates import known, valued
from dicelab.results.text.page import Page
from dicelab.results.text.sentences import number, percent
from dicelab.results.text.writing import many, upper
from dicelab.rules.words import player_name

LEARNED = "learned"
"""Listed in place of a strategy for a seat that learns."""


@dataclass(frozen=True)
class Point:
    """A point of a learning curve.

    Attributes
    ----------
    games
        Number of games played so far.
    values
        Exact value of the learned policy to each learning seat; None if a game might never end under it.
    gap
        Distance from the value of optimal play, summed over the learning seats; None if unknown.
    seen
        Number of different observations in which a move has been made.

    Examples
    --------
    >>> Point(games=1000, values=(0.61, None), gap=0.02, seen=340).games
    1000
    """

    games: int
    values: tuple[float | None, ...]
    gap: float | None
    seen: int


@dataclass(frozen=True, repr=False, kw_only=True)
class Learned(BaseResult):
    """A learning curve and the final policy; in `strategies`, ``learned`` stands for each seat that learned.

    Attributes
    ----------
    objective
        The objective, such as ``win``.
    seats
        The seats that learned: one, or two against each other.
    games
        The games learned from are games 0 to ``games - 1`` of the seed.
    epsilon, omega
        Parameters of the learner; see `dicelab.learn`.
    best, error
        Value of optimal play to each learning seat, and a bound on its error (infinite if no bound was found).
    points
        The points of the curve.
    choices
        Number of states in which a learning seat chooses.
    policy
        The final policy; None if some states differ only in the memory of a given strategy.

    Examples
    --------
    >>> import dicelab
    >>> learned = dicelab.learn("tossup", "bank_over:20", target=6, games=500, seed=1)
    >>> learned.points[-1].games, 0 <= learned.points[-1].gap < 0.2
    (500, True)
    """

    objective: str
    seats: tuple[int, ...]
    games: int
    epsilon: float
    omega: float
    best: tuple[float, ...]
    error: float
    points: tuple[Point, ...]
    choices: int
    policy: Policy | None

    method = "learn"

    def _facts(self) -> dict[str, Any]:
        facts = {name: getattr(self, name) for name in ("objective", "epsilon", "omega", "choices")}
        points = [{"games": p.games, **self._valued(p.values), "gap": p.gap, "seen": p.seen} for p in self.points]
        return facts | {"error": known(self.error), "best": self._valued(self.best), "points": points}

    def _valued(self, values: Sequence[float | None]) -> dict[str, Any]:
        return valued(self.objective, self._by_seat(values), self.error, self.players)

    def _sentence(self) -> str:
        if not self.points:
            return "Nothing was learned yet"
        last, chances = self.points[-1], self.objective.partition(":")[0] not in ("most", "fewest", "payoff")
        begin = f"After {many(last.games, 'game')} the learned policy"
        if any(value is None for value in last.values):
            return f"{begin} may play for ever"
        learned, best = [value for value in last.values if value is not None], self.best
        if len(self.seats) > 1:
            return f"{begin} gives away {number(last.gap or 0.0)} of value to the best answers to it"
        text = percent if chances else number
        return f"{begin} is worth {text(learned[0])}, the best play {text(best[0])} ({self.objective})"

    def _rows(self) -> list[dict[str, Any]]:
        return [{"games": p.games, **self._by_seat(p.values), "gap": p.gap, "seen": p.seen} for p in self.points]

    def _lines(self, page: Page) -> list[str]:
        titles = (
            [f"{player_name(seat, self.players)} at worst" for seat in self.seats]
            if len(self.seats) > 1
            else ["exact value"]
        )
        rows = [["games", *titles, "gap", "seen"]]
        for point in self.points:
            values = ["endless" if value is None else page.chance(value) for value in point.values]
            gap = "" if point.gap is None else page.chance(point.gap)
            rows.append([f"{point.games:,}", *values, gap, f"{point.seen:,}"])
        rows.append(["best", *map(page.chance, self.best), "", f"{self.choices:,}"])
        summary = f"learned: {self.objective}, {many(self.games, 'game')}, seed {self.seed}"
        stopped = ", stopped before the end" if self.interrupted else ""
        error = f"error below {upper(self.error)}" if isfinite(self.error) else "no bound on the error was found"
        lines = [*self._head(page), "", *page.table(rows, ["seen"]), ""]
        lines.append(f"{summary}, epsilon {self.epsilon:g}, omega {self.omega:g}{stopped}")
        return [*lines, f"solved: {many(self.choices, 'state')} with a choice, {error}, {self.seconds:.3f} s"]

    def _by_seat(self, values: Sequence[float | None]) -> dict[str, float | None]:
        return dict(zip(map(str, self.seats), values, strict=True))
