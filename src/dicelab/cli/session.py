"""The command about sessions at a casino: session."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any

import click

from dicelab.cli.options import (
    GameCommand,
    game_argument,
    games_option,
    json_option,
    number,
    plot_option,
    seed_option,
    size,
    strategy_option,
    threads_option,
)
from dicelab.cli.questions import INTERRUPTED, apart, games_played, positions, rows_done
from dicelab.errors import ParameterError
from dicelab.rules.game import Game

if TYPE_CHECKING:
    from dicelab.betting.session import Session
    from dicelab.betting.systems import Systems


@click.command(cls=GameCommand)
@game_argument
@strategy_option
@games_option
@seed_option
@click.option("--exact/--simulated", default=True, help="Solve it as well, where that can be done [default: yes].")
@click.option("--ruin", metavar="P", help="Find what keeps the risk of ruin at P, such as 0.05 or 5%.")
@click.option("--of", metavar="NAME", help="What is looked for: a parameter, or an argument [default: bankroll].")
@click.option("--step", metavar="N", callback=number("step"), help="It is a multiple of N [default: 1].")
@plot_option
@click.option("--memory", metavar="SIZE", callback=size, help="Memory for the exact answer, such as 4G [default: 1G].")
@threads_option
@json_option
@click.pass_obj
def session(chosen: type[Game], /, game: str, as_json: bool, **options: Any) -> None:
    """Say what a session with a bankroll comes to: ruin, the goal, money at the end and on the way.

    Sessions are played, and solved as well where that can be done. Several strategies for one seat are played in turn,
    on the same dice. With --ruin: which bankroll, or which bet, keeps the risk of ruin at so much.

    \b
    Examples:
      dicelab session craps --until-rounds 200 --seed 1
      dicelab session craps -s line:pass:2 --stop-win 200 --stop-loss 200 --until-rounds 0
      dicelab session craps -s line -s line:system=martingale --simulated --plot systems.svg
      dicelab session craps --until-rounds 200 --ruin 5%
      dicelab session craps --until-rounds 200 --ruin 5% --of unit --json
    """
    parameters, settings = apart(options)
    ruin, of, step, plot = (settings.pop(name) for name in ("ruin", "of", "step", "plot"))
    if ruin is not None:
        if plot is not None:
            raise ParameterError("--plot is for sessions that are played, not for --ruin")
        of, step = "bankroll" if of is None else of, 1 if step is None else step
        _look_for(chosen(**parameters), _share(ruin), of, step, settings, as_json)
        return
    if of is not None or step is not None:
        raise ParameterError("--of and --step belong to --ruin, the risk that is allowed")
    _play(chosen(**parameters), settings, plot, as_json)


def _play(table: Game, settings: dict[str, Any], plot: str | None, as_json: bool) -> None:
    """Play and solve sessions, with one strategy or with several in turn."""
    from dicelab.betting.session import must_be_session
    from dicelab.betting.session import session as run
    from dicelab.betting.systems import Systems, alternatives, systems

    must_be_session(table)
    if plot is not None:
        from dicelab.plots import check_path

        check_path(plot)
    strategies = settings.pop("strategies")
    result: Session | Systems
    if alternatives(table, strategies):
        with rows_done("strategies") as told, redirect_stdout(sys.stderr):
            result = systems(table, strategies, told=told, **settings)
    else:
        with games_played() as progress, positions() as looked, redirect_stdout(sys.stderr):
            result = run(table, strategies, progress=progress, looked=looked, **settings)
    click.echo(result.to_json() if as_json else str(result))
    sessions = result.sessions if isinstance(result, Systems) else (result,)
    if plot is not None and all(one.simulation.games for one in sessions):
        from dicelab.plots import plot_sessions, save

        save(plot_sessions(sessions), plot)
        click.echo(f"drawn: {plot}", err=True)
    if result.interrupted:
        raise SystemExit(INTERRUPTED)


def _look_for(table: Game, ruin: float, of: str, step: int, settings: dict[str, Any], as_json: bool) -> None:
    """Find what keeps the risk of ruin at a bound."""
    from dicelab.betting.ruin import Look, for_ruin
    from dicelab.runtime.lineup import as_seed

    if settings["games"] is not None or not settings["exact"]:
        raise ParameterError("--games and --simulated are not for --ruin, which plays as many as it needs and solves")

    def told(look: Look) -> None:
        if sys.stderr.isatty():
            click.echo(f"\r{of} {look.value:,}: {look.ruin:.4f}   ", nl=False, err=True)

    given = {name: settings[name] for name in ("memory", "threads")}
    with redirect_stdout(sys.stderr):
        found = for_ruin(
            table, settings["strategies"], ruin, of, step=step, seed=as_seed(settings["seed"]), told=told, **given
        )
    if sys.stderr.isatty():
        click.echo(err=True)
    click.echo(found.to_json() if as_json else str(found))


def _share(text: str) -> float:
    """A chance, as 0.05 or 5%."""
    try:
        return float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        raise ParameterError(f"ruin: {text!r} is no chance; write 0.05 or 5%") from None
