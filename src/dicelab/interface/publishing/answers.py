"""The answers in a page: their sentences and tables as HTML, and their charts as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from dicelab.errors import ParameterError
from dicelab.questions.exact import exact
from dicelab.results.result import Exact
from dicelab.results.text.writing import outcome_text
from dicelab.rules.wording import called
from dicelab.runtime.lineup import Run

KNOWN = ("exact",)
"""The answers that a page can have."""
FEW = 5e-4
"""A chart of a distribution ends where less than this is left."""


@dataclass(frozen=True)
class Answer:
    """An answer as a section of a page.

    Attributes
    ----------
    id, title
        The name of the section, and its heading.
    sentence
        The answer in words.
    tables
        Heads and rows.
    charts
        What the scripts draw: kind, title, name, summary, data.
    """

    id: str
    title: str
    sentence: str
    tables: list[tuple[list[str], list[list[str]]]]
    charts: list[dict[str, Any]] = field(default_factory=list)


def answers(run: Run, wanted: Sequence[str]) -> list[Answer]:
    """Return the answers that the author has chosen.

    Raises
    ------
    InputError
        When there is no such answer, or it can't be computed.
    """
    unknown = [name for name in wanted if name not in KNOWN]
    if unknown:
        raise ParameterError(f"with: {unknown[0]!r} is not allowed; a page can have {', '.join(KNOWN)}")
    return [_exact(run) for name in dict.fromkeys(wanted) if name == "exact"]


def _exact(run: Run) -> Answer:
    """Return the exact answer about outcomes and tallies."""
    result = exact(run.game, run.calls)
    tables: list[tuple[list[str], list[list[str]]]] = []
    charts: list[dict[str, Any]] = []
    shares = {outcome_text(n, result.seats, result.players): c.probability for n, c in result.outcomes.items()}
    if shares:
        fractions = ["" if c.fraction is None else str(c.fraction) for c in result.outcomes.values()]
        short = [text if len(text) <= 24 else "" for text in fractions]
        rows = [[name, f"{p:.6f}", text] for (name, p), text in zip(shares.items(), short, strict=True)]
        tables.append((["outcome", "probability", "fraction"], rows))
        bars: list[dict[str, Any]] = [
            {"label": name, "share": p, "low": p, "high": p, "value": f"{p:.2%}", "text": f"{name}: {p:.6f}"}
            for name, p in shares.items()
        ]
        data: dict[str, Any] = {"rows": bars, "equal": 1 / len(bars) if result.seats else 0}
        charts.append(_chart("shares", "Outcomes, exactly", run, "exact", "; ".join(b["text"] for b in bars), data))
    if result.tallies:
        tables.append((["tally", "mean", "deviation", "10 %", "median", "90 %"], _tallies(run, result)))
    for name, tally in result.tallies.items():
        values = sorted(tally.probabilities) if tally.spread is not None else []
        points, left = list[list[float]](), 1.0
        for value in values:
            points.append([value, tally.probabilities[value]])
            left -= tally.probabilities[value]
            if left < FEW:
                break
        if len(points) > 1:
            word = called(run.game, name)
            said = f"{word}: mean {tally.mean:.4g}"
            data = {"points": points, "label": word}
            charts.append(_chart("histogram", f"Distribution of {word}, exactly", run, name, said, data))
    return Answer("exact", "Exact answer", result.summary, tables, charts)


def _tallies(run: Run, result: Exact) -> list[list[str]]:
    """Return the rows of the table of tallies."""
    rows = []
    for name, tally in result.tallies.items():
        ranks = [tally.percentile(p) for p in (0.1, 0.5, 0.9)]
        numbers = ["" if rank is None else f"{rank:,}" for rank in ranks]
        rows.append([called(run.game, name), f"{tally.mean:.6g}", f"{tally.sd:.6g}", *numbers])
    return rows


def _chart(kind: str, title: str, run: Run, name: str, summary: str, data: dict[str, Any]) -> dict[str, Any]:
    """Return a chart as data."""
    return {"kind": kind, "title": title, "name": f"{run.game.name}-{name}", "summary": summary, "data": data}
