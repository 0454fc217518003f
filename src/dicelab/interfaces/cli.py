"""The command line: ``dicelab VERB GAME [options]``.

Results go to stdout; progress (only where stderr is a terminal), warnings and errors go to stderr. Exit status 0 done,
1 failed or "no", 2 wrong use, 130 interrupted. Options for a game's parameters come from their declarations.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from typing import Any

import click

from dicelab import __version__
from dicelab.errors import DicelabError, InputError, ParameterError, unknown
from dicelab.rules.game import Game, summary
from dicelab.rules.params import Param, Switch, whole_number
from dicelab.rules.registry import all_games, find, looks_like_file

INTERRUPTED = 130


class Commands(click.Group):
    """The verbs; an unknown one gets the nearest."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:  # noqa: D102 (as in click, also below)
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-"):
            raise unknown("command", name, self.list_commands(ctx))
        return super().resolve_command(ctx, args)


class GameCommand(click.Command):
    """A command about one game, which takes that game's parameters as options, before or after the name."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:  # noqa: D102
        own = [p for p in self.params if not isinstance(p, ParameterOption)]
        name = _first_argument(own, args)
        options: list[ParameterOption] = []
        if name is not None:
            with redirect_stdout(sys.stderr):  # what a file prints is no result
                ctx.obj = find(name)
            options = [ParameterOption(param) for param in ctx.obj.declared.params.values()]
            args = _spelled_out(args, {text for o in options if isinstance(o.param, Switch) for text in o.opts}, name)
        self.params = [*own, *options]
        return super().parse_args(ctx, args)


class ParameterOption(click.Option):
    """The option for a parameter of a game."""

    def __init__(self, param: Param) -> None:
        self.param = param
        names = [f"--{param.name.replace('_', '-')}"]
        names += [f"--{param.name}"] if "_" in param.name else []
        told = f"{param.help} ({param.allowed}) [default: {param.word(param.default)}]"
        super().__init__([*names, f"game_{param.name}"], help=told, metavar="V")


def _first_argument(params: Sequence[click.Parameter], args: Sequence[str]) -> str | None:
    """The name of the game among the arguments: the first that is neither an option nor its value.

    An option that is not known yet is one of the game's, and takes a value; where that leaves no name, it is a switch.
    """
    options = [p for p in params if isinstance(p, click.Option)]
    flags = {"-h", "--help", *(text for p in options if p.is_flag for text in p.opts)}
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
    """The arguments, each switch that is not followed by a value being given the value yes."""
    spelled = []
    for word, after in zip(args, [*args[1:], "-"], strict=True):
        alone = word in switches and (after.startswith("-") or after == game)
        spelled.append(f"{word}=yes" if alone else word)
    return spelled


def _number(what: str) -> Callable[[click.Context, click.Parameter, str | None], int | None]:
    """Read a whole number, also written 1e6 or 10_000."""

    def read(ctx: click.Context, param: click.Parameter, value: str | None) -> int | None:
        if value is None:
            return None
        number = whole_number(value)
        if number is None:
            raise ParameterError(f"{what}: {value!r} is not a whole number")
        return number

    return read


def _positive(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
    if value is None:
        return None
    try:
        return float(value)
    except ValueError:
        raise ParameterError(f"precision: {value!r} is not a number") from None


def _given(options: dict[str, Any]) -> dict[str, Any]:
    """The parameters of the game among the options, those that were given."""
    named = {key.removeprefix("game_"): value for key, value in options.items() if key.startswith("game_")}
    return {name: value for name, value in named.items() if value is not None}


json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
game_argument = click.argument("game")


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="dicelab", message="%(prog)s %(version)s")
def app() -> None:
    """A laboratory for dice games: write the rules once, check them, simulate them.

    GAME is a name (see dicelab list) or a file, such as ./pig.py.

    \b
    Examples:
      dicelab list
      dicelab show tossup
      dicelab simulate lcr --players 6 --games 1e6 --seed 1
      dicelab simulate tossup --strategy bank_over:20 --strategy one_roll
      dicelab check ./pig.py
    """


@app.command("list")
@json_option
def list_games(as_json: bool) -> None:
    """List the games, one line each.

    \b
    Example:
      dicelab list
    """
    with redirect_stdout(sys.stderr):
        games = all_games()
    if as_json:
        rows = [{"game": name, "about": summary(game)} for name, game in games.items()]
        click.echo(json.dumps({"schema": 1, "method": "list", "rows": rows}))
        return
    width = max(map(len, games))
    for name, game in games.items():
        click.echo(f"{name.ljust(width)}  {summary(game)}")


@app.command(cls=GameCommand)
@game_argument
@json_option
@click.pass_obj
def show(chosen: type[Game], /, game: str, as_json: bool, **options: Any) -> None:
    """Show the spec card of a game: rules, parameters, choices, strategies, source.

    \b
    Example:
      dicelab show tossup
    """
    from dicelab.interfaces.card import card, card_text

    chosen(**_given(options))
    click.echo(json.dumps(card(chosen)) if as_json else card_text(chosen, game))


@app.command(cls=GameCommand)
@game_argument
@click.option("--strategy", "-s", "strategies", multiple=True, metavar="S", help="One for each seat, or one for all.")
@click.option("--games", "-n", metavar="N", callback=_number("games"), help="Games to play [default: 100000].")
@click.option(
    "--precision", metavar="P", callback=_positive, help="Play until every 95 % interval is this narrow (half-width)."
)
@click.option("--on", metavar="TALLY", help="The precision is that of the mean of this tally.")
@click.option("--seed", metavar="N", help="The same seed gives the same games [default: drawn at random].")
@click.option("--threads", metavar="N", callback=_number("threads"), help="Threads [default: one for each core].")
@click.option("--engine", default="auto", metavar="E", help="auto, compiled or reference [default: auto].")
@click.option(
    "--limit",
    metavar="N",
    default="1000000",
    callback=_number("limit"),
    help="Throws and choices that end an endless game.",
)
@json_option
@click.pass_obj
def simulate(chosen: type[Game], /, game: str, as_json: bool, **options: Any) -> None:
    """Play many games and estimate how they end.

    Options of the game itself are listed by dicelab simulate GAME --help.

    \b
    Examples:
      dicelab simulate hazard --main 5 --games 1e6 --seed 1
      dicelab simulate tossup -s bank_over:20 -s bank_over:50 --precision 0.001
      dicelab simulate lcr --players 6 --precision 0.1 --on turns --json
    """
    from dicelab.analysis.simulate import simulate as run

    parameters = _given(options)
    settings = {key: value for key, value in options.items() if not key.startswith("game_")}
    with _progress(settings["games"], settings["precision"]) as progress, redirect_stdout(sys.stderr):
        result = run(chosen, settings.pop("strategies"), progress=progress, **settings, **parameters)
    if result.note:
        click.echo(f"dicelab: {result.note}", err=True)
    click.echo(result.to_json() if as_json else str(result))
    if result.interrupted:
        raise SystemExit(INTERRUPTED)


@contextmanager
def _progress(games: int | None, precision: float | None) -> Iterator[Callable[[int, int | None], None] | None]:
    """A progress bar on stderr, where that is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn("{task.completed:,} games"), BarColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None if precision is not None else games)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@app.command()
