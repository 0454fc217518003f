"""Options shared by the commands, options made from a game's declarations, and parsers of numbers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from inspect import signature
from typing import Any

import click
from click.shell_completion import CompletionItem

from dicelab.errors import ParameterError, unknown
from dicelab.results.page import Page
from dicelab.rules.casino import Casino, casino_of
from dicelab.rules.game import Game, summary
from dicelab.rules.params import Param, Switch, whole_number
from dicelab.rules.registry import all_games, bets_of, find, looks_like_file


class Command(click.Command):
    """A command that refuses an option given twice, unless it may be repeated; click would use the last one."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:  # noqa: D102 (as in click, also below)
        seen = set[str]()
        for param in self.make_parser(ctx).parse_args(args=list(args))[2]:
            if isinstance(param, click.Option) and not (param.multiple or param.is_flag):
                if param.opts[0] in seen:
                    raise ParameterError(f"{param.opts[0]} is given twice")
                seen.add(param.opts[0])
        return super().parse_args(ctx, args)


class Commands(click.Group):
    """The group of all commands; the error for an unknown name suggests the nearest one."""

    command_class = Command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:  # noqa: D102
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-"):
            raise unknown("command", name, self.list_commands(ctx))
        return super().resolve_command(ctx, args)


class GameCommand(Command):
    """A command about one game. The game's parameters are options, allowed before and after its name.

    A parameter with the name of an option of the command is set by ``--set NAME=VALUE`` only.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:  # noqa: D102
        own = [p for p in self.params if not (p.name or "").startswith("game_")]
        taken = {"--set", "--help", *(text for p in own for text in (*p.opts, *p.secondary_opts))}
        name = _first_argument([*own, set_option([])], args)
        options, profiles = list[ParameterOption](), list[click.Option]()
        if name is not None:
            with redirect_stdout(sys.stderr):  # a game's file may print; stdout is for results only
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
        names = [f"--{param.name.replace('_', '-')}"]
        names += [f"--{param.name}"] if "_" in param.name else []
        text = f"{param.help} ({param.allowed}) [default: {param.word(param.default)}]"
        super().__init__([*names, f"game_{param.name}"], help=text, metavar="V")


def profile_option(game: type[Casino]) -> click.Option:
    """The option that sets several parameters of a game at once."""
    text = f"Use a named set of parameters: {', '.join(game.profiles)}. Parameters given as options override it."
    return click.Option(["--profile", "game_profile"], help=text, metavar="P")


def set_option(hidden: Sequence[str]) -> click.Option:
    """The option that sets any parameter of the game; `hidden` lists those that have no option of their own."""
    text = "Set a parameter of the game, also one with the name of an option"
    named = f": {', '.join(hidden)}" if hidden else ""
    return click.Option(["--set", "game_"], multiple=True, metavar="NAME=VALUE", help=f"{text}{named}.")


def _first_argument(params: Sequence[click.Parameter], args: Sequence[str]) -> str | None:
    """The name of the game: the first argument that is neither an option nor an option's value.

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
    """The arguments, with ``=yes`` appended to each switch that has no value."""
    spelled = []
    for word, after in zip(args, [*args[1:], "-"], strict=True):
        alone = word in switches and (after.startswith("-") or after == game)
        spelled.append(f"{word}=yes" if alone else word)
    return spelled


def number(what: str) -> Callable[[click.Context, click.Parameter, str | None], int | None]:
    """A callback that parses a whole number, also written 1e6 or 10_000; `what` is its name in errors."""

    def read(ctx: click.Context, param: click.Parameter, value: str | None) -> int | None:
        if value is None:
            return None
        number = whole_number(value)
        if number is None:
            raise ParameterError(f"{what}: {value!r} is not a whole number")
        return number

    return read


def size(ctx: click.Context, param: click.Parameter, value: str | None) -> int | None:
    """Parse an amount of memory, in bytes or such as 500M or 4G, into bytes."""
    if value is None:
        return None
    units = {"K": 10, "M": 20, "G": 30, "T": 40}
    unit = units.get(value[-1:].upper(), 0)
    count = whole_number(value[:-1] if unit else value)
    if count is None or count < 1:
        raise ParameterError(f"memory: {value!r} is not an amount of memory; write 500M or 4G")
    return count << unit


