"""The list of commands that `dicelab` alone shows: groups, and what each command does in a few words.

By itself because the groups and the few words are read and edited as a table, apart from how a command is made.
"""

from __future__ import annotations

import re

import click

from dicelab.questions.declare import QUESTIONS, load_announced

GROUPS = {
    "Games": {
        "list": "the games",
        "show": "one game: rules, parameters, choices, strategies",
        "play": "play at the terminal, or watch strategies play",
        "text": "run the program of one of the five texts",
        "new": "write a rules file to start from",
        "check": "verify a file of rules or strategies",
    },
    "Questions": {
        "simulate": "play many games: estimates with intervals",
        "exact": "exact probabilities, means and distributions",
        "compare": "strategies against each other",
        "rate": "strategies in order, the best one first",
        "sweep": "one question for many values of a parameter",
        "tune": "values with which a game is as wished",
        "judge": "is my own simulation right?",
        "why": "why do the players differ?",
        "dice": "the distribution of a dice expression",
        "demo": "the questions of the five texts, answered",
    },
    "Money": {
        "edges": "the house edge of each bet",
        "par": "the sheet of a game: return, volatility, pay table",
        "session": "bankrolls, betting systems, risk of ruin",
    },
    "Optimal play and learning": {
        "best": "how should I play?",
        "solve": "the optimal policy",
        "equilibrium": "hidden dice: how to bluff, and who is ahead",
        "policy": "what a policy does; as a map, a rule or a card",
        "learn": "learn by playing, compared with optimal play",
        "review": "luck and mistakes in a saved game",
        "playtests": "what many saved games show",
    },
    "Results to keep and to pass on": {
        "runs": "what a file written by --store contains",
        "exercise": "a page for a class: simulate, count, check",
        "report": "a report about a game, in one HTML file",
        "publish": "a game to play and simulate, in one HTML file",
        "lab": "all of this in the browser",
    },
    "Help and housekeeping": {
        "help": "the help of a command, with the parameters of a game",
        "kernels": "compiled code that is kept on disk",
        "solutions": "solved games that are kept on disk, for hints and best",
    },
}
"""By group and command, in the order in which they are shown."""


def command_about(word: str) -> str | None:
    """Return the first command whose description has a word of four letters or more; None if there is none.

    >>> command_about("optimal"), command_about("bankrolls"), command_about("the")
    ('solve', 'session', None)
    """
    for commands in GROUPS.values():
        for name, about in commands.items():
            if word.lower() in re.findall(r"\w{4,}", about):
                return name
    return None


def all_commands() -> dict[str, str]:
    """Return what each command does in a few words: those of dicelab, and the questions that others have declared."""
    load_announced()
    known = {name: about for commands in GROUPS.values() for name, about in commands.items()}
    return known | {name: one.about for name, one in QUESTIONS.items() if name not in known and one.about}


def write_groups(formatter: click.HelpFormatter) -> None:
    """Write the list into a help text; questions that others have declared stand with the questions."""
    known = all_commands()
    width = max(map(len, known))
    listed = {name for commands in GROUPS.values() for name in commands}
    others = {name: about for name, about in known.items() if name not in listed}
    for group, commands in (GROUPS | {"Questions": GROUPS["Questions"] | others}).items():
        with formatter.section(group):
            formatter.write_dl([(name.ljust(width), about) for name, about in commands.items()])
