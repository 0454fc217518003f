"""What the editor completes and inserts: the names of the contract, with a few words each, and templates."""

from __future__ import annotations

import inspect
from typing import Any

from dicelab import rules
from dicelab.interface.starters import STARTERS, starter
from dicelab.rules import Casino, Game

CONSTANTS = {
    "COUNTS": "how often each face came up, as a view of a roll",
    "D6": "an ordinary die",
    "FACES": "each die by itself, as a view of a roll",
    "OVER": "the game is over: what `next` returns at the end",
    "SUM": "the sum of the dice, as a view of a roll",
}
"""What the names without a docstring mean."""
WORDS = (
    *("and", "break", "class", "continue", "def", "elif", "else", "False", "for", "from", "if", "import", "in"),
    *("lambda", "None", "not", "or", "pass", "return", "True", "while"),
    *("abs", "all", "any", "divmod", "enumerate", "int", "len", "list", "max", "min", "range", "sorted", "sum", "zip"),
)
"""Words of Python that rules use."""
PARTS = {
    "a parameter": """    dice = Param(2, 1, 10, "dice that are rolled")
""",
    "a number of the state": """    points = Int(0, 100, "points so far")
""",
    "a row of numbers, one for each player": """    scores = Ints(players, 0, 1000, "points held", by_seat=True)
""",
    "a yes or no": """    asked = Flag("the player may choose")
""",
    "a tally": """    rolls = Tally("rolls of the dice")
""",
    "a roll": """    @thrown(2, D6)
    def both(self, total: int) -> None:
        \"\"\"Two dice were rolled.\"\"\"
""",
    "a choice": """    @chosen(Move)
    def choose(self, move: int) -> None:
        \"\"\"Do what the player chose.\"\"\"
""",
    "what happens next": """    def next(self) -> int:
        \"\"\"Return what happens now.\"\"\"
        return OVER
""",
    "who has won": """    def outcome(self) -> int:
        \"\"\"Return the outcome.\"\"\"
        return 0
""",
    "a strategy": """@strategy(Starter)
def careful(game: Starter) -> int:
    \"\"\"Make the first move.\"\"\"
    return 0
""",
}
"""Parts of a file, by what they declare; the class is called as in the file."""


def contract(name: str) -> dict[str, Any]:
    """Return the names that a file of rules may use, and what can be inserted into a file called `name`.

    Returns
    -------
    dict[str, Any]
        In ``names`` lists of a name, how it is called, and what it means; in ``members`` those of a game; in ``words``
        those of Python; in ``templates`` lists of a label, a text, and whether it is a whole file.
    """
    names = [[word, *_told(word, getattr(rules, word))] for word in rules.__all__]
    members = {word: getattr(kind, word) for kind in (Game, Casino) for word in vars(kind) if word[0] != "_"}
    members = {word: value for word, value in members.items() if word != "declared"}
    whole = [[f"a whole file: {like}", starter(like, name), True] for like in STARTERS]
    return {
        "names": names,
        "members": [[word, *_told(word, value)] for word, value in members.items()],
        "words": WORDS,
        "templates": [*([label, text, False] for label, text in PARTS.items()), *whole],
    }


def _told(word: str, value: object) -> list[str]:
    """Return how something is called, and the first line of what is said about it."""
    if not callable(value):
        return ["", CONSTANTS.get(word, "")]
    given = [name for name in inspect.signature(value).parameters if name != "self"]
    return [
        f"({', '.join(given)})",
        (inspect.getdoc(value) or "").partition("\n")[0].replace("``", "").replace("`", ""),
    ]
