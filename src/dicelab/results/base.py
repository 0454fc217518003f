"""What all results have in common: what was asked, how it ended, and their forms: text, plain data, JSON, tables."""

from __future__ import annotations

import csv
import io
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import Field, dataclass, fields, is_dataclass
from fractions import Fraction
from inspect import getdoc
from operator import attrgetter
from textwrap import shorten
from typing import Any, ClassVar

from dicelab.results.entries import Read, entries_of
from dicelab.results.text.html import WEB, Web, in_html
from dicelab.results.text.page import Printing
from dicelab.results.text.sentences import capital
from dicelab.results.text.table import Column, Table, Text
from dicelab.results.text.table import plain as plain_text
from dicelab.results.text.writing import many
from dicelab.rules.game import Game, outcome_names, player_names, shown
from dicelab.rules.loading.hashing import source_hash
from dicelab.rules.wording import setting_called
from dicelab.runtime.frames import frame
from dicelab.runtime.strategies import Given, known_calls
from dicelab.solver.value import known
from dicelab.version import __version__

SCHEMA = 2
"""Version of the plain data; docs/json.md describes it, and schema/v2.json defines it."""
SMALL = 1e-4
"""Numbers below this are written with an exponent in comma-separated values."""

LONGEST = 100
"""Characters that a result has in a list or at Python's prompt, at most."""


def head(method: str, **known: Any) -> dict[str, Any]:
    """Return the first entries of all plain data; those that are unknown are None.

    >>> list(head("list"))[:4], head("list")["game"]
    (['schema', 'method', 'game', 'parameters'], None)
    """
    asked = {"schema": SCHEMA, "method": method, "game": None, "parameters": {}, "strategies": [], "arguments": []}
    played = {"seed": None, "games": None, "version": __version__, "source_hash": None, "seconds": None}
    return asked | played | known


def present(**entries: Any) -> dict[str, Any]:
    """Return the entries of plain data that are not empty, False or None; the others are left out.

    >>> present(note="", engines={}, out="games.parquet")
    {'out': 'games.parquet'}
    """
    return {name: value for name, value in entries.items() if value}


def as_csv(rows: Sequence[dict[str, Any]], full: bool = False) -> str:
    r"""Return the rows as comma-separated values, with a header; a cell is empty where a row does not have the column.

    Numbers have six decimal places, small ones six digits, or all their digits if `full`.

    >>> print(as_csv([{"seat": 0, "chance": 1 / 3}, {"seat": 1, "chance": 0.00001, "draw": True}]), end="")
    seat,chance,draw
    0,0.333333,
    1,1e-05,yes
    """
    columns = dict.fromkeys(name for row in rows for name in row)
    text = io.StringIO()
    table = csv.DictWriter(text, columns, lineterminator="\n")
    table.writeheader()
    table.writerows({name: _cell(value, full) for name, value in row.items()} for row in rows)
    return text.getvalue()


