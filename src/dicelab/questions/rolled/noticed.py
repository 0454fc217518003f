"""What so many rolls would notice four times out of five: a face, dice that go together, a die that repeats itself.

By itself because it needs NumPy and SciPy, which `dicelab.questions.rolled.fair` must not import: it declares the
question.
"""

from __future__ import annotations

import numpy as np
from scipy import optimize, stats

from dicelab.questions.judging.goodness import LEVEL, POWER, noticeable_chance
from dicelab.questions.rolled.checks import LIMITS
from dicelab.questions.rolled.rolls import Rolls
from dicelab.runtime.arrays import Floats

FILES = 4000
"""Files of rolls simulated for each probability that is tried, at most."""
CELLS = 1_000_000
"""Limit of the cells in the tables of all files."""
MOST_CELLS = 4000
"""Limit of the cells in the tables of one file."""
MANY = 1000
"""Rolls of single dice from which on the number of repeats is close to binomial."""
SEED = 44
"""Seed of the files: the same rolls have the same answer."""


def noticeable_face(rolls: Rolls, tests: int) -> tuple[int, float] | None:
    """Return the value whose probability is largest, and to what it must rise to be noticed four times out of five.

    The others keep their proportions. None where even a die that always shows this value would not be noticed.

    Parameters
    ----------
    tests
        Number of tests that share the level of 0.05.
    """
    chances = [float(p) for p in rolls.chances]
    at = int(np.argmax(chances))
    chance = noticeable_chance(chances, at, rolls.number, tests)
    return None if chance is None else (rolls.faces[at], chance)


def same(rolls: Rolls) -> float:
    """Return the probability that two fair dice show the same."""
    return float(sum(p * p for p in rolls.chances))


def noticeable_repeats(rolls: Rolls, tests: int) -> float | None:
    """Return the share of rolls that repeat the roll before, of each die, which is noticed four times out of five.

    Each die sometimes copies what it showed before. Of few rolls the power of the test is simulated, because such rolls
    also have more of some faces than of others, which the test allows for; of many it is binomial.
    """
    if rolls.rows is None or len(rolls.rows) < 3:
        return None
    (number, dice), chance, level = rolls.rows.shape, same(rolls), LEVEL / tests
    if number * dice > MANY:
        return noticeable_chance([chance, 1 - chance], 0, (number - 1) * dice, tests)
    limit = float(np.quantile(_repeated(rolls, 0.0, 4), 1 - level / 2, method="higher"))

    def noticed(copied: float) -> float:
        return float((_repeated(rolls, copied) > limit).mean()) - POWER

    enough = next(
        (part for part in np.arange(1, 10) / 10 if noticed(part) >= 0), None
    )  # one that only copies isn't noticed
    if enough is None:
        return None
    copied = float(optimize.brentq(noticed, 0.0, enough, xtol=1e-4))
    return copied + (1 - copied) * chance


def _repeated(rolls: Rolls, copied: float, times: int = 1) -> Floats:
    """Return, by simulated file, how far the number of repeats is from that of shuffled rolls, in standard deviations.

    The variance is that of the number of runs (D. E. Barton and F. N. David, Biometrika 44, 1957, p. 168-178).

    Parameters
    ----------
    copied
        Probability that a die copies what it showed before.
    times
        There are so many times the usual number of files.
    """
    assert rolls.rows is not None
    (number, dice), random = rolls.rows.shape, np.random.default_rng(SEED)
    shape = times * min(FILES, CELLS // (number * dice)), dice, number
    fresh = random.choice(len(rolls.faces), p=[float(p) for p in rolls.chances], size=shape)
    last = np.where(random.random(shape) < copied, 0, np.arange(number))
    shown = np.take_along_axis(fresh, np.maximum.accumulate(last, axis=2), axis=2)
    faces, dies = len(rolls.faces), np.arange(shape[0] * dice).reshape(-1, dice, 1)
    counts = np.bincount((dies * faces + shown).ravel(), minlength=dies.size * faces).reshape(-1, dice, faces)
    two, three = (counts.astype(float) ** 2).sum(axis=2), (counts.astype(float) ** 3).sum(axis=2)
    variance = (two * (two + number * (number + 1)) - 2 * number * three - number**3) / (number**2 * (number - 1))
    apart = (shown[:, :, 1:] == shown[:, :, :-1]).sum(axis=(1, 2)) - (two / number - 1).sum(axis=1)
    return np.asarray(apart / np.sqrt(np.maximum(variance.sum(axis=1), 1e-9)))


def cells_of_pairs(rolls: Rolls) -> int:
    """Return the number of cells in the tables of all pairs of dice."""
    return rolls.dice * (rolls.dice - 1) // 2 * len(rolls.faces) ** 2


def noticeable_pairs(rolls: Rolls, tests: int) -> float | None:
    """Return the share of rolls in which two of the dice show the same that is noticed four times out of five.

    One of the two sometimes copies the other. The power of the test of pairs is simulated, always with the same random
    numbers. None where not even dice that always show the same are noticed, and where the tables are too large.
    """
    if rolls.rows is None or rolls.dice < 2 or cells_of_pairs(rolls) > MOST_CELLS:
        return None
    number, fair = len(rolls.rows), np.array([float(p) for p in rolls.chances])
    faces, pairs = len(fair), rolls.dice * (rolls.dice - 1) // 2
    files, apart = min(FILES, CELLS // (pairs * faces**2)), np.outer(fair, fair)
    random = np.random.default_rng(SEED)
    others = sum((_squares(random, apart, number, files) for _ in range(pairs - 1)), np.zeros(files))

    def squares(copied: float) -> Floats:
        law = copied * np.diag(fair) + (1 - copied) * apart
        return others + _squares(np.random.default_rng(SEED + 1), law, number, files)

    level, many = LEVEL / tests, number * float(fair.min()) ** 2 >= LIMITS.in_table
    limit = stats.chi2.isf(level, pairs * (faces - 1) ** 2) if many else np.quantile(squares(0.0), 1 - level)

    def noticed(copied: float) -> float:
        return float((squares(copied) > limit).mean()) - POWER

    if noticed(1.0) < 0:
        return None
    copied = float(optimize.brentq(noticed, 0.0, 1.0, xtol=1e-4))
    return copied + (1 - copied) * same(rolls)


def _squares(random: np.random.Generator, law: Floats, number: int, files: int) -> Floats:
    """Return the chi-square statistics of the tables of pairs in so many files of rolls."""
    tables = random.multinomial(number, law.ravel() / law.sum(), size=files).reshape(files, *law.shape)
    expected = tables.sum(axis=2)[:, :, None] * tables.sum(axis=1)[:, None, :] / number
    found: Floats = np.divide((tables - expected) ** 2, expected, out=np.zeros(expected.shape), where=expected > 0)
    return np.asarray(found.sum(axis=(1, 2)))
