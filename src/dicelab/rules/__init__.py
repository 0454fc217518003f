"""Everything a game's file needs: ``from dicelab.rules import Game, Param, ...``."""

from dicelab.rules.dice import COUNTS, D6, FACES, SUM, Die, d
from dicelab.rules.fields import Flag, Int, Ints, Param, Peak, Switch, Tally
from dicelab.rules.game import OVER, Decision, Game, Memory, Throw, ask, chosen, strategy, throw, thrown
from dicelab.rules.seats import left_of, right_of

__all__ = [
    "COUNTS",
    "D6",
    "FACES",
    "OVER",
    "SUM",
    "Decision",
    "Die",
    "Flag",
    "Game",
    "Int",
    "Ints",
    "Memory",
    "Param",
    "Peak",
    "Switch",
    "Tally",
    "Throw",
    "ask",
    "chosen",
    "d",
    "left_of",
    "right_of",
    "strategy",
    "throw",
    "thrown",
]
