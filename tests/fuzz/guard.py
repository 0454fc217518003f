"""What dicelab says where it can't answer: sentences are lawful, tracebacks are not."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

from dicelab.errors import DicelabError
from fuzz.case import Mismatch
from fuzz.chances import Table, TooMuch, graph

NEAR = 1e-9
"""Relative difference of floating point numbers that mean the same."""
STRANGE = "report", "Traceback", "Error:"
"""Words of messages that are none for people: what is wrong was not foreseen."""
TOO_LARGE = "too many digits for floating point", "beyond the limit of", "does not fit in 64 bits"
"""What is said of tallies with 19 digits where an answer would be wrong."""


def guarded(check: str, work: Callable[[], Any]) -> Any:
    """What `work` returns, or the error that dicelab raises on purpose; any other is a mismatch."""
    try:
        return work()
    except (Mismatch, TooMuch):
        raise
    except DicelabError as error:
        if any(word in str(error) for word in STRANGE[:2]):
            raise Mismatch(check, str(error)) from error
        return error
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        said = f"{type(error).__name__}: {error} ({Path(last.filename).name}, line {last.lineno})"
        raise Mismatch(f"{check}, traceback {type(error).__name__}", said) from error


def too_large(found: object) -> bool:
    """Whether amounts were refused because they have too many digits for the question."""
    return isinstance(found, DicelabError) and any(words in str(found) for words in TOO_LARGE)


def what_is_wrong(table: Table) -> Exception | None:
    """What breaks the contract at some state that can be reached, if anything does."""
    try:
        graph(table)
    except TooMuch:
        raise
    except Exception as error:
        return error
    return None


def must_be_near(check: str, fraction: Fraction | None, number: float, truth: Fraction, error: float) -> None:
    """Refuse a number, or a fraction where there is one, that is not the truth, within its error."""
    if fraction is not None and fraction != truth:
        raise Mismatch(check, f"{fraction} instead of {truth}")
    if not abs(number - float(truth)) <= error + NEAR * max(1.0, abs(float(truth))):
        raise Mismatch(check, f"{number} instead of {float(truth)}, error {error}")
