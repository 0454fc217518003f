"""The command `session`: bankroll, risk of ruin and betting systems."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any

import click

from dicelab.cli.options import (
    GameCommand,
    game_argument,
    games_option,
    number,
    page,
    plot_option,
    result_options,
    seed_option,
    size,
    store_option,
    strategy_option,
    threads_option,
)
from dicelab.cli.questions import apart, drawable, end, games_played, rows_done, states_expanded
from dicelab.errors import ParameterError
from dicelab.rules.game import Game

if TYPE_CHECKING:
    from dicelab.betting.ruin import Bound, Look
    from dicelab.betting.session import Session
    from dicelab.betting.systems import Systems


AROUND = range(2, 14)
"""Values at which the risk is drawn, in eighths of the one that was found."""


@click.command(cls=GameCommand)
@game_argument
@strategy_option
@games_option
@seed_option
@click.option(
    "--exact/--simulated", default=True, help="Also solve exactly if possible, or only simulate [default: --exact]."
)
@click.option(
    "--ruin",
    metavar="P",
    help="Find the smallest bankroll (or, with --of unit, the largest bet) with risk of ruin at most P: 0.05 or 5%.",
)
@click.option(
    "--of", metavar="NAME", help="The parameter or strategy argument to find with --ruin [default: bankroll]."
)
@click.option("--step", metavar="N", callback=number("step"), help="Try only multiples of N with --ruin [default: 1].")
@plot_option
@click.option(
    "--memory", metavar="SIZE", callback=size, help="Memory limit of the exact answer, such as 4G [default: 1G]."
)
@threads_option
@store_option
@result_options
@click.pass_obj
def session(chosen: type[Game], /, game: str, as_json: bool, **options: Any) -> None:
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
      dicelab session craps --until-rounds 200 --ruin 5% --of unit --json
    """
    parameters, settings = apart(options)
    ruin, of, step, plot = (settings.pop(name) for name in ("ruin", "of", "step", "plot"))
    if ruin is not None:
        of, step = "bankroll" if of is None else of, 1 if step is None else step
        _look_for(chosen(**parameters), _share(ruin), of, step, settings, plot, as_json)
        return
    if of is not None or step is not None:
        raise ParameterError("--of and --step are used with --ruin P; give --ruin as well")
    _play(chosen(**parameters), settings, plot, as_json)


def _play(table: Game, settings: dict[str, Any], plot: str | None, as_json: bool) -> None:
    """Simulate and solve sessions with one strategy, or with each of several."""
    from dicelab.betting.session import must_be_session
    from dicelab.betting.session import session as run
    from dicelab.betting.systems import Systems, alternatives, systems

    must_be_session(table)
    drawable(plot)
    strategies = settings.pop("strategies")
    result: Session | Systems
    if alternatives(table, strategies):
        with rows_done("strategies") as progress, redirect_stdout(sys.stderr):
            result = systems(table, strategies, progress=progress, **settings)
    else:
        with games_played() as progress, states_expanded() as looked, redirect_stdout(sys.stderr):
            result = run(table, strategies, progress=progress, looked=looked, **settings)
    click.echo(result.to_json() if as_json else result.text(page()))
    sessions = result.sessions if isinstance(result, Systems) else (result,)
    if plot is not None and sessions and all(one.simulation.games for one in sessions):
        from dicelab.plots import plot_sessions, save

        save(plot_sessions(sessions), plot)
        click.echo(f"drawn: {plot}", err=True)
    end(result)


def _look_for(
    table: Game, ruin: float, of: str, step: int, settings: dict[str, Any], plot: str | None, as_json: bool
) -> None:
    """Find the bankroll or bet with risk of ruin at most `ruin`; print it, and draw the risks that were computed."""
    from dicelab.betting.ruin import for_ruin
    from dicelab.runtime.lineup import as_seed

    if settings["games"] is not None or not settings["exact"]:
        raise ParameterError("--games and --simulated can't be used with --ruin, which chooses how to compute the risk")

    drawable(plot)
    looks: list[Look] = []

    def progress(look: Look) -> None:
        looks.append(look)
        if sys.stderr.isatty():
            click.echo(f"\r{of} {look.value:,}: {look.ruin:.4f}   ", nl=False, err=True)

    given = {name: settings[name] for name in ("memory", "threads", "store")}
    with redirect_stdout(sys.stderr):
        found = for_ruin(
            table,
            settings["strategies"],
            ruin,
            of,
            step=step,
            seed=as_seed(settings["seed"]),
            progress=progress,
            **given,
        )
    if sys.stderr.isatty():
        click.echo(err=True)
    click.echo(found.to_json() if as_json else found.text(page()))
    if plot is not None:
        from dicelab.plots import plot_ruin, save

        with redirect_stdout(sys.stderr):
            _look_around(table, found, step, given, progress)
        save(plot_ruin(found, looks), plot)
        click.echo(f"drawn: {plot}", err=True)


def _look_around(table: Game, found: Bound, step: int, given: dict[str, Any], progress: Callable[[Look], None]) -> None:
    """Simulate the risk at values around the one that was found, for the picture."""
    from dicelab.betting.ruin import Search
    from dicelab.betting.session import MEMORY
    from dicelab.runtime.lineup import Run

    assert found.seed is not None
    memory = MEMORY if given["memory"] is None else given["memory"]
    search = Search(
        Run.of(table, found.strategies), found.of, memory, given["threads"], found.seed, progress, given["store"]
    )
    middle = search.first if found.value is None else found.value
    for eighths in AROUND:
        value = max(step, middle * eighths // 8 // step * step)
        if search.allowed(value):
            search.simulated(value)


def _share(text: str) -> float:
    """Parse a probability written as 0.05 or 5%."""
    try:
        return float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        raise ParameterError(f"ruin: {text!r} is not a probability; write 0.05 or 5%") from None
