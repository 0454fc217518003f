"""The command `session`: bankroll, risk of ruin and betting systems."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any

import click

from dicelab.cli.options import (
    GameCommand,
    apart,
    formerly,
    game_argument,
    games_option,
    number,
    seed_option,
    size,
    store_option,
    strategy_option,
    threads_option,
)
from dicelab.cli.output import draw, drawable, end, plot_option, result_options, say
from dicelab.cli.progress import games_played, rows_done, states_expanded
from dicelab.errors import ParameterError
from dicelab.rules.game import Game
from dicelab.rules.params import share

if TYPE_CHECKING:
    from dicelab.betting.ruin import Look
    from dicelab.betting.session import Session
    from dicelab.betting.systems import Systems


@click.command(cls=GameCommand)
@game_argument
@strategy_option
@games_option
@seed_option
@click.option("--simulated", is_flag=True, help="Only simulate; by default sessions are also solved, if possible.")
@formerly("--exact", None, is_flag=True)
@click.option(
    "--ruin",
    metavar="P",
    help="Find the smallest bankroll (or, with --find unit, the largest bet) with risk of ruin at most P: 0.05 or 5%.",
)
@click.option(
    "--find", metavar="NAME", help="The parameter or strategy argument to find with --ruin [default: bankroll]."
)
@formerly("--of", "--find")
@click.option("--step", metavar="N", callback=number("step"), help="Try only multiples of N with --ruin [default: 1].")
@plot_option
@click.option(
    "--memory", metavar="SIZE", callback=size, help="Memory limit of the exact answer, such as 4G [default: 1G]."
)
@threads_option
@store_option
@result_options
@click.pass_obj
def session(chosen: type[Game], /, game: str, **options: Any) -> None:
    """Play sessions with a bankroll: risk of ruin, final money, peak, drawdown, duration.

    Sessions are simulated, and solved exactly if possible. If several strategies are given for the one seat, each of
    them plays on the same dice. With --ruin, find the bankroll or the bet for a given risk of ruin; --plot then draws
    the risk against the bankroll.

    \b
    Examples:
      dicelab session craps --until-rounds 200 --seed 1
      dicelab session craps -s line:pass:2 --stop-win 200 --stop-loss 200 --until-rounds 0
      dicelab session craps -s line -s line:system=martingale --simulated --plot systems.svg
      dicelab session craps --until-rounds 200 --ruin 5%
      dicelab session craps --until-rounds 200 --ruin 5% --step 10 --plot ruin.svg
      dicelab session craps --until-rounds 200 --ruin 5% --find unit --json
    """
    parameters, settings = apart(options)
    settings["exact"] = not settings.pop("simulated")
    ruin, of, step, plot = (settings.pop(name) for name in ("ruin", "find", "step", "plot"))
    if ruin is not None:
        of, step = "bankroll" if of is None else of, 1 if step is None else step
        _look_for(chosen(**parameters), share(ruin, "ruin"), of, step, settings, plot)
        return
    if of is not None or step is not None:
        raise ParameterError("--find and --step are used with --ruin P; give --ruin as well")
    _play(chosen(**parameters), settings, plot)


def _play(table: Game, settings: dict[str, Any], plot: str | None) -> None:
    """Simulate and solve sessions with one strategy, or with each of several."""
    from dicelab.betting.session import must_be_session
    from dicelab.betting.session import session as run
    from dicelab.betting.systems import Systems, alternatives, systems

    must_be_session(table)
    drawable(plot)
    strategies = settings.pop("strategies")
    result: Session | Systems
    if alternatives(table, strategies):
        with rows_done("strategies") as progress:
            result = systems(table, strategies, progress=progress, **settings)
    else:
        with games_played() as progress, states_expanded() as solving:
            result = run(table, strategies, progress=progress, solving=solving["progress"], **settings)
    say(result)
    sessions = result.sessions if isinstance(result, Systems) else (result,)
    if sessions and all(one.simulation.games for one in sessions):
        draw(plot, lambda plots: plots.plot_sessions(sessions))
    end(result)


def _look_for(table: Game, ruin: float, of: str, step: int, settings: dict[str, Any], plot: str | None) -> None:
    """Find the bankroll or bet with risk of ruin at most `ruin`; print it, and draw the risks that were computed."""
    from dicelab.betting.ruin import for_ruin, look_around
    from dicelab.runtime.lineup import as_seed

    if settings["games"] is not None or not settings["exact"]:
        raise ParameterError("--games and --simulated can't be used with --ruin, which chooses how to compute the risk")

    drawable(plot)
    looks: list[Look] = []

    def progress(look: Look) -> None:
        looks.append(look)
        if sys.stderr.isatty():
            click.echo(f"\r{of} {look.value:,}: {look.ruin:.4f}   ", nl=False, err=True)

    given = {name: settings[name] for name in ("memory", "threads", "store")} | {"progress": progress}
    with redirect_stdout(sys.stderr):
        found = for_ruin(table, settings["strategies"], ruin, of, step=step, seed=as_seed(settings["seed"]), **given)
    if sys.stderr.isatty():
        click.echo(err=True)
    say(found)
    if plot is not None:
        with redirect_stdout(sys.stderr):
            look_around(table, found, step, **given)
        draw(plot, lambda plots: plots.plot_ruin(found, looks))
