"""Temporary files: a run removes those that killed runs have left behind, but not those of running processes.

A temporary file is locked (``flock``) by the process that writes it. The system releases the lock when that process
ends, even if it is killed, so a file that isn't locked is left over. On systems without ``flock`` nothing is removed.
"""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from dicelab.errors import DicelabError

try:
    import fcntl
except ImportError:
    HAS_LOCKS = False  # Windows
else:
    HAS_LOCKS = True

LOCK = ".lock"
"""The file in a temporary folder that is locked on behalf of the folder."""
SURELY_OLD = 3600.0
"""Seconds after which a temporary folder without a lock file counts as left over."""

_claimed: dict[Path, int] = {}
"""Temporary files and folders of this process, each with the file descriptor that holds its lock."""


def claim(path: Path) -> None:
    """Create a temporary file, or take an empty folder that exists, and hold its lock until `release`.

    Raises
    ------
    OSError
        When it can't be written.
    """
    locked = path / LOCK if path.is_dir() else path
    while True:
        handle = os.open(locked, os.O_RDWR | os.O_CREAT, 0o666)
        if not _lock(handle) or _is_at(handle, locked):
            _claimed[path] = handle
            return
        os.close(handle)  # another process removed it as left over before it was locked


def release(path: Path) -> None:
    """Release the lock of a temporary file that has been removed or renamed."""
    handle = _claimed.pop(path, None)
    if handle is not None:
        os.close(handle)


def remove_claimed() -> None:
    """Remove all temporary files of this process; called when it ends."""
    for path in list(_claimed):
        _remove(path)
        release(path)


def sweep(paths: Iterable[Path]) -> None:
    """Remove those of the given temporary files and folders that are left over and belong to this user."""
    for path in paths:
        if path not in _claimed:
            with suppress(OSError):
                _sweep_one(path)


def _sweep_one(path: Path) -> None:
    if not HAS_LOCKS or path.is_symlink() or path.stat().st_uid != os.geteuid():
        return
    locked = path / LOCK if path.is_dir() else path
    if not locked.exists():  # a process may have been killed between creating the folder and its lock file
        if time.time() - path.stat().st_mtime > SURELY_OLD:
            _remove(path)
        return
    handle = os.open(locked, os.O_RDWR)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if _is_at(handle, locked):
            _remove(path)
    finally:
        os.close(handle)


def share(folder: Path, tidy: Callable[[], None]) -> None:
    """Mark a folder as used by this process until it ends; call `tidy` first if no other process uses it now."""
    if not HAS_LOCKS or folder in _shared or folder in _claimed:  # nobody else uses a claimed folder
        return
    with suppress(OSError):
        _shared[folder] = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        if _lock(_shared[folder]):
            tidy()  # other processes that begin to use the folder wait for the lock
        fcntl.flock(_shared[folder], fcntl.LOCK_SH)


_shared: dict[Path, int] = {}
"""Folders that this process uses, each with the file descriptor that holds its lock."""


def _lock(handle: int) -> bool:
    """Lock a file; returns False if another process has locked it, or the system has no locks."""
    if not HAS_LOCKS:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _is_at(handle: int, path: Path) -> bool:
    """Return whether an open file is the one now found at this path."""
    try:
        return os.path.samestat(os.fstat(handle), os.stat(path))
    except FileNotFoundError:
        return False


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


# A temporary file that replaces its target once it is complete, so that no file is ever half overwritten --------------
#
# Temporary files left in the same folder by killed runs are removed.


class Draft:
    """A temporary file; it is removed at the end of the ``with`` block unless `publish` was called.

    Parameters
    ----------
    target
        The file to be replaced; links are followed. A device or a pipe is written to directly.

    Attributes
    ----------
    path
        Where to write.

    Raises
    ------
    OSError
        When the target can't be written.
    """

    def __init__(self, target: str | os.PathLike[str]) -> None:
        self.target = self.path = Path(os.path.realpath(target))
        if self.target.exists() and not self.target.is_file():
            return
        if self.target.exists() and not os.access(self.target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        sweep(self.target.parent.glob(".dicelab-????????.part"))
        self.path = self.target.with_name(f".dicelab-{secrets.token_hex(4)}.part")
        claim(self.path)

    def publish(self) -> None:
        """Replace the target by the complete file."""
        if self.path != self.target:
            self.path.replace(self.target)
            release(self.path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self.path != self.target:
            with suppress(OSError):
                self.path.unlink(missing_ok=True)
            release(self.path)


@contextmanager
def replacing(target: str | os.PathLike[str], kind: type[DicelabError], what: str) -> Iterator[Path]:
    """Yield where to write a file that replaces another one at the end of the ``with`` block.

    Raises
    ------
    DicelabError
        Of this kind, about `what`, when it can't be written.
    """
    try:
        with Draft(target) as draft:
            yield draft.path
            draft.publish()
    except OSError as error:
        raise kind(f"{what} can't be written: {error.strerror or error}") from error
