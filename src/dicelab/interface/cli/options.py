"""What commands share: options, parsers of numbers, the groups in which `dicelab` alone lists them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from dicelab.errors import DicelabError, ParameterError
from dicelab.questions import FILES, LISTED, MONEY, PLAY, Listed
from dicelab.questions.declare import QUESTIONS, load_announced
from dicelab.rules.game import summary
from dicelab.rules.loading.registry import all_games, looks_like_file
from dicelab.rules.loading.strategies import strategies_in_file, strategies_of
from dicelab.rules.params import whole_number


def must_be_file(text: str, command: str) -> None:
    """Check that what was typed is the path of a file of rules, also with the name of a game behind it."""
    if not looks_like_file(text):
        raise ParameterError(f"{command} takes a file, such as ./{text}.py")
    path = text.partition(".py:")[0] + ".py" if ".py:" in text else text
    if not os.path.isfile(path):
        raise ParameterError(f"{path} is a folder, not a file" if os.path.isdir(path) else f"there is no file {path}")


def number(ctx: click.Context, param: click.Parameter, value: str | None) -> int | None:
    """Parse the whole number of an option, also written 1e6 or 10_000."""
    count = None if value is None else whole_number(value)
    if value is not None and count is None:
        raise ParameterError(f"{_called(param)}: {value!r} is not a whole number")
    return count


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
    """Parse the number of an option."""
    try:
        return None if value is None else float(value)
    except ValueError:
        raise ParameterError(f"{_called(param)}: {value!r} is not a number") from None


def _called(param: click.Parameter) -> str:
    """Return the name of an option in an error."""
    return param.opts[0].removeprefix("--").replace("-", " ")


def whole(*names: str, **settings: Any) -> Callable[..., Any]:
    """Return an option whose value is a whole number."""
    return click.option(*names, callback=number, **{"metavar": "N"} | settings)


def decimal(*names: str, **settings: Any) -> Callable[..., Any]:
    """Return an option whose value is a number."""
    return click.option(*names, callback=real, **settings)


def _games(ctx: click.Context, param: click.Parameter, begun: str) -> list[CompletionItem]:
    """Return what a shell offers for the name of a game: names, or files where a path has begun."""
    if looks_like_file(begun):
        return [CompletionItem(begun, type="file")]
    return [CompletionItem(name, help=summary(game)) for name, game in all_games().items() if name.startswith(begun)]


def strategies_begun(ctx: click.Context, param: click.Parameter, begun: str) -> list[CompletionItem]:
    """Return what a shell offers for a strategy: those of the game that was named before it."""
    if looks_like_file(begun) and ".py:" not in begun:
        return [CompletionItem(begun, type="file")]
    known = strategies_of(ctx.obj) if ctx.obj else {}
    path, in_file, _ = begun.partition(".py:")
    if in_file:
        with suppress(DicelabError):
            known = {f"{path}.py:{name}": one for name, one in strategies_in_file(Path(f"{path}.py")).items()}
    return [CompletionItem(name, help=one.summary) for name, one in known.items() if name.startswith(begun)]


def from_environment(name: str) -> bool:
    """Return whether an option of the current command has its value from an environment variable."""
    return click.get_current_context().get_parameter_source(name) is click.core.ParameterSource.ENVIRONMENT


game_argument = click.argument("game", shell_complete=_games)
strategy = click.option(
    "--strategy",
    "-s",
    "strategies",
    multiple=True,
    metavar="S",
    shell_complete=strategies_begun,
    help="Strategy: one for all seats, or one per seat; FILE.py:NAME for one in a file; search:CHOICES:GAMES, "
    "mcts:TRIES and rollout:GAMES look ahead.",
)
seed = click.option(
    "--seed", metavar="N", help="Seed of the dice; the same seed gives the same games [default: random]."
)
of = click.option(
    "--of",
    metavar="WHAT",
    help="What to draw: a tally, outcomes or, of simulated games, convergence [default: what --given shows; else "
    "outcomes, or else the first tally].",
)
histogram = click.option("--histogram", metavar="TALLY", help="Show the distribution of a tally.")
given = click.option(
    "--given",
    metavar="TALLY[:N]",
    help="Show outcome probabilities given a tally's value, in groups of N values or of about equal probability.",
)
out = click.option("--out", metavar="FILE", help="Write the policy to a file; policy:FILE is then a strategy.")
store = click.option(
    "--store",
    metavar="FILE",
    envvar="DICELAB_STORE",
    help="Keep the results in this file, and continue from what is in it; dicelab runs FILE lists them.",
)
memory = click.option(
    "--memory",
    metavar="SIZE",
    callback=size,
    help="Memory limit, such as 4G [default: half of the machine's memory].",
)
dry_run = click.option(
    "--dry-run", is_flag=True, help="Only say how many states, how much memory and time it would take."
)
certificate = click.option(
    "--certificate",
    metavar="FILE",
    help="Also write what is needed to check the answer without dicelab (docs/certificates.md); .gz compresses it.",
)
PICTURE = "an SVG, PNG or PDF file"
plot = click.option("--plot", metavar="FILE", help=f"Draw a chart into {PICTURE}.")


# The list of commands that `dicelab` alone shows: groups, and what each command does in a few words -------------------


GAMES, HELP = "Games", "Help and housekeeping"
GROUPS = (GAMES, "Questions", MONEY, PLAY, FILES, HELP)
"""In the order in which they are shown; a group of another package stands behind them."""


def grouped(commands: Iterable[click.Command]) -> dict[str, dict[str, str]]:
    """Return what each command does in a few words, by group: questions, and the commands that ask none."""
    load_announced()
    others = {name: Listed("", one.about, one.group) for name, one in QUESTIONS.items() if name not in LISTED}
    by_hand = {one.name or "": Listed("", one.short_help or "", getattr(one, "group", "Questions")) for one in commands}
    known = {name: one for name, one in (LISTED | others | by_hand).items() if one.about}
    groups: dict[str, dict[str, str]] = {group: {} for group in GROUPS}
    for name, one in known.items():
        groups.setdefault(one.group, {})[name] = one.about
    return groups


def command_about(word: str, groups: dict[str, dict[str, str]]) -> str | None:
    """Return the first command whose description has a word of four letters or more; None if there is none.

    >>> command_about("optimal", {"Questions": {"best": "how to play?", "solve": "the optimal policy"}})
    'solve'
    """
    for commands in groups.values():
        for name, about in commands.items():
            if word.lower() in re.findall(r"\w{4,}", about):
                return name
    return None


def write_groups(formatter: click.HelpFormatter, groups: dict[str, dict[str, str]]) -> None:
    """Write the list into a help text."""
    width = max(len(name) for commands in groups.values() for name in commands)
    for group, commands in groups.items():
        with formatter.section(group):
            formatter.write_dl([(name.ljust(width), about) for name, about in commands.items()])
