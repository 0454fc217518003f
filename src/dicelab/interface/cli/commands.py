"""Commands for click: one of a game has the game's parameters as options, and is asked a question about it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, partial, update_wrapper
from importlib import import_module
from shutil import get_terminal_size
from textwrap import TextWrapper
from types import MappingProxyType
from typing import Any

import click
from click.shell_completion import CompletionItem

from dicelab.errors import DicelabError, ParameterError, nearest, unknown
from dicelab.interface.cli.options import command_about, game_argument, grouped, plot, strategies_begun, write_groups
from dicelab.interface.cli.options import out as policy_out
from dicelab.interface.cli.output import (
    aside,
    draw,
    drawable,
    end,
    keep,
    remark,
    result_options,
    say,
    watched,
    writable,
)
from dicelab.questions.declare import DeclaredQuestion, declared, find_question
from dicelab.questions.options import OneOf, Option, YesNo
from dicelab.results.text.page import COLUMNS
from dicelab.rules.casino import Casino, casino_of
from dicelab.rules.game import Game, outcome_names, seat_count
from dicelab.rules.loading.registry import EntryPoint, bets_of, entry_points, find
from dicelab.rules.params import Param, Switch, spellings
from dicelab.runtime.timing import begun, stage

GROUP = "dicelab.commands"
"""Entry points of installed packages: commands of click. The list of commands shows the `short_help` of each."""
EXTENDED = frozenset({"edges", "exact", "policy", "simulate", "solve", "sweep"})
"""The commands of declared questions with options beyond those of the call; they are in the module `extended`."""


class Command(click.Command):
    """A command that refuses an option given twice, unless it may be repeated; click would use the last one.

    Attributes
    ----------
    rest
        The option that was probably meant by an argument that is one too many; empty if it is not known.
    group
        Where it stands in the list of commands, with its `short_help`.
    """

    rest = ""

    def __init__(self, *given: Any, group: str = "Questions", **more: Any) -> None:
        super().__init__(*given, **more)
        self.group = group

    def invoke(self, ctx: click.Context) -> Any:  # noqa: D102 (as in click, also below)
        begun()
        return super().invoke(ctx)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:  # noqa: D102
        must_have_two_dashes(self.params, args)
        ctx.allow_extra_args = True
        seen = set[str]()
        for param in self.make_parser(ctx).parse_args(args=list(args))[2]:
            if isinstance(param, click.Option) and not (param.multiple or param.is_flag):
                if param.opts[0] in seen:
                    raise ParameterError(f"{param.opts[0]} is given twice")
                seen.add(param.opts[0])
        rest = super().parse_args(ctx, args)
        if rest and not ctx.resilient_parsing:
            raise ParameterError(self.too_many(ctx, rest[0]))
        return rest

    def too_many(self, ctx: click.Context, word: str) -> str:
        """Return the message for an argument that the command does not take."""
        if self.rest:
            return f"unexpected argument {word!r}; did you mean {self.rest} {word}?"
        return (
            f"unexpected argument {word!r}; it is written {ctx.command_path} {' '.join(self.collect_usage_pieces(ctx))}"
        )

    def get_help(self, ctx: click.Context) -> str:  # noqa: D102
        return folded(super().get_help(ctx), columns())


def must_have_two_dashes(params: Sequence[click.Parameter], args: Sequence[str]) -> None:
    """Refuse a long option with one dash, such as ``-games``, which click takes for short options in one word.

    A short option is none of them, even if a parameter of one letter has the same (``-n`` and ``--n``).
    """
    known = {text for param in params for text in (*param.opts, *param.secondary_opts)}
    for word in args:
        if word == "--":
            return
        name = word.partition("=")[0]
        if name not in known and f"-{name}" in known:
            raise unknown("option", word, (), f"-{word}")


def columns() -> int:
    """Return the width of the terminal."""
    return get_terminal_size((COLUMNS, 24)).columns


def folded(text: str, width: int) -> str:
    r"""Return a help text whose lines fit the terminal; an example that is too long goes on in the next line.

    >>> print(folded("    dicelab exact lcr --players 3 --histogram turns", 40))
        dicelab exact lcr --players 3 \
          --histogram turns
    """
    lines = list[str]()
    for line in text.splitlines():
        margin = " " * (len(line) - len(line.lstrip()))
        folds = TextWrapper(width - 2, initial_indent=margin, subsequent_indent=f"{margin}  ", break_on_hyphens=False)
        parts = [line] if len(line) <= width else folds.wrap(line.lstrip())
        example = line.lstrip().startswith("dicelab ")
        lines += [f"{part} \\" if example else part for part in parts[:-1]] + parts[-1:]
    return "\n".join(lines)


class Commands(click.Group):
    """The group of all commands; the error for an unknown name suggests the nearest one."""

    command_class = Command

    def get_help(self, ctx: click.Context) -> str:  # noqa: D102
        return folded(super().get_help(ctx), columns())

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: D102
        write_groups(formatter, self.grouped())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: D102
        known = super().get_command(ctx, cmd_name)
        if cmd_name in EXTENDED:
            extension: click.Command = getattr(import_module("dicelab.interface.cli.extended"), cmd_name)
            return extension
        one = find_question(cmd_name) if known is None else None
        if one is not None:
            return None if one.command() != one.name else command_of(one)
        return known or next((_loaded(point) for point in entry_points(GROUP, cmd_name)), None)

    def grouped(self) -> dict[str, dict[str, str]]:
        """Return what each command does in a few words, by group; one of a package that is broken is left out."""
        commands = [*self.commands.values()]
        for point in entry_points(GROUP):
            with suppress(ParameterError):
                commands.append(_loaded(point))
        return grouped(commands)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: D102
        return sorted({*super().list_commands(ctx), *(name for names in self.grouped().values() for name in names)})

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:  # noqa: D102
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-"):
            known = self.list_commands(ctx)
            raise unknown("command", name, known, nearest(name, known) or command_about(name, self.grouped()))
        return super().resolve_command(ctx, args)


def _loaded(point: EntryPoint) -> click.Command:
    """Return the command that an installed package registers."""
    try:
        command = point.load()
    except Exception as error:
        raise ParameterError(f"the command {point.name} of an installed package can't be loaded: {error}") from error
    if not isinstance(command, click.Command):
        raise ParameterError(f"the command {point.name} of an installed package, {point.value}, is no click.Command")
    return command


class WordsCommand(Command):
    """A command about words, which may begin with a minus sign and a digit or a die, such as -5, and be no options."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> Any:  # noqa: D102
        return super().parse_args(ctx, [f" {word}" if re.match(r"-(\d|d\d|\()", word) else word for word in args])


