"""Text 2: craps, a bet on the pass line with a player's money. The rules are those of `dicelab.games.pass_line`.

Source: "The Pass Line Bet", McGill University COMP 202, assignment 2, question 1.

Examples
--------
>>> import random
>>> random.seed(5)
>>> pass_line_bet(12.5, 3.5)
A 8 has been rolled. Roll again!
9 12 11 5 8
You win!
16.0
"""

from __future__ import annotations

import random
import sys
from functools import lru_cache
from math import isfinite
from numbers import Real
from typing import Any

from dicelab.errors import ParameterError
from dicelab.extras.textbook.rounds import TOTALS, Transitions, ended, rounds
from dicelab.games.pass_line import PassLine
from dicelab.rules.params import as_integer

WON = 0


def dice_roll() -> int:
    """Roll two dice by two calls of Python's `random.randint`; return their total.

    Examples
    --------
    >>> import random
    >>> random.seed(5)
    >>> dice_roll(), dice_roll()
    (8, 9)
    """
    return random.randint(1, 6) + random.randint(1, 6)


@lru_cache
def _table() -> Transitions:
    return rounds(PassLine())


def second_stage(point: int) -> int:
    """Roll until the point or a 7 comes; print all rolls on one line.

    Parameters
    ----------
    point
        4, 5, 6, 8, 9 or 10.

    Returns
    -------
    int
        The point, or 7.

    Raises
    ------
    ParameterError
        When the point is none of these.

    Examples
    --------
    >>> import random
    >>> random.seed(5)
    >>> point = second_stage(6)
    8 9 12 11 5 8 3 4 6
    >>> point
    6
    """
    number = as_integer(point)
    standing = -1 if number is None else _table()[0].get(number, -1)
    if standing < 0:
        raise ParameterError(f"point: {point!r} is not allowed; it is 4, 5, 6, 8, 9 or 10")
    thrown: list[int] = []

    def throw() -> int:
        thrown.append(dice_roll())
        print(f" {thrown[-1]}" if len(thrown) > 1 else thrown[-1], end="", flush=True)
        return thrown[-1]

    ended(_table(), throw, standing)
    print()
    return thrown[-1]


def can_play(money: float, bet: float) -> bool:
    """Return whether a player with this money can make this bet: it must be above 0 and at most the money.

    Examples
    --------
    >>> can_play(5.25, 5.0), can_play(0.0, 2.0), can_play(5.0, -3.0), can_play(float("inf"), 1.0)
    (True, False, False, False)
    """
    return is_amount(money) and is_amount(bet) and 0 < bet <= money


def is_amount(value: Any) -> bool:
    """Return whether this is a finite real number that a `float` can hold; text, ``nan`` and ``inf`` are not.

    Examples
    --------
    >>> is_amount(12.5), is_amount(float("nan")), is_amount("12.5")
    (True, False, False)
    """
    try:
        return isinstance(value, Real) and isfinite(value)
    except OverflowError:
        return False


def pass_line_bet(money: float, bet: float) -> float:
    """Play one round with a bet on the pass line and print what happens.

    Parameters
    ----------
    money, bet
        The player's money, and the part of it that is bet.

    Returns
    -------
    float
        The money afterwards: `money` plus or minus `bet`.

    Raises
    ------
    ParameterError
        When the player cannot play; see `can_play`.

    Examples
    --------
    >>> import random
    >>> random.seed(3)
    >>> pass_line_bet(5.0, 5.0)
    A 7 has been rolled. You win!
    10.0
    """
    if not can_play(money, bet):
        raise ParameterError(f"bet: {bet!r} is not allowed; it is above 0 and no more than the money, {money!r}")
    come_out = dice_roll()
    if come_out not in TOTALS:
        raise ParameterError(f"two dice come to 2 to 12, not {come_out!r}")
    standing = _table()[0][come_out]
    if standing < 0:
        won = -1 - standing == WON
        print(f"A {come_out} has been rolled. {'You win!' if won else 'You lose!'}")
    else:
        print(f"A {come_out} has been rolled. Roll again!")
        won = second_stage(come_out) == come_out
        print("You win!" if won else "You lose")
    return float(money + bet if won else money - bet)


def play() -> None:
    """Ask for the money and the bet, play one round, and print the money afterwards."""
    _play()


def _play() -> int:
    """Play as `play` does; return the exit status: 1 if an input is not an amount of money (not in the text)."""
    amounts = []
    for prompt in ("Please enter your money here: ", "How much would you like to bet? "):
        try:
            typed = input(prompt)
        except (EOFError, RuntimeError, UnicodeDecodeError):  # nothing more to be read, no stdin at all, no text
            print("\nNo amount was entered. You cannot play.")
            return 1
        try:
            amounts.append(float(typed))
        except ValueError:
            amounts.append(float("nan"))
        if not is_amount(amounts[-1]):
            print(f"{typed!r} is not an amount of money. You cannot play.")
            return 1
    if not can_play(*amounts):
        print("Insufficient funds. You cannot play.")
        return 0
    print(f"You now have ${round(pass_line_bet(*amounts), 2)}")
    return 0


def main(seed: int | None = None) -> int:
    """Run the text's program; return the exit status."""
    if seed is not None:
        random.seed(seed)
    return _play()


if __name__ == "__main__":
    sys.exit(main())
