"""The commands about best play: solve, policy."""

from __future__ import annotations

import json
import sys
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any

import click

from dicelab.cli.keeping import keep, writable
from dicelab.cli.options import GameCommand, game_argument, json_option, memory_option, number
from dicelab.cli.questions import apart, positions
from dicelab.errors import InputError
from dicelab.rules.game import Game

if TYPE_CHECKING:
    from dicelab.engines.policy import Policy


@click.command(cls=GameCommand)
@game_argument
@click.option("--against", "-s", multiple=True, metavar="S", help="Strategy of the other seats: one for all or each.")
@click.option("--seat", metavar="N", default="0", callback=number("seat"), help="Who plays best against them.")
@click.option("--objective", metavar="O", help="win, an outcome, most:TALLY or fewest:TALLY [default: win].")
@click.option("--out", metavar="FILE", help="Keep the policy in a file, to be played as policy:FILE.")
@memory_option
@json_option
@click.pass_obj
def solve(chosen: type[Game], /, game: str, as_json: bool, **options: Any) -> None:
    """Find the best way to play: of one seat, or of all against each other.

    \b
    Examples:
      dicelab solve tossup --target 50
      dicelab solve tossup --against bank_over:20 --seat 1
      dicelab solve tossup --target 20 --players 3
      dicelab solve tossup --target 50 --out best.npz
      dicelab play tossup --target 50 -s policy:best.npz -s me
      dicelab solve ./pig.py --against hold_at:20 --seat 1
    """
    from dicelab.policies.solve import solve as run

    parameters, settings = apart(options)
    path = writable(settings.pop("out"))
    with positions() as progress, redirect_stdout(sys.stderr):
        result = run(chosen(**parameters), settings.pop("against"), progress=progress, **settings)
    click.echo(result.to_json() if as_json else str(result))
    if path is not None:
        keep(result.policy, path)


@click.command(cls=GameCommand)
@game_argument
@click.argument("file")
@click.option("--at", multiple=True, metavar="NAME=N", help="A number of the state, or a row: scores=45,60.")
@click.option("--plot", metavar="FILE", help="Draw where each move is best, over --x and --y: an SVG or a PNG file.")
@click.option("--x", metavar="NAME", help="Number of the state on the horizontal axis, such as scores[0].")
@click.option("--y", metavar="NAME", help="Number of the state on the vertical axis, such as points.")
@click.option("--rule", is_flag=True, help="Sum the policy up as a rule to remember, with exactly what that loses.")
@click.option("--leaves", metavar="N", callback=number("leaves"), help="Moves that the rule may tell [default: 4].")
@click.option("--out", metavar="FILE", help="Keep the rule in a file, to be played as policy:FILE.")
@json_option
@click.pass_obj
def policy(
    chosen: type[Game],
    /,
    game: str,
    file: str,
    at: tuple[str, ...],
    plot: str | None,
    x: str | None,
    y: str | None,
    rule: bool,
    leaves: int | None,
    out: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Say what a policy does at a position, and what each move costs; draw it; or sum it up as a rule.

    FILE is what dicelab solve GAME --out FILE has kept.

    \b
    Examples:
      dicelab policy tossup best.npz --at scores=35,40 --at points=12 --at player=0
      dicelab policy tossup best.npz --at scores[1]=40 --at player=0 --plot p.svg --x scores[0] --y points
      dicelab policy tossup best.npz --rule --leaves 3 --out rule.npz
    """
    from dicelab.engines.policy import Policy
    from dicelab.policies.advice import advice, read_at

    parameters, _ = apart(options)
    if not rule and (leaves is not None or out is not None):
        raise InputError(f"{'out' if leaves is None else 'leaves'}: this is about a rule; ask for one with --rule")
    if rule:
        if at or plot is not None:
            raise InputError(f"rule: it is for the policy as a whole; leave out --{'at' if at else 'plot'}")
        _sum_up(Policy.load(file, chosen(**parameters) if parameters else chosen), leaves, writable(out), as_json)
        return
    if plot is not None:
        if x is None or y is None:
            raise InputError("plot: say what the axes show, with --x NAME and --y NAME")
        from dicelab.plots import check_path, plot_policy, save

        check_path(plot)
        known = Policy.load(file, chosen(**parameters) if parameters else chosen)
        save(plot_policy(known, x, y, None, **read_at(at)), plot)
        click.echo(f"drawn: {plot}", err=True)
        return
    found = advice(Policy.load(file, chosen(**parameters) if parameters else chosen), **read_at(at))
    click.echo(json.dumps(found.to_dict()) if as_json else str(found))


def _sum_up(policy: Policy, leaves: int | None, out: str | None, as_json: bool) -> None:
    """Print the best rule found for a policy, and keep it where that is wanted."""
    from dicelab.heuristics.rule import rule as run

    with positions() as progress, redirect_stdout(sys.stderr):
        found = run(policy, 4 if leaves is None else leaves, progress=progress)
    click.echo(found.to_json() if as_json else str(found))
    if out is not None:
        keep(found.policy, out)
