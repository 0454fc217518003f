"""A table as columns and rows, from which its forms follow: text, HTML, comma-separated values, data frames, JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from operator import itemgetter
from typing import Any

from dicelab.results.text.html import WEB, Markup, Web, in_html
from dicelab.results.text.page import CHANCE, Noted, Printing, TextCell, decimals
from dicelab.results.text.writing import without_empty

Text = Callable[[Printing, Any], str]
"""Writes a value on a page."""


def plain(page: Printing, value: Any) -> str:
    """Return a value as it is; nothing for None."""
    return TextCell(value) if isinstance(value, str) else "" if value is None else str(value)


def count(page: Printing, value: int | None) -> str:
    """Return a whole number, thousands grouped; nothing for None.

    >>> count(Printing(), 12345)
    '12,345'
    """
    return "" if value is None else f"{value:,}"


def or_dash(text: Text) -> Text:
    """Return what writes a dash for None, and another value as `text` does.

    >>> or_dash(count)(Printing(), None)
    '-'
    """
    return lambda page, value: "-" if value is None else text(page, value)


def p_value(page: Printing, value: float) -> str:
    """Return a p-value with two digits."""
    return f"{value:.2g}"


def figure(page: Printing, value: float | None) -> str:
    """Return a number with the digits of a probability; nothing for None."""
    return "" if value is None else page.number(value, CHANCE)


def chance(page: Printing, value: float | None) -> str:
    """Return a probability; nothing for None."""
    return "" if value is None else page.chance(value)


def z_text(page: Printing, value: float | None) -> str:
    """Return a standardised difference; nothing for None.

    >>> z_text(Printing(), -0.5)
    '-0.50'
    """
    return "" if value is None else f"{value:+.2f}"


Z = Noted.of("z", "difference in standard errors")
"""The title of a standardised difference."""


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    name
        Its name in data: comma-separated values, data frames, JSON; empty where it is only shown, ``*`` where its data
        are a mapping with several columns, or a list of them: then the row is one row of data for each.
    text
        Writes its value for people; None where it is data only.
    title
        What people read above it; the name if it is None.
    value
        Returns its value in a row; without one it is the entry or the attribute of this name, or the row itself where
        there is no name.
    data
        Returns its data in a row; without one they are the value.
    wide
        Whether only pages with room for it show it, as those of the lab.
    """

    name: str
    text: Text | None = None
    title: str | None = None
    value: Callable[[Any], Any] | None = None
    data: Callable[[Any], Any] | None = None
    wide: bool = False

    @property
    def head(self) -> str:
        """What people read above it."""
        return self.name if self.title is None else self.title

    def of(self, row: Any) -> Any:
        """Return the value in a row."""
        if self.value is not None:
            return self.value(row)
        if self.name in ("", "*"):
            return row
        return row[self.name] if isinstance(row, Mapping) else getattr(row, self.name)

    def entries(self, row: Any) -> list[dict[str, Any]]:
        """Return the data in a row, by name, for each row of data."""
        data = (self.data or self.of)(row)
        return [{self.name: data}] if self.name != "*" else data if isinstance(data, list) else [data]


def entry(of: str, name: str) -> Callable[[Any], Any]:
    """Return what reads an entry of a mapping that rows have, None where it is lacking: `Column.value`."""
    return lambda row: getattr(row, of).get(name)


def estimate(
    name: str,
    title: str,
    point: Callable[[Any], Any],
    shares: bool,
    ends: tuple[str, str] = ("low", "high"),
    bars: bool = True,
) -> list[Column]:
    """Return the columns of an estimate: the number, and its interval. `point` returns the `Point` of a row.

    The data are the number under `name` and the ends of its interval; there are none without a name.
    What is shown has the digits that the interval allows, or those of a probability (`shares`), with `bars` on pages
    that have them.
    """

    def digits(of: Any) -> int:
        return CHANCE if shares else decimals(of[1:])

    def shown(page: Printing, of: Any) -> str:
        return page.chance(of[0]) if shares and bars else page.number(of[0], digits(of))

    def data(row: Any) -> dict[str, Any]:
        return dict(zip((name, *ends), point(row).to_dict().values(), strict=True))

    interval = Column("", lambda page, of: page.span(of[1:], digits(of)), "95 % interval", point)
    return [Column("*" if name else "", shown, title, point, data), interval]


def written(titles: Sequence[str], rows: Sequence[Sequence[str]], **fit: Any) -> Table:
    """Return a table whose cells are texts already, and which is only shown."""
    return Table(
        [Column("", lambda page, text: text, title, itemgetter(at)) for at, title in enumerate(titles)], rows, **fit
    )


@dataclass(frozen=True)
class Table:
    r"""Columns and rows; `least`, `keys` and `wrapped` say how it fits a narrow page, as in `Printing.table`.

    Columns without any text are left out where it is shown, if it is `sparse`; `under` returns the rows that are shown
    below a row on a page, and have no data of their own.

    Examples
    --------
    >>> table = Table([Column("games", count), Column("win", chance, "chance")], [{"games": 1000, "win": 0.25}])
    >>> table.data()
    [{'games': 1000, 'win': 0.25}]
    >>> print("\n".join(table.lines(Printing())))
    games    chance
    1,000  0.250000
    """

    columns: Sequence[Column]
    rows: Sequence[Any]
    least: Sequence[str] = ()
    keys: int = 1
    wrapped: Sequence[str] = ()
    sparse: bool = False
    under: Callable[[Printing, Any], Sequence[Any]] = lambda page, row: ()

    def data(self) -> list[dict[str, Any]]:
        """Return the rows as plain data."""
        named = [one for one in self.columns if one.name]
        rows = [parts for row in self.rows for parts in product(*(one.entries(row) for one in named))]
        return [{name: value for part in parts for name, value in part.items()} for parts in rows]

    def cells(self, page: Printing) -> list[list[str]]:
        """Return the rows as text, the titles first."""
        shown = [(one, one.text) for one in self.columns if one.text and (page.roomy or not one.wide)]
        titles = [one.head for one, _ in shown]
        rows = [line for row in self.rows for line in (row, *self.under(page, row))]
        cells = [[text(page, one.of(row)) for one, text in shown] for row in rows]
        worded = [any(isinstance(row[at], TextCell | Markup) for row in cells) for at in range(len(shown))]
        table = [[TextCell(title) if words else title for title, words in zip(titles, worded, strict=True)], *cells]
        return without_empty(table) if self.sparse else table

    def on_page(self, texts: Mapping[str, Text], *more: Column) -> Table:
        """Return the table for a page that writes the columns with some titles from the row, and has more columns."""
        columns = [
            replace(one, text=texts[one.head], value=lambda row: row) if one.head in texts else one
            for one in self.columns
        ]
        return replace(self, columns=[*columns, *more])

    def lines(self, page: Printing) -> list[str]:
        """Return the table as lines of a page, which may be HTML."""
        return page.table(self.cells(page), self.least, self.keys, self.wrapped)

    def web(self, page: Web = WEB) -> Markup:
        """Return the table as HTML with classes, for pages that have a style sheet."""
        return Markup(in_html(self.lines, page))