class GameCommand(Command):
    """A command about one game. The game's parameters are options, allowed before and after its name.

    A parameter with the name of an option of the command is set by ``--set NAME=VALUE`` only.
    """

    @property
    def own(self) -> list[click.Parameter]:
        """The options and arguments that it has for every game."""
        return [p for p in self.params if not (p.name or "").startswith("game_")]

    @property
    def taken(self) -> set[str]:
        """The spellings of options that no parameter of a game can have."""
        return {"--set", "--help", *(text for p in self.own for text in (*p.opts, *p.secondary_opts))}

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:  # noqa: D102
        stage("reading the rules")
        own, taken = self.own, self.taken
        must_have_two_dashes(own, args)
        name = first_argument([*own, set_option([])], args)
        options, profiles = list[ParameterOption](), list[click.Option]()
        if name is not None:
            with aside():
                ctx.obj = self.game(name)
            profiles = [profile_option(casino_of(ctx.obj))] if casino_of(ctx.obj).profiles else []
            taken.update(text for option in profiles for text in option.opts)
            options = [ParameterOption(param) for param in ctx.obj.declared.params.values()]
            hidden = [o for o in options if taken.intersection(o.opts)]
            options = [o for o in options if o not in hidden]
            profiles.append(set_option([o.param.name for o in hidden]))
            args = _spelled_out(args, {text for o in options if isinstance(o.param, Switch) for text in o.opts}, name)
        self.params = [*own, *profiles, *options]
        return super().parse_args(ctx, args)

    def game(self, name: str) -> type[Game]:
        """Find the game of the command by its name or file."""
        return find(name)


class BetCommand(GameCommand):
    """A command about the bets of a game: it uses the game named by `edges_of`, where there is one."""

    def game(self, name: str) -> type[Game]:  # noqa: D102
        return bets_of(find(name))


class ParameterOption(click.Option):
    """The option for a parameter of a game."""

    def __init__(self, param: Param) -> None:
        self.param = param
        names = spellings(param.name)
        text = f"{param.help} ({param.allowed}) [default: {param.word(param.default)}]"
        super().__init__([*names, f"game_{param.name}"], help=text, metavar="V")


def profile_option(game: type[Casino]) -> click.Option:
    """Return the option that sets several parameters of a game at once."""
    text = f"Use a named set of parameters: {', '.join(game.profiles)}. Parameters given as options override it."
    return click.Option(["--profile", "game_profile"], help=text, metavar="P")


