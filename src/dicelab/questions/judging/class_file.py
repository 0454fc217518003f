"""A table of the results of a class: a row for each pupil, or a row for each game with the name of the pupil.

The columns are recognised by their names and by what they contain:

* the name of the pupil: a column called ``name``, ``pupil`` or ``student``, else the first one with words;
* ``seed``, and ``games`` where there are no counts;
* a row for each pupil: a column with the count of each outcome, called like it (``0``, ``seat 0``, ``win``); or, if no
  column is called so, as many columns of whole numbers as there are outcomes, in their order. Columns called like a
  tally have its mean, ``sd TALLY`` its standard deviation;
* a row for each game: ``outcome`` or ``winner`` (or any column that has nothing but names of outcomes), or a column for
  each outcome with 1 in the one that happened; columns called like tallies have their values.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dicelab.errors import InputError, ParameterError
from dicelab.questions.judging.sample import Sample, path_of, table
from dicelab.results.base import winners
from dicelab.rules.game import Game, outcome_names
from dicelab.rules.params import whole_number

CALLED = ("name", "pupil", "student", "names", "pupils", "students", "id")
"""What the column of the names may be called; or else one of these words is in its name."""
ENDED = ("outcome", "winner")
"""What the column of the outcomes may be called, or one of its words, in a table with a row for each game."""
MOST_PUPILS = 1_000
"""Maximum number of pupils."""


@dataclass(frozen=True)
class Pupil:
    """The results of one pupil.

    Attributes
    ----------
    name, seed
        As they are written; the seed is empty if it isn't given.
    sample
        The results.
    course
        The outcome of each game, in order; empty in a table with a row for each pupil.
    """

    name: str
    seed: str
    sample: Sample
    course: tuple[str, ...] = field(default=(), repr=False)


def read_class(game: Game, file: str | os.PathLike[str]) -> tuple[list[Pupil], list[str]]:
    """Return the pupils in a file, in the order of the table, and remarks about how columns were understood.

    Raises
    ------
    ParameterError
        When it can't be read, is not such a table, or has a value that is not allowed; the message gives the line.
    """
    path = path_of(file)
    with table(path) as (names, mark, lines):
        rows = [(line, [_point(cell.strip()) if mark == ";" else cell.strip() for cell in row]) for line, row in lines]
    pupils, remarks = _Table(game, path, names, rows).read() if rows else ([], [])
    if not pupils:
        raise ParameterError(f"{path} has no pupils; a table has a row for each below the names of its columns")
    if len(pupils) > MOST_PUPILS:
        raise ParameterError(f"{path} has {len(pupils):,} pupils; a class has at most {MOST_PUPILS:,}")
    return pupils, remarks


Rows = Sequence[tuple[int, list[str]]]


def _point(cell: str) -> str:
    """Return a number with a decimal comma, as spreadsheets write it between semicolons, with a point."""
    return re.sub(r"^(-?\d+),(\d+)$", r"\1.\2", cell)


def _called(lower: dict[str, str], words: Sequence[str]) -> str | None:
    """Return the column that is called like one of some words, or else the first with one of them in its name."""
    named = [lower[word] for word in words if word in lower]
    named += [name for text, name in lower.items() if set(re.findall(r"[a-z]+", text)) & set(words)]
    return named[0] if named else None


def _seat(text: str) -> int | None:
    """Return the number of a seat that is written as a number, or as ``Player 2`` or ``seat 1``."""
    return whole_number(re.sub(r"(?i)^(player|seat)[ _#.]*", "", text))


class _Table:
    """Which column has what."""

    def __init__(self, game: Game, path: str, names: Sequence[str], rows: Rows) -> None:
        self.game, self.path, self.rows, self.remarks = game, path, rows, list[str]()
        self.whole = list[str]()
        self.outcomes = outcome_names(game)
        self.columns = {name: [row[place] for _, row in rows] for place, name in enumerate(names)}
        lower = {name.lower(): name for name in names}
        self.seed, self.games = _called(lower, ("seed",)), lower.get("games", lower.get("n"))
        tallies = game.declared.tallies
        self.tallies = [name for name in names if name in tallies]
        written = {name: re.fullmatch(r"(mean|sd)(?: of)?[ _.]+(\w+)", name.lower()) for name in names}
        self.written = {name: cell for name, cell in written.items() if cell and cell[2] in tallies}
        self.flags = self._flags(names)
        self.ended = self._ended(lower)
        self.name = self._name(lower)

    def _taken(self) -> set[str | None]:
        return {self.seed, self.games, *self.tallies, *self.written, *self.flags.values()}

    def _flags(self, names: Sequence[str]) -> dict[str, str]:
        """By outcome, the column that is called like it; empty unless there is one for each."""
        words = {name: re.sub(r"^(seat|wins?( of)?)[ _]+|[ _]+wins?$", "", name.lower().strip()) for name in names}
        from_one = [str(place) for place in range(1, len(self.outcomes) + 1)]
        if winners(self.game) and "0" not in words.values() and set(from_one) <= set(words.values()):
            self.remarks.append("columns: seats are counted from 1 in the table")
            return {str(int(word) - 1): name for name, word in words.items() if word in from_one}
        if winners(self.game) and not _called({name.lower(): name for name in names}, ENDED):
            numbered = self._numbered(names, from_one)
            if numbered:
                return numbered
        return self._flags_by_name(words)

    def _flags_by_name(self, words: Mapping[str, str]) -> dict[str, str]:
        """By outcome, the column that has its name, or whose word in `words` is its name."""
        flags: dict[str, str] = {}
        for name, word in words.items():
            for outcome in self.outcomes:
                if name == outcome or word == outcome.lower():
                    flags.setdefault(outcome, name)
        missing = [outcome for outcome in self.outcomes if outcome not in flags]
        if flags and missing and len(flags) > 1:
            raise ParameterError(f"{self.path}: there is no column for the outcome {missing[0]!r}, but for others")
        return {} if missing else flags

    def _numbered(self, names: Sequence[str], numbers: Sequence[str]) -> dict[str, str]:
        """By outcome, the columns whose names differ in a number from 1 on, such as "Spieler 1"; empty if none do."""
        parted = [(name, re.fullmatch(r"(\D+?)[ _#.]*(\d+)", name)) for name in names]
        for before in dict.fromkeys(parts[1] for _, parts in parted if parts):
            same = {parts[2]: name for name, parts in parted if parts and parts[1] == before}
            if set(same) == set(numbers):
                self.remarks.append(f"columns: {before} 1 to {len(same)} are taken as the wins of the players")
                return {str(int(number) - 1): name for number, name in same.items()}
        return {}

    def _ended(self, lower: dict[str, str]) -> str | None:
        """Return the column with the outcome of each game."""
        if not self.outcomes or self.flags:
            return None
        named = _called(lower, ENDED)
        if named:
            return named
        free = [name for name in self.columns if name not in self._taken()]
        if not winners(self.game):
            return next((name for name in free if set(self.columns[name]) <= set(self.outcomes)), None)
        return self._winner(free)

    def _winner(self, free: Sequence[str]) -> str | None:
        """Return the only one of the columns that has the winner of each game, counted from 0 or from 1."""
        seats = [{str(seat + first) for seat in range(len(self.outcomes))} for first in (0, 1)]
        named = [name for name in free if set(self.columns[name]) in seats]
        if len(named) != 1 or self.written or self.games:
            return None
        others = [self.columns[name] for name in free if name != named[0]]
        pupils = next((cells for cells in others if any(whole_number(cell) is None for cell in cells)), None)
        if pupils is None or len(set(zip(pupils, self.columns[named[0]], strict=True))) == len(set(pupils)):
            return None  # always the same for a pupil, such as a group
        self.remarks.append(f"{named[0]}: taken as the winner of each game")
        return named[0]

    def _name(self, lower: dict[str, str]) -> str:
        """Return the column with the names of the pupils."""
        free = [name for name in self.columns if name not in self._taken() | {self.ended}]
        named = _called({text: name for text, name in lower.items() if name in free}, CALLED)
        words = [name for name in free if any(whole_number(cell) is None for cell in self.columns[name])]
        if not (named or words):
            raise ParameterError(f"{self.path}: no column has the names of the pupils; call it name")
        return named or words[0]

    def read(self) -> tuple[list[Pupil], list[str]]:
        """Return the pupils."""
        repeated = len(set(self.columns[self.name])) < len(self.rows)
        ones = self.flags and all(
            sorted(self.columns[name][k] for name in self.flags.values()) == ["0"] * (len(self.flags) - 1) + ["1"]
            for k in range(len(self.rows))
        )
        single = self.ended is not None or (repeated and (ones or (not self.flags and bool(self.tallies))))
        pupils = self._by_game() if single else self._by_pupil()
        unused = [
            name for name in self.columns if name and name not in self._taken() | {self.name, self.ended, *self.whole}
        ]
        if unused:
            self.remarks.append(f"columns that are not used: {', '.join(unused)}")
        return pupils, self.remarks

    def _by_pupil(self) -> list[Pupil]:
        """Return the pupils of a table with a row for each."""
        columns = [self.flags[outcome] for outcome in self.outcomes] if self.flags else self._whole_columns()
        by_name: dict[str, Pupil] = {}
        for k, (line, _) in enumerate(self.rows):
            name = self._pupil(line, k)
            if name in by_name:
                here = f"{self.path}, line {line}: {name!r} has two rows"
                raise ParameterError(f"{here}; a pupil has one row, or one for each game")
            means = {tally: self.columns[tally][k] for tally in self.tallies if self.columns[tally][k]}
            spreads = dict[str, str]()
            for column, how in self.written.items():
                if self.columns[column][k]:
                    (means if how[1] == "mean" else spreads)[how[2]] = self.columns[column][k]
            counts = [self.columns[column][k] for column in columns] or None
            if counts and not any(counts) and not means:
                self.remarks.append(f"line {line}: {name} has no results and is left out")
                continue
            games = self.columns[self.games][k] if self.games else None
            try:
                sample = Sample.typed(self.game, counts, means, spreads, games or None)
            except InputError as error:
                raise ParameterError(f"{self.path}, line {line}, {name}: {error}") from None
            by_name[name] = Pupil(name, self._seed(k), sample)
        self._refuse_totals(list(by_name.values()))
        return list(by_name.values())

    def _refuse_totals(self, pupils: Sequence[Pupil]) -> None:
        """Refuse a last row with the sums of the others: these games would be counted twice."""
        counts = [pupil.sample.counts for pupil in pupils if pupil.sample.counts]
        if len(counts) > 2 and all(last == sum(others) for *others, last in zip(*counts, strict=True)):
            raise ParameterError(f"{self.path}: the row of {pupils[-1].name!r} is the sum of the others; leave it out")

    def _whole_columns(self) -> list[str]:
        """Return the columns of whole numbers that are left, if there are as many as outcomes."""
        free = [name for name in self.columns if name not in self._taken() | {self.name, self.ended}]
        whole = [name for name in free if all(whole_number(cell) is not None for cell in self.columns[name])]
        if self.outcomes and len(whole) == len(self.outcomes):
            pairs = ", ".join(f"{name} is {outcome}" for name, outcome in zip(whole, self.outcomes, strict=True))
            self.remarks.append(f"columns taken as the counts of the outcomes, in their order: {pairs}")
            self.whole = whole
            return whole
        if self.tallies or self.written:
            return []
        known = ", ".join(self.outcomes if len(self.outcomes) <= 8 else (*self.outcomes[:8], "..."))
        raise ParameterError(
            f"{self.path}: no columns with the counts of the outcomes ({known}), no column outcome or winner, "
            f"and none called like a tally of {self.game.name}"
        )

    def _by_game(self) -> list[Pupil]:
        """Return the pupils of a table with a row for each game."""
        first = self._first_seat()
        courses: dict[str, list[str]] = {}
        values: dict[str, dict[str, Counter[int]]] = {}
        seeds: dict[str, set[str]] = {}
        for k, (line, _) in enumerate(self.rows):
            name = self._pupil(line, k)
            courses.setdefault(name, []).append(self._ending(line, k, first))
            seeds.setdefault(name, set()).add(self._seed(k))
            mine = values.setdefault(name, {tally: Counter() for tally in self.tallies})
            for tally in self.tallies:
                mine[tally][self._whole(line, tally, self.columns[tally][k])] += 1
        pupils = []
        for name, course in courses.items():
            ended = Counter(course)
            counts = [ended[outcome] for outcome in self.outcomes] if self.ended or self.flags else None
            sample = Sample.gathered(len(course), counts, values[name])
            seed = seeds[name].pop() if len(seeds[name]) == 1 else ""
            pupils.append(Pupil(name, seed, sample, tuple(course) if counts is not None else ()))
        return pupils

    def _first_seat(self) -> int:
        """1 if the winners are counted from 1, else 0."""
        if self.ended is None or not winners(self.game):
            return 0
        numbers = {_seat(cell) for cell in self.columns[self.ended]}
        players = any(cell.lower().startswith("player") for cell in self.columns[self.ended])
        if (len(self.outcomes) in numbers or players) and 0 not in numbers:
            self.remarks.append(f"{self.ended}: seats are counted from 1 in the table")
            return 1
        return 0

    def _ending(self, line: int, k: int, first: int) -> str:
        """Return the outcome of one game; empty if the table has none."""
        if self.flags:
            return next(outcome for outcome, column in self.flags.items() if self.columns[column][k] == "1")
        if self.ended is None:
            return ""
        text = self.columns[self.ended][k]
        number = _seat(text)
        word = str(number - first) if winners(self.game) and number is not None else text
        if word not in self.outcomes:
            raise ParameterError(f"{self.path}, line {line}: {text!r} is no outcome: {', '.join(self.outcomes)}")
        return word

    def _pupil(self, line: int, k: int) -> str:
        """Return the name in one row."""
        name = self.columns[self.name][k]
        if not name:
            raise ParameterError(f"{self.path}, line {line}: the name of the pupil is missing")
        return name

    def _seed(self, k: int) -> str:
        return self.columns[self.seed][k] if self.seed else ""

    def _whole(self, line: int, name: str, text: str) -> int:
        """Return the value of a tally in one game."""
        number = whole_number(text)
        if number is None or abs(number) >= 2**62:
            raise ParameterError(f"{self.path}, line {line}: {name} is {text!r}; it must be a whole number")
        return number
