"""`dicelab.dice`: the exact distribution of a dice expression, or of several beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, ClassVar, overload

from dicelab.errors import ParameterError
from dicelab.questions.declare import question
from dicelab.questions.notation.expression import DEPTH, MOST_DEPTH, Dice, distribution, read_expression
from dicelab.questions.notation.parts import ExpressionError
from dicelab.questions.options import OneOf, Option, Whole
from dicelab.results.base import Forms, head, present
from dicelab.results.numbers.estimates import PERCENTILES
from dicelab.results.text.page import Printing
from dicelab.results.text.sentences import apart, listed, number, percent
from dicelab.results.text.table import Column, Table, chance, count, figure, plain
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
    >>> dice("3d6", "4d6kh3").results[1].mean
    Fraction(15869, 1296)
    """

    results: tuple[Dice, ...]

    method: ClassVar[str] = "compare_dice"
    entries: ClassVar = {
        "compared": "[#]: the dice expressions that are compared",
        "rows": (
            [{"expression": "string", "mean sd at_least? at_most?": "number", "min max p10 p50 p90": "integer"}],
            "one object for each row of the table",
        ),
    }

    def to_dict(self) -> dict[str, Any]:
        """Plain data with the keys of the command line's ``--json``."""
        seconds = sum(result.seconds for result in self.results)
        compared = [result.to_dict() for result in self.results]
        data = head(self.method, version=__version__, seconds=seconds) | present(summary=self.summary)
        return data | {"compared": compared, "rows": self._rows()}

    def _sentence(self) -> str:
        limit = self.results[0].threshold
        scores = [one.mean if limit is None else one.at_least(limit) for one in self.results]
        best = sorted(range(len(scores)), key=lambda i: -scores[i])
        names = [self.results[i].expression for i in best]
        first, second = scores[best[0]], scores[best[1]]
        what = "has the highest mean" if limit is None else f"is {limit:,} or more most often"
        if first == second:
            same = [self.results[i].expression for i in best if scores[i] == first]
            figure = number(float(first)) if limit is None else f"{percent(float(first))} of rolls"
            most = "have the highest mean" if limit is None else f"are {limit:,} or more equally often, and most often"
            return f"{listed(same)} {most}: {figure}"
        one, other = (
            (number(float(first)), number(float(second))) if limit is None else apart(float(first), float(second))
        )
        return f"{names[0]} {what}: {one}, against {other} for {names[1]}"

    def _table(self) -> Table:
        first, limits = self.results[0], dict[str, str]()
        limits |= {} if first.threshold is None else {"at_least": f"at least {first.threshold:,}"}
        limits |= {} if first.ceiling is None else {"at_most": f"at most {first.ceiling:,}"}
        columns = [
            Column("expression", plain),
            Column("mean", figure, value=lambda one: float(one.mean)),
            Column("sd", figure),
            *(
                Column(
                    name,
                    chance if name in limits else figure,
                    limits.get(name),
                    partial(_event, name),
                )
                for name in first.events
            ),
            Column("min", count, value=lambda one: min(one.probabilities)),
            Column("max", count, value=lambda one: max(one.probabilities)),
            *(Column(name, count, value=partial(_percentile, p)) for name, p in PERCENTILES.items()),
        ]
        return Table(columns, self.results, ["p10", "p90", "min", "max"])

    def _subject(self) -> str:
        return " and ".join(result.expression for result in self.results)

    def _lines(self, page: Printing) -> list[str]:
        return self._table().lines(page) + list(dict.fromkeys(line for one in self.results for line in one.remarks()))


def _event(name: str, one: Dice) -> float:
    """Return the probability of an event."""
    return float(one.events[name][1])


def _percentile(share: float, one: Dice) -> int:
    """Return a percentile."""
    return one.percentile(share)


@dataclass(frozen=True)
class Expressions(Option):
    """Dice expressions: the words of a command line, or the lines of a field."""

    control = "textarea"

    def read(self, name: str, text: str | Sequence[str]) -> list[str]:  # noqa: D102 (as in Option)
        if isinstance(text, str):
            return [line.strip() for line in text.splitlines() if line.strip()]
        for word in text:
            try:
                read_expression(word)
            except ExpressionError as error:
                if len(text) > 1:
                    error.sentence += f"; {len(text)} expressions were given: put quotes around one with spaces"
                raise
        return list(text)


