"""The games of the lab, by the names that addresses have, with their cards.

Games given on the command line appear under the names of their files; no address contains a path.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from dicelab.errors import DicelabError, UnknownNameError, unknown
from dicelab.interface.lab.job import Job, JobLimits, all_messages, warmed
from dicelab.limits import LIMITS
from dicelab.rules.loading.registry import GROUP, entry_points
from dicelab.runtime.leftovers import Draft
from dicelab.translation.verdicts import cache_root

Card = dict[str, Any]
"""The declarations of a game as plain data (`dicelab.interface.lab.work.own`); of a file with an error, the key
``broken``."""
SPARE = 2.0
"""Seconds after `LIMITS.file_seconds` at which the worker process that reads a file is killed."""
UNREAD = f"reading it takes longer than {LIMITS.file_seconds:g} seconds"
PATIENCE = 0.5
"""Seconds for which a page that is not about a file waits until it is read."""
READING = "it is being read"
CARDS_KEPT = 4
"""Files with the cards of dicelab's own games, of several versions, that are kept in the cache folder."""
LONGEST = 100_000
"""Characters of a broken file that are shown, at most."""


@dataclass
class Shelf:
    """All games.

    Attributes
    ----------
    files
        The files given on the command line, as typed there.
    cards
        By name in addresses: the cards of the games.
    """

    files: Sequence[str] = ()
    cards: dict[str, Card] = field(default_factory=dict)
    _called: dict[str, str] = field(default_factory=dict)
    _stamps: dict[str, int] = field(default_factory=dict)
    _reading: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    _gate: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(LIMITS.files_at_a_time))

    async def fill(self) -> None:
        """Read the declarations of the games of dicelab, in a worker process unless they are kept; those of files are
        read when a page looks for them.

        Raises
        ------
        DicelabError
            When the games of dicelab can't be read.
        """
        kept = _kept_cards()
        own = _read_cards(kept)
        if own is None:
            own = await _cards(Job("own.cards", JobLimits(), called=[]))
            _keep_cards(kept, own)
        self.cards = {card["called"]: card for card in own}
        self._called = {name: name for name in self.cards}
        for file in self.files:
            name = self._free(Path(file.partition(".py:")[0]).stem.removesuffix(".py"))
            self._called[name] = file
            self.cards[name] = {"called": file, "broken": READING, "reading": True}

    async def look(self, patience: float | None = PATIENCE) -> None:
        """Read the files that have changed, and wait some seconds for them at most; then their old cards stand."""
        reading = {task for name in self.cards if (task := self._begun(name))}
        if reading:
            await asyncio.wait(reading, timeout=patience)

    async def card(self, name: str) -> Card:
        """Return the card of a game; a file that has changed is read again."""
        if name not in self.cards:
            raise unknown("game", name, self.cards)
        while task := self._begun(name):  # another one if it was saved meanwhile
            await asyncio.wait({task})
        return self.cards[name]

    def is_file(self, name: str) -> bool:
        """Return whether a game was given on the command line."""
        return self._called[name] != name

    def stamp(self, name: str) -> int:
        """Return a number that changes with the file of a game; 0 for dicelab's own games."""
        return self._stamps.get(name, 0)

    def _begun(self, name: str) -> asyncio.Task[None] | None:
        """Return the task that reads a file, begun if the file has changed; None if its card is that of the file."""
        stamp, task = self.stamp_now(name), self._reading.get(name)
        if stamp != self._stamps.get(name, 0):
            if task is not None:
                task.cancel()
            self._stamps[name] = stamp
            task = self._reading[name] = asyncio.create_task(self._read(name, str(stamp)))
        return None if task is None or task.done() else task

    async def _read(self, name: str, stamp: str) -> None:
        called = self._called[name]
        try:
            limits = JobLimits(seconds=LIMITS.file_seconds + SPARE)
            async with self._gate:
                await warmed()  # the time of a file begins when it is read
                card = (await _cards(Job("own.cards", limits, called=[called], seconds=LIMITS.file_seconds)))[0]
        except DicelabError as error:
            card = {"called": called, "broken": str(error)}
        shown = {"rules": _text(called)} if "broken" in card else {}
        self.cards[name] = {**card, **shown, "own": True, "stamp": stamp}

    def stamp_now(self, name: str) -> int:
        """Return when the file of a game was last changed; 0 for a game without a file of its own."""
        if not self.is_file(name):
            return 0
        try:
            return os.stat(self.path(name)).st_mtime_ns
        except OSError:
            return -1

    def path(self, name: str) -> Path:
        """Return the path of the file of a game."""
        return _path(self._called[name])

    def _free(self, stem: str) -> str:
        """Return a name for a file: its own, unless another game has that name."""
        name = "".join(letter if letter.isalnum() else "-" for letter in stem).strip("-").lower() or "game"
        taken, number = name, 1
        while taken in self._called:
            number += 1
            taken = f"{name}-{number}"
        return taken


def _text(called: str) -> str:
    """Return the text of a file that can't be read as rules; nothing if it can't be read at all."""
    try:
        return _path(called).read_text(encoding="utf-8", errors="replace")[:LONGEST]
    except (OSError, ValueError):
        return ""


def _path(called: str) -> Path:
    """Return the path of a file that may be called with the name of one of its games."""
    path, colon, _ = called.partition(".py:")
    return Path(f"{path}.py" if colon else called)


async def _cards(job: Job) -> list[Card]:
    """Return the cards that a job sends."""
    messages = await all_messages(job)
    if "late" in messages[-1]:
        raise DicelabError(UNREAD)
    if "error" in messages[-1]:
        error = UnknownNameError if messages[-1].get("status") == 2 else DicelabError
        raise error(messages[-1]["error"])
    return messages[:-1]


def _kept_cards() -> Path | None:
    """Return the file that keeps the cards of this version's games; None where other packages register games."""
    package = Path(__file__).parents[2]
    if any(not point.value.startswith(f"{package.name}.") for point in entry_points(group=GROUP)):
        return None
    facts = [(str(file), file.stat().st_mtime_ns, file.stat().st_size) for file in sorted(package.rglob("*.py"))]
    return cache_root() / "cards" / f"{sha256(repr(facts).encode()).hexdigest()[:24]}.json"


def _read_cards(file: Path | None) -> list[Card] | None:
    """Return the cards that are kept in a file; None if there are none."""
    with suppress(OSError, ValueError):
        cards = json.loads(file.read_text(encoding="utf-8")) if file else None
        return cards if isinstance(cards, list) else None
    return None


def _keep_cards(file: Path | None, cards: list[Card]) -> None:
    """Keep cards in a file, and delete those of versions that were not used for long."""
    if file is None:
        return
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        with Draft(file) as draft:
            Path(draft.path).write_text(json.dumps(cards), encoding="utf-8")
            draft.publish()
        for old in sorted(file.parent.glob("*.json"), key=lambda one: -one.stat().st_mtime)[CARDS_KEPT:]:
            old.unlink()


def prepared(files: Sequence[str]) -> Shelf:
    """Return a shelf with the cards of dicelab's games; the files are read when the first page looks for them.

    Raises
    ------
    DicelabError
        When the games of dicelab can't be read.
    """
    shelf = Shelf(files)
    asyncio.run(shelf.fill())
    return shelf


def filled(files: Sequence[str]) -> Shelf:
    """Return a shelf whose files have been read, too."""
    shelf = prepared(files)
    asyncio.run(shelf.look(None))
    shelf._gate = asyncio.Semaphore(LIMITS.files_at_a_time)  # the other belongs to a loop that has ended
    return shelf