def set_option(hidden: Sequence[str]) -> click.Option:
    """Return the option that sets any parameter of the game; `hidden` lists those that have no option of their own."""
    text = "Set a parameter of the game, also one with the name of an option"
    named = f": {', '.join(hidden)}" if hidden else ""
    return click.Option(["--set", "game_"], multiple=True, metavar="NAME=VALUE", help=f"{text}{named}.")


def first_argument(params: Sequence[click.Parameter], args: Sequence[str]) -> str | None:
    """Return the name of the game: the first argument that is neither an option nor an option's value.

    Options of the game are not known yet and are assumed to take a value. If no name is left then, the first of these
    values is the name, because the option was a switch.
    """
    options = [p for p in params if isinstance(p, click.Option)]
    flags = {"-h", "--help", *(text for p in options if p.is_flag for text in (*p.opts, *p.secondary_opts))}
    valued = {text for p in options if not p.is_flag for text in p.opts}
    unknown_word = None
    words = iter(args)
    for word in words:
        if word == "--":
            return next(words, None)
        if not word.startswith("-") or word == "-":
            return word
        glued = "=" in word or (word[:2] in valued and len(word) > 2)
        if word not in flags and not glued:
            value = next(words, None)
            if word not in valued and unknown_word is None:
                unknown_word = value
    return unknown_word


def _spelled_out(args: Sequence[str], switches: set[str], game: str) -> list[str]:
    """Return the arguments, with ``=yes`` appended to each switch that has no value."""
    spelled = []
    for word, after in zip(args, [*args[1:], "-"], strict=True):
        alone = word in switches and (after.startswith("-") or after == game)
        spelled.append(f"{word}=yes" if alone else word)
    return spelled


def given_parameters(settings: dict[str, Any]) -> dict[str, Any]:
    """Take the parameters of the game out of the options: those with an option of their own, and those of ``--set``."""
    keys = [key for key in settings if key.startswith("game_")]
    named = {key.removeprefix("game_"): settings.pop(key) for key in keys}
    written = named.pop("", ())
    given = {name: value for name, value in named.items() if value is not None}
    for text in written:
        name, equals, value = text.partition("=")
        name = name.strip().replace("-", "_")
        if not equals or not name:
            raise ParameterError(f"set: {text!r} is not allowed; it is written NAME=VALUE")
        if name in given:
            raise ParameterError(f"{name} is given twice")
        given[name] = value.strip()
    return given


class CommandRequest:
    """What a command was asked about: a game with its parameters, and where to draw the answer.

    Attributes
    ----------
    kind, called
        The game, and its name or file as it was typed.
    parameters
        Those that were given.
    plot, out
        The files of ``--plot`` and ``--out``, checked; None without one.
    """

    def __init__(
        self, kind: type[Game], called: str, parameters: dict[str, Any], plot: str | None, out: str | None = None
    ) -> None:
        self.kind, self.called, self.parameters, self.plot, self.out = kind, called, parameters, plot, out
        drawable(plot)

    @cached_property
    def game(self) -> Game:
        """The game with its parameters."""
        with aside():
            return self.kind(**self.parameters)

    def answer(
        self,
        result: Any,
        picture: Callable[[Any], Any] | None = None,
        text: str | None = None,
    ) -> None:
        """Print a result, write its policy, draw it, and end the command if it is not complete.

        Parameters
        ----------
        picture
            Draws the result, given `dicelab.plots`; None where there is nothing to draw.
        text
            Replaces the usual text of the result.
        """
        say(result, text)
        if self.out is not None:
            keep(result.policy, self.out)
        if picture is not None:
            draw(self.plot, picture)
        end(result)


def game_command(
    *,
    cls: type[GameCommand] = GameCommand,
    last: Callable[..., Any] = lambda command: command,
    **listed: str,
) -> Callable[[Callable[..., None]], click.Command]:
    """Make a command about a game of a function, which gets what was asked, and the options as keywords.

    Parameters
    ----------
    cls
        The kind of command.
    last
        Adds options that stand behind those of the function.
    **listed
        Its `group` and `short_help`, for the list of commands.
    """

    def made(run: Callable[..., None]) -> click.Command:
        @click.pass_obj
        def command(kind: type[Game], /, game: str, **settings: Any) -> None:
            run(CommandRequest(kind, game, given_parameters(settings), settings.pop("plot", None)), **settings)

        own = vars(run).pop("__click_params__", [])  # click keeps them in reverse order
        decorated = last(update_wrapper(command, run))
        vars(decorated).setdefault("__click_params__", []).extend(own)
        return click.command(cls=cls, **listed)(game_argument(decorated))

    return made


