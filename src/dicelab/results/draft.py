"""A file that is written beside another, and takes its place once it is whole: no file is ever half overwritten.

Drafts that killed runs have left in the same folder are removed.
"""

from __future__ import annotations

import errno
import os
import secrets
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from dicelab.runtime import leftovers


class Draft:
    """A file to be written instead of another; gone at the end of the ``with`` block, unless it was published.

    Parameters
    ----------
    target
        What is to be replaced; links are followed. A device or a pipe is not replaced: it is the draft itself.

    Attributes
    ----------
    path
        Where to write.

    Raises
    ------
    OSError
        When the target may not be written.
    """

    def __init__(self, target: str | os.PathLike[str]) -> None:
        self.target = self.path = Path(os.path.realpath(target))
        if self.target.exists() and not self.target.is_file():
            return
        if self.target.exists() and not os.access(self.target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        leftovers.sweep(self.target.parent.glob(".dicelab-????????.part"))
        self.path = self.target.with_name(f".dicelab-{secrets.token_hex(4)}.part")
        leftovers.claim(self.path)

    def publish(self) -> None:
        """Take the target's place, now that all is written."""
        if self.path != self.target:
            self.path.replace(self.target)
            leftovers.release(self.path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self.path != self.target:
            with suppress(OSError):
                self.path.unlink(missing_ok=True)
            leftovers.release(self.path)
