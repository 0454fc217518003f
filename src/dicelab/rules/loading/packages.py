"""Entry points: what installed packages, dicelab among them, register by name for dicelab to find."""

from __future__ import annotations

import importlib
import sys
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache, reduce
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class EntryPoint:
    """What an installed package registers: in a group and by a name, a module, or a thing in it."""

    group: str
    name: str
    value: str

    def load(self) -> Any:
        """Import and return it."""
        module, _, path = self.value.partition("[")[0].replace(" ", "").partition(":")
        return reduce(getattr, path.split(".") if path else (), importlib.import_module(module))


def entry_points(group: str, name: str | None = None) -> list[EntryPoint]:
    """Return what installed packages register in a group, under this name if one is given."""
    return [p for p in _registered(tuple(sys.path)) if p.group == group and name in (None, p.name)]


@lru_cache(maxsize=1)
def _registered(folders: tuple[str, ...]) -> list[EntryPoint]:
    """Return what the packages in these folders register; of two of the same name, the first one counts.

    Importing `importlib.metadata`, which does the same, takes a tenth of the start of a command.
    """
    texts = dict[str, str]()
    for file in (file for folder in folders for file in sorted(Path(folder).glob("*.*-info/entry_points.txt"))):
        with suppress(OSError):
            texts.setdefault(file.parent.name.partition("-")[0].lower(), file.read_text("utf-8", "replace"))
    found, group = list[EntryPoint](), ""
    for line in (line.strip() for text in texts.values() for line in text.splitlines()):
        name, equals, value = (part.strip() for part in line.partition("="))
        if line.startswith("["):
            group = line.strip("[]")
        elif equals and not line.startswith("#"):
            found.append(EntryPoint(group, name, value))
    return found
