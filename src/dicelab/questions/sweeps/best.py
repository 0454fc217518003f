"""Which value of a sweep is best, and which values can't be told from it.

Exact figures are compared with their error bounds. Of simulated ones each interval gets the level ``1 - 0.05 / k``, k
being the number of values, so that all cover the truth at once in 95 of 100 sweeps, however the rows depend on each
other (C. E. Bonferroni): a value is set apart from the best only if its interval lies wholly on the worse side of an
end of another. So the value that is truly best is among those named in 95 of 100 sweeps or more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from dicelab.errors import ParameterError
from dicelab.questions.sweeps.points import Point as Place
from dicelab.questions.sweeps.points import SweepRow, must_be_figure, solved
from dicelab.results.numbers.estimates import Average, Chance, Point, Proportion, known, point
from dicelab.results.numbers.fairness import MEASURES
from dicelab.results.provenance import winners
from dicelab.results.text.writing import many, probability_of
from dicelab.rules.game import outcome_names

LEAST = "least:"
"""What the name of a figure begins with when its smallest value is the best."""
MOST_NAMED = 12
"""Maximum number of values that are named one by one as close to the best."""


@dataclass(frozen=True)
class Best:
    """The best value of a sweep by one figure.

    Attributes
    ----------
    figure, least
        The outcome (its probability), tally (its mean) or measure of fairness; and whether its smallest value is the
        best, as it always is of a measure of fairness.
    values
        The best value, or pair of values, by the names of what was swept.
    value
        The figure there.
    close
        The other values that can't be told from the best one.
    margin
        How far the figure of the next value that can be told from it lies from the best; None without such a value.

    Examples
    --------
    >>> import dicelab
    >>> best = dicelab.sweep("hazard", over={"main": range(5, 10)}, exact=True).best
    >>> best.figure, best.values, best.close, round(best.margin, 6)
    ('win', {'main': 7}, [], 0.000513)
    """

    figure: str
    least: bool
    values: dict[str, int | str]
    value: float
    close: list[dict[str, int | str]]
    margin: float | None

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as in the JSON of the command line."""
        return {**vars(self), "value": known(self.value)}


def figure_of(points: Sequence[Place], wanted: str | None) -> tuple[str, bool] | None:
    """The figure by which values are compared, and whether the least is best; None without one.

    `wanted` is a figure, ``least:FIGURE``, or None for the default: the mean of the tally ``money``, the outcome
    ``win``, or the win of the only seat whose strategy varies.

    Raises
    ------
    UnknownNameError
        When the results at some point don't have the figure.
    """
    if wanted is not None:
        name = wanted.removeprefix(LEAST)
        must_be_figure(points, name)
        return name, wanted != name or name in MEASURES
    first = points[0].game
    if "money" in first.declared.tallies and not any(map(solved, points)):
        return "money", False
    if not winners(first):
        return ("win", False) if all("win" in outcome_names(place.game) for place in points) else None
    moving = _moving(points)
    if len(moving) == 1 and all(place.game.parameters == first.parameters for place in points):
        return str(moving[0]), False
    return None


def best_of(rows: Sequence[SweepRow], figure: str, least: bool) -> Best | None:
    """The best of the rows by a figure, and those that can't be told from it; None without rows.

    Raises
    ------
    ParameterError
        When the rows are simulated and the figure is a measure of fairness, which has no interval then.
    """
    if not rows:
        return None
    found = [_bounded(row, figure, len(rows)) for row in rows]
    if least:
        found = [Point(-value, -high, -low) for value, low, high in found]
    top = max(range(len(rows)), key=lambda k: found[k].value)
    floor = max(low for _, low, _ in found)
    others = [k for k, row in enumerate(rows) if row.values != rows[top].values]
    close = [k for k in others if found[k].high >= floor]
    apart = [found[k].value for k in others if k not in close]
    margin = found[top].value - max(apart) if apart else None
    value = -found[top].value if least else found[top].value
    return Best(figure, least, rows[top].shown_values, value, [rows[k].shown_values for k in close], margin)


