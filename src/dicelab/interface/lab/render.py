"""Templates: everything put into a page is escaped, and numbers have the digits that the commands print."""

from __future__ import annotations

from difflib import SequenceMatcher
from functools import cache, lru_cache
from html import escape
from itertools import zip_longest
from math import inf
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup
from starlette.responses import HTMLResponse

from dicelab.interface.lab.digits import FEWEST, alike, shortened
from dicelab.interface.lab.question import is_setting
from dicelab.interface.lab.shelf import Card
from dicelab.questions.declare import pages_of_questions
from dicelab.results.text.page import Printing, decimals
from dicelab.results.text.writing import fairness_line, many, upper
from dicelab.rules.words import player_name

PAGE = Printing()
FOLDERS = ("site", "questions", "answers", "play", "pieces")
"""Folders of the templates, which are known by the names of their files."""
PIPS = {
    1: ((50, 50),),
    2: ((26, 26), (74, 74)),
    3: ((26, 26), (50, 50), (74, 74)),
    4: ((26, 26), (74, 26), (26, 74), (74, 74)),
    5: ((26, 26), (74, 26), (50, 50), (26, 74), (74, 74)),
    6: ((26, 26), (74, 26), (26, 50), (74, 50), (26, 74), (74, 74)),
}
"""Places of the pips of an ordinary die, in hundredths of its side."""


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
        "estimate": _estimate,
        "alike": alike,
        "mean": _mean,
        "span": _span,
        "many": many,
        "upper": upper,
        "fairness_line": fairness_line,
        "code": _highlighted,
        "pips": PIPS,
        "points_of": _points,
        "mark_of": _mark,
        "is_setting": is_setting,
        "tabs_of": _tabs,
        "lines_beside": _lines_beside,
        "widest_row": lambda rows: max(rows, key=lambda row: len(row["outcomes"])),
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


def _interval(tally: dict[str, Any]) -> tuple[float, float]:
    """Return the interval of a mean in plain data; an exact one has an error bound instead."""
    if "low" in tally:
        low, high = tally["low"], tally["high"]
        return (-inf if low is None else low), (inf if high is None else high)
    return tally["mean"] - tally.get("error", 0.0), tally["mean"] + tally.get("error", 0.0)


def _estimate(data: dict[str, Any]) -> str:
    """Return a probability that was estimated, as precise as its interval."""
    return PAGE.number(data["probability"], _decimals((data["low"], data["high"]), FEWEST))


def _decimals(interval: tuple[float, float], least: int = 0) -> int:
    """Return the decimal places of an estimate: one digit of the half-width of its interval. Exact numbers have six."""
    exact = interval[1] - interval[0] < 1e-6
    return decimals(interval) if exact else max(least, decimals(interval) - 1)


def _mean(tally: dict[str, Any], key: str = "mean") -> str:
    """Return the mean (or another number) of a tally, as precise as its interval; a dash where it is not known."""
    if tally.get(key) is None or tally.get("mean") is None:
        return "–"  # noqa: RUF001 (an en dash)
    return PAGE.number(tally[key], _decimals(_interval(tally)))


def _span(data: dict[str, Any]) -> str:
    """Return the interval of an estimate; nothing where there is none, as for the rounds to a ruin that never came."""
    if "mean" not in data and "low" not in data:
        return ""
    interval = _interval(data) if "mean" in data else (data["low"], data["high"])
    return PAGE.span(interval, _decimals(interval, 0 if "mean" in data else FEWEST))


def _points(value: float) -> str:
    """Return a difference of two chances in percentage points, with its sign.

    >>> _points(0.25), _points(-0.00001)
    ('+25.00', '0.00')
    """
    rounded = round(100 * value, 2)
    return f"{rounded:+.2f}".replace("-", "\N{MINUS SIGN}") if rounded else "0.00"


MARKS = ((0.08, "??", "very bad"), (0.04, "?", "bad"), (0.02, "?!", "doubtful"))
"""From which cost in winning chance on a decision gets a mark: half the points of equity of GNU Backgammon."""


def _mark(cost: float) -> tuple[str, str] | None:
    """Return the mark of a decision and what it means; None if it costs little.

    >>> _mark(0.05), _mark(0.01)
    (('?', 'bad'), None)
    """
    return next(((mark, means) for least, mark, means in MARKS if cost >= least), None)


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
    """Python source with classes for colours; plain text where Pygments is not installed."""
    try:
        from pygments import highlight
        from pygments.formatters import HtmlFormatter
        from pygments.lexers import PythonLexer
    except ImportError:
        return Markup(f'<pre class="code">{escape(source)}</pre>')
    return Markup(highlight(source, PythonLexer(), HtmlFormatter(cssclass="code")))
