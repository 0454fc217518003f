"""Betting systems: the next bet, in units, given the result of the last one. Whole numbers only.

A system is applied when a player has no more bets on the table. It depends only on whether the player's money has
risen or fallen since then, and on its own course.
"""

from __future__ import annotations

SYSTEMS = ("flat", "martingale", "fibonacci", "one_three_two_six", "dalembert", "labouchere", "paroli", "fraction")
FLAT, MARTINGALE, FIBONACCI, ONE_THREE_TWO_SIX, DALEMBERT, LABOUCHERE, PAROLI, FRACTION = range(8)
MOST = 10**6
"""Largest bet of any system, in units."""
LINE = 30
"""Largest length of a Labouchère line."""


def after(system: int, change: int, units: int, step: int, line: list[int]) -> tuple[int, int]:
    """Return the next bet in units, and the system's next step, after a change of the money.

    For Labouchère `line` holds the numbers and `step` is their count; `line` is changed in place. If nothing was won
    or lost, as on a push, the bet and the step stay the same.

    >>> after(MARTINGALE, -10, 4, 0, [])
    (8, 0)
    """
    if system == LABOUCHERE:
        if change != 0 or step == 0:
            step = strike(line, step, change > 0)
        return ends(line, step), step
    return next_units(system, change > 0, units, step) if change != 0 else (units, step)


def next_units(system: int, won: bool, units: int, step: int) -> tuple[int, int]:
    """Return the next bet in units, and the system's next step, after a win or a loss.

    Martingale doubles after a loss. Fibonacci moves one number forward after a loss and two back after a win. 1-3-2-6
    advances after a win and starts again after a loss. D'Alembert adds a unit after a loss and subtracts one after a
    win. Paroli doubles after a win, and starts again after three wins in a row.

    >>> units, step = 1, 0
    >>> for won in (False, False, False, True):
    ...     units, step = next_units(FIBONACCI, won, units, step)
    ...     print(units)
    1
    2
    3
    1
    """
    if system == MARTINGALE:
        return (1 if won else min(2 * units, MOST)), 0
    if system == FIBONACCI:
        step = max(0, step - 2) if won else min(step + 1, 29)
        return fibonacci(step), step
    if system == ONE_THREE_TWO_SIX:
        step = (step + 1) % 4 if won else 0
        return (1, 3, 2, 6)[step], step
    if system == DALEMBERT:
        return (max(1, units - 1) if won else min(units + 1, MOST)), 0
    if system == PAROLI:
        step = (step + 1) % 3 if won else 0
        return 1 << step, step
    return 1, 0


def fibonacci(step: int) -> int:
    """Return the Fibonacci number at an index from 0: 1, 1, 2, 3, 5, 8, ..."""
    units, after = 1, 1
    for _ in range(step):
        units, after = after, units + after
    return units


def strike(numbers: list[int], length: int, won: bool) -> int:
    """Return the new length of a Labouchère line after a bet of the sum of its ends; `numbers` is changed in place.

    A win strikes both ends, a loss appends their sum. An empty line starts again as 1, 2, 3, 4; a full line (`LINE`)
    is unchanged by a loss.

    >>> line = [1, 2, 3, 4, 0]
    >>> length = strike(line, 4, False)
    >>> line[:length], line[: strike(line, length, True)]
    ([1, 2, 3, 4, 5], [2, 3, 4])
    """
    if won:
        for i in range(1, length):
            numbers[i - 1] = numbers[i]
        length = max(0, length - 2)
    elif 0 < length < LINE:
        numbers[length] = min(ends(numbers, length), MOST)
        length += 1
    if length == 0:
        for i in range(4):
            numbers[i] = i + 1
        length = 4
    return length


def ends(numbers: list[int], length: int) -> int:
    """Return the sum of the first and last number of a line; a single number counts once."""
    return numbers[0] + (numbers[length - 1] if length > 1 else 0)
