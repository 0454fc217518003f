"""Functions that translated rules call for their lists, sets and dicts, which lie in arrays on the stack.

A list of numbers is an array whose first number is its length. A list of tuples is a table: each row holds the numbers
of one tuple, and the first number of row 0 is the length. A list of lists is a table each of whose rows is a list. A
set is a list without repetition, and a dict a table of keys, each followed by its value.

What doesn't fit is recorded as an error, as every error is (`dicelab.compile.kernels.rule_support`): the reference
engine then plays that game.
"""

from dicelab.compile.kernels.list_choices import *  # noqa: F403
from dicelab.compile.kernels.list_math import *  # noqa: F403
from dicelab.compile.kernels.list_numbers import *  # noqa: F403
from dicelab.compile.kernels.list_places import *  # noqa: F403
from dicelab.compile.kernels.list_tables import *  # noqa: F403