@click.argument("file")
@click.option("--seconds", default=120.0, metavar="S", show_default=True, help="Time after which the check is stopped.")
@json_option
def check(file: str, seconds: float, as_json: bool) -> None:
    """Check the rules in a file: what is wrong, at which state, and what to do.

    Exit status 0 when the game is lawful, 1 when it is broken.

    \b
    Example:
      dicelab check ./pig.py
    """
    from dicelab.analysis.examine import examine

    if not looks_like_file(file):
        raise ParameterError(f"check takes a file, such as ./{file}.py")
    path = file.partition(".py:")[0] + ".py" if ".py:" in file else file
    if not os.path.isfile(path):
        raise ParameterError(f"{path} is a folder, not a file" if os.path.isdir(path) else f"there is no file {path}")
    if not 0 < seconds < float("inf"):
        raise ParameterError(f"seconds: {seconds!r} is not allowed; it takes a number above 0")
    told = (
        (lambda step: click.echo(f"\x1b[2K{step}\r", err=True, nl=False))
        if sys.stderr.isatty()
        else (lambda step: None)
    )
    result = examine(file, seconds, told)
    click.echo(json.dumps(result.to_dict()) if as_json else str(result))
    if not result.lawful:
        raise SystemExit(1)


@app.command()
@json_option
def demo(as_json: bool) -> None:
    """Answer the questions of the texts that dicelab started from: published figures beside ours.

    \b
    Example:
      dicelab demo
    """
    from dicelab.interfaces.demo import demo as run
    from dicelab.interfaces.demo import demo_text

    told = (lambda asks: click.echo(f"simulating: {asks}", err=True)) if sys.stderr.isatty() else (lambda asks: None)
    rows = run(told)
    click.echo(json.dumps({"schema": 1, "method": "demo", "rows": rows}) if as_json else demo_text(rows))


def main(args: Sequence[str] | None = None) -> None:
    """Run the command line; never shows a traceback for what a person can cause."""
    try:
        status = app.main(args=args, prog_name="dicelab", standalone_mode=False)
        if sys.stdout is not None:  # it is None where the shell closed it
            sys.stdout.flush()
    except click.exceptions.Abort:
        _stop(INTERRUPTED, "interrupted")
    except KeyboardInterrupt:
        _stop(INTERRUPTED, "interrupted")
    except click.NoSuchOption as error:
        known = [text for p in (error.ctx.command.params if error.ctx else []) for text in p.opts if "_" not in text]
        _stop(2, str(unknown("option", error.option_name, known)))
    except click.ClickException as error:
        _stop(2, error.format_message())
    except InputError as error:
        _stop(2, str(error))
    except DicelabError as error:
        _stop(1, str(error))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(1) from None
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        _stop(1, f"can't write: {error}")
    raise SystemExit(status if isinstance(status, int) else 0)


def _stop(status: int, message: str) -> None:
    click.echo(f"dicelab: {' '.join(message.split())}", err=True)
    raise SystemExit(status)
