"""`dicelab.fair`: are my dice fair? Rolls that were written down, tested, with an estimate of each face."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from dicelab.errors import ParameterError
from dicelab.questions.declare import question
from dicelab.questions.notation.expression import read_expression
from dicelab.questions.options import Option, Rolled, RowsWatched
from dicelab.results.base import Forms, head, present
from dicelab.results.numbers.estimates import Point
from dicelab.results.text.page import Printing
from dicelab.results.text.table import Column, Table, count
from dicelab.results.text.writing import many
from dicelab.runtime.timing import Stopwatch
from dicelab.version import __version__

if TYPE_CHECKING:
    from dicelab.questions.rolled.checks import Test
    from dicelab.questions.rolled.rolls import Rolls

DOUBTFUL, UNFAIR = 0.05, 0.001
"""Joint p-values below which dice are doubtful, and not fair."""
SHARE = 4
"""Digits of a share."""
SLIPS = 0.1
"""Share of the expected values above the next smaller die, up to which these may be slips."""
MOST_LINES = 24
"""Largest number of values that are all listed."""
MEANINGS = {
    "faces": "each face is as frequent as it should be",
    "dice alike": "all dice have the same faces equally often",
    "pairs": "dice rolled together don't depend on each other",
    "sequence": "a roll doesn't depend on the one before",
    "repeats": "a face follows itself as often as by chance",
}
"""By test: what holds for fair dice."""


@dataclass(frozen=True, repr=False, kw_only=True)
class Fair(Forms):
    """The answer to the question whether dice are fair.

    Attributes
    ----------
    rolls
        The rolls.
    tests
        The tests.
    untested
        Why other tests are missing.
    seconds
        Time taken, in seconds.

    Examples
    --------
    >>> import dicelab
    >>> dicelab.fair("16,18,21,15,14,16").verdict
    'fair'
    """

    rolls: Rolls
    tests: tuple[Test, ...]
    untested: tuple[str, ...]
    seconds: float = 0.0

    method: ClassVar[str] = "fair"
    entries: ClassVar = {
        "die": "string: the die, as it is written",
        "assumed": "boolean: whether the die was assumed from the values",
        "rolled": "integer: number of dice rolled, in all rolls together",
        "dice": "integer: number of dice in a roll",
        "verdict": "'fair'|'doubtful'|'unfair': fair if nothing speaks against it, doubtful, or unfair",
        "p": "number: joint p-value of all tests",
        "words": "string: the answer in words",
        "power": "string: what so many rolls would notice, in words",
        "noticed?": (
            {"value": "integer", "probability": "number"},
            ("a value, and the probability from which on so many rolls notice it four times out of five"),
        ),
        "noticed_pairs?": "number: the share of rolls in which two dice show the same that is noticed as often",
        "noticed_repeats?": "number: the share of rolls that repeat the roll before that is noticed as often",
        "tests": (
            [
                {
                    "name": "'faces'|'dice alike'|'pairs'|'sequence'|'repeats'",
                    "how": "string",
                    "statistic p adjusted": "number",
                }
            ],
            "each test, with its p-value",
        ),
        "untested?": "[string]: tests that could not be made, and why",
        "rows": (
            [{"value count": "integer", "expected share low high fair": "number"}],
            "one object for each row of the table",
        ),
    }

    @cached_property
    def adjusted(self) -> list[float]:
        """The p-values of the tests, adjusted for their number by Holm's method."""
        from dicelab.questions.judging.goodness import holm

        return holm([test.p for test in self.tests])

    @property
    def p(self) -> float:
        """The joint p-value: the smallest adjusted one."""
        return min(self.adjusted)

    @property
    def verdict(self) -> str:
        """``fair``: nothing speaks against it; ``doubtful``, below 0.05; ``unfair``, below 0.001."""
        return "unfair" if self.p < UNFAIR else "doubtful" if self.p < DOUBTFUL else "fair"

    @cached_property
    def noticeable(self) -> tuple[int, float] | None:
        """A value, and the probability from which on so many rolls notice it, four times out of five."""
        from dicelab.questions.rolled.checks import noticeable_face

        return noticeable_face(self.rolls, len(self.tests))

    @cached_property
    def noticeable_pairs(self) -> float | None:
        """The share of rolls in which two dice show the same, if it were so large that these rolls notice it as often.

        None where there are no pairs, no share is noticed, or the dice have too many faces.
        """
        from dicelab.questions.rolled.checks import noticeable_pairs

        return noticeable_pairs(self.rolls, len(self.tests))

    @cached_property
    def noticeable_repeats(self) -> float | None:
        """The share of rolls that repeat the roll before, if these rolls notice it as often; None as for pairs."""
        from dicelab.questions.rolled.checks import noticeable_repeats

        return noticeable_repeats(self.rolls, len(self.tests))

    @property
    def words(self) -> str:
        """The verdict as a sentence."""
        worst = min(zip(self.adjusted, self.tests, strict=True))[1].name
        if self.verdict == "fair":
            return "Nothing in these rolls speaks against fair dice."
        strength = "These dice are not fair" if self.verdict == "unfair" else "These dice may not be fair"
        causes = {"faces": "some faces come up too often", "dice alike": "the dice differ from each other"}
        causes |= {"pairs": "dice rolled together depend on each other", "sequence": "rolls depend on the roll before"}
        return f"{strength}: {(causes | {'repeats': 'a face follows itself too often or too rarely'})[worst]}."

    @property
    def rolled(self) -> str:
        """The number of rolls, in words."""
        return many(self.rolls.number // self.rolls.dice, "roll")

    @property
    def power(self) -> str:
        """What so many rolls would notice, as a sentence."""
        from dicelab.questions.rolled.checks import same

        rolls = self.rolled
        if self.noticeable is None:
            few = "1 roll is" if rolls == "1 roll" else f"{rolls} are"
            always = "a die that always shows" if self.rolls.dice == 1 else "dice that always show"
            return f"{few} too few to notice even {always} the same."
        value, chance = self.noticeable
        fair = float(max(self.rolls.chances))
        other = "" if len(set(self.rolls.chances)) > 1 else " (or another face)"
        first = (
            f"With {rolls} you would notice, four times out of five, {_article(value)} {value}{other} that comes up "
            f"{100 * chance:.1f} % of the time instead of {100 * fair:.1f} %"
        )
        more = {
            "two dice that show the same": self.noticeable_pairs,
            "a die that shows the same as before": self.noticeable_repeats,
        }
        known = [f"{what} in {100 * share:.1f} %" for what, share in more.items() if share is not None]
        usual = f" of the rolls instead of {100 * same(self.rolls):.1f} %" if known else ""
        return f"{'; '.join([first, ' or '.join(known)]) if known else first}{usual}.{self._without_power}"

    @property
    def _without_power(self) -> str:
        """The tests of several dice whose power is not computed, as a sentence; empty if there are none."""
        from dicelab.questions.rolled.checks import MOST_CELLS, cells_of_pairs

        if self.rolls.rows is None or self.rolls.dice < 2:
            return ""
        if cells_of_pairs(self.rolls) > MOST_CELLS:
            return " The power of the tests dice alike and pairs is not computed."
        return " The power of the test dice alike is not computed."

    def estimates(self) -> list[dict[str, Any]]:
        """By value: how often it was rolled, how often it should be, its share with a 95 % interval."""
        return self._table().data()

    def _table(self) -> Table:
        number = self.rolls.number

        def share(of: tuple[int, int, Fraction]) -> Point:
            from dicelab.results.numbers.intervals import clopper_pearson

            return Point(of[1] / number, *clopper_pearson(of[1], number))

        def shown(page: Printing, value: float) -> str:
            return f"{value:.{SHARE}f}"

        columns = [
            Column("value", count, value=lambda row: row[0]),
            Column("count", count, "rolled", lambda row: row[1]),
            Column("expected", lambda page, value: f"{value:,.1f}", value=lambda row: number * float(row[2])),
            Column("share", shown, value=lambda row: row[1] / number),
            Column(
                "*",
                lambda page, of: f"{of.low:.{SHARE}f} .. {of.high:.{SHARE}f}",
                "95 % interval",
                share,
                lambda row: dict(zip(("low", "high"), share(row)[1:], strict=True)),
            ),
            Column("fair", shown, value=lambda row: float(row[2])),
        ]
        return Table(
            columns, [*zip(self.rolls.faces, self.rolls.counts, self.rolls.chances, strict=True)], ["expected", "fair"]
        )

    def _tests(self) -> Table:
        """Return the tests, each with its adjusted p-value."""

        def p(page: Printing, value: float) -> str:
            return f"{value:.3g}"

        columns = [
            Column("*", lambda page, row: row[0].name, "test", data=lambda row: row[0]._asdict()),
            Column("", lambda page, row: MEANINGS[row[0].name], "fair if"),
            Column("", p, "p", lambda row: row[0].p),
            Column("adjusted", p, value=lambda row: row[1]),
            Column("", lambda page, row: row[0].how, "how"),
        ]
        return Table(columns, [*zip(self.tests, self.adjusted, strict=True)], ["how", "fair if"])

    def to_dict(self) -> dict[str, Any]:
        """Plain data with the keys of the command line's ``--json``."""
        data = head(self.method, version=__version__, seconds=self.seconds) | {"summary": self.summary}
        data |= {"die": self.rolls.die, "assumed": self.rolls.assumed, "rolled": self.rolls.number}
        data |= {
            "dice": self.rolls.dice,
            "verdict": self.verdict,
            "p": self.p,
            "words": self.words,
            "power": self.power,
        }
        data["tests"] = self._tests().data()
        if self.noticeable is not None:
            data["noticed"] = {"value": self.noticeable[0], "probability": self.noticeable[1]}
        shares = {"noticed_pairs": self.noticeable_pairs, "noticed_repeats": self.noticeable_repeats}
        data |= {name: share for name, share in shares.items() if share is not None}
        return data | present(untested=list(self.untested)) | {"rows": self.estimates()}

    def _subject(self) -> str:
        return self.about

    @property
    def about(self) -> str:
        """What was rolled: ``200 rolls of d6``."""
        dice = f"{self.rolls.dice} {self.rolls.die}" if self.rolls.dice > 1 else self.rolls.die
        return f"{self.rolled} of {dice}"

    def _sentence(self) -> str:
        return self.words

    def _brief(self) -> str:
        return f"{self.verdict}, p {self.p:.2g}"

    @property
    def _assumed(self) -> str:
        """That the die was assumed, and from how few rolls, if a smaller one has nearly all of the values."""
        if not self.rolls.assumed:
            return ""
        from dicelab.questions.rolled.rolls import USUAL

        smaller = max((faces for faces in USUAL if faces < len(self.rolls.faces)), default=0)
        above = sum(self.rolls.counts[smaller:])
        expected = self.rolls.number * (1 - smaller / len(self.rolls.faces))
        said = f"; {self.rolls.die} is assumed from the values"
        if self.rolls.rows is None or not smaller or above > expected * SLIPS:
            return said
        are, slips = ("is", "that is a slip, correct it") if above == 1 else ("are", "these are slips, correct them")
        rare = f"though only {above:,} of {self.rolls.number:,} {are} above {smaller}"
        return f"{said}, {rare}; if {slips} and name the die"

    def _lines(self, page: Printing) -> list[str]:
        lines = [f"{self.about}, joint p-value {self.p:.2g}{self._assumed}", "", self.power, ""]
        table, more = self._table(), len(self.rolls.faces) - MOST_LINES
        if more > 0:
            expected = [self.rolls.number * float(chance) for *_, chance in table.rows]
            far = [abs(row[1] - right) / right**0.5 for row, right in zip(table.rows, expected, strict=True)]
            shown = sorted(sorted(range(len(far)), key=far.__getitem__)[more:])
            table = replace(table, rows=[table.rows[at] for at in shown])
        lines += table.lines(page)
        lines += [f"({many(more, 'value')} closer to fair left out)", ""] if more > 0 else [""]
        lines += self._tests().lines(page)
        return lines + [line for reason in self.untested for line in ("", f"not tested: {reason}")]


def _article(value: int) -> str:
    """Return the article of a number that is spoken: a 7, an 8, an 11."""
    text = str(value)
    return "an" if text.startswith("8") or (len(text) % 3 == 2 and text[:2] in ("11", "18")) else "a"


@dataclass(frozen=True)
class DieOption(Option):
    """The die that was rolled: the word of a command line, or the text of a field."""

    def read(self, name: str, text: str | Sequence[str]) -> str:  # noqa: D102 (as in Option)
        words = [text] if isinstance(text, str) else text
        if len(words) > 1:
            raise ParameterError(f"--test takes one expression, the die, and there are {len(words)}")
        read_expression(words[0])
        return words[0]


@question(
    chart="fair",
    tab="Are my dice fair?",
    rows="files",
    alike=True,
    asked_with=("rolls",),
    complete=lambda page, texts: "rolls" in texts,
)
def fair(
    rolls: Annotated[
        str | os.PathLike[str] | Sequence[int] | Sequence[Sequence[int]],
        Rolled(
            "Instead: are these dice fair? A file with a line for each roll, or counts such as 16,18,21,15,14,16. "
            "EXPRESSION is then the die, such as d20",
            "ROLLS",
            ("--test",),
            label="rolls, a line each; or counts",
            example="3 6\n1 4\n6 6",
            called="rolls.csv",
        ),
    ],
    *,
    die: Annotated[
        str | None, DieOption("The die that was rolled", "EXPRESSION", words=True, label="the die", example="d6")
    ] = None,
    progress: RowsWatched = lambda done, total: None,
) -> Fair:
    """Test whether dice are fair, from rolls that were written down.

    Parameters
    ----------
    rolls
        The path of a file with a line for each roll (a number for each die), or of one with the columns ``face`` and
        ``count``; counts such as ``"16,18,21,15,14,16"``; or a list of rolls in order.
    die
        The die, such as ``d20`` or ``d{1,1,2,3}``. Of rolls whose totals alone are known, the dice: ``2d6``. None
        assumes the smallest usual die that has all of the values.

    Returns
    -------
    Fair
        Verdict, tests, the estimate of each face, and what so many rolls would notice.

    Raises
    ------
    ParameterError, ExpressionError
        When the rolls can't be read, or are not of this die.

    Examples
    --------
    >>> answer = fair([6, 6, 1, 6, 2, 6, 6, 3, 6, 6, 6, 5], die="d6")
    >>> answer.verdict, answer.tests[0].name
    ('doubtful', 'faces')
    """
    from dicelab.questions.rolled.checks import all_tests
    from dicelab.questions.rolled.rolls import rolls_of

    watch, read = Stopwatch(), rolls_of(rolls, die)
    tests, untested = all_tests(read, progress)
    return Fair(rolls=read, tests=tuple(tests), untested=tuple(untested), seconds=watch.seconds)
