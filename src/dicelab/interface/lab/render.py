"""Templates: everything put into a page is escaped, and numbers have the digits that the commands print."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Sequence
from difflib import SequenceMatcher
from functools import cache, lru_cache
from html import escape
from itertools import zip_longest
from math import floor, log10
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup
from starlette.responses import HTMLResponse

from dicelab.interface.lab.question import is_setting
from dicelab.interface.lab.shelf import Card
from dicelab.questions.declare import pages_of_questions
from dicelab.results.text.html import die, roll_of
from dicelab.results.text.page import Printing
from dicelab.results.text.writing import fairness_line, many, upper
from dicelab.rules.words import player_name

PAGE = Printing()
FOLDERS = ("site", "questions", "answers", "play", "pieces")
"""Folders of the templates, which are known by the names of their files."""


@cache
def environment() -> Environment:
    """Return the templates, with the functions that they use."""
    made = Environment(
        loader=ChoiceLoader([PackageLoader("dicelab.interface.lab", f"templates/{folder}") for folder in FOLDERS]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["player"] = lambda seat: player_name(int(seat))
    made.globals |= {
        "chance": PAGE.chance,
        "alike": alike,
        "many": many,
        "upper": upper,
        "fairness_line": fairness_line,
        "code": _highlighted,
        "die": die,
        "roll_of": roll_of,
        "is_setting": is_setting,
        "tabs_of": _tabs,
        "lines_beside": _lines_beside,
    }
    return made


def _tabs(card: Card) -> list[tuple[str, str]]:
    """Return the pages about a game: the end of the address, and the label."""
    checked = [("check", "Check")] if "own" in card else []
    asked = [one for one in pages_of_questions() if not one.alone and (not one.needs or card[one.needs])]
    declared = [(one.page or one.name, one.tab) for one in asked]
    return [("", "Rules"), *checked, *declared, ("beside", "Side by side"), ("play", "Play")]


def fragment(template: str | list[str | Template], **values: Any) -> str:
    """Return a rendered template, or the first of several that there is."""
    return shortened(environment().get_or_select_template(template).render(**values))


def page(template: str | list[str | Template], status: int = 200, **values: Any) -> HTMLResponse:
    """Return a rendered template as a response."""
    return HTMLResponse(fragment(template, **values), status_code=status)


def _lines_beside(one: str, other: str) -> list[tuple[str, str, bool]]:
    r"""Return the lines of two texts side by side, and whether they differ.

    >>> _lines_beside("a\nb", "a\nc\nd")
    [('a', 'a', False), ('b', 'c', True), ('', 'd', True)]
    """
    first, second = one.splitlines(), other.splitlines()
    rows: list[tuple[str, str, bool]] = []
    for kind, i, k, j, m in SequenceMatcher(None, first, second, autojunk=False).get_opcodes():
        rows += [(a, b, kind != "equal") for a, b in zip_longest(first[i:k], second[j:m], fillvalue="")]
    return rows


@lru_cache(maxsize=64)
def _highlighted(source: str) -> Markup:
    """Return Python source with classes for colours; plain text where Pygments is not installed."""
    try:
        from pygments import highlight
        from pygments.formatters import HtmlFormatter
        from pygments.lexers import PythonLexer
    except ImportError:
        return Markup(f'<pre class="code">{escape(source)}</pre>')
    return Markup(highlight(source, PythonLexer(), HtmlFormatter(cssclass="code")))


# Digits ---------------------------------------------------------------------------------------------------------------
#
# Three digits in the tables of pages: more where two rows would look alike, and all that there are on demand. A page
# writes exact numbers with six decimal places. Here each becomes ``<data value="0.365138">0.365</data>``, and the page
# has a button that shows the value instead (``digits.js``).

FEWEST, MOST = 3, 6
"""Digits of the largest number of a column, which a probability has at least; and decimal places at most."""
_TABLE = re.compile(r"<table.*?</table>", re.DOTALL)
_ROW = re.compile(r"<tr.*?</tr>", re.DOTALL)
_CELL = re.compile(r"(<t[dh]\b[^>]*>)(.*?)(?=</t[dh]>)", re.DOTALL)
_LONG = re.compile(r"([+\-\N{MINUS SIGN}]?)\b([\d,]+\.\d{6})")
"""A number as pages write those that are exact."""
_NUMBERS = re.compile(rf"{_LONG.pattern}( \.\. {_LONG.pattern})?")
"""A cell with a number, or with an interval."""


def places_for(values: Iterable[float]) -> int:
    """Return the decimal places with which numbers are shown: three digits of the largest, more if two that differ
    would look alike, or one would look like 0.

    >>> places_for([0.365138, 0.317431]), places_for([18.863028]), places_for([0.4929, 0.4931]), places_for([0.00012])
    (3, 1, 4, 4)
    """
    different = {round(value, MOST) for value in values}
    largest = max(map(abs, different), default=0.0)
    first = FEWEST if largest < 1 else max(1, FEWEST - 1 - floor(log10(largest)))
    return next((at for at in range(first, MOST) if _told_apart(different, at)), MOST)


def _told_apart(different: set[float], places: int) -> bool:
    rounded = {round(value, places) for value in different}
    return len(rounded) == len(different) and (0.0 in rounded) == (0.0 in different)


def shortened(html: str) -> str:
    """Return HTML whose tables show as many digits as `places_for` says of each column. A column without a heading has
    figures of different kinds, such as a mean and a chance: those below 1 are counted apart.

    >>> shortened("<table><tr><td>0.365138</td></tr></table>")
    '<table><tr><td><data value="0.365138">0.365</data></td></tr></table>'
    >>> shortened("<table><tr><td></td></tr><tr><td>12.244599</td></tr><tr><td>0.231481</td></tr></table>")[33:]
    '<data value="12.244599">12.2</data></td></tr><tr><td><data value="0.231481">0.231</data></td></tr></table>'
    """
    return _TABLE.sub(lambda table: _table(table[0]), html)


def _table(html: str) -> str:
    if not _LONG.search(html):
        return html
    columns: dict[tuple[int, bool], list[float]] = defaultdict(list)
    rows = [_CELL.findall(row) for row in _ROW.findall(html)]
    mixed = {at for at, (_, heading) in enumerate(rows[0] if rows else ()) if not heading}
    for row in rows:
        for at, (_, text) in enumerate(row):
            if _NUMBERS.fullmatch(text):
                for _, digits in _LONG.findall(text):
                    columns[at, at in mixed and _value(digits) < 1].append(_value(digits))
    places = {column: places_for(values) for column, values in columns.items()}
    return _ROW.sub(lambda row: _row(row[0], places, mixed), html)


def _row(html: str, places: dict[tuple[int, bool], int], mixed: Container[int]) -> str:
    at = -1

    def cell(match: re.Match[str]) -> str:
        nonlocal at
        at += 1
        if not _NUMBERS.fullmatch(match[2]):
            return match[0]
        return match[1] + _LONG.sub(number, match[2])

    def number(match: re.Match[str]) -> str:
        value = _value(match[2])
        shown = places[at, at in mixed and value < 1]
        return f'<data value="{match[0]}">{match[1]}{brief_number(value, shown)}</data>' if shown < MOST else match[0]

    return _CELL.sub(cell, html)


def _value(digits: str) -> float:
    return float(digits.replace(",", ""))


def brief_number(value: float, places: int) -> str:
    """Return a number with so many decimal places, thousands grouped."""
    return f"{value:,.{places}f}"


def alike(values: Sequence[float | None]) -> list[str]:
    """Return numbers that stand side by side, each with as many decimal places as `places_for` says; empty for None.

    >>> alike([0.51234, None, 0.51237])
    ['0.5123', '', '0.5124']
    """
    places = places_for(value for value in values if value is not None)
    return ["" if value is None else brief_number(value, places) for value in values]
