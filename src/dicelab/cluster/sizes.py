"""How many games a worker is given at a time: more and more, until the time between them hardly matters."""

from __future__ import annotations

FIRST_GAMES = 256
FIRST_SECONDS, MOST_SECONDS = 0.1, 10.0
"""Time that the games given at a time should take, at first and at most. What is being played when a command is
interrupted, or a worker is killed, is lost."""
OVERHEAD = 0.01
"""Share of a worker's time between two ranges of games below which they are large enough. With the shorter ranges at
the beginning, at the end and where precision is checked, the share in a long run is below 0.02."""
SAMPLE = 12
"""Number of ranges of one size after which the overhead is judged."""
GROWTH = 4
"""Limit on the growth of a range, compared with the one before it on the same worker."""


class Sizes:
    """Chooses the size of ranges, from the times that workers report.

    >>> sizes = Sizes()
    >>> sizes.of("a")
    256
    >>> sizes.played("a", 256, 0.001, 0.002)
    >>> sizes.of("a")
    1024
    >>> for _ in range(12):
    ...     sizes.played("a", 25_600, 0.1, 0.003)
    >>> sizes.seconds
    0.2
    """

    def __init__(self, most_games: int = 2**62) -> None:
        self.most_games = most_games
        self.seconds = FIRST_SECONDS
        self.spent = self.waited = 0.0
        """Seconds that all workers have played, and for which their threads have waited between two ranges."""
        self._sample: list[tuple[float, float]] = []
        self._next: dict[str, int] = {}
        self._rates: dict[str, float] = {}

    def of(self, worker: str) -> int:
        """Number of games for a worker."""
        return self._next.get(worker, FIRST_GAMES)

    def least(self, worker: str) -> int:
        """Number of games below which the last ones are not divided among workers."""
        return max(FIRST_GAMES, int(self._rates.get(worker, 0.0) * FIRST_SECONDS / 4))

    def played(self, worker: str, games: int, seconds: float, waited: float) -> None:
        """A thread of a worker has played so many games, after waiting for them."""
        self.spent += seconds
        self.waited += waited
        seconds = max(seconds, 1e-6)
        rate = self._rates[worker] = games / seconds
        if games < self.of(worker) and seconds < self.seconds:
            return  # it was cut short
        self._next[worker] = max(1, min(self.most_games, int(rate * self.seconds), GROWTH * games))
        if seconds >= self.seconds / 2:  # else larger ones are on their way
            self._sample.append((seconds, waited))
        if len(self._sample) == SAMPLE:
            spent, waits = (sum(column) for column in zip(*self._sample, strict=True))
            self._sample.clear()
            if waits > OVERHEAD * (spent + waits):
                self.seconds = min(MOST_SECONDS, 2 * self.seconds)
