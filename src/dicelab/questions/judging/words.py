"""The verdict of `dicelab.judge` in words, and its tests as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import floor, isnan, log10, nan, sqrt

from dicelab.questions.judging.comparison import BOUND, Compared, Suspect
from dicelab.results.base import present
from dicelab.results.numbers.estimates import known
from dicelab.results.text.page import Printing
from dicelab.results.text.table import Column, Table, p_value, plain
from dicelab.results.text.writing import many, outcome_text, outcome_title

MOST_NAMED = 3
"""Suspects that are named in the text; all are in the JSON."""
LINE = "line"
"""The kind of a line of the table that is no test, but an outcome of one."""


def findings(verdict: str, tests: Sequence[Compared], games: int, seats: bool, level: float) -> str:
    """Return the verdict in a sentence: which numbers differ, and what they should be.

    Of each tally only the first difference is named, since its mean, deviation and distribution go together.
    """
    if verdict == "consistent":
        return "consistent with the rules"
    off = [test for test in tests if test.adjusted < level]
    named = list({test.of: test for test in reversed(off)}.values())[::-1]
    said = [_difference(test, games, seats) for test in named]
    fine = any(test.kind == "outcomes" and test.adjusted >= level for test in tests)
    begin = f"the {'wins' if seats else 'outcomes'} alone could be chance, but " if fine else ""
    return f"{verdict}{' with the rules' if verdict == 'inconsistent' else ''}: {begin}{'; '.join(said)}"


def _difference(test: Compared, games: int, seats: bool) -> str:
    """Return what one test found."""
    if test.impossible:
        what = test.impossible
        if not test.of:
            what = f"a win of {outcome_title(what, True)}" if seats else f"the outcome {what}"
        return f"{what} is impossible by the rules"
    if test.kind == "outcomes":
        name = max(test.observed, key=lambda one: _residual(test.observed[one], test.expected[one]))
        what = f"{outcome_title(name, True)} won" if seats else f"the outcome was {name} in"
        return f"{what} {test.observed[name]:,} of {many(games, 'game')} and should in about {test.expected[name]:,.0f}"
    if test.kind == "distribution":
        name = max(test.observed, key=lambda one: _residual(test.observed[one], test.expected[one]))
        sentence = f"{test.of} was {name.replace('..', ' to ')} in {many(test.observed[name], 'game')}"
        return f"{sentence} and should be in about {test.expected[name]:,.0f}"
    number = f"number of {test.of}" if test.of.endswith("s") else test.of
    what = f"mean {number}" if test.kind == "mean" else f"standard deviation of the {number}"
    mine, right = _close(test.observed, test.expected)
    return f"your {what} is {mine} and should be {right}"


def _residual(observed: float, expected: float) -> float:
    """Return how far a count is from what is expected, in units that compare."""
    return abs(observed - expected) / sqrt(max(expected, 1e-9))


def _close(observed: float, expected: float) -> tuple[str, str]:
    """Return two numbers with so many decimals that their difference shows, in at least two digits.

    >>> _close(14.9, 18.863028), _close(18.871234, 18.863028)
    (('14.9', '18.86'), ('18.8712', '18.8630'))
    """
    off = abs(observed - expected)
    decimals = 2 if off >= 0.1 or off == 0 else min(9, 1 - floor(log10(off)))
    mine = f"{observed:,.{decimals}f}"
    short = f"{observed:,}" if len(f"{observed:,}") < len(mine) else mine
    return short, f"{expected:,.{decimals}f}"


def closing(verdict: str, suspects: Sequence[Suspect]) -> list[str]:
    """Return the suspects, in words."""
    if verdict == "consistent":
        return []
    if not suspects:
        return ["none of the mistakes that were tried explains it"]
    lines = [f"it would fit: {one.name} (p-value {one.p:.2g})" for one in suspects[:MOST_NAMED]]
    left = len(suspects) - MOST_NAMED
    return lines + ([f"and {many(left, 'other mistake')}, listed by --json"] if left > 0 else [])


def remarks(tests: Sequence[Compared], untested: Sequence[str]) -> list[str]:
    """Return which p-values are only bounds, and what was not tested."""
    return [*(f"{test.name}: {test.how}" for test in tests if test.how.startswith(BOUND)), *untested]


def notice(power: Mapping[str, float], games: int) -> list[str]:
    """Return the power of the tests in a line; none if nothing can vary."""
    parts = [
        f"{_two_digits(100 * least)} points in the chance of an outcome"
        if name == "outcomes"
        else f"{_two_digits(least)} in mean {name}"
        for name, least in power.items()
    ]
    said = f"with {many(games, 'game')} you would notice, four times out of five, a difference of {' or '.join(parts)}"
    return [said] if parts else []


def _two_digits(number: float) -> str:
    """Return a number to two digits.

    >>> _two_digits(1.0), _two_digits(13.4), _two_digits(0.00431)
    ('1.0', '13', '0.0043')
    """
    return f"{number:#.2g}".rstrip(".")


def tests_table(tests: Sequence[Compared], seats: bool) -> Table:
    """Return the tests as a table, with a line for each outcome below their test; values of a tally have one where
    there is room.
    """

    def counts(page: Printing, test: Compared) -> list[Compared]:
        if test.kind != "outcomes" and (test.kind != "distribution" or not page.roomy):
            return []
        called = {name: outcome_text(name, seats) if test.kind == "outcomes" else name for name in test.expected}
        pairs = [(f"  {text}", test.expected[name], test.observed[name]) for name, text in called.items()]
        return [Compared(name, LINE, "", "", nan, nan, expected, observed, nan) for name, expected, observed in pairs]

    def expected(page: Printing, test: Compared) -> str:
        return "" if isinstance(test.expected, dict) else f"{test.expected:,.{1 if test.kind == LINE else 4}f}"

    def observed(page: Printing, test: Compared) -> str:
        return (
            ""
            if isinstance(test.observed, dict)
            else f"{test.observed:,}"
            if test.kind == LINE
            else f"{test.observed:,.6g}"
        )

    def statistic(page: Printing, test: Compared) -> str:
        return "" if test.kind == LINE else f"{'z' if test.kind in ('mean', 'sd') else 'chi2'} {test.statistic:.2f}"

    def p(page: Printing, value: float) -> str:
        return "" if isnan(value) else p_value(page, value)

    columns = [
        Column("name", lambda page, name: name, ""),
        Column("", expected, "expected"),
        Column("", observed, "observed"),
        Column("how", plain, "test", wide=True),
        Column("statistic", statistic, value=lambda test: test, data=lambda test: known(test.statistic)),
        Column("p", p),
        Column("adjusted", p, "adjusted p"),
        Column("expected"),
        Column("observed"),
        Column("*", data=lambda test: present(impossible=test.impossible)),
    ]
    return Table(columns, tests, ["statistic", "p"], under=counts)
