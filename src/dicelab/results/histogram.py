"""The distribution of a tally as text and as plain data, and the outcome probabilities given its value.

Who wins short games, and who wins long ones?
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import gcd
from operator import itemgetter
from typing import Any

from dicelab.results.base import Forms
from dicelab.results.numbers.estimates import Average, Chance, Distribution, Proportion, point
from dicelab.results.text.page import Printing
from dicelab.results.text.table import Column, Table, chance, entry
from dicelab.results.text.writing import aligned, outcome_title, values_text

MOST_LINES = 24
"""Limit of the lines; if there are more values, each line stands for equally many."""
WIDTH = 40
"""Characters of the longest bar."""
CUT = 0.0005
"""Probability of rare values that are merged into the first line, and as much into the last."""

Bin = tuple[int, int, float]
"""First and last value, both included, and their probability."""


def bins(probabilities: dict[int, float]) -> list[Bin]:
    """Return the values in groups of equal width; the rare ones at both ends are in the first and the last group.

    >>> bins({1: 0.25, 2: 0.5, 5: 0.25})
    [(1, 1, 0.25), (2, 2, 0.5), (3, 3, 0.0), (4, 4, 0.0), (5, 5, 0.25)]
    >>> bins({-1_000_000: 0.5, 1_000_000: 0.5})
    [(-1000000, -1000000, 0.5), (1000000, 1000000, 0.5)]
    """
    values = sorted(probabilities)
    below = above = 0.0
    low, high = 0, len(values) - 1
    while low < high and below + probabilities[values[low]] < CUT:
        below += probabilities[values[low]]
        low += 1
    while high > low and above + probabilities[values[high]] < CUT:
        above += probabilities[values[high]]
        high -= 1
    if not values:
        return []
    shown = values[low : high + 1]
    unit = gcd(*(value - shown[0] for value in shown)) or 1
    width = -(-((shown[-1] - shown[0]) // unit + 1) // MOST_LINES) * unit
    chances = [0.0] * ((shown[-1] - shown[0]) // width + 1)
    for value in shown:
        chances[(value - shown[0]) // width] += probabilities[value]
    begins = [shown[0] + i * width for i in range(len(chances))]
    grouped = [(begin, min(begin + width - unit, shown[-1]), p) for begin, p in zip(begins, chances, strict=True)]
    grouped[0] = (values[0], grouped[0][1], grouped[0][2] + below)
    grouped[-1] = (grouped[-1][0], values[-1], grouped[-1][2] + above)
    return grouped


@dataclass(frozen=True, repr=False)
class Histogram(Forms):
    """The distribution of a tally: bars as text, all values as plain data and as rows.

    Attributes
    ----------
    name, tally
        The tally, by its name, of a result.
    """

    name: str
    tally: Average | Distribution

    def to_dict(self) -> dict[str, Any]:  # noqa: D102 (as in Forms)
        probabilities = self.tally.probabilities
        return {"tally": self.name, "values": list(probabilities), "probabilities": list(probabilities.values())}

    def _table(self) -> Table:
        values = Column(self.name, lambda page, one: values_text(*one[:2]), value=tuple, data=itemgetter(0))
        rows = [(value, value, p) for value, p in self.tally.probabilities.items()]
        return Table(
            [values, Column("probability", chance, value=itemgetter(2)), Column("", lambda page, one: "")], rows
        )

    def _subject(self) -> str:
        return self.name

    def _lines(self, page: Printing) -> list[str]:
        grouped = bins(self.tally.probabilities)
        if not grouped:
            return [f"{self.name}: no distribution"]
        most = max(p for _, _, p in grouped)
        rows = replace(self._table(), rows=grouped).cells(page)
        width = max(1, min(WIDTH, page.width - len(aligned(rows)[-1]) - 2))
        for row, (_, _, p) in zip(rows[1:], grouped, strict=True):
            row[-1] = ("█" * round(width * p / most)).ljust(width)
        return aligned(rows)


GROUPS = 8
"""Number of groups, of about equal weight, when no width is given."""
TAIL = 1e-6
"""The last groups are merged while their joint share of the weight is below this."""


@dataclass(frozen=True)
class Given:
    """Outcomes of the games in which a tally is from `low` to `high`, both included.

    Attributes
    ----------
    low, high
        The values of the tally.
    probability
        That the tally is one of them.
    outcomes
        Probability of each outcome in these games.

    Examples
    --------
    >>> import dicelab
    >>> first, *_ = dicelab.exact("lcr", players=2, coins=1).given("turns")
    >>> first.low, first.high, round(first.probability, 6), first.outcomes["1"].probability
    (1, 1, 0.5, 1.0)
    """

    low: int
    high: int
    probability: float
    outcomes: dict[str, Proportion | Chance]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as in the JSON of the command line."""
        outcomes = {name: chance.to_dict() for name, chance in self.outcomes.items()}
        return {"low": self.low, "high": self.high, "probability": self.probability, "outcomes": outcomes}


