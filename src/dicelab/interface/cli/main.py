"""The command line: ``dicelab COMMAND GAME [options]``.

Results go to stdout. Warnings, errors and, on a terminal, progress go to stderr. Exit status: 0 success, 1 failure or a
negative answer, 2 wrong usage, 3 a check that ran out of time, 130 interrupted. A game's parameters become options of
each command.

By itself because `dicelab.interface.cli.program` must handle Ctrl-C before the commands are imported.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import warnings
import webbrowser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from functools import cache
from importlib.util import find_spec
from typing import Any

import click

from dicelab.errors import DicelabError, InputError, ParameterError, unknown
from dicelab.interface.cli import options
from dicelab.interface.cli.commands import Command, CommandRequest, Commands, columns, game_command
from dicelab.interface.cli.games import PlayCommand, check, kernels, new, replayed, runs, solutions
from dicelab.interface.cli.options import GAMES, HELP
from dicelab.interface.cli.output import (
    INTERRUPTED,
    aside,
    csv_option,
    fitting,
    form,
    json_option,
    remark,
    replace_unencodable,
    say_rows,
)
from dicelab.questions import FILES
from dicelab.results.base import SCHEMA, head
from dicelab.results.text.page import Printing
from dicelab.rules.game import summary
from dicelab.rules.loading.registry import all_games
from dicelab.rules.objectives import FORMS
from dicelab.rules.params import whole
from dicelab.runtime.interrupts import arrivals, interrupt
from dicelab.runtime.timing import stage, stopped_at, watched_by
from dicelab.version import __version__

MOST_OTHERS = 4
"""Number of other commands with an option, up to which they are named where it is unknown."""
SLIP = 0.9
"""Likeness of an option to one of the command from which on it is a slip of the pen: --game for --games."""
WIDEST = 100
"""Columns of the help on a wide terminal."""


@click.group(
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="dicelab", message="%(prog)s %(version)s")
@click.pass_context
def app(ctx: click.Context) -> None:
    """A laboratory for dice games: write the rules once; play, simulate and solve them.

    GAME is the name of a game (see dicelab list) or of a file, such as ./pig.py.

    \b
    Examples:
      dicelab play tossup --hint
      dicelab simulate lcr --players 6 --games 1e6 --seed 1
      dicelab exact pass-line
      dicelab solve tossup --target 50 --out best.npz
      dicelab new mygame
      dicelab help simulate
    """  # noqa: D401 (the help of the program)
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


@app.command("help", short_help="the help of a command, with the parameters of a game", group=HELP)
@click.argument("words", nargs=-1, metavar="[COMMAND [GAME]]")
def help_of(words: tuple[str, ...]) -> None:
    """Show the help of a command; with a game, also the game's parameters.

    \b
    Examples:
      dicelab help
      dicelab help simulate
      dicelab help simulate lcr
    """
    _command([*words, "--help"])


@app.command("list", short_help="the games", group=GAMES)
@csv_option
@json_option
def list_games() -> None:
    """List all games, one per line.

    \b
    Example:
      dicelab list
    """
    with aside():
        games = all_games()
    rows = [{"game": name, "about": summary(game)} for name, game in games.items()]
    lines = Printing.here().listed([[row["game"], row["about"]] for row in rows])
    say_rows(head("list") | {"rows": rows}, rows, "\n".join(lines))


@game_command(short_help="one game: rules, parameters, choices, strategies", group=GAMES)
@json_option
def show(asked: CommandRequest) -> None:
    """Describe a game: rules, parameters, dice, choices, strategies, source.

    \b
    Example:
      dicelab show tossup
    """
    from dicelab.results.card import card, card_text

    kind = type(asked.game)
    click.echo(json.dumps(card(kind)) if form() == "json" else card_text(kind, asked.called, Printing.here()))


@game_command(cls=PlayCommand, short_help="play at the terminal, or watch strategies play", group=GAMES)
@options.strategy
@options.seed
@click.option("--stream", metavar="S", help="Roll with the random numbers of Python or R and a seed: python:5, r:1.")
@click.option("--hint", is_flag=True, help="Show your exact chance to win with each choice; hint shows it once.")
@click.option(
    "--policy",
    metavar="FILE|S",
    help="Take hints, and the values of the review, from a policy that dicelab solve --out has saved; in a game with "
    "hidden information, by what a seat has seen, if all follow strategy S.",
)
@click.option(
    "--objective",
    metavar="O",
    help=f"What hints and the review are about: {', '.join(FORMS[:-1])} or {FORMS[-1]} "
    "[default: payoff if declared, else win].",
)
@click.option("--pace", default=0.0, metavar="SECONDS", help="Pause after each step of strategies [default: 0].")
@click.option("--save", metavar="FILE", help="Write the game into a file while it is played; --replay reads it.")
@click.option("--review", is_flag=True, help="After the game, show its luck and what each decision cost.")
@click.option(
    "--replay",
    metavar="FILE",
    help="Check a saved game against the rules, and show it; with --save, play it on. GAME may be left out.",
)
def play(
    asked: CommandRequest,
    strategies: tuple[str, ...],
    seed: str | None,
    hint: bool,
    replay: str | None,
    **settings: Any,
) -> None:
    """Play one game at the terminal, against strategies or other people; or watch strategies play.

    Give --strategy once per seat; me means that a person plays the seat. By default you play the first seat and the
    game's default strategy plays the others. If strategies play all seats, you watch every roll and choice; --pace
    1 leaves a second after each. At a question, type ? for help, and hint for what each choice is worth. Seats are
    counted from 1. With --seed, it is game 0 of that seed's simulation. With --stream, the dice are rolled one by
    one as in a Python program after random.seed(5), or in an R program after set.seed(1). Exit status: 0 if the
    game ended or you left it with q, 1 if the input ended first (Ctrl-D), 130 after Ctrl-C.

    \b
    Examples:
      dicelab play tossup
      dicelab play tossup -s bank_over:20 -s me --hint
      dicelab play lcr --seed 1
      dicelab play craps --strategy line:odds=2 --pace 1
      dicelab play tossup --target 20 -s one_roll -s bank_over:19 --stream r:1
      dicelab play tossup --save game.json
      dicelab play tossup --target 50 --review
      dicelab play --replay game.json
      dicelab play --replay game.json --save more.json
    """
    from dicelab.interface.play import play as run
    from dicelab.interface.play.asking.hints import hints_for
    from dicelab.runtime.lineup import as_seed

    if replay is not None:
        others = {name: settings[name] for name in ("stream", "review", "policy", "objective")} | {
            "seed": seed,
            "hint": hint,
        }
        others = asked.parameters | others
        raise SystemExit(replayed(asked.kind, replay, settings["save"], strategies, settings["pace"], others))
    table, number = asked.game, None if seed is None else as_seed(seed)
    hints = hints_for(table, strategies, settings["policy"], settings["objective"])
    raise SystemExit(run(table, strategies, number, hints if hint else None, asked=hints, **settings))


NEEDED = ("starlette", "uvicorn", "jinja2", "matplotlib")


@click.command(cls=Command, short_help="all of this in the browser", group=FILES)
@click.argument("files", nargs=-1, metavar="[GAME.py ...]")
@click.option("--port", metavar="N", default=8765, type=int, show_default=True, help="Port; 0 takes a free one.")
@click.option("--open", "opened", is_flag=True, help="Open the lab in the browser.")
@click.option("--host", metavar="NAME", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--at", metavar="ADDRESS", help="Address at which a reverse proxy offers this lab to others.")
@options.store
def lab(files: tuple[str, ...], port: int, opened: bool, host: str, at: str | None, store: str | None) -> None:
    """Open the lab: simulate, solve and play games in the browser.

    It prints its address as soon as it is ready, and runs until Ctrl-C. It answers on this machine only, unless
    --host names another address of it (0.0.0.0: all), or --at the address of a reverse proxy on this machine: anyone
    who can reach that address can then use the lab. Files given here appear beside the games of dicelab, and their
    pages follow when they are saved; no other file can be reached from the browser.

    \b
    Examples:
      dicelab lab
      dicelab lab ./pig.py --port 0 --open
      dicelab lab ./pig.py --store runs.db
      dicelab lab --at https://example.org/dice/
    """
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise ParameterError(f"the lab needs {', '.join(missing)}: pip install 'dicelab[lab]'")
    whole("port", port, 0, 65535)
    for file in files:
        options.must_be_file(file, "lab")
    if store is not None:
        from dicelab.results.store.runs import Store

        Store(store)  # a file that is no store is refused before anything else
    from dicelab.interface.lab.app import serve
    from dicelab.interface.lab.proxied import place_of

    def ready(address: str) -> None:
        remark("The lab runs at this address until you press Ctrl-C:")
        click.echo(address)
        sys.stdout.flush()
        if opened:
            webbrowser.open(address)

    if at is not None:
        place_of(at)  # what is no address is refused before anything else
    if host not in ("127.0.0.1", "localhost") or at is not None:
        reached = f"others who can reach {at or host}"
        click.echo(f"warning: {reached} can use this lab, and the files that it was given", err=True)
    serve(files, port, ready, None if store is None else os.path.abspath(store), host, at)


ANSWERS = (runs,)
for command in (*ANSWERS, kernels, solutions, check, new, lab, show, play):
    app.add_command(command)


def main(args: Sequence[str] | None = None) -> None:
    """Run the command line and end with its exit status; errors of use and of the system are one line, no traceback."""
    if sys.stderr is None:  # closed by the shell, as with 2>&-
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    replace_unencodable()
    as_json = "--json" in (sys.argv if args is None else args)
    with _interruptible(), warnings.catch_warnings():
        warnings.simplefilter("always", RuntimeWarning)  # what `errors.slow` says
        once = cache(lambda text: remark(f"dicelab: {' '.join(text.split())}", as_json))
        warnings.showwarning = lambda message, *_, **__: once(str(message))
        with watched_by(lambda words, stays: once(words) if stays else None):
            _main(args, as_json)


def _main(args: Sequence[str] | None, as_json: bool) -> None:
    status, message = _run(args, as_json)
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
        elif status == 0:  # closed by the shell, as with >&-
            status, message = 1, "can't write: standard output is closed"
    except OSError as error:
        status, message = status or 1, message or _system_error(error)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes again when it exits
    if message:
        with suppress(OSError):
            said = {"schema": SCHEMA, "error": " ".join(message.split()), "status": status}
            click.echo(json.dumps(said) if as_json else fitting(f"dicelab: {said['error']}"), err=True)
    raise SystemExit(status)


def _command(args: Sequence[str] | None) -> Any:
    """Run a command; its help is as wide as the terminal."""
    width = min(columns(), WIDEST) - 2
    return app.main(args=args, prog_name="dicelab", standalone_mode=False, terminal_width=width)


def _run(args: Sequence[str] | None, as_json: bool) -> tuple[int, str]:
    """Run a command; return its exit status and an error message, empty if there is none."""
    before = arrivals()
    stage("starting")
    try:
        status = _command(args)
    except SystemExit as ended:
        status = ended.code
    except (click.exceptions.Abort, KeyboardInterrupt):
        return INTERRUPTED, stopped_at()
    except click.NoSuchOption as error:
        known = [
            text
            for p in (error.ctx.command.params if error.ctx else [])
            for text in p.opts
            if text[:1] == "-" and "_" not in text
        ]
        others = _commands_with(error.option_name)
        if 0 < len(others) <= MOST_OTHERS and not get_close_matches(error.option_name, known, 1, SLIP):
            have = f"only {' and '.join(others)} {'has' if len(others) == 1 else 'have'} it"
            return 2, f"no option {error.option_name!r} here; {have}"
        return 2, str(unknown("option", error.option_name, known))
    except click.ClickException as error:
        return 2, error.format_message()
    except DicelabError as error:
        if (place := getattr(error, "place", "")) and not as_json:  # in an expression, on lines of its own
            click.echo(place, err=True)
        return 2 if isinstance(error, InputError) else 1, getattr(error, "sentence", str(error))
    except Exception as error:
        if arrivals() > before:  # a library has turned the interrupt into an error of its own
            return INTERRUPTED, stopped_at()
        return 1, _system_error(error)
    return status if isinstance(status, int) else 0, ""


def _commands_with(option: str) -> list[str]:
    """Return the commands that have an option."""
    ctx = click.Context(app)
    commands = {name: app.get_command(ctx, name) for name in app.list_commands(ctx)}
    return [name for name, one in commands.items() if one and any(option in param.opts for param in one.params)]


def _system_error(error: Exception) -> str:
    """Return the message for an error that the operating system caused; any other error is raised again."""
    if isinstance(error, MemoryError):
        return f"not enough memory: {error}" if str(error) else "not enough memory"
    if isinstance(error, BrokenPipeError):
        return ""  # the reading end of the pipe was closed, as by head
    if isinstance(error, OSError) and error.errno is not None:
        return f"can't write: {error}"
    if isinstance(error, OSError) or (isinstance(error, ImportError) and "allocate memory" in str(error)):
        return f"not enough memory, or a part of dicelab is missing: {error}"
    if isinstance(error, RuntimeError) and "start new thread" in str(error):
        return "the system lets no more threads start; end other programs, or raise the limit (ulimit -u)"
    raise error


@contextmanager
def _interruptible() -> Iterator[None]:
    """Treat SIGTERM like Ctrl-C inside the block: the command ends and shows what it has so far.

    If SIGINT is ignored, as in a background job of a shell, it stays ignored.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {signal.SIGTERM: signal.signal(signal.SIGTERM, interrupt)}
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        before[signal.SIGINT] = signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
