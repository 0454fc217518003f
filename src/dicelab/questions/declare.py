"""A question is declared once: a function under `question`, whose arguments say how they are typed.

From the declaration follow the checks of the call and the description of its arguments, the command with its options
and their completion, the page of the lab with its form, address and job, the lines "as a command" and "in Python", and
the row of the reference. An argument is an option if its annotation has an `Option` (`options`):

    depth: Annotated[int, Whole("Number of rolls and choices", "N", label="rolls and choices")] = 1

The module of a question must not import NumPy, because the help of its command would then take as long as that; what
computes the answer is imported when it is asked.
"""

from __future__ import annotations

import builtins
import inspect
import json
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, TypeVar, get_origin

from dicelab.errors import DicelabError, ParameterError
from dicelab.keywords import keywords
from dicelab.questions import LISTED, Listed
from dicelab.questions.options import Option, SavedGames, Seats, TableFile
from dicelab.rules.loading.registry import EntryPoint, entry_points
from dicelab.runtime.leftovers import replacing

F = TypeVar("F", bound=Callable[..., Any])


def function_at(place: str) -> Callable[..., Any]:
    """Return a function by its module and name, such as ``dicelab.plots:plot_edges``."""
    module, _, name = place.partition(":")
    function: Callable[..., Any] = getattr(import_module(module), name)
    return function


@dataclass(frozen=True)
class Files:
    """HTML files that an answer can be written into: an option of the command, and links on the page of the lab.

    Attributes
    ----------
    called
        What the first file is: ``a sheet``.
    names, help, metavar
        Of the option, which takes the name of the first file.
    parts
        By what is added to the name of each file: the module and the function that writes its text, given the answer.
    only
        Whether the answer is nothing else, so that the option must be given. The answer then has `sentences` about it,
        which a page of the lab shows, and `notes` on what is missing.
    """

    called: str
    names: tuple[str, ...]
    help: str
    parts: Mapping[str, str]
    only: bool = False
    metavar: str = "FILE"

    def texts(self, result: Any) -> dict[str, str]:
        """Return the texts of the files, by what is added to their names.

        The functions are imported by name: they belong to the interface, which imports the questions.
        """
        return {added: function_at(place)(result) for added, place in self.parts.items()}

    def named(self, path: str | os.PathLike[str]) -> dict[str, Path]:
        """Return the path of each file, by what is added to its name.

        Raises
        ------
        ParameterError
            When the name is not that of an HTML file.
        """
        file = Path(path)
        if file.suffix.lower() not in (".html", ".htm"):
            raise ParameterError(f"{path}: {self.called} is written as .html; end the file's name with it")
        return {added: file.with_name(f"{file.stem}{added}{file.suffix}") for added in self.parts}

    def save(self, result: Any, path: str | os.PathLike[str]) -> list[str]:
        """Write the files and return their paths; an existing one is replaced once the new one is complete.

        Raises
        ------
        DicelabError
            When one can't be written.
        """
        places, texts = self.named(path), self.texts(result)
        for added, place in places.items():
            with replacing(place, DicelabError, str(place)) as draft:
                draft.write_text(texts[added], encoding="utf-8")
        return [str(place) for place in places.values()]


