"""Results in a notebook: their text, with tables in HTML in which probabilities have bars."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

from dicelab.results.text.page import Noted, Printing, Words
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


def bar_of(value: float, low: float, high: float, top: float, mark: float | None) -> Markup:
    """Return a bar for a page of the lab, as long as a value is large, `top` being the whole width; with a line from
    `low` to `high`, and perhaps a mark across it.
    """
    parts = [("value", 0.0, 2.0, 100 * value / top, 6.0)]
    parts += [("span", 100 * low / top, 4.2, 100 * (high - low) / top, 1.6)] if high > low else []
    parts += [] if mark is None else [("equal", 100 * mark / top, 0.0, 0.4, 10.0)]
    drawn = "".join(f'<rect class="{of}" x="{x}" y="{y}" width="{w}" height="{h}"/>' for of, x, y, w, h in parts)
    return Markup(f'<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">{drawn}</svg>')


class Notebook(Printing):
    """A page in a notebook: it has room for all columns, and its tables are HTML."""

    def chance(self, value: float, error: float = 0.0) -> str:  # noqa: D102 (as in Page, also below)
        return Share.of(super().chance(value, error), value)

    def table(  # noqa: D102
        self, rows: Sequence[Sequence[str]], least: Sequence[str] = (), keys: int = 1, wrapped: Sequence[str] = ()
    ) -> list[str]:
        cells = ["".join(self.cell(text, at < keys, row is rows[0]) for at, text in enumerate(row)) for row in rows]
        first, *others = (f"<tr>{row}</tr>" for row in cells)
        return [Markup(f"<table><thead>{first}</thead><tbody>{''.join(others)}</tbody></table>")]

    def cell(self, text: str, key: bool, title: bool) -> str:
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

    def cell(self, text: str, key: bool, title: bool) -> str:  # noqa: D102
        return super().cell(text, key, title) if text else "<td></td>"


class Web(Notebook):
    """A page of the lab, whose style sheet knows the classes: tables that can be scrolled, notes below them."""

    roomy = True

    def table(  # noqa: D102
        self, rows: Sequence[Sequence[str]], least: Sequence[str] = (), keys: int = 1, wrapped: Sequence[str] = ()
    ) -> list[str]:
        (table,) = super().table(rows, least, keys, wrapped)
        label = escape(", ".join(filter(None, rows[0])))
        return [Markup(f'<div class="scroll" tabindex="0" role="region" aria-label="Table: {label}">{table}</div>')]

    def cell(self, text: str, key: bool, title: bool) -> str:  # noqa: D102
        if title and not text:
            return "<td></td>"
        if isinstance(text, Markup):
            return f'<td class="wide">{text}</td>'
        tag = 'th scope="col"' if title else 'th scope="row"' if key else "td"
        side = "" if key or isinstance(text, Words) else ' class="n"'
        if isinstance(text, Noted):
            side = f' class="n{" bad-number" * text.bad}"' + (f' title="{escape(text.note)}"' if text.note else "")
        return f"<{tag}{side}>{escape(text)}</{tag[:2]}>"

    def line(self, text: str) -> str:  # noqa: D102
        return f'<p class="muted">{escape(text)}</p>'


def in_html(lines: Callable[[Printing], list[str]], page: Notebook = Notebook()) -> str:  # noqa: B008 (it never changes)
    """Return a result in HTML, from the function that writes its lines on a page.

    >>> in_html(lambda page: ["a < b", "", *page.table([["", "probability"], ["win", page.chance(0.25)]])])
    '<div>a &lt; b</div><table>...rgba(70, 130, 180, 0.3) 25.0%, transparent 0)">0.250000</td>...</table>'
    """
    written = lines(page)
    return "".join(line if isinstance(line, Markup) else page.line(line) for line in written if line)
