"""Commands that ask no question: `check`, `new` and --replay of `play`, whose game comes from a file; what is kept.

By itself because with `dicelab.interface.cli.main` it would be a file of more than 500 lines.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dicelab.errors import InputError, ParameterError
from dicelab.interface.cli.commands import Command, GameCommand
from dicelab.interface.cli.options import GAMES, HELP, must_be_file
from dicelab.interface.cli.output import (
    INTERRUPTED,
    csv_option,
    form,
    json_option,
    page,
    result_options,
    say,
    say_rows,
    words_shown,
)
from dicelab.interface.starters import STARTERS, starter
from dicelab.questions import FILES
from dicelab.results.base import head
from dicelab.results.text.table import Column, Table, plain
from dicelab.results.text.writing import many
from dicelab.rules.game import Game

if TYPE_CHECKING:
    from dicelab.compile.kernels.cache import KeptKernel
    from dicelab.results.base import Forms


NAME, TITLE = re.compile(r"[A-Za-z][A-Za-z0-9_-]*"), re.compile(r"[A-Za-z][A-Za-z0-9' -]*[!?]?")
"""What a game may be called, and names in words from which that is made: Dragon's Hoard is dragons-hoard."""


@click.command(cls=Command, short_help="write a rules file to start from", group=GAMES)
@click.argument("name")
@click.option(
    "--like",
    type=click.Choice(list(STARTERS)),
    default="game",
    help="A game with turns, or one roll with a choice of dice to reroll [default: game].",
)
def new(name: str, like: str) -> None:
    """Write a rules file NAME.py to start from: a small complete game with comments.

    \b
    Examples:
      dicelab new mygame
      dicelab new "Dragon's Hoard"
      dicelab new pool --like reroll
      dicelab check ./mygame.py
      dicelab play ./mygame.py
    """
    name, spoken = name.removesuffix(".py"), None
    if not NAME.fullmatch(name) and TITLE.fullmatch(name):
        name, spoken = "-".join(re.findall(r"[a-z0-9]+", name.lower().replace("'", ""))), name
    if not NAME.fullmatch(name):
        raise ParameterError(f"new: {name!r} is not a name for a game; use letters, digits, - and _")
    file = Path(f"{name.replace('-', '_')}.py")
    try:
        with file.open("x", encoding="utf-8") as written:
            written.write(starter(like, name, spoken))
    except FileExistsError:
        raise InputError(f"new: {file} exists already; choose another name, or remove it") from None
    click.echo(f"{file} is written. Now try:")
    for command in (
        f"check ./{file}",
        f"play ./{file}",
        f"simulate ./{file} --with-exact",
        f"solve ./{file}{STARTERS[like]}",
    ):
        click.echo(f"  dicelab {command}")


UNFINISHED = 3
"""Exit status of a check that ran out of time."""


@click.command(cls=Command, short_help="verify a file of rules or strategies", group=GAMES)
@click.argument("file")
@click.option("--seconds", default=120.0, metavar="S", help="Time limit of the check in seconds [default: 120].")
@click.option("--verbose", "-v", is_flag=True, help="Also say which engines cannot play the game, and why.")
@csv_option
@json_option
def check(file: str, seconds: float, verbose: bool) -> None:
    """Verify the rules or the strategies in a file; report what is wrong, on which line, and what to write instead.

    The check covers all reachable states if there are few, and random play otherwise; parameters at their limits, alone
    and in pairs; line-ups of different strategies; all engines; exact answers; and an optimal policy. The report says
    what was covered.

    Strategies for a game of another file are checked with that game, alone and against its default strategy.

    Exit status: 0 if all is lawful, 1 if something is broken, 3 if the time limit came before the end.

    \b
    Examples:
      dicelab check ./pig.py
      dicelab check ./mine.py:cautious
    """
    from dicelab.conformance.check import examine
    from dicelab.conformance.findings import BROKEN

    must_be_file(file, "check")
    if not 0 < seconds < float("inf"):
        raise ParameterError(f"seconds: {seconds!r} is not allowed; it takes a number above 0")
    with words_shown() as progress:
        result = examine(file, seconds, progress)
    data = result.to_dict()
    say_rows(data, data["findings"], result.text(verbose=verbose))
    if result.interrupted:
        raise SystemExit(INTERRUPTED)
    if not result.lawful:
        raise SystemExit(1 if result.verdict == BROKEN else UNFINISHED)


