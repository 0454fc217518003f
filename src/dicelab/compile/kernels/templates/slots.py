"""Fills the slots of templates.

A template is a Python file that is used as text. A line ``slot.name`` becomes lines of code, with the indent
of that line; ``slot.name`` inside a line becomes an expression. Text that is filled in is not looked at again, so names
in rules can't be taken for slots.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

CACHED = False
"""In a kernel: whether Numba may store its compiled code."""


class Slot:
    """Stands for all slots, so that linters can read a template and import it."""

    def __getattr__(self, name: str) -> list[Any]:
        return []


slot: Any = Slot()
Parts = Mapping[str, Any]


@cache
def _text_of(template: str) -> str:
    """Return the text of a template, without what it imports of other templates."""
    text = (Path(__file__).parent / f"{template}.py").read_text(encoding="utf-8")
    return re.sub(rf"^from {re.escape(__package__)}\.\w+ import (\([^)]*\)|.*)\n", "", text, flags=re.MULTILINE)


def functions_of(template: str, parts: Parts) -> str:
    """Return the functions of a template, filled, for the text of a kernel that imports what they need."""
    return _put(_text_of(template).partition("\n\n\n")[2], parts)


def filled(template: str, about: str, parts: Parts) -> str:
    """Return the text of a kernel; its first line says what it is `about`.

    Parameters
    ----------
    template
        Name of the template.
    about
        What the kernel is for, and the game.
    parts
        For each slot a number, an expression, or a list of lines of code; ``pass`` where there are none.
    """
    return f"# {about}; written by dicelab, safe to delete\n{_put(_text_of(template), parts)}"


def _put(text: str, parts: Parts) -> str:
    """Return a text with all its slots filled."""

    def put(found: re.Match[str]) -> str:
        margin, lines, expression = found.groups()
        if expression:
            return str(parts[expression])
        return "\n".join(margin + line if line else line for line in parts[lines] or ["pass"])

    return re.sub(r"^( *)slot\.(\w+)$|\bslot\.(\w+)", put, text, flags=re.MULTILINE)