def _cell(value: Any, full: bool) -> Any:
    """Return a value as a cell of comma-separated values."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and not full:
        return f"{value:.6f}" if value == 0 or abs(value) >= SMALL else f"{value:.6g}"
    return json.dumps(value) if isinstance(value, dict | list) else value


def under(summary: str, page: Printing, lines: Sequence[str]) -> str:
    """Return lines as text under a sentence, if there is one."""
    return "\n".join([*page.paragraphs(summary), "", page.text(lines)]) if summary else page.text(lines)


KINDS = {"int": "integer", "float": "number", "str": "string", "bool": "boolean", "None": "null"}
KINDS |= {"list": "array", "tuple": "array", "dict": "object"}
"""What types are called in a JSON Schema."""


def _kind(of: Any) -> dict[str, Any]:
    """Return the JSON Schema of values of a type, as an annotation names it.

    >>> _kind("list[str] | None"), _kind(int), _kind("Chance")
    ({'type': ['array', 'null']}, {'type': ['integer']}, {})
    """
    names = [part.partition("[")[0] for part in str(getattr(of, "__name__", of)).split(" | ")]
    return {"type": [KINDS[name] for name in names]} if KINDS.keys() >= {*names} else {}


def plain(value: Any) -> Any:
    """Return a value as plain data: what has `to_dict`, the attributes of a dataclass, arrays, fractions, and lists and
    mappings of such; None for what is no number, or infinite.

    >>> plain(({"a": ()}, 1.5))
    [{'a': []}, 1.5]
    """
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, Fraction | float):
        return known(float(value))
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return {name: plain(part) for name, part in value.items()} if isinstance(value, Mapping) else value


class Forms(ABC):
    """The forms of an answer, made from its text, plain data and rows; also of one that is about no game."""

    interrupted: bool = False
    refused: str = ""
    method: ClassVar[str]
    """The question: the entry ``method`` of plain data."""
    entries: ClassVar[Mapping[str, Any]] = {}
    """The entries of the plain data beside those of all answers, in short: `dicelab.results.entries`."""

    @classmethod
    def schema(cls) -> dict[str, Any]:
        """Return the JSON Schema of `entries`; any are allowed where there are none."""
        return entries_of(cls.entries) if cls.entries else {"additionalProperties": True}

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Plain data with the keys of the command line's ``--json``."""

    def _table(self) -> Table:
        """Return the table of the answer; an answer without one has `_rows` and `_lines` of its own."""
        raise NotImplementedError  # answers with one table define it; abstract, it would be asked of the others too

    def _tables(self) -> list[Table]:
        """Return the tables of the answer, where it has several; their data are the rows of `to_frame` and `to_csv`."""
        return [self._table()]

    def _rows(self) -> list[dict[str, Any]]:
        """Return the rows of `to_frame` and `to_csv`."""
        return [row for table in self._tables() for row in table.data() if row]

    @abstractmethod
    def _lines(self, page: Printing) -> list[str]:
        """Return the answer as lines of text."""

    @property
    def summary(self) -> str:
        """The answer in one sentence, built from the numbers; empty if there is none."""
        sentence = self._sentence()
        return capital(f"{sentence}; this was stopped before its end" if sentence and self.interrupted else sentence)

    def _sentence(self) -> str:
        """Return the answer in one sentence; a capital letter and a full stop are added."""
        return ""

    def _answer(self, page: Printing) -> list[str]:
        """Return the answer as lines of text, its sentence first."""
        lines = self._lines(page)
        return [self.summary, "", *lines] if self.summary else lines

    def text(self, page: Printing | None = None) -> str:
        """Return the answer as text, on a page as wide as the terminal unless another one is given."""
        page = page or Printing.here()
        return under(self.summary, page, self._lines(page))

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return in_html(self._answer)

    def html(self, page: Web = WEB) -> str:
        """Return the answer as HTML with classes, for pages that have a style sheet; its sentence is left out."""
        return in_html(self._lines, page)

    def _page_tables(self) -> list[Table]:
        """Return the tables of the answer's page in the lab; an answer without a table has none."""
        has_tables = type(self)._table is not Forms._table or type(self)._tables is not Forms._tables
        return self._tables() if has_tables else []

    def tables_html(self, page: Web = WEB, **texts: Text) -> list[str]:
        """Return the tables of the answer's page in the lab as HTML with classes, perhaps with other texts in columns
        with these titles, which get the row.
        """
        return [table.on_page(texts).web(page) for table in self._page_tables()]

    def to_json(self) -> str:
        """Return `to_dict` as one JSON object."""
        return json.dumps(self.to_dict(), allow_nan=False)

    def to_csv(self, full: bool = False) -> str:
        """Return the rows as comma-separated values, with a header; numbers with all their digits if `full`."""
        return as_csv(self._rows(), full)

    def to_frame(self) -> Any:
        """Return the rows as a pandas table.

        Raises
        ------
        ParameterError
            When pandas is not installed.
        """
        return frame(self._rows())

    @abstractmethod
    def _subject(self) -> str:
        """Return what the answer is about."""

    def _brief(self) -> str:
        """Return the main numbers, in a few words."""
        return many(len(self._rows()), "row")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {shorten(f'{self._subject()}: {self._brief()}', LONGEST, placeholder=' ...')}>"


