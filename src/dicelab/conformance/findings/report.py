"""The report of a check as text of 80 columns: the verdict, what each step covered, and a summary."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dicelab.conformance.findings.finding import BROKEN, OK, UNFINISHED

WIDTH, MARGIN = 80, 16
Row = Mapping[str, Any]
"""A finding as plain data."""


def covered(findings: Sequence[Row]) -> dict[str, Any]:
    """Return the numbers of what all steps of one game checked, by name."""
    return {name: value for row in findings for name, value in row.get("covered", {}).items()}


def verdict_of(findings: Sequence[Row], interrupted: bool) -> str:
    """``lawful``, ``broken`` or ``not finished``; the last also if the check was interrupted."""
    verdicts = {row["verdict"] for row in findings}
    if BROKEN in verdicts:
        return BROKEN
    return UNFINISHED if interrupted or UNFINISHED in verdicts else "lawful"


def summary(numbers: Mapping[str, Any]) -> str:
    """Return what was checked, in one line; empty if nothing was.

    >>> summary({"states": {"states": 5745, "all": True}, "engines": ["reference", "compiled"], "compared": 400})
    'all 5,745 states at the defaults; 400 games on 2 engines'
    """
    parts = []
    if "states" in numbers:
        states = numbers["states"]
        parts.append(f"{'all ' if states['all'] else ''}{states['states']:,} states at the defaults")
    if "at_settings" in numbers:
        parts.append(_many(numbers["at_settings"]["settings"], "more setting"))
    if "engines" in numbers:
        parts.append(f"{_many(numbers['compared'], 'game')} on {_many(len(numbers['engines']), 'engine')}")
    if "lineups" in numbers:
        parts.append(_many(numbers["lineups"]["all"], "line-up"))
    if "exact" in numbers:
        parts.append(_many(numbers["exact"]["lineups"], "exact answer"))
    if "policies" in numbers:
        parts.append("1 policy")
    return "; ".join(parts)


def _many(count: int, thing: str) -> str:
    """Return a count with its noun, in the plural if needed."""
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


def text_of(
    file: str, findings: Sequence[Row], interrupted: bool = False, verbose: bool = False, width: int = WIDTH
) -> str:
    """Return the whole report.

    Parameters
    ----------
    file
        The file that was checked.
    findings
        Findings as plain data, in order.
    interrupted
        Whether the check was stopped from the keyboard.
    verbose
        Whether to say which engines don't accept a game, and why.
    """
    games = list(dict.fromkeys(row["game"] for row in findings))
    blocks = [
        "\n".join(_block(file, name, [row for row in findings if row["game"] == name], interrupted, verbose, width))
        for name in games
    ]
    if interrupted:
        blocks.append("interrupted: nothing else was checked" if blocks else "interrupted: nothing was checked")
    return "\n\n".join(blocks)


def _block(
    file: str, name: str, findings: Sequence[Row], interrupted: bool, verbose: bool, width: int
) -> Iterator[str]:
    """Yield the report of one game."""
    verdict = verdict_of(findings, interrupted)
    yield f"{verdict}  {name if name != file else ''}{'  ' if name != file else ''}{file}"
    yield ""
    for row in findings:
        label = row["step"] if row["verdict"] == OK else row["verdict"]
        say = row["say"] if row["verdict"] == OK else f"{row['step']}: {row['say']}"
        yield _wrapped(f"  {label}".ljust(MARGIN), say, width)
        yield from (f"    {line}" for line in row.get("covered", {}).get("sample", []))
        for engine, why in row.get("covered", {}).get("refused", {}).items() if verbose else ():
            yield _wrapped(" " * MARGIN, f"not on the {engine} engine: {why}", width)
    if verdict != BROKEN:
        yield ""
        yield _wrapped("", f"{verdict}: {summary(covered(findings)) or 'no states were tried'}", width, "")


def _wrapped(begin: str, say: str, width: int, margin: str = " " * MARGIN) -> str:
    """Return wrapped text; words, and so paths, are never split."""
    return textwrap.fill(
        say, width, initial_indent=begin, subsequent_indent=margin, break_long_words=False, break_on_hyphens=False
    )
