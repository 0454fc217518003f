"""What dice do: the exact distribution of an expression such as ``4d6 keep highest 3``."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import lcm, sqrt
from typing import Any, ClassVar

from dicelab.errors import ParameterError
from dicelab.questions.notation.evaluate import evaluate
from dicelab.questions.notation.parse import parse
from dicelab.questions.notation.parts import ExpressionError, ParsedQuestion
from dicelab.results.base import Forms, head, present
from dicelab.results.histogram import MOST_LINES, WIDTH, bins
from dicelab.results.numbers.estimates import PERCENTILES, share, shown_fraction
from dicelab.results.text.page import CHANCE, Printing
from dicelab.results.text.sentences import apart, number, percent
from dicelab.results.text.table import Column, Table, chance, count, written
from dicelab.results.text.writing import values_text
from dicelab.version import __version__

# Programs of AnyDice, which are answered with the nearest expression --------------------------------------------------

PROGRAM = re.compile(
    r"^\s*(?:(?:output|loop|set)\b|function\s*:|[A-Z]+\s*:\s)|named\s+\"|\d@"
    r"|\[(?:highest|lowest|middle|explode|count|absolute|contains|maximum|reverse|sort)\s",
    re.MULTILINE,
)
"""What AnyDice has and expressions don't: statements, functions in brackets, names, places of a sequence."""
OUTPUT = re.compile(r"output\s+(.*?)(?:\s+named\s+\"[^\"]*\")?", re.DOTALL)
POOL = r"(\d*\s*d\s*(?:\d+|%|\{[^{}\[\]]*\}))"
ASSIGNED = re.compile(r"^\s*([A-Z]+)\s*:\s*([^\n]*?)\s*$", re.MULTILINE)
ANYDICE_DEPTH = re.compile(r'^\s*set\s+"explode depth"\s+to\s+(\d+)\s*$', re.MULTILINE)
COUNTED = {"≥": ">=", "≤": "<=", "≡": "="}
"""Comparisons of single dice, until it is clear which are those of totals."""
COMPARED = re.compile(rf"^\s*(?:{POOL}|[^<>=]*[^<>=\s])\s*(>=|<=|>|<|=)\s*\d+\s*$")


def refuse_program(text: str) -> None:
    """Refuse a program of AnyDice, and say which expression comes nearest.

    Raises
    ------
    ExpressionError
        When the text is such a program.

    Examples
    --------
    >>> refuse_program("4d6 keep highest 3")
    >>> refuse_program("output [highest 3 of 4d6]")
    Traceback (most recent call last):
    dicelab.questions.notation.parts.ExpressionError: this is a program of AnyDice; here it is written: ...
    """
    program = re.sub(r"\\[^\\]*\\", " ", text)  # comments
    if not PROGRAM.search(program):
        return
    program = re.sub(r"[ \t]+output\b", "\noutput", program)  # statements may share a line
    program = program if re.search(r"\boutput\b", program) else f"output {program}"
    depths, program = ANYDICE_DEPTH.findall(program), ANYDICE_DEPTH.sub("", program)
    outputs = [
        part.strip() for part in re.split(r"(?m)(?:^|(?<=\s))(?=output\b)", _without_names(program)) if part.strip()
    ]
    expressions = [translated(part) for part in outputs]
    if expressions and all(expressions):
        written = " ".join(f'"{expression}"' for expression in expressions)
        depth = f", with --depth {depths[-1] if depths else 2} for the explosions of AnyDice"
        raise ExpressionError(
            f"this is a program of AnyDice; here it is written: {written}{depth if 'explode' in text else ''}"
        )
    raise ExpressionError(
        "this is a program of AnyDice, and no expression says the same; expressions have no names, functions, loops or "
        "sequences, and such a roll is written as the rules of a game: dicelab new NAME writes a file to start from"
    )


