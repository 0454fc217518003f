"""The results of another program: counts and means that were typed, or a table with a row for each game."""

from __future__ import annotations

import codecs
import csv
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from importlib import import_module
from math import isfinite, nan, sqrt

from dicelab.errors import ParameterError, unknown
from dicelab.results.base import winners
from dicelab.rules.game import Game, outcome_names
from dicelab.rules.params import as_integer, whole_number

MOST_GAMES = 10**12
"""Largest number of games: beyond it, errors of floating point would be significant."""


@dataclass(frozen=True)
class Mean:
    """The mean of a tally over the games, and its standard deviation if given.

    Both may have been rounded: they lie within `half` and `sd_half` of the given numbers.
    """

    value: float
    half: float = 0.0
    sd: float | None = None
    sd_half: float = 0.0


@dataclass(frozen=True)
class Sample:
    """What is known of a simulation.

    Attributes
    ----------
    games
        The number of games.
    counts
        Games that ended with each outcome, in the order of the outcomes; None if not given.
    means
        By tally.
    values
        Number of games by value, by tally; only from a file.
    unused
        Columns of the file that are neither outcomes nor tallies.
    """

    games: int
    counts: tuple[int, ...] | None = None
    means: Mapping[str, Mean] = field(default_factory=dict)
    values: Mapping[str, Counter[int]] = field(default_factory=dict)
    unused: tuple[str, ...] = ()

    @classmethod
    def typed(
        cls,
        game: Game,
        counts: Sequence[object] | Mapping[str, object] | None,
        mean: Mapping[str, object],
        sd: Mapping[str, object],
        games: object,
    ) -> Sample:
        """Return the sample with these counts, means and standard deviations.

        Raises
        ------
        InputError
            When one of them is not allowed, or they contradict each other.
        """
        known = tuple(game.declared.tallies)
        for name in (*mean, *sd):
            if name not in known:
                raise unknown(f"tally of {game.name}", name, known)
        for name in sd:
            if name not in mean:
                raise ParameterError(f"sd: {name} has no mean; give its mean as well")
        if counts is None and not mean:
            raise ParameterError("nothing to judge: give counts, means (with the number of games) or a file")
        counted = None if counts is None else _counts(game, counts)
        total = _games(games, counted)
        means = {name: _mean(name, value, sd.get(name)) for name, value in mean.items()}
        return cls(total, counted, means)

    @classmethod
    def gathered(
        cls, games: int, counts: Sequence[int] | None, values: Mapping[str, Counter[int]], unused: Sequence[str] = ()
    ) -> Sample:
        """Return the sample with all values of some tallies."""
        means = {name: _mean_of(one, games) for name, one in values.items()}
        return cls(games, None if counts is None else tuple(counts), means, values, tuple(unused))


def _mean_of(values: Counter[int], games: int) -> Mean:
    """Return the mean and the standard deviation of values."""
    mean = sum(value * count for value, count in values.items()) / games
    square = sum(count * (value - mean) ** 2 for value, count in values.items())
    return Mean(mean, 0.0, sqrt(square / max(1, games - 1)))


def _counts(game: Game, counts: Sequence[object] | Mapping[str, object]) -> tuple[int, ...]:
    """Return the counts in the order of the outcomes."""
    names = outcome_names(game)
    if not names:
        raise ParameterError(f"{game.name} has no outcomes, only tallies, so there is nothing to compare counts with")
    if isinstance(counts, Mapping):
        for name in counts:
            if name not in names:
                raise unknown(f"outcome of {game.name}", str(name), names)
        counts = [counts.get(name, 0) for name in names]
    if len(counts) != len(names):
        listed = ", ".join(names) if len(names) <= 12 else f"{names[0]}, {names[1]}, ..., {names[-1]}"
        raise ParameterError(
            f"counts: {len(counts)} given, but {game.name} has {len(names)} outcomes with these parameters: {listed}"
        )
    kind = "seat" if winners(game) else "outcome"
    return tuple(_whole(f"counts: {kind} {name}", count, 0) for name, count in zip(names, counts, strict=True))


def _games(games: object, counts: tuple[int, ...] | None) -> int:
    """Return the number of games; it must be the sum of the counts, if there are counts."""
    if games is None and counts is None:
        raise ParameterError("games: a mean can't be judged without the number of games; give it as well")
    given = None if games is None else _whole("games", games, 1)
    if counts is None:
        assert given is not None
        return given
    total = sum(counts)
    if given is not None and given != total:
        raise ParameterError(f"counts: they add up to {total:,}, not to the {given:,} games")
    if not total:
        raise ParameterError("counts: they add up to 0, so there are no games to judge")
    return _whole("counts: their sum", total, 1)