Joint = Sequence[tuple[int, Sequence[float]]]
"""For each value of a tally, rising, the weight of each outcome: counts of games, or probabilities."""


def given(joint: Joint, names: Sequence[str], width: int | None, error: float | None) -> list[Given]:
    """Outcome probabilities by groups of values.

    Parameters
    ----------
    joint
        Values and the weights of their outcomes.
    names
        Names of the outcomes.
    width
        Values in a group, counted from the smallest value; None for about `GROUPS` groups of equal weight.
    error
        Bound on the error of the weights where they are probabilities; None where they are counts.
    """
    total = sum(sum(weights) for _, weights in joint)
    rows = []
    for group in _by_width(joint, width) if width else _by_weight(joint, total):
        weights = [sum(column) for column in zip(*(weights for _, weights in group), strict=True)]
        here = sum(weights)
        if here <= 0:
            continue
        outcomes: dict[str, Proportion | Chance] = {}
        for name, weight in zip(names, weights, strict=True):
            if error is None:
                outcomes[name] = Proportion(int(weight), int(here))
            else:
                outcomes[name] = Chance(weight / here, None, min(1.0, 2 * error / here))
        rows.append(Given(group[0][0], group[-1][0], here / total, outcomes))
    return rows


def _by_width(joint: Joint, width: int) -> list[Joint]:
    groups: dict[int, list[tuple[int, Sequence[float]]]] = {}
    for value, weights in joint:
        groups.setdefault((value - joint[0][0]) // width, []).append((value, weights))
    return _with_tail(list(groups.values()))


def _with_tail(groups: list[Joint]) -> list[Joint]:
    """Return the groups, with the last ones merged (`TAIL`)."""
    total = sum(sum(weights) for group in groups for _, weights in group)
    tail: list[tuple[int, Sequence[float]]] = []
    weight = 0.0
    while len(groups) > 1 and weight + sum(sum(weights) for _, weights in groups[-1]) < TAIL * total:
        weight += sum(sum(weights) for _, weights in groups[-1])
        tail = [*groups.pop(), *tail]
    return [*groups, tail] if tail else groups


def _by_weight(joint: Joint, total: float) -> list[Joint]:
    groups: list[list[tuple[int, Sequence[float]]]] = [[]]
    seen = 0.0
    for value, weights in joint:
        groups[-1].append((value, weights))
        seen += sum(weights)
        if seen * GROUPS >= total * len(groups) and len(groups) < GROUPS:
            groups.append([])
    return [group for group in groups if group]


@dataclass(frozen=True, repr=False)
class GivenTable(Forms):
    """The groups as a table.

    Attributes
    ----------
    tally, groups
        The name of the tally, and the groups of its values.
    seats
        Whether the outcomes are the winning seats.
    """

    tally: str
    groups: Sequence[Given]
    seats: bool

    def to_dict(self) -> dict[str, Any]:  # noqa: D102 (as in Forms)
        return {"tally": self.tally, "rows": [group.to_dict() for group in self.groups]}

    def _table(self) -> Table:
        def shown(page: Printing, of: Proportion | Chance) -> str:
            half = f" {page.plus_minus(of.interval, 4)}" if isinstance(of, Proportion) else ""
            return page.number(of.probability, 4) + half

        def values(group: Given) -> dict[str, int]:
            return {f"{self.tally} from": group.low, f"{self.tally} to": group.high}

        def outcome(name: str) -> Callable[[Given], dict[str, Any]]:
            ends = {"value": name, "low": f"{name} low", "high": f"{name} high"}
            return lambda group: {ends[key]: number for key, number in point(group.outcomes[name]).to_dict().items()}

        columns = [
            Column("*", lambda page, group: values_text(group.low, group.high), self.tally, data=values),
            Column("probability", chance),
        ]
        for name in self.groups[0].outcomes if self.groups else ():
            columns.append(Column("*", shown, outcome_title(name, self.seats), entry("outcomes", name), outcome(name)))
        return Table(columns, self.groups)

    def _subject(self) -> str:
        return self.tally

    def _lines(self, page: Printing) -> list[str]:
        if not self.groups:
            return [f"{self.tally}: no games were played"]
        return self._table().lines(page)
