"""A table as columns and rows, from which its forms follow: text, HTML, comma-separated values, data frames, JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from dicelab.results.text.page import Printing

Text = Callable[[Printing, Any], str]
"""Writes a value on a page."""


def plain(page: Printing, value: Any) -> str:
    """Return a value as it is; nothing for None."""
    return "" if value is None else str(value)


def count(page: Printing, value: int | None) -> str:
    """Return a whole number, thousands grouped; nothing for None.

    >>> count(Printing(), 12345)
    '12,345'
    """
    return "" if value is None else f"{value:,}"


def chance(page: Printing, value: float | None) -> str:
    """Return a probability; nothing for None."""
    return "" if value is None else page.chance(value)


def z_score(page: Printing, value: float | None) -> str:
    """Return a standardised difference; nothing for None.

    >>> z_score(Printing(), -0.5)
    '-0.50'
    """
    return "" if value is None else f"{value:+.2f}"


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    name
        Its name in data: comma-separated values, data frames, JSON; empty where it is only shown.
    value
        Returns its value in a row, as plain data unless it is only shown.
    text
        Writes this value for people; None where it is data only.
    title
        What people read above it; the name if it is None.
    """

    name: str
    value: Callable[[Any], Any]
    text: Text | None = None
    title: str | None = None


@dataclass(frozen=True)
class Table:
    r"""Columns and rows; `least`, `keys` and `wrapped` say how it fits a narrow page, as in `Printing.table`.

    Examples
    --------
    >>> columns = [Column("games", lambda row: row[0], count), Column("win", lambda row: row[1], chance, "chance")]
    >>> table = Table(columns, [(1000, 0.25), (2000, 0.5)])
    >>> table.data()
    [{'games': 1000, 'win': 0.25}, {'games': 2000, 'win': 0.5}]
    >>> print("\n".join(table.lines(Printing())))
    games    chance
    1,000  0.250000
    2,000  0.500000
    """

    columns: Sequence[Column]
    rows: Iterable[Any]
    least: Sequence[str] = ()
    keys: int = 1
    wrapped: Sequence[str] = ()

    def data(self) -> list[dict[str, Any]]:
        """Return the rows as plain data."""
        return [{one.name: one.value(row) for one in self.columns if one.name} for row in self.rows]

    def cells(self, page: Printing) -> list[list[str]]:
        """Return the rows as text, the titles first."""
        shown = [(one, one.text) for one in self.columns if one.text is not None]
        titles = [one.name if one.title is None else one.title for one, _ in shown]
        return [titles, *([text(page, one.value(row)) for one, text in shown] for row in self.rows)]

    def lines(self, page: Printing) -> list[str]:
        """Return the table as lines of a page, which may be HTML."""
        return page.table(self.cells(page), self.least, self.keys, self.wrapped)
