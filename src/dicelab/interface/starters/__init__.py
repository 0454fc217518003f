"""Small complete games with comments, to start from: `dicelab new` writes them, the editor of the lab inserts them."""

from __future__ import annotations

import re
from pathlib import Path

STARTERS = {"game": "", "reroll": " --objective reached"}
"""By what they are like, which is the name of a file of this folder: the options with which they are solved."""


def starter(like: str, name: str, spoken: str | None = None) -> str:
    """Return a starter game under another name; `spoken` is that name in words."""
    return named(Path(__file__).with_name(f"{like}.py").read_text(encoding="utf-8"), name, spoken)


def named(text: str, name: str, spoken: str | None = None) -> str:
    """Return the text of a starter game under another name.

    >>> named('class Starter(Game): name = "starter"', "my-game")
    'class MyGame(Game): name = "my-game"'
    """
    title = "".join(word[:1].upper() + word[1:] for word in re.split(r"[-_]", name) if word)
    spoken = spoken or " ".join(re.split(r"[-_]", name)).strip().capitalize()
    if re.search(rf"\b{title}\b", text):  # a name that the file uses already, such as Game
        title += "Game"
    text = text.replace('"""Starter: ', f'"""{spoken}: ').replace('"starter"', f'"{name}"')
    return re.sub(r"\bStarter\b", title, text)
