"""The right to write a run, which one process has at a time; it expires unless it is renewed.

A process that was killed leaves its lease behind. On the same machine the next process sees that it is gone and takes
the lease at once; from another machine it waits until the lease has expired.
"""

from __future__ import annotations

import os
import platform
import secrets
import sqlite3
import threading
import time
import warnings
from contextlib import suppress

from dicelab.errors import StoreError
from dicelab.results.store.database import Database, Execute
from dicelab.results.store.question import Question

SECONDS = 20.0
"""A lease that was not renewed for so long has expired."""
BEAT = 4.0
"""Seconds between two renewals."""
POLL = 0.2
"""Seconds between two attempts to take a lease that another process has."""


class StoreWarning(UserWarning):
    """Something about a store that does not change a result."""


class Lease:
    """The right to write the run of one question; call `take` until it returns True, and `release` at the end.

    Attributes
    ----------
    run
        The number of the run, once the lease was taken.
    """

    def __init__(self, database: Database, question: Question) -> None:
        self.database, self.question, self.run = database, question, 0
        self.writer = f"{platform.node()} {os.getpid()} {secrets.token_hex(4)}"
        self.held = False
        self._ended = threading.Event()
        self._waits = False

    def take(self) -> bool:
        """Take the lease, unless another process has it; the run is made if there is none.

        Raises
        ------
        StoreError
            When the file can't be written.
        """
        self.database.must_be_writable()
        asked, now = self.question, time.time()
        with self.database.change() as execute:
            execute(INSERT, asked.key, asked.asked, asked.text, now, now)
            row = execute("SELECT id, writer, until FROM run WHERE key = ?", asked.key).fetchone()
            if is_live(*row[1:]) and row[1] != self.writer:
                return False
            self.run = row[0]
            execute("UPDATE run SET writer = ?, until = ? WHERE id = ?", self.writer, time.time() + SECONDS, self.run)
        self.held = True
        threading.Thread(target=self._beat, name="dicelab-lease", daemon=True).start()
        return True

    def wait(self) -> None:
        """Wait a little for the process that has the lease; the first time, say so."""
        if not self._waits:
            self._waits = True
            warnings.warn(
                f"{self.database.path}: waiting for another process, which is busy with this run; Ctrl-C ends"
                " the waiting",
                StoreWarning,
                stacklevel=2,
            )
        time.sleep(POLL)

    def must_be_held(self, execute: Execute) -> None:
        """Refuse to write without the lease; also renews it.

        Raises
        ------
        StoreError
        """
        until = time.time() + SECONDS
        if not execute(RENEW, until, self.run, self.writer).rowcount:
            raise StoreError(f"{self.database.path}: another process has taken over or deleted this run")

    def release(self) -> None:
        """Let other processes write."""
        self._ended.set()
        if self.held:
            self.held = False
            with suppress(StoreError), self.database.change() as execute:
                execute("UPDATE run SET writer = NULL, until = NULL WHERE id = ? AND writer = ?", self.run, self.writer)
                execute(DROP_EMPTY, self.run)

    def _beat(self) -> None:
        """Renew the lease until it is released, on a thread of its own with its own connection."""
        with suppress(sqlite3.Error):
            sql = self.database.connected(BEAT)
            try:
                while not self._ended.wait(BEAT):
                    with suppress(sqlite3.OperationalError):  # the file is busy, or the disk full
                        sql.execute(RENEW, (time.time() + SECONDS, self.run, self.writer))
            finally:
                sql.close()


INSERT = "INSERT OR IGNORE INTO run (key, asked, question, begun, changed) VALUES (?, ?, ?, ?, ?)"
RENEW = "UPDATE run SET until = ? WHERE id = ? AND writer = ?"
DROP_EMPTY = """
DELETE FROM run WHERE id = ? AND answer IS NULL AND checkpoint IS NULL AND id NOT IN (SELECT run FROM totals)
"""
"""Deletes a run in which nothing was computed."""


def is_live(writer: str | None, until: float | None) -> bool:
    """Whether a lease is held by a process that may still be running."""
    if writer is None or until is None or until < time.time() or until > time.time() + 10 * SECONDS:
        return False
    machine, pid, _ = writer.rsplit(" ", 2)
    return machine != platform.node() or _is_running(int(pid))


def _is_running(pid: int) -> bool:
    """Whether there is a process of that number on this machine."""
    if os.name == "nt":  # there, os.kill would end it
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
