"""The hash of the rules of a game, by which results and policies say for which rules they hold."""

from __future__ import annotations

import hashlib
import inspect
import sys

from dicelab.rules.game import Game
from dicelab.rules.registry import SOURCE


def source_hash(game: type[Game]) -> str:
    """First 16 digits of the SHA-256 of the file in which a game is written; empty when it can't be read."""
    try:
        text = game.next.__globals__.get(SOURCE) or inspect.getsource(sys.modules[game.__module__])
        return hashlib.sha256(text.encode()).hexdigest()[:16]
    except (OSError, TypeError, KeyError):
        return ""