# Questions as they are declared ---------------------------------------------------------------------------------------


def command_of(
    one: DeclaredQuestion, run: Callable[..., None] | None = None, cls: type[GameCommand] = GameCommand
) -> click.Command:
    """Return the command that asks a question; `run`, if it is given, answers, and may have options of its own."""

    @click.pass_obj
    def command(kind: Any, /, **settings: Any) -> None:
        game = "" if one.alone else settings.pop("game")
        places = {name: settings.pop(name, None) for name in ("plot", *(("out",) if one.policy else ()))}
        asked = CommandRequest(kind, game, given_parameters(settings), **places)
        path = settings.pop("files", None)
        for place in one.files.named(path).values() if one.files and path is not None else ():
            writable(str(place))
        writable(asked.out)
        if any(asked_instead(name, asked, settings) for name in one.instead):
            return
        _drawn_with(one, asked, settings)
        if run is not None:
            run(asked, settings)
        else:
            _answer(one, asked, settings, path)

    examples = "\n".join(f"  {line}" for line in one.examples)
    command.__doc__ = f"{one.text}\n\n\b\nExample{'s' * (len(one.examples) > 1)}:\n{examples}" if examples else one.text
    decorated = _with_options(one, command, vars(run).get("__click_params__", []) if run else [])
    if one.alone:
        return click.command(one.name, cls=WordsCommand)(decorated)
    made = click.command(one.name, cls=BetCommand if one.bets else cls)(game_argument(decorated))
    made.rest = one.rest
    return made


def _answer(one: DeclaredQuestion, asked: CommandRequest, settings: dict[str, Any], path: str | None) -> None:
    """Answer a question, write the files that it has at `path`, and print the answer unless the files are all."""
    result = answer_to(one.name, asked, settings)
    for note in result.notes if one.only_files else ():
        remark(f"note: {note}")
    for written in one.files.save(result, path) if one.files and path is not None else ():
        remark(f"written: {written}")
    if one.only_files:
        end(result)
    else:
        show(one.name, asked, result, drawn=settings)


def _with_options(
    one: DeclaredQuestion, command: Callable[..., Any], more: list[click.Parameter]
) -> Callable[..., Any]:
    """Return the function of a command with the options of its question, and `more`, behind the name of the game."""
    decorated = command if one.only_files else result_options(command, one.alone and not one.of_saved)
    vars(decorated).setdefault("__click_params__", []).extend(more)
    if one.chart:
        for name, option in reversed([*one.drawn_by.items()]):
            decorated = typed_option(one, name, option)(decorated)
        decorated = plot(decorated)
    decorated = policy_out(decorated) if one.policy else decorated
    if one.files is not None:
        of = one.files
        decorated = click.option(*of.names, "files", metavar=of.metavar, required=of.only, help=of.help)(decorated)
    for name in reversed(one.instead):
        decorated = _with_options_of(name, decorated)
    for name, option in reversed([*one.options.items()]):
        if not option.words:
            decorated = typed_option(one, name, option)(decorated)
    if one.word:
        words, single = one.options[one.word].metavar, one.options[one.word].single and not one.several
        spelled, number = (words, 1) if single else (f"{words}...", -1)
        decorated = click.argument(WORDS, metavar=spelled, nargs=number)(decorated)
    return decorated


WORDS = "words"
"""What the words of a command about no game are called among its options."""


