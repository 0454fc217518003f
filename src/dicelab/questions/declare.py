"""A question is declared once: a function under `question`, whose arguments say how they are typed.

From the declaration follow the checks of the call and the description of its arguments, the command with its options
and their completion, the page of the lab with its form, address and job, the lines "as a command" and "in Python", and
the row of the reference. An argument is an option if its annotation has an `Option`:

    depth: Annotated[int, Whole("Number of rolls and choices", "N", label="rolls and choices")] = 1

The module of a question must not import NumPy, because the help of its command would then take as long as that; what
computes the answer is imported when it is asked.
"""

from __future__ import annotations

import inspect
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from typing import Annotated, Any, TypeVar, get_origin

from dicelab.errors import ParameterError
from dicelab.keywords import keywords
from dicelab.questions import DECLARED
from dicelab.rules.game import Game
from dicelab.rules.params import bytes_allowed, whole, whole_number

F = TypeVar("F", bound=Callable[..., Any])
GameLike = str | os.PathLike[str] | type[Game] | Game
"""A game: its name or file, its class, or the class called with parameters."""
MOST = 10**18
"""Limit of numbers of games, and of the rolls and choices of one: more than any computer can play."""
UNITS = {"K": 10, "M": 20, "G": 30, "T": 40}
"""Binary digits by which the unit of an amount of memory shifts it."""


