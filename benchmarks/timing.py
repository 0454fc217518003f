"""Games per second: every contender is checked first; then all are timed in turn, and the best of some turns counts.

Best, because other work on the machine only ever slows; in turn, so that it slows all alike. Contenders that use one
core are timed by processor time, of which other work takes less than of the clock's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import sqrt
from time import perf_counter, thread_time

Contender = Callable[[int], tuple[float, float]]
"""Plays so many games; seconds, and what the games came to (games won, or money)."""

TURNS = 7
SECONDS = 0.3
"""How long a turn takes, about."""
MOST_ERRORS = 4


@dataclass(frozen=True)
class Truth:
    """What a game comes to: mean and standard deviation; and the standard error of the mean, where it is simulated."""

    mean: float
    sd: float
    error: float = 0.0


def timed(play: Callable[[int], float], clock: Callable[[], float] = perf_counter) -> Contender:
    """A contender from a function of this process, which returns what the games came to."""

    def contender(games: int) -> tuple[float, float]:
        began = clock()
        result = play(games)
        return clock() - began, result

    return contender


def timed_alone(play: Callable[[int], float]) -> Contender:
    """A contender that uses no other thread, timed by the processor time of this one."""
    return timed(play, thread_time)


def enough(play: Contender) -> int:
    """Games that fill a turn."""
    games = 500
    while (seconds := play(games)[0]) < SECONDS / 4:
        games *= 4
    return int(games * SECONDS / seconds)


def check(name: str, play: Contender, games: int, truth: Truth) -> None:
    """Stop everything where a contender plays another game."""
    mean = play(games)[1] / games
    errors = (mean - truth.mean) / sqrt(truth.sd**2 / games + truth.error**2)
    if abs(errors) > MOST_ERRORS:
        raise SystemExit(
            f"{name}: {mean:.5f} in {games:,} games, but {truth.mean:.5f} is right: {errors:+.1f} errors off"
        )


def rates(game: str, contenders: Mapping[str, Contender], truth: Truth) -> dict[str, float]:
    """Games per second of each contender."""
    games = {name: enough(play) for name, play in contenders.items()}
    for name, play in contenders.items():
        check(f"{game}, {name}", play, 3 * games[name], truth)
    return best(contenders, games)


def best(contenders: Mapping[str, Contender], games: Mapping[str, int], turns: int = TURNS) -> dict[str, float]:
    """Games per second in the best turn of each."""
    found = dict.fromkeys(contenders, 0.0)
    for _ in range(turns):
        for name, play in contenders.items():
            found[name] = max(found[name], games[name] / play(games[name])[0])
    return found
