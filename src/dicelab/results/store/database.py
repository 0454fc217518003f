"""The file of a store: one SQLite database, and the right of one process at a time to write a run in it.

Every problem with the file is one sentence.
"""

from __future__ import annotations

import os
import platform
import secrets
import sqlite3
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep
from types import TracebackType
from typing import Any, Self

from dicelab.errors import StoreError
from dicelab.results.store.encoding import StoredQuestion

APPLICATION = 0x64696365
"""``PRAGMA application_id``: the letters "dice"."""
VERSION = 1
"""``PRAGMA user_version``: version of the tables."""
PATIENCE = 30.0
"""Seconds to wait while another process writes."""
TABLES = """
CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    asked TEXT NOT NULL,
    question TEXT NOT NULL,
    begun REAL NOT NULL,
    changed REAL NOT NULL,
    seconds REAL NOT NULL DEFAULT 0,
    answer BLOB,
    checkpoint BLOB,
    writer TEXT,
    until REAL
);
CREATE TABLE totals (
    run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    low INTEGER NOT NULL,
    high INTEGER NOT NULL CHECK (high > low),
    totals BLOB NOT NULL,
    PRIMARY KEY (run, low)
);
"""
"""docs/store.md explains each column."""
MAGIC = b"SQLite format 3\0"

Execute = Callable[..., sqlite3.Cursor]
"""Executes one statement."""


class Database:
    """An open store.

    Parameters
    ----------
    path
        The file; created if there is none.
    create
        Whether it may be created.

    Raises
    ------
    StoreError
        When it can't be opened, is not a store, is damaged, or is of a newer version. The file is then unchanged.
    """

    def __init__(self, path: str | os.PathLike[str], create: bool = True) -> None:
        self.path = os.fspath(path)
        self.writable = _must_be_store(self.path, create)
        with self.explained():
            self._sql = self.connected()
            try:
                self._prepare()
            except BaseException:
                self._sql.close()
                raise

    def connected(self, timeout: float = PATIENCE, immutable: bool = False) -> sqlite3.Connection:
        """Return a connection to the file."""
        mode = "mode=rwc" if self.writable else "mode=ro&immutable=1" if immutable else "mode=ro"
        where = f"{Path(self.path).absolute().as_uri()}?{mode}"
        # Statements begin no transactions by themselves: `change` does.
        return sqlite3.connect(where, uri=True, timeout=timeout, isolation_level=None, check_same_thread=False)

    def _prepare(self) -> None:
        """Check that this is a store of a known version; create the tables in an empty file."""
        try:
            self._check()
        except sqlite3.OperationalError:
            if self.writable or os.path.exists(f"{self.path}-wal"):
                raise
            self._sql.close()  # in a folder that can't be written, SQLite reads only a file that nobody writes
            self._sql = self.connected(immutable=True)
            self._check()
        if self.writable:
            self._use_wal()
            self._sql.execute("PRAGMA synchronous = FULL")  # what was committed survives a power cut
            self._sql.execute("PRAGMA foreign_keys = ON")
            if not self._number("user_version"):
                self._create()

    def _use_wal(self) -> None:
        """Switch to the write-ahead log; where another process does the same, SQLite does not wait by itself."""
        end = monotonic() + PATIENCE
        while True:
            try:
                self._sql.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or monotonic() > end:
                    raise
            sleep(0.01)

    def _number(self, pragma: str) -> int:
        return int(self._sql.execute(f"PRAGMA {pragma}").fetchone()[0])

    def _check(self) -> None:
        self._sql.execute("BEGIN")  # in one transaction: another process may be creating the tables
        try:
            application, version = self._number("application_id"), self._number("user_version")
            tables = self._sql.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        finally:
            self._sql.execute("ROLLBACK")
        if application != APPLICATION and (application or version or tables):
            raise StoreError(f"{self.path} is a database of another program, not a store; nothing was written to it")
        if version > VERSION:
            raise StoreError(
                f"{self.path} was written by a newer dicelab (its tables have version {version}, and this dicelab "
                f"knows version {VERSION}); update dicelab, or name another file"
            )

    def _create(self) -> None:
        with self.change() as execute:
            if not self._number("user_version"):  # no other process was faster
                for statement in TABLES.split(";\n"):
                    execute(statement)
                execute(f"PRAGMA application_id = {APPLICATION}")
                execute(f"PRAGMA user_version = {VERSION}")

    def read(self, statement: str, *values: object) -> list[Any]:
        """Return the rows that a statement selects."""
        with self.explained():
            return self._sql.execute(statement, values).fetchall()

    @contextmanager
    def change(self) -> Iterator[Execute]:
        """Open a transaction; all of its changes are made together, or none."""
        if not os.path.exists(self.path):  # SQLite would go on writing to it
            raise StoreError(f"{self.path} has been deleted")
        with self.explained():
            self._sql.execute("BEGIN IMMEDIATE")
            try:
                yield lambda statement, *values: self._sql.execute(statement, values)
                self._sql.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    self._sql.execute("ROLLBACK")
                raise

    def must_be_writable(self) -> None:
        """Refuse a file that can't be written."""
        if not self.writable:
            raise StoreError(f"{self.path} can't be written, and does not have this answer; nothing was computed")

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Turn the errors of SQLite into a `StoreError`."""
        try:
            yield
        except sqlite3.Error as error:
            raise StoreError(f"{self.path}: {_reason(error)}") from error

    def damaged(self, why: str) -> StoreError:
        """Return the error for content that can't be right."""
        return StoreError(f"{self.path} is damaged: {why}; copy it, and delete the run (dicelab runs) or the file")

    def close(self) -> None:
        """Close the file; everything committed is in it."""
        with suppress(sqlite3.Error):
            self._sql.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def _must_be_store(path: str, create: bool) -> bool:
    """Return whether a file can be written; refuses what SQLite would not refuse by itself."""
    folder = os.path.dirname(path) or "."
    if not path or os.path.isdir(path) or not os.path.isdir(folder):
        raise StoreError(f"store: {path or repr('')} is not the name of a file in a folder that exists")
    if not os.path.exists(path):
        if not create:
            raise StoreError(f"{path}: there is no such file; --store {path} creates it")
        if not os.access(folder, os.W_OK):
            raise StoreError(f"store: {path} can't be created, because {folder} can't be written")
        return True
    try:
        with open(path, "rb") as file:
            begins = file.read(len(MAGIC))
    except OSError as error:
        raise StoreError(f"store: {path} can't be read: {error.strerror}") from error
    if begins and begins != MAGIC:
        raise StoreError(f"{path} is not a store: it is not a SQLite database; nothing was written to it")
    return os.access(path, os.W_OK) and os.access(folder, os.W_OK)