# Options --------------------------------------------------------------------------------------------------------------


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
    """

    help: str
    metavar: str = ""
    names: tuple[str, ...] = ()
    label: str = ""
    offers: tuple[str, ...] = ()
    environment: str = ""

    control = "text"
    """The control of its field on a page."""
    python = ""
    """What is added to its description in Python."""
    repeated = False
    """Whether it is given several times; then `read` gets a list of texts."""

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
    """A whole number, from 1 to `most`."""

    most: int = MOST

    def read(self, name: str, text: str) -> int:  # noqa: D102 (as in Option, also below)
        number = whole_number(text)
        if number is None:
            raise ParameterError(f"{name.replace('_', ' ')}: {text!r} is not a whole number")
        return number

    def check(self, name: str, value: Any) -> int:  # noqa: D102
        number = whole(name, value)
        if number > self.most:
            raise ParameterError(f"{name}: {value} is not allowed; it takes a whole number, at most {self.most}")
        return number


class Seed(Option):
    """A seed: a whole number; any other text is refused where games are played."""

    def read(self, name: str, text: str) -> int | str:  # noqa: D102
        number = whole_number(text)
        return text if number is None else number


class Number(Option):
    """A number."""

    def read(self, name: str, text: str) -> float:  # noqa: D102
        try:
            return float(text)
        except ValueError:
            raise ParameterError(f"{name.replace('_', ' ')}: {text!r} is not a number") from None


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

    def read(self, name: str, text: Any) -> Any:  # noqa: D102
        return text in (True, "yes")

    def typed(self, text: Any) -> None:  # noqa: D102
        return None

    def check(self, name: str, value: Any) -> bool | None:  # noqa: D102
        if value is not None and not isinstance(value, bool):
            raise ParameterError(f"{name}: {value!r} is not allowed; it is True, False or None")
        return value


class Texts(Option):
    """Texts; the option is repeated, and a page has one of them."""

    repeated = True

    def read(self, name: str, text: str | Sequence[str]) -> str | list[str]:  # noqa: D102
        return text if isinstance(text, str) else list(text)


class Figures(Option):
    """Numbers by name, typed ``NAME=NUMBER``; the option is repeated, and the page has a field for each tally."""

    repeated = True

    def typed(self, text: Mapping[str, str]) -> list[str]:  # noqa: D102
        return [f"{key}={number}" for key, number in text.items()]

    def read(self, name: str, text: Sequence[str] | Mapping[str, str]) -> dict[str, str]:  # noqa: D102
        if isinstance(text, Mapping):
            return dict(text)
        figures: dict[str, str] = {}
        for one in text:
            key, equals, number = (part.strip() for part in one.partition("="))
            if not (key and equals and number):
                raise ParameterError(f"{name}: {one!r} is not allowed; it is written TALLY=NUMBER: turns=18.9")
            if key in figures:
                raise ParameterError(f"{name}: {key} is given twice")
            figures[key] = number
        return figures


@dataclass(frozen=True)
class Watch:
    """An argument that is called while the question is computed; `of` says with what: ``states``, ``rows`` ..."""

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
Threads = Annotated[int | None, Whole("Number of threads [default: one per core]", "N")]
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
Precision = Annotated[float | None, Number("Stop once every 95 % interval is within ±P", "P")]
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
OnlyBets = Annotated[
    str | Sequence[str],
    Texts("Show only these bets (* matches anything); repeat for more", "B", label="only"),
]
StatesWatched = Annotated[Callable[[int, int], None], Watch("states")]
RowsWatched = Annotated[Callable[[int, int], None], Watch("rows")]


# Questions ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Declared:
    """A question as it was declared.

    Attributes
    ----------
    name, call, module
        Its name, and the function that answers it.
    about
        What it asks, in a few words, for the list of commands.
    chart
        The name of the chart of its answer: that of the function ``plot_...`` of `dicelab.plots`; empty without one.
    drawn
        Whether an answer has anything to draw.
    tab
        The label of its page in the lab; without one there is none.
    rest
        The option that an argument which is one too many probably belongs to.
    rows
        What the rows of its answer are, for the progress bar.
    needs
        The entry of a game's card without which the lab doesn't have the page.
    complete
        Whether a page of the lab, with the game's card and strategies, and the texts of its fields ask enough.
    typed
        Returns the texts of the arguments from those of an address, which has also the keys `settings`.
    settings
        The keys of the address that are no arguments.
    bets
        Whether it is about the bets of a game, and then of the game that plays them one by one.
    compared
        Whether several strategies are compared with each other, so that none is that of a seat.
    words
        Words that are allowed in place of strategies.
    drawn_by
        Those of `settings` that the function of the chart takes.
    text, examples
        Its description, and examples of its command: the docstring above its sections, and its section ``Commands``.
    options
        By name of the argument.
    watches
        By name of the argument: with what it is called.
    """

    name: str
    call: Callable[..., Any]
    module: str
    about: str = ""
    chart: str = ""
    drawn: Callable[[Any], bool] = lambda result: True
    tab: str = ""
    rest: str = ""
    rows: str = "rows"
    needs: str = ""
    complete: Callable[[Any, Mapping[str, Any]], bool] = lambda page, texts: True
    typed: Callable[[dict[str, Any]], dict[str, Any]] = lambda texts: texts
    settings: tuple[str, ...] = ()
    bets: bool = False
    compared: bool = False
    words: tuple[str, ...] = ()
    drawn_by: tuple[str, ...] = ()
    text: str = ""
    examples: tuple[str, ...] = ()
    options: Mapping[str, Option] = field(default_factory=dict)
    watches: Mapping[str, str] = field(default_factory=dict)

    @property
    def of_class(self) -> bool:
        """Whether it takes a class of games and a mapping of its parameters, which vary within the answer."""
        kinds = self.signature.parameters
        return "parameters" in kinds and kinds["parameters"].kind is inspect.Parameter.KEYWORD_ONLY

    @property
    def signature(self) -> inspect.Signature:
        """The arguments of the call."""
        return inspect.signature(self.call)

    def help(self, name: str) -> str:
        """Return what is said about an argument, with its default."""
        text, default = self.options[name].help, self.default(name)
        return f"{text}." if default == "" or "[default" in text else f"{text} [default: {default}]."

    def default(self, name: str) -> Any:
        """Return the default of an argument; an empty text where there is none to show."""
        default = self.signature.parameters[name].default
        return "" if default in (None, ()) or default is False or default is inspect.Parameter.empty else default

    @property
    def fields(self) -> dict[str, Option]:
        """The arguments that its page in the lab has a field for."""
        return {name: option for name, option in self.options.items() if option.label}

    @property
    def summary(self) -> str:
        """The first sentence of its description."""
        return " ".join(self.text.split("\n\n")[0].split())

    def options_typed(self, texts: Mapping[str, Any]) -> dict[str, str | list[str] | None]:
        """Return the options of the command line for the texts of a page, by their longest spelling."""
        known = {name: self.options[name] for name in texts if name in self.options}
        spelled = {name: one.spelled(name)[0].partition("/")[0].lstrip("-") for name, one in known.items()}
        return {spelled[name]: one.typed(texts[name]) for name, one in known.items()}

    def values(self, texts: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments that the texts of a command line or of an address stand for, without the defaults."""
        needed = {name for name, param in self.signature.parameters.items() if param.default is param.empty}
        given = {name: text for name, text in texts.items() if name in self.options}
        known = {name: text for name, text in given.items() if name in needed or text not in (None, (), {}, False)}
        return {name: self.options[name].read(name, text) for name, text in known.items()}


FEW = "10000"
"""Games of each row that a page of the lab asks for, unless its address says otherwise."""


def exact_or_simulated(texts: dict[str, Any]) -> dict[str, Any]:
    """Return the texts of a page that computes exactly, unless it has the setting ``simulated``."""
    how = {"games": FEW, "seed": "1"} if "simulated" in texts else {"exact": "yes"}
    how |= {name: texts[name] for name in how.keys() & texts.keys()}
    return how | {name: text for name, text in texts.items() if name not in ("games", "seed", "simulated")}


QUESTIONS: dict[str, Declared] = {}
"""The questions whose modules have been imported, by name."""