REPLAY = "--replay"
VALUED = {REPLAY, "--objective", "--pace", "--policy", "--save", "--strategy", "-s"}
"""Options that have a value, and may stand beside --replay."""


class PlayCommand(GameCommand):
    """The command `play`; with --replay the name of the game may be left out."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:  # noqa: D102 (as in click)
        path = _value(args)
        if path is not None and "--help" not in args and not _names_a_game(args):
            from dicelab.interface.play.saved import game_of

            args = [game_of(path), *args]
        return super().parse_args(ctx, args)


def _value(args: Sequence[str]) -> str | None:
    """Return the value of --replay on a command line."""
    for word, after in zip(args, [*args[1:], None], strict=True):
        if word == REPLAY:
            return after
        if word.startswith(f"{REPLAY}="):
            return word.partition("=")[2]
    return None


def _names_a_game(args: Sequence[str]) -> bool:
    """Return whether there is a word on a command line that is neither an option nor the value of one."""
    before = ["", *args]
    return any(not word.startswith("-") and option not in VALUED for option, word in zip(before, args, strict=False))


def replayed(
    game: type[Game], path: str, save: str | None, strategies: Sequence[str], pace: float, others: Mapping[str, Any]
) -> int:
    """Replay a saved game, and play it on if it is to be saved; returns the exit status.

    Raises
    ------
    InputError
        Also when other options are given: everything else is in the file.
    """
    from dicelab.interface.play.course import replay

    for name, value in others.items():
        if value:
            raise ParameterError(f"{REPLAY} shows what is in the file; leave out --{name.replace('_', '-')}")
    if strategies and save is None:
        raise ParameterError(f"{REPLAY} shows what is in the file; to play on with other strategies, give --save FILE")
    return replay(game, path, save=save, strategies=strategies, pace=pace)


# The commands `kernels`, `solutions` and `runs`: what is kept on disk -------------------------------------------------


ENVIRONMENT = "DICELAB_STORE"


@click.command(cls=Command, short_help="what a file written by --store contains", group=FILES)
@click.argument("file", envvar=ENVIRONMENT)
@click.option("--show", metavar="N", type=int, help="Show the result of a run.")
@click.option("--compare", metavar="N N", type=(int, int), help="Show the results of two runs side by side.")
@click.option("--delete", metavar="N", type=int, multiple=True, help="Delete a run; repeat for more.")
@result_options
def runs(
    file: str,
    show: int | None,
    compare: tuple[int, int] | None,
    delete: tuple[int, ...],
) -> None:
    """List, show, compare, export and delete the runs in a file written by --store.

    Without options, one line for each run, the latest first. FILE may be left out if the environment variable
    DICELAB_STORE names it; that variable is the --store of other commands too.

    \b
    Examples:
      dicelab runs runs.db
      dicelab runs runs.db --show 1
      dicelab runs runs.db --compare 1 2
      dicelab runs runs.db --csv
      dicelab runs runs.db --delete 1
      dicelab simulate hazard --games 1e6 --seed 1 --store runs.db
    """
    from dicelab.results.store.runs import RunsCompared, Store

    if sum(map(bool, (show is not None, compare, delete))) > 1:
        raise ParameterError("give one of --show, --compare and --delete")
    store = Store(file)
    if delete:
        store.delete(*delete)
    answer: Forms
    if show is not None:
        answer = store.show(show)
    elif compare is not None:
        one, other = compare
        answer = RunsCompared((store.show(one), store.show(other)), (f"run {one}", f"run {other}"))
    else:
        answer = store.list(results=form() == "json")
    say(answer)


@click.command(cls=Command, short_help="solved games that are kept on disk, for hints and best", group=HELP)
@click.option("--clear", is_flag=True, help="Delete them; a game is then solved again when it is needed.")
@csv_option
@json_option
def solutions(clear: bool) -> None:
    """List or delete the solved games that are kept for hints, the coach, reviews and dicelab best.

    They take at most 2 GB; the least recently used are deleted first. DICELAB_CACHE_DIR says where they are kept, and
    with DICELAB_SOLUTIONS=off nothing is kept or used.

    \b
    Examples:
      dicelab solutions
      dicelab solutions --clear
    """
    from dicelab.questions.policies.solving import clear_solutions, is_off, kept_solutions, solutions_folder

    listed = clear_solutions() if clear else kept_solutions()
    columns = [
        *(Column(name, plain) for name in ("game", "kind")),
        Column("bytes", lambda page, size: f"{size / 1e6:,.1f} MB", "size", attrgetter("size")),
        Column("used", plain, value=_last_used),
        Column("file", value=lambda one: one.path.name),
    ]
    size = sum(one.size for one in listed) / 1e6
    off = "; off: nothing is kept or used" if is_off() else ""
    total = f"{solutions_folder()}: {'deleted ' if clear else ''}{many(len(listed), 'solution')}, {size:,.1f} MB{off}"
    _say_kept("solutions", str(solutions_folder()), clear, Table(columns, listed), total)


def _last_used(one: Any) -> str:
    """Return the day on which what is kept was used last."""
    return f"{datetime.fromtimestamp(one.used):%Y-%m-%d}"


def _say_kept(method: str, folder: str, deleted: bool, table: Table, total: str) -> None:
    """Print what is kept in a folder, or was deleted there, with a line about all of it."""
    rows = table.data()
    shown = ["", *page().listed(table.cells(page()))] if rows else []
    data = head(method) | {"folder": folder, "deleted": deleted, "rows": rows}
    say_rows(data, rows, page().text([total, *shown]))


@click.command(cls=Command, short_help="compiled code that is kept on disk", group=HELP)
@click.option("--show", metavar="ID", help="Show the source of a kernel; the first characters of its id are enough.")
@click.option("--prune", is_flag=True, help="Delete the outdated kernels, which no run can use any more.")
@click.option("--days", type=click.FloatRange(0), metavar="N", help="With --prune: also those not used for N days.")
@csv_option
@json_option
def kernels(show: str | None, prune: bool, days: float | None) -> None:
    """List, show and delete the compiled kernels that are kept on disk.

    A kernel is outdated when it was written for another version of dicelab, Numba, NumPy or Python. A kernel that was
    deleted is compiled again when it is needed. DICELAB_CACHE_DIR says where they are kept.

    \b
    Examples:
      dicelab kernels
      dicelab kernels --show 1f2e
      dicelab kernels --prune
      dicelab kernels --prune --days 30
    """
    from dicelab.compile.kernels.cache import cache_folder, kept_kernels
    from dicelab.compile.kernels.cache import prune as deleted

    if (show is not None and prune) or (days is not None and not prune):
        raise ParameterError("--days belongs to --prune, and --show stands alone")
    if show is not None:
        return _show(show, kept_kernels())
    listed = deleted(days) if prune else kept_kernels()
    columns = [
        Column("id", lambda page, name: name[:8], value=attrgetter("name")),
        Column("about"),
        Column("bytes", lambda page, size: f"{size / 1000:,.0f} kB", "size", attrgetter("size")),
        Column("used", plain, value=_last_used),
        Column("outdated"),
        Column("", lambda page, one: one.about + ", outdated" * one.outdated, "for"),
    ]
    size = sum(one.size for one in listed) / 1e6
    total = f"{cache_folder()}: {'deleted ' if prune else ''}{many(len(listed), 'kernel')}, {size:,.1f} MB"
    _say_kept("kernels", str(cache_folder()), prune, Table(columns, listed), total)


def _show(name: str, listed: list[KeptKernel]) -> None:
    """Print the source of a kernel."""
    named = [one for one in listed if one.name.startswith(name)]
    if len(named) != 1 or not name:
        problem = "several kernels have" if named else "no kernel has"
        raise ParameterError(f"{problem} an id that begins with {name!r}; dicelab kernels lists them")
    row = {"id": named[0].name, "source": named[0].source.read_text(encoding="utf-8")}
    say_rows(head("kernels") | row, [row], row["source"].rstrip("\n"))
