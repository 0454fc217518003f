"""Several dice expressions beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from dicelab.errors import ParameterError
from dicelab.keywords import keywords
from dicelab.questions.notation.dice import DEPTH, Dice, dice
from dicelab.results.base import Forms, head
from dicelab.results.numbers.estimates import PERCENTILES
from dicelab.results.text.html import in_html
from dicelab.results.text.page import CHANCE, Page
from dicelab.version import __version__

MOST = 12
"""Maximum number of expressions beside each other."""


@dataclass(frozen=True, repr=False)
class DiceCompared(Forms):
    """Several dice expressions, a row each.

    Attributes
    ----------
    results
        The distributions, in the order in which they were asked for.

    Examples
    --------
    >>> compare_dice("3d6", "4d6kh3").results[1].mean
    Fraction(15869, 1296)
    """

    results: tuple[Dice, ...]

    method: ClassVar[str] = "compare_dice"

    def to_dict(self) -> dict[str, Any]:
        """Plain data with the keys of the command line's ``--json``."""
        seconds = sum(result.seconds for result in self.results)
        compared = [result.to_dict() for result in self.results]
        return head(self.method, version=__version__, seconds=seconds) | {"compared": compared, "rows": self._rows()}

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {"expression": one.expression, "mean": float(one.mean), "sd": one.sd}
            | {name: float(p) for name, (_, p) in one.events.items()}
            | {"min": min(one.probabilities), "max": max(one.probabilities)}
            | {name: one.percentile(p) for name, p in PERCENTILES.items()}
            for one in self.results
        ]

    def _subject(self) -> str:
        return " and ".join(result.expression for result in self.results)

    def _repr_html_(self) -> str:
        return in_html(self._lines)

    def _lines(self, page: Page) -> list[str]:
        first, events = self.results[0], {"at_least": "at least", "at_most": "at most"}
        limits = {"at_least": first.threshold, "at_most": first.ceiling}
        table = list[list[str]]()
        for row in self._rows():
            named = {f"{events[name]} {limits[name]:,}" if name in events else name: v for name, v in row.items()}
            table = table or [list(named)]
            table.append([_cell(name, value, page) for name, value in named.items()])
        lines = page.table(table, ["p10", "p90", "min", "max"])
        return lines + list(dict.fromkeys(line for one in self.results for line in one.remarks()))


def _cell(name: str, value: Any, page: Page) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return f"{value:,}"
    return page.chance(value) if name.startswith("at ") else page.number(value, CHANCE)


@keywords()
def compare_dice(
    *expressions: str, depth: int = DEPTH, at_least: int | None = None, at_most: int | None = None
) -> DiceCompared:
    """Return the exact distributions of several dice expressions, beside each other.

    Parameters
    ----------
    *expressions
        Up to 12, as in `dice`.
    depth, at_least, at_most
        As in `dice`; the same for all.

    Returns
    -------
    DiceCompared
        Its `results` are those of `dice`.

    Raises
    ------
    ExpressionError, ParameterError
        As in `dice`; and when there are no expressions, or too many.

    Examples
    --------
    >>> [round(float(one.at_least(15)), 4) for one in compare_dice("3d6", "4d6kh3", at_least=15).results]
    [0.0926, 0.2315]
    """
    _check(expressions)
    given = {"depth": depth, "at_least": at_least, "at_most": at_most}
    return DiceCompared(tuple(dice(expression, **given) for expression in expressions))  # type: ignore[arg-type]


def _check(expressions: Sequence[str]) -> None:
    if not 1 <= len(expressions) <= MOST:
        raise ParameterError(f"1 to {MOST} expressions can be compared, not {len(expressions)}")