def question(**facts: Any) -> Callable[[F], F]:
    """Declare a function as a question; `facts` are attributes of `Declared`.

    Examples
    --------
    >>> @question(about="how often is a game won?")
    ... def won(game: GameLike, *, depth: Annotated[int, Whole("Number of rolls")] = 1, **parameters: object) -> int:
    ...     \"\"\"Return the number of wins.\"\"\"
    ...     return depth
    >>> won("hazard", depth=0)
    Traceback (most recent call last):
    dicelab.errors.ParameterError: depth: 0 is not allowed; it takes a whole number, at least 1
    >>> QUESTIONS.pop("won").help("depth")
    'Number of rolls [default: 1].'
    """

    def declare(function: F) -> F:
        signature, options, watches = inspect.signature(function), dict[str, Option](), dict[str, str]()
        arguments = []
        for param in signature.parameters.values():
            kind, *notes = _annotation(param.annotation, function)
            notes += [Seats] if param.name == "strategies" and not notes else []
            for note in notes:
                if isinstance(note, Option):
                    options[param.name] = note
                else:
                    watches[param.name] = note.of
            arguments.append(param.replace(annotation=kind))
        checks = {name: option for name, option in options.items() if type(option).check is not Option.check}

        def call(*args: Any, **given: Any) -> Any:
            for name in checks.keys() & given.keys():
                if given[name] is not None or signature.parameters[name].default is not None:
                    given[name] = checks[name].check(name, given[name])
            return function(*args, **given)

        call.__wrapped__ = function  # type: ignore[attr-defined]
        call.__signature__ = signature.replace(parameters=arguments)  # type: ignore[attr-defined]
        for name in ("__name__", "__qualname__", "__module__", "__annotations__"):
            setattr(call, name, getattr(function, name))
        checked = keywords()(call)
        text, sections = _parts(function)
        examples = tuple(sections.pop("Commands", "").splitlines())
        one = Declared(
            function.__name__,
            checked,
            function.__module__,
            **facts,
            text=text,
            examples=examples,
            options=options,
            watches=watches,
        )
        checked.__doc__ = _described(one, sections)
        checked.declared = QUESTIONS[one.name] = one  # type: ignore[attr-defined]
        return checked  # type: ignore[return-value]

    return declare


def _annotation(text: Any, function: Callable[..., Any]) -> list[Any]:
    """Return the type of an argument, as it is shown, and what else its annotation says."""
    if isinstance(text, str):
        try:
            found = eval(text, function.__globals__)
        except NameError:  # a type that only type checkers import
            return [text]
        if get_origin(found) is not Annotated:
            return [text]
        text = found
    if get_origin(text) is not Annotated:
        return [text]
    return [inspect.formatannotation(text.__origin__).replace("collections.abc.", ""), *text.__metadata__]


SECTION = re.compile(r"\n\n(\w+)\n-+\n")
GAME = """game, **parameters
    The game: its name or file, or a class of games, with its parameters as keywords; or a game that has them."""


def _parts(function: Callable[..., Any]) -> tuple[str, dict[str, str]]:
    """Return what a docstring says above its sections, and the sections by name."""
    first, *rest = SECTION.split(inspect.getdoc(function) or "")
    return first, dict(zip(rest[::2], rest[1::2], strict=True))


def _described(one: Declared, sections: Mapping[str, str]) -> str:
    """Return the docstring of a question with all its arguments: those that it describes itself, then the others."""
    written = dict(re.findall(r"^(\S.*)\n((?:(?:    .*)?(?:\n|\Z))+)", sections.get("Parameters", ""), re.M))
    by_hand = {name.strip("* ") for names in written for name in names.split(",")}
    lines = [f"{names}\n{text.rstrip()}" for names, text in written.items()]
    lines = lines if "game" in by_hand else [GAME, *lines]
    for name in one.signature.parameters:
        if name in by_hand:
            continue
        if name in one.options:
            lines.append(f"{name}\n    {one.help(name)}{one.options[name].python}")
        elif name in one.watches:
            lines.append(f"{name}\n    Called while the {one.watches[name]} are computed.")
    parts = {**sections, "Parameters": "\n".join(lines)}
    parts = {name: parts[name] for name in sorted(parts, key=lambda name: name != "Parameters")}
    return "\n\n".join([one.text, *(f"{name}\n{'-' * len(name)}\n{text}" for name, text in parts.items())])


def find_question(name: str) -> Declared | None:
    """Return a question by its name; None if there is none. That of dicelab itself is imported for it."""
    if name not in QUESTIONS and name in DECLARED:
        import_module(DECLARED[name])
    return QUESTIONS.get(name)


def declared(name: str) -> Declared:
    """Return a question that there is."""
    one = find_question(name)
    assert one is not None, name
    return one


def load_question(name: str, module: str, file: str) -> Declared:
    """Return a question in another process than the one that declared it; a module that can't be imported is a file."""
    try:
        loaded = import_module(module)
    except ModuleNotFoundError:
        spec = spec_from_file_location(module, file)
        assert spec is not None and spec.loader is not None
        loaded = sys.modules[module] = module_from_spec(spec)
        spec.loader.exec_module(loaded)
    one: Declared = getattr(loaded, name).declared
    return one


def pages_of_questions() -> list[Declared]:
    """Return the questions that have pages in the lab, in the order of their names; dicelab's own are imported."""
    for name in DECLARED:
        find_question(name)
    return sorted((one for one in QUESTIONS.values() if one.tab), key=lambda one: one.name)
