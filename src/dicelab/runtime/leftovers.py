"""Temporary files: what a run that was killed has left behind is removed by the next one, and nothing of a live run.

A temporary file is locked (``flock``) by the process that writes it. The system releases the lock when that process
ends, however it ends, so a file whose lock is free is left over. Where there are no such locks nothing is removed.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

try:
    import fcntl
except ImportError:
    HAS_LOCKS = False  # Windows
else:
    HAS_LOCKS = True

LOCK = ".lock"
"""The file in a temporary folder that is locked in place of the folder."""
SURELY_OLD = 3600.0
"""Seconds after which a temporary file without a lock of its own is left over."""

_claimed: dict[Path, int] = {}
"""Temporary files and folders of this process, and the descriptor that holds the lock of each."""


def claim(path: Path) -> None:
    """Make a temporary file, or take an empty folder that was made, and hold its lock until `release`.

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
        os.close(handle)  # taken for left over, and removed, before it was locked


def release(path: Path) -> None:
    """Give up the lock of a temporary file, which has been removed or has got its final name."""
    handle = _claimed.pop(path, None)
    if handle is not None:
        os.close(handle)


def remove_claimed() -> None:
    """Remove all temporary files of this process, because it ends now."""
    for path in list(_claimed):
        _remove(path)
        release(path)


def sweep(paths: Iterable[Path]) -> None:
    """Remove those of some temporary files and folders that are left over and belong to this user."""
    for path in paths:
        if path not in _claimed:
            with suppress(OSError):
                _sweep_one(path)


def _sweep_one(path: Path) -> None:
    if not HAS_LOCKS or path.is_symlink() or path.stat().st_uid != os.geteuid():
        return
    locked = path / LOCK if path.is_dir() else path
    if not locked.exists():  # killed between the making of the folder and its lock
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
    """Note until this process ends that it uses a folder; tidy it up first if no other process uses it now."""
    if not HAS_LOCKS or folder in _shared or folder in _claimed:  # a claimed folder is nobody else's
        return
    with suppress(OSError):
        _shared[folder] = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        if _lock(_shared[folder]):
            tidy()  # whoever begins to use the folder waits for this
        fcntl.flock(_shared[folder], fcntl.LOCK_SH)


_shared: dict[Path, int] = {}
"""Folders that this process uses, and the descriptor that holds the lock of each."""


def _lock(handle: int) -> bool:
    """Lock a file unless another process has; no also where there are no locks."""
    if not HAS_LOCKS:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _is_at(handle: int, path: Path) -> bool:
    """Is an open file the one that is found under this name?"""
    try:
        return os.path.samestat(os.fstat(handle), os.stat(path))
    except FileNotFoundError:
        return False


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