def _without_names(program: str) -> str:
    r"""Return a program with the values of its names in their places, if each has one value.

    >>> _without_names("X: 3d6\nN: 4\noutput X + Nd8")
    'output (3d6) + 4d8'
    """
    values = dict(ASSIGNED.findall(program))
    if len(values) < len(ASSIGNED.findall(program)) or re.search(r"\b(function|loop|if)\b", program):
        return program
    program = ASSIGNED.sub("", program).strip()
    for _ in values:  # a value may have names of its own
        for name, value in values.items():
            if re.fullmatch(rf"\d+|{POOL}", value):
                program = re.sub(rf"(?<=[a-z]\s){name}(?=\])", value, program)
            whole = value if value.isdigit() else f"({value})"
            program = re.sub(rf'(?<![A-Z"]){name}(?![A-Z"])', whole, program)
    return program


def translated(output: str) -> str:
    """Return the expression that says the same as one ``output`` of AnyDice; empty if none is known.

    AnyDice compares totals where expressions count dice, so what is compared stands in parentheses.

    >>> translated("output 3d6 > 10"), translated("output [count {5,6} in 4d6]"), translated("output [mine 3]")
    ('(3d6) > 10', '4d6 >= 5', '')
    """
    match = OUTPUT.fullmatch(output)
    if not match:
        return ""
    text = match[1].strip()
    if "!" in text:  # not, and not equal
        return ""
    text = re.sub(rf"\[(highest|lowest)\s+(\d+)\s+of\s+{POOL}\]", r"\3 keep \1 \2", text)
    text = re.sub(r"\[(highest|lowest)\s+of\s+([^\[\]]+?)\s+and\s+([^\[\]]+?)\]", _extreme, text)
    text = re.sub(rf"\[middle\s+(\d+)\s+of\s+{POOL}\]", _middle, text)
    text = re.sub(rf"(\d+|\{{1\s*(?:,\s*\d+\s*)*(?:\.\.\s*\d+)?\}})\s*@\s*{POOL}", _place, text)
    text = re.sub(r"(\d*)d?\s*\[explode\s+(d\s*(?:\d+|%))\]", r"\1\2 exploding", text)
    text = re.sub(rf"\[count\s+(?:(\d+)|\{{([\d\s,.]+)\}})\s+in\s+{POOL}\]", _counted, text)
    if "-" not in text:  # AnyDice rounds towards 0
        text = text.replace("/", "//")
    compared = COMPARED.match(text)
    if compared:
        text = f"({text[: compared.start(2)].strip()}) {text[compared.start(2) :].strip()}"
    else:
        text = re.sub(r"^([^<>=]+?)\s*(?:>=|<=|>|<|=)\s*([^<>=]+)$", r"\1 vs \2", text)
    if not compared and re.search("[<>=]", text):
        return ""
    for sign, comparison in COUNTED.items():
        text = text.replace(sign, comparison)
    if text.startswith("(") and text.endswith(")") and text.count("(") == 1:
        text = text[1:-1]
    try:
        parse(text)
    except ExpressionError:
        return ""
    return text


def _extreme(match: re.Match[str]) -> str:
    return f"{'max' if match[1] == 'highest' else 'min'}({match[2]}, {match[3]})"


def _middle(match: re.Match[str]) -> str:
    """Return the same number of dice dropped at both ends; nothing where that can't be."""
    count = int(match[2].split("d")[0] or 1)
    dropped, odd = divmod(count - int(match[1]), 2)
    return match[0] if odd or dropped < 1 else f"{match[2]} drop highest {dropped} drop lowest {dropped}"


def _place(match: re.Match[str]) -> str:
    """Return the dice at places of a roll, which AnyDice counts from the highest."""
    place, pool = match[1].replace(" ", ""), match[2]
    if place.startswith("{"):
        places = _numbers(place[1:-1])
        return f"{pool} keep highest {len(places)}" if places == list(range(1, len(places) + 1)) else match[0]
    return f"{pool} keep highest {place}{'' if place == '1' else ' keep lowest 1'}"


def _numbers(sequence: str) -> list[int]:
    """Return the numbers of a sequence such as ``1..3, 6``; none if it says something else."""
    numbers: list[int] = []
    for part in re.split(r"\s*,\s*", sequence.strip()):
        ends = re.fullmatch(r"(\d{1,4})(?:\s*\.\.\s*(\d{1,4}))?", part)
        if not ends:
            return []
        numbers += range(int(ends[1]), int(ends[2] or ends[1]) + 1)
    return numbers


