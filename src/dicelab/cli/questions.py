"""The commands that answer questions about a game: simulate, exact, compare, sweep."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from typing import Any

import click

from dicelab.cli.options import (
    GameCommand,
    game_argument,
    games_option,
    given_option,
    given_parameters,
    histogram_option,
    json_option,
    memory_option,
    number,
    of_option,
    on_option,
    out_option,
    plot_option,
    precision_option,
    seed_option,
    strategy_option,
    threads_option,
)
from dicelab.errors import DicelabError, ParameterError, unknown
from dicelab.rules.game import Game, outcome_names
from dicelab.rules.params import whole_number

INTERRUPTED = 130


@click.command(cls=GameCommand)
@game_argument
@strategy_option
@games_option
@precision_option
@on_option
@seed_option
@threads_option
@click.option(
    "--engine",
    default="auto",
    metavar="E",
    help="auto, table, purse, turns, graph, compiled or reference [default: auto].",
)
@click.option(
    "--limit",
    metavar="N",
    default="1000000",
    callback=number("limit"),
    help="Throws and choices that end an endless game.",
)
@click.option("--exact", "beside", is_flag=True, help="Put the exact answer beside it, with the z-score.")
@memory_option
@histogram_option
@given_option
@plot_option
@of_option
@out_option
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
      dicelab simulate lcr --players 3 --exact --plot turns.svg --of turns
      dicelab simulate hazard --games 1e8 --seed 1 --out games.parquet
    """
    from dicelab.analysis.exact import exact as solve
    from dicelab.analysis.simulate import simulate as run
    from dicelab.results.side_by_side import Beside

    parameters, settings = apart(options)
    table = chosen(**parameters)
    shown = _Shown(table, settings, as_json, simulated=True)
    beside, memory = settings.pop("beside"), settings.pop("memory")
    strategies = settings.pop("strategies")
    with games_played() as progress, redirect_stdout(sys.stderr):
        result = run(chosen, strategies, progress=progress, **settings, **parameters)
    if result.note:
        click.echo(f"dicelab: {result.note}", err=True)
    answer: Any = result
    results: list[Any] = [result]
    refused = None
    if beside and not result.interrupted:
        try:
            with positions() as looked, redirect_stdout(sys.stderr):
                truth = solve(table, strategies, threads=settings["threads"], memory=memory, progress=looked)
            answer, results = Beside(result, truth), [result, truth]
        except (DicelabError, KeyboardInterrupt) as error:  # what was simulated is not lost
            refused = error
    shown.show(table, answer, results)
    if refused is not None:
        raise refused
    end(result)


@click.command(cls=GameCommand)
@game_argument
@strategy_option
@click.option(
    "--fractions/--floats", default=None, help="Solve in fractions or not [default: where the chain is small]."
)
@click.option("--tally", "tallies", multiple=True, metavar="T", help="Follow this tally, not all; repeat for more.")
@memory_option
@threads_option
@histogram_option
@given_option
@plot_option
@of_option
@json_option
@click.pass_obj
def exact(chosen: type[Game], /, game: str, as_json: bool, **options: Any) -> None:
    """Answer exactly: every position that can be reached is met once.

    \b
    Examples:
      dicelab exact pass-line
      dicelab exact lcr --players 5 --histogram turns
      dicelab exact lcr --players 3 --given turns:3
      dicelab exact lcr --players 6 --tally turns
      dicelab exact tossup -s bank_over:20 -s bank_over:50 --json
    """
    from dicelab.analysis.exact import exact as solve

    parameters, settings = apart(options)
    settings["tallies"] = settings["tallies"] or None
    table = chosen(**parameters)
    shown = _Shown(table, settings, as_json, simulated=False)
    with positions() as progress, redirect_stdout(sys.stderr):
        result = solve(table, settings.pop("strategies"), given=shown.given, progress=progress, **settings)
    shown.show(table, result, [result])


