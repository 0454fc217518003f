"""Which picture of a result is drawn."""

from __future__ import annotations

from typing import Any

from dicelab.analysis.results import Exact, Simulation
from dicelab.errors import ParameterError, unknown
from dicelab.rules.game import Game


def draw(game: Game, results: list[Any], of: str | None, path: str) -> None:
    """Draw results about the same game into a file.

    Parameters
    ----------
    game
        The game with its parameters.
    results
        A simulation, an exact answer, or both.
    of
        A tally; ``outcomes``; ``convergence`` or ``convergence:OUTCOME`` of a simulation; when None the outcomes, or
        the first tally of a game without them.
    path
        An SVG or PNG file.

    Raises
    ------
    UnknownNameError, ParameterError
    """
    from dicelab.analysis.plots import figure, plot_convergence, plot_seats, plot_tally, save

    first = results[0]
    what, _, which = (of or ("outcomes" if first.outcome_names else first.tally_names[0])).partition(":")
    if what not in ("outcomes", "convergence", *first.tally_names):
        raise unknown("picture", what, ["outcomes", "convergence", *first.tally_names])
    drawing, axes = figure()
    if what == "outcomes":
        if not first.outcome_names:
            raise ParameterError(f"{first.game} has no outcomes to draw, only tallies")
        plot_seats(*results, ax=axes)
    elif what == "convergence":
        simulated = next((r for r in results if isinstance(r, Simulation)), None)
        if simulated is None:
            raise ParameterError("convergence is drawn of a simulation")
        truth = next((r for r in results if isinstance(r, Exact)), None)
        plot_convergence(_curve(game, simulated, which), truth, ax=axes)
    else:
        plot_tally(*results, tally=what, ax=axes)
    save(drawing, path)


def _curve(game: Game, simulated: Simulation, which: str) -> Any:
    """The same games once more, looked at on the way."""
    from dicelab.analysis.convergence import convergence

    of = which or (simulated.outcome_names or simulated.tally_names)[0]
    return convergence(game, simulated.strategies, games=simulated.games, seed=simulated.seed, of=of)
