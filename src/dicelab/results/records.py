"""Every game a row of a Parquet file, written while games are played: memory does not grow with their number.

The columns are ``game`` (its index), ``outcome`` (its name; none where a game has only tallies) and each tally. Under
the key ``dicelab`` the file says how to play the same games again. Parquet is written by pyarrow, an extra:
``pip install 'dicelab[parquet]'``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from dicelab.errors import DicelabError, ParameterError
from dicelab.results.draft import Draft
from dicelab.rules.game import Game, outcome_names

KEY = "dicelab"
"""Names the JSON object in the file's metadata."""
ROWS, BYTES = 2**20, 2**26
"""Rows that are written together, at the most, and their bytes in memory."""


class Unwritten(DicelabError):
    """A file of games can't be written; what was played is not lost."""


def check_path(path: object, game: Game) -> str:
    """The path as a text, when a file of this game can be there; else refused before anything is played.

    Raises
    ------
    ParameterError
        When the name does not end in ``.parquet``, its folder is not there, a tally has the name of another column, or
        pyarrow is not installed.

    Examples
    --------
    >>> from dicelab.games.hazard import Hazard
    >>> check_path("games.parquet", Hazard())
    'games.parquet'
    """
    text = os.fspath(path) if isinstance(path, str | os.PathLike) else None
    if not isinstance(text, str):
        raise ParameterError(f"out: {path!r} is not allowed; it takes the name of a file that ends in .parquet")
    if Path(text).suffix.lower() != ".parquet":
        raise ParameterError(f"{text}: games are written as .parquet; end the file's name with it")
    if not os.path.isdir(Path(text).parent):
        raise ParameterError(f"{text}: there is no folder {Path(text).parent}")
    if os.path.isdir(text):
        raise ParameterError(f"{text} is a folder; give the name of a file")
    if "game" in game.declared.tallies:
        raise ParameterError(
            f"{game.name} has a tally game, and so is called the column of the index; rename the tally"
        )
    try:
        import pyarrow.parquet  # noqa: F401 (only whether it is there)
    except ImportError as error:
        raise ParameterError("out needs pyarrow: pip install 'dicelab[parquet]'") from error
    return text


class Records:
    """A Parquet file that games are added to; without `finish` it is gone at the end of the ``with`` block.

    Parameters
    ----------
    path
        The file, as `check_path` allows it. One that is there is replaced at the end, at once and by a whole file.
    game
        The game, with its parameters.

    Raises
    ------
    Unwritten
        When the file can't be written there.
    """

    def __init__(self, path: str, game: Game) -> None:
        import numpy as np

        self.path = path
        self._names = list(outcome_names(game))
        columns = 1 + len(game.declared.tallies)
        self._rows = np.empty((columns, max(1, min(ROWS, BYTES // (8 * columns)))), np.int64)
        self._filled = self._written = 0
        with _told(self.path):
            self._draft = Draft(self.path)
            try:
                self._file = self._draft.path.open("wb")
                self._writer, self._schema = _begun(self._file, bool(self._names), list(game.declared.tallies))
            except BaseException:
                self._draft.__exit__(None, None, None)
                raise

    def add(self, parts: Iterable[Any]) -> None:
        """Add the next games: arrays or lists of rows, outcome and tallies.

        Raises
        ------
        Unwritten
        """
        import numpy as np

        for part in parts:
            rows = np.asarray(part, np.int64)
            while len(rows):
                some = rows[: self._rows.shape[1] - self._filled]
                self._rows[:, self._filled : self._filled + len(some)] = some.T
                self._filled += len(some)
                rows = rows[len(some) :]
                if self._filled == self._rows.shape[1]:
                    self._write()

    def finish(self, about: Mapping[str, Any]) -> None:
        """Write what is left, and what the games are; the file is then whole, and at its place.

        Raises
        ------
        Unwritten
        """
        if self._filled:
            self._write()
        with _told(self.path):
            self._writer.add_key_value_metadata({KEY: json.dumps(about)})
            self._writer.close()
            self._file.close()
            self._draft.publish()

    def _write(self) -> None:
        """Write the rows that have come together."""
        import numpy as np
        import pyarrow as pa

        outcomes, *tallies = self._rows[:, : self._filled]
        columns = [pa.array(np.arange(self._written, self._written + self._filled))]
        if self._names:
            columns.append(pa.DictionaryArray.from_arrays(outcomes.astype(np.int32), pa.array(self._names)))
        columns += [pa.array(tally) for tally in tallies]
        with _told(self.path):
            self._writer.write_table(pa.Table.from_arrays(columns, schema=self._schema))
        self._written += self._filled
        self._filled = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for opened in (self._writer, self._file):
            with suppress(OSError):
                opened.close()
        self._draft.__exit__(kind, error, at)


def _begun(file: Any, outcomes: bool, tallies: list[str]) -> tuple[Any, Any]:
    """What writes tables to a file, and how their columns look.

    Indices rise by one, so their differences are next to nothing; outcomes and tallies have few values. Bounds of their
    values in each group of rows would be much the same in all of them, and take a quarter of the time.
    """
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    kinds = {"game": pa.int64()}
    kinds |= {"outcome": pa.dictionary(pa.int32(), pa.string())} if outcomes else {}
    kinds |= dict.fromkeys(tallies, pa.int64())
    schema = pa.schema([pa.field(name, kind, nullable=False) for name, kind in kinds.items()])
    writer = ParquetWriter(
        file,
        schema,
        use_dictionary=list(kinds)[1:],
        column_encoding={"game": "DELTA_BINARY_PACKED"},
        write_statistics=["game"],
    )
    return writer, schema


@contextmanager
def _told(path: str) -> Iterator[None]:
    """Say of which file it is that the system refused something."""
    try:
        yield
    except (OSError, ValueError) as error:  # a ValueError where there is a null byte in the name
        said = getattr(error, "strerror", None) or error
        raise Unwritten(f"{path}: the games can't be written: {said}") from error
