"""The sheet of a game of money as one HTML file that prints: a table of all bets, then a page for each."""

from __future__ import annotations

from html import escape

from dicelab.interface.reporting.report import STYLE
from dicelab.questions.betting.par import DISCLAIMER, STREAM, Par
from dicelab.questions.betting.par_text import lines_of, one_bet
from dicelab.results.text.html import Printed, in_html
from dicelab.results.text.writing import setting_text

PRINT = """
section.bet h2 { border-bottom: 2px solid #1d2327; }
td { white-space: nowrap; }
@media (max-width: 500px) { body { padding: 16px; } th, td { padding-right: 8px; } }
"""
"""Added to the style of reports."""
PAGE = Printed()


def document(sheet: Par) -> str:
    """Return the sheet as a complete HTML file without scripts.

    >>> import dicelab
    >>> document(dicelab.par("pass-line"))[:15]
    '<!doctype html>'
    """
    given = ", ".join(f"{name} {setting_text(value)}" for name, value in sheet.parameters.items())
    title = f"{sheet.game}: sheet"
    parts = []
    if len(sheet.rows) > 1:
        every = in_html(lambda page: lines_of(sheet.rows, page)[:-1], PAGE)
        parts.append(f"<section><h2>All bets</h2>{every}</section>")
    for row in sheet.rows:
        figures = in_html(lambda page, row=row: one_bet(row, page), PAGE)  # type: ignore[misc]
        known = "" if row.edge.published is None else f"<p>{escape(str(row.edge.published))}</p>"
        parts.append(f'<section class="bet"><h2>{escape(row.edge.bet)}</h2>{figures}{known}</section>')
    if sheet.left_out:
        items = "".join(f"<li>{escape(bet)}: {escape(why)}</li>" for bet, why in sheet.left_out.items())
        parts.append(f"<section><h2>Not allowed with these parameters</h2><ul>{items}</ul></section>")
    made = f"dicelab {sheet.version}; rules {sheet.source_hash}; random stream: {STREAM}. {DISCLAIMER.capitalize()}."
    unfinished = f"<p>{escape(sheet.unfinished)}</p>" if sheet.unfinished else ""
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{STYLE}{PRINT}</style></head>\n'
        f"<body><header><h1>{escape(sheet.game)}</h1><p class='muted'>{escape(given)}</p></header>"
        f"<main><p>{escape(sheet.summary)}</p>{unfinished}{''.join(parts)}</main>"
        f"<footer><p class='muted'>{escape(made)}</p></footer></body></html>\n"
    )
