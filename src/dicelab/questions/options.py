"""How the arguments of questions are typed: on a command line and in an address; what is said about them.

An argument of a declared question is an option if its annotation has an `Option`. Those that several questions have are
defined here, too.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Annotated, Any

from dicelab.errors import ParameterError, unknown
from dicelab.rules.game import Game
from dicelab.rules.objectives import FORMS
from dicelab.rules.params import as_integer, bytes_allowed, share, whole, whole_number

GameLike = str | os.PathLike[str] | type[Game] | Game
"""A game: its name or file, its class, or the class called with parameters."""
MOST = 10**18
"""Limit of numbers of games, and of the rolls and choices of one: more than any computer can play."""
UNITS = {"K": 10, "M": 20, "G": 30, "T": 40}
"""Binary digits by which the unit of an amount of memory shifts it."""


@dataclass(frozen=True)
class Option:
    """How an argument of a question is typed: on a command line, in an address, and what is said about it.

    Attributes
    ----------
    help
        What it means, without a full stop. The default is added.
    metavar
        What stands for its value in the help.
    names
        Its spellings on the command line, if they are not ``--name``.
    label
        The label of its field on the page of the lab; without one the page has no such field.
    offers
        The entries of a game's card whose names can be chosen: ``outcomes``, ``tallies``.
    environment
        The variable that has its value where it is not typed.
    example
        What an empty field shows.
    words
        Whether the command takes it without a name, as the words behind its own; then `read` gets a list of texts.
    key
        The key of its field in addresses, if that isn't the name of the argument.
    """

    help: str
    metavar: str = ""
    names: tuple[str, ...] = ()
    label: str = ""
    offers: tuple[str, ...] = ()
    environment: str = ""
    example: str = ""
    words: bool = False
    key: str = ""

    control = "text"
    """The control of its field on a page."""
    python = ""
    """What is added to its description in Python."""
    repeated = False
    """Whether it is given several times; then `read` gets a list of texts."""
    single = False
    """Whether it is one word where it is taken `words`, unless the question takes several."""

    def __post_init__(self) -> None:
        if not isinstance(self.help, str):
            raise TypeError(f"an option begins with what it means, a text, and not with {self.help!r}")

    @property
    def limits(self) -> str:
        """What values it takes: the smallest and the largest, where that is limited, or words; empty for any."""
        return ""

    def is_given(self, text: Any) -> bool:
        """Return whether a text stands for a value, not for the default."""
        return text not in (None, (), {}, False)

    def read(self, name: str, text: Any) -> Any:
        """Return the value that a text stands for."""
        return text

    def typed(self, text: Any) -> str | list[str] | None:
        """Return what is typed on the command line for a setting of an address; None if the option stands alone."""
        return str(text)

    def check(self, name: str, value: Any) -> Any:
        """Return the value of an argument in Python, checked."""
        return value

    def spelled(self, name: str) -> tuple[str, ...]:
        """Return its spellings on the command line."""
        return self.names or (f"--{name.replace('_', '-')}",)


@dataclass(frozen=True)
class Whole(Option):
    """A whole number, from `least` (None: any) to `most`."""

    least: int | None = 1
    most: int = MOST

    @property
    def limits(self) -> str:  # noqa: D102 (as in Option, also below)
        return "" if self.most == MOST else f"{self.least or 0} to {self.most:,}"

    def read(self, name: str, text: str) -> int:  # noqa: D102
        number = whole_number(text)
        if number is None:
            raise ParameterError(f"{name.replace('_', ' ')}: {text!r} is not a whole number")
        return number

    def check(self, name: str, value: Any) -> int:  # noqa: D102
        if self.least is None and as_integer(value) is None:
            raise ParameterError(f"{name.replace('_', ' ')}: {value!r} is not a whole number")
        least, most = -self.most if self.least is None else self.least, None if self.most == MOST else self.most
        number = whole(name, value, least, most)
        if number > self.most:
            raise ParameterError(f"{name}: {value} is not allowed; it takes a whole number, at most {self.most:,}")
        return number


class Seed(Option):
    """A seed: a whole number; any other text is refused where games are played."""

    def read(self, name: str, text: str) -> int | str:  # noqa: D102
        number = whole_number(text)
        return text if number is None else number


class SeatOption(Option):
    """A seat: its index or its label."""


@dataclass(frozen=True)
class NumberOption(Option):
    """A number; in Python it is checked if `least` or `most` is given."""

    least: float = -inf
    most: float = inf

    @property
    def limits(self) -> str:  # noqa: D102
        return "" if self.most == inf else f"{self.least:g} to {self.most:g}"

    def read(self, name: str, text: str) -> float:  # noqa: D102
        try:
            return float(text)
        except ValueError:
            raise ParameterError(f"{name.replace('_', ' ')}: {text!r} is not a number") from None

    def check(self, name: str, value: Any) -> Any:  # noqa: D102
        if (self.least, self.most) == (-inf, inf):
            return value
        if isinstance(value, bool) or not isinstance(value, int | float) or not self.least <= value <= self.most:
            most = f"{self.least:g} to {self.most:g}" if self.most < inf else f"at least {self.least:g}"
            raise ParameterError(f"{name}: {value!r} is not allowed; it takes a number, {most}")
        return float(value)


class Size(Option):
    """An amount of memory in bytes, typed such as 500M or 4G."""

    python = " In bytes."

    def read(self, name: str, text: str) -> int:  # noqa: D102
        unit = UNITS.get(text[-1:].upper(), 0)
        count = whole_number(text[:-1] if unit else text)
        if count is None or count < 1:
            raise ParameterError(f"{name}: {text!r} is not an amount of memory; write 500M or 4G")
        return count << unit

    def check(self, name: str, value: Any) -> int | None:  # noqa: D102
        return bytes_allowed(value)


class YesNo(Option):
    """Yes or no; ``--one/--other`` among its names says both, and then it may be left open."""

    control = "checkbox"

    def is_given(self, text: Any) -> bool:  # noqa: D102 (as in Option, also below)
        return text is not None and (text is not False or "/" in "".join(self.names))

    def read(self, name: str, text: Any) -> Any:  # noqa: D102
        return text in (True, "yes")

    def typed(self, text: Any) -> None:  # noqa: D102
        return None

    def check(self, name: str, value: Any) -> bool | None:  # noqa: D102
        if value is not None and not isinstance(value, bool):
            raise ParameterError(f"{name}: {value!r} is not allowed; it is True, False or None")
        return value


class Without(YesNo):
    """Yes unless it is given: the option is a switch that turns off what is otherwise done."""

    def is_given(self, text: Any) -> bool:  # noqa: D102
        return text in (True, "yes")

    def read(self, name: str, text: Any) -> bool:  # noqa: D102
        return False


@dataclass(frozen=True)
class Probability(Option):
    """A probability above 0 and below 1, typed such as 0.05 or 5%."""

    def read(self, name: str, text: str) -> float:  # noqa: D102
        return self.check(name, share(text, name))

    def check(self, name: str, value: Any) -> float:  # noqa: D102
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1:
            raise ParameterError(
                f"{name}: {value!r} is not allowed; give a probability above 0 and below 1, such as 0.05"
            )
        return float(value)


class Texts(Option):
    """Texts; the option is repeated, and a page has one of them."""

    repeated = True

    def read(self, name: str, text: str | Sequence[str]) -> str | list[str]:  # noqa: D102
        return text if isinstance(text, str) else list(text)

    def typed(self, text: str | Sequence[str]) -> str | list[str]:  # noqa: D102
        return text if isinstance(text, str) else list(text)


class FiguresOption(Option):
    """Numbers by name, typed ``NAME=NUMBER``; the option is repeated, and the page has a field for each tally."""

    repeated = True
    written = "TALLY=NUMBER: turns=18.9"
    """How one of them is typed."""

    def typed(self, text: Mapping[str, str]) -> list[str]:  # noqa: D102
        return [f"{key}={number}" for key, number in text.items()]

    def read(self, name: str, text: Sequence[str] | Mapping[str, str]) -> dict[str, str]:  # noqa: D102
        if isinstance(text, Mapping):
            return dict(text)
        figures: dict[str, str] = {}
        for one in text:
            key, equals, number = (part.strip() for part in one.partition("="))
            if not (key and equals and number):
                raise ParameterError(f"{name}: {one!r} is not allowed; it is written {self.written}")
            if key in figures:
                raise ParameterError(f"{name}: {key} is given twice")
            figures[key] = number
        return figures


Situation = Mapping[str, int | Sequence[int] | str]
"""Values of fields of a state by name; a text stands for what is typed so, such as ``player 2``."""


class Fields(FiguresOption):
    """A situation: values of fields by name, typed ``NAME=NUMBER`` or ``NAME=NUMBER,NUMBER``."""

    written = "NAME=NUMBER or NAME=NUMBER,NUMBER"

    def read(self, name: str, text: Sequence[str] | Mapping[str, str]) -> dict[str, Any]:  # noqa: D102
        values: dict[str, Any] = {}
        for field_name, value in super().read(name, text).items():
            numbers = [whole_number(part) for part in value.split(",")]
            values[field_name] = value if None in numbers else numbers[0] if len(numbers) == 1 else numbers
        return values

    def check(self, name: str, value: Any) -> Any:  # noqa: D102
        if value is not None and not isinstance(value, Mapping):
            raise ParameterError(f"{name}: {value!r} is not allowed; it takes a mapping, such as {{'points': 12}}")
        return value


class Objectives(Option):
    """An objective; a page suggests those of the game."""

    control = "objective"


@dataclass(frozen=True)
class OneOf(Option):
    """One of some words; `values` has them, with their labels on a page."""

    values: Mapping[str, str] = field(default_factory=dict)

    control = "select"

    @property
    def limits(self) -> str:  # noqa: D102
        return ", ".join(self.values) if self.metavar else ""  # without one, the help of a command has them already

    def check(self, name: str, value: Any) -> Any:  # noqa: D102
        if value not in self.values:
            raise unknown(self.label or name.replace("_", " "), str(value), self.values)
        return value


@dataclass(frozen=True)
class TableFile(Option):
    """The file of a table. A page takes the table itself; what it writes as a command and in Python has `called`."""

    called: str = "table.csv"

    def is_table(self, text: str) -> bool:
        """Return whether what a page got is a table."""
        return True


class PolicyFile(Option):
    """The file of a policy."""

    single = True


COUNTS = re.compile(r"\s*\d+(\s*,\s*\d+)+\s*", re.ASCII)
"""Counts of the faces of a die; any other text is the name of a file."""


@dataclass(frozen=True)
class Rolled(TableFile):
    """Rolls of dice: a file, or counts of the faces. A page takes both as text."""

    control = "textarea"

    def is_table(self, text: str) -> bool:  # noqa: D102
        return COUNTS.fullmatch(text) is None


@dataclass(frozen=True)
class SavedGames(TableFile):
    """Saved games, or folders of them. A page takes all of them as one file."""

    called: str = "games.json"

    single = True

    def read(self, name: str, text: str | Sequence[str]) -> str | list[str]:  # noqa: D102
        return text if isinstance(text, str) else list(text)


@dataclass(frozen=True)
class Watch:
    """An argument that is called meanwhile; `of` says with what: ``games``, ``states``, ``rows``, ``words`` for people,
    or ``result``, what is known while the rest is computed.
    """

    of: str


Seats = Texts("Strategy: one for all seats, or one per seat; FILE.py:NAME for one in a file", "S", ("--strategy", "-s"))
"""How the argument `strategies` of a question is typed, unless the question says otherwise."""
Fractions = Annotated[
    bool | None,
    YesNo(
        "Compute with fractions or floating point [default: fractions if there are few states]",
        names=("--fractions/--floats",),
    ),
]
Memory = Annotated[int | None, Size("Memory limit, such as 4G [default: half of the machine's memory]", "SIZE")]
Threads = Annotated[int | None, Whole("Number of threads [default: one per core]", "N", most=1024)]
Store = Annotated[
    str | os.PathLike[str] | None,
    Option(
        "Keep the results in this file, and continue from what is in it; dicelab runs FILE lists them",
        "FILE",
        environment="DICELAB_STORE",
    ),
]
Cluster = Annotated[
    Any,
    Option(
        "Play on the workers of a Dask cluster: tcp://HOST:PORT, or local:4 for 4 processes on this machine", "WHERE"
    ),
]
Precision = Annotated[float | None, NumberOption("Stop once every 95 % interval is within ±P", "P")]
Precise = Annotated[
    str | None,
    Option(
        "Apply --precision to this outcome's probability, or to the mean of this tally",
        "WHAT",
        offers=("outcomes", "tallies"),
    ),
]
Games = Annotated[
    int | None, Whole("Number of games to play [default: 100000]", "N", ("--games", "-n"), label="games each")
]
RandomSeed = Annotated[
    int | None, Seed("Seed of the dice; the same seed gives the same games [default: random]", "N", label="seed")
]
STOP_AFTER = NumberOption("Stop after so many seconds, with what is known then", "S", least=0, label="seconds")
Seconds = Annotated[float | None, STOP_AFTER]
OnlyBets = Annotated[
    str | Sequence[str],
    Texts("Show only these bets (* matches anything); repeat for more", "B", label="only"),
]
Against = Texts("Strategy of the other seats: one for all, or one per seat", "S", ("--against",), label="against")
"""How strategies of the other seats are typed."""
Objective = Annotated[
    str | None,
    Objectives(
        f"Objective: {', '.join(FORMS)} or atleast:TALLY:N [default: payoff if declared, else win]",
        "O",
        label="objective",
    ),
]
StatesWatched = Annotated[Callable[[int, int], None], Watch("states")]
ShareWatched = Annotated[Callable[[float], None], Watch("states")]
RowsWatched = Annotated[Callable[[int, int], None], Watch("rows")]
WordsWatched = Annotated[Callable[[str], None], Watch("words")]
