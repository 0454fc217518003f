"""What was learned: points of a learning curve beside the best, and the policy at its end."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from dicelab.engines.policy import Policy
from dicelab.results.writing import aligned, heading, many, upper

SCHEMA = 1
LEARNED = "learned"
"""Stands among the strategies for a seat that learns."""


@dataclass(frozen=True)
class Point:
    """What was learned after so many games.

    Attributes
    ----------
    games
        Games played until then.
    values
        What the learned policy is exactly worth to each seat that learns; None where it might never end a game.
    gap
        How far that is from the best, all learning seats together; None where it is not known.
    seen
        Different positions at which a move has been made.
    """

    games: int
    values: tuple[float | None, ...]
    gap: float | None
    seen: int


@dataclass(frozen=True)
class Learned:
    """What was learned, point by point.

    Attributes
    ----------
    game, parameters, strategies
        What was played; a strategy is ``learned`` where a seat learned.
    objective
        What was wanted.
    seats
        Who learned: one seat, or two against each other.
    games, seed
        The games learned from are games 0 to ``games - 1`` of that seed.
    epsilon, omega
        How it learned; see `dicelab.learn`.
    best, error
        The most that each seat that learned could have, and a bound on the error; infinite where none was found.
    points
        The curve.
    choices
        Positions at which a learning seat may have to choose.
    interrupted
        It was stopped before all games were played.
    seconds
        Time taken, compilation apart.
    policy
        What was learned at last; None where some positions differ only in what a given strategy remembers.

    Examples
    --------
    >>> import dicelab
    >>> learned = dicelab.learn("tossup", "bank_over:20", target=6, games=500, seed=1)
    >>> learned.points[-1].games, 0 <= learned.points[-1].gap < 0.2
    (500, True)
    """

    game: str
    parameters: dict[str, int | bool]
    strategies: list[str]
    objective: str
    seats: tuple[int, ...]
    games: int
    seed: int
    epsilon: float
    omega: float
    best: tuple[float, ...]
    error: float
    points: tuple[Point, ...]
    choices: int
    interrupted: bool
    version: str
    source_hash: str
    seconds: float
    policy: Policy | None = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Plain data with the keys of the command line's ``--json``."""
        names = ("game", "parameters", "strategies", "objective", "games", "seed", "epsilon", "omega")
        more = ("choices", "version", "source_hash", "seconds")
        data = {"schema": SCHEMA, "method": "learn", **{name: getattr(self, name) for name in (*names, *more)}}
        data["best"] = self._by_seat(self.best)
        data["error"] = self.error if isfinite(self.error) else None
        data["points"] = [
            {"games": p.games, "values": self._by_seat(p.values), "gap": p.gap, "seen": p.seen} for p in self.points
        ]
        return {**data, "interrupted": True} if self.interrupted else data

    def to_json(self) -> str:
        """The same as text."""
        return json.dumps(self.to_dict())

    def __str__(self) -> str:
        titles = [f"seat {seat} at worst" for seat in self.seats] if len(self.seats) > 1 else ["exact value"]
        rows = [["games", *titles, "gap", "seen"]]
        for point in self.points:
            values = ["endless" if value is None else f"{value:.6f}" for value in point.values]
            rows.append(
                [f"{point.games:,}", *values, "" if point.gap is None else f"{point.gap:.6f}", f"{point.seen:,}"]
            )
        rows.append(["best", *(f"{value:.6f}" for value in self.best), "", f"{self.choices:,}"])
        told = f"learned: {self.objective}, {many(self.games, 'game')}, seed {self.seed}"
        stopped = ", stopped before the end" if self.interrupted else ""
        error = f"error below {upper(self.error)}" if isfinite(self.error) else "no bound on the error was found"
        lines = [*heading(self.game, self.parameters, self.strategies), *aligned(rows), ""]
        lines.append(f"{told}, epsilon {self.epsilon:g}, omega {self.omega:g}{stopped}")
        return "\n".join(
            [*lines, f"solved: {many(self.choices, 'position')} with a choice, {error}, {self.seconds:.3f} s"]
        )

    def _by_seat(self, values: Sequence[float | None]) -> dict[str, float | None]:
        return dict(zip(map(str, self.seats), values, strict=True))