def _with_options_of(name: str, command: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command with the options of a question that it asks instead of its own."""
    other = declared(name)
    for key in reversed(other.asked_with):
        command = typed_option(other, key, other.options[key], f"{name}_{key}")(command)
    return command


def asked_instead(name: str, asked: CommandRequest, settings: dict[str, Any]) -> bool:
    """Answer another question if an option is given that only it has; these are taken out of the settings.

    Raises
    ------
    ParameterError
        When there are also options that it does not have.
    """
    other, ctx = declared(name), click.get_current_context()
    spelled = {key: other.options[key].spelled(key)[0] for key in other.asked_with}
    texts = {key: settings.pop(f"{name}_{key}") for key in other.asked_with}
    given = [key for key, text in texts.items() if _is_given(text)]
    if not given:
        return False
    if other.asked_with[0] not in given:
        raise ParameterError(f"{spelled[given[0]]} is given without {spelled[other.asked_with[0]]}; give both")
    shared = {key: settings[key] for key in other.options if key in settings and key not in other.asked_with}
    texts |= shared
    texts |= {other.word: settings[WORDS]} if other.word else {}
    texts |= {other.about_command: ctx.command.name} if other.about_command else {}
    left = _typed_besides(ctx, {"game", WORDS, "plot", *shared, *(f"{name}_{key}" for key in other.asked_with)})
    if left:
        asking = " and ".join(spelled[key] for key in given)
        raise ParameterError(f"{asking} can't be given together with {', '.join(left)}; leave these out")
    show(name, asked, answer_to(name, asked, texts))
    return True


def _typed_besides(ctx: click.Context, known: set[str]) -> list[str]:
    """Return the options on the command line other than those known and the parameters of a game."""
    return [
        param.opts[0]
        for param in ctx.command.params
        if param.expose_value and param.name not in known and not (param.name or "").startswith("game_")
        if ctx.get_parameter_source(param.name or "") is click.core.ParameterSource.COMMANDLINE
    ]


def _drawn_with(one: DeclaredQuestion, asked: CommandRequest, settings: Mapping[str, Any]) -> None:
    """Check what the function of the chart takes, before anything is computed."""
    drawing = one.drawing(settings)
    if drawing and asked.plot is None:
        name = next(iter(drawing))
        raise ParameterError(
            f"{one.drawn_by[name].spelled(name)[0]} chooses what --plot draws; give --plot FILE as well"
        )


def _is_given(typed: Any) -> bool:
    """Return whether an option was typed, if only with an empty text."""
    return typed not in (None, (), False)


def answer_to(name: str, asked: CommandRequest, settings: dict[str, Any], **more: Any) -> Any:
    """Return the answer to a question, with its progress; `settings` are the options as they were typed."""
    one = declared(name)
    if one.each:
        one = one.for_seats(seat_count(asked.game), settings.get("strategies", ()))
    more |= {one.for_chart: asked.plot is not None} if one.for_chart else {}
    typed = {key: text for key, text in settings.items() if key in one.options}
    typed |= {one.word: settings[WORDS]} if WORDS in settings else {}
    with watched(one) as watches:
        return one.answer(asked.kind, asked.parameters, one.values(typed) | watches | more)


def show(
    name: str,
    asked: CommandRequest,
    result: Any,
    text: str | None = None,
    drawn: Mapping[str, Any] = MappingProxyType({}),
) -> None:
    """Print the answer to a question (as `text`, if that is given), and draw it with what is `drawn` of the options."""
    one = declared(name)
    how = one.drawing(drawn)
    draws = one.chart and one.drawn(result)
    picture = (lambda _: one.plot(result, **how)) if draws else None
    asked.answer(result, picture, text)
    if one.chart and asked.plot is not None and not draws:
        raise DicelabError(f"plot: there is nothing to draw: {result.summary}")
    if one.failed(result):
        raise SystemExit(1)


def extended(name: str, cls: type[GameCommand] = GameCommand) -> Callable[[Callable[..., None]], click.Command]:
    """Make the command of a declared question, which a function answers: for options that the call doesn't have."""
    return lambda run: command_of(declared(name), run, cls)


def typed_option(one: DeclaredQuestion, name: str, option: Option, key: str = "") -> Callable[..., Any]:
    """Return the option of a command for an argument of a question; `key` is its name among the others."""
    if isinstance(option, YesNo):
        default = None if "/" in option.spelled(name)[0] else False
        return click.option(*option.spelled(name), key or name, is_flag=True, default=default, help=one.help(name))
    values = option.values if isinstance(option, OneOf) else {}
    return click.option(
        *option.spelled(name),
        key or name,
        multiple=option.repeated,
        metavar=option.metavar or "|".join(values) or "TEXT",
        envvar=option.environment or None,
        help=one.help(name),
        shell_complete=strategies_begun if name == "strategies" else partial(names_begun, option),
    )


def names_begun(option: Option, ctx: click.Context, param: click.Parameter, begun: str) -> list[CompletionItem]:
    """Return what a shell offers for an option: the names in the game that it offers."""
    names = [name for kind in option.offers for name in _names_of(ctx.obj, kind)] if ctx.obj else []
    names += option.values if isinstance(option, OneOf) else []
    return [CompletionItem(name) for name in names if name.startswith(begun)]


def _names_of(game: type[Game], kind: str) -> Sequence[str]:
    """Return the names of the outcomes or the tallies of a game."""
    return list(game.declared.tallies) if kind == "tallies" else outcome_names(game())
