"""Fills the slots of templates.

A template is a Python file that is used as text. A line ``slot.name`` becomes lines of code, with the indent
of that line; ``slot.name`` inside a line becomes an expression. Text that is filled in is not looked at again, so names
in rules can't be taken for slots.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
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


@cache
def _text_of(template: str) -> str:
    """The text of a template, without its import of `slot`."""
    return (
        (Path(__file__).parent / f"{template}.py")
        .read_text(encoding="utf-8")
        .replace(f"from {__name__} import CACHED, slot\n", "")
    )


def filled(template: str, about: str, parts: Mapping[str, str | Sequence[str]]) -> str:
    """The text of a kernel; its first line says what it is `about`.

    Parameters
    ----------
    template
        Name of the template.
    about
        What the kernel is for, and the game.
    parts
        For each slot an expression, or lines of code; ``pass`` where there are none.
    """

    def put(found: re.Match[str]) -> str:
        margin, lines, expression = found.groups()
        if expression:
            return str(parts[expression])
        return "\n".join(margin + line if line else line for line in parts[lines] or ["pass"])

    body = re.sub(r"^( *)slot\.(\w+)$|\bslot\.(\w+)", put, _text_of(template), flags=re.MULTILINE)
    return f"# {about}; written by dicelab, safe to delete\n{body}"
