"""A policy that is found in another process, while a game is played, and kept for the next time.

The process is a fork of this one: it needs no description of the game, and ends with this process. Where processes
can't be forked, the game is solved at once, in this one.

Solutions are kept in the cache folder: at most 2 GB, the least recently used are deleted first. A file is named by
everything on which a solution depends: the rules, parameters, what is solved for and against whom, and the version of
dicelab. Nothing here fails because a disk is full or may not be written; a solution is then found again. With
``DICELAB_SOLUTIONS=off`` nothing is kept, and nothing that was kept is used.
"""

from __future__ import annotations

import multiprocessing
import os
import re
import shutil
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from dicelab.engines.policy import Moves, against_hash
from dicelab.errors import DicelabError, TooLarge
from dicelab.limits import LIMITS
from dicelab.questions.policies.files import load
from dicelab.questions.policies.objective import default_objective
from dicelab.questions.policies.solve import solve
from dicelab.rules.game import Call, Game, shown
from dicelab.rules.loading.hashing import source_hash
from dicelab.runtime.leftovers import Draft
from dicelab.translation.verdicts import cache_root
from dicelab.version import __version__

SETTING = "DICELAB_SOLUTIONS"
"""The environment variable that turns all of this off."""
SOLVER = "2"
"""Changed when a repair of the solver changes values, so that solutions which were kept before are not used."""
T = TypeVar("T")


@dataclass(frozen=True)
class KeptSolution:
    """A file with a solution.

    Attributes
    ----------
    path
        The file.
    game, kind
        The name of the game, and what is in it: ``policy``, ``values``, or ``too-large`` (why it can't be solved).
    size, used
        Its bytes, and when it was last used, in seconds since 1970.
    """

    path: Path
    game: str
    kind: str
    size: int
    used: float


def solutions_folder() -> Path:
    """Return the folder of the solutions."""
    return cache_root() / "solutions"


def is_off() -> bool:
    """Return whether nothing is kept.

    >>> is_off()
    False
    """
    return os.environ.get(SETTING, "").lower() in ("off", "no", "0")


def path_for(game: Game, kind: str, *depends: str) -> Path:
    """Return the file of a solution; `depends` has what it depends on besides the game with its parameters."""
    facts = [__version__, SOLVER, source_hash(type(game)), repr(sorted(shown(game).items())), kind, *depends]
    name = re.sub(r"[^A-Za-z0-9_-]", "_", game.name)[:40]
    return solutions_folder() / f"{name}.{kind}.{sha256(chr(0).join(facts).encode()).hexdigest()[:24]}.npz"


def used(path: Path, load: Callable[[Path], T]) -> T | None:
    """Return what a kept file holds, and note that it was used; None if there is none. A damaged file is deleted."""
    if is_off() or not os.path.exists(path):  # `Path.exists` raises where the folder may not be read
        return None
    try:
        policy = load(path)
    except Exception:  # written by another version, or damaged; it is solved again
        with suppress(OSError):
            path.unlink()
        return None
    with suppress(OSError):
        os.utime(path)
    return policy


def keep(path: Path, save: Callable[[Path], None]) -> bool:
    """Write a file, and delete the least recently used ones if all are too large together; whether it was written."""
    if is_off():
        return False
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with Draft(path) as draft:
            save(draft.path)
            draft.publish()
    except OSError:
        return False
    _make_room()
    return os.path.exists(path)


def kept_solutions() -> list[KeptSolution]:
    """Return all kept solutions, the latest used first."""
    kept, paths = [], list[Path]()
    with suppress(OSError):  # the folder may not be read
        paths = list(solutions_folder().glob("*.*.*.npz"))
    for path in paths:
        with suppress(OSError):  # deleted by another process meanwhile
            facts = path.stat()
            game, kind = path.name.split(".")[:2]
            kept.append(KeptSolution(path, game, kind, facts.st_size, facts.st_mtime))
    return sorted(kept, key=lambda one: -one.used)


def clear_solutions() -> list[KeptSolution]:
    """Delete all kept solutions; returns what was deleted."""
    gone = []
    for one in kept_solutions():
        with suppress(OSError):
            one.path.unlink()
            gone.append(one)
    return gone


def _make_room() -> None:
    """Delete the least recently used files beyond the limit."""
    total = 0
    for one in kept_solutions():
        total += one.size
        if total > LIMITS.solution_bytes:
            with suppress(OSError):
                one.path.unlink()


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
        self.policy = used(self.path, lambda path: load(path, game))
        if self.policy is None:
            self._start(against, seat, objective)

    def _start(self, against: Sequence[Call], seat: int, objective: str | None) -> None:
        can_fork = "fork" in multiprocessing.get_all_start_methods() and sys.platform != "darwin"
        if not can_fork or multiprocessing.current_process().daemon:  # which may have no process of its own
            self.policy = _policy_of(self.game, against, seat, objective)
            keep(self.path, self.policy.save)
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
        return self.policy is not None and bool(self.against) and len(self.policy.about["seats"]) > 1

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
        while self.policy is None:
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
                    self.policy = load(message["file"], self.game)
                finally:
                    self.stop()
            else:
                if message["counts"][0] != self.counts[0]:
                    self._settled = time.monotonic(), message["counts"][1]
                self.counts, self.done = message["counts"], message["share"]
        return self.policy

    def wait(self, report: Report = lambda found, expanded, share: None) -> Moves:
        """Return the policy, once it is known; Ctrl-C stops the search."""
        try:
            while True:
                moves = self.poll(TICK)
                if moves is not None:
                    return moves
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
    parent, reported = os.getppid(), 0.0
    state: dict[str, Any] = {"counts": (0, 0), "share": 0.0}

    def tell(**news: Any) -> None:
        nonlocal reported
        state.update(news)
        if time.monotonic() - reported > TICK:
            reported = time.monotonic()
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