def _bounded(row: SweepRow, figure: str, rows: int) -> Point:
    """A figure of a row, with an interval that allows for the number of rows."""
    result = row.result
    if figure in MEASURES:
        return _fairness(list(result.outcomes.values()), figure, result.point(figure).value)
    number = result.number(figure)
    if isinstance(number, Proportion | Average):
        number = replace(number, level=1 - (1 - number.level) / rows)
    return point(number)


def _fairness(chances: Sequence[Any], figure: str, value: float) -> Point:
    """A measure of fairness of exact probabilities, and what it can be within their error bounds."""
    if not all(isinstance(one, Chance) for one in chances):
        raise ParameterError(f"best by: estimates have no interval of {figure}; add --exact")
    lows, highs = zip(*(one.interval for one in chances), strict=True)
    off = sum(high - low for low, high in zip(lows, highs, strict=True))
    if figure != "ratio":
        return Point(value, value - off, value + off)
    return Point(value, max(lows) / min(highs), max(highs) / min(lows) if min(lows) > 0 else inf)


def in_words(best: Best, rows: Sequence[SweepRow], exact: bool) -> list[str]:
    """What was found, as sentences."""
    result = rows[0].result
    if best.figure in result.outcome_names:
        called = probability_of(best.figure, result.seats)
        number = f"{best.value:.6f}"
    else:
        called = f"mean {best.figure}" if best.figure in result.tally_names else best.figure
        number = f"{best.value:.6g}"
    kind = "smallest" if best.least else "largest"
    if len(best.close) + 1 == len(rows) and not exact:
        return [f"no value can be told from any other by the {called}: more games (-n) tell more of them apart"]
    first = f"best: {_named(best.values)}, where the {called} is {kind}: {number}"
    if not best.close:
        more = (
            "" if best.margin is None else f"; the next value is {best.margin:.2g} {'more' if best.least else 'less'}"
        )
        return [first + more]
    how = "equally good, or within the error bounds" if exact else "not told apart from it by so many games"
    return [first, f"{how}: {_list(best.close)}"]


def _named(values: dict[str, int | str]) -> str:
    return ", ".join(f"{name} {value}" for name, value in values.items())


def _list(close: Sequence[dict[str, int | str]]) -> str:
    """Values, the first ones by name."""
    one = len(close[0]) == 1
    texts = [str(next(iter(values.values()))) if one else f"({_named(values)})" for values in close]
    more = len(texts) - MOST_NAMED
    listed = ", ".join(texts[:MOST_NAMED])
    return f"{listed} and {many(more, 'more value')}" if more > 0 else listed


def both_vary(points: Sequence[Place], names: Sequence[str]) -> list[str]:
    """What a sweep shows that varies the strategies of several seats at once, and how to vary one; else nothing."""
    first, moving = points[0], _moving(points)
    if not winners(first.game) or len(moving) < 2 or len(names) != 1:
        return []
    (name,) = names
    path, in_file, rest = name.partition(".py:")
    strategy = f"{path}{in_file}{rest.partition('.')[0]}" if in_file else name.partition(".")[0]
    seats = "both seats" if len(first.strategies) == 2 else f"{len(moving)} seats"
    others = len(first.strategies) - 1
    middle = str(points[len(points) // 2].strategies[moving[0]])
    how = f"To vary one seat only, against a fixed value: -s {strategy} {' '.join([f'-s {middle}'] * others)}"
    how += f"; against optimal play: -s {strategy} -s best" if others == 1 else ""
    return [f"{name} varies in {seats} at once, so these rows don't say which value is best", how]


def _moving(points: Sequence[Place]) -> list[int]:
    """The seats whose strategies vary; none if the number of seats does."""
    texts = [[str(text) for text in place.strategies] for place in points]
    if len(set(map(len, texts))) > 1:
        return []
    return [seat for seat, column in enumerate(zip(*texts, strict=True)) if len(set(column)) > 1]
