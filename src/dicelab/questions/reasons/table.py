"""The table of `dicelab.why`: a row for each beginning of a game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from dicelab.questions.reasons.rows import WhyRow
from dicelab.results.text.page import Page, decimals
from dicelab.results.text.writing import aligned
from dicelab.solver.value import Value

MOST_SHOWN = 40
"""Rows that are all shown; of more, the most important ones, unless the page shows everything."""
LONGEST = 11
"""Letters of a probability that is shown as a fraction."""


def table_of(
    start: Mapping[str, Value],
    rows: Sequence[WhyRow],
    depth: int,
    titles: Mapping[str, str],
    page: Page,
    chances: bool = False,
) -> list[str]:
    """Return the beginnings as lines of text, with the start in the first line.

    `titles` are those of the values; `chances` says whether these are probabilities.
    """
    names = list(titles)
    lucky = names[:1] if len(names) == 2 else names  # what one of two gains, the other loses
    luck = [f"luck {name}" if len(names) > 1 else "luck" for name in lucky]
    cells = [[*step_titles(rows, depth), "probability", *titles.values(), *luck]]
    cells.append(["start", *[""] * (depth - 1), "1", *_numbers(start, page, chances), *[""] * len(luck)])
    shown = important(rows, len(rows) if page.everything else MOST_SHOWN)
    for row in shown:
        probability = probability_words(row.probability, page)
        differences = [_signed(row.luck[name], page) for name in lucky]
        cells.append([*row.cells(depth), probability, *_numbers(row.values, page, chances), *differences])
    values, after = slice(depth + 1 + len(names)), slice(depth + 1 + len(names), None)
    parts = [cells]
    if max(map(len, aligned(cells))) > page.width:
        parts = [[row[values] for row in cells], [row[:depth] + row[after] for row in (cells[0], *cells[2:])]]
    tables = [[*page.table(part, keys=depth), ""] for part in parts]
    lines = [*(line for table in tables for line in table), "luck: the difference from the start"]
    if len(shown) < len(rows):
        lines += [f"the {len(shown)} most important rows, the most important first; {len(rows)} rows with --all"]
    return lines


def important(rows: Sequence[WhyRow], most: int) -> list[WhyRow]:
    """Return all rows in their order if they are at most so many; else the most important ones, the most important
    first.
    """
    return list(rows) if len(rows) <= most else sorted(rows, key=lambda row: -row.weight)[:most]


def step_titles(rows: Sequence[WhyRow], depth: int) -> list[str]:
    """Return what the steps are, in order: ``first roll``, ``second choice``, or ``second step`` where it varies."""
    names = ["first", "second", "third"]
    titles = []
    for at in range(depth):
        kinds = {row.steps[at].kind for row in rows if len(row.steps) > at}
        what = {"throw": "roll", "choice": "choice"}[kinds.pop()] if len(kinds) == 1 else "step"
        titles.append(f"{names[at]} {what}" if at < len(names) else f"{what} {at + 1}")
    return titles


def probability_words(probability: Fraction, page: Page) -> str:
    """Return a probability as a fraction if that is short; 0 is that of a move that the strategy does not make.

    >>> probability_words(Fraction(2, 9), Page()), probability_words(Fraction(0), Page())
    ('2/9', 'not chosen')
    """
    if not probability:
        return "not chosen"
    text = str(probability)
    return text if len(text) <= LONGEST else page.chance(float(probability))


def _numbers(values: Mapping[str, Value], page: Page, chances: bool) -> list[str]:
    """Return the values as text."""
    return [page.chance(v.value, v.error) if chances else _number(v, page) for v in values.values()]


def _number(value: Value, page: Page) -> str:
    return page.number(value.value, decimals((value.value - value.error, value.value + value.error)))


def _signed(value: Value, page: Page) -> str:
    """Return a difference as text, with a sign unless it is shown as 0."""
    text = _number(value, page)
    return f"+{text}" if value.value > 0 and text.strip("0.,") else text
