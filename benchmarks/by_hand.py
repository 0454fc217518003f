"""What exact answers are held against: solvers in Numba as one would write them for one game alone.

Pig and Toss Up! under optimal play of both, and Toss Up! between all pairs of thresholds; `lcr.c` beside this file does
LCR. None of them knows dicelab, nor the rules of any other game. A first call compiles (some seconds).

Optimal play is solved in layers: banking raises the sum of the scores, so what a bank leads to is known when the scores
are gone through from the highest sum down, and only the two positions (i, j) and (j, i) depend on each other, through
lost turns. What a turn is worth is a convex, piecewise linear function of what losing it is worth, with the chance to
lose it as its slope; the two functions of a pair are brought to agree by going back and forth between them (values), or
by Newton's method (policies), which needs fewer steps.
"""

from __future__ import annotations

from math import comb
from time import perf_counter
from typing import Any

import numpy as np
from numba import njit

Numbers = np.ndarray[Any, np.dtype[np.float64]]

STEPS = 100_000
"""More than any pair of positions needs."""
CUP = 10
"""Dice of Toss Up!"""
TAIL = 1e-12
"""Games longer than this chance allows are left out of the thresholds' matrix."""


def pig(target: int = 100, error: float = 1e-9, policies: bool = False) -> float:
    """Chance of the first player when both play Pig as well as can be; the table is not used."""
    agree = agree_by_policies if policies else agree_by_values
    return float(solve(pig_turn, agree, np.zeros((1, 1)), target, error)[0, 0])


def toss_up(target: int = 100, error: float = 1e-9, policies: bool = False) -> float:
    """Chance of the first player when both play Toss Up! as well as can be."""
    agree = agree_by_policies if policies else agree_by_values
    return float(solve(toss_up_turn, agree, cups(), target, error)[0, 0])


def thresholds(target: int = 100, most: int = 100) -> Numbers:
    """Chance of the first player who banks with more than `row` points, against `column`; short by TAIL at the most.

    Turns do not depend on the other's score, so the two numbers of turns are independent: the first wins if it needs no
    more turns than the second.
    """
    unfinished = [still_playing(turn_law(cups(), over), target, TAIL) for over in range(most + 1)]
    after = np.zeros((most + 1, max(map(len, unfinished)) + 1))  # chance that n turns were not enough
    for row, chances in zip(after, unfinished, strict=True):
        row[: len(chances)] = chances
    ends_now = after[:, :-1] - after[:, 1:]
    return ends_now @ after[:, :-1].T


# Two players, layer by layer ------------------------------------------------------------------------------------------


