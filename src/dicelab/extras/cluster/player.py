"""Plays a run on the workers of a cluster, as `dicelab.engines.player.Player` does in this process."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any

from dicelab.engines.player import slow_games
from dicelab.errors import PlayError, slow
from dicelab.extras.cluster.job import ClusterJob
from dicelab.extras.cluster.workers import Cluster, Crew, Tasks, as_error
from dicelab.limits import LIMITS
from dicelab.results.store.games import Segment
from dicelab.runtime.interrupts import OutOfTime, Stopped, held_interrupts
from dicelab.runtime.lineup import Run, look_after
from dicelab.runtime.scheduler import Done, Tallied, interrupted_between

# Ranges ---------------------------------------------------------------------------------------------------------------
#
# Which games are still to be played, and the totals that have arrived before those of the games ahead of them.

Range = tuple[int, int]
"""Games `low` to ``high - 1``."""


class OpenRanges:
    """Games `low` to ``high - 1``, handed out in ranges, some of them more than once; their totals in order.

    No range crosses a number of games after which a precision is checked, as in `dicelab.runtime.scheduler`.

    >>> ranges = OpenRanges(0, 900)
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
        """Return a range that was taken back, unchanged, or else the next one, of at most `size` games, with `more`.

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
        """Take the totals of a range, or the error that playing it has raised."""
        self._arrived[games[0]] = games[1], total

    def in_order(self) -> Iterator[Tallied]:
        """Yield the totals that have arrived and follow on what was taken before, each once.

        An error is raised when it is its turn, so that it is always that of the first game that goes wrong.
        """
        while self.low in self._arrived:
            self.low, total = self._arrived.pop(self.low)
            if isinstance(total, Exception):
                raise total
            yield total


# Sizes ----------------------------------------------------------------------------------------------------------------
#
# How many games a worker is given at a time: more and more, until the time between them hardly matters.

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
        """Return the number of games for a worker."""
        return self._next.get(worker, FIRST_GAMES)

    def least(self, worker: str) -> int:
        """Return the number of games below which the last ones are not divided among workers."""
        return max(FIRST_GAMES, int(self._rates.get(worker, 0.0) * FIRST_SECONDS / 4))

    def played(self, worker: str, games: int, seconds: float, waited: float) -> None:
        """Note that a thread of a worker has played so many games, after waiting for them."""
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


# Work -----------------------------------------------------------------------------------------------------------------
#
# Games that are being played on a cluster: ranges given to workers, and the answers taken from them.

EACH = 2
"""Ranges that a thread of a worker has at a time: one that it plays, and one that waits."""
HELD = 64
"""Limit of the number of ranges for each thread whose totals wait for those of earlier games."""


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
    ranges: OpenRanges
    engines: Counter[str]
    notes: dict[str, None]
    given: dict[Any, tuple[str, Range]] = field(default_factory=dict)
    _losses: Counter[Range] = field(default_factory=Counter)

    def give(self) -> None:
        """Give every worker ranges to play; what workers had that are gone is given to others."""
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
        elif isinstance(answer, tuple) and len(answer) == 6:
            content, seconds, waited, engine, note, left = answer
            size = games[1] - games[0]
            total = Segment.read(*games, content).total
            self.ranges.arrived(games, replace(total, left=left))
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
        """Note that a worker did not play a range."""
        self._losses[games] += 1
        if self._losses[games] == LIMITS.cluster_losses:
            where = f"games {games[0]} to {games[1] - 1}"
            raise PlayError(f"{LIMITS.cluster_losses} workers in turn failed to play {where}; the last one: {why}")
        self.ranges.give_back(games)


POLL = 0.005
"""Seconds between two looks at what has arrived."""
MOST_RECORDS = 2**16
"""Limit of the number of games in a range if every game is kept."""


class ClusterPlayer:
    """Plays the games of a run on a cluster; the totals are those of `dicelab.engines.player.Player`.

    Parameters
    ----------
    run, seed, engine, limit, keep
        As for `Player`; with ``auto``, each worker chooses an engine by itself.
    cluster
        Where to play. It is connected to when the first games are played.

    Raises
    ------
    ParameterError
        When workers can't be sent the rules.
    """

    def __init__(self, run: Run, seed: int, engine: str, limit: int, keep: bool, cluster: Cluster) -> None:
        self.run, self.seed, self.limit = run, seed, limit
        self.seconds, self.threads = 0.0, 1
        self.sizes = Sizes(MOST_RECORDS if keep else 2**62)
        self._cluster, self._job = cluster, ClusterJob.of(run, seed, engine, limit, keep)
        self._crew: Crew | None = None
        self._engines, self._notes, self._left_out = Counter({engine: 0}), dict[str, None](), 0

    @property
    def engine_used(self) -> str:
        """The engine that has played most games."""
        return max(self._engines, key=lambda name: self._engines[name])

    @property
    def note(self) -> str:
        """A note for the user, empty if there is nothing to say."""
        return "; ".join(filter(None, (next(iter(self._notes), ""), slow_games(self._left_out))))

    def play(self, low: int, high: int, done: Done, is_over: Callable[[], bool] = lambda: False) -> None:
        """Play games `low` to ``high - 1``, calling `done` with totals in the order of the games.

        Raises
        ------
        Stopped
            On Ctrl-C; OutOfTime when the time `is_over`; `done` has then been called with all games up to some game.
        ParameterError
            When there is no cluster, or none of its workers can play these rules.
        PlayError
            When a game goes wrong.
        Lost
            When the scheduler of the cluster is gone.
        """
        began = perf_counter()
        with held_interrupts() as stopped:
            with interrupted_between():
                crew = self._crew = self._crew or Crew(Tasks(self._cluster.client), self._job)
            work = Work(crew, self.sizes, OpenRanges(low, high), self._engines, self._notes)
            try:
                while not work.ranges.complete and not stopped() and not is_over():
                    with interrupted_between():
                        work.give()
                        for future, answer in crew.tasks.answers(POLL):
                            work.take(future, answer)
                    self.threads = max(self.threads, sum(crew.threads.values()))
                    for total in work.ranges.in_order():
                        self._left_out += total.left
                        done(total)
            finally:
                if not work.ranges.complete:
                    self._crew = None
                    with suppress(KeyboardInterrupt):
                        work.drop()
                self.seconds += perf_counter() - began
        slow(self.note)
        if stopped():
            raise Stopped
        if not work.ranges.complete:
            raise OutOfTime


class DaskCluster(Cluster):
    """A cluster as questions open it (`dicelab.questions.simulate`)."""

    def player(self, run: Run, seed: int, engine: str, limit: int, keep: bool) -> ClusterPlayer:
        """Return what plays a run on its workers."""
        return ClusterPlayer(run, seed, engine, limit, keep, self)
