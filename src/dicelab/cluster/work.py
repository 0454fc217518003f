"""Games that are being played on a cluster: ranges given to workers, and the answers taken from them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from dicelab.cluster.crew import Crew, as_error
from dicelab.cluster.ranges import Range, Ranges
from dicelab.cluster.sizes import Sizes
from dicelab.errors import PlayError
from dicelab.results.store.segments import Segment

EACH = 2
"""Ranges that a thread of a worker has at a time: one that it plays, and one that waits."""
HELD = 64
"""Limit of the number of ranges for each thread whose totals wait for those of earlier games."""
LOSSES = 5
"""Number of workers that fail to play the same range before the range is taken to be the reason."""


@dataclass
class Work:
    """The games of one call, and who plays them.

    Attributes
    ----------
    engines, notes
        The number of games that each engine has played, and what the workers have to say to the user.
    given
        The ranges that workers have, each with its worker, by the future of its totals.
    """

    crew: Crew
    sizes: Sizes
    ranges: Ranges
    engines: Counter[str]
    notes: dict[str, None]
    given: dict[Any, tuple[str, Range]] = field(default_factory=dict)
    _losses: Counter[Range] = field(default_factory=Counter)

    def give(self) -> None:
        """Give every worker ranges to play; what workers had that are gone is given to others.

        Raises
        ------
        ParameterError, Lost
        """
        gone = self.crew.look()
        if gone:
            lost = [future for future, (worker, _) in self.given.items() if worker in gone]
            self.crew.tasks.drop(lost)
            for future in lost:
                self._lost(self.given.pop(future)[1], "the worker ended")
        busy = Counter(worker for worker, _ in self.given.values())
        threads = sum(self.crew.threads.values())
        for worker, own in self.crew.threads.items():
            for _ in range(EACH * own - busy[worker]):
                # Half of an equal share at most: ranges shrink at the end, so that all threads finish together.
                share = max(self.sizes.least(worker), -(-self.ranges.left // (2 * threads)))
                games = self.ranges.take(min(self.sizes.of(worker), share), self.ranges.held < HELD * threads)
                if games is None:
                    return
                self.given[self.crew.tasks.ask(worker, "play", self.crew.job.name, *games)] = worker, games

    def take(self, future: Any, answer: Any) -> None:
        """Note what a worker has answered.

        Raises
        ------
        DicelabError
            When an engine can't play the game.
        """
        if self.crew.loaded(future, answer) or future not in self.given:
            return
        worker, games = self.given.pop(future)
        if answer == ("unknown",):  # the process that had loaded the rules is gone
            self.ranges.give_back(games)
            self.crew.load(worker)
        elif isinstance(answer, tuple) and len(answer) == 5:
            content, seconds, waited, engine, note = answer
            size = games[1] - games[0]
            self.ranges.arrived(games, Segment.read(*games, content).total)
            self.sizes.played(worker, size, seconds, waited)
            self.engines[engine] += size
            self.notes |= {note: None} if note else {}
        elif isinstance(answer, tuple) and answer[0] == "error":
            self.ranges.arrived(games, as_error(answer))
        else:
            error = answer[1] if isinstance(answer, tuple) else answer
            self._lost(games, f"{type(error).__name__}: {error}")

    def drop(self) -> None:
        """Let the workers stop playing, and forget the job."""
        self.crew.tasks.drop(self.given)
        self.crew.tasks.tell(self.crew.threads, "forget", self.crew.job.name)

    def _lost(self, games: Range, why: str) -> None:
        """A worker did not play a range."""
        self._losses[games] += 1
        if self._losses[games] == LOSSES:
            where = f"games {games[0]} to {games[1] - 1}"
            raise PlayError(f"{LOSSES} workers in turn failed to play {where}; the last one: {why}")
        self.ranges.give_back(games)