@click.command(cls=GameCommand)
@game_argument
@click.option(
    "--strategy", "-s", "strategies", multiple=True, metavar="S", help="A strategy to compare; give two or more."
)
@click.option("--exact", is_flag=True, help="Solve exactly instead of simulating.")
@memory_option
@click.option("--on", metavar="WHAT", help="In a game of one seat: the outcome or tally that is compared.")
@games_option
@seed_option
@threads_option
@json_option
@click.pass_obj
def compare(chosen: type[Game], /, game: str, as_json: bool, **options: Any) -> None:
    """Play every pairing of the strategies in every seat order, on the same dice.

    \b
    Examples:
      dicelab compare tossup -s one_roll -s bank_over:20 -s bank_over:50
      dicelab compare tossup -s bank_over:20 -s bank_over:25 --exact
    """
    from dicelab.analysis.compare import compare as run

    parameters, settings = apart(options)
    with rows_done("line-ups") as progress, redirect_stdout(sys.stderr):
        result = run(chosen, settings.pop("strategies"), progress=progress, **settings, **parameters)
    click.echo(result.to_json() if as_json else str(result))
    end(result)


@click.command(cls=GameCommand)
@game_argument
@click.option(
    "--over",
    multiple=True,
    metavar="NAME=A..B[..STEP]",
    help="A parameter, or a strategy's argument; one or two times.",
)
@strategy_option
@click.option("--exact", is_flag=True, help="Solve exactly instead of simulating.")
@memory_option
@games_option
@precision_option
@on_option
@seed_option
@threads_option
@click.option("--csv", "as_csv", is_flag=True, help="Print lines of values separated by commas.")
@plot_option
@click.option("--of", metavar="WHAT", help="What to draw: an outcome, a tally, p90:TALLY, gap, total_variation, ratio.")
@json_option
@click.pass_obj
def sweep(chosen: type[Game], /, game: str, as_json: bool, as_csv: bool, **options: Any) -> None:
    """Answer the same question over a range of values, of one or two things.

    What varies is a parameter of the game, or the argument of a strategy in the seats where it is written without one.

    \b
    Examples:
      dicelab sweep lcr --over players=2..5 --exact
      dicelab sweep tossup --over bank_over=0..60..5 -s bank_over -s bank_over:20
      dicelab sweep lcr --over players=2..4 --over coins=1..3 --exact --plot lcr.svg --of gap
    """
    from dicelab.analysis.ranges import parse_range
    from dicelab.analysis.sweep import planned
    from dicelab.analysis.sweep import sweep as run

    parameters, settings = apart(options)
    path, of, written = settings.pop("plot"), settings.pop("of"), settings.pop("over")
    if as_json and as_csv:
        raise ParameterError("give --json or --csv, not both")
    if not written:
        raise ParameterError("over: say what varies, such as --over players=2..12")
    over = dict(parse_range(text) for text in written)
    if len(over) < len(written):
        raise ParameterError("over: the same name is given twice")
    _drawable(path)
    if of is not None:
        from dicelab.cli.pictures import sweepable

        if path is None:
            raise ParameterError("of says what to draw: give --plot FILE as well")
        sweepable([point.game for _, point in planned(chosen, settings["strategies"], over, parameters)], of)
    with rows_done("points") as progress, redirect_stdout(sys.stderr):
        result = run(chosen, settings.pop("strategies"), over=over, progress=progress, **settings, **parameters)
    click.echo(result.to_json() if as_json else result.to_csv().rstrip("\n") if as_csv else str(result))
    if path is not None and result.rows:
        from dicelab.plots import figure, plot_sweep, save

        drawing, axes = figure()
        plot_sweep(result, of, ax=axes)
        save(drawing, path)
        click.echo(f"drawn: {path}", err=True)
    end(result)


