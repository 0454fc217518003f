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
    dry_run_option,
    from_environment,
    game_argument,
    games_option,
    given_option,
    given_parameters,
    histogram_option,
    memory_option,
    must_not_clash,
    number,
    of_option,
    on_option,
    out_option,
    page,
    plot_option,
    precision_option,
    result_options,
    seed_option,
    store_option,
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
    help="Engine: auto, table, purse, turns, graph, compiled or reference [default: auto].",
)
@click.option(
    "--limit",
    metavar="N",
    default="1000000",
    callback=number("limit"),
    help="Stop with an error if a game takes more than N throws and choices [default: 1000000].",
)
@click.option("--exact", "beside", is_flag=True, help="Also show exact values, with z-scores of the estimates.")
@memory_option
@histogram_option
@given_option
@plot_option
@of_option
@out_option
@store_option
@result_options
@click.pass_obj
def simulate(chosen: type[Game], /, game: str, as_json: bool, **options: Any) -> None:
    """Play many games and estimate the outcome probabilities and the means of the tallies.

    With GAME given, --help also lists the parameters of the game.

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
    if settings["out"] is not None and from_environment("store"):
        settings["store"] = None
    table = chosen(**parameters)
    shown = _Shown(table, settings, as_json, simulated=True)
    beside, memory = settings.pop("beside"), settings.pop("memory")
    strategies = settings.pop("strategies")
    with games_played() as progress, redirect_stdout(sys.stderr):
        result = run(table, strategies, progress=progress, **settings)
    if result.note:
        click.echo(f"dicelab: {result.note}", err=True)
    answer: Any = result
    results: list[Any] = [result]
    refused = None
    if beside and not result.interrupted:
        try:
            with states_expanded() as looked, redirect_stdout(sys.stderr):
                given = {name: settings[name] for name in ("threads", "store")}
                truth = solve(table, strategies, memory=memory, progress=looked, **given)
            answer, results = Beside(result, truth), [result, truth]
        except (DicelabError, KeyboardInterrupt) as error:  # show the simulation first, then raise
            refused = error
    shown.show(table, answer, results)
    if refused is not None:
        raise refused
    end(result)


@click.command(cls=GameCommand)
@game_argument
@strategy_option
@click.option(
    "--fractions/--floats",
    default=None,
    help="Compute with fractions or floating point [default: fractions if there are few states].",
)
@click.option("--tally", "tallies", multiple=True, metavar="T", help="Solve only for this tally; repeat for more.")
@memory_option
@dry_run_option
@threads_option
@histogram_option
@given_option
@plot_option
@of_option
@store_option
@result_options
@click.pass_obj
def exact(chosen: type[Game], /, game: str, as_json: bool, **options: Any) -> None:
    """Compute exact probabilities by enumerating every reachable state.

    \b
    Examples:
      dicelab exact pass-line
      dicelab exact lcr --players 5 --histogram turns
      dicelab exact lcr --players 3 --given turns:3
      dicelab exact lcr --players 3 --given turns:3 --plot given.svg
      dicelab exact lcr --players 6 --tally turns
      dicelab exact lcr --players 9 --dry-run
      dicelab exact tossup -s bank_over:20 -s bank_over:50 --json
    """
    from dicelab.analysis.exact import exact as solve

    parameters, settings = apart(options)
    settings["tallies"] = settings["tallies"] or None
    table = chosen(**parameters)
    if settings.pop("dry_run"):
        from dicelab.analysis.cost import exact_cost

        with redirect_stdout(sys.stderr):
            cost = exact_cost(table, settings["strategies"], memory=settings["memory"], tallies=settings["tallies"])
        click.echo(cost.to_json() if as_json else cost.text(page()))
        return
    shown = _Shown(table, settings, as_json, simulated=False)
    with states_expanded() as progress, redirect_stdout(sys.stderr):
        result = solve(table, settings.pop("strategies"), given=shown.given, progress=progress, **settings)
    shown.show(table, result, [result])


@click.command(cls=GameCommand)
@game_argument
@click.option(
    "--strategy", "-s", "strategies", multiple=True, metavar="S", help="A strategy to compare; give two or more."
)
@click.option("--exact", is_flag=True, help="Solve exactly instead of simulating.")
@memory_option
@click.option("--on", metavar="WHAT", help="The outcome or tally to compare, in a game with one seat.")
@games_option
@seed_option
@threads_option
@plot_option
@store_option
@result_options
@click.pass_obj
def compare(chosen: type[Game], /, game: str, as_json: bool, **options: Any) -> None:
    """Play every pairing of the strategies in every seat order, on the same dice.

    --plot draws a heat map: the chance of each strategy (row) against each other (column).

    \b
    Examples:
      dicelab compare tossup -s one_roll -s bank_over:20 -s bank_over:50
      dicelab compare tossup -s bank_over:20 -s bank_over:25 --exact
      dicelab compare tossup -s bank_over:20 -s bank_over:25 -s bank_over:50 --exact --plot compare.svg
    """
    from dicelab.analysis.compare import compare as run

    parameters, settings = apart(options)
    path = settings.pop("plot")
    drawable(path)
    with rows_done("line-ups") as progress, redirect_stdout(sys.stderr):
        result = run(chosen(**parameters), settings.pop("strategies"), progress=progress, **settings)
    click.echo(result.to_json() if as_json else result.text(page()))
    if path is not None and result.pairs:
        from dicelab.plots import plot_comparison, save

        save(plot_comparison(result), path)
        click.echo(f"drawn: {path}", err=True)
    end(result)


@click.command(cls=GameCommand)
@game_argument
@click.option(
    "--over",
    multiple=True,
    metavar="NAME=A..B[..STEP]",
    help="Values of a parameter or of a strategy's argument; give it once or twice.",
)
@strategy_option
@click.option("--exact", is_flag=True, help="Solve exactly instead of simulating.")
@memory_option
@games_option
@precision_option
@on_option
@seed_option
@threads_option
@click.option("--csv", "as_csv", is_flag=True, help="Print comma-separated values.")
@plot_option
@click.option("--of", metavar="WHAT", help="What to draw: an outcome, a tally, p90:TALLY, gap, total_variation, ratio.")
@store_option
@result_options
@click.pass_obj
def sweep(chosen: type[Game], /, game: str, as_json: bool, as_csv: bool, **options: Any) -> None:
    """Simulate or solve a game for every value of a parameter, or for all pairs of values of two.

    --over takes a parameter of the game or an argument of a strategy. The argument varies in each seat whose strategy
    is given without it.

    \b
    Examples:
      dicelab sweep lcr --over players=2..5 --exact
      dicelab sweep tossup --over bank_over=0..60..5 -s bank_over -s bank_over:20
      dicelab sweep lcr --over players=2..4 --over coins=1..3 --exact --plot lcr.svg --of gap
      dicelab sweep craps-bet --over bet=pass,field_2x3x,hard8 --exact --plot money.svg --of money
    """
    from dicelab.analysis.ranges import parse_range
    from dicelab.analysis.sweep import planned
    from dicelab.analysis.sweep import sweep as run

    parameters, settings = apart(options)
    must_not_clash(run, parameters)
    path, of, written = settings.pop("plot"), settings.pop("of"), settings.pop("over")
    if as_json and as_csv:
        raise ParameterError("give --json or --csv, not both")
    if not written:
        raise ParameterError("over: give the values to sweep, such as --over players=2..12")
    over = dict(parse_range(text) for text in written)
    if len(over) < len(written):
        raise ParameterError("over: the same name is given twice")
    drawable(path)
    if of is not None:
        from dicelab.cli.pictures import sweepable

        if path is None:
            raise ParameterError("--of chooses what --plot draws; give --plot FILE as well")
        sweepable([point.game for _, point in planned(chosen, settings["strategies"], over, parameters)], of)
    with rows_done("points") as progress, redirect_stdout(sys.stderr):
        result = run(chosen, settings.pop("strategies"), over=over, progress=progress, **settings, **parameters)
    click.echo(
        result.to_json() if as_json else result.to_csv(page().full).rstrip("\n") if as_csv else result.text(page())
    )
    if path is not None and result.rows:
        from dicelab.plots import plot_sweep, save

        save(plot_sweep(result, of), path)
        click.echo(f"drawn: {path}", err=True)
    end(result)


def end(result: Any) -> None:
    """Exit with status 1 if rows of a result are missing because of an error, 130 if it was interrupted."""
    if result.refused:
        raise DicelabError(result.refused)
    if result.interrupted:
        raise SystemExit(INTERRUPTED)


def apart(options: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split all options into the parameters of the game and the options of the command."""
    return given_parameters(options), {key: value for key, value in options.items() if not key.startswith("game_")}


