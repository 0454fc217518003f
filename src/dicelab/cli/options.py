"""Options shared by the commands, options made from a game's declarations, and parsers of numbers."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout, suppress
from pathlib import Path
from shutil import get_terminal_size
from textwrap import TextWrapper
from typing import Any

import click
from click.shell_completion import CompletionItem

from dicelab.cli.listing import write_groups
from dicelab.errors import DicelabError, ParameterError, renamed, unknown
from dicelab.results.text.page import COLUMNS
from dicelab.rules.casino import Casino, casino_of
from dicelab.rules.game import Game, summary
from dicelab.rules.loading.registry import all_games, bets_of, find, looks_like_file
from dicelab.rules.loading.strategies import strategies_in_file, strategies_of
from dicelab.rules.params import Param, Switch, whole_number


class Command(click.Command):
    """A command that refuses an option given twice, unless it may be repeated; click would use the last one."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:  # noqa: D102 (as in click, also below)
        seen = set[str]()
        for param in self.make_parser(ctx).parse_args(args=list(args))[2]:
            if isinstance(param, click.Option) and not (param.multiple or param.is_flag):
                if param.opts[0] in seen:
                    raise ParameterError(f"{param.opts[0]} is given twice")
                seen.add(param.opts[0])
        rest = super().parse_args(ctx, args)
        for param in self.params:
            if isinstance(param, Renamed):
                param.hand_over(ctx, self.params)
        return rest

    def get_help(self, ctx: click.Context) -> str:  # noqa: D102
        return folded(super().get_help(ctx), columns())


def columns() -> int:
    """The width of the terminal."""
    return get_terminal_size((COLUMNS, 24)).columns


def folded(text: str, width: int) -> str:
    r"""A help text whose lines fit the terminal; an example that is too long goes on in the next line.

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


def must_be_file(text: str, command: str) -> None:
    """Check that what was typed is the path of a file of rules, also with the name of a game behind it.

    Raises
    ------
    ParameterError
    """
    if not looks_like_file(text):
        raise ParameterError(f"{command} takes a file, such as ./{text}.py")
    path = text.partition(".py:")[0] + ".py" if ".py:" in text else text
    if not os.path.isfile(path):
        raise ParameterError(f"{path} is a folder, not a file" if os.path.isdir(path) else f"there is no file {path}")


class Renamed(click.Option):
    """An old spelling of an option: not in the help, accepted for one version, with a note on standard error.

    Parameters
    ----------
    old, now
        The spellings. Without a new one, the option has no effect: the command does always what it asked for.
    """

    def __init__(self, old: str, now: str | None, **settings: Any) -> None:
        super().__init__([old, f"old_{old.strip('-')}"], hidden=True, **settings)
        self.now = now

    def hand_over(self, ctx: click.Context, params: Sequence[click.Parameter]) -> None:
        """Give the value, if there is one, to the option with the new spelling."""
        assert self.name is not None
        value = ctx.params.pop(self.name)
        if value is None or value is False or value == ():
            return
        renamed(self.opts[0], self.now or "what the command does anyway")
        for param in params:
            if self.now in param.opts and param.name is not None:
                if ctx.params[param.name]:
                    raise ParameterError(f"{self.now} is given twice")
                ctx.params[param.name] = value


def formerly(old: str, now: str | None, **settings: Any) -> Callable[..., Any]:
    """A decorator that adds an old spelling of an option to a command (`Renamed`)."""

    def add(command: Any) -> Any:
        command.__click_params__ = [*getattr(command, "__click_params__", []), Renamed(old, now, **settings)]
        return command

    return add


class Commands(click.Group):
    """The group of all commands; the error for an unknown name suggests the nearest one."""

    command_class = Command

    def get_help(self, ctx: click.Context) -> str:  # noqa: D102
        return folded(super().get_help(ctx), columns())

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: D102
        write_groups(formatter)

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


def real(what: str) -> Callable[[click.Context, click.Parameter, str | None], float | None]:
    """A callback that parses a number; `what` is its name in errors."""

    def read(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
        try:
            return None if value is None else float(value)
        except ValueError:
            raise ParameterError(f"{what}: {value!r} is not a number") from None

    return read


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


def apart(options: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split all options into the parameters of the game and the options of the command."""
    return given_parameters(options), {key: value for key, value in options.items() if not key.startswith("game_")}


def _games(ctx: click.Context, param: click.Parameter, begun: str) -> list[CompletionItem]:
    """What a shell offers for the name of a game: names, or files where a path has begun."""
    if looks_like_file(begun):
        return [CompletionItem(begun, type="file")]
    return [CompletionItem(name, help=summary(game)) for name, game in all_games().items() if name.startswith(begun)]


def _strategies(ctx: click.Context, param: click.Parameter, begun: str) -> list[CompletionItem]:
    """What a shell offers for a strategy: those of the game that was named before it."""
    if looks_like_file(begun) and ".py:" not in begun:
        return [CompletionItem(begun, type="file")]
    known = strategies_of(ctx.obj) if ctx.obj else {}
    path, in_file, _ = begun.partition(".py:")
    if in_file:
        with suppress(DicelabError):
            known = {f"{path}.py:{name}": one for name, one in strategies_in_file(Path(f"{path}.py")).items()}
    return [CompletionItem(name, help=one.summary) for name, one in known.items() if name.startswith(begun)]


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
    help="Strategy: one for all seats, or one per seat; FILE.py:NAME for one in a file.",
)
games_option = click.option(
    "--games", "-n", metavar="N", callback=number("games"), help="Number of games to play [default: 100000]."
)
precision_option = click.option(
    "--precision", metavar="P", callback=real("precision"), help="Stop once every 95 % interval is within ±P."
)
on_option = click.option(
    "--on", metavar="WHAT", help="Apply --precision to this outcome's probability, or to the mean of this tally."
)
seed_option = click.option(
    "--seed", metavar="N", help="Seed of the dice; the same seed gives the same games [default: random]."
)
threads_option = click.option(
    "--threads", metavar="N", callback=number("threads"), help="Number of threads [default: one per core]."
)
fractions_option = click.option(
    "--fractions/--floats",
    default=None,
    help="Compute with fractions or floating point [default: fractions if there are few states].",
)
of_option = click.option(
    "--of",
    metavar="WHAT",
    help="What to draw: a tally, outcomes or, of simulated games, convergence [default: what --given shows; else "
    "outcomes, or else the first tally].",
)
histogram_option = click.option("--histogram", metavar="TALLY", help="Show the distribution of a tally.")
given_option = click.option(
    "--given",
    metavar="TALLY[:N]",
    help="Show outcome probabilities given a tally's value, in groups of N values or of about equal probability.",
)
out_option = click.option("--out", metavar="FILE", help="Write the policy to a file; policy:FILE is then a strategy.")
against_option = click.option(
    "--against", multiple=True, metavar="S", help="Strategy of the other seats: one for all, or one per seat."
)
objective_option = click.option(
    "--objective",
    metavar="O",
    help="Objective: win, payoff, an outcome, avoid:OUTCOME, most:TALLY, fewest:TALLY or atleast:TALLY:N "
    "[default: payoff if declared, else win].",
)
store_option = click.option(
    "--store",
    metavar="FILE",
    envvar="DICELAB_STORE",
    help="Keep the results in this file, and continue from what is in it; dicelab runs FILE lists them.",
)
cluster_option = click.option(
    "--cluster",
    metavar="WHERE",
    help="Play on the workers of a Dask cluster: tcp://HOST:PORT, or local:4 for 4 processes on this machine.",
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
