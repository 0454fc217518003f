"""The command `session`: bankroll, risk of ruin and betting systems."""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from dicelab.errors import ParameterError
from dicelab.interface.cli import options
from dicelab.interface.cli.commands import CommandRequest, extended
from dicelab.interface.cli.output import draw, say
from dicelab.interface.cli.progress import rows_done, sessions_solved, words_shown
from dicelab.questions.declare import declared
from dicelab.rules.params import share

if TYPE_CHECKING:
    from dicelab.questions.betting.ruin import Look
    from dicelab.questions.betting.session import Session
    from dicelab.questions.betting.systems import Systems

PATIENCE = 2.0
"""Seconds of solving after which the simulated answer is shown."""


@extended("session")
@click.option("--simulated", is_flag=True, help="Only simulate; by default sessions are also solved, if possible.")
@click.option(
    "--ruin",
    metavar="P",
    help="Find the smallest bankroll (or, with --find unit, the largest bet) with risk of ruin at most P: 0.05 or 5%.",
)
@click.option(
    "--find", metavar="NAME", help="The parameter or strategy argument to find with --ruin [default: bankroll]."
)
@options.whole("--step", help="Try only multiples of N with --ruin [default: 1].")
@options.plot
def session(asked: CommandRequest, settings: dict[str, Any]) -> None:
    """Answer; or find the bankroll or the bet for a risk of ruin."""
    simulated, ruin, find, step = (settings.pop(name) for name in ("simulated", "ruin", "find", "step"))
    given = declared("session").values(settings)
    if ruin is not None:
        if "games" in given or simulated:
            raise ParameterError(
                "--games and --simulated can't be used with --ruin, which chooses how to compute the risk"
            )
        find, step = "bankroll" if find is None else find, 1 if step is None else step
        _look_for(asked, share(ruin, "ruin"), find, step, given)
        return
    if find is not None or step is not None:
        raise ParameterError("--find and --step are used with --ruin P; give --ruin as well")
    _play(asked, given | {"exact": not simulated})


def _play(asked: CommandRequest, settings: dict[str, Any]) -> None:
    """Simulate and solve sessions with one strategy, or with each of several."""
    from dicelab.questions.betting.session import must_be_session
    from dicelab.questions.betting.session import session as run
    from dicelab.questions.betting.systems import Systems, alternatives, systems

    must_be_session(asked.game)
    result: Session | Systems
    if alternatives(asked.game, settings.get("strategies", ())):
        with rows_done("strategies") as progress:
            result = systems(asked.game, progress=progress, **settings)
    else:
        with sessions_solved() as (progress, watches):
            first = _first_simulated(watches["progress"])
            result = run(asked.game, progress=progress, share=watches["share"], **first, **settings)
    sessions = result.sessions if isinstance(result, Systems) else (result,)
    played = sessions and all(one.simulation.games for one in sessions)
    asked.answer(result, (lambda plots: plots.plot_sessions(sessions)) if played else None)


def _first_simulated(progress: Callable[[int, int], None]) -> dict[str, Any]:
    """Return what is called while sessions are solved: it says what was simulated if solving takes long."""
    waiting: list[tuple[float, str]] = []

    def solving(found: int, expanded: int) -> None:
        if waiting and perf_counter() - waiting[0][0] > PATIENCE:
            print(waiting.pop()[1], file=sys.stderr, flush=True)
        progress(found, expanded)

    def simulated(result: Session) -> None:
        sentence = (
            f"Simulated: {result.summary} The exact answer is being computed; Ctrl-C stops it and keeps this one."
        )
        waiting.append((perf_counter(), sentence))

    return {"solving": solving, "simulated": simulated}


def _look_for(asked: CommandRequest, ruin: float, find: str, step: int, settings: dict[str, Any]) -> None:
    """Find the bankroll or bet with risk of ruin at most `ruin`; print it, and draw the risks that were computed."""
    from dicelab.questions.betting.ruin import for_ruin, look_around
    from dicelab.runtime.lineup import as_seed

    looks: list[Look] = []

    def progress(look: Look) -> None:
        looks.append(look)
        shown(f"{find} {look.value:,}: {look.ruin:.4f}")

    given: dict[str, Any] = {name: settings[name] for name in ("memory", "threads", "store") if name in settings}
    given["progress"] = progress
    strategies, seed = settings.get("strategies", ()), as_seed(settings.get("seed"))
    with words_shown() as shown:
        found = for_ruin(asked.game, strategies, ruin, find, step=step, seed=seed, **given)
    say(found)
    if asked.plot is not None:
        with words_shown() as shown:
            look_around(asked.game, found, step, **given)
        draw(asked.plot, lambda plots: plots.plot_ruin(found, looks))
