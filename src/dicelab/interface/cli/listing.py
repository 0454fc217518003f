"""The list of commands that `dicelab` alone shows: groups, and what each command does in a few words."""

from __future__ import annotations

import re
from collections.abc import Iterable

import click

from dicelab.questions import FILES, LISTED, MONEY, PLAY, Listed
from dicelab.questions.declare import QUESTIONS, load_announced

GAMES, HELP = "Games", "Help and housekeeping"
GROUPS = (GAMES, "Questions", MONEY, PLAY, FILES, HELP)
"""In the order in which they are shown; a group of another package stands behind them."""


def grouped(commands: Iterable[click.Command]) -> dict[str, dict[str, str]]:
    """Return what each command does in a few words, by group: questions, and the commands that ask none."""
    load_announced()
    others = {name: Listed("", one.about, one.group) for name, one in QUESTIONS.items() if name not in LISTED}
    by_hand = {one.name or "": Listed("", one.short_help or "", getattr(one, "group", "Questions")) for one in commands}
    known = {name: one for name, one in (LISTED | others | by_hand).items() if one.about}
    groups: dict[str, dict[str, str]] = {group: {} for group in GROUPS}
    for name, one in known.items():
        groups.setdefault(one.group, {})[name] = one.about
    return groups


def command_about(word: str, groups: dict[str, dict[str, str]]) -> str | None:
    """Return the first command whose description has a word of four letters or more; None if there is none.

    >>> command_about("optimal", {"Questions": {"best": "how to play?", "solve": "the optimal policy"}})
    'solve'
    """
    for commands in groups.values():
        for name, about in commands.items():
            if word.lower() in re.findall(r"\w{4,}", about):
                return name
    return None


def write_groups(formatter: click.HelpFormatter, groups: dict[str, dict[str, str]]) -> None:
    """Write the list into a help text."""
    width = max(len(name) for commands in groups.values() for name in commands)
    for group, commands in groups.items():
        with formatter.section(group):
            formatter.write_dl([(name.ljust(width), about) for name, about in commands.items()])