def _counted(match: re.Match[str]) -> str:
    """Return dice that are counted where they show some faces; nothing where a face is counted twice."""
    counted = _numbers(match[1] or match[2])
    pool = match[3].replace(" ", "")
    count, faces = re.split("d", pool)
    sides = 100 if faces == "%" else int(faces) if faces.isdigit() else 0
    inside = sorted({face for face in counted if 1 <= face <= sides})
    if not sides or len(set(counted)) < len(counted) or not 0 < len(inside) < sides:
        return match[0]
    if len(inside) == 1:
        return f"({pool} ≡ {inside[0]})"
    if inside == list(range(inside[0], sides + 1)):
        return f"({pool} ≥ {inside[0]})"
    if inside == list(range(1, len(inside) + 1)):
        return f"({pool} ≤ {len(inside)})"
    return f"{count}d{{0:{sides - len(inside)}{',1' * len(inside)}}}"


# The distribution of an expression ------------------------------------------------------------------------------------

DEPTH = 10
"""Explosions of a die, at most, unless another number is asked for."""
MOST_DEPTH = 100
"""Largest number of explosions that can be asked for."""
LONGEST_FRACTION = 16
"""Characters of the longest fraction in a table; with longer ones, the table has none."""
SHORTEST = 4
"""Columns without which there are no bars."""
VS = re.compile(r"\bvs\.?(?!\w)", re.IGNORECASE)
"""What stands between two expressions that are compared."""
VERSUS = {"first higher": 1, "tie": 0, "second higher": -1}
"""By how a comparison of two expressions ends: the sign of the first minus the second."""