@overload
def dice(
    expression: str, /, *, depth: int = DEPTH, at_least: int | None = None, at_most: int | None = None
) -> Dice: ...


@overload
def dice(
    first: str,
    second: str,
    /,
    *others: str,
    depth: int = DEPTH,
    at_least: int | None = None,
    at_most: int | None = None,
) -> DiceCompared: ...


@question(
    chart="dice",
    tab="Dice",
    instead=("fair",),
    complete=lambda page, texts: "expressions" in texts,
    drawn_by={
        "of": OneOf(
            "Draw the probability of each value, or of at least or at most this value [default: exactly]",
            label="chart of",
            values={"exactly": "each value", "at-least": "at least", "at-most": "at most"},
        )
    },
)
def dice(
    *expressions: Annotated[
        str,
        Expressions("Dice expressions, a line each", "EXPRESSION", words=True, label="expressions", example="4d6kh3"),
    ],
    depth: Annotated[
        int, Whole("Maximum number of explosions of a die", "N", label="explosions", least=0, most=MOST_DEPTH)
    ] = DEPTH,
    at_least: Annotated[
        int | None, Whole("Also show the probability of N or a larger value", "N", label="at least", least=None)
    ] = None,
    at_most: Annotated[
        int | None, Whole("Also show the probability of N or a smaller value", "N", label="at most", least=None)
    ] = None,
) -> Dice | DiceCompared:
    """Compute the exact distribution of a dice expression; of several, beside each other.

    Dice are written 4d6, d%, 4dF or d{1,1,2,3}. After them, in this order: r1 or ro<3 rolls faces again, always or
    once; ! rolls another die at the highest face, !>4 above 4, !! or exploding adds it to the same die; kh3, kl3, dh1,
    dl1, or keep or drop, highest or lowest and a number, select dice. Dice and numbers are joined by + * -,
    parentheses, max(...) and min(...). 10d6 >= 5 counts the dice that show 5 or more, and 10d6 >= 5f1 subtracts those
    that show 1. (2d6)d8 rolls as many d8 as 2d6 say. A vs B compares two totals.

    Commands
    --------
    dicelab dice 4d6kh3 --at-least 15
    dicelab dice "10d6 >= 5"
    dicelab dice "2d20 lowest + 5" --plot total.svg
    dicelab dice "3d6!" --depth 3
    dicelab dice "3d6 vs 2d8" --json
    dicelab dice 3d6 4d6kh3 "max(2d6, d12)" --plot three.svg --of at-least
    dicelab dice d6 --test 16,18,21,15,14,16
    dicelab dice d20 --test rolls.csv --plot mine.svg

    Parameters
    ----------
    *expressions
        Up to 12, such as ``4d6kh3``, ``10d6 >= 5``, ``max(2d6, d12)`` or ``3d6 vs 2d8``; docs/dice.md has the grammar.

    Returns
    -------
    Dice, DiceCompared
        With a `Fraction` for each value; of several expressions, `results` has them.

    Raises
    ------
    ExpressionError
        When an expression can't be read, or would take too long; its text has a caret below the place.
    ParameterError
        When there are no expressions, or too many.

    Examples
    --------
    >>> result = dice("4d6 keep highest 3")
    >>> result.mean, result.probabilities[18]
    (Fraction(15869, 1296), Fraction(7, 432))
    >>> [round(float(one.at_least(15)), 4) for one in dice("3d6", "4d6kh3", at_least=15).results]
    [0.0926, 0.2315]
    """
    if not expressions:
        raise ParameterError("EXPRESSION is missing: write one such as 4d6kh3, or --test FILE with rolls of your dice")
    if len(expressions) > MOST:
        raise ParameterError(f"1 to {MOST} expressions can be compared, not {len(expressions)}")
    distributions = tuple(distribution(one, depth, at_least, at_most) for one in expressions)
    return distributions[0] if len(distributions) == 1 else DiceCompared(distributions)
