"""The page that results are printed on: its width, and how much of heads and digits is shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from math import floor, isfinite, isinf, log10
from shutil import get_terminal_size
from textwrap import wrap
from typing import ClassVar

from dicelab.results.text.writing import aligned, places, seated_text, setting_text

COLUMNS = 80
"""Width where standard output is not a terminal."""
CHANCE = 6
"""Decimal places of a probability, unless all digits are shown."""
NARROW = 12
"""Columns that the first column of a table keeps before the table is split."""


class TextCell(str):
    """The text of a cell that is no number: to the left on pages of the lab."""


class Noted(str):
    """The text of a cell that pages of the lab colour, or with a note, which they show when somebody points at it."""

    note: str
    mark: str

    @classmethod
    def of(cls, text: str, note: str = "", mark: str = "") -> Noted:
        """Return a text with a note; it is marked as ``good`` or ``bad``, or not."""
        noted = cls(text)
        noted.note, noted.mark = note, mark
        return noted


@dataclass(frozen=True)
class Printing:
    """How results are printed.

    Attributes
    ----------
    width
        Columns of the longest line.
    everything
        Whether a head shows all parameters, or only those that differ from the defaults.
    full
        Whether numbers are shown with all their digits.

    Examples
    --------
    >>> Printing().mean(12345.678, (12345.1, 12346.2)), Printing(full=True).chance(1 / 3)
    ('12,345.68', '0.3333333333333333')
    """

    width: int = COLUMNS
    everything: bool = False
    full: bool = False
    roomy: ClassVar[bool] = False
    """Whether it has room for the columns that are `wide`, as pages of the lab have."""

    @classmethod
    def here(cls, everything: bool = False, full: bool = False) -> Printing:
        """Return a page as wide as the terminal; `COLUMNS` wide, or as the environment says, without one."""
        return cls(get_terminal_size((COLUMNS, 24)).columns, everything, full)

    # Numbers ----------------------------------------------------------------------------------------------------------

    def number(self, value: float, decimals: int) -> str:
        """Return a number with so many decimals, thousands grouped.

        >>> Printing().number(-12345.678, 1), Printing().number(-0.001, 2)
        ('-12,345.7', '0.00')
        """
        return repr(value) if self.full else f"{round(value, decimals) + 0.0:,.{decimals}f}"

    def chance(self, value: float, error: float = 0.0) -> str:
        """Return a probability, with fewer digits where its error is large."""
        return self.number(value, min(CHANCE, places(error)))

    def mean(self, value: float, interval: tuple[float, float]) -> str:
        """Return a mean, as precise as its interval."""
        return self.number(value, decimals(interval))

    def change(self, value: float, decimals: int, good: int = 0) -> str:
        """Return a difference; pages of the lab show its sign, and colour it if more of it is good (1), or bad (-1).

        >>> Printing().change(-0.125, 2), Printing().change(2.0, 1)
        ('-0.12', '2.0')
        """
        return self.number(value, decimals)

    def span(self, interval: tuple[float, float], decimals: int = CHANCE) -> str:
        """Return an interval, whose ends may be infinite.

        >>> from math import inf
        >>> page = Printing()
        >>> page.span((0.25, 0.5), 2), page.span((6, inf), 1), page.span((-inf, 3), 0), page.span((-inf, inf), 2)
        ('0.25 .. 0.50', '6.0 or more', 'at most 3', 'no bounds')
        """
        low, high = (self.number(end, decimals) for end in interval)
        if isinf(interval[0]):
            return "no bounds" if isinf(interval[1]) else f"at most {high}"
        return f"{low} or more" if isinf(interval[1]) else f"{low} .. {high}"

    def plus_minus(self, interval: tuple[float, float], decimals: int = CHANCE) -> str:
        """Return the half-width of an interval; ``±?`` if an end is infinite.

        >>> from math import inf
        >>> Printing().plus_minus((0.25, 0.5), 3), Printing().plus_minus((6, inf), 3)
        ('±0.125', '±?')
        """
        half = (interval[1] - interval[0]) / 2
        return f"±{self.number(half, decimals)}" if isfinite(half) else "±?"

    # Lines ------------------------------------------------------------------------------------------------------------

    def head(
        self,
        game: str,
        parameters: Mapping[str, object],
        differing: Iterable[str],
        strategies: Sequence[str] = (),
        players: Sequence[str] = (),
    ) -> list[str]:
        """Return the game, its parameters and its strategies, in two lines.

        >>> Printing().head("lcr", {"players": 4, "coins": 5}, ["coins"])
        ['lcr: coins 5']
        """
        shown = parameters if self.everything else {name: parameters[name] for name in differing}
        words = [f"{name} {setting_text(value)}" for name, value in shown.items()]
        lines = [f"{game}: {', '.join(words)}" if words else game]
        if strategies:
            kind = "strategy" if len(set(strategies)) == 1 else "strategies"
            lines.append(f"{kind}: {seated_text(strategies, players)}")
        return lines

    def text(self, lines: Iterable[str]) -> str:
        """Return lines as one text; those that are too long go on in the next line."""
        return "\n".join(part for line in lines for part in self._wrapped(line))

    def _wrapped(self, line: str) -> list[str]:
        if len(line) <= self.width:
            return [line]
        margin = " " * (len(line) - len(line.lstrip(" ")))
        more = margin + "  "
        return wrap(line.lstrip(" "), self.width, initial_indent=margin, subsequent_indent=more, break_on_hyphens=False)

    def listed(self, rows: Sequence[Sequence[str]], margin: str = "") -> list[str]:
        r"""Return the rows of text to the left, with the last column wrapped.

        >>> print("\n".join(Printing(16).listed([["a", "one two"], ["long", "three four five"]])))
        a     one two
        long  three four
              five
        """
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]) - 1)]
        most = max(self.width // 2, self.width - 24) - len(margin) - sum(widths[:-1]) - 2 * len(widths)
        if widths[-1] > most:  # a few long cells don't move the last column to the right
            widths[-1] = max((len(row[-2]) for row in rows if len(row[-2]) <= most), default=max(0, most))
        at = min(len(margin) + sum(widths) + 2 * len(widths), max(self.width // 2, self.width - 24))
        lines = []
        for row in rows:
            begin = margin + "".join(f"{cell.ljust(w)}  " for cell, w in zip(row, widths, strict=False))
            wrapped = [begin.rstrip()] if len(begin) > at else []
            first = " " * at if wrapped else begin
            lines += [part for line in wrapped for part in self._wrapped(line)]
            lines += wrap(row[-1], self.width, initial_indent=first, subsequent_indent=" " * at) or [begin.rstrip()]
        return lines

    def paragraphs(self, text: str) -> list[str]:
        """Return a text with its paragraphs wrapped; those with indented lines or lists stay as they are."""
        lines = []
        for part in text.split("\n\n"):
            kept = any(line[:1] in (*" *-|", "") for line in part.splitlines())
            lines += [*(part.splitlines() if kept else wrap(" ".join(part.split()), self.width)), ""]
        return lines[:-1]

    def table(
        self, rows: Sequence[Sequence[str]], least: Sequence[str] = (), keys: int = 1, wrapped: Sequence[str] = ()
    ) -> list[str]:
        r"""Return a table as lines; the first row holds the titles.

        A table that is too wide loses the columns in `least`, one after the other; then cells of the columns in
        `wrapped`, from the left, and of its first column are wrapped; then it is split into several, and each begins
        with the first columns.

        Parameters
        ----------
        rows
            Cells, the same number in each row.
        least
            Titles of the columns that may be left out, the least important first.
        keys
            Number of columns that say what a row is about.
        wrapped
            Titles of further columns whose cells may be wrapped.

        Examples
        --------
        >>> print("\n".join(Printing(14).table([["name", "mean", "sd"], ["long", "10", "2.5"]], ["sd"])))
        name  mean
        long    10
        (without sd)
        """
        shown, dropped = [list(row) for row in rows], list[str]()
        for title in least:
            if _width(shown) > self.width and title in shown[0]:
                at = len(shown[0]) - 1 - shown[0][::-1].index(title)
                shown = [row[:at] + row[at + 1 :] for row in shown]
                dropped.append(title)
        narrow = shown
        for title in wrapped:
            narrow = self._narrowed(narrow, shown[0].index(title))
        parts = [aligned(part) for part in self._parts(narrow if _width(narrow) <= self.width else shown, keys)]
        lines = [line for k, part in enumerate(parts) for line in ([""] if k else []) + part]
        return [*lines, *self._wrapped(f"(without {', '.join(dropped)})")] if dropped else lines

    def _narrowed(self, rows: list[list[str]], at: int) -> list[list[str]]:
        """Return a table that is too wide, with the cells of a column wrapped, but not within words."""
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        word = max(len(word) for row in rows for word in row[at].split() or [""])
        widths[at] = max(NARROW, word, widths[at] - max(0, _width(rows) - self.width))
        return _cut(rows, widths)

    def _parts(self, rows: list[list[str]], keys: int) -> list[list[list[str]]]:
        """Return a table as one or more tables that fit."""
        rest = _width([row[1:] for row in rows]) + 2 if len(rows[0]) > 1 else 0
        if _width(rows) <= self.width:
            return [rows]
        word = max(len(word) + 2 for row in rows for word in row[0].split() or [""])
        if self.width - rest >= max(NARROW, min(word, self.width // 2)):
            return [_cut(rows, [self.width - rest, *[self.width] * (len(rows[0]) - 1)])]
        if len(rows[0]) <= keys:
            return [_cut(rows, [max(1, self.width // keys - 2)] * keys)]
        limits = self._widths_of_keys(rows, keys)
        rows = _cut(rows, limits + [max(NARROW, self.width - sum(limits) - 2 * keys)] * (len(rows[0]) - keys))
        parts, at = [], keys
        while at < len(rows[0]):
            end = at + 1
            while end < len(rows[0]) and _width([row[:keys] + row[at : end + 1] for row in rows]) <= self.width:
                end += 1
            parts.append([row[:keys] + row[at:end] for row in rows])
            at = end
        return parts

    def _widths_of_keys(self, rows: Sequence[Sequence[str]], keys: int) -> list[int]:
        """Return how wide the first columns of a table become that is split: their words stay whole if they fit."""
        room = max(NARROW, self.width // 2 - 2 * keys) // keys
        words = [max(len(word) for row in rows for word in row[at].split() or [" "]) for at in range(keys)]
        words[0] += 2  # further lines of the first column are indented
        whole = keys > 1 and max(words) > room and sum(words) + 2 * keys + NARROW <= self.width
        return words if whole else [room] * keys


def decimals(interval: tuple[float, float]) -> int:
    """Return how many decimal places mean something in an interval: two digits of its half-width, at most 6.

    >>> from math import inf
    >>> decimals((7.1, 7.3)), decimals((900, 1100)), decimals((1.0, 1.0)), decimals((-inf, 3))
    (2, 0, 6, 4)
    """
    half = (interval[1] - interval[0]) / 2
    if not isfinite(half):
        return 4
    return max(0, min(CHANCE, 1 - floor(log10(half)))) if half > 0 else CHANCE


def _width(rows: Sequence[Sequence[str]]) -> int:
    """Return the columns that an aligned table takes."""
    return sum(max(len(row[i]) for row in rows) for i in range(len(rows[0]))) + 2 * (len(rows[0]) - 1)


def _cut(rows: Sequence[Sequence[str]], limits: Sequence[int]) -> list[list[str]]:
    """Return a table whose cells are wrapped at the limit of their column."""
    lines: list[list[str]] = []
    for row in rows:
        cells = [
            wrap(cell, limit, subsequent_indent="  " if i == 0 else "", break_on_hyphens=False) or [""]
            for i, (cell, limit) in enumerate(zip(row, limits, strict=True))
        ]
        lines += map(list, zip_longest(*cells, fillvalue=""))
    return lines
