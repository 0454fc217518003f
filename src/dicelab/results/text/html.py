"""Results in a notebook: their text, with tables in HTML in which probabilities have bars."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

from dicelab.results.text.page import Noted, Printing, TextCell
from dicelab.runtime.frames import bar


class Share(str):
    """The text of a probability, with its value."""

    value: float

    @classmethod
    def of(cls, text: str, value: float) -> Share:
        """Return a text with a value, from 0 to 1."""
        share = cls(text)
        share.value = value
        return share

    def __add__(self, text: str) -> Share:
        return Share.of(super().__add__(text), self.value)


class Markup(str):
    """A line that is HTML already, or a cell of a page of the lab."""

    def __html__(self) -> str:  # templates don't escape it
        return self


class Bar(Markup):
    """A bar in a cell of a page of the lab, which is as wide as there is room."""


def linked(text: str, address: str, classes: str = "") -> Markup:
    """Return a link for a page of the lab, perhaps with classes of its style sheet.

    >>> linked("run 3", "/runs/3?a&b")
    '<a href="/runs/3?a&amp;b">run 3</a>'
    """
    style = f' class="{classes}"' if classes else ""
    return Markup(f'<a{style} href="{escape(address)}">{escape(text)}</a>')


def bar_of(value: float, low: float, high: float, top: float, mark: float | None) -> Bar:
    """Return a bar for a page of the lab, as long as a value is large, `top` being the whole width; with a line from
    `low` to `high`, and perhaps a mark across it.
    """
    parts = [("value", 0.0, 2.0, 100 * value / top, 6.0)]
    parts += [("span", 100 * low / top, 4.2, 100 * (high - low) / top, 1.6)] if high > low else []
    parts += [] if mark is None else [("equal", 100 * mark / top, 0.0, 0.4, 10.0)]
    drawn = "".join(f'<rect class="{of}" x="{x}" y="{y}" width="{w}" height="{h}"/>' for of, x, y, w, h in parts)
    return Bar(f'<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">{drawn}</svg>')


PIPS = {"dot": "4", "1": "4", "2": "08", "3": "048", "4": "0268", "5": "02468", "6": "023568"}
"""Places of the pips of an ordinary die: rows of three, from the left."""
COLOURS = {"red", "green", "yellow", "blue", "black", "white"}
"""Faces that a style sheet paints."""
TOKENS = {"left": "L", "center": "C", "right": "R"}
"""What is written on dice for some faces."""


def die(label: object) -> Markup:
    """Return a die for a page of the lab, with pips or with the name of its face."""
    name = str(label)
    if name in PIPS:
        face, places = "", map(int, PIPS[name])
        drawn = "".join(f'<circle cx="{26 + 24 * (p % 3)}" cy="{26 + 24 * (p // 3)}" r="9"/>' for p in places)
    else:
        face = f" face-{name.lower() if name.lower() in COLOURS else 'plain'}"
        mark = TOKENS.get(name, name)
        size = "longest" if len(mark) > 4 else "long" if len(mark) > 2 else ""
        drawn = f'<text x="50" y="{66 if len(mark) < 3 else 57}" class="{size}">{escape(mark)}</text>'
    begin = f'<svg class="die{face}" viewBox="0 0 100 100" role="img" aria-label="{escape(name)}">'
    return Markup(f'{begin}<rect x="4" y="4" width="92" height="92" rx="16"/>{drawn}</svg>')


def roll_of(event: Mapping[str, Any], small: bool = False) -> Markup:
    """Return a roll for a page of the lab: its ``dice`` in order, and the ``total`` where the rules see only that."""
    size = " small" if small or len(event["dice"]) > 24 else ""
    total = f' <span class="total">total {event["total"]}</span>' if "total" in event else ""
    return Markup(f'<span class="dice{size}">{"".join(map(die, event["dice"]))}</span>{total}')


class Notebook(Printing):
    """A page in a notebook: it has room for all columns, and its tables are HTML."""

    def chance(self, value: float, error: float = 0.0) -> str:  # noqa: D102 (as in Page, also below)
        return Share.of(super().chance(value, error), value)

    def table(  # noqa: D102
        self, rows: Sequence[Sequence[str]], least: Sequence[str] = (), keys: int = 1, wrapped: Sequence[str] = ()
    ) -> list[str]:
        wraps = [title in wrapped for title in rows[0]]
        cells = [[self.cell(text, at < keys, row is rows[0], wraps[at]) for at, text in enumerate(row)] for row in rows]
        first, *others = (f"<tr>{''.join(row)}</tr>" for row in cells)
        return [Markup(f"<table><thead>{first}</thead><tbody>{''.join(others)}</tbody></table>")]

    def cell(self, text: str, key: bool, title: bool, wraps: bool) -> str:
        """Return a cell of a table; a bar behind a probability is as long as it is large."""
        style = f"text-align: {'left' if key else 'right'}"
        if isinstance(text, Share) and 0 <= text.value <= 1:
            style += f"; {bar(text.value)}"
        tag = "th" if title else "td"
        return f'<{tag} style="{style}">{escape(text)}</{tag}>'

    def line(self, text: str) -> str:
        """Return a line of text; the spaces with which it begins are kept."""
        style = ' style="white-space: pre-wrap"' if text.startswith(" ") else ""
        return f"<div{style}>{escape(text)}</div>"


class Printed(Notebook):
    """A page of a file that is read on a screen and printed: without bars, with tables that the keyboard scrolls."""

    def chance(self, value: float, error: float = 0.0) -> str:  # noqa: D102
        return Printing.chance(self, value, error)

    def table(  # noqa: D102
        self, rows: Sequence[Sequence[str]], least: Sequence[str] = (), keys: int = 1, wrapped: Sequence[str] = ()
    ) -> list[str]:
        (table,) = super().table(rows, least, keys, wrapped)
        return [Markup(table.replace("<table>", '<table tabindex="0">', 1))]

    def cell(self, text: str, key: bool, title: bool, wraps: bool) -> str:  # noqa: D102
        return super().cell(text, key, title, wraps) if text else "<td></td>"


LONG = 24
"""Characters from which on a cell that may be wrapped takes several lines."""


class Web(Notebook):
    """A page of the lab, whose style sheet knows the classes: tables that can be scrolled, notes below them."""

    roomy = True

    def change(self, value: float, decimals: int, good: int = 0) -> str:  # noqa: D102
        text, better = self.number(value, decimals), good * round(value, decimals)
        signed = f"+{text}" if round(value, decimals) > 0 else text.replace("-", "\N{MINUS SIGN}")
        return Noted.of(signed, mark="good" if better > 0 else "bad" if better < 0 else "")

    def table(  # noqa: D102
        self, rows: Sequence[Sequence[str]], least: Sequence[str] = (), keys: int = 1, wrapped: Sequence[str] = ()
    ) -> list[str]:
        (table,) = super().table(rows, least, keys, wrapped)
        label = escape(", ".join(filter(None, rows[0])))
        return [Markup(f'<div class="scroll" tabindex="0" role="region" aria-label="Table: {label}">{table}</div>')]

    def cell(self, text: str, key: bool, title: bool, wraps: bool) -> str:  # noqa: D102
        if title and not text:
            return "<td></td>"
        if isinstance(text, Markup) and not key:
            wide = ' class="wide"' if isinstance(text, Bar) else ""
            return f"<td{wide}>{text}</td>"
        tag = 'th scope="col"' if title else 'th scope="row"' if key else "td"
        side = "" if key or isinstance(text, TextCell) else ' class="n"'
        if wraps and len(text) > LONG:
            side = ' class="long"'
        if isinstance(text, Noted):
            mark = f" {text.mark}-number" if text.mark else ""
            side = f' class="n{mark}"' + (f' title="{escape(text.note)}"' if text.note else "")
        return f"<{tag}{side}>{text if isinstance(text, Markup) else escape(text)}</{tag[:2]}>"

    def line(self, text: str) -> str:  # noqa: D102
        return f'<p class="muted">{escape(text)}</p>'


WEB = Web(1000)
"""A page of the lab: a browser wraps and scrolls by itself."""


def in_html(lines: Callable[[Printing], list[str]], page: Notebook = Notebook()) -> str:  # noqa: B008 (it never changes)
    """Return a result in HTML, from the function that writes its lines on a page.

    >>> in_html(lambda page: ["a < b", "", *page.table([["", "probability"], ["win", page.chance(0.25)]])])
    '<div>a &lt; b</div><table>...rgba(70, 130, 180, 0.3) 25.0%, transparent 0)">0.250000</td>...</table>'
    """
    written = lines(page)
    return "".join(line if isinstance(line, Markup) else page.line(line) for line in written if line)
