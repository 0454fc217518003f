"""How a command's result is printed, as text, CSV or JSON, and drawn: the options, and what follows from them."""

from __future__ import annotations

import codecs
import io
import json
import sys
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from types import MappingProxyType
from typing import Any

import click

from dicelab.errors import DicelabError, ParameterError
from dicelab.results.base import SCHEMA, Forms, as_csv
from dicelab.results.text.page import Printing

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


def replace_what_has_no_code() -> None:
    """Let standard output replace characters that its encoding lacks, as in a pipe on Windows."""
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        codecs.register_error("dicelab", _similar)
        sys.stdout.reconfigure(errors="dicelab")


def _similar(error: UnicodeError) -> tuple[str, int]:
    """ASCII in place of characters that can't be encoded, and where to go on: bars of #, else question marks."""
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