@dataclass(frozen=True)
class DeclaredQuestion:
    """A question as it was declared.

    Attributes
    ----------
    name, call, module
        Its name, and the function that answers it.
    about, group
        What it asks, in a few words, and where it stands in the list of commands; those of dicelab itself have both
        from `dicelab.questions.LISTED`.
    chart, plots
        The name of the chart of its answer, which the function ``plot_...`` draws; empty without one. The module of
        this function.
    drawn
        Whether an answer has anything to draw.
    charts
        Where its page in the lab has other charts than `chart`, the module and the function that returns them by name,
        given the game and the answer: data that the page has at once, or a function that returns what it draws later.
        Empty for none.
    policy
        Whether an answer has a policy, which the command can write into a file: ``optimal``, ``mixed`` or ``learned``.
        The lab keeps one that is optimal for other questions about the game.
    files
        The files that its answer can be written into; None without any.
    failed
        Whether the command has exit status 1 with an answer.
    tab, page
        The label of its page in the lab; without one there is none. The end of its address, if it isn't the name.
    instead
        The questions that its command asks where an option that only they have is given; they have no commands of their
        own. One that has no page either is asked by its page, too, which then has its fields.
    each
        The question that is asked instead where several strategies are given for a game with one seat, to be answered
        for each of them.
    for_chart
        The argument, yes or no, that asks for what only the chart of an answer needs.
    rest
        The option that an argument which is one too many probably belongs to.
    rows
        What the rows of its answer are, for the progress bar.
    alike
        Whether the rows take about as long as each other, so that the time that is left can be said.
    needs
        The entry of a game's card without which the lab doesn't have the page.
    complete
        Whether a page of the lab, with the game's card and strategies, and the texts of its fields ask enough.
    typed
        Returns the texts of the arguments from those of an address, which has also the keys `settings`.
    settings
        The keys of the address that are no arguments.
    working
        What its page says while the answer is computed.
    bets
        Whether it is about the bets of a game, and then of the game that plays them one by one.
    compared
        Whether several strategies are compared with each other, so that none is that of a seat.
    words
        Words that are allowed in place of strategies.
    drawn_by
        What the function of the chart takes beside the answer, by name: options of the command.
    asked_with
        The options that the commands get that have this question as `instead`; the first is the one that asks it.
    about_command
        The argument that is the name of the command which asks it.
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
    group: str = "Questions"
    chart: str = ""
    plots: str = "dicelab.plots"
    drawn: Callable[[Any], bool] = lambda result: True
    charts: str | None = None
    policy: str = ""
    files: Files | None = None
    failed: Callable[[Any], bool] = lambda result: False
    tab: str = ""
    page: str = ""
    instead: tuple[str, ...] = ()
    each: str = ""
    for_chart: str = ""
    rest: str = ""
    rows: str = "rows"
    alike: bool = False
    needs: str = ""
    complete: Callable[[Any, Mapping[str, Any]], bool] = lambda page, texts: True
    typed: Callable[[dict[str, Any]], dict[str, Any]] = lambda texts: texts
    settings: tuple[str, ...] = ()
    working: str = "Working."
    bets: bool = False
    compared: bool = False
    words: tuple[str, ...] = ()
    drawn_by: Mapping[str, Option] = field(default_factory=dict)
    asked_with: tuple[str, ...] = ()
    about_command: str = ""
    text: str = ""
    examples: tuple[str, ...] = ()
    options: Mapping[str, Option] = field(default_factory=dict)
    watches: Mapping[str, str] = field(default_factory=dict)

    @property
    def alone(self) -> bool:
        """Whether it is about no game that is named first."""
        return "game" not in self.signature.parameters or "game" in self.options

    @property
    def only_files(self) -> bool:
        """Whether its answer is nothing but files."""
        return self.files is not None and self.files.only

    @property
    def of_saved(self) -> bool:
        """Whether it is about saved games."""
        return any(isinstance(option, SavedGames) for option in self.options.values())

    @property
    def of_class(self) -> bool:
        """Whether it takes a class of games and a mapping of its parameters, which vary within the answer."""
        kinds = self.signature.parameters
        return "parameters" in kinds and kinds["parameters"].kind is inspect.Parameter.KEYWORD_ONLY

    @property
    def result(self) -> Any:
        """The class of its answers."""
        function = inspect.unwrap(self.call)
        kind = function.__annotations__["return"]
        return eval(kind, _Names(vars(builtins) | function.__globals__)) if isinstance(kind, str) else kind

    @property
    def signature(self) -> inspect.Signature:
        """The arguments of the call."""
        return inspect.signature(self.call)

    def help(self, name: str) -> str:
        """Return what is said about an argument, with its limits and its default."""
        option, default = {**self.options, **self.drawn_by}[name], self.default(name)
        text, bracket, own = option.help.partition(" [default")
        asked = default != "" and name not in self.asked_with[:1]
        own = f"default{own[:-1]}" if bracket else f"default: {default}" * asked
        known = "; ".join(filter(None, [option.limits, own]))
        return f"{text} [{known}]." if known else f"{text}."

    def default(self, name: str) -> Any:
        """Return the default of an argument; an empty text where there is none to show."""
        if name not in self.signature.parameters:
            return ""
        default = self.signature.parameters[name].default
        return (
            "" if default in (None, ()) or isinstance(default, bool) or default is inspect.Parameter.empty else default
        )

    @property
    def fields(self) -> dict[str, Option]:
        """The arguments, also of the chart, that its page in the lab has a field for, by the keys of addresses."""
        every = {**self.options, **self.drawn_by}
        return {option.key or name: option for name, option in every.items() if option.label}

    def argument(self, key: str) -> str:
        """Return the argument that a key of an address stands for."""
        return next((name for name, option in self.options.items() if option.key == key), key)

    @property
    def page_fields(self) -> dict[str, Option]:
        """The arguments that its page has fields for: its own, and those that ask another question."""
        others = {name: one.options[name] for one in self.on_page for name in one.asked_with}
        return self.fields | others

    @property
    def on_page(self) -> list[DeclaredQuestion]:
        """The questions that its page in the lab asks as well, if one of their `asked_with` is given."""
        return [one for one in map(declared, self.instead) if not one.tab]

    def asked(self, texts: Mapping[str, Any]) -> DeclaredQuestion:
        """Return the question that its page asks with these texts: itself, or one that is asked instead."""
        return next((one for one in self.on_page if one.asked_with[0] in texts), self)

    def for_seats(self, seats: int, strategies: Sequence[Any]) -> DeclaredQuestion:
        """Return the question for strategies in a game with so many seats: itself, or that for each of them."""
        alternatives = isinstance(strategies, list | tuple) and len(strategies) > 1 and seats == 1
        return declared(self.each) if self.each and alternatives else self

    @property
    def tables(self) -> dict[str, TableFile]:
        """The arguments that are files of tables."""
        return {name: option for name, option in self.options.items() if isinstance(option, TableFile)}

    def command(self, texts: Mapping[str, Any] = MappingProxyType({})) -> str:
        """Return the name of the command that asks it, with the texts of a page."""
        if self.about_command:
            return str(texts.get(self.about_command) or self.default(self.about_command))
        return next((one.name for one in QUESTIONS.values() if self.name in one.instead), self.name)

    @property
    def word(self) -> str:
        """The argument that is typed without a name, as the words behind the command; empty if there is none."""
        return next((name for name, option in self.options.items() if option.words), "")

    @property
    def summary(self) -> str:
        """The first sentence of its description."""
        return " ".join(self.text.split("\n\n")[0].split())

    @property
    def several(self) -> bool:
        """Whether it takes any number of words."""
        return bool(self.word) and self.signature.parameters[self.word].kind is inspect.Parameter.VAR_POSITIONAL

    def options_typed(self, texts: Mapping[str, Any]) -> dict[str, str | list[str] | None]:
        """Return the options of the command line for the texts of a page, by their longest spelling."""
        left_out = (self.word, self.about_command)
        known = {name: self.options[name] for name in texts if name in self.options and name not in left_out}
        spelled = {name: one.spelled(name)[0].partition("/")[0].lstrip("-") for name, one in known.items()}
        return {spelled[name]: one.typed(texts[name]) for name, one in known.items()}

    def values(self, texts: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments that the texts of a command line or of an address stand for, without the defaults."""
        needed = {name for name, param in self.signature.parameters.items() if param.default is param.empty}
        given = {name: text for name, text in texts.items() if name in self.options}
        known = {name: text for name, text in given.items() if name in needed or self.options[name].is_given(text)}
        read = {name: self.options[name].read(name, text) for name, text in known.items()}
        one = read.get(self.word)
        return read | ({self.word: [one]} if self.several and isinstance(one, str) else {})

    def answer(self, kind: Any, parameters: Mapping[str, Any], given: Mapping[str, Any]) -> Any:
        """Ask it about a game, a class with its parameters, or about none; `given` are the other arguments by name."""
        if self.alone:
            words = given.get(self.word, ()) if self.several else ()
            return self.call(*words, **{name: v for name, v in given.items() if name != self.word or not self.several})
        if self.of_class:
            return self.call(kind, parameters=parameters, **given)
        return self.call(kind(**parameters), **given)

    def plot(self, result: Any, **how: Any) -> Any:
        """Draw the chart of an answer; returns its axes."""
        return getattr(import_module(self.plots), f"plot_{self.chart}")(result, **how)

    def drawing(self, texts: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the function of the chart takes beside the answer, of the texts of a command line or a page."""
        given = {name: option.read(name, texts[name]) for name, option in self.drawn_by.items() if texts.get(name)}
        return {name: self.drawn_by[name].check(name, value) for name, value in given.items()}


FEW = "10000"
"""Games of each row that a page of the lab asks for, unless its address says otherwise."""


def exact_or_simulated(texts: dict[str, Any]) -> dict[str, Any]:
    """Return the texts of a page that computes exactly, unless it has the setting ``simulated``."""
    how = {"games": FEW, "seed": "1"} if "simulated" in texts else {"exact": "yes"}
    how |= {name: texts[name] for name in how.keys() & texts.keys()}
    return how | {name: text for name, text in texts.items() if name not in ("games", "seed", "simulated")}


QUESTIONS: dict[str, DeclaredQuestion] = {}
"""The questions whose modules have been imported, by name."""


def question(**facts: Any) -> Callable[[F], F]:
    """Declare a function as a question; `facts` are attributes of `DeclaredQuestion`.

    Examples
    --------
    >>> from dicelab.questions.options import GameLike, Whole
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
        checked = keywords(call)
        text, sections = _parts(function)
        listed = LISTED.get(function.__name__, Listed(""))
        named = listed.about and listed.module == function.__module__
        own = {"about": listed.about, "group": listed.group} if named else {}
        examples = tuple(sections.pop("Commands", "").splitlines())
        one = DeclaredQuestion(
            function.__name__,
            checked,
            function.__module__,
            **facts | own,
            text=text,
            examples=examples,
            options=options,
            watches=watches,
        )
        checked.__doc__ = _described(one, sections)
        checked.declared = QUESTIONS[one.name] = one  # type: ignore[attr-defined]
        return checked  # type: ignore[return-value]

    return declare


class _Names(dict[str, Any]):
    """The names of a module; one that only type checkers import is a class of this name."""

    def __missing__(self, name: str) -> type:
        return type(name, (), {"__module__": "builtins"})


def _annotation(text: Any, function: Callable[..., Any]) -> list[Any]:
    """Return the type of an argument, as it is shown, and what else its annotation says."""
    if isinstance(text, str):
        annotated = eval(text, _Names(vars(builtins) | function.__globals__))
        if get_origin(annotated) is not Annotated:
            return [text]
        text = annotated
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


def _described(one: DeclaredQuestion, sections: Mapping[str, str]) -> str:
    """Return the docstring of a question with all its arguments: those that it describes itself, then the others."""
    written = dict(re.findall(r"^(\S.*)\n((?:(?:    .*)?(?:\n|\Z))+)", sections.get("Parameters", ""), re.M))
    by_hand = {name.strip("* ") for names in written for name in names.split(",")}
    lines = [f"{names}\n{text.rstrip()}" for names, text in written.items()]
    lines = lines if "game" in by_hand or one.alone else [GAME, *lines]
    for name in one.signature.parameters:
        if name in by_hand:
            continue
        if name in one.options:
            lines.append(f"{name}\n    {one.help(name)}{one.options[name].python}")
        elif name in one.watches:
            words = "Called with what is being done, in words."
            of = one.watches[name]
            lines.append(f"{name}\n    {words if of == 'words' else f'Called while the {of} are computed.'}")
    parts = {**sections, "Parameters": "\n".join(lines)}
    parts = {name: parts[name] for name in sorted(parts, key=lambda name: name != "Parameters")}
    return "\n\n".join([one.text, *(f"{name}\n{'-' * len(name)}\n{text}" for name, text in parts.items())])


GROUP = "dicelab.questions"
"""Entry points of installed packages: each is a module that declares the question of that name, or its function."""


def find_question(name: str) -> DeclaredQuestion | None:
    """Return a question by its name; None if there is none. It is imported, also from an installed package.

    Raises
    ------
    ParameterError
        When the package can't be imported, or declares no question of that name.
    """
    if name not in QUESTIONS and name in LISTED:
        import_module(LISTED[name].module)
    elif name not in QUESTIONS:
        for point in entry_points(group=GROUP, name=name):
            _load(point)
    return QUESTIONS.get(name)


def load_announced() -> None:
    """Import the questions of installed packages; one that is broken must not hide the others."""
    for point in entry_points(group=GROUP):
        if point.name not in QUESTIONS and point.name not in LISTED:
            with suppress(ParameterError):
                _load(point)


def _load(point: EntryPoint) -> None:
    try:
        point.load()
    except Exception as error:
        raise ParameterError(f"the question {point.name} of an installed package can't be loaded: {error}") from error
    if point.name not in QUESTIONS:
        raise ParameterError(f"{point.value}, of an installed package, declares no question called {point.name}")


def declared(name: str) -> DeclaredQuestion:
    """Return a question that there is."""
    one = find_question(name)
    assert one is not None, name
    return one


def load_question(name: str, module: str, file: str) -> DeclaredQuestion:
    """Return a question in another process than the one that declared it; a module that can't be imported is a file."""
    try:
        loaded = import_module(module)
    except ModuleNotFoundError:
        spec = spec_from_file_location(module, file)
        assert spec is not None and spec.loader is not None
        loaded = sys.modules[module] = module_from_spec(spec)
        spec.loader.exec_module(loaded)
    one: DeclaredQuestion = getattr(loaded, name).declared
    return one


def pages_of_questions() -> list[DeclaredQuestion]:
    """Return the questions that have pages in the lab, those of `LISTED` in this order first; all are imported."""
    for name in LISTED:
        find_question(name)
    load_announced()
    others = sorted(QUESTIONS.keys() - LISTED.keys())
    return [one for one in map(QUESTIONS.__getitem__, (*LISTED, *others)) if one.tab]


SCHEMA = Path(__file__).parents[1] / "schema" / "v2.json"
"""The JSON of dicelab's own commands."""


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of what commands print with ``--json``, with the questions of installed packages.

    The file ``schema/v2.json`` has the entries of dicelab's own answers; those of others are declared as these are, by
    `Forms.entries`, or are the fields of the result.
    """
    load_announced()
    schema: dict[str, Any] = json.loads(SCHEMA.read_text(encoding="utf-8"))
    answer = schema["$defs"]["answer"]
    methods = answer["properties"]["method"]["enum"]
    for one in QUESTIONS.values():
        method = getattr(one.result, "method", "")
        if method and method not in methods:
            methods.append(method)
            answer["allOf"].append({"if": {"properties": {"method": {"const": method}}}, "then": one.result.schema()})
    return schema
