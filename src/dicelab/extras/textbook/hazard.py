"""Text 1: Hazard, and its win rates. The rules are those of `dicelab.games.hazard`.

Source: "Example: A Game of Chance", section 1.7 of *Computer Science with Applications* (University of Chicago).

Examples
--------
>>> import random
>>> random.seed(1)
>>> print_win_rate_table(1000)
5 0.464
6 0.494
7 0.482
8 0.45
9 0.471
"""

from __future__ import annotations

import random
import sys
from functools import lru_cache

from dicelab.errors import ParameterError
from dicelab.extras.textbook.rounds import Transitions, ended, rounds
from dicelab.games.hazard import Hazard
from dicelab.rules.params import as_integer

MAINS = range(5, 10)
REFUSED = "The number of rounds needs to be a positive integer. Goodbye."


def throw_dice() -> int:
    """Roll two dice by two calls of Python's `random.randint`; return their total.

    Examples
    --------
    >>> import random
    >>> random.seed(1)
    >>> [throw_dice() for _ in range(5)]
    [7, 4, 5, 8, 10]
    """
    return random.randint(1, 6) + random.randint(1, 6)


def play_one_round(chosen_main: int) -> bool:
    """Play one round of Hazard; return whether the caster wins.

    Parameters
    ----------
    chosen_main
        A whole number from 5 to 9.

    Raises
    ------
    ParameterError
        For any other main. (The text's program accepts 13 and the word "7", and the caster then wins 8 of 9 rounds.)

    Examples
    --------
    >>> import random
    >>> random.seed(1)
    >>> [play_one_round(7) for _ in range(5)]
    [True, False, False, True, True]
    """
    return ended(_table(chosen_main), throw_dice) == 0


def _table(main: int) -> Transitions:
    """Return the rounds of a main as a table."""
    number = as_integer(main)
    if number not in MAINS:
        raise ParameterError(f"chosen_main: {main!r} is not allowed; it is a whole number from 5 to 9")
    return _rounds(number)


@lru_cache
def _rounds(main: int) -> Transitions:
    return rounds(Hazard(main=main))


def simulate_caster(chosen_main: int) -> int:
    """Play rounds until the caster loses two in a row; return the number of rounds won.

    Raises
    ------
    ParameterError
        When the main is not a whole number from 5 to 9.

    Examples
    --------
    >>> import random
    >>> random.seed(1)
    >>> [simulate_caster(7) for _ in range(5)]
    [1, 3, 4, 2, 0]
    """
    won = lost_in_a_row = 0
    while lost_in_a_row < 2:
        if play_one_round(chosen_main):
            won += 1
            lost_in_a_row = 0
        else:
            lost_in_a_row += 1
    return won


def print_win_rate_table(num_rounds: int) -> None:
    """Print each main with the share of rounds that the caster wins.

    Parameters
    ----------
    num_rounds
        Rounds to play for each main.

    Raises
    ------
    ParameterError
        When it is not a whole number above 0.

    Examples
    --------
    >>> import random
    >>> random.seed(1)
    >>> print_win_rate_table(10)
    5 0.1
    6 0.6
    7 0.4
    8 0.7
    9 0.7
    """
    rounds_to_play = as_integer(num_rounds)
    if rounds_to_play is None or rounds_to_play < 1:
        raise ParameterError(f"num_rounds: {num_rounds!r} is not allowed; it is a whole number above 0")
    for main in MAINS:
        won = sum(play_one_round(main) for _ in range(rounds_to_play))
        print(main, won / rounds_to_play, flush=True)


def main(seed: int | None = None) -> int:
    """Return the text's program: ask for a number of rounds, and print the table.

    Returns
    -------
    int
        The exit status: 0, or 1 if the input is not a whole number above 0.
    """
    if seed is not None:
        random.seed(seed)
    try:
        num_rounds = int(input("Number of rounds: "))
    except ValueError:
        num_rounds = 0
    except (EOFError, RuntimeError):  # nothing more to be read, or no stdin at all
        print()
        num_rounds = 0
    if num_rounds < 1:
        print(REFUSED)
        return 1
    print_win_rate_table(num_rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