def _reason(error: sqlite3.Error) -> str:
    """Return what went wrong, in words."""
    name = getattr(error, "sqlite_errorname", "") or ""
    reasons = {
        "SQLITE_FULL": "the disk is full",
        "SQLITE_READONLY": "it can't be written",
        "SQLITE_CANTOPEN": "it can't be opened",
        "SQLITE_CORRUPT": f"it is damaged ({error}); nothing was written to it",
        "SQLITE_NOTADB": "it is not a database, or is damaged; nothing was written to it",
        "SQLITE_BUSY": f"another process has been writing to it for {PATIENCE:.0f} seconds",
        "SQLITE_IOERR": "it can't be read or written: the disk reports an error, or is full",
    }
    return next((text for known, text in reasons.items() if name.startswith(known)), str(error))


# The right to write a run, which one process has at a time; it expires unless it is renewed ---------------------------
#
# A process that was killed leaves its lease behind. On the same machine the next process sees that it is gone and takes
# the lease at once; from another machine it waits until the lease has expired.

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

    def __init__(self, database: Database, question: StoredQuestion) -> None:
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

    def hold(self) -> None:
        """Take the lease, after other processes that have it."""
        while not self.take():
            self.wait()

    @contextmanager
    def change(self, seconds: float) -> Iterator[Execute]:
        """Change the run in one transaction; so many seconds more were spent on it.

        Raises
        ------
        StoreError
            Without the lease, which is renewed.
        """
        with self.database.change() as execute:
            if not execute(RENEW, time.time() + SECONDS, self.run, self.writer).rowcount:
                raise StoreError(f"{self.database.path}: another process has taken over or deleted this run")
            execute("UPDATE run SET changed = ?, seconds = seconds + ? WHERE id = ?", time.time(), seconds, self.run)
            yield execute

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
    """Return whether a lease is held by a process that may still be running."""
    if writer is None or until is None or until < time.time() or until > time.time() + 10 * SECONDS:
        return False
    machine, pid, _ = writer.rsplit(" ", 2)
    return machine != platform.node() or _is_running(int(pid))


def _is_running(pid: int) -> bool:
    """Return whether there is a process of that number on this machine."""
    if os.name == "nt":  # there, os.kill would end it
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
