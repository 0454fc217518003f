"""Two stored runs side by side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt
from typing import Any

from dicelab.results.base import BaseResult, Forms, head
from dicelab.results.text.page import CHANCE, Page


@dataclass(frozen=True, repr=False)
class RunsCompared(Forms):
    """The outcomes and tallies that two results have in common.

    Attributes
    ----------
    names
        What the two are called, such as ``run 3``.
    results
        The two results.

    Notes
    -----
    Simulations of the same seed share their dice, so that they are not independent; they get no z-scores.
    """

    names: tuple[str, str]
    results: tuple[BaseResult, BaseResult]

    @property
    def rows(self) -> list[dict[str, Any]]:
        """One row for each outcome and tally of both: the two values, their difference, z where it has a meaning."""
        one, other = (dict(_figures(result.to_dict())) for result in self.results)
        shared = len({result.seed for result in self.results if result.seed is not None}) == 1
        both_played = all(result.seed is not None for result in self.results)
        rows = []
        for (kind, name), (value, within) in one.items():
            if (kind, name) not in other:
                continue
            another, within_other = other[kind, name]
            spread = sqrt(within**2 + within_other**2)
            z = None if spread == 0 or (shared and both_played) else (value - another) / spread
            row = {"kind": kind, "name": name, "first": value, "second": another, "difference": value - another, "z": z}
            rows.append(row)
        return rows

    def to_dict(self) -> dict[str, Any]:  # noqa: D102 (as in Forms)
        return head("runs") | {"compared": [result.to_dict() for result in self.results], "rows": self.rows}

    def _rows(self) -> list[dict[str, Any]]:
        return self.rows

    def _subject(self) -> str:
        return " and ".join(self.names)

    def _lines(self, page: Page) -> list[str]:
        heads = [page.head(r.game, r.parameters, r.differing, r.strategies) for r in self.results]
        lines = [f"{name}: {line}" for name, lines in zip(self.names, heads, strict=True) for line in lines[:1]]
        table = [["", *self.names, "difference", "z"]]
        for row in self.rows:
            numbers = [page.number(row[key], CHANCE) for key in ("first", "second", "difference")]
            table.append([row["name"], *numbers, "" if row["z"] is None else f"{row['z']:+.2f}"])
        return [*lines, "", *page.table(table)]


def _figures(data: dict[str, Any]) -> Iterator[tuple[tuple[str, str], tuple[float, float]]]:
    """Kind and name of each figure of a result, with its value and its standard error."""
    games = data["games"]
    for name, outcome in data.get("outcomes", {}).items():
        p = outcome["probability"]
        yield ("outcome", name), (p, sqrt(max(0.0, p * (1 - p)) / games) if games else 0.0)
    for name, tally in data.get("tallies", {}).items():
        if tally.get("mean") is not None:
            yield ("tally", name), (tally["mean"], tally["sd"] / sqrt(games) if games and tally.get("sd") else 0.0)
