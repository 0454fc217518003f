"""Write policies, certificates and pictures to files, for --out, --certificate and --plot."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dicelab.errors import InputError, ParameterError, unknown
from dicelab.interface.cli.output import remark
from dicelab.results.numbers.named import MEASURES, number_of, outcome_typed
from dicelab.results.provenance import winners
from dicelab.results.result import Exact, Simulation
from dicelab.results.text.writing import upper
from dicelab.rules.game import Game, outcome_names

if TYPE_CHECKING:
    from dicelab.engines.policy import SavedPolicy
    from dicelab.questions.policies.certificate import Certificate
    from dicelab.questions.policies.network import Network

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
    from dicelab.results.draft import replacing

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
