"""The games of the lab, by the names that addresses have, with their cards.

Games given on the command line appear under the names of their files; no address contains a path.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dicelab.errors import DicelabError, UnknownNameError, unknown
from dicelab.lab.job import Job, Limits, all_messages

Card = dict[str, Any]
"""The declarations of a game as plain data (`dicelab.lab.work.card`); of a file with an error, the key ``broken``."""
SECONDS = 60.0
"""Limit of the time in which the files of games must be read."""


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
    _reading: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def fill(self) -> None:
        """Read the declarations of all games, in a worker process.

        Raises
        ------
        DicelabError
            When the games of dicelab can't be read.
        """
        own = await _cards([])
        self.cards = {card["called"]: card for card in own}
        self._called = {name: name for name in self.cards}
        for file in self.files:
            name = self._free(Path(file.partition(".py:")[0]).stem.removesuffix(".py"))
            self._called[name] = file
            await self._read(name)

    async def card(self, name: str) -> Card:
        """The card of a game; a file that has changed is read again.

        Raises
        ------
        UnknownNameError
        """
        if name not in self.cards:
            raise unknown("game", name, self.cards)
        async with self._reading:
            if self._stamp(name) != self._stamps.get(name, 0):
                await self._read(name)
        return self.cards[name]

    def is_file(self, name: str) -> bool:
        """Whether a game was given on the command line."""
        return self._called[name] != name

    def stamp(self, name: str) -> int:
        """A number that changes with the file of a game; 0 for dicelab's own games."""
        return self._stamps.get(name, 0)

    async def _read(self, name: str) -> None:
        self._stamps[name] = self._stamp(name)
        try:
            card = (await _cards([self._called[name]]))[0]
        except DicelabError as error:
            card = {"called": self._called[name], "broken": str(error)}
        self.cards[name] = {**card, "own": True, "stamp": str(self._stamps[name])}

    def _stamp(self, name: str) -> int:
        """When the file of a game was last changed; 0 for a game without a file of its own."""
        if not self.is_file(name):
            return 0
        try:
            called = self._called[name]
            path, colon, _ = called.partition(".py:")
            return os.stat(f"{path}.py" if colon else called).st_mtime_ns
        except OSError:
            return -1

    def _free(self, stem: str) -> str:
        """A name for a file: its own, unless another game has that name."""
        name = "".join(letter if letter.isalnum() else "-" for letter in stem).strip("-").lower() or "game"
        taken, number = name, 1
        while taken in self._called:
            number += 1
            taken = f"{name}-{number}"
        return taken


async def _cards(called: list[str]) -> list[Card]:
    """The cards of some games, or of all of dicelab's."""
    messages = await all_messages(Job("cards", Limits(seconds=SECONDS), called=called))
    if "error" in messages[-1]:
        error = UnknownNameError if messages[-1].get("status") == 2 else DicelabError
        raise error(messages[-1]["error"])
    return messages[:-1]


def filled(files: Sequence[str]) -> Shelf:
    """A shelf whose cards have been read."""
    shelf = Shelf(files)
    asyncio.run(shelf.fill())
    return shelf
