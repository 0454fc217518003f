"""A policy that is found in another process, while a game is played, and kept for the next time.

The process is a fork of this one: it needs no description of the game, and ends with this process. Where processes
can't be forked, the game is solved at once, in this one.
"""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from dicelab.engines.policy import Moves, against_hash
from dicelab.errors import DicelabError, TooLarge
from dicelab.questions.policies.files import load
from dicelab.questions.policies.kept_solutions import is_off, keep, path_for, used
from dicelab.questions.policies.objective import default_objective
from dicelab.questions.policies.solve import solve
from dicelab.rules.game import Call, Game

SECONDS = 900.0
"""Limit of the time for which a game is solved in the background."""
MOST = 3_000_000
"""States of a game against given strategies, beyond which it is solved for optimal play of all seats instead."""
SHARE = 0.05
"""Share of the work that must be done before the time that is left is estimated."""
TICK = 0.1
"""Seconds between two reports of the process, and between two looks at it."""

Report = Callable[[int, int, float], None]
"""Called with the states found and expanded, and the share of the solution that is done."""


class NotInTime(DicelabError):
    """A game was not solved within the limit of time."""


class Solving:
    """An optimal policy that is being found: from the kept solutions, or in another process.

    Parameters
    ----------
    game, against, seat, objective
        As in `dicelab.solve`; `against` has calls of strategies. Where that has more than `MOST` states, all seats play
        optimally (`all_best`).
    seconds
        Limit of the time.
    """

    def __init__(
        self,
        game: Game,
        against: Sequence[Call] = (),
        seat: int = 0,
        objective: str | None = None,
        seconds: float = SECONDS,
    ) -> None:
        self.game, self.seconds = game, seconds
        objective = objective or default_objective(game)
        self.began = time.monotonic()
        self.done = 0.0
        self.counts = (0, 0)
        self._settled = time.monotonic(), 0  # since when the number of states is the same, and those done by then
        self._process: Any = None
        self._pipe: Any = None
        self._folder = ""
        depends = [",".join(map(str, against)), str(seat), str(objective), repr(against_hash(game, against))]
        self.path = path_for(game, "policy", *depends)
        self.against = tuple(against)
        self.found = used(self.path, lambda path: load(path, game))
        if self.found is None:
            self._start(against, seat, objective)

    def _start(self, against: Sequence[Call], seat: int, objective: str | None) -> None:
        can_fork = "fork" in multiprocessing.get_all_start_methods() and sys.platform != "darwin"
        if not can_fork or multiprocessing.current_process().daemon:  # which may have no process of its own
            self.found = _policy_of(self.game, against, seat, objective)
            keep(self.path, self.found.save)
            return
        # Also without a cache, or where it can't be written, the other process hands its policy over in a file.
        self._folder = tempfile.mkdtemp(prefix="dicelab-solving-")
        context = multiprocessing.get_context("fork")
        self._pipe, far = context.Pipe(duplex=False)
        files = self.path, Path(self._folder, "policy.npz")
        arguments = (far, self.game, against, seat, objective, files)
        self._process = context.Process(target=_work, args=arguments, daemon=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # threads of this process do nothing now
            self._process.start()
        far.close()

    @property
    def all_best(self) -> bool:
        """Whether the policy that was found is for optimal play of all seats, although strategies were given."""
        return self.found is not None and bool(self.against) and len(self.found.about["seats"]) > 1

    @property
    def elapsed(self) -> float:
        """Seconds since it began."""
        return time.monotonic() - self.began

    @property
    def left(self) -> float | None:
        """Seconds that are left, estimated; None as long as that can't be said."""
        if self.done > SHARE:
            return self.elapsed * (1 / self.done - 1)
        (found, expanded), (since, first) = self.counts, self._settled
        if found and expanded - first > SHARE * found:
            return (time.monotonic() - since) * (found - expanded) / (expanded - first)
        return None

    def poll(self, wait: float = 0.0) -> Moves | None:
        """Return the policy, if it is known within some seconds; else None.

        Raises
        ------
        NotInTime, DicelabError
            When the time is over, or the game can't be solved; the message says why.
        """
        until = time.monotonic() + wait
        while self.found is None:
            try:
                ready = self._pipe.poll(max(0.0, min(TICK, until - time.monotonic())))
                message = self._pipe.recv() if ready else None
            except (EOFError, OSError):
                message = {"error": f"{self.game.name} could not be solved: the process that solved it has ended"}
            if message is None:
                if self.elapsed > self.seconds:
                    self.stop()
                    raise NotInTime(f"{self.game.name} was not solved within {self.seconds:,.0f} seconds")
                if time.monotonic() >= until:
                    return None
            elif "error" in message:
                self.stop()
                raise DicelabError(message["error"])
            elif "file" in message:
                try:
                    self.found = load(message["file"], self.game)
                finally:
                    self.stop()
            else:
                if message["counts"][0] != self.counts[0]:
                    self._settled = time.monotonic(), message["counts"][1]
                self.counts, self.done = message["counts"], message["share"]
        return self.found

    def wait(self, report: Report = lambda found, expanded, share: None) -> Moves:
        """Return the policy, once it is known; Ctrl-C stops the search."""
        try:
            while True:
                found = self.poll(TICK)
                if found is not None:
                    return found
                report(*self.counts, self.done)
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """End the process, and remove its files."""
        if self._process is not None:
            self._process.terminate()
            self._process.join(1.0)
            self._process = None
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = ""


class _LargeForGiven(Exception):
    """A game has many states against given strategies."""


def _policy_of(
    game: Game,
    against: Sequence[Call],
    seat: int,
    objective: str | None,
    progress: Callable[[int, int], None] = lambda found, expanded: None,
    share: Callable[[float], None] = lambda done: None,
) -> Moves:
    """Return the optimal policy of a game.

    Raises
    ------
    DicelabError
        Also when there is no policy: the best moves depend on something that is not part of the state.
    """

    def look(found: int, expanded: int) -> None:
        if against and found > MOST:
            raise _LargeForGiven
        progress(found, expanded)

    try:
        solution = solve(game, list(against), seat=seat, objective=objective, progress=look, share=share)
    except (_LargeForGiven, TooLarge):
        if not against:
            raise
        solution = solve(game, objective=objective, progress=progress, share=share)
    policy = solution.policy if solution.policy is not None else solution.turn_policy
    if policy is None:
        raise DicelabError("the best moves depend on what no player sees")
    return policy


def _work(
    pipe: Any, game: Game, against: Sequence[Call], seat: int, objective: str | None, files: tuple[Path, Path]
) -> None:
    """Solve a game in this process, and write its policy into the first of two files that can be written."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the game that is played
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    parent, told = os.getppid(), 0.0
    state: dict[str, Any] = {"counts": (0, 0), "share": 0.0}

    def tell(**news: Any) -> None:
        nonlocal told
        state.update(news)
        if time.monotonic() - told > TICK:
            told = time.monotonic()
            if os.getppid() != parent:
                os._exit(1)
            pipe.send(state)

    with open(os.devnull, "w", encoding="utf-8") as nowhere, suppress(BrokenPipeError):
        sys.stdout = sys.stderr = nowhere
        try:
            policy = _policy_of(
                game,
                against,
                seat,
                objective,
                progress=lambda found, expanded: tell(counts=(found, expanded)),
                share=lambda done: tell(share=done),
            )
            kept, instead = files
            if is_off() or not keep(kept, policy.save):
                policy.save(instead)
                kept = instead
            pipe.send({"file": str(kept)})
        except Exception as error:
            pipe.send({"error": str(error) or type(error).__name__})
    os._exit(0)  # nothing of the process that was forked is to be ended here