@dataclass(frozen=True, repr=False, kw_only=True)
class BaseResult(Forms):
    """The answer to a question, with all that is needed to ask it again.

    Attributes
    ----------
    game, parameters
        The game, and its parameters as they are shown; without those that vary within the result.
    differing
        The names of the parameters that are not at their default.
    strategies, arguments
        One for each seat, or those that are compared, as they can be typed; and all arguments of each by name.
    source_hash, version
        Of the rules of the game, and of dicelab.
    seconds
        Time taken, in seconds, without start-up and compilation.
    seed
        Of the simulated games; None if no games were simulated.
    interrupted
        Whether Ctrl-C came before the end; then the result is what was finished by then.
    refused
        Why the last part of the result is missing: an error that came after the first part. Empty if nothing is.
    players
        What the game calls its seats; empty if they have no names.

    Examples
    --------
    >>> import dicelab
    >>> result = dicelab.simulate("hazard", main=5, games=100, seed=1)
    >>> result.game, result.parameters, result.differing, result.seed
    ('hazard', {'main': 5}, ('main',), 1)
    """

    game: str
    parameters: dict[str, Any]
    differing: tuple[str, ...]
    strategies: list[str]
    arguments: list[dict[str, Any]]
    source_hash: str
    seconds: float
    version: str = __version__
    seed: int | None = None
    interrupted: bool = False
    refused: str = ""
    players: tuple[str, ...] = ()

    @classmethod
    def own_fields(cls) -> list[Field[Any]]:
        """Return the fields that this kind of result has, and others have not."""
        common = {field.name for field in fields(BaseResult)}
        return [field for field in fields(cls) if field.name not in common]

    def _facts(self) -> dict[str, Any]:
        """Return the entries of the plain data that this kind of result has, as `entries` declares them; without, its
        fields. Those that may be missing are where there is something.
        """
        facts = dict[str, Any]()
        for names, short in (self.entries or {field.name: "" for field in self.own_fields()}).items():
            for name in names.split():
                key, read = name.rstrip("?"), short.of if isinstance(short, Read) else None
                value = plain(read(self) if read else getattr(self, key))
                if key == name or (value if read is None else value is not None):
                    facts |= value if key == "$" else {key: value}
        return facts

    @classmethod
    def schema(cls) -> dict[str, Any]:
        """Return the JSON Schema of these entries; without `entries`, of the fields if the data are these."""
        if cls.entries:
            return super().schema()
        about = dict(re.findall(r"^(\w+)\n {4}(.+)", getdoc(cls) or "", re.M))
        entries = {field.name: _kind(field.type) for field in cls.own_fields()}
        described = {name: kind | present(description=about.get(name)) for name, kind in entries.items()}
        return {"properties": described, "required": [*entries]}

    def _lines(self, page: Printing) -> list[str]:
        return [*self._head(page), "", *self._table().lines(page)]

    def _subject(self) -> str:
        given = ", ".join(f"{name}={self.parameters[name]}" for name in self.differing if name in self.parameters)
        return f"of {self.game}({given})" if given else f"of {self.game}"

    def _head(self, page: Printing, strategies: Sequence[str] | None = None) -> list[str]:
        """Return the lines that say what was asked."""
        seated = self.strategies if strategies is None else strategies
        return page.head(self.game, self.parameters, self.differing, seated, self.players)

    @property
    def common(self) -> dict[str, Any]:
        """What all results have, by name; the arguments for a result that contains this one."""
        return {field.name: getattr(self, field.name) for field in fields(BaseResult)}

    @property
    def unfinished(self) -> str:
        """Why the result is not complete, in words; empty if it is."""
        return "stopped before the end" if self.interrupted else self.refused

    def to_dict(self) -> dict[str, Any]:
        """Plain data with the keys of the command line's ``--json``."""
        names = ("game", "parameters", "strategies", "arguments", "seed", "version", "source_hash", "seconds")
        data = head(self.method, games=self._games(), **{name: getattr(self, name) for name in names})
        said = present(summary=self.summary, interrupted=self.interrupted, refused=self.refused)
        return data | said | self._facts()

    def _games(self) -> int | None:
        """Return the number of games that were simulated, of each row if there are rows; None if none were."""
        return getattr(self, "games", None)


# What results state about a game and how it was played ----------------------------------------------------------------


def about(game: Game, strategies: Sequence[Given], without: Sequence[str] = ()) -> dict[str, Any]:
    """Return the fields of a result that say what was asked; `without` names parameters that vary within the result."""
    parameters = {name: value for name, value in shown(game).items() if name not in without}
    params, calls = game.declared.params, known_calls(game, strategies)
    return {
        "game": game.name,
        "parameters": parameters,
        "differing": tuple(name for name in parameters if game.parameters[name] != params[name].default),
        "strategies": list(map(str, strategies)),
        "arguments": [call.arguments if call else {} for call in calls],
        "players": player_names(game),
        "source_hash": source_hash(type(game), [call.strategy for call in calls if call]),
    }


def rule_tables(game: Game) -> list[Table]:
    """Return the tables of a game's parameters, with their values and meanings, and of its strategies."""
    parameters = [
        Column("", plain_text, "parameter", lambda param: param.name.replace("_", " ")),
        Column("", plain_text, "value", lambda param: setting_called(game, param.name)),
        Column("", plain_text, "meaning", lambda param: param.help),
    ]
    strategies = [
        Column("", plain_text, "strategy", str),
        Column("", plain_text, "what it does", attrgetter("summary")),
    ]
    calls = [strategy() for strategy in game.declared.strategies.values()]
    tables = Table(parameters, [*game.declared.params.values()]), Table(strategies, calls)
    return [table for table in tables if table.rows]


def winners(game: Game) -> bool:
    """Return whether the outcomes of a game are its winning seats."""
    return game.outcomes is None and bool(outcome_names(game))
