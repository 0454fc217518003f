"""A card as pages to print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO
from itertools import groupby

from dicelab.errors import ParameterError
from dicelab.interface.reporting.lines import Line, Runs
from dicelab.interface.reporting.pocket import pocket_page
from dicelab.plots.chart_style import MUTED, TEXT, figure, plain
from dicelab.questions.policies.grid import Grid, View

PAPER = 8.27, 11.69
"""Width and height of a page in inches: A4."""
ROWS = 84
"""Lines of a column of text."""
MOST_PAGES = 60
"""Pages of a card, at most."""
SIZE = 6.5
"""Font size, in points."""
MARGIN = 0.06
"""Margin of a page, as a share of its width and height."""
LETTERS = 132
"""Letters that fit across a page."""


def words(runs: Runs, edge: str) -> str:
    """Return the moves of a line in words.

    >>> words(((0, 19, "roll"), (20, 50, "bank")), "points")
    'roll; bank from points 20'
    """
    (_, _, first), *others = runs
    return "; ".join([first, *(f"{move} from {edge} {low}" for low, _, move in others)])


def text_of(lines: Sequence[Line], edge: str) -> list[str]:
    """Return the lines of the card as text; lines that have all but the last field in common stand under a heading."""

    def heading(line: Line) -> str:
        return ", ".join(f"{name} {low}" for name, (low, _) in list(line.spans.items())[:-1])

    found = []
    for title, group in groupby(lines, key=heading):
        found += ["", title] if title else []
        for line in group:
            last = list(line.spans.items())[-1:]
            where = "".join(f"{name} {low if low == high else f'{low} to {high}'}: " for name, (low, high) in last)
            found.append(f"  {where}{words(line.runs, edge)}")
    return found


def printed(
    title: str,
    fixed: Mapping[str, int],
    edge: str,
    lines: Sequence[Line],
    pocket: tuple[View, Grid] | None = None,
) -> bytes:
    """Return the card as a PDF file; the same card gives the same bytes. Parameters as the attributes of
    `dicelab.Card`. The first page is the pocket card; without lines it is the only one.

    Raises
    ------
    ParameterError
        When it has too many pages, or matplotlib is not installed.
    """
    figure()  # says what is missing if matplotlib is
    from matplotlib.backends.backend_pdf import PdfPages
    from matplotlib.figure import Figure

    texts = text_of(lines, edge)
    widest = max((len(text) for text in texts), default=0) + 2
    columns = max(1, LETTERS // widest)
    pages = -(-len(texts) // (columns * ROWS))
    if pages > MOST_PAGES:
        raise ParameterError(
            f"the card would have {pages:,} pages, and {MOST_PAGES} is the limit; choose some states with --at, "
            "or write a .csv or .py file"
        )
    body = BytesIO()
    with PdfPages(body, metadata={"Title": title, "Creator": "dicelab", "CreationDate": None}) as file:
        if pocket is not None:
            file.savefig(pocket_page(title, *pocket))
        for page in range(pages):
            paper = Figure(figsize=PAPER)
            paper.text(MARGIN, 1 - MARGIN, plain(title), size=10, color=TEXT, va="top")
            small = ", ".join([*(f"{name} {value}" for name, value in fixed.items()), f"page {page + 1} of {pages}"])
            paper.text(MARGIN, 1 - MARGIN - 0.02, plain(small), size=SIZE, color=MUTED, va="top")
            for column in range(columns):
                low = (page * columns + column) * ROWS
                block = "\n".join(plain(text) for text in texts[low : low + ROWS])
                left = MARGIN + column * (1 - 2 * MARGIN) * widest / LETTERS
                paper.text(left, 1 - MARGIN - 0.04, block, size=SIZE, color=TEXT, va="top", family="monospace")
            file.savefig(paper)
    return body.getvalue()
