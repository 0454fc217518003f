"""Known values of games, by programs of their own, and tests of samples against them."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import product
from math import comb

import numpy as np


def moments_of(probabilities):
    mean = sum(value * p for value, p in probabilities.items())
    return mean, sum(value * value * p for value, p in probabilities.items()) - mean * mean


TOTALS = {total: Fraction(6 - abs(total - 7), 36) for total in range(2, 13)}


WINS_AT_ONCE = {5: {5}, 6: {6, 12}, 7: {7, 11}, 8: {8, 12}, 9: {9}}  # of the come-out roll, by main


@cache
def round_of(main):
    """Chance to win a round of Hazard; mean and variance of its throws. The pass line is the round with main 7."""
    win = once = twice = Fraction(0)
    for total, p in TOTALS.items():
        if total in WINS_AT_ONCE[main] or total in {2, 3, 11, 12}:
            win += p * (total in WINS_AT_ONCE[main])
            once += p
            twice += p
        else:
            decided = TOTALS[total] + TOTALS[main]  # of every further throw: their number is geometric
            win += p * TOTALS[total] / decided
            once += p * (1 + 1 / decided)
            twice += p * (1 + 2 / decided + (2 - decided) / decided**2)
    return win, once, twice - once**2


@cache
def lcr_exactly(players, coins=3, dice=3):
    """Chance of each seat; mean and variance of turns, and of turns with dice: absorbing Markov chain of all states."""
    moves = {n: Counter() for n in range(1, dice + 1)}
    for n, table in moves.items():
        for faces in product("LCR...", repeat=n):
            table["".join(sorted(faces)).replace(".", "")] += 1 / 6**n

    def after(holds, seat):
        following = (seat + 1) % players
        if holds[seat] == 0:
            return {(holds, following): 1.0}
        table = Counter()
        for faces, p in moves[min(holds[seat], dice)].items():
            new = list(holds)
            new[seat] -= len(faces)
            new[(seat - 1) % players] += faces.count("L")
            new[(seat + 1) % players] += faces.count("R")
            table[tuple(new), following] += p
        return table

    def over(holds):
        return sum(n > 0 for n in holds) == 1

    start = ((coins,) * players, 0)
    edges, waiting = {}, [start]
    while waiting:
        state = waiting.pop()
        if state not in edges and not over(state[0]):
            edges[state] = after(*state)
            waiting += edges[state]
    number = {state: i for i, state in enumerate(edges)}
    among, wins = np.zeros((len(edges), len(edges))), np.zeros((len(edges), players))
    for state, i in number.items():
        for following, p in edges[state].items():
            if following in number:
                among[i, number[following]] += p
            else:
                wins[i, [n > 0 for n in following[0]].index(True)] += p
    gain = np.array([[1.0, float(holds[seat] > 0)] for holds, seat in edges])  # a turn; a turn with dice
    solve = np.linalg.inv(np.eye(len(edges)) - among)
    mean = solve @ gain
    square = solve @ (gain * gain + 2 * gain * (among @ mean))
    first = number[start]
    return (solve @ wins)[first], mean[first], (square - mean * mean)[first]


def turns_needed(turn, target):
    """Distribution of the turns until `target`; `turn(score)` is the distribution of the points of a turn."""
    needed, scores, n = {}, {0: 1.0}, 0
    while sum(scores.values()) > 1e-14:
        n, after, needed[n + 1] = n + 1, Counter(), 0.0
        for score, p in scores.items():
            for points, q in turn(score).items():
                if score + points >= target:
                    needed[n] += p * q
                else:
                    after[score + points] += p * q
        scores = after
    return needed


def race(first, second):
    """Chance of who begins, and distribution of the turns of both together."""
    both = {(a, b): p * q for a, p in first.items() for b, q in second.items()}
    turns = Counter()
    for (a, b), p in both.items():
        turns[2 * a - 1 if a <= b else 2 * b] += p
    return sum(p for (a, b), p in both.items() if a <= b), turns


def toss_up_turn(banks):
    """Distribution of the points of a turn by the rules of the text, ten dice; `banks` says where the player stops."""
    ends, rolling = Counter(), {0: 1.0}
    while rolling:
        points = min(rolling)
        p, n = rolling.pop(points), 10 - points % 10
        again = 3.0**-n  # all yellow: the same dice are rolled again
        ends[0] += p * (2.0**-n - again) / (1 - again)
        for greens in range(1, n + 1):
            to = ends if banks(points + greens) else rolling
            to[points + greens] = to.get(points + greens, 0) + p * comb(n, greens) / 2**n / (1 - again)
    return ends


@cache
def toss_up_needs(strategy, target):
    """Turns that a strategy needs; the one roll banks every green it shows, which may be none."""
    name, _, limit = strategy.partition(":")
    if name == "one_roll":
        turn = {greens: comb(10, greens) / 2**10 for greens in range(11)}
        return turns_needed(lambda score: turn, target)
    turn = cache(lambda wins: toss_up_turn(lambda points: points > int(limit) or points >= wins))
    if name == "bank_over":
        return turns_needed(lambda score: turn(10**9), target)
    return turns_needed(lambda score: turn(target - score), target)


@cache
def pig_turn(enough):
    """Distribution of the points of a turn that is held at `enough`; 0 when it is lost."""
    ends, rolling = Counter(), {0: 1.0}
    while rolling:
        points = min(rolling)
        p = rolling.pop(points)
        ends[0] += p / 6
        for face in range(2, 7):
            to = ends if points + face >= enough else rolling
            to[points + face] = to.get(points + face, 0) + p / 6
    return ends
