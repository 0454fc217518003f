"""A temporary file that replaces its target once it is complete, so that no file is ever half overwritten.

Temporary files left in the same folder by killed runs are removed.
"""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from dicelab.errors import DicelabError
from dicelab.runtime import leftovers


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
        leftovers.sweep(self.target.parent.glob(".dicelab-????????.part"))
        self.path = self.target.with_name(f".dicelab-{secrets.token_hex(4)}.part")
        leftovers.claim(self.path)

    def publish(self) -> None:
        """Replace the target by the complete file."""
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