@dataclass(frozen=True, repr=False, kw_only=True)
class Dice(Forms):
    """The exact distribution of a dice expression.

    An expression is not about a game: there are no parameters, strategies, seed or source hash, and so this is no
    `dicelab.results.base.BaseResult`, but has the same forms.

    Attributes
    ----------
    expression
        As it was asked, without surrounding space.
    probabilities
        Probability by value, values rising; their sum is 1. For ``A vs B`` the value is A minus B.
    depth
        Maximum number of explosions of a die.
    cut_off
        Probability that at least one die would have exploded once more.
    versus
        For ``A vs B``: the probabilities of `VERSUS`; empty otherwise.
    threshold, ceiling
        The numbers of ``at_least=`` and ``at_most=``, or None.
    notes
        Where programs for tabletop games read the same text otherwise; a sentence each.
    seconds, version
        Time taken, in seconds, and the version of dicelab.

    Examples
    --------
    >>> import dicelab
    >>> found = dicelab.dice("2d6")
    >>> found.probabilities[7], found.mean
    (Fraction(1, 6), Fraction(7, 1))
    """

    expression: str
    probabilities: dict[int, Fraction]
    depth: int = DEPTH
    cut_off: Fraction = Fraction(0)
    versus: dict[str, Fraction] = field(default_factory=dict)
    threshold: int | None = None
    ceiling: int | None = None
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
    version: str = __version__

    method: ClassVar[str] = "dice"
    entries: ClassVar = {
        "expression": "string: the dice expression",
        "outcomes?": "#outcomes: how often each total of A vs B is higher",
        "events?": "#outcomes: chances of something other than how a game ends, by name",
        "tallies": "#tallies: the tallies, by name",
        "notes?": "[string]: remarks, each a sentence",
        "exploding?": (
            {
                "depth": "integer: maximum number of explosions of a die",
                "cut_off": "number: probability that a die would have gone on",
            },
            "limit of explosions, and the probability that it cut some off",
        ),
        "rows": (
            [{"value": "integer", "probability": "number", "fraction?": "string"}],
            "one object for each row of the table",
        ),
    }

    @cached_property
    def mean(self) -> Fraction:
        """The mean."""
        return self._expected(lambda value: value)

    @cached_property
    def sd(self) -> float:
        """The standard deviation."""
        return sqrt(self._expected(lambda value: value * value) - self.mean**2)

    def _expected(self, worth: Callable[[int], int]) -> Fraction:
        """Return the mean of a function of the value; added up over one denominator, which
        fractions would find anew.
        """
        common = lcm(*(p.denominator for p in self.probabilities.values()))
        cases = sum(worth(v) * p.numerator * (common // p.denominator) for v, p in self.probabilities.items())
        return Fraction(cases, common)

    def at_least(self, value: int) -> Fraction:
        """Return the probability of this value or a larger one."""
        return sum((p for one, p in self.probabilities.items() if one >= value), Fraction(0))

    def at_most(self, value: int) -> Fraction:
        """Return the probability of this value or a smaller one."""
        return sum((p for one, p in self.probabilities.items() if one <= value), Fraction(0))

    @property
    def events(self) -> dict[str, tuple[str, Fraction]]:
        """What was asked about single values, by name: its meaning in words, and its probability."""
        events = dict[str, tuple[str, Fraction]]()
        if self.threshold is not None:
            events["at_least"] = f"the value is {self.threshold} or more", self.at_least(self.threshold)
        if self.ceiling is not None:
            events["at_most"] = f"the value is {self.ceiling} or less", self.at_most(self.ceiling)
        return events

    def percentile(self, p: float) -> int:
        """Return the smallest value that is not exceeded with at least probability `p`."""
        below, limit = Fraction(0), share(p)
        for value, probability in self.probabilities.items():
            below += probability
            # 0.9 as a float is a little more than 9/10, so floats are compared; only 1 has to be reached exactly
            if (below if limit == 1 else float(below)) >= limit:
                return value
        return max(self.probabilities)

    def to_dict(self) -> dict[str, Any]:
        """Plain data with the keys of the command line's ``--json``."""
        data = head(self.method, version=self.version, seconds=self.seconds) | {"expression": self.expression}
        if self.versus:
            data["outcomes"] = {name: _plain(p) for name, p in self.versus.items()}
        if self.events:
            data["events"] = {name: {"means": means, **_plain(p)} for name, (means, p) in self.events.items()}
        value = {"mean": float(self.mean), **shown_fraction(self.mean), "sd": self.sd, "min": min(self.probabilities)}
        percentiles = {name: self.percentile(p) for name, p in PERCENTILES.items()}
        data["tallies"] = {"value": value | {"max": max(self.probabilities), "percentiles": percentiles}}
        if self.cut_off:
            data["exploding"] = {"depth": self.depth, "cut_off": float(self.cut_off)}
        return data | present(summary=self.summary, notes=list(self.notes)) | {"rows": self._rows()}

    def _sentence(self) -> str:
        if self.versus:
            return self._who_is_higher()
        if self.events:
            said = [
                f"{percent(float(p))} of rolls are {means.removeprefix('the value is ')}"
                for means, p in self.events.values()
            ]
            return f"with {self.expression}, {' and '.join(said)}"
        if len(self.probabilities) == 1:
            return f"{self.expression} is always {min(self.probabilities):,}"
        low, high = self.percentile(PERCENTILES["p10"]), self.percentile(PERCENTILES["p90"])
        between = f"{low:,} to {high:,}" if low < high else f"{low:,}"
        return (
            f"the mean of {self.expression} is {number(float(self.mean))}; at least four rolls in five give {between}"
        )

    def _who_is_higher(self) -> str:
        """Return which of two expressions is higher more often, in a sentence."""
        names = [part.strip() for part in VS.split(self.expression, maxsplit=1)]
        first, _, second = self.versus.values()
        if first == second:
            return f"{names[0]} and {names[1]} are higher equally often: {percent(float(first))} of rolls each"
        names, chances = (names, (first, second)) if first > second else (names[::-1], (second, first))
        more, less = apart(*map(float, chances))
        return f"{names[0]} is higher than {names[1]} in {more} of rolls, and lower in {less}"

    def _table(self) -> Table:
        fractions = all(map(_fraction, self.probabilities.values()))  # else there are none
        columns = [
            Column("value", count, "first minus second" if self.versus else "value", lambda row: row[0]),
            Column(
                "*",
                lambda page, p: page.chance(float(p)),
                "probability",
                lambda row: row[1],
                lambda row: _plain(row[1]),
            ),
            Column("", lambda page, p: _fraction(p) if fractions else "", "fraction", lambda row: row[1]),
            Column("", lambda page, value: page.chance(float(self.at_least(value))), "at least", lambda row: row[0]),
        ]
        return Table(columns, [*self.probabilities.items()], ["fraction", "at least"], sparse=True)

    def _subject(self) -> str:
        return self.expression

    def _brief(self) -> str:
        return f"mean {float(self.mean):.6g}, {len(self.probabilities):,} values"

    def _lines(self, page: Printing) -> list[str]:
        facts = [["mean", page.number(float(self.mean), CHANCE), _fraction(self.mean)]]
        facts.append(["sd", page.number(self.sd, CHANCE), ""])
        chances = dict(self.versus)
        if self.threshold is not None:
            chances[f"at least {self.threshold:,}"] = self.at_least(self.threshold)
        if self.ceiling is not None:
            chances[f"at most {self.ceiling:,}"] = self.at_most(self.ceiling)
        facts += [[name, page.chance(float(p)), _fraction(p)] for name, p in chances.items()]
        if any(fraction for *_, fraction in facts):
            facts.insert(0, ["", "", "fraction"])
        lines = [self.expression, "", *written(facts[0], facts[1:]).lines(page), "", *self._bars(page)]
        return lines + self.remarks()

    def remarks(self) -> list[str]:
        """Return what is left out, and what others would read otherwise; as lines of text."""
        lines = []
        if self.cut_off:
            explosions = f"after {self.depth} explosion{'' if self.depth == 1 else 's'}"
            lines += ["", f"a die stops {explosions}; probability that one would go on: {float(self.cut_off):.2g}"]
        return lines + [line for note in self.notes for line in ("", note)]

    def _bars(self, page: Printing) -> list[str]:
        """Return every value with its probability and a bar; groups of values if there are too many."""
        table, chances = self._table(), [float(p) for p in self.probabilities.values()]
        if len(chances) > MOST_LINES:
            groups = bins(dict(zip(self.probabilities, chances, strict=True)))
            values = Column("", lambda page, row: values_text(*row[:2]), table.columns[0].title)
            table = Table([values, Column("", chance, "probability", lambda row: row[2])], groups)
            chances = [p for _, _, p in groups]
        lines = table.lines(page)
        longest = min(WIDTH, page.width - 2 - max(map(len, lines)))
        if longest < SHORTEST or len(lines) < len(chances) + 1:
            return lines
        bars = ["█" * round(longest * p / max(chances)) for p in chances]
        beside = zip(lines, ["", *bars, *[""] * len(lines)], strict=False)
        return [f"{line}  {bar}".rstrip() for line, bar in beside]


def read_expression(text: str) -> ParsedQuestion:
    """Return the parts of an expression."""
    refuse_program(text)
    return parse(text)


def distribution(expression: str, depth: int = DEPTH, at_least: int | None = None, at_most: int | None = None) -> Dice:
    """Return the exact distribution of one dice expression; the arguments are those of `dicelab.dice`."""
    if not isinstance(expression, str):
        raise ParameterError(f"a dice expression is a text such as '4d6 keep highest 3', not {expression!r}")
    begun = time.perf_counter()
    question = read_expression(expression)
    answer = evaluate(question, expression, depth)
    versus = dict[str, Fraction]()
    if question.second is not None:
        signs = {value: (value > 0) - (value < 0) for value in answer.probabilities}
        for name, sign in VERSUS.items():
            parts = (p for value, p in answer.probabilities.items() if signs[value] == sign)
            versus[name] = sum(parts, Fraction(0))
    return Dice(
        expression=expression.strip(),
        probabilities=answer.probabilities,
        depth=depth,
        cut_off=answer.cut_off,
        versus=versus,
        threshold=at_least,
        ceiling=at_most,
        notes=question.notes,
        seconds=time.perf_counter() - begun,
    )


def _plain(p: Fraction) -> dict[str, Any]:
    return {"probability": float(p), **shown_fraction(p)}


def _fraction(number: Fraction) -> str:
    return shown_fraction(number, LONGEST_FRACTION).get("fraction", "")
