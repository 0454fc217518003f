"""A Parquet file with a row for every game, written while games are played, so that memory use is constant.

The columns are ``game`` (its index), ``outcome`` (its name; missing if a game has only tallies) and one for each tally.
The metadata, under the key ``dicelab``, has all that is needed to play the same games again. Parquet needs pyarrow:
``pip install 'dicelab[parquet]'``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from dicelab.errors import DicelabError, ParameterError
from dicelab.limits import LIMITS
from dicelab.rules.game import Game, outcome_names
from dicelab.runtime.leftovers import Draft

KEY = "dicelab"
"""Key of the JSON object in the file's metadata."""


class Unwritten(DicelabError):
    """A file of games can't be written; the games played so far are not lost."""


def check_path(path: object, game: Game) -> str:
    """Return the path as text, if a file for this game can be written there; checked before any game is played.

    Raises
    ------
    ParameterError
        When the name does not end in ``.parquet``, its folder doesn't exist, a tally has the name of another column, or
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
            f"{game.name} has a tally called game, which is the name of the index column; rename the tally"
        )
    try:
        import pyarrow.parquet  # noqa: F401 (only whether it is there)
    except ImportError as error:
        raise ParameterError("out needs pyarrow: pip install 'dicelab[parquet]'") from error
    return text


class Records:
    """A Parquet file to which games are added; without `finish` it is removed at the end of the ``with`` block.

    Parameters
    ----------
    path
        The file, as allowed by `check_path`. An existing file is replaced at the end, by a complete one.
    game
        The game, with its parameters.
    rows
        Limit of the rows that are written together.

    Raises
    ------
    Unwritten
        When the file can't be written there.
    """

    def __init__(self, path: str, game: Game, rows: int | None = None) -> None:
        import numpy as np

        self.path = path
        self._names = list(outcome_names(game))
        columns = 1 + len(game.declared.tallies)
        self._rows = np.empty(
            (columns, max(1, min(rows or LIMITS.record_rows, LIMITS.record_bytes // (8 * columns)))), np.int64
        )
        self._filled = self._written = 0
        with _naming(self.path), ExitStack() as opened:
            self._draft = opened.enter_context(Draft(self.path))
            self._file = opened.enter_context(self._draft.path.open("wb"))
            self._writer, self._schema = _opened(self._file, bool(self._names), list(game.declared.tallies))
            opened.pop_all()

    def add(self, parts: Iterable[Any]) -> None:
        """Add the next games: arrays or lists of rows, outcome and tallies."""
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
        """Write the remaining rows and the metadata `about`, and put the complete file in its place."""
        if self._filled:
            self._write()
        with _naming(self.path):
            self._writer.add_key_value_metadata({KEY: json.dumps(about)})
            self._writer.close()
            self._file.close()
            self._draft.publish()

    def _write(self) -> None:
        """Write the collected rows."""
        import numpy as np
        import pyarrow as pa

        outcomes, *tallies = self._rows[:, : self._filled]
        columns = [pa.array(np.arange(self._written, self._written + self._filled))]
        if self._names:
            columns.append(pa.DictionaryArray.from_arrays(outcomes.astype(np.int32), pa.array(self._names)))
        columns += [pa.array(tally) for tally in tallies]
        with _naming(self.path):
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


def _opened(file: Any, outcomes: bool, tallies: list[str]) -> tuple[Any, Any]:
    """Return the Parquet writer for a file, and the schema of its columns.

    Indices rise by one, so they are stored as differences; outcomes and tallies have few values, so they are stored by
    dictionary. Statistics of row groups are left out: they would be nearly the same in all, and take a quarter of the
    time.
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
def _naming(path: str) -> Iterator[None]:
    """Turn errors of the system into `Unwritten`, naming the file."""
    try:
        yield
    except (OSError, ValueError) as error:  # a ValueError where there is a null byte in the name
        said = getattr(error, "strerror", None) or error
        raise Unwritten(f"{path}: the games can't be written: {said}") from error
