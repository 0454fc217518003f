"""Options shared by the commands, options made from a game's declarations, and parsers of numbers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from typing import Any

import click

from dicelab.errors import ParameterError, unknown
from dicelab.rules.casino import Casino, casino_of
from dicelab.rules.game import Game
from dicelab.rules.params import Param, Switch, whole_number
from dicelab.rules.registry import bets_of, find


class Commands(click.Group):
    """The group of all commands; the error for an unknown name suggests the nearest one."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:  # noqa: D102 (as in click, also below)
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-"):
            raise unknown("command", name, self.list_commands(ctx))
        return super().resolve_command(ctx, args)


class GameCommand(click.Command):
    """A command about one game. The game's parameters are options, allowed before and after its name."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:  # noqa: D102
        own = [p for p in self.params if not (p.name or "").startswith("game_")]
        name = _first_argument(own, args)
        options, profiles = list[ParameterOption](), list[click.Option]()
        if name is not None:
            with redirect_stdout(sys.stderr):  # a game's file may print; stdout is for results only
                ctx.obj = self.game(name)
            options = [ParameterOption(param) for param in ctx.obj.declared.params.values()]
            profiles = [profile_option(casino_of(ctx.obj))] if casino_of(ctx.obj).profiles else []
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
    """The parameters of the game that were given as options."""
    named = {key.removeprefix("game_"): value for key, value in options.items() if key.startswith("game_")}
    return {name: value for name, value in named.items() if value is not None}


json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
game_argument = click.argument("game")
strategy_option = click.option(
    "--strategy", "-s", "strategies", multiple=True, metavar="S", help="Strategy: one for all seats, or one per seat."
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
memory_option = click.option(
    "--memory",
    metavar="SIZE",
    callback=size,
    help="Memory limit, such as 4G [default: half of the machine's memory].",
)
