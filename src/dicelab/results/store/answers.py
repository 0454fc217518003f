"""Finished answers: computed once, then read; and checkpoints of what takes long."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from dicelab.errors import StoreError
from dicelab.limits import LIMITS
from dicelab.results.base import BaseResult
from dicelab.results.store.database import Database, Lease, StoreWarning
from dicelab.results.store.encoding import OtherVersion, StoredQuestion, from_bytes, to_bytes
from dicelab.rules.game import Game

if TYPE_CHECKING:
    from dicelab.solver.value_iteration import Layers


Result = TypeVar("Result", bound=BaseResult)


def remembered(
    store: str | os.PathLike[str] | None,
    question: Callable[[], StoredQuestion],
    compute: Callable[[Layers], Result],
    game: Game | None = None,
) -> Result:
    """Return the stored answer to a question; if there is none, it is computed, and stored unless it was interrupted.

    While another process computes it, this one waits.

    Parameters
    ----------
    store
        The file; None for no store.
    question
        The question; called only with a store.
    compute
        Computes the answer; called with what keeps the layers of a long solution.
    game
        The game with its parameters, if the answer has a policy.

    Raises
    ------
    StoreError
        When the file can't be used; also what `compute` raises.
    """
    if store is None:
        from dicelab.solver.value_iteration import Layers

        return compute(Layers())
    asked, began = question(), time.perf_counter()
    answer: Result | None
    with Database(store) as database:
        answer = _stored(database, asked, game)
        if answer is not None:
            return replace(answer, seconds=time.perf_counter() - began)
        lease = Lease(database, asked)
        try:
            lease.hold()
            answer = _stored(database, asked, game)  # once more: another process may have computed it
            if answer is None:
                answer = compute(_layers(lease))
                if not answer.unfinished:
                    _keep(lease, answer)
            return answer
        finally:
            lease.release()


class Checkpoint:
    """The state of a long computation, stored every few seconds; without a store it does nothing.

    Parameters
    ----------
    store
        The file; None for no store.
    question
        What the state depends on.

    Attributes
    ----------
    kept
        The state stored before, as `to_bytes` was given it; None if there is none.
    """

    def __init__(self, store: str | os.PathLike[str] | None, question: Callable[[], StoredQuestion]) -> None:
        self._database = None if store is None else Database(store)
        self.kept: Any = None
        self._lease: Lease | None = None
        self._written = time.perf_counter()
        self._next = self._written + LIMITS.checkpoint_seconds
        if self._database is not None:
            try:
                self._claim(self._database, question())
            except BaseException:
                self.close()
                raise

    def _claim(self, database: Database, question: StoredQuestion) -> None:
        """Take the lease, and read the state."""
        self._lease = Lease(database, question)
        self._lease.hold()
        self.kept = _stored(database, question, column="checkpoint")

    def keep(self, state: Callable[[], Any], now: bool = False) -> None:
        """Store a state, if it is time to, or `now`; on failure, warn once."""
        if self._lease is None:
            return
        began = time.perf_counter()
        if began < self._next and not now:
            return
        try:
            content = to_bytes(state())
            with self._lease.change(began - self._written) as execute:
                execute("UPDATE run SET checkpoint = ? WHERE id = ?", content, self._lease.run)
        except StoreError as error:
            warnings.warn(f"what was learned could not be stored: {error}", StoreWarning, stacklevel=2)
            self._lease.release()
            self._lease = None
        self._written = time.perf_counter()
        self._next = self._written + max(LIMITS.checkpoint_seconds, LIMITS.checkpoint_share * (self._written - began))

    def close(self) -> None:
        """Release the lease and close the file."""
        if self._lease is not None:
            self._lease.release()
        if self._database is not None:
            self._database.close()


def _layers(lease: Lease) -> Layers:
    """Return what keeps the layers of a solution; with the modules of arrays, which a stored answer may do without."""
    from dicelab.results.store.layers import KeptLayers

    return KeptLayers(lease)


def _stored(database: Database, question: StoredQuestion, game: Game | None = None, column: str = "answer") -> Any:
    """Return the stored answer, or the checkpoint; None if there is none, or it was written by a version whose results
    had other fields.
    """
    rows = database.read(f"SELECT {column} FROM run WHERE key = ? AND {column} IS NOT NULL", question.key)
    try:
        with suppress(OtherVersion):
            return from_bytes(rows[0][0], game) if rows else None
    except ValueError as error:
        raise database.damaged(str(error)) from error
    return None


def _keep(lease: Lease, result: BaseResult) -> None:
    """Store a finished answer; if that fails, warn."""
    content = to_bytes(result)
    try:
        with lease.change(0) as execute:
            kept = "UPDATE run SET seconds = ?, answer = ?, checkpoint = NULL WHERE id = ?"
            execute(kept, result.seconds, content, lease.run)
            execute("DELETE FROM totals WHERE run = ?", lease.run)  # the layers
    except StoreError as error:
        warnings.warn(f"the answer could not be stored: {error}", StoreWarning, stacklevel=2)
