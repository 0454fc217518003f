"""Pupils with identical counts: who they are, and how probable it is that independent simulations agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, exp, lgamma, log

import numpy as np
from scipy.signal import fftconvolve
from scipy.stats import poisson

from dicelab.questions.judging.class_file import Pupil

MOST_GAMES = 2_000_000
"""Maximum number of games of a pupil for which the probability is computed."""

CHANCE = 0.05
"""Probability by chance, below which identical counts are taken for those of the same games."""


@dataclass(frozen=True)
class Copies:
    """Pupils with identical counts, though they have no seed in common.

    Attributes
    ----------
    names, counts, games
        The pupils, their counts in the order of the outcomes, and the number of games of each.
    seeds
        ``different``, or ``not given`` (of one of them at least).
    game_by_game
        Whether every single game of theirs ended alike, in the same order.
    chance
        Probability that so many pupils, with the same number of games, agree by chance; None with too many games.
    anywhere
        Upper bound on the probability that some so many pupils of this class agree by chance; None likewise.

    Examples
    --------
    >>> round(agreement(1000, [0.5, 0.5], 2), 4)
    0.0178
    """

    names: list[str]
    counts: list[int]
    games: int
    seeds: str
    game_by_game: bool
    chance: float | None
    anywhere: float | None

    @property
    def words(self) -> str:
        """What was found, as a sentence."""
        who = f"{', '.join(self.names[:-1])} and {self.names[-1]}"
        what = "every game of theirs ended alike" if self.game_by_game else "they have the same counts"
        seeds = "though their seeds differ" if self.seeds == "different" else "and not all of their seeds are given"
        first = f"{who}: {what} ({', '.join(f'{count:,}' for count in self.counts)}), {seeds}"
        if self.chance is None or self.anywhere is None:
            return first
        many = "two" if len(self.names) == 2 else str(len(self.names))
        how = "in games counted by outcome, " if self.game_by_game else ""
        return (
            f"{first}; {how}{many} pupils with {self.games:,} games agree by chance with probability "
            f"{self.chance:.2g}, some {many} of this class with at most {self.anywhere:.2g}"
        )


def agreement(games: int, chances: Sequence[float], pupils: int) -> float:
    """Probability that independent simulations have the same counts: the sum over all counts of their probability to
    the power of the number of pupils.

    A multinomial probability is a product of Poisson probabilities, divided by the Poisson probability of the total, so
    the sum is a convolution.

    >>> round(agreement(1, [0.5, 0.5], 2), 9), round(agreement(2, [0.25, 0.75], 2) * 256, 9)  # 1 + 36 + 81
    (0.5, 118.0)
    """
    lines = []
    for chance in chances:
        if chance > 0:
            lines.append(poisson.pmf(np.arange(games + 1), games * chance) ** pupils)
    total = lines[0]
    for line in lines[1:]:
        total = (np.convolve if games <= 2_000 else fftconvolve)(total, line)[: games + 1]
    whole = exp(-games + games * log(games) - lgamma(games + 1))  # of the total
    return min(1.0, float(total[games]) / whole**pupils)


def copies_in(pupils: Sequence[Pupil], chances: Sequence[float]) -> list[Copies]:
    """Return the groups of pupils with identical counts and without a common seed, in the order of the table."""
    groups: dict[tuple[int, ...], list[Pupil]] = {}
    for pupil in pupils:
        if pupil.sample.counts is not None:
            groups.setdefault(pupil.sample.counts, []).append(pupil)
    rows = []
    for counts, group in groups.items():
        alone = _without_common_seed(group)
        if len(alone) < 2:
            continue
        games, many = sum(counts), len(alone)
        chance = agreement(games, chances, many) if games <= MOST_GAMES else None
        anywhere = None if chance is None else _anywhere(pupils, games, many, chance)
        given = all(pupil.seed for pupil in alone)
        courses = {pupil.course for pupil in alone}
        names = [pupil.name for pupil in alone]
        alike = len(courses) == 1 and courses != {()}
        rows.append(Copies(names, list(counts), games, "different" if given else "not given", alike, chance, anywhere))
    return rows


def repeated(pupils: Sequence[Pupil], chances: Sequence[float]) -> set[str]:
    """Return the pupils whose games, with identical counts, can hardly be others than those of a pupil before them.

    Pupils with few games agree by chance; leaving such counts out would bias what is pooled.
    """
    groups: dict[tuple[object, ...], list[Pupil]] = {}
    for pupil in pupils:
        if pupil.sample.counts is not None:
            groups.setdefault((pupil.sample.counts, pupil.course), []).append(pupil)
    names = set[str]()
    for (first, *others), games in ((group, group[0].sample.games) for group in groups.values()):
        if not others:
            continue
        many = 1 + len(others)
        if first.course:
            chance = sum(p**many for p in chances) ** games
        else:
            chance = agreement(games, chances, many) if games <= MOST_GAMES else 0.0
        if _anywhere(pupils, games, many, chance) < CHANCE:
            names |= {pupil.name for pupil in others}
    return names


def _without_common_seed(group: Sequence[Pupil]) -> list[Pupil]:
    """Return one pupil for each seed, and all pupils without one: same seeds explain same counts."""
    seen, kept = set[str](), []
    for pupil in group:
        if not pupil.seed or pupil.seed not in seen:
            kept.append(pupil)
            seen.add(pupil.seed)
    return kept


def _anywhere(pupils: Sequence[Pupil], games: int, many: int, chance: float) -> float:
    """Bound on the probability that some so many of the pupils with this number of games agree."""
    same = sum(pupil.sample.counts is not None and pupil.sample.games == games for pupil in pupils)
    return min(1.0, comb(same, many) * chance)
