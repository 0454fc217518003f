"""Plays a run on the workers of a cluster, as `dicelab.engines.player.Player` does in this process."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from time import perf_counter

from dicelab.cluster.connect import Cluster
from dicelab.cluster.crew import Crew
from dicelab.cluster.job import Job
from dicelab.cluster.ranges import Ranges
from dicelab.cluster.sizes import Sizes
from dicelab.cluster.tasks import Tasks
from dicelab.cluster.work import Work
from dicelab.errors import slow
from dicelab.runtime.interrupts import Stopped, held_interrupts
from dicelab.runtime.lineup import Run
from dicelab.runtime.scheduler import Done, interrupted_between

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
        self._cluster, self._job = cluster, Job.of(run, seed, engine, limit, keep)
        self._crew: Crew | None = None
        self._engines, self._notes = Counter({engine: 0}), dict[str, None]()

    @property
    def engine_used(self) -> str:
        """The engine that has played most games."""
        return max(self._engines, key=lambda name: self._engines[name])

    @property
    def note(self) -> str:
        """A note for the user, empty if there is nothing to say."""
        return next(iter(self._notes), "")

    def play(self, low: int, high: int, done: Done) -> None:
        """Play games `low` to ``high - 1``, calling `done` with totals in the order of the games.

        Raises
        ------
        Stopped
            On Ctrl-C; `done` has then been called with all games up to some game.
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
            work = Work(crew, self.sizes, Ranges(low, high), self._engines, self._notes)
            try:
                while not work.ranges.complete and not stopped():
                    with interrupted_between():
                        work.give()
                        for future, answer in crew.tasks.answers(POLL):
                            work.take(future, answer)
                    self.threads = max(self.threads, sum(crew.threads.values()))
                    for total in work.ranges.in_order():
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