def _whole(name: str, value: object, least: int) -> int:
    """Return a number of games, also from text such as 1e6."""
    count = whole_number(value) if isinstance(value, str) else as_integer(value)
    if count is None or not least <= count <= MOST_GAMES:
        raise ParameterError(f"{name}: {value!r} is not allowed; it takes a whole number, {least} to {MOST_GAMES:,}")
    return count


def _mean(name: str, value: object, sd: object) -> Mean:
    """Return a mean and a standard deviation, as rounded to the digits in which they are written."""
    mean, half = _rounded(f"mean: {name}", value)
    if sd is None:
        return Mean(mean, half)
    deviation, sd_half = _rounded(f"sd: {name}", sd)
    if deviation < 0:
        raise ParameterError(f"sd: {name}: {sd!r} is not allowed; a standard deviation is at least 0")
    return Mean(mean, half, deviation, sd_half)


def _rounded(name: str, value: object) -> tuple[float, float]:
    """Return a finite number, and half a unit of its last digit; of a whole number, 1/2.

    >>> _rounded("mean", "18.9"), _rounded("mean", 20)
    ((18.9, 0.05), (20.0, 0.5))
    """
    try:
        written = Decimal(str(value).strip())
        number = float(written)
    except (ArithmeticError, ValueError):
        number = nan
    if isinstance(value, bool) or not isfinite(number):
        raise ParameterError(f"{name}: {value!r} is not allowed; it takes a number, such as 18.9")
    return number, 0.5 * 10.0 ** min(0, int(written.as_tuple().exponent))


def path_of(file: str | os.PathLike[str]) -> str:
    """Return the path of a file that exists."""
    path = os.fspath(file)
    if not os.path.isfile(path):
        raise ParameterError(f"{path} is a folder, not a file" if os.path.isdir(path) else f"there is no file {path}")
    return path


# A table of games as a sample: comma-separated values with one row for each game --------------------------------------
#
# The first row has the names of the columns. A column called ``outcome`` has the name of the outcome; or there is one
# column for each outcome, with 1 in the one that happened and 0 in the others. Columns called like tallies have whole
# numbers. Other columns are not used. Columns may also be separated by semicolons or tabs. Saved games, in a file or a
# folder, are such a table, too.


PREFACE = re.compile(r"\s*($|#(?![,;\t])|sep=.\s*$)", re.IGNORECASE)
"""Lines before the names of the columns that are left out."""
SAVED = "dicelab.interface.play.review"
"""What reads saved games; imported by name, because it belongs to the interface, which imports the questions."""
OUTCOME = "outcome"
"""Column with the names of outcomes."""


def read_sample(game: Game, file: str | os.PathLike[str]) -> Sample:
    """Return the games in a file.

    Raises
    ------
    ParameterError
        When it can't be read, is not such a table, or has a value that is not allowed; the message gives the line.
    """
    path = os.fspath(file) if os.path.isdir(file) else path_of(file)
    if _is_saved(path):
        names, *rows = import_module(SAVED).finished(game, path)
        return _Columns(game, names, path).read(enumerate(rows, 1))
    with table(path) as (names, _, rows):
        return _Columns(game, names, path).read(rows)


def _is_saved(path: str) -> bool:
    """Return whether a file has saved games, as folders do: no table begins with a brace."""
    if os.path.isdir(path):
        return True
    try:
        with open(path, encoding="utf-8-sig") as opened:
            return opened.read(100).lstrip().startswith("{")
    except (OSError, UnicodeError):  # reading it as a table says why
        return False


Rows = Iterator[tuple[int, list[str]]]


@contextmanager
def table(path: str) -> Iterator[tuple[list[str], str, Rows]]:
    """Open a table: the names of its columns, what separates them, and its rows with the numbers of their lines.

    Empty lines, lines before the names that begin with ``#``, and the ``sep=;`` of spreadsheets are left out, and so
    are columns at the end that have neither a name nor anything else.

    Raises
    ------
    ParameterError
        When it can't be read, or two columns have the same name.
    """
    try:
        with open(path, encoding=encoding_of(path), newline="") as opened:
            first, header = next(((n, line) for n, line in enumerate(opened, 1) if not PREFACE.match(line)), (0, ""))
            if not header:
                raise ParameterError(f"{path} is empty; a table has the names of its columns in the first line")
            mark = max(",;\t", key=header.count)
            names = [name.strip() for name in next(csv.reader([header], delimiter=mark, strict=True))]
            while names and not names[-1]:
                names.pop()
            if names.count("") > 1 or not names:
                raise ParameterError(f"{path}: line {first} must name the columns; it is {header.strip()!r}")
            twice = [name for name, count in Counter(names).items() if count > 1]
            if twice:
                raise ParameterError(f"{path}: two columns are called {twice[0]!r}")
            yield names, mark, _rows(csv.reader(opened, delimiter=mark, strict=True), len(names), first)
    except UnicodeError as error:
        raise ParameterError(f"{path} is not text; save the table as CSV in UTF-8") from error
    except (OSError, csv.Error) as error:
        raise ParameterError(f"{path} can't be read as a table: {error}") from error


