"""How a command's result is printed, as text, CSV or JSON, and drawn: the options, and what follows from them.

Progress bars are shown on stderr, if that is a terminal. Inside each of their blocks, what a game's file prints goes to
stderr: stdout is for results only.
"""

from __future__ import annotations

import codecs
import io
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import click

from dicelab.errors import DicelabError, InputError, ParameterError, unknown
from dicelab.results.base import SCHEMA, Forms, as_csv, winners
from dicelab.results.numbers.estimates import MEASURES, number_of, outcome_typed
from dicelab.results.text.page import Printing
from dicelab.results.text.writing import upper
from dicelab.rules.game import Game, outcome_names

if TYPE_CHECKING:
    from dicelab.engines.policy import SavedPolicy
    from dicelab.questions.policies.certificate import Certificate
    from dicelab.questions.policies.thinking.network import Network
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

from dicelab.limits import LIMITS
from dicelab.questions.declare import DeclaredQuestion
from dicelab.runtime.timing import watched_by

INTERRUPTED = 130
"""Exit status after Ctrl-C."""


def _keep(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    """Keep the value of an option for `page` and `form`; refuse two forms before anything is computed."""
    ctx.meta[f"dicelab.{param.name}"] = value
    if all(ctx.meta.get(f"dicelab.{name}") for name in ("csv", "json")):
        raise ParameterError("give --json or --csv, not both")


def page() -> Printing:
    """Return the page that the result of the current command is printed on."""
    given = click.get_current_context().meta
    return Printing.here(given.get("dicelab.all", False), given.get("dicelab.digits") == "full")


def form() -> str:
    """Return how the result of the current command is printed: ``text``, ``csv`` or ``json``."""
    given = click.get_current_context().meta
    return next((name for name in ("csv", "json") if given.get(f"dicelab.{name}")), "text")


def _kept(*names: str, **settings: Any) -> Callable[..., Any]:
    """Return an option whose value is kept for this module, not passed to the command."""
    return click.option(*names, expose_value=False, callback=_keep, is_eager=True, **settings)


json_option = _kept("--json", is_flag=True, help="Print one JSON object.")
csv_option = _kept("--csv", is_flag=True, help="Print the rows as comma-separated values.")
digits_option = _kept(
    "--digits",
    type=click.Choice(["short", "full"]),
    default="short",
    help="Show numbers with the digits that mean something, or with all of them [default: short].",
)
all_option = _kept("--all", is_flag=True, help="Show all settings, not only those that differ from the defaults.")


def result_options(command: Callable[..., Any], alone: bool = False) -> Callable[..., Any]:
    """Return the options of commands that print a result: --csv, --json, --digits and, unless it is about dice alone,
    --all.
    """
    for option in (digits_option, *([] if alone else [all_option]), json_option, csv_option):
        command = option(command)
    return command


def replace_unencodable() -> None:
    """Let standard output replace characters that its encoding lacks, as in a pipe on Windows."""
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        codecs.register_error("dicelab", _similar)
        sys.stdout.reconfigure(errors="dicelab")


def _similar(error: UnicodeError) -> tuple[str, int]:
    """Return ASCII in place of characters that can't be encoded, and where to go on: bars of #, else question marks."""
    assert isinstance(error, UnicodeEncodeError)
    lacking = error.object[error.start : error.end]
    return lacking.replace("█", "#").encode("ascii", "replace").decode(), error.end


def aside() -> redirect_stdout[Any]:
    """Send what is printed inside, such as by the file of a game, to standard error; the other is for results only."""
    return redirect_stdout(sys.stderr)


def put(text: str) -> None:
    """Print a line in the encoding of standard output, also in ASCII, where Click by itself would write UTF-8."""
    click.echo(text, file=sys.stdout)


def say(result: Forms, text: str | None = None, further: Mapping[str, Forms] = MappingProxyType({})) -> None:
    """Print a result in the form that was asked for; `text` replaces its usual text.

    What is shown `further` stands below the text, under its name in JSON, and in CSV in place of the result.
    """
    *_, last = shown = (result, *further.values())
    if form() == "json":
        put(json.dumps(result.to_dict() | {name: one.to_dict() for name, one in further.items()}, allow_nan=False))
    elif form() == "csv":
        put(last.to_csv(page().full).rstrip("\n"))
    else:
        put("\n\n".join(one.text(page()) for one in shown) if text is None else text)


def say_rows(data: Mapping[str, Any], rows: list[dict[str, Any]], text: str) -> None:
    """Print an answer that is no result object: its plain data, its rows, or its text."""
    shown = {"json": lambda: json.dumps(data), "csv": lambda: as_csv(rows, page().full).rstrip("\n")}
    put(shown.get(form(), lambda: text)())


def drawable(path: str | None) -> None:
    """Check the path of --plot, if there is one, before anything is computed."""
    if path is not None:
        from dicelab.plots import check_path

        check_path(path)


def draw(path: str | None, picture: Callable[[Any], Any]) -> None:
    """Write a picture into the file of --plot, if there is one, and say so.

    `picture` gets the package `dicelab.plots`, which takes long to import, and draws by one of its functions.
    """
    if path is not None:
        from dicelab import plots

        plots.save(picture(plots), path)
        remark(f"drawn: {path}")


def remark(text: str, as_json: bool | None = None) -> None:
    """Print a remark about the result on standard error: a line, or with --json an object."""
    as_json = form() == "json" if as_json is None else as_json
    note = {"schema": SCHEMA, "note": text.removeprefix("dicelab: ")}
    click.echo(json.dumps(note) if as_json else fitting(text), err=True)


def fitting(text: str) -> str:
    """Return a line for standard error, wrapped between words if that is a terminal; programs read whole lines."""
    return Printing.here().text([text]) if sys.stderr is not None and sys.stderr.isatty() else text


def end(result: Any) -> None:
    """Exit with status 1 if rows of a result are missing because of an error, 130 if it was interrupted."""
    if result.refused:
        raise DicelabError(result.refused)
    if result.interrupted:
        raise SystemExit(INTERRUPTED)


# Write policies, certificates and pictures to files, for --out, --certificate and --plot ------------------------------


ROUNDING = 1e-12
"""Gains up to this are rounding errors."""


def writable(path: str | None, option: str = "out") -> str | None:
    """Check the name of the file to write, before a long computation; return it unchanged.

    Raises
    ------
    InputError
        When it is empty, a folder, or in a folder that does not exist.
    """
    if path is not None and (not path or os.path.isdir(path)):
        raise InputError(f"{option}: {path or repr('')} is not the name of a file")
    if path is not None and not os.path.isdir(os.path.dirname(path) or "."):
        raise InputError(f"{option}: there is no folder {os.path.dirname(path)}")
    return path


def save_certificate(certificate: Certificate, path: str) -> None:
    """Write a certificate to a file, and say how it is checked.

    Raises
    ------
    NoCertificate
        When the file can't be written.
    """
    certificate.save(path)
    remark(
        f"written: {path}, {certificate.states:,} states and {certificate.edges:,} edges; "
        f"check it with: python tools/check_certificate.py {path}"
    )


def keep(policy: SavedPolicy | Network | None, path: str) -> None:
    """Write a policy to a file.

    Raises
    ------
    InputError
        When the file can't be written, or there is no policy.
    """
    from dicelab.runtime.leftovers import replacing

    if policy is None:
        raise InputError("no policy was written: the best moves depend on the memory of a given strategy")
    with replacing(path, InputError, f"out: {path}") as draft:
        policy.save(draft)
    remark(f"written: {path}")
    if alike := policy.about.get("alike"):
        gains = ", ".join(upper(gain) if gain > ROUNDING else "nothing" for gain in policy.about["gains"])
        remark(
            f"in {alike:,} situations the file plays as in others, because it remembers only the player's own moves in "
            "this subgame (in a very large one the last choices of all players, two or three), and what the player "
            f"sees; against it players could gain at most {gains}, in the order of seats"
        )


# Pictures -------------------------------------------------------------------------------------------------------------
#
# Choose and draw the picture of a result, for the options --plot and --of.


def picture(plots: Any, game: Game, results: list[Any], of: str | None, given: tuple[str, int | None] | None) -> Any:
    """Return the picture of results of one game, drawn with `dicelab.plots`.

    Parameters
    ----------
    game
        The game with its parameters.
    results
        A simulation, an exact answer, or both.
    of
        A tally; ``outcomes``; or, for a simulation, ``convergence`` or ``convergence:OUTCOME``. None stands for the
        outcomes, or the first tally of a game without outcomes.
    given
        Draw the outcomes given this tally, in groups of so many values, instead.
    """
    from dicelab.results.result import Exact, Simulation

    if given is not None:
        return plots.plot_given(*results, tally=given[0], width=given[1])
    what, which = subject(game, of, simulated=any(isinstance(result, Simulation) for result in results))
    if what == "outcomes":
        return plots.plot_seats(*results)
    if what != "convergence":
        return plots.plot_tally(*results, tally=what)
    from dicelab.questions.convergence import convergence

    simulated = next(r for r in results if isinstance(r, Simulation))
    truth = next((r for r in results if isinstance(r, Exact)), None)
    again = convergence(game, simulated.strategies, games=simulated.games, seed=simulated.seed, of=which)
    return plots.plot_convergence(again, truth, players=len(simulated.outcomes) if simulated.seats else None)


def subject(game: Game, of: str | None, simulated: bool) -> tuple[str, str]:
    """Parse `of`: a tally, ``outcomes`` or ``convergence``, and the outcome or tally whose convergence is drawn."""
    outcomes, tallies = outcome_names(game), tuple(game.declared.tallies)
    known = [*tallies, *(["outcomes"] if outcomes else []), *(["convergence"] if simulated else [])]
    if not outcomes and not tallies:
        raise ParameterError(f"{game.name} has neither outcomes nor tallies, so there is nothing to draw")
    if of is None:
        of = "outcomes" if outcomes else tallies[0]
    what, colon, which = of.partition(":")
    if what not in known or (colon and what != "convergence"):
        raise unknown("picture", of, known)
    return what, number_of(game, which if colon else None)


def sweepable(games: Sequence[Game], of: str) -> str:
    """Return the outcome, tally or measure that a sweep over these games can draw, `of` as it was typed.

    Raises
    ------
    UnknownNameError
        When `of` is neither an outcome, a tally, a percentile of a tally, nor a measure of fairness.
    """
    tallies = tuple(games[0].declared.tallies)
    of = next((name for name in (outcome_typed(game, of) for game in games) if name != of), of)
    outcomes = dict.fromkeys(name for game in games for name in outcome_names(game))
    known = [*outcomes, *tallies, *(MEASURES if any(map(winners, games)) else ())]
    percent, _, tally = of.partition(":")
    percentile = percent[:1] == "p" and percent[1:].isdigit() and tally in tallies
    if of not in known and not percentile:
        raise unknown("picture of a sweep", of, known)
    return of


Bar = Callable[[str, float, float | None], None]
"""Shows words, or those before if they are empty, and how much is done of how much, if that is known."""
SHARE = 0.05
"""Share of the work after which the time that is left can be estimated, if it also took `LIMITS.left_seconds`."""


def foreseeable(done: float, total: float | None, seconds: float | None) -> bool:
    """Return whether enough is done to say how long the rest will take.

    >>> foreseeable(10, 1000, 60), foreseeable(500, 1000, 0.5), foreseeable(500, 1000, 5)
    (False, False, True)
    """
    return total is not None and seconds is not None and done >= SHARE * total and seconds >= LIMITS.left_seconds


@contextmanager
def _bar(alike: bool = True) -> Iterator[Bar | None]:
    """Show words, and how much is done of how much, if that is known; the time starts again where less is done. What is
    done for one part of the work is said after the number of the parts that are done.

    The time that is left is shown if all parts of the work are `alike`.
    """
    if not sys.stderr.isatty():
        with redirect_stdout(sys.stderr):
            yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Remaining(TimeRemainingColumn):
        def render(self, task: Task) -> Text:
            known = foreseeable(task.completed, task.total, task.elapsed)
            return super().render(task) if known else Text("")

    words_and_bar = [TextColumn("{task.description}", markup=False), BarColumn(), TextColumn("{task.elapsed:,.0f} s")]
    columns: list[ProgressColumn] = [*words_and_bar, *([Remaining()] if alike else [])]
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar, redirect_stdout(sys.stderr):
        task, parts = bar.add_task("", total=None), ""

        def show(words: str, done: float, total: float | None) -> None:
            nonlocal parts
            parts = f"{words}; " if words and total is not None else parts
            if done < bar.tasks[0].completed:
                bar.reset(task)
            bar.update(task, completed=done, total=total, description=words or bar.tasks[0].description)

        def said(words: str, stays: bool) -> None:
            if stays:
                remark(f"dicelab: {words}")
            else:
                bar.update(task, description=f"{parts}{words}")

        with watched_by(said):
            yield show


@contextmanager
def games_played() -> Iterator[Callable[[int, int | None], None] | None]:
    """Show a progress bar of games."""
    with _bar() as bar:
        yield _games(bar)


@contextmanager
def states_expanded() -> Iterator[dict[str, Any]]:
    """Show a progress bar of states found and expanded, then of the solution: `progress` and `share` for a call.

    It shows a remaining time once a share of the work is known.
    """
    with _bar() as bar:
        yield _states(bar)


def _games(bar: Bar | None) -> Callable[[int, int | None], None] | None:
    return None if bar is None else lambda done, total: bar(f"{done:,} games", done, total)


def _states(bar: Bar | None) -> dict[str, Any]:
    """Return what shows states: how many are found meanwhile is said in words (`dicelab.runtime.timing`)."""

    def progress(found: int, expanded: int) -> None:
        if bar is not None and expanded >= found:
            bar(f"{found:,} states; solving", 0.0, None)

    def share(done: float) -> None:
        if bar is not None:
            bar("", done, 1.0)

    return {"progress": progress, "share": share}


def _words(bar: Bar | None) -> Callable[[object], None]:
    return lambda words: None if bar is None else bar(str(words), 0, None)


def _rows(bar: Bar | None, label: str) -> Callable[[int, int], None]:
    return lambda done, total: None if bar is None else bar(f"{label}: {done:,} of {total:,}", done, total)


@contextmanager
def words_shown() -> Iterator[Callable[[str], None]]:
    """Show what is being done, in words, on a line that is removed at the end."""
    with _bar(alike=False) as bar:
        yield _words(bar)


@contextmanager
def rows_done(label: str, alike: bool = False) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar of rows, with the time that is left only if all rows take about as long."""
    with _bar(alike) as bar:
        yield _rows(bar, label)


@contextmanager
def watched(one: DeclaredQuestion) -> Iterator[dict[str, Any]]:
    """Show the progress of a question; yields the arguments that are called while it is computed."""
    kinds, first = {*one.watches.values()}, list[tuple[float, str]]()
    if not kinds:
        with redirect_stdout(sys.stderr):
            yield {}
        return
    with _bar(one.alike if "rows" in kinds else "words" not in kinds) as bar:
        states = _states(bar)

        def solving(found: int, expanded: int) -> None:
            if first and perf_counter() - first[0][0] > LIMITS.first_seconds:
                remark(first.pop()[1])
            states["progress"](found, expanded)

        def result(known: Any) -> None:
            more = "The exact answer is being computed; Ctrl-C stops it and keeps this one."
            first.append((perf_counter(), f"Simulated: {known.summary} {more}"))

        shown = {"games": _games(bar), "rows": _rows(bar, one.rows), "words": _words(bar), "result": result}
        shown |= {"states": solving}
        yield {name: states["share"] if name == "share" else shown[of] for name, of in one.watches.items()}
