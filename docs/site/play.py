"""Publishes every included game into a folder of the site, where each can be played and simulated (`make docs`)."""

from __future__ import annotations

import sys

import dicelab
from dicelab.interface.publishing.publish import add_to_folder


def included() -> list[str]:
    """Return the names of the games that come with dicelab."""
    return [name for name, game in sorted(dicelab.all_games().items()) if game.__module__.startswith("dicelab.games.")]


def publish_all(folder: str) -> None:
    """Publish all games, with a start page."""
    for name in included():
        page = dicelab.publish(name)
        print(f"{add_to_folder(page, folder)}: {len(page.html) // 1000:,} kB", *page.notes)


if __name__ == "__main__":
    publish_all(sys.argv[1])