class _Shown:
    """The options about output; the constructor takes them out of `settings` and checks them."""

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
            raise ParameterError(f"{game.name} has no outcomes, only tallies, so --given has nothing to show")
        if self.of is not None and self.path is None:
            raise ParameterError("--of chooses what --plot draws; give --plot FILE as well")
        drawable(self.path)
        if self.path is not None:
            from dicelab.cli.pictures import subject

            subject(game, self.of, simulated)

    def show(self, game: Game, answer: Any, results: list[Any]) -> None:
        """Print an answer and draw its picture; `results` holds the simulation, the exact answer or both."""
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
            parts = [answer.text(page())]
            if self.histogram is not None:
                parts.append(histogram_text(last, self.histogram, not _blocks(), page()))
            if self.given is not None:
                parts.append(given_text(last.given(self.given, self.width), self.given, page()))
            click.echo("\n\n".join(parts))
        if self.path is not None:
            from dicelab.cli.pictures import draw

            given = (self.given, self.width) if self.given is not None and self.of is None else None
            draw(game, results, self.of, self.path, given)
            click.echo(f"drawn: {self.path}", err=True)


def _blocks() -> bool:
    """Whether standard output can encode the character that bars are made of."""
    try:
        "█".encode(getattr(sys.stdout, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def drawable(path: str | None) -> None:
    """Check the path of --plot, if there is one, before anything is computed."""
    if path is not None:
        from dicelab.plots import check_path

        check_path(path)


# Progress bars on stderr, if that is a terminal -----------------------------------------------------------------------


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
def states_expanded() -> Iterator[Callable[[int, int], None]]:
    """A progress bar of states found and expanded, without a time: how many more will be found isn't known."""
    with _bar("states expanded") as bar:

        def show(found: int, expanded: int) -> None:
            if bar is not None:
                bar(expanded, None, f" of {found:,} found so far" if expanded < found else "; solving")

        yield show


@contextmanager
def rows_done(label: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar of rows."""
    with _bar(label) as bar:
        yield lambda done, total: None if bar is None else bar(done, total, "")