@njit
def solve(turn, agree, table, target, error):
    """Chance to win of who is to move with i points while the other has j, to within `error`.

    From any position the play goes up to a higher layer sooner or later, so that errors of layers at most add up.
    Errors below 1e-12 are more than floating point gives.
    """
    win = np.empty((target, target))
    for total in range(2 * target - 2, -1, -1):
        for i in range(max(0, total - target + 1), total // 2 + 1):
            j = total - i
            win[i, j], win[j, i] = agree(turn, win, table, i, j, error / (2 * target))
    return win


@njit
def agree_by_values(turn, win, table, i, j, error):
    """The chances of (i, j) and (j, i), back and forth until what is still to come is less than the error."""
    second = 0.5
    for _ in range(STEPS):
        before = second
        first, lost = turn(win, table, i, j, 1 - second)
        second, lost_too = turn(win, table, j, i, 1 - first)
        if abs(second - before) <= error * (1 - lost * lost_too):
            return first, second
    raise ArithmeticError("two positions do not come to agree")


@njit
def agree_by_policies(turn, win, table, i, j, error):
    """The same by Newton: the chances if both went on with the decisions that are best now, until these stay."""
    first = second = 0.5
    for _ in range(STEPS):
        value, lost = turn(win, table, i, j, 1 - second)
        value_too, lost_too = turn(win, table, j, i, 1 - first)
        if max(abs(value - first), abs(value_too - second)) <= error * (1 - lost * lost_too) / 2:
            return value, value_too
        both = value - lost * (value_too - second) - lost * lost_too * first
        second_now = value_too + lost_too * (first - both / (1 - lost * lost_too))
        first, second = both / (1 - lost * lost_too), second_now
    raise ArithmeticError("two positions do not come to agree")


# What a turn is worth, and how likely it is lost, if losing it is worth `bust` ----------------------------------------


@njit
def pig_turn(win, table, i, j, bust):
    """At least one roll; then hold or roll on, whichever is better; hold as soon as that wins."""
    enough = win.shape[0] - i
    worth, lost = np.ones(enough + 6), np.zeros(enough + 6)  # with so many points in the turn
    for points in range(enough - 1, -1, -1):
        rolled, slope = bust, 1.0
        for face in range(2, 7):
            rolled += worth[points + face]
            slope += lost[points + face]
        worth[points], lost[points] = rolled / 6, slope / 6
        if points > 0 and 1 - win[j, i + points] >= worth[points]:
            worth[points], lost[points] = 1 - win[j, i + points], 0.0
    return worth[0], lost[0]


@njit
def toss_up_turn(win, cup, i, j, bust):
    """At least one roll; only yellows leave everything as it was, so that rolling on means: until something happens."""
    enough = win.shape[0] - i
    worth, lost = np.ones(enough + CUP), np.zeros(enough + CUP)
    for points in range(enough - 1, 0, -1):
        worth[points], lost[points] = roll(cup, worth, lost, points, bust)
        if 1 - win[j, i + points] >= worth[points]:
            worth[points], lost[points] = 1 - win[j, i + points], 0.0
    rolled, slope = roll(cup, worth, lost, 0, bust)
    if bust > rolled:  # only yellows on the first roll: bank nothing, which is worth what a bust is
        yellows = 3.0**-CUP
        return yellows * bust + (1 - yellows) * rolled, yellows + (1 - yellows) * slope
    return rolled, slope


@njit
def roll(cup, worth, lost, points, bust):
    """What it is worth to roll until not all are yellow, and how likely the turn is lost in the end."""
    dice = CUP - points % CUP
    rolled, slope = cup[dice, 0] * bust, cup[dice, 0]
    for greens in range(1, dice + 1):
        rolled += cup[dice, greens] * worth[points + greens]
        slope += cup[dice, greens] * lost[points + greens]
    return rolled, slope


def cups() -> Numbers:
    """Chance of each number of greens (0: a bust) for each number of dice, given that not all are yellow."""
    cup = np.zeros((CUP + 1, CUP + 1))
    for dice in range(1, CUP + 1):
        cup[dice, : dice + 1] = [comb(dice, greens) * 0.5**dice for greens in range(dice + 1)]
        cup[dice, 0] -= 3.0**-dice
        cup[dice] /= 1 - 3.0**-dice
    return cup


# Toss Up! with a threshold --------------------------------------------------------------------------------------------


@njit
def turn_law(cup, over):
    """Chance of each number of points that a turn banks, if it goes on until it has more than `over`; 0: a bust."""
    reached = np.zeros(over + CUP + 1)
    reached[0] = 1.0
    busts = 0.0
    for points in range(over + 1):
        dice = CUP - points % CUP
        busts += reached[points] * cup[dice, 0]
        for greens in range(1, dice + 1):
            reached[points + greens] += reached[points] * cup[dice, greens]
    reached[: over + 1] = 0.0
    reached[0] = busts
    return reached


@njit
def still_playing(law, target, tail):
    """Chance that 0, 1, 2, ... turns are not enough for the target, as long as there is more than the tail."""
    scores = np.zeros(target)
    scores[0] = 1.0
    least = 1 + np.argmax(law[1:] > 0)
    chances = [1.0]
    while chances[-1] > tail:
        for score in range(target - 1, -1, -1):
            chance = law[0] * scores[score]
            for points in range(least, min(score + 1, len(law))):
                chance += law[points] * scores[score - points]
            scores[score] = chance
        chances.append(scores.sum())
    return np.array(chances)


def main() -> None:
    """Each answer and the seconds it takes, the best of three after a first call."""
    answers = {
        "Pig": pig,
        "Pig, by policies": lambda: pig(policies=True),
        "Toss Up!": toss_up,
        "Toss Up!, by policies": lambda: toss_up(policies=True),
        "Toss Up!, thresholds 20 and 50": lambda: thresholds()[20, 50],
    }
    for title, answer in answers.items():
        answer()
        taken = []
        for _ in range(3):
            began = perf_counter()
            result = answer()
            taken.append(perf_counter() - began)
        print(f"{title:32}{result:.15f}{min(taken):9.4f} s")


if __name__ == "__main__":
    main()
