"""Which games are still to be played, and the totals that have arrived before those of the games ahead of them."""

from __future__ import annotations

from collections.abc import Iterator

from dicelab.runtime.lineup import look_after
from dicelab.runtime.totals import Tallied

Range = tuple[int, int]
"""Games `low` to ``high - 1``."""


class Ranges:
    """Games `low` to ``high - 1``, handed out in ranges, some of them more than once; their totals in order.

    No range crosses a number of games after which a precision is checked, as in `dicelab.runtime.scheduler`.

    >>> ranges = Ranges(0, 900)
    >>> one, other = ranges.take(500), ranges.take(500)
    >>> one, other, ranges.take(500)
    ((0, 500), (500, 900), None)
    >>> ranges.give_back(one)
    >>> ranges.take(200)
    (0, 500)
    """

    def __init__(self, low: int, high: int) -> None:
        self.next, self.high = low, high
        self.low = low
        """The first game whose totals have not been taken by `in_order`."""
        self._again: list[Range] = []
        self._arrived: dict[int, tuple[int, Tallied | Exception]] = {}

    @property
    def left(self) -> int:
        """Number of games that nobody plays yet."""
        return self.high - self.next + sum(high - low for low, high in self._again)

    @property
    def held(self) -> int:
        """Number of ranges whose totals wait for those of earlier games."""
        return len(self._arrived)

    @property
    def complete(self) -> bool:
        """Whether all totals have been taken."""
        return self.low == self.high

    def take(self, size: int, more: bool = True) -> Range | None:
        """A range that was taken back, unchanged, or else the next one, of at most `size` games, with `more`.

        None if there is none.
        """
        if self._again:
            return self._again.pop()
        if self.next == self.high or not more:
            return None
        low, self.next = self.next, min(self.high, self.next + size, look_after(self.next))
        return low, self.next

    def give_back(self, games: Range) -> None:
        """Take back a range that its worker will not play."""
        self._again.append(games)
        self._again.sort(reverse=True)  # the first games first: all others wait for them

    def arrived(self, games: Range, total: Tallied | Exception) -> None:
        """The totals of a range, or the error that playing it has raised."""
        self._arrived[games[0]] = games[1], total

    def in_order(self) -> Iterator[Tallied]:
        """The totals that have arrived and follow on what was taken before, each once.

        An error is raised when it is its turn, so that it is always that of the first game that goes wrong.
        """
        while self.low in self._arrived:
            self.low, total = self._arrived.pop(self.low)
            if isinstance(total, Exception):
                raise total
            yield total
