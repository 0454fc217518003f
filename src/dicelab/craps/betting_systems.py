"""Betting systems: how many units come next, given what came of the last bet. Whole numbers only.

A system sees no table. It is asked when nothing of a player's lies on the table any more, and told whether there is
more money than before, or less; then it says how many units are bet next.
"""

from __future__ import annotations

SYSTEMS = ("flat", "martingale", "fibonacci", "one_three_two_six", "dalembert", "labouchere", "paroli", "fraction")
FLAT, MARTINGALE, FIBONACCI, ONE_THREE_TWO_SIX, DALEMBERT, LABOUCHERE, PAROLI, FRACTION = range(8)
MOST = 10**6
"""Units that no system goes beyond."""
LINE = 30
"""Numbers that a line of Labouchère has room for."""


def after(system: int, change: int, units: int, step: int, line: list[int]) -> tuple[int, int]:
    """What comes after a change of the money: units of the next bet, and where in its course a system is then.

    `line` holds the numbers of Labouchère, of which the first `step` count. Where nothing was won or lost, as on a
    push, all stays as it is.

    >>> after(MARTINGALE, -10, 4, 0, [])
    (8, 0)
    """
    if system == LABOUCHERE:
        if change != 0 or step == 0:
            step = strike(line, step, change > 0)
        return ends(line, step), step
    return next_units(system, change > 0, units, step) if change != 0 else (units, step)


def next_units(system: int, won: bool, units: int, step: int) -> tuple[int, int]:
    """Units of the next bet, and where in its course a system is then.

    Martingale doubles after a loss. Fibonacci goes one number on after a loss, two back after a win. 1-3-2-6 goes on
    after a win, and begins anew after a loss. D'Alembert adds a unit after a loss, and takes one off after a win.
    Paroli doubles after a win, three times at the most.

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
    """1, 1, 2, 3, 5, 8, ..."""
    units, after = 1, 1
    for _ in range(step):
        units, after = after, units + after
    return units


def strike(numbers: list[int], length: int, won: bool) -> int:
    """Labouchère's line after a bet of the sum of its ends: a win strikes both, a loss adds their sum; its new length.

    A line without numbers begins anew, as 1, 2, 3, 4; a full one keeps its numbers after a loss.

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
    """The sum of the ends of a line; a single number is both and counts once."""
    return numbers[0] + (numbers[length - 1] if length > 1 else 0)