def real(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
    """Parse the number of --precision."""
    if value is None:
        return None
    try:
        return float(value)
    except ValueError:
        raise ParameterError(f"precision: {value!r} is not a number") from None


def given_parameters(options: dict[str, Any]) -> dict[str, Any]:
    """The parameters of the game that were given as options, and those that were given by ``--set``."""
    named = {key.removeprefix("game_"): value for key, value in options.items() if key.startswith("game_")}
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


def _games(ctx: click.Context, param: click.Parameter, begun: str) -> list[CompletionItem]:
    """What a shell offers for the name of a game: names, or files where a path has begun."""
    if looks_like_file(begun):
        return [CompletionItem(begun, type="file")]
    return [CompletionItem(name, help=summary(game)) for name, game in all_games().items() if name.startswith(begun)]


def _strategies(ctx: click.Context, param: click.Parameter, begun: str) -> list[CompletionItem]:
    """What a shell offers for a strategy: those of the game that was named before it."""
    known = ctx.obj.declared.strategies.values() if ctx.obj else ()
    return [CompletionItem(one.name, help=one.summary) for one in known if one.name.startswith(begun)]


def must_not_clash(run: Callable[..., Any], parameters: Mapping[str, Any]) -> None:
    """Refuse parameters with the names of a call's own arguments, which are passed on by name."""
    for name in signature(run).parameters:
        if name in parameters:
            raise ParameterError(f"{run.__name__} has an argument called {name}, so the parameter {name} can't be set")


json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")


def _keep(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    """Keep the value of an option for `page`."""
    ctx.meta[f"dicelab.{param.name}"] = value


def page() -> Page:
    """The page that the result of the current command is printed on."""
    given = click.get_current_context().meta
    return Page.here(given.get("dicelab.all", False), given.get("dicelab.digits") == "full")


def result_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of commands that print a result: --json, --all, --digits."""
    head = click.option(
        "--all",
        is_flag=True,
        expose_value=False,
        callback=_keep,
        help="Show all settings, not only those that differ from the defaults.",
    )
    digits = click.option(
        "--digits",
        type=click.Choice(["short", "full"]),
        default="short",
        expose_value=False,
        callback=_keep,
        help="Show numbers with the digits that mean something, or with all of them [default: short].",
    )
    return json_option(head(digits(command)))


def from_environment(name: str) -> bool:
    """Whether an option of the current command has its value from an environment variable."""
    return click.get_current_context().get_parameter_source(name) is click.core.ParameterSource.ENVIRONMENT


game_argument = click.argument("game", shell_complete=_games)
strategy_option = click.option(
    "--strategy",
    "-s",
    "strategies",
    multiple=True,
    metavar="S",
    shell_complete=_strategies,
    help="Strategy: one for all seats, or one per seat.",
)
games_option = click.option(
    "--games", "-n", metavar="N", callback=number("games"), help="Number of games to play [default: 100000]."
)
precision_option = click.option(
    "--precision", metavar="P", callback=real, help="Stop once every 95 % interval is within ±P."
)
on_option = click.option("--on", metavar="TALLY", help="Apply --precision to the mean of this tally.")
seed_option = click.option(
    "--seed", metavar="N", help="Seed of the dice; the same seed gives the same games [default: random]."
)
threads_option = click.option(
    "--threads", metavar="N", callback=number("threads"), help="Number of threads [default: one per core]."
)
plot_option = click.option("--plot", metavar="FILE", help="Draw a chart into an SVG or PNG file.")
of_option = click.option(
    "--of",
    metavar="WHAT",
    help="What to draw: a tally, outcomes or convergence [default: what --given shows; else outcomes, or else the first"
    " tally].",
)
histogram_option = click.option("--histogram", metavar="TALLY", help="Show the distribution of a tally.")
given_option = click.option(
    "--given",
    metavar="TALLY[:N]",
    help="Show outcome probabilities given a tally's value, in groups of N values or of about equal probability.",
)
out_option = click.option("--out", metavar="FILE", help="Write every game to a .parquet file, one row per game.")
store_option = click.option(
    "--store",
    metavar="FILE",
    envvar="DICELAB_STORE",
    help="Keep the results in this file, and continue from what is in it; dicelab runs FILE lists them.",
)
memory_option = click.option(
    "--memory",
    metavar="SIZE",
    callback=size,
    help="Memory limit, such as 4G [default: half of the machine's memory].",
)
dry_run_option = click.option(
    "--dry-run", is_flag=True, help="Only say how many states, how much memory and time it would take."
)