def end(result: Any) -> None:
    """The exit status of what was stopped before its end."""
    if result.refused:
        click.echo(f"dicelab: {result.refused}", err=True)
        raise SystemExit(1)
    if result.interrupted:
        raise SystemExit(INTERRUPTED)


def apart(options: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parameters of the game, and the options of the command."""
    return given_parameters(options), {key: value for key, value in options.items() if not key.startswith("game_")}


class _Shown:
    """How a result is shown, taken out of the options; checked before anything is played."""

    def __init__(self, game: Game, settings: dict[str, Any], as_json: bool, simulated: bool) -> None:
        self.as_json = as_json
        self.histogram: str | None = settings.pop("histogram")
        self.path: str | None = settings.pop("plot")
        self.of: str | None = settings.pop("of")
        given: str | None = settings.pop("given")
        tally_given, _, width = (given or "").partition(":")
        self.given = None if given is None else tally_given
        self.width = whole_number(width) if width else None
        if width and (self.width is None or self.width < 1):
            raise ParameterError(f"given: {given!r} is not allowed; it is written TALLY or TALLY:N, N being 1 or more")
        for tally in (self.histogram, self.given):
            if tally is not None and tally not in game.declared.tallies:
                raise unknown(f"tally of {game.name}", tally, game.declared.tallies)
        if self.given is not None and not outcome_names(game):
            raise ParameterError(f"{game.name} has no outcomes, only tallies, so nothing is given them")
        if self.of is not None and self.path is None:
            raise ParameterError("of says what to draw: give --plot FILE as well")
        _drawable(self.path)
        if self.path is not None:
            from dicelab.cli.pictures import subject

            subject(game, self.of, simulated)

    def show(self, game: Game, answer: Any, results: list[Any]) -> None:
        """Print an answer about a game; `results` are the simulation, the exact answer or both."""
        from dicelab.results.given import given_text
        from dicelab.results.histogram import histogram_data, histogram_text

        last = results[-1]
        if self.as_json:
            data = answer.to_dict()
            if self.histogram is not None:
                data["histogram"] = histogram_data(last, self.histogram)
            if self.given is not None:
                rows = [row.to_dict() for row in last.given(self.given, self.width)]
                data["given"] = {"tally": self.given, "rows": rows}
            click.echo(json.dumps(data))
        else:
            parts = [str(answer)]
            if self.histogram is not None:
                parts.append(histogram_text(last, self.histogram, not _blocks()))
            if self.given is not None:
                parts.append(given_text(last.given(self.given, self.width), self.given))
            click.echo("\n\n".join(parts))
        if self.path is not None:
            from dicelab.cli.pictures import draw

            draw(game, results, self.of, self.path)
            click.echo(f"drawn: {self.path}", err=True)


def _blocks() -> bool:
    """Can standard output show the character that bars are made of?"""
    try:
        "█".encode(getattr(sys.stdout, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _drawable(path: str | None) -> None:
    if path is not None:
        from dicelab.plots import check_path

        check_path(path)


# Progress, on stderr where that is a terminal -------------------------------------------------------------------------


@contextmanager
def _bar(label: str) -> Iterator[Callable[[int, int | None, str], None] | None]:
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn("{task.completed:,} " + label + "{task.description}"), BarColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total, words: bar.update(task, completed=done, total=total, description=words)


@contextmanager
def games_played() -> Iterator[Callable[[int, int | None], None] | None]:
    """A progress bar of games."""
    with _bar("games") as bar:
        yield None if bar is None else lambda done, total: bar(done, total, "")


@contextmanager
def positions() -> Iterator[Callable[[int, int], None]]:
    """A progress bar of positions found and expanded."""
    with _bar("positions expanded") as bar:
        yield lambda found, expanded: None if bar is None else bar(expanded, found, f" of {found:,} found")


@contextmanager
def rows_done(label: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar of rows."""
    with _bar(label) as bar:
        yield lambda done, total: None if bar is None else bar(done, total, "")
