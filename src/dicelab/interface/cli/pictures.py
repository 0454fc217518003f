"""Choose and draw the picture of a result, for the options --plot and --of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dicelab.errors import ParameterError, unknown
from dicelab.results.numbers.named import MEASURES, number_of, outcome_typed
from dicelab.results.provenance import winners
from dicelab.results.result import Exact, Simulation
from dicelab.rules.game import Game, outcome_names


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

    Raises
    ------
    UnknownNameError, ParameterError
    """
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
    """Parse `of`: a tally, ``outcomes`` or ``convergence``, and the outcome or tally whose convergence is drawn.

    Raises
    ------
    UnknownNameError, ParameterError
    """
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
