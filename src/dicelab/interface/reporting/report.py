"""`dicelab.report`: all sections as one self-contained HTML file, readable without scripts and printed well.

By itself because its call is imported by name (`dicelab.questions.LISTED`); exercises share its style only.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Annotated

from dicelab.errors import DicelabError
from dicelab.interface.play.again import called
from dicelab.questions.betting.par import DISCLAIMER, STREAM, Par, one_bet
from dicelab.questions.declare import Files, question
from dicelab.questions.options import GameLike, Memory, Seed, Whole, WordsWatched
from dicelab.questions.simulate import whole
from dicelab.results.text.html import Printed, in_html
from dicelab.results.text.writing import setting_text
from dicelab.rules.game import Game, shown
from dicelab.rules.loading.hashing import source_hash
from dicelab.rules.wording import setting_called
from dicelab.runtime.interrupts import Stopped, arrivals
from dicelab.runtime.leftovers import replacing
from dicelab.runtime.lineup import Run, as_seed
from dicelab.runtime.strategies import Strategies
from dicelab.version import __version__

if TYPE_CHECKING:
    from dicelab.interface.reporting.sections import Section

GAMES, SEED = 20_000, 1
MOST_GIVEN = 8
"""Parameters that all stand below the title; of more only those that are not the defaults."""
"""Games of each simulation, and its seed, unless others are given."""
STYLE = """
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; color: #1d2327;
  background: #fff; max-width: 960px; margin: 0 auto; padding: 24px; }
h1 { font-size: 28px; line-height: 1.2; margin: 0 0 8px; } h2 { font-size: 20px; margin: 40px 0 8px; }
p, .result > div { max-width: 72ch; }
.result > div:first-child { font-size: 18px; font-weight: 600; margin-bottom: 8px; } .muted { color: #5d666d; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 8px 0;
  display: block; overflow-x: auto; }
