"""The games in NumPy: a batch at a time, each step taken by all games of the batch that are not over.

What was found to be quickest: SFC64, small unsigned integers, look-ups by `take`, `compress` rather than an index of
booleans, and batches as large as the processor's cache still holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import cycle
from math import comb
from typing import Any

import numpy as np

Numbers = np.ndarray[Any, np.dtype[Any]]
RANDOM = np.random.Generator(np.random.SFC64(1))


def batches(games: int, size: int) -> Iterator[int]:
    """The sizes of the batches that make up so many games."""
    for begin in range(0, games, size):
        yield min(size, games - begin)


# Hazard, and the pass line of craps -----------------------------------------------------------------------------------

TOTALS = np.array([2 + i // 6 + i % 6 for i in range(36)], np.uint8)


def throws(count: int) -> Numbers:
    return TOTALS.take(RANDOM.integers(36, size=count, dtype=np.uint16))


def hazard(games: int, main: int) -> int:
    """Rounds that the caster wins."""
    if main == 5:
        return rounds(games, 5, (5,), (2, 3, 11, 12))
    assert main == 7
    return pass_line(games)


def pass_line(games: int) -> int:
    """Bets on the pass line that win."""
    return rounds(games, 7, (7, 11), (2, 3, 12))


def rounds(games: int, main: int, winning: tuple[int, ...], losing: tuple[int, ...]) -> int:
    wins, stands = np.zeros(13, bool), np.ones(13, bool)
    wins[list(winning)] = True
    stands[list(winning + losing)] = False
    won = 0
    for size in batches(games, 2**18):
        come_out = throws(size)
        won += np.count_nonzero(wins.take(come_out))
        chance = come_out.compress(stands.take(come_out))
        while chance.size:
            total = throws(chance.size)
            made = total == chance
            won += np.count_nonzero(made)
            chance = chance.compress(~(made | (total == main)))
    return won


# Toss Up! and Pig -----------------------------------------------------------------------------------------------------

Turn = Callable[[Numbers], Numbers]
"""The points that the players who have these scores make in a turn."""


def won_by_the_first(games: int, turns: tuple[Turn, Turn]) -> int:
    """Games to 100 points that seat 0 wins; in a batch it is the same seat's turn in all games."""
    won = 0
    for size in batches(games, 2**16):
        scores = np.zeros((2, size), np.int16)
        for player in cycle((0, 1)):
            scores[player] += turns[player](scores[player])
            on = scores[player] < 100
            if player == 0:
                won += on.size - np.count_nonzero(on)
            scores = scores.compress(on, axis=1)
            if scores.size == 0:
                break
    return won


def pig(games: int, hold_at: int) -> int:
    """Games of Pig that seat 0 wins when both hold at so many points."""

    def turn(scores: Numbers) -> Numbers:
        made, points = np.zeros_like(scores), np.zeros_like(scores)
        who, enough = np.arange(scores.size, dtype=np.uint16), np.minimum(hold_at, 100 - scores)
        while who.size:
            face = RANDOM.integers(1, 7, size=who.size, dtype=np.uint16).view(np.int16)
            points += face
            safe, held = face != 1, points >= enough
            made[who.compress(safe & held)] = points.compress(safe & held)
            on = safe & ~held
            who, points, enough = who.compress(on), points.compress(on), enough.compress(on)
        return made

    return won_by_the_first(games, (turn, turn))


LOST = 15
"""What a cup's table says instead of a number of greens where the turn is lost."""


@cache
def cups() -> tuple[Numbers, Numbers, Numbers]:
    """Alias tables (Walker) of the greens thrown with 0 to 10 dice, sixteen cells each."""
    # Of a cell, `share` belongs to `greens`, and the rest to `other`.
    share, greens, other = np.ones((11, 16)), np.zeros((11, 16), np.int16), np.zeros((11, 16), np.int16)
    for dice in range(1, 11):
        chances = {LOST: (1 / 2) ** dice - (1 / 3) ** dice, 0: (1 / 3) ** dice}
        chances |= {some: comb(dice, some) * (1 / 2) ** dice for some in range(1, dice + 1)}
        cells = [[16 * chances.get(some, 0.0), some] for some in range(16)]
        for cell in range(16):
            cells.sort()
            share[dice, cell], greens[dice, cell] = cells.pop(0)
            if cells:
                other[dice, cell] = cells[-1][1]
                cells[-1][0] -= 1 - share[dice, cell]
    return share.ravel(), greens.ravel(), other.ravel()


def tossup(games: int, first: int, second: int) -> int:
    """Games of Toss Up! that seat 0 wins; each banks with more than so many points."""

    def turn(scores: Numbers, more_than: int) -> Numbers:
        made, points = np.zeros_like(scores), np.zeros_like(scores)
        who = np.arange(scores.size, dtype=np.uint16)
        while who.size:
            new = throw_cup(10 - points % 10)
            points += new
            safe, banked = new != LOST, points > more_than
            made[who.compress(safe & banked)] = points.compress(safe & banked)
            on = safe & ~banked
            who, points = who.compress(on), points.compress(on)
        return made

    return won_by_the_first(games, (lambda scores: turn(scores, first), lambda scores: turn(scores, second)))


def throw_cup(dice: Numbers) -> Numbers:
    """The greens of a throw, or LOST."""
    share, greens, other = cups()
    drawn = RANDOM.random(dice.size) * 16
    column = drawn.astype(np.int16)
    cell = dice * 16 + column
    return np.where(drawn - column < share.take(cell), greens.take(cell), other.take(cell))


# LCR ------------------------------------------------------------------------------------------------------------------


@cache
def moves() -> Numbers:
    """Coins to the left, to the right, and given away altogether: for 0 to 3 dice, each of 216 throws."""
    faces = np.stack(np.unravel_index(np.arange(216), (6, 6, 6)))
    lefts, rights, centers = (np.concatenate([(faces[:n] == face).sum(0) for n in range(4)]) for face in range(3))
    return np.stack([lefts, rights, lefts + rights + centers]).astype(np.uint8)


def lcr(games: int, players: int) -> int:
    """Games of LCR that seat 0 wins; in a batch it is the same seat's turn in all games, as in the text."""
    return sum(lcr_batch(size, players) for size in batches(games, 2**17))


def lcr_batch(games: int, players: int) -> int:
    """As `lcr`; games that are over stand still, and are put away when they are a quarter of all."""
    lefts, rights, given = moves()
    coins, owners, on = np.full((players, games), 3, np.uint8), np.full(games, players, np.uint8), np.ones(games, bool)
    won = 0
    for player in cycle(range(players)):
        own = coins[player]
        dice = np.minimum(own, 3) * on
        cell = dice * np.uint16(216) + RANDOM.integers(216, size=own.size, dtype=np.uint16)
        for neighbour, new in ((player - 1, lefts.take(cell)), ((player + 1) % players, rights.take(cell))):
            owners += (coins[neighbour] == 0) & (new > 0)
            coins[neighbour] += new
        own -= given.take(cell)
        owners -= (dice > 0) & (own == 0)
        on = owners > 1
        still = np.count_nonzero(on)
        if still < 0.75 * on.size:
            won += np.count_nonzero(coins[0].compress(~on))
            if not still:
                return won
            coins, owners, on = coins.compress(on, axis=1), owners.compress(on), on.compress(on)
    raise AssertionError
