"""The answers in a page: their sentences and tables as HTML, and their charts as data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Answer:
    """An answer as a section of a page."""

    id: str
    title: str
    html: str
    charts: list[dict[str, Any]] = field(default_factory=list)
