"""The names that a game's file imports: ``from dicelab.rules import Game, Param, ...``."""

from dicelab.rules.actions import OVER, Decision, Throw, ask, chosen, throw, thrown
from dicelab.rules.casino import Casino
from dicelab.rules.declare import strategy
from dicelab.rules.dice import COUNTS, D6, FACES, SUM, Die, d
from dicelab.rules.drawing import drawn, mixed, weighted
from dicelab.rules.fields import Flag, Flags, Grid, Int, Ints, Peak, Seat, Tally
from dicelab.rules.game import Game, Memory
from dicelab.rules.keeping import kept
from dicelab.rules.mixtures import mixture
from dicelab.rules.params import Choice, Param, Switch
from dicelab.rules.seats import left_of, right_of
from dicelab.rules.words import Bits, Cups, Dice, Facing, Numbers, Places, Rulebook, Sheet, Track, Words

__all__ = [
    "COUNTS",
    "D6",
    "FACES",
    "OVER",
    "SUM",
    "Bits",
    "Casino",
    "Choice",
    "Cups",
    "Decision",
    "Dice",
    "Die",
    "Facing",
    "Flag",
    "Flags",
    "Game",
    "Grid",
    "Int",
    "Ints",
    "Memory",
    "Numbers",
    "Param",
    "Peak",
    "Places",
    "Rulebook",
    "Seat",
    "Sheet",
    "Switch",
    "Tally",
    "Throw",
    "Track",
    "Words",
    "ask",
    "chosen",
    "d",
    "drawn",
    "kept",
    "left_of",
    "mixed",
    "mixture",
    "right_of",
    "strategy",
    "throw",
    "thrown",
    "weighted",
]
