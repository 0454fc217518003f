"""`dicelab.fair`: are my dice fair? Rolls that were written down, tested, with an estimate of each face.

It says, too, what so many rolls would notice four times out of five: a face, dice that go together, a die that repeats
itself.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, stats

from dicelab.errors import ParameterError
from dicelab.questions.declare import question
from dicelab.questions.judging.power import LEVEL, POWER, noticeable_chance
from dicelab.questions.notation.dice import read_expression
from dicelab.questions.options import Option, Rolled, RowsWatched
from dicelab.questions.rolled.checks import LEAST_IN_TABLE
from dicelab.questions.rolled.rolls import Rolls
from dicelab.results.base import Forms, head, present
from dicelab.results.text.page import Page
from dicelab.results.text.writing import many
from dicelab.runtime.timing import Stopwatch
from dicelab.version import __version__

if TYPE_CHECKING:
    from dicelab.questions.rolled.checks import Test
    from dicelab.questions.rolled.rolls import Rolls

FILES = 4000
"""Files of rolls simulated for each probability that is tried, at most."""
CELLS = 1_000_000
"""Limit of the cells in the tables of all files."""
MOST_CELLS = 4000
"""Limit of the cells in the tables of one file."""
MANY = 1000
"""Rolls of single dice from which on the number of repeats is close to binomial."""
SEED = 44
"""Seed of the files: the same rolls have the same answer."""

Numbers = NDArray[np.float64]


def noticeable_face(rolls: Rolls, tests: int) -> tuple[int, float] | None:
    """Return the value whose probability is largest, and to what it must rise to be noticed four times out of five.

    The others keep their proportions. None where even a die that always shows this value would not be noticed.

    Parameters
    ----------
    tests
        Number of tests that share the level of 0.05.
    """
    chances = [float(p) for p in rolls.chances]
    at = int(np.argmax(chances))
    chance = noticeable_chance(chances, at, rolls.number, tests)
    return None if chance is None else (rolls.faces[at], chance)


def same(rolls: Rolls) -> float:
    """Return the probability that two fair dice show the same."""
    return float(sum(p * p for p in rolls.chances))


def noticeable_repeats(rolls: Rolls, tests: int) -> float | None:
    """Return the share of rolls that repeat the roll before, of each die, which is noticed four times out of five.

    Each die sometimes copies what it showed before. Of few rolls the power of the test is simulated, because such rolls
    also have more of some faces than of others, which the test allows for; of many it is binomial.
    """
    if rolls.rows is None or len(rolls.rows) < 3:
        return None
    (number, dice), chance, level = rolls.rows.shape, same(rolls), LEVEL / tests
    if number * dice > MANY:
        return noticeable_chance([chance, 1 - chance], 0, (number - 1) * dice, tests)
    limit = float(np.quantile(_repeated(rolls, 0.0, 4), 1 - level / 2, method="higher"))

    def noticed(copied: float) -> float:
        return float((_repeated(rolls, copied) > limit).mean()) - POWER

    enough = next(
        (part for part in np.arange(1, 10) / 10 if noticed(part) >= 0), None
    )  # one that only copies isn't noticed
    if enough is None:
        return None
    copied = float(optimize.brentq(noticed, 0.0, enough, xtol=1e-4))
    return copied + (1 - copied) * chance


def _repeated(rolls: Rolls, copied: float, times: int = 1) -> Numbers:
    """Return, by simulated file, how far the number of repeats is from that of shuffled rolls, in standard deviations.

    The variance is that of the number of runs (D. E. Barton and F. N. David, Biometrika 44, 1957, p. 168-178).

    Parameters
    ----------
    copied
        Probability that a die copies what it showed before.
    times
        There are so many times the usual number of files.
    """
    assert rolls.rows is not None
    (number, dice), random = rolls.rows.shape, np.random.default_rng(SEED)
    shape = times * min(FILES, CELLS // (number * dice)), dice, number
    fresh = random.choice(len(rolls.faces), p=[float(p) for p in rolls.chances], size=shape)
    last = np.where(random.random(shape) < copied, 0, np.arange(number))
    shown = np.take_along_axis(fresh, np.maximum.accumulate(last, axis=2), axis=2)
    faces, dies = len(rolls.faces), np.arange(shape[0] * dice).reshape(-1, dice, 1)
    counts = np.bincount((dies * faces + shown).ravel(), minlength=dies.size * faces).reshape(-1, dice, faces)
    two, three = (counts.astype(float) ** 2).sum(axis=2), (counts.astype(float) ** 3).sum(axis=2)
    variance = (two * (two + number * (number + 1)) - 2 * number * three - number**3) / (number**2 * (number - 1))
    apart = (shown[:, :, 1:] == shown[:, :, :-1]).sum(axis=(1, 2)) - (two / number - 1).sum(axis=1)
    return np.asarray(apart / np.sqrt(np.maximum(variance.sum(axis=1), 1e-9)))


def cells_of_pairs(rolls: Rolls) -> int:
    """Return the number of cells in the tables of all pairs of dice."""
    return rolls.dice * (rolls.dice - 1) // 2 * len(rolls.faces) ** 2


def noticeable_pairs(rolls: Rolls, tests: int) -> float | None:
    """Return the share of rolls in which two of the dice show the same that is noticed four times out of five.

    One of the two sometimes copies the other. The power of the test of pairs is simulated, always with the same random
    numbers. None where not even dice that always show the same are noticed, and where the tables are too large.
    """
    if rolls.rows is None or rolls.dice < 2 or cells_of_pairs(rolls) > MOST_CELLS:
        return None
    number, fair = len(rolls.rows), np.array([float(p) for p in rolls.chances])
    faces, pairs = len(fair), rolls.dice * (rolls.dice - 1) // 2
    files, apart = min(FILES, CELLS // (pairs * faces**2)), np.outer(fair, fair)
    random = np.random.default_rng(SEED)
    others = sum((_squares(random, apart, number, files) for _ in range(pairs - 1)), np.zeros(files))

    def squares(copied: float) -> Numbers:
        law = copied * np.diag(fair) + (1 - copied) * apart
        return others + _squares(np.random.default_rng(SEED + 1), law, number, files)

    level, many = LEVEL / tests, number * float(fair.min()) ** 2 >= LEAST_IN_TABLE
    limit = stats.chi2.isf(level, pairs * (faces - 1) ** 2) if many else np.quantile(squares(0.0), 1 - level)

    def noticed(copied: float) -> float:
        return float((squares(copied) > limit).mean()) - POWER

    if noticed(1.0) < 0:
        return None
    copied = float(optimize.brentq(noticed, 0.0, 1.0, xtol=1e-4))
    return copied + (1 - copied) * same(rolls)


def _squares(random: np.random.Generator, law: Numbers, number: int, files: int) -> Numbers:
    """Return the chi-square statistics of the tables of pairs in so many files of rolls."""
    tables = random.multinomial(number, law.ravel() / law.sum(), size=files).reshape(files, *law.shape)
    expected = tables.sum(axis=2)[:, :, None] * tables.sum(axis=1)[:, None, :] / number
    found: Numbers = np.divide((tables - expected) ** 2, expected, out=np.zeros(expected.shape), where=expected > 0)
    return np.asarray(found.sum(axis=(1, 2)))


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
        return noticeable_face(self.rolls, len(self.tests))

    @cached_property
    def noticeable_pairs(self) -> float | None:
        """The share of rolls in which two dice show the same, if it were so large that these rolls notice it as often.

        None where there are no pairs, no share is noticed, or the dice have too many faces.
        """
        return noticeable_pairs(self.rolls, len(self.tests))

    @cached_property
    def noticeable_repeats(self) -> float | None:
        """The share of rolls that repeat the roll before, if these rolls notice it as often; None as for pairs."""
        return noticeable_repeats(self.rolls, len(self.tests))

    @property
    def words(self) -> str:
        """The verdict as a sentence."""
        worst = min(zip(self.adjusted, self.tests, strict=True))[1].name
        if self.verdict == "fair":
            return "Nothing in these rolls speaks against fair dice."
        strength = "These dice are not fair" if self.verdict == "unfair" else "These dice may not be fair"
        found = {"faces": "some faces come up too often", "dice alike": "the dice differ from each other"}
        found |= {"pairs": "dice rolled together depend on each other", "sequence": "rolls depend on the roll before"}
        return f"{strength}: {(found | {'repeats': 'a face follows itself too often or too rarely'})[worst]}."

    @property
    def rolled(self) -> str:
        """The number of rolls, in words."""
        return many(self.rolls.number // self.rolls.dice, "roll")

    @property
    def power(self) -> str:
        """What so many rolls would notice, as a sentence."""
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
        if self.rolls.rows is None or self.rolls.dice < 2:
            return ""
        if cells_of_pairs(self.rolls) > MOST_CELLS:
            return " The power of the tests dice alike and pairs is not computed."
        return " The power of the test dice alike is not computed."

    def estimates(self) -> list[dict[str, Any]]:
        """By value: how often it was rolled, how often it should be, its share with a 95 % interval."""
        from dicelab.results.numbers.intervals import clopper_pearson

        rows = []
        for value, count, chance in zip(self.rolls.faces, self.rolls.counts, self.rolls.chances, strict=True):
            low, high = clopper_pearson(count, self.rolls.number)
            row = {"value": value, "count": count, "expected": self.rolls.number * float(chance)}
            rows.append(row | {"share": count / self.rolls.number, "low": low, "high": high, "fair": float(chance)})
        return rows

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
        pairs = zip(self.tests, self.adjusted, strict=True)
        data["tests"] = [{**test._asdict(), "adjusted": adjusted} for test, adjusted in pairs]
        if self.noticeable is not None:
            data["noticed"] = {"value": self.noticeable[0], "probability": self.noticeable[1]}
        shares = {"noticed_pairs": self.noticeable_pairs, "noticed_repeats": self.noticeable_repeats}
        data |= {name: share for name, share in shares.items() if share is not None}
        return data | present(untested=list(self.untested)) | {"rows": self.estimates()}

    def _rows(self) -> list[dict[str, Any]]:
        return self.estimates()

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

    def _lines(self, page: Page) -> list[str]:
        lines = [f"{self.about}, joint p-value {self.p:.2g}{self._assumed}", "", self.power, ""]
        table = [["value", "rolled", "expected", "share", "95 % interval", "fair"]]
        shown = self.estimates()
        if len(shown) > MOST_LINES:
            shown = sorted(shown, key=lambda row: abs(row["count"] - row["expected"]) / row["expected"] ** 0.5)
            shown = sorted(shown[-MOST_LINES:], key=lambda row: int(row["value"]))
        for row in shown:
            cells = [f"{row['value']:,}", f"{row['count']:,}", f"{row['expected']:,.1f}", f"{row['share']:.{SHARE}f}"]
            cells += [f"{row['low']:.{SHARE}f} .. {row['high']:.{SHARE}f}", f"{row['fair']:.{SHARE}f}"]
            table.append(cells)
        lines += page.table(table, ["expected", "fair"])
        more = len(self.rolls.faces) - len(shown)
        lines += [f"({many(more, 'value')} closer to fair left out)", ""] if more else [""]
        tested = [["test", "fair if", "p", "adjusted", "how"]]
        for test, adjusted in zip(self.tests, self.adjusted, strict=True):
            tested.append([test.name, MEANINGS[test.name], f"{test.p:.3g}", f"{adjusted:.3g}", test.how])
        lines += page.table(tested, ["how", "fair if"])
        return lines + [line for reason in self.untested for line in ("", f"not tested: {reason}")]


def _article(value: int) -> str:
    """Return the article of a number that is spoken: a 7, an 8, an 11."""
    text = str(value)
    return "an" if text.startswith("8") or (len(text) % 3 == 2 and text[:2] in ("11", "18")) else "a"


@dataclass(frozen=True)
class Die(Option):
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
        str | None, Die("The die that was rolled", "EXPRESSION", words=True, label="the die", example="d6")
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