def encoding_of(path: str) -> str:
    """Return the encoding of a text file: UTF-8, UTF-16 if it says so, or else that of Windows in western Europe.

    Raises
    ------
    UnicodeError
        When it is none of these, or has zero bytes, as files of spreadsheets have.
    """
    with open(path, "rb") as opened:
        marked = opened.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    for encoding in ("utf-16",) if marked else ("utf-8-sig", "cp1252"):
        try:
            with open(path, encoding=encoding) as text:
                if not any("\0" in line for line in text):
                    return encoding
        except UnicodeError:
            continue
    raise UnicodeError(f"{path} is not text")


def _rows(reader: Iterator[list[str]], columns: int, first: int) -> Rows:
    """Yield the rows with their line numbers, empty lines left out; `first` is the line of the names."""
    for line, row in enumerate(reader, start=first + 1):
        if not any(cell.strip() for cell in row):
            continue
        while len(row) > columns and not row[-1].strip():
            row.pop()
        if len(row) != columns:
            title = "; delete a title above the names of the columns" if columns == 1 else ""
            raise csv.Error(f"line {line} has {len(row)} columns, but line {first} names {columns}{title}")
        yield line, row


class _Columns:
    """Which column has what."""

    def __init__(self, game: Game, names: Sequence[str], path: str) -> None:
        self.path, self.outcomes = path, outcome_names(game)
        places = {name: place for place, name in enumerate(names)}
        self.outcome = places.get(OUTCOME) if self.outcomes else None
        self.flags = [] if self.outcome is not None else self._flags(places)
        self.tallies = {name: places[name] for name in game.declared.tallies if name in places}
        used = {self.outcome, *self.flags, *self.tallies.values()}
        self.unused = [name for name, place in places.items() if place not in used]
        if used == {None}:
            known = ", ".join([*([OUTCOME] if self.outcomes else []), *game.declared.tallies])
            raise ParameterError(f"{path}: no column is called like an outcome or a tally of {game.name}: {known}")

    def _flags(self, places: dict[str, int]) -> list[int]:
        """Return the columns of the outcomes, if there are any."""
        missing = [name for name in self.outcomes if name not in places]
        if missing and len(missing) < len(self.outcomes):
            raise ParameterError(f"{self.path}: there is no column for the outcome {missing[0]!r}, but for others")
        return [] if missing else [places[name] for name in self.outcomes]

    def read(self, rows: Iterator[tuple[int, list[str]]]) -> Sample:
        """Count the rows."""
        games, ended = 0, Counter[str]()
        values = {name: Counter[int]() for name in self.tallies}
        for line, row in rows:
            games += 1
            if self.outcome is not None or self.flags:
                ended[self._ending(line, row)] += 1
            for name, place in self.tallies.items():
                values[name][self._whole(line, name, row[place])] += 1
        if not games:
            raise ParameterError(f"{self.path} has no games; a table has one row for each game below the names")
        counts = [ended[name] for name in self.outcomes] if ended else None
        return Sample.gathered(games, counts, values, self.unused)

    def _ending(self, line: int, row: list[str]) -> str:
        """Return the outcome of one game."""
        if self.outcome is not None:
            name = row[self.outcome].strip()
            if name not in self.outcomes:
                raise ParameterError(f"{self.path}, line {line}: {name!r} is no outcome: {', '.join(self.outcomes)}")
            return name
        cells = [row[place].strip() for place in self.flags]
        if sorted(cells) != ["0"] * (len(cells) - 1) + ["1"]:
            raise ParameterError(f"{self.path}, line {line}: the outcomes must be 1 in one column, 0 in the others")
        return self.outcomes[cells.index("1")]

    def _whole(self, line: int, name: str, text: str) -> int:
        """Return the value of a tally in one game."""
        number = whole_number(text.strip())
        if number is None or abs(number) >= 2**62:
            raise ParameterError(f"{self.path}, line {line}: {name} is {text!r}; it must be a whole number")
        return number