th, td { padding: 4px 16px 4px 0; border-bottom: 1px solid #d9dee2; text-align: left; }
thead th { color: #5d666d; font-weight: 500; }
pre { background: #f4f6f7; border-radius: 6px; padding: 8px 12px; overflow-x: auto; margin: 8px 0; }
.charts { display: flex; flex-wrap: wrap; gap: 16px; margin-top: 16px; }
.charts img { width: 100%; max-width: 464px; height: auto; border: 1px solid #d9dee2; border-radius: 8px; }
nav a { margin-right: 16px; color: #0072b2; }
.findings li { margin: 4px 0; font-size: 18px; }
@page { margin: 15mm; }
@media print { section + section { break-before: page; }
  body { padding: 0; max-width: none; } .charts img, tr { break-inside: avoid; } nav { display: none; }
  table { display: table; overflow: visible; } }
"""


@dataclass(frozen=True)
class Report:
    """A report about a game.

    Attributes
    ----------
    game, parameters
        The name of the game, and its parameters as they are shown.
    sections
        Its parts.
    html
        The file.
    interrupted
        Whether Ctrl-C came before the end; the report then has the sections that were finished.

    Examples
    --------
    >>> import dicelab
    >>> report = dicelab.report("hazard", games=100, seed=1)
    >>> report.html[:15]
    '<!doctype html>'
    """

    game: str
    parameters: dict[str, object]
    sections: tuple[Section, ...]
    html: str
    interrupted: bool = False

    refused = ""

    @property
    def sentences(self) -> tuple[str, ...]:
        """The answers of its sections, each behind the title of the section."""
        findings = [(section.title, " ".join(section.findings)) for section in self.sections]
        return tuple(f"{title}: {text}" for title, text in findings if text)

    @property
    def notes(self) -> tuple[str, ...]:
        """What is missing."""
        return ("this report was stopped before its end",) if self.interrupted else ()

    def __repr__(self) -> str:
        return f"<Report of {self.game}: {', '.join(section.title for section in self.sections)}>"

    def _repr_html_(self) -> str:
        return self.html

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the file; an existing one is replaced once the new one is complete.

        Raises
        ------
        DicelabError
            When it can't be written.
        """
        with replacing(path, DicelabError, f"{os.fspath(path)}: the report") as draft:
            draft.write_text(self.html, encoding="utf-8")


@question(
    tab="Report",
    rows="sections",
    files=Files(
        "a report",
        ("--out", "-o"),
        "The file to write, such as report.html.",
        {"": "dicelab.interface.reporting.report:html_of"},
        only=True,
    ),
)
def report(
    game: GameLike,
    strategies: Strategies = (),
    *,
    games: Annotated[
        int | None, Whole("Games of each simulation [default: 20000]", "N", ("--games", "-n"), label="games")
    ] = None,
    seed: Annotated[int | None, Seed("Seed of all simulations [default: 1]", "N", label="seed")] = None,
    memory: Memory = None,
    progress: WordsWatched = lambda title: None,
    **parameters: object,
) -> Report:
    """Write a report about a game into one HTML file.

    It has the rules, fairness and length of games, the strategies compared, optimal play and a short rule, and for
    games of money the edges and a session; each with its chart, and with the command that gives the answer again. What
    would take long to solve is simulated, or left out with the reason. The file is complete in itself, without scripts,
    and prints well.

    Commands
    --------
    dicelab report tossup --target 50 -o tossup.html
    dicelab report ./pig.py -o pig.html

    Raises
    ------
    InputError
        When something given is unknown or not allowed.
    PlayError

    Examples
    --------
    >>> report("hazard", main=5)
    <Report of hazard: The game, Fairness and length>
    """
    from dicelab.interface.reporting.sections import ReportRequest, sections

    run = Run.of(game, strategies, **parameters)
    asked = ReportRequest(
        run,
        called(type(run.game)),
        GAMES if games is None else whole("games", games),
        SEED if seed is None else as_seed(seed),
        memory,
    )
    written: list[Section] = []
    interrupted, before = False, arrivals()
    try:
        for section in sections(asked, progress):
            written.append(section)
            if arrivals() > before:  # Ctrl-C ended a question early, which returned what it had
                raise Stopped
    except KeyboardInterrupt:
        if not written:
            raise
        Stopped()  # leaves the command the time to write the file
        interrupted = True
    html = _document(run.game, written, interrupted)
    return Report(run.game.name, dict(shown(run.game)), tuple(written), html, interrupted)


def html_of(written: Report) -> str:
    """Return the file of a report."""
    return written.html


def _document(game: Game, sections: list[Section], interrupted: bool = False) -> str:
    """Return the sections as a file."""
    title = f"{game.name}: a report"
    params = game.declared.params
    usual = len(params) > MOST_GIVEN  # then only what differs; all of them stand among the rules
    given = ", ".join(
        f"{name} {setting_called(game, name)}"
        for name, value in game.parameters.items()
        if not usual or value != params[name].default
    )
    given = given or ("all parameters as usual" if usual else "")
    links = "".join(f'<a href="#part{at}">{escape(section.title)}</a>' for at, section in enumerate(sections))
    head = f"<h1>{escape(game.name)}</h1><p class='muted'>{escape(given)}</p><nav aria-label='Parts'>{links}</nav>"
    parts = [_findings(sections, interrupted)]
    for at, section in enumerate(sections):
        command = f"<pre>{escape(section.command)}</pre>" if section.command else ""
        parts.append(f'<section id="part{at}"><h2>{escape(section.title)}</h2>{section.html}{command}</section>')
    made = f"dicelab {__version__}; rules {source_hash(type(game))}. Each command gives the answer above it again."
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{STYLE}</style></head>\n'
        f"<body>{head}<main>{''.join(parts)}</main><footer><p class='muted'>{escape(made)}</p></footer></body></html>\n"
    )


def _findings(sections: list[Section], interrupted: bool) -> str:
    """Return the answers of all sections in sentences, each with a link to its section."""
    lines = [
        f'<li><a href="#part{at}">{escape(section.title)}</a>: {escape(" ".join(section.findings))}</li>'
        for at, section in enumerate(sections)
        if any(section.findings)
    ]
    stopped = "<p class='muted'>This report was stopped before its end.</p>" if interrupted else ""
    return f'<section class="findings"><h2>Findings</h2><ul>{"".join(lines)}</ul>{stopped}</section>'


# Sheet ----------------------------------------------------------------------------------------------------------------
#
# The sheet of a game of money as one HTML file that prints: a table of all bets, then a page for each.


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
        every = in_html(lambda page: sheet.sheet(page)[:-1], PAGE)
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
